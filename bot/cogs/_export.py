"""Games as files to take away: text that `python -m rules check` replays, and a line of JSON for each."""

from __future__ import annotations

import asyncio
import io
import zipfile
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import discord

from bot.cogs._posts.record import one_line
from bot.records import Exported, people, record_line, record_text

if TYPE_CHECKING:
    from bot.client import RoundTable

LARGEST = 8_000_000
"""Bytes of both files together; beyond that they are packed, for Discord takes no more than ten million."""


async def export_files(client: RoundTable, games: Sequence[Exported]) -> list[discord.File]:
    """Two files with those games, the players called as their servers know them; one archive if they are large."""
    names: dict[int, str] = {}
    for match in (game.match for game in games):
        for user in people(match):
            names[user] = names.get(user) or one_line(await client.names.of(match.guild, user))
    stem = f"game-{games[0].match.id}" if len(games) == 1 else "games"
    written = await asyncio.to_thread(_written, stem, games, names)
    return [discord.File(io.BytesIO(content), filename=name) for name, content in written.items()]


def _written(stem: str, games: Sequence[Exported], names: Mapping[int, str]) -> dict[str, bytes]:
    """The contents of the files by their names."""
    text = "\n".join(record_text(game, names) for game in games).encode()
    lines = "".join(record_line(game, names) for game in games).encode()
    files = {f"{stem}.txt": text, f"{stem}.jsonl": lines}
    return files if len(text) + len(lines) <= LARGEST else {f"{stem}.zip": _packed(files)}


def _packed(files: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()
