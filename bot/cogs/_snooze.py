"""The menu behind **Remind me later**: when, in the zone of whoever is to move."""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import discord
from discord.ui import DynamicItem, Select, View

from bot.clock import HOUR
from bot.cogs._answers.lasting import Lasting, row
from bot.cogs._answers.reply import NOBODY, Press, now, reader
from bot.cogs._clocks import moment
from bot.i18n import Language, plural, text
from bot.match import Match
from bot.problems import MatchError, Problem

HOURS = (1, 3, 6, 12, 24)
MORNING = "morning"
NINE = time(9)


def next_morning(zone: str, at: int) -> int:
    """Nine o'clock of the following day on the wall clocks of that zone."""
    place = ZoneInfo(zone)
    tomorrow = datetime.fromtimestamp(at, place).date() + timedelta(days=1)
    return int(datetime.combine(tomorrow, NINE, place).timestamp())


class SnoozeMenu(Lasting, DynamicItem[Select[View]], template=r"rt-snooze:(?P<match>\d{1,15}):(?P<changes>\d{1,6})"):
    """When to be reminded; the `custom_id` says of which board, so that it outlives restarts."""

    def __init__(self, match: int, changes: int, options: list[discord.SelectOption] | None = None) -> None:
        self.match, self.changes = match, changes
        super().__init__(Select(custom_id=f"rt-snooze:{match}:{changes}", options=options or []))

    @classmethod
    async def from_custom_id(cls, press: discord.Interaction[Any], item: Any, match: re.Match[str], /) -> SnoozeMenu:
        """The menu in which something was chosen."""
        return cls(int(match["match"]), int(match["changes"]))

    async def work(self, press: Press) -> None:
        """Put the reminder off."""
        await _put_off(press, self.match, self.changes, self.item.values[0])


def snooze_view(locale: Language, match: Match, zone: str, at: int, too_late: int | None) -> View:
    """The menu for that turn, with what comes in time; the first hour must."""
    labels = {str(hours): plural(locale, "time.in-hours", hours) for hours in HOURS}
    labels[MORNING] = text(locale, "time.in-the-morning", zone=zone)[:100]
    options = [
        discord.SelectOption(label=label, value=chosen)
        for chosen, label in labels.items()
        if too_late is None or _instant(chosen, zone, at) < too_late
    ]
    return row(SnoozeMenu(match.id, match.changes, options))


def _instant(chosen: str, zone: str, at: int) -> int:
    """When that option means, chosen at that instant."""
    return next_morning(zone, at) if chosen == MORNING else at + int(chosen) * HOUR


async def _put_off(press: Press, match_id: int, changes: int, chosen: str) -> None:
    service, user = press.client.service, press.user.id
    if chosen not in (*map(str, HOURS), MORNING):
        raise MatchError(Problem.NO_SUCH_BUTTON)
    at = _instant(chosen, (await service.user_settings(user)).zone, now())
    await service.snooze(match_id, press.guild_id, user, at, now(), changes)
    said = text(reader(press), "time.snoozed", id=match_id, at=moment(at))
    await press.response.edit_message(content=said, view=None, allowed_mentions=NOBODY)
