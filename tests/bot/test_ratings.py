from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openskill.models import PlackettLuce

from bot.core import leaving, refereeing
from bot.core.clock import DAY
from bot.core.match import Leaver
from bot.core.ratings import (
    INITIAL_SIGMA,
    MONTH,
    NEW_RATING,
    RATED_TOGETHER_SPAN_S,
    Rating,
    is_capped,
    is_countable,
    rate_game,
    sort_players,
)
from bot.core.results import FinishedGame, finished_game
from rules import Cause
from tests.bot.playing import ADA, BO, CY, DEE, NOW, by, followed, live


def game(*players: int, won: Sequence[int] = (), at: int = NOW, number: int = 1, moves: int = 60) -> FinishedGame:
    variant = "camelot" if len(players) == 2 else "tri-camelot"
    return FinishedGame(number, 7, variant, at, players, tuple(won), moves)


def left(
    result: FinishedGame, user: int, seat: int, by: int | None = None, cause: Cause = Cause.RESIGNATION
) -> FinishedGame:
    """The same game, but the user left that seat, and `by` took it over."""
    leavers = (*result.leavers, Leaver(user, seat, result.ended_at - DAY, cause.value))
    if by is None:
        return replace(result, leavers=leavers)
    return replace(result, leavers=leavers, substitutes=(*result.substitutes, by))


def gains(result: FinishedGame, **known: Rating) -> dict[int, float]:
    """Returns what a game adds to everybody's mu."""
    before = {globals()[name]: rating for name, rating in known.items()}
    return {user: change.after.mu - change.before.mu for user, change in rate_game(result, before).items()}


def settled(mu: float, sigma: float = 3.0) -> Rating:
    return Rating(mu, sigma, 20, NOW)


strengths = st.builds(settled, st.floats(5, 45), st.floats(1, INITIAL_SIGMA))


# Golden numbers: a change here changes what is stored in every server.


def test_the_numbers_of_a_first_game_of_two() -> None:
    changes = rate_game(game(ADA, BO, won=[ADA]), {})
    assert changes[ADA].after == Rating(27.635389493, 8.065901414, 1, NOW)
    assert changes[BO].after == Rating(22.364610507, 8.065901414, 1, NOW)
    assert (changes[ADA].points_gained, changes[BO].points_gained) == (71, -71)


def test_the_numbers_of_games_between_unequals() -> None:
    before = {ADA: settled(30, 4), BO: settled(20, 2.5), CY: settled(26, 6)}
    games = game(ADA, BO, CY, won=[BO]), game(ADA, BO), left(game(ADA, BO, DEE, won=[BO]), CY, 2, by=DEE)
    assert [
        [(change.after.mu, change.after.sigma, change.points_gained) for change in rate_game(result, before).values()]
        for result in games
    ] == GOLDEN


def test_the_number_of_a_new_player_is_1500_and_uncertain() -> None:
    assert NEW_RATING.shown_number == 1500
    assert NEW_RATING.is_uncertain(NOW)


def test_a_dozen_games_make_a_number_certain() -> None:
    rating, needed = NEW_RATING, 0
    while rating.is_uncertain(NOW + needed * DAY):
        other, needed = 2000 + needed, needed + 1
        result = game(ADA, other, won=[(ADA, other)[needed % 2]], at=NOW + needed * DAY, number=needed)
        rating = rate_game(result, {ADA: rating})[ADA].after
        assert needed < 30
    assert 10 <= needed <= 15


# Two players, and three


@given(strengths, strengths)
def test_the_winner_rises_and_the_loser_falls(one: Rating, two: Rating) -> None:
    gain = gains(game(ADA, BO, won=[BO]), ADA=one, BO=two)
    assert gain[BO] > 0 > gain[ADA]


@given(strengths)
def test_a_draw_between_equals_changes_nothing_but_the_certainty(one: Rating) -> None:
    for people in ((ADA, BO), (ADA, BO, CY)):
        changes = rate_game(game(*people), dict.fromkeys(people, one))
        assert [change.after.mu for change in changes.values()] == pytest.approx([one.mu] * len(people), abs=1e-8)
        assert all(change.after.sigma < change.before.sigma + 0.01 for change in changes.values())


@given(st.floats(5, 45), st.floats(5, 45))
def test_a_draw_draws_unequals_together(one: float, two: float) -> None:
    gain = gains(game(ADA, BO), ADA=settled(one), BO=settled(two))
    assert gain[ADA] * (two - one) >= 0


@given(st.floats(5, 45), st.floats(5, 45), st.floats(5, 45), st.sampled_from([[], [ADA], [CY]]))
def test_among_equally_certain_players_nothing_is_made_or_lost(a: float, b: float, c: float, won: list[int]) -> None:
    gain = gains(game(ADA, BO, CY, won=won), ADA=settled(a), BO=settled(b), CY=settled(c))
    assert sum(gain.values()) == pytest.approx(0, abs=1e-7)


