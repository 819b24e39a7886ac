"""People who join a server, are thrown out of it, or were never in it."""

from __future__ import annotations

import asyncio

import discord
import pytest

from sandbox import Sandbox
from sandbox.people import Person, RefusedError

from .jester import Jester


def server(jester: Jester, name: str) -> discord.Guild:
    found = discord.utils.get(jester.guilds, name=name)
    assert found is not None
    return found


def a_button() -> discord.ui.View:
    view = discord.ui.View(timeout=None)
    return view.add_item(discord.ui.Button(label="one", custom_id="one"))


async def test_a_person_removed_from_a_server_sees_and_does_nothing_there(
    ada: Person, jester: Jester, sandbox: Sandbox
) -> None:
    table = server(jester, "Test Server")
    await ada.call("POST", "/app/people", {"name": "Eve", "guilds": [str(table.id)]})
    async with await Person.join(sandbox.url, "Eve") as eve:
        first = {"general", "lobby", "read-only", "news", "hall", "forum"}
        assert {one["name"] for one in eve.channels.values()} == first
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


async def test_a_form_opened_before_cannot_be_submitted_by_a_removed_member(
    ada: Person, bjorn: Person, jester: Jester
) -> None:
    async def open_form(asked: discord.Interaction[Jester]) -> None:
        form = discord.ui.Modal(title="x")
        field: discord.ui.TextInput[discord.ui.View] = discord.ui.TextInput(custom_id="word")
        await asked.response.send_modal(form.add_item(discord.ui.Label(text="x", component=field)))

    jester.act = open_form
    form = await bjorn.command("#lobby", "play", variant="camelot")
    place = f"/app/guilds/{server(jester, 'Test Server').id}/members/{bjorn.id}"
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


# Those whom nobody has met, and those who change


async def test_members_are_requested_by_number_over_the_gateway_without_any_privilege(
    ada: Person, bjorn: Person, jester: Jester, sandbox: Sandbox
) -> None:
    table = server(jester, "Test Server")
    await ada.call("PUT", f"/app/guilds/{table.id}/members/{bjorn.id}", {"nick": "The Bear"})
    found = await table.query_members(user_ids=[int(ada.id), int(bjorn.id), 77], limit=100, cache=False)
    assert [(str(one.id), one.display_name) for one in found] == [(ada.id, "Ada"), (bjorn.id, "The Bear")]
    assert table.get_member(int(ada.id)) is None
    assert sandbox.gateway.members_asked == [(int(ada.id), int(bjorn.id), 77)]


async def test_members_come_late_or_never_where_the_gateway_is_told_so(
    ada: Person, jester: Jester, sandbox: Sandbox
) -> None:
    sandbox.faults.members_after = None
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await server(jester, "Test Server").query_members(user_ids=[int(ada.id)], cache=False)
    sandbox.faults.lift()
    assert await server(jester, "Test Server").query_members(user_ids=[int(ada.id)], cache=False)


async def test_a_stranger_learns_only_the_names_the_message_may_mention(
    ada: Person, bjorn: Person, cleo: Person, jester: Jester
) -> None:
    await cleo.call("PATCH", f"/app/people/{cleo.id}", {"stranger": True})
    only_ada = discord.AllowedMentions(users=[discord.Object(int(ada.id))])
    sent = await jester.channel("lobby").send(f"<@{ada.id}> <@{bjorn.id}> <@{cleo.id}>", allowed_mentions=only_ada)
    assert [one.id for one in sent.mentions] == [int(ada.id)]
    seen = await cleo.wait_for("#lobby", lambda one: one.id == str(sent.id))
    assert seen.json["mentions"] == {ada.id: "Ada", cleo.id: "Cleo"}
    friend = await ada.wait_for("#lobby", lambda one: one.id == str(sent.id))
    assert friend.json["mentions"] == {ada.id: "Ada", bjorn.id: "Bjørn", cleo.id: "Cleo"}
    await sent.edit(content=sent.content, allowed_mentions=discord.AllowedMentions(users=True))
    (edited,) = [one for one in await cleo.messages("#lobby") if one.id == str(sent.id)]
    assert edited.json["mentions"] == friend.json["mentions"]
    assert not edited.pings_me


async def test_people_are_renamed_refuse_direct_messages_and_delete_their_accounts(
    ada: Person, bjorn: Person, jester: Jester
) -> None:
    table, me = server(jester, "Test Server"), f"/app/people/{bjorn.id}"
    await bjorn.call("PATCH", me, {"name": "Bear"})
    assert (await table.fetch_member(int(bjorn.id))).global_name == "Bear"
    door = await jester.create_dm(discord.Object(int(bjorn.id)))
    await door.send("hello")
    await bjorn.call("PATCH", me, {"closed": True})
    with pytest.raises(discord.Forbidden, match="50007"):
        await door.send("hello?")
    said = await bjorn.say("#lobby", "bye")
    await bjorn.call("DELETE", me)
    with pytest.raises(discord.NotFound, match="10013"):
        await table.fetch_member(int(bjorn.id))
    with pytest.raises(discord.NotFound, match="10013"):
        await jester.http.start_private_message(int(bjorn.id))
    with pytest.raises(RefusedError, match="10013"):
        await bjorn.say("#lobby", "still here")
    assert bjorn.id not in [one["id"] for one in (await ada.call("GET", "/app/people"))["people"]]
    author = (await jester.channel("lobby").fetch_message(int(said.id))).author
    assert author.name.startswith("deleted_user_")


async def test_an_outage_takes_a_server_from_everybody_until_it_is_over(ada: Person, jester: Jester) -> None:
    table, lobby = server(jester, "Test Server"), await ada.find("#lobby")
    place = jester.channel("lobby")
    gone = asyncio.create_task(jester.wait_for("guild_unavailable", timeout=20))
    await asyncio.sleep(0)
    await ada.call("PUT", f"/app/guilds/{table.id}/outage", {"away": True})
    assert (await gone).id == table.id
    with pytest.raises(RefusedError, match="50001"):
        await ada.messages(lobby)
    with pytest.raises(discord.DiscordServerError, match="503"):
        await place.send("x")
    back = asyncio.create_task(jester.wait_for("guild_available", timeout=20))
    await asyncio.sleep(0)
    await ada.call("PUT", f"/app/guilds/{table.id}/outage", {"away": False})
    assert not (await back).unavailable
    await place.send("x")
    assert await ada.messages(lobby)


async def test_a_person_in_timeout_looks_and_does_nothing(ada: Person, bjorn: Person, jester: Jester) -> None:
    table, lobby = server(jester, "Test Server"), await ada.find("#lobby")
    said = await jester.channel("lobby").send("x", view=a_button())
    seen = await bjorn.wait_for(lobby, lambda one: one.id == str(said.id))
    await ada.call("PUT", f"/app/guilds/{table.id}/members/{bjorn.id}", {"timeout": 3600})
    for attempt, why in (
        (bjorn.command(lobby, "play", variant="camelot"), "50013"),
        (bjorn.click(seen, "one"), "in_timeout"),
        (bjorn.say(lobby, "hello?"), "50013"),
    ):
        with pytest.raises(RefusedError, match=why):
            await attempt
    assert await bjorn.messages(lobby)
    assert (await table.fetch_member(int(bjorn.id))).timed_out_until is not None
