"""Why a move is refused: the rule's name, the reason, the cells on the board, and what is legal instead."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import discord
from discord import ButtonStyle

from bot.commands.app import Asker, beside, drawn
from bot.kit.components import CELLS_CARRIED, COMPOSER, ComposerState, row
from bot.kit.metrics import Outcome
from bot.kit.reply import Interaction, answer, reader
from bot.kit.work import note_outcome
from bot.match.draft import Draft, format_path
from bot.match.match import Match
from bot.texts.i18n import Language, join, text
from bot.texts.sentences import alt_text, code_list, played, refusal
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
    suggest,
)
from rules.board import Cell
from rules.notation import read_move

UNFINISHED = {Reason.MUST_GO_ON, Reason.KNIGHT_MUST_CAPTURE}
"""Refusals of a move that has begun well: the answer lists how it may go on."""

HOMEBOUND = {Reason.MUST_LEAVE_CASTLE, Reason.MUST_JUMP_OUT}
"""Refusals because another piece is the one to move; its cell comes first among those concerned."""

SHOWN_WAYS = 8
ROOM_FOR_PIECES = 10
"""More than the cells whose names begin as another one's."""
PER_ROW = 5
MOST_DOORS = 25
"""Buttons below a message, at most."""


Door = tuple[str, tuple[Cell, ...]]
"""The label of a button, with the path at which it opens the composer."""
Doors = tuple[Door, ...]


class Lesson(NamedTuple):
    """What a refusal teaches: its words, the cells to mark, and where the composer may be opened instead."""

    words: str
    marks: tuple[Mark, ...]
    doors: Doors


def lesson(locale: Language, position: Position, typed: str, error: RulesError) -> Lesson:
    """The refusal of that text in that position. Bounded whatever the position."""
    board = position.variant.board
    starts = Draft.of(position).starts
    lines = [reason_text(locale, error, position)]
    captures = _captures(position, error)
    if captures:
        lines.append(text(locale, "why.captures"))
        # A Knight may also come to a capture by a charge: a piece that has no other way to one is a door by itself.
        charges = [start for start in starts if not any(path[0] == start for _, path in captures)]
        doors = (*captures, *(_door(locale, position, start) for start in charges))
        return Lesson("\n".join(lines), marks_of(position, error), doors[:MOST_DOORS])
    named = [board.cell(error.cells[0])] if error.reason in HOMEBOUND else cells_in(position, typed)
    start = next(iter(named), None)
    if start is None or start not in starts:
        return Lesson("\n".join(lines), marks_of(position, error), ((text(locale, "button.compose"), ()),))
    if not isinstance(error, AmbiguousMove):  # which lists them already
        ways = suggest(position, typed, SHOWN_WAYS) if error.reason in UNFINISHED else []
        key = "move.try-these" if ways else "why.from-here"
        ways = ways or moves_of_piece(position, board.names[start], SHOWN_WAYS)
        lines.append(text(locale, key, moves=code_list(ways)))
    return Lesson("\n".join(lines), marks_of(position, error), (_door(locale, position, start),))


def reason_text(locale: Language, error: RulesError, position: Position) -> str:
    """The name of the rule, and in one sentence why it refuses."""
    rule = text(locale, f"rule.{error.reason.value}")
    sentence = refusal(locale, error, an_example(position), position.variant)
    return text(locale, "why.refused", rule=rule, sentence=sentence)


def marks_of(position: Position, error: RulesError) -> tuple[Mark, ...]:
    """The cells concerned, and those of the pieces that could be captured instead or the moves that were meant."""
    cell = position.variant.board.cell
    if isinstance(error, AmbiguousMove):
        meant = {move.end for move in error.candidates}
        return (*(Mark(end, MarkKind.HINT) for end in sorted(meant)),)
    if not isinstance(error, IllegalMove):
        return ()
    wrong = dict.fromkeys(cell(name) for name in error.cells)
    hints = dict.fromkeys(cell(over) for _, over in error.captures)
    return (*(Mark(at, MarkKind.WRONG) for at in wrong), *(Mark(at, MarkKind.HINT) for at in hints if at not in wrong))


