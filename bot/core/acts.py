"""All acts of people on a match, as frozen values that name their handlers.

Commands, buttons and services act by these values: `caller.act(match_id, Resign())`. What happens by itself is in
`bot.core.time_acts` and `bot.core.turns`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, dataclass_transform

from bot.core import leaving, offers, refereeing, table, time_acts, turns
from bot.core.deadlines import Actor
from bot.core.events import Ballot, Event, RequestKind
from bot.core.match import Match
from bot.core.problems import MatchError
from rules import Move, Seat


@dataclass_transform(frozen_default=True)
class Act:
    """What a person does to a match. Each kind is a frozen dataclass, and its handler takes the fields by name."""

    handler: ClassVar[Callable[..., tuple[Event, ...]]]
    """Returns the events of the act, given the match and the actor too. Raises MatchError."""

    def __init_subclass__(cls, handler: Callable[..., tuple[Event, ...]]) -> None:
        cls.handler = staticmethod(handler)
        dataclass(frozen=True)(cls)


# At a table


class JoinTable(Act, handler=table.join_table):
    """Takes a seat."""


class LeaveTable(Act, handler=table.leave_table):
    """Gives up a seat."""


class DeclineInvitation(Act, handler=table.decline_invitation):
    """Leaves a reserved seat to anybody."""


class CancelTable(Act, handler=table.cancel_table):
    """Closes the table, as its host."""


class SeatHousePlayers(Act, handler=table.seat_house_players):
    """Gives free seats to house players of that level, as the host."""

    level: str
    count: int


class PromiseHouse(Act, handler=table.promise_house):
    """Decides that house players take the seats still empty at `until`, as the host; None withdraws that."""

    level: str
    until: int | None


# At one's turn


class PlayMove(Act, handler=turns.play_move):
    """Makes a move that is legal on the board of `board_version`."""

    move: Move
    board_version: int


class TakeHint(Act, handler=turns.take_hint):
    """Is given that move as a hint, on the board of `board_version`."""

    move: Move
    board_version: int


class ClaimDraw(Act, handler=offers.claim_draw):
    """Claims a draw by the rules."""


class SnoozeReminder(Act, handler=time_acts.snooze_reminder):
    """Wants no reminder before `until`. Here and below, `board_version` is that of the turn that is meant, if known."""

    until: int
    board_version: int | None = None


# At any time


class Resign(Act, handler=leaving.resign):
    """Leaves the game."""


class MoveToChannel(Act, handler=table.move_to_channel):
    """Moves the match to that channel, or to a thread in it. `parent`: the parent channel if `channel` is a thread."""

    channel: int
    thread: int | None = None
    parent: int | None = None


class OfferDraw(Act, handler=offers.offer_draw):
    """Offers a draw, or accepts the offer that stands."""


class AskTakeback(Act, handler=offers.ask_takeback):
    """Asks to take back the own last move."""


class AskPause(Act, handler=offers.ask_pause):
    """Asks that the clock stands until that time."""

    until: int


class ProposeSubstitute(Act, handler=leaving.propose_substitute):
    """Asks to hand the seat over to that user."""

    to: int


class HandOver(Act, handler=leaving.hand_over):
    """Hands the seat over to that user, as both have agreed elsewhere."""

    to: int


class AcceptRequest(Act, handler=offers.accept_request):
    """Agrees to what another player asks for.

    Here and below, `request_seq` is the event that is answered, if known: the request, the call for a substitute, or
    the vote. It protects a later one from the answer.
    """

    kind: RequestKind
    request_seq: int | None = None


class DeclineRequest(Act, handler=offers.decline_request):
    """Refuses that, or withdraws the own request."""

    kind: RequestKind
    request_seq: int | None = None


# While another player is to move, or a seat is vacant


class NudgePlayer(Act, handler=time_acts.nudge_player):
    """Reminds the player to move."""


class GiveTime(Act, handler=time_acts.give_time):
    """Gives the player to move that many seconds."""

    seconds: int
    board_version: int | None = None


class ClaimTimeout(Act, handler=time_acts.claim_timeout):
    """Claims that the player to move has run out of time."""

    board_version: int | None = None


class TakeOver(Act, handler=leaving.take_over):
    """Takes the vacant seat."""

    request_seq: int | None = None


class ProposeVote(Act, handler=leaving.propose_vote):
    """Wants to vote now instead of waiting for a substitute. `house`: whether the vote offers a house player."""

    request_seq: int | None = None
    house: bool = True


class CastVote(Act, handler=leaving.cast_vote):
    """Votes on what becomes of the vacant seat."""

    ballot: Ballot
    request_seq: int | None = None


# As a referee


class SetClock(Act, handler=refereeing.set_clock):
    """Sets the clock of that seat to so many seconds."""

    seat: Seat
    seconds: int
    reason: str


class ReplacePlayer(Act, handler=refereeing.replace_player):
    """Gives the user's seat to the substitute."""

    user: int
    substitute: int
    reason: str


class RewindMatch(Act, handler=refereeing.rewind_match):
    """Has the game continue from the position after that many moves."""

    ply: int
    reason: str


class AbortMatch(Act, handler=refereeing.abort_match):
    """Ends the game without any result."""

    reason: str


class AnnulMatch(Act, handler=refereeing.annul_match):
    """Annuls the result of a finished game."""

    reason: str


def decide(match: Match, actor: Actor, act: Act) -> tuple[Event, ...]:
    """Returns the events of the act. Raises MatchError if the person may not act like that now."""
    return act.handler(match, actor, **vars(act))


def is_allowed(match: Match, actor: Actor, act: Act) -> bool:
    """Whether the act would not be refused now, as far as the match and its players say."""
    try:
        decide(match, actor, act)
    except MatchError:
        return False
    return True
