"""Plans: "if they play this, I play that", made ahead and played by the bot. Pure.

A plan is one line of moves from the board on which it was made. At each move of others it says what they must play,
exactly or anything; at each own move, what the bot then plays. After a reply that could be anything, the bot plays on
only if that reply took none of the planner's pieces, the planned move still takes the same pieces, and the next player
cannot reach the planner's castle at once. Several plans of a player for one game are the branches of a tree. Each move
of the game ends a plan or advances it by one move, so only the next move is ever looked at. A plan depends on every
move made so far: it ends when any of them is taken back, or when a seat changes hands.

Also what else follows by itself, in the transaction of its cause: a steward's move, or the only legal move.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple

from bot.core.deadlines import PeopleById, habits_in_match
from bot.core.events import NEW_PLAYER_EVENTS, SEAT_ABANDONED_EVENTS, TAKEN_BACK_EVENTS, Event, EventKind, RequestKind
from bot.core.fold import fold_event
from bot.core.match import Match
from bot.core.offers import users_awaited
from bot.core.problems import Problem
from bot.core.turns import play_only_move, play_planned_move, play_steward_move
from rules import Move, Position, RulesError, Seat, find_move_into_castle, format_move, parse_move, read_recorded
from rules.board import Board
from rules.game import resolve_passes

MAX_PLANS = 20
"""The most plans of one person for one game."""
MAX_PLAN_MOVES = 36
"""The most moves of a plan, of all players together."""

ANY_REPLY_MARK = "*"
_CAPTURE_MARK = "!"


class PlannedMove(NamedTuple):
    """One move of a plan."""

    seat: Seat
    move: Move
    taken: tuple[int, ...] = ()
    """The bytes of the captured pieces, as in `Position.cells`, in the order of the captures."""
    anything: bool = False
    """True for a reply that may be anything."""


class PlanEndReason(Enum):
    """Why a plan ended before all of it was played. Stored."""

    DIFFERED = "differed"  # another player made another move
    GUARDED = "guarded"  # a reply that could be anything forbids the planned move, or it is no longer legal
    TAKEN_BACK = "taken-back"
    SEAT = "seat"  # a seat changed hands
    OFF = "off"  # the server no longer allows plans


class PlanEnd(NamedTuple):
    """Why a plan ended, and by which move."""

    reason: PlanEndReason
    seat: Seat = 0
    move: str = ""
    """The reply that differed, or that prevented the planned move; empty if no reply did."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan of one player for one match."""

    match: int
    user: int
    seat: Seat
    version: int
    """The version of the board on which the plan was made."""
    moves: tuple[PlannedMove, ...]
    done: int = 0
    """How many of the moves have been played."""
    plays_on_vacation: bool = False
    """Whether the bot plays it during the planner's vacation too."""
    is_confirmed: bool = False
    """Whether the planner has confirmed it; before that it has no effect."""
    end: PlanEnd | None = None
    """Why it ended; kept until the planner has moved again."""
    waits_until: int | None = None
    """When the vacation ends for which the plan waits; None if it waits for none."""
    id: int = 0

    @property
    def moves_left(self) -> tuple[PlannedMove, ...]:
        """The moves still to be played."""
        return self.moves[self.done :]

    @property
    def is_alive(self) -> bool:
        """Whether the plan can still be played."""
        return self.is_confirmed and self.end is None

    @property
    def is_due(self) -> bool:
        """Whether its next move is the planner's own, to be played as soon as nothing delays it.

        False at the first move: if a plan begins with an own move, the planner plays that move by hand.
        """
        return self.is_alive and 0 < self.done < len(self.moves) and self.moves[self.done].seat == self.seat


# Lines as text


def format_line(moves: Iterable[PlannedMove], board: Board) -> str:
    """A line in stored form: "1:F10-F9 0:F8xF10!3 1:C12-C10*"."""
    return " ".join(_format_planned(planned, board) for planned in moves)


