"""Why a move is illegal: the reason, the cells on the board, and what is legal instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from discord import ButtonStyle

from bot.core.draft import Draft, format_path
from bot.core.match import Match
from bot.discordkit.interactions import note_outcome
from bot.discordkit.metrics import InteractionOutcome
from bot.discordkit.reply import Interaction, make_view, reader_language, send_answer
from bot.play.board import add_board, viewer_of
from bot.play.caller import run_heavy
from bot.play.context import COMPOSER, MAX_CELLS_CARRIED, ComposerState
from bot.texts.i18n import Language, join_list, text
from bot.texts.sentences import code_list, explain_rules_error, game_alt_text, grown_alt_text, played_sentence
from render import Mark, MarkKind, View
from rules import AmbiguousMove, IllegalMove, Position, Reason, RulesError, parse_move, suggest_move_texts
from rules.board import Cell
from rules.notation import read_move

UNFINISHED_REASONS = {Reason.MUST_GO_ON, Reason.KNIGHT_MUST_CAPTURE}
"""Reasons for refusing a move that began legally: the answer lists how it may continue."""

OTHER_PIECE_REASONS = {Reason.MUST_LEAVE_CASTLE, Reason.MUST_JUMP_OUT}
"""Reasons that require another piece to move. The cell of that piece comes first in the error's cells."""

MAX_WAYS_LISTED = 8
EXTRA_SUGGESTIONS = 10
"""Added to the limit: more than the number of cells whose names begin with another cell's name."""
MAX_COMPOSER_LINKS = 25
"""Buttons below one message."""


ComposerLink = tuple[str, tuple[Cell, ...]]
"""The label of a button, and the path at which it opens the composer."""


class RefusalExplanation(NamedTuple):
    """What a refusal explains: its words, the cells to mark, and links to the composer."""

    words: str
    marks: tuple[Mark, ...]
    links: tuple[ComposerLink, ...]


def explain_refused_move(locale: Language, position: Position, typed: str, error: RulesError) -> RefusalExplanation:
    """Explains why that text is refused in that position. The work is bounded for every position."""
    board = position.variant.board
    starts = Draft.from_path(position).start_cells
    words, links = reason_text(locale, error, position, typed), tuple[ComposerLink, ...]()
    cells = [board.find_cell(error.cells[0])] if error.reason in OTHER_PIECE_REASONS else cells_named(position, typed)
    start = next(iter(cells), None)
    if captures := _due_captures(position, error):
        words += f"\n{text(locale, 'why.captures')}"
        # A Knight may also reach a capture by a charge: a piece with no other way to one gets a link of its own.
        charge_starts = [start for start in starts if not any(path[0] == start for _, path in captures)]
        links = (*captures, *(_composer_link(locale, position, start) for start in charge_starts))
    elif start in starts:
        links = (_composer_link(locale, position, start),)
        if not isinstance(error, AmbiguousMove):  # which lists the ways already
            ways = suggest_move_texts(position, typed, MAX_WAYS_LISTED) if error.reason in UNFINISHED_REASONS else []
            key = "move.try-these" if ways else "why.from-here"
            ways = ways or moves_of_piece(position, board.names[start], MAX_WAYS_LISTED)
            words += f"\n{text(locale, key, moves=code_list(ways))}"
    links = links[:MAX_COMPOSER_LINKS] or ((text(locale, "button.compose"), ()),)
    return RefusalExplanation(words, marks_for_error(position, error), links)


def reason_text(locale: Language, error: RulesError, position: Position, typed: str) -> str:
    """Returns what was typed, and why the rules refuse it, in a sentence or two."""
    # The example takes a search, and no other sentence has it.
    example = example_notation(position) if error.reason is Reason.UNREADABLE else ""
    reason = explain_rules_error(locale, error, example, position.variant)
    return reason if error.text else text(locale, "why.refused", move=code_list([typed]), reason=reason)


def marks_for_error(position: Position, error: RulesError) -> tuple[Mark, ...]:
    """Marks the cells concerned as wrong, and due captures or the intended ends of an ambiguous move as hints."""
    cell = position.variant.board.find_cell
    if isinstance(error, AmbiguousMove):
        return tuple(Mark(end, MarkKind.HINT) for end in sorted({move.end for move in error.candidates}))
    if not isinstance(error, IllegalMove):
        return ()
    wrong_cells = dict.fromkeys(cell(name) for name in error.cells)
    hint_cells = dict.fromkeys(cell(over) for _, over in error.captures)
    return (
        *(Mark(at, MarkKind.WRONG) for at in wrong_cells),
        *(Mark(at, MarkKind.HINT) for at in hint_cells if at not in wrong_cells),
    )


