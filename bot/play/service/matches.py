"""Loads matches, applies acts and other decisions to them, and stores the events."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import ModuleType
from typing import NamedTuple
from weakref import WeakValueDictionary

import structlog
from cachetools import LRUCache

from bot.core import acts
from bot.core.deadlines import SYSTEM_SHUFFLE, Actor, PeopleById, Shuffle
from bot.core.events import REFEREE_EVENTS, TABLE_CLOSING_EVENTS, Ballot, Event, EventKind, RequestKind
from bot.core.fold import fold_events, replay_match
from bot.core.house_seats import is_house, is_person
from bot.core.match import Match, MessageRef, Phase, replay_changes
from bot.core.news import News, collect_news
from bot.core.plans import Plan, decide_follow_up, end_waiting, fold_with_plans
from bot.core.problems import MatchError, Problem
from bot.core.running_positions import OPENING_PLIES, PLIES_AROUND, number_position
from bot.core.settings import GuildSettings, StoredPerson
from bot.core.timings import DEFAULT_TIMINGS, Timings
from bot.discordkit.metrics import LogLimiter
from bot.play.background import Attempts, compute_for
from bot.play.service.presence import Presence
from bot.play.service.results import ResultChange, revise_results
from bot.store import Job, Reader, Store, StoreError, Writer, game_lists
from bot.store.database_tables import CORE_TABLES, Table
from bot.store.game_lists import count_house_games, count_seats, ends_of_matches
from bot.store.people import people_apart, people_blocked_by
from bot.store.plans import plans_for_match, save_plans
from bot.store.servers import load_guild_settings
from rules import Game, Position

_log = structlog.get_logger()

MATCH_CACHE_BYTES, MATCH_BYTES, STEP_BYTES = 4_000_000, 8_000, 500
"""The matches kept in memory, so that autocomplete need not replay them; what one takes, and each of its moves."""

TABLE_EDIT_EVENTS = TABLE_CLOSING_EVENTS | {EventKind.STARTED, EventKind.THREADED, EventKind.FORGOTTEN}
"""Events after which the message of a table is edited that is no longer open."""

THREAD_RENAME_PAUSE_S = 600
"""Seconds until a thread is renamed: Discord allows two new names in ten minutes."""

TABLE_CACHE_SIZE = 1000
"""Tables, remembered at most, to which nobody could be called."""

Decision = Callable[[Match, PeopleById], tuple[Event, ...]]
"""Returns the events that follow, given a match and its players."""


class Untold(NamedTuple):
    """What is to be announced after a move."""

    since: Match
    """The match before that move. All that has happened until then has been announced."""
    events: tuple[Event, ...]
    people: PeopleById | None = None
    """The players, for the first who asks; after that they may have changed."""


class CachedMatch(NamedTuple):
    """A match in memory."""

    match: Match
    untold: Untold | None = None
    """None if only the database says what is to be announced."""

    @property
    def size(self) -> int:
        """The most bytes that it takes."""
        return MATCH_BYTES + STEP_BYTES * len(self.match.changes)


class Service:
    """Loads the matches in a store, applies acts to them, and stores their events.

    Times are unix seconds; users, servers, channels and messages are Discord's ids. Modules beside this one, and the
    features', are functions that take the service first.
    """

    opening_plies = OPENING_PLIES
    """The first moves of a game against the house that may repeat another game: people have favourite openings."""

    def __init__(
        self,
        store: Store,
        features: Sequence[StoredFeature] = (),
        shuffle: Shuffle = SYSTEM_SHUFFLE,
        timings: Timings = DEFAULT_TIMINGS,
    ) -> None:
        self.store = store
        self.reader = store.reader
        self.features = features
        self.shuffle = shuffle
        self.attempts = Attempts()
        self._cache: LRUCache[int, CachedMatch] = LRUCache(MATCH_CACHE_BYTES, getsizeof=lambda cached: cached.size)
        self._drops = 0
        """How often a match has been dropped from memory."""
        self.house_awaited = asyncio.Event()
        """Set when a house player may have to move. The waiting task clears it before it looks for such games."""
        self.database_tables = (*CORE_TABLES, *(table for feature in features for table in feature.database_tables))
        """All tables; each table comes before the tables that refer to it."""
        self.presence = Presence(store, self.database_tables, timings)
        self.tables_looked_at: LRUCache[int, int] = LRUCache(TABLE_CACHE_SIZE)
        """When each table was last looked at to which nobody could be called."""
        self.has_resumed_forgetting = False
        """True once the tick has completed the deletions that a stop interrupted."""
        self.needs_scrub = False
        """True while the files may still contain traces of forgotten people."""
        self._locks: WeakValueDictionary[Hashable, asyncio.Lock] = WeakValueDictionary()

    def lock_of(self, *work: Hashable) -> asyncio.Lock:
        """Returns the lock of work that runs once at a time."""
        return self._locks.setdefault(work, asyncio.Lock())

    async def act(self, actor: Actor, match_id: int, act: acts.Act) -> Match:
        """Stores what the person does to the match, and returns it. Raises what `act_with_plans` raises."""
        return (await self.act_with_plans(actor, match_id, act))[0]

    async def act_with_plans(self, actor: Actor, match_id: int, act: acts.Act) -> tuple[Match, tuple[Plan, ...]]:
        """Stores what the person does to the match. Returns the match after it, and the plans for it before.

        Raises MatchError if `decide` does, or if a reason outside the match forbids it: see `_require_unplayed_after`
        and `_require_permitted`.
        """
        if isinstance(act, acts.ClaimTimeout | acts.TakeOver):
            await self.presence.ensure_noted(actor.now)
        if isinstance(act, acts.PlayMove) and is_person(actor.user):
            # Before the transaction: the check may read many games.
            await self._require_unplayed_after(actor, match_id, act)
        async with self.store.write_transaction(durable=False) as tx:
            head = await tx.load_head(match_id)
            before = await self.load_match(tx, match_id, actor.guild, head and head.seq)
            await self._require_permitted(tx, before, actor.user, act)
            cached, untold = self.cached_match(match_id), None
            plans = await plans_for_match(tx, match_id)
            after = await self.apply_act(tx, before, actor, act, plans)
        if cached and cached.match is before and cached.untold:
            untold = Untold(cached.untold.since, (*cached.untold.events, *tx.appended[0]))
        elif isinstance(act, acts.PlayMove) and head and head.announced == before.seq:
            untold = Untold(before, *tx.appended)
        self.cache_match(after, untold)  # before the wait for the disk, in which somebody may announce it
        await self.store.flush_commits()
        return after, plans

    async def apply_act(
        self, tx: Writer, match: Match, actor: Actor, act: acts.Act, plans: tuple[Plan, ...] | None = None
    ) -> Match:
        """Does what the person does to the match, whatever the server says, and stores the events. `plans`: as for
        `apply_decision`.
        """
        actor = actor._replace(shuffle=self.shuffle)

        def decide_act(match: Match, people: PeopleById) -> tuple[Event, ...]:
            return acts.decide(match, actor._replace(people=people), act)

        return await self.apply_decision(tx, match, decide_act, plans=plans)

    async def _require_unplayed_after(self, actor: Actor, match_id: int, act: acts.PlayMove) -> None:
        """Raises PLAYED_NOW if a move against the house, after the opening, starts from a position of another game of
        the player, or leads to one.
        """
        if (recent := self.cached_match(match_id)) and not recent.match.roster.began_with_house:
            return
        match = await self.load_match(self.reader, match_id, actor.guild)
        if match.roster.began_with_house:
            game = match.require_turn(actor.user, act.board_version)
            await self.require_stages_unplayed(self.reader, actor.user, match, (game, game.apply(act.move)))

    async def _require_permitted(self, tx: Writer, match: Match, user: int, act: acts.Act) -> None:
        """Raises CHANNEL_NOT_ALLOWED, TOO_MANY_LIVE, PAUSE_TOO_LONG, or what `require_house` and `require_together`
        raise, if the server, a season, a limit or a block forbids the act.
        """
        refusal = match.refusal_for(Problem.SEAT_NOT_YOURS if match.players else Problem.TABLE_FULL)
        match act:
            case acts.MoveToChannel():
                require_allowed_place(await load_guild_settings(tx, match.guild), act.channel, act.parent)
            case acts.JoinTable() | acts.TakeOver() if user not in (match.players or match.table.joined):
                await _require_few_games(tx, match.guild, user)
                await require_together(tx, user, user, match.people_in or match.table.joined, refusal)
            case acts.ProposeSubstitute(to):
                refusal = match.refusal_for(Problem.ALREADY_PLAYING, user=to)
                await require_together(tx, user, to, match.people_in, refusal)
            case acts.AcceptRequest(kind=RequestKind.HANDOVER):
                request = match.requests.of_kind(RequestKind.HANDOVER)
                if request and request.to not in match.players:
                    await _require_few_games(tx, match.guild, request.to)
                    if request.to == user:
                        await require_together(tx, user, user, match.people_in, refusal)
            case acts.AskPause(until):
                ends = (await ends_of_matches(tx, self.database_tables, [match.id])).get(match.id)
                match.refuse_if(ends is not None and until > ends, Problem.PAUSE_TOO_LONG, until=ends)
            case acts.SeatHousePlayers() | acts.PromiseHouse(until=int()) | acts.CastVote(ballot=Ballot.HOUSE):
                settings = await load_guild_settings(tx, match.guild)
                has_house = bool(match.table.house_promise) or any(map(is_house, match.table.joined))
                counted = has_house or isinstance(act, acts.CastVote)
                await require_house(tx, settings, match.guild, user, counted=counted)

    async def change_match(self, match_id: int, decide: Decision) -> Match:
        """Applies a decision of the program itself, stores the events, and returns the match."""
        async with self.store.write_transaction() as tx:
            after = await self.apply_decision(tx, await self.load_match(tx, match_id), decide)
        return self.cache_match(after)

    async def require_stages_unplayed(self, reader: Reader, user: int, match: Match, stages: Sequence[Game]) -> None:
        """Raises unless the person may play between these stages of a game, and ask the house about the last."""
        away = [stage.position for stage in stages if match.set_position or len(stage.moves) > self.opening_plies]
        await self.require_unplayed(reader, user, away, but=match.id, around=0)
        opening = -1 if match.set_position and not match.missing_pieces else OPENING_PLIES
        if len(stages[-1].moves) > opening:
            await self.require_unplayed(reader, user, [stages[-1].position], but=match.id, opening=opening)

    async def apply_decision(
        self, tx: Writer, match: Match, decide: Decision, now: int | None = None, plans: tuple[Plan, ...] | None = None
    ) -> Match:
        """Applies a decision and stores the events with all their consequences, including planned and forced moves.

        With `now`, such moves follow even if the decision returns no event, because their reason to wait may have
        ended. `plans`: those for the match, if just read.
        """
        people = await self.presence.load_players(tx, match)
        events = list(decide(match, people))
        at = events[-1].at if events else now
        if at is None:
            return match
        stored = await plans_for_match(tx, match.id) if plans is None else plans
        before = match
        match, plans = fold_with_plans(match, end_waiting(stored, at), events)
        if match.players != before.players:
            people = await self.presence.load_players(tx, match)
        while match.is_live:
            plans, following = decide_follow_up(match, plans, events[-1].kind if events else None, people, at)
            if not following or not await self._may_follow(tx, match, following):
                break
            match, plans = fold_with_plans(match, plans, following)
            events += following
        await save_plans(tx, stored, plans, match.variant)
        if events:
            self._cache.pop(match.id, None)  # before the commit, after which what it says is untold would be too little
            await tx.append_events(match, events, people)
            await tx.add_jobs(*_jobs_after(before, match, events))
            change = await revise_results(tx, match, events)
            for feature in self.features:
                await feature.after_events(tx, before, match, events, change)
        return match

    async def _may_follow(self, tx: Writer, match: Match, following: Sequence[Event]) -> bool:
        """Returns False if a planned or forced move of a person would ask the house about another game of theirs."""
        if not match.roster.began_with_house or match.to_move is None:
            return True
        stages = [match.started_game, fold_events(match, following).started_game]
        try:
            await self.require_stages_unplayed(tx, match.to_move, match, stages)
        except MatchError:
            return False
        return True

    async def load_match(
        self, reader: Reader, match_id: int, guild: int | None = None, seq: int | None = None
    ) -> Match:
        """Loads the match as this reader sees it, from memory if unchanged. `seq`: that of its head, if just read."""
        if seq is None and (head := await reader.load_head(match_id)):
            seq = head.seq
        cached = self.cached_match(match_id)
        match = cached.match if cached else None
        if seq is not None and not (match and match.seq == seq):
            drops = self._drops
            match = await _replayed(reader, match_id)
            # Within a transaction, nothing is cached: if it is undone, another event may get the same number. If a
            # match was dropped during the replay, the match may have changed without a new event.
            if not isinstance(reader, Writer) and drops == self._drops:
                self.cache_match(match)
        if seq is None or not match or guild not in (None, match.guild):
            raise MatchError(Problem.NO_SUCH_GAME, number=match_id)
        return match

    async def load_readable(self, reader: Reader, match_ids: Iterable[int]) -> list[Match]:
        """Returns the matches that this version can read. The others must not affect anybody but their own players."""
        matches = list[Match]()
        for match_id in match_ids:
            with suppress(MatchError):
                matches.append(await self.load_match(reader, match_id))
        return matches

    def cached_match(self, match_id: int) -> CachedMatch | None:
        """Returns the match if it is in memory, otherwise None."""
        return self._cache.get(match_id)

    def cache_match(self, match: Match, untold: Untold | None = None) -> Match:
        """Keeps the match in memory, replacing the least recently used one, and returns it."""
        self._cache[match.id] = CachedMatch(match, untold)
        if match.house_to_move:
            self.house_awaited.set()
        return match

    def drop_from_cache(self, match_id: int) -> None:
        """Removes a match from memory because it has been deleted or changed."""
        self._drops += 1
        self._cache.pop(match_id, None)

    # Positions that running games close to the advice of engine, bots and statistics

    async def require_unplayed(
        self,
        reader: Reader,
        user: int,
        positions: Sequence[Position],
        but: int | None = None,
        around: int = PLIES_AROUND,
        opening: int = -1,
    ) -> None:
        """Raises if a running game other than `but` closes one of these positions, all of one variant.

        Raises PLAYED_NOW if it is a game of that user at most `around` moves away and with more than `opening` moves,
        and PLAYED_BY_OTHERS if any game stands exactly there; `bot.core.running_positions` says why. Games with house
        players as the only opponents close nothing, because help in them wrongs nobody. `user` is 0 for what everybody
        sees.
        """
        if not positions:
            return
        games = await game_lists.running_games(reader, user, positions[0].variant.key)
        games = [game for game in games if game.match != but and game.ply > opening]
        near = [game.match for game in games if await compute_for(reader, game.is_near, positions, around)]
        numbers = await compute_for(reader, lambda: [*map(number_position, positions)])
        if readable := await self.load_readable(reader, near):
            raise MatchError(Problem.PLAYED_NOW, number=readable[0].id)
        MatchError.raise_if(await game_lists.is_any_closed_to_all(reader, numbers, but), Problem.PLAYED_BY_OTHERS)

    async def require_match_unplayed(self, reader: Reader, user: int, match: Match) -> None:
        """Does what `require_unplayed` does for the positions after each move of a match.

        In its opening, where all games are near to one another, only those one move away count.
        """
        opening = 0 if match.set_position and not match.missing_pieces else OPENING_PLIES
        positions = await compute_for(
            reader, lambda: [after.position for _, change, after in replay_changes(match) if change.move]
        )
        await self.require_unplayed(reader, user, positions[:opening], around=1)
        await self.require_unplayed(reader, user, positions[opening:])

    # Looking at matches

    async def current_match(self, match_id: int, guild: int) -> Match:
        """Returns the match in its current state."""
        return await self.load_match(self.reader, match_id, guild)

    async def players_of(self, match: Match) -> dict[int, StoredPerson]:
        """Returns all players of the match with their habits and the absences that stop clocks."""
        return await self.presence.load_players(self.reader, match)

    # What has been announced

    async def unannounced_news(self, match_id: int) -> tuple[News, ...]:
        """Returns the unannounced news, which no power cut undoes any more; empty if the match is gone."""
        cached = self.cached_match(match_id)
        if cached and cached.untold:
            match, (since, events, people), announced = cached.match, cached.untold, cached.untold.since.seq
            self._cache[match_id] = CachedMatch(match, Untold(since, events))
        else:
            head, since, people = await self.reader.load_head(match_id), None, None
            if head is None or head.newsworthy <= head.announced:
                return ()
            match, announced = await self.load_match(self.reader, match_id, seq=head.seq), head.announced
            events = await self.reader.load_events(match_id)
        people = people or await self.presence.load_players(self.reader, match, since=match.table.created)
        await self.store.flush_commits()  # after all that was read
        return collect_news(match_id, events, announced, people, since)

    async def mark_announced(
        self, tx: Writer, match_id: int, seq: int, turn: MessageRef | None = None
    ) -> MessageRef | None:
        """Does what `Writer.mark_announced` does."""
        if cached := self.cached_match(match_id):
            self._cache[match_id] = CachedMatch(cached.match)
        return await tx.mark_announced(match_id, seq, turn)


MAX_HOUSE_GAMES = 3
"""The most games with house players that one person may have in a server at a time."""
MAX_HOUSE_GAMES_PER_SERVER = 50
"""The most games with house players that one server may have at a time, so that it does not delay other servers."""


async def require_house(tx: Writer, settings: GuildSettings, guild: int, user: int, *, counted: bool = False) -> None:
    """Raises HOUSE_OFF, TOO_MANY_HOUSE or HOUSE_BUSY if the person may have no further game with house players.

    `counted`: the new game is already among the person's games.
    """
    MatchError.raise_if(not settings.house, Problem.HOUSE_OFF)
    if counted:
        return
    if await count_house_games(tx, guild, user) >= MAX_HOUSE_GAMES:
        raise MatchError(Problem.TOO_MANY_HOUSE, most=MAX_HOUSE_GAMES)
    MatchError.raise_if(await count_house_games(tx, guild) >= MAX_HOUSE_GAMES_PER_SERVER, Problem.HOUSE_BUSY)


MAX_OPEN_TABLES = 5
"""The most open tables that one person may host in a server at a time."""
MAX_SEATS = 100
"""The most seats that one person may have in a server at a time, in running games and at open tables."""


async def require_table_room(tx: Writer, guild: int, host: int) -> None:
    """Raises TOO_MANY_OPEN or TOO_MANY_LIVE if the person may not open another table."""
    _, hosted = await count_seats(tx, host, guild)
    MatchError.raise_if(hosted >= MAX_OPEN_TABLES, Problem.TOO_MANY_OPEN, most=MAX_OPEN_TABLES)
    await _require_few_games(tx, guild, host)


def require_allowed_place(settings: GuildSettings, *places: int | None) -> None:
    """Raises CHANNEL_NOT_ALLOWED unless one of the places, a channel or a thread's parent, is allowed for games."""
    if settings.channels and not any(place in settings.channels for place in places):
        raise MatchError(Problem.CHANNEL_NOT_ALLOWED, channels=settings.channels)


