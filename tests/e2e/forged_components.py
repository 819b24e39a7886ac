"""Components and forms that the bot has never made, as somebody with a forged client would send them.

Discord lets through only what stands in a message or form of the bot's; so they are put there. The bot must not count
on that: what it has posted may be years old, and made by another version of it.
"""

from __future__ import annotations

from typing import Any

from sandbox.discord_types import Interaction, Message
from sandbox.limits.interactions import Answer, Kind
from sandbox.people import Person, Reply, Said
from sandbox.posts import numbered
from sandbox.world import BOT_ID
from tests.e2e.house import House

Json = dict[str, Any]
BUTTON, MENU, FIELD, LABEL = 2, 3, 4, 18


def button(custom_id: str) -> Json:
    """Returns a button with that `custom_id`."""
    return {"type": BUTTON, "style": 2, "label": "x", "custom_id": custom_id}


def menu(custom_id: str, *values: str) -> Json:
    """Returns a menu with those options."""
    options = [{"label": "x", "value": value} for value in values]
    return {"type": MENU, "custom_id": custom_id, "options": options, "min_values": 1, "max_values": 1}


def plant(house: House, channel: int | str, *parts: Json, only_for: Person | None = None) -> Said:
    """Puts a message of the bot's with those components into that channel, without an event; returns it."""
    world = house.server.world
    message = Message(
        world.next_id(),
        int(channel),
        BOT_ID,
        world.clock(),
        "x",
        flags=64 if only_for else 0,
        components=numbered([{"type": 1, "components": [part]} for part in parts]),
        only_for=int(only_for.id) if only_for else None,
    )
    world.put(message)
    return Said(
        {
            "id": str(message.id),
            "channel_id": str(channel),
            "content": "x",
            "components": list(message.components),
            "ephemeral": only_for is not None,
            "pings_me": False,
        }
    )


async def press_old(house: House, person: Person, channel: int | str, custom_id: str) -> Reply:
    """Has the person press that button, as if it stood below an older message."""
    return await person.click(plant(house, channel, button(custom_id), only_for=person), custom_id)


def plant_form(house: House, person: Person, channel: int | str, custom_id: str, field: str = "x") -> Reply:
    """A form of the bot's with one field, open before that person; submit it."""
    world = house.server.world
    part = {"type": FIELD, "custom_id": field, "style": 2, "required": False, "max_length": 4000}
    form = {
        "title": "x",
        "custom_id": custom_id,
        "components": numbered([{"type": LABEL, "label": "x", "component": part}]),
    }
    said = plant(house, channel, button("x"), only_for=person)
    opened = Interaction(
        world.next_id(),
        f"planted-{world.next_id()}",
        Kind.COMPONENT,
        int(person.id),
        int(channel),
        world.clock(),
        message_id=int(said.id),
        answer=Answer.MODAL,
        modal=form,
    )
    world.put(opened)
    return Reply("answered", "modal", modal={"interaction_id": str(opened.id), "modal": form})
