"""The files of messages: which an edit keeps, which are new, and their descriptions."""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Mapping
from dataclasses import dataclass

from .discord_types import Attachment, Json
from .errors import invalid
from .limits.messages import Upload, check_files
from .world import World

Files = Mapping[int, tuple[str, bytes]]
"""Uploaded files: number -> name, bytes."""
_UNSAFE = re.compile(r"[^\w.\-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Attached:
    """All files that a message will have, and the bytes of the new ones by id."""

    files: tuple[Attachment, ...]
    contents: Mapping[int, bytes]

    @property
    def names(self) -> list[str]:
        """The names of all files."""
        return [file.filename for file in self.files]

    def store(self, world: World) -> None:
        """Writes the new files to disk."""
        for number, content in self.contents.items():
            world.files.put_file(number, content)


def attach(world: World, body: Json, files: Files, before: tuple[Attachment, ...] = ()) -> Attached:
    """Returns the files of a message that had those `before`; writes nothing. Refusals: 50035, 40005.

    `attachments` in the body lists files to keep (by id) and describes new ones (by number); without it all files are
    kept. An uploaded file that is not listed is added.
    """
    listed = body.get("attachments")
    described: dict[str, Json] = {str(one.get("id")): one for one in listed or ()}
    known = {str(number) for number in (*files, *(one.id for one in before))}
    for number in described.keys() - known:
        raise invalid("attachments", "ATTACHMENT_NOT_FOUND", f"There is no attachment {number}")
    new = [Upload(*file, described.get(str(number), {}).get("description")) for number, file in files.items()]
    kept = [one for one in before if listed is None or str(one.id) in described]
    check_files(new, kept=len(kept))
    made = [_attachment(world, upload) for upload in new]
    contents = {one.id: upload.content for one, upload in zip(made, new, strict=True)}
    return Attached((*kept, *made), contents)


def picture_size(content: bytes) -> tuple[int, int] | tuple[None, None]:
    """Returns width and height of a PNG or GIF from its header; None for everything else."""
    if content[:8] == b"\x89PNG\r\n\x1a\n" and len(content) >= 24:
        return int.from_bytes(content[16:20], "big"), int.from_bytes(content[20:24], "big")
    if content[:4] == b"GIF8" and len(content) >= 10:
        return int.from_bytes(content[6:8], "little"), int.from_bytes(content[8:10], "little")
    return None, None


def _attachment(world: World, upload: Upload) -> Attachment:
    name = _UNSAFE.sub("_", upload.name) or "unknown"
    width, height = picture_size(upload.content)
    kind = mimetypes.guess_type(name)[0]
    return Attachment(world.next_id(), name, len(upload.content), kind, upload.description, width, height)
