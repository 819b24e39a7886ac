"""Telling of ladders: challenges and what became of them, pairings, seasons, weeks. Each exactly once, and in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import discord

from bot.kit.fair_thread import Priority
from bot.kit.permissions import Obstacle, Trouble, is_open, obstacle_of, trouble_at
from bot.kit.reply import calling, now, picture
from bot.ladder.entries import EntryKind
from bot.ladder.standings import Digest, LadderNews
from bot.posting.outbox import UNSENT, Outbox
from bot.posting.requests import clear_challenges, note_challenge
from bot.posting.telling.ladder import challenge_notice, digest_notice, other_notice
from bot.posting.telling.notice import Notice
from bot.texts.sentences import alt_text
from render import View
from rules import VARIANTS

PUBLIC = (EntryKind.SEASON_STARTED, EntryKind.SEASON_ENDED, EntryKind.DIGEST)
"""What concerns everybody, and is told in the announcements channel."""

ELSEWHERE = frozenset(Obstacle) - {Obstacle.OUTAGE}
"""Where these keep something from the announcements channel, it is told where the ladder's games are."""


class LadderAnnouncer(Outbox[tuple[int, str], LadderNews]):
    """Posts what has happened on the ladder of a server and variant and not been told yet."""

    async def due(self, ladder: tuple[int, str]) -> Sequence[LadderNews]:
        """The entries that have not been told."""
        return await self._desk.service.ladders.news(*ladder)

    async def post(self, news: LadderNews) -> discord.Message | None:
        """Post it where it belongs; on trouble with the announcements channel, where the games are."""
        first, *others = _channels(news)
        try:
            return await self._post_in(news, first)
        except UNSENT as error:
            if not others or obstacle_of(error) not in ELSEWHERE:
                raise
        return await self._post_in(news, others[0])

    async def mark(self, news: LadderNews, message: discord.Message | None, *, latest: bool) -> None:
        """Note that it is told."""
        await self._desk.service.ladders.mark_announced(news.guild, news.variant, news.entry.seq)

    async def finish(self, ladder: tuple[int, str], due: Sequence[LadderNews]) -> None:
        """Close the challenges that wait no longer."""
        await clear_challenges(self._desk, *ladder)

    def trouble(self, news: LadderNews, error: Exception) -> Trouble:
        """What has kept it from being posted, in the last channel that was tried."""
        channels = _channels(news)
        where = channels[-1 if obstacle_of(error) in ELSEWHERE else 0]
        return trouble_at(self._desk.client, news.guild, where, error)

    def named(self, ladder: tuple[int, str]) -> dict[str, object]:
        """What the log calls it."""
        return {"guild": ladder[0], "ladder": ladder[1]}

    async def _post_in(self, news: LadderNews, channel: int) -> discord.Message | None:
        said, files = await self._words(news)
        if said is None:
            return None
        called, nonce = calling(said.ping), _nonce(news)
        message = await self._desk.send(
            channel, said.text, nonce, guild=news.guild, ping=called, buttons=said.buttons, files=files
        )
        if said.buttons:
            await note_challenge(self._desk, news, message)
        return message

    async def _words(self, news: LadderNews) -> tuple[Notice | None, list[discord.File]]:
        """What to say of it, with its pictures; None where it is overtaken, or a week in which nothing happened."""
        locale, service = self._desk.language(news.guild), self._desk.service
        if news.entry.kind is EntryKind.CHALLENGED:
            waiting = await service.ladders.challenge_waiting(news.guild, news.variant, news.entry.seq, now())
            return (challenge_notice(locale, news, waiting) if waiting else None), []
        if news.entry.kind is EntryKind.DIGEST:
            digest = await service.ladders.digest(news.guild, news.variant, news.entry.seq)
            if digest.empty:
                return None, []
            digest = replace(digest, tables=await self._open_tables(news.guild, digest.tables))
            return digest_notice(locale, news, digest), await self._charge(news.guild, digest)
        return other_notice(locale, news), []

    async def _charge(self, guild: int, digest: Digest) -> list[discord.File]:
        """The board right after the longest charge of the week, with its path."""
        charge = digest.charge
        if charge is None:
            return []
        service, locale = self._desk.service, self._desk.language(guild)
        match = await service.match_at(charge.match, guild, charge.ply)
        before = await service.match_at(charge.match, guild, charge.ply - 1)
        earlier, position = before.started_game.position, match.started_game.position
        over = match.started_game.outcome is not None
        view = View(position, earlier.turn, charge.move, earlier, to_move=not over)
        words = alt_text(locale, match.id, match.ply, position, over=over, before=earlier, move=charge.move)
        return [picture(await self._desk.pictures.draw(view, Priority.PUBLIC), f"game-{match.id}-{match.ply}", words)]

    async def _open_tables(self, guild: int, tables: Sequence[int]) -> tuple[int, ...]:
        """Those of the tables at which everybody could sit down: the others are nobody else's business."""
        server, found = self._desk.client.get_guild(guild), []
        for number in tables:
            match = await self._desk.service.match(number, guild)
            place = server.get_channel_or_thread(match.channel) if server else None
            if match.free_seats and place is not None and is_open(place):
                found.append(number)
        return tuple(found)


def _channels(news: LadderNews) -> Sequence[int]:
    """Where it belongs, and where it is posted if that cannot be."""
    return list(dict.fromkeys((news.announcements, news.channel) if news.entry.kind in PUBLIC else (news.channel,)))


def _nonce(news: LadderNews) -> str:
    """The same for the same news, so that Discord drops what a crash makes us post again; 25 characters at most."""
    return f"{news.guild:x}:{list(VARIANTS).index(news.variant)}:{news.entry.seq}"
