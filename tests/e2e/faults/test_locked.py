"""Another program locks the database while people play: they are informed in time, and nothing is half done."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

import pytest
import pytest_asyncio

from bot.core.clock import HOUR
from bot.texts.i18n import text
from sandbox.people import Reply
from tests.e2e.board_play import commit, open_panel, pick, value_of
from tests.e2e.database import Other
from tests.e2e.database_contents import differences, settled, stock
from tests.e2e.faults.moving import POST, Clock, a_game, goes_on, is_played, marked, moves
from tests.e2e.house import House, complaints
from tests.e2e.room import Room, accepted
from tests.sentences import label, part

pytestmark = pytest.mark.asyncio(loop_scope="session")

SENTENCE = text("en", "storage.failing", code="`").split("`")[0]
LOCKED = re.compile("database is locked|due to lock timeout")
"""How either engine says so."""
PATIENCE = 6.0
"""Seconds, twice what the promised answer takes on an idle machine. Discord's three for the first one hold always."""

Act = Callable[[], Awaitable[Reply]]


@pytest_asyncio.fixture(loop_scope="session")
async def house(_house_of_faults: House) -> AsyncIterator[House]:
    """The house. Afterwards the log has told of the lock, a line at a time, and of nothing else."""
    seen = len(_house_of_faults.bot.log)
    yield _house_of_faults
    _house_of_faults.meddle = None
    logged = _house_of_faults.bot.log[seen:]
    print(logged)  # pytest shows it where the test has failed
    assert _house_of_faults.strange == []
    assert "Traceback" not in logged
    assert LOCKED.search(logged)
    assert [line for line in complaints(logged) if not LOCKED.search(line)] == []


@pytest.fixture
def other(house: House) -> Iterator[Other]:
    """It lets go of the database after the test."""
    other = Other(house.bot.database)
    yield other
    other.release()


async def _timed(act: Act) -> tuple[Reply, float]:
    loop = asyncio.get_running_loop()
    begun = loop.time()
    return await act(), loop.time() - begun


async def _acts(room: Room) -> dict[str, tuple[Act, Callable[[Reply], bool]]]:
    """Things that people are about to do, each in a place of its own, and how to see that it is done."""
    ada, bo, cy, dee, eve, fay = await room.enter("Ada", "Bo", "Cy", "Dee", "Eve", "Fay")
    east, west = await room.add_channel("east"), await room.add_channel("west")
    typed = await room.start("camelot", ada, bo)
    composed = await room.start("camelot", cy, bo, channel=east)
    board = composed.game.variant.board
    panel = await pick(cy, await open_panel(composed), "piece", value_of(board.find_cell("F7")))
    panel = await pick(cy, panel, "leg", value_of(board.find_cell("F8")))
    given_up = await room.start("camelot", dee, bo, channel=west)
    asked = await dee.command(west, "game resign", game=str(given_up.number))
    table = await room.set_table("camelot", eve)
    unnoted = "SELECT count(*) FROM matches WHERE table_message IS NULL AND id BETWEEN ? AND ?"
    first, last = typed.number, table.number
    await room.house.until(lambda: room.house.bot.query(unnoted, first, last) == [(0,)], "tables noted")
    mine = await fay.click(await fay.command(room.channel, "me settings"), "rt-mine:group:moves")
    return {
        "/move": (lambda: typed.try_move("F7-F8"), lambda reply: is_played(reply, typed)),
        "composer": (lambda: commit(cy, panel), lambda reply: is_played(reply, composed)),
        "give up": (lambda: dee.click(asked, label("resign")), lambda reply: part("resign.done") in reply.text),
        "join": (lambda: table.press(fay, "Join"), accepted),
        "/play": (
            lambda: bo.command(room.channel, "play", variant="camelot"),
            lambda reply: part("table.offered") in reply.text,
        ),
        "/game follow": (
            lambda: eve.command(room.channel, "game follow", game=str(typed.number)),
            lambda reply: f"#{typed.number}" in reply.text,
        ),
        "/me settings": (
            lambda: fay.choose(mine, "rt-mine:value:board", ["dark"]),
            lambda reply: text("en", "setting.board.dark") in reply.text,
        ),
    }


@pytest.mark.long
async def test_while_the_database_is_locked_actors_are_told_and_nothing_changes(room: Room, other: Other) -> None:
    acts = await _acts(room)
    before = await settled(room.house)
    with other.locked():
        # One alone, then all at once: a caller that comes while another waits also waits for that one.
        heard = {"alone": await _timed(acts["composer"][0])}
        together = await asyncio.gather(*(_timed(act) for act, _ in acts.values()))
        heard |= dict(zip(acts, together, strict=True))
        after = stock(room.house)
    for name, (reply, seconds) in heard.items():
        assert not reply.failed, name
        assert reply.ephemeral, (name, reply.text)
        assert reply.text.startswith(SENTENCE), (name, reply.text)
        assert seconds < PATIENCE, name
    assert differences(before, after) == []
    for name, (act, done) in acts.items():
        assert done(reply := await act()), (name, reply)
    assert len(differences(before, await settled(room.house))) > len(acts)


async def test_deadlines_are_postponed_by_the_time_the_database_was_locked(
    room: Room, other: Other, clock: Clock
) -> None:
    played, ada, _ = await a_game(room, pace="fast")
    seen = len(room.house.bot.log)
    with other.locked():
        clock.jump(12 * HOUR)
        await room.house.until(lambda: LOCKED.search(room.house.bot.log, seen) is not None, "ticked")
        await asyncio.sleep(0.5)  # some more ticks, which say nothing new
        await played.quiet()
    long = "SELECT count(*) FROM absences WHERE until - since > ?"  # other tests have brought short ones about
    await room.house.until(lambda: room.house.bot.query(long, 11 * HOUR) == [(1,)], "noted")
    await played.quiet()
    clock.goes_on(24 * HOUR + 60)
    await played.calls(ada)
    await marked(room)
    await played.move("F7-F8")


@pytest.mark.long
async def test_a_posted_move_that_cannot_be_marked_is_told_once(room: Room, other: Other) -> None:
    played, ada, _ = await a_game(room)
    posted: list[str] = []

    def lock(method: str, template: str, payload: object) -> None:
        if f"{method} {template}" == POST:
            if not posted:
                other.lock()
            posted.append(template)

    room.house.meddle = lock
    try:
        reply = await played.try_move("F7-F8")
        await room.house.until(lambda: len(posted) > 2, "posted again")
    finally:
        room.house.meddle = None
        other.release()
    assert not reply.failed
    assert moves(played) == ["F7-F8"]
    await marked(room)
    await goes_on(played, ada)
