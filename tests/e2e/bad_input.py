"""Blows against the bot's input: unparsable events, unusable answers, unknown names in the database."""

from __future__ import annotations

import random
from collections.abc import Callable

from sandbox.gateway import Gateway

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


def tell_unparsable(gateway: Gateway, guild: int, chance: random.Random) -> None:
    """Sends some unparsable events and frames to every session."""
    for event, data in chance.sample(UNPARSED, 3):
        gateway.tell_anything(event, data.replace("GUILD", str(guild)))
    gateway.say_anything(chance.choice(UNREADABLE))


def spoil_person(query: Callable[..., object], user: int) -> None:
    """Stores unknown values as that person's zone, reminders and theme."""
    columns = "user, zone, free_days, reminders, by_dm, automove"
    there = "ON CONFLICT (user) DO UPDATE SET zone = excluded.zone, reminders = excluded.reminders"
    query(f"INSERT INTO user_settings ({columns}) VALUES (?, 'America/X', 0, 'hourly', 0, 0) {there}", user)
    query("INSERT INTO preferences (user, key, value) VALUES (?, 'board', 'neon') ON CONFLICT DO NOTHING", user)
