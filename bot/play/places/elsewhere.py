"""What one worker leaves to another: messages in the servers that the other looks after are the other's to change."""

from __future__ import annotations

from functools import partial

from bot.core.match import Match
from bot.core.problems import MatchError
from bot.play.announcing.announcer import Announcer
from bot.play.announcing.context import BotContext
from bot.play.announcing.turn import update_deadline
from bot.store import StoreError

DEADLINE_EDIT, TABLE_EDIT = "deadline", "table"
"""What may have to be brought up to date: when the time is up, below a board; the message of a table."""


def leave_to_other_worker(context: BotContext, edit: str, match: Match) -> bool:
    """Whether another worker looks after the match's server; that one is told then what it has to do."""
    store = context.service.store
    if store.share.has_server(match.guild):
        return False
    store.notify_workers(f"{edit} {match.id}")
    return True


async def handle_worker_message(context: BotContext, announcer: Announcer, message: str) -> None:
    """Do what another worker has left to us, or, if it has not said what, look for what is to be told."""
    context.announcements_due.set()
    context.service.house_awaited.set()
    edit, _, number = message.partition(" ")
    if edit not in (DEADLINE_EDIT, TABLE_EDIT):
        return
    try:
        match = await context.service.load_match(context.service.store.reader, int(number))
    except (MatchError, StoreError):  # deleted meanwhile; or the database is away, and it can do without
        return
    if not context.service.store.share.has_server(match.guild):
        return
    if edit == TABLE_EDIT:
        context.background.queue_edit(match.channel, partial(announcer.update_table, match))
    else:
        context.background.queue_edit(match.thread_or_channel, partial(update_deadline, context, match))
