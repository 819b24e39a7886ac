"""Puzzles: choosing one for a user, attempts, and the puzzle of the day."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime
from functools import cache
from random import Random, SystemRandom
from typing import NamedTuple

from bot.core.deadlines import Actor
from bot.core.problems import MatchError, Problem
from bot.core.setting_kinds import zone_named
from bot.play.service import Service
from bot.play.service.people import next_lessons
from bot.store import Job, Reader, servers
from bot.store import people as people_store
from engine.puzzles import DIFFICULTIES, Puzzle, format_puzzle, parse_puzzle, shipped_puzzles
from rules import VARIANTS, Move, Position
from rules.game import positions_along

# Days and tables. Pure.

DAILY_HOUR = 9
"""The hour of a server's day at which its puzzle is due."""


class Attempt(NamedTuple):
    """One person's progress on a puzzle."""

    tries: int = 0
    """The moves tried, including the right one."""
    hinted: bool = False
    solved: bool = False
    shown: bool = False
    """Whether they asked to be shown the solution instead of finding it."""
    at: int = 0

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to find."""
        return bool(self.solved or self.shown)


class Solver(NamedTuple):
    """A row of the table of solvers."""

    user: int
    solved: int
    """The number of puzzles that they solved."""
    tries: int
    """The tries on all of those puzzles together."""
    hinted: int


def day_at(now: int, zone: str) -> int:
    """The day at that instant in that zone; 1 is the first of January of the year 1."""
    return datetime.fromtimestamp(now, zone_named(zone)).toordinal()


def due_day(now: int, zone: str) -> int | None:
    """Returns the day whose puzzle is due: the current day from DAILY_HOUR on; None before."""
    local_time = datetime.fromtimestamp(now, zone_named(zone))
    return local_time.toordinal() if local_time.hour >= DAILY_HOUR else None


def month_of(day: int) -> range:
    """The days of the month that contains that day."""
    first = date.fromordinal(day).replace(day=1)
    following = date(first.year + first.month // 12, first.month % 12 + 1, 1)
    return range(first.toordinal(), following.toordinal())


def rank_solvers(solved: Iterable[tuple[int, Attempt]]) -> list[Solver]:
    """The solvers, most puzzles first, then fewest tries. `solved` has one pair per user and puzzle."""
    solvers: dict[int, Solver] = {}
    for user, attempt in solved:
        solver = solvers.get(user, Solver(user, 0, 0, 0))
        solvers[user] = Solver(user, solver.solved + 1, solver.tries + attempt.tries, solver.hinted + attempt.hinted)
    return sorted(solvers.values(), key=lambda line: (-line.solved, line.tries, line.hinted, line.user))


def solved_streak(days: Sequence[int], solved: Iterable[int]) -> int:
    """How many puzzles in a row somebody has solved, up to the latest; `days` are those that had a puzzle.

    The latest puzzle does not break the row: it can still be solved.
    """
    solved_days, count = set(solved), 0
    for index, day in enumerate(sorted(days, reverse=True)):
        if day in solved_days:
            count += 1
        elif index:
            break
    return count


# SQL: daily puzzles, and people's attempts

PUZZLE_POSTED, SOLUTION_POSTED = 1, 2
"""Values of `posted`: the puzzle has been posted, and its solution too."""


class DailyPuzzle(NamedTuple):
    """The stored puzzle of a server's day."""

    guild: int
    day: int
    id: str
    puzzle: str
    posted: int = 0


async def variants_played(reader: Reader, guild: int) -> list[str]:
    """The variants of which a server has finished games."""
    return await reader.read_column(
        # One step for each variant, instead of one for each game.
        "WITH RECURSIVE one (variant) AS (SELECT min(variant) FROM results WHERE guild = :guild UNION ALL"
        " SELECT (SELECT min(variant) FROM results WHERE guild = :guild AND variant > one.variant) FROM one"
        " WHERE variant IS NOT NULL) SELECT variant FROM one WHERE variant IS NOT NULL ORDER BY variant",
        {"guild": guild},
    )


async def variants_of_user(reader: Reader, user: int) -> list[str]:
    """Returns the variants of the games in which the user plays or has played."""
    return await reader.read_column(
        "SELECT DISTINCT variant FROM matches JOIN players ON players.match = matches.id"
        " WHERE players.user = ? AND phase IN ('live', 'over')",
        (user,),
    )


