"""An operator who limits the bot to some servers, and one whose bot is in so many that it needs verification."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from bot.client import VERIFY_BY, VERIFY_FROM
from bot.texts.i18n import text
from sandbox.things import Channel, Guild
from tests.e2e.house import Bot, House
from tests.e2e.planting import button, plant
from tests.e2e.room import Room
from tests.sentences import part

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_elsewhere_a_private_bot_says_so_and_names_verification_from_75_servers(tmp_path: Path) -> None:
    house = House(tmp_path)
    await house.open(start=False)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(house.close)
        world = house.server.world
        home = world.guilds[Room.guild_of(house, "Round Table")]
        for number in range(1, VERIFY_FROM):
            world.put(Guild(home.id + number, f"Court {number}", members=home.members))
        world.put(Channel(home.id + 500, home.id + 1, "abroad"))
        house.bot = Bot(tmp_path, ROUNDTABLE_SERVERS=str(home.id), ROUNDTABLE_SANDBOX_URL=house.url)
        await house.start_bot()
        ada = await stack.enter_async_context(await house.join("Ada"))
        private = text("en", "failure.other-server")
        assert (await ada.command("#abroad", "play", variant="camelot")).text == private
        assert (await ada.command("#abroad", "help")).text == private
        pressed = plant(house, str(home.id + 500), button("rt:rules:0:0:camelot"))
        assert (await ada.click(pressed, "rt:rules:0:0:camelot")).text == private
        with pytest.raises(TimeoutError):
            await ada.autocomplete("#abroad", "move", {}, "game")
        assert part("table.offered") in (await ada.command("#round-table", "play", variant="camelot")).text
        assert house.bot.query("SELECT count(*) FROM matches") == [(1,)]

        await house.until(lambda: f"most={VERIFY_BY}\n" in house.bot.log, "told")
