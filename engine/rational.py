"""The search of the level hard in games of three: the others harm the searching seat, but not themselves.

Each other seat makes the move that is worst for the searching seat among those that cost it at most MARGIN of its own
chances. With the margin 0 that is max^n, with an endless one the search of `engine.search` ("Paranoid"). Of those moves
only the MAX_ANSWERS worst are searched, so that a second own move comes within reach ("Opponent-Pruning Paranoid").
"""

from __future__ import annotations

from collections.abc import Collection
from time import thread_time

from engine.cells import CellEvaluation, ValuedPosition
from engine.lookup_tables import Hop
from engine.race import log_odds_of
from engine.search import CERTAIN_SCORE, WON_SCORE, NodeLimitReached, Search
from rules import Position

MARGIN = 40
"""What another seat gives up at most to harm the searching one, in hundredths of log-odds."""
MAX_ANSWERS = 3
"""How many of those moves are searched."""
TOP, TOP_LOSS = 5, 300
"""The moves that are searched beyond one answer: at most so many, and so much worse than the best."""
WON = WON_SCORE - 2
"""The score of a game that is won within the search."""

Answer = tuple[int, int, Hop]
"""A move of another seat: the scores of the searching seat and of that one after it."""


class RationalSearch(Search):
    """One search from one position."""

    position: ValuedPosition
    evaluation: CellEvaluation

    def __init__(
        self, position: Position, evaluation: CellEvaluation, nodes: int, seen: Collection[int], seconds: float
    ) -> None:
        valued = ValuedPosition(position, evaluation)
        super().__init__(valued, nodes, seen=seen, evaluation=evaluation, seconds=seconds)
        self.answers: dict[int, list[Answer]] = {}
        """By the key of a position, what `_list_answers` found there."""

    def rank_moves(self, depth: int, max_loss: int = 0) -> list[tuple[int, Hop]]:
        """The moves with their scores, best first: all after one answer, then the best ones a ply deeper each time."""
        position = self.position
        begun = position.depth_made
        self.met.add(position.key)
        ranked = [(0, hop) for hop in self._order_hops(position.legal_hops(), None)]
        for plies in range(1, depth):
            best, scored = ranked[0][0], list[tuple[int, Hop]]()
            if best >= CERTAIN_SCORE:
                break
            likely = [hop for score, hop in ranked if score >= best - TOP_LOSS][: TOP if plies > 1 else None]
            alpha = -WON_SCORE
            try:
                for hop in likely:
                    scored.append((self._score_after(hop, plies, alpha, WON_SCORE, 1), hop))
                    if plies > 1:
                        alpha = max(alpha, scored[-1][0] - max_loss - 1)
            except NodeLimitReached:
                while position.depth_made > begun:
                    position.unmake()
            # Moves that are not searched so far rank below all that are.
            scored.sort(key=lambda pair: -pair[0])
            done, worst = {hop for _, hop in scored}, scored[-1][0] if scored else WON_SCORE
            ranked = scored + [(min(worst - 1, score), hop) for score, hop in ranked if hop not in done]
        return ranked

    def _alpha_beta(self, depth: int, alpha: int, beta: int, ply: int) -> int:
        """The score after so many further plies, exact between `alpha` and `beta`; due captures cost no ply."""
        position = self.position
        if position.result is None and position.key in self.met:
            return self.evaluation.draw
        due = position.forcing_hops() if depth else []
        hops = due or ([] if not depth or position.can_enter_castle() else position.legal_hops())
        if position.result is not None or not hops:
            return self._settle()[self.seat]
        left = depth if due else depth - 1
        if position.turn == self.seat:
            return self._best_of(self._order_hops(hops, None), left, alpha, beta, ply, -WON_SCORE)[0]
        worst = beta
        for score, _, hop in self._list_answers(hops)[: None if due else MAX_ANSWERS]:
            worst = min(worst, self._score_after(hop, left, alpha, worst, ply + 1) if left else score)
            if worst <= alpha:
                break
        return worst

    def _list_answers(self, hops: list[Hop]) -> list[Answer]:
        """Those of the moves of another seat that do not harm itself, the most harmful ones first."""
        position, key, me, seat = self.position, self.position.key, self.seat, self.position.turn
        if key not in self.answers:
            tried: list[Answer] = []
            for hop in hops:
                position.make(hop)
                after = self._settle()
                position.unmake()
                tried.append((after[me], after[seat], hop))
            least = max(own for _, own, _ in tried) - MARGIN
            self.answers[key] = sorted(answer for answer in tried if answer[1] >= least)
        return self.answers[key]

    def _settle(self) -> list[int]:
        """Everybody's scores after the due captures, of which each seat makes its best."""
        self.nodes += 1
        if self.nodes > self.limit or (self.nodes & 63 == 0 and thread_time() > self.until):
            raise NodeLimitReached
        position = self.position
        hops, winners = position.forcing_hops(), position.result
        seat, seats = position.turn, position.variant.seats
        if winners is None and not hops and position.can_enter_castle():
            winners = (seat,)
        if winners is not None:
            return (
                [WON if one in winners else -WON for one in seats] if winners else [self.evaluation.draw] * len(seats)
            )
        if not hops:
            worth = self.evaluation.worth_by_seat(position)
            return [log_odds_of(worth, one) for one in seats]
        best: list[int] = []
        for hop in hops:
            position.make(hop)
            after = self._settle()
            position.unmake()
            if not best or after[seat] > best[seat]:
                best = after
        return best
