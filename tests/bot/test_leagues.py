"""Leagues through the service and a real database: sign-up, seasons, their ends, and who leaves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.core import acts
from bot.core.acts import decision_of
from bot.core.clock import DAY, HOUR
from bot.core.match import Match
from bot.leagues import rows, season_service
from bot.leagues.files import export_season
from bot.leagues.groups import Movement
from bot.leagues.league import League, LeagueError, LeagueNews, LeagueProblem, LeagueState, SignUp, open_league
from bot.leagues.ruling_posts import Rulings
from bot.leagues.season import SeatState
from bot.leagues.season_service import Seasons
from bot.leagues.service import Leagues
from bot.leagues.words import explain_league_error, trophy_text, week_text
from bot.play.service import Service
from bot.privacy.service import Privacy
from bot.store import Writer
from bot.texts.i18n import LANGUAGES, Language
from tests.bot.playing import CHANNEL, GUILD, NOW
from tests.bot.seasons import (
    BEGIN,
    CAMETTE,
    TRI,
    groups,
    kinds,
    move,
    now_of,
    opened,
    resign,
    sign_up_again,
    signed_up,
    tick,
)

POST = 77
LONG = CAMETTE._replace(weeks=8)


async def test_a_season_begins_with_all_games_of_all_groups(service: Service) -> None:
    league = await opened(service, CAMETTE, range(1, 8))
    await tick(service, BEGIN - 1)
    assert (await now_of(service, league)).state is LeagueState.SIGN_UP
    await tick(service, BEGIN)
    begun = await groups(service, league)
    assert [len(group.seats) for group in begun] == [4, 3]
    assert [len(group.games) for group in begun] == [6, 3]
    for group in begun:
        for game in group.games:
            assert game.match is not None
            match = await service.current_match(game.match, GUILD)
            assert match.players == group.users_of(game)
            assert match.title == f"League {league.id}, group {'AB'[group.division]}, round {game.round + 1}"
            assert not match.ladder


async def test_undecided_games_of_a_season_have_its_end_as_their_deadline(service: Service) -> None:
    leagues, league = service.part(Leagues), await opened(service, CAMETTE, range(1, 4))
    await tick(service, BEGIN)
    (group,) = await groups(service, league)
    matches = [game.match for game in group.games if game.match is not None]
    assert await leagues.ends_of_matches(matches) == dict.fromkeys(matches, BEGIN + 14 * DAY)
    await resign(service, matches[0], group.users_of(group.games[0])[0], BEGIN + 1)
    assert [*await leagues.ends_of_matches(matches)] == matches[1:]
    assert await leagues.ends_of_matches([]) == {}


async def test_the_week_post_names_games_decided_since_the_last_one(service: Service) -> None:
    league = await opened(service, CAMETTE, range(1, 4))
    await tick(service, BEGIN)
    (group,) = await groups(service, league)
    matches = [game.match for game in group.games if game.match is not None]
    for number, day in enumerate((0, 6)):
        await resign(service, matches[number], group.users_of(group.games[number])[0], BEGIN + day * DAY)
    league, shown = await now_of(service, league), await groups(service, league)
    first = week_text("en", league, shown, {}, BEGIN + 7 * DAY)
    assert [f"#{number} · " in first for number in matches] == [True, True, False]
    second = week_text("en", league, shown, {}, BEGIN + 12 * DAY)
    assert [f"#{number} · " in second for number in matches] == [False, True, False]


async def test_results_count_at_once_and_a_reopened_game_no_longer(service: Service) -> None:
    league = await opened(service, CAMETTE, range(1, 5))
    await tick(service, BEGIN)
    (group,) = await groups(service, league)
    game = group.games[0]
    assert game.match is not None
    winner, loser = group.users_of(game)
    await resign(service, game.match, loser, BEGIN + 1)
    (group,) = await groups(service, league)
    assert group.games[0].points == (12, 0)
    assert group.users[group.standings[0].entry] == winner


async def test_a_change_during_an_edit_is_shown_by_the_next_edit(service: Service) -> None:
    seasons, leagues = service.part(Seasons), service.part(Leagues)
    league = await opened(service, CAMETTE, range(1, 4))
    assert await seasons.leagues_to_edit(NOW) == []  # nothing is posted yet
    (news,) = await seasons.news_of(league.id)
    await seasons.mark_posted(news, 77)
    (edited,) = await seasons.leagues_to_edit(NOW)
    await seasons.note_edit_tried(edited, NOW + 700)
    assert await seasons.leagues_to_edit(NOW + 699) == []
    assert [one.unposted_changes for one in await seasons.leagues_to_edit(NOW + 700)] == [
        3
    ]  # while nothing says it succeeded
    await leagues.join_league(GUILD, league.id, 4, NOW)
    await seasons.note_edited(edited, NOW + 700)
    assert [one.unposted_changes for one in await seasons.leagues_to_edit(NOW + 700)] == [1]


async def test_a_rest_of_weeks_is_followed_by_the_latest_report_alone(service: Service) -> None:
    league = await opened(service, CAMETTE._replace(weeks=6), range(1, 4))
    await tick(service, BEGIN)
    await tick(service, BEGIN + 22 * DAY)
    assert await kinds(service, league) == ["open", "begin", "thread", "week-3"]


async def test_a_season_ends_at_its_date_and_the_next_one_follows(service: Service) -> None:
    league = await opened(service, CAMETTE, range(1, 8))
    await tick(service, BEGIN)
    for group in await groups(service, league):
        for game in group.games:
            users = group.users_of(game)
            assert game.match is not None
            if max(users) != 7:  # games of 7 are never begun: 7 loses by the first move of the other
                await resign(service, game.match, max(users), BEGIN + 1)
            elif users[0] != 7:
                await move(service, game.match, BEGIN + 1)
    end = BEGIN + 14 * DAY
    await tick(service, end - 1)
    assert (await now_of(service, league)).state is LeagueState.RUNNING
    assert await kinds(service, league) == ["open", "begin", "thread", "warn-2"]
    await tick(service, end)
    league = await now_of(service, league)
    assert (league.state, league.season) == (LeagueState.SIGN_UP, 2)
    upper, lower = await groups(service, league)
    assert all(game.points for group in (upper, lower) for game in group.games)
    assert {seat.user: seat.movement for seat in (*upper.seats, *lower.seats)} == {
        **dict.fromkeys((1, 2, 3, 6, 7), Movement.STAYS),
        4: Movement.DOWN,
        5: Movement.UP,
    }
    await sign_up_again(service, league, end)
    await tick(service, league.begins_at)
    upper, lower = await groups(service, league, 2)
    assert sorted(upper.users) == [1, 2, 3, 5]
    assert sorted(lower.users) == [4, 6, 7]
    assert await service.part(Leagues).winners_of(league) == {1: [1]}


async def test_three_players_sit_in_directed_triples_and_share_the_unfinished(service: Service) -> None:
    league = await opened(service, TRI, range(1, 5))
    await tick(service, BEGIN)
    (group,) = await groups(service, league)
    assert len(group.games) == 4
    for game in group.games:
        for _ in range(6):
            assert game.match is not None
            await move(service, game.match, BEGIN + 60)
    await tick(service, BEGIN + 14 * DAY)
    (group,) = await groups(service, league)
    assert {game.verdict for game in group.games} <= {"shared", "shared-slow"}
    assert [seat.place for seat in group.seats] == [1, 1, 1, 1]


async def test_games_that_cannot_be_set_up_keep_no_other_league_waiting(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd, sound = await opened(service, CAMETTE, range(1, 7)), await opened(service, CAMETTE, range(11, 14))
    begin = season_service.begin_game

    async def fail(tx: Writer, league: League, *others: Any) -> Match:
        if league.id == odd.id:
            raise ValueError
        return await begin(tx, league, *others)

    monkeypatch.setattr(season_service, "begin_game", fail)
    await tick(service, BEGIN)
    assert all(game.match for group in await groups(service, sound) for game in group.games)
    monkeypatch.undo()
    await tick(service, BEGIN + 60)
    assert all(game.match for group in await groups(service, odd) for game in group.games)


async def test_too_few_people_extend_the_sign_up_once(service: Service) -> None:
    seasons, league = service.part(Seasons), await opened(service, TRI, (1, 2))
    await seasons.mark_posted((await seasons.news_of(league.id))[0], POST)
    await seasons.note_edited(await now_of(service, league), NOW)
    await tick(service, BEGIN - DAY)
    assert await seasons.leagues_to_edit(BEGIN) == []
    await tick(service, BEGIN)
    assert await kinds(service, league) == ["few", "extended"]
    (extended,) = await seasons.leagues_to_edit(BEGIN)  # its post names the new date
    assert extended.begins_at == BEGIN + 7 * DAY
    await seasons.note_edited(extended, BEGIN)
    await tick(service, BEGIN + 7 * DAY)
    (put_off,) = await seasons.leagues_to_edit(BEGIN + 7 * DAY)  # nobody can join below its post any more
    assert put_off.state is LeagueState.CLOSED
    assert "put-off" in await kinds(service, league)
    with pytest.raises(LeagueError) as refused:
        await service.part(Leagues).join_league(GUILD, league.id, 3, BEGIN)
    assert refused.value.problem is LeagueProblem.CLOSED


@pytest.mark.parametrize(("finished", "state"), [(1, SeatState.OUT), (2, SeatState.LEFT)])
async def test_who_leaves_early_is_taken_out_and_later_loses(service: Service, finished: int, state: SeatState) -> None:
    league = await opened(service, CAMETTE, range(1, 5))
    await tick(service, BEGIN)
    (group,) = await groups(service, league)
    own = [game for game in group.games if 1 in group.users_of(game)]
    for game in own[:finished]:
        assert game.match is not None
        await resign(service, game.match, next(user for user in group.users_of(game) if user != 1), BEGIN + 1)
    await service.part(Leagues).leave_league(GUILD, league.id, 1, BEGIN + 2)
    (group,) = await groups(service, league)
    assert next(seat for seat in group.seats if seat.user == 1).state is state
    row = next(row for row in group.standings if group.users[row.entry] == 1)
    assert (row.place is None) == (state is SeatState.OUT)
    assert all(game.points for game in group.games if 1 in group.users_of(game))
    assert 1 not in await signed_up(service, league)


async def test_the_end_waits_as_long_as_the_bot_was_away(service: Service) -> None:
    league = await opened(service, CAMETTE, range(1, 5))
    await tick(service, BEGIN)
    await service.presence.note_server_lost(GUILD, BEGIN + DAY)
    await service.presence.note_server_found(GUILD, BEGIN + 4 * DAY)
    await tick(service, BEGIN + 14 * DAY)
    league = await now_of(service, league)
    assert league.state is LeagueState.RUNNING
    assert league.ends_at == BEGIN + 17 * DAY
    await tick(service, BEGIN + 17 * DAY)
    assert (await now_of(service, league)).season == 2


@pytest.mark.parametrize(("away", "back"), [(1, 4), (13, 15), (15, 17), (18, 30), (20, 21)])
async def test_each_warning_comes_once_though_an_absence_moves_the_end(service: Service, away: int, back: int) -> None:
    league = await opened(service, CAMETTE._replace(weeks=3), range(1, 5))
    await tick(service, BEGIN)
    given = dict[str, list[int]]()
    for hour in range(0, 36 * 24, 6):
        now = BEGIN + hour * HOUR
        if hour == away * 24:
            await service.presence.note_server_lost(GUILD, now)
        if hour == back * 24:
            await service.presence.note_server_found(GUILD, now)
        if not away * 24 <= hour < back * 24:
            await tick(service, now)
        for news in await service.part(Seasons).news_of(league.id):
            given.setdefault(news.kind, []).append(hour)
            await service.part(Seasons).mark_posted(news, None)
    end = 21 + back - away
    warned = {kind: hours for kind, hours in given.items() if kind.startswith("warn-")}
    assert [len(hours) for hours in warned.values()] == [1, 1]
    assert given["end"] == [end * 24]
    for kind, days in (("warn-7", 7), ("warn-2", 2)):
        given_before = away > 21 - days  # by the end that the season had then
        assert given[kind] == [(21 - days if given_before else end - days) * 24]


async def test_a_referee_decides_a_game_of_the_season(service: Service) -> None:
    league = await opened(service, CAMETTE, range(1, 5))
    await tick(service, BEGIN)
    (group,) = await groups(service, league)
    assert group.games[0].match is not None
    number = group.games[0].match
    await service.part(Leagues).rule_game(GUILD, number, 1, 99, "They asked for it.", BEGIN)
    await resign(service, group.games[0].match, group.users_of(group.games[0])[1], BEGIN + 1)
    (group,) = await groups(service, league)
    assert (group.games[0].points, group.games[0].verdict) == ((0, 12), "ruled")
    rulings = service.part(Rulings)
    assert await rulings.matches_ruled() == [number]
    due = await rulings.rulings_due(number)
    assert [(one.ruling.referee, one.ruling.reason, one.audience) for one in due] == [
        (99, "They asked for it.", "players"),
        (99, "They asked for it.", "audit"),
    ]
    for one in due:
        await rulings.mark_posted(one)
    assert await rulings.matches_ruled() == []


async def test_who_lost_on_time_misses_the_next_season_unless_they_play(service: Service) -> None:
    league = await opened(service, CAMETTE, range(1, 6))
    await tick(service, BEGIN)
    for group in await groups(service, league):
        for game in group.games:
            assert game.match is not None
            match = await service.current_match(game.match, GUILD)
            if match.to_move == 1:  # who runs out of time, and the opponent claims
                end = BEGIN + 3 * DAY
                await service.upkeep.tick(end)
                await service.upkeep.tick(end + DAY)
                claimant = match.players[1]
                await service.act_on_match(match.id, GUILD, decision_of(claimant, end + DAY, acts.claim_timeout, None))
            elif 1 not in match.players:
                await resign(service, match.id, match.players[1], BEGIN + 1)
    await tick(service, BEGIN + 14 * DAY)
    league = await now_of(service, league)
    await service.part(Leagues).leave_league(GUILD, league.id, 1, league.begins_at - 1)
    with pytest.raises(LeagueError) as refused:
        await service.part(Leagues).join_league(GUILD, league.id, 1, league.begins_at - 1)
    assert refused.value.problem is LeagueProblem.UNFINISHED
    async with service.store.write_transaction() as tx:
        await rows.set_sign_up(tx, league, SignUp(1), league.begins_at - 1)  # as if they had signed up for good
    await tick(service, league.begins_at)
    assert 1 not in {user for group in await groups(service, league, 2) for user in group.users}


async def test_a_forgotten_person_is_replaced_and_exported_before(service: Service) -> None:
    league = await opened(service, CAMETTE, range(10**17, 10**17 + 4))
    await tick(service, BEGIN)
    privacy = service.part(Privacy)
    exported = await privacy.export_person(10**17)
    assert exported["league_sign_ups"]
    assert exported["league_seasons"]
    await privacy.forget_person(10**17, BEGIN + 1)
    (group,) = await groups(service, league)
    assert 10**17 not in group.users
    assert await signed_up(service, league) == [10**17 + 1, 10**17 + 2, 10**17 + 3]
    await tick(service, BEGIN + 14 * DAY)
    assert (await now_of(service, league)).season == 2


async def test_a_server_has_ten_leagues_at_most(service: Service) -> None:
    for _ in range(10):
        await opened(service, CAMETTE, ())
    with pytest.raises(LeagueError) as refused:
        await opened(service, CAMETTE, ())
    assert refused.value.problem is LeagueProblem.TOO_MANY


async def test_a_season_is_exported_and_its_places_stand_in_profiles(service: Service) -> None:
    league = await opened(service, CAMETTE, range(1, 4))
    assert await export_season(service, league.id) is None
    await tick(service, BEGIN)
    (group,) = await groups(service, league)
    for game in group.games:
        assert game.match is not None
        await resign(service, game.match, max(group.users_of(game)), BEGIN + 1)
    await tick(service, BEGIN + 14 * DAY)
    exported = await export_season(service, league.id)
    assert exported is not None
    assert len(exported.games) == 3
    assert [line.split(",")[1:3] for line in exported.tables.split("\r\n")[2:5]] == [["1", "2"], ["2", "1"], ["3", "0"]]
    (trophy,) = await service.part(Leagues).trophies_of(GUILD, 1)
    assert trophy_text("en", trophy) == f"🥇 Camette league {league.id}, season 1, Group A"


@pytest.mark.parametrize("locale", LANGUAGES)
async def test_every_reason_of_a_league_has_a_sentence(locale: Language) -> None:
    for problem in LeagueProblem:
        assert explain_league_error(locale, LeagueError(problem, most=10, count=1))


async def test_a_deleted_server_takes_its_leagues_along(service: Service) -> None:
    await opened(service, CAMETTE, range(1, 4))
    await tick(service, BEGIN)
    await service.servers.note_removed(GUILD, BEGIN)
    assert await service.servers.delete_abandoned(BEGIN + 10**7) == [GUILD]
    for table in ("leagues", "league_sign_ups", "league_seasons", "league_seats", "league_games", "league_news"):
        assert await service.store.reader.run_sql(f"SELECT * FROM {table}") == [], table


@pytest.mark.parametrize(
    ("kind", "state", "season", "outdated"),
    [
        ("open", LeagueState.SIGN_UP, 1, False),
        ("open", LeagueState.RUNNING, 1, True),
        ("extended", LeagueState.CLOSED, 1, True),
        ("put-off", LeagueState.CLOSED, 1, False),
        ("begin", LeagueState.RUNNING, 1, False),
        ("begin", LeagueState.SIGN_UP, 2, True),
        ("warn-2", LeagueState.ENDING, 1, False),
        ("warn-2", LeagueState.RUNNING, 2, True),
        ("table", LeagueState.SIGN_UP, 1, False),
        ("table", LeagueState.CLOSED, 1, True),
        ("end", LeagueState.RUNNING, 2, False),
    ],
)
def test_late_news_of_an_earlier_state_is_not_posted(
    kind: str, state: LeagueState, season: int, outdated: bool
) -> None:
    league = replace(open_league(1, GUILD, CHANNEL, CAMETTE, NOW), state=state, season=season)
    assert LeagueNews(1, 1, kind, GUILD, NOW).is_outdated(league) is outdated
