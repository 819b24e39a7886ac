"""The seats of leagues: how many games at a time a person has, and who takes over from people who leave."""

from __future__ import annotations

import pytest

from bot.core import acts, leaving
from bot.core.acts import decision_of
from bot.core.clock import DAY
from bot.core.deadlines import time_runs_out_at
from bot.leagues import rows, season_rows
from bot.leagues.league import LeagueError, LeagueState, SignUp
from bot.leagues.season import Group, SeatState
from bot.leagues.service import Leagues
from bot.leagues.words import leaving_text
from bot.play.service import Service
from bot.store.absences import add_absence
from rules import Cause
from tests.bot.playing import GUILD, NOW
from tests.bot.seasons import BEGIN, CAMETTE, TRI, groups, now_of, opened, resign, sign_up_again, tick

RESERVE = 5000


def running(group: Group, user: int) -> list[int]:
    """The matches of a person that have begun and are not over."""
    return [game.match for game in group.games if user in group.users_of(game) and game.match and game.points is None]


async def test_a_person_has_no_more_games_at_a_time_than_they_want(service: Service) -> None:
    league = await opened(service, CAMETTE, range(1, 4))
    await service.part(Leagues).join_league(GUILD, league.id, 4, NOW, at_once=1)
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


async def test_raising_the_limit_begins_more_games_at_once(service: Service) -> None:
    leagues, league = service.part(Leagues), await opened(service, CAMETTE, range(1, 4))
    await leagues.join_league(GUILD, league.id, 4, NOW, at_once=1)
    await tick(service, BEGIN)
    assert await leagues.change_limit(GUILD, league.id, 4, 2)
    await tick(service, BEGIN + 2)
    (group,) = await groups(service, league)
    assert len(running(group, 4)) == 2


async def test_a_limit_can_be_taken_back(service: Service) -> None:
    leagues, league = service.part(Leagues), await opened(service, CAMETTE, range(1, 4))
    await leagues.join_league(GUILD, league.id, 4, NOW, at_once=1)
    await tick(service, BEGIN)
    assert await leagues.change_limit(GUILD, league.id, 4, 0)
    await tick(service, BEGIN + 2)
    (group,) = await groups(service, league)
    assert all(game.match for game in group.games)


async def test_a_limit_in_a_season_changes_nothing_else(service: Service) -> None:
    leagues, league = service.part(Leagues), await opened(service, CAMETTE._replace(standing=False), range(1, 4))
    assert not await leagues.change_limit(GUILD, league.id, 1, 2), "no season is on: it is a wish of the sign-up"
    await tick(service, BEGIN)
    await leagues.join_league(GUILD, league.id, 2, BEGIN + 1)
    await leagues.close_league(GUILD, league.id)
    before = await now_of(service, league)
    assert await leagues.change_limit(GUILD, league.id, 1, 2)
    assert await leagues.change_limit(GUILD, league.id, 2, 1)
    assert not await leagues.change_limit(GUILD, league.id, 9, 1), "they have no seat"
    assert await now_of(service, league) == before
    assert await rows.sign_ups_of(service.store.reader, league.id) == [SignUp(2, 1)]
    (group,) = await groups(service, league)
    assert [seat.at_once for seat in group.seats] == [2, 1, None]


async def test_a_game_held_back_until_the_end_is_lost(service: Service) -> None:
    league = await opened(service, CAMETTE, range(1, 3))
    await service.part(Leagues).join_league(GUILD, league.id, 3, NOW, at_once=1)
    await tick(service, BEGIN)
    await tick(service, BEGIN + 14 * DAY)
    (group,) = await groups(service, league)
    [waiting] = [game for game in group.games if game.match is None]
    assert dict(zip(group.users_of(waiting), waiting.points or (), strict=True))[3] == 0
    assert sum(waiting.points or ()) == 12


