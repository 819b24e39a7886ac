"""Leagues: opening them, signing up and leaving, and the decisions of referees."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from bot.core.acts import HandOver, Resign
from bot.core.deadlines import Actor
from bot.core.match import Match
from bot.core.problems import MatchError
from bot.core.ratings import NEW_RATING
from bot.leagues import rows
from bot.leagues.groups import (
    Divisions,
    Group,
    LeagueGame,
    LeagueSeat,
    SeatState,
    make_groups,
    move_people,
    next_divisions,
)
from bot.leagues.league import (
    LIST_DELAY_S,
    MAX_LEAGUES,
    MAX_PEOPLE,
    League,
    LeagueError,
    LeagueProblem,
    LeagueState,
    NewsKind,
    SignOff,
    SignUp,
    Verdict,
    games_to_finish,
    score_game,
    score_lost_game,
)
from bot.leagues.rows import LeagueRuling
from bot.play.service.matches import Service
from bot.store import Job, Reader, Writer
from bot.store.results import ratings_of
from rules import Seat


class SignUpList(NamedTuple):
    """Who has signed up for the next season, in that order."""

    ready: dict[int, SignUp]
    """By user; they get a seat if it begins now."""
    unready: dict[int, int]
    """Users who have lost league games on time, with the number of games that they have to finish first."""
    reserve: tuple[int, ...]
    signed_off: dict[SignOff, tuple[int, ...]]
    """Users who have to sign up again."""

    @property
    def users(self) -> list[int]:
        """Everybody who has signed up."""
        gone = [user for users in self.signed_off.values() for user in users]
        return [*self.ready, *self.reserve, *self.unready, *gone]

    @property
    def users_called(self) -> tuple[int, ...]:
        """The users who are told that they have to do something before they can play."""
        return (*self.unready, *self.signed_off.get(SignOff.IDLE, ()))


async def load_sign_ups(reader: Reader, league: League) -> SignUpList:
    """Returns who has signed up for the next season."""
    ready, unready, reserve = dict[int, SignUp](), dict[int, int](), list[int]()
    signed_off: dict[SignOff, tuple[int, ...]] = {}
    for user, sign_up in (await rows.sign_ups_of(reader, league.id)).items():
        if sign_up.signed_off is not None:
            signed_off[sign_up.signed_off] = (*signed_off.get(sign_up.signed_off, ()), user)
        elif sign_up.reserve:
            reserve.append(user)
        elif count := games_to_finish(*await rows.games_late_and_finished(reader, league, user)):
            unready[user] = count
        else:
            ready[user] = sign_up
    return SignUpList(ready, unready, tuple(reserve), signed_off)


class Leaving(NamedTuple):
    """What leaving a league means for a person."""

    seat: LeagueSeat | None
    """Their seat in the running season; None if they have only signed up for the next one."""
    is_signed_up: bool = True
    """Whether they have signed up for the next season."""
    state: SeatState = SeatState.IN
    games: int = 0
    """Their games that are not over."""
    reserve: SignUp | None = None
    """The person who takes over these games; None if nobody of the reserve is free."""


async def open_league(service: Service, league: League) -> League:
    """Stores a new league, which people may join at once; returns it with its number. Raises TOO_MANY.

    The league that its panel has opened before is returned as it is.
    """
    async with service.store.write_transaction() as tx:
        present = await rows.leagues_of(tx, league.guild)
        if known := next((one for one in present if league.panel and one.panel == league.panel), None):
            return known
        if sum(one.state is not LeagueState.CLOSED for one in present) >= MAX_LEAGUES:
            raise LeagueError(LeagueProblem.TOO_MANY, most=MAX_LEAGUES)
        league = replace(league, id=await tx.add_numbered_row("leagues", rows.league_values(league)))
        await rows.add_news(tx, league, NewsKind.OPEN, league.opened_at)
    return league


async def change_league(service: Service, guild: int, league_id: int, change: Callable[[League], League]) -> League:
    """Changes a league, whose post is edited. Raises NO_LEAGUE, and what the change raises."""
    async with service.store.write_transaction() as tx:
        league = change(await require_league(tx, guild, league_id))
        await rows.save_league(tx, league)
    return league


async def begin_season_early(service: Service, guild: int, league_id: int, now: int) -> League:
    """Has the season of a league begin now. Raises NO_LEAGUE, NO_SIGN_UP or TOO_FEW."""
    async with service.store.write_transaction() as tx:
        league = await require_league(tx, guild, league_id)
        league.require_sign_up()
        await require_enough(tx, league)
        league = league.bring_season_forward(now)
        await rows.save_league(tx, league)
        await rows.add_job(tx, "league-members", league, now)
    return league


async def require_enough(reader: Reader, league: League) -> list[int]:
    """Returns who plays if the season begins now. Raises TOO_FEW."""
    ready = [*(await load_sign_ups(reader, league)).ready]
    if len(ready) < league.terms.players_per_game:
        raise LeagueError(LeagueProblem.TOO_FEW, least=league.terms.players_per_game)
    return ready


async def choose_role(service: Service, guild: int, league_id: int, role: int | None, now: int) -> League:
    """Sets the role for the winners of a league, which the latest winners get at once; None: no role from now on.

    Raises NO_LEAGUE.
    """
    async with service.store.write_transaction() as tx:
        before = await require_league(tx, guild, league_id)
        league = replace(before, role=role)
        await rows.save_league(tx, league)
        for one in (before, league):
            await rows.pass_role_on(tx, one, now)
    return league


async def choose_channel(service: Service, guild: int, league_id: int, channel: int, now: int) -> League:
    """Moves a league whose channel has been deleted to another channel. Does nothing if it has one. Raises
    NO_LEAGUE.
    """
    async with service.store.write_transaction() as tx:
        league = await require_league(tx, guild, league_id)
        if league.channel:
            return league
        league = league.move_to_channel(channel, now)
        await rows.save_league(tx, league)
        await rows.drop_outdated_news(tx, league.id)
        await rows.add_job(tx, "league-news", league, now)
        if league.state is not LeagueState.CLOSED:
            await rows.add_news(tx, league, NewsKind.TABLE, now)
        if league.is_on:
            await rows.update_season(tx, league, thread=None, list_messages=())
            await rows.add_job(tx, "league-list", league, now + LIST_DELAY_S)  # below the table
    return league


async def tell_lost_channels(service: Service, guild: int) -> list[League]:
    """Returns the leagues of a server without a channel of which its managers have not been told, and notes that they
    are told.
    """
    async with service.store.write_transaction() as tx:
        untold = await tx.read_column(
            "DELETE FROM league_news WHERE guild = ? AND kind = 'no-channel' AND EXISTS"
            " (SELECT 1 FROM leagues WHERE id = league AND channel = 0 AND state <> 'closed') RETURNING league",
            (guild,),
        )
        return [await require_league(tx, guild, league_id) for league_id in untold]


async def find_league(service: Service, guild: int, league_id: int | None, channel: int | None = None) -> League:
    """Returns the league of that number. Without a number, returns the only open league of the server or of that
    channel, or the latest one if all are closed. Raises NO_LEAGUE or WHICH.
    """
    if league_id is not None:
        return await require_league(service.reader, guild, league_id)
    leagues = await open_leagues(service.reader, guild, channel) or (await rows.leagues_of(service.reader, guild))[:1]
    LeagueError.raise_if(len(leagues) != 1, LeagueProblem.WHICH if leagues else LeagueProblem.NO_LEAGUE)
    return leagues[0]


async def open_leagues(reader: Reader, guild: int, channel: int | None) -> list[League]:
    """Returns the leagues of a server that are not closed, the latest first; that of the channel alone if it has just
    one.
    """
    leagues = [league for league in await rows.leagues_of(reader, guild) if league.state is not LeagueState.CLOSED]
    here = [league for league in leagues if league.channel == channel]
    return here if len(here) == 1 else leagues


async def join_league(
    service: Service,
    actor: Actor,
    league_id: int,
    at_once: int | None = None,
    reserve: bool | None = None,
    manager: int | None = None,
) -> tuple[League, SignUp]:
    """Signs a person up for the next season, or changes the wishes of a person who has signed up. If a `manager` does
    so, the person is told.

    `at_once` is the most games that they want at a time, 0 for all. A wish that is None stays as it is.
    Raises CLOSED, FULL, JOINED_ALREADY, UNFINISHED or, for a manager, NOT_THERE.
    """
    user = actor.user
    async with service.store.write_transaction() as tx:
        league = await require_league(tx, actor.guild, league_id)
        league.require_open()
        sign_ups = await rows.sign_ups_of(tx, league.id)
        before = sign_ups.pop(user, None)
        counts = before is not None and before.signed_off is None
        LeagueError.raise_if(manager is not None and before is None, LeagueProblem.NOT_THERE)
        if manager is not None and before and before.reserve:  # or somebody has pressed twice
            await _note_managed(tx, league, user, manager, actor.now, ":put-in")
        LeagueError.raise_if(counts and at_once is None and reserve is None, LeagueProblem.JOINED_ALREADY)
        sign_up = (before or SignUp(user))._replace(signed_off=None)
        if at_once is not None:
            sign_up = sign_up._replace(at_once=at_once or None)
        if reserve is not None:
            sign_up = sign_up._replace(reserve=reserve)
        if not counts and (count := games_to_finish(*await rows.games_late_and_finished(tx, league, user))):
            raise LeagueError(LeagueProblem.UNFINISHED, count=count)
        if before is None or (sign_up.reserve, None) != (before.reserve, before.signed_off):
            alike = [one for one in sign_ups.values() if one.reserve == sign_up.reserve and one.signed_off is None]
            LeagueError.raise_if(len(alike) >= MAX_PEOPLE, LeagueProblem.FULL, most=MAX_PEOPLE)
        await rows.set_sign_up(tx, league, sign_up, actor.now)
        await rows.note_change(tx, league)
    return league, sign_up


async def change_limit(service: Service, guild: int, league_id: int, user: int, at_once: int) -> bool:
    """Changes how many games at a time a person in the running season wants at most; 0 for all. Their sign-up for
    the next season, if any, takes it over. Returns False, and changes nothing, if they do not play in a season.
    """
    async with service.store.write_transaction() as tx:
        league = await require_league(tx, guild, league_id)
        seats = await rows.seats_of(tx, league.id, league.season) if league.is_on else ()
        own = [seat for seat in seats if seat.user == user and seat.state is SeatState.IN]
        for seat in own:
            await rows.add_job(tx, "league-games", league, due_at=0)
            await rows.save_seat(tx, replace(seat, at_once=at_once or None))
            if sign_up := (await rows.sign_ups_of(tx, league.id)).get(user):
                changed = sign_up._replace(at_once=at_once or None)
                await rows.set_sign_up(tx, league, changed, league.begins_at)
    return bool(own)


async def leave_league(
    service: Service, guild: int, league_id: int, user: int, now: int, manager: int | None = None
) -> League:
    """Removes a person from a league: from the sign-up, and from the running season. Raises what `find_leaving`
    raises.

    A person of the reserve takes over their unfinished games; if there is none, the person resigns them. If a
    `manager` does so, the person is told, and the audit channel has an entry.
    """
    async with service.store.write_transaction() as tx:
        league = await require_league(tx, guild, league_id)
        leaving = await find_leaving(tx, league, user, manager)
        await rows.remove_sign_up(tx, league.id, user)
        await rows.note_change(tx, league)
        if manager is not None:
            await _note_managed(tx, league, user, manager, now)
        # In the same transaction, because games of a person who has left are never looked for again.
        left = await _leave_season(service, tx, league, leaving, Actor(user, now))
    for match in left:
        service.cache_match(match)
    return league


async def _note_managed(tx: Writer, league: League, user: int, manager: int, now: int, act: str = "") -> None:
    """Has a person told what a manager has done with them, and an entry made in the audit channel; of a move, which is
    seen at the start, only the latter.
    """
    told = Job("league-removal", f"{league.id}:{user}:{now}{act}", league.guild, due_at=now, note=str(manager))
    audit = told._replace(key=f"{told.key}:audit")
    await tx.add_jobs(*([told, audit] if act != ":moved" else [audit]))


async def move_person(service: Service, manager: Actor, league_id: int, user: int, division: int) -> League:
    """Moves a person to that division before the season begins. Raises NO_LEAGUE, NO_SIGN_UP or NOT_THERE."""
    async with service.store.write_transaction() as tx:
        league = await require_league(tx, manager.guild, league_id)
        league.require_sign_up()
        ready = (await load_sign_ups(tx, league)).ready
        divisions = await plan_divisions(tx, league, ready)
        present = next((number for number, users in enumerate(divisions) if user in users), None)
        LeagueError.raise_if(present is None, LeagueProblem.NOT_THERE)
        if division != present:
            await rows.set_sign_up(tx, league, ready[user]._replace(division=division), manager.now)
            await _note_managed(tx, league, user, manager.user, manager.now, ":moved")
    return league


async def plan_divisions(reader: Reader, league: League, ready: Mapping[int, SignUp]) -> Divisions:
    """Returns the divisions of the season if it begins now with these people; none if they are too few."""
    if len(ready) < league.terms.players_per_game:
        return ()
    rated = await ratings_of(reader, league.guild, league.terms.variant, [*ready])
    ratings = {user: rated.get(user, NEW_RATING).mu for user in ready}
    past = await rows.past_seasons(reader, league.id)
    last = await rows.seats_of(reader, league.id, past[0].season) if past else []
    last.sort(key=lambda seat: (seat.division, seat.place is None, seat.place or 0, seat.entrant))
    divisions = next_divisions(last, [*ready], ratings, league.terms)
    return move_people(divisions, {user: sign_up.division for user, sign_up in ready.items()})


async def sign_off(service: Service, guild: int, league_id: int, user: int) -> League:
    """Takes back a person's sign-up for the next season; they play on in the running one. Raises NOT_IN."""
    async with service.store.write_transaction() as tx:
        league = await require_league(tx, guild, league_id)
        LeagueError.raise_if(user not in await rows.sign_ups_of(tx, league.id), LeagueProblem.NOT_IN)
        await rows.remove_sign_up(tx, league.id, user)
        await rows.note_change(tx, league)
    return league


