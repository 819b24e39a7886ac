"""Games in private threads: hidden like the threads from everybody but the players; no ladder game starts there."""

from __future__ import annotations

import re
from itertools import islice

import pytest

from bot.texts.i18n import text
from sandbox.people import Person, Said
from tests.e2e.game_checks import moves_of
from tests.e2e.places import change, private_thread
from tests.e2e.room import Played, Room, ends, public, resign, set_server
from tests.sentences import label, part

pytestmark = pytest.mark.asyncio(loop_scope="session")

UNSEEN = text("en", "problem.no-such-game")


async def hidden(room: Room, played: Played, stranger: Person, player: Person, *opened: tuple[Said, str]) -> None:
    """Nothing that strangers can ask reveals the game, nor does a message that they have opened before."""
    number = str(played.number)
    for command in ("board", "game history", "game why", "game replay", "game follow"):
        options = {"move": "F7-F8"} if command == "game why" else {}
        refused = await stranger.command(room.channel, command, game=number, **options)
        assert refused.ephemeral
        assert refused.text == UNSEEN, command
    assert text("en", "problem.no-games") in (await stranger.command(room.channel, "board")).text
    assert f"#{number}" not in (await stranger.command(room.channel, "games", player=player)).text
    offered = await stranger.autocomplete(room.channel, "game follow", {"game": number}, "game")
    assert not any(f"#{number} " in one for one in offered)
    for said, button in opened:
        refused = await stranger.click(said, button)
        assert refused.ephemeral
        assert refused.text == UNSEEN, button


@pytest.mark.parametrize("moved", [False, True], ids=["begun-there", "taken-there"])
async def test_a_private_threads_game_is_there_for_players_and_thread_members(room: Room, moved: bool) -> None:
    ada, bo, cy, dee = await room.enter("Ada", "Bo", "Cy", "Dee")
    thread = await private_thread(room, ada, bo, dee)
    played = await room.start("camelot", ada, bo, channel=None if moved else thread)
    moves, opened = iter(moves_of("camelot-capture")), list[tuple[Said, str]]()
    if moved:
        await played.move(next(moves))
        board = await cy.command(room.channel, "board")
        assert "game #" in board.text
        record = await cy.command(room.channel, "game history", game=str(played.number))
        boards = await cy.click(record, text("en", "past.boards"))
        opened = [(board, "Explore"), (boards, "Replay")]
        said = await ada.command(thread, "game move-here", game=str(played.number))
        assert said.text == text("en", "place.moved", id=played.number)
        rehomed = part("place.rehomed", id=played.number)
        played.channel, played.last = thread, await ada.wait_for(thread, lambda said: rehomed in said.text)
    await hidden(room, played, cy, ada)
    assert f"#{played.number}" in (await dee.command(thread, "board")).text  # a member of the thread may watch
    assert f"#{played.number}" in (await bo.command(room.channel, "board", game=str(played.number))).text
    assert f"#{played.number}" in (await ada.command(room.channel, "games", player=bo)).text
    for move in islice(moves, 2):
        mover = played.mover
        assert "You played" in (await mover.command(thread, "move", move=move)).text
        played.game = played.game.play(move)
        assert label("follow") not in (await played.told(mover)).buttons
    await hidden(room, played, cy, ada, *opened)
    await change(ada, thread, archived=True)  # and the bot no longer knows the thread
    await hidden(room, played, cy, ada, *opened)
    await resign(ada, room.channel, played.number)
    await bo.wait_for(thread, ends())
    await hidden(room, played, cy, ada)
    listed = await cy.command(room.channel, "game history", player=ada)
    assert f"#{played.number}" not in listed.text
    assert part("past.private", count=1) in listed.text


async def test_a_follower_hears_no_more_of_a_game_entering_a_private_thread(room: Room) -> None:
    ada, bo, cy = await room.enter("Ada", "Bo", "Cy")
    thread = await private_thread(room, ada, bo)
    played = await room.start("camelot", ada, bo)
    followed = await cy.command(room.channel, "game follow", game=str(played.number))
    await cy.click(followed, label("follow-every"))
    await ada.command(thread, "game move-here", game=str(played.number))
    await change(ada, thread, archived=True)
    await ada.command(room.channel, "move", move="F7-F8", game=str(played.number))
    said = await bo.wait_for(thread, lambda said: "F7-F8" in said.text and not said.ephemeral)
    assert label("follow") not in said.buttons
    assert not [one.text for one in await public(bo, thread) if f"<@{cy.id}>" in one.text]


async def test_a_private_thread_of_an_allowed_channel_is_allowed_and_no_other(room: Room) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    thread = await private_thread(room, ada, bo)
    played = await room.start("camelot", ada, bo)
    async with await room.house.join("Ada") as judge:
        elsewhere = await room.add_channel("elsewhere")
        try:
            await set_server(judge, room.channel, channels=[elsewhere])
            refused = await ada.command(thread, "game move-here", game=str(played.number))
            assert refused.text == text("en", "problem.channel-not-allowed", channels=f"<#{elsewhere}>")
            await set_server(judge, room.channel, channels=[elsewhere, room.channel])
            said = await ada.command(thread, "game move-here", game=str(played.number))
            assert said.text == text("en", "place.moved", id=played.number)
        finally:
            await set_server(judge, room.channel, channels=[])


async def test_a_ladders_game_stays_out_of_private_threads(room: Room) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    thread = await private_thread(room, ada, bo)
    for person in (ada, bo):
        await person.command(room.channel, "ladder join", variant="camelot")
    for person in (ada, bo):
        said = await person.command(room.channel, "ladder queue", variant="camelot")
    number = re.search(r"#(\d+)", said.text)
    assert number, said.text
    refused = await ada.command(thread, "game move-here", game=number[1])
    assert refused.text == text("en", "ladder.private", channel=f"<#{thread}>")
    events = room.house.bot.query("SELECT kind FROM events WHERE match = ?", int(number[1]))
    assert ("rehomed",) not in events
