"""A season as files: the tables as CSV, and the games as records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import discord

from bot.core.problems import MatchError
from bot.core.results import ExportedMatch
from bot.discordkit.reply import Interaction, make_attachment, zip_files
from bot.leagues.league import League
from bot.leagues.season import Group
from bot.leagues.service import Leagues
from bot.leagues.standings import crosstable_csv
from bot.leagues.words import group_name
from bot.play.announcing.people import record_name
from bot.play.app import Caller, app_of, run_in_turn
from bot.play.options import may_see
from bot.play.service.archive import Archive
from bot.texts.i18n import Language, text
from bot.texts.records import people_named, record_text

NAMES_WAIT_S = 10.0
"""Seconds that an export waits for names. People without a name by then appear as numbers."""
HEADINGS = ("place", "name", "points", "direct", "neustadtl", "wins", "played")


def tables_csv(locale: Language, groups: Sequence[Group], names: Mapping[int, str]) -> str:
    """The tables of a season as CSV, one after the other, each below the name of its group."""
    headings = [text(locale, f"league-csv.{heading}") for heading in HEADINGS]
    tables = []
    for group in groups:
        called = [names.get(user, str(user)) for user in group.users]
        table = crosstable_csv(group.rows, called, group.fixtures, group.scores, headings)
        tables.append(f"{group_name(locale, group.division)}\r\n{table}")
    return "\r\n".join(tables)


async def games_of_season(archive: Archive, guild: int, groups: Sequence[Group]) -> list[ExportedMatch]:
    """The games of a season that have begun and can be read."""
    games = []
    for number in [game.match for group in groups for game in group.games if game.match is not None]:
        try:
            games.append(await archive.export_game(number, guild))
        except MatchError:
            continue
    return games


async def make_league_files(interaction: Interaction, league: League) -> list[discord.File]:
    """Returns the latest season as an archive with two files."""
    return await run_in_turn(interaction, _make_files(interaction, league))


async def _make_files(interaction: Interaction, league: League) -> list[discord.File]:
    caller, app = Caller(interaction), app_of(interaction)
    groups = await caller.part(Leagues).groups_of(league)
    games = await games_of_season(caller.service.archive, league.guild, groups)
    games = [game for game in games if may_see(interaction, game.match)]
    users = {user for group in groups for user in group.users} | {
        user for game in games for user in people_named(game.match)
    }
    found = await app.names.find_names(league.guild, users, NAMES_WAIT_S)
    names = {user: record_name(name) for user, name in found.items()}
    files = {
        "tables.csv": tables_csv(caller.locale, groups, found),
        "games.txt": "\n".join(record_text(game, names) for game in games),
    }
    return [make_attachment(zip_files(files), f"league-{league.id}.zip")]
