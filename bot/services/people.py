"""What people and servers ask for, who follows what, and what is kept of whom."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, TypeVar

from bot import store_people as kept
from bot.clock import Span
from bot.events import Event
from bot.match import Match, Phase
from bot.matches import table, timing, turns
from bot.matches.turns import People
from bot.problems import Problem
from bot.services.loading import Decision, Loader
from bot.settings import GuildSettings, Person, UserSettings, check_guild, check_user, stopped, vacation
from bot.store import Writer
from rules.record import format_record

T = TypeVar("T")


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
        """Notes what the person asks for; his clocks go by it from now on. Raises NO_SUCH_ZONE or BAD_SLEEP."""
        check_user(settings)
        await self._change(user, now, lambda writer: kept.set_user(writer, user, settings))

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
        """The vacation that was on, as it is now: a day at least. Raises NOT_AWAY."""

        async def work(writer: Writer) -> Span:
            known = (await kept.people(writer, (user,))).get(user, Person())
            _, span = stopped(known.vacations, now)
            await kept.add_vacation(writer, user, span)
            return span

        return await self._change(user, now, work, lambda match, _: timing.back(match, user, now))

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


class Privacy(Loader):
    """What is kept of a person."""

    async def export(self, user: int) -> dict[str, Any]:
        """Everything that is kept of a user, ready for JSON: settings, what he has done, records of his games."""
        reader = self._store.reader
        known = (await kept.people(reader, (user,))).get(user)
        games = [await self._load(reader, match_id) for match_id in await kept.named_in(reader, user)]
        settings = asdict(known.settings) | {"reminders": known.settings.reminders.value} if known else None
        return {
            "user": str(user),
            "settings": settings,
            "vacations": [list(span) for span in known.vacations] if known else [],
            "follows": [
                {"match": follow.match, "every_move": follow.every_move}
                for follow in await kept.followed_by(reader, user)
            ],
            "games": [_exported(match, user) for match in games],
            "acts": await kept.acts_of(reader, user),
        }

    async def forget(self, user: int, now: int) -> list[int]:
        """The numbers of the matches in which the user is now nobody; the rest that was kept of him is deleted.

        Games that are on, he leaves first; tables, too.
        """

        async def work(writer: Writer) -> list[int]:
            named = await kept.named_in(writer, user)
            for match_id in named:
                match = await self._load(writer, match_id)
                await self._settle(writer, match, lambda match, people: _gone(match, user, now, people))
                await kept.anonymise(writer, match_id, user)
            await kept.forget_settings(writer, user)
            return named

        named = await self._store.transaction(work)
        for match_id in named:
            self._recent.pop(match_id, None)  # its number of events is the same, and what they say is not
        return named


def _gone(match: Match, user: int, now: int, people: People) -> tuple[Event, ...]:
    """What has to happen so that a match can go on without that user."""
    if match.phase is Phase.OPEN and now < match.expires:
        if user == match.host:
            return table.cancel(match, user, now)
        if user in match.joined:
            return table.leave(match, user, now)
        return table.decline(match, user, now) if user in match.invited else ()
    return turns.resign(match, user, now, people) if user in match.still_in else ()


def _exported(match: Match, user: int) -> dict[str, Any]:
    headers = {"game": str(match.id), "opened": datetime.fromtimestamp(match.created, UTC).date().isoformat()}
    seat = match.seat_of(user)
    return {
        "match": match.id,
        "server": str(match.guild),
        "variant": match.variant.key,
        "colour": match.variant.armies[seat].colour if seat is not None else None,
        "phase": match.phase.value,
        "record": format_record(match.game, headers) if match.game else None,
    }
