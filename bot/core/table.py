"""Decisions about tables: opening one, taking and leaving its seats, and moving the match to another place."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from bot.core.clock import Pace
from bot.core.deadlines import Actor, Shuffle
from bot.core.events import Event, EventKind, Opening, Seating, format_fields, format_numbers, format_opening
from bot.core.fold import replay_match
from bot.core.house_seats import free_house_players, is_person
from bot.core.match import Happening, HousePromise, Match, Phase, drop_user
from bot.core.problems import MatchError, Problem
from engine.levels import HANDICAPS, begin_with_handicap
from rules import VARIANTS, Position, Seat, Variant, format_position


class TableOptions(NamedTuple):
    """What the host of a new table chooses."""

    variant: str
    """One of VARIANTS."""
    invited: tuple[int, ...] = ()
    seating: Seating = Seating.RANDOM
    thread: bool = False
    """Whether the game gets a thread, if the server leaves that to the host."""
    pace: Pace | None = None
    """None: the pace of the server."""
    vacations: bool = True
    seat: Seat | None = None
    """The host's own seat, if the seating is CHOSEN."""
    house_level: str | None = None
    """The level of the house players who take all other seats at once, or a handicap; None if people take them."""
    ladder: bool = False
    position: Position | None = None
    """Where the game begins, if not at the variant's start: only if house players take all other seats."""


def open_table(opening: Opening, host: int, now: int) -> tuple[Event, ...]:
    """The first events of a match: the host opens a table with seats reserved for the invited users."""
    invited, most = opening.invited, len(opening.terms.variant.seats) - 1
    MatchError.raise_if(host in invited, Problem.OPPONENT_IS_YOU)
    if twice := [user for user in invited if invited.count(user) > 1]:
        raise MatchError(Problem.OPPONENT_TWICE, user=twice[0])
    MatchError.raise_if(len(invited) > most, Problem.TOO_MANY_OPPONENTS, most=most)
    opened = Event(1, now, EventKind.OPENED, host, format_opening(opening))
    if opening.position is None:
        return (opened,)
    return opened, Event(2, now, EventKind.POSITION_SET, None, format_position(opening.position))


def join_table(match: Match, actor: Actor) -> tuple[Event, ...]:
    """The user takes a seat; the game starts when the last seat is taken."""
    user = actor.user
    match.refuse_if(user in match.table.joined and match.phase is not Phase.CLOSED, Problem.ALREADY_JOINED)
    match.require_open()
    match.refuse_if(user not in match.table.invited and not match.free_seats, Problem.TABLE_FULL)
    return take_seats(match, (user,), actor.now, actor.shuffle)


def settle_handicap(options: TableOptions, shuffle: Shuffle) -> TableOptions:
    """Those options with the level, the host's seat and the position of a handicap; without one as they are.

    The seat decides whose piece is missing, so random seats are dealt here. Raises NO_HANDICAP if people are invited.
    """
    variant, step = VARIANTS[options.variant], options.house_level or ""
    if step not in HANDICAPS:
        return options
    MatchError.raise_if(options.invited, Problem.NO_HANDICAP)
    seats = [*variant.seats]
    if options.seating is Seating.RANDOM:
        shuffle(seats)
    seat = seats[0] if options.seat is None else options.seat
    position = begin_with_handicap(variant, step, seat)
    return options._replace(seating=Seating.CHOSEN, seat=seat, house_level=HANDICAPS[step], position=position)


def begin_game(opening: Opening, order: Sequence[int], now: int) -> tuple[Match, tuple[Event, ...]]:
    """A game that begins without a table that people fill: returns it, still without its number, and its events.

    `order` are its users in seat order: the first invites the others, in the order in which they join.
    """
    events = open_table(opening._replace(invited=tuple(order[1:])), order[0], now)
    for user in order[1:]:
        events += join_table(replay_match(0, events), Actor(user, now))
    return replay_match(0, events), events


def seat_order_with(variant: Variant, host: int, seat: Seat) -> tuple[int, ...]:
    """The seat order in which the host has the chosen seat. Raises NO_SUCH_SEAT if the variant lacks that seat."""
    MatchError.raise_if(seat not in variant.seats, Problem.NO_SUCH_SEAT, most=len(variant.seats))
    return tuple(host if other == seat else 0 for other in variant.seats)


def seat_house_players(match: Match, actor: Actor, level: str, count: int) -> tuple[Event, ...]:
    """The host gives up to `count` free seats to house players of that level; the last seat taken starts the game.

    Fewer are seated if fewer seats are left: somebody may have sat down in the meantime.
    """
    require_host(match, actor)
    match.refuse_if(not match.free_seats, Problem.TABLE_FULL)
    house_players = free_house_players(level, min(count, match.free_seats), match.table.joined)
    return take_seats(match, house_players, actor.now, actor.shuffle)


def promise_house(match: Match, actor: Actor, level: str, until: int | None) -> tuple[Event, ...]:
    """The host decides that house players of that level take the seats still empty at `until`; None withdraws that."""
    require_host(match, actor)
    promised = None if until is None else HousePromise(level, until)
    if promised == match.table.house_promise:
        return ()
    body = "" if until is None else format_fields(level=level, until=until)
    return match.next_events(actor.now, (EventKind.HOUSE_PROMISED, actor.user, body))


