"""What people do on ladders. Raises LadderError, besides what the services of matches raise.

`variant` is a key of VARIANTS. `channel` is where somebody asks for something, `member_since` since when he has been in
the server, as Discord says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from bot.ladder import challenges, queues
from bot.ladder.conditions import LadderError, Refusal, Scene, Terms
from bot.ladder.entries import Entry, EntryKind
from bot.ladder.ratings import CAP_SPAN
from bot.ladder.stairs import Climber, Ladder
from bot.ladder.standings import DEEDS, PAGE, History, LadderPage, Row, Waiting, pages_of
from bot.match import table
from bot.match.events import Opening, Seating
from bot.match.match import Match
from bot.people.clock import DAY, Pace
from bot.service.loading import Loader, followed
from bot.store import Reader, Writer, standings
from bot.store import ladder as ladder_store
from bot.store.ladder_rows import LadderId
from bot.store.people import guild_settings, people
from bot.store.results import ratings_of
from rules import VARIANTS


class Ladders(Loader):
    """Joining, challenges, queues, and looking at ladders."""

    async def ladder_join(
        self, guild: int, variant: str, user: int, now: int, *, member_since: int, channel: int
    ) -> Climber:
        """The user on the ladder, on step 0."""
        place = LadderId(guild, variant)

        async def work(writer: Writer) -> Climber:
            await _come(writer, place, user, member_since, channel)
            looked_at = await scene(writer, place, [user], now)
            return (await _enter(writer, place, looked_at, challenges.join(looked_at, user))).climbers[user]

        return await self._store.transaction(work)

    async def ladder_leave(self, guild: int, variant: str, user: int, now: int) -> Climber:
        """The user off the ladder; his open challenges are gone."""
        return await self._act(LadderId(guild, variant), user, now, challenges.leave)

    async def leaving_climber(self, guild: int, variant: str, user: int, now: int) -> Climber:
        """The user as he stands on the ladder, if he may leave it. Raises what `ladder_leave` would raise."""
        looked_at = await scene(self._store.reader, LadderId(guild, variant), [user], now)
        challenges.leave(looked_at, user)  # decided, and not stored
        return looked_at.ladder.climbers[user]

    async def ladder_challenge(
        self, guild: int, variant: str, user: int, other: int, now: int, *, member_since: int, channel: int
    ) -> Entry:
        """The challenge, whose `seq` tells it from others. It stands for 72 hours."""
        place = LadderId(guild, variant)

        async def work(writer: Writer) -> Entry:
            await _come(writer, place, user, member_since, channel)
            looked_at = await scene(writer, place, [user, other], now)
            entry = challenges.challenge(looked_at, user, other)
            await _enter(writer, place, looked_at, entry)
            return entry

        return await self._store.transaction(work)

    async def ladder_accept(self, guild: int, variant: str, user: int, now: int, asked: int | None = None) -> Match:
        """The game that begins with the user's accepting the challenge that waits for him.

        `asked`: the entry of the challenge that he answers, if known, here and below; NO_CHALLENGE if it is another.
        """
        place = LadderId(guild, variant)

        async def work(writer: Writer) -> Match:
            looked_at = await scene(writer, place, [user], now)
            await _require_asked(writer, place, looked_at, user, asked)
            order = [challenges.open_challenge(looked_at, user).challenger, user]
            self._shuffle(order)
            match = await _begin(writer, place, order, now)
            await _enter(writer, place, looked_at, challenges.accept(looked_at, user, match.id))
            return match

        return self._remember(await self._store.transaction(work))

    async def ladder_refuse(self, guild: int, variant: str, user: int, now: int, asked: int | None = None) -> Climber:
        """The user, who has turned the challenge down that waited for him; a step lower if that costs one."""
        place = LadderId(guild, variant)

        async def work(writer: Writer) -> Climber:
            looked_at = await scene(writer, place, [user], now)
            await _require_asked(writer, place, looked_at, user, asked)
            return (await _enter(writer, place, looked_at, challenges.refuse(looked_at, user))).climbers[user]

        return await self._store.transaction(work)

    async def challenge_waiting(self, guild: int, variant: str, seq: int, now: int) -> Waiting | None:
        """The challenge that entry tells of, if it still waits for an answer."""
        place, reader = LadderId(guild, variant), self._store.reader
        entry = await ladder_store.entry_at(reader, place, seq)
        if entry is None or entry.kind is not EntryKind.CHALLENGED:
            return None
        ladder = await ladder_store.load(reader, place, entry.users)
        waiting = ladder.challenges.get(entry.users[0])
        if waiting is None or (waiting.challenged, waiting.at) != (entry.users[1], entry.at) or now >= waiting.until:
            return None
        return Waiting(waiting, ladder.climbers[waiting.challenged].refusal_costs(now))

    async def challenges_ended(self, guild: int, variant: str, seqs: Sequence[int]) -> dict[int, EntryKind | None]:
        """Of the challenges that those entries tell of, the ones that wait no longer, with what has ended each.

        None where nothing that happened to it has.
        """
        place, reader = LadderId(guild, variant), self._store.reader
        waiting = await ladder_store.waiting_challenges(reader, place, seqs) if seqs else set()
        return {seq: await ladder_store.end_of_challenge(reader, place, seq) for seq in seqs if seq not in waiting}

    async def require_challenger(self, guild: int, variant: str, user: int, now: int) -> None:
        """Raises LadderError with what keeps the user from challenging anybody at all."""
        challenges.require_challenger(await scene(self._store.reader, LadderId(guild, variant), [user], now), user)

    async def challengeable(self, guild: int, variant: str, user: int, now: int) -> tuple[Climber, ...]:
        """Whom the user may challenge, the highest first; of very many the first ones."""
        place, reader = LadderId(guild, variant), self._store.reader
        own = await ladder_store.load(reader, place, [user])
        climber = own.climber(user)
        if climber is None:
            return ()
        within = await standings.near(reader, place, climber.step, now)
        looked_at = await scene(reader, place, [user, *within], now)
        return tuple(looked_at.ladder.climbers[other] for other in challenges.challengeable(looked_at, user))

    async def ladder_queue(
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
        """The games that begin for the user at once; empty if he waits."""
        place = LadderId(guild, variant)

        async def work(writer: Writer) -> list[Match]:
            await _come(writer, place, user, member_since, channel)
            looked_at = await scene(writer, place, [user], now)
            await _enter(writer, place, looked_at, queues.queue(looked_at, user, triad=triad))
            return await self._pair(writer, place, now)

        begun = [self._remember(match) for match in await self._store.transaction(work)]
        return tuple(match for match in begun if user in match.players)

    async def ladder_unqueue(self, guild: int, variant: str, user: int, now: int) -> Climber:
        """The user, who waits no longer."""
        return await self._act(LadderId(guild, variant), user, now, queues.unqueue)

    # Looking at ladders

    async def ladder_show(self, guild: int, variant: str, page: int, now: int, user: int | None = None) -> LadderPage:
        """That page of the ladder's table, or the nearest there is; `user` asks for his own place as well."""
        place, reader = LadderId(guild, variant), self._store.reader
        order = await standings.table(reader, place, now)
        pages = pages_of(len(order))
        page = min(max(page, 0), pages - 1)
        shown = order[page * PAGE : (page + 1) * PAGE]
        known = await standings.climbers(reader, place, shown)
        rows = tuple(Row(number, *known[one]) for number, one in enumerate(shown, page * PAGE + 1))
        head = await ladder_store.standing(reader, place)
        own = order.index(user) + 1 if user in order else None
        return LadderPage(rows, page, pages, len(order), head.season if head else None, own)

    async def ladder_history(self, guild: int, variant: str, user: int, page: int = 0) -> tuple[History, ...]:
        """What has happened to the user on the ladder, the latest first; empty behind the last page."""
        return tuple(await standings.history(self._store.reader, LadderId(guild, variant), user, page * DEEDS, DEEDS))

    # What the acts share

    async def _act(self, place: LadderId, user: int, now: int, decide: Callable[[Scene, int], Entry]) -> Climber:
        async def work(writer: Writer) -> Climber:
            looked_at = await scene(writer, place, [user], now)
            return (await _enter(writer, place, looked_at, decide(looked_at, user))).climbers[user]

        return await self._store.transaction(work)

    async def _pair(self, writer: Writer, place: LadderId, now: int) -> list[Match]:
        """The games that begin among those who queue."""
        waiting = await standings.queueing(writer, place)
        looked_at = await scene(writer, place, waiting, now)
        known = await ratings_of(writer, *place, waiting)
        numbers = {user: rating.number for user, rating in known.items()}
        triads = any(looked_at.ladder.climbers[user].triad for user in waiting)
        rated = await ladder_store.rated_companies(writer, place, now - CAP_SPAN) if triads else ()
        begun: list[Match] = []
        for pairing in queues.pairings(looked_at, numbers, self._shuffle, rated):
            matches = [await _begin(writer, place, order, now) for order in pairing.tables]
            await _enter(writer, place, looked_at, queues.paired(looked_at, pairing, [match.id for match in matches]))
            begun += matches
        return begun


