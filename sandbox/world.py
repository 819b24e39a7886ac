"""The whole state of a sandbox, kept on disk."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from .discord_types import (
    Channel,
    Command,
    Guild,
    Interaction,
    Message,
    ReadMark,
    Thing,
    User,
    key_of,
    read_thing,
    stored_name,
)
from .errors import Code, Refusal
from .world_files import WorldFiles

BOT_ID = 1100000000000000001
"""The bot's user, and its application: Discord gives both the same id."""
FoundT = TypeVar("FoundT")
_EPOCH = 1420070400.0  # snowflakes count milliseconds since 2015


@dataclass
class World:
    """The whole state. Only `put` changes it; `commit` makes the changes durable.

    Tests may replace `clock`. `most_threads`: active threads a server may have; `last_id`: the newest snowflake so far;
    `url`: the sandbox's address, without a slash at the end.
    """

    files: WorldFiles
    url: str = ""
    clock: Callable[[], float] = time.time
    most_threads: int = 1000
    last_id: int = 0
    people: dict[int, User] = field(default_factory=dict)
    guilds: dict[int, Guild] = field(default_factory=dict)
    channels: dict[int, Channel] = field(default_factory=dict)
    commands: dict[int, Command] = field(default_factory=dict)
    interactions: dict[int, Interaction] = field(default_factory=dict)
    marks: dict[tuple[int, int], ReadMark] = field(default_factory=dict)
    _messages: dict[int, dict[int, Message]] = field(default_factory=dict)
    _tokens: dict[str, int] = field(default_factory=dict)
    _nonces: dict[tuple[int, int, str], Message] = field(default_factory=dict)
    _pings: dict[int, dict[int, int]] = field(default_factory=dict)  # person -> unread message -> channel
    _clocks: set[asyncio.TimerHandle] = field(default_factory=set)

    @classmethod
    def load(cls, files: WorldFiles, clock: Callable[[], float] = time.time) -> World:
        """Returns the world in the files; an empty one if there are none."""
        world = cls(files, clock=clock)
        kinds: tuple[type[Thing], ...] = (User, Guild, Channel, Message, Command, Interaction, ReadMark)
        for kind in kinds:
            for body in files.all(stored_name(kind)):
                world._remember(read_thing(kind, body))
        return world

    def next_id(self) -> int:
        """Returns a new snowflake, greater than all before."""
        now = int((self.clock() - _EPOCH) * 1000) << 22
        self.last_id = max(now, self.last_id + 1)
        return self.last_id

    def put(self, thing: Thing) -> None:
        """Adds a thing, or replaces the one of the same id."""
        self._remember(thing)
        self.files.put(stored_name(type(thing)), key_of(thing), thing)

    def commit(self) -> None:
        """Makes the changes durable: they survive the death of the process from here on."""
        self.files.commit()

    def after(self, seconds: float, act: Callable[[], None]) -> None:
        """Calls `act` later and commits what it changed, unless the sandbox is closed before."""

        def run() -> None:
            self._clocks.discard(clock)
            act()
            self.commit()

        clock = asyncio.get_running_loop().call_later(seconds, run)
        self._clocks.add(clock)

    def stop_clocks(self) -> None:
        """Calls nothing later any more."""
        for clock in self._clocks:
            clock.cancel()

    def channel(self, number: int) -> Channel:
        """Returns the channel. Refusal: 10003."""
        return _find(self.channels, number, Code.UNKNOWN_CHANNEL)

    def guild(self, number: int) -> Guild:
        """Returns the server. Refusal: 10004."""
        return _find(self.guilds, number, Code.UNKNOWN_GUILD)

    def person(self, number: int) -> User:
        """Returns the person or bot. Refusal: 10013."""
        return _find(self.people, number, Code.UNKNOWN_USER)

    def message(self, channel_id: int, number: int) -> Message:
        """Returns the message, also an ephemeral one. Refusal: 10008."""
        return _find(self._messages.get(channel_id, {}), number, Code.UNKNOWN_MESSAGE)

    def messages(self, channel_id: int) -> list[Message]:
        """Returns the channel's messages, oldest first, ephemeral ones included."""
        return list(self._messages.get(channel_id, {}).values())

    def last_message(self, channel_id: int) -> Message | None:
        """Returns the channel's newest message that everybody sees."""
        newest_first = reversed(self._messages.get(channel_id, {}).values())
        return next((message for message in newest_first if message.only_for is None), None)

    def unread(self, person_id: int, channel_id: int) -> int:
        """Returns the number of unread messages of others there, 100 at most."""
        mark = self.marks.get((person_id, channel_id))
        count = 0
        for message in reversed(self._messages.get(channel_id, {}).values()):
            if count == 100 or (mark is not None and message.id <= mark.last):
                break
            count += message.author_id != person_id and message.only_for in (None, person_id)
        return count

    def pings(self, person_id: int, channel_id: int | None = None) -> int:
        """Returns the number of unread messages that pinged the person there; without a channel, anywhere."""
        places = self._pings.get(person_id, {}).values()
        return len(places) if channel_id is None else sum(place == channel_id for place in places)

    def interaction(self, token: str) -> Interaction | None:
        """Returns the interaction of a token; None for an unknown token."""
        return self.interactions.get(self._tokens.get(token, 0))

    def with_nonce(self, channel_id: int, author_id: int, nonce: str, within: float) -> Message | None:
        """Returns the author's message there with this nonce, of the last `within` seconds; None without one."""
        found = self._nonces.get((channel_id, author_id, nonce))
        if found is None or self.clock() - found.at > within:
            return None
        return self._messages.get(found.channel_id, {}).get(found.id)

    def threads_of(self, guild_id: int) -> list[Channel]:
        """Returns the server's threads, archived ones included, oldest first."""
        return [channel for channel in self.channels.values() if channel.guild_id == guild_id and channel.is_thread]

    def require_thread_room(self, guild_id: int | None) -> None:
        """Refuses one more active thread in a server that has the most (160006)."""
        if guild_id is not None and sum(not one.archived for one in self.threads_of(guild_id)) >= self.most_threads:
            raise Refusal(Code.TOO_MANY_THREADS)

    def place(self, channel: Channel) -> Channel:
        """Returns the channel whose permissions count: a thread's parent, else the channel itself."""
        return self.channel(channel.parent_id) if channel.is_thread and channel.parent_id else channel

    def has_bot(self, channel: Channel) -> bool:
        """Returns whether the bot is a member there: of the server, or of direct messages."""
        return channel.guild_id is None or BOT_ID in self.guild(channel.guild_id).members

    def owners(self, channel: Channel, person: User) -> dict[str, str]:
        """Returns the installations by which the bot acts there: of the server ("0"), of the person ("1"), or both."""
        server = {"0": str(channel.guild_id or 0)} if self.has_bot(channel) else {}
        return server | ({"1": str(person.id)} if person.installed else {})

    def drop_message(self, message: Message) -> None:
        """Removes a message and its files."""
        del self._messages[message.channel_id][message.id]
        self.files.drop("Message", key_of(message))
        for person_id in message.pinged:
            self._pings.get(person_id, {}).pop(message.id, None)
        for attachment in message.attachments:
            self.files.drop_file(attachment.id)

    def drop_channel(self, channel: Channel) -> None:
        """Removes a channel with its messages and threads."""
        for below in [one for one in self.channels.values() if one.is_thread and one.parent_id == channel.id]:
            self.drop_channel(below)
        for message in self.messages(channel.id):
            self.drop_message(message)
        del self.channels[channel.id]
        self.files.drop("Channel", key_of(channel))

    def drop_command(self, command: Command) -> None:
        """Removes a command."""
        del self.commands[command.id]
        self.files.drop("Command", key_of(command))

    def _remember(self, thing: Thing) -> None:
        match thing:
            case User():
                self.people[thing.id] = thing
            case Guild():
                self.guilds[thing.id] = thing
            case Channel():
                self.channels[thing.id] = thing
            case Command():
                self.commands[thing.id] = thing
            case Interaction():
                self.interactions[thing.id] = thing
                self._tokens[thing.token] = thing.id
            case ReadMark():
                self.marks[thing.person_id, thing.channel_id] = thing
                waiting = self._pings.get(thing.person_id, {})
                for number in [n for n, place in waiting.items() if place == thing.channel_id and n <= thing.last]:
                    del waiting[number]
            case Message():
                self._messages.setdefault(thing.channel_id, {})[thing.id] = thing
                for person_id in thing.pinged:
                    mark = self.marks.get((person_id, thing.channel_id))
                    if mark is None or mark.last < thing.id:
                        self._pings.setdefault(person_id, {})[thing.id] = thing.channel_id
                if thing.nonce:
                    self._nonces[thing.channel_id, thing.author_id, thing.nonce] = thing
        if not isinstance(thing, ReadMark):
            self.last_id = max(self.last_id, thing.id)


def _find(things: Mapping[int, FoundT], number: int, missing: Code) -> FoundT:
    try:
        return things[number]
    except KeyError:
        raise Refusal(missing) from None


def changed(world: World, channel: Channel, **values: Any) -> Channel:
    """Changes values of a channel, and returns it."""
    channel = replace(channel, **values)
    world.put(channel)
    return channel
