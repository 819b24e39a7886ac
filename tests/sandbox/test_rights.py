"""Who may do what: overwrites of roles, people and categories, administrators, newcomers, and slow channels."""

from __future__ import annotations

from typing import Any

import discord
import pytest

from sandbox import Sandbox
from sandbox.people import Person, RefusedError
from sandbox.permissions import Permission
from tests.sandbox.asking import refused

from .jester import Jester, until

SEND = int(Permission.SEND_MESSAGES)
VIEW = int(Permission.VIEW_CHANNEL)


async def overwrite(ada: Person, channel: str, of: str, *, allow: int = 0, deny: int = 0) -> None:
    place = f"/app/channels/{await ada.find(channel)}/overwrites"
    await ada.call("PUT", place, {"of": of, "allow": allow, "deny": deny})


async def member(ada: Person, jester: Jester, person_id: str | int, **more: Any) -> None:
    guild = jester.channel("lobby").guild.id
    await ada.call("PUT", f"/app/guilds/{guild}/members/{person_id}", more)


def may_send(jester: Jester, channel: str = "lobby") -> bool:
    """What discord.py works out by itself."""
    where = jester.channel(channel)
    return where.permissions_for(where.guild.me).send_messages


async def test_roles_are_overwritten_and_the_member_has_the_last_word(
    ada: Person, bjorn: Person, jester: Jester
) -> None:
    lobby = jester.channel("lobby")
    await overwrite(ada, "#lobby", "everyone", deny=SEND)
    await until(lambda: not may_send(jester))
    await refused(lobby.send("no"), 50013, 403)
    with pytest.raises(RefusedError, match="50013"):
        await bjorn.say("#lobby", "no")
    await overwrite(ada, "#lobby", "bot", allow=SEND)
    await until(lambda: may_send(jester))
    await lobby.send("yes")
    await overwrite(ada, "#lobby", "steward", allow=SEND)
    await ada.say("#lobby", "yes")
    await overwrite(ada, "#lobby", ada.id, deny=SEND)
    with pytest.raises(RefusedError, match="50013"):
        await ada.say("#lobby", "no")
    await overwrite(ada, "#lobby", bjorn.id, allow=SEND)
    await bjorn.say("#lobby", "yes")


async def test_what_a_category_forbids_is_forbidden_in_the_channels_that_follow_it(
    ada: Person, jester: Jester, sandbox: Sandbox
) -> None:
    lobby = jester.channel("lobby")
    made = await ada.call("POST", f"/app/guilds/{lobby.guild.id}/channels", {"name": "Games", "type": "4"})
    await ada.call("PATCH", f"/app/channels/{lobby.id}", {"category": made["id"]})
    await until(lambda: jester.channel("lobby").category is not None)
    assert lobby.permissions_synced
    await ada.call("PUT", f"/app/channels/{made['id']}/overwrites", {"of": "bot", "allow": 0, "deny": VIEW})
    await refused(lobby.send("no"), 50001, 403)
    await until(lambda: not may_send(jester))
    await jester.channel("general").send("here all is as it was")
    assert made["id"] not in ada.channels  # nothing is said in a category


async def test_an_administrator_may_do_everything(ada: Person, jester: Jester) -> None:
    read_only = jester.channel("read-only")
    await refused(read_only.send("no"), 50013, 403)
    assert jester.user is not None
    await member(ada, jester, jester.user.id, administers=True)
    await until(lambda: may_send(jester, "read-only"))
    await read_only.send("yes")


async def test_a_newcomer_looks_until_the_rules_are_accepted(bjorn: Person, ada: Person, jester: Jester) -> None:
    await member(ada, jester, bjorn.id, pending=True)
    assert (await jester.channel("lobby").guild.fetch_member(int(bjorn.id))).pending
    await bjorn.messages("#lobby")
    with pytest.raises(RefusedError, match="50013"):
        await bjorn.say("#lobby", "no")
    with pytest.raises(RefusedError, match="50013"):
        await bjorn.command("#lobby", "play", variant="camelot")
    await member(ada, jester, bjorn.id, pending=False)
    assert (await bjorn.command("#lobby", "play", variant="camelot")).text == "done"


async def test_in_slow_motion_people_wait_and_bots_and_moderators_do_not(
    ada: Person, bjorn: Person, jester: Jester, sandbox: Sandbox
) -> None:
    lobby = jester.channel("lobby")
    await ada.call("PATCH", f"/app/channels/{lobby.id}", {"slowmode": "30", "adult": True})
    await until(lambda: (jester.channel("lobby").slowmode_delay, jester.channel("lobby").nsfw) == (30, True))
    await bjorn.say("#lobby", "one")
    with pytest.raises(RefusedError, match="20016"):
        await bjorn.say("#lobby", "two")
    for number in range(2):
        await ada.say("#lobby", str(number))
        await lobby.send(str(number))
    later = sandbox.world.clock() + 30
    sandbox.world.clock = lambda: later
    await bjorn.say("#lobby", "two")


async def test_overwrites_are_there_after_a_restart(ada: Person, jester: Jester, sandbox: Sandbox) -> None:
    await overwrite(ada, "#lobby", "everyone", deny=SEND)
    lobby = sandbox.world.channel(jester.channel("lobby").id)
    again = type(sandbox.world).load(sandbox.world.shelf)
    assert again.channel(lobby.id) == lobby
    assert isinstance(discord.utils.get(jester.guilds, name="Test Server"), discord.Guild)
