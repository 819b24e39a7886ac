"""Everything that the program keeps in memory between two questions has a bound in bytes, whatever people ask."""

from __future__ import annotations

import ast
import gc
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import _lru_cache_wrapper, lru_cache
from importlib import import_module
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import pytest
from PIL import Image

from bot.core.match import Match
from bot.core.settings import known_zones
from bot.play.service.matches import CachedMatch
from render import THEMES, MarkKind, Theme, run_steps
from render.board_drawing import empty_board
from render.framing import EmptyBoard, plan_of
from render.layout import layout_of
from render.theme import Palette
from rules import VARIANTS, PieceKind, Variant
from rules.board import Board
from tests.bench.story import story
from tests.repository import ROOT

PACKAGES = ("rules", "render", "engine", "bot", "sandbox")
MOST, ALTOGETHER = 33_000_000, 200_000_000
"""The most bytes of one cache, and of all: as if every entry of each were as large as the largest."""

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
    "engine.lookup_tables.tables_of": "boards",
    "engine.lookup_tables.views_of": "variants",
    "engine.lookup_tables.keys_of": "variants",
    "bot.core.settings.known_zones": "",
    "bot.core.settings.place_zones": "",
    "bot.puzzles.service._read_collection": "",
    "bot.store.migrations.migration_steps": "",
    "bot.store.migrations._expected_entries": "lists of migrations",
    "bot.texts.i18n.load_catalogue": "languages",
    "bot.texts.i18n._babel_locale": "languages",
    "bot.texts.i18n.read_page": "pages of the languages",
    "bot.texts.i18n.link_commands": "sentences of the catalogues and rules pages",
    "bot.texts.rulebook.rulebook_pages": "variants in the languages",
}
"""What the keys of a cache are that nobody can ask for more of."""

THEME = THEMES["default"]
CUBE = VARIANTS["cam-3d"]
SQL = f"SELECT {'column, ' * 200} 1"
"""As long as our longest statement, at least."""


def largest(sizes: Iterator[EmptyBoard]) -> tuple[Any, ...]:
    return (max(sizes, key=lambda sheet: bytes_of(plan_of(sheet))),)


