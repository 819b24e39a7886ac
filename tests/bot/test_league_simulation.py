"""Sixty people in a league of two and one of three through three seasons, against a plain model of the tables."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from bot.core import leaving
from bot.core.clock import DAY, Pace
from bot.leagues.groups import WIN
from bot.leagues.league import League, LeagueState, LeagueTerms
from bot.leagues.season import Group, SeatState
from bot.leagues.season_service import Seasons
from bot.leagues.service import Leagues
from bot.play.service import Service
from rules import legal_moves
from tests.bot.playing import CHANNEL, GUILD, NOW
from tests.bot.seasons import look_up, signed_up

SEASONS = 3


async def run_jobs(service: Service, now: int) -> None:
    """Does what the bot does by itself, without the posts."""
    seasons = service.part(Seasons)
    await look_up(service, now)
    while await seasons.tick(now, lambda league, game: f"League {league.id}, round {game.round}"):
        pass
    for league in await seasons.ending_leagues():
        for game in await seasons.games_to_adjudicate(league):
            await seasons.adjudicate_game(league, game, None, None, now)
        await seasons.end_season(league.id, now)


async def play_season(service: Service, league: League, rng: random.Random) -> None:
    """Some games are won, some not begun, some half played; two people leave."""
    at = league.begins_at + DAY
    for group in await service.part(Leagues).groups_of(league, league.season):
        for game in group.games:
            assert game.match is not None
            match = await service.current_match(game.match, GUILD)
            fate = rng.choice(("won", "won", "moved", "left alone"))
            for _ in range(rng.randrange(5) if fate == "moved" else 0):
                assert match.to_move is not None
                move = legal_moves(match.started_game.position)[0]
                match = await service.play_move(match.id, GUILD, match.to_move, move, at, match.board_version)
            while fate == "won" and match.is_live and match.vacancy is None:
                loser = rng.choice(match.still_in)
                match = await service.act_on_match(
                    match.id, GUILD, lambda m, _, user=loser: leaving.resign(m, user, at, call=False)
                )
    for user in rng.sample(await signed_up(service, league), 2):
        await service.part(Leagues).leave_league(GUILD, league.id, user, at + 1)


def check_group(group: Group) -> None:
    """Compares a table with the sums of its games, and checks that every game is accounted for."""
    out = {seat.entry for seat in group.seats if seat.state is SeatState.OUT}
    sums, played = Counter[int](), Counter[int]()
    for game in group.games:
        if out & {*game.entries}:
            continue
        assert game.points is not None, game
        assert sum(game.points) <= WIN
        for entry, points in zip(game.entries, game.points, strict=True):
            sums[entry] += points
            played[entry] += 1
    average = WIN // len(group.games[0].entries)
    for row in group.standings:
        if row.place is not None:
            missing = max(played.values()) - played[row.entry]
            assert row.points == sums[row.entry] + missing * average
    places = [row.place for row in group.standings if row.place]
    assert places == sorted(places)
    assert places[:1] in ([], [1])


@pytest.mark.parametrize("variant", ["camette", "tri-camelot"])
async def test_three_seasons_of_sixty_people_lose_and_double_nothing(service: Service, variant: str) -> None:
    rng, leagues = random.Random(variant), service.part(Leagues)
    league = await leagues.open_league(GUILD, CHANNEL, LeagueTerms(variant, Pace.FAST, 2, 3, 4), NOW)
    people = {*range(1, 61)}
    for user in people:
        await leagues.join_league(GUILD, league.id, user, NOW)
    for season in range(1, SEASONS + 1):
        await run_jobs(service, league.begins_at)
        league = await leagues.find_league(GUILD, league.id)
        assert league.state is LeagueState.RUNNING
        groups = await leagues.groups_of(league, await leagues.latest_season(league))
        assert Counter(user for group in groups for user in group.users) == Counter(people)
        await play_season(service, league, rng)
        await run_jobs(service, league.ends_at)
        groups = await leagues.groups_of(league, season)
        for group in groups:
            check_group(group)
        league = await leagues.find_league(GUILD, league.id)
        people = {*await signed_up(service, league)}
        assert league.season == season + 1
    numbers = [
        game.match for one in (1, 2, 3) for group in await leagues.groups_of(league, one) for game in group.games
    ]
    assert len(numbers) == len({*numbers})
