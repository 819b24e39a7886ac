"""Names and descriptions of commands in the reader's language, from the catalogues."""

from __future__ import annotations

import discord
from discord import app_commands

from bot.texts.i18n import DEFAULT, catalogue, language, text


def localized(key: str) -> app_commands.locale_str:
    """The text of that key, to be translated when the commands are sent to Discord."""
    return app_commands.locale_str(text(DEFAULT, key), key=key)


class CatalogueTranslator(app_commands.Translator):
    """Looks up the key that `words` has left with each text."""

    async def translate(
        self,
        string: app_commands.locale_str,
        locale: discord.Locale,
        context: app_commands.TranslationContextTypes,
    ) -> str | None:
        """The text in that language; None where English serves."""
        reader = language(locale.value)
        key = string.extras.get("key")
        if key is None or reader == DEFAULT:
            return None
        return catalogue(reader)[key]
