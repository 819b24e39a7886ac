"""Boards in words: as text, and as the alt text of pictures."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest

from bot.texts.i18n import LANGUAGES, Language, text
from bot.texts.sentences import alt_text, text_board
from rules import VARIANTS, Game, Move, PieceKind, Position, Variant, format_move, legal_moves
from tests.bot.reading import read_text_board
from tests.examples import AtMost

LONGEST_GAME = 300

every_variant = pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
in_every_language = pytest.mark.parametrize("locale", LANGUAGES)


def turns(variant: Variant, seed: int) -> Iterator[tuple[int, Position | None, Move | None, Game]]:
    """A random game: the ply, the position before, the move, and the game after it; the start first."""
    rng, game = random.Random(seed), Game.start(variant)
    yield 0, None, None, game
    while not game.outcome and len(game.moves) < LONGEST_GAME:
        before, move = game.position, rng.choice(legal_moves(game.position))
        game = game.apply(move)
        yield len(game.moves), before, move, game


@every_variant
@in_every_language
def test_a_board_as_text_says_everything_that_the_position_is(locale: Language, variant: Variant) -> None:
    letters = "".join(text(locale, f"colour.{army.colour}")[0] for army in variant.armies)
    assert len(set(letters)) == len(letters)
    for _, before, move, game in turns(variant, seed=1):
        position = game.position
        said = text_board(locale, position, over=bool(game.outcome), before=before, move=move)
        assert read_text_board(said, variant, letters, position.turn) == position
        assert len(said) <= 1800
        if move:
            assert format_move(move, variant.board) in said.splitlines()[0]
            assert all(name in said.splitlines()[0] for name in position.names(move.captures))


@every_variant
def test_no_line_of_a_text_board_is_wider_than_narrow_windows(variant: Variant) -> None:
    diagram = text_board("en", variant.start_position, over=False).split("```")[1]
    assert max(map(len, diagram.splitlines())) <= 40


def check_alt_texts(variant: Variant, seed: int) -> None:
    """Each text fits into one message and lists every piece."""
    for ply, before, move, game in turns(variant, seed):
        position, over = game.position, bool(game.outcome)
        for locale in LANGUAGES:
            said = alt_text(locale, 10**9, ply, position, over=over, before=before, move=move)
            assert len(said) <= 1024, said
        standing = position.pieces.items()
        said = alt_text("en", 1, ply, position, over=over, before=before, move=move)
        for seat in variant.seats:
            colour = variant.armies[seat].colour
            (listed,) = re.findall(rf"{colour}: ([^.]*)\.", said)
            pieces = [variant.board.names[cell] for cell, piece in standing if piece.seat == seat]
            assert sorted(re.findall(r"\d?[A-N]\d+", listed)) == sorted(pieces)
            assert f"{colour} {len(pieces)}" in said


@every_variant
def test_alt_texts_are_never_cut(variant: Variant) -> None:
    for seed in range(2):
        check_alt_texts(variant, seed)


@pytest.mark.long
@pytest.mark.timeout(1800)
@every_variant
def test_alt_texts_are_never_cut_in_a_thousand_games(variant: Variant, at_most: AtMost) -> None:
    for seed in range(at_most(250, 5)):
        check_alt_texts(variant, seed)


@every_variant
def test_a_whole_army_on_the_longest_names_still_fits(variant: Variant) -> None:
    names = sorted(range(len(variant.board.names)), key=lambda cell: -len(variant.board.names[cell]))
    cells = bytearray(len(variant.board.names))
    kinds = [byte for byte in variant.setup if byte]
    for cell, byte in zip(names, kinds, strict=False):
        cells[cell] = byte
    position = Position(variant, bytes(cells), 0, (0,) * len(variant.armies))
    assert sum(piece.kind is PieceKind.KNIGHT for piece in position.pieces.values()) > 1
    assert len(alt_text("no", 10**12, 10**4, position, over=False)) <= 700  # which leaves room for a move of 60 cells
