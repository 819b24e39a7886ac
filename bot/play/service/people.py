"""Settings of people and servers, vacations, and followers of matches."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from bot.core import deadlines, time_acts, turns
from bot.core.clock import Span
from bot.core.deadlines import Actor
from bot.core.events import Event
from bot.core.match import Match, Phase
from bot.core.problems import Problem
from bot.core.settings import (
    LESSON_KEY,
    UNTOLD_KEY,
    GuildSettings,
    StoredPerson,
    UserSettings,
    end_vacation_now,
    require_vacation,
)
from bot.play.service.matches import Decision, Service
from bot.store import Job, Writer, game_lists, servers
from bot.store import people as people_store

MAX_FOLLOWERS = 40
"""The most followers of one match: so many mentions fit below its board."""


async def user_settings(service: Service, user: int) -> UserSettings:
    """Returns the person's settings."""
    return (await person_of(service, user)).settings


async def person_of(service: Service, user: int) -> StoredPerson:
    """Returns the person with their settings and vacations."""
    return (await people_store.load_people(service.reader, (user,)))[user]


async def change_user_settings(
    service: Service, actor: Actor, change: Callable[[UserSettings], UserSettings]
) -> UserSettings:
    """Changes all of these settings of the person or none, and returns them.

    `change` gets the stored settings and returns new ones, so two changes at once cannot undo each other. An error
    that it raises cancels everything.

    The deadlines of the person's games follow the new settings. When a person switches automove on, forced moves
    that others wait for are played at once.
    """
    user, now = actor.user, actor.now
    async with _changing_habits(service) as (tx, games):
        before = (await people_store.load_people(tx, (user,)))[user].settings
        after = change(before)
        changes_habits = StoredPerson(before).clock_habits != StoredPerson(after).clock_habits
        if changes_habits or (before.reminders, before.automove) != (after.reminders, after.automove):
            games |= await _live_games(service, tx, user)
        if changes_habits:
            await _charge(service, tx, games, user, now)
            to_move = [match for match in games.values() if match.to_move == user]
            await tx.add_jobs(
                *(Job.of_match("deadline", match, match.place.thread_or_channel, now) for match in to_move)
            )
        await people_store.set_user_settings(tx, user, before, after)
        if after.automove and not before.automove:
            await _decide_each(service, tx, games, lambda match, players: _only_move_of(match, user, now, players))
    return after


async def block_person(service: Service, user: int, other: int) -> None:
    """Notes that the user does not want to play with the other person."""
    async with service.store.write_transaction() as tx:
        await tx.save_row("blocks", {"user": user, "blocked": other}, {})


async def unblock_person(service: Service, user: int, other: int) -> None:
    """Notes that the user may play with the other person again."""
    async with service.store.write_transaction() as tx:
        await people_store.delete_block(tx, user, other)


async def note_told(service: Service, user: int) -> bool:
    """Returns whether the user had changed settings that are gone and has not been told; from now on they have."""
    if UNTOLD_KEY not in await service.reader.load_preferences(user):
        return False
    async with service.store.write_transaction() as tx:
        await people_store.delete_preference(tx, user, UNTOLD_KEY)
    return True


async def next_lessons(service: Service, user: int) -> dict[str, int]:
    """Returns the number of the next lesson by variant. Variants whose lessons were never begun are left out."""
    stored = await service.reader.load_preferences(user)
    return {
        key.removeprefix(LESSON_KEY): int(value)
        for key, value in stored.items()
        if key.startswith(LESSON_KEY) and value.isdecimal()
    }


async def set_next_lesson(service: Service, user: int, variant: str, number: int) -> None:
    """Notes the lesson of that variant with which the user will continue."""
    if (await next_lessons(service, user)).get(variant) != number:
        async with service.store.write_transaction() as tx:
            await tx.set_preference(user, f"{LESSON_KEY}{variant}", str(number))


async def start_vacation(service: Service, actor: Actor, until: int) -> Span:
    """Starts a vacation now, notes it in the person's games, and returns it.

    Raises ALREADY_AWAY or VACATION_SPENT.
    """
    user, now = actor.user, actor.now
    async with _changing_habits(service) as (tx, games):
        games |= await _live_games(service, tx, user)
        await _charge(service, tx, games, user, now)
        person = (await people_store.load_people(tx, (user,)))[user]
        span = require_vacation(person.vacations, now, until)
        await people_store.add_vacation(tx, user, span)
        await _decide_each(service, tx, games, lambda match, _: time_acts.announce_vacation(match, user, until, now))
    return span


