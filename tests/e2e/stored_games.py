"""The games that the database of a house has, replayed from their events."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any

from bot.core.events import Event, EventKind
from bot.core.fold import replay_match, replay_states
from bot.core.match import Match
from rules import format_move, legal_moves
from sandbox.discord_types import Message
from sandbox.people import Person
from tests.e2e.house import House


def stories(house: House) -> dict[int, tuple[Event, ...]]:
    """Returns the events of every game, by its number."""
    rows = house.bot.query("SELECT match, seq, at, kind, user, body FROM events ORDER BY match, seq")
    return {number: tuple(_event(row[1:]) for row in of_one) for number, of_one in groupby(rows, itemgetter(0))}


def messages_shown(house: House) -> Iterator[Message]:
    """Yields the messages of all channels and threads, private answers among them."""
    world = house.server.world
    for channel in tuple(world.channels.values()):
        yield from world.messages(channel.id)


def letters(house: House, person: Person) -> list[str]:
    """Returns the bot's direct messages to that person."""
    world = house.server.world
    direct = [one.id for one in world.channels.values() if one.guild_id is None and int(person.id) in one.members]
    return [said.content for channel in direct for said in world.messages(channel)]


def match_of(house: House, number: int) -> Match | None:
    """Returns the match replayed from its events; None if it has none."""
    rows = house.bot.query("SELECT seq, at, kind, user, body FROM events WHERE match = ? ORDER BY seq", number)
    return replay_match(number, [_event(row) for row in rows]) if rows else None


def load_match(house: House, number: int) -> Match:
    """Returns the match replayed from its events."""
    match = match_of(house, number)
    assert match is not None, number
    return match


def kinds(house: House, number: int) -> list[EventKind]:
    """Returns the kinds of a game's events, in order."""
    return [EventKind(kind) for match, _, kind, *_ in house.bot.events() if match == number]


def some_move(match: Match, seed: int = 0) -> str:
    """Returns a legal move of the match, the same one for the same seed."""
    moves = legal_moves(match.started_game.position)
    return format_move(random.Random(seed).choice(moves), match.variant.board)


def _event(row: tuple[Any, ...]) -> Event:
    seq, at, kind, user, body = row
    return Event(seq, at, EventKind(kind), user, body)


# Hundreds of games are looked at again in each life, of which few have gone on.
@lru_cache(maxsize=2048)
def written(number: int, events: tuple[Event, ...]) -> tuple[str, ...]:
    """Returns the moves of the game after those events, in notation; none if it has not begun."""
    match = replay_match(number, events) if events else None
    if match is None or match.game is None:
        return ()
    return tuple(format_move(move, match.variant.board) for move in match.game.moves)


@lru_cache(maxsize=2048)
def planned(number: int, events: tuple[Event, ...]) -> tuple[tuple[int, int | None], ...]:
    """Returns each planned move of the game as (number of moves before it, its planner)."""
    found, before = [], None
    for event, match in replay_states(number, events):
        if before is not None and event.kind is EventKind.MOVED and event.body.endswith(" planned"):
            found.append((before.ply, before.to_move))
        before = match
    return tuple(found)


def follows_line(line: Sequence[str], moves: Sequence[str]) -> bool:
    """Returns True if the moves follow the line and the last of them is one that the plan plays."""
    said = [move for move, _ in zip(line, moves, strict=False)]
    same = (one.partition("*")[1] or _ends(one) == _ends(other) for one, other in zip(said, moves, strict=False))
    return 1 < len(moves) <= len(line) and all(same) and said[-1] == moves[-1]


def _ends(move: str) -> tuple[str, str, int]:
    """Returns the first and last cell of a move and its number of captures."""
    cells = re.split("[-x]", move)
    return cells[0], cells[-1], move.count("x")
