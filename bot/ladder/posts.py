"""Posts about ladders: their words, when they are due, and where they go."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial

import discord

from bot.core.match import MessageRef
from bot.discordkit.permissions import Obstacle, Trouble, obstacle_of, trouble_at
from bot.discordkit.reply import now
from bot.ladder.profile_commands import profile_button
from bot.ladder.rows import mark_announced, rungs_moved_by, unannounced_ladders, unannounced_news
from bot.ladder.service import load_view, note_challenge_post
from bot.ladder.sheets import history_button
from bot.ladder.state import EXCUSED_BODY, EntryKind, LadderId, LadderNews
from bot.ladder.words import LADDER_RULE_VALUES, rung_change_text, with_ladder_lines
from bot.play.announcing.calls import take_buttons_off
from bot.play.announcing.outbox import Outbox, send_to_first
from bot.play.announcing.telling import Notice
from bot.play.context import BotContext, Done, Ended, Notes, PersonShown, Post, action_button, pinging_only
from bot.store import Job
from bot.texts.i18n import Language, join_list, text
from bot.texts.markup import relative_time
from bot.texts.people import mention_user, mention_users
from rules import VARIANTS

MEDALS = ("🥇", "🥈", "🥉")


def challenge_notice(locale: Language, news: LadderNews, lapses_at: int, *, costs: bool) -> Notice:
    """Returns the notice of a challenge that waits for its answer, with its buttons. The button that refuses says
    whether that costs a rung.
    """
    challenger, challenged = news.entry.users
    rungs = {"own": _rung_before(news, challenger), "other": _rung_before(news, challenged)}
    sentence = _sentence(locale, news, "ladder.told.challenged", **rungs, until=relative_time(lapses_at))
    cost = _sentence(locale, news, "ladder.told.costs" if costs else "ladder.told.free")
    label = "ladder-refuse-costs" if costs else "ladder-refuse"
    button = partial(action_button, locale, number=news.entry.seq, variant=news.ladder_id.variant)
    buttons = (button("ladder-accept", primary=True), button("ladder-refuse", label=label, danger=costs))
    return Notice(f"{sentence}\n-# {cost}", buttons, (challenged,))


def other_notice(locale: Language, news: LadderNews) -> Notice | None:
    """Returns the notice for any other news; None for an acceptance, which stands below the challenge and the board."""
    entry, say = news.entry, partial(_sentence, locale, news)
    match entry.kind:
        case EntryKind.REFUSED:  # who has refused knows it, and is not pinged
            return Notice(say("ladder.told.refused") + _price_paid(locale, news), ping=entry.users[:1])
        case EntryKind.LAPSED:
            key = "ladder.told.lapsed-excused" if entry.body == EXCUSED_BODY else "ladder.told.lapsed"
            return Notice(say(key) + _price_paid(locale, news), ping=entry.users)
        case EntryKind.PAIRED:
            players = join_list(locale, mention_users(locale, entry.users))
            games = join_list(locale, [f"#{match_id}" for match_id in entry.matches])
            return Notice(say("ladder.told.paired", players=players, games=games))
        case EntryKind.SEASON_STARTED:
            number, until = map(int, entry.body.split())
            times = {"until": f"<t:{until}:D>", "again": relative_time(until)}
            return Notice(say("ladder.told.season-started", number=number, **times))
        case EntryKind.SEASON_ENDED:
            podium = [
                say("ladder.told.podium", medal=medal, player=mention_user(user, locale), rung=_rung_before(news, user))
                for medal, user in zip(MEDALS, entry.users, strict=False)
            ]
            ended, halved = say("ladder.told.season-ended", number=entry.body), say("ladder.told.halved")
            return Notice("\n".join([ended, *(podium or [say("ladder.told.no-podium")]), halved]), ping=entry.users)
    return None


def _sentence(locale: Language, news: LadderNews, key: str, **values: object) -> str:
    """Returns the sentence filled with `values`, the variant, the first two people and the numbers of the rules."""
    challenger, challenged, *_ = [*mention_users(locale, news.entry.users), "", ""]
    variant = news.ladder_id.variant
    common = {"variant": text(locale, f"variant.{variant}"), "challenger": challenger, "challenged": challenged}
    return text(locale, key, **{**LADDER_RULE_VALUES, **common, "key": variant, **values})


def _price_paid(locale: Language, news: LadderNews) -> str:
    """Returns the sentence about the rung that an unaccepted challenge costs the challenged user; empty if none."""
    challenged = news.entry.users[1]
    before, after = news.rungs[challenged]
    if before == after:
        return ""
    rung = rung_change_text(locale, challenged, before, after)
    return " " + _sentence(locale, news, "ladder.told.paid", rung=rung)


def _rung_before(news: LadderNews, user: int) -> int:
    """Returns the person's rung before the entry changed it."""
    before, after = news.rungs.get(user, (None, 0))
    return after if before is None else before


