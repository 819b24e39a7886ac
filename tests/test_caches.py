"""What the program keeps in memory between two questions has a bound in bytes, whatever people ask."""

from __future__ import annotations

import gc
import re
import sys
from functools import _lru_cache_wrapper
from importlib import import_module
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import pytest
from PIL import Image

from bot.core.fold import replay_match
from bot.play.service.matches import CachedMatch
from render import Theme, render_in_steps, run_steps
from render.theme import Palette
from rules import VARIANTS, Variant
from rules.board import Board
from tests.bench.story import story
from tests.render.scenes import charged, marked
from tests.repository import ROOT

PACKAGES = ("rules", "render", "engine", "bot", "sandbox")

SHARED = (type, ModuleType, FunctionType, BuiltinFunctionType, Variant, Board, Theme, Palette)
"""What an entry refers to but does not own."""

FINITE = {
    "rules": ("symmetry.symmetries", "steward._castles", "steward._ways_into_castle"),
    "render": ("shapes.path_polygon", "shapes.load_font"),
    "engine": (
        *("evaluation.weights_of", "evaluation.evaluation_of", "race.race_evaluation_of", "cells.cell_evaluation_of"),
        *("lookup_tables.tables_of", "lookup_tables.views_of", "lookup_tables.keys_of", "search.steps_between"),
        *("puzzles.steps_to_castle", "puzzles.shipped_puzzles", "tools.match.kept_openings_of"),
    ),
    "bot": (
        *("core.setting_kinds.place_zones", "puzzles.service._read_collection", "store.rows._fields_of"),
        *("store.migrations.migration_scripts", "store.migrations._expected_entries", "texts.rulebook.rulebook_pages"),
        *("texts.i18n.load_catalogue", "texts.i18n._babel_locale", "texts.i18n.read_page", "store.rows.columns_of"),
    ),
}
"""The caches whose keys nobody can ask for more of: variants, sides, languages, and what stands in the code."""

ENTRY_KB = {
    "rules.turn": {"_view_of_side": 400},
    "render.board_drawing": {"_kept_board": 60},
    "render.framing": {"cells_around": 1, "part_around": 2, "part_with": 6, "plan_of": 250},
    "render.layout": {"layout_of": 200, "reading_places": 40},
    "render.pieces": {"hatched_piece": 80, "piece_masks": 50, "piece_picture": 80},
    "render.replay": {"_draw_emblem": 4, "_draw_glyph": 2},
    "render.shapes": {"_drawable_sign": 1},
    "render.signs": {"_long_leg": 600, "_short_leg": 120, "badge_stamp": 20, "cross_stamp": 20, "glow_stamp": 250}
    | {"lit_medallion_stamp": 60, "mark_stamp": 200, "name_stamp": 20, "start_stamp": 20, "target_stamp": 40},
    "bot.core.setting_kinds": {"_zone": 8},
    "bot.store.dialect": {"_parse_statement": 8, "_typed_statement": 8},
    "bot.store.people": {"log_unknown_name": 4},
    "bot.texts.i18n": {"format_number": 1, "link_commands": 4},
}
"""The most that an entry of the other caches takes."""

COUNTED = {
    "bot/discordkit/interactions.py": "1,000 numbers",
    "bot/discordkit/metrics.py": "1,000 messages",
    "bot/play/context.py": "10,000 numbers",
    "bot/play/known_servers.py": "20,000 names of 32 letters, and numbers",
    "bot/play/limits.py": "50,000 counts of 200 bytes",
    "bot/play/service/matches.py": "8 MB of matches, by their size, and 1,000 numbers",
}
"""What other caches hold at most."""


def bytes_of(*values: object) -> int:
    """Returns the bytes that the values take, with everything that only they refer to."""
    seen, left, total = set[int](), list(values), 0
    while left:
        value = left.pop()
        if id(value) in seen or isinstance(value, SHARED):
            continue
        seen.add(id(value))
        total += sys.getsizeof(value)
        if isinstance(value, Image.Image):
            total += value.width * value.height * (1 if value.mode in ("1", "L", "P") else 4)
        else:
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


def test_every_cache_of_a_function_has_a_bound_in_bytes() -> None:
    functions, most = cached_functions(), dict[str, int]()
    for key in ("camelot", "tri-camelot", "cam-3d"):
        for view in (charged(VARIANTS[key], 0), marked(VARIANTS[key])):
            run_steps(render_in_steps(view))
    finite = {f"{package}.{name}" for package, names in FINITE.items() for name in names}
    for name, entry_kb in ((f"{module}.{one}", kb) for module, names in ENTRY_KB.items() for one, kb in names.items()):
        kept = functions.pop(name)
        info = kept.cache_info()
        assert bytes_of(*gc.get_referents(kept)) <= 1000 * entry_kb * (info.currsize + 2), name
        most[name] = entry_kb * (info.maxsize or 1_000_000)
    assert functions.keys() == finite
    assert {name for name, kb in most.items() if kb > 35_000} == set()
    assert sum(most.values()) <= 300_000


def test_every_other_cache_is_listed_with_what_it_holds() -> None:
    files = {str(path.relative_to(ROOT)): path for package in PACKAGES for path in (ROOT / package).rglob("*.py")}
    assert {
        name for name, path in files.items() if re.search("(LRU|TTL|FIFO)Cache", path.read_text())
    } == COUNTED.keys()


@pytest.mark.parametrize("key", VARIANTS)
def test_a_match_in_memory_takes_no_more_than_is_counted(key: str) -> None:
    told = story(0, 120 if key != "camette" else 20, key)
    (before, _), (match, _) = told.moves[-2:]
    assert bytes_of(CachedMatch(match, before)) <= CachedMatch(match, before).size
    assert bytes_of(replay_match(1, told.events)) <= CachedMatch(match).size
