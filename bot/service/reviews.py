"""Reviews of finished games: thought out once, then kept. The thinking is done by whoever is handed in."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from weakref import WeakValueDictionary

import structlog

from bot.match import review as reviews
from bot.match.match import Match, Phase
from bot.match.review import Review, Turning
from bot.people.problems import Problem
from bot.service.matches import Beside, Matches
from bot.store import reviews as review_store
from rules import Move, Position
from rules.game import settle

NODES, MOST_NODES = 180_000, 3_000
"""Positions that a review may look at for its chances: of the whole game, and of one position."""


log = structlog.get_logger()

Ask = Callable[..., Awaitable[Any]]
"""Asks the engine, which is a process of its own: the name of one of its functions, and what that takes."""


class Reviews(Beside):
    """Reviews of matches that are over, with a result or without."""

    def __init__(self, matches: Matches) -> None:
        super().__init__(matches)
        self._thinking: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self._asking: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self._turn = asyncio.Lock()

    async def known(self, match: Match) -> Review | None:
        """Its review, if that has been thought out; None also where it follows other rules than today's."""
        told = await review_store.review(self._reader, match.id, match.board_version)
        if told is None:
            return None
        try:
            return reviews.parse_review(told, reviews.positions(match))
        except (ValueError, LookupError, TypeError) as error:
            log.warning("review not read", match=match.id, error=str(error))
            return None

    async def review(self, match_id: int, guild: int, user: int, ask: Ask) -> tuple[Match, Review]:
        """The match and its review, for that user. Raises NOT_OVER, NO_MOVES, or PLAYED_NOW.

        Never while the game is on, nor while another game of theirs stands where this one stood after a move. One
        review is thought out after the other, so that the first one does not wait for the last; who asks for two has
        one of them in the queue.
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
            async with self._asking.setdefault(user, asyncio.Lock()), self._turn:
                found = await _think(line, [step.move for step in match.steps if step.move], ask)
            async with self._store.writing() as tx:
                present = await self._matches.load(tx, match_id)
                if present.phase is Phase.OVER and present.board_version == match.board_version:
                    written = reviews.format_review(found, line)
                    await review_store.set_review(tx, match_id, match.board_version, written)
        return match, found


async def _think(line: list[Position], moves: list[Move], ask: Ask) -> Review:
    """The review of a game through those positions, by those moves; one question at a time, so that moves go first."""
    nodes = min(MOST_NODES, NODES // len(line))
    chances = [await ask("evaluate", position, nodes=nodes) for position in line]
    turnings = []
    for ply in reviews.suspects(line, chances):
        position, seat = line[ply], line[ply].turn
        better = await ask("choose", position, "hard", 0, history=line[:ply])
        if better.outcome != moves[ply].outcome:
            after = settle(position.after(better))[0]
            best = (await ask("evaluate", after, nodes=MOST_NODES))[seat]
            played = (await ask("evaluate", line[ply + 1], nodes=MOST_NODES))[seat]
            turnings.append(Turning(ply, better, played, best))
    return Review(tuple(map(tuple, chances)), reviews.chosen(turnings))
