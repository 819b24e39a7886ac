"""What a message may carry: text, files, flags; and which fields exclude each other."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntFlag
from typing import NamedTuple

from ..errors import Code, Refusal, invalid
from .components import check_components
from .forms import Json, check_length, joined
from .mentions import check_allowed_mentions

MAX_CONTENT_LENGTH = 2000
LARGEST_FILE = 10 * 1024 * 1024
MAX_FILES = 10
LONGEST_ALT_TEXT = 1024


class Flag(IntFlag):
    """The message flags that the sandbox knows."""

    SUPPRESS_EMBEDS = 1 << 2
    HAS_THREAD = 1 << 5
    EPHEMERAL = 1 << 6
    LOADING = 1 << 7
    SUPPRESS_NOTIFICATIONS = 1 << 12
    COMPONENTS_V2 = 1 << 15


class Upload(NamedTuple):
    """One uploaded file: its name, its bytes, its alt text (None without one)."""

    name: str
    content: bytes
    description: str | None


def check_message(body: Json, files: Sequence[str], *, v2: bool) -> None:
    """Refuses a message, given whole, that Discord would not accept.

    `files` are the names of all its files; `v2`: its components are V2. Refusals: 50035, 50006.
    """
    for name in ("embeds", "poll", "sticker_ids"):
        if body.get(name):
            raise invalid(name, "NOT_SERVED", f"The sandbox has no {name}.")
    if v2 and body.get("content"):
        raise invalid(
            "content",
            "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
            "The 'content' field cannot be used when using MessageFlags.IS_COMPONENTS_V2",
        )
    check_length("content", body.get("content"), MAX_CONTENT_LENGTH)
    check_components(body.get("components") or [], v2=v2, files=files)
    check_allowed_mentions(body.get("allowed_mentions"))
    shown = body.get("components") if v2 else (body.get("content") or "").strip() or files
    # Buttons alone do not make a message: without text or file, classic components are "empty" too.
    if not shown:
        raise Refusal(Code.EMPTY_MESSAGE)


def check_files(new: Sequence[Upload], kept: int = 0) -> None:
    """Refuses more than ten files in all, an empty file, one beyond 10 MiB (40005), and too long an alt text.

    Discord's documentation gives no code for an empty file; it is refused because discord.py's `File` sends
    0 bytes, without an error, when it is used twice.
    """
    if len(new) + kept > MAX_FILES:
        raise invalid("attachments", "BASE_TYPE_MAX_LENGTH", f"Must be {MAX_FILES} or fewer in length.")
    for number, file in enumerate(new):
        if not file.content:
            raise invalid(joined("attachments", number), "ATTACHMENT_EMPTY", f"The file {file.name!r} is empty")
        if len(file.content) > LARGEST_FILE:
            raise Refusal(Code.ENTITY_TOO_LARGE)
        check_length(joined("attachments", number, "description"), file.description, LONGEST_ALT_TEXT)


def check_nonce(body: Json) -> str | None:
    """Returns the nonce of a new message; None without one. Refuses one beyond 25 characters."""
    nonce = body.get("nonce")
    if nonce is None:
        return None
    check_length("nonce", str(nonce), 25)
    return str(nonce)
