"""Channels, threads and messages that are gone: Discord has to say so twice.

Discord answers 404 now and then about a channel that exists. What the bot does about a lost place cannot be undone, so
it asks again first. Every request of the client passes here, except answers to interactions.
"""

from __future__ import annotations

import re
from typing import Any

import aiohttp
import discord
from discord.http import HTTPClient, Route

_PLACE = re.compile(r"/channels/(\d+)(?:/messages/(\d+))?")
"""The part of an address that names a channel or thread, and perhaps a message in it."""


class StillThere(aiohttp.ClientError):
    """Discord has answered 404 about something that it shows when asked again. A later try may succeed."""


def confirm_losses(http: HTTPClient) -> None:
    """Makes that client ask for a channel, thread or message again before its requests raise NotFound.

    If Discord then shows it, they raise StillThere; a request that only reads returns what Discord shows.
    """
    ask = http.request

    async def ask_twice(route: Route, **how: Any) -> Any:
        try:
            return await ask(route, **how)
        except discord.NotFound as error:
            place = _PLACE.search(route.url)
            if place is None:
                raise
            if route.method == "GET":
                return await ask(route, **how)
            channel, message = place.groups()
            path = "/channels/{channel_id}" if message is None else "/channels/{channel_id}/messages/{message_id}"
            await ask(Route("GET", path, channel_id=channel, message_id=message))
            raise StillThere(str(error)) from error

    http.request = ask_twice  # type: ignore[method-assign]
