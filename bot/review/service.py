"""Reviews of finished games: computed once by the engine that the caller passes in, then stored."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any, NamedTuple

import structlog

from bot.core.match import Match, Phase, replay_changes
from bot.core.problems import Problem
from bot.play.background import compute_beside, compute_for
from bot.play.service import Service
from bot.review.facts import bad_aftermath
from bot.store import Reader
from rules import Game, Move, Position, Seat, format_move, parse_move
from rules.game import resolve_passes

# A review: the chances of each seat, and the turning points. Pure; does not search.

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
    """Returns the positions before the first move and after every move, as they were when the next move was made.

    The last one still has those who left only after the last move: no move is to blame for that.
    """
    moves = [replayed for replayed in replay_changes(match) if replayed.change.move]
    last = moves[-1].after if moves else match.started_game
    return [*(before.position for before, _, _ in moves), last.position]


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
    seat, last = positions[ply].turn, len(positions) - 1
    again = next((later for later in range(ply + 1, last) if positions[later].turn == seat), last)
    return min(seats[seat] for seats in chances[ply + 1 : again + 1])


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
        (ply, format_move(better, board), played, best, [format_move(move, board) for move in line])
        for ply, better, played, best, line in review.turnings
    ]
    chances = [[round(chance, 3) for chance in seats] for seats in review.chances]
    return json.dumps({"chances": chances, "turnings": turnings})


def parse_review(text: str, positions: Sequence[Position], moves: Sequence[Move]) -> Review:
    """Returns the review from that line of JSON. `positions` and `moves` are those of the game.

    Raises ValueError, LookupError or TypeError if the text does not fit, because it may date from other rules.
    """
    stored = json.loads(text)
    if len(stored["chances"]) != len(positions):
        raise ValueError(len(positions))
    turnings = list[TurningPoint]()
    for ply, better, played, best, followed in stored["turnings"]:
        # The line starts right after the move: in the next position, a player may have left already.
        line = _parse_line(positions[ply].after_move(moves[ply]), followed)
        turnings.append(TurningPoint(ply, parse_move(positions[ply], better), played, best, line))
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


# The service

REVIEW_NODES, MAX_POSITION_NODES = 150_000, 3_000
"""The most nodes that the engine examines to find the chances: for the whole game, and for one position."""
MAX_MOVES_REVIEWED = 6
"""The most moves for which a better one is searched."""
ADVICE_LEVELS = {2: "hard", 3: "7"}
"""By the number of players, the level that suggests better moves. With three players, "hard" takes long and finds no
better moves than "7"."""
ANSWER_LEVELS = {2: "medium", 3: "7"}
"""By the number of players, the level of the replies to a better move."""

log = structlog.get_logger()

AskEngine = Callable[..., Awaitable[Any]]
"""Calls a function in the engine's process, given the name of the function and its arguments."""


async def review_match(service: Service, match_id: int, guild: int, user: int, ask: AskEngine) -> tuple[Match, Review]:
    """Returns the match and its review for that user. Raises NOT_OVER or NO_MOVES.

    Also raises what `require_match_unplayed` raises. Reviews are computed one by one, so that later ones do
    not delay the first.
    """
    match = await service.load_match(service.reader, match_id, guild)
    match.refuse_if(match.phase is not Phase.OVER, Problem.NOT_OVER)
    match.refuse_if(not match.ply, Problem.NO_MOVES)
    positions = await compute_beside(positions_of_game, match)
    await service.require_match_unplayed(service.reader, user, match)
    async with service.lock_of("review", match_id):
        review = await read_stored_review(service.reader, match)
        if review is None:
            async with service.lock_of("review"):
                review = await _think_through(positions, [change.move for change in match.changes if change.move], ask)
            found = {"board": match.board_version, "review": format_review(review, positions)}
            async with service.store.write_transaction() as tx:
                present = await service.load_match(tx, match_id)
                if present.phase is Phase.OVER and present.board_version == match.board_version:
                    await tx.save_row("reviews", {"match": match_id}, found)
            # A running game may have come there while the engine was thinking.
            await service.require_match_unplayed(service.reader, user, match)
    return match, review


