"""Answers to interactions: their language, private or public, the Discord call that sends each; and lists as rows.

A list whose rows have buttons is a message of Components V2. It has no content of its own, and stays of this kind:
`lay_out` makes one of what replaces a list in its message.
"""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Generator, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple, TypeAlias

import discord
from discord import ui

from bot.discordkit.wall_clock import WALL_CLOCK
from bot.texts.i18n import Language, language_for
from bot.texts.markup import MAX_ALT_TEXT_LENGTH, cut_text

Layout: TypeAlias = ui.LayoutView
Controls: TypeAlias = Sequence["ui.Item[Any] | Sequence[ui.Item[Any]]"]
"""What stands below a message: buttons and menus in their order. A sequence among them has rows of its own."""

MAX_COMPONENTS = 40
"""Components in a message of this kind, nested ones included."""
MAX_LAYOUT_TEXT = 4000
"""Characters in all texts of such a message together."""
MAX_BUTTONS_IN_ROW = 5
MAX_ROWS = 5
"""Rows of buttons and menus below an ordinary message."""
PICTURE_ENDINGS = (".png", ".gif")


class Row(NamedTuple):
    """A row of a list."""

    text: str
    button: ui.Button[Any] | None = None
    accent: int | None = None
    """The colour of the stripe beside it; a row with one stands in a container of its own."""
    controls: Controls = ()
    """What stands below its text."""


class RowList(NamedTuple):
    """A list of rows with what stands above and below."""

    title: str
    rows: Sequence[Row] = ()
    footer: str = ""
    components: Controls = ()


def lay_out_rows(shown: RowList) -> Layout:
    """Returns the message of a list. The longest rows lose their ends if the texts exceed what Discord takes."""
    layout = _new_layout()
    texts = _fit_texts([shown.title, *(row.text for row in shown.rows), shown.footer])
    title, footer = texts[0], texts[-1]
    sections = [_row_items(text, row) for text, row in zip(texts[1:-1], shown.rows, strict=True)]
    if any(row.accent is not None for row in shown.rows):
        layout.add_item(ui.TextDisplay(title))
        for items, row in zip(sections, shown.rows, strict=True):
            layout.add_item(ui.Container(*items, accent_colour=row.accent))
        if footer:
            layout.add_item(ui.TextDisplay(footer))
    else:
        inside = [ui.TextDisplay(title), *(item for items in sections for item in items)]
        layout.add_item(ui.Container(*inside, *([ui.TextDisplay(footer)] if footer else [])))
    for action_row in _action_rows(shown.components):
        layout.add_item(action_row)
    assert layout.total_children_count <= MAX_COMPONENTS, layout.total_children_count
    return layout


def arrange_rows(controls: Controls) -> list[list[ui.Item[Any]]]:
    """Returns the rows in which the controls stand: up to five buttons in each, or one menu."""
    rows, is_full = list[list[ui.Item[Any]]](), True
    for control in controls:
        if not isinstance(control, ui.Item):
            rows += arrange_rows(control)
            is_full = True
        elif isinstance(control, ui.Button) and not is_full and len(rows[-1]) < MAX_BUTTONS_IN_ROW:
            rows[-1].append(control)
        else:
            rows.append([control])
            is_full = not isinstance(control, ui.Button)
    return rows


def has_room(controls: Controls, rows: int = 0) -> bool:
    """True if the controls, and so many rows more, fit below an ordinary message."""
    return len(arrange_rows(controls)) + rows <= MAX_ROWS


def make_view(*controls: ui.Item[Any] | Sequence[ui.Item[Any]]) -> ui.View:
    """Returns the view of an ordinary message with these controls. Raises ValueError if they need more than five rows
    or one of them stands there twice.
    """
    rows, view = arrange_rows(controls), ui.View(timeout=None)
    custom_ids = [getattr(item, "custom_id", None) for row in rows for item in row]
    if not has_room(controls) or len({*custom_ids}) < len(custom_ids):
        raise ValueError(f"does not fit below a message: {custom_ids}")
    for number, row in enumerate(rows):
        for item in row:
            item.row = number
            view.add_item(item)
    view.stop()  # discord.py neither keeps nor calls the view: `answer_component` handles every press by its custom id
    return view


