"""Puzzles through the service: whose turn it is to get which, and the daily puzzle."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import datetime

import pytest

from bot.core.clock import DAY, HOUR
from bot.core.deadlines import Actor
from bot.core.draft import list_move_choices
from bot.core.problems import Problem
from bot.core.settings import GuildSettings, Sharing, UserSettings
from bot.play.composer.panel import PanelContent, panel_view
from bot.play.service import Service, people, upkeep
from bot.privacy.service import export_person, forget_person
from bot.puzzles import service as rows
from bot.puzzles.commands import PuzzlePanel, PuzzleState, daily_text, puzzle_title, puzzle_words, table_lines
from bot.puzzles.service import Attempt, PuzzleStandings, Solver
from bot.store import Writer
from bot.texts.i18n import Language, text
from bot.texts.sentences import colour_name
from engine.puzzles import Puzzle, format_puzzle, shipped_puzzles
from render.scene import sheet_of
from rules import VARIANTS
from tests.bot.beginning import opened
from tests.bot.databases import change, write
from tests.bot.playing import ADA, BO, CY, GUILD, NOW, refused
from tests.bot.puzzle_servers import CHANCE, MORNING, TODAY, a_puzzle, another_move, ask_for_a_daily, daily

# The calendar


@pytest.mark.parametrize("key", VARIANTS)
def test_every_piece_of_a_puzzle_is_in_sight_while_one_is_chosen(key: str) -> None:
    # The bug: most puzzles of large boards showed no piece of the other side.
    for puzzle in shipped_puzzles(key):
        board = PuzzlePanel(PuzzleState(puzzle.id), puzzle)
        panel = PanelContent("en", board, board.cursor, list_move_choices(board.game, ()), UserSettings())
        assert not (shown := sheet_of(panel_view(panel)).part) or {*puzzle.position.pieces} <= {*shown}


def test_a_day_begins_at_server_midnight_its_puzzle_at_nine() -> None:
    assert rows.due_day(MORNING - 1, "Europe/Oslo") is None
    assert rows.due_day(MORNING, "Europe/Oslo") == TODAY
    assert rows.due_day(MORNING, "America/New_York") is None
    assert rows.due_day(MORNING + 14 * HOUR + 3599, "Europe/Oslo") == TODAY


def test_a_month_is_that_of_the_calendar() -> None:
    december = rows.month_of(datetime(2026, 12, 31).toordinal())  # noqa: DTZ001
    assert (len(december), december[0]) == (31, datetime(2026, 12, 1).toordinal())  # noqa: DTZ001


def test_a_streak_breaks_on_an_unsolved_puzzle_but_not_on_todays() -> None:
    posted = [10, 11, 14, 15]  # on the days between, the bot was away
    assert rows.solved_streak(posted, [11, 14, 15]) == 3
    assert rows.solved_streak(posted, [10, 11, 14]) == 3
    assert rows.solved_streak(posted, [10, 11]) == 0
    assert rows.solved_streak([], []) == 0


def test_who_has_found_more_comes_first_and_then_who_has_tried_less() -> None:
    found = [(ADA, Attempt(3)), (BO, Attempt(1)), (CY, Attempt(2, hinted=True)), (CY, Attempt(4))]
    assert rows.rank_solvers(found) == [Solver(CY, 2, 6, 1), Solver(BO, 1, 1, 0), Solver(ADA, 1, 3, 0)]


# One's own


async def test_one_gets_a_puzzle_of_the_kind_and_none_a_second_time(service: Service) -> None:
    seen = set()
    for _ in range(5):
        puzzle = await rows.choose_puzzle(service, Actor(ADA, NOW, GUILD), "tri-camelot", None, CHANCE)
        assert puzzle.position.variant.key == "tri-camelot"
        await rows.attempt_move(service, Actor(ADA, NOW, GUILD), 0, puzzle, another_move(puzzle))
        seen.add(puzzle.id)
    assert len(seen) == 5
    for grade in {puzzle.difficulty for key in VARIANTS for puzzle in shipped_puzzles(key)}:
        assert (await rows.choose_puzzle(service, Actor(ADA, NOW, None), None, grade, CHANCE)).difficulty == grade


async def test_puzzles_of_games_that_one_has_learned_or_played_come_first(service: Service) -> None:
    async def variants_chosen() -> set[str]:
        chosen = [await rows.choose_puzzle(service, Actor(ADA, NOW, GUILD), None, None, CHANCE) for _ in range(20)]
        return {puzzle.position.variant.key for puzzle in chosen}

    assert len(await variants_chosen()) > 2
    await people.set_next_lesson(service, ADA, "cam", 3)
    assert await variants_chosen() == {"cam"}
    assert await people.next_lessons(service, ADA) == {"cam": 3}
    await opened(service, "tri-camelot", channel=1, house_level="easy")
    assert await variants_chosen() == {"cam", "tri-camelot"}


async def test_who_has_solved_none_begins_with_easy_ones(service: Service) -> None:
    async def grades_chosen(difficulty: str | None = None) -> set[str]:
        actor = Actor(ADA, NOW, GUILD)
        chosen = [await rows.choose_puzzle(service, actor, None, difficulty, CHANCE) for _ in range(20)]
        return {puzzle.difficulty for puzzle in chosen}

    assert await grades_chosen() == {"easy"}
    assert await grades_chosen("hard") == {"hard"}
    await rows.attempt_move(service, Actor(ADA, NOW, GUILD), 0, a_puzzle(), a_puzzle().line[0])
    assert len(await grades_chosen()) > 1


def test_against_two_others_it_is_always_said_that_they_may_join_forces(locale: str) -> None:
    three, puzzles = text(locale, "puzzle.three"), shipped_puzzles("tri-camelot")
    kinds = [(all(map(puzzle.position.is_playing, range(3))), puzzle.moves > 1) for puzzle in puzzles]
    against_two, against_one, at_once = (
        puzzles[kinds.index(kind)] for kind in ((True, True), (False, True), (True, False))
    )
    for of_day in (True, False):
        assert three in puzzle_title(locale, against_two, daily=of_day)
        for puzzle in (against_one, at_once, a_puzzle("camelot")):
            assert three not in puzzle_title(locale, puzzle, daily=of_day)
    assert daily_text(locale, against_two).count(three) == 1


def test_the_picture_in_words_has_no_markup(locale: Language) -> None:
    puzzle = next(one for one in shipped_puzzles("camelot") if one.moves == 2)
    words = puzzle_words(locale, puzzle)
    to_move = colour_name(locale, puzzle.position.variant, puzzle.position.turn)
    task = text(locale, "puzzle.task.in-2", emblem="", colour=to_move)
    assert words.startswith(task.replace("**", "").strip())
    assert "*" not in words


async def test_the_collection_is_read_beside_the_event_loop(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    read = list[int]()

    def reading(key: str) -> tuple[Puzzle, ...]:
        read.append(threading.get_ident())
        return shipped_puzzles(key)

    monkeypatch.setattr("bot.puzzles.service.shipped_puzzles", reading)
    rows._read_collection.cache_clear()
    puzzle = await rows.choose_puzzle(service, Actor(ADA, NOW, None), None, None, CHANCE)
    assert await rows.find_puzzle(service.reader, None, puzzle.id) is puzzle
    assert read
    assert threading.get_ident() not in read


async def test_tries_count_until_it_is_found(service: Service) -> None:
    puzzle = a_puzzle()
    wrong, right = another_move(puzzle), puzzle.line[0]
    assert await rows.attempt_move(service, Actor(ADA, NOW, GUILD), 0, puzzle, wrong) == Attempt(1, at=NOW)
    actor = Actor(ADA, NOW, GUILD)
    hinted = await rows.change_attempt(service, actor, 0, puzzle, lambda attempt: attempt._replace(hinted=True))
    assert hinted == Attempt(1, hinted=True, at=NOW)
    found = Attempt(2, hinted=True, solved=True, at=NOW)
    assert await rows.attempt_move(service, Actor(ADA, NOW, GUILD), 0, puzzle, right) == found
    assert await rows.attempt_move(service, Actor(ADA, NOW + 1, GUILD), 0, puzzle, wrong) == found
    assert await rows.change_attempt(service, actor, 0, puzzle, lambda attempt: attempt._replace(shown=True)) == found
    assert await rows.current_attempt(service, Actor(BO, NOW, GUILD), 0, puzzle) == Attempt()


# The day's


async def posts_asked(service: Service) -> list[tuple[int, int]]:
    """Returns the servers with a job to post puzzles, each with how often it has been asked for."""
    return [(job.guild, job.requests) for job in await service.reader.find_jobs("kind = 'puzzle'")]


async def test_there_is_one_puzzle_a_day_however_often_the_tick_looks(service: Service) -> None:
    await ask_for_a_daily(service)
    await rows.choose_due_puzzles(service, MORNING - 1)
    assert await posts_asked(service) == []
    for _ in range(2):
        await rows.choose_due_puzzles(service, MORNING)
    (post,) = await rows.posts_due(service, GUILD)
    assert (post.day, post.solution) == (TODAY, False)
    assert await posts_asked(service) == [(GUILD, 1)]
    await rows.mark_posted(service, post)
    await rows.choose_due_puzzles(service, MORNING + HOUR)
    assert await posts_asked(service) == [(GUILD, 1)]
    assert await rows.posts_due(service, GUILD) == []


async def test_the_next_day_the_solution_comes_with_how_many_found_it(service: Service) -> None:
    await ask_for_a_daily(service)
    puzzle = await daily(service, MORNING)
    await rows.attempt_move(service, Actor(ADA, MORNING, GUILD), TODAY, puzzle, another_move(puzzle))
    for user in (ADA, BO):
        await rows.attempt_move(service, Actor(user, MORNING, GUILD), TODAY, puzzle, puzzle.line[0])
    given_up = Attempt(shown=True)
    await rows.change_attempt(service, Actor(CY, MORNING, GUILD), TODAY, puzzle, lambda _: given_up)
    await rows.choose_due_puzzles(service, MORNING + DAY)
    solution, following = await rows.posts_due(service, GUILD)
    assert (solution.day, solution.solution, solution.puzzle.id) == (TODAY, True, puzzle.id)
    assert (solution.found, solution.tried) == (2, 3)
    assert (following.day, following.solution) == (TODAY + 1, False)
    assert following.puzzle.id != puzzle.id
    # From then on it is a puzzle like any other.
    await rows.mark_posted(service, solution)
    assert (await rows.attempt_move(service, Actor(5, MORNING + DAY, GUILD), TODAY, puzzle, puzzle.line[0])).solved
    assert (await rows.load_standings(service.reader, GUILD, 5, MORNING + DAY)).streak == 0


async def test_after_days_away_only_the_last_day_gets_a_puzzle(service: Service) -> None:
    await ask_for_a_daily(service)
    await rows.choose_due_puzzles(service, MORNING)  # which could not be posted
    await rows.choose_due_puzzles(service, MORNING + 3 * DAY)
    (post,) = await rows.posts_due(service, GUILD)
    assert post.day == TODAY + 3


async def test_the_puzzle_of_the_day_comes_to_nobody_by_another_door(service: Service) -> None:
    await ask_for_a_daily(service)
    puzzle = await daily(service, MORNING)
    key = puzzle.position.variant.key
    for _ in range(len(shipped_puzzles(key)) + 5):
        other = await rows.choose_puzzle(service, Actor(ADA, NOW, None), key, None, CHANCE)
        assert other.id != puzzle.id


async def test_a_server_that_asks_for_no_more_puzzles_withholds_none(service: Service) -> None:
    await ask_for_a_daily(service)
    last = await daily(service, MORNING)
    assert await rows.open_puzzle_ids(service.reader) == {last.id}
    await people.change_guild_settings(service, GUILD, lambda _: GuildSettings())
    assert await rows.open_puzzle_ids(service.reader) == set()


async def test_the_tables_name_who_found_it_and_wants_to_be_named(service: Service) -> None:
    await ask_for_a_daily(service)
    await people.change_user_settings(service, Actor(CY, NOW), lambda _: UserSettings(sharing=Sharing.NOTHING))
    for at in (MORNING, MORNING + DAY):
        puzzle, day = await daily(service, at), rows.day_at(at, "Europe/Oslo")
        for user in (ADA, CY) if at == MORNING else (ADA, BO):
            await rows.attempt_move(service, Actor(user, at, GUILD), day, puzzle, puzzle.line[0])
    seen = await rows.load_standings(service.reader, GUILD, ADA, MORNING + DAY)
    assert seen.of_day == [Solver(ADA, 1, 1, 0), Solver(BO, 1, 1, 0)]
    assert seen.of_month == [Solver(ADA, 2, 2, 0), Solver(BO, 1, 1, 0)]
    assert seen.streak == 2
    mine = await rows.load_standings(service.reader, GUILD, CY, MORNING + DAY)
    assert Solver(CY, 1, 1, 0) in mine.of_month
    assert mine.streak == 1
    later = await rows.load_standings(service.reader, GUILD, ADA, MORNING + 10 * DAY)  # in December
    assert (later.of_month, later.streak) == ([], 2)
    assert later.of_day == seen.of_day, "the last puzzle stays that of the day until the next one"


async def test_a_server_without_a_puzzle_channel_has_no_puzzle_of_the_day(service: Service) -> None:
    await people.change_guild_settings(service, GUILD, lambda _: GuildSettings(zone="Europe/Oslo"))
    await rows.choose_due_puzzles(service, MORNING)
    assert await rows.posts_due(service, GUILD) == []


def test_both_tables_have_every_solver_and_say_if_there_is_none(locale: Language) -> None:
    standings = PuzzleStandings(TODAY, (), [Solver(user, 2, 3, 1) for user in range(1, 90)], 0)
    lines = table_lines(locale, standings)
    nobody, hint = text(locale, "puzzle.table.nobody"), text(locale, "puzzle.table.hints.one", count=1)
    assert lines[:2] == [text(locale, "puzzle.table.day"), nobody]
    assert len(lines) == 3 + 89
    assert all("**2**" in line and hint in line for line in lines[3:])


# What is kept


async def test_what_somebody_makes_of_puzzles_is_theirs_exported_and_deleted(service: Service) -> None:
    puzzle = a_puzzle()
    await rows.attempt_move(service, Actor(ADA, NOW, GUILD), 0, puzzle, puzzle.line[0])
    (told,) = (await export_person(service, ADA))["puzzles"]
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
    assert (await export_person(service, ADA))["settings"] is None
    await forget_person(service, ADA, NOW)
    assert (await export_person(service, ADA))["puzzles"] == []


async def test_nothing_is_left_of_a_server_that_has_removed_the_bot(service: Service) -> None:
    await ask_for_a_daily(service)
    puzzle = await daily(service, MORNING)
    await rows.attempt_move(service, Actor(ADA, MORNING, GUILD), TODAY, puzzle, puzzle.line[0])
    await upkeep.note_removed(service, GUILD, NOW)
    assert await upkeep.delete_abandoned(service, NOW + 31 * DAY) == [GUILD]
    for table in ("daily_puzzles", "puzzle_results", "jobs"):
        assert await service.reader.read_column(f"SELECT count(*) FROM {table}") == [0], table


async def test_a_puzzle_no_longer_shipped_opens_in_its_server_alone(service: Service) -> None:
    await ask_for_a_daily(service)
    own = replace(a_puzzle("cam"), position=VARIANTS["cam"].start_position, line=())
    day = rows.DailyPuzzle(GUILD, TODAY - 1, own.id, format_puzzle(own), rows.PUZZLE_POSTED)
    await write(service.store, Writer.add_row, "daily_puzzles", day._asdict())
    assert (await rows.find_puzzle(service.reader, GUILD, own.id)).id == own.id
    for elsewhere in (None, GUILD + 1):
        with refused(Problem.NO_PUZZLES):
            await rows.find_puzzle(service.reader, elsewhere, own.id)
    await rows.choose_due_puzzles(service, MORNING)
    assert [post.solution for post in await rows.posts_due(service, GUILD)] == [True, False]
    # As if a rule had been corrected since.
    await change(
        service.store, "UPDATE daily_puzzles SET puzzle = replace(puzzle, 'cam ', 'ham ') WHERE id = ?", own.id
    )
    assert [post.solution for post in await rows.posts_due(service, GUILD)] == [False]
