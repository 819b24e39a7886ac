"""Hands over a season: the tables as CSV, and the games as records."""

from __future__ import annotations

import discord

from bot.discordkit.reply import Interaction, make_attachment, zip_files
from bot.leagues.files import games_of_season, tables_csv
from bot.leagues.league import League
from bot.leagues.service import Leagues
from bot.play.announcing.people import record_name
from bot.play.app import Caller, app_of, run_in_turn
from bot.play.options import may_see
from bot.texts.records import people_named, record_text

NAMES_WAIT_S = 10.0
"""Seconds that an export waits for names. People without a name by then appear as numbers."""


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