def lay_out(content: str, files: Iterable[discord.File], items: Iterable[ui.Item[Any]]) -> Layout:
    """Returns an ordinary message as one of Components V2: its text, its pictures and files, and the items of its view
    in their rows.
    """
    layout = _new_layout()
    pictures, others = list[discord.File](), list[discord.File]()
    layout.add_item(ui.TextDisplay(content or "\u200b"))
    for file in files:
        (pictures if file.filename.endswith(PICTURE_ENDINGS) else others).append(file)
    if pictures:
        media = [discord.MediaGalleryItem(file.uri, description=file.description) for file in pictures]
        layout.add_item(ui.MediaGallery(*media))
    for file in others:
        layout.add_item(ui.File(file.uri))
    for _, row in groupby(items, lambda item: item.row):
        layout.add_item(ui.ActionRow(*row))
    return layout


def _new_layout() -> Layout:
    layout = ui.LayoutView(timeout=None)
    layout.stop()  # as in `make_view`: presses are answered by custom id
    return layout


def _row_items(text: str, row: Row) -> list[ui.Item[Any]]:
    display = ui.TextDisplay[Layout](text)
    first: ui.Item[Any] = display if row.button is None else ui.Section(display, accessory=row.button)
    return [first, *_action_rows(row.controls)]


def _action_rows(controls: Controls) -> list[ui.Item[Any]]:
    return [ui.ActionRow(*row) for row in arrange_rows(controls)]


def _fit_texts(texts: Sequence[str]) -> list[str]:
    """Returns the texts, the longest of them cut so that all together fit."""
    longest = MAX_LAYOUT_TEXT
    while sum(min(len(text), longest) for text in texts) > MAX_LAYOUT_TEXT:
        longest -= 1
    return [cut_text(text, longest) for text in texts]


# Answers


Interaction: TypeAlias = discord.Interaction[Any]
"""A command, button, menu or form. Commands reach the other parts of the program through `bot.play.caller`."""

NO_MENTIONS = discord.AllowedMentions.none()
RESOLVED = discord.AllowedMentions(everyone=False, roles=False, users=True)
"""For private answers and for every edit, neither of which pings anybody else.

Discord's clients learn the names of people that a message may mention. Other people stay "@unknown-user" if the reader
has not met them. Every edit has to repeat these mentions.
"""
MAX_MESSAGE_LENGTH = 2000
"""Characters in a message."""
ZIP_STEP_BYTES = 100_000

UNKNOWN_MESSAGE_CODE = 10008
"""Discord's code for a message that is gone."""

DEFERRAL_KEY = "deferral"
"""The key of an interaction's extras that holds the task of a deferral: see `bot.discordkit.interactions`."""

WAY_ON_KEY = "way on"
"""The key of an interaction's extras that holds the buttons for the person if the interaction is refused."""

FILLED_KEY = "filled"
"""The key of an interaction's extras that is set once an answer stands in the place of "thinking…"."""


def now() -> int:
    """Returns the current time in unix seconds. Only the Discord side calls it; everything below gets the time as an
    argument.
    """
    return WALL_CLOCK.now()


def reader_language(interaction: Interaction) -> Language:
    """Returns the language of the person who will read a private answer."""
    return language_for(interaction.locale.value)


def server_here(interaction: Interaction) -> int | None:
    """Returns the server of the interaction, if the bot is a member of it.

    None in direct messages, and in a server where the person has installed the bot only for themselves: there the bot
    can answer privately, but neither post nor see anything.
    """
    is_user_only = interaction.is_user_integration() and not interaction.is_guild_integration()
    return None if is_user_only else interaction.guild_id


def may_manage_server(interaction: Interaction) -> bool:
    """True if the person may manage the server, as Discord says with the interaction."""
    return server_here(interaction) is not None and interaction.permissions.manage_guild


def make_attachment(content: bytes, name: str, words: str | None = None) -> discord.File:
    """Returns a fresh upload: a `discord.File` may be sent only once. `words` is the alt text of a picture, cut at
    Discord's limit.
    """
    return discord.File(io.BytesIO(content), filename=name, description=words and words[:MAX_ALT_TEXT_LENGTH])


