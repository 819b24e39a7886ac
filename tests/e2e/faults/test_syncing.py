"""Commands that Discord does not take at a start: the bot plays on with those that it knows, and offers them again."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from bot.client import KNOWN_COMMANDS_KEY
from bot.core.timings import DEFAULT_TIMINGS
from bot.texts.i18n import text
from sandbox.errors import Code
from sandbox.faults import Effect, Rule, limited, refused, status, taken
from tests.e2e.faults.moving import a_game
from tests.e2e.house import House
from tests.e2e.room import Room

pytestmark = pytest.mark.asyncio(loop_scope="session")

SYNC = "PUT /applications/{application_id}/commands"
OLDER = "position"
"""A command of an older version: `/board` under another name."""


def make_older(house: House) -> None:
    """Discord knows the commands of an older version, and the store that they are not those of ours."""
    world = house.server.world
    board = next(one for one in world.commands.values() if one.body["name"] == "board")
    world.put(replace(board, id=world.next_id(), body={**board.body, "name": OLDER}))
    house.bot.query("DELETE FROM meta WHERE key = ?", KNOWN_COMMANDS_KEY)


async def start_older(house: House, effect: Effect, times: int | None = 1) -> tuple[Rule, int]:
    """Restarts the bot, whose commands that effect befalls; returns the rule and where the log of the start begins."""
    await house.stop_bot()
    make_older(house)
    seen = len(house.bot.log)
    rule = house.server.faults.add(SYNC, effect, times=times)
    await house.start_bot()
    return rule, seen


@pytest.mark.long
@pytest.mark.parametrize(
    "effect", [refused(Code.MISSING_ACCESS), refused(Code.INVALID_FORM), status(500)], ids=["403", "400", "500"]
)
async def test_with_refused_commands_the_bot_plays_on_and_offers_them_again(room: Room, effect: Effect) -> None:
    house = room.house
    played, ada, _ = await a_game(room)
    rule, seen = await start_older(house, effect, None)
    await played.move("F7-F8")
    assert rule.struck
    assert "commands not synced" in house.bot.log[seen:]
    async with await house.join(ada.name) as again:  # whose page shows the commands as they are now
        reply = await again.command(room.channel, OLDER)
    assert reply.ephemeral, reply
    assert reply.text == text("en", "problem.no-such-button")
    house.server.faults.lift()
    await house.until(lambda: "commands synced" in house.bot.log[seen:], "synced")
    assert OLDER not in {one["name"] for one in await ada.commands()}
    await played.move("F10-F9")


@pytest.mark.parametrize(
    "body", ["", *(pytest.param(body, marks=pytest.mark.long) for body in ("OK", '[{"name": "board"}]', "[null]"))]
)
async def test_an_unusable_answer_to_the_commands_is_survived_and_retried(room: Room, body: str) -> None:
    house = room.house
    played, _, _ = await a_game(room)
    rule, seen = await start_older(house, taken(body))
    await played.move("F7-F8")
    assert rule.struck == 1
    assert house.bot.log[seen:].count("commands not synced") == 1
    await house.until(lambda: "commands synced" in house.bot.log[seen:], "synced")


@pytest.mark.long
async def test_a_pause_before_discord_takes_commands_delays_nothing_else(room: Room) -> None:
    # Cancelled within it, discord.py would hold back every later request.
    house = room.house
    played, _, _ = await a_game(room)
    rule, seen = await start_older(house, limited(2 * DEFAULT_TIMINGS.sync_wait_s, everywhere=True))
    assert rule.struck
    assert "commands not synced yet" in house.bot.log[seen:]
    await house.until(lambda: "commands synced" in house.bot.log[seen:], "synced")
    await played.move("F7-F8")


async def test_command_links_work_even_after_a_start_without_news(room: Room) -> None:
    house = room.house
    (ada,) = await room.enter("Ada")
    for again in (False, True):
        if again:
            await house.stop_bot()
            seen = len(house.bot.log)
            await house.start_bot()
            assert "commands synced" not in house.bot.log[seen:], "the numbers are in the store"
        reply = await ada.command(room.channel, "help")
        assert reply.message
        assert {"play", "move", "learn lessons"} <= {*reply.message.command_links}
        numbers = {one["name"]: one["id"] for one in await ada.commands()}
        assert f"</learn lessons:{numbers['learn']}>" in json.dumps(reply.message.json["components"])
