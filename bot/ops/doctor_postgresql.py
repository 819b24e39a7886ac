"""What the doctor finds out about a database of PostgreSQL's."""

from __future__ import annotations

from bot.ops import sentences
from bot.ops.doctor import Finding, fault_finding, format_megabytes, ok_finding
from bot.store import StoreError
from bot.store.address import Address
from bot.store.migrations import last_version
from bot.store.postgresql import inspect_database


async def ask_postgresql(address: Address) -> list[Finding]:
    """What a database of PostgreSQL's shows."""
    try:
        inspection = await inspect_database(address)
    except StoreError as error:
        return [fault_finding("{why}", why=sentences.fault_sentence(error))]
    if not inspection.version:
        findings = [ok_finding(sentences.EMPTY_DATABASE, path=address, server=inspection.server)]
    else:
        size = format_megabytes(inspection.size)
        findings = [
            ok_finding(sentences.SERVER, path=address, server=inspection.server, size=size, version=inspection.version)
        ]
    if 0 < inspection.version < last_version():
        findings.append(ok_finding(sentences.OLDER_THERE, version=inspection.version, present=last_version()))
    findings.append(ok_finding(sentences.RUNNING if inspection.in_use else sentences.NOT_RUNNING))
    if not inspection.is_durable:
        findings.append(fault_finding(sentences.UNSAFE))
    return [*findings, ok_finding(sentences.OWN_BACKUPS)]
