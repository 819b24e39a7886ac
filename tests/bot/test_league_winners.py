"""The winners of seasons: who has a place, the trophies that stay, and the role that goes from winner to winner."""

from __future__ import annotations

import pytest

from bot.core.clock import DAY, HOUR
from bot.leagues import rows
from bot.leagues import service as leagues
from bot.leagues.groups import Movement
from bot.leagues.league import League, LeagueError, Verdict
from bot.leagues.words import end_text, progress_text
from bot.play.service import Service, upkeep
from bot.privacy.service import forget_person
from bot.texts.i18n import text
from tests.bot import acts, seasons
from tests.bot.playing import GUILD, NOW
from tests.bot.seasons import BEGIN, CAMETTE, TRI

CHAMPION, KNIGHT = 501, 502
LONG = CAMETTE._replace(weeks=8)


@pytest.mark.parametrize("count", [4, 5])
async def test_a_season_in_which_nobody_moves_has_no_winner(service: Service, count: int) -> None:
    league = await seasons.opened(service, TRI, range(1, count + 1))
    await leagues.choose_role(service, GUILD, league.id, 99, BEGIN - 1)
    await seasons.tick(service, BEGIN)
    (group,) = await seasons.groups(service, league)
    assert any(row.credit for row in group.standings) == (count == 5), "there two people never meet"
    assert "<@" not in progress_text("en", group), "nobody leads yet"
    await seasons.tick(service, BEGIN + 14 * DAY)
    assert await seasons.winners(service, league) == {}
    assert not await rows.trophies_of(service.reader, GUILD, 1)
    assert await due(service) == set()
    played = await seasons.groups(service, league)
    assert {seat.movement for group in played for seat in group.seats} == {Movement.STAYS}
    assert text("en", "league.no-winner") in end_text("en", league, 1, played)


async def test_who_waits_for_a_ghost_wins_and_ghosts_win_nothing(service: Service) -> None:
    league, group = await seasons.begun(service, CAMETTE, range(1, 4))
    for game in group.games:
        if group.users_of(game)[0] == 1 and game.match:
            await seasons.move(service, game.match, BEGIN + 1)
    await seasons.tick(service, BEGIN + 14 * DAY)
    (group,) = await seasons.groups(service, league)
    assert {seat.user: seat.place for seat in group.seats} == {1: 1, 2: None, 3: None}
    assert {row.user: row.points for row in group.standings}[1] == 24


@pytest.mark.parametrize("moved", [False, True])
async def test_only_a_move_of_their_own_wins_beside_a_leaver(service: Service, moved: bool) -> None:
    """The seat to move never moved, or moved once, and another has been given up: the third gets the points."""
    league, group = await seasons.begun(service, TRI, range(1, 4))
    for game in group.games:
        for _ in range(moved):
            await seasons.move(service, game.match or 0, BEGIN + 1)
        await seasons.resign(service, game.match or 0, group.users_of(game)[2 - moved], BEGIN + 2)
        for hours in range(0, 138, 6):  # a call for somebody to take over, then a vote
            await upkeep.tick_matches(service, BEGIN + hours * HOUR)
        for _ in range(moved):
            await seasons.move(service, game.match or 0, BEGIN + 6 * DAY)
    await seasons.tick(service, BEGIN + 14 * DAY)
    (group,) = await seasons.groups(service, league)
    counted = {(game.verdict, game.points_of(game.entrants[1 + moved])) for game in group.games}
    assert counted == {(Verdict.NOT_BEGUN, 12)}
    movers = {group.users_of(game)[2] for game in group.games if moved}
    assert {seat.user for seat in group.seats if seat.place} == movers


async def test_trophies_come_by_the_end_of_their_seasons(service: Service) -> None:
    short, long = await seasons.opened(service, CAMETTE, range(1, 4)), await seasons.opened(service, LONG, range(1, 4))
    ends = [BEGIN + 14 * DAY, BEGIN + 35 * DAY, BEGIN + 56 * DAY]
    for at in (BEGIN, ends[0], ends[0] + 7 * DAY, ends[1], ends[2]):
        await seasons.tick(service, at)
        for league in (short, long):
            await seasons.sign_up_again(service, league, at)
        for league, season in ((short, 1), (short, 2), (long, 1)):
            for group in await seasons.groups(service, league, season):
                for game in group.unfinished_games:
                    if game.match and 3 in group.users_of(game):
                        await seasons.resign(service, game.match, 3, at + 1)
    trophies = await rows.trophies_of(service.reader, GUILD, 1)
    assert [(one.league, one.season) for one in trophies] == [(long.id, 1), (short.id, 2), (short.id, 1)]


