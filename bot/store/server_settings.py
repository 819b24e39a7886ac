"""SQL about the settings of servers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, fields
from typing import Any

from bot.core.clock import Pace
from bot.core.events import format_numbers, parse_numbers
from bot.core.settings import GuildSettings, Threads
from bot.store import Reader, Writer
from bot.store.connection import upsert_statement
from bot.store.people import log_unknown_name, note_unknown_zone, parse_stored_name

GUILD_SETTINGS_COLUMNS = ", ".join(field.name for field in fields(GuildSettings))
"""The columns of a server's settings, in their order."""


async def load_guild_settings(reader: Reader, guild: int) -> GuildSettings:
    """Returns the settings of a server; the defaults if none are stored."""
    row = await reader.read_row(f"SELECT {GUILD_SETTINGS_COLUMNS} FROM guild_settings WHERE guild = ?", (guild,))
    return read_guild_settings(guild, row) if row else GuildSettings()


def read_guild_settings(guild: int, row: Iterable[Any]) -> GuildSettings:
    """Reads a server's settings from a row of GUILD_SETTINGS_COLUMNS."""
    owner = f"guild {guild}"
    values = dict(zip((field.name for field in fields(GuildSettings)), row, strict=True))
    note_unknown_zone(owner, values["zone"])
    return GuildSettings(
        **values
        | {
            "pace": parse_stored_name(owner, "pace", values["pace"], Pace.STANDARD),
            "threads": parse_stored_name(owner, "threads", values["threads"], Threads.YES),
            "channels": _read_channels(owner, values["channels"]),
            "house": bool(values["house"]),
            "openings": bool(values["openings"]),
            "untold": bool(values["untold"]),
        }
    )


def _read_channels(owner: str, stored: str) -> tuple[int, ...]:
    try:
        return parse_numbers(stored)
    except ValueError:
        log_unknown_name(owner, "channels", stored, "any")
        return ()


async def servers_without_house(reader: Reader) -> frozenset[int]:
    """Returns the servers that have switched house players off."""
    return frozenset(await reader.read_column("SELECT guild FROM guild_settings WHERE house = 0"))


async def set_guild_settings(writer: Writer, guild: int, settings: GuildSettings) -> None:
    """Stores a server's settings."""
    values = asdict(settings) | {
        "pace": settings.pace.value,
        "threads": settings.threads.value,
        "channels": format_numbers(settings.channels),
    }
    await writer.run_sql(*upsert_statement("guild_settings", {"guild": guild}, values))


async def all_guild_settings(reader: Reader) -> dict[int, GuildSettings]:
    """Returns the stored settings by server; servers that have only defaults are left out."""
    rows = await reader.run_sql(f"SELECT guild, {GUILD_SETTINGS_COLUMNS} FROM guild_settings")
    return {guild: read_guild_settings(guild, row) for guild, *row in rows}