@given(strengths, strengths, strengths, st.permutations([ADA, BO, CY]))
def test_the_order_of_the_seats_does_not_matter(a: Rating, b: Rating, c: Rating, seats: list[int]) -> None:
    before = {ADA: a, BO: b, CY: c}
    straight, turned = rate_game(game(ADA, BO, CY, won=[BO]), before), rate_game(game(*seats, won=[BO]), before)
    for user, change in straight.items():
        assert turned[user].after.mu == pytest.approx(change.after.mu, abs=1e-7)
        assert turned[user].after.sigma == pytest.approx(change.after.sigma, abs=1e-7)


@given(strengths, strengths, strengths)
def test_a_loser_of_three_fares_the_same_whichever_other_wins(a: Rating, b: Rating, c: Rating) -> None:
    one, two = (rate_game(game(ADA, BO, CY, won=[who]), {ADA: a, BO: b, CY: c})[CY].after for who in (ADA, BO))
    assert one.mu == pytest.approx(two.mu, abs=1e-7)
    assert one.sigma == pytest.approx(two.sigma, abs=1e-7)
    assert one.mu < c.mu


@given(strengths, strengths, strengths)
def test_the_winner_of_three_gets_what_openskill_gives_them(a: Rating, b: Rating, c: Rating) -> None:
    model = PlackettLuce()
    teams = [[model.rating(rating.mu, rating.sigma)] for rating in (a, b, c)]
    theirs = model.rate(teams, ranks=[0, 1, 1])[0][0]
    ours = rate_game(game(ADA, BO, CY, won=[ADA]), {ADA: a, BO: b, CY: c})[ADA].after
    assert (ours.mu, ours.sigma) == pytest.approx((theirs.mu, theirs.sigma), abs=1e-8)


@given(strengths, strengths, strengths)
def test_the_losers_of_three_lose_what_the_model_without_a_tie_says(a: Rating, b: Rating, c: Rating) -> None:
    # Weng and Lin by hand, for the first place alone: omega = -p, delta = p (1 - p).
    after = rate_game(game(ADA, BO, CY, won=[ADA]), {ADA: a, BO: b, CY: c})[CY].after
    beta, tau = INITIAL_SIGMA / 2, INITIAL_SIGMA / 100
    variance = c.sigma**2 + tau**2
    size = math.sqrt(sum(rating.sigma**2 + tau**2 + beta**2 for rating in (a, b, c)))
    share = math.exp(c.mu / size) / sum(math.exp(rating.mu / size) for rating in (a, b, c))
    shrunk = 1 - math.sqrt(variance) / size * variance / size**2 * share * (1 - share)
    assert after.mu == pytest.approx(c.mu - variance / size * share, abs=1e-7)
    assert after.sigma == pytest.approx(math.sqrt(variance * shrunk), abs=1e-7)


# Leavers and substitutes


@given(strengths, strengths, strengths)
def test_who_leaves_loses_more_than_who_stays_and_loses(a: Rating, b: Rating, c: Rating) -> None:
    known = {"ADA": a, "BO": b, "CY": c}
    plain = game(ADA, BO, CY, won=[ADA])
    stayed, gone = gains(plain, **known), gains(left(plain, CY, 2), **known)
    assert gone[CY] < stayed[CY] < 0
    assert (gone[ADA], gone[BO]) == (stayed[ADA], stayed[BO]), "it is no merit of theirs that somebody went"


def test_a_leaver_falls_also_where_the_others_draw() -> None:
    gain = gains(left(game(ADA, BO, CY), CY, 2))
    assert gain[CY] < 0 == gain[ADA] == gain[BO]


def test_the_leaver_of_a_game_of_two_loses_as_if_beaten() -> None:
    beaten = game(ADA, BO, won=[ADA])
    assert gains(left(beaten, BO, 1)) == gains(beaten)


@given(strengths, strengths, strengths, strengths, st.sampled_from([[], [ADA], [DEE]]))
def test_a_substitute_never_falls_and_the_leaver_does(
    a: Rating, b: Rating, c: Rating, d: Rating, won: list[int]
) -> None:
    result = left(game(ADA, BO, DEE, won=won), CY, 2, by=DEE)
    changes = rate_game(result, {ADA: a, BO: b, CY: c, DEE: d})
    assert list(changes) == [ADA, BO, DEE, CY]
    assert changes[DEE].after.mu >= d.mu
    assert changes[CY].after.mu < c.mu
    assert (changes[DEE].after == d) or changes[DEE].after.games == d.games + 1


def test_a_substitute_who_wins_rises() -> None:
    assert gains(left(game(ADA, BO, DEE, won=[DEE]), CY, 2, by=DEE))[DEE] > 0


def test_who_came_as_a_substitute_and_leaves_again_is_not_punished() -> None:
    result = left(game(ADA, BO, CY, won=[ADA]), CY, 2)
    assert rate_game(replace(result, substitutes=(CY,)), {})[CY].after == NEW_RATING