async def _require_few_games(tx: Writer, guild: int, user: int) -> None:
    """Raises TOO_MANY_LIVE if the person already has the most seats allowed."""
    # Seats at open tables count, too, because a game begins without asking the people who sit at its table.
    seats, _ = await count_seats(tx, user, guild)
    MatchError.raise_if(seats >= MAX_SEATS, Problem.TOO_MANY_LIVE, user=user, most=MAX_SEATS)


async def require_together(tx: Reader, asker: int, newcomer: int, others: Iterable[int], refusal: MatchError) -> None:
    """Raises if the newcomer and one of the others are apart: BLOCKED if the asker has blocked one of them, else
    `refusal`, which has other causes, too, and so does not say who has blocked whom.
    """
    if apart := await people_apart(tx, others, (newcomer,)):
        own = apart.union((newcomer,)).intersection(await people_blocked_by(tx, asker))
        raise MatchError(Problem.BLOCKED, user=min(own)) if own else refusal


_UNREAD = LogLimiter()


async def _replayed(reader: Reader, match_id: int) -> Match:
    """Replays the stored events. Raises UNREADABLE, and logs it at most once an hour, if this version cannot read
    them."""
    try:
        return await compute_for(reader, replay_match, match_id, await reader.load_events(match_id))
    except StoreError:
        raise
    except Exception as error:  # an unreadable match must only affect its own game
        if _UNREAD.may_log_now(match_id):
            _log.exception("match not read", match=match_id)
        raise MatchError(Problem.UNREADABLE, number=match_id) from error


