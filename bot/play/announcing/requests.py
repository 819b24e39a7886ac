"""Messages with buttons that wait for an answer: noted when posted, and closed when the answer no longer matters.

Each is a job of the kind "buttons", which is due once nothing waits for the answer.
"""

from __future__ import annotations

from typing import NamedTuple

import discord

from bot.core.events import ASKING_EVENTS, EventKind
from bot.core.listings import MessageRef
from bot.core.match import Match, Phase
from bot.core.news import News
from bot.core.offers import is_pending, request_end
from bot.discordkit.reply import MAX_MESSAGE_LENGTH, RESOLVED, now
from bot.play.announcing.turn import changes_deadline
from bot.play.context import BotContext, Done
from bot.play.service.games import match_history
from bot.store import Job, Writer
from bot.texts.i18n import text
from bot.texts.markup import relative_time

ANSWERED_EVENTS = frozenset({*ASKING_EVENTS, EventKind.VACATED, EventKind.VOTE})
"""Events whose buttons stand until they are answered. All other buttons are for the current turn."""

TURN_MARK, GRACE_MARK = 0, -1
"""Instead of an event: marks of buttons for a turn, and for its grace, which also ends when time is given."""


class WaitingMessage(NamedTuple):
    """A message whose buttons wait for an answer."""

    event: int
    """The event of the match to be answered; or `TURN_MARK` or `GRACE_MARK`."""
    board_version: int

    @classmethod
    def of_job(cls, job: Job) -> WaitingMessage:
        """Returns what the job notes."""
        return cls(*map(int, job.note.split(":")))

    def still_waits_in(self, match: Match) -> bool:
        """True if the match still waits for the answer."""
        if not match.is_live:
            return False
        if self.event == GRACE_MARK and match.clock.grace_ends_at is None:
            return False
        if self.event in (TURN_MARK, GRACE_MARK):
            return match.board_version == self.board_version
        return is_pending(match, self.event)


async def note_request(context: BotContext, news: News, message: discord.Message) -> None:
    """Notes that this message about a match has buttons."""
    event, match = TURN_MARK, news.match
    if match.vacancy and match.to_move is None:  # a board on which a vacant seat is to move
        event = match.vacancy.seq
    elif news.kind in ANSWERED_EVENTS:
        event = news.event.seq
    elif news.kind in (EventKind.GRACE, EventKind.OVERDUE, EventKind.STILL):
        event = GRACE_MARK
    await note_request_for(context, match, event, message)


async def note_request_for(context: BotContext, match: Match, event: int, message: discord.Message) -> None:
    """Notes that this message has buttons for that event of the match, or for its turn."""
    key, note = f"{message.channel.id}:{message.id}", f"{event}:{match.board_version}"
    async with context.service.store.write_transaction() as tx:
        await tx.add_jobs(Job("buttons", key, match.guild, match.id, note=note))


async def add_edits(
    tx: Writer, news: News, board: MessageRef | None, board_before: MessageRef | None, *, latest: bool
) -> None:
    """Stores the edits that follow from announced news.

    `board`: the message of the news, if it shows the board; `board_before`: the message that did so until now.
    """
    match, at, over = news.match, now(), dict[str, Job]()
    noted = {it.key: it for it in await tx.find_jobs("match = ? AND kind = 'buttons' AND due_at IS NULL", (match.id,))}
    if board_before and (board or (news.kind is EventKind.VACATED and match.to_move is None)):  # nobody is called
        job = Job("buttons", f"{board_before.channel}:{board_before.message}", match.guild, match.id)
        over[job.key] = noted.get(job.key, job)
    if latest:
        over |= {key: job for key, job in noted.items() if not WaitingMessage.of_job(job).still_waits_in(match)}
    edits = [job._replace(due_at=at) for job in over.values()]
    if board is None and news.kind is EventKind.PROLONGED and news.match_before and noted:
        old = _end_of_wait(news.match_before)
        edits += [Job("end", f"{key}:{old}", match.guild, match.id, at) for key in noted]
    if board is None and latest and changes_deadline(news):
        edits.append(Job.of_match("deadline", match, match.place.thread_or_channel, at))
    if latest and (match.phase is Phase.OVER or news.kind is EventKind.REWOUND):
        edits.append(Job.of_match("table", match, match.place.thread_or_channel, at))
    if latest and match.place.thread is not None and match.phase is Phase.OVER:
        edits.append(Job.of_match("thread", match, match.place.thread, at))
    await tx.add_jobs(*edits)


def _end_of_wait(match: Match) -> int:
    """Returns the end of the match's vote, call or grace; 0 if there is none."""
    return match.vacancy.until if match.vacancy else match.clock.grace_ends_at or 0


async def replace_end(context: BotContext, job: Job) -> Done:
    """Replaces the end of a grace, call or vote that has been prolonged, in a message that waits for an answer."""
    channel, message_id, old = job.key.split(":")
    until = _end_of_wait(await context.service.current_match(job.match or 0, job.guild))
    message = context.partial_message(MessageRef(int(channel), int(message_id)))
    shown, shown_end = (await message.fetch()).content, relative_time(int(old))
    if until and shown_end in shown:
        await message.edit(content=shown.replace(shown_end, relative_time(until)), allowed_mentions=RESOLVED)
    return Done()


async def close_request(context: BotContext, job: Job) -> Done:
    """Takes the buttons off a message, and adds below it how the request in it ended."""
    event, end = WaitingMessage.of_job(job).event if job.note else TURN_MARK, None
    if event > 0 and job.match is not None:
        _, events = await match_history(context.service, job.match, job.guild)
        end = request_end(job.match, events, event)
    words = text(context.server_language(job.guild), f"request-end.{end.value}") if end else ""
    return await take_buttons_off(context, job, words)


async def take_buttons_off(context: BotContext, job: Job, words: str) -> Done:
    """Takes the buttons off the job's message, with `words` added in small print."""
    message, content = context.partial_message(MessageRef(*map(int, job.key.split(":")))), discord.utils.MISSING
    if words:
        shown, added = (await message.fetch()).content, f"\n-# {words}"
        if not shown.endswith(added) and len(shown + added) <= MAX_MESSAGE_LENGTH:  # else it stays as it is
            content = shown + added
    await message.edit(content=content, view=None, allowed_mentions=RESOLVED)
    return Done()
