"""Tables, and places where matches are played."""

from __future__ import annotations

from collections.abc import Sequence

from bot.match import table
from bot.match.events import Opening, Seating
from bot.match.match import Match
from bot.people.clock import Pace
from bot.service.limits import require_allowed, require_room, room_for
from bot.service.loading import Loader
from bot.store import Writer
from bot.store.people import guild_settings
from rules import VARIANTS


class Tables(Loader):
    """What people do before a game begins, and where it is played."""

    async def open_table(
        self,
        guild: int,
        channel: int,
        host: int,
        variant_key: str,
        invited: Sequence[int],
        seating: Seating,
        wants_thread: bool,
        now: int,
        *,
        pace: Pace | None = None,
        ladder: bool = False,
        vacations: bool = True,
        parent: int | None = None,
    ) -> Match:
        """The new match: a table with its host, and seats reserved for those invited.

        `variant_key` is one of VARIANTS. No pace: the server's. Whether the game gets a thread, the server may have
        settled for everybody. `parent`: the channel whose thread `channel` is, if it is one. Raises also
        CHANNEL_NOT_ALLOWED, TOO_MANY_OPEN and TOO_MANY_LIVE.
        """

        async def work(writer: Writer) -> Match:
            settings = await guild_settings(writer, guild)
            require_allowed(settings, channel, parent)
            await require_room(writer, settings, guild, host)
            threaded = settings.threads.given(asked=wants_thread)
            variant, terms = VARIANTS[variant_key], pace or settings.pace
            opening = Opening(guild, channel, variant, seating, threaded, tuple(invited), terms, ladder, vacations)
            events = table.open_table(opening, host, now)
            match_id = await writer.add(Match.replay(0, events), events)
            return Match.replay(match_id, events)

        return self._remember(await self._store.transaction(work))

    async def join(self, match_id: int, guild: int, user: int, now: int) -> Match:
        """The match with the user at the table; started, if he was the last. Raises also TOO_MANY_LIVE."""
        return await self._decide(
            match_id, guild, lambda match, _: table.join(match, user, now, self._shuffle), room_for(user)
        )

    async def leave(self, match_id: int, guild: int, user: int, now: int) -> Match:
        """The match without the user, his seat free for anyone."""
        return await self._decide(match_id, guild, lambda match, _: table.leave(match, user, now))

    async def decline(self, match_id: int, guild: int, user: int, now: int) -> Match:
        """The match with the seat that was reserved for the user free for anyone."""
        return await self._decide(match_id, guild, lambda match, _: table.decline(match, user, now))

    async def cancel(self, match_id: int, guild: int, user: int, now: int) -> Match:
        """The match, closed by its host."""
        return await self._decide(match_id, guild, lambda match, _: table.cancel(match, user, now))

    async def set_thread(self, match_id: int, thread: int | None, now: int) -> Match:
        """The match, going on in that thread, or without one in its channel."""
        return await self._decide(match_id, None, lambda match, _: table.threaded(match, thread, now))

    async def set_homeless(self, match_id: int, now: int) -> Match:
        """The match, of which it is known now that the bot can no longer post where it is played."""
        return await self._decide(match_id, None, lambda match, _: table.homeless(match, now))

    async def move_here(
        self,
        match_id: int,
        guild: int,
        user: int,
        channel: int,
        now: int,
        thread: int | None = None,
        *,
        parent: int | None = None,
    ) -> Match:
        """The match, taken to that channel, or to a thread of it, by a player. Raises also CHANNEL_NOT_ALLOWED.

        `parent`: the channel whose thread `channel` is, if it is one.
        """

        async def check(writer: Writer, match: Match) -> None:
            require_allowed(await guild_settings(writer, match.guild), channel, parent)

        return await self._decide(
            match_id, guild, lambda match, _: table.move_here(match, user, channel, now, thread), check
        )
