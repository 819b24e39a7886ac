"""The fold: the effect of each kind of event on a match. Judges nothing. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import reduce

from bot.core.clock import Clock, with_bank
from bot.core.events import (
    ACCEPTING_EVENTS,
    ASKING_EVENTS,
    DECLINING_EVENTS,
    Ballot,
    Event,
    EventKind,
    RequestKind,
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
from bot.core.match import (
    BoardChange,
    GameTable,
    Hint,
    HousePromise,
    Leaver,
    Match,
    Phase,
    Place,
    PlayerRequest,
    Requests,
    Roster,
    UndoneMoves,
    Vacancy,
    drop_user,
)
from bot.core.problems import MatchError, Problem
from rules import Cause, Game, Seat, read_position, read_recorded


def replay_match(match_id: int, events: Iterable[Event]) -> Match:
    """Returns the match after those events, which must be all of its events so far."""
    opened, *later = events
    return fold_events(_match_from_opening(match_id, opened), later)


def replay_states(match_id: int, events: Iterable[Event], match: Match | None = None) -> Iterator[tuple[Event, Match]]:
    """Yields each event with the match right after it. `match` is the match before the events, None at the opening."""
    for event in events:
        match = fold_event(match, event) if match else _match_from_opening(match_id, event)
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
    MatchError.raise_if(ply not in match_by_ply or ply > last, Problem.NO_SUCH_PLY, number=match_id, last=last)
    return match_by_ply[ply]


def fold_event(match: Match, event: Event) -> Match:
    """Returns the match after the next event. Does not check whether the event is allowed."""
    assert event.seq == match.seq + 1, (event, match.seq)
    after = FOLD[event.kind](match, event)
    return after if after.seq == event.seq else replace(after, seq=event.seq)


def fold_events(match: Match, events: Iterable[Event]) -> Match:
    """Returns the match after those events."""
    return reduce(fold_event, events, match)


# The table


def _match_from_opening(match_id: int, event: Event) -> Match:
    assert event.kind is EventKind.OPENED, event
    opening, host = parse_opening(event.body), _user_of(event)
    return Match(
        match_id,
        opening.terms,
        Place(opening.guild, opening.channel),
        GameTable(host, event.at, joined=(host,), invited=opening.invited),
        Clock((), event.at),
        title=opening.title,
        seq=event.seq,
    )


def _fold_joined(match: Match, event: Event) -> Match:
    return replace(match, table=match.table.seat(_user_of(event)))


def _fold_left(match: Match, event: Event) -> Match:
    return replace(match, table=replace(match.table, joined=drop_user(match.table.joined, _user_of(event))))


def _fold_declined(match: Match, event: Event) -> Match:
    user, table = _user_of(event), match.table
    invited, declined = drop_user(table.invited, user), (*table.declined, user)
    return replace(match, table=replace(table, invited=invited, declined=declined))


def _fold_house_promised(match: Match, event: Event) -> Match:
    words, promise = parse_fields(event.body), None
    if words:
        level = words["level"] if words["level"] in HOUSE_LEVELS else HOUSE_LEVELS[0]  # written by another version
        promise = HousePromise(level, int(words["until"]))
    return replace(match, table=replace(match.table, house_promise=promise))


def _fold_closed(match: Match, event: Event) -> Match:
    expired = event.kind is EventKind.EXPIRED
    return replace(match, phase=Phase.CLOSED, table=replace(match.table, expired=expired))


def _fold_started(match: Match, event: Event) -> Match:
    players, terms = parse_numbers(event.body), match.terms.pace.clock_terms
    clock = replace(match.clock, banks=(terms.bank,) * len(players) if terms else ())
    roster, game = Roster(players), match.fresh_game
    match = replace(match, phase=Phase.LIVE, roster=roster, game=game, clock=clock, began_at=event.at)
    return _begin_turn(match, event.at)


# The board


def _fold_moved(match: Match, event: Event) -> Match:
    turn, seat, clock = parse_turn(event.body), match.turn, match.clock
    move = read_recorded(turn.text, match.variant.board)
    change = BoardChange(seat, move, turn.passes, clock.banks_at_turn_start(seat), turn.auto, turn.planned)
    used = clock.seconds_running(event.at) if turn.used is None else turn.used
    if used is None and match.paused_until and not match.house_to_move:
        used = 0  # a move in a pause is as good as one after it
    banks = clock.banks_after_move(seat, used, match.terms.pace.clock_terms, planned=turn.planned)
    game = match.started_game.apply_recorded(move, turn.passes)
    requests = _requests_after_move(match, game) if match.requests.standing else match.requests
    if match.vacancy and not game.position.is_playing(match.vacancy.seat):
        # Its last piece was captured: nothing is left to take over or to wait for. Earlier effects of the vacancy stay.
        requests = requests.drop(RequestKind.VOTE)
        match = replace(match, vacancy=None, takeback_floor=len(game.moves))
    clock = clock.begin_turn(event.at, runs=_clock_runs(match, game), banks=banks)
    return replace(match, seq=event.seq, game=game, changes=(*match.changes, change), requests=requests, clock=clock)


def _requests_after_move(match: Match, game: Game) -> Requests:
    """The requests that stand after the move that leads to that game.

    A draw offer ends with its maker's next move; all that needs agreement ends if anybody has lost their last piece.
    """
    before, after, requests = match.started_game.position, game.position, match.requests.drop(RequestKind.TAKEBACK)
    if any(before.is_playing(seat) and not after.is_playing(seat) for seat in match.variant.seats):
        return requests.drop(RequestKind.DRAW, RequestKind.HANDOVER, RequestKind.PAUSE)
    draw = requests.of_kind(RequestKind.DRAW)
    return requests.drop(RequestKind.DRAW) if draw and draw.user == match.players[match.turn] else requests


def _fold_undone(match: Match, event: Event) -> Match:
    ply, back = number_in(event.body, "ply"), optional_number(event.body, "back")
    game, changes, banks = match.fresh_game, list[BoardChange](), match.clock.banks_at_turn_start(match.turn)
    undoable, roster = list(match.changes), match.roster
    if back is not None:  # the leaving that ended the game is undone first
        *undoable, leaving = undoable
        banks, roster = leaving.banks, replace(roster, leavers=roster.leavers[:-1])
    for change in undoable:
        if change.move and len(game.moves) == ply:
            banks = change.banks
            break
        changes.append(change)
        game = change.game_after(game)
    moves = match.started_game.moves[ply:]
    # Ply numbers beyond the end would block takebacks and offers, and take later moves from a substitute.
    substitutes = tuple(taken._replace(ply=min(taken.ply, ply)) for taken in roster.substitutes)
    offers = tuple((user, min(offered_at, ply)) for user, offered_at in match.requests.draw_offers)
    match = replace(
        match,
        phase=Phase.LIVE,
        ended_at=None,
        game=game,
        changes=tuple(changes),
        clock=replace(match.clock, banks=banks),
        undone=(*match.undone, UndoneMoves(ply, moves)) if moves else match.undone,
        roster=replace(roster, substitutes=substitutes),
        takeback_floor=min(match.takeback_floor, ply),
        requests=replace(match.requests.drop(RequestKind.DRAW, RequestKind.TAKEBACK), draw_offers=offers),
    )
    return _begin_turn(match, event.at)


def _fold_hinted(match: Match, event: Event) -> Match:
    move = read_recorded(event.body.partition(" ")[0], match.variant.board)
    return replace(match, hints=(*match.hints, Hint(_user_of(event), number_in(event.body, "board"), move)))


def _fold_ended(match: Match, event: Event) -> Match:
    game = match.started_game.end_with(parse_outcome(event.body))
    requests = match.requests.drop(*RequestKind)
    return replace(match, phase=Phase.OVER, ended_at=event.at, game=game, clock=match.clock.stop(), requests=requests)


# The clock


def _begin_turn(match: Match, at: int) -> Match:
    return replace(match, clock=match.clock.begin_turn(at, runs=_clock_runs(match)))


def _clock_runs(match: Match, game: Game | None = None) -> bool:
    """Whether a clock may run now: no seat is vacant, the game is not paused, and no house player is to move."""
    turn = (game or match.started_game).position.turn
    return match.is_live and not (match.vacancy or match.paused_until or is_house(match.players[turn]))


def _fold_charged(match: Match, event: Event) -> Match:
    """Takes the time used in this turn off the bank."""
    used = optional_number(event.body, "used")
    return match if used is None else replace(match, clock=match.clock.charge(match.turn, used, event.at))


def _fold_bank_set(match: Match, event: Event) -> Match:
    seat, bank = number_in(event.body, "seat"), number_in(event.body, "bank")
    clock = _fold_charged(match, event).clock.set_bank(seat, bank)
    if seat == match.turn:
        charged = optional_number(event.body, "charged") or 0  # older gifts do not say, and began the turn again
        clock = replace(clock.end_grace(), seconds_charged=charged).restart(event.at, runs=_clock_runs(match))
    return replace(match, clock=clock)


def _fold_clock_set(match: Match, event: Event) -> Match:
    """Sets the clock by a referee's ruling, in earlier turns too: a takeback does not undo the ruling."""
    match, seat = _fold_bank_set(match, event), number_in(event.body, "seat")
    bank = match.clock.banks[seat]
    changes = tuple(change._replace(banks=with_bank(change.banks, seat, bank)) for change in match.changes)
    return replace(match, changes=changes)


