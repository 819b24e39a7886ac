"""Seasons of leagues in the real process: people who play, leave and stay away, faults, and an account of everything."""

from __future__ import annotations

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from bot.core.clock import DAY, HOUR
from bot.core.match import Match
from bot.store.address import Address
from rules import format_move, iter_moves
from sandbox.faults import Effect, cut, status
from sandbox.people import Person, Reply
from sandbox.world import BOT_ID
from tests.e2e.clock import ClockHouse
from tests.e2e.database import Other
from tests.e2e.league_model import PlainGame, PlainSeat, adjudicated, pairs_of, places, points_on_board
from tests.e2e.room import Room
from tests.e2e.seasons import open_league
from tests.e2e.stored_games import match_of, public_messages, stories

STEP = 8 * HOUR
WIN = 12
"""What the database stores for a win."""
AT_ONCE = 8
"""People who act at the same time."""
SEASON_WEEKS = 2
NEVER_BEGUN, NEVER_ENDED = 2, 4
"""Of ten games, how many nobody plays, and in how many nobody resigns or claims, so that the season decides them."""

FAULTS: tuple[tuple[str, Effect], ...] = (
    ("POST /channels/*/messages", status(503)),
    ("POST /channels/*/messages", cut(done=False)),
    ("POST /channels/*/messages", status(502, done=True)),
    ("PATCH /channels/*/messages/*", status(503)),
    ("PATCH /channels/*/messages/*", cut(done=True)),
    ("POST /channels/*/messages/*/threads", status(503)),
    ("POST /channels/*/threads", cut(done=False)),
)
"""What Discord does to some requests."""

Key = tuple[int, int]
"""A league and one of its seasons."""


