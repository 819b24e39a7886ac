"""People who join a server, are thrown out of it, or were never in it."""

from __future__ import annotations

import discord
import pytest

from bot.sandbox import Sandbox

from .jester import Jester
from .people import Person, RefusedError


def server(jester: Jester, name: str) -> discord.Guild:
    found = discord.utils.get(jester.guilds, name=name)
    assert found is not None
    return found


def a_button() -> discord.ui.View:
    view = discord.ui.View(timeout=None)
    return view.add_item(discord.ui.Button(label="one", custom_id="one"))


async def test_whoever_is_thrown_out_of_a_server_sees_and_does_nothing_there(
    ada: Person, jester: Jester, sandbox: Sandbox
) -> None:
    table = server(jester, "Round Table")
    await ada.call("POST", "/app/people", {"name": "Eve", "guilds": [str(table.id)]})
    async with await Person.join(sandbox.url, "Eve") as eve:
        assert {one["name"] for one in eve.channels.values()} == {"round-table", "lobby", "read-only"}
        said = await jester.channel("lobby").send("x", view=a_button())
        lobby = await eve.find("#lobby")
        seen = await eve.wait_for(lobby, lambda one: one.id == str(said.id))
        place = f"/app/guilds/{table.id}/members/{eve.id}"
        assert (await ada.call("PUT", place, {"manages": True}))["manages"]
        assert (await eve.command(lobby, "rule")).text == "done"
        assert not (await ada.call("PUT", place, {"member": False}))["manages"]
        for attempt in (
            eve.command(lobby, "play", variant="camelot"),
            eve.click(seen, "one"),
            eve.say(lobby, "hello?"),
            eve.messages(lobby),
        ):
            with pytest.raises(RefusedError, match="50001"):
                await attempt
        with pytest.raises(discord.NotFound, match="10007"):
            await table.fetch_member(int(eve.id))
        await ada.call("PUT", place, {"member": True})
        assert (await eve.command(lobby, "play", variant="camelot")).text == "done"


async def test_a_form_that_was_opened_before_cannot_be_submitted_by_who_is_thrown_out(
    ada: Person, bjorn: Person, jester: Jester
) -> None:
    async def open_form(asked: discord.Interaction[Jester]) -> None:
        form = discord.ui.Modal(title="x")
        field: discord.ui.TextInput[discord.ui.View] = discord.ui.TextInput(custom_id="word")
        await asked.response.send_modal(form.add_item(discord.ui.Label(text="x", component=field)))

    jester.act = open_form
    form = await bjorn.command("#lobby", "play", variant="camelot")
    place = f"/app/guilds/{server(jester, 'Round Table').id}/members/{bjorn.id}"
    await ada.call("PUT", place, {"member": False})
    with pytest.raises(RefusedError, match="50001"):
        await bjorn.submit(form, {"word": "x"})


async def test_who_is_no_member_can_be_named_and_comes_without_a_membership(ada: Person, jester: Jester) -> None:
    named = []

    async def note(asked: discord.Interaction[Jester]) -> None:
        named.append(asked.extras["opponent"])
        await asked.response.send_message("done")

    jester.act = note
    eve = await ada.call("POST", "/app/people", {"name": "Eve", "guilds": [str(server(jester, "Other Court").id)]})
    for number in (ada.id, eve["id"]):
        await ada.command("#lobby", "play", variant="camelot", opponent=number)
    assert [type(one) for one in named] == [discord.Member, discord.User]
