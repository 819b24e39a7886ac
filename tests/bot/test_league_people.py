"""The people of leagues: who gets a seat, how many games at a time they have, who is taken out, and who takes over."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from pathlib import Path

import pytest

from bot.core.clock import DAY
from bot.core.deadlines import Actor, time_runs_out_at
from bot.leagues import rows, seasons
from bot.leagues import service as leagues
from bot.leagues.groups import Group, LeagueSeat, SeatState, make_groups, make_schedule
from bot.leagues.league import League, LeagueError, LeagueProblem, LeagueState, SignOff, SignUp
from bot.leagues.service import find_leaving
from bot.leagues.words import leaving_text, sign_offs_text, sign_up_text
from bot.play.service import Service, people, upkeep
from bot.privacy.service import export_person, footprint_of, forget_person
from bot.store.absences import add_absence
from bot.texts.i18n import text
from bot.texts.people import mention_user
from rules import Game, parse_position
from tests.bot import acts
from tests.bot.databases import change, plug_pulled, write
from tests.bot.playing import GUILD, NOW
from tests.bot.seasons import (
    BEGIN,
    CAMETTE,
    TRI,
    begun,
    do_jobs,
    groups,
    kinds,
    lose_on_time,
    move,
    now_of,
    opened,
    refuses,
    resign,
    sign_up_again,
    sign_ups,
    signed_up,
    tick,
)

RESERVE, ANN = 10**17 + 50, 10**17
END = BEGIN + 14 * DAY


async def test_the_reserve_gets_no_seat_at_the_start(service: Service) -> None:
    league = await opened(service, CAMETTE, range(1, 4))
    await leagues.join_league(service, Actor(RESERVE, NOW, GUILD), league.id, reserve=True)
    listed = await sign_ups(service, league)
    assert ([*listed.ready], listed.reserve) == ([1, 2, 3], (RESERVE,))
    assert text("en", "league.now") not in sign_up_text("en", league, listed._replace(ready={}), BEGIN)
    shown = sign_up_text("en", league, listed, NOW)
    assert "3 people have signed up" in shown
    assert text("en", "league.in-reserve", players=mention_user(RESERVE, "en")) in shown
    await tick(service, BEGIN)
    (group,) = await groups(service, league)
    assert sorted(group.users_by_entrant) == [1, 2, 3]


@pytest.mark.parametrize("standing", [True, False])
async def test_the_reserve_serves_in_a_league_for_one_season_at_a_time(service: Service, standing: bool) -> None:
    league = await opened(service, CAMETTE._replace(standing=standing), range(1, 4))
    await leagues.join_league(service, Actor(RESERVE, NOW, GUILD), league.id, reserve=True)
    await tick(service, BEGIN)
    assert (await find_leaving(service.reader, await now_of(service, league), 1)).reserve is not None
    await tick(service, END)
    listed = await sign_ups(service, await now_of(service, league))
    assert listed.reserve == ((RESERVE,) if standing else ())


async def test_a_reserve_alone_begins_no_season(service: Service) -> None:
    league = await opened(service, CAMETTE, (1,))
    for user in (2, 3, 4):
        await leagues.join_league(service, Actor(user, NOW, GUILD), league.id, reserve=True)
    await tick(service, BEGIN)
    assert (await now_of(service, league)).state is LeagueState.SIGN_UP


async def test_who_has_left_the_server_is_signed_off_before_the_season(service: Service) -> None:
    league = await opened(service, CAMETTE, range(1, 6))
    await leagues.join_league(service, Actor(RESERVE, NOW, GUILD), league.id, reserve=True)
    await tick(service, BEGIN - DAY - 1, gone=(2, RESERVE))
    assert len(await signed_up(service, league)) == 5
    await tick(service, BEGIN - DAY, gone=(2, RESERVE))
    listed = await sign_ups(service, await now_of(service, league))
    assert ([*listed.ready], listed.reserve) == ([1, 3, 4, 5], ())
    assert listed.signed_off == {SignOff.GONE: (2, RESERVE)}
    await leagues.join_league(service, Actor(2, BEGIN - 1, GUILD), league.id)  # they are back
    await tick(service, BEGIN)
    assert sorted(user for group in await groups(service, league) for user in group.users_by_entrant) == [1, 2, 3, 4, 5]
    assert not (await sign_ups(service, league)).signed_off


async def test_a_season_begins_once_discord_says_who_is_in_the_server(service: Service) -> None:
    league = await opened(service, CAMETTE, range(1, 4))
    for _ in range(2):
        await seasons.tick_seasons(service, BEGIN)
        await do_jobs(service, BEGIN, gone=None)
    assert (await now_of(service, league)).state is LeagueState.SIGN_UP
    assert len(await signed_up(service, league)) == 3
    await tick(service, BEGIN + DAY)
    assert (await now_of(service, league)).state is LeagueState.RUNNING


async def test_who_made_no_move_has_to_sign_up_again(service: Service) -> None:
    (league, group) = await begun(service, CAMETTE, range(1, 5))
    idle = group.games[0].entrants[0]  # they have the first move in some game, and never make one
    ghost = group.users_by_entrant[idle]
    for game in group.games:
        if game.entrants[0] != idle:
            await move(service, game.match or 0, BEGIN + 1)
            if game.entrants[1] != idle:
                await move(service, game.match or 0, BEGIN + 2)
    await tick(service, END)
    league = await now_of(service, league)
    listed = await sign_ups(service, league)
    assert listed.signed_off == {SignOff.IDLE: (ghost,)}
    assert (len(listed.ready), listed.users_called) == (3, (ghost,))
    assert (await kinds(service, league))[-2:] == ["open", "recall"]
    named = text("en", "league.signed-off-idle", players=mention_user(ghost, "en"))
    assert named in sign_up_text("en", league, listed, NOW)
    assert named in sign_offs_text("en", league, listed, "recall")
    await leagues.join_league(service, Actor(ghost, END + 1, GUILD), league.id)
    assert len(await signed_up(service, league)) == 4


@pytest.mark.parametrize("is_lost", [False, True])
async def test_nobody_is_idle_whose_turn_never_came(service: Service, is_lost: bool) -> None:
    league, group = await begun(service, CAMETTE, (1, 2))
    ((first, waiting),) = [group.users_of(game) for game in group.games]
    if is_lost:
        await lose_on_time(service, group, group.games[0], first)
    await tick(service, END)
    listed = await sign_ups(service, await now_of(service, league))
    assert ([*listed.ready], listed.signed_off) == ([waiting], {SignOff.IDLE: (first,)})


async def test_people_with_games_to_finish_are_listed_apart(service: Service) -> None:
    (league, group) = await begun(service, CAMETTE, range(1, 5))
    [lost, *others] = [game for game in group.games if 2 in group.users_of(game)]
    await lose_on_time(service, group, lost, 2)
    await leagues.sign_off(service, GUILD, league.id, 2)
    with refuses(LeagueProblem.UNFINISHED):  # while the season goes on, too
        await leagues.join_league(service, Actor(2, BEGIN + 2 * DAY, GUILD), league.id)
    await write(service.store, rows.set_sign_up, league, SignUp(2), BEGIN)  # as if they had not signed off
    second = await opened(service, CAMETTE, (2,))
    assert await signed_up(service, second) == [2], "another league of the server"
    for game in others:
        await move(service, game.match or 0, BEGIN + 1)
        await move(service, game.match or 0, BEGIN + 2)
    for game in group.games:
        if 2 not in group.users_of(game):
            await resign(service, game.match or 0, group.users_of(game)[0], BEGIN + 2)
    await tick(service, END)
    league = await now_of(service, league)
    listed = await sign_ups(service, league)
    assert listed.unready == {2: 2}
    assert 2 not in listed.ready
    assert 2 in listed.users_called
    assert "recall" in await kinds(service, league)
    unready = text("en", "league.unready", players=f"{mention_user(2, 'en')} (2)")
    assert unready in sign_up_text("en", league, listed, NOW)
    for game in others:  # the games may be played on
        await resign(service, game.match or 0, 2, END + 1)
    assert 2 in await signed_up(service, league)


async def test_one_may_sign_off_and_play_the_season_out(service: Service) -> None:
    league, _ = await begun(service, CAMETTE, range(1, 5))
    assert (await find_leaving(service.reader, await now_of(service, league), 1)).is_signed_up
    await leagues.sign_off(service, GUILD, league.id, 1)
    (group,) = await groups(service, league)
    assert all(seat.state is SeatState.IN for seat in group.seats)
    assert 1 not in await signed_up(service, league)
    with pytest.raises(LeagueError):
        await leagues.sign_off(service, GUILD, league.id, 1)
    assert not (await find_leaving(service.reader, await now_of(service, league), 1)).is_signed_up


async def test_who_leaves_after_their_games_is_told_that_these_stay(service: Service) -> None:
    league, group = await begun(service, CAMETTE, range(1, 4))
    for game in group.games:
        await resign(service, game.match or 0, group.users_of(game)[0], BEGIN + 1)
    asked = leaving_text("en", league, await find_leaving(service.reader, await now_of(service, league), 1))
    assert asked == text("en", "league.leave.over", league=f"Camette league {league.id}")


async def test_a_manager_takes_somebody_out_who_is_told(service: Service) -> None:
    league = await opened(service, CAMETTE, range(ANN, ANN + 4))
    await leagues.leave_league(service, GUILD, league.id, ANN + 3, NOW, manager=99)  # before the season
    await tick(service, BEGIN)
    await leagues.leave_league(service, GUILD, league.id, ANN, BEGIN + 1, manager=99)
    (group,) = await groups(service, league)
    assert {seat.user: seat.state for seat in group.seats}[ANN] is SeatState.OUT
    own = [game for game in group.games if ANN in group.users_of(game)]
    assert all([ANN in (await service.current_match(game.match or 0, GUILD)).resigned_users for game in own])
    told = [(job.key, job.note) for job in await service.reader.find_jobs("kind = 'league-removal'")]
    first, second = f"{league.id}:{ANN + 3}:{NOW}", f"{league.id}:{ANN}:{BEGIN + 1}"
    assert told == [(key, "99") for key in (first, f"{first}:audit", second, f"{second}:audit")]


@pytest.mark.parametrize("reserve", [False, True])
async def test_who_deletes_their_data_leaves_by_the_rule(service: Service, reserve: bool) -> None:
    league, _ = await begun(service, CAMETTE, range(ANN, ANN + 4))
    if reserve:
        await leagues.join_league(service, Actor(RESERVE, BEGIN, GUILD), league.id, reserve=True)
    assert (await footprint_of(service, ANN))["leagues"] == 1
    exported = await export_person(service, ANN)
    assert [len(exported[name]) for name in ("league_sign_ups", "league_seasons")] == [1, 1]
    await forget_person(service, ANN, BEGIN + 1)
    (group,) = await groups(service, league)
    assert ANN not in group.users_by_entrant
    assert (await footprint_of(service, ANN))["leagues"] == 0
    if reserve:
        assert RESERVE in group.users_by_entrant
        assert all(game.points is None for game in group.games)
        await check_seats(service, league)
        return
    assert [seat.user < 0 for seat in group.seats if seat.state is SeatState.OUT] == [True]
    assert len(group.games_that_count) == 3


async def test_the_end_of_a_league_can_be_taken_back_in_a_season(service: Service) -> None:
    league, _ = await begun(service, CAMETTE, range(1, 4))
    assert (await leagues.change_league(service, GUILD, league.id, League.close)).closing
    assert not (await leagues.change_league(service, GUILD, league.id, League.keep)).closing
    await tick(service, END)
    assert (await now_of(service, league)).state is LeagueState.SIGN_UP
    await leagues.change_league(service, GUILD, league.id, League.close)
    with refuses(LeagueProblem.CLOSED):
        await leagues.change_league(service, GUILD, league.id, League.keep)


async def test_managers_move_people_before_the_start_and_put_the_reserve_in(service: Service) -> None:
    league, manager = await opened(service, CAMETTE._replace(most=4), range(ANN, ANN + 7)), Actor(99, NOW, GUILD)
    await leagues.join_league(service, Actor(RESERVE, NOW, GUILD), league.id, reserve=True)
    await leagues.join_league(service, manager._replace(user=RESERVE), league.id, reserve=False, manager=99)
    with refuses(LeagueProblem.NOT_THERE):
        await leagues.join_league(service, manager._replace(user=5), league.id, reserve=False, manager=99)
    for _ in range(2):  # a press twice by mistake
        await leagues.move_person(service, manager, league.id, ANN, 1)
    await tick(service, BEGIN)
    first, second = [[user - ANN for user in group.users_by_entrant] for group in await groups(service, league)]
    assert (first, second) == ([1, 2, 3, 4], [0, 5, 6, RESERVE - ANN])
    jobs = await service.reader.find_jobs("kind = 'league-removal'")
    acts = {f"{RESERVE}:{NOW}:put-in", f"{RESERVE}:{NOW}:put-in:audit", f"{ANN}:{NOW}:moved:audit"}
    assert {job.key.partition(":")[2] for job in jobs} == acts
    with refuses(LeagueProblem.NO_SIGN_UP):
        await leagues.move_person(service, manager, league.id, ANN, 0)
    assert {one.division for one in (await rows.sign_ups_of(service.reader, league.id)).values()} == {None}


async def test_sixty_people_and_a_reserve_of_sixty_have_room(service: Service) -> None:
    league = await opened(service, CAMETTE, range(1, 61))
    for _ in range(2):
        with refuses(LeagueProblem.FULL):
            await leagues.join_league(service, Actor(61, NOW, GUILD), league.id)
    await leagues.join_league(service, Actor(61, NOW, GUILD), league.id, reserve=True)
    with pytest.raises(LeagueError):
        await leagues.join_league(service, Actor(61, NOW, GUILD), league.id, reserve=False)
    await leagues.join_league(service, Actor(60, NOW, GUILD), league.id, at_once=2)


# A database that fails in between


@pytest.mark.parametrize("reserve", [False, True])
async def test_who_leaves_keeps_all_games_or_none_if_storing_fails(service: Service, path: Path, reserve: bool) -> None:
    league, group = await begun(service, CAMETTE, range(1, 5))
    own = [game.match or 0 for game in group.games if 1 in group.users_of(game)]
    if reserve:
        await leagues.join_league(service, Actor(9, BEGIN + 1, GUILD), league.id, reserve=True)
    with plug_pulled(path, len(own)):
        await leagues.leave_league(service, GUILD, league.id, 1, BEGIN + 2)
    await check_seats(service, league)
    assert not any([1 in (await service.current_match(match, GUILD)).resigned_users for match in own])
    await leagues.leave_league(service, GUILD, league.id, 1, BEGIN + 3)  # they press the button again
    matches = [await service.current_match(match, GUILD) for match in own]
    assert {1 in match.resigned_users for match in matches} == {not reserve}
    assert {9 in match.players for match in matches} == {reserve}
    with pytest.raises(LeagueError):
        await find_leaving(service.reader, await now_of(service, league), 1)


async def test_games_begin_for_who_has_the_seat_by_then(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    league, left = await opened(service, CAMETTE, range(1, 5)), list[asyncio.Future[object]]()
    await seasons.tick_seasons(service, BEGIN)
    assert (await now_of(service, league)).state is LeagueState.SIGN_UP, "its people have to be looked up"
    await do_jobs(service, BEGIN)
    await seasons.tick_seasons(service, BEGIN)
    await leagues.join_league(service, Actor(RESERVE, BEGIN, GUILD), league.id, reserve=True)

    def title(*_: object) -> str:
        monkeypatch.undo()
        left.append(asyncio.ensure_future(leagues.leave_league(service, GUILD, league.id, 1, BEGIN)))
        return ""

    monkeypatch.setattr(seasons, "game_title", title)
    await do_jobs(service, BEGIN)
    await asyncio.gather(*left)
    await check_seats(service, league)


async def check_seats(service: Service, league: League) -> None:
    """Checks that the games of a season are played by the people of the seats, and all seats taken."""
    (group,) = await groups(service, league)
    for game in group.games:
        assert (await service.current_match(game.match or 0, GUILD)).players == group.users_of(game)
    assert all(seat.state is SeatState.IN for seat in group.seats)


def running(group: Group, user: int) -> list[int]:
    """The matches of a person that have begun and are not over."""
    return [game.match for game in group.games if user in group.users_of(game) and game.match and game.points is None]


async def test_a_person_has_no_more_games_at_a_time_than_they_want(service: Service) -> None:
    league = await opened(service, CAMETTE, range(1, 4))
    await leagues.join_league(service, Actor(4, NOW, GUILD), league.id, at_once=1)
    await tick(service, BEGIN)
    for _ in range(3):
        (group,) = await groups(service, league)
        (match,) = running(group, 4)
        await tick(service, BEGIN + 1)
        (group,) = await groups(service, league)
        assert running(group, 4) == [match]
        await resign(service, match, 4, BEGIN + 2)
        await tick(service, BEGIN + 3)
    (group,) = await groups(service, league)
    assert all(game.match for game in group.games)


def test_the_games_to_begin_are_found_in_no_time() -> None:
    seats, terms = [LeagueSeat(0, entrant, entrant) for entrant in range(10)], CAMETTE._replace(double=True)
    (group,) = make_groups(seats, make_schedule(10, terms), terms)
    before = time.process_time()
    assert len(group.games_to_begin()) == 90
    assert time.process_time() - before < 0.02


async def test_a_limit_raised_or_taken_back_begins_more_games_at_once(service: Service) -> None:
    league = await opened(service, CAMETTE, range(1, 4))
    await leagues.join_league(service, Actor(4, NOW, GUILD), league.id, at_once=1)
    await tick(service, BEGIN)
    for limit, wanted in ((2, 2), (0, 3)):
        assert await leagues.change_limit(service, GUILD, league.id, 4, limit)
        await tick(service, BEGIN + 2)
        (group,) = await groups(service, league)
        assert len(running(group, 4)) == wanted


async def test_a_limit_in_a_season_changes_nothing_else(service: Service) -> None:
    league = await opened(service, CAMETTE._replace(standing=False), range(1, 4))
    assert not await leagues.change_limit(service, GUILD, league.id, 1, 2), "no season is on"
    await tick(service, BEGIN)
    await leagues.join_league(service, Actor(2, BEGIN + 1, GUILD), league.id)
    await leagues.change_league(service, GUILD, league.id, League.close)
    before = await now_of(service, league)
    assert await leagues.change_limit(service, GUILD, league.id, 1, 2)
    assert await leagues.change_limit(service, GUILD, league.id, 2, 1)
    assert not await leagues.change_limit(service, GUILD, league.id, 9, 1), "they have no seat"
    assert await now_of(service, league) == before
    assert await rows.sign_ups_of(service.reader, league.id) == {2: SignUp(2, 1)}
    (group,) = await groups(service, league)
    assert [seat.at_once for seat in group.seats] == [2, 1, None]


async def test_a_limit_that_keeps_nothing_back_loses_nothing(service: Service) -> None:
    league = await opened(service, CAMETTE, range(1, 2))
    await leagues.join_league(service, Actor(1, NOW, GUILD), league.id, at_once=1)
    for user in (2, 3):
        await leagues.join_league(service, Actor(user, NOW, GUILD), league.id, at_once=18)
    await tick(service, BEGIN)
    await tick(service, BEGIN + 14 * DAY)
    (group,) = await groups(service, league)
    [waiting] = [game for game in group.games if game.match is None]
    assert dict(zip(group.users_of(waiting), waiting.points or (), strict=True))[1] == 0
    assert sum(waiting.points or ()) == 12


async def test_the_reserve_takes_over_the_seat_of_a_person_who_leaves(service: Service) -> None:
    league, _ = await begun(service, CAMETTE, range(1, 4))
    await leagues.join_league(service, Actor(8, BEGIN + 1, GUILD), league.id)
    await leagues.join_league(service, Actor(RESERVE, BEGIN + 2, GUILD), league.id, reserve=True)
    (group,) = await groups(service, league)
    won, left = [game for game in group.games if 1 in group.users_of(game)]
    await resign(service, won.match or 0, next(user for user in group.users_of(won) if user != 1), BEGIN + 3)
    asked = await now_of(service, league)
    leaving = await find_leaving(service.reader, asked, 1)
    assert f"<@{RESERVE}>" in leaving_text("en", asked, leaving)
    await write(service.store, rows.update_season, league, thread=None, list_messages=(99,))
    await change(service.store, "DELETE FROM jobs")
    await leagues.leave_league(service, GUILD, league.id, 1, BEGIN + 4)
    assert await service.reader.find_jobs("kind = 'league-list'", ()), "it names who plays"
    (group,) = await groups(service, league)
    assert sorted(group.users_by_entrant) == [2, 3, RESERVE]
    assert all(seat.state is SeatState.IN for seat in group.seats)
    match = await service.current_match(left.match or 0, GUILD)
    assert match.players == group.users_of(left)
    assert next(row.points for row in group.standings if row.user == RESERVE) == 12
    await resign(service, match.id, next(user for user in match.players if user != RESERVE), BEGIN + 5)
    (group,) = await groups(service, league)
    assert next(row.points for row in group.standings if row.user == RESERVE) == 24


async def test_a_lost_seat_is_not_handed_to_the_reserve(service: Service) -> None:
    league, group = await begun(service, TRI, range(1, 4))
    await leagues.join_league(service, Actor(RESERVE, BEGIN + 1, GUILD), league.id, reserve=True)
    lost = await service.current_match(group.games[0].match or 0, GUILD)
    position = parse_position("tri-camelot Blue Blue:F5 Red:- Green:J13")
    service.cache_match(replace(lost, game=Game.from_position(position)))
    await leagues.leave_league(service, GUILD, league.id, lost.players[1], BEGIN + 2)
    assert (await service.current_match(lost.id, GUILD)).players == lost.players
    assert RESERVE in (await groups(service, league))[0].users_by_entrant


async def test_vacations_stop_clocks_for_so_many_days_of_a_season(service: Service) -> None:
    _, group = await begun(service, CAMETTE._replace(vacation_days=3, weeks=4), range(1, 4))
    match = await service.current_match(group.games[0].match or 0, GUILD)
    assert match.to_move is not None
    end = BEGIN + match.clock.banks[match.turn]
    assert time_runs_out_at(match, await service.players_of(match)) == end
    await people.start_vacation(service, Actor(match.to_move, BEGIN + 60), BEGIN + 9 * DAY)
    match = await service.current_match(match.id, GUILD)
    assert time_runs_out_at(match, await service.players_of(match)) == end + 3 * DAY
    await upkeep.tick_matches(service, end + 3 * DAY - 1)
    assert (await service.current_match(match.id, GUILD)).clock.grace_ends_at is None
    await upkeep.tick_matches(service, end + 3 * DAY)
    assert (await service.current_match(match.id, GUILD)).clock.grace_ends_at is not None


async def test_a_game_that_does_not_count_fills_nobodys_limit(service: Service) -> None:
    league = await opened(service, TRI, range(2, 5))
    await leagues.join_league(service, Actor(1, NOW, GUILD), league.id, at_once=1)
    await tick(service, BEGIN)
    (group,) = await groups(service, league)
    first = next(game for game in group.games if game.match and 1 in group.users_of(game))
    leaver = next(user for user in group.users_of(first) if user != 1)
    await leagues.leave_league(service, GUILD, league.id, leaver, BEGIN + 1)
    await tick(service, BEGIN + 2)
    (group,) = await groups(service, league)
    assert {game.match is not None for game in group.games_that_count} == {True}


async def test_games_against_people_who_were_taken_out_are_not_over(service: Service) -> None:
    league, _ = await begun(service, CAMETTE._replace(most=6), range(1, 7))
    for user in (1, 2, 3, 4):
        assert (await find_leaving(service.reader, league, user)).state is SeatState.OUT, user
        await leagues.leave_league(service, GUILD, league.id, user, BEGIN + user)


@pytest.mark.parametrize(("annulled", "again"), [(False, [1, 3]), (True, [1, 2, 3])])
async def test_an_annulled_game_on_time_keeps_nobody_out(service: Service, annulled: bool, again: list[int]) -> None:
    league, group = await begun(service, CAMETTE, range(1, 4))
    [lost, *_] = [game for game in group.games if 2 in group.users_of(game)]
    await lose_on_time(service, group, lost, 2)
    if annulled:
        await acts.annul(service, lost.match or 0, GUILD, 9, "the bot was down", BEGIN + DAY)
    await tick(service, BEGIN + 14 * DAY)
    league = await now_of(service, league)
    await sign_up_again(service, league, BEGIN + 14 * DAY)
    await tick(service, league.begins_at)
    assert sorted(user for group in await groups(service, league, 2) for user in group.users_by_entrant) == again


async def test_a_sign_up_waits_for_as_long_as_the_bot_is_away(service: Service) -> None:
    league = await opened(service, CAMETTE, (1,))
    await write(service.store, add_absence, GUILD, NOW + DAY, NOW + 15 * DAY)
    await tick(service, NOW + 15 * DAY)
    league = await now_of(service, league)
    assert (league.state, league.begins_at) == (LeagueState.SIGN_UP, BEGIN + 14 * DAY)
    for user in (2, 3):
        await leagues.join_league(service, Actor(user, NOW + 16 * DAY, GUILD), league.id)
    await tick(service, league.begins_at)
    (group,) = await groups(service, league)
    assert sorted(group.users_by_entrant) == [1, 2, 3]
