"""`/learn lessons`: six tasks for each variant, which the reader solves alone while the program checks each move.

Only the reader sees them. The rules of the lessons are those of games, and the board is that of `composer`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import Annotated, NamedTuple, Self

from discord import ButtonStyle, app_commands

from bot.core.draft import Draft
from bot.discordkit.components import Button, Family, FieldFormat, KeyField, NonceField, outdated_error
from bot.discordkit.reply import Interaction, acknowledge_press, make_view, reader_language, send_answer, server_here
from bot.discordkit.slash import slash_command
from bot.play.caller import context_of
from bot.play.composer.handlers import register_handlers, resume_panel
from bot.play.composer.panel import BoardPanel, Look, PanelContent, answer_with_panel, update_panel
from bot.play.context import EndField, PathField, action_button
from bot.play.options import PROPOSED_VARIANT, VARIANT_CHOICES
from bot.play.service.people import next_lessons, set_next_lesson
from bot.texts.i18n import Language, join_list, text
from bot.texts.sentences import colour_name, directions_key, move_kind, sides_texts, variant_name
from render import Mark, MarkKind
from rules import VARIANTS, Game, Move, Position, Seat, Variant, format_move, iter_moves, parse_position
from rules.board import Cell


class Task(Enum):
    """What the reader is to do. The values are catalogue keys; all but the last two are also kinds of moves."""

    STEP = "step"
    CANTER = "canter"
    JUMP = "jump"
    CHARGE = "charge"
    ENTRY = "entry"
    HOME = "home"


@dataclass(frozen=True)
class Lesson:
    """A task and the position in which it is set."""

    task: Task
    place: str
    """The position in one line, as `parse_position` reads it."""

    @cached_property
    def position(self) -> Position:
        """The position; the reader is the player to move."""
        return parse_position(self.place)

    @property
    def castle(self) -> frozenset[Cell]:
        """The castle of the task: the reader's own one if it is to be left, else the attacked one."""
        army = self.position.variant.armies[self.position.turn]
        return army.castle if self.task is Task.HOME else army.goal

    def is_done_by(self, move: Move) -> bool:
        """Whether that legal move solves the task."""
        if self.task is Task.ENTRY:
            return move.end in self.castle and move.start not in self.castle
        if self.task is Task.HOME:
            return move.start in self.castle and move.end not in self.castle
        return bool(move_kind(self.position, move) == self.task.value)

    def example_move(self, path: Sequence[Cell] = ()) -> Move | None:
        """Returns a move that begins with that path and solves the task; None if there is none."""
        moves = (move for move in iter_moves(self.position) if move.path[: len(path)] == (*path,))
        return next(filter(self.is_done_by, moves), None)


def _make_lessons(*places: str) -> tuple[Lesson, ...]:
    """Returns the lessons in those positions. The first has the second's, without the pieces in the middle of the
    reader's: those left make plain moves only.
    """
    own = places[0].split()[2].split(",")
    first = places[0].replace(",".join(own), f"{own[0]},{own[-1]}")
    return tuple(Lesson(task, place) for task, place in zip(Task, (first, *places), strict=True))


LESSONS: Mapping[str, tuple[Lesson, ...]] = {
    "tri-camelot": _make_lessons(
        "tri-camelot Blue Blue:NG4,NE4,E6,D7,G6,C10 Red:NC16,B15 Green:NI16,J15",
        "tri-camelot Blue Blue:NE4,G4,H5,F5 Red:NC16,H7 Green:NI16,G10",
        "tri-camelot Blue Blue:NF5,F7,G10,E4 Red:NC16,E12 Green:NI16,G12",
        "tri-camelot Blue Blue:NF5,B15,C12,E6 Red:NE16,D17 Green:NJ13,I12",
        "tri-camelot Blue Blue:F1,NG4,H5 Red:NC16,F3 Green:NI16,H7",
    ),
    "cam-3d": _make_lessons(
        "cam-3d White White:N1C2,1D5,2C3,1D6 Black:N3B7,3D6",
        "cam-3d White White:N1B2,1D3,1B3 Black:N3C7,2C4,2B5",
        "cam-3d White White:N1B2,2B2,1D4 Black:N3C7,2B3",
        "cam-3d White White:N1B2,2B6,3D7,1C3 Black:N3A4,1D5",
        "cam-3d White White:1C1,N2A4,3D4 Black:N3C7,1C2,3D5",
    ),
    "camelot": _make_lessons(
        "camelot White White:NE5,E6,F7,H6 Black:NG12,E12 castle:0,0",
        "camelot White White:NC6,NI5,F6,C7,J6 Black:NJ11,G7,G9,D10 castle:0,0",
        "camelot White White:NF6,NC6,F7,G8 Black:NC11,H9,I11 castle:0,0",
        "camelot White White:NF16,NC9,G14,H15 Black:NC12,E7,J10 castle:0,0",
        "camelot White White:F1,NC6,D8 Black:NJ11,F2,D9 castle:0,0",
    ),
    "chivalry": _make_lessons(
        "chivalry White White:NE5,E6,F7,H6 Black:NG12,E12 castle:0,0",
        "chivalry White White:NC6,NL7,H4,D5 Black:NC11,I4,K5 castle:0,0",
        "chivalry White White:NF6,NL7,F7,G8 Black:NC10,H9,I11 castle:0,0",
        "chivalry White White:NG16,ND9,H14,I15 Black:NC11,E7,J10 castle:0,0",
        "chivalry White White:G1,NC6,D8 Black:NK11,G2,D9 castle:0,0",
    ),
    "cam": _make_lessons(
        "cam White White:NC4,C5,D6,F5 Black:NC10,E10",
        "cam Black White:B3,D3 Black:E2",
        "cam White White:NC4,NC6,C5,D6 Black:NA9,E7,F9",
        "cam White White:NB11,C12,D6 Black:NF6,B5",
        "cam White White:D1,NB4,E6 Black:NC9,D2,E7",
    ),
    "camette": _make_lessons(
        "camette White White:NB2,B3,D3 Black:NC6,D5",
        "camette White White:NC2,C3,B4 Black:NB6,D4,D5",
        "camette White White:NC2,C3,A4 Black:NE5,B5,C5",
        "camette White White:NC2,A5,B6 Black:NE4,D5",
        "camette White White:C1,A4,NE5 Black:NC6,C2,B4",
    ),
}
"""The lessons of each variant, in their order."""


