"""Which part of a game is replayed, and what is said of it."""

from __future__ import annotations

from collections.abc import Iterable

from bot.events import Event, Kind
from bot.i18n import Language, text
from bot.match import Match, states
from bot.problems import MatchError, Problem
from render import Theme
from render.replay import Ply, Replay
from rules import Position, Seat, format_move

MOST_PLIES = 200
"""How many moves one replay shows: under a megabyte, and some four minutes of watching."""

LONGEST_WORDS = 1024


def replay_of(
    match: Match, events: Iterable[Event], first: int | None, last: int | None, bottom: Seat, theme: Theme
) -> Replay:
    """The moves from number `first` to number `last`, both included and counted from 1, as that seat sees them.

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
        if event.kind is Kind.MOVED:
            assert before is not None
            assert before.game is not None
            assert match.game is not None
            found.append((before.game.position, Ply(match.game.moves[-1], match.game.position)))
        before = match
    return found
