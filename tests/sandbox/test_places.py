"""Messages in channels of all types, and threads."""

from __future__ import annotations

import io

import discord
import pytest

from sandbox import Sandbox
from sandbox.discord_types import FORUM, NEWS, STAGE, VOICE
from sandbox.files import picture_size
from sandbox.people import Person, RefusedError
from sandbox.permissions import Permission
from sandbox.world_files import DROPPED_FILES_KEPT
from tests.sandbox.bot_requests import PNG, board, forbid, refused

from .scripted_bot import ScriptedBot, until


async def add(bot: ScriptedBot, ada: Person, name: str, kind: int, **values: object) -> discord.abc.GuildChannel:
    """A channel of that type, once the bot has heard of it."""
    guild = bot.guilds[0]
    made = await ada.call("POST", f"/app/guilds/{guild.id}/channels", {"name": name, "type": kind, **values})
    await until(lambda: guild.get_channel(int(made["id"])) is not None)
    found = guild.get_channel(int(made["id"]))
    assert found is not None
    return found


async def forum(bot: ScriptedBot, ada: Person, **values: object) -> discord.ForumChannel:
    found = await add(bot, ada, "posts", FORUM, tags=["Camelot", "running"], **values)
    assert isinstance(found, discord.ForumChannel)
    return found


@pytest.mark.parametrize(
    ("kind", "shape"), [(NEWS, discord.TextChannel), (VOICE, discord.VoiceChannel), (STAGE, discord.StageChannel)]
)
async def test_people_write_and_call_in_every_channel_with_a_chat(
    ada: Person, bot: ScriptedBot, kind: int, shape: type[discord.abc.Messageable]
) -> None:
    channel = await add(bot, ada, "chat", kind)
    assert isinstance(channel, shape)
    await channel.send("welcome")
    assert [said.text for said in await ada.messages("chat")] == ["welcome"]
    assert (await ada.command("chat", "play", variant="camelot")).text == "done"


async def test_a_thread_of_an_announcement_channel_is_one_of_announcements(ada: Person, bot: ScriptedBot) -> None:
    news = await add(bot, ada, "news", NEWS)
    assert isinstance(news, discord.TextChannel)
    thread = await (await news.send("A table")).create_thread(name="Game 1")
    assert thread.type is discord.ChannelType.news_thread
    await thread.send("on we go")


@pytest.mark.parametrize("kind", [VOICE, STAGE])
async def test_a_voice_channel_has_no_threads_and_connectors_read_it(ada: Person, bot: ScriptedBot, kind: int) -> None:
    voice = await add(bot, ada, "chat", kind)
    assert isinstance(voice, discord.VoiceChannel | discord.StageChannel)
    message = await voice.send("A table")
    await refused(message.create_thread(name="Game 1"), 50024, 400)
    assert (await voice.fetch_message(message.id)).content == "A table"
    await forbid(ada, "chat", Permission.CONNECT)
    await refused(voice.fetch_message(message.id), 50001, 403)


async def test_a_forum_takes_posts_and_nothing_else(ada: Person, bot: ScriptedBot) -> None:
    games = await forum(bot, ada)
    await refused(bot.http.send_message(games.id, params=discord.http.handle_message_parameters("x")), 50008, 400)
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


async def test_a_forum_may_ask_for_a_tag_and_takes_five_at_most(ada: Person, bot: ScriptedBot) -> None:
    games = await forum(bot, ada, needs_tag=True)
    assert games.flags.require_tag
    await refused(games.create_thread(name="x", content="x"), 40067, 400)
    await refused(games.create_thread(name="x", content="x", applied_tags=[discord.Object(1)]), 50035, 400)  # type: ignore[list-item]  # a tag of no forum
    thread, _ = await games.create_thread(name="x", content="x", applied_tags=games.available_tags[:1])
    await refused(thread.edit(applied_tags=[]), 40067, 400)


async def test_a_post_needs_the_right_to_send_not_to_open_threads(ada: Person, bot: ScriptedBot) -> None:
    games = await forum(bot, ada)
    await forbid(ada, "posts", Permission.CREATE_PUBLIC_THREADS)
    await games.create_thread(name="one", content="x")
    await forbid(ada, "posts", Permission.SEND_MESSAGES)
    await refused(games.create_thread(name="two", content="x"), 50013, 403)


