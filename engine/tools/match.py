"""Plays matches from kept openings with rotating seats, and decides them by a sequential test (SPRT).

An opening in all rotations of the seats is one observation. A player may come from a copy of another commit.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from math import log, sqrt
from pathlib import Path
from time import process_time
from typing import NamedTuple
from weakref import finalize

from engine.evaluation import steps_to_nearest
from engine.levels import (
    BELOW,
    HANDICAPS,
    Level,
    choose_at_level,
    choose_move,
    evaluate_chances,
    lacking_cells,
    without_pieces,
)
from rules import Game, Move, Position, Seat, Variant, format_move, format_position, legal_moves
from rules.board import Cell

Chooser = Callable[[Position, int, Sequence[Position]], Move]
"""Chooses a move from the position, a seed and the positions so far."""

MAX_MATCH_PLIES = 300
"""A game with this many moves counts as a draw."""
RANDOM_OPENING_LEVEL = Level(depth=1, nodes=1_000, max_loss=150, temperature=60, sees_wins=False)
"""The level that plays the openings."""
EVEN, TRIES = 0.62, 30
"""The largest chance that a seat may have after an opening, and the number of openings to try."""
KEPT_PLIES = {2: (2, 8), 3: (6, 12)}
"""By the number of seats, the fewest and the most moves of an opening that is kept for matches."""
SURE = log(19)
"""The log-likelihood ratio at which a match is decided: either error has 5 %."""


class MatchGame(NamedTuple):
    """A finished game of a match, with the player's name by seat."""

    seating: tuple[str, ...]
    game: Game

    def score_of(self, name: str) -> float:
        """The share of the game that the seats of that player won; all seats share a draw."""
        winners = self.game.outcome.winners if self.game.outcome else ()
        seats: Sequence[Seat] = winners or self.game.variant.seats
        return sum(self.seating[seat] == name for seat in seats) / len(seats)

    @property
    def is_drawn(self) -> bool:
        """Whether nobody won."""
        return not (self.game.outcome and self.game.outcome.winners)


class Player:
    """A player of a match, with the moves it has made and the processor seconds it took for them."""

    def __init__(self, name: str, choose: Chooser) -> None:
        self.name, self.choose = name, choose
        self.moves, self.seconds = 0, 0.0

    def move(self, position: Position, seed: int, history: Sequence[Position]) -> Move:
        """The move it chooses."""
        self.moves += 1
        begun = process_time()
        move = self.choose(position, seed, history)
        self.seconds += process_time() - begun
        return move


