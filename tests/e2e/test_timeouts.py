"""The bot in the moderators' timeout: said as such, nothing is asked of Discord, and games go on at its end."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from bot.match.events import EventKind
from bot.sandbox.world import BOT_ID
from bot.texts.clocks import moment
from bot.texts.i18n import text
from tests.e2e.house import House
from tests.e2e.room import Room, set_own
from tests.e2e.test_server import kinds
from tests.sandbox.people import Person

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def time_out(room: Room, moderator: Person, seconds: int) -> str:
    """The moderators let the bot only look for so long. What the bot says of it."""
    await moderator.call("PUT", f"/app/guilds/{room.guild}/members/{BOT_ID}", {"timeout": seconds})
    until = room.house.server.world.guild(room.guild).timeouts[str(BOT_ID)]
    return text("en", "permission.timed-out", until=moment(int(until) + 1))


def letters(house: House, person: Person) -> list[str]:
    """The bot's direct messages to that person."""
    world = house.server.world
    direct = [one.id for one in world.channels.values() if one.guild_id is None and int(person.id) in one.members]
    return [said.content for channel in direct for said in world.messages(channel)]


async def test_a_timeout_is_told_with_its_end_and_games_go_on_then(tmp_path: Path) -> None:
    async with House(tmp_path, "tests.e2e.hasty").faultless() as house, AsyncExitStack() as stack:
        room = await Room.found(house, "room", stack)
        ada, bo = await room.enter("Ada", "Bo")
        await set_own(bo, room.channel, **{"reminders-by": "dm"})
        played = await room.start("camelot", ada, bo, pace="standard")
        why = await time_out(room, ada, 10)
        await house.until(lambda: EventKind.HOMELESS in kinds(house, played.number), "homeless")
        await house.until(lambda: any(why in said for said in letters(house, bo)), "told directly")
        moved = await ada.command(room.channel, "move", move="F7-F8")
        assert why in moved.text
        assert (await ada.command(room.channel, "play", variant="camelot")).text == why
        assert house.server.tally.invalid == 0
        assert EventKind.THREADED not in kinds(house, played.number)
        played.game = played.game.play("F7-F8")
        await played.told(ada)
        await house.until(lambda: EventKind.THREADED in kinds(house, played.number), "at home again")


async def test_a_game_that_has_nothing_to_tell_goes_on_after_a_timeout_too(tmp_path: Path) -> None:
    async with House(tmp_path, "tests.e2e.hasty").faultless() as house, AsyncExitStack() as stack:
        room = await Room.found(house, "room", stack)
        ada, bo = await room.enter("Ada", "Bo")
        played = await room.start("camelot", ada, bo, pace="standard")
        for seconds in (4, 3600):
            await time_out(room, ada, seconds)
            await house.until(lambda: kinds(house, played.number)[-1] is EventKind.HOMELESS, "homeless")
            if seconds > 60:  # it is lifted early
                await time_out(room, ada, 0)
            await house.until(lambda: kinds(house, played.number)[-1] is EventKind.THREADED, "at home again")
        await played.move("F7-F8")
