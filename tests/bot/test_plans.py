"""Plans through the service: their content, when they are played, wait and are dropped; and plans in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.core import plans as planning
from bot.core import turns
from bot.core.clock import DAY, HOUR, Pace, VacationCap, Weekdays
from bot.core.events import Event, EventKind, Opening, Seating, Terms, parse_turn
from bot.core.fold import replay_match
from bot.core.news import News, collect_news
from bot.core.plans import MAX_PLAN_MOVES, MAX_PLANS, Plan, PlanEnd, PlanEndReason, missed_reason
from bot.core.problems import Problem
from bot.core.settings import UserSettings
from bot.core.table import begin_game
from bot.discordkit.reply import MAX_MESSAGE_LENGTH
from bot.ladder.profile_rows import profiles_of
from bot.plans import service as plans
from bot.plans.commands import is_plannable, moves_in_short, plan_text
from bot.play.announcing.telling import make_notice
from bot.play.announcing.turn import MAX_ARROWS, turn_alt_text, turn_text, turn_view
from bot.play.service import Service, people, upkeep
from bot.privacy.service import export_person, forget_person
from bot.store.plans import plans_for_match, plans_of
from bot.texts.i18n import Language, text
from bot.texts.sentences import plan_end_text
from rules import VARIANTS, IllegalMove, RulesError, format_move, legal_moves, parse_move, parse_position
from tests.bot import acts
from tests.bot.beginning import begun, opened, set_up
from tests.bot.confirmed_plans import (
    JUDGE,
    WHY,
    asked_draw,
    confirmed,
    freed,
    line,
    move,
    plan,
    planned,
    setup,
    signs_of_life,
    standing,
)
from tests.bot.playing import ADA, BO, CY, DEE, GUILD, NOW, by, existing, followed, live, play_typed, refused, started

# Playing


async def test_a_planned_move_is_played_with_the_move_that_it_answers(service: Service) -> None:
    match, moves = await planned(service, BO, 4)
    match = await move(service, match, ADA, moves[0])
    assert (match.ply, match.to_move) == (2, ADA)
    events = await service.reader.load_events(match.id)
    first, second = events[-2:]
    assert (first.at, parse_turn(first.body).planned) == (second.at, False)
    assert parse_turn(second.body).planned
    match = await move(service, match, ADA, moves[2], NOW + 2 * HOUR)
    assert (match.ply, match.to_move) == (4, ADA)
    assert await plans_for_match(service.reader, match.id, BO) == ()


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


async def test_a_plan_has_branches(service: Service) -> None:
    match = await begun(service)
    one, other = line(match, 2), line(match, 2, choice=3)
    for moves in (one, other):
        await plan(service, match, BO, " ".join(moves))
    match = await move(service, match, ADA, other[0])
    assert [format_move(made, match.variant.board) for made in match.started_game.moves] == other
    assert missed_reason(await plans_for_match(service.reader, match.id), match, BO) is None


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
    for words in ("F8xF10xH10xH8xF8 K12-K11", "F8xH8xH10xF10xF8 K12-K13"):
        await plan(service, match, BO, words)
    assert len(await standing(service, match)) == 1


def test_a_reply_by_another_way_is_the_same_reply() -> None:
    position = parse_position("camelot White White:F5,F6,E6,F8 Black:A12 castle:0,0")
    ways = [made for made in legal_moves(position) if len(made.path) > 2]
    planned = planning.as_planned(position, ways[0])
    detour = ways[0]._replace(path=(ways[0].start, *reversed(ways[0].path[1:-1]), ways[0].end))
    plan = Plan(1, BO, 1, 0, (planned, planned._replace(seat=1)), is_confirmed=True)
    assert planning.advance_plan(plan, position, detour) == replace(plan, done=1)


# Replies that may be anything

JUMP = "camelot White White:F5,A8 Black:F7,A12 castle:0,0"
TWO_ATTACKERS = "camelot White White:E5,NG5,D5,H5,A8 Black:F7,A12 castle:0,0"
PIECE_AT_RISK = "camelot White White:F5,A8 Black:F6,K12,H8 castle:0,0"
CASTLE_AT_RISK = "camelot White White:F14,A8 Black:K12,H8 castle:0,0"


@pytest.mark.parametrize(
    ("start", "line", "reply", "played"),
    [
        *((JUMP, f"F5-F6{mark} F7xF5", "F5-F6", True) for mark in ("", "*")),
        *((JUMP, f"F5-F6{mark} F7xF5", "A8-A9", False) for mark in ("", "*")),  # nothing to jump over
        (TWO_ATTACKERS, "E5-F6* F7xF5", "G5-F6", False),  # the Knight instead of the Man
        (PIECE_AT_RISK, "F5xF7* K12-K11", "F5xF7", False),
        (CASTLE_AT_RISK, "A8-A9* K12-K11", "A8-A9", True),
        (CASTLE_AT_RISK, "A8-A9* K12-K11", "F14-F15", False),
    ],
)
async def test_a_planned_move_is_played_where_it_is_still_meant(
    service: Service, monkeypatch: pytest.MonkeyPatch, start: str, line: str, reply: str, played: bool
) -> None:
    setup(monkeypatch, start)
    match = await begun(service)
    await plan(service, match, BO, line)
    assert (await move(service, match, ADA, reply)).ply == 1 + played


@pytest.mark.parametrize("anything", [True, False])
def test_the_reach_of_the_castle_looks_past_a_steward(anything: bool) -> None:
    """Red's steward moves next, and attacks another castle: then Green is in Blue's by J9xH7xF5xF1."""
    position = parse_position(
        "tri-camelot Blue Blue:NE4,NG4,NF7,F3,G6,I6,C8,E8 Red:NE12,NB13,NC16,B11,C12,D13,D15,D17"
        " Green:NJ13,NI16,NI18,J9,J11,G12,H13,H17 steward:Red"
    )
    reply = planning.PlannedMove(2, legal_moves(position)[0], (), anything)
    answer = planning.as_planned(position, parse_move(position, "I6-I8"))
    due = planning.due_move(Plan(1, ADA, 0, 0, (reply, answer), done=1, is_confirmed=True), position)
    assert (due is None) is anything


def test_a_capture_of_another_piece_by_hand_goes_on_with_the_plan() -> None:
    position = parse_position("camelot White White:F5,NA8 Black:NF6,H12 castle:0,0")
    jump = parse_move(position, "F5xF7")
    man = parse_position("camelot White White:F5,NA8 Black:F6,NH12 castle:0,0")
    planned = planning.as_planned(man, jump)
    assert planned.taken != planning.as_planned(position, jump).taken
    reply = planning.PlannedMove(1, jump, (), anything=True)
    plan = Plan(1, ADA, 0, 0, (planned._replace(seat=1), reply, planned, reply, planned), done=2, is_confirmed=True)
    assert planning.due_move(plan, position) is None
    advanced = planning.advance_plan(plan, position, jump)
    assert (existing(advanced).done, existing(advanced).end) == (3, None)


async def test_a_move_that_has_become_illegal_is_not_played(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    setup(monkeypatch, JUMP)
    match = await begun(service)
    await plan(service, match, BO, "A8-A9* A12-A11")
    match = await move(service, match, ADA, "F5-F6")  # now Black must jump
    assert match.ply == 1
    fallen = existing(missed_reason(await plans_for_match(service.reader, match.id), match, BO))
    assert (fallen.reason, fallen.seat, fallen.move) == (PlanEndReason.GUARDED, 0, "F5-F6")


# Time, statistics, privacy


async def test_a_planned_move_costs_no_time(service: Service) -> None:
    match, moves = await planned(service, BO, 2)
    match = await move(service, match, ADA, moves[0], NOW + HOUR)
    assert (match.ply, match.clock.banks[1]) == (2, 28 * HOUR)


async def test_a_planned_move_costs_the_time_for_which_a_request_holds_it(service: Service) -> None:
    match, moves = await planned(service, BO, 2)
    await asked_draw(service, match, BO)
    await move(service, match, ADA, moves[0], NOW + HOUR)
    await people.change_user_settings(
        service, by(BO, NOW + 2 * HOUR), lambda _: UserSettings(free_days=Weekdays.SATURDAY | Weekdays.SUNDAY)
    )
    match = await acts.decline_draw(service, match.id, GUILD, BO, NOW + 5 * HOUR)
    assert (match.ply, match.clock.banks[1]) == (2, 24 * HOUR)
    assert match.clock.reminded_at == 0


async def test_planned_moves_count_as_moves_but_not_as_thinking_time(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 4)
    await plan(service, match, BO, " ".join(moves[:2]))
    match = await move(service, match, ADA, moves[0], NOW + HOUR)
    match = await move(service, match, ADA, moves[2], NOW + 3 * HOUR)
    match = await move(service, match, BO, moves[3], NOW + 7 * HOUR)
    await acts.resign(service, match.id, GUILD, ADA, NOW + 8 * HOUR)
    rows = await service.reader.run_sql("SELECT moves, planned, thought FROM shares WHERE user = ?", (BO,))
    assert rows == [(2, 1, 4 * HOUR)]
    (profile,) = await profiles_of(service.reader, GUILD, BO)
    assert profile.thinking == 4 * HOUR


async def test_a_planned_move_counts_as_a_sign_of_life(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    moved = signs_of_life(monkeypatch)
    match, moves = await planned(service, BO, 3)
    await move(service, match, ADA, moves[0], NOW + HOUR)
    assert moved == [(ADA, NOW + HOUR), (BO, NOW + HOUR)]


async def test_only_the_planner_can_do_anything_with_a_plan(service: Service) -> None:
    match = await begun(service)
    drawn = await plans.draft_plan(service, by(BO), match.id, " ".join(line(match, 2)))
    for user in (ADA, DEE):
        for asked in (
            plans.load_plan(service.reader, drawn.id, user),
            plans.change_plan(service, by(user), drawn.id, confirmed),
            plans.delete_plan(service, by(user), drawn.id),
        ):
            with refused(Problem.NO_SUCH_PLAN):
                await asked
        assert await plans_for_match(service.reader, match.id, user) == ()
    assert (await plans.load_plan(service.reader, drawn.id, BO)).id == drawn.id


async def test_plans_are_exported_to_their_planner_alone_and_forgotten_with_them(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 2)
    await plan(service, match, BO, f"{moves[0]}* {moves[1]}")
    await plans.draft_plan(service, by(BO), match.id, " ".join(moves))
    exported = (await export_person(service, BO))["plans"]
    found = [(one["line"].split()[1], one["confirmed"]) for one in exported]
    assert found == [(f"1:{moves[1]}", sure) for sure in (True, False)]
    theirs = await export_person(service, ADA)
    assert theirs["plans"] == []
    assert moves[1] not in str(theirs)
    await forget_person(service, BO, NOW + HOUR)
    assert await service.reader.read_column("SELECT count(*) FROM plans") == [0]


async def test_a_line_is_read_as_it_was_written(service: Service) -> None:
    match = await begun(service, "tri-camelot")
    moves = line(match, 6)
    drawn = await plans.draft_plan(service, by(CY), match.id, f"{moves[0]}* {moves[1]}* {' '.join(moves[2:])}")
    assert await plans.load_plan(service.reader, drawn.id, CY) == drawn
    assert [one.anything for one in drawn.moves[:3]] == [True, True, False]
    stored = planning.format_line(drawn.moves, match.variant.board)
    once = stored.replace("*", "*cps")  # as it was written once
    assert planning.parse_line(once, match.variant.board) == drawn.moves


async def test_a_plan_that_is_being_made_can_be_changed(service: Service) -> None:
    match = await begun(service)
    drawn = await plans.draft_plan(service, by(BO), match.id, " ".join(line(match, 2)))
    for free in (0,), (), (1,):  # a reply of others, none, an own move
        changed, _ = await plans.change_plan(service, by(BO), drawn.id, freed(*free))
        assert [move.anything for move in changed.moves] == [0 in free, False]


# What cannot be planned


async def test_what_is_no_plan_is_refused(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 3)
    for user, plies in ((BO, 1), (ADA, 2)):
        with refused(Problem.PLAN_EMPTY):
            await plan(service, match, user, " ".join(moves[:plies]))
    with refused(Problem.PLAN_OWN_ANYTHING):
        await plan(service, match, BO, f"{moves[0]} {moves[1]}*")
    with pytest.raises(RulesError):  # no letters follow the mark
        await plan(service, match, BO, f"{moves[0]}*kx {moves[1]}")
    with pytest.raises(IllegalMove):
        await plan(service, match, BO, f"{moves[0]} {moves[0]}")
    with refused(Problem.NOT_A_PLAYER):
        await plan(service, match, DEE, " ".join(moves))
    with refused(Problem.NO_SUCH_GAME):
        await plans.draft_plan(service, by(BO)._replace(guild=GUILD + 1), match.id, " ".join(moves))
    assert await plans_of(service.reader, BO) == ()


async def test_plans_have_limits(service: Service) -> None:
    match = await begun(service)
    long = " ".join(line(match, MAX_PLAN_MOVES + 1))
    assert is_plannable(match, BO, long)  # the bug: no button, and no word why
    with refused(Problem.PLAN_TOO_LONG, most=MAX_PLAN_MOVES):
        await plan(service, match, BO, long)
    for choice in range(MAX_PLANS):
        await plan(service, match, BO, " ".join(line(match, 2, choice=choice)))
    with refused(Problem.TOO_MANY_PLANS, most=MAX_PLANS):
        await plan(service, match, BO, " ".join(line(match, 2, choice=MAX_PLANS)))


# Nothing unmeant


async def test_what_is_not_confirmed_is_not_played(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 2)
    drawn = await plans.draft_plan(service, by(BO), match.id, " ".join(moves))
    match = await move(service, match, ADA, moves[0])
    assert match.ply == 1
    with refused(Problem.NO_SUCH_PLAN):
        await plans.change_plan(service, by(BO), drawn.id, confirmed)


async def test_a_plan_is_confirmed_only_on_the_board_it_was_drafted_for(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 3)
    match = await move(service, match, ADA, moves[0])
    drawn = await plans.draft_plan(service, by(ADA), match.id, " ".join(moves[1:]))
    await acts.ask_takeback(service, match.id, GUILD, ADA, NOW + HOUR)
    await acts.accept_takeback(service, match.id, GUILD, BO, NOW + HOUR)
    with refused(Problem.NO_SUCH_PLAN):
        await plans.change_plan(service, by(ADA), drawn.id, confirmed)


async def test_a_plan_replaces_another_one_with_the_same_reply(service: Service) -> None:
    match = await begun(service)
    one, other = line(match, 2), line(match, 2, choice=3)
    first = await plan(service, match, BO, " ".join(one))
    drawn = await plans.draft_plan(service, by(BO), match.id, f"{one[0]} {other[1]}")
    assert await plans.replaced_by(service.reader, drawn) == (first,)
    _, gone = await plans.change_plan(service, by(BO), drawn.id, confirmed)
    assert gone == (first,)
    match = await move(service, match, ADA, one[0])
    assert format_move(match.started_game.moves[1], match.variant.board) == other[1]


async def test_a_plan_waits_for_its_planners_answer_and_is_then_played(service: Service) -> None:
    match, moves = await planned(service, BO, 2)
    await asked_draw(service, match, BO)
    match = await move(service, match, ADA, moves[0])
    assert (match.ply, match.to_move) == (1, BO)
    match = await acts.decline_draw(service, match.id, GUILD, BO, NOW + 2 * HOUR)
    assert (match.ply, match.to_move) == (2, ADA)
    told = await service.unannounced_news(match.id)
    assert [item.kind for item in told[-3:]] == [EventKind.MOVED, EventKind.DRAW_DECLINED, EventKind.MOVED]
    assert [len(item.told_together) for item in told[-3:]] == [1, 1, 1]


async def test_a_plan_does_not_wait_for_the_answer_to_a_pause(service: Service) -> None:
    # The bug: unanswered, the request held back both players' plans until the end of the game.
    match, moves = await planned(service, BO, 2)
    await acts.ask_pause(service, match.id, GUILD, ADA, NOW + 2 * DAY, NOW)
    assert (await move(service, match, ADA, moves[0])).ply == 2


async def test_a_plan_of_three_waits_for_the_answer_to_a_draw(service: Service) -> None:
    match, moves = await planned(service, CY, 3, "tri-camelot")
    match = await move(service, match, ADA, moves[0])
    await asked_draw(service, match, ADA)
    match = await move(service, match, BO, moves[1], NOW + 2 * HOUR)
    assert match.ply == 2
    match = await acts.decline_draw(service, match.id, GUILD, CY, NOW + 3 * HOUR)
    assert match.ply == 3


async def test_a_plan_waits_while_a_substitute_is_asked_for(service: Service) -> None:
    match, moves = await planned(service, BO, 2)
    await acts.propose_substitute(service, match.id, GUILD, BO, DEE, NOW + HOUR)
    match = await move(service, match, ADA, moves[0])
    assert match.ply == 1
    match = await acts.decline_substitute(service, match.id, GUILD, DEE, NOW + 2 * HOUR)
    assert match.ply == 2


async def test_a_plan_waits_while_a_seat_is_vacant_and_falls_at_takeover(service: Service) -> None:
    match = await begun(service, "tri-camelot")
    moves = line(match, 3)
    await plan(service, match, ADA, " ".join([*moves, line(match, 4)[3]]))
    match = await move(service, match, ADA, moves[0])
    await acts.resign(service, match.id, GUILD, CY, NOW + HOUR)
    assert await standing(service, match) == [ADA]
    match = await acts.take_over(service, match.id, GUILD, DEE, NOW + 2 * HOUR)
    assert await standing(service, match) == []
    (fallen,) = await plans_for_match(service.reader, match.id, ADA)
    assert existing(fallen.end).reason is PlanEndReason.SEAT


async def test_all_plans_fall_when_a_referee_replaces_a_player(service: Service) -> None:
    match, moves = await planned(service, BO, 2)
    await acts.replace_player(service, match.id, GUILD, JUDGE, ADA, DEE, WHY, NOW + HOUR)
    match = await move(service, match, DEE, moves[0])
    assert match.ply == 1
    fallen = missed_reason(await plans_for_match(service.reader, match.id), match, BO)
    assert existing(fallen).reason is PlanEndReason.SEAT


async def test_a_plan_falls_with_a_takeback_and_is_not_played_again(service: Service) -> None:
    match, moves = await planned(service, BO, 4)
    match = await move(service, match, ADA, moves[0])
    await acts.ask_takeback(service, match.id, GUILD, ADA, NOW + HOUR)
    match = await acts.accept_takeback(service, match.id, GUILD, BO, NOW + HOUR)
    assert match.ply == 0
    match = await move(service, match, ADA, moves[0])
    assert match.ply == 1
    fallen = missed_reason(await plans_for_match(service.reader, match.id), match, BO)
    assert existing(fallen).reason is PlanEndReason.TAKEN_BACK


async def test_a_plan_falls_with_a_referees_undo(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 4)
    await move(service, match, ADA, moves[0])
    await plan(service, match, ADA, " ".join(moves[1:3]))
    match = await acts.rewind(service, match.id, GUILD, JUDGE, 0, WHY, NOW + HOUR)
    assert await standing(service, match) == []


@pytest.mark.parametrize("away", [False, True])
async def test_on_vacation_a_plan_is_played_only_if_the_planner_said_so(service: Service, away: bool) -> None:
    match, moves = await planned(service, BO, 2, away=away)
    await people.start_vacation(service, by(BO), NOW + 2 * DAY)
    match = await move(service, match, ADA, moves[0])
    assert match.ply == (2 if away else 1)


async def test_a_plan_waits_for_no_vacation_without_a_paused_clock(service: Service) -> None:
    # The bug: such a game was lost on time with a valid plan.
    table = await opened(service, channel=1, pace=Pace.FAST, vacations=False)
    match = await acts.join_table(service, table.id, GUILD, BO, NOW)
    moves = line(match, 2)
    await plan(service, match, BO, " ".join(moves))
    await people.start_vacation(service, by(BO), NOW + 9 * DAY)
    assert (await move(service, match, ADA, moves[0])).ply == 2


async def test_a_plan_waits_no_longer_than_a_leagues_days_of_vacation(service: Service) -> None:
    cap = VacationCap(2 * DAY, NOW)
    terms = Terms(VARIANTS["camelot"], Seating.JOIN_ORDER, False, Pace.FAST, vacation_cap=cap)
    match = await set_up(service, begin_game(Opening(GUILD, 1, terms), (ADA, BO), NOW)[1])
    moves = line(match, 2)
    await plan(service, match, BO, " ".join(moves))
    await people.start_vacation(service, by(BO), NOW + 9 * DAY)
    assert (await move(service, match, ADA, moves[0])).ply == 1
    assert await plans.resume_plans(service, NOW + 2 * DAY - 1) == []
    (match,) = await plans.resume_plans(service, NOW + 2 * DAY)
    assert (match.ply, match.is_live) == (2, True)


async def test_a_plan_waits_for_no_vacation_that_began_in_the_grace(service: Service) -> None:
    match, moves = await planned(service, BO, 2)
    await asked_draw(service, match, BO)
    await move(service, match, ADA, moves[0])
    late = NOW + 2 * DAY
    await upkeep.tick_matches(service, late)
    assert (await service.current_match(match.id, GUILD)).clock.grace_ends_at is not None
    await people.start_vacation(service, by(BO, late), late + 9 * DAY)
    match = await acts.decline_draw(service, match.id, GUILD, BO, late + HOUR)
    assert match.ply == 2


async def test_a_plan_is_played_by_the_tick_after_a_vacation_has_ended(service: Service) -> None:
    match, moves = await planned(service, BO, 2)
    await people.start_vacation(service, by(BO), NOW + 2 * DAY)
    await move(service, match, ADA, moves[0])
    assert await plans.resume_plans(service, NOW + 2 * DAY - 1) == []
    (match,) = await plans.resume_plans(service, NOW + 2 * DAY)
    assert (match.ply, match.to_move) == (2, ADA)
    assert await plans.resume_plans(service, NOW + 2 * DAY) == []
    assert [len(item.told_together) for item in await service.unannounced_news(match.id)][-2:] == [1, 1]


async def test_a_vacation_that_ends_wakes_a_game_once_despite_plan_changes(service: Service) -> None:
    # The bug: from then on every tick looked at the game.
    by_hand, vacant = await begun(service), await begun(service, "tri-camelot")
    for match in (by_hand, vacant):
        moves = line(match, 5)
        await plan(service, match, BO, " ".join(moves[:2]))
        await plans.draft_plan(service, by(BO), match.id, " ".join(moves))
        await plan(service, match, BO, f"{moves[0]} {' '.join(moves[1:])}")
    await people.start_vacation(service, by(BO), NOW + 2 * DAY)
    for match in (by_hand, vacant):
        await move(service, match, ADA, line(match, 1)[0])
    await move(service, by_hand, BO, line(by_hand, 2)[1], NOW + 2 * HOUR)
    await acts.resign(service, vacant.id, GUILD, BO, NOW + 2 * HOUR)
    await plans.resume_plans(service, NOW + 2 * DAY)
    await plans.resume_plans(service, NOW + 2 * DAY)
    sql = "SELECT count(*) FROM plans WHERE waits_until <= ?"
    assert await service.reader.read_column(sql, (NOW + 2 * DAY,)) == [0]


async def test_a_plan_is_played_when_a_vacation_is_stopped(service: Service) -> None:
    match, moves = await planned(service, BO, 2)
    await people.start_vacation(service, by(BO), NOW + 9 * DAY)
    await move(service, match, ADA, moves[0])
    await people.stop_vacation(service, by(BO, NOW + 2 * DAY))
    assert (await service.current_match(match.id, GUILD)).ply == 2


async def test_a_plan_mismatch_is_reported_at_each_turn_until_the_planner_moves(service: Service) -> None:
    match = await begun(service)
    moves, other = line(match, 3), line(match, 1, choice=3)
    await plan(service, match, BO, " ".join(moves[:2]))
    match = await move(service, match, ADA, other[0])
    fallen = existing(missed_reason(await plans_for_match(service.reader, match.id), match, BO))
    assert (fallen.reason, fallen.seat, fallen.move) == (PlanEndReason.DIFFERED, 0, other[0])
    assert missed_reason(await plans_for_match(service.reader, match.id), match, ADA) is None
    match = await move(service, match, BO, line(match, 1)[0])
    assert await plans_for_match(service.reader, match.id, BO) == ()


async def test_a_player_who_plays_another_move_is_not_told_of_it(service: Service) -> None:
    match, _ = await planned(service, ADA, 3)
    match = await move(service, match, ADA, line(match, 1, choice=3)[0])
    assert await plans_for_match(service.reader, match.id, ADA) == ()


async def test_nothing_is_left_of_plans_when_the_game_is_over(service: Service) -> None:
    match = await begun(service)
    await plan(service, match, BO, " ".join(line(match, 2)))
    await acts.resign(service, match.id, GUILD, ADA, NOW)
    assert await service.reader.read_column("SELECT count(*) FROM plans") == [0]


# Editing


async def test_an_edited_plan_replaces_those_with_the_same_replies_by_then(service: Service) -> None:
    match = await begun(service)
    reply, own, other = *line(match, 2), line(match, 2, choice=3)[1]
    anyhow, named = [await plan(service, match, BO, one) for one in (f"{reply}* {other}", f"{reply} {own}")]
    edited, gone = await plans.change_plan(service, by(BO), named.id, freed(0))
    assert gone == (anyhow,)
    assert await plans_for_match(service.reader, match.id, BO) == (edited,)


async def test_who_has_left_edits_no_plan(service: Service) -> None:
    match = await begun(service, "tri-camelot")
    stood = await plan(service, match, BO, " ".join(line(match, 2)))
    await acts.resign(service, match.id, GUILD, BO, NOW)
    with refused(Problem.ALREADY_LEFT):
        await plans.change_plan(service, by(BO), stood.id, freed(0))


async def test_the_rest_of_a_plan_is_edited_as_replies_were(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    setup(monkeypatch, CASTLE_AT_RISK)
    match = await begun(service)
    stood = await plan(service, match, BO, "A8-A9* K12-K11 A9-A10 K11-K10")
    match = await move(service, match, ADA, "A8-A9")
    edited, _ = await plans.change_plan(service, by(BO), stood.id, freed(2))
    assert [one.anything for one in edited.moves] == [True, False, True, False], "the first reply has been played"
    match = await move(service, match, ADA, "F14-F15")  # into the reach of Black's castle
    assert match.ply == 3
    with refused(Problem.NO_SUCH_PLAN):  # it has fallen
        await plans.change_plan(service, by(BO), stood.id, lambda one: replace(one, plays_on_vacation=True))


async def test_a_plan_waiting_for_a_vacation_is_played_when_it_needs_not(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 4)
    stood = await plan(service, match, BO, " ".join(moves))
    await people.start_vacation(service, by(BO), NOW + 2 * DAY)
    await move(service, match, ADA, moves[0])
    at = by(BO, NOW + 2 * HOUR)
    await plans.change_plan(service, at, stood.id, lambda one: replace(one, plays_on_vacation=True))
    match = await service.current_match(match.id, GUILD)
    assert (match.ply, match.to_move) == (2, ADA)
    assert await standing(service, match) == [BO]


async def test_a_change_of_a_draft_plays_no_other_plan(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 4)
    await plan(service, match, BO, " ".join(moves))
    await people.start_vacation(service, by(BO), NOW + 2 * DAY)
    match = await move(service, match, ADA, moves[0])
    drawn = await plans.draft_plan(service, by(BO), match.id, " ".join(line(match, 3)))
    await plans.change_plan(service, by(BO, NOW + 3 * DAY), drawn.id, freed(1))  # the bug: the draft was lost
    assert (await service.current_match(match.id, GUILD)).ply == 1
    assert (await plans.load_plan(service.reader, drawn.id, BO)).moves[1].anything


# Plans in words


def chained(plies: int, key: str = "camelot") -> News:
    """The news of a move by hand that so many automatic moves follow."""
    events: list[Event] = started(key)
    match = replay_match(1, events)
    for number in range(plies):
        move = legal_moves(match.started_game.position)[0]
        typed = format_move(move, match.variant.board)
        planned = turns.play_planned_move(match, move, NOW) if number else None
        made = planned or play_typed(match, existing(match.to_move), typed, NOW)
        events += made
        match = followed(match, made)
    return collect_news(1, events, 0)[-1]


@pytest.mark.parametrize("plies", [2, 20, 80])
def test_a_chain_is_told_in_one_message_however_long_it_is(locale: Language, plies: int) -> None:
    item = chained(plies)
    assert len(item.told_together) == plies
    said = make_notice(locale, item, "Ada")
    whole = turn_text(locale, item, existing(said).text)
    assert len(whole) <= MAX_MESSAGE_LENGTH
    assert whole.count("<@") == 1
    assert len(turn_alt_text(locale, item)) <= 1024
    lines = existing(said).text.split("\n")
    last = format_move(item.match.started_game.moves[-1], item.match.variant.board)
    assert f" {min(plies, 40)}: " in lines[-1], "as the last arrow on the board"
    assert f"`{last}`" in lines[-1]
    assert lines[-1].endswith(text(locale, "plan.chain.planned"))
    assert (lines[0] == text(locale, "plan.chain.more")) == (plies == 80)


@pytest.mark.parametrize("key", ["camelot", "tri-camelot"])
def test_a_chains_board_shows_all_its_moves_from_the_usual_side(key: str) -> None:
    item = chained(5, key)
    view = turn_view(item)
    assert [move for _, move in view.chain] == list(item.match.started_game.moves)
    assert view.bottom == 0, "a posted board stands still"
    assert view.position == item.match.started_game.position
    assert len(turn_view(chained(60)).chain) == MAX_ARROWS


def test_a_planned_move_without_a_preceding_move_is_announced_as_planned() -> None:
    events: list[Event] = started()
    match = replay_match(1, events)
    events += turns.play_planned_move(match, legal_moves(match.started_game.position)[0], NOW + 5)
    said = make_notice("en", collect_news(1, events, 0)[-1], "Ada")
    assert existing(said).text.endswith(text("en", "plan.alone"))


def test_a_line_is_spelled_out_with_what_depends_on_what(locale: Language) -> None:
    match = live("tri-camelot")
    game, line = match.started_game, []
    for anything in (False, True, False, True, False, False):
        move = legal_moves(game.position)[0]
        own = game.position.turn == 2
        line.append(planning.as_planned(game.position, move, anything=anything and not own))
        game = game.apply(move)
    plan = Plan(1, CY, 2, 0, tuple(line))
    lines = plan_text(locale, match.variant, plan).split("\n")
    moves = [format_move(one.move, match.variant.board) for one in line]
    assert len(lines) == 2
    assert all(move in lines[number // 3] for number, move in enumerate(moves))
    assert moves_in_short(match.variant, line) == f"{moves[0]} {moves[1]}* {moves[2]} {moves[3]}* {moves[4]} {moves[5]}"
    by_hand = Plan(1, ADA, 0, 0, tuple(line[:4]))
    assert moves[0] in plan_text(locale, match.variant, by_hand).split("\n")[0]


def test_every_reason_why_a_plan_was_not_played_has_its_sentence(locale: Language) -> None:
    told = {plan_end_text(locale, live().variant, PlanEnd(why, 1, "F10-F9")) for why in PlanEndReason}
    assert len(told) == len(PlanEndReason)
    assert not any("{" in said for said in told)
