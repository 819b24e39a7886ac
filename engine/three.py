from __future__ import annotations

from collections.abc import Collection


from engine.position import SearchPosition
from engine.race import Race, odds, race_of, shares
from engine.two import steps_between

WON = 100_000
CERTAIN = WON - 1_000
DRAW = -160
MANY_PLIES = 64


class OutOfNodes(Exception):
    pass


class Search:
    def __init__(self, search, nodes, *, seen=(), reach=None, evaluation=None):
        self.search, self.limit, self.reach = search, nodes, reach
        self.nodes = 0
        self.seat = search.turn
        self.race = evaluation or race_of(search.variant)
        self.met = set(seen)
        self.known = {}
        self.history = {}
        self.depth = 0

    def rank(self, depth, within=0):
        search = self.search
        begun = search.played
        hops = self._seen_of(search.moves())
        ranked = [(0, hop) for hop in self._ordered(hops)]
        self.met.add(search.key)
        for plies in range(1, depth + 1):
            found = []
            try:
                best = -WON
                for _, hop in ranked:
                    search.make(hop)
                    score = self._below(plies - 1, max(-WON, best - within - 1), WON, 1)
                    search.unmake()
                    found.append((score, hop))
                    best = max(best, score)
            except OutOfNodes:
                while search.played > begun:
                    search.unmake()
                self.met = set()
            done = {hop for _, hop in found}
            found.sort(key=lambda pair: -pair[0])
            ranked = found + [
                (min(score, found[-1][0] if found else score), hop) for score, hop in ranked if hop not in done
            ]
            if len(done) < len(ranked):
                break
            self.depth = plies
            if abs(ranked[0][0]) >= CERTAIN or len(ranked) == 1:
                break
        return ranked

    def _below(self, depth, alpha, beta, ply):
        self.nodes += 1
        if self.nodes > self.limit:
            raise OutOfNodes
        search = self.search
        if search.result is not None:
            return self._decided(ply)
        key = search.key
        if key in self.met:
            return DRAW
        if depth <= 0:
            return self._quiet(alpha, beta, ply)
        known = self.known.get(key)
        first = None
        if known:
            if known[0] >= depth and (known[1] == 0 or (known[1] > 0 and known[2] >= beta) or (known[1] < 0 and known[2] <= alpha)):
                return known[2]
            first = known[3]
        hops = search.moves()
        if not hops:
            return self._decided(ply)
        mine = search.turn == self.seat
        if not hops[0][2] and search.enters() and not search.bits[search.turn] & search.views[search.turn].castle:
            return WON - ply - 1 if mine else ply + 1 - WON
        hops = self._seen_of(hops)
        if len(hops) == 1:
            depth += 1
        a0, b0 = alpha, beta
        self.met.add(key)
        best = -WON if mine else WON
        best_hop = None
        for hop in self._ordered(hops, first):
            search.make(hop)
            score = self._below(depth - 1, alpha, beta, ply + 1)
            search.unmake()
            if mine:
                if score > best:
                    best, best_hop = score, hop
                    alpha = max(alpha, best)
            elif score < best:
                best, best_hop = score, hop
                beta = min(beta, best)
            if alpha >= beta:
                if not hop[2]:
                    self.history[hop] = self.history.get(hop, 0) + depth * depth
                break
        self.met.discard(key)
        if abs(best) < CERTAIN:
            self.known[key] = (depth, 1 if best >= b0 else -1 if best <= a0 else 0, best, best_hop)
        return best

    def _quiet(self, alpha, beta, ply):
        search = self.search
        if search.turn in search.stewards:
            steward = search.turn
            hops = search.moves()
            if search.result is not None:
                return self._decided(ply)
            if search.turn != steward:
                return self._quiet(alpha, beta, ply)
        else:
            hops = search.captures()
        mine = search.turn == self.seat
        if not hops:
            home = search.bits[search.turn] & search.views[search.turn].castle
            if not home and search.enters():
                return WON - ply - 1 if mine else ply + 1 - WON
            return odds(self.race.worth(search), self.seat)
        best = -WON if mine else WON
        for hop in hops:
            self.nodes += 1
            if self.nodes > self.limit:
                raise OutOfNodes
            search.make(hop)
            score = self._decided(ply + 1) if search.result is not None else self._quiet(alpha, beta, ply + 1)
            search.unmake()
            if mine:
                if score > best:
                    best = score
                    alpha = max(alpha, best)
            elif score < best:
                best = score
                beta = min(beta, best)
            if alpha >= beta:
                break
        return best

    def _decided(self, ply):
        winners = self.search.result
        if not winners:
            return DRAW
        return WON - ply if self.seat in winners else ply - WON

    def _seen_of(self, hops):
        if self.reach is None:
            return hops
        far, reach = steps_between(self.search.variant.board), self.reach
        return [hop for hop in hops if hop[2] or far[hop[0]][hop[1]] <= reach] or hops

    def _ordered(self, hops, first=None):
        ways = self.race.ways[self.search.turn]
        get = self.history.get
        promise = [1_000 * len(hop[2]) if hop[2] else get(hop, 0) + 3 * (ways[hop[0]] - ways[hop[1]]) - ways[hop[1]] for hop in hops]
        ordered = [hop for _, hop in sorted(zip(promise, hops, strict=True), reverse=True)]
        if first in hops:
            ordered.remove(first)
            ordered.insert(0, first)
        return ordered


def chances(search, nodes):
    return shares(race_of(search.variant).worth(search))


def rank(search, level, seen):
    return Search(search, level.nodes, seen=seen, reach=level.reach).rank(level.depth, level.within)
