"""The API of the chat page, which the tests use as well: JSON over HTTP, and a WebSocket per person."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from typing import Any

from aiohttp import web

from . import acts, posts, views
from .errors import Code, Refusal
from .gateway import Intent
from .options import ActError
from .parts import Parts
from .payloads import channel as channel_payload
from .payloads import guild_settings, whole_guild
from .permissions import require
from .rest import answer
from .things import Channel, Command, Guild, Json, Message, Person
from .world import BOT_ID, changed

_LOCALES = ("en-US", "no")


class Ask:
    """One request of the page: who asks, and what the address and the body name."""

    def __init__(self, parts: Parts, request: web.Request, body: Json) -> None:
        self.parts = parts
        self.world = parts.world
        self.request = request
        self.body = body

    def number(self, name: str) -> int:
        """A snowflake of the address, or of the body. Errors: ActError."""
        text = str(self.request.match_info.get(name, self.body.get(name)))
        if not text.isdecimal():
            raise ActError("bad_request", f"{name} is no id")
        return int(text)

    @property
    def me(self) -> Person:
        """The person who asks."""
        return self.world.person(self.number("person_id"))

    @property
    def channel(self) -> Channel:
        """The channel of the address."""
        return self.world.channel(self.number("channel_id"))

    @property
    def guild(self) -> Guild:
        """The server of the address."""
        return self.world.guild(self.number("guild_id"))

    @property
    def message(self) -> Message:
        """The message of the address."""
        return self.world.message(self.number("channel_id"), self.number("message_id"))

    @property
    def command(self) -> Command:
        """The command of the body."""
        found = self.world.commands.get(self.number("command_id"))
        if found is None:
            raise Refusal(Code.UNKNOWN_COMMAND)
        return found

    @property
    def locale(self) -> str:
        """The language of the body."""
        if self.body.get("locale") not in _LOCALES:
            raise ActError("bad_locale", f"The languages are {', '.join(_LOCALES)}.")
        return str(self.body["locale"])


Handler = Callable[[Ask], Any]


def _people(ask: Ask) -> Json:
    return {"people": [views.person(ask.world, one) for one in ask.world.people.values() if not one.bot]}


def _state(ask: Ask) -> Json:
    return views.state(ask.world, ask.me, online=ask.parts.gateway.online)


def _messages(ask: Ask) -> Json:
    me, channel = ask.me, ask.channel
    require(ask.world, me, channel)
    limit, before = int(ask.request.query.get("limit", 50)), int(ask.request.query.get("before", 0))
    found = [one for one in ask.world.messages(channel.id) if one.only_for in (None, me.id)]
    older = [one for one in found if not before or one.id < before]
    return {"messages": [views.message(ask.world, me, one) for one in older[-limit:]], "more": len(older) > limit}


def _chat(ask: Ask) -> Json:
    reply_to = ask.number("reply_to") if ask.body.get("reply_to") else None
    sent = acts.chat(ask.parts, ask.me, ask.channel, str(ask.body.get("content", "")), reply_to)
    return views.message(ask.world, ask.me, sent)


def _read(ask: Ask) -> Json:
    acts.read(ask.parts, ask.me, ask.channel)
    return {}


def _command(ask: Ask) -> Json:
    path, values = ask.body.get("path") or [], ask.body.get("options") or {}
    asked = acts.run_command(ask.parts, ask.me, ask.channel, ask.command, path, values)
    return {"interaction_id": str(asked.id)}


async def _autocomplete(ask: Ask) -> Json:
    path, values = ask.body.get("path") or [], ask.body.get("options") or {}
    focused = str(ask.body.get("focused"))
    found = await acts.suggestions(ask.parts, ask.me, ask.channel, ask.command, path, values, focused)
    choices = [views.choice(one, ask.me.locale) for one in found or ()]
    return {"choices": choices, "failed": found is None}


def _component(ask: Ask) -> Json:
    values = ask.body.get("values")
    asked = acts.click(ask.parts, ask.me, ask.message, str(ask.body.get("custom_id")), values)
    return {"interaction_id": str(asked.id)}


def _modal(ask: Ask) -> Json:
    opened = ask.world.interactions.get(ask.number("interaction_id"))
    if opened is None:
        raise Refusal(Code.UNKNOWN_INTERACTION)
    asked = acts.submit(ask.parts, ask.me, opened, ask.body.get("values") or {})
    return {"interaction_id": str(asked.id)}


def _dismiss(ask: Ask) -> Json:
    message = ask.world.message_anywhere(ask.number("message_id"))
    if message.only_for != ask.me.id:
        raise Refusal(Code.UNKNOWN_MESSAGE)
    posts.delete(ask.parts, message)
    return {}


def _direct(ask: Ask) -> Json:
    return views.channel(ask.world, ask.me, acts.direct(ask.parts, ask.me))


def _change_person(ask: Ask) -> Json:
    me = replace(ask.me, locale=ask.locale)
    ask.world.put(me)
    ask.parts.live.person(me)
    ask.parts.live.commands()
    return views.person(ask.world, me)


def _change_guild(ask: Ask) -> Json:
    guild = replace(ask.guild, locale=ask.locale)
    ask.world.put(guild)
    ask.parts.gateway.dispatch("GUILD_UPDATE", guild_settings(guild), Intent.GUILDS)
    ask.parts.live.guild(guild)
    return views.guild_settings(guild)


def _add_person(ask: Ask) -> Json:
    name = str(ask.body.get("name", "")).strip()
    if not name or any(one.name == name for one in ask.world.people.values()):
        raise ActError("bad_name", "A person needs a name of his own.")
    who = Person(ask.world.next_id(), name, str(ask.body.get("locale", "en-US")))
    ask.world.put(who)
    managed = {int(number) for number in ask.body.get("manages") or ()}
    for guild in tuple(ask.world.guilds.values()):
        managers = (*guild.managers, who.id) if guild.id in managed else guild.managers
        ask.world.put(replace(guild, members=(*guild.members, who.id), managers=managers))
    ask.parts.live.person(who)
    return views.person(ask.world, who)


def _add_channel(ask: Ask) -> Json:
    made = Channel(ask.world.next_id(), ask.guild.id, str(ask.body["name"]))
    ask.world.put(made)
    ask.parts.gateway.dispatch("CHANNEL_CREATE", channel_payload(ask.world, made), Intent.GUILDS)
    ask.parts.live.channel(made)
    return {"id": str(made.id), "name": made.name}


def _invite_bot(ask: Ask) -> Json:
    """The bot joins a server, or is thrown out of it."""
    others = tuple(number for number in ask.guild.members if number != BOT_ID)
    member = bool(ask.body.get("member"))
    guild = replace(ask.guild, members=(BOT_ID, *others) if member else others)
    ask.world.put(guild)
    if member:
        ask.parts.gateway.dispatch("GUILD_CREATE", whole_guild(ask.world, guild), Intent.GUILDS)
    else:
        ask.parts.gateway.dispatch("GUILD_DELETE", {"id": str(guild.id)}, Intent.GUILDS)
    return {}


def _set_bot_permissions(ask: Ask) -> Json:
    overwritten = changed(ask.world, ask.channel, allow=int(ask.body["allow"]), deny=int(ask.body["deny"]))
    ask.parts.gateway.dispatch("CHANNEL_UPDATE", channel_payload(ask.world, overwritten), Intent.GUILDS)
    return {}


def _change_channel(ask: Ask) -> Json:
    known = {name: ask.body[name] for name in ("archived", "locked", "name") if name in ask.body}
    result = changed(ask.world, ask.channel, **known)
    if result.is_thread:
        posts.tell_thread(ask.parts, result)
    else:
        ask.parts.gateway.dispatch("CHANNEL_UPDATE", channel_payload(ask.world, result), Intent.GUILDS)
        ask.parts.live.channel(result)
    return {}


def _remove_channel(ask: Ask) -> Json:
    gone = ask.channel
    payload = channel_payload(ask.world, gone)
    ask.world.drop_channel(gone)
    ask.parts.gateway.dispatch("THREAD_DELETE" if gone.is_thread else "CHANNEL_DELETE", payload, Intent.GUILDS)
    ask.parts.live.channel_deleted(gone)
    return {}


def _remove_message(ask: Ask) -> Json:
    posts.delete(ask.parts, ask.message)
    return {}


_PERSON, _CHANNEL = "/app/people/{person_id:\\d+}", "/app/channels/{channel_id:\\d+}"
_HIS_CHANNEL = _PERSON + "/channels/{channel_id:\\d+}"
_TABLE: dict[tuple[str, str], Handler] = {
    ("GET", "/app/people"): _people,
    ("POST", "/app/people"): _add_person,
    ("PATCH", _PERSON): _change_person,
    ("GET", _PERSON + "/state"): _state,
    ("POST", _PERSON + "/dm"): _direct,
    ("POST", _PERSON + "/modals"): _modal,
    ("DELETE", _PERSON + "/messages/{message_id:\\d+}"): _dismiss,
    ("GET", _HIS_CHANNEL + "/messages"): _messages,
    ("POST", _HIS_CHANNEL + "/messages"): _chat,
    ("POST", _HIS_CHANNEL + "/messages/{message_id:\\d+}/components"): _component,
    ("POST", _HIS_CHANNEL + "/read"): _read,
    ("POST", _HIS_CHANNEL + "/commands"): _command,
    ("POST", _HIS_CHANNEL + "/autocomplete"): _autocomplete,
    ("PATCH", "/app/guilds/{guild_id:\\d+}"): _change_guild,
    ("POST", "/app/guilds/{guild_id:\\d+}/channels"): _add_channel,
    ("PUT", "/app/guilds/{guild_id:\\d+}/bot"): _invite_bot,
    ("PUT", _CHANNEL + "/bot-permissions"): _set_bot_permissions,
    ("PATCH", _CHANNEL): _change_channel,
    ("DELETE", _CHANNEL): _remove_channel,
    ("DELETE", _CHANNEL + "/messages/{message_id:\\d+}"): _remove_message,
}


def routes(parts: Parts) -> Iterator[web.RouteDef]:
    """The routes of the page's API for aiohttp."""
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
            result = handler(Ask(parts, request, await _body(request)))
            return answer(await result if isinstance(result, Awaitable) else result)
        except ActError as error:
            return _refused(400, error.code, str(error))
        except Refusal as refusal:
            return _refused(refusal.status, str(refusal.code.number), str(refusal))
        finally:
            parts.world.commit()

    return serve


def _refused(status: int, code: str, text: str) -> web.Response:
    return answer({"error": {"code": code, "text": text}}, status)


async def _body(request: web.Request) -> Json:
    """The JSON object of a request. Its content type keeps foreign pages out.

    Browsers ask before they send it.
    """
    if not request.can_read_body:
        return {}
    if request.content_type != "application/json":
        raise ActError("bad_request", "The body must be JSON.")
    try:
        found = json.loads(await request.read() or b"{}")
    except ValueError:
        raise ActError("bad_request", "The body is no JSON.") from None
    if not isinstance(found, dict):
        raise ActError("bad_request", "The body must be a JSON object.")
    return found
