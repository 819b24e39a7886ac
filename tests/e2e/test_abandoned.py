"""A server that removes the bot: its data is kept for some weeks, and then deleted."""

from __future__ import annotations

from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.core.clock import DAY
from bot.play.service.servers import REMOVED_SERVER_RETENTION_S
from sandbox.people import Person
from tests.e2e.clock import ClockHouse
from tests.e2e.room import Room, set_server

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def _set_member(person: Person, guild: int, *, member: bool) -> None:
    await person.call("PUT", f"/app/guilds/{guild}/bot", {"member": member})


@pytest.mark.long
async def test_a_servers_data_goes_thirty_days_after_removal_even_while_off(tmp_path: Path) -> None:
    async with ClockHouse.at(tmp_path, datetime(2031, 3, 3, 12, tzinfo=UTC)) as house, AsyncExitStack() as stack:
        room = await Room.found(house, "room", stack)
        ada, bo = await room.enter("Ada", "Bo")
        mod = await stack.enter_async_context(await house.join("Ada"))
        await room.start("camelot", ada, bo, pace="none")
        await set_server(mod, room.channel, pace="slow")
        settings = "SELECT count(*) FROM guild_settings WHERE guild = ?"
        assert house.bot.query(settings, room.guild) == [(1,)]

        await _set_member(mod, room.guild, member=False)
        await house.until(lambda: _noted(house, room.guild), "noted")
        await house.move_clock(REMOVED_SERVER_RETENTION_S - DAY)
        await _set_member(mod, room.guild, member=True)
        await house.until(lambda: not _noted(house, room.guild), "back")
        await house.move_clock(2 * DAY)
        assert house.bot.query(settings, room.guild) == [(1,)]

        await house.stop_bot()
        await _set_member(mod, room.guild, member=False)
        await house.start_bot()
        await house.until(lambda: _noted(house, room.guild), "noted")
        await house.move_clock(REMOVED_SERVER_RETENTION_S + 1)
        assert house.bot.query(settings, room.guild) == [(0,)]
        for table in ("matches", "events", "players"):
            assert house.bot.query(f"SELECT count(*) FROM {table}") == [(0,)]
        await _set_member(mod, room.guild, member=True)
        shown = await mod.command(room.channel, "server settings")
        assert "Slow" not in shown.text


def _noted(house: ClockHouse, guild: int) -> bool:
    """True if that server is noted as having removed the bot."""
    return bool(house.bot.query("SELECT 1 FROM meta WHERE key = ?", f"removed:{guild}"))
