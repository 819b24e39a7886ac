"""Everything that the database holds, to see whether something has changed it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

from bot.ladder.entries import EntryKind
from bot.people.house import FIRST, LAST
from bot.store.reading import reached
from bot.store.shards import WHOLE
from tests.e2e.house import House

BOOKKEEPING = frozenset({"meta", "sqlite_sequence", "ladders"})
"""Tables in which the program notes what it has done itself, such as the last tick, and when a ladder is due again.

What has happened on a ladder stands in its entries.
"""

BY_ITSELF = {
    "ladder_entries": [kind.value for kind in (EntryKind.SEASON_STARTED, EntryKind.SEASON_ENDED, EntryKind.DIGEST)],
}
"""The kinds of rows that the tick writes by the calendar, whoever has just pressed what."""

BEHIND = (
    "SELECT count(*) FROM matches"
    " WHERE (newsworthy > announced OR (phase = 'live' AND turn_message IS NULL)) AND NOT homeless"
    " UNION SELECT count(*) FROM ladders WHERE newsworthy > announced"
    f" UNION SELECT count(*) FROM matches WHERE to_move BETWEEN {FIRST} AND {LAST} AND {reached(WHOLE)}"
)
"""The games and ladders of which something is still to be posted, or to be noted as posted, or a house player to move.

Games of other tests whose place is gone are not among them: nothing is posted there any more.
"""

Stock = dict[str, list[tuple[Any, ...]]]


def differences(before: Stock, after: Stock) -> list[str]:
    """The rows that have come, gone or changed, as text."""
    return [
        f"{sign} {table}: {row}"
        for table in {**before, **after}
        for sign, ours, theirs in (("-", before, after), ("+", after, before))
        for row in ours.get(table, ())
        if row not in theirs.get(table, ())
    ]


async def settled(house: House) -> Stock:
    """The stock once everything is posted that has happened, and the house has answered."""
    await house.until(lambda: house.bot.query(BEHIND) == [(0,)], "all posted and answered")
    return stock(house)


def stock(house: House) -> Stock:
    """Every row of every table by its name; the program's own notes left out."""
    with closing(sqlite3.connect(f"{house.bot.database.as_uri()}?mode=ro", uri=True)) as base:
        names = [name for (name,) in base.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")]
        # In one order for as long as nothing changes.
        return {name: base.execute(_rows_of(name)).fetchall() for name in names if name not in BOOKKEEPING}


def _rows_of(name: str) -> str:
    kinds = ", ".join(map(str, BY_ITSELF.get(name, ())))
    return f'SELECT * FROM "{name}"' + (f" WHERE kind NOT IN ({kinds})" if kinds else "")