def sheets() -> Iterator[EmptyBoard]:
    for variant in VARIANTS.values():
        for zoom in (None, 0, len(variant.board.names) // 2):
            yield EmptyBoard.of(variant, 0, THEME, zoom, 1, 0)


def drawn(sheet: EmptyBoard) -> EmptyBoard:
    """Draws the board, so that it is kept."""
    run_steps(empty_board(sheet))
    return sheet


def longest_zone() -> tuple[Any, ...]:
    return (max(known_zones(), key=len),)


HEAVIEST: Mapping[str, Callable[[], tuple[Any, ...]]] = {
    "render.framing.plan_of": lambda: largest(sheets()),
    "render.framing.cells_around": lambda: (VARIANTS["chivalry"], 90),
    "render.framing._zoom_centre": lambda: (VARIANTS["chivalry"], 90),
    "render.layout.layout_of": lambda: (VARIANTS["chivalry"], 0),
    "render.board_drawing._kept_board": lambda: (drawn(EmptyBoard.of(VARIANTS["camelot"], 0, THEME, None, 1, 0)),),
    "render.signs._short_leg": lambda: (THEME, 150, 150, 12, 40, False),
    "render.signs._long_leg": lambda: (THEME, 302, 603, 12, 0, True),
    "render.signs.start_stamp": lambda: (THEME, 12),
    "render.signs.cross_stamp": lambda: (THEME, 60),
    "render.signs.target_stamp": lambda: (THEME, 12, 80),
    "render.signs.badge_stamp": lambda: (THEME, 12, 80),
    "render.signs.name_stamp": lambda: (THEME, "3E8", 30),
    "render.signs.glow_stamp": lambda: (THEME, layout_of(CUBE, 0)),
    "render.signs.mark_stamp": lambda: (THEME, layout_of(CUBE, 0), MarkKind.WRONG),
    "render.signs.lit_medallion_stamp": lambda: (THEME, "White", 40),
    "render.pieces.piece_picture": lambda: (THEME, "White", PieceKind.KNIGHT, 100),
    "render.pieces.hatched_piece": lambda: (THEME, "White", PieceKind.KNIGHT, 100),
    "render.pieces.piece_masks": lambda: (THEME, "White", PieceKind.KNIGHT, 100),
    "render.replay._draw_glyph": lambda: (THEME, "W"),
    "render.replay._draw_emblem": lambda: (THEME, "White"),
    "render.shapes._drawable_sign": lambda: ("\ufdfa",),  # which consists of eighteen letters
    "bot.core.settings._zone": longest_zone,
    "bot.puzzles.service._parse_or_log": lambda: (
        max((ROOT / "engine" / "collection" / "cam-3d.jsonl").read_text().splitlines(), key=len),
    ),
    "bot.store.people.log_unknown_name": lambda: ("user 1234567890123456789", "reminders", "x" * 1000, "default"),
    "bot.store.dialect._shift_numbers": lambda: (100, SQL),
    "bot.store.dialect._typed_statement": lambda: (SQL, ()),
    "bot.store.dialect._parse_statement": lambda: (SQL,),
    "bot.texts.i18n.format_number": lambda: ("no", 2**63),
}
"""For each cache, the arguments of a largest entry."""

UNSEEN = {"bot.core.settings._zone": 6_000}
"""Bytes of an entry that Python cannot measure: a zone's history."""


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
            total += value.width * value.height * {"P": 1, "L": 1, "1": 1}.get(value.mode, 4)
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


def test_every_cache_of_a_function_is_listed_with_its_heaviest_entry() -> None:
    functions = cached_functions()
    assert functions.keys() == FINITE.keys() | HEAVIEST.keys()
    assert [name for name in HEAVIEST if functions[name].cache_info().maxsize is None] == []


def test_no_cache_of_a_function_can_grow_large() -> None:
    functions, most = cached_functions(), dict[str, int]()
    for name, arguments in HEAVIEST.items():
        asked, maxsize = arguments(), functions[name].cache_info().maxsize
        assert maxsize is not None
        most[name] = maxsize * (bytes_of(asked, functions[name](*asked)) + UNSEEN.get(name, 0))
    assert {name: size for name, size in most.items() if size > MOST} == {}
    assert sum(most.values()) <= ALTOGETHER


def test_a_cache_that_grows_is_found_and_measured() -> None:
    kept = lru_cache(maxsize=2000)(lambda number: tuple(range(number, number + 20_000)))
    assert 2000 * bytes_of(kept(1)) > MOST
    assert isinstance(kept, _lru_cache_wrapper)


@pytest.mark.parametrize("key", VARIANTS)
def test_a_match_in_memory_takes_no_more_than_is_counted(key: str) -> None:
    told = story(0, 120 if key != "camette" else 20, key)
    (before, _), (match, _) = told.moves[-2:]
    assert bytes_of(CachedMatch(match, before)) <= CachedMatch(match, before).size
    assert bytes_of(Match.replay(1, told.events)) <= CachedMatch(match).size


GROWING = {"dict", "set", "list", "deque", "Counter", "defaultdict", "WeakValueDictionary"}
BOUNDED = {"LRUCache", "TTLCache", "FIFOCache"}

KEPT = {
    # Written at import, or as long as what they stand for
    "bot/core/deadlines.py NO_PEOPLE": "nobody",
    "rules/turn.py _NO_LEGS": "none",
    "bot/discordkit/components.py FAMILIES": "kinds of components",
    "bot/discordkit/components.py handlers": "components",
    "bot/discordkit/errors.py _REFUSALS": "kinds of errors",
    "bot/discordkit/errors.py _FAILURES": "kinds of errors",
    "bot/discordkit/slash.py USER_MENUS": "commands",
    "bot/play/sheets.py SHEET_DRAWERS": "kinds of sheets",
    "bot/texts/i18n.py _commands": "commands",
    # One search of the engine, in a process of its own
    "engine/move_generator.py castle_moves": "moves of a line",
    "engine/puzzles.py _first": "one puzzle",
    "engine/search.py known": "one search, cut off by its positions",
    "engine/search.py met": "one game",
    "engine/search.py history": "moves of a board",
    "engine/search_position.py _undo": "moves of a line",
    "engine/solving.py known": "one search, cut off by its positions",
    "engine/solving.py refuting": "one search, cut off by its positions",
    # What is under way
    "bot/discordkit/fair_thread.py _locks": "questions under way",
    "bot/discordkit/fair_thread.py _waiting": "questions under way",
    "bot/discordkit/interactions.py _tasks": "answers under way",
    "bot/play/announcing/announcer.py _composed_since": "posts under way",
    "bot/play/announcing/outbox.py _locks": "posts under way",
    "bot/play/announcing/ticker.py _loops": "two loops",
    "bot/play/announcing/ticker.py _lanes": "places with something to post",
    "bot/play/background.py _tasks": "work under way",
    "bot/play/background.py _edits": "channels with edits under way, 50 each",
    "bot/play/engine.py _requests": "questions under way",
    "bot/play/names.py _under_way": "names asked for",
    "bot/review/service.py _match_locks": "reviews under way",
    # A number or two for each server, shard, or game in trouble
    "bot/house/players.py _resting": "games that the engine could not play in the last hour",
    "bot/leagues/season_service.py _not_begun": "games of leagues whose places are gone",
    "bot/play/announcing/ticker.py _resting": "games that could not be posted in the last hour",
    "bot/play/names.py _gateways": "shards",
    "bot/play/names.py _taken": "requests granted in a period",
    "bot/client.py _lost_at": "shards",
    "bot/play/places/gateway_events.py _tried": "games whose place takes no post",
    "bot/play/service/attempts.py _failing": "parts that failed in the last quarter of an hour",
    "bot/play/service/attempts.py _failed_at": "parts that failed in the last quarter of an hour",
    "bot/play/settings_cache.py _settings": "servers",
    "bot/puzzles/service.py _unread": "games that this version cannot read",
    "bot/store/sqlite.py _known": "four files",
    # With a most of their own
    "bot/discordkit/log_limiter.py _logged": "1,000 messages",
    "bot/discordkit/interactions.py FIFOCache": "1,000 numbers",
    "bot/discordkit/interactions.py LRUCache": "1,000 numbers",
    "bot/house/fair_queue.py LRUCache": "1,000 numbers",
    "bot/play/app.py LRUCache": "2,000 languages",
    "bot/play/context.py LRUCache": "10,000 numbers",
    "bot/play/limits.py LRUCache": "50,000 counts, a hundred letters each",
    "bot/play/names.py LRUCache": "20,000 names of 32 letters",
    "bot/play/names.py TTLCache": "20,000 numbers",
    "bot/play/service/matches.py LRUCache": "20 MB of matches",
    "bot/seeking/service.py LRUCache": "1,000 numbers",
}
"""What a place in memory holds at most, by its file and its name. The sandbox keeps a whole Discord, on purpose."""


def made_by(value: ast.expr | None) -> str:
    """Returns the class of an empty container; empty for any other value."""
    match value:
        case ast.Dict(keys=[]):
            return "dict"
        case ast.List(elts=[]):
            return "list"
        case ast.Call(func=ast.Subscript(value=ast.Name(id=name))) | ast.Call(func=ast.Name(id=name)):
            return name
    return ""


def containers(path: Path) -> Iterator[str]:
    """Yields the names of what a module may fill while the program runs: empty at first, or a cache."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if made_by(node if isinstance(node, ast.expr) else None) in BOUNDED:
            yield made_by(node)  # type: ignore[arg-type]  # an expression, as has been found
        if isinstance(node, ast.Assign | ast.AnnAssign) and made_by(node.value) in GROWING:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Attribute):
                yield target.attr
            elif isinstance(target, ast.Name) and node in tree.body:
                yield target.id


def test_everything_that_may_grow_is_listed_with_what_it_holds_at_most() -> None:
    found = {
        f"{path.relative_to(ROOT)} {name}"
        for package in PACKAGES
        if package != "sandbox"
        for path in (ROOT / package).rglob("*.py")
        for name in containers(path)
    }
    assert found == KEPT.keys()
