"""A game: a position, the moves that led to it, and the history that repetition and quiet moves need."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from rules.basics import Cause, Outcome
from rules.errors import GameOver
from rules.moves import has_legal_move
from rules.notation import format_move, parse_move
from rules.position import Move, Position, Seat, Variant

CLAIM_REPETITION, END_REPETITION = 3, 5
"""After so many occurrences of a position the player to move may claim a draw, or the game ends."""
CLAIM_QUIET, END_QUIET = 50, 75
"""After so many moves by each player without a capture or a move into a castle, the player to move may claim a draw,
or the game ends."""


class Game(NamedTuple):
    """A game in progress or over. Immutable: `play` and `resign` return the next one."""

    origin: Position
    """Where the game began."""
    position: Position
    moves: tuple[Move, ...] = ()
    outcome: Outcome | None = None
    quiet_counts: tuple[int, ...] = ()
    """For each seat, its moves and passed turns since the last capture or move into a castle."""
    occurrences: Mapping[Hashable, int] = MappingProxyType({})
    """How often each position has occurred since then, by `repetition_key`. Earlier positions cannot recur."""
    leavers: tuple[tuple[int, Seat], ...] = ()
    """Who left, in order: (number of moves played before, seat). `position.stewards` says where a steward sits."""
    passes: int = 0
    """How many turns passed right after the last move or leaving."""

    @classmethod
    def start(cls, variant: Variant) -> Game:
        """A new game of that variant.

        >>> from rules import VARIANTS
        >>> Game.start(VARIANTS["cam"]).outcome is None
        True
        """
        return cls.from_position(variant.start_position)

    @classmethod
    def from_position(cls, position: Position) -> Game:
        """A game that begins with that position. It is over at once if the pieces decide it or nobody can move."""
        settled, outcome, passed = resolve_passes(position)
        return cls(
            position,
            settled,
            (),
            outcome,
            _restart_quiet_counts(position.variant, passed),
            {settled.repetition_key(): 1},
        )

    @property
    def variant(self) -> Variant:
        return self.position.variant

    def play(self, move: Move | str) -> Game:
        """The game after that move, given as text or as a Move.

        Raises GameOver if the game has ended, and the errors of `parse_move` if the move is not legal.

        >>> from rules import parse_position
        >>> game = Game.from_position(parse_position("camette White White:C6,A3 Black:E3,E4"))
        >>> game.play("C6-C7").outcome
        Outcome(cause=<Cause.CASTLE: 'castle'>, winners=(0,))
        """
        if self.outcome:
            raise GameOver
        text = move if isinstance(move, str) else format_move(move, self.variant.board)
        return self.apply(parse_move(self.position, text))

    def apply(self, move: Move) -> Game:
        """The game after a move that is known to be legal. Tests the endings, but not legality."""
        position, outcome, passed = resolve_passes(self.position.after_move(move))
        quiet, occurred = self._counts_after(move, position, passed)
        outcome = outcome or _automatic_draw(position, quiet, occurred)
        return Game(self.origin, position, (*self.moves, move), outcome, quiet, occurred, self.leavers, len(passed))

    def apply_recorded(self, move: Move, passes: int = 0) -> Game:
        """The game after a recorded move and that many passed turns. Tests neither legality nor endings.

        Together with `end_with` it replays a game as it was decided then, even if the rules have changed since.
        """
        position, passed = _pass_turns(self.position.after_move(move), passes)
        quiet, occurred = self._counts_after(move, position, passed)
        return Game(self.origin, position, (*self.moves, move), None, quiet, occurred, self.leavers, passes)

    def end_with(self, outcome: Outcome) -> Game:
        """The game with that outcome, from an agreement, a claim or a record.

        >>> from rules import VARIANTS
        >>> Game.start(VARIANTS["cam"]).end_with(Outcome(Cause.AGREEMENT, ())).outcome.cause
        <Cause.AGREEMENT: 'agreement'>
        """
        return self._replace(outcome=outcome)

    def resign(self, seat: Seat, *, steward: bool = False) -> Game:
        """The game after that seat's player has left. The game ends if only one player is still in it.

        The pieces stay. Their turn is skipped, or with `steward` a steward plays it: see `steward_move`. Changes
        nothing if the seat has left before or has no pieces. Raises GameOver if the game has ended.

        >>> from rules import VARIANTS
        >>> Game.start(VARIANTS["cam"]).resign(0).outcome
        Outcome(cause=<Cause.RESIGNATION: 'resignation'>, winners=(1,))
        """
        if self.outcome:
            raise GameOver
        if not self.position.is_playing(seat):
            return self
        position = self.position.after_leaving(seat)
        still_in = tuple(other for other in position.variant.seats if position.is_playing(other))
        if len(still_in) <= 1:
            return self._after_leaving(seat, position, ())._replace(outcome=Outcome(Cause.RESIGNATION, still_in))
        position, outcome, passed = resolve_passes(self.position.after_leaving(seat, steward=steward))
        return self._after_leaving(seat, position, passed)._replace(outcome=outcome)

    def apply_recorded_resignation(self, seat: Seat, passes: int = 0, *, steward: bool = False) -> Game:
        """The game after a recorded resignation and that many passed turns. Tests no ending."""
        if not self.position.is_playing(seat):
            return self
        return self._after_leaving(seat, *_pass_turns(self.position.after_leaving(seat, steward=steward), passes))

    def _after_leaving(self, seat: Seat, position: Position, passed: tuple[Seat, ...]) -> Game:
        quiet = tuple([n + (other in passed) for other, n in enumerate(self.quiet_counts)])
        left = (*self.leavers, (len(self.moves), seat))
        return self._replace(
            position=position,
            quiet_counts=quiet,
            occurrences={position.repetition_key(): 1},
            leavers=left,
            passes=len(passed),
        )

    def _counts_after(
        self, move: Move, position: Position, passed: tuple[Seat, ...]
    ) -> tuple[tuple[int, ...], Mapping[Hashable, int]]:
        """The `quiet_counts` and `occurrences` after a move that led to that position."""
        before = self.position
        goal = before.variant.armies[before.turn].goal
        if move.captures or (move.path[-1] in goal and move.path[0] not in goal):
            return _restart_quiet_counts(before.variant, passed), {position.repetition_key(): 1}
        quiet = tuple([n + (seat == before.turn or seat in passed) for seat, n in enumerate(self.quiet_counts)])
        key = position.repetition_key()
        return quiet, {**self.occurrences, key: self.occurrences.get(key, 0) + 1}

    @property
    def repetitions(self) -> int:
        """How often the current position has occurred, this time included."""
        return self.occurrences[self.position.repetition_key()]

    @property
    def quiet_moves(self) -> int:
        """The fewest moves of a player still in the game since the last capture or move into a castle."""
        return _count_quiet_moves(self.position, self.quiet_counts)

    @property
    def claimable_draw(self) -> Cause | None:
        """The ground on which the player to move may claim a draw; None if there is none."""
        if self.outcome:
            return None
        if self.repetitions >= CLAIM_REPETITION:
            return Cause.REPETITION
        return Cause.QUIET if self.quiet_moves >= CLAIM_QUIET else None


def resolve_passes(position: Position) -> tuple[Position, Outcome | None, tuple[Seat, ...]]:
    """Passes turns until somebody can move or the game is over.

    Returns the position, the outcome (None if the game continues), and the seats whose turn passed because they had no
    legal move or because their steward passed.
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
            position = position.after_pass()
    return position, outcome, passed


