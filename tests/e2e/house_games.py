"""Games against the house: their numbers, stored matches and legal moves."""

from __future__ import annotations

import random
import re

from bot.core.events import Event, EventKind
from bot.core.match import Match
from rules import format_move, legal_moves
from sandbox.people import Reply
from tests.e2e.house import House


def stored(house: House, number: int) -> Match:
    """Returns the match as replayed from the database."""
    rows = house.bot.query("SELECT seq, at, kind, user, body FROM events WHERE match = ? ORDER BY seq", number)
    return Match.replay(number, [Event(seq, at, EventKind(kind), user, body) for seq, at, kind, user, body in rows])


def some_move(match: Match, seed: int = 0) -> str:
    """Returns a legal move of the match, the same one for the same seed."""
    moves = legal_moves(match.started_game.position)
    return format_move(random.Random(seed).choice(moves), match.variant.board)


def number_in(said: Reply) -> int:
    """Returns the number of the game that an answer names."""
    found = re.search(r"#(\d+)", said.text)
    assert found, said.text
    return int(found[1])
