"""Points discord.py at a sandbox: the only difference between running with a token and without one."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route

_KNOWN = "2.7.1"


def point_discord_at(url: str) -> None:
    """Makes every client of this process talk to the sandbox at `url`, e.g. "http://127.0.0.1:8765".

    Raises ValueError for an address of another machine, which could get a real token; RuntimeError for another version
    of discord.py than 2.7.1, whose internals it changes.
    """
    if discord.__version__ != _KNOWN:
        raise RuntimeError(f"the sandbox knows discord.py {_KNOWN}, not {discord.__version__}")
    host = urlsplit(url).hostname or ""
    if host != "localhost" and not _is_loopback(host):
        raise ValueError(f"{url} is not on this machine")
    Route.BASE = f"{url}/api/v10"
    DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(url.replace("http", "ws", 1) + "/gateway")


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
