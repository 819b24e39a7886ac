"""Settings that two commands change at the same moment: both changes hold, and each is made whole or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import discord
import pytest

from bot.client import RoundTable
from bot.core.clock import HOUR, Pace
from bot.core.events import EventKind, Seating
from bot.core.news import News
from bot.core.problems import Problem
from bot.core.settings import GuildSettings, Preferences, UserSettings
from bot.play.announcing.reminding import DirectMessagesClosed, compose_direct_post, send_direct_post
from bot.play.service import Service
from bot.store import Store, Writer
from tests.bot.playing import ADA, BO, CHANNEL, GUILD, NOW, refused


async def test_two_changes_of_a_servers_settings_at_once_both_hold(client: RoundTable) -> None:
    servers = client.app.servers
    slow, strict = await asyncio.gather(
        servers.change_settings(GUILD, lambda settings: replace(settings, pace=Pace.SLOW)),
        servers.change_settings(GUILD, lambda settings: replace(settings, house=False)),
    )
    assert slow == (GuildSettings(), GuildSettings(pace=Pace.SLOW))
    assert strict == (slow.after, GuildSettings(pace=Pace.SLOW, house=False))
    assert (
        {GUILD: servers.settings_of(GUILD)}
        == await client.app.service.people.all_guild_settings()
        == {GUILD: strict.after}
    )


async def test_two_changes_of_ones_own_settings_at_once_both_hold(client: RoundTable) -> None:
    service = client.app.service
    await asyncio.gather(
        service.people.change_user_settings(ADA, lambda settings: replace(settings, zone="Europe/Oslo"), NOW),
        service.people.change_user_settings(ADA, lambda settings: replace(settings, public=False), NOW),
        service.people.change_user_settings(BO, lambda settings: replace(settings, automove=True), NOW),
    )
    assert await service.people.user_settings(ADA) == UserSettings("Europe/Oslo", public=False)
    assert await service.people.user_settings(BO) == UserSettings(automove=True)


async def test_a_change_is_made_whole_or_not_at_all(client: RoundTable, monkeypatch: pytest.MonkeyPatch) -> None:
    service = client.app.service

    async def fails(writer: Writer, user: int, key: str, value: str) -> None:
        raise RuntimeError(key)

    def to_oslo(settings: UserSettings) -> UserSettings:
        return replace(settings, zone="Europe/Oslo")

    with monkeypatch.context() as broken:
        broken.setattr(Writer, "set_preference", fails)
        with pytest.raises(RuntimeError, match="board"):
            await service.people.change_user_settings(ADA, to_oslo, NOW, {"board": "dark"})
    assert await service.people.user_settings(ADA) == UserSettings()
    with refused(Problem.NO_SUCH_ZONE, zone="Atlantis"):
        await service.people.change_user_settings(
            ADA, lambda known: replace(known, zone="Atlantis"), NOW, {"board": "dark"}
        )
    assert await service.people.preferences_of(ADA) == Preferences()
    await service.people.change_user_settings(ADA, to_oslo, NOW, {"board": "dark"})
    assert await service.people.user_settings(ADA) == UserSettings("Europe/Oslo")
    assert await service.people.preferences_of(ADA) == Preferences(board="dark")


async def reminded(service: Service) -> News:
    """A reminder for a person who wants direct messages."""
    await service.people.change_user_settings(ADA, lambda _: UserSettings(by_dm=True, language="en"), NOW)
    table = await service.open_table(GUILD, CHANNEL, ADA, "camelot", (), Seating.JOIN_ORDER, False, NOW, pace=Pace.FAST)
    await service.join_table(table.id, GUILD, BO, NOW)
    await service.upkeep.tick(NOW + 12 * HOUR)
    (reminder,) = [news for news in await service.unannounced_news(table.id) if news.kind is EventKind.REMINDED]
    return reminder


def refusing(kind: type[discord.HTTPException], status: int, code: int) -> Callable[[discord.Object], Awaitable[None]]:
    """A function that Discord refuses with that error."""

    async def refuse(_: discord.Object) -> None:
        response: Any = SimpleNamespace(status=status, reason="no")
        raise kind(response, {"code": code, "message": "no"})

    return refuse


async def test_a_closed_door_undoes_nothing_that_was_set_at_that_time(
    client: RoundTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = client.app.service
    reminder = await reminded(service)
    writing = Store.write_transaction

    @asynccontextmanager
    async def second(store: Store) -> AsyncIterator[Writer]:
        """Reaches the store after another change."""
        monkeypatch.setattr(Store, "write_transaction", writing)
        await service.people.change_user_settings(ADA, lambda settings: replace(settings, zone="Europe/Oslo"), NOW)
        async with writing(store) as tx:
            yield tx

    post = await compose_direct_post(client.app, reminder, "Ada", None, "nonce")
    monkeypatch.setattr(client, "create_dm", refusing(discord.Forbidden, 403, 50007))
    monkeypatch.setattr(Store, "write_transaction", second)
    with pytest.raises(DirectMessagesClosed):
        await send_direct_post(client.app, post)
    assert await service.people.user_settings(ADA) == UserSettings("Europe/Oslo")


@pytest.mark.parametrize(
    ("kind", "status", "code"),
    [
        pytest.param(discord.HTTPException, 400, 0, id="something-else"),
        pytest.param(discord.Forbidden, 403, 0, id="what-stands-before-discord"),
        pytest.param(discord.Forbidden, 403, 20026, id="taken-for-spam"),
        pytest.param(discord.Forbidden, 403, 40003, id="too-many-doors-at-once"),
    ],
)
async def test_what_discord_refuses_once_for_another_reason_closes_no_door(
    client: RoundTable, monkeypatch: pytest.MonkeyPatch, kind: type[discord.HTTPException], status: int, code: int
) -> None:
    post = await compose_direct_post(client.app, await reminded(client.app.service), "Ada", None, "nonce")
    monkeypatch.setattr(client, "create_dm", refusing(kind, status, code))
    assert await send_direct_post(client.app, post) is None
    assert (await client.app.service.people.user_settings(ADA)).by_dm
