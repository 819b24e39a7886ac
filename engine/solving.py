"""Forced wins, proved: every answer of everybody else is tried, by the rules alone. No weights, no guesses."""

from __future__ import annotations

from dataclasses import dataclass

from engine.position import SearchPosition, as_move, as_moves
from engine.tables import Hop
from rules import Move, Position, Seat
from rules.game import resolve_passes


@dataclass(frozen=True)
class Solution:
    """A forced win for the side to move."""

    line: tuple[Move, ...]
    """The winning moves, with the answers that hold out longest."""
    first: tuple[Move, ...]
    """Every first move that forces a win within the plies that were asked for; the one of the line first."""

    @property
    def is_unique(self) -> bool:
        """Whether only one first move wins."""
        return len(self.first) == 1


_NEVER_PLIES = 1_000
"""More plies than anything is proved in."""
MAX_SOLVED_POSITIONS = 200_000
"""How many positions are remembered; then they are forgotten."""


class TooHard(Exception):
    """Neither proved nor refuted within as many moves looked at as are allowed."""


def solve(position: Position, plies: int, *, nodes: int | None = None) -> Solution | None:
    """The forced win of the side to move within that many plies, or None: there is none.

    Turns that pass do not count as plies, and what happened before (repetitions, quiet moves) is not looked at. With
    `nodes` it raises TooHard after having made so many moves.
    """
    proof = _WinProof(SearchPosition(position), nodes)
    search = proof.search
    hops = search.legal_hops()
    for within in range(1, plies + 1):
        winning = [hop for hop in proof.likely_hops(hops, within) if proof.wins_after(hop, within - 1)]
        if winning:
            others = (
                [hop for hop in hops if hop not in winning and proof.wins_after(hop, plies - 1)]
                if within < plies
                else []
            )
            begun = search.to_position()
            first = tuple(as_moves(begun, (*winning, *others)))
            return Solution(proof.winning_line(first[0], within), first)
    return None


class _WinProof:
    """What has been proved so far about wins of the seat that moves first."""

    def __init__(self, search: SearchPosition, nodes: int | None) -> None:
        self.search = search
        search.legal_hops()
        self.seat: Seat = search.turn
        self.left = nodes
        self.known: dict[int, tuple[int, int]] = {}
        """By key: within how many plies a win is proved (or a large number), and within how many there is none."""
        self.refuting: dict[Seat, Hop] = {}
        """For each other seat the answer that refuted last."""

    def wins_after(self, hop: Hop, plies: int) -> bool:
        """Whether the seat has won after that move, or forces a win within that many plies more."""
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
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
            # Only `moves` finds out that it is over because nobody can move.
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
        """Whether every answer of another seat leaves the win; the one that refuted last is tried first."""
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
        """The moves of the seat that may win within that many plies, those into the castle first, then captures."""
        search = self.search
        goal = search.views[self.seat].goal
        after = search.variant.turn_orders[self.seat][0]
        if plies == 1 and search.is_playing(after) and search.free_steps(after).bit_count() > 1:
            # A quiet move takes no more than one cell from the next seat, so that one can move.
            hops = [hop for hop in hops if hop[2] or hop[1] in goal]
        return sorted(hops, key=lambda hop: (hop[1] not in goal, -len(hop[2])))

    def winning_line(self, first: Move, plies: int) -> tuple[Move, ...]:
        """The moves from here to the win, beginning with that one, the answers holding out as long as they can."""
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
        """Within how few plies the win after that move is forced."""
        return next(few for few in range(plies + 1) if self.wins_after(hop, few))
