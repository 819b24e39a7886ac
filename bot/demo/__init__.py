"""Round Table's part of the sandbox: the names in its first world, whose turn it is, and a newcomer's first steps."""

from pathlib import Path

from sandbox import BotProfile

SANDBOX_PROFILE = BotProfile(
    bot="Round Table",
    server="Round Table",
    channel="round-table",
    forum="games",
    forum_tags=("Camelot", "Tri-Camelot", "running", "over"),
    page=Path(__file__).parent / "page",
)
