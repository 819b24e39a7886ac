"""Ladders: the acts of people, the work of the tick, and pages of the standings.

The functions take the service first, then who acts. They raise LadderError, and the errors of acts on matches.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from bot.core.clock import Habits, Pace, Span
from bot.core.deadlines import Actor
from bot.core.events import Opening, Seating, Terms
from bot.core.match import Match, MessageRef
from bot.core.ratings import NEW_RATING
from bot.ladder import acts as ladder_acts
from bot.ladder import rows as ladder_store
from bot.ladder.acts import LadderView
from bot.ladder.state import Climber, EntryKind, LadderEntry, LadderId, Standings
from bot.play.service import Service
from bot.play.service.tables import store_begun_game
from bot.store import Job, Reader, Writer
from bot.store.absences import absences_after
from bot.store.people import pairs_apart
from bot.store.results import ratings_of
from bot.store.servers import load_guild_settings
from rules import VARIANTS

# What people do

LadderAct = Callable[[LadderView, int], LadderEntry]
"""Decides an act on a ladder, given the user. Raises LadderError."""


@asynccontextmanager
async def _open_ladder(
    service: Service, actor: Actor, ladder_id: LadderId, channel: int | None = None
) -> AsyncIterator[tuple[Writer, LadderView]]:
    """Opens a transaction and loads the ladder, after noting the channel of the request."""
    await service.presence.ensure_noted(actor.now)
    async with service.store.write_transaction() as tx:
        if channel is not None:
            await ladder_store.set_channel(tx, ladder_id, channel)
        yield tx, await load_view(service, tx, ladder_id, actor.now)


async def act_on_ladder(
    service: Service, actor: Actor, ladder_id: LadderId, act: LadderAct, channel: int | None = None
) -> Climber:
    """Stores an act and returns the user's climber after it.

    `channel`: the channel of the request, if games may be played there. A ladder that nobody has used needs one.
    """
    async with _open_ladder(service, actor, ladder_id, channel) as (tx, view):
        await ladder_store.add_entry(tx, ladder_id, view.ladder, act(view, actor.user))
        return view.ladder.climbers[actor.user]


async def accept_challenge(service: Service, actor: Actor, ladder_id: LadderId, seq: int) -> Match:
    """Accepts the challenge made by the entry `seq`. Returns the game, which has begun."""
    async with _open_ladder(service, actor, ladder_id) as (tx, view):
        order = [ladder_acts.require_open_challenge(view, actor.user, seq).challenger, actor.user]
        service.shuffle(order)
        match = await begin_ladder_game(tx, ladder_id, order, actor.now)
        accepted = ladder_acts.accept_challenge(view, actor.user, seq, match.id)
        await ladder_store.add_entry(tx, ladder_id, view.ladder, accepted)
    return service.cache_match(match)


async def switch_queue(
    service: Service, actor: Actor, ladder_id: LadderId, find_channel: Callable[[], int]
) -> tuple[Match, ...] | None:
    """Adds the user to the queue. Returns the games that begin for them at once, empty if they wait; None if they
    waited, and have been taken out.

    `find_channel` is asked for the channel of games that begin; who is taken out needs none. Raises what it raises.
    """
    async with _open_ladder(service, actor, ladder_id) as (tx, view):
        switched = ladder_acts.switch_queue(view, actor.user)
        if switched.kind is EntryKind.QUEUED:
            await ladder_store.set_channel(tx, ladder_id, find_channel())
        await ladder_store.add_entry(tx, ladder_id, view.ladder, switched)
        if switched.kind is EntryKind.UNQUEUED:
            return None
        begun = await _pair_waiting(service, tx, ladder_id, view)
    return tuple(match for match in map(service.cache_match, begun) if actor.user in match.players)


async def load_view(service: Service, reader: Reader, ladder_id: LadderId, now: int) -> LadderView:
    """Returns the ladder with the activity of its climbers. The time to answer a challenge is without absences."""
    ladder, absences = await ladder_store.load_ladder(reader, ladder_id), list[Span]()
    if ladder.challenges:
        since = min(challenge.at for challenge in ladder.challenges.values())
        absent_since = await service.presence.pending_absence_since(reader)
        absences += await absences_after(reader, ladder_id.guild, since)
        absences += [] if absent_since is None else [(absent_since, now)]
    people = await ladder_store.activities_of(reader, ladder_id, now)
    apart = frozenset(map(frozenset, await pairs_apart(reader, ladder.climbers)))
    return LadderView(ladder, now, people, Habits(absences=tuple(absences)), apart)


async def _pair_waiting(service: Service, tx: Writer, ladder_id: LadderId, view: LadderView) -> list[Match]:
    """Pairs the queueing users. Returns the games that begin."""
    ratings = await ratings_of(tx, *ladder_id)
    shown_ratings = {user: rating.shown_number for user, rating in ratings.items()}
    begun: list[Match] = []
    for users in ladder_acts.pair_waiting(view, shown_ratings, service.shuffle):
        match = await begin_ladder_game(tx, ladder_id, users, view.now)
        paired = view.ladder.next_entry(view.now, EntryKind.PAIRED, users, (match.id,))
        await ladder_store.add_entry(tx, ladder_id, view.ladder, paired)
        begun.append(match)
    return begun


async def begin_ladder_game(tx: Writer, ladder_id: LadderId, order: Sequence[int], now: int) -> Match:
    """Starts a ladder game of these users, in seat order, with a clock and in public.

    The server's limit of games for a person does not apply, because the ladder has its own.
    """
    settings = await load_guild_settings(tx, ladder_id.guild)
    terms = Terms(
        VARIANTS[ladder_id.variant],
        Seating.JOIN_ORDER,
        settings.threads.gives_thread(wanted=True),
        settings.pace if settings.pace.clock_terms else Pace.STANDARD,
        ladder=True,
    )
    opening = Opening(ladder_id.guild, await ladder_store.channel_of(tx, ladder_id), terms)
    return await store_begun_game(tx, opening, order, now)


async def note_challenge_post(service: Service, ladder_id: LadderId, entry: LadderEntry, post: MessageRef) -> None:
    """Notes the message with the buttons of a challenge."""
    key, note = f"{post.channel}:{post.message}", f"{ladder_id.variant}:{entry.seq}"
    async with service.store.write_transaction() as tx:
        await tx.add_jobs(Job("challenge", key, ladder_id.guild, note=note))
        # It may have been answered while it was posted.
        ladder = await ladder_store.load_ladder(tx, ladder_id)
        await ladder_store.close_challenges(tx, ladder_id, ladder, entry)


async def load_standings(service: Service, ladder_id: LadderId, now: int) -> Standings:
    """Returns the ladder's table."""
    view = await load_view(service, service.reader, ladder_id, now)
    ratings = await ratings_of(service.reader, *ladder_id)
    order = ladder_acts.season_standings(view, {user: rating.mu for user, rating in ratings.items()})
    return Standings([(climber, ratings.get(climber.user, NEW_RATING)) for climber in order], view.ladder.season)


# Ticks


async def tick_ladders(service: Service, now: int) -> None:
    """Does what is due on the ladders. A late or repeated tick gives the same result."""
    for ladder_id in await ladder_store.ladders_due(service.reader, now):
        with service.attempts.contain_failures("ladders", server=ladder_id.guild, variant=ladder_id.variant):
            await _tick_ladder(service, ladder_id, now)


async def _tick_ladder(service: Service, ladder_id: LadderId, now: int) -> None:
    """Does what is due on a ladder, and notes its next tick."""
    async with service.store.write_transaction() as tx:
        view = await load_view(service, tx, ladder_id, now)
        for entry in ladder_acts.lapse_challenges(view):
            await ladder_store.add_entry(tx, ladder_id, view.ladder, entry)
        ratings = {user: rating.mu for user, rating in (await ratings_of(tx, *ladder_id)).items()}
        for entry in ladder_acts.turn_season(view, ratings):
            await ladder_store.add_entry(tx, ladder_id, view.ladder, entry)
        await _pair_waiting(service, tx, ladder_id, view)
        await ladder_store.store_state(tx, ladder_id, view.ladder, now, is_ticked=True)
