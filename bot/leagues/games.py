"""The games of leagues: setting them up, the points for their results, and their state at the end of a season."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from bot.core import table
from bot.core.clock import DAY, VacationCap
from bot.core.deadlines import PeopleById, is_overdue, seconds_used
from bot.core.events import Event, EventKind, Opening, Seating, parse_turn
from bot.core.match import Match, replay_states
from bot.core.results import FinishedGame, seconds_spent
from bot.leagues import rows, season_rows
from bot.leagues.adjudication import UnfinishedGame
from bot.leagues.league import League
from bot.leagues.points import Points, shared_points
from bot.leagues.season import LeagueGame
from bot.store import Writer
from bot.store.people import load_people
from bot.store.server_settings import load_guild_settings
from rules import Seat


async def begin_game(tx: Writer, league: League, order: Sequence[int], title: str, now: int) -> Match:
    """Starts a game of these users, in seat order, in public. A person's limit of games does not apply."""
    settings = await load_guild_settings(tx, league.guild)
    opening = Opening(
        league.guild,
        league.channel,
        league.variant,
        Seating.JOIN_ORDER,
        settings.threads.gives_thread(wanted=True),
        tuple(order[1:]),
        league.terms.pace,
        vacation_cap=VacationCap(league.terms.vacation_days * DAY, league.begins_at),
        title=title,
    )
    match, events = table.begin_at_once(opening, order, now)
    return replace(match, id=await tx.add_match(match, events, await load_people(tx, order)))


async def note_result(tx: Writer, match: Match, old: FinishedGame | None, new: FinishedGame | None, now: int) -> None:
    """Stores how a league game counts after a change of its result, if its season is still running."""
    keyed_game = await season_rows.game_of_match(tx, match.id)
    if keyed_game is None:
        return
    key, game = keyed_game
    league = await rows.load_league(tx, key.league)
    if league is None or not league.is_on or league.season != key.season or game.verdict is not None:
        return
    seats = await season_rows.seats_of(tx, key.league, key.season)
    users = {seat.entry: seat.user for seat in seats if seat.division == game.division}
    points = None if new is None else points_of(match, [users[entry] for entry in game.entries])
    await season_rows.set_points(tx, key, points, now)
    await rows.note_change(tx, league.id)


def points_of(match: Match, users: Sequence[int]) -> tuple[Points, ...]:
    """Returns the points of a finished game per seat. `users` are the people who have these seats in the league.

    A game without a result counts as a draw, until a referee decides. The points of a substitute count for nobody.
    """
    seats = range(len(users))
    winners = match.outcome.winners if match.outcome and not match.annulled else ()
    sharing = seats if match.annulled else [*winners] or [seat for seat in seats if _is_in(match, seat)]
    points = shared_points(len(users), sharing or seats)
    return tuple(0 if _is_substituted(match, seat, users[seat]) else share for seat, share in enumerate(points))


def _is_substituted(match: Match, seat: Seat, user: int) -> bool:
    """Whether a substitute plays that seat in this game; `user` has it in the league.

    When a person of the reserve takes over a seat in the league, the games that are over keep their points.
    """
    return match.players[seat] != user and any(substitute.seat == seat for substitute in match.substitutes)


def _is_in(match: Match, seat: Seat) -> bool:
    """Whether a seat has pieces and its player has not left, now or when the game ended."""
    return match.started_game.position.is_playing(seat) and match.players[seat] not in match.resigned_users


def unfinished_game(
    match: Match,
    events: Iterable[Event],
    game: LeagueGame,
    users: Sequence[int],
    gone: Collection[int],
    proved: Seat | None,
    now: int,
    people: PeopleById,
) -> UnfinishedGame:
    """Returns the facts that decide a game at the end of its season. `gone` are people who have left the league."""
    moves = Counter(step.seat for step in match.steps if step.move)  # moves that were taken back do not count
    seconds = Counter[Seat]()
    before: Match | None = None
    for event, after in replay_states(match.id, events):
        if event.kind is EventKind.MOVED and before is not None:
            seconds[before.turn] += seconds_spent(event, parse_turn(event.body), before)
        before = after
    if match.banks:
        seconds[match.turn] += match.seconds_thought + (seconds_used(match, now, people) or 0)
    elif match.vacancy is None:
        seconds[match.turn] += max(now - match.moved_at, 0)
    seats = range(len(game.entries))
    return UnfinishedGame(
        tuple(moves[seat] for seat in seats),
        tuple(_is_in(match, seat) and match.players[seat] not in gone for seat in seats),
        tuple(seconds[seat] for seat in seats),
        match.turn,
        is_overdue(match, now, people),
        proved,
        frozenset(seat for seat in seats if _is_substituted(match, seat, users[seat])),
    )
