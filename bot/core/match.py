"""A match: two or three people at a table, and the game they play. Pure: events in, a match out.

A match is the fold of its events. The decisions, in the modules beside this one, look at a match and return the
resulting events, or raise; `apply` applies them and judges nothing. So the same events always give the same match,
even after the rules have changed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from bot.core.clock import FOREVER, refilled_bank
from bot.core.events import (
    Ballot,
    Event,
    EventKind,
    format_outcome,
    number_in,
    optional_number,
    parse_fields,
    parse_numbers,
    parse_opening,
    parse_outcome,
    parse_turn,
    steward_sits,
    title_of,
)
from bot.core.house_seats import HOUSE_LEVELS, is_house
from bot.core.match_state import (
    NO_PINGS,
    TABLE_LIFETIME_S,
    BoardChange,
    HousePromise,
    Leaver,
    MatchState,
    Nudge,
    Phase,
    PlayerRequest,
    Substitute,
    UndoneMoves,
    Vacancy,
)
from bot.core.problems import MatchError, Problem
from rules import Cause, Game, Outcome, Seat, read_recorded

__all__ = ["TABLE_LIFETIME_S", "Happening", "Match", "Phase", "match_at", "replay_states"]

Happening = tuple[EventKind, int | None, str]
"""An event without its number and time."""


@dataclass(frozen=True, slots=True)
class Match(MatchState):
    """A match after its event number `seq`: replayed from events, and asked by decisions."""

    @classmethod
    def replay(cls, match_id: int, events: Iterable[Event]) -> Match:
        """The match after those events, which must be all of its events so far."""
        _, match = deque(replay_states(match_id, events), maxlen=1).pop()
        return match

    def apply(self, event: Event) -> Match:
        """Returns the match after the next event. Does not check whether the event is allowed."""
        assert event.seq == self.seq + 1, (event, self.seq)
        return FOLD[event.kind](self, event).with_fields(seq=event.seq)

    def apply_all(self, events: Iterable[Event]) -> Match:
        """Returns the match after those events."""
        match = self
        for event in events:
            match = match.apply(event)
        return match

    # The building blocks of decisions

    def next_events(self, now: int, *happenings: Happening) -> tuple[Event, ...]:
        """Those happenings as the next events of the match."""
        return tuple(Event(seq, now, *happening) for seq, happening in enumerate(happenings, self.seq + 1))

    def refusal_for(self, problem: Problem, **values: object) -> MatchError:
        """The error to raise, with the number of the match."""
        return MatchError(problem, number=self.id, **values)

    def refuse_if(self, wrong: object, problem: Problem, **values: object) -> None:
        """Raises that refusal if `wrong` is true."""
        if wrong:
            raise self.refusal_for(problem, **values)

    def require_open(self) -> None:
        """Raises unless people may still take seats. Ignores `expires_at`: the tick closes tables."""
        self.refuse_if(self.phase is not Phase.OPEN, Problem.TABLE_CLOSED)

    def require_live(self) -> Game:
        """Returns the game if it is running; raises otherwise."""
        self.refuse_if(self.phase is Phase.CLOSED, Problem.TABLE_CLOSED)
        if self.game is None:
            raise self.refusal_for(Problem.NOT_STARTED)
        self.refuse_if(self.phase is Phase.OVER, Problem.GAME_OVER)
        return self.game

    def require_playing(self, user: int) -> Game:
        """Returns the game if that user plays in it and has not left; raises otherwise."""
        if self.phase is not Phase.CLOSED and user not in (self.players or self.joined):
            raise self.refusal_for(Problem.NOT_A_PLAYER)
        game = self.require_live()
        self.refuse_if(user in self.resigned_users, Problem.ALREADY_LEFT)
        return game

    def require_going_on(self, user: int, board_version: int | None = None) -> Game:
        """Returns the game if the user plays in it and somebody is to move, at the board of `board_version` if given.

        Raises what `require_playing` raises, STALE for another board, and SEAT_VACANT if nobody is to move.
        """
        game = self.require_playing(user)
        self.refuse_if(board_version is not None and board_version != self.board_version, Problem.STALE)
        if self.to_move is None:
            raise self.refusal_for(Problem.SEAT_VACANT)
        return game

    def require_turn(self, user: int, board_version: int | None = None) -> Game:
        """Like `require_going_on`, and raises NOT_YOUR_TURN unless it is that user's turn."""
        game = self.require_going_on(user, board_version)
        self.refuse_if(user != self.to_move, Problem.NOT_YOUR_TURN, next=self.to_move)
        return game


