"""Animations, decoded again frame by frame."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from itertools import pairwise

import pytest
from PIL import Image, ImageChops, ImageStat

from render import THEMES, Theme, View
from render.crosstable import fit_name
from render.replay import BEGIN, END, LEG, PLY, Replay, ReplayPly, render_gif, replay_scale
from render.scene import paint_view
from rules import VARIANTS, Move, Variant, parse_move
from rules.board import TWENTY_SIX_WAYS
from tests.render.scenes import GAMES, charged, each_look, each_variant, wandering

PLIES = 60


def frames(gif: bytes) -> list[tuple[Image.Image, int]]:
    """The frames of a GIF in full, and for how many milliseconds each is shown."""
    film = Image.open(BytesIO(gif))
    assert film.format == "GIF"
    shown = []
    for index in range(film.n_frames):  # type: ignore[attr-defined]  # GIF files have it
        film.seek(index)
        shown.append((film.convert("RGB"), film.info["duration"]))
    return shown


def short(variant: Variant, bottom: int = 0) -> Replay:
    """That variant's short game."""
    position, plies = variant.start_position, []
    for text in GAMES[variant.key].split():
        move = parse_move(position, text)
        position = position.after_move(move)
        plies.append(ReplayPly(move, position))
    return Replay(variant.start_position, plies, bottom)


def difference(one: Image.Image, other: Image.Image) -> float:
    return max(ImageStat.Stat(ImageChops.difference(one, other)).mean)


@each_variant
def test_there_is_a_frame_for_the_beginning_and_one_for_every_leg(variant: Variant) -> None:
    replay = short(variant)
    durations = [duration for _, duration in frames(render_gif(replay))]
    expected = [BEGIN]
    for move, _ in replay.plies:
        expected += [LEG] * (len(move.path) - 2) + [PLY]
    assert durations == [*expected[:-1], END]


@each_look
def test_the_last_frame_is_the_final_board(variant: Variant, bottom: int, theme: Theme) -> None:
    replay = replace(short(variant, bottom), theme=theme)
    last, _ = frames(render_gif(replay))[-1]
    view = replace(charged(variant, bottom), theme=theme, to_move=False)
    board = paint_view(view, scale=replay_scale(variant)).convert("RGB")
    assert board.width == last.width
    assert not ImageChops.difference(board, last.crop((0, 0, *board.size))).getbbox()


@each_variant
def test_a_charge_is_seen_leg_by_leg(variant: Variant) -> None:
    """Every frame equals the picture drawn by itself: nothing of earlier frames remains."""
    replay = short(variant)
    shown = [picture for picture, _ in frames(render_gif(replay))]
    move, _ = replay.plies[-1]
    before = replay.plies[-2].after
    legs = len(move.path) - 1
    for done in range(1, legs):
        picture = shown[-1 - legs + done]
        expected = View(before, 0, grown=Move(move.path[: done + 1], captures(variant, move, done)), to_move=False)
        board = paint_view(expected, scale=replay_scale(variant)).convert("RGB")
        assert not ImageChops.difference(board, picture.crop((0, 0, *board.size))).getbbox()


def captures(variant: Variant, move: Move, legs: int) -> tuple[int, ...]:
    """What a move has captured after its first legs, of which none is a canter over a cell where it captures later."""
    overs = [variant.board.between.get(pair) for pair in zip(move.path[:legs], move.path[1 : legs + 1], strict=True)]
    return tuple(over for over in overs if over in move.captures)


@each_variant
def test_sixty_moves_are_a_small_file(variant: Variant) -> None:
    limit = 350 if variant.board.directions != TWENTY_SIX_WAYS else 450  # levels in two rows
    assert len(render_gif(wandering(variant, PLIES))) <= limit * 1024


@each_variant
def test_all_frames_share_one_palette_and_the_film_is_repeated(variant: Variant) -> None:
    gif = render_gif(short(variant))
    film = Image.open(BytesIO(gif))
    assert film.info["loop"] == 0
    assert 350 <= film.width <= 560
    assert gif.count(b"NETSCAPE2.0") == 1
    # A palette of its own would be announced in the descriptor of a frame, which follows the pause before it.
    for part in gif.split(b"\x21\xf9\x04")[1:]:
        assert part[4:6] == b"\x00,"
        assert not part[14] & 0x80


@each_variant
def test_the_board_keeps_its_place_at_every_turn(variant: Variant) -> None:
    shown = frames(render_gif(short(variant)))
    assert len({picture.size for picture, _ in shown}) == 1
    assert max(difference(one, other) for (one, _), (other, _) in pairwise(shown)) < 12


def line_of(picture: Image.Image) -> Image.Image:
    """The caption below the board."""
    return picture.crop((0, picture.height - 32, picture.width, picture.height))


def test_every_leg_is_written_below() -> None:
    shown = [picture for picture, _ in frames(render_gif(short(VARIANTS["camelot"])))]
    lines = [line_of(picture).tobytes() for picture in shown]
    assert len(set(lines)) == len(lines)


def test_numbers_go_on_where_the_moves_shown_begin() -> None:
    replay = short(VARIANTS["chivalry"])
    first, later = (frames(render_gif(replace(replay, first=number)))[1][0] for number in (1, 41))
    assert difference(line_of(first), line_of(later)) > 0.5
    assert not ImageChops.difference(*(p.crop((0, 0, p.width, p.height - 34)) for p in (first, later))).getbbox()


def test_a_move_before_a_player_left_is_credited_to_the_piece_owner() -> None:
    replay = short(VARIANTS["tri-camelot"])
    (first, after), *_ = replay.plies
    gone = replace(replay.origin, turn=2)
    asked, told = (frames(render_gif(Replay(origin, [ReplayPly(first, after)], 0))) for origin in (gone, replay.origin))
    assert not ImageChops.difference(asked[-1][0], told[-1][0]).getbbox()


def test_a_position_without_moves_is_a_still_picture() -> None:
    ((picture, duration),) = frames(render_gif(Replay(VARIANTS["cam-3d"].start_position, (), 0)))
    assert duration == END
    assert line_of(picture).getcolors() == [(picture.width * 32, THEMES["default"].table)]


def test_of_a_move_that_is_too_long_the_last_landings_are_written() -> None:
    variant = VARIANTS["camelot"]
    position = variant.start_position
    long = Move((*list(position.pieces)[:1], *range(60, 100)), ())
    shown = frames(render_gif(Replay(position, (ReplayPly(long, position),), 0)))
    for picture, _ in shown:
        line = line_of(picture)
        margin = line.crop((line.width - 11, 0, line.width, line.height))
        assert margin.getcolors() == [(margin.width * margin.height, THEMES["default"].table)]


@pytest.mark.parametrize(
    ("words", "drawn"),
    [
        ("Łukasz Đorđe Ħal Ŋiŧŧa ıı", "Lukasz Dorde Hal Nitta ıı"),
        ("e\u0301te\u0301 A\u030a", "été Å"),
        ("ﬁne 5\u338f", "fine 5kg"),
    ],
)
def test_names_are_drawn_in_the_letters_that_are_there(words: str, drawn: str) -> None:
    assert fit_name(words, 40, 800) == drawn
