"""Joining and leaving a ladder, and challenges. Each function returns the next entry, or raises LadderError."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from bot.ladder.conditions import LadderError, LadderProblem, LadderView, refuse_if
from bot.ladder.entries import EXCUSED_BODY, EntryKind, LadderEntry
from bot.ladder.state import CHALLENGE_REACH, REMATCH_PAUSE_S, Challenge, Climber

_PROBLEM_OF_OTHER = {
    LadderProblem.NOT_ON_LADDER: LadderProblem.OTHER_NOT_ON_LADDER,
    LadderProblem.AWAY: LadderProblem.OTHER_AWAY,
    LadderProblem.FROZEN: LadderProblem.OTHER_FROZEN,
}
"""The problem to report to a challenger, by the problem of the challenged climber."""


def join_ladder(view: LadderView, user: int) -> LadderEntry:
    """Puts the user on the ladder, on rung 0."""
    refuse_if(view.ladder.active_climber(user), LadderProblem.ALREADY_ON_LADDER)
    return view.ladder.next_entry(view.now, EntryKind.JOINED, (user,))


def leave_ladder(view: LadderView, user: int) -> LadderEntry:
    """Takes the user off the ladder, and drops their open challenges. Raises during a ladder game."""
    ladder = view.ladder
    refuse_if(not ladder.active_climber(user), LadderProblem.NOT_ON_LADDER)
    playing = [match for match, game in ladder.games.items() if user in game.users]
    if playing:
        raise LadderError(LadderProblem.STILL_PLAYING, match=min(playing))
    return ladder.next_entry(view.now, EntryKind.LEFT, (user,))


def challenge_climber(view: LadderView, challenger: int, other: int) -> LadderEntry:
    """Makes a challenge, which can be answered for 72 hours."""
    _require_challengeable(view, challenger, other)
    return view.ladder.next_entry(view.now, EntryKind.CHALLENGED, (challenger, other))


def require_challenger(view: LadderView, challenger: int) -> Climber:
    """Returns the user's climber. Raises if they may not challenge anybody."""
    refuse_if(view.ladder.seats > 2, LadderProblem.QUEUE_ONLY)
    own = view.require_fit(challenger)
    if own.challenging is not None:
        raise LadderError(
            LadderProblem.CHALLENGING_ALREADY, other=own.challenging, until=_waits_until(view, challenger)
        )
    return own


def challengeable_users(view: LadderView, challenger: int) -> tuple[int, ...]:
    """Returns the climbers that the user may challenge now, the highest first."""
    climbers: list[Climber] = []
    for climber in view.ladder.climbers.values():
        with suppress(LadderError):
            climbers.append(_require_challengeable(view, challenger, climber.user))
    return tuple(climber.user for climber in sorted(climbers, key=lambda climber: (-climber.step, climber.joined_at)))


def accept_challenge(view: LadderView, user: int, match: int) -> LadderEntry:
    """Accepts the challenge that waits for the user; `match` is its game.

    Both players may have changed rungs since the challenge. Raises while the user is frozen or on vacation.
    """
    waiting = require_open_challenge(view, user)
    view.require_fit(user)
    return view.ladder.next_entry(view.now, EntryKind.ACCEPTED, (waiting.challenger, user), (match,))


def refuse_challenge(view: LadderView, user: int) -> LadderEntry:
    """Declines the challenge that waits for the user. `Climber.refusal_costs` says whether that costs them a rung."""
    waiting = require_open_challenge(view, user)
    return view.ladder.next_entry(view.now, EntryKind.REFUSED, (waiting.challenger, user))


def lapse_challenges(view: LadderView) -> tuple[LadderEntry, ...]:
    """Ends all challenges that were not answered in time. The tick calls this.

    No answer counts as a refusal, because otherwise silence would be cheaper than an honest no. Users who are on
    vacation or frozen are excused.
    """
    ladder, entries = view.ladder, list[LadderEntry]()
    due = [waiting for waiting in ladder.challenges.values() if view.now >= waiting.lapses_at]
    for waiting in sorted(due, key=lambda waiting: (waiting.lapses_at, waiting.challenger)):
        body = "" if view.fit_climbers([waiting.challenged]) else EXCUSED_BODY
        entry = ladder.next_entry(view.now, EntryKind.LAPSED, (waiting.challenger, waiting.challenged), (), body)
        entries.append(replace(entry, seq=entry.seq + len(entries)))
    return tuple(entries)


def require_open_challenge(view: LadderView, user: int) -> Challenge:
    """Returns the challenge that waits for the user's answer. Raises if there is none, or it has run out."""
    climber = view.ladder.active_climber(user)
    waiting = view.ladder.challenges.get(climber.challenger or 0) if climber else None
    if waiting is None or waiting.challenged != user:
        raise LadderError(LadderProblem.NO_CHALLENGE)
    refuse_if(view.now >= waiting.lapses_at, LadderProblem.LAPSED)
    return waiting


def _require_challengeable(view: LadderView, challenger: int, other: int) -> Climber:
    """Returns the challenged climber. Raises if the challenge is not allowed; problems of the challenger come first."""
    own = require_challenger(view, challenger)
    refuse_if(other == challenger, LadderProblem.YOURSELF)
    climber = _require_fit_other(view, other)
    refuse_if(climber.step < own.step, LadderProblem.OTHER_BELOW, other=other, step=climber.step, own=own.step)
    if climber.step > own.step + CHALLENGE_REACH:
        raise LadderError(LadderProblem.OTHER_TOO_HIGH, other=other, step=climber.step, most=own.step + CHALLENGE_REACH)
    if climber.challenger is not None:
        raise LadderError(LadderProblem.OTHER_CHALLENGED, other=other, until=_waits_until(view, climber.challenger))
    _require_no_rematch(view, challenger, other)
    return climber


def _require_fit_other(view: LadderView, other: int) -> Climber:
    try:
        climber = view.require_fit(other)
    except LadderError as unfit:
        raise LadderError(_PROBLEM_OF_OTHER[unfit.problem], other=other, **unfit.values) from None
    refuse_if(view.is_asleep(climber), LadderProblem.OTHER_ASLEEP, other=other)
    return climber


def _require_no_rematch(view: LadderView, challenger: int, other: int) -> None:
    ladder = view.ladder
    if any({challenger, other} <= {*game.users} for game in ladder.games.values()):
        raise LadderError(LadderProblem.REMATCH, other=other, until=None)
    waiting = ladder.challenges.get(other)
    if waiting and waiting.challenged == challenger:  # the same two would begin two games
        raise LadderError(LadderProblem.CHALLENGED_BY, other=other, until=waiting.lapses_at)
    meeting = ladder.meeting_of(challenger, other)
    again = meeting.played_at + REMATCH_PAUSE_S
    refuse_if(meeting.played_at and view.now < again, LadderProblem.REMATCH, other=other, until=again)
    # Without this pause, one person could challenge another until refusals have cost them all their rungs.
    again = meeting.turned_down_at + REMATCH_PAUSE_S
    refuse_if(meeting.turned_down_by == other and view.now < again, LadderProblem.TURNED_DOWN, other=other, until=again)


def _waits_until(view: LadderView, challenger: int) -> int | None:
    """Returns when that user's challenge lapses; None during its game, because nobody knows when that ends."""
    waiting = view.ladder.challenges.get(challenger)
    return waiting.lapses_at if waiting else None
