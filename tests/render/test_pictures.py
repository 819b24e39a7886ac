"""Whole pictures, kept boards, moves in the making, and replays, against golden ones and each other."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from io import BytesIO
from itertools import combinations, pairwise
from math import dist
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageDraw, ImageStat

from render import DEFAULT_THEME, THEMES, Mark, MarkKind, Theme, View, board_drawing, render_png, run_steps, warm_caches
from render.crosstable import fit_name
from render.framing import EmptyBoard, plan_of
from render.layout import layout_of
from render.pieces import MAN_SIZE, piece_masks, piece_picture
from render.replay import BEGIN, END, LEG, PLY, Replay, ReplayPly, render_gif, replay_scale
from render.scene import _SceneCanvas, paint_view, sheet_of
from render.shapes import HORSE, PAWN, place_path
from render.signs import glow_stamp
from render.theme import glaze_colour
from rules import VARIANTS, Move, PieceKind, Position, Seat, Variant, legal_moves, parse_move
from rules.board import EIGHT_WAYS, TWENTY_SIX_WAYS, Cell
from tests.render.scenes import (
    GAMES,
    ROOMS,
    SEATS,
    chained,
    charged,
    choosing,
    compare_golden,
    each_look,
    each_seat,
    each_variant,
    growing,
    left,
    marked,
    opened,
    shrunk,
    wandering,
)

GOLDEN = Path(__file__).with_name("golden")
SPOT, SPOT_TOLERANCE = 4, 24
"""How far a spot of so many pixels to each side may differ on average where clients show it, of 255."""


def golden_views() -> Iterator[tuple[str, View]]:
    """The views that golden pictures show, by file name: every board from every side, in all themes, and with signs."""
    for variant, seat in SEATS:
        yield f"{variant.key}-{variant.armies[seat].colour.lower()}", charged(variant, seat)
    for variant in VARIANTS.values():
        yield f"{variant.key}-marks", marked(variant)
        yield f"{variant.key}-numbers", choosing(variant)
        yield f"{variant.key}-chain", chained(variant)
        yield f"{variant.key}-growing", growing(variant, 2)
        yield f"{variant.key}-part", replace(growing(variant, 3), zoom=growing(variant, 3).grown.end)
        for key, theme in THEMES.items():
            if len(variant.armies) > 2:
                yield f"{variant.key}-passive-{key}", replace(left(variant), theme=theme)
            if theme is not DEFAULT_THEME:
                yield f"{variant.key}-{key}", replace(charged(variant, variant.seats[-1]), theme=theme)


def golden_cases() -> Iterator[ParameterSet]:
    """The pictures of the first variant with each build of board in each run, those of the others in a hunt."""
    builds = {variant.board.directions: variant for variant in reversed(VARIANTS.values())}
    for name, view in golden_views():
        ordinary = view.position.variant in builds.values()
        yield pytest.param(name, view, id=name, marks=() if ordinary else pytest.mark.long)


def changed(one: View, other: View) -> tuple[int, int, int, int] | None:
    """The box around the pixels in which two pictures differ."""
    return ImageChops.difference(opened(render_png(one)), opened(render_png(other))).getbbox()


def box(view: View, cell: Cell) -> tuple[float, float, float, float]:
    """The box around a cell."""
    plan = layout_of(view.position.variant, view.bottom)
    at, reach = plan.areas[cell].centre, plan.pitch * 0.6
    return at.x - reach, at.y - reach, at.x + reach, at.y + reach


def test_every_variant_has_a_game_to_draw() -> None:
    assert GAMES.keys() == VARIANTS.keys(), "give the new variant a game in tests/render/scenes.py"


@pytest.mark.parametrize(("name", "view"), [*golden_cases()])
def test_the_picture_is_as_golden(name: str, view: View, regold: bool) -> None:
    golden, drawn = compare_golden(GOLDEN / f"{name}.png", render_png(view), regold)
    for room in ROOMS.values():
        # Spot by spot, so that a letter or a piece that is lost where it is shown small is not lost in the mean.
        apart = ImageChops.difference(*(shrunk(picture, room) for picture in (golden, drawn)))
        assert max(high for _, high in apart.reduce(SPOT).getextrema()) < SPOT_TOLERANCE


def test_no_golden_picture_is_left_over() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == {name for name, _ in golden_views()}


@each_look
def test_a_picture_is_small(variant: Variant, bottom: Seat, theme: Theme) -> None:
    limit = 55 if variant.board.directions == EIGHT_WAYS else 75
    assert len(render_png(replace(charged(variant, bottom), theme=theme))) <= limit * 1024
    assert len(render_png(replace(left(variant), theme=theme))) <= 75 * 1024


@each_seat
def test_the_pieces_of_who_has_left_look_different_and_no_others_do(variant: Variant, bottom: Seat) -> None:
    view = charged(variant, bottom)
    for seat in variant.seats:
        shown = changed(view, replace(view, position=replace(view.position, out=frozenset({seat}))))
        assert shown
        areas = layout_of(variant, bottom).areas
        theirs = [areas[cell].stand for cell, piece in view.position.pieces.items() if piece.seat == seat]
        reach = layout_of(variant, bottom).piece
        assert min(x for x, _ in theirs) - reach < shown[0]
        assert max(x for x, _ in theirs) + reach > shown[2]
        assert min(y for _, y in theirs) - reach < shown[1]
        assert max(y for _, y in theirs) + reach > shown[3]


@each_variant
def test_signs_keep_a_picture_small(variant: Variant) -> None:
    assert len(render_png(chained(variant))) <= 90 * 1024
    for view in (choosing(variant), growing(variant, 3)):
        for zoom in (None, len(variant.board.names) // 2):
            assert len(render_png(replace(view, zoom=zoom))) <= 90 * 1024


def test_the_cell_of_a_leavers_last_move_glows_through_the_piece() -> None:
    view = left(VARIANTS["cam-3d"])
    assert view.last_move
    plan = layout_of(view.position.variant, view.bottom)
    assert view.position.cells[view.last_move.end]
    x, y = plan.areas[view.last_move.end].stand
    reach = plan.piece * 0.3
    floor = view.theme.floors[plan.tones[view.last_move.end]]
    piece = paint_view(view).convert("RGB").crop((x - reach, y - reach, x + reach, y + reach))
    colours = {colour for _, colour in piece.getcolors() or ()}
    assert glaze_colour(floor, view.theme.glaze) in colours
    assert floor not in colours


@each_variant
def test_a_picture_is_a_png_with_one_palette(variant: Variant) -> None:
    pictures = [Image.open(BytesIO(render_png(charged(variant, bottom)))) for bottom in variant.seats]
    assert {picture.format for picture in pictures} == {"PNG"}
    assert {picture.mode for picture in pictures} == {"P"}
    assert len({tuple(picture.getpalette() or ()) for picture in pictures}) == 1


def test_drawing_in_many_threads_at_once_gives_the_same_pictures() -> None:
    views = [charged(variant, seat) for variant, seat in SEATS] + [*map(marked, VARIANTS.values())]
    alone = [render_png(view) for view in views]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(render_png, views * 4))
    assert together == alone * 4


@each_seat
def test_a_warm_board_is_the_same_board(variant: Variant, bottom: Seat) -> None:
    run_steps(warm_caches(variant, bottom))
    assert opened(render_png(View(variant.start_position, bottom))).width == layout_of(variant, bottom).width


@each_seat
def test_the_side_to_move_is_shown_beside_its_castle_and_only_there(variant: Variant, bottom: Seat) -> None:
    for seat in variant.seats:
        view = View(replace(variant.start_position, turn=seat), bottom)
        at, radius = layout_of(variant, bottom).medallions[seat]
        left, top, right, lower = changed(view, replace(view, to_move=False)) or (0, 0, 0, 0)
        assert left <= at.x <= right
        assert top <= at.y <= lower
        assert max(right - left, lower - top) < 3 * radius


@each_seat
def test_every_castle_bears_the_flag_of_who_attacks_it(variant: Variant, bottom: Seat) -> None:
    board, plan = paint_view(View(variant.start_position, bottom)).convert("RGB"), layout_of(variant, bottom)
    for army in variant.armies:
        for cell in army.goal:
            x, y = plan.areas[cell].stand
            reach = plan.pitch * 0.2
            flag = board.crop((round(x - reach), round(y - reach), round(x + reach), round(y + reach)))
            assert DEFAULT_THEME.liveries[army.colour].body in {colour for _, colour in flag.getcolors() or ()}


@each_seat
def test_a_private_picture_is_that_of_the_public_board(variant: Variant, bottom: Seat) -> None:
    public = View(replace(variant.start_position, turn=bottom), bottom)  # the bug: a grille hid the flag on K16
    assert render_png(public) == render_png(replace(public, reader=bottom))


@each_seat
def test_a_move_is_shown_from_its_start_to_its_end(variant: Variant, bottom: Seat) -> None:
    view = charged(variant, bottom)
    assert view.last_move
    shown = changed(view, replace(view, last_move=None))
    assert shown
    areas = layout_of(variant, bottom).areas
    for cell in (*view.last_move.path, *view.last_move.captures):
        x, y = areas[cell].stand
        assert shown[0] <= x <= shown[2]
        assert shown[1] <= y <= shown[3]


@each_variant
def test_captured_pieces_are_ghosts_only_where_they_are_known(variant: Variant) -> None:
    view = charged(variant, 0)
    assert view.last_move
    assert changed(view, replace(view, before=None))
    assert changed(replace(view, before=None), replace(view, before=None, last_move=None))


@each_variant
@pytest.mark.parametrize("kind", MarkKind)
def test_a_mark_changes_its_cell_and_nothing_else(variant: Variant, kind: MarkKind) -> None:
    view = View(variant.start_position, 0)
    for cell in (0, len(variant.board.names) // 2):
        left, top, right, lower = changed(view, replace(view, marks=(Mark(cell, kind),))) or (0, 0, 0, 0)
        room = box(view, cell)
        assert room[0] < left < right < room[2]
        assert room[1] < top < lower < room[3]


@each_variant
def test_marks_differ_by_shape_and_not_only_by_colour(variant: Variant) -> None:
    def stencil(kind: MarkKind) -> Image.Image:
        plain, with_mark = (
            opened(render_png(View(variant.start_position, 0, marks=marks))) for marks in ((), (Mark(cell, kind),))
        )
        difference = ImageChops.difference(plain, with_mark).convert("L").point(lambda value: 255 if value > 60 else 0)
        return difference.crop(box(View(variant.start_position, 0), cell))

    cell = len(variant.board.names) // 2
    stencils = [stencil(kind) for kind in MarkKind]
    apart = ImageStat.Stat(ImageChops.difference(*stencils)).sum[0]
    assert apart > 0.2 * min(ImageStat.Stat(shape).sum[0] for shape in stencils)


@each_variant
def test_a_move_can_be_drawn_ending_at_its_start_or_captured_cells(variant: Variant) -> None:
    """Captured pieces leave at once, so their cells can be landed on (rulings, "Jump")."""
    view = charged(variant, 0)
    assert view.last_move
    path = view.last_move.path
    assert render_png(replace(view, last_move=view.last_move._replace(path=(path[-1], *path[1:]))))
    assert render_png(replace(view, last_move=view.last_move._replace(captures=(path[-1],))))


def places_of_numbers(start: Position, moves: Sequence[Move]) -> list[tuple[int, tuple[float, float]]]:
    """Returns the size and the middle of the number of each move from that position."""
    places = list[tuple[int, tuple[float, float]]]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_SceneCanvas, "_put_badge", lambda _self, _, at, size: places.append((size, at)))
        paint_view(View(start, start.variant.seats[0], chain=tuple((start, move) for move in moves)))
    assert len(places) == len(moves)
    return places


def overlaps(places: Sequence[tuple[int, tuple[float, float]]]) -> bool:
    return any(dist(at, other) < size for (size, at), (_, other) in combinations(places, 2))


def test_numbers_of_four_moves_in_a_corner_do_not_overlap() -> None:
    start = VARIANTS["camette"].start_position
    moves = [parse_move(start, text) for text in ("C2-C4", "B3-B2", "B3-A3", "C2-B2")]
    assert not overlaps(places_of_numbers(start, moves))


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=list(VARIANTS))
def test_numbers_that_must_overlap_overlap_little(variant: Variant) -> None:
    places = places_of_numbers(variant.start_position, [next(iter(legal_moves(variant.start_position)))] * 9)
    assert all(dist(at, other) > size / 4 for (size, at), (_, other) in combinations(places, 2))


@each_variant
@given(data=st.data())
def test_numbers_of_three_moves_from_one_position_never_overlap(variant: Variant, data: st.DataObject) -> None:
    """Each has about ten places. All ordered threes of Tri-Camelot, Cam and Camette were tried once: none overlap."""
    moves = st.sampled_from(list(legal_moves(variant.start_position)))
    chosen = data.draw(st.lists(moves, min_size=2, max_size=3, unique=True))
    assert not overlaps(places_of_numbers(variant.start_position, chosen))


def test_a_path_leaves_the_names_of_cells_that_it_crosses_legible() -> None:
    variant = VARIANTS["tri-camelot"]
    start, end = map(variant.board.find_cell, ("E8", "E12"))
    view = View(variant.start_position, last_move=Move((start, end), ()))
    at = {label.cell: label.at for label in layout_of(variant, 0).labels}[start]
    name = paint_view(view).convert("RGB").crop((at.x - 2, at.y - 4, at.x + 3, at.y + 4))
    assert view.theme.name in {colour for _, colour in name.getcolors() or ()}


# Kept boards


def test_looking_at_every_part_of_a_board_leaves_all_whole_boards_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[EmptyBoard] = []

    def draw(sheet: EmptyBoard) -> Generator[None, None, Image.Image]:
        drawn.append(sheet)
        yield
        return Image.new("P", (8, 8))

    monkeypatch.setattr(board_drawing, "_draw_board", draw)
    themes = [replace(theme) for theme in THEMES.values()]  # of their own, so that no other test finds these boards
    whole = [EmptyBoard(variant, seat, theme) for variant, seat in SEATS for theme in themes]
    camelot = VARIANTS["camelot"]
    cells = range(len(camelot.board.names))
    parts = [sheet_of(View(camelot.start_position, theme=themes[0], zoom=cell)) for cell in cells]
    for sheet in (*whole, *parts):
        run_steps(board_drawing.empty_board(sheet))
    assert {*drawn} == {*whole, *parts}
    drawn.clear()
    for sheet in whole:
        run_steps(board_drawing.empty_board(sheet))
    assert not drawn


def test_board_layers_stay_drawn_for_every_side_and_theme() -> None:
    sheets = [EmptyBoard(variant, seat, theme) for variant, seat in SEATS for theme in THEMES.values()]

    def look_at_all() -> list[int]:
        for sheet in sheets:
            plan = plan_of(sheet)
            glow_stamp(sheet.theme, plan)
            for army in sheet.variant.armies:
                for kind in PieceKind:
                    piece_masks(sheet.theme, army.colour, kind, plan.piece)
        return [cached.cache_info().misses for cached in (plan_of, glow_stamp, piece_picture, piece_masks)]

    assert look_at_all() == look_at_all()


# Replays


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


# Moves in the making


DENSEST = min(VARIANTS.values(), key=lambda variant: layout_of(variant, 0).piece)
"""Where numbers are smallest."""


def news(one: View, other: View) -> Image.Image:
    """A mask of the pixels in which two pictures differ (255), else 0."""
    pictures = [Image.open(BytesIO(render_png(view))).convert("RGB") for view in (one, other)]
    return ImageChops.difference(*pictures).convert("L").point(lambda value: 255 if value else 0)


@pytest.fixture
def _whole_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shows the whole board, though its cells are small."""
    monkeypatch.setattr("render.scene._part_shown", lambda _: ())


