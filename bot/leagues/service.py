"""Leagues: opening them, signing up and leaving, and queries about their seasons."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from bot.core import acts
from bot.core.acts import Actor
from bot.core.listings import MatchSummary
from bot.core.match import Match
from bot.core.problems import MatchError
from bot.leagues import rows, season_rows
from bot.leagues.groups import lost_points, takes_games_out
from bot.leagues.league import (
    MAX_LEAGUES,
    MAX_PEOPLE,
    League,
    LeagueError,
    LeagueProblem,
    LeagueState,
    LeagueTerms,
    SignOff,
    SignUp,
    open_league,
)
from bot.leagues.rows import Trophy
from bot.leagues.ruling_rows import LeagueRuling, add_ruling
from bot.leagues.season import Group, LeagueGame, LeagueSeat, SeatState, Verdict, games_to_finish, make_groups
from bot.leagues.season_rows import PastSeason
from bot.play.service.matches import Decision, Matches, ServicePart
from bot.store import Reader, Writer
from rules import Seat


class SignUpList(NamedTuple):
    """Who has signed up for the next season, in that order."""

    ready: tuple[SignUp, ...]
    """They get a seat if it begins now."""
    unready: dict[int, int]
    """Users who have lost league games on time, with the number of games that they have to finish first."""
    reserve: tuple[int, ...]
    signed_off: dict[SignOff, tuple[int, ...]]
    """Users who have to sign up again."""

    @property
    def users(self) -> list[int]:
        """The users who get a seat if the season begins now."""
        return [sign_up.user for sign_up in self.ready]

    @property
    def users_called(self) -> tuple[int, ...]:
        """The users who are told that they have to do something before they can play."""
        return (*self.unready, *self.signed_off.get(SignOff.IDLE, ()))


async def load_sign_ups(reader: Reader, league: League) -> SignUpList:
    """Returns who has signed up for the next season."""
    ready, unready, reserve = list[SignUp](), dict[int, int](), list[int]()
    signed_off: dict[SignOff, tuple[int, ...]] = {}
    for sign_up in await rows.sign_ups_of(reader, league.id):
        user = sign_up.user
        if sign_up.signed_off is not None:
            signed_off[sign_up.signed_off] = (*signed_off.get(sign_up.signed_off, ()), user)
        elif sign_up.is_reserve:
            reserve.append(user)
        elif count := games_to_finish(*await rows.games_late_and_finished(reader, league, user)):
            unready[user] = count
        else:
            ready.append(sign_up)
    return SignUpList(tuple(ready), unready, tuple(reserve), signed_off)


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


class Leagues(ServicePart):
    """The leagues of servers, as people see and change them."""

    async def open_league(
        self, guild: int, channel: int, terms: LeagueTerms, now: int, panel: int | None = None
    ) -> League:
        """Opens a league, which people may join at once. Raises TOO_MANY.

        `panel` is the message whose button opens it; the league that it has opened before is returned as it is.
        """
        async with self._store.write_transaction() as tx:
            if opened := await rows.league_of_panel(tx, guild, panel):
                return opened
            if len(await rows.leagues_of(tx, guild, closed=False)) >= MAX_LEAGUES:
                raise LeagueError(LeagueProblem.TOO_MANY, most=MAX_LEAGUES)
            league = open_league(0, guild, channel, terms, now)
            league = replace(league, id=await rows.add_league(tx, league, panel))
            await rows.add_news(tx, league, "open", now)
        return league

    async def close_league(self, guild: int, number: int) -> League:
        """Closes a league: at once, or after its running season. Raises NO_LEAGUE or CLOSED."""
        async with self._store.write_transaction() as tx:
            league = await require_league(tx, guild, number)
            if league.state is LeagueState.CLOSED or league.closing:
                raise LeagueError(LeagueProblem.CLOSED)
            league = replace(league, closing=True)
            if not league.is_on:
                league = replace(league, state=LeagueState.CLOSED)
            await rows.save_league(tx, league, changed=True)
        return league

    async def keep_league(self, guild: int, number: int) -> League:
        """Takes back that a league closes after its running season. Raises NO_LEAGUE or CLOSED."""
        async with self._store.write_transaction() as tx:
            league = await require_league(tx, guild, number)
            if league.state is LeagueState.CLOSED:
                raise LeagueError(LeagueProblem.CLOSED)
            league = replace(league, closing=False)
            await rows.save_league(tx, league, changed=True)
        return league

    async def choose_channel(self, guild: int, number: int, channel: int, now: int) -> League:
        """Moves a league whose channel has been deleted to another channel. Does nothing if it has one. Raises
        NO_LEAGUE.
        """
        async with self._store.write_transaction() as tx:
            league = await require_league(tx, guild, number)
            if league.channel:
                return league
            league = league.move_to_channel(channel, now)
            await rows.save_league(tx, league)
            await rows.drop_outdated_news(tx, league.id)
            if league.state is not LeagueState.CLOSED:
                await rows.add_news(tx, league, "table", now)
            if league.is_on:
                await season_rows.forget_thread(tx, league)
                await rows.add_news(tx, league, "thread", now)
        return league

    async def tell_lost_channels(self, guild: int) -> list[League]:
        """Returns the leagues of a server without a channel of which its managers have not been told, and notes that
        they are told.
        """
        if not (lost := await rows.lost_channels(self._reader, guild)):
            return []
        async with self._store.write_transaction() as tx:
            for news in lost:
                await rows.drop_news(tx, news)
        return [await require_league(self._reader, guild, news.league) for news in lost]

    async def leagues_of(self, guild: int, *, closed: bool = True) -> list[League]:
        """Returns the leagues of a server, the latest first."""
        return await rows.leagues_of(self._reader, guild, closed=closed)

    async def find_league(self, guild: int, number: int | None) -> League:
        """Returns the league of that number. Without a number, returns the server's only open league, or its latest one
        if all are closed. Raises NO_LEAGUE or WHICH.
        """
        if number is not None:
            return await require_league(self._reader, guild, number)
        leagues = await self.leagues_of(guild, closed=False) or (await self.leagues_of(guild))[:1]
        if len(leagues) != 1:
            raise LeagueError(LeagueProblem.WHICH if leagues else LeagueProblem.NO_LEAGUE)
        return leagues[0]

    async def find_any_league(self, number: int) -> League | None:
        """Returns the league of that number in any server; None if there is none."""
        return await rows.load_league(self._reader, number)

    async def join_league(
        self, guild: int, number: int, user: int, now: int, at_once: int | None = None, reserve: bool | None = None
    ) -> tuple[League, SignUp]:
        """Signs a person up for the next season, or changes the wishes of a person who has signed up.

        `at_once` is the most games that they want at a time, 0 for all. A wish that is None stays as it is.
        Raises CLOSED, FULL, JOINED_ALREADY or UNFINISHED.
        """
        async with self._store.write_transaction() as tx:
            league = await require_league(tx, guild, number)
            if league.state is LeagueState.CLOSED or league.closing:
                raise LeagueError(LeagueProblem.CLOSED)
            sign_ups = {sign_up.user: sign_up for sign_up in await rows.sign_ups_of(tx, league.id)}
            before = sign_ups.get(user)
            counts = before is not None and before.signed_off is None
            if counts and at_once is None and reserve is None:
                raise LeagueError(LeagueProblem.JOINED_ALREADY)
            sign_up = (before or SignUp(user))._replace(signed_off=None)
            if at_once is not None:
                sign_up = sign_up._replace(at_once=at_once or None)
            if reserve is not None:
                sign_up = sign_up._replace(is_reserve=reserve)
            if not counts:
                await _check_newcomer(tx, league, user)
            if sign_up._replace(at_once=None) != (before and before._replace(at_once=None)):
                others = [one for one in sign_ups.values() if one.user != user and one.signed_off is None]
                if sum(one.is_reserve == sign_up.is_reserve for one in others) >= MAX_PEOPLE:
                    raise LeagueError(LeagueProblem.FULL, most=MAX_PEOPLE)
            await rows.set_sign_up(tx, league, sign_up, now)
            await rows.note_change(tx, league.id)
        return league, sign_up

    async def change_limit(self, guild: int, number: int, user: int, at_once: int) -> bool:
        """Changes how many games at a time a person in the running season wants at most; 0 for all. Their sign-up for
        the next season, if any, takes it over. Returns False, and changes nothing, if they do not play in a season.
        """
        async with self._store.write_transaction() as tx:
            league = await require_league(tx, guild, number)
            if not league.is_on or not await season_rows.set_limit(tx, league, user, at_once or None):
                return False
            for sign_up in await rows.sign_ups_of(tx, league.id):
                if sign_up.user == user:
                    changed = sign_up._replace(at_once=at_once or None)
                    await rows.set_sign_up(tx, league, changed, league.begins_at)
        return True

    async def check_leaving(
        self, guild: int, number: int, user: int, manager: int | None = None
    ) -> tuple[League, Leaving]:
        """Returns what leaving would mean. Raises NOT_IN, or NOT_THERE if a manager asks about another person."""
        league = await require_league(self._reader, guild, number)
        return league, await _leaving_of(self._reader, league, user, manager)

    async def leave_league(
        self, guild: int, number: int, user: int, now: int, manager: int | None = None
    ) -> tuple[League, Leaving]:
        """Removes a person from a league: from the sign-up, and from the running season. Raises what `check_leaving`
        raises.

        A person of the reserve takes over their unfinished games; if there is none, the person resigns them. If a
        `manager` does so, the person is told, and the audit channel has an entry.
        """
        async with self._store.write_transaction() as tx:
            league = await require_league(tx, guild, number)
            leaving = await _leaving_of(tx, league, user, manager)
            matches = await take_person_out(tx, league, user, leaving, now)
            # In the same transaction, because games of a person who has left are never looked for again.
            resigned = [await self._resign_within(tx, match, user, now) for match in matches]
            for audience in ("", ".audit") if manager is not None else ():
                await rows.add_news(tx, league, f"removed.{manager}.{user}{audience}", now)
        for match in filter(None, resigned):
            self._matches.cache_match(match)
        await self.hand_over_seats(now)
        return league, leaving

    async def sign_off(self, guild: int, number: int, user: int) -> League:
        """Takes back a person's sign-up for the next season; they play on in the running one. Raises NOT_IN."""
        async with self._store.write_transaction() as tx:
            league = await require_league(tx, guild, number)
            if all(sign_up.user != user for sign_up in await rows.sign_ups_of(tx, league.id)):
                raise LeagueError(LeagueProblem.NOT_IN)
            await rows.remove_sign_up(tx, league.id, user)
            await rows.note_change(tx, league.id)
        return league

    async def _resign_within(self, tx: Writer, number: int, user: int, now: int) -> Match | None:
        """Resigns a game for a person in this transaction, and returns the match. None if they do not play in it any
        more, or it cannot be read.

        The caller must cache the returned match once the transaction is over.
        """
        try:
            match = await self._matches.load_match(tx, number)
            return await self._matches.apply_decision(tx, match, _resignation_of(user, now))
        except MatchError:
            return None

    async def hand_over_seats(self, now: int) -> None:
        """Hands over the games of all seats that people of the reserve have taken."""
        for league, season, seat in await season_rows.seats_to_hand_over(self._reader):
            with self._matches.attempts.contain_failures("seats of leagues", league=league):
                for game in await season_rows.games_of(self._reader, league, season):
                    own = game.division == seat.division and seat.entry in game.entries
                    if own and game.match is not None and game.points is None:
                        await _hand_game_over(self._matches, game, seat, now)
                async with self._store.write_transaction() as tx:
                    await season_rows.note_handed_over(tx, league, season, seat)

    async def latest_season(self, league: League) -> int:
        """Returns the number of the latest season that has begun. Raises NO_SEASON before the first."""
        past = await season_rows.past_seasons(self._reader, league.id)
        if not past:
            raise LeagueError(LeagueProblem.NO_SEASON)
        return past[0].season

    async def groups_of(self, league: League, season: int) -> tuple[Group, ...]:
        """Returns the groups of a season; none before it has begun."""
        return await load_groups(self._reader, league, season)

    async def list_sign_ups(self, league: League) -> SignUpList:
        """Returns who has signed up for the next season."""
        return await load_sign_ups(self._reader, league)

    async def past_seasons(self, league: League) -> list[PastSeason]:
        """Returns the seasons that have begun, the latest first."""
        return await season_rows.past_seasons(self._reader, league.id)

    async def winners_of(self, league: League) -> dict[int, list[int]]:
        """Maps each season to the users who won the highest division."""
        return await season_rows.winners_of(self._reader, league.id)

    async def load_summaries(self, guild: int, matches: Sequence[int]) -> dict[int, MatchSummary]:
        """Returns those matches of the server, by number."""
        return {
            summary.id: summary for summary in await self._reader.load_summaries([*matches]) if summary.guild == guild
        }

    async def ends_of_matches(self, matches: Sequence[int]) -> dict[int, int]:
        """Maps each undecided league match among these to the time at which its season ends."""
        return await season_rows.ends_of_matches(self._reader, matches)

    async def best_game(self, league: League, season: int) -> int | None:
        """Returns the match of a season that most people follow, or the longest of these; None if there is none."""
        return await rows.best_game(self._reader, league.id, season)

    async def trophies_of(self, guild: int, user: int) -> list[Trophy]:
        """Returns a person's places from first to third in finished seasons, the latest first."""
        return await rows.trophies_of(self._reader, guild, user)

    async def rule_game(
        self, guild: int, match: int, winner: Seat | None, referee: int, reason: str, now: int
    ) -> League:
        """Decides how a league game of a running season counts: a win for a seat, or a draw.

        The person who has the seat in the league gets its points, even if a substitute plays it.
        Raises NO_GAME if the match is no such game.
        """
        async with self._store.write_transaction() as tx:
            keyed_game = await season_rows.game_of_match(tx, match)
            league = await rows.load_league(tx, keyed_game[0].league) if keyed_game else None
            if keyed_game is None or league is None or league.guild != guild or not league.is_on:
                raise LeagueError(LeagueProblem.NO_GAME)
            key, game = keyed_game
            if league.season != key.season:
                raise LeagueError(LeagueProblem.NO_GAME)
            seats = range(len(game.entries))
            losing = [] if winner is None else [seat for seat in seats if seat != winner]
            await season_rows.set_points(tx, key, lost_points(len(game.entries), losing), now, Verdict.RULED.value)
            await add_ruling(tx, LeagueRuling(match, now, league.id, guild, referee, winner, reason))
            await rows.note_change(tx, league.id)
        return league


