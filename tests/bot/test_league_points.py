"""How league games count: on the board, and at the end of the season, which the bot decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from bot.core import leaving, offers, time_acts
from bot.core.clock import DAY, HOUR, Pace
from bot.core.deadlines import time_runs_out_at
from bot.core.events import Ballot
from bot.core.fold import replay_match
from bot.core.match import Match, Phase
from bot.leagues import seasons
from bot.leagues.league import Verdict, decide_unfinished
from bot.leagues.seasons import PROOF_DELAY_S, points_of, unfinished_game, without_substitutes
from bot.play.engine import EngineAway, EngineFailed, EngineStuck
from bot.play.service import Service
from engine import find_forced_winner
from rules import Cause, Game, Outcome, format_move, legal_moves, parse_move
from tests.bot import acts, answers, playing
from tests.bot.databases import change
from tests.bot.match_stories import two
from tests.bot.playing import ADA, BO, CY, DEE, GUILD, NOW, PEOPLE, by, followed, live, play_typed, started
from tests.bot.seasons import BEGIN, CAMETTE, TRI, begun, do_jobs, groups, move, now_of


def bare(match: Match, seat: int) -> Match:
    """Returns the match without the pieces of that seat."""
    position = match.started_game.position
    own = match.variant.piece_codes[seat]
    cells = bytes(0 if code in own else code for code in position.cells)
    return replace(match, game=Game.from_position(replace(position, cells=cells)))


def drawn(match: Match, cause: Cause = Cause.AGREEMENT) -> Match:
    return replace(match, game=match.started_game.end_with(Outcome(cause, ())), phase=Phase.OVER)


def vacated(match: Match) -> Match:
    """Returns the match after Cy has left it and a substitute is called."""
    return followed(match, leaving.resign(match, by(CY)))


def substituted(match: Match) -> Match:
    """Returns the match after Dee has taken over Cy's seat."""
    after = vacated(match)
    return followed(after, leaving.take_over(after, by(DEE)))


STANDS: dict[str, tuple[Callable[[str], Match], tuple[int, ...]]] = {
    "all": (live, (4, 4, 4)),
    "no pieces": (lambda key: bare(live(key), 2), (6, 6, 0)),
    "vacant": (lambda key: vacated(live(key)), (6, 6, 0)),
    "left": (lambda key: followed(live(key), playing.leave_to_steward(live(key), CY)), (6, 6, 0)),
    "substitute": (lambda key: substituted(live(key)), (4, 4, 0)),
}


@pytest.mark.parametrize("stand", STANDS)
def test_who_has_pieces_in_the_game_shares_it(stand: str) -> None:
    make, points = STANDS[stand]
    match = make("tri-camelot")
    game = unfinished_game(match, (), (), None, NOW, {})
    decided = decide_unfinished(replace(game, moves=(9, 9, 9)), TRI)
    assert without_substitutes(match, PEOPLE, decided.points) == points
    assert points_of(drawn(match), PEOPLE, TRI) == points


def test_nobody_who_has_left_shares_a_game_that_the_others_abandon() -> None:
    match = vacated(live("tri-camelot"))
    for user in (ADA, BO):
        match = followed(match, leaving.propose_vote(match, by(user), has_house=False))
    for user in (ADA, BO):
        match = followed(match, leaving.cast_vote(match, by(user), Ballot.ABANDON))
    assert points_of(match, PEOPLE, TRI) == (6, 6, 0)


def test_a_referee_who_aborts_or_annuls_lets_everybody_share() -> None:
    assert points_of(drawn(live("tri-camelot"), Cause.ABANDONED), PEOPLE, TRI) == (4, 4, 4)
    lost = followed(live(), leaving.resign(live(), by(BO)))
    assert points_of(lost, PEOPLE[:2], CAMETTE) == (12, 0)
    assert points_of(replace(lost, annulled=True), PEOPLE[:2], CAMETTE) == (6, 6)


@pytest.mark.parametrize(("make", "points"), [(vacated, (6, 6, 0)), (substituted, (0, 0, 0))])
def test_a_proved_win_of_nobody_in_the_league_counts_for_nobody(
    make: Callable[[Match], Match], points: tuple[int, ...]
) -> None:
    match = make(live("tri-camelot"))
    decided = decide_unfinished(replace(unfinished_game(match, (), (), 2, NOW, {}), moves=(9, 9, 9)), TRI)
    assert without_substitutes(match, PEOPLE, decided.points) == points


def test_who_has_left_the_league_shares_nothing() -> None:
    game = unfinished_game(live("tri-camelot"), (), (ADA,), None, NOW, {})
    assert decide_unfinished(replace(game, moves=(9, 9, 9)), TRI).points == (0, 6, 6)


def test_a_game_over_before_the_reserve_sat_down_counts_for_their_seat() -> None:
    assert points_of(drawn(live("tri-camelot")), (ADA, BO, DEE), TRI) == (4, 4, 4)


def test_a_move_that_was_taken_back_is_no_move() -> None:
    story = two().move("F7-F8").did(offers.ask_takeback, ADA).did(answers.accept_takeback, BO)
    assert unfinished_game(story.match, story.events, (), None, story.now, {}).moves == (0, 0)