async def test_a_server_has_only_so_many_active_threads(sandbox: Sandbox, ada: Person, bot: ScriptedBot) -> None:
    lobby = bot.channel("lobby")
    sandbox.world.most_threads = 1
    first = await (await lobby.send("one")).create_thread(name="one")
    await refused((await lobby.send("two")).create_thread(name="two"), 160006, 400)
    await first.edit(archived=True)
    await (await lobby.send("three")).create_thread(name="three")
    await refused(first.send("wake up"), 160006, 400)


async def test_a_thread_that_is_locked_and_archived_is_archived_to_who_writes(ada: Person, bot: ScriptedBot) -> None:
    thread = await (await bot.channel("lobby").send("one")).create_thread(name="one")
    await ada.call("PATCH", f"/app/channels/{thread.id}", {"locked": True})
    await refused(thread.send("on"), 160005, 403)
    await ada.call("PATCH", f"/app/channels/{thread.id}", {"locked": True, "archived": True})
    await refused(thread.send("on"), 50083, 400)


# Threads


async def open_thread(bot: ScriptedBot, name: str = "Ada against Bjørn") -> discord.Thread:
    return await bot.channel("general").create_thread(name=name, type=discord.ChannelType.public_thread)


async def test_a_public_thread_is_announced_and_seen_by_all(ada: Person, bjorn: Person, bot: ScriptedBot) -> None:
    thread = await open_thread(bot)
    await thread.send("welcome")
    assert [said.text for said in await bjorn.messages(str(thread.id))] == ["welcome"]
    (line,) = await ada.messages("#general")
    assert (line.json["kind"], line.json["thread_id"]) == ("thread_created", str(thread.id))
    assert thread.parent is bot.channel("general")
    assert thread.me is not None


async def test_no_private_threads_are_started_and_no_channel_is_changed(bot: ScriptedBot) -> None:
    await refused(bot.channel("general").create_thread(name="secret"), 50035, 400)
    await refused(bot.channel("general").edit(name="renamed"), 50035, 400)


async def test_a_thread_hangs_on_a_message_once(ada: Person, bot: ScriptedBot) -> None:
    message = await bot.channel("lobby").send("A table")
    thread = await message.create_thread(name="Game 1", auto_archive_duration=10080)
    assert thread.id == message.id
    await refused(message.create_thread(name="Game 1"), 160004, 400)
    assert (await ada.messages("#lobby"))[0].json["thread_id"] == str(thread.id)
    await ada.wait_for("Game 1", lambda said: said.text == "A table")
    await message.edit(content="Begun")
    await ada.wait_for("Game 1", lambda said: said.text == "Begun")
    (starter,) = [one async for one in thread.history()]
    assert starter.type is discord.MessageType.thread_starter_message
    assert starter.reference is not None
    assert (starter.reference.channel_id, starter.reference.message_id) == (message.channel.id, message.id)
    fetched = await bot.channel("lobby").fetch_message(message.id)
    assert fetched.thread is not None
    deeper = bot.http.start_thread_without_message(thread.id, name="x", type=11, auto_archive_duration=60)
    await refused(deeper, 50024, 400)


async def test_sending_wakes_an_archived_thread_and_editing_is_refused(ada: Person, bot: ScriptedBot) -> None:
    thread = await open_thread(bot)
    message = await thread.send("your turn")
    await thread.edit(archived=True)
    await refused(message.edit(content="changed"), 50083, 400)
    await refused(message.delete(), 50083, 400)
    await refused(thread.edit(name="renamed"), 50083, 400)
    with pytest.raises(RefusedError, match="thread_archived"):
        await ada.command(str(thread.id), "play", variant="camelot")
    await thread.send("the game goes on")
    await message.edit(content="changed")
    assert not (await bot.fetch_channel(thread.id)).archived  # type: ignore[union-attr]  # it is a thread
    assert (await ada.command(str(thread.id), "play", variant="camelot")).text == "done"


async def test_a_click_wakes_an_archived_thread_but_not_a_locked_one(
    ada: Person, bjorn: Person, bot: ScriptedBot
) -> None:
    thread = await open_thread(bot)
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


async def test_threads_have_their_own_permission_to_send(ada: Person, bot: ScriptedBot) -> None:
    thread = await open_thread(bot)
    await forbid(ada, "#general", Permission.SEND_MESSAGES)
    await thread.send("SEND_MESSAGES has no effect here")
    await forbid(ada, "#general", Permission.SEND_MESSAGES_IN_THREADS)
    await refused(thread.send("no"), 50013, 403)
    await forbid(ada, "#general", Permission.CREATE_PUBLIC_THREADS)
    await refused(open_thread(bot), 50013, 403)


