"""What Discord refuses (403) or no longer knows (404): each kind of target has a clear and lasting answer."""

from __future__ import annotations

import asyncio

import pytest

from sandbox.errors import Code
from sandbox.faults import refused, status
from tests.e2e.answer_checks import unheard
from tests.e2e.faults.moving import ANSWER, EDIT, FILL_IN, PACE, POST, Only, a_game, goes_on, is_played, marked, moves
from tests.e2e.room import Room, ends, public, resign, set_server
from tests.sentences import part

pytestmark = pytest.mark.asyncio(loop_scope="session")


def refused_by(first: Code, *others: Code) -> pytest.MarkDecorator:
    """One code in each run, the others in a hunt."""
    long = [pytest.param(code, id=code.name, marks=pytest.mark.long) for code in others]
    return pytest.mark.parametrize("code", [pytest.param(first, id=first.name), *long])


CREATE_THREAD = "POST /channels/{channel_id}/messages/{message_id}/threads"


async def test_a_channel_that_refuses_posts_keeps_the_move_and_is_not_hammered(room: Room) -> None:
    played, ada, bo = await a_game(room)
    rule = room.house.server.faults.add(POST, refused(Code.MISSING_ACCESS), times=None)
    reply = await played.try_move("F7-F8")
    assert reply.text.startswith(part("move.unposted", move="F7-F8", id=played.number))
    assert part("permission.refused") in reply.text, reply.text
    await asyncio.sleep(100 / PACE)  # three ticks
    assert rule.struck <= 3
    room.house.server.faults.lift()
    reply = await bo.command(room.channel, "move", move="F10-F9", game=str(played.number))
    assert "You played" in reply.text
    assert ["F7-F8" in said.text for said in await played.since(ada)] == [True, False]
    await marked(room)


@pytest.mark.parametrize("asked", [POST, CREATE_THREAD])
async def test_one_wrong_404_takes_no_game_out_of_its_thread(room: Room, asked: str) -> None:
    rule = room.house.server.faults.add(asked, refused(Code.UNKNOWN_CHANNEL))
    played, ada, _ = await room.start_two(thread=True)
    assert rule.struck == 1
    assert is_played(await played.try_move("F7-F8"), played)
    await goes_on(played, ada)
    room.house.server.faults.add(POST, refused(Code.UNKNOWN_CHANNEL))
    await resign(ada, played.channel)
    (over,) = await played.hears()
    assert ends()(over)
    assert part("place.thread-gone") not in " ".join(said.text for said in await public(ada, room.channel))


@refused_by(Code.THREAD_LOCKED, Code.MISSING_ACCESS)
async def test_a_thread_that_takes_no_posts_is_left_for_its_channel(room: Room, code: Code) -> None:
    played, _, bo = await room.start_two(thread=True)
    await marked(room)
    room.house.server.faults.add(POST, refused(code))
    reply = await played.try_move("F7-F8")
    assert f"<#{played.channel}>" not in reply.text
    said = await bo.wait_for(room.channel, lambda said: "`F7-F8`" in said.text)
    assert said.pings_me


@refused_by(Code.MISSING_PERMISSIONS, Code.MISSING_ACCESS)
async def test_where_no_thread_can_be_made_the_game_begins_in_the_channel(room: Room, code: Code) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    table = await room.set_table("camelot", ada, thread=True)
    rule = room.house.server.faults.add(CREATE_THREAD, refused(code))
    await table.join(bo)
    played = await table.begun()
    assert rule.struck == 1
    await played.move("F7-F8")


@refused_by(Code.UNKNOWN_MESSAGE, Code.MISSING_ACCESS, Code.THREAD_ARCHIVED)
async def test_a_message_that_cannot_be_edited_keeps_its_buttons_without_harm(room: Room, code: Code) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    table = await room.set_table("camelot", ada)
    refusal = Only(refused(code), room.channel)
    room.house.server.faults.add(EDIT, refusal, times=None)
    await table.join(bo)
    played = await table.begun()
    old = played.last
    assert is_played(await played.try_move("F7-F8"), played)
    await goes_on(played, ada)
    await room.house.until(lambda: refusal.struck[room.channel] >= 2, "table and board edited")
    late = await bo.click(table.message, "Join")
    assert late.ephemeral, late
    assert part("composer.choose-piece") in (await ada.click(old, "Move")).text


