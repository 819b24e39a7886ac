"""A season as files: the tables as CSV, and the games as they are recorded."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import NamedTuple

from bot.core.listings import ExportedMatch
from bot.core.problems import MatchError
from bot.discordkit.reply import zip_files
from bot.leagues.league import LeagueError
from bot.leagues.season import Group
from bot.leagues.service import Leagues
from bot.leagues.standings import crosstable_csv
from bot.leagues.words import group_name
from bot.play.record import record_name
from bot.play.service import Service
from bot.play.service.archive import Archive
from bot.texts.i18n import Language, text
from bot.texts.records import record_text

HEADINGS = ("place", "name", "points", "direct", "neustadtl", "wins", "played")


class ExportedSeason(NamedTuple):
    """The latest season of a league."""

    tables: str
    games: Sequence[ExportedMatch]


def tables_csv(locale: Language, groups: Sequence[Group], names: Mapping[int, str]) -> str:
    """Returns the tables of a season as CSV, one after the other, each below the name of its group.

    People without a name appear as numbers.
    """
    headings = [text(locale, f"league-csv.{heading}") for heading in HEADINGS]
    tables = []
    for group in groups:
        called = [names.get(user, str(user)) for user in group.users]
        table = crosstable_csv(group.standings, called, group.fixtures, group.scores, headings)
        tables.append(f"{group_name(locale, group.division)}\r\n{table}")
    return "\r\n".join(tables)


def pack_season(
    locale: Language, groups: Sequence[Group], games: Sequence[ExportedMatch], names: Mapping[int, str]
) -> Generator[None, None, bytes]:
    """Returns, in steps, an archive with the tables and the records of a season. `names` are by user."""
    files, called = (
        {"tables.csv": tables_csv(locale, groups, names)},
        {user: record_name(names[user]) for user in names},
    )
    records = list[str]()
    for game in games:
        yield
        records.append(record_text(game, called))
    return (yield from zip_files({**files, "games.txt": "\n".join(records)}))


async def games_of_season(archive: Archive, guild: int, groups: Sequence[Group]) -> list[ExportedMatch]:
    """Returns the games of a season that have begun and can be read."""
    games = []
    for number in [game.match for group in groups for game in group.games if game.match is not None]:
        try:
            games.append(await archive.export_game(number, guild))
        except MatchError:
            continue
    return games


async def export_season(service: Service, number: int) -> ExportedSeason | None:
    """Returns the latest season of a league, with people as Discord ids; None if no season has begun."""
    leagues = service.part(Leagues)
    league = await leagues.find_any_league(number)
    if league is None:
        return None
    try:
        groups = await leagues.groups_of(league, await leagues.latest_season(league))
    except LeagueError:
        return None
    return ExportedSeason(tables_csv("en", groups, {}), await games_of_season(service.archive, league.guild, groups))