async def puzzle_calendars(reader: Reader) -> list[tuple[int, str, int]]:
    """The servers with daily puzzles: each with its zone and the last day that has a puzzle, or 0."""
    rows = await reader.run_sql(
        "SELECT guild, zone,"
        " coalesce((SELECT max(day) FROM daily_puzzles AS daily WHERE daily.guild = settings.guild), 0)"
        " FROM guild_settings AS settings WHERE puzzle_channel IS NOT NULL"
        " ORDER BY guild"
    )
    return [(guild, zone, day) for guild, zone, day in rows]


async def posted_puzzles(reader: Reader, guild: int) -> list[tuple[int, str]]:
    """Day and id of the puzzles that have been posted in a server, the last one first."""
    rows = await reader.run_sql(
        "SELECT day, id FROM daily_puzzles WHERE guild = ? AND posted > 0 ORDER BY day DESC", (guild,)
    )
    return [(day, name) for day, name in rows]


async def open_puzzle_ids(reader: Reader) -> set[str]:
    """The ids of the puzzles whose day is not over, in any server that still asks for them."""
    sql = "SELECT id FROM daily_puzzles JOIN guild_settings USING (guild) WHERE posted < 2 AND puzzle_channel > 0"
    return {*await reader.read_column(sql)}


async def load_attempt(reader: Reader, user: int, guild: int, day: int, name: str) -> Attempt:
    """A user's attempt at a puzzle."""
    source = "puzzle_results WHERE user = ? AND guild = ? AND day = ? AND id = ?"
    return await reader.load_first(Attempt, source, (user, guild, day, name)) or Attempt()


async def tried_puzzles(reader: Reader, user: int) -> dict[str, bool]:
    """The ids of the puzzles that a user has tried anywhere, and whether they solved each."""
    rows = await reader.run_sql("SELECT id, max(solved) FROM puzzle_results WHERE user = ? GROUP BY id", (user,))
    return {name: bool(solved) for name, solved in rows}


async def load_attempts(reader: Reader, guild: int, days: range) -> list[tuple[int, Attempt]]:
    """Returns all attempts at the daily puzzles of these days, each with its user, in the order of days and times."""
    rows = await reader.run_sql(
        "SELECT user, tries, hinted, solved, shown, at FROM puzzle_results"
        " WHERE guild = ? AND day > 0 AND day >= ? AND day < ? ORDER BY day, at, user",
        (guild, days.start, days.stop),
    )
    return [(user, Attempt(*rest)) for user, *rest in rows]


async def export_person(reader: Reader, user: int) -> Mapping[str, object]:
    """Returns all attempts of a user, ready for JSON."""
    rows = await reader.run_sql(
        "SELECT guild, day, id, tries, hinted, solved, shown, at FROM puzzle_results WHERE user = ? ORDER BY at, id",
        (user,),
    )
    keys = ("server", "day", "puzzle", "tries", "hinted", "solved", "solution_shown", "at")
    return {"puzzles": [dict(zip(keys, (str(row[0]), *row[1:]), strict=True)) for row in rows]}


# The service

PUZZLE_RANDOM = SystemRandom()
"""The source of randomness for choosing puzzles."""
MAX_TRIED = 50
"""The most puzzles among which one is looked for that no running game closes."""


class PuzzlePost(NamedTuple):
    """A due post about a daily puzzle: the puzzle or its solution."""

    guild: int
    day: int
    puzzle: Puzzle
    solution: bool
    found: int = 0
    """If the post is the solution: the number of users who solved it."""
    tried: int = 0


class PuzzleStandings(NamedTuple):
    """The tables of a server: for the day of the last puzzle, and for the current month."""

    day: int | None
    of_day: Sequence[Solver]
    of_month: Sequence[Solver]
    streak: int
    """The streak of the user who asks."""


