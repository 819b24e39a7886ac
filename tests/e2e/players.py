"""People who keep playing while the bot is killed and restarted, and who remember what the bot told them."""

from __future__ import annotations

import asyncio
import random
import re
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import islice
from typing import ClassVar, Self

from bot.core.events import Event
from bot.core.match import Match, Phase
from rules import VARIANTS, Game, Move, format_move, iter_moves
from sandbox.people import Person, Reply, Said, TooLateError
from sandbox.world import BOT_ID
from tests.e2e.answer_checks import require_answer
from tests.e2e.board_play import commit, pick, value_of
from tests.e2e.house import House
from tests.e2e.required_posts import posts, promised_posts
from tests.e2e.room import Room, accepted, type_move
from tests.e2e.stored_games import follows_line, match_of, planned, stories, written
from tests.e2e.thought_people import Thinking, posts_are_up_to_date
from tests.sentences import label, part

LONG_ENOUGH = 8
"""Plies after which a player may resign, so that new games begin; from then on games of two are rated."""

MOST_PLIES = 30
"""Plies from which nobody lets a finished game go on, so that new games begin."""


@dataclass
class Circle:
    """A few people in a room who play one game after another. `told` and `tables` have what the bot confirmed."""

    room: Room
    variant: str
    in_thread: bool
    people: list[Person]
    chance: random.Random
    pace: str
    reserve: Person | None = None
    """The person who takes over the first seat that becomes vacant in a game of three."""
    told: dict[tuple[int, int], str] = field(default_factory=dict)
    """(game, ply) -> the move that the bot confirmed."""
    tables: set[int] = field(default_factory=set)
    """The games whose tables the bot confirmed."""
    after: int = 0
    """Games up to this number belong to other people of the room."""
    meant: dict[int, list[tuple[int, int, list[str]]]] = field(default_factory=dict)
    """By game: the planner, the number of moves before the plan, and its line. A `*` follows a move that may be any."""
    pressed: Counter[str] = field(default_factory=Counter)
    """How often each way of acting worked."""
    thoughts: Thinking = field(init=False)
    judge: Person | None = None
    """The person who may let their finished games go on."""
    glance: ClassVar[float] = 0.01
    """Seconds between two looks at something that they wait for."""

    def __post_init__(self) -> None:
        self.thoughts = Thinking(self.room.house, self.pressed)

    @classmethod
    async def gather(cls, room: Room, variant: str, chance: random.Random, *, in_thread: bool, pace: str) -> Self:
        """Has the people enter the room; they sit at no table yet."""
        seats = len(VARIANTS[variant].seats)
        people = await room.enter(*"ABCD"[: seats if seats == 2 else seats + 1])
        return cls(room, variant, in_thread, people[:seats], chance, pace, *people[seats:])

    async def go_on(self) -> None:
        """Plays until cancelled, which happens at any moment when the bot dies."""
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
        if match and match.phase is Phase.OVER and self.chance.random() < 0.6:
            await self._look_back(match)
        elif match and match.vacancy and not match.vacancy.voting and self.reserve and not self._has_reserve(match):
            await self._take_over(match, self.reserve)
        elif match is None or not (match.phase is Phase.OPEN or match.to_move):  # over, or a seat is vacant
            await self._invite()
        elif match.phase is Phase.OPEN:
            await self._fill(match)
        else:
            await self._take_turn(match)

    def _latest(self) -> Match | None:
        """Returns the room's latest game that its people can see, replayed from the database."""
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
        require_answer(reply)
        number = re.search(r"(?<!<)#(\d+)", reply.text)  # not the channel of a refusal
        assert number, reply
        self.tables.add(int(number[1]))
        self.pressed["/play"] += 1
        await self._until(lambda match: match.id >= int(number[1]))

    async def _fill(self, match: Match) -> None:
        table = await self._said(lambda said: "Join" in said.buttons and f"#{match.id}" in said.text)
        person = self.people[len(match.table.joined)]
        reply = await person.click(table, "Join")
        require_answer(reply)
        assert accepted(reply), reply
        self.pressed["Join"] += 1
        await self._until(lambda now: now.seq > match.seq)

    def _has_reserve(self, match: Match) -> bool:
        """Returns True if the reserve plays in the game, or has left it."""
        played = {*match.players, *(leaver.user for leaver in match.roster.leavers)}
        return self.reserve is not None and int(self.reserve.id) in played

    async def _take_over(self, match: Match, reserve: Person) -> None:
        """Has the reserve press the button of the latest call for a substitute, if it is posted by now."""
        button = part("button.take-over")
        calls = [
            (said, label)
            for said in await reserve.messages(self._place(match))
            for label in said.buttons
            if label.startswith(button) and f"#{match.id}" in said.text
        ]
        if not calls:
            await asyncio.sleep(2 * self.glance)
            return
        reply = require_answer(await reserve.click(*calls[-1]))
        if part("leaver.done.taken-over", id=match.id) in reply.text:
            self.pressed["take over"] += 1
            await self._until(lambda now: now.seq > match.seq)

    async def _take_turn(self, match: Match) -> None:
        assert match.game is not None
        mover = next(one for one in self._players() if int(one.id) == match.to_move)
        if match.ply >= LONG_ENOUGH and self.chance.random() < 0.25:
            await self._give_up(match, mover)
            return
        if self.chance.random() < 0.4:
            await self._plan(match)
            return
        if self.chance.random() < 0.15:
            panel = require_answer(await mover.click(await self._turn(match), "Move"))
            await self.thoughts.write(mover, panel, match)
            return
        if self.chance.random() < 0.1:
            await self.thoughts.comment(self.chance.choice(self._readers()), self._place(match), match, self.chance)
            return
        move = self._chosen(match.game)
        text = format_move(move, match.variant.board)
        way = self.chance.choice((self._command, self._command, self._composer, self._form))
        reply = await way(match, mover, move, text)
        require_answer(reply)
        # The board may have to wait; the move is kept.
        assert any(part(key, id=match.id).rstrip() in reply.text for key in ("move.done", "move.unposted")), reply
        self.told[match.id, match.ply] = reply.text.split("`")[1]
        self.pressed[way.__name__.strip("_")] += 1

    async def _look_back(self, match: Match) -> None:
        """Has somebody share their thoughts, read those shared, look up the openings, or let the game go on."""
        # The game's thread is archived, now or soon: a press wakes it, but no command works there.
        person, place = self.chance.choice(self._readers()), self.room.channel
        match self.chance.choice(("share", "share", "read", "openings", "reopen")):
            case "share":
                await self.thoughts.share(person, place, match)
            case "read":
                await self.thoughts.read(person, self._place(match), match)
            case "reopen" if self.judge and match.ply < MOST_PLIES:
                await self.thoughts.reopen(self.judge, place, match)
            case _:
                await self.thoughts.look_up(person, place, match)

    def _players(self) -> list[Person]:
        """Returns everybody who may play."""
        return [*self.people, *([self.reserve] if self.reserve else [])]

    def _readers(self) -> list[Person]:
        """Returns everybody who may play, and one person who does not."""
        return [*self._players(), *([self.judge] if self.judge else [])]

    def _chosen(self, game: Game) -> Move:
        """Returns a move that others are likely to expect, or a random one."""
        return self.chance.choice(list(islice(iter_moves(game.position), self.chance.choice((2, 2, 60)))))

    async def _plan(self, match: Match) -> None:
        """Has somebody plan some moves that others are likely to play."""
        assert match.game is not None
        person, line, game = self.chance.choice(self._players()), list[str](), match.game
        seat = match.seat_of(int(person.id))
        if seat is None or not game.position.is_playing(seat):
            return
        while not game.outcome and (len(line) < self.chance.randint(2, 6) or game.position.turn != seat):
            move, mine = self._chosen(game), game.position.turn == seat
            anything = "*" + self.chance.choice(("", "s", "cps")) if not mine and self.chance.random() < 0.2 else ""
            line.append(format_move(move, match.variant.board) + anything)
            game = game.apply(move)
        asked = await person.command(self._place(match), "plan", line=" ".join(line), game=str(match.id))
        require_answer(asked)
        if label("plan-confirm") not in asked.buttons:  # such as a line in which nothing would be played by itself
            return
        self.meant.setdefault(match.id, []).append((int(person.id), match.ply, line))
        require_answer(await person.click(asked, label("plan-confirm")))
        self.pressed["plan"] += 1

    async def _command(self, match: Match, mover: Person, move: Move, text: str) -> Reply:
        return await type_move(mover, self._place(match), text, game=str(match.id))

    async def _composer(self, match: Match, mover: Person, move: Move, text: str) -> Reply:
        panel = require_answer(await mover.click(await self._turn(match), "Move"))
        for number, cell in enumerate(move.path):
            panel = require_answer(await pick(mover, panel, "leg" if number else "piece", value_of(cell)))
        return await commit(mover, panel)

    async def _form(self, match: Match, mover: Person, move: Move, text: str) -> Reply:
        panel = require_answer(await mover.click(await self._turn(match), "Move"))
        form = require_answer(await mover.click(panel, "Type it"))
        assert form.modal is not None, form
        return await commit(mover, await mover.submit(form, {"move": text}))

    async def _give_up(self, match: Match, mover: Person) -> None:
        asked = require_answer(await mover.command(self._place(match), "game resign", game=str(match.id)))
        require_answer(await mover.click(asked, label("resign")))
        self.pressed["resign"] += 1
        await self._until(lambda now: now.seq > match.seq)

    async def _turn(self, match: Match) -> Said:
        """Waits for the message with the current board and returns it."""
        told = "SELECT announced >= newsworthy FROM matches WHERE id = ?"
        # Or the turn before would be taken for it.
        await self.room.house.until(lambda: self.room.house.bot.query(told, match.id) == [(1,)], "told")
        now = match_of(self.room.house, match.id)  # its thread may have been opened since
        return await self._said(lambda said: "Move" in said.buttons and f"#{match.id}" in said.text, now)

    async def _said(self, wanted: Callable[[Said], bool], match: Match | None = None) -> Said:
        where = self._place(match) if match else self.room.channel
        while True:
            if found := [said for said in await self.people[0].messages(where) if wanted(said)]:
                return found[-1]
            await asyncio.sleep(2 * self.glance)

    async def _until(self, come_true: Callable[[Match], bool]) -> None:
        while (match := self._latest()) is None or not come_true(match):  # noqa: ASYNC110 - it looks into a file
            await asyncio.sleep(self.glance)

    def _place(self, match: Match) -> str:
        return str(match.place.thread or match.place.channel)

    def check_promises(self, kept: Mapping[int, tuple[Event, ...]]) -> None:
        """Asserts that `kept`, the events in the database, has everything that the bot confirmed."""
        for number in self.tables:
            assert kept.get(number), f"table #{number} is lost"
        for (number, ply), move in self.told.items():
            moves = written(number, kept.get(number, ()))
            assert moves[ply : ply + 1] == (move,), f"game #{number} has lost move {ply + 1}, {move}: {moves}"
        for number, meant in self.meant.items():
            for ply, user in planned(number, kept.get(number, ())):
                fits = [
                    who
                    for who, since, line in meant
                    if follows_line(line, written(number, kept[number])[since : ply + 1])
                ]
                assert user in fits, f"game #{number}: nobody has planned move {ply + 1}"
        self.thoughts.check_promises()


