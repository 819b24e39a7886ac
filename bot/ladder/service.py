"""Ladders: the acts of people, the work of the tick, and the news to announce.

Raises LadderError, and the errors of acts on matches. `channel` is the channel of the
request.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from bot.core import table
from bot.core.clock import Habits, Pace, deadline_after
from bot.core.events import Opening, Seating
from bot.core.listings import PAGE_ROWS, MessageRef, pages_of
from bot.core.match import Match
from bot.core.ratings import NEW_RATING
from bot.ladder import acts as ladder_acts
from bot.ladder import rows as ladder_store
from bot.ladder.acts import LadderError, LadderProblem, LadderView
from bot.ladder.state import (
    ANSWER_TIME_S,
    NEWSWORTHY_ENTRIES,
    Climber,
    EntryKind,
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
from bot.store import Job, Reader, Writer
from bot.store.absences import absences_after
from bot.store.people import load_people
from bot.store.results import ratings_of
from bot.store.servers import load_guild_settings
from rules import VARIANTS


class Ladders(ServicePart):
    """The ladders of all servers."""

    # What people do

    async def join_ladder(self, ladder_id: LadderId, user: int, now: int, *, channel: int) -> Climber:
        """Puts the user on the ladder, on rung 0."""
        async with self._store.write_transaction() as tx:
            await ladder_store.set_channel(tx, ladder_id, channel)
            view = await self.load_view(tx, ladder_id, now)
            await ladder_store.add_entry(tx, ladder_id, view.ladder, ladder_acts.join_ladder(view, user))
            return view.ladder.climbers[user]

    async def leave_ladder(self, ladder_id: LadderId, user: int, now: int) -> Climber:
        """Takes the user off the ladder and drops their open challenges."""
        return await self._store_act(ladder_id, user, now, ladder_acts.leave_ladder)

    async def check_leaving(self, ladder_id: LadderId, user: int, now: int) -> Climber:
        """Returns the user's climber if they may leave. Raises what `leave_ladder` would raise."""
        view = await self.load_view(self._reader, ladder_id, now)
        ladder_acts.leave_ladder(view, user)  # a dry run
        return view.ladder.climbers[user]

    async def challenge_climber(
        self, ladder_id: LadderId, user: int, other: int, now: int, *, channel: int
    ) -> LadderEntry:
        """Makes a challenge, which can be answered for 72 hours. Returns its entry, whose `seq` identifies it."""
        async with self._store.write_transaction() as tx:
            await ladder_store.set_channel(tx, ladder_id, channel)
            view = await self.load_view(tx, ladder_id, now)
            entry = ladder_acts.challenge_climber(view, user, other)
            await ladder_store.add_entry(tx, ladder_id, view.ladder, entry)
            return entry

    async def accept_challenge(self, ladder_id: LadderId, user: int, now: int, entry_seq: int | None = None) -> Match:
        """Accepts the challenge that waits for the user. Returns the game, which has begun.

        `entry_seq`, here and below: the entry of the challenge that the user answers, if known. Raises NO_CHALLENGE if
        a different challenge waits.
        """
        await self._matches.presence.ensure_noted(now)
        async with self._store.write_transaction() as tx:
            view = await self.load_view(tx, ladder_id, now)
            await _require_challenge(tx, ladder_id, view, user, entry_seq)
            order = [ladder_acts.require_open_challenge(view, user).challenger, user]
            self._matches.shuffle(order)
            match = await begin_ladder_game(tx, ladder_id, order, now)
            accepted = ladder_acts.accept_challenge(view, user, match.id)
            await ladder_store.add_entry(tx, ladder_id, view.ladder, accepted)
        return self._matches.cache_match(match)

    async def refuse_challenge(self, ladder_id: LadderId, user: int, now: int, entry_seq: int | None = None) -> Climber:
        """Refuses the challenge that waits for the user. Returns the user, a rung lower if the refusal costs one."""
        await self._matches.presence.ensure_noted(now)
        return await self._store_act(ladder_id, user, now, ladder_acts.refuse_challenge, entry_seq)

    async def join_queue(self, ladder_id: LadderId, user: int, now: int, *, channel: int) -> tuple[Match, ...]:
        """Adds the user to the queue. Returns the games that begin for them at once; empty if they wait."""
        async with self._store.write_transaction() as tx:
            await ladder_store.set_channel(tx, ladder_id, channel)
            view = await self.load_view(tx, ladder_id, now)
            await ladder_store.add_entry(tx, ladder_id, view.ladder, ladder_acts.join_queue(view, user))
            begun = await self._pair_waiting(tx, ladder_id, view)
        return tuple(match for match in map(self._matches.cache_match, begun) if user in match.players)

    async def leave_queue(self, ladder_id: LadderId, user: int, now: int) -> Climber:
        """Takes the user out of the queue."""
        return await self._store_act(ladder_id, user, now, ladder_acts.leave_queue)

    async def _store_act(
        self,
        ladder_id: LadderId,
        user: int,
        now: int,
        decide: Callable[[LadderView, int], LadderEntry],
        entry_seq: int | None = None,
    ) -> Climber:
        async with self._store.write_transaction() as tx:
            view = await self.load_view(tx, ladder_id, now)
            await _require_challenge(tx, ladder_id, view, user, entry_seq)
            await ladder_store.add_entry(tx, ladder_id, view.ladder, decide(view, user))
            return view.ladder.climbers[user]

    async def load_view(self, reader: Reader, ladder_id: LadderId, now: int) -> LadderView:
        """Returns the ladder with the activity of its climbers. The time to answer a challenge is without absences."""
        ladder = await ladder_store.load_ladder(reader, ladder_id)
        if ladder.challenges:
            since = min(challenge.at for challenge in ladder.challenges.values())
            absent_since = await self._matches.presence.pending_absence_since(reader)
            absences = (
                *(await absences_after(reader, ladder_id.guild, since)),
                *(await ladder_store.ladder_absences(reader, ladder_id.guild, now)),
                *([] if absent_since is None else [(absent_since, now)]),
            )
            for challenger, challenge in ladder.challenges.items():
                ends_at = deadline_after(Habits(absences=absences), challenge.at, ANSWER_TIME_S)
                ladder.challenges[challenger] = replace(challenge, lost=ends_at - challenge.at - ANSWER_TIME_S)
        return LadderView(ladder, now, await ladder_store.activities_of(reader, ladder_id, now))

    async def _pair_waiting(self, tx: Writer, ladder_id: LadderId, view: LadderView) -> list[Match]:
        """Pairs the queueing users. Returns the games that begin."""
        ratings = await ratings_of(tx, *ladder_id)
        shown_ratings = {user: rating.shown_number for user, rating in ratings.items()}
        begun: list[Match] = []
        for users in ladder_acts.pair_waiting(view, shown_ratings, self._matches.shuffle):
            match = await begin_ladder_game(tx, ladder_id, users, view.now)
            paired = view.ladder.next_entry(view.now, EntryKind.PAIRED, users, (match.id,))
            await ladder_store.add_entry(tx, ladder_id, view.ladder, paired)
            begun.append(match)
        return begun

    # Looking at ladders

    async def challenge_waiting(self, ladder_id: LadderId, seq: int, now: int) -> PendingChallenge | None:
        """Returns the challenge made by an entry; None if it no longer waits for an answer."""
        ladder = (await self.load_view(self._reader, ladder_id, now)).ladder
        waiting = ladder.challenge_of(await ladder_store.entry_at(self._reader, ladder_id, seq))
        if waiting is None or now >= waiting.lapses_at:
            return None
        return PendingChallenge(waiting, ladder.climbers[waiting.challenged].refusal_costs(now))

    async def note_challenge_post(self, ladder_id: LadderId, entry: LadderEntry, post: MessageRef) -> None:
        """Notes the message with the buttons of a challenge."""
        key, note = f"{post.channel}:{post.message}", f"{ladder_id.variant}:{entry.seq}"
        async with self._store.write_transaction() as tx:
            await tx.add_jobs(Job("challenge", key, ladder_id.guild, note=note))
            # It may have been answered while it was posted.
            ladder = await ladder_store.load_ladder(tx, ladder_id)
            await ladder_store.close_challenges(tx, ladder_id, ladder, entry.at)

    async def end_of_challenge(self, ladder_id: LadderId, seq: int) -> LadderEntry | None:
        """Returns the entry that ended the challenge made by that entry; None if no entry did."""
        challenge = await ladder_store.entry_at(self._reader, ladder_id, seq)
        return challenge and await ladder_store.end_of_challenge(self._reader, ladder_id, challenge)

    async def require_challenger(self, ladder_id: LadderId, user: int, now: int) -> None:
        """Raises LadderError if the user may challenge nobody at all."""
        ladder_acts.require_challenger(await self.load_view(self._reader, ladder_id, now), user)

    async def challengeable_climbers(self, ladder_id: LadderId, user: int, now: int) -> tuple[Climber, ...]:
        """Returns the climbers that the user may challenge, the highest first."""
        view = await self.load_view(self._reader, ladder_id, now)
        return tuple(view.ladder.climbers[other] for other in ladder_acts.challengeable_users(view, user))

    async def ladder_page(self, ladder_id: LadderId, page: int, now: int, user: int | None = None) -> LadderPage:
        """Returns that page of the ladder's table, with the place of `user`. A page out of range gives the nearest."""
        view, ratings = await self.load_view(self._reader, ladder_id, now), await ratings_of(self._reader, *ladder_id)
        order = ladder_acts.season_standings(view, {user: rating.mu for user, rating in ratings.items()})
        pages = pages_of(len(order))
        page = min(max(page, 0), pages - 1)
        rows = [
            LadderRow(place, climber, ratings.get(climber.user, NEW_RATING)) for place, climber in enumerate(order, 1)
        ]
        own = next((row.place for row in rows if row.climber.user == user), None)
        shown = tuple(rows[page * PAGE_ROWS : (page + 1) * PAGE_ROWS])
        return LadderPage(shown, page, pages, len(order), view.ladder.season, own)

    async def climber_history(self, ladder_id: LadderId, user: int, page: int = 0) -> tuple[LadderHistoryRow, ...]:
        """Returns a page of the user's entries on the ladder, the latest first, and the first entry of the next page;
        empty after the last page.
        """
        return tuple(await ladder_store.climber_history(self._reader, ladder_id, user, page))

    async def effects_of(self, match: Match) -> LadderEffects:
        """Returns the changes of rungs at the end of the match; empty if the match is not over or changed none."""
        ladder_id, reader = LadderId(match.guild, match.variant.key), self._reader
        end = await ladder_store.end_of_match(reader, ladder_id, match.id) if match.ladder else None
        if end is None:
            return LadderEffects()
        triad = await ladder_store.triad_of(reader, ladder_id, match.id) if len(match.players) > 2 else None
        return LadderEffects(await ladder_store.steps_of(reader, ladder_id, end.seq), triad)

    # Ticks and news

    async def tick(self, now: int) -> list[LadderId]:
        """Does what is due on the ladders. Returns the ladders that have changed. A late or
        repeated tick gives the same result."""
        attempts = self._matches.attempts
        changed: list[LadderId] = []
        for ladder_id in await ladder_store.ladders_due(self._reader, now):
            with attempts.contain_failures("ladders", server=ladder_id.guild, variant=ladder_id.variant):
                changed += [ladder_id] if await self._tick_ladder(ladder_id, now) else []
        return changed

    async def _tick_ladder(self, ladder_id: LadderId, now: int) -> bool:
        """Does what is due on a ladder, and notes its next tick. Returns False if the ladder has not changed."""
        async with self._store.write_transaction() as tx:
            view = await self.load_view(tx, ladder_id, now)
            seq = view.ladder.seq
            for entry in ladder_acts.lapse_challenges(view):
                await ladder_store.add_entry(tx, ladder_id, view.ladder, entry)
            ratings = {user: rating.mu for user, rating in (await ratings_of(tx, *ladder_id)).items()}
            for entry in ladder_acts.turn_season(view, ratings):
                await ladder_store.add_entry(tx, ladder_id, view.ladder, entry)
            await self._pair_waiting(tx, ladder_id, view)
            await ladder_store.store_state(tx, ladder_id, view.ladder, now)
            return view.ladder.seq != seq

    async def note_shut(self, is_shut: Callable[[int, int], bool | None], now: int) -> None:
        """Notes, for each server with a waiting challenge, whether the bot may post in the channels of its ladders.

        `is_shut` gets server and channel, and returns None if that is not known. While the channels are shut, the time
        to answer does not run.
        """
        by_server: dict[int, list[tuple[bool | None, bool]]] = {}
        for guild, channel, noted in await ladder_store.challenged_ladders(self._reader):
            by_server.setdefault(guild, []).append((is_shut(guild, channel), noted))
        for guild, channels in by_server.items():
            shut_flags, noted = [shut for shut, _ in channels], channels[0][1]
            if None not in shut_flags and any(shut_flags) != noted:
                async with self._store.write_transaction() as tx:
                    await ladder_store.set_ladders_shut(tx, guild, now, shut=not noted)

    async def unannounced_ladders(self) -> list[LadderId]:
        """Returns the ladders with unannounced entries."""
        return await ladder_store.unannounced_ladders(self._reader)

    async def ladder_news(self, ladder_id: LadderId) -> tuple[LadderNews, ...]:
        """Returns the unannounced news in order."""
        reader = self._reader
        head = await ladder_store.announced_and_channel(reader, ladder_id)
        if head is None:
            return ()
        announced, used_channel = head
        settings = await load_guild_settings(reader, ladder_id.guild)
        channel = settings.ladder_channel or used_channel
        items: list[LadderNews] = []
        for entry in await ladder_store.load_entries(reader, ladder_id, announced):
            if entry.kind in NEWSWORTHY_ENTRIES:
                steps = await ladder_store.steps_of(reader, ladder_id, entry.seq)
                named = {user: steps[user] for user in entry.users if user in steps}
                items.append(LadderNews(ladder_id, entry, named, channel, settings.announcements or channel))
        return tuple(items)

    async def mark_announced(self, ladder_id: LadderId, seq: int) -> None:
        """Notes that everything up to an entry has been announced."""
        async with self._store.write_transaction() as tx:
            await ladder_store.mark_announced(tx, ladder_id, seq)


