"""Two players: alpha-beta to growing depths, captures searched until it is quiet.

Scores are those of the side to move, in hundredths of log-odds; a won game is worth WON less a point for each ply it
takes. What a search finds depends on the position and the number of positions it may look at, never on the clock.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from math import inf
from time import process_time
from typing import TYPE_CHECKING, NamedTuple

from engine.evaluation import Evaluation, chance, distances, evaluation_of
from engine.position import SearchPosition
from engine.tables import Hop
from rules.board import Board

if TYPE_CHECKING:
    from engine.levels import Level

WON = 100_000
CERTAIN = WON - 1_000
"""From here on a score says that the game is decided."""
DRAW = -30
"""What a draw, or coming back to a position, is worth to whoever thinks: a little less than an even game."""
MANY_POSITIONS = 60_000
"""How many positions are remembered; then they are forgotten and met anew. About 15 MB."""
PATIENCE = 1.5
"""Seconds of the processor that a move may take: a cap for positions where moves abound, which no game comes to."""
MARGIN = 60
"""What a quiet move is believed to gain at most, beyond what it does to the evaluation by itself."""

MANY_PLIES = 64
"""Deeper than any search gets."""

_EXACT, _AT_LEAST, _AT_MOST = 0, 1, 2


class Known(NamedTuple):
    """What an earlier search found in a position."""

    depth: int
    bound: int
    score: int
    best: Hop | None


class OutOfNodes(Exception):
    """The search has looked at as many positions as it may, or has taken as long."""


class Search:
    """One search from one position. Nothing is kept for the next move: the same question has the same answer."""

    def __init__(
        self,
        search: SearchPosition,
        nodes: int,
        *,
        seen: Collection[int] = (),
        reach: int | None = None,
        evaluation: Evaluation | None = None,
        seconds: float = inf,
    ) -> None:
        self.search = search
        self.nodes = 0
        self.limit = nodes
        self.until = process_time() + seconds
        self.seat = search.turn
        self.evaluation = (evaluation or evaluation_of(search.variant)).impatient(len(seen))
        self.known: dict[int, Known] = {}
        self.met = set(seen)
        """Keys of positions that have been there since the last capture, in the game or on the way."""
        self.reach = reach
        """Overlooks quiet moves that end further away than so many steps; None overlooks nothing."""
        self.history: dict[Hop, int] = {}
        """Quiet moves that turned out too good for the other side to allow, and how often and deep."""
        self.depth = 0
        """The last depth that was searched to its end."""

    def rank(self, depth: int, within: int = 0) -> list[tuple[int, Hop]]:
        """The moves with their scores, best first; exact where they are not more than `within` below the best.

        Searches one ply deeper each time, until that depth, a decided game, or the last of the nodes.
        """
        search = self.search
        begun = search.played
        ranked = [(0, hop) for hop in self._ordered(self._seen_of(search.moves()), None)]
        self.met.add(search.key)
        for plies in range(1, depth + 1):
            found: list[tuple[int, Hop]] = []
            try:
                self._root(ranked, plies, within, found)
            except OutOfNodes:
                while search.played > begun:
                    self.met.discard(search.key)
                    search.unmake()
            done = {hop for _, hop in found}
            found.sort(key=lambda pair: -pair[0])
            # What was not looked at any more counts as worse than anything that was.
            worst = found[-1][0] - within - 1 if found else WON
            ranked = found + [(min(score, worst), hop) for score, hop in ranked if hop not in done]
            if len(done) < len(ranked):
                break
            self.depth = plies
            if abs(ranked[0][0]) >= CERTAIN or len(ranked) == 1:
                break
        return ranked

    def _root(self, ranked: list[tuple[int, Hop]], plies: int, within: int, found: list[tuple[int, Hop]]) -> None:
        best = -WON
        for _, hop in ranked:
            score = self._after(hop, plies - 1, best - within - 1, WON, 1)
            found.append((score, hop))
            best = max(best, score)

    def _after(self, hop: Hop, depth: int, alpha: int, beta: int, ply: int) -> int:
        """The score of a move for the side that makes it."""
        search, mover = self.search, self.search.turn
        search.make(hop)
        if search.turn != mover:
            score = -self._below(depth, -beta, -alpha, ply)
        else:  # nobody else has a piece left
            score = self._below(depth, alpha, beta, ply)
        search.unmake()
        return score

    def _count(self) -> None:
        self.nodes += 1
        if self.nodes > self.limit or (self.nodes & 63 == 0 and process_time() > self.until):
            raise OutOfNodes

    def _below(self, depth: int, alpha: int, beta: int, ply: int) -> int:
        """The score of the position for the side to move, exact between `alpha` and `beta`."""
        self._count()
        search = self.search
        if search.result is not None:
            return self._decided(ply)
        if search.key in self.met:
            return self._draw()
        if depth <= 0:
            return self._quiet(alpha, beta, ply)
        known = self.known.get(search.key)
        best_hop = None
        if known:
            best_hop = known.best
            if known.depth >= depth and (
                known.bound == _EXACT
                or (known.bound == _AT_LEAST and known.score >= beta)
                or (known.bound == _AT_MOST and known.score <= alpha)
            ):
                return known.score
        key = search.key
        hops = search.moves()
        if not hops:
            return self._decided(ply)
        hops = self._seen_of(hops)
        if len(hops) == 1:
            depth += 1  # there is nothing to choose, so it costs nothing
        best, first_alpha = -WON, alpha
        if depth == 1 and not hops[0][2]:
            # Frontier futility: quiet moves that can hardly lift the score to alpha are not made.
            stand = self.evaluation.score(search)
            if stand - MARGIN >= beta:
                return stand - MARGIN
            places, goal = self.evaluation.places[search.turn], search.views[search.turn].goal
            least = alpha - stand - MARGIN
            hopeful = [hop for hop in hops if places[hop[1]] - places[hop[0]] > least or hop[1] in goal or hop[2]]
            if len(hopeful) < len(hops):
                best, hops = alpha, hopeful
        self.met.add(key)
        for hop in self._ordered(hops, best_hop):
            score = self._after(hop, depth - 1, alpha, beta, ply + 1)
            if score > best:
                best, best_hop = score, hop
                if score > alpha:
                    alpha = score
                    if alpha >= beta:
                        if not hop[2]:
                            self.history[hop] = self.history.get(hop, 0) + depth * depth
                        break
        self.met.discard(key)
        bound = _AT_LEAST if best >= beta else _EXACT if best > first_alpha else _AT_MOST
        if abs(best) < CERTAIN:  # how far off a won game is depends on the way to here
            if len(self.known) >= MANY_POSITIONS:
                self.known.clear()
            self.known[key] = Known(depth, bound, best, best_hop)
        return best

    def _quiet(self, alpha: int, beta: int, ply: int) -> int:
        """The score once no capture is due: captures are searched to their end, for nobody may decline them."""
        search = self.search
        hops = search.captures()
        if not hops:
            home = search.bits[search.turn] & search.views[search.turn].castle
            return WON - ply - 1 if not home and search.enters() else self.evaluation.score(search)
        best = -WON
        hops.sort(key=_most_captures)
        for hop in hops:
            score = self._after(hop, 0, alpha, beta, ply + 1)
            if score > best:
                best = score
                if score > alpha:
                    alpha = score
                    if alpha >= beta:
                        break
        return best

    def _decided(self, ply: int) -> int:
        """The score of a game that is over, for the side whose turn it would be."""
        winners = self.search.result
        if not winners:
            return self._draw()
        return WON - ply if self.search.turn in winners else ply - WON

    def _draw(self) -> int:
        return DRAW if self.search.turn == self.seat else -DRAW

    def _seen_of(self, hops: list[Hop]) -> list[Hop]:
        """The moves without those that are overlooked; all of them if nothing else is left."""
        if self.reach is None:
            return hops
        far, reach = steps_between(self.search.variant.board), self.reach
        return [hop for hop in hops if hop[2] or far[hop[0]][hop[1]] <= reach] or hops

    def _ordered(self, hops: list[Hop], first: Hop | None) -> list[Hop]:
        """The moves, the most promising first: what an earlier search liked, captures, what was good elsewhere."""
        get, places = self.history.get, self.evaluation.places[self.search.turn]
        promise = [1_000 * len(hop[2]) if hop[2] else get(hop, 0) + places[hop[1]] - places[hop[0]] for hop in hops]
        ordered = [hop for _, hop in sorted(zip(promise, hops, strict=True), reverse=True)]
        if first in hops:
            ordered.remove(first)
            ordered.insert(0, first)
        return ordered


def _most_captures(hop: Hop) -> int:
    return -len(hop[2])


@cache
def steps_between(board: Board) -> list[list[int]]:
    """For every two cells the steps from one to the other on the empty board."""
    return [distances(board, frozenset((cell,))) for cell in range(len(board.names))]


def chances(search: SearchPosition, nodes: int) -> tuple[float, ...]:
    """Each seat's chance to win, a draw shared, as far as that many positions tell."""
    mine = search.turn
    thinking = Search(search, nodes)
    score = thinking.rank(MANY_PLIES)[0][0]
    won = chance(score) if abs(score) < CERTAIN else float(score > 0)
    return tuple(won if seat == mine else 1 - won for seat in search.variant.seats)


def rank(search: SearchPosition, level: Level, seen: Collection[int]) -> list[tuple[int, Hop]]:
    """The moves as a player of that level sees them, with their scores, best first."""
    thinking = Search(search, level.nodes, seen=seen, reach=level.reach, seconds=PATIENCE)
    within, _ = level.spread(search.variant)
    return thinking.rank(level.depth, within)
