"""What the doctor finds out about a database of PostgreSQL's."""

from __future__ import annotations

from bot.ops import sentences as words
from bot.ops.doctor import Finding, fault, megabytes, ok
from bot.store import StoreError
from bot.store.address import Address
from bot.store.migrations import steps
from bot.store.postgresql import inspect


async def ask_postgresql(address: Address) -> list[Finding]:
    """What a database of PostgreSQL's shows."""
    try:
        seen = await inspect(address)
    except StoreError as error:
        return [fault("{why}", why=words.fault(error))]
    if not seen.version:
        found = [ok(words.EMPTY, path=address, server=seen.server)]
    else:
        size = megabytes(seen.size)
        found = [ok(words.SERVER, path=address, server=seen.server, size=size, version=seen.version)]
    if 0 < seen.version < len(steps()):
        found.append(ok(words.OLDER_THERE, version=seen.version, present=len(steps())))
    found.append(ok(words.RUNNING if seen.used else words.NOT_RUNNING))
    if not seen.safe:
        found.append(fault(words.UNSAFE))
    return [*found, ok(words.OWN_BACKUPS)]