async def _require_challenge(
    tx: Writer, ladder_id: LadderId, view: LadderView, user: int, entry_seq: int | None
) -> None:
    """Raises LadderError if the challenge that waits for the user is not the one made by that entry."""
    if entry_seq is None:
        return
    waiting = ladder_acts.require_open_challenge(view, user)
    if view.ladder.challenge_of(await ladder_store.entry_at(tx, ladder_id, entry_seq)) != waiting:
        raise LadderError(LadderProblem.NO_CHALLENGE)


async def begin_ladder_game(tx: Writer, ladder_id: LadderId, order: Sequence[int], now: int) -> Match:
    """Starts a ladder game of these users, in seat order, with a clock and in public.

    The server's limit of games for a person does not apply, because the ladder has its own.
    """
    settings = await load_guild_settings(tx, ladder_id.guild)
    head = await ladder_store.announced_and_channel(tx, ladder_id)
    assert head is not None, ladder_id
    opening = Opening(
        ladder_id.guild,
        settings.ladder_channel or head[1],
        VARIANTS[ladder_id.variant],
        Seating.JOIN_ORDER,
        settings.threads.gives_thread(wanted=True),
        tuple(order[1:]),
        settings.pace if settings.pace.clock_terms else Pace.STANDARD,
        ladder=True,
    )
    match, events = table.begin_at_once(opening, order, now)
    return replace(match, id=await tx.add_match(match, events, await load_people(tx, order)))
