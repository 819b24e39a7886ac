"""The scheduled events about a league, with the real process."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.core.clock import DAY
from bot.texts.i18n import text
from sandbox.errors import Code
from sandbox.faults import cut, refused, status
from sandbox.permissions import Permission
from tests.e2e.clock import ClockHouse
from tests.e2e.clock.standing import house_from
from tests.e2e.guild_roles import grant
from tests.e2e.room import Room, public
from tests.e2e.seasons import begun, open_league, show_panel, tells
from tests.sentences import label, part

pytestmark = pytest.mark.asyncio(loop_scope="session")

house = house_from(datetime(2026, 3, 2, 18, tzinfo=UTC))

EVENTS = "/guilds/*/scheduled-events"


def events(house: ClockHouse) -> list[tuple[str, int]]:
    """Returns what the server's events announce about the latest league, each with its time."""
    [(number,)] = house.bot.query("SELECT max(id) FROM leagues")
    about = f"Camette league {number}: "
    found = [one for one in house.server.world.events.values() if one.name.startswith(about)]
    return [(one.name.removeprefix(about), int(one.start)) for one in found if one.end > house.now]


def times(house: ClockHouse) -> tuple[int, int]:
    """Returns when the season of the latest league begins and ends."""
    [(begins, ends)] = house.bot.query("SELECT begins_at, ends_at FROM leagues ORDER BY id DESC LIMIT 1")
    return begins, ends


async def test_the_start_and_the_end_of_a_season_are_announced_once(room: Room, house: ClockHouse) -> None:
    ada, crew = await room.enter_owner(), await room.enter("Bo", "Cy", "Dee")
    await open_league(room, "camette", "1", *crew)
    await grant(ada, room.guild)
    answer = await ada.click(await show_panel(ada, room), label("league-events-on"))
    assert part("league.problem.no-create-events") in answer.text
    await grant(ada, room.guild, Permission.CREATE_EVENTS)
    lost = house.server.faults.add(f"POST {EVENTS}", status(502, done=True))
    shown = await ada.click(await show_panel(ada, room), label("league-events-on"))
    assert text("en", "league.events-on") in shown.text
    await house.until(lambda: events(house) == [("season 1 begins", times(house)[0])] and lost.struck == 1, "announced")
    [(number,)] = house.bot.query("SELECT max(id) FROM leagues")
    await begun(house, 3)
    await house.until(lambda: ("season 1 ends", times(house)[1]) in events(house), "end announced")
    broken = house.server.faults.add(f"POST {EVENTS}", cut(done=True), times=None)
    await house.move_clock(7 * DAY)
    await house.until(lambda: broken.struck > 0, "next season tried")
    await house.kill_bot()
    house.server.faults.lift()
    await house.start_bot()
    await house.move_clock(700)
    begins, _ = times(house)
    await house.until(
        lambda: house.bot.query(f"SELECT try_at FROM league_scheduled_events WHERE league = {number}") == [(None,)],
        "settled",
    )
    assert [one for one in events(house) if "begins" in one[0]] == [("season 2 begins", begins)]
    await ada.click(await show_panel(ada, room), label("league-events-off"))
    await house.until(lambda: not [one for one in events(house) if "begins" in one[0]], "called off")


async def test_a_season_that_is_put_off_is_announced_no_longer(room: Room, house: ClockHouse) -> None:
    ada, (bo,) = await room.enter_owner(), await room.enter("Bo")
    await grant(ada, room.guild, Permission.CREATE_EVENTS)
    await open_league(room, "camette", "1", bo)
    await ada.click(await show_panel(ada, room), label("league-events-on"))
    begins, _ = times(house)
    await house.until(lambda: events(house) == [("season 1 begins", begins)], "announced")
    await house.move_clock(7 * DAY)
    await house.until(lambda: events(house) == [("season 1 begins", begins + 7 * DAY)], "announced later")
    await house.move_clock(7 * DAY)
    await house.until(lambda: events(house) == [], "called off")


async def test_a_forbidden_event_is_told_once(room: Room, house: ClockHouse) -> None:
    ada, (bo,) = await room.enter_owner(), await room.enter("Bo")
    await grant(ada, room.guild, Permission.CREATE_EVENTS)
    await open_league(room, "camette", "1", bo)
    await ada.click(await show_panel(ada, room), label("league-events-on"))
    await house.until(lambda: len(events(house)) == 1, "announced")
    await grant(ada, room.guild)
    await house.move_clock(7 * DAY)  # the sign-up is extended
    told = await ada.wait_for(room.channel, tells(house, "no-event"))
    await house.move_clock(2000)
    assert [one.id for one in filter(tells(house, "no-event"), await public(ada, room.channel))] == [told.id]


async def test_a_time_that_has_just_passed_is_no_refusal(room: Room, house: ClockHouse) -> None:
    ada, (bo,) = await room.enter_owner(), await room.enter("Bo")
    await grant(ada, room.guild, Permission.CREATE_EVENTS)
    await open_league(room, "camette", "1", bo)
    late = house.server.faults.add(f"POST {EVENTS}", refused(Code.INVALID_FORM), times=None)
    await ada.click(await show_panel(ada, room), label("league-events-on"))
    await house.until(lambda: late.struck == 1, "refused")
    house.server.faults.lift()
    await house.move_clock(700)
    await house.until(lambda: events(house) == [("season 1 begins", times(house)[0])], "announced")
    assert not [*filter(tells(house, "no-event"), await public(ada, room.channel))]