@each_variant
@pytest.mark.usefixtures("_whole_boards")
def test_a_number_leaves_most_of_an_emblem_and_all_of_others(variant: Variant) -> None:
    plain, plan = View(variant.start_position, 0), layout_of(variant, 0)
    pieces = variant.start_position.pieces
    for cell in list(pieces)[::3]:
        badge = news(plain, replace(plain, numbers=((cell, 25),)))
        assert badge.getbbox()
        for other, piece in pieces.items():
            emblem = Image.new("L", badge.size)
            path = HORSE if piece.kind is PieceKind.KNIGHT else PAWN
            size = plan.piece * 0.72 * (1 if piece.kind is PieceKind.KNIGHT else MAN_SIZE)
            ImageDraw.Draw(emblem).polygon(place_path(path, plan.areas[other].stand, size), fill=255)
            hidden = ImageStat.Stat(ImageChops.darker(emblem, badge)).sum[0]
            assert hidden <= (0.25 if other == cell else 0) * ImageStat.Stat(emblem).sum[0], (cell, other)


@each_variant
def test_numbers_can_be_told_from_each_other(variant: Variant) -> None:
    cell = next(iter(variant.start_position.pieces))
    numbers = range(1, 100) if variant is DENSEST else (1, 2, 3, 6, 7, 8, 9, 12, 21, 68, 86, 89, 98, 99)
    pictures = {paint_view(View(variant.start_position, 0, numbers=((cell, number),))).tobytes() for number in numbers}
    assert len(pictures) == len(numbers)


