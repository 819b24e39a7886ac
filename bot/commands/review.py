"""Reviews of finished games: each side's chances as a curve, the moves that turned the game, and better ones."""

from __future__ import annotations

from collections.abc import Sequence

import discord
from discord import app_commands
from discord.ext import commands

from bot.commands.app import Asker, app, beside, drawn, in_turn, may_share, require_few_searches, server
from bot.commands.options import seen_match, suggest_all_games, the_match
from bot.kit.components import Action, Button, button, on, row
from bot.kit.engine import EngineError
from bot.kit.errors import Declined
from bot.kit.reply import NO_MENTIONS, Interaction, picture, reader
from bot.kit.sheets import TURNING, Sheet, Shown, open_sheet, sheet
from bot.kit.slash import command
from bot.match.match import Match
from bot.match.review import Review, positions
from bot.people.preferences import Preferences
from bot.posting.turn import REVIEW
from bot.texts.i18n import Language, text
from bot.texts.review import chances_words, review_text, turning_text
from bot.texts.sentences import move_sentence, plain, sides
from bot.texts.text_board import text_board
from render import THEMES, View
from render.chances import Chances
from rules import Move, Position, format_move
from rules.game import settle


class ReviewCommands(commands.Cog):
    """A look back, for whoever may look at the game."""

    @command("game review")
    @app_commands.autocomplete(game=suggest_all_games)
    async def review(self, interaction: Interaction, game: str | None = None) -> None:
        """Open the review of a finished game."""
        match = await the_match(interaction, game, "any")
        await open_sheet(interaction, Sheet(REVIEW, match.variant.key, match.id))


@sheet(REVIEW)
async def show_review(interaction: Interaction, wanted: Sheet) -> Shown:
    """The review of the game of the number `wanted.user`: the whole of it, or the turning point `wanted.page`."""
    match, review = await _review(interaction, wanted.user)
    locale, preferences = reader(interaction), await Asker(interaction).preferences()
    page = min(wanted.page, len(review.turnings))
    said, files = await _page(interaction, locale, preferences, match, review, page)
    turnings = _turnings(locale, wanted._replace(page=page), review)
    return Shown(said, [*turnings, button(locale, "share-review", label="share", match=match.id, number=page)], files)


def _turnings(locale: Language, shown: Sheet, review: Review) -> list[Button]:
    """The buttons that lead to the other parts of the review."""
    ways = [(number, text(locale, "review.to", number=number)) for number in range(1, len(review.turnings) + 1)]
    return [
        TURNING.button("", shown._replace(page=number), label)
        for number, label in [(0, text(locale, "review.whole")), *ways]
        if number != shown.page
    ]


@on("share-review")
async def share_review(interaction: Interaction, action: Action) -> None:
    """Post that part of the review for everybody, once; the other parts stay in reach."""
    await interaction.response.defer()
    match, review = await _review(interaction, action.match)
    if not may_share(interaction):
        return
    locale, page = server(interaction), min(action.number, len(review.turnings))
    said, files = await _page(interaction, locale, Preferences(), match, review, page)
    said += "\n" + text(locale, "review.shared", player=plain(interaction.user.display_name))
    await interaction.followup.send(said, files=files, allowed_mentions=NO_MENTIONS, ephemeral=False)
    shown = Sheet(REVIEW, match.variant.key, match.id, page=page)
    await interaction.edit_original_response(view=row(*_turnings(reader(interaction), shown, review)))


async def _review(interaction: Interaction, number: int) -> tuple[Match, Review]:
    asker, match = Asker(interaction), await seen_match(interaction, number)
    if not await asker.service.reviews.known(match):
        require_few_searches(interaction, "review")
    end = await app(interaction).reviews.begin(asker.user)
    try:
        return await asker.service.reviews.review(number, asker.guild, asker.user, app(interaction).engine.ask)
    except EngineError:
        raise Declined("review.away") from None
    finally:
        end()


async def _page(
    interaction: Interaction, locale: Language, preferences: Preferences, match: Match, review: Review, page: int
) -> tuple[str, Sequence[discord.File]]:
    """The words and pictures of the whole review, or of a turning point."""
    line = positions(match)
    if not page:
        said, words = review_text(locale, match, review, line), chances_words(locale, match.variant, review)
        if preferences.board == "text":
            return f"{said}\n{words}", ()
        turnings = tuple((one.ply, line[one.ply].turn) for one in review.turnings)
        curve = Chances(match.variant, review.chances, turnings, THEMES[preferences.theme])
        png = await in_turn(interaction, app(interaction).pictures.plot_chances(curve))
        return said, [picture(png, f"review-{match.id}", words)]
    turning = review.turnings[page - 1]
    position, played = line[turning.ply], match.started_game.moves[turning.ply]
    # Which captures there are takes a moment to find, on a small machine a third of a second.
    said = await beside(interaction, turning_text, locale, match, position, page, turning)
    if preferences.board == "text":
        return f"{said}\n{text_board(locale, position, over=False)}", ()
    name = f"review-{match.id}-{turning.ply + 1}"
    better = text(locale, "review.alt-better", move=format_move(turning.better, match.variant.board))
    boards = (
        (played, f"{name}-played", move_sentence(locale, position, played)),
        (turning.better, f"{name}-better", better),
    )
    return said, [await _board(interaction, locale, preferences, position, *one) for one in boards]


async def _board(
    interaction: Interaction,
    locale: Language,
    preferences: Preferences,
    before: Position,
    move: Move,
    name: str,
    words: str,
) -> discord.File:
    """The board after that move, seen by whoever was to move; `words` say what move it is."""
    after = settle(before.after(move))[0]
    view = View(after, before.turn, move, before, to_move=False)
    return await drawn(interaction, view, preferences, name, " ".join([words, *sides(locale, after)]))
