"""All acts of people on a match, as frozen values, and `decide`, which names the handler of each.

Commands, buttons and services act by these values: `caller.act(match_id, Resign())`. What happens by itself is in
`bot.core.time_acts` and `bot.core.turns`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import dataclass_transform

from bot.core import leaving, offers, refereeing, table, time_acts, turns
from bot.core.deadlines import Actor
from bot.core.events import Ballot, Event, RequestKind
from bot.core.match import Match
from bot.core.problems import MatchError
from rules import Move, Seat


@dataclass_transform(frozen_default=True)
class Act:
    """What a person does to a match. Every kind of act is a frozen dataclass."""

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True)(cls)


# At a table


class JoinTable(Act):
    """Takes a seat."""


class LeaveTable(Act):
    """Gives up a seat."""


class DeclineInvitation(Act):
    """Leaves a reserved seat to anybody."""


class CancelTable(Act):
    """Closes the table, as its host."""


class SeatHousePlayers(Act):
    """Gives free seats to house players of that level, as the host."""

    level: str
    count: int


class PromiseHouse(Act):
    """Decides that house players take the seats still empty at `until`, as the host; None withdraws that."""

    level: str
    until: int | None


# At one's turn


class PlayMove(Act):
    """Makes a move that is legal on the board of `board_version`."""

    move: Move
    board_version: int


class TakeHint(Act):
    """Is given that move as a hint, on the board of `board_version`."""

    move: Move
    board_version: int


class SnoozeReminder(Act):
    """Wants no reminder before `until`. Here and below, `board_version` is that of the turn that is meant, if known."""

    until: int
    board_version: int | None = None


# At any time


class Resign(Act):
    """Leaves the game."""


class MoveToChannel(Act):
    """Moves the match to that channel, or to a thread in it. `parent`: the parent channel if `channel` is a thread."""

    channel: int
    thread: int | None = None
    parent: int | None = None


class OfferDraw(Act):
    """Claims a draw by the rules, accepts the offer that stands, or offers a draw."""


class AskTakeback(Act):
    """Asks to take back the own last move."""


class AskPause(Act):
    """Asks that the clock stands until that time."""

    until: int


class ProposeSubstitute(Act):
    """Asks to hand the seat over to that user."""

    to: int


class HandOver(Act):
    """Hands the seat over to that user, as both have agreed elsewhere."""

    to: int


class AcceptRequest(Act):
    """Agrees to what another player asks for.

    Here and below, `request_seq` is the event that is answered, if known: the request, the call for a substitute, or
    the vote. It protects a later one from the answer.
    """

    kind: RequestKind
    request_seq: int | None = None


class DeclineRequest(Act):
    """Refuses that, or withdraws the own request."""

    kind: RequestKind
    request_seq: int | None = None


# While another player is to move, or a seat is vacant


class NudgePlayer(Act):
    """Reminds the player to move."""


class GiveTime(Act):
    """Gives the player to move a day."""

    board_version: int | None = None


class ClaimTimeout(Act):
    """Claims that the player to move has run out of time."""

    board_version: int | None = None


class TakeOver(Act):
    """Takes the vacant seat."""

    request_seq: int | None = None


class ProposeVote(Act):
    """Wants to vote now instead of waiting for a substitute. `has_house`: whether the vote offers a house player."""

    request_seq: int | None = None
    has_house: bool = True


class CastVote(Act):
    """Votes on what becomes of the vacant seat."""

    ballot: Ballot
    request_seq: int | None = None


# As a referee


class SetClock(Act):
    """Sets the clock of that seat to so many seconds."""

    seat: Seat
    seconds: int
    reason: str


class ReplacePlayer(Act):
    """Gives the user's seat to the substitute."""

    user: int
    substitute: int
    reason: str


class RewindMatch(Act):
    """Has the game continue from the position after that many moves."""

    ply: int
    reason: str


class AbortMatch(Act):
    """Ends the game without any result."""

    reason: str


class AnnulMatch(Act):
    """Annuls the result of a finished game."""

    reason: str


def decide(match: Match, actor: Actor, act: Act) -> tuple[Event, ...]:
    """Returns the events of the act. Raises MatchError if the person may not act like that now."""
    match act:
        case JoinTable():
            return table.join_table(match, actor)
        case LeaveTable():
            return table.leave_table(match, actor)
        case DeclineInvitation():
            return table.decline_invitation(match, actor)
        case CancelTable():
            return table.cancel_table(match, actor)
        case SeatHousePlayers(level, count):
            return table.seat_house_players(match, actor, level, count)
        case PromiseHouse(level, until):
            return table.promise_house(match, actor, level, until)
        case PlayMove(move, board_version):
            return turns.play_move(match, actor, move, board_version)
        case TakeHint(move, board_version):
            return turns.take_hint(match, actor, move, board_version)
        case SnoozeReminder(until, board_version):
            return time_acts.snooze_reminder(match, actor, until, board_version)
        case Resign():
            return leaving.resign(match, actor)
        case MoveToChannel(channel, thread):
            return table.move_to_channel(match, actor, channel, thread)
        case OfferDraw():
            return offers.offer_draw(match, actor)
        case AskTakeback():
            return offers.ask_takeback(match, actor)
        case AskPause(until):
            return offers.ask_pause(match, actor, until)
        case ProposeSubstitute(to):
            return leaving.propose_substitute(match, actor, to)
        case HandOver(to):
            return leaving.hand_over_seat(match, actor, to)
        case AcceptRequest(kind, request_seq):
            return offers.accept_request(match, actor, kind, request_seq)
        case DeclineRequest(kind, request_seq):
            return offers.decline_request(match, actor, kind, request_seq)
        case NudgePlayer():
            return time_acts.nudge_player(match, actor)
        case GiveTime(board_version):
            return time_acts.give_time(match, actor, board_version)
        case ClaimTimeout(board_version):
            return time_acts.claim_timeout(match, actor, board_version)
        case TakeOver(request_seq):
            return leaving.take_over(match, actor, request_seq)
        case ProposeVote(request_seq, has_house):
            return leaving.propose_vote(match, actor, request_seq, has_house=has_house)
        case CastVote(ballot, request_seq):
            return leaving.cast_vote(match, actor, ballot, request_seq)
        case SetClock(seat, seconds, reason):
            return refereeing.set_clock(match, actor, seat, seconds, reason)
        case ReplacePlayer(user, substitute, reason):
            return refereeing.replace_player(match, actor, user, substitute, reason)
        case RewindMatch(ply, reason):
            return refereeing.rewind_match(match, actor, ply, reason)
        case AbortMatch(reason):
            return refereeing.abort_match(match, actor, reason)
        case AnnulMatch(reason):
            return refereeing.annul_match(match, actor, reason)
    raise NotImplementedError(act)


def is_allowed(match: Match, actor: Actor, act: Act) -> bool:
    """Whether the act would not be refused now, as far as the match and its players say."""
    try:
        decide(match, actor, act)
    except MatchError:
        return False
    return True
