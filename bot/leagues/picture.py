"""The crosstables of groups as a picture, and its description for those who do not see it. Pure."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence

from bot.leagues.groups import Movement
from bot.leagues.points import format_points
from bot.leagues.season import Group
from bot.leagues.standings import ResultsAgainst, make_crosstable
from bot.leagues.words import group_name
from bot.texts.i18n import Language, text
from bot.texts.markup import MAX_ALT_TEXT_LENGTH, cut_plain
from render import DEFAULT_THEME, Theme
from render.crosstable import CrosstableView, RowZone, TableLine, render_crosstables_in_steps

_ZONES = {Movement.UP: RowZone.UP, Movement.STAYS: RowZone.NONE, Movement.DOWN: RowZone.DOWN}


def draw_crosstables(
    locale: Language, groups: Sequence[Group], names: Mapping[int, str], theme: Theme = DEFAULT_THEME
) -> Generator[None, None, bytes]:
    """Returns, in steps, the crosstables, one below the other, as a PNG file. `names` are by user."""
    return render_crosstables_in_steps([_view_of(locale, group, names, theme) for group in groups])


def _view_of(locale: Language, group: Group, names: Mapping[int, str], theme: Theme) -> CrosstableView:
    rows = group.standings
    results = make_crosstable(rows, group.fixtures, group.scores)
    lines = (
        TableLine(
            str(row.place or ""),
            names[group.users[row.entry]],
            tuple(map(_write_results, cells)),
            "" if row.is_out else format_points(row.points),
            _ZONES[movement],
        )
        for row, cells, movement in zip(rows, results, group.movements, strict=True)
    )
    return CrosstableView(tuple(lines), group_name(locale, group.division), theme)


def _write_results(results: ResultsAgainst) -> tuple[str, ...]:
    return tuple("" if points is None else format_points(points) for points in results)


def describe_crosstables(locale: Language, groups: Sequence[Group], names: Mapping[int, str]) -> str:
    """Returns the alt text of the picture, at most 1024 characters: places, names, points, games, who goes up and
    down."""
    words = " ".join(part for group in groups for part in _describe_group(locale, group, names))
    return cut_plain(words, MAX_ALT_TEXT_LENGTH)


def _describe_group(locale: Language, group: Group, names: Mapping[int, str]) -> Iterator[str]:
    yield text(locale, "league-picture.title", group=group_name(locale, group.division))
    for row, movement in zip(group.standings, group.movements, strict=True):
        yield text(
            locale,
            f"league-picture.{'out' if row.is_out else 'line' if row.place else 'waiting'}",
            place=row.place,
            player=names[group.users[row.entry]],
            points=format_points(row.points),
            played=row.played,
            games=row.games,
        )
        if movement is not Movement.STAYS:
            yield text(locale, f"league-picture.{movement.value}")
