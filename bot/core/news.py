"""The announcements to the players of a match, made from its events: one for each turn or act."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field, replace

from bot.core.clock import seconds_lost
from bot.core.deadlines import NO_PEOPLE, PeopleById, absences_in_match
from bot.core.events import (
    ASKING_EVENTS,
    CALLING_MOVER_EVENTS,
    CALLING_PLAYERS_EVENTS,
    CALLING_SEATED_EVENTS,
    DECLINING_EVENTS,
    NEWSWORTHY_EVENTS,
    SEAT_ABANDONED_EVENTS,
    Event,
    EventKind,
    RequestKind,
    parse_fields,
)
from bot.core.fold import replay_states
from bot.core.house_seats import is_house
from bot.core.match import BoardChange, Match
from bot.core.offers import users_awaited
from rules import Cause, Move, Position, Seat


@dataclass(frozen=True, slots=True)
class News:
    """One announcement to the players. `seq` is the number of the last event that it covers."""

    seq: int
    match: Match
    """The match after the event, including the end that followed from it. Its place and the outages of it are the
    current ones, so that the news reaches the players there and shows the deadline that counts."""
    event: Event
    match_before: Match | None = None
    """The match just before; None for the start."""
    calls: tuple[int, ...] = ()
    """The users that the news calls."""
    pinged_users: tuple[int, ...] = ()
    """The called users that it pings now. Users called by later news, or for a turn that is over, are not pinged."""
    overtaken: bool = False
    """True if nobody needs the news any more because later events replaced it."""
    earlier: tuple[News, ...] = ()
    """The news from which this move followed by itself, in order: they are announced together."""
    people: PeopleById = field(default_factory=dict, compare=False)
    """The players' clock settings today."""
    seconds_stood: int = 0
    """The seconds since the previous news in which nobody could be reached and no clock ran."""
    posted_at: int = 0
    """When the news is posted, which may be long after the event; 0 if it is posted at once."""

    @property
    def kind(self) -> EventKind:
        """The kind of event that the news is about."""
        return self.event.kind

    @property
    def change(self) -> BoardChange | None:
        """The move, or the leaving of a player, that the news is about; None for any other news."""
        return self.match.changes[-1] if self.match_before and self.kind in _CHANGE_EVENTS else None

    @property
    def position_before(self) -> Position | None:
        """The position before that change; None for any other news."""
        return self.match_before.started_game.position if self.match_before and self.change else None

    @property
    def move(self) -> Move | None:
        return self.change.move if self.change else None

    @property
    def user(self) -> int | None:
        """The user who acted: moved, resigned, offered … For news that happens by itself, the user concerned."""
        return self.match_before.to_move if self.match_before and self.move else self.event.user

    @property
    def passed(self) -> tuple[Seat, ...]:
        """The seats whose turns passed after that change because they could not move."""
        change, position = self.change, self.position_before
        if change is None or position is None or not change.passes:
            return ()
        if change.move:
            position = position.after_move(change.move)
        else:
            position = position.after_leaving(change.seat, steward=change.steward)
        seats: list[Seat] = []
        for _ in range(change.passes):
            seats.append(position.turn)
            position = position.after_pass()
        return tuple(seats)

    @property
    def seats_without_pieces(self) -> tuple[Seat, ...]:
        """The seats whose last piece that move has taken; empty if it has ended the game."""
        before = self.position_before
        if before is None or not self.move or self.match.outcome:
            return ()
        after = self.match.started_game.position
        return tuple(seat for seat in self.match.variant.seats if before.has_pieces(seat) > after.has_pieces(seat))

    @property
    def users_out(self) -> tuple[int, ...]:
        """The people who are out because they have lost their last piece."""
        still_in = self.match_before.people_in if self.match_before else ()
        return tuple(user for seat in self.seats_without_pieces if (user := self.match.players[seat]) in still_in)

    @property
    def auto(self) -> bool:
        """Whether the move was the only legal one and the bot played it."""
        return self.change is not None and self.change.auto

    @property
    def planned(self) -> bool:
        """Whether the move was planned and the bot played it."""
        return self.change is not None and self.change.planned

    @property
    def told_together(self) -> tuple[News, ...]:
        """The news announced together: the earlier news that led to this one, then this one."""
        return (*self.earlier, self)

    def as_posted(self, now: int) -> News:
        """Returns the news for a post at `now`: with it, an outage of the match's place ends, and a list of games may
        call the players in place of their first board.
        """
        is_listed = self.kind is EventKind.STARTED and now < (self.match.terms.called_until or 0)
        match, pinged = replace(self.match, place=self.match.place.reach(now)), () if is_listed else self.pinged_users
        return replace(self, match=match, posted_at=now, pinged_users=pinged)

    @property
    def is_by_steward(self) -> bool:
        """Whether the news is a steward's move."""
        return self.move is not None and self.match_before is not None and self.match_before.is_stewards_turn