@dataclass
class Company:
    """Several circles at once, in all variants, whose bot is killed and restarted."""

    house: House
    circles: list[Circle]

    @classmethod
    async def gather(cls, house: House, chance: random.Random, stack: AsyncExitStack) -> Self:
        """Gathers a circle for each variant, and two whose games have threads, one of them without a clock."""
        circles = []
        judge = await stack.enter_async_context(await house.join("Ada"))
        for name, variant, in_thread, pace in (
            *((variant, variant, False, "fast") for variant in VARIANTS),
            ("thread", "tri-camelot", True, "fast"),
            ("second", "camelot", True, "none"),
        ):
            room = await Room.found(house, f"{name}-room", stack)
            circle = await Circle.gather(room, variant, chance, in_thread=in_thread, pace=pace)
            circle.judge = judge
            circles.append(circle)
        return cls(house, circles)

    async def play(self, end: asyncio.Event) -> None:
        """Has everybody play until the event is set; raises what went wrong for anybody before."""
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
        """Asserts that nothing is lost that the bot confirmed to anybody."""
        kept = stories(self.house)
        for circle in self.circles:
            circle.check_promises(kept)

    async def settle(self) -> None:
        """Waits until all news are posted; raises AssertionError if some are missing or doubled."""
        untold = "SELECT id, channel, thread, phase, newsworthy, announced FROM matches WHERE newsworthy > announced"
        try:
            await self.house.until(lambda: not self.house.bot.query(untold) and self._missed() is None, "told")
        except AssertionError as error:
            raise AssertionError(self._missed(), self.house.bot.query(untold)) from error
        await self.house.until(lambda: posts_are_up_to_date(self.house), "annotated games up to date")
        for circle in self.circles:
            circle.thoughts.check_seals()

    def _missed(self) -> str | None:
        """Returns what is missing or doubled; None if nothing is. The next tick may still post more."""
        (due, passing), told = promised_posts(self.house), posts(self.house)
        if due <= told <= due + passing:
            return None
        return f"never told: {due - told}; told twice, or of nothing: {told - due - passing}"

    @property
    def pressed(self) -> Counter[str]:
        """How often each way of acting worked, for all circles together."""
        return sum((circle.pressed for circle in self.circles), Counter())
