"""Who may do what: overwrites, roles, administrators, and members who come and go."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import discord
import pytest

from sandbox import Sandbox
from sandbox.people import Person, RefusedError
from sandbox.permissions import Permission
from sandbox.world import BOT_ID

from .bot_requests import Asked, refused, saying, shown
from .scripted_bot import ScriptedBot, until

SEND = int(Permission.SEND_MESSAGES)


async def overwrite(ada: Person, channel: str, of: str, *, allow: int = 0, deny: int = 0) -> None:
    place = f"/app/channels/{await ada.find(channel)}/overwrites"
    await ada.call("PUT", place, {"of": of, "allow": allow, "deny": deny})


def may_send(bot: ScriptedBot, channel: str = "lobby") -> bool:
    """What discord.py works out by itself."""
    where = bot.channel(channel)
    return where.permissions_for(where.guild.me).send_messages


async def test_roles_are_overwritten_and_the_member_has_the_last_word(
    ada: Person, bjorn: Person, bot: ScriptedBot
) -> None:
    lobby = bot.channel("lobby")
    await overwrite(ada, "#lobby", "everyone", deny=SEND)
    await until(lambda: not may_send(bot))
    await refused(lobby.send("no"), 50013, 403)
    with pytest.raises(RefusedError, match="50013"):
        await bjorn.say("#lobby", "no")
    await overwrite(ada, "#lobby", "bot", allow=SEND)
    await until(lambda: may_send(bot))
    await lobby.send("yes")
    await overwrite(ada, "#lobby", "steward", allow=SEND)
    await ada.say("#lobby", "yes")
    await overwrite(ada, "#lobby", ada.id, deny=SEND)
    with pytest.raises(RefusedError, match="50013"):
        await ada.say("#lobby", "no")
    await overwrite(ada, "#lobby", bjorn.id, allow=SEND)
    await bjorn.say("#lobby", "yes")


async def test_an_administrator_may_do_everything(ada: Person, bot: ScriptedBot) -> None:
    read_only = bot.channel("read-only")
    await refused(read_only.send("no"), 50013, 403)
    await ada.call("PUT", f"/app/guilds/{read_only.guild.id}/members/{BOT_ID}", {"administers": True})
    await until(lambda: may_send(bot, "read-only"))
    await read_only.send("yes")


# Roles that the bot gives and takes


HOUR = timedelta(hours=1)


async def grant(ada: Person, bot: ScriptedBot, *permissions: Permission) -> discord.Guild:
    """Allows the bot's role these permissions in the whole server."""
    guild = bot.channel("lobby").guild
    allowed = sum(int(one) for one in permissions)
    await ada.call("PUT", f"/app/guilds/{guild.id}/bot-role", {"allow": allowed})
    await until(lambda: guild.me.guild_permissions.value & allowed == allowed)
    return guild


async def add_role(ada: Person, bot: ScriptedBot, name: str, **more: Any) -> discord.Role:
    guild = bot.channel("lobby").guild
    made = await ada.call("POST", f"/app/guilds/{guild.id}/roles", {"name": name, **more})
    await until(lambda: guild.get_role(int(made["id"])) is not None)
    role = guild.get_role(int(made["id"]))
    assert role is not None
    return role


async def test_the_bot_gives_and_takes_roles_below_its_own(ada: Person, bjorn: Person, bot: ScriptedBot) -> None:
    low, high = await add_role(ada, bot, "Champion"), await add_role(ada, bot, "Chief", above=True)
    guild = bot.channel("lobby").guild
    assert low < guild.me.top_role < high
    someone = discord.Object(int(bjorn.id))
    give, take = bot.http.add_role, bot.http.remove_role
    await refused(give(guild.id, someone.id, low.id), 50013, 403)
    await grant(ada, bot, Permission.MANAGE_ROLES)
    for _ in range(2):
        await give(guild.id, someone.id, low.id)
    assert (await guild.fetch_member(someone.id)).roles[1:] == [low]
    for _ in range(2):
        await take(guild.id, someone.id, low.id)
    assert (await guild.fetch_member(someone.id)).roles[1:] == []
    await refused(give(guild.id, someone.id, high.id), 50013, 403)
    await refused(give(guild.id, someone.id, guild.id), 50028, 400)
    await refused(give(guild.id, someone.id, 7), 10011, 404)
    await ada.call("PUT", f"/app/guilds/{guild.id}/members/{bjorn.id}", {"member": False})
    await refused(give(guild.id, someone.id, low.id), 10007, 404)