def replay_states(match_id: int, events: Iterable[Event], match: Match | None = None) -> Iterator[tuple[Event, Match]]:
    """Yields each event with the match right after it. `match` is the match before the events, None at the opening."""
    for event in events:
        match = match.apply(event) if match else _match_from_opening(match_id, event)
        yield event, match


def match_at(match_id: int, events: Iterable[Event], ply: int) -> Match:
    """Returns the match right after that many moves, with the end if the game ended there; 0 is the start.

    Moves that were taken back do not count. Raises MatchError if the game has fewer moves.
    """
    match_by_ply: dict[int, Match] = {}
    last = 0
    for event, match in replay_states(match_id, events):
        last = match.ply
        if event.kind in (EventKind.STARTED, EventKind.MOVED, EventKind.ENDED, EventKind.UNDONE, EventKind.REWOUND):
            match_by_ply[last] = match
    if ply not in match_by_ply or ply > last:
        raise MatchError(Problem.NO_SUCH_PLY, number=match_id, last=last)
    return match_by_ply[ply]


def _match_from_opening(match_id: int, event: Event) -> Match:
    assert event.kind is EventKind.OPENED, event
    assert event.user is not None, event
    opening, host = parse_opening(event.body), event.user
    return Match(
        id=match_id,
        guild=opening.guild,
        channel=opening.channel,
        variant=opening.variant,
        host=host,
        seating=opening.seating,
        wants_thread=opening.wants_thread,
        created=event.at,
        moved_at=event.at,
        pace=opening.pace,
        ladder=opening.ladder,
        vacations=opening.vacations,
        vacation_cap=opening.vacation_cap,
        order=opening.order,
        rematch_of=opening.after,
        title=opening.title,
        invited=opening.invited,
        joined=(host,),
        seq=event.seq,
    )


def without_winner(cause: Cause) -> Happening:
    """The end of the match, drawn or without a result."""
    return EventKind.ENDED, None, format_outcome(Outcome(cause, ()))


def ending_happenings(game: Game) -> tuple[Happening, ...]:
    """The end of the match if the game has ended; empty otherwise."""
    return ((EventKind.ENDED, None, format_outcome(game.outcome)),) if game.outcome else ()


# The fold: the effect of each kind of event on a match. Judges nothing.


def _fold_joined(match: Match, event: Event) -> Match:
    user = _user_of(event)
    joined, invited, declined = (*match.joined, user), _drop_user(match.invited, user), _drop_user(match.declined, user)
    return replace(match, joined=joined, invited=invited, declined=declined)


def _fold_declined(match: Match, event: Event) -> Match:
    user = _user_of(event)
    return replace(match, invited=_drop_user(match.invited, user), declined=(*match.declined, user))


def _fold_started(match: Match, event: Event) -> Match:
    players, terms = parse_numbers(event.body), match.pace.clock_terms
    banks = (terms.bank,) * len(players) if terms else ()
    game, casual = Game.start(match.variant), any(map(is_house, players))
    match = replace(match, phase=Phase.LIVE, players=players, casual=casual, game=game, banks=banks)
    return _begin_turn(match, event.at)


def _begin_turn(match: Match, at: int, **changes: Any) -> Match:
    """A new turn begins. Changes neither the phase nor a vacancy."""
    return _restart_clock(match, at, moved_at=at, pings=NO_PINGS, seconds_charged=0, seconds_thought=0, **changes)


def _restart_clock(match: Match, at: int, **changes: Any) -> Match:
    """Restarts the clock if there is one, no seat is vacant, and no house player is to move; stops it otherwise."""
    runs = match.banks and match.is_live and not match.vacancy
    if runs:
        game: Game = changes.get("game", match.started_game)
        runs = not is_house(match.players[game.position.turn])
    return match.with_fields(running_since=at if runs else None, **changes)


