"""Posts about ladders: their words, when they are due, and where they go."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import discord

from bot.core.listings import MessageRef
from bot.core.match import Match
from bot.core.ratings import RatingEffects
from bot.discordkit.permissions import Obstacle, Trouble, obstacle_of, trouble_at, trouble_in
from bot.discordkit.reply import now
from bot.ladder.service import Ladders
from bot.ladder.state import EXCUSED_BODY, EntryKind, LadderId, LadderNews, PendingChallenge
from bot.ladder.words import LADDER_RULE_VALUES, step_change_text, with_ladder_lines
from bot.play.announcing.notice import Notice
from bot.play.announcing.outbox import UNSENT_ERRORS, Outbox
from bot.play.announcing.requests import take_buttons_off
from bot.play.context import BotContext, Done, Post, pinging_only
from bot.play.shared_components import action_button
from bot.store import Job
from bot.texts.i18n import Language, join_list, text
from bot.texts.markup import relative_time
from bot.texts.people import mention_user, mention_users
from rules import VARIANTS

MEDALS = ("🥇", "🥈", "🥉")


class _LadderTelling(NamedTuple):
    """The context in which a piece of ladder news is put into words."""

    locale: Language
    news: LadderNews

    def sentence(self, key: str, **values: object) -> str:
        """Returns the sentence filled with `values`, the variant, the first two people and the numbers of the rules."""
        news = self.news
        first_user, second_user, *_ = [*mention_users(self.locale, news.entry.users), "", ""]
        variant = news.ladder_id.variant
        common = {"variant": text(self.locale, f"variant.{variant}"), "key": variant}
        return text(
            self.locale,
            key,
            **{**LADDER_RULE_VALUES, **common, "challenger": first_user, "challenged": second_user, **values},
        )

    def step_before(self, user: int) -> int:
        """Returns the person's rung before the entry changed it."""
        before, after = self.news.steps.get(user, (None, 0))
        return after if before is None else before


def challenge_notice(locale: Language, news: LadderNews, waiting: PendingChallenge) -> Notice:
    """Returns the notice of a challenge that waits for its answer, with its buttons. The button that refuses says
    whether that costs a rung.
    """
    telling, (challenger, challenged) = _LadderTelling(locale, news), news.entry.users
    steps = {"own": telling.step_before(challenger), "other": telling.step_before(challenged)}
    sentence = telling.sentence("ladder.told.challenged", **steps, until=relative_time(waiting.challenge.lapses_at))
    cost = telling.sentence("ladder.told.costs" if waiting.costs else "ladder.told.free")
    entry_seq, variant = news.entry.seq, news.ladder_id.variant
    label = "ladder-refuse-costs" if waiting.costs else "ladder-refuse"
    accept = action_button(locale, "ladder-accept", primary=True, number=entry_seq, variant=variant)
    refuse = action_button(
        locale, "ladder-refuse", label=label, danger=waiting.costs, number=entry_seq, variant=variant
    )
    return Notice(f"{sentence}\n-# {cost}", (accept, refuse), (challenged,))


def other_notice(locale: Language, news: LadderNews) -> Notice:
    """Returns the notice for any other news: an answer other than an acceptance, a pairing, a season."""
    return _LADDER_TELLERS[news.entry.kind](_LadderTelling(locale, news))


def _tell_unaccepted(telling: _LadderTelling) -> Notice:
    """Tells of a challenge that was refused or has lapsed. Who has refused knows it, and is not pinged."""
    entry = telling.news.entry
    lapsed = "ladder.told.lapsed-excused" if entry.body == EXCUSED_BODY else "ladder.told.lapsed"
    key = "ladder.told.refused" if entry.kind is EntryKind.REFUSED else lapsed
    sentence, challenged = telling.sentence(key), entry.users[1]
    before, after = telling.news.steps.get(challenged, (None, 0))
    if before is not None and before != after:
        sentence += " " + telling.sentence(
            "ladder.told.paid", step=step_change_text(telling.locale, challenged, before, after)
        )
    return Notice(sentence, ping=entry.users[:1] if entry.kind is EntryKind.REFUSED else entry.users)


def _tell_paired(telling: _LadderTelling) -> Notice:
    entry = telling.news.entry
    players = join_list(telling.locale, mention_users(telling.locale, entry.users))
    games = join_list(telling.locale, [f"#{match}" for match in entry.matches])
    key = "ladder.told.triad" if len(entry.matches) > 1 else "ladder.told.paired"
    return Notice(telling.sentence(key, players=players, games=games))


def _tell_season_started(telling: _LadderTelling) -> Notice:
    number, until = map(int, telling.news.entry.body.split())
    return Notice(
        telling.sentence(
            "ladder.told.season-started", number=number, until=f"<t:{until}:D>", again=relative_time(until)
        )
    )


