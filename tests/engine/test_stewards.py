"""How the fairness of stewards is measured; by players who move at random, so that it takes no time."""

from __future__ import annotations

import pytest

from engine.match import at_random
from engine.stewards import EARLIEST, FEWEST, TRI, Left, left_games
from rules import Cause, Game
from rules.endings import Outcome


@pytest.mark.parametrize(("leaver", "behind", "ahead"), [(1, 0, 2), (2, 1, 0), (0, 2, 1)])
def test_behind_is_who_attacks_the_castle_of_the_leaver(leaver: int, behind: int, ahead: int) -> None:
    assert TRI.armies[behind].goal == TRI.armies[leaver].castle
    for seat, name in ((behind, "behind"), (ahead, "ahead")):
        assert Left(leaver, Game.start(TRI).end(Outcome(Cause.CASTLE, (seat,)))).winner == name
    assert Left(leaver, Game.start(TRI).end(Outcome(Cause.REPETITION, ()))).winner == "draw"


def test_the_same_games_are_played_on_with_a_steward_and_without() -> None:
    with_one, without = (
        list(left_games(3, steward=steward, until=at_random, since=at_random)) for steward in (True, False)
    )
    for sat, skipped in zip(with_one, without, strict=True):
        ((ply, leaver),) = sat.game.left
        assert skipped.game.left == sat.game.left
        assert skipped.game.moves[:ply] == sat.game.moves[:ply]
        assert (sat.leaver, ply >= EARLIEST) == (leaver, True)
        assert (sat.game.position.stewards, skipped.game.position.stewards) == ({leaver}, frozenset())
        middle = Game.start(TRI)
        for move in sat.game.moves[:ply]:
            middle = middle.apply(move)
        assert min(middle.position.count(seat) for seat in TRI.seats) >= FEWEST
        assert sat.winner in ("behind", "ahead", "draw")
