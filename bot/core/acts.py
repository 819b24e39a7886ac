"""All acts of people on a match, each with its handler, which describes it. `decision_of` makes them decisions.

Commands, buttons and services act by these names: `caller.act_on_match(match_id, acts.resign)`. What happens by itself
is in `bot.core.time_acts` and `bot.core.turns`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate, NamedTuple, ParamSpec, TypeAlias

from bot.core import leaving, offers, refereeing, table, time_acts, turns
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


def join_table(match: Match, actor: Actor, shuffle: Shuffle) -> Events:
    return table.join_table(match, actor.user, actor.now, shuffle)


def leave_table(match: Match, actor: Actor) -> Events:
    return table.leave_table(match, actor.user, actor.now)


def decline_invitation(match: Match, actor: Actor) -> Events:
    return table.decline_invitation(match, actor.user, actor.now)


def cancel_table(match: Match, actor: Actor) -> Events:
    return table.cancel_table(match, actor.user, actor.now)


def seat_house_players(match: Match, actor: Actor, level: str, count: int, shuffle: Shuffle) -> Events:
    return table.seat_house_players(match, actor.user, level, count, actor.now, shuffle)


def promise_house(match: Match, actor: Actor, level: str, until: int | None) -> Events:
    return table.promise_house(match, actor.user, level, until, actor.now)


# At one's turn


def play_move(match: Match, actor: Actor, move: Move, board_version: int) -> Events:
    return turns.play_move(match, actor.user, move, actor.now, board_version, actor.people)


def claim_draw(match: Match, actor: Actor) -> Events:
    return offers.claim_draw(match, actor.user, actor.now)


def snooze_reminder(match: Match, actor: Actor, until: int, board_version: int | None) -> Events:
    return time_acts.snooze_reminder(match, actor.user, until, actor.now, actor.people, board_version)


# At any time


def resign(match: Match, actor: Actor) -> Events:
    return leaving.resign(match, actor.user, actor.now, actor.people)


def move_to_channel(match: Match, actor: Actor, channel: int, thread: int | None) -> Events:
    return table.move_to_channel(match, actor.user, channel, actor.now, thread)


def offer_draw(match: Match, actor: Actor) -> Events:
    return offers.offer_draw(match, actor.user, actor.now)


def accept_draw(match: Match, actor: Actor, request_seq: int | None) -> Events:
    return offers.accept_draw(match, actor.user, actor.now, request_seq)


def decline_draw(match: Match, actor: Actor, request_seq: int | None) -> Events:
    return offers.decline_draw(match, actor.user, actor.now, request_seq)


def ask_takeback(match: Match, actor: Actor) -> Events:
    return offers.ask_takeback(match, actor.user, actor.now)


def accept_takeback(match: Match, actor: Actor, request_seq: int | None) -> Events:
    return offers.accept_takeback(match, actor.user, actor.now, request_seq)


def decline_takeback(match: Match, actor: Actor, request_seq: int | None) -> Events:
    return offers.decline_takeback(match, actor.user, actor.now, request_seq)


def propose_substitute(match: Match, actor: Actor, other: int) -> Events:
    return leaving.propose_substitute(match, actor.user, other, actor.now)


def accept_substitute(match: Match, actor: Actor, request_seq: int | None) -> Events:
    return leaving.accept_substitute(match, actor.user, actor.now, actor.people, request_seq)


def decline_substitute(match: Match, actor: Actor, request_seq: int | None = None) -> Events:
    return leaving.decline_substitute(match, actor.user, actor.now, request_seq)


def hand_over(match: Match, actor: Actor, to: int) -> Events:
    return leaving.hand_over(match, actor.user, to, actor.now, actor.people)


# While another player is to move, or a seat is vacant


def nudge_player(match: Match, actor: Actor) -> Events:
    return time_acts.nudge_player(match, actor.user, actor.now)


def give_time(match: Match, actor: Actor, seconds: int, board_version: int | None) -> Events:
    return time_acts.give_time(match, actor.user, seconds, actor.now, actor.people, board_version)


def claim_timeout(match: Match, actor: Actor, board_version: int | None) -> Events:
    return time_acts.claim_timeout(match, actor.user, actor.now, actor.people, board_version)


def take_over(match: Match, actor: Actor, request_seq: int | None) -> Events:
    return leaving.take_over(match, actor.user, actor.now, request_seq, actor.people)


def propose_vote(match: Match, actor: Actor, request_seq: int | None, *, house: bool) -> Events:
    return leaving.propose_vote(match, actor.user, actor.now, request_seq, house=house)


def drop_vote_proposal(match: Match, actor: Actor, request_seq: int | None) -> Events:
    return leaving.drop_vote_proposal(match, actor.user, actor.now, request_seq)


def cast_vote(match: Match, actor: Actor, ballot: Ballot, request_seq: int | None) -> Events:
    return leaving.cast_vote(match, actor.user, ballot, actor.now, request_seq)


# As a referee


def set_clock(match: Match, actor: Actor, seat: Seat, seconds: int, reason: str) -> Events:
    return refereeing.set_clock(match, actor.user, seat, seconds, reason, actor.now, actor.people)


def replace_player(match: Match, actor: Actor, user: int, substitute: int, reason: str) -> Events:
    return refereeing.replace_player(match, actor.user, user, substitute, reason, actor.now, actor.people)


def rewind_match(match: Match, actor: Actor, ply: int, reason: str) -> Events:
    return refereeing.rewind_match(match, actor.user, ply, reason, actor.now)


def abort_match(match: Match, actor: Actor, reason: str) -> Events:
    return refereeing.abort_match(match, actor.user, reason, actor.now)


def annul_match(match: Match, actor: Actor, reason: str) -> Events:
    return refereeing.annul_match(match, actor.user, reason, actor.now)
