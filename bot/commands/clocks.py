"""`/game claim`, `/game give-time`, `/game nudge`, `/me vacation` and **Remind me later**: what is done about time."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import NamedTuple

import discord
from discord import app_commands
from discord.ext import commands
from discord.ui import View

from bot.commands.acting import acted
from bot.commands.app import Asker, app, require_calm
from bot.commands.options import suggest_games, the_game
from bot.kit.components import Action, Count, Family, Game, given, on, outdated, row
from bot.kit.reply import Interaction, answer, now, reader, update
from bot.kit.slash import command
from bot.kit.wall_clock import WALL_CLOCK
from bot.match import timing
from bot.match.match import Match
from bot.people.clock import DAY, HOUR, Span
from bot.people.problems import MatchError, Problem
from bot.people.settings import VACATION_A_YEAR, vacation_left
from bot.people.zones import zone_named
from bot.texts.clocks import duration, instant, moment
from bot.texts.i18n import Language, plural, text

GIFT = 24
"""Hours that the button below the grace gives."""

MOST = 14 * 24
"""Hours that one can give at a time: the largest bank of all paces."""


class ClockCommands(commands.Cog):
    """What opponents may do about the clock of the player to move."""

    @command("game claim")
    @app_commands.autocomplete(game=suggest_games)
    async def claim(self, interaction: Interaction, game: str | None = None) -> None:
        """End the patience with a player whose time and grace are used up."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        await _claim(interaction, await the_game(interaction, game, "own"))

    @command("game give-time")
    @app_commands.autocomplete(game=suggest_games)
    async def give_time(
        self, interaction: Interaction, hours: app_commands.Range[int, 1, MOST], game: str | None = None
    ) -> None:
        """Give the player to move more time."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        await _give(interaction, await the_game(interaction, game, "own"), hours)

    @command("game nudge")
    @app_commands.autocomplete(game=suggest_games)
    async def nudge(self, interaction: Interaction, game: str | None = None) -> None:
        """Remind the player to move; once a day."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        match = await Asker(interaction).act(await the_game(interaction, game, "own"), timing.nudge)
        await acted(interaction, match, "time.done.nudged")


@on("claim")
async def claim_by_button(interaction: Interaction, action: Action) -> None:
    """Claim the game, or in a game of three the seat, of the player for whose turn the button was made."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    await _claim(interaction, action.match, action.number)


@on("give-time")
async def give_a_day(interaction: Interaction, action: Action) -> None:
    """Give a day, once for each grace."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    await _give(interaction, action.match, GIFT, action.number)


@on("snooze")
async def ask_when(interaction: Interaction, action: Action) -> None:
    """Ask the player to move when to remind them; by direct message, too, where no server is named."""
    asker = Asker(interaction)
    match = await asker.service.reminded_match(action.match, interaction.guild_id, asker.user)
    people, at = await asker.service.players(match), now()
    # Decided and not stored: refuses what the menu would refuse, whatever is chosen there.
    timing.snooze(match, asker.user, at + HOUR, at, people, action.number)
    view = snooze_view(asker.locale, match, people[asker.user].settings.zone, at, timing.too_late(match, people))
    await answer(interaction, text(asker.locale, "time.when", id=match.id), view=view)


async def _claim(interaction: Interaction, match_id: int, board_version: int | None = None) -> None:
    asker = Asker(interaction)
    if not WALL_CLOCK.believed:
        raise MatchError(Problem.CLOCK_WRONG)
    match = await asker.service.claim(match_id, asker.guild, asker.user, now(), board_version)
    await acted(interaction, match, "time.done.claimed-seat" if match.is_live else "time.done.claimed")


