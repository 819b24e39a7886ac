"""The whole program without one of its features: games, announcements, ticks, exports and deletion still work."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from discord import app_commands

from bot.discordkit.components import FAMILIES
from bot.discordkit.errors import NO_SUCH_BUTTON
from bot.features import FEATURES
from bot.play import every_command
from bot.play.context import Feature
from bot.texts.i18n import text
from sandbox.people import Person
from tests.e2e.house import House
from tests.e2e.planting import button, plant
from tests.e2e.room import Room
from tests.sentences import label
from tests.sentences import part as sentence_part

pytestmark = pytest.mark.asyncio(loop_scope="session")

EVERY_COMMAND = every_command(FEATURES)
"""Made so that every handler of a component is registered."""


class FeaturelessHouse(House):
    """A process that has loaded all modules has loaded the missing ones too, so the program is started from scratch."""

    warm = False


def commands_of(features: Sequence[Feature]) -> set[str]:
    """The full names of the commands of a bot with those features."""
    names = set[str]()
    for command in every_command(features):
        if isinstance(command, app_commands.Group):
            names |= {one.qualified_name for one in command.walk_commands() if isinstance(one, app_commands.Command)}
        else:
            names.add(command.name)
    return names


def full_names(body: dict[str, Any]) -> set[str]:
    """The full names of the commands in a command as Discord knows it."""
    parts = [option for option in body.get("options", ()) if option["type"] in (1, 2)]
    return {f"{body['name']} {name}" for part in parts for name in full_names(part)} or {body["name"]}


def old_buttons(feature: Feature) -> list[str]:
    """A custom id for each handler of the feature's components."""
    return [
        f"{prefix}:{name}"
        for prefix, family in FAMILIES.items()
        for name, handler in family.handlers.items()
        if handler.__module__.startswith(f"{feature.package}.")
    ]


async def press(house: House, person: Person, channel: str, custom_id: str) -> str:
    reply = await person.click(plant(house, channel, button(custom_id), only_for=person), custom_id)
    assert not reply.failed, custom_id
    return reply.text


@pytest.mark.parametrize("missing", FEATURES, ids=lambda feature: feature.package.removeprefix("bot."))
async def test_the_program_works_without_a_feature(missing: Feature, tmp_path: Path) -> None:
    name = missing.package.removeprefix("bot.")
    others = tuple(feature for feature in FEATURES if feature is not missing)
    async with (
        FeaturelessHouse(tmp_path, "tests.e2e.featureless", MISSING_FEATURE=name).faultless() as house,
        AsyncExitStack() as stack,
    ):
        room = await Room.found(house, "room", stack)
        ada, bo = await room.enter("Ada", "Bo")
        offered = {path for command in house.server.world.commands.values() for path in full_names(command.body)}
        assert offered == commands_of(others)
        played = await room.start("camelot", ada, bo)
        await played.move("F7-F8")
        for custom_id in old_buttons(missing):
            assert await press(house, ada, room.channel, custom_id) == text("en", NO_SUCH_BUTTON)
        await house.until(lambda: bool(house.bot.query("SELECT 1 FROM meta WHERE key LIKE 'ticked%'")), "ticked")
        if name != "privacy":
            await ada.command(room.channel, "me data")
            panel = await ada.wait_for(room.channel, lambda said: label("data-export") in said.buttons)
            exported = await ada.click(panel, label("data-export"))
            assert [one["filename"] for one in exported.attachments] == ["round-table.zip"]
            asked = await ada.click(panel, label("data-delete"))
            done = await ada.submit(await ada.click(asked, "Delete my data"), {"word": "delete"})
            assert done.text.startswith(sentence_part("data.deleted"))
            await bo.wait_for(room.channel, lambda said: f"game #{played.number} is over" in said.shown)
        assert await house.stop_bot() == 0
