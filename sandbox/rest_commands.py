"""REST: the bot's account, the gateway's address, and the registration of commands."""

from __future__ import annotations

from . import limits, payloads
from .errors import Code, Refusal
from .gateway import STARTS
from .permissions import server_permissions
from .rest import Call, Routes
from .things import Command, Json
from .world import BOT_ID

_GLOBAL = "/applications/{application_id}/commands"
_GUILD = "/applications/{application_id}/guilds/{guild_id}/commands"


def _me(call: Call) -> Json:
    return {**payloads.user(call.bot), "verified": True, "mfa_enabled": False, "email": None, "locale": "en-US"}


def _user(call: Call) -> Json:
    return payloads.user(call.parts.world.person(call.number("user_id")))


def _own_guilds(call: Call) -> list[Json]:
    after, limit = int(call.query.get("after", 0)), int(call.query.get("limit", 200))
    guilds = sorted(call.parts.world.guilds.values(), key=lambda guild: guild.id)
    return [
        {
            "id": str(guild.id),
            "name": guild.name,
            "icon": None,
            "banner": None,
            "owner": False,
            "permissions": str(int(server_permissions(guild, call.bot))),
            "features": guild.features,
        }
        for guild in guilds
        if BOT_ID in guild.members and guild.id > after
    ][:limit]


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
        "max_concurrency": gateway.max_concurrency,
    }
    return {**_gateway(call), "shards": gateway.shards, "session_start_limit": start}


def _scope(call: Call) -> int | None:
    """Returns the server of the commands in the address; None for global commands. Refusals: 10002, 10004."""
    if call.number("application_id") != BOT_ID:
        raise Refusal(Code.UNKNOWN_APPLICATION)
    return call.parts.world.guild(call.number("guild_id")).id if "guild_id" in call.ids else None


def _registered(call: Call) -> list[Command]:
    scope = _scope(call)
    return [one for one in call.parts.world.commands.values() if one.guild_id == scope]


def _list(call: Call) -> list[Json]:
    return [payloads.command(one) for one in _registered(call)]


def _replace_all(call: Call) -> list[Json]:
    """Replaces all commands by these; a command of the same name and type keeps its id."""
    bodies = call.body or []
    limits.check_commands(bodies)
    kept = [_register(call, body) for body in bodies]
    for old in _registered(call):
        if old.id not in {one.id for one in kept}:
            call.parts.world.drop_command(old)
    call.parts.live.commands()
    return [payloads.command(one) for one in kept]


def _add(call: Call) -> Json:
    limits.check_command(call.form)
    names = [one.body for one in _registered(call)]
    same = _identity(call.form)
    limits.check_commands([*(body for body in names if _identity(body) != same), call.form])
    made = _register(call, call.form)
    call.parts.live.commands()
    return payloads.command(made)


def _register(call: Call, body: Json) -> Command:
    world = call.parts.world
    same = [one for one in _registered(call) if _identity(one.body) == _identity(body)]
    kept = {name: value for name, value in body.items() if name not in ("id", "application_id", "version")}
    made = Command(same[0].id if same else world.next_id(), _scope(call), world.next_id(), kept)
    world.put(made)
    return made


def _identity(body: Json) -> tuple[object, ...]:
    return body.get("type", 1), body["name"]


def _one(call: Call) -> Command:
    for one in _registered(call):
        if one.id == call.number("command_id"):
            return one
    raise Refusal(Code.UNKNOWN_COMMAND)


def _get(call: Call) -> Json:
    return payloads.command(_one(call))


def _change(call: Call) -> Json:
    old = _one(call)
    body = {**old.body, **call.form}
    limits.check_command(body)
    made = Command(old.id, old.guild_id, call.parts.world.next_id(), body)
    call.parts.world.put(made)
    call.parts.live.commands()
    return payloads.command(made)


def _remove(call: Call) -> None:
    call.parts.world.drop_command(_one(call))
    call.parts.live.commands()


def _command_routes() -> Routes:
    found: Routes = {}
    for place in (_GLOBAL, _GUILD):
        found |= {
            ("GET", place): _list,
            ("PUT", place): _replace_all,
            ("POST", place): _add,
            ("GET", place + "/{command_id}"): _get,
            ("PATCH", place + "/{command_id}"): _change,
            ("DELETE", place + "/{command_id}"): _remove,
        }
    return found


COMMAND_ROUTES: Routes = {
    ("GET", "/users/@me"): _me,
    ("GET", "/users/@me/guilds"): _own_guilds,
    ("GET", "/users/{user_id}"): _user,
    ("GET", "/oauth2/applications/@me"): _application,
    ("GET", "/applications/@me"): _application,
    ("GET", "/gateway"): _gateway,
    ("GET", "/gateway/bot"): _gateway_bot,
    **_command_routes(),
}
