"""How many games there are of a kind: asked of the store by whoever watches over the bot."""

from __future__ import annotations

from typing import NamedTuple

from bot.store import Reader


class Census(NamedTuple):
    """Numbers of games."""

    live: int
    unannounced: int


async def census(reader: Reader) -> Census:
    """The games in progress, and those of which the players have not been told everything."""
    # Something is always due in a live game some day, so the index over that finds them among the finished ones.
    live = await reader.run("SELECT count(*) FROM matches WHERE deadline IS NOT NULL AND phase = 'live'")
    unannounced = await reader.run("SELECT count(*) FROM matches WHERE newsworthy > announced")
    return Census(live[0][0], unannounced[0][0])
