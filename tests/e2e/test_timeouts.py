"""The bot in a moderators' timeout: it says so, asks nothing of Discord, and games continue at its end."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from bot.core.events import EventKind
from bot.texts.i18n import text
from bot.texts.markup import absolute_time
from sandbox.people import Person
from sandbox.world import BOT_ID
from tests.e2e.house import House
from tests.e2e.room import Room, set_own
from tests.e2e.stored_games import kinds
from tests.sentences import label

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def time_out(room: Room, moderator: Person, seconds: int) -> str:
    """Puts the bot into timeout for that time. Returns what the bot says about it."""
    await moderator.call("PUT", f"/app/guilds/{room.guild}/members/{BOT_ID}", {"timeout": seconds})
    until = room.house.server.world.guild(room.guild).timeouts.get(str(BOT_ID), 0)
    return text("en", "permission.timed-out", until=absolute_time(int(until) + 1))


def letters(house: House, person: Person) -> list[str]:
    """Returns the bot's direct messages to that person."""
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
        moved = await ada.command(room.channel, "move", move="F7-F8")
        assert why in moved.text
        await house.until(lambda: EventKind.HOMELESS in kinds(house, played.number), "homeless")
        await house.until(lambda: any(why in said for said in letters(house, bo)), "told directly")
        assert (await ada.command(room.channel, "play", variant="camelot")).text == why
        assert house.server.tally.invalid == 0
        assert EventKind.THREADED not in kinds(house, played.number)
        played.game = played.game.play("F7-F8")
        await played.told(ada)
        await house.until(lambda: EventKind.THREADED in kinds(house, played.number), "at home again")


async def test_a_timeout_that_is_lifted_early_lets_games_go_on(tmp_path: Path) -> None:
    async with House(tmp_path, "tests.e2e.hasty").faultless() as house, AsyncExitStack() as stack:
        room = await Room.found(house, "room", stack)
        ada, bo = await room.enter("Ada", "Bo")
        played = await room.start("camelot", ada, bo, pace="standard")
        await time_out(room, ada, 3600)
        await played.try_move("F7-F8")
        await house.until(lambda: kinds(house, played.number)[-1] is EventKind.HOMELESS, "homeless")
        await time_out(room, ada, 0)
        await house.until(lambda: kinds(house, played.number)[-1] is EventKind.THREADED, "at home again")


@pytest.mark.long
async def test_an_annotated_game_is_posted_after_a_timeout(tmp_path: Path) -> None:
    async with House(tmp_path, "tests.e2e.hasty").faultless() as house, AsyncExitStack() as stack:
        room = await Room.found(house, "room", stack)
        ada, bo = await room.enter("Ada", "Bo")
        played = await room.start("camelot", ada, bo, pace="standard")
        panel = await ada.click(played.last, label("compose"))
        await ada.submit(await ada.click(panel, label("thoughts-say")), {"words": "It goes to the middle."})
        await played.move("F7-F8")
        asked = await bo.command(room.channel, "game resign", game=str(played.number))
        await bo.click(asked, label("resign"))
        await ada.wait_for(room.channel, lambda said: label("rematch") in said.buttons)
        await time_out(room, ada, 6)
        panel = await ada.command(room.channel, "game thoughts", game=str(played.number))
        await ada.click(panel, label("thoughts-share"))
        await ada.wait_for(room.channel, lambda said: label("annotated-words") in said.buttons)
        assert house.server.tally.invalid == 0, "nothing is asked of Discord in the meantime"
