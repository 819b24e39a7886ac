"""What archived and locked threads refuse, and the rules of new threads and tags."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import Code, Refusal, invalid
from .forms import check_length, check_member, check_required

_AUTO_ARCHIVE = (None, 60, 1440, 4320, 10080)
MAX_TAGS = 5
"""Tags that a forum's post may have."""


def check_may_send(*, locked: bool, archived: bool, moderator: bool) -> None:
    """Refuses a message in a locked thread unless a moderator writes it: 160005, or 50083 if it is also archived.

    A thread that is archived but not locked wakes up.
    """
    if locked and not moderator:
        raise Refusal(Code.THREAD_ARCHIVED if archived else Code.THREAD_LOCKED)


def check_may_edit(*, archived: bool) -> None:
    """Refuses edits, and new members, in an archived thread (50083)."""
    if archived:
        raise Refusal(Code.THREAD_ARCHIVED)


def check_thread(body: dict[str, object]) -> None:
    """Refuses a thread without a name of 1 to 100 characters, or with an unknown `auto_archive_duration`."""
    check_required("", body, "name")
    check_length("name", body["name"], 100, 1)
    check_member("auto_archive_duration", body.get("auto_archive_duration"), _AUTO_ARCHIVE)


def check_tags(
    applied: Sequence[object], offered: Sequence[dict[str, object]], *, needed: bool, moderator: bool
) -> None:
    """Refuses tags of a forum's post: more than five, unknown ones, moderators' ones (50013), or none (40067)."""
    if needed and not applied:
        raise Refusal(Code.TAG_REQUIRED)
    if len(applied) > MAX_TAGS:
        raise invalid("applied_tags", "BASE_TYPE_BAD_LENGTH", "Must be 5 or fewer in length.")
    known = {str(tag["id"]): tag for tag in offered}
    if any(str(one) not in known for one in applied):
        raise invalid("applied_tags", "FORUM_TAG_INVALID", "Invalid tag")
    if not moderator and any(known[str(one)].get("moderated") for one in applied):
        raise Refusal(Code.MISSING_PERMISSIONS)