async def _leave_season(service: Service, tx: Writer, league: League, leaving: Leaving, actor: Actor) -> list[Match]:
    """Takes a person out of the season. Returns the matches that have changed, which the caller must cache once the
    transaction is over.
    """
    seat, reserve, left = leaving.seat, leaving.reserve, list[Match]()
    if seat is None:
        return left
    successor = reserve and replace(seat, user=reserve.user, at_once=reserve.at_once)
    await rows.save_seat(tx, successor or replace(seat, state=leaving.state))
    season = await rows.load_season(tx, league.id, league.season)
    if season and season.list_messages:
        await rows.add_job(tx, "league-list", league, actor.now)  # it names who plays
    for game in await rows.games_of(tx, league.id, league.season):
        if game.division != seat.division or seat.entrant not in game.entrants or game.points is not None:
            continue
        own = game.entrants.index(seat.entrant)
        if game.match is not None:
            with suppress(MatchError):  # it is over, or cannot be read
                left.append(await _leave_game(service, tx, game.match, own, actor, reserve))
        elif reserve is None:  # it will not be set up
            await rows.save_game(tx, replace(game, points=score_lost_game(league.terms, [own]), verdict=Verdict.LEFT))
    return left


async def _leave_game(
    service: Service, tx: Writer, match_id: int, seat: Seat, actor: Actor, reserve: SignUp | None
) -> Match:
    """Hands a game over to the person of the reserve, or has it resigned if there is none or they may not play in it.
    Returns the match. Raises MatchError if nothing has changed.
    """
    match = await service.load_match(tx, match_id)
    if reserve is not None:
        actor = actor._replace(user=match.players[seat])
        if actor.user == reserve.user:
            return match
        with suppress(MatchError):
            return await service.apply_act(tx, match, actor, HandOver(reserve.user))
    return await service.apply_act(tx, match, actor, Resign())


