"""Watching over a server: settings in memory, titles, rulings, followers, and rematches."""

from __future__ import annotations

import asyncio

import pytest

from bot.client import RoundTable
from bot.core import refereeing
from bot.core.clock import Pace
from bot.core.deadlines import Actor
from bot.core.events import EventKind, is_former
from bot.core.fold import replay_match
from bot.core.match import Match, Phase
from bot.core.problems import Problem
from bot.core.refereeing import MAX_REASON_LENGTH, find_ruling
from bot.core.settings import GuildSettings, Threads
from bot.core.table import next_seat_order
from bot.play.announcing.telling import audit_text
from bot.play.service import Service, people, tables
from bot.store import game_lists
from bot.store.game_lists import followers_of, follows_of
from bot.texts.i18n import Language, text
from bot.texts.people import mention_user
from bot.texts.sentences import titled_name
from rules import VARIANTS
from tests.bot import acts
from tests.bot.beginning import begun, opened
from tests.bot.playing import (
    ADA,
    BO,
    CHANNEL,
    CY,
    DEE,
    GUILD,
    NOW,
    anonymized,
    by,
    followed,
    live,
    refused,
    rename_match,
    started,
)
from tests.sentences import part

JUDGE = 1099


async def test_the_chosen_language_of_public_posts_survives_a_restart(client: RoundTable) -> None:
    assert client.context.servers.language_of(GUILD) == "en"
    await client.context.servers.change_settings(GUILD, lambda _: GuildSettings(language="no"))
    assert client.context.servers.language_of(GUILD) == "no"
    again = type(client.context.servers)(client, client.context.service)
    await again.load_all()
    assert (again.language_of(GUILD), again.language_of(GUILD + 1)) == ("no", "en")


@pytest.mark.parametrize(
    ("threads", "asked", "given"),
    [(Threads.YES, False, True), (Threads.NO, True, False), (Threads.ASK, True, True), (Threads.ASK, False, False)],
)
def test_a_server_may_settle_whether_games_get_threads(threads: Threads, asked: bool, given: bool) -> None:
    assert threads.gives_thread(wanted=asked) is given


def test_who_is_forgotten_is_a_word_and_nobodys_mention(locale: Language) -> None:
    said = {mention_user(user, locale) for user in (0, 1, 2)}
    assert said == {text(locale, "former-player")}
    assert mention_user(ADA, locale) == f"<@{ADA}>"
    assert not is_former(2**52)  # Discord's ids carry the time since 2015 and are larger


def test_a_title_follows_the_game_without_its_markup(locale: Language) -> None:
    assert titled_name(locale, VARIANTS["camelot"], None) == "Camelot"
    assert titled_name(locale, VARIANTS["camelot"], "*The* final") == r"Camelot: \*The\* final"


def test_a_ruling_is_seen_with_the_match_before_it_and_now() -> None:
    events = started()
    match = live()
    for title in ("One", "Two"):
        more = rename_match(match, by(JUDGE), title, "x")
        events, match = [*events, *more], followed(match, more)
    one, two = (find_ruling(1, events, seq) for seq in (match.seq - 1, match.seq))
    assert (one.event.kind, one.match_before.title, two.match_before.title) == (EventKind.RENAMED, None, "One")
    assert one.match.title == "Two"


def test_every_referee_act_has_a_fitting_entry_naming_a_referee_who_plays(locale: Language) -> None:
    why = "*" * MAX_REASON_LENGTH
    match = live(pace=Pace.FAST)
    acts = [
        refereeing.set_clock(match, by(JUDGE), 0, 3600, why),
        refereeing.replace_player(match, by(JUDGE), BO, DEE, why),
        refereeing.abort_match(match, by(JUDGE), why),
        refereeing.abort_match(match, by(ADA), why),
    ]
    said = []
    for events in acts:
        ruling = find_ruling(1, [*started(pace=Pace.FAST), *events], match.seq + 1)
        said.append(audit_text(locale, ruling))
    assert len(set(said)) == len(said)
    assert all(len(one) <= 2000 and "{" not in one and f"<#{CHANNEL}>" in one for one in said)
    assert [part("referee.entry-player", locale) in one for one in said] == [False] * 3 + [True]


async def test_a_game_has_as_many_followers_as_can_be_mentioned(client: RoundTable) -> None:
    match_id = (await begun(client.context.service)).id
    for user in range(2000, 2000 + people.MAX_FOLLOWERS):
        await people.follow_match(client.context.service, Actor(user, NOW, GUILD), match_id, every_move=False)
    with refused(Problem.TOO_MANY_FOLLOWERS, most=people.MAX_FOLLOWERS):
        await people.follow_match(client.context.service, Actor(CY, NOW, GUILD), match_id, every_move=False)
    # A follower may ask for more.
    await people.follow_match(client.context.service, Actor(2000, NOW, GUILD), match_id, every_move=True)
    assert [follow.every_move for follow in await follows_of(client.context.service.reader, 2000)] == [True]


async def test_open_tables_are_followed_like_games(client: RoundTable) -> None:
    service = client.context.service
    match_id = (await begun(service)).id
    table = await opened(service, "cam", host=BO)
    for number in (match_id, table.id):
        await people.follow_match(service, Actor(DEE, NOW, GUILD), number, every_move=False)
    assert [follow.match for follow in await follows_of(service.reader, DEE)] == [match_id, table.id]


async def test_nobody_follows_a_game_of_their_own(client: RoundTable) -> None:
    match_id = (await begun(client.context.service)).id
    with refused(Problem.FOLLOWS_OWN):
        await people.follow_match(client.context.service, Actor(BO, NOW, GUILD), match_id, every_move=True)
    assert await followers_of(client.context.service.reader, match_id) == ()


