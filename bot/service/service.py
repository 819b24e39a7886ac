"""What people do with matches: one method, one transaction. Speaks in ids, raises MatchError and RulesError.

A match of another server is treated as one that does not exist.
"""

from __future__ import annotations

from typing import Literal

from bot.match.events import Event
from bot.match.match import Match, Phase, match_at
from bot.match.results import Summary
from bot.people.problems import MatchError, Problem
from bot.service.archive import Archive
from bot.service.ladder_watch import LadderWatch
from bot.service.loading import REMEMBERED, SHUFFLE
from bot.service.oversight import Oversight
from bot.service.people import Habitual
from bot.service.playing import Playing
from bot.service.privacy import Privacy
from bot.service.profiles import Profiles
from bot.service.tables import Tables
from bot.service.upkeep import Upkeep

__all__ = ["REMEMBERED", "SHUFFLE", "Purpose", "Service"]

Purpose = Literal["move", "view", "resign"]


class Service(Tables, Playing, Upkeep, Habitual, Privacy, Oversight, LadderWatch, Profiles, Archive):
    """The matches in a store. Times are unix seconds; users, servers, channels and messages are Discord's ids."""

    # Looking at games

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