class LadderAnnouncer(Outbox[LadderId, LadderNews]):
    """Posts the unannounced news of a ladder."""

    async def due_subjects(self) -> Sequence[tuple[Hashable, LadderId]]:
        """Returns the ladders with something to announce. Each is its own lane."""
        return [(ladder, ladder) for ladder in await unannounced_ladders(self._context.service.reader)]

    async def load_due(self, ladder: LadderId) -> Sequence[LadderNews]:
        """Returns the entries that have not been announced."""
        return await unannounced_news(self._context.service.reader, ladder)

    async def post_item(self, news: LadderNews) -> discord.Message | None:
        """Posts the entry in its channel, or in the channel of the games if the announcements channel fails."""
        notice = await self._notice_of(news)
        if notice is None:
            return None
        variant_number = list(VARIANTS).index(news.ladder_id.variant)
        post = Post(
            channel=news.channels[0],
            guild=news.ladder_id.guild,
            content=notice.text,
            nonce=f"{news.ladder_id.guild:x}:{variant_number}:{news.entry.seq}",  # at most 25 characters
            ping=pinging_only(notice.ping),
            buttons=notice.buttons,
        )
        message = await send_to_first(self._context, post, news.channels)
        if notice.buttons:
            post_ref = MessageRef(message.channel.id, message.id)
            await note_challenge_post(self._context.service, news.ladder_id, news.entry, post_ref)
        return message

    async def mark_told(self, news: LadderNews, message: discord.Message | None, *, latest: bool) -> None:
        """Marks the entry as announced."""
        async with self._context.service.store.write_transaction() as tx:
            await mark_announced(tx, news.ladder_id, news.entry.seq)

    def trouble_with(self, news: LadderNews, error: Exception) -> Trouble:
        """Returns what kept the entry from being posted, in the last channel tried."""
        where = news.channels[0 if obstacle_of(error) is Obstacle.OUTAGE else -1]
        return trouble_at(self._context.client, news.ladder_id.guild, where, error)

    def log_fields(self, ladder: LadderId) -> dict[str, object]:
        """Returns the ladder for the log."""
        return {"guild": ladder.guild, "ladder": ladder.variant}

    async def _notice_of(self, news: LadderNews) -> Notice | None:
        """Returns the notice; None if the entry is out of date or stands elsewhere."""
        locale, service = self._context.server_language(news.ladder_id.guild), self._context.service
        if news.entry.kind is not EntryKind.CHALLENGED:
            return other_notice(locale, news)
        view = await load_view(service, service.reader, news.ladder_id, now())
        waiting = view.ladder.challenge_made_by(news.entry.seq)
        if waiting is None or view.now >= view.lapses_at(waiting):
            return None
        costs = view.ladder.climbers[waiting.challenged].refusal_costs(view.now)
        return challenge_notice(locale, news, view.lapses_at(waiting), costs=costs)


async def close_challenge(context: BotContext, job: Job) -> Done:
    """Removes the buttons of a challenge that no longer waits, and adds a sentence on how it ended."""
    _, _, *end = job.note.split(":")  # nothing if the end is not told: an older game of the two has ended again
    locale, words = context.server_language(job.guild), ""
    if end:
        words = text(locale, f"ladder.challenge-end.{end[0]}", id=end[1], **LADDER_RULE_VALUES)
    return await take_buttons_off(context, job, words)


async def add_ladder_notes(context: BotContext, locale: Language, about: Ended | PersonShown, notes: Notes) -> Notes:
    """Adds the rungs that the end of a game moves, and buttons to a person's history and profile."""
    match about:
        case Ended(match, ratings) if ratings:
            rungs = await rungs_moved_by(context.service.reader, match)
            return notes._replace(lines=with_ladder_lines(locale, notes.lines, ratings.unrated, rungs))
        case PersonShown(user=user, in_profile=False):
            return notes._replace(buttons=[*notes.buttons, history_button(locale, user), profile_button(locale, user)])
    return notes
