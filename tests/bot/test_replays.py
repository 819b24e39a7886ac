from __future__ import annotations

import random

import pytest

from bot.core import refereeing
from bot.core.match import Match
from bot.core.problems import Problem
from bot.play.watching import MAX_REPLAY_PLIES, make_replay, replay_alt_text, replay_range
from render import DEFAULT_THEME
from rules import VARIANTS, format_move
from tests.bot.playing import ADA, BO, NOW, followed, live, play_typed, random_move, refused, started


def long_game(key: str, plies: int) -> Match:
    """A game of that many moves; random ones may end sooner, so several seeds are tried."""
    for seed in range(50):
        rng, events = random.Random(seed), started(key)
        match = Match.replay(1, events)
        while match.is_live and match.ply < plies:
            assert match.to_move is not None
            new = play_typed(match, match.to_move, random_move(match, rng), NOW)
            events += new
            for event in new:
                match = match.apply(event)
        if match.ply == plies and match.is_live:
            return match
    raise AssertionError("no such game")


@pytest.mark.parametrize("key", VARIANTS)
def test_a_replay_shows_the_moves_from_first_to_last(key: str) -> None:
    match = long_game(key, 12)
    assert match.game is not None
    for first, last in ((None, None), (3, 9), (5, 5), (None, 4), (11, None)):
        replay = make_replay(match, *replay_range(match, first, last), 0, DEFAULT_THEME)
        start, end = (first or 1) - 1, last or 12
        assert [ply.move for ply in replay.plies] == list(match.game.moves[start:end])
        assert replay.first == start + 1
        position = replay.origin
        for ply in replay.plies:
            assert position.after_move(ply.move).cells == ply.after.cells
            position = ply.after
        assert (position == match.game.position) == (end == 12)


def test_moves_taken_back_are_not_replayed() -> None:
    match = live("camette")
    for user, text in ((ADA, "C2-B2"), (BO, "B5-A4")):
        match = followed(match, play_typed(match, user, text, NOW))
    match = followed(match, refereeing.rewind_match(match, 9, 1, "a slip", NOW))
    match = followed(match, play_typed(match, BO, "B5-A5", NOW))
    replay = make_replay(match, *replay_range(match, None, None), 0, DEFAULT_THEME)
    assert [format_move(ply.move, match.variant.board) for ply in replay.plies] == ["C2-B2", "B5-A5"]
    assert replay.plies[-1].after == match.started_game.position


def test_moves_that_were_not_played_cannot_be_replayed() -> None:
    match = long_game("camelot", 12)
    for first, last in ((13, None), (1, 13), (5, 4)):
        with refused(Problem.NO_SUCH_STRETCH, first=first, last=last or 12, count=12):
            replay_range(match, first, last)
    with refused(Problem.NO_MOVES):
        replay_range(Match.replay(1, started()), None, None)


def test_of_a_very_long_game_only_the_latest_part_is_replayed() -> None:
    match = long_game("chivalry", MAX_REPLAY_PLIES + 20)
    replay = make_replay(match, *replay_range(match, None, None), 0, DEFAULT_THEME)
    assert (replay.first, len(replay.plies)) == (21, MAX_REPLAY_PLIES)
    with refused(Problem.STRETCH_TOO_LONG, most=MAX_REPLAY_PLIES):
        replay_range(match, 1, None)
    words = replay_alt_text("no", match, replay)
    assert 900 < len(words) <= 1024
    assert words.endswith(" …")
    first = format_move(replay.plies[0].move, match.variant.board)
    assert f"trekk 21 til trekk {MAX_REPLAY_PLIES + 20}, ett etter ett: {first}, " in words
