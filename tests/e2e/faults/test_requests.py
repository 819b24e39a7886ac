"""Requests that fail on Discord's side or on the way: once, for minutes, or with the work done and the answer lost."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest
from _pytest.mark import ParameterSet

from bot.texts.i18n import text
from sandbox.faults import Effect, banned, cut, late, limited, status, taken
from sandbox.limits.interactions import ANSWER_WITHIN
from tests.e2e.answer_checks import unheard
from tests.e2e.faults.moving import ANSWER, OF_A_MOVE, OUTAGE, PACE, POST, a_game, goes_on, is_played, marked, moves
from tests.e2e.room import Room, ends, public
from tests.sentences import label

pytestmark = pytest.mark.asyncio(loop_scope="session")


EFFECTS = {
    "500": status(500),
    "502": status(502),
    "503": status(503),
    "cut when done": cut(done=True),
    "cut before": cut(done=False),
    "429": limited(0.3),
}


def single_faults() -> Iterator[ParameterSet]:
    """Each effect on each request: in each run each effect once, and each request."""
    for (at, request_of), (number, name) in product(enumerate(OF_A_MOVE), enumerate(EFFECTS)):
        marks = () if number % len(OF_A_MOVE) == at else pytest.mark.long
        yield pytest.param(request_of, EFFECTS[name], id=f"{name}-{request_of}", marks=marks)


@pytest.mark.parametrize(("request_of", "effect"), [*single_faults()])
async def test_a_single_fault_in_a_move_goes_unnoticed(room: Room, request_of: str, effect: Effect) -> None:
    played, ada, _ = await a_game(room)
    rule = room.house.server.faults.add(OF_A_MOVE[request_of], effect)
    reply = await played.try_move("F7-F8")
    assert is_played(reply, played), reply
    await room.house.until(lambda: rule.struck == 1, "struck")
    await goes_on(played, ada)


@pytest.mark.parametrize(
    ("body", "number"), [("", 204), *(pytest.param(*one, marks=pytest.mark.long) for one in (("", 200), ("OK", 200)))]
)
async def test_an_answer_that_is_taken_without_a_word_about_it_stands(room: Room, body: str, number: int) -> None:
    played, ada, _ = await a_game(room)
    rule = room.house.server.faults.add(ANSWER, taken(body, number))
    reply = await played.try_move("F7-F8")
    assert is_played(reply, played), reply
    assert rule.struck == 1
    await goes_on(played, ada)


@pytest.mark.long
@pytest.mark.parametrize("number", [500, 503])
async def test_moves_in_a_long_outage_are_kept_and_told_in_order(room: Room, number: int) -> None:
    played, ada, bo = await a_game(room)
    rule = room.house.server.faults.add(POST, status(number), times=None)
    for person, move in ((ada, "F7-F8"), (bo, "F10-F9")):
        reply = await played.try_move(move, person)
        assert reply.text == text("en", "move.unposted", move=move, id=played.number, why=OUTAGE)
    assert moves(played) == ["F7-F8", "F10-F9"]
    await asyncio.sleep(60 / PACE)
    assert rule.struck > 10, "both moves were tried, and the first again at both ticks: three times each"
    await played.quiet()
    room.house.server.faults.lift()
    await marked(room)
    told = await played.since(ada)
    assert ["`F7-F8`" in said.text for said in told] == [True, False]
    assert "`F10-F9`" in told[1].text
    assert [said.pings_me for said in told] == [False, True]
    assert not any(said.pings_me for said in await played.since(bo))


async def test_while_nothing_gets_through_nothing_happens_and_afterwards_everything_works(room: Room) -> None:
    played, ada, _ = await a_game(room)
    stored = room.house.bot.events()
    room.house.server.faults.add("* *", status(503), times=None)
    replies = await asyncio.gather(
        played.try_move("F7-F8"), ada.command(room.channel, "board"), ada.click(played.last, "More")
    )
    assert all(reply.failed for reply in replies)
    assert room.house.bot.events() == stored
    room.house.server.faults.lift()
    await played.move("F7-F8")


async def test_an_answer_that_comes_too_late_plays_no_move(room: Room) -> None:
    played, _, _ = await a_game(room)
    faults = room.house.server.faults
    calm, faults.hardness = faults.hardness, replace(faults.hardness, answer_within=ANSWER_WITHIN)
    faults.add(ANSWER, late(ANSWER_WITHIN + 0.2))
    assert (await played.try_move("F7-F8")).failed
    await asyncio.sleep(0.5)
    faults.hardness = calm
    assert moves(played) == []
    await played.quiet()
    await played.move("F7-F8")


async def test_a_table_posted_as_the_connection_broke_stands_and_is_joinable(room: Room) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    room.house.server.faults.add(ANSWER, cut(done=True))
    table = await room.set_table("camelot", ada, thread=True)
    await table.join(bo)
    thread = await ada.find(f"#{table.number}")
    await table.begun(thread)
    await table.shows(text("en", "table.thread", thread=f"<#{thread}>"))


@pytest.mark.parametrize("done", [True, False], ids=["done", "not done"])
async def test_a_press_is_obeyed_where_the_connection_breaks_below_its_answer(room: Room, done: bool) -> None:
    played, ada, _ = await a_game(room)
    faults = room.house.server.faults
    faults.add(ANSWER, cut(done=done))
    shown = await ada.click(played.last, "More")
    assert label("resign-ask") in shown.buttons
    asked = await ada.command(room.channel, "game resign")
    faults.add(ANSWER, cut(done=done))
    gone = await ada.click(asked, label("resign"))
    assert gone.answer == "update", gone
    over = await ada.wait_for(room.channel, ends())
    assert len([said for said in await public(ada, room.channel) if said.text == over.text]) == 1


@pytest.mark.long
async def test_a_429_without_a_pause_is_an_outage_and_not_hammered(room: Room) -> None:
    played, ada, _ = await a_game(room)
    rule = room.house.server.faults.add(POST, banned(), times=None)
    reply = await played.try_move("F7-F8")
    assert reply.text.endswith(OUTAGE)
    assert rule.struck == 1
    await asyncio.sleep(60 / PACE)
    assert rule.struck <= 4  # once a tick, and not at once again
    room.house.server.faults.lift()
    await goes_on(played, ada)


@pytest.mark.long
@pytest.mark.parametrize("request_of", ["answer", "confirm", "tidy"])
async def test_a_429_that_is_none_of_discords_does_no_harm_elsewhere(room: Room, request_of: str) -> None:
    played, ada, _ = await a_game(room)
    rule = room.house.server.faults.add(OF_A_MOVE[request_of], banned())
    if request_of == "tidy":
        assert is_played(await played.try_move("F7-F8"), played)
    else:
        async with unheard(played.try_move("F7-F8")):
            await room.house.until(lambda: rule.struck > 0, "refused")
            await asyncio.sleep(0.5)
    if request_of == "answer":
        assert moves(played) == []
        await played.move("F7-F8")
    else:
        await goes_on(played, ada)
