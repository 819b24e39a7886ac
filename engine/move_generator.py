"""The pieces of the search position and a fast generator of a player's moves.

The steps and leaps of a piece come from tables indexed by the pattern of pieces around it; the tables fill on demand.
"""

from __future__ import annotations

from engine.lookup_tables import Hop, tables_of, views_of
from rules import Position
from rules.board import Cell


class Pieces:
    """All pieces and the seat to move. Ignores endings and turns that pass."""

    __slots__ = ("_tables", "army", "bits", "castle_moves", "cells", "occupied", "turn", "variant", "views")

    def __init__(self, position: Position) -> None:
        self.variant = variant = position.variant
        self.cells = bytearray(position.cells)
        """One byte per cell, as in `Position.cells`."""
        self.turn = position.turn
        self.castle_moves = list(position.castle_moves)
        """Castle moves used so far, per seat."""
        self.views = views_of(variant)
        self._tables = tables_of(variant.board)
        self.army: list[set[Cell]] = [set() for _ in variant.seats]
        """The cells of each seat's pieces."""
        self.bits = [0 for _ in variant.seats]
        """The cells of each seat's pieces, as bit sets."""
        for cell, piece in position.pieces.items():
            self.army[piece.seat].add(cell)
            self.bits[piece.seat] |= 1 << cell
        self.occupied = sum(self.bits)

    def _list_player_hops(self) -> list[Hop]:
        """The moves of the seat to move, as a player and not as a steward."""
        view, own = self.views[self.turn], self.bits[self.turn]
        home = own & view.castle
        if home:
            return self._list_leaving_hops(home)
        if self._must_capture():
            return self._list_captures()
        hops_found: list[Hop] = []
        tables, cells, knight, goal = self._tables, self.cells, view.knight, view.goal
        around, beyond, steps, leaps = tables.around, tables.beyond, tables.steps, tables.leaps
        bits, quiet = tables.bits, tables.quiet
        blocked = self.occupied | view.closed
        for start in self.army[self.turn]:
            near = around[start]
            if start in goal:
                if self.castle_moves[self.turn] < self.variant.castle_moves:
                    hops_found += [hop for hop in steps[start][blocked & near] if hop[1] in goal]
                continue
            hops_found += steps[start][blocked & near]
            if not own & near:
                continue
            landings = leaps[start][own & near | blocked & beyond[start]]
            if not landings:
                continue
            if cells[start] == knight:
                self._append_leaps(start, False, hops_found)
                continue
            lifted, open_to = own ^ bits[start], blocked ^ bits[start]
            hops, seen, stack = quiet[start], {start}, [*landings]
            for at in stack:  # grows while it is walked
                if at not in seen:
                    seen.add(at)
                    hops_found.append(hops[at])
                    if at not in goal:
                        stack += leaps[at][lifted & around[at] | open_to & beyond[at]]
        return hops_found

    def _must_capture(self) -> bool:
        """Whether a piece can jump. Callers ask only if no piece is in its own castle."""
        seat, tables = self.turn, self._tables
        view, around = self.views[seat], tables.around
        foes, full = self.occupied ^ self.bits[seat], self.occupied | view.barred
        for start in self.army[seat]:
            near = foes & around[start]
            if near and tables.leaps[start][near | full & tables.beyond[start]] and start not in view.goal:
                return True
        return False

    def _list_captures(self) -> list[Hop]:
        """The moves of a seat that must capture: its jumps, and the charges of its Knights."""
        captures: list[Hop] = []
        seat, around = self.turn, self._tables.around
        own = self.bits[seat]
        view, foes = self.views[seat], self.occupied ^ own
        for start in self.army[seat]:
            if start in view.goal:
                continue
            if self.cells[start] == view.knight and own & around[start]:
                self._append_leaps(start, True, captures)
            elif foes & around[start]:
                self._append_jumps(start, start, foes, captures, set())
        return captures

    def _list_leaving_hops(self, home: int) -> list[Hop]:
        """The moves of pieces that must leave their own castle; a piece that can jump must capture."""
        leaving: list[Hop] = []
        seat, tables = self.turn, self._tables
        view = self.views[seat]
        foes, full = self.occupied ^ self.bits[seat], self.occupied | view.barred
        blocked = self.occupied | view.closed
        for start in self.army[seat]:
            if not tables.bits[start] & home:
                continue
            owes = bool(tables.leaps[start][foes & tables.around[start] | full & tables.beyond[start]])
            if not owes:
                leaving += tables.steps[start][blocked & tables.around[start]]
            if owes and self.cells[start] != view.knight:
                self._append_jumps(start, start, foes, leaving, set())
            else:
                self._append_leaps(start, owes, leaving)
        return leaving

    def _append_leaps(self, start: Cell, owes: bool, found: list[Hop]) -> None:
        """Appends the canters of a piece and a Knight's charges; only captures if the piece owes one.

        A Knight whose canter lands where it can jump owes a capture from then on. It may canter further, but not into
        the castle.
        """
        seat, tables = self.turn, self._tables
        view, around, beyond, leaps = self.views[seat], tables.around, tables.beyond, tables.leaps
        bit = tables.bits[start]
        goal, own = view.goal, self.bits[seat] ^ bit
        foes = self.occupied ^ self.bits[seat]
        blocked, full = self.occupied ^ bit | view.closed, self.occupied ^ bit | view.barred
        knight = self.cells[start] == view.knight
        jumped: set[tuple[Cell, int]] = set()
        hops = tables.quiet[start]
        owing = [start] if owes else []
        if owes:
            self._append_jumps(start, start, foes, found, jumped)
        else:
            free, seen = [start], {start}
            for at in free:
                for to in leaps[at][own & around[at] | blocked & beyond[at]]:
                    if to in seen:
                        continue
                    seen.add(to)
                    if to in goal:
                        found.append(hops[to])
                    elif knight and foes & around[to] and leaps[to][foes & around[to] | full & beyond[to]]:
                        owing.append(to)
                        self._append_jumps(start, to, foes, found, jumped)
                    else:
                        found.append(hops[to])
                        free.append(to)
        seen = {start, *owing}
        for at in owing:
            for to in leaps[at][own & around[at] | blocked & beyond[at]]:
                if to not in seen and to not in goal:
                    seen.add(to)
                    owing.append(to)
                    if foes & around[to]:
                        self._append_jumps(start, to, foes, found, jumped)

    def _append_jumps(self, start: Cell, at: Cell, foes: int, found: list[Hop], seen: set[tuple[Cell, int]]) -> None:
        """Appends every series of jumps of the piece from `start` that begins at `at`, one per outcome."""
        tables, view = self._tables, self.views[self.turn]
        leaps, around, beyond, between, bits = tables.leaps, tables.around, tables.beyond, tables.between, tables.bits
        others = self.bits[self.turn] & ~bits[start] | view.barred
        stack: list[tuple[Cell, int, tuple[Cell, ...]]] = [(at, foes, ())]
        while stack:
            here, left, taken = stack.pop()
            near = left & around[here]
            landings = leaps[here][near | (others | left) & beyond[here]] if near and here not in view.goal else ()
            for to in landings:
                over = between[here][to]
                state = to, left ^ bits[over]
                if state not in seen:
                    seen.add(state)
                    stack.append((*state, (*taken, over)))
            if taken and not landings:
                found.append((start, here, taken))