async def choose_puzzle(
    service: Service, actor: Actor, variant: str | None, difficulty: str | None, random: Random = PUZZLE_RANDOM
) -> Puzzle:
    """Returns a puzzle of the collection. Raises NO_PUZZLES if there is none of that kind.

    If possible it is one that the user has not tried; an easy one, if they have solved none yet; and of a variant that
    they have played or had lessons in.
    """
    user, closed = actor.user, await open_puzzle_ids(service.reader)
    tried = await tried_puzzles(service.reader, user)
    known = {*await next_lessons(service, user), *await variants_of_user(service.reader, user)}
    offered = [
        puzzle
        for puzzle in (await _shipped_puzzles()).values()
        if puzzle.id not in closed
        and variant in (None, puzzle.position.variant.key)
        and difficulty in (None, puzzle.difficulty)
    ]
    MatchError.raise_if(not offered, Problem.NO_PUZZLES)
    wishes: list[Callable[[Puzzle], bool]] = [
        lambda puzzle: puzzle.id not in tried,
        lambda puzzle: any(tried.values()) or puzzle.difficulty == DIFFICULTIES[0],
        lambda puzzle: puzzle.position.variant.key in known,
    ]
    for is_wanted in wishes:
        offered = [*filter(is_wanted, offered)] or offered
    return await _choose_unplayed(service, user, offered, random)


async def _choose_unplayed(service: Service, user: int, puzzles: Sequence[Puzzle], random: Random) -> Puzzle:
    """Returns one of these puzzles, if possible one that no running game closes to that user (0: to everybody)."""
    tried = random.sample(puzzles, min(len(puzzles), MAX_TRIED))
    for puzzle in tried:
        if await _is_unplayed(service, user, puzzle):
            return puzzle
    return tried[0]


async def _is_unplayed(service: Service, user: int, puzzle: Puzzle) -> bool:
    try:
        await service.require_unplayed(service.reader, user, positions_of_puzzle(puzzle))
    except MatchError:
        return False
    return True


async def find_puzzle(reader: Reader, guild: int | None, name: str) -> Puzzle:
    """Returns the puzzle of that id: of the collection, or one that was that server's puzzle of a day.

    Raises NO_PUZZLES if there is none.
    """
    if shipped := (await _shipped_puzzles()).get(name):
        return shipped
    sql = "SELECT puzzle FROM daily_puzzles WHERE guild = ? AND id = ?"
    for line in await reader.read_column(sql, (guild, name)):
        with suppress(ValueError, LookupError, TypeError):  # it breaks a rule that has been corrected since
            return parse_puzzle(line)
    raise MatchError(Problem.NO_PUZZLES)


async def current_attempt(service: Service, actor: Actor, day: int, puzzle: Puzzle) -> Attempt:
    """Returns the user's attempt; counts for day 0 once the day's solution is posted.

    Raises, here and below, what `require_unplayed` raises for the puzzle's positions.
    """
    await service.require_unplayed(service.reader, actor.user, positions_of_puzzle(puzzle))
    day = await _counted_day(service.reader, actor.guild, day)
    return await load_attempt(service.reader, actor.user, actor.guild or 0, day, puzzle.id)


async def attempt_move(service: Service, actor: Actor, day: int, puzzle: Puzzle, move: Move) -> Attempt:
    """Adds a tried first move to the attempt and returns it."""
    right = puzzle.solved_by(move)
    return await change_attempt(
        service, actor, day, puzzle, lambda attempt: attempt._replace(tries=attempt.tries + 1, solved=right)
    )


async def change_attempt(
    service: Service, actor: Actor, day: int, puzzle: Puzzle, change: Callable[[Attempt], Attempt]
) -> Attempt:
    """Stores a change of the user's attempt, and returns it. Changes nothing once the attempt is over."""
    user, now, guild, *_ = actor
    await service.require_unplayed(service.reader, user, positions_of_puzzle(puzzle))
    async with service.store.write_transaction() as tx:
        day = await _counted_day(tx, guild, day)
        attempt = await load_attempt(tx, user, guild or 0, day, puzzle.id)
        changed = attempt if attempt.is_over else change(attempt)
        if changed != attempt:
            changed = changed._replace(at=now)
            key = {"user": user, "guild": guild or 0, "day": day, "id": puzzle.id}
            await tx.save_row("puzzle_results", key, changed._asdict())
    return changed


# The puzzle of the day


async def choose_due_puzzles(service: Service, now: int) -> None:
    """Chooses each server's puzzle of the day once it is due, and asks for its post."""
    for guild, zone, last in await puzzle_calendars(service.reader):
        with service.attempts.contain_failures("puzzles", server=guild):
            day = due_day(now, zone)
            if day is not None and day > last:
                await _choose_daily(service, guild, day, now)


