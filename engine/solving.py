"""Proves forced wins: tries every answer of all other seats. Uses no weights and no estimates."""

from __future__ import annotations

from dataclasses import dataclass

from engine.lookup_tables import Hop
from engine.search_position import SearchPosition, as_move, as_moves
from rules import Move, Position, Seat
from rules.game import resolve_passes


@dataclass(frozen=True)
class Solution:
    """A forced win for the side to move."""

    line: tuple[Move, ...]
    """The winning moves, with the answers that delay the win longest."""
    first: tuple[Move, ...]
    """Every first move that forces a win within the requested plies; that of the line comes first."""

    @property
    def is_unique(self) -> bool:
        """Whether only one first move wins."""
        return len(self.first) == 1


FORCED_NODES, FORCED_PLIES = 10_000, 12
"""The most moves for each seat, and the depth, of the search for a forced winner: a bound that no load changes."""
_USED_UP = -1
"""What is left of the moves of a proof that has had too few."""
_NEVER_PLIES = 1_000
"""More plies than any proof has."""
MAX_SOLVED_POSITIONS = 200_000
"""The capacity of the table of proved positions; a full table is cleared."""


class TooHard(Exception):
    """The proof has used up its moves before it found an answer."""


def solve(position: Position, plies: int, *, nodes: int | None = None) -> Solution | None:
    """The forced win of the side to move within that many plies; None if there is none.

    Passed turns are not plies. Ignores the history (repetitions, quiet moves). Raises TooHard after `nodes` moves, if
    `nodes` is given.

    >>> from rules import parse_position
    >>> position = parse_position("camette White White:C6,A3 Black:E3,E4")
    >>> solve(position, 1).is_unique
    True
    """
    proof = _WinProof(SearchPosition(position), position.turn, nodes)
    search = proof.search
    hops = search.legal_hops()
    for within in range(1, plies + 1):
        winning = [hop for hop in proof.likely_hops(hops, within) if proof.wins_after(hop, within - 1)]
        if winning:
            rest = [hop for hop in hops if hop not in winning] if within < plies else []
            others = [hop for hop in rest if proof.wins_after(hop, plies - 1)]
            first = tuple(as_moves(search.to_position(), (*winning, *others)))
            return Solution(proof.winning_line(first[0], within), first)
    return None


def find_forced_winner(position: Position) -> Seat | None:
    """The seat that wins whatever the others do, also out of turn; None if that is proved for no seat.

    Goes as deep as FORCED_PLIES, if FORCED_NODES moves for each seat are enough. Ignores the history, as `solve` does.

    >>> from rules import parse_position
    >>> find_forced_winner(parse_position("camette Black White:C6,A3 Black:E3,E4"))
    0
    """
    proofs = [
        _WinProof(SearchPosition(position), seat, FORCED_NODES)
        for seat in position.variant.seats
        if position.is_playing(seat)
    ]
    for plies in range(1, FORCED_PLIES + 1):
        for proof in proofs:
            if proof.is_forced(plies):
                return proof.seat
    return None


class _WinProof:
    """A proof in progress that a seat wins, with all positions proved so far."""

    def __init__(self, search: SearchPosition, seat: Seat, nodes: int | None) -> None:
        self.search = search
        search.legal_hops()
        self.seat = seat
        self.left = nodes
        self.known: dict[int, tuple[int, int]] = {}
        """By key: the plies within which a win is proved (else _NEVER_PLIES), and those within which there is none."""
        self.refuting: dict[Seat, Hop] = {}
        """For each other seat, its last answer that refuted a win."""

    def is_forced(self, plies: int) -> bool:
        """Whether the seat forces a win within that many plies; False also once the moves are used up."""
        try:
            return self.left != _USED_UP and self._is_won(plies)
        except TooHard:  # with moves that nobody has taken back
            return False

    def wins_after(self, hop: Hop, plies: int) -> bool:
        """Whether the seat has won after that move or forces a win within that many further plies."""
        if self.left is not None:
            self.left -= 1
            if self.left <= _USED_UP:
                raise TooHard
        self.search.make(hop)
        won = self._is_won(plies)
        self.search.unmake()
        return won

    def _is_won(self, plies: int) -> bool:
        search = self.search
        if search.result is not None:
            return self._has_won()
        if plies <= 0:
            # Only `legal_hops` detects that the game is over because nobody can move.
            return not search.free_steps(search.turn) and not search.legal_hops() and self._has_won()
        key = search.key
        wins, none = self.known.get(key, (_NEVER_PLIES, -1))
        if wins <= plies:
            return True
        if none >= plies:
            return False
        hops = search.legal_hops()
        if not hops:
            return self._has_won()
        if search.turn == self.seat:
            won = any(self.wins_after(hop, plies - 1) for hop in self.likely_hops(hops, plies))
        else:
            won = self._wins_against_all(hops, plies)
        if len(self.known) >= MAX_SOLVED_POSITIONS:
            self.known.clear()
        self.known[key] = (plies, none) if won else (wins, plies)
        return won

    def _has_won(self) -> bool:
        return self.seat in (self.search.result or ())

    def _wins_against_all(self, hops: list[Hop], plies: int) -> bool:
        """Whether the seat still wins after every answer. Tries the last refuting answer first."""
        seat = self.search.turn
        last = self.refuting.get(seat)
        if last in hops:
            hops.sort(key=lambda hop: hop != last)
        for hop in hops:
            if not self.wins_after(hop, plies - 1):
                self.refuting[seat] = hop
                return False
        return True

    def likely_hops(self, hops: list[Hop], plies: int) -> list[Hop]:
        """The moves of the seat that may win within that many plies: into the castle first, then captures."""
        search = self.search
        goal = search.views[self.seat].goal
        after = search.variant.turn_orders[self.seat][0]
        if plies == 1 and search.is_playing(after) and search.free_steps(after).bit_count() > 1:
            # A quiet move takes at most one cell away from the next seat, so the next seat can still move.
            hops = [hop for hop in hops if hop[2] or hop[1] in goal]
        return sorted(hops, key=lambda hop: (hop[1] not in goal, -len(hop[2])))

    def winning_line(self, first: Move, plies: int) -> tuple[Move, ...]:
        """The moves from `first` to the win, with the answers that delay it longest."""
        position = self.search.to_position()
        moves: list[Move] = [first]
        position, outcome, _ = resolve_passes(position.after_move(first))
        while outcome is None:
            plies -= 1
            search = self.search = SearchPosition(position)
            hops = sorted(search.legal_hops())
            if search.turn == self.seat:
                hop = next(hop for hop in self.likely_hops(hops, plies) if self.wins_after(hop, plies - 1))
            else:
                hop = max(hops, key=lambda hop: self._plies_needed(hop, plies - 1))
            moves.append(as_move(position, hop))
            position, outcome, _ = resolve_passes(position.after_move(moves[-1]))
        assert self.seat in outcome.winners
        return tuple(moves)

    def _plies_needed(self, hop: Hop, plies: int) -> int:
        """The fewest plies within which the win after that move is forced."""
        return next(few for few in range(plies + 1) if self.wins_after(hop, few))
