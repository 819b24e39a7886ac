"""The record of a game as text, with the players' names as the server knows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot import records, words
from bot.match import Match

if TYPE_CHECKING:
    from bot.client import RoundTable

LONGEST_QUOTED = 1200
"""Characters of a record that a private answer quotes; a longer one is in its file only."""


async def record_text(client: RoundTable, match: Match) -> str:
    """The record so far, in the form that `python -m rules check` reads."""
    names = {player: one_line(await client.names.of(match.guild, player)) for player in records.people(match)}
    return records.record_text(await client.service.exported(match), names)


def one_line(name: str) -> str:
    """A name that can stand in a header and in a code block."""
    # A comma parts the players of a header.
    return words.one_line(name).replace("`", "'").replace(",", "")
