"""Reports stored names that this version does not know, once with the owner's next answer."""

from __future__ import annotations

from contextlib import suppress

import discord

from bot.discordkit.answer_retries import NETWORK_ERRORS
from bot.discordkit.reply import RESOLVED, Interaction, may_manage_server, reader_language
from bot.play.server_menus import choice_text
from bot.store.unknown_names import UNKNOWN_NAMES, SettingOwner, UnknownName
from bot.texts.i18n import Language, text
from bot.texts.markup import escape_markup


async def tell_unknown_names(interaction: Interaction) -> None:
    """Tells the person just answered which names in their settings, or in their server's, this version
    does not know.
    """
    if not interaction.response.is_done():
        return
    locale, guild = reader_language(interaction), interaction.guild_id
    lines = [
        _unknown_name_text(locale, "own", unknown_name)
        for unknown_name in UNKNOWN_NAMES.take_untold(SettingOwner("user", interaction.user.id))
    ]
    if guild is not None and may_manage_server(interaction):
        lines += [
            _unknown_name_text(locale, "server", unknown_name)
            for unknown_name in UNKNOWN_NAMES.take_untold(SettingOwner("guild", guild))
        ]
    if lines:
        with suppress(discord.HTTPException, *NETWORK_ERRORS):
            await interaction.followup.send("\n".join(lines), ephemeral=True, allowed_mentions=RESOLVED)


def _unknown_name_text(locale: Language, whose: str, unknown: UnknownName) -> str:
    if unknown.setting == "zone":
        instead = unknown.instead
    elif whose == "server":
        instead = choice_text(locale, unknown.setting, unknown.instead)
    else:
        instead = text(locale, f"setting.{unknown.setting}.{unknown.instead}")
    group = "server" if whose == "server" else "setting"
    setting = text(locale, f"{group}.{unknown.setting}.name")
    return text(
        locale, f"unknown-name.{whose}", setting=setting, name=escape_markup(unknown.name[:60]), instead=instead
    )
