"""Leagues through the service, for tests: opening them, what the bot does by itself, and playing their games."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from bot.core import leaving
from bot.core.clock import DAY, Pace
from bot.leagues.league import League, LeagueTerms, SignOff
from bot.leagues.season import Group
from bot.leagues.season_service import Seasons
from bot.leagues.service import Leagues
from bot.leagues.words import game_title
from bot.play.service import Service
from rules import legal_moves
from tests.bot.playing import CHANNEL, GUILD, NOW

CAMETTE = LeagueTerms("camette", Pace.FAST, weeks=2, least=3, most=4, movers=1)
TRI = LeagueTerms("tri-camelot", Pace.FAST, weeks=2, least=3, most=4, movers=1)
BEGIN = NOW + 7 * DAY


async def opened(service: Service, terms: LeagueTerms, people: Iterable[int]) -> League:
    leagues = service.part(Leagues)
    league = await leagues.open_league(GUILD, CHANNEL, terms, NOW)
    for user in people:
        await leagues.join_league(GUILD, league.id, user, NOW)
    return league


async def tick(service: Service, now: int, gone: Collection[int] = ()) -> None:
    """Does what the bot does by itself, without the posts; `gone` are people who have left the server."""
    seasons = service.part(Seasons)
    await look_up(service, now, gone)
    while await seasons.tick(now, lambda league, game: game_title("en", league, game)):
        pass
    for league in await seasons.ending_leagues():
        for game in await seasons.games_to_adjudicate(league):
            await seasons.adjudicate_game(league, game, None, None, now)
        await seasons.end_season(league.id, now)


async def look_up(service: Service, now: int, gone: Collection[int] = ()) -> None:
    """Looks up the people of seasons that begin soon."""
    seasons = service.part(Seasons)
    for league, users in await seasons.leagues_to_look_up(now):
        await seasons.note_looked_up(league, [user for user in users if user in gone], now)


async def signed_up(service: Service, league: League) -> list[int]:
    """Returns who gets a seat if the next season begins now."""
    return (await service.part(Leagues).list_sign_ups(league)).users


async def sign_up_again(service: Service, league: League, now: int) -> None:
    """Signs everybody up again who was signed off because they made no move."""
    leagues = service.part(Leagues)
    for user in (await leagues.list_sign_ups(league)).signed_off.get(SignOff.IDLE, ()):
        await leagues.join_league(GUILD, league.id, user, now)


async def now_of(service: Service, league: League) -> League:
    return await service.part(Leagues).find_league(GUILD, league.id)


async def kinds(service: Service, league: League) -> list[str]:
    return [news.kind for news in await service.part(Seasons).news_of(league.id)]


async def groups(service: Service, league: League, season: int = 1) -> tuple[Group, ...]:
    return await service.part(Leagues).groups_of(league, season)


async def resign(service: Service, match: int, user: int, now: int) -> None:
    await service.act_on_match(match, GUILD, lambda m, _: leaving.resign(m, user, now))


async def move(service: Service, number: int, now: int) -> None:
    match = await service.current_match(number, GUILD)
    assert match.to_move is not None
    chosen = legal_moves(match.started_game.position)[0]
    await service.play_move(number, GUILD, match.to_move, chosen, now, match.board_version)
