"""People who go on playing whatever becomes of the bot, and who remember what they were told."""

from __future__ import annotations

import asyncio
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby, islice, pairwise
from operator import itemgetter
from typing import Any, ClassVar, Self

from bot.match.events import TABLE_CLOSING_EVENTS, Event, EventKind
from bot.match.match import Match, Phase, replay_states
from bot.match.news import collect_news
from bot.posting.telling import make_notice
from bot.posting.turn import has_board
from bot.texts.i18n import text
from rules import VARIANTS, Game, Move, format_move, iter_moves
from sandbox.people import Person, Reply, Said, TooLateError
from sandbox.things import Message
from sandbox.world import BOT_ID
from tests.e2e.composing import commit, pick, value_of
from tests.e2e.house import House
from tests.e2e.room import Room, accepted
from tests.sentences import label, part

LONG_ENOUGH = 8
"""Plies after which somebody thinks of giving up, so that new games begin too; games of two are rated from then on."""

AT_MOST = {EventKind.REMINDED: 2, EventKind.GRACE: 1, EventKind.OVERDUE: 1}
"""How often each may be in a turn: at half of the bank and two hours before its end, then once each."""

UNSTORED = tuple(text("en", f"storage.{key}", code="").split(".")[0] for key in ("failing", "unknown", "away"))
"""How an answer begins that promises nothing."""


