"""Why a move is refused: the rule's name, the reason, the cells on the board, and what is legal instead."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import discord
from discord import ButtonStyle

from bot.core.draft import Draft, format_path
from bot.core.match import Match
from bot.discordkit.components import COMPOSER, MAX_CELLS_CARRIED, ComposerState, make_view
from bot.discordkit.metrics import InteractionOutcome
from bot.discordkit.reply import Interaction, reader_language, send_answer
from bot.discordkit.work import note_outcome
from bot.play.app import Caller, draw_picture, run_heavy
from bot.texts.i18n import Language, join_list, text
from bot.texts.sentences import alt_text, code_list, explain_rules_error, played_sentence
from render import Mark, MarkKind, View
from rules import (
    AmbiguousMove,
    IllegalMove,
    NotationError,
    Position,
    Reason,
    RulesError,
    format_move,
    parse_move,
    suggest_move_texts,
)
from rules.board import Cell
from rules.notation import read_move

UNFINISHED_REASONS = {Reason.MUST_GO_ON, Reason.KNIGHT_MUST_CAPTURE}
"""Refusals of a move that has begun well: the answer lists how it may go on."""

OTHER_PIECE_REASONS = {Reason.MUST_LEAVE_CASTLE, Reason.MUST_JUMP_OUT}
"""Refusals because another piece is the one to move; its cell comes first among those concerned."""

MAX_WAYS_LISTED = 8
EXTRA_SUGGESTIONS = 10
"""More than the cells whose names begin as another one's."""
BUTTONS_PER_ROW = 5
MAX_COMPOSER_LINKS = 25
"""Buttons below a message, at most."""


ComposerLink = tuple[str, tuple[Cell, ...]]
"""The label of a button, with the path at which it opens the composer."""
ComposerLinks = tuple[ComposerLink, ...]


class RefusalExplanation(NamedTuple):
    """What a refusal teaches: its words, the cells to mark, and where the composer may be opened instead."""

    words: str
    marks: tuple[Mark, ...]
    links: ComposerLinks


def explain_refused_move(locale: Language, position: Position, typed: str, error: RulesError) -> RefusalExplanation:
    """The refusal of that text in that position. Bounded whatever the position."""
    board = position.variant.board
    starts = Draft.from_path(position).start_cells
    lines = [reason_text(locale, error, position)]
    captures = _due_captures(position, error)
    if captures:
        lines.append(text(locale, "why.captures"))
        # A Knight may also come to a capture by a charge: a piece that has no other way to one is a door by itself.
        charge_starts = [start for start in starts if not any(path[0] == start for _, path in captures)]
        links = (*captures, *(_composer_link(locale, position, start) for start in charge_starts))
        return RefusalExplanation("\n".join(lines), marks_for_error(position, error), links[:MAX_COMPOSER_LINKS])
    cells = [board.find_cell(error.cells[0])] if error.reason in OTHER_PIECE_REASONS else cells_named(position, typed)
    start = next(iter(cells), None)
    if start is None or start not in starts:
        return RefusalExplanation(
            "\n".join(lines), marks_for_error(position, error), ((text(locale, "button.compose"), ()),)
        )
    if not isinstance(error, AmbiguousMove):  # which lists them already
        ways = suggest_move_texts(position, typed, MAX_WAYS_LISTED) if error.reason in UNFINISHED_REASONS else []
        key = "move.try-these" if ways else "why.from-here"
        ways = ways or moves_of_piece(position, board.names[start], MAX_WAYS_LISTED)
        lines.append(text(locale, key, moves=code_list(ways)))
    return RefusalExplanation(
        "\n".join(lines), marks_for_error(position, error), (_composer_link(locale, position, start),)
    )


def reason_text(locale: Language, error: RulesError, position: Position) -> str:
    """The name of the rule, and in one sentence why it refuses."""
    rule = text(locale, f"rule.{error.reason.value}")
    sentence = explain_rules_error(locale, error, example_notation(position), position.variant)
    return text(locale, "why.refused", rule=rule, sentence=sentence)


