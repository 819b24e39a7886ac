"""Reviews of finished games: a curve of each side's chances, the turning points, and better moves."""

from __future__ import annotations

from collections.abc import Sequence

import discord
from discord import app_commands
from discord.ext import commands

from bot.core.match import Match
from bot.core.preferences import Preferences
from bot.discordkit.components import Button, make_view
from bot.discordkit.errors import Declined
from bot.discordkit.reply import NO_MENTIONS, Interaction, picture_file, reader_language
from bot.discordkit.slash import slash_command
from bot.play.app import (
    Caller,
    app_of,
    check_pace,
    draw_picture,
    may_share,
    public_language,
    run_heavy,
    run_in_turn,
)
from bot.play.context import ButtonPlace
from bot.play.engine import EngineError
from bot.play.options import find_meant_match
from bot.play.shared_components import Action, action_button, handles_action
from bot.play.sheets import OPEN_BUTTONS, TURN_BUTTONS, Sheet, SheetContent, open_sheet, register_sheet
from bot.play.suggestions import suggest_all_games
from bot.play.visible_games import find_visible_match
from bot.review.service import Reviews
from bot.review.turning_points import Review, lowest_after, positions_of_game
from bot.review.words import chances_words, review_text, turning_text
from bot.texts.i18n import Language, text
from bot.texts.markup import escape_markup
from bot.texts.sentences import move_sentence, sides_texts
from bot.texts.text_board import text_board
from render import THEMES, View
from render.chances import ChancesChart
from rules import Move, Position, Seat, format_move
from rules.game import resolve_passes

REVIEW_SHEET = "review"
"""The sheet with a review."""


def review_button(locale: Language, match: Match, place: ButtonPlace) -> Sequence[Button]:
    """Returns the button that opens the review of a finished game."""
    if place is not ButtonPlace.END:
        return ()
    review = Sheet(REVIEW_SHEET, match.variant.key, match.id)
    return (OPEN_BUTTONS.make_button("", review, text(locale, "button.review")),)


class ReviewCommands(commands.Cog):
    """The command for reviews, which everybody may use who may see the game."""

    @slash_command("game review")
    @app_commands.autocomplete(game=suggest_all_games)
    async def review(self, interaction: Interaction, game: str | None = None) -> None:
        """Opens the review of a finished game."""
        match = await find_meant_match(interaction, game, "any")
        await open_sheet(interaction, Sheet(REVIEW_SHEET, match.variant.key, match.id))


@register_sheet(REVIEW_SHEET)
async def show_review(interaction: Interaction, request: Sheet) -> SheetContent:
    """Returns the review of the game with the number `request.user`: all of it, or the turning point `request.page`."""
    match, review = await _load_review(interaction, request.user)
    locale, preferences = reader_language(interaction), await Caller(interaction).load_preferences()
    page = min(request.page, len(review.turnings))
    bottom = match.seat_of(interaction.user.id) or match.variant.seats[0]
    content, files = await _review_page(interaction, locale, preferences, match, review, page, bottom)
    turnings = _turning_buttons(locale, request._replace(page=page), review)
    return SheetContent(
        content, [*turnings, action_button(locale, "share-review", label="share", match=match.id, number=page)], files
    )


def _turning_buttons(locale: Language, request: Sheet, review: Review) -> list[Button]:
    """Returns the buttons to the other parts of the review."""
    points = [(number, text(locale, "review.to", number=number)) for number in range(1, len(review.turnings) + 1)]
    return [
        TURN_BUTTONS.make_button("", request._replace(page=number), label)
        for number, label in [(0, text(locale, "review.whole")), *points]
        if number != request.page
    ]


@handles_action("share-review")
async def share_review(interaction: Interaction, action: Action) -> None:
    """Posts the shown part of the review for everybody, once. The buttons to the other parts remain."""
    await interaction.response.defer()
    match, review = await _load_review(interaction, action.match)
    if not may_share(interaction):
        return
    locale, page = public_language(interaction), min(action.number, len(review.turnings))
    content, files = await _review_page(interaction, locale, Preferences(), match, review, page, match.variant.seats[0])
    content += "\n" + text(locale, "review.shared", player=escape_markup(interaction.user.display_name))
    await interaction.followup.send(content, files=files, allowed_mentions=NO_MENTIONS, ephemeral=False)
    request = Sheet(REVIEW_SHEET, match.variant.key, match.id, page=page)
    await interaction.edit_original_response(
        view=make_view(*_turning_buttons(reader_language(interaction), request, review))
    )


async def _load_review(interaction: Interaction, number: int) -> tuple[Match, Review]:
    caller, match = Caller(interaction), await find_visible_match(interaction, number)
    if not await caller.part(Reviews).stored_review(match):
        check_pace(interaction, "reviews")
    end = await app_of(interaction).review_turns.wait_for_turn(caller.user)
    try:
        return await caller.part(Reviews).review_match(
            number, caller.guild, caller.user, app_of(interaction).engine.ask
        )
    except EngineError:
        raise Declined("review.away") from None
    finally:
        end()


async def _review_page(
    interaction: Interaction,
    locale: Language,
    preferences: Preferences,
    match: Match,
    review: Review,
    page: int,
    bottom: Seat,
) -> tuple[str, Sequence[discord.File]]:
    """Returns the text and pictures of the whole review, or of one turning point. Boards have seat `bottom` below."""
    positions = positions_of_game(match)
    if not page:
        content, words = review_text(locale, match, review, positions), chances_words(locale, match.variant, review)
        if preferences.board == "text":
            return f"{content}\n{words}", ()
        turnings = tuple(
            (lowest_after(positions, review.chances, point.ply), positions[point.ply].turn) for point in review.turnings
        )
        curve = ChancesChart(match.variant, review.chances, turnings, THEMES[preferences.theme])
        png = await run_in_turn(interaction, app_of(interaction).pictures.plot_chances(curve))
        return content, [picture_file(png, f"review-{match.id}", words)]
    turning = review.turnings[page - 1]
    position, played = positions[turning.ply], match.started_game.moves[turning.ply]
    # Finding the possible captures takes up to a third of a second on a small machine.
    content = await run_heavy(interaction, turning_text, locale, match, position, page, turning)
    if preferences.board == "text":
        return f"{content}\n{text_board(locale, position, over=False)}", ()
    name = f"review-{match.id}-{turning.ply + 1}"
    better = text(locale, "review.alt-better", move=format_move(turning.better, match.variant.board))
    boards = (
        (played, f"{name}-played", move_sentence(locale, position, played)),
        (turning.better, f"{name}-better", better),
    )
    return content, [
        await _board_after_move(interaction, locale, preferences, position, bottom, *turning_point)
        for turning_point in boards
    ]


async def _board_after_move(
    interaction: Interaction,
    locale: Language,
    preferences: Preferences,
    before: Position,
    bottom: Seat,
    move: Move,
    name: str,
    words: str,
) -> discord.File:
    """Returns a picture of the board after that move; `words` describe the move."""
    after = resolve_passes(before.after_move(move))[0]
    view = View(after, bottom, move, before, to_move=False)
    return await draw_picture(interaction, view, preferences, name, " ".join([words, *sides_texts(locale, after)]))
