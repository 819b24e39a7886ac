"""Postponed reminders: the bot promises one only if it will come, and in time."""

from __future__ import annotations

import pytest
from discord.ui import Select

from bot.core import deadlines, leaving, refereeing, time_acts
from bot.core.clock import DAY, HOUR, Pace
from bot.core.deadlines import PeopleById
from bot.core.events import EventKind
from bot.core.match import Match
from bot.core.problems import Problem
from bot.core.settings import Reminders, StoredPerson, UserSettings
from bot.play.clocks import snooze_view
from bot.texts.i18n import LANGUAGES, Language
from tests.bot.playing import ADA, BO, NOW, followed, live, refused

START = NOW + 1
QUIET: PeopleById = {ADA: StoredPerson(UserSettings(reminders=Reminders.OFF))}


def ticked(match: Match, people: PeopleById, now: int) -> tuple[Match, list[EventKind]]:
    events = time_acts.tick(match, people, now)
    return followed(match, events), [event.kind for event in events]


@pytest.mark.parametrize(("pace", "hour"), [(Pace.FAST, 24), (Pace.STANDARD, 72)])
def test_no_reminder_is_promised_for_when_the_time_is_up(pace: Pace, hour: int) -> None:
    match, now = live(pace=pace), START + (hour - 2) * HOUR
    end = START + hour * HOUR
    with refused(Problem.SNOOZED_TOO_LONG, until=end):
        time_acts.snooze_reminder(match, ADA, end, now)
    match = followed(match, time_acts.snooze_reminder(match, ADA, end - 1, now))
    assert deadlines.next_tick_at(match) == end - 1
    assert ticked(match, {}, end - 1)[1] == [EventKind.REMINDED]


def test_the_window_for_a_reminder_is_longer_while_the_clock_stands() -> None:
    asleep: PeopleById = {ADA: StoredPerson(UserSettings(sleep=(22 * 60, 8 * 60)))}
    match = live(pace=Pace.FAST)
    with refused(Problem.SNOOZED_TOO_LONG, until=START + 24 * HOUR):
        time_acts.snooze_reminder(match, ADA, START + 24 * HOUR, START)
    assert time_acts.snooze_reminder(match, ADA, START + 24 * HOUR, START, asleep)


def test_no_reminder_is_promised_for_the_closing_of_an_untimed_game() -> None:
    match = live()
    assert time_acts.snooze_reminder(match, ADA, START + 31 * DAY, START + 29 * DAY)  # warned, not closed
    match, kinds = ticked(match, QUIET, START + 30 * DAY)
    assert kinds == [EventKind.STILL]
    with refused(Problem.SNOOZED_TOO_LONG, until=START + 60 * DAY):
        time_acts.snooze_reminder(match, ADA, START + 60 * DAY, START + 59 * DAY)
    assert time_acts.snooze_reminder(match, ADA, START + 60 * DAY - 1, START + 59 * DAY)


def test_no_reminder_is_promised_while_a_seat_is_vacant_and_everything_stands() -> None:
    match = live("tri-camelot", pace=Pace.FAST)
    match = followed(match, leaving.resign(match, BO, START))
    with refused(Problem.SEAT_VACANT):
        time_acts.snooze_reminder(match, ADA, START + 2 * HOUR, START + HOUR)


def test_no_reminder_is_promised_in_the_grace_in_which_none_comes() -> None:
    in_grace, _ = ticked(live(pace=Pace.FAST), QUIET, START + 24 * HOUR)
    end = START + 36 * HOUR
    for now in (START + 25 * HOUR, end + DAY):
        with refused(Problem.TIME_UP, until=end):
            time_acts.snooze_reminder(in_grace, ADA, now + HOUR, now)


def test_a_snooze_beyond_a_time_cut_by_a_referee_allows_nudging() -> None:
    match = live(pace=Pace.STANDARD)
    match = followed(match, time_acts.snooze_reminder(match, ADA, START + 60 * HOUR, START))
    match = followed(match, refereeing.set_clock(match, 1099, 0, 30 * HOUR, "a slip", START + HOUR))
    match, kinds = ticked(match, QUIET, START + 31 * HOUR)
    assert kinds == [EventKind.GRACE]
    assert time_acts.nudge_player(match, BO, START + 32 * HOUR)
    match = followed(match, time_acts.give_time(match, BO, 12 * HOUR, START + 32 * HOUR))
    assert deadlines.next_tick_at(match) == START + 38 * HOUR  # half of the gift: the earlier wish no longer holds


@pytest.mark.parametrize("locale", LANGUAGES)
@pytest.mark.parametrize(
    ("left", "offered"),
    [
        (None, ["1", "3", "6", "12", "24", "morning"]),
        (24 * HOUR, ["1", "3", "6", "12", "morning"]),  # it is 22:13, so the morning comes first
        (6 * HOUR + 1, ["1", "3", "6"]),
        (HOUR + 1, ["1"]),
    ],
)
async def test_the_menu_offers_what_comes_in_time(locale: Language, left: int | None, offered: list[str]) -> None:
    view = snooze_view(locale, live(), "UTC", START, None if left is None else START + left)
    (menu,) = [item for item in view.children if isinstance(item, Select)]
    assert [option.value for option in menu.options] == offered
