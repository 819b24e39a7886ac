"""The number, order and pace of the bot's requests: Discord counts them all."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from bot.core import table
from bot.core.clock import Pace
from bot.core.events import Opening, Seating, Terms
from bot.core.fold import replay_match
from bot.core.match import MessageRef
from bot.features import make_service
from bot.store import Store
from rules import VARIANTS
from sandbox import HARD
from sandbox.faults import limited
from sandbox.things import Channel, Message
from sandbox.world import BOT_ID
from tests.bot.acts import mark_announced
from tests.bot.playing import by, play_typed, unshuffled
from tests.e2e.faults.moving import EDIT, FILL_IN, POST, Only
from tests.e2e.game_checks import moves_of
from tests.e2e.house import House
from tests.e2e.room import Room, wait_for_no_buttons

pytestmark = pytest.mark.asyncio(loop_scope="session")

OF_A_MOVE, OF_A_START = 2, 4
"""Requests that count towards Discord's fifty a second: for a move, its post and the edit of the earlier board; for
a start, the table, the thread, the first board and the edit of the table."""


async def test_a_move_takes_a_post_and_an_edit_and_looks_nobody_up(own_room: Room) -> None:
    ada, bo = await own_room.enter("Ada", "Bo")
    tally, moves = own_room.house.server.tally, moves_of("camelot-capture")[:4]
    tally.clear()
    played = await own_room.start("camelot", ada, bo, thread=True)
    for move in moves:
        await played.move(move)
    await own_room.house.until(lambda: tally.asked[EDIT] == 1 + len(moves), "tidied")
    assert tally.counting == OF_A_START + OF_A_MOVE * len(moves), tally.asked
    assert tally.invalid == 0


async def test_the_player_is_answered_before_the_old_board_is_tidied(own_room: Room) -> None:
    played, ada, _ = await own_room.start_two()
    old, asked = played.last, list[str]()
    await own_room.house.until(lambda: own_room.house.server.tally.asked[EDIT] == 1, "the table tidied")
    own_room.house.meddle = lambda method, template, _: asked.append(f"{method} {template}")
    await played.move("F7-F8")
    await wait_for_no_buttons(ada, old)
    assert [one.split("/")[1] for one in asked] == ["interactions", "channels", "webhooks", "channels"], asked
    assert asked[-1] == EDIT


@pytest.mark.long
async def test_on_a_hard_discord_moves_take_few_and_valid_requests(own_room: Room) -> None:
    ada, bo = await own_room.enter("Ada", "Bo")
    house, tally, moves = own_room.house, own_room.house.server.tally, moves_of("camelot-castle")
    house.server.faults.hardness = replace(HARD, answer_within=house.answer_within)
    tally.clear()
    played = await own_room.start("camelot", ada, bo)
    for move in moves:
        await played.move(move)
    await played.quiet()
    assert tally.invalid <= tally.failed, "but for discord.py's retries beyond a limit"
    assert tally.counting <= 1.1 * OF_A_MOVE * len(moves) + OF_A_START, tally.asked


@pytest.mark.long
async def test_old_boards_are_tidied_no_faster_than_discord_edits_them(own_room: Room) -> None:
    house = own_room.house
    ada, bo = await own_room.enter("Ada", "Bo")
    clock, house.server.world.clock = house.server.world.clock, lambda: time.time() - 7200
    games = [await own_room.start("camelot", ada, bo) for _ in range(5)]
    house.server.world.clock = clock
    house.server.faults.hardness = replace(house.server.faults.hardness, limits=True)
    house.server.tally.clear()
    await asyncio.gather(*(played.try_move("F7-F8", game=str(played.number)) for played in games))
    await asyncio.gather(*(wait_for_no_buttons(ada, played.last) for played in games))
    assert house.server.tally.invalid == 0


DUE, LIMITED = 500, 20
"""Games that are due at once, and how many of them are in one channel in which nothing can be posted for a minute."""
BUNCHED = DUE // 10
"""Requests that may nevertheless come too fast, if a busy machine receives late and at once what was sent in time."""
WITHIN = 60
"""Seconds within which all others must be notified. Discord's fifty a second would allow ten, but the machine may be
busy."""


@pytest.mark.long
@pytest.mark.timeout(600)
async def test_after_an_outage_all_games_outside_limited_channels_are_told_at_once(tmp_path: Path) -> None:
    house = House(tmp_path)
    house.hardness = replace(house.hardness, limits=True, jitter=(0.05, 0.3))
    await house.open(start=False)
    try:
        slow = await _games_due(house)
        house.server.faults.add(POST, Only(limited(60), str(slow)), times=1_000)
        await house.start_bot()
        begun = time.monotonic()
        untold = "SELECT count(*) FROM matches WHERE newsworthy > announced AND channel != ?"
        slowest = 0.0
        async with await house.join("Ada") as ada:
            while house.bot.query(untold, slow) != [(0,)]:
                asked = time.monotonic()
                assert time.monotonic() - begun < WITHIN, house.bot.query(untold, slow)
                assert not (await ada.command(str(slow), "help")).failed
                slowest = max(slowest, time.monotonic() - asked)
        took, tally = time.monotonic() - begun, house.server.tally
        print(
            f"{DUE - LIMITED} games told in {took:.1f} s, the slowest answer in {slowest:.1f} s", dict(tally.answered)
        )
        assert house.bot.query("SELECT count(*) FROM matches WHERE newsworthy > announced") == [(LIMITED,)]
        assert tally.places[str(slow)] == 1
        assert tally.invalid <= 1 + BUNCHED
        assert tally.asked[FILL_IN] == 0
    finally:
        await house.close()
        print(house.bot.log)


async def _games_due(house: House) -> int:
    """Adds games of the world's people with an unannounced move, most in a channel of their own. Returns the channel
    that the others share.
    """
    world, numbers = house.server.world, count(1)
    guild = next(one for one in world.guilds.values() if one.name == "Round Table")
    players = [user for user in guild.members if user != BOT_ID][:2]
    at = int(time.time()) - 7200

    def channel() -> int:
        made = Channel(world.next_id(), guild.id, f"due-{next(numbers)}")
        world.put(made)
        return made.id

    slow = channel()
    async with Store.open(house.bot.database) as store:
        service = make_service(store, unshuffled)
        for number in range(DUE):
            where = slow if number < LIMITED else channel()
            opening = Opening(guild.id, where, Terms(VARIANTS["camelot"], Seating.JOIN_ORDER, False, Pace.STANDARD))
            events = list(table.open_table(opening, players[0], at))
            events += table.join_table(replay_match(1, events), by(players[1], at))
            async with store.write_transaction() as tx:
                match_id = await tx.add_match(replay_match(0, events), events)
            board = Message(world.next_id(), where, BOT_ID, world.clock(), "the board before")
            world.put(board)
            await mark_announced(service, match_id, len(events), MessageRef(where, board.id))
            await service.change_match(match_id, guild.id, lambda match, _: play_typed(match, players[0], "F7-F8", at))
    world.commit()
    return slow
