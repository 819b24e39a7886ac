"""Three players: the one who thinks against the two others together, to growing depths (Paranoid).

Scores are those of the seat that thinks, in hundredths of log-odds: it looks for the most, the others for the least. A
won game is worth WON less a point for each ply it takes. As with two players, captures are searched until none is due,
and what is found depends on the position and the number of positions looked at, never on the clock.
"""

from __future__ import annotations

from collections.abc import Collection
from math import inf
from time import process_time
from typing import TYPE_CHECKING

from engine.position import SearchPosition
from engine.race import Race, odds, race_of, shares
from engine.tables import Hop
from engine.two import CERTAIN, MANY_PLIES, MANY_POSITIONS, PATIENCE, WON, Known, OutOfNodes, steps_between

if TYPE_CHECKING:
    from engine.levels import Level

DRAW = -160
"""What a draw, or coming back to a position, is worth: less than an even game of three, whose log-odds are -69."""

_EXACT, _AT_LEAST, _AT_MOST = 0, 1, 2


class Search:
    """One search from one position. Nothing is kept for the next move: the same question has the same answer."""

    def __init__(
        self,
        search: SearchPosition,
        nodes: int,
        *,
        seen: Collection[int] = (),
        reach: int | None = None,
        evaluation: Race | None = None,
        seconds: float = inf,
    ) -> None:
        self.search = search
        self.nodes = 0
        self.limit = nodes
        self.until = process_time() + seconds
        self.seat = search.turn
        self.race = evaluation or race_of(search.variant)
        self.known: dict[int, Known] = {}
        self.met = set(seen)
        """Keys of positions that have been there since the last capture, in the game or on the way."""
        self.reach = reach
        """Overlooks quiet moves that end further away than so many steps; None overlooks nothing."""
        self.history: dict[Hop, int] = {}
        """Quiet moves that settled a position elsewhere, and how often and deep."""
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
                best = -WON
                for _, hop in ranked:
                    score = self._after(hop, plies - 1, best - within - 1, WON, 1)
                    found.append((score, hop))
                    best = max(best, score)
            except OutOfNodes:
                while search.played > begun:
                    search.unmake()
            done = {hop for _, hop in found}
            found.sort(key=lambda pair: -pair[0])
            # What was not looked at any more is not as good as what was.
            worst = found[-1][0] - 1 if found else WON
            ranked = found + [(min(score, worst), hop) for score, hop in ranked if hop not in done]
            if len(done) < len(ranked):
                break
            self.depth = plies
            if abs(ranked[0][0]) >= CERTAIN or len(ranked) == 1:
                break
        return ranked

    def _after(self, hop: Hop, depth: int, alpha: int, beta: int, ply: int) -> int:
        self.search.make(hop)
        score = self._below(depth, alpha, beta, ply)
        self.search.unmake()
        return score

    def _count(self) -> None:
        self.nodes += 1
        if self.nodes > self.limit or (self.nodes & 63 == 0 and process_time() > self.until):
            raise OutOfNodes

    def _below(self, depth: int, alpha: int, beta: int, ply: int) -> int:
        """The score of the position, exact between `alpha` and `beta`."""
        self._count()
        search, key = self.search, self.search.key
        if search.result is not None:
            return self._decided(ply)
        if key in self.met:
            return DRAW
        if depth <= 0:
            return self._quiet(alpha, beta, ply)
        known, first = self.known.get(key), None
        if known:
            first = known.best
            if known.depth >= depth and (
                known.bound == _EXACT
                or (known.bound == _AT_LEAST and known.score >= beta)
                or (known.bound == _AT_MOST and known.score <= alpha)
            ):
                return known.score
        hops = search.moves()
        if not hops:
            return self._decided(ply)
        if not hops[0][2] and self._enters():
            return self._won(ply + 1)
        hops = self._seen_of(hops)
        if len(hops) == 1:
            depth += 1  # there is nothing to choose, so it costs nothing
        self.met.add(key)
        best, best_hop = self._best(self._ordered(hops, first), depth - 1, alpha, beta, ply)
        self.met.discard(key)
        if abs(best) < CERTAIN:  # how far off a won game is depends on the way to here
            if len(self.known) >= MANY_POSITIONS:
                self.known.clear()
            bound = _AT_LEAST if best >= beta else _AT_MOST if best <= alpha else _EXACT
            self.known[key] = Known(depth, bound, best, best_hop)
        return best

    def _best(self, hops: list[Hop], depth: int, alpha: int, beta: int, ply: int) -> tuple[int, Hop]:
        """What whoever is to move makes of these moves: the seat that thinks the most, the others the least."""
        mine = self.search.turn == self.seat
        best, best_hop = (-WON if mine else WON), hops[0]
        for hop in hops:
            score = self._after(hop, depth, alpha, beta, ply + 1)
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

    def _quiet(self, alpha: int, beta: int, ply: int) -> int:
        """The score once no capture is due: captures are searched to their end, for nobody may decline them."""
        search = self.search
        hops = settled_captures(search)
        if search.result is not None:
            return self._decided(ply)
        if hops:
            return self._best(hops, 0, alpha, beta, ply)[0]
        return self._won(ply + 1) if self._enters() else odds(self.race.worth(search), self.seat)

    def _enters(self) -> bool:
        """Whether a single step takes the castle at once; asked where no capture is due."""
        return enters(self.search)

    def _won(self, ply: int) -> int:
        """The score where whoever is to move wins at that ply."""
        return WON - ply if self.search.turn == self.seat else ply - WON

    def _decided(self, ply: int) -> int:
        """The score of a game that is over."""
        winners = self.search.result
        if not winners:
            return DRAW
        return WON - ply if self.seat in winners else ply - WON

    def _seen_of(self, hops: list[Hop]) -> list[Hop]:
        """The moves without those that are overlooked; all of them if nothing else is left."""
        if self.reach is None:
            return hops
        far, reach = steps_between(self.search.variant.board), self.reach
        return [hop for hop in hops if hop[2] or far[hop[0]][hop[1]] <= reach] or hops

    def _ordered(self, hops: list[Hop], first: Hop | None) -> list[Hop]:
        """The moves, the most promising first: what an earlier search liked, captures, what was good elsewhere."""
        get, ways = self.history.get, self.race.ways[self.search.turn]
        promise = [1_000 * len(hop[2]) if hop[2] else get(hop, 0) + 3 * ways[hop[0]] - 4 * ways[hop[1]] for hop in hops]
        ordered = [hop for _, hop in sorted(zip(promise, hops, strict=True), reverse=True)]
        if first in hops:
            ordered.remove(first)
            ordered.insert(0, first)
        return ordered


