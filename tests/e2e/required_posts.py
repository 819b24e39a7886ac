"""Which messages the stored events require or permit, and how often something may happen in a turn."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from bot.core.events import TABLE_CLOSING_EVENTS, Event, EventKind
from bot.core.news import collect_news
from bot.play.announcing.telling import make_notice
from bot.play.announcing.turn import has_board
from sandbox.world import BOT_ID
from tests.e2e.house import House
from tests.e2e.stored_games import messages_shown, stories
from tests.e2e.thought_people import annotated_posts

AT_MOST = {EventKind.REMINDED: 2, EventKind.GRACE: 1, EventKind.OVERDUE: 1}
"""The most events of each kind in a turn: reminders at half of the bank and near its end, the others once."""


@lru_cache(maxsize=2048)
def promised(number: int, events: tuple[Event, ...]) -> tuple[Counter[str], Counter[str]]:
    """Returns the same as `promised_posts`, for one game."""
    due, passing = Counter[str](), Counter([f"{events[0].at:x}:{number}:t"])  # its table
    for item in collect_news(number, events, 0):
        if item.kind not in TABLE_CLOSING_EVENTS and (has_board(item) or make_notice("en", item, "") is not None):
            (passing if item.overtaken else due)[f"{item.match.table.created:x}:{number}:{item.seq}"] += 1
        if (vacancy := item.match.vacancy) and vacancy.seq == item.seq:  # may be offered where the table was opened
            passing[f"v{item.match.table.created:x}:{number}:{item.seq}"] += 1
    return due, passing


def promised_posts(house: House) -> tuple[Counter[str], Counter[str]]:
    """Returns the nonces of all messages that the stored events require, each once, and of those that they permit."""
    due, passing = Counter[str](), Counter(f"w{guild:x}" for guild in house.server.world.guilds)  # each has a welcome
    for number, events in stories(house).items():
        one = promised(number, events)
        due.update(one[0])
        passing.update(one[1])
    annotated = annotated_posts(house)
    return due + annotated[0], passing + annotated[1]


def check_reminders(house: House) -> Counter[EventKind]:
    """Returns how often each kind of `AT_MOST` occurred; raises AssertionError if one was doubled."""
    found = Counter[EventKind]()
    for number, events in stories(house).items():
        turn = Counter[EventKind]()
        for event in events:
            if event.kind in AT_MOST:
                turn[event.kind] += 1
                assert turn[event.kind] <= AT_MOST[event.kind], f"game #{number}: {event} is one too many"
            elif event.kind is not EventKind.PROLONGED:
                found += turn
                turn.clear()
        found += turn
    return found


def posts(house: House) -> Counter[str]:
    """Returns the nonces of all public messages that the bot posted by itself."""
    return Counter(message.nonce for message in messages_shown(house) if message.nonce and message.author_id == BOT_ID)
