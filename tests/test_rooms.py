"""The rooms of `bot`: what each may import, that they import each other in no circle, and their largest size."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from tests.repository import imports, modules, read

# Which rooms of `bot` the modules of a room may import besides their own. What lies directly in `bot` may import all of
# them, but only `__main__` imports `ops`.
ROOMS = {
    "people": set[str](),
    "match": {"people"},
    "ladder": {"people", "match"},
    "store": {"people", "match", "ladder"},
    "service": {"people", "match", "ladder", "store"},
    "texts": {"people", "match", "ladder"},
    "kit": {"people", "match", "ladder", "store", "texts"},
    "posting": {"people", "match", "ladder", "store", "service", "texts", "kit"},
    "commands": {"people", "match", "ladder", "store", "service", "texts", "kit", "posting"},
    "demo": set[str](),
    "ops": {"people", "match", "ladder", "store", "service", "texts", "kit", "client", "config"},
}
PURE = ("people", "match", "ladder", "store", "service", "texts")
"""The rooms that do not know Discord."""
MOST_MODULES = 12
"""How many modules may lie directly in `bot`."""


def room_of(name: str) -> str:
    """The room of a module or a name in it, such as "bot.core.fold"; what lies directly in `bot` is its own room."""
    return name.split(".")[1]


@cache
def arrows() -> dict[str, set[str]]:
    """Each module of `bot`, and those of `bot` that it imports, also for type checking only."""
    trees = {
        path.removesuffix(".py").removesuffix("/__init__").replace("/", "."): (path, tree)
        for path, tree in modules("bot")
    }
    return {
        module: {
            name if name in trees else name.rpartition(".")[0]
            for name in imports(tree, path)
            if name.startswith("bot.")
        }
        for module, (path, tree) in trees.items()
    }


def against(found: dict[str, set[str]]) -> list[str]:
    """The arrows between rooms that point the wrong way."""
    return [
        f"{module} imports {other}"
        for module, others in found.items()
        for other in others
        if (room := room_of(f"{module}.")) in ROOMS and room_of(f"{other}.") not in ROOMS[room] | {room}
    ] + [
        f"{module} imports {other}"
        for module, others in found.items()
        for other in others
        if room_of(f"{other}.") == "ops" and room_of(f"{module}.") not in ("ops", "__main__")
    ]


def circles(found: dict[str, set[str]]) -> list[list[str]]:
    """The circles of modules that import one another and do not all lie in one room; each once, by its first module."""
    reached = {module: reach(found, module) for module in found}
    rings = [[other for other in found if other in reached[module] and module in reached[other]] for module in found]
    return [
        ring
        for module, ring in zip(found, rings, strict=True)
        if ring[:1] == [module] and len({room_of(f"{one}.") for one in ring}) > 1
    ]


def reach(found: dict[str, set[str]], module: str) -> set[str]:
    """Every module that one comes to from there by imports."""
    seen, ahead = set[str](), [module]
    while ahead:
        for other in found.get(ahead.pop(), set()) - seen:
            seen.add(other)
            ahead.append(other)
    return seen


def test_the_rooms_of_the_bot_import_only_those_that_stand_before_them() -> None:
    assert {room_of(f"{module}.") for module in arrows()} >= ROOMS.keys()
    assert not against(arrows())


def test_no_circle_of_imports_leads_through_several_rooms() -> None:
    assert not circles(arrows())


def test_a_wrong_arrow_and_a_circle_would_be_found() -> None:
    planted = {module: set(others) for module, others in arrows().items()}
    planted["bot.texts.i18n"].add("bot.discordkit.reply")
    assert against(planted) == ["bot.texts.i18n imports bot.discordkit.reply"]
    assert any("bot.discordkit.reply" in ring and "bot.texts.i18n" in ring for ring in circles(planted))
    planted = {module: set(others) for module, others in arrows().items()}
    planted["bot.client"].add("bot.ops.health")
    assert "bot.client imports bot.ops.health" in against(planted)


def test_rooms_have_one_folder_level_and_few_modules_lie_outside() -> None:
    paths = [Path(path).parts for path, _ in modules("bot")]
    assert not [path for path in paths if len(path) > 4]
    assert not [
        path
        for path in paths
        if any(part.startswith("_") and part.strip("_") not in ("init", "main") for part in map(stem, path))
    ]
    assert len([path for path in paths if len(path) == 2]) <= MOST_MODULES


def stem(part: str) -> str:
    return part.removesuffix(".py")


def test_every_room_says_what_belongs_in_it() -> None:
    silent = [room for room in ROOMS if not ast.get_docstring(ast.parse(read(f"bot/{room}/__init__.py")))]
    assert not silent


def test_only_the_start_the_demo_and_the_doctor_import_the_sandbox() -> None:
    importing = {
        path for path, tree in modules("bot") if any(one.startswith("sandbox.") for one in imports(tree, path))
    }
    assert importing == {"bot/__main__.py", "bot/demo/__init__.py", "bot/ops/doctor_discord.py"}


def test_the_pure_rooms_do_not_know_discord() -> None:
    wrong = [
        path
        for path, tree in modules("bot")
        if path.split("/")[1] in PURE and any(name.split(".")[0] == "discord" for name in imports(tree, path))
    ]
    assert not wrong