def _format_planned(planned: PlannedMove, board: Board) -> str:
    captures = _CAPTURE_MARK + "".join(map(str, planned.taken)) if planned.taken else ""
    return f"{planned.seat}:{format_move(planned.move, board)}{captures}{ANY_REPLY_MARK * planned.anything}"


def parse_line(line: str, board: Board) -> tuple[PlannedMove, ...]:
    """Reads what `format_line` wrote. In earlier versions, letters of conditions followed a `*`."""
    return tuple(_parse_planned(word, board) for word in line.split())


def _parse_planned(word: str, board: Board) -> PlannedMove:
    rest, anything, _ = word.partition(ANY_REPLY_MARK)
    rest, _, captures = rest.partition(_CAPTURE_MARK)
    seat, _, move = rest.partition(":")
    return PlannedMove(int(seat), read_recorded(move, board), tuple(map(int, captures)), bool(anything))


def parse_typed_line(match: Match, seat: Seat, typed: str) -> tuple[PlannedMove, ...]:
    """Reads a typed line: moves from the current board, separated by blanks.

    A `*` after a move means that it may be anything: "F10-F9 F8-F9 C12-C10*". What follows the last own move is left
    out. Raises PLAN_EMPTY, PLAN_TOO_LONG, PLAN_OWN_ANYTHING, PLAN_ENDS, or what `rules.parse_move` raises.
    """
    game, moves = match.require_live(), list[PlannedMove]()
    for word in typed.split():
        text = word.removesuffix(ANY_REPLY_MARK)
        anything = text != word
        match.refuse_if(len(moves) >= MAX_PLAN_MOVES, Problem.PLAN_TOO_LONG, most=MAX_PLAN_MOVES)
        match.refuse_if(game.outcome, Problem.PLAN_ENDS)
        match.refuse_if(anything and game.position.turn == seat, Problem.PLAN_OWN_ANYTHING)
        move = parse_move(game.position, text)
        moves.append(as_planned(game.position, move, anything=anything))
        game = game.apply(move)
    while moves and moves[-1].seat != seat:
        moves.pop()
    match.refuse_if(len(moves) < 2, Problem.PLAN_EMPTY)  # the bot would play nothing
    return tuple(moves)


def plan_of_line(match: Match, user: int, typed: str) -> Plan:
    """Returns an unconfirmed plan of that user of the typed line. Raises what `parse_typed_line` and `require_playing`
    raise, and NO_PIECES."""
    match.require_playing(user)
    match.refuse_if(user not in match.still_in, Problem.NO_PIECES)
    seat = match.players.index(user)
    return Plan(match.id, user, seat, match.board_version, parse_typed_line(match, seat, typed))


def as_planned(position: Position, move: Move, *, anything: bool = False) -> PlannedMove:
    """That move in that position as a planned move."""
    return PlannedMove(position.turn, move, captured_pieces(position, move), anything)


# How a plan advances


def captured_pieces(position: Position, move: Move) -> tuple[int, ...]:
    """The bytes of the pieces that the move captures in that position."""
    return tuple(position.cells[cell] for cell in move.captures)


def advance_plan(plan: Plan, position: Position, move: Move) -> Plan | None:
    """Returns the plan after a move in that position.

    The plan has fallen if another player made a move that does not fit it. Returns None if there is nothing left to
    play or to report: the plan is done, or the planner chose another move.
    """
    if not plan.is_alive:
        return plan if plan.is_confirmed else None
    if _fits_plan(plan.moves[plan.done], position, move, plan.seat):
        advanced_plan = replace(plan, done=plan.done + 1, waits_until=None)
        return advanced_plan if advanced_plan.moves_left else None
    if position.turn == plan.seat:
        return None
    notation = format_move(move, position.variant.board)
    return replace(plan, end=PlanEnd(PlanEndReason.DIFFERED, position.turn, notation))


def _fits_plan(planned: PlannedMove, position: Position, move: Move, planner: Seat) -> bool:
    """Whether the move, made in that position, fits the planned one."""
    if planned.anything:
        is_harmless = not {*position.variant.piece_codes[planner]} & {*captured_pieces(position, move)}
        return planned.seat == position.turn and is_harmless
    return planned.seat == position.turn and planned.move.outcome == move.outcome


