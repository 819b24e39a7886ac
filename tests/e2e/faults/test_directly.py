"""Direct messages that Discord refuses, and a limit that holds for every request: nobody goes without a reminder."""

from __future__ import annotations

import asyncio

import pytest

from bot.core.clock import HOUR
from bot.texts.i18n import text
from sandbox.errors import Code
from sandbox.faults import limited, refused, status
from sandbox.people import Person, Said
from tests.e2e.faults.moving import POST, Clock, goes_on, is_played, marked
from tests.e2e.room import Played, Room, set_own
from tests.sentences import part

pytestmark = pytest.mark.asyncio(loop_scope="session")

OPEN = "POST /users/@me/channels"
"""The request for the channel of somebody's direct messages."""


async def _wants_letters(room: Room, reminders: str = "once") -> tuple[Played, Person]:
    """A game that has just begun: it is the turn of Ada, who wants one reminder or none, by direct message."""
    ada, bo = await room.enter("Ada", "Bo")
    await set_own(ada, room.channel, **{"reminders-by": "dm", "reminders": reminders})
    played = await room.start("camelot", ada, bo, pace="fast")
    await marked(room)
    return played, ada


async def _letters(ada: Person) -> list[Said]:
    found = [one for one in ada.channels.values() if one.get("guild_id") is None]
    return [said for one in found for said in await ada.messages(one["id"])]


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (OPEN, Code.CANNOT_MESSAGE_USER),
        pytest.param(OPEN, Code.UNKNOWN_USER, marks=pytest.mark.long),
        (POST, Code.CANNOT_MESSAGE_USER),
        pytest.param(POST, Code.MISSING_ACCESS, marks=pytest.mark.long),
    ],
    ids=lambda value: value.name if isinstance(value, Code) else value.split("/")[1],
)
async def test_after_a_failed_direct_reminder_this_and_later_ones_are_posted(
    room: Room, clock: Clock, request_: str, code: Code
) -> None:
    played, ada = await _wants_letters(room)
    rule = room.house.server.faults.add(request_, refused(code))
    clock.goes_on(12 * HOUR)
    reminder = await played.calls(ada)
    assert rule.struck == 1
    assert part("time.door-closed") in reminder.text
    assert "Remind me later" in reminder.buttons
    assert await _letters(ada) == []
    await marked(room)
    by_dm = room.house.bot.query("SELECT by_dm, language FROM user_settings WHERE user = ?", int(ada.id))
    assert by_dm == [(0, None)]
    await played.move("F7-F8")


async def test_a_direct_reminder_is_sent_after_an_outage_and_nothing_is_set(room: Room, clock: Clock) -> None:
    played, ada = await _wants_letters(room)
    rule = room.house.server.faults.add(POST, status(503), times=None)
    clock.goes_on(12 * HOUR)
    await room.house.until(lambda: rule.struck > 3, "tried")
    await played.quiet()
    room.house.server.faults.lift()
    await marked(room)
    (letter,) = await _letters(ada)
    assert part("time.reminded-clock", id=played.number) in letter.text
    await played.quiet()


async def test_an_overdue_notice_is_sent_once_though_its_direct_message_fails_first(room: Room, clock: Clock) -> None:
    played, ada = await _wants_letters(room, "off")
    rule = room.house.server.faults.add(OPEN, status(503))
    clock.goes_on(24 * HOUR)
    post = await played.calls(ada)
    await marked(room)
    assert rule.struck == 1
    (letter,) = await _letters(ada)
    assert part("time.grace", id=played.number) in letter.text
    assert letter.buttons == [], "those of the post are for the opponents"
    assert post.buttons == ["Claim the win", "Give 24 hours"]
    await played.quiet()


@pytest.mark.long
async def test_an_overdue_notice_is_not_posted_again_while_direct_messages_fail(room: Room, clock: Clock) -> None:
    played, ada = await _wants_letters(room, "off")
    rule = room.house.server.faults.add(OPEN, status(503), times=None)
    clock.goes_on(24 * HOUR)
    await played.calls(ada)
    await marked(room)
    tried = rule.struck
    assert tried == 3
    clock.goes_on(25 * HOUR)
    await played.quiet()
    assert rule.struck == tried
    room.house.server.faults.lift()
    assert await _letters(ada) == []


@pytest.mark.long
async def test_an_undeliverable_direct_overdue_notice_is_mentioned_below_the_post(room: Room, clock: Clock) -> None:
    played, ada = await _wants_letters(room, "off")
    rule = room.house.server.faults.add(OPEN, refused(Code.CANNOT_MESSAGE_USER))
    clock.goes_on(24 * HOUR)
    post = await played.calls(ada)
    await marked(room)
    assert rule.struck == 1
    (shown,) = [said for said in await ada.messages(room.channel) if said.id == post.id]
    assert shown.text.endswith(text("en", "time.door-closed"))
    assert part("time.grace", id=played.number) in shown.text
    assert shown.buttons == ["Claim the win", "Give 24 hours"]
    assert room.house.bot.query("SELECT by_dm FROM user_settings WHERE user = ?", int(ada.id)) == [(0,)]


async def test_the_global_limit_delays_every_games_news_and_loses_none(room: Room) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    places = [await room.add_channel(name) for name in ("east", "west", "north")]
    games = [await room.start("camelot", ada, bo, channel=place) for place in places]
    rule = room.house.server.faults.add(POST, limited(5, everywhere=True))
    replies = await asyncio.gather(*(played.try_move("F7-F8") for played in games))
    assert all(is_played(reply, played) for reply, played in zip(replies, games, strict=True))
    assert rule.struck == 1
    for played in games:
        await goes_on(played, ada)
