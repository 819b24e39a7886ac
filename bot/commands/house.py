"""House players at the table: **Let the house sit**, for the host, and the first game at the end of the lessons."""

from __future__ import annotations

from typing import NamedTuple

from discord import SelectOption

from bot.commands.app import App, Asker, app, require_calm, take_turn
from bot.commands.options import known, parent, require_place, where
from bot.kit.components import Action, Family, Fresh, Game, fresh, given, on, outdated, row
from bot.kit.permissions import complaint
from bot.kit.reply import Interaction, answer, now, reader, update
from bot.match.events import Seating
from bot.match.match import Match
from bot.match.table import promise_house
from bot.people.clock import DAY, HOUR
from bot.people.house import LEVELS
from bot.people.problems import MatchError, Problem
from bot.posting.tables import post_table
from bot.texts.clocks import duration, instant
from bot.texts.i18n import Language, plural, text

WAITS = (HOUR, 6 * HOUR, DAY, 3 * DAY)
"""After how many seconds house players may take the seats that are empty still."""

NEVER = "never"


class TableState(NamedTuple):
    """At which table the house is to sit."""

    match: Game
    fresh: Fresh = ""


HOUSE = Family("rt-house", TableState)


@on("house")
async def ask_house(interaction: Interaction, action: Action) -> None:
    """Ask the host how many house players are to sit down, of which level, and whether now or later."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    asker = Asker(interaction)
    match = await asker.service.match(action.match, asker.guild)
    match.require_open()
    if asker.user != match.host:
        raise MatchError(Problem.NOT_HOST, host=match.host)
    if not app(interaction).servers.settings(asker.guild).most_house:
        raise MatchError(Problem.HOUSE_OFF)
    state = TableState(match.id, fresh(interaction))
    menus = [HOUSE.menu("later", state, _later_options(asker.locale, match), text(asker.locale, "house.later"))]
    if match.free_seats:
        sit = _seat_options(asker.locale, match.free_seats)
        menus.insert(0, HOUSE.menu("sit", state, sit, text(asker.locale, "house.sit")))
    await answer(interaction, text(asker.locale, "house.ask", id=match.id), view=row(*menus))


@HOUSE.on("sit")
async def sit(interaction: Interaction, state: TableState) -> None:
    """Let so many house players sit down now; the last seat starts the game."""
    level, _, count = given(interaction).partition(":")
    if level not in LEVELS or not count.isdecimal():
        raise outdated()
    await interaction.response.defer()
    asker, parts = Asker(interaction), app(interaction)
    match = await asker.service.house.let_sit(state.match, asker.guild, asker.user, level, int(count), now())
    await update(interaction, text(asker.locale, "house.seated", id=match.id), view=None)
    await _show(interaction, parts, match)


@HOUSE.on("later")
async def sit_later(interaction: Interaction, state: TableState) -> None:
    """Let house players take the seats that are empty by then, or not after all."""
    level, _, wait = given(interaction).partition(":")
    if level != NEVER and (level not in LEVELS or not wait.isdecimal() or int(wait) not in WAITS):
        raise outdated()
    await interaction.response.defer()
    asker, parts, at = Asker(interaction), app(interaction), now()
    if level == NEVER:
        match = await asker.act(state.match, lambda match, user, at: promise_house(match, user, "", None, at))
        said = text(asker.locale, "house.not-promised", id=match.id)
    else:
        until = at + int(wait)
        match = await asker.service.house.promise(state.match, asker.guild, asker.user, level, until, at)
        said = text(asker.locale, "house.promised", id=match.id, when=instant(until))
    await update(interaction, said, view=None)
    await _show(interaction, parts, match)


async def _show(interaction: Interaction, parts: App, match: Match) -> None:
    """Bring the table up to date; where the game begins, the announcer sees to that."""
    if match.is_live:
        if trouble := await parts.announcer.announce(match.id):
            await answer(interaction, complaint(reader(interaction), trouble))
        return
    parts.errands.tidy(match.channel, lambda: parts.announcer.show_table(match))


def _seat_options(locale: Language, free: int) -> list[SelectOption]:
    return [
        SelectOption(
            label=plural(locale, "house.count", count, level=text(locale, f"level.{level}")), value=f"{level}:{count}"
        )
        for count in range(1, free + 1)
        for level in LEVELS
    ]


def _later_options(locale: Language, match: Match) -> list[SelectOption]:
    found = [
        SelectOption(
            label=text(locale, "house.after", wait=duration(locale, wait), level=text(locale, f"level.{level}")),
            value=f"{level}:{wait}",
        )
        for wait in WAITS
        for level in LEVELS
    ]
    never = [SelectOption(label=text(locale, "house.never"), value=NEVER)]
    return [*found, *(never if match.promised else [])]


@on("first-game")
async def first_game(interaction: Interaction, action: Action) -> None:
    """Begin a game against the house at its weakest level, here, for whoever has come to the end of the lessons."""
    variant, (guild, channel) = known(action.variant), where(interaction)
    require_place(interaction)
    await take_turn(interaction)
    require_calm(interaction, "play")
    await interaction.response.defer(ephemeral=True, thinking=True)
    asker, parts = Asker(interaction), app(interaction)
    match = await asker.service.open_table(
        guild,
        channel,
        asker.user,
        variant,
        invited=(),
        seating=Seating.RANDOM,
        wants_thread=False,
        now=now(),
        parent=parent(interaction),
        house=LEVELS[0],
    )
    async with parts.announcer.alone(match.id):  # the house may move meanwhile; the table comes first
        await post_table(parts, match)
    trouble = await parts.announcer.announce(match.id)
    match = await asker.service.match(match.id, guild)
    begun = text(asker.locale, "house.begun", id=match.id, where=f"<#{match.where}>")
    await answer(interaction, f"{begun}\n{complaint(asker.locale, trouble)}" if trouble else begun)
