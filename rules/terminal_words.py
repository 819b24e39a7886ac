"""English sentences for the terminal. The bot has its own sentences for Discord, in every language."""

from __future__ import annotations

from rules.basics import Cause
from rules.errors import IllegalMove, Reason, RulesError
from rules.game import Game
from rules.record import RecordError

REFUSALS = {
    Reason.UNREADABLE: "cannot be read: {text}",
    Reason.NO_SUCH_CELL: "the board has no cell {text}",
    Reason.BAD_POSITION: "not a position: {text}",
    Reason.TOO_MANY_PIECES: "more Knights or more Men of this side than it has at the start: {text}",
    Reason.NO_VARIANT: "no game is named by a line such as “# variant: camelot”: {text}",
    Reason.TOO_LONG: "too long for a record of a game, or for one file of them: {text}",
    Reason.EMPTY_START: "{cells} is empty",
    Reason.NOT_YOUR_PIECE: "the piece on {cells} belongs to another player",
    Reason.MUST_LEAVE_CASTLE: "the piece on {cells} must first leave its own castle",
    Reason.MUST_JUMP_OUT: "the piece on {cells} must leave its own castle by a capture",
    Reason.CANNOT_LEAVE_GOAL: "the piece on {cells} cannot leave the opponent's castle",
    Reason.CASTLE_MOVES_USED: "no castle move is left for the piece on {cells}",
    Reason.NOT_ADJACENT: "too far for one step or leap: {cells}",
    Reason.NOT_STRAIGHT: "not a step and not a straight leap: {cells}",
    Reason.SHUT_IN: "shut in, without a legal move: {cells}",
    Reason.OCCUPIED: "occupied: {cells}",
    Reason.NOTHING_TO_LEAP: "nothing to leap over (from, over, to): {cells}",
    Reason.CANTER_OVER_ENEMY: "an enemy is jumped with x, not cantered over: {cells}",
    Reason.JUMP_OVER_OWN: "your own piece is cantered over with -, not jumped: {cells}",
    Reason.OWN_CASTLE: "your own castle is entered only by jumping: {cells}",
    Reason.BARRED_CASTLE: "that castle may never be entered: {cells}",
    Reason.PLAIN_MOVE_ENDS: "a plain move ends where it lands: {cells}",
    Reason.ONLY_KNIGHTS_CHARGE: "only a Knight may canter and jump in one move: {cells}",
    Reason.CANTER_AFTER_JUMP: "no canter after a jump: {cells}",
    Reason.MUST_CAPTURE: "a capture is due: {captures}",
    Reason.MUST_GO_ON: "the jumping must go on (from, over): {cells}",
    Reason.KNIGHT_MUST_CAPTURE: "a Knight whose canter passes an open jump must capture (there, over): {cells}",
    Reason.CANTER_RETURNS: "a canter may not end where it began: {cells}",
    Reason.STEWARD: "the steward passes or does something else: {cells}",
    Reason.AMBIGUOUS: "several moves fit: {cells}",
    Reason.GAME_OVER: "the game is over",
    Reason.UNEXPLAINED: "not a legal move: {cells}",
}

SHOWN = 60
"""How many characters of an unreadable text are shown."""

ENDINGS = {
    Cause.CASTLE: "the castle is taken",
    Cause.CAPTURE: "all pieces are captured",
    Cause.STALEMATE: "no legal move is left",
    Cause.FEW_PIECES: "too few pieces are left",
    Cause.NOBODY_MOVES: "no player can move",
    Cause.REPETITION: "the position came back too often",
    Cause.QUIET: "nothing was captured or entered for too long",
    Cause.RESIGNATION: "the others left",
    Cause.AGREEMENT: "agreed",
    Cause.TIMEOUT: "the time ran out",
    Cause.ABANDONED: "not played to the end",
}


def mistake_in_words(error: RulesError) -> str:
    """A sentence about the error, with the move to blame if there is one.

    >>> from rules import NotationError
    >>> mistake_in_words(NotationError(Reason.NO_SUCH_CELL, text="Z99"))
    'the board has no cell Z99'
    """
    mistake = error.mistake if isinstance(error, RecordError) else error
    captures = mistake.captures if isinstance(mistake, IllegalMove) else ()
    words = REFUSALS[mistake.reason].format(
        text=_shortened(mistake.text) or "(nothing)",
        cells=", ".join(mistake.cells),
        captures=", ".join(f"{start} can take {over}" for start, over in captures) or "see the moves",
    )
    if not isinstance(error, RecordError) or error.entry is None:
        return words
    place = f"{error.variation}: " if error.variation else ""
    return f"{place}move {error.entry.number}, {_shortened(error.entry.move or 'leaving')}: {words}"


def _shortened(text: str) -> str:
    """The start of the text, on one line of printable characters."""
    line = "".join(letter if letter.isprintable() else " " for letter in text[:SHOWN]).strip()
    return line + "…" if len(text) > SHOWN else line


def ending_in_words(game: Game) -> str:
    """A sentence about how the game ended, or who is to move.

    >>> from rules import VARIANTS
    >>> ending_in_words(Game.start(VARIANTS["cam"]).resign(0))
    'Black won: the others left.'
    """
    armies = game.variant.armies
    if game.outcome is None:
        return f"Unfinished; {armies[game.position.turn].colour} to move."
    winners = " and ".join(armies[seat].colour for seat in game.outcome.winners)
    nobody = "No result" if game.outcome.cause is Cause.ABANDONED else "A draw"
    return f"{f'{winners} won' if winners else nobody}: {ENDINGS[game.outcome.cause]}."
