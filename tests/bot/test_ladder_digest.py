from __future__ import annotations

from bot.core.clock import DAY
from bot.core.match_parts import BoardChange
from bot.core.ratings import Rating, RatingChange
from bot.core.results import FinishedGame
from bot.ladder import challenges, seasons
from bot.ladder.digest import Charge, Climb, Upset, find_climbs, find_upset, longest_charge
from bot.ladder.fold import replay_history
from bot.ladder.state import Ladder
from rules import Move
from tests.bot.climbing import story
from tests.bot.playing import ADA, BO, CY, NOW


def test_climbs_are_listed_longest_first_and_season_halving_is_no_descent() -> None:
    lived = story(ADA, BO, CY)
    lived.add(*seasons.turn_season(lived.view, {}))
    for other in (BO, CY):
        lived.finish(lived.played(other, ADA), ADA)
    lived.later(70 * DAY)
    lived.add(*seasons.turn_season(lived.view, {}))
    lived.finish(lived.played(BO, CY), BO)
    history = list(replay_history(Ladder(2), lived.entries))
    assert lived.steps(ADA, BO, CY) == (1, 1, 0)
    assert find_climbs(history) == (Climb(ADA, 2, 1), Climb(BO, 1, 1))
    assert find_climbs(history[-1:]) == (Climb(BO, 1, 1),)


def won(number: int, winner: Rating, loser: Rating) -> tuple[FinishedGame, dict[int, RatingChange]]:
    game = FinishedGame(number, 1, "camelot", NOW, (ADA, BO), (ADA,), 40)
    return game, {ADA: RatingChange(winner, winner), BO: RatingChange(loser, loser)}


def test_the_upset_of_the_week_beats_the_player_furthest_ahead() -> None:
    weak, strong, stronger, new = Rating(20, 3, 9), Rating(30, 3, 9), Rating(31, 3, 9), Rating(40, 8, 0)
    games = [won(1, weak, strong), won(2, weak, stronger), won(3, weak, new), won(4, weak, stronger)]
    assert find_upset(games) == Upset(2, ADA, BO, 27 * 11)
    assert find_upset([won(5, strong, weak), won(6, strong, strong)]) is None
    assert find_upset([]) is None


def test_the_longest_charge_combines_canter_and_jumps_not_just_one_kind() -> None:
    canter, jump = Move((1, 2, 3, 4, 5), ()), Move((1, 2, 3, 4, 5), (9, 10, 11, 12))
    short, long = Move((1, 2, 3), (9,)), Move((1, 2, 3, 4), (9,))
    games = [
        (7, [BoardChange(0, canter, 0, ()), BoardChange(1, None, 0, ()), BoardChange(0, short, 0, ())]),
        (8, [BoardChange(0, jump, 0, ())]),
    ]
    assert longest_charge(games) == Charge(7, 2, short)
    assert longest_charge([*games, (9, [BoardChange(0, long, 0, ())])]) == Charge(9, 1, long)
    assert longest_charge([]) is None


def test_a_return_to_the_ladder_is_no_descent() -> None:
    lived = story(ADA, BO)
    for _ in range(2):
        lived.finish(lived.played(BO, ADA), ADA)
        lived.later(8 * DAY)
    lived.add(challenges.leave_ladder(lived.view, ADA))
    since = len(lived.entries)
    lived.join(ADA)
    lived.finish(lived.played(BO, ADA), ADA)
    history = list(replay_history(Ladder(2), lived.entries))
    assert find_climbs(history[since:]) == (Climb(ADA, 1, 1),)
