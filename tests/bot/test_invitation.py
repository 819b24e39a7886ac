"""The invite link, and what is missing in an application's settings and in servers."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import discord
import pytest
from structlog.testing import capture_logs

from bot.discordkit import permissions
from bot.discordkit.permissions import (
    INVITED_WITH,
    install_problems,
    invite_link,
    log_invitation,
    missing_for,
    missing_in_server,
)

NUMBER = 1100000000000000001


def application(**settings: Any) -> discord.AppInfo:
    """An application with these settings, and all others as Discord makes them."""
    owner = {"id": "1", "username": "ada", "discriminator": "0", "avatar": None}
    made = {"id": str(NUMBER), "name": "Round Table", "icon": None, "description": "", "owner": owner}
    usual = {"bot_public": True, "bot_require_code_grant": False, "verify_key": "0" * 64, "flags": 0}
    client = discord.Client(intents=discord.Intents.none())
    return discord.AppInfo(client._connection, {**made, **usual, **settings})  # type: ignore[arg-type]  # a dict


def guild_install(*scopes: str, permissions: int) -> dict[str, Any]:
    return {"0": {"oauth2_install_params": {"scopes": scopes, "permissions": str(permissions)}}}


def test_the_link_names_the_application_and_six_permissions() -> None:
    assert re.fullmatch(
        rf"https://discord\.com/oauth2/authorize\?client_id={NUMBER}"
        r"&scope=bot\+applications\.commands&permissions=309237746688",
        invite_link(NUMBER),
    )


@pytest.mark.parametrize(
    ("settings", "problems"),
    [
        ({}, []),
        ({"integration_types_config": {"0": {}, "1": {}}}, []),
        ({"interactions_endpoint_url": "https://example.org"}, [permissions.ENDPOINT]),
        ({"bot_require_code_grant": True}, [permissions.CODE_GRANT]),
        ({"integration_types_config": {"1": {}}}, [permissions.NO_GUILD_INSTALL]),
        ({"integration_types_config": guild_install(*permissions.SCOPES, permissions=8)}, []),
        (
            {"integration_types_config": guild_install("bot", permissions=INVITED_WITH.value & ~(1 << 15))},
            [permissions.WEAK_LINK.format(names="applications.commands and Attach Files")],
        ),
    ],
)
def test_install_settings_that_keep_the_bot_out_are_named(settings: dict[str, Any], problems: list[str]) -> None:
    assert install_problems(application(**settings)) == problems


def test_permissions_that_a_server_has_not_granted_are_named() -> None:
    assert missing_in_server(INVITED_WITH) == missing_in_server(discord.Permissions(administrator=True)) == ""
    granted = discord.Permissions(INVITED_WITH.value & ~discord.Permissions(create_public_threads=True).value)
    assert missing_in_server(granted) == "Create Public Threads"


def test_a_start_logs_the_link_and_a_line_for_each_gap() -> None:
    def server(name: str, granted: discord.Permissions) -> Any:
        return SimpleNamespace(name=name, id=1, me=SimpleNamespace(guild_permissions=granted))

    half = SimpleNamespace(name="Half sent", id=2, me=None)
    servers = [server("Well", INVITED_WITH), server("Bare", discord.Permissions(view_channel=True)), half]
    broken = application(bot_require_code_grant=True)
    client: Any = SimpleNamespace(application_id=NUMBER, application=broken, guilds=servers)
    with capture_logs() as lines:
        log_invitation(client)
    assert [line["event"] for line in lines] == ["invite", "install settings", "permissions missing"]
    assert lines[0]["link"] == invite_link(NUMBER)
    assert lines[1]["problem"] == permissions.CODE_GRANT
    assert lines[2]["server"] == "Bare"


# The permissions that a game needs, by the kind of place


SEND, IN_THREADS = "send_messages", "send_messages_in_threads"


@pytest.mark.parametrize(
    ("kind", "needed"),
    [
        (discord.TextChannel, {SEND}),
        (discord.VoiceChannel, {SEND, "connect"}),
        (discord.StageChannel, {SEND, "connect"}),
        (discord.Thread, {IN_THREADS}),
        (discord.ForumChannel, {SEND, IN_THREADS}),
    ],
)
def test_each_kind_of_place_needs_permissions_of_its_own(kind: type[discord.abc.Snowflake], needed: set[str]) -> None:
    place = object.__new__(kind)
    everywhere = {"view_channel", "attach_files", "read_message_history"}
    assert set(missing_for(discord.Permissions.none(), place)) == everywhere | needed
    opening = set(missing_for(discord.Permissions.none(), place, wants_thread=True))
    assert opening == everywhere | needed | {"create_public_threads", IN_THREADS}
    assert not missing_for(discord.Permissions.all(), place, wants_thread=True)
