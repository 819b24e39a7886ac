"""What people do (run commands, click, choose, submit forms, chat, read), checked as Discord's client checks it."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from . import answers, interaction_payloads, options, payloads, posts
from .discord_types import FORUM, Channel, Command, Interaction, Json, Message, ReadMark, User
from .errors import Code, Refusal
from .limits.components import SELECTS, Part, walk
from .limits.interactions import Kind
from .limits.modals import check_modal_values, inputs_of
from .limits.threads import check_may_send
from .options import ActError, Named
from .parts import Parts
from .permissions import Permission, in_timeout, may_use, require, sending_in
from .posts import Origin
from .world import BOT_ID, changed

_OF_NUMBERS = (Part.USER_SELECT, Part.ROLE_SELECT, Part.CHANNEL_SELECT)


def run_command(
    parts: Parts, who: User, where: Channel, command: Command, path: Sequence[str], values: Mapping[str, Any]
) -> Interaction:
    """Runs a slash command: `path` names the sub-command, if any, `values` its options by name."""
    _check_place(parts, who, where, command)
    if where.archived:
        raise ActError("thread_archived", "This thread is archived: commands do not work in it.")
    definition = options.below(command.body, path)
    given = options.given(parts.world, definition, values)
    named = options.named_in(given)
    data = options.nested(command, path, given)
    found = interaction_payloads.resolved(parts.world, where, named)
    if found:
        data["resolved"] = found
    full_name = " ".join((command.body["name"], *path))
    return _dispatch(parts, replace(_new(parts, who, where, Kind.COMMAND), command=full_name), data)


def run_on(parts: Parts, who: User, where: Channel, command: Command, target: User) -> Interaction:
    """Runs a command of the menu on a person."""
    _check_place(parts, who, where, command)
    data: Json = {"id": str(command.id), "name": command.body["name"], "type": 2, "target_id": str(target.id)}
    data["resolved"] = interaction_payloads.resolved(parts.world, where, Named([target.id], [], []))
    return _dispatch(parts, replace(_new(parts, who, where, Kind.COMMAND), command=command.body["name"]), data)


async def suggestions(
    parts: Parts,
    who: User,
    where: Channel,
    command: Command,
    path: Sequence[str],
    values: Mapping[str, Any],
    focused: str,
) -> list[Json] | None:
    """Returns the bot's suggestions for the option `focused`, given what is typed; None without an answer in time."""
    _check_place(parts, who, where, command)
    typed = options.typed(options.below(command.body, path), values, focused)
    data = options.nested(command, path, typed)
    asked = _dispatch(parts, _new(parts, who, where, Kind.AUTOCOMPLETE), data)
    question: asyncio.Future[list[Json] | None] = asyncio.get_running_loop().create_future()
    parts.questions[asked.id] = question
    parts.world.commit()
    return await question


def click(parts: Parts, who: User, message: Message, custom_id: str, values: Sequence[str] | None) -> Interaction:
    """Presses a button of a message (no values), or chooses in a menu (the chosen values)."""
    where = parts.world.channel(message.channel_id)
    require(parts.world, who, where)
    if message.only_for not in (None, who.id):
        raise Refusal(Code.UNKNOWN_MESSAGE)
    tree = [part for _, part in walk(message.components)]
    component = next((part for part in tree if part.get("custom_id") == custom_id), None)
    if component is None or component.get("disabled"):
        raise ActError("no_such_component", "The message has no such button or menu that can be used.")
    _open_thread(parts, who, where)
    data: Json = {"custom_id": custom_id, "component_type": component["type"], "id": component["id"]}
    if component["type"] in SELECTS:
        data |= _chosen(parts, who, where, component, list(values or ()))
    return _dispatch(parts, replace(_new(parts, who, where, Kind.COMPONENT), message_id=message.id), data)


def submit(parts: Parts, who: User, opened: Interaction, values: Mapping[str, Any]) -> Interaction:
    """Submits a form; `opened` is the interaction that the form answered."""
    if opened.modal is None or opened.person_id != who.id:
        raise ActError("no_such_modal", "No such form is open for this person.")
    check_modal_values(opened.modal["components"], values)
    where = parts.world.channel(opened.channel_id)
    require(parts.world, who, where)
    filled = [options.filled(part, values) for part in opened.modal["components"]]
    data: Json = {"custom_id": opened.modal["custom_id"], "components": filled}
    menus = [one for one in inputs_of(opened.modal["components"]) if one["type"] in _OF_NUMBERS]
    named = [_named(parts, who, where, menu, values.get(menu["custom_id"]) or ()) for menu in menus]
    people = [number for one in named for number in one.people]
    channels = [number for one in named for number in one.channels]
    roles = [number for one in named for number in one.roles]
    found = interaction_payloads.resolved(parts.world, where, Named(people, channels, roles))
    if found:
        data["resolved"] = found
    asked = replace(
        _new(parts, who, where, Kind.MODAL),
        command=opened.command,
        message_id=opened.message_id,
        opened_by=opened.id,
    )
    return _dispatch(parts, asked, data)


