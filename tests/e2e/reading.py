"""Messages and events that a test looks up."""

from __future__ import annotations

from bot.core.events import EventKind
from sandbox.people import Person, Said
from tests.e2e.house import House
from tests.e2e.room import public


async def newest(person: Person, channel: str, sign: str) -> Said:
    """Returns the newest public message there; asserts that it contains `sign`."""
    await person.wait_for(channel, lambda said: sign in said.text)
    said = (await public(person, channel))[-1]
    assert sign in said.text
    return said


def kinds(house: House, number: int) -> list[EventKind]:
    """Returns the kinds of a game's events, in order."""
    return [EventKind(kind) for match, _, kind, *_ in house.bot.events() if match == number]
