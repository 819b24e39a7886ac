"""Reviews of finished games: computed once by the engine that the caller passes in, then stored."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from weakref import WeakValueDictionary

import structlog

from bot.core.match import Match, Phase
from bot.core.problems import Problem
from bot.play.service.matches import Matches, ServicePart
from bot.review import rows as reviews_store
from bot.review import turning_points as reviews
from bot.review.facts import bad_aftermath
from bot.review.turning_points import Review, TurningPoint
from bot.store import Reader
from rules import Move, Position, some_moves
from rules.game import resolve_passes

REVIEW_NODES, MAX_POSITION_NODES = 150_000, 3_000
"""The most nodes that the engine examines to find the chances: for the whole game, and for one position."""
MAX_MOVES_REVIEWED = 6
"""The most moves for which a better one is searched."""
ADVICE_LEVELS = {2: "hard", 3: "medium"}
"""By the number of players, the level that suggests better moves. With three players, "hard" takes long and finds no
better moves than "medium"."""
ANSWER_LEVEL = "medium"
"""The level of the replies to a better move."""
GLANCE_NODES, MAX_OTHER_MOVES = 300, 100
"""If the engine would have played the same move: the nodes that it examines for each other move, and the most such
moves."""


log = structlog.get_logger()

AskEngine = Callable[..., Awaitable[Any]]
"""Calls a function in the engine's process, given the name of the function and its arguments."""


class Reviews(ServicePart):
    """Reviews of finished matches, even of those without a result."""

    def __init__(self, matches: Matches) -> None:
        super().__init__(matches)
        self._match_locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self._engine_lock = asyncio.Lock()

    async def stored_review(self, match: Match) -> Review | None:
        """Returns the stored review of a match; None if there is none, or it was made under other rules."""
        return await read_stored_review(self._reader, match)

    async def review_match(self, match_id: int, guild: int, user: int, ask: AskEngine) -> tuple[Match, Review]:
        """Returns the match and its review for that user. Raises NOT_OVER or NO_MOVES.

        Also raises what `require_match_unplayed` raises. Reviews are computed one by one, so that later ones do
        not delay the first.
        """
        match = await self._matches.load_match(self._reader, match_id, guild)
        if match.phase is not Phase.OVER:
            raise match.refusal_for(Problem.NOT_OVER)
        if not match.ply:
            raise match.refusal_for(Problem.NO_MOVES)
        positions = reviews.positions_of_game(match)
        await self._matches.require_match_unplayed(self._reader, user, match)
        async with self._match_locks.setdefault(match_id, asyncio.Lock()):
            if review := await self.stored_review(match):
                return match, review
            async with self._engine_lock:
                review = await _think_through(positions, [step.move for step in match.steps if step.move], ask)
            async with self._store.write_transaction() as tx:
                present = await self._matches.load_match(tx, match_id)
                if present.phase is Phase.OVER and present.board_version == match.board_version:
                    text = reviews.format_review(review, positions)
                    await reviews_store.set_review(tx, match_id, match.board_version, text)
        return match, review


async def read_stored_review(reader: Reader, match: Match) -> Review | None:
    """Returns the stored review of a match; None if there is none or it was made under other rules."""
    text = await reviews_store.load_review(reader, match.id, match.board_version)
    if text is None:
        return None
    try:
        return reviews.parse_review(text, reviews.positions_of_game(match), match.started_game.moves)
    except (ValueError, LookupError, TypeError) as error:
        log.warning("review not read", match=match.id, error=str(error))
        return None


async def find_turning_points(reader: Reader, match: Match) -> Sequence[int]:
    """Returns the numbers of the moves that are turning points in the stored review."""
    review = await read_stored_review(reader, match)
    return [turning.ply + 1 for turning in review.turnings] if review else []


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
        chances = reviews.reconcile_chances(positions, judged)
        ply = reviews.suspect_ply(positions, chances, known_plies)
        if ply is None:
            break
        known_plies.add(ply)
        seat, played = positions[ply].turn, reviews.chance_left_after(positions, chances, ply)
        better, best = await _find_better_move(positions[: ply + 1], moves[ply], ask)
        if better:
            turnings.append(TurningPoint(ply, better, played, best))
        judged[ply] = reviews.with_chance(judged[ply], seat, max(played, best))
    chances = reviews.reconcile_chances(positions, judged)
    worst = [
        turning._replace(line=await _find_aftermath(positions, moves, turning.ply, ask))
        for turning in reviews.worst_turning_points(turnings, positions, chances)
    ]
    return Review(tuple(chances), tuple(worst))


async def _find_better_move(positions: list[Position], played: Move, ask: AskEngine) -> tuple[Move | None, float]:
    """Returns the best other move in the last of these positions, and the chance that it leaves its mover."""
    position, history = positions[-1], positions[:-1]
    others = [move for move in some_moves(position).moves if move.outcome != played.outcome]
    better = await ask("choose_move", position, ADVICE_LEVELS[len(position.variant.seats)], 0, history=history)
    if better.outcome == played.outcome:
        chances = [
            await ask("evaluate_chances", resolve_passes(position.after_move(move))[0], nodes=GLANCE_NODES)
            for move in others[:MAX_OTHER_MOVES]
        ]
        better = max(
            zip(others, chances, strict=False), key=lambda candidate: candidate[1][position.turn], default=(None,)
        )[0]
    return (better, await _proven_chance(position, better, ask)) if better else (None, 0.0)


async def _proven_chance(position: Position, move: Move, ask: AskEngine) -> float:
    """Returns the chance that a move leaves its mover after the best replies of the others."""
    seat, chance = position.turn, 1.0
    while True:
        position, outcome, _ = resolve_passes(position.after_move(move))
        chance = min(chance, float((await ask("evaluate_chances", position, nodes=MAX_POSITION_NODES))[seat]))
        if outcome or position.turn == seat or not position.is_playing(seat):
            return chance
        move = await ask("choose_move", position, ANSWER_LEVEL, 0)


async def _find_aftermath(positions: list[Position], moves: list[Move], ply: int, ask: AskEngine) -> tuple[Move, ...]:
    """Returns a line that shows why the move at that ply was bad: that of the game, or else a likely continuation."""
    rounds = 2 * len(positions[ply].variant.seats)
    position, outcome, _ = resolve_passes(positions[ply].after_move(moves[ply]))
    followed = list[Move]()
    for before, move in zip(positions[ply + 1 :], moves[ply + 1 : ply + 1 + rounds], strict=False):
        if before != position:  # a player has left the game
            break
        followed.append(move)
        position = resolve_passes(position.after_move(move))[0]
    if bad_aftermath(positions[ply], moves[ply], followed):
        return tuple(followed)
    position, best = resolve_passes(positions[ply].after_move(moves[ply]))[0], list[Move]()
    while not outcome and len(best) < rounds:
        best.append(await ask("choose_move", position, ANSWER_LEVEL, 0))
        position, outcome, _ = resolve_passes(position.after_move(best[-1]))
    return tuple(best)
