"""Puzzles: choosing one for a user, attempts, the daily puzzle, and puzzles from a server's own games."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from functools import cache, lru_cache
from random import Random, SystemRandom
from typing import NamedTuple

import structlog

from bot.core.deadlines import Actor
from bot.core.match import Match, replay_changes
from bot.core.problems import MatchError, Problem
from bot.core.setting_kinds import zone_named
from bot.core.settings import StoredPerson
from bot.play.background import compute_beside
from bot.play.service import Service
from bot.play.service.people import next_lessons
from bot.store import Reader, servers
from bot.store import people as people_store
from bot.store.matches import REACHABLE_SQL
from bot.store.results import UNWILLING_PLAYER_SQL
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
    for place, day in enumerate(sorted(days, reverse=True)):
        if day in solved_days:
            count += 1
        elif place:
            break
    return count


# SQL: puzzles from a server's own games, daily puzzles, and people's attempts

PUZZLE_POSTED, SOLUTION_POSTED = 1, 2
"""Values of `posted`: the puzzle has been posted, and its solution too."""


class DailyPuzzle(NamedTuple):
    """The stored puzzle of a server's day."""

    guild: int
    day: int
    id: str
    puzzle: str
    match: int | None = None
    """The game of the server from which the puzzle comes; None if it comes from the collection."""
    posted: int = 0


_GAME_OVER_SQL = "NOT EXISTS (SELECT 1 FROM matches WHERE matches.id = match AND phase <> 'over')"
"""A condition: the row's puzzle comes from no running game. A referee may have reopened a finished game."""

_USABLE_MATCH_SQL = f"phase = 'over' AND NOT ({UNWILLING_PLAYER_SQL})"
"""A condition: the match is over, and no player of it has refused puzzles or has been forgotten."""


async def puzzle_text(reader: Reader, guild: int, name: str) -> str | None:
    """The text of a server's puzzle, from its own games or of a day; None if there is none or its game is running."""
    row = await reader.read_row(
        f"SELECT puzzle FROM daily_puzzles WHERE guild = :guild AND id = :id AND {_GAME_OVER_SQL}"
        f" UNION ALL SELECT puzzle FROM puzzles_made WHERE guild = :guild AND id = :id AND {_GAME_OVER_SQL} LIMIT 1",
        {"guild": guild, "id": name},
    )
    return row[0] if row else None


async def next_unsearched_match(reader: Reader) -> int | None:
    """The latest finished match, of a server with daily puzzles, that has not been searched for puzzles."""
    match_ids: list[int | None] = await reader.read_column(
        # Servers first, because they are few; otherwise SQLite would read every match ever played.
        "SELECT max(id) FROM guild_settings AS s CROSS JOIN matches INDEXED BY matches_unsearched"
        " WHERE matches.guild = s.guild AND puzzle_channel IS NOT NULL AND phase = 'over' AND searched = 0"
    )
    return match_ids[0]


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


async def load_daily(reader: Reader, guild: int, day: int) -> DailyPuzzle | None:
    """The puzzle of that day."""
    return await reader.load_first(DailyPuzzle, "daily_puzzles WHERE guild = ? AND day = ?", (guild, day))


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


_LATER_DAY_SQL = "EXISTS (SELECT 1 FROM daily_puzzles AS later WHERE later.guild = here.guild AND later.day > here.day)"
_POST_DUE_SQL = f"posted < 2 AND (posted = 1) = {_LATER_DAY_SQL} AND {_GAME_OVER_SQL}"
"""A condition: the row is the latest puzzle and not posted yet, or a later puzzle exists and its solution is not
posted."""


async def note_posted(service: Service, guild: int, day: int, posted: int) -> None:
    """Notes how much of a daily puzzle has been posted."""
    async with service.store.write_transaction() as tx:
        await tx.update_rows("daily_puzzles", {"guild": guild, "day": day}, posted=posted)


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
MAX_OWN_PUZZLES = 100
"""Puzzles of a server's own games, the latest ones, among which one is chosen."""


MAX_TRIED = 50
"""The most puzzles among which one is looked for that no running game closes."""
PUZZLE_CACHE_SIZE = 1000
"""Puzzles of servers that are kept in memory."""