def due_move(plan: Plan, position: Position) -> Move | None:
    """The due move of a plan, if it is legal in that position and still what was meant; None otherwise."""
    planned = plan.moves[plan.done]
    text = format_move(planned.move, position.variant.board)
    try:
        move = parse_move(position, text)
    except RulesError:
        return None
    if move != planned.move:  # a shortened move that the parser completed in a way that nobody planned
        return None
    if any(earlier.anything for earlier in plan.moves[: plan.done]):  # the board may differ
        takes_others = captured_pieces(position, move) != planned.taken
        return None if takes_others or _is_castle_in_reach(position.after_move(move), plan.seat) else move
    return move


def _is_castle_in_reach(after: Position, seat: Seat) -> bool:
    """Whether the next player who can move, after stewards have passed, has a move into the castle of that seat."""
    position, outcome, _ = resolve_passes(after)
    armies = position.variant.armies
    attacks = outcome is None and armies[position.turn].goal == armies[seat].castle
    return attacks and find_move_into_castle(position) is not None


def first_due_plan(plans: Iterable[Plan], user: int) -> Plan | None:
    """The plan of that user whose move is to be played now; None if no plan is due.

    Of several, a plan with an exact reply comes before one with a reply that may be anything; of equals, the newest
    comes first. Only the moves since the newest plan was made are compared: the earlier ones led to the same board.
    """
    due = [plan for plan in plans if plan.user == user and plan.is_due]
    common = min((plan.done for plan in due), default=0)

    def rank_plan(plan: Plan) -> tuple[list[bool], int]:
        return [planned.anything for planned in plan.moves[plan.done - common : plan.done]], -plan.id

    return min(due, key=rank_plan, default=None)


def must_wait(match: Match, plan: Plan, people: PeopleById, now: int) -> bool:
    """Whether a due plan has to wait: the match waits for the planner's answer to a request, or has an open request of
    theirs; a seat is vacant; the game is paused; or a vacation pauses the planner's clock. A request for a pause stops
    nothing until all have agreed."""
    kinds = [kind for kind in RequestKind if kind is not RequestKind.PAUSE]
    asked = {request.user for request in match.requests.standing if request.kind in kinds}
    asked.update(user for kind in kinds for user in users_awaited(match, kind))
    stands = match.vacancy is not None or match.paused_until is not None
    return plan.user in asked or stands or vacation_end(match, plan, people, now) is not None


def vacation_end(match: Match, plan: Plan, people: PeopleById, now: int) -> int | None:
    """When the vacation no longer pauses the planner's clock in the match; None if the plan waits for no vacation."""
    if plan.plays_on_vacation or match.clock.grace_ends_at is not None:
        return None  # nothing but absences prolongs the grace
    spans = habits_in_match(match, plan.user, people).vacations
    return next((end for start, end in spans if start <= now < end), None)


def plans_after_event(plans: Sequence[Plan], event: Event, before: Match, match: Match) -> tuple[Plan, ...]:
    """The plans after that event, without those that are finished."""
    if not plans or not match.is_live:
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
    position, move, after = before.started_game.position, match.started_game.moves[-1], match.started_game.position
    # A fallen plan is reported until the planner has moved again; for planners who are out, nothing is left to report.
    return tuple(
        plan
        for plan in (advance_plan(plan, position, move) for plan in plans)
        if plan and after.is_playing(plan.seat) and not (plan.end and position.turn == plan.seat)
    )


def _end_all_plans(plans: Iterable[Plan], plan_end: PlanEnd) -> tuple[Plan, ...]:
    return tuple(replace(plan, end=plan.end or plan_end) for plan in plans if plan.is_confirmed)


