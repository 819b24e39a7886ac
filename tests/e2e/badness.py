"""Blows against the bot's input: unparsable events, unusable answers, unknown names in the database."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

from sandbox.faults import taken
from sandbox.gateway import Gateway
from tests.e2e.house import House

UNPARSED = (
    ("CHANNEL_CREATE", '{"guild_id":"GUILD","type":0}'),
    ("CHANNEL_UPDATE", '{"guild_id":"GUILD"}'),
    ("THREAD_CREATE", '{"guild_id":"GUILD","id":"5"}'),
    ("THREAD_LIST_SYNC", '{"guild_id":"GUILD"}'),
    ("GUILD_ROLE_CREATE", '{"guild_id":"GUILD","role":{}}'),
    ("GUILD_ROLE_UPDATE", '{"guild_id":"GUILD"}'),
    ("GUILD_UPDATE", "[]"),
    ("INTERACTION_CREATE", '{"id":"7","type":2}'),
    ("INTERACTION_CREATE", "null"),
    ("ENTITLEMENT_CREATE", "{}"),
    ("RESUMED", "null"),
    ("MESSAGE_CREATE", '"text"'),
)
"""Events with data that discord.py 2.7.1 cannot parse."""

UNREADABLE = ("no JSON at all", "[]", '{"op":0}', '{"op":0,"t":"GUILD_UPDATE","s":null}')
"""Frames that are not events."""

SERVER_NAMES = {"zone": "America/X", "pace": "glacial", "threads": "often", "language": "tlh"}


class Badness:
    """Strikes such blows at random."""

    def __init__(self, house: House, chance: random.Random) -> None:
        self._house = house
        self._chance = chance
        self.kinds: Counter[str] = Counter()

    def strike(self) -> str:
        """Strikes one random blow and returns its name."""
        strikes: dict[str, Callable[[], None]] = {
            "events": lambda: tell_unparsable(self._house.server.gateway, self._guild(), self._chance),
            "READY": self._spoil_ready,
            "callbacks": self._spoil_callbacks,
            "a person's names": self._spoil_person,
            "a server's names": self._spoil_server,
            "a ladder": self._spoil_ladder,
        }
        name = self._chance.choice([*strikes])
        strikes[name]()
        self.kinds[name] += 1
        return name

    def _guild(self) -> int:
        return self._chance.choice([*self._house.server.world.guilds])

    def _spoil_ready(self) -> None:
        """Makes the next session begin with an incomplete READY."""
        self._house.server.faults.ready_lacks[:] = [self._chance.choice(("shard", "user", "session_id", "guilds"))]
        self._house.server.gateway.forget_sessions()
        self._house.server.gateway.cut()

    def _spoil_callbacks(self) -> None:
        body, number = self._chance.choice((("", 204), ("", 200), ("OK", 200), ("[]", 200), ("{}", 200)))
        self._house.server.faults.add("POST /interactions/*/callback", taken(body, number), times=2)

    def _spoil_person(self) -> None:
        people = [one for (one,) in self._house.bot.query("SELECT DISTINCT user FROM players")]
        if people:
            spoil_person(self._house.bot.query, self._chance.choice(people))

    def _spoil_server(self) -> None:
        column = self._chance.choice([*SERVER_NAMES])
        sql = f"UPDATE guild_settings SET {column} = ? WHERE guild = ?"
        self._house.bot.query(sql, SERVER_NAMES[column], self._guild())

    def _spoil_ladder(self) -> None:
        """Makes a ladder of an unknown variant due, which fails at each tick."""
        sql = "INSERT INTO ladders (guild, variant, channel, wake) VALUES (?, 'avalon', 1, 1) ON CONFLICT DO NOTHING"
        self._house.bot.query(sql, self._guild())


def tell_unparsable(gateway: Gateway, guild: int, chance: random.Random) -> None:
    """Sends some unparsable events and frames to every session."""
    for event, data in chance.sample(UNPARSED, 3):
        gateway.tell_anything(event, data.replace("GUILD", str(guild)))
    gateway.say_anything(chance.choice(UNREADABLE))


def spoil_person(query: Callable[..., object], user: int) -> None:
    """Stores unknown values as that person's zone, reminders and theme."""
    columns = "user, zone, free_weekends, reminders, by_dm, automove"
    there = "ON CONFLICT (user) DO UPDATE SET zone = excluded.zone, reminders = excluded.reminders"
    query(f"INSERT INTO user_settings ({columns}) VALUES (?, 'America/X', 0, 'hourly', 0, 0) {there}", user)
    query("INSERT INTO preferences (user, key, value) VALUES (?, 'board', 'neon') ON CONFLICT DO NOTHING", user)
