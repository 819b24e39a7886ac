"""When a clock may run, computed from Discord's side: from what was done to the bot, not from what the bot noted.

The bot is up, and in the server, which no outage has taken away. A clock may also stand from a refused post on, while
there is no place in which the bot may see, write and attach: the game's thread if it has one, else its channel.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sandbox.permissions import Permission, permissions, sending_in
from sandbox.things import Channel
from sandbox.world import BOT_ID, World

Span = tuple[int, int]


def is_there(world: World, guild: int, *, up: bool) -> bool:
    """Returns True if the bot can be reached in the server now."""
    server = world.guilds[guild]
    return up and BOT_ID in server.members and not server.away


def has_place(world: World, places: Iterable[int | None]) -> bool:
    """Returns True if one of the places takes posts now."""
    return any(takes_posts(world, world.channels[place]) for place in places if place in world.channels)


def takes_posts(world: World, place: Channel) -> bool:
    """Returns True if the bot may see, write and attach there."""
    held = permissions(world, world.people[BOT_ID], place)
    needed = Permission.VIEW_CHANNEL | Permission.ATTACH_FILES | sending_in(place)
    return needed in held and not (place.locked and Permission.MANAGE_THREADS not in held)


@dataclass
class Account:
    """The spans in which something stood, noted after each thing done to the bot."""

    begun: int
    stood: list[Span] = field(default_factory=list)
    since: int | None = None

    def note(self, now: int, *, runs: bool) -> None:
        """Notes that it runs, or stands, from this instant on."""
        if not runs and self.since is None:
            self.since = now
        elif runs and self.since is not None:
            self.stood, self.since = [*self.stood, (self.since, now)], None


def ran(stood: Iterable[Span], first: int, last: int) -> int:
    """Returns the seconds from `first` to `last` outside of these spans."""
    return last - first - seconds([(max(one, first), min(other, last)) for one, other in stood])


def seconds(spans: Iterable[Span]) -> int:
    """Returns the total seconds of the spans, each second counted once."""
    total, reached = 0, 0
    for first, last in sorted(spans):
        total += max(0, last - max(first, reached))
        reached = max(reached, last)
    return total


def differ(ones: list[Span], others: list[Span]) -> int:
    """Returns the seconds that lie in the spans of exactly one of the two lists."""
    return 2 * seconds([*ones, *others]) - seconds(ones) - seconds(others)


def beyond(ones: list[Span], others: list[Span]) -> int:
    """Returns the seconds that lie in the first spans alone."""
    return seconds([*ones, *others]) - seconds(others)
