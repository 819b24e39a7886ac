"""How long each kind of work beside the event loop keeps its thread, at the heaviest inputs that a search has found.

Processor time of the thread is measured, so that other load on the machine counts little. A generator may be
interrupted at each step, other work only at its end.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from functools import partial
from time import thread_time
from typing import NamedTuple

from bot.core.draft import Draft, list_move_choices
from bot.core.match import Match
from bot.core.timings import DEFAULT_TIMINGS
from bot.openings.index import index_position
from bot.openings.line import find_moves, follow_line, line_of_game
from bot.play.watching import MAX_REPLAY_PLIES, make_replay
from bot.play.why import explain_refused_move
from render import THEMES, View, render_in_steps, warm_caches
from render.replay import render_gif_in_steps
from rules import VARIANTS, Move, Position, RulesError, iter_moves, parse_move, some_moves
from tests.bench.heaviest import _game, kept
from tests.bench.story import story

MOVES_DRAWN = 40
"""The moves on one board, at most."""

Steps = Generator[None, None, object]


class Slowest(NamedTuple):
    """The longest step of a kind of work, in milliseconds, and where it was met."""

    name: str
    milliseconds: float
    where: str


def whole(work: Callable[[], object]) -> Steps:
    """Does work that cannot be interrupted."""
    yield
    work()


def longest_step(steps: Steps) -> float:
    """Returns the seconds of the longest step, as the thread would take them: small steps run together."""
    longest = 0.0
    begun = thread_time()
    try:
        while True:
            next(steps)
            if (took := thread_time() - begun) >= DEFAULT_TIMINGS.thread_slice_s:
                longest, begun = max(longest, took), thread_time()
    except StopIteration:
        return max(longest, thread_time() - begun)


def longest_moves(position: Position) -> list[Move]:
    """Returns some legal moves, those with the most landings first."""
    return sorted(some_moves(position).moves, key=lambda move: -len(move.path))


def _refused(position: Position) -> Steps:
    end = position.names(position.variant.armies[position.turn].goal)[0]
    for start in position.names(Draft.from_path(position).start_cells):
        typed = f"{start}-{end}"
        try:
            parse_move(position, typed)
        except RulesError as error:
            yield from whole(partial(explain_refused_move, "en", position, typed, error))
        yield


def _new_boards() -> Iterator[tuple[str, Steps, str]]:
    """Yields boards that nobody has asked for before."""
    for theme in list(THEMES.values())[1:]:
        for variant in VARIANTS.values():
            for zoom in (None, 0):
                view = View(variant.start_position, 0, theme=theme, coordinates=True, zoom=zoom)
                yield "a board never drawn before", render_in_steps(view), variant.key


def _of_position(position: Position) -> Iterator[tuple[str, Steps]]:
    """Yields every question about a position."""
    moves = longest_moves(position)
    yield "a board", render_in_steps(View(position, 0))
    if moves:
        yield "a board after a long move", render_in_steps(View(position.after_move(moves[0]), 0, moves[0], position))
        chain = tuple((position, move) for move in moves[:MOVES_DRAWN])
        yield "a board with a line of moves", render_in_steps(View(position, 0, chain=chain))
    for start in Draft.from_path(position).start_cells:
        yield "where a move may end", whole(Draft.from_path(position, (start,)).find_ends)
        yield "the choices of a move", whole(partial(list_move_choices, _game(position), (start,)))
    yield "why a move is refused", _refused(position)
    yield "a position's number", whole(partial(index_position, position))
    names = {index_position(position).name_move(move) for move in moves[:8]}
    yield "moves by their names", find_moves(position, index_position(position), names)
    yield "all moves of a position", _counted(position)


def _counted(position: Position) -> Steps:
    for _ in iter_moves(position):
        yield


def _of_game(match: Match) -> Iterator[tuple[str, Steps]]:
    """Yields every question about a long game."""
    last = match.ply
    first = max(1, last - MAX_REPLAY_PLIES + 1)
    replay = make_replay(match, first, last, 0, THEMES["default"])
    yield "the moves of a replay", whole(partial(make_replay, match, first, last, 0, THEMES["default"]))
    yield "an animation", render_gif_in_steps(replay)
    key = match.variant.key
    yield "a line of moves", follow_line(key, line_of_game(key, match.started_game.moves))


def slowest_steps() -> list[Slowest]:
    """Returns the longest step of each kind of work."""
    found: dict[str, Slowest] = {}

    def measure(name: str, steps: Steps, where: str) -> None:
        milliseconds = 1000 * longest_step(steps)
        if name not in found or found[name].milliseconds < milliseconds:
            found[name] = Slowest(name, milliseconds, where)

    for variant in VARIANTS.values():
        for seat in variant.seats:
            warm_caches(variant, seat)
    for name, steps, where in _new_boards():
        measure(name, steps, where)
    for position in kept():
        for name, steps in _of_position(position):
            measure(name, steps, position.variant.key)
    for key, plies in (("camelot", 200), ("chivalry", 200), ("cam-3d", 100), ("tri-camelot", 60)):
        for name, steps in _of_game(story(1, plies, key).moves[-1][0]):
            measure(name, steps, key)
    return list(found.values())