async def _check_newcomer(reader: Reader, league: League, user: int) -> None:
    """Raises UNFINISHED if a person may not sign up."""
    if count := games_to_finish(*await rows.games_late_and_finished(reader, league, user)):
        raise LeagueError(LeagueProblem.UNFINISHED, count=count)


async def require_league(reader: Reader, guild: int, number: int) -> League:
    """Returns the league of that number in that server. Raises NO_LEAGUE."""
    league = await rows.load_league(reader, number)
    if league is None or league.guild != guild:
        raise LeagueError(LeagueProblem.NO_LEAGUE)
    return league


async def load_groups(reader: Reader, league: League, season: int) -> tuple[Group, ...]:
    """Returns the groups of a season."""
    seats = await season_rows.seats_of(reader, league.id, season)
    return make_groups(seats, await season_rows.games_of(reader, league.id, season), league.terms)


async def _leaving_of(reader: Reader, league: League, user: int, manager: int | None) -> Leaving:
    is_signed_up = any(sign_up.user == user for sign_up in await rows.sign_ups_of(reader, league.id))
    if league.is_on:
        groups = await load_groups(reader, league, league.season)
        for group in groups:
            for seat in group.seats:
                if seat.user == user and seat.state is SeatState.IN:
                    own = [game for game in group.games_that_count if seat.entry in game.entries]
                    going_on = sum(game.points is None for game in own)
                    out = takes_games_out(len(own) - going_on, len(own))
                    state = SeatState.OUT if out else SeatState.LEFT
                    reserve = await _next_reserve(reader, league, groups) if going_on else None
                    return Leaving(seat, is_signed_up, state, going_on, reserve)
    if not is_signed_up:
        raise LeagueError(LeagueProblem.NOT_IN if manager is None else LeagueProblem.NOT_THERE)
    return Leaving(None)


