"""Reviews of finished games: thought out once, then kept. The thinking is done by whoever is handed in."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from weakref import WeakValueDictionary

import structlog

from bot.match import review as reviews
from bot.match.facts import aftermath
from bot.match.match import Match, Phase
from bot.match.review import Review, Turning
from bot.people.problems import Problem
from bot.service.matches import Beside, Matches
from bot.store import reviews as reviews_store
from rules import Move, Position, some_moves
from rules.game import settle

NODES, MOST_NODES = 150_000, 3_000
"""Positions that a review may look at for its chances: of the whole game, and of one position."""
LOOKED_AT = 6
"""Moves at which a better one is looked for."""
ADVICE = {2: "hard", 3: "medium"}
"""The level that is asked for a better move, by how many play: hard takes long where three do, and finds no better."""
ANSWERS = "medium"
"""The level by which the others answer a better move."""
GLANCE, MOST_OTHERS = 300, 100
"""Positions that are looked at for each other move where the engine would have played the same, and how many moves."""


log = structlog.get_logger()

Ask = Callable[..., Awaitable[Any]]
"""Asks the engine, which is a process of its own: the name of one of its functions, and what that takes."""


class Reviews(Beside):
    """Reviews of matches that are over, with a result or without."""

    def __init__(self, matches: Matches) -> None:
        super().__init__(matches)
        self._thinking: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self._turn = asyncio.Lock()

    async def known(self, match: Match) -> Review | None:
        """Its review, if that has been thought out; None also where it follows other rules than today's."""
        told = await reviews_store.review(self._reader, match.id, match.board_version)
        if told is None:
            return None
        try:
            return reviews.parse_review(told, reviews.positions(match), match.started_game.moves)
        except (ValueError, LookupError, TypeError) as error:
            log.warning("review not read", match=match.id, error=str(error))
            return None

    async def review(self, match_id: int, guild: int, user: int, ask: Ask) -> tuple[Match, Review]:
        """The match and its review, for that user. Raises NOT_OVER, NO_MOVES, or PLAYED_NOW.

        Never while the game is on, nor while another game of theirs stands where this one stood after a move. One
        review is thought out after the other, so that the first one does not wait for the last.
        """
        match = await self._matches.load(self._reader, match_id, guild)
        if match.phase is not Phase.OVER:
            raise match.refusal(Problem.NOT_OVER)
        if not match.ply:
            raise match.refusal(Problem.NO_MOVES)
        line = reviews.positions(match)
        await self._matches.require_unplayed(self._reader, user, line[1:])
        async with self._thinking.setdefault(match_id, asyncio.Lock()):
            if found := await self.known(match):
                return match, found
            async with self._turn:
                found = await _think(line, [step.move for step in match.steps if step.move], ask)
            async with self._store.writing() as tx:
                present = await self._matches.load(tx, match_id)
                if present.phase is Phase.OVER and present.board_version == match.board_version:
                    written = reviews.format_review(found, line)
                    await reviews_store.set_review(tx, match_id, match.board_version, written)
        return match, found


async def _think(line: list[Position], moves: list[Move], ask: Ask) -> Review:
    """The review of a game through those positions, by those moves; one question at a time, so that moves go first.

    Where no better move is found at a move that seems bad, the position before it was worse than it seemed: the loss is
    followed back to the move that brought it about.
    """
    nodes = min(MOST_NODES, NODES // len(line))
    judged = [tuple(await ask("evaluate", position, nodes=nodes)) for position in line]
    turnings, known = list[Turning](), set[int]()
    for _ in range(LOOKED_AT):
        chances = reviews.reconciled(line, judged)
        ply = reviews.suspect(line, chances, known)
        if ply is None:
            break
        known.add(ply)
        seat, played = line[ply].turn, reviews.left_after(line, chances, ply)
        better, best = await _better(line[: ply + 1], moves[ply], ask)
        if better:
            turnings.append(Turning(ply, better, played, best))
        judged[ply] = reviews.with_chance(judged[ply], seat, max(played, best))
    chances = reviews.reconciled(line, judged)
    found = [
        one._replace(line=await _aftermath(line, moves, one.ply, ask))
        for one in reviews.chosen(turnings, line, chances)
    ]
    return Review(tuple(chances), tuple(found))


async def _better(line: list[Position], played: Move, ask: Ask) -> tuple[Move | None, float]:
    """The best other move in the last of those positions, and the chance that it leaves."""
    position, history = line[-1], line[:-1]
    others = [move for move in some_moves(position).moves if move.outcome != played.outcome]
    better = await ask("choose", position, ADVICE[len(position.variant.seats)], 0, history=history)
    if better.outcome == played.outcome:
        seen = [await ask("evaluate", settle(position.after(move))[0], nodes=GLANCE) for move in others[:MOST_OTHERS]]
        better = max(zip(others, seen, strict=False), key=lambda one: one[1][position.turn], default=(None,))[0]
    return (better, await _proven(position, better, ask)) if better else (None, 0.0)


async def _proven(position: Position, move: Move, ask: Ask) -> float:
    """The chance that a move leaves its player, once the others have answered it."""
    seat, chance = position.turn, 1.0
    while True:
        position, outcome, _ = settle(position.after(move))
        chance = min(chance, float((await ask("evaluate", position, nodes=MOST_NODES))[seat]))
        if outcome or position.turn == seat or not position.plays(seat):
            return chance
        move = await ask("choose", position, ANSWERS, 0)


async def _aftermath(line: list[Position], moves: list[Move], ply: int, ask: Ask) -> tuple[Move, ...]:
    """What shows that the move at that ply was bad: what followed in the game, else how others might go on."""
    rounds = 2 * len(line[ply].variant.seats)
    position, outcome, _ = settle(line[ply].after(moves[ply]))
    followed = list[Move]()
    for before, move in zip(line[ply + 1 :], moves[ply + 1 : ply + 1 + rounds], strict=False):
        if before != position:  # somebody has left the game
            break
        followed.append(move)
        position = settle(position.after(move))[0]
    if aftermath(line[ply], moves[ply], followed):
        return tuple(followed)
    position, best = settle(line[ply].after(moves[ply]))[0], list[Move]()
    while not outcome and len(best) < rounds:
        best.append(await ask("choose", position, ANSWERS, 0))
        position, outcome, _ = settle(position.after(best[-1]))
    return tuple(best)
