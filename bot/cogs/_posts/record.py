"""The record of a game as text, with the players' names as the server knows them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bot import words
from bot.match import Match
from rules import format_move
from rules.record import format_record

if TYPE_CHECKING:
    from bot.client import RoundTable

LONGEST_QUOTED = 1200
"""Characters of a record that a private answer quotes; a longer one is in its file only."""


async def record_text(client: RoundTable, match: Match) -> str:
    """The record so far, in the form that `python -m rules check` reads."""
    assert match.game is not None
    names = [
        f"{army.colour} {one_line(await client.names.of(match.guild, player))}"
        for army, player in zip(match.variant.armies, match.players, strict=True)
    ]
    started = datetime.fromtimestamp(match.created, UTC).date().isoformat()
    headers = {"game": str(match.id), "players": ", ".join(names), "opened": started}
    if match.undone:
        headers["taken-back"] = "; ".join(_taken_back(match))
    return format_record(match.game, headers)


def _taken_back(match: Match) -> Iterator[str]:
    """Each time that moves were taken back, in words of the record: "from move 3: F7-F8 F10-F9"."""
    board = match.variant.board
    for ply, moves in match.undone:
        yield f"from move {ply + 1}: {' '.join(format_move(move, board) for move in moves)}"


def one_line(name: str) -> str:
    """A name that can stand in a header and in a code block."""
    # A comma parts the players of a header.
    return words.one_line(name).replace("`", "'").replace(",", "")