async def stop_vacation(service: Service, actor: Actor) -> Span:
    """Ends the current vacation, and returns it with its new end: it lasts at least one day. Raises NOT_AWAY.

    The person's games get only one note, even if the vacation is stopped several times on its first day.
    """
    user, now = actor.user, actor.now
    async with _changing_habits(service) as (tx, games):
        games |= await _live_games(service, tx, user)
        await _charge(service, tx, games, user, now)
        person = (await people_store.load_people(tx, (user,)))[user]
        before, span = end_vacation_now(person.vacations, now)
        await people_store.add_vacation(tx, user, span)
        if span != before:
            await _decide_each(service, tx, games, lambda match, _: time_acts.announce_return(match, user, now))
    return span


async def change_guild_settings(
    service: Service, guild: int, change: Callable[[GuildSettings], GuildSettings]
) -> GuildSettings:
    """Changes a server's settings, and returns them.

    `change` gets the stored settings and returns new ones.
    """
    async with service.store.write_transaction() as tx:
        after = change(await servers.load_guild_settings(tx, guild))
        await servers.set_guild_settings(tx, guild, after)
    return after


async def follow_match(service: Service, actor: Actor, match_id: int, *, every_move: bool) -> None:
    """Makes the person a follower of a match: of its end only, or of every move. Replaces an earlier choice."""
    async with service.store.write_transaction() as tx:
        match, user = await service.load_match(tx, match_id, actor.guild), actor.user
        match.refuse_if(match.phase in (Phase.OVER, Phase.CLOSED), Problem.GAME_OVER)
        match.refuse_if(user in (match.players or match.table.joined), Problem.FOLLOWS_OWN)
        others = [follow for follow in await game_lists.followers_of(tx, match_id) if follow.user != user]
        match.refuse_if(len(others) >= MAX_FOLLOWERS, Problem.TOO_MANY_FOLLOWERS, most=MAX_FOLLOWERS)
        await tx.save_row("follows", {"match": match_id, "user": user}, {"every_move": every_move})


async def unfollow_match(service: Service, actor: Actor, match_id: int) -> bool:
    """Removes the person from the followers of a match. Returns False if they did not follow it."""
    async with service.store.write_transaction() as tx:
        await service.load_match(tx, match_id, actor.guild)
        return await game_lists.end_follow(tx, match_id, actor.user)


async def _live_games(service: Service, tx: Writer, user: int) -> dict[int, Match]:
    return {match.id: match for match in await service.load_readable(tx, await game_lists.live_games(tx, user))}


@asynccontextmanager
async def _changing_habits(service: Service) -> AsyncIterator[tuple[Writer, dict[int, Match]]]:
    """Opens a transaction that changes a person's settings, and yields it with the games that depend on them, which the
    block adds. Afterwards updates the deadlines of these games."""
    games = dict[int, Match]()
    async with service.store.write_transaction() as tx:
        yield tx, games
        for match in games.values():
            await tx.set_deadlines(match, await service.presence.load_players(tx, match))
    for match in games.values():
        service.cache_match(match)


async def _charge(service: Service, tx: Writer, games: dict[int, Match], user: int, now: int) -> None:
    """Charges the time that the user has used so far, before the habits that stop their clocks change."""
    await _decide_each(service, tx, games, lambda match, known: time_acts.charge_used_time(match, user, now, known))


async def _decide_each(service: Service, tx: Writer, games: dict[int, Match], decide: Decision) -> None:
    """Applies the decision to each of the games, and replaces each game by its next state."""
    for match in list(games.values()):
        games[match.id] = await service.apply_decision(tx, match, decide)


def _only_move_of(match: Match, user: int, now: int, players: deadlines.PeopleById) -> tuple[Event, ...]:
    """Returns the event of the player's only legal move, if other players are waiting for it."""
    return turns.play_only_move(match, now, players) if match.to_move == user else ()
