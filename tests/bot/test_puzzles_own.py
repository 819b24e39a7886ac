"""Puzzles from a server's own games: which games are used, and under which conditions."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from bot.core import refereeing
from bot.core.clock import DAY
from bot.core.match import Match
from bot.core.problems import Problem
from bot.core.settings import GuildSettings
from bot.core.timings import DEFAULT_TIMINGS
from bot.play.engine import EngineAway, EngineStuck
from bot.play.service import Service
from bot.privacy.service import Privacy
from bot.puzzles.posts import mine_next_game
from bot.puzzles.service import Puzzles, last_positions
from engine.puzzles import Puzzle
from rules import VARIANTS, Position
from tests.bot import acts
from tests.bot.playing import ADA, BO, CY, GUILD, NOW, random_move, refused, short_game, started
from tests.bot.puzzling import CHANCE, MORNING, TODAY, a_puzzle, ask_for_a_daily, daily, milled, set_up


async def test_a_finished_game_is_looked_through_once_the_last_moves_first(service: Service) -> None:
    await ask_for_a_daily(service)
    match = await set_up(service, short_game())
    work = await service.part(Puzzles).next_to_mine()
    assert work is not None
    _, positions = work
    assert [position.turn for position in positions] == [1, 0]
    assert positions[-1] == VARIANTS["camelot"].start_position
    assert last_positions(match, 1) == positions[:1]
    await set_up(service, started())  # a live game
    await service.part(Puzzles).note_searched(match, ())
    assert await service.part(Puzzles).next_to_mine() is None


async def test_the_servers_own_come_first_and_stay_in_it(service: Service) -> None:
    own = replace(a_puzzle("tri-camelot", 3), misled=())
    await milled(service, own)
    assert own.difficulty == "easy"
    assert (await service.part(Puzzles).choose_puzzle(GUILD, ADA, None, None, CHANCE)).id == own.id
    await service.part(Puzzles).tick(MORNING)
    (post,) = await service.part(Puzzles).posts_due(GUILD)
    assert post.puzzle.id == own.id


async def test_a_game_is_used_only_while_all_of_its_players_allow_it(service: Service) -> None:
    made = a_puzzle("tri-camelot", 3)
    match = await milled(service, made)
    await service.people.change_user_settings(BO, lambda known: replace(known, puzzles=False), NOW)
    assert await service.part(Puzzles)._own_puzzles(GUILD) == []
    other = await set_up(service, short_game())
    work = await service.part(Puzzles).next_to_mine()
    assert work is not None
    assert (work[0].id, work[1]) == (other.id, [])
    await service.people.change_user_settings(BO, lambda known: replace(known, puzzles=True), NOW)
    assert [puzzle.id for _, puzzle in await service.part(Puzzles)._own_puzzles(GUILD)] == [made.id]
    await service.part(Privacy).forget_person(BO, NOW)
    assert await service.part(Puzzles)._own_puzzles(GUILD) == []
    assert match.id


async def go_on(service: Service, match: Match, phase: str = "live") -> None:
    """Leaves the match as after a referee has reopened it, or ended it again."""
    async with service.store.write_transaction() as tx:
        await tx.run_sql("UPDATE matches SET phase = ? WHERE id = ?", (phase, match.id))


async def test_a_resumed_game_is_no_puzzle_until_it_is_over_again(service: Service) -> None:
    own = a_puzzle("tri-camelot", 3)
    match = await milled(service, own)
    await service.part(Puzzles).tick(MORNING)
    (puzzle,) = await service.part(Puzzles).posts_due(GUILD)
    await go_on(service, match)
    assert await service.part(Puzzles)._own_puzzles(GUILD) == []
    assert (await service.part(Puzzles).posts_due(GUILD), await service.part(Puzzles).unannounced_servers()) == ([], [])
    await go_on(service, match, "over")
    assert await service.part(Puzzles).posts_due(GUILD) == [puzzle]
    await service.part(Puzzles).mark_posted(puzzle)
    await service.part(Puzzles).tick(MORNING + DAY)
    await go_on(service, match)
    assert [post.solution for post in await service.part(Puzzles).posts_due(GUILD)] == [
        False
    ]  # today's puzzle without a solution
    await go_on(service, match, "over")
    assert [(post.day, post.solution) for post in await service.part(Puzzles).posts_due(GUILD)] == [
        (TODAY, True),
        (TODAY + 1, False),
    ]


async def test_a_resumed_game_is_searched_for_puzzles_again_once_over(service: Service) -> None:
    await ask_for_a_daily(service)
    match = await set_up(service, started("cam"))
    match = await acts.move(service, match.id, GUILD, ADA, random_move(match, Random(1)), NOW)
    match = await acts.resign(service, match.id, GUILD, BO, NOW)
    await service.part(Puzzles).note_searched(match, ())
    assert await service.part(Puzzles).next_to_mine() is None
    match = await service.act_on_match(
        match.id, GUILD, lambda match, _: refereeing.rewind_match(match, CY, match.ply, "why", NOW)
    )
    assert match.is_live
    assert await service.part(Puzzles).next_to_mine() is None
    await acts.resign(service, match.id, GUILD, ADA, NOW)
    assert await service.part(Puzzles).next_to_mine() is not None


async def test_a_servers_puzzle_opens_only_there_and_while_its_game_is_over(service: Service) -> None:
    own = replace(a_puzzle("cam"), position=VARIANTS["cam"].start_position, line=())
    match = await milled(service, own)
    assert (await service.part(Puzzles).find_puzzle(GUILD, own.id)).id == own.id
    for elsewhere in (None, GUILD + 1):
        with refused(Problem.NO_PUZZLES):
            await service.part(Puzzles).find_puzzle(elsewhere, own.id)
    await service.part(Puzzles).tick(MORNING)
    await go_on(service, match)
    with refused(Problem.NO_PUZZLES):
        await service.part(Puzzles).find_puzzle(GUILD, own.id)


async def test_an_unreadable_puzzle_keeps_nobody_from_the_others(service: Service) -> None:
    own = a_puzzle("tri-camelot", 3)
    await milled(service, own)
    posted = await daily(service, MORNING)
    assert posted.id == own.id
    async with service.store.write_transaction() as tx:  # as if a rule had been corrected since
        for table in ("puzzles_made", "daily_puzzles"):
            await tx.run_sql(f"UPDATE {table} SET puzzle = replace(puzzle, 'tri-camelot', 'quad-camelot')")
    await service.part(Puzzles).choose_puzzle(GUILD, ADA, None, None, CHANCE)
    with refused(Problem.NO_PUZZLES):
        await service.part(Puzzles).find_puzzle(GUILD, "0123456789")
    await service.part(Puzzles).tick(MORNING + DAY)
    assert [(post.day, post.solution) for post in await service.part(Puzzles).posts_due(GUILD)] == [(TODAY + 1, False)]
    assert await service.part(Puzzles).unannounced_servers() == [GUILD]


async def test_a_server_for_which_no_puzzle_is_found_keeps_no_other_waiting(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ask_for_a_daily(service)
    await service.people.change_guild_settings(GUILD - 1, lambda _: GuildSettings(puzzle_channel=1))
    own = service.part(Puzzles)._own_puzzles

    async def fails_once(guild: int | None) -> Any:
        if guild == GUILD - 1:
            raise ValueError(guild)
        return await own(guild)

    monkeypatch.setattr(service.part(Puzzles), "_own_puzzles", fails_once)
    await service.part(Puzzles).tick(MORNING)
    assert await service.part(Puzzles).unannounced_servers() == [GUILD]


class Thinker:
    """Stands in for the engine: returns or raises these, one after the other."""

    def __init__(self, *answers: Puzzle | Exception | None) -> None:
        self._answers = list(answers)

    async def ask(self, name: str, position: Position, *, within: float) -> Puzzle | None:
        assert (name, within) == ("find_puzzle", 10)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def desk_with(service: Service, *answers: Puzzle | Exception | None) -> Any:
    return SimpleNamespace(service=service, engine=Thinker(*answers), timings=DEFAULT_TIMINGS)


async def test_a_game_is_searched_in_the_background_and_retried_after_failure(service: Service) -> None:
    await ask_for_a_daily(service)
    match, found = await set_up(service, short_game()), a_puzzle("tri-camelot", 3)
    await mine_next_game(desk_with(service, EngineAway("gone")))
    work = await service.part(Puzzles).next_to_mine()
    assert work is not None
    assert work[0].id == match.id
    await mine_next_game(desk_with(service, EngineStuck("too long"), found))
    assert await service.part(Puzzles).next_to_mine() is None
    assert [puzzle.id for _, puzzle in await service.part(Puzzles)._own_puzzles(GUILD)] == [found.id]
    await mine_next_game(desk_with(service))  # no game is left