def picture_file(png: bytes, name: str, words: str) -> discord.File:
    """Returns a fresh upload of a picture with its alt text."""
    return make_attachment(png, f"{name}.png", words)


def zip_files(files: Mapping[str, str | bytes]) -> Generator[None, None, bytes]:
    """Returns, in steps, a ZIP archive of those files, by their names."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            member = zipfile.ZipInfo(name, time.localtime()[:6])
            member.compress_type = zipfile.ZIP_DEFLATED
            unread = io.BytesIO(content.encode() if isinstance(content, str) else content)
            with archive.open(member, "w") as file:
                while file.write(unread.read(ZIP_STEP_BYTES)):
                    yield
    return packed.getvalue()


async def send_answer(
    interaction: Interaction,
    content: str | None,
    *,
    files: list[discord.File] | None = None,
    view: discord.ui.View | Layout | None = None,
) -> None:
    """Sends an answer that pings nobody, also after an earlier answer. It is private unless it was
    deferred as public. A layout has no content beside it.
    """
    content = None if content is None else cut_text(content, MAX_MESSAGE_LENGTH)
    if deferral := interaction.extras.get(DEFERRAL_KEY):
        await deferral  # it decides how the answer is sent
    done, files = interaction.response.is_done(), files or []
    is_thinking = done and interaction.response.type is discord.InteractionResponseType.deferred_channel_message
    if is_thinking and not interaction.extras.get(FILLED_KEY):
        interaction.extras[FILLED_KEY] = True
        # An edit replaces "thinking…"; a follow-up would leave it standing.
        await interaction.edit_original_response(
            content=content, attachments=files, view=view, allowed_mentions=RESOLVED
        )
        return
    send: Any = interaction.followup.send if done else interaction.response.send_message
    fields = {"content": content} if content is not None else {}
    await send(**fields, files=files, view=view or discord.utils.MISSING, ephemeral=True, allowed_mentions=RESOLVED)


async def think_beside(interaction: Interaction) -> None:
    """Shows the person "thinking…" in a new private message, in whose place the answer will stand."""
    await interaction.response.defer(ephemeral=True, thinking=True)


def is_in_private(interaction: Interaction) -> bool:
    """Returns whether the component stands below an answer that only the person who used it sees."""
    return interaction.message is not None and interaction.message.flags.ephemeral


async def acknowledge_press(interaction: Interaction) -> None:
    """Acknowledges a press before anything is stored, so that the person still waits for what follows."""
    if not interaction.response.is_done():
        await interaction.response.defer()


async def update_message(
    interaction: Interaction,
    content: str | None,
    *,
    view: discord.ui.View | Layout | None,
    files: Sequence[discord.File] | None = (),
) -> None:
    """Changes the message whose button was pressed, also after an earlier answer; `files=None` keeps its pictures.

    A layout takes the place of an ordinary message and has no content beside it; in the message of a layout, where
    Discord takes no content any more, content and view are laid out. If somebody has deleted the message, the person
    who pressed gets the same content in a private answer.
    """
    if content is not None and interaction.message and interaction.message.flags.components_v2:
        view = lay_out(content, files or (), view.children if view else ())
        content, files = None, files or ()
    fields: dict[str, Any] = {"content": content, "view": view, "allowed_mentions": RESOLVED}
    if files is not None:
        fields["attachments"] = list(files)
    try:
        if interaction.response.is_done():
            await interaction.edit_original_response(**fields)
        else:
            await interaction.response.edit_message(**fields)
    except discord.NotFound as error:
        if error.code != UNKNOWN_MESSAGE_CODE or interaction.message is None:
            raise
        for file in files or ():
            file.reset(seek=True)
        view = view if is_in_private(interaction) or content is None else None
        await send_answer(interaction, content, files=list(files or ()), view=view)


def fit_lines(lines: Sequence[str], foot: str = "") -> str:
    """Joins the lines. If they do not fit into a message: as many of the first as do, with the foot below them."""
    content, kept = "\n".join(lines), [*lines]
    while len(content) > MAX_MESSAGE_LENGTH:
        kept.pop()
        content = "\n".join([*kept, foot] if foot else kept)
    return content
