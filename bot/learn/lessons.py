"""`/learn lessons`: six tasks for each variant, which the reader solves alone while the program checks each move.

Only the reader sees them. The rules of the lessons are those of games, and the board is that of `composer`. It also
offers illegal moves, so that the reader learns why they are illegal.
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
from bot.discordkit.reply import Interaction, acknowledge_press, reader_language, server_here
from bot.discordkit.slash import slash_command
from bot.play.caller import context_of
from bot.play.composer.handlers import answer_with_panel, register_handlers, resume_panel, update_panel
from bot.play.composer.purpose import BoardPanel, EndField, Look, PanelContent, PathField
from bot.play.options import VARIANT_CHOICES
from bot.play.service.people import next_lessons, set_next_lesson
from bot.play.shared_components import action_button
from bot.texts.i18n import Language, join_list, text
from bot.texts.sentences import colour_name, directions_key, explain_rules_error, move_kind, sides_texts, variant_name
from render import Mark, MarkKind
from rules import (
    VARIANTS,
    Game,
    Move,
    PieceKind,
    Position,
    RulesError,
    Seat,
    Variant,
    format_move,
    iter_moves,
    parse_position,
)
from rules.board import Cell

MAX_LANDINGS = 16
"""Landings after which the lesson offers no more; every task needs fewer."""


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

    @cached_property
    def example_move(self) -> Move:
        """A move that solves the task, for readers who ask for a hint."""
        return next(move for move in iter_moves(self.position) if self.is_done_by(move))

    @property
    def own_pieces(self) -> tuple[Cell, ...]:
        """The reader's pieces, Knights first."""
        position = self.position
        own = [cell for cell, piece in position.pieces.items() if piece.seat == position.turn]
        return tuple(sorted(own, key=lambda cell: (position.pieces[cell].kind is not PieceKind.KNIGHT, cell)))


def _make_lessons(*places: str) -> tuple[Lesson, ...]:
    return tuple(Lesson(task, place) for task, place in zip(Task, places, strict=True))


_CAMELOT = (
    "camelot White White:NC6,NJ6,ND7,NI7,D6,E6,F6,G6,H6,I6,E7,F7,G7,H7"
    " Black:ND10,NI10,NC11,NJ11,E10,F10,G10,H10,D11,E11,F11,G11,H11,I11 castle:0,0"
)
_CHIVALRY = (
    "chivalry White White:NC6,ND6,NK6,NL6,NC7,ND7,NK7,NL7,E6,F6,G6,H6,I6,J6,E7,F7,G7,H7,I7,J7"
    " Black:NC10,ND10,NK10,NL10,NC11,ND11,NK11,NL11,E10,F10,G10,H10,I10,J10,E11,F11,G11,H11,I11,J11 castle:0,0"
)
_CAM_3D = (
    "cam-3d White White:N1B2,N1C2,N1D2,1B3,1C3,1D3,2B2,2C2,2D2,2B3,2C3,2D3"
    " Black:N3B7,N3C7,N3D7,2B6,2C6,2D6,2B7,2C7,2D7,3B6,3C6,3D6"
)
_TRI_CAMELOT = (
    "tri-camelot Blue Blue:NE4,NG4,NF5,D5,H5,E6,G6,F7 Red:NB13,NC14,NC16,B11,C12,D13,D15,D17"
    " Green:NJ13,NI14,NI16,J11,I12,H13,H15,H17"
)

