"""Pictures: their size, their speed beside the same board as SVG drawn by CairoSVG, and what the event loop feels."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from functools import partial
from io import BytesIO
from itertools import pairwise
from math import inf
from statistics import median, quantiles
from time import perf_counter
from zlib import compress

import cairosvg  # type: ignore[import-untyped]  # it has no annotations

from render import View, render_png, warm
from render.layout import Place, Point, layout
from render.pieces import MAN_SIZE
from render.shapes import BASES, HORSE, HORSE_EYE, HORSE_MANE, PAWN, TOWER
from render.theme import Rgb
from rules import VARIANTS, Kind
from rules.board import SIX_WAYS
from tests.bench import Figure
from tests.render.scenes import charged

ROUNDS = 15
WINDOWS = 6
INTERVAL = 0.005
"""Seconds between two looks at the event loop's clock."""


def figures() -> Iterator[Figure]:
    """Speed and size of the end of a charge in every variant (many captures), then the lag of the event loop."""
    for variant in VARIANTS.values():
        warm(variant)
        view = charged(variant, variant.seats[-1])
        png = render_png(view)
        svg = as_svg(view).encode()
        ours, theirs = side_by_side(partial(render_png, view), partial(cairosvg.svg2png, svg))
        detail = f"{ours * 1000:.1f} ms, CairoSVG {theirs * 1000:.1f} ms"
        yield Figure(f"{variant.key}: speed against CairoSVG", theirs / ours, 10, detail, at_least=True)
        limit = 60 if variant.board.directions == SIX_WAYS else 50
        yield Figure(f"{variant.key}: KB", len(png) / 1024, limit, "after a charge with captures")
    views = [charged(variant, seat) for variant in VARIANTS.values() for seat in variant.seats]
    idle, busy, control = (asyncio.run(_lag(work)) for work in (None, partial(_draw, views), _sweat))
    yield Figure(
        "event loop: 99th percentile of its lag, ms",
        busy,
        5,
        f"while drawing; {idle:.2f} when idle, {control:.2f} beside a thread that never holds the GIL",
    )


def side_by_side(one: Callable[[], object], other: Callable[[], object]) -> tuple[float, float]:
    """Median seconds of both, taken in turns, so that a busy machine slows both."""
    times: tuple[list[float], list[float]] = [], []
    for _ in range(ROUNDS):
        for call, seconds in zip((one, other), times, strict=True):
            start = perf_counter()
            call()
            seconds.append(perf_counter() - start)
    return median(times[0]), median(times[1])


def _draw(views: list[View]) -> None:
    for view in views:
        render_png(view)


def _sweat() -> None:
    """As much work for the processor, none of it under the lock that the event loop needs."""
    compress(bytes(10_000_000))


async def _lag(work: Callable[[], None] | None) -> float:
    """Milliseconds by which the loop wakes late while a thread repeats that work.

    The 99th percentile in the quietest of some windows: other programs only ever add to it.
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


def as_svg(view: View) -> str:
    """The same picture as SVG: table, frame, cells, castles, labels, pieces and the last move."""
    theme, variant = view.theme, view.position.variant
    plan = layout(variant, view.bottom)
    svg = BytesIO()

    def put(text: str) -> None:
        svg.write(text.encode())

    def shape(path: str, at: Point, size: float, fill: Rgb) -> None:
        put(f'<path d="{path}" fill="{_hex(fill)}" transform="translate({at.x},{at.y}) scale({size / 100})"/>')

    def cell(place: Place, fill: Rgb, stroke: Rgb, width: float) -> None:
        points = " ".join(f"{x},{y}" for x, y in place.corners)
        put(
            f'<polygon points="{points}" fill="{_hex(fill)}" stroke="{_hex(stroke)}" stroke-width="{width}"'
            ' stroke-linejoin="round"/>'
        )

    put(f'<svg xmlns="http://www.w3.org/2000/svg" width="{plan.width}" height="{plan.height}">')
    put(f'<rect width="100%" height="100%" fill="{_hex(theme.table)}"/>')
    for place in plan.places:
        cell(place, theme.frame, theme.frame, 2 * plan.frame)
    for place, tone in zip(plan.places, plan.tones, strict=True):
        cell(place, theme.cells[tone], theme.line, 1)
    for army in variant.armies:
        livery = theme.liveries[army.colour]
        for place in (plan.places[at] for at in army.castle):
            cell(place, livery.castle, livery.tower, 2)
            shape(TOWER, place.stand, plan.piece * 0.54, livery.tower)
    for label in plan.labels:
        ink = _hex(theme.lettering if label.cell is None else theme.name)
        put(
            f'<text x="{label.at.x}" y="{label.at.y}" dy="0.35em" font-family="sans-serif" font-weight="bold"'
            f' font-size="{plan.letter}" text-anchor="middle" fill="{ink}">{label.text}</text>'
        )
    for at, piece in view.position.pieces.items():
        colour = variant.armies[piece.seat].colour
        livery, stand = theme.liveries[colour], plan.places[at].stand
        size = plan.piece * (1 if piece.kind is Kind.KNIGHT else MAN_SIZE)
        shape(BASES[colour], stand.moved(0, 2.5), size, theme.shade)
        shape(BASES[colour], stand, size, livery.rim)
        shape(BASES[colour], stand, size * 0.91, livery.body)
        emblem = (HORSE, HORSE_EYE, HORSE_MANE) if piece.kind is Kind.KNIGHT else (PAWN,)
        for path, paint in zip(emblem, (livery.emblem, livery.body, livery.body), strict=False):
            shape(path, stand, size * 0.72, paint)
    if view.last_move:
        for start, end in pairwise(plan.places[at].stand for at in view.last_move.path):
            line = f'x1="{start.x}" y1="{start.y}" x2="{end.x}" y2="{end.y}" stroke-linecap="round"'
            for width, stroke in ((12, theme.casing), (7, theme.trail)):
                put(f'<line {line} stroke="{_hex(stroke)}" stroke-width="{width}"/>')
    put("</svg>")
    return svg.getvalue().decode()


def _hex(colour: Rgb) -> str:
    return "#{:02X}{:02X}{:02X}".format(*colour)
