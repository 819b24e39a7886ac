"""People in the servers of all shards, who keep playing while workers and databases fail and return."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from contextlib import AsyncExitStack
from typing import ClassVar, Self

from bot.core.events import EventKind
from bot.core.fold import replay_states
from bot.core.time_acts import CLAIM_GRACE_S
from rules import VARIANTS
from sandbox.limits import Kind
from sandbox.people import RefusedError, TooLateError
from tests.e2e.answers import UNSTORED
from tests.e2e.players import Circle, Company
from tests.e2e.room import Room
from tests.e2e.stored_games import stories
from tests.e2e.workers import WorkersHouse
from tests.e2e.workers.database import AwayError

_PATIENCE = 20.0  # seconds for which somebody waits for what has been promised, before they look again


class Guests(Circle):
    """A circle whose worker may disappear while they play: they look again for any answer that does not come."""

    glance: ClassVar[float] = 0.05

    async def act(self) -> None:
        """See `Circle.act`."""
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._go_on(self._latest())
        except TooLateError:
            self.pressed["too late"] += 1
        except (AwayError, RefusedError, TimeoutError) as error:
            self.pressed[type(error).__name__] += 1
        except (AssertionError, LookupError) as error:
            unstored = any(words in str(error) for words in UNSTORED)
            self.pressed["not stored" if unstored else f"odd: {error}"] += 1
        else:
            return
        await asyncio.sleep(self.glance)


class Courts(Company):
    """A circle in each shard's server."""

    house: WorkersHouse

    @classmethod
    async def assemble(cls, house: WorkersHouse, chance: random.Random, stack: AsyncExitStack) -> Self:
        """Gathers a circle for each shard, each with another variant."""
        variants = [*VARIANTS]
        circles: list[Circle] = []
        for number, room in enumerate(house.courts(stack)):
            variant = variants[number % len(variants)]
            pace, in_thread = "none" if number == 1 else "fast", number % 3 == 2
            circles.append(await Guests.gather(room, variant, chance, in_thread=in_thread, pace=pace))
        return cls(house, circles)

    def check_promises(self) -> None:
        """Asserts also that nobody asked for one table and got two."""
        super().check_promises()
        asked = Counter(
            one.person_id
            for one in self.house.server.world.interactions.values()
            if one.kind is Kind.COMMAND and one.command == "play"
        )
        set_up = self.house.bot.query(
            "SELECT user, count(*) FROM events WHERE kind = ? GROUP BY user", EventKind.OPENED.value
        )
        for host, tables in set_up:
            assert tables <= asked[host], f"{tables} tables of {host}, who has asked for {asked[host]}"


def check_clocks(house: WorkersHouse) -> Counter[str]:
    """Returns how often clocks and graces ran out; raises AssertionError if one was cut short."""
    found = Counter[str]()
    for number, events in stories(house).items():
        before, graced = None, 0
        for event, match in replay_states(number, events):
            if before is not None and before.clock.running_since is not None and event.kind is EventKind.GRACE:
                graced = event.at
                bank = before.clock.banks[before.turn]
                assert graced >= before.clock.running_since + bank, f"game #{number}: {event}"
            if event.kind is EventKind.OVERDUE:
                assert event.at >= graced + CLAIM_GRACE_S, f"game #{number}: {event}"
            found[event.kind.name] += event.kind in (EventKind.GRACE, EventKind.OVERDUE)
            before = match
    return +found


async def answered(room: Room) -> bool:
    """Returns True if the bot answers there at once."""
    person = room.people["A"]
    try:
        await person.autocomplete(room.channel, "move", {"move": "A"}, "move")
    except (TimeoutError, RefusedError):
        return False
    return True
