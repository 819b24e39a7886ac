"""`/learn lessons`: six tasks, which the reader does alone under the eyes of the referee. Only the reader sees them.

The board is that of `bench`; its menus let the reader err, so that the referee can say why.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, NamedTuple, Self

from discord import ButtonStyle, app_commands
from discord.ext import commands

from bot.commands.app import app
from bot.commands.bench import draw_up, furnish, present, resume, show
from bot.commands.composer_panel import Panel
from bot.commands.options import VARIANT_CHOICES
from bot.commands.purpose import Purpose
from bot.kit.components import Button, End, Family, Fresh, Key, Path, Written, button, outdated
from bot.kit.reply import Interaction, here, reader
from bot.kit.slash import command
from bot.match.draft import Draft
from bot.texts.i18n import Language, join, text
from bot.texts.lessons import LESSONS, Lesson, Task, offers
from bot.texts.sentences import colour, move_kind, refusal, sides, variant_name, ways
from render import Mark, MarkKind
from rules import VARIANTS, Game, Move, Position, RulesError, Variant, format_move
from rules.board import Cell

Number = Annotated[int, Written("[0-5]", int)]


class Spot(NamedTuple):
    """Where in which lesson somebody is."""

    variant: Key
    number: Number = 0
    end: End = None
    """Never anything: no menu of a lesson offers destinations."""
    path: Path = ""
    fresh: Fresh = ""


class OldSpot(NamedTuple):
    """The same, as the first lessons carried it."""

    variant: Key
    number: Number = 0
    path: Path = ""
    fresh: Fresh = ""


SPOTS = Family("rt-task", Spot)
OLD_BUTTONS, OLD_MENU = Family("rt-learn", OldSpot), Family("rt-lesson", OldSpot)


@dataclass(frozen=True)
class Exercise(Purpose):
    """A lesson that somebody is at."""

    buttons = menus = SPOTS
    forms = SPOTS, "typed"
    last = "stop-here"
    at_once = True

    place: Spot
    tried: Move | None = None
    """The move that has done the task."""
    house: bool = False
    """Whether a game against the house can follow."""

    @classmethod
    async def take_up(cls, interaction: Interaction, place: Spot) -> Self | None:
        if place.number >= len(LESSONS.get(place.variant, ())):
            raise outdated()
        guild = here(interaction)
        house = guild is not None and app(interaction).servers.settings(guild).has_house
        return cls(place, house=house)

    @property
    def variant(self) -> Variant:
        """The game that is learnt."""
        return VARIANTS[self.place.variant]

    @property
    def lesson(self) -> Lesson:
        """What is to be done, and where."""
        return LESSONS[self.place.variant][self.place.number]

    @property
    def game(self) -> Game:
        game = Game.from_position(self.lesson.position)
        return game.apply(self.tried) if self.tried else game

    @property
    def open(self) -> bool:
        return self.tried is None

    @property
    def bottom(self) -> int:
        return self.lesson.position.turn

    @property
    def came(self) -> tuple[Position, Move] | None:
        return (self.lesson.position, self.tried) if self.tried else None

    @property
    def is_last(self) -> bool:
        """Whether no lesson follows."""
        return self.place.number + 1 == len(LESSONS[self.place.variant])

    @property
    def picture(self) -> str:
        return f"lesson-{self.place.variant}-{self.place.number + 1}"

    def tries(self, path: Sequence[Cell]) -> Sequence[Cell]:
        return offers(self.lesson.position, path) if path else self.lesson.pieces

    def refused(self, locale: Language, error: RulesError) -> str:
        example = format_move(self.lesson.example, self.variant.board)
        return text(locale, "lesson.refused", why=refusal(locale, error, example, self.variant))

    def title(self, locale: Language) -> str:
        title = f"**{_title(locale, self)}**"
        if self.tried:
            return title
        castle, side = _castle(locale, self.lesson), colour(locale, self.variant, self.lesson.position.turn)
        places = {"castle": castle, "ways": text(locale, f"lesson.ways.{ways(self.variant)}")}
        rule, task = (text(locale, f"lesson.{_topic(self.lesson)}.{part}", **places) for part in ("rule", "task"))
        return "\n".join([title, rule, text(locale, "lesson.task", task=task, colour=side)])

    def alt(self, locale: Language) -> str:
        return " ".join([f"{_title(locale, self)}.", *sides(locale, self.game.position)])

    def items(self, panel: Panel) -> Iterator[Button]:
        spot, locale = self.place, panel.locale
        following = Spot(spot.variant, spot.number + 1)
        if self.tried:
            if self.is_last:
                if self.house:
                    yield button(locale, "first-game", primary=True, variant=spot.variant)
                yield button(locale, "rules", variant=spot.variant)
            else:
                yield SPOTS.button("look", following, text(locale, "button.next"), ButtonStyle.primary)
            yield SPOTS.button("restart", Spot(spot.variant, spot.number), text(locale, "button.again"))
            return
        yield SPOTS.button("hint", panel.place, text(locale, "button.hint"))
        if not self.is_last:
            yield SPOTS.button("look", following, text(locale, "button.skip"))

    async def finish(self, interaction: Interaction, draft: Draft, *, sure: bool) -> None:
        """Say whether the move is what the task asks for."""
        assert draft.turn is not None
        locale, move, position = reader(interaction), draft.turn.move, self.lesson.position
        named = format_move(move, self.variant.board)
        if not self.lesson.done_by(move):
            kind = text(locale, f"lesson.kind.{move_kind(position, move)}")
            remark = text(locale, "lesson.not-the-task", move=named, kind=kind)
            await show(interaction, await draw_up(interaction, self, remark=remark))
            return
        praise = text(locale, f"lesson.{_topic(self.lesson)}.praise")
        lines = [text(locale, "lesson.done", move=named, praise=praise)]
        if self.is_last:
            lines.append(text(locale, "lesson.over"))
        await show(interaction, await draw_up(interaction, replace(self, tried=move), remark="\n".join(lines)))


furnish(Exercise, "end", "way", "sure")


class LearnCommands(commands.Cog):
    """Lessons."""

    @command("learn lessons")
    @app_commands.choices(variant=VARIANT_CHOICES)
    async def learn(self, interaction: Interaction, variant: str) -> None:
        """Open the first lesson."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        await present(interaction, await draw_up(interaction, Exercise(Spot(variant))))


