"""Random plans through the services, compared with a plain model of what they must come to: no move unmeant, none
twice, none missing.

The model, `Foresight`, knows nothing of how plans go on from move to move. It keeps the whole story of the board, and
asks of each plan from the beginning: has everything been played as it says?
"""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core import acts
from bot.core.clock import DAY, HOUR
from bot.core.deadlines import Actor
from bot.core.events import Ballot, Event, EventKind
from bot.core.fold import fold_event
from bot.core.match import Match
from bot.core.plans import Plan
from bot.core.problems import MatchError
from bot.features import FEATURES
from bot.plans.service import change_plan, draft_plan, resume_plans
from bot.play.service import Service, people, upkeep
from bot.store import Store
from bot.store.plans import plans_for_match
from rules import VARIANTS, Game, Move, Position, RulesError, Seat, format_move, legal_moves
from rules.game import resolve_passes
from tests.bot import answers
from tests.bot.acts import mark_announced
from tests.bot.beginning import begun
from tests.bot.confirmed_plans import confirmed, freed
from tests.bot.playing import ADA, BO, CY, DEE, GUILD, NOW, unshuffled
from tests.examples import AtMost, examples

JUDGE = 1099
FEW = 3
"""The number of moves that people choose from: few, so that plans often match."""

ALONG = 0.4
"""The probability that a plan continues another standing plan, so that several moves follow at once."""

Played = tuple[Seat, Move, Position]
"""A move: its seat, the move, and the position before it."""


class Said(NamedTuple):
    """One move of a plan, as its maker named it."""

    seat: Seat
    move: Move
    taken: dict[int, int]
    """The pieces that the move captures, by cell."""
    anything: bool
    """True for a reply that may be any move."""


class Link(NamedTuple):
    """A move of a chain, as the announcement must show it."""

    seat: Seat
    user: int | None
    move: str
    planned: bool
    stewarded: bool


@dataclass
class Meant:
    """A plan as its maker means it."""

    user: int
    seat: Seat
    since: int
    """The number of moves of the game before the plan."""
    line: list[Said]
    away: bool
    id: int = 0

    def fits(self, story: Sequence[Played]) -> bool:
        """Returns True if all moves since then follow the plan."""
        made = story[self.since :]
        return len(made) < len(self.line) and all(map(self._as_said, self.line, made))

    def _as_said(self, said: Said, made: Played) -> bool:
        who, played, position = made
        if said.seat != who:
            return False
        lost = {cell: position.cells[cell] for cell in played.captures}
        if not said.anything:
            return said.move.outcome == played.outcome
        mine = [byte for byte in lost.values() if position.variant.piece_by_code[byte].seat == self.seat]
        return not mine

    def next(self, story: Sequence[Played]) -> Said:
        return self.line[len(story) - self.since]

    def vague(self, story: Sequence[Played]) -> list[bool]:
        return [said.anything for said in self.line[: len(story) - self.since]]

    def may_play(self, story: Sequence[Played], position: Position) -> bool:
        """Returns True if the plan's next move may be played at that position."""
        _, move, taken, _ = self.next(story)
        text = format_move(move, position.variant.board)
        try:
            played = Game.from_position(position).play(text).moves[-1]
        except RulesError:
            return False
        if played != move:
            return False
        if any(self.vague(story)):
            if {cell: position.cells[cell] for cell in move.captures} != taken:
                return False
            after, outcome, _ = resolve_passes(position.after_move(move))  # no steward who passes
            castle = position.variant.armies[self.seat].castle
            return (
                outcome is not None
                or after.turn == self.seat
                or not any(reply.end in castle and reply.start not in castle for reply in legal_moves(after))
            )
        return True

    def changed(self, chance: random.Random, story: Sequence[Played]) -> tuple[list[int], Meant] | None:
        """Returns the later replies that may be anything after an edit, and the plan after it; None if none is left."""
        played = len(story) - self.since
        replies = [number for number in range(played, len(self.line)) if self.line[number].seat != self.seat]
        if not replies:
            return None
        line, number = [*self.line], chance.choice(replies)
        line[number] = line[number]._replace(anything=chance.random() < 0.7)
        return [number for number in replies if line[number].anything], replace(self, line=line)


