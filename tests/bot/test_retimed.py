"""The clock line of a posted board after a gift of time."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from bot.core import deadlines, time_acts
from bot.core.clock import HOUR, Pace
from bot.core.deadlines import NO_PEOPLE
from bot.core.events import Seating
from bot.core.news import collect_news
from bot.core.settings import Reminders, StoredPerson, UserSettings
from bot.features import FEATURES
from bot.play.announcing.announcer import Announcer
from bot.play.announcing.turn import replace_clock_lines, turn_text
from bot.play.service import Service
from bot.texts.clocks import clock_lines
from bot.texts.i18n import LANGUAGES, Language
from tests.bot.playing import ADA, BO, CHANNEL, GUILD, NOW, followed, live, started

UNREMINDED = {ADA: StoredPerson(UserSettings(reminders=Reminders.OFF))}


@pytest.mark.parametrize("locale", LANGUAGES)
def test_only_the_lines_of_the_clock_are_changed(locale: Language) -> None:
    board = collect_news(1, started(pace=Pace.FAST), 0)[-1]
    given = followed(live(pace=Pace.FAST), time_acts.give_time(live(pace=Pace.FAST), BO, 10 * HOUR, NOW + HOUR))
    lines = clock_lines(locale, given, NOW + HOUR, NO_PEOPLE)
    before = turn_text(locale, board, "It begins.", None)
    after = replace_clock_lines(before, lines)
    assert f"<t:{deadlines.time_runs_out_at(live(pace=Pace.FAST))}:R>" in before
    assert f"<t:{deadlines.time_runs_out_at(given)}:R>" in after
    assert f"<@{ADA}>" in after
    assert after.splitlines()[-2:] == lines
    assert len(after.splitlines()) == len(before.splitlines())
    assert replace_clock_lines(after, lines) == after


@pytest.mark.parametrize("locale", LANGUAGES)
def test_grace_has_one_line_and_gives_way_to_two_again(locale: Language) -> None:
    match = live(pace=Pace.FAST)
    falls = deadlines.time_runs_out_at(match)
    assert falls is not None
    late = followed(match, time_acts.tick(match, UNREMINDED, falls))
    first, second = clock_lines(locale, match, NOW, NO_PEOPLE), clock_lines(locale, late, falls, NO_PEOPLE)
    assert (len(first), len(second)) == (2, 1)
    board = "\n".join(["A board", *first])
    assert replace_clock_lines(board, second) == "\n".join(["A board", *second])
    assert replace_clock_lines(replace_clock_lines(board, second), first) == board


def test_a_message_that_says_nothing_of_a_clock_stays_as_it_is() -> None:
    assert replace_clock_lines("The thread is gone.\n-# small", ["-# ⏳ Deadline"]) == "The thread is gone.\n-# small"


async def test_a_table_updated_late_shows_who_sits_there_by_then(service: Service) -> None:
    asked = await service.open_table(GUILD, CHANNEL, ADA, "tri-camelot", [], Seating.JOIN_ORDER, False, NOW)
    await service.set_table_message(asked.id, CHANNEL, 77)
    await service.join_table(asked.id, GUILD, BO, NOW)
    shown = list[str]()

    async def edit(content: str, **_: object) -> None:
        shown.append(content)

    async def spell(_: int, said: str, __: object) -> str:
        return said

    message, names = SimpleNamespace(edit=edit), SimpleNamespace(spell_names=spell)
    parts_of_it = {"server_language": lambda _: "en", "partial_message": lambda _: message, "has_house": lambda _: True}
    desk: Any = SimpleNamespace(service=service, names=names, features=FEATURES, **parts_of_it)
    parts: Any = None
    await Announcer(desk, parts).update_table(asked)
    assert f"<@{BO}>" in shown[0]
