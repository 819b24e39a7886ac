"""The review of a finished game: the chances of each seat, and the turning points. Pure; does not search."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import NamedTuple

from bot.core.match import Match
from bot.core.match_parts import replay_changes
from rules import Move, Position, Seat, format_move, parse_move
from rules.game import resolve_passes

MAX_TURNING_POINTS = 3
"""The most turning points that a review has."""
MIN_LOSS_SHARE = 0.2
"""A move is a turning point if a better one would have improved the mover's chance by at least this share of an equal
chance."""

Chances = tuple[float, ...]
"""The chances of the seats to win, in seat order. They add up to 1."""


class TurningPoint(NamedTuple):
    """A move that was worse than another one."""

    ply: int
    """The number of moves before it."""
    better: Move
    played_chance: float
    """The mover's chance after the move that was made. `better_chance` is their chance after the better move."""
    better_chance: float
    line: tuple[Move, ...] = ()
    """The moves that followed, or those with which strong players would have continued."""

    @property
    def chance_lost(self) -> float:
        """The part of their chance that the mover gave away."""
        return self.better_chance - self.played_chance


class Review(NamedTuple):
    """The findings on one game."""

    chances: tuple[Chances, ...]
    """The chances of each seat before the first move and after every move."""
    turnings: tuple[TurningPoint, ...]
    """In the order of the game."""


def positions_of_game(match: Match) -> list[Position]:
    """Returns the positions before the first move and after every move, as they were when the next move was made."""
    replayed = replay_changes(match.variant, match.steps)
    return [*(before.position for before, change, _ in replayed if change.move), match.started_game.position]


def reconcile_chances(positions: Sequence[Position], judged: Sequence[Chances]) -> list[Chances]:
    """Returns the chances in the course of the game, from independent judgements of its positions.

    The chance of a player to move is at least the chance that they have after their move. So if the engine sees an
    effect only after the answer, the effect counts from the move that allows it, and no move improves the mover's own
    chance.
    """
    from_the_end = [judged[-1]]
    for position, chances in zip(positions[-2::-1], judged[-2::-1], strict=True):
        seat = position.turn
        from_the_end.append(with_chance(chances, seat, max(chances[seat], from_the_end[-1][seat])))
    return from_the_end[::-1]


def with_chance(chances: Chances, seat: Seat, chance: float) -> Chances:
    """Returns the chances with one seat's replaced. The other seats share the rest in the old proportions."""
    others = 1 - chances[seat]
    share = (1 - chance) / others if others else 0.0
    spread = (1 - chance) / (len(chances) - 1)
    return tuple(
        chance if other == seat else old_chance * share if others else spread
        for other, old_chance in enumerate(chances)
    )


def chance_left_after(positions: Sequence[Position], chances: Sequence[Chances], ply: int) -> float:
    """Returns the chance that the move at that ply left to its mover: their lowest until they move again."""
    return chances[lowest_after(positions, chances, ply)][positions[ply].turn]


def lowest_after(positions: Sequence[Position], chances: Sequence[Chances], ply: int) -> int:
    """Returns the number of moves after which the chance of the mover at that ply is lowest, before they move again. If
    there are several such numbers, returns the first."""
    seat = positions[ply].turn
    again = next(
        (later for later in range(ply + 1, len(positions)) if positions[later].turn == seat), len(positions) - 1
    )
    return min(range(ply + 1, again + 1), key=lambda moves: chances[moves][seat])


def suspect_ply(positions: Sequence[Position], chances: Sequence[Chances], known_plies: Collection[int]) -> int | None:
    """Returns the ply at which the move seems to have cost its mover most, known plies excepted; None if no move has
    cost much."""
    cost = {
        ply: chances[ply][positions[ply].turn] - chance_left_after(positions, chances, ply)
        for ply in range(len(positions) - 1)
        if ply not in known_plies
    }
    worst = max(cost, key=lambda ply: (cost[ply], -ply), default=None)
    return worst if worst is not None and cost[worst] >= _min_loss(positions) else None


def worst_turning_points(
    turnings: Sequence[TurningPoint], positions: Sequence[Position], chances: Sequence[Chances]
) -> tuple[TurningPoint, ...]:
    """Returns the turning points that cost most, by the chances as known now, in the order of the game."""
    updated = [
        turning._replace(played_chance=chance_left_after(positions, chances, turning.ply)) for turning in turnings
    ]
    worst = sorted(
        (turning for turning in updated if turning.chance_lost >= _min_loss(positions)),
        key=lambda turning: -turning.chance_lost,
    )[:MAX_TURNING_POINTS]
    return tuple(sorted(worst))


def format_review(review: Review, positions: Sequence[Position]) -> str:
    """Returns the review as a line of JSON, which `parse_review` reads."""
    board = positions[0].variant.board
    turnings = [
        (
            turning.ply,
            format_move(turning.better, board),
            turning.played_chance,
            turning.better_chance,
            [format_move(move, board) for move in turning.line],
        )
        for turning in review.turnings
    ]
    return json.dumps(
        {"chances": [[round(chance, 3) for chance in seats] for seats in review.chances], "turnings": turnings}
    )


def parse_review(text: str, positions: Sequence[Position], moves: Sequence[Move]) -> Review:
    """Returns the review from that line of JSON. `positions` and `moves` are those of the game.

    Raises ValueError, LookupError or TypeError if the text does not fit, because it may date from other rules.
    """
    stored = json.loads(text)
    if len(stored["chances"]) != len(positions):
        raise ValueError(len(positions))
    turnings = [
        # The line starts right after the move: in the next position, a player may have left already.
        TurningPoint(
            ply,
            parse_move(positions[ply], better),
            played,
            best,
            _parse_line(positions[ply].after_move(moves[ply]), followed),
        )
        for ply, better, played, best, followed in stored["turnings"]
    ]
    return Review(tuple(tuple(seats) for seats in stored["chances"]), tuple(turnings))


def _parse_line(position: Position, moves: Sequence[str]) -> tuple[Move, ...]:
    parsed_moves = []
    for typed in moves:
        position = resolve_passes(position)[0]
        parsed_moves.append(parse_move(position, typed))
        position = position.after_move(parsed_moves[-1])
    return tuple(parsed_moves)


def _min_loss(positions: Sequence[Position]) -> float:
    return MIN_LOSS_SHARE / len(positions[0].variant.seats)
