"""Interactions from the person's act to the bot's answer, with buttons, menus and forms."""

from __future__ import annotations

import time

import discord
import pytest
from discord import app_commands

from sandbox import Hardness, Sandbox
from sandbox.people import Person, RefusedError
from sandbox.permissions import Permission

from .bot_requests import PNG, Asked, board, code_of, play, saying, shown
from .scripted_bot import ScriptedBot, translate


async def test_a_command_is_answered_in_public(ada: Person, bjorn: Person, bot: ScriptedBot) -> None:
    async def act(asked: Asked) -> None:
        await asked.response.send_message(f"{asked.user.display_name}: {asked.extras['variant']}")

    bot.act = act
    reply = await play(ada)
    assert (reply.text, reply.ephemeral, bot.errors) == ("Ada: camelot", False, [])
    assert reply.message is not None
    assert reply.message.json["interaction"] == {
        "person": {"id": ada.id, "name": "Ada"},
        "command": "play",
        "kind": "command",
    }
    assert [said.text for said in await bjorn.messages("#general")] == ["Ada: camelot"]


async def test_a_private_answer_is_seen_by_its_reader_only(ada: Person, bjorn: Person, bot: ScriptedBot) -> None:
    async def act(asked: Asked) -> None:
        await asked.response.send_message("psst", ephemeral=True)
        await asked.followup.send("and another", ephemeral=True)

    bot.act = act
    reply = await play(ada)
    assert reply.ephemeral
    await ada.wait_for("#general", lambda said: said.text == "and another")
    assert await bjorn.messages("#general") == []
    assert reply.message is not None
    await ada.call("DELETE", f"/app/people/{ada.id}/channels/{reply.message.channel_id}/messages/{reply.message.id}")
    assert [said.text for said in await ada.messages("#general")] == ["and another"]


async def test_the_payload_carries_what_the_real_one_does(ada: Person, bjorn: Person, bot: ScriptedBot) -> None:
    seen: list[Asked] = []

    async def act(asked: Asked) -> None:
        seen.append(asked)
        await asked.response.send_message("ok")

    bot.act = act
    await ada.command("#read-only", "play", variant="cam-3d", opponent=bjorn, rounds=3, thread=True)
    await bjorn.command("#elsewhere", "play", variant="camelot")
    first, second = seen
    assert isinstance(first.user, discord.Member)
    assert first.permissions.manage_guild
    assert not first.app_permissions.send_messages
    assert first.app_permissions.view_channel
    assert (first.locale, first.guild_locale) == (discord.Locale.american_english, discord.Locale.american_english)
    assert first.context.guild
    assert first.is_guild_integration()
    assert not first.is_user_integration()
    assert first.filesize_limit == 10 * 1024 * 1024
    assert first.entitlements == []
    assert isinstance(first.extras["opponent"], discord.Member)
    assert (first.extras["opponent"].display_name, first.extras["rounds"], first.extras["thread"]) == ("Bjørn", 3, True)
    assert isinstance(first.channel, discord.TextChannel)
    assert second.locale is discord.Locale.norwegian
    assert not second.permissions.manage_guild
    assert second.app_permissions.send_messages
    assert second.guild is not None
    assert second.guild.name == "Other Court"


async def test_defer_then_edit_fills_the_placeholder_and_pings_nobody(
    ada: Person, bjorn: Person, bot: ScriptedBot
) -> None:
    async def act(asked: Asked) -> None:
        await asked.response.defer(thinking=True)
        everybody = discord.AllowedMentions.all()
        await asked.edit_original_response(content=f"<@{bjorn.id}>", attachments=[board()], allowed_mentions=everybody)

    bot.act = act
    reply = await play(ada)
    assert bot.errors == []
    assert reply.answer == "thinking"
    assert [file["description"] for file in reply.attachments] == ["A board"]
    assert (reply.attachments[0]["width"], reply.attachments[0]["height"]) == (640, 480)
    assert await bjorn.pings("#general") == 0
    (said,) = await bjorn.messages("#general")
    assert said.json["mentions_me"]
    assert not said.pings_me
    assert said.json["edited"] is None
    assert await bjorn.picture(said.attachments[0]) == PNG


async def test_the_first_follow_up_after_a_defer_takes_the_placeholders_place(ada: Person, bot: ScriptedBot) -> None:
    async def act(asked: Asked) -> None:
        await asked.response.defer(ephemeral=True, thinking=True)
        await asked.followup.send("first", ephemeral=False)
        await asked.followup.send("second", ephemeral=False)

    bot.act = act
    reply = await play(ada)
    assert (reply.text, reply.ephemeral) == ("first", True)
    second = await ada.wait_for("#general", lambda said: said.text == "second")
    assert not second.ephemeral
    assert bot.errors == []


