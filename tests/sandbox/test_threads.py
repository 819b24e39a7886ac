"""Threads: opening, waking, locking, members, and what an archived one refuses."""

from __future__ import annotations

import discord
import pytest

from sandbox import Sandbox
from sandbox.people import Person, RefusedError
from sandbox.permissions import Permission
from tests.sandbox.asking import forbid, refused

from .jester import Jester


async def open_thread(jester: Jester, name: str = "Ada against Bjørn") -> discord.Thread:
    return await jester.channel("general").create_thread(name=name, type=discord.ChannelType.public_thread)


async def test_a_public_thread_is_announced_and_seen_by_all(ada: Person, bjorn: Person, jester: Jester) -> None:
    thread = await open_thread(jester)
    await thread.send("welcome")
    assert [said.text for said in await bjorn.messages(str(thread.id))] == ["welcome"]
    (line,) = await ada.messages("#general")
    assert (line.json["kind"], line.json["thread_id"]) == ("thread_created", str(thread.id))
    assert thread.parent is jester.channel("general")
    assert thread.me is not None


async def test_without_a_type_a_thread_is_private(ada: Person, bjorn: Person, jester: Jester) -> None:
    await refused(jester.channel("general").create_thread(name="secret"), 50013, 403)
    place = f"/app/channels/{await ada.find('#general')}/bot-permissions"
    await ada.call("PUT", place, {"allow": int(Permission.CREATE_PRIVATE_THREADS), "deny": 0})
    thread = await jester.channel("general").create_thread(name="secret")
    assert thread.type is discord.ChannelType.private_thread
    assert str(thread.id) not in bjorn.channels
    await thread.add_user(discord.Object(int(bjorn.id)))
    await thread.send(f"come, <@{bjorn.id}>")
    await bjorn.wait_for("secret", lambda said: said.pings_me)


async def test_a_thread_hangs_on_a_message_once(ada: Person, jester: Jester) -> None:
    message = await jester.channel("lobby").send("A table")
    thread = await message.create_thread(name="Game 1", auto_archive_duration=10080)
    assert thread.id == message.id
    await refused(message.create_thread(name="Game 1"), 160004, 400)
    assert (await ada.messages("#lobby"))[0].json["thread_id"] == str(thread.id)
    assert [said.text for said in await ada.messages("Game 1")] == ["A table"]
    (starter,) = [one async for one in thread.history()]
    assert starter.type is discord.MessageType.thread_starter_message
    assert starter.reference is not None
    assert (starter.reference.channel_id, starter.reference.message_id) == (message.channel.id, message.id)
    fetched = await jester.channel("lobby").fetch_message(message.id)
    assert fetched.thread is not None
    deeper = jester.http.start_thread_without_message(thread.id, name="x", type=11, auto_archive_duration=60)
    await refused(deeper, 50024, 400)


async def test_sending_wakes_an_archived_thread_and_editing_is_refused(ada: Person, jester: Jester) -> None:
    thread = await open_thread(jester)
    message = await thread.send("your turn")
    await thread.edit(archived=True)
    await refused(message.edit(content="changed"), 50083, 400)
    await refused(message.delete(), 50083, 400)
    await refused(thread.add_user(discord.Object(int(ada.id))), 50083, 400)
    await refused(thread.edit(name="renamed"), 50083, 400)
    with pytest.raises(RefusedError, match="thread_archived"):
        await ada.command(str(thread.id), "play", variant="camelot")
    await thread.send("the game goes on")
    await message.edit(content="changed")
    assert not (await jester.fetch_channel(thread.id)).archived  # type: ignore[union-attr]  # it is a thread
    assert (await ada.command(str(thread.id), "play", variant="camelot")).text == "done"


async def test_a_click_wakes_an_archived_thread_but_not_a_locked_one(
    ada: Person, bjorn: Person, jester: Jester
) -> None:
    thread = await open_thread(jester)
    view = discord.ui.View()
    view.add_item(discord.ui.Button(label="Go", custom_id="go"))
    await thread.send("press", view=view)
    (said,) = await bjorn.messages(str(thread.id))
    await thread.edit(archived=True)
    assert (await bjorn.click(said, "Go")).text == "done"
    await ada.call("PATCH", f"/app/channels/{thread.id}", {"locked": True, "archived": True})
    with pytest.raises(RefusedError, match="thread_locked"):
        await bjorn.click(said, "Go")
    with pytest.raises(RefusedError, match="thread_locked"):
        await bjorn.command(str(thread.id), "play", variant="camelot")
    await refused(thread.send("no"), 50083, 400)
    await ada.call("PATCH", f"/app/channels/{thread.id}", {"archived": False})
    await refused(thread.send("no"), 160005, 403)
    assert (await ada.click(said, "Go")).text == "done"  # a moderator's click wakes it


async def test_only_moderators_lock(ada: Person, jester: Jester) -> None:
    thread = await open_thread(jester)
    await refused(thread.edit(locked=True), 50013, 403)
    place = f"/app/channels/{await ada.find('#general')}/bot-permissions"
    await ada.call("PUT", place, {"allow": int(Permission.MANAGE_THREADS), "deny": 0})
    await thread.edit(locked=True, archived=True)
    await thread.edit(locked=False, archived=False, name="Again")
    assert await ada.find("Again") == str(thread.id)


async def test_threads_have_their_own_permission_to_send(ada: Person, jester: Jester) -> None:
    thread = await open_thread(jester)
    await forbid(ada, "#general", Permission.SEND_MESSAGES)
    await thread.send("SEND_MESSAGES has no effect here")
    await forbid(ada, "#general", Permission.SEND_MESSAGES_IN_THREADS)
    await refused(thread.send("no"), 50013, 403)
    await forbid(ada, "#general", Permission.CREATE_PUBLIC_THREADS)
    await refused(open_thread(jester), 50013, 403)


async def test_members_come_and_go(ada: Person, bjorn: Person, jester: Jester) -> None:
    thread = await open_thread(jester)
    await thread.add_user(discord.Object(int(bjorn.id)))
    assert int(bjorn.id) in [member.id for member in await thread.fetch_members()]
    await thread.leave()
    await thread.join()
    await refused(thread.remove_user(discord.Object(int(bjorn.id))), 50013, 403)
    await refused(thread.add_user(discord.Object(1)), 10013, 404)


async def test_a_mention_brings_a_person_into_the_thread(bjorn: Person, jester: Jester) -> None:
    thread = await open_thread(jester)
    await thread.send(f"<@{bjorn.id}>")
    assert await bjorn.pings(str(thread.id)) == 1
    assert int(bjorn.id) in [member.id for member in await thread.fetch_members()]


async def test_active_threads_and_deletion(ada: Person, jester: Jester, sandbox: Sandbox) -> None:
    first, second = await open_thread(jester, "one"), await open_thread(jester, "two")
    await second.edit(archived=True)
    assert [thread.name for thread in await first.guild.active_threads()] == ["one"]
    await first.send("x")
    await ada.call("DELETE", f"/app/channels/{first.id}")
    await refused(first.send("x"), 10003, 404)
    assert first.id not in sandbox.world.channels