LESSONS: Mapping[str, tuple[Lesson, ...]] = {
    "tri-camelot": _make_lessons(
        _TRI_CAMELOT,
        "tri-camelot Blue Blue:NG4,NE4,E6,D7,C10,G6 Red:NC16,B15 Green:NI16,J15",
        "tri-camelot Blue Blue:NE4,G4,H5,F5 Red:NC16,H7 Green:NI16,G10",
        "tri-camelot Blue Blue:NF5,F7,G10,E4 Red:NC16,E12 Green:NI16,G12",
        "tri-camelot Blue Blue:NF5,B15,C12,E6 Red:NE16,D17 Green:NJ13,I12",
        "tri-camelot Blue Blue:F1,NG4,H5 Red:NC16,F3 Green:NI16,H7",
    ),
    "cam-3d": _make_lessons(
        _CAM_3D,
        "cam-3d White White:N1C2,1D6,1D5,2C3 Black:N3B7,3D6",
        "cam-3d White White:N1B2,1D3,1B3 Black:N3C7,2C4,2B5",
        "cam-3d White White:N1B2,2B2,1D4 Black:N3C7,2B3",
        "cam-3d White White:N1B2,2B6,3D7,1C3 Black:N3A4,1D5",
        "cam-3d White White:1C1,N2A4,3D4 Black:N3C7,1C2,3D5",
    ),
    "camelot": _make_lessons(
        _CAMELOT,
        _CAMELOT,
        "camelot White White:NC6,NI5,F6,C7,J6 Black:NJ11,G7,G9,D10 castle:0,0",
        "camelot White White:NF6,NC6,F7,G8 Black:NC11,H9,I11 castle:0,0",
        "camelot White White:NF16,NC9,G14,H15 Black:NC12,E7,J10 castle:0,0",
        "camelot White White:F1,NC6,D8 Black:NJ11,F2,D9 castle:0,0",
    ),
    "chivalry": _make_lessons(
        _CHIVALRY,
        _CHIVALRY,
        "chivalry White White:NC6,NL7,H4,D5 Black:NC11,I4,K5 castle:0,0",
        "chivalry White White:NF6,NL7,F7,G8 Black:NC10,H9,I11 castle:0,0",
        "chivalry White White:NG16,ND9,H14,I15 Black:NC11,E7,J10 castle:0,0",
        "chivalry White White:G1,NC6,D8 Black:NK11,G2,D9 castle:0,0",
    ),
    "cam": _make_lessons(
        "cam White White:NC4,NE4,B5,C5,D5,E5,F5 Black:NC10,NE10,B9,C9,D9,E9,F9",
        "cam White White:NC4,NE4,B5,C5,D5,E5,F5 Black:NC10,NE10,B9,C9,D9,E9,F9",
        "cam Black White:B3,D3 Black:E2",
        "cam White White:NC4,NC6,C5,D6 Black:NA9,E7,F9",
        "cam White White:NB11,C12,D6 Black:NF6,B5",
        "cam White White:D1,NB4,E6 Black:NC9,D2,E7",
    ),
    "camette": _make_lessons(
        "camette White White:NC2,B3,C3,D3 Black:NC6,B5,C5,D5",
        "camette White White:NC2,B3,C3,D3 Black:NC6,B5,C5,D5",
        "camette White White:NC2,C3,B4 Black:NB6,D4,D5",
        "camette White White:NC2,C3,A4 Black:NE5,B5,C5",
        "camette White White:NC2,A5,B6 Black:NE4,D5",
        "camette White White:C1,A4,NE5 Black:NC6,C2,B4",
    ),
}
"""The lessons of each variant, in their order."""


MAX_CELLS_OFFERED = 20
"""The most cells that have buttons."""


def cells_to_try(position: Position, path: Sequence[Cell]) -> tuple[Cell, ...]:
    """The cells that the reader may try next, in board order: those nearby, not only the legal ones.

    If there are more than have buttons, legal cells and cells behind a piece come first. Raises UnfitPathError if
    the path is not legal.
    """
    board, pieces, at = position.variant.board, position.pieces, path[-1]
    if len(path) > MAX_LANDINGS:
        return ()
    turn = Draft.from_path(position, path).turn
    assert turn is not None
    legal = {leg.to: None for leg in turn.next_legs}
    behind = {leap.to: None for leap in board.leaps[at] if leap.over in pieces}
    near = dict.fromkeys(board.neighbours[at] if len(path) == 1 else ())
    others = {leap.to: None for leap in board.leaps[at]} if len(path) == 1 else {}
    emptied = {path[0], *turn.captures}
    free = [cell for cell in legal | behind | near | others if cell not in pieces or cell in emptied]
    return tuple(sorted(free[:MAX_CELLS_OFFERED]))


# The board and the command

LessonNumberField = Annotated[int, FieldFormat("[0-5]", int)]


class LessonState(NamedTuple):
    """The lesson that a person is at, and the state of the board."""

    variant: KeyField
    number: LessonNumberField = 0
    end: EndField = None
    """The cell that a button chooses."""
    path: PathField = ""
    fresh: NonceField = ""


LESSON_FAMILY = Family("rt-task", LessonState)