async def test_a_form_outlives_the_message_that_opened_it(ada: Person, bot: ScriptedBot) -> None:
    view = discord.ui.View()
    view.add_item(discord.ui.Button(label="Ask", custom_id="ask"))

    async def press(asked: Asked) -> None:
        if asked.type is discord.InteractionType.component:
            form = discord.ui.Modal(title="Why?", custom_id="form")
            form.add_item(discord.ui.Label(text="Reason", component=discord.ui.TextInput(custom_id="reason")))
            await asked.response.send_modal(form)
        else:
            assert asked.message is None
            await asked.response.send_message("still heard")

    bot.act, bot.press = saying("A table", view=view), press
    table = await play(ada)
    opened = await ada.click(table, "Ask")
    assert table.message is not None
    await ada.call("DELETE", f"/app/channels/{table.message.channel_id}/messages/{table.message.id}")
    assert (await ada.submit(opened, {"reason": "x"})).text == "still heard"
    assert bot.errors == []


async def test_a_second_answer_is_refused(ada: Person, bot: ScriptedBot) -> None:
    async def act(asked: Asked) -> None:
        await asked.response.send_message("once")
        again = discord.InteractionResponse(asked)  # what a second instance of the bot has
        await again.send_message("twice")

    bot.act = act
    assert (await play(ada)).text == "once"
    await ada.say("#lobby", "wait")
    assert await code_of(bot) == 40060


async def test_an_answer_after_three_seconds_is_refused(ada: Person, sandbox: Sandbox, bot: ScriptedBot) -> None:
    sandbox.faults.hardness = Hardness()

    async def act(asked: Asked) -> None:
        sandbox.world.clock = lambda: time.time() + 3.1
        await asked.response.send_message("late")

    bot.act = act
    reply = await play(ada)
    assert reply.failed
    assert await code_of(bot) == 10062


async def test_a_follow_up_before_the_first_answer_is_refused(ada: Person, bot: ScriptedBot) -> None:
    async def act(asked: Asked) -> None:
        try:
            await asked.followup.send("too early")
        finally:
            await asked.response.send_message("now")

    bot.act = act
    await play(ada)
    assert await code_of(bot) == 10015


async def test_suggestions(ada: Person, bot: ScriptedBot) -> None:
    async def suggest(asked: Asked, typed: str) -> list[app_commands.Choice[str]]:
        return [
            app_commands.Choice(name=f"{typed}{number} {asked.namespace.game}", value=str(number))
            for number in range(25)
        ]

    bot.suggest = suggest
    found = await ada.autocomplete("#general", "move", {"move": "E6", "game": "7"}, "move")
    assert (len(found), found[0]) == (25, "E60 7")
    assert await ada.autocomplete("#general", "move", {}, "move") != []
    with pytest.raises(RefusedError, match="no_autocomplete"):
        await ada.autocomplete("#general", "move", {}, "game")


async def test_too_many_suggestions_are_none(ada: Person, sandbox: Sandbox, bot: ScriptedBot) -> None:
    async def suggest(asked: Asked, typed: str) -> list[app_commands.Choice[str]]:
        choices = [app_commands.Choice(name=str(number), value=str(number)) for number in range(26)]
        try:
            await asked.response.autocomplete(choices)
        except discord.HTTPException as error:
            bot.errors.append(error)
        return [app_commands.Choice(name="x" * 100, value="x")]

    bot.suggest = suggest
    assert await ada.autocomplete("#general", "move", {}, "move") == ["x" * 100]
    assert await code_of(bot) == 50035


async def test_what_a_person_cannot_type(ada: Person, bjorn: Person) -> None:
    for options in (
        {},
        {"variant": "camelot", "no": 1},
        {"variant": "chess"},
        {"variant": "camelot", "rounds": 10},
        {"variant": "camelot", "opponent": "Bjørn"},
    ):
        with pytest.raises(RefusedError, match="option"):
            await ada.command("#general", "play", **options)
    with pytest.raises(RefusedError, match="subcommand_missing"):
        await ada.command("#general", "game")
    assert (await ada.command("#general", "game end", reason="tired")).text == "done"
    assert (await ada.command("#general", "rule")).text == "done"
    with pytest.raises(RefusedError, match="command_not_allowed"):
        await bjorn.command("#general", "rule")


