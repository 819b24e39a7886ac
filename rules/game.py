"""A game: a position with the history that its endings need, and the moves that led to it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from rules.endings import Cause, Outcome
from rules.errors import GameOver
from rules.moves import has_legal_move
from rules.notation import format_move, parse_move
from rules.position import Move, Position, Seat, Variant

CLAIM_REPETITION, END_REPETITION = 3, 5
"""Occurrences of a position from which the player to move may claim a draw, and which end the game."""
CLAIM_QUIET, END_QUIET = 50, 75
"""Moves by each player without a capture or a new entry into a castle after which a draw may be claimed, and after
which the game ends by itself."""


class Game(NamedTuple):
    """A game in progress or over. Immutable: `play` and `resign` return the next one."""

    origin: Position
    """Where the game began."""
    position: Position
    moves: tuple[Move, ...] = ()
    outcome: Outcome | None = None
    quiet: tuple[int, ...] = ()
    """Per seat, its moves (and passed turns) since the last capture or entry into a castle."""
    occurred: Mapping[Hashable, int] = MappingProxyType({})
    """How often each position has occurred since then, by its key; earlier ones cannot come back."""
    left: tuple[tuple[int, Seat], ...] = ()
    """Who left, in order: (how many moves had been played by then, seat). Where a steward sits, the position says."""

    @classmethod
    def start(cls, variant: Variant) -> Game:
        """A new game of that variant."""
        return cls.from_position(variant.start)

    @classmethod
    def from_position(cls, position: Position) -> Game:
        """A game that begins there; over at once if the pieces decide it or nobody can move."""
        settled, outcome, passed = settle(position)
        return cls(position, settled, (), outcome, _quiet_again(position.variant, passed), {settled.key(): 1})

    @property
    def variant(self) -> Variant:
        return self.position.variant

    def play(self, move: Move | str) -> Game:
        """The game after that move, given as text or as a Move; it is judged first.

        Raises GameOver, or what `parse_move` raises.
        """
        if self.outcome:
            raise GameOver
        if not isinstance(move, str):
            move = format_move(move, self.variant.board)
        return self.apply(parse_move(self.position, move))

    def apply(self, move: Move) -> Game:
        """The game after a move that has been judged already. Does not check legality; tests the endings."""
        position, outcome, passed = settle(self.position.after(move))
        quiet, occurred = self._history(move, position, passed)
        outcome = outcome or _worn_out(position, quiet, occurred)
        return Game(self.origin, position, (*self.moves, move), outcome, quiet, occurred, self.left)

    def follow(self, move: Move, passes: int = 0) -> Game:
        """The game after a recorded move, after which that many turns passed. Judges nothing, tests no ending.

        With `end` it replays a game exactly as it was decided at the time, whatever the rules say today.
        """
        position, passed = _pass(self.position.after(move), passes)
        quiet, occurred = self._history(move, position, passed)
        return Game(self.origin, position, (*self.moves, move), None, quiet, occurred, self.left)

    def end(self, outcome: Outcome) -> Game:
        """The game ended in that way: by agreement, by a claim, or as recorded."""
        return self._replace(outcome=outcome)

    def resign(self, seat: Seat, *, steward: bool = False) -> Game:
        """The game after that seat's player has left: the pieces stay and their turn is skipped, or the game ends.

        With `steward`, one moves the pieces from now on: see `steward_move`. Raises GameOver. Changes nothing for a
        seat that has left already or has no pieces.
        """
        if self.outcome:
            raise GameOver
        if not self.position.plays(seat):
            return self
        position = self.position.without(seat)
        still_in = tuple(other for other in position.variant.seats if position.plays(other))
        if len(still_in) <= 1:
            return self._without(seat, position, ())._replace(outcome=Outcome(Cause.RESIGNATION, still_in))
        position, outcome, passed = settle(self.position.without(seat, steward=steward))
        return self._without(seat, position, passed)._replace(outcome=outcome)

    def follow_resignation(self, seat: Seat, passes: int = 0, *, steward: bool = False) -> Game:
        """As `follow`, for a player who left."""
        if not self.position.plays(seat):
            return self
        return self._without(seat, *_pass(self.position.without(seat, steward=steward), passes))

    def _without(self, seat: Seat, position: Position, passed: tuple[Seat, ...]) -> Game:
        quiet = tuple([n + (other in passed) for other, n in enumerate(self.quiet)])
        left = (*self.left, (len(self.moves), seat))
        return self._replace(position=position, quiet=quiet, occurred={position.key(): 1}, left=left)

    def _history(
        self, move: Move, position: Position, passed: tuple[Seat, ...]
    ) -> tuple[tuple[int, ...], Mapping[Hashable, int]]:
        """`quiet` and `occurred` after a move that led to that position."""
        before = self.position
        goal = before.variant.armies[before.turn].goal
        if move.captures or (move.path[-1] in goal and move.path[0] not in goal):
            return _quiet_again(before.variant, passed), {position.key(): 1}
        quiet = tuple([n + (seat == before.turn or seat in passed) for seat, n in enumerate(self.quiet)])
        key = position.key()
        return quiet, {**self.occurred, key: self.occurred.get(key, 0) + 1}

    @property
    def repetitions(self) -> int:
        """How often the present position has occurred, this time included."""
        return self.occurred[self.position.key()]

    @property
    def quiet_moves(self) -> int:
        """Moves that every player still playing has made since the last capture or entry into a castle."""
        return _quiet_moves(self.position, self.quiet)

    @property
    def claimable(self) -> Cause | None:
        """On what ground the player to move may claim a draw."""
        if self.outcome:
            return None
        if self.repetitions >= CLAIM_REPETITION:
            return Cause.REPETITION
        return Cause.QUIET if self.quiet_moves >= CLAIM_QUIET else None


def settle(position: Position) -> tuple[Position, Outcome | None, tuple[Seat, ...]]:
    """What a position amounts to before the next move: with the turn at somebody who can move, or over.

    Returns the position, the outcome if there is one, and the seats whose turn passed because they could not move, or
    because their steward passes.
    """
    variant = position.variant
    outcome = variant.ending(position)
    passed: tuple[Seat, ...] = ()
    while outcome is None and not has_legal_move(position):
        if position.turn in passed:
            return position, Outcome(Cause.NOBODY_MOVES, ()), passed
        outcome = variant.stuck(position)
        if outcome is None:
            passed = (*passed, position.turn)
            position = position.passed()
    return position, outcome, passed


def _pass(position: Position, passes: int) -> tuple[Position, tuple[Seat, ...]]:
    """The position after that many turns have passed, and whose they were."""
    passed: tuple[Seat, ...] = ()
    for _ in range(passes):
        passed = (*passed, position.turn)
        position = position.passed()
    return position, passed


def _quiet_again(variant: Variant, passed: tuple[Seat, ...]) -> tuple[int, ...]:
    """The count of quiet moves begun anew: only the turns that passed at once count."""
    return tuple([int(seat in passed) for seat in variant.seats])


def _quiet_moves(position: Position, quiet: tuple[int, ...]) -> int:
    return min((n for seat, n in enumerate(quiet) if position.plays(seat)), default=0)


def _worn_out(position: Position, quiet: tuple[int, ...], occurred: Mapping[Hashable, int]) -> Outcome | None:
    """The draw that comes by itself, by repetition or after many quiet moves (house rulings)."""
    if occurred[position.key()] >= END_REPETITION:
        return Outcome(Cause.REPETITION, ())
    if max(quiet) >= END_QUIET and _quiet_moves(position, quiet) >= END_QUIET:
        return Outcome(Cause.QUIET, ())
    return None