class CopiedPlayer(Player):
    """A level of the engine in another folder, a copy of some commit, which runs in a process of its own."""

    def __init__(self, name: str, level: str, folder: Path) -> None:
        super().__init__(name, choose_randomly)
        if not (folder / "engine" / "levels.py").is_file():
            raise FileNotFoundError(f"there is no engine in {folder}")
        self.level = level
        command = [sys.executable, "-c", _ANSWERING]
        self.process = subprocess.Popen(  # noqa: S603 - the folder is the caller's own
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        finalize(self, self.process.communicate)

    def move(self, position: Position, seed: int, history: Sequence[Position]) -> Move:
        """The move that the copy chooses; the seconds are those of its process."""
        assert self.process.stdin
        assert self.process.stdout
        print(json.dumps([self.level, seed, *map(format_position, history)]), file=self.process.stdin, flush=True)
        seconds, *outcome = json.loads(self.process.stdout.readline())
        self.moves += 1
        self.seconds += seconds
        return next(move for move in legal_moves(position) if [move.start, move.end, sorted(move.captures)] == outcome)


_ANSWERING = """
import json, sys
from functools import lru_cache
from time import process_time
sys.path.insert(0, ".")
from engine import choose_move
from rules import parse_position
read = lru_cache(1_000)(parse_position)
for line in sys.stdin:
    level, seed, *texts = json.loads(line)
    history = [*map(read, texts)]
    begun = process_time()
    move = choose_move(history[-1], level, seed, history=history)
    print(json.dumps([process_time() - begun, move.start, move.end, sorted(move.captures)]), flush=True)
"""
"""What the process of a copy runs: it answers a line with a level, a seed and the positions so far by a move."""


def find_player(name: str) -> Player:
    """The player with that name: a level, a handicap, `random`, `greedy`, or `LEVEL@FOLDER`, a level of a copy.

    Raises FileNotFoundError if there is no engine in that folder. Any other name raises KeyError with its first move.
    """
    level, at, folder = name.partition("@")
    if at:
        return CopiedPlayer(name, level, Path(folder))
    if name in BASELINES:
        return Player(name, BASELINES[name])
    level = HANDICAPS.get(name, name)
    return Player(name, lambda position, seed, history: choose_move(position, level, seed, history=history))


def find_players(names: Sequence[str]) -> list[Player]:
    """The players with those names; equal names are one player."""
    found = {name: find_player(name) for name in dict.fromkeys(names)}
    return [found[name] for name in names]


def choose_randomly(position: Position, seed: int, history: Sequence[Position]) -> Move:
    """A random legal move."""
    return random.Random(f"{seed} {len(history)}").choice(legal_moves(position))  # noqa: S311 - to be the same again


def choose_greedily(position: Position, seed: int, history: Sequence[Position]) -> Move:
    """A move with the most captures; among those, one that ends nearest to the attacked castle. Ties are random."""
    ways = steps_to_nearest(position.variant.board, position.variant.armies[position.turn].goal)
    moves = legal_moves(position)
    best = min((-len(move.captures), ways[move.end]) for move in moves)
    equal = [move for move in moves if (-len(move.captures), ways[move.end]) == best]
    return random.Random(f"{seed} {len(history)}").choice(equal)  # noqa: S311 - to be the same again


BASELINES: dict[str, Chooser] = {"random": choose_randomly, "greedy": choose_greedily}
"""Simple players to compare the levels with, by name."""


def make_opening(variant: Variant, seed: int, plies: tuple[int, int] = (1, 6)) -> Game:
    """A game of so many random moves in which no seat is far ahead; the start if no such game is found."""
    dice = random.Random(f"{variant.key} opening {seed}")  # noqa: S311 - to be the same again
    for _ in range(TRIES):
        game = Game.start(variant)
        for _ in range(dice.randint(*plies)):
            if not game.outcome:
                game = game.apply(choose_at_level(game.position, RANDOM_OPENING_LEVEL, dice.getrandbits(30)))
        if not game.outcome and max(evaluate_chances(game.position, nodes=1_000)) <= EVEN:
            return game
    return Game.start(variant)


def draw_openings(variant: Variant, wanted: int) -> Iterator[str]:
    """Yields that many different openings, each a line of moves. Those kept were drawn once."""
    drawn: set[str] = set()
    seed = 0
    while len(drawn) < wanted:
        game = make_opening(variant, seed, KEPT_PLIES[len(variant.armies)])
        seed += 1
        text = " ".join(format_move(move, variant.board) for move in game.moves)
        if text and text not in drawn:
            drawn.add(text)
            yield text


@cache
def kept_openings_of(variant: Variant) -> list[str]:
    """The openings of all matches in that variant."""
    return (files("engine") / "openings" / f"{variant.key}.txt").read_text("utf-8").splitlines()


def play_opening(variant: Variant, number: int, cells: Mapping[Seat, Cell]) -> tuple[Game, Mapping[Seat, Cell]]:
    """The game after the kept opening with that number, and where the pieces that began on those cells stand now.

    Captured ones are not among them.
    """
    game = Game.start(variant)
    for text in kept_openings_of(variant)[number].split():
        game = game.play(text)
        move = game.moves[-1]
        left = ((seat, cell) for seat, cell in cells.items() if cell not in move.captures)
        cells = {seat: move.end if cell == move.start else cell for seat, cell in left}
    return game, cells


def play_game(players: Sequence[Player], game: Game, number: int, cells: Mapping[Seat, Cell]) -> MatchGame:
    """The game with that number, from there on. At a handicap the weaker seats lose the pieces on those cells first."""
    names, plies = tuple(player.name for player in players), len(game.moves)
    if handicap := find_handicap(players):
        weaker = (cell for seat, cell in cells.items() if (names[seat] == handicap) == (handicap == BELOW))
        game = Game.from_position(without_pieces(game.position, weaker))
    history = [game.position]
    while not game.outcome and plies < MAX_MATCH_PLIES:
        move = players[game.position.turn].move(game.position, number * 1_000 + plies, history)
        game, plies = game.apply(move), plies + 1
        history.append(game.position)
    return MatchGame(names, game)


def find_handicap(players: Sequence[Player]) -> str | None:
    """The handicap that one of the players plays at; None if none does."""
    return next((player.name for player in players if player.name in HANDICAPS), None)


def play_match(variant: Variant, players: Sequence[Player], games: int, first: int = 0) -> Iterator[MatchGame]:
    """Yields that many games between the players, one per seat, from the opening with the number `first`.

    The seats rotate with each game; the opening changes after a full rotation. At a handicap openings that capture one
    of its pieces are passed over, so that the kept openings may suffice for fewer games.
    """
    seats, handicap = len(players), find_handicap(players)
    lacking = lacking_cells(variant, handicap) if handicap else {}
    for number in range(first, len(kept_openings_of(variant))):
        game, cells = play_opening(variant, number, lacking)
        if len(cells) == len(lacking):
            for shift in range(min(seats, games)):
                yield play_game([*players[shift:], *players[:shift]], game, number * seats + shift, cells)
            games -= seats
        if games <= 0:
            return


def observe(played: Sequence[MatchGame], name: str) -> list[float]:
    """That player's score for each opening that was played in all rotations of the seats."""
    seats = len(played[0].seating)
    scores = [game.score_of(name) for game in played]
    return [sum(scores[n : n + seats]) / seats for n in range(0, len(scores) - seats + 1, seats)]


def spread_of(scores: Sequence[float]) -> tuple[float, float]:
    """The mean of those observations, and their variance with one observation of 0 and one of 1 added."""
    mean, more = sum(scores) / len(scores), [*scores, 0.0, 1.0]
    return mean, sum((score - mean) ** 2 for score in more) / len(more)


def interval_of(scores: Sequence[float]) -> tuple[float, float]:
    """The 95 % confidence interval of the mean of those observations."""
    mean, variance = spread_of(scores)
    half = 1.96 * sqrt(variance / len(scores))
    return max(0.0, mean - half), min(1.0, mean + half)


def likelihood_ratio(scores: Sequence[float], low: float, high: float) -> float:
    """The logarithm of how much likelier those observations are with the mean `high` than with `low`.

    It is that of a normal distribution with the observed variance, as the generalised test of fishtest has it.

    >>> round(likelihood_ratio([0.5, 1.0, 0.5, 1.0] * 10, 0.5, 0.6), 2)
    10.75
    """
    mean, variance = spread_of(scores)
    return len(scores) * (high - low) * (2 * mean - low - high) / (2 * variance)
