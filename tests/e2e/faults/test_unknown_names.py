"""Unknown names in the database: people keep playing, and correct them in the panel."""

from __future__ import annotations

import pytest

from bot.core.events import EventKind
from bot.texts.i18n import text
from tests.e2e.faults.moving import a_game
from tests.e2e.house import House
from tests.e2e.room import Room, set_own, set_server

pytestmark = pytest.mark.asyncio(loop_scope="session")

ZONE = "America/X"


@pytest.fixture
def _mended(house: House) -> object:
    """The server's own names are right again afterwards."""
    yield
    house.bot.query("UPDATE guild_settings SET zone = 'UTC', pace = 'standard', threads = 'ask', language = NULL")


async def test_an_unknown_zone_is_shown_in_the_panel_and_mended(room: Room) -> None:
    played, ada, _ = await a_game(room)
    await ada.command(room.channel, "me settings", zone="Europe/Oslo")
    room.house.bot.query("UPDATE user_settings SET zone = ? WHERE user = ?", ZONE, int(ada.id))
    await played.move("F7-F8")
    panel = await ada.command(room.channel, "me settings")
    assert text("en", "unknown-name.zone", zone=ZONE) in panel.text.replace("\\", "")
    mended = await set_own(ada, room.channel, zone="oslo")
    assert "**Europe/Oslo**" in mended.text, mended
    await played.move("F10-F9")


@pytest.mark.usefixtures("_mended")
async def test_a_server_with_unknown_names_is_played_in_also_after_a_start(room: Room) -> None:
    house = room.house
    played, _, _ = await a_game(room)
    await house.stop_bot()
    house.bot.query("UPDATE guild_settings SET zone = ?, pace = 'glacial', threads = 'often', language = 'tlh'", ZONE)
    seen = len(house.bot.log)
    await house.start_bot()
    await played.move("F7-F8")
    assert house.bot.log[seen:].count('event="unknown name"') >= 4
    async with await house.join("Ada") as manager:
        panel = await set_server(manager, room.channel, zone="oslo", pace="fast", language="automatic")
    assert "**Europe/Oslo**" in panel.text, panel


@pytest.mark.usefixtures("bad_rows")
async def test_a_game_of_another_version_is_told_and_no_other_stops(room: Room) -> None:
    house = room.house
    other, _, _ = await a_game(room)
    house.bot.query("UPDATE events SET kind = 250 WHERE match = ? AND kind = ?", other.number, EventKind.STARTED.value)
    await house.stop_bot()
    await house.start_bot()
    reply = await other.try_move("F7-F8", game=str(other.number))
    assert reply.text == text("en", "problem.unreadable", number=other.number)
    house.bot.query("UPDATE events SET kind = ? WHERE match = ? AND kind = 250", EventKind.STARTED.value, other.number)
