"""The mentions in a text, and which of them may ping."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from .forms import Json, check_count

_USER = re.compile(r"<@!?(\d+)>")
_ROLE = re.compile(r"<@&(\d+)>")
_EVERYBODY = re.compile(r"@(?:everyone|here)\b")
_CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Mentions:
    """The people named in a text, in order, whether it says @everyone or @here, and the roles that it names."""

    people: tuple[int, ...]
    everyone: bool = False
    roles: tuple[int, ...] = ()


def read_mentions(text: str) -> Mentions:
    """Returns the mentions in `text`. Nothing in code mentions anybody."""
    plain = _CODE.sub("", text)
    people = dict.fromkeys(int(number) for number in _USER.findall(plain))
    return Mentions(tuple(people), _EVERYBODY.search(plain) is not None, tuple(map(int, _ROLE.findall(plain))))


def check_allowed_mentions(body: Json | None) -> None:
    """Refuses `allowed_mentions` that name more than 100 people or roles one by one."""
    for kind in ("users", "roles"):
        check_count(f"allowed_mentions.{kind}", (body or {}).get(kind) or [], 100)


def permitted(written: Mentions, allowed: dict[str, Any] | None, *, default: tuple[str, ...]) -> Mentions:
    """Returns the `written` mentions that `allowed` permits.

    Without `allowed` (None) the `default` kinds are permitted: all three in a channel's message, users only
    in the answer to an interaction. An absent `allowed_mentions` differs from an empty one.
    """
    parse = default if allowed is None else tuple(allowed.get("parse") or ())

    def keep(kind: str, numbers: tuple[int, ...]) -> tuple[int, ...]:
        listed = {int(number) for number in (allowed or {}).get(kind) or ()}
        return numbers if kind in parse else tuple(number for number in numbers if number in listed)

    return Mentions(
        keep("users", written.people), written.everyone and "everyone" in parse, keep("roles", written.roles)
    )
