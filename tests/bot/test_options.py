"""The options of commands as people type them: turns as a record counts them."""

from __future__ import annotations

import pytest

from bot.core.match import Match
from bot.discordkit.errors import Declined
from bot.play.options import find_ply, turn_names
from rules.record import move_numbers
from tests.bot.playing import NOW, followed, live, play_typed

MOVES = ("F7-F9", "C12-C10", "I12-I10", "G4-G8")


def of_three() -> Match:
    """A game of three in its second round."""
    match = live("tri-camelot")
    for move in MOVES:
        match = followed(match, play_typed(match, match.to_move or 0, move, NOW))
    return match


@pytest.mark.parametrize(
    ("typed", "ply"),
    [("0", 0), ("1", 3), ("1.", 3), ("1 red", 2), ("1 rød", 2), ("1 G", 3), ("2", 4), (" 2  Blue: G4-G8", 4)],
)
def test_a_turn_is_named_as_in_the_record(typed: str, ply: int) -> None:
    assert find_ply(of_three(), typed) == ply


def test_a_replay_begins_with_the_first_move_of_a_round() -> None:
    assert find_ply(of_three(), "1", first=True) == 1
    assert find_ply(of_three(), "1 green", first=True) == 3


@pytest.mark.parametrize("typed", ["", "2 red", "3", "-1", "red", "1 x", "x" * 5000])
def test_what_names_no_turn_is_declined_with_an_example(typed: str) -> None:
    with pytest.raises(Declined, match="no-such-turn"):
        find_ply(of_three(), typed)
    with pytest.raises(Declined):
        find_ply(live("tri-camelot"), "1")


def test_every_move_has_its_turn() -> None:
    match = of_three()
    assert turn_names("en", match) == ["1 Blue", "1 Red", "1 Green", "2 Blue"]
    assert move_numbers(match.started_game) == ((1, 0), (1, 1), (1, 2), (2, 0))