_CHANGE_EVENTS = SEAT_ABANDONED_EVENTS | {EventKind.MOVED}


def collect_news(
    match_id: int, events: Iterable[Event], after_seq: int, people: PeopleById = NO_PEOPLE, since: Match | None = None
) -> tuple[News, ...]:
    """Returns the news after event number `after_seq`. `events` must be all events of the match.

    If the next event is a move, the match `since` and the events after it are enough.
    """
    items: list[News] = []
    before, clock = since, since.clock if since else None
    last_told_at = max(clock.turn_began_at, clock.reminded_at, clock.grace_began_at) if clock else 0
    told_before_at: dict[int, int] = {}
    """When the players were last notified, keyed by the number of the first event announced after that."""
    for event, match in replay_states(match_id, events, since):
        if event.kind is EventKind.ENDED and items:
            items[-1] = replace(items[-1], seq=event.seq, match=match)
        elif event.seq >= after_seq and event.kind in NEWSWORTHY_EVENTS and before:
            item = News(event.seq, match, event, None if event.kind is EventKind.STARTED else before)
            _add_news(items, item, after_seq)
        if event.kind in NEWSWORTHY_EVENTS:
            told_before_at[event.seq], last_told_at = last_told_at, event.at
        before = match
    assert before is not None
    spans = absences_in_match(before, people)

    def complete(item: News) -> News:
        first = item.told_together[0]
        stood = seconds_lost(spans, told_before_at[first.event.seq], item.event.at) if item.match.clock.banks else 0
        called = (*(() if first.move else _people_called(first)), *_people_called(item))
        called += tuple(user for told in item.told_together for user in told.users_out)
        match = replace(item.match, place=before.place)
        return replace(item, match=match, calls=tuple(dict.fromkeys(called)), people=people, seconds_stood=stood)

    return _ping_once(complete(item) for item in items if item.seq > after_seq)


def _add_news(items: list[News], item: News, after_seq: int) -> None:
    """Adds the latest news, in place of what it makes superfluous and with what led to it."""
    last = items[-1] if items else None
    # A house player answered an offer at once, or the last player who could wait for a substitute has left.
    if last and (_is_accepted_at_once(last, item.event) or _includes_leaving(last, item.event)):
        items.pop()
        last = items[-1] if items else None
    if last and last.seq > after_seq and _is_follow_up_of(item, last):
        items.pop()
        item = replace(item, earlier=(*last.earlier, replace(last, earlier=())))
    items.append(item)


def _ping_once(items: Iterable[News]) -> tuple[News, ...]:
    """Marks overtaken news, and lets the rest ping each person only once."""
    marked: list[News] = []
    called_later: set[int] = set()
    for item in reversed([*items]):
        if marked and _is_overtaken(item, marked):
            marked.append(replace(item, overtaken=True))
            continue
        last = marked[0].match if marked else item.match
        marked.append(replace(item, pinged_users=_users_to_ping(item, last, called_later)))
        called_later.update(item.calls)
    return tuple(marked[::-1])


def _users_to_ping(item: News, last: Match, called_later: Set[int]) -> tuple[int, ...]:
    """Returns the users that the news pings, if later news has led to the match `last` and calls `called_later`.

    The player to move is pinged while that turn lasts. Others are pinged by the last news that calls anybody, and
    always when they may claim.
    """
    is_same_turn = item.match.board_version == last.board_version
    others = not called_later or item.kind is EventKind.OVERDUE or item.users_out
    return tuple(
        user
        for user in item.calls
        if user not in called_later
        and ((is_same_turn and user == last.to_move) or (others and user != item.match.to_move))
    )


