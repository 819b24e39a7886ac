"""Messages in channels: sending, editing, pings, files, permissions, through discord.py itself."""

from __future__ import annotations

import io

import discord
import pytest

from sandbox import Sandbox
from sandbox.files import picture_size
from sandbox.people import Person
from sandbox.permissions import Permission
from tests.sandbox.asking import forbid, refused

from .jester import Jester, until

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + (640).to_bytes(4, "big") + (480).to_bytes(4, "big") + b"rest"


def board(name: str = "board.png", alt: str | None = "A board") -> discord.File:
    return discord.File(io.BytesIO(PNG), name, description=alt)


async def test_a_new_message_pings_exactly_those_it_may(
    ada: Person, bjorn: Person, cleo: Person, jester: Jester
) -> None:
    table = jester.channel("general")
    next_one = discord.AllowedMentions(users=[discord.Object(int(bjorn.id))])
    await table.send(f"<@{bjorn.id}> after <@{cleo.id}> @everyone", allowed_mentions=next_one)
    assert [await person.pings("#general") for person in (ada, bjorn, cleo)] == [0, 1, 0]
    (said,) = await cleo.messages("#general")
    assert said.json["mentions_me"]
    assert not said.pings_me
    await bjorn.read("#general")
    assert await bjorn.pings("#general") == 0


async def test_without_allowed_mentions_everybody_named_is_pinged(ada: Person, bjorn: Person, jester: Jester) -> None:
    await jester.channel("general").send(f"<@{bjorn.id}> and @everyone")
    assert await bjorn.pings("#general") == 1
    assert await ada.pings("#general") == 0  # the bot has no right to @everyone
    (said,) = await ada.messages("#general")
    assert not said.json["mentions_me"]


async def test_everyone_is_pinged_by_whom_may(ada: Person, bjorn: Person, cleo: Person) -> None:
    await bjorn.say("#lobby", "@everyone no")
    assert await cleo.pings("#lobby") == 0
    await ada.say("#lobby", "@everyone look")
    assert [await person.pings("#lobby") for person in (ada, bjorn, cleo)] == [0, 1, 1]


async def test_edits_and_silent_messages_ping_nobody(bjorn: Person, jester: Jester) -> None:
    message = await jester.channel("general").send("wait")
    await message.edit(content=f"<@{bjorn.id}>")
    await jester.channel("general").send(f"<@{bjorn.id}>", silent=True)
    await jester.channel("general").send(embed=discord.Embed(description=f"<@{bjorn.id}>"))
    await jester.channel("general").send(f"`<@{bjorn.id}>`")
    assert await bjorn.pings("#general") == 0
    assert (await bjorn.messages("#general"))[0].json["edited"] is not None


async def test_a_text_display_pings(bjorn: Person, jester: Jester) -> None:
    view = discord.ui.LayoutView()
    view.add_item(discord.ui.TextDisplay(f"<@{bjorn.id}>"))
    await jester.channel("general").send(view=view)
    assert await bjorn.pings("#general") == 1


async def test_the_same_nonce_sends_once(ada: Person, jester: Jester) -> None:
    lobby = jester.channel("lobby")
    first = await lobby.send("move 12", nonce="7:12")
    second = await lobby.send("move 12", nonce="7:12")
    other = await lobby.send("move 13", nonce="7:13")
    assert first.id == second.id != other.id
    assert [said.text for said in await ada.messages("#lobby")] == ["move 12", "move 13"]


async def test_files_come_with_alt_text_and_are_served(ada: Person, jester: Jester) -> None:
    embed = discord.Embed(title="Board").set_image(url="attachment://shown.png")
    files = [board("shown.png"), board("bo ard.png", None), discord.File(io.BytesIO(b"1. E6-E7"), "game.txt")]
    message = await jester.channel("lobby").send(embed=embed, files=files)
    assert [file.filename for file in message.attachments] == ["bo_ard.png", "game.txt"]
    assert (message.attachments[0].width, message.attachments[0].height) == (640, 480)
    assert await message.attachments[0].read() == PNG
    (said,) = await ada.messages("#lobby")
    assert [file["filename"] for file in said.json["attachments"]] == ["bo_ard.png", "game.txt"]
    assert await ada.picture(said.json["embeds"][0]["image"]) == PNG


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
    ada: Person, jester: Jester, sandbox: Sandbox
) -> None:
    message = await jester.channel("lobby").send("boards", files=[board("a.png"), board("b.png")])
    kept, gone = message.attachments
    edited = await message.edit(attachments=[kept, board("c.png")])
    assert [file.filename for file in edited.attachments] == ["a.png", "c.png"]
    assert edited.attachments[0].id == kept.id
    assert sandbox.world.shelf.file(gone.id) is None
    assert [file.filename for file in (await edited.edit(content="still")).attachments] == ["a.png", "c.png"]
    await edited.edit(attachments=[])
    await refused(edited.edit(content=None), 50006, 400)


