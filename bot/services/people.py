"""What people and servers ask for, who follows what, and what is kept of whom."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from bot.clock import Span
from bot.events import Event
from bot.match import Match, Phase
from bot.matches import timing, turns
from bot.matches.turns import People
from bot.preferences import VALUES, Preferences, parse_preferences
from bot.problems import Problem
from bot.services.loading import Decision, Loader
from bot.settings import GuildSettings, Person, UserSettings, check_guild, check_user, stopped, vacation
from bot.store import Writer
from bot.store import people as kept

T = TypeVar("T")

MOST_FOLLOWERS = 40
"""Of one match: so many mentions fit below its board."""


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
        found = await kept.people(self._store.reader, users)
        return {user: found.get(user, Person()) for user in users}

    async def set_user_settings(self, user: int, settings: UserSettings, now: int) -> None:
        """Notes what the person asks for; his clocks go by it from now on. Raises NO_SUCH_ZONE or BAD_SLEEP.

        Who wants his only move played from now on, has those played for which he is waited for now.
        """
        check_user(settings)
        newly = settings.automove and not (await self.user_settings(user)).automove

        def play(match: Match, people: People) -> tuple[Event, ...]:
            return turns.automove(match, now, people) if newly and match.to_move == user else ()

        await self._change(user, now, lambda writer: kept.set_user(writer, user, settings), play)

    async def set_language(self, user: int, language: str) -> None:
        """Notes in which language the person gets direct messages, if he wants them."""
        await self._store.transaction(lambda writer: kept.set_language(writer, user, language))

    async def preferences(self, user: int, *, ladder: bool = False) -> Preferences:
        """How the user wants boards shown and moves confirmed, the same in every server.

        `ladder`: as it is in a game that counts for a ladder.
        """
        return parse_preferences(await self._store.reader.preferences(user), ladder=ladder)

    async def set_preference(self, user: int, key: str, value: str) -> None:
        """Notes one of the user's preferences: a key of `bot.preferences.VALUES` and one of its values."""
        assert value in VALUES[key], (key, value)
        await self._store.transaction(lambda writer: writer.set_preference(user, key, value))

    async def start_vacation(self, user: int, until: int, now: int) -> Span:
        """The vacation, from now on; the person's games are told.

        Raises ALREADY_AWAY, VACATION_TOO_SHORT or VACATION_SPENT.
        """

        async def work(writer: Writer) -> Span:
            known = (await kept.people(writer, (user,))).get(user, Person())
            span = vacation(known.vacations, now, until)
            await kept.add_vacation(writer, user, span)
            return span

        return await self._change(user, now, work, lambda match, _: timing.away(match, user, until, now))

    async def stop_vacation(self, user: int, now: int) -> Span:
        """The vacation that was on, as it is now: a day at least. Raises NOT_AWAY.

        Its games are told once, however often it is stopped on its first day.
        """
        shortened = False

        async def work(writer: Writer) -> Span:
            nonlocal shortened
            known = (await kept.people(writer, (user,))).get(user, Person())
            before, span = stopped(known.vacations, now)
            shortened = span != before
            await kept.add_vacation(writer, user, span)
            return span

        return await self._change(user, now, work, lambda match, _: timing.back(match, user, now) if shortened else ())

    async def guild_settings(self, guild: int) -> GuildSettings:
        """What has been asked for in that server."""
        return await kept.guild_settings(self._store.reader, guild)

    async def set_guild_settings(self, guild: int, settings: GuildSettings) -> None:
        """Notes what is asked for in a server. Raises BAD_LIMIT or TEXT_TOO_LONG."""
        checked = check_guild(settings)
        await self._store.transaction(lambda writer: kept.set_guild(writer, guild, checked))

    async def flag(self, match: Match) -> int | None:
        """When the player to move runs out of time, or of grace; None where no clock runs."""
        return timing.flag(match, await kept.people(self._store.reader, match.players))

    async def follow(self, match_id: int, guild: int, user: int, *, every_move: bool) -> None:
        """The user is told when the match ends, or at every move; replaces what he asked before."""

        async def work(writer: Writer) -> None:
            match = await self._load(writer, match_id, guild)
            if match.phase in (Phase.OVER, Phase.CLOSED):
                raise match.refusal(Problem.GAME_OVER)
            if user in (match.players or match.joined):
                raise match.refusal(Problem.FOLLOWS_OWN)
            others = [follow for follow in await kept.follows(writer, match_id) if follow.user != user]
            if len(others) >= MOST_FOLLOWERS:
                raise match.refusal(Problem.TOO_MANY_FOLLOWERS, most=MOST_FOLLOWERS)
            await kept.set_follow(writer, kept.Follow(match_id, user, every_move))

        await self._store.transaction(work)

    async def unfollow(self, match_id: int, guild: int, user: int) -> None:
        """The user is told no longer. Raises NOT_FOLLOWING."""

        async def work(writer: Writer) -> None:
            match = await self._load(writer, match_id, guild)
            if not await kept.end_follow(writer, match_id, user):
                raise match.refusal(Problem.NOT_FOLLOWING)

        await self._store.transaction(work)

    async def followers(self, match_id: int) -> tuple[kept.Follow, ...]:
        """Who follows the match."""
        return await kept.follows(self._store.reader, match_id)

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
            games = [await self._load(writer, match_id) for match_id in await kept.live_games(writer, user)]
            for number, match in enumerate(games):
                games[number] = await self._settle(
                    writer, match, lambda match, people: timing.charge(match, user, now, people)
                )
            result = await change(writer)
            for match in games:
                told = await self._settle(writer, match, tell)
                await writer.set_times(told, await kept.people(writer, told.players))
                changed.append(told)
            return result

        result = await self._store.transaction(work)
        for match in changed:
            self._remember(match)
        return result
