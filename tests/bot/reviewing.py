"""What the tests of reviews and of closed positions share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import engine
from bot.core.events import Event
from bot.core.match import Match
from bot.play.service import Service
from tests.bot.playing import GUILD


class Thinker:
    """The engine in this process; counts its questions."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def __call__(self, name: Any, *arguments: Any, **named: Any) -> Any:
        self.asked.append(name)
        if name == "evaluate_chances":
            named["nodes"] = min(named["nodes"], 100)
        else:  # quickly
            arguments = (arguments[0], "easy", *arguments[2:])
        return getattr(engine, name)(*arguments, **named)


async def set_up(service: Service, events: Iterable[Event]) -> Match:
    async with service.store.write_transaction() as tx:
        number = await tx.add_match(Match.replay(0, events), [*events])
    return await service.current_match(number, GUILD)
