"""`/learn`: five tasks, which the reader does himself under the eyes of the referee. Only he sees them.

Where he is stands in the `custom_id` of every button and menu, so that a lesson goes on after a restart.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, NamedTuple

import discord
from discord import ButtonStyle, SelectOption, app_commands
from discord.ext import commands
from discord.ui import Button, DynamicItem, Select, View

from bot.cogs._answers.buttons import button
from bot.cogs._answers.in_time import in_time, update
from bot.cogs._answers.lasting import Lasting
from bot.cogs._answers.options import VARIANT_CHOICES
from bot.cogs._answers.reply import Press, answer, picture, reader
from bot.cogs._answers.translator import words
from bot.cogs._lesson import Panel, panel_text, panel_view, panel_words
from bot.composing import UnfitPathError, format_path, parse_cell, parse_path
from bot.i18n import text
from bot.lessons import LESSONS, LONGEST_PATH, judged, offers
from bot.problems import MatchError, Problem
from rules import VARIANTS, Kind, RulesError
from rules.board import Cell

FIELDS = rf"(?P<variant>[a-z0-9-]{{1,20}}):(?P<number>[0-4]):(?P<path>(?:[0-9a-z]{{2}}){{0,{LONGEST_PATH + 1}}})"


class Spot(NamedTuple):
    """Where in which lesson somebody is."""

    variant: str
    number: int = 0
    path: tuple[Cell, ...] = ()

    @property
    def fields(self) -> str:
        """The spot as the end of a `custom_id`."""
        return f"{self.variant}:{self.number}:{format_path(self.path)}"

    @property
    def exists(self) -> bool:
        """Whether there is such a lesson, on such a board: what a press carries may be older than the program."""
        lessons = LESSONS.get(self.variant, ())
        return self.number < len(lessons) and max(self.path, default=0) < len(VARIANTS[self.variant].board.names)

    @classmethod
    def read(cls, found: re.Match[str]) -> Spot:
        """The spot in a `custom_id` that has been matched."""
        return cls(found["variant"], int(found["number"]), parse_path(found["path"]))


class LessonButton(Lasting, DynamicItem[Button[View]], template=rf"rt-learn:(?P<name>go|hint|stop):{FIELDS}"):
    """Goes to a spot, gives a hint there, or ends the move there."""

    def __init__(self, name: str, spot: Spot, label: str = "…", style: ButtonStyle = ButtonStyle.secondary) -> None:
        self.name = name
        self.spot = spot
        super().__init__(Button(label=label, style=style, custom_id=f"rt-learn:{name}:{spot.fields}"))

    @classmethod
    async def from_custom_id(cls, press: discord.Interaction[Any], item: Any, match: re.Match[str], /) -> LessonButton:
        """The button that a press on `custom_id` means."""
        return cls(match["name"], Spot.read(match))

    async def work(self, press: Press) -> None:
        """Do what the button is for."""
        await _pressed(press, self.name, self.spot)


class LessonMenu(Lasting, DynamicItem[Select[View]], template=rf"rt-lesson:{FIELDS}"):
    """Offers the pieces, or where the chosen one may try to go: also where the referee will not let it."""

    def __init__(self, spot: Spot, options: list[SelectOption] | None = None, placeholder: str | None = None) -> None:
        self.spot = spot
        super().__init__(Select(custom_id=f"rt-lesson:{spot.fields}", options=options or [], placeholder=placeholder))

    @classmethod
    async def from_custom_id(cls, press: discord.Interaction[Any], item: Any, match: re.Match[str], /) -> LessonMenu:
        """The menu in which something was chosen."""
        return cls(Spot.read(match))

    async def work(self, press: Press) -> None:
        """Try what has been chosen."""
        await _chosen(press, self.spot, self.item.values[0])


class Learning(commands.Cog):
    """Lessons."""

    @app_commands.command(name="learn", description=words("command.learn.description"))
    @app_commands.describe(variant=words("command.learn.variant"))
    @app_commands.choices(variant=VARIANT_CHOICES)
    async def learn(self, interaction: Press, variant: str) -> None:
        """Open the first lesson."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        panel = await _panel(interaction, Spot(variant))
        await answer(interaction, panel_text(panel), files=await _files(interaction, panel), view=_view(panel))