@OLD_BUTTONS.on("go")
@OLD_BUTTONS.on("hint")
@OLD_BUTTONS.on("stop")
@OLD_MENU.on()
async def begin(interaction: Interaction, place: OldSpot) -> None:
    """Go to the lesson; from a panel of the first kind, to the beginning of the one that it was about."""
    if board := await Exercise.take_up(interaction, Spot(place.variant, place.number)):
        await show(interaction, await draw_up(interaction, board))


@SPOTS.on("hint")
async def give_a_hint(interaction: Interaction, place: Spot) -> None:
    """Say how to begin."""
    if resumed := await resume(Exercise, interaction, place):
        board, _draft = resumed
        start = board.lesson.example.start
        remark = text(reader(interaction), "lesson.hint", cell=board.variant.board.names[start])
        marks = (Mark(start, MarkKind.HINT),)
        await show(interaction, await draw_up(interaction, board, remark=remark, marks=marks))


def _title(locale: Language, exercise: Exercise) -> str:
    count, number = len(LESSONS[exercise.place.variant]), exercise.place.number + 1
    name, topic = variant_name(locale, exercise.variant), text(locale, f"lesson.{_topic(exercise.lesson)}.name")
    return text(locale, "lesson.title", variant=name, number=number, count=count, topic=topic)


def _topic(lesson: Lesson) -> str:
    """What the catalogue calls the lesson: a castle of two cells takes two pieces; of three players' one is barred."""
    if lesson.task is not Task.ENTRY:
        return str(lesson.task.value)
    if len(lesson.castle) > 1:
        return "entry-two"
    return "entry-three" if len(lesson.position.variant.armies) > 2 else "entry"


def _castle(locale: Language, lesson: Lesson) -> str:
    """The cells of the castle that the lesson is about."""
    return join(locale, [f"**{name}**" for name in lesson.position.names(sorted(lesson.castle))])
