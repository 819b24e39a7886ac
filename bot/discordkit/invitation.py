"""How a server adds the bot: the invite link, and what is missing in the application's settings and in servers."""

from __future__ import annotations

import discord
import structlog

from bot.discordkit.permissions import CHANNEL_PERMISSIONS, THREAD_OPENING_PERMISSIONS, missing_for
from bot.texts.i18n import join_list, text

log = structlog.get_logger()

SCOPES = ("bot", "applications.commands")
INVITED_WITH = discord.Permissions(**dict.fromkeys((*CHANNEL_PERMISSIONS, *THREAD_OPENING_PERMISSIONS), True))
"""The permissions that the link asks for; docs/hosting.md explains each of them."""

ENDPOINT = "General Information > Interactions Endpoint URL is set, so that no command reaches the bot: empty it."
CODE_GRANT = "Bot > Requires OAuth2 Code Grant is on, so that nobody can add the bot: switch it off."
NO_GUILD_INSTALL = "Installation > Guild Install is off, so that no server can add the bot: tick it."
WEAK_LINK = "Installation > Default Install Settings, Guild Install: the scopes or permissions lack {names}."


def invite_link(application_id: int) -> str:
    """Returns the address at which somebody adds the bot to a server."""
    return discord.utils.oauth_url(application_id, permissions=INVITED_WITH, scopes=SCOPES)


def install_problems(application: discord.AppInfo) -> list[str]:
    """Returns what has to be changed in the developer portal, a sentence each."""
    problems = []
    if application.interactions_endpoint_url:
        problems.append(ENDPOINT)
    if application.bot_require_code_grant:
        problems.append(CODE_GRANT)
    # An application without any of the two has the settings of before there were two.
    if application.user_integration_config and not application.guild_integration_config:
        problems.append(NO_GUILD_INSTALL)
    guild_install = application.guild_integration_config
    if parameters := guild_install and guild_install.oauth2_install_params:
        missing = [scope for scope in SCOPES if scope not in parameters.scopes]
        if names := [*missing, *_permission_names(parameters.permissions)]:
            problems.append(WEAK_LINK.format(names=join_list("en", names)))
    return problems


def missing_in_server(granted: discord.Permissions) -> str:
    """Returns the permissions of the link that a server has not granted, in words; empty if it has granted all."""
    return join_list("en", names) if (names := _permission_names(granted)) else ""


def _permission_names(granted: discord.Permissions) -> list[str]:
    missing = () if granted.administrator else missing_for(granted, wants_thread=True)
    return [text("en", f"permission.{name}") for name in missing]


def log_invitation(client: discord.Client) -> None:
    """Logs the invite link, and a line for each install setting and each server that lacks something."""
    assert client.application_id is not None
    log.info("invite", link=invite_link(client.application_id))
    for problem in install_problems(client.application) if client.application else ():
        log.warning("install settings", problem=problem)
    for guild in client.guilds:
        me: discord.Member | None = guild.me  # None if a GUILD_CREATE could not be parsed to its end
        if me and (missing := missing_in_server(me.guild_permissions)):
            log.warning("permissions missing", server=guild.name, id=guild.id, permissions=missing)