log = structlog.get_logger()


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
    service: Service,
    actor: Actor,
    variant: str | None,
    difficulty: str | None,
    random: Random = PUZZLE_RANDOM,
) -> Puzzle:
    """Returns a puzzle that the user has not tried, from their server's own games if possible, else from the
    collection.

    It is an easy one for a user who has solved none yet, unless they ask for another `difficulty`. If possible it
    is of a variant that they have played or had lessons in. A user who has tried all gets any of them.
    Raises NO_PUZZLES if there is none of that kind.
    """
    closed = await open_puzzle_ids(service.reader)
    user = actor.user
    tried = await tried_puzzles(service.reader, user)
    own = [puzzle for _, puzzle in await _own_puzzles(service.reader, actor.guild)]
    shipped = (await _shipped_puzzles()).values()
    known = {*await next_lessons(service, user), *await variants_of_user(service.reader, user)}

    def is_fitting(puzzle: Puzzle, difficulty: str | None) -> bool:
        kind = puzzle.position.variant.key, puzzle.difficulty
        return puzzle.id not in closed and variant in (None, kind[0]) and difficulty in (None, kind[1])

    first = difficulty or (None if any(tried.values()) else DIFFICULTIES[0])
    for grade in dict.fromkeys((first, difficulty)):
        for offered in (own, shipped):
            fresh = [puzzle for puzzle in offered if is_fitting(puzzle, grade) and puzzle.id not in tried]
            if fresh:
                liked = [puzzle for puzzle in fresh if puzzle.position.variant.key in known] or fresh
                return await _choose_unplayed(service, user, liked, random)
    again = [puzzle for puzzle in (*own, *shipped) if is_fitting(puzzle, difficulty)]
    if not again:
        raise MatchError(Problem.NO_PUZZLES)
    return await _choose_unplayed(service, user, again, random)


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
    """Returns the puzzle of that id, shipped or of that server. Raises NO_PUZZLES if it does not exist or no
    longer exists."""
    if shipped := (await _shipped_puzzles()).get(name):
        return shipped
    text = await puzzle_text(reader, guild, name) if guild is not None else None
    puzzle = _parse_or_log(text) if text else None
    if puzzle is None:
        raise MatchError(Problem.NO_PUZZLES)
    return puzzle


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
            place = {"user": user, "guild": guild or 0, "day": day, "id": puzzle.id}
            await tx.save_row("puzzle_results", place, changed._asdict())
    return changed


# The puzzle of the day


async def choose_due_puzzles(service: Service, now: int) -> None:
    """Chooses each server's puzzle of the day once it is due. A late or repeated call chooses the same one."""
    for guild, zone, last in await puzzle_calendars(service.reader):
        with service.attempts.contain_failures("puzzles", server=guild):
            day = due_day(now, zone)
            if day is not None and day > last:
                await _choose_daily(service, guild, day)


async def _choose_daily(service: Service, guild: int, day: int) -> None:
    used = {name for _, name in await posted_puzzles(service.reader, guild)}
    own = [
        (match_id, puzzle)
        for match_id, puzzle in await _own_puzzles(service.reader, guild)
        if puzzle.id not in used and await _is_unplayed(service, 0, puzzle)
    ]
    match_id, puzzle = own[0] if own else (None, await _choose_from_collection(service, guild, day, used))
    chosen = DailyPuzzle(guild, day, puzzle.id, format_puzzle(puzzle), match_id)
    async with service.store.write_transaction() as tx:
        if await load_daily(tx, guild, day) is None:
            await tx.run_sql("DELETE FROM daily_puzzles WHERE guild = ? AND posted = 0", (guild,))
            await tx.add_row("daily_puzzles", chosen._asdict())


async def _choose_from_collection(service: Service, guild: int, day: int, used: Collection[str]) -> Puzzle:
    """Returns a puzzle from the collection, of one of the server's variants in turn. Repeating the call returns
    the same."""
    await _shipped_puzzles()
    played = await variants_played(service.reader, guild) or list(VARIANTS)
    kinds = [key for key in played if shipped_puzzles(key)] or [key for key in VARIANTS if shipped_puzzles(key)]
    offered = shipped_puzzles(kinds[day % len(kinds)])
    fresh = [puzzle for puzzle in offered if puzzle.id not in used]
    return await _choose_unplayed(service, 0, fresh or offered, Random(f"{guild} {day}"))  # noqa: S311 - a puzzle


async def servers_to_tell(reader: Reader) -> list[int]:
    """The servers in which a puzzle or a solution must be posted."""
    return await reader.read_column(
        f"SELECT guild FROM guild_settings WHERE puzzle_channel IS NOT NULL AND {REACHABLE_SQL} AND guild IN"
        f" (SELECT guild FROM daily_puzzles AS here WHERE {_POST_DUE_SQL}) ORDER BY guild"
    )


