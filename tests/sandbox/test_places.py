"""Channels of other types than text: announcements, voice and stage, and forums with their posts."""

from __future__ import annotations

import discord
import pytest

from sandbox import Sandbox
from sandbox.people import Person, RefusedError
from sandbox.permissions import Permission
from sandbox.things import FORUM, NEWS, STAGE, VOICE
from tests.sandbox.asking import forbid, refused

from .jester import Jester, until


async def add(jester: Jester, ada: Person, name: str, kind: int, **values: object) -> discord.abc.GuildChannel:
    """A channel of that type, once the bot has heard of it."""
    guild = jester.guilds[0]
    made = await ada.call("POST", f"/app/guilds/{guild.id}/channels", {"name": name, "type": kind, **values})
    await until(lambda: guild.get_channel(int(made["id"])) is not None)
    found = guild.get_channel(int(made["id"]))
    assert found is not None
    return found


async def forum(jester: Jester, ada: Person, **values: object) -> discord.ForumChannel:
    found = await add(jester, ada, "posts", FORUM, tags=["Camelot", "running"], **values)
    assert isinstance(found, discord.ForumChannel)
    return found


@pytest.mark.parametrize(
    ("kind", "shape"),
    [(NEWS, discord.TextChannel), (VOICE, discord.VoiceChannel), (STAGE, discord.StageChannel)],
)
async def test_people_write_and_call_in_every_channel_with_a_chat(
    ada: Person, jester: Jester, kind: int, shape: type[discord.abc.Messageable]
) -> None:
    channel = await add(jester, ada, "chat", kind)
    assert isinstance(channel, shape)
    await channel.send("welcome")
    assert [said.text for said in await ada.messages("chat")] == ["welcome"]
    assert (await ada.command("chat", "play", variant="camelot")).text == "done"


async def test_a_thread_of_an_announcement_channel_is_one_of_announcements(ada: Person, jester: Jester) -> None:
    news = await add(jester, ada, "news", NEWS)
    assert isinstance(news, discord.TextChannel)
    thread = await (await news.send("A table")).create_thread(name="Game 1")
    assert thread.type is discord.ChannelType.news_thread
    await thread.send("on we go")


@pytest.mark.parametrize("kind", [VOICE, STAGE])
async def test_a_voice_channel_has_no_threads_and_is_read_by_connectors(ada: Person, jester: Jester, kind: int) -> None:
    voice = await add(jester, ada, "chat", kind)
    assert isinstance(voice, discord.VoiceChannel | discord.StageChannel)
    message = await voice.send("A table")
    await refused(message.create_thread(name="Game 1"), 50024, 400)
    assert (await voice.fetch_message(message.id)).content == "A table"
    await forbid(ada, "chat", Permission.CONNECT)
    await refused(voice.fetch_message(message.id), 50001, 403)


async def test_a_forum_takes_posts_and_nothing_else(ada: Person, jester: Jester) -> None:
    games = await forum(jester, ada)
    await refused(jester.http.send_message(games.id, params=discord.http.handle_message_parameters("x")), 50008, 400)
    with pytest.raises(RefusedError, match="no_such_command"):
        await ada.command("posts", "play", variant="camelot")
    thread, message = await games.create_thread(
        name="Camelot #1", content=f"<@{ada.id}>", applied_tags=[games.available_tags[0]]
    )
    assert (thread.id, thread.parent, message.channel.id) == (message.id, games, thread.id)
    assert [tag.name for tag in thread.applied_tags] == ["Camelot"]
    assert (await ada.wait_for("Camelot #1", lambda said: said.pings_me)).id == str(thread.id)
    assert ada.channels[str(thread.id)]["tags"] == ["Camelot"]
    await thread.edit(applied_tags=[*games.available_tags], archived=True)
    await until(lambda: ada.channels[str(thread.id)]["tags"] == ["Camelot", "running"])
    assert ada.channels[str(thread.id)]["archived"]


async def test_a_forum_may_ask_for_a_tag_and_takes_five_at_most(ada: Person, jester: Jester) -> None:
    games = await forum(jester, ada, needs_tag=True)
    assert games.flags.require_tag
    await refused(games.create_thread(name="x", content="x"), 40067, 400)
    await refused(games.create_thread(name="x", content="x", applied_tags=[discord.Object(1)]), 50035, 400)  # type: ignore[list-item]  # a tag of no forum
    thread, _ = await games.create_thread(name="x", content="x", applied_tags=games.available_tags[:1])
    await refused(thread.edit(applied_tags=[]), 40067, 400)


async def test_a_post_needs_the_right_to_send_not_to_open_threads(ada: Person, jester: Jester) -> None:
    games = await forum(jester, ada)
    await forbid(ada, "posts", Permission.CREATE_PUBLIC_THREADS)
    await games.create_thread(name="one", content="x")
    await forbid(ada, "posts", Permission.SEND_MESSAGES)
    await refused(games.create_thread(name="two", content="x"), 50013, 403)


async def test_a_server_has_only_so_many_active_threads(sandbox: Sandbox, ada: Person, jester: Jester) -> None:
    lobby = jester.channel("lobby")
    sandbox.world.most_threads = 1
    first = await (await lobby.send("one")).create_thread(name="one")
    await refused((await lobby.send("two")).create_thread(name="two"), 160006, 400)
    await first.edit(archived=True)
    await (await lobby.send("three")).create_thread(name="three")
    await refused(first.send("wake up"), 160006, 400)


async def test_a_thread_that_is_locked_and_archived_is_archived_to_who_writes(ada: Person, jester: Jester) -> None:
    thread = await (await jester.channel("lobby").send("one")).create_thread(name="one")
    await ada.call("PATCH", f"/app/channels/{thread.id}", {"locked": True})
    await refused(thread.send("on"), 160005, 403)
    await ada.call("PATCH", f"/app/channels/{thread.id}", {"locked": True, "archived": True})
    await refused(thread.send("on"), 50083, 400)