# The role of the winners


async def due(service: Service) -> set[tuple[int, int, bool]]:
    """Returns who is to get or lose which role."""
    jobs = await service.reader.find_jobs("kind = 'role'")
    people = [(int(user), int(role)) for _, user, role in (job.key.split(":") for job in jobs)]
    return {(*one, await rows.is_to_have_role(service.reader, GUILD, *one)) for one in people}


async def settle_all(service: Service) -> None:
    """Does what the bot does when Discord grants everything."""
    async with service.store.write_transaction() as tx:
        await tx.end_jobs(*await tx.find_jobs("kind = 'role'"))


async def play_season(service: Service, league: League, season: int, *winners: int) -> int:
    """Plays the season of a league: everybody resigns against the winners, who draw with each other.

    Returns its end.
    """
    begins = (await seasons.now_of(service, league)).begins_at
    await seasons.tick(service, begins)
    (group,) = await seasons.groups(service, league, season)
    for game in group.games:
        users = group.users_of(game)
        losers = [user for user in users if user not in winners]
        await seasons.resign(service, game.match or 0, (losers or users)[-1], begins + 1)
        if not losers:  # a draw
            await acts.annul(service, game.match or 0, GUILD, 9, "both agree", begins + 1)
    ends = (await seasons.now_of(service, league)).ends_at
    await seasons.tick(service, ends)
    await seasons.sign_up_again(service, league, ends)
    return ends


async def won(service: Service, *winners: int, people: range = range(1, 5)) -> tuple[League, int]:
    """Returns a league with a role whose first season these people have won, and the end of that season."""
    league = await seasons.opened(service, CAMETTE, people)
    await leagues.choose_role(service, GUILD, league.id, CHAMPION, NOW)
    return league, await play_season(service, league, 1, *winners)


async def test_winners_get_the_role_and_the_last_holder_loses_it(service: Service) -> None:
    league, _ = await won(service, 2)
    assert await due(service) == {(2, CHAMPION, True)}
    await settle_all(service)
    await play_season(service, league, 2, 3)
    assert await due(service) == {(2, CHAMPION, False), (3, CHAMPION, True)}


async def test_who_shares_the_first_place_shares_the_role(service: Service) -> None:
    league, _ = await won(service, 1, 2)
    first = (await seasons.winners(service, league))[1]
    assert len(first) > 1
    assert await due(service) == {(user, CHAMPION, True) for user in first}


async def test_another_role_goes_to_the_present_winners_at_once(service: Service) -> None:
    (league, ends) = await won(service, 2)
    assert (await seasons.now_of(service, league)).role == CHAMPION
    await leagues.choose_role(service, GUILD, league.id, KNIGHT, ends)
    assert await due(service) == {(2, CHAMPION, False), (2, KNIGHT, True)}
    await leagues.choose_role(service, GUILD, league.id, None, ends)
    assert await due(service) == {(2, CHAMPION, False), (2, KNIGHT, False)}
    with pytest.raises(LeagueError):
        await leagues.choose_role(service, GUILD + 1, league.id, CHAMPION, ends)


async def test_a_role_that_another_league_gives_too_is_kept(service: Service) -> None:
    (first, _), (_, ends) = await won(service, 2), await won(service, 2)
    await settle_all(service)
    await leagues.choose_role(service, GUILD, first.id, None, ends)
    assert await due(service) == {(2, CHAMPION, True)}


async def test_a_forgotten_winner_gets_no_role_any_more(service: Service) -> None:
    winner = 10**17
    league, ends = await won(service, winner, people=range(winner, winner + 4))
    await forget_person(service, winner, ends)
    await leagues.choose_role(service, GUILD, league.id, CHAMPION, ends)
    assert await due(service) == set()