def _door(locale: Language, position: Position, start: Cell) -> Door:
    return text(locale, "why.open-at", cell=position.variant.board.names[start]), (start,)


def _captures(position: Position, error: RulesError) -> Doors:
    """The captures that are due, each as a door after its first jump."""
    if not isinstance(error, IllegalMove) or not error.captures:
        return ()
    board = position.variant.board
    doors = []
    for start, over in error.captures:
        begun = Draft.of(position, [board.cell(start)])
        jumps = [leg.to for leg in begun.legs if leg.over == board.cell(over)]
        doors += [(f"{start}x{board.names[to]}", (board.cell(start), to)) for to in jumps]
    return tuple(doors)


def an_example(position: Position) -> str:
    """A short legal move, to show how moves are written."""
    (piece, *_) = suggest(position, "", 1) or [""]
    return next(iter(moves_of_piece(position, piece, 1)), "F7-F9")


def cells_in(position: Position, typed: str) -> tuple[Cell, ...]:
    """The cells that the text names, whatever they mean; none if it cannot be read."""
    try:
        return read_move(typed, position.variant.board)[0]
    except NotationError:
        return ()


def moves_of_piece(position: Position, name: str, most: int) -> list[str]:
    """Some moves of the piece on that cell, captures first."""
    # After "F1", pieces on F10 and F11 are suggested as well.
    return [way for way in suggest(position, name, most + ROOM_FOR_PIECES) if "-" in way or "x" in way][:most]


def doors_view(match: Match, doors: Doors) -> discord.ui.View:
    """Buttons that open the composer."""
    here = ComposerState(match.id, match.board_version)
    buttons = [
        COMPOSER.button("open", here._replace(path=format_path(path)), label, ButtonStyle.primary, number // PER_ROW)
        for number, (label, path) in enumerate(doors)
    ]
    return row(*buttons)


async def refuse(interaction: Interaction, match: Match, typed: str, error: RulesError) -> None:
    """Answer with the lesson, its picture, and (to the player to move) the doors to the composer."""
    note_outcome(interaction, Outcome.REFUSED)
    locale, position = reader(interaction), match.started_game.position
    taught = await beside(interaction, lesson, locale, position, typed, error)
    if isinstance(error, IllegalMove) and error.cells:
        alt = text(locale, "alt.refusal", cells=join(locale, error.cells))
    else:
        alt = alt_text(locale, match.id, match.ply, position, over=False)
    view = View(position, position.turn, marks=taught.marks)
    await _answer(interaction, match, taught.words, view, alt, taught.doors)


async def explain_move(interaction: Interaction, match: Match, position: Position, typed: str) -> None:
    """Answer what the move would be, or why it is none. Nothing is played, and the interaction must be deferred."""
    locale = reader(interaction)
    try:
        move = await beside(interaction, parse_move, position, typed)
    except RulesError as error:
        await refuse(interaction, match, typed, error)
        return
    door = text(locale, "button.compose"), move.path if len(move.path) <= CELLS_CARRIED else move.path[:1]
    alt = f"{format_move(move, position.variant.board)}. {alt_text(locale, match.id, match.ply, position, over=False)}"
    words = text(locale, "why.legal", played=played(locale, position, move))
    await _answer(interaction, match, words, View(position, position.turn, grown=move), alt, (door,))


async def _answer(interaction: Interaction, match: Match, words: str, view: View, alt: str, doors: Doors) -> None:
    """The words with the view as the reader likes to see it, and the doors for the player to move."""
    asker = Asker(interaction)
    seat = match.seat_of(asker.user)
    view = view if seat is None else replace(view, bottom=seat)
    file = await drawn(interaction, view, await asker.preferences(), f"game-{match.id}", alt)
    buttons = doors_view(match, doors) if match.to_move == asker.user else None
    await answer(interaction, words, files=[file], view=buttons)
