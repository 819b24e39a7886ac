"""What people do on ladders, what happens there by itself, and what is to be told of it.

Raises LadderError, besides what acts upon matches raise. `variant` is a key of VARIANTS. `channel` is where somebody
asks for something, `member_since` since when they have been in the server, as Discord says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import structlog

from bot.ladder import challenges, digest, queues, seasons
from bot.ladder.conditions import LadderError, LadderView, Refusal, Terms
from bot.ladder.entries import Entry, EntryKind
from bot.ladder.fold import Changes
from bot.ladder.ratings import CAP_SPAN
from bot.ladder.stairs import Climber, Ladder
from bot.ladder.standings import DEEDS, PAGE, Digest, History, LadderNews, LadderPage, Row, Waiting, pages_of
from bot.match import table
from bot.match.events import Opening, Seating
from bot.match.match import Match
from bot.people.clock import DAY, Pace
from bot.service.matches import Beside, Matches, followed
from bot.service.results import Results
from bot.store import Reader, Writer
from bot.store import ladder as ladder_store
from bot.store import standings as standings_store
from bot.store.absences import challenged_in, ladders_shut, note_ladders
from bot.store.ladder_rows import NEWSWORTHY, LadderId
from bot.store.people import guild_settings, people
from bot.store.results import changes_of, ratings_of, result_of
from rules import VARIANTS

_log = structlog.get_logger()

SHOWN_DEADLINES = 5


class Ladders(Beside):
    """The ladders of all servers."""

    def __init__(self, matches: Matches, results: Results) -> None:
        super().__init__(matches)
        self._results = results
        self._caught_up = False

    # What people do

    async def join(self, guild: int, variant: str, user: int, now: int, *, member_since: int, channel: int) -> Climber:
        """The user on the ladder, on rung 0."""
        place = LadderId(guild, variant)
        async with self._store.writing() as tx:
            await _come(tx, place, user, member_since, channel)
            view = await self.view(tx, place, [user], now)
            return (await _enter(tx, place, view, challenges.join(view, user))).climbers[user]

    async def leave(self, guild: int, variant: str, user: int, now: int) -> Climber:
        """The user off the ladder; their open challenges are gone."""
        return await self._act(LadderId(guild, variant), user, now, challenges.leave)

    async def leaving(self, guild: int, variant: str, user: int, now: int) -> Climber:
        """The user as they stand on the ladder, if they may leave it. Raises what `leave` would raise."""
        view = await self.view(self._reader, LadderId(guild, variant), [user], now)
        challenges.leave(view, user)  # decided, and not stored
        return view.ladder.climbers[user]

    async def challenge(
        self, guild: int, variant: str, user: int, other: int, now: int, *, member_since: int, channel: int
    ) -> Entry:
        """The challenge, whose `seq` tells it from others. It stands for 72 hours."""
        place = LadderId(guild, variant)
        async with self._store.writing() as tx:
            await _come(tx, place, user, member_since, channel)
            view = await self.view(tx, place, [user, other], now)
            entry = challenges.challenge(view, user, other)
            await _enter(tx, place, view, entry)
            return entry

    async def accept(self, guild: int, variant: str, user: int, now: int, asked: int | None = None) -> Match:
        """The game that begins with the user's accepting the challenge that waits for them.

        `asked`: the entry of the challenge that they answer, if known, here and below; NO_CHALLENGE if it is another.
        """
        await self._matches.presence.require(now)
        place = LadderId(guild, variant)
        async with self._store.writing() as tx:
            view = await self.view(tx, place, [user], now)
            await _require_asked(tx, place, view, user, asked)
            order = [challenges.open_challenge(view, user).challenger, user]
            self._matches.shuffle(order)
            match = await _begin(tx, place, order, now)
            await _enter(tx, place, view, challenges.accept(view, user, match.id))
        return self._matches.remember(match)

    async def refuse(self, guild: int, variant: str, user: int, now: int, asked: int | None = None) -> Climber:
        """The user, who has turned the challenge down that waited for them; a rung lower if that costs one."""
        await self._matches.presence.require(now)
        return await self._act(LadderId(guild, variant), user, now, challenges.refuse, asked)

    async def queue(
        self,
        guild: int,
        variant: str,
        user: int,
        now: int,
        *,
        member_since: int,
        channel: int,
        triad: bool = False,
    ) -> tuple[Match, ...]:
        """The games that begin for the user at once; empty if they wait."""
        place = LadderId(guild, variant)
        async with self._store.writing() as tx:
            await _come(tx, place, user, member_since, channel)
            view = await self.view(tx, place, [user], now)
            await _enter(tx, place, view, queues.queue(view, user, triad=triad))
            begun = await self._pair(tx, place, now)
        return tuple(match for match in map(self._matches.remember, begun) if user in match.players)

    async def unqueue(self, guild: int, variant: str, user: int, now: int) -> Climber:
        """The user, who waits no longer."""
        return await self._act(LadderId(guild, variant), user, now, queues.unqueue)

    async def _act(
        self, place: LadderId, user: int, now: int, decide: Callable[[LadderView, int], Entry], asked: int | None = None
    ) -> Climber:
        async with self._store.writing() as tx:
            view = await self.view(tx, place, [user], now)
            await _require_asked(tx, place, view, user, asked)
            return (await _enter(tx, place, view, decide(view, user))).climbers[user]

    async def view(self, reader: Reader, place: LadderId, users: Iterable[int] | None, now: int) -> LadderView:
        """The ladder as far as it concerns those users (all of it for None), and what is known of them."""
        gone = await self._matches.presence.pending(reader, place.guild)
        away = [*(await ladders_shut(reader, place.guild, now)), *([] if gone is None else [(gone, now)])]
        ladder = await ladder_store.load(reader, place, users, away=away)
        settings = await guild_settings(reader, place.guild)
        terms = Terms(settings.membership_days * DAY, settings.season_weeks * 7 * DAY)
        wanted = ladder.climbers.keys() | set(users or ())
        return LadderView(ladder, now, terms, await standings_store.presences(reader, place, wanted, now))

    async def _pair(self, tx: Writer, place: LadderId, now: int) -> list[Match]:
        """The games that begin among those who queue."""
        waiting = await standings_store.queueing(tx, place)
        view = await self.view(tx, place, waiting, now)
        known = await ratings_of(tx, *place, waiting)
        numbers = {user: rating.number for user, rating in known.items()}
        triads = any(view.ladder.climbers[user].triad for user in waiting)
        rated = await ladder_store.rated_companies(tx, place, now - CAP_SPAN) if triads else ()
        begun: list[Match] = []
        for pairing in queues.pairings(view, numbers, self._matches.shuffle, rated):
            matches = [await _begin(tx, place, order, now) for order in pairing.tables]
            await _enter(tx, place, view, queues.paired(view, pairing, [match.id for match in matches]))
            begun += matches
        return begun

    # Looking at ladders

    async def challenge_waiting(self, guild: int, variant: str, seq: int, now: int) -> Waiting | None:
        """The challenge that entry tells of, if it still waits for an answer."""
        place, reader = LadderId(guild, variant), self._reader
        entry = await ladder_store.entry_at(reader, place, seq)
        if entry is None or entry.kind is not EntryKind.CHALLENGED:
            return None
        ladder = (await self.view(reader, place, entry.users, now)).ladder
        waiting = ladder.challenges.get(entry.users[0])
        if waiting is None or (waiting.challenged, waiting.at) != (entry.users[1], entry.at) or now >= waiting.until:
            return None
        return Waiting(waiting, ladder.climbers[waiting.challenged].refusal_costs(now))

    async def challenges_ended(self, guild: int, variant: str, seqs: Sequence[int]) -> dict[int, EntryKind | None]:
        """Of the challenges that those entries tell of, the ones that wait no longer, with what has ended each.

        None where nothing that happened to it has.
        """
        place, reader = LadderId(guild, variant), self._reader
        waiting = await ladder_store.waiting_challenges(reader, place, seqs) if seqs else set()
        return {seq: await ladder_store.end_of_challenge(reader, place, seq) for seq in seqs if seq not in waiting}

    async def require_challenger(self, guild: int, variant: str, user: int, now: int) -> None:
        """Raises LadderError with what keeps the user from challenging anybody at all."""
        challenges.require_challenger(await self.view(self._reader, LadderId(guild, variant), [user], now), user)

    async def challengeable(self, guild: int, variant: str, user: int, now: int) -> tuple[Climber, ...]:
        """Whom the user may challenge, the highest first; of very many the first ones."""
        place, reader = LadderId(guild, variant), self._reader
        own = await ladder_store.load(reader, place, [user])
        climber = own.climber(user)
        if climber is None:
            return ()
        within = await standings_store.near(reader, place, climber.step, now)
        view = await self.view(reader, place, [user, *within], now)
        return tuple(view.ladder.climbers[other] for other in challenges.challengeable(view, user))

    async def show(self, guild: int, variant: str, page: int, now: int, user: int | None = None) -> LadderPage:
        """That page of the ladder's table, or the nearest there is; `user` asks for their own place as well."""
        place, reader = LadderId(guild, variant), self._reader
        order = await standings_store.table(reader, place, now)
        pages = pages_of(len(order))
        page = min(max(page, 0), pages - 1)
        shown = order[page * PAGE : (page + 1) * PAGE]
        known = await standings_store.climbers(reader, place, shown)
        rows = tuple(Row(number, *known[one]) for number, one in enumerate(shown, page * PAGE + 1))
        head = await ladder_store.standing(reader, place)
        own = order.index(user) + 1 if user in order else None
        return LadderPage(rows, page, pages, len(order), head.season if head else None, own)

    async def history(self, guild: int, variant: str, user: int, page: int = 0) -> tuple[History, ...]:
        """What has happened to the user on the ladder, the latest first; empty after the last page."""
        return tuple(await standings_store.history(self._reader, LadderId(guild, variant), user, page * DEEDS, DEEDS))

    # What happens by itself, and what is to be told

    async def tick(self, now: int) -> list[tuple[int, str]]:
        """The ladders, by server and variant, at which something was due: late or doubled, it gives the same result."""
        attempts = self._matches.attempts
        if not self._caught_up and self._store.share.leads:
            with attempts.of("results"):
                await self._results.catch_up(now)
                self._caught_up = True
        changed: list[tuple[int, str]] = []
        for place in await ladder_store.due(self._reader, now):
            with attempts.of("ladders", server=place.guild, variant=place.variant):
                changed += [place] if await self._tick(place, now) else []
        return changed

    async def _tick(self, place: LadderId, now: int) -> bool:
        """Whether anything was due; the note of when something is has been put right."""
        async with self._store.writing() as tx:
            before = await ladder_store.standing(tx, place)
            await self._lapse(tx, place, now)
            await self._turn(tx, place, now)
            await self._pair(tx, place, now)
            await ladder_store.set_wake(tx, place, now)
            return before != await ladder_store.standing(tx, place)

    async def _lapse(self, tx: Writer, place: LadderId, now: int) -> None:
        """The challenges that nobody has answered are over."""
        overdue = await ladder_store.overdue(tx, place, now)
        if overdue:
            view = await self.view(tx, place, overdue, now)
            for entry in challenges.lapsed(view):
                await ladder_store.add(tx, place, view.ladder, entry)

    async def _turn(self, tx: Writer, place: LadderId, now: int) -> None:
        """A week of the season is over; the season that is over ends, and another begins."""
        head = await ladder_store.standing(tx, place)
        assert head is not None, place
        turns = head.season is None or now >= head.season.until
        view = await self.view(tx, place, None if turns else (), now)
        if head.digested_at is not None and (week := seasons.digested(view, head.digested_at)):
            await ladder_store.add(tx, place, view.ladder, week)
        if turns:
            mus = {user: rating.mu for user, rating in (await ratings_of(tx, *place)).items()}
            for entry in seasons.turned(view, mus):
                await ladder_store.add(tx, place, view.ladder, entry)

    async def note_shut(self, is_shut: Callable[[int, int], bool | None], now: int) -> None:
        """Notes of each server where a challenge waits whether the bot may post in its ladders' channels.

        `is_shut`: whether it may not, by server and channel; None where nobody can tell. No time for an answer runs
        meanwhile.
        """
        by_server: dict[int, list[tuple[bool | None, bool]]] = {}
        for guild, channel, noted in await challenged_in(self._reader):
            by_server.setdefault(guild, []).append((is_shut(guild, channel), noted))
        for guild, channels in by_server.items():
            found, noted = [shut for shut, _ in channels], channels[0][1]
            if None not in found and any(found) != noted:
                async with self._store.writing() as tx:
                    await note_ladders(tx, guild, now, shut=not noted)

    async def unannounced(self) -> list[tuple[int, str]]:
        """The ladders, by server and variant, of which there is something to tell."""
        return list(await ladder_store.unannounced(self._reader))

    async def news(self, guild: int, variant: str) -> tuple[LadderNews, ...]:
        """What people have not been told of yet, in order; nothing where another worker tells it."""
        place, reader = LadderId(guild, variant), self._reader
        head = await ladder_store.standing(reader, place)
        if head is None or not self._store.share.has(guild):
            return ()
        settings = await guild_settings(reader, guild)
        channel = settings.ladder_channel or head.channel
        found: list[LadderNews] = []
        for entry in await ladder_store.entries(reader, place, head.announced):
            if entry.kind in NEWSWORTHY:
                steps = await ladder_store.steps_of(reader, place, entry.seq)
                named = {user: steps[user] for user in entry.users if user in steps}
                found.append(LadderNews(guild, variant, entry, named, channel, settings.announcements or channel))
        return tuple(found)

    async def mark_announced(self, guild: int, variant: str, seq: int) -> None:
        """Notes that people have been told of everything up to that entry."""
        async with self._store.writing() as tx:
            await ladder_store.mark_announced(tx, LadderId(guild, variant), seq)

    async def digest(self, guild: int, variant: str, seq: int) -> Digest:
        """What the week was like that ended with that entry, a DIGEST, and what comes next as things stand now."""
        place, reader = LadderId(guild, variant), self._reader
        entry = await ladder_store.entry_at(reader, place, seq)
        assert entry is not None, (place, seq)
        assert entry.kind is EntryKind.DIGEST, entry
        week = await ladder_store.entries(reader, place, await ladder_store.last_digest(reader, place, seq), seq)
        history: list[tuple[Entry, Changes]] = []
        for one in week:
            steps = await ladder_store.steps_of(reader, place, one.seq)
            history.append((one, {user: _climbed(user, *moved) for user, moved in steps.items()}))
        ended = dict.fromkeys(match for one in week if one.kind is EntryKind.FINISHED for match in one.matches)
        results = [(await result_of(reader, match), await changes_of(reader, match)) for match in ended]
        charge = digest.longest_charge([(match, (await self._matches.load(reader, match)).steps) for match in ended])
        return Digest(
            began=int(entry.body),
            ended=entry.at,
            climbs=digest.climbs(history),
            upset=digest.upset((game, changes) for game, changes in results if game),
            charge=charge,
            charge_match=await self._matches.load(reader, charge.match) if charge else None,
            waiting=tuple(await standings_store.queueing(reader, place)),
            tables=tuple(await standings_store.open_tables(reader, place)),
            deadlines=tuple(await standings_store.deadlines(reader, place, SHOWN_DEADLINES)),
            games=len(ended),
        )


