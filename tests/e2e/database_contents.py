"""Compares everything in the database before and after an act."""

from __future__ import annotations

from typing import Any

from bot.core.house_seats import MAX_HOUSE_ID, MIN_HOUSE_ID
from bot.features import TABLES
from bot.ladder.state import EntryKind
from bot.store.database_tables import Table
from bot.store.matches import REACHABLE_SQL
from tests.e2e.house import House

BOOKKEEPING = frozenset({"absences", "jobs", "meta", "ladders"})
"""Tables in which the program notes what it has done itself, such as the last tick, when it was away, and when a ladder
is due again.

What has happened on a ladder stands in its entries. A job that is done is deleted at a later tick.
"""

BY_ITSELF = {"ladder_entries": [kind.value for kind in (EntryKind.SEASON_STARTED, EntryKind.SEASON_ENDED)]}
"""The kinds of rows that the tick writes by the calendar, independent of presses."""

BEHIND = (
    "SELECT count(*) FROM matches"
    " WHERE (newsworthy > announced OR (phase = 'live' AND turn_message IS NULL)) AND place_is_lost = 0"
    " UNION SELECT count(*) FROM ladders WHERE newsworthy > announced"
    " UNION SELECT count(*) FROM jobs WHERE kind LIKE 'league-%'"
    " AND due_at < CASE WHEN kind IN ('league-list', 'league-table') THEN 1 ELSE 60 END"
    " + (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'ticked')"
    f" UNION SELECT count(*) FROM matches WHERE to_move BETWEEN {MIN_HOUSE_ID} AND {MAX_HOUSE_ID}"
    f" AND {REACHABLE_SQL}"
)
"""The games, ladders and leagues with something still to be posted or noted, or a house player to move.

Games of other tests whose place is gone are not among them: nothing is posted there any more. The post of a sign-up is
edited again within seconds, and the list of a season's games looks for their boards, but only if the clock goes on.
"""

Stock = dict[str, list[tuple[Any, ...]]]


def differences(before: Stock, after: Stock) -> list[str]:
    """Returns the rows added, removed or changed, as text."""
    return [
        f"{sign} {table}: {row}"
        for table in {**before, **after}
        if before.get(table) != after.get(table)
        for sign, ours, theirs in (("-", before, after), ("+", after, before))
        for row in ours.get(table, ())
        if row not in theirs.get(table, ())
    ]


async def settled(house: House) -> Stock:
    """Waits until everything due is posted and the house has moved; returns all rows."""
    await house.until(lambda: house.bot.query(BEHIND) == [(0,)], "all posted and answered")
    return stock(house)


def stock(house: House) -> Stock:
    """Returns every row of every table, by table, without the program's own notes."""
    asked = [table for table in TABLES if table.name not in BOOKKEEPING]
    found = house.bot.query_all(map(_rows_of, asked))
    return {table.name: rows for table, rows in zip(asked, found, strict=True)}


def _rows_of(table: Table) -> str:
    kinds = ", ".join(map(str, BY_ITSELF.get(table.name, ())))
    which = f" WHERE kind NOT IN ({kinds})" if kinds else ""
    return f"SELECT * FROM {table.name}{which} ORDER BY {', '.join(table.key)}"
