"""Databases as large as after years: a few real games written by the store, and copies of them made by SQL."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

import asyncpg

from bot.core import leaving, table
from bot.core.clock import Pace
from bot.core.events import Event, Opening, Seating, Terms
from bot.core.fold import replay_match
from bot.core.results import derive_results
from bot.store import Store, Writer
from bot.store.connection import Address, Database, Statement
from bot.store.dialect import translate_statement
from bot.store.results import set_result
from rules import VARIANTS, format_move
from tests.bench.discord_stub import FIRST, MEMBERS, STEP, channel_id, guild_id, user_id
from tests.bench.story import Story, story
from tests.bot.playing import by

TEMPLATES = 20
SEEDS = 6
PLIES = 60
BATCH = 200
SHORT = 24
"""Plies of a finished game."""

_COPIED = ("matches", "events", "players", "results", "shares")


@dataclass
class Running:
    """A running game with its further moves."""

    id: int
    guild: int
    users: tuple[int, ...]
    """The players, as numbers among the members of the server, in turn order."""
    moves: Iterator[str]
    ply: int

    def next(self) -> tuple[int, str] | None:
        """Returns the player to move and their move; None at the end of the story."""
        move = next(self.moves, None)
        user = self.users[self.ply % len(self.users)]
        self.ply += 1
        return (user, move) if move is not None else None


def build(database: Database, *, finished: int, live: int, guilds: int) -> list[Running]:
    """Fills a database with so many games of each kind; returns the running ones, where only moves are due."""
    running = asyncio.run(_write(database, live, guilds))
    copies = (live + 1, finished, guilds)
    if isinstance(database, Address):
        asyncio.run(_multiply_there(database, *copies))
        return running
    with closing(sqlite3.connect(database, isolation_level=None)) as base:
        for pragma in ("synchronous = OFF", "cache_size = -400000", "temp_store = MEMORY"):
            base.execute(f"PRAGMA {pragma}")
        columns = {table: [name for _, name, *_ in base.execute(f"PRAGMA table_info({table})")] for table in _COPIED}
        base.execute("BEGIN")
        for statement in _multiplied(columns, *copies):
            base.execute(*statement)
        base.execute("COMMIT")
        base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return running


async def _multiply_there(address: Address, *copies: int) -> None:
    base = await asyncpg.connect(address.url)
    try:
        await base.execute("SET synchronous_commit = off; SET session_replication_role = replica")  # asks for no keys
        found = await base.fetch(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'"
        )
        columns = {table: [name for of, name in found if of == table] for table in _COPIED}
        for statement in _multiplied(columns, *copies):
            told, values = translate_statement(*statement)
            await base.execute(told, *values)
        await base.execute("VACUUM (ANALYZE)")
        await base.execute("CHECKPOINT")
    finally:
        await base.close()


async def _write(database: Database, live: int, guilds: int) -> list[Running]:
    """Writes the running games, numbered from 1, then the templates to copy; returns the running games."""
    begun = int(time.time()) - 7200
    async with Store.open(database, no_timeouts=True) as store:
        running = []
        for first in range(0, live, BATCH):
            games = [_running(number, guilds, begun) for number in range(first, min(first + BATCH, live))]
            async with store.write_transaction() as tx:
                assert [await _add(tx, events) for _, events in games] == [game.id for game, _ in games]
            running += [game for game, _ in games]
        for number in range(TEMPLATES):
            async with store.write_transaction() as tx:
                await _add_finished(tx, _finished(number, begun))
    return running


async def add_finished(database: Path, key: str, plies: int, games: int) -> list[int]:
    """Adds so many long games of the first server's first two members ending by resignation; returns their numbers."""
    async with Store.open(database) as store, store.write_transaction() as tx:
        begun = int(time.time()) - 7200
        return [await _add_finished(tx, _finished(number, begun, key, plies)) for number in range(games)]


async def add_bot_games(database: Path, key: str, users: int, games: int) -> list[int]:
    """Adds so many games of the first server's first members against bots, none begun; returns their ids."""
    async with Store.open(database) as store, store.write_transaction() as tx:
        found, now = [], int(time.time())
        for number in range(games):
            user, variant = user_id(0, number % users), VARIANTS[key]
            opening = Opening(
                guild_id(0), channel_id(0), Terms(variant, Seating.JOIN_ORDER, False, Pace.STANDARD, False)
            )
            events = list(table.open_table(opening, user, now))
            events += table.seat_house_players(replay_match(1, events), by(user, now), "hard", 2)
            found.append(await _add(tx, events))
            await tx.mark_announced(found[-1], len(events))
        return found