async def test_commands_speak_the_readers_language(ada: Person, bjorn: Person, bot: ScriptedBot) -> None:
    await translate(bot)
    names = {person.name: [one["label"] for one in await person.commands()] for person in (ada, bjorn)}
    assert names["Ada"] == ["play", "move", "game", "rule"]
    assert names["Bjørn"] == ["spill", "move", "game", "rule"]
    await ada.speak("no")
    (spill, *_) = await ada.commands()
    assert (spill["name"], spill["description"], spill["options"][0]["label"]) == ("play", "Start et parti", "spillet")


async def test_direct_messages(ada: Person, bjorn: Person, bot: ScriptedBot) -> None:
    await (await bot.create_dm(discord.Object(int(bjorn.id)))).send("your turn")
    (direct,) = (await bjorn.call("GET", f"/app/people/{bjorn.id}/state"))["dms"]
    assert [said.text for said in await bjorn.messages(direct["id"])] == ["your turn"]
    assert direct["pings"] == 1
    assert (await ada.call("GET", f"/app/people/{ada.id}/state"))["dms"] == []
    assert (await bjorn.command(direct["id"], "play", variant="camelot")).text == "done"
    with pytest.raises(RefusedError, match="no_such_command"):
        await bjorn.command(direct["id"], "rule")


# Buttons, menus, forms and Components V2


async def test_buttons_update_their_message_and_forms_open(ada: Person, bjorn: Person, bot: ScriptedBot) -> None:
    view = discord.ui.View()
    view.add_item(discord.ui.Button(label="Join", custom_id="join"))
    view.add_item(discord.ui.Button(label="Ask", custom_id="ask"))
    view.add_item(discord.ui.Button(label="Gone", custom_id="gone", disabled=True))

    async def press(asked: Asked) -> None:
        assert asked.data is not None
        if asked.data.get("custom_id") == "join":
            assert asked.message is not None
            await asked.response.edit_message(
                content=f"{asked.message.content}, and {asked.user.display_name}", view=None
            )
        elif asked.data.get("custom_id") == "ask":
            form = discord.ui.Modal(title="Why?", custom_id="form")
            field = discord.ui.TextInput[discord.ui.View](custom_id="reason", max_length=10)
            form.add_item(discord.ui.Label(text="Reason", component=field))
            await asked.response.send_modal(form)
        else:
            labels: list[dict[str, dict[str, str]]] = asked.data["components"]  # type: ignore[assignment, typeddict-item]
            await asked.response.send_message(labels[0]["component"]["value"], ephemeral=True)

    bot.act, bot.press = saying("A table", view=view), press
    table = await play(ada)
    assert table.buttons == ["Join", "Ask"]
    opened = await bjorn.click(table, "Ask")
    assert opened.modal is not None
    assert opened.modal["modal"]["title"] == "Why?"
    with pytest.raises(RefusedError, match="50035"):
        await bjorn.submit(opened, {"reason": "far too long a reason"})
    with pytest.raises(RefusedError, match="50035"):
        await bjorn.submit(opened, {})
    answer = await bjorn.submit(opened, {"reason": "because"})
    assert (answer.text, answer.ephemeral) == ("because", True)
    joined = await bjorn.click(table, "Join")
    assert (joined.text, joined.buttons, joined.answer) == ("A table, and Bjørn", [], "update")
    with pytest.raises(RefusedError, match="no_such_component"):
        await ada.click(table, "Gone")
    assert bot.errors == []


async def test_forms_with_labels(ada: Person, bjorn: Person, bot: ScriptedBot) -> None:
    heard: list[object] = []

    class Form(discord.ui.Modal, title="Everything"):
        note: discord.ui.TextDisplay[Form] = discord.ui.TextDisplay("Fill it in")
        why = discord.ui.Label(text="Why", component=discord.ui.TextInput(required=False))
        who = discord.ui.Label(text="Who", component=discord.ui.UserSelect(custom_id="who"))
        side = discord.ui.Label(
            text="Side", component=discord.ui.Select(custom_id="side", options=[discord.SelectOption(label="Left")])
        )

        async def on_submit(self, asked: discord.Interaction) -> None:
            assert isinstance(self.why.component, discord.ui.TextInput)
            assert isinstance(self.who.component, discord.ui.UserSelect)
            assert isinstance(self.side.component, discord.ui.Select)
            heard.extend([self.why.component.value, [one.display_name for one in self.who.component.values]])
            heard.extend(self.side.component.values)
            await asked.response.send_message("thank you")

    async def act(asked: Asked) -> None:
        await asked.response.send_modal(Form())

    async def ignore(asked: Asked) -> None:
        """The form itself answers."""

    bot.act, bot.press = act, ignore
    opened = await play(ada)
    with pytest.raises(RefusedError, match="50035"):
        await ada.submit(opened, {"who": [bjorn.id], "side": ["Up"]})
    assert (await ada.submit(opened, {"who": [bjorn.id], "side": ["Left"]})).text == "thank you"
    assert heard == ["", ["Bjørn"], "Left"]
    assert bot.errors == []