@dataclass
class Circle:
    """A few people in a room who play one game after another. What they were told stands in `told` and `tables`."""

    room: Room
    variant: str
    in_thread: bool
    people: list[Person]
    chance: random.Random
    pace: str
    told: dict[tuple[int, int], str] = field(default_factory=dict)
    """(game, ply) -> the move that somebody was told is played."""
    tables: set[int] = field(default_factory=set)
    """The games that somebody was offered."""
    after: int = 0
    """Games up to this number are those of others in the room."""
    meant: dict[int, list[tuple[int, int, list[str]]]] = field(default_factory=dict)
    """By game: who has wanted to plan what, and from how many moves on. A `*` stands after what may be anything."""
    pressed: Counter[str] = field(default_factory=Counter)
    """How often each way of doing something has worked."""
    glance: ClassVar[float] = 0.01
    """Seconds between two looks at what they wait for."""

    @classmethod
    async def gather(cls, room: Room, variant: str, chance: random.Random, *, in_thread: bool, pace: str) -> Self:
        """The people, at no table yet."""
        return cls(room, variant, in_thread, await room.enter(*"ABC"[: len(VARIANTS[variant].seats)]), chance, pace)

    async def go_on(self) -> None:
        """Plays for ever. Cancelled when the bot dies, in the middle of whatever it may be."""
        while True:
            await self.act()

    async def act(self) -> None:
        """The next thing that somebody does."""
        try:
            await self._go_on(self._latest())
        except TooLateError:  # nothing was promised, so they look again
            self.pressed["too late"] += 1

    async def _go_on(self, match: Match | None) -> None:
        """The next thing that somebody does. Errors: TooLateError where no answer came within three seconds."""
        if match is None or not (match.phase is Phase.OPEN or match.to_move):  # over, or a seat is vacant
            await self._invite()
        elif match.phase is Phase.OPEN:
            await self._fill(match)
        else:
            await self._take_turn(match)

    def _latest(self) -> Match | None:
        """The room's youngest game that its people can see, from the file as a newcomer to it would read it."""
        said = self.room.house.server.world.messages(int(self.room.channel))
        numbers = (re.search(r"#(\d+)", message.content) for message in said if message.author_id == BOT_ID)
        shown = ", ".join(number[1] for number in numbers if number) or "NULL"
        found = self.room.house.bot.query(
            f"SELECT max(id) FROM matches WHERE channel = ? AND id > ? AND (phase <> 'open' OR id IN ({shown}))",
            *(int(self.room.channel), self.after),
        )
        number = found[0][0]
        return match_of(self.room.house, number) if number is not None else None

    async def _invite(self) -> None:
        host = self.people[0]
        reply = await host.command(
            *(self.room.channel, "play"),
            variant=self.variant,
            seats="join-order",
            thread=self.in_thread,
            pace=self.pace,
        )
        _require_answer(reply)
        number = re.search(r"#(\d+)", reply.text)
        assert number, reply
        assert not reply.ephemeral, reply.text
        self.tables.add(int(number[1]))
        self.pressed["/play"] += 1
        await self._until(lambda match: match.id >= int(number[1]))

    async def _fill(self, match: Match) -> None:
        table = await self._said(lambda said: "Join" in said.buttons and f"#{match.id}" in said.text)
        person = self.people[len(match.joined)]
        reply = await person.click(table, "Join")
        _require_answer(reply)
        assert accepted(reply), reply
        self.pressed["Join"] += 1
        await self._until(lambda now: now.seq > match.seq)

    async def _take_turn(self, match: Match) -> None:
        assert match.game is not None
        mover = next(one for one in self.people if int(one.id) == match.to_move)
        if match.ply >= LONG_ENOUGH and self.chance.random() < 0.25:
            await self._give_up(match, mover)
            return
        if self.chance.random() < 0.4:
            await self._plan(match)
            return
        move = self._chosen(match.game)
        text = format_move(move, match.variant.board)
        way = self.chance.choice((self._command, self._command, self._composer, self._form))
        reply = await way(match, mover, move, text)
        _require_answer(reply)
        # The board may have to wait for Discord's limits; the move is kept.
        assert any(part(key, id=match.id).rstrip() in reply.text for key in ("move.done", "move.unposted")), reply
        self.told[match.id, match.ply] = reply.text.split("`")[1]
        self.pressed[way.__name__.strip("_")] += 1

    def _chosen(self, game: Game) -> Move:
        """A move that others may expect, or any."""
        return self.chance.choice(list(islice(iter_moves(game.position), self.chance.choice((2, 2, 60)))))

    async def _plan(self, match: Match) -> None:
        """Somebody plans some moves ahead: those that others may expect."""
        assert match.game is not None
        person, line, game = self.chance.choice(self.people), list[str](), match.game
        seat = match.seat_of(int(person.id))
        if seat is None or not game.position.is_playing(seat):
            return
        while not game.outcome and (len(line) < self.chance.randint(2, 6) or game.position.turn != seat):
            move, mine = self._chosen(game), game.position.turn == seat
            anything = "*" + self.chance.choice(("", "s", "cps")) if not mine and self.chance.random() < 0.2 else ""
            line.append(format_move(move, match.variant.board) + anything)
            game = game.apply(move)
        asked = await person.command(self._place(match), "plan", line=" ".join(line), game=str(match.id))
        _require_answer(asked)
        if label("plan-confirm") not in asked.buttons:  # such as a line in which nothing would be played by itself
            return
        self.meant.setdefault(match.id, []).append((int(person.id), match.ply, line))
        _require_answer(await person.click(asked, label("plan-confirm")))
        self.pressed["plan"] += 1

    async def _command(self, match: Match, mover: Person, move: Move, text: str) -> Reply:
        return await mover.command(self._place(match), "move", move=text, game=str(match.id))

    async def _composer(self, match: Match, mover: Person, move: Move, text: str) -> Reply:
        panel = await mover.click(await self._turn(match), "Move")
        panel = await pick(mover, panel, "piece", value_of(move.start))
        for _, to in pairwise(move.path):
            panel = await pick(mover, panel, "leg", value_of(to))
        return await commit(mover, panel)

    async def _form(self, match: Match, mover: Person, move: Move, text: str) -> Reply:
        panel = await mover.click(await self._turn(match), "Move")
        form = await mover.click(panel, "Type it")
        _require_answer(form)
        assert form.modal is not None, form
        return await commit(mover, await mover.submit(form, {"move": text}))

    async def _give_up(self, match: Match, mover: Person) -> None:
        asked = await mover.command(self._place(match), "game resign", game=str(match.id))
        reply = await mover.click(asked, label("resign"))
        _require_answer(reply)
        self.pressed["resign"] += 1
        await self._until(lambda now: now.seq > match.seq)

    async def _turn(self, match: Match) -> Said:
        """The message that shows the board as it stands, which may still be on its way."""
        told = "SELECT announced >= newsworthy FROM matches WHERE id = ?"
        # Or the turn before would be taken for it.
        await self.room.house.until(lambda: self.room.house.bot.query(told, match.id) == [(1,)], "told")
        now = match_of(self.room.house, match.id)  # its thread may have been opened meanwhile
        return await self._said(lambda said: "Move" in said.buttons and f"#{match.id}" in said.text, now)

    async def _said(self, wanted: Callable[[Said], bool], match: Match | None = None) -> Said:
        where = self._place(match) if match else self.room.channel
        while True:
            found = [said for said in await self.people[0].messages(where) if wanted(said)]
            if found:
                return found[-1]
            await asyncio.sleep(2 * self.glance)

    async def _until(self, come_true: Callable[[Match], bool]) -> None:
        while True:
            match = self._latest()
            if match is not None and come_true(match):
                return
            await asyncio.sleep(self.glance)

    def _place(self, match: Match) -> str:
        return str(match.thread or match.channel)

    def check_promises(self, kept: Mapping[int, tuple[Event, ...]]) -> None:
        """Asserts that everything that anybody was told of is in the database, which holds those events."""
        for number in self.tables:
            assert kept.get(number), f"table #{number} is lost"
        for (number, ply), move in self.told.items():
            moves = written(number, kept.get(number, ()))
            assert moves[ply : ply + 1] == (move,), f"game #{number} has lost move {ply + 1}, {move}: {moves}"
        for number, meant in self.meant.items():
            for ply, user in planned(number, kept.get(number, ())):
                fits = [
                    who for who, since, line in meant if _says(line, written(number, kept[number])[since : ply + 1])
                ]
                assert user in fits, f"game #{number}: nobody has planned move {ply + 1}"


