"""REST: roles of members, and the events that a server announces."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from . import payloads
from .errors import Code, Refusal, invalid
from .limits.forms import check_length, check_required
from .permissions import BOT_ROLE, Permission, require_in_server
from .rest import Call, Routes
from .sessions import Intent
from .things import Guild, Json, Role, ScheduledEvent

_MAX_EVENTS = 100
_OUTSIDE, _FOR_MEMBERS = 3, 2  # an event at a place outside Discord, and one that only members of the server see
_ROLE = "/guilds/{guild_id}/members/{user_id}/roles/{role_id}"
_EVENTS = "/guilds/{guild_id}/scheduled-events"
_EVENT = _EVENTS + "/{guild_scheduled_event_id}"


def _give_role(call: Call) -> None:
    _set_holder(call, holds=True)


def _take_role(call: Call) -> None:
    _set_holder(call, holds=False)


def _set_holder(call: Call, *, holds: bool) -> None:
    """Gives a member a role, or takes it: one below the bot's own. Both may be repeated."""
    world, guild = call.parts.world, call.guild
    person = world.person(call.number("user_id"))
    require_in_server(guild, call.bot, Permission.MANAGE_ROLES)
    if person.id not in guild.members:
        raise Refusal(Code.UNKNOWN_MEMBER)
    role = _role(guild, call.number("role_id"))
    if role.above:
        raise Refusal(Code.MISSING_PERMISSIONS)
    others = tuple(number for number in role.holders if number != person.id)
    changed = replace(role, holders=(*others, person.id) if holds else others)
    world.put(replace(guild, roles=tuple(changed if one.id == role.id else one for one in guild.roles)))
    if role.permissions:
        call.parts.live.state(person)


def _role(guild: Guild, number: int) -> Role:
    """Returns a role that somebody has made. Refusals: 10011, 50028 for @everyone and the bot's own, else 50013."""
    if number in (guild.id, guild.id + BOT_ROLE):
        raise Refusal(Code.INVALID_ROLE)
    for role in guild.roles:
        if role.id == number:
            return role
    known = any(role["id"] == str(number) for role in payloads.roles(guild))
    raise Refusal(Code.MISSING_PERMISSIONS if known else Code.UNKNOWN_ROLE)


def _now(call: Call) -> float:
    """Returns the time that Discord's answers tell."""
    return (call.parts.faults.clock or call.parts.world.clock)()


def _events(call: Call) -> list[ScheduledEvent]:
    """Returns the events of the server that are not over."""
    return [one for one in call.parts.world.events.values() if one.guild_id == call.guild.id and _now(call) < one.end]


def _list_events(call: Call) -> list[Json]:
    return [_shown(call, one) for one in _events(call)]


def _event(call: Call) -> ScheduledEvent:
    found = call.parts.world.events.get(call.number("guild_scheduled_event_id"))
    if found is None or found.guild_id != call.guild.id:
        raise Refusal(Code.UNKNOWN_EVENT)
    return found


def _get_event(call: Call) -> Json:
    return _shown(call, _event(call))


def _add_event(call: Call) -> Json:
    guild, world = call.guild, call.parts.world
    require_in_server(guild, call.bot, Permission.CREATE_EVENTS)
    if len(_events(call)) >= _MAX_EVENTS:
        raise Refusal(Code.TOO_MANY_EVENTS)
    made = _filled(call, ScheduledEvent(world.next_id(), guild.id, "", "", 0.0, 0.0))
    return _put(call, made, "CREATE")


def _change_event(call: Call) -> Json:
    require_in_server(call.guild, call.bot, Permission.CREATE_EVENTS)
    present = _event(call)
    if _now(call) >= present.end:
        raise Refusal(Code.EVENT_OVER)
    return _put(call, _filled(call, present), "UPDATE")


def _remove_event(call: Call) -> None:
    require_in_server(call.guild, call.bot, Permission.CREATE_EVENTS)
    gone = _event(call)
    call.parts.world.drop_event(gone)
    call.parts.gateway.dispatch("GUILD_SCHEDULED_EVENT_DELETE", _shown(call, gone), Intent.GUILD_SCHEDULED_EVENTS)


def _put(call: Call, event: ScheduledEvent, what: str) -> Json:
    call.parts.world.put(event)
    shown = _shown(call, event)
    call.parts.gateway.dispatch(f"GUILD_SCHEDULED_EVENT_{what}", shown, Intent.GUILD_SCHEDULED_EVENTS)
    return shown


def _shown(call: Call, event: ScheduledEvent) -> Json:
    return payloads.scheduled_event(call.parts.world, event, _now(call))


def _filled(call: Call, event: ScheduledEvent) -> ScheduledEvent:
    """Returns the event with what the body says of it. Refusal: 50035."""
    body, is_new = call.form, not event.name
    if is_new:
        check_required("", body, "name", "scheduled_start_time", "scheduled_end_time", "entity_metadata")
        if (body.get("entity_type"), body.get("privacy_level")) != (_OUTSIDE, _FOR_MEMBERS):
            raise invalid("entity_type", "BASE_TYPE_CHOICES", "The sandbox has only events outside Discord.")
        check_required("entity_metadata", body["entity_metadata"], "location")
    location = (body.get("entity_metadata") or {}).get("location", event.location)
    for name, given, most in (
        ("name", body.get("name", event.name), 100),
        ("entity_metadata.location", location, 100),
        ("description", body.get("description") or "x", 1000),
    ):
        check_length(name, given, most, 1)
    event = replace(
        event,
        name=body.get("name", event.name),
        location=location,
        start=_time(body, "scheduled_start_time", event.start),
        end=_time(body, "scheduled_end_time", event.end),
        description=body.get("description", event.description),
    )
    if "scheduled_start_time" in body and event.start <= _now(call):
        raise invalid(
            "scheduled_start_time", "GUILD_SCHEDULED_EVENT_SCHEDULE_PAST", "Cannot schedule event in the past."
        )
    if event.end <= event.start:
        raise invalid("scheduled_end_time", "GUILD_SCHEDULED_EVENT_END_BEFORE_START", "The end is before the start.")
    return event


def _time(body: Json, name: str, present: float) -> float:
    given: Any = body.get(name)
    try:
        return present if given is None else datetime.fromisoformat(given).timestamp()
    except (TypeError, ValueError):
        raise invalid(name, "DATE_TIME_TYPE_PARSE", f"Could not parse {given}.") from None


GUILD_ROUTES: Routes = {
    ("PUT", _ROLE): _give_role,
    ("DELETE", _ROLE): _take_role,
    ("GET", _EVENTS): _list_events,
    ("POST", _EVENTS): _add_event,
    ("GET", _EVENT): _get_event,
    ("PATCH", _EVENT): _change_event,
    ("DELETE", _EVENT): _remove_event,
}
