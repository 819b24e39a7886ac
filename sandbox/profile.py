"""What a sandbox knows about the bot that it is started for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class BotProfile:
    """The names in a new world, and what the bot adds to the chat page. A world that exists keeps its names."""

    bot: str = "Test Bot"
    server: str = "Test Server"
    """The first of the three servers."""
    channel: str = "general"
    """The first channel of that server."""
    forum: str = "forum"
    forum_tags: tuple[str, ...] = ("question", "answered")
    page: Path | None = None
    """A folder with `extension.js`, which the page imports from /extension/; README.md says what it may export."""
