"""Where a game is played: threads, channels with many games, and places where the bot may not write."""

from __future__ import annotations

import pytest

from bot.core.events import EventKind
from bot.texts.i18n import text
from tests.e2e.game_checks import moves_of
from tests.e2e.places import ATTACH_FILES, CREATE_PUBLIC_THREADS, forbid
from tests.e2e.room import Room, public, resign
from tests.e2e.stored_games import kinds
from tests.sentences import confirmed, part

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_game_stays_in_its_thread_which_is_archived_afterwards(room: Room) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    table = await room.set_table("cam-3d", ada, thread=True)
    await table.join(bo)
    thread = await ada.find(f"#{table.number}")
    played = await table.begun(thread)
    await table.shows(text("en", "table.thread", thread=f"<#{thread}>"))
    for move in moves_of("cam-3d-capture"):
        reply = await played.try_move(move)  # no `game`: in a thread its game is meant
        assert "You played" in reply.text
        mover, played.game = played.mover, played.game.play(move)
        await played.told(mover)
    await ada.wait_for(thread, lambda said: "is over" in said.text)
    await room.house.until(lambda: ada.channels[thread]["archived"], "archived")
    assert not ada.channels[thread]["locked"]
    assert len(await public(ada, room.channel)) == 1  # the channel has seen the table alone


async def test_a_thread_that_was_archived_wakes_up_with_the_next_turn(room: Room) -> None:
    played, ada, _ = await room.start_two(thread=True)
    await ada.call("PATCH", f"/app/channels/{played.channel}", {"archived": True})
    reply = await ada.command(room.channel, "move", move="F7-F8")
    assert "You played" in reply.text
    played.game = played.game.play("F7-F8")
    await played.told(ada)
    assert not ada.channels[played.channel]["archived"]


async def test_a_game_whose_thread_was_deleted_goes_on_in_its_channel(room: Room) -> None:
    played, ada, _ = await room.start_two(thread=True)
    await ada.call("DELETE", f"/app/channels/{played.channel}")
    played.channel = room.channel
    said = await ada.wait_for(room.channel, lambda said: part("place.thread-gone") in said.text)
    assert said.pings_me
    assert said.text.startswith(part("place.thread-gone", players=f"<@{ada.id}>", id=played.number, variant="Camelot"))
    assert "Move" in said.buttons
    played.last = said
    await played.move("F7-F8")
    await played.move("F10-F9")


async def test_a_call_whose_thread_was_deleted_is_heard_in_the_channel(room: Room) -> None:
    ada, bo, cy, dee = await room.enter("Ada", "Bo", "Cy", "Dee")
    table = await room.set_table("tri-camelot", ada, thread=True)
    await table.join(bo)
    await table.join(cy)
    thread = await ada.find(f"#{table.number}")
    played = await table.begun(thread)
    await resign(ada, thread)
    await played.calls(bo, cy)
    await ada.call("DELETE", f"/app/channels/{thread}")
    said = await bo.wait_for(room.channel, lambda said: part("place.thread-gone-vacant") in said.text)
    assert said.pings_me
    taken = await dee.click(said, "Take over Blue")
    assert taken.text == text("en", "leaver.done.taken-over", colour="Blue", id=played.number, where="")
    played.channel, played.players[0], played.last = room.channel, dee, said
    await played.calls(dee)


async def test_a_game_begun_in_a_thread_hears_of_its_deletion(room: Room) -> None:
    played, ada, bo = await room.start_two(thread=True)
    second = await room.start("camelot", ada, bo, channel=played.channel)
    await ada.call("DELETE", f"/app/channels/{played.channel}")
    await ada.wait_for(room.channel, lambda said: f"thread of game #{played.number}" in said.text)
    await room.house.until(lambda: EventKind.HOMELESS in kinds(room.house, second.number), "homeless")
    assert f"`/game move-here game:{second.number}`" in (await bo.command(room.channel, "games")).text
    moved = await bo.command(room.channel, "game move-here", game=str(second.number))
    assert moved.text == text("en", "place.moved", id=second.number)


async def test_among_many_games_the_waiting_one_here_is_meant_or_asked_for(room: Room) -> None:
    ada, bo, cy = await room.enter("Ada", "Bo", "Cy")
    other_channel = await room.add_channel("upstairs")
    first = await room.start("camelot", ada, bo)
    second = await room.start("chivalry", bo, ada)
    upstairs = await room.start("camelot", ada, cy, channel=other_channel)
    # Ada is to move in the first, Bo in the second.
    await first.try_move("F7-F8", ada)
    assert f"#{first.number}" in (await public(ada, room.channel))[-1].text
    # No game here waits for Ada any more; one upstairs does, so no command of hers here has a single meaning.
    unclear = await ada.command(room.channel, "move", move="F7-F8")
    assert unclear.ephemeral
    assert unclear.text.startswith(part("problem.which-game"))
    assert all(f"#{one.number}" in unclear.text for one in (first, second, upstairs))
    # Now both here wait for Bo.
    unclear = await bo.command(room.channel, "move", move="F7-F8")
    assert unclear.text == (
        text("en", "problem.which-game", candidates=f"#{first.number} or #{second.number}")
    ) or unclear.text == (text("en", "problem.which-game", candidates=f"#{second.number} or #{first.number}"))
    offered = await bo.autocomplete(room.channel, "move", {"move": "", "game": ""}, "game")
    assert sorted(offered) == sorted([f"#{first.number} Camelot: your turn", f"#{second.number} Chivalry: your turn"])
    by_label = await bo.command(room.channel, "move", move="F10-F9", game=f"#{first.number} Camelot: your turn")
    assert confirmed("F10-F9", first.number) in by_label.text
    elsewhere = await ada.command(room.channel, "move", move="F7-F8", game=str(upstairs.number))
    there = text("en", "move.see", where=f"<#{other_channel}>")
    assert f"{confirmed('F7-F8', upstairs.number)} {there}" in elsewhere.text
    listed = (await ada.command(room.channel, "games")).text
    lines = listed.splitlines()
    assert lines[0] == "**Your games**"
    assert len(lines) == 7
    assert f"**#{first.number}**" in lines[1]
    assert "**your turn**" in lines[2]
    assert "https://discord.com/channels/" in listed
    others = (await cy.command(room.channel, "games", player=ada)).text
    assert "**your turn**" in others  # Cy's own turn upstairs
    assert f"<@{ada.id}>" in others


async def test_a_missing_permission_is_named_to_the_one_who_asks(room: Room) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    stored = room.house.bot.events()
    refused = await ada.command("#read-only", "play", variant="camelot")
    assert refused.ephemeral
    assert part("permission.missing") in refused.text
    assert "**Send Messages**" in refused.text
    await forbid(ada, room.channel, ATTACH_FILES | CREATE_PUBLIC_THREADS)
    refused = await ada.command(room.channel, "play", variant="camelot", thread=True)
    assert "**Attach Files**" in refused.text
    assert "**Create Public Threads**" in refused.text
    assert room.house.bot.events() == stored
    await forbid(ada, room.channel, 0)
    await room.start("camelot", ada, bo)
