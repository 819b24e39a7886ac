"""Making moves, and leaving the game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import islice

from bot.match.events import Event, EventKind, Turn, format_fields, format_outcome, format_turn
from bot.match.match import Happening, Match
from bot.people.clock import ALWAYS, HOUR, Habits, Span, counted, deadline
from bot.people.problems import Problem
from bot.people.settings import Person
from rules import Cause, Game, Move, Outcome, Seat, format_move, iter_moves, steward_move

CALL = 48 * HOUR
"""Seconds for which a substitute is looked for."""

People = Mapping[int, Person]
"""The players as the clock knows them; who is not in it, has asked for nothing."""

NO_PEOPLE: People = {}


def move(
    match: Match, user: int, text: str, now: int, board_version: int | None = None, people: People = NO_PEOPLE
) -> tuple[Event, ...]:
    """The user moves. `board_version` is that of the board they saw, if known.

    Raises MatchError, or what `rules.parse_move` raises.
    """
    game = match.require_turn(user, board_version)
    return _played(match, game.play(text), now, people)


def automove(match: Match, now: int, people: People = NO_PEOPLE) -> tuple[Event, ...]:
    """The only legal outcome, played for whoever is to move if they want that; nothing otherwise."""
    user = match.to_move
    if user is None or not people.get(user, Person()).settings.automove:
        return ()
    game = match.started_game
    moves = list(islice(iter_moves(game.position), 2))
    return _played(match, game.apply(moves[0]), now, people, auto=True) if len(moves) == 1 else ()


def planned(match: Match, legal: Move, now: int, people: People = NO_PEOPLE) -> tuple[Event, ...]:
    """That move, which has been judged, played for whoever is to move, who has planned it. It costs no time."""
    return _played(match, match.started_game.apply(legal), now, people, planned=True)


def steward(match: Match, now: int) -> tuple[Event, ...]:
    """What the steward does whose turn it is; nothing otherwise. It passes by itself, as who cannot move."""
    if not match.stewarded:
        return ()
    game = match.started_game
    only = steward_move(game.position)
    assert only is not None
    return _played(match, game.apply(only), now, NO_PEOPLE, auto=True)


def _played(
    match: Match, played: Game, now: int, people: People, *, auto: bool = False, planned: bool = False
) -> tuple[Event, ...]:
    game, last = match.started_game, played.moves[-1]
    passes = _passes(lambda n: game.follow(last, n), played)
    spent = used(match, now, people)
    if planned and spent is not None:
        spent = 0
    # Left out where the fold can reckon it: it would be every sixth byte of the database.
    counts = None if spent == match.since_running(now) else spent
    turn = Turn(format_move(last, match.variant.board), passes, counts, auto, planned)
    return match.next(now, (EventKind.MOVED, None, format_turn(turn)), *end(played))


def used(match: Match, now: int, people: People) -> int | None:
    """The seconds that count since the clock of the player to move was started; None where none runs."""
    user = match.to_move
    if match.running is None or user is None:
        return None
    return counted(habits(match, user, people), match.running, now)


def habits(match: Match, user: int, people: People) -> Habits:
    """When that player's clock stands still in this match."""
    own = people[user].habits if user in people else ALWAYS
    if own.vacations and not match.vacations:
        own = replace(own, vacations=())
    return replace(own, absences=(*own.absences, *match.astray)) if match.astray else own


def absences(match: Match, people: People) -> tuple[Span, ...]:
    """When nobody could move in this match or be told of it: its server or its place could not be reached."""
    return (*next((person.absences for person in people.values()), ()), *match.astray)


def lasts(match: Match, since: int, until: int, people: People) -> int:
    """When a chance is over that began at `since` and was to last until `until`: absences make it longer."""
    return deadline(Habits(absences=absences(match, people)), since, until - since)


def resign(match: Match, user: int, now: int, people: People = NO_PEOPLE, *, call: bool = True) -> tuple[Event, ...]:
    """The user leaves the game, whoever's turn it is.

    If two others are still in, people among them, the seat becomes vacant and a substitute is called for; without a
    `call`, a steward sits there from now on. House players do not play on among themselves.
    """
    game = match.require_playing(user)
    seat = match.players.index(user)
    match.refuse_if(not game.position.plays(seat), Problem.ELIMINATED)
    return leaving(match, seat, Cause.RESIGNATION, now, people, call=call)


