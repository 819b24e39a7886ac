"""Plans that wait: why they wait, what drops them, how the planner learns of it, and how a plan is edited."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.core import leaving, offers, refereeing
from bot.core.clock import DAY, HOUR, Pace, VacationCap
from bot.core.events import Event, EventKind, Opening, Seating, format_opening
from bot.core.problems import Problem
from bot.features import make_service
from bot.plans.plan import Guard, PlanEndReason
from bot.plans.service import Plans
from bot.play.service import Service
from bot.store import Store
from rules import VARIANTS, format_move
from tests.bot import acts
from tests.bot.beginning import begun, set_up
from tests.bot.planning import JUDGE, WHY, asked_draw, line, move, plan, setup, standing
from tests.bot.playing import ADA, BO, CHANNEL, CY, DEE, GUILD, NOW, refused, unshuffled


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with Store.open(tmp_path / "roundtable.db") as store:
        yield make_service(store, unshuffled)


# Nothing unmeant


async def test_what_is_not_confirmed_is_not_played(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 2)
    drawn = await service.part(Plans).draft_plan(match.id, GUILD, BO, " ".join(moves))
    match = await move(service, match, ADA, moves[0])
    assert match.ply == 1
    with refused(Problem.NO_SUCH_PLAN):
        await service.part(Plans).confirm_plan(drawn.id, BO, NOW)


async def test_a_plan_is_confirmed_only_on_the_board_it_was_drafted_for(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 3)
    match = await move(service, match, ADA, moves[0])
    drawn = await service.part(Plans).draft_plan(match.id, GUILD, ADA, " ".join(moves[1:]))
    await service.act_on_match(match.id, GUILD, lambda m, _: offers.ask_takeback(m, ADA, NOW + HOUR))
    await service.act_on_match(match.id, GUILD, lambda m, _: offers.accept_takeback(m, BO, NOW + HOUR))
    with refused(Problem.NO_SUCH_PLAN):
        await service.part(Plans).confirm_plan(drawn.id, ADA, NOW)


async def test_a_plan_replaces_another_one_with_the_same_reply(service: Service) -> None:
    match = await begun(service)
    one, other = line(match, 2), line(match, 2, choice=3)
    first = await plan(service, match, BO, " ".join(one))
    drawn = await service.part(Plans).draft_plan(match.id, GUILD, BO, f"{one[0]} {other[1]}")
    assert await service.part(Plans).replaced_by(drawn) == (first,)
    _, gone = await service.part(Plans).confirm_plan(drawn.id, BO, NOW)
    assert gone == (first,)
    match = await move(service, match, ADA, one[0])
    assert format_move(match.started_game.moves[1], match.variant.board) == other[1]


async def test_a_plan_waits_for_its_planners_answer_and_is_then_played(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 2)
    await plan(service, match, BO, " ".join(moves))
    await asked_draw(service, match, BO)
    match = await move(service, match, ADA, moves[0])
    assert (match.ply, match.to_move) == (1, BO)
    match = await service.act_on_match(match.id, GUILD, lambda m, _: offers.decline_draw(m, BO, NOW + 2 * HOUR))
    assert (match.ply, match.to_move) == (2, ADA)
    told = await service.unannounced_news(match.id)
    assert [item.kind for item in told[-3:]] == [EventKind.MOVED, EventKind.DRAW_DECLINED, EventKind.MOVED]
    assert [len(item.told_together) for item in told[-3:]] == [1, 1, 1]


async def test_a_plan_of_three_waits_for_the_answer_to_a_draw(service: Service) -> None:
    match = await begun(service, "tri-camelot")
    moves = line(match, 3)
    await plan(service, match, CY, " ".join(moves))
    match = await move(service, match, ADA, moves[0])
    await asked_draw(service, match, ADA)
    match = await move(service, match, BO, moves[1], NOW + 2 * HOUR)
    assert match.ply == 2
    match = await service.act_on_match(match.id, GUILD, lambda m, _: offers.decline_draw(m, CY, NOW + 3 * HOUR))
    assert match.ply == 3


async def test_a_plan_waits_while_a_substitute_is_asked_for(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 2)
    await plan(service, match, BO, " ".join(moves))
    await acts.propose_substitute(service, match.id, GUILD, BO, DEE, NOW + HOUR)
    match = await move(service, match, ADA, moves[0])
    assert match.ply == 1
    match = await service.act_on_match(match.id, GUILD, lambda m, _: leaving.decline_substitute(m, DEE, NOW + 2 * HOUR))
    assert match.ply == 2


async def test_a_plan_waits_while_a_seat_is_vacant_and_falls_at_takeover(service: Service) -> None:
    match = await begun(service, "tri-camelot")
    moves = line(match, 3)
    await plan(service, match, ADA, " ".join([*moves, line(match, 4)[3]]))
    match = await move(service, match, ADA, moves[0])
    await acts.resign(service, match.id, GUILD, CY, NOW + HOUR)
    assert await standing(service, match) == [ADA]
    match = await service.take_over(match.id, GUILD, DEE, NOW + 2 * HOUR)
    assert await standing(service, match) == []
    (fallen,) = await service.part(Plans).plans_for_match(match.id, ADA)
    assert fallen.end is not None
    assert fallen.end.reason is PlanEndReason.SEAT


async def test_all_plans_fall_when_a_referee_replaces_a_player(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 2)
    await plan(service, match, BO, " ".join(moves))
    await service.act_on_match(
        match.id, GUILD, lambda m, _: refereeing.replace_player(m, JUDGE, ADA, DEE, WHY, NOW + HOUR)
    )
    match = await move(service, match, DEE, moves[0])
    assert match.ply == 1
    fallen = await service.part(Plans).missed_reason(match, BO)
    assert fallen is not None
    assert fallen.reason is PlanEndReason.SEAT


async def test_a_plan_falls_with_a_takeback_and_is_not_played_again(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 4)
    await plan(service, match, BO, " ".join(moves))
    match = await move(service, match, ADA, moves[0])
    await service.act_on_match(match.id, GUILD, lambda m, _: offers.ask_takeback(m, ADA, NOW + HOUR))
    match = await service.act_on_match(match.id, GUILD, lambda m, _: offers.accept_takeback(m, BO, NOW + HOUR))
    assert match.ply == 0
    match = await move(service, match, ADA, moves[0])
    assert match.ply == 1
    fallen = await service.part(Plans).missed_reason(match, BO)
    assert fallen is not None
    assert fallen.reason is PlanEndReason.TAKEN_BACK


async def test_a_plan_falls_with_a_referees_undo(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 4)
    await move(service, match, ADA, moves[0])
    await plan(service, match, ADA, " ".join(moves[1:3]))
    match = await service.act_on_match(
        match.id, GUILD, lambda m, _: refereeing.rewind_match(m, JUDGE, 0, WHY, NOW + HOUR)
    )
    assert await standing(service, match) == []


@pytest.mark.parametrize("away", [False, True])
async def test_on_vacation_a_plan_is_played_only_if_the_planner_said_so(service: Service, away: bool) -> None:
    match = await begun(service)
    moves = line(match, 2)
    await plan(service, match, BO, " ".join(moves), away=away)
    await service.people.start_vacation(BO, NOW + 2 * DAY, NOW)
    match = await move(service, match, ADA, moves[0])
    assert match.ply == (2 if away else 1)


async def test_a_plan_waits_for_no_vacation_without_a_paused_clock(service: Service) -> None:
    # The bug: such a game was lost on time with a valid plan.
    table = await service.open_table(
        *(GUILD, CHANNEL, ADA, "camelot", (), Seating.JOIN_ORDER, False, NOW), pace=Pace.FAST, vacations=False
    )
    match = await service.join_table(table.id, GUILD, BO, NOW)
    moves = line(match, 2)
    await plan(service, match, BO, " ".join(moves))
    await service.people.start_vacation(BO, NOW + 9 * DAY, NOW)
    assert (await move(service, match, ADA, moves[0])).ply == 2


async def test_a_plan_waits_no_longer_than_a_leagues_days_of_vacation(service: Service) -> None:
    opening = Opening(
        *(GUILD, CHANNEL, VARIANTS["camelot"], Seating.JOIN_ORDER, False, (BO,)),
        pace=Pace.FAST,
        vacation_cap=VacationCap(2 * DAY, NOW),
    )
    match = await set_up(
        service,
        [
            Event(1, NOW, EventKind.OPENED, ADA, format_opening(opening)),
            Event(2, NOW, EventKind.JOINED, BO),
            Event(3, NOW, EventKind.STARTED, None, f"{ADA},{BO}"),
        ],
    )
    moves = line(match, 2)
    await plan(service, match, BO, " ".join(moves))
    await service.people.start_vacation(BO, NOW + 9 * DAY, NOW)
    assert (await move(service, match, ADA, moves[0])).ply == 1
    assert await service.upkeep.tick(NOW + 2 * DAY - 1) == []
    (match,) = await service.upkeep.tick(NOW + 2 * DAY)
    assert (match.ply, match.is_live) == (2, True)


async def test_a_plan_waits_for_no_vacation_that_began_in_the_grace(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 2)
    await plan(service, match, BO, " ".join(moves))
    await asked_draw(service, match, BO)
    await move(service, match, ADA, moves[0])
    late = NOW + 2 * DAY
    await service.upkeep.tick(late)
    assert (await service.current_match(match.id, GUILD)).pings.grace_ends_at is not None
    await service.people.start_vacation(BO, late + 9 * DAY, late)
    match = await service.act_on_match(match.id, GUILD, lambda m, _: offers.decline_draw(m, BO, late + HOUR))
    assert match.ply == 2


async def test_a_plan_is_played_by_the_tick_after_a_vacation_has_ended(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 2)
    await plan(service, match, BO, " ".join(moves))
    await service.people.start_vacation(BO, NOW + 2 * DAY, NOW)
    await move(service, match, ADA, moves[0])
    assert await service.upkeep.tick(NOW + 2 * DAY - 1) == []
    (match,) = await service.upkeep.tick(NOW + 2 * DAY)
    assert (match.ply, match.to_move) == (2, ADA)
    assert await service.upkeep.tick(NOW + 2 * DAY) == []
    assert [len(item.told_together) for item in await service.unannounced_news(match.id)][-2:] == [1, 1]


async def test_a_vacation_that_ends_wakes_a_game_once_despite_plan_changes(service: Service) -> None:
    # The bug: from then on every tick looked at the game.
    by_hand, vacant = await begun(service), await begun(service, "tri-camelot")
    for match in (by_hand, vacant):
        moves = line(match, 5)
        await plan(service, match, BO, " ".join(moves[:2]))
        await service.part(Plans).draft_plan(match.id, GUILD, BO, " ".join(moves))
        await plan(service, match, BO, f"{moves[0]} {' '.join(moves[1:])}")
    await service.people.start_vacation(BO, NOW + 2 * DAY, NOW)
    for match in (by_hand, vacant):
        await move(service, match, ADA, line(match, 1)[0])
    await move(service, by_hand, BO, line(by_hand, 2)[1], NOW + 2 * HOUR)
    await acts.resign(service, vacant.id, GUILD, BO, NOW + 2 * HOUR)
    await service.upkeep.tick(NOW + 2 * DAY)
    await service.upkeep.tick(NOW + 2 * DAY)
    assert await service.store.reader.read_column("SELECT count(*) FROM plans WHERE wakes <= ?", (NOW + 2 * DAY,)) == [
        0
    ]


async def test_a_plan_is_played_when_a_vacation_is_stopped(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 2)
    await plan(service, match, BO, " ".join(moves))
    await service.people.start_vacation(BO, NOW + 9 * DAY, NOW)
    await move(service, match, ADA, moves[0])
    await service.people.stop_vacation(BO, NOW + 2 * DAY)
    assert (await service.current_match(match.id, GUILD)).ply == 2


async def test_a_plan_mismatch_is_reported_at_each_turn_until_the_planner_moves(service: Service) -> None:
    match = await begun(service)
    moves, other = line(match, 3), line(match, 1, choice=3)
    await plan(service, match, BO, " ".join(moves[:2]))
    match = await move(service, match, ADA, other[0])
    fallen = await service.part(Plans).missed_reason(match, BO)
    assert fallen is not None
    assert (fallen.reason, fallen.seat, fallen.move) == (PlanEndReason.DIFFERED, 0, other[0])
    assert await service.part(Plans).missed_reason(match, ADA) is None
    match = await move(service, match, BO, line(match, 1)[0])
    assert await service.part(Plans).plans_for_match(match.id, BO) == ()


async def test_a_player_who_plays_another_move_is_not_told_of_it(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 3)
    await plan(service, match, ADA, " ".join(moves))
    match = await move(service, match, ADA, line(match, 1, choice=3)[0])
    assert await service.part(Plans).plans_for_match(match.id, ADA) == ()


async def test_nothing_is_left_of_plans_when_the_game_is_over(service: Service) -> None:
    match = await begun(service)
    await plan(service, match, BO, " ".join(line(match, 2)))
    await acts.resign(service, match.id, GUILD, ADA, NOW)
    assert await service.store.reader.read_column("SELECT count(*) FROM plans") == [0]


# Editing. The bug: the edited plan stayed beside the new one.


async def test_an_edited_plan_replaces_its_original_however_it_was_changed(service: Service) -> None:
    match = await begun(service)
    stood = await plan(service, match, BO, " ".join(line(match, 2)))
    drawn = await service.part(Plans).redraw_plan(stood.id, BO)
    await service.part(Plans).change_reply(drawn.id, BO, 0, frozenset({Guard.SAME}))
    assert [one.id for one in await service.part(Plans).plans_for_match(match.id, BO) if one.is_alive] == [stood.id]
    edited, gone = await service.part(Plans).confirm_plan(drawn.id, BO, NOW)
    assert gone == (stood,)
    assert await service.part(Plans).plans_for_match(match.id, BO) == (edited,)


async def test_who_has_left_edits_no_plan(service: Service) -> None:
    match = await begun(service, "tri-camelot")
    stood = await plan(service, match, BO, " ".join(line(match, 2)))
    await acts.resign(service, match.id, GUILD, BO, NOW)
    with refused(Problem.ALREADY_LEFT):
        await service.part(Plans).redraw_plan(stood.id, BO)


async def test_the_rest_of_a_plan_is_edited_with_the_played_guards(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup(monkeypatch, "camelot White White:F14,A8 Black:K12,H8 castle:0,0")
    match = await begun(service)
    stood = await plan(service, match, BO, "A8-A9*c K12-K11 A9-A10 K11-K10")
    match = await move(service, match, ADA, "A8-A9")
    drawn = await service.part(Plans).redraw_plan(stood.id, BO)
    with refused(Problem.NO_SUCH_PLAN):
        await service.part(Plans).change_reply(drawn.id, BO, 0, None)  # this reply has been played
    await service.part(Plans).change_reply(drawn.id, BO, 2, frozenset())
    await service.part(Plans).confirm_plan(drawn.id, BO, NOW)
    match = await move(service, match, ADA, "F14-F15")  # into the reach of Black's castle
    assert match.ply == 3


async def test_a_plan_waiting_for_a_vacation_is_played_when_it_needs_not(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 4)
    stood = await plan(service, match, BO, " ".join(moves))
    await service.people.start_vacation(BO, NOW + 2 * DAY, NOW)
    await move(service, match, ADA, moves[0])
    drawn = await service.part(Plans).redraw_plan(stood.id, BO)
    await service.part(Plans).set_plays_on_vacation(drawn.id, BO, plays=True)
    await service.part(Plans).confirm_plan(drawn.id, BO, NOW + 2 * HOUR)
    match = await service.current_match(match.id, GUILD)
    assert (match.ply, match.to_move) == (2, ADA)
    assert await standing(service, match) == [BO]