def _is_overtaken(item: News, later: Iterable[News]) -> bool:
    """Whether the later news makes this news superfluous."""
    if item.kind is EventKind.OVERDUE:  # its button is needed as long as there is something to claim
        return not all(other.match.clock.is_overdue for other in later)
    return item.kind is EventKind.REMINDED


def _includes_leaving(item: News, event: Event) -> bool:
    """Whether the player's leaving (the event) has also made a vacant seat passive."""
    is_leaving = event.kind in (EventKind.RESIGNED, EventKind.TIMED_OUT)
    return is_leaving and item.kind is EventKind.PASSIVE and (item.seq + 1, item.event.at) == (event.seq, event.at)


HOUSE_ANSWER_WAIT_S = 10
"""Seconds for which a move waits for a house player's answer, to be announced with it. Answers hardly ever take two."""


def hold_for_house_answer(items: Sequence[News], now: int) -> Sequence[News]:
    """Leaves out the last move if a house player is about to answer it: both are announced together."""
    if not items:
        return items
    last = items[-1]
    waits = last.kind is EventKind.MOVED and last.match.house_to_move and now < last.event.at + HOUSE_ANSWER_WAIT_S
    return items[:-1] if waits else items


def _is_accepted_at_once(item: News, event: Event) -> bool:
    """Whether the event is a house player's agreement to the draw offered just before."""
    is_answer = event.kind is EventKind.DRAW_ACCEPTED and item.seq + 1 == event.seq
    return is_answer and item.kind is EventKind.DRAW_OFFERED and is_house(event.user)


def _is_follow_up_of(item: News, last: News) -> bool:
    """Whether a move followed by itself from the last news: a steward's from any news, another one from a move.

    A house player needs a moment, so its answers have a later time than the move that they answer.
    """
    if last.seq + 1 != item.event.seq:
        return False
    moved = last.kind is EventKind.MOVED
    if moved and is_house(item.user):
        return True
    return last.event.at == item.event.at and (item.is_by_steward or (moved and (item.auto or item.planned)))


def _people_called(item: News) -> tuple[int, ...]:
    """Returns the people that the news calls: those who have to act next or, at the end, all but the user who caused
    it. House players are left out."""
    return tuple(user for user in _users_called(item) if not is_house(user))


def _users_called(item: News) -> tuple[int, ...]:
    match, kind = item.match, item.kind
    called: tuple[int | None, ...] = ()
    if match.outcome or kind in CALLING_SEATED_EVENTS:
        replaced = item.match_before.players if item.match_before and kind is EventKind.REPLACED else ()
        called = tuple(dict.fromkeys((*match.players, *replaced)))
    elif kind in CALLING_PLAYERS_EVENTS:
        called = (*match.people_in, item.user) if _is_timeout(item) else match.people_in
    elif kind in CALLING_MOVER_EVENTS:
        called = (match.to_move,)
        if kind is EventKind.TAKEN_OVER and item.match_before and not item.match_before.vacancy:
            called += (item.user,)  # a seat was handed over; the substitute may have agreed long ago
        return tuple(user for user in dict.fromkeys(called) if user is not None)
    else:
        called = _users_awaited(item)
    concerns = kind is EventKind.STILL or _is_timeout(item)  # the user did not cause it
    first = item.told_together[0]
    actor = None if concerns or first.planned or is_house(item.user) else first.user
    return tuple(user for user in called if user is not None and user != actor)


def _is_timeout(item: News) -> bool:
    """Whether a player is out of the game because their time ran out."""
    leaving_cause = item.kind is EventKind.VACATED and parse_fields(item.event.body)["cause"]
    return item.kind is EventKind.TIMED_OUT or leaving_cause == Cause.TIMEOUT.value


def _users_awaited(item: News) -> tuple[int, ...]:
    """The users whose answer is wanted, or who have waited for this answer."""
    match, match_before = item.match, item.match_before
    if kind := ASKING_EVENTS.get(item.kind):
        return match.people_in if kind is RequestKind.VOTE else users_awaited(match, kind)
    if (kind := DECLINING_EVENTS.get(item.kind)) and match_before:
        request = match_before.requests.of_kind(kind)
        return (request.user,) if request else ()
    match item.kind:
        case EventKind.OVERDUE if item.user is not None:
            return match.opponents_of(item.user)
        case EventKind.VOTED:
            return match.people_in
        case EventKind.PROLONGED if match.is_live:
            return match.people_in if match.vacancy else (match.players[match.turn],)
    return ()