def leaving(
    match: Match, seat: Seat, cause: Cause, now: int, people: People, *, call: bool = True, by: int | None = None
) -> tuple[Event, ...]:
    """What follows when the player of that seat, who is still in, leaves: a vacant seat, a steward, or the end.

    `by` is the opponent who has claimed that the time is up.
    """
    user = match.players[seat]
    if call and match.opponents(user) and len(match.still_in) > 2:
        body = format_fields(seat=seat, cause=cause.value, until=now + CALL, used=used(match, now, people), by=by)
        return match.next(now, (EventKind.VACATED, user, body))
    game = match.started_game
    happenings: list[Happening] = []
    if match.vacancy:  # nobody is left to wait for a substitute
        game, made = passive(game, match.vacancy.seat, steward=False)
        happenings += made
        if game.outcome:
            return match.next(now, *happenings)
    left, words = _left(game, seat, steward=bool(match.opponents(user)))
    kind = EventKind.TIMED_OUT if cause is Cause.TIMEOUT else EventKind.RESIGNED
    happenings.append((kind, user, format_fields(**words, by=by)))
    if left.outcome:
        ended = Outcome(cause, left.outcome.winners) if left.outcome.cause is Cause.RESIGNATION else left.outcome
        happenings.append((EventKind.ENDED, None, format_outcome(ended)))
    elif not match.opponents(user):
        winners = tuple(seat for seat in match.variant.seats if left.position.plays(seat))
        happenings.append((EventKind.ENDED, None, format_outcome(Outcome(cause, winners))))
    return match.next(now, *happenings)


def seating(match: Match, seat: Seat, now: int, people: People = NO_PEOPLE, **words: object) -> str:
    """The body of an event by which a substitute sits down: whose bank is at least what everybody began with.

    "turn:on" says that the seat was vacant and another player's turn, which goes on.
    """
    spent, terms = used(match, now, people), match.pace.terms
    left = match.banks[seat] - (spent or 0 if seat == match.turn else 0) if terms else 0
    goes_on = match.vacancy is not None and match.vacancy.seat == seat != match.turn
    return format_fields(
        seat=seat, **words, bank=max(left, terms.bank) if terms else None, used=spent, turn="on" if goes_on else None
    )


def passive(game: Game, seat: Seat, *, steward: bool) -> tuple[Game, tuple[Happening, ...]]:
    """The game in which nobody plays that seat any more, or a steward, and what happens; its end too if it comes to it.

    What the steward does if it is its turn, follows by itself.
    """
    left, words = _left(game, seat, steward=steward)
    goes_on = left.position.turn == game.position.turn and not left.outcome and not left.position.stewarded
    body = format_fields(seat=seat, **words, turn="on" if goes_on else None)
    return left, ((EventKind.PASSIVE, None, body), *end(left))


def _left(game: Game, seat: Seat, *, steward: bool) -> tuple[Game, dict[str, int | None]]:
    """The game after the player of that seat has left, and the words for it; no steward sits where the game is over."""
    left = game.resign(seat, steward=steward)
    sits = seat in left.position.stewards
    passes = _passes(lambda n: game.follow_resignation(seat, n, steward=sits), left)
    return left, {"pass": passes or None, "steward": 1 if sits else None}


def without_winner(cause: Cause) -> Happening:
    """The end of the match, drawn or without a result."""
    return EventKind.ENDED, None, format_outcome(Outcome(cause, ()))


def end(game: Game) -> tuple[Happening, ...]:
    """The end of the match, if the game has come to it."""
    return ((EventKind.ENDED, None, format_outcome(game.outcome)),) if game.outcome else ()


def _passes(follow: Callable[[int], Game], decided: Game) -> int:
    """How many turns passed in what was decided: the number with which following the record leads to the same game."""
    for passes in range(len(decided.variant.seats) + 1):
        followed = follow(passes)
        if (followed.position, followed.quiet) == (decided.position, decided.quiet):
            return passes
    raise AssertionError(decided)
