"""Servers that vanish, remove the bot or shut it out: no clock runs in that time, and the next post says so."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

import pytest

from bot.core.events import EventKind
from bot.texts.i18n import text
from bot.texts.sentences import duration_text
from sandbox.people import Person, RefusedError
from tests.e2e.clock import ClockHouse
from tests.e2e.ladder_players import ladder_game
from tests.e2e.places import SEND_IN_THREADS, SEND_MESSAGES, forbid, settled
from tests.e2e.room import Played, Room
from tests.e2e.stored_games import kinds

pytestmark = pytest.mark.asyncio(loop_scope="session")

HOUR, DAY = 3600, 24 * 3600

HOUSE_FROM = datetime(2026, 3, 2, 18, tzinfo=UTC)

Way = Callable[[Room, Person, bool], Awaitable[object]]
"""Takes a server or place away, or gives it back."""


async def outage(room: Room, person: Person, away: bool) -> None:
    await person.call("PUT", f"/app/guilds/{room.guild}/outage", {"away": away})


async def thrown_out(room: Room, person: Person, away: bool) -> None:
    await person.call("PUT", f"/app/guilds/{room.guild}/bot", {"member": not away})


async def shut_out(room: Room, person: Person, away: bool) -> None:
    await forbid(person, room.channel, SEND_MESSAGES if away else 0)


def stands(room: Room, number: int) -> bool:
    """True if the bot has noted that nobody can be reached about that game."""
    (homeless,) = room.house.bot.query("SELECT place_is_lost FROM matches WHERE id = ?", number)[0]
    away = room.house.bot.query("SELECT 1 FROM absences WHERE until IS NULL AND guild = ?", room.guild)
    return bool(homeless or away)


async def refuse_a_post(house: ClockHouse, room: Room, played: Played, person: Person) -> None:
    """Shuts the bot out of the room's channel, in which it then has something to post."""
    await shut_out(room, person, True)
    await person.command(room.channel, "game draw", game=str(played.number))
    await house.until(lambda: stands(room, played.number), "refused")


async def test_a_clock_stands_from_the_first_refused_post_until_one_is_taken(house: ClockHouse, room: Room) -> None:
    played, ada, bo = await room.start_two(pace="fast")
    begun = house.now
    await shut_out(room, ada, True)
    await house.move_clock(HOUR)
    assert not stands(room, played.number), "nothing had to be posted"
    await refuse_a_post(house, room, played, bo)
    for _ in range(3):
        await house.move_clock(30 * HOUR)
    assert stands(room, played.number)
    await shut_out(room, ada, False)
    await house.until(lambda: not stands(room, played.number), "taken")
    await played.hears()
    assert f"<t:{begun + 24 * HOUR + 90 * HOUR}:R>" in (await ada.command(room.channel, "games")).text
    said = await played.move("F7-F8")
    assert text("en", "time.stood", lost=duration_text("en", 90 * HOUR)) in said.text


async def test_a_server_still_away_when_the_bot_restarts_loses_no_time(house: ClockHouse, room: Room) -> None:
    played, ada, _ = await room.start_two(pace="fast")
    begun = house.now
    await outage(room, ada, True)
    await house.until(lambda: stands(room, played.number), "away")
    await house.replace_bot()
    await house.move_clock(30 * HOUR)
    with pytest.raises(RefusedError, match="50001"):
        await played.try_move("F7-F8")
    await outage(room, ada, False)
    await house.until(lambda: not stands(room, played.number), "back")
    await house.tick()
    assert f"<t:{begun + 54 * HOUR}:R>" in (await ada.command(room.channel, "games")).text


async def to_the_last_chance(house: ClockHouse, played: Played) -> None:
    """The bank of the player to move runs out."""
    for hours in (60, 54, 6):
        await house.move_clock(hours * HOUR)
    assert kinds(house, played.number)[-1] is EventKind.GRACE
    await house.move_clock(HOUR)


@pytest.mark.parametrize("deny", [SEND_MESSAGES, SEND_MESSAGES | SEND_IN_THREADS])
@pytest.mark.parametrize("in_grace", [True, False], ids=["last-chance", "bank"])
async def test_no_rated_game_is_lost_after_its_thread_and_channel_close(
    house: ClockHouse, room: Room, deny: int, in_grace: bool
) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    upstairs = await room.add_channel("news")
    async with settled(room, announcements=upstairs):
        played = await ladder_game(room, ada, bo)
        if in_grace:
            await to_the_last_chance(house, played)
        await forbid(ada, room.channel, deny)
        await house.tick()
        await ada.call("DELETE", f"/app/channels/{played.channel}")
        await house.until(lambda: stands(room, played.number), "lost")
        lost = await played.mover.wait_for(upstairs, lambda said: f"game:{played.number}`" in said.text)
        assert lost.pings_me, lost.text
        rated = house.bot.query("SELECT * FROM rating_changes WHERE match = ?", played.number)
        for _ in range(13):
            await house.move_clock(8 * HOUR)
        assert stands(room, played.number)
        assert EventKind.TIMED_OUT not in kinds(house, played.number)
        assert house.bot.query("SELECT * FROM rating_changes WHERE match = ?", played.number) == rated == []
        await forbid(ada, room.channel, 0)
        await house.until(lambda: not stands(room, played.number), "back")
        await house.tick()
        left = (12 - 1 if in_grace else 120) * HOUR
        assert house.bot.query("SELECT time_runs_out_at FROM matches WHERE id = ?", played.number) == [
            (house.now + left,)
        ]


@pytest.mark.parametrize("take_away", [outage, thrown_out, None], ids=["outage", "thrown_out", "refused"])
async def test_after_hours_away_a_last_chances_later_end_is_told_at_once(
    house: ClockHouse, room: Room, take_away: Way | None
) -> None:
    played, ada, bo = await room.start_two(pace="fast")
    for hours in (13, 6, 5):
        await house.move_clock(hours * HOUR)
        await played.hears()
    end = house.now + 12 * HOUR
    if take_away is None:
        await refuse_a_post(house, room, played, bo)
    else:
        await take_away(room, ada, True)
        await house.tick()
    await house.move_clock(5 * HOUR)
    await (take_away or shut_out)(room, ada, False)
    await house.tick()
    told = await played.hears(1 if take_away else 2)  # the refused post comes first
    assert f"<t:{end + 5 * HOUR}:R>" in told[-1].text
    assert ada.name in await played.called(told[-1])
