"""`/me vacation`, and the buttons about time: to claim, to give more, to nudge, and **Remind me later**."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import NamedTuple

import discord
from discord import app_commands
from discord.ui import View

from bot.core import deadlines
from bot.core.acts import ClaimTimeout, GiveTime, NudgePlayer, SnoozeReminder, decide
from bot.core.clock import DAY, HOUR
from bot.core.deadlines import Actor
from bot.core.match import Match
from bot.core.problems import MatchError, Problem
from bot.core.setting_kinds import zone_named
from bot.core.settings import VACATION_PER_YEAR_S, vacation_left
from bot.discordkit.components import CountField, Family, IdField, outdated_error, submitted_value
from bot.discordkit.reply import Interaction, acknowledge_press, make_view, send_answer, think_beside, update_message
from bot.discordkit.slash import slash_command
from bot.discordkit.wall_clock import WALL_CLOCK
from bot.play.after_acts import announce_and_answer
from bot.play.caller import Caller
from bot.play.service.games import reminded_match
from bot.play.service.people import person_of, start_vacation, stop_vacation, user_settings
from bot.play.shared_components import Action, action_button
from bot.texts.i18n import Language, plural_text, text
from bot.texts.markup import absolute_time, relative_time
from bot.texts.sentences import duration_text

CLOCK_BUTTONS = Family("rt", Action)

GIFT_S = DAY
"""Seconds that a gift of time adds."""


@CLOCK_BUTTONS.register_handler("claim", first=think_beside)
async def claim_game(interaction: Interaction, action: Action) -> None:
    """Claims the game, or in a game of three the seat, against the player for whose turn the button was made."""
    caller = Caller(interaction)
    if not WALL_CLOCK.is_believed:
        raise MatchError(Problem.CLOCK_WRONG)
    match = await caller.act(action.match, ClaimTimeout(action.number))
    await announce_and_answer(interaction, match, "time.done.claimed-seat" if match.is_live else "time.done.claimed")


@CLOCK_BUTTONS.register_handler("nudge", first=think_beside)
async def nudge_player(interaction: Interaction, action: Action) -> None:
    """Reminds the player to move, at most once a day."""
    match = await Caller(interaction).act(action.match, NudgePlayer())
    await announce_and_answer(interaction, match, "time.done.nudged")


@CLOCK_BUTTONS.register_handler("more-time")
async def give_a_day(interaction: Interaction, action: Action) -> None:
    """Gives the player to move a day."""
    await _give_time(interaction, action.match, None)


@CLOCK_BUTTONS.register_handler("give-time")
async def give_a_day_of_grace(interaction: Interaction, action: Action) -> None:
    """Gives a day, once for each grace."""
    await _give_time(interaction, action.match, action.number)


@CLOCK_BUTTONS.register_handler("snooze")
async def ask_when_to_remind(interaction: Interaction, action: Action) -> None:
    """Asks the player to move when to remind them. Also works in direct messages, where no server is named."""
    caller = Caller(interaction)
    match = await reminded_match(caller.service, action.match, interaction.guild_id, caller.user)
    people, at = await caller.service.players_of(match), caller.now
    # Decides without storing, to refuse at once if every choice in the menu would be refused.
    decide(match, Actor(caller.user, at, people=people), SnoozeReminder(at + HOUR, action.number))
    view = snooze_view(
        caller.locale, match, people[caller.user].settings.zone, at, deadlines.reminders_end_at(match, people)
    )
    await send_answer(interaction, text(caller.locale, "time.when", id=match.id), view=view)


async def _give_time(interaction: Interaction, match_id: int, board_version: int | None) -> None:
    await interaction.response.defer(ephemeral=True, thinking=True)
    caller = Caller(interaction)
    match = await caller.act(match_id, GiveTime(GIFT_S, board_version))
    people = await caller.service.players_of(match)
    runs_out_at = deadlines.time_runs_out_at(match, people)  # less than the gift if the cap of the pace is reached
    if runs_out_at is None:  # nobody can be reached at present, so the clock stands
        await announce_and_answer(interaction, match, "time.done.given-stands")
    else:
        await announce_and_answer(interaction, match, "time.done.given", falls=relative_time(runs_out_at))


SNOOZE_HOURS = (1, 3, 6, 12, 24)
MORNING_OPTION = "morning"
MORNING_TIME = time(9)


def next_morning(zone: str, at: int) -> tuple[str, int]:
    """Returns the next nine o'clock in that zone: the catalogue key of its day, and its time in unix seconds."""
    local_time = datetime.fromtimestamp(at, zone_named(zone))
    day, days = ("today", 0) if local_time.time() < MORNING_TIME else ("tomorrow", 1)
    return day, int(
        datetime.combine(local_time.date() + timedelta(days=days), MORNING_TIME, local_time.tzinfo).timestamp()
    )


