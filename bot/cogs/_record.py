"""The record of a game as text, with the players' names as the server knows them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bot.match import Match
from rules.record import format_record

if TYPE_CHECKING:
    from bot.client import RoundTable

LONGEST_QUOTED = 1200
"""Characters of a record that a private answer quotes; a longer one is in its file only."""


async def record_text(client: RoundTable, match: Match) -> str:
    """The record so far, in the form that `python -m rules check` reads."""
    assert match.game is not None
    names = [
        f"{army.colour} {_one_line(await client.names.of(match.guild, player))}"
        for army, player in zip(match.variant.armies, match.players, strict=True)
    ]
    started = datetime.fromtimestamp(match.created, UTC).date().isoformat()
    return format_record(match.game, {"game": str(match.id), "players": ", ".join(names), "opened": started})


def _one_line(name: str) -> str:
    """A name that can stand in a header and in a code block."""
    return " ".join(name.replace("`", "'").split())
