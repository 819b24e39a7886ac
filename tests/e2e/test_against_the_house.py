"""Games against the house, through the real process and its engine."""

from __future__ import annotations

import re
from contextlib import AsyncExitStack

import pytest

from bot.people.house import house_players
from bot.texts.i18n import text
from bot.texts.sentences import house_name
from rules import VARIANTS, Game, format_move, legal_moves
from tests.e2e.house import House
from tests.e2e.room import Room, accepted, set_server
from tests.sandbox.people import Person, RefusedError, Said
from tests.sentences import label, part

pytestmark = pytest.mark.asyncio(loop_scope="session")

CABAL, LAMREI = (house_name(user, "en") for user in house_players("easy", 2))


async def to_move(person: Person, where: str) -> Said:
    """The latest board there, once it is the person's turn."""
    return await person.wait_for(where, lambda said: said.pings_me and label("compose") in said.buttons)


async def test_a_game_against_the_house_begins_at_once_and_is_answered_by_itself(room: Room) -> None:
    (ada,) = await room.enter("Ada")
    begun = await ada.command(room.channel, "play", variant="camelot", house="easy", seats="join-order")
    assert CABAL in begun.text
    assert part("table.started") in begun.text
    assert begun.message is not None
    assert begun.message.buttons == []
    first = await to_move(ada, room.channel)
    moved = await ada.command(room.channel, "move", move="F7-F8")
    assert moved.ephemeral
    thinking = await ada.wait_for(room.channel, lambda said: text("en", "turn.house", emblem="⚫", player=CABAL) in said.text)
    assert label("compose") not in thinking.buttons
    assert not thinking.pings_me
    answered = await ada.wait_for(room.channel, lambda said: said.pings_me and "turn 3" in said.text)
    assert f"({CABAL})" in answered.text
    assert label("compose") in answered.buttons