async def test_games_are_found_by_server(client: RoundTable) -> None:
    service = client.context.service
    match_id = (await begun(service)).id
    await acts.rename(service, match_id, JUDGE, "Final", "x", NOW)
    await acts.set_homeless(service, match_id, NOW)
    (summary,) = await game_lists.games_in_server(service.reader, GUILD, live=True)
    assert (summary.id, summary.title, summary.place.is_lost) == (match_id, "Final", True)
    assert await game_lists.games_in_server(service.reader, GUILD + 1, live=True) == []
    await acts.set_thread(service, match_id, None, NOW)  # it has been posted to again
    assert [one.place.is_lost for one in await game_lists.games_in_server(service.reader, GUILD, live=True)] == [False]
    await acts.abort(service, match_id, GUILD, JUDGE, "x", NOW)
    assert await game_lists.games_in_server(service.reader, GUILD, live=True) == []
    assert [one.id for one in await game_lists.games_in_server(service.reader, GUILD, live=False)] == [match_id]


# Rematches


@pytest.fixture
async def over(service: Service) -> tuple[Service, Match]:
    """A finished game of three players, played slowly and without vacations."""
    table = await opened(service, "tri-camelot", thread=True, pace=Pace.SLOW, vacations=False)
    for user in (BO, CY):
        match = await acts.join_table(service, table.id, GUILD, user, NOW)
    for user in (ADA, BO):
        match = await acts.resign(service, match.id, GUILD, user, NOW)
    assert match.phase is Phase.OVER
    return service, match


async def test_seats_change_regardless_of_who_asks_and_accepts_first(over: tuple[Service, Match]) -> None:
    service, match = over
    again, new = await tables.open_rematch(service, Actor(CY, NOW, GUILD), match.id)
    assert new
    assert (again.table.host, again.table.invited, again.place.channel) == (CY, (ADA, BO), CHANNEL)
    terms = again.terms
    assert (terms.pace, terms.vacations, terms.wants_thread, terms.ladder) == (Pace.SLOW, False, True, False)
    for user in (BO, ADA):
        again = await acts.join_table(service, again.id, GUILD, user, NOW)
    assert match.players == (ADA, BO, CY)
    assert again.players == (BO, ADA, CY)


def test_rematches_of_three_go_through_all_six_orders() -> None:
    orders = ["ABC", "BAC", "BCA", "CBA", "CAB", "ACB"]
    users = dict(zip("ABC", (ADA, BO, CY), strict=True))
    for order, after in zip(orders, [*orders[1:], orders[0]], strict=True):
        assert next_seat_order([users[one] for one in order]) == tuple(users[one] for one in after)


def test_rematches_of_two_change_colours_each_time() -> None:
    assert next_seat_order(next_seat_order((ADA, BO))) == (ADA, BO) != next_seat_order((ADA, BO))


@pytest.mark.parametrize("departed", [[BO], []], ids=["gone from the server", "declines"])
async def test_who_comes_instead_of_somebody_has_their_seat(over: tuple[Service, Match], departed: list[int]) -> None:
    service, match = over
    again, _ = await tables.open_rematch(service, Actor(ADA, NOW, GUILD), match.id, departed=departed)
    if not departed:
        again = await acts.decline(service, again.id, GUILD, BO, NOW)
    assert (again.table.invited, again.free_seats) == ((CY,), 1)
    for user in (DEE, CY):
        again = await acts.join_table(service, again.id, GUILD, user, NOW)
    assert again.players == (DEE, ADA, CY)


async def test_a_table_that_could_not_be_posted_is_set_again(over: tuple[Service, Match]) -> None:
    service, match = over
    unseen, _ = await tables.open_rematch(service, Actor(ADA, NOW, GUILD), match.id)
    await tables.withdraw_table(service, unseen.id)
    again, new = await tables.open_rematch(service, Actor(ADA, NOW, GUILD), match.id)
    assert new
    assert again.table.invited == (BO, CY)


async def test_a_second_press_finds_the_table_and_a_closed_one_is_reset(over: tuple[Service, Match]) -> None:
    service, match = over
    both = await asyncio.gather(
        *(tables.open_rematch(service, Actor(user, NOW, GUILD), match.id) for user in (ADA, BO))
    )
    assert sorted(new for _, new in both) == [False, True]
    (one, _), (other, _) = both
    assert one.id == other.id
    await acts.cancel(service, one.id, GUILD, one.table.host, NOW)
    third, new = await tables.open_rematch(service, Actor(CY, NOW, GUILD), match.id)
    assert new
    assert third.id != one.id


async def test_strangers_and_games_that_are_on_have_no_rematch(over: tuple[Service, Match]) -> None:
    service, match = over
    with refused(Problem.NOT_A_PLAYER):
        await tables.open_rematch(service, Actor(DEE, NOW, GUILD), match.id)
    again, _ = await tables.open_rematch(service, Actor(ADA, NOW, GUILD), match.id)
    for user in (BO, CY):
        again = await acts.join_table(service, again.id, GUILD, user, NOW)
    with refused(Problem.NOT_OVER):
        await tables.open_rematch(service, Actor(ADA, NOW, GUILD), again.id)


async def test_a_rematch_reads_the_same_from_the_store_and_forgets_players(over: tuple[Service, Match]) -> None:
    service, match = over
    again, _ = await tables.open_rematch(service, Actor(ADA, NOW, GUILD), match.id)
    events = await service.reader.load_events(again.id)
    assert replay_match(again.id, events) == again
    assert again.terms.rematch_of == match.id
    forgotten = replay_match(again.id, [anonymized(event, BO, 7) for event in events])
    assert forgotten.terms.order == (7, ADA, CY)
    assert is_former(7)