async def rule_game(service: Service, referee: Actor, match_id: int, winner: Seat | None, reason: str) -> League:
    """Decides how a league game of a running season counts: a win for a seat, or a draw.

    The person who has the seat in the league gets its points, even if a substitute plays it.
    Raises NO_GAME if the match is no such game.
    """
    now = referee.now
    async with service.store.write_transaction() as tx:
        game = await rows.game_of_match(tx, match_id)
        league = await load_league_on(tx, game) if game else None
        if game is None or league is None or league.guild != referee.guild:
            raise LeagueError(LeagueProblem.NO_GAME)
        sharing = range(league.terms.players_per_game) if winner is None else [winner]
        await rows.save_game(tx, replace(game, points=score_game(league.terms, sharing), verdict=Verdict.RULED))
        ruling = LeagueRuling(match_id, now, league.id, league.guild, referee.user, winner, reason)
        await rows.add_ruling(tx, ruling)
        told = Job("league-ruling", f"{match_id}:{now}", league.guild, match_id, due_at=now)
        await tx.add_jobs(told, told._replace(key=f"{told.key}:audit"))
        await rows.note_change(tx, league)
    return league


async def require_league(reader: Reader, guild: int | None, league_id: int) -> League:
    """Returns the league of that number in that server. Raises NO_LEAGUE."""
    league = await rows.load_league(reader, league_id)
    if league is None or league.guild != guild:
        raise LeagueError(LeagueProblem.NO_LEAGUE)
    return league


