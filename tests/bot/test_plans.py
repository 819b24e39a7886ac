"""Plans: what they are made of, when they are played, and when they fall. Through the service, as people use them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.match import offers, refereeing, vacancy
from bot.match import plans as planning
from bot.match.events import EventKind, parse_turn
from bot.match.match import Match
from bot.match.plans import Fall, Guard, Plan
from bot.people.clock import DAY, HOUR, Pace
from bot.people.problems import Problem
from bot.people.settings import UserSettings
from bot.service import Service
from bot.store import Store
from rules import VARIANTS, Game, IllegalMove, format_move, legal_moves, parse_position
from tests.bot import acts
from tests.bot.playing import ADA, BO, CY, DEE, GUILD, NOW, refused, unshuffled
from tests.bot.test_service_life import begun

JUDGE = 1099
WHY = "so be it"


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with Store.open(tmp_path / "roundtable.db") as store:
        yield Service(store, unshuffled)


def setup(monkeypatch: pytest.MonkeyPatch, position: str, variant: str = "camelot") -> None:
    cells = parse_position(position).cells
    monkeypatch.setitem(VARIANTS, variant, replace(VARIANTS[variant], setup=cells))


async def plan(service: Service, match: Match, user: int, line: str, *, away: bool = False) -> Plan:
    drawn = await service.plans.draw_up(match.id, GUILD, user, line, away=away)
    return (await service.plans.confirm(drawn.id, user))[0]


async def move(service: Service, match: Match, user: int, text: str, now: int = NOW + HOUR) -> Match:
    return await acts.move(service, match.id, GUILD, user, text, now)


def line(match: Match, plies: int, *, choice: int = 0) -> list[str]:
    """A legal line from there, of the first moves that each position offers, or of others."""
    game, moves = match.started_game, list[str]()
    for _ in range(plies):
        found = legal_moves(game.position)
        moves.append(format_move(found[choice % len(found)], match.variant.board))
        game = game.play(moves[-1])
    return moves


async def asked_draw(service: Service, match: Match, user: int) -> Match:
    return await acts.offer_draw(service, match.id, GUILD, user, NOW + HOUR)


async def standing(service: Service, match: Match) -> list[int]:
    return [one.user for user in (ADA, BO, CY, DEE) for one in await service.plans.here(match.id, user) if one.alive]


# Playing


async def test_a_planned_move_is_played_with_the_move_that_it_answers(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 4)
    await plan(service, match, BO, " ".join(moves))
    match = await move(service, match, ADA, moves[0])
    assert (match.ply, match.to_move) == (2, ADA)
    _, events = await service.history(match.id, GUILD)
    first, second = events[-2:]
    assert (first.at, parse_turn(first.body).planned) == (second.at, False)
    assert parse_turn(second.body).planned
    match = await move(service, match, ADA, moves[2], NOW + 2 * HOUR)
    assert (match.ply, match.to_move) == (4, ADA)
    assert await service.plans.here(match.id, BO) == ()


async def test_a_chain_of_two_planners_is_played_to_its_end_and_told_once(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 5)
    await plan(service, match, BO, " ".join(moves[:4]))
    await plan(service, match, ADA, " ".join(moves))
    match = await move(service, match, ADA, moves[0])
    assert (match.ply, match.to_move) == (5, BO)
    (told,) = (item for item in await service.news(match.id) if item.kind is EventKind.MOVED)
    assert [item.planned for item in told.chain] == [False, True, True, True, True]
    assert [item.user for item in told.chain] == [ADA, BO, ADA, BO, ADA]
    assert (told.ping, told.seq) == ((BO,), match.seq)


async def test_three_players_plan_for_each_other(service: Service) -> None:
    match = await begun(service, "tri-camelot")
    moves = line(match, 6)
    await plan(service, match, CY, " ".join(moves[:3]))
    await plan(service, match, BO, " ".join(moves[:5]))
    match = await move(service, match, ADA, moves[0])
    assert (match.ply, match.to_move) == (3, ADA)
    match = await move(service, match, ADA, moves[3])
    assert (match.ply, match.to_move) == (5, CY)


async def test_what_was_planned_for_the_own_turn_is_not_played_before_its_first_move_is_made_by_hand(
    service: Service,
) -> None:
    match = await begun(service)
    moves = line(match, 3)
    await plan(service, match, ADA, " ".join(moves))
    assert (await service.match(match.id, GUILD)).ply == 0
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
    assert await service.plans.missed(match, BO) is None


async def test_a_reply_that_was_named_comes_before_one_that_may_be_anything(service: Service) -> None:
    match = await begun(service)
    named, any_other = line(match, 2), line(match, 2, choice=3)
    await plan(service, match, BO, f"{any_other[0]}*spc {any_other[1]}")
    await plan(service, match, BO, " ".join(named))
    match = await move(service, match, ADA, named[0])
    assert format_move(match.started_game.moves[1], match.variant.board) == named[1]


async def test_a_reply_by_another_way_is_the_same_reply() -> None:
    variant = VARIANTS["camelot"]
    position = parse_position("camelot White White:F5,F6,E6,F8 Black:A12 castle:0,0")
    ways = [made for made in legal_moves(position) if len(made.path) > 2]
    step = planning.step_of(position, ways[0])
    detour = ways[0]._replace(path=(ways[0].start, *reversed(ways[0].path[1:-1]), ways[0].end))
    plan = Plan(1, BO, 1, 0, (step, step._replace(seat=1)), stands=True)
    assert planning.advanced(plan, position, detour) == replace(plan, done=1)
    assert variant.key == position.variant.key


# Guards: White moves F5 or A8; what Black has planned upon F5-F6 is the jump, or a plain move.

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


async def test_a_move_that_has_become_illegal_is_never_played(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup(monkeypatch, JUMP)
    match = await begun(service)
    await plan(service, match, BO, "A8-A9* A12-A11")
    match = await move(service, match, ADA, "F5-F6")  # now Black must jump
    assert match.ply == 1
    fallen = await service.plans.missed(match, BO)
    assert fallen is not None
    assert (fallen.why, fallen.seat, fallen.move) == (Fall.GUARDED, 0, "F5-F6")


# Nothing unmeant


async def test_what_is_not_confirmed_is_not_played(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 2)
    drawn = await service.plans.draw_up(match.id, GUILD, BO, " ".join(moves))
    match = await move(service, match, ADA, moves[0])
    assert match.ply == 1
    with refused(Problem.NO_SUCH_PLAN):
        await service.plans.confirm(drawn.id, BO)


async def test_a_plan_is_confirmed_only_on_the_board_for_which_it_was_drawn_up(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 3)
    match = await move(service, match, ADA, moves[0])
    drawn = await service.plans.draw_up(match.id, GUILD, ADA, " ".join(moves[1:]))
    await service.act(match.id, GUILD, lambda m, _: offers.ask_takeback(m, ADA, NOW + HOUR))
    await service.act(match.id, GUILD, lambda m, _: offers.accept_takeback(m, BO, NOW + HOUR))
    with refused(Problem.NO_SUCH_PLAN):
        await service.plans.confirm(drawn.id, ADA)


async def test_a_plan_takes_the_place_of_one_that_says_something_else_upon_the_same_reply(service: Service) -> None:
    match = await begun(service)
    one, other = line(match, 2), line(match, 2, choice=3)
    first = await plan(service, match, BO, " ".join(one))
    drawn = await service.plans.draw_up(match.id, GUILD, BO, f"{one[0]} {other[1]}")
    assert await service.plans.replaced_by(drawn) == (first,)
    _, gone = await service.plans.confirm(drawn.id, BO)
    assert gone == (first,)
    match = await move(service, match, ADA, one[0])
    assert format_move(match.started_game.moves[1], match.variant.board) == other[1]


async def test_a_plan_waits_while_the_planner_is_asked_something_and_is_played_by_the_answer(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 2)
    await plan(service, match, BO, " ".join(moves))
    await asked_draw(service, match, BO)
    match = await move(service, match, ADA, moves[0])
    assert (match.ply, match.to_move) == (1, BO)
    match = await service.act(match.id, GUILD, lambda m, _: offers.decline_draw(m, BO, NOW + 2 * HOUR))
    assert (match.ply, match.to_move) == (2, ADA)
    told = await service.news(match.id)
    assert [item.kind for item in told[-3:]] == [EventKind.MOVED, EventKind.DRAW_DECLINED, EventKind.MOVED]
    assert [len(item.chain) for item in told[-3:]] == [1, 1, 1]


async def test_a_plan_of_three_waits_for_the_answer_to_a_draw(service: Service) -> None:
    match = await begun(service, "tri-camelot")
    moves = line(match, 3)
    await plan(service, match, CY, " ".join(moves))
    match = await move(service, match, ADA, moves[0])
    await asked_draw(service, match, ADA)
    match = await move(service, match, BO, moves[1], NOW + 2 * HOUR)
    assert match.ply == 2
    match = await service.act(match.id, GUILD, lambda m, _: offers.decline_draw(m, CY, NOW + 3 * HOUR))
    assert match.ply == 3


async def test_a_plan_waits_while_a_substitute_is_asked_for(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 2)
    await plan(service, match, BO, " ".join(moves))
    await acts.propose_substitute(service, match.id, GUILD, BO, DEE, NOW + HOUR)
    match = await move(service, match, ADA, moves[0])
    assert match.ply == 1
    match = await service.act(match.id, GUILD, lambda m, _: vacancy.decline_substitute(m, DEE, NOW + 2 * HOUR))
    assert match.ply == 2


async def test_a_plan_waits_while_a_seat_is_vacant_and_falls_when_it_is_taken_over(service: Service) -> None:
    match = await begun(service, "tri-camelot")
    moves = line(match, 3)
    await plan(service, match, ADA, " ".join([*moves, line(match, 4)[3]]))
    match = await move(service, match, ADA, moves[0])
    await acts.resign(service, match.id, GUILD, CY, NOW + HOUR)
    assert await standing(service, match) == [ADA]
    match = await service.take_over(match.id, GUILD, DEE, NOW + 2 * HOUR)
    assert await standing(service, match) == []
    (fallen,) = await service.plans.here(match.id, ADA)
    assert fallen.fallen is not None
    assert fallen.fallen.why is Fall.SEAT


async def test_all_plans_fall_when_a_referee_replaces_a_player(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 2)
    await plan(service, match, BO, " ".join(moves))
    await service.act(match.id, GUILD, lambda m, _: refereeing.replace_player(m, JUDGE, ADA, DEE, WHY, NOW + HOUR))
    match = await move(service, match, DEE, moves[0])
    assert match.ply == 1
    fallen = await service.plans.missed(match, BO)
    assert fallen is not None
    assert fallen.why is Fall.SEAT


async def test_a_plan_falls_with_a_takeback_and_is_not_played_again(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 4)
    await plan(service, match, BO, " ".join(moves))
    match = await move(service, match, ADA, moves[0])
    await service.act(match.id, GUILD, lambda m, _: offers.ask_takeback(m, ADA, NOW + HOUR))
    match = await service.act(match.id, GUILD, lambda m, _: offers.accept_takeback(m, BO, NOW + HOUR))
    assert match.ply == 0
    match = await move(service, match, ADA, moves[0])
    assert match.ply == 1
    fallen = await service.plans.missed(match, BO)
    assert fallen is not None
    assert fallen.why is Fall.TAKEN_BACK


async def test_a_plan_falls_with_a_referees_undo(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 4)
    await move(service, match, ADA, moves[0])
    await plan(service, match, ADA, " ".join(moves[1:3]))
    match = await service.act(match.id, GUILD, lambda m, _: refereeing.rewind(m, JUDGE, 0, WHY, NOW + HOUR))
    assert await standing(service, match) == []


@pytest.mark.parametrize("away", [False, True])
async def test_on_vacation_a_plan_is_played_only_if_the_planner_said_so(service: Service, away: bool) -> None:
    match = await begun(service)
    moves = line(match, 2)
    await plan(service, match, BO, " ".join(moves), away=away)
    await service.people.start_vacation(BO, NOW + 2 * DAY, NOW)
    match = await move(service, match, ADA, moves[0])
    assert match.ply == (2 if away else 1)


async def test_a_plan_is_played_by_the_tick_in_which_a_vacation_has_ended(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 2)
    await plan(service, match, BO, " ".join(moves))
    await service.people.start_vacation(BO, NOW + 2 * DAY, NOW)
    await move(service, match, ADA, moves[0])
    assert await service.upkeep.tick(NOW + 2 * DAY - 1) == []
    (match,) = await service.upkeep.tick(NOW + 2 * DAY)
    assert (match.ply, match.to_move) == (2, ADA)
    assert await service.upkeep.tick(NOW + 2 * DAY) == []
    assert [len(item.chain) for item in await service.news(match.id)][-2:] == [1, 1]


async def test_a_plan_is_played_when_a_vacation_is_stopped(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 2)
    await plan(service, match, BO, " ".join(moves))
    await service.people.start_vacation(BO, NOW + 9 * DAY, NOW)
    await move(service, match, ADA, moves[0])
    await service.people.stop_vacation(BO, NOW + 2 * DAY)
    assert (await service.match(match.id, GUILD)).ply == 2


async def test_who_does_not_match_is_told_at_their_next_turn_by_which_move_until_they_have_moved(
    service: Service,
) -> None:
    match = await begun(service)
    moves, other = line(match, 3), line(match, 1, choice=3)
    await plan(service, match, BO, " ".join(moves[:2]))
    match = await move(service, match, ADA, other[0])
    fallen = await service.plans.missed(match, BO)
    assert fallen is not None
    assert (fallen.why, fallen.seat, fallen.move) == (Fall.DIFFERED, 0, other[0])
    assert await service.plans.missed(match, ADA) is None
    match = await move(service, match, BO, line(match, 1)[0])
    assert await service.plans.here(match.id, BO) == ()


async def test_whoever_plays_something_else_than_planned_is_not_told_of_it(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 3)
    await plan(service, match, ADA, " ".join(moves))
    match = await move(service, match, ADA, line(match, 1, choice=3)[0])
    assert await service.plans.here(match.id, ADA) == ()


async def test_nothing_is_left_of_plans_when_the_game_is_over(service: Service) -> None:
    match = await begun(service)
    await plan(service, match, BO, " ".join(line(match, 2)))
    await acts.resign(service, match.id, GUILD, ADA, NOW)
    assert await service.store.reader.column("SELECT count(*) FROM plans") == [0]


# What cannot be planned


async def test_what_is_no_plan_is_refused(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 3)
    with refused(Problem.PLAN_EMPTY):
        await plan(service, match, BO, moves[0])
    with refused(Problem.PLAN_EMPTY):
        await plan(service, match, ADA, " ".join(moves[:2]))
    with refused(Problem.PLAN_OWN_ANYTHING):
        await plan(service, match, BO, f"{moves[0]} {moves[1]}*")
    with pytest.raises(IllegalMove):
        await plan(service, match, BO, f"{moves[0]} {moves[0]}")
    with refused(Problem.NOT_A_PLAYER):
        await plan(service, match, DEE, " ".join(moves))
    with refused(Problem.NO_SUCH_GAME):
        await service.plans.draw_up(match.id, GUILD + 1, BO, " ".join(moves))
    assert await service.plans.of(BO) == ()


async def test_plans_have_limits(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "MOST_PLANS", 1)
    monkeypatch.setattr(planning, "LONGEST_LINE", 4)
    match = await begun(service)
    with refused(Problem.PLAN_TOO_LONG, most=4):
        await plan(service, match, BO, " ".join(line(match, 5)))
    await plan(service, match, BO, " ".join(line(match, 2)))
    with refused(Problem.TOO_MANY_PLANS, most=1):
        await plan(service, match, BO, " ".join(line(match, 2, choice=3)))


async def test_a_server_can_switch_plans_off(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 2)
    drawn = await service.plans.draw_up(match.id, GUILD, BO, " ".join(moves))
    await plan(service, match, BO, " ".join(moves))
    await service.people.change_guild_settings(GUILD, lambda settings: replace(settings, plans=False))
    with refused(Problem.NO_SUCH_PLAN):
        await service.plans.confirm(drawn.id, BO)
    with refused(Problem.PLANS_OFF):
        await plan(service, match, BO, " ".join(moves))
    match = await move(service, match, ADA, moves[0])
    assert match.ply == 1
    fallen = await service.plans.missed(match, BO)
    assert fallen is not None
    assert fallen.why is Fall.OFF


# Time, statistics, privacy


async def test_a_planned_move_costs_no_time(service: Service) -> None:
    match = await begun(service, pace=Pace.FAST)
    moves = line(match, 2)
    await plan(service, match, BO, " ".join(moves))
    await asked_draw(service, match, BO)
    await move(service, match, ADA, moves[0], NOW + HOUR)
    await service.people.change_user_settings(BO, lambda _: UserSettings(free_weekends=True), NOW + 2 * HOUR)
    match = await service.act(match.id, GUILD, lambda m, _: offers.decline_draw(m, BO, NOW + 5 * HOUR))
    assert (match.ply, match.banks[1]) == (2, 28 * HOUR)
    assert match.pings.reminded == 0


async def test_planned_moves_count_as_moves_but_not_for_the_time_that_somebody_takes(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 4)
    await plan(service, match, BO, " ".join(moves[:2]))
    match = await move(service, match, ADA, moves[0], NOW + HOUR)
    match = await move(service, match, ADA, moves[2], NOW + 3 * HOUR)
    match = await move(service, match, BO, moves[3], NOW + 7 * HOUR)
    await acts.resign(service, match.id, GUILD, ADA, NOW + 8 * HOUR)
    rows = await service.store.reader.run("SELECT moves, planned, thought FROM shares WHERE user = ?", (BO,))
    assert rows == [(2, 1, 4 * HOUR)]
    (profile,) = await service.profiles.profile(GUILD, BO)
    assert profile.thinking == 4 * HOUR


async def test_only_the_planner_can_do_anything_with_a_plan(service: Service) -> None:
    match = await begun(service)
    drawn = await service.plans.draw_up(match.id, GUILD, BO, " ".join(line(match, 2)))
    for user in (ADA, DEE):
        for act in (service.plans.one, service.plans.confirm, service.plans.delete):
            with refused(Problem.NO_SUCH_PLAN):
                await act(drawn.id, user)
        assert await service.plans.here(match.id, user) == ()
    assert await service.plans.clear(ADA) == 0
    assert (await service.plans.one(drawn.id, BO)).id == drawn.id


async def test_plans_are_exported_to_their_planner_alone_and_forgotten_with_them(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 2)
    await plan(service, match, BO, f"{moves[0]}*s {moves[1]}")
    (exported,) = (await service.privacy.export(BO))["plans"]
    assert exported["line"].split()[1] == f"1:{moves[1]}"
    theirs = await service.privacy.export(ADA)
    assert theirs["plans"] == []
    assert moves[1] not in str(theirs)
    await service.privacy.forget(BO, NOW + HOUR)
    assert await service.store.reader.column("SELECT count(*) FROM plans") == [0]


async def test_a_line_is_read_as_it_was_written(service: Service) -> None:
    match = await begun(service, "tri-camelot")
    moves = line(match, 6)
    drawn = await service.plans.draw_up(match.id, GUILD, CY, f"{moves[0]}*s {moves[1]}*cps {' '.join(moves[2:])}")
    assert await service.plans.one(drawn.id, CY) == drawn
    assert [step.guards for step in drawn.steps[:3]] == [{Guard.SAME}, set(Guard), None]


async def test_a_plan_that_is_being_made_can_be_changed(service: Service) -> None:
    match = await begun(service)
    drawn = await service.plans.draw_up(match.id, GUILD, BO, " ".join(line(match, 2)))
    assert (await service.plans.change(drawn.id, BO, 0, frozenset({Guard.SAFE}))).steps[0].guards == {Guard.SAFE}
    assert (await service.plans.change(drawn.id, BO, 0, None)).steps[0].exact
    assert (await service.plans.change_away(drawn.id, BO, away=True)).away
    with refused(Problem.NO_SUCH_PLAN):
        await service.plans.change(drawn.id, BO, 1, None)


async def test_the_rest_of_a_line_can_be_planned_from_its_moves(service: Service) -> None:
    match = await begun(service)
    moves = line(match, 4)
    game, steps = Game.start(match.variant), []
    for text in moves:
        after = game.play(text)
        steps.append(planning.step_of(game.position, after.moves[-1]))
        game = after
    drawn = await service.plans.draw_up_line(match.id, GUILD, BO, steps)
    assert drawn.steps == tuple(steps)
