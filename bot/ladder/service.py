"""Ladders: the acts of people, the work of the tick, and the news to announce.

Raises LadderError, and the errors of acts on matches. `variant` is a key of VARIANTS. `channel` is the channel of the
request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import structlog

from bot.core.listings import PAGE_ROWS, pages_of
from bot.core.match import Match
from bot.ladder import acts as ladder_acts
from bot.ladder import rows as ladder_store
from bot.ladder import standing_rows as standings_store
from bot.ladder.absence_rows import challenged_ladders, ladder_absences, set_ladders_shut
from bot.ladder.acts import LadderError, LadderProblem, LadderView
from bot.ladder.games import begin_ladder_game
from bot.ladder.state import (
    HISTORY_ROWS,
    NEWSWORTHY_ENTRIES,
    Climber,
    EntryKind,
    Ladder,
    LadderEffects,
    LadderEntry,
    LadderHistoryRow,
    LadderId,
    LadderNews,
    LadderPage,
    LadderRow,
    PendingChallenge,
)
from bot.play.service.matches import ServicePart
from bot.store import Reader, Writer
from bot.store.results import ratings_of
from bot.store.servers import load_guild_settings

_log = structlog.get_logger()


class Ladders(ServicePart):
    """The ladders of all servers."""

    # What people do

    async def join_ladder(self, guild: int, variant: str, user: int, now: int, *, channel: int) -> Climber:
        """Puts the user on the ladder, on rung 0."""
        ladder_id = LadderId(guild, variant)
        async with self._store.write_transaction() as tx:
            await ladder_store.set_channel(tx, ladder_id, channel)
            view = await self.load_view(tx, ladder_id, [user], now)
            return (await _store_entry(tx, ladder_id, view, ladder_acts.join_ladder(view, user))).climbers[user]

    async def leave_ladder(self, guild: int, variant: str, user: int, now: int) -> Climber:
        """Takes the user off the ladder and drops their open challenges."""
        return await self._store_act(LadderId(guild, variant), user, now, ladder_acts.leave_ladder)

    async def check_leaving(self, guild: int, variant: str, user: int, now: int) -> Climber:
        """Returns the user's climber if they may leave. Raises what `leave_ladder` would raise."""
        view = await self.load_view(self._reader, LadderId(guild, variant), [user], now)
        ladder_acts.leave_ladder(view, user)  # a dry run
        return view.ladder.climbers[user]

    async def challenge_climber(
        self, guild: int, variant: str, user: int, other: int, now: int, *, channel: int
    ) -> LadderEntry:
        """Makes a challenge, which can be answered for 72 hours. Returns its entry, whose `seq` identifies it."""
        ladder_id = LadderId(guild, variant)
        async with self._store.write_transaction() as tx:
            await ladder_store.set_channel(tx, ladder_id, channel)
            view = await self.load_view(tx, ladder_id, [user, other], now)
            entry = ladder_acts.challenge_climber(view, user, other)
            await _store_entry(tx, ladder_id, view, entry)
            return entry

    async def accept_challenge(
        self, guild: int, variant: str, user: int, now: int, entry_seq: int | None = None
    ) -> Match:
        """Accepts the challenge that waits for the user. Returns the game, which has begun.

        `entry_seq`, here and below: the entry of the challenge that the user answers, if known. Raises NO_CHALLENGE if
        a different challenge waits.
        """
        await self._matches.presence.ensure_noted(now)
        ladder_id = LadderId(guild, variant)
        async with self._store.write_transaction() as tx:
            view = await self.load_view(tx, ladder_id, [user], now)
            await _require_challenge(tx, ladder_id, view, user, entry_seq)
            order = [ladder_acts.require_open_challenge(view, user).challenger, user]
            self._matches.shuffle(order)
            match = await begin_ladder_game(tx, ladder_id, order, now)
            await _store_entry(tx, ladder_id, view, ladder_acts.accept_challenge(view, user, match.id))
        return self._matches.cache_match(match)

    async def refuse_challenge(
        self, guild: int, variant: str, user: int, now: int, entry_seq: int | None = None
    ) -> Climber:
        """Refuses the challenge that waits for the user. Returns the user, a rung lower if the refusal costs one."""
        await self._matches.presence.ensure_noted(now)
        return await self._store_act(LadderId(guild, variant), user, now, ladder_acts.refuse_challenge, entry_seq)

    async def join_queue(self, guild: int, variant: str, user: int, now: int, *, channel: int) -> tuple[Match, ...]:
        """Adds the user to the queue. Returns the games that begin for them at once; empty if they wait."""
        ladder_id = LadderId(guild, variant)
        async with self._store.write_transaction() as tx:
            await ladder_store.set_channel(tx, ladder_id, channel)
            view = await self.load_view(tx, ladder_id, [user], now)
            await _store_entry(tx, ladder_id, view, ladder_acts.join_queue(view, user))
            begun = await self._pair_waiting(tx, ladder_id, now)
        return tuple(match for match in map(self._matches.cache_match, begun) if user in match.players)

    async def leave_queue(self, guild: int, variant: str, user: int, now: int) -> Climber:
        """Takes the user out of the queue."""
        return await self._store_act(LadderId(guild, variant), user, now, ladder_acts.leave_queue)

    async def _store_act(
        self,
        ladder_id: LadderId,
        user: int,
        now: int,
        decide: Callable[[LadderView, int], LadderEntry],
        entry_seq: int | None = None,
    ) -> Climber:
        async with self._store.write_transaction() as tx:
            view = await self.load_view(tx, ladder_id, [user], now)
            await _require_challenge(tx, ladder_id, view, user, entry_seq)
            return (await _store_entry(tx, ladder_id, view, decide(view, user))).climbers[user]

    async def load_view(self, reader: Reader, ladder_id: LadderId, users: Iterable[int] | None, now: int) -> LadderView:
        """Returns the part of the ladder that concerns these users (None: the whole ladder), with their activity."""
        absent_since = await self._matches.presence.pending_absence_since(reader)
        away = [
            *(await ladder_absences(reader, ladder_id.guild, now)),
            *([] if absent_since is None else [(absent_since, now)]),
        ]
        ladder = await ladder_store.load_ladder(reader, ladder_id, users, away=away)
        wanted = ladder.climbers.keys() | set(users or ())
        return LadderView(ladder, now, await standings_store.activities_of(reader, ladder_id, wanted, now))

    async def _pair_waiting(self, tx: Writer, ladder_id: LadderId, now: int) -> list[Match]:
        """Pairs the queueing users. Returns the games that begin."""
        waiting = await standings_store.queueing_users(tx, ladder_id)
        view = await self.load_view(tx, ladder_id, waiting, now)
        ratings = await ratings_of(tx, *ladder_id, waiting)
        shown_ratings = {user: rating.shown_number for user, rating in ratings.items()}
        begun: list[Match] = []
        for users in ladder_acts.pair_waiting(view, shown_ratings, self._matches.shuffle):
            match = await begin_ladder_game(tx, ladder_id, users, now)
            await _store_entry(tx, ladder_id, view, ladder_acts.record_pairing(view, users, match.id))
            begun.append(match)
        return begun

    # Looking at ladders

    async def challenge_waiting(self, guild: int, variant: str, seq: int, now: int) -> PendingChallenge | None:
        """Returns the challenge made by an entry; None if it no longer waits for an answer."""
        ladder_id, reader = LadderId(guild, variant), self._reader
        entry = await ladder_store.entry_at(reader, ladder_id, seq)
        if entry is None or entry.kind is not EntryKind.CHALLENGED:
            return None
        ladder = (await self.load_view(reader, ladder_id, entry.users, now)).ladder
        waiting = ladder.challenges.get(entry.users[0])
        if (
            waiting is None
            or (waiting.challenged, waiting.at) != (entry.users[1], entry.at)
            or now >= waiting.lapses_at
        ):
            return None
        return PendingChallenge(waiting, ladder.climbers[waiting.challenged].refusal_costs(now))

    async def challenges_ended(self, guild: int, variant: str, seqs: Sequence[int]) -> dict[int, LadderEntry | None]:
        """Returns the challenges that no longer wait, by the number of the entry that made them, with the entry that
        ended each (None if no entry did).
        """
        ladder_id, reader = LadderId(guild, variant), self._reader
        waiting = await ladder_store.waiting_challenges(reader, ladder_id, seqs) if seqs else set()
        return {seq: await ladder_store.end_of_challenge(reader, ladder_id, seq) for seq in seqs if seq not in waiting}

    async def require_challenger(self, guild: int, variant: str, user: int, now: int) -> None:
        """Raises LadderError if the user may challenge nobody at all."""
        ladder_acts.require_challenger(await self.load_view(self._reader, LadderId(guild, variant), [user], now), user)

    async def challengeable_climbers(self, guild: int, variant: str, user: int, now: int) -> tuple[Climber, ...]:
        """Returns the climbers that the user may challenge, the highest first, up to a limit."""
        ladder_id, reader = LadderId(guild, variant), self._reader
        own = await ladder_store.load_ladder(reader, ladder_id, [user])
        climber = own.active_climber(user)
        if climber is None:
            return ()
        within = await standings_store.challengeable_near(reader, ladder_id, climber.step, now)
        view = await self.load_view(reader, ladder_id, [user, *within], now)
        return tuple(view.ladder.climbers[other] for other in ladder_acts.challengeable_users(view, user))

    async def ladder_page(self, guild: int, variant: str, page: int, now: int, user: int | None = None) -> LadderPage:
        """Returns that page of the ladder's table, with the place of `user`. A page out of range gives the nearest."""
        ladder_id, reader = LadderId(guild, variant), self._reader
        order = await standings_store.standings_order(reader, ladder_id, now)
        pages = pages_of(len(order))
        page = min(max(page, 0), pages - 1)
        shown = order[page * PAGE_ROWS : (page + 1) * PAGE_ROWS]
        climber_rows = await standings_store.load_climbers(reader, ladder_id, shown)
        rows = tuple(
            LadderRow(number, *climber_rows[member]) for number, member in enumerate(shown, page * PAGE_ROWS + 1)
        )
        head = await ladder_store.load_head(reader, ladder_id)
        own = order.index(user) + 1 if user in order else None
        return LadderPage(rows, page, pages, len(order), head.season if head else None, own)

    async def climber_history(self, guild: int, variant: str, user: int, page: int = 0) -> tuple[LadderHistoryRow, ...]:
        """Returns a page of the user's entries on the ladder, the latest first; empty after the last page."""
        return tuple(
            await standings_store.climber_history(
                self._reader, LadderId(guild, variant), user, page * HISTORY_ROWS, HISTORY_ROWS
            )
        )

    async def effects_of(self, match: Match) -> LadderEffects:
        """Returns the changes of rungs at the end of the match; empty if the match is not over or changed none."""
        ladder_id = LadderId(match.guild, match.variant.key)
        steps = await standings_store.steps_brought(self._reader, ladder_id, match.id) if match.ladder else {}
        triad = (
            await ladder_store.triad_of(self._reader, ladder_id, match.id, steps) if len(match.players) > 2 else None
        )
        return LadderEffects(steps, triad)

    # Ticks and news

    async def tick(self, now: int) -> list[tuple[int, str]]:
        """Does what is due on the ladders. Returns server and variant of each ladder that has changed. A late or
        repeated tick gives the same result."""
        attempts = self._matches.attempts
        changed: list[tuple[int, str]] = []
        for ladder_id in await ladder_store.ladders_due(self._reader, now):
            with attempts.contain_failures("ladders", server=ladder_id.guild, variant=ladder_id.variant):
                changed += [ladder_id] if await self._tick_ladder(ladder_id, now) else []
        return changed

    async def _tick_ladder(self, ladder_id: LadderId, now: int) -> bool:
        """Does what is due on a ladder, and notes its next tick. Returns False if the ladder has not changed."""
        async with self._store.write_transaction() as tx:
            before = await ladder_store.load_head(tx, ladder_id)
            await self._lapse_challenges(tx, ladder_id, now)
            await self._turn_season(tx, ladder_id, now)
            await self._pair_waiting(tx, ladder_id, now)
            await ladder_store.set_next_tick(tx, ladder_id, now)
            return before != await ladder_store.load_head(tx, ladder_id)

    async def _lapse_challenges(self, tx: Writer, ladder_id: LadderId, now: int) -> None:
        """Ends the challenges that were not answered in time."""
        overdue = await ladder_store.overdue_challengers(tx, ladder_id, now)
        if overdue:
            view = await self.load_view(tx, ladder_id, overdue, now)
            for entry in ladder_acts.lapse_challenges(view):
                await ladder_store.add_entry(tx, ladder_id, view.ladder, entry)

    async def _turn_season(self, tx: Writer, ladder_id: LadderId, now: int) -> None:
        """Ends the season if its time is over, and begins the next."""
        head = await ladder_store.load_head(tx, ladder_id)
        assert head is not None, ladder_id
        turns = head.season is None or now >= head.season.until
        view = await self.load_view(tx, ladder_id, None if turns else (), now)
        if turns:
            ratings = {user: rating.mu for user, rating in (await ratings_of(tx, *ladder_id)).items()}
            for entry in ladder_acts.turn_season(view, ratings):
                await ladder_store.add_entry(tx, ladder_id, view.ladder, entry)

    async def note_shut(self, is_shut: Callable[[int, int], bool | None], now: int) -> None:
        """Notes, for each server with a waiting challenge, whether the bot may post in the channels of its ladders.

        `is_shut` gets server and channel, and returns None if that is not known. While the channels are shut, the time
        to answer does not run.
        """
        by_server: dict[int, list[tuple[bool | None, bool]]] = {}
        for guild, channel, noted in await challenged_ladders(self._reader):
            by_server.setdefault(guild, []).append((is_shut(guild, channel), noted))
        for guild, channels in by_server.items():
            shut_flags, noted = [shut for shut, _ in channels], channels[0][1]
            if None not in shut_flags and any(shut_flags) != noted:
                async with self._store.write_transaction() as tx:
                    await set_ladders_shut(tx, guild, now, shut=not noted)

    async def unannounced_ladders(self) -> list[tuple[int, str]]:
        """Returns the ladders with unannounced entries, by server and variant."""
        return list(await ladder_store.unannounced_ladders(self._reader))

    async def ladder_news(self, guild: int, variant: str) -> tuple[LadderNews, ...]:
        """Returns the unannounced news in order."""
        ladder_id, reader = LadderId(guild, variant), self._reader
        head = await ladder_store.load_head(reader, ladder_id)
        if head is None:
            return ()
        settings = await load_guild_settings(reader, guild)
        channel = settings.ladder_channel or head.channel
        items: list[LadderNews] = []
        for entry in await ladder_store.load_entries(reader, ladder_id, head.announced):
            if entry.kind in NEWSWORTHY_ENTRIES:
                steps = await ladder_store.steps_of(reader, ladder_id, entry.seq)
                named = {user: steps[user] for user in entry.users if user in steps}
                items.append(LadderNews(guild, variant, entry, named, channel, settings.announcements or channel))
        return tuple(items)

    async def mark_announced(self, guild: int, variant: str, seq: int) -> None:
        """Notes that everything up to an entry has been announced."""
        async with self._store.write_transaction() as tx:
            await ladder_store.mark_announced(tx, LadderId(guild, variant), seq)


async def _store_entry(tx: Writer, ladder_id: LadderId, view: LadderView, entry: LadderEntry) -> Ladder:
    """Stores an entry and returns the ladder after it."""
    await ladder_store.add_entry(tx, ladder_id, view.ladder, entry)
    return view.ladder


async def _require_challenge(
    tx: Writer, ladder_id: LadderId, view: LadderView, user: int, entry_seq: int | None
) -> None:
    """Raises LadderError if the challenge that waits for the user is not the one made by that entry."""
    if entry_seq is None:
        return
    entry = await ladder_store.entry_at(tx, ladder_id, entry_seq)
    waiting = ladder_acts.require_open_challenge(view, user)
    if entry is None or (entry.users, entry.at) != ((waiting.challenger, waiting.challenged), waiting.at):
        raise LadderError(LadderProblem.NO_CHALLENGE)
