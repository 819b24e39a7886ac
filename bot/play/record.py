"""The record of a game, with the names that its server knows."""

from __future__ import annotations

from typing import NamedTuple

from bot.core.match import Match
from bot.play.names import DisplayNames
from bot.play.service import Service
from bot.texts import records
from bot.texts.i18n import text
from bot.texts.markup import break_links, one_line


class ExportedRecord(NamedTuple):
    """A game for people and for programs."""

    text: str
    """As `python -m rules check` reads it."""
    line: str
    """A line of JSON."""


async def record_of(names: DisplayNames, service: Service, match: Match) -> ExportedRecord:
    """Returns the record so far, with the names that the server knows."""
    people = records.people_named(match)
    names_found, unknown = (
        await names.find_names(match.guild, people),
        text("en", "unknown-player"),
    )  # English, like the rest of a record
    names_by_user = {player: record_name(names_found.get(player, unknown)) for player in people}
    exported = await service.archive.export_match(match)
    return ExportedRecord(records.record_text(exported, names_by_user), records.record_line(exported, names_by_user))


def record_name(name: str) -> str:
    """Returns a name that is safe in a header and in a code block."""
    # A comma separates the players in a header.
    return break_links(one_line(name)).replace("`", "'").replace(",", "")
