"""Ladders through the whole program: three people, a complete game of each kind, restarts in between, a season."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
import pytest_asyncio

from bot.core.clock import DAY, HOUR
from bot.texts.i18n import text
from sandbox.errors import Code
from sandbox.faults import refused
from sandbox.people import Person, Reply, Said
from tests.e2e.clock import ClockHouse
from tests.e2e.conftest import looked_after
from tests.e2e.faults.moving import POST, Only
from tests.e2e.forged_components import press_old
from tests.e2e.indoors import Indoors
from tests.e2e.ladder_players import OPENING, number_in
from tests.e2e.room import Room, public, resign, set_own, set_server
from tests.sentences import label, part

pytestmark = pytest.mark.asyncio(loop_scope="session")


BLUE_WINS = [
    "E4-E8",
    "C16-B15",
    "H15-H11",
    "E6-E10",
    "D13-E14",
    "I14-I18-G16",
    "E8-E12xE16xC18",
    "B13-B9",
    "G16-I18-I14-I10",
    "F5-F9-D11xB13xB17",
    "D15-D13",
    "I10-J9",
    "B17-A16",
]
"""A whole game of Tri-Camelot, won by the first seat."""


@dataclass
class Stairs:
    """A channel with three people who play ladder games there one after the other."""

    house: ClockHouse
    room: Room
    people: dict[str, Person]

    @property
    def ada(self) -> Person:
        return self.people["Ada"]

    @property
    def bo(self) -> Person:
        return self.people["Bo"]

    @property
    def cy(self) -> Person:
        return self.people["Cy"]

    async def does(self, person: Person, command: str, **options: object) -> str:
        """Gives a command, of `/ladder` unless it names another group, and returns the text of the private answer."""
        reply = await person.command(self.room.channel, command, **options)
        assert reply.ephemeral, reply
        return reply.text

    async def posted(self, *signs: str, where: str | None = None) -> Said:
        """Waits for the one public message with all of these words, in the channel or in thread `where`."""

        def fits(said: Said) -> bool:
            return not said.ephemeral and all(sign in said.shown for sign in signs)

        await self.ada.wait_for(where or self.room.channel, fits)
        (found,) = [said for said in await public(self.ada, where or self.room.channel) if fits(said)]
        return found

    async def pinged(self, said: Said) -> set[str]:
        """Returns the names of the people whom that message mentions."""
        seen = await asyncio.gather(*(one.messages(said.channel_id) for one in self.people.values()))
        pairs = zip(self.people, seen, strict=True)
        return {name for name, messages in pairs for one in messages if one.id == said.id and one.pings_me}

    async def thread(self, number: int) -> str:
        """Returns the thread of a game."""
        said = await self.posted(f"game #{number}\n", f"{part('table.thread')}<#")
        found = re.search(re.escape(part("table.thread")) + r"<#(\d+)>", said.text)
        assert found, said.text
        return found[1]

    async def play(self, number: int, moves: Iterable[str]) -> Said:
        """Plays the moves in that game, each by the player mentioned; returns the last board."""
        thread = await self.thread(number)
        last = await self.posted(f"game #{number} · turn 1, ", where=thread)
        for move in moves:
            for name in await self.pinged(last):  # the start has called both
                reply = await self.people[name].command(thread, "move", move=move)
                if "You played" in reply.text:
                    break
            assert "You played" in reply.text, (move, reply.text)

            def fits(said: Said, before: int = int(last.id)) -> bool:
                signs = (f"game #{number} · turn ", f"Camelot #{number}\n")
                return not said.ephemeral and int(said.id) > before and any(sign in said.text for sign in signs)

            last = await self.ada.wait_for(thread, fits)
        return last

    async def give_up(self, person: Person, number: int) -> Said:
        """Has the person resign and returns the message of the result."""
        thread = await self.thread(number)
        await resign(person, thread)
        return await self.posted(f"Camelot #{number}\n", where=thread)


@pytest_asyncio.fixture(loop_scope="session")
async def stairs(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Stairs]:
    """Three people in a new house, on a Monday in March."""
    begin = datetime(2026, 3, 2, 12, tzinfo=UTC)
    async with AsyncExitStack() as stack:
        house: ClockHouse | Indoors
        if request.node.get_closest_marker("whole"):
            house = await stack.enter_async_context(ClockHouse.at(tmp_path, begin))
        else:
            house = await stack.enter_async_context(Indoors.at(tmp_path, begin.timestamp()))
            await stack.enter_async_context(looked_after(house))
        room = await Room.found(house, "stairs", stack)
        await room.enter("Ada", "Bo", "Cy")
        yield Stairs(house, room, room.people)


async def history_of(stairs: Stairs, person: Person, climber: Person) -> str:
    """Returns what that person reads of the climber's history on the ladders."""
    listed = await person.command(stairs.room.channel, "games", player=climber)
    return (await person.click(listed, label("ladder-history"))).text