def _require_answer(reply: Reply) -> None:
    if reply.failed or reply.text.startswith(UNSTORED):
        raise TooLateError(reply)


def match_of(house: House, number: int) -> Match | None:
    """That match, from its events."""
    rows = house.bot.query("SELECT seq, at, kind, user, body FROM events WHERE match = ? ORDER BY seq", number)
    return Match.replay(number, [_event(row) for row in rows]) if rows else None


def _event(row: tuple[Any, ...]) -> Event:
    seq, at, kind, user, body = row
    return Event(seq, at, EventKind(kind), user, body)


# Hundreds of games are looked at again in each life, of which few have gone on.
@lru_cache(maxsize=2048)
def written(number: int, events: tuple[Event, ...]) -> tuple[str, ...]:
    """The moves of the game after those events, in notation; none where it has not begun."""
    match = Match.replay(number, events) if events else None
    if match is None or match.game is None:
        return ()
    return tuple(format_move(move, match.variant.board) for move in match.game.moves)


@lru_cache(maxsize=2048)
def planned(number: int, events: tuple[Event, ...]) -> tuple[tuple[int, int | None], ...]:
    """The moves of the game that were planned: how many had been made before each, and whose it was."""
    found, before = [], None
    for event, match in replay_states(number, events):
        if before is not None and event.kind is EventKind.MOVED and event.body.endswith(" planned"):
            found.append((before.ply, before.to_move))
        before = match
    return tuple(found)


def _says(line: Sequence[str], moves: Sequence[str]) -> bool:
    """Whether those moves are what the line says they would be, the last of them to be played by itself."""
    said = [move for move, _ in zip(line, moves, strict=False)]
    same = (one.partition("*")[1] or _ends(one) == _ends(other) for one, other in zip(said, moves, strict=False))
    return 1 < len(moves) <= len(line) and all(same) and said[-1] == moves[-1]


def _ends(move: str) -> tuple[str, str, int]:
    """Where a move begins and ends, and how much it takes."""
    cells = re.split("[-x]", move)
    return cells[0], cells[-1], move.count("x")


@lru_cache(maxsize=2048)
def promised(number: int, events: tuple[Event, ...]) -> tuple[Counter[str], Counter[str]]:
    """As `promised_posts`, of one game."""
    due, passing = Counter[str](), Counter[str]()
    for item in collect_news(number, events, 0):
        if item.kind not in TABLE_CLOSING_EVENTS and (has_board(item) or make_notice("en", item, "") is not None):
            wanted = passing if item.overtaken else due
            wanted[f"{item.match.created:x}:{number}:{item.seq}"] += 1
    return due, passing


