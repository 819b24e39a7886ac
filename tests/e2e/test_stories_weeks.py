"""A game over four weeks of two people's lives, with a clock that the test moves and calculates independently."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import datetime, time
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from sandbox.people import Person, Said
from tests.e2e.clock import ClockHouse
from tests.e2e.clock.standing import house_from
from tests.e2e.clock.watch import DAY, HOUR, MINUTE, Watch
from tests.e2e.judging import moves_of
from tests.e2e.room import Played, Room, set_own

pytestmark = pytest.mark.asyncio(loop_scope="session")

OSLO, NEW_YORK = ZoneInfo("Europe/Oslo"), ZoneInfo("America/New_York")
POST_MESSAGE = "/channels/{channel_id}/messages"


def oslo(day: int, hour: int, minute: int = 0) -> int:
    """March 2026: New York puts its clocks forward on Sunday the 8th, Oslo on the 29th."""
    return int(datetime(2026, 3, day, hour, minute, tzinfo=OSLO).timestamp())


house = house_from(datetime(2026, 3, 2, 18, tzinfo=OSLO))
"""The start, on a Monday evening."""


@dataclass
class Weeks:
    """The game, and the test's own account of its clocks."""

    house: ClockHouse
    played: Played
    watches: dict[str, Watch]
    moves: list[str]
    begun: int
    """When the present turn began."""

    @property
    def watch(self) -> Watch:
        """Returns the watch of the player to move."""
        return self.watches[self.played.mover.name]

    def end(self) -> int:
        """Returns when the player to move runs out of time."""
        return self.watch.when(self.begun, self.watch.bank)

    async def shows(self, *texts: str) -> None:
        """Asserts that the post and everybody's list of games show the deadline."""
        person = self.played.players[0]
        for text in (*texts, (await person.command(self.played.channel, "games")).text):
            assert f"<t:{self.end()}:R>" in text, text

    async def move(self, at: int) -> Said:
        """Makes the next move at that time, before the first reminder or after the last one."""
        await self.house.set_clock(at)
        await self.played.quiet()
        self.watch.moved(self.begun, at)
        self.begun = at
        said = await self.played.move(self.moves.pop(0))
        await self.shows(said.text)
        return said

    async def reminded(self, at: int) -> Said:
        """Asserts one reminder at that time, not a minute earlier, which pings only the player to move."""
        await self.house.set_clock(at - MINUTE)
        await self.played.quiet()
        await self.house.move_clock(MINUTE)
        return await self.told_once()

    async def told_once(self) -> Said:
        """Asserts one message, which pings only the player to move, however often the bot ticks."""
        await self.house.tick()
        (said,) = await self.played.hears()
        assert await self.played.called(said) == {self.played.mover.name}
        return said

    async def dies_at_the_next_post(self, at: int, *, posted: bool) -> None:
        """The bot stores what is due then, and is killed just before or just after it posts the news."""

        def strike(method: str, template: str, payload: Any) -> None:
            if (method, template) == ("POST", POST_MESSAGE):
                self.house.meddle = None
                self.house.bot.kill_now()
                if not posted:
                    raise ValueError("the message is lost with the process")

        self.house.meddle = strike
        self.house.clock.now = at
        await self.house.until(lambda: not self.house.server.gateway.online, "dead")
        await self.house.kill_bot()
        assert self.house.bot.query("SELECT count(*) FROM matches WHERE newsworthy > announced") == [(1,)]
        await self.house.start_bot()


async def settle_in(room: Room, ada: Person, bo: Person) -> dict[str, Watch]:
    """Both set their hours of sleep, and Ada her free weekends."""
    asked: list[tuple[Person, dict[str, Any]]] = [
        (ada, {"zone": "Europe/Oslo", "sleep": "23:00-07:00", "weekends": True}),
        (bo, {"zone": "America/New_York", "sleep": "22:30-06:15"}),
    ]
    for person, wishes in asked:
        reply = await set_own(person, room.channel, **wishes)
        assert reply.ephemeral
        assert wishes["zone"] in reply.text
    return {
        ada.name: Watch(OSLO, (time(23), time(7)), free_weekends=True),
        bo.name: Watch(NEW_YORK, (time(22, 30), time(6, 15))),
    }


@pytest.mark.long
async def test_a_game_over_four_weeks(house: ClockHouse) -> None:
    async with AsyncExitStack() as stack:
        room = await Room.found(house, "march", stack)
        ada, bo = await room.enter("Ada", "Bo")
        watches = await settle_in(room, ada, bo)
        played = await room.start("camelot", ada, bo, pace="standard")
        weeks = Weeks(house, played, watches, moves_of("camelot-few-pieces"), house.now)
        await weeks.shows(played.last.text)

        # A first week at leisure; New York's summer time begins in Bo's turn, over Ada's free weekend.
        await weeks.move(oslo(3, 8))
        await weeks.move(oslo(4, 20))
        await weeks.move(oslo(6, 22, 17))
        await weeks.move(oslo(8, 20))
        await weeks.move(oslo(10, 21, 30))
        await go_on_vacation(weeks, bo, oslo(11, 9))
        await weeks.move(oslo(17, 20))

        await two_reminders(weeks)
        await three_days_down(weeks)
        await an_hour_back(weeks)
        await out_of_time(weeks, ada, bo)
        # From the first day to the last, nothing was announced but what the test has checked.
        assert house.bot.query("SELECT count(*) FROM matches WHERE newsworthy > announced") == [(0,)]