async def test_an_audit_channel_that_takes_no_entry_keeps_no_ruling_back(room: Room) -> None:
    played, _, _ = await a_game(room)
    audit = await room.add_channel("audit")
    async with await room.house.join("Ada") as judge:
        await set_server(judge, room.channel, audit=[audit])
        refusal = Only(refused(Code.MISSING_ACCESS), audit)
        room.house.server.faults.add(POST, refusal, times=None)
        ruling = {"game": str(played.number), "player": played.players[0], "reason": "because"}
        done = await judge.command(room.channel, "referee clock", hours=5, **ruling)
        assert part("referee.done", id=played.number) in done.text
        await marked(room)
        (told,) = await played.hears()
        assert "5 hours" in told.text
        await asyncio.sleep(100 / PACE)  # three ticks
        assert refusal.struck == {audit: 1}, "what Discord refuses is given up"
        room.house.server.faults.lift()
        await judge.command(room.channel, "referee clock", hours=6, **ruling)
        await judge.wait_for(audit, lambda said: "6 hours" in said.text)
        (_,) = await public(judge, audit)
        await set_server(judge, room.channel, audit=[])
    await played.hears()
    await played.move("F7-F8")


async def test_a_board_omits_the_name_of_a_member_discord_does_not_know(room: Room) -> None:
    played, ada, _ = await a_game(room)
    faults, house = room.house.server.faults, room.house
    faults.add(POST, status(503), times=None)
    await played.try_move("F7-F8")
    await house.stop_bot()
    faults.lift()
    faults.members_lost, asked = True, len(house.server.gateway.members_asked)
    await house.start_bot()  # it has heard nobody's name yet
    await goes_on(played, ada)
    assert [said for said in await public(ada, room.channel) if "⚪ **White** moves `F7-F8`" in said.text]
    assert len(house.server.gateway.members_asked) > asked
    faults.lift()


@refused_by(Code.UNKNOWN_INTERACTION, Code.ALREADY_ANSWERED)
async def test_an_interaction_that_discord_has_given_up_plays_no_move(room: Room, code: Code) -> None:
    played, _, _ = await a_game(room)
    rule = room.house.server.faults.add(ANSWER, refused(code), times=2)
    async with unheard(played.try_move("F7-F8")):
        await room.house.until(lambda: rule.struck > 0, "refused")
        await asyncio.sleep(0.5)
    assert moves(played) == []
    room.house.server.faults.lift()
    await played.move("F7-F8")


@refused_by(Code.DEAD_TOKEN, Code.UNKNOWN_MESSAGE, Code.UNKNOWN_WEBHOOK)
async def test_an_answer_that_can_no_longer_be_filled_in_loses_no_move(room: Room, code: Code) -> None:
    played, ada, _ = await a_game(room)
    room.house.server.faults.add(FILL_IN, refused(code), times=None)
    async with unheard(played.try_move("F7-F8", ada)):
        played.game = played.game.play("F7-F8")
        await played.told(ada)
        await asyncio.sleep(0.2)
    room.house.server.faults.lift()
    await played.move("F10-F9")


async def test_who_joins_at_a_table_that_has_been_deleted_hears_of_it(room: Room) -> None:
    ada, bo, _ = await room.enter("Ada", "Bo", "Cy")
    table = await room.set_table("tri-camelot", ada)
    rule = room.house.server.faults.add(FILL_IN, refused(Code.UNKNOWN_MESSAGE))
    seen = len(room.house.bot.log)
    await bo.click(table.message, "Join")
    heard = await bo.wait_for(room.channel, lambda said: int(said.id) > int(table.message.id))
    assert rule.struck == 1
    assert f"#{table.number}" in heard.text
    assert not heard.buttons, "they are for everybody, and this is for one"
    assert "unexpected" not in room.house.bot.log[seen:]
    assert "not answered" not in room.house.bot.log[seen:]
    sat = "SELECT count(*) FROM players WHERE match = ?"
    assert room.house.bot.query(sat, table.number) == [(2,)]
