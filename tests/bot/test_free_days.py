"""The days of the week on which a person's clocks stand still, as stored and exported."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from bot.core.clock import Weekdays
from bot.play.service import Service
from bot.privacy.service import Privacy
from tests.bot.playing import ADA, NOW


@pytest.mark.parametrize(
    ("written", "days"),
    [
        (0, Weekdays.NONE),
        (1, Weekdays.WEEKEND),  # by every version so far
        (Weekdays.FRIDAY.value, Weekdays.FRIDAY),
        (254, Weekdays.NONE),  # a week without a day on which a clock runs
        (3, Weekdays.NONE),
        (-2, Weekdays.NONE),
        (2**40, Weekdays.NONE),
    ],
)
async def test_free_days_are_read_from_what_every_version_has_written(
    service: Service, written: int, days: Weekdays
) -> None:
    await service.people.change_user_settings(ADA, lambda known: replace(known, public=False), NOW)
    async with service.store.write_transaction() as tx:
        await tx.run_sql("UPDATE user_settings SET free_weekends = ?", (written,))
    assert (await service.people.user_settings(ADA)).free_days == days


@pytest.mark.parametrize("days", [Weekdays.NONE, Weekdays.WEEKEND, Weekdays.FRIDAY, Weekdays.MONDAY | Weekdays.SUNDAY])
async def test_free_days_are_kept_and_exported_by_their_names(service: Service, days: Weekdays) -> None:
    await service.people.change_user_settings(ADA, lambda known: replace(known, free_days=days, public=False), NOW)
    assert (await service.people.user_settings(ADA)).free_days == days
    exported = json.loads(json.dumps(await service.part(Privacy).export_person(ADA)))
    assert [Weekdays[day.upper()] for day in exported["settings"]["free_days"]] == list(days)
