"""`/learn lessons`: six tasks, which the reader does alone under the eyes of the referee. Only the reader sees them.

The `custom_id` of every button and menu says where in which lesson it belongs, so that lessons go on after a restart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, NamedTuple

import discord
from discord import ButtonStyle, SelectOption, app_commands, ui
from discord.ext import commands

from bot.commands.app import Asker, drawn
from bot.commands.composer_panel import piece_name
from bot.commands.options import VARIANT_CHOICES
from bot.kit.components import Button, Family, Fresh, Key, Menu, Written, button, fresh, given, outdated, row
from bot.kit.reply import Interaction, answer, in_time, reader, update
from bot.kit.slash import command
from bot.match.draft import UnfitPathError, format_path, parse_cell, parse_path
from bot.people.preferences import Preferences
from bot.texts.i18n import Language, join, text
from bot.texts.lessons import LESSONS, LONGEST_PATH, Lesson, Task, begun, judged, offers
from bot.texts.sentences import colour, move_kind, pieces, refusal, variant_name
from bot.texts.text_board import text_board
from render import Mark, MarkKind, View
from rules import VARIANTS, IllegalMove, Move, NotationError, RulesError, Turn, Variant, format_move
from rules.board import Cell

Number = Annotated[int, Written("[0-5]", int)]
Path = Annotated[tuple[Cell, ...], Written(rf"(?:[0-9a-z]{{2}}){{0,{LONGEST_PATH + 1}}}", parse_path, format_path)]


class Spot(NamedTuple):
    """Where in which lesson somebody is."""

    variant: Key
    number: Number = 0
    path: Path = ()
    fresh: Fresh = ""
    """Of menus only."""

    @property
    def exists(self) -> bool:
        """Whether there is such a lesson, on such a board: what comes in may be older than the program."""
        lessons = LESSONS.get(self.variant, ())
        return self.number < len(lessons) and max(self.path, default=0) < len(VARIANTS[self.variant].board.names)


BUTTONS, MENU = Family("rt-learn", Spot), Family("rt-lesson", Spot)


class LearnCommands(commands.Cog):
    """Lessons."""

    @command("learn lessons")
    @app_commands.choices(variant=VARIANT_CHOICES)
    async def learn(self, interaction: Interaction, variant: str) -> None:
        """Open the first lesson."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        panel = await _panel(interaction, Spot(variant))
        await answer(
            interaction, panel_text(panel), files=await _files(interaction, panel), view=_view(interaction, panel)
        )


@BUTTONS.on("go")
async def go(interaction: Interaction, spot: Spot) -> None:
    """Go to that spot."""
    await _show(interaction, await _panel(interaction, spot))


@BUTTONS.on("hint")
async def give_a_hint(interaction: Interaction, spot: Spot) -> None:
    """Say how to begin."""
    await _show(interaction, replace(await _panel(interaction, spot), hint=True))


@BUTTONS.on("stop")
async def stop_here(interaction: Interaction, spot: Spot) -> None:
    """End the move."""
    panel = await _panel(interaction, spot)
    await _show(interaction, _tried(panel) if panel.path else panel)


@MENU.on()
async def choose(interaction: Interaction, spot: Spot) -> None:
    """Go on to the chosen cell. A move that can only be that one, or cannot be legal, is judged at once."""
    try:
        panel = await _panel(interaction, spot._replace(path=(*spot.path, parse_cell(given(interaction)))))
    except UnfitPathError:
        raise outdated() from None
    turn = panel.turn
    undecided = len(panel.path) == 1 or (turn is not None and turn.leaps)
    await _show(interaction, panel if undecided else _tried(panel))


def _tried(panel: Panel) -> Panel:
    """The panel after the referee has looked at the move: refused ones are taken back to where they went wrong."""
    try:
        move = judged(panel.lesson.position, panel.path)
    except RulesError as error:
        return replace(panel, path=panel.path[:-1], error=error)
    return replace(panel, path=(), tried=move)


async def _panel(interaction: Interaction, spot: Spot) -> Panel:
    """The panel at that spot. Raises NO_SUCH_BUTTON for one that no lesson has."""
    if not spot.exists:
        raise outdated()
    preferences = await Asker(interaction).preferences()
    return Panel(reader(interaction), VARIANTS[spot.variant], spot.number, preferences, spot.path)


