"""Puzzles: exactly one first move wins by force. Both `rules` and `solve` prove the shipped puzzles again."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.evaluation import read_weights
from engine.puzzle_search import is_agreed, play_light_game, steps_to_castle
from engine.puzzles import (
    MAX_PUZZLE_MOVES,
    Puzzle,
    format_puzzle,
    parse_puzzle,
    prove_puzzle,
    read_puzzles,
    shipped_puzzles,
    winning_moves,
)
from engine.solving import TooHard
from rules import VARIANTS, Position, format_move, legal_moves, parse_move, parse_position
from rules.game import resolve_passes
from tests.examples import AtMost

PROVED = {
    "tri-camelot Green Blue:NG4,NC10,F3,H5,E6,C8,H9 Red:NC12,NB15,NC16,F15,E16 Green:NJ13,NJ15,NI16,I10,J11,H15,I18": (
        *(1, "J13-J9-H11xH7xH3xF5xF1"),
    ),
    "camelot White White:NE7,NF16,E3,H6,I6,E8,A10,I14 Black:NC13 castle:0,0": (2, "I14-H15"),
    "cam-3d White White:N1C2,N1C3,N2B3,1A3,1A4,2E3,3A3,3E3 Black:N3A5,2A6,3C6": (3, "1C2-3A4x3A6x1A6"),
    "camelot Black White:NB6,NG16,C5,F6,H7,J9 Black:NH2,G1,E9,D11,E11,H11 castle:0,0": (3, "H11-I10"),
}
"""Positions with one winning first move, found by another program."""

SAMPLE = 6
"""Puzzles of each variant that are proved in every run, evenly spread over the collection."""


def names(puzzle: Puzzle) -> list[str]:
    return [format_move(move, puzzle.position.variant.board) for move in puzzle.line]


@pytest.mark.parametrize(("place", "known"), PROVED.items())
def test_what_another_program_has_proved_is_proved(place: str, known: tuple[int, str]) -> None:
    moves, first = known
    position = parse_position(place)
    for fewer in range(1, moves):
        assert not list(winning_moves(position, fewer))
    assert [format_move(move, position.variant.board) for move in winning_moves(position, moves)] == [first]


def test_plain_steps_and_walks_into_the_castle_are_no_puzzles() -> None:
    step = parse_position("tri-camelot Blue Blue:NB15,F3 Red:NI10 Green:NC6")
    assert len(list(winning_moves(step, 1))) == 1
    assert prove_puzzle(step) is None
    walk = parse_position("camelot White White:NE7,NF16,E3,H6,I6,E8,A10,I14 Black:NC13 castle:0,0")
    assert len(list(winning_moves(walk, 2))) == 1
    assert prove_puzzle(walk) is None


def test_two_winning_moves_are_no_puzzle() -> None:
    assert prove_puzzle(parse_position("tri-camelot Blue Blue:NB15,NB17 Red:NI10 Green:NC6")) is None


def test_a_side_that_lost_all_pieces_has_not_won() -> None:
    """The other two would pass the turn to each other endlessly."""
    position = parse_position("tri-camelot Blue Blue:NE8 Red:NE10,NB13,B11 Green:NI10,NJ13,H9")
    assert not list(winning_moves(position, 3))


def test_a_proof_that_takes_too_long_is_given_up() -> None:
    with pytest.raises(TooHard):
        list(winning_moves(VARIANTS["cam-3d"].start_position, 3, most=1000))


@pytest.mark.parametrize("key", VARIANTS)
def test_a_game_of_the_mill_is_the_same_again_and_legal(key: str) -> None:
    game = play_light_game(VARIANTS[key], 7)
    assert game.moves == play_light_game(VARIANTS[key], 7).moves
    position = VARIANTS[key].start_position
    for move in game.moves[:20]:
        position = resolve_passes(position.after_move(parse_move(position, format_move(move, position.variant.board))))[
            0
        ]


@pytest.mark.parametrize("key", VARIANTS)
def test_two_hundred_puzzles_are_shipped_for_every_variant_each_once(key: str) -> None:
    puzzles = shipped_puzzles(key)
    assert len(puzzles) >= 200
    assert len({puzzle.id for puzzle in puzzles}) == len(puzzles)
    assert {puzzle.position.variant.key for puzzle in puzzles} == {key}
    assert {1, 2} <= {puzzle.moves for puzzle in puzzles} <= {*range(1, MAX_PUZZLE_MOVES + 1)}
    # What every button of its panel has to carry.
    assert max(len(move.path) for puzzle in puzzles for move in puzzle.line) <= 28


@pytest.mark.parametrize("key", VARIANTS)
def test_every_kind_of_difficulty_is_there(key: str) -> None:
    assert len({puzzle.difficulty for puzzle in shipped_puzzles(key)}) >= 2


@pytest.mark.parametrize("key", VARIANTS)
def test_a_sample_of_the_puzzles_is_proved_again(key: str) -> None:
    puzzles = [puzzle for puzzle in shipped_puzzles(key) if puzzle.moves < 3]
    for puzzle in puzzles[:: len(puzzles) // SAMPLE]:
        check(puzzle)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("key", VARIANTS)
def test_every_puzzle_is_proved_again(key: str, at_most: AtMost) -> None:
    for puzzle in shipped_puzzles(key)[:: at_most(1, 20)]:
        check(puzzle)
        assert is_agreed(puzzle), puzzle.id


def check(puzzle: Puzzle) -> None:
    """Asserts the claims of a puzzle with `rules` alone."""
    position, line = puzzle.position, puzzle.line
    assert parse_puzzle(format_puzzle(puzzle)) == puzzle
    for fewer in range(1, puzzle.moves):
        assert not list(winning_moves(position, fewer)), puzzle.id
    (first,) = winning_moves(position, puzzle.moves)
    assert puzzle.solved_by(first), puzzle.id
    assert len(legal_moves(position)) > 1
    assert not is_plain_step_into_the_castle(position, puzzle)
    seat, outcome = position.turn, None
    own = 0
    for move in line:
        assert outcome is None
        own += position.turn == seat
        parse_move(position, format_move(move, position.variant.board))
        position, outcome, _ = resolve_passes(position.after_move(move))
    assert outcome is not None
    assert outcome.winners == (seat,)
    assert own <= puzzle.moves


def is_plain_step_into_the_castle(position: Position, puzzle: Puzzle) -> bool:
    move, board = puzzle.line[0], position.variant.board
    near = len(move.path) == 2 and move.end in board.neighbours[move.start]
    return near and steps_to_castle(position.variant, position.turn)[move.end] == 0


@pytest.mark.parametrize("wrong", ["{", "{}", "3", '{"position": "camette", "line": ["A1-A2"]}'])
def test_a_file_of_the_engine_that_is_wrong_is_named(tmp_path: Path, wrong: str) -> None:
    (tmp_path / "camette.jsonl").write_text(f"{format_puzzle(shipped_puzzles('camette')[0])}\n{wrong}\n", "utf-8")
    with pytest.raises(ValueError, match=r"^camette\.jsonl:2: "):
        list(read_puzzles(tmp_path / "camette.jsonl"))
    (tmp_path / "camette.json").write_text("{", "utf-8")
    with pytest.raises(ValueError, match=r"^camette\.json: "):
        read_weights(VARIANTS["camette"], tmp_path)