# The board and the command


class LessonState(NamedTuple):
    """The lesson that a person is at, and the state of the board."""

    variant: KeyField
    number: Annotated[int, FieldFormat("[0-5]", int)] = 0
    end: EndField = None
    """The cell that a button chooses."""
    path: PathField = ""
    fresh: NonceField = ""
    hints: Annotated[int, FieldFormat("H[12]", lambda code: int(code[1:]), lambda hints: f"H{hints}", later=True)] = 0
    """How much the hints have said so far: nothing, the piece, or also where it goes."""


LESSON_FAMILY = Family("rt-task", LessonState)


@dataclass(frozen=True)
class LessonPanel(BoardPanel[LessonState]):
    """A person's board in a lesson."""

    buttons = menus = LESSON_FAMILY
    forms = LESSON_FAMILY, "typed"
    commit_label = "stop-here"
    finishes_at_once = True
    shows_all_pieces = True

    cursor: LessonState
    tried: Move | None = None
    """The move that solved the task; None while it is unsolved."""
    has_house: bool = False
    """True if a game against a bot can follow."""

    @classmethod
    async def from_state(cls, interaction: Interaction, cursor: LessonState) -> Self | None:
        if cursor.number >= len(LESSONS.get(cursor.variant, ())):
            raise outdated_error()
        guild = server_here(interaction)
        return cls(cursor, has_house=guild is not None and context_of(interaction).has_house(guild))

    @property
    def variant(self) -> Variant:
        """The variant that the lesson teaches."""
        return VARIANTS[self.cursor.variant]

    @property
    def lesson(self) -> Lesson:
        """The task and its position."""
        return LESSONS[self.cursor.variant][self.cursor.number]

    @property
    def game(self) -> Game:
        game = Game.from_position(self.lesson.position)
        return game.apply(self.tried) if self.tried else game

    @property
    def is_open(self) -> bool:
        return self.tried is None

    @property
    def reader(self) -> Seat:
        return self.lesson.position.turn

    @property
    def previous_moves(self) -> Sequence[tuple[Position, Move]]:
        return [(self.lesson.position, self.tried)] if self.tried else ()

    @property
    def is_last(self) -> bool:
        """True if no lesson follows."""
        return self.cursor.number + 1 == len(LESSONS[self.cursor.variant])

    @property
    def picture_name(self) -> str:
        return f"lesson-{self.cursor.variant}-{self.cursor.number + 1}"

    def title(self, locale: Language) -> str:
        title = f"**{_lesson_title(locale, self)}**"
        if self.tried:
            return title
        position, side = self.lesson.position, colour_name(locale, self.variant, self.lesson.position.turn)
        castle = join_list(locale, [f"**{name}**" for name in position.names(sorted(self.lesson.castle))])
        places = {"castle": castle, "ways": text(locale, f"lesson.ways.{directions_key(self.variant)}")}
        rule, task = (
            text(locale, f"lesson.{_lesson_topic(self.lesson)}.{part}", **places) for part in ("rule", "task")
        )
        return "\n".join([title, rule, text(locale, "lesson.task", task=task, colour=side)])

    def board_words(self, locale: Language) -> str:
        return " ".join([f"{_lesson_title(locale, self)}.", *sides_texts(locale, self.game.position)])

    def own_items(self, panel: PanelContent) -> Iterator[Button]:
        state, locale = self.cursor, panel.locale
        next_state = LessonState(state.variant, state.number + 1)
        if self.tried:
            if self.is_last:
                yield from self.buttons_after_last(locale)
            else:
                yield LESSON_FAMILY.make_button("look", next_state, text(locale, "button.next"), ButtonStyle.primary)
            again = LessonState(state.variant, state.number)
            yield LESSON_FAMILY.make_button("restart", again, text(locale, "button.again"))
        else:
            yield LESSON_FAMILY.make_button("hint", panel.cursor, text(locale, "button.hint"))
            if not self.is_last:
                yield LESSON_FAMILY.make_button("look", next_state, text(locale, "button.skip"))

    def buttons_after_last(self, locale: Language) -> Iterator[Button]:
        """Yields the buttons to a first game, if there are bots here, and to the rules."""
        if self.has_house:
            yield action_button(locale, "first-game", primary=True, variant=self.cursor.variant)
        yield action_button(locale, "rules", variant=self.cursor.variant)

    async def finish(self, interaction: Interaction, draft: Draft, *, sure: bool) -> None:
        """Says whether the move solves the task."""
        assert draft.turn is not None
        locale, move, position = reader_language(interaction), draft.turn.move, self.lesson.position
        notation = format_move(move, self.variant.board)
        if not self.lesson.is_done_by(move):
            kind = text(locale, f"lesson.kind.{move_kind(position, move)}")
            remark = text(locale, "lesson.not-the-task", move=notation, kind=kind)
            await update_panel(interaction, self, Look(remark=remark))
            return
        await acknowledge_press(interaction)
        service, state = context_of(interaction).service, self.cursor
        await set_next_lesson(service, interaction.user.id, state.variant, state.number + 1)
        praise = text(locale, f"lesson.{_lesson_topic(self.lesson)}.praise")
        lines = [text(locale, "lesson.done", move=notation, praise=praise)]
        if self.is_last:
            lines.append(text(locale, "lesson.over"))
        await update_panel(interaction, replace(self, tried=move), Look(remark="\n".join(lines)))


