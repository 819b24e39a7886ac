"""The desk at which posts are written: the way to Discord, the services, the pictures, and what is remembered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import discord
from cachetools import LRUCache

from bot.kit.components import Button, row
from bot.kit.metrics import Metrics
from bot.kit.pictures import Pictures
from bot.kit.reply import NO_MENTIONS
from bot.match.results import Post
from bot.posting.people import Names, Servers
from bot.service import Service
from bot.texts.i18n import Language


@dataclass(frozen=True, eq=False)
class Desk:
    """What every post needs."""

    client: discord.Client
    service: Service
    pictures: Pictures
    metrics: Metrics
    servers: Servers
    names: Names
    languages: LRUCache[int, Language]
    """In which language people have met the bot last, for what it writes to them directly."""

    def language(self, guild: int) -> Language:
        """The language of public posts in that server."""
        return self.servers.language(guild)

    async def send(
        self,
        channel: int,
        said: str,
        nonce: str,
        *,
        ping: discord.AllowedMentions = NO_MENTIONS,
        buttons: Sequence[Button] = (),
        files: Sequence[discord.File] = (),
    ) -> discord.Message:
        """Post a new message there. Of two with the same nonce within minutes, Discord drops the second."""
        view, place = row(*buttons) if buttons else discord.utils.MISSING, self.client.get_partial_messageable(channel)
        return await place.send(said, files=files, view=view, allowed_mentions=ping, nonce=nonce)

    def message(self, post: Post) -> discord.PartialMessage:
        """That message, to be changed."""
        return self.client.get_partial_messageable(post.channel).get_partial_message(post.message)
