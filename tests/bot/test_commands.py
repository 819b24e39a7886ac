"""The commands as Discord is told of them."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import discord
import pytest
from discord import Locale

from bot.client import RoundTable
from bot.commands.info import HELP_PAGES
from bot.kit.pictures import Pictures
from bot.kit.slash import CatalogueTranslator
from bot.store import Store
from bot.texts.i18n import LANGUAGES, catalogue
from rules import VARIANTS

ROOT = Path(__file__).parents[2]
NORWEGIAN = Locale.norwegian.value

Json = dict[str, Any]


@pytest.fixture
async def commands(tmp_path: Path) -> AsyncIterator[dict[str, Json]]:
    """What Discord is sent, by name."""
    async with Store.open(tmp_path / "rt.db") as store:
        with Pictures() as pictures:
            async with RoundTable(store, pictures) as client:
                await client.add_all_cogs()
                yield {
                    command.name: await command.get_translated_payload(client.tree, CatalogueTranslator())
                    for command in client.tree.get_commands()
                }


def parts(command: Json) -> Iterator[Json]:
    """A command and its options."""
    yield command
    for option in command.get("options", ()):
        yield from parts(option)


async def test_the_commands_are_those_of_the_papers(commands: dict[str, Json]) -> None:
    rows = re.findall(r"^\| `/([a-z-]+)` \| .+ \|$", (ROOT / "docs/commands.md").read_text("utf-8"), re.M)
    assert sorted(rows) == sorted(commands)
    table = re.search(r"^## Commands\n(?P<rows>.*?)^## ", (ROOT / "README.md").read_text("utf-8"), re.M | re.S)
    assert table
    assert set(re.findall(r"`/([a-z-]+)", table["rows"])) == commands.keys()


async def test_the_options_are_those_that_were_promised(commands: dict[str, Json]) -> None:
    options = {
        name: {option["name"]: option.get("required", False) for option in command["options"]}
        for name, command in commands.items()
    }
    assert options == {
        "play": {"variant": True}
        | dict.fromkeys(("opponent", "second_opponent", "seats", "pace", "thread", "vacations"), False),
        "move": {"move": False, "game": False},
        "why": {"move": True, "game": False},
        "moves": {"piece": False, "game": False},
        "board": {"game": False, "ply": False, "public": False, "text": False, "zoom": False},
        "replay": {"game": False, "from": False, "to": False, "public": False},
        "games": {"player": False},
        "resign": {"game": False},
        "draw": {"offer": False, "claim": False},
        "takeback": {"game": False},
        "game": {"substitute": False, "move-here": False},
        "history": {"game": False, "player": False, "variant": False, "opponent": False},
        "rules": {"variant": True},
        "learn": {"variant": True},
        "settings": {"me": False, "server": False},
        "claim": {"game": False},
        "give-time": {"hours": True, "game": False},
        "nudge": {"game": False},
        "vacation": {"start": False, "stop": False},
        "follow": {"game": False, "every-move": False},
        "unfollow": {"game": False},
        "referee": dict.fromkeys(("clock", "replace", "undo", "abort", "annul", "hints", "rename"), False),
        "data": {"export": False, "delete": False},
        "privacy": {},
        "ladder": dict.fromkeys(("join", "leave", "challenge", "queue", "unqueue", "show", "rules", "history"), False),
        "profile": {"player": False},
        "leaderboard": {"variant": True},
        "compare": {"player": True, "other": False},
        "export": {"game": False},
        "help": {},
    }
    variants = [choice["value"] for choice in commands["play"]["options"][0]["choices"]]
    assert variants == list(VARIANTS)
    challenge = next(one for one in commands["ladder"]["options"] if one["name"] == "challenge")
    offered = [choice["value"] for choice in challenge["options"][0]["choices"]]
    assert offered == [key for key, variant in VARIANTS.items() if len(variant.armies) == 2], "three are queued only"
    for name in ("move", "moves", "board", "resign", "history"):
        game = next(option for option in commands[name]["options"] if option["name"] == "game")
        assert game["autocomplete"], name


async def test_every_description_is_short_and_there_in_every_language(commands: dict[str, Json]) -> None:
    for command in commands.values():
        for part in parts(command):
            norwegian = part["description_localizations"][NORWEGIAN]
            assert norwegian != part["description"], part["name"]
            assert 1 <= len(part["description"]) <= 100
            assert 1 <= len(norwegian) <= 100
            for choice in part.get("choices", ()):
                assert len(choice["name"]) <= 100
    for locale in LANGUAGES:
        for key, sentence in catalogue(locale).items():
            if key.startswith(("command.", "choice.")):
                assert len(sentence) <= 100, key


async def test_the_catalogue_describes_no_command_or_option_that_there_is_not(commands: dict[str, Json]) -> None:
    shown = {part["description"] for command in commands.values() for part in parts(command)}
    assert not {key for key, said in catalogue("en").items() if key.startswith("command.") and said not in shown}


async def test_commands_are_for_servers_only_and_open_to_everybody_but_the_referees(commands: dict[str, Json]) -> None:
    for command in commands.values():
        assert command["contexts"] == [0]
        assert command["integration_types"] == [0]
        for_managers = discord.Permissions(manage_guild=True).value if command["name"] == "referee" else None
        assert command["default_member_permissions"] == for_managers, command["name"]


@pytest.mark.parametrize("locale", LANGUAGES)
async def test_the_help_tells_of_every_command(commands: dict[str, Json], locale: str) -> None:
    pages = [catalogue("no" if locale == "no" else "en")[key] for key in HELP_PAGES]
    said = "\n".join(pages)
    assert {name for name in commands if f"`/{name}" not in said} <= {"help"}
    assert set(re.findall(r"`/([a-z-]+)", said)) <= commands.keys()


async def test_the_same_commands_give_the_same_payload_at_every_start(
    commands: dict[str, Json], tmp_path: Path
) -> None:
    async with Store.open(tmp_path / "again.db") as store:
        with Pictures() as pictures:
            async with RoundTable(store, pictures) as client:
                await client.add_all_cogs()
                for command in client.tree.get_commands():
                    payload = await command.get_translated_payload(client.tree, CatalogueTranslator())
                    assert payload == commands[command.name]
