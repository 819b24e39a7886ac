"""The form of the composer that takes notation. Its `custom_id` carries the place, as the buttons' do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from discord.ui import Label, Modal, TextInput

from bot.cogs._composer.items import FIELDS, Place
from bot.cogs._why import an_example
from bot.i18n import Language, text
from bot.match import Match

FORM = re.compile(rf"rt-form:{FIELDS}")

LONGEST_TYPED = 300
REMEMBERED = 900.0
"""Seconds for which discord.py keeps a form that it has opened. Later ones are answered all the same."""


def notation_form(locale: Language, match: Match, place: Place) -> Modal:
    """The form. Nothing listens to this object: what is submitted is found by the `custom_id`."""
    assert match.game is not None
    example = an_example(match.game.position)
    field: TextInput[Any] = TextInput(custom_id="move", max_length=LONGEST_TYPED)
    form = Modal(title=text(locale, "composer.typed"), custom_id=f"rt-form:{place.fields}", timeout=REMEMBERED)
    form.add_item(
        Label(
            text=text(locale, "composer.typed"),
            description=text(locale, "composer.typed-hint", example=example)[:100],
            component=field,
        )
    )
    return form


def typed_in(submitted: Mapping[str, Any]) -> str:
    """What was typed into the only field of the form."""
    return next((str(part["value"]) for part in _walk(submitted) if "value" in part), "")


def _walk(part: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield part
    inner = [*part.get("components", ()), *([part["component"]] if "component" in part else ())]
    for child in inner:
        yield from _walk(child)