async def load_league_on(reader: Reader, game: LeagueGame) -> League | None:
    """Returns the league of a game; None if the season of the game is not going on any more."""
    league = await rows.load_league(reader, game.league)
    return league if league and league.is_on and league.season == game.season else None


async def load_groups(reader: Reader, league: League, season: int) -> tuple[Group, ...]:
    """Returns the groups of a season; none before it has begun."""
    seats = await rows.seats_of(reader, league.id, season)
    return make_groups(seats, await rows.games_of(reader, league.id, season), league.terms)


async def load_latest_season(reader: Reader, league: League, now: int) -> tuple[int, tuple[Group, ...]]:
    """Returns the number of the latest season that has begun, and its groups. Before the first, raises NO_SEASON or
    BEGINS_NOW.
    """
    past = await rows.past_seasons(reader, league.id)
    LeagueError.raise_if(not past, LeagueProblem.BEGINS_NOW if league.is_beginning(now) else LeagueProblem.NO_SEASON)
    return past[0].season, await load_groups(reader, league, past[0].season)


async def find_leaving(reader: Reader, league: League, user: int, manager: int | None = None) -> Leaving:
    """Returns what leaving would mean. Raises NOT_IN, or NOT_THERE if a manager asks about another person."""
    is_signed_up = user in await rows.sign_ups_of(reader, league.id)
    groups = await load_groups(reader, league, league.season) if league.is_on else ()
    for group in groups:
        for seat in group.seats:
            if seat.user == user and seat.state is SeatState.IN:
                own = [game for game in group.games_that_count if seat.entrant in game.entrants]
                going_on = sum(game.points is None for game in own)
                state = SeatState.OUT if going_on > len(own) / 2 else SeatState.LEFT
                reserve = await _next_reserve(reader, league, groups) if going_on else None
                return Leaving(seat, is_signed_up, state, going_on, reserve)
    LeagueError.raise_if(not is_signed_up, LeagueProblem.NOT_IN if manager is None else LeagueProblem.NOT_THERE)
    return Leaving(None)


async def _next_reserve(reader: Reader, league: League, groups: Sequence[Group]) -> SignUp | None:
    """Returns the first person of the reserve who has no seat in the season; None if there is none."""
    sitting = {user for group in groups for user in group.users_by_entrant}
    sign_ups = (await rows.sign_ups_of(reader, league.id)).values()
    free = (one for one in sign_ups if one.reserve and one.signed_off is None and one.user not in sitting)
    return next(free, None)