async def _give(interaction: Interaction, match_id: int, hours: int, board_version: int | None = None) -> None:
    require_calm(interaction, "ask")
    asker, given = Asker(interaction), hours * HOUR
    match = await asker.service.act(
        match_id,
        asker.guild,
        lambda match, people: timing.give_time(match, asker.user, given, now(), people, board_version),
    )
    falls = await asker.service.flag(match)  # less than was given, where the cap of the pace has been reached
    if falls is None:  # nobody can be reached just now
        await acted(interaction, match, "time.done.given-stands")
    else:
        await acted(interaction, match, "time.done.given", falls=instant(falls))


HOURS = (1, 3, 6, 12, 24)
MORNING = "morning"
NINE = time(9)


def next_morning(zone: str, at: int) -> tuple[str, int]:
    """The next nine o'clock on the wall clocks of that zone: the catalogue key of its day, and when it is."""
    here = datetime.fromtimestamp(at, zone_named(zone))
    day, days = ("today", 0) if here.time() < NINE else ("tomorrow", 1)
    return day, int(datetime.combine(here.date() + timedelta(days=days), NINE, here.tzinfo).timestamp())


class Snooze(NamedTuple):
    """The board for which a menu asks when to be reminded."""

    match: Game
    board_version: Count


SNOOZE = Family("rt-snooze", Snooze)


def snooze_view(locale: Language, match: Match, zone: str, at: int, too_late: int | None) -> View:
    """The menu for that turn, with what comes in time; the first hour must."""
    labels = {str(hours): plural(locale, "time.in-hours", hours) for hours in HOURS}
    day, _ = next_morning(zone, at)
    labels[MORNING] = text(locale, f"time.in-the-morning.{day}", zone=zone)[:100]
    options = [
        discord.SelectOption(label=label, value=chosen)
        for chosen, label in labels.items()
        if too_late is None or _instant(chosen, zone, at) < too_late
    ]
    return row(SNOOZE.menu("", Snooze(match.id, match.board_version), options))


def _instant(chosen: str, zone: str, at: int) -> int:
    """When that option means, chosen at that instant."""
    return next_morning(zone, at)[1] if chosen == MORNING else at + int(chosen) * HOUR


@SNOOZE.on()
async def put_off(interaction: Interaction, board: Snooze) -> None:
    """Put the reminder off until what was chosen."""
    await interaction.response.defer()
    service, user, chosen = app(interaction).service, interaction.user.id, given(interaction)
    if chosen not in (*map(str, HOURS), MORNING):
        raise outdated()
    at = _instant(chosen, (await service.people.user_settings(user)).zone, now())
    await service.act(
        board.match,
        interaction.guild_id,
        lambda match, people: timing.snooze(match, user, at, now(), people, board.board_version),
    )
    said = text(reader(interaction), "time.snoozed", id=board.match, at=moment(at))
    await update(interaction, said, view=None)


LONGEST = VACATION_A_YEAR // DAY


class VacationCommands(commands.Cog):
    """Thirty days a calendar year, a day at least, in all servers at once."""

    @command("me vacation start")
    async def start(self, interaction: Interaction, days: app_commands.Range[int, 1, LONGEST]) -> None:
        """Go on vacation now."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        service, user, begin = app(interaction).service, interaction.user.id, now()
        span = await service.people.start_vacation(user, begin + days * DAY, begin)
        await _tell(interaction, "vacation.started", span)

    @command("me vacation stop")
    async def stop(self, interaction: Interaction) -> None:
        """Come back before its end."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        span = await app(interaction).service.people.stop_vacation(interaction.user.id, now())
        await _tell(interaction, "vacation.stopped" if span[1] <= now() else "vacation.stopped-later", span)


async def _tell(interaction: Interaction, key: str, span: Span) -> None:
    """Answer; the games that are told may be many, and nobody waits for them."""
    asker = Asker(interaction)
    people, locale = asker.service.people, asker.locale
    left = vacation_left((await people.person(asker.user)).vacations, now())
    await answer(interaction, text(locale, key, until=moment(span[1]), left=duration(locale, left)))
    app(interaction).untold.set()
