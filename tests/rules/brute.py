"""A second referee, written from the rulebooks alone: it shares no code with `rules` and judges every path as a whole.

It works on names and coordinates. It is slow and simple; tests compare `rules` with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

Name = str
Men = dict[Name, tuple[str, bool]]
"""Cell to (colour, whether a Knight)."""


class Castles(NamedTuple):
    """The castles of one colour: its own, the one it attacks, the one it may never enter."""

    own: frozenset[Name]
    goal: frozenset[Name]
    barred: frozenset[Name]


def _castles(own: str, goal: str, barred: str = "") -> Castles:
    return Castles(frozenset(own.split()), frozenset(goal.split()), frozenset(barred.split()))


CASTLES = {
    "camelot": {"White": _castles("F1 G1", "F16 G16"), "Black": _castles("F16 G16", "F1 G1")},
    "chivalry": {"White": _castles("G1 H1", "G16 H16"), "Black": _castles("G16 H16", "G1 H1")},
    "cam-3d": {"White": _castles("1C1", "3C8"), "Black": _castles("3C8", "1C1")},
    "tri-camelot": {
        "Blue": _castles("F1", "A16", "K16"),
        "Red": _castles("A16", "K16", "F1"),
        "Green": _castles("K16", "F1", "A16"),
    },
    "cam": {"White": _castles("D1", "D13"), "Black": _castles("D13", "D1")},
    "camette": {"White": _castles("C1", "C7"), "Black": _castles("C7", "C1")},
}
CASTLE_MOVES = {"camelot": 2, "chivalry": 2, "cam-3d": 0, "tri-camelot": 0, "cam": 0, "camette": 0}
HEXAGON = [(0, 2), (0, -2), (1, 1), (1, -1), (-1, 1), (-1, -1)]


class Scene(NamedTuple):
    """A position as the second referee sees it."""

    key: str
    cells: frozenset[Name]
    men: Men
    turn: str
    castle_moves: int
    """Castle moves that the side to move has used."""


class Path(NamedTuple):
    """A path of a piece that the board allows, with the facts that the duties depend on."""

    text: str
    start: Name
    end: Name
    captures: tuple[Name, ...]
    pure_jump: bool
    castle_move: bool
    passed_jump: bool
    """Whether a Knight's canter landed where a jump was possible."""


class TooMany(Exception):
    """The position has more paths than the limit."""


def outcomes(scene: Scene, limit: int = 30_000) -> set[tuple[Name, Name, frozenset[Name]]]:
    """Start, end and captured cells of every legal move."""
    return {(p.start, p.end, frozenset(p.captures)) for p in judged(scene, limit)[0]}


def judged(scene: Scene, limit: int = 30_000) -> tuple[list[Path], list[Path]]:
    """Every path that the board allows: those that are legal, and those that a duty forbids."""
    if decided(scene):
        return [], []
    paths = _limited(scene, limit)
    castle = CASTLES[scene.key][scene.turn].own
    home = {cell for cell in castle if cell in scene.men and scene.men[cell][0] == scene.turn}
    jumpers = {path.start for path in paths if path.pure_jump}
    legal, forbidden = [], []
    for path in paths:
        if home:
            allowed = path.start in home and (bool(path.captures) or path.start not in jumpers)
        else:
            allowed = bool(path.captures) or not jumpers
        if path.passed_jump and not path.captures:
            allowed = False
        (legal if allowed else forbidden).append(path)
    return legal, forbidden


def decided(scene: Scene) -> bool:
    """Whether the pieces on the board have ended the game."""
    counts = {colour: sum(owner == colour for owner, _ in scene.men.values()) for colour in CASTLES[scene.key]}
    for colour, castles in CASTLES[scene.key].items():
        if all(cell in scene.men and scene.men[cell][0] == colour for cell in castles.goal):
            return True
    if scene.key == "camelot" and set(counts.values()) == {1}:
        return True
    if scene.key == "chivalry" and max(counts.values()) <= 1:
        return True
    return sum(n > 0 for n in counts.values()) == 1


