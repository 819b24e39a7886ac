"""What a running game between people closes: reviews, openings, puzzles and games against bots, by one rule."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from bot.core import leaving
from bot.core.events import Seating
from bot.core.match import Match
from bot.core.problems import MatchError, Problem
from bot.core.running_positions import (
    MAX_LOSSES,
    OPENING_PLIES,
    PLIES_AROUND,
    RunningGame,
    describe_present,
    look_near,
    number_position,
)
from bot.features import make_service
from bot.play.service import Service
from bot.puzzles.service import PUZZLE_POSTED, Puzzles
from bot.review.service import Reviews
from bot.store import Store, game_lists
from engine.puzzles import Puzzle, format_puzzle
from rules import VARIANTS, Game, Move, Position, legal_moves
from rules.symmetry import symmetries
from tests.bot import acts
from tests.bot.playing import ADA, BO, CHANNEL, CY, GUILD, NOW, refused, started, unshuffled
from tests.bot.reviewing import Thinker, set_up

DEE, EVE = CY + 1, CY + 2
LINE = ("D6-D5", "D11-D12", "E6-E5", "E11-E12", "F6-F5", "F11-F12", "G6-G5", "G11-G12", "H6-H5", "H11-H12")
"""Steps of a game of Camelot that can be made in any order, each by its side."""


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with Store.open(tmp_path / "roundtable.db") as store:
        yield make_service(store, unshuffled)


async def play(service: Service, moves: tuple[str, ...], *, over: bool = False) -> Match:
    """A game of Ada and Bo with those moves, resigned at the end if it is to be over."""
    match = await set_up(service, started("camelot"))
    for move in moves:
        match = await acts.move(service, match.id, GUILD, match.to_move or 0, move, NOW)
    return await resign(service, match) if over else match


async def resign(service: Service, match: Match) -> Match:
    return await service.act_on_match(match.id, GUILD, lambda match, _: leaving.resign(match, match.still_in[0], NOW))


def reordered(moves: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the moves with the first and the last of the first player exchanged."""
    last = len(moves) - 1 - (len(moves) - 1) % 2
    return (moves[last], *moves[1:last], moves[0], *moves[last + 1 :])


def puzzle_at(position: Position) -> Puzzle:
    return Puzzle(position, 1, (legal_moves(position)[0],))


async def ask_everything(service: Service, user: int, over: Match) -> list[Problem | None]:
    """Returns how a review of the game, openings at its last position and a puzzle there are refused."""
    position = over.started_game.position
    questions: list[Callable[[], Awaitable[object]]] = [
        lambda: service.part(Reviews).review_match(over.id, GUILD, user, Thinker()),
        lambda: service.require_unplayed(service.store.reader, user, [position]),
        lambda: service.part(Puzzles).attempt_move(GUILD, user, 0, puzzle_at(position), legal_moves(position)[0], NOW),
    ]
    problems: list[Problem | None] = []
    for ask in questions:
        try:
            await ask()
        except MatchError as error:
            problems.append(error.problem)
        else:
            problems.append(None)
    return problems


@pytest.mark.parametrize("plies", [2, 4, 8])
async def test_a_game_played_into_the_next_position_gives_no_advice(service: Service, plies: int) -> None:
    live, over = await play(service, LINE[:plies]), await play(service, reordered(LINE[: plies + 1]), over=True)
    assert number_position(live.started_game.position) not in {
        number_position(before) for before in positions_of(over)
    }, "the finished game never stood where the running one stands"
    for user in (ADA, BO):
        assert await ask_everything(service, user, over) == [Problem.PLAYED_NOW] * 3
    assert await ask_everything(service, DEE, over) == [None] * 3
    await resign(service, live)
    assert await ask_everything(service, ADA, over) == [None] * 3


def positions_of(match: Match) -> list[Position]:
    game, positions = Game.start(match.variant), list[Position]()
    for move in match.started_game.moves:
        game = game.apply(move)
        positions.append(game.position)
    return positions


async def test_the_very_position_of_a_running_game_is_closed_to_everybody(service: Service) -> None:
    live, over = await play(service, LINE[:8]), await play(service, reordered(LINE[:8]), over=True)
    assert await ask_everything(service, DEE, over) == [Problem.PLAYED_BY_OTHERS] * 3
    await acts.move(service, live.id, GUILD, ADA, LINE[8], NOW)
    assert await ask_everything(service, DEE, over) == [None] * 3
    assert await ask_everything(service, BO, over) == [Problem.PLAYED_NOW] * 3


async def test_in_the_opening_nothing_is_closed_to_others(service: Service) -> None:
    await play(service, LINE[:OPENING_PLIES])
    over = await play(service, LINE[:OPENING_PLIES], over=True)
    assert await ask_everything(service, DEE, over) == [None] * 3


async def test_nobody_plays_a_bot_where_a_running_game_stands(service: Service) -> None:
    await play(service, LINE[:8])
    for user in (ADA, DEE):
        game = await service.open_table(
            *(GUILD, CHANNEL, user, "camelot", [], Seating.JOIN_ORDER, False, NOW), house="easy"
        )
        order = reordered(LINE[:8])
        for number, move in enumerate(order[:6]):
            if number % 2:
                await acts.house_move(service, game.id, game.players[1], number, move, NOW)
            else:
                await acts.move(service, game.id, GUILD, user, move, NOW)
        if user == ADA:
            with refused(Problem.PLAYED_NOW):  # the position after the move is one move away from hers
                await acts.move(service, game.id, GUILD, user, order[6], NOW)
            continue
        await acts.move(service, game.id, GUILD, user, order[6], NOW)
        await acts.house_move(service, game.id, game.players[1], 7, order[7], NOW)
        with refused(Problem.PLAYED_BY_OTHERS):
            await acts.move(service, game.id, GUILD, user, "I6-I5", NOW)