def test_two_who_leave_are_not_ranked_among_themselves() -> None:
    known = {"ADA": settled(25), "BO": settled(35), "CY": settled(15)}
    plain = game(ADA, BO, CY, won=[ADA])
    assert gains(left(left(plain, BO, 1), CY, 2), **known) == pytest.approx(gains(plain, **known), abs=1e-7)


# What counts


def test_resultless_games_short_games_and_house_games_do_not_count() -> None:
    whole = game(ADA, BO, CY, won=[ADA], moves=12)
    assert is_countable(whole)
    assert not is_countable(replace(whole, has_result=False))
    assert not is_countable(replace(whole, moves=11))
    assert not is_countable(replace(whole, never_rated=True))


def test_only_the_times_within_thirty_days_fill_the_cap() -> None:
    result = game(ADA, BO)
    assert is_capped(result, [NOW, NOW - 1, NOW - RATED_TOGETHER_SPAN_S + 1])
    assert not is_capped(result, [NOW, NOW - 1, NOW - RATED_TOGETHER_SPAN_S])
    assert sort_players(game(BO, ADA)) == sort_players(result)


# Time


def test_uncertainty_grows_slowly_with_idle_months() -> None:
    rating = settled(30, 3)
    assert rating.aged_to(NOW + MONTH - 1) == rating
    assert rating.aged_to(NOW + 12 * MONTH).sigma == pytest.approx(3.464, abs=1e-3)
    assert not rating.is_uncertain(NOW + 60 * MONTH)
    assert rating.is_uncertain(NOW + 120 * MONTH)
    assert rating.aged_to(NOW + 10_000 * MONTH).sigma == round(INITIAL_SIGMA, 9)
    assert rating.aged_to(NOW + 120 * MONTH).mu == rating.mu
    assert NEW_RATING.aged_to(NOW) == NEW_RATING


def test_rating_needs_only_those_whom_the_result_concerns() -> None:
    result = left(game(ADA, BO, DEE, won=[ADA]), CY, 2, by=DEE)
    everybody = {user: settled(20 + user / 10) for user in (ADA, BO, CY, DEE, 55, 66)}
    assert rate_game(result, everybody) == rate_game(result, {user: everybody[user] for user in result.users_concerned})


def test_a_leaver_who_substituted_and_left_again_is_rated_for_that_seat() -> None:
    twice = left(left(game(DEE, BO, ADA, won=[BO]), ADA, 0, by=DEE), ADA, 2)
    once = left(game(DEE, BO, ADA, won=[BO]), ADA, 2)
    assert gains(twice)[ADA] == gains(once)[ADA]


# From a match


def test_a_match_tells_who_left_who_came_and_who_won() -> None:
    match = live("tri-camelot")
    match = followed(match, leaving.resign(match, by(CY)))
    match = followed(match, leaving.take_over(match, by(DEE, NOW + 1)))
    match = followed(match, leaving.resign(match, by(ADA, NOW + 2)))
    match = followed(match, leaving.take_over(match, by(55, NOW + 3)))
    match = followed(match, leaving.resign(match, by(BO, NOW + 4)))
    match = followed(match, refereeing.abort_match(match, by(1, NOW + 5), "enough"))
    result = finished_game(match)
    assert (result.players, result.winners, result.has_result) == ((55, BO, DEE), (), False)
    assert result.users_concerned == (55, BO, DEE, CY, ADA)
    assert result.substitutes == (DEE, 55)
    assert [leaver.user for leaver in result.leavers] == [CY, ADA, BO]


GOLDEN = [
    [(29.263649286, 3.973175493, -20), (20.484516631, 2.498825041, 13), (24.8681337, 5.875598429, -31)],
    [(29.385156816, 3.951146356, -17), (20.240335666, 2.493827095, 6)],
    [
        (29.362353039, 3.982288241, -17),
        (20.413516845, 2.499521192, 11),
        (25.0, 8.333333333333334, 0),
        (23.476726099, 5.736226781, -68),
    ],
]


@given(st.floats(0.5, 8), st.integers(0, 40), st.integers(-5, 5))
def test_the_instant_from_which_a_number_is_unsure_is_known_beforehand(sigma: float, months: int, off: int) -> None:
    rating = Rating(27.0, sigma, 20, NOW)
    now = NOW + months * MONTH + off
    assert rating.is_uncertain(now) == (rating.unsure_from <= now)
    assert NEW_RATING.unsure_from == 0


def test_a_player_who_was_replaced_and_came_back_is_no_substitute() -> None:
    match = live()
    for user, other in ((ADA, CY), (CY, ADA)):
        match = followed(match, refereeing.replace_player(match, by(9), user, other, "ill"))
    over = finished_game(followed(match, leaving.resign(match, by(ADA))))
    assert over.substitutes == (CY,)