def _tell_season_ended(telling: _LadderTelling) -> Notice:
    best = telling.news.entry.users
    podium = [
        telling.sentence(
            "ladder.told.podium", medal=medal, player=mention_user(user, telling.locale), step=telling.step_before(user)
        )
        for medal, user in zip(MEDALS, best, strict=False)
    ]
    lines = [
        telling.sentence("ladder.told.season-ended", number=telling.news.entry.body),
        *(podium or [telling.sentence("ladder.told.no-podium")]),
        telling.sentence("ladder.told.halved"),
    ]
    return Notice("\n".join(lines), ping=best)


_LADDER_TELLERS: Mapping[EntryKind, Callable[[_LadderTelling], Notice]] = {
    EntryKind.REFUSED: _tell_unaccepted,
    EntryKind.LAPSED: _tell_unaccepted,
    EntryKind.PAIRED: _tell_paired,
    EntryKind.SEASON_STARTED: _tell_season_started,
    EntryKind.SEASON_ENDED: _tell_season_ended,
}


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


class LadderAnnouncer(Outbox[LadderId, LadderNews]):
    """Posts the unannounced news of a ladder."""

    async def due_subjects(self) -> Sequence[tuple[Hashable, LadderId]]:
        """Returns the ladders with something to announce. Each is its own lane."""
        return [(ladder, ladder) for ladder in await self._context.service.part(Ladders).unannounced_ladders()]

    async def load_due(self, ladder: LadderId) -> Sequence[LadderNews]:
        """Returns the entries that have not been announced."""
        return await self._context.service.part(Ladders).ladder_news(ladder)

    async def post_item(self, news: LadderNews) -> discord.Message | None:
        """Posts the entry in its channel, or in the channel of the games if the announcements channel fails."""
        remark = await self._notice_of(news)
        if remark is None:
            return None
        first, *others = _channels_for(news)
        post = Post(
            channel=first,
            guild=news.ladder_id.guild,
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
            post_ref, ladders = MessageRef(message.channel.id, message.id), self._context.service.part(Ladders)
            await ladders.note_challenge_post(news.ladder_id, news.entry, post_ref)
        return message

    async def mark_told(self, news: LadderNews, message: discord.Message | None, *, latest: bool) -> None:
        """Marks the entry as announced."""
        await self._context.service.part(Ladders).mark_announced(news.ladder_id, news.entry.seq)

    def trouble_with(self, news: LadderNews, error: Exception) -> Trouble:
        """Returns what kept the entry from being posted, in the last channel tried."""
        channels = _channels_for(news)
        where = channels[-1 if obstacle_of(error) in FALLBACK_OBSTACLES else 0]
        return trouble_at(self._context.client, news.ladder_id.guild, where, error)

    def log_fields(self, ladder: LadderId) -> dict[str, object]:
        """Returns the ladder for the log."""
        return {"guild": ladder.guild, "ladder": ladder.variant}

    async def _notice_of(self, news: LadderNews) -> Notice | None:
        """Returns the notice; None if the entry is out of date or stands elsewhere."""
        locale, service = self._context.server_language(news.ladder_id.guild), self._context.service
        if news.entry.kind is EntryKind.CHALLENGED:
            waiting = await service.part(Ladders).challenge_waiting(news.ladder_id, news.entry.seq, now())
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
    guild, variant = news.ladder_id
    return f"{guild:x}:{list(VARIANTS).index(variant)}:{news.entry.seq}"


async def close_challenge(context: BotContext, job: Job) -> Done:
    """Removes the buttons of a challenge that no longer waits, and adds a sentence on how it ended."""
    variant, seq = job.note.split(":")
    end = await context.service.part(Ladders).end_of_challenge(LadderId(job.guild, variant), int(seq))
    locale, words = context.server_language(job.guild), ""
    if end is not None:
        words = text(locale, CHALLENGE_END_KEYS[end.kind], id=sum(end.matches), **LADDER_RULE_VALUES)
    return await take_buttons_off(context, job, words)


async def announce_first(context: BotContext, match: Match) -> None:
    """Announces the ladder news that led to a ladder game, before its first board."""
    if match.ladder:
        await LadderAnnouncer(context).announce_subject(LadderId(match.guild, match.variant.key))


async def ladder_result_lines(
    context: BotContext, locale: Language, match: Match, ratings: RatingEffects, lines: list[str]
) -> list[str]:
    """Returns the lines and one about the rungs that the end of a ladder game has changed."""
    effects = await context.service.part(Ladders).effects_of(match)
    return with_ladder_lines(locale, lines, ratings.unrated, effects)


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
