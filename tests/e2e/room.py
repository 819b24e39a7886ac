"""A channel, the people in it, and the games they play there."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Self

from bot.core.settings import SETTINGS, GuildSettings, UserSettings
from rules import VARIANTS, Game, legal_moves
from sandbox.people import WAIT_LIMIT_S, Person, Reply, Said
from tests.e2e.forged_components import press_old
from tests.e2e.house import House
from tests.sentences import confirmed, label


class Room:
    """A text channel with people of its own. All rooms share one server: openings and lists hold all their games."""

    def __init__(self, house: House, name: str, channel: str, stack: AsyncExitStack) -> None:
        self.house = house
        self.name = name
        self.channel = channel
        self._stack = stack
        self.people: dict[str, Person] = {}
        self._owner: Person | None = None

    @classmethod
    async def found(cls, house: House, name: str, stack: AsyncExitStack) -> Self:
        """Makes the channel; returns the room without people."""
        room = cls(house, name, "", stack)
        ada = await room.enter_owner()
        room.channel = (await ada.call("POST", f"/app/guilds/{room.guild}/channels", {"name": name}))["id"]
        return room

    @classmethod
    @asynccontextmanager
    async def opened(cls, house: House, name: str = "room") -> AsyncIterator[Self]:
        """Makes the channel and yields the room; at the end its people leave the page."""
        async with AsyncExitStack() as stack:
            yield await cls.found(house, name, stack)

    @staticmethod
    def guild_of(house: House, name: str) -> int:
        """Returns the id of the server of that name."""
        return next(one.id for one in house.server.world.guilds.values() if one.name == name)

    @property
    def guild(self) -> int:
        """The id of this server."""
        return self.guild_of(self.house, "Round Table")

    async def enter(self, *names: str, locale: str = "en-US") -> list[Person]:
        """Has new people join the server and open the page. The room's name makes their names unique."""
        return [await self._enter(name, locale) for name in names]

    async def enter_owner(self) -> Person:
        """Has Ada, who owns the server, open the page, unless they have."""
        self._owner = self._owner or await self._stack.enter_async_context(await self.house.join("Ada"))
        return self._owner

    async def _enter(self, name: str, locale: str) -> Person:
        self.people[name] = await self.admit(f"{name} of {self.name}", locale=locale)
        return self.people[name]

    async def admit(self, full: str, **about: object) -> Person:
        """Adds a person of exactly that name to the sandbox, who opens the page."""
        ada = await self.enter_owner()
        await ada.call("POST", "/app/people", {"name": full, **about})
        return await self._stack.enter_async_context(await self.house.join(full))

    async def add_channel(self, name: str) -> str:
        """Adds another channel to the server and returns its id."""
        someone = next(iter(self.people.values()))
        made = await someone.call("POST", f"/app/guilds/{self.guild}/channels", {"name": f"{self.name}-{name}"})
        return str(made["id"])

    async def set_table(self, variant: str, host: Person, channel: str | None = None, **options: Any) -> Table:
        """Has the host give `/play`; seats are in the order of joining unless the options say otherwise."""
        channel = channel or self.channel
        reply = await host.command(channel, "play", variant=variant, **{"seats": "join-order", **options})
        number, message = await posted_table(host, channel, reply)
        return Table(self, channel, variant, number, [host], message)

    async def start(self, variant: str, *players: Person, channel: str | None = None, **options: Any) -> Played:
        """Begins a game with these players in turn order, in a thread if the options say so, and returns it."""
        table = await self.set_table(variant, players[0], channel, **options)
        for player in players[1:]:
            await table.join(player)
        return await table.begun(await players[0].find(f"#{table.number}") if options.get("thread") else None)

    async def start_two(self, variant: str = "camelot", **options: Any) -> tuple[Played, Person, Person]:
        """Has Ada and Bo enter and begin a game; returns it with them."""
        ada, bo = await self.enter("Ada", "Bo")
        return await self.start(variant, ada, bo, **options), ada, bo

    async def start_watched(self, *moves: str, variant: str = "camelot") -> tuple[Played, Person, Person, Person]:
        """Has Ada and Bo begin a game and make those moves, while Cy watches; returns it with the three."""
        ada, bo, cy = await self.enter("Ada", "Bo", "Cy")
        played = await self.start(variant, ada, bo)
        played.onlookers.append(cy)
        for move in moves:
            await played.move(move)
        return played, ada, bo, cy


async def posted_table(host: Person, channel: str, reply: Reply) -> tuple[int, Said]:
    """Returns the number and the message of the table that the host's private answer names."""
    assert reply.ephemeral, reply.text
    found = re.search(r"#(\d+)", reply.text)
    assert found, reply.text
    title = re.compile(rf"\*\*.*#{found[1]}$", re.MULTILINE)
    said = await host.wait_for(channel, lambda said: not said.ephemeral and bool(title.match(said.text)))
    return int(found[1]), said


