"""What people are called, for texts where a mention would be out of place. Kept in memory only."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

import discord

from bot.cogs._answers.reply import Press
from bot.cogs._answers.steady import BROKEN
from bot.events import is_former
from bot.i18n import text

if TYPE_CHECKING:
    from bot.client import RoundTable

REMEMBERED = 2000
"""Names kept, the latest ones heard."""


class Names:
    """Display names by server and person: heard with each interaction, asked of Discord where they were not."""

    def __init__(self, client: RoundTable) -> None:
        self._client = client
        self._known: OrderedDict[tuple[int, int], str] = OrderedDict()

    def hear(self, press: Press) -> None:
        """Note the name that came with an interaction."""
        if press.guild_id is not None:
            self._note(press.guild_id, press.user.id, press.user.display_name)

    async def of(self, guild: int, user: int) -> str:
        """What that person is called in that server; his number where Discord does not say."""
        if is_former(user):
            return text(self._client.servers.language(guild), "former-player")
        known = self._known.get((guild, user))
        return known if known is not None else await self._ask(guild, user)

    def forget(self, user: int) -> None:
        """Drop what that person is called."""
        for key in [key for key in self._known if key[1] == user]:
            del self._known[key]

    async def _ask(self, guild: int, user: int) -> str:
        server = self._client.get_guild(guild)
        try:
            person = await server.fetch_member(user) if server else await self._client.fetch_user(user)
        except (discord.HTTPException, *BROKEN):
            return str(user)  # somebody who has left; not noted, in case it was only an outage
        self._note(guild, user, person.display_name)
        return person.display_name

    def _note(self, guild: int, user: int, name: str) -> None:
        self._known[guild, user] = name
        self._known.move_to_end((guild, user))
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
