"""The search position: a position that is changed in place, move by move and back, as fast as Python allows.

It reads the tables of the rules' own boards and asks the variant's own endings. What it lists is proved equal to the
referee in the tests, and whatever the engine chooses is played through the referee all the same.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.pieces import Pieces
from engine.tables import Hop, keys_of
from rules import Move, PieceKind, Position, Seat, legal_moves, steward_move


class SearchPosition(Pieces):
    """A position to search in. `make` changes it, `unmake` takes the last move back."""

    __slots__ = ("_keys", "_owner", "_skipped", "_undo", "key", "out", "result", "stewards")

    def __init__(self, position: Position) -> None:
        super().__init__(position)
        variant = self.variant
        self.out = position.out
        self.stewards = position.stewards
        self._skipped = position.skipped_seats
        self._keys = keys_of(variant)
        self._owner = [0, *(seat for seat in variant.seats for _ in PieceKind)]
        self.result: tuple[Seat, ...] | None = None
        """The winners once the game is over, none in a draw. `make` sets it, and `legal_hops` where nobody can move."""
        ended = variant.ending(position)
        if ended:
            self.result = ended.winners
        self.key = self._compute_key()
        """Equal for positions that count as repeated."""
        self._undo: list[tuple[Hop, int, tuple[int, ...], Seat, int, int]] = []

    def _compute_key(self) -> int:
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

    def to_position(self) -> Position:
        """The same as the referee's position."""
        return Position(self.variant, bytes(self.cells), self.turn, tuple(self.castle_moves), self.out, self.stewards)

    def is_playing(self, seat: Seat) -> bool:
        """Whether that seat is still in the game: it has pieces and its player has not left."""
        return bool(self.bits[seat]) and seat not in self.out

    @property
    def depth_made(self) -> int:
        """How many moves `unmake` can take back."""
        return len(self._undo)

    def make(self, hop: Hop) -> None:
        """Make a move that `legal_hops` listed, and pass the turn on; `result` tells whether that ended the game."""
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
            ended = self.variant.ending(self.to_position())
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
        for other in self.variant.turn_orders[seat]:
            if bits[other] and other not in skipped:
                self.turn = other
                self.key ^= self._keys.turn[seat] ^ self._keys.turn[other]
                return

    def legal_hops(self) -> list[Hop]:
        """Every legal move, one per outcome, in no particular order. Empty only when the game is over.

        Where a seat cannot move, the verdict of the rules becomes the `result`, or the turn passes to the next one that
        can; `unmake` of the move before takes that back, too.
        """
        if self.result is not None:
            return []
        found = self._list_hops()
        passed: set[Seat] = set()
        while not found:
            if self.turn in passed:
                self.result = ()
                return []
            verdict = self.variant.stuck(self.to_position())
            if verdict:
                self.result = verdict.winners
                return []
            passed.add(self.turn)
            self._pass_on()
            found = self._list_hops()
        return found

    def due_captures(self) -> list[Hop]:
        """The captures that are due; none where the move is free or a piece must leave its own castle first.

        Unlike `legal_hops`, it tells nothing about a seat that cannot move.
        """
        if self.result is not None or self.bits[self.turn] & self.views[self.turn].castle or not self._must_capture():
            return []
        return self._steward_hops() if self.turn in self.stewards else self._list_captures()

    def forcing_hops(self) -> list[Hop]:
        """What comes before the position is quiet: captures, and what a steward does; one who passes has passed.

        None also where that has ended the game.
        """
        while self.result is None and self.turn in self.stewards:
            steward = self.turn
            hops = self.legal_hops()
            if self.turn == steward:
                return hops
        return self.due_captures()

    def free_steps(self, seat: Seat) -> int:
        """The cells, as bits, that some piece of that seat could step onto.

        Where there is any, the seat has a legal move. Where there is none, because there is no room, a piece must leave
        its own castle or a steward sits there, only `legal_hops` knows.
        """
        view, around, near = self.views[seat], self._tables.around, 0
        if self.bits[seat] & view.castle or seat in self.stewards:
            return 0
        for start in self.army[seat]:
            if start not in view.goal:
                near |= around[start]
        return near & ~(self.occupied | view.closed)

    def can_enter_castle(self) -> bool:
        """Whether a single step takes the castle at once; asked where no capture is due. No steward ever enters."""
        view, own = self.views[self.turn], self.bits[self.turn]
        if own & view.castle or self.turn in self.stewards:
            return False
        missing = view.goal_bits & ~own
        if missing & self.occupied or missing & (missing - 1):
            return False
        return bool(own & ~view.goal_bits & self._tables.around[missing.bit_length() - 1])

    def _list_hops(self) -> list[Hop]:
        """The moves of the seat whose turn it is."""
        return self._steward_hops() if self.turn in self.stewards else self._list_player_hops()

    def _steward_hops(self) -> list[Hop]:
        """What a steward does, as `steward_move` of the rules says it: at most one move."""
        seat = self.turn
        if self.bits[seat] & self.views[seat].castle or self._must_capture():
            move = steward_move(self.to_position())
            return [(move.start, move.end, move.captures)] if move else []
        if not self._castle_in_reach(seat):
            return []
        for hop in sorted(self._list_player_hops()):
            if not hop[2] and hop[1] not in self.views[seat].goal:
                self.make(hop)
                kept = not self._castle_in_reach(seat)
                self.unmake()
                if kept:
                    return [hop]
        return []

    def _castle_in_reach(self, seat: Seat) -> bool:
        """Whether somebody could enter the empty castle of that seat, were it their turn."""
        castle, turn = self.views[seat].castle, self.turn
        if self.occupied & castle or not self.occupied & self.views[seat].doorstep:
            return False
        for other, view in enumerate(self.views):
            if view.goal_bits == castle and self.is_playing(other):
                self.turn = other
                found = any(hop[1] in view.goal for hop in self._list_player_hops())
                self.turn = turn
                if found:
                    return True
        return False


def as_move(position: Position, hop: Hop) -> Move:
    """The referee's legal move with that outcome. Raises KeyError where there is none."""
    return as_moves(position, [hop])[0]


def as_moves(position: Position, hops: Iterable[Hop]) -> list[Move]:
    """The referee's legal moves with those outcomes. Raises KeyError where one is none."""
    legal = {move.outcome: move for move in legal_moves(position)}
    return [legal[start, to, frozenset(captures)] for start, to, captures in hops]
