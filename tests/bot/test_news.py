"""News: what is told of events, who is called, also from memory."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.core import leaving, offers, time_acts
from bot.core import table as tables
from bot.core.clock import DAY, Pace
from bot.core.events import EventKind
from bot.core.fold import replay_match
from bot.core.match import Phase
from bot.core.news import collect_news
from bot.features import FEATURES
from bot.play.service import Service
from bot.store import Store
from rules import VARIANTS
from tests.bot import acts, answers
from tests.bot.beginning import begun
from tests.bot.match_stories import Story, overdue, three, two
from tests.bot.playing import ADA, BO, CY, DEE, GUILD, NOW, by, existing, random_move, table, unshuffled


def test_each_turn_makes_one_news_and_the_end_joins_the_last() -> None:
    events = two().move("F7-F8", "F10-F9").did(leaving.resign, BO).events
    found = collect_news(1, events, 0)
    assert [item.kind for item in found] == [EventKind.STARTED, EventKind.MOVED, EventKind.MOVED, EventKind.RESIGNED]
    assert [item.seq for item in found] == [3, 4, 5, 7]
    assert [item.user for item in found] == [None, ADA, BO, BO]
    assert [item.match.phase for item in found] == [Phase.LIVE] * 3 + [Phase.OVER]
    first = found[1]
    assert first.position_before == VARIANTS["camelot"].start_position
    assert first.position_before.after_move(existing(first.move)) == existing(first.match.game).position
    assert collect_news(1, events, 4) == found[2:]
    assert collect_news(1, events, 7) == ()


def test_late_news_pings_everybody_once_and_nobody_for_a_past_turn() -> None:
    told = two().move("F7-F8", "F10-F9").then(time_acts.announce_vacation, BO, NOW + 9 * DAY)
    found = collect_news(1, told.events, 0)
    assert [(one.kind, one.pinged_users) for one in found] == [
        (EventKind.STARTED, ()),
        (EventKind.MOVED, ()),  # Bo has moved since
        (EventKind.MOVED, (ADA,)),  # what comes after it calls nobody
        (EventKind.AWAY, ()),
    ]
    answered = told.did(offers.offer_draw, ADA).did(answers.decline_draw, BO)
    assert [one.pinged_users for one in collect_news(1, answered.events, 0)][-4:] == [(), (), (), (ADA,)]


def test_the_player_to_move_is_pinged_though_later_news_pings_another() -> None:
    told = three().did(offers.offer_draw, CY).move("F7-F9").did(answers.decline_draw, ADA)
    assert [(one.kind, one.pinged_users) for one in collect_news(1, told.events, 0)][-2:] == [
        (EventKind.MOVED, (BO,)),
        (EventKind.DRAW_DECLINED, (CY,)),
    ]


def test_what_need_not_be_told_any_more_takes_nobodys_ping() -> None:
    story = two(Pace.FAST).move("F7-F8").ticks(1).then(time_acts.announce_vacation, BO, NOW + 9 * DAY)
    assert [(one.kind, one.pinged_users, one.overtaken) for one in collect_news(1, story.events, 0)][1:] == [
        (EventKind.MOVED, (BO,), False),
        (EventKind.REMINDED, (), True),
        (EventKind.AWAY, (), False),
    ]


def test_a_claimable_game_is_announced_as_long_as_it_is_claimable() -> None:
    story = overdue(two().move("F7-F8")).ticks()
    away = story.then(time_acts.announce_vacation, BO, NOW + 99 * DAY)
    item, _ = collect_news(1, away.events, away.events[-2].seq - 1)
    assert (item.kind, item.pinged_users, item.overtaken) == (EventKind.OVERDUE, (ADA,), False)
    homed = story.did(tables.move_to_channel, ADA, 77)
    # Though Bo is called after it:
    assert collect_news(1, homed.events, story.events[-1].seq - 1)[0].pinged_users == (ADA,)
    moved = story.move("F10-F9")
    assert [one.overtaken for one in collect_news(1, moved.events, story.events[-1].seq - 1)] == [True, False]


@pytest.mark.parametrize(("user", "closed"), [(ADA, EventKind.CANCELLED), (None, EventKind.EXPIRED)])
def test_a_table_that_closes_is_news(user: int | None, closed: EventKind) -> None:
    match = replay_match(1, table())
    events = tables.cancel_table(match, by(ADA)) if user else time_acts.tick(match, {}, match.table.expires_at)
    (item,) = collect_news(1, [*table(), *events], 0)
    assert (item.kind, item.user, item.match.phase) == (closed, user, Phase.CLOSED)


@pytest.mark.parametrize(("leaver", "called"), [(ADA, (DEE,)), (BO, (ADA,))])
def test_a_seat_that_is_taken_over_calls_the_player_to_move_then(leaver: int, called: tuple[int, ...]) -> None:
    assert three().did(leaving.resign, leaver).did(leaving.take_over, DEE).last.calls == called


@pytest.mark.parametrize(("leaver", "called"), [(ADA, (DEE,)), (BO, (ADA, DEE))])
def test_a_seat_that_is_handed_over_calls_the_substitute_too(leaver: int, called: tuple[int, ...]) -> None:
    story = three().did(leaving.propose_substitute, leaver, DEE)
    for user in (DEE, *{ADA, BO, CY} - {leaver}):
        story = story.did(answers.accept_substitute, user)
    assert story.last.calls == called


@pytest.mark.parametrize(("begin", "called"), [(two, {ADA, BO}), (three, {ADA, BO, CY})])
def test_a_player_who_is_out_of_time_is_told_so(begin: Callable[[], Story], called: set[int]) -> None:
    story = overdue(begin())
    claimed = story.did(time_acts.claim_timeout, BO, later=time_acts.CLAIM_GRACE_S)
    (item,) = collect_news(1, claimed.events, story.match.seq)
    assert set(item.calls) == called


# From memory


@pytest.mark.parametrize("how", ["at once", "every third time", "after a restart"])
async def test_news_are_the_same_from_memory_and_from_the_whole_story(tmp_path: Path, how: str) -> None:
    rng = random.Random(how)
    async with Store.open(tmp_path / "roundtable.db") as store:
        service = Service(store, FEATURES, unshuffled)
        match = await begun(service, pace=None)
        told = 0
        for now in range(NOW, NOW + 40):
            head = await store.reader.load_head(match.id)
            found = await service.unannounced_news(match.id)
            assert found == collect_news(match.id, await store.reader.load_events(match.id), existing(head).announced)
            if how != "every third time" or now % 3 == 0:
                await acts.mark_announced(service, match.id, existing(head).seq)
                told += len(found)
            if match.to_move is None:
                break
            if how == "after a restart":
                service = Service(store, FEATURES, unshuffled)
            if now == NOW + 30:
                match = await acts.resign(service, match.id, GUILD, ADA, now)
            else:
                match = await acts.move(service, match.id, GUILD, match.to_move, random_move(match, rng), now)
        assert told > 5
