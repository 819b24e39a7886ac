"""Everybody plans wildly, beside a plain model of what must happen: no move unmeant, none twice, none missing.

The model knows nothing of how plans go on from move to move. It keeps the whole story of the board, and asks of each
plan from the beginning: has everything been played as it says?
"""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.match import offers, refereeing, turns, vacancy
from bot.match.events import Ballot, EventKind
from bot.match.match import Match
from bot.match.plans import Guard
from bot.people.clock import DAY, HOUR
from bot.people.problems import MatchError
from bot.service import Service
from bot.store import Store
from rules import VARIANTS, Game, Move, Position, RulesError, Seat, format_move, legal_moves
from tests.bot.playing import ADA, BO, CY, DEE, GUILD, NOW, unshuffled
from tests.bot.test_service_life import begun
from tests.examples import AtMost, examples

JUDGE = 1099
FEW = 3
"""Moves among which people choose, so that they do what others expect."""

Played = tuple[Seat, Move, Position]
"""Whose move it was, and where it was made."""


@dataclass
class Meant:
    """A plan as its maker means it."""

    user: int
    seat: Seat
    since: int
    """How much of the story there was."""
    line: list[tuple[Seat, Move, dict[int, int], str | None]]
    """Whose, which move, what it takes by cell, and the guards where it may be anything."""
    away: bool
    id: int = 0

    def fits(self, story: Sequence[Played]) -> bool:
        """Whether all that has been played since is as it says."""
        made = story[self.since :]
        return len(made) < len(self.line) and all(map(self._as_said, self.line, made))

    def _as_said(self, said: tuple[Seat, Move, dict[int, int], str | None], made: Played) -> bool:
        seat, move, taken, guards = said
        who, played, position = made
        if seat != who:
            return False
        lost = {cell: position.cells[cell] for cell in played.captures}
        if guards is None:
            return (move.path[0], move.path[-1], taken) == (played.path[0], played.path[-1], lost)
        mine = [byte for byte in lost.values() if position.variant.piece_of[byte].seat == self.seat]
        return "p" not in guards or not mine

    def next(self, story: Sequence[Played]) -> tuple[Seat, Move, dict[int, int], str | None]:
        return self.line[len(story) - self.since]

    def vague(self, story: Sequence[Played]) -> list[bool]:
        return [guards is not None for _, _, _, guards in self.line[: len(story) - self.since]]

    def guards(self, story: Sequence[Played]) -> str:
        return "".join(guards or "" for _, _, _, guards in self.line[: len(story) - self.since])

    def may_play(self, story: Sequence[Played], position: Position) -> bool:
        """Whether its next move may be played there."""
        _, move, taken, _ = self.next(story)
        text = format_move(move, position.variant.board)
        try:
            played = Game.from_position(position).play(text).moves[-1]
        except RulesError:
            return False
        if played != move:
            return False
        guards = self.guards(story)
        if "s" in guards and {cell: position.cells[cell] for cell in move.captures} != taken:
            return False
        if "c" in guards:
            after = position.after(move)
            castle = position.variant.armies[self.seat].castle
            return after.turn == self.seat or not any(
                reply.end in castle and reply.start not in castle for reply in legal_moves(after)
            )
        return True


