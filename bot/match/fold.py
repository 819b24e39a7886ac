"""The fold: what each kind of event makes of a match. Judges nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bot.match.events import (
    Ballot,
    Event,
    EventKind,
    number,
    optional,
    parse_fields,
    parse_numbers,
    parse_outcome,
    parse_turn,
    steward_sits,
    title_of,
)
from bot.match.parts import (
    NO_PINGS,
    BoardChange,
    Leaver,
    Nudge,
    Phase,
    Promise,
    Substitute,
    Undone,
    Vacancy,
    Wish,
)
from bot.people.clock import refilled
from bot.people.house import LEVELS, is_house
from rules import Cause, Game, Seat, read_recorded

if TYPE_CHECKING:
    from bot.match.match import Match  # which imports this module


def _joined(match: Match, event: Event) -> Match:
    user = _user(event)
    joined, invited, declined = (*match.joined, user), _without(match.invited, user), _without(match.declined, user)
    return replace(match, joined=joined, invited=invited, declined=declined)


def _declined(match: Match, event: Event) -> Match:
    user = _user(event)
    return replace(match, invited=_without(match.invited, user), declined=(*match.declined, user))


def _started(match: Match, event: Event) -> Match:
    players, terms = parse_numbers(event.body), match.pace.terms
    banks = (terms.bank,) * len(players) if terms else ()
    game, casual = Game.start(match.variant), any(map(is_house, players))
    match = replace(match, phase=Phase.LIVE, players=players, casual=casual, game=game, banks=banks)
    return _turn_begins(match, event.at)


def _turn_begins(match: Match, at: int, **changes: Any) -> Match:
    """Somebody is to move from now on. The changes are none of the phase, and none that touch a vacancy."""
    return _restarted(match, at, moved_at=at, pings=NO_PINGS, charged=0, thought=0, **changes)


def _restarted(match: Match, at: int, **changes: Any) -> Match:
    """The clock runs from now on, if there is one and no seat is vacant; none does while a house player thinks."""
    runs = match.banks and match.is_live and not match.vacancy
    if runs:
        game: Game = changes.get("game", match.started_game)
        runs = not is_house(match.players[game.position.turn])
    return match.changed(running=at if runs else None, **changes)


def _moved(match: Match, event: Event) -> Match:
    turn, seat = parse_turn(event.body), match.turn
    move = read_recorded(turn.text, match.variant.board)
    step = BoardChange(seat, move, turn.passes, _turn_banks(match), turn.auto, turn.planned)
    # A planned move costs no time: what has been taken off for this turn comes back.
    banks, terms = step.banks if turn.planned else match.banks, match.pace.terms
    used = match.since_running(event.at) if turn.used is None else turn.used
    if used is not None and terms:
        banks = _set(banks, seat, refilled(terms, banks[seat], used))
    game = match.started_game.follow(move, turn.passes)
    if match.vacancy and not game.position.plays(match.vacancy.seat):
        # Its last piece is captured: there is nothing to take over or to wait for. What was done to it stays.
        match = replace(match, vacancy=None, takeback_floor=len(game.moves))
    agreed = _agreed(match, game, match.players[seat]) if match.draw or match.handover else {}
    # All at once: every copy of a match costs as much as the move itself, and a game is replayed from all its moves.
    return _turn_begins(match, event.at, game=game, steps=(*match.steps, step), banks=banks, takeback=None, **agreed)


def _agreed(match: Match, game: Game, mover: int) -> dict[str, Any]:
    """What still stands, after a move, of what had been offered and asked.

    An offer of a draw ends with the next move of whoever made it. And everything does where somebody has lost the last
    piece: they have no say any more, and what the others had agreed to was another game.
    """
    was, position = match.started_game.position, game.position
    if any(was.plays(seat) and not position.plays(seat) for seat in match.variant.seats):
        return {"draw": None, "handover": None}
    return {"draw": None} if match.draw and match.draw.user == mover else {}


def _turn_banks(match: Match) -> tuple[int, ...]:
    return _set(match.banks, match.turn, match.banks[match.turn] + match.charged) if match.banks else ()


def _set(banks: tuple[int, ...], seat: Seat, bank: int) -> tuple[int, ...]:
    return tuple(bank if other == seat else old for other, old in enumerate(banks))


def _charge(match: Match, event: Event) -> Match:
    """What has been used of this turn is taken off the bank."""
    used = optional(event.body, "used")
    if used is None or not match.banks:
        return match
    taken = min(used, match.banks[match.turn])  # what was used beyond it would come back with a takeback
    banks = _set(match.banks, match.turn, match.banks[match.turn] - taken)
    running = match.running and event.at
    return replace(match, banks=banks, running=running, charged=match.charged + taken, thought=match.thought + used)


def _bank_set(match: Match, event: Event) -> Match:
    seat, bank = number(event.body, "seat"), number(event.body, "bank")
    match = _charge(match, event)
    match = replace(match, banks=_set(match.banks, seat, bank))
    if seat != match.turn:
        return match
    charged = optional(event.body, "charged") or 0  # older gifts do not say, and the turn began anew with them
    pings = replace(match.pings, grace=None, overdue=False, since=0, warned=None)
    return _restarted(match, event.at, charged=charged, pings=pings)


def _clock_set(match: Match, event: Event) -> Match:
    """As a referee has set it, also after moves that are taken back: the ruling is not undone with them."""
    match, seat = _bank_set(match, event), number(event.body, "seat")
    bank = match.banks[seat]
    return replace(match, steps=tuple(step._replace(banks=_set(step.banks, seat, bank)) for step in match.steps))


def _nudged(match: Match, event: Event) -> Match:
    nudge = Nudge(_user(event), match.players[match.turn], event.at)
    return replace(match, nudges=(*(other for other in match.nudges if other[:2] != nudge[:2]), nudge))


def _pinged(match: Match, **changes: Any) -> Match:
    return replace(match, pings=replace(match.pings, **changes))


def _resigned(match: Match, event: Event) -> Match:
    user = _user(event)
    seat = match.players.index(user)
    cause = Cause.TIMEOUT if event.kind is EventKind.TIMED_OUT else Cause.RESIGNATION
    match = replace(match, leavers=(*match.leavers, Leaver(user, seat, event.at, cause.value)))
    return _out(match, seat, event)


def _passive(match: Match, event: Event) -> Match:
    return _resumed(_out(replace(match, vacancy=None), number(event.body, "seat"), event), event)


def _resumed(match: Match, event: Event) -> Match:
    """A vacancy has ended. If the event says so, the turn goes on as it was; older events begin it anew.

    The board is shown again with it, so that nobody is reminded at the same moment.
    """
    if "turn" not in parse_fields(event.body):
        return _turn_begins(match, event.at)
    return _restarted(match, event.at, pings=replace(NO_PINGS, reminded=event.at))


def _out(match: Match, seat: Seat, event: Event) -> Match:
    """Nobody plays that seat any more, or a steward."""
    turn, passes = match.turn, parse_turn(event.body).passes
    step = BoardChange(seat, None, passes, _turn_banks(match), steward=steward_sits(event))
    game = step.taken(match.started_game)
    match = replace(_settled(match), game=game, steps=(*match.steps, step))
    return _turn_begins(match, event.at) if match.turn != turn else match


def _settled(match: Match) -> Match:
    """A seat changes hands: what had been agreed or asked before holds no longer."""
    return replace(match, takeback_floor=match.ply, draw=None, takeback=None, handover=None)


def _vacated(match: Match, event: Event) -> Match:
    """All clocks stand. Whoever was in grace gets one anew afterwards, as long as everybody's."""
    user, seat, body = _user(event), number(event.body, "seat"), event.body
    leaver = Leaver(user, seat, event.at, parse_fields(body)["cause"])
    match = replace(_charge(match, event), leavers=(*match.leavers, leaver), running=None)
    vacancy = Vacancy(seat, user, number(body, "until"), seq=event.seq, since=event.at)
    return replace(_settled(match), vacancy=vacancy, pings=NO_PINGS)


