"""The people of leagues with the real process: looked up before a season, taken out by managers, and their trophies."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from bot.core.clock import DAY
from bot.texts.i18n import text
from sandbox.faults import status
from tests.e2e.clock import ClockHouse
from tests.e2e.room import Room, public, set_server
from tests.e2e.seasons import begun, games, open_league, show_panel
from tests.sentences import label, part

pytestmark = pytest.mark.asyncio(loop_scope="session")

HOUSE_FROM = datetime(2026, 3, 2, 18, tzinfo=UTC)


def seated(house: ClockHouse) -> set[int]:
    """The people with a seat in the latest league."""
    return {
        user
        for (user,) in house.bot.query(
            "SELECT user FROM league_seats WHERE league = (SELECT max(id) FROM leagues) AND state = 'in'"
        )
    }


@pytest.mark.whole
async def test_who_has_left_gets_no_seat_and_an_outage_signs_nobody_off(room: Room, house: ClockHouse) -> None:
    crew = await room.enter("Ann", "Bo", "Cy", "Dee")
    ann, bo, cy, _ = crew
    post = await open_league(room, "camette", "26", *crew)
    await bo.call("PUT", f"/app/guilds/{room.guild}/members/{bo.id}", {"member": False})
    house.server.faults.add(f"GET /guilds/*/members/{cy.id}", status(503), times=None)
    await house.move_clock(6 * DAY)
    told = await ann.wait_for(room.channel, lambda said: part("league.signed-off-gone") in said.text)
    assert not told.pings_me
    await house.move_clock(700)
    await ann.wait_for(room.channel, lambda said: said.id == post.id and part("league.signed-off-gone") in said.text)
    await house.move_clock(DAY)
    await house.until(lambda: len(games(house)) == 3, "games begun")
    house.server.faults.lift()
    assert seated(house) == {int(person.id) for person in crew if person is not bo}


async def test_a_manager_takes_somebody_out_and_both_are_told(room: Room, house: ClockHouse) -> None:
    ada, crew = await room.enter_owner(), await room.enter("Ann", "Bo", "Cy", "Dee")
    ann, _, _, dee = crew
    await open_league(room, "camette", "26", *crew)
    [(league,)] = house.bot.query("SELECT max(id) FROM leagues")
    audit = await room.add_channel("removals")
    await set_server(ada, room.channel, audit=[audit])
    await begun(house, 6)
    await dee.call("PUT", f"/app/guilds/{room.guild}/members/{dee.id}", {"member": False})
    for person in (ann, dee):
        asked = await ada.command(room.channel, "server league", league=league, remove=person)
        assert part("league.remove.out") in asked.text
        done = await ada.click(asked, label("league-remove"))
        assert part("league.removed-done") in done.text
        again = await ada.command(room.channel, "server league", league=league, remove=person)
        assert text("en", "league.problem.not-there") in again.text
    told = await ann.wait_for(room.channel, lambda said: part("league.removed") in said.text and said.pings_me)
    assert "Ada" in told.text
    await ada.wait_for(audit, lambda said: part("league.removed-entry") in said.text and "Ann" in said.text)
    assert seated(house) == {int(person.id) for person in crew[1:3]}
    await set_server(ada, room.channel, audit=[])


async def test_close_asks_and_is_taken_back(room: Room, house: ClockHouse) -> None:
    ada, crew = await room.enter_owner(), await room.enter("Ann", "Bo")
    await open_league(room, "camette", "26", *crew)
    await begun(house, 1)
    asked = await ada.click(await show_panel(ada, room), label("league-close"))
    assert part("league.close.later") in asked.text
    assert house.bot.query("SELECT closing FROM leagues ORDER BY id DESC LIMIT 1") == [(0,)]
    closing = await ada.click(asked, label("league-close-sure"))
    assert part("league.closes") in closing.text
    assert house.bot.query("SELECT closing FROM leagues ORDER BY id DESC LIMIT 1") == [(1,)]
    await ada.click(closing, label("league-keep"))
    assert house.bot.query("SELECT closing FROM leagues ORDER BY id DESC LIMIT 1") == [(0,)]


async def test_however_often_open_is_pressed_one_league_is_made(room: Room, house: ClockHouse) -> None:
    ada = await room.enter_owner()
    shown = await ada.command(room.channel, "server league")
    before = house.bot.query("SELECT count(*) FROM leagues")[0][0]
    await asyncio.gather(*(ada.click(shown, label("league-open")) for _ in range(5)))
    assert house.bot.query("SELECT count(*) FROM leagues") == [(before + 1,)]
    posts = [said for said in await public(ada, room.channel) if label("league-join") in said.buttons]
    assert len(posts) == 1


async def test_who_wins_by_decision_has_the_trophy_in_the_profile(room: Room, house: ClockHouse) -> None:
    ada, crew = await room.enter_owner(), await room.enter("Ann", "Bo")
    people = {int(person.id): person for person in crew}
    await open_league(room, "camette", "1", *crew)
    await begun(house, 1)
    [(match, (first, second))] = games(house)
    await ada.command(room.channel, "referee league", game=str(match), reason="Gone.", winner=people[first])
    await house.move_clock(7 * DAY)
    await people[first].wait_for(room.channel, lambda said: "season 1 is over" in said.text)
    shown = await people[second].command(room.channel, "ladder profile", player=people[first])
    assert "🥇" in shown.text
    assert part("profile.none") in shown.text
    refused = await people[second].command(room.channel, "ladder profile", player=people[second])
    assert "🥇" not in refused.text
