"""A small bot for the page's tests: one of each thing that the page has to show or send."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import discord
from discord import app_commands
from PIL import Image

from sandbox import TOKEN
from tests.sandbox.scripted_bot import still

MOVES = ["C6-E8xG10", "D6-F8", "E6-E8", "E6-E8-E10", "E6-F8"]
ALT_TEXT = "The board after E6-E8. Nothing was captured."


def picture(width: int = 400, height: int = 300) -> discord.File:
    """A fresh file each time: discord.py sends a used one as zero bytes."""
    png = io.BytesIO()
    Image.new("RGB", (width, height), "#c9a36b").save(png, "PNG")
    return discord.File(io.BytesIO(png.getvalue()), "board.png", description=ALT_TEXT)


class Norwegian(app_commands.Translator):
    """Knows one description."""

    async def translate(
        self, string: app_commands.locale_str, locale: discord.Locale, context: app_commands.TranslationContextTypes
    ) -> str | None:
        return (
            "Gjør trekket ditt" if locale is discord.Locale.norwegian and string.message == "Make your move" else None
        )


class Remark(discord.ui.Modal, title="A remark"):
    """A form with a line of text and a menu inside a label."""

    words: discord.ui.Label[Remark] = discord.ui.Label(text="Your words", component=discord.ui.TextInput())
    tone: discord.ui.Label[Remark] = discord.ui.Label(
        text="In which tone?",
        component=discord.ui.Select(options=[discord.SelectOption(label="Kind"), discord.SelectOption(label="Stern")]),
    )

    async def on_submit(self, interaction: discord.Interaction) -> None:
        assert isinstance(self.words.component, discord.ui.TextInput)
        assert isinstance(self.tone.component, discord.ui.Select)
        await interaction.response.send_message(f"{self.tone.component.values[0]}: {self.words.component.value}")


class Buttons(discord.ui.View):
    """Below the answer to /greet."""

    @discord.ui.button(label="Whisper", style=discord.ButtonStyle.primary)
    async def whisper(self, interaction: discord.Interaction, _: discord.ui.Button[Buttons]) -> None:
        await interaction.response.send_message("Between you and me.", view=row("again"), ephemeral=True)

    @discord.ui.button(label="Form", style=discord.ButtonStyle.secondary)
    async def form(self, interaction: discord.Interaction, _: discord.ui.Button[Buttons]) -> None:
        await interaction.response.send_modal(Remark())

    @discord.ui.button(label="Silence", style=discord.ButtonStyle.danger)
    async def silence(self, interaction: discord.Interaction, _: discord.ui.Button[Buttons]) -> None:
        """Answers nothing: the person is told so after three seconds."""

    @discord.ui.select(
        placeholder="Which game?", options=[discord.SelectOption(label=name) for name in ("Camelot", "Chivalry")]
    )
    async def game(self, interaction: discord.Interaction, select: discord.ui.Select[Buttons]) -> None:
        await interaction.response.edit_message(content=f"You chose {select.values[0]}.")


class Layout(discord.ui.LayoutView):
    """Components of the second generation."""

    container: discord.ui.Container[Layout] = discord.ui.Container(
        discord.ui.TextDisplay("## The rules\nIn **short**."),
        discord.ui.Section("Read them all", accessory=discord.ui.Button(label="Open", custom_id="open")),
        discord.ui.ActionRow(discord.ui.UserSelect(placeholder="Each game in its own thread: choose one of these …")),
        accent_colour=0xD55E00,
    )


class Place(discord.ui.Modal, title="Where?"):
    """A form with a menu of channels."""

    where: discord.ui.Label[Place] = discord.ui.Label(
        text="Where?", component=discord.ui.ChannelSelect(channel_types=[discord.ChannelType.voice])
    )

    async def on_submit(self, interaction: discord.Interaction) -> None:
        await interaction.response.send_message("There.")


class Places(discord.ui.View):
    """Below the answer to /meet."""

    @discord.ui.select(cls=discord.ui.ChannelSelect, placeholder="Where?", channel_types=[discord.ChannelType.news])
    async def where(self, interaction: discord.Interaction, _: discord.ui.ChannelSelect[Places]) -> None:
        await interaction.response.send_modal(Place())


class Honours(discord.ui.View):
    """Below the answer to /honour."""

    @discord.ui.select(cls=discord.ui.RoleSelect, placeholder="Which role?")
    async def role(self, interaction: discord.Interaction, select: discord.ui.RoleSelect[Honours]) -> None:
        await interaction.response.edit_message(content=f"They become {select.values[0].name}.")


def row(*names: str) -> discord.ui.View:
    """Buttons that nobody answers."""
    view = discord.ui.View(timeout=None)
    for name in names:
        view.add_item(discord.ui.Button(label=name.capitalize(), custom_id=name))
    return view


def build() -> discord.Client:
    """The bot with its commands; they are synced when it logs in."""
    # discord.py counts itself ready when no server has been announced for this long; by default two seconds.
    client = discord.Client(intents=discord.Intents(guilds=True), max_messages=None, guild_ready_timeout=0.05)
    tree = app_commands.CommandTree(client)

    async def moves(_: discord.Interaction, typed: str) -> list[app_commands.Choice[str]]:
        # The shorter the text, the later the answer: an old answer overtakes a new one unless the page minds.
        await asyncio.sleep(0.6 if len(typed) == 1 else 0)
        return [app_commands.Choice(name=move, value=move) for move in MOVES if move.lower().startswith(typed.lower())]

    @tree.command(description="Make your move")
    @app_commands.autocomplete(move=moves)
    async def move(interaction: discord.Interaction, move: str, loud: bool = False) -> None:
        await interaction.response.send_message(
            f"**{interaction.user.display_name}** moved `{move}`{'!' if loud else '.'}", file=picture()
        )

    @tree.command(description="Say hello to somebody")
    async def greet(interaction: discord.Interaction, who: discord.Member) -> None:
        everybody = discord.AllowedMentions(users=True)
        await interaction.response.send_message(
            f"Hello {who.mention}!", view=Buttons(timeout=None), allowed_mentions=everybody
        )

    @tree.context_menu(name="Salute")
    async def salute(interaction: discord.Interaction, whom: discord.Member) -> None:
        await interaction.response.send_message(f"**{interaction.user.display_name}** salutes {whom.display_name}.")

    @tree.command(description="Open a thread")
    async def side_table(interaction: discord.Interaction) -> None:
        assert isinstance(interaction.channel, discord.TextChannel)
        await interaction.channel.create_thread(name="Side table", type=discord.ChannelType.public_thread)
        await interaction.response.send_message("Done.", ephemeral=True)

    @tree.command(description="Call somebody to the board")
    async def turn(interaction: discord.Interaction, who: discord.Member) -> None:
        await interaction.response.send_message("Done.", ephemeral=True)
        assert isinstance(interaction.channel, discord.abc.Messageable)
        await interaction.channel.send(
            f"**Camelot**\n\N{MEDIUM WHITE CIRCLE} `C6-E8xG10-E12`\n{who.mention}, it is your turn.",
            file=picture(1000, 1000),
            view=row("moves", "rules"),
            allowed_mentions=discord.AllowedMentions(users=True),
        )

    @tree.command(description="Say where to meet")
    async def meet(interaction: discord.Interaction) -> None:
        await interaction.response.send_message("Where?", view=Places(timeout=None))

    @tree.command(description="Choose a role for the best")
    async def honour(interaction: discord.Interaction) -> None:
        await interaction.response.send_message("Which?", view=Honours(timeout=None))

    @tree.command(description="For those who manage the server")
    @app_commands.default_permissions(manage_guild=True)
    async def banish(interaction: discord.Interaction) -> None:
        await interaction.response.send_message("Gone.")

    @tree.command(description="Show the rules")
    async def rules(interaction: discord.Interaction) -> None:
        await interaction.response.send_message(view=Layout(timeout=None))

    learn = app_commands.Group(name="learn", description="For beginners")
    tree.add_command(learn)

    @learn.command(name="rules", description="Learn the rules")
    async def learn_rules(interaction: discord.Interaction) -> None:
        await interaction.response.send_message("One by one.")

    @tree.command(description="Think about it")
    async def think(interaction: discord.Interaction) -> None:
        await interaction.response.defer(thinking=True)
        await asyncio.sleep(0.7)
        await interaction.edit_original_response(content="Thought about it.")

    async def setup() -> None:
        await tree.set_translator(Norwegian())
        await tree.sync()

    client.setup_hook = setup  # type: ignore[method-assign]  # a subclass for two lines would say no more
    return client


@asynccontextmanager
async def at_work() -> AsyncIterator[discord.Client]:
    """The bot, connected to the sandbox that discord.py was pointed at."""
    client = build()
    await client.login(TOKEN)
    running = asyncio.create_task(client.connect())
    try:
        # A task of its own, so that the client has begun to start: since 3.12 wait_for steps in at once.
        await asyncio.wait_for(asyncio.create_task(client.wait_until_ready()), 60)
        yield client
    finally:
        await client.close()
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
        await still(client)