def _fold_moved(match: Match, event: Event) -> Match:
    turn, seat = parse_turn(event.body), match.turn
    move = read_recorded(turn.text, match.variant.board)
    step = BoardChange(seat, move, turn.passes, _banks_at_turn_start(match), turn.auto, turn.planned)
    used = match.seconds_running(event.at) if turn.used is None else turn.used
    # A planned move that has not waited costs no time, so time already charged in this turn is returned.
    banks, terms = step.banks if turn.planned and not used else match.banks, match.pace.clock_terms
    if used is not None and terms:
        banks = _with_bank(banks, seat, refilled_bank(terms, banks[seat], used))
    game = match.started_game.apply_recorded(move, turn.passes)
    if match.vacancy and not game.position.is_playing(match.vacancy.seat):
        # Its last piece was captured: nothing is left to take over or to wait for. Earlier effects of the vacancy stay.
        match = replace(match, vacancy=None, vote_proposal=None, takeback_floor=len(game.moves))
    lapsed = _offers_ended_by_move(match, game, match.players[seat]) if match.draw or match.handover else {}
    # In a single copy: copying a match costs as much as the move itself, and a game is replayed from all its moves.
    return _begin_turn(match, event.at, game=game, steps=(*match.steps, step), banks=banks, takeback=None, **lapsed)


def _offers_ended_by_move(match: Match, game: Game, mover: int) -> dict[str, Any]:
    """The fields for requests that the move ends.

    A draw offer ends with its maker's next move; draw offer and handover end if anybody has lost their last piece.
    """
    position_before, position = match.started_game.position, game.position
    if any(position_before.is_playing(seat) and not position.is_playing(seat) for seat in match.variant.seats):
        return {"draw": None, "handover": None}
    return {"draw": None} if match.draw and match.draw.user == mover else {}


def _banks_at_turn_start(match: Match) -> tuple[int, ...]:
    return _with_bank(match.banks, match.turn, match.banks[match.turn] + match.seconds_charged) if match.banks else ()


def _with_bank(banks: tuple[int, ...], seat: Seat, bank: int) -> tuple[int, ...]:
    return tuple(bank if other == seat else old for other, old in enumerate(banks))


def _fold_charged(match: Match, event: Event) -> Match:
    """Takes the time used in this turn off the bank."""
    used = optional_number(event.body, "used")
    if used is None or not match.banks:
        return match
    taken = min(used, match.banks[match.turn])  # time used beyond the bank would come back with a takeback
    banks = _with_bank(match.banks, match.turn, match.banks[match.turn] - taken)
    running = match.running_since and event.at
    charged, thought = match.seconds_charged + taken, match.seconds_thought + used
    return replace(match, banks=banks, running_since=running, seconds_charged=charged, seconds_thought=thought)


def _fold_bank_set(match: Match, event: Event) -> Match:
    seat, bank = number_in(event.body, "seat"), number_in(event.body, "bank")
    match = _fold_charged(match, event)
    match = replace(match, banks=_with_bank(match.banks, seat, bank))
    if seat != match.turn:
        return match
    charged = optional_number(event.body, "charged") or 0  # older gifts do not say, and began the turn again
    pings = replace(match.pings, grace_ends_at=None, is_overdue=False, grace_began_at=0, warned_at=None)
    return _restart_clock(match, event.at, seconds_charged=charged, pings=pings)


def _fold_clock_set(match: Match, event: Event) -> Match:
    """Sets the clock by a referee's ruling, in earlier turns too: a takeback does not undo the ruling."""
    match, seat = _fold_bank_set(match, event), number_in(event.body, "seat")
    bank = match.banks[seat]
    return replace(match, steps=tuple(step._replace(banks=_with_bank(step.banks, seat, bank)) for step in match.steps))


def _fold_nudged(match: Match, event: Event) -> Match:
    nudge = Nudge(_user_of(event), match.players[match.turn], event.at)
    return replace(match, nudges=(*(other for other in match.nudges if other[:2] != nudge[:2]), nudge))


def _with_pings(match: Match, **changes: Any) -> Match:
    return replace(match, pings=replace(match.pings, **changes))


