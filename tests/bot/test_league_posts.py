"""The posts of leagues: when they are edited and finished, and what happens when the league's channel is deleted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.core import leaving
from bot.core.clock import DAY, HOUR
from bot.core.deadlines import Actor
from bot.leagues import rows, seasons
from bot.leagues import service as leagues
from bot.leagues.league import League, LeagueState, new_league
from bot.play.service import Service, people
from tests.bot.playing import CHANNEL, GUILD, NOW
from tests.bot.seasons import BEGIN, CAMETTE, groups, kinds, now_of, opened, tick, to_edit, write

POST, ELSEWHERE = 77, CHANNEL + 5


async def post_all(service: Service, league: League) -> list[str]:
    """Notes all news as posted; returns its kinds."""
    posted = await rows.news_to_post(service.reader, league.id)
    for news in posted:
        is_table = news.kind in ("open", "begin", "table") and not news.is_outdated(await now_of(service, league))
        await seasons.mark_posted(service, news, POST + news.at if is_table else None)
    return [news.kind for news in posted]


async def lose_channel(service: Service, league: League, now: int) -> League:
    await seasons.note_channel_lost(service, await now_of(service, league), now)
    return await now_of(service, league)


# Edits


async def test_ten_minutes_between_edits_count_from_the_end_of_the_first(service: Service) -> None:
    league = await opened(service, CAMETTE, (1, 2, 3))
    await post_all(service, league)
    (edited,) = await to_edit(service, NOW)
    await write(service, rows.set_message, league.id, edited.message, NOW + 700)  # an edit is tried
    assert await to_edit(service, NOW + 699) == []
    assert [one.unposted_changes for one in await to_edit(service, NOW + 700)] == [3], "nothing says it succeeded"
    await leagues.join_league(service, Actor(4, NOW + 800, GUILD), league.id)
    await write(service, rows.note_edited, edited, NOW + 700 + 240)  # it has waited for its turn
    assert await to_edit(service, NOW + 700 + 239) == []
    assert [one.unposted_changes for one in await to_edit(service, NOW + 700 + 240)] == [1]


async def test_a_sign_up_without_changes_is_looked_at_again(service: Service) -> None:
    league = await opened(service, CAMETTE, (1, 2, 3))
    await post_all(service, league)
    await write(service, rows.note_edited, await now_of(service, league), NOW)
    assert await to_edit(service, NOW + HOUR, NOW - 1) == []
    assert len(await to_edit(service, NOW + HOUR, NOW)) == 1
    await tick(service, BEGIN)
    await post_all(service, league)
    await write(service, rows.note_edited, await now_of(service, league), BEGIN)
    assert await to_edit(service, BEGIN + HOUR, BEGIN + HOUR) == []


async def test_the_post_of_a_season_is_known_until_its_end_is_posted(service: Service) -> None:
    league = await opened(service, CAMETTE, (1, 2, 3))
    await post_all(service, league)
    await tick(service, BEGIN)
    assert (await now_of(service, league)).message == POST + NOW, "the sign-up, to be finished"
    assert await to_edit(service, BEGIN + DAY, BEGIN + DAY) == []
    await post_all(service, league)
    assert (await now_of(service, league)).message == POST + BEGIN
    end = BEGIN + 14 * DAY
    await tick(service, end)
    assert (await now_of(service, league)).state is LeagueState.SIGN_UP
    assert (await now_of(service, league)).message == POST + BEGIN, "the table, to be finished"
    assert await to_edit(service, end + DAY, end + DAY) == []
    (ended,) = [news for news in await rows.news_to_post(service.reader, league.id) if news.kind == "end"]
    await seasons.mark_posted(service, ended, None)
    assert (await now_of(service, league)).message is None
    assert "open" in await post_all(service, league)
    assert (await now_of(service, league)).message == POST + end


async def test_the_last_post_of_a_league_that_closes_is_finished(service: Service) -> None:
    league = await opened(service, CAMETTE, (1, 2, 3))
    await tick(service, BEGIN)
    await post_all(service, league)
    await leagues.close_league(service, GUILD, league.id)
    await write(service, rows.note_edited, await now_of(service, league), BEGIN)
    await tick(service, BEGIN + 14 * DAY)
    assert (await now_of(service, league)).state is LeagueState.CLOSED
    await post_all(service, league)
    assert await to_edit(service, BEGIN + 20 * DAY) == [], "nothing replaces the final table"


@pytest.mark.parametrize(("hours", "weeks"), [(0, []), (3, []), (23, []), (25, ["week-1"])])
def test_a_week_that_ends_with_a_warning_has_no_post(hours: int, weeks: list[str]) -> None:
    league = new_league(1, GUILD, CHANNEL, CAMETTE, NOW).begin_season(BEGIN)
    league = replace(league, ends_at=league.ends_at + hours * HOUR)  # postponed
    found = list[str]()
    while moment := league.next_moment:
        found.append(moment.kind)
        league = replace(league, moments_done_until=moment.at)
    assert found == [*weeks, "warn-7", "warn-2", "end"]


# A channel that is deleted


async def test_no_season_begins_without_a_channel(service: Service) -> None:
    league = await opened(service, CAMETTE, (1, 2, 3))
    await lose_channel(service, league, NOW + DAY)
    for now in (BEGIN - DAY, BEGIN, BEGIN + 3 * DAY):
        await tick(service, now)
    lost = await now_of(service, league)
    assert (lost.state, lost.message, lost.channel) == (LeagueState.SIGN_UP, None, 0)
    found = await leagues.choose_channel(service, GUILD, league.id, ELSEWHERE, BEGIN + 3 * DAY)
    assert (found.channel, found.begins_at) == (ELSEWHERE, BEGIN + 4 * DAY)
    assert found.ends_at - found.begins_at == 14 * DAY
    assert await kinds(service, league) == ["table"], "neither the old post, nor that it has no channel"
    await tick(service, BEGIN + 4 * DAY)
    assert (await now_of(service, league)).state is LeagueState.RUNNING
    (group,) = await groups(service, league)
    matches = [await service.current_match(game.match or 0, GUILD) for game in group.games]
    assert {match.place.channel for match in matches} == {ELSEWHERE}


async def test_a_season_ends_without_a_channel_and_its_end_is_posted_later(service: Service) -> None:
    league = await opened(service, CAMETTE, (1, 2, 3))
    await tick(service, BEGIN)
    await post_all(service, league)
    await lose_channel(service, league, BEGIN + DAY)
    for day in (7, 12, 14):
        await tick(service, BEGIN + day * DAY)
        assert await kinds(service, league) == []
    assert (await now_of(service, league)).season == 2
    await leagues.choose_channel(service, GUILD, league.id, ELSEWHERE, BEGIN + 15 * DAY)
    waiting = [kind for kind in await kinds(service, league) if kind != "recall"]
    assert waiting == ["end", "table"], "no warnings of the season that is over"


async def test_no_game_begins_without_a_channel(service: Service) -> None:
    league = await opened(service, CAMETTE, (1, 2, 3))
    for user in (1, 2, 3):
        await leagues.join_league(service, Actor(user, NOW, GUILD), league.id, at_once=1)
    await tick(service, BEGIN)
    await lose_channel(service, league, BEGIN + DAY)
    (group,) = await groups(service, league)
    (match,) = [game.match for game in group.games if game.match]
    await service.change_match(match, None, lambda m, _: leaving.resign(m, Actor(m.players[0], BEGIN + DAY)))
    await tick(service, BEGIN + 2 * DAY)
    (group,) = await groups(service, league)
    assert [game.match for game in group.games if game.match] == [match]
    await leagues.choose_channel(service, GUILD, league.id, ELSEWHERE, BEGIN + 3 * DAY)
    await tick(service, BEGIN + 3 * DAY)
    (group,) = await groups(service, league)
    assert len([game.match for game in group.games if game.match]) == 2


@pytest.mark.parametrize("audit", [True, False])
async def test_managers_hear_once_of_a_deleted_channel(service: Service, *, audit: bool) -> None:
    league = await opened(service, CAMETTE, (1, 2, 3))
    if audit:
        await people.change_guild_settings(service, GUILD, lambda settings: replace(settings, audit=5))
    before = await now_of(service, league)
    await lose_channel(service, league, NOW + DAY)
    await seasons.note_channel_lost(service, before, NOW + DAY + 1)
    if audit:
        assert await post_all(service, league) == ["no-channel"]
    else:
        assert await kinds(service, league) == []
        assert [one.id for one in await leagues.tell_lost_channels(service, GUILD)] == [league.id]
    assert await leagues.tell_lost_channels(service, GUILD) == []
    assert await kinds(service, league) == []
    await seasons.note_channel_lost(service, before, NOW + DAY + 2)
    assert await kinds(service, league) == []
    again = await leagues.choose_channel(service, GUILD, league.id, ELSEWHERE, NOW + 2 * DAY)
    assert (await leagues.choose_channel(service, GUILD, league.id, CHANNEL, NOW + 2 * DAY)) == again
