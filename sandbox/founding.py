"""A new world: two servers with the bot, one without, and four people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from .discord_types import FORUM, NEWS, VOICE, Channel, Guild, Json, Overwrite, Thing, User
from .permissions import Permission
from .profile import BotProfile
from .world import BOT_ID, World


def settle(world: World, profile: BotProfile) -> None:
    """Fills an empty world. In the server without the bot only Cleo can use it, who has installed it."""
    bot = User(BOT_ID, profile.bot, bot=True)
    people = [User(world.next_id(), name) for name in ("Ada", "Bjørn", "Cleo", "Dag")]
    people[1] = replace(people[1], locale="no")
    people[2] = replace(people[2], installed=True)
    members = (bot.id, *(person.id for person in people))
    home = Guild(world.next_id(), profile.server, members=members, managers=(people[0].id,), community=True)
    other = Guild(world.next_id(), "Other Court", members=members)
    silent = Guild(world.next_id(), "Silent Court", members=members[1:])
    things: tuple[Thing, ...] = (bot, *people, home, other, silent, *_channels(world, profile, home, other, silent))
    for thing in things:
        world.put(thing)
    world.commit()


def _channels(world: World, profile: BotProfile, home: Guild, other: Guild, silent: Guild) -> Iterator[Channel]:
    yield Channel(world.next_id(), home.id, profile.channel)
    yield Channel(world.next_id(), home.id, "lobby")
    mute = Overwrite(BOT_ID, member=True, deny=int(Permission.SEND_MESSAGES))
    yield Channel(world.next_id(), home.id, "read-only", overwrites=(mute,))
    yield Channel(world.next_id(), home.id, "news", NEWS)
    yield Channel(world.next_id(), home.id, "hall", VOICE)
    yield Channel(world.next_id(), home.id, profile.forum, FORUM, tags=tags(world, *profile.forum_tags))
    yield Channel(world.next_id(), other.id, "elsewhere")
    yield Channel(world.next_id(), silent.id, "silence")


def tags(world: World, *names: str) -> tuple[Json, ...]:
    """Returns tags with those names, for a forum."""
    emoji = {"emoji_id": None, "emoji_name": None}
    return tuple({"id": str(world.next_id()), "name": name, "moderated": False, **emoji} for name in names)
