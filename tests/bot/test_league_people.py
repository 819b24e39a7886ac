"""The people of leagues: who gets a seat, who is signed off, and who is taken out."""

from __future__ import annotations

import pytest

from bot.core import leaving
from bot.core.clock import DAY
from bot.leagues.league import LeagueError, LeagueProblem, LeagueState, SignOff
from bot.leagues.season import SeatState
from bot.leagues.season_service import Seasons
from bot.leagues.service import Leagues
from bot.leagues.words import leaving_text, removal_text, sign_offs_text, sign_up_text
from bot.play.service import Service
from bot.privacy.service import Privacy
from bot.texts.i18n import text
from bot.texts.people import mention_user
from rules import Cause
from tests.bot.playing import CHANNEL, GUILD, NOW
from tests.bot.seasons import BEGIN, CAMETTE, groups, kinds, move, now_of, opened, resign, signed_up, tick

RESERVE, ANN = 10**17 + 50, 10**17
END = BEGIN + 14 * DAY


async def test_the_reserve_gets_no_seat_at_the_start(service: Service) -> None:
    leagues, league = service.part(Leagues), await opened(service, CAMETTE, range(1, 4))
    await leagues.join_league(GUILD, league.id, RESERVE, NOW, reserve=True)
    listed = await leagues.list_sign_ups(league)
    assert (listed.users, listed.reserve) == ([1, 2, 3], (RESERVE,))
    shown = sign_up_text("en", league, listed)
    assert "3 people have signed up" in shown
    assert text("en", "league.in-reserve", players=mention_user(RESERVE, "en")) in shown
    await tick(service, BEGIN)
    (group,) = await groups(service, league)
    assert sorted(group.users) == [1, 2, 3]
    await leagues.leave_league(GUILD, league.id, 1, BEGIN + 1)
    (group,) = await groups(service, league)
    assert RESERVE in group.users


@pytest.mark.parametrize("standing", [True, False])
async def test_the_reserve_serves_in_a_league_for_one_season_at_a_time(service: Service, standing: bool) -> None:
    leagues, league = service.part(Leagues), await opened(service, CAMETTE._replace(standing=standing), range(1, 4))
    await leagues.join_league(GUILD, league.id, RESERVE, NOW, reserve=True)
    await tick(service, BEGIN)
    _, meaning = await leagues.check_leaving(GUILD, league.id, 1)
    assert meaning.reserve is not None
    await tick(service, END)
    listed = await leagues.list_sign_ups(await now_of(service, league))
    assert listed.reserve == ((RESERVE,) if standing else ())


async def test_a_reserve_alone_begins_no_season(service: Service) -> None:
    league = await opened(service, CAMETTE, (1,))
    for user in (2, 3, 4):
        await service.part(Leagues).join_league(GUILD, league.id, user, NOW, reserve=True)
    await tick(service, BEGIN)
    assert (await now_of(service, league)).state is LeagueState.SIGN_UP


async def test_who_has_left_the_server_is_signed_off_before_the_season(service: Service) -> None:
    leagues, league = service.part(Leagues), await opened(service, CAMETTE, range(1, 6))
    await leagues.join_league(GUILD, league.id, RESERVE, NOW, reserve=True)
    await tick(service, BEGIN - DAY - 1, gone=(2, RESERVE))
    assert len(await signed_up(service, league)) == 5
    await tick(service, BEGIN - DAY, gone=(2, RESERVE))
    listed = await leagues.list_sign_ups(await now_of(service, league))
    assert (listed.users, listed.reserve) == ([1, 3, 4, 5], ())
    assert listed.signed_off == {SignOff.GONE: (2, RESERVE)}
    assert "gone" in await kinds(service, league)
    named = text("en", "league.signed-off-gone", players=f"{mention_user(2, 'en')}, {mention_user(RESERVE, 'en')}")
    assert named in sign_up_text("en", league, listed)
    assert named in sign_offs_text("en", league, listed, "gone")
    await leagues.join_league(GUILD, league.id, 2, BEGIN - 1)  # they are back
    await tick(service, BEGIN)
    assert sorted(user for group in await groups(service, league) for user in group.users) == [1, 2, 3, 4, 5]
    assert not (await leagues.list_sign_ups(league)).signed_off


async def test_a_season_waits_until_its_people_have_been_looked_up(service: Service) -> None:
    seasons, league = service.part(Seasons), await opened(service, CAMETTE, range(1, 4))
    assert not await seasons.tick(BEGIN, lambda league, game: "a game")
    ((looked_up, users),) = await seasons.leagues_to_look_up(BEGIN)
    assert users == [1, 2, 3]
    await seasons.note_looked_up(looked_up, (), BEGIN)
    assert await seasons.tick(BEGIN, lambda league, game: "a game")
    assert await seasons.leagues_to_look_up(BEGIN) == []
    assert (await now_of(service, league)).state is LeagueState.RUNNING


