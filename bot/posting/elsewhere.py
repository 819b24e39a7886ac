"""What one worker leaves to another: messages in the servers that the other looks after are the other's to change."""

from __future__ import annotations

from functools import partial

from bot.match.match import Match
from bot.people.problems import MatchError
from bot.posting.announcer import Announcer
from bot.posting.desk import Desk
from bot.posting.turn import show_deadline
from bot.store import StoreError

DEADLINE, TABLE = "deadline", "table"
"""What may have to be brought up to date: when the time is up, below a board; the message of a table."""


def left_to_other(desk: Desk, what: str, match: Match) -> bool:
    """Whether another worker looks after the match's server; that one is told then what it has to do."""
    store = desk.service.store
    if store.share.has(match.guild):
        return False
    store.call_out(f"{what} {match.id}")
    return True


async def hear(desk: Desk, announcer: Announcer, said: str) -> None:
    """Do what another worker has left to us, or, if it has not said what, look for what is to be told."""
    desk.untold.set()
    desk.service.house_awaited.set()
    what, _, number = said.partition(" ")
    if what not in (DEADLINE, TABLE):
        return
    try:
        match = await desk.service.load(desk.service.store.reader, int(number))
    except (MatchError, StoreError):  # deleted meanwhile; or the database is away, and it can do without
        return
    if not desk.service.store.share.has(match.guild):
        return
    if what == TABLE:
        desk.errands.tidy(match.channel, partial(announcer.show_table, match))
    else:
        desk.errands.tidy(match.where, partial(show_deadline, desk, match))
