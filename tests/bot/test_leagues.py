"""Leagues through the service and a real database: sign-up, seasons, their ends, and who leaves."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from itertools import product
from operator import methodcaller

import pytest

from bot.core.clock import DAY, HOUR
from bot.core.deadlines import Actor
from bot.features import TABLES
from bot.leagues import rows
from bot.leagues import service as leagues
from bot.leagues.groups import LeagueGame, Movement, SeatState
from bot.leagues.league import League, LeagueError, LeagueNews, LeagueProblem, LeagueState, NewsKind, new_league
from bot.leagues.panels import plain_league_name
from bot.leagues.words import explain_league_error, game_title, league_name
from bot.play.service import Service, upkeep
from bot.play.service.games import last_table_of
from bot.store.absences import add_absence
from bot.store.game_lists import ends_of_matches
from bot.texts.i18n import LANGUAGES, Language
from bot.texts.sentences import titled_name
from rules import VARIANTS
from tests.bot import seasons
from tests.bot.databases import write
from tests.bot.playing import CHANNEL, GUILD, NOW
from tests.bot.seasons import BEGIN, CAMETTE, TRI

LONG = CAMETTE._replace(weeks=8)


async def test_undecided_games_of_a_season_have_its_end_as_their_deadline(service: Service) -> None:
    _, group = await seasons.begun(service, CAMETTE, range(1, 4))
    matches = [game.match for game in group.games if game.match is not None]
    assert [await last_table_of(service, GUILD, user) for user in range(1, 4)] == [None] * 3, "nobody chose opponents"
    assert await ends_of_matches(service.reader, TABLES, matches) == dict.fromkeys(matches, BEGIN + 14 * DAY)
    await seasons.resign(service, matches[0], group.users_of(group.games[0])[0], BEGIN + 1)
    assert [*await ends_of_matches(service.reader, TABLES, matches)] == matches[1:]
    assert await ends_of_matches(service.reader, TABLES, []) == {}


async def test_a_rest_of_weeks_is_followed_by_the_latest_report_alone(service: Service) -> None:
    league, _ = await seasons.begun(service, CAMETTE._replace(weeks=6), range(1, 4))
    await seasons.tick(service, BEGIN + 22 * DAY)
    assert await seasons.kinds(service, league) == ["open", "begin", "week"]


async def test_a_season_ends_at_its_date_and_the_next_one_follows(service: Service) -> None:
    league = await seasons.opened(service, CAMETTE, range(1, 8))
    await seasons.tick(service, BEGIN)
    for group in await seasons.groups(service, league):
        for game in group.games:
            users = group.users_of(game)
            assert game.match is not None
            if max(users) != 7:  # games of 7 are never begun: 7 loses by the first move of the other
                await seasons.resign(service, game.match, max(users), BEGIN + 1)
            elif users[0] != 7:
                await seasons.move(service, game.match, BEGIN + 1)
    end = BEGIN + 14 * DAY
    await seasons.tick(service, end - 1)
    assert (await seasons.now_of(service, league)).state is LeagueState.RUNNING
    assert await seasons.kinds(service, league) == ["open", "begin", "warn"]
    await seasons.tick(service, end)
    league = await seasons.now_of(service, league)
    assert (league.state, league.season) == (LeagueState.SIGN_UP, 2)
    upper, lower = await seasons.groups(service, league)
    assert all(game.points for group in (upper, lower) for game in group.games)
    moved = {**dict.fromkeys((1, 2, 3, 6, 7), Movement.STAYS), 4: Movement.DOWN, 5: Movement.UP}
    assert {seat.user: seat.movement for seat in (*upper.seats, *lower.seats)} == moved
    await seasons.sign_up_again(service, league, end)
    await seasons.tick(service, league.begins_at)
    upper, lower = await seasons.groups(service, league, 2)
    assert sorted(upper.users_by_entrant) == [1, 2, 3, 5]
    assert sorted(lower.users_by_entrant) == [4, 6, 7]
    assert await seasons.winners(service, league) == {1: [1]}


async def test_too_few_people_extend_the_sign_up_once(service: Service) -> None:
    league = await seasons.opened(service, TRI, (1, 2))
    await seasons.tell_all(service)
    await seasons.tick(service, BEGIN - DAY)
    await seasons.tick(service, BEGIN)
    assert await seasons.kinds(service, league) == ["few", "extended"]
    assert await seasons.wants_edit(service, league, BEGIN), "its post names the new date"
    assert (await seasons.now_of(service, league)).begins_at == BEGIN + 7 * DAY
    await seasons.tell_all(service)
    await seasons.tick(service, BEGIN + 7 * DAY)
    assert await seasons.wants_edit(service, league, BEGIN), "nobody can join below its post any more"
    assert (await seasons.now_of(service, league)).state is LeagueState.CLOSED
    assert "put-off" in await seasons.kinds(service, league)
    with seasons.refuses(LeagueProblem.CLOSED):
        await leagues.join_league(service, Actor(3, BEGIN, GUILD), league.id)


@pytest.mark.parametrize(("finished", "state"), [(1, SeatState.OUT), (2, SeatState.LEFT)])
async def test_who_leaves_early_is_taken_out_and_later_loses(service: Service, finished: int, state: SeatState) -> None:
    league, group = await seasons.begun(service, CAMETTE, range(1, 5))
    own = [game for game in group.games if 1 in group.users_of(game)]
    for game in own[:finished]:
        assert game.match is not None
        await seasons.resign(service, game.match, next(user for user in group.users_of(game) if user != 1), BEGIN + 1)
    await leagues.leave_league(service, GUILD, league.id, 1, BEGIN + 2)
    (group,) = await seasons.groups(service, league)
    assert next(seat for seat in group.seats if seat.user == 1).state is state
    row = next(row for row in group.standings if row.user == 1)
    assert (row.rank is None) == (state is SeatState.OUT)
    assert all(game.points for game in group.games if 1 in group.users_of(game))
    assert 1 not in await seasons.signed_up(service, league)


@pytest.mark.parametrize(("away", "back"), [(1, 4), (13, 15), (15, 17), (18, 30), (20, 21)])
async def test_each_warning_comes_once_though_an_absence_moves_the_end(service: Service, away: int, back: int) -> None:
    await seasons.opened(service, CAMETTE._replace(weeks=3), range(1, 5))
    await seasons.tick(service, BEGIN)
    given = dict[str, list[int]]()
    for hour in range(0, 36 * 24, 6):
        now = BEGIN + hour * HOUR
        if hour == away * 24:
            await service.presence.note_server_lost(GUILD, now)
        if hour == back * 24:
            await service.presence.note_servers_found({GUILD}.__contains__, now)
        if not away * 24 <= hour < back * 24:
            await seasons.tick(service, now)
        for kind in await seasons.tell_all(service):
            given.setdefault(kind, []).append(hour)
    end = 21 + back - away
    assert given["end"] == [end * 24]
    # An end that moves later takes along the warnings that have not been given.
    assert given["warn"] == [(21 - days if away > 21 - days else end - days) * 24 for days in (7, 2)]


async def test_a_referee_decides_a_game_of_the_season(service: Service) -> None:
    league, group = await seasons.begun(service, CAMETTE, range(1, 5))
    number = group.games[0].match or 0
    await leagues.rule_game(service, Actor(99, BEGIN, GUILD), number, 1, "They asked for it.")
    await seasons.resign(service, number, group.users_of(group.games[0])[1], BEGIN + 1)
    stored = "SELECT points, verdict FROM league_games WHERE match = ?"
    assert await service.reader.run_sql(stored, (number,)) == [("0,12", "ruled")]
    told = [job.key for job in await service.reader.find_jobs("kind = 'league-ruling'")]
    assert told == [f"{number}:{BEGIN}", f"{number}:{BEGIN}:audit"]
    (ruling,) = await rows.rulings_of(service.reader, number, BEGIN)
    assert (ruling.referee, ruling.reason, ruling.winner) == (99, "They asked for it.", 1)
    await leagues.rule_game(service, Actor(99, BEGIN, GUILD), group.games[1].match or 0, None, "Both agree.")
    assert (await seasons.groups(service, league))[0].games[1].points == (6, 6)
    with seasons.refuses(LeagueProblem.NO_GAME):
        await leagues.rule_game(service, Actor(99, BEGIN, GUILD + 1), number, 1, "Of another server.")


async def test_a_server_has_ten_leagues_at_most(service: Service) -> None:
    for _ in range(10):
        await seasons.opened(service, CAMETTE, ())
    with seasons.refuses(LeagueProblem.TOO_MANY):
        await seasons.opened(service, CAMETTE, ())


async def test_a_panel_opens_one_league_however_often_it_is_pressed(service: Service) -> None:
    for panel, league_id in (5, 1), (5, 1), (6, 2):
        league = replace(new_league(0, GUILD, CHANNEL, CAMETTE, NOW), panel=panel)
        assert (await leagues.open_league(service, league)).id == league_id


async def test_the_only_open_league_of_a_channel_is_meant_there(service: Service) -> None:
    first = await seasons.opened(service, CAMETTE, ())
    assert (await leagues.find_league(service, GUILD, None, CHANNEL + 1)).id == first.id, "the only one of the server"
    second = await leagues.open_league(service, new_league(0, GUILD, CHANNEL + 1, CAMETTE, NOW))
    for league in (first, second):
        assert (await leagues.find_league(service, GUILD, None, league.channel)).id == league.id
    with seasons.refuses(LeagueProblem.WHICH):
        await leagues.find_league(service, GUILD, None, CHANNEL + 2)


async def test_every_reason_of_a_league_has_a_sentence(locale: Language) -> None:
    for problem in LeagueProblem:
        values = {"count": 1} if problem is LeagueProblem.UNFINISHED else {"most": 10, "least": 2}
        assert explain_league_error(locale, LeagueError(problem, **values))


async def test_a_deleted_server_takes_its_leagues_along(service: Service) -> None:
    await seasons.begun(service, CAMETTE, range(1, 4))
    await upkeep.note_removed(service, GUILD, BEGIN)
    assert await upkeep.delete_abandoned(service, BEGIN + 10**7) == [GUILD]
    for table in ("leagues", "league_sign_ups", "league_seasons", "league_seats", "league_games", "league_news"):
        assert await service.reader.run_sql(f"SELECT * FROM {table}") == [], table


def test_late_news_is_not_posted() -> None:
    late = "open running 1, extended closed 1, begin sign-up 2, warn running 2, table closed 1"
    timely = "open sign-up 1, put-off closed 1, begin running 1, warn ending 1, table sign-up 1, end running 2"
    for news, outdated in ((late, True), (timely, False)):
        for kind, state, season in map(str.split, news.split(",")):
            league = new_league(1, GUILD, CHANNEL, CAMETTE, NOW)
            league = replace(league, state=LeagueState(state), season=int(season))
            assert LeagueNews(1, 1, NewsKind(kind), GUILD, NOW).is_outdated(league) is outdated, (kind, state)


SEASONS = 3


async def play_season(service: Service, league: League, rng: random.Random) -> None:
    """Some games are won, some not begun, some half played; two people leave."""
    at = league.begins_at + DAY
    for group in await seasons.groups(service, league, league.season):
        for game in group.games:
            fate, users = rng.choice(("won", "won", "moved", "left alone")), group.users_of(game)
            for _ in range(rng.randrange(5) if fate == "moved" else 0):
                await seasons.move(service, game.match or 0, at)
            for loser in rng.sample(users, len(users) - 1) if fate == "won" else ():
                await seasons.resign(service, game.match or 0, loser, at)
    for user in rng.sample(await seasons.signed_up(service, league), 2):
        await leagues.leave_league(service, GUILD, league.id, user, at + 1)


@pytest.mark.parametrize("variant", ["camette", "tri-camelot"])
async def test_three_seasons_of_sixty_people_lose_and_double_nothing(service: Service, variant: str) -> None:
    rng = random.Random(variant)
    people = {*range(1, 61)}
    league = await seasons.opened(service, CAMETTE._replace(variant=variant), people)
    for season in range(1, SEASONS + 1):
        await seasons.tick(service, league.begins_at)
        league = await leagues.find_league(service, GUILD, league.id)
        assert league.state is LeagueState.RUNNING
        begun = await seasons.groups(service, league, season)
        assert Counter(user for group in begun for user in group.users_by_entrant) == Counter(people)
        await play_season(service, league, rng)
        await seasons.tick(service, league.ends_at)
        assert not any(group.unfinished_games for group in await seasons.groups(service, league, season))
        league = await leagues.find_league(service, GUILD, league.id)
        people = {*await seasons.signed_up(service, league)}
        assert league.season == season + 1
    matches = [
        game.match for one in (1, 2, 3) for group in await seasons.groups(service, league, one) for game in group.games
    ]
    assert len(matches) == len({*matches})


async def test_managers_begin_a_season_at_once(service: Service) -> None:
    league = await seasons.opened(service, CAMETTE._replace(sign_up_days=14), (1,))
    with seasons.refuses(LeagueProblem.TOO_FEW):
        await leagues.begin_season_early(service, GUILD, league.id, NOW + 5)
    for user in (2, 3):
        await leagues.join_league(service, Actor(user, NOW, GUILD), league.id)
    await leagues.begin_season_early(service, GUILD, league.id, NOW + DAY)
    await write(service.store, add_absence, GUILD, NOW + 60, NOW + 3600)  # which would put the start off
    await seasons.tick(service, NOW + DAY)
    league = await seasons.now_of(service, league)
    assert (league.state, league.begins_at) == (LeagueState.RUNNING, NOW + DAY)
    with seasons.refuses(LeagueProblem.NO_SIGN_UP):
        await leagues.begin_season_early(service, GUILD, league.id, NOW + DAY)


async def test_managers_give_a_sign_up_one_more_week_at_a_time(service: Service) -> None:
    league = await seasons.opened(service, CAMETTE._replace(sign_up_days=2), (1, 2, 3))
    assert league.begins_at == NOW + 2 * DAY
    await seasons.tick(service, NOW + 2 * DAY - 60)
    for weeks in range(1, 8):
        shown = (await seasons.now_of(service, league)).begins_at
        for _ in range(2):  # somebody presses the same button twice
            later = await leagues.change_league(service, GUILD, league.id, methodcaller("prolong_sign_up", shown, NOW))
            assert later.begins_at == league.begins_at + weeks * 7 * DAY
    with seasons.refuses(LeagueProblem.LONG_ENOUGH):
        await leagues.change_league(service, GUILD, league.id, methodcaller("prolong_sign_up", later.begins_at, NOW))
    await seasons.tick(service, league.begins_at)
    assert (await seasons.now_of(service, league)).state is LeagueState.SIGN_UP
    await seasons.tick(service, league.begins_at + 49 * DAY)
    assert (await seasons.now_of(service, league)).state is LeagueState.RUNNING


async def test_a_league_is_called_by_its_name(service: Service) -> None:
    league = await seasons.opened(service, CAMETTE, (1, 2, 3))
    assert league_name("en", league) == f"Camette league {league.id}"
    name = plain_league_name(" **Winter**  @everyone\n<#1>")
    named = await leagues.change_league(service, GUILD, league.id, lambda one: replace(one, name=name))
    assert league_name("no", await seasons.now_of(service, league)) == "Winter everyone 1"
    assert await seasons.wants_edit(service, named, NOW)
    await leagues.change_league(service, GUILD, league.id, lambda one: replace(one, name=plain_league_name("<>")))
    assert (await seasons.now_of(service, league)).name == ""


@pytest.mark.parametrize("name", ["", "League of Norway"])
def test_a_games_title_is_in_the_readers_language(name: str) -> None:
    league, game = replace(new_league(12, GUILD, CHANNEL, CAMETTE, NOW), name=name), LeagueGame(1, 0, 9, (0, 1))
    for server, reader in product(LANGUAGES, LANGUAGES):
        said = titled_name(reader, VARIANTS["camette"], game_title(server, league, game))
        assert said == f"Camette: {game_title(reader, league, game)}"
    earlier = titled_name("no", VARIANTS["camette"], "League 3, group A, round 2")
    assert earlier == "Camette: Liga 3, gruppe A", "a round of games that all go on at once tells nobody anything"
    assert titled_name("no", VARIANTS["camette"], "Final in group A") == "Camette: Final in group A"
