"""A move put together from menus, leg by leg. Pure: `Turn` judges, this only asks it and leaves out detours.

    draft = Draft.of(position)             no piece chosen yet
    draft.starts                           the pieces that may move
    draft = draft.choose(cell)             one of them, then one landing after the other …
    draft = draft.follow(move)             … or a whole move at once, from `draft.ends()`
    draft.complete                         whether it may be played as it is

Every walk through these choices ends in a legal move, and every outcome can be reached by them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from rules import Game, Move, Position, Side, Turn, find_entry
from rules.board import Cell, Leg, LegKind
from rules.landings import landings, take_some

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class UnfitPathError(ValueError):
    """The path is not one that the menus of this position could have led to."""


class Ends(NamedTuple):
    """Where a move may end that has begun so: for each cell the ways to end there, which differ in their captures."""

    by_cell: dict[Cell, list[Move]]
    whole: bool
    """False if there were too many to look at all of them."""

    def only_way(self, cell: Cell) -> Move | None:
        """The move that ends there, if no other one does."""
        ways = self.by_cell.get(cell, [])
        return ways[0] if self.whole and len(ways) == 1 else None


@dataclass(frozen=True)
class Draft:
    """A move in the making. Immutable; the choices return the next one."""

    side: Side
    turn: Turn | None = None
    """None until a piece has been chosen."""

    @classmethod
    def of(cls, position: Position, path: Iterable[Cell] = ()) -> Draft:
        """The draft after those landings, start first. Raises UnfitPathError unless each leg is legal there."""
        draft = cls(Side(position))
        for cell in path:
            draft = draft.choose(cell)
        return draft

    @property
    def path(self) -> tuple[Cell, ...]:
        """Every landing so far, start first; empty until a piece has been chosen."""
        return self.turn.path if self.turn else ()

    @property
    def complete(self) -> bool:
        """Whether the move may be played as it is."""
        return self.turn is not None and len(self.path) > 1 and self.turn.complete

    @property
    def starts(self) -> list[Cell]:
        """The pieces that may move, in board order."""
        return [cell for cell in self.side.starts() if Turn.begin(self.side, cell).legs]

    @property
    def legs(self) -> list[Leg]:
        """The legs worth offering next: all of them but canters in a circle, and those that lead to nothing else."""
        if self.turn is None:
            return []
        return [leg for leg in self.turn.legs if leg.kind is not LegKind.CANTER or _leads_on(self.turn, leg)]

    def choose(self, cell: Cell) -> Draft:
        """The draft with that piece, or with the leg to that cell. Raises UnfitPathError where neither is legal.

        A leg that is legal and not offered, such as a typed canter in a circle, is taken as well.
        """
        if self.turn is None:
            if cell in self.side.starts():
                turn = Turn.begin(self.side, cell)
                if turn.legs:
                    return Draft(self.side, turn)
        else:
            for leg in self.turn.legs:
                if leg.to == cell:
                    return Draft(self.side, self.turn.take(leg))
        raise UnfitPathError((*self.path, cell))

    def follow(self, move: Move) -> Draft:
        """The draft of that whole move. Raises UnfitPathError unless it is legal leg by leg."""
        return Draft.of(self.side.position, move.path)

    def back(self) -> Draft:
        """The draft without its last landing; without its piece, if nothing has moved yet."""
        return Draft.of(self.side.position, self.path[:-1])

    def ends(self) -> Ends:
        """Where the move may end further on; nothing until a piece has been chosen. Bounded whatever the position.

        Only by way of the legs that are offered: what is left are detours by way of a cell of the path.
        """
        if self.turn is None:
            return Ends({}, whole=True)
        offered, on = {leg.to for leg in self.legs}, len(self.path)
        found, whole = take_some(landings(self.turn))
        by_cell: dict[Cell, list[Move]] = {}
        for move in found:
            if len(move.path) > on and move.path[on] in offered:
                by_cell.setdefault(move.end, []).append(move)
        return Ends(by_cell, whole)


def _leads_on(turn: Turn, canter: Leg) -> bool:
    """Whether that canter gets anywhere without landing on a cell of the path again.

    A capture owed must still be within reach by then: a walk that never turns round may cut itself off from it.
    """
    if canter.to in turn.path:
        return False
    landed = turn.take(canter)
    if not landed.owes:
        return True
    seen, found = {*turn.path, canter.to}, [landed]
    for at in found:  # grows while it is walked
        for leg in at.leaps:
            if leg.kind is LegKind.JUMP:
                return True
            if leg.to not in seen:
                seen.add(leg.to)
                found.append(at.take(leg))
    return False


class Peril(Enum):
    """Why somebody might want to look twice before playing a move. The values are catalogue keys."""

    WINS = "wins"
    ENDS = "ends"
    CASTLE_OPEN = "castle-open"


class Prospect(NamedTuple):
    """What a move would lead to."""

    peril: Peril | None
    reply: Move | None = None
    """The move by which the next player could enter a castle at once."""


class Survey(NamedTuple):
    """Everything that menus offer at one place of a move in the making. Make it off the event loop: it takes time."""

    draft: Draft
    starts: list[Cell]
    """The pieces that may move, if none has been chosen yet."""
    legs: list[tuple[Leg, Draft]]
    """What may come next, each with the draft after it."""
    ends: Ends
    prospect: Prospect
    """What playing the move as it is would lead to; nothing remarkable while it is not complete."""


def survey(game: Game, path: Iterable[Cell], *, castles: bool = True) -> Survey:
    """What may be chosen after those landings. Raises UnfitPathError where they are no way to begin a move."""
    draft = Draft.of(game.position, path)
    if draft.turn is None:
        return Survey(draft, draft.starts, [], draft.ends(), Prospect(None))
    found = prospect(game, draft.turn.move, castles=castles) if draft.complete else Prospect(None)
    return Survey(draft, [], [(leg, draft.choose(leg.to)) for leg in draft.legs], draft.ends(), found)


def prospect(game: Game, move: Move, *, castles: bool = True) -> Prospect:
    """What to think of before that legal move is played. `castles`: whether to look at the next player's answers."""
    after, mover = game.apply(move), game.position.turn
    if after.outcome:
        return Prospect(Peril.WINS if mover in after.outcome.winners else Peril.ENDS)
    reply = find_entry(after.position) if castles else None
    return Prospect(Peril.CASTLE_OPEN, reply) if reply else Prospect(None)


def format_path(path: Sequence[Cell]) -> str:
    """The path as two base-36 digits a cell, for where room is short."""
    return "".join(DIGITS[cell // 36] + DIGITS[cell % 36] for cell in path)


def parse_cell(text: str) -> Cell:
    """The only cell of a path of one. Raises UnfitPathError where the text is no such path."""
    if len(text) != 2 or not set(text) <= set(DIGITS):
        raise UnfitPathError(text)
    return parse_path(text)[0]


def parse_path(text: str) -> tuple[Cell, ...]:
    """The path that `format_path` wrote. Cells may be none of the board's; `Draft.of` notices."""
    return tuple(int(text[at : at + 2], 36) for at in range(0, len(text), 2))
