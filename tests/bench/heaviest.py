"""The positions at which questions have been found to be most expensive, and how much work a question is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

import rules.turn
from bot.core.draft import Draft, list_move_choices
from bot.play.why import example_notation
from bot.texts.sentences import duty_sentence
from rules import (
    Game,
    Position,
    RulesError,
    find_move_into_castle,
    has_legal_move,
    iter_moves,
    parse_move,
    parse_position,
    some_moves,
    steward_move,
    suggest_move_texts,
)
from rules.game import resolve_passes

KEPT = Path(__file__).parent / "heaviest.txt"

Act = Callable[[], object]


def kept() -> list[Position]:
    """Returns the positions, with armies that their variants allow. Climbing from random ones has found them."""
    return [parse_position(line) for line in KEPT.read_text("utf-8").splitlines()]


def _typed(position: Position, text: str) -> None:
    with suppress(RulesError):
        parse_move(position, text)


def _pieces(position: Position) -> list[str]:
    """Returns the names of the cells from which the side to move may move."""
    return [*position.names(cell for cell in Draft.from_path(position).start_cells)]


def _castle(position: Position) -> str:
    return position.names(position.variant.armies[position.turn].goal)[0]


def _game(position: Position) -> Game:
    return Game(
        position, position, quiet_counts=(0,) * len(position.variant.seats), occurrences={position.repetition_key(): 1}
    )


def _stewarded(position: Position) -> Position:
    """Returns the position with a steward to move, if the variant can have one."""
    seats = frozenset({position.turn} if len(position.variant.seats) > 2 else ())
    return replace(position, out=seats, stewards=seats)


def _applied(position: Position) -> Iterator[Act]:
    return (partial(_game(position).apply, move) for move in some_moves(position).moves[:20])


def _one(ask: Callable[[Position], object]) -> Callable[[Position], Iterable[Act]]:
    return lambda position: [partial(ask, position)]


QUESTIONS: Mapping[str, Callable[[Position], Iterable[Act]]] = {
    "is there a legal move": _one(has_legal_move),
    "what a steward does": _one(lambda position: steward_move(_stewarded(position))),
    "who is to move after a steward": _one(lambda position: resolve_passes(_stewarded(position))),
    "can the castle be entered": _one(find_move_into_castle),
    "what the rules demand": _one(lambda position: duty_sentence("en", position)),
    "which pieces may move": _one(lambda position: Draft.from_path(position).start_cells),
    "a start that is typed": lambda position: (partial(_typed, position, one) for one in _pieces(position)),
    "a start and an end that are typed": lambda position: (
        partial(_typed, position, f"{one} {_castle(position)}") for one in _pieces(position)
    ),
    "suggestions": _one(lambda position: suggest_move_texts(position, "")),
    "suggestions for a piece": lambda position: (
        partial(suggest_move_texts, position, one) for one in _pieces(position)
    ),
    "suggestions for an end": lambda position: (
        partial(suggest_move_texts, position, f"{one}-{_castle(position)}") for one in _pieces(position)
    ),
    "an example of a move": _one(example_notation),
    "whether only one move is legal": _one(lambda position: list(islice(iter_moves(position), 2))),
    "a move that is made": _applied,
    "a menu of pieces": _one(lambda position: list_move_choices(_game(position), ())),
}
"""The questions that the event loop answers about a position, each as separate acts."""


@contextmanager
def counted() -> Iterator[list[int]]:
    """Counts the lookups of the leaps from a cell, which are nearly all of the work, while the block runs."""
    count, looked = [0], rules.turn._list_leaps

    def leaps(*asked: object) -> object:
        count[0] += 1
        return looked(*asked)  # type: ignore[arg-type]  # handed on as they are

    rules.turn._list_leaps = leaps  # type: ignore[assignment]
    try:
        yield count
    finally:
        rules.turn._list_leaps = looked


def work(question: str, position: Position, count: list[int]) -> int:
    """Returns the work of the question's heaviest act at that position."""
    most = 0
    for act in QUESTIONS[question](position):
        count[0] = 0
        act()
        most = max(most, count[0])
    return most
