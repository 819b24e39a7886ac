"""The role of a league's winners, and what scheduled events have to announce, through the service and a database."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.core.clock import DAY
from bot.leagues.honour_rows import RoleHolder
from bot.leagues.honour_service import Honours
from bot.leagues.honours import RETRY_S, Announcement, announcement_of, is_called_off
from bot.leagues.league import League, LeagueError, LeagueState, open_league
from bot.leagues.service import Leagues
from bot.play.service import Service
from bot.privacy.service import Privacy
from tests.bot.playing import CHANNEL, GUILD, NOW
from tests.bot.seasons import BEGIN, CAMETTE, groups, kinds, now_of, opened, resign, tick

CHAMPION, KNIGHT = 501, 502


async def due(service: Service, now: int) -> set[tuple[int, int, bool]]:
    """Returns who is to get or lose which role."""
    return {(one.user, one.role, one.is_wanted) for one in await service.part(Honours).due_holders(now)}


async def settle_all(service: Service, now: int) -> None:
    """Does what the bot does when Discord grants everything."""
    honours = service.part(Honours)
    for holder in await honours.due_holders(now):
        if await honours.claim_holder(holder, now):
            await honours.settle_holder(holder)


async def play_season(service: Service, league: League, season: int, *winners: int) -> int:
    """Plays the season of a league: everybody resigns against the winners. Returns its end."""
    begins = (await now_of(service, league)).begins_at
    await tick(service, begins)
    (group,) = await groups(service, league, season)
    for game in group.games:
        assert game.match is not None
        users = group.users_of(game)
        losers = [user for user in users if user not in winners]
        if losers:
            await resign(service, game.match, losers[-1], begins + 1)
    ends = (await now_of(service, league)).ends_at
    await tick(service, ends)
    return ends


async def test_winners_get_the_role_and_the_last_holder_loses_it(service: Service) -> None:
    honours = service.part(Honours)
    league = await opened(service, CAMETTE, range(1, 5))
    await honours.choose_role(GUILD, league.id, CHAMPION, NOW)
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
    await service.part(Honours).choose_role(GUILD, league.id, CHAMPION, NOW)
    ends = await play_season(service, league, 1, 1, 2)
    winners = (await service.part(Leagues).winners_of(league))[1]
    assert len(winners) > 1
    assert await due(service, ends) == {(user, CHAMPION, True) for user in winners}


async def test_another_role_goes_to_the_present_winners_at_once(service: Service) -> None:
    honours = service.part(Honours)
    league = await opened(service, CAMETTE, range(1, 5))
    ends = await play_season(service, league, 1, 2)
    await honours.choose_role(GUILD, league.id, CHAMPION, ends)
    await settle_all(service, ends)
    assert (await now_of(service, league)).role == CHAMPION
    await honours.choose_role(GUILD, league.id, KNIGHT, ends)
    assert await due(service, ends) == {(2, CHAMPION, False), (2, KNIGHT, True)}
    await honours.choose_role(GUILD, league.id, None, ends)
    assert await due(service, ends) == {(2, CHAMPION, False), (2, KNIGHT, False)}
    with pytest.raises(LeagueError):
        await honours.choose_role(GUILD + 1, league.id, CHAMPION, ends)


async def test_a_role_that_another_league_gives_too_is_kept(service: Service) -> None:
    honours = service.part(Honours)
    first, second = [await opened(service, CAMETTE, range(1, 5)) for _ in range(2)]
    await tick(service, BEGIN)
    for league in (first, second):
        await honours.choose_role(GUILD, league.id, CHAMPION, NOW)
        for game in (await groups(service, league))[0].games:
            assert game.match is not None
            if 2 in (users := (await service.current_match(game.match, GUILD)).players):
                await resign(service, game.match, next(user for user in users if user != 2), BEGIN + 1)
    ends = BEGIN + 14 * DAY
    await tick(service, ends)
    await settle_all(service, ends)
    await honours.choose_role(GUILD, first.id, None, ends)
    (holder,) = await honours.due_holders(ends)
    assert not await honours.claim_holder(holder, ends)
    assert await honours.due_holders(ends + RETRY_S) == []
    await honours.choose_role(GUILD, second.id, None, ends)
    (holder,) = await honours.due_holders(ends)
    assert await honours.claim_holder(holder, ends)


async def test_what_discord_could_not_do_is_tried_later(service: Service) -> None:
    honours = service.part(Honours)
    league = await opened(service, CAMETTE, range(1, 5))
    await honours.choose_role(GUILD, league.id, CHAMPION, NOW)
    ends = await play_season(service, league, 1, 2)
    (holder,) = await honours.due_holders(ends)
    await honours.claim_holder(holder, ends)
    assert await honours.due_holders(ends + RETRY_S - 1) == []
    assert await honours.due_holders(ends + RETRY_S) == [holder]
    assert await honours.due_holders(ends - DAY) == [holder]  # the clock was wrong before
    await honours.choose_role(GUILD, league.id, None, ends)  # while Discord is being asked
    await honours.settle_holder(holder)
    assert await due(service, ends) == {(2, CHAMPION, False)}


async def test_a_refusal_is_told_once_and_left(service: Service) -> None:
    honours = service.part(Honours)
    league = await opened(service, CAMETTE, range(1, 5))
    await honours.choose_role(GUILD, league.id, CHAMPION, NOW)
    ends = await play_season(service, league, 1, 2)
    await honours.give_up_role(league.id, CHAMPION, ends)
    assert (await kinds(service, league)).count("no-role") == 1
    assert await due(service, ends + RETRY_S) == set()
    await honours.choose_role(GUILD, league.id, CHAMPION, ends + 1)  # the manager has mended it
    assert await due(service, ends + 1) == {(2, CHAMPION, True)}


async def test_a_role_that_cannot_be_taken_keeps_nobody_from_another(service: Service) -> None:
    honours = service.part(Honours)
    league = await opened(service, CAMETTE, range(1, 5))
    await honours.choose_role(GUILD, league.id, CHAMPION, NOW)
    ends = await play_season(service, league, 1, 2)
    await settle_all(service, ends)
    await honours.choose_role(GUILD, league.id, KNIGHT, ends)
    await honours.give_up_role(league.id, CHAMPION, ends)
    assert await due(service, ends) == {(2, KNIGHT, True)}


async def test_a_forgotten_winner_gets_no_role_any_more(service: Service) -> None:
    honours, winner = service.part(Honours), 10**17
    league = await opened(service, CAMETTE, range(winner, winner + 4))
    await honours.choose_role(GUILD, league.id, CHAMPION, NOW)
    ends = await play_season(service, league, 1, winner)
    privacy = service.part(Privacy)
    (exported,) = (await privacy.export_person(winner))["league_roles"]
    assert (exported["league"], exported["role"], exported["wanted"]) == (league.id, CHAMPION, 1)
    await privacy.forget_person(winner, ends)
    await honours.choose_role(GUILD, league.id, CHAMPION, ends)
    assert await honours.due_holders(ends) == []


async def test_a_person_who_has_left_the_server_is_dropped(service: Service) -> None:
    honours = service.part(Honours)
    league = await opened(service, CAMETTE, range(1, 5))
    await honours.choose_role(GUILD, league.id, CHAMPION, NOW)
    ends = await play_season(service, league, 1, 2)
    await honours.drop_holder(RoleHolder(league.id, 2, CHAMPION, GUILD, is_wanted=True))
    assert await due(service, ends + RETRY_S) == set()


SIGN_UP = replace(open_league(1, GUILD, CHANNEL, CAMETTE, NOW), events=True)
RUNNING = SIGN_UP.begin_season(SIGN_UP.begins_at)
CLOSED = replace(SIGN_UP, state=LeagueState.CLOSED)
BEGINS, ENDS = Announcement(1, "begin", SIGN_UP.begins_at), Announcement(1, "end", RUNNING.ends_at)


def test_the_start_is_announced_before_a_season_and_then_the_end() -> None:
    assert announcement_of(SIGN_UP, NOW) == BEGINS
    assert announcement_of(SIGN_UP, SIGN_UP.begins_at) is None
    assert announcement_of(RUNNING, RUNNING.begins_at) == ENDS
    assert announcement_of(replace(RUNNING, state=LeagueState.ENDING), RUNNING.ends_at) is None
    assert announcement_of(CLOSED, NOW) is None
    assert announcement_of(replace(SIGN_UP, events=False), NOW) is None
    assert announcement_of(SIGN_UP.extend_sign_up(), SIGN_UP.begins_at) == BEGINS._replace(at=BEGINS.at + 7 * DAY)


@pytest.mark.parametrize(
    ("league", "shown", "now", "called_off"),
    [
        (RUNNING, BEGINS, BEGINS.at, False),  # the season has begun
        (RUNNING, BEGINS, BEGINS.at - 1, True),
        (SIGN_UP.extend_sign_up(), BEGINS, BEGINS.at, True),
        (CLOSED, BEGINS, BEGINS.at, True),  # put off for good
        (CLOSED, BEGINS, NOW, True),  # closed by a manager
        (RUNNING, ENDS, NOW, True),
        (RUNNING.after_season(ENDS.at), ENDS, ENDS.at, False),
        (replace(CLOSED, season=1), ENDS, ENDS.at, False),
    ],
)
def test_only_what_takes_place_stays_announced(
    league: League, shown: Announcement, now: int, *, called_off: bool
) -> None:
    assert is_called_off(league, shown, now) is called_off


async def test_each_change_of_a_league_has_its_event_compared(service: Service) -> None:
    honours, leagues = service.part(Honours), service.part(Leagues)
    league = await opened(service, CAMETTE, range(1, 5))
    assert await honours.due_events(NOW) == []
    league = await honours.announce_seasons(GUILD, league.id, events=True)
    assert league.events
    (announced,) = await honours.due_events(NOW)
    await honours.claim_event(league.id, NOW)
    await honours.note_event(league.id, 77, BEGINS)
    assert await honours.due_events(NOW) == []  # until it may be tried again
    await honours.settle_event(league.id, NOW)
    assert await honours.due_events(NOW + DAY) == []
    await tick(service, BEGIN)
    (announced,) = await honours.due_events(BEGIN)
    assert (announced.event, announced.announcement) == (77, BEGINS)
    await honours.claim_event(league.id, BEGIN)
    await leagues.close_league(GUILD, league.id)  # while Discord is being asked
    await honours.settle_event(league.id, BEGIN)
    assert len(await honours.due_events(BEGIN)) == 1
    await honours.claim_event(league.id, BEGIN)
    await honours.settle_event(league.id, BEGIN)
    await honours.announce_seasons(GUILD, league.id, events=False)
    assert len(await honours.due_events(BEGIN)) == 1


async def test_a_refused_event_is_told_once(service: Service) -> None:
    honours = service.part(Honours)
    league = await opened(service, CAMETTE, range(1, 5))
    await honours.announce_seasons(GUILD, league.id, events=True)
    await honours.claim_event(league.id, NOW)
    await honours.give_up_event(league.id, NOW)
    assert (await kinds(service, league)).count("no-event") == 1
    assert await honours.due_events(NOW + DAY) == []
