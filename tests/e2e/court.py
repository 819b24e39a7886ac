"""How the acts of the table of permissions are done: what it names, by a person, in a scene."""

from __future__ import annotations

from sandbox.people import Person, Reply
from tests.e2e.permissions import Row
from tests.e2e.planting import button, menu, plant, plant_form
from tests.e2e.scenes import Scene

FORMS = (
    *("rt-form", "rt-task:typed", "rt-riddle:typed", "rt-line:typed", "rt-line:named", "rt-line:noted", "rt-notes"),
    *("rt-typed:", "rt-mine-form", "rt-server-form"),
)
"""How the acts begin that are forms."""


async def do(here: Scene, act: str, row: Row, person: Person, channel: str) -> Reply:
    """The act, by that person in that channel."""
    if act.startswith("/"):
        assert not isinstance(row.given, str)
        options = {key: here.filled(one) if isinstance(one, str) else one for key, one in row.given.items()}
        return await person.command(channel, act.removeprefix("/"), **options)
    custom_id, value = here.filled(row.ident), here.filled(str(row.given or ""))
    if act.startswith(FORMS):
        return await person.submit(plant_form(here.house, person, channel, custom_id), {"x": value})
    if row.given:
        said = plant(here.house, channel, menu(custom_id, value), only_for=person)
        return await person.choose(said, custom_id, [value])
    return await person.click(plant(here.house, channel, button(custom_id), only_for=person), custom_id)
