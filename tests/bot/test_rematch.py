"""Rematches: the same people, the next seat order, one table at a time."""

from __future__ import annotations

import asyncio

import pytest

from bot.core.clock import Pace
from bot.core.events import Seating, is_former
from bot.core.match import Match, Phase
from bot.core.problems import MatchError, Problem
from bot.core.table import next_seat_order
from bot.play.service import Service
from tests.bot import acts
from tests.bot.playing import ADA, BO, CHANNEL, CY, DEE, GUILD, NOW, anonymized


@pytest.fixture
async def over(service: Service) -> tuple[Service, Match]:
    """A finished game of three players, played slowly and without vacations."""
    opened = await service.open_table(
        *(GUILD, CHANNEL, ADA, "tri-camelot", [], Seating.JOIN_ORDER, True, NOW), pace=Pace.SLOW, vacations=False
    )
    for user in (BO, CY):
        match = await service.join_table(opened.id, GUILD, user, NOW)
    for user in (ADA, BO):
        match = await acts.resign(service, match.id, GUILD, user, NOW, call=False)
    assert match.phase is Phase.OVER
    return service, match


async def test_seats_change_regardless_of_who_asks_and_accepts_first(over: tuple[Service, Match]) -> None:
    service, match = over
    again, new = await service.open_rematch(match.id, GUILD, CY, NOW)
    assert new
    assert (again.host, again.invited, again.channel) == (CY, (ADA, BO), CHANNEL)
    assert (again.pace, again.vacations, again.wants_thread, again.ladder) == (Pace.SLOW, False, True, False)
    for user in (BO, ADA):
        again = await service.join_table(again.id, GUILD, user, NOW)
    assert match.players == (ADA, BO, CY)
    assert again.players == (BO, ADA, CY)


def test_rematches_of_three_go_through_all_six_orders() -> None:
    orders = ["ABC", "BAC", "BCA", "CBA", "CAB", "ACB"]
    users = dict(zip("ABC", (ADA, BO, CY), strict=True))
    for order, after in zip(orders, [*orders[1:], orders[0]], strict=True):
        assert next_seat_order([users[one] for one in order]) == tuple(users[one] for one in after)


def test_rematches_of_two_change_colours_each_time() -> None:
    assert next_seat_order(next_seat_order((ADA, BO))) == (ADA, BO) != next_seat_order((ADA, BO))


async def test_a_player_gone_from_the_server_leaves_their_seat_to_anybody(over: tuple[Service, Match]) -> None:
    service, match = over
    again, _ = await service.open_rematch(match.id, GUILD, ADA, NOW, departed=[BO])
    assert (again.invited, again.free_seats) == ((CY,), 1)
    for user in (DEE, CY):
        again = await service.join_table(again.id, GUILD, user, NOW)
    assert again.players == (DEE, ADA, CY)


async def test_who_comes_instead_of_somebody_has_their_seat(over: tuple[Service, Match]) -> None:
    service, match = over
    again, _ = await service.open_rematch(match.id, GUILD, ADA, NOW)
    await acts.decline(service, again.id, GUILD, BO, NOW)
    for user in (DEE, CY):
        again = await service.join_table(again.id, GUILD, user, NOW)
    assert again.players == (DEE, ADA, CY)


async def test_a_table_that_could_not_be_posted_is_set_again(over: tuple[Service, Match]) -> None:
    service, match = over
    unseen, _ = await service.open_rematch(match.id, GUILD, ADA, NOW)
    await service.withdraw_table(unseen.id)
    again, new = await service.open_rematch(match.id, GUILD, ADA, NOW)
    assert new
    assert again.invited == (BO, CY)


async def test_a_second_press_finds_the_table_and_a_closed_one_is_reset(over: tuple[Service, Match]) -> None:
    service, match = over
    both = await asyncio.gather(*(service.open_rematch(match.id, GUILD, user, NOW) for user in (ADA, BO)))
    assert sorted(new for _, new in both) == [False, True]
    (one, _), (other, _) = both
    assert one.id == other.id
    await acts.cancel(service, one.id, GUILD, one.host, NOW)
    third, new = await service.open_rematch(match.id, GUILD, CY, NOW)
    assert new
    assert third.id != one.id


async def test_strangers_and_games_that_are_on_have_no_rematch(over: tuple[Service, Match]) -> None:
    service, match = over
    with pytest.raises(MatchError) as caught:
        await service.open_rematch(match.id, GUILD, DEE, NOW)
    assert caught.value.problem is Problem.NOT_A_PLAYER
    again, _ = await service.open_rematch(match.id, GUILD, ADA, NOW)
    for user in (BO, CY):
        again = await service.join_table(again.id, GUILD, user, NOW)
    with pytest.raises(MatchError) as caught:
        await service.open_rematch(again.id, GUILD, ADA, NOW)
    assert caught.value.problem is Problem.NOT_OVER


async def test_a_rematch_reads_the_same_from_the_store_and_forgets_players(over: tuple[Service, Match]) -> None:
    service, match = over
    again, _ = await service.open_rematch(match.id, GUILD, ADA, NOW)
    events = await service.store.reader.load_events(again.id)
    assert Match.replay(again.id, events) == again
    assert again.rematch_of == match.id
    forgotten = Match.replay(again.id, [anonymized(event, BO, 7) for event in events])
    assert forgotten.order == (7, ADA, CY)
    assert is_former(7)