async def test_who_made_no_move_has_to_sign_up_again(service: Service) -> None:
    leagues, league = service.part(Leagues), await opened(service, CAMETTE, range(1, 5))
    await tick(service, BEGIN)
    (group,) = await groups(service, league)
    idle = group.games[0].entries[0]  # they have the first move in some game, and never make one
    ghost = group.users[idle]
    for game in group.games:
        if game.entries[0] != idle:
            await move(service, game.match or 0, BEGIN + 1)
            if game.entries[1] != idle:
                await move(service, game.match or 0, BEGIN + 2)
    await tick(service, END)
    league = await now_of(service, league)
    listed = await leagues.list_sign_ups(league)
    assert listed.signed_off == {SignOff.IDLE: (ghost,)}
    assert len(listed.users) == 3
    assert listed.users_called == (ghost,)
    assert (await kinds(service, league))[-2:] == ["open", "recall"]
    named = text("en", "league.signed-off-idle", players=mention_user(ghost, "en"))
    assert named in sign_up_text("en", league, listed)
    assert named in sign_offs_text("en", league, listed, "recall")
    await leagues.join_league(GUILD, league.id, ghost, END + 1)
    assert len(await signed_up(service, league)) == 4


async def test_nobody_is_idle_whose_turn_never_came(service: Service) -> None:
    league = await opened(service, CAMETTE, (1, 2))
    await tick(service, BEGIN)
    (group,) = await groups(service, league)
    ((first, waiting),) = [group.users_of(game) for game in group.games]
    await tick(service, END)
    listed = await service.part(Leagues).list_sign_ups(await now_of(service, league))
    assert (listed.users, listed.signed_off) == ([waiting], {SignOff.IDLE: (first,)})


async def test_who_lost_on_time_is_told_at_the_end_and_not_counted(service: Service) -> None:
    leagues, league = service.part(Leagues), await opened(service, CAMETTE, range(1, 4))
    await tick(service, BEGIN)
    (group,) = await groups(service, league)
    [lost, other] = [game for game in group.games if 2 in group.users_of(game)]
    seat = group.users_of(lost).index(2)
    await service.act_on_match(
        lost.match or 0, GUILD, lambda match, _: leaving.leave_seat(match, seat, Cause.TIMEOUT, BEGIN + DAY, {})
    )
    await leagues.sign_off(GUILD, league.id, 2)
    with pytest.raises(LeagueError) as refused:  # while the season goes on, too
        await leagues.join_league(GUILD, league.id, 2, BEGIN + 2 * DAY)
    assert refused.value.problem is LeagueProblem.UNFINISHED
    await resign(service, other.match or 0, next(u for u in group.users_of(other) if u != 2), BEGIN + 2 * DAY)
    [third] = [game for game in group.games if game not in (lost, other)]
    await resign(service, third.match or 0, group.users_of(third)[0], BEGIN + 2 * DAY)
    await service.part(Leagues).join_league(GUILD, (second := await opened(service, CAMETTE, ())).id, 2, NOW)
    await tick(service, END)
    assert (await leagues.list_sign_ups(second)).users == [2], "another league of the server"


async def test_people_with_games_to_finish_are_listed_apart(service: Service) -> None:
    leagues, league = service.part(Leagues), await opened(service, CAMETTE, range(1, 5))
    await tick(service, BEGIN)
    (group,) = await groups(service, league)
    [lost, *others] = [game for game in group.games if 2 in group.users_of(game)]
    seat = group.users_of(lost).index(2)
    await service.act_on_match(
        lost.match or 0, GUILD, lambda match, _: leaving.leave_seat(match, seat, Cause.TIMEOUT, BEGIN + DAY, {})
    )
    for game in others:
        await move(service, game.match or 0, BEGIN + 1)
        await move(service, game.match or 0, BEGIN + 2)
    for game in group.games:
        if 2 not in group.users_of(game):
            await resign(service, game.match or 0, group.users_of(game)[0], BEGIN + 2)
    await tick(service, END)
    league = await now_of(service, league)
    listed = await leagues.list_sign_ups(league)
    assert listed.unready == {2: 2}
    assert 2 not in listed.users
    assert 2 in listed.users_called
    assert "recall" in await kinds(service, league)
    assert text("en", "league.unready", players=f"{mention_user(2, 'en')} (2)") in sign_up_text("en", league, listed)
    for game in others:  # the games may be played on
        await resign(service, game.match or 0, 2, END + 1)
    assert 2 in await signed_up(service, league)


async def test_one_may_sign_off_and_play_the_season_out(service: Service) -> None:
    leagues, league = service.part(Leagues), await opened(service, CAMETTE, range(1, 5))
    await tick(service, BEGIN)
    _, meaning = await leagues.check_leaving(GUILD, league.id, 1)
    assert meaning.is_signed_up
    await leagues.sign_off(GUILD, league.id, 1)
    (group,) = await groups(service, league)
    assert all(seat.state is SeatState.IN for seat in group.seats)
    assert 1 not in await signed_up(service, league)
    with pytest.raises(LeagueError):
        await leagues.sign_off(GUILD, league.id, 1)
    _, meaning = await leagues.check_leaving(GUILD, league.id, 1)
    assert not meaning.is_signed_up


