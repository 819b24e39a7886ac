"""How long each kind of work beside the event loop keeps its thread, at the heaviest inputs that a search has found.

Processor time of the thread is measured, so that other load on the machine counts little. A generator may be
interrupted at each step, other work only at its end.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, product
from time import thread_time
from types import SimpleNamespace
from typing import NamedTuple, cast

from bot.core.draft import Draft, list_move_choices
from bot.core.match import Match
from bot.core.running_positions import RunningGame, describe_present, number_position
from bot.core.timings import DEFAULT_TIMINGS
from bot.explore.openings import find_moves, index_position, opening_rows
from bot.explore.tree import MAX_TREE_POSITIONS, Node, Tree, reach_node
from bot.leagues.files import MAX_PICTURES, view_crosstable
from bot.leagues.groups import LeagueSeat, make_groups, make_schedule
from bot.leagues.league import LeagueTerms, score_game
from bot.play.board import first_of_last, make_replay
from bot.play.why import explain_refused_move
from bot.privacy.commands import pack_export
from bot.privacy.service import _exported_game
from bot.review.commands import turning_text
from bot.review.service import TurningPoint
from bot.texts.records import record_text
from bot.thoughts.commands import own_text
from bot.thoughts.service import MAX_THOUGHT_LENGTH, OwnWords, list_moves
from render import THEMES, View, render_in_steps, warm_caches
from render.chances import ChancesChart, render_chances_in_steps
from render.crosstable import render_crosstables_in_steps
from render.rating_chart import RatingCurve, render_curve_in_steps
from render.replay import render_gif_in_steps
from rules import (
    VARIANTS,
    Game,
    Move,
    Position,
    RecordComment,
    RulesError,
    format_move,
    format_position,
    iter_moves,
    parse_move,
    some_moves,
)
from tests import bench
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
                view = View(variant.start_position, 0, theme=theme, zoom=zoom)
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
    if len(moves) > 1:
        turning = TurningPoint(0, moves[1], 0.1, 0.9)
        started = SimpleNamespace(moves=moves[1:2], origin=position, position=position)
        game = SimpleNamespace(started_game=started, variant=position.variant, title="", id=1)
        match = cast("Match", game)
        yield "a turning point", whole(partial(turning_text, "en", match, position, 1, turning))


def _counted(position: Position) -> Steps:
    for _ in iter_moves(position):
        yield


def _of_game(match: Match) -> Iterator[tuple[str, Steps]]:
    """Yields every question about a long game."""
    first = first_of_last(match)
    replay = make_replay(match, first, 0, THEMES["default"])
    own = OwnWords({move.board: "W" * MAX_THOUGHT_LENGTH for move in list_moves(match)}, False, True, False)
    yield "the own thoughts about a game", own_text("en", match, own)
    yield "the moves of a replay", whole(partial(make_replay, match, first, 0, THEMES["default"]))
    yield "an animation", render_gif_in_steps(replay)
    moves = enumerate(match.started_game.moves[: MAX_TREE_POSITIONS - 1], start=2)
    start = Node(1, None, 0, format_position(match.variant.start_position))
    nodes = [start, *(Node(number, number - 1, None, format_move(move, match.variant.board)) for number, move in moves)]
    tree = Tree(1, 1, None, start.move, nodes={node.number: node for node in nodes})
    yield "a position of a tree", whole(partial(reach_node, tree, None, len(nodes)))


def _to_and_fro(match: Match, plies: int) -> Match:
    """Returns a match of that many moves, in which a piece of each side steps to and fro. The rules would end it."""
    game, back = Game.start(match.variant), list[Move]()
    for _ in match.variant.seats:
        move = next(move for move in iter_moves(game.position) if len(move.path) == 2 and not move.captures)
        game, back = game.apply(move), [*back, Move(move.path[::-1], ())]
    moves = (*game.moves, *back) * (plies // 2 // len(back))
    return replace(match, game=game._replace(moves=moves))


def _charts() -> Iterator[tuple[str, Steps, str]]:
    """Yields charts that swing as far as they can."""
    for key, moves in product(("camelot", "tri-camelot"), (30, 200, 1500)):
        seats = len(VARIANTS[key].seats)
        chances = tuple(tuple(float(seat == move % seats) for seat in range(seats)) for move in range(moves))
        chart = ChancesChart(VARIANTS[key], chances, ((7, 0), (8, 1), (9, 0)))
        yield "a chart of chances", render_chances_in_steps(chart), f"{key}, {moves} moves"
    for games in (30, 200, 5000):
        curve = RatingCurve(tuple(500 + 2000 * (game % 2) for game in range(games)))
        yield "a chart of ratings", render_curve_in_steps(curve), f"{games} games"


def _of_leagues() -> Iterator[tuple[str, Steps, str]]:
    """Yields the pictures of a season: full groups, and as many small ones as there can be."""
    for key, people, size in (("camelot", 60, 10), ("camelot", 60, 3), ("tri-camelot", 60, 7)):
        terms = LeagueTerms(key, least=min(size, 6), most=size, double=True)
        seats = tuple(LeagueSeat(entry // size, entry % size, entry) for entry in range(people))
        games = [
            replace(game, points=score_game(terms, (game.number % terms.players_per_game,)))
            for first in range(0, people, size)
            for game in make_schedule(min(size, people - first), terms, seats[first].division)
        ]
        groups = make_groups(seats, games, terms)
        names = {entry: f"Guðrún {'Ósvífursdóttir ' * (entry % 3)}{entry}" for entry in range(people)}
        together = -(-len(groups) // MAX_PICTURES)
        for theme in THEMES.values():
            views = [view_crosstable("en", group, names, theme) for group in groups[:together]]
            yield "tables of a league", render_crosstables_in_steps(views), f"{together} of {size}"


def _of_files() -> Iterator[tuple[str, Steps, str]]:
    """Yields the files about games and people."""
    for key, plies in (("camelot", 1500), ("chivalry", 1500), ("tri-camelot", 1500)):
        begun = story(1, 60 if key == "tri-camelot" else 200, key)
        match = begun.moves[-1][0]
        long = _to_and_fro(match, plies)
        yield "the record of a long game", whole(partial(record_text, long)), key
        words = [RecordComment(ply, "{" * MAX_THOUGHT_LENGTH) for ply in range(400)]
        yield "a record with comments", whole(partial(record_text, long, {}, words)), key
        events = list(begun.events)
        yield "a game of a person's data", whole(partial(_exported_game, match, events, match.players[0])), key
        game, acts = _exported_game(match, events, match.players[0])
        yield "a person's data, packed", pack_export({"games": [game] * 1000, "acts": acts * 200}), key
        yield "the opening moves of a game", whole(partial(opening_rows, match)), key


def _near_running() -> Iterator[tuple[str, Steps, str]]:
    """Yields the questions whether positions of a long game are near to running games."""
    for key in ("camelot", "chivalry", "cam-3d", "tri-camelot"):
        matches = [match for match, _ in story(1, 60, key).moves]
        positions = [match.started_game.position for match in matches] * 5
        games = [RunningGame(match.id, match.ply, describe_present(match)) for match in matches[-30:]]
        for name, asked in (("300 positions", positions), ("two positions", [VARIANTS[key].start_position] * 2)):
            numbers = map(number_position, asked)
            looks = (game.is_near(asked, 4) for game in games)  # as `Service.require_unplayed`: a step a game
            yield f"{name} near 30 running games", cast("Steps", chain(looks, numbers)), key


def slowest_steps() -> list[Slowest]:
    """Returns the longest step of each kind of work."""
    found: dict[str, Slowest] = {}

    def measure(name: str, steps: Steps, where: str) -> None:
        milliseconds = 1000 * longest_step(steps)
        if name not in found or found[name].milliseconds < milliseconds:
            found[name] = Slowest(name, milliseconds, where)

    gc.disable()  # how long it takes depends on this program's memory
    for variant in VARIANTS.values():
        for seat in variant.seats:
            measure("what is drawn at the start", warm_caches(variant, seat), variant.key)
    for name, steps, where in chain(_new_boards(), _charts(), _of_leagues(), _of_files(), _near_running()):
        measure(name, steps, where)
    for position in kept()[:: 6 if bench.short else 1]:
        for name, steps in _of_position(position):
            measure(name, steps, position.variant.key)
    for key, plies in (("camelot", 200), ("chivalry", 200), ("cam-3d", 100), ("tri-camelot", 60)):
        for name, steps in _of_game(story(1, plies, key).moves[-1][0]):
            measure(name, steps, key)
    gc.enable()
    return list(found.values())