def _fold_player_left(match: Match, event: Event) -> Match:
    user = _user_of(event)
    seat = match.players.index(user)
    cause = Cause.TIMEOUT if event.kind is EventKind.TIMED_OUT else Cause.RESIGNATION
    match = replace(match, leavers=(*match.leavers, Leaver(user, seat, event.at, cause.value)))
    return _close_seat(match, seat, event)


def _fold_passive(match: Match, event: Event) -> Match:
    return _end_vacancy(_close_seat(replace(match, vacancy=None), number_in(event.body, "seat"), event), event)


def _end_vacancy(match: Match, event: Event) -> Match:
    """Ends a vacancy. If the event says so, the current turn continues; older events begin it again.

    The board is posted again with the event, so no reminder is posted at the same moment.
    """
    if "turn" not in parse_fields(event.body):
        return _begin_turn(match, event.at)
    return _restart_clock(match, event.at, pings=replace(NO_PINGS, reminded_at=event.at))


def _close_seat(match: Match, seat: Seat, event: Event) -> Match:
    """A steward or nobody plays that seat from now on."""
    turn, passes = match.turn, parse_turn(event.body).passes
    step = BoardChange(seat, None, passes, _banks_at_turn_start(match), steward=steward_sits(event))
    game = step.game_after(match.started_game)
    match = replace(_without_requests(match), game=game, steps=(*match.steps, step))
    return _begin_turn(match, event.at) if match.turn != turn else match


def _without_requests(match: Match) -> Match:
    """Drops agreements and requests made before a seat changed hands."""
    return replace(match, takeback_floor=match.ply, draw=None, takeback=None, handover=None, vote_proposal=None)


def _fold_vacated(match: Match, event: Event) -> Match:
    """All clocks stop. A player in grace gets a new grace period afterwards, of the full length."""
    user, seat, body = _user_of(event), number_in(event.body, "seat"), event.body
    leaver = Leaver(user, seat, event.at, parse_fields(body)["cause"])
    match = replace(_fold_charged(match, event), leavers=(*match.leavers, leaver), running_since=None)
    vacancy = Vacancy(seat, user, number_in(body, "until"), seq=event.seq, since=event.at)
    return replace(_without_requests(match), vacancy=vacancy, pings=NO_PINGS)


def _fold_taken_over(match: Match, event: Event, user: int | None = None) -> Match:
    new, seat, vacancy = user or _user_of(event), number_in(event.body, "seat"), match.vacancy
    players = tuple(new if other == seat else old for other, old in enumerate(match.players))
    substitutes = (*match.substitutes, Substitute(new, seat, event.at, match.players[seat], match.ply))
    match = replace(_without_requests(_fold_charged(match, event)), players=players, substitutes=substitutes)
    filled, terms = vacancy is not None and vacancy.seat == seat, match.pace.clock_terms
    bank = optional_number(event.body, "bank")
    if bank is None and terms and (filled or seat == match.turn):  # an older event, without the bank
        bank = max(match.banks[seat], terms.bank)
    if bank is not None:
        match = replace(match, banks=_with_bank(match.banks, seat, bank))
    if filled:
        return _end_vacancy(replace(match, vacancy=None), event)
    if vacancy:  # a vote leaves with its voter: the substitute is asked again
        ballots = tuple(ballot for ballot in vacancy.ballots if ballot[0] in players)
        match = replace(match, vacancy=replace(vacancy, ballots=ballots))
    return _begin_turn(match, event.at) if seat == match.turn else match


def _fold_voted(match: Match, event: Event) -> Match:
    assert match.vacancy is not None, event
    others = tuple(ballot for ballot in match.vacancy.ballots if ballot[0] != event.user)
    ballots = (*others, (_user_of(event), Ballot(event.body)))
    return replace(match, vacancy=replace(match.vacancy, ballots=ballots))


def _fold_vote_opened(match: Match, event: Event) -> Match:
    assert match.vacancy is not None, event
    until = number_in(event.body, "until")
    vacancy = replace(match.vacancy, voting=True, until=until, seq=event.seq, since=event.at)
    vacancy = replace(vacancy, steward=steward_sits(event), house=optional_number(event.body, "house"))
    return replace(match, vacancy=vacancy, vote_proposal=None)


