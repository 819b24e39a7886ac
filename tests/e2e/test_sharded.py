"""The program with several shards, as with thousands of servers: work that waits for Discord still resumes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from sandbox.discord_types import Channel, Guild
from sandbox.faults import CONNECT, status
from tests.e2e.faults.moving import marked
from tests.e2e.room import Played, Room
from tests.e2e.watched_house import WatchedHouse

pytestmark = pytest.mark.asyncio(loop_scope="session")


AWAY = "SELECT guild FROM absences JOIN matches USING (guild) WHERE until IS NULL GROUP BY guild"


class ShardedHouse(WatchedHouse):
    """A house whose bot opens two shards, each with one server; `far` is the second one's room."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._module = "tests.e2e.hasty_program"

    async def start_bot(self) -> None:
        """Starts the bot and waits for it to be well."""
        world, self.server.gateway.shards = self.server.world, 2
        if "Far Court" not in [one.name for one in world.guilds.values()]:
            near = world.guilds[Room.guild_of(self, "Round Table")]
            far = Guild(near.id + (1 << 22), "Far Court", members=near.members)  # of the next millisecond
            world.put(far)
            world.put(Channel(far.id + 1, far.id, "far"))
        await super().start_bot()
        await self.well()

    async def rooms(self, stack: AsyncExitStack) -> list[Room]:
        """A room in a server of each shard."""
        far = next(one for one in self.server.world.channels.values() if one.name == "far")
        return [await Room.found(self, "near", stack), Room(self, "far", str(far.id), stack)]


@pytest_asyncio.fixture(loop_scope="session")
async def sharded(tmp_path: Path) -> AsyncIterator[ShardedHouse]:
    async with ShardedHouse(tmp_path) as house:
        yield house
        print(house.bot.log)  # pytest shows it where the test has failed
        assert house.strange == []


async def _a_game(room: Room) -> Played:
    played = await room.start("camelot", *await room.enter("Ada", "Bo"))
    await marked(room)
    return played


def _lose_a_post(house: ShardedHouse) -> None:
    """Loses the next message that the bot posts."""

    def strike(method: str, template: str, payload: Any) -> None:
        if (method, template) == ("POST", "/channels/{channel_id}/messages"):
            house.meddle = None
            raise ValueError("not this time")

    house.meddle = strike


async def test_games_run_on_each_shard_and_the_tick_tells_unposted_news(sharded: ShardedHouse) -> None:
    assert len(sharded.server.gateway._sockets) == 2
    async with AsyncExitStack() as stack:
        for room in await sharded.rooms(stack):
            played = await _a_game(room)
            await played.move("F7-F8")
            _lose_a_post(sharded)
            await played.try_move("F10-F9")
            await _told_by_the_tick(played, "F10-F9")
    assert (await sharded.metrics())["roundtable_connected"] == 1
    assert await sharded.stop_bot() == 0


async def _told_by_the_tick(played: Played, move: str) -> None:
    played.game = played.game.play(move)
    await played.told(played.players[0])
    await marked(played.room)


async def test_while_one_shard_is_away_the_servers_of_others_go_on(sharded: ShardedHouse) -> None:
    async with AsyncExitStack() as stack:
        near, far = [await _a_game(room) for room in await sharded.rooms(stack)]
        gateway, number = sharded.server.gateway, Room.guild_of(sharded, "Far Court")
        sharded.server.faults.add(CONNECT, status(503), times=None)
        next(one.socket for one in gateway._sessions.values() if one.socket and one.serves(number)).cut()
        await sharded.until(lambda: sharded.bot.query(AWAY) == [(number,)], "absent")
        assert await sharded.get("/healthz") == (200, f"ok; shard {(number >> 22) % 2} is not connected\n")
        await near.move("F7-F8")
        _lose_a_post(sharded)
        await near.try_move("F10-F9")
        await _told_by_the_tick(near, "F10-F9")
        assert sharded.bot.query(AWAY) == [(number,)]
        sharded.server.faults.lift()
        await sharded.until(lambda: sharded.bot.query(AWAY) == [], "back")
        await sharded.well()
        await far.move("F7-F8")


@pytest.mark.long
async def test_a_server_removing_the_bot_while_its_shard_is_away_is_noticed(sharded: ShardedHouse) -> None:
    async with AsyncExitStack() as stack:
        _, room = await sharded.rooms(stack)
        await _a_game(room)
        far, note = Room.guild_of(sharded, "Far Court"), "SELECT 1 FROM servers WHERE guild = ? AND removed_at > 0"
        ada = await stack.enter_async_context(await sharded.join("Ada"))
        gateway, faults = sharded.server.gateway, sharded.server.faults
        down = faults.add(CONNECT, status(503), times=None)
        faults.invalid_sessions = 1  # forces a new session
        next(one.socket for one in gateway._sessions.values() if one.socket and one.serves(far)).cut()
        await ada.call("PUT", f"/app/guilds/{far}/bot", {"member": False})
        down.left = 0
        await sharded.until(lambda: bool(sharded.bot.query(note, far)), "noted")
        await sharded.until(lambda: sharded.bot.query(AWAY) == [(far,)], "away")
