"""Registering commands, what discord.py reads back, and where they are offered."""

from __future__ import annotations

import discord
import pytest
from discord import app_commands

from sandbox import Sandbox
from sandbox.people import Person, RefusedError

from .bot_requests import Asked
from .scripted_bot import ScriptedBot, until


async def test_commands_keep_their_ids_over_syncs(bot: ScriptedBot) -> None:
    before = {one.name: one.id for one in await bot.tree.fetch_commands()}
    assert sorted(before) == ["game", "move", "play", "rule"]
    bot.tree.remove_command("move")
    after = {one.name: one.id for one in await bot.tree.sync()}
    assert after == {name: number for name, number in before.items() if name != "move"}


async def test_what_was_sent_is_read_back(bot: ScriptedBot) -> None:
    commands = {one.name: one for one in await bot.tree.fetch_commands()}
    variant, opponent, rounds, *_ = commands["play"].options
    assert isinstance(variant, app_commands.Argument)
    assert isinstance(rounds, app_commands.Argument)
    assert [choice.value for choice in variant.choices] == ["camelot", "cam-3d"]
    assert opponent.type is discord.AppCommandOptionType.user
    assert (rounds.min_value, rounds.max_value) == (1, 9)
    assert commands["rule"].default_member_permissions == discord.Permissions(manage_guild=True)
    assert commands["game"].options[0].name == "end"


async def test_manager_and_administrator_commands_are_offered_to_those_only(
    ada: Person, bjorn: Person, bot: ScriptedBot
) -> None:
    guild = bot.channel("lobby").guild.id

    @bot.tree.command(name="crown", description="For administrators")
    @app_commands.default_permissions()
    async def crown(asked: discord.Interaction[ScriptedBot]) -> None:
        await asked.response.send_message("crowned")

    async def offered(person: Person) -> dict[str, list[str] | None]:
        return {one["name"]: one["allowed_in"] for one in await person.commands()}

    await bot.tree.sync()
    assert (await offered(ada)).items() >= {"play": None, "rule": [str(guild)], "crown": []}.items()
    assert (await offered(bjorn)).items() >= {"play": None, "rule": [], "crown": []}.items()
    with pytest.raises(RefusedError, match="command_not_allowed"):
        await ada.command("#lobby", "crown")
    await ada.call("PUT", f"/app/guilds/{guild}/members/{bjorn.id}", {"administers": True})
    assert (await offered(bjorn)).items() >= {"rule": [str(guild)], "crown": [str(guild)]}.items()
    assert (await bjorn.command("#lobby", "crown")).text == "crowned"


async def test_a_bad_command_is_refused_and_nothing_changes(bot: ScriptedBot) -> None:
    before = await bot.tree.fetch_commands()
    many = [{"name": f"c{number}", "description": "x" * 101} for number in range(3)]
    with pytest.raises(discord.HTTPException, match="50035"):
        await bot.http.bulk_upsert_global_commands(bot.application_id or 0, many)  # type: ignore[arg-type]
    assert await bot.tree.fetch_commands() == before


async def test_the_application_describes_itself(bot: ScriptedBot) -> None:
    described = await bot.application_info()
    assert (described.name, described.bot_public) == ("Test Bot", True)
    assert described.approximate_guild_count == len(bot.guilds) == 2
    shards, url, _ = await bot.http.get_bot_gateway()
    assert shards == 1
    assert url.startswith("ws://127.0.0.1:")


# Where commands are offered


async def test_a_command_is_offered_in_its_contexts_and_to_its_installers(
    bot: ScriptedBot, ada: Person, sandbox: Sandbox
) -> None:
    seen: list[Asked] = []

    @bot.tree.command(name="secret", description="Between us")
    @app_commands.allowed_contexts(guilds=True, dms=True)
    @app_commands.allowed_installs(guilds=True, users=True)
    async def secret(asked: Asked) -> None:
        seen.append(asked)
        await asked.response.send_message("Psst.", ephemeral=True)
        refused = None
        try:
            for number in range(6):
                await asked.followup.send(str(number), ephemeral=True)
        except discord.HTTPException as error:
            refused = error.code
        asked.extras["refused"] = refused

    await bot.tree.sync()
    async with await Person.join(sandbox.url, "Cleo") as cleo:
        doors = [(await one.call("POST", f"/app/people/{one.id}/dm"))["id"] for one in (ada, cleo)]
        for person, place in ((ada, doors[0]), (cleo, doors[1]), (cleo, "#silence"), (cleo, "#general")):
            assert (await person.command(place, "secret")).ephemeral
        with pytest.raises(RefusedError, match="not in this server"):
            await ada.command("#silence", "secret")  # who has not installed it
        for place in (doors[1], "#silence"):
            with pytest.raises(RefusedError):
                await cleo.command(place, "rule")  # which is for servers that have the bot
    here, dm, numbers = "guild", "dm_channel", {one.name: one.id for one in sandbox.world.guilds.values()}
    silent, home = numbers["Silent Court"], numbers["Test Server"]
    contexts = [here if asked.context.guild else dm if asked.context.dm_channel else "" for asked in seen]
    assert contexts == [dm, dm, here, here]
    assert [asked.guild_id for asked in seen] == [None, None, silent, home]
    assert [asked.is_user_integration() for asked in seen] == [False, True, True, True]
    assert [asked.is_guild_integration() for asked in seen] == [False, False, False, True]
    await until(lambda: all("refused" in asked.extras for asked in seen))
    assert [asked.extras["refused"] for asked in seen] == [None, None, 40094, None], "five at most"
