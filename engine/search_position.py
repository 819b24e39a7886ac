"""The search position: a position that moves change in place and take back, as fast as Python allows.

It uses the boards and endings of `rules`. Tests compare its moves with those of `rules`, and `rules` still judges every
move that the engine chooses.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.lookup_tables import Hop, keys_of
from engine.move_generator import Pieces
from rules import Move, PieceKind, Position, Seat, legal_moves, steward_move


class SearchPosition(Pieces):
    """A mutable position for searches: `make` plays a move, `unmake` takes the last one back.

    >>> from rules import VARIANTS
    >>> search = SearchPosition(VARIANTS["camette"].start_position)
    >>> before = search.key
    >>> search.make(search.legal_hops()[0])
    >>> search.depth_made
    1
    >>> search.unmake()
    >>> search.key == before
    True
    """

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
        """The winners if the game is over (empty for a draw), else None. Set by `make`, and by `legal_hops` if a seat
        without a legal move ends the game."""
        ended = variant.ending(position)
        if ended:
            self.result = ended.winners
        self.key = self._compute_key()
        """A hash that is equal for repeated positions."""
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
        """Returns this position as a value of `rules`."""
        return Position(self.variant, bytes(self.cells), self.turn, tuple(self.castle_moves), self.out, self.stewards)

    def is_playing(self, seat: Seat) -> bool:
        """Whether that seat is still in the game: it has pieces and its player has not left."""
        return bool(self.bits[seat]) and seat not in self.out

    @property
    def depth_made(self) -> int:
        """How many moves `unmake` can take back."""
        return len(self._undo)

    def make(self, hop: Hop) -> None:
        """Plays a move of `legal_hops` and passes the turn on; sets `result` if the pieces then decide the game."""
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
            # Endings depend only on castles and on seats with hardly a piece left.
            ended = self.variant.ending(self.to_position())
            if ended:
                self.result = ended.winners

    def unmake(self) -> None:
        """Takes the last move back, together with the turns that passed after it."""
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
        """Gives the turn to the next seat that takes turns; to the same seat if there is no other."""
        seat, bits, skipped = self.turn, self.bits, self._skipped
        for other in self.variant.turn_orders[seat]:
            if bits[other] and other not in skipped:
                self.turn = other
                self.key ^= self._keys.turn[seat] ^ self._keys.turn[other]
                return

    def legal_hops(self) -> list[Hop]:
        """Every legal move, one per outcome, in no particular order. Empty only if the game is over.

        If a seat cannot move, sets `result` as the rules decide, or passes the turn to the next seat that can move.
        `unmake` of the previous move takes both back.
        """
        if self.result is not None:
            return []
        hops = self._list_hops()
        passed: set[Seat] = set()
        while not hops:
            if self.turn in passed:
                self.result = ()
                return []
            verdict = self.variant.stuck(self.to_position())
            if verdict:
                self.result = verdict.winners
                return []
            passed.add(self.turn)
            self._pass_on()
            hops = self._list_hops()
        return hops

    def due_captures(self) -> list[Hop]:
        """The captures that are due; empty if none is due or a piece must leave its own castle first.

        Unlike `legal_hops`, it does not detect a seat that cannot move.
        """
        if self.result is not None or self.bits[self.turn] & self.views[self.turn].castle or not self._must_capture():
            return []
        return self._steward_hops() if self.turn in self.stewards else self._list_captures()

    def forcing_hops(self) -> list[Hop]:
        """The moves to play before the position is quiet: due captures, and the move of a steward.

        Passes the turn of a steward that passes. Empty also if that ends the game.
        """
        while self.result is None and self.turn in self.stewards:
            steward = self.turn
            hops = self.legal_hops()
            if self.turn == steward:
                return hops
        return self.due_captures()

    def free_steps(self, seat: Seat) -> int:
        """The cells, as a bit set, that some piece of that seat could step onto.

        If it is not empty, the seat has a legal move. If it is empty (no room, a piece that must leave its own castle,
        or a steward), only `legal_hops` can tell.
        """
        view, around, near = self.views[seat], self._tables.around, 0
        if self.bits[seat] & view.castle or seat in self.stewards:
            return 0
        for start in self.army[seat]:
            if start not in view.goal:
                near |= around[start]
        return near & ~(self.occupied | view.closed)

    def can_enter_castle(self) -> bool:
        """Whether a single step takes the castle. Callers ask only if no capture is due. A steward never enters."""
        view, own = self.views[self.turn], self.bits[self.turn]
        if own & view.castle or self.turn in self.stewards:
            return False
        missing = view.goal_bits & ~own
        if missing & self.occupied or missing & (missing - 1):
            return False
        return bool(own & ~view.goal_bits & self._tables.around[missing.bit_length() - 1])

    def _list_hops(self) -> list[Hop]:
        """The moves of the seat to move, which a player or a steward plays."""
        return self._steward_hops() if self.turn in self.stewards else self._list_player_hops()

    def _steward_hops(self) -> list[Hop]:
        """The move of a steward as a list of at most one; the same as `rules.steward_move`."""
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
        """Whether an attacker could enter the empty castle of that seat if it were their turn."""
        castle, turn = self.views[seat].castle, self.turn
        if self.occupied & castle or not self.occupied & self.views[seat].doorstep:
            return False
        for other, view in enumerate(self.views):
            if view.goal_bits == castle and self.is_playing(other):
                self.turn = other
                in_reach = any(hop[1] in view.goal for hop in self._list_player_hops())
                self.turn = turn
                if in_reach:
                    return True
        return False


def as_move(position: Position, hop: Hop) -> Move:
    """The move of `legal_moves` with that outcome. Raises KeyError if there is none."""
    return as_moves(position, [hop])[0]


def as_moves(position: Position, hops: Iterable[Hop]) -> list[Move]:
    """The moves of `legal_moves` with those outcomes. Raises KeyError if one is not legal."""
    legal = {move.outcome: move for move in legal_moves(position)}
    return [legal[start, to, frozenset(captures)] for start, to, captures in hops]