def _taken_over(match: Match, event: Event, user: int | None = None) -> Match:
    new, seat, vacancy = user or _user(event), number(event.body, "seat"), match.vacancy
    players = tuple(new if other == seat else old for other, old in enumerate(match.players))
    substitutes = (*match.substitutes, Substitute(new, seat, event.at, match.players[seat], match.ply))
    match = replace(_settled(_charge(match, event)), players=players, substitutes=substitutes)
    filled, terms = vacancy is not None and vacancy.seat == seat, match.pace.terms
    bank = optional(event.body, "bank")
    if bank is None and terms and (filled or seat == match.turn):  # an older event, which leaves it to be reckoned
        bank = max(match.banks[seat], terms.bank)
    if bank is not None:
        match = replace(match, banks=_set(match.banks, seat, bank))
    if filled:
        return _resumed(replace(match, vacancy=None), event)
    if vacancy:  # a vote goes with whoever has cast it: the substitute is asked anew
        ballots = tuple(ballot for ballot in vacancy.ballots if ballot[0] in players)
        match = replace(match, vacancy=replace(vacancy, ballots=ballots))
    return _turn_begins(match, event.at) if seat == match.turn else match


def _voted(match: Match, event: Event) -> Match:
    assert match.vacancy is not None, event
    others = tuple(ballot for ballot in match.vacancy.ballots if ballot[0] != event.user)
    ballots = (*others, (_user(event), Ballot(event.body)))
    return replace(match, vacancy=replace(match.vacancy, ballots=ballots))