async def posts_due(service: Service, guild: int) -> list[PuzzlePost]:
    """Returns the due posts of a server in order: the solutions of earlier days, then the latest puzzle.

    Leaves out puzzles from reopened games, puzzles that can no longer be read, and solutions that a running game
    closes to everybody, until it has moved on.
    """
    posts = []
    due = f"daily_puzzles AS here WHERE guild = ? AND {_POST_DUE_SQL} ORDER BY day"
    for daily in await service.reader.load_all(DailyPuzzle, due, (guild,)):
        puzzle = _parse_or_log(daily.puzzle)
        if puzzle is None:
            await note_posted(service, guild, daily.day, SOLUTION_POSTED)
        elif daily.posted == PUZZLE_POSTED and await _is_unplayed(service, 0, puzzle):
            tried = await load_attempts(service.reader, guild, range(daily.day, daily.day + 1))
            solvers = sum(attempt.solved for _, attempt in tried)
            posts.append(PuzzlePost(guild, daily.day, puzzle, True, solvers, len(tried)))
        elif daily.posted != PUZZLE_POSTED:
            posts.append(PuzzlePost(guild, daily.day, puzzle, False))
    return posts


async def mark_posted(service: Service, post: PuzzlePost) -> None:
    """Notes that the post has been made."""
    await note_posted(service, post.guild, post.day, SOLUTION_POSTED if post.solution else PUZZLE_POSTED)


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
        if attempt.solved and (solver == user or people.get(solver, StoredPerson()).settings.public)
    )


# Puzzles of a server's own games


async def _own_puzzles(reader: Reader, guild: int | None) -> list[tuple[int, Puzzle]]:
    """Returns usable, readable puzzles from a server's own games, each with its match, the latest games first."""
    if guild is None:
        return []
    stored = await reader.run_sql(
        "SELECT match, puzzle FROM puzzles_made AS made JOIN matches ON matches.id = match"
        f" WHERE made.guild = ? AND {_USABLE_MATCH_SQL} ORDER BY match DESC, made.id LIMIT ?",
        (guild, MAX_OWN_PUZZLES),
    )
    return [(match_id, puzzle) for match_id, text in stored if (puzzle := _parse_or_log(text))]


async def next_to_mine(service: Service) -> tuple[Match, list[Position]] | None:
    """Returns the next finished game to search, in a server with daily puzzles, and the positions worth
    searching.

    Returns None if there is no such game, and no positions if a player does not allow puzzles from the game.
    """
    match_id = await next_unsearched_match(service.reader)
    if match_id is None:
        return None
    try:
        match = await service.load_match(service.reader, match_id)
    except MatchError:
        async with service.store.write_transaction() as tx:
            await tx.update_rows("matches", {"id": match_id}, searched=True)
        raise
    usable = f"SELECT 1 FROM matches WHERE id = ? AND {_USABLE_MATCH_SQL}"
    may_be_used = match.has_result and not match.set_position
    allowed = may_be_used and await service.reader.run_sql(usable, (match_id,))
    return match, await compute_beside(last_positions, match) if allowed else []


async def note_searched(service: Service, match: Match, puzzles: Collection[Puzzle]) -> None:
    """Stores the puzzles of a game, and notes that the game has been searched."""
    async with service.store.write_transaction() as tx:
        await tx.update_rows("matches", {"id": match.id}, searched=True)
        for puzzle in puzzles:
            key = {"guild": match.guild, "id": puzzle.id}
            await tx.save_row("puzzles_made", key, {"match": match.id, "puzzle": format_puzzle(puzzle)})


@cache
def _read_collection() -> Mapping[str, Puzzle]:
    return {puzzle.id: puzzle for key in VARIANTS for puzzle in shipped_puzzles(key)}


async def _shipped_puzzles() -> Mapping[str, Puzzle]:
    """Returns all puzzles of the collection, by id. Reads them once, beside the event loop: that takes half a
    second."""
    return await asyncio.to_thread(_read_collection)


@lru_cache(PUZZLE_CACHE_SIZE)
def _parse_or_log(text: str) -> Puzzle | None:
    """Parses a puzzle. Returns None, and logs that once, if it breaks the current rules."""
    try:
        return parse_puzzle(text)
    except (ValueError, LookupError, TypeError) as error:
        log.warning("puzzle not read", puzzle=text, error=str(error))
        return None


async def _counted_day(reader: Reader, guild: int | None, day: int) -> int:
    """Returns the day until its solution is posted, then 0."""
    daily = await load_daily(reader, guild, day) if guild is not None and day else None
    return day if daily and daily.posted < SOLUTION_POSTED else 0


def positions_of_puzzle(puzzle: Puzzle) -> list[Position]:
    """The positions along the puzzle's solution, the first one included."""
    return [puzzle.position, *positions_along(puzzle.position, puzzle.line[:-1])]


def last_positions(match: Match, most: int = 12) -> list[Position]:
    """Returns the positions before the last moves of the game, the last one first."""
    replayed = replay_changes(match)
    return [before.position for before, change, _ in replayed if change.move][: -most - 1 : -1]
