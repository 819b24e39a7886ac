"""The crosstable of a group as a picture, and its description for those who do not see it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bot.leagues.groups import Movement, Zone, movements_of
from bot.leagues.points import GameScore, format_points
from bot.leagues.standings import ResultsAgainst, Standing, make_crosstable
from bot.texts.i18n import Language, text
from render import DEFAULT_THEME, Theme
from render.crosstable import CrosstableView, RowZone, TableLine, render_crosstable

LONGEST_ALT_TEXT = 1024
"""Discord's limit."""

_ZONES = {Movement.UP: RowZone.UP, Movement.STAYS: RowZone.NONE, Movement.DOWN: RowZone.DOWN}


def draw_crosstable(
    rows: Sequence[Standing],
    names: Sequence[str],
    fixtures: Sequence[Sequence[int]],
    scores: Iterable[GameScore],
    zone: Zone,
    theme: Theme = DEFAULT_THEME,
) -> bytes:
    """The crosstable as a PNG file; `names` by entry. Slow: do not call it in the event loop."""
    results = make_crosstable(rows, fixtures, scores)
    lines = (
        TableLine(
            str(row.place or ""),
            names[row.entry],
            tuple(map(_write_results, cells)),
            format_points(row.points) if row.place else "",
            _ZONES[movement],
        )
        for row, cells, movement in zip(rows, results, movements_of(rows, zone), strict=True)
    )
    return render_crosstable(CrosstableView(tuple(lines), theme))


def _write_results(results: ResultsAgainst) -> tuple[str, ...]:
    return tuple("" if points is None else format_points(points) for points in results)


def describe_crosstable(locale: Language, rows: Sequence[Standing], names: Sequence[str], zone: Zone) -> str:
    """The alt text of the picture: places, names, points and games, what the places mean; at most 1024 characters."""
    described = []
    for row, movement in zip(rows, movements_of(rows, zone), strict=True):
        line = text(
            locale,
            "league-picture.line" if row.place else "league-picture.out",
            place=row.place,
            player=names[row.entry],
            points=format_points(row.points),
            played=row.played,
            games=row.games,
        )
        zones = () if movement is Movement.STAYS else (text(locale, f"league-picture.{movement.value}"),)
        described.append(" ".join((line, *zones)))
    words = " ".join((text(locale, "league-picture.title"), *described))
    return words if len(words) <= LONGEST_ALT_TEXT else words[: LONGEST_ALT_TEXT - 1] + "…"
