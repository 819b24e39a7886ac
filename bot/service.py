"""What people do with matches: one method, one transaction. Speaks in ids, raises MatchError and RulesError.

A match of another server is treated as one that does not exist.
"""

from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Literal

import structlog

from bot.events import Event, Opening, Seating
from bot.match import Match, Phase, Shuffle, match_at, open_table
from bot.news import News, news
from bot.preferences import VALUES, Preferences, parse_preferences
from bot.problems import MatchError, Problem
from bot.store import Post, Posts, Reader, Store, Summary, Writer
from rules import VARIANTS

_log = structlog.get_logger()

REMEMBERED = 256
"""Matches kept in memory, so that autocomplete need not replay them. A long one takes some 50 kB."""

LARGEST = 2**63 - 1
"""The largest number that the database can hold; people can type larger ones."""

SHUFFLE: Shuffle = random.SystemRandom().shuffle
"""How seats are drawn."""

Purpose = Literal["move", "view", "resign"]


class Service:
    """The matches in a store. Times are unix seconds; users, servers, channels and messages are Discord's ids."""

    def __init__(self, store: Store, shuffle: Shuffle = SHUFFLE) -> None:
        self._store = store
        self._shuffle = shuffle
        self._recent: OrderedDict[int, Match] = OrderedDict()

    # The table

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
    ) -> Match:
        """The new match: a table with its host, and seats reserved for those invited.

        `variant_key` is one of VARIANTS.
        """
        opening = Opening(guild, channel, VARIANTS[variant_key], seating, wants_thread, tuple(invited))
        events = open_table(opening, host, now)
        match_id = await self._store.transaction(lambda writer: writer.add(Match.replay(0, events), events))
        return self._remember(Match.replay(match_id, events))

    async def join(self, match_id: int, guild: int, user: int, now: int) -> Match:
        """The match with the user at the table; started, if he was the last."""
        return await self._decide(match_id, guild, lambda match: match.join(user, now, self._shuffle))

    async def leave(self, match_id: int, guild: int, user: int, now: int) -> Match:
        """The match without the user, his seat free for anyone."""
        return await self._decide(match_id, guild, lambda match: match.leave(user, now))

    async def decline(self, match_id: int, guild: int, user: int, now: int) -> Match:
        """The match with the seat that was reserved for the user free for anyone."""
        return await self._decide(match_id, guild, lambda match: match.decline(user, now))

    async def cancel(self, match_id: int, guild: int, user: int, now: int) -> Match:
        """The match, closed by its host."""
        return await self._decide(match_id, guild, lambda match: match.cancel(user, now))

    async def expire(self, now: int) -> list[int]:
        """The numbers of the tables that have waited in vain and are closed now."""
        expired = []
        for match_id in await self._store.reader.due(now):
            try:
                match = await self._decide(match_id, None, lambda match: match.expire(now))
            except Exception:  # noqa: BLE001 - one match that cannot be read must not keep the others open
                _log.exception("match did not expire", match=match_id)
            else:
                expired += [match_id] if match.phase is Phase.CLOSED else []
        return expired

    # The game

    async def move(self, match_id: int, guild: int, user: int, text: str, now: int, ply: int | None = None) -> Match:
        """The match after the user's move. `ply` is how many moves he had seen: STALE if there have been others."""
        return await self._decide(match_id, guild, lambda match: match.move(user, text, now, ply))

    async def resign(self, match_id: int, guild: int, user: int, now: int) -> Match:
        """The match after the user has left the game."""
        return await self._decide(match_id, guild, lambda match: match.resign(user, now))

    async def match(self, match_id: int, guild: int) -> Match:
        """The match as it stands."""
        return await self._load(self._store.reader, match_id, guild)

    async def match_at(self, match_id: int, guild: int, ply: int) -> Match:
        """The match as it stood right after that many moves; 0 is the start."""
        _, events = await self.history(match_id, guild)
        return match_at(match_id, events, ply)

    async def history(self, match_id: int, guild: int) -> tuple[Match, tuple[Event, ...]]:
        """The match as it stands, and its whole story."""
        match = await self._load(self._store.reader, match_id, guild)
        events = await self._store.reader.events(match_id)
        return match, events[: match.seq]

    # Finding games

    async def games_of(self, guild: int, user: int, *, live: bool = True) -> list[Summary]:
        """The user's games in that server: those that wait for him first, then the others, then those that are over."""
        return await self._store.reader.games_of(guild, user, live=live)

    async def which_game(self, guild: int, user: int, channel: int, number: int | None, purpose: Purpose) -> int:
        """The match that a command means: the one named, the thread's, or the one in the channel that fits.

        To move, that is the one waiting for the user; to resign, the one he plays; to view, also the only one there,
        or the last one that was. If he plays a single game in the whole server, it is meant too. Raises NO_GAMES or
        WHICH_GAME otherwise.
        """
        if number is not None:
            return (await self.match(number, guild)).id
        in_thread = await self._store.reader.in_thread(guild, channel)
        if in_thread is not None and (await self._load(self._store.reader, in_thread)).is_live:
            return in_thread
        own = [game for game in await self.games_of(guild, user) if user not in game.resigned or purpose == "view"]
        here = [game for game in own if game.channel == channel]
        if purpose == "move":
            here = [game for game in here if game.to_move == user] or here
        elif purpose == "view" and not here:
            played = await self._store.reader.games_in(guild, channel)
            here = [game for game in played if game.phase is Phase.LIVE] or played[:1]
            if in_thread is not None and not here:
                return in_thread
        for games in (here, own):
            if len(games) == 1:
                return games[0].id
        candidates = own or here
        if not candidates:
            raise MatchError(Problem.NO_GAMES)
        raise MatchError(Problem.WHICH_GAME, candidates=[game.id for game in candidates])

    # What has been posted

    async def set_thread(self, match_id: int, thread: int | None, now: int) -> Match:
        """The match, going on in that thread, or without one in its channel."""
        return await self._decide(match_id, None, lambda match: match.threaded(thread, now))

    async def set_table_message(self, match_id: int, channel: int, message: int) -> None:
        """Notes which message shows the table."""
        await self._store.transaction(lambda writer: writer.set_table_post(match_id, Post(channel, message)))

    async def posts(self, match_id: int) -> Posts:
        """The messages of a match that carry buttons: the table's, and the latest turn's."""
        return await self._store.reader.posts(match_id)

    async def news(self, match_id: int) -> tuple[News, ...]:
        """What the players have not been told of yet."""
        head = await self._store.reader.head(match_id)
        if head is None:
            raise MatchError(Problem.NO_SUCH_GAME, number=match_id)
        if head.newsworthy <= head.announced:
            return ()
        return news(match_id, await self._store.reader.events(match_id), head.announced)

    async def mark_announced(
        self, match_id: int, seq: int, message: int | None = None, channel: int | None = None
    ) -> None:
        """Notes that the players have been told of everything up to that event.

        `message` shows the latest turn now, in the channel in which the match is played unless another is named.
        """

        async def work(writer: Writer) -> None:
            await writer.mark_announced(match_id, seq)
            if message is not None:
                where = channel or (await self._load(writer, match_id)).where
                await writer.set_turn_post(match_id, Post(where, message))

        await self._store.transaction(work)

    async def unannounced(self) -> list[int]:
        """The matches of which there is something to tell."""
        return await self._store.reader.unannounced()

    async def meta(self, key: str) -> str | None:
        """What was noted under that key; None if nothing was."""
        return await self._store.reader.meta(key)

    async def set_meta(self, key: str, value: str) -> None:
        """Notes a value that concerns no match, in the place of an earlier one."""
        await self._store.transaction(lambda writer: writer.set_meta(key, value))

    # What people have set for themselves

    async def preferences(self, user: int) -> Preferences:
        """The user's settings, the same in every server."""
        return parse_preferences(await self._store.reader.preferences(user))

    async def set_preference(self, user: int, key: str, value: str) -> None:
        """Notes one of the user's settings: a key of `bot.preferences.VALUES` and one of its values."""
        assert value in VALUES[key], (key, value)
        await self._store.transaction(lambda writer: writer.set_preference(user, key, value))

    # The way to the store

    async def _decide(self, match_id: int, guild: int | None, decide: Callable[[Match], tuple[Event, ...]]) -> Match:
        """The match after what `decide` makes of it. No guild: whatever server it is in."""

        async def work(writer: Writer) -> Match:
            match = await self._load(writer, match_id, guild)
            events = decide(match)
            for event in events:
                match = match.apply(event)
            await writer.append(match, events)
            return match

        return self._remember(await self._store.transaction(work))

    async def _load(self, reader: Reader, match_id: int, guild: int | None = None) -> Match:
        """The match as it stands for that reader: from memory, if it has not gone on since."""
        head = await reader.head(match_id) if 0 < match_id <= LARGEST else None
        match = self._recent.get(match_id)
        if head and not (match and match.seq == head.seq):
            match = Match.replay(match_id, await reader.events(match_id))
            # What a transaction sees may yet be undone, and another event get the same number.
            if not isinstance(reader, Writer):
                self._remember(match)
        if not head or not match or guild not in (None, match.guild):
            raise MatchError(Problem.NO_SUCH_GAME, number=match_id)
        return match

    def _remember(self, match: Match) -> Match:
        """The match, kept in the place of one used longest ago."""
        self._recent[match.id] = match
        self._recent.move_to_end(match.id)
        if len(self._recent) > REMEMBERED:
            self._recent.popitem(last=False)
        return match
