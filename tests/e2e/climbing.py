"""A ladder as its players use it, and the moves of its games."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from dataclasses import dataclass

from rules import VARIANTS, Game
from sandbox.people import Person, Said
from tests.e2e.clock import ClockHouse
from tests.e2e.room import Played, Room, public, resign
from tests.e2e.stored_games import load_match
from tests.sentences import label, part


async def challenge(room: Room, ada: Person, bo: Person) -> Said:
    """Has both join a ladder and Ada challenge Bo; returns the post of the challenge."""
    for person in (ada, bo):
        await person.command(room.channel, "ladder join", variant="camelot")
    asked = await ada.command(room.channel, "ladder challenge", variant="camelot", player=bo.id)
    assert part("ladder.challenged") in asked.text, asked.text
    return await bo.wait_for(room.channel, lambda said: label("ladder-accept") in said.buttons)


async def ladder_game(room: Room, ada: Person, bo: Person) -> Played:
    """Plays a ladder game of Camelot in its own thread until it has enough moves to be rated; returns it."""
    await bo.click(await challenge(room, ada, bo), label("ladder-accept"))
    found = "SELECT id FROM matches WHERE channel = ? AND phase = 'live' AND thread IS NOT NULL"
    await room.house.until(lambda: bool(room.house.bot.query(found, int(room.channel))), "begun")
    ((number,),) = room.house.bot.query(found, int(room.channel))
    match = load_match(room.house, number)
    assert match.place.thread is not None
    players = [next(one for one in (ada, bo) if int(one.id) == user) for user in match.players]
    thread = str(match.place.thread)
    said = await ada.wait_for(thread, lambda said: bool(said.attachments))
    played = Played(room, thread, number, players, Game.start(VARIANTS["camelot"]), said)
    for move in OPENING:
        await played.move(move)
    return played


OPENING = ("D6-F8", "H11-F9", "C6-E8-G8", "J11-H11", "H6-H8", "E11-G9", "J6-H6", "C11-E11")
"""Four moves by each player: enough for the game to be rated."""

BLUE_WINS = [
    "E4-E8",
    "C16-B15",
    "H15-H11",
    "E6-E10",
    "D13-E14",
    "I14-I18-G16",
    "E8-E12xE16xC18",
    "B13-B9",
    "G16-I18-I14-I10",
    "F5-F9-D11xB13xB17",
    "D15-D13",
    "I10-J9",
    "B17-A16",
]
"""A whole game of Tri-Camelot, won by the first seat."""


@dataclass
class Stairs:
    """A channel with three people who play ladder games there one after the other."""

    house: ClockHouse
    room: Room
    people: dict[str, Person]

    @property
    def ada(self) -> Person:
        return self.people["Ada"]

    @property
    def bo(self) -> Person:
        return self.people["Bo"]

    @property
    def cy(self) -> Person:
        return self.people["Cy"]

    async def does(self, person: Person, command: str, **options: object) -> str:
        """Gives a command, of `/ladder` unless it names another group, and returns the text of the private answer."""
        reply = await person.command(self.room.channel, command, **options)
        assert reply.ephemeral, reply
        return reply.text

    async def posted(self, *signs: str, where: str | None = None) -> Said:
        """Waits for the one public message with all of these words, in the channel or in thread `where`."""

        def fits(said: Said) -> bool:
            return not said.ephemeral and all(sign in said.shown for sign in signs)

        await self.ada.wait_for(where or self.room.channel, fits)
        (found,) = [said for said in await public(self.ada, where or self.room.channel) if fits(said)]
        return found

    async def pinged(self, said: Said) -> set[str]:
        """Returns the names of the people whom that message mentions."""
        seen = await asyncio.gather(*(one.messages(said.channel_id) for one in self.people.values()))
        pairs = zip(self.people, seen, strict=True)
        return {name for name, messages in pairs for one in messages if one.id == said.id and one.pings_me}

    async def thread(self, number: int) -> str:
        """Returns the thread of a game."""
        said = await self.posted(f"game #{number}\n", f"{part('table.thread')}<#")
        found = re.search(re.escape(part("table.thread")) + r"<#(\d+)>", said.text)
        assert found, said.text
        return found[1]

    async def play(self, number: int, moves: Iterable[str]) -> Said:
        """Plays the moves in that game, each by the player mentioned; returns the last board."""
        thread = await self.thread(number)
        last = await self.posted(f"game #{number} · turn 1, ", where=thread)
        for move in moves:
            for name in await self.pinged(last):  # the start has called both
                reply = await self.people[name].command(thread, "move", move=move)
                if "You played" in reply.text:
                    break
            assert "You played" in reply.text, (move, reply.text)

            def fits(said: Said, before: int = int(last.id)) -> bool:
                signs = (f"game #{number} · turn ", f"game #{number} is over")
                return not said.ephemeral and int(said.id) > before and any(sign in said.text for sign in signs)

            last = await self.ada.wait_for(thread, fits)
        return last

    async def give_up(self, person: Person, number: int) -> Said:
        """Has the person resign and returns the message of the result."""
        thread = await self.thread(number)
        await resign(person, thread)
        return await self.posted(f"game #{number} is over", where=thread)


def number_in(text: str) -> int:
    """Returns the first number of a game in a text."""
    found = re.search(r"#(\d+)", text)
    assert found, text
    return int(found[1])
