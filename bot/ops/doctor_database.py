"""The doctor's questions to the database: about PostgreSQL itself, and about stored names that are unknown here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bot.core.clock import Pace
from bot.core.events import EventKind
from bot.core.preferences import PREFERENCE_VALUES
from bot.core.settings import Reminders, Threads
from bot.core.zones import is_known_zone
from bot.features import TABLES
from bot.ops.doctor import format_megabytes
from bot.ops.doctor_checks import Finding, finding
from bot.ops.sentences import fault_sentence
from bot.store import StoreError, open_read_only
from bot.store.address import Address, Database
from bot.store.migrations import last_version
from bot.store.stored_names import StoredName, stored_names
from bot.texts.i18n import LANGUAGES
from bot.texts.markup import one_line
from rules import VARIANTS

_IS_KNOWN_BY_KIND: dict[str, Callable[[str], object]] = {
    "zone": is_known_zone,
    "reminders": {member.value for member in Reminders}.__contains__,
    "pace": {member.value for member in Pace}.__contains__,
    "threads": {member.value for member in Threads}.__contains__,
    "language": LANGUAGES.__contains__,
    "variant": VARIANTS.__contains__,
    "event": {str(member.value) for member in EventKind}.__contains__,
    **{key: values.__contains__ for key, values in PREFERENCE_VALUES.items()},
}


async def ask_postgresql(address: Address) -> list[Finding]:
    """Returns the findings about a PostgreSQL database."""
    from bot.store.postgresql import inspect_database  # its driver is an extra

    try:
        seen = await inspect_database(address)
    except StoreError as error:
        return [finding("database", False, why=fault_sentence(error))]
    known = {"path": address, "server": seen.server, "size": format_megabytes(seen.size), "version": seen.version}
    return [
        finding("server" if seen.version else "empty-server", **known),
        *([finding("older-server", **known, present=last_version())] if 0 < seen.version < last_version() else []),
        finding("running" if seen.in_use else "not-running"),
        *([] if seen.is_durable else [finding("durability", False)]),
        finding("server-backups"),
    ]


async def check_stored_names(database: Database) -> list[Finding]:
    """Returns a finding for each unknown stored name; none if the database is unreadable, which another check
    reports."""
    if isinstance(database, Path) and not database.exists():
        return []
    try:
        async with open_read_only(database) as reader:
            stored = await stored_names(reader, TABLES)
    except StoreError:
        return []
    unknown = [name for name in stored if not _is_known(name)]
    if not unknown:
        return [finding("names")]
    return [finding("names", False, kind=kind, name=one_line(name, 60), rows=rows) for kind, name, rows in unknown]


def _is_known(name: StoredName) -> bool:
    known = _IS_KNOWN_BY_KIND.get(name.kind)
    return known is None or bool(known(name.name))
