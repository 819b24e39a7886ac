"""Joining and leaving, and challenges. Each function returns the entry that follows, or raises LadderError."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from bot.ladder.conditions import LadderError, LadderView, Refusal, refuse_if
from bot.ladder.entries import EXCUSED, Entry, EntryKind
from bot.ladder.stairs import REACH, REMATCH, Challenge, Climber

_OF_THE_OTHER = {
    Refusal.NOT_ON_LADDER: Refusal.OTHER_NOT_ON_LADDER,
    Refusal.TOO_NEW: Refusal.OTHER_TOO_NEW,
    Refusal.AWAY: Refusal.OTHER_AWAY,
    Refusal.FROZEN: Refusal.OTHER_FROZEN,
}
"""What keeps somebody from playing, as it is said to whoever challenges them."""


def join(view: LadderView, user: int) -> Entry:
    """The user is on the ladder, on rung 0."""
    refuse_if(view.ladder.climber(user), Refusal.ALREADY_ON_LADDER)
    view.require_mature(user)
    return view.ladder.entry(view.now, EntryKind.JOINED, (user,))


def leave(view: LadderView, user: int) -> Entry:
    """The user is off the ladder, and their open challenges are gone. Not in the middle of a ladder game."""
    ladder = view.ladder
    refuse_if(not ladder.climber(user), Refusal.NOT_ON_LADDER)
    playing = [match for match, game in ladder.games.items() if user in game.users]
    if playing:
        raise LadderError(Refusal.STILL_PLAYING, match=min(playing))
    return ladder.entry(view.now, EntryKind.LEFT, (user,))


def challenge(view: LadderView, challenger: int, other: int) -> Entry:
    """The challenge stands for 72 hours."""
    _require_challengeable(view, challenger, other)
    return view.ladder.entry(view.now, EntryKind.CHALLENGED, (challenger, other))


def require_challenger(view: LadderView, challenger: int) -> Climber:
    """The climber who may challenge somebody; what keeps them from challenging anybody is raised."""
    refuse_if(view.ladder.seats > 2, Refusal.QUEUE_ONLY)
    own = view.require_fit(challenger)
    if own.challenging is not None:
        raise LadderError(Refusal.CHALLENGING_ALREADY, other=own.challenging, until=_waits_until(view, challenger))
    return own


def challengeable(view: LadderView, challenger: int) -> tuple[int, ...]:
    """Those on the ladder whom the user may challenge now, the highest first."""
    found: list[Climber] = []
    for climber in view.ladder.climbers.values():
        with suppress(LadderError):
            found.append(_require_challengeable(view, challenger, climber.user))
    return tuple(climber.user for climber in sorted(found, key=lambda climber: (-climber.step, climber.joined_at)))


def accept(view: LadderView, user: int, match: int) -> Entry:
    """The user takes up the challenge that waits for them, and that match is played for it.

    It may be taken up whatever rungs the two have come to since; but not while the user is frozen or on vacation.
    """
    waiting = open_challenge(view, user)
    view.require_fit(user)
    return view.ladder.entry(view.now, EntryKind.ACCEPTED, (waiting.challenger, user), (match,))


def refuse(view: LadderView, user: int) -> Entry:
    """The user turns down the challenge that waits for them; `Climber.refusal_costs` tells whether they pay for it."""
    waiting = open_challenge(view, user)
    return view.ladder.entry(view.now, EntryKind.REFUSED, (waiting.challenger, user))


def lapsed(view: LadderView) -> tuple[Entry, ...]:
    """The end of every challenge that nobody has answered in time; what the tick asks for.

    Not to answer counts as a refusal, or silence would be cheaper than an honest no; not on a vacation, or frozen.
    """
    ladder, entries = view.ladder, list[Entry]()
    due = [waiting for waiting in ladder.challenges.values() if view.now >= waiting.until]
    for waiting in sorted(due, key=lambda waiting: (waiting.until, waiting.challenger)):
        body = "" if view.fit([waiting.challenged]) else EXCUSED
        entry = ladder.entry(view.now, EntryKind.LAPSED, (waiting.challenger, waiting.challenged), (), body)
        entries.append(replace(entry, seq=entry.seq + len(entries)))
    return tuple(entries)


def open_challenge(view: LadderView, user: int) -> Challenge:
    """The challenge that waits for the user's answer. Raises where there is none, or it has run out."""
    climber = view.ladder.climber(user)
    waiting = view.ladder.challenges.get(climber.challenger or 0) if climber else None
    if waiting is None or waiting.challenged != user:
        raise LadderError(Refusal.NO_CHALLENGE)
    refuse_if(view.now >= waiting.until, Refusal.LAPSED)
    return waiting


def _require_challengeable(view: LadderView, challenger: int, other: int) -> Climber:
    """The climber who may be challenged. What concerns the challenger alone is said first."""
    own = require_challenger(view, challenger)
    refuse_if(other == challenger, Refusal.YOURSELF)
    climber = _require_fit_other(view, other)
    refuse_if(climber.step < own.step, Refusal.OTHER_BELOW, other=other, step=climber.step, own=own.step)
    if climber.step > own.step + REACH:
        raise LadderError(Refusal.OTHER_TOO_HIGH, other=other, step=climber.step, most=own.step + REACH)
    if climber.challenger is not None:
        raise LadderError(Refusal.OTHER_CHALLENGED, other=other, until=_waits_until(view, climber.challenger))
    _require_no_rematch(view, challenger, other)
    return climber


def _require_fit_other(view: LadderView, other: int) -> Climber:
    try:
        climber = view.require_fit(other)
    except LadderError as unfit:
        raise LadderError(_OF_THE_OTHER[unfit.refusal], other=other, **unfit.values) from None
    refuse_if(view.asleep(climber), Refusal.OTHER_ASLEEP, other=other)
    return climber


def _require_no_rematch(view: LadderView, challenger: int, other: int) -> None:
    ladder = view.ladder
    if any({challenger, other} <= {*game.users} for game in ladder.games.values()):
        raise LadderError(Refusal.REMATCH, other=other, until=None)
    waiting = ladder.challenges.get(other)
    if waiting and waiting.challenged == challenger:  # two games of the same two would begin
        raise LadderError(Refusal.CHALLENGED_BY, other=other, until=waiting.until)
    met = ladder.meeting(challenger, other)
    again = met.played_at + REMATCH
    refuse_if(met.played_at and view.now < again, Refusal.REMATCH, other=other, until=again)
    # Otherwise one person could ask until the other has no rung left to lose by refusing.
    again = met.turned_down_at + REMATCH
    refuse_if(met.turned_down_by == other and view.now < again, Refusal.TURNED_DOWN, other=other, until=again)


def _waits_until(view: LadderView, challenger: int) -> int | None:
    """When that user's challenge lapses; None once the game is on, whose end nobody knows."""
    waiting = view.ladder.challenges.get(challenger)
    return waiting.until if waiting else None
