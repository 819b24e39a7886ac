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
    live = await reader.run("SELECT count(*) FROM matches WHERE phase = 'live'")
    unannounced = await reader.run("SELECT count(*) FROM matches WHERE newsworthy > announced")
    return Census(live[0][0], unannounced[0][0])
