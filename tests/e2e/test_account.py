"""After any blows in any order, each clock stands exactly while the bot is away, and where its place refuses posts.

Two accounts must agree: that of the test, which knows what was done to the bot, and the bot's own notes. The house's
clock moves only between blows, so they agree nearly to the second. From a refused post on a clock stands until one is
taken, which is tried at once or within the hour. Nothing is decided while a clock stands.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from bot.core.clock import FOREVER, HOUR
from bot.core.events import Event, EventKind
from bot.core.match import Match
from sandbox.discord_types import Channel
from sandbox.people import Person
from sandbox.permissions import Permission, permissions, sending_in
from sandbox.world import BOT_ID, World
from tests.e2e.clock import ClockHouse
from tests.e2e.ladder_players import ladder_game
from tests.e2e.places import forbid
from tests.e2e.room import Played, Room, resign
from tests.e2e.stored_games import load_match, stories
from tests.examples import AtMost, drawn_seed

pytestmark = pytest.mark.asyncio(loop_scope="session")

STAGES = ("bank", "grace", "vote")
BLOWS = 12
"""Blows in each round."""
OF_PLACES, SELDOM = 0.75, 0.3
"""The share of blows that hit channels and threads, and the probability of deleting one."""
EXACT = 20
"""Seconds by which the two accounts may differ for each absence."""
SHORTEST, LONGEST = 61, 9 * HOUR
"""Seconds between two blows. The bot notes its presence once a minute."""
RIGHTS = (
    Permission.VIEW_CHANNEL,
    Permission.SEND_MESSAGES,
    Permission.SEND_MESSAGES_IN_THREADS,
    Permission.ATTACH_FILES,
    Permission.SEND_MESSAGES | Permission.SEND_MESSAGES_IN_THREADS,
)
"""Permissions taken from the bot in a channel."""
LEAST = {
    EventKind.TIMED_OUT: (EventKind.GRACE, 12 * HOUR),
    EventKind.OVERDUE: (EventKind.GRACE, 12 * HOUR),
    EventKind.VOTE: (EventKind.VACATED, 48 * HOUR),
    EventKind.PASSIVE: (EventKind.VOTE, 72 * HOUR),
}
"""By decision: the event before it, and the running time of the clock needed since then."""
BY_ITSELF = {*LEAST, EventKind.GRACE, EventKind.REMINDED, EventKind.STILL, EventKind.CLOSED_STILL, EventKind.UNREACHED}

Blow = Callable[[], Awaitable[object]]
Span = tuple[int, int]


def is_there(world: World, guild: int, *, up: bool) -> bool:
    """Returns True if the bot can be reached in the server now."""
    server = world.guilds[guild]
    return up and BOT_ID in server.members and not server.away


def has_place(world: World, places: Iterable[int | None]) -> bool:
    """Returns True if one of the places takes posts now."""
    return any(takes_posts(world, world.channels[place]) for place in places if place in world.channels)


def takes_posts(world: World, place: Channel) -> bool:
    """Returns True if the bot may see, write and attach there."""
    held = permissions(world, world.people[BOT_ID], place)
    needed = Permission.VIEW_CHANNEL | Permission.ATTACH_FILES | sending_in(place)
    return needed in held and not (place.locked and Permission.MANAGE_THREADS not in held)


@dataclass
class Account:
    """The spans in which something stood, noted after each thing done to the bot."""

    begun: int
    stood: list[Span] = field(default_factory=list)
    since: int | None = None

    def note(self, now: int, *, runs: bool) -> None:
        """Notes that it runs, or stands, from this instant on."""
        if not runs and self.since is None:
            self.since = now
        elif runs and self.since is not None:
            self.stood, self.since = [*self.stood, (self.since, now)], None


def ran(stood: Iterable[Span], first: int, last: int) -> int:
    """Returns the seconds from `first` to `last` outside of these spans."""
    return last - first - seconds([(max(one, first), min(other, last)) for one, other in stood])


def seconds(spans: Iterable[Span]) -> int:
    """Returns the total seconds of the spans, each second counted once."""
    total, reached = 0, 0
    for first, last in sorted(spans):
        total += max(0, last - max(first, reached))
        reached = max(reached, last)
    return total


def differ(ones: list[Span], others: list[Span]) -> int:
    """Returns the seconds that lie in the spans of exactly one of the two lists."""
    return 2 * seconds([*ones, *others]) - seconds(ones) - seconds(others)


def beyond(ones: list[Span], others: list[Span]) -> int:
    """Returns the seconds that lie in the first spans alone."""
    return seconds([*ones, *others]) - seconds(others)


@dataclass
class Round:
    """A ladder game, a game of three in threads, and the blows to the bot."""

    house: ClockHouse
    room: Room
    chance: random.Random
    ada: Person
    harbour: str
    """A channel that no blow hits; games without a place move there."""
    players: Mapping[int, Person] = field(default_factory=dict)
    """One player of each game."""
    away: Account = field(default_factory=lambda: Account(0))
    """The account of the bot's absences."""
    shut: dict[int, Account] = field(default_factory=dict)
    """By game, the account of the times without a place that takes posts."""
    struck: list[str] = field(default_factory=list)

    @classmethod
    async def begin(cls, house: ClockHouse, room: Room, chance: random.Random, stage: str) -> Round:
        """Begins both games, and plays them to that stage."""
        ada, bo, cy, dee, eve = await room.enter("Ada", "Bo", "Cy", "Dee", "Eve")
        climb = await ladder_game(room, ada, bo)
        if stage == "grace":
            await house.move_clock(48 * HOUR)
        table = await room.set_table("tri-camelot", cy, thread=True, pace="standard")
        for person in (dee, eve):
            await table.join(person)
        trio = await table.begun(await cy.find(f"#{table.number}"))
        players = {climb.number: ada, trio.number: cy}
        found = cls(house, room, chance, ada, await room.add_channel("harbour"), players)
        await found._come_to(stage, climb, trio)
        found.away = Account(house.now)
        found.shut = {number: Account(house.now) for number in players}
        return found

    async def _come_to(self, stage: str, climb: Played, trio: Played) -> None:
        if stage == "grace":
            for hours in (60, 11, 1):
                await self.house.move_clock(hours * HOUR)
            assert all(self.match(game.number).clock.grace_ends_at for game in (climb, trio))
        elif stage == "vote":
            leaver = trio.players[2]
            await resign(leaver, trio.channel)
            await self.house.move_clock(49 * HOUR)
            vacancy = self.match(trio.number).vacancy
            assert vacancy is not None
            assert vacancy.voting

    @property
    def world(self) -> World:
        """The sandbox's world."""
        return self.house.server.world

    def match(self, number: int) -> Match:
        """Returns that game from the bot's database."""
        return load_match(self.house, number)

    async def strike(self) -> None:
        """Strikes one random blow, then lets some time pass."""
        of_all, of_places = self._blows_to_all(), self._blows_to_places()
        blows = of_places if of_places and self.chance.random() < OF_PLACES else of_all
        name = self.chance.choice([*blows])
        self.struck.append(f"{self.house.now}: {name}")
        await blows[name]()
        await self.note()
        await self.house.move_clock(int(SHORTEST * (LONGEST / SHORTEST) ** self.chance.random()))

    async def note(self) -> None:
        """Enters the present state into the accounts, then lets the bot notice it."""
        if self.house.bot.running:
            await self.house.tick()
            for _ in range(100):  # what can be posted is posted before more time passes
                if not any(self._could_have_a_place(number) for number in self.shut):
                    break
                await asyncio.sleep(0.02)
        there = is_there(self.world, self.room.guild, up=self.house.bot.running)
        self.away.note(self.house.now, runs=there)
        for number, account in self.shut.items():
            match = self.match(number)
            account.note(self.house.now, runs=has_place(self.world, (match.place.thread, match.place.channel)))

    def _could_have_a_place(self, number: int) -> bool:
        match = self.match(number)
        reached = match.is_live and match.place.is_lost and is_there(self.world, match.guild, up=True)
        return reached and has_place(self.world, (match.place.thread, match.place.channel))

    def _blows_to_all(self) -> dict[str, Blow]:
        """Returns the blows that can now hit the bot or its server."""
        if not self.house.bot.running:
            return {"start": self.house.start_bot}
        server = self.world.guilds[self.room.guild]
        inside, away = BOT_ID in server.members, server.away
        found: dict[str, Blow] = {"kill": self.house.kill_bot, "stop": self.house.stop_bot}
        found["end of outage" if away else "outage"] = partial(self._serve, not away)
        if not away:
            found["kick" if inside else "invite"] = partial(self._invite, not inside)
        return found

    def _blows_to_places(self) -> dict[str, Blow]:
        """Returns the blows that can now hit the games' channels and threads, or move a game."""
        server, found = self.world.guilds[self.room.guild], dict[str, Blow]()
        if server.away:
            return found
        games = [self.match(number) for number in self.shut]
        for channel in self._there({match.place.channel for match in games} - {int(self.harbour)}):
            for right in (Permission(0), *self.chance.sample(RIGHTS, 2)):
                found[f"{channel.id} without {right!r}"] = partial(self._forbid, channel, right)
            if self.chance.random() < SELDOM:
                found[f"{channel.id} deleted"] = partial(self._delete, channel)
        for thread in self._there({match.place.thread for match in games}):
            locked = not thread.locked
            found[f"{thread.id} locked: {locked}"] = partial(self._change, thread, locked=locked)
            found[f"{thread.id} archived"] = partial(self._change, thread, archived=True)
            found[f"{thread.id} closed"] = partial(self._change, thread, archived=True, locked=True)
            if self.chance.random() < SELDOM:
                found[f"{thread.id} deleted"] = partial(self._delete, thread)
        for match in games:
            reached = self.house.bot.running and BOT_ID in server.members
            if reached and match.is_live and match.place.is_lost:
                found[f"#{match.id} taken to the harbour"] = partial(self._take_to_harbour, match)
        return found

    def _there(self, places: set[int] | set[int | None]) -> list[Channel]:
        return [
            self.world.channels[place] for place in sorted(one or 0 for one in places) if place in self.world.channels
        ]

    async def _serve(self, away: bool) -> None:
        await self.ada.call("PUT", f"/app/guilds/{self.room.guild}/outage", {"away": away})

    async def _invite(self, member: bool) -> None:
        await self.ada.call("PUT", f"/app/guilds/{self.room.guild}/bot", {"member": member})

    async def _forbid(self, channel: Channel, right: Permission) -> None:
        await forbid(self.ada, str(channel.id), int(right))

    async def _change(self, thread: Channel, **values: bool) -> None:
        await self.ada.call("PATCH", f"/app/channels/{thread.id}", values)

    async def _delete(self, place: Channel) -> None:
        await self.ada.call("DELETE", f"/app/channels/{place.id}")

    async def _take_to_harbour(self, match: Match) -> None:
        await self.players[match.id].command(self.harbour, "game move-here", game=str(match.id))

    async def mend(self) -> None:
        """Repairs everything, so that all games can continue."""
        self.struck.append(f"{self.house.now}: mended")
        if not self.house.bot.running:
            await self.house.start_bot()
        await self._serve(False)
        if BOT_ID not in self.world.guilds[self.room.guild].members:
            await self._invite(True)
        games = [self.match(number) for number in self.shut]
        for thread in self._there({match.place.thread for match in games}):
            await self._change(thread, locked=False)
        for channel in self._there({match.place.channel for match in games}):
            await self._forbid(channel, Permission(0))
        await self.house.tick()
        for match in games:
            if match.place.channel not in self.world.channels and match.is_live:
                await self._take_to_harbour(match)
        await self.house.tick()
        await self.note()
        for hours in (1, 7):
            await self.house.move_clock(hours * HOUR)
        await self.note()

    def check(self) -> None:
        """Asserts that both accounts agree, and that nothing was decided while a clock stood."""
        told = stories(self.house)
        for number, account in self.shut.items():
            match, events = self.match(number), told[number]
            end = self.house.now if match.is_live else events[-1].at
            own = clipped(self._absences(0, match.guild), account.begun, end)
            other = clipped(self.away.stood, account.begun, end)
            assert not (match.is_live and (match.place.is_lost or account.since)), (number, self.struck)
            assert differ(own, other) <= EXACT * max(1, len(other)), (number, own, other, self.struck)
            without = clipped(match.place.outages, account.begun, end)
            too_long = beyond(without, [*account.stood, *self.away.stood])
            spells = max(len(without), len(account.stood))  # what ends for less than an hour may go unnoticed
            assert too_long <= (HOUR + EXACT) * spells, (number, without, account, self.away, self.struck)
            self._check_decisions([*own, *without], [event for event in events if event.at >= account.begun])

    def _absences(self, *keys: int) -> list[Span]:
        """Returns the noted absences of all servers (0), or of a server."""
        wanted = ", ".join("?" * len(keys))
        found = f"SELECT since, coalesce(until, ?) FROM absences WHERE guild IN ({wanted})"
        return [(first, last) for first, last in self.house.bot.query(found, FOREVER, *keys)]

    def _check_decisions(self, stood: list[Span], events: list[Event]) -> None:
        begun: dict[EventKind, int] = {}
        for event in events:
            if event.kind in BY_ITSELF:
                assert not any(first < event.at < last for first, last in stood), (event, stood, self.struck)
            before, least = LEAST.get(event.kind, (None, 0))
            if before in begun:
                assert ran(stood, begun[before], event.at) >= least, (event, stood, self.struck)
            begun[event.kind] = event.at


def clipped(spans: Sequence[Span], first: int, last: int) -> list[Span]:
    """Returns the parts of the spans between these times, in order."""
    found = sorted((max(one, first), min(other, last)) for one, other in spans)
    return [(one, other) for one, other in found if one < other]


async def hunt(folder: Path, rounds: int) -> None:
    """Plays so many rounds. Raises AssertionError if the accounts differ, or if something was decided in an absence."""
    chance = random.Random(drawn_seed())
    async with ClockHouse.at(folder, datetime(2026, 3, 2, 12, tzinfo=UTC)) as house:
        for number in range(rounds):
            async with Room.opened(house, f"round-{number}") as room:
                stage = STAGES[number % len(STAGES)]
                one = await Round.begin(house, room, chance, stage)
                print(f"round {number}, {stage}")
                for _ in range(BLOWS):
                    await one.strike()
                await one.mend()
                print("\n".join(one.struck))
                one.check()


@pytest.mark.long
@pytest.mark.timeout(4 * 3600)
async def test_both_accounts_of_when_a_game_could_be_played_agree(tmp_path: Path, at_most: AtMost) -> None:
    await hunt(tmp_path, at_most(12, 3))
