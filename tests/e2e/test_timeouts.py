"""The bot in a moderators' timeout: it says so, asks nothing of Discord, and games continue at its end."""

from __future__ import annotations

import asyncio
import random
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from bot.core.events import EventKind
from bot.texts.i18n import text
from bot.texts.markup import absolute_time
from sandbox.people import Person
from sandbox.world import BOT_ID
from tests.e2e.house import House
from tests.e2e.players import Circle, Company
from tests.e2e.room import Room, resign
from tests.e2e.stored_games import kinds
from tests.examples import AtMost, drawn_seed
from tests.sentences import label

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def time_out(room: Room, moderator: Person, seconds: int) -> str:
    """Puts the bot into timeout for that time. Returns what the bot says about it."""
    await moderator.call("PUT", f"/app/guilds/{room.guild}/members/{BOT_ID}", {"timeout": seconds})
    until = room.house.server.world.guild(room.guild).timeouts.get(str(BOT_ID), 0)
    return text("en", "permission.timed-out", until=absolute_time(int(until) + 1))


async def test_a_timeout_is_told_with_its_end_and_games_go_on_then(tmp_path: Path) -> None:
    async with House(tmp_path, "tests.e2e.hasty_program").faultless() as house, Room.opened(house) as room:
        ada, bo = await room.enter("Ada", "Bo")
        played = await room.start("camelot", ada, bo, pace="standard")
        why = await time_out(room, ada, 3600)
        moved = await ada.command(room.channel, "move", move="F7-F8")
        assert why in moved.text
        await house.until(lambda: EventKind.HOMELESS in kinds(house, played.number), "homeless")
        assert (await ada.command(room.channel, "play", variant="camelot")).text == why
        assert house.server.requests.invalid == 0
        assert EventKind.THREADED not in kinds(house, played.number)
        await time_out(room, ada, 2)  # it ends by itself
        played.game = played.game.play("F7-F8")
        await played.told(ada)
        await house.until(lambda: EventKind.THREADED in kinds(house, played.number), "at home again")


async def test_a_timeout_that_is_lifted_early_lets_games_go_on(tmp_path: Path) -> None:
    async with House(tmp_path, "tests.e2e.hasty_program").faultless() as house, Room.opened(house) as room:
        played, ada, _ = await room.start_two(pace="standard")
        await time_out(room, ada, 3600)
        await played.try_move("F7-F8")
        await house.until(lambda: kinds(house, played.number)[-1] is EventKind.HOMELESS, "homeless")
        await time_out(room, ada, 0)
        await house.until(lambda: kinds(house, played.number)[-1] is EventKind.THREADED, "at home again")


@pytest.mark.long
async def test_an_annotated_game_is_posted_after_a_timeout(tmp_path: Path) -> None:
    async with House(tmp_path, "tests.e2e.hasty_program").faultless() as house, Room.opened(house) as room:
        played, ada, bo = await room.start_two(pace="standard")
        panel = await ada.click(played.last, label("compose"))
        await ada.submit(await ada.click(panel, label("thoughts-say")), {"words": "It goes to the middle."})
        await played.move("F7-F8")
        await resign(bo, room.channel, played.number)
        await ada.wait_for(room.channel, lambda said: label("rematch") in said.buttons)
        await time_out(room, ada, 6)
        panel = await ada.command(room.channel, "game thoughts", game=str(played.number))
        await ada.click(panel, label("thoughts-share"))
        await ada.wait_for(room.channel, lambda said: label("annotated-words") in said.buttons)
        assert house.server.requests.invalid == 0, "nothing is asked of Discord in the meantime"


ASKED_TO_WAIT = ("put me in timeout", "doing that too often", "Discord does not let me post")


class Patient(Circle):
    """A circle that tries again while the bot answers that it is in timeout, or that they try too often."""

    async def act(self) -> None:
        """See `Circle.act`."""
        try:
            await super().act()
        except AssertionError as error:
            if not any(sign in str(error) for sign in ASKED_TO_WAIT):
                raise
            self.pressed["refused"] += 1
            await asyncio.sleep(0.2)


@pytest.mark.long
@pytest.mark.timeout(3600)
async def test_no_timeout_loses_or_doubles_anything(tmp_path: Path, at_most: AtMost) -> None:
    seed = drawn_seed()
    chance, fate, timeouts = random.Random(seed), random.Random(seed + 1), at_most(60, 8)
    async with House(tmp_path, "tests.e2e.hasty_program").faultless() as house, AsyncExitStack() as stack:
        await stack.enter_async_context(await house.join("Ada"))
        circles: list[Circle] = []
        for name, variant, in_thread in (
            ("one", "camelot", False),
            ("two", "tri-camelot", True),
            ("three", "cam", True),
        ):
            room = await Room.found(house, name, stack)
            circles.append(await Patient.gather(room, variant, chance, in_thread=in_thread, pace="fast"))
        company, end, moderator = Company(house, circles), asyncio.Event(), circles[0].people[0]
        playing = asyncio.create_task(company.play(end))
        try:
            for _ in range(timeouts):
                await asyncio.wait({playing}, timeout=fate.uniform(0, 4))
                await time_out(circles[0].room, moderator, fate.choice((0, 1, 2, 4)))
                if playing.done():
                    break
        finally:
            end.set()
            await playing
        await company.settle()
        company.check_promises()
        lost = "SELECT id FROM matches WHERE phase = 'live' AND place_is_lost = 1"
        await house.until(lambda: not house.bot.query(lost), "at home again")
        print(company.pressed, house.server.requests.answered)
        assert house.server.requests.invalid <= 4 * timeouts, "no more is refused than what was on its way"
