"""The welcome in servers that added the bot at once; what people see of it is in `tests/e2e/test_welcome.py`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import discord

from bot.core.settings import GuildSettings
from bot.play.context import BotContext
from bot.play.places.welcome import Welcomes

PARTLY_SENT, WHOLE = 1, 2


class Servers(list[int]):
    """What a welcome needs of the bot in these servers, in one of which Discord has not told who the bot is there."""

    def __init__(self) -> None:
        super().__init__([PARTLY_SENT, WHOLE])
        self.welcomed: list[int] = []
        self.client = self.service = self.servers = self

    async def note_servers_met(self, present: list[int], *, joined: bool) -> list[int]:
        assert not joined
        return present

    @property
    def guilds(self) -> list[SimpleNamespace]:
        return [self.get_guild(guild) for guild in self]

    def get_guild(self, guild: int) -> SimpleNamespace:
        allowed = SimpleNamespace(permissions_for=lambda me: discord.Permissions.all() if me.id else None, id=guild)
        me = None if guild == PARTLY_SENT else SimpleNamespace(id=9)
        return SimpleNamespace(id=guild, me=me, system_channel=allowed, get_channel=lambda _: None)

    def server_language(self, guild: int) -> str:
        return "en"

    def settings_of(self, guild: int) -> GuildSettings:
        return GuildSettings()

    async def send_message(self, channel: int, *_: Any, guild: int, **__: Any) -> None:
        self.welcomed.append(guild)


async def test_a_server_sent_in_part_takes_the_welcome_from_no_other() -> None:
    servers = Servers()
    await Welcomes(cast("BotContext", servers), None).on_ready()
    assert servers.welcomed == [WHOLE]
