"""Three seasons of sixty people in two leagues, through kills and faults: every game is accounted for."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Coroutine, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from bot.core.clock import DAY, HOUR
from bot.core.match import Match
from bot.leagues.posts import EDIT_INTERVAL_S
from bot.leagues.seasons import BOARDS_WAIT_S
from bot.store.connection import Address
from rules import format_move, iter_moves
from sandbox.errors import Code
from sandbox.faults import Effect, Serve, cut, refused, status
from sandbox.people import Person, Reply
from tests.e2e.clock import ClockHouse
from tests.e2e.database import Other
from tests.e2e.forged_components import press_old
from tests.e2e.house import complaints
from tests.e2e.league_account import LeagueAccount
from tests.e2e.required_posts import posts
from tests.e2e.room import Room, type_move
from tests.e2e.seasons import open_league
from tests.e2e.stored_games import load_match
from tests.examples import AtMost, drawn_seed

pytestmark = pytest.mark.asyncio(loop_scope="session")

START = datetime(2026, 3, 2, 18, tzinfo=UTC)


STEP = 12 * HOUR
AT_ONCE = 8
"""People who act at the same time."""
SEASON_WEEKS = 2
NEVER_BEGUN, NEVER_ENDED = 1, 6
"""Of ten games, how many nobody plays, and in how many nobody resigns or claims, so that the season decides them."""

MINUTES, EDIT_EVERY = 180, 600
"""Seconds between two looks at people who play, and between two edits of a table at least."""
CHANNEL_MENU = "rt-league-honours:channel"
MOST_TICKS = 100
"""In which all games of a season begin."""
PER_POST, PER_END, MORE = 2, 3, 1.1
"""Requests for a game's post and the board before it, for a game's end beside its post (its thread closed and renamed,
its post in the channel), and the share of them that an unsure answer may add."""

FAULTS: tuple[tuple[str, Effect], ...] = (
    ("POST /channels/*/messages", status(503)),
    ("POST /channels/*/messages", cut(done=False)),
    ("POST /channels/*/messages", status(502, done=True)),
    ("PATCH /channels/*/messages/*", status(503)),
    ("PATCH /channels/*/messages/*", cut(done=True)),
    ("POST /channels/*/messages/*/threads", status(503)),
    ("POST /channels/*/threads", cut(done=False)),
    ("POST /channels/*/messages", refused(Code.UNKNOWN_CHANNEL)),
    ("PATCH /channels/*/messages/*", refused(Code.UNKNOWN_MESSAGE)),
    ("POST /channels/*/messages/*/threads", refused(Code.UNKNOWN_CHANNEL)),
)
"""What Discord does to some requests."""


class LeagueHunt(LeagueAccount):
    """People in two leagues of one server."""

    def __init__(self, room: Room, house: ClockHouse, chance: random.Random, crew: Sequence[Person], acts: int) -> None:
        super().__init__(house)
        self.room = room
        self.chance = chance
        self.people = {int(person.id): person for person in crew}
        self.acts = acts
        """Acts in games in each step of the clock."""
        self.reserve: Sequence[Person] = ()
        self.stalling = set[int]()
        """People who never move, whatever comes."""

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
        self.stalling = {int(one.id) for one in self.chance.sample(crew[: len(crew) - reserve], len(crew) // 30 + 1)}

    @property
    def lost(self) -> set[int]:
        """People who do nothing in their games any more."""
        return self.stalling | self.out_of_server | self.forgotten

    async def command(self, person: Person, name: str, **options: object) -> Reply:
        """Has a person give a command in the channel of the leagues."""
        return await person.command(self.room.channel, name, **options)

    # What people do

    async def play(self, acts: int | None = None) -> None:
        """Has people act in so many games that go on."""
        live = self.house.bot.query(
            "SELECT match FROM league_games JOIN matches ON matches.id = match WHERE phase = 'live'"
            " AND match % 10 >= ? ORDER BY match",
            NEVER_BEGUN,
        )
        chosen = self.chance.sample(live, min(acts or self.acts, len(live)))
        for start in range(0, len(chosen), AT_ONCE):
            await asyncio.gather(*(self._act_in(number) for (number,) in chosen[start : start + AT_ONCE]))

    async def _act_in(self, number: int) -> None:
        match = load_match(self.house, number)
        acting = [user for user in match.people_in if user not in self.lost]
        if match.to_move is None or not acting:
            return
        fate, ends = self.chance.random(), number % 10 >= NEVER_ENDED
        others = [user for user in acting if user != match.to_move]
        if match.clock.grace_ends_at is not None and ends:
            if others:
                claimant = self.people[self.chance.choice(others)]
                claim = f"rt:claim:{number}:{match.board_version}:-"
                await press_old(self.house, claimant, self.room.channel, claim)
                self.done["claims"] += 1
        elif fate < 0.8 or not ends:
            if match.to_move in acting:
                await self._move(match, self.people[match.to_move])
        else:
            loser = self.people[self.chance.choice(acting)]
            asked = await self.command(loser, "game resign", game=str(number))
            if asked.buttons:
                await loser.click(asked, asked.buttons[0])
            self.done["resignations"] += 1

    async def _move(self, match: Match, mover: Person) -> None:
        moves = [move for move, _ in zip(iter_moves(match.started_game.position), range(20), strict=False)]
        move = format_move(self.chance.choice(moves), match.variant.board)
        await type_move(mover, self.room.channel, move, game=str(match.id))
        self.done["moves"] += 1

    async def leave(self, league: int, *, killed: bool) -> None:
        """Has somebody leave a league; `killed`: the bot is killed while it does what that takes."""
        user = self.chance.choice([user for user in self._seated(league) if user not in self.lost])
        asked = await self.command(self.people[user], "league leave", league=league)
        pressed = self.people[user].click(asked, asked.buttons[0])
        await (self._kill_during(pressed, 0.12) if killed else pressed)
        self.done["leavers"] += 1

    def _seated(self, league: int) -> list[int]:
        seated = self.house.bot.query(
            "SELECT user FROM league_seats WHERE league = ? AND season = ? AND state = 'in' AND user > 0 ORDER BY user",
            league,
            self.season_of(league)[1],
        )
        return [user for (user,) in seated]

    async def remove(self, league: int, *, killed: bool) -> None:
        """Has a manager take somebody out, best one who has left the server."""
        seated = self._seated(league)
        user = self.chance.choice([user for user in seated if user in self.out_of_server] or seated)
        judge = await self.room.enter_owner()
        asked = await self.command(judge, "server league", league=league, remove=self.people[user])
        pressed = judge.click(asked, asked.buttons[0])
        await (self._kill_during(pressed, 0.12) if killed else pressed)
        self.done["removals"] += 1

    async def forget(self, league: int, *, killed: bool) -> None:
        """Has somebody delete their data."""
        user = self.chance.choice([user for user in self._seated(league) if user not in self.lost])
        asked = await press_old(self.house, self.people[user], self.room.channel, "rt:data-delete:0:0:-")
        form = await self.people[user].click(asked, asked.buttons[0])
        self.forgotten.add(user)
        sent = self.people[user].submit(form, {"word": "delete"})
        await (self._kill_during(sent, 0.5) if killed else sent)
        self.done["data deleted"] += 1

    async def leave_server(self) -> None:
        """Has somebody who plays, or has signed up, leave the server."""
        rows = self.house.bot.query("SELECT DISTINCT user FROM league_sign_ups WHERE reserve = 0 ORDER BY user")
        user = self.chance.choice([user for (user,) in rows if user not in self.lost])
        person = self.people[user]
        await person.call("PUT", f"/app/guilds/{self.room.guild}/members/{person.id}", {"member": False})
        self.out_of_server.add(user)
        self.done["out of the server"] += 1

    async def come_back(self, league: int) -> None:
        """Has some of the people who were signed off for want of a move sign up again, and then play."""
        rows = self.house.bot.query(
            "SELECT user FROM league_sign_ups WHERE league = ? AND signed_off = 'idle' ORDER BY user", league
        )
        for (user,) in rows:
            if user not in self.out_of_server | self.forgotten and self.chance.random() < 0.5:
                await self.command(self.people[user], "league join", league=league)
                self.stalling.discard(user)
                self.done["come back"] += 1

    async def join_reserve(self, league: int) -> None:
        """Has those who wait for a seat sign up as the reserve."""
        for person in (one for one in self.reserve if int(one.id) not in self.lost):
            await self.command(person, "league join", league=league, reserve=True)

    # What happens to the bot and its place

    async def lose_channel(self, *, killed: bool) -> None:
        """Deletes the channel of the leagues, perhaps while the bot is away. A manager chooses another for each, and
        the players of each game that goes on move it there.
        """
        await self.settle()
        self.note_posts()
        person, lost = await self.room.enter_owner(), self.room.channel
        self.room.channel = await self.room.add_channel(f"leagues-{self.done['channels']}")
        if killed:
            await self.house.kill_bot()
        await person.call("DELETE", f"/app/channels/{lost}")
        if killed:
            await self.house.start_bot()  # it learns that a game has lost its place once it has something to post there
        else:
            await self.house.until(lambda: self.without_place(lost, known=False) == [], "games without a place")
        async with await self.house.join("Ada") as ada:
            for league in self.leagues:
                await self._choose_channel(ada, league)
        moved = Counter[int]()
        for number in [*self.without_place(lost, known=True), *self.without_place(lost, known=False)]:
            match = load_match(self.house, number)
            staying = [user for user in match.people_in if user in self.people and user not in self.lost]
            for mover in sorted(staying, key=moved.__getitem__)[:1]:
                moved[mover] += 1
                await self.command(self.people[mover], "game move-here", game=str(number))
        self.done["channels"] += 1
        await self.settle()

    def without_place(self, lost: str, *, known: bool) -> list[int]:
        """Returns the live games in a deleted channel, those of which the bot knows that they have lost their place, or
        the others."""
        games = "SELECT id FROM matches WHERE phase = 'live' AND channel = ? AND place_is_lost = ?"
        return [number for (number,) in self.house.bot.query(games, int(lost), int(known))]

    async def _choose_channel(self, manager: Person, league: int) -> None:
        """Waits until the bot knows that the league has no channel, and chooses this one."""
        no_channel = "SELECT channel FROM leagues WHERE id = ?"
        while self.house.bot.query(no_channel, league) != [(0,)]:  # the bot was away: an edit finds out, unless cut off
            self.house.bot.query("UPDATE leagues SET edited_at = 0 WHERE id = ?", league)
            self.house.bot.query(
                "INSERT INTO jobs (kind, key, guild, due_at) SELECT 'league-table', CAST(id AS TEXT), guild, 0"
                " FROM leagues WHERE id = ? ON CONFLICT (kind, key) DO UPDATE SET due_at = 0",
                league,
            )
            await self.house.tick()
        await self.house.until(lambda: self.house.bot.query(no_channel, league) == [(0,)], "channel missed")
        shown = await self.command(manager, "server league", league=league)
        await manager.choose(shown, CHANNEL_MENU, [self.room.channel])
        chosen = [(int(self.room.channel),)]
        await self.house.until(lambda: self.house.bot.query(no_channel, league) == chosen, "channel chosen")

    async def kill(self, absent: int = 0) -> None:
        """Kills the bot, which stays away for so many seconds."""
        await self.house.kill_bot()
        self.house.clock.now += absent
        await self.house.start_bot()
        self.done["kills"] += 1

    async def strike(self) -> None:
        """Strikes with one of the faults that a bot lives with.

        Before a jump of the clock everything is told: else Discord would have forgotten the nonce of a post that a kill
        has kept from being marked.
        """
        blows = ["requests", "kill", "absence", "outage", "lock", "sessions"]
        if isinstance(self.house.bot.database, Address):
            blows.append("backends")
        blow = self.chance.choice(blows)
        self.done[blow] += 1
        if blow in ("absence", "outage"):
            await self.settle()
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
            with Other(self.house.bot.database).locked():
                await asyncio.sleep(0.5)
        elif blow == "sessions":
            self.house.server.gateway.forget_sessions()
            self.house.server.gateway.cut()
        else:
            self.house.bot.query(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        await self.house.until(lambda: self.house.server.gateway.online, "online")

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

    async def count_requests(self) -> None:
        """An hour in which people play costs no more than their games and an edit of each table in ten minutes."""
        sent, edits = self.house.server.requests, Counter[str]()

        async def note_edit(request: web.Request, serve: Serve) -> web.StreamResponse:
            edits[request.path.rsplit("/", 1)[1]] += 1
            return await serve(request)

        await self.settle()
        tables = [str(message) for (message,) in self.house.bot.query("SELECT message FROM leagues")]
        self.house.server.faults.add("PATCH /channels/*/messages/*", note_edit, times=None)
        for what, step in (("quiet", EDIT_EVERY), ("busy", MINUTES)):
            posted = posts(self.house).total()
            sent.asked.clear()
            edits.clear()
            for _ in range(HOUR // step):
                if what == "busy":
                    await self.play(self.acts // 2)
                await self.house.move_clock(step)
            await self.settle()
            posted = posts(self.house).total() - posted
            edited = [edits[table] for table in tables]
            counted = sent.counting - sent.asked["GET /gateway"] - sum(edited)  # by GET it checks a clock that jumps
            self.done[f"{what}: edits of tables"] += sum(edited)
            self.done[f"{what}: other requests"] += counted
            self.done[f"{what}: posts"] += posted
            most = HOUR // EDIT_EVERY + 1 if what == "busy" else 1  # then what changed before it
            assert max(edited) <= most, (what, edited)
            ends = sent.asked["PATCH /channels/{channel_id}"]
            assert counted <= MORE * (PER_POST * posted + PER_END * ends), (what, sent.asked, posted)
        self.house.server.faults.lift()

    async def live_season(self, season: int, leavers: int) -> None:
        """Lives through a season of both leagues, from the sign-up to the next one."""
        if season > 1:
            for league in self.leagues:
                await self.come_back(league)
        await self.leave_server()
        self.look()
        for _ in range(3):  # absences postpone the beginning, too, which shows when it is due
            begins = max(self.season_of(league)[2] for league in self.leagues)
            await self.house.set_clock(max(begins, self.house.now))
        for _ in range(MOST_TICKS):  # ten games in each
            if self._all_begun(season):
                break
            await self.house.tick()
        assert self._all_begun(season), "games that do not begin"
        self.look()
        for league in self.leagues:
            self.check_beginning((league, season))
        if season == 1:
            await self.count_requests()
        step, last = 0, SEASON_WEEKS * 7 * DAY // STEP
        leaving = self.chance.sample(range(2, last - 4), leavers + 3)
        *leaving, removing, forgetting, vanishing = leaving
        losing = self.chance.randrange(4, last - 4)
        blows = set(self.chance.sample(range(1, last), last // 4))
        while any(self.season_of(league)[1] == season for league in self.leagues):
            on = [league for league in self.leagues if self.season_of(league)[0] == "running"]
            await self.play()
            if step == 3:
                for league in on:
                    await self.join_reserve(league)
            if step in leaving and on:
                await self.leave(self.chance.choice(on), killed=self.chance.random() < 0.5)
            if step == vanishing:
                await self.leave_server()
            if step == removing and on:
                await self.remove(self.chance.choice(on), killed=self.chance.random() < 0.5)
            if step == forgetting and on:
                await self.forget(self.chance.choice(on), killed=self.chance.random() < 0.5)
            if step in blows:
                await self.strike()
            if step == losing:
                await self.lose_channel(killed=self.chance.random() < 0.5)
            ends = min((self.season_of(league)[3] for league in on), default=self.house.now + STEP)
            if ends <= self.house.now + STEP:  # the bot dies while it decides what is not over
                await self.settle()
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
        lost = "place_is_lost = 1 AND phase = 'live'"
        untold = f"SELECT count(*) FROM matches WHERE newsworthy > announced AND NOT ({lost})"
        await self.house.until(lambda: self.house.bot.query(untold) == [(0,)], "told")
        waiting = "SELECT kind FROM league_news UNION ALL SELECT kind FROM jobs"
        waiting += " WHERE kind IN ('thread-lines', 'league-list')"
        for _ in range(BOARDS_WAIT_S // EDIT_INTERVAL_S):  # the list of games waits for their boards
            if self.house.bot.query(waiting) == []:
                break
            await self.house.move_clock(EDIT_INTERVAL_S)
        await self.house.until(lambda: self.house.bot.query("SELECT * FROM league_news") == [], "news posted")
        staying = self.house.bot.query(
            "SELECT league_games.match FROM league_games JOIN leagues ON leagues.id = league_games.league"
            " AND leagues.season = league_games.season JOIN league_seats AS seat ON seat.league = league_games.league"
            " AND seat.season = league_games.season AND seat.division = league_games.division"
            " JOIN players ON players.match = league_games.match AND players.user = seat.user"
            " WHERE seat.state <> 'in' AND points IS NULL AND ended = 0 AND resigned = 0"
        )
        assert staying == [], "somebody who has left still plays"


async def play_seasons(folder: Path, *, people: int, reserve: int, seasons: int, size: str, acts: int) -> str:
    """Plays so many seasons; returns what has happened. Raises AssertionError if something is lost or doubled."""
    chance = random.Random(drawn_seed())
    house = ClockHouse(folder, START)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(house)
        stack.callback(lambda: print(house.bot.log[-20000:]))
        house.server.world.clock = lambda: float(house.now)
        room = await Room.found(house, "leagues", stack)
        crew = [(await room.enter(f"P{number}"))[0] for number in range(people)]
        hunt = LeagueHunt(room, house, chance, crew, acts)
        try:
            await hunt.open(size, reserve)
            for season in range(1, seasons + 1):
                await hunt.live_season(season, leavers=max(people // 15, 2))
        finally:
            print(hunt.done)
        assert house.strange == []
        assert complaints(house.bot.log) == []
        assert max(posts(house).values()) == 1
        asked = house.server.requests
        return (
            f"{dict(hunt.done)}; {posts(house).total()} posts; {asked.counting} requests that count,"
            f" {asked.places[room.channel]} about the channel of the leagues; {dict(asked.asked)}"
        )


@pytest.mark.long
@pytest.mark.timeout(4 * 3600)
async def test_no_season_loses_or_doubles_anything(tmp_path: Path, at_most: AtMost) -> None:
    people, reserve, seasons, acts = at_most(62, 9), at_most(2, 1), at_most(3, 1), at_most(40, 4)
    size = "4-6" if people > 20 else "3-4"
    print(await play_seasons(tmp_path, people=people, reserve=reserve, seasons=seasons, size=size, acts=acts))
