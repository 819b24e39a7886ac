"""Plans through the service: their content, when they are played, and when they are dropped."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.core import offers
from bot.core.clock import HOUR, Pace, Weekdays
from bot.core.events import EventKind, Seating, parse_turn
from bot.core.problems import Problem
from bot.core.settings import UserSettings
from bot.features import make_service
from bot.ladder import match_hooks
from bot.plans import plan as planning
from bot.plans.plan import Guard, Plan, PlanEndReason
from bot.plans.service import Plans
from bot.play.service import Service
from bot.privacy.service import Privacy
from bot.profile.service import Profiles
from bot.store import Store, Writer
from rules import VARIANTS, IllegalMove, format_move, legal_moves, parse_move, parse_position
from tests.bot import acts
from tests.bot.beginning import begun
from tests.bot.planning import asked_draw, line, move, plan, setup, standing
from tests.bot.playing import ADA, BO, CHANNEL, CY, DEE, GUILD, NOW, refused, unshuffled


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with Store.open(tmp_path / "roundtable.db") as store:
        yield make_service(store, unshuffled)


# Playing


async def test_a_planned_move_is_played_with_the_move_that_it_answers(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 4)
    await plan(service, match, BO, " ".join(moves))
    match = await move(service, match, ADA, moves[0])
    assert (match.ply, match.to_move) == (2, ADA)
    _, events = await service.match_history(match.id, GUILD)
    first, second = events[-2:]
    assert (first.at, parse_turn(first.body).planned) == (second.at, False)
    assert parse_turn(second.body).planned
    match = await move(service, match, ADA, moves[2], NOW + 2 * HOUR)
    assert (match.ply, match.to_move) == (4, ADA)
    assert await service.part(Plans).plans_for_match(match.id, BO) == ()


async def test_a_chain_of_two_planners_is_played_out_and_told_once(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 5)
    await plan(service, match, BO, " ".join(moves[:4]))
    await plan(service, match, ADA, " ".join(moves))
    match = await move(service, match, ADA, moves[0])
    assert (match.ply, match.to_move) == (5, BO)
    (told,) = (item for item in await service.unannounced_news(match.id) if item.kind is EventKind.MOVED)
    assert [item.planned for item in told.told_together] == [False, True, True, True, True]
    assert [item.user for item in told.told_together] == [ADA, BO, ADA, BO, ADA]
    assert (told.calls, told.seq) == ((BO,), match.seq)


async def test_three_players_plan_for_each_other(service: Service) -> None:
    match = await begun(service, "tri-camelot")
    moves = line(match, 6)
    await plan(service, match, CY, " ".join(moves[:3]))
    await plan(service, match, BO, " ".join(moves[:5]))
    match = await move(service, match, ADA, moves[0])
    assert (match.ply, match.to_move) == (3, ADA)
    match = await move(service, match, ADA, moves[3])
    assert (match.ply, match.to_move) == (5, CY)


async def test_a_plan_for_the_own_turn_waits_for_a_move_by_hand(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 3)
    await plan(service, match, ADA, " ".join(moves))
    assert (await service.current_match(match.id, GUILD)).ply == 0
    match = await move(service, match, ADA, moves[0])
    assert match.ply == 1
    match = await move(service, match, BO, moves[1])
    assert (match.ply, match.to_move) == (3, BO)


async def test_a_plan_has_branches(service: Service) -> None:
    match = await begun(service)
    one, other = line(match, 2), line(match, 2, choice=3)
    for moves in (one, other):
        await plan(service, match, BO, " ".join(moves))
    match = await move(service, match, ADA, other[0])
    assert [format_move(made, match.variant.board) for made in match.started_game.moves] == other
    assert await service.part(Plans).missed_reason(match, BO) is None


async def test_a_reply_that_was_named_comes_before_one_that_may_be_anything(service: Service) -> None:
    match = await begun(service)
    named, any_other = line(match, 2), line(match, 2, choice=3)
    await plan(service, match, BO, f"{any_other[0]}*spc {any_other[1]}")
    await plan(service, match, BO, " ".join(named))
    match = await move(service, match, ADA, named[0])
    assert format_move(match.started_game.moves[1], match.variant.board) == named[1]


async def test_a_named_reply_wins_over_vague_plans_however_old_it_is(service: Service) -> None:
    # The bug: what could have been anything, and has been played since, still counted against a plan.
    match = await begun(service)
    moves = line(match, 4)
    await plan(service, match, BO, f"{moves[0]}* {' '.join(moves[1:])}")
    match = await move(service, match, ADA, moves[0])
    assert match.ply == 2
    await plan(service, match, BO, f"{moves[2]}* {line(match, 2, choice=3)[1]}")
    match = await move(service, match, ADA, moves[2])
    assert format_move(match.started_game.moves[3], match.variant.board) == moves[3]


async def test_of_plans_that_agree_about_the_replies_the_newest_is_played(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 2)
    early = await plan(service, match, BO, " ".join(moves))
    late = replace(early, id=early.id + 1)
    due = [replace(one, done=1) for one in (early, late)]
    assert planning.first_due_plan(due, BO) == due[1]
    assert planning.first_due_plan(reversed(due), BO) == due[1]


async def test_of_two_ways_around_the_same_pieces_only_one_plan_stands(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup(monkeypatch, "camelot White White:F8,A8 Black:F9,G10,H9,G8,K12,H4 castle:0,0")
    match = await begun(service)
    for planned in ("F8xF10xH10xH8xF8 K12-K11", "F8xH8xH10xF10xF8 K12-K13"):
        await plan(service, match, BO, planned)
    assert len(await standing(service, match)) == 1


async def test_a_reply_by_another_way_is_the_same_reply() -> None:
    variant = VARIANTS["camelot"]
    position = parse_position("camelot White White:F5,F6,E6,F8 Black:A12 castle:0,0")
    ways = [made for made in legal_moves(position) if len(made.path) > 2]
    planned = planning.as_planned(position, ways[0])
    detour = ways[0]._replace(path=(ways[0].start, *reversed(ways[0].path[1:-1]), ways[0].end))
    plan = Plan(1, BO, 1, 0, (planned, planned._replace(seat=1)), is_confirmed=True)
    assert planning.advance_plan(plan, position, detour) == replace(plan, done=1)
    assert variant.key == position.variant.key


async def test_ladder_games_are_planned_as_well(service: Service) -> None:
    match = await service.open_table(GUILD, CHANNEL, ADA, "camelot", (), Seating.JOIN_ORDER, False, NOW, ladder=True)
    match = await service.join_table(match.id, GUILD, BO, NOW)
    moves = line(match, 2)
    await plan(service, match, BO, " ".join(moves))
    assert (await move(service, match, ADA, moves[0])).ply == 2


# Guards: White moves F5 or A8; Black has planned the jump, or a plain move, after F5-F6.

JUMP = "camelot White White:F5,A8 Black:F7,A12 castle:0,0"


@pytest.mark.parametrize(
    ("guards", "reply", "played"),
    [
        ("", "F5-F6", True),
        ("*", "F5-F6", True),
        ("*s", "F5-F6", True),
        ("", "A8-A9", False),
        ("*", "A8-A9", False),  # there is nothing to jump over
        ("*s", "A8-A9", False),
    ],
)
async def test_a_planned_jump_is_played_only_where_there_is_something_to_take(
    service: Service, monkeypatch: pytest.MonkeyPatch, guards: str, reply: str, played: bool
) -> None:
    setup(monkeypatch, JUMP)
    match = await begun(service)
    await plan(service, match, BO, f"F5-F6{guards} F7xF5")
    match = await move(service, match, ADA, reply)
    assert (match.ply == 2) == played


async def test_a_capture_must_be_of_the_very_piece(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    setup(monkeypatch, "camelot White White:E5,NG5,D5,H5,A8 Black:F7,A12 castle:0,0")
    for guards, plies in (("*", 2), ("*s", 1)):
        match = await begun(service)
        await plan(service, match, BO, f"E5-F6{guards} F7xF5")
        match = await move(service, match, ADA, "G5-F6")  # the Knight instead of the Man
        assert match.ply == plies


async def test_the_guard_of_the_own_pieces(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    setup(monkeypatch, "camelot White White:F5,A8 Black:F6,K12,H8 castle:0,0")
    match = await begun(service)
    with pytest.raises(IllegalMove):
        await plan(service, match, BO, "A8-A9*p K12-K11")
    for guards, plies in (("*", 2), ("*s", 2), ("*p", 1)):
        match = await begun(service)
        await plan(service, match, BO, f"F5xF7{guards} K12-K11")
        match = await move(service, match, ADA, "F5xF7")
        assert match.ply == plies


async def test_the_guard_of_the_castle(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    setup(monkeypatch, "camelot White White:F14,A8 Black:K12,H8 castle:0,0")
    for guards, reply, plies in (("*c", "A8-A9", 2), ("*c", "F14-F15", 1), ("*s", "F14-F15", 2)):
        match = await begun(service)
        await plan(service, match, BO, f"A8-A9{guards} K12-K11")
        match = await move(service, match, ADA, reply)
        assert match.ply == plies, (guards, reply)


@pytest.mark.parametrize("guards", [frozenset({Guard.SAFE}), frozenset[Guard]()])
def test_the_guard_of_the_castle_looks_past_a_steward(guards: frozenset[Guard]) -> None:
    """Red's steward moves next, and attacks another castle: then Green is in Blue's by J9xH7xF5xF1."""
    position = parse_position(
        "tri-camelot Blue Blue:NE4,NG4,NF7,F3,G6,I6,C8,E8 Red:NE12,NB13,NC16,B11,C12,D13,D15,D17"
        " Green:NJ13,NI16,NI18,J9,J11,G12,H13,H17 steward:Red"
    )
    reply = planning.PlannedMove(2, legal_moves(position)[0], (), guards)
    answer = planning.as_planned(position, parse_move(position, "I6-I8"))
    due = planning.due_move(Plan(1, ADA, 0, 0, (reply, answer), done=1, is_confirmed=True), position)
    assert (due is None) is (Guard.SAFE in guards)


def test_a_planned_capture_of_another_piece_goes_on_with_the_plan() -> None:
    position = parse_position("camelot White White:F5,NA8 Black:NF6,H12 castle:0,0")
    jump = parse_move(position, "F5xF7")
    man = parse_position("camelot White White:F5,NA8 Black:F6,NH12 castle:0,0")
    planned = planning.as_planned(man, jump)
    assert planned.taken != planning.as_planned(position, jump).taken
    reply = planning.PlannedMove(1, jump, (), frozenset())
    plan = Plan(1, ADA, 0, 0, (planned._replace(seat=1), reply, planned, reply, planned), done=2, is_confirmed=True)
    assert planning.due_move(plan, position) == jump
    advanced = planning.advance_plan(plan, position, jump)
    assert advanced is not None
    assert (advanced.done, advanced.end) == (3, None)


async def test_a_move_that_has_become_illegal_is_never_played(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup(monkeypatch, JUMP)
    match = await begun(service)
    await plan(service, match, BO, "A8-A9* A12-A11")
    match = await move(service, match, ADA, "F5-F6")  # now Black must jump
    assert match.ply == 1
    fallen = await service.part(Plans).missed_reason(match, BO)
    assert fallen is not None
    assert (fallen.reason, fallen.seat, fallen.move) == (PlanEndReason.GUARDED, 0, "F5-F6")


# Time, statistics, privacy


async def test_a_planned_move_costs_no_time(service: Service) -> None:
    match = await begun(service, pace=Pace.FAST)
    moves = line(match, 2)
    await plan(service, match, BO, " ".join(moves))
    match = await move(service, match, ADA, moves[0], NOW + HOUR)
    assert (match.ply, match.banks[1]) == (2, 28 * HOUR)


async def test_a_planned_move_costs_the_time_for_which_a_request_holds_it(service: Service) -> None:
    match = await begun(service, pace=Pace.FAST)
    moves = line(match, 2)
    await plan(service, match, BO, " ".join(moves))
    await asked_draw(service, match, BO)
    await move(service, match, ADA, moves[0], NOW + HOUR)
    await service.people.change_user_settings(BO, lambda _: UserSettings(free_days=Weekdays.WEEKEND), NOW + 2 * HOUR)
    match = await service.act_on_match(match.id, GUILD, lambda m, _: offers.decline_draw(m, BO, NOW + 5 * HOUR))
    assert (match.ply, match.banks[1]) == (2, 24 * HOUR)
    assert match.pings.reminded_at == 0


async def test_planned_moves_count_as_moves_but_not_as_thinking_time(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 4)
    await plan(service, match, BO, " ".join(moves[:2]))
    match = await move(service, match, ADA, moves[0], NOW + HOUR)
    match = await move(service, match, ADA, moves[2], NOW + 3 * HOUR)
    match = await move(service, match, BO, moves[3], NOW + 7 * HOUR)
    await acts.resign(service, match.id, GUILD, ADA, NOW + 8 * HOUR)
    rows = await service.store.reader.run_sql("SELECT moves, planned, thought FROM shares WHERE user = ?", (BO,))
    assert rows == [(2, 1, 4 * HOUR)]
    (profile,) = await service.part(Profiles).profiles_of(GUILD, BO)
    assert profile.thinking == 4 * HOUR


async def test_a_planned_move_counts_as_a_sign_of_life(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    moved: list[tuple[int, int]] = []

    async def note(_writer: Writer, _guild: int, user: int, at: int) -> None:
        moved.append((user, at))

    monkeypatch.setattr(match_hooks, "note_move", note)
    match = await begun(service)
    moves = line(match, 3)
    await plan(service, match, BO, " ".join(moves))
    await move(service, match, ADA, moves[0], NOW + HOUR)
    assert moved == [(ADA, NOW + HOUR), (BO, NOW + HOUR)]


async def test_only_the_planner_can_do_anything_with_a_plan(service: Service) -> None:
    match = await begun(service)
    drawn = await service.part(Plans).draft_plan(match.id, GUILD, BO, " ".join(line(match, 2)))
    for user in (ADA, DEE):
        for asked in (
            service.part(Plans).plan_of(drawn.id, user),
            service.part(Plans).redraw_plan(drawn.id, user),
            service.part(Plans).change_reply(drawn.id, user, 0, None),
            service.part(Plans).set_plays_on_vacation(drawn.id, user, plays=True),
            service.part(Plans).confirm_plan(drawn.id, user, NOW),
            service.part(Plans).delete_plan(drawn.id, user),
        ):
            with refused(Problem.NO_SUCH_PLAN):
                await asked
        assert await service.part(Plans).plans_for_match(match.id, user) == ()
    assert await service.part(Plans).delete_all_plans(ADA) == 0
    assert (await service.part(Plans).plan_of(drawn.id, BO)).id == drawn.id


async def test_plans_are_exported_to_their_planner_alone_and_forgotten_with_them(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 2)
    await plan(service, match, BO, f"{moves[0]}*s {moves[1]}")
    await service.part(Plans).draft_plan(match.id, GUILD, BO, " ".join(moves))
    exported = (await service.part(Privacy).export_person(BO))["plans"]
    assert [(one["line"].split()[1], one["confirmed"]) for one in exported] == [
        (f"1:{moves[1]}", True),
        (f"1:{moves[1]}", False),
    ]
    theirs = await service.part(Privacy).export_person(ADA)
    assert theirs["plans"] == []
    assert moves[1] not in str(theirs)
    await service.part(Privacy).forget_person(BO, NOW + HOUR)
    assert await service.store.reader.read_column("SELECT count(*) FROM plans") == [0]


async def test_a_line_is_read_as_it_was_written(service: Service) -> None:
    match = await begun(service, "tri-camelot")
    moves = line(match, 6)
    drawn = await service.part(Plans).draft_plan(
        match.id, GUILD, CY, f"{moves[0]}*s {moves[1]}*cps {' '.join(moves[2:])}"
    )
    assert await service.part(Plans).plan_of(drawn.id, CY) == drawn
    assert [one.guards for one in drawn.moves[:3]] == [{Guard.SAME}, set(Guard), None]


async def test_a_plan_that_is_being_made_can_be_changed(service: Service) -> None:
    match = await begun(service)
    drawn = await service.part(Plans).draft_plan(match.id, GUILD, BO, " ".join(line(match, 2)))
    assert (await service.part(Plans).change_reply(drawn.id, BO, 0, frozenset({Guard.SAFE}))).moves[0].guards == {
        Guard.SAFE
    }
    assert (await service.part(Plans).change_reply(drawn.id, BO, 0, None)).moves[0].is_exact
    assert (await service.part(Plans).set_plays_on_vacation(drawn.id, BO, plays=True)).plays_on_vacation
    with refused(Problem.NO_SUCH_PLAN):
        await service.part(Plans).change_reply(drawn.id, BO, 1, None)