async def _choose_daily(service: Service, guild: int, day: int, now: int) -> None:
    """Chooses a puzzle that the server has not had, of one of its variants in turn."""
    played = [key for key in await variants_played(service.reader, guild) if key in VARIANTS] or list(VARIANTS)
    kind, used = played[day % len(played)], {name for _, name in await posted_puzzles(service.reader, guild)}
    offered = [puzzle for puzzle in (await _shipped_puzzles()).values() if puzzle.position.variant.key == kind]
    fresh = [puzzle for puzzle in offered if puzzle.id not in used]
    puzzle = await _choose_unplayed(service, 0, fresh or offered, PUZZLE_RANDOM)
    async with service.store.write_transaction() as tx:
        await tx.run_sql("DELETE FROM daily_puzzles WHERE guild = ? AND posted = 0", (guild,))
        await tx.add_row("daily_puzzles", DailyPuzzle(guild, day, puzzle.id, format_puzzle(puzzle))._asdict())
        await tx.add_jobs(Job("puzzle", str(guild), guild, due_at=now))


async def posts_due(service: Service, guild: int) -> list[PuzzlePost]:
    """Returns the due posts of a server in order: the solutions of earlier days, then the latest puzzle.

    Leaves out puzzles that can no longer be read, and solutions that a running game closes to everybody: they come with
    a later puzzle.
    """
    posts, open_days = list[PuzzlePost](), "daily_puzzles WHERE guild = ? AND posted < 2 ORDER BY day"
    days = await service.reader.load_all(DailyPuzzle, open_days, (guild,))
    for daily in days:
        try:
            puzzle = await find_puzzle(service.reader, guild, daily.id)
        except MatchError:
            continue
        if daily.posted != PUZZLE_POSTED:
            posts.append(PuzzlePost(guild, daily.day, puzzle, solution=False))
        elif daily is not days[-1] and await _is_unplayed(service, 0, puzzle):
            tried = await load_attempts(service.reader, guild, range(daily.day, daily.day + 1))
            solvers = sum(attempt.solved for _, attempt in tried)
            posts.append(PuzzlePost(guild, daily.day, puzzle, True, solvers, len(tried)))
    return posts


async def mark_posted(service: Service, post: PuzzlePost) -> None:
    """Notes that the post has been made."""
    posted = SOLUTION_POSTED if post.solution else PUZZLE_POSTED
    async with service.store.write_transaction() as tx:
        await tx.update_rows("daily_puzzles", {"guild": post.guild, "day": post.day}, posted=posted)


async def load_standings(reader: Reader, guild: int, user: int, now: int) -> PuzzleStandings:
    """Returns the tables as that user sees them: with themselves, and with people who agree to be shown."""
    settings = await servers.load_guild_settings(reader, guild)
    days = [day for day, _ in await posted_puzzles(reader, guild)]
    day = days[0] if days else None
    solved = await reader.read_column(
        "SELECT day FROM puzzle_results WHERE guild = ? AND user = ? AND day > 0 AND solved = 1", (guild, user)
    )
    return PuzzleStandings(
        day,
        await _rank_solvers(reader, guild, user, range(day, day + 1) if day is not None else range(0)),
        await _rank_solvers(reader, guild, user, month_of(day_at(now, settings.zone))),
        solved_streak(days, solved),
    )


async def _rank_solvers(reader: Reader, guild: int, user: int, days: range) -> Sequence[Solver]:
    """Returns the solvers of the puzzles of those days: that user, and people who agree to be shown."""
    attempts = await load_attempts(reader, guild, days)
    people = await people_store.load_people(reader, {solver for solver, _ in attempts})
    return rank_solvers(
        (solver, attempt)
        for solver, attempt in attempts
        if attempt.solved and (solver == user or people[solver].settings.public)
    )


@cache
def _read_collection() -> Mapping[str, Puzzle]:
    return {puzzle.id: puzzle for key in VARIANTS for puzzle in shipped_puzzles(key)}


async def _shipped_puzzles() -> Mapping[str, Puzzle]:
    """Returns all puzzles of the collection, by id. Reads them once, beside the event loop: that takes half a
    second."""
    return await asyncio.to_thread(_read_collection)


async def _counted_day(reader: Reader, guild: int | None, day: int) -> int:
    """Returns the day until its solution is posted, then 0."""
    sql = "SELECT day FROM daily_puzzles WHERE guild = ? AND day = ? AND posted < 2"
    return day if await reader.read_column(sql, (guild, day)) else 0


def positions_of_puzzle(puzzle: Puzzle) -> list[Position]:
    """The positions along the puzzle's solution, the first one included."""
    return [puzzle.position, *positions_along(puzzle.position, puzzle.line[:-1])]