async def go_on_vacation(weeks: Weeks, bo: Person, at: int) -> None:
    """Bo, who is to move, goes on vacation: the game says so, nobody is pinged, and the clock stands for five days."""
    await weeks.house.set_clock(at)
    before = weeks.end()
    reply = await bo.command(weeks.played.channel, "me vacation", days=5)
    assert reply.ephemeral
    assert "25" in reply.text  # what is left of this year's thirty
    weeks.watches[bo.name].vacations.append((at, at + 5 * DAY))
    assert weeks.end() > before + 3 * DAY
    (said,) = await weeks.played.hears()
    assert await weeks.played.called(said) == set()
    assert f"<t:{at + 5 * DAY}:" in said.text
    await weeks.shows()
    await weeks.house.set_clock(at + 4 * DAY)
    await weeks.played.quiet()


async def two_reminders(weeks: Weeks) -> None:
    """Half of the bank, then six hours before its end; the bot dies as it posts the first reminder, in both ways."""
    watch, begun = weeks.watch, weeks.begun
    first = watch.when(begun, watch.bank // 2)
    await weeks.house.set_clock(first - MINUTE)
    await weeks.played.quiet()
    await weeks.dies_at_the_next_post(first, posted=False)
    said = await weeks.told_once()
    assert said.buttons == ["Remind me later"]
    # A tick that began a minute earlier may have been the last one: then that minute is an absence.
    away = weeks.house.bot.query("SELECT since, until FROM absences WHERE until > ?", begun)
    assert away in ([], [(first - MINUTE, first)])
    watch.vacations += away
    said = await weeks.reminded(watch.when(begun, watch.bank - 6 * HOUR))
    assert f"<t:{weeks.end()}:R>" in said.text
    await weeks.move(weeks.end() - 5 * MINUTE)
    await weeks.house.move_clock(HOUR)  # where the reminded turn would have ended
    await weeks.played.quiet()


async def three_days_down(weeks: Weeks) -> None:
    """No clock runs in the absence, so nothing is due, even after the bot has died once more."""
    watch, before, gone = weeks.watch, weeks.end(), weeks.house.now
    assert await weeks.house.stop_bot() == 0
    weeks.house.clock.now += 3 * DAY
    assert watch.when(weeks.begun, watch.bank // 2) < weeks.house.now
    watch.vacations.append((gone, weeks.house.now))
    await weeks.house.start_bot()
    await weeks.house.tick()
    await weeks.played.quiet()
    assert weeks.end() > before
    await weeks.house.kill_bot()
    await weeks.house.start_bot()
    await weeks.house.move_clock(10 * MINUTE)
    await weeks.played.quiet()


async def an_hour_back(weeks: Weeks) -> None:
    """All clocks go back by an hour, Discord's too: nothing is announced twice, and future dates become now."""
    now = weeks.house.now
    await weeks.house.move_clock(-HOUR)
    await weeks.played.quiet()
    await weeks.house.move_clock(HOUR)
    await weeks.played.quiet()
    assert weeks.house.now == now
    await weeks.move(now + HOUR)
    await weeks.house.move_clock(-HOUR)  # to before the move
    weeks.begun = weeks.house.now
    await weeks.house.move_clock(2 * HOUR)
    await weeks.played.quiet()


async def out_of_time(weeks: Weeks, ada: Person, bo: Person) -> None:
    """The player to move lets the time and twelve more hours pass; then the opponent claims."""
    house, played = weeks.house, weeks.played
    late, other = played.mover, bo if played.mover is ada else ada
    watch = weeks.watch
    await weeks.reminded(watch.when(weeks.begun, watch.bank // 2))
    await weeks.reminded(watch.when(weeks.begun, watch.bank - 6 * HOUR))
    end = weeks.end()
    await house.set_clock(end - MINUTE)
    await played.quiet()
    refused = await played.press(other, "claim")
    assert refused.ephemeral
    assert f"<t:{end + 12 * HOUR}:R>" in refused.text
    await weeks.dies_at_the_next_post(end, posted=True)
    grace = await weeks.told_once()
    until = end + 12 * HOUR
    assert f"<t:{until}:R>" in grace.text
    assert grace.buttons[:2] == ["Claim the win", "Give 24 hours"]
    await house.set_clock(until - MINUTE)
    await played.quiet()
    for press in (played.press(other, "claim"), other.click(grace, "Claim the win")):
        refused = await press
        assert refused.ephemeral
        assert f"<t:{until}:R>" in refused.text
    own = await played.press(late, "claim")
    assert "your own turn" in own.text
    await house.set_clock(until)
    (claimable,) = await played.hears()
    assert await played.called(claimable) == {other.name}
    await house.kill_bot()
    await house.start_bot()
    await house.set_clock(until + DAY)  # a friendly game does not end by itself, and says once that it may be ended
    await played.quiet()
    done = await asyncio.gather(played.press(other, "claim"), other.click(grace, "Claim the win"))
    assert all(one.ephemeral for one in done)
    await other.wait_for(played.channel, lambda said: "is over" in said.text)
    (said,) = await played.hears()
    assert f"{other.name} wins" in said.shown
    assert "time" in said.text
    assert await played.called(said) == {late.name, other.name}
    await house.tick()
    await played.quiet()
