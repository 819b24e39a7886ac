"""Games that are watched: followers, replays, and the buttons that follow, replay or share one."""

from __future__ import annotations

from collections.abc import Iterable

from discord import app_commands
from discord.ext import commands

from bot.commands.app import Asker, app, beside, in_turn, may_share, require_calm, server, take_turn
from bot.commands.board import board_file, caption, matches_at
from bot.commands.options import (
    game_number,
    seen_match,
    started,
    suggest_all_games,
    suggest_followed_games,
    suggest_visible_games,
    the_game,
    the_match,
)
from bot.kit.components import Action, button, on, row
from bot.kit.reply import NO_MENTIONS, RESOLVED, Interaction, answer, attachment, reader, update
from bot.kit.slash import command
from bot.match.events import Event, EventKind
from bot.match.match import Match, states
from bot.people.preferences import Preferences
from bot.people.problems import MatchError, Problem
from bot.texts.i18n import Language, text
from bot.texts.sentences import plain, titled, variant_name
from render import THEMES, Theme
from render.replay import Ply, Replay
from rules import Position, Seat, format_move

PlyOption = app_commands.Range[int, 1, 100_000]


class WatchCommands(commands.Cog):
    """Followers are pinged when a game ends, and at every move where they ask for it; replays are for anybody."""

    @command("game follow")
    @app_commands.rename(every_move="every-move")
    @app_commands.autocomplete(game=suggest_visible_games)
    async def follow(self, interaction: Interaction, game: str | None = None, every_move: bool = False) -> None:
        """Follow a game into whose channel one may look."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        match, asker = await the_match(interaction, game, "any"), Asker(interaction)
        await asker.service.people.follow(match.id, asker.guild, asker.user, every_move=every_move)
        await answer(interaction, _followed(asker.locale, match, every_move=every_move))

    @command("game unfollow")
    @app_commands.autocomplete(game=suggest_followed_games)
    async def unfollow(self, interaction: Interaction, game: str | None = None) -> None:
        """Follow it no longer, also where one may no longer look."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        match_id, asker = game_number(game) or await _only_followed(interaction), Asker(interaction)
        await asker.service.people.unfollow(match_id, asker.guild, asker.user)
        await answer(interaction, text(asker.locale, "follow.ended", id=match_id))

    @command("game replay")
    @app_commands.rename(first="from", last="to")
    @app_commands.autocomplete(game=suggest_all_games)
    async def replay(
        self,
        interaction: Interaction,
        game: str | None = None,
        first: PlyOption | None = None,
        last: PlyOption | None = None,
        public: bool = False,
    ) -> None:
        """Show the moves of a game as a moving picture."""
        await _show(interaction, await the_game(interaction, game, "any"), first, last, public=public)


