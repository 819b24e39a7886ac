"""The posts about rulings of referees: to the players, and in the audit channel."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import discord

from bot.core.match import Match
from bot.discordkit.permissions import Trouble, trouble_at
from bot.leagues import rows, ruling_rows
from bot.leagues.league import League
from bot.leagues.ruling_rows import Audience, LeagueRuling
from bot.leagues.words import league_name
from bot.play.announcing.outbox import Outbox
from bot.play.context import Post, pinging_only
from bot.play.service.matches import ServicePart
from bot.texts.i18n import Language, join_list, text
from bot.texts.markup import absolute_time, escape_markup
from bot.texts.people import mention_user, mention_users
from rules import Seat


class DueRuling(NamedTuple):
    """A ruling that has to be posted."""

    ruling: LeagueRuling
    match: Match
    league: League
    audience: Audience


class Rulings(ServicePart):
    """The rulings that have to be posted."""

    async def matches_ruled(self) -> list[int]:
        """Returns the matches about which a ruling has to be posted."""
        return await ruling_rows.matches_ruled(self._reader)

    async def rulings_due(self, number: int) -> list[DueRuling]:
        """Returns what has to be posted about a match, in order."""
        match = await self._matches.load_match(self._reader, number)
        due = list[DueRuling]()
        for ruling, audiences in await ruling_rows.rulings_due(self._reader, number):
            league = await rows.load_league(self._reader, ruling.league)
            assert league is not None, ruling
            due += [DueRuling(ruling, match, league, audience) for audience in audiences]
        return due

    async def mark_posted(self, due: DueRuling) -> None:
        """Notes that a ruling has been posted for an audience, or cannot be."""
        async with self._store.write_transaction() as tx:
            await ruling_rows.note_posted(tx, due.ruling, due.audience)


class RulingAnnouncer(Outbox[int, DueRuling]):
    """Posts rulings where the game is played, and enters them in the audit channel.

    A post that Discord refuses is given up, like posts about other acts of referees. **Games** shows how the
    game counts.
    """

    async def due_subjects(self) -> Sequence[tuple[Hashable, int]]:
        """Returns the matches with rulings to post, each with its lane."""
        return [(("ruling", match), match) for match in await self._context.service.part(Rulings).matches_ruled()]

    async def load_due(self, match: int) -> Sequence[DueRuling]:
        """Returns what has not been posted, in order."""
        return await self._context.service.part(Rulings).rulings_due(match)

    async def post_item(self, due: DueRuling) -> discord.Message | None:
        """Posts a ruling. Returns None if the server has no audit channel."""
        channel, ruling, match = self._channel_of(due), due.ruling, due.match
        if channel is None:
            return None
        locale = self._context.server_language(ruling.guild)
        to_players = due.audience == "players"
        return await self.send_post(
            Post(
                channel=channel,
                guild=ruling.guild,
                content=ruling_text(locale, due),
                nonce=f"{due.audience[0]}r{match.id:x}:{ruling.at:x}",
                ping=pinging_only(match.players if to_players else ()),
            )
        )

    async def mark_told(self, due: DueRuling, message: discord.Message | None, *, latest: bool) -> None:
        """Marks the ruling as posted there."""
        await self._context.service.part(Rulings).mark_posted(due)

    def trouble_with(self, due: DueRuling, error: Exception) -> Trouble:
        """Returns what keeps the ruling from being posted."""
        return trouble_at(self._context.client, due.ruling.guild, self._channel_of(due) or 0, error)

    def gives_up(self, trouble: Trouble) -> bool:
        """True unless a later try may succeed."""
        return not trouble.obstacle.is_temporary

    def log_fields(self, match: int) -> dict[str, object]:
        """Returns the ruling for the log."""
        return {"league_ruling": match}

    def _channel_of(self, due: DueRuling) -> int | None:
        if due.audience == "players":
            return due.match.thread_or_channel
        return self._context.servers.settings_of(due.ruling.guild).audit


def ruling_text(locale: Language, due: DueRuling) -> str:
    """Returns how a game counts, who decided so, and why."""
    ruling, match = due.ruling, due.match
    return text(
        locale,
        "league.ruled" if due.audience == "players" else "league.ruled-entry",
        id=match.id,
        at=absolute_time(ruling.at),
        where=f"<#{match.thread_or_channel}>",
        players=join_list(locale, mention_users(locale, match.players)),
        league=league_name(locale, due.league),
        winner=winner_phrase(locale, match, ruling.winner),
        referee=mention_user(ruling.referee, locale),
        reason=escape_markup(ruling.reason, len(ruling.reason)),
    )


def winner_phrase(locale: Language, match: Match, winner: Seat | None) -> str:
    """Returns the person to whom a ruling gives the win, or "a draw"."""
    return text(locale, "league.a-draw") if winner is None else mention_user(match.players[winner], locale)