def keep_house_promise(match: Match, now: int, shuffle: Shuffle, *, has_house: bool) -> tuple[Event, ...]:
    """House players take every empty seat, reserved ones too, if the promised time has come.

    Without `has_house`, the server no longer wants any, and the promise is withdrawn.
    """
    promised = match.table.house_promise
    if match.phase is not Phase.OPEN or promised is None:
        return ()
    if not has_house:
        return match.next_events(now, (EventKind.HOUSE_PROMISED, match.table.host, ""))
    if now < promised.until:
        return ()
    empty = len(match.variant.seats) - len(match.table.joined)
    return take_seats(match, free_house_players(promised.level, empty, match.table.joined), now, shuffle)


def take_seats(match: Match, users: Sequence[int], now: int, shuffle: Shuffle) -> tuple[Event, ...]:
    """The users take seats; the game begins if all seats are then taken."""
    happenings: list[Happening] = [(EventKind.JOINED, user, "") for user in users]
    order = [*match.table.joined, *users]
    if len(order) < len(match.variant.seats):
        return match.next_events(now, *happenings)
    if match.terms.seating is Seating.RANDOM:
        shuffle(order)
    elif wanted := match.terms.order:
        others = iter([user for user in order if user not in wanted])  # users who sit in place of the invited
        order = [user if user in order else next(others) for user in wanted]
    return match.next_events(now, *happenings, (EventKind.STARTED, None, format_numbers(order)))


def rematch_opening(match: Match, user: int) -> Opening:
    """The table for a rematch of a finished match: one of its players invites the others.

    The seats are those of `next_seat_order`; from a set position, which suits one seat, they stay. A rematch of a
    ladder game does not count for the ladder, which pairs its climbers itself.
    """
    match.refuse_if(user not in match.players, Problem.NOT_A_PLAYER)
    match.refuse_if(match.phase is not Phase.OVER, Problem.NOT_OVER)
    invited = drop_user(tuple(filter(is_person, match.players)), user)
    position = None if invited else match.set_position
    order = match.players if position else next_seat_order(match.players)
    terms = match.terms._replace(
        seating=Seating.ROTATED, order=order, rematch_of=match.id, ladder=False, vacation_cap=None, called_until=None
    )
    return Opening(match.guild, match.place.channel, terms, invited, position=position)


def next_seat_order(order: Sequence[int]) -> tuple[int, ...]:
    """The seat order after that one: neighbours change seats, so that rematches go through every order.

    Three players go through all six, ABC, BAC, BCA, CBA, CAB, ACB, so that everybody has each seat and attacks each of
    the others equally often. Which neighbours change follows from the order itself, because each change turns an even
    permutation (of the users by number) into an odd one.

    >>> next_seat_order([1, 2, 3]), next_seat_order([2, 1, 3]), next_seat_order([2, 1])
    ((2, 1, 3), (2, 3, 1), (1, 2))
    """
    is_odd = sum(one > other for one, other in combinations(order, 2)) % 2
    *earlier, one, other = order if is_odd else order[:2]
    return (*earlier, other, one) if is_odd else (other, one, *order[2:])


def leave_table(match: Match, actor: Actor) -> tuple[Event, ...]:
    """The user gives up their seat; anyone may take it."""
    match.require_open()
    match.refuse_if(actor.user not in match.table.joined, Problem.NOT_SEATED)
    match.refuse_if(actor.user == match.table.host, Problem.HOST_STAYS)
    return match.next_events(actor.now, (EventKind.LEFT, actor.user, ""))


def decline_invitation(match: Match, actor: Actor) -> tuple[Event, ...]:
    """The user declines; the seat reserved for them is free for anyone."""
    match.require_open()
    match.refuse_if(actor.user not in match.table.invited, Problem.NOT_INVITED)
    return match.next_events(actor.now, (EventKind.DECLINED, actor.user, ""))


def cancel_table(match: Match, actor: Actor) -> tuple[Event, ...]:
    """The host closes the table."""
    require_host(match, actor)
    return match.next_events(actor.now, (EventKind.CANCELLED, actor.user, ""))


def require_host(match: Match, actor: Actor) -> None:
    """Raises unless the person is the host of an open table."""
    match.require_open()
    match.refuse_if(actor.user != match.table.host, Problem.NOT_HOST, host=match.table.host)


def move_to_thread(match: Match, thread: int | None, now: int) -> tuple[Event, ...]:
    """The match continues in that thread, or without one in its channel; nothing if it is known to be there already.

    Call this only where the bot can post: a clock runs from here on.
    """
    has_moved = thread != match.place.thread or match.place.is_lost
    return match.next_events(now, (EventKind.THREADED, None, str(thread or ""))) if has_moved else ()


def note_channel_lost(match: Match, now: int, *, thread_gone: bool = False) -> tuple[Event, ...]:
    """The bot can no longer post where the match is played; nothing if that is known, or the match is not running.

    `thread_gone`: only the channel is left, where the bot cannot post either.
    """
    if not match.is_live:
        return ()
    lost: Happening = (EventKind.HOMELESS, None, "")
    if thread_gone and match.place.thread is not None:
        return match.next_events(now, (EventKind.THREADED, None, ""), lost)
    return () if match.place.is_lost else match.next_events(now, lost)


def move_to_channel(match: Match, actor: Actor, channel: int, thread: int | None = None) -> tuple[Event, ...]:
    """A player moves the match to another channel of the server, or to a thread in it."""
    match.require_live()
    match.refuse_if(actor.user not in match.players, Problem.NOT_A_PLAYER)
    if (thread or channel) == match.place.thread_or_channel and not match.place.is_lost:
        return ()
    return match.next_events(actor.now, (EventKind.REHOMED, actor.user, format_fields(channel=channel, thread=thread)))
