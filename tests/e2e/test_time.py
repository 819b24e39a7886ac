"""Clocks, settings and vacations with the real process, as far as no time needs to pass."""

from __future__ import annotations

import re
import time

import pytest

from bot.core.clock import DAY, HOUR
from bot.texts.i18n import text
from sandbox.limits.messages import Flag
from sandbox.people import Person, Said
from tests.e2e.room import Room, set_own
from tests.sentences import part

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_the_table_says_the_pace_and_every_turn_its_deadline(room: Room) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    table = await room.set_table("camelot", ada, pace="fast", vacations=False)
    assert text("en", "clock.terms", pace=text("en", "choice.pace.fast")) in table.message.text
    assert text("en", "clock.no-vacations") in table.message.text
    await table.join(bo)
    played = await table.begun()
    first = _falls(played.last.text)
    assert text("en", "clock.banks", banks="⚪ 1 d · ⚫ 1 d") in played.last.text
    moved = await played.move("F7-F8")
    assert first <= _falls(moved.text) < first + HOUR
    assert "⚪ 1 d 3 h" in moved.text or "⚪ 1 d 4 h" in moved.text
    listed = (await bo.command(room.channel, "games")).text
    assert text("en", "games.clock-own", at=f"<t:{_falls(moved.text)}:R>") in listed
    board = await ada.command(room.channel, "board")
    assert f"<t:{_falls(moved.text)}:R>" in board.text
    assert "<t:" not in (await ada.command(room.channel, "board", turn="0")).text


async def test_a_board_posted_while_the_bot_starts_says_its_deadline(room: Room) -> None:
    """Discord reports the servers one by one, so a start takes seconds in which people already act."""
    ada, bo = await room.enter("Ada", "Bo")
    noted = "SELECT count(*) FROM meta WHERE key = 'ticked'"
    await room.house.until(lambda: room.house.bot.query(noted) == [(1,)], "there")
    await room.house.kill_bot()
    await room.house.start_bot()
    played = await room.start("camelot", ada, bo, pace="fast")
    assert _falls(played.last.text) >= int(time.time()) + 23 * HOUR


async def test_the_panel_takes_several_free_days_and_tells_who_sleeps_in_utc(room: Room) -> None:
    (bo,) = await room.enter("Bo")
    asleep = await set_own(bo, room.channel, sleep="23-7")
    assert text("en", "setting.utc") in asleep.text
    assert text("en", "setting.utc") not in (await set_own(bo, room.channel, sleep="off")).text
    free = await set_own(bo, room.channel, weekends="friday saturday")
    assert f"{text('en', 'setting.weekends.name')}: **Friday and Saturday**" in free.text


async def test_claims_nudges_and_gifts_are_for_opponents_in_their_time(room: Room) -> None:
    ada, bo, cy = await room.enter("Ada", "Bo", "Cy")
    played = await room.start("camelot", ada, bo, pace="fast")
    board = played.last
    early = await played.press(bo, "claim")
    assert early.ephemeral
    assert f"You can claim <t:{_falls(board.text) + 12 * HOUR}:R>." in early.text
    assert "your own turn" in (await played.press(ada, "nudge")).text
    assert "not playing" in (await played.press(cy, "nudge")).text
    assert part("problem.nudge-too-soon", number=played.number) in (await played.press(bo, "nudge")).text
    given = await played.press(bo, "give-time")
    gift = await played.calls(ada)
    assert f"/{board.id})" in gift.text
    assert _falls(gift.text) == _falls(given.text)
    assert 23 * HOUR < _falls(gift.text) - _falls(board.text) <= 24 * HOUR
    falls = f"<t:{_falls(given.text)}:R>"
    await bo.wait_for(room.channel, lambda said: said.id == board.id and falls in said.text)
    much = await played.press(bo, "give-time")
    assert _falls(much.text) <= _falls(board.text) + 48 * HOUR + 60  # the cap is 72 hours
    await played.calls(ada)
    nothing = await played.press(bo, "give-time")
    assert nothing.ephemeral
    assert nothing.text == text("en", "problem.clock-full", number=played.number, most=72)
    await played.quiet()
    none = await room.start("camelot", ada, bo, pace="none")
    assert "has no clock" in (await none.press(bo, "claim")).text


async def test_a_vacation_is_told_once_and_pings_nobody(room: Room) -> None:
    played, ada, bo = await room.start_two(pace="standard")
    first, before = played.last, _falls(played.last.text)
    started = await ada.command(room.channel, "me vacation", days=5)
    assert started.ephemeral
    assert part("vacation.started", left="25 d") in started.text
    (told,) = await played.hears()
    assert part("time.away") in told.text
    assert text("en", "time.away-stands") in told.text
    assert await played.called(told) == set()
    seen = [room.house.server.world.message(int(room.channel), int(said.id)) for said in (first, told)]
    assert [said.has(Flag.SUPPRESS_NOTIFICATIONS) for said in seen] == [False, True]
    board = await bo.command(room.channel, "board")
    assert 4 * DAY < _falls(board.text) - before <= 5 * DAY + 60
    assert part("clock.stands") in board.text
    again = await ada.command(room.channel, "me vacation", days=2)
    assert "already" in again.text
    shown = await ada.command(room.channel, "me vacation")
    assert part("vacation.now", left="25 d") in shown.text
    stopped = await ada.click(shown, text("en", "button.vacation-stop"))
    assert part("vacation.stopped-later") in stopped.text
    assert part("vacation.stopped-later", left="29 d") in stopped.text
    (back,) = await played.hears()
    assert part("time.back") in back.text
    free = await bo.command(room.channel, "me vacation")
    assert part("vacation.none", left="30 d") in free.text
    assert not free.buttons
    assert part("problem.not-away") in (await played.press(bo, "vacation-stop")).text


async def test_a_standing_board_says_the_deadline_moved_by_vacations_and_habits(room: Room) -> None:
    played, ada, bo = await room.start_two(pace="standard")
    board = played.last
    await ada.command(room.channel, "me vacation", days=5)
    (told,) = await played.hears()
    assert _falls(told.text) > _falls(board.text)
    due = f"<t:{_falls(told.text)}:R>"
    away = (await ada.wait_for(room.channel, lambda said: said.id == board.id and due in said.text)).text
    assert away.splitlines()[0] == board.text.splitlines()[0]
    await set_own(bo, room.channel, weekends=True)  # Bo is not the player to move
    assert await _shown(ada, room.channel, board) == away
    await set_own(ada, room.channel, sleep="20:00-06:00")
    await ada.wait_for(room.channel, lambda said: said.id == board.id and _falls(said.text) > _falls(away))
    await played.quiet()


async def _shown(person: Person, channel: str, said: Said) -> str:
    """Returns the present text of that message."""
    (text,) = [one.text for one in await person.messages(channel) if one.id == said.id]
    return text


def _falls(text: str) -> int:
    """Returns when the time is up according to the text: the first instant in it."""
    found = re.search(r"<t:(\d+):R>", text)
    assert found, text
    return int(found[1])
