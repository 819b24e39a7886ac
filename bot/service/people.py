"""What people and servers ask for, who follows what, and what is kept of whom."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Generic, NamedTuple, TypeVar

from bot.match import timing, turns
from bot.match.events import Event
from bot.match.match import Match, Phase
from bot.match.turns import People
from bot.people.clock import Span
from bot.people.preferences import VALUES, Preferences, parse_preferences
from bot.people.problems import Problem
from bot.people.settings import GuildSettings, Person, UserSettings, check_guild, check_user, stopped, vacation
from bot.service.loading import Decision, Loader
from bot.store import Writer
from bot.store import people as people_store

T = TypeVar("T")

MOST_FOLLOWERS = 40
"""Of one match: so many mentions fit below its board."""


NO_PREFERENCES: Mapping[str, str] = MappingProxyType({})


class Changed(NamedTuple, Generic[T]):
    """Settings, as they were and as they are. The same where nothing was to be changed."""

    before: T
    after: T


class Habitual(Loader):
    """Settings, vacations and followers."""

    async def user_settings(self, user: int) -> UserSettings:
        """What the person has asked for."""
        return (await self.person(user)).settings

    async def person(self, user: int) -> Person:
        """The person with his settings and vacations."""
        return (await self.people((user,)))[user]

    async def people(self, users: tuple[int, ...]) -> dict[int, Person]:
        """Each of those people, also who has asked for nothing."""
        found = await people_store.people(self._store.reader, users)
        return {user: found.get(user, Person()) for user in users}

    async def change_user_settings(
        self,
        user: int,
        change: Callable[[UserSettings], UserSettings],
        now: int,
        preferences: Mapping[str, str] = NO_PREFERENCES,
    ) -> Changed[UserSettings]:
        """What the person has asked for before and now, all of it noted or nothing; his clocks go by it from now on.

        `change` makes the new settings of those that are stored by then, so that nobody undoes what somebody else has
        changed meanwhile; what it raises refuses everything. `preferences`: keys of `bot.preferences.VALUES`, each with
        one of its values. Raises NO_SUCH_ZONE or BAD_SLEEP.

        Who wants his only move played from now on, has those played for which he is waited for now.
        """
        assert all(value in VALUES[key] for key, value in preferences.items()), preferences
        newly = False

        async def note(writer: Writer) -> None:
            for key, value in preferences.items():
                await writer.set_preference(user, key, value)

        async def work(writer: Writer) -> Changed[UserSettings]:
            nonlocal newly
            before = (await people_store.people(writer, (user,))).get(user, Person()).settings
            after = check_user(change(before))
            newly = after.automove and not before.automove
            await people_store.set_user(writer, user, after)
            await note(writer)
            return Changed(before, after)

        def play(match: Match, people: People) -> tuple[Event, ...]:
            return turns.automove(match, now, people) if newly and match.to_move == user else ()

        known = await self.user_settings(user)
        if change(known) != known:
            return await self._change(user, now, work, play)
        if preferences:
            await self._store.transaction(note)
        return Changed(known, known)

    async def set_language(self, user: int, language: str) -> None:
        """Notes in which language the person gets direct messages, if he wants them."""
        await self._store.transaction(lambda writer: people_store.set_language(writer, user, language))

    async def preferences(self, user: int, *, ladder: bool = False) -> Preferences:
        """How the user wants boards shown and moves confirmed, the same in every server.

        `ladder`: as it is in a game that counts for a ladder.
        """
        return parse_preferences(await self._store.reader.preferences(user), ladder=ladder)

    async def start_vacation(self, user: int, until: int, now: int) -> Span:
        """The vacation, from now on; the person's games are told.

        Raises ALREADY_AWAY, VACATION_TOO_SHORT or VACATION_SPENT.
        """

        async def work(writer: Writer) -> Span:
            known = (await people_store.people(writer, (user,))).get(user, Person())
            span = vacation(known.vacations, now, until)
            await people_store.add_vacation(writer, user, span)
            return span

        return await self._change(user, now, work, lambda match, _: timing.away(match, user, until, now))

    async def stop_vacation(self, user: int, now: int) -> Span:
        """The vacation that was on, as it is now: a day at least. Raises NOT_AWAY.

        Its games are told once, however often it is stopped on its first day.
        """
        shortened = False

        async def work(writer: Writer) -> Span:
            nonlocal shortened
            known = (await people_store.people(writer, (user,))).get(user, Person())
            before, span = stopped(known.vacations, now)
            shortened = span != before
            await people_store.add_vacation(writer, user, span)
            return span

        return await self._change(user, now, work, lambda match, _: timing.back(match, user, now) if shortened else ())

    async def change_guild_settings(
        self, guild: int, change: Callable[[GuildSettings], GuildSettings]
    ) -> Changed[GuildSettings]:
        """What has been asked for in a server before and now, noted. Raises BAD_LIMIT or TEXT_TOO_LONG.

        `change` makes the new settings of those that are stored by then.
        """

        async def work(writer: Writer) -> Changed[GuildSettings]:
            before = await people_store.guild_settings(writer, guild)
            after = check_guild(change(before))
            await people_store.set_guild(writer, guild, after)
            return Changed(before, after)

        return await self._store.transaction(work)

    async def flag(self, match: Match) -> int | None:
        """When the player to move runs out of time, or of grace; None where no clock runs."""
        return timing.flag(match, await people_store.people(self._store.reader, match.players))

    async def follow(self, match_id: int, guild: int, user: int, *, every_move: bool) -> None:
        """The user is told when the match ends, or at every move; replaces what he asked before."""

        async def work(writer: Writer) -> None:
            match = await self._load(writer, match_id, guild)
            if match.phase in (Phase.OVER, Phase.CLOSED):
                raise match.refusal(Problem.GAME_OVER)
            if user in (match.players or match.joined):
                raise match.refusal(Problem.FOLLOWS_OWN)
            others = [follow for follow in await people_store.follows(writer, match_id) if follow.user != user]
            if len(others) >= MOST_FOLLOWERS:
                raise match.refusal(Problem.TOO_MANY_FOLLOWERS, most=MOST_FOLLOWERS)
            await people_store.set_follow(writer, people_store.Follow(match_id, user, every_move))

        await self._store.transaction(work)

    async def unfollow(self, match_id: int, guild: int, user: int) -> None:
        """The user is told no longer. Raises NOT_FOLLOWING."""

        async def work(writer: Writer) -> None:
            match = await self._load(writer, match_id, guild)
            if not await people_store.end_follow(writer, match_id, user):
                raise match.refusal(Problem.NOT_FOLLOWING)

        await self._store.transaction(work)

    async def followers(self, match_id: int) -> tuple[people_store.Follow, ...]:
        """Who follows the match."""
        return await people_store.follows(self._store.reader, match_id)

    async def _change(
        self,
        user: int,
        now: int,
        change: Callable[[Writer], Awaitable[T]],
        tell: Decision = lambda _match, _people: (),
    ) -> T:
        """What `change` returns, which changes a person's habits: what he has used is settled by the old ones first."""
        changed: list[Match] = []

        async def work(writer: Writer) -> T:
            games = [await self._load(writer, match_id) for match_id in await people_store.live_games(writer, user)]
            for number, match in enumerate(games):
                games[number] = await self._settle(
                    writer, match, lambda match, people: timing.charge(match, user, now, people)
                )
            result = await change(writer)
            for match in games:
                told = await self._settle(writer, match, tell)
                await writer.set_times(told, await people_store.people(writer, told.players))
                changed.append(told)
            return result

        result = await self._store.transaction(work)
        for match in changed:
            self._remember(match)
        return result
