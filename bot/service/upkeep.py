"""What happens by itself, and what has been posted."""

from __future__ import annotations

import structlog

from bot.match import timing
from bot.match.events import EventKind
from bot.match.match import Match
from bot.match.news import News, news
from bot.match.results import Post
from bot.people.problems import MatchError, Problem
from bot.service.loading import Loader
from bot.store import Posts, Writer
from bot.store.people import live_games, people

_log = structlog.get_logger()


class Upkeep(Loader):
    """The tick, the news, and the messages."""

    async def tick(self, now: int) -> list[Match]:
        """The matches to which something has happened by itself: late or doubled, it gives the same result."""
        changed = []
        for match_id in await self._store.reader.due(now):
            try:
                match = await self._tick(match_id, now)
            except Exception:  # noqa: BLE001 - one match that cannot be read must not keep the others waiting
                _log.exception("match not ticked", match=match_id)
            else:
                changed += [match] if match else []
        return changed

    async def _tick(self, match_id: int, now: int) -> Match | None:
        """The match after what is due; None where nothing was, and the note of when something is has been put right."""

        async def work(writer: Writer) -> Match | None:
            before = await self._load(writer, match_id)
            after = await self._settle(writer, before, lambda match, known: timing.tick(match, known, now))
            if after is not before:
                return after
            await writer.set_times(before, await people(writer, before.players))
            return None

        match = await self._store.transaction(work)
        return self._remember(match) if match else None

    async def set_table_message(self, match_id: int, channel: int, message: int) -> None:
        """Notes which message shows the table."""
        await self._store.transaction(lambda writer: writer.set_table_post(match_id, Post(channel, message)))

    async def posts(self, match_id: int) -> Posts:
        """The messages of a match that carry buttons: the table's, and the latest turn's."""
        return await self._store.reader.posts(match_id)

    async def news(self, match_id: int) -> tuple[News, ...]:
        """What the players have not been told of yet."""
        head, fresh = await self._store.reader.untold(match_id)
        if head is None:
            raise MatchError(Problem.NO_SUCH_GAME, number=match_id)
        if head.newsworthy <= head.announced:
            return ()
        match = await self._load(self._store.reader, match_id, head=head)
        known = await people(self._store.reader, match.players)
        recent = self._recent.get(match_id)
        told_before = recent.before if recent else None
        # Other events than moves may belong to what has been told before.
        if told_before and told_before.seq == head.announced and fresh and fresh[0].kind is EventKind.MOVED:
            return news(match_id, fresh, head.announced, known, told_before)
        return news(match_id, await self._store.reader.events(match_id), head.announced, known)

    async def mark_announced(
        self, match_id: int, seq: int, message: int | None = None, channel: int | None = None
    ) -> Post | None:
        """Notes that the players have been told of everything up to that event.

        `message` shows the latest turn now, in the channel in which the match is played unless another is named.
        Returns the message that showed it before.
        """

        async def work(writer: Writer) -> Post | None:
            shown = (await writer.posts(match_id)).turn
            await writer.mark_announced(match_id, seq)
            if message is not None:
                where = channel or (await self._load(writer, match_id)).where
                await writer.set_turn_post(match_id, Post(where, message))
            return shown

        return await self._store.transaction(work)

    async def unannounced(self) -> list[int]:
        """The matches of which there is something to tell."""
        return await self._store.reader.unannounced()

    async def reminded_match(self, match_id: int, guild: int | None, user: int) -> Match:
        """The match of which the user has been reminded; without a server, only where he plays in it."""
        match = await self._load(self._store.reader, match_id, guild)
        if guild is None and user not in match.players:
            raise MatchError(Problem.NO_SUCH_GAME, number=match_id)
        return match

    async def games_on(self, user: int) -> list[int]:
        """The matches that are on in which the user has a seat, in all servers."""
        return await live_games(self._store.reader, user)

    async def meta(self, key: str) -> str | None:
        """What was noted under that key; None if nothing was."""
        return await self._store.reader.meta(key)

    async def set_meta(self, key: str, value: str | None) -> None:
        """Notes a value, in the place of an earlier one; None takes it away."""
        await self._store.transaction(lambda writer: writer.set_meta(key, value))