async def _come(tx: Writer, place: LadderId, user: int, member_since: int, channel: int) -> None:
    await ladder_store.set_channel(tx, place, channel)
    await standings_store.set_member(tx, place.guild, user, member_since)


async def _enter(tx: Writer, place: LadderId, view: LadderView, entry: Entry) -> Ladder:
    """The ladder after that entry, which is written down."""
    await ladder_store.add(tx, place, view.ladder, entry)
    return view.ladder


async def _require_asked(tx: Writer, place: LadderId, view: LadderView, user: int, asked: int | None) -> None:
    """Raises where the challenge that waits for the user is not the one of that entry."""
    if asked is None:
        return
    entry = await ladder_store.entry_at(tx, place, asked)
    waiting = challenges.open_challenge(view, user)
    if entry is None or (entry.users, entry.at) != ((waiting.challenger, waiting.challenged), waiting.at):
        raise LadderError(Refusal.NO_CHALLENGE)


async def _begin(tx: Writer, place: LadderId, order: Sequence[int], now: int) -> Match:
    """A ladder game of those users in that order of seats, which is on at once: with a clock, and in the open.

    A person's limit of games does not count here, as the ladder has one of its own.
    """
    settings = await guild_settings(tx, place.guild)
    head = await ladder_store.standing(tx, place)
    assert head is not None, place
    opening = Opening(
        place.guild,
        settings.ladder_channel or head.channel,
        VARIANTS[place.variant],
        Seating.JOIN_ORDER,
        settings.threads.given(asked=True),
        tuple(order[1:]),
        settings.pace if settings.pace.terms else Pace.STANDARD,
        ladder=True,
    )
    events = list(table.open_table(opening, order[0], now))
    match = Match.replay(0, events)
    for user in order[1:]:
        joined = table.join(match, user, now, lambda _: None)
        match, events = followed(match, joined), [*events, *joined]
    return replace(match, id=await tx.add(match, events, await people(tx, order)))


def _climbed(user: int, before: int | None, after: int) -> tuple[Climber | None, Climber]:
    """A change as far as it is about rungs, which is all that a digest asks about."""
    return Climber(user, 0, before) if before is not None else None, Climber(user, 0, after)
