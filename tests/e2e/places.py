"""Channels, threads and roles for a test, and what the bot may do there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from sandbox.discord_types import Channel
from sandbox.people import Person
from sandbox.permissions import Permission
from sandbox.world import BOT_ID
from tests.e2e.room import Room, set_server

PLACES = ("forum", "audit", "announcements")


@asynccontextmanager
async def settled(room: Room, **settings: Any) -> AsyncIterator[Person]:
    """Sets the server up with those settings for the block; yields the person who manages it."""
    async with await room.house.join("Ada") as judge:
        try:
            await set_server(
                judge, room.channel, **{key: [one] if key in PLACES else one for key, one in settings.items()}
            )
            yield judge
        finally:
            await set_server(judge, room.channel, threads="ask", forum=[], audit=[])


SEND_MESSAGES, ATTACH_FILES = 1 << 11, 1 << 15

CREATE_PUBLIC_THREADS, SEND_IN_THREADS = 1 << 35, 1 << 38


async def forbid(person: Person, channel: str, deny: int) -> None:
    """Denies the bot exactly these permissions in that channel; 0 gives all back."""
    overwrite = {"of": str(BOT_ID), "allow": 0, "deny": deny}
    await person.call("PUT", f"/app/channels/{await person.find(channel)}/overwrites", overwrite)


async def private_thread(room: Room, *members: Person) -> str:
    """Makes a private thread in the room's channel with those people and the bot; returns its id."""
    world, name = room.house.server.world, f"{room.name} in private"
    people = (*(int(member.id) for member in members), BOT_ID)
    thread = Channel(world.next_id(), room.guild, name, 12, int(room.channel), int(members[0].id), people)
    world.put(thread)
    await change(members[0], str(thread.id), name=name)  # by which the bot and the page hear of it
    await members[0].find(name)
    return str(thread.id)


async def change(person: Person, thread: str, **values: object) -> None:
    """Renames, archives or reopens a thread."""
    await person.call("PATCH", f"/app/channels/{thread}", values)


async def grant(manager: Person, guild: int, *permissions: Permission) -> None:
    """Allows the bot's role these permissions in the whole server, and no others beyond the invitation's."""
    await manager.call("PUT", f"/app/guilds/{guild}/bot-role", {"allow": sum(map(int, permissions))})


async def add_role(manager: Person, guild: int, name: str, **traits: bool) -> str:
    """Adds a role, below the bot's own or `above` it, perhaps `mentionable`; returns its id."""
    return str((await manager.call("POST", f"/app/guilds/{guild}/roles", {"name": name, **traits}))["id"])