async def test_a_mention_brings_a_person_into_the_thread(bjorn: Person, bot: ScriptedBot, sandbox: Sandbox) -> None:
    thread = await open_thread(bot)
    await thread.send(f"<@{bjorn.id}>")
    assert await bjorn.pings(str(thread.id)) == 1
    assert int(bjorn.id) in sandbox.world.channel(thread.id).members


async def test_active_threads_and_deletion(ada: Person, bot: ScriptedBot, sandbox: Sandbox) -> None:
    first, second = await open_thread(bot, "one"), await open_thread(bot, "two")
    await second.edit(archived=True)
    assert [thread.name for thread in await first.guild.active_threads()] == ["one"]
    await first.send("x")
    await ada.call("DELETE", f"/app/channels/{first.id}")
    await refused(first.send("x"), 10003, 404)
    assert first.id not in sandbox.world.channels


# Messages


async def test_a_new_message_pings_exactly_those_it_may(
    ada: Person, bjorn: Person, cleo: Person, bot: ScriptedBot
) -> None:
    table = bot.channel("general")
    next_one = discord.AllowedMentions(users=[discord.Object(int(bjorn.id))])
    await table.send(f"<@{bjorn.id}> after <@{cleo.id}> @everyone", allowed_mentions=next_one)
    assert [await person.pings("#general") for person in (ada, bjorn, cleo)] == [0, 1, 0]
    (said,) = await cleo.messages("#general")
    assert said.json["mentions_me"]
    assert not said.pings_me
    await bjorn.read("#general")
    assert await bjorn.pings("#general") == 0


async def test_without_allowed_mentions_everybody_named_is_pinged(ada: Person, bjorn: Person, bot: ScriptedBot) -> None:
    await bot.channel("general").send(f"<@{bjorn.id}> and @everyone")
    assert await bjorn.pings("#general") == 1
    assert await ada.pings("#general") == 0  # the bot has no right to @everyone
    (said,) = await ada.messages("#general")
    assert not said.json["mentions_me"]


async def test_everyone_is_pinged_by_whom_may(ada: Person, bjorn: Person, cleo: Person) -> None:
    await bjorn.say("#lobby", "@everyone no")
    assert await cleo.pings("#lobby") == 0
    await ada.say("#lobby", "@everyone look")
    assert [await person.pings("#lobby") for person in (ada, bjorn, cleo)] == [0, 1, 1]


async def test_edits_and_silent_messages_ping_nobody(bjorn: Person, bot: ScriptedBot) -> None:
    message = await bot.channel("general").send("wait")
    await message.edit(content=f"<@{bjorn.id}>")
    await bot.channel("general").send(f"<@{bjorn.id}>", silent=True)
    await bot.channel("general").send(f"`<@{bjorn.id}>`")
    assert await bjorn.pings("#general") == 0
    assert (await bjorn.messages("#general"))[0].json["edited"] is not None


async def test_a_text_display_pings(bjorn: Person, bot: ScriptedBot) -> None:
    view = discord.ui.LayoutView()
    view.add_item(discord.ui.TextDisplay(f"<@{bjorn.id}>"))
    await bot.channel("general").send(view=view)
    assert await bjorn.pings("#general") == 1


async def test_files_come_with_alt_text_and_are_served(ada: Person, bot: ScriptedBot) -> None:
    files = [board("bo ard.png", alt=None), discord.File(io.BytesIO(b"1. E6-E7"), "game.txt")]
    message = await bot.channel("lobby").send(files=files)
    assert [file.filename for file in message.attachments] == ["bo_ard.png", "game.txt"]
    assert (message.attachments[0].width, message.attachments[0].height) == (640, 480)
    assert await message.attachments[0].read() == PNG
    (said,) = await ada.messages("#lobby")
    assert [file["filename"] for file in said.json["attachments"]] == ["bo_ard.png", "game.txt"]
    assert await ada.picture(said.json["attachments"][0]) == PNG


@pytest.mark.parametrize(
    ("content", "size"),
    [
        (PNG, (640, 480)),
        (b"GIF89a" + (300).to_bytes(2, "little") + (200).to_bytes(2, "little"), (300, 200)),
        (b"GIF89a", (None, None)),
        (b"words", (None, None)),
    ],
)
def test_pictures_tell_their_size(content: bytes, size: tuple[int | None, int | None]) -> None:
    assert picture_size(content) == size