@on("follow")
async def turn_follow(interaction: Interaction, action: Action) -> None:
    """Follow the game below whose board the button is, or follow it no longer."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    match, asker = await seen_match(interaction, action.match), Asker(interaction)
    if asker.user in [follow.user for follow in await asker.service.people.followers(match.id)]:
        await asker.service.people.unfollow(match.id, asker.guild, asker.user)
        await answer(interaction, text(asker.locale, "follow.ended", id=match.id))
        return
    await asker.service.people.follow(match.id, asker.guild, asker.user, every_move=False)
    more = row(button(asker.locale, "follow-every", match=match.id))
    await answer(interaction, _followed(asker.locale, match, every_move=False), view=more)


@on("follow-every")
async def follow_every_move(interaction: Interaction, action: Action) -> None:
    """Follow it at every move."""
    await interaction.response.defer()
    match, asker = await seen_match(interaction, action.match), Asker(interaction)
    await asker.service.people.follow(match.id, asker.guild, asker.user, every_move=True)
    await update(interaction, _followed(asker.locale, match, every_move=True), view=None)


def _followed(locale: Language, match: Match, *, every_move: bool) -> str:
    variant = titled(locale, match.variant, match.title)
    return text(locale, "follow.every-move" if every_move else "follow.end", id=match.id, variant=variant)


async def _only_followed(interaction: Interaction) -> int:
    """The game that the person follows, if it is one alone."""
    asker = Asker(interaction)
    followed = await asker.service.people.followed(asker.guild, asker.user)
    if not followed:
        raise MatchError(Problem.FOLLOWS_NONE)
    if len(followed) > 1:
        raise MatchError(Problem.WHICH_GAME, candidates=[game.id for game in followed])
    return followed[0].id


@on("replay")
async def watch(interaction: Interaction, action: Action) -> None:
    """Show the whole game to whoever asks, alone."""
    await seen_match(interaction, action.match)
    await _show(interaction, action.match, None, None, public=False)


@on("share")
async def share(interaction: Interaction, action: Action) -> None:
    """Post the board for everybody as who shares it sees it, once: the button goes."""
    await seen_match(interaction, action.match)
    match, before = await matches_at(interaction, action.match, action.number)
    started(match)
    if not may_share(interaction):
        await interaction.response.defer()
        return
    await interaction.response.edit_message(view=None, allowed_mentions=RESOLVED)
    locale = server(interaction)
    await interaction.followup.send(
        caption(locale, match, "share.caption", player=plain(interaction.user.display_name)),
        file=await board_file(interaction, locale, match, before, Preferences()),
        allowed_mentions=NO_MENTIONS,
    )


async def _show(interaction: Interaction, match_id: int, first: int | None, last: int | None, *, public: bool) -> None:
    asker, locale = Asker(interaction), server(interaction) if public else reader(interaction)
    match, events = await asker.service.history(match_id, asker.guild)
    preferences = Preferences() if public else await asker.preferences()
    seat = match.seat_of(asker.user)
    bottom = match.variant.start.turn if seat is None else seat
    first, last = stretch_of(match, first, last)
    await take_turn(interaction)
    if public:
        require_calm(interaction, "board")
    # Not before everything is found: what is wrong is said to the asker alone, also where the replay is for all.
    await interaction.response.defer(ephemeral=not public, thinking=True)
    replay = await beside(interaction, replay_of, match, events, first, last, bottom, THEMES[preferences.theme])
    gif = await in_turn(interaction, app(interaction).pictures.animate(replay))
    name = f"game-{match.id}-{first}-{last}.gif"
    file = attachment(gif, name, replay_words(locale, match, replay))
    variant = variant_name(locale, match.variant)
    content = text(locale, "replay.caption", variant=variant, id=match.id, first=first, last=last)
    await answer(interaction, content, files=[file])


MOST_PLIES = 200
"""How many moves one replay shows: under a megabyte, and some four minutes of watching."""

LONGEST_WORDS = 1024


def stretch_of(match: Match, first: int | None, last: int | None) -> tuple[int, int]:
    """The numbers of the first and the last move that a replay shows, both included and counted from 1.

    What is left out is the beginning and the end, as far as that is not too long; then it is the latest part. Raises
    MatchError where there are no such moves.
    """
    count = match.ply
    if not count:
        raise MatchError(Problem.NO_MOVES, number=match.id)
    last = last or count
    first = first or max(1, last - MOST_PLIES + 1)
    if not 1 <= first <= last <= count:
        raise MatchError(Problem.NO_SUCH_STRETCH, number=match.id, first=first, last=last, count=count)
    if last - first >= MOST_PLIES:
        raise MatchError(Problem.STRETCH_TOO_LONG, number=match.id, most=MOST_PLIES)
    return first, last


def replay_of(match: Match, events: Iterable[Event], first: int, last: int, bottom: Seat, theme: Theme) -> Replay:
    """The moves of that stretch, as that seat sees them."""
    found = _plies(match.id, events)[first - 1 : last]
    return Replay(found[0][0], [ply for _, ply in found], bottom, first, theme)


def replay_words(locale: Language, match: Match, replay: Replay) -> str:
    """The replay's alt text: its moves, as many of them as fit."""
    board, last = match.variant.board, replay.first + len(replay.plies) - 1
    moves = [format_move(ply.move, board) for ply in replay.plies]

    def said(shown: str) -> str:
        return text(locale, "replay.alt", id=match.id, first=replay.first, last=last, moves=shown)

    room = LONGEST_WORDS - len(said(" …"))
    shown = ""
    for move in moves:
        longer = f"{shown}, {move}" if shown else move
        if len(longer) > room:
            return said(f"{shown} …")
        shown = longer
    return said(shown)


def _plies(match_id: int, events: Iterable[Event]) -> list[tuple[Position, Ply]]:
    """Every move with the positions before and after it. A player who leaves in between is gone in the next one."""
    found: list[tuple[Position, Ply]] = []
    before: Match | None = None
    for event, match in states(match_id, events):
        if event.kind is EventKind.MOVED:
            assert before is not None
            game = match.started_game
            found.append((before.started_game.position, Ply(game.moves[-1], game.position)))
        before = match
    return found
