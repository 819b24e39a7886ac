"""The search: alpha-beta with iterative deepening, one seat against all others ("Paranoid" in games of three).

Scores are those of the searching seat, in hundredths of log-odds: it maximises, all others minimise. A won game scores
WON_SCORE less one point per ply. Captures are searched until none is due. The result depends only on the position and
the node limit, except on very slow machines that reach `SEARCH_TIMEOUT_S`.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from math import inf
from time import thread_time
from typing import NamedTuple

from engine.evaluation import Evaluation, chance_of_score, evaluation_of, steps_to_nearest
from engine.lookup_tables import Hop
from engine.race import RaceEvaluation, race_evaluation_of
from engine.search_position import SearchPosition
from rules import Variant
from rules.board import Board

WON_SCORE = 100_000
CERTAIN_SCORE = WON_SCORE - 1_000
"""Scores of at least this mean a decided game."""
MAX_KNOWN_POSITIONS = 60_000
"""The capacity of the transposition table, about 15 MB; a full table is cleared."""
SEARCH_TIMEOUT_S = 1.5
"""The most processor seconds of a move: a cap for positions with very many moves and for very slow machines."""
MAX_PLIES = 64
"""More plies than any search reaches."""

PositionEvaluation = Evaluation | RaceEvaluation
"""The static evaluation of a variant."""

_EXACT, _AT_LEAST, _AT_MOST = 0, 1, 2


class TableEntry(NamedTuple):
    """The result of an earlier search of a position."""

    depth: int
    bound: int
    score: int
    best: Hop | None


class NodeLimitReached(Exception):
    """The search has reached its node limit or its time limit."""


class Search:
    """One search from one position. Keeps nothing for the next move, so equal arguments give equal results."""

    def __init__(
        self,
        position: SearchPosition,
        nodes: int,
        *,
        seen: Collection[int] = (),
        reach: float = inf,
        capture_reach: float = inf,
        evaluation: PositionEvaluation | None = None,
        seconds: float = inf,
    ) -> None:
        self.position = position
        self.nodes = 0
        self.limit = nodes
        self.until = thread_time() + seconds
        self.seat = position.turn
        evaluation = evaluation or evaluation_for(position.variant)
        self.evaluation = evaluation.after_quiet_plies(len(seen)) if isinstance(evaluation, Evaluation) else evaluation
        self.known: dict[int, TableEntry] = {}
        self.met = set(seen)
        """Keys of the positions since the last capture, in the game or on the current path of the search."""
        self.reach, self.capture_reach = reach, capture_reach
        """The largest number of steps of a quiet move and of a capture that the search does not overlook."""
        self.history: dict[Hop, int] = {}
        """History heuristic: quiet moves that caused cutoffs, weighted by depth."""
        self.score = self.evaluation.score(position, self.seat)
        """The score of the best move at the last depth that was searched completely."""

    def rank_moves(self, depth: int, max_loss: int = 0) -> list[tuple[int, Hop]]:
        """The moves with their scores, best first; scores within `max_loss` of the best are exact.

        Searches one ply deeper each time, until `depth`, a decided game or the node limit.
        """
        position = self.position
        begun = position.depth_made
        ranked = [(0, hop) for hop in self._order_hops(self._drop_overlooked(position.legal_hops()), None)]
        self.met.add(position.key)
        for plies in range(1, depth + 1):
            scored: list[tuple[int, Hop]] = []
            try:
                best = -WON_SCORE
                for _, hop in ranked:
                    score = self._score_after(hop, plies - 1, best - max_loss - 1, WON_SCORE, 1)
                    scored.append((score, hop))
                    best = max(best, score)
            except NodeLimitReached:
                while position.depth_made > begun:
                    position.unmake()
            done = {hop for _, hop in scored}
            # Moves not searched at this depth rank below all searched ones, but above those that lose.
            worst = min((score for score, _ in scored if score > -CERTAIN_SCORE), default=WON_SCORE) - max_loss - 1
            ranked = scored + [(min(score, worst), hop) for score, hop in ranked if hop not in done]
            ranked.sort(key=lambda pair: -pair[0])
            if len(done) < len(ranked):
                break
            self.score = ranked[0][0]
            if abs(ranked[0][0]) >= CERTAIN_SCORE or len(ranked) == 1:
                break
        return ranked

    def _score_after(self, hop: Hop, depth: int, alpha: int, beta: int, ply: int) -> int:
        self.position.make(hop)
        score = self._alpha_beta(depth, alpha, beta, ply)
        self.position.unmake()
        return score

    def _alpha_beta(self, depth: int, alpha: int, beta: int, ply: int) -> int:
        """The score of the position, exact between `alpha` and `beta`."""
        self.nodes += 1
        if self.nodes > self.limit or (self.nodes & 63 == 0 and thread_time() > self.until):
            raise NodeLimitReached
        position, key = self.position, self.position.key
        if position.result is not None:
            return self._final_score(ply)
        if key in self.met:
            return self.evaluation.draw
        if depth <= 0:
            return self._quiescence(alpha, beta, ply)
        known, first = self.known.get(key), None
        if known:
            first = known.best
            if known.depth >= depth and (
                known.bound == _EXACT
                or (known.bound == _AT_LEAST and known.score >= beta)
                or (known.bound == _AT_MOST and known.score <= alpha)
            ):
                return known.score
        hops = position.legal_hops()
        if not hops:
            return self._final_score(ply)
        if not hops[0][2] and position.can_enter_castle():
            return self._won_score(ply + 1)
        hops = self._drop_overlooked(hops)
        if len(hops) == 1:
            depth += 1  # a forced move costs no depth
        best = -WON_SCORE if position.turn == self.seat else WON_SCORE
        if depth == 1 and not hops[0][2] and isinstance(self.evaluation, Evaluation):
            best, hops = self.evaluation.prune_futile(position, self.seat, hops, alpha, beta)
        self.met.add(key)
        best, best_hop = self._best_of(self._order_hops(hops, first), depth - 1, alpha, beta, ply, best)
        self.met.discard(key)
        if abs(best) < CERTAIN_SCORE:  # scores of decided games depend on the ply, so they are not stored
            if len(self.known) >= MAX_KNOWN_POSITIONS:
                self.known.clear()
            bound = _AT_LEAST if best >= beta else _AT_MOST if best <= alpha else _EXACT
            self.known[key] = TableEntry(depth, bound, best, best_hop)
        return best

    def _best_of(
        self, hops: list[Hop], depth: int, alpha: int, beta: int, ply: int, best: int
    ) -> tuple[int, Hop | None]:
        """The best score for the side to move among those moves, and its move; `best` and None if none is better."""
        mine, best_hop = self.position.turn == self.seat, None
        for hop in hops:
            score = self._score_after(hop, depth, alpha, beta, ply + 1)
            if (score > best) if mine else (score < best):
                best, best_hop = score, hop
                if mine:
                    alpha = max(alpha, score)
                else:
                    beta = min(beta, score)
                if alpha >= beta:
                    if not hop[2]:
                        self.history[hop] = self.history.get(hop, 0) + (depth + 1) ** 2
                    break
        return best, best_hop

    def _quiescence(self, alpha: int, beta: int, ply: int) -> int:
        """The score after all due captures, which nobody may decline."""
        position = self.position
        hops = position.forcing_hops()
        if position.result is not None:
            return self._final_score(ply)
        if hops:
            hops.sort(key=lambda hop: -len(hop[2]))
            return self._best_of(hops, 0, alpha, beta, ply, -WON_SCORE if position.turn == self.seat else WON_SCORE)[0]
        return self._won_score(ply + 1) if position.can_enter_castle() else self.evaluation.score(position, self.seat)

    def _won_score(self, ply: int) -> int:
        """The score if the side to move wins at that ply."""
        return WON_SCORE - ply if self.position.turn == self.seat else ply - WON_SCORE

    def _final_score(self, ply: int) -> int:
        """The score of a game that is over."""
        winners = self.position.result
        if not winners:
            return self.evaluation.draw
        return WON_SCORE - ply if self.seat in winners else ply - WON_SCORE

    def _drop_overlooked(self, hops: list[Hop]) -> list[Hop]:
        """The moves that the level does not overlook; all moves if it overlooks every one."""
        reach, capture_reach = self.reach, self.capture_reach
        if reach == capture_reach == inf:
            return hops
        far = steps_between(self.position.variant.board)
        return [hop for hop in hops if far[hop[0]][hop[1]] <= (capture_reach if hop[2] else reach)] or hops

    def _order_hops(self, hops: list[Hop], first: Hop | None) -> list[Hop]:
        """The moves, most promising first: `first`, then captures, then quiet moves by history and progress."""
        get, places = self.history.get, self.evaluation.places[self.position.turn]
        promise = [1_000 * len(hop[2]) if hop[2] else get(hop, 0) + places[hop[1]] - places[hop[0]] for hop in hops]
        ordered = [hop for _, hop in sorted(zip(promise, hops, strict=True), reverse=True)]
        if first in hops:
            ordered.remove(first)
            ordered.insert(0, first)
        return ordered


@cache
def steps_between(board: Board) -> list[list[int]]:
    """For each two cells, the number of steps between them on an empty board."""
    return [steps_to_nearest(board, frozenset((cell,))) for cell in range(len(board.names))]


def evaluation_for(variant: Variant) -> PositionEvaluation:
    """The static evaluation of that variant. Raises FileNotFoundError if it has no weights."""
    return evaluation_of(variant) if len(variant.armies) == 2 else race_evaluation_of(variant)


def estimate_chances(position: SearchPosition, nodes: int) -> tuple[float, ...]:
    """Each seat's chance to win, with draws shared, from a search of that many positions."""
    mine, evaluation = position.turn, evaluation_for(position.variant)
    thinking = Search(position, nodes, evaluation=evaluation)
    _, hop = thinking.rank_moves(MAX_PLIES)[0]
    score = thinking.score
    if score >= CERTAIN_SCORE:
        return tuple(float(seat == mine) for seat in position.variant.seats)
    if isinstance(evaluation, Evaluation):
        won = chance_of_score(score) if score > -CERTAIN_SCORE else 0.0
        return tuple(won if seat == mine else 1 - won for seat in position.variant.seats)
    position.make(hop)
    chances = evaluation.chances_of(position)
    position.unmake()
    return chances
