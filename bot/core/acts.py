"""All acts of people on a match, each with its handler, which describes it. `decision_of` makes them decisions.

Commands, buttons and services act by these names: `caller.act_on_match(match_id, acts.resign)`. What happens by itself
is in `bot.core.timing` and `bot.core.following`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate, NamedTuple, ParamSpec, TypeAlias

from bot.core import offers, refereeing, table, timing, turns, vacancy
from bot.core.deadlines import NO_PEOPLE, PeopleById
from bot.core.events import Ballot, Event
from bot.core.match import Match
from bot.core.table import Shuffle
from rules import Move, Seat

P = ParamSpec("P")

Events: TypeAlias = tuple[Event, ...]


class Actor(NamedTuple):
    """The person who acts, and when."""

    user: int
    now: int
    people: PeopleById = NO_PEOPLE
    """The players of the match."""


Act: TypeAlias = Callable[Concatenate[Match, Actor, P], Events]
"""Returns the events of the act. Raises MatchError if the person may not act like that now."""


def decision_of(
    user: int, now: int, act: Act[P], *args: P.args, **kwargs: P.kwargs
) -> Callable[[Match, PeopleById], Events]:
    """Returns the decision of that person, at that time, to act like that."""
    return lambda match, people: act(match, Actor(user, now, people), *args, **kwargs)


# At a table


def join_table(match: Match, by: Actor, shuffle: Shuffle) -> Events:
    return table.join_table(match, by.user, by.now, shuffle)


def leave_table(match: Match, by: Actor) -> Events:
    return table.leave_table(match, by.user, by.now)


def decline_invitation(match: Match, by: Actor) -> Events:
    return table.decline_invitation(match, by.user, by.now)


def cancel_table(match: Match, by: Actor) -> Events:
    return table.cancel_table(match, by.user, by.now)


def seat_house_players(match: Match, by: Actor, level: str, count: int, shuffle: Shuffle) -> Events:
    return table.seat_house_players(match, by.user, level, count, by.now, shuffle)


def promise_house(match: Match, by: Actor, level: str, until: int | None) -> Events:
    return table.promise_house(match, by.user, level, until, by.now)


# At one's turn


def play_move(match: Match, by: Actor, move: Move, board_version: int) -> Events:
    return turns.play_move(match, by.user, move, by.now, board_version, by.people)


def claim_draw(match: Match, by: Actor) -> Events:
    return offers.claim_draw(match, by.user, by.now)


def snooze_reminder(match: Match, by: Actor, until: int, board_version: int | None) -> Events:
    return timing.snooze_reminder(match, by.user, until, by.now, by.people, board_version)


# At any time


def resign(match: Match, by: Actor) -> Events:
    return turns.resign(match, by.user, by.now, by.people)


def move_to_channel(match: Match, by: Actor, channel: int, thread: int | None) -> Events:
    return table.move_to_channel(match, by.user, channel, by.now, thread)


def offer_draw(match: Match, by: Actor) -> Events:
    return offers.offer_draw(match, by.user, by.now)


def accept_draw(match: Match, by: Actor, request_seq: int | None) -> Events:
    return offers.accept_draw(match, by.user, by.now, request_seq)


def decline_draw(match: Match, by: Actor, request_seq: int | None) -> Events:
    return offers.decline_draw(match, by.user, by.now, request_seq)


def ask_takeback(match: Match, by: Actor) -> Events:
    return offers.ask_takeback(match, by.user, by.now)


def accept_takeback(match: Match, by: Actor, request_seq: int | None) -> Events:
    return offers.accept_takeback(match, by.user, by.now, request_seq)


def decline_takeback(match: Match, by: Actor, request_seq: int | None) -> Events:
    return offers.decline_takeback(match, by.user, by.now, request_seq)


def propose_substitute(match: Match, by: Actor, other: int) -> Events:
    return vacancy.propose_substitute(match, by.user, other, by.now)


def accept_substitute(match: Match, by: Actor, request_seq: int | None) -> Events:
    return vacancy.accept_substitute(match, by.user, by.now, by.people, request_seq)


def decline_substitute(match: Match, by: Actor, request_seq: int | None = None) -> Events:
    return vacancy.decline_substitute(match, by.user, by.now, request_seq)


def hand_over(match: Match, by: Actor, to: int) -> Events:
    return vacancy.hand_over(match, by.user, to, by.now, by.people)


# While another player is to move, or a seat is vacant


def nudge_player(match: Match, by: Actor) -> Events:
    return timing.nudge_player(match, by.user, by.now)


def give_time(match: Match, by: Actor, seconds: int, board_version: int | None) -> Events:
    return timing.give_time(match, by.user, seconds, by.now, by.people, board_version)


def claim_timeout(match: Match, by: Actor, board_version: int | None) -> Events:
    return timing.claim_timeout(match, by.user, by.now, by.people, board_version)


def take_over(match: Match, by: Actor, request_seq: int | None) -> Events:
    return vacancy.take_over(match, by.user, by.now, request_seq, by.people)


def propose_vote(match: Match, by: Actor, request_seq: int | None, *, house: bool) -> Events:
    return vacancy.propose_vote(match, by.user, by.now, request_seq, house=house)


def drop_vote_proposal(match: Match, by: Actor, request_seq: int | None) -> Events:
    return vacancy.drop_vote_proposal(match, by.user, by.now, request_seq)


def cast_vote(match: Match, by: Actor, ballot: Ballot, request_seq: int | None) -> Events:
    return vacancy.cast_vote(match, by.user, ballot, by.now, request_seq)


# As a referee


def set_clock(match: Match, by: Actor, seat: Seat, seconds: int, reason: str) -> Events:
    return refereeing.set_clock(match, by.user, seat, seconds, reason, by.now, by.people)


def replace_player(match: Match, by: Actor, user: int, substitute: int, reason: str) -> Events:
    return refereeing.replace_player(match, by.user, user, substitute, reason, by.now, by.people)


def rewind_match(match: Match, by: Actor, ply: int, reason: str) -> Events:
    return refereeing.rewind_match(match, by.user, ply, reason, by.now)


def abort_match(match: Match, by: Actor, reason: str) -> Events:
    return refereeing.abort_match(match, by.user, reason, by.now)


def annul_match(match: Match, by: Actor, reason: str) -> Events:
    return refereeing.annul_match(match, by.user, reason, by.now)


def rename_match(match: Match, by: Actor, title: str, reason: str) -> Events:
    return refereeing.rename_match(match, by.user, title, reason, by.now)
