"""What the doctor finds out about the names in the database: those that this program or machine does not know."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bot.core.clock import Pace
from bot.core.events import EventKind
from bot.core.preferences import PREFERENCE_VALUES
from bot.core.settings import Reminders, Threads, Viewpoint
from bot.core.zones import is_known_zone
from bot.ops import sentences
from bot.ops.doctor import Finding, ok_finding, warning_finding
from bot.store import StoreError, open_read_only
from bot.store.address import Database
from bot.store.stored_names import StoredName, stored_names
from bot.texts.i18n import LANGUAGES
from bot.texts.sentences import one_line
from rules import VARIANTS

_IS_KNOWN_BY_KIND: dict[str, Callable[[str], object]] = {
    "zone": is_known_zone,
    "reminders": {one.value for one in Reminders}.__contains__,
    "pace": {one.value for one in Pace}.__contains__,
    "threads": {one.value for one in Threads}.__contains__,
    "viewpoint": {one.value for one in Viewpoint}.__contains__,
    "language": LANGUAGES.__contains__,
    "variant": VARIANTS.__contains__,
    "event": {str(one.value) for one in EventKind}.__contains__,
    **{key: values.__contains__ for key, values in PREFERENCE_VALUES.items()},
}


async def check_stored_names(database: Database) -> list[Finding]:
    """A line for each name that is not known here; nothing where the database cannot be read, which is said already."""
    if isinstance(database, Path) and not database.exists():
        return []
    try:
        async with open_read_only(database) as reader:
            stored = await stored_names(reader)
    except StoreError:
        return []
    unknown = [name for name in stored if not _is_known(name)]
    if not unknown:
        return [ok_finding(sentences.NAMES)]
    return [
        warning_finding(sentences.UNKNOWN_NAME, kind=kind, name=one_line(name, 60), rows=rows)
        for kind, name, rows in unknown
    ]


def _is_known(name: StoredName) -> bool:
    known = _IS_KNOWN_BY_KIND.get(name.kind)
    return known is None or bool(known(name.name))