def marks_for_error(position: Position, error: RulesError) -> tuple[Mark, ...]:
    """The cells concerned, and those of the pieces that could be captured instead or the moves that were meant."""
    cell = position.variant.board.find_cell
    if isinstance(error, AmbiguousMove):
        ends_meant = {move.end for move in error.candidates}
        return (*(Mark(end, MarkKind.HINT) for end in sorted(ends_meant)),)
    if not isinstance(error, IllegalMove):
        return ()
    wrong_cells = dict.fromkeys(cell(name) for name in error.cells)
    hint_cells = dict.fromkeys(cell(over) for _, over in error.captures)
    return (
        *(Mark(at, MarkKind.WRONG) for at in wrong_cells),
        *(Mark(at, MarkKind.HINT) for at in hint_cells if at not in wrong_cells),
    )


def _composer_link(locale: Language, position: Position, start: Cell) -> ComposerLink:
    return text(locale, "why.open-at", cell=position.variant.board.names[start]), (start,)


def _due_captures(position: Position, error: RulesError) -> ComposerLinks:
    """The captures that are due, each as a door after its first jump."""
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
    """A short legal move, to show how moves are written."""
    (piece, *_) = suggest_move_texts(position, "", 1) or [""]
    return next(iter(moves_of_piece(position, piece, 1)), "F7-F9")


def cells_named(position: Position, typed: str) -> tuple[Cell, ...]:
    """The cells that the text names, whatever they mean; none if it cannot be read."""
    try:
        return read_move(typed, position.variant.board)[0]
    except NotationError:
        return ()


def moves_of_piece(position: Position, name: str, most: int) -> list[str]:
    """Some moves of the piece on that cell, captures first."""
    # After "F1", pieces on F10 and F11 are suggested as well.
    return [way for way in suggest_move_texts(position, name, most + EXTRA_SUGGESTIONS) if "-" in way or "x" in way][
        :most
    ]


def composer_links_view(match: Match, links: ComposerLinks) -> discord.ui.View:
    """Buttons that open the composer."""
    state = ComposerState(match.id, match.board_version)
    buttons = [
        COMPOSER.make_button(
            "open", state._replace(path=format_path(path)), label, ButtonStyle.primary, number // BUTTONS_PER_ROW
        )
        for number, (label, path) in enumerate(links)
    ]
    return make_view(*buttons)


async def answer_refused_move(interaction: Interaction, match: Match, typed: str, error: RulesError) -> None:
    """Answer with the lesson, its picture, and (to the player to move) the doors to the composer."""
    note_outcome(interaction, InteractionOutcome.REFUSED)
    locale, position = reader_language(interaction), match.started_game.position
    explanation = await run_heavy(interaction, explain_refused_move, locale, position, typed, error)
    if isinstance(error, IllegalMove) and error.cells:
        alt = text(locale, "alt.refusal", cells=join_list(locale, error.cells))
    else:
        alt = alt_text(locale, match.id, match.ply, position, over=False)
    view = View(position, position.turn, marks=explanation.marks)
    await _answer_with_board(interaction, match, explanation.words, view, alt, explanation.links)


async def explain_move(interaction: Interaction, match: Match, position: Position, typed: str) -> None:
    """Answer what the move would be, or why it is none. Nothing is played, and the interaction must be deferred."""
    locale = reader_language(interaction)
    try:
        move = await run_heavy(interaction, parse_move, position, typed)
    except RulesError as error:
        await answer_refused_move(interaction, match, typed, error)
        return
    link = text(locale, "button.compose"), move.path if len(move.path) <= MAX_CELLS_CARRIED else move.path[:1]
    alt = f"{format_move(move, position.variant.board)}. {alt_text(locale, match.id, match.ply, position, over=False)}"
    words = text(locale, "why.legal", played=played_sentence(locale, position, move))
    await _answer_with_board(interaction, match, words, View(position, position.turn, grown=move), alt, (link,))


async def _answer_with_board(
    interaction: Interaction, match: Match, words: str, view: View, alt: str, links: ComposerLinks
) -> None:
    """The words with the view as the reader likes to see it, and the doors for the player to move."""
    caller = Caller(interaction)
    seat = match.seat_of(caller.user)
    view = view if seat is None else replace(view, bottom=seat)
    file = await draw_picture(interaction, view, await caller.load_preferences(), f"game-{match.id}", alt)
    buttons = composer_links_view(match, links) if match.to_move == caller.user else None
    await send_answer(interaction, words, files=[file], view=buttons)