async def test_who_leaves_after_their_games_is_told_that_these_stay(service: Service) -> None:
    leagues, league = service.part(Leagues), await opened(service, CAMETTE, range(1, 4))
    await tick(service, BEGIN)
    (group,) = await groups(service, league)
    for game in group.games:
        await resign(service, game.match or 0, group.users_of(game)[0], BEGIN + 1)
    league, meaning = await leagues.check_leaving(GUILD, league.id, 1)
    asked = leaving_text("en", league, meaning)
    assert asked == text("en", "league.leave.over", league=f"Camette league {league.id}")


async def test_a_manager_takes_somebody_out_who_is_told(service: Service) -> None:
    leagues, league = service.part(Leagues), await opened(service, CAMETTE, range(ANN, ANN + 4))
    await leagues.leave_league(GUILD, league.id, ANN + 3, NOW, manager=99)  # before the season
    await tick(service, BEGIN)
    league, meaning = await leagues.check_leaving(GUILD, league.id, ANN, 99)
    assert mention_user(ANN, "en") in leaving_text("en", league, meaning, ANN)
    await leagues.leave_league(GUILD, league.id, ANN, BEGIN + 1, manager=99)
    (group,) = await groups(service, league)
    assert {seat.user: seat.state for seat in group.seats}[ANN] is SeatState.OUT
    own = [game for game in group.games if ANN in group.users_of(game)]
    assert all([ANN in (await service.current_match(game.match or 0, GUILD)).resigned_users for game in own])
    news = [one for one in await service.part(Seasons).news_of(league.id) if one.removal]
    assert [(one.removal, one.is_audit) for one in news] == [
        ((99, user), is_audit) for user in (ANN + 3, ANN) for is_audit in (False, True)
    ]
    assert not any(one.is_outdated(league) for one in news)
    assert f"{mention_user(ANN, 'en')}: " in removal_text("en", league, 99, ANN, None)
    with pytest.raises(LeagueError) as refused:
        await leagues.leave_league(GUILD, league.id, ANN, BEGIN + 2, manager=99)
    assert refused.value.problem is LeagueProblem.NOT_THERE


@pytest.mark.parametrize("reserve", [False, True])
async def test_who_deletes_their_data_leaves_by_the_rule(service: Service, reserve: bool) -> None:
    leagues, league = service.part(Leagues), await opened(service, CAMETTE, range(ANN, ANN + 4))
    await tick(service, BEGIN)
    if reserve:
        await leagues.join_league(GUILD, league.id, RESERVE, BEGIN, reserve=True)
    privacy = service.part(Privacy)
    assert (await privacy.footprint_of(ANN))["leagues"] == 1
    await privacy.forget_person(ANN, BEGIN + 1)
    (group,) = await groups(service, league)
    assert ANN not in group.users
    assert (await privacy.footprint_of(ANN))["leagues"] == 0
    if reserve:
        assert RESERVE in group.users
        assert {seat.state for seat in group.seats} == {SeatState.IN}
        for game in group.games:
            match = await service.current_match(game.match or 0, GUILD)
            assert match.players == group.users_of(game)
            assert match.is_live
        return
    [seat] = [seat for seat in group.seats if seat.state is SeatState.OUT]
    assert seat.user < 0
    assert len(group.games_that_count) == 3


async def test_one_panel_opens_one_league(service: Service) -> None:
    leagues = service.part(Leagues)
    first = await leagues.open_league(GUILD, CHANNEL, CAMETTE, NOW, panel=7)
    assert (await leagues.open_league(GUILD, CHANNEL, CAMETTE, NOW + 1, panel=7)).id == first.id
    assert await kinds(service, first) == ["open"]
    assert (await leagues.open_league(GUILD, CHANNEL, CAMETTE, NOW + 1, panel=8)).id != first.id
    assert (await leagues.open_league(GUILD + 1, CHANNEL, CAMETTE, NOW + 1, panel=7)).id != first.id


async def test_the_end_of_a_league_can_be_taken_back_in_a_season(service: Service) -> None:
    leagues, league = service.part(Leagues), await opened(service, CAMETTE, range(1, 4))
    await tick(service, BEGIN)
    assert (await leagues.close_league(GUILD, league.id)).closing
    assert not (await leagues.keep_league(GUILD, league.id)).closing
    await tick(service, END)
    assert (await now_of(service, league)).state is LeagueState.SIGN_UP
    await leagues.close_league(GUILD, league.id)
    with pytest.raises(LeagueError) as refused:
        await leagues.keep_league(GUILD, league.id)
    assert refused.value.problem is LeagueProblem.CLOSED


async def test_sixty_people_and_a_reserve_of_sixty_have_room(service: Service) -> None:
    leagues, league = service.part(Leagues), await opened(service, CAMETTE, range(1, 61))
    for _ in range(2):
        with pytest.raises(LeagueError) as refused:
            await leagues.join_league(GUILD, league.id, 61, NOW)
        assert refused.value.problem is LeagueProblem.FULL
    await leagues.join_league(GUILD, league.id, 61, NOW, reserve=True)
    with pytest.raises(LeagueError):
        await leagues.join_league(GUILD, league.id, 61, NOW, reserve=False)
    await leagues.join_league(GUILD, league.id, 60, NOW, at_once=2)
