"""Where commands are offered: in servers, in direct messages, and where only a person has brought the bot along."""

from __future__ import annotations

import discord
import pytest
from discord import app_commands

from sandbox import Sandbox
from sandbox.people import Person, RefusedError

from .asking import Asked
from .jester import Jester


async def test_a_command_is_offered_in_its_contexts_and_to_its_installers(
    jester: Jester, ada: Person, sandbox: Sandbox
) -> None:
    seen: list[Asked] = []

    @jester.tree.command(name="secret", description="Between us")
    @app_commands.allowed_contexts(guilds=True, dms=True)
    @app_commands.allowed_installs(guilds=True, users=True)
    async def secret(asked: Asked) -> None:
        seen.append(asked)
        await asked.response.send_message("Psst.", ephemeral=True)
        try:
            for number in range(6):
                await asked.followup.send(str(number), ephemeral=True)
        except discord.HTTPException as error:
            asked.extras["refused"] = error.code

    await jester.tree.sync()
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
    assert [asked.extras.get("refused") for asked in seen] == [None, None, 40094, None], "five at most"
