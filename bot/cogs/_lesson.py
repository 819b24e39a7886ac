"""What a lesson shows: words and picture for any place in it. Presses are handled in `learn`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from bot.i18n import Language, text
from bot.lessons import LESSONS, Lesson, Task, begun
from bot.preferences import Preferences
from bot.text_board import text_board
from bot.words import colour, move_kind, pieces, refusal, variant_name
from render import THEMES, Mark, MarkKind, View
from rules import IllegalMove, Move, NotationError, RulesError, Turn, Variant, format_move
from rules.board import Cell


@dataclass(frozen=True)
class Panel:
    """One place in a lesson, as one person sees it."""

    locale: Language
    variant: Variant
    number: int
    """Of the lesson, from 0."""
    preferences: Preferences
    path: tuple[Cell, ...] = ()
    """The landings that have been chosen, start first."""
    tried: Move | None = None
    """The legal move that the reader has made; the lesson is done if it is the one asked for."""
    error: RulesError | None = None
    """Why the referee has refused what he tried."""
    hint: bool = False
    """Whether he has asked how to begin."""

    @property
    def lesson(self) -> Lesson:
        """What is to be done, and where."""
        return LESSONS[self.variant.key][self.number]

    @property
    def last(self) -> bool:
        """Whether no lesson follows."""
        return self.number + 1 == len(LESSONS[self.variant.key])

    @property
    def turn(self) -> Turn | None:
        """The move in the making; None before a piece is chosen."""
        return begun(self.lesson.position, self.path) if self.path else None

    @property
    def done(self) -> bool:
        """Whether the task is done."""
        return self.tried is not None and self.lesson.done_by(self.tried)


def panel_text(panel: Panel) -> str:
    """The whole message, at most 2000 characters."""
    parts = [*_paragraphs(panel)]
    if panel.preferences.board == "text":
        view = panel_view(panel)
        parts.append(text_board(panel.locale, view.position, over=panel.done, before=view.before, move=view.last_move))
    return "\n".join(parts)


def panel_view(panel: Panel) -> View:
    """The picture: the position, what has been tried in it, and what the referee points at."""
    position, preferences, turn = panel.lesson.position, panel.preferences, panel.turn
    view = View(
        position,
        position.turn,
        marks=tuple(_marks(panel)),
        theme=THEMES[preferences.theme],
        coordinates=preferences.coordinates,
        grown=turn.move if turn else None,
        reachable=tuple({leg.to: None for leg in turn.legs}) if turn else (),
    )
    if panel.done and panel.tried:
        after = position.after(panel.tried)
        return replace(view, position=after, last_move=panel.tried, before=position, to_move=False)
    return view


def panel_words(panel: Panel) -> str:
    """The picture in words."""
    view = panel_view(panel)
    sides = [
        text(
            panel.locale,
            "alt.side",
            colour=colour(panel.locale, panel.variant, seat),
            pieces=pieces(panel.locale, view.position, seat),
        )
        for seat in panel.variant.seats
    ]
    return " ".join([_title(panel), *sides])


def _paragraphs(panel: Panel) -> Iterator[str]:
    locale, lesson = panel.locale, panel.lesson
    yield f"**{_title(panel)}**"
    if not panel.done:
        yield text(locale, f"lesson.{_topic(lesson)}.rule", castle=_goal(lesson))
        task = text(locale, f"lesson.{_topic(lesson)}.task", castle=_goal(lesson))
        side = colour(locale, panel.variant, lesson.position.turn)
        yield text(locale, "lesson.task", task=task, colour=side)
    if said := _verdict(panel):
        yield said
    if panel.done and panel.last:
        yield text(locale, "lesson.over")
    elif panel.turn:
        yield _state(panel, panel.turn)


def _title(panel: Panel) -> str:
    return text(
        panel.locale,
        "lesson.title",
        variant=variant_name(panel.locale, panel.variant),
        number=panel.number + 1,
        count=len(LESSONS[panel.variant.key]),
        topic=text(panel.locale, f"lesson.{_topic(panel.lesson)}.name"),
    )


def _topic(lesson: Lesson) -> str:
    """What the catalogue calls the lesson: a castle of two cells is taken by two pieces."""
    goal = lesson.position.variant.armies[lesson.position.turn].goal
    return "entry-two" if lesson.task is Task.ENTRY and len(goal) > 1 else lesson.task.value


def _goal(lesson: Lesson) -> str:
    """The castle that the reader attacks."""
    position = lesson.position
    names = position.names(sorted(position.variant.armies[position.turn].goal))
    return " ".join(f"**{name}**" for name in names)


def _verdict(panel: Panel) -> str | None:
    """What the referee says to the last attempt."""
    locale, lesson, board = panel.locale, panel.lesson, panel.variant.board
    if panel.error is not None:
        example = format_move(lesson.example, board)
        return text(locale, "lesson.refused", why=refusal(locale, panel.error, example))
    if panel.hint:
        return text(locale, "lesson.hint", cell=board.names[lesson.example.start])
    if panel.tried is None:
        return None
    move = format_move(panel.tried, board)
    if panel.done:
        return text(locale, "lesson.done", move=move, praise=text(locale, f"lesson.{_topic(lesson)}.praise"))
    kind = text(locale, f"lesson.kind.{move_kind(lesson.position, panel.tried)}")
    return text(locale, "lesson.not-the-task", move=move, kind=kind)


def _state(panel: Panel, turn: Turn) -> str:
    """How far the move has come, and whether it may stop there."""
    if len(panel.path) == 1:
        return text(panel.locale, "lesson.chosen", cell=panel.variant.board.names[panel.path[0]])
    key = "lesson.may-stop" if turn.complete else "lesson.must-go-on"
    return text(panel.locale, key, move=format_move(turn.move, panel.variant.board))


def _marks(panel: Panel) -> Iterator[Mark]:
    board, error = panel.variant.board, panel.error
    if panel.hint:
        yield Mark(panel.lesson.example.start, MarkKind.HINT)
    if isinstance(error, IllegalMove) and not isinstance(error, NotationError):
        captured = {board.cell(over) for _, over in error.captures}
        yield from (Mark(board.cell(name), MarkKind.WRONG) for name in dict.fromkeys(error.cells))
        yield from (Mark(cell, MarkKind.HINT) for cell in captured)
