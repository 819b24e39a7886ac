"""Puzzles and their solutions."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from engine import TooHard, find_forced_winner, solve, solving
from engine.evaluation import read_weights
from engine.lookup_tables import Hop
from engine.puzzle_search import is_agreed, mine_collection, misled_levels, play_light_game, steps_to_castle
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
from engine.search_position import SearchPosition
from engine.solving import FORCED_NODES
from rules import (
    VARIANTS,
    Cause,
    Game,
    Outcome,
    Position,
    Seat,
    format_move,
    legal_moves,
    parse_move,
    parse_position,
    read_position,
)
from rules.game import resolve_passes
from tests.engine.positions import unfinished
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
def test_a_random_share_of_the_puzzles_is_proved_again(key: str, at_most: AtMost) -> None:
    puzzles = shipped_puzzles(key)
    for puzzle in random.sample(puzzles, len(puzzles) // at_most(10, 20)):
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


def test_a_collection_is_found_graded_and_proved_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.puzzle_search.COLLECTION_FOLDER", tmp_path)
    camette, file = VARIANTS["camette"], tmp_path / "camette.jsonl"
    for act, known in (("find", 1), ("find", 2), ("grade", 2), ("prove", 2)):
        report, is_sound = mine_collection(act, camette, known, 0, 2)
        assert report.startswith(f"camette: {known} puzzles (")
        assert is_sound
    found = list(read_puzzles(file))
    assert len({puzzle.id for puzzle in found}) == 2
    assert [puzzle.misled for puzzle in found] == [misled_levels(puzzle) for puzzle in found]
    other = next(move for move in legal_moves(found[0].position) if not found[0].solved_by(move))
    file.write_text(f"{format_puzzle(replace(found[0], line=(other,)))}\n", "utf-8")
    assert mine_collection("prove", camette, 0, 0) == ("camette: 1 puzzles (1 in 2 easy), 1 of them wrong", False)


@pytest.mark.parametrize("wrong", ["{", "{}", "3", '{"position": "camette", "line": ["A1-A2"]}'])
def test_a_file_of_the_engine_that_is_wrong_is_named(tmp_path: Path, wrong: str) -> None:
    (tmp_path / "camette.jsonl").write_text(f"{format_puzzle(shipped_puzzles('camette')[0])}\n{wrong}\n", "utf-8")
    with pytest.raises(ValueError, match=r"^camette\.jsonl:2: "):
        list(read_puzzles(tmp_path / "camette.jsonl"))
    (tmp_path / "camette.json").write_text("{", "utf-8")
    with pytest.raises(ValueError, match=r"^camette\.json: "):
        read_weights(VARIANTS["camette"], tmp_path)


# Solving


ONE = [
    (
        "tri-camelot Green Blue:NG4,NC10,F3,H5,E6,C8,H9 Red:NC12,NB15,NC16,F15,E16"
        " Green:NJ13,NJ15,NI16,I10,J11,H15,I18",
        "J13-J9-H11xH7xH3xF5xF1",
    ),
    (
        "cam-3d Black White:N1D2,N1A3,N3A4,1B3,1C3,1D3,2C3,2E3,3A3,3B3,3C3,3E4"
        " Black:N3C5,N3B7,1C6,2C6,2B7,2C7,3A6,3B6,3C6,3D6",
        "3C5-3C7-3E5x3E3x1E3x1C1",
    ),
]
MORE = [
    ("camelot White White:NE7,NF16,E3,H6,I6,E8,A10,I14 Black:NC13 castle:0,0", 3, "I14-H15"),
    ("cam-3d White White:N1C2,N1C3,N2B3,1A3,1A4,2E3,3A3,3E3 Black:N3A5,2A6,3C6", 5, "1C2-3A4x3A6x1A6"),
    ("camelot Black White:NB6,NG16,C5,F6,H7,J9 Black:NH2,G1,E9,D11,E11,H11 castle:0,0", 5, "H11-I10"),
]
STALEMATE = "camette White White:NA5,NE5,NB6,ND6,D5,C6 Black:C7", "D5-C5"
"""The only Black piece must leave its castle but has no move."""


def wins(position: Position, seat: Seat, plies: int) -> bool:
    """Whether that seat forces a win within that many plies, by an exhaustive search with `rules` alone."""
    position, outcome, _ = resolve_passes(position)
    if outcome:
        return seat in outcome.winners
    if plies == 0:
        return False
    answers = (wins(position.after_move(move), seat, plies - 1) for move in legal_moves(position))
    return any(answers) if position.turn == seat else all(answers)


@pytest.mark.parametrize(("text", "move"), ONE)
def test_the_only_win_in_one_is_found(text: str, move: str) -> None:
    position = parse_position(text)
    solution = solve(position, 1)
    assert solution
    assert solution.is_unique
    assert [format_move(one, position.variant.board) for one in solution.line] == [move]


@pytest.mark.parametrize(("text", "plies", "move"), MORE)
def test_a_longer_win_is_proved_with_its_line_and_none_shorter(text: str, plies: int, move: str) -> None:
    position = parse_position(text)
    assert solve(position, plies - 1) is None
    solution = solve(position, plies)
    assert solution
    assert (len(solution.line), solution.is_unique) == (plies, True)
    assert format_move(solution.line[0], position.variant.board) == move
    game = Game.from_position(position)
    for one in solution.line:
        game = game.play(one)
    assert game.outcome
    assert game.outcome.winners == (position.turn,)


def test_what_it_proves_and_refuses_is_what_the_referee_alone_finds() -> None:
    proved = 0
    for variant in VARIANTS.values():
        for settled in unfinished(variant, 30, 5):
            solution = solve(settled, 1)
            first = {move for move in legal_moves(settled) if wins(settled.after_move(move), settled.turn, 0)}
            assert set(solution.first if solution else ()) == first
            proved += bool(first)
    assert proved > 5


@pytest.mark.parametrize("key", ["camette", "cam", "tri-camelot"])
def test_wins_in_two_are_what_the_referee_alone_finds(key: str) -> None:
    compared = 0
    for position in unfinished(VARIANTS[key], 400, 6):
        if not 1 < len(legal_moves(position)) < 7:
            continue
        compared += 1
        assert (solve(position, 3) is not None) == wins(position, position.turn, 3)
        if compared == 12:
            break
    assert compared > 5


def test_a_win_by_leaving_the_other_side_without_a_move_is_found() -> None:
    text, move = STALEMATE
    solution = solve(read_position(text), 1)
    assert solution
    assert [format_move(one, VARIANTS["camette"].board) for one in solution.first] == [move]
    outcome = Game.from_position(read_position(text)).play(solution.line[0]).outcome
    assert outcome == Outcome(Cause.STALEMATE, (0,))


def test_it_gives_up_where_it_may_not_look_further() -> None:
    with pytest.raises(TooHard):
        solve(VARIANTS["camelot"].start_position, 5, nodes=1_000)


def test_a_game_that_is_over_has_no_solution() -> None:
    assert solve(parse_position("cam White White:D13,C5 Black:C9"), 3) is None


def played(key: str, moves: str) -> Position:
    """Returns the position after those moves."""
    game = Game.start(VARIANTS[key])
    for move in moves.split():
        game = game.play(move)
    return game.position


def test_a_win_is_found_though_the_loser_is_to_move() -> None:
    position = played("camette", "D3-D2 B5-C4 C3-B2 C4-D3 C2xE4 C6-B6 E4xC6xC4 B6-B5 B2-C2")
    assert len(legal_moves(position)) == 1, "a forced capture"
    assert position.turn == 1
    assert find_forced_winner(position) == 0
    assert find_forced_winner(position.after_move(legal_moves(position)[0])) == 0


@pytest.mark.parametrize("key", ["camette", "cam", "tri-camelot"])
def test_a_forced_winner_is_whom_the_referee_alone_finds(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "FORCED_PLIES", 2)
    winners, variant = Counter[str](), VARIANTS[key]
    for position in unfinished(variant, 200, 7):
        if len(legal_moves(position)) > 5:
            continue
        forced = [seat for seat in variant.seats if wins(position, seat, 2)]
        assert find_forced_winner(position) == (forced[0] if forced else None)
        winners["none" if not forced else "mover" if forced == [position.turn] else "other"] += 1
    assert len(winners) == 3, winners


def test_moves_and_not_time_bound_the_search_for_a_winner(monkeypatch: pytest.MonkeyPatch) -> None:
    made, make = Counter[str](), SearchPosition.make

    def count_moves(search: SearchPosition, hop: Hop) -> None:
        made["moves"] += 1
        make(search, hop)

    monkeypatch.setattr(SearchPosition, "make", count_moves)
    assert find_forced_winner(VARIANTS["tri-camelot"].start_position) is None
    assert made["moves"] <= 3 * FORCED_NODES