async def press(person: Person, said: Said, label: str) -> Reply:
    reply = await person.click(said, label)
    assert not reply.failed, reply
    return reply


async def test_a_challenge_is_offered_accepted_played_and_told(stairs: Stairs) -> None:
    ada, bo, cy = stairs.ada, stairs.bo, stairs.cy
    for person in (ada, bo):
        assert part("ladder.joined", variant="Camelot", rung=0) in await stairs.does(
            person, "ladder join", variant="camelot"
        )
    assert text("en", "refusal.already-on-ladder") in await stairs.does(bo, "ladder join", variant="camelot")
    await stairs.house.tick()
    season = await stairs.posted("season 1 begins")
    assert await stairs.pinged(season) == set()

    async def challenge(one: Person, other: Person) -> str:
        return await stairs.does(one, "ladder challenge", variant="camelot", player=other.id)

    assert await challenge(ada, cy) == text("en", "refusal.other-not-on-ladder", other=f"<@{cy.id}>")
    assert text("en", "refusal.yourself") in await challenge(ada, ada)
    assert part("refusal.not-on-ladder") in await challenge(cy, bo)
    assert part("ladder.challenged") in await challenge(ada, bo)
    call = await stairs.posted("do you accept?")
    assert await stairs.pinged(call) == {"Bo"}
    assert call.buttons == [label("ladder-accept"), label("ladder-refuse")]
    assert part("refusal.challenging-already") in await challenge(ada, bo)
    assert part("refusal.no-challenge") in (await press(cy, call, "Accept")).text

    await stairs.house.stop_bot()
    await stairs.house.start_bot()
    assert not (await press(bo, call, "Accept")).failed
    number = number_in((await stairs.posted(text("en", "ladder.challenge-end.accepted", id="").rstrip("."))).text)
    thread = await stairs.thread(number)
    last = await stairs.play(number, OPENING)
    assert "takebacks" not in last.text
    refused = await press_old(stairs.house, bo, stairs.room.channel, f"rt:takeback-ask:{number}:0:-")
    assert part("problem.takeback-ladder", number=number) in refused.text

    (loser,) = await stairs.pinged(last)
    winner = "Bo" if loser == "Ada" else "Ada"
    over = await stairs.give_up(stairs.people[loser], number)
    assert re.search(rf"📈 {stairs.people[winner].name} \+\d+: 1500 → \*\*1[56]\d\d \(", over.shown), over
    assert part("ladder.moves", player=stairs.people[winner].name, before=0, after=1) in over.shown
    assert part("ladder.stays", player=stairs.people[loser].name, after=0) in over.shown

    table = await stairs.does(cy, "ladder show", variant="camelot")
    assert re.search(rf"`  1\.` rung \*\*1\*\* · <@{stairs.people[winner].id}> · \d+ \(.+\) · 1–0–0", table), table
    assert "2 climbers" in table
    board = await stairs.does(cy, "ladder leaderboard", variant="camelot")
    assert f"<@{stairs.people[winner].id}> · one game" in board
    story = await history_of(stairs, cy, stairs.people[winner])
    assert "wins game" in story
    assert part("ladder.past.rung", before=0, after=1) in story
    again = await challenge(stairs.people[loser], stairs.people[winner])
    assert f"{part('refusal.rematch', rematch=7)}<t:" in again

    # A person with a hidden profile is on the ladder, where others look for opponents; only they see their history.
    await set_own(ada, stairs.room.channel, public=False)
    assert f"<@{ada.id}>" in await stairs.does(cy, "ladder show", variant="camelot")
    hidden = text("en", "profile.hidden", player=f"<@{ada.id}>")
    assert await history_of(stairs, cy, ada) == hidden
    assert part("ladder.past.joined") in await history_of(stairs, ada, ada)

    await ada.call("PUT", f"/app/guilds/{stairs.room.guild}/members/{ada.id}", {"manages": True})
    await stairs.does(ada, "referee end", game=str(number), reason="a wager")
    await stairs.posted(part("referee.annulled", id=number), where=thread)
    table = await stairs.does(cy, "ladder show", variant="camelot")
    assert "rung **1**" not in table, table