def _fold_prolonged(match: Match, event: Event) -> Match:
    until = number_in(event.body, "until")
    if match.phase is Phase.OPEN:
        return replace(match, prolonged_span=(event.at, until))
    if match.vacancy:
        return replace(match, vacancy=replace(match.vacancy, until=until, since=event.at))
    return _with_pings(match, grace_ends_at=until, grace_began_at=event.at)


def _fold_draw_offered(match: Match, event: Event) -> Match:
    user = _user_of(event)
    others = tuple(offer for offer in match.offered if offer[0] != user)
    return replace(match, draw=PlayerRequest(user, event.seq), offered=(*others, (user, match.ply)))


def _fold_takeback_asked(match: Match, event: Event) -> Match:
    return replace(match, takeback=PlayerRequest(_user_of(event), event.seq, ply=number_in(event.body, "ply")))


def _fold_handover_asked(match: Match, event: Event) -> Match:
    return replace(match, handover=PlayerRequest(_user_of(event), event.seq, to=number_in(event.body, "to")))


def _fold_accepted(field: str) -> Callable[[Match, Event], Match]:
    def fold(match: Match, event: Event) -> Match:
        request: PlayerRequest = getattr(match, field)
        return match.with_fields(**{field: replace(request, accepted=(*request.accepted, _user_of(event)))})

    return fold


def _fold_undone(match: Match, event: Event) -> Match:
    ply, back = number_in(event.body, "ply"), optional_number(event.body, "back")
    game, steps_kept, banks = Game.start(match.variant), [], _banks_at_turn_start(match)
    if back is not None:  # the leaving that ended the game is undone first
        *steps, leaving_step = match.steps
        banks = leaving_step.banks
        match = replace(match, steps=tuple(steps), leavers=match.leavers[:-1])
    for step in match.steps:
        if step.move and len(game.moves) == ply:
            banks = step.banks
            break
        steps_kept.append(step)
        game = step.game_after(game)
    moves = match.started_game.moves[ply:]
    match = replace(match, phase=Phase.LIVE, draw=None, takeback=None)
    match = replace(
        match,
        game=game,
        steps=tuple(steps_kept),
        banks=banks,
        undone=(*match.undone, UndoneMoves(ply, moves)) if moves else match.undone,
        # Ply numbers beyond the end would block takebacks and offers, and take later moves from a substitute.
        substitutes=tuple(taken._replace(ply=min(taken.ply, ply)) for taken in match.substitutes),
        takeback_floor=min(match.takeback_floor, ply),
        offered=tuple((user, min(offered_at, ply)) for user, offered_at in match.offered),
    )
    return _begin_turn(match, event.at)


def _fold_ended(match: Match, event: Event) -> Match:
    game = match.started_game.end_with(parse_outcome(event.body))
    match = replace(match, phase=Phase.OVER, game=game, running_since=None, pings=NO_PINGS)
    return replace(match, draw=None, takeback=None, handover=None, vote_proposal=None)


def _fold_threaded(match: Match, event: Event) -> Match:
    return replace(match, outages=match.outages_until(event.at), thread=int(event.body or 0) or None)


def _fold_rehomed(match: Match, event: Event) -> Match:
    channel, thread = number_in(event.body, "channel"), optional_number(event.body, "thread")
    return replace(match, outages=match.outages_until(event.at), channel=channel, thread=thread)


def _fold_homeless(match: Match, event: Event) -> Match:
    """Its place takes no post, from now on or still: a match without a place can lose its thread as well."""
    *earlier, (since, until) = match.outages or ((event.at, event.at),)
    if until >= event.at:
        return replace(match, outages=(*earlier, (since, FOREVER)))
    return replace(match, outages=(*match.outages, (event.at, FOREVER)))


def _fold_house_promised(match: Match, event: Event) -> Match:
    words = parse_fields(event.body)
    if not words:
        return replace(match, house_promise=None)
    level = words["level"] if words["level"] in HOUSE_LEVELS else HOUSE_LEVELS[0]  # written by another version
    return replace(match, house_promise=HousePromise(level, int(words["until"])))


def _fold_unchanged(match: Match, _: Event) -> Match:
    return match