async def test_an_edit_keeps_the_listed_files_and_removes_the_others(
    ada: Person, bot: ScriptedBot, sandbox: Sandbox
) -> None:
    message = await bot.channel("lobby").send("boards", files=[board("a.png"), board("b.png")])
    kept, gone = message.attachments
    edited = await message.edit(attachments=[kept, board("c.png")])
    assert [file.filename for file in edited.attachments] == ["a.png", "c.png"]
    assert edited.attachments[0].id == kept.id
    assert sandbox.world.files.file(gone.id), "a page that shows the message may just be loading it"
    for number in range(DROPPED_FILES_KEPT):
        sandbox.world.files.drop_file(number)
    assert sandbox.world.files.file(gone.id) is None
    assert [file.filename for file in (await edited.edit(content="still")).attachments] == ["a.png", "c.png"]
    await edited.edit(attachments=[])
    await refused(edited.edit(content=None), 50006, 400)


async def test_a_file_that_was_sent_before_is_empty_and_refused(bot: ScriptedBot) -> None:
    used = discord.File(io.BytesIO(b""), "board.png")
    await refused(bot.channel("lobby").send(file=used), 50035, 400)


async def test_history(ada: Person, bot: ScriptedBot) -> None:
    lobby = bot.channel("lobby")
    sent = [await lobby.send(str(number)) for number in range(5)]
    assert [one.content async for one in lobby.history(limit=2)] == ["4", "3"]
    with pytest.raises(discord.HTTPException, match="50035"):
        _ = [one async for one in lobby.history(before=sent[2])]
    await ada.say("#lobby", "not the bot's")
    (strange,) = [one async for one in lobby.history(limit=1)]
    assert strange.content == "not the bot's"
    await refused(strange.edit(content="mine"), 50005, 403)
    await refused(strange.delete(), 50013, 403)
    await sent[0].delete()
    await refused(lobby.fetch_message(sent[0].id), 10008, 404)


async def test_permissions(ada: Person, bot: ScriptedBot) -> None:
    lobby = bot.channel("lobby")
    message = await lobby.send("here")
    await refused(bot.channel("read-only").send("no"), 50013, 403)
    await forbid(ada, "#lobby", Permission.ATTACH_FILES)
    await refused(lobby.send(file=board()), 50013, 403)
    await lobby.send("words only")
    await forbid(ada, "#lobby", Permission.SEND_MESSAGES)
    await refused(lobby.send("x"), 50013, 403)
    await message.edit(content="edits need no right to send")
    await forbid(ada, "#lobby", Permission.READ_MESSAGE_HISTORY)
    assert [one async for one in lobby.history()] == []
    await refused(lobby.fetch_message(message.id), 50001, 403)
    await forbid(ada, "#lobby", Permission.VIEW_CHANNEL)
    await refused(lobby.send("x"), 50001, 403)
    await refused(message.edit(content="x"), 50001, 403)
    await until(lambda: not lobby.permissions_for(lobby.guild.me).view_channel)  # by CHANNEL_UPDATE


async def test_unknown_things(ada: Person, bot: ScriptedBot) -> None:
    lobby = bot.channel("lobby")
    await refused(bot.fetch_channel(1), 10003, 404)
    await refused(lobby.fetch_message(1), 10008, 404)
    await refused(bot.fetch_guild(1), 10004, 404)
    await refused(lobby.guild.fetch_member(1), 10013, 404)
    assert (await lobby.guild.fetch_member(int(ada.id))).display_name == "Ada"
    await ada.call("DELETE", f"/app/channels/{lobby.id}")
    await refused(lobby.send("x"), 10003, 404)


async def test_a_route_not_modelled_is_404_and_named(bot: ScriptedBot, caplog: pytest.LogCaptureFixture) -> None:
    message = await bot.channel("lobby").send("x")
    await refused(message.add_reaction("👍"), 0, 404)
    assert "not modelled: PUT /api/v10/channels" in caplog.text


async def test_a_bad_token_is_401(sandbox: Sandbox) -> None:
    async with discord.Client(intents=discord.Intents.none()) as stranger:
        with pytest.raises(discord.LoginFailure):
            await stranger.login("wrong")


async def test_v2_is_for_good_and_needs_its_files(ada: Person, bot: ScriptedBot) -> None:
    lobby = bot.channel("lobby")
    view = discord.ui.LayoutView()
    view.add_item(discord.ui.TextDisplay("hello"))
    await refused(lobby.send("and text", view=view), 50035, 400)
    message = await lobby.send("old")
    await refused(message.edit(view=view), 50035, 400)  # content stays, unless it is taken away
    changed = await message.edit(content=None, view=view)
    assert changed.flags.components_v2
    await refused(message.edit(content="back"), 50035, 400)
    (said,) = await ada.messages("#lobby")
    assert (said.text, said.json["components_v2"]) == ("hello", True)
