"""Fits the weights of a variant to games that the engine plays against itself.

The fit is a conditional logit of the result on the quiet positions; every game has the same weight, and the previous
weights are the prior. A fifth of the games tests whether the new weights predict results better. Then the new weights
play a match against the old ones. A variant without weights begins with `FIRST_WEIGHTS`. With three players the tables
of `engine.cells` are fitted after the weights of the race, in the same way: each entry is a weight.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, astuple, replace
from itertools import count
from math import inf, log
from pathlib import Path
from typing import Any, NamedTuple

from engine.cells import MAX_MEETING, CellEvaluation, CellTables, cell_tables_of
from engine.evaluation import MAX_DISTANCE, Evaluation, Weights, chance_of_score, weights_of
from engine.race import CLOSE_STEPS, RaceEvaluation, RaceWeights, race_weights_of
from engine.rational import RationalSearch
from engine.search import MAX_PLIES, PositionEvaluation, Search
from engine.search_position import SearchPosition, as_move
from engine.tools.match import MAX_MATCH_PLIES, MatchGame, make_opening
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

FITTING_NODES, TABLES_FITTING_NODES = 300, 2_000
"""How many positions the engine searches per move of the self-play games; with tables, where a round takes more."""
PRIOR_STRENGTH = 10.0
"""The strength of the prior, the previous weights. One extra Man in each of five games is as much evidence as 1."""

MAX_DRAW_SHARE = 0.2
"""The largest acceptable share of draws: weights that draw more often no longer advance."""

FittedWeights = Weights | RaceWeights | CellTables
LogOddsRow = list[float]
"""A value for each weight."""
SparseRow = dict[int, float]
"""The features that are not 0, by the number of their weight."""


class Sample(NamedTuple):
    """A quiet position: the features of the winner of the game minus those of another seat."""

    game: int
    row: SparseRow
    weight: float


def row_of(search: SearchPosition, evaluation: Evaluation, seat: Seat) -> LogOddsRow:
    """The features of one of two seats: Men, Knights, progress, guards, how far its two foremost pieces have to go, and
    whether it is to move."""
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
        float(seat == search.turn),
    ]


def race_rows_of(search: SearchPosition, evaluation: RaceEvaluation) -> dict[Seat, SparseRow]:
    """With three players: the features of each seat that can still win, in the order of `RaceWeights`."""
    rows: dict[Seat, SparseRow] = {}
    for later, (seat, far, next_far, owners, thirds) in enumerate(evaluation.list_races(search)):
        knights = search.cells.count(evaluation.knights[seat])
        men = len(search.army[seat]) - knights
        free = 0 if owners or thirds else max(0, CLOSE_STEPS - far)
        row = (men, knights, far, next_far, owners, thirds, free, later == 0, later == 1)
        rows[seat] = dict(enumerate(map(float, row)))
    return rows


def table_rows_of(search: SearchPosition, evaluation: CellEvaluation) -> dict[Seat, SparseRow]:
    """How often each entry of the tables counts for each seat that can still win, by the number of the entry."""
    numbers, cells = refill_tables(evaluation.tables, count()), search.cells
    rows: dict[Seat, SparseRow] = {}
    for later, (seat, far, next_far, owners, thirds) in enumerate(evaluation.list_races(search)):
        race = numbers.race[later][far][min(MAX_MEETING, owners)][min(MAX_MEETING, thirds)]
        row = Counter([race, numbers.second[later][next_far]])
        for other, army in enumerate(search.army):
            kinds, turned = numbers.pieces[(other - seat) % len(search.army)], numbers.turned[seat]
            row.update(kinds[cells[cell] == evaluation.knights[other]][turned[cell]] for cell in army)
        rows[seat] = dict(row)
    return rows


def refill_tables(tables: CellTables, entries: Iterable[int]) -> CellTables:
    """Those tables with other entries, which come in the order of `iter_entries`."""
    left = iter(entries)

    def fill_in(part: Any) -> Any:
        return [fill_in(one) for one in part] if isinstance(part, list) else next(left)

    return replace(tables, pieces=fill_in(tables.pieces), race=fill_in(tables.race), second=fill_in(tables.second))


def iter_entries(part: Any) -> Iterator[int]:
    """Yields every number of the tables `part`, which may be nested."""
    if isinstance(part, list):
        for one in part:
            yield from iter_entries(one)
    else:
        yield part


def rows_of(search: SearchPosition, evaluation: PositionEvaluation) -> dict[Seat, SparseRow]:
    """The features of each seat that can still win, for the kind of weights of that evaluation."""
    if isinstance(evaluation, CellEvaluation):
        return table_rows_of(search, evaluation)
    if isinstance(evaluation, RaceEvaluation):
        return race_rows_of(search, evaluation)
    return {seat: dict(enumerate(row_of(search, evaluation, seat))) for seat in search.variant.seats}


RACE_WEIGHT_SIGNS = (1, 1, -1, -1, -1, -1, 1, 1, 1)
"""The sign that each weight of `race_rows_of` must have."""
WEIGHT_SIGNS = (1, 1, 1, 1, -1, -1, 0)
"""The sign that each weight of `row_of` must have; 0 allows both."""


def weights_from(row: LogOddsRow, before: FittedWeights) -> FittedWeights:
    """The weights, of the kind of `before`, of a fitted row of log-odds.

    Goal and guard keep the shape of `FIRST_WEIGHTS`, scaled by the fit.
    """
    if isinstance(before, CellTables):
        return refill_tables(before, [round(100 * value) for value in row])
    if isinstance(before, RaceWeights):
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


def row_from(weights: FittedWeights) -> LogOddsRow:
    """The row of log-odds nearest to those weights."""
    if isinstance(weights, CellTables):
        return [value / 100 for value in iter_entries([weights.pieces, weights.race, weights.second])]
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
        evaluation = evaluations[search.turn]
        thinking: Search
        if isinstance(evaluation, CellEvaluation):
            thinking = RationalSearch(game.position, evaluation, TABLES_FITTING_NODES, seen, inf)
        else:
            thinking = Search(search, FITTING_NODES, seen=seen, evaluation=evaluation)
        ranked = thinking.rank_moves(MAX_PLIES, within)
        best = ranked[0][0]
        game = game.apply(as_move(game.position, dice.choice([hop for score, hop in ranked if best - score <= within])))


def evaluation_with_weights(variant: Variant, weights: FittedWeights) -> PositionEvaluation:
    """The evaluation with those weights."""
    if isinstance(weights, CellTables):
        return CellEvaluation(variant, weights)
    return RaceEvaluation(variant, weights) if isinstance(weights, RaceWeights) else Evaluation(variant, weights)


def iter_samples(variant: Variant, weights: FittedWeights, games: int, first: int) -> Iterator[Sample]:
    """Yields the quiet positions of the decided games among that many games with those weights.

    With three players each position gives two samples, the winner against each other seat: if the chances are a softmax
    of the seats' scores, each pair of seats follows a logit too.
    """
    evaluation = evaluation_with_weights(variant, weights)
    for number in range(first, first + games):
        kept: list[dict[Seat, SparseRow]] = []
        game = Game.start(variant)
        for search, game in play_between_evaluations(variant, [evaluation] * len(variant.armies), number):
            if search.result is None and not game.outcome and not search.due_captures():
                kept.append(rows_of(search, evaluation))
        if game.outcome and len(game.outcome.winners) == 1:
            for rows in kept:
                for row in compare_rows(rows, game.outcome.winners[0]):
                    yield Sample(number, row, 1 / len(kept) / (len(variant.armies) - 1))


def compare_rows(rows: dict[Seat, SparseRow], winner: Seat) -> Iterator[SparseRow]:
    """Yields the features of the winner minus those of each other seat."""
    won = rows[winner]
    for seat, row in rows.items():
        if seat != winner:
            yield {i: won.get(i, 0) - row.get(i, 0) for i in won.keys() | row if won.get(i, 0) != row.get(i, 0)}


def fit_row(samples: Sequence[Sample], before: LogOddsRow, signs: Sequence[int]) -> LogOddsRow:
    """The log-odds that explain the results best, with `before` as prior and no weight of the wrong sign.

    A weight has the wrong sign if it makes a piece a burden or rewards distance from the attacked castle: an engine
    that searches only a few plies would then never advance. Such weights become 0, and the rest is fitted again.
    """
    dropped: set[int] = set()
    while True:
        weights = newton_step_fit(samples, before, dropped)
        wrong = {i for i, sign in enumerate(signs) if weights[i] * sign < 0}
        if not wrong:
            return weights
        dropped |= wrong


def newton_step_fit(samples: Sequence[Sample], before: LogOddsRow, dropped: Collection[int]) -> LogOddsRow:
    """The best log-odds by Newton's method, 0 at the indices `dropped`; those that no sample has stay as before."""
    weights = [0.0 if i in dropped else value for i, value in enumerate(before)]
    free = sorted({i for sample in samples for i in sample.row}.difference(dropped))
    places = {i: place for place, i in enumerate(free)}
    for _ in range(12):
        slope = [PRIOR_STRENGTH * (before[i] - weights[i]) for i in free]
        curve = [[PRIOR_STRENGTH * (i == j) for j in free] for i in free]
        for _, row, weight in samples:
            expected = chance_of_row(row, weights)
            error, spread = weight * (1 - expected), weight * expected * (1 - expected)
            picked = [(places[i], x) for i, x in row.items() if i in places]
            for i, x in picked:
                slope[i] += error * x
                scaled, line = spread * x, curve[i]
                for j, y in picked:
                    line[j] += scaled * y
        step = solve_linear(curve, slope)
        for i, change in zip(free, step, strict=True):
            weights[i] += change
        if max(map(abs, step)) < 1e-5:
            break
    return weights


