"""Fits the weights of a variant to games that the engine plays against itself.

The fit is a conditional logit of the result on the quiet positions; every game has the same weight, and the previous
weights are the prior. A fifth of the games tests whether the new weights predict results better. Then the new weights
play a match against the old ones. A variant without weights begins with `FIRST_WEIGHTS`.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, astuple
from math import log
from pathlib import Path
from typing import NamedTuple

from engine.evaluation import MAX_DISTANCE, Evaluation, Weights, chance_of_score, weights_of
from engine.race import CLOSE_STEPS, RaceEvaluation, RaceWeights, race_weights_of
from engine.search import MAX_PLIES, PositionEvaluation, Search
from engine.search_position import SearchPosition, as_move
from engine.tools.match import MAX_MATCH_PLIES, make_opening
from rules import Game, Seat, Variant

FIRST_WEIGHTS = Weights(
    man=50,
    knight=60,
    goal=(30, 18, 12, 8, 6, 4, 3, 2, 1, 0),
    guard=(12, 12, 10, 5),
    nearest=-8,
    second=-8,
    move=10,
)
"""The weights of two players before any fit."""

FIRST_RACE_WEIGHTS = RaceWeights(
    man=30, knight=35, nearest=-35, second=-20, guard=-15, passer=-5, free=20, move=25, next=12
)
"""The weights of three players before any fit."""

FITTING_NODES = 300
"""How many positions the engine searches per move of the self-play games."""
PRIOR_STRENGTH = 10.0
"""The strength of the prior, the previous weights. One extra Man in each of five games is as much evidence as 1."""

MAX_DRAW_SHARE = 0.2
"""The largest acceptable share of draws: weights that draw more often no longer advance."""

LogOddsRow = list[float]


class Sample(NamedTuple):
    """A quiet position: the features of one seat minus those of another, and the result of the game."""

    game: int
    row: LogOddsRow
    won: float
    weight: float


def row_of(search: SearchPosition, evaluation: Evaluation, seat: Seat) -> LogOddsRow:
    """The features of one seat: Men, Knights, progress, guards, and the distances of its two foremost pieces."""
    army = search.army[seat]
    knights = search.cells.count(evaluation.knights[seat])
    far = sorted(evaluation.ways[seat][cell] for cell in army)
    return [
        float(len(army) - knights),
        float(knights),
        sum(FIRST_WEIGHTS.goal[way] for way in far) / 100,
        sum((*FIRST_WEIGHTS.guard, 0.0)[evaluation.homes[seat][cell]] for cell in army) / 100,
        float(far[0]),
        float(far[1]) if len(far) > 1 else float(MAX_DISTANCE),
    ]


def race_rows_of(search: SearchPosition, evaluation: RaceEvaluation) -> list[LogOddsRow]:
    """With three players: the features of each seat, in the order of `RaceWeights`."""
    variant, later = search.variant, 0
    rows: list[LogOddsRow] = [[] for _ in variant.seats]
    for seat in variant.turn_orders[search.turn][-1:] + variant.turn_orders[search.turn][:-1]:
        army = search.army[seat]
        knights = search.cells.count(evaluation.knights[seat])
        far = sorted(evaluation.ways[seat][cell] for cell in army) or [3 * MAX_DISTANCE]
        stands = {
            other: (search.bits[other] & evaluation.meeting[seat][min(MAX_DISTANCE, far[0])]).bit_count()
            for other in variant.turn_orders[seat][:-1]
        }
        guards = stands.pop(evaluation.victims[seat])
        passers = sum(stands.values())
        rows[seat] = [
            float(len(army) - knights),
            float(knights),
            float(far[0]),
            float(far[1] if len(far) > 1 else MAX_DISTANCE),
            float(guards),
            float(passers),
            float(0 if guards or passers else max(0, CLOSE_STEPS - far[0])),
            float(bool(army) and later == 0),
            float(bool(army) and later == 1),
        ]
        later += bool(army)
    return rows


RACE_WEIGHT_SIGNS = (1, 1, -1, -1, -1, -1, 1, 1, 1)
"""The sign that each weight of `race_rows_of` must have."""
WEIGHT_SIGNS = (1, 1, 1, 1, -1, -1, 0)
"""The sign that each weight of `row_of` must have; 0 allows both. The last weight is that of the move."""


def weights_from(row: LogOddsRow) -> Weights | RaceWeights:
    """The weights of a fitted row of log-odds: goal and guard keep the shape of `FIRST_WEIGHTS`, scaled by the fit."""
    if len(row) == len(RACE_WEIGHT_SIGNS):
        return RaceWeights(*[round(100 * value, 1) for value in row])
    man, knight, goal, guard, nearest, second, move = row
    return Weights(
        man=round(100 * man, 1),
        knight=round(100 * knight, 1),
        goal=tuple(round(goal * value, 1) for value in FIRST_WEIGHTS.goal),
        guard=tuple(round(guard * value, 1) for value in FIRST_WEIGHTS.guard),
        nearest=round(100 * nearest, 1),
        second=round(100 * second, 1),
        move=round(100 * move, 1),
    )


def row_from(weights: Weights | RaceWeights) -> LogOddsRow:
    """The row of log-odds nearest to those weights."""
    if isinstance(weights, RaceWeights):
        return [value / 100 for value in astuple(weights)]
    goal, guard = sum(weights.goal) / sum(FIRST_WEIGHTS.goal), sum(weights.guard) / sum(FIRST_WEIGHTS.guard)
    rest = [value / 100 for value in (weights.nearest, weights.second, weights.move)]
    return [weights.man / 100, weights.knight / 100, goal, guard, *rest]


def play_between_evaluations(
    variant: Variant, evaluations: Sequence[PositionEvaluation], number: int, *, within: int = 15
) -> Iterator[tuple[SearchPosition, Game]]:
    """Yields every position of a game between those evaluations, one per seat, up to its end or MAX_MATCH_PLIES."""
    dice = random.Random(f"{variant.key} game {number}")  # noqa: S311 - to be the same again
    game = make_opening(variant, number // len(evaluations))
    seen: set[int] = set()
    while True:
        search = SearchPosition(game.position)
        yield search, game
        if game.outcome or len(game.moves) >= MAX_MATCH_PLIES:
            return
        if game.moves and game.moves[-1].captures:
            seen.clear()
        seen.add(search.key)
        ranked = Search(search, FITTING_NODES, seen=seen, evaluation=evaluations[search.turn]).rank_moves(
            MAX_PLIES, within
        )
        best = ranked[0][0]
        game = game.apply(as_move(game.position, dice.choice([hop for score, hop in ranked if best - score <= within])))


def score_of_seat(game: Game, seat: Seat) -> float:
    """The score of that seat: 1, 0, or an equal share of a draw."""
    winners = (game.outcome.winners if game.outcome else ()) or tuple(game.variant.seats)
    return (seat in winners) / len(winners)


def evaluation_with_weights(variant: Variant, weights: Weights | RaceWeights) -> PositionEvaluation:
    """The evaluation with those weights."""
    return RaceEvaluation(variant, weights) if isinstance(weights, RaceWeights) else Evaluation(variant, weights)


def iter_samples(variant: Variant, weights: Weights | RaceWeights, games: int, first: int) -> Iterator[Sample]:
    """Yields the quiet positions of the decided games among that many games with those weights.

    With three players each position gives two samples, the winner against each other seat: if the chances are a softmax
    of the seats' scores, each pair of seats follows a logit too.
    """
    evaluation = evaluation_with_weights(variant, weights)
    for number in range(first, first + games):
        kept: list[tuple[Seat, list[LogOddsRow]]] = []
        game = Game.start(variant)
        for search, game in play_between_evaluations(variant, [evaluation] * len(variant.armies), number):
            if search.result is None and not game.outcome and not search.due_captures():
                if isinstance(evaluation, RaceEvaluation):
                    rows = race_rows_of(search, evaluation)
                else:
                    rows = [[*row_of(search, evaluation, seat), float(seat == search.turn)] for seat in variant.seats]
                kept.append((search.turn, rows))
        if game.outcome and len(game.outcome.winners) == 1:
            winner = game.outcome.winners[0]
            for mine, rows in kept:
                one = mine if len(rows) == 2 else winner
                for other in (seat for seat in variant.seats if seat != one):
                    row = [a - b for a, b in zip(rows[one], rows[other], strict=True)]
                    yield Sample(number, row, score_of_seat(game, one), 1 / len(kept) / (len(rows) - 1))


def fit_row(samples: Sequence[Sample], before: LogOddsRow) -> LogOddsRow:
    """The log-odds that explain the results best, with `before` as prior and no weight of the wrong sign.

    A weight has the wrong sign if it makes a piece a burden or rewards distance from the attacked castle: an engine
    that searches only a few plies would then never advance. Such weights become 0, and the rest is fitted again.
    """
    free = list(range(len(before)))
    sides = RACE_WEIGHT_SIGNS if len(before) == len(RACE_WEIGHT_SIGNS) else WEIGHT_SIGNS
    while True:
        weights = newton_step_fit(samples, before, free)
        wrong = [i for i in free if weights[i] * sides[i] < 0]
        if not wrong:
            return weights
        free = [i for i in free if i not in wrong]


def newton_step_fit(samples: Sequence[Sample], before: LogOddsRow, free: Sequence[int]) -> LogOddsRow:
    """The best log-odds by Newton's method, where only the weights at the indices `free` differ from 0."""
    weights = [value if i in free else 0.0 for i, value in enumerate(before)]
    for _ in range(12):
        slope = [PRIOR_STRENGTH * (before[i] - weights[i]) for i in free]
        curve = [[PRIOR_STRENGTH * (i == j) for j in free] for i in free]
        for _, row, won, weight in samples:
            expected = chance_of_score(100 * sum(w * x for w, x in zip(weights, row, strict=True)))
            error, spread = weight * (won - expected), weight * expected * (1 - expected)
            picked = [row[i] for i in free]
            for i, x in enumerate(picked):
                if x:
                    slope[i] += error * x
                    scaled, line = spread * x, curve[i]
                    for j in range(i + 1):
                        line[j] += scaled * picked[j]
        for i in range(len(free)):
            for j in range(i):
                curve[j][i] = curve[i][j]
        step = solve_linear(curve, slope)
        for i, change in zip(free, step, strict=True):
            weights[i] += change
        if max(map(abs, step)) < 1e-5:
            break
    return weights