register_handlers(LessonPanel, "look", "sure")


@slash_command("learn lessons")
@app_commands.choices(variant=sorted(VARIANT_CHOICES, key=lambda choice: choice.value != PROPOSED_VARIANT))
async def learn_lessons_command(interaction: Interaction, variant: str) -> None:
    """Opens the lesson after the last one that the person has done or skipped; after all of them, offers a game."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    number = (await next_lessons(context_of(interaction).service, interaction.user.id)).get(variant, 0)
    is_done = number >= len(LESSONS[variant])
    board = await LessonPanel.from_state(interaction, LessonState(variant, 0 if is_done else number))
    assert board is not None, number
    if is_done:
        locale = reader_language(interaction)
        first = LESSON_FAMILY.make_button("look", board.cursor, text(locale, "button.restart"))
        words = text(locale, "lesson.all-done", variant=variant_name(locale, board.variant))
        await send_answer(interaction, words, view=make_view(*board.buttons_after_last(locale), first))
        return
    await answer_with_panel(interaction, board)


@LESSON_FAMILY.register_handler("look")
async def go_to_lesson(interaction: Interaction, cursor: LessonState) -> None:
    """Goes to the lesson on the button, and notes it as the one to continue with next time."""
    if resumed := await resume_panel(LessonPanel, interaction, cursor):
        board, draft = resumed
        await acknowledge_press(interaction)
        await set_next_lesson(context_of(interaction).service, interaction.user.id, cursor.variant, cursor.number)
        await update_panel(interaction, board, Look(draft.path))


@LESSON_FAMILY.register_handler("hint")
async def give_lesson_hint(interaction: Interaction, cursor: LessonState) -> None:
    """Says which piece solves the task; the next time also where it goes, and then the move. Once a right piece is
    chosen, begins with where it goes.
    """
    if resumed := await resume_panel(LessonPanel, interaction, cursor):
        board, draft = resumed
        begun = board.lesson.example_move(draft.path) if draft.path else None
        move = begun or board.lesson.example_move()
        assert move is not None, cursor
        told, names = max(cursor.hints, int(begun is not None)), board.variant.board.names
        values = {"cell": names[move.start], "end": names[move.end], "move": format_move(move, board.variant.board)}
        remark = text(reader_language(interaction), f"lesson.hint.{('piece', 'end', 'move')[told]}", **values)
        marks = tuple(Mark(cell, MarkKind.HINT) for cell in ((move.start, move.end) if told else (move.start,)))
        board = replace(board, cursor=cursor._replace(hints=min(told + 1, 2)))
        await update_panel(interaction, board, Look(draft.path, remark=remark, marks=marks))


def _lesson_title(locale: Language, exercise: LessonPanel) -> str:
    count, number = len(LESSONS[exercise.cursor.variant]), exercise.cursor.number + 1
    name, topic = variant_name(locale, exercise.variant), text(locale, f"lesson.{_lesson_topic(exercise.lesson)}.name")
    return text(locale, "lesson.title", variant=name, number=number, count=count, topic=topic)


def _lesson_topic(lesson: Lesson) -> str:
    """Returns the lesson's name in the catalogue. Entering a castle of two cells takes two pieces; with three players,
    one castle is barred.
    """
    suffix = "-two" if len(lesson.castle) > 1 else "-three" if len(lesson.position.variant.armies) > 2 else ""
    return f"{lesson.task.value}{suffix if lesson.task is Task.ENTRY else ''}"