def _running(number: int, guilds: int, begun: int) -> tuple[Running, list[Event]]:
    """Returns the `number`th running game and its events."""
    key = "tri-camelot" if number % 10 == 9 else ("camelot", "chivalry", "cam-3d")[number % 3]
    told, plies = story(number % SEEDS, PLIES, key), 10 + number % 20
    guild, board = number % guilds, VARIANTS[key].board
    users = tuple(number // guilds * 2 + seat for seat in VARIANTS[key].seats)
    events = _beginning(key, guild, users, begun) + _moved(told, plies, begun)
    moves = iter([format_move(match.started_game.moves[-1], board) for match, _ in told.moves[plies:]])
    return Running(number + 1, guild, users, moves, plies), events


async def _add(tx: Writer, events: list[Event]) -> int:
    return await tx.add_match(replay_match(0, events), events)


async def _add_finished(tx: Writer, events: list[Event]) -> int:
    number = await _add(tx, events)
    result = derive_results(number, events).result
    assert result
    await set_result(tx, result)
    await tx.mark_announced(number, len(events))
    return number


def _beginning(key: str, guild: int, users: tuple[int, ...], at: int) -> list[Event]:
    """Returns the events of a table of these members and of the start of their game."""
    members = [user_id(guild, user) for user in users]
    opening = Opening(
        guild_id(guild), channel_id(guild), Terms(VARIANTS[key], Seating.JOIN_ORDER, False, Pace.STANDARD, False)
    )
    events = list(table.open_table(opening, members[0], at))
    for user in members[1:]:
        events += table.join_table(replay_match(1, events), by(user, at))
    return events


def _moved(told: Story, plies: int, at: int) -> list[Event]:
    """Returns the events of the first moves of a story, one a minute."""
    events = [event for _, moved in told.moves[:plies] for event in moved]
    return [replace(event, at=at + 60 * ply) for ply, event in enumerate(events, 1)]


def _finished(number: int, at: int, key: str = "camelot", plies: int = SHORT) -> list[Event]:
    """Returns the events of a game that ends by resignation."""
    events = _beginning(key, 0, (0, 1), at) + _moved(story(number % SEEDS, max(PLIES, plies), key), plies, at)
    match = replay_match(1, events)
    assert match.to_move is not None
    return [*events, *leaving.resign(match, by(match.to_move, at + 60 * plies + 60))]


def _multiplied(columns: Mapping[str, list[str]], first: int, finished: int, guilds: int) -> Iterator[Statement]:
    """Returns the statements that copy the last TEMPLATES matches, from number `first` on, until there are
    `finished`, and distribute them among the servers.

    The copies' bodies still name the first server and its members; nobody replays them here. Every one counts as
    rated. `columns`: the columns of each table.
    """
    yield "UPDATE matches SET announced = newsworthy", ()
    yield "INSERT INTO preferences SELECT DISTINCT user, 'confirm', 'never' FROM players", ()  # their moves are random
    if finished <= TEMPLATES:
        return
    values = {"first": first, "most": finished - TEMPLATES, "each": TEMPLATES, "guilds": guilds}
    copies = "WITH RECURSIVE copy(n) AS (SELECT :each UNION ALL SELECT n + :each FROM copy WHERE n < :most)"

    def multiply(table: str, number: str, **own: str) -> Statement:
        made = {number: f"{table}.{number} + n", **own}
        chosen = ", ".join(made.get(name, f"{table}.{name}") for name in columns[table])
        return (
            f"{copies} INSERT INTO {table} ({', '.join(columns[table])})"
            f" SELECT {chosen} FROM copy, {table} WHERE {table}.{number} >= :first ORDER BY n",
            values,
        )

    def member(seat: str, match: str) -> str:
        return f"({guild(match)} + 2000 + (({match} + n - :first) / :guilds * 2 + {seat}) % {MEMBERS})"

    def guild(match: str) -> str:
        return f"({FIRST} + ({match} + n - :first) % :guilds * {STEP})"

    def renamed(column: str) -> str:
        """Returns an SQL expression for the column with the copy's two players in place of the template's."""
        for seat in (0, 1):
            column = f"replace({column}, '{user_id(0, seat)}', CAST({member(str(seat), 'match')} AS TEXT))"
        return column

    # The matches first, to which the others refer.
    ended = {"updated": "updated - n * 60", "moved_at": "moved_at - n * 60"}
    yield multiply("matches", "id", guild=guild("id"), channel=f"{guild('id')} + 1000", **ended)
    yield multiply("events", "match")
    yield multiply("players", "match", user=member("seat", "match"))
    texts = {name: renamed(name) for name in ("players", "winners", "leavers", "sorted_players")}
    yield multiply("results", "match", guild=guild("match"), ended_at="ended_at - n * 60", **texts)
    whose = member(f"(CASE WHEN user = {user_id(0, 1)} THEN 1 ELSE 0 END)", "match")
    yield multiply("shares", "match", guild=guild("match"), user=whose, ended_at="ended_at - n * 60")
    yield (
        "INSERT INTO rating_changes SELECT match, user, 25.0, 3.0, 9, ended_at, 25.5, 2.9, 10, ended_at FROM shares"
        " ORDER BY match, user",
        (),
    )
    yield (
        "INSERT INTO ratings SELECT guild, variant, user, 25.5, 2.9, 10, max(ended_at), 1500, max(ended_at) + 9999999"
        " FROM shares GROUP BY guild, variant, user",
        (),
    )
