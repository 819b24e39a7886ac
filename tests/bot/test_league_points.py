"""How a league game counts: who shares it, on the board or at the end of the season."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from bot.core import leaving, offers, time_acts
from bot.core.clock import DAY, HOUR, Pace
from bot.core.deadlines import time_runs_out_at
from bot.core.events import Ballot
from bot.core.match import Match
from bot.core.match_state import Phase
from bot.leagues.season import LeagueGame, decide_unfinished
from bot.leagues.season_service import points_of, unfinished_game
from rules import Cause, Game, Outcome, format_move, legal_moves
from tests.bot.playing import ADA, BO, CY, DEE, NOW, PEOPLE, followed, live, play_typed, started

GAME = LeagueGame(0, 0, 0, (0, 1, 2))


def bare(match: Match, seat: int) -> Match:
    """Returns the match without the pieces of that seat."""
    position = match.started_game.position
    own = match.variant.piece_codes[seat]
    cells = bytes(0 if code in own else code for code in position.cells)
    return match.with_fields(game=Game.from_position(replace(position, cells=cells)))


def drawn(match: Match, cause: Cause = Cause.AGREEMENT) -> Match:
    return match.with_fields(game=match.started_game.end_with(Outcome(cause, ())), phase=Phase.OVER)


def vacated(match: Match) -> Match:
    """Returns the match after Cy has left it and a substitute is called."""
    return followed(match, leaving.resign(match, CY, NOW))


def substituted(match: Match) -> Match:
    """Returns the match after Dee has taken over Cy's seat."""
    after = vacated(match)
    return followed(after, leaving.take_over(after, DEE, NOW))


STANDS: dict[str, tuple[Callable[[str], Match], tuple[int, ...]]] = {
    "all": (live, (4, 4, 4)),
    "no pieces": (lambda key: bare(live(key), 2), (6, 6, 0)),
    "vacant": (lambda key: vacated(live(key)), (6, 6, 0)),
    "left": (lambda key: followed(live(key), leaving.resign(live(key), CY, NOW, call=False)), (6, 6, 0)),
    "substitute": (lambda key: substituted(live(key)), (4, 4, 0)),
}


@pytest.mark.parametrize("stand", STANDS)
def test_who_has_pieces_in_the_game_shares_it(stand: str) -> None:
    make, points = STANDS[stand]
    match = make("tri-camelot")
    game = unfinished_game(match, (), GAME, PEOPLE, (), None, NOW, {})
    assert decide_unfinished(replace(game, moves=(9, 9, 9))).points == points
    assert points_of(drawn(match), PEOPLE) == points


def test_nobody_who_has_left_shares_a_game_that_the_others_abandon() -> None:
    match = vacated(live("tri-camelot"))
    for user in (ADA, BO):
        match = followed(match, leaving.propose_vote(match, user, NOW, house=False))
    for user in (ADA, BO):
        match = followed(match, leaving.cast_vote(match, user, Ballot.ABANDON, NOW))
    assert points_of(match, PEOPLE) == (6, 6, 0)


def test_a_referee_who_aborts_or_annuls_lets_everybody_share() -> None:
    assert points_of(drawn(live("tri-camelot"), Cause.ABANDONED), PEOPLE) == (4, 4, 4)
    lost = followed(live(), leaving.resign(live(), BO, NOW))
    assert points_of(lost, PEOPLE[:2]) == (12, 0)
    assert points_of(lost.with_fields(annulled=True), PEOPLE[:2]) == (6, 6)


@pytest.mark.parametrize(("make", "points"), [(vacated, (6, 6, 0)), (substituted, (0, 0, 0))])
def test_a_proved_win_of_nobody_in_the_league_counts_for_nobody(
    make: Callable[[Match], Match], points: tuple[int, ...]
) -> None:
    game = unfinished_game(make(live("tri-camelot")), (), GAME, PEOPLE, (), 2, NOW, {})
    assert decide_unfinished(replace(game, moves=(9, 9, 9))).points == points


def test_who_has_left_the_league_shares_nothing() -> None:
    game = unfinished_game(live("tri-camelot"), (), GAME, PEOPLE, (ADA,), None, NOW, {})
    assert decide_unfinished(replace(game, moves=(9, 9, 9))).points == (0, 6, 6)


def test_a_game_over_before_the_reserve_sat_down_counts_for_their_seat() -> None:
    assert points_of(drawn(live("tri-camelot")), (ADA, BO, DEE)) == (4, 4, 4)


def test_a_move_that_was_taken_back_is_no_move() -> None:
    events = started()
    events += play_typed(Match.replay(1, events), ADA, "F7-F8", NOW + 60)
    events += offers.ask_takeback(Match.replay(1, events), ADA, NOW + 70)
    events += offers.accept_takeback(Match.replay(1, events), BO, NOW + 80)
    match, two = Match.replay(1, events), LeagueGame(0, 0, 0, (0, 1))
    assert unfinished_game(match, events, two, PEOPLE[:2], (), None, NOW + 90, {}).moves == (0, 0)


def test_without_a_clock_the_time_between_moves_counts() -> None:
    events, at = started("camette"), NOW + 1
    for user, seconds in ((ADA, 9 * DAY), (BO, HOUR), (ADA, 9 * DAY)):
        at, match = at + seconds, Match.replay(1, events)
        move = format_move(legal_moves(match.started_game.position)[0], match.variant.board)
        events += play_typed(match, user, move, at)
    match = Match.replay(1, events)
    game = LeagueGame(0, 0, 0, (0, 1), 1)
    facts = unfinished_game(match, events, game, (ADA, BO), (), None, at + HOUR, {})
    assert facts.seconds_used == (18 * DAY, 2 * HOUR)


def test_whose_time_and_last_hours_are_over_has_lost_without_a_claim() -> None:
    events = started("camette", pace=Pace.FAST)
    for user in (ADA, BO, ADA, BO):
        match = Match.replay(1, events)
        move = format_move(legal_moves(match.started_game.position)[0], match.variant.board)
        events += play_typed(match, user, move, NOW + 60)
    events += time_acts.tick(Match.replay(1, events), {}, NOW + 3 * DAY)
    match, game = Match.replay(1, events), LeagueGame(0, 0, 0, (0, 1), 1)
    ends = time_runs_out_at(match) or 0
    for now, points in ((ends - 1, (3, 6)), (ends, (0, 12))):
        facts = unfinished_game(match, events, game, (ADA, BO), (), None, now, {})
        assert decide_unfinished(facts).points == points