def ends(number: int | None = None) -> Callable[[Said], bool]:
    """Returns whether a message is the result of a game, of that number if one is given."""
    return lambda said: label("rematch") in said.buttons and (number is None or f" #{number}\n" in said.text)


async def open_table(host: Person, channel: str, **options: Any) -> Said:
    """Has the host give `/play` with those options and returns the table's message."""
    return (await posted_table(host, channel, await host.command(channel, "play", **options)))[1]


async def set_own(person: Person, channel: str, **wishes: str | bool) -> Reply:
    """Sets these of the person's own settings in the panel, one by one; returns the last answer."""
    shown = await person.command(channel, "me settings")
    for name, value in wishes.items():
        way = value if isinstance(value, str) else "on" if value else "off"
        ways = (
            [way] if name != "weekends" else way.split() if isinstance(value, str) else ["saturday", "sunday"] * value
        )
        setting = SETTINGS[UserSettings][name]
        shown = await person.click(shown, f"rt-mine:group:{setting.group}")
        if setting.kind.options:
            shown = await person.choose(shown, f"rt-mine:value:{name}", ways)
        else:
            shown = await person.submit(await person.click(shown, f"rt-mine:type:{name}"), {"x": way})
    return shown


async def set_server(person: Person, channel: str, **wishes: str | int | list[str]) -> Reply:
    """Sets these of the server's settings in the panel, one by one; returns the last answer. Channels are lists."""
    shown = await person.command(channel, "server settings")
    for name, value in wishes.items():
        shown = await person.click(shown, f"rt-server:group:{SETTINGS[GuildSettings][name].group}")
        if isinstance(value, list):
            shown = await person.choose(shown, f"rt-server:channels:{name}", value)
        elif name in ("zone", "house-rules"):
            shown = await person.submit(await person.click(shown, f"rt-server:type:{name}"), {"x": str(value)})
        else:
            shown = await person.choose(shown, f"rt-server:value:{name}", [str(value)])
    return shown


@dataclass
class Table:
    """A table that waits for players."""

    room: Room
    channel: str
    variant: str
    number: int
    players: list[Person]
    message: Said

    async def press(self, person: Person, label: str) -> Reply:
        """Presses one of its buttons, even one that the message has no longer."""
        return await person.click(self.message, label)

    async def join(self, person: Person) -> Reply:
        """Takes a seat."""
        reply = await self.press(person, "Join")
        assert accepted(reply), reply
        self.players.append(person)
        return reply

    async def now(self) -> Said:
        """Returns the message as it is now."""
        found = await self.players[0].messages(self.channel)
        return next(said for said in found if said.id == self.message.id)

    async def shows(self, words: str) -> Said:
        """Waits until the message has those words and returns it."""
        return await self.players[0].wait_for(
            self.channel, lambda said: said.id == self.message.id and words in said.shown
        )

    async def begun(self, where: str | None = None) -> Played:
        """Waits for the first board and returns the game; `where` is its thread, if it has one."""
        where = where or self.channel
        said = await self.players[0].wait_for(where, lambda said: _is_turn(said, self.number))
        game = Game.start(VARIANTS[self.variant])
        return Played(self.room, where, self.number, self.players, game, said)


async def type_move(person: Person, channel: str, move: str, **options: Any) -> Reply:
    """Has the person give `/move`, and say yes if they are asked; returns the last answer, which may be a refusal."""
    reply = await person.command(channel, "move", move=move, **options)
    return await person.click(reply, label("sure")) if label("sure") in reply.buttons else reply


async def resign(person: Person, channel: str, number: int | None = None) -> Reply:
    """Has the person give up that game, or the only one meant there; returns the last answer."""
    game = {} if number is None else {"game": str(number)}
    return await person.click(await person.command(channel, "game resign", **game), "rt:resign")


def accepted(reply: Reply) -> bool:
    """Returns True if a press was accepted without a text: the message has changed, or will at once."""
    return reply.answer in ("update", "silent")


def _is_turn(said: Said, number: int) -> bool:
    return bool(re.search(rf"#{number}\b", said.text)) and not said.ephemeral and bool(said.attachments)


