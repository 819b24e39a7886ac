"""What the doctor finds out about a database of PostgreSQL's."""

from __future__ import annotations

from bot.ops import sentences
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
        return [fault("{why}", why=sentences.fault(error))]
    if not seen.version:
        found = [ok(sentences.EMPTY, path=address, server=seen.server)]
    else:
        size = megabytes(seen.size)
        found = [ok(sentences.SERVER, path=address, server=seen.server, size=size, version=seen.version)]
    if 0 < seen.version < len(steps()):
        found.append(ok(sentences.OLDER_THERE, version=seen.version, present=len(steps())))
    found.append(ok(sentences.RUNNING if seen.used else sentences.NOT_RUNNING))
    if not seen.safe:
        found.append(fault(sentences.UNSAFE))
    return [*found, ok(sentences.OWN_BACKUPS)]