async def test_menus(ada: Person, bjorn: Person, bot: ScriptedBot) -> None:
    view = discord.ui.View()
    options = [discord.SelectOption(label=name, value=name.lower()) for name in ("One", "Two", "Three")]
    view.add_item(discord.ui.Select(custom_id="some", options=options, max_values=2))
    view.add_item(discord.ui.UserSelect(custom_id="who"))

    async def press(asked: Asked) -> None:
        assert asked.data is not None
        people = [one["username"] for one in asked.data.get("resolved", {}).get("users", {}).values()]
        await asked.response.defer()
        await asked.edit_original_response(content=f"{asked.data['values']} {people}")

    bot.act, bot.press = saying("Choose", view=view), press
    menu = await shown(ada)
    assert (await ada.choose(menu, "some", ["one", "three"])).text == "['one', 'three'] []"
    assert "bjørn" in (await ada.choose(menu, "who", [bjorn])).text
    for wrong in (["one", "two", "three"], ["four"], []):
        with pytest.raises(RefusedError, match="bad_choice"):
            await ada.choose(menu, "some", wrong)
    assert bot.errors == []


async def test_a_channel_menu_has_its_servers_types_that_the_person_sees(ada: Person, bot: ScriptedBot) -> None:
    only_text = [discord.ChannelType.text]
    view = discord.ui.View()
    view.add_item(discord.ui.ChannelSelect(custom_id="where", channel_types=only_text))

    class Form(discord.ui.Modal, title="Where?"):
        where = discord.ui.Label(text="Where", component=discord.ui.ChannelSelect(channel_types=only_text))

        async def on_submit(self, asked: discord.Interaction) -> None:
            assert isinstance(self.where.component, discord.ui.ChannelSelect)
            await asked.response.send_message(str([one.name for one in self.where.component.values]))

    async def press(asked: Asked) -> None:
        if asked.type is discord.InteractionType.component:
            await asked.response.send_modal(Form())

    bot.act, bot.press = saying("Choose", view=view), press
    menu = await shown(ada)
    lobby, unseen = await ada.find("#lobby"), await ada.find("#read-only")
    overwrites = f"/app/channels/{unseen}/overwrites"
    await ada.call("PUT", overwrites, {"of": "everyone", "allow": 0, "deny": int(Permission.VIEW_CHANNEL)})
    form = await ada.choose(menu, "where", [lobby])
    assert form.modal is not None
    field = form.modal["modal"]["components"][0]["component"]["custom_id"]
    for wrong in (unseen, await ada.find("#elsewhere"), await ada.find("#hall")):
        with pytest.raises(RefusedError, match="bad_choice"):
            await ada.choose(menu, "where", [wrong])
        with pytest.raises(RefusedError, match="bad_choice"):
            await ada.submit(form, {field: [wrong]})
    assert (await ada.submit(form, {field: [lobby]})).text == "['lobby']"
    assert bot.errors == []


async def test_components_v2_show_their_files(ada: Person, bot: ScriptedBot) -> None:
    class Board(discord.ui.LayoutView):
        text: discord.ui.TextDisplay[Board] = discord.ui.TextDisplay("# The board")
        gallery: discord.ui.MediaGallery[Board] = discord.ui.MediaGallery(
            discord.MediaGalleryItem("attachment://board.png", description="All pieces")
        )
        row: discord.ui.ActionRow[Board] = discord.ui.ActionRow(discord.ui.Button(label="Next", custom_id="next"))

    async def act(asked: Asked) -> None:
        await asked.response.send_message(view=Board(), file=board())
        message = await asked.edit_original_response()
        assert message.attachments == []  # as in the real API: files that components show are not listed
        with pytest.raises(discord.HTTPException, match="50035"):
            await asked.edit_original_response(content="no way back")

    bot.act = act
    reply = await play(ada)
    assert reply.text == "# The board"
    assert reply.buttons == ["Next"]
    assert [file["description"] for file in reply.attachments] == ["All pieces"]
    assert await ada.picture(reply.attachments[0]) == PNG
    await ada.say("#lobby", "wait")
    assert bot.errors == []