class SnoozeState(NamedTuple):
    """The board for which a menu asks when to be reminded."""

    match: IdField
    board_version: CountField


SNOOZE_MENU = Family("rt-snooze", SnoozeState)


def snooze_view(locale: Language, match: Match, zone: str, at: int, too_late: int | None) -> View:
    """Returns the menu for that turn, with the options that come in time. The first hour always does."""
    labels = {str(hours): plural_text(locale, "time.in-hours", hours) for hours in SNOOZE_HOURS}
    day, _ = next_morning(zone, at)
    labels[MORNING_OPTION] = text(locale, f"time.in-the-morning.{day}", zone=zone)[:100]
    options = [
        discord.SelectOption(label=label, value=chosen)
        for chosen, label in labels.items()
        if too_late is None or _time_of_option(chosen, zone, at) < too_late
    ]
    return make_view(SNOOZE_MENU.make_menu("", SnoozeState(match.id, match.board_version), options))


def _time_of_option(option: str, zone: str, at: int) -> int:
    """Returns the time that the option means when chosen at `at`."""
    return next_morning(zone, at)[1] if option == MORNING_OPTION else at + int(option) * HOUR


@SNOOZE_MENU.register_handler(first=acknowledge_press)
async def postpone_reminder(interaction: Interaction, board: SnoozeState) -> None:
    """Postpones the reminder to the chosen time."""
    caller, option = Caller(interaction), submitted_value(interaction)
    if option not in (*map(str, SNOOZE_HOURS), MORNING_OPTION):
        raise outdated_error()
    at = _time_of_option(option, (await user_settings(caller.service, caller.user)).zone, caller.now)
    actor = Actor(caller.user, caller.now, interaction.guild_id)  # in direct messages, a game of any server
    await caller.service.act(actor, board.match, SnoozeReminder(at, board.board_version))
    sentence = text(caller.locale, "time.snoozed", id=board.match, at=absolute_time(at))
    await update_message(interaction, sentence, view=None)


MAX_VACATION_DAYS = VACATION_PER_YEAR_S // DAY


@slash_command("me vacation")
async def me_vacation_command(
    interaction: Interaction, days: app_commands.Range[int, 1, MAX_VACATION_DAYS] | None = None
) -> None:
    """Starts a vacation now. Without `days`, says when the present one ends, and how many days are left."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    caller = Caller(interaction)
    at = caller.now
    if days is not None:
        span = await start_vacation(caller.service, caller.user, at + days * DAY, at)
        await _tell_vacation(interaction, "vacation.started", span[1], can_stop=True)
        return
    vacations = (await person_of(caller.service, caller.user)).vacations
    until = next((span[1] for span in vacations if span[0] <= at < span[1]), None)
    await _tell_vacation(interaction, "vacation.now" if until else "vacation.none", until, can_stop=bool(until))


@CLOCK_BUTTONS.register_handler("vacation-stop", first=think_beside)
async def end_vacation_early(interaction: Interaction, _: Action) -> None:
    """Ends the vacation early."""
    caller = Caller(interaction)
    _begin, until = await stop_vacation(caller.service, caller.user, caller.now)
    await _tell_vacation(interaction, "vacation.stopped" if until <= caller.now else "vacation.stopped-later", until)


async def _tell_vacation(interaction: Interaction, key: str, until: int | None, *, can_stop: bool = False) -> None:
    """Answers about the vacation. The ticker announces it in the person's games, which may be many."""
    caller = Caller(interaction)
    locale = caller.locale
    left = vacation_left((await person_of(caller.service, caller.user)).vacations, caller.now)
    words = text(locale, key, until=absolute_time(until or 0), left=duration_text(locale, left))
    await send_answer(interaction, words, view=make_view(action_button(locale, "vacation-stop")) if can_stop else None)
    caller.context.announcements_due.set()