async def test_a_limit_that_keeps_nothing_back_loses_nothing(service: Service) -> None:
    league = await opened(service, CAMETTE, range(1, 2))
    await service.part(Leagues).join_league(GUILD, league.id, 1, NOW, at_once=1)
    for user in (2, 3):
        await service.part(Leagues).join_league(GUILD, league.id, user, NOW, at_once=18)
    await tick(service, BEGIN)
    await tick(service, BEGIN + 14 * DAY)
    (group,) = await groups(service, league)
    [waiting] = [game for game in group.games if game.match is None]
    assert dict(zip(group.users_of(waiting), waiting.points or (), strict=True))[1] == 0
    assert sum(waiting.points or ()) == 12


async def test_the_reserve_takes_over_the_seat_of_a_person_who_leaves(service: Service) -> None:
    leagues, league = service.part(Leagues), await opened(service, CAMETTE, range(1, 4))
    await tick(service, BEGIN)
    await leagues.join_league(GUILD, league.id, 8, BEGIN + 1)
    await leagues.join_league(GUILD, league.id, RESERVE, BEGIN + 2, reserve=True)
    (group,) = await groups(service, league)
    won, left = [game for game in group.games if 1 in group.users_of(game)]
    assert won.match is not None
    assert left.match is not None
    await resign(service, won.match, next(user for user in group.users_of(won) if user != 1), BEGIN + 3)
    asked, leaving = await leagues.check_leaving(GUILD, league.id, 1)
    assert f"<@{RESERVE}>" in leaving_text("en", asked, leaving)
    await leagues.leave_league(GUILD, league.id, 1, BEGIN + 4)
    (group,) = await groups(service, league)
    assert sorted(group.users) == [2, 3, RESERVE]
    assert all(seat.state is SeatState.IN and seat.former is None for seat in group.seats)
    match = await service.current_match(left.match, GUILD)
    assert match.players == group.users_of(left)
    assert next(row.points for row in group.standings if group.users[row.entry] == RESERVE) == 12
    await resign(service, left.match, next(user for user in match.players if user != RESERVE), BEGIN + 5)
    (group,) = await groups(service, league)
    assert next(row.points for row in group.standings if group.users[row.entry] == RESERVE) == 24
    with pytest.raises(LeagueError):
        await leagues.check_leaving(GUILD, league.id, 1)


async def test_vacations_stop_clocks_for_so_many_days_of_a_season(service: Service) -> None:
    league = await opened(service, CAMETTE._replace(vacation_days=3, weeks=4), range(1, 4))
    await tick(service, BEGIN)
    (group,) = await groups(service, league)
    match = await service.current_match(group.games[0].match or 0, GUILD)
    assert match.to_move is not None
    end = BEGIN + match.banks[match.turn]
    assert time_runs_out_at(match, await service.people.people_of(match.players)) == end
    await service.people.start_vacation(match.to_move, BEGIN + 9 * DAY, BEGIN + 60)
    match = await service.current_match(match.id, GUILD)
    assert time_runs_out_at(match, await service.people.people_of(match.players)) == end + 3 * DAY
    await service.upkeep.tick(end + 3 * DAY - 1)
    assert (await service.current_match(match.id, GUILD)).pings.grace_ends_at is None
    await service.upkeep.tick(end + 3 * DAY)
    assert (await service.current_match(match.id, GUILD)).pings.grace_ends_at is not None


async def test_games_are_handed_over_after_a_crash_in_between(service: Service) -> None:
    leagues, league = service.part(Leagues), await opened(service, TRI, range(1, 4))
    await tick(service, BEGIN)
    league, _ = await leagues.join_league(GUILD, league.id, RESERVE, BEGIN + 2, reserve=True)
    (group,) = await groups(service, league)
    async with service.store.write_transaction() as tx:
        await season_rows.hand_seat_over(tx, league, group.seats[0], SignUp(RESERVE))
    await resign(service, group.games[0].match or 0, group.seats[0].user, BEGIN + 3)  # cannot be handed over any more
    await tick(service, BEGIN + 4)
    (after,) = await groups(service, league)
    assert after.seats[0].user == RESERVE
    assert after.seats[0].former is None
    players = [(await service.current_match(game.match or 0, GUILD)).players for game in group.games]
    assert [RESERVE in seated for seated in players] == [False, True]


