"""Tables of leagues as pictures and as files."""

from __future__ import annotations

import csv
from collections.abc import Generator, Iterator, Mapping, Sequence
from io import StringIO

from bot.core.match import ExportedMatch
from bot.core.problems import MatchError
from bot.discordkit.reply import zip_files
from bot.leagues.groups import Group, Movement, Result, format_points, make_crosstable
from bot.leagues.league import WIN
from bot.leagues.words import group_name, kind_of_row, values_of_row
from bot.play.known_servers import record_name
from bot.play.service import Service
from bot.play.service.games import export_match
from bot.texts.i18n import Language, text
from bot.texts.markup import MAX_ALT_TEXT_LENGTH, cut_plain
from bot.texts.records import record_text
from render import DEFAULT_THEME, Theme
from render.crosstable import CrosstableView, RowZone, TableLine, render_crosstables_in_steps

UNBEGUN_SIGNS = {WIN: "+", 0: "–"}
"""Signs for a win and a loss without a game; "=" stands for a share."""
_ZONES = {Movement.UP: RowZone.UP, Movement.STAYS: RowZone.NONE, Movement.DOWN: RowZone.DOWN}


def draw_crosstables(
    locale: Language, groups: Sequence[Group], names: Mapping[int, str], theme: Theme = DEFAULT_THEME
) -> Generator[None, None, bytes]:
    """Returns, in steps, the crosstables, one below the other, as a PNG file. `names` are by user."""
    return render_crosstables_in_steps([_view_of(locale, group, names, theme) for group in groups])


def _view_of(locale: Language, group: Group, names: Mapping[int, str], theme: Theme) -> CrosstableView:
    lines = (
        TableLine(
            str(row.place or ""),
            names[row.user],
            tuple(tuple(map(_write_result, cell)) for cell in cells),
            "" if row.is_out else format_points(row.points),
            _ZONES[row.movement],
        )
        for row, cells in zip(group.standings, make_crosstable(group.standings, group.games), strict=True)
    )
    return CrosstableView(tuple(lines), group_name(locale, group.division), theme)


def _write_result(result: Result) -> str:
    if result.points is None:
        return ""
    return UNBEGUN_SIGNS.get(result.points, "=") if result.is_unbegun else format_points(result.points)


def describe_crosstables(locale: Language, groups: Sequence[Group], names: Mapping[int, str]) -> str:
    """Returns the alt text of the picture, at most 1024 characters: places, names, points, games, who goes up and
    down."""
    words = " ".join(part for group in groups for part in _describe_group(locale, group, names))
    return cut_plain(words, MAX_ALT_TEXT_LENGTH)


def _describe_group(locale: Language, group: Group, names: Mapping[int, str]) -> Iterator[str]:
    yield text(locale, "league-picture.title", group=group_name(locale, group.division))
    for row in group.standings:
        yield text(locale, f"league-picture.{kind_of_row(row)}", player=names[row.user], **values_of_row(row))
        if row.movement is not Movement.STAYS:
            yield text(locale, f"league-picture.{row.movement.value}")


HEADINGS = ("place", "name", "points", "direct", "neustadtl", "wins", "played")


def tables_csv(locale: Language, groups: Sequence[Group], names: Mapping[int, str]) -> str:
    """Returns the tables of a season as CSV, one after the other, each below the name of its group.

    People without a name appear as numbers.
    """
    return "\r\n".join(f"{group_name(locale, group.division)}\r\n{table_csv(locale, group, names)}" for group in groups)


def table_csv(locale: Language, group: Group, names: Mapping[int, str]) -> str:
    """Returns the table of a group as CSV (RFC 4180), with a column of the crosstable for each row.

    Points are decimal numbers. A name that a spreadsheet would take for a formula gets an apostrophe.
    """
    file = StringIO()
    lines = csv.writer(file)
    shown = [_plain_text(names.get(row.user, str(row.user))) for row in group.standings]
    lines.writerow((*(text(locale, f"league-csv.{heading}") for heading in HEADINGS), *shown))
    results = make_crosstable(group.standings, group.games)
    for row, name, cells in zip(group.standings, shown, results, strict=True):
        lines.writerow(
            (
                row.place or "",
                name,
                _decimal(row.points),
                _decimal(row.direct),
                _decimal(row.neustadtl / WIN),
                row.wins,
                row.played,
                *(
                    " ".join("*" if result.points is None else _decimal(result.points) for result in cell)
                    for cell in cells
                ),
            )
        )
    return file.getvalue()


def _plain_text(name: str) -> str:
    return f"'{name}" if name.startswith(("=", "+", "-", "@", "\t", "\r")) else name


def _decimal(points: float) -> str:
    return f"{points / WIN:.3f}".rstrip("0").rstrip(".")


def pack_season(
    locale: Language, groups: Sequence[Group], games: Sequence[ExportedMatch], names: Mapping[int, str]
) -> Generator[None, None, bytes]:
    """Returns, in steps, an archive with the tables and the records of a season. `names` are by user."""
    called, records = {user: record_name(name) for user, name in names.items()}, list[str]()
    for game in games:
        yield
        records.append(record_text(game, called))
    return (yield from zip_files({"tables.csv": tables_csv(locale, groups, names), "games.txt": "\n".join(records)}))


async def games_of_season(service: Service, guild: int, groups: Sequence[Group]) -> list[ExportedMatch]:
    """Returns the games of a season that have begun and can be read."""
    games = []
    for match_id in [game.match for group in groups for game in group.games if game.match is not None]:
        try:
            games.append(await export_match(service, await service.current_match(match_id, guild)))
        except MatchError:
            continue
    return games