@each_variant
@pytest.mark.usefixtures("_whole_boards")
def test_a_piece_that_is_chosen_glows_where_it_stands(variant: Variant) -> None:
    view = growing(variant, 0)
    assert view.grown
    start = view.grown.start
    shown = news(replace(view, grown=None, reachable=()), replace(view, reachable=())).getbbox()
    plan = layout_of(variant, view.bottom)
    assert shown
    centre = plan.areas[start].centre
    assert shown[0] < centre.x < shown[2] < centre.x + plan.pitch * 0.7
    assert shown[1] < centre.y < shown[3] < centre.y + plan.pitch * 0.7


@each_variant
def test_a_composed_move_looks_the_same_once_it_has_been_played(variant: Variant) -> None:
    after = replace(charged(variant, 0), to_move=False)
    assert after.last_move
    assert after.before
    composed = View(after.before, 0, grown=after.last_move, to_move=False)
    assert render_png(composed) == render_png(after)


@each_variant
def test_a_move_that_is_composed_hides_the_last_one(variant: Variant) -> None:
    view = growing(variant, 1)
    assert render_png(replace(view, last_move=charged(variant, 0).last_move)) == render_png(view)


@each_variant
def test_pictures_of_every_kind_are_in_the_palette_of_their_theme(variant: Variant) -> None:
    for view in (choosing(variant), growing(variant, 2), replace(growing(variant, 2), zoom=0)):
        picture = paint_view(view)
        assert picture.mode == "P"
        assert picture.getextrema()[1] < len(view.theme.palette.colours)