@dataclass
class Table:
    """A game in which everybody plans, and what must come of it."""

    service: Service
    chance: random.Random
    match: Match
    now: int
    story: list[Played] = field(default_factory=list)
    meant: list[Meant] = field(default_factory=list)
    away: dict[int, int] = field(default_factory=dict)
    did: Counter[str] = field(default_factory=Counter)

    async def plan(self) -> None:
        """Somebody plans a line, with replies of which some may be anything."""
        if not self.match.is_live:
            return
        user = self.chance.choice(self.match.players)
        seat, game, words, line = self.match.players.index(user), self.match.started_game, list[str](), []
        for _ in range(self.chance.randint(2, 7)):
            if game.outcome:
                break
            position = game.position
            move = self._chosen(position)
            guards = None
            if position.turn != seat and self.chance.random() < 0.3:
                guards = "".join(sorted(self.chance.sample("spc", self.chance.randint(0, 3))))
            text = format_move(move, position.variant.board)
            words.append(text if guards is None else f"{text}*{guards}")
            taken = {cell: position.cells[cell] for cell in move.captures}
            line.append((position.turn, move, taken, guards))
            game = game.apply(move)
        while line and line[-1][0] != seat:
            line.pop()
        meant = Meant(user, seat, len(self.story), line, self.chance.random() < 0.3)
        try:
            drawn = await self.service.plans.draw_up(self.match.id, GUILD, user, " ".join(words), away=meant.away)
        except MatchError:
            assert len(line) < 2 or self.match.vacancy or user not in self.match.still_in
            return
        if self.chance.random() < 0.1:
            return  # who does not confirm has meant nothing
        await self.confirm(drawn.id, meant)
        self.did["planned"] += 1

    async def edit(self) -> None:
        """Somebody says anew what a reply of a plan of theirs must be."""
        meant = self.chance.choice(self.meant)
        played = len(self.story) - meant.since
        replies = [number for number in range(played, len(meant.line)) if meant.line[number][0] != meant.seat]
        if not replies:
            return
        number, guards = self.chance.choice(replies), self.chance.choice((None, "", "s", "cp"))
        line = [*meant.line]
        line[number] = (*line[number][:3], guards)
        drawn = await self.service.plans.redraw(meant.id, meant.user)
        allowed = None if guards is None else frozenset(map(Guard, guards))
        await self.service.plans.change(drawn.id, meant.user, number, allowed)
        await self.confirm(drawn.id, replace(meant, line=line))
        self.did["edited"] += 1

    async def confirm(self, plan_id: int, meant: Meant) -> None:
        """Somebody confirms what they have drawn up, and others of theirs are gone."""
        before = self.match
        plan, gone = await self.service.plans.confirm(plan_id, meant.user, self.now)
        self.meant = [one for one in self.meant if one.id not in {one.id for one in gone}]
        self.meant.append(replace(meant, id=plan.id))
        await self.reckon(before, await self.service.match(before.id, GUILD))

    def _chosen(self, position: Position) -> Move:
        """One of a few, so that people think alike."""
        found = legal_moves(position)
        return self.chance.choice(found[:: max(1, len(found) // FEW)])

    async def move(self) -> None:
        user = self.match.to_move
        if user is None:
            return
        text = format_move(self._chosen(self.match.started_game.position), self.match.variant.board)
        await self.act(lambda match, people: turns.move(match, user, text, self.now, people=people))

    async def act(self, decide: object) -> None:
        """An act, and all that must follow from it."""
        before = self.match
        try:
            after = await self.service.act(before.id, GUILD, decide)  # type: ignore[arg-type]  # a decision
        except (MatchError, RulesError):
            return
        await self.reckon(before, after)

    async def reckon(self, before: Match, after: Match) -> None:
        """What has happened is what must have happened."""
        events = await self.service.store.reader.events(after.id, before.seq)
        match, played = before, 0
        for event in events:
            was, match = match, match.apply(event)
            if event.kind is EventKind.MOVED:
                seat, position = was.turn, was.started_game.position
                expected = self.expected(was)
                if event.body.endswith(" planned"):
                    assert expected is not None, f"not meant: {event.body}"
                    assert match.started_game.moves[-1] == expected, event.body
                    played += 1
                else:
                    assert was.stewarded or event is events[0], event
                    assert expected is None, "a planned move is missing"
                self.story.append((seat, match.started_game.moves[-1], position))
                self.meant = [one for one in self.meant if one.fits(self.story) and position.turn != -1]
            else:
                self._fall(event.kind, was, match)
        assert match == after
        assert self.expected(after) is None, "a planned move is missing"
        if played:
            self.did["chains"] += 1
            self.did["longest"] = max(self.did["longest"], played)
        self.match = after
        standing = Counter({user: count for user in (ADA, BO, CY, DEE) if (count := await self.standing(user))})
        assert standing == Counter(one.user for one in self.meant), (standing, self.meant)
        await self.told(played)

    async def standing(self, user: int) -> int:
        return await self.service.plans.count(self.match.id, user)

    async def told(self, played: int) -> None:
        """What has happened is told: moves that followed at once, at once, and each of them once."""
        news = await self.service.news(self.match.id)
        moved = [item for item in news if item.kind is EventKind.MOVED]
        links = [link for item in moved for link in item.chain]
        assert len(moved) <= 1
        assert sum(link.planned for link in links) == played
        if moved and self.match.to_move is not None and news[-1] is moved[0]:
            assert moved[0].ping == (self.match.to_move,)
        if news:
            await self.service.mark_announced(self.match.id, news[-1].seq)

    def _fall(self, kind: EventKind, was: Match, match: Match) -> None:
        if kind in (EventKind.UNDONE, EventKind.REWOUND) and match.ply < was.ply:
            del self.story[match.ply :]
            self.meant = []
            self.did["taken back"] += 1
        elif kind in (EventKind.TAKEN_OVER, EventKind.REPLACED, EventKind.PASSIVE) or not match.is_live:
            self.meant = []
            self.did["seats"] += 1

    def expected(self, match: Match) -> Move | None:
        """The move that must now be played by itself."""
        user = match.to_move
        self.meant = [one for one in self.meant if match.is_live and match.started_game.position.plays(one.seat)]
        due = [
            one
            for one in self.meant
            if one.user == user and len(self.story) > one.since and one.next(self.story)[0] == one.seat
        ]
        if user is None or not due:
            return None
        since = max(one.since for one in due)
        first = min(reversed(due), key=lambda one: one.vague(self.story)[since - one.since :])
        away = self.away.get(user, 0) > self.now and not first.away
        waits = match.vacancy or away or any(self._concerned(match, user))
        if waits:
            return None
        if not first.may_play(self.story, match.started_game.position):
            self.meant = [one for one in self.meant if one not in due]
            return None
        return first.next(self.story)[1]

    def _concerned(self, match: Match, user: int) -> Iterator[bool]:
        for wish in (match.draw, match.takeback, match.handover):
            if wish:
                yield wish.user == user or user not in wish.accepted
        # Only those who still play are asked; who does not, has no turn either.

    async def something(self) -> None:
        """Something else than a move or a plan."""
        user, now = self.chance.choice((*self.match.players, DEE)), self.now
        match self.chance.randrange(12):
            case 0:
                await self.act(lambda match, _: offers.offer_draw(match, user, now))
            case 1 | 2 | 3:
                await self.act(lambda match, _: offers.decline_draw(match, user, now))
            case 4:
                await self.act(lambda match, _: offers.ask_takeback(match, user, now))
            case 5:
                await self.act(lambda match, _: offers.accept_takeback(match, user, now))
            case 6:
                await self.act(lambda match, _: offers.decline_takeback(match, user, now))
            case 7:
                await self.act(lambda match, _: vacancy.propose_substitute(match, user, DEE, now))
            case 8:
                await self.act(lambda match, _: vacancy.decline_substitute(match, user, now))
            case 9 if self.chance.random() < 0.2:
                ply = self.chance.randint(0, self.match.ply)
                await self.act(lambda match, _: refereeing.rewind(match, JUDGE, ply, "so be it", now))
            case 10 if self.chance.random() < 0.2 and len(self.match.players) == 3:
                await self.act(lambda match, people: turns.resign(match, user, now, people))
                if self.match.vacancy:
                    await self._vote()
            case 11:
                await self.vacation(user)
            case _:
                pass

    async def _vote(self) -> None:
        for _ in range(2):
            self.now += 3 * DAY
            await self.tick()
            for user in self.match.still_in:
                await self.act(lambda match, _, user=user: vacancy.vote(match, user, Ballot.PLAY_ON, self.now))

    async def tick(self) -> None:
        """What happens by itself by now; in other games, too."""
        before = self.match
        for ticked in await self.service.upkeep.tick(self.now):
            if ticked.id == before.id:
                await self.reckon(before, ticked)

    async def vacation(self, user: int) -> None:
        if self.away.get(user, 0) > self.now:
            self.now = self.away[user]
            await self.tick()
            return
        before = self.match
        with suppress(MatchError):
            _, self.away[user] = await self.service.people.start_vacation(user, self.now + DAY, self.now)
            await self.reckon(before, await self.service.match(before.id, GUILD))


async def play(service: Service, seed: str, key: str, steps: int, away: dict[int, int], now: int) -> Counter[str]:
    """So many steps of a game; what has been done in it."""
    chance = random.Random(seed)
    table = Table(service, chance, await begun(service, key, None), now, away=away)
    await service.mark_announced(table.match.id, table.match.seq)
    for _ in range(steps):
        if not table.match.is_live:
            break
        table.now += 60
        if any(table.now - 60 < end <= table.now for end in away.values()):  # nothing waits for longer than that
            await table.tick()
        roll = chance.random()
        if roll < 0.1 and table.meant:
            await table.edit()
        elif roll < 0.6:
            await table.plan()
        elif roll < 0.9:
            await table.move()
        else:
            await table.something()
    return table.did


async def _plays(seed: str, key: str, steps: int, games: int = 1) -> Counter[str]:
    did, away = Counter[str](), dict[int, int]()  # vacations are in all games
    with tempfile.TemporaryDirectory() as folder:
        async with Store.open(Path(folder) / "wild.db") as store:
            for number in range(games):
                did += await play(
                    Service(store, unshuffled), f"{seed} {number}", key, steps, away, NOW + HOUR + number * 100 * DAY
                )
    return did


@given(seed=st.integers(0, 2**32), key=st.sampled_from(["camelot", "tri-camelot", "cam-3d"]))
@settings(examples(0.1))
def test_whatever_people_plan_and_do_exactly_what_was_meant_is_played(seed: int, key: str) -> None:
    asyncio.run(_plays(str(seed), key, 25))


@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("key", VARIANTS)
def test_ten_thousand_chains_are_what_was_meant(key: str, at_most: AtMost) -> None:
    wanted, did = at_most(10_000, 200) // len(VARIANTS) + 1, Counter[str]()
    seed = random.SystemRandom().randrange(10**9)
    print(f"seed {seed}")
    while did["chains"] < wanted:
        did += asyncio.run(_plays(f"{seed} {did['planned']}", key, 200, games=10))
    print(key, dict(did))
