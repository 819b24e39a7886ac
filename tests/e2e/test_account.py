"""After any blows in any order, each clock stands exactly while nobody can move or be notified.

Two accounts must agree: `tests/e2e/account.py` looks at Discord after each blow, and the bot has its own notes. The
house's clock moves only between blows, so they agree nearly to the second. Nothing is decided while a clock stands.
"""

from __future__ import annotations

import os
import random
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from bot.core.clock import FOREVER
from bot.core.events import Event, EventKind
from bot.core.match import Match
from sandbox.people import Person
from sandbox.permissions import Permission
from sandbox.things import Channel
from sandbox.world import BOT_ID, World
from tests.e2e.account import Account, Span, differ, may_run
from tests.e2e.climbing import challenge, ladder_game
from tests.e2e.clock import ClockHouse
from tests.e2e.clock.watch import HOUR
from tests.e2e.places import forbid
from tests.e2e.room import Played, Room
from tests.e2e.stored_games import match_of, stories
from tests.examples import AtMost
from tests.sentences import label

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


@dataclass
class Round:
    """A ladder game, a game of three in threads, a challenge, and the blows to the bot."""

    house: ClockHouse
    room: Room
    chance: random.Random
    ada: Person
    harbour: str
    """A channel that no blow hits; games without a place move there."""
    players: Mapping[int, Person] = field(default_factory=dict)
    """One player of each game."""
    accounts: dict[int, Account] = field(default_factory=dict)
    asked: Account = field(default_factory=lambda: Account(0))
    """The account of the time to answer the challenge."""
    struck: list[str] = field(default_factory=list)

    @classmethod
    async def begin(cls, house: ClockHouse, room: Room, chance: random.Random, stage: str) -> Round:
        """Begins both games, plays them to that stage, and makes the challenge."""
        ada, bo, cy, dee, eve, *others = await room.enter("Ada", "Bo", "Cy", "Dee", "Eve", "Fay", "Gil")
        climb = await ladder_game(room, ada, bo)
        if stage == "grace":
            await house.move_clock(48 * HOUR)
        table = await room.set_table("tri-camelot", cy, thread=True, pace="standard")
        for person in (dee, eve):
            await table.join(person)
        trio = await table.begun(await cy.find(f"Tri-Camelot #{table.number}"))
        players = {climb.number: ada, trio.number: cy}
        found = cls(house, room, chance, ada, await room.add_channel("harbour"), players)
        await found._come_to(stage, climb, trio)
        await challenge(room, *others)
        found.asked, found.accounts = Account(house.now), {number: Account(house.now) for number in players}
        return found

    async def _come_to(self, stage: str, climb: Played, trio: Played) -> None:
        if stage == "grace":
            for hours in (60, 11, 1):
                await self.house.move_clock(hours * HOUR)
            assert all(self.match(game.number).pings.grace_ends_at for game in (climb, trio))
        elif stage == "vote":
            leaver = trio.players[2]
            await leaver.click(await leaver.command(trio.channel, "game resign"), label("resign"))
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
        found = match_of(self.house, number)
        assert found is not None
        return found

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
        up = self.house.bot.running
        if up:
            await self.house.tick()
        for number, account in self.accounts.items():
            match = self.match(number)
            runs = may_run(self.world, match.guild, (match.thread, match.channel), up=up)
            account.note(self.house.now, runs=runs)
        self.asked.note(self.house.now, runs=may_run(self.world, self.room.guild, (self._ladder(),), up=up))

    def _ladder(self) -> int:
        """Returns the channel in which somebody last used the ladder."""
        asked = "SELECT channel FROM ladders WHERE guild = ? AND variant = 'camelot'"
        ((channel,),) = self.house.bot.query(asked, self.room.guild)
        return int(channel)

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
        games = [self.match(number) for number in self.accounts]
        for channel in self._there({match.channel for match in games} - {int(self.harbour)}):
            for right in (Permission(0), *self.chance.sample(RIGHTS, 2)):
                found[f"{channel.id} without {right!r}"] = partial(self._forbid, channel, right)
            if self.chance.random() < SELDOM:
                found[f"{channel.id} deleted"] = partial(self._delete, channel)
        for thread in self._there({match.thread for match in games}):
            locked = not thread.locked
            found[f"{thread.id} locked: {locked}"] = partial(self._change, thread, locked=locked)
            found[f"{thread.id} archived"] = partial(self._change, thread, archived=True)
            found[f"{thread.id} closed"] = partial(self._change, thread, archived=True, locked=True)
            if self.chance.random() < SELDOM:
                found[f"{thread.id} deleted"] = partial(self._delete, thread)
        for match in games:
            reached = self.house.bot.running and BOT_ID in server.members
            if reached and match.is_live and match.has_lost_channel:
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
        games = [self.match(number) for number in self.accounts]
        for thread in self._there({match.thread for match in games}):
            await self._change(thread, locked=False)
        for channel in self._there({*(match.channel for match in games), self._ladder()}):
            await self._forbid(channel, Permission(0))
        await self.house.tick()
        for match in games:
            if match.channel not in self.world.channels and match.is_live:
                await self._take_to_harbour(match)
        if self._ladder() not in self.world.channels:
            (late,) = await self.room.enter("Late")
            await late.command(self.harbour, "ladder join", variant="camelot")
        await self.house.tick()
        await self.note()
        for hours in (1, 7):
            await self.house.move_clock(hours * HOUR)
        await self.note()

    def check(self) -> None:
        """Asserts that both accounts agree, and that nothing was decided while a clock stood."""
        told = stories(self.house)
        for number, account in self.accounts.items():
            match, events = self.match(number), told[number]
            end = self.house.now if match.is_live else events[-1].at
            own, other = (clipped(spans, account.begun, end) for spans in (self._noted(match), account.stood))
            assert not (match.is_live and (match.has_lost_channel or account.since)), (number, self.struck)
            assert differ(own, other) <= EXACT * max(1, len(other)), (number, own, other, self.struck)
            self._check_decisions(account, [event for event in events if event.at >= account.begun], len(other))
        own = clipped(self._absences(0, self.room.guild, -self.room.guild), self.asked.begun, self.house.now)
        assert differ(own, self.asked.stood) <= EXACT * max(1, len(self.asked.stood)), (own, self.asked, self.struck)

    def _noted(self, match: Match) -> list[Span]:
        """Returns when nobody could be reached, according to the bot's notes."""
        return [*self._absences(0, match.guild), *match.outage_spans]

    def _absences(self, *keys: int) -> list[Span]:
        """Returns the noted absences of all servers (0), of a server, or of a server's ladders (negative)."""
        wanted = ", ".join("?" * len(keys))
        found = f"SELECT since, coalesce(until, ?) FROM absences WHERE guild IN ({wanted})"
        return [(first, last) for first, last in self.house.bot.query(found, FOREVER, *keys)]

    def _check_decisions(self, account: Account, events: list[Event], absences: int) -> None:
        begun: dict[EventKind, int] = {}
        for event in events:
            if event.kind in BY_ITSELF:
                assert not account.stands_in(event.at), (event, account.stood, self.struck)
            before, least = LEAST.get(event.kind, (None, 0))
            if before in begun:
                ran = account.ran(begun[before], event.at)
                assert ran >= least - EXACT * absences, (event, account.stood, self.struck)
            begun[event.kind] = event.at


def clipped(spans: list[Span], first: int, last: int) -> list[Span]:
    """Returns the parts of the spans between these times, in order."""
    found = sorted((max(one, first), min(other, last)) for one, other in spans)
    return [(one, other) for one, other in found if one < other]


async def hunt(folder: Path, rounds: int) -> None:
    """Plays so many rounds. Raises AssertionError if the accounts differ, or if something was decided in an absence."""
    seed = int(os.environ.get("KILL_SEED", random.SystemRandom().randrange(10**9)))
    print(f"KILL_SEED={seed}")
    chance = random.Random(seed)
    async with ClockHouse.at(folder, datetime(2026, 3, 2, 12, tzinfo=UTC)) as house:
        for number in range(rounds):
            async with AsyncExitStack() as stack:
                room = await Room.found(house, f"round-{number}", stack)
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
    await hunt(tmp_path, at_most(100, 3))
