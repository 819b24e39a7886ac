"""`/play` without options: one form, filled in as for the person's last table."""

from __future__ import annotations

from typing import Any

import pytest

from bot.texts.i18n import text
from sandbox.people import Reply
from tests.e2e.room import Room, posted_table
from tests.sentences import part

pytestmark = pytest.mark.asyncio(loop_scope="session")


def fields(form: Reply) -> dict[str, dict[str, Any]]:
    """Returns the menus of a form by custom id."""
    assert form.modal is not None
    return {part["component"]["custom_id"]: part["component"] for part in form.modal["modal"]["components"]}


def chosen(menu: dict[str, Any]) -> list[str]:
    return [option["value"] for option in menu["options"] if option.get("default")]


async def test_the_form_opens_a_table_and_remembers_it(room: Room) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    form = await ada.command(room.channel, "play")
    menus = fields(form)
    assert [*menus] == ["variant", "opponents", "house", "pace", "place"]
    assert chosen(menus["variant"]) == ["camelot"]
    assert all(option["description"] for option in menus["variant"]["options"])
    assert chosen(menus["house"]) == ["nobody"]
    given = {"variant": ["cam"], "opponents": [bo.id], "house": ["nobody"], "pace": ["slow"], "place": ["here"]}
    offered = await ada.submit(form, given)
    assert "](https://" in offered.text, "a link, no bare address"
    _, table = await posted_table(ada, room.channel, offered)
    assert bo.id in table.text
    await bo.click(table, "Join")
    await ada.wait_for(room.channel, lambda said: part("turn.begins") in said.text)
    menus = fields(await ada.command(room.channel, "play"))
    assert (chosen(menus["variant"]), chosen(menus["pace"])) == (["cam"], ["slow"])
    assert [str(one["id"]) for one in menus["opponents"]["default_values"]] == [bo.id]


async def test_the_form_begins_a_game_against_a_bot_in_ones_own_language(room: Room) -> None:
    (kari,) = await room.enter("Kari", locale="no")
    form = await kari.command(room.channel, "play")
    assert form.modal is not None
    assert form.modal["modal"]["title"] == text("no", "table-form.title")
    given = {"variant": ["camette"], "opponents": [], "house": ["easy"], "pace": ["server"], "place": ["thread"]}
    assert part("house.begun", "no") in (await kari.submit(form, given)).text
    menus = fields(await kari.command(room.channel, "play"))
    assert (chosen(menus["variant"]), chosen(menus["house"])) == (["camette"], ["nobody"]), "anybody is invited"
    hint = text("no", "table-form.next-level", variant="Camette")
    assert [option["value"] for option in menus["house"]["options"] if option.get("description") == hint] == ["easy"]


async def test_open_tables_come_before_the_form_and_one_press_takes_a_seat(room: Room) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    _, table = await posted_table(ada, room.channel, await ada.command(room.channel, "play", variant="cam"))
    assert f", the host · {text('en', 'reliability.new')}\n" in table.text
    assert fields(await ada.command(room.channel, "play")), "her own table is none for her"
    shown = await bo.command(room.channel, "play")
    assert text("en", "tables.title") in shown.text
    assert fields(await bo.click(shown, "New table"))
    assert part("tables.begun") in (await bo.click(shown, "Sit down")).text
    await ada.wait_for(room.channel, lambda said: part("turn.begins") in said.text)
    assert part("problem.already-joined") in (await bo.click(shown, "Sit down")).text