def _fold_paused(match: Match, event: Event) -> Match:
    """The clock stops. A player in grace gets a new grace period afterwards, of the full length."""
    match = _fold_charged(match, event)
    requests = match.requests.drop(RequestKind.PAUSE)
    return replace(match, clock=match.clock.stop(), paused_until=number_in(event.body, "until"), requests=requests)


def _fold_resumed(match: Match, event: Event) -> Match:
    """The turn continues. The pause is neither stillness nor time to be reminded of."""
    match = replace(match, paused_until=None)
    clock = replace(match.clock, turn_began_at=event.at, reminded_at=event.at)
    return replace(match, clock=clock.restart(event.at, runs=_clock_runs(match)))


# Seats that change hands


def _fold_player_left(match: Match, event: Event) -> Match:
    user = _user_of(event)
    seat = match.players.index(user)
    cause = Cause.TIMEOUT if event.kind is EventKind.TIMED_OUT else Cause.RESIGNATION
    return _close_seat(_with_leaver(match, Leaver(user, seat, event.at, cause.value)), seat, event)


def _with_leaver(match: Match, leaver: Leaver) -> Match:
    return replace(match, roster=replace(match.roster, leavers=(*match.roster.leavers, leaver)))


def _close_seat(match: Match, seat: Seat, event: Event) -> Match:
    """A steward or nobody plays that seat from now on."""
    turn, passes = match.turn, parse_turn(event.body).passes
    change = BoardChange(seat, None, passes, match.clock.banks_at_turn_start(turn), steward=steward_sits(event))
    game = change.game_after(match.started_game)
    match = replace(_without_requests(match), game=game, changes=(*match.changes, change))
    return _begin_turn(match, event.at) if match.turn != turn else match


