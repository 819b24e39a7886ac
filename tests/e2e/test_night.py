"""A night in the life of two servers: three hours with a Discord as hard as the real one, on a day with many
failures.

People play in twelve places; others have long forgotten their games. One server removes the bot and adds it again,
and is unavailable for half an hour; the gateway breaks, requests fail, and the bot is killed and stopped. In the end
that server removes the bot for good.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.core.events import EventKind
from bot.play.service.servers import REMOVED_SERVER_RETENTION_S
from rules import VARIANTS
from sandbox import HARD
from sandbox.faults import status
from sandbox.payloads import channel as channel_payload
from sandbox.people import Person
from sandbox.sessions import Intent
from sandbox.things import Channel
from tests.e2e.clock import ClockHouse
from tests.e2e.clock.watch import HOUR, MINUTE
from tests.e2e.promises import posts
from tests.e2e.restless import Circle, Company
from tests.e2e.room import Room
from tests.e2e.stored_games import stories
from tests.e2e.thinking import check_openings
from tests.examples import AtMost

pytestmark = pytest.mark.asyncio(loop_scope="session")

EVENING = datetime(2026, 3, 3, 21, tzinfo=UTC)
NIGHT = 3 * HOUR
BANK, GRACE = 24 * HOUR, 12 * HOUR
"""The bank of the first player of a fast game, and the grace after it."""
PLACES = 12
PER_POST = 2.4
"""Requests counted towards the 50 a second, per move or other announcement on average: the post, the edit of the one
before, and now and then the edit of a table or of an annotated game."""
FORUM, POST = 15, 11


@dataclass
class Absence:
    """When the bot was absent from a server; by None, from all."""

    guild: int | None
    since: int
    until: int


@dataclass
class Night:
    """The test's own account. Everything happens between two steps of the clock, while nobody waits for an answer."""

    house: ClockHouse
    company: Company
    courts: Sequence[int]
    """The two servers; most blows hit the last one."""
    begun: dict[int, int] = field(default_factory=dict)
    """When each game began in which nobody plays."""
    absences: list[Absence] = field(default_factory=list)
    failing: bool = False
    """True while Discord refuses everything, so that nobody can continue."""

    @property
    def unlucky(self) -> int:
        """The server that most blows hit."""
        return self.courts[-1]

    def guild_of(self, room: Room) -> int:
        """Returns the server of that place."""
        return self.house.server.world.channel(int(room.channel)).guild_id or 0

    async def play(self, seconds: float, *, without: int | None = None) -> None:
        """Everybody plays for so long, except in one server; nobody is interrupted."""
        end = time.monotonic() + seconds

        async def go_on(circle: Circle) -> None:
            while time.monotonic() < end:
                try:
                    await circle.act()
                except (AssertionError, LookupError):
                    if not self.failing:
                        raise
                    circle.pressed["outage"] += 1

        circles = [one for one in self.company.circles if self.guild_of(one.room) != without]
        await asyncio.gather(*(go_on(circle) for circle in circles))

    async def pass_(self, minutes: int, seconds: float, *, without: int | None = None) -> None:
        """Lets so many minutes of the night pass, in which people play for so many seconds."""
        await self.play(seconds, without=without)
        # Otherwise a post whose answer is lost would be repeated a second later, when its nonce is minutes old.
        untold = "SELECT count(*) FROM matches WHERE newsworthy > announced AND guild IS NOT ?"
        await self.house.until(lambda: self.house.bot.query(untold, without) == [(0,)], "told")
        await self.house.move_clock(minutes * MINUTE)

    @asynccontextmanager
    async def absent(self, guild: int | None) -> AsyncIterator[None]:
        """The bot is absent from that server, or from all, within the block."""
        since = self.house.now
        yield
        self.absences.append(Absence(guild, since, self.house.now))

    async def invite(self, *, member: bool) -> None:
        """Removes the bot from the unlucky server, or adds it again."""
        person = self.company.circles[0].people[0]
        await person.call("PUT", f"/app/guilds/{self.unlucky}/bot", {"member": member})

    async def outage(self, *, away: bool) -> None:
        """Makes the unlucky server unavailable, or available again."""
        person = self.company.circles[0].people[0]
        await person.call("PUT", f"/app/guilds/{self.unlucky}/outage", {"away": away})