@dataclass
class LeagueHunt:
    """People in two leagues of one server, and what the test knows of them."""

    house: ClockHouse
    room: Room
    chance: random.Random
    people: dict[int, Person]
    acts: int
    """Acts in games in each step of the clock."""
    leagues: list[int] = field(default_factory=list)
    holders: defaultdict[tuple[int, ...], set[int]] = field(default_factory=lambda: defaultdict(set))
    """The people who have had each seat, by league, season, division and entry."""
    signed_up: dict[Key, set[int]] = field(default_factory=dict)
    """The people who had signed up when a season began."""
    done: Counter[str] = field(default_factory=Counter)

    async def open(self, size: str, reserve: int) -> None:
        """Opens both leagues and has everybody sign up but the last ones, who become the reserve of each season."""
        for variant in ("camette", "tri-camelot"):
            await open_league(self.room, variant, str(SEASON_WEEKS), size=size)
            self.leagues.append(self.house.bot.query("SELECT max(id) FROM leagues")[0][0])
        crew = [*self.people.values()]
        self.reserve = crew[len(crew) - reserve :]
        for league in self.leagues:
            for start in range(0, len(crew) - reserve, AT_ONCE):
                joining = crew[: len(crew) - reserve][start : start + AT_ONCE]
                await asyncio.gather(*(self.command(one, "league join", league=league) for one in joining))
            wished = self.chance.choice(crew[: len(crew) - reserve])
            await self.command(wished, "league join", league=league, at_once=2)

    async def command(self, person: Person, name: str, **options: object) -> Reply:
        """Has a person give a command in the channel of the leagues."""
        return await person.command(self.room.channel, name, **options)

    # What is stored

    def season_of(self, league: int) -> tuple[str, int, int, int]:
        """Returns the state of a league, its season, and when this begins and ends."""
        [row] = self.house.bot.query("SELECT state, season, begins_at, ends_at FROM leagues WHERE id = ?", league)
        return row  # type: ignore[return-value]  # four columns

    def seats(self, key: Key) -> list[PlainSeat]:
        """Returns the seats of a season."""
        rows = self.house.bot.query(
            "SELECT division, entry, user, state, at_once, place, movement FROM league_seats"
            " WHERE league = ? AND season = ? ORDER BY division, entry",
            *key,
        )
        return [PlainSeat(*row[:4], row[4] is not None, *row[5:]) for row in rows]

    def games(self, key: Key) -> list[PlainGame]:
        """Returns the games of a season."""
        rows = self.house.bot.query(
            "SELECT division, entries, match, points, verdict FROM league_games WHERE league = ? AND season = ?", *key
        )
        return [
            PlainGame(division, _numbers(entries), match, points and _fractions(points), verdict)
            for division, entries, match, points, verdict in rows
        ]

    def look(self) -> None:
        """Notes who has a seat, and who has signed up for the seasons to come."""
        rows = self.house.bot.query("SELECT league, season, division, entry, user, former FROM league_seats")
        for *seat, user, former in rows:
            self.holders[tuple(seat)] |= {user, former} - {None}
        for league in self.leagues:
            state, season, _, _ = self.season_of(league)
            if state == "sign-up":
                users = self.house.bot.query("SELECT user FROM league_sign_ups WHERE league = ?", league)
                self.signed_up[league, season] = {user for (user,) in users}

    # What people do

    async def play(self) -> None:
        """Has people act in games that go on."""
        live = self.house.bot.query(
            "SELECT match FROM league_games JOIN matches ON matches.id = match WHERE phase = 'live'"
            " AND match % 10 >= ? ORDER BY match",
            NEVER_BEGUN,
        )
        chosen = self.chance.sample(live, min(self.acts, len(live)))
        for start in range(0, len(chosen), AT_ONCE):
            await asyncio.gather(*(self._act_in(number) for (number,) in chosen[start : start + AT_ONCE]))

    async def _act_in(self, number: int) -> None:
        match = match_of(self.house, number)
        assert match is not None, number
        if match.to_move is None or not match.people_in:
            return
        fate, mover, ends = self.chance.random(), self.people[match.to_move], number % 10 >= NEVER_ENDED
        if match.pings.grace is not None and ends:
            others = [user for user in match.people_in if user != match.to_move]
            await self.command(self.people[self.chance.choice(others)], "game claim", game=str(number))
            self.done["claims"] += 1
        elif fate < 0.8 or not ends:
            await self._move(match, mover)
        else:
            loser = self.people[self.chance.choice(match.people_in)]
            asked = await self.command(loser, "game resign", game=str(number))
            if asked.buttons:
                await loser.click(asked, asked.buttons[0])
            self.done["resignations"] += 1

    async def _move(self, match: Match, mover: Person) -> None:
        moves = [move for move, _ in zip(iter_moves(match.started_game.position), range(20), strict=False)]
        move = format_move(self.chance.choice(moves), match.variant.board)
        await self.command(mover, "move", move=move, game=str(match.id))
        self.done["moves"] += 1

    async def leave(self, league: int, *, killed: bool) -> None:
        """Has somebody leave a league; `killed`: the bot is killed while it does what that takes."""
        seated = self.house.bot.query(
            "SELECT user FROM league_seats WHERE league = ? AND season = ? AND state = 'in'",
            league,
            self.season_of(league)[1],
        )
        (user,) = self.chance.choice(seated)
        asked = await self.command(self.people[user], "league leave", league=league)
        pressed = self.people[user].click(asked, asked.buttons[0])
        await (self._kill_during(pressed, 0.12) if killed else pressed)
        self.done["leavers"] += 1

    async def join_reserve(self, league: int) -> None:
        """Has those who wait for a seat sign up as the reserve."""
        for person in self.reserve:
            await self.command(person, "league join", league=league, reserve=True)

    # What happens to the bot

    async def kill(self, absent: int = 0) -> None:
        """Kills the bot, which stays away for so many seconds."""
        await self.house.kill_bot()
        self.house.clock.now += absent
        await self.house.start_bot()
        self.done["kills"] += 1

    async def strike(self) -> None:
        """Strikes with one of the faults that a bot lives with."""
        blow = self.chance.choice(("requests", "kill", "absence", "outage", "lock", "sessions", "cut off"))
        self.done[blow] += 1
        if blow == "requests":
            for pattern, effect in self.chance.sample(FAULTS, 3):
                self.house.server.faults.add(pattern, effect, times=self.chance.randrange(1, 4))
        elif blow == "kill":
            await self._kill_during(self.play(), 1)
        elif blow == "absence":
            await self.kill(self.chance.randrange(2 * HOUR, 2 * DAY))
        elif blow == "outage":
            await self._call_guild("outage", away=True)
            await self.house.move_clock(self.chance.randrange(HOUR, DAY))
            await self._call_guild("outage", away=False)
        elif blow == "lock":
            async with self._locked():
                await asyncio.sleep(0.5)
        elif blow == "sessions":
            self.house.server.gateway.forget_sessions()
            self.house.server.gateway.cut()
        elif isinstance(database := self.house.bot.database, Address):
            self.house.bot.query(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            assert database
        await self.house.until(lambda: self.house.server.gateway.online, "online")

    @asynccontextmanager
    async def _locked(self) -> AsyncIterator[None]:
        other = Other(self.house.bot.database)
        await asyncio.to_thread(other.lock) if isinstance(self.house.bot.database, Address) else other.lock()
        try:
            yield
        finally:
            other.release()

    async def _call_guild(self, what: str, *, away: bool) -> None:
        person = next(iter(self.people.values()))
        await person.call("PUT", f"/app/guilds/{self.room.guild}/{what}", {"away": away})

    async def _kill_during(self, acting: Coroutine[Any, Any, object], within: float) -> None:
        """Kills the bot while somebody acts, and starts it again. Nobody waits for the answer of the dead one."""
        task = asyncio.create_task(acting)
        await asyncio.wait({task}, timeout=self.chance.uniform(0, within))
        await self.house.kill_bot()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await self.house.start_bot()
        self.done["kills"] += 1

    # A season

    async def live_season(self, season: int, leavers: int) -> None:
        """Lives through a season of both leagues, from the sign-up to the next one."""
        self.look()
        begins = max(self.season_of(league)[2] for league in self.leagues)
        await self.house.set_clock(begins)
        await self.house.until(lambda: self._all_begun(season), "games begun")
        self.look()
        for league in self.leagues:
            self.check_beginning((league, season))
        step, last = 0, SEASON_WEEKS * 7 * DAY // STEP
        leaving = set(self.chance.sample(range(2, last - 4), leavers))
        blows = set(self.chance.sample(range(1, last), last // 4))
        while any(self.season_of(league)[1] == season for league in self.leagues):
            on = [league for league in self.leagues if self.season_of(league)[0] == "running"]
            await self.play()
            if step == 3:
                for league in on:
                    await self.join_reserve(league)
            if step in leaving and on:
                await self.leave(self.chance.choice(on), killed=self.chance.random() < 0.5)
            if step in blows:
                await self.strike()
            ends = min((self.season_of(league)[3] for league in on), default=self.house.now + STEP)
            if ends <= self.house.now + STEP:  # the bot dies while it decides what is not over
                self.house.clock.now = max(ends, self.house.now)
                await asyncio.sleep(self.chance.uniform(0, 0.6))
                await self.kill()
            await self.settle()
            await self.house.move_clock(min(STEP, max(ends - self.house.now - 1, 60)))
            self.look()
            step += 1
            assert step < 10 * last, "the season does not end"
        await self.settle()
        self.look()
        for league in self.leagues:
            self.check_season((league, season))

    def _all_begun(self, season: int) -> bool:
        waiting = (
            "SELECT count(*) FROM league_games WHERE season = ? AND match IS NULL AND points IS NULL AND NOT EXISTS"
        )
        limited = (
            " (SELECT 1 FROM league_seats WHERE league_seats.league = league_games.league"
            " AND league_seats.season = league_games.season AND league_seats.division = league_games.division"
            " AND at_once IS NOT NULL)"
        )
        begun = self.house.bot.query("SELECT count(*) FROM league_seasons WHERE season = ?", season)
        return begun == [(len(self.leagues),)] and self.house.bot.query(waiting + limited, season) == [(0,)]

    async def settle(self) -> None:
        """Waits until everything is told, and nobody who has left a league still plays in it."""
        await self.house.tick()
        untold = "SELECT count(*) FROM matches WHERE newsworthy > announced"
        await self.house.until(lambda: self.house.bot.query(untold) == [(0,)], "told")
        await self.house.until(lambda: self.house.bot.query("SELECT * FROM league_news") == [], "news posted")
        assert self.house.bot.query("SELECT * FROM league_seats WHERE former IS NOT NULL") == []
        staying = self.house.bot.query(
            "SELECT league_games.match FROM league_games JOIN leagues ON leagues.id = league_games.league"
            " AND leagues.season = league_games.season JOIN league_seats AS seat ON seat.league = league_games.league"
            " AND seat.season = league_games.season AND seat.division = league_games.division"
            " JOIN players ON players.match = league_games.match AND players.user = seat.user"
            " WHERE seat.state <> 'in' AND points IS NULL AND ended = 0 AND resigned = 0"
        )
        assert staying == [], "somebody who has left still plays"

    # The account

    def check_beginning(self, key: Key) -> None:
        """Everybody who may play has one seat, and meets everybody of their group as the form says."""
        seats, games = self.seats(key), self.games(key)
        users = Counter(seat.user for seat in seats)
        assert max(users.values()) == 1, users
        unready = {user for user in self.signed_up[key] if self._is_unready(key, user)}
        assert {*users} == self.signed_up[key] - unready, (key, unready)
        for division in {seat.division for seat in seats}:
            size = sum(seat.division == division for seat in seats)
            pairs = pairs_of(size, [game for game in games if game.division == division])
            assert {*pairs.values()} == {1}, (key, division, pairs)
            if key[0] == self.leagues[0]:
                assert len(pairs) == size * (size - 1) // 2
            elif size in (3, 4, 7, 9, 10):
                assert len(pairs) == size * (size - 1)

    def _is_unready(self, key: Key, user: int) -> bool:
        """Whether a person lost games of the last season on time and has not finished more of them since it began."""
        league, season = key[0], key[1] - 1
        [(late,)] = self.house.bot.query(
            "SELECT count(*) FROM shares JOIN league_games ON league_games.match = shares.match"
            " WHERE league = ? AND season = ? AND user = ? AND late = 1 AND ended_at <= ?",
            *(league, season, user, self.season_of(league)[2]),
        )
        [(finished,)] = self.house.bot.query(
            "SELECT count(*) FROM shares WHERE user = ? AND late = 0 AND ended_at >= coalesce((SELECT began_at"
            " FROM league_seasons WHERE league = ? AND season = ?), 0) AND ended_at <= ?",
            *(user, league, season, self.season_of(league)[2]),
        )
        return bool(late) and finished <= late

    def check_season(self, key: Key) -> None:
        """Every game of a season that is over is accounted for, and its table is that of the model."""
        seats, games, told = self.seats(key), self.games(key), stories(self.house)
        [(ended,)] = self.house.bot.query("SELECT ended_at FROM league_seasons WHERE league = ? AND season = ?", *key)
        numbers = [game.match for game in games if game.match is not None]
        assert len(numbers) == len({*numbers})
        for division in sorted({seat.division for seat in seats}):
            own = [seat for seat in seats if seat.division == division]
            out = {seat.entry for seat in own if seat.state == "out"}
            played = [game for game in games if game.division == division]
            for game in played:
                if not out & {*game.entries}:
                    self._check_game(key, own, game, told, ended)
            expected = places(own, played)
            assert {seat.entry: seat.place for seat in own} == {
                entry: place for entry, (place, _) in expected.items()
            }, (key, division)
        self._check_posts(key)

    def _check_game(
        self, key: Key, seats: Sequence[PlainSeat], game: PlainGame, told: dict[int, tuple[object, ...]], ended: int
    ) -> None:
        assert game.points is not None, game
        assert sum(game.points) <= 1, game
        sitting = [seats[entry] for entry in game.entries]
        if game.match is None:
            self.done["not set up"] += 1
            losing = [seat.has_limit or seat.state != "in" for seat in sitting]
            assert sum(game.points) in (0, 1)
            assert not any(gained for gained, lost in zip(game.points, losing, strict=True) if lost), game
            return
        events = [event for event in told[game.match] if event.at <= ended]  # type: ignore[attr-defined]
        match = Match.replay(game.match, events)
        holders = [self.holders[*key, seat.division, seat.entry] for seat in sitting]
        if not match.is_live:
            assert game.verdict is None, game
            self.done["over"] += 1
            assert game.points == points_on_board(match, holders), (key, game, match.outcome)
            return
        gone = [seat.user for seat in sitting if seat.state != "in"]
        expected = adjudicated(match, events, gone, game)
        self.done[game.verdict or "?"] += 1
        assert expected in (None, game.points), (key, game, expected)

    def _check_posts(self, key: Key) -> None:
        """Each report of a season has been posted once."""
        posts = Counter(
            message.nonce.split(":")[2]
            for message in public_messages(self.house)
            if message.author_id == BOT_ID and (message.nonce or "").startswith(f"l{key[0]:x}:{key[1]}:")
        )
        assert {kind: posts[kind] for kind in ("open", "begin", "warn-2", "end")} == dict.fromkeys(
            ("open", "begin", "warn-2", "end"), 1
        ), (key, posts)
        assert set(posts.values()) == {1}, (key, posts)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(",")))


def _fractions(text: str) -> tuple[Fraction, ...]:
    return tuple(Fraction(number, WIN) for number in _numbers(text))
