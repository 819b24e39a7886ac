"""What follows an act that has been stored: it is announced, and whoever did it is told so privately."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import discord
from discord import ButtonStyle

from bot.commands.app import Asker, app
from bot.kit.components import COMPOSER, Action, ComposerState, row
from bot.kit.permissions import unposted
from bot.kit.reply import Interaction, answer, reader
from bot.match.events import Event
from bot.match.match import Match
from bot.match.offers import RequestOf
from bot.store import StoreError
from bot.texts.i18n import text
from bot.texts.sentences import variant_name
from rules import format_move

MOST_NAMED = 5
"""Games that wait as well, of which the answer to a move tells; `/games` has all of them."""


class Waiting(NamedTuple):
    """What else waits for somebody who has moved."""

    said: str = ""
    """The games, in a sentence."""
    view: discord.ui.View | None = None
    """The button that opens the next of them."""


async def announce_move(interaction: Interaction, match: Match, waiting: Waiting) -> str:
    """Announce the match. What to tell its last mover: that the move is played, or what keeps it from sight."""
    locale = reader(interaction)
    number = _own_move(match)
    if trouble := await app(interaction).announcer.announce(match.id):
        why = unposted(locale, trouble, match)
        played = format_move(match.started_game.moves[number - 1], match.variant.board)
        return _with(waiting, text(locale, "move.unposted", move=played, id=match.id, why=why))
    if match.thread is not None:  # which the announcement may have left
        match = await app(interaction).service.match(match.id, match.guild)
    return done_text(interaction, match, number, waiting)


def _own_move(match: Match) -> int:
    """The number of the last move that somebody has chosen; those after it were played by themselves."""
    moves = [step for step in match.steps if step.move]
    while not moves[-1].chosen:
        moves.pop()
    return len(moves)


async def also_waiting(interaction: Interaction, match: Match) -> Waiting:
    """Which other games in that server wait for whoever has moved, the one whose time is up first at the front."""
    asker = Asker(interaction)
    try:
        games = await asker.service.games_of(match.guild, asker.user)
    except StoreError:
        return Waiting()  # the move is stored, and the next thing is to tell of it
    games = [game for game in games if game.to_move == asker.user and game.id != match.id]
    if not games:
        return Waiting()
    games.sort(key=lambda game: (game.flag is None, game.flag or game.moved_at, game.id))
    key = "move.waiting" if len(games) <= MOST_NAMED else "move.waiting-more"
    named = ", ".join(f"#{game.id}" for game in games[:MOST_NAMED])
    said = text(asker.locale, key, games=named, count=len(games) - MOST_NAMED)
    label = text(asker.locale, "button.next-game", id=games[0].id, variant=variant_name(asker.locale, games[0].variant))
    return Waiting(said, row(COMPOSER.button("open", ComposerState(games[0].id, 0), label, ButtonStyle.primary)))


def done_text(interaction: Interaction, match: Match, number: int, waiting: Waiting) -> str:
    """That the move of that number is played, where its board is if not here, and what else waits for the player."""
    locale = reader(interaction)
    there = text(locale, "move.see", where=f"<#{match.where}>") if match.where != interaction.channel_id else ""
    played = format_move(match.started_game.moves[number - 1], match.variant.board)
    return _with(waiting, text(locale, "move.done", move=played, id=match.id, where=there).strip())


def _with(waiting: Waiting, said: str) -> str:
    return f"{said}\n{waiting.said}" if waiting.said else said


Answer = Callable[[Match, int, int, int | None], tuple[Event, ...]]
"""A decision by which somebody answers: match, user, time, and the event that is answered."""


async def acted(
    interaction: Interaction, match: Match, key: str, view: discord.ui.View | None = None, **values: object
) -> None:
    """Announce what has happened in the match, then answer with that sentence, and with what keeps it from the others.

    The sentence is filled with the number of the game, and those values.
    """
    locale = reader(interaction)
    said = text(locale, key, id=match.id, **values)
    if trouble := await app(interaction).announcer.announce(match.id):
        said = f"{said}\n{unposted(locale, trouble, match)}"
    await answer(interaction, said, view=view)


async def respond(interaction: Interaction, action: Action, decide: Answer, key: str) -> None:
    """Answer the event whose number the pressed button carries; `key` is the sentence for whoever pressed it."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    decided = await Asker(interaction).act(action.match, lambda match, user, at: decide(match, user, at, action.number))
    await acted(interaction, decided, key)


async def decline(
    interaction: Interaction, action: Action, request_of: RequestOf, refuse: Answer, declined: str, withdrawn: str
) -> None:
    """Refuse a request; who has made it takes it back by the same button, and is told that. Two sentences' keys."""
    asker = Asker(interaction)
    asked = request_of(await asker.service.match(action.match, asker.guild))
    own = asked is not None and asked.user == asker.user
    await respond(interaction, action, refuse, withdrawn if own else declined)
