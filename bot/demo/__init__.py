"""The sandbox as Round Table's: the names in its first world, whose turn it is, and the first steps of a newcomer."""

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
