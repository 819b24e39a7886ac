"""The people of leagues: looked up before a season, taken out by managers; the role of those who win."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from bot.core.clock import DAY
from bot.texts.i18n import text
from sandbox.faults import cut
from sandbox.payloads import roles as role_payloads
from sandbox.people import Person, Reply
from sandbox.permissions import BOT_ROLE, Permission
from tests.e2e.clock import ClockHouse
from tests.e2e.places import add_role, grant
from tests.e2e.room import Room, public, resign, set_server
from tests.e2e.seasons import begun, games, open_league, show_panel, tells
from tests.sentences import label, part

pytestmark = pytest.mark.asyncio(loop_scope="session")

HOUSE_FROM = datetime(2026, 3, 2, 18, tzinfo=UTC)


def seated(house: ClockHouse) -> set[int]:
    """The people with a seat in the latest league."""
    rows = "SELECT user FROM league_seats WHERE league = (SELECT max(id) FROM leagues) AND state = 'in'"
    return {user for (user,) in house.bot.query(rows)}


@pytest.mark.whole
async def test_who_has_left_the_server_gets_no_seat(room: Room, house: ClockHouse) -> None:
    crew = await room.enter("Ann", "Bo", "Cy", "Dee")
    ann, bo, *_ = crew
    post = await open_league(room, "camette", "26", *crew)
    await bo.call("PUT", f"/app/guilds/{room.guild}/members/{bo.id}", {"member": False})
    await house.move_clock(6 * DAY)
    told = await ann.wait_for(room.channel, lambda said: part("league.signed-off-gone") in said.text)
    assert not told.pings_me
    await house.move_clock(700)
    await ann.wait_for(room.channel, lambda said: said.id == post.id and part("league.signed-off-gone") in said.text)
    await house.move_clock(DAY)
    await house.until(lambda: len(games(house)) == 3, "games begun")
    assert seated(house) == {int(person.id) for person in crew if person is not bo}


async def test_a_manager_takes_somebody_out_and_both_are_told(room: Room, house: ClockHouse) -> None:
    ada, crew = await room.enter_owner(), await room.enter("Ann", "Bo", "Cy", "Dee", "Eli")
    ann, _, _, dee, eli = crew
    await open_league(room, "camette", "26", *crew[:4])
    [(league,)] = house.bot.query("SELECT max(id) FROM leagues")
    await eli.command(room.channel, "league join", league=league, reserve=True)
    audit = await room.add_channel("removals")
    await set_server(ada, room.channel, audit=[audit])
    await begun(house, 6)
    await dee.call("PUT", f"/app/guilds/{room.guild}/members/{dee.id}", {"member": False})
    for person, how in ((ann, "reserve"), (dee, "out")):
        asked = await ada.command(room.channel, "server league", league=league, remove=person)
        assert part(f"league.remove.{how}") in asked.text
        done = await ada.click(asked, label("league-remove"))
        assert part("league.removed-done") in done.text
        assert part("league.in-reserve") not in done.text, "who has taken a seat over is listed there"
        assert label("back") in done.buttons
        again = await ada.command(room.channel, "server league", league=league, remove=person)
        assert text("en", "league.problem.not-there") in again.text
    told = await ann.wait_for(room.channel, lambda said: part("league.removed") in said.text and said.pings_me)
    assert "Ada" in told.text
    await ada.wait_for(audit, lambda said: part("league.removed-entry") in said.text and "Ann" in said.text)
    assert seated(house) == {int(person.id) for person in (*crew[1:3], eli)}
    await set_server(ada, room.channel, audit=[])


async def test_a_manager_puts_the_reserve_in_and_moves_people(room: Room, house: ClockHouse) -> None:
    ada, crew = await room.enter_owner(), await room.enter("Ann", "Bo", "Cy", "Dee", "Eli", "Fay")
    fay = crew[-1]
    await open_league(room, "camette", "26", *crew[:-1])
    [(league,)] = house.bot.query("SELECT max(id) FROM leagues")
    await fay.command(room.channel, "league join", league=league, reserve=True)
    shown = await ada.click(await show_panel(ada, room), label("league-people"))
    assert all(one.id in shown.text for one in crew)
    assert shown.buttons == [label("back")]
    shown = await ada.choose(shown, "rt-league-people:who", [fay.id])
    assert "in reserve**: what now?" in shown.text
    asked = await ada.click(shown, label("league-remove"))
    assert part("league.remove.sign-up") in asked.text
    shown = await ada.click(await ada.click(asked, label("back")), label("league-put-in"))  # back to her
    await fay.wait_for(room.channel, lambda said: part("league.put-in") in said.text and said.pings_me)
    shown = await ada.click(shown, "🔼 Group A")
    assert shown.text.index(fay.id) < shown.text.index("Group B") < shown.text.index(crew[2].id)
    assert label("league-remove") in shown.buttons
    await begun(house, 6)
    groups = house.bot.query("SELECT user FROM league_seats WHERE division = 0 ORDER BY league DESC, entrant LIMIT 3")
    assert [user for (user,) in groups] == [int(one.id) for one in (*crew[:2], fay)]


async def test_each_page_of_a_league_leads_back_to_its_panel(room: Room) -> None:
    ada, crew = await room.enter_owner(), await room.enter("Ann", "Bo", "Cy")
    await open_league(room, "camette", "26", *crew)
    shown = await show_panel(ada, room)
    panel = shown.text, shown.buttons
    for page in ("people", "start", "close"):
        shown = await ada.click(shown, label(f"league-{page}"))
        assert shown.text != panel[0]
        shown = await ada.click(shown, label("back"))
        assert (shown.text, shown.buttons) == panel, page
    row = "INSERT INTO league_sign_ups (league, user, guild, at, reserve) SELECT max(id), ?, ?, ?, 1 FROM leagues"
    for number in range(119):
        room.house.bot.query(row, 10**17 + number, room.guild, number)
    shown = await ada.click(shown, label("league-people"))
    for chosen in (*(f"page{number}" for number in range(1, 6)), str(10**17 + 118)):
        shown = await ada.choose(shown, "rt-league-people:who", [chosen])
    assert label("league-remove") in shown.buttons, "everybody can be found"


# The role of the winners


ROLE_MENU = "rt-league-honours:role"
PUT_ROLE = "PUT /guilds/*/members/*/roles/*"


async def choose(ada: Person, room: Room, *roles: str) -> Reply:
    """Chooses the role for the winner of the latest league."""
    return await ada.choose(await show_panel(ada, room), ROLE_MENU, roles)


def holders(house: ClockHouse, room: Room, role: str) -> set[int]:
    """Returns who holds a role."""
    return {user for one in house.server.world.guild(room.guild).roles if one.id == int(role) for user in one.holders}


def hold(house: ClockHouse, room: Room, role: str, person: Person) -> None:
    """Gives that person, and nobody else, the role of that name."""
    guild = house.server.world.guild(room.guild)
    held = [replace(one, holders=(int(person.id),)) if one.name == role else one for one in guild.roles]
    house.server.world.put(replace(guild, roles=tuple(held)))


async def win_season(house: ClockHouse, room: Room, people: Mapping[int, Person], winner: Person, season: int) -> None:
    """Begins the season of the latest league and has everybody resign against the winner; it ends in a week."""
    [(league,)] = house.bot.query("SELECT max(id) FROM leagues")
    for person in people.values() if season > 1 else ():
        await person.command(room.channel, "league join", league=league)  # who made no move has to sign up again
    await begun(house, 3, season)
    for match, users in games(house, season):
        if int(winner.id) in users:
            loser = people[next(user for user in users if user != int(winner.id))]
            await resign(loser, room.channel, match)


@pytest.mark.whole
async def test_the_role_goes_to_the_winner_through_faults_and_a_kill(room: Room, house: ClockHouse) -> None:
    ada, crew = await room.enter_owner(), await room.enter("Bo", "Cy", "Dee")
    people = {int(person.id): person for person in crew}
    bo, cy, dee = crew
    await open_league(room, "camette", "1", *crew)
    await grant(ada, room.guild, Permission.MANAGE_ROLES)
    role = await add_role(ada, room.guild, "Champion")
    shown = await choose(ada, room, role)
    assert text("en", "league.role", role="Champion") in shown.text
    await win_season(house, room, people, bo, 1)
    broken = house.server.faults.add(PUT_ROLE, cut(done=False), times=None)
    await house.move_clock(7 * DAY)
    await house.until(lambda: broken.struck > 0, "role tried")
    await house.kill_bot()
    house.server.faults.lift()
    await house.start_bot()
    await house.move_clock(700)
    await house.until(lambda: holders(house, room, role) == {int(bo.id)}, "role given")
    await win_season(house, room, people, cy, 2)
    await house.move_clock(7 * DAY)
    await house.until(lambda: holders(house, room, role) == {int(cy.id)}, "role passed on")
    await win_season(house, room, people, dee, 3)
    await dee.call("PUT", f"/app/guilds/{room.guild}/members/{dee.id}", {"member": False})
    await house.move_clock(7 * DAY)
    await house.until(lambda: not holders(house, room, role), "role taken; the winner has left the server")
    said = await public(bo, room.channel)
    assert not [*filter(tells(house, "no-role"), said)]


async def test_a_role_that_cannot_be_given_is_refused_with_its_reason(room: Room, house: ClockHouse) -> None:
    ada, (bo,) = await room.enter_owner(), await room.enter("Bo")
    await grant(ada, room.guild)
    low, high = await add_role(ada, room.guild, "Low"), await add_role(ada, room.guild, "High", above=True)
    await open_league(room, "camette", "1")
    assert "⚠️" not in (await show_panel(ada, room)).text, "nobody has chosen a role"
    assert part("league.problem.no-manage-roles") in (await choose(ada, room, low)).text
    await grant(ada, room.guild, Permission.MANAGE_ROLES)
    for fixed in (room.guild, room.guild + BOT_ROLE):
        assert part("league.problem.role-above") in (await choose(ada, room, str(fixed))).text
    assert part("league.problem.role-above") in (await choose(ada, room, high)).text
    host = {"name": "Host", "allow": int(Permission.MANAGE_GUILD)}
    await ada.call("POST", f"/app/guilds/{room.guild}/roles", host)
    permissions_here = {"of": bo.id, "allow": int(Permission.MANAGE_ROLES), "deny": 0}
    await ada.call("PUT", f"/app/channels/{room.channel}/overwrites", permissions_here)
    hold(house, room, "Host", bo)
    chosen = "SELECT role FROM leagues ORDER BY id DESC LIMIT 1"
    assert part("league.problem.role-not-yours") in (await choose(bo, room, low)).text
    assert house.bot.query(chosen) == [(None,)]
    await choose(ada, room, low)
    assert part("league.problem.role-not-yours") in (await choose(bo, room)).text, "nor is it theirs to take away"
    assert house.bot.query(chosen) == [(int(low),)]


async def test_a_role_that_everybody_may_mention_is_called(room: Room, house: ClockHouse) -> None:
    ada, (bo, cy) = await room.enter_owner(), await room.enter("Bo", "Cy")
    silent = await add_role(ada, room.guild, "Silent")
    called = await add_role(ada, room.guild, "Players", mentionable=True)
    hold(house, room, "Players", bo)
    await open_league(room, "camette", "1", bo, cy)
    for wrong in (silent, str(room.guild)):
        refused = await ada.choose(await show_panel(ada, room), "rt-league-honours:called-role", [wrong])
        assert text("en", "league.problem.role-silent") in refused.text
    shown = await ada.choose(await show_panel(ada, room), "rt-league-honours:called-role", [called])
    assert text("en", "league.called-role", role="Players") in shown.text
    await begun(house, 1)
    start = await bo.wait_for(room.channel, lambda said: "finished games 0/1" in said.text)
    assert start.pings_me
    assert not (await cy.wait_for(room.channel, lambda said: said.id == start.id)).pings_me


def change_role(house: ClockHouse, room: Room, role: str, permissions: Permission) -> None:
    """Gives a role these permissions, as managers do in the server's settings."""
    guild = house.server.world.guild(room.guild)
    roles = [replace(one, permissions=int(permissions)) if one.id == int(role) else one for one in guild.roles]
    house.server.world.put(guild := replace(guild, roles=tuple(roles)))
    (changed,) = [payload for payload in role_payloads(guild) if payload["id"] == role]
    told = {"guild_id": str(guild.id), "role": changed}
    house.server.gateway.dispatch("GUILD_ROLE_UPDATE", told)


async def test_a_trophy_gives_no_power(room: Room, house: ClockHouse) -> None:
    ada, crew = await room.enter_owner(), await room.enter("Bo", "Cy", "Dee")
    people = {int(person.id): person for person in crew}
    await open_league(room, "camette", "1", *crew)
    await grant(ada, room.guild, Permission.MANAGE_ROLES)
    powerful = {"name": "Boss", "allow": int(Permission.ADMINISTRATOR)}
    boss = str((await ada.call("POST", f"/app/guilds/{room.guild}/roles", powerful))["id"])
    assert part("league.problem.role-powerful") in (await choose(ada, room, boss)).text
    role = await add_role(ada, room.guild, "Champion")
    await choose(ada, room, role)
    await win_season(house, room, people, crew[0], 1)
    change_role(house, room, role, Permission.MANAGE_MESSAGES)  # after it was chosen
    await house.move_clock(7 * DAY)
    await ada.wait_for(room.channel, tells(house, "role-power"))
    assert not holders(house, room, role)
    change_role(house, room, role, Permission(0))
    await choose(ada, room, role)
    await house.until(lambda: holders(house, room, role) == {int(crew[0].id)}, "role given")
