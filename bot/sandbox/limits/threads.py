"""What archived and locked threads refuse."""

from __future__ import annotations

from typing import Any

from ..errors import Code, Refusal
from .forms import check_length, check_member, check_required

_AUTO_ARCHIVE = (None, 60, 1440, 4320, 10080)


def check_may_send(*, locked: bool, moderator: bool, archived: bool = False) -> None:
    """Refuses a message in a locked thread, but not a moderator's: 160005, or 50083 where it is archived as well.

    One that is archived alone just wakes up.
    """
    if locked and not moderator:
        raise Refusal(Code.THREAD_ARCHIVED if archived else Code.THREAD_LOCKED)


def check_may_edit(*, archived: bool) -> None:
    """Refuses edits, and new members, in an archived thread (50083)."""
    if archived:
        raise Refusal(Code.THREAD_ARCHIVED)


def check_thread(body: dict[str, Any]) -> None:
    """Refuses a thread without a name of 1 to 100 characters, or with an unknown time to its archival."""
    check_required("", body, "name")
    check_length("name", body["name"], 100, 1)
    check_member("auto_archive_duration", body.get("auto_archive_duration"), _AUTO_ARCHIVE)
