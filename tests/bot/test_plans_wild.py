"""Random plans through the services, compared with a plain model of their effect (`foreseeing`)."""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core import acts
from bot.core.clock import DAY, HOUR
from bot.core.deadlines import Actor
from bot.core.events import Ballot, EventKind
from bot.core.match import Match
from bot.core.problems import MatchError
from bot.features import make_service
from bot.plans.plan import Guard
from bot.plans.service import (
    change_reply,
    confirm_plan,
    draft_plan,
    plans_for_match,
    redraw_plan,
    resume_plans,
    set_plays_on_vacation,
)
from bot.play.service import Service, people, upkeep
from bot.store import Store
from rules import VARIANTS, RulesError
from tests.bot import answers
from tests.bot.acts import mark_announced
from tests.bot.beginning import begun
from tests.bot.foreseeing import Foresight, Link, Meant, chosen, planned_among
from tests.bot.playing import ADA, BO, CY, DEE, GUILD, NOW, unshuffled
from tests.examples import AtMost, examples

JUDGE = 1099


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
            await set_plays_on_vacation(self.service, Actor(user, NOW), drawn.id, plays=meant.away)
        except MatchError:
            assert self.foresight.may_refuse(meant)
            return
        if self.chance.random() < 0.1:
            return  # an unconfirmed plan has no effect
        await self.confirm(drawn.id, meant)
        self.foresight.did["planned"] += 1

    async def edit(self) -> None:
        """Changes how a reply in somebody's plan must be."""
        meant = self.chance.choice(self.foresight.meant)
        change = meant.changed(self.chance, self.foresight.story)
        if not change:
            return
        number, guards, changed = change
        drawn = await redraw_plan(self.service, Actor(meant.user, NOW), meant.id)
        allowed = None if guards is None else frozenset(map(Guard, guards))
        await change_reply(self.service, Actor(meant.user, NOW), drawn.id, number, allowed)
        await self.confirm(drawn.id, changed)
        self.foresight.did["edited"] += 1

    async def confirm(self, plan_id: int, meant: Meant) -> None:
        """Confirms somebody's draft, which replaces other plans of theirs."""
        plan, gone = await confirm_plan(self.service, Actor(meant.user, self.now), plan_id)
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
        assert sum(link.planned for link in links) == planned_among(made)
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
                    make_service(store, unshuffled),
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
