"""The process: how it starts, stops, is killed and restarts, and what it prints if it cannot run."""

from __future__ import annotations

import asyncio
import re
import signal
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from sandbox.faults import late
from sandbox.people import Person
from tests.e2e.answer_checks import unheard
from tests.e2e.faults.moving import OF_A_MOVE, is_played, moves
from tests.e2e.game_checks import run
from tests.e2e.house import Bot, House, complaints
from tests.e2e.room import Room, accepted, open_table, resign, wait_for_no_buttons
from tests.sentences import part

pytestmark = pytest.mark.asyncio(loop_scope="session")

POST_MESSAGE = "/channels/{channel_id}/messages"
ONE_MESSAGE = "/channels/{channel_id}/messages/{message_id}"
ENDED = "SELECT 1 FROM matches WHERE phase = 'over' AND newsworthy = announced"


async def address(bot: Bot, since: int = 0) -> str:
    """Returns the address that the program tells a newcomer to open, in that part of the log."""
    async with asyncio.timeout(60):
        while not (found := re.search(r"Open (http://127\.0\.0\.1:\d+)", bot.log[since:])):
            assert bot.running, bot.log
            await asyncio.sleep(0.05)
    return found[1]


async def test_without_a_token_it_prints_an_address_and_survives_a_restart(tmp_path: Path) -> None:
    bot = Bot(tmp_path, ROUNDTABLE_SANDBOX_PORT="0")
    bot.warm = False
    await bot.start()
    try:
        url = await address(bot)
        assert "warning" not in bot.log  # the bug: a newcomer was asked for the disk of the database
        async with aiohttp.ClientSession() as http, http.get(url) as page:
            assert page.status == 200
            assert "<title>" in await page.text()
        async with await Person.join(url, "Ada") as ada:
            await ada.wait_until_online(60)
            table = await open_table(ada, "#round-table", variant="camelot", seats="join-order")
        assert await bot.end(signal.SIGTERM) == 0
        before = len(bot.log)
        await bot.start()
        url = await address(bot, before)
        async with await Person.join(url, "Cleo") as cleo:
            await cleo.wait_until_online(60)
            offered = next(said for said in await cleo.messages("#round-table") if said.buttons)
            assert offered.text == table.text
            assert accepted(await cleo.click(offered, "Join"))
            await cleo.wait_for("#1", lambda said: part("turn.begins") in said.text)
        assert await bot.end(signal.SIGINT) == 0
    finally:
        await bot.end(signal.SIGKILL)
    assert complaints(bot.log) == []


@pytest.mark.sqlite  # on PostgreSQL it waits for its turn, see test_blows.py
async def test_a_second_instance_on_the_same_database_refuses_to_start(house: House) -> None:
    code, printed = await run("bot", ROUNDTABLE_DB=house.bot.where, ROUNDTABLE_SANDBOX_URL=house.url)
    assert code == 1
    assert "already" in printed
    assert str(house.bot.database) in printed
    assert "Traceback" not in printed
    assert house.bot.running


async def die(house: House, acting: Coroutine[Any, Any, object], strike: Callable[[str, str, Any], None]) -> None:
    """Has the bot killed by `strike`, which gets its requests while somebody acts."""
    house.meddle = strike
    async with unheard(acting):
        await house.until(lambda: not house.server.gateway.online, "offline")
        await house.kill_bot()
    house.meddle = None


@pytest.mark.parametrize(
    "posted",
    [
        pytest.param(False, id="before it is posted", marks=pytest.mark.long),
        pytest.param(True, id="before it is marked as posted"),
    ],
)
@pytest.mark.whole
async def test_a_crash_between_storing_and_announcing_is_repaired_without_a_double_post(
    own_room: Room, posted: bool
) -> None:
    played, ada, _ = await own_room.start_two()

    def strike(method: str, template: str, payload: Any) -> None:
        if (method, template) == ("POST", POST_MESSAGE):
            own_room.house.meddle = None
            own_room.house.bot.kill_now()
            if not posted:
                raise ValueError("the message is lost with the process")

    await die(own_room.house, played.try_move("F7-F8"), strike)
    assert own_room.house.bot.events()[-1][4].split()[0] == "F7-F8"
    assert len(await played.since(ada)) == posted
    assert own_room.house.bot.query("SELECT count(*) FROM matches WHERE newsworthy > announced") == [(1,)]

    await own_room.house.start_bot()
    played.game = played.game.play("F7-F8")
    await played.told(ada)
    await own_room.house.until(
        lambda: own_room.house.bot.query("SELECT count(*) FROM matches WHERE newsworthy > announced") == [(0,)],
        "marked",
    )
    await played.quiet()
    await played.move("F10-F9")


@pytest.mark.whole
async def test_a_kill_at_the_end_of_a_game_leaves_nothing_untidy(own_room: Room) -> None:
    played, ada, bo = await own_room.start_two(thread=True)
    board = await played.move("F7-F8")
    await bo.command(played.channel, "game draw")
    offer = await ada.wait_for(played.channel, lambda said: "Accept" in said.buttons)

    def strike(method: str, template: str, payload: Any) -> None:
        if template == ONE_MESSAGE and own_room.house.bot.query(ENDED):
            own_room.house.bot.kill_now()
            raise ValueError("the edit is lost with the process")

    await die(own_room.house, resign(bo, played.channel), strike)
    await own_room.house.start_bot()
    for untidy in (board, offer):
        await wait_for_no_buttons(ada, untidy)
    await own_room.house.until(lambda: bool(ada.channels[played.channel]["archived"]), "archived")


# Ctrl+C where asyncio takes no signal handlers, as on Windows: the client is closed first, then the store


async def test_ctrl_c_in_the_middle_of_a_move_leaves_time_to_answer(tmp_path: Path) -> None:
    async with House(tmp_path, "tests.e2e.handlerless_program") as house, Room.opened(house) as room:
        played, *_ = await room.start_two()
        rule = house.server.faults.add(OF_A_MOVE["answer"], late(0.4))
        asked = asyncio.create_task(played.try_move("F7-F8"))
        await house.until(lambda: rule.struck == 1, "in the middle")
        assert await house.bot.end(signal.SIGINT) == 0
        assert is_played(await asked, played)
        assert moves(played) == ["F7-F8"]
        log = house.bot.log
        assert complaints(log) == []
        assert "event=stopping" in log
        assert "Traceback" not in log


async def test_ctrl_c_at_rest_ends_it_without_a_word_of_complaint(tmp_path: Path) -> None:
    async with House(tmp_path, "tests.e2e.handlerless_program") as house:
        assert await house.bot.end(signal.SIGINT) == 0
        assert complaints(house.bot.log) == []
        assert "Traceback" not in house.bot.log
