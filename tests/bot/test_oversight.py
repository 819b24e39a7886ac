"""Watching over a server: settings in memory, titles, rulings, followers, and people who are forgotten."""

from __future__ import annotations

import pytest

from bot.client import RoundTable
from bot.core import leaving, refereeing
from bot.core.clock import Pace
from bot.core.events import EventKind, Seating, is_former
from bot.core.problems import Problem
from bot.core.refereeing import MAX_REASON_LENGTH, rulings_since
from bot.core.settings import MAX_HOUSE_RULES_LENGTH, GuildSettings, Threads
from bot.play.announcing.telling.referee import audit_text
from bot.play.server_settings import server_settings_text
from bot.play.service import Service
from bot.play.service.people import MAX_FOLLOWERS
from bot.privacy.service import Privacy
from bot.texts.i18n import LANGUAGES, Language, text
from bot.texts.people import mention_user
from bot.texts.sentences import titled_name
from rules import VARIANTS
from tests.bot import acts
from tests.bot.playing import ADA, BO, CHANNEL, CY, DEE, GUILD, NOW, followed, live, refused, rename_match, started
from tests.sentences import part

JUDGE = 1099
every = pytest.mark.parametrize("locale", LANGUAGES)


async def begun(service: Service) -> int:
    """The number of a game between Ada and Bo."""
    table = await service.open_table(GUILD, CHANNEL, ADA, "camelot", (), Seating.JOIN_ORDER, False, NOW)
    await service.join_table(table.id, GUILD, BO, NOW)
    return table.id


async def test_the_chosen_language_of_public_posts_survives_a_restart(client: RoundTable) -> None:
    assert client.app.servers.language_of(GUILD) == "en"
    await client.app.servers.change_settings(GUILD, lambda _: GuildSettings(language="no"))
    assert client.app.servers.language_of(GUILD) == "no"
    again = type(client.app.servers)(client, client.app.service)
    await again.load_all()
    assert (again.language_of(GUILD), again.language_of(GUILD + 1)) == ("no", "en")


async def test_settings_that_are_refused_are_not_gone_by_either(client: RoundTable) -> None:
    with refused(Problem.TEXT_TOO_LONG, most=MAX_HOUSE_RULES_LENGTH):
        await client.app.servers.change_settings(
            GUILD, lambda _: GuildSettings(house_rules="x" * (MAX_HOUSE_RULES_LENGTH + 1))
        )
    assert client.app.servers.settings_of(GUILD) == GuildSettings()


@every
def test_the_fullest_settings_of_a_server_fit_into_a_message(locale: Language) -> None:
    channels = tuple(range(10**19, 10**19 + 60))
    full = GuildSettings(Pace.SLOW, Threads.ASK, channels, "no", 10**19, 10**19, "x" * MAX_HOUSE_RULES_LENGTH)
    assert len(server_settings_text(locale, full, changed=False)) <= 4000


@pytest.mark.parametrize(
    ("threads", "asked", "given"),
    [
        (Threads.YES, False, True),
        (Threads.NO, True, False),
        (Threads.ASK, True, True),
        (Threads.ASK, False, False),
    ],
)
def test_a_server_may_settle_whether_games_get_threads(threads: Threads, asked: bool, given: bool) -> None:
    assert threads.gives_thread(wanted=asked) is given


@every
def test_who_is_forgotten_is_a_word_and_nobodys_mention(locale: Language) -> None:
    said = {mention_user(user, locale) for user in (0, 1, 2)}
    assert said == {text(locale, "former-player")}
    assert mention_user(ADA, locale) == f"<@{ADA}>"
    assert not is_former(2**52)  # Discord's ids carry the time since 2015 and are larger


async def test_the_name_of_who_is_forgotten_is_not_asked_of_discord(client: RoundTable) -> None:
    await client.app.servers.change_settings(GUILD, lambda _: GuildSettings(language="no"))
    assert await client.app.names.name_of(GUILD, 0) == text("no", "former-player")


@every
def test_a_title_follows_the_game_without_its_markup(locale: Language) -> None:
    assert titled_name(locale, VARIANTS["camelot"], None) == "Camelot"
    assert titled_name(locale, VARIANTS["camelot"], "*The* final") == r"Camelot: \*The\* final"


def test_rulings_are_those_after_the_last_one_entered() -> None:
    events = started()
    match = live()
    for title in ("One", "Two"):
        more = rename_match(match, JUDGE, title, "x", NOW)
        events, match = [*events, *more], followed(match, more)
    one, two = rulings_since(1, events, 0)
    assert [(one.event.kind, one.match_before.title, two.match_before.title) for _ in "x"] == [
        (EventKind.RENAMED, None, "One")
    ]
    assert (one.match.title, rulings_since(1, events, one.event.seq), rulings_since(1, events, two.event.seq)) == (
        "Two",
        (two,),
        (),
    )


