"""The events that follow by themselves: a steward's move, a planned move, or the only legal move. Pure.

Nothing else decides this. The consequence is stored in the transaction of its cause, and announced with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from bot.core.deadlines import PeopleById
from bot.core.events import NEW_PLAYER_EVENTS, SEAT_ABANDONED_EVENTS, Event, EventKind
from bot.core.match import Match
from bot.core.turns import play_only_move, play_steward_move

TURN_BEGINNING_EVENTS = SEAT_ABANDONED_EVENTS | NEW_PLAYER_EVENTS | {EventKind.MOVED}
"""After these events, a player with a single legal move can be to move. Takebacks are excluded: their purpose is to
choose another move, and the only legal one would be played again at once."""


class FollowUps(Protocol):
    """What players have planned for their next turns in a match, updated with each event."""

    def note_event(self, event: Event, before: Match, after: Match) -> None:
        """Called after each event of the match, before anything else follows from it."""

    def propose_events(self, match: Match, user: int, people: PeopleById, now: int) -> tuple[Event, ...]:
        """Returns the events that follow now for that player, who is to move: a planned move, and the end of the game
        if the move ends it.

        Empty if no move is planned for this turn, or if it has to wait.
        """


def decide_follow_up(
    match: Match, last: EventKind | None, follow_ups: Iterable[FollowUps], people: PeopleById, now: int
) -> tuple[Event, ...]:
    """Decides what follows in the match; `last` is the kind of the latest event, None if nothing has happened.

    A steward always moves. For a player to move, a planned move comes first, then the only legal move, if they want
    that played. The move of a house player does not follow here, because the engine thinks outside of the transaction:
    see `Match.house_to_move`.
    """
    user = match.to_move
    if user is None:
        return play_steward_move(match, now)
    for follow_up in follow_ups:
        if events := follow_up.propose_events(match, user, people, now):
            return events
    return play_only_move(match, now, people) if last in TURN_BEGINNING_EVENTS else ()