async def _pressed(press: Press, name: str, spot: Spot) -> None:
    panel = await _panel(press, spot)
    if name == "stop" and panel.path:
        panel = _tried(panel)
    await _show(press, replace(panel, hint=name == "hint"))


async def _chosen(press: Press, spot: Spot, value: str) -> None:
    """Go on to that cell. A move that can only be that one, or cannot be legal, is put before the referee at once."""
    try:
        panel = await _panel(press, spot._replace(path=(*spot.path, parse_cell(value))))
    except UnfitPathError:
        raise MatchError(Problem.NO_SUCH_BUTTON) from None
    turn = panel.turn
    undecided = len(panel.path) == 1 or (turn is not None and turn.leaps)
    await _show(press, panel if undecided else _tried(panel))


def _tried(panel: Panel) -> Panel:
    """The panel after the referee has looked at the move: refused ones are taken back to where they went wrong."""
    try:
        move = judged(panel.lesson.position, panel.path)
    except RulesError as error:
        return replace(panel, path=panel.path[:-1], error=error)
    return replace(panel, path=(), tried=move)


async def _panel(interaction: Press, spot: Spot) -> Panel:
    """The panel at that spot. Raises NO_SUCH_BUTTON for one that no lesson has."""
    if not spot.exists:
        raise MatchError(Problem.NO_SUCH_BUTTON)
    preferences = await interaction.client.service.preferences(interaction.user.id)
    return Panel(reader(interaction), VARIANTS[spot.variant], spot.number, preferences, spot.path)


async def _show(press: Press, panel: Panel) -> None:
    """Change the lesson's message into that panel."""
    files = await in_time(press, _files(press, panel))
    await update(press, panel_text(panel), view=_view(panel), files=files)


async def _files(interaction: Press, panel: Panel) -> list[discord.File]:
    if panel.preferences.board == "text":
        return []
    png = await interaction.client.pictures.draw(panel_view(panel))
    return [picture(png, f"lesson-{panel.variant.key}-{panel.number + 1}", panel_words(panel))]


def _view(panel: Panel) -> View:
    """The menu and the buttons of a panel."""
    view, locale = View(timeout=None), panel.locale
    here = Spot(panel.variant.key, panel.number, panel.path)
    following = Spot(panel.variant.key, panel.number + 1)
    if panel.done:
        if panel.last:
            view.add_item(button(locale, "rules", book=panel.variant.key))
        else:
            view.add_item(LessonButton("go", following, text(locale, "button.next"), ButtonStyle.primary))
        again = Spot(panel.variant.key, panel.number)
        return view.add_item(LessonButton("go", again, text(locale, "button.again")))
    if options := _options(panel):
        asked = text(locale, "lesson.whereto" if panel.path else "lesson.which")
        view.add_item(LessonMenu(here, options, asked))
    turn = panel.turn
    if turn and len(panel.path) > 1 and turn.complete:
        view.add_item(LessonButton("stop", here, text(locale, "button.stop-here"), ButtonStyle.primary))
    if panel.path:
        back = here._replace(path=panel.path[:-1])
        view.add_item(LessonButton("go", back, text(locale, "button.take-back")))
    view.add_item(LessonButton("hint", here._replace(path=()), text(locale, "button.hint")))
    if not panel.last:
        view.add_item(LessonButton("go", following, text(locale, "button.skip")))
    return view


def _options(panel: Panel) -> list[SelectOption]:
    """The reader's pieces, or the cells around the chosen one."""
    position, names = panel.lesson.position, panel.variant.board.names
    if panel.path:
        cells = offers(position, panel.path)
        return [SelectOption(label=names[cell], value=format_path((cell,))) for cell in cells]
    kinds = {Kind.KNIGHT: "moves.knight", Kind.MAN: "moves.man"}
    return [
        SelectOption(
            label=text(panel.locale, kinds[position.pieces[cell].kind], cell=names[cell]), value=format_path((cell,))
        )
        for cell in panel.lesson.pieces
    ]
