"""Games that a referee corrects and others follow, with a clock that the test moves."""

from __future__ import annotations

from contextlib import AsyncExitStack
from datetime import UTC, datetime

import pytest

from rules import VARIANTS, Game
from sandbox.people import Person, Reply
from tests.e2e.clock import ClockHouse
from tests.e2e.clock.watch import HOUR, MINUTE
from tests.e2e.room import Room
from tests.sentences import label

pytestmark = pytest.mark.asyncio(loop_scope="session")

HOUSE_FROM = datetime(2026, 5, 3, 9, tzinfo=UTC)  # a Sunday in spring
WHY = "Both have asked me to."


async def test_a_referee_corrects_a_game_and_its_followers_hear_their_share(house: ClockHouse) -> None:
    async with AsyncExitStack() as stack:
        room = await Room.found(house, "watched", stack)
        ada, bo, cy, dee = await room.enter("Ada", "Bo", "Cy", "Dee")
        judge = await stack.enter_async_context(await house.join("Ada"))  # who manages the server
        played = await room.start("camelot", ada, bo, pace="fast")
        played.onlookers += [cy, dee]
        number = str(played.number)
        for person, wish in ((cy, {"every-move": True}), (dee, {})):
            assert (await person.command(room.channel, "game follow", game=number, **wish)).ephemeral

        async def rule(act: str, person: Person = judge, **options: object) -> Reply:
            reply = await person.command(room.channel, f"referee {act}", game=number, reason=WHY, **options)
            assert reply.ephemeral
            return reply

        # A clock is set: the deadline and the reminders follow it.
        await rule("clock", player=ada, hours=30)
        end = house.now + 30 * HOUR
        assert WHY in (await played.calls(ada, bo)).text
        assert f"<t:{end}:R>" in (await ada.command(room.channel, "games")).text
        await house.kill_bot()
        await house.start_bot()
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
        asked = await dee.command(room.channel, "game resign", game=number)
        await dee.click(asked, label("resign"))
        end_said, foot = await played.hears(2)
        assert (await played.called(end_said), await played.called(foot)) == ({ada.name}, {cy.name})
        assert f"{ada.name} wins" in end_said.shown
        await rule("end")
        assert WHY in (await played.calls(ada, dee)).text
        await house.move_clock(60 * 24 * HOUR)
        await played.quiet()
        assert [kind for *_, kind, _, _ in house.bot.events()].count(41) == 1