async def read_stored_review(reader: Reader, match: Match) -> Review | None:
    """Returns the stored review of a match; None if there is none or it was made under other rules."""
    sql = "SELECT review FROM reviews WHERE match = ? AND board = ?"
    row = await reader.read_row(sql, (match.id, match.board_version))
    if row is None:
        return None
    try:
        return await compute_for(
            reader, lambda: parse_review(row[0], positions_of_game(match), match.started_game.moves)
        )
    except (ValueError, LookupError, TypeError) as error:
        log.warning("review not read", match=match.id, error=str(error))
        return None


async def _think_through(positions: list[Position], moves: list[Move], ask: AskEngine) -> Review:
    """Reviews a game given by its positions and moves. Asks the engine one question at a time, so that it can answer
    moves of house players in between.

    If a move seems bad but no better one is found, the position before it was worse than it seemed. So the loss is
    traced back to the move that caused it.
    """
    nodes = min(MAX_POSITION_NODES, REVIEW_NODES // len(positions))
    judged = [tuple(await ask("evaluate_chances", position, nodes=nodes)) for position in positions]
    turnings, known_plies = list[TurningPoint](), set[int]()
    for _ in range(MAX_MOVES_REVIEWED):
        chances = reconcile_chances(positions, judged)
        ply = suspect_ply(positions, chances, known_plies)
        if ply is None:
            break
        known_plies.add(ply)
        seat, played = positions[ply].turn, chance_left_after(positions, chances, ply)
        advised, history = ADVICE_LEVELS[len(positions[ply].variant.seats)], positions[:ply]
        better, best = await ask("choose_move", positions[ply], advised, 0, history=history), played
        if better.outcome != moves[ply].outcome:
            best = await _proven_chance(positions[ply], better, ask)
            turnings.append(TurningPoint(ply, better, played, best))
        judged[ply] = with_chance(judged[ply], seat, max(played, best))
    chances = reconcile_chances(positions, judged)
    worst = [
        turning._replace(line=await _find_aftermath(positions, moves, turning.ply, ask))
        for turning in worst_turning_points(turnings, positions, chances)
    ]
    return Review(tuple(chances), tuple(worst))


async def _proven_chance(position: Position, move: Move, ask: AskEngine) -> float:
    """Returns the chance that a move leaves its mover after the best replies of the others."""
    seat, chance = position.turn, 1.0
    while True:
        position, outcome, _ = resolve_passes(position.after_move(move))
        chance = min(chance, float((await ask("evaluate_chances", position, nodes=MAX_POSITION_NODES))[seat]))
        if outcome or position.turn == seat or not position.is_playing(seat):
            return chance
        move = await ask("choose_move", position, ANSWER_LEVELS[len(position.variant.seats)], 0)


async def _find_aftermath(positions: list[Position], moves: list[Move], ply: int, ask: AskEngine) -> tuple[Move, ...]:
    """Returns a line that shows why the move at that ply was bad: the answers in the game, or else those of the engine,
    and then a likely continuation. What the mover did later is another matter.
    """
    bad, answers = positions[ply], list[Move]()
    game = begun = Game.from_position(bad).apply(moves[ply])
    for before, move in zip(positions[ply + 1 :], moves[ply + 1 :], strict=False):
        if before != game.position or before.turn == bad.turn:  # a player has left the game, or moves again
            break
        answers.append(move)
        game = game.apply(move)
    for line, reached in ((answers, game), ([], begun)):
        game = reached
        while not game.outcome and len(line) < 2 * len(bad.variant.seats):
            line.append(await ask("choose_move", game.position, ANSWER_LEVELS[len(bad.variant.seats)], 0))
            game = game.apply(line[-1])
        if bad_aftermath(bad, moves[ply], line):
            break
    return tuple(line)
