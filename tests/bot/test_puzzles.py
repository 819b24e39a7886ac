"""Puzzles through the service: who gets which, what counts, the one of the day, and those of a server's own games."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bot.kit.engine import EngineAway, EngineStuck
from bot.match.events import Event
from bot.match.match import Match
from bot.people import puzzles as days
from bot.people.clock import DAY, HOUR
from bot.people.problems import Problem
from bot.people.puzzles import Attempt, Solver
from bot.people.settings import GuildSettings, UserSettings
from bot.posting.puzzles import mill
from bot.service import Service
from bot.service.puzzles import last_positions
from bot.store import Store
from bot.texts.i18n import LANGUAGES, text
from bot.texts.puzzles import daily_text, puzzle_title
from engine.puzzles import Puzzle, collection, format_puzzle
from rules import VARIANTS, Move, Position, legal_moves
from tests.bot.playing import ADA, BO, CHANNEL, CY, GUILD, NOW, refused, short_game, started, unshuffled

OSLO = ZoneInfo("Europe/Oslo")
MORNING = int(datetime(2026, 11, 23, 9, 0, tzinfo=OSLO).timestamp())
TODAY = datetime(2026, 11, 23).toordinal()  # noqa: DTZ001  # a date
CHANCE = Random(1)


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with Store.open(tmp_path / "roundtable.db") as store:
        yield Service(store, unshuffled)


async def set_up(service: Service, events: Iterable[Event]) -> Match:
    async with service.store.writing() as tx:
        number = await tx.add(Match.replay(0, events), [*events])
    return await service.match(number, GUILD)


async def ask_for_a_daily(service: Service, hour: int = 9) -> None:
    await service.people.change_guild_settings(
        GUILD, lambda known: replace(known, puzzle_channel=CHANNEL, puzzle_hour=hour, zone="Europe/Oslo")
    )


def a_puzzle(key: str = "tri-camelot", place: int = 0) -> Puzzle:
    return collection(key)[place]


def another_move(puzzle: Puzzle) -> Move:
    return next(move for move in legal_moves(puzzle.position) if not puzzle.solved_by(move))


async def daily(service: Service, now: int) -> Puzzle:
    """The puzzle of the day, which has been posted."""
    await service.puzzles.tick(now)
    posts = await service.puzzles.due(GUILD)
    for post in posts:
        await service.puzzles.mark_posted(post)
    return posts[-1].puzzle


# The calendar


def test_a_day_begins_at_midnight_of_the_server_and_its_puzzle_is_due_from_the_hour_on() -> None:
    assert days.due_day(MORNING - 1, "Europe/Oslo", 9) is None
    assert days.due_day(MORNING, "Europe/Oslo", 9) == TODAY
    assert days.due_day(MORNING, "America/New_York", 9) is None
    assert days.due_day(MORNING, "America/New_York", 0) == TODAY
    assert days.due_day(MORNING, "Asia/Tokyo", 18) is None
    assert days.due_day(MORNING + 14 * HOUR + 3599, "Europe/Oslo", 9) == TODAY


def test_a_month_is_that_of_the_calendar() -> None:
    december = days.month_of(datetime(2026, 12, 31).toordinal())  # noqa: DTZ001
    assert (len(december), december[0]) == (31, datetime(2026, 12, 1).toordinal())  # noqa: DTZ001


def test_a_streak_is_broken_by_a_puzzle_that_was_not_found_but_not_by_the_one_of_today() -> None:
    posted = [10, 11, 14, 15]  # on the days between, the bot was away
    assert days.streak(posted, [11, 14, 15]) == 3
    assert days.streak(posted, [10, 11, 14]) == 3
    assert days.streak(posted, [10, 11]) == 0
    assert days.streak([], []) == 0


def test_who_has_found_more_comes_first_and_then_who_has_tried_less() -> None:
    found = [(ADA, Attempt(3)), (BO, Attempt(1)), (CY, Attempt(2, hinted=True)), (CY, Attempt(4))]
    assert days.table(found) == [Solver(CY, 2, 6, 1), Solver(BO, 1, 1, 0), Solver(ADA, 1, 3, 0)]


# One's own


async def test_one_gets_a_puzzle_of_the_kind_and_none_a_second_time(service: Service) -> None:
    seen = set()
    for _ in range(5):
        puzzle = await service.puzzles.choose(GUILD, ADA, "tri-camelot", None, CHANCE)
        assert puzzle.position.variant.key == "tri-camelot"
        await service.puzzles.attempt_move(GUILD, ADA, 0, puzzle, another_move(puzzle), NOW)
        seen.add(puzzle.id)
    assert len(seen) == 5
    grades = {puzzle.difficulty for key in VARIANTS for puzzle in collection(key)}
    for grade in grades:
        assert (await service.puzzles.choose(None, ADA, None, grade, CHANCE)).difficulty == grade


async def test_who_has_solved_none_begins_with_easy_ones_wherever_they_come_from(service: Service) -> None:
    hard = next(puzzle for puzzle in collection("cam") if puzzle.difficulty == "hard")
    await milled(service, hard)
    for _ in range(20):
        puzzle = await service.puzzles.choose(GUILD, ADA, None, None, CHANCE)
        assert puzzle.difficulty == "easy"
    assert (await service.puzzles.choose(GUILD, ADA, None, "hard", CHANCE)).id == hard.id
    await service.puzzles.attempt_move(GUILD, ADA, 0, puzzle, puzzle.line[0], NOW)
    assert (await service.puzzles.choose(GUILD, ADA, None, None, CHANCE)).id == hard.id


@pytest.mark.parametrize("locale", LANGUAGES)
def test_in_games_of_three_it_is_always_said_against_whom(locale: str) -> None:
    three = text(locale, "puzzle.three")
    for daily in (True, False):
        assert three in puzzle_title(locale, a_puzzle("tri-camelot"), daily=daily)
        assert three not in puzzle_title(locale, a_puzzle("camelot"), daily=daily)
    assert daily_text(locale, a_puzzle("tri-camelot")).count(three) == 1


async def test_tries_count_until_it_is_found(service: Service) -> None:
    puzzle = a_puzzle()
    wrong, right = another_move(puzzle), puzzle.line[0]
    assert await service.puzzles.attempt_move(GUILD, ADA, 0, puzzle, wrong, NOW) == Attempt(1, at=NOW)
    assert await service.puzzles.hint(GUILD, ADA, 0, puzzle, NOW) == Attempt(1, hinted=True, at=NOW)
    found = Attempt(2, hinted=True, solved=True, at=NOW)
    assert await service.puzzles.attempt_move(GUILD, ADA, 0, puzzle, right, NOW) == found
    assert await service.puzzles.attempt_move(GUILD, ADA, 0, puzzle, wrong, NOW + 1) == found
    assert await service.puzzles.show(GUILD, ADA, 0, puzzle, NOW + 1) == found
    assert await service.puzzles.attempt(GUILD, BO, 0, puzzle) == Attempt()


async def test_a_position_of_a_game_that_is_on_is_no_puzzle_for_its_players(service: Service) -> None:
    """Whatever door somebody brings it in by."""
    match = await set_up(service, started("tri-camelot"))
    puzzle = Puzzle(match.started_game.position, 1, (legal_moves(match.started_game.position)[0],))
    with refused(Problem.PLAYED_NOW, number=match.id):
        await service.puzzles.attempt_move(GUILD, ADA, 0, puzzle, puzzle.line[0], NOW)
    with refused(Problem.PLAYED_NOW, number=match.id):
        await service.puzzles.show(None, BO, 0, puzzle, NOW)
    assert (await service.puzzles.attempt_move(GUILD, 5, 0, puzzle, puzzle.line[0], NOW)).solved


# The day's


async def test_there_is_one_a_day_from_the_hour_on_however_often_it_is_looked(service: Service) -> None:
    await ask_for_a_daily(service)
    await service.puzzles.tick(MORNING - 1)
    assert await service.puzzles.unannounced() == []
    for _ in range(2):
        await service.puzzles.tick(MORNING)
    (post,) = await service.puzzles.due(GUILD)
    assert (post.day, post.solution) == (TODAY, False)
    assert await service.puzzles.unannounced() == [GUILD]
    await service.puzzles.mark_posted(post)
    await service.puzzles.tick(MORNING + HOUR)
    assert await service.puzzles.unannounced() == []
    assert await service.puzzles.due(GUILD) == []


async def test_the_next_day_the_solution_comes_with_how_many_found_it(service: Service) -> None:
    await ask_for_a_daily(service)
    puzzle = await daily(service, MORNING)
    await service.puzzles.attempt_move(GUILD, ADA, TODAY, puzzle, another_move(puzzle), MORNING)
    for user in (ADA, BO):
        await service.puzzles.attempt_move(GUILD, user, TODAY, puzzle, puzzle.line[0], MORNING)
    await service.puzzles.show(GUILD, CY, TODAY, puzzle, MORNING)
    await service.puzzles.tick(MORNING + DAY)
    solution, following = await service.puzzles.due(GUILD)
    assert (solution.day, solution.solution, solution.puzzle.id) == (TODAY, True, puzzle.id)
    assert (solution.found, solution.tried) == (2, 3)
    assert (following.day, following.solution) == (TODAY + 1, False)
    assert following.puzzle.id != puzzle.id
    # From then on it is a puzzle like any other.
    await service.puzzles.mark_posted(solution)
    assert (await service.puzzles.attempt_move(GUILD, 5, TODAY, puzzle, puzzle.line[0], MORNING + DAY)).solved
    assert (await service.puzzles.standings(GUILD, 5, MORNING + DAY)).streak == 0


async def test_after_days_away_only_the_last_day_gets_a_puzzle(service: Service) -> None:
    await ask_for_a_daily(service)
    await service.puzzles.tick(MORNING)  # which could not be posted
    await service.puzzles.tick(MORNING + 3 * DAY)
    (post,) = await service.puzzles.due(GUILD)
    assert post.day == TODAY + 3


async def test_the_puzzle_of_the_day_comes_to_nobody_by_another_door(service: Service) -> None:
    await ask_for_a_daily(service)
    puzzle = await daily(service, MORNING)
    key = puzzle.position.variant.key
    for _ in range(len(collection(key)) + 5):
        other = await service.puzzles.choose(None, ADA, key, None, CHANCE)
        assert other.id != puzzle.id


async def test_the_tables_name_who_found_it_and_wants_to_be_named(service: Service) -> None:
    await ask_for_a_daily(service)
    await service.people.change_user_settings(CY, lambda _: UserSettings(public=False), NOW)
    for at in (MORNING, MORNING + DAY):
        puzzle, day = await daily(service, at), days.today(at, "Europe/Oslo")
        for user in (ADA, CY) if at == MORNING else (ADA, BO):
            await service.puzzles.attempt_move(GUILD, user, day, puzzle, puzzle.line[0], at)
    seen = await service.puzzles.standings(GUILD, ADA, MORNING + DAY)
    assert seen.of_day == [Solver(ADA, 1, 1, 0), Solver(BO, 1, 1, 0)]
    assert seen.of_month == [Solver(ADA, 2, 2, 0), Solver(BO, 1, 1, 0)]
    assert seen.streak == 2
    mine = await service.puzzles.standings(GUILD, CY, MORNING + DAY)
    assert Solver(CY, 1, 1, 0) in mine.of_month
    assert mine.streak == 1
    later = await service.puzzles.standings(GUILD, ADA, MORNING + 10 * DAY)  # in December
    assert (later.of_month, later.streak) == ([], 2)


async def test_a_server_without_a_channel_for_it_has_no_puzzle_of_the_day(service: Service) -> None:
    await service.people.change_guild_settings(GUILD, lambda _: GuildSettings(puzzle_hour=0))
    await service.puzzles.tick(MORNING)
    assert await service.puzzles.due(GUILD) == []


@pytest.mark.parametrize(
    ("wish", "problem"), [({"puzzle_hour": 24}, Problem.BAD_LIMIT), ({"zone": "Oslo"}, Problem.NO_SUCH_ZONE)]
)
async def test_an_hour_and_a_zone_that_there_are_not_are_refused(
    service: Service, wish: dict[str, object], problem: Problem
) -> None:
    with refused(problem, **({"zone": "Oslo"} if "zone" in wish else {})):
        await service.people.change_guild_settings(GUILD, lambda known: replace(known, **wish))  # type: ignore[arg-type]


# Those of a server's own games


async def milled(service: Service, *found: Puzzle) -> Match:
    """A finished game that has been looked through."""
    await ask_for_a_daily(service)
    match = await set_up(service, short_game())
    work = await service.puzzles.to_mill()
    assert work is not None
    assert work[0].id == match.id
    await service.puzzles.note_milled(match, found)
    assert await service.puzzles.to_mill() is None
    return match


async def test_a_finished_game_is_looked_through_once_the_last_moves_first(service: Service) -> None:
    await ask_for_a_daily(service)
    match = await set_up(service, short_game())
    work = await service.puzzles.to_mill()
    assert work is not None
    _, positions = work
    assert [position.turn for position in positions] == [1, 0]
    assert positions[-1] == VARIANTS["camelot"].start
    assert last_positions(match, 1) == positions[:1]
    await set_up(service, started())  # which is on
    await service.puzzles.note_milled(match, ())
    assert await service.puzzles.to_mill() is None


async def test_the_servers_own_come_first_and_stay_in_it(service: Service) -> None:
    own = replace(a_puzzle("tri-camelot", 3), misled=())
    await milled(service, own)
    assert own.difficulty == "easy"
    assert (await service.puzzles.choose(GUILD, ADA, None, None, CHANCE)).id == own.id
    await service.puzzles.tick(MORNING)
    (post,) = await service.puzzles.due(GUILD)
    assert post.puzzle.id == own.id


async def test_a_game_is_used_only_while_all_of_its_players_allow_it(service: Service) -> None:
    made = a_puzzle("tri-camelot", 3)
    match = await milled(service, made)
    await service.people.change_user_settings(BO, lambda known: replace(known, puzzles=False), NOW)
    assert await service.puzzles._own(GUILD) == []
    other = await set_up(service, short_game())
    work = await service.puzzles.to_mill()
    assert work is not None
    assert (work[0].id, work[1]) == (other.id, [])
    await service.people.change_user_settings(BO, lambda known: replace(known, puzzles=True), NOW)
    assert [puzzle.id for _, puzzle in await service.puzzles._own(GUILD)] == [made.id]
    await service.privacy.forget(BO, NOW)
    assert await service.puzzles._own(GUILD) == []
    assert match.id


async def go_on(service: Service, match: Match, phase: str = "live") -> None:
    """As after a referee has taken the end of that match back; or ended it again."""
    async with service.store.writing() as tx:
        await tx.run("UPDATE matches SET phase = ? WHERE id = ?", (phase, match.id))


async def test_a_game_that_goes_on_is_no_puzzle_until_it_is_over_again(service: Service) -> None:
    own = a_puzzle("tri-camelot", 3)
    match = await milled(service, own)
    await service.puzzles.tick(MORNING)
    (puzzle,) = await service.puzzles.due(GUILD)
    await go_on(service, match)
    assert await service.puzzles._own(GUILD) == []
    assert (await service.puzzles.due(GUILD), await service.puzzles.unannounced()) == ([], [])
    await go_on(service, match, "over")
    assert await service.puzzles.due(GUILD) == [puzzle]
    await service.puzzles.mark_posted(puzzle)
    await service.puzzles.tick(MORNING + DAY)
    await go_on(service, match)
    assert [post.solution for post in await service.puzzles.due(GUILD)] == [False]  # today's, and no solution of it
    await go_on(service, match, "over")
    assert [(post.day, post.solution) for post in await service.puzzles.due(GUILD)] == [
        (TODAY, True),
        (TODAY + 1, False),
    ]


async def test_a_puzzle_of_a_server_is_opened_there_alone_and_while_its_game_is_over(service: Service) -> None:
    own = replace(a_puzzle("cam"), position=VARIANTS["cam"].start, line=())
    match = await milled(service, own)
    assert (await service.puzzles.find(GUILD, own.id)).id == own.id
    for elsewhere in (None, GUILD + 1):
        with refused(Problem.NO_PUZZLES):
            await service.puzzles.find(elsewhere, own.id)
    await service.puzzles.tick(MORNING)
    await go_on(service, match)
    with refused(Problem.NO_PUZZLES):
        await service.puzzles.find(GUILD, own.id)


async def test_a_puzzle_that_cannot_be_read_any_more_keeps_nobody_from_the_others(service: Service) -> None:
    own = a_puzzle("tri-camelot", 3)
    await milled(service, own)
    posted = await daily(service, MORNING)
    assert posted.id == own.id
    async with service.store.writing() as tx:  # as if a rule had been mended since
        for table in ("puzzles_made", "daily_puzzles"):
            await tx.run(f"UPDATE {table} SET puzzle = replace(puzzle, 'tri-camelot', 'quad-camelot')")
    await service.puzzles.choose(GUILD, ADA, None, None, CHANCE)
    with refused(Problem.NO_PUZZLES):
        await service.puzzles.find(GUILD, "0123456789")
    await service.puzzles.tick(MORNING + DAY)
    assert [(post.day, post.solution) for post in await service.puzzles.due(GUILD)] == [(TODAY + 1, False)]
    assert await service.puzzles.unannounced() == [GUILD]


async def test_a_server_for_which_no_puzzle_is_found_keeps_no_other_waiting(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ask_for_a_daily(service)
    await service.people.change_guild_settings(GUILD - 1, lambda _: GuildSettings(puzzle_channel=1, puzzle_hour=0))
    own = service.puzzles._own

    async def fails_once(guild: int | None) -> Any:
        if guild == GUILD - 1:
            raise ValueError(guild)
        return await own(guild)

    monkeypatch.setattr(service.puzzles, "_own", fails_once)
    await service.puzzles.tick(MORNING)
    assert await service.puzzles.unannounced() == [GUILD]


class Thinker:
    """Stands for the engine: answers, or raises, one after the other."""

    def __init__(self, *answers: Puzzle | Exception | None) -> None:
        self._answers = list(answers)

    async def ask(self, name: str, position: Position, *, within: float) -> Puzzle | None:
        assert (name, within) == ("find_puzzle", 10)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def desk_with(service: Service, *answers: Puzzle | Exception | None) -> Any:
    return SimpleNamespace(service=service, engine=Thinker(*answers))


async def test_a_game_is_looked_through_beside_everything_else_and_again_where_nobody_could_think(
    service: Service,
) -> None:
    await ask_for_a_daily(service)
    match, found = await set_up(service, short_game()), a_puzzle("tri-camelot", 3)
    await mill(desk_with(service, EngineAway("gone")))
    work = await service.puzzles.to_mill()
    assert work is not None
    assert work[0].id == match.id
    await mill(desk_with(service, EngineStuck("too long"), found))
    assert await service.puzzles.to_mill() is None
    assert [puzzle.id for _, puzzle in await service.puzzles._own(GUILD)] == [found.id]
    await mill(desk_with(service))  # there is none left


# What is kept


async def test_what_somebody_makes_of_puzzles_is_theirs_exported_and_deleted(service: Service) -> None:
    puzzle = a_puzzle()
    await service.puzzles.attempt_move(GUILD, ADA, 0, puzzle, puzzle.line[0], NOW)
    (told,) = (await service.privacy.export(ADA))["puzzles"]
    assert told == {
        "server": str(GUILD),
        "day": 0,
        "puzzle": puzzle.id,
        "tries": 1,
        "hinted": 0,
        "solved": 1,
        "solution_shown": 0,
        "at": NOW,
    }
    assert (await service.privacy.export(ADA))["settings"] is None
    await service.privacy.forget(ADA, NOW)
    assert (await service.privacy.export(ADA))["puzzles"] == []


async def test_nothing_is_left_of_a_server_that_has_removed_the_bot(service: Service) -> None:
    await milled(service, a_puzzle())
    puzzle = await daily(service, MORNING)
    await service.puzzles.attempt_move(GUILD, ADA, TODAY, puzzle, puzzle.line[0], MORNING)
    await service.privacy.note_removed(GUILD, NOW)
    assert await service.privacy.delete_abandoned(NOW + 31 * DAY) == [GUILD]
    for table in ("puzzles_made", "daily_puzzles", "puzzle_results"):
        assert await service.store.reader.column(f"SELECT count(*) FROM {table}") == [0], table


def test_a_puzzle_is_written_in_a_line() -> None:
    assert "\n" not in format_puzzle(a_puzzle())
