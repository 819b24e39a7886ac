"""The cost of plans: a move while thousands of plans wait in other games, and a chain of automatic moves."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from bot.core.events import Seating
from bot.core.match import Match
from bot.features import make_service
from bot.plans.service import Plans
from bot.play.service import Service
from bot.store import Store
from rules import format_move, legal_moves
from tests.bench import Figure
from tests.bot.playing import ADA, BO, CHANNEL, GUILD, NOW, play_typed, unshuffled

PLANS = 1000
GAMES = 80
MOVES = 60
CHAIN = 20
ROUNDS = 15


def figures() -> Iterator[Figure]:
    """Yields the cost of a move with and without a thousand plans in the server, and of a chain of twenty moves."""
    with TemporaryDirectory(prefix="bench", dir=Path.cwd()) as name:
        yield from asyncio.run(_measured(Path(name)))


async def _measured(folder: Path) -> list[Figure]:
    async with Store.open(folder / "empty.db") as empty, Store.open(folder / "crowded.db") as full:
        alone, crowded = make_service(empty, unshuffled), make_service(full, unshuffled)
        for _ in range(GAMES):
            match = await _begun(crowded)
            for choice in range(PLANS // GAMES):
                await _plan(crowded, match, BO, _line(match, 4, choice))
        without, beside = await _moves(alone, crowded)
        chains = [await _chain(crowded) for _ in range(ROUNDS)]
    detail = f"{beside * 1000:.2f} ms, without {without * 1000:.2f} ms"
    return [
        Figure("a move beside 1,000 plans / without", beside / without, 1.1, detail),
        Figure(
            "a chain of 20 moves, ms before its post", median(chains) * 1000, 50, f"at most {max(chains) * 1000:.0f}"
        ),
    ]


async def _begun(service: Service) -> Match:
    table = await service.open_table(GUILD, CHANNEL, ADA, "camelot", (), Seating.JOIN_ORDER, False, NOW)
    return await service.join_table(table.id, GUILD, BO, NOW)


async def _plan(service: Service, match: Match, user: int, line: list[str]) -> None:
    drawn = await service.part(Plans).draft_plan(match.id, GUILD, user, " ".join(line))
    await service.part(Plans).confirm_plan(drawn.id, user, NOW)


def _line(match: Match, plies: int, choice: int = 0) -> list[str]:
    game, moves = match.started_game, list[str]()
    for _ in range(plies):
        found = legal_moves(game.position)
        moves.append(format_move(found[choice % len(found)], game.variant.board))
        game = game.play(moves[-1])
    return moves


async def _moves(*services: Service) -> list[float]:
    """Returns the seconds of a move with each of them, from the press to the disk; they take turns."""
    games, spent = [await _begun(service) for service in services], [list[float]() for _ in services]
    for move in _line(games[0], MOVES):
        for number, service in enumerate(services):
            games[number], took = await _move(service, games[number], move)
            spent[number].append(took)
    return [median(one) for one in spent]


async def _move(service: Service, match: Match, move: str) -> tuple[Match, float]:
    user = match.to_move
    assert user is not None
    begun = perf_counter()
    match = await service.act_on_match(
        match.id, GUILD, lambda match, people: play_typed(match, user, move, NOW + match.ply, people=people)
    )
    return match, perf_counter() - begun


async def _chain(service: Service) -> float:
    """Returns the seconds from the press to the disk of a move that nineteen others follow."""
    match = await _begun(service)
    line = _line(match, CHAIN)
    await _plan(service, match, ADA, line)
    await _plan(service, match, BO, line)
    match, took = await _move(service, match, line[0])
    assert match.ply == CHAIN
    return took
