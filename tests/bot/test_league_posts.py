"""The posts of leagues: when they are edited and finished, and what happens when the league's channel is deleted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import discord
import pytest

from bot.core.clock import DAY, HOUR
from bot.core.deadlines import Actor
from bot.core.settings import GuildSettings
from bot.leagues import posts, rows, seasons
from bot.leagues import service as leagues
from bot.leagues.feature import LEAGUES
from bot.leagues.league import League, LeagueProblem, LeagueState, NewsKind, SignUp, new_league
from bot.leagues.posts import find_called_role
from bot.leagues.rows import load_season
from bot.leagues.words import joined_text, season_title, text_about
from bot.play.announcing import ticker as jobs_module
from bot.play.announcing.ticker import Jobs
from bot.play.context import JobKind, Post, feature_work, users_pinged
from bot.play.places import name_thread
from bot.play.service import Service
from bot.texts.i18n import Language, text
from bot.texts.markup import absolute_time, relative_time
from tests.bot.contexts import make_context, run_jobs
from tests.bot.databases import change, write
from tests.bot.playing import ADA, CHANNEL, GUILD, NOW
from tests.bot.seasons import (
    BEGIN,
    CAMETTE,
    NOT_FOUND,
    begun,
    groups,
    kinds,
    now_of,
    opened,
    refuses,
    resign,
    tell_all,
    tick,
)

ELSEWHERE, AUDIT = CHANNEL + 5, CHANNEL + 6


class Desk:
    """Does the jobs of leagues, with a Discord that takes every post and every edit of a message that is there."""

    def __init__(self, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
        self.service, self.now, self.audit = service, NOW, 0
        self.posts, self.edits, self.gone = list[Post](), list[tuple[int, int]](), set[int]()
        self.finished, self.shown, self.named = dict[int, str](), "", dict[int, str]()
        for module in (posts, jobs_module):
            monkeypatch.setattr(module, "now", lambda: self.now)
        self.context = make_context(
            service,
            client=SimpleNamespace(get_guild=lambda _: None, get_partial_messageable=self.place),
            servers=SimpleNamespace(settings_of=lambda _: GuildSettings(audit=self.audit or None)),
            names=SimpleNamespace(find_names=self.find_names, spell_names=self.spell_names),
            pictures=SimpleNamespace(thread=SimpleNamespace(run_steps=self.draw)),
            send_post=self.send_post,
        )
        self.jobs = Jobs(self.context, feature_work([LEAGUES], JobKind))

    async def find_names(self, *_: object) -> dict[int, str]:
        return self.named

    async def spell_names(self, _: int, content: str) -> str:
        return content

    async def draw(self, *_: object) -> bytes:
        return b""

    async def send_post(self, post: Post) -> Any:
        if post.channel in self.gone:
            raise discord.NotFound(NOT_FOUND, "")
        self.posts.append(post)
        return SimpleNamespace(id=len(self.posts), channel=SimpleNamespace(id=post.channel))

    def place(self, channel: int) -> Any:
        async def edit(message: int, how: Mapping[str, Any]) -> None:
            stands_in = [post.channel for post in self.posts[message - 1 : message]] or [channel]
            if {message, channel} & self.gone or stands_in != [channel]:
                raise discord.NotFound(NOT_FOUND, "")
            self.edits.append((self.now, message))
            self.shown = how["content"]
            if how["view"] is None:
                self.finished[message] = how["content"]

        def get_partial_message(message: int) -> Any:
            return SimpleNamespace(edit=lambda **how: edit(message, how))

        return SimpleNamespace(get_partial_message=get_partial_message)

    async def work(self, now: int) -> list[str]:
        """Does what is due at that time. Returns the kinds of news that are posted."""
        self.now, before = now, len(self.posts)
        await tick(self.service, now)
        await run_jobs(self.jobs, self.context)
        return ["".join(post.nonce.split(":")[2:3]) for post in self.posts[before:]]


@pytest.fixture
def desk(service: Service, monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(service, monkeypatch)


async def lose_channel(service: Service, league: League, now: int) -> None:
    await seasons.note_channel_lost(service, await now_of(service, league), now)


# Posts and their edits


@pytest.mark.parametrize(("length", "told"), [(32, "League 1, group A · Camette"), (33, "Camette")])
async def test_a_thread_says_the_league_if_there_is_room(service: Service, desk: Desk, length: int, told: str) -> None:
    _, group = await begun(service, CAMETTE, (1, 2, 3))
    match = await service.current_match(group.games[0].match or 0, GUILD)
    desk.named = dict.fromkeys((1, 2, 3), "A" * length)
    assert await name_thread(desk.context, match) == f"#{match.id} {'A' * length} – {'A' * length} · {told}"


@pytest.mark.sqlite
@pytest.mark.parametrize(("before", "pause"), [(0, 5), (1, 10), (11, 60), (40, 60)])
async def test_edits_of_a_sign_up_are_a_minute_apart(service: Service, desk: Desk, before: int, pause: int) -> None:
    league = await opened(service, CAMETTE, range(1, 1 + before))
    assert await desk.work(NOW) == ["open"]
    await leagues.join_league(service, Actor(99, NOW + 1, GUILD), league.id)
    await service.reader._connection.base.set_trace_callback((asked := list[str]()).append)
    for at in (1, pause - 1, pause, pause + 1):
        await desk.work(NOW + at)
    assert desk.edits == [(NOW + pause, 1)], "the first people see at once that they are in"
    assert sum("late = 1" in statement for statement in asked) == before + 1, "each person is looked at once"


async def test_edits_of_a_table_are_a_minute_apart(service: Service, desk: Desk) -> None:
    league = await opened(service, CAMETTE, (1, 2, 3))
    for at in (NOW, BEGIN):
        await desk.work(at)
    desk.edits.clear()
    (group,) = await groups(service, league)
    for at, game in zip((10, 59, 61), group.games, strict=True):
        await resign(service, game.match or 0, group.users_of(game)[0], BEGIN + at)
        for later in (0, 1):
            await desk.work(BEGIN + at + later)
    await desk.work(BEGIN + 120)
    assert desk.edits == [(BEGIN + 60, 2), (BEGIN + 120, 2)]


async def test_who_is_taken_out_of_a_sign_up_is_not_pinged(service: Service, desk: Desk) -> None:
    people = 10**17, 10**17 + 1, 10**17 + 2, 10**17 + 3
    league = await opened(service, CAMETTE, people)
    for user, now, pinged in ((people[0], NOW, []), (people[1], BEGIN, [people[1]])):
        await desk.work(now)
        await leagues.leave_league(service, GUILD, league.id, user, now, manager=9)
        await desk.work(now + 1)
        told = [post for post in desk.posts if "has taken" in post.content][-1]
        assert [one.id for one in told.ping.users] == pinged


async def test_only_the_post_of_a_sign_up_is_looked_at_without_changes(service: Service, desk: Desk) -> None:
    league = await opened(service, CAMETTE, (1, 2, 3))
    for now in (NOW, NOW + 600, NOW + HOUR - 1, NOW + HOUR):
        await desk.work(now)
    assert [at for at, _ in desk.edits] == [NOW + 600, NOW + HOUR]
    desk.gone.add(1)
    await desk.work(NOW + 3 * HOUR)
    assert await desk.work(NOW + 3 * HOUR + 60) == ["table"], "somebody has deleted it"
    assert (await now_of(service, league)).message == 2
    assert await desk.work(BEGIN) == ["begin"]
    await desk.work(BEGIN + HOUR)
    before = len(desk.edits)
    await desk.work(BEGIN + 5 * HOUR)
    assert len(desk.edits) == before


async def test_a_season_is_said_to_begin_now_until_it_has_begun(service: Service, desk: Desk, locale: Language) -> None:
    # The bug: for up to a minute people were asked to sign up for a season that had begun "11 seconds ago".
    desk.context.server_language = lambda _: locale
    league = await opened(service, CAMETTE, (1, 2, 3))
    begins, at = text(locale, "league.now"), absolute_time(BEGIN)
    for now in (NOW, BEGIN - 61):
        await desk.work(now)
    assert desk.shown.startswith(text_about(locale, league, "league.open", season=1))
    assert text(locale, "league.begins", when=relative_time(BEGIN), at=at) in desk.shown
    await leagues.join_league(service, Actor(4, BEGIN - 61, GUILD), league.id)
    await desk.work(BEGIN - 60)
    assert desk.shown.startswith(season_title(locale, league, 1))
    assert text(locale, "league.begins", when=begins, at=at) in desk.shown
    assert joined_text(locale, league, SignUp(4), BEGIN + 11).endswith(f" {begins}.")
    for now, problem in ((BEGIN - 61, LeagueProblem.NO_SEASON), (BEGIN + 11, LeagueProblem.BEGINS_NOW)):
        with refuses(problem):
            await leagues.load_latest_season(service.reader, league, now)
    assert await desk.work(BEGIN + 20) == ["begin"]


async def test_the_post_of_a_season_is_finished_at_its_end(service: Service, desk: Desk) -> None:
    league = await opened(service, CAMETTE, (1, 2, 3))
    await desk.work(NOW)
    await desk.work(BEGIN)
    assert desk.edits == [(BEGIN, 1)], "nobody can join below the sign-up any more"
    assert (await now_of(service, league)).message == 2
    end = BEGIN + 14 * DAY
    assert await desk.work(end) == ["end", "open", "recall"]
    assert desk.edits == [(BEGIN, 1), (end, 2)]
    assert [*desk.finished] == [1, 2], "their buttons are taken off"
    assert "the sign-up is over" in desk.finished[1]
    assert (await now_of(service, league)).message == 4
    assert (await now_of(service, league)).state is LeagueState.SIGN_UP


async def test_the_last_post_of_a_league_that_closes_is_finished(service: Service, desk: Desk) -> None:
    league = await opened(service, CAMETTE, (1, 2, 3))
    await desk.work(NOW)
    await desk.work(BEGIN)
    await leagues.change_league(service, GUILD, league.id, League.close)
    end = BEGIN + 14 * DAY
    await desk.work(end)
    assert (await now_of(service, league)).state is LeagueState.CLOSED
    await desk.work(end + DAY)
    assert desk.edits[-1] == (end, 2), "nothing replaces the final table"


async def test_a_deleted_channel_is_told_in_the_audit_channel(service: Service, desk: Desk) -> None:
    league = await opened(service, CAMETTE, (1, 2, 3))
    desk.gone, desk.audit = {CHANNEL}, AUDIT
    assert await desk.work(NOW) == ["no-channel"]
    assert (await now_of(service, league)).channel == 0
    assert [post.channel for post in desk.posts] == [AUDIT]
    desk.gone.add(AUDIT)
    await leagues.choose_channel(service, GUILD, league.id, ELSEWHERE, NOW + 2)
    await write(service.store, rows.add_news, await now_of(service, league), NewsKind.NO_ROLE, NOW + 2)
    assert await desk.work(NOW + 2) == ["no-role", "table"], "an audit channel that is gone holds nothing up"
    assert await desk.work(NOW + 3) == []


@pytest.mark.parametrize("locked", [0, ELSEWHERE])
async def test_the_list_of_games_goes_on_and_follows_them(service: Service, desk: Desk, locked: int) -> None:
    # The bug: a list that stands in the channel, because its thread is locked, was looked for in the thread.
    league = await opened(service, CAMETTE._replace(most=8), range(1, 9))
    await leagues.join_league(service, Actor(1, NOW, GUILD), league.id, at_once=1)
    await desk.work(BEGIN)
    assert await desk.work(BEGIN + HOUR - 60) == [], "the boards are still to come"
    league = await now_of(service, league)
    await write(service.store, rows.update_season, league, thread=locked or None, list_messages=(99, 0))
    desk.gone = {locked}  # then the bot was killed
    await show_boards(service)
    await change(service.store, "UPDATE matches SET turn_channel = NULL, turn_message = NULL WHERE id = 1")
    desk.edits.clear()
    assert await desk.work(BEGIN + HOUR) == ["list"]
    assert desk.edits == ([] if locked else [(BEGIN + HOUR, 99)])
    assert ":list:1:" in desk.posts[-1].nonce
    assert desk.posts[-1].ping.users == [], "the first message has called everybody"
    assert await desk.work(BEGIN + HOUR + 1) == (["list"] if locked else []), "it comes along to the channel"
    (group,) = await groups(service, league)
    first = next(game for game in group.games if game.match and 1 in group.users_of(game))
    await resign(service, first.match or 0, 1, BEGIN + DAY)
    desk.edits.clear()
    await desk.work(BEGIN + DAY)
    assert 99 not in [message for _, message in desk.edits]
    await show_boards(service)
    await desk.work(BEGIN + DAY + 600)
    assert {message for _, message in desk.edits} >= ({2, 3} if locked else {99, 2})
    assert len((await load_season(service.reader, league.id, 1)).list_messages) == 2


async def test_a_season_calls_each_person_once(service: Service, desk: Desk) -> None:
    # The bugs: a message that a longer list needed called its people again, and a board that came after an hour nobody.
    league, people = await opened(service, CAMETTE._replace(most=8), ()), range(ADA, ADA + 24)
    for user in people:
        await leagues.join_league(service, Actor(user, NOW, GUILD), league.id, at_once=1)
    await desk.work(BEGIN)
    begun_games = [(group, game) for group in await groups(service, league) for game in group.games if game.match]
    match = await service.current_match(begun_games[0][1].match or 0, GUILD)
    (board,) = await service.unannounced_news(match.id)
    assert [bool(board.as_posted(at).pinged_users) for at in (BEGIN + HOUR - 1, BEGIN + HOUR)] == [False, True]
    await show_boards(service)
    assert await desk.work(BEGIN + 2) == ["list"], "within seconds"
    for group, game in begun_games:
        await resign(service, game.match or 0, group.users_of(game)[0], BEGIN + DAY)
    await desk.work(BEGIN + DAY)
    await show_boards(service)
    await desk.work(BEGIN + DAY + 600)
    called = [{*users_pinged(post.ping)} for post in desk.posts if ":list:" in post.nonce]
    assert called == [{*people}, set()]
    later = max(game.match or 0 for group in await groups(service, league) for game in group.games)
    assert (await service.current_match(later, GUILD)).terms.called_until is None


async def show_boards(service: Service) -> None:
    """Notes that each game has a board."""
    await change(service.store, "UPDATE matches SET turn_channel = 1, turn_message = id")


async def test_the_role_is_called_at_the_sign_up_and_at_the_start(service: Service, desk: Desk) -> None:
    role = SimpleNamespace(id=8, mention="<@&8>", mentionable=True, is_default=lambda: False)
    server = SimpleNamespace(get_role={8: role}.get, me=None)
    desk.context.client.get_guild = lambda _: server
    league = await opened(service, CAMETTE, (1, 2, 3))
    await leagues.change_league(service, GUILD, league.id, lambda one: replace(one, called_role=8))
    for now in (NOW, BEGIN, BEGIN + 7 * DAY, BEGIN + 14 * DAY):
        await desk.work(now)
    assert [post.nonce.split(":")[2] for post in desk.posts if post.ping.roles] == ["open", "begin", "open"]
    assert all(post.content.startswith("<@&8> ") and post.ping.users == [] for post in desk.posts if post.ping.roles)
    role.mentionable = False
    assert find_called_role(server, await now_of(service, league)) is None


@pytest.mark.parametrize(("hours", "weeks"), [(0, []), (3, []), (23, []), (25, ["week"])])
def test_a_week_that_ends_with_a_warning_has_no_post(hours: int, weeks: list[str]) -> None:
    league = new_league(1, GUILD, CHANNEL, CAMETTE, NOW).begin_season(BEGIN)
    league = replace(league, ends_at=league.ends_at + hours * HOUR)  # postponed
    found = list[str]()
    while moment := league.next_moment:
        found.append(moment.kind.value)
        league = replace(league, moments_done_until=moment.at)
    assert found == [*weeks, "warn", "warn", "end"]


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
    assert await kinds(service, league) == ["table"], "neither the old post, nor that it has no channel"
    await tick(service, BEGIN + 4 * DAY)
    assert (await now_of(service, league)).state is LeagueState.RUNNING
    (group,) = await groups(service, league)
    matches = [await service.current_match(game.match or 0, GUILD) for game in group.games]
    assert {match.place.channel for match in matches} == {ELSEWHERE}


async def test_a_season_ends_without_a_channel_and_its_end_is_posted_later(service: Service) -> None:
    league, _ = await begun(service, CAMETTE, (1, 2, 3))
    await tell_all(service)
    await lose_channel(service, league, BEGIN + DAY)
    for day in (7, 12, 14):
        await tick(service, BEGIN + day * DAY)
    assert (await now_of(service, league)).season == 2
    await leagues.choose_channel(service, GUILD, league.id, ELSEWHERE, BEGIN + 15 * DAY)
    waiting = [kind for kind in await kinds(service, league) if kind != "recall"]
    assert waiting == ["end", "table"], "no warnings of the season that is over"


async def test_no_game_begins_without_a_channel(service: Service) -> None:
    league = await opened(service, CAMETTE, (1, 2, 3))
    await write(service.store, rows.save_league, replace(league, looked_up_at=BEGIN))
    await seasons.tick_seasons(service, BEGIN)
    await lose_channel(service, league, BEGIN)
    await tick(service, BEGIN + DAY)
    (group,) = await groups(service, league)
    assert not any(game.match for game in group.games)
    await leagues.choose_channel(service, GUILD, league.id, ELSEWHERE, BEGIN + 3 * DAY)
    await tick(service, BEGIN + 3 * DAY)
    (group,) = await groups(service, league)
    assert all(game.match for game in group.games)


async def test_a_channel_is_lost_and_replaced_once(service: Service) -> None:
    league = await opened(service, CAMETTE, (1, 2, 3))
    before = await now_of(service, league)
    await lose_channel(service, league, NOW + DAY)
    await seasons.note_channel_lost(service, before, NOW + DAY + 1)
    assert [one.id for one in await leagues.tell_lost_channels(service, GUILD)] == [league.id]
    assert await leagues.tell_lost_channels(service, GUILD) == []
    assert await kinds(service, league) == ["open"]
    again = await leagues.choose_channel(service, GUILD, league.id, ELSEWHERE, NOW + 2 * DAY)
    assert (await leagues.choose_channel(service, GUILD, league.id, CHANNEL, NOW + 2 * DAY)) == again
