"""Errors for moves, position texts and records: they carry reasons and cells, never sentences.

RulesError (a ValueError)
├── NotationError    the text cannot be read
├── IllegalMove      the text is a move, and the rules forbid it
├── AmbiguousMove    several moves fit the text, or the text names only part of a move
└── GameOver         the game has ended, so nobody may move

Callers make sentences in the reader's language from `reason` and `cells`.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from rules.basics import Move


class Reason(Enum):
    """Why a text is refused. The values are catalogue keys and never change."""

    # the text
    UNREADABLE = "unreadable"
    NO_SUCH_CELL = "no-such-cell"
    BAD_POSITION = "bad-position"
    TOO_MANY_PIECES = "too-many-pieces"  # more Knights or Men of a side than its army has
    # a record
    NO_VARIANT = "no-variant"  # it names no game, or one that does not exist
    TOO_LONG = "too-long"  # longer than any game
    # the start
    EMPTY_START = "empty-start"
    NOT_YOUR_PIECE = "not-your-piece"
    MUST_LEAVE_CASTLE = "must-leave-castle"
    MUST_JUMP_OUT = "must-jump-out"
    CANNOT_LEAVE_GOAL = "cannot-leave-goal"
    CASTLE_MOVES_USED = "castle-moves-used"
    SHUT_IN = "shut-in"
    # one leg
    NOT_ADJACENT = "not-adjacent"
    NOT_STRAIGHT = "not-straight"
    OCCUPIED = "occupied"
    NOTHING_TO_LEAP = "nothing-to-leap"
    CANTER_OVER_ENEMY = "canter-over-enemy"
    JUMP_OVER_OWN = "jump-over-own"
    OWN_CASTLE = "own-castle"
    BARRED_CASTLE = "barred-castle"
    PLAIN_MOVE_ENDS = "plain-move-ends"
    ONLY_KNIGHTS_CHARGE = "only-knights-charge"
    CANTER_AFTER_JUMP = "canter-after-jump"
    # the whole move
    MUST_CAPTURE = "must-capture"
    MUST_GO_ON = "must-go-on"
    KNIGHT_MUST_CAPTURE = "knight-must-capture"
    CANTER_RETURNS = "canter-returns"
    STEWARD = "steward"  # the steward passes, or plays another move
    # not this text's fault
    AMBIGUOUS = "ambiguous"
    GAME_OVER = "game-over"
    UNEXPLAINED = "unexplained"  # the fallback; a property test asserts that it never occurs


class RulesError(ValueError):
    """Base of all errors of this package. `reason` says why, `cells` are the names of the cells concerned."""

    def __init__(self, reason: Reason, cells: Sequence[str] = (), text: str = "") -> None:
        self.reason = reason
        self.cells = tuple(cells)
        self.text = text
        super().__init__(" ".join(part for part in (reason.value, *self.cells, repr(text) if text else "") if part))


class NotationError(RulesError):
    """The text cannot be read. `text` is the unreadable part, `cells` is empty."""


class IllegalMove(RulesError):
    """The move is readable, but the rules forbid it.

    If a capture is due, `captures` lists the possible ones as pairs of names: (start, captured cell).

    >>> from rules import VARIANTS, Game
    >>> try:
    ...     Game.start(VARIANTS["camelot"]).play("F7-F8-F9")
    ... except IllegalMove as refusal:
    ...     refusal.reason, refusal.cells
    (<Reason.PLAIN_MOVE_ENDS: 'plain-move-ends'>, ('F8', 'F9'))
    """

    def __init__(self, reason: Reason, cells: Sequence[str] = (), captures: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__(reason, cells)
        self.captures = tuple(captures)


class AmbiguousMove(RulesError):
    """Several moves fit the text, or the text names only part of a move. `candidates` are whole moves that fit.

    `more` is true if the list was cut short. In extreme positions a list cut short may be empty.
    """

    def __init__(self, text: str, candidates: Sequence[Move], names: Sequence[str], *, more: bool = False) -> None:
        super().__init__(Reason.AMBIGUOUS, names, text)
        self.candidates = tuple(candidates)
        self.more = more


class GameOver(RulesError):
    """The game has ended; no move can be played."""

    def __init__(self) -> None:
        super().__init__(Reason.GAME_OVER)
