"""A move put together from menus, leg by leg. Pure: `Turn` judges, the draft only asks it and leaves out detours.

    draft = Draft.from_path(position)      no piece chosen yet
    draft.start_cells                      the pieces that may move
    draft = draft.choose_cell(cell)        one of them, then one landing after the other …
    draft = draft.follow_move(move)        … or a whole move at once, from `draft.find_ends()`
    draft.is_complete                      whether it may be played as it is

Every sequence of these choices ends in a legal move, and some sequence reaches every outcome.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from rules import Game, Move, Position, Side, Turn, find_move_into_castle, steward_move
from rules.board import Cell, Leg, LegKind
from rules.landings import iter_landings, take_first_moves

BASE_36_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class UnfitPathError(ValueError):
    """The menus of this position could not have led to this path."""


class Ends(NamedTuple):
    """The possible ends of a begun move: for each cell the moves that end there, which differ in their captures."""

    by_cell: dict[Cell, list[Move]]
    whole: bool
    """False if there were too many moves to look at all of them."""

    def only_way(self, cell: Cell) -> Move | None:
        """The move that ends there; None if several do, or none."""
        ways = self.by_cell.get(cell, [])
        return ways[0] if self.whole and len(ways) == 1 else None


@dataclass(frozen=True)
class Draft:
    """A move in the making. Immutable; each choice returns the next draft."""

    side: Side
    turn: Turn | None = None
    """None until a piece has been chosen."""

    @classmethod
    def from_path(cls, position: Position, path: Iterable[Cell] = ()) -> Draft:
        """The draft after those landings, start first. Raises UnfitPathError if a leg is not legal."""
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
        if self._steward_move is not None and self.path != self._steward_move.path:
            return False
        return self.turn is not None and len(self.path) > 1 and self.turn.may_stop

    @cached_property
    def _steward_move(self) -> Move | None:
        """The only move of a steward, who cannot choose; None if a player is to move, or the steward passes."""
        return steward_move(self.side.position) if self.side.position.steward_to_move else None

    def _is_open_to_steward(self, path: Sequence[Cell]) -> bool:
        """Whether a steward to move may go that way; True for a player."""
        if not self.side.position.steward_to_move:
            return True
        return self._steward_move is not None and tuple(path) == self._steward_move.path[: len(path)]

    @property
    def start_cells(self) -> list[Cell]:
        """The pieces that may move, in board order."""
        starts = (cell for cell in self.side.iter_starts() if self._is_open_to_steward((cell,)))
        return [cell for cell in starts if Turn.begin(self.side, cell).next_legs]

    @property
    def next_legs(self) -> list[Leg]:
        """The legs worth offering next: all except canters in a circle and canters that lead to nothing new."""
        if self.turn is None:
            return []
        legs = [leg for leg in self.turn.next_legs if self._is_open_to_steward((*self.path, leg.to))]
        return [leg for leg in legs if leg.kind is not LegKind.CANTER or _leads_on(self.turn, leg)]

    def choose_cell(self, cell: Cell) -> Draft:
        """The draft with that piece, or with the leg to that cell. Raises UnfitPathError if neither is legal.

        Accepts legal legs that are not offered, such as a typed canter in a circle.
        """
        if not self._is_open_to_steward((*self.path, cell)):
            raise UnfitPathError((*self.path, cell))
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
        """The draft of that whole move. Raises UnfitPathError if a leg is not legal."""
        return Draft.from_path(self.side.position, move.path)

    def find_ends(self) -> Ends:
        """The possible ends of the move; empty until a piece has been chosen. The search is bounded in every position.

        Uses only the legs that are offered: the others are detours through a cell of the path.
        """
        if self.turn is None:
            return Ends({}, whole=True)
        if self.side.position.steward_to_move:
            move = self._steward_move
            return Ends({move.end: [move]} if move else {}, whole=True)
        offered, on = {leg.to for leg in self.next_legs}, len(self.path)
        moves, whole = take_first_moves(iter_landings(self.turn))
        by_cell: dict[Cell, list[Move]] = {}
        for move in moves:
            if len(move.path) > on and move.path[on] in offered:
                by_cell.setdefault(move.end, []).append(move)
        return Ends(by_cell, whole)


def _leads_on(turn: Turn, canter: Leg) -> bool:
    """Whether that canter leads anywhere without landing on a cell of the path again.

    If a capture is owed, it must still be within reach: a walk that never turns round may cut itself off from it.
    """
    if canter.to in turn.path:
        return False
    landed = turn.take(canter)
    if not landed.owes:
        return True
    seen_cells, reached = {*turn.path, canter.to}, [landed]
    for at in reached:  # grows during the loop
        if at.jumps:
            return True
        for leg in at.canters:
            if leg.to not in seen_cells:
                seen_cells.add(leg.to)
                reached.append(at.take(leg))
    return False


class MoveWarning(Enum):
    """Why a player may want to look twice before playing a move. The values are catalogue keys."""

    WINS = "wins"
    ENDS = "ends"
    CASTLE_OPEN = "castle-open"


class MovePreview(NamedTuple):
    """The consequences of a move."""

    warning: MoveWarning | None
    reply: Move | None = None
    """The move that lets the next player enter a castle at once."""

    @property
    def is_risky(self) -> bool:
        """Whether the player may regret the move: nobody regrets to have won."""
        return self.warning not in (None, MoveWarning.WINS)


class MoveChoices(NamedTuple):
    """All choices of the menus at one stage of a move. Compute it off the event loop: it takes time."""

    draft: Draft
    starts: list[Cell]
    """The pieces that may move, if none has been chosen yet."""
    legs: list[tuple[Leg, Draft]]
    """The possible next legs, each with the draft after it."""
    ends: Ends
    preview: MovePreview
    """The consequences of playing the move as it is; no warning while it is not complete."""


def list_move_choices(game: Game, path: Iterable[Cell], *, castles: bool = True) -> MoveChoices:
    """The choices after those landings. Raises UnfitPathError if no move begins with them."""
    draft = Draft.from_path(game.position, path)
    starts = [] if draft.turn else draft.start_cells
    legs = [(leg, draft.choose_cell(leg.to)) for leg in draft.next_legs]
    whole = draft.turn.move if draft.turn and draft.is_complete else None
    preview = preview_move(game, whole, castles=castles) if whole else MovePreview(None)
    return MoveChoices(draft, starts, legs, draft.find_ends(), preview)


def preview_move(game: Game, move: Move, *, castles: bool = True) -> MovePreview:
    """The warning to show before that legal move is played. `castles`: whether to look at the next player's replies."""
    after, mover = game.apply(move), game.position.turn
    if after.outcome:
        return MovePreview(MoveWarning.WINS if mover in after.outcome.winners else MoveWarning.ENDS)
    reply = find_move_into_castle(after.position) if castles else None
    return MovePreview(MoveWarning.CASTLE_OPEN, reply) if reply else MovePreview(None)


def format_path(path: Sequence[Cell]) -> str:
    """The path as two base-36 digits a cell, for places with little room."""
    return "".join(BASE_36_DIGITS[cell // 36] + BASE_36_DIGITS[cell % 36] for cell in path)


def parse_cell(text: str) -> Cell:
    """Reads a path of one cell. Raises UnfitPathError for any other text."""
    if len(text) != 2 or not set(text) <= set(BASE_36_DIGITS):
        raise UnfitPathError(text)
    return parse_path(text)[0]


def parse_path(text: str) -> tuple[Cell, ...]:
    """Reads what `format_path` wrote. Does not check that the cells are on the board; `Draft.from_path` does."""
    return tuple(int(text[at : at + 2], 36) for at in range(0, len(text), 2))