async def test_a_role_allows_its_holders_what_it_says(ada: Person, bjorn: Person, bot: ScriptedBot) -> None:
    role = await add_role(ada, bot, "Judge", allow=int(Permission.MANAGE_GUILD))
    guild = await grant(ada, bot, Permission.MANAGE_ROLES)
    await bot.http.add_role(guild.id, int(bjorn.id), role.id)
    assert (await bjorn.command("#lobby", "rule")).text == "done"


async def test_a_menu_of_roles_names_them(ada: Person, bot: ScriptedBot) -> None:
    role = await add_role(ada, bot, "Champion")
    view = discord.ui.View()
    view.add_item(discord.ui.RoleSelect(custom_id="which", min_values=0))

    async def press(asked: Asked) -> None:
        data: dict[str, Any] = dict(asked.data or {})
        names = [one["name"] for one in data.get("resolved", {}).get("roles", {}).values()]
        await asked.response.edit_message(content=str(names))

    bot.act, bot.press = saying("Choose", view=view), press
    menu = await shown(ada)
    assert (await ada.choose(menu, "which", [str(role.id)])).text == "['Champion']"
    assert (await ada.choose(menu, "which", [])).text == "[]"
    assert bot.errors == []


async def test_what_a_menu_shows_as_chosen_has_its_number_as_a_text(ada: Person, bot: ScriptedBot) -> None:
    role = await add_role(ada, bot, "Champion")
    view = discord.ui.View()
    view.add_item(discord.ui.RoleSelect(custom_id="which", default_values=[role]))

    bot.act = saying("Choose", view=view)
    menu = await shown(ada)
    assert menu.component("which")["default_values"] == [{"id": str(role.id), "type": "role"}]


# Members who come and go


def server(bot: ScriptedBot, name: str) -> discord.Guild:
    found = discord.utils.get(bot.guilds, name=name)
    assert found is not None
    return found


def a_button() -> discord.ui.View:
    return discord.ui.View(timeout=None).add_item(discord.ui.Button(label="one", custom_id="one"))


async def test_a_person_removed_from_a_server_sees_and_does_nothing_there(
    ada: Person, bot: ScriptedBot, sandbox: Sandbox
) -> None:
    table = server(bot, "Test Server")
    await ada.call("POST", "/app/people", {"name": "Eve", "guilds": [str(table.id)]})
    async with await Person.join(sandbox.url, "Eve") as eve:
        first = {"general", "lobby", "read-only", "news", "hall", "forum"}
        assert {one["name"] for one in eve.channels.values()} == first
        said = await bot.channel("lobby").send("x", view=a_button())
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
    ada: Person, bjorn: Person, bot: ScriptedBot
) -> None:
    async def open_form(asked: discord.Interaction[ScriptedBot]) -> None:
        form = discord.ui.Modal(title="x")
        field: discord.ui.TextInput[discord.ui.View] = discord.ui.TextInput(custom_id="word")
        await asked.response.send_modal(form.add_item(discord.ui.Label(text="x", component=field)))

    bot.act = open_form
    form = await bjorn.command("#lobby", "play", variant="camelot")
    place = f"/app/guilds/{server(bot, 'Test Server').id}/members/{bjorn.id}"
    await ada.call("PUT", place, {"member": False})
    with pytest.raises(RefusedError, match="50001"):
        await bjorn.submit(form, {"word": "x"})


async def test_who_is_no_member_can_be_named_and_comes_without_a_membership(ada: Person, bot: ScriptedBot) -> None:
    named = []

    async def note(asked: discord.Interaction[ScriptedBot]) -> None:
        named.append(asked.extras["opponent"])
        await asked.response.send_message("done")

    bot.act = note
    eve = await ada.call("POST", "/app/people", {"name": "Eve", "guilds": [str(server(bot, "Other Court").id)]})
    for number in (ada.id, eve["id"]):
        await ada.command("#lobby", "play", variant="camelot", opponent=number)
    assert [type(one) for one in named] == [discord.Member, discord.User]


# Those whom nobody has met, and those who change


