"""What the program keeps in memory between two questions has a bound, whatever people ask."""

from __future__ import annotations

import gc
import sys
from functools import _lru_cache_wrapper
from importlib import import_module
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import pytest

from bot.core.fold import replay_match
from bot.play.service.matches import CachedMatch
from render import Theme
from render.theme import Palette
from rules import VARIANTS, Variant
from rules.board import Board
from tests.bench.story import story
from tests.repository import ROOT

PACKAGES = ("rules", "render", "engine", "bot", "sandbox")

SHARED = (type, ModuleType, FunctionType, BuiltinFunctionType, Variant, Board, Theme, Palette)
"""What an entry refers to but does not own."""

FINITE = {
    "rules.symmetry.symmetries": "variants",
    "rules.steward._castles": "variants",
    "rules.steward._entries_of_castle": "variants",
    "rules.turn._view_of_side": "sides",
    "render.shapes.path_polygon": "outlines in the code",
    "render.shapes.load_font": "sizes of letters in the layouts",
    "engine.evaluation.weights_of": "variants",
    "engine.evaluation.evaluation_of": "variants",
    "engine.race.race_evaluation_of": "variants",
    "engine.puzzles.steps_to_castle": "sides",
    "engine.puzzles.shipped_puzzles": "variants",
    "engine.search.steps_between": "boards",
    "engine.cells.cell_evaluation_of": "variants",
    "engine.lookup_tables.tables_of": "boards",
    "engine.tools.match.kept_openings_of": "variants",
    "engine.lookup_tables.views_of": "variants",
    "engine.lookup_tables.keys_of": "variants",
    "bot.core.setting_kinds.place_zones": "",
    "bot.puzzles.service._read_collection": "",
    "bot.store.migrations.migration_steps": "",
    "bot.store.migrations._expected_entries": "lists of migrations",
    "bot.texts.i18n.load_catalogue": "languages",
    "bot.texts.i18n._babel_locale": "languages",
    "bot.texts.i18n.read_page": "pages of the languages",
    "bot.texts.i18n.link_commands": "sentences of the catalogues and rules pages",
    "bot.texts.rulebook.rulebook_pages": "variants in the languages",
    "bot.store.rows._fields_of": "classes of rows in the code",
}
"""What the keys of a cache are that nobody can ask for more of."""


def bytes_of(*values: object) -> int:
    """Returns the bytes that the values take, with everything that only they refer to."""
    seen, left, total = set[int](), list(values), 0
    while left:
        value = left.pop()
        if id(value) in seen or isinstance(value, SHARED):
            continue
        seen.add(id(value))
        total += sys.getsizeof(value)
        left += gc.get_referents(value)
    return total


def cached_functions() -> dict[str, _lru_cache_wrapper[Any]]:
    """Returns every cached function of the program by its name."""
    found = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if path.stem == "__main__":
                continue
            module = import_module(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
            for holder in (module, *(one for one in vars(module).values() if isinstance(one, type))):
                for name, one in vars(holder).items():
                    if isinstance(one, _lru_cache_wrapper) and one.__module__ == module.__name__:
                        found[f"{module.__name__}.{name}"] = one
    return found


def test_every_cache_of_a_function_has_a_most_or_finite_keys() -> None:
    functions = cached_functions()
    assert FINITE.keys() <= functions.keys()
    assert {name for name, one in functions.items() if one.cache_info().maxsize is None} <= FINITE.keys()


@pytest.mark.parametrize("key", VARIANTS)
def test_a_match_in_memory_takes_no_more_than_is_counted(key: str) -> None:
    told = story(0, 120 if key != "camette" else 20, key)
    (before, _), (match, _) = told.moves[-2:]
    assert bytes_of(CachedMatch(match, before)) <= CachedMatch(match, before).size
    assert bytes_of(replay_match(1, told.events)) <= CachedMatch(match).size
