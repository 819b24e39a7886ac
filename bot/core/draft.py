"""A move put together from menus, leg by leg. Pure: `Turn` judges, this only asks it and leaves out detours.

    draft = Draft.of(position)             no piece chosen yet
    draft.starts                           the pieces that may move
    draft = draft.choose(cell)             one of them, then one landing after the other …
    draft = draft.follow(move)             … or a whole move at once, from `draft.find_ends()`
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
from rules.landings import iter_landings, take_first_moves

BASE_36_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


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
    def from_path(cls, position: Position, path: Iterable[Cell] = ()) -> Draft:
        """The draft after those landings, start first. Raises UnfitPathError unless each leg is legal there."""
        draft = cls(Side(position))
        for cell in path:
            draft = draft.choose_cell(cell)
        return draft

    @property
    def path(self) -> tuple[Cell, ...]:
        """Every landing so far, start first; empty until a piece has been chosen."""
        return self.turn.path if self.turn else ()

    @property
    def is_complete(self) -> bool:
        """Whether the move may be played as it is."""
        return self.turn is not None and len(self.path) > 1 and self.turn.may_stop

    @property
    def start_cells(self) -> list[Cell]:
        """The pieces that may move, in board order."""
        return [cell for cell in self.side.iter_starts() if Turn.begin(self.side, cell).next_legs]

    @property
    def next_legs(self) -> list[Leg]:
        """The legs worth offering next: all of them but canters in a circle, and those that lead to nothing else."""
        if self.turn is None:
            return []
        return [leg for leg in self.turn.next_legs if leg.kind is not LegKind.CANTER or _leads_on(self.turn, leg)]

    def choose_cell(self, cell: Cell) -> Draft:
        """The draft with that piece, or with the leg to that cell. Raises UnfitPathError where neither is legal.

        A leg that is legal and not offered, such as a typed canter in a circle, is taken as well.
        """
        if self.turn is None:
            if cell in self.side.iter_starts():
                turn = Turn.begin(self.side, cell)
                if turn.next_legs:
                    return Draft(self.side, turn)
        else:
            for leg in self.turn.next_legs:
                if leg.to == cell:
                    return Draft(self.side, self.turn.take(leg))
        raise UnfitPathError((*self.path, cell))

    def follow_move(self, move: Move) -> Draft:
        """The draft of that whole move. Raises UnfitPathError unless it is legal leg by leg."""
        return Draft.from_path(self.side.position, move.path)

    def without_last_cell(self) -> Draft:
        """The draft without its last landing; without its piece, if nothing has moved yet."""
        return Draft.from_path(self.side.position, self.path[:-1])

    def find_ends(self) -> Ends:
        """Where the move may end further on; nothing until a piece has been chosen. Bounded whatever the position.

        Only by way of the legs that are offered: what is left are detours by way of a cell of the path.
        """
        if self.turn is None:
            return Ends({}, whole=True)
        offered, on = {leg.to for leg in self.next_legs}, len(self.path)
        moves, whole = take_first_moves(iter_landings(self.turn))
        by_cell: dict[Cell, list[Move]] = {}
        for move in moves:
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
    seen_cells, reached = {*turn.path, canter.to}, [landed]
    for at in reached:  # grows while it is walked
        for leg in at.leaps:
            if leg.kind is LegKind.JUMP:
                return True
            if leg.to not in seen_cells:
                seen_cells.add(leg.to)
                reached.append(at.take(leg))
    return False


class MoveWarning(Enum):
    """Why somebody might want to look twice before playing a move. The values are catalogue keys."""

    WINS = "wins"
    ENDS = "ends"
    CASTLE_OPEN = "castle-open"


class MovePreview(NamedTuple):
    """What a move would lead to."""

    warning: MoveWarning | None
    reply: Move | None = None
    """The move by which the next player could enter a castle at once."""


class MoveChoices(NamedTuple):
    """Everything that menus offer at one place of a move in the making. Make it off the event loop: it takes time."""

    draft: Draft
    starts: list[Cell]
    """The pieces that may move, if none has been chosen yet."""
    legs: list[tuple[Leg, Draft]]
    """What may come next, each with the draft after it."""
    ends: Ends
    preview: MovePreview
    """What playing the move as it is would lead to; nothing remarkable while it is not complete."""


def list_move_choices(game: Game, path: Iterable[Cell], *, castles: bool = True) -> MoveChoices:
    """What may be chosen after those landings. Raises UnfitPathError where they are no way to begin a move."""
    draft = Draft.from_path(game.position, path)
    if draft.turn is None:
        return MoveChoices(draft, draft.start_cells, [], draft.find_ends(), MovePreview(None))
    preview = preview_move(game, draft.turn.move, castles=castles) if draft.is_complete else MovePreview(None)
    return MoveChoices(
        draft, [], [(leg, draft.choose_cell(leg.to)) for leg in draft.next_legs], draft.find_ends(), preview
    )


def preview_move(game: Game, move: Move, *, castles: bool = True) -> MovePreview:
    """What to think of before that legal move is played. `castles`: whether to look at the next player's answers."""
    after, mover = game.apply(move), game.position.turn
    if after.outcome:
        return MovePreview(MoveWarning.WINS if mover in after.outcome.winners else MoveWarning.ENDS)
    reply = find_entry(after.position) if castles else None
    return MovePreview(MoveWarning.CASTLE_OPEN, reply) if reply else MovePreview(None)


def format_path(path: Sequence[Cell]) -> str:
    """The path as two base-36 digits a cell, for where room is short."""
    return "".join(BASE_36_DIGITS[cell // 36] + BASE_36_DIGITS[cell % 36] for cell in path)


def parse_cell(text: str) -> Cell:
    """The only cell of a path of one. Raises UnfitPathError where the text is no such path."""
    if len(text) != 2 or not set(text) <= set(BASE_36_DIGITS):
        raise UnfitPathError(text)
    return parse_path(text)[0]


def parse_path(text: str) -> tuple[Cell, ...]:
    """The path that `format_path` wrote. Cells may be none of the board's; `Draft.from_path` notices."""
    return tuple(int(text[at : at + 2], 36) for at in range(0, len(text), 2))
