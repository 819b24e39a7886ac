"""Announces the news of ladders exactly once and in order: challenges and their results, pairings, seasons."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

import discord

from bot.core.match import Match
from bot.core.ratings import RatingEffects, UndoneEffects
from bot.discordkit.permissions import Obstacle, Trouble, obstacle_of, trouble_at, trouble_in
from bot.discordkit.reply import now
from bot.ladder.display import LadderNews
from bot.ladder.entries import EntryKind
from bot.ladder.service import Ladders
from bot.ladder.telling import challenge_notice, other_notice
from bot.ladder.words import LADDER_RULE_VALUES, with_ladder_lines, with_undone_steps
from bot.play.announcing.outbox import UNSENT_ERRORS, Outbox, Post
from bot.play.announcing.pinging import pinging_only
from bot.play.announcing.requests import close_messages, load_requests, note_message
from bot.play.announcing.telling.notice import Notice
from bot.play.context import BotContext
from bot.texts.i18n import Language, text
from rules import VARIANTS

PUBLIC_ENTRIES = (EntryKind.SEASON_STARTED, EntryKind.SEASON_ENDED)
"""Entries that concern everybody and go to the announcements channel."""

FALLBACK_OBSTACLES = frozenset(Obstacle) - {Obstacle.OUTAGE}
"""If one of these obstacles is in the announcements channel, an entry goes to the channel of the ladder's games."""


CHALLENGE_END_KEYS = {
    EntryKind.ACCEPTED: "ladder.challenge-end.accepted",
    EntryKind.REFUSED: "ladder.challenge-end.refused",
    EntryKind.LAPSED: "ladder.challenge-end.lapsed",
    EntryKind.LEFT: "ladder.challenge-end.left",
}
"""The sentence below a challenge, by the entry that ended it."""


class LadderAnnouncer(Outbox[tuple[int, str], LadderNews]):
    """Posts the unannounced news of the ladder of a server and variant."""

    async def due_subjects(self) -> Sequence[tuple[Hashable, tuple[int, str]]]:
        """Returns the ladders with something to announce. Each is its own lane."""
        return [(ladder, ladder) for ladder in await self._context.service.part(Ladders).unannounced_ladders()]

    async def load_due(self, ladder: tuple[int, str]) -> Sequence[LadderNews]:
        """Returns the entries that have not been announced."""
        return await self._context.service.part(Ladders).ladder_news(*ladder)

    async def post_item(self, news: LadderNews) -> discord.Message | None:
        """Posts the entry in its channel, or in the channel of the games if the announcements channel fails."""
        remark = await self._notice_of(news)
        if remark is None:
            return None
        first, *others = _channels_for(news)
        post = Post(
            channel=first,
            guild=news.guild,
            content=remark.text,
            nonce=_news_nonce(news),
            ping=pinging_only(remark.ping),
            buttons=remark.buttons,
        )
        try:
            message = await self.send_post(post)
        except UNSENT_ERRORS as error:
            if not others or obstacle_of(error) not in FALLBACK_OBSTACLES:
                raise
            message = await self.send_post(replace(post, channel=others[0]))
        if remark.buttons:
            await note_message(self._context, _requests_key(news.guild, news.variant), news.entry.seq, 0, message)
        return message

    async def mark_told(self, news: LadderNews, message: discord.Message | None, *, latest: bool) -> None:
        """Marks the entry as announced."""
        await self._context.service.part(Ladders).mark_announced(news.guild, news.variant, news.entry.seq)

    async def finish_subject(self, ladder: tuple[int, str], due: Sequence[LadderNews]) -> None:
        """Closes the messages of challenges that no longer wait."""
        await _close_challenges(self._context, *ladder)

    def trouble_with(self, news: LadderNews, error: Exception) -> Trouble:
        """Returns what kept the entry from being posted, in the last channel tried."""
        channels = _channels_for(news)
        where = channels[-1 if obstacle_of(error) in FALLBACK_OBSTACLES else 0]
        return trouble_at(self._context.client, news.guild, where, error)

    def log_fields(self, ladder: tuple[int, str]) -> dict[str, object]:
        """Returns the ladder for the log."""
        return {"guild": ladder[0], "ladder": ladder[1]}

    async def _notice_of(self, news: LadderNews) -> Notice | None:
        """Returns the notice; None if the entry is out of date or stands elsewhere."""
        locale, service = self._context.server_language(news.guild), self._context.service
        if news.entry.kind is EntryKind.CHALLENGED:
            waiting = await service.part(Ladders).challenge_waiting(news.guild, news.variant, news.entry.seq, now())
            return challenge_notice(locale, news, waiting) if waiting else None
        if news.entry.kind is EntryKind.ACCEPTED:  # the challenge's message says so, and the board mentions both
            return None
        return other_notice(locale, news)


def _channels_for(news: LadderNews) -> Sequence[int]:
    """Returns the entry's channel, followed by the one to use if that fails."""
    return list(
        dict.fromkeys((news.announcements, news.channel) if news.entry.kind in PUBLIC_ENTRIES else (news.channel,))
    )


def _news_nonce(news: LadderNews) -> str:
    """Returns a nonce of at most 25 characters, equal for equal news, so that Discord drops repeated posts."""
    return f"{news.guild:x}:{list(VARIANTS).index(news.variant)}:{news.entry.seq}"


def _requests_key(guild: int, variant: str) -> str:
    return f"asks:{guild}:{variant}"


async def _close_challenges(context: BotContext, guild: int, variant: str) -> None:
    """Removes the buttons of challenges that no longer wait, and adds a sentence on how each ended."""
    key = _requests_key(guild, variant)
    requests = await load_requests(context, key)
    ends = await context.service.part(Ladders).challenges_ended(guild, variant, [request.event for request in requests])
    locale = context.server_language(guild)
    over = {request: ends[request.event] for request in requests if request.event in ends}
    words = {
        request: text(locale, CHALLENGE_END_KEYS[end.kind], id=sum(end.matches), **LADDER_RULE_VALUES) if end else ""
        for request, end in over.items()
    }
    await close_messages(context, key, words)


async def announce_first(context: BotContext, match: Match) -> None:
    """Announces the ladder news that led to a ladder game, before its first board."""
    if match.ladder:
        await context.outbox(LadderAnnouncer).announce_subject((match.guild, match.variant.key))


async def ladder_result_lines(
    context: BotContext, locale: Language, match: Match, ratings: RatingEffects, lines: list[str]
) -> list[str]:
    """Returns the lines and one about the rungs that the end of a ladder game has changed."""
    effects = await context.service.part(Ladders).effects_of(match)
    return with_ladder_lines(locale, lines, ratings.unrated, effects)


def ladder_undone_lines(locale: Language, undone: UndoneEffects, lines: list[str]) -> list[str]:
    """Returns the lines and one about the rungs that annulling a ladder game has changed."""
    return with_undone_steps(locale, lines, undone.steps)


async def note_shut_ladders(context: BotContext, now: int) -> None:
    """Notes whether challenges wait in channels where the bot may not post, because their time does not run then."""

    def is_ladder_shut(server: int, channel: int) -> bool | None:
        guild = context.client.get_guild(server)
        if guild is None or guild.unavailable:  # counts as an absence already
            return None
        place = guild.get_channel_or_thread(context.servers.settings_of(server).ladder_channel or channel)
        return place is None or trouble_in(guild, place) is not None

    await context.service.part(Ladders).note_shut(is_ladder_shut, now)


async def tick_ladders(context: BotContext, now: int) -> None:
    """Does what is due on the ladders."""
    await context.service.part(Ladders).tick(now)
