"""Options of commands and fields of forms: checks what people typed, and puts it into Discord's shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .discord_types import Channel, Command, Json, User
from .limits.components import SELECTS, Part
from .permissions import Permission, permissions
from .world import World

_STRING, _INTEGER, _BOOLEAN, _USER = 3, 4, 5, 6
_PYTHON_TYPES: dict[int, type] = {_STRING: str, _INTEGER: int, _BOOLEAN: bool}


class ActError(Exception):
    """An act that Discord's own client would not allow. `code` names the reason for the page."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


class Named(NamedTuple):
    """The people, channels and roles that options or menus name, by id."""

    people: list[int]
    channels: list[int]
    roles: list[int]


def below(body: Json, path: Sequence[str]) -> Sequence[Json]:
    """Returns the options of the (sub-)command at `path`. Raises ActError if there is none."""
    for name in path:
        found = [one for one in body.get("options") or () if one["name"] == name and one["type"] == 1]
        if not found:
            raise ActError("no_such_command", f"There is no sub-command {name!r}.")
        body = found[0]
    definition: Sequence[Json] = body.get("options") or ()
    if any(one["type"] == 1 for one in definition):
        raise ActError("subcommand_missing", "This command needs a sub-command.")
    return definition


def given(world: World, definition: Sequence[Json], values: Mapping[str, Any]) -> list[Json]:
    """Returns the options in the command's order. Raises ActError if one is missing or invalid."""
    unknown = set(values) - {one["name"] for one in definition}
    if unknown:
        raise ActError("unknown_option", f"The command has no option {sorted(unknown)}.")
    found = []
    for option in definition:
        value = values.get(option["name"])
        if value is None:
            if option.get("required"):
                raise ActError("option_missing", f"The option {option['name']!r} is required.")
            continue
        _check(world, option, value)
        found.append({"name": option["name"], "type": option["type"], "value": value})
    return found


def typed(definition: Sequence[Json], values: Mapping[str, Any], focused: str) -> list[Json]:
    """Returns the options while a person types: unchecked, numbers perhaps as text, one of them focused."""
    if not any(one["name"] == focused and one.get("autocomplete") for one in definition):
        raise ActError("no_autocomplete", f"The option {focused!r} has no autocomplete.")
    found = []
    for option in definition:
        name = option["name"]
        if name == focused:
            found.append({"name": name, "type": option["type"], "value": str(values.get(name) or ""), "focused": True})
        elif values.get(name) is not None:
            found.append({"name": name, "type": option["type"], "value": values[name]})
    return found


def nested(command: Command, path: Sequence[str], inner: list[Json]) -> Json:
    """Returns an interaction's data: the options inside the sub-command of the path, if any."""
    for name in path:
        inner = [{"name": name, "type": 1, "options": inner}]
    return {"id": str(command.id), "name": command.body["name"], "type": 1, "options": inner}


def named_in(options: Sequence[Json]) -> Named:
    """Returns the people among the options' values."""
    return Named([int(one["value"]) for one in options if one["type"] == _USER], [], [])


def offers(world: World, who: User, where: Channel, menu: Json, number: int) -> bool:
    """Returns whether a menu offers the person another channel: visible, of the same server, of its types."""
    one, kinds = world.channel(number), menu.get("channel_types")
    seen = Permission.VIEW_CHANNEL in permissions(world, who, one)
    return one.guild_id is not None and one.guild_id == where.guild_id and seen and (not kinds or one.type in kinds)


def filled(part: Json, values: Mapping[str, Any]) -> Json:
    """Returns a component of a modal as Discord submits it."""
    found: Json = {"type": part["type"], "id": part["id"]}
    if part["type"] == Part.LABEL:
        return {**found, "component": filled(part["component"], values)}
    if "custom_id" not in part:
        return found
    value = values.get(part["custom_id"])
    found["custom_id"] = part["custom_id"]
    return {**found, "values": list(value or ())} if part["type"] in SELECTS else {**found, "value": value or ""}


def _check(world: World, option: Json, value: Any) -> None:
    name, kind = option["name"], option["type"]
    expected = _PYTHON_TYPES.get(kind)
    if expected is not None and (not isinstance(value, expected) or (isinstance(value, bool) and kind != _BOOLEAN)):
        raise ActError("bad_option", f"The option {name!r} does not take {value!r}.")
    if kind == _USER:
        if not str(value).isdecimal():
            raise ActError("bad_option", f"The option {name!r} takes an id, not {value!r}.")
        _ = world.person(int(value))
    choices = [one["value"] for one in option.get("choices") or ()]
    if choices and value not in choices:
        raise ActError("bad_option", f"The option {name!r} has no choice {value!r}.")
    size = len(value) if kind == _STRING else value if kind == _INTEGER else None
    unit = "length" if kind == _STRING else "value"
    least, most = option.get(f"min_{unit}"), option.get(f"max_{unit}", 6000 if kind == _STRING else None)
    if size is not None and ((least is not None and size < least) or (most is not None and size > most)):
        raise ActError("bad_option", f"The option {name!r} must be between {least} and {most}.")
