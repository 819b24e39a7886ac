"""A ladder as its players use it, and the moves of its games."""

from __future__ import annotations

import re

from rules import VARIANTS, Game
from sandbox.people import Person
from tests.e2e.room import Played, Room
from tests.e2e.stored_games import load_match
from tests.sentences import label, part


async def ladder_game(room: Room, ada: Person, bo: Person) -> Played:
    """Plays a ladder game of Camelot in its own thread until it has enough moves to be rated; returns it."""
    for person in (ada, bo):
        await person.command(room.channel, "ladder join", variant="camelot")
    asked = await ada.command(room.channel, "ladder challenge", variant="camelot", player=bo.id)
    assert part("ladder.challenged") in asked.text, asked.text
    call = await bo.wait_for(room.channel, lambda said: label("ladder-accept") in said.buttons)
    await bo.click(call, label("ladder-accept"))
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


def number_in(text: str) -> int:
    """Returns the first number of a game in a text."""
    found = re.search(r"#(\d+)", text)
    assert found, text
    return int(found[1])
