"""Plans: "if they play this, I play that", made ahead and played by themselves. Pure.

A plan is one line of moves from the board on which it was made: at each move of others it says what they must play,
exactly or anything, and at each own one what is played then. Several plans of a player for one game are the branches of
a tree. With each move that is made, a plan goes on by one, or it is over; so nothing is ever looked for in the
past. It rests on every move made so far, and falls with any of them, and when a seat changes hands.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple

from bot.core.events import NEW_PLAYER_EVENTS, SEAT_ABANDONED_EVENTS, TAKEN_BACK_EVENTS, Event, EventKind
from bot.core.match import Match
from bot.core.offers import awaited_for_draw, awaited_for_takeback
from bot.core.problems import Problem
from bot.core.settings import Person
from bot.core.vacancy import awaited_for_handover
from rules import Move, Position, RulesError, Seat, find_entry, format_move, parse_move, read_recorded
from rules.board import Board
from rules.game import resolve_passes

MAX_PLANS = 20
"""Plans of one person for one game."""
MAX_PLAN_MOVES = 40
"""Moves of a plan, of all players together."""

ANY_REPLY_MARK = "*"
_CAPTURE_MARK = "!"


class Guard(Enum):
    """What must hold where a reply may be anything, so that the move planned upon it is played. Stored."""

    SAME = "s"  # the planned move takes the same pieces
    UNHARMED = "p"  # the reply has taken no piece of the planner's
    SAFE = "c"  # after the planned move the next player cannot reach the planner's castle at once


class PlannedMove(NamedTuple):
    """One move of a plan."""

    seat: Seat
    move: Move
    taken: tuple[int, ...] = ()
    """The bytes of the pieces that it captures, as in `Position.cells`, in the order of its captures."""
    guards: frozenset[Guard] | None = None
    """Of a reply that may be anything: what must hold. None: it must be this very move."""

    @property
    def is_exact(self) -> bool:
        """Whether it must be this very move."""
        return self.guards is None


class PlanEndReason(Enum):
    """Why a plan is over before it has been played. Stored."""

    DIFFERED = "differed"  # somebody has played something else
    GUARDED = "guarded"  # a guard forbids the planned move, or it is not legal any more
    TAKEN_BACK = "taken-back"
    SEAT = "seat"  # a seat has changed hands
    OFF = "off"  # the server allows plans no longer


class PlanEnd(NamedTuple):
    """That a plan is over, and by which move."""

    reason: PlanEndReason
    seat: Seat = 0
    move: str = ""
    """The reply that differed, or that brought the planned move to nothing; empty where it was none."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan of one player for one match."""

    match: int
    user: int
    seat: Seat
    version: int
    """The board's, on which it was made."""
    moves: tuple[PlannedMove, ...]
    done: int = 0
    """How many of them have been played."""
    away: bool = False
    """Whether it is played also while the planner is on vacation."""
    stands: bool = False
    """Whether it has been confirmed; it is nothing but words before."""
    fallen: PlanEnd | None = None
    """Why it is over, until the planner has moved again."""
    wakes: int | None = None
    """When the vacation ends for which it waits; None where it waits for none."""
    edits: int | None = None
    """The plan of which it is a changed copy, and in whose place it is to stand once it is confirmed."""
    id: int = 0

    @property
    def moves_left(self) -> tuple[PlannedMove, ...]:
        """What is still to be played."""
        return self.moves[self.done :]

    @property
    def is_alive(self) -> bool:
        """Whether anything may still come of it."""
        return self.stands and self.fallen is None

    @property
    def is_due(self) -> bool:
        """Whether its next move is the planner's own, to be played as soon as nothing keeps it waiting.

        Not the first one: where a plan begins with an own move, the planner plays that one by hand.
        """
        return self.is_alive and 0 < self.done < len(self.moves) and self.moves[self.done].seat == self.seat

    def latest_wildcards(self, moves: int) -> tuple[bool, ...]:
        """Of each of the latest moves, so many, whether it could have been anything."""
        return tuple(not planned.is_exact for planned in self.moves[self.done - moves : self.done])

    def guarded_by(self) -> frozenset[Guard]:
        """The guards of all replies so far that could be anything: from the first one on, the board may be another."""
        return frozenset(guard for planned in self.moves[: self.done] for guard in planned.guards or ())


# Lines as text


def format_line(moves: Iterable[PlannedMove], board: Board) -> str:
    """A line as it is stored: "1:F10-F9 0:F8xF10!3 1:C12-C10*cps"."""
    return " ".join(_format_planned(planned, board) for planned in moves)


def _format_planned(planned: PlannedMove, board: Board) -> str:
    captures = _CAPTURE_MARK + "".join(map(str, planned.taken)) if planned.taken else ""
    guards = "" if planned.guards is None else ANY_REPLY_MARK + "".join(sorted(guard.value for guard in planned.guards))
    return f"{planned.seat}:{format_move(planned.move, board)}{captures}{guards}"


def parse_line(line: str, board: Board) -> tuple[PlannedMove, ...]:
    """What `format_line` wrote."""
    return tuple(_parse_planned(word, board) for word in line.split())


