"""Unhurried games and people's settings, with a clock that the test moves."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.texts.i18n import text
from sandbox.errors import Code
from sandbox.faults import refused
from tests.e2e.clock import ClockHouse
from tests.e2e.clock.watch import DAY, HOUR, MINUTE
from tests.e2e.judging import moves_of
from tests.e2e.room import Room, set_own
from tests.sentences import label, part

pytestmark = pytest.mark.asyncio(loop_scope="session")

HOUSE_FROM = datetime(2026, 6, 1, 9, tzinfo=UTC)


async def test_a_game_without_a_clock_is_reminded_of_warned_of_and_closed(house: ClockHouse, room: Room) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    played = await room.start("camelot", ada, bo, pace="none")
    began = house.now
    assert "<t:" not in played.last.text
    await played.move("F7-F8")
    await house.set_clock(began + 3 * DAY)
    assert f"<t:{began}:R>" in (await played.calls(bo)).text
    await house.set_clock(began + 30 * DAY - MINUTE)
    await played.quiet()
    await house.move_clock(MINUTE)
    warning = await played.calls(ada, bo)
    assert f"<t:{began + 60 * DAY}:R>" in warning.text
    await house.kill_bot()
    await house.start_bot()
    await house.set_clock(began + 60 * DAY - MINUTE)
    await played.quiet()
    await house.move_clock(MINUTE)
    end = await played.calls(ada, bo)
    assert "no result" in end.text
    late = await bo.command(played.channel, "move", move="F10-F9", game=str(played.number))
    assert "is over" in late.text
    await house.move_clock(60 * DAY)
    await played.quiet()


async def test_a_reminder_is_put_off_and_an_opponent_nudges_once_a_day(house: ClockHouse, room: Room) -> None:
    ada, bo, cy = await room.enter("Ada", "Bo", "Cy")
    played = await room.start("camelot", ada, bo, pace="standard")
    played.onlookers.append(cy)
    assert "Remind me later" not in (await bo.click(played.last, "More")).buttons  # which is for Ada alone
    asked = await played.more(ada, "Remind me later")
    assert asked.message is not None
    assert asked.ephemeral
    (menu,) = [one for row in asked.message.json["components"] for one in row["components"] if one["type"] == 3]
    (chosen,) = [one["value"] for one in menu["options"] if "24" in one["label"]]
    done = await ada.choose(asked, menu["custom_id"], [chosen])
    at = house.now + 24 * HOUR
    assert f"<t:{at}:" in done.text
    await house.set_clock(at - MINUTE)
    early = await played.press(bo, "nudge")
    assert f"<t:{at}:R>" in early.text
    await played.quiet()
    await house.move_clock(MINUTE)
    await played.calls(ada)

    for person, why in ((ada, "your own turn"), (cy, "not playing")):
        refused_ = await played.press(person, "nudge")
        assert refused_.ephemeral
        assert why in refused_.text
    assert (await played.press(bo, "nudge")).ephemeral
    nudge = await played.calls(ada)
    nudged = house.now
    again = await played.press(bo, "nudge")
    assert again.ephemeral
    assert f"<t:{nudged + DAY}:R>" in again.text
    await played.quiet()
    await house.set_clock(nudged + 11 * HOUR)  # after half of the bank, too: the 24-hour reminder has been sent
    await house.move_clock(HOUR)
    await played.hears()
    await house.set_clock(nudged + DAY)
    assert (await played.press(bo, "nudge")).ephemeral
    assert nudge.id != (await played.calls(ada)).id


@pytest.mark.whole
async def test_reminders_by_direct_message_until_the_door_is_closed(house: ClockHouse, room: Room) -> None:
    (ada,), (bo,) = await room.enter("Ada", locale="no"), await room.enter("Bo")
    saved = await set_own(ada, room.channel, **{"reminders-by": "dm", "reminders": "every-6"})
    assert saved.ephemeral
    played = await room.start("camelot", ada, bo, pace="fast")
    await house.kill_bot()  # Ada's language is known after a restart as well
    await house.start_bot()
    await house.move_clock(6 * HOUR)
    await played.quiet()
    (dm,) = [one for one in ada.channels.values() if one.get("guild_id") is None]
    (said,) = await ada.messages(dm["id"])
    assert said.pings_me or not said.ephemeral
    assert said.text.startswith(f"**Camelot** · parti #{played.number} i **")
    assert part("time.reminded-clock", "no", id=played.number) in said.text
    assert label("snooze", "no") in said.buttons
    assert f"/channels/{room.guild}/{room.channel}/{played.last.id}" in said.text
    rule = house.server.faults.add("POST /channels/*/messages", refused(Code.CANNOT_MESSAGE_USER))
    await house.move_clock(6 * HOUR)
    assert rule.struck == 1
    reminder = await played.calls(ada)
    assert f"<@{ada.id}>" in reminder.text
    assert len(await ada.messages(dm["id"])) == 1
    assert "Du spilte" in (await played.try_move("F7-F8")).text
    await played.calls(bo)
    await house.move_clock(6 * HOUR)  # Bo has default settings: half of the bank is 12 hours
    await played.quiet()
    assert len(await ada.messages(dm["id"])) == 1


@pytest.mark.long
async def test_a_nudge_and_an_overdue_notice_are_also_sent_directly(house: ClockHouse, room: Room) -> None:
    # The bug: a person who had chosen direct messages got the important calls nowhere else.
    ada, bo = await room.enter("Ada", "Bo")
    await set_own(ada, room.channel, **{"reminders-by": "dm", "reminders": "off"})
    played = await room.start("camelot", ada, bo, pace="standard")
    began = house.now
    await house.move_clock(DAY)
    assert (await played.press(bo, "nudge")).ephemeral
    nudge = await played.calls(ada)
    await house.set_clock(began + 3 * DAY)
    up = await played.calls(ada)
    (dm,) = [one for one in ada.channels.values() if one.get("guild_id") is None]
    letters = await ada.messages(dm["id"])
    for letter, post in zip(letters, (nudge, up), strict=True):
        heading, told = letter.text.split("\n")
        assert heading.startswith(f"**Camelot** · game #{played.number} in **")
        assert told == post.text
        assert letter.buttons == []
    assert "Claim the win" in up.buttons


async def test_a_single_legal_outcome_is_played_and_reported_for_willing_players(house: ClockHouse, room: Room) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    for person in (ada, bo):
        assert (await set_own(person, room.channel, automove=True)).ephemeral
    played = await room.start("camelot", ada, bo, pace="fast")
    moves = moves_of("camelot-few-pieces")
    for move in moves[:5]:
        await played.move(move)
    mover = played.mover
    assert "You played" in (await played.try_move(moves[5])).text
    for move in moves[5:8]:
        played.game = played.game.play(move)
    (told,) = await played.hears()  # all at once
    assert [move in told.text for move in moves[5:8]] == [True] * 3
    assert await played.called(told) == {played.mover.name}
    assert told.text.count(text("en", "plan.chain.auto")) == 2
    assert mover in (ada, bo)
