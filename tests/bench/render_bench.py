"""Pictures: their size, their speed beside the same board as SVG drawn by CairoSVG, and the event loop's delay."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from math import inf
from statistics import median, quantiles
from time import perf_counter
from zlib import compress

import cairosvg  # type: ignore[import-untyped]  # it has no annotations

from render import View, render_png, run_steps, warm_caches
from render.geometry import CellArea, Point
from render.layout import layout_of
from render.pieces import MAN_SIZE
from render.replay import render_gif
from render.shapes import BASES, HORSE, HORSE_EYE, HORSE_MANE, PAWN, ROUNDEL, TOWER
from render.theme import FADED_ALPHA, Rgb
from rules import VARIANTS, Piece, PieceKind
from rules.board import EIGHT_WAYS
from tests.bench import Figure
from tests.render.scenes import charged, choosing, growing, wandering

ROUNDS = 15
WINDOWS = 6
PLIES = 60
INTERVAL = 0.005
"""Seconds between two measurements of the event loop's delay."""


def figures() -> Iterator[Figure]:
    """Speed and size of the end of a charge in every variant (many captures), then the lag of the event loop."""
    for variant in VARIANTS.values():
        run_steps(warm_caches(variant, variant.seats[-1]))
        view = charged(variant, variant.seats[-1])
        png = render_png(view)
        svg = _Svg(view).finished().encode()
        ours, theirs = side_by_side(partial(render_png, view), partial(cairosvg.svg2png, svg))
        detail = f"{ours * 1000:.1f} ms, CairoSVG {theirs * 1000:.1f} ms"
        yield Figure(f"{variant.key}: speed against CairoSVG", theirs / ours, 10, detail, at_least=True)
        limit = 55 if variant.board.directions == EIGHT_WAYS else 70
        yield Figure(f"{variant.key}: KB", len(png) / 1024, limit, "after a charge with captures")
    yield from _composing()
    yield from _replays()
    yield from _lags()


def _composing() -> Iterator[Figure]:
    """Returns how long a composing player waits for the next picture: the slowest step of a charge."""
    for variant in VARIANTS.values():
        run_steps(warm_caches(variant, 0))
        legs = len(charged(variant, 0).last_move.path)  # type: ignore[union-attr]  # it has one
        steps = [choosing(variant), *(growing(variant, done) for done in range(legs))]
        first = max(_seconds(partial(render_png, step)) for step in steps)
        slowest = max(median(_seconds(partial(render_png, step)) for _ in range(ROUNDS)) for step in steps)
        yield Figure(
            f"{variant.key}: composer redraw, ms", slowest * 1000, 40, f"{first * 1000:.1f} ms when first seen"
        )


def _replays() -> Iterator[Figure]:
    """Yields the figures of animations of long games."""
    for variant in VARIANTS.values():
        replay = wandering(variant, PLIES)
        first = _seconds(partial(render_gif, replay))
        again = median(_seconds(partial(render_gif, replay)) for _ in range(5))
        detail = f"{first:.2f} s when first seen"
        yield Figure(f"{variant.key}: replay of {PLIES} plies, s", again, 0.6, detail)
        yield Figure(f"{variant.key}: replay of {PLIES} plies, KB", len(render_gif(replay)) / 1024, 450)


def _lags() -> Iterator[Figure]:
    """Returns the delay of the event loop during the drawing."""
    views = [charged(variant, seat) for variant in VARIANTS.values() for seat in variant.seats]
    idle, busy, control = (asyncio.run(_lag(work)) for work in (None, partial(_draw, views), _sweat))
    yield Figure(
        "event loop: 99th percentile of its lag, ms",
        busy,
        5,
        f"while drawing; {idle:.2f} when idle, {control:.2f} beside a thread that never holds the GIL",
    )
    film = asyncio.run(_lag(partial(render_gif, wandering(VARIANTS["camelot"], PLIES))))
    yield Figure("event loop: the same beside a replay, ms", film, 5)


def _seconds(call: Callable[[], object]) -> float:
    start = perf_counter()
    call()
    return perf_counter() - start


def side_by_side(one: Callable[[], object], other: Callable[[], object]) -> tuple[float, float]:
    """Returns the median seconds of both, which take turns, so that a busy machine affects both."""
    times: tuple[list[float], list[float]] = [], []
    for _ in range(ROUNDS):
        for call, seconds in zip((one, other), times, strict=True):
            seconds.append(_seconds(call))
    return median(times[0]), median(times[1])


def _draw(views: list[View]) -> None:
    for view in views:
        render_png(view)


def _sweat() -> None:
    """Works the processor as hard, without the lock that the event loop needs."""
    compress(bytes(10_000_000))


async def _lag(work: Callable[[], None] | None) -> float:
    """Returns the milliseconds by which the loop wakes late while a thread repeats that work.

    The 99th percentile in the quietest of some windows, as other programs only ever add to it.
    """
    stop = False

    async def repeat() -> None:
        while work and not stop:
            await asyncio.to_thread(work)

    if work:
        work()  # fills the caches
    thread = asyncio.create_task(repeat())
    quietest = inf
    for _ in range(WINDOWS):
        late: list[float] = []
        for _ in range(100):
            start = perf_counter()
            await asyncio.sleep(INTERVAL)
            late.append(perf_counter() - start - INTERVAL)
        quietest = min(quietest, quantiles(late, n=100)[98])
    stop = True
    await thread
    return quietest * 1000


