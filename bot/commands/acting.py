"""What follows an act that has been stored: it is announced, and whoever did it is told so privately."""

from __future__ import annotations

from collections.abc import Callable

import discord

from bot.commands.app import app
from bot.commands.options import where
from bot.kit.components import Action
from bot.kit.permissions import unposted
from bot.kit.reply import Interaction, answer, now, reader
from bot.match.events import Event
from bot.match.match import Match
from bot.match.offers import RequestOf
from bot.store import StoreError
from bot.texts.i18n import text
from rules import format_move

MOST_NAMED = 5
"""Games that wait as well, of which the answer to a move tells; `/games` has all of them."""


async def announce_move(interaction: Interaction, match: Match, waiting: str) -> str:
    """Announce the match. What to tell its last mover: that the move is played, or what keeps it from sight.

    `waiting` is what `also_waiting` says, here and below.
    """
    locale = reader(interaction)
    number = _own_move(match)
    if trouble := await app(interaction).announcer.announce(match.id):
        why = unposted(locale, trouble, match)
        played = format_move(match.started_game.moves[number - 1], match.variant.board)
        return text(locale, "move.unposted", move=played, id=match.id, why=why)
    if match.thread is not None:  # which the announcement may have left
        match = await app(interaction).service.match(match.id, match.guild)
    return done_text(interaction, match, number, waiting)


def _own_move(match: Match) -> int:
    """The number of the last move that somebody has chosen; those after it were played automatically."""
    moves = [step for step in match.steps if step.move]
    while moves[-1].auto:
        moves.pop()
    return len(moves)


async def also_waiting(interaction: Interaction, match: Match) -> str:
    """Which other games in that server wait for whoever has moved, in a sentence; empty where none do."""
    user = interaction.user.id
    try:
        games = await app(interaction).service.games_of(match.guild, user)
    except StoreError:
        return ""  # the move is stored, and the next thing is to tell of it
    numbers = [f"#{game.id}" for game in games if game.to_move == user and game.id != match.id]
    if not numbers:
        return ""
    key = "move.waiting" if len(numbers) <= MOST_NAMED else "move.waiting-more"
    named = ", ".join(numbers[:MOST_NAMED])
    return text(reader(interaction), key, games=named, count=len(numbers) - MOST_NAMED)


def done_text(interaction: Interaction, match: Match, number: int, waiting: str) -> str:
    """That the move of that number is played, where its board is if not here, and what else waits for the player."""
    locale = reader(interaction)
    there = text(locale, "move.see", where=f"<#{match.where}>") if match.where != interaction.channel_id else ""
    played = format_move(match.started_game.moves[number - 1], match.variant.board)
    done = text(locale, "move.done", move=played, id=match.id, where=there).strip()
    return f"{done}\n{waiting}" if waiting else done


Answer = Callable[[Match, int, int, int | None], tuple[Event, ...]]
"""A decision by which somebody answers: match, user, time, and the event that is answered."""


async def acted(interaction: Interaction, match: Match, said: str, view: discord.ui.View | None = None) -> None:
    """Announce what has happened in the match, then answer with `said`, and with what keeps it from the others."""
    if trouble := await app(interaction).announcer.announce(match.id):
        said = f"{said}\n{unposted(reader(interaction), trouble, match)}"
    await answer(interaction, said, view=view)


async def respond(interaction: Interaction, action: Action, decide: Answer, key: str) -> None:
    """Answer the event whose number the pressed button carries; `key` is the sentence for whoever pressed it."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    guild, user = where(interaction)[0], interaction.user.id
    match = await app(interaction).service.act(
        action.match, guild, lambda match, _: decide(match, user, now(), action.number)
    )
    await acted(interaction, match, text(reader(interaction), key, id=match.id))


async def is_own(interaction: Interaction, action: Action, request_of: RequestOf) -> bool:
    """Whether the request that is refused is the person's own, who so takes it back."""
    asked = request_of(await app(interaction).service.match(action.match, where(interaction)[0]))
    return asked is not None and asked.user == interaction.user.id