def end_by_guard(plan: Plan, match: Match) -> Plan:
    """Marks a due plan whose move may not be played as fallen, because of the reply before it."""
    for change in reversed(match.changes):
        if change.move and change.seat != plan.seat:
            notation = format_move(change.move, match.variant.board)
            return replace(plan, end=PlanEnd(PlanEndReason.GUARDED, change.seat, notation))
    return replace(plan, end=PlanEnd(PlanEndReason.GUARDED))


def with_free_replies(plan: Plan, free: Collection[int]) -> Plan:
    """The plan in which those of the replies still to come may be anything, by their numbers, and no others."""
    moves = (
        planned if number < plan.done or planned.seat == plan.seat else planned._replace(anything=number in free)
        for number, planned in enumerate(plan.moves)
    )
    return replace(plan, moves=tuple(moves))


def displaces_plan(plan: Plan, other: Plan) -> bool:
    """Whether only one of the two can stand: they give different answers to the same replies.

    Both must be plans of the same person for the same match, advanced as far as the match.
    """
    if not other.is_alive or plan.id == other.id:
        return False
    begun = plan.done + other.done > 0
    for planned, other_planned in zip(plan.moves_left, other.moves_left, strict=False):
        if planned.seat != other_planned.seat:
            return False
        if planned.seat == plan.seat:
            if planned.move != other_planned.move:
                return begun
        else:
            is_same = planned.anything or planned.move.outcome == other_planned.move.outcome
            if planned.anything != other_planned.anything or not is_same:
                return False
        begun = True
    return True  # one continues where the other ends


def missed_reason(plans: Iterable[Plan], match: Match, user: int) -> PlanEnd | None:
    """Why none of the plans of the user was played although it is their turn; None if there is nothing to report."""
    own = [plan for plan in plans if plan.user == user] if match.to_move == user else []
    return None if any(plan.is_due for plan in own) else next((plan.end for plan in own if plan.end), None)


# What follows by itself: a steward's move, a planned move, or the only legal move


TURN_BEGINNING_EVENTS = SEAT_ABANDONED_EVENTS | NEW_PLAYER_EVENTS | {EventKind.MOVED}
"""After these events, a player with a single legal move can be to move. Takebacks are excluded: their purpose is to
choose another move, and the only legal one would be played again at once."""


def end_waiting(plans: Iterable[Plan], now: int) -> tuple[Plan, ...]:
    """The plans, of which none waits for a vacation that is over: it ends once, whether or not they still stand."""
    return tuple(replace(plan, waits_until=None) if (plan.waits_until or now + 1) <= now else plan for plan in plans)


def fold_with_plans(match: Match, plans: tuple[Plan, ...], events: Iterable[Event]) -> tuple[Match, tuple[Plan, ...]]:
    """The match and its plans after those events."""
    for event in events:
        before, match = match, fold_event(match, event)
        plans = plans_after_event(plans, event, before, match)
    return match, plans


def decide_follow_up(
    match: Match, plans: tuple[Plan, ...], last: EventKind | None, people: PeopleById, now: int
) -> tuple[tuple[Plan, ...], tuple[Event, ...]]:
    """Decides what follows in the match; `last` is the kind of the latest event, None if nothing has happened. Returns
    also the plans, of which some may now wait, or have fallen.

    A steward always moves. For a player to move, a planned move comes first, then the only legal move, if they want
    that played. The move of a house player does not follow here, because the engine thinks outside of the transaction:
    see `Match.house_to_move`.
    """
    user = match.to_move
    if user is None:
        return plans, play_steward_move(match, now)
    if first := first_due_plan(plans, user):
        waits = must_wait(match, first, people, now)
        if not waits and (move := due_move(first, match.started_game.position)):
            return plans, play_planned_move(match, move, now, people)

        def leave_unplayed(plan: Plan) -> Plan:
            if waits:
                return replace(plan, waits_until=vacation_end(match, plan, people, now))
            return end_by_guard(plan, match)

        # A due plan whose move may not be played has fallen, and so have the plans after it.
        plans = tuple(leave_unplayed(plan) if plan.user == user and plan.is_due else plan for plan in plans)
    return plans, play_only_move(match, now, people) if last in TURN_BEGINNING_EVENTS else ()