@dataclass
class Played:
    """A game in progress, and the same game as the rules alone replay it."""

    room: Room
    channel: str
    number: int
    players: list[Person]
    game: Game
    last: Said
    """The message of the latest turn."""
    onlookers: list[Person] = field(default_factory=list)

    @property
    def mover(self) -> Person:
        """The player to move."""
        return self.players[self.game.position.turn]

    async def try_move(self, move: str, person: Person | None = None, **options: Any) -> Reply:
        """Has the mover, or `person`, give `/move`; returns the answer, which may be a refusal."""
        return await type_move(person or self.mover, self.channel, move, **options)

    async def move(self, move: str, **options: Any) -> Said:
        """Plays a legal move; asserts a private confirmation and exactly one new message, and returns that message."""
        mover = self.mover
        reply = await self.try_move(move, **options)
        assert reply.ephemeral, reply
        assert confirmed(move, self.number) in reply.text, reply.text
        self.game = self.game.play(move)
        while self.game.position.steward_to_move and not self.game.outcome:  # its move is told in the same message
            self.game = self.game.apply(*legal_moves(self.game.position))
        return await self.told(mover)

    async def more(self, person: Person, label: str) -> Reply:
        """Opens **More** below the latest turn and presses that button there."""
        return await person.click(await person.click(self.last, "More"), label)

    async def press(self, person: Person, name: str) -> Reply:
        """Presses the button of that name, even one that **More** does not offer to that person now."""
        custom_id = f"rt:{name}:{self.number}:{len(self.game.moves)}:-"
        return await press_old(self.room.house, person, self.channel, custom_id)

    async def told(self, by: Person) -> Said:
        """Returns the one message posted since the last one; asserts that it pings the right people.

        During the game it pings only the next player, at the end everybody but the player who ended it.
        """
        called = [one for one in self.players if one is not by] if self.game.outcome else [self.mover]
        await by.wait_for(self.channel, lambda said: int(said.id) > int(self.last.id) and _is_turn(said, self.number))
        heard = await asyncio.gather(*(self.since(one) for one in (*self.players, *self.onlookers)))
        for person, new in zip((*self.players, *self.onlookers), heard, strict=True):
            assert len(new) == 1, [said.text for said in new]
            assert new[0].pings_me == (person in called), (person.name, new[0].text)
        self.last = heard[0][0]
        return self.last

    async def hears(self, count: int = 1) -> list[Said]:
        """Waits for exactly `count` messages since the last one looked at, and returns them."""
        person = self.players[0]
        async with asyncio.timeout(WAIT_LIMIT_S):
            new = await self.since(person)
            while len(new) < count:
                await asyncio.sleep(0.02)
                new = await self.since(person)
        heard = await asyncio.gather(*(self.since(one) for one in (*self.players, *self.onlookers)))
        for new in heard:
            assert len(new) == count, [said.text for said in new]
        self.last = heard[0][-1]
        return heard[0]

    async def calls(self, *people: Person) -> Said:
        """Returns the one message since the last one looked at; asserts that it pings exactly these people."""
        (said,) = await self.hears()
        assert await self.called(said) == {person.name for person in people}, said.text
        return said

    async def called(self, said: Said) -> set[str]:
        """Returns the names of the people whom that message pinged."""
        people = (*self.players, *self.onlookers)
        seen = await asyncio.gather(*(one.messages(self.channel) for one in people))
        return {
            one.name for one, all_ in zip(people, seen, strict=True) for m in all_ if m.id == said.id and m.pings_me
        }

    async def since(self, person: Person) -> list[Said]:
        """Returns the bot's public messages here since the last one looked at."""
        return [said for said in await public(person, self.channel) if int(said.id) > int(self.last.id)]

    async def quiet(self, *people: Person) -> None:
        """Asserts that nothing was posted and nobody was pinged since the latest turn."""
        for person in people or (*self.players, *self.onlookers):
            texts = [said.text for said in await self.since(person)]
            assert not texts, f"{person.name} sees {texts}"


async def public(person: Person, channel: str) -> list[Said]:
    """Returns the bot's public messages there, oldest first."""
    found = await person.messages(channel)
    return [
        said
        for said in found
        if said.json["author"]["bot"] and not said.ephemeral and said.json["kind"] != "thread_created"
    ]


async def wait_for_no_buttons(person: Person, said: Said) -> Said:
    """Waits until that message has no buttons, which the bot removes last, and returns it."""
    return await person.wait_for(said.channel_id, lambda one: one.id == said.id and not one.buttons)


def words(said: Said | Reply) -> str:
    """Returns the alt text of the message's only picture."""
    pictures: Sequence[Any] = [one for one in said.attachments if one["filename"].endswith(".png")]
    assert len(pictures) == 1, said
    return str(pictures[0]["description"])


async def newest(person: Person, channel: str, sign: str) -> Said:
    """Returns the newest public message there; asserts that it contains `sign`."""
    await person.wait_for(channel, lambda said: sign in said.text)
    said = (await public(person, channel))[-1]
    assert sign in said.text
    return said
