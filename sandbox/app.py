"""The API of the chat page, which the tests use as well: JSON over HTTP, and a WebSocket per person."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace

from aiohttp import web

from . import acts, posts, views, world_changes
from .discord_types import Json
from .errors import Code, Refusal
from .options import ActError
from .page_requests import Handler, PageRequest
from .parts import Parts
from .payloads import guild_settings
from .permissions import require
from .sockets import json_answer, parse_json


def _people(ask: PageRequest) -> Json:
    return {"people": [views.person(ask.world, one) for one in views.everybody(ask.world)]}


def _state(ask: PageRequest) -> Json:
    return views.state(ask.world, ask.me, online=ask.parts.gateway.online)


def _messages(ask: PageRequest) -> Json:
    me, channel = ask.me, ask.channel
    require(ask.world, me, channel)
    limit, before, since = ask.count("limit", 50), ask.count("before", 0), ask.count("since", 0)
    # Private answers exist only in the client that received them: one opened later does not have them.
    found = [
        one
        for one in ask.world.messages(channel.id)
        if one.only_for is None or (one.only_for == me.id and one.id > since)
    ]
    older = [one for one in found if not before or one.id < before]
    shown = older[max(0, len(older) - limit) :]
    return {"messages": [views.message(ask.world, me, one) for one in shown], "more": len(older) > limit}


def _chat(ask: PageRequest) -> Json:
    return views.message(ask.world, ask.me, acts.chat(ask.parts, ask.me, ask.channel, ask.words("content")))


def _read(ask: PageRequest) -> Json:
    acts.read(ask.parts, ask.me, ask.channel)
    return {}


def _command(ask: PageRequest) -> Json:
    if "target" in ask.body:
        target = ask.world.person(ask.number("target"))
        return {"interaction_id": str(acts.run_on(ask.parts, ask.me, ask.channel, ask.command, target).id)}
    path, values = ask.texts("path") or [], ask.values("options")
    asked = acts.run_command(ask.parts, ask.me, ask.channel, ask.command, path, values)
    return {"interaction_id": str(asked.id)}


async def _autocomplete(ask: PageRequest) -> Json:
    path, values = ask.texts("path") or [], ask.values("options")
    focused = ask.words("focused")
    found = await acts.suggestions(ask.parts, ask.me, ask.channel, ask.command, path, values, focused)
    choices = [views.choice(one, ask.me.locale) for one in found or ()]
    return {"choices": choices, "failed": found is None}


def _component(ask: PageRequest) -> Json:
    asked = acts.click(ask.parts, ask.me, ask.message, ask.words("custom_id"), ask.texts("values"))
    return {"interaction_id": str(asked.id)}


def _modal(ask: PageRequest) -> Json:
    opened = ask.world.interactions.get(ask.number("interaction_id"))
    if opened is None:
        raise Refusal(Code.UNKNOWN_INTERACTION)
    asked = acts.submit(ask.parts, ask.me, opened, ask.values("values"))
    return {"interaction_id": str(asked.id)}


def _dismiss(ask: PageRequest) -> Json:
    if ask.message.only_for != ask.me.id:
        raise Refusal(Code.UNKNOWN_MESSAGE)
    posts.delete(ask.parts, ask.message)
    return {}


def _direct(ask: PageRequest) -> Json:
    return views.channel(ask.world, ask.me, acts.direct(ask.parts, ask.me))


def _change_guild(ask: PageRequest) -> Json:
    guild = replace(ask.guild, community=bool(ask.body.get("community", ask.guild.community)))
    if "locale" in ask.body:
        if not guild.community:
            raise ActError("no_community", "Only a Community server can set its language.")
        guild = replace(guild, locale=ask.locale)
    ask.world.put(guild)
    ask.parts.gateway.dispatch("GUILD_UPDATE", guild_settings(guild, ask.world.channels.values()))
    ask.parts.live.guild(guild)
    return views.guild_settings(guild)


_PERSON, _CHANNEL = "/app/people/{person_id:\\d+}", "/app/channels/{channel_id:\\d+}"
_OWN_CHANNEL = _PERSON + "/channels/{channel_id:\\d+}"
_TABLE: dict[tuple[str, str], Handler] = {
    ("GET", "/app/people"): _people,
    ("POST", "/app/people"): world_changes.add_person,
    ("PATCH", _PERSON): world_changes.change_person,
    ("GET", _PERSON + "/state"): _state,
    ("POST", _PERSON + "/dm"): _direct,
    ("POST", _PERSON + "/modals"): _modal,
    ("GET", _OWN_CHANNEL + "/messages"): _messages,
    ("POST", _OWN_CHANNEL + "/messages"): _chat,
    ("DELETE", _OWN_CHANNEL + "/messages/{message_id:\\d+}"): _dismiss,
    ("POST", _OWN_CHANNEL + "/messages/{message_id:\\d+}/components"): _component,
    ("POST", _OWN_CHANNEL + "/read"): _read,
    ("POST", _OWN_CHANNEL + "/commands"): _command,
    ("POST", _OWN_CHANNEL + "/autocomplete"): _autocomplete,
    ("PATCH", "/app/guilds/{guild_id:\\d+}"): _change_guild,
    ("POST", "/app/guilds/{guild_id:\\d+}/channels"): world_changes.add_channel,
    ("PUT", "/app/guilds/{guild_id:\\d+}/bot"): world_changes.invite_bot,
    ("PUT", "/app/guilds/{guild_id:\\d+}/outage"): world_changes.set_outage,
    ("PUT", "/app/guilds/{guild_id:\\d+}/bot-role"): world_changes.grant_to_bot,
    ("POST", "/app/guilds/{guild_id:\\d+}/roles"): world_changes.add_role,
    ("PUT", "/app/guilds/{guild_id:\\d+}/members/{person_id:\\d+}"): world_changes.set_member,
    ("PUT", _CHANNEL + "/overwrites"): world_changes.set_overwrite,
    ("PATCH", _CHANNEL): world_changes.change_channel,
    ("DELETE", _CHANNEL): world_changes.remove_channel,
    ("DELETE", _CHANNEL + "/messages/{message_id:\\d+}"): world_changes.remove_message,
}


def routes(parts: Parts) -> Iterator[web.RouteDef]:
    """Yields the routes of the page's API for aiohttp."""
    for (method, path), handler in _TABLE.items():
        yield web.route(method, path, _served(parts, handler))

    async def live(request: web.Request) -> web.StreamResponse:
        person_id = int(request.match_info["person_id"])
        if person_id not in parts.world.people:
            return _refused(404, "unknown_person", "There is no such person.")
        return await parts.live.serve(request, parts.world.people[person_id])

    yield web.get(_PERSON + "/live", live)


def _served(parts: Parts, handler: Handler) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    async def serve(request: web.Request) -> web.StreamResponse:
        try:
            result = handler(PageRequest(parts, request, await _body(request)))
            return json_answer(await result if isinstance(result, Awaitable) else result)
        except ActError as error:
            return _refused(400, error.code, str(error))
        except Refusal as refusal:
            return _refused(refusal.status, str(refusal.code.number), str(refusal))
        finally:
            parts.world.commit()

    return serve


def _refused(status: int, code: str, text: str) -> web.Response:
    return json_answer({"error": {"code": code, "text": text}}, status)


async def _body(request: web.Request) -> Json:
    """Returns the JSON object of a request. Its content type keeps other pages out: browsers ask before sending it."""
    if not request.can_read_body:
        return {}
    if request.content_type != "application/json":
        raise ActError("bad_request", "The body must be JSON.")
    try:
        found = parse_json(await request.read() or b"{}")
    except ValueError:
        raise ActError("bad_request", "The body is no JSON.") from None
    if not isinstance(found, dict):
        raise ActError("bad_request", "The body must be a JSON object.")
    return found