def positions_along(position: Position, moves: Iterable[Move]) -> list[Position]:
    """Returns the position after each of those moves, and after the turns that pass then."""
    found: list[Position] = []
    for move in moves:
        position = resolve_passes(position.after_move(move))[0]
        found.append(position)
    return found


def _pass_turns(position: Position, passes: int) -> tuple[Position, tuple[Seat, ...]]:
    """The position after that many turns have passed, and the seats whose turns passed."""
    passed: tuple[Seat, ...] = ()
    for _ in range(passes):
        passed = (*passed, position.turn)
        position = position.after_pass()
    return position, passed


def _restart_quiet_counts(variant: Variant, passed: tuple[Seat, ...]) -> tuple[int, ...]:
    """The quiet counts after a capture or move into a castle: 1 for a seat whose turn passed right after it, else 0."""
    return tuple([int(seat in passed) for seat in variant.seats])


def _count_quiet_moves(position: Position, quiet: tuple[int, ...]) -> int:
    return min((n for seat, n in enumerate(quiet) if position.is_playing(seat)), default=0)


def _automatic_draw(position: Position, quiet: tuple[int, ...], occurred: Mapping[Hashable, int]) -> Outcome | None:
    """The draw that ends the game without a claim: by repetition or after many quiet moves (house rulings)."""
    if occurred[position.repetition_key()] >= END_REPETITION:
        return Outcome(Cause.REPETITION, ())
    if max(quiet) >= END_QUIET and _count_quiet_moves(position, quiet) >= END_QUIET:
        return Outcome(Cause.QUIET, ())
    return None