def test_without_a_clock_the_time_between_moves_counts() -> None:
    events, at = started("camette"), NOW + 1
    for user, seconds in ((ADA, 9 * DAY), (BO, HOUR), (ADA, 9 * DAY)):
        at, match = at + seconds, replay_match(1, events)
        move = format_move(legal_moves(match.started_game.position)[0], match.variant.board)
        events += play_typed(match, user, move, at)
    match = replay_match(1, events)
    assert unfinished_game(match, events, (), None, at + HOUR, {}).seconds_used == (18 * DAY, 2 * HOUR)


def test_whose_time_and_last_hours_are_over_has_lost_without_a_claim() -> None:
    events = started("camette", pace=Pace.FAST)
    for user in (ADA, BO, ADA, BO):
        match = replay_match(1, events)
        move = format_move(legal_moves(match.started_game.position)[0], match.variant.board)
        events += play_typed(match, user, move, NOW + 60)
    events += time_acts.tick(replay_match(1, events), {}, NOW + 3 * DAY)
    match = replay_match(1, events)
    ends = time_runs_out_at(match) or 0
    for now, points in ((ends - 1, (3, 6)), (ends, (0, 12))):
        facts = unfinished_game(match, events, (), None, now, {})
        assert decide_unfinished(facts, CAMETTE).points == points


END = BEGIN + 14 * 24 * 3600
PROVED = {Verdict.PROVED}
SHARED = {Verdict.SHARED, Verdict.SHARED_SLOW}


async def half_played(service: Service) -> tuple[Any, int]:
    """Returns a league whose season ends, and one of its games, in which both have moved; the others are not begun."""
    league, group = await begun(service, CAMETTE, range(1, 4))
    number = group.games[0].match or 0
    for _ in range(4):
        await move(service, number, BEGIN + 60)
    await seasons.tick_seasons(service, END)
    return league, number


async def verdict_of(service: Service, league: Any, number: int) -> Verdict | None:
    (group,) = await groups(service, league)
    return next(game.verdict for game in group.games if game.match == number)


@pytest.mark.parametrize(
    ("answer", "expected"), [(0, PROVED), (1, PROVED), (None, SHARED), (EngineFailed("it crashed"), SHARED)]
)
async def test_every_proved_win_is_a_win(service: Service, answer: object, expected: set[Verdict]) -> None:
    league, number = await half_played(service)
    await do_jobs(service, END, answer=answer)
    assert await verdict_of(service, league, number) in expected


async def test_a_season_does_not_end_while_a_game_cannot_be_read(service: Service) -> None:
    league, number = await half_played(service)
    event = "match = ? AND seq = (SELECT max(seq) FROM events WHERE match = ?)"
    [kind] = await service.reader.read_column(f"SELECT kind FROM events WHERE {event}", (number, number))
    await change(service.store, f"UPDATE events SET kind = 250 WHERE {event}", number, number)
    service.drop_from_cache(number)
    await do_jobs(service, END, answer=0)
    assert await verdict_of(service, league, number) is None
    await change(service.store, f"UPDATE events SET kind = ? WHERE {event}", kind, number, number)
    await do_jobs(service, END + 60, answer=0)
    assert await verdict_of(service, league, number) in PROVED


async def test_stopping_to_move_in_a_lost_position_does_not_pay(service: Service) -> None:
    league, group = await begun(service, CAMETTE._replace(pace=Pace.NONE), range(1, 4))
    number = group.games[0].match or 0
    for one in ["D3-D2", "B5-C4", "C3-B2", "C4-D3", "C2xE4", "C6-B6", "E4xC6xC4", "B6-B5", "B2-C2"]:
        match = await service.current_match(number, GUILD)
        chosen = parse_move(match.started_game.position, one)
        await acts.play_move(service, number, GUILD, match.to_move or 0, chosen, match.board_version, BEGIN + 60)
    await seasons.tick_seasons(service, END)
    position = (await service.current_match(number, GUILD)).started_game.position
    assert position.turn == 1, "who has one move, a forced capture, and loses after it"
    await do_jobs(service, END, answer=find_forced_winner(position))
    (group,) = await groups(service, league)
    assert (group.games[0].points, group.games[0].verdict) == ((12, 0), Verdict.PROVED)


@pytest.mark.parametrize("trouble", [EngineAway("it restarts"), EngineStuck("the machine is busy")])
async def test_a_season_waits_some_hours_for_an_engine_that_gives_no_answer(
    service: Service, trouble: Exception
) -> None:
    league, number = await half_played(service)
    failed = list[str]()
    service.attempts.on_failure = failed.append
    await do_jobs(service, END, answer=trouble)
    assert failed == [], "a busy machine is no failure"
    assert await verdict_of(service, league, number) is None
    assert (await now_of(service, league)).season == 1
    await do_jobs(service, END + PROOF_DELAY_S, answer=trouble)
    assert await verdict_of(service, league, number) in SHARED


async def test_a_proof_counts_for_the_board_that_it_was_made_on(service: Service) -> None:
    league, number = await half_played(service)

    async def blunder() -> int:
        await move(service, number, END)
        return 0

    await do_jobs(service, END, answer=blunder)
    assert await verdict_of(service, league, number) is None
    await do_jobs(service, END + 60)
    assert await verdict_of(service, league, number) in SHARED
    assert (await service.current_match(number, GUILD)).is_live
