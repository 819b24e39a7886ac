"""People who are not, or no longer, in the server: nobody waits for them, and they learn nothing of its games."""

from __future__ import annotations

import pytest
import pytest_asyncio

from bot.texts.i18n import text
from sandbox.people import Person, RefusedError
from tests.e2e.database_contents import settled
from tests.e2e.forged_components import menu, plant
from tests.e2e.room import Room, set_server
from tests.sentences import part

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(loop_scope="session")
async def fen(room: Room) -> Person:
    """Fen, who is only in the other server."""
    court = str(Room.guild_of(room.house, "Other Court"))
    return await room.admit(f"Fen of {room.name}", guilds=[court], manages=[court])


async def test_nobody_outside_the_server_is_invited_or_given_a_seat(room: Room, fen: Person) -> None:
    played, ada, bo = await room.start_two()
    before = await settled(room.house)
    for command, options in (
        ("play", {"variant": "camelot", "opponent": fen}),
        ("play", {"variant": "tri-camelot", "opponent": bo, "second_opponent": fen}),
        ("game substitute", {"player": fen, "game": str(played.number)}),
    ):
        refused = await ada.command(room.channel, command, **options)
        assert refused.ephemeral
        assert refused.text == text("en", "problem.not-a-member", user=f"<@{fen.id}>")
    by = {"player": bo, "by": fen, "reason": "because"}
    judge = await room.enter_owner()
    refused = await judge.command(room.channel, "referee replace", game=str(played.number), **by)
    assert part("problem.not-a-member") in refused.text
    assert await settled(room.house) == before


async def test_a_reminder_by_direct_message_reveals_and_changes_no_game_of_others(room: Room, fen: Person) -> None:
    played, _, bo = await room.start_two()
    before = await settled(room.house)
    for person in (fen, bo):
        opened = await person.call("POST", f"/app/people/{person.id}/dm")
        snooze = menu(f"rt-snooze:{played.number}:0", "6")
        said = plant(room.house, opened["id"], snooze)
        refused = await person.choose(said, snooze["custom_id"], ["6"])
        assert refused.text in (
            text("en", "problem.no-such-game"),
            text("en", "problem.not-a-player", number=played.number),
        ) or (person is bo and part("problem.not-your-turn", number=played.number) in refused.text)
    assert await settled(room.house) == before


async def test_a_removed_person_is_not_pinged_and_goes_on_once_back(room: Room) -> None:
    played, ada, bo = await room.start_two()
    member = f"/app/guilds/{room.guild}/members/{bo.id}"
    await ada.call("PUT", member, {"member": False})
    assert "You played" in (await played.try_move("F7-F8")).text
    turn = await ada.wait_for(room.channel, lambda said: "F7-F8" in said.text and bool(said.attachments))
    pinged = room.house.server.world.message(int(room.channel), int(turn.id)).pinged
    assert pinged == ()
    await ada.call("PUT", member, {"member": True})
    assert "You played" in (await played.try_move("F11-F9", bo)).text


async def test_a_channel_of_another_server_is_no_channel_here(
    room: Room, fen: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ada,) = await room.enter("Ada")
    await ada.call("PUT", f"/app/guilds/{room.guild}/members/{ada.id}", {"manages": True})
    elsewhere = await fen.find("#elsewhere")
    before = await settled(room.house)
    with pytest.raises(RefusedError, match="bad_choice"):  # as Discord refuses it; but the bot does not rely on that
        await set_server(ada, room.channel, audit=[elsewhere])
    monkeypatch.setattr("sandbox.options.offers", lambda *_: True)
    for option in ("channels", "announcements", "audit"):
        refused = await set_server(ada, room.channel, **{option: [elsewhere]})
        assert refused.text == text("en", "failure.unfit-option", value=f"<#{elsewhere}>")
    assert await settled(room.house) == before
