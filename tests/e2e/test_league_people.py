"""The people of leagues with the real process: looked up before a season, taken out by managers, and their trophies."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.core.clock import DAY
from bot.texts.i18n import text
from sandbox.faults import status
from tests.e2e.clock import ClockHouse
from tests.e2e.room import Room, set_server
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


async def test_a_manager_puts_the_reserve_in_and_moves_people(room: Room, house: ClockHouse) -> None:
    ada, crew = await room.enter_owner(), await room.enter("Ann", "Bo", "Cy", "Dee", "Eli", "Fay")
    fay = crew[-1]
    await open_league(room, "camette", "26", *crew[:-1])
    [(league,)] = house.bot.query("SELECT max(id) FROM leagues")
    await fay.command(room.channel, "league join", league=league, reserve=True)
    shown = await ada.click(await show_panel(ada, room), label("league-people"))
    assert all(one.id in shown.text for one in crew)
    assert shown.buttons == []
    shown = await ada.choose(shown, "rt-league-people:who", [fay.id])
    shown = await ada.click(shown, label("league-put-in"))
    await fay.wait_for(room.channel, lambda said: part("league.put-in") in said.text and said.pings_me)
    shown = await ada.click(shown, "🔼 Group A")
    assert shown.text.index(fay.id) < shown.text.index("Group B") < shown.text.index(crew[2].id)
    assert label("league-remove") in shown.buttons
    await begun(house, 6)
    groups = house.bot.query("SELECT user FROM league_seats WHERE division = 0 ORDER BY league DESC, entry LIMIT 3")
    assert [user for (user,) in groups] == [int(one.id) for one in (*crew[:2], fay)]