def _vote(match: Match, event: Event) -> Match:
    assert match.vacancy is not None, event
    until = number(event.body, "until")
    vacancy = replace(match.vacancy, voting=True, until=until, seq=event.seq, since=event.at)
    vacancy = replace(vacancy, steward=steward_sits(event), house=optional(event.body, "house"))
    return replace(match, vacancy=vacancy)


def _prolonged(match: Match, event: Event) -> Match:
    until = number(event.body, "until")
    if match.phase is Phase.OPEN:
        return replace(match, waits=(event.at, until))
    if match.vacancy:
        return replace(match, vacancy=replace(match.vacancy, until=until, since=event.at))
    return _pinged(match, grace=until, since=event.at)


def _offered(match: Match, event: Event) -> Match:
    user = _user(event)
    others = tuple(offer for offer in match.offered if offer[0] != user)
    return replace(match, draw=Wish(user, event.seq), offered=(*others, (user, match.ply)))


def _takeback_asked(match: Match, event: Event) -> Match:
    return replace(match, takeback=Wish(_user(event), event.seq, ply=number(event.body, "ply")))


def _handover_asked(match: Match, event: Event) -> Match:
    return replace(match, handover=Wish(_user(event), event.seq, to=number(event.body, "to")))


def _accepted(wish: str) -> Callable[[Match, Event], Match]:
    def fold(match: Match, event: Event) -> Match:
        asked: Wish = getattr(match, wish)
        return match.changed(**{wish: replace(asked, accepted=(*asked.accepted, _user(event)))})

    return fold


def _undone(match: Match, event: Event) -> Match:
    ply, back = number(event.body, "ply"), optional(event.body, "back")
    game, kept, banks = Game.start(match.variant), [], _turn_banks(match)
    if back is not None:  # their leaving, which had ended the game, is the first thing to be undone
        *steps, left = match.steps
        banks, leavers = left.banks, match.leavers[:-1]
        match = replace(match, steps=tuple(steps), leavers=leavers)
    for step in match.steps:
        if step.move and len(game.moves) == ply:
            banks = step.banks
            break
        kept.append(step)
        game = step.taken(game)
    moves = match.started_game.moves[ply:]
    match = replace(
        match,
        game=game,
        steps=tuple(kept),
        banks=banks,
        phase=Phase.LIVE,
        draw=None,
        takeback=None,
        undone=(*match.undone, Undone(ply, moves)) if moves else match.undone,
        # Numbers of moves that are gone would let nobody take back, or offer, what they may by the moves that are left.
        takeback_floor=min(match.takeback_floor, ply),
        offered=tuple((user, min(made, ply)) for user, made in match.offered),
    )
    return _turn_begins(match, event.at)


def _ended(match: Match, event: Event) -> Match:
    game = match.started_game.end(parse_outcome(event.body))
    over = replace(match, phase=Phase.OVER, game=game, running=None, pings=NO_PINGS)
    return replace(over, draw=None, takeback=None, handover=None)


def _threaded(match: Match, event: Event) -> Match:
    return replace(_at_home(match, event), thread=int(event.body or 0) or None)


def _rehomed(match: Match, event: Event) -> Match:
    channel, thread = number(event.body, "channel"), optional(event.body, "thread")
    return replace(_at_home(match, event), channel=channel, thread=thread)