def solve_linear(matrix: list[LogOddsRow], right: LogOddsRow) -> LogOddsRow:
    """The solution of the linear equations, by Gauss-Jordan elimination.

    >>> solve_linear([[2.0, 0.0], [0.0, 4.0]], [2.0, 2.0])
    [1.0, 0.5]
    """
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for i in range(len(rows)):
        pivot = max(range(i, len(rows)), key=lambda at: abs(rows[at][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for j, row in enumerate(rows):
            if j != i and row[i]:
                rows[j] = [value - row[i] * lead for value, lead in zip(row, rows[i], strict=True)]
    return [row[-1] for row in rows]


def mean_log_loss(samples: Sequence[Sample], weights: LogOddsRow) -> float:
    """The mean log-loss per game of predicting the results with those weights; 0.693 without any knowledge."""
    total = 0.0
    for _, row, won, weight in samples:
        expected = chance_of_score(100 * sum(w * x for w, x in zip(weights, row, strict=True)))
        total -= weight * (won * log(max(expected, 1e-9)) + (1 - won) * log(max(1 - expected, 1e-9)))
    return total / sum(sample.weight for sample in samples)


def compare_weights(
    variant: Variant, new: Weights | RaceWeights, old: Weights | RaceWeights, games: int
) -> tuple[float, float]:
    """The score of the new weights in that many games against the old ones, and the share of draws.

    Seats rotate. With three players the new weights play alone against two in half of the games, the old ones in the
    other half. The score is per seat, so 0.5 is even.
    """
    seats, total, drawn = len(variant.armies), [0.0, 0.0], 0.0
    sitting = [0, 0]
    evaluations = [evaluation_with_weights(variant, new), evaluation_with_weights(variant, old)]
    for number in range(games):
        alone = number // seats % 2 if seats > 2 else 0
        who = [alone if seat == number % seats else 1 - alone for seat in variant.seats]
        *_, (_, game) = play_between_evaluations(
            variant, [evaluations[one] for one in who], 1_000_000 + number, within=0
        )
        for seat, one in enumerate(who):
            total[one] += score_of_seat(game, seat)
            sitting[one] += 1
        drawn += not (game.outcome and game.outcome.winners)
    rates = [won / max(1, times) for won, times in zip(total, sitting, strict=True)]
    return rates[0] / sum(rates), drawn / games


def improve_weights(variant: Variant, games: int, rounds: int, tell: Callable[[str], None]) -> Weights | RaceWeights:
    """The weights after that many rounds of self-play and fitting.

    A round keeps the old weights if the new ones lose or draw too often. Reports each round by `tell`.
    """
    race = len(variant.armies) > 2
    weights: Weights | RaceWeights
    try:
        weights = race_weights_of(variant) if race else weights_of(variant)
    except FileNotFoundError:
        weights = FIRST_RACE_WEIGHTS if race else FIRST_WEIGHTS
    gathered: list[Sample] = []
    for turn in range(rounds):
        gathered += iter_samples(variant, weights, games, turn * games)
        test = [sample for sample in gathered if sample.game % 5 == 0]
        train = [sample for sample in gathered if sample.game % 5]
        if not test or not train:
            tell(f"round {turn + 1}: too few games were decided to learn anything from them")
            continue
        before = row_from(weights)
        losses = [mean_log_loss(test, row) for row in ([0.0] * len(before), before, fit_row(train, before))]
        tell(f"round {turn + 1}: {len(gathered)} positions; log-loss of the games held back:")
        tell("  {:.3f} knowing nothing, {:.3f} with the weights before, {:.3f} with new ones".format(*losses))
        new = weights_from(fit_row(gathered, before))
        trial = max(games // 2, len(variant.armies))
        won, drawn = compare_weights(variant, new, weights, trial)
        tell(f"  the new weights scored {won:.3f} in {trial} games, {drawn:.0%} of them drawn: {new}")
        weights = new if won >= 0.5 and drawn <= MAX_DRAW_SHARE else weights
    return weights


def write_weights(variant: Variant, weights: Weights | RaceWeights, folder: Path) -> None:
    """Writes the weights to the file of the variant, which `weights_of` reads."""
    (folder / f"{variant.key}.json").write_text(json.dumps(asdict(weights), indent=2) + "\n", encoding="utf-8")
