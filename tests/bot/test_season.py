"""A season through the services: thirty people of known strengths, ten weeks, and all kinds of acts."""

from __future__ import annotations

import asyncio
import math
import random
from collections import defaultdict
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from bot.core.clock import DAY, Pace
from bot.core.deadlines import Actor
from bot.core.match import Phase
from bot.core.problems import MatchError
from bot.core.ratings import sort_players
from bot.core.results import FinishedGame
from bot.core.settings import GuildSettings
from bot.core.timings import Timings
from bot.features import FEATURES
from bot.ladder import acts as ladder_acts
from bot.ladder import rows as ladder_store
from bot.ladder import service as ladders
from bot.ladder.acts import LadderError
from bot.ladder.state import EntryKind, LadderEntry, LadderId
from bot.ops.rebuild import rebuild_all
from bot.play.service import Service, people, upkeep
from bot.store import Store
from bot.store.results import changes_of, ratings_of, results_from
from rules import VARIANTS, Game, format_move, legal_moves
from tests.bot import acts
from tests.bot.ladder_climbers import challengeable_users, seq_of_challenge, spearman
from tests.bot.played_ladders import challenge, join
from tests.bot.playing import GUILD, NOW, existing
from tests.examples import AtMost

PLACE = LadderId(GUILD, "camelot")
CHANNEL = 7
PEOPLE = 30
DAYS = 80
FIRST = 200_000_000_000_000_001
"""The id of the weakest player; the others' ids follow."""

MOVES = 8
"""Moves before a game is decided, so that it counts."""


@cache
def opening(seed: int) -> tuple[str, ...]:
    """Returns the first moves of a random game."""
    chance, game = random.Random(seed), Game.start(VARIANTS[PLACE.variant])
    for _ in range(MOVES + 1):
        game = game.apply(chance.choice(legal_moves(game.position)))
    return tuple(format_move(move, game.variant.board) for move in game.moves)


TICKS_ONCE_A_DAY = Timings(unnoticed_absence_s=DAY)


class Community:
    """Thirty people on one ladder, and their random acts."""

    def __init__(self, store: Store, seed: int) -> None:
        self.store = store
        self.chance = random.Random(seed)
        self.service = Service(store, FEATURES, self.chance.shuffle, timings=TICKS_ONCE_A_DAY)
        self.now = NOW
        self.strength = {FIRST + number: -2 + 4 * number / PEOPLE for number in range(PEOPLE)}
        self.due: dict[int, int] = {}
        self.refusals = self.annulled = self.late = 0

    async def begin(self) -> None:
        await people.change_guild_settings(self.service, GUILD, lambda _: GuildSettings(pace=Pace.FAST))
        await join(self.service, *self.strength, place=PLACE)

    async def day(self, number: int) -> None:
        if number == DAYS // 2:  # a restart: nothing may live in memory alone
            self.service = Service(self.store, FEATURES, self.chance.shuffle, timings=TICKS_ONCE_A_DAY)
        for user in self.chance.sample(sorted(self.strength), PEOPLE):
            await self.act(user)
        self.now += DAY // 2
        due = sorted(match for match, at in self.due.items() if at <= self.now)
        for match in due:
            await self.end(match, self.chance.random(), self.chance.randrange(40))
        self.now += DAY // 2
        if number % 25 not in (20, 21):  # the bot is down for two days now and then
            for _ in range(2):
                await self.service.presence.note_present(self.now)
                await upkeep.tick_matches(self.service, self.now)
                await ladders.tick_ladders(self.service, self.now)
        await self.note_games()

    async def note_games(self) -> None:
        """Notes the games that have begun without an act."""
        ladder = await ladder_store.load_ladder(self.store.reader, PLACE)
        for match in ladder.games.keys() - self.due.keys():
            self.due[match] = self.now + self.chance.randint(0, 1) * DAY

    async def act(self, user: int) -> None:
        service, chance, now = self.service, self.chance, self.now
        who = service, Actor(user, now), PLACE
        mood = chance.random()
        try:
            ladder = await ladder_store.load_ladder(self.store.reader, PLACE)
            climber = ladder.active_climber(user)
            if chance.random() < 0.004:
                await people.start_vacation(service, Actor(user, now), now + chance.randint(1, 4) * DAY)
            if climber is None:
                await ladders.act_on_ladder(*who, ladder_acts.join_ladder, CHANNEL)
            elif mood < 0.003:
                await ladders.act_on_ladder(*who, ladder_acts.leave_ladder)
            elif (seq := seq_of_challenge(ladder, user)) and mood < 0.8:
                if mood < 0.07:
                    await ladders.act_on_ladder(*who, partial(ladder_acts.refuse_challenge, seq=seq))
                else:
                    match = await ladders.accept_challenge(*who, seq)
                    self.due[match.id] = now + chance.randint(0, 1) * DAY
            elif climber.challenging is None and (
                others := challengeable_users(await ladders.load_view(service, self.store.reader, PLACE, now), user)
            ):
                await challenge(service, user, chance.choice(others), now, PLACE)
            if mood > 0.1 and (climber is None or climber.queued_at is None):
                await ladders.switch_queue(*who, lambda: CHANNEL)
        except (LadderError, MatchError):
            self.refusals += 1  # a refused act changes nothing

    async def end(self, match_id: int, luck: float, seed: int) -> None:
        """Ends the game with a result that fits the strengths; some games continue until the clock ends them."""
        service = self.service
        match = await service.current_match(match_id, GUILD)
        if match.phase is Phase.OVER:
            del self.due[match_id]
            return
        one, two = match.players
        odds = 1 / (1 + math.exp(2.5 * (self.strength[two] - self.strength[one])))
        loser = two if luck < odds else one
        late, drawn = seed == 0, seed in (1, 2)
        for text in opening(seed)[match.ply : MOVES]:
            match = await acts.move(service, match_id, GUILD, existing(match.to_move), text, self.now)
        if late:
            if match.to_move != loser:
                await acts.move(service, match_id, GUILD, existing(match.to_move), opening(seed)[MOVES], self.now)
            self.due[match_id] = self.now + 99 * DAY
            self.late += 1
            return
        if drawn:
            await acts.offer_draw(service, match_id, GUILD, one, self.now)
            await acts.accept_draw(service, match_id, GUILD, two, self.now)
        else:
            await acts.resign(service, match_id, GUILD, loser, self.now)
        if seed == 3:
            await acts.annul(service, match_id, GUILD, 1, "a referee's reason", self.now)
            self.annulled += 1