def _parse_planned(word: str, board: Board) -> PlannedMove:
    rest, anything, guards = word.partition(ANY_REPLY_MARK)
    rest, _, captures = rest.partition(_CAPTURE_MARK)
    seat, _, move = rest.partition(":")
    allowed = frozenset(map(Guard, guards)) if anything else None
    return PlannedMove(int(seat), read_recorded(move, board), tuple(map(int, captures)), allowed)


def parse_typed_line(match: Match, seat: Seat, typed: str) -> tuple[PlannedMove, ...]:
    """The line that somebody typed: moves from the board as it stands, blanks between them, `*` after one that may be
    anything, with the letters of its guards: "F10-F9 F8-F9 C12-C10*sc".

    Raises PLAN_EMPTY, PLAN_TOO_LONG, PLAN_OWN_ANYTHING, PLAN_ENDS, or what `rules.parse_move` raises.
    """
    game, moves = match.require_live(), list[PlannedMove]()
    for word in typed.split():
        text, anything, letters = word.partition(ANY_REPLY_MARK)
        match.refuse_if(len(moves) >= MAX_PLAN_MOVES, Problem.PLAN_TOO_LONG, most=MAX_PLAN_MOVES)
        match.refuse_if(game.outcome, Problem.PLAN_ENDS)
        mover = game.position.turn
        match.refuse_if(anything and mover == seat, Problem.PLAN_OWN_ANYTHING)
        guards = frozenset(guard for guard in Guard if guard.value in letters.lower()) if anything else None
        move = parse_move(game.position, text)
        moves.append(as_planned(game.position, move, guards))
        game = game.apply(move)
    return trim_line(match, seat, moves)


def as_planned(position: Position, move: Move, guards: frozenset[Guard] | None = None) -> PlannedMove:
    """That move in that position as one of a plan."""
    return PlannedMove(position.turn, move, captured_pieces(position, move), guards)


def trim_line(match: Match, seat: Seat, moves: Iterable[PlannedMove]) -> tuple[PlannedMove, ...]:
    """The line up to its last own move. Raises PLAN_EMPTY where nothing would be played by itself."""
    line = list(moves)
    while line and line[-1].seat != seat:
        line.pop()
    own = sum(planned.seat == seat for planned in line)
    match.refuse_if(not own or len(line) == 1, Problem.PLAN_EMPTY)
    return tuple(line)


# How a plan goes on


def captured_pieces(position: Position, move: Move) -> tuple[int, ...]:
    """The bytes of the pieces that the move captures there."""
    return tuple(position.cells[cell] for cell in move.captures)


def advance_plan(plan: Plan, position: Position, move: Move) -> Plan | None:
    """The plan after that move, which was made in that position.

    Fallen where somebody else has played something that it did not provide for; None where nothing is left of it to be
    played or to be told: it is done, or the planner has chosen another move.
    """
    if not plan.is_alive:
        return plan if plan.stands else None
    seat, planned = position.turn, plan.moves[plan.done]
    own = seat == plan.seat
    if _fits_plan(planned, position, move, plan.seat):
        advanced_plan = replace(plan, done=plan.done + 1, wakes=None)
        return advanced_plan if advanced_plan.moves_left else None
    if own:
        return None
    return replace(plan, fallen=PlanEnd(PlanEndReason.DIFFERED, seat, format_move(move, position.variant.board)))


def _fits_plan(planned: PlannedMove, position: Position, move: Move, planner: Seat) -> bool:
    """Whether the move, made in that position, is what was planned."""
    if planned.seat != position.turn:
        return False
    if planned.guards is None:
        return _is_same_move(planned, as_planned(position, move))
    own_pieces = position.variant.piece_codes[planner]
    return Guard.UNHARMED not in planned.guards or not any(
        byte in own_pieces for byte in captured_pieces(position, move)
    )


def _is_same_move(planned: PlannedMove, other: PlannedMove) -> bool:
    """Whether the moves are the same, by whatever way: from there to there, with the very same pieces taken."""
    return (planned.move.start, planned.move.end, _captured_by_cell(planned)) == (
        other.move.start,
        other.move.end,
        _captured_by_cell(other),
    )


def _captured_by_cell(planned: PlannedMove) -> dict[int, int]:
    return dict(zip(planned.move.captures, planned.taken, strict=True))


def due_move(plan: Plan, position: Position) -> Move | None:
    """The move of a plan that is due, if it is legal in that position and its guards allow it."""
    planned, guards = plan.moves[plan.done], plan.guarded_by()
    text = format_move(planned.move, position.variant.board)
    try:
        move = parse_move(position, text)
    except RulesError:
        return None
    if move != planned.move:  # a shortened one, which the judge has completed in a way that nobody has planned
        return None
    if Guard.SAME in guards and captured_pieces(position, move) != planned.taken:
        return None
    if Guard.SAFE in guards and _is_castle_in_reach(position.after_move(move), plan.seat):
        return None
    return move


