"""Finished games for the openings: ten short games of Camette, two of them the mirror image of others."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle

from sandbox.people import Person
from tests.e2e.room import Room

LINES = (
    *[("C2-C4", "B5-A5")] * 3,
    *[("C2-C4", "D5-E5")] * 2,  # the same, mirrored
    *[("B3-B2", "B5-A5")] * 2,
    *[("B3-A3", "B5-A5")] * 2,
    ("C2-B2", "B5-A4"),
)


async def finish_games(room: Room, hosts: Sequence[Person], bo: Person, games: int = 10) -> None:
    """Plays that many games, of two moves each, which Bo resigns. One host may not open ten tables in a minute."""
    for line, ada in zip(LINES[:games], cycle(hosts), strict=False):
        played = await room.start("camette", ada, bo)
        for move in line:
            await played.move(move)
        asked = await bo.command(room.channel, "game resign", game=str(played.number))
        await bo.click(asked, asked.buttons[0])
        await ada.wait_for(room.channel, lambda said, n=played.number: f"game #{n} is over" in said.text)