@every
def test_every_referee_act_has_a_fitting_entry_naming_a_referee_who_plays(locale: Language) -> None:
    why = "*" * MAX_REASON_LENGTH
    match = live(pace=Pace.FAST)
    acts = [
        refereeing.set_clock(match, JUDGE, 0, 3600, why, NOW),
        refereeing.replace_player(match, JUDGE, BO, DEE, why, NOW),
        refereeing.abort_match(match, JUDGE, why, NOW),
        rename_match(match, JUDGE, "*" * 60, why, NOW),
        rename_match(match, JUDGE, "", why, NOW),
        refereeing.abort_match(match, ADA, why, NOW),
    ]
    said = []
    for events in acts:
        (ruling,) = rulings_since(1, [*started(pace=Pace.FAST), *events], match.seq)
        said.append(audit_text(locale, ruling))
    assert len(set(said)) == len(said)
    assert all(len(one) <= 2000 and "{" not in one and f"<#{CHANNEL}>" in one for one in said)
    assert [part("referee.entry-player", locale) in one for one in said] == [False] * 5 + [True]


async def test_a_game_has_as_many_followers_as_can_be_mentioned(client: RoundTable) -> None:
    match_id = await begun(client.app.service)
    for user in range(2000, 2000 + MAX_FOLLOWERS):
        await client.app.service.people.follow_match(match_id, GUILD, user, every_move=False)
    with refused(Problem.TOO_MANY_FOLLOWERS, most=MAX_FOLLOWERS):
        await client.app.service.people.follow_match(match_id, GUILD, CY, every_move=False)
    await client.app.service.people.follow_match(match_id, GUILD, 2000, every_move=True)  # a follower may ask for more
    assert [game.id for game in await client.app.service.people.followed_games(GUILD, 2000)] == [match_id]
    assert await client.app.service.people.followed_games(GUILD + 1, 2000) == []


async def test_open_tables_are_followed_and_games_that_are_over_no_longer(client: RoundTable) -> None:
    service = client.app.service
    match_id = await begun(service)
    table = await service.open_table(GUILD, CHANNEL, BO, "cam", [], Seating.JOIN_ORDER, False, NOW)
    for number in (match_id, table.id):
        await service.people.follow_match(number, GUILD, DEE, every_move=False)
    assert [game.id for game in await service.people.followed_games(GUILD, DEE)] == [match_id, table.id]
    await service.act_on_match(match_id, GUILD, lambda match, _: leaving.resign(match, ADA, NOW))
    assert [game.id for game in await service.people.followed_games(GUILD, DEE)] == [table.id]


async def test_nobody_follows_a_game_of_their_own(client: RoundTable) -> None:
    match_id = await begun(client.app.service)
    with refused(Problem.FOLLOWS_OWN):
        await client.app.service.people.follow_match(match_id, GUILD, BO, every_move=True)
    assert await client.app.service.people.followers_of(match_id) == ()


async def test_games_are_found_by_server_and_by_place(client: RoundTable) -> None:
    service = client.app.service
    match_id = await begun(service)
    await acts.rename(service, match_id, GUILD, JUDGE, "Final", "x", NOW)
    await acts.set_homeless(service, match_id, NOW)
    (summary,) = await service.games_at(GUILD)
    assert (summary.id, summary.title, summary.has_lost_channel) == (match_id, "Final", True)
    assert await service.games_at(GUILD + 1) == []
    assert await service.played_in(GUILD, CHANNEL) == [match_id]
    await acts.set_thread(service, match_id, None, NOW)  # it has been posted to again
    assert [one.has_lost_channel for one in await service.games_at(GUILD)] == [False]
    await acts.abort(service, match_id, GUILD, JUDGE, "x", NOW)
    assert (await service.games_at(GUILD), await service.played_in(GUILD, CHANNEL)) == ([], [])
    assert [one.id for one in await service.games_at(GUILD, live=False)] == [match_id]


async def test_two_who_are_forgotten_are_told_apart(client: RoundTable) -> None:
    service = client.app.service
    match_id = await begun(service)
    await acts.move(service, match_id, GUILD, ADA, "F7-F8", NOW)
    footprint = await service.part(Privacy).footprint_of(ADA)
    assert (footprint["tables"], footprint["live"], footprint["over"]) == (0, 1, 0)
    await service.part(Privacy).forget_person(ADA, NOW)
    (match,) = await service.part(Privacy).forget_person(BO, NOW)
    assert all(is_former(user) for user in match.players)
    assert match.players[0] != match.players[1]
    assert match.winners == (match.players[1],)