async def test_a_season_has_a_podium_and_ends_once(stairs: Stairs) -> None:
    ada, bo, cy = stairs.ada, stairs.bo, stairs.cy
    await ada.call("PUT", f"/app/guilds/{stairs.room.guild}/members/{ada.id}", {"manages": True})
    news = await stairs.room.add_channel("news")
    await set_server(ada, stairs.room.channel, announcements=[news])
    for person in (ada, bo, cy):
        await stairs.does(person, "ladder join", variant="tri-camelot")
    await stairs.house.tick()
    await stairs.posted("season 1 begins", where=news)
    await stairs.house.stop_bot()
    stairs.house.clock.now += 45 * DAY
    await stairs.house.start_bot()
    for person in (ada, bo, cy):
        said = await stairs.does(person, "ladder queue", variant="tri-camelot")
    assert part("time.board") in said
    await stairs.play(number_in(said), BLUE_WINS)

    # The season ends while the bot is down, and its end is announced exactly once despite kills.
    await stairs.house.stop_bot()
    stairs.house.clock.now += 26 * DAY
    await stairs.house.start_bot()
    await stairs.house.tick()
    await stairs.house.kill_bot()
    await stairs.house.start_bot()
    await stairs.house.tick()
    end = await stairs.posted("season 1 is over", where=news)
    assert re.search(r"🥇 <@\d+>, on rung 2\n🥈 <@\d+>, on rung 0\n🥉 <@\d+>, on rung 0\n", end.text), end.text
    assert await stairs.pinged(end) == {"Ada", "Bo", "Cy"}
    await stairs.posted("season 2 begins", where=news)
    table = await stairs.does(ada, "ladder show", variant="tri-camelot")
    assert re.findall(r"rung \*\*(\d)\*\*", table) == ["1", "0", "0"]
    assert "season 2" in table


async def test_who_waits_in_a_queue_stops_waiting_wherever_they_are(stairs: Stairs) -> None:
    ada, news = stairs.ada, await stairs.room.add_channel("news")
    await ada.call("PUT", f"/app/guilds/{stairs.room.guild}/members/{ada.id}", {"manages": True})
    for command in ("ladder join", "ladder queue"):
        await stairs.does(ada, command, variant="camelot")
    await set_server(ada, stairs.room.channel, channels=[news])
    for said in ("ladder.unqueued", "problem.channel-not-allowed"):
        assert part(said) in await stairs.does(ada, "ladder queue", variant="camelot")


async def test_a_challenge_shows_its_outcome_in_place_of_its_buttons(stairs: Stairs) -> None:
    ada, bo, cy = stairs.ada, stairs.bo, stairs.cy
    for person in (ada, bo, cy):
        await stairs.does(person, "ladder join", variant="camelot")

    async def challenge(one: Person, other: Person) -> Said:
        await stairs.does(one, "ladder challenge", variant="camelot", player=other.id)
        return await stairs.posted(
            part("ladder.told.challenged", challenger=one.name, own=0, challenged=other.name, other=0)
        )

    async def closed(call: Said, foot: str) -> None:
        gone = await bo.wait_for(stairs.room.channel, lambda said: said.id == call.id and not said.buttons)
        gone = await bo.wait_for(stairs.room.channel, lambda said: said.id == call.id and said.text != call.text)
        assert gone.text == f"{call.text}\n-# {foot}"

    lapsing = await challenge(ada, bo)
    await stairs.house.stop_bot()  # which remembers what it has asked for
    await stairs.house.start_bot()
    await stairs.house.move_clock(73 * HOUR)
    await stairs.posted(part("ladder.told.lapsed", answer=72))
    await closed(lapsing, text("en", "ladder.challenge-end.lapsed", answer=72))

    refused = await challenge(bo, cy)
    await press(cy, refused, label("ladder-refuse"))
    await closed(refused, text("en", "ladder.challenge-end.refused"))
    dropped, accepted = await challenge(bo, ada), await challenge(cy, bo)
    await press(bo, accepted, "Accept")
    ended = await stairs.posted(text("en", "ladder.challenge-end.accepted", id="").rstrip("."))
    await closed(accepted, text("en", "ladder.challenge-end.accepted", id=number_in(ended.text)))
    asked = await ada.command(stairs.room.channel, "ladder leave", variant="camelot")
    assert asked.ephemeral
    assert part("ladder.leave", variant="Camelot", rung=0) in asked.text
    left = await ada.click(asked, label("ladder-leave"))
    assert part("ladder.left", variant="Camelot") in left.text
    assert not left.buttons
    await closed(dropped, text("en", "ladder.challenge-end.left"))


@pytest.mark.whole
async def test_news_the_announcements_channel_refuses_is_told_once_beside_the_games(stairs: Stairs) -> None:
    ada, faults = stairs.ada, stairs.house.server.faults
    await ada.call("PUT", f"/app/guilds/{stairs.room.guild}/members/{ada.id}", {"manages": True})
    news = await stairs.room.add_channel("news")
    await set_server(ada, stairs.room.channel, announcements=[news])
    refusal = Only(refused(Code.MISSING_ACCESS), news)
    faults.add(POST, refusal, times=None)
    for person in stairs.people.values():
        await stairs.does(person, "ladder join", variant="tri-camelot")
    await stairs.house.tick()
    await stairs.posted("season 1 begins")
    assert refusal.struck == {news: 1}
    faults.lift()
    await stairs.house.move_clock(2 * HOUR)
    assert await public(ada, news) == []
    assert sum("season 1 begins" in said.text for said in await public(ada, stairs.room.channel)) == 1