class _Svg:
    """The same picture as SVG, part by part, from the same shapes and measures."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.theme = view.theme
        self.variant = view.position.variant
        self.plan = layout_of(self.variant, view.bottom)
        self.text = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.plan.width}" height="{self.plan.height}">']
        self.text.append(f'<rect width="100%" height="100%" fill="{_hex(self.theme.table)}"/>')

    def shape(self, path: str, at: Point, size: float, fill: Rgb, opacity: float = 1) -> None:
        """A path of 100 units, `size` pixels wide."""
        self.text.append(
            f'<path d="{path}" fill="{_hex(fill)}" fill-opacity="{opacity}"'
            f' transform="translate({at.x},{at.y}) scale({size / 100})"/>'
        )

    def cell(self, area: CellArea, fill: Rgb, stroke: Rgb, width: float, opacity: float = 1) -> None:
        """A cell and the line around it."""
        points = " ".join(f"{x},{y}" for x, y in area.corners)
        self.text.append(
            f'<polygon points="{points}" fill="{_hex(fill)}" stroke="{_hex(stroke)}" stroke-width="{width}"'
            f' stroke-linejoin="round" fill-opacity="{opacity}"/>'
        )

    def line(self, start: Point, end: Point, width: float, ink: Rgb) -> None:
        """A stroke with round ends."""
        self.text.append(
            f'<line x1="{start.x}" y1="{start.y}" x2="{end.x}" y2="{end.y}" stroke="{_hex(ink)}"'
            f' stroke-width="{width}" stroke-linecap="round"/>'
        )

    def piece(self, piece: Piece, at: Point, diameter: float, opacity: float = 1) -> None:
        """A piece with its shadow, its rims and its emblem."""
        colour = self.variant.armies[piece.seat].colour
        livery, base, knight = self.theme.liveries[colour], BASES[colour], piece.kind is PieceKind.KNIGHT
        size = diameter * (1 if knight else MAN_SIZE)
        self.shape(base, at.moved(0, 2.5), size, self.theme.shade, opacity / 3)
        rims = [(1, livery.rim), (0.91, livery.body), *([(0.83, livery.emblem), (0.77, livery.body)] if knight else [])]
        for share, fill in rims:
            self.shape(base, at, size * share, fill, opacity)
        emblem = (HORSE, HORSE_EYE, HORSE_MANE) if knight else (PAWN,)
        for path, fill in zip(emblem, (livery.emblem, livery.body, livery.body), strict=False):
            self.shape(path, at, size * 0.72, fill, opacity)

    def board(self) -> None:
        """Frame, medallions, cells, castles, labels."""
        theme, plan = self.theme, self.plan
        for width, ink in ((2 * plan.frame, theme.frame), (8, theme.frame_light), (5, theme.frame_dark)):
            for area in plan.areas:
                self.cell(area, ink, ink, width)
        for area, tone in zip(plan.areas, plan.tones, strict=True):
            self.cell(area, theme.floors[tone], theme.line, 1)
        for army, home in zip(self.variant.armies, plan.medallions, strict=True):
            livery, base = theme.liveries[army.colour], BASES[army.colour]
            for share, path, fill in (
                (1.2, ROUNDEL, theme.frame),
                (0.86, base, livery.rim),
                (0.78, base, livery.body),
                (0.5, TOWER, livery.emblem),
            ):
                self.shape(path, home.at, 2 * home.radius * share, fill)
            for area in (plan.areas[at] for at in army.castle):
                self.cell(area, livery.castle, livery.tower, 2)
                for share, path, fill in (
                    (0.88, base, livery.tower),
                    (0.81, base, livery.castle),
                    (0.54, TOWER, livery.tower),
                ):
                    self.shape(path, area.stand, plan.piece * share, fill)
        for label in plan.labels:
            ink = theme.lettering if label.cell is None else theme.name
            self.text.append(
                f'<text x="{label.at.x}" y="{label.at.y}" dy="0.35em" font-family="sans-serif" font-weight="bold"'
                f' font-size="{plan.letter_size}" text-anchor="middle" fill="{_hex(ink)}">{label.text}</text>'
            )

    def finished(self) -> str:
        """The whole picture."""
        view, theme, plan, move = self.view, self.theme, self.plan, self.view.last_move
        assert move
        assert view.before
        self.board()
        stands = [area.stand for area in plan.areas]
        for cell in (move.start, move.end):
            self.cell(plan.areas[cell], theme.glaze, theme.glaze, 0, 0.6)
        for cell in move.captures:
            self.piece(view.before.pieces[cell], stands[cell], plan.piece, FADED_ALPHA)
        for start, end in pairwise(move.path):
            for width, ink in ((12, theme.casing), (7, theme.trail)):
                self.line(stands[start], stands[end], width, ink)
            self.shape(ROUNDEL, stands[end], 16, theme.trail)
        for cell, piece in view.position.pieces.items():
            self.piece(piece, stands[cell], plan.piece)
        for at in (stands[cell] for cell in move.captures):
            for way in (-1, 1):
                self.line(at.moved(-14, -14 * way), at.moved(14, 14 * way), 5, theme.wrong)
        home = plan.medallions[view.position.turn]
        self.shape(ROUNDEL, home.at, 2.3 * home.radius, theme.gold)
        self.piece(Piece(view.position.turn, PieceKind.KNIGHT), home.at, 1.6 * home.radius)
        return "".join((*self.text, "</svg>"))


def _hex(colour: Rgb) -> str:
    return "#{:02X}{:02X}{:02X}".format(*colour)
