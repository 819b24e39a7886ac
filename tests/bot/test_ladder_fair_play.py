from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.fair_play_hints import FairPlayHint, FairPlaySign, fair_play_hints, winning_move
from bot.core.match_parts import BoardChange
from rules import VARIANTS, Game, Move, Variant, legal_moves, parse_move
from tests.bot.playing import NOW, followed, live, play_typed
from tests.examples import examples

PASSED_BY, LEFT_OPEN = FairPlaySign.WIN_PASSED_BY, FairPlaySign.CASTLE_LEFT_OPEN
CAM_3D = "1C2-3C4 2C6-3C5 1B3-2A3 3C5x3C3x1E3x1C1"
TRI_CAMELOT = (
    "D5-F3 C16-B17 H17-I18 F7-F9 D17-E18 I14-G16 E6-F7 B11-B9 J11-I10 G4-G8 C14-E16 I16-J15 E4-G2 D13-E14 G16-F15"
    " F3-G4 E14xG16xI14xK12 I10-J9 F7-F3 B13-B11 H13-J11 F5-E4 K12xI10xI14xK16"
)


def steps(variant: Variant, text: str) -> list[BoardChange]:
    """The steps of a game in which no turn passes."""
    game, found = Game.start(variant), []
    for word in text.split():
        move = parse_move(game.position, word)
        found.append(BoardChange(game.position.turn, move, 0, ()))
        game = game.apply(move)
    return found


def wins(game: Game, move: Move) -> bool:
    outcome = game.apply(move).outcome
    return outcome is not None and game.position.turn in outcome.winners


@pytest.mark.parametrize("key", sorted(VARIANTS))
def test_nothing_is_to_be_said_of_a_game_that_has_not_begun(key: str) -> None:
    assert fair_play_hints(VARIANTS[key], []) == ()
    assert winning_move(VARIANTS[key].start_position) is None


def test_a_twice_open_castle_and_a_missed_win_name_their_plies() -> None:
    variant = VARIANTS["cam-3d"]
    assert fair_play_hints(variant, steps(variant, CAM_3D)) == (
        FairPlayHint(LEFT_OPEN, 0, (1, 3), neighbour=1),
        FairPlayHint(PASSED_BY, 1, (2,)),
    )


def test_a_castle_left_open_once_is_nothing_to_speak_of() -> None:
    variant = VARIANTS["cam-3d"]
    assert fair_play_hints(variant, steps(variant, CAM_3D)[:2]) == (FairPlayHint(PASSED_BY, 1, (2,)),)


def test_in_a_game_of_three_the_neighbour_attacks_the_castle() -> None:
    variant = VARIANTS["tri-camelot"]
    assert fair_play_hints(variant, steps(variant, TRI_CAMELOT)) == (
        FairPlayHint(PASSED_BY, 1, (17,)),
        FairPlayHint(LEFT_OPEN, 2, (15, 21), neighbour=1),
    )


def test_who_has_left_opens_nothing_and_threatens_nothing() -> None:
    variant = VARIANTS["tri-camelot"]
    played = steps(variant, TRI_CAMELOT)
    gone = BoardChange(1, None, 0, ())
    assert fair_play_hints(variant, [*played[:21], gone]) == fair_play_hints(variant, played[:21])
    assert fair_play_hints(variant, [gone]) == ()


@examples(0.3)
@given(st.sampled_from(sorted(VARIANTS)), st.integers(0, 10_000))
def test_a_win_is_passed_by_exactly_where_the_game_says_so(key: str, seed: int) -> None:
    chance, game, played = random.Random(seed), Game.start(VARIANTS[key]), list[BoardChange]()
    expected: dict[int, list[int]] = {}
    while not game.outcome and len(game.moves) < 40:
        choices, before = legal_moves(game.position), game
        move, seat = chance.choice(choices), game.position.turn
        if any(wins(game, other) for other in choices) and not wins(game, move):
            expected.setdefault(seat, []).append(len(game.moves) + 1)
        game, passes, behind = game.apply(move), 0, before.position.after_move(move)
        while behind.turn != game.position.turn and not game.outcome:
            behind, passes = behind.after_pass(), passes + 1
        played.append(BoardChange(seat, move, passes, ()))
    found = {hint.seat: list(hint.plies) for hint in fair_play_hints(game.variant, played) if hint.sign is PASSED_BY}
    assert found == expected


def test_the_steps_are_those_that_a_match_keeps() -> None:
    match = live("cam-3d")
    for text in CAM_3D.split():
        assert match.to_move
        match = followed(match, play_typed(match, match.to_move, text, NOW))
    assert fair_play_hints(match.variant, match.steps) == fair_play_hints(match.variant, steps(match.variant, CAM_3D))