def _without_requests(match: Match) -> Match:
    """Drops agreements and requests made before a seat changed hands."""
    return replace(match, takeback_floor=match.ply, requests=match.requests.drop(*RequestKind))


def _fold_passive(match: Match, event: Event) -> Match:
    return _end_vacancy(_close_seat(replace(match, vacancy=None), number_in(event.body, "seat"), event), event)


def _end_vacancy(match: Match, event: Event) -> Match:
    """Ends a vacancy. If the event says so, the current turn continues; older events begin it again.

    The board is posted again with the event, so no reminder is posted at the same moment.
    """
    if "turn" not in parse_fields(event.body):
        return _begin_turn(match, event.at)
    clock = replace(match.clock.stop(), reminded_at=event.at)
    return replace(match, clock=clock.restart(event.at, runs=_clock_runs(match)))


def _fold_vacated(match: Match, event: Event) -> Match:
    """All clocks stop. A player in grace gets a new grace period afterwards, of the full length."""
    user, seat, body = _user_of(event), number_in(event.body, "seat"), event.body
    match = _with_leaver(_fold_charged(match, event), Leaver(user, seat, event.at, parse_fields(body)["cause"]))
    vacancy = Vacancy(seat, user, number_in(body, "until"), seq=event.seq, since=event.at)
    return replace(_without_requests(match), vacancy=vacancy, clock=match.clock.stop())