async def gather(house: ClockHouse, stack: AsyncExitStack, chance: random.Random, sleepers: int) -> Night:
    """Yields people in their places, with so many games in each place that are soon forgotten."""
    courts = [Room.guild_of(house, name) for name in ("Round Table", "Other Court")]
    rooms = [await found(house, stack, number, courts[number % 4 == 3]) for number in range(PLACES)]
    circles = []
    for number, room in enumerate(rooms):
        variant = [*VARIANTS][number % len(VARIANTS)]
        in_thread = number % 3 == 1
        circles.append(await Circle.gather(room, variant, chance, in_thread=in_thread, pace="fast"))
    night = Night(house, Company(house, circles), courts)
    await asyncio.gather(*(forget_games(night, room, sleepers) for room in rooms))
    for circle in circles:
        circle.after = max(night.begun, default=0)
    return night


async def found(house: ClockHouse, stack: AsyncExitStack, number: int, guild: int) -> Room:
    """Returns a place in that server: a channel; the very first one is a forum post."""
    world, gateway = house.server.world, house.server.gateway
    ada = await stack.enter_async_context(await Person.join(house.url, "Ada"))
    name = f"place-{number}"
    made = await ada.call(
        "POST", f"/app/guilds/{guild}/channels", {"name": name, **({"type": str(FORUM)} if number == 0 else {})}
    )
    where = str(made["id"])
    if number == 0:
        post = Channel(world.next_id(), guild, "Games of ours", POST, parent_id=int(where), owner_id=int(ada.id))
        world.put(post)
        gateway.dispatch("THREAD_CREATE", channel_payload(world, post), Intent.GUILDS)
        house.server._parts.live.channel(post)
        where = str(post.id)
    return Room(house, name, where, stack)


async def forget_games(night: Night, room: Room, count: int) -> None:
    """Pairs who begin a game of Camelot and never move."""
    for number in range(count):
        one, other = await room.enter(f"S{number}", f"T{number}")
        played = await room.start("camelot", one, other, pace="fast")
        night.begun[played.number] = night.house.now


async def live_through(night: Night, minutes: int, seconds: float) -> None:
    """Plays the three hours in steps of so many minutes; people play for so many seconds in each."""
    house, faults = night.house, night.house.server.faults
    unlucky = night.unlucky

    async def steps(until: float, *, without: int | None = None) -> None:
        while house.now < begun + until * NIGHT:
            await night.pass_(minutes, seconds, without=without)

    begun = house.now
    await steps(0.1)
    async with night.absent(unlucky):
        await night.invite(member=False)
        await steps(0.4, without=unlucky)
        house.server.gateway.cut()
        await steps(0.5, without=unlucky)
    await night.invite(member=True)
    await house.tick()

    night.failing, fails = True, faults.add("* *", status(503), times=None)
    playing = asyncio.create_task(night.play(seconds))
    await asyncio.sleep(min(2.0, seconds / 2))
    fails.left = 0
    await playing
    night.failing = False
    house.server.gateway.forget_sessions()
    house.server.gateway.cut()
    await house.until(lambda: house.server.gateway.online, "online")
    await steps(0.6)

    async with night.absent(None):
        await house.kill_bot()
        await house.move_clock(25 * MINUTE)
        await house.start_bot()
    await steps(0.8)
    async with night.absent(unlucky):
        await night.outage(away=True)
        await steps(0.9, without=unlucky)
    await night.outage(away=False)
    assert await house.stop_bot() == 0
    await house.start_bot()
    await steps(1.0)


def check_chances(night: Night) -> int:
    """Returns the number of overdue forgotten games. None may be overdue before the absences have been made up for."""
    world, found = night.house.server.world, 0
    kept = stories(night.house)
    for number, begun in night.begun.items():
        place = night.house.bot.query("SELECT channel FROM matches WHERE id = ?", number)[0][0]
        guild = world.channel(place).guild_id
        kinds = {event.kind: event.at for event in kept[number]}
        over = [at for kind, at in kinds.items() if kind in (EventKind.OVERDUE, EventKind.TIMED_OUT)]
        for at in over:
            missed = [one for one in night.absences if one.guild in (None, guild) and one.since < at]
            assert not any(one.since < at <= one.until for one in missed), f"game #{number} decided in an absence"
            due = begun + BANK + GRACE + sum(one.until - one.since for one in missed)
            assert at >= due - 5 * MINUTE, f"game #{number} has lost {due - at} seconds of its chance"
            found += 1
    return found


