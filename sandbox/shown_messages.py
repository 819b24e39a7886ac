"""What a person in the sandbox sees: messages, and the answers to their acts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from .limits.components import texts, walk

Json = dict[str, Any]
_LINK = re.compile(r"</([a-z -]+):\d+>(?: `([^`]*)`)?")


def as_typed(words: str) -> str:
    """Returns the text with links to commands as people type them."""
    return _LINK.sub(lambda link: f"`/{' '.join(filter(None, link.groups()))}`", words)


@dataclass(frozen=True)
class Said:
    """A message as the person sees it; `json` is all of it, in the shape of the page's API."""

    json: Json

    @property
    def id(self) -> str:
        """The message's id."""
        return str(self.json["id"])

    @property
    def channel_id(self) -> str:
        """The id of its channel."""
        return str(self.json["channel_id"])

    @property
    def text(self) -> str:
        """All its text: content, then text displays. Links to commands are as people type them."""
        return as_typed("\n".join(filter(None, (self.json["content"], texts(self.json["components"])))))

    @property
    def command_links(self) -> list[str]:
        """The commands that it links to."""
        return [name for name, _ in _LINK.findall(f"{self.json['content']}\n{texts(self.json['components'])}")]

    @property
    def shown(self) -> str:
        """All its text as this person reads it: with names in place of mentions."""
        return re.sub(r"<@(\d+)>", lambda found: self.json["mentions"].get(found[1], "unknown-user"), self.text)

    @property
    def ephemeral(self) -> bool:
        """Whether only this person sees it."""
        return bool(self.json["ephemeral"])

    @property
    def pings_me(self) -> bool:
        """Whether it notified this person."""
        return bool(self.json["pings_me"])

    @property
    def attachments(self) -> list[Json]:
        """Its files, also those in components: url, description (alt text), …"""
        media: list[Json] = []
        for _, one in walk(self.json["components"]):
            media += [{**item, **item["media"]} for item in one.get("items") or ()]
            media += [{**one, **one[name]} for name in ("media", "file") if name in one]
        return [*self.json["attachments"], *(one for one in media if "attachment_id" in one)]

    @property
    def buttons(self) -> list[str]:
        """The labels of its enabled buttons."""
        found = [one for _, one in walk(self.json["components"]) if one["type"] == 2 and not one.get("disabled")]
        return [str(one.get("label")) for one in found]

    def component(self, label_or_custom_id: str) -> Json:
        """Returns the button or menu with this label, custom_id or start of a custom_id. Raises LookupError."""
        for _, one in walk(self.json["components"]):
            if label_or_custom_id in (one.get("label"), one.get("custom_id")):
                return one
            if str(one.get("custom_id")).startswith(f"{label_or_custom_id}:"):  # the end differs each time
                return one
        raise LookupError(f"no {label_or_custom_id!r} among {self.buttons} in {self.text!r}")


@dataclass(frozen=True)
class Reply:
    """The answer to an act.

    `state` is "answered" or "failed" (no answer in three seconds). `message` is new or changed; None after a silent
    answer or a deleted message. `modal` is the form that opened, with its `interaction_id`.
    """

    state: str
    answer: str | None
    message: Said | None = None
    modal: Json | None = None

    @property
    def failed(self) -> bool:
        """Whether the bot did not answer in time."""
        return self.state == "failed"

    @property
    def text(self) -> str:
        """The text of the answer; empty without a message."""
        return self.message.text if self.message else ""

    @property
    def ephemeral(self) -> bool:
        """Whether only this person sees the answer."""
        return self.message is not None and self.message.ephemeral

    @property
    def attachments(self) -> list[Json]:
        """The files of the answer."""
        return self.message.attachments if self.message else []

    @property
    def buttons(self) -> list[str]:
        """The labels of the answer's buttons."""
        return self.message.buttons if self.message else []
