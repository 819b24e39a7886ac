"""The search position: a position that is changed in place, move by move and back, as fast as Python allows.

It reads the tables of the rules' own boards and asks the variant's own endings. What it lists is proved equal to the
referee in the tests, and whatever the engine chooses is played through the referee all the same.

A piece finds its steps and leaps by what stands around it, in tables that fill as patterns occur.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.tables import Hop, keys_of, tables_of, views_of
from rules import Move, PieceKind, Position, Seat, legal_moves, steward_move
from rules.board import Cell


class SearchPosition:
    """A position to search in. `make` changes it, `unmake` takes the last move back."""

    __slots__ = (
        "_keys",
        "_owner",
        "_skipped",
        "_tables",
        "_undo",
        "army",
        "bits",
        "castle_moves",
        "cells",
        "key",
        "occupied",
        "out",
        "result",
        "stewards",
        "turn",
        "variant",
        "views",
    )

    def __init__(self, position: Position) -> None:
        self.variant = variant = position.variant
        self.cells = bytearray(position.cells)
        """One byte per cell, as in `Position.cells`."""
        self.turn = position.turn
        self.castle_moves = list(position.castle_moves)
        """Castle moves used so far, per seat."""
        self.out = position.out
        self.stewards = position.stewards
        self._skipped = position.skipped
        self.views = views_of(variant)
        self._tables, self._keys = tables_of(variant.board), keys_of(variant)
        self._owner = [0, *(seat for seat in variant.seats for _ in PieceKind)]
        self.army: list[set[Cell]] = [set() for _ in variant.seats]
        """The cells of each seat's pieces."""
        self.bits = [0 for _ in variant.seats]
        """The same as sets of bits."""
        for cell, piece in position.pieces.items():
            self.army[piece.seat].add(cell)
            self.bits[piece.seat] |= 1 << cell
        self.occupied = sum(self.bits)
        self.result: tuple[Seat, ...] | None = None
        """The winners once the game is over, none in a draw. `make` tells it, and `moves` where nobody can move."""
        ended = variant.ending(position)
        if ended:
            self.result = ended.winners
        self.key = self._whole_key()
        """Equal for positions that count as repeated."""
        self._undo: list[tuple[Hop, int, tuple[int, ...], Seat, int, int]] = []

    def _whole_key(self) -> int:
        keys, key = self._keys, self._keys.turn[self.turn]
        for cell, code in enumerate(self.cells):
            key ^= keys.piece[code][cell]
        for seat, used in enumerate(self.castle_moves):
            key ^= keys.castle[seat][used]
        for seat in self.out:
            key ^= keys.out[seat]
        for seat in self.stewards:
            key ^= keys.steward[seat]
        return key

    def position(self) -> Position:
        """The same as the referee's position."""
        return Position(self.variant, bytes(self.cells), self.turn, tuple(self.castle_moves), self.out, self.stewards)

    def plays(self, seat: Seat) -> bool:
        """Whether that seat is still in the game: it has pieces and its player has not left."""
        return bool(self.bits[seat]) and seat not in self.out

    @property
    def played(self) -> int:
        """How many moves `unmake` can take back."""
        return len(self._undo)

    def make(self, hop: Hop) -> None:
        """Make a move that `moves` listed, and pass the turn on; `result` tells whether that ended the game."""
        start, to, captures = hop
        cells, keys, seat, before = self.cells, self._keys.piece, self.turn, self.occupied
        bits, tables, key = self.bits, self._tables.bits, self.key
        code = cells[start]
        army = self.army[seat]
        army.remove(start)
        army.add(to)
        cells[start] = 0
        taken: tuple[int, ...] = ()
        few = False
        if captures:
            taken = tuple([cells[cell] for cell in captures])
            for cell, lost in zip(captures, taken, strict=True):
                owner = self._owner[lost]
                self.army[owner].remove(cell)
                bits[owner] ^= tables[cell]
                self.occupied ^= tables[cell]
                cells[cell] = 0
                key ^= keys[lost][cell]
                few = few or len(self.army[owner]) <= 1
        self._undo.append((hop, code, taken, seat, self.key, before))
        cells[to] = code
        if start != to:
            moved = tables[start] ^ tables[to]
            bits[seat] ^= moved
            self.occupied ^= moved
            row = keys[code]
            key ^= row[start] ^ row[to]
        goal = self.views[seat].goal
        arrived = to in goal
        if arrived and start in goal:
            used = self.castle_moves[seat]
            key ^= self._keys.castle[seat][used] ^ self._keys.castle[seat][used + 1]
            self.castle_moves[seat] = used + 1
        self.key = key
        self._pass_on()
        if arrived or few:
            # Only this can change what the endings ask: a castle filled, or hardly a piece left.
            ended = self.variant.ending(self.position())
            if ended:
                self.result = ended.winners

    def unmake(self) -> None:
        """Take the last move back, with the turns that passed after it."""
        (start, to, captures), code, taken, seat, key, self.occupied = self._undo.pop()
        cells, bits, tables = self.cells, self.bits, self._tables.bits
        army = self.army[seat]
        army.remove(to)
        army.add(start)
        cells[to] = 0
        cells[start] = code
        if start != to:
            bits[seat] ^= tables[start] ^ tables[to]
        for cell, lost in zip(captures, taken, strict=True):
            owner = self._owner[lost]
            self.army[owner].add(cell)
            bits[owner] |= tables[cell]
            cells[cell] = lost
        goal = self.views[seat].goal
        if to in goal and start in goal:
            self.castle_moves[seat] -= 1
        self.turn, self.key, self.result = seat, key, None

    def _pass_on(self) -> None:
        """The turn to the next seat that takes turns; the same one if no other does."""
        seat, bits, skipped = self.turn, self.bits, self._skipped
        for other in self.variant.followers[seat]:
            if bits[other] and other not in skipped:
                self.turn = other
                self.key ^= self._keys.turn[seat] ^ self._keys.turn[other]
                return

    def moves(self) -> list[Hop]:
        """Every legal move, one per outcome, in no particular order. Empty only when the game is over.

        Where a seat cannot move, the verdict of the rules becomes the `result`, or the turn passes to the next one that
        can; `unmake` of the move before takes that back, too.
        """
        if self.result is not None:
            return []
        found = self._listed()
        passed: set[Seat] = set()
        while not found:
            if self.turn in passed:
                self.result = ()
                return []
            verdict = self.variant.stuck(self.position())
            if verdict:
                self.result = verdict.winners
                return []
            passed.add(self.turn)
            self._pass_on()
            found = self._listed()
        return found

    def captures(self) -> list[Hop]:
        """The captures that are due; none where the move is free or a piece must leave its own castle first.

        Unlike `moves`, it tells nothing about a seat that cannot move.
        """
        if self.result is not None or self.bits[self.turn] & self.views[self.turn].castle or not self._due():
            return []
        return self._steward() if self.turn in self.stewards else self._captures()

    def room(self, seat: Seat) -> int:
        """The cells, as bits, that some piece of that seat could step onto.

        Where there is any, the seat has a legal move. Where there is none, because there is no room, a piece must leave
        its own castle or a steward sits there, only `moves` knows.
        """
        view, around, near = self.views[seat], self._tables.around, 0
        if self.bits[seat] & view.castle or seat in self.stewards:
            return 0
        for start in self.army[seat]:
            if start not in view.goal:
                near |= around[start]
        return near & ~(self.occupied | view.closed)

    def enters(self) -> bool:
        """Whether a single step takes the castle at once; asked where no capture is due and no piece stands at home."""
        view, own = self.views[self.turn], self.bits[self.turn]
        missing = view.goal_bits & ~own
        if missing & self.occupied or missing & (missing - 1):
            return False
        return bool(own & ~view.goal_bits & self._tables.around[missing.bit_length() - 1])

    def _listed(self) -> list[Hop]:
        """The moves of the seat whose turn it is."""
        view, own = self.views[self.turn], self.bits[self.turn]
        home = own & view.castle
        if self.turn in self.stewards:
            return self._steward()
        if home:
            return self._leaving(home)
        if self._due():
            return self._captures()
        found: list[Hop] = []
        tables, cells, knight, goal = self._tables, self.cells, view.knight, view.goal
        around, beyond, steps, leaps = tables.around, tables.beyond, tables.steps, tables.leaps
        bits, quiet = tables.bits, tables.quiet
        blocked = self.occupied | view.closed
        for start in self.army[self.turn]:
            near = around[start]
            if start in goal:
                if self.castle_moves[self.turn] < self.variant.castle_moves:
                    found += [hop for hop in steps[start][blocked & near] if hop[1] in goal]
                continue
            found += steps[start][blocked & near]
            if not own & near:
                continue
            landings = leaps[start][own & near | blocked & beyond[start]]
            if not landings:
                continue
            if cells[start] == knight:
                self._knight(start, False, found)
                continue
            lifted, open_to = own ^ bits[start], blocked ^ bits[start]
            hops, seen, stack = quiet[start], {start}, [*landings]
            for at in stack:  # grows while it is walked
                if at not in seen:
                    seen.add(at)
                    found.append(hops[at])
                    if at not in goal:
                        stack += leaps[at][lifted & around[at] | open_to & beyond[at]]
        return found

    def _steward(self) -> list[Hop]:
        """What a steward does, as the referee says it: at most one move."""
        move = steward_move(self.position())
        return [(move.start, move.end, move.captures)] if move else []

    def _due(self) -> bool:
        """Whether a piece could jump; asked only where none stands in its own castle."""
        seat, tables = self.turn, self._tables
        view, around = self.views[seat], tables.around
        foes, full = self.occupied ^ self.bits[seat], self.occupied | view.barred
        for start in self.army[seat]:
            near = foes & around[start]
            if near and tables.leaps[start][near | full & tables.beyond[start]] and start not in view.goal:
                return True
        return False

    def _captures(self) -> list[Hop]:
        """The moves of a seat that has to capture: its jumps, and the charges of its Knights."""
        found: list[Hop] = []
        seat, around = self.turn, self._tables.around
        own = self.bits[seat]
        view, foes = self.views[seat], self.occupied ^ own
        for start in self.army[seat]:
            if start in view.goal:
                continue
            if self.cells[start] == view.knight and own & around[start]:
                self._knight(start, True, found)
            elif foes & around[start]:
                self._jump(start, start, foes, found, set())
        return found

    def _leaving(self, home: int) -> list[Hop]:
        """The moves of pieces that must leave their own castle; each of them captures if it can jump."""
        found: list[Hop] = []
        seat, tables = self.turn, self._tables
        view = self.views[seat]
        foes, full = self.occupied ^ self.bits[seat], self.occupied | view.barred
        blocked = self.occupied | view.closed
        for start in self.army[seat]:
            if not tables.bits[start] & home:
                continue
            owes = bool(tables.leaps[start][foes & tables.around[start] | full & tables.beyond[start]])
            if not owes:
                found += tables.steps[start][blocked & tables.around[start]]
            if owes and self.cells[start] != view.knight:
                self._jump(start, start, foes, found, set())
            else:
                self._knight(start, owes, found)
        return found

    def _knight(self, start: Cell, owes: bool, found: list[Hop]) -> None:
        """Append the canters and charges of a piece, a Man's canters too; only captures where one is owed.

        A Knight whose canter lands where it could jump owes a capture from there on; it may go on cantering, but not
        into the castle.
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
            self._jump(start, start, foes, found, jumped)
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
                        self._jump(start, to, foes, found, jumped)
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
                        self._jump(start, to, foes, found, jumped)

    def _jump(self, start: Cell, at: Cell, foes: int, found: list[Hop], seen: set[tuple[Cell, int]]) -> None:
        """Append every series of jumps that the piece from `start` may make from `at`, one per outcome."""
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


def as_move(position: Position, hop: Hop) -> Move:
    """The referee's legal move with that outcome. Raises KeyError where there is none."""
    return as_moves(position, [hop])[0]


def as_moves(position: Position, hops: Iterable[Hop]) -> list[Move]:
    """The referee's legal moves with those outcomes. Raises KeyError where one is none."""
    legal = {move.outcome: move for move in legal_moves(position)}
    return [legal[start, to, frozenset(captures)] for start, to, captures in hops]