async def _show(interaction: Interaction, panel: Panel) -> None:
    """Change the lesson's message into that panel."""
    files = await in_time(interaction, _files(interaction, panel))
    await update(interaction, panel_text(panel), view=_view(interaction, panel), files=files)


async def _files(interaction: Interaction, panel: Panel) -> list[discord.File]:
    if panel.preferences.board == "text":
        return []
    name = f"lesson-{panel.variant.key}-{panel.number + 1}"
    return [await drawn(interaction, panel_view(panel), panel.preferences, name, panel_words(panel))]


def _view(interaction: Interaction, panel: Panel) -> ui.View:
    """The menu and the buttons of a panel."""
    locale, shown = panel.locale, list[Button | Menu]()
    here = Spot(panel.variant.key, panel.number, panel.path)
    following = Spot(panel.variant.key, panel.number + 1)
    if panel.done:
        if panel.last:
            shown.append(button(locale, "rules", variant=panel.variant.key))
        else:
            shown.append(BUTTONS.button("go", following, text(locale, "button.next"), ButtonStyle.primary))
        again = Spot(panel.variant.key, panel.number)
        return row(*shown, BUTTONS.button("go", again, text(locale, "button.again")))
    if options := _options(panel):
        asked = text(locale, "lesson.whereto" if panel.path else "lesson.which")
        shown.append(MENU.menu("", here._replace(fresh=fresh(interaction)), options, asked))
    turn = panel.turn
    if turn and len(panel.path) > 1 and turn.complete:
        shown.append(BUTTONS.button("stop", here, text(locale, "button.stop-here"), ButtonStyle.primary))
    if panel.path:
        back = here._replace(path=panel.path[:-1])
        shown.append(BUTTONS.button("go", back, text(locale, "button.take-back")))
    shown.append(BUTTONS.button("hint", here._replace(path=()), text(locale, "button.hint")))
    if not panel.last:
        shown.append(BUTTONS.button("go", following, text(locale, "button.skip")))
    return row(*shown)


def _options(panel: Panel) -> list[SelectOption]:
    """The reader's pieces, or the cells around the chosen one."""
    position, names = panel.lesson.position, panel.variant.board.names
    if panel.path:
        cells = offers(position, panel.path)
        return [SelectOption(label=names[cell], value=format_path((cell,))) for cell in cells]
    return [
        SelectOption(label=piece_name(panel.locale, position, cell), value=format_path((cell,)))
        for cell in panel.lesson.pieces
    ]


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
    """Why the referee has refused the last attempt."""
    hint: bool = False
    """Whether the reader has asked how to begin."""

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
    position, turn = panel.lesson.position, panel.turn
    view = View(
        position,
        position.turn,
        marks=tuple(_marks(panel)),
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
    locale, variant = panel.locale, panel.variant
    sides = [(colour(locale, variant, seat), pieces(locale, view.position, seat)) for seat in variant.seats]
    said = [text(locale, "alt.side", colour=side, pieces=standing) for side, standing in sides]
    return " ".join([_title(panel), *said])


def _paragraphs(panel: Panel) -> Iterator[str]:
    locale, lesson = panel.locale, panel.lesson
    yield f"**{_title(panel)}**"
    if not panel.done:
        yield text(locale, f"lesson.{_topic(lesson)}.rule", castle=_castle(locale, lesson))
        task = text(locale, f"lesson.{_topic(lesson)}.task", castle=_castle(locale, lesson))
        side = colour(locale, panel.variant, lesson.position.turn)
        yield text(locale, "lesson.task", task=task, colour=side)
    if said := _verdict(panel):
        yield said
    if panel.done and panel.last:
        yield text(locale, "lesson.over")
    elif panel.turn:
        yield _state(panel, panel.turn)


def _title(panel: Panel) -> str:
    locale, count = panel.locale, len(LESSONS[panel.variant.key])
    name, topic = variant_name(locale, panel.variant), text(locale, f"lesson.{_topic(panel.lesson)}.name")
    return text(locale, "lesson.title", variant=name, number=panel.number + 1, count=count, topic=topic)


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