def _jobs_after(before: Match, match: Match, events: Sequence[Event]) -> Iterator[Job]:
    """Yields the jobs that follow from those events: entries in the audit channel, and edits of earlier messages."""
    kinds, at = {event.kind for event in events}, events[-1].at
    for event in events:
        if event.kind in REFEREE_EVENTS:
            yield Job("audit", f"{match.id}:{event.seq}", match.guild, match.id, event.at)
    has_new_players = bool(before.game) and match.players != before.players
    if match.phase is Phase.OPEN or has_new_players or kinds & TABLE_EDIT_EVENTS:
        yield Job.of_match("table", match, match.place.channel, at)
    if match.place.thread and (has_new_players or EventKind.FORGOTTEN in kinds):
        yield Job.of_match("thread-name", match, match.place.thread, at + THREAD_RENAME_PAUSE_S)
    if before.place.is_lost and not match.place.is_lost:
        yield Job.of_match("deadline", match, match.place.thread_or_channel, at)


AfterEvents = Callable[[Writer, Match, Match, Sequence[Event], ResultChange | None], Awaitable[object]]
"""Stores what follows from events of a match, given the match before and after them, and the change of its result."""


async def read_nothing(*_: object) -> Mapping[str, int]:
    """Does nothing and returns an empty mapping."""
    return {}


@dataclass(frozen=True, eq=False)
class StoredFeature:
    """The hooks of a feature into what is stored. Consequences of an event run in the transaction of the event."""

    modules: Sequence[ModuleType] = ()
    """The modules that declare its commands, families of components, sheets and explanations of errors."""
    database_tables: tuple[Table, ...] = ()
    """A table comes before the tables that refer to it. Each says when its rows are deleted."""
    after_events: AfterEvents = read_nothing
    """Called when events of a match have been stored, in their transaction, with the result and the ratings."""
    export_person: Callable[[Reader, int], Awaitable[Mapping[str, object]]] = read_nothing
    """Returns what is stored about a person, ready for JSON, by the keys of the exported file."""
    leave_all: Callable[[Service, int, int], Awaitable[object]] = read_nothing
    """Called with the time before a person is forgotten, while they still play. Uses transactions of its own."""
    replace_person: Callable[[Service, int, int, int], Awaitable[object]] = read_nothing
    """Replaces a person by a stand-in, given the person, the stand-in's number and the time. Called when a person is
    forgotten, after the events of all matches and before the rows of `Table.of_person`."""

    @property
    def name(self) -> str:
        """The name of its folder, such as "plans"."""
        return self.modules[0].__name__.split(".")[1]