def _fold_new_player(match: Match, event: Event) -> Match:
    """Somebody takes a seat over, or a referee gives it to them."""
    user = number_in(event.body, "by") if event.kind is EventKind.REPLACED else _user_of(event)
    seat, vacancy = number_in(event.body, "seat"), match.vacancy
    roster = match.roster.replace_player(seat, user, match.ply)
    match = replace(_without_requests(_fold_charged(match, event)), roster=roster)
    filled, terms = vacancy is not None and vacancy.seat == seat, match.terms.pace.clock_terms
    bank = optional_number(event.body, "bank")
    if bank is None and terms and (filled or seat == match.turn):  # an older event, without the bank
        bank = max(match.clock.banks[seat], terms.bank)
    if bank is not None:
        match = replace(match, clock=match.clock.set_bank(seat, bank))
    if filled:
        return _end_vacancy(replace(match, vacancy=None), event)
    if vacancy:  # a vote leaves with its voter: the substitute is asked again
        ballots = tuple(ballot for ballot in vacancy.ballots if ballot[0] in roster.players)
        match = replace(match, vacancy=replace(vacancy, ballots=ballots))
    return _begin_turn(match, event.at) if seat == match.turn else match


def _fold_voted(match: Match, event: Event) -> Match:
    assert match.vacancy is not None, event
    others = tuple(ballot for ballot in match.vacancy.ballots if ballot[0] != event.user)
    ballots = (*others, (_user_of(event), Ballot(event.body)))
    return replace(match, vacancy=replace(match.vacancy, ballots=ballots))


def _fold_vote_opened(match: Match, event: Event) -> Match:
    assert match.vacancy is not None, event
    until, user = number_in(event.body, "until"), optional_number(event.body, "house")
    vacancy = replace(match.vacancy, voting=True, until=until, seq=event.seq, since=event.at, house_player=user)
    return replace(match, vacancy=vacancy, requests=match.requests.drop(RequestKind.VOTE))


def _fold_prolonged(match: Match, event: Event) -> Match:
    until = number_in(event.body, "until")
    if match.phase is Phase.OPEN:
        return replace(match, table=replace(match.table, prolonged_span=(event.at, until)))
    if match.vacancy:
        return replace(match, vacancy=replace(match.vacancy, until=until, since=event.at))
    return replace(match, clock=replace(match.clock, grace_ends_at=until, grace_began_at=event.at))


# Requests


def _fold_asked(match: Match, event: Event) -> Match:
    kind, user, body = ASKING_EVENTS[event.kind], _user_of(event), event.body
    request = PlayerRequest(
        kind,
        user,
        event.seq,
        ply=optional_number(body, "ply") or 0,
        to=optional_number(body, "to") or 0,
        until=optional_number(body, "until") or 0,
    )
    requests = match.requests.add(request)
    if kind is RequestKind.DRAW:
        others = tuple(offer for offer in requests.draw_offers if offer[0] != user)
        requests = replace(requests, draw_offers=(*others, (user, match.ply)))
    return replace(match, requests=requests)


def _fold_accepted(match: Match, event: Event) -> Match:
    request = match.requests.of_kind(ACCEPTING_EVENTS[event.kind])
    assert request is not None, event
    accepted = (*request.accepted, _user_of(event))
    return replace(match, requests=match.requests.add(replace(request, accepted=accepted)))


def _fold_request_dropped(match: Match, event: Event) -> Match:
    return replace(match, requests=match.requests.drop(DECLINING_EVENTS[event.kind]))


# The place


