"""Puzzles: choosing one for a user, attempts, the daily puzzle, and puzzles from a server's own games."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, lru_cache
from random import Random
from typing import NamedTuple

import structlog

from bot.core.match import Match
from bot.core.match_parts import replay_changes
from bot.core.problems import MatchError, Problem
from bot.core.settings import StoredPerson
from bot.play.service.matches import Matches, ServicePart
from bot.puzzles import rows as puzzles_store
from bot.puzzles.daily import Attempt, Solver, day_at, due_day, month_of, rank_solvers, solved_streak
from bot.puzzles.rows import PUZZLE_POSTED, SOLUTION_POSTED, DailyPuzzle
from bot.store import Reader, server_settings
from bot.store import people as people_store
from engine.puzzles import DIFFICULTIES, Puzzle, format_puzzle, parse_puzzle, shipped_puzzles
from rules import VARIANTS, Move, Position
from rules.game import resolve_passes

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


class Puzzles(ServicePart):
    """Chooses puzzles and keeps attempts. A puzzle is known by its id. `day` is a day of the server's calendar, 0
    for a puzzle that is not a daily one."""

    def __init__(self, matches: Matches) -> None:
        super().__init__(matches)
        self._unread = set[int]()
        """Finished games that cannot be read and are therefore skipped."""

    async def choose_puzzle(
        self,
        guild: int | None,
        user: int,
        variant: str | None,
        difficulty: str | None,
        random: Random,
        *,
        learned: Collection[str] = (),
    ) -> Puzzle:
        """Returns a puzzle that the user has not tried, from their server's own games if possible, else from the
        collection.

        It is an easy one for a user who has solved none yet, unless they ask for another `difficulty`. If possible it
        is of a variant that they have played or that is among `learned`. A user who has tried all gets any of them.
        Raises NO_PUZZLES if there is none of that kind.
        """
        closed = await puzzles_store.open_puzzle_ids(self._reader)
        tried = await puzzles_store.tried_puzzles(self._reader, user)
        own = [puzzle for _, puzzle in await self._own_puzzles(guild)]
        shipped = (await _shipped_puzzles()).values()
        known = {*learned, *await puzzles_store.variants_of_user(self._reader, user)}

        def is_fitting(puzzle: Puzzle, difficulty: str | None) -> bool:
            kind = puzzle.position.variant.key, puzzle.difficulty
            return puzzle.id not in closed and variant in (None, kind[0]) and difficulty in (None, kind[1])

        first = difficulty or (None if any(tried.values()) else DIFFICULTIES[0])
        for grade in dict.fromkeys((first, difficulty)):
            for offered in (own, shipped):
                fresh = [puzzle for puzzle in offered if is_fitting(puzzle, grade) and puzzle.id not in tried]
                if fresh:
                    liked = [puzzle for puzzle in fresh if puzzle.position.variant.key in known] or fresh
                    return await self._choose_unplayed(user, liked, random)
        again = [puzzle for puzzle in (*own, *shipped) if is_fitting(puzzle, difficulty)]
        if not again:
            raise MatchError(Problem.NO_PUZZLES)
        return await self._choose_unplayed(user, again, random)

    async def _choose_unplayed(self, user: int, puzzles: Sequence[Puzzle], random: Random) -> Puzzle:
        """Returns one of these puzzles, if possible one that no running game closes to that user (0: to everybody)."""
        tried = random.sample(puzzles, min(len(puzzles), MAX_TRIED))
        for puzzle in tried:
            if await self._is_unplayed(user, puzzle):
                return puzzle
        return tried[0]

    async def _is_unplayed(self, user: int, puzzle: Puzzle) -> bool:
        try:
            await self._matches.require_unplayed(self._reader, user, positions_of_puzzle(puzzle))
        except MatchError:
            return False
        return True

    async def find_puzzle(self, guild: int | None, name: str) -> Puzzle:
        """Returns the puzzle of that id, shipped or of that server. Raises NO_PUZZLES if it does not exist or no
        longer exists."""
        if shipped := (await _shipped_puzzles()).get(name):
            return shipped
        text = await puzzles_store.puzzle_text(self._reader, guild, name) if guild is not None else None
        puzzle = _parse_or_log(text) if text else None
        if puzzle is None:
            raise MatchError(Problem.NO_PUZZLES)
        return puzzle

    async def load_attempt(self, guild: int | None, user: int, day: int, puzzle: Puzzle) -> Attempt:
        """Returns the user's attempt; counts for day 0 once the day's solution is posted.

        Raises, here and below, what `require_unplayed` raises for the puzzle's positions.
        """
        await self._matches.require_unplayed(self._reader, user, positions_of_puzzle(puzzle))
        day = await _counted_day(self._reader, guild, day)
        return await puzzles_store.load_attempt(self._reader, user, guild or 0, day, puzzle.id)

    async def attempt_move(
        self, guild: int | None, user: int, day: int, puzzle: Puzzle, move: Move, now: int
    ) -> Attempt:
        """Adds a tried first move to the attempt and returns it. Changes nothing once the attempt is over."""
        right = puzzle.solved_by(move)
        return await self._change_attempt(
            guild, user, day, puzzle, now, lambda attempt: attempt._replace(tries=attempt.tries + 1, solved=right)
        )

    async def note_hint(self, guild: int | None, user: int, day: int, puzzle: Puzzle, now: int) -> Attempt:
        """Notes that the user asked for a hint, and returns the attempt."""
        return await self._change_attempt(guild, user, day, puzzle, now, lambda attempt: attempt._replace(hinted=True))

    async def note_solution_shown(self, guild: int | None, user: int, day: int, puzzle: Puzzle, now: int) -> Attempt:
        """Notes that the user was shown the solution, and returns the attempt."""
        return await self._change_attempt(guild, user, day, puzzle, now, lambda attempt: attempt._replace(shown=True))

    async def _change_attempt(
        self, guild: int | None, user: int, day: int, puzzle: Puzzle, now: int, change: Callable[[Attempt], Attempt]
    ) -> Attempt:
        await self._matches.require_unplayed(self._reader, user, positions_of_puzzle(puzzle))
        async with self._store.write_transaction() as tx:
            day = await _counted_day(tx, guild, day)
            attempt = await puzzles_store.load_attempt(tx, user, guild or 0, day, puzzle.id)
            if attempt.is_over:
                return attempt
            changed = change(attempt)
            if changed == attempt:
                return attempt
            changed = changed._replace(at=now)
            await puzzles_store.set_attempt(tx, user, guild or 0, day, puzzle.id, changed)
        return changed

    # The puzzle of the day

    async def tick(self, now: int) -> None:
        """Chooses each server's puzzle of the day once it is due. A late or repeated call chooses the same one."""
        for guild, zone, last in await puzzles_store.puzzle_calendars(self._reader):
            with self._matches.attempts.contain_failures("puzzles", server=guild):
                day = due_day(now, zone)
                if day is not None and day > last:
                    await self._choose_daily(guild, day)

    async def _choose_daily(self, guild: int, day: int) -> None:
        used = {name for _, name in await puzzles_store.posted_puzzles(self._reader, guild)}
        own = [(match_id, puzzle) for match_id, puzzle in await self._own_puzzles(guild) if puzzle.id not in used]
        own = [(match_id, puzzle) for match_id, puzzle in own if await self._is_unplayed(0, puzzle)]
        match_id, puzzle = own[0] if own else (None, await self._choose_from_collection(guild, day, used))
        chosen = DailyPuzzle(guild, day, puzzle.id, format_puzzle(puzzle), match_id)
        async with self._store.write_transaction() as tx:
            if await puzzles_store.load_daily(tx, guild, day) is None:
                await puzzles_store.add_daily(tx, chosen)

    async def _choose_from_collection(self, guild: int, day: int, used: Collection[str]) -> Puzzle:
        """Returns a puzzle from the collection, of one of the server's variants in turn. Repeating the call returns
        the same."""
        await _shipped_puzzles()
        played = await puzzles_store.variants_played(self._reader, guild) or list(VARIANTS)
        kinds = [key for key in played if shipped_puzzles(key)] or [key for key in VARIANTS if shipped_puzzles(key)]
        offered = shipped_puzzles(kinds[day % len(kinds)])
        fresh = [puzzle for puzzle in offered if puzzle.id not in used]
        return await self._choose_unplayed(0, fresh or offered, Random(f"{guild} {day}"))  # noqa: S311 - a puzzle

    async def unannounced_servers(self) -> list[int]:
        """The servers in which a puzzle or a solution must be posted."""
        return await puzzles_store.servers_with_posts_due(self._reader)

    async def posts_due(self, guild: int) -> list[PuzzlePost]:
        """Returns the due posts of a server in order: the solutions of earlier days, then the latest puzzle.

        Leaves out puzzles from reopened games, puzzles that can no longer be read, and solutions that a running game
        closes to everybody, until it has moved on.
        """
        posts = []
        for daily in await puzzles_store.puzzles_due(self._reader, guild):
            puzzle = _parse_or_log(daily.puzzle)
            if puzzle is None:
                async with self._store.write_transaction() as tx:
                    await puzzles_store.note_posted(tx, guild, daily.day, SOLUTION_POSTED)
            elif daily.told == PUZZLE_POSTED and await self._is_unplayed(0, puzzle):
                tried = await puzzles_store.load_attempts(self._reader, guild, range(daily.day, daily.day + 1))
                solvers = sum(attempt.solved for _, _, attempt in tried)
                posts.append(PuzzlePost(guild, daily.day, puzzle, True, solvers, len(tried)))
            elif daily.told != PUZZLE_POSTED:
                posts.append(PuzzlePost(guild, daily.day, puzzle, False))
        return posts

    async def mark_posted(self, post: PuzzlePost) -> None:
        """Notes that the post has been made."""
        async with self._store.write_transaction() as tx:
            await puzzles_store.note_posted(
                tx, post.guild, post.day, SOLUTION_POSTED if post.solution else PUZZLE_POSTED
            )

    async def load_standings(self, guild: int, user: int, now: int) -> PuzzleStandings:
        """Returns the tables as that user sees them: with themselves, and with people who agree to be shown."""
        settings = await server_settings.load_guild_settings(self._reader, guild)
        days = [day for day, _ in await puzzles_store.posted_puzzles(self._reader, guild)]
        day = days[0] if days else None
        mine = await puzzles_store.solved_days(self._reader, guild, user)
        return PuzzleStandings(
            day,
            await self._rank_solvers(guild, user, range(day, day + 1) if day is not None else range(0)),
            await self._rank_solvers(guild, user, month_of(day_at(now, settings.zone))),
            solved_streak(days, mine),
        )

    async def _rank_solvers(self, guild: int, user: int, days: range) -> Sequence[Solver]:
        """Returns the solvers of the puzzles of those days: that user, and people who agree to be shown."""
        attempts = await puzzles_store.load_attempts(self._reader, guild, days)
        people = await people_store.load_people(self._reader, {solver for _, solver, _ in attempts})
        return rank_solvers(
            (solver, attempt)
            for _, solver, attempt in attempts
            if attempt.solved and (solver == user or people.get(solver, StoredPerson()).settings.public)
        )

    # Puzzles of a server's own games

    async def _own_puzzles(self, guild: int | None) -> list[tuple[int, Puzzle]]:
        """Returns the usable, readable puzzles from a server's own games, each with its match."""
        stored = await puzzles_store.own_puzzles(self._reader, guild, MAX_OWN_PUZZLES) if guild is not None else []
        return [(match_id, puzzle) for match_id, text in stored if (puzzle := _parse_or_log(text))]

    async def next_to_mine(self) -> tuple[Match, list[Position]] | None:
        """Returns the next finished game to search, in a server with daily puzzles, and the positions worth
        searching.

        Returns None if there is no such game, and no positions if a player does not allow puzzles from the game.
        """
        match_id = await puzzles_store.next_unsearched_match(self._reader, self._unread)
        if match_id is None:
            return None
        try:
            match = await self._matches.load_match(self._reader, match_id)
        except MatchError:
            self._unread.add(match_id)  # skipped until the next start
            raise
        allowed = match.has_result and await puzzles_store.is_match_usable(self._reader, match_id)
        return match, last_positions(match) if allowed else []

    async def note_searched(self, match: Match, puzzles: Collection[Puzzle]) -> None:
        """Stores the puzzles of a game, and notes that the game has been searched."""
        async with self._store.write_transaction() as tx:
            texts = [(puzzle.id, format_puzzle(puzzle)) for puzzle in puzzles]
            await puzzles_store.add_own_puzzles(tx, match.guild, match.id, texts)


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
    daily = await puzzles_store.load_daily(reader, guild, day) if guild is not None and day else None
    return day if daily and daily.told < SOLUTION_POSTED else 0


def positions_of_puzzle(puzzle: Puzzle) -> list[Position]:
    """The positions along the puzzle's solution, the first one included."""
    positions, position = [puzzle.position], puzzle.position
    for move in puzzle.line[:-1]:
        position = resolve_passes(position.after_move(move))[0]
        positions.append(position)
    return positions


def last_positions(match: Match, most: int = 12) -> list[Position]:
    """Returns the positions before the last moves of the game, the last one first."""
    replayed = replay_changes(match.variant, match.steps)
    return [before.position for before, change, _ in replayed if change.move][: -most - 1 : -1]