async def test_a_game_against_bots_closes_nothing(service: Service) -> None:
    game = await service.open_table(*(GUILD, CHANNEL, ADA, "camelot", [], Seating.JOIN_ORDER, False, NOW), house="easy")
    for number, move in enumerate(LINE[:8]):
        if number % 2:
            await acts.house_move(service, game.id, game.players[1], number, move, NOW)
        else:
            await acts.move(service, game.id, GUILD, ADA, move, NOW)
    over = await play(service, LINE[:8], over=True)
    assert await ask_everything(service, ADA, over) == [None] * 3
    assert await ask_everything(service, DEE, over) == [None] * 3


async def test_a_solution_waits_for_a_game_that_stands_there(service: Service) -> None:
    live, puzzles = await play(service, LINE[:8]), service.part(Puzzles)
    puzzle = puzzle_at(live.started_game.position)
    async with service.store.write_transaction() as tx:
        await tx.run_sql(
            "INSERT INTO daily_puzzles (guild, day, id, puzzle, told) VALUES (?, 1, ?, ?, ?)",
            (GUILD, puzzle.id, format_puzzle(puzzle), PUZZLE_POSTED),
        )
        await tx.run_sql(
            "INSERT INTO daily_puzzles (guild, day, id, puzzle, told) VALUES (?, 2, ?, ?, 0)",
            (GUILD, puzzle.id, format_puzzle(puzzle)),
        )
    assert not any(post.solution for post in await puzzles.posts_due(GUILD))
    await acts.move(service, live.id, GUILD, ADA, LINE[8], NOW)
    assert any(post.solution for post in await puzzles.posts_due(GUILD))


async def test_a_running_game_of_an_earlier_version_is_placed_by_the_tick(service: Service) -> None:
    live, over = await play(service, LINE[:8]), await play(service, reordered(LINE[:8]), over=True)
    async with service.store.write_transaction() as tx:
        await tx.run_sql("UPDATE matches SET present = NULL, position = NULL WHERE id = ?", (live.id,))
    assert await ask_everything(service, ADA, over) == [None] * 3
    await service.upkeep.tick(NOW)
    assert await ask_everything(service, ADA, over) == [Problem.PLAYED_NOW] * 3
    assert await ask_everything(service, DEE, over) == [Problem.PLAYED_BY_OTHERS] * 3


async def test_no_running_game_is_replayed_for_a_question(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        await play(service, LINE[:4])
    far = Game.start(VARIANTS["camelot"])
    for move in LINE[4:]:
        far = far.play(move)
    service._cache.clear()  # type: ignore[attr-defined]

    def replay(*_: object) -> Match:
        raise AssertionError

    monkeypatch.setattr(Match, "replay", replay)
    await service.require_unplayed(service.store.reader, ADA, [far.position])


@pytest.mark.sqlite
async def test_the_questions_to_the_database_use_indices_whatever_the_planner_believes(tmp_path: Path) -> None:
    async with Store.open(tmp_path / "roundtable.db") as store, store.write_transaction() as tx:
        await tx.run_sql("ANALYZE")  # of an empty database
        plans = [
            await tx.run_sql(f"EXPLAIN QUERY PLAN {sql}", values)
            for sql, values in await statements_of(tx)  # those that the questions run
        ]
    assert len(plans) == 2
    assert not [row for plan in plans for row in plan if "SCAN matches" in str(row) or "SCAN players" in str(row)]


async def statements_of(tx: object) -> list[tuple[str, object]]:
    """Returns the statements that a question runs, with their values."""
    heard: list[tuple[str, object]] = []

    class Listener:
        async def run_sql(self, sql: str, values: object = ()) -> list[object]:
            heard.append((sql, values))
            return []

    await game_lists.running_games(Listener(), ADA, "camelot")  # type: ignore[arg-type]
    await game_lists.is_any_closed_to_all(Listener(), [1, 2], None)  # type: ignore[arg-type]
    return heard


@pytest.mark.parametrize("key", VARIANTS)
def test_what_is_four_moves_away_is_near_on_a_turned_board(key: str) -> None:
    rng, game = random.Random(key), Game.start(VARIANTS[key])
    line: list[tuple[Game, Move]] = []
    while game.outcome is None and len(line) < 30:
        move = rng.choice(legal_moves(game.position))
        line.append((game, move))
        game = game.apply(move)
    for place, (here, _) in enumerate(line[:-PLIES_AROUND]):
        there = line[place + PLIES_AROUND][0].position
        if here.position.cells.count(0) + MAX_LOSSES < there.cells.count(0):
            continue  # a slaughter
        for symmetry in symmetries(here.variant):
            turned = symmetry.turn_position(there)
            assert number_position(turned) == number_position(there)
            assert near(here.position, turned)
            assert near(turned, here.position)
    if key not in ("camette", "cam"):  # on small boards, counting cells tells little apart
        assert not near(line[0][0].position, line[-1][0].position)


def near(present: Position, asked: Position, plies: int = PLIES_AROUND) -> bool:
    game = RunningGame(1, 1, f"{present.turn}:{present.cells.hex()}")
    return look_near([game], [asked], plies)[0] == [1]


def test_the_note_of_a_position_is_what_is_compared() -> None:
    match = Match.replay(1, started("camelot"))
    position = match.started_game.position
    assert look_near([RunningGame(7, 1, describe_present(match))], [position], 0)[0] == [7]
    after = position.after_move(legal_moves(position)[0])
    assert near(position, after, 1)
    assert not near(position, after, 0)