async def test_a_file_that_was_sent_before_is_empty_and_refused(jester: Jester) -> None:
    used = discord.File(io.BytesIO(b""), "board.png")
    await refused(jester.channel("lobby").send(file=used), 50035, 400)


async def test_history(ada: Person, jester: Jester) -> None:
    lobby = jester.channel("lobby")
    sent = [await lobby.send(str(number)) for number in range(5)]
    assert [one.content async for one in lobby.history(limit=2)] == ["4", "3"]
    assert [one.content async for one in lobby.history(before=sent[2])] == ["1", "0"]
    assert [one.content async for one in lobby.history(after=sent[2], oldest_first=True)] == ["3", "4"]
    assert [one.content async for one in lobby.history(around=sent[2], limit=3)] == ["3", "2", "1"]
    await ada.say("#lobby", "not the bot's")
    (strange,) = [one async for one in lobby.history(limit=1)]
    assert strange.content == "not the bot's"
    await refused(strange.edit(content="mine"), 50005, 403)
    await refused(strange.delete(), 50013, 403)
    await sent[0].delete()
    await refused(lobby.fetch_message(sent[0].id), 10008, 404)


async def test_replies(ada: Person, jester: Jester) -> None:
    said = await ada.say("#lobby", "hello")
    question = await jester.channel("lobby").fetch_message(int(said.id))
    await question.reply("hello you")
    assert await ada.pings("#lobby") == 1  # replied_user is on by default
    await question.reply("quietly", mention_author=False)
    assert await ada.pings("#lobby") == 1
    assert (await ada.messages("#lobby"))[-1].json["reply_to"] == said.id
    await forbid(ada, "#lobby", Permission.READ_MESSAGE_HISTORY)
    await refused(question.reply("again"), 160002, 403)


async def test_permissions(ada: Person, jester: Jester) -> None:
    lobby = jester.channel("lobby")
    message = await lobby.send("here")
    await refused(jester.channel("read-only").send("no"), 50013, 403)
    await forbid(ada, "#lobby", Permission.ATTACH_FILES)
    await refused(lobby.send(file=board()), 50013, 403)
    await lobby.send("words only")
    await forbid(ada, "#lobby", Permission.EMBED_LINKS)
    await refused(lobby.send(embed=discord.Embed(title="x")), 50013, 403)
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


async def test_unknown_things(ada: Person, jester: Jester) -> None:
    lobby = jester.channel("lobby")
    await refused(jester.fetch_channel(1), 10003, 404)
    await refused(lobby.fetch_message(1), 10008, 404)
    await refused(jester.fetch_user(1), 10013, 404)
    await refused(jester.fetch_guild(1), 10004, 404)
    await refused(lobby.guild.fetch_member(1), 10013, 404)
    assert (await lobby.guild.fetch_member(int(ada.id))).display_name == "Ada"
    await ada.call("DELETE", f"/app/channels/{lobby.id}")
    await refused(lobby.send("x"), 10003, 404)


async def test_a_route_that_is_not_modelled_is_404_and_named(jester: Jester, caplog: pytest.LogCaptureFixture) -> None:
    message = await jester.channel("lobby").send("x")
    await refused(message.add_reaction("👍"), 0, 404)
    assert "not modelled: PUT /api/v10/channels" in caplog.text


async def test_a_bad_token_is_401(sandbox: Sandbox) -> None:
    async with discord.Client(intents=discord.Intents.none()) as stranger:
        with pytest.raises(discord.LoginFailure):
            await stranger.login("wrong")


async def test_typing_is_seen(ada: Person, jester: Jester) -> None:
    async with jester.channel("lobby").typing():
        pass


async def test_v2_is_for_good_and_needs_its_files(ada: Person, jester: Jester) -> None:
    lobby = jester.channel("lobby")
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