def coordinates(name: Name) -> tuple[int, ...]:
    """(level,) file, rank."""
    match = re.fullmatch(r"(\d?)([A-N])(\d+)", name)
    assert match
    level = (int(match[1]),) if match[1] else ()
    return (*level, ord(match[2]), int(match[3]))


def _shifted(scene: Scene, name: Name, direction: tuple[int, ...]) -> Name | None:
    parts = [a + b for a, b in zip(coordinates(name), direction, strict=True)]
    level = str(parts[0]) if scene.key == "cam-3d" else ""
    found = f"{level}{chr(parts[-2])}{parts[-1]}"
    return found if found in scene.cells else None


def _directions(scene: Scene) -> list[tuple[int, ...]]:
    if scene.key == "tri-camelot":
        return list(HEXAGON)
    return [d for d in product((-1, 0, 1), repeat=3 if scene.key == "cam-3d" else 2) if any(d)]


def _leaps(scene: Scene, men: Men, at: Name, over_own: bool) -> Iterator[tuple[Name, Name]]:
    """(leapt over, landing) with the landing unoccupied."""
    for direction in _directions(scene):
        over = _shifted(scene, at, direction)
        to = _shifted(scene, over, direction) if over else None
        if over and to and over in men and to not in men and (men[over][0] == scene.turn) == over_own:
            yield over, to


def _limited(scene: Scene, limit: int) -> list[Path]:
    found = []
    for start, (colour, knight) in scene.men.items():
        if colour == scene.turn:
            for path in _paths(scene, start, knight):
                found.append(path)
                if len(found) > limit:
                    raise TooMany
    return found


def _paths(scene: Scene, start: Name, knight: bool) -> Iterator[Path]:
    castles = CASTLES[scene.key][scene.turn]
    lifted = {cell: man for cell, man in scene.men.items() if cell != start}
    neighbours = [cell for d in _directions(scene) if (cell := _shifted(scene, start, d)) and cell not in lifted]
    if start in castles.goal:
        if scene.castle_moves < CASTLE_MOVES[scene.key]:
            for to in neighbours:
                if to in castles.goal:
                    yield Path(f"{start}-{to}", start, to, (), False, True, False)
        return
    for to in neighbours:
        if to not in castles.own and to not in castles.barred:
            yield Path(f"{start}-{to}", start, to, (), False, False, False)
    for text, end, captures in _jumps(scene, lifted, start, start, ()):
        yield Path(text, start, end, captures, True, False, False)
    yield from _canters(scene, lifted, [start], knight, False)


def _canters(scene: Scene, lifted: Men, path: list[Name], knight: bool, passed: bool) -> Iterator[Path]:
    castles = CASTLES[scene.key][scene.turn]
    for _, to in _leaps(scene, lifted, path[-1], over_own=True):
        if to in path or to in castles.own or to in castles.barred:
            continue
        further = [*path, to]
        text = "-".join(further)
        if to in castles.goal:
            yield Path(text, path[0], to, (), False, False, passed)
            continue
        charges = list(_jumps(scene, lifted, to, text, ())) if knight else []
        now_passed = passed or bool(charges)
        yield Path(text, path[0], to, (), False, False, now_passed)
        for charge, end, captures in charges:
            yield Path(charge, path[0], end, captures, False, False, now_passed)
        yield from _canters(scene, lifted, further, knight, now_passed)


def _jumps(
    scene: Scene, men: Men, at: Name, text: str, captures: tuple[Name, ...]
) -> Iterator[tuple[str, Name, tuple[Name, ...]]]:
    """Every complete series of jumps from a cell: those that cannot go on, or stopped in the castle they took."""
    castles = CASTLES[scene.key][scene.turn]
    for over, to in _leaps(scene, men, at, over_own=False):
        if to in castles.barred:
            continue
        told, taken = f"{text}x{to}", (*captures, over)
        further: list[tuple[str, Name, tuple[Name, ...]]] = []
        if to not in castles.goal:
            left = {cell: man for cell, man in men.items() if cell != over}
            further = list(_jumps(scene, left, to, told, taken))
        yield from further or [(told, to, taken)]