def stories(house: House) -> dict[int, tuple[Event, ...]]:
    """Every game's events, by its number."""
    rows = house.bot.query("SELECT match, seq, at, kind, user, body FROM events ORDER BY match, seq")
    return {number: tuple(_event(row[1:]) for row in of_one) for number, of_one in groupby(rows, itemgetter(0))}


def promised_posts(house: House) -> tuple[Counter[str], Counter[str]]:
    """The nonces of all messages that the events in the file call for, each once; and of those that they may have."""
    due, passing = Counter[str](), Counter(f"w{guild:x}" for guild in house.server.world.guilds)  # each has a welcome
    for number, events in stories(house).items():
        one = promised(number, events)
        due.update(one[0])
        passing.update(one[1])
    return due, passing


def check_reminders(house: House) -> Counter[EventKind]:
    """How many of each kind in `AT_MOST` there were. Errors: AssertionError when one was doubled."""
    found = Counter[EventKind]()
    for number, events in stories(house).items():
        turn = Counter[EventKind]()
        for event in events:
            if event.kind in AT_MOST:
                turn[event.kind] += 1
                assert turn[event.kind] <= AT_MOST[event.kind], f"game #{number}: {event} is one too many"
            elif event.kind is not EventKind.PROLONGED:
                found += turn
                turn.clear()
        found += turn
    return found


def posts(house: House) -> Counter[str]:
    """The nonces of all messages that the bot has posted for everybody by itself."""
    return Counter(message.nonce for message in _messages(house) if message.nonce and message.author_id == BOT_ID)


def _messages(house: House) -> Iterator[Message]:
    world = house.server.world
    for channel in tuple(world.channels.values()):
        yield from world.messages(channel.id)


@dataclass
class Company:
    """Several circles at once, in all variants, and the bot that is taken away from them."""

    house: House
    circles: list[Circle]

    @classmethod
    async def gather(cls, house: House, chance: random.Random, stack: AsyncExitStack) -> Self:
        """A circle for each variant, and two whose games have threads, one of them without a clock."""
        circles = []
        for name, variant, in_thread, pace in (
            *((variant, variant, False, "fast") for variant in VARIANTS),
            ("thread", "tri-camelot", True, "fast"),
            ("second", "camelot", True, "none"),
        ):
            room = await Room.found(house, f"{name}-room", stack)
            circles.append(await Circle.gather(room, variant, chance, in_thread=in_thread, pace=pace))
        return cls(house, circles)

    async def play(self, end: asyncio.Event) -> None:
        """Everybody plays until the event. Errors: what went wrong for anybody before it."""
        playing = [asyncio.create_task(circle.go_on()) for circle in self.circles]
        ending = asyncio.create_task(end.wait())
        try:
            done, _ = await asyncio.wait((*playing, ending), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (*playing, ending):
                task.cancel()
            await asyncio.gather(*playing, ending, return_exceptions=True)
        if not end.is_set():
            for task in done:
                task.result()

    def check_promises(self) -> None:
        """Asserts that nothing is lost of what anybody was told of."""
        kept = stories(self.house)
        for circle in self.circles:
            circle.check_promises(kept)

    async def settle(self) -> None:
        """Waits until everything is told. Errors: AssertionError when something is not, or is told twice."""
        untold = "SELECT id, channel, thread, phase, newsworthy, announced FROM matches WHERE newsworthy > announced"
        try:
            await self.house.until(lambda: not self.house.bot.query(untold) and self._missed() is None, "told")
        except AssertionError as error:
            raise AssertionError(self._missed(), self.house.bot.query(untold)) from error

    def _missed(self) -> str | None:
        """What is not told, or told twice; None where all is as it should be. The tick may be about to tell more."""
        (due, passing), told = promised_posts(self.house), posts(self.house)
        if due <= told <= due + passing:
            return None
        return f"never told: {due - told}; told twice, or of nothing: {told - due - passing}"

    @property
    def pressed(self) -> Counter[str]:
        """How often each way of doing something has worked, for all."""
        return sum((circle.pressed for circle in self.circles), Counter())
