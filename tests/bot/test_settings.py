from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.core.clock import DAY
from bot.core.problems import Problem
from bot.core.settings import (
    GuildSettings,
    UserSettings,
    check_guild_settings,
    check_user_settings,
    end_vacation_now,
    require_vacation,
)
from tests.bot.playing import NOW, refused


def test_a_time_zone_has_to_exist() -> None:
    assert check_user_settings(UserSettings(zone="Europe/Oslo"))
    with refused(Problem.NO_SUCH_ZONE, zone="Mars/Olympus"):
        check_user_settings(UserSettings(zone="Mars/Olympus"))


@pytest.mark.parametrize("sleep", [(0, 0), (0, 601), (-1, 60), (0, 1440)])
def test_sleep_lasts_at_most_ten_hours_of_a_day(sleep: tuple[int, int]) -> None:
    assert check_user_settings(UserSettings(sleep=(23 * 60, 9 * 60)))
    with refused(Problem.BAD_SLEEP, most=10):
        check_user_settings(UserSettings(sleep=sleep))


def test_a_channel_is_listed_once_and_house_rules_are_short() -> None:
    assert check_guild_settings(GuildSettings(channels=(1, 2, 1))).channels == (1, 2)
    with refused(Problem.TEXT_TOO_LONG, most=1500):
        check_guild_settings(GuildSettings(house_rules="x" * 1501))


def test_a_vacation_lasts_a_day_at_least_and_thirty_a_calendar_year() -> None:
    new_year = int(datetime(2027, 1, 1, tzinfo=UTC).timestamp())
    start = new_year - 20 * DAY
    assert require_vacation((), start, start + 50 * DAY) == (
        start,
        start + 50 * DAY,
    )  # 20 days of one year, 30 of the next
    with refused(Problem.VACATION_SPENT, year=2027, left=30):
        require_vacation((), start, start + 51 * DAY)
    with refused(Problem.VACATION_TOO_SHORT, least=1):
        require_vacation((), start, start + DAY - 1)
    taken = ((start, start + 25 * DAY),)
    with refused(Problem.ALREADY_AWAY):
        require_vacation(taken, start + 24 * DAY, start + 26 * DAY)
    with refused(Problem.VACATION_SPENT, year=2027, left=25):
        require_vacation(taken, start + 30 * DAY, start + 56 * DAY)


def test_who_comes_back_early_has_still_been_away_for_a_day() -> None:
    taken = ((NOW, NOW + 9 * DAY),)
    assert end_vacation_now(taken, NOW + 5) == (taken[0], (NOW, NOW + DAY))
    assert end_vacation_now(taken, NOW + 3 * DAY)[1] == (NOW, NOW + 3 * DAY)
    with refused(Problem.NOT_AWAY):
        end_vacation_now(taken, NOW + 9 * DAY)
