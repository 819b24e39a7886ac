"""What those need who watch over a server's games: referees, followers, and whoever looks for a lost game."""

from __future__ import annotations

from bot.match.events import REFEREED
from bot.match.refereeing import Ruling, rulings
from bot.match.results import Post, Summary
from bot.people.settings import GuildSettings
from bot.service.loading import Loader
from bot.store import people as people_store
from bot.store import upkeep as upkeep_store


class Oversight(Loader):
    """Games by server, by follower and by place; the audit; the settings of all servers."""

    async def games_at(self, guild: int, *, live: bool = True) -> list[Summary]:
        """The started games of a server, whoever plays them: those that are on first."""
        return await upkeep_store.games_at(self._store.reader, guild, live=live)

    async def followed(self, guild: int, user: int) -> list[Summary]:
        """The games in that server which the user follows."""
        follows = await people_store.followed_by(self._store.reader, user)
        return await upkeep_store.started(self._store.reader, guild, [follow.match for follow in follows])

    async def played_in(self, guild: int, place: int) -> list[int]:
        """The numbers of the open tables and live games of a channel or thread."""
        return await upkeep_store.played_in(self._store.reader, guild, place)

    async def note_turn_message(self, match_id: int, channel: int, message: int) -> None:
        """Notes which message has the buttons of the present turn, where that is not a new board."""
        await self._store.transaction(lambda writer: writer.set_turn_post(match_id, Post(channel, message)))

    async def unaudited(self, match_id: int) -> tuple[Ruling, ...]:
        """The acts of referees in a match that the audit channel has not been told of."""
        reader = self._store.reader
        since = await upkeep_store.unaudited_since(reader, match_id, REFEREED)
        # Asked behind every move, and nearly always in vain.
        return () if since is None else rulings(match_id, await reader.events(match_id), since)

    async def mark_audited(self, match_id: int, seq: int) -> None:
        """Notes that the audit channel has been told of everything up to that event."""
        await self._store.transaction(lambda writer: upkeep_store.mark_audited(writer, match_id, seq))

    async def all_guild_settings(self) -> dict[int, GuildSettings]:
        """What has been asked for, by server; those where nothing has are left out."""
        return await upkeep_store.all_guild_settings(self._store.reader)
