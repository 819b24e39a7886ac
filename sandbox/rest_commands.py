"""REST: the bot's account, the gateway's address, and the registration of commands."""

from __future__ import annotations

from . import payloads
from .discord_types import Command, Json
from .gateway import STARTS
from .limits.commands import check_commands
from .rest import Call, Routes
from .world import BOT_ID

_COMMANDS = "/applications/{application_id}/commands"


def _me(call: Call) -> Json:
    return {**payloads.user(call.bot), "verified": True, "mfa_enabled": False, "email": None, "locale": "en-US"}


def _application(call: Call) -> Json:
    owner = next(person for person in call.parts.world.people.values() if not person.bot)
    return {
        "id": str(BOT_ID),
        "name": call.bot.name,
        "description": "",
        "bot_public": True,
        "verify_key": "0" * 64,
        "owner": payloads.user(owner),
        "flags_new": "0",
        "eligible_oauth2_scopes": ["bot", "applications.commands"],
        **dict.fromkeys(("icon", "team", "type", "interactions_endpoint_url", "role_connections_verification_url")),
        **dict.fromkeys(("flags", "explicit_content_filter"), 0),
        **dict.fromkeys(("approximate_user_install_count", "approximate_user_authorization_count"), 0),
        "bot_require_code_grant": False,
        "redirect_uris": [],
        "approximate_guild_count": sum(BOT_ID in one.members for one in call.parts.world.guilds.values()),
        "integration_types_config": {"0": {}, "1": {}},
    }


def _gateway(call: Call) -> Json:
    return {"url": call.parts.world.url.replace("http", "ws", 1) + "/gateway"}


def _gateway_bot(call: Call) -> Json:
    gateway = call.parts.gateway
    start = {
        "total": STARTS,
        "remaining": gateway.starts_left,
        "reset_after": int(gateway.starts_reset_after * 1000),
        "max_concurrency": 1,
    }
    return {**_gateway(call), "shards": gateway.shards, "session_start_limit": start}


def _list(call: Call) -> list[Json]:
    return [payloads.command(one) for one in call.parts.world.commands.values()]


def _replace_all(call: Call) -> list[Json]:
    """Replaces all commands by these; a command of the same name and type keeps its id."""
    bodies = call.body or []
    check_commands(bodies)
    kept = [_register(call, body) for body in bodies]
    for old in tuple(call.parts.world.commands.values()):
        if old.id not in {one.id for one in kept}:
            call.parts.world.drop_command(old)
    call.parts.live.commands()
    return [payloads.command(one) for one in kept]


def _register(call: Call, body: Json) -> Command:
    world = call.parts.world
    same = [one for one in world.commands.values() if _identity(one.body) == _identity(body)]
    kept = {name: value for name, value in body.items() if name not in ("id", "application_id", "version")}
    made = Command(same[0].id if same else world.next_id(), world.next_id(), kept)
    world.put(made)
    return made


def _identity(body: Json) -> tuple[object, ...]:
    return body.get("type", 1), body["name"]


COMMAND_ROUTES: Routes = {
    ("GET", "/users/@me"): _me,
    ("GET", "/oauth2/applications/@me"): _application,
    ("GET", "/gateway"): _gateway,
    ("GET", "/gateway/bot"): _gateway_bot,
    ("GET", _COMMANDS): _list,
    ("PUT", _COMMANDS): _replace_all,
}
