"""Announces ladders: challenges and their results, pairings, seasons, weeks. Each exactly once, and in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import discord

from bot.discordkit.fair_thread import Priority
from bot.discordkit.permissions import Obstacle, Trouble, is_public_place, obstacle_of, trouble_at
from bot.discordkit.reply import now, picture_file, pinging_only
from bot.ladder.entries import EntryKind
from bot.ladder.service import Ladders
from bot.ladder.standings import LadderDigest, LadderNews
from bot.ladder.telling import challenge_notice, digest_notice, other_notice
from bot.play.announcing.outbox import UNSENT_ERRORS, Outbox
from bot.play.announcing.requests import close_challenges, note_challenge
from bot.play.announcing.telling.notice import Notice
from bot.texts.sentences import alt_text
from render import View
from rules import VARIANTS

PUBLIC_ENTRIES = (EntryKind.SEASON_STARTED, EntryKind.SEASON_ENDED, EntryKind.DIGEST)
"""Entries that concern everybody and go to the announcements channel."""

FALLBACK_OBSTACLES = frozenset(Obstacle) - {Obstacle.OUTAGE}
"""The obstacles in the announcements channel for which an entry goes to the channel of the ladder's games."""


class LadderAnnouncer(Outbox[tuple[int, str], LadderNews]):
    """Posts what has happened on the ladder of a server and variant and has not been announced."""

    async def load_due(self, ladder: tuple[int, str]) -> Sequence[LadderNews]:
        """Returns the entries that have not been announced."""
        return await self._context.service.part(Ladders).ladder_news(*ladder)

    async def post_item(self, news: LadderNews) -> discord.Message | None:
        """Posts the entry in its channel; if the announcements channel does not take it, in the channel
        of the games.
        """
        first, *others = _channels_for(news)
        try:
            return await self._post_in(news, first)
        except UNSENT_ERRORS as error:
            if not others or obstacle_of(error) not in FALLBACK_OBSTACLES:
                raise
        return await self._post_in(news, others[0])

    async def mark_told(self, news: LadderNews, message: discord.Message | None, *, latest: bool) -> None:
        """Marks the entry as announced."""
        await self._context.service.part(Ladders).mark_announced(news.guild, news.variant, news.entry.seq)

    async def finish_subject(self, ladder: tuple[int, str], due: Sequence[LadderNews]) -> None:
        """Closes the challenges that no longer wait."""
        await close_challenges(self._context, *ladder)

    def trouble_with(self, news: LadderNews, error: Exception) -> Trouble:
        """Returns what kept the entry from being posted, in the last channel tried."""
        channels = _channels_for(news)
        where = channels[-1 if obstacle_of(error) in FALLBACK_OBSTACLES else 0]
        return trouble_at(self._context.client, news.guild, where, error)

    def log_fields(self, ladder: tuple[int, str]) -> dict[str, object]:
        """Returns the ladder for the log."""
        return {"guild": ladder[0], "ladder": ladder[1]}

    async def _post_in(self, news: LadderNews, channel: int) -> discord.Message | None:
        remark, files = await self._notice_and_files(news)
        if remark is None:
            return None
        pings, nonce = pinging_only(remark.ping), _news_nonce(news)
        message = await self._context.send_message(
            channel, remark.text, nonce, guild=news.guild, ping=pings, buttons=remark.buttons, files=files
        )
        if remark.buttons:
            await note_challenge(self._context, news, message)
        return message

    async def _notice_and_files(self, news: LadderNews) -> tuple[Notice | None, list[discord.File]]:
        """Returns the notice and its pictures; None for an entry that is out of date, or a week in which nothing
        happened.
        """
        locale, service = self._context.server_language(news.guild), self._context.service
        if news.entry.kind is EntryKind.CHALLENGED:
            waiting = await service.part(Ladders).challenge_waiting(news.guild, news.variant, news.entry.seq, now())
            return (challenge_notice(locale, news, waiting) if waiting else None), []
        if news.entry.kind is EntryKind.DIGEST:
            digest = await service.part(Ladders).week_digest(news.guild, news.variant, news.entry.seq)
            if digest.is_empty:
                return None, []
            digest = replace(digest, tables=await self._open_tables(news.guild, digest.tables))
            return digest_notice(locale, news, digest), await self._charge_picture(news.guild, digest)
        return other_notice(locale, news), []

    async def _charge_picture(self, guild: int, digest: LadderDigest) -> list[discord.File]:
        """Returns the board right after the longest charge of the week, with its path; no file if there was none."""
        charge = digest.charge
        if charge is None:
            return []
        service, locale = self._context.service, self._context.server_language(guild)
        match = await service.match_at(charge.match, guild, charge.ply)
        before = await service.match_at(charge.match, guild, charge.ply - 1)
        earlier, position = before.started_game.position, match.started_game.position
        over = match.started_game.outcome is not None
        bottom = self._context.servers.settings_of(guild).viewpoint.bottom_seat(match.variant, earlier.turn)
        view = View(position, bottom, charge.move, earlier, to_move=not over)
        words = alt_text(locale, match.id, match.ply, position, over=over, before=earlier, move=charge.move)
        return [
            picture_file(
                await self._context.pictures.draw_board(view, Priority.PUBLIC), f"game-{match.id}-{match.ply}", words
            )
        ]

    async def _open_tables(self, guild: int, tables: Sequence[int]) -> tuple[int, ...]:
        """Returns those of the tables that everybody could join; private ones are not advertised."""
        server, open_tables = self._context.client.get_guild(guild), []
        for number in tables:
            match = await self._context.service.current_match(number, guild)
            place = server.get_channel_or_thread(match.channel) if server else None
            if match.free_seats and place is not None and is_public_place(place):
                open_tables.append(number)
        return tuple(open_tables)


def _channels_for(news: LadderNews) -> Sequence[int]:
    """Returns the entry's channel, and the one to use if the first fails."""
    return list(
        dict.fromkeys((news.announcements, news.channel) if news.entry.kind in PUBLIC_ENTRIES else (news.channel,))
    )


def _news_nonce(news: LadderNews) -> str:
    """Returns the same nonce for the same news, so that Discord drops a post repeated after a crash; 25 characters at
    most.
    """
    return f"{news.guild:x}:{list(VARIANTS).index(news.variant)}:{news.entry.seq}"
