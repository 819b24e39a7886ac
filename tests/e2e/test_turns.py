"""Mistakes in a turn: each gets one clear private answer, changes nothing and pings nobody."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.texts.i18n import text
from tests.e2e.house import House
from tests.e2e.planting import button, plant
from tests.e2e.room import Room, public, wait_for_no_buttons, words
from tests.sentences import part

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_an_interaction_delivered_twice_counts_once(room: Room, house: House) -> None:
    played, ada, *_ = await room.start_watched()
    gateway = house.server.gateway
    once = gateway.dispatch

    def twice(event: str, payload: Any) -> None:
        once(event, payload)
        if event == "INTERACTION_CREATE":
            once(event, payload)

    gateway.dispatch = twice  # type: ignore[method-assign]  # at least once, as Discord promises
    try:
        await played.move("F7-F8")
        table = await room.set_table("camelot", ada)
    finally:
        del gateway.dispatch
    found = await public(ada, room.channel)
    assert [said.text for said in found if f"#{table.number}" in said.text] == [table.message.text]
    # The repeated /play leaves nothing behind.
    others = "SELECT phase FROM matches WHERE channel = ? AND id <> ?"
    await house.until(lambda: house.bot.query(others, int(room.channel), table.number) == [("live",)], "struck out")


async def test_an_old_button_shows_how_the_board_stands_now(room: Room) -> None:
    played, ada, bo, cy = await room.start_watched()
    old = played.last
    await played.move("F7-F8")
    await wait_for_no_buttons(ada, old)
    with_buttons = [said for said in await public(ada, room.channel) if said.buttons]
    assert [said.id for said in with_buttons] == [played.last.id]  # the earlier turn has lost its buttons
    assert played.last.buttons == ["Move", "Explore", "Follow", "More"]
    older = plant(room.house, room.channel, button(f"rt:moves:{played.number}:1:-"))
    not_hers = text("en", "problem.not-your-turn", number=played.number, next=f"<@{bo.id}>")
    assert (await ada.click(older, older.buttons[0])).text == not_hers
    assert (await cy.click(older, older.buttons[0])).text == text("en", "problem.not-a-player", number=played.number)
    mine = await bo.click(older, older.buttons[0])
    assert mine.ephemeral
    assert part("moves.title") in mine.text
    await asyncio.gather(played.try_move("F10-F9"), bo.click(older, older.buttons[0]))


async def test_a_button_pressed_while_the_board_moves_on_shows_the_new_board(room: Room, house: House) -> None:
    played, ada, bo, _ = await room.start_watched()

    def keep_buttons(method: str, template: str, payload: Any) -> None:
        if method == "PATCH" and template == "/channels/{channel_id}/messages/{message_id}":
            raise ValueError("the buttons stay")

    house.meddle = keep_buttons
    await played.move("F7-F8")
    old = plant(room.house, room.channel, button(f"rt:moves:{played.number}:0:-"))
    for person in (ada, bo):
        shown = await person.click(old, old.buttons[0])
        assert shown.ephemeral
        assert shown.text.startswith(text("en", "moves.stale"))
        assert "Black is to move" in words(shown)