async def live(path: Path, seed: int) -> Community:
    async with Store.open(path) as store:
        writing: Any = store._write_connection
        writing.sync = lambda _: None  # SQLite's: thousands of commits; durability is tested elsewhere
        community = Community(store, seed)
        await community.begin()
        for number in range(DAYS):
            await community.day(number)
        await check(community)
        return community


async def check(community: Community) -> None:
    """Checks everything that was promised."""
    store = community.store
    ladder, story = await ladder_store.replay_ladder(store.reader, PLACE)
    kinds = {entry.kind for entry, _ in story}
    assert kinds >= set(EntryKind) - {EntryKind.UNQUEUED, EntryKind.REOPENED, EntryKind.DIGEST}, set(EntryKind) - kinds
    assert community.late
    assert community.annulled
    assert await ladder_store.load_ladder(store.reader, PLACE) == ladder, "rows are what the entries make of them"
    assert await ladder_store.load_story(store.reader, PLACE) == story
    check_seasons([entry for entry, _ in story])
    games = [game for game in await results_from(store.reader, *PLACE, (0, 0)) if game.has_result]
    ratings = await ratings_of(store.reader, *PLACE)
    assert min(rating.games for rating in ratings.values()) >= 15
    order = [ratings[user].mu for user in community.strength]
    assert spearman(list(community.strength.values()), order) > 0.85
    await check_cap(store, games)
    found = await rebuild_all(community.service, write=False)
    assert found.differing == {}, "to the last digit"
    assert (found.ratings, found.ladders) == (PEOPLE, 1)
    everybody = await ladders.load_view(community.service, store.reader, PLACE, community.now)
    standing = ladder_acts.season_standings(everybody, {user: rating.mu for user, rating in ratings.items()})
    shown = await ladders.load_standings(community.service, PLACE, community.now)
    assert [climber for climber, _ in shown.rows] == list(standing)


async def check_cap(store: Store, games: list[FinishedGame]) -> None:
    """At most three rated games of the same pair in thirty days, and none is left out for another reason."""
    rated: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for game in sorted(games, key=lambda game: (game.ended_at, game.match)):
        lately = [at for at in rated[sort_players(game)] if at > game.ended_at - 30 * DAY]
        counts = len(lately) < 3 and game.moves >= MOVES
        assert bool(await changes_of(store.reader, game.match)) == counts, game
        if counts:
            rated[sort_players(game)].append(game.ended_at)


def check_seasons(entries: list[LadderEntry]) -> None:
    """Each season begins and ends once."""
    turns = [entry for entry in entries if entry.kind in (EntryKind.SEASON_STARTED, EntryKind.SEASON_ENDED)]
    numbers = [(entry.kind, entry.body.split()[0]) for entry in turns]
    started, ended = EntryKind.SEASON_STARTED, EntryKind.SEASON_ENDED
    assert numbers == [(started, "1"), (ended, "1"), (started, "2")]


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_the_order_by_rating_follows_the_strengths_and_no_promise_is_broken(tmp_path: Path, at_most: AtMost) -> None:
    for seed in range(4, 4 + at_most(2, 1)):
        asyncio.run(live(tmp_path / f"season-{seed}.db", seed))