@dataclass(frozen=True)
class LessonPanel(BoardPanel[LessonState]):
    """A person's board in a lesson."""

    buttons = menus = LESSON_FAMILY
    forms = LESSON_FAMILY, "typed"
    commit_label = "stop-here"
    finishes_at_once = True

    place: LessonState
    tried: Move | None = None
    """The move that solved the task; None while it is unsolved."""
    house: bool = False
    """True if a game against the house can follow."""

    @classmethod
    async def from_state(cls, interaction: Interaction, place: LessonState) -> Self | None:
        if place.number >= len(LESSONS.get(place.variant, ())):
            raise outdated_error()
        guild = server_here(interaction)
        house = guild is not None and context_of(interaction).has_house(guild)
        return cls(place, house=house)

    @property
    def variant(self) -> Variant:
        """The variant that the lesson teaches."""
        return VARIANTS[self.place.variant]

    @property
    def lesson(self) -> Lesson:
        """The task and its position."""
        return LESSONS[self.place.variant][self.place.number]

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
    def previous_move(self) -> tuple[Position, Move] | None:
        return (self.lesson.position, self.tried) if self.tried else None

    @property
    def is_last(self) -> bool:
        """True if no lesson follows."""
        return self.place.number + 1 == len(LESSONS[self.place.variant])

    @property
    def picture_name(self) -> str:
        return f"lesson-{self.place.variant}-{self.place.number + 1}"

    def offered_cells(self, path: Sequence[Cell]) -> Sequence[Cell]:
        return cells_to_try(self.lesson.position, path) if path else self.lesson.own_pieces

    def refusal_text(self, locale: Language, error: RulesError) -> str:
        example = format_move(self.lesson.example_move, self.variant.board)
        return text(locale, "lesson.refused", why=explain_rules_error(locale, error, example, self.variant))

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
        state, locale = self.place, panel.locale
        next_state = LessonState(state.variant, state.number + 1)
        if self.tried:
            if self.is_last:
                if self.house:
                    yield action_button(locale, "first-game", primary=True, variant=state.variant)
                yield action_button(locale, "rules", variant=state.variant)
            else:
                yield LESSON_FAMILY.make_button("look", next_state, text(locale, "button.next"), ButtonStyle.primary)
            again = LessonState(state.variant, state.number)
            yield LESSON_FAMILY.make_button("restart", again, text(locale, "button.again"))
        else:
            yield LESSON_FAMILY.make_button("hint", panel.place, text(locale, "button.hint"))
            if not self.is_last:
                yield LESSON_FAMILY.make_button("look", next_state, text(locale, "button.skip"))

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
        await _note_next_lesson(interaction, self.place.variant, self.place.number + 1)
        praise = text(locale, f"lesson.{_lesson_topic(self.lesson)}.praise")
        lines = [text(locale, "lesson.done", move=notation, praise=praise)]
        if self.is_last:
            lines.append(text(locale, "lesson.over"))
        await update_panel(interaction, replace(self, tried=move), Look(remark="\n".join(lines)))


register_handlers(LessonPanel, "end", "way", "goal", "route", "look", "sure")


@slash_command("learn lessons")
@app_commands.choices(variant=VARIANT_CHOICES)
async def learn_lessons_command(interaction: Interaction, variant: str) -> None:
    """Opens the lesson after the last one that the person has done or skipped; the first one after all of them."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    number = (await next_lessons(context_of(interaction).service, interaction.user.id)).get(variant, 0)
    state = LessonState(variant, number if number < len(LESSONS[variant]) else 0)
    board = await LessonPanel.from_state(interaction, state)
    assert board is not None, state
    await answer_with_panel(interaction, board)


@LESSON_FAMILY.register_handler("look")
async def go_to_lesson(interaction: Interaction, place: LessonState) -> None:
    """Goes to the lesson on the button, and notes it as the one to continue with next time."""
    if resumed := await resume_panel(LessonPanel, interaction, place):
        board, draft = resumed
        await acknowledge_press(interaction)
        await _note_next_lesson(interaction, place.variant, place.number)
        await update_panel(interaction, board, Look(draft.path))


async def _note_next_lesson(interaction: Interaction, variant: str, number: int) -> None:
    await set_next_lesson(context_of(interaction).service, interaction.user.id, variant, number)


@LESSON_FAMILY.register_handler("hint")
async def give_lesson_hint(interaction: Interaction, place: LessonState) -> None:
    """Says which piece to start with."""
    if resumed := await resume_panel(LessonPanel, interaction, place):
        board, draft = resumed
        start = board.lesson.example_move.start
        remark = text(reader_language(interaction), "lesson.hint", cell=board.variant.board.names[start])
        marks = (Mark(start, MarkKind.HINT),)
        await update_panel(interaction, board, Look(draft.path, remark=remark, marks=marks))


def _lesson_title(locale: Language, exercise: LessonPanel) -> str:
    count, number = len(LESSONS[exercise.place.variant]), exercise.place.number + 1
    name, topic = variant_name(locale, exercise.variant), text(locale, f"lesson.{_lesson_topic(exercise.lesson)}.name")
    return text(locale, "lesson.title", variant=name, number=number, count=count, topic=topic)


def _lesson_topic(lesson: Lesson) -> str:
    """Returns the lesson's name in the catalogue. Entering a castle of two cells takes two pieces; with three players,
    one castle is barred.
    """
    if lesson.task is not Task.ENTRY:
        return str(lesson.task.value)
    if len(lesson.castle) > 1:
        return "entry-two"
    return "entry-three" if len(lesson.position.variant.armies) > 2 else "entry"