async def scene(reader: Reader, place: LadderId, users: Iterable[int] | None, now: int) -> Scene:
    """The ladder as far as it concerns those users (all of it for None), and what is known of them."""
    ladder = await ladder_store.load(reader, place, users)
    settings = await guild_settings(reader, place.guild)
    terms = Terms(settings.membership_days * DAY, settings.season_weeks * 7 * DAY)
    wanted = ladder.climbers.keys() | set(users or ())
    return Scene(ladder, now, terms, await standings.presences(reader, place, wanted, now))


async def _come(writer: Writer, place: LadderId, user: int, member_since: int, channel: int) -> None:
    await ladder_store.set_channel(writer, place, channel)
    await standings.set_member(writer, place.guild, user, member_since)


async def _enter(writer: Writer, place: LadderId, looked_at: Scene, entry: Entry) -> Ladder:
    """The ladder behind that entry, which is written down."""
    await ladder_store.add(writer, place, looked_at.ladder, entry)
    return looked_at.ladder


async def _require_asked(writer: Writer, place: LadderId, looked_at: Scene, user: int, asked: int | None) -> None:
    """Raises where the challenge that waits for the user is not the one of that entry."""
    if asked is None:
        return
    entry = await ladder_store.entry_at(writer, place, asked)
    waiting = challenges.open_challenge(looked_at, user)
    if entry is None or (entry.users, entry.at) != ((waiting.challenger, waiting.challenged), waiting.at):
        raise LadderError(Refusal.NO_CHALLENGE)


async def _begin(writer: Writer, place: LadderId, order: Sequence[int], now: int) -> Match:
    """A ladder game of those users in that order of seats, which is on at once: with a clock, and in the open.

    A person's limit of games does not count here, as the ladder has one of its own.
    """
    settings = await guild_settings(writer, place.guild)
    head = await ladder_store.standing(writer, place)
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
    return replace(match, id=await writer.add(match, events, await people(writer, order)))