def _fold_closed(match: Match, event: Event) -> Match:
    return replace(match, phase=Phase.CLOSED, expired=event.kind is EventKind.EXPIRED)


def _drop_user(users: tuple[int, ...], user: int) -> tuple[int, ...]:
    return tuple(other for other in users if other != user)


def _user_of(event: Event) -> int:
    assert event.user is not None, event
    return event.user


FOLD: dict[EventKind, Callable[[Match, Event], Match]] = {
    EventKind.JOINED: _fold_joined,
    EventKind.LEFT: lambda match, event: replace(match, joined=_drop_user(match.joined, _user_of(event))),
    EventKind.DECLINED: _fold_declined,
    EventKind.CANCELLED: _fold_closed,
    EventKind.EXPIRED: _fold_closed,
    EventKind.STARTED: _fold_started,
    EventKind.THREADED: _fold_threaded,
    EventKind.MOVED: _fold_moved,
    EventKind.RESIGNED: _fold_player_left,
    EventKind.ENDED: _fold_ended,
    EventKind.CHARGED: _fold_charged,
    EventKind.REMINDED: lambda match, event: _with_pings(match, reminded_at=event.at, snoozed_until=0),
    EventKind.SNOOZED: lambda match, event: _with_pings(match, snoozed_until=number_in(event.body, "until")),
    EventKind.NUDGED: _fold_nudged,
    EventKind.GRACE: lambda match, event: _with_pings(
        match, grace_ends_at=number_in(event.body, "until"), grace_began_at=event.at, snoozed_until=0
    ),
    EventKind.GIVEN: _fold_bank_set,
    EventKind.TIMED_OUT: _fold_player_left,
    EventKind.STILL: lambda match, event: _with_pings(match, warned_at=event.at),
    EventKind.CLOSED_STILL: _fold_unchanged,
    EventKind.VACATED: _fold_vacated,
    EventKind.TAKEN_OVER: _fold_taken_over,
    EventKind.VOTE: _fold_vote_opened,
    EventKind.VOTED: _fold_voted,
    EventKind.VOTE_PROPOSED: lambda match, event: replace(
        match, vote_proposal=PlayerRequest(_user_of(event), event.seq)
    ),
    EventKind.VOTE_PROPOSAL_DROPPED: lambda match, _: replace(match, vote_proposal=None),
    EventKind.PASSIVE: _fold_passive,
    EventKind.HANDOVER_ASKED: _fold_handover_asked,
    EventKind.HANDOVER_ACCEPTED: _fold_accepted("handover"),
    EventKind.HANDOVER_DECLINED: lambda match, _: replace(match, handover=None),
    EventKind.DRAW_OFFERED: _fold_draw_offered,
    EventKind.DRAW_ACCEPTED: _fold_accepted("draw"),
    EventKind.DRAW_DECLINED: lambda match, _: replace(match, draw=None),
    EventKind.DRAW_CLAIMED: _fold_unchanged,
    EventKind.TAKEBACK_ASKED: _fold_takeback_asked,
    EventKind.TAKEBACK_ACCEPTED: _fold_accepted("takeback"),
    EventKind.TAKEBACK_DECLINED: lambda match, _: replace(match, takeback=None),
    EventKind.UNDONE: _fold_undone,
    EventKind.CLOCK_SET: _fold_clock_set,
    EventKind.REPLACED: lambda match, event: _fold_taken_over(match, event, number_in(event.body, "by")),
    EventKind.REWOUND: _fold_undone,
    EventKind.ABORTED: _fold_unchanged,
    EventKind.ANNULLED: lambda match, _: replace(match, annulled=True),
    EventKind.RENAMED: lambda match, event: replace(match, title=title_of(event)),
    EventKind.HOMELESS: _fold_homeless,
    EventKind.REHOMED: _fold_rehomed,
    EventKind.AWAY: _fold_unchanged,
    EventKind.BACK: _fold_unchanged,
    EventKind.OVERDUE: lambda match, _: _with_pings(match, is_overdue=True),
    EventKind.PROLONGED: _fold_prolonged,
    EventKind.FORGOTTEN: _fold_unchanged,
    EventKind.UNREACHED: _fold_unchanged,
    EventKind.HOUSE_PROMISED: _fold_house_promised,
}
