"""SIGTERM in the middle of a move, a clock that jumps, and a second instance."""

from __future__ import annotations

import asyncio
import re
import signal
import time
from pathlib import Path

import pytest

from bot.core.clock import Pace
from bot.core.fold import replay_states
from sandbox.faults import late, status
from sandbox.people import Person
from tests.e2e.answer_checks import unheard
from tests.e2e.faults.moving import OF_A_MOVE, OUTAGE, PACE, POST, Clock, a_game, goes_on, is_played, marked, moves
from tests.e2e.house import Bot, complaints
from tests.e2e.room import Played, Room
from tests.e2e.stored_games import stories
from tests.examples import ordinarily
from tests.sentences import part

pytestmark = pytest.mark.asyncio(loop_scope="session")

HOUR, DAY = 3600, 24 * 3600


@pytest.mark.parametrize("request_of", ordinarily(OF_A_MOVE, "answer", "post"))
async def test_sigterm_during_a_move_leaves_it_done_or_not_done(room: Room, request_of: str) -> None:
    played, ada, _ = await a_game(room)
    house = room.house
    rule = house.server.faults.add(OF_A_MOVE[request_of], late(0.4))
    asked = asyncio.create_task(played.try_move("F7-F8"))
    await house.until(lambda: rule.struck == 1, "in the middle")
    assert await house.stop_bot() == 0
    reply = await asked
    assert is_played(reply, played)  # it has been given the time
    await house.start_bot()
    await goes_on(played, ada)


@pytest.mark.long
async def test_sigterm_ends_the_bot_in_an_outage_and_tells_moves_later(room: Room) -> None:
    played, ada, _ = await a_game(room)
    house = room.house
    rule = house.server.faults.add(POST, late(30), times=None)
    async with unheard(played.try_move("F7-F8")):
        await house.until(lambda: rule.struck == 1, "in the middle")
        assert await house.stop_bot() == 0
    house.server.faults.lift()
    assert moves(played) == ["F7-F8"]
    await house.start_bot()
    await goes_on(played, ada)


@pytest.mark.parametrize(
    "ahead",
    [
        pytest.param(False, id="moves after the jump back"),
        pytest.param(True, id="moves before it", marks=pytest.mark.long),
    ],
)
async def test_a_clock_jumping_three_days_and_back_costs_nobody_a_game(
    room: Room, clock: Clock, *, ahead: bool
) -> None:
    """The bot cannot tell a clock that jumps from an absence of its own, and no clock runs in those."""
    terms = Pace.FAST.clock_terms
    assert terms is not None
    played, ada, bo = await a_game(room, pace="fast")
    await played.move("F7-F8")
    clock.jump(3 * DAY)
    await asyncio.sleep(0.1)
    await _cannot_claim(played, ada, clock)  # perhaps before the next tick
    await _nothing_more(played, ada, clock)
    if ahead:
        assert part("time.stood") in (await played.move("F10-F9")).text
        await _nothing_more(played, bo, clock)
    clock.jump(0)
    await asyncio.sleep(0.1)
    await _nothing_more(played, bo if ahead else ada, clock)
    if not ahead:
        await played.move("F10-F9")
    await played.move("F8xF10xF12")
    told = stories(room.house)[played.number]
    banks = [match.clock.banks for _, match in replay_states(played.number, told)]
    assert all(0 <= bank <= terms.cap for both in banks for bank in both)
    first, second = banks[-1]
    assert terms.bank + 2 * terms.increment - 60 < first <= terms.bank + 2 * terms.increment
    assert terms.bank + terms.increment - 60 < second <= terms.bank + terms.increment


async def _nothing_more(played: Played, opponent: Person, clock: Clock) -> None:
    """Two ticks long nobody is told anything, nor may the opponent claim."""
    await asyncio.sleep(64 / PACE)
    await marked(played.room)
    await _cannot_claim(played, opponent, clock)
    await played.quiet()


async def _cannot_claim(played: Played, opponent: Person, clock: Clock) -> None:
    asked = await played.press(opponent, "claim")
    assert part("problem.not-overdue", number=played.number) in asked.text, asked
    claimable = re.search(r"You can claim <t:(\d+):R>", asked.text)
    assert claimable, asked
    assert int(claimable[1]) > time.time() + int(clock.file.read_text())


@pytest.mark.long
async def test_after_a_jump_back_the_tick_goes_on_at_its_pace(room: Room, clock: Clock) -> None:
    played, ada, _ = await a_game(room)
    clock.jump(-HOUR)
    await asyncio.sleep(0.1)
    room.house.server.faults.add(POST, status(503), times=None)
    assert (await played.try_move("F7-F8")).text.endswith(OUTAGE)
    room.house.server.faults.lift()
    await goes_on(played, ada)  # nobody but the tick tells the first move


@pytest.mark.long
async def test_a_second_instance_elsewhere_does_not_break_the_first(room: Room, tmp_path: Path) -> None:
    """It has the same token, so both receive every press; the second notices, and says nothing."""
    played, ada, _ = await a_game(room)
    other = Bot(tmp_path, "tests.e2e.hasty_program", ROUNDTABLE_SANDBOX_URL=room.house.url, HASTY_PACE=str(PACE))
    await other.start()
    try:
        async with asyncio.timeout(60):
            while "event=ready" not in other.log:
                assert other.running, other.log
                await asyncio.sleep(0.05)
        replies = [await played.try_move("F7-F8", ada) for _ in range(3)]
        assert all(reply.ephemeral for reply in replies)
    finally:
        assert await other.end(signal.SIGTERM) == 0
    assert complaints(other.log) == []
    if not moves(played):  # the other was quicker each time, and knows no such game
        await played.try_move("F7-F8", ada)
    await goes_on(played, ada)