def _at_home(match: Match, event: Event) -> Match:
    """The bot can post where the match is played."""
    if match.homeless_since is None:
        return match
    return replace(match, homeless_since=None, strays=(*match.strays, (match.homeless_since, event.at)))


def _homeless(match: Match, event: Event) -> Match:
    """The bot cannot post there, from now on or still: a match without a place can lose its thread as well."""
    if match.strays and match.strays[-1][1] == event.at:
        return replace(match, homeless_since=match.strays[-1][0], strays=match.strays[:-1])
    return replace(match, homeless_since=event.at)


def _promised(match: Match, event: Event) -> Match:
    words = parse_fields(event.body)
    if not words:
        return replace(match, promised=None)
    level = words["level"] if words["level"] in LEVELS else LEVELS[0]  # of another version
    return replace(match, promised=Promise(level, int(words["until"])))


def _unchanged(match: Match, _: Event) -> Match:
    return match


def _closed(match: Match, _: Event) -> Match:
    return replace(match, phase=Phase.CLOSED)


def _without(users: tuple[int, ...], user: int) -> tuple[int, ...]:
    return tuple(other for other in users if other != user)


def _user(event: Event) -> int:
    assert event.user is not None, event
    return event.user


FOLD: dict[EventKind, Callable[[Match, Event], Match]] = {
    EventKind.JOINED: _joined,
    EventKind.LEFT: lambda match, event: replace(match, joined=_without(match.joined, _user(event))),
    EventKind.DECLINED: _declined,
    EventKind.CANCELLED: _closed,
    EventKind.EXPIRED: _closed,
    EventKind.STARTED: _started,
    EventKind.THREADED: _threaded,
    EventKind.MOVED: _moved,
    EventKind.RESIGNED: _resigned,
    EventKind.ENDED: _ended,
    EventKind.CHARGED: _charge,
    EventKind.REMINDED: lambda match, event: _pinged(match, reminded=event.at, snoozed=0),
    EventKind.SNOOZED: lambda match, event: _pinged(match, snoozed=number(event.body, "until")),
    EventKind.NUDGED: _nudged,
    EventKind.GRACE: lambda match, event: _pinged(match, grace=number(event.body, "until"), since=event.at, snoozed=0),
    EventKind.GIVEN: _bank_set,
    EventKind.TIMED_OUT: _resigned,
    EventKind.STILL: lambda match, event: _pinged(match, warned=event.at),
    EventKind.CLOSED_STILL: _unchanged,
    EventKind.VACATED: _vacated,
    EventKind.TAKEN_OVER: _taken_over,
    EventKind.VOTE: _vote,
    EventKind.VOTED: _voted,
    EventKind.PASSIVE: _passive,
    EventKind.HANDOVER_ASKED: _handover_asked,
    EventKind.HANDOVER_ACCEPTED: _accepted("handover"),
    EventKind.HANDOVER_DECLINED: lambda match, _: replace(match, handover=None),
    EventKind.DRAW_OFFERED: _offered,
    EventKind.DRAW_ACCEPTED: _accepted("draw"),
    EventKind.DRAW_DECLINED: lambda match, _: replace(match, draw=None),
    EventKind.DRAW_CLAIMED: _unchanged,
    EventKind.TAKEBACK_ASKED: _takeback_asked,
    EventKind.TAKEBACK_ACCEPTED: _accepted("takeback"),
    EventKind.TAKEBACK_DECLINED: lambda match, _: replace(match, takeback=None),
    EventKind.UNDONE: _undone,
    EventKind.CLOCK_SET: _clock_set,
    EventKind.REPLACED: lambda match, event: _taken_over(match, event, number(event.body, "by")),
    EventKind.REWOUND: _undone,
    EventKind.ABORTED: _unchanged,
    EventKind.ANNULLED: lambda match, _: replace(match, annulled=True),
    EventKind.RENAMED: lambda match, event: replace(match, title=title_of(event)),
    EventKind.HOMELESS: _homeless,
    EventKind.REHOMED: _rehomed,
    EventKind.AWAY: _unchanged,
    EventKind.BACK: _unchanged,
    EventKind.OVERDUE: lambda match, _: _pinged(match, overdue=True),
    EventKind.PROLONGED: _prolonged,
    EventKind.FORGOTTEN: _unchanged,
    EventKind.UNREACHED: _unchanged,
    EventKind.HOUSE_PROMISED: _promised,
}