def _fold_threaded(match: Match, event: Event) -> Match:
    place = match.place
    return replace(match, place=place.move_to(place.channel, int(event.body or 0) or None, event.at))


def _fold_rehomed(match: Match, event: Event) -> Match:
    channel, thread = number_in(event.body, "channel"), optional_number(event.body, "thread")
    return replace(match, place=match.place.move_to(channel, thread, event.at))


def _user_of(event: Event) -> int:
    assert event.user is not None, event
    return event.user


Fold = Callable[[Match, Event], Match]


def _on_clock(change: Callable[[Clock, Event], Clock]) -> Fold:
    """The fold that changes only the clock."""
    return lambda match, event: replace(match, clock=change(match.clock, event))


_TOLD_ONLY_EVENTS = (
    *(EventKind.DRAW_CLAIMED, EventKind.ABORTED, EventKind.CLOSED_STILL, EventKind.UNREACHED),
    *(EventKind.AWAY, EventKind.BACK, EventKind.FORGOTTEN),
)
"""These are told to people, and change nothing."""

FOLD: dict[EventKind, Fold] = {
    # The table
    EventKind.POSITION_SET: lambda match, event: replace(match, set_position=read_position(event.body)),
    EventKind.JOINED: _fold_joined,
    EventKind.LEFT: _fold_left,
    EventKind.DECLINED: _fold_declined,
    EventKind.HOUSE_PROMISED: _fold_house_promised,
    EventKind.CANCELLED: _fold_closed,
    EventKind.EXPIRED: _fold_closed,
    EventKind.STARTED: _fold_started,
    # The board
    EventKind.MOVED: _fold_moved,
    EventKind.HINTED: _fold_hinted,
    EventKind.UNDONE: _fold_undone,
    EventKind.REWOUND: _fold_undone,
    EventKind.ENDED: _fold_ended,
    EventKind.ANNULLED: lambda match, _: replace(match, annulled=True),
    EventKind.RENAMED: lambda match, event: replace(match, title=title_of(event)),
    # The clock
    EventKind.CHARGED: _fold_charged,
    EventKind.GIVEN: _fold_bank_set,
    EventKind.CLOCK_SET: _fold_clock_set,
    EventKind.PROLONGED: _fold_prolonged,
    EventKind.PAUSED: _fold_paused,
    EventKind.RESUMED: _fold_resumed,
    EventKind.REMINDED: _on_clock(lambda clock, event: replace(clock, reminded_at=event.at, snoozed_until=0)),
    EventKind.NUDGED: _on_clock(lambda clock, event: replace(clock, nudged_at=event.at)),
    EventKind.SNOOZED: _on_clock(lambda clock, event: replace(clock, snoozed_until=number_in(event.body, "until"))),
    EventKind.GRACE: _on_clock(lambda clock, event: clock.begin_grace(event.at, number_in(event.body, "until"))),
    EventKind.OVERDUE: _on_clock(lambda clock, _: replace(clock, is_overdue=True)),
    EventKind.STILL: _on_clock(lambda clock, event: replace(clock, warned_at=event.at)),
    # Seats that change hands
    EventKind.RESIGNED: _fold_player_left,
    EventKind.TIMED_OUT: _fold_player_left,
    EventKind.VACATED: _fold_vacated,
    EventKind.TAKEN_OVER: _fold_new_player,
    EventKind.REPLACED: _fold_new_player,
    EventKind.PASSIVE: _fold_passive,
    EventKind.VOTE: _fold_vote_opened,
    EventKind.VOTED: _fold_voted,
    # Requests
    **dict.fromkeys(ASKING_EVENTS, _fold_asked),
    **dict.fromkeys(ACCEPTING_EVENTS, _fold_accepted),
    **dict.fromkeys(DECLINING_EVENTS, _fold_request_dropped),
    # The place
    EventKind.THREADED: _fold_threaded,
    EventKind.REHOMED: _fold_rehomed,
    EventKind.HOMELESS: lambda match, event: replace(match, place=match.place.lose(event.at)),
    **dict.fromkeys(_TOLD_ONLY_EVENTS, lambda match, _: match),
}