async def delete_server(night: Night, chance: random.Random) -> int:
    """The unlucky server removes the bot for good. A month later all of it is deleted, once, through a kill.

    Returns the number of deleted games.
    """
    house, server = night.house, night.unlucky
    games = [number for (number,) in house.bot.query("SELECT id FROM matches WHERE guild = ?", server)]
    assert games  # otherwise nothing is deleted
    await night.invite(member=False)
    removed = "SELECT count(*) FROM meta WHERE key = ?"
    await house.until(lambda: house.bot.query(removed, f"removed:{server}") == [(1,)], "noted")
    house.clock.now += REMOVED_SERVER_RETENTION_S + 1
    await asyncio.sleep(chance.random())
    await house.kill_bot()
    await house.start_bot()
    columns = "SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table'"
    for table, column in house.bot.query(columns):
        if (table, column) == ("matches", "id") or column == "match":
            marks = ", ".join("?" * len(games))
            rows = house.bot.query(f"SELECT {column} FROM {table} WHERE {column} IN ({marks})", *games)
            assert rows == [], f"{table} keeps rows of deleted games"
        if column == "guild":
            assert house.bot.query(f"SELECT 1 FROM {table} WHERE guild = ?", server) == [], f"{table} keeps the server"
    check_openings(house)
    return len(games)


async def spend_a_night(folder: Path, *, sleepers: int, minutes: int, seconds: float, seed: int) -> str:
    """Plays the night; returns its figures. Raises AssertionError if something is lost, doubled or decided by an
    absence."""
    house, chance = ClockHouse(folder, EVENING, pace=1), random.Random(seed)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(house.faultless())
        house.server.world.clock = reading(house)
        night = await gather(house, stack, chance, sleepers)
        await house.move_clock(BANK)
        await house.move_clock(GRACE - HOUR)
        house.server.faults.hardness = replace(HARD, answer_within=house.answer_within)
        tally = house.server.tally
        tally.clear()
        began, plies, earlier = time.monotonic(), moves_of(house), posts(house).total()
        await live_through(night, minutes, seconds)
        await night.company.settle()
        night.company.check_promises()
        counted, moves, told = tally.counting, moves_of(house) - plies, posts(house).total() - earlier
        overdue = check_chances(night)
        refused = {asked: number for asked, number in tally.answered.items() if asked[1] >= 400}
        figures = (
            f"{NIGHT // HOUR} hours in {time.monotonic() - began:.0f} seconds; {people_in(house)} people, "
            f"{PLACES} places; {moves} moves, {told} posts, {overdue} forgotten games overdue; "
            f"{counted} requests that count, {counted / told:.2f} a post; {tally.invalid} invalid, "
            f"{tally.failed} failed; "
            f"{dict(night.company.pressed)}; {dict(tally.asked)}; refused: {refused}"
        )
        print(figures)
        assert tally.invalid <= tally.failed
        assert counted <= PER_POST * told
        assert overdue >= sleepers * PLACES // 2  # otherwise nothing has been tried
        check_openings(house)
        print(f"{await delete_server(night, chance)} games deleted")
    return figures


def reading(house: ClockHouse) -> Callable[[], float]:
    """Discord's clock, which agrees with the bot's."""
    return lambda: float(house.now)


def moves_of(house: ClockHouse) -> int:
    """Returns the number of moves in all games."""
    return int(house.bot.query("SELECT coalesce(sum(ply), 0) FROM matches")[0][0])


def people_in(house: ClockHouse) -> int:
    """Returns the number of people."""
    return sum(not one.bot for one in house.server.world.people.values())


@pytest.mark.long
@pytest.mark.timeout(3600)
async def test_a_night_in_the_life_of_a_server(tmp_path: Path, at_most: AtMost) -> None:
    await spend_a_night(
        tmp_path,
        sleepers=at_most(7, 1),
        minutes=at_most(5, 18),
        seconds=at_most(12, 3),
        seed=random.SystemRandom().randrange(10**9),
    )
