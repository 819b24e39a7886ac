"""Answers to interactions: whose language, private or public, and which of Discord's calls carries them."""

from __future__ import annotations

import asyncio
import io
import zipfile
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import discord

from bot.core.house_seats import is_person
from bot.discordkit.wall_clock import WALL_CLOCK
from bot.texts.i18n import Language, language_for
from bot.texts.sentences import cut_text

Interaction: TypeAlias = discord.Interaction[Any]
"""A command, a button, a menu or a form. Which parts of the program answer it, commands ask of `bot.play.app`."""

NO_MENTIONS = discord.AllowedMentions.none()
RESOLVED = discord.AllowedMentions(everyone=False, roles=False, users=True)
"""For what one person reads, and for every edit: neither pings anybody else.

By the people whom a message may mention Discord's clients learn the names of those whom they have not met; all others
stay "@unknown-user" to them. Every edit has to say it anew.
"""
MAX_MESSAGE_LENGTH = 2000
"""Characters in a message."""

UNKNOWN_MESSAGE_CODE = 10008
"""Discord's code for a message that is gone."""

DEFER_AFTER_S = 1.5
"""Seconds that the work for an answer may take before Discord is told that there will be one."""

WorkResultT = TypeVar("WorkResultT")


def now() -> int:
    """The present, in unix seconds. The only clock of the Discord side; everything below is handed the time."""
    return WALL_CLOCK.now()


def reader_language(interaction: Interaction) -> Language:
    """The language of the person who will read a private answer."""
    return language_for(interaction.locale.value)


def server_here(interaction: Interaction) -> int | None:
    """The server in which it happened, as far as the bot is there.

    None in direct messages, and in a server whose member has brought the bot along for themselves only: there it can
    answer, and that privately, and neither post nor see anything.
    """
    is_user_only = interaction.is_user_integration() and not interaction.is_guild_integration()
    return None if is_user_only else interaction.guild_id


def may_manage_server(interaction: Interaction) -> bool:
    """Whether the person may manage the server, as Discord says with the interaction."""
    return server_here(interaction) is not None and interaction.permissions.manage_guild


def pinging_only(users: Iterable[int]) -> discord.AllowedMentions:
    """What lets a message ping those people and nobody else; nobody stands behind other numbers."""
    users_called = [discord.Object(user) for user in dict.fromkeys(users) if is_person(user)]
    return discord.AllowedMentions(everyone=False, roles=False, users=users_called)


def users_pinged(ping: discord.AllowedMentions) -> frozenset[int]:
    """Whom `pinging_only` has let be pinged."""
    return frozenset(user.id for user in ping.users) if isinstance(ping.users, Sequence) else frozenset()


def make_attachment(content: bytes, name: str, words: str | None = None) -> discord.File:
    """A fresh upload: a `discord.File` may be sent only once. `words` is the alt text of a picture."""
    return discord.File(io.BytesIO(content), filename=name, description=words)


def picture_file(png: bytes, name: str, words: str) -> discord.File:
    """A fresh upload of a picture. Its alt text is cut at Discord's 1024."""
    return make_attachment(png, f"{name}.png", words[:1024])


def zip_files(files: Mapping[str, str | bytes]) -> bytes:
    """An archive of those files, by their names."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


async def send_answer(
    interaction: Interaction,
    content: str,
    *,
    files: list[discord.File] | None = None,
    view: discord.ui.View | None = None,
) -> None:
    """An answer that pings nobody, whatever has been answered before: private, unless it was deferred for everybody."""
    content = cut_text(content, MAX_MESSAGE_LENGTH)
    done, files = interaction.response.is_done(), files or []
    if done and interaction.response.type is discord.InteractionResponseType.deferred_channel_message:
        # "thinking…" is filled in by an edit; a follow-up would leave it standing.
        await interaction.edit_original_response(
            content=content, attachments=files, view=view, allowed_mentions=RESOLVED
        )
        return
    send = interaction.followup.send if done else interaction.response.send_message
    await send(content, files=files, view=view or discord.utils.MISSING, ephemeral=True, allowed_mentions=RESOLVED)


async def acknowledge_press(interaction: Interaction) -> None:
    """Have Discord take the press, if it has not, before anything is stored: then somebody waits for what follows."""
    if not interaction.response.is_done():
        await interaction.response.defer()


async def update_message(
    interaction: Interaction, content: str, *, view: discord.ui.View | None, files: Sequence[discord.File] | None = ()
) -> None:
    """Change the message whose button was pressed, whatever has been answered before; None leaves its pictures.

    Where somebody has deleted it meanwhile, the person who pressed reads the same in a private answer.
    """
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
        private = interaction.message.flags.ephemeral
        await send_answer(interaction, content, files=list(files or ()), view=view if private else None)


async def defer_if_slow(interaction: Interaction, work: Coroutine[Any, Any, WorkResultT]) -> WorkResultT:
    """What `work` returns. Where it takes long, Discord is told meanwhile that an answer will come.

    For buttons, menus and forms: their message stays until `update_message` changes it, and `send_answer` still answers
    beside it.
    """
    task, present = asyncio.create_task(work), asyncio.get_running_loop().time()
    due = interaction.extras.setdefault("due", present + DEFER_AFTER_S)
    try:
        done, _ = await asyncio.wait([task], timeout=max(due - present, 0))
        command = interaction.type is discord.InteractionType.application_command  # which says itself how it is to be
        if not done and not command and not interaction.response.is_done():
            # Once, though a question within a question wakes at the same instant: Discord refuses a second answer.
            deferral = interaction.extras.get("deferral") or asyncio.ensure_future(interaction.response.defer())
            interaction.extras["deferral"] = deferral
            await asyncio.shield(deferral)
        return await task
    finally:
        task.cancel()  # where somebody has stopped waiting, or Discord has
