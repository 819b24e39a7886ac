"""Roles that members get and lose by the bot, and the menus that offer them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import discord

from sandbox import Sandbox
from sandbox.people import Person
from sandbox.permissions import Permission

from .asking import Asked, play, refused
from .jester import Jester, until

HOUR = timedelta(hours=1)


async def grant(ada: Person, jester: Jester, *permissions: Permission) -> discord.Guild:
    """Allows the bot's role these permissions in the whole server."""
    guild = jester.channel("lobby").guild
    allowed = sum(int(one) for one in permissions)
    await ada.call("PUT", f"/app/guilds/{guild.id}/bot-role", {"allow": allowed})
    await until(lambda: guild.me.guild_permissions.value & allowed == allowed)
    return guild


async def add_role(ada: Person, jester: Jester, name: str, **more: Any) -> discord.Role:
    guild = jester.channel("lobby").guild
    made = await ada.call("POST", f"/app/guilds/{guild.id}/roles", {"name": name, **more})
    await until(lambda: guild.get_role(int(made["id"])) is not None)
    role = guild.get_role(int(made["id"]))
    assert role is not None
    return role


async def test_the_bot_gives_and_takes_roles_below_its_own(
    ada: Person, bjorn: Person, jester: Jester, sandbox: Sandbox
) -> None:
    low, high = await add_role(ada, jester, "Champion"), await add_role(ada, jester, "Chief", above=True)
    guild = jester.channel("lobby").guild
    assert low < guild.me.top_role < high
    someone = discord.Object(int(bjorn.id))
    give, take = jester.http.add_role, jester.http.remove_role
    await refused(give(guild.id, someone.id, low.id), 50013, 403)
    await grant(ada, jester, Permission.MANAGE_ROLES)
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
    await ada.call("DELETE", f"/app/guilds/{guild.id}/roles/{low.id}")
    await until(lambda: guild.get_role(low.id) is None)
    await refused(give(guild.id, int(ada.id), low.id), 10011, 404)
    assert [role.name for role in sandbox.world.guild(guild.id).roles] == ["Chief"]


async def test_a_role_allows_its_holders_what_it_says(ada: Person, bjorn: Person, jester: Jester) -> None:
    role = await add_role(ada, jester, "Judge", allow=int(Permission.MANAGE_GUILD))
    guild = await grant(ada, jester, Permission.MANAGE_ROLES)
    await jester.http.add_role(guild.id, int(bjorn.id), role.id)
    assert (await bjorn.command("#lobby", "rule")).text == "done"


async def test_a_menu_of_roles_names_them(ada: Person, jester: Jester) -> None:
    role = await add_role(ada, jester, "Champion")
    view = discord.ui.View()
    view.add_item(discord.ui.RoleSelect(custom_id="which", min_values=0))

    async def act(asked: Asked) -> None:
        await asked.response.send_message("Choose", view=view)

    async def press(asked: Asked) -> None:
        data: dict[str, Any] = dict(asked.data or {})
        names = [one["name"] for one in data.get("resolved", {}).get("roles", {}).values()]
        await asked.response.edit_message(content=str(names))

    jester.act, jester.press = act, press
    menu = (await play(ada)).message
    assert menu is not None
    assert (await ada.choose(menu, "which", [str(role.id)])).text == "['Champion']"
    assert (await ada.choose(menu, "which", [])).text == "[]"
    assert jester.errors == []


async def test_what_a_menu_shows_as_chosen_has_its_number_as_a_text(ada: Person, jester: Jester) -> None:
    role = await add_role(ada, jester, "Champion")
    view = discord.ui.View()
    view.add_item(discord.ui.RoleSelect(custom_id="which", default_values=[role]))

    async def act(asked: Asked) -> None:
        await asked.response.send_message("Choose", view=view)

    jester.act = act
    menu = (await play(ada)).message
    assert menu is not None
    assert menu.component("which")["default_values"] == [{"id": str(role.id), "type": "role"}]