def chance_of_row(row: SparseRow, weights: LogOddsRow) -> float:
    """The chance of one seat against another, with those weights; the row has the difference of their features."""
    return chance_of_score(100 * sum(weights[i] * x for i, x in row.items()))


def solve_linear(matrix: list[LogOddsRow], right: LogOddsRow) -> LogOddsRow:
    """The solution of the linear equations, by Gaussian elimination.

    >>> solve_linear([[1.0, 1.0], [1.0, 3.0]], [5.0, 11.0])
    [2.0, 3.0]
    """
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for i in range(len(rows)):
        pivot = max(range(i, len(rows)), key=lambda at: abs(rows[at][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        top = rows[i][i:]
        for row in rows[i + 1 :]:
            lead = row[i] / top[0]
            row[i:] = [value - above * lead for value, above in zip(row[i:], top, strict=True)]
    found: list[float] = []
    for i, row in reversed([*enumerate(rows)]):
        known = sum(value * x for value, x in zip(row[i + 1 : -1], found, strict=True))
        found.insert(0, (row[-1] - known) / row[i])
    return found


def mean_log_loss(samples: Sequence[Sample], weights: LogOddsRow) -> float:
    """The mean log-loss per game of predicting the results with those weights; 0.693 without any knowledge."""
    total = sum(weight * log(max(chance_of_row(row, weights), 1e-9)) for _, row, weight in samples)
    return -total / sum(sample.weight for sample in samples)


def compare_weights(variant: Variant, new: FittedWeights, old: FittedWeights, games: int) -> tuple[float, float]:
    """The score of the new weights, in turn at each seat, against the old ones, and the share of draws.

    The score is per seat, so 0.5 is even.
    """
    seats, played = len(variant.armies), list[MatchGame]()
    evaluations = {"new": evaluation_with_weights(variant, new), "old": evaluation_with_weights(variant, old)}
    for number in range(games):
        seating = tuple("new" if seat == number % seats else "old" for seat in variant.seats)
        seated = [evaluations[name] for name in seating]
        *_, (_, game) = play_between_evaluations(variant, seated, 1_000_000 + number, within=0)
        played.append(MatchGame(seating, game))
    won, lost = sum(one.score_of("new") for one in played), sum(one.score_of("old") for one in played) / (seats - 1)
    return won / (won + lost), sum(one.is_drawn for one in played) / games


def list_kept_weights(variant: Variant, folder: Path) -> list[FittedWeights]:
    """What the variant is evaluated by: its weights, with three players those of the race and then the tables.

    A variant of two that has none gets `FIRST_WEIGHTS`, also in that folder: openings are judged by them.
    """
    if len(variant.armies) > 2:
        return [race_weights_of(variant), cell_tables_of(variant)]
    try:
        return [weights_of(variant)]
    except FileNotFoundError:
        write_weights(variant, FIRST_WEIGHTS, folder)
        return [FIRST_WEIGHTS]


def improve_weights(
    variant: Variant, weights: FittedWeights, games: int, rounds: int, tell: Callable[[str], None]
) -> FittedWeights:
    """The weights after that many rounds of self-play and fitting.

    A round keeps the old weights if the new ones lose or draw too often. Reports each round by `tell`.
    """
    signs = {Weights: WEIGHT_SIGNS, RaceWeights: RACE_WEIGHT_SIGNS, CellTables: ()}[type(weights)]
    gathered: list[Sample] = []
    for turn in range(rounds):
        gathered += iter_samples(variant, weights, games, turn * games)
        test = [sample for sample in gathered if sample.game % 5 == 0]
        train = [sample for sample in gathered if sample.game % 5]
        if not test or not train:
            tell(f"round {turn + 1}: too few games were decided to learn anything from them")
            continue
        before = row_from(weights)
        losses = [mean_log_loss(test, row) for row in ([0.0] * len(before), before, fit_row(train, before, signs))]
        tell(f"{type(weights).__name__}, round {turn + 1}: {len(gathered)} positions; log-loss of the games held back:")
        tell("  {:.3f} knowing nothing, {:.3f} with the weights before, {:.3f} with new ones".format(*losses))
        new = weights_from(fit_row(gathered, before, signs), weights)
        trial = max(games // 2, len(variant.armies))
        won, drawn = compare_weights(variant, new, weights, trial)
        tell(f"  the new ones scored {won:.3f} in {trial} games, {drawn:.0%} of them drawn")
        weights = new if won >= 0.5 and drawn <= MAX_DRAW_SHARE else weights
    return weights


def write_weights(variant: Variant, weights: FittedWeights, folder: Path) -> None:
    """Writes the weights to the file of the variant that they were read from."""
    part, indent = ("-cells", None) if isinstance(weights, CellTables) else ("", 2)
    (folder / f"{variant.key}{part}.json").write_text(
        json.dumps(asdict(weights), indent=indent) + "\n", encoding="utf-8"
    )