def _is_castle_in_reach(after: Position, seat: Seat) -> bool:
    """Whether the next player who can move, after stewards have passed, has a move into the castle of that seat."""
    position, outcome, _ = resolve_passes(after)
    armies = position.variant.armies
    attacks = outcome is None and armies[position.turn].goal == armies[seat].castle
    return attacks and find_entry(position) is not None


def first_due_plan(plans: Iterable[Plan], user: int) -> Plan | None:
    """The plan of that user of which a move is to be played now.

    Of several, the one that named a reply which to others could be anything; of equals, the newest. What was played
    before the newest of them was made, tells no difference: it was made upon that board, whatever had led there.
    """
    due = [plan for plan in plans if plan.user == user and plan.is_due]
    common = min((plan.done for plan in due), default=0)
    return min(due, key=lambda plan: (plan.latest_wildcards(common), -plan.id), default=None)


def must_wait(match: Match, plan: Plan, person: Person, now: int) -> bool:
    """Whether a plan that is due has to wait: something is asked, a seat is vacant, or the planner is away."""
    return is_asked(match, plan.user) or match.vacancy is not None or vacation_end(plan, person, now) is not None


def is_asked(match: Match, user: int) -> bool:
    """Whether the user is asked something in the match, or has a request of their own standing."""
    requests = (match.draw, match.takeback, match.handover)
    awaited = (*awaited_for_draw(match), *awaited_for_takeback(match), *awaited_for_handover(match))
    return user in awaited or any(request is not None and request.user == user for request in requests)


def vacation_end(plan: Plan, person: Person, now: int) -> int | None:
    """When the vacation ends for which the plan waits; None where it waits for none."""
    spans = () if plan.away else person.vacations
    return next((end for start, end in spans if start <= now < end), None)


def plans_after_event(plans: Sequence[Plan], event: Event, before: Match, match: Match) -> tuple[Plan, ...]:
    """What has become of the plans for a match by that event; those that are done with are left out."""
    if not plans:
        return ()
    if not match.is_live:
        return ()
    if event.kind is EventKind.MOVED:
        return _plans_after_move(plans, before, match)
    if event.kind in NEW_PLAYER_EVENTS or event.kind in SEAT_ABANDONED_EVENTS:
        seated = (plan for plan in plans if match.players[plan.seat] == plan.user and plan.user in match.still_in)
        return _end_all_plans(seated, PlanEnd(PlanEndReason.SEAT))
    if event.kind in TAKEN_BACK_EVENTS and match.ply < before.ply:
        return _end_all_plans(plans, PlanEnd(PlanEndReason.TAKEN_BACK))
    return tuple(plans)


def _plans_after_move(plans: Sequence[Plan], before: Match, match: Match) -> tuple[Plan, ...]:
    position, move = before.started_game.position, match.started_game.moves[-1]
    position_after = match.started_game.position
    advanced_plans = tuple(advance_plan(plan, position, move) for plan in plans)
    # What has fallen is told until the planner has moved again; of who is out of the game nothing is left to tell.
    return tuple(
        plan
        for plan in advanced_plans
        if plan and position_after.is_playing(plan.seat) and not (plan.fallen and position.turn == plan.seat)
    )


def _end_all_plans(plans: Iterable[Plan], plan_end: PlanEnd) -> tuple[Plan, ...]:
    return tuple(replace(plan, fallen=plan.fallen or plan_end) for plan in plans if plan.stands)


def end_by_guard(plan: Plan, match: Match) -> Plan:
    """The plan that was due and whose move may not be played: it has fallen, by the reply before it."""
    last = next((step for step in reversed(match.steps) if step.move and step.seat != plan.seat), None)
    if last is None or last.move is None:
        return replace(plan, fallen=PlanEnd(PlanEndReason.GUARDED))
    return replace(plan, fallen=PlanEnd(PlanEndReason.GUARDED, last.seat, format_move(last.move, match.variant.board)))


def displaces_plan(plan: Plan, other: Plan) -> bool:
    """Whether only one of the two can stand: one edits the other, or they say different things upon the same replies.

    Both must have been made for the same match, by the same person, and be as far as the match is.
    """
    if not other.is_alive or plan.id == other.id:
        return False
    return plan.edits == other.id or _lines_collide(plan, other)


def _lines_collide(plan: Plan, other: Plan) -> bool:
    begun = plan.done + other.done > 0
    for planned, other_planned in zip(plan.moves_left, other.moves_left, strict=False):
        if planned.seat != other_planned.seat:
            return False
        if planned.seat == plan.seat:
            if planned.move != other_planned.move:
                return begun
        elif planned.is_exact != other_planned.is_exact or (
            planned.is_exact and not _is_same_move(planned, other_planned)
        ):
            return False
        begun = True
    return True  # one goes on where the other ends


def missed_reason(plans: Iterable[Plan], user: int) -> PlanEnd | None:
    """What is to be said to that user, whose turn it is: why no plan of theirs was played; None where nothing is."""
    own = [plan for plan in plans if plan.user == user]
    if any(plan.is_due for plan in own):
        return None
    return next((plan.fallen for plan in own if plan.fallen), None)
