"""The rooms of `bot`: what each may import, that no circle of imports exists, and how large rooms may be."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

from bot.features import FEATURES
from tests.repository import imports, modules, read

FEATURE_ROOMS = [feature.name for feature in FEATURES]

BELOW_PLAY = {"core", "texts", "store", "discordkit"}

ROOMS = {
    "core": set[str](),
    "texts": {"core"},
    "store": {"core"},
    "discordkit": {"core", "texts"},
    "play": BELOW_PLAY,
    **{room: BELOW_PLAY | {"play"} for room in FEATURE_ROOMS},
    "ops": BELOW_PLAY | {"play", "features", "client", "config", *FEATURE_ROOMS},
    "demo": set[str](),
}
"""The other rooms of `bot` that the modules of a room may import. Modules directly in `bot` may import all of them."""

BETWEEN_FEATURES = set[tuple[str, str]]()
"""The arrows from one feature to another that are allowed: none. What two features need lies in `play` or below."""

GENERAL = {"bot.core.timings", "bot.texts.i18n", "bot.texts.markup"}
"""What `discordkit` may know of the rooms below it: nothing about games, so that any bot could use it."""

PURE = ("core", "texts", "store")
"""The rooms that do not know Discord."""

PACKAGES = ("rules", "render", "engine", "bot")

NAMED_TABLE = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE) (\w+)")


def room_of(name: str) -> str:
    """The room of a module or a name in it, such as "bot.core.match"; what lies directly in `bot` is its own room."""
    return name.split(".")[1]


@cache
def arrows(*packages: str) -> dict[str, set[str]]:
    """Each module of the packages, and those of them that it imports, also for type checking or in a function."""
    trees = {
        path.removesuffix(".py").removesuffix("/__init__").replace("/", "."): (path, tree)
        for package in packages
        for path, tree in modules(package)
    }
    return {
        module: {
            name if name in trees else name.rpartition(".")[0]
            for name in imports(tree, path)
            if name.split(".")[0] in packages
        }
        for module, (path, tree) in trees.items()
    }


def wrong_arrows(found: dict[str, set[str]]) -> list[str]:
    """The arrows between rooms that point the wrong way."""
    return [
        f"{module} imports {other}"
        for module, others in found.items()
        for other in others
        if not is_allowed(room_of(f"{module}."), room_of(f"{other}."))
    ]


def is_allowed(room: str, other: str) -> bool:
    if other == "ops":
        return room in ("ops", "__main__")
    return room not in ROOMS or other in ROOMS[room] | {room} or (room, other) in BETWEEN_FEATURES


def circles(found: dict[str, set[str]]) -> list[list[str]]:
    """The circles of modules that import one another; each once, by its first module."""
    reached = {module: reach(found, module) for module in found}
    rings = [[other for other in found if other in reached[module] and module in reached[other]] for module in found]
    return [ring for module, ring in zip(found, rings, strict=True) if ring[:1] == [module]]


def reach(found: dict[str, set[str]], module: str) -> set[str]:
    """Every module that one comes to from there by imports."""
    seen, ahead = set[str](), [module]
    while ahead:
        for other in found.get(ahead.pop(), set()) - seen:
            seen.add(other)
            ahead.append(other)
    return seen


def test_rooms_import_only_the_rooms_below_them() -> None:
    assert {room_of(f"{module}.") for module in arrows("bot")} >= ROOMS.keys()
    assert not wrong_arrows(arrows("bot"))


def test_the_kit_for_discord_knows_nothing_of_games() -> None:
    kit = [others for module, others in arrows(*PACKAGES).items() if module.startswith("bot.discordkit")]
    assert kit
    known = set[str]().union(*kit)
    assert {other for other in known if not other.startswith("bot.discordkit")} == GENERAL


def test_no_modules_import_one_another() -> None:
    assert not circles(arrows(*PACKAGES))


def test_every_folder_of_the_bot_is_a_room_of_the_table() -> None:
    folders = {Path(path).parts[1] for path, _ in modules("bot") if len(Path(path).parts) > 2}
    assert folders == ROOMS.keys()


def test_every_room_says_what_belongs_in_it() -> None:
    rooms = [path for path, _ in modules("bot") if Path(path).name == "__init__.py" and len(Path(path).parts) > 2]
    silent = [room for room in rooms if not ast.get_docstring(ast.parse(read(room)))]
    assert not silent


def test_only_the_start_the_demo_and_the_doctor_import_the_sandbox() -> None:
    importing = {
        path for path, tree in modules("bot") if any(one.startswith("sandbox.") for one in imports(tree, path))
    }
    assert importing == {"bot/__main__.py", "bot/demo/__init__.py", "bot/ops/doctor.py", "bot/ops/terminal.py"}


def test_the_pure_rooms_do_not_know_discord() -> None:
    wrong = [
        path
        for path, tree in modules("bot")
        if path.split("/")[1] in PURE and any(name.split(".")[0] == "discord" for name in imports(tree, path))
    ]
    assert not wrong


def test_sql_names_no_table_of_another_room() -> None:
    owners = {table.name: feature.name for feature in FEATURES for table in feature.database_tables}
    named = [
        (path, table)
        for path, tree in modules("bot")
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for table in NAMED_TABLE.findall(node.value)
    ]
    assert {table for _, table in named} >= {"matches", "plans", "climbers"}
    assert not [(path, table) for path, table in named if owners.get(table, path.split("/")[1]) != path.split("/")[1]]
