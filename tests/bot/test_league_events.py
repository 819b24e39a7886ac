"""What scheduled events have to announce about a league, and how the service notes it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.core.clock import DAY
from bot.leagues.announcement import Announcement, announcement_of, is_called_off
from bot.leagues.events import SeasonEvents
from bot.leagues.league import League, LeagueState, open_league
from bot.leagues.service import Leagues
from bot.play.service import Service
from tests.bot.playing import CHANNEL, GUILD, NOW
from tests.bot.seasons import BEGIN, CAMETTE, kinds, opened, tick

SIGN_UP = replace(open_league(1, GUILD, CHANNEL, CAMETTE, NOW), events=True)
RUNNING = SIGN_UP.begin_season(SIGN_UP.begins_at)
CLOSED = replace(SIGN_UP, state=LeagueState.CLOSED)
BEGINS, ENDS = Announcement(1, "begin", SIGN_UP.begins_at), Announcement(1, "end", RUNNING.ends_at)


def test_the_start_is_announced_before_a_season_and_then_the_end() -> None:
    assert announcement_of(SIGN_UP, NOW) == BEGINS
    assert announcement_of(SIGN_UP, SIGN_UP.begins_at) is None
    assert announcement_of(RUNNING, RUNNING.begins_at) == ENDS
    assert announcement_of(replace(RUNNING, state=LeagueState.ENDING), RUNNING.ends_at) is None
    assert announcement_of(CLOSED, NOW) is None
    assert announcement_of(replace(SIGN_UP, events=False), NOW) is None
    assert announcement_of(SIGN_UP.extend_sign_up(), SIGN_UP.begins_at) == BEGINS._replace(at=BEGINS.at + 7 * DAY)


@pytest.mark.parametrize(
    ("league", "shown", "now", "called_off"),
    [
        (RUNNING, BEGINS, BEGINS.at, False),  # the season has begun
        (RUNNING, BEGINS, BEGINS.at - 1, True),
        (SIGN_UP.extend_sign_up(), BEGINS, BEGINS.at, True),
        (CLOSED, BEGINS, BEGINS.at, True),  # put off for good
        (CLOSED, BEGINS, NOW, True),  # closed by a manager
        (RUNNING, ENDS, NOW, True),
        (RUNNING.after_season(ENDS.at), ENDS, ENDS.at, False),
        (replace(CLOSED, season=1), ENDS, ENDS.at, False),
    ],
)
def test_only_what_takes_place_stays_announced(
    league: League, shown: Announcement, now: int, *, called_off: bool
) -> None:
    assert is_called_off(league, shown, now) is called_off


async def test_each_change_of_a_league_has_its_event_compared(service: Service) -> None:
    events, leagues = service.part(SeasonEvents), service.part(Leagues)
    league = await opened(service, CAMETTE, range(1, 5))
    assert await events.due_events(NOW) == []
    league = await events.switch_events(GUILD, league.id, events=True)
    assert league.events
    (announced,) = await events.due_events(NOW)
    await events.claim_event(league.id, NOW)
    await events.note_event(league.id, 77, BEGINS)
    assert await events.due_events(NOW) == []  # until it may be tried again
    await events.settle_event(league.id, NOW)
    assert await events.due_events(NOW + DAY) == []
    await tick(service, BEGIN)
    (announced,) = await events.due_events(BEGIN)
    assert (announced.event, announced.announcement) == (77, BEGINS)
    await events.claim_event(league.id, BEGIN)
    await leagues.close_league(GUILD, league.id)  # while Discord is being asked
    await events.settle_event(league.id, BEGIN)
    assert len(await events.due_events(BEGIN)) == 1
    await events.claim_event(league.id, BEGIN)
    await events.settle_event(league.id, BEGIN)
    await events.switch_events(GUILD, league.id, events=False)
    assert len(await events.due_events(BEGIN)) == 1


@pytest.mark.parametrize("is_up", [False, True], ids=["never up", "up already"])
async def test_a_refused_event_is_told_once(service: Service, *, is_up: bool) -> None:
    events = service.part(SeasonEvents)
    league = await opened(service, CAMETTE, range(1, 5))
    await events.switch_events(GUILD, league.id, events=True)
    await events.claim_event(league.id, NOW)
    if is_up:
        await events.note_event(league.id, 77, BEGINS)
    await events.give_up_event(league.id, NOW)
    assert (await kinds(service, league)).count("no-event") == 1
    assert await events.due_events(NOW + DAY) == []
    await tick(service, BEGIN)  # a change of the league
    assert await events.due_events(BEGIN) == []
    await events.switch_events(GUILD, league.id, events=True)
    assert [one.event for one in await events.due_events(BEGIN)] == [77 if is_up else None]


async def test_a_refusal_of_what_has_changed_since_is_not_told(service: Service) -> None:
    events = service.part(SeasonEvents)
    league = await opened(service, CAMETTE, range(1, 5))
    await events.switch_events(GUILD, league.id, events=True)
    await events.claim_event(league.id, NOW)
    await service.part(Leagues).close_league(GUILD, league.id)  # while Discord is being asked
    await events.give_up_event(league.id, NOW)
    assert "no-event" not in await kinds(service, league)
    assert len(await events.due_events(NOW)) == 1
