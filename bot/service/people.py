"""What people and servers ask for, who follows what, and what is stored about whom."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from types import MappingProxyType
from typing import Generic, NamedTuple, TypeVar

from bot.match import timing, turns
from bot.match.events import Event
from bot.match.match import Match, Phase
from bot.match.results import Summary
from bot.people.clock import Span
from bot.people.names import UNKNOWN, Owner
from bot.people.preferences import VALUES, Preferences, format_preferences, parse_preferences
from bot.people.problems import Problem
from bot.people.settings import GuildSettings, Person, UserSettings, check_guild, check_user, stopped, vacation
from bot.service.matches import Beside, Decision
from bot.service.plans import switch_off
from bot.store import Writer
from bot.store import people as people_store
from bot.store import plans as plans_store
from bot.store.upkeep import all_guild_settings, started

T = TypeVar("T")

MOST_FOLLOWERS = 40
"""Of one match: so many mentions fit below its board."""


class Changed(NamedTuple, Generic[T]):
    """Settings, as they were and as they are. The same where nothing was to be changed."""

    before: T
    after: T


class People(Beside):
    """Settings of people and servers, vacations and followers."""

    async def user_settings(self, user: int) -> UserSettings:
        """What the person has asked for."""
        return (await self.person(user)).settings

    async def person(self, user: int) -> Person:
        """The person with their settings and vacations."""
        return (await self.of((user,)))[user]

    async def of(self, users: tuple[int, ...]) -> dict[int, Person]:
        """Each of those people, also who has asked for nothing."""
        found = await people_store.people(self._reader, users)
        return {user: found.get(user, Person()) for user in users}

    async def change_user_settings(
        self,
        user: int,
        change: Callable[[UserSettings], UserSettings],
        now: int,
        preferences: Mapping[str, str] = MappingProxyType({}),
    ) -> Changed[UserSettings]:
        """What the person has asked for before and now, all of it noted or nothing; their clocks go by it.

        `change` makes the new settings of those that are stored by then, so that nobody undoes what somebody else has
        changed meanwhile; what it raises refuses everything. `preferences`: keys of `bot.people.preferences.VALUES`,
        each with one of its values. Raises NO_SUCH_ZONE or BAD_SLEEP.

        Whoever wants an only move played from now on, has those played that others wait for now.
        """
        assert all(value in VALUES[key] for key, value in preferences.items()), preferences
        known = await self.user_settings(user)
        if change(known) == known:
            if preferences:
                async with self._store.writing() as tx:
                    await _set_preferences(tx, user, preferences)
            return Changed(known, known)
        async with self._changing(user) as (tx, games):
            before = (await people_store.people(tx, (user,))).get(user, Person()).settings
            after = check_user(change(before), before)
            if Person(before).habits != Person(after).habits:
                await self._charge(tx, games, user, now)
            await people_store.set_user(tx, user, after)
            await _set_preferences(tx, user, preferences)
            if after.automove and not before.automove:
                await self._tell(tx, games, lambda match, known: _only_move(match, user, now, known))
        return Changed(before, after)

    async def set_language(self, user: int, language: str) -> None:
        """Notes in which language the person gets direct messages, if they want them."""
        async with self._store.writing() as tx:
            await people_store.set_language(tx, user, language)

    async def preferences(self, user: int, *, ladder: bool = False) -> Preferences:
        """How the user wants boards shown and moves confirmed, the same in every server.

        `ladder`: as it is in a game that counts for a ladder.
        """
        stored = await self._reader.preferences(user)
        for key, value in stored:
            if key in VALUES and value not in VALUES[key]:
                UNKNOWN.note(Owner("user", user), key, value, format_preferences(Preferences())[key])
        return parse_preferences(stored, ladder=ladder)

    async def start_vacation(self, user: int, until: int, now: int) -> Span:
        """The vacation, from now on; the person's games are told.

        Raises ALREADY_AWAY, VACATION_TOO_SHORT or VACATION_SPENT.
        """
        async with self._changing(user) as (tx, games):
            await self._charge(tx, games, user, now)
            known = (await people_store.people(tx, (user,))).get(user, Person())
            span = vacation(known.vacations, now, until)
            await people_store.add_vacation(tx, user, span)
            await self._tell(tx, games, lambda match, _: timing.away(match, user, until, now))
        return span

    async def stop_vacation(self, user: int, now: int) -> Span:
        """The vacation that was on, as it is now: a day at least. Raises NOT_AWAY.

        Its games are told once, however often it is stopped on its first day.
        """
        async with self._changing(user) as (tx, games):
            await self._charge(tx, games, user, now)
            known = (await people_store.people(tx, (user,))).get(user, Person())
            before, span = stopped(known.vacations, now)
            await people_store.add_vacation(tx, user, span)
            if span != before:
                await self._tell(tx, games, lambda match, _: timing.back(match, user, now))
        return span

    async def change_guild_settings(
        self, guild: int, change: Callable[[GuildSettings], GuildSettings]
    ) -> Changed[GuildSettings]:
        """What has been asked for in a server before and now, noted. Raises BAD_LIMIT, TEXT_TOO_LONG or NO_SUCH_ZONE.

        `change` makes the new settings of those that are stored by then.
        """
        async with self._store.writing() as tx:
            before = await people_store.guild_settings(tx, guild)
            after = check_guild(change(before), before)
            await people_store.set_guild(tx, guild, after)
            if before.plans and not after.plans:
                await switch_off(
                    tx, [await self._matches.load(tx, one) for one in await plans_store.matches_of(tx, guild)]
                )
        return Changed(before, after)

    async def all_guild_settings(self) -> dict[int, GuildSettings]:
        """What has been asked for, by server; those where nothing has are left out."""
        return await all_guild_settings(self._reader)

    async def follow(self, match_id: int, guild: int, user: int, *, every_move: bool) -> None:
        """The user is told when the match ends, or at every move; replaces what they asked before."""
        async with self._store.writing() as tx:
            match = await self._matches.load(tx, match_id, guild)
            if match.phase in (Phase.OVER, Phase.CLOSED):
                raise match.refusal(Problem.GAME_OVER)
            if user in (match.players or match.joined):
                raise match.refusal(Problem.FOLLOWS_OWN)
            others = [follow for follow in await people_store.follows(tx, match_id) if follow.user != user]
            if len(others) >= MOST_FOLLOWERS:
                raise match.refusal(Problem.TOO_MANY_FOLLOWERS, most=MOST_FOLLOWERS)
            await people_store.set_follow(tx, people_store.Follow(match_id, user, every_move))

    async def unfollow(self, match_id: int, guild: int, user: int) -> None:
        """The user is told no longer. Raises NOT_FOLLOWING."""
        async with self._store.writing() as tx:
            match = await self._matches.load(tx, match_id, guild)
            if not await people_store.end_follow(tx, match_id, user):
                raise match.refusal(Problem.NOT_FOLLOWING)

    async def followers(self, match_id: int) -> tuple[people_store.Follow, ...]:
        """Who follows the match."""
        return await people_store.follows(self._reader, match_id)

    async def followed(self, guild: int, user: int) -> list[Summary]:
        """The games in that server which the user follows."""
        follows = await people_store.followed_by(self._reader, user)
        return await started(self._reader, guild, [follow.match for follow in follows])

    async def games_on(self, user: int) -> list[int]:
        """The matches that are on in which the user has a seat, in all servers."""
        return await people_store.live_games(self._reader, user)

    @asynccontextmanager
    async def _changing(self, user: int) -> AsyncIterator[tuple[Writer, dict[int, Match]]]:
        """A transaction that changes what a person has asked for, and their live games, whose deadlines follow."""
        async with self._store.writing() as tx:
            games = {match: await self._matches.load(tx, match) for match in await people_store.live_games(tx, user)}
            yield tx, games
            for match in games.values():
                await tx.set_times(match, await self._matches.presence.players(tx, match))
        for match in games.values():
            self._matches.remember(match)

    async def _charge(self, tx: Writer, games: dict[int, Match], user: int, now: int) -> None:
        """Settles what the person's clocks have used by their old habits, before these change."""
        await self._tell(tx, games, lambda match, known: timing.charge(match, user, now, known))

    async def _tell(self, tx: Writer, games: dict[int, Match], decide: Decision) -> None:
        """Decides about each of the games, in whose place stands what comes of it."""
        for match in list(games.values()):
            games[match.id] = await self._matches.settle(tx, match, decide)


async def _set_preferences(tx: Writer, user: int, preferences: Mapping[str, str]) -> None:
    for key, value in preferences.items():
        await tx.set_preference(user, key, value)


def _only_move(match: Match, user: int, now: int, known: turns.People) -> tuple[Event, ...]:
    """The only move of a player who is waited for."""
    return turns.automove(match, now, known) if match.to_move == user else ()
