"""Buttons, menus, forms and Components V2 through discord.py."""

from __future__ import annotations

import discord
import pytest

from sandbox.people import Person, RefusedError
from sandbox.permissions import Permission

from .asking import PNG, Asked, board, play
from .jester import Jester


async def test_buttons_update_their_message_and_forms_open(ada: Person, bjorn: Person, jester: Jester) -> None:
    view = discord.ui.View()
    view.add_item(discord.ui.Button(label="Join", custom_id="join"))
    view.add_item(discord.ui.Button(label="Ask", custom_id="ask"))
    view.add_item(discord.ui.Button(label="Gone", custom_id="gone", disabled=True))

    async def act(asked: Asked) -> None:
        await asked.response.send_message("A table", view=view)

    async def press(asked: Asked) -> None:
        assert asked.data is not None
        if asked.data.get("custom_id") == "join":
            assert asked.message is not None
            await asked.response.edit_message(
                content=f"{asked.message.content}, and {asked.user.display_name}", view=None
            )
        elif asked.data.get("custom_id") == "ask":
            form = discord.ui.Modal(title="Why?", custom_id="form")
            form.add_item(discord.ui.TextInput(label="Reason", custom_id="reason", max_length=10))
            await asked.response.send_modal(form)
        else:
            rows: list[dict[str, list[dict[str, str]]]] = asked.data["components"]  # type: ignore[assignment, typeddict-item]
            await asked.response.send_message(rows[0]["components"][0]["value"], ephemeral=True)

    jester.act, jester.press = act, press
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
    assert jester.errors == []


async def test_forms_with_labels(ada: Person, bjorn: Person, jester: Jester) -> None:
    heard: list[object] = []

    class Form(discord.ui.Modal, title="Everything"):
        note: discord.ui.TextDisplay[Form] = discord.ui.TextDisplay("Fill it in")
        why = discord.ui.Label(text="Why", component=discord.ui.TextInput(required=False))
        who = discord.ui.Label(text="Who", component=discord.ui.UserSelect(custom_id="who"))
        side = discord.ui.Label(
            text="Side",
            component=discord.ui.RadioGroup(
                custom_id="side",
                options=[discord.RadioGroupOption(label="Left"), discord.RadioGroupOption(label="Right")],
            ),
        )
        sure = discord.ui.Label(text="Sure?", component=discord.ui.Checkbox(custom_id="sure"))

        async def on_submit(self, asked: discord.Interaction) -> None:
            assert isinstance(self.why.component, discord.ui.TextInput)
            assert isinstance(self.who.component, discord.ui.UserSelect)
            assert isinstance(self.side.component, discord.ui.RadioGroup)
            assert isinstance(self.sure.component, discord.ui.Checkbox)
            heard.extend([self.why.component.value, [one.display_name for one in self.who.component.values]])
            heard.extend([self.side.component.value, self.sure.component.value])
            await asked.response.send_message("thank you")

    async def act(asked: Asked) -> None:
        await asked.response.send_modal(Form())

    async def ignore(asked: Asked) -> None:
        """The form itself answers."""

    jester.act, jester.press = act, ignore
    opened = await play(ada)
    with pytest.raises(RefusedError, match="50035"):
        await ada.submit(opened, {"who": [bjorn.id], "side": "Up"})
    assert (await ada.submit(opened, {"who": [bjorn.id], "side": "Left", "sure": True})).text == "thank you"
    assert heard == ["", ["Bjørn"], "Left", True]
    assert jester.errors == []


async def test_menus(ada: Person, bjorn: Person, jester: Jester) -> None:
    view = discord.ui.View()
    options = [discord.SelectOption(label=name, value=name.lower()) for name in ("One", "Two", "Three")]
    view.add_item(discord.ui.Select(custom_id="some", options=options, max_values=2))
    view.add_item(discord.ui.UserSelect(custom_id="who"))

    async def act(asked: Asked) -> None:
        await asked.response.send_message("Choose", view=view)

    async def press(asked: Asked) -> None:
        assert asked.data is not None
        people = [one["username"] for one in asked.data.get("resolved", {}).get("users", {}).values()]
        await asked.response.defer()
        await asked.edit_original_response(content=f"{asked.data['values']} {people}")

    jester.act, jester.press = act, press
    menu = (await play(ada)).message
    assert menu is not None
    assert (await ada.choose(menu, "some", ["one", "three"])).text == "['one', 'three'] []"
    assert "bjørn" in (await ada.choose(menu, "who", [bjorn])).text
    for wrong in (["one", "two", "three"], ["four"], []):
        with pytest.raises(RefusedError, match="bad_choice"):
            await ada.choose(menu, "some", wrong)
    assert jester.errors == []


async def test_a_channel_menu_has_its_servers_types_that_the_person_sees(ada: Person, jester: Jester) -> None:
    only_text = [discord.ChannelType.text]
    view = discord.ui.View()
    view.add_item(discord.ui.ChannelSelect(custom_id="where", channel_types=only_text))

    class Form(discord.ui.Modal, title="Where?"):
        where = discord.ui.Label(text="Where", component=discord.ui.ChannelSelect(channel_types=only_text))

        async def on_submit(self, asked: discord.Interaction) -> None:
            assert isinstance(self.where.component, discord.ui.ChannelSelect)
            await asked.response.send_message(str([one.name for one in self.where.component.values]))

    async def act(asked: Asked) -> None:
        await asked.response.send_message("Choose", view=view)

    async def press(asked: Asked) -> None:
        if asked.type is discord.InteractionType.component:
            await asked.response.send_modal(Form())

    jester.act, jester.press = act, press
    menu = (await play(ada)).message
    assert menu is not None
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
        with pytest.raises(RefusedError, match="bad_option"):
            await ada.command("#lobby", "play", variant="camelot", where=wrong)
    assert (await ada.submit(form, {field: [lobby]})).text == "['lobby']"
    assert jester.errors == []


async def test_components_v2_show_their_files(ada: Person, jester: Jester) -> None:
    class Board(discord.ui.LayoutView):
        text: discord.ui.TextDisplay[Board] = discord.ui.TextDisplay("# The board")
        gallery: discord.ui.MediaGallery[Board] = discord.ui.MediaGallery(
            discord.MediaGalleryItem("attachment://board.png", description="All pieces")
        )
        row: discord.ui.ActionRow[Board] = discord.ui.ActionRow(discord.ui.Button(label="Next", custom_id="next"))

    async def act(asked: Asked) -> None:
        await asked.response.send_message(view=Board(), file=board())
        message = await asked.original_response()
        assert message.attachments == []  # as in the real API: files that components show are not listed
        with pytest.raises(discord.HTTPException, match="50035"):
            await asked.edit_original_response(content="no way back")

    jester.act = act
    reply = await play(ada)
    assert reply.text == "# The board"
    assert reply.buttons == ["Next"]
    assert [file["description"] for file in reply.attachments] == ["All pieces"]
    assert await ada.picture(reply.attachments[0]) == PNG
    await ada.say("#lobby", "wait")
    assert jester.errors == []
