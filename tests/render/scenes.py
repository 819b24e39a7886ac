"""A short game of every variant that ends in a Knight's charge, for pictures with everything in them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from io import BytesIO
from pathlib import Path
from random import Random

import pytest
from _pytest.mark import ParameterSet
from PIL import Image, ImageChops, ImageStat

from render import DEFAULT_THEME, THEMES, Mark, MarkKind, Theme, View, reading_places
from render.replay import Replay, ReplayPly
from rules import VARIANTS, Game, Move, Position, Seat, Variant, legal_moves, parse_move
from rules.turn import Side, Turn

GAMES = {
    "tri-camelot": "F5-F9 B13-D11 J13-J9 E4-E2 D13-B15 I12-H11 G4-I6 C12-E10 I16-I12-G10xE8xE12xC10xA12",
    "cam-3d": "2B2-3C2 2C6-2A6 1D2-3D2 2C7-1C6 1B2-3D4 3C7-3C5x3E3x3C1x3C3x1E3x3C1",
    "camelot": "C6-B5 H10-I9 J6-H8xJ10xH10xH12xJ10xJ12",
    "chivalry": "C6-C5 D10-C9 D6-B8xD10xB10xD12xD10xF12",
    "cam": "C4-E6 C10-D10 F5-D7 D10-D8xD6xD4xF4xD6xB4xB6",
    "camette": "C2-D2 C5-A5 D3-E4 A5-C5 D2-B4-B2-D4xB6xD6xD4",
}
"""By key of the variant. A new one needs a game here."""

SEATS = [(variant, seat) for variant in VARIANTS.values() for seat in variant.seats]
"""Every board as seen from every side."""

LOOKS = [(variant, seat, DEFAULT_THEME) for variant, seat in SEATS] + [
    (variant, variant.seats[-1], theme)
    for variant in VARIANTS.values()
    for theme in THEMES.values()
    if theme is not DEFAULT_THEME
]
"""Every board from every side, and in every theme."""


ONE_OF_EACH_KIND = ("camelot", "tri-camelot", "cam-3d")
"""Variants whose boards differ in kind: squares, hexagons, levels. The others are drawn with them in a hunt."""


def seat_name(value: object) -> str:
    """How tests call a variant, a seat or a theme."""
    if isinstance(value, Theme):
        return next(key for key, theme in THEMES.items() if theme is value)
    return value.key if isinstance(value, Variant) else str(value)


def _drawn(variant: Variant, *more: object) -> ParameterSet:
    return pytest.param(variant, *more, marks=() if variant.key in ONE_OF_EACH_KIND else pytest.mark.long)


each_variant = pytest.mark.parametrize("variant", [_drawn(one) for one in VARIANTS.values()], ids=seat_name)
each_seat = pytest.mark.parametrize(("variant", "bottom"), [_drawn(*seat) for seat in SEATS], ids=seat_name)
each_look = pytest.mark.parametrize(("variant", "bottom", "theme"), [_drawn(*look) for look in LOOKS], ids=seat_name)


def charged(variant: Variant, bottom: Seat) -> View:
    """The end of that variant's game: a charge has just been made."""
    before = position = variant.start_position
    move = None
    for text in GAMES[variant.key].split():
        before, move = position, parse_move(position, text)
        position = before.after_move(move)
    return View(position, bottom, last_move=move, before=before)


def left(variant: Variant) -> View:
    """The end of that variant's game, after the player of the second seat has left."""
    view = charged(variant, 0)
    return replace(view, position=replace(view.position, out=frozenset({1})))


def chained(variant: Variant) -> View:
    """The end of that variant's game, all of whose moves have been made at once."""
    position, chain = variant.start_position, list[tuple[Position, Move]]()
    for text in GAMES[variant.key].split():
        move = parse_move(position, text)
        chain.append((position, move))
        position = position.after_move(move)
    return View(position, position.turn, chain=tuple(chain))


def choosing(variant: Variant) -> View:
    """Before the last move of that variant's game: the pieces that may move, numbered."""
    position = played(variant)
    side = Side(position)
    starts = [cell for cell in side.iter_starts() if Turn.begin(side, cell).next_legs]
    as_read = sorted(starts, key=reading_places(variant, position.turn).__getitem__)
    numbers = tuple((cell, number) for number, cell in enumerate(as_read, start=1))
    return View(position, position.turn, numbers=numbers, reader=position.turn)


def growing(variant: Variant, legs: int) -> View:
    """The last move of that variant's game, after that many of its legs, and the cells to which it may go next."""
    view = charged(variant, 0)
    before, move = view.before, view.last_move
    assert before
    assert move
    turn = Turn.begin(Side(before), move.start)
    for landing in move.path[1 : legs + 1]:
        turn = turn.take(next(leg for leg in turn.next_legs if leg.to == landing))
    as_read = sorted({leg.to for leg in turn.next_legs}, key=reading_places(variant, before.turn).__getitem__)
    return View(before, before.turn, grown=turn.move, reachable=tuple(as_read), reader=before.turn)


def played(variant: Variant) -> Position:
    """The position before the last move of that variant's game."""
    before = charged(variant, 0).before
    assert before
    return before


@cache
def wandering(variant: Variant, plies: int) -> Replay:
    """Returns a game of so many random moves, seen by the first seat; fewer if no game of 1,000 lasts so long."""
    longest: list[ReplayPly] = []
    for seed in range(1000):
        random, game, moves = Random(seed), Game.start(variant), list[ReplayPly]()
        while len(moves) < plies and not game.outcome:
            move = random.choice(legal_moves(game.position))
            game = game.apply(move)
            moves.append(ReplayPly(move, game.position))
        longest = max(longest, moves, key=len)
        if len(longest) == plies:
            break
    return Replay(variant.start_position, tuple(longest), 0)


def marked(variant: Variant) -> View:
    """The start with every kind of mark, on a piece and on an empty cell each."""
    position = variant.start_position
    empty = [cell for cell, piece in enumerate(position.cells) if not piece]
    cells = (*list(position.pieces)[:2], *empty[-2:])
    return View(position, 0, marks=tuple(map(Mark, cells, (*MarkKind, *MarkKind))))


ROOMS = {"desktop": (550, 350), "phone": (400, 1000)}
"""The width and height within which clients show a picture, in pixels."""


def share_shown(size: tuple[int, int], room: tuple[int, int]) -> float:
    """By how much a client shrinks a picture of that size: 1 for one that fits."""
    return min(1, *(most / now for most, now in zip(room, size, strict=True)))


def shrunk(picture: Image.Image, room: tuple[int, int]) -> Image.Image:
    """An RGB picture as a client shows it."""
    share = share_shown(picture.size, room)
    return picture.resize(tuple(round(side * share) for side in picture.size), Image.Resampling.LANCZOS)


TOLERANCE = 0.5
"""Mean difference of a colour channel, of 255: another FreeType may smooth digits differently."""


def opened(png: bytes) -> Image.Image:
    return Image.open(BytesIO(png)).convert("RGB")


def compare_golden(path: Path, png: bytes, regold: bool) -> tuple[Image.Image, Image.Image]:
    """Asserts that a picture is as the golden one at that path; returns both."""
    if regold:
        path.write_bytes(png)
    assert path.exists(), "run: pytest tests/render --regold, and look at what it draws"
    golden, drawn = opened(path.read_bytes()), opened(png)
    assert drawn.size == golden.size
    assert max(ImageStat.Stat(ImageChops.difference(golden, drawn)).mean) < TOLERANCE
    return golden, drawn
