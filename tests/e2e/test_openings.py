"""Openings with the real process: ten finished games as a tree, closed during a rated game or by the server."""

from __future__ import annotations

import pytest

from bot.texts.i18n import text
from sandbox.people import Reply
from tests.e2e.composing import pick
from tests.e2e.house import House
from tests.e2e.judging import check_picture
from tests.e2e.opening_games import counted, finish_games
from tests.e2e.room import Room, set_own, set_server
from tests.sentences import label

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_ten_games_make_a_tree_that_anybody_walks(room: Room, house: House) -> None:
    ada, bo, cy, dee = await room.enter("Ada", "Bo", "Cy", "Dee")
    await finish_games(room, (ada, dee), bo)
    await counted(house)
    said = await cy.command(room.channel, "game openings", variant="camette")
    assert said.ephemeral
    first, second = (line for line in said.text.splitlines() if line.startswith(("**1.", "**2.")))
    assert "5 games" in first
    assert "100%" in first
    assert "https://discord.com/channels/" in first
    assert " 2 games" in second
    await check_picture(cy, said)
    said = await pick(cy, said, "go", _option(said, "1."))
    assert "5 games" in said.text
    listed = await cy.click(said, label("openings-games"))
    assert listed.ephemeral
    assert listed.text.count("https://discord.com/channels/") == 5
    assert listed.text.count("`B5-A5`") == 5, "as the tree names the move, though two games had its mirror image"
    said = await cy.click(said, label("explore-earlier"))
    said = await pick(cy, said, "what", "source-house")
    assert text("en", "openings.none") in said.text
    said = await pick(cy, said, "what", "source-people")
    said = await cy.choose(said, _user_menu(said), [cy])
    assert text("en", "openings.none") in said.text
    said = await pick(cy, said, "what", "everybody")
    assert "5 games" in said.text


def _option(said: Reply, start: str) -> str:
    """Returns the value of the menu option that begins with that."""
    assert said.message is not None
    options = [
        one
        for row in said.message.json["components"]
        for part_of_row in row["components"]
        for one in part_of_row.get("options", ())
    ]
    return str(next(one["value"] for one in options if one["label"].startswith(start)))


def _user_menu(said: Reply) -> str:
    """Returns the custom id of the menu of people."""
    assert said.message is not None
    parts = [part for row in said.message.json["components"] for part in row["components"]]
    return next(str(one["custom_id"]) for one in parts if one["custom_id"].startswith("rt-op:who"))


async def test_a_running_rated_game_closes_its_own_openings(room: Room, house: House) -> None:
    ada, bo, cy = await room.enter("Ada", "Bo", "Cy")
    await finish_games(room, (ada,), bo, 1)
    await counted(house)
    played = await room.start("camette", ada, bo)
    refused = await ada.command(room.channel, "game openings", variant="camette")
    assert refused.text == text("en", "problem.played-now", number=played.number)
    assert "`C2-C4`" in (await cy.command(room.channel, "game openings", variant="camette")).text


async def test_explore_leads_to_openings_and_a_server_may_close_them(room: Room, house: House) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    (cy,) = await room.enter("Cy", locale="no")
    played = await room.start("camette", ada, bo)
    explored = await cy.command(room.channel, "game explore", game=str(played.number))
    board = await cy.click(explored, text("no", "button.explore-tools"))
    said = await cy.click(board, text("no", "button.openings"))
    assert text("no", "openings.source.people") in said.text
    await set_own(cy, room.channel, board="text")
    assert "```" in (await cy.command(room.channel, "game openings", variant="camette")).text
    await ada.call("PUT", f"/app/guilds/{room.guild}/members/{ada.id}", {"manages": True})
    await set_server(ada, room.channel, openings="no")
    said = await cy.command(room.channel, "game openings", variant="camette")
    assert said.text == text("no", "openings.closed")
    await set_server(ada, room.channel, openings="yes")
