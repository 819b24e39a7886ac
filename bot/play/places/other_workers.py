"""Edits by other workers: a worker only edits messages in its own servers, and asks the other worker otherwise."""

from __future__ import annotations

from functools import partial

from bot.core.match import Match
from bot.core.problems import MatchError
from bot.play.announcing.announcer import Announcer
from bot.play.announcing.turn import update_deadline
from bot.play.context import BotContext
from bot.store import StoreError

DEADLINE_EDIT, TABLE_EDIT = "deadline", "table"
"""What may need an update: the deadline below a board, or the message of a table."""


def leave_to_other_worker(context: BotContext, edit: str, match: Match) -> bool:
    """Asks another worker for the edit if the match's server is that worker's. Returns True if so."""
    store = context.service.store
    if store.share.has_server(match.guild):
        return False
    store.notify_workers(f"{edit} {match.id}")
    return True


async def handle_worker_message(context: BotContext, announcer: Announcer, message: str) -> None:
    """Makes the edit that another worker has requested. Any message also wakes the posting loop and the house."""
    context.announcements_due.set()
    context.service.house_awaited.set()
    edit, _, number = message.partition(" ")
    if edit not in (DEADLINE_EDIT, TABLE_EDIT):
        return
    try:
        match = await context.service.load_match(context.service.store.reader, int(number))
    except (MatchError, StoreError):  # deleted in the meantime, or the database is away; the edit is not essential
        return
    if not context.service.store.share.has_server(match.guild):
        return
    if edit == TABLE_EDIT:
        context.background.queue_edit(match.channel, partial(announcer.update_table, match))
    else:
        context.background.queue_edit(match.thread_or_channel, partial(update_deadline, context, match))
