"""Whoever owns a stored name that is not known here is told with the next answer."""

from __future__ import annotations

from contextlib import suppress

import discord

from bot.kit.reply import RESOLVED, Interaction, manages, reader
from bot.kit.server_menus import way_told
from bot.kit.steady import BROKEN
from bot.people.names import UNKNOWN, Owner, Unknown
from bot.texts.i18n import Language, text
from bot.texts.sentences import plain


async def tell_unknown(interaction: Interaction) -> None:
    """Tell whoever has just been answered which of their names, or of the server they manage, are not known here."""
    if not interaction.response.is_done():
        return
    locale, guild = reader(interaction), interaction.guild_id
    said = [_words(locale, "own", one) for one in UNKNOWN.take_untold(Owner("user", interaction.user.id))]
    if guild is not None and manages(interaction):
        said += [_words(locale, "server", one) for one in UNKNOWN.take_untold(Owner("guild", guild))]
    if said:
        with suppress(discord.HTTPException, *BROKEN):
            await interaction.followup.send("\n".join(said), ephemeral=True, allowed_mentions=RESOLVED)


def _words(locale: Language, whose: str, unknown: Unknown) -> str:
    if unknown.setting == "zone":
        instead = unknown.instead
    elif whose == "server":
        instead = way_told(locale, unknown.setting, unknown.instead)
    else:
        instead = text(locale, f"setting.{unknown.setting}.{unknown.instead}")
    group = "server" if whose == "server" else "setting"
    setting = text(locale, f"{group}.{unknown.setting}.name")
    return text(locale, f"unknown-name.{whose}", setting=setting, name=plain(unknown.name[:60]), instead=instead)
