"""The role of a league's winners through the service and a database."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import discord
import pytest

from bot.core import acts
from bot.core.acts import decision_of
from bot.core.clock import DAY
from bot.leagues.league import RETRY_S, League, LeagueError
from bot.leagues.role_rows import RoleHolder
from bot.leagues.roles import WinnerRoles, delete_events
from bot.leagues.service import Leagues
from bot.play.service import Service
from bot.privacy.service import Privacy
from tests.bot.playing import GUILD, NOW
from tests.bot.seasons import BEGIN, CAMETTE, groups, kinds, now_of, opened, resign, tick

CHAMPION, KNIGHT = 501, 502


async def due(service: Service, now: int) -> set[tuple[int, int, bool]]:
    """Returns who is to get or lose which role."""
    return {(one.user, one.role, one.is_wanted) for one in await service.part(WinnerRoles).due_holders(now)}


async def settle_all(service: Service, now: int) -> None:
    """Does what the bot does when Discord grants everything."""
    roles = service.part(WinnerRoles)
    for holder in await roles.due_holders(now):
        if await roles.claim_holder(holder, now):
            await roles.settle_holder(holder)


async def play_season(service: Service, league: League, season: int, *winners: int) -> int:
    """Plays the season of a league: everybody resigns against the winners, who draw with each other.

    Returns its end.
    """
    begins = (await now_of(service, league)).begins_at
    await tick(service, begins)
    (group,) = await groups(service, league, season)
    for game in group.games:
        assert game.match is not None
        users = group.users_of(game)
        losers = [user for user in users if user not in winners]
        await resign(service, game.match, (losers or users)[-1], begins + 1)
        if not losers:  # a draw
            await service.act_on_match(game.match, GUILD, decision_of(9, begins + 1, acts.annul_match, "both agree"))
    ends = (await now_of(service, league)).ends_at
    await tick(service, ends)
    return ends


async def test_winners_get_the_role_and_the_last_holder_loses_it(service: Service) -> None:
    roles = service.part(WinnerRoles)
    league = await opened(service, CAMETTE, range(1, 5))
    await roles.choose_role(GUILD, league.id, CHAMPION, NOW)
    assert await due(service, NOW) == set()  # nobody has won anything yet
    ends = await play_season(service, league, 1, 2)
    assert await due(service, ends) == {(2, CHAMPION, True)}
    await settle_all(service, ends)
    assert await due(service, ends + RETRY_S) == set()
    ends = await play_season(service, league, 2, 3)
    assert await due(service, ends) == {(2, CHAMPION, False), (3, CHAMPION, True)}
    await settle_all(service, ends)
    assert await due(service, ends + RETRY_S) == set()


async def test_who_shares_the_first_place_shares_the_role(service: Service) -> None:
    league = await opened(service, CAMETTE, range(1, 5))
    await service.part(WinnerRoles).choose_role(GUILD, league.id, CHAMPION, NOW)
    ends = await play_season(service, league, 1, 1, 2)
    winners = (await service.part(Leagues).winners_of(league))[1]
    assert len(winners) > 1
    assert await due(service, ends) == {(user, CHAMPION, True) for user in winners}


async def test_another_role_goes_to_the_present_winners_at_once(service: Service) -> None:
    roles = service.part(WinnerRoles)
    league = await opened(service, CAMETTE, range(1, 5))
    ends = await play_season(service, league, 1, 2)
    await roles.choose_role(GUILD, league.id, CHAMPION, ends)
    await settle_all(service, ends)
    assert (await now_of(service, league)).role == CHAMPION
    await roles.choose_role(GUILD, league.id, KNIGHT, ends)
    assert await due(service, ends) == {(2, CHAMPION, False), (2, KNIGHT, True)}
    await roles.choose_role(GUILD, league.id, None, ends)
    assert await due(service, ends) == {(2, CHAMPION, False), (2, KNIGHT, False)}
    with pytest.raises(LeagueError):
        await roles.choose_role(GUILD + 1, league.id, CHAMPION, ends)


async def test_a_role_that_another_league_gives_too_is_kept(service: Service) -> None:
    roles = service.part(WinnerRoles)
    first, second = [await opened(service, CAMETTE, range(1, 5)) for _ in range(2)]
    await tick(service, BEGIN)
    for league in (first, second):
        await roles.choose_role(GUILD, league.id, CHAMPION, NOW)
        for game in (await groups(service, league))[0].games:
            assert game.match is not None
            if 2 in (users := (await service.current_match(game.match, GUILD)).players):
                await resign(service, game.match, next(user for user in users if user != 2), BEGIN + 1)
    ends = BEGIN + 14 * DAY
    await tick(service, ends)
    await settle_all(service, ends)
    await roles.choose_role(GUILD, first.id, None, ends)
    (holder,) = await roles.due_holders(ends)
    assert not await roles.claim_holder(holder, ends)
    assert await roles.due_holders(ends + RETRY_S) == []
    await roles.choose_role(GUILD, second.id, None, ends)
    (holder,) = await roles.due_holders(ends)
    assert await roles.claim_holder(holder, ends)


async def test_what_discord_could_not_do_is_tried_later(service: Service) -> None:
    roles = service.part(WinnerRoles)
    league = await opened(service, CAMETTE, range(1, 5))
    await roles.choose_role(GUILD, league.id, CHAMPION, NOW)
    ends = await play_season(service, league, 1, 2)
    (holder,) = await roles.due_holders(ends)
    await roles.claim_holder(holder, ends)
    assert await roles.due_holders(ends + RETRY_S - 1) == []
    assert await roles.due_holders(ends + RETRY_S) == [holder]
    assert await roles.due_holders(ends - DAY) == [holder]  # the clock was wrong before
    await roles.choose_role(GUILD, league.id, None, ends)  # while Discord is being asked
    await roles.settle_holder(holder)
    assert await due(service, ends) == {(2, CHAMPION, False)}


async def test_a_refusal_is_told_once_and_left(service: Service) -> None:
    roles = service.part(WinnerRoles)
    league = await opened(service, CAMETTE, range(1, 5))
    await roles.choose_role(GUILD, league.id, CHAMPION, NOW)
    ends = await play_season(service, league, 1, 2)
    await roles.give_up_role(league.id, CHAMPION, "no-role", ends)
    assert (await kinds(service, league)).count("no-role") == 1
    assert await due(service, ends + RETRY_S) == set()
    await roles.choose_role(GUILD, league.id, CHAMPION, ends + 1)  # the manager has mended it
    assert await due(service, ends + 1) == {(2, CHAMPION, True)}


async def test_a_role_that_cannot_be_taken_keeps_nobody_from_another(service: Service) -> None:
    roles = service.part(WinnerRoles)
    league = await opened(service, CAMETTE, range(1, 5))
    await roles.choose_role(GUILD, league.id, CHAMPION, NOW)
    ends = await play_season(service, league, 1, 2)
    await settle_all(service, ends)
    await roles.choose_role(GUILD, league.id, KNIGHT, ends)
    await roles.give_up_role(league.id, CHAMPION, "no-role", ends)
    assert await due(service, ends) == {(2, KNIGHT, True)}


async def test_a_forgotten_winner_gets_no_role_any_more(service: Service) -> None:
    roles, winner = service.part(WinnerRoles), 10**17
    league = await opened(service, CAMETTE, range(winner, winner + 4))
    await roles.choose_role(GUILD, league.id, CHAMPION, NOW)
    ends = await play_season(service, league, 1, winner)
    privacy = service.part(Privacy)
    (exported,) = (await privacy.export_person(winner))["league_roles"]
    assert (exported["league"], exported["role"], exported["wanted"]) == (league.id, CHAMPION, 1)
    await privacy.forget_person(winner, ends)
    await roles.choose_role(GUILD, league.id, CHAMPION, ends)
    assert await roles.due_holders(ends) == []


async def test_a_person_who_has_left_the_server_is_dropped(service: Service) -> None:
    roles = service.part(WinnerRoles)
    league = await opened(service, CAMETTE, range(1, 5))
    await roles.choose_role(GUILD, league.id, CHAMPION, NOW)
    ends = await play_season(service, league, 1, 2)
    await roles.drop_holder(RoleHolder(league.id, 2, CHAMPION, GUILD, is_wanted=True))
    assert await due(service, ends + RETRY_S) == set()


@pytest.mark.parametrize(("status", "kept"), [(204, False), (404, False), (403, False), (500, True)])
async def test_events_of_earlier_versions_are_deleted_and_forgotten(service: Service, status: int, kept: bool) -> None:
    league = await opened(service, CAMETTE, range(1, 3))
    async with service.store.write_transaction() as tx:
        await tx.run_sql("INSERT INTO league_scheduled_events VALUES (?, ?, ?)", (league.id, GUILD, 7))
    asked = list[tuple[int, int]]()

    async def delete_scheduled_event(guild: int, event: int) -> None:
        asked.append((guild, event))
        response: Any = SimpleNamespace(status=status, reason="")
        if error := {404: discord.NotFound, 403: discord.Forbidden, 500: discord.DiscordServerError}.get(status):
            raise error(response, "")

    client = SimpleNamespace(http=SimpleNamespace(delete_scheduled_event=delete_scheduled_event))
    context: Any = SimpleNamespace(service=service, client=client, reaches_server=lambda _: True)
    for _ in range(2):
        await delete_events(context, NOW)
    assert asked == [(GUILD, 7)] * (1 + kept)