def chat(parts: Parts, who: User, where: Channel, content: str) -> Message:
    """Writes a plain message of a person."""
    moderator = Permission.MANAGE_THREADS in require(parts.world, who, where, sending_in(where))
    check_may_send(locked=where.locked, archived=where.archived, moderator=moderator)
    posts.require_place(parts, where)
    message = posts.post(parts, where, {"content": content}, {}, Origin(who))
    read(parts, who, where)
    return message


def read(parts: Parts, who: User, where: Channel) -> None:
    """Marks everything in a channel as read."""
    last = max((message.id for message in parts.world.messages(where.id)), default=0)
    pinged = parts.world.pings(who.id, where.id)
    parts.world.put(ReadMark(who.id, where.id, last))
    parts.live.counts(who, where)
    if pinged:
        parts.live.person(who)


def direct(parts: Parts, who: User) -> Channel:
    """Returns the person's direct messages with the bot, opened if need be."""
    for one in parts.world.channels.values():
        if one.guild_id is None and who.id in one.members:
            return one
    opened = Channel(parts.world.next_id(), None, "", type=1, members=(BOT_ID, who.id))
    parts.world.put(opened)
    posts.tell_channel(parts, opened, "CREATE")
    return opened


def _check_place(parts: Parts, who: User, where: Channel, command: Command) -> None:
    """Refuses a command that cannot be used there or by this person."""
    if where.type == FORUM:
        raise ActError("no_such_command", "A forum itself takes no commands: its posts do.")
    held = require(parts.world, who, where, Permission.USE_APPLICATION_COMMANDS)
    installs = command.body.get("integration_types") or [0]
    if not (0 in installs and parts.world.has_bot(where)) and not (1 in installs and who.installed):
        raise ActError("no_such_command", "The bot is not in this server.")
    contexts = command.body.get("contexts")
    context = 1 if where.guild_id is None else 0
    if contexts is not None and context not in contexts:
        raise ActError("no_such_command", "This command does not exist here.")
    needed = command.body.get("default_member_permissions")
    if needed is not None and where.guild_id is not None and not may_use(held, int(needed)):
        raise ActError("command_not_allowed", "This person may not use the command.")
    if where.locked and Permission.MANAGE_THREADS not in held:
        raise ActError("thread_locked", "This thread is locked: commands do not work in it.")


def _open_thread(parts: Parts, who: User, where: Channel) -> None:
    """Wakes an archived thread before a click, as Discord's clients do; refuses those who may not wake it."""
    held = require(parts.world, who, where)
    if where.locked and Permission.MANAGE_THREADS not in held:
        raise ActError("thread_locked", "This thread is locked: its buttons do not work.")
    if where.archived:
        require(parts.world, who, where, Permission.SEND_MESSAGES_IN_THREADS)
        parts.world.require_thread_room(where.guild_id)
        posts.tell_channel(parts, changed(parts.world, where, archived=False))


def _chosen(parts: Parts, who: User, where: Channel, menu: Json, values: list[str]) -> Json:
    fewest, most = menu.get("min_values", 1), menu.get("max_values", 1)
    if not fewest <= len(values) <= most or len(set(values)) != len(values):
        raise ActError("bad_choice", f"Choose {fewest} to {most}.")
    if menu["type"] == Part.STRING_SELECT:
        known = {option["value"] for option in menu["options"]}
        if not set(values) <= known:
            raise ActError("bad_choice", "The menu has no such option.")
        return {"values": values}
    named = _named(parts, who, where, menu, values)
    return {"values": values, "resolved": interaction_payloads.resolved(parts.world, where, named)}


def _named(parts: Parts, who: User, where: Channel, menu: Json, values: Sequence[Any]) -> Named:
    """Returns what is chosen in a menu. Raises ActError for a channel or role that it does not offer."""
    if not all(str(value).isdecimal() for value in values):
        raise ActError("bad_choice", "The menu takes ids.")
    numbers = [int(value) for value in values]
    channels = numbers if menu["type"] == Part.CHANNEL_SELECT else []
    if not all(options.offers(parts.world, who, where, menu, number) for number in channels):
        raise ActError("bad_choice", "The menu has no such channel.")
    found = numbers if menu["type"] == Part.ROLE_SELECT else []
    known = {int(role["id"]) for role in payloads.roles(parts.world.guild(where.guild_id))} if where.guild_id else set()
    if not known.issuperset(found):
        raise ActError("bad_choice", "The server has no such role.")
    return Named(numbers if menu["type"] == Part.USER_SELECT else [], channels, found)


def _new(parts: Parts, who: User, where: Channel, kind: Kind) -> Interaction:
    if where.guild_id is not None and in_timeout(parts.world, who, parts.world.guild(where.guild_id)):
        raise ActError("in_timeout", "A member in timeout can only look.")
    number = parts.world.next_id()
    return Interaction(number, secrets.token_urlsafe(48), kind, who.id, where.id, at=parts.world.clock())


def _dispatch(parts: Parts, asked: Interaction, data: Json) -> Interaction:
    """Stores an interaction, sends it to the bot, and starts the three seconds for its answer."""
    parts.conclude(asked)
    parts.gateway.dispatch("INTERACTION_CREATE", interaction_payloads.interaction(parts.world, asked, data))
    answers.watch(parts, asked)
    return asked
