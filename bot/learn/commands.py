"""`/learn lessons`: six tasks that the reader solves alone while the program checks each move. Only the reader sees
them.

The board is that of `composer`. It also offers illegal moves, so that the reader learns why they are illegal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, NamedTuple, Self

from discord import ButtonStyle, app_commands
from discord.ext import commands

from bot.core.draft import Draft
from bot.discordkit.components import Button, Family, FieldFormat, KeyField, NonceField, outdated_error
from bot.discordkit.reply import Interaction, acknowledge_press, reader_language, server_here
from bot.discordkit.slash import slash_command
from bot.learn.lessons import LESSONS, Lesson, Task, cells_to_try
from bot.play.app import app_of
from bot.play.composer.handlers import answer_with_panel, build_panel, register_handlers, resume_panel, update_panel
from bot.play.composer.purpose import BoardPanel, PanelContent
from bot.play.composer.state import EndField, PathField
from bot.play.options import VARIANT_CHOICES
from bot.play.shared_components import action_button
from bot.texts.i18n import Language, join_list, text
from bot.texts.sentences import colour_name, directions_key, explain_rules_error, move_kind, sides_texts, variant_name
from render import Mark, MarkKind
from rules import VARIANTS, Game, Move, Position, RulesError, Variant, format_move
from rules.board import Cell

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
class LessonPanel(BoardPanel):
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
        house = guild is not None and app_of(interaction).has_house(guild)
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
    def bottom_seat(self) -> int:
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
        castle, side = _castle_cells(locale, self.lesson), colour_name(locale, self.variant, self.lesson.position.turn)
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
            yield LESSON_FAMILY.make_button(
                "restart", LessonState(state.variant, state.number), text(locale, "button.again")
            )
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
            await update_panel(interaction, await build_panel(interaction, self, remark=remark))
            return
        await acknowledge_press(interaction)
        await _note_next_lesson(interaction, self.place.variant, self.place.number + 1)
        praise = text(locale, f"lesson.{_lesson_topic(self.lesson)}.praise")
        lines = [text(locale, "lesson.done", move=notation, praise=praise)]
        if self.is_last:
            lines.append(text(locale, "lesson.over"))
        await update_panel(
            interaction, await build_panel(interaction, replace(self, tried=move), remark="\n".join(lines))
        )


register_handlers(LessonPanel, "end", "way", "goal", "route", "look", "sure")


class LearnCommands(commands.Cog):
    """The command for the lessons."""

    @slash_command("learn lessons")
    @app_commands.choices(variant=VARIANT_CHOICES)
    async def learn(self, interaction: Interaction, variant: str) -> None:
        """Opens the lesson after the last one that the person has done or skipped; the first one after all of them."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        people = app_of(interaction).service.people
        number = (await people.next_lessons(interaction.user.id)).get(variant, 0)
        state = LessonState(variant, number if number < len(LESSONS[variant]) else 0)
        board = await LessonPanel.from_state(interaction, state)
        assert board is not None, state
        await answer_with_panel(interaction, await build_panel(interaction, board))


@LESSON_FAMILY.register_handler("look")
async def go_to_lesson(interaction: Interaction, place: LessonState) -> None:
    """Goes to the lesson on the button, and notes it as the one to continue with next time."""
    if resumed := await resume_panel(LessonPanel, interaction, place):
        board, draft = resumed
        await acknowledge_press(interaction)
        await _note_next_lesson(interaction, place.variant, place.number)
        await update_panel(interaction, await build_panel(interaction, board, draft.path))


async def _note_next_lesson(interaction: Interaction, variant: str, number: int) -> None:
    await app_of(interaction).service.people.set_next_lesson(interaction.user.id, variant, number)


@LESSON_FAMILY.register_handler("hint")
async def give_lesson_hint(interaction: Interaction, place: LessonState) -> None:
    """Says which piece to start with."""
    if resumed := await resume_panel(LessonPanel, interaction, place):
        board, draft = resumed
        start = board.lesson.example_move.start
        remark = text(reader_language(interaction), "lesson.hint", cell=board.variant.board.names[start])
        marks = (Mark(start, MarkKind.HINT),)
        await update_panel(interaction, await build_panel(interaction, board, draft.path, remark=remark, marks=marks))


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


def _castle_cells(locale: Language, lesson: Lesson) -> str:
    """Returns the names of the castle's cells in the lesson."""
    return join_list(locale, [f"**{name}**" for name in lesson.position.names(sorted(lesson.castle))])
