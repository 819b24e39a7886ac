"""A 404 about a channel, thread or message: it counts only if Discord says so twice."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import discord
import pytest
from discord.http import Route

from bot.discordkit.permissions import Obstacle, obstacle_of
from bot.discordkit.requests import StillThere, confirm_losses

POST = Route("POST", "/channels/{channel_id}/messages", channel_id=7)
EDIT = Route("PATCH", "/channels/{channel_id}/messages/{message_id}", channel_id=7, message_id=8)
LOOK = Route("GET", "/channels/{channel_id}", channel_id=7)
ROLE = Route("PUT", "/guilds/{guild_id}/members/{user_id}/roles/{role_id}", guild_id=1, user_id=2, role_id=3)


def answering(statuses: Sequence[int]) -> tuple[Any, list[str]]:
    """A client's `http` that gets these statuses in turn, and what it asks."""
    asked, errors = list[str](), {404: discord.NotFound, 403: discord.Forbidden, 503: discord.DiscordServerError}

    async def request(route: Route, **_: object) -> str:
        asked.append(f"{route.method} {route.url.removeprefix(Route.BASE)}")
        status = statuses[len(asked) - 1]
        if status in errors:
            response: Any = SimpleNamespace(status=status, reason="")
            raise errors[status](response, "")
        return "shown"

    http = SimpleNamespace(request=request)
    confirm_losses(http)  # type: ignore[arg-type]
    return http, asked


@pytest.mark.parametrize(
    ("route", "again"),
    [(POST, "GET /channels/7"), (EDIT, "GET /channels/7/messages/8")],
)
async def test_what_discord_shows_when_asked_again_is_not_lost(route: Route, again: str) -> None:
    http, asked = answering([404, 200])
    with pytest.raises(StillThere) as error:
        await http.request(route)
    assert asked[1:] == [again]
    assert obstacle_of(error.value) is Obstacle.OUTAGE, "so it is tried again"


@pytest.mark.parametrize("route", [POST, EDIT])
async def test_what_discord_misses_twice_is_lost(route: Route) -> None:
    http, asked = answering([404, 404])
    with pytest.raises(discord.NotFound):
        await http.request(route)
    assert len(asked) == 2


@pytest.mark.parametrize(("second", "error"), [(403, discord.Forbidden), (503, discord.DiscordServerError)])
async def test_a_second_answer_that_is_no_loss_counts(second: int, error: type[Exception]) -> None:
    http, _ = answering([404, second])
    with pytest.raises(error):
        await http.request(POST)


async def test_a_request_that_reads_returns_what_discord_shows_the_second_time() -> None:
    http, asked = answering([404, 200])
    assert await http.request(LOOK) == "shown"
    assert asked == ["GET /channels/7"] * 2


async def test_what_is_in_no_channel_is_asked_once() -> None:
    http, asked = answering([404])
    with pytest.raises(discord.NotFound):
        await http.request(ROLE)
    assert len(asked) == 1
