"""A game's start, a player without reminders, and a tick at a given time."""

from __future__ import annotations

from bot.core import time_acts
from bot.core.deadlines import PeopleById
from bot.core.events import EventKind
from bot.core.match import Match
from bot.core.settings import Reminders, StoredPerson, UserSettings
from tests.bot.playing import ADA, NOW, followed

START = NOW + 1

QUIET: PeopleById = {ADA: StoredPerson(UserSettings(reminders=Reminders.OFF))}


def ticked(match: Match, people: PeopleById, now: int) -> tuple[Match, list[EventKind]]:
    """Returns the match after the tick at `now`, and the kinds of events that the tick added."""
    events = time_acts.tick(match, people, now)
    return followed(match, events), [event.kind for event in events]