async def test_members_are_requested_by_number_over_the_gateway_without_any_privilege(
    ada: Person, bjorn: Person, bot: ScriptedBot, sandbox: Sandbox
) -> None:
    table = server(bot, "Test Server")
    await ada.call("PUT", f"/app/guilds/{table.id}/members/{bjorn.id}", {"nick": "The Bear"})
    found = await table.query_members(user_ids=[int(ada.id), int(bjorn.id), 77], limit=100, cache=False)
    assert [(str(one.id), one.display_name) for one in found] == [(ada.id, "Ada"), (bjorn.id, "The Bear")]
    assert table.get_member(int(ada.id)) is None
    assert sandbox.gateway.members_asked == [(int(ada.id), int(bjorn.id), 77)]


async def test_members_never_come_where_the_gateway_is_told_so(ada: Person, bot: ScriptedBot, sandbox: Sandbox) -> None:
    sandbox.faults.members_lost = True
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await server(bot, "Test Server").query_members(user_ids=[int(ada.id)], cache=False)
    sandbox.faults.lift()
    assert await server(bot, "Test Server").query_members(user_ids=[int(ada.id)], cache=False)


async def test_a_stranger_learns_only_the_names_the_message_may_mention(
    ada: Person, bjorn: Person, cleo: Person, bot: ScriptedBot
) -> None:
    await cleo.call("PATCH", f"/app/people/{cleo.id}", {"stranger": True})
    only_ada = discord.AllowedMentions(users=[discord.Object(int(ada.id))])
    sent = await bot.channel("lobby").send(f"<@{ada.id}> <@{bjorn.id}> <@{cleo.id}>", allowed_mentions=only_ada)
    assert [one.id for one in sent.mentions] == [int(ada.id)]
    seen = await cleo.wait_for("#lobby", lambda one: one.id == str(sent.id))
    assert seen.json["mentions"] == {ada.id: "Ada", cleo.id: "Cleo"}
    friend = await ada.wait_for("#lobby", lambda one: one.id == str(sent.id))
    assert friend.json["mentions"] == {ada.id: "Ada", bjorn.id: "Bjørn", cleo.id: "Cleo"}
    await sent.edit(content=sent.content, allowed_mentions=discord.AllowedMentions(users=True))
    (edited,) = [one for one in await cleo.messages("#lobby") if one.id == str(sent.id)]
    assert edited.json["mentions"] == friend.json["mentions"]
    assert not edited.pings_me


async def test_people_are_renamed_and_refuse_direct_messages(ada: Person, bjorn: Person, bot: ScriptedBot) -> None:
    table, me = server(bot, "Test Server"), f"/app/people/{bjorn.id}"
    await bjorn.call("PATCH", me, {"name": "Bear"})
    assert (await table.fetch_member(int(bjorn.id))).global_name == "Bear"
    door = await bot.create_dm(discord.Object(int(bjorn.id)))
    await door.send("hello")
    await bjorn.call("PATCH", me, {"closed": True})
    with pytest.raises(discord.Forbidden, match="50007"):
        await door.send("hello?")


async def test_an_outage_takes_a_server_from_everybody_until_it_is_over(ada: Person, bot: ScriptedBot) -> None:
    table, lobby = server(bot, "Test Server"), await ada.find("#lobby")
    place = bot.channel("lobby")
    gone = asyncio.create_task(bot.wait_for("guild_unavailable", timeout=20))
    await asyncio.sleep(0)
    await ada.call("PUT", f"/app/guilds/{table.id}/outage", {"away": True})
    assert (await gone).id == table.id
    with pytest.raises(RefusedError, match="50001"):
        await ada.messages(lobby)
    with pytest.raises(discord.DiscordServerError, match="503"):
        await place.send("x")
    back = asyncio.create_task(bot.wait_for("guild_available", timeout=20))
    await asyncio.sleep(0)
    await ada.call("PUT", f"/app/guilds/{table.id}/outage", {"away": False})
    assert not (await back).unavailable
    await place.send("x")
    assert await ada.messages(lobby)


async def test_a_person_in_timeout_looks_and_does_nothing(ada: Person, bjorn: Person, bot: ScriptedBot) -> None:
    table, lobby = server(bot, "Test Server"), await ada.find("#lobby")
    said = await bot.channel("lobby").send("x", view=a_button())
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
