"""Games through weeks: reminders, nudges, moves by themselves, a referee's corrections. The tests move the clock."""

from __future__ import annotations

from contextlib import AsyncExitStack
from datetime import UTC, datetime

import pytest

from bot.core.clock import DAY, HOUR
from rules import VARIANTS, Game
from sandbox.people import Person, Reply
from tests.e2e.clock import ClockHouse
from tests.e2e.room import Room, resign, set_own
from tests.sentences import label

pytestmark = pytest.mark.asyncio(loop_scope="session")

MINUTE = 60
HOUSE_FROM = datetime(2026, 6, 1, 9, tzinfo=UTC)
WHY = "Both have asked me to."


async def test_a_reminder_is_put_off_and_an_opponent_nudges_once_a_day(house: ClockHouse, room: Room) -> None:
    ada, bo, cy = await room.enter("Ada", "Bo", "Cy")
    played = await room.start("camelot", ada, bo, pace="standard")
    played.onlookers.append(cy)
    assert "Remind me later" not in (await bo.click(played.last, "More")).buttons  # which is for Ada alone
    asked = await played.more(ada, "Remind me later")
    assert asked.ephemeral
    done = await ada.choose(asked, "rt-snooze", ["24"])
    at = house.now + 24 * HOUR
    assert f"<t:{at}:" in done.text
    await house.set_clock(at - MINUTE)
    early = await played.press(bo, "nudge")
    assert f"<t:{at}:R>" in early.text
    await played.quiet()
    await house.move_clock(MINUTE)
    await played.calls(ada)
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
    await ada.wait_for(dm["id"], lambda said: said.text.endswith(up.text))  # it follows the post
    for letter, post in zip(await ada.messages(dm["id"]), (nudge, up), strict=True):
        heading, told = letter.text.split("\n")
        assert heading.startswith(f"**Camelot** · game #{played.number} in **")
        assert (told, letter.buttons) == (post.text, [])
    assert "Claim the win" in up.buttons


async def test_a_referee_corrects_a_game_and_its_followers_hear_their_share(house: ClockHouse) -> None:
    async with AsyncExitStack() as stack:
        room = await Room.found(house, "watched", stack)
        ada, bo, cy, dee = await room.enter("Ada", "Bo", "Cy", "Dee")
        judge = await stack.enter_async_context(await house.join("Ada"))  # who manages the server
        played = await room.start("camelot", ada, bo, pace="fast")
        played.onlookers += [cy, dee]
        number = str(played.number)
        await dee.command(room.channel, "game follow", game=number)
        await cy.click(await cy.command(room.channel, "game follow", game=number), label("follow-every"))

        async def rule(act: str, person: Person = judge, **options: object) -> Reply:
            reply = await person.command(room.channel, f"referee {act}", game=number, reason=WHY, **options)
            assert reply.ephemeral
            return reply

        # A clock is set: the deadline and the reminders follow it.
        await rule("clock", player=ada, hours=30)
        end = house.now + 30 * HOUR
        assert WHY in (await played.calls(ada, bo)).text
        assert f"<t:{end}:R>" in (await ada.command(room.channel, "games")).text
        await house.replace_bot()
        await house.set_clock(end - 15 * HOUR - MINUTE)
        await played.quiet()
        await house.move_clock(MINUTE)
        await played.calls(ada)

        # Moves, which only Cy wants to follow; then they are undone, and the deadline is that of the start.
        for move, mover in (("F7-F8", bo), ("F10-F9", ada)):
            assert "You played" in (await played.try_move(move)).text
            played.game = played.game.play(move)
            board, foot = await played.hears(2)
            assert (await played.called(board), await played.called(foot)) == ({mover.name}, {cy.name})
        await rule("undo", turn="1 white")
        said = await played.calls(ada, bo)
        assert WHY in said.text
        played.game = Game.start(VARIANTS["camelot"]).play("F7-F8")
        assert f"<@{bo.id}>, it is your turn" in said.text
        assert f"<t:{house.now + 24 * HOUR}:R>" in said.text

        # A player is replaced, and the new one ends it.
        await rule("replace", player=bo, by=dee)
        played.players, played.onlookers = [ada, dee], [bo, cy]
        assert WHY in (await played.calls(ada, bo, dee)).text
        await resign(dee, room.channel, played.number)
        end_said, foot = await played.hears(2)
        assert (await played.called(end_said), await played.called(foot)) == ({ada.name}, {cy.name})
        assert f"{ada.name} wins" in end_said.shown
        await rule("end")
        assert WHY in (await played.calls(ada, dee)).text
        await house.move_clock(60 * 24 * HOUR)
        await played.quiet()
        assert [kind for *_, kind, _, _ in house.bot.events()].count(41) == 1
