"""Moves from menus: every walk ends in a legal move, and every outcome can be reached."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import chain, islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.draft import Draft, MoveWarning, UnfitPathError, format_path, parse_path, preview_move
from rules import (
    VARIANTS,
    Game,
    Move,
    Position,
    Variant,
    find_entry,
    format_move,
    legal_moves,
    parse_move,
    parse_position,
    read_position,
)
from rules.board import LegKind
from rules.landings import MAX_LANDINGS_SEARCHED
from tests.rules.positions import built_positions, random_game, variants
from tests.rules.scenes import LETTERS, cells, scene

every_variant = pytest.mark.parametrize("key", VARIANTS)


def outcomes(position: Position) -> set[tuple[int, int, frozenset[int]]]:
    """Returns the outcomes of all legal moves."""
    return {move.outcome for move in legal_moves(position)}


def reached_leg_by_leg(position: Position, most: int = 20_000) -> set[tuple[int, int, frozenset[int]]]:
    """Returns the moves that can be made by choosing pieces and legs. Examines each landing with its captures once."""
    found, seen = set(), set()
    todo = [Draft.from_path(position, [start]) for start in Draft.from_path(position).start_cells]
    while todo:
        draft = todo.pop()
        assert draft.turn is not None
        state = draft.path[0], frozenset(draft.path), draft.path[-1], frozenset(draft.turn.captures)
        if state in seen:
            continue
        seen.add(state)
        assert len(seen) < most
        if draft.is_complete:
            found.add(draft.turn.move.outcome)
        todo += [draft.choose_cell(leg.to) for leg in draft.next_legs]
    return found


@given(built_positions(), st.randoms(use_true_random=False))
def test_any_walk_through_the_menus_ends_in_a_legal_move(position: Position, rng: random.Random) -> None:
    choose: Callable[[Sequence[Any]], Any] = rng.choice
    draft = Draft.from_path(position)
    if position.variant.ending(position) or not draft.start_cells:
        return
    draft = draft.choose_cell(choose(draft.start_cells))
    for _ in range(2 * len(position.variant.board.names)):
        legs = draft.next_legs
        assert legs or draft.is_complete, draft.path
        if draft.is_complete and (not legs or choose((True, False))):
            break
        ends = draft.find_ends()
        assert ends.by_cell or not legs
        if ends.by_cell and choose((True, False, False)):
            draft = draft.follow_move(choose(ends.by_cell[choose(sorted(ends.by_cell))]))
        else:
            draft = draft.choose_cell(choose(legs).to)
    assert draft.is_complete
    assert draft.turn is not None
    text = format_move(draft.turn.move, position.variant.board)
    # The same move, without canters that only returned to an earlier cell.
    assert parse_move(position, text).outcome == draft.turn.move.outcome
    assert Draft.from_path(position, parse_path(format_path(draft.path))).path == draft.path


@given(built_positions(most=8))
def test_every_outcome_can_be_reached_leg_by_leg(position: Position) -> None:
    if not position.variant.ending(position):
        assert reached_leg_by_leg(position) == outcomes(position)


@given(built_positions())
def test_every_outcome_can_be_reached_by_its_destination(position: Position) -> None:
    if position.variant.ending(position):
        return
    found = set()
    for start in Draft.from_path(position).start_cells:
        ends = Draft.from_path(position, [start]).find_ends()
        if not ends.whole:
            return
        for cell, ways in ends.by_cell.items():
            assert len({frozenset(way.captures) for way in ways}) == len(ways), "routes differ in their captures"
            assert (ends.only_way(cell) is not None) == (len(ways) == 1)
            found |= {way.outcome for way in ways}
    assert found == outcomes(position)


@given(variants, st.integers(0, 50))
def test_the_pieces_offered_are_those_that_have_a_legal_move(variant: Variant, seed: int) -> None:
    for game in islice(random_game(variant, seed, 30), 0, None, 7):
        expected = {move.start for move in legal_moves(game.position)}
        if not game.outcome:
            assert set(Draft.from_path(game.position).start_cells) == expected


@every_variant
def test_a_canter_in_a_circle_is_not_offered(key: str) -> None:
    draft = Draft.from_path(scene(key, "a,b,d"), [VARIANTS[key].board.find_cell(LETTERS[key][name]) for name in "ac"])
    assert draft.is_complete
    offered = {leg.to for leg in draft.next_legs if leg.kind is LegKind.CANTER}
    assert VARIANTS[key].board.find_cell(LETTERS[key]["a"]) not in offered
    assert VARIANTS[key].board.find_cell(LETTERS[key]["e"]) in offered


@given(variants, st.integers(0, 50), st.integers(1, 3))
def test_no_destination_is_offered_through_a_cell_the_piece_has_visited(
    variant: Variant, seed: int, landings: int
) -> None:
    for game in islice(random_game(variant, seed, 30), 0, None, 7):
        moves = [] if game.outcome else [move for move in legal_moves(game.position) if len(move.path) >= landings]
        for move in moves:
            draft = Draft.from_path(game.position, move.path[:landings])
            jumps = {leg.to for leg in draft.next_legs if leg.kind is LegKind.JUMP}
            for way in chain.from_iterable(draft.find_ends().by_cell.values()):
                assert way.path[landings] not in {*draft.path} - jumps


@every_variant
def test_a_knight_is_not_led_out_of_reach_of_its_due_capture(key: str) -> None:
    """The Knight on c may canter on to e, from where the only way to the jump over p leads back over c."""
    position = scene(key, "Na,b,d", "p")
    draft = Draft.from_path(position, [VARIANTS[key].board.find_cell(LETTERS[key][name]) for name in "ac"])
    assert not draft.is_complete
    assert [format_move(leg.alone, draft.side.board) for leg in draft.next_legs] == [cells(key, "cxq")]


@pytest.mark.parametrize("path", ["zz", "00zz", "0000"])
def test_a_path_that_no_menu_led_to_is_refused(path: str) -> None:
    with pytest.raises(UnfitPathError):
        Draft.from_path(VARIANTS["camelot"].start_position, parse_path(path))


def test_lists_of_destinations_are_bounded_in_built_positions() -> None:
    crowd = ",".join(f"{file}{rank}" for file in "CEGI" for rank in (5, 7, 9, 11))
    foes = ",".join(f"{file}{rank}" for file in "DFHJ" for rank in (6, 8, 10))
    position = read_position(f"camelot White White:NC4,ND5,{crowd} Black:{foes} castle:0,0")
    for start in Draft.from_path(position).start_cells:
        ends = Draft.from_path(position, [start]).find_ends()
        assert sum(map(len, ends.by_cell.values())) <= MAX_LANDINGS_SEARCHED


def game_at(text: str) -> Game:
    return Game.from_position(parse_position(text))


def move_in(game: Game, text: str) -> Move:
    return parse_move(game.position, text)


@pytest.mark.parametrize(
    ("position", "move", "peril"),
    [
        ("camelot White White:F15,G16,A5 Black:L12,K12,NC4 castle:0,0", "F15-F16", MoveWarning.WINS),
        ("camelot White White:F6 Black:F7,L12 castle:0,0", "F6xF8", MoveWarning.ENDS),
        ("camelot White White:A5,A6,A7 Black:F2,L12 castle:0,0", "A5-B5", MoveWarning.CASTLE_OPEN),
        ("camelot White White:A5,A6,A7 Black:F1,L12 castle:0,0", "A5-B5", None),
        ("camelot White White:A5,A6,A7 Black:D5,L12 castle:0,0", "A5-B5", None),
    ],
)
def test_what_a_move_would_lead_to_is_told(position: str, move: str, peril: MoveWarning | None) -> None:
    game = game_at(position)
    found = preview_move(game, move_in(game, move))
    assert found.warning == peril
    assert (found.reply is not None) == (peril is MoveWarning.CASTLE_OPEN)
    if peril is MoveWarning.CASTLE_OPEN:
        assert preview_move(game, move_in(game, move), castles=False).warning is None


@given(variants, st.integers(0, 50))
def test_an_open_castle_is_reported_exactly_when_the_next_player_can_enter(variant: Variant, seed: int) -> None:
    for game in islice(random_game(variant, seed, 60), 0, None, 9):
        goal = game.variant.armies[game.position.turn].goal
        moves = () if game.outcome else legal_moves(game.position)
        can = [move for move in moves if move.end in goal and move.start not in goal]
        found = find_entry(game.position)
        assert game.outcome or (found is None) == (not can)
        assert found is None or found.outcome in {move.outcome for move in can}


def test_a_steward_is_offered_its_only_move() -> None:
    offered = 0
    for seed in range(40):
        rng, game = random.Random(seed), Game.start(VARIANTS["tri-camelot"])
        for ply in range(60):
            if game.outcome:
                break
            if ply == 12:
                game = game.resign(game.position.turn, steward=True)
                continue
            if game.position.steward_to_move:
                (only,) = legal_moves(game.position)
                draft = Draft.from_path(game.position)
                assert draft.start_cells == [only.start]
                assert [*draft.choose_cell(only.start).find_ends().by_cell] == [only.end]
                with pytest.raises(UnfitPathError):
                    draft.choose_cell(next(cell for cell in draft.side.iter_starts() if cell != only.start))
                offered += 1
            game = game.apply(rng.choice(legal_moves(game.position)))
    assert offered