async def test_a_seat_handed_on_meanwhile_stays_to_be_handed_over(service: Service) -> None:
    league = await opened(service, TRI, range(1, 4))
    await tick(service, BEGIN)
    (group,) = await groups(service, league)
    league = await now_of(service, league)
    async with service.store.write_transaction() as tx:
        await season_rows.hand_seat_over(tx, league, group.seats[0], SignUp(RESERVE))
        ((_, _, handed_first),) = await season_rows.seats_to_hand_over(tx)
        await season_rows.hand_seat_over(tx, league, handed_first, SignUp(RESERVE + 1))
        await season_rows.note_handed_over(tx, league.id, 1, handed_first)
        ((_, _, waiting),) = await season_rows.seats_to_hand_over(tx)
    assert (waiting.user, waiting.former) == (RESERVE + 1, group.seats[0].user)
    await tick(service, BEGIN + 4)
    players = [(await service.current_match(game.match or 0, GUILD)).players for game in group.games]
    assert all(RESERVE + 1 in seated and group.seats[0].user not in seated for seated in players)


async def test_a_game_that_does_not_count_fills_nobodys_limit(service: Service) -> None:
    league = await opened(service, TRI, range(2, 5))
    await service.part(Leagues).join_league(GUILD, league.id, 1, NOW, at_once=1)
    await tick(service, BEGIN)
    (group,) = await groups(service, league)
    first = next(game for game in group.games if game.match and 1 in group.users_of(game))
    leaver = next(user for user in group.users_of(first) if user != 1)
    await service.part(Leagues).leave_league(GUILD, league.id, leaver, BEGIN + 1)
    await tick(service, BEGIN + 2)
    (group,) = await groups(service, league)
    assert {game.match is not None for game in group.games_that_count} == {True}


async def test_games_against_people_who_were_taken_out_are_not_over(service: Service) -> None:
    league = await opened(service, CAMETTE._replace(most=6), range(1, 7))
    await tick(service, BEGIN)
    for user in (1, 2, 3, 4):
        _, leaving = await service.part(Leagues).leave_league(GUILD, league.id, user, BEGIN + user)
        assert leaving.state is SeatState.OUT, user


@pytest.mark.parametrize(("annulled", "again"), [(False, [1, 3]), (True, [1, 2, 3])])
async def test_a_game_on_time_that_is_annulled_keeps_nobody_out(
    service: Service, annulled: bool, again: list[int]
) -> None:
    league = await opened(service, CAMETTE, range(1, 4))
    await tick(service, BEGIN)
    (group,) = await groups(service, league)
    [lost, *_] = [game for game in group.games if 2 in group.users_of(game)]
    seat = group.users_of(lost).index(2)
    await service.act_on_match(
        lost.match or 0, GUILD, lambda match, _: leaving.leave_seat(match, seat, Cause.TIMEOUT, BEGIN + DAY, {})
    )
    if annulled:
        annul = decision_of(9, BEGIN + DAY, acts.annul_match, "the bot was down")
        await service.act_on_match(lost.match or 0, GUILD, annul)
    await tick(service, BEGIN + 14 * DAY)
    league = await now_of(service, league)
    await sign_up_again(service, league, BEGIN + 14 * DAY)
    await tick(service, league.begins_at)
    assert sorted(user for group in await groups(service, league, 2) for user in group.users) == again


async def test_a_sign_up_waits_for_as_long_as_the_bot_is_away(service: Service) -> None:
    league = await opened(service, CAMETTE, (1,))
    async with service.store.write_transaction() as tx:
        await add_absence(tx, GUILD, NOW + DAY, NOW + 15 * DAY)
    await tick(service, NOW + 15 * DAY)
    league = await now_of(service, league)
    assert (league.state, league.begins_at) == (LeagueState.SIGN_UP, BEGIN + 14 * DAY)
    for user in (2, 3):
        await service.part(Leagues).join_league(GUILD, league.id, user, NOW + 16 * DAY)
    await tick(service, league.begins_at)
    (group,) = await groups(service, league)
    assert sorted(group.users) == [1, 2, 3]