def chosen(chance: random.Random, position: Position, few: int = FEW) -> Move:
    """Returns one of the first few legal moves, so that people often choose the same."""
    found = legal_moves(position)
    return chance.choice(found[:: max(1, len(found) // few)])


@dataclass
class Foresight:
    """Computes the required effect of the plans for a game."""

    match: Match
    away: dict[int, int] = field(default_factory=dict)
    """The end of each person's vacation."""
    story: list[Played] = field(default_factory=list)
    meant: list[Meant] = field(default_factory=list)
    did: Counter[str] = field(default_factory=Counter)

    def wild_plan(self, chance: random.Random, user: int, *, away: float = 0.3, few: int = FEW) -> tuple[str, Meant]:
        """Returns a random line as that player types it, with some replies left open, and the plan that it means."""
        seat, game, words, line = self.match.players.index(user), self.match.started_game, list[str](), list[Said]()
        rest = self._along(chance)
        for _ in range(chance.randint(2, 7)):
            if game.outcome:
                break
            position = game.position
            move = next(rest, None) or chosen(chance, position, few)
            if move not in legal_moves(position):
                move, rest = chosen(chance, position, few), iter(())
            anything = position.turn != seat and chance.random() < 0.3
            words.append(format_move(move, position.variant.board) + "*" * anything)
            taken = {cell: position.cells[cell] for cell in move.captures}
            line.append(Said(position.turn, move, taken, anything))
            game = game.apply(move)
        while line and line[-1].seat != seat:
            line.pop()
        return " ".join(words), Meant(user, seat, len(self.story), line, chance.random() < away)

    def _along(self, chance: random.Random) -> Iterator[Move]:
        """Yields the moves still to come of another person's plan, for somebody who plans along with it."""
        if not self.meant or chance.random() > ALONG:
            return iter(())
        one = chance.choice(self.meant)
        return iter([said.move for said in one.line[len(self.story) - one.since :]])

    def may_refuse(self, meant: Meant) -> bool:
        """Returns True if the bot may refuse this plan now."""
        return len(meant.line) < 2 or self.match.vacancy is not None or meant.user not in self.match.still_in

    def confirmed(self, meant: Meant, plan_id: int, gone: Collection[int]) -> None:
        """Notes that somebody confirmed or edited the plan and that it replaced the plans `gone`."""
        others = [one for one in self.meant if one.id not in (plan_id, *gone)]
        self.meant = sorted([*others, replace(meant, id=plan_id)], key=lambda one: one.id)

    def follow(self, events: Sequence[Event], now: int) -> list[Link]:
        """Returns the moves made by one act; raises AssertionError if other moves were required."""
        links = list[Link]()
        for event in events:
            was, self.match = self.match, fold_event(self.match, event)
            if event.kind is EventKind.MOVED:
                links.append(self._moved(event, was, first=event is events[0], now=now))
            else:
                self._fall(event.kind, was)
        assert self.expected(self.match, now) is None, "a planned move is missing"
        if played := sum(link.planned for link in links):
            self.did["chains"] += 1
            self.did["planned moves"] += played
        return links

    def _moved(self, event: Event, was: Match, *, first: bool, now: int) -> Link:
        seat, position, move = was.turn, was.started_game.position, self.match.started_game.moves[-1]
        expected, planned = self.expected(was, now), event.body.endswith(" planned")
        if planned:
            assert expected is not None, f"not meant: {event.body}"
            assert move == expected, event.body
        else:
            assert was.is_stewards_turn or first, event
            assert expected is None, "a planned move is missing"
        self.story.append((seat, move, position))
        self.meant = [one for one in self.meant if one.fits(self.story)]
        return Link(seat, was.to_move, format_move(move, was.variant.board), planned, was.is_stewards_turn)

    def _fall(self, kind: EventKind, was: Match) -> None:
        if kind in (EventKind.UNDONE, EventKind.REWOUND) and self.match.ply < was.ply:
            del self.story[self.match.ply :]
            self.meant = []
            self.did["taken back"] += 1
        elif kind in (EventKind.TAKEN_OVER, EventKind.REPLACED, EventKind.PASSIVE) or not self.match.is_live:
            self.meant = []
            self.did["seats"] += 1

    def expected(self, match: Match, now: int) -> Move | None:
        """Returns the move that the bot must now play by itself; drops plans that cannot match any more."""
        user = match.to_move
        self.meant = [one for one in self.meant if match.is_live and match.started_game.position.is_playing(one.seat)]
        due = [
            one
            for one in self.meant
            if one.user == user and len(self.story) > one.since and one.next(self.story).seat == one.seat
        ]
        if user is None or not due:
            return None
        since = max(one.since for one in due)
        first = min(reversed(due), key=lambda one: one.vague(self.story)[since - one.since :])
        away = self.away.get(user, 0) > now and not first.away
        waits = match.vacancy or away or any(_concerned(match, user))
        if waits:
            return None
        if not first.may_play(self.story, match.started_game.position):
            self.meant = [one for one in self.meant if one not in due]
            return None
        return first.next(self.story).move

    def standing(self) -> Counter[int]:
        """Returns the number of plans that each person must have."""
        return Counter(one.user for one in self.meant)


def _concerned(match: Match, user: int) -> Iterator[bool]:
    for wish in match.requests.standing:
        if wish.kind is not answers.VOTE:
            yield wish.user == user or user not in wish.accepted
    # Only those who still play are asked; who does not, has no turn either.


# The games


EASY_ACTS = (
    *(acts.OfferDraw(), acts.AskTakeback(), acts.ProposeSubstitute(DEE), acts.AcceptRequest(answers.TAKEBACK)),
    *(acts.DeclineRequest(kind) for kind in (answers.DRAW, answers.DRAW, *answers.ANSWERED)),
)


@dataclass
class Table:
    """A game in which everybody plans, and its expected state."""

    service: Service
    chance: random.Random
    foresight: Foresight
    now: int

    @property
    def match(self) -> Match:
        return self.foresight.match

    async def plan(self) -> None:
        """Plans a line for somebody, with replies of which some may be anything."""
        if not self.match.is_live:
            return
        user = self.chance.choice(self.match.players)
        line, meant = self.foresight.wild_plan(self.chance, user)
        try:
            drawn = await draft_plan(self.service, Actor(user, self.now), self.match.id, line)
            actor, away = Actor(user, NOW), meant.away
            await change_plan(self.service, actor, drawn.id, lambda plan: replace(plan, plays_on_vacation=away))
        except MatchError:
            assert self.foresight.may_refuse(meant)
            return
        if self.chance.random() < 0.1:
            return  # an unconfirmed plan has no effect
        await self.change(drawn.id, confirmed, meant)
        self.foresight.did["planned"] += 1

    async def edit(self) -> None:
        """Changes how a reply in somebody's plan must be."""
        meant = self.chance.choice(self.foresight.meant)
        change = meant.changed(self.chance, self.foresight.story)
        if not change:
            return
        free, changed = change
        await self.change(meant.id, freed(*free), changed)
        self.foresight.did["edited"] += 1

    async def change(self, plan_id: int, change: Callable[[Plan], Plan], meant: Meant) -> None:
        """Changes or confirms somebody's plan, which replaces other plans of theirs."""
        plan, gone = await change_plan(self.service, Actor(meant.user, self.now), plan_id, change)
        self.foresight.confirmed(meant, plan.id, {one.id for one in gone})
        await self.reckon(await self.service.current_match(self.match.id, GUILD))

    async def move(self) -> None:
        user = self.match.to_move
        if user is None:
            return
        move = chosen(self.chance, self.match.started_game.position)
        await self.act(user, acts.PlayMove(move, self.match.board_version))

    async def act(self, user: int, act: acts.Act) -> None:
        """Acts, and checks all that must follow."""
        try:
            after = await self.service.act(Actor(user, self.now, GUILD), self.match.id, act)
        except (MatchError, RulesError):
            return
        await self.reckon(after)

    async def reckon(self, after: Match) -> None:
        """Checks that the match is as foreseen."""
        events = await self.service.reader.load_events(after.id)
        links = self.foresight.follow(events[self.match.seq :], self.now)
        assert self.match == after
        standing = Counter({user: count for user in (ADA, BO, CY, DEE) if (count := await self.standing(user))})
        assert standing == self.foresight.standing(), (standing, self.foresight.meant)
        await self.told(links)

    async def standing(self, user: int) -> int:
        return sum(plan.is_alive for plan in await plans_for_match(self.service.reader, self.match.id, user))

    async def told(self, made: Sequence[Link]) -> None:
        """Checks the announcements: moves that followed at once are announced at once, each exactly once."""
        news = await self.service.unannounced_news(self.match.id)
        moved = [item for item in news if item.kind is EventKind.MOVED]
        links = [link for item in moved for link in item.told_together]
        assert len(moved) <= 1
        assert sum(link.planned for link in links) == sum(link.planned for link in made)
        if moved and self.match.to_move is not None and news[-1] is moved[0]:
            assert moved[0].calls[0] == self.match.to_move  # and who has lost the last piece
        if news:
            await mark_announced(self.service, self.match.id, news[-1].seq)

    async def something(self) -> None:
        """Does something other than a move or a plan."""
        user = self.chance.choice((*self.match.players, DEE))
        match self.chance.randrange(12):
            case number if number < len(EASY_ACTS):
                await self.act(user, EASY_ACTS[number])
            case 9 if self.chance.random() < 0.2:
                await self.act(JUDGE, acts.RewindMatch(self.chance.randint(0, self.match.ply), "so be it"))
            case 10 if self.chance.random() < 0.2 and len(self.match.players) == 3:
                await self.act(user, acts.Resign())
                if self.match.vacancy:
                    await self._vote()
            case 11:
                await self.vacation(user)

    async def _vote(self) -> None:
        for _ in range(2):
            self.now += 3 * DAY
            await self.tick()
            for user in self.match.still_in:
                await self.act(user, acts.CastVote(Ballot.PLAY_ON))

    async def tick(self) -> None:
        """Does what is due by now, also in other games."""
        for ticked in [*await upkeep.tick_matches(self.service, self.now), *await resume_plans(self.service, self.now)]:
            if ticked.id == self.match.id:
                await self.reckon(ticked)

    async def vacation(self, user: int) -> None:
        away = self.foresight.away
        if away.get(user, 0) > self.now:
            self.now = away[user]
            await self.tick()
            return
        with suppress(MatchError):
            _, away[user] = await people.start_vacation(self.service, Actor(user, self.now), self.now + DAY)
            await self.reckon(await self.service.current_match(self.match.id, GUILD))


async def play(service: Service, seed: str, key: str, steps: int, away: dict[int, int], now: int) -> Counter[str]:
    """Plays so many steps of a game; returns the acts done in it."""
    chance = random.Random(seed)
    table = Table(service, chance, Foresight(await begun(service, key, None), away), now)
    await mark_announced(service, table.match.id, table.match.seq)
    for _ in range(steps):
        if not table.match.is_live:
            break
        table.now += 60
        if any(table.now - 60 < end <= table.now for end in away.values()):  # no wait is longer than that
            await table.tick()
        roll = chance.random()
        if roll < 0.1 and table.foresight.meant:
            await table.edit()
        elif roll < 0.6:
            await table.plan()
        elif roll < 0.9:
            await table.move()
        else:
            await table.something()
    return table.foresight.did


async def _plays(seed: str, key: str, steps: int, games: int = 1) -> Counter[str]:
    did, away = Counter[str](), dict[int, int]()  # vacations apply to all games
    with tempfile.TemporaryDirectory() as folder:
        async with Store.open(Path(folder) / "wild.db") as store:
            for number in range(games):
                did += await play(
                    Service(store, FEATURES, unshuffled),
                    f"{seed} {number}",
                    key,
                    steps,
                    away,
                    NOW + HOUR + number * 100 * DAY,
                )
    return did


@given(seed=st.integers(0, 2**32), key=st.sampled_from(["camelot", "tri-camelot", "cam-3d"]))
@settings(examples(0.1))
def test_whatever_people_plan_and_do_exactly_what_was_meant_is_played(seed: int, key: str) -> None:
    asyncio.run(_plays(str(seed), key, 25))


@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("key", VARIANTS)
def test_hundreds_of_chains_are_what_was_meant(key: str, at_most: AtMost) -> None:
    wanted, did = at_most(300, 100) // len(VARIANTS) + 1, Counter[str]()
    seed = random.SystemRandom().randrange(10**9)
    print(f"seed {seed}")
    while did["chains"] < wanted:
        did += asyncio.run(_plays(f"{seed} {did['planned']}", key, 200, games=10))
    print(key, dict(did))