def settled_captures(search: SearchPosition) -> list[Hop]:
    """The captures that are due, once stewards who pass have passed."""
    while search.result is None and search.turn in search.stewards:
        steward = search.turn
        hops = search.moves()
        if search.turn == steward:
            return hops
    return search.captures()


def enters(search: SearchPosition) -> bool:
    """Whether a single step takes the castle at once; asked where no capture is due."""
    home = search.bits[search.turn] & search.views[search.turn].castle
    return not home and search.enters()


def chances(search: SearchPosition, nodes: int) -> tuple[float, ...]:
    """Each seat's chance to win: what the position is worth after the best move that so many positions show."""
    score, hop = Search(search, nodes).rank(MANY_PLIES)[0]
    mine = search.turn
    if score >= CERTAIN:
        return tuple(float(seat == mine) for seat in search.variant.seats)
    search.make(hop)
    found = shares(_expected(search, race_of(search.variant)))
    search.unmake()
    return found


def _expected(search: SearchPosition, race: Race) -> list[int]:
    """What it is worth to each seat, after the captures that are due, each side taking what is best for itself."""
    hops = settled_captures(search)
    mover = search.turn
    if search.result is not None or (not hops and enters(search)):
        winners = (mover,) if search.result is None else search.result or tuple(search.variant.seats)
        return [2_000 if seat in winners else -2_000 for seat in search.variant.seats]
    if not hops:
        return race.worth(search)
    found: list[list[int]] = []
    for hop in hops:
        search.make(hop)
        found.append(_expected(search, race))
        search.unmake()
    return max(found, key=lambda worth: odds(worth, mover))


def rank(search: SearchPosition, level: Level, seen: Collection[int]) -> list[tuple[int, Hop]]:
    """The moves as a player of that level sees them, with their scores, best first."""
    thinking = Search(search, level.nodes, seen=seen, reach=level.reach, seconds=PATIENCE)
    within, _ = level.spread(search.variant)
    return thinking.rank(level.depth, within)
