"""The lessons: every task is solvable, and the referee explains wrong moves."""

from __future__ import annotations

import pytest

from bot.core.draft import Draft, format_path, list_move_choices
from bot.core.settings import UserSettings
from bot.learn.lessons import LESSON_FAMILY, LESSONS, MAX_LANDINGS, Lesson, LessonPanel, LessonState, Task, cells_to_try
from bot.play.composer.handlers import spell_path
from bot.play.composer.panel import panel_alt_text, panel_text
from bot.play.composer.purpose import Look, PanelContent
from bot.texts.i18n import Language, text
from rules import (
    VARIANTS,
    Move,
    PieceKind,
    Position,
    Reason,
    RulesError,
    format_move,
    iter_moves,
    legal_moves,
    parse_move,
    parse_position,
)
from rules.board import Cell

EVERY = [(key, number) for key in VARIANTS for number in range(len(Task))]
every_lesson = pytest.mark.parametrize(("key", "number"), EVERY)


def the_lesson(key: str, number: int) -> Lesson:
    return LESSONS[key][number]


def judged(position: Position, path: tuple[Cell, ...]) -> Move:
    """Returns the referee's answer to those landings."""
    return parse_move(position, spell_path(position, path))


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
        locale, board, board.place._replace(path=format_path(path)), found, settings, Look(remark=remark)
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
    assert lesson.example_move in done
    if lesson.task not in (Task.JUMP, Task.HOME):  # in these two nothing else is legal
        assert len(done) < len(moves)
    assert len(lesson.own_pieces) <= 25
    if lesson.task is Task.ENTRY:
        assert all(lesson.position.variant.ending(lesson.position.after_move(move)) for move in done)


@every_lesson
def test_every_solution_can_be_put_together_from_what_is_offered(key: str, number: int) -> None:
    lesson = the_lesson(key, number)
    for move in iter_moves(lesson.position):
        if lesson.is_done_by(move):
            for length in range(1, len(move.path)):
                assert move.path[length] in cells_to_try(lesson.position, move.path[:length]), format_move(
                    move, lesson.position.variant.board
                )
            assert judged(lesson.position, move.path).outcome == move.outcome


@every_lesson
def test_the_menus_let_people_err_and_the_referee_tells_them_why(key: str, number: int) -> None:
    position = the_lesson(key, number).position
    refused = set()
    movable = Draft.from_path(position).start_cells
    for start in the_lesson(key, number).own_pieces:
        paths = [(start, to) for to in cells_to_try(position, (start,))] if start in movable else [(start,)]
        assert len(paths) <= 25
        for path in paths:
            legal = len(path) > 1 and path[1] in {leg.to for leg in Draft.from_path(position, (start,)).next_legs}
            try:
                judged(position, path)
            except RulesError as error:
                assert not legal or not Draft.from_path(position, path).is_complete
                refused.add(error.reason)
    assert refused
    assert Reason.UNEXPLAINED not in refused
    if the_lesson(key, number).task in (Task.JUMP, Task.CHARGE):
        assert Reason.MUST_CAPTURE in refused
    if the_lesson(key, number).task is Task.HOME:
        assert Reason.MUST_JUMP_OUT in refused


@pytest.mark.parametrize("key", VARIANTS)
def test_the_last_lesson_forbids_a_capture_elsewhere(key: str) -> None:
    lesson = LESSONS[key][-1]
    others = [cell for cell in lesson.own_pieces if cell not in lesson.castle]
    board = lesson.position.variant.board
    captures = [
        (cell, leap.to)
        for cell in others
        for leap in board.leaps[cell]
        if leap.to not in lesson.position.pieces
        and leap.over in lesson.position.pieces
        and lesson.position.pieces[leap.over].seat != lesson.position.turn
    ]
    assert captures
    for path in captures:
        with pytest.raises(RulesError) as refused:
            judged(lesson.position, path)
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
    panels = [panel_of(locale, key, number, settings)]
    refusals = set()
    for piece in Draft.from_path(lesson.position).start_cells:
        for to in cells_to_try(lesson.position, (piece,)):
            try:
                judged(lesson.position, (piece, to))
            except RulesError as error:
                refusals.add(panels[0].board.refusal_text(locale, error))
    longest = max(refusals, key=len, default="")
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
    longest = max(VARIANTS, key=len)
    spot = LessonState(longest, 5, None, format_path(range(MAX_LANDINGS + 1)), "zz")
    assert LESSON_FAMILY.parse_id(LESSON_FAMILY.format_id("restart", spot)) == ("restart", spot)


def test_a_move_is_spelled_as_players_write_it() -> None:
    lesson = the_lesson("chivalry", 3)
    assert spell_path(lesson.position, lesson.example_move.path) == "F6-F8-H8xH10xJ12"
    assert lesson.position.pieces[lesson.example_move.start].kind is PieceKind.KNIGHT


def test_a_round_trip_may_end_where_the_piece_started() -> None:
    position = parse_position("camelot White White:F6,C6 Black:G7,H7,G6,C12 castle:0,0")
    start, *further = (position.variant.board.find_cell(name) for name in ("F6", "H8", "H6"))
    assert start in cells_to_try(position, (start, *further))