def marks_text(locale: Language, position: Position, marks: Sequence[Mark]) -> str:
    """Returns which cells are marked, for readers who see no picture; empty if none are."""
    names = position.names(mark.cell for mark in marks)
    return text(locale, "alt.refusal", cells=join_list(locale, names)) if names else ""


def _composer_link(locale: Language, position: Position, start: Cell) -> ComposerLink:
    return text(locale, "why.open-at", cell=position.variant.board.names[start]), (start,)


def _due_captures(position: Position, error: RulesError) -> tuple[ComposerLink, ...]:
    """Returns the due captures, each as a link to the composer after its first jump."""
    if not isinstance(error, IllegalMove) or not error.captures:
        return ()
    board = position.variant.board
    links = []
    for start, over in error.captures:
        draft = Draft.from_path(position, [board.find_cell(start)])
        jumps = [leg.to for leg in draft.next_legs if leg.over == board.find_cell(over)]
        links += [(f"{start}x{board.names[to]}", (board.find_cell(start), to)) for to in jumps]
    return tuple(links)


def example_notation(position: Position) -> str:
    """Returns a short legal move as an example of notation."""
    (piece, *_) = suggest_move_texts(position, "", 1) or [""]
    return next(iter(moves_of_piece(position, piece, 1)), "F7-F9")


def cells_named(position: Position, typed: str) -> tuple[Cell, ...]:
    """Returns the cells named in the text; none if the text is unreadable."""
    try:
        return read_move(typed, position.variant.board)[0]
    except RulesError:
        return ()


def moves_of_piece(position: Position, name: str, most: int) -> list[str]:
    """Returns some moves of the piece on that cell, captures first."""
    # "F1" also suggests pieces on F10 and F11.
    ways = suggest_move_texts(position, name, most + EXTRA_SUGGESTIONS)
    return [way for way in ways if "-" in way or "x" in way][:most]


async def answer_refused_move(interaction: Interaction, match: Match, typed: str, error: RulesError) -> None:
    """Answers with the explanation, its picture, and links to the composer for the player to move."""
    note_outcome(interaction, InteractionOutcome.REFUSED)
    locale, position = reader_language(interaction), match.started_game.position
    explanation = await run_heavy(interaction, explain_refused_move, locale, position, typed, error)
    words = game_alt_text(locale, match.id, match.started_game)
    alt = f"{marks_text(locale, position, explanation.marks)} {words}".lstrip()
    view = View(position, marks=explanation.marks)
    await _answer_with_board(interaction, match, explanation.words, view, alt, explanation.links)


async def explain_move(interaction: Interaction, match: Match, position: Position, typed: str) -> None:
    """Answers with what the move would do, or why it is illegal. Plays nothing, and needs a deferred interaction."""
    locale = reader_language(interaction)
    try:
        move = await run_heavy(interaction, parse_move, position, typed)
    except RulesError as error:
        await answer_refused_move(interaction, match, typed, error)
        return
    link = text(locale, "button.compose"), move.path if len(move.path) <= MAX_CELLS_CARRIED else move.path[:1]
    words = text(locale, "why.legal", played=played_sentence(locale, position, move))
    view = View(position, grown=move)
    await _answer_with_board(interaction, match, words, view, grown_alt_text(locale, view), (link,))


async def _answer_with_board(
    interaction: Interaction, match: Match, words: str, view: View, alt: str, links: tuple[ComposerLink, ...]
) -> None:
    """Answers with the words, the view with the reader's settings, and links to the composer for the
    player to move.
    """
    view, viewer = replace(view, reader=match.seat_of(interaction.user.id)), await viewer_of(interaction)
    content, files = await add_board(interaction, viewer, words, view, f"game-{match.id}", alt)
    state = ComposerState(match.id, match.board_version)
    buttons = [
        COMPOSER.make_button("open", state._replace(path=format_path(path)), label, ButtonStyle.primary)
        for label, path in links
    ]
    shown = make_view(*buttons) if match.to_move == interaction.user.id else None
    await send_answer(interaction, content, files=files, view=shown)