async def _next_reserve(reader: Reader, league: League, groups: Sequence[Group]) -> SignUp | None:
    """Returns the first person of the reserve who has no seat in the season; None if there is none."""
    sitting = {user for group in groups for seat in group.seats for user in (seat.user, seat.former)}
    sign_ups = await rows.sign_ups_of(reader, league.id)
    free = (one for one in sign_ups if one.is_reserve and one.signed_off is None and one.user not in sitting)
    return next(free, None)


async def take_person_out(tx: Writer, league: League, user: int, leaving: Leaving, now: int) -> list[int]:
    """Removes a person from a league, and returns the matches that they have to resign."""
    await rows.remove_sign_up(tx, league.id, user)
    await rows.note_change(tx, league.id)
    seat = leaving.seat
    if seat is None:
        return []
    if leaving.reserve is not None:
        await season_rows.hand_seat_over(tx, league, seat, leaving.reserve)
        return []
    await season_rows.set_seat_state(tx, league, seat, leaving.state)
    matches = []
    for game in await season_rows.games_of(tx, league.id, league.season):
        if game.division == seat.division and seat.entry in game.entries and game.points is None:
            if game.match is not None:
                matches.append(game.match)
                continue
            key = season_rows.key_of(league, game)  # it will not be set up
            await season_rows.set_points(
                tx, key, lost_points(len(game.entries), [game.entries.index(seat.entry)]), now, Verdict.LEFT.value
            )
    return matches


async def _hand_game_over(matches: Matches, game: LeagueGame, seat: LeagueSeat, now: int) -> None:
    """Hands a game over from whom it has now; they resign if the person of the reserve may not play."""
    assert game.match is not None, game
    try:
        holder = (await matches.load_match(matches.store.reader, game.match)).players[game.entries.index(seat.entry)]
    except MatchError:  # it cannot be read, so nobody can leave it
        return
    if holder == seat.user:
        return
    try:
        await matches.act_on_match(
            game.match, None, lambda match, people: acts.hand_over(match, Actor(holder, now, people), seat.user)
        )
    except MatchError:
        await _resign_game(matches, game.match, holder, now)


async def _resign_game(matches: Matches, number: int, user: int, now: int) -> None:
    """Resigns a game for a person, if they still play in it."""
    with suppress(MatchError):  # over, or already left
        await matches.act_on_match(number, None, _resignation_of(user, now))


def _resignation_of(user: int, now: int) -> Decision:
    return lambda match, people: acts.resign(match, Actor(user, now, people))
