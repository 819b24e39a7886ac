"""The lessons: every task is solvable, and the referee explains wrong moves."""

from __future__ import annotations

import pytest

from bot.core.draft import format_path, list_move_choices
from bot.core.settings import UserSettings
from bot.learn.lessons import LESSON_FAMILY, LESSONS, Lesson, LessonPanel, LessonState, Task
from bot.play.composer.panel import (
    Look,
    PanelContent,
    numbered_destinations,
    panel_alt_text,
    panel_text,
    panel_view,
    pieces_to_choose,
)
from bot.texts.i18n import Language, text
from render.scene import sheet_of
from rules import VARIANTS, Move, PieceKind, Reason, RulesError, format_move, iter_moves, legal_moves, parse_move
from rules.board import Cell

EVERY = [(key, number) for key in VARIANTS for number in range(len(Task))]
every_lesson = pytest.mark.parametrize(("key", "number"), EVERY)


def the_lesson(key: str, number: int) -> Lesson:
    return LESSONS[key][number]


def panel_of(
    locale: Language,
    key: str,
    number: int,
    settings: UserSettings,
    path: tuple[Cell, ...] = (),
    tried: Move | None = None,
    remark: str = "",
) -> PanelContent:
    """The panel of a lesson at that path."""
    board = LessonPanel(LessonState(key, number), tried)
    found = list_move_choices(board.game, path, castles=False)
    return PanelContent(
        locale, board, board.cursor._replace(path=format_path(path)), found, settings, Look(remark=remark)
    )


def test_each_game_has_the_same_lessons_in_the_same_order() -> None:
    assert list(LESSONS) == list(VARIANTS)
    for key, lessons in LESSONS.items():
        assert [lesson.task for lesson in lessons] == list(Task)
        assert {lesson.position.variant.key for lesson in lessons} == {key}


@every_lesson
def test_the_task_can_be_done_and_something_legal_does_not_do_it(key: str, number: int) -> None:
    lesson = the_lesson(key, number)
    moves = legal_moves(lesson.position)
    done = [move for move in moves if lesson.is_done_by(move)]
    assert lesson.example_move() in done
    if lesson.task not in (Task.JUMP, Task.HOME):  # in these two nothing else is legal
        assert (len(done) == len(moves)) == (lesson.task is Task.STEP)  # the bug: a canter was offered as well
    assert len(lesson.position.pieces) <= 10, "no whole opening"
    if lesson.task is Task.ENTRY:
        assert all(lesson.position.variant.ending(lesson.position.after_move(move)) for move in done)


@every_lesson
def test_every_piece_of_a_lesson_is_in_sight_while_one_is_chosen(key: str, number: int) -> None:
    # The bug: the lesson of the Knight's charge did not show the piece to capture.
    shown = sheet_of(panel_view(panel_of("en", key, number, UserSettings()))).part
    assert not shown or {*the_lesson(key, number).position.pieces} <= {*shown}


@every_lesson
def test_a_lesson_offers_every_solution_and_only_legal_cells(key: str, number: int) -> None:
    moves = legal_moves(the_lesson(key, number).position)
    assert {*pieces_to_choose(panel_of("en", key, number, UserSettings()))} == {move.start for move in moves}
    for move in moves:
        for length in range(1, len(move.path)):
            offered = numbered_destinations(panel_of("en", key, number, UserSettings(), move.path[:length]))
            assert move.path[length] in offered
            assert {*offered} <= {cell for other in moves for cell in other.path[length:]}


@pytest.mark.parametrize("key", VARIANTS)
def test_the_last_lesson_forbids_a_capture_elsewhere(key: str) -> None:
    lesson = LESSONS[key][-1]
    pieces, board = lesson.position.pieces, lesson.position.variant.board
    own = [cell for cell, piece in pieces.items() if piece.seat == lesson.position.turn]
    others = [cell for cell in own if cell not in lesson.castle]
    captures = [
        (cell, to)
        for cell in others
        for over, to, *_ in board.leaps[cell]
        if to not in lesson.position.pieces
        and over in lesson.position.pieces
        and lesson.position.pieces[over].seat != lesson.position.turn
    ]
    assert captures
    for path in captures:
        with pytest.raises(RulesError) as refused:
            parse_move(lesson.position, "x".join(lesson.position.names(path)))
        assert refused.value.reason is Reason.MUST_JUMP_OUT


def test_every_lesson_names_the_castle_that_it_is_about(locale: Language) -> None:
    for key, castles in {"camelot": ("**F16**", "**F1**"), "tri-camelot": ("**A16**", "**F1**")}.items():
        for number, castle in zip((4, 5), castles, strict=True):
            assert castle in panel_text(panel_of(locale, key, number, UserSettings()))


def test_the_first_lesson_speaks_of_the_board_that_it_shows(locale: Language) -> None:
    ways = {key: text(locale, f"lesson.ways.{key}") for key in ("squares", "hexagons", "levels")}
    rules = {key: text(locale, "lesson.step.rule", ways=words) for key, words in ways.items()}
    for variant in VARIANTS:
        own = {"tri-camelot": "hexagons", "cam-3d": "levels"}.get(variant, "squares")
        said = panel_text(panel_of(locale, variant, 0, UserSettings()))
        assert {key for key, rule in rules.items() if rule in said} == {own}


@every_lesson
@pytest.mark.parametrize("board", ["picture", "text"])
def test_every_panel_fits_a_message_and_its_place_a_button(key: str, number: int, locale: Language, board: str) -> None:
    lesson = the_lesson(key, number)
    settings = UserSettings(board=board)
    panels, longest = [panel_of(locale, key, number, settings)], text(locale, "lesson.not-the-task", move="", kind="")
    for move in iter_moves(lesson.position):
        panels.append(panel_of(locale, key, number, settings, tried=move, remark=longest))
        beginnings = [move.path[:length] for length in range(1, len(move.path))]
        panels += [panel_of(locale, key, number, settings, path, remark=longest) for path in beginnings]
    for panel in panels:
        said = panel_text(panel)
        assert len(said) <= 2000, said
        assert ("```" in said) == (board == "text")
        assert "{" not in said
        assert len(panel_alt_text(panel)) <= 1024


def test_the_longest_place_fits_into_a_custom_id() -> None:
    for key, number in EVERY:
        longest = max((move.path for move in iter_moves(the_lesson(key, number).position)), key=len)
        spot = LessonState(key, number, longest[-1], format_path(longest), "zz", 2)
        assert LESSON_FAMILY.parse_id(LESSON_FAMILY.format_id("restart", spot)) == ("restart", spot)


def test_a_knight_charges_in_chivalry() -> None:
    lesson = the_lesson("chivalry", 3)
    move = lesson.example_move()
    assert move is not None
    assert format_move(move, lesson.position.variant.board) == "F6-F8-H8xH10xJ12"
    assert lesson.position.pieces[move.start].kind is PieceKind.KNIGHT
