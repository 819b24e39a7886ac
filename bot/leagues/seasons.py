"""The seasons of leagues: their games, what falls due in them, and their ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

import structlog

from bot.core.clock import DAY, VacationCap, seconds_lost
from bot.core.deadlines import PeopleById, is_overdue, seconds_used
from bot.core.events import Event, EventKind, Opening, Seating, Terms, parse_turn
from bot.core.fold import replay_states
from bot.core.match import Match
from bot.core.problems import MatchError
from bot.core.results import seconds_spent
from bot.discordkit.reply import now
from bot.leagues import rows
from bot.leagues import service as leagues
from bot.leagues.groups import Group, LeagueGame, LeagueSeat, Movement, SeatState, make_schedule
from bot.leagues.league import (
    REPORT_NEWS,
    League,
    LeagueError,
    LeagueState,
    LeagueTerms,
    Moment,
    NewsKind,
    Points,
    SignOff,
    SignUp,
    UnfinishedGame,
    Verdict,
    decide_unbegun,
    decide_unfinished,
    score_game,
)
from bot.leagues.service import load_groups, load_league_on, load_sign_ups, require_league
from bot.leagues.words import gains_text, game_title, trophy_text
from bot.play.context import BotContext, Done, Ended, Later, Notes, Outcome, PersonShown
from bot.play.engine import EngineError, EngineFailed
from bot.play.service.matches import Service
from bot.play.service.results import ResultChange
from bot.play.service.tables import store_begun_game
from bot.store import Job, Reader, Writer
from bot.store.absences import absences_after
from bot.store.servers import load_guild_settings
from bot.texts.i18n import Language
from rules import VARIANTS, Seat

log = structlog.get_logger()


BOARDS_WAIT_S, BOARDS_LOOK_S = 3600, 2
"""For how long, at most, the list of a season's games waits for their boards, and the least pause between looks. It
calls everybody once to all their games; if it is late, it may come without the games that begin then, whose boards
call."""


async def begin_league_game(tx: Writer, league: League, order: Sequence[int], title: str, now: int) -> Match:
    """Starts a game of these users, in seat order, in public. A person's limit of games does not apply."""
    settings = await load_guild_settings(tx, league.guild)
    season = await rows.load_season(tx, league.id, league.season)
    is_listed = season is None or season.list_messages
    terms = Terms(
        VARIANTS[league.terms.variant],
        Seating.JOIN_ORDER,
        settings.threads.gives_thread(wanted=True),
        league.terms.pace,
        vacation_cap=VacationCap(league.terms.vacation_days * DAY, league.begins_at),
        called_until=None if is_listed else league.begins_at + BOARDS_WAIT_S,
    )
    return await store_begun_game(tx, Opening(league.guild, league.channel, terms, title=title), order, now)


async def note_result(
    tx: Writer, _before: Match, match: Match, _events: Sequence[Event], change: ResultChange | None
) -> None:
    """Stores how a league game counts after a change of its result, if its season is still running."""
    game = await rows.game_of_match(tx, match.id) if change else None
    league = await load_league_on(tx, game) if game else None
    if change is None or game is None or league is None or game.verdict is not None:
        return
    users = (await load_groups(tx, league, game.season))[game.division].users_of(game)
    points = None if change.new is None else points_of(match, users, league.terms)
    await rows.save_game(tx, replace(game, points=points))
    await rows.note_change(tx, league)


MAX_TROPHIES = 5
"""Trophies in a profile, the latest ones."""


async def add_notes(context: BotContext, locale: Language, about: Ended | PersonShown, notes: Notes) -> Notes:
    """Adds a person's latest trophies to their profile, and to a result what it brings in a season."""
    reader = context.service.reader
    match about:
        case PersonShown(guild=guild, user=user, in_profile=True):
            trophies = (await rows.trophies_of(reader, guild, user))[:MAX_TROPHIES]
            won = [(await require_league(reader, guild, seat.league), seat) for seat in trophies]
            return notes._replace(lines=[*notes.lines, *(trophy_text(locale, league, seat) for league, seat in won)])
        case Ended(match, ratings) if ratings and (game := await rows.game_of_match(reader, match.id)):
            if league := await load_league_on(reader, game):
                group = (await load_groups(reader, league, game.season))[game.division]
                return notes._replace(brought=gains_text(locale, league, group, group.games[game.number]))
    return notes


def points_of(match: Match, users: Sequence[int], terms: LeagueTerms) -> tuple[Points, ...]:
    """Returns the points of a finished game per seat. `users` are the people who have these seats in the league.

    A game without a result counts as a draw, until a referee decides.
    """
    seats = range(len(users))
    winners = match.outcome.winners if match.outcome and not match.annulled else ()
    sharing = seats if match.annulled else [*winners] or [seat for seat in seats if _is_in(match, seat)]
    return without_substitutes(match, users, score_game(terms, sharing or seats))


def without_substitutes(match: Match, users: Sequence[int], points: Sequence[Points]) -> tuple[Points, ...]:
    """Returns the points of a game per seat. Those of a substitute count for nobody.

    When a person of the reserve takes over a seat in the league, the games that are over keep their points.
    """
    handed_over = {substitute.seat for substitute in match.roster.substitutes}
    return tuple(
        0 if seat in handed_over and match.players[seat] != user else share
        for seat, (user, share) in enumerate(zip(users, points, strict=True))
    )


def _is_in(match: Match, seat: Seat) -> bool:
    """Whether a seat has pieces and its player has not left, now or when the game ended."""
    return match.started_game.position.is_playing(seat) and match.players[seat] not in match.resigned_users


def unfinished_game(
    match: Match, events: Iterable[Event], gone: Collection[int], proved: Seat | None, now: int, people: PeopleById
) -> UnfinishedGame:
    """Returns the facts that decide a game at the end of its season. `gone` are people who have left the league."""
    moves = Counter(change.seat for change in match.changes if change.move)  # moves that were taken back do not count
    seconds = Counter[Seat]()
    before: Match | None = None
    for event, after in replay_states(match.id, events):
        if event.kind is EventKind.MOVED and before is not None:
            seconds[before.turn] += seconds_spent(event, parse_turn(event.body), before)
        before = after
    if match.clock.banks:
        seconds[match.turn] += match.clock.seconds_thought + (seconds_used(match, now, people) or 0)
    elif match.vacancy is None:
        seconds[match.turn] += max(now - match.clock.turn_began_at, 0)
    players, overdue = enumerate(match.players), is_overdue(match, now, people)
    facts = [(moves[seat], _is_in(match, seat) and user not in gone, seconds[seat]) for seat, user in players]
    made, still_in, used = zip(*facts, strict=True)
    return UnfinishedGame(made, still_in, used, match.turn, overdue, proved)


PROOF_DELAY_S = 6 * 3600
"""Seconds for which the end of a season waits while the engine cannot be asked."""
GAMES_AT_ONCE = 10
"""The most games set up by one job, so that moves need not wait long for the database."""


async def tick_seasons(service: Service, now: int) -> None:
    """Does what is due."""
    for league_id in await rows.due_leagues(service.reader, now):
        with service.attempts.contain_failures("leagues", league=league_id):
            await _do_due(service, league_id, now)


async def _do_due(service: Service, league_id: int, now: int) -> None:
    async with service.store.write_transaction() as tx:
        league = await rows.load_league(tx, league_id)
        while league is not None and (moment := league.next_moment) is not None and moment.at <= now:
            after = league.postpone_end(await _seconds_absent(tx, league, now))
            if after == league:  # otherwise what is due has moved
                if moment.kind is NewsKind.BEGIN and not league.knows_members:
                    await rows.add_job(tx, "league-members", league, now)
                    return  # who has left the server is looked up first
                after = await _do_moment(tx, replace(league, moments_done_until=moment.at), moment, now)
            league = after
            await rows.save_league(tx, league)


async def begin_games(context: BotContext, job: Job) -> Done:
    """Sets up some games of a running season, and is due again if others are left."""
    service, locale, begun = context.service, context.server_language(job.guild), list[Match]()
    async with service.store.write_transaction() as tx:
        league = await require_league(tx, job.guild, int(job.key))
        if league.state is not LeagueState.RUNNING or not league.channel:
            return Done()
        groups = await load_groups(tx, league, league.season)
        waiting = [(game, group.users_of(game)) for group in groups for game in group.games_to_begin()]
        for game, users in sorted(waiting, key=lambda one: one[0].round)[:GAMES_AT_ONCE]:
            match = await begin_league_game(tx, league, users, game_title(locale, league, game), now())
            await rows.save_game(tx, replace(game, match=match.id))
            begun.append(match)
        if begun:
            await rows.add_job(tx, "league-list", league, now())
    for match in begun:
        service.cache_match(match)
        context.announcements_due.set()
    return Done(again_at=now() if len(begun) < len(waiting) else None)


async def note_channel_lost(service: Service, lost: League, now: int) -> None:
    """Notes that the channel of a league has been deleted, which its managers have to hear."""
    async with service.store.write_transaction() as tx:
        league = await rows.load_league(tx, lost.id)
        if league is not None and league.channel == lost.channel:
            league = replace(league, channel=0, message=None)
            await rows.save_league(tx, league)
            await rows.add_news(tx, league, NewsKind.NO_CHANNEL, now)


# The end of a season


async def end_season(context: BotContext, job: Job) -> Outcome:
    """Adjudicates the unfinished games of a season whose time is up, and ends the season."""
    service = context.service
    league = await require_league(service.reader, job.guild, int(job.key))
    if league.state is not LeagueState.ENDING:
        return Done()
    groups = await load_groups(service.reader, league, league.season)
    games = [game for group in groups for game in group.unfinished_games]
    try:
        # Why a game was never set up can be seen only while the others are undecided.
        for game in sorted(games, key=lambda game: game.match is not None):
            match = await service.load_match(service.reader, game.match) if game.match else None
            proved = await _proved_winner(context, match, league) if match else None
            await _adjudicate_game(service, league, game, match, proved)
    except (EngineError, MatchError) as error:
        log.info("the end of a season waits", league=league.id, error=str(error))
        return Later(why=str(error))
    return Done() if await _close_season(service, league, now()) else Later(why="a game goes on")


async def _proved_winner(context: BotContext, match: Match, league: League) -> Seat | None:
    """Returns the seat for which the engine proves a win, also out of turn; None if it proves none.

    While the engine cannot be asked or does not answer, raises EngineError for PROOF_DELAY_S after the end of the
    season, then returns None.
    """
    if not match.is_live:
        return None
    game = match.started_game
    try:
        winner: Seat | None = await context.engine.ask(
            "find_forced_winner", game.position, within=context.timings.proof_timeout_s
        )
    except EngineError as error:
        if not isinstance(error, EngineFailed) and now() < league.ends_at + PROOF_DELAY_S:
            raise
        return None
    return winner if winner == game.position.turn or game.claimable_draw is None else None


async def _adjudicate_game(
    service: Service, league: League, game: LeagueGame, judged: Match | None, proved: Seat | None
) -> None:
    """Decides an unfinished game at the end of its season; `proved` is the seat with a proved win in `judged`.

    Decides nothing if the board has changed since `judged` was loaded: the job then judges the new board.
    """
    async with service.store.write_transaction() as tx:
        group = (await load_groups(tx, league, league.season))[game.division]
        game = group.games[game.number]
        if game.points is not None:
            return
        seats = [group.seats[entrant] for entrant in game.entrants]
        match = await service.load_match(tx, game.match) if game.match else None
        if match and judged and match.board_version != judged.board_version:
            return
        if match is None or not match.is_live:
            at_limit = group.entrants_at_limit() if game.match is None else ()
            decided = decide_unbegun([seat.entrant in at_limit for seat in seats], league.terms)
            points = decided.points
        else:
            gone = [seat.user for seat in seats if seat.state is not SeatState.IN]
            events, people = await tx.load_events(match.id), await service.presence.load_players(tx, match)
            facts = unfinished_game(match, events, gone, proved, league.ends_at, people)
            decided = decide_unfinished(facts, league.terms)
            points = without_substitutes(match, [seat.user for seat in seats], decided.points)
        await rows.save_game(tx, replace(game, points=points, verdict=decided.verdict))


async def _close_season(service: Service, ending: League, now: int) -> bool:
    """Once all games of a season are decided, stores the places and opens the next sign-up. People who have made no
    move are signed off. Returns False if a game is not decided.
    """
    moved_in, idle = await _find_active(service, ending)
    async with service.store.write_transaction() as tx:
        league = await require_league(tx, ending.guild, ending.id)
        groups = await load_groups(tx, league, league.season)
        if any(group.unfinished_games for group in groups):
            return False
        await rows.update_season(tx, league, ended_at=now)
        for seat in [seat for group in groups for seat in final_seats(group, moved_in)]:
            await rows.save_seat(tx, seat)
        await rows.pass_role_on(tx, league, now)
        await rows.add_news(tx, league, NewsKind.END, now)
        for user, sign_up in (await rows.sign_ups_of(tx, league.id)).items():
            if sign_up.reserve and not league.terms.standing:
                await rows.remove_sign_up(tx, league.id, user)
            elif user in idle:
                await rows.set_sign_up(tx, league, sign_up._replace(signed_off=SignOff.IDLE), now)
        league = league.after_season(now)
        await rows.save_league(tx, league)
        if league.state is not LeagueState.CLOSED:
            await rows.add_news(tx, league, NewsKind.OPEN, now)
            if (await load_sign_ups(tx, league)).users_called:
                await rows.add_news(tx, league, NewsKind.RECALL, now)
    return True


async def _find_active(service: Service, league: League) -> tuple[set[tuple[int, int]], set[int]]:
    """Returns who has moved in which game of the season that is ending, as match and entrant, and which people have
    made no move in it, although a game waits for one or they gave one up.
    """
    moved_in, moved, awaited = set[tuple[int, int]](), set[int](), set[int]()
    for group in await load_groups(service.reader, league, league.season):
        for game in group.games:
            users = group.users_of(game)
            for match in await service.load_readable(service.reader, [game.match] if game.match else []):
                moved_in |= {(match.id, game.entrants[change.seat]) for change in match.changes if change.move}
                moved |= {users[change.seat] for change in match.changes if change.move}
                awaited |= {user for user in users if user in (match.to_move, *match.resigned_users)}
    return moved_in, awaited - moved


# Before a season


async def look_up_members(context: BotContext, job: Job) -> Outcome:
    """Looks up the people of a season that begins soon, and signs off who has left the server."""
    store = context.service.store
    league = await require_league(store.reader, job.guild, int(job.key))
    if league.state is not LeagueState.SIGN_UP or league.knows_members:
        return Done()
    signed_up = [one.user for one in (await rows.sign_ups_of(store.reader, league.id)).values() if not one.signed_off]
    gone = {*signed_up} - {*await context.names.fetch_members(job.guild, signed_up)}
    async with store.write_transaction() as tx:
        league = replace(await require_league(tx, job.guild, league.id), looked_up_at=now())
        await rows.save_league(tx, league)
        for user, sign_up in (await rows.sign_ups_of(tx, league.id)).items():
            if user in gone:
                await rows.set_sign_up(tx, league, sign_up._replace(signed_off=SignOff.GONE), now())
        if gone:
            await rows.add_news(tx, league, NewsKind.GONE, now())
    return Done()


def final_seats(group: Group, moved_in: Container[tuple[int, int]]) -> list[LeagueSeat]:
    """Returns the seats of a group with their final places. Without a point there is none, nor if all points are of
    games that were not begun and in which the entrant has not moved. Nobody goes up without a place.

    `moved_in` says who has moved in which game, as match and entrant.
    """
    seats = []
    for row in group.standings:
        has_won = row.points_gained > 0 and any(
            game.verdict is not Verdict.NOT_BEGUN or (game.match, row.entrant) in moved_in
            for game in group.games_that_count
            if row.entrant in game.entrants
        )
        movement = Movement.STAYS if row.movement is Movement.UP and not has_won else row.movement
        seats.append(replace(group.seats[row.entrant], place=row.rank if has_won else None, movement=movement))
    return seats


async def _seconds_absent(reader: Reader, league: League, now: int) -> int:
    """Returns how many seconds of the sign-up or season so far belong to absences."""
    since = league.opened_at if league.state is LeagueState.SIGN_UP else league.begins_at
    return seconds_lost(await absences_after(reader, league.guild, since), since, now)


async def _do_moment(tx: Writer, league: League, moment: Moment, now: int) -> League:
    """Does what is due, and returns the league after it."""
    if moment.kind is NewsKind.END:
        await rows.add_job(tx, "league-end", league, now)
        return replace(league, state=LeagueState.ENDING)
    if moment.kind in REPORT_NEWS:
        following = league.next_moment
        if following is None or following.at > now:  # if several are due after a pause, only the latest is posted
            await rows.add_news(tx, league, moment.kind, moment.at)
        return league
    ready = (await load_sign_ups(tx, league)).ready
    are_enough = len(ready) >= league.terms.players_per_game
    if moment.kind is NewsKind.FEW:
        await rows.add_job(tx, "league-members", league, now)
        if not are_enough:
            await rows.add_news(tx, league, NewsKind.FEW, moment.at)
        return league
    if are_enough:
        return await _begin_season(tx, league, ready, now)
    if not league.extended:
        await rows.add_news(tx, league, NewsKind.EXTENDED, moment.at)
        return league.extend_sign_up()
    await rows.add_news(tx, league, NewsKind.PUT_OFF, moment.at)
    return replace(league, state=LeagueState.CLOSED)


async def _begin_season(tx: Writer, league: League, ready: Mapping[int, SignUp], now: int) -> League:
    """Seats everybody who is ready, and stores the schedule of the season.

    The reserve stays signed up, and so do the others if a sign-up also holds for later seasons.
    """
    league = league.begin_season(now)
    seats, games = list[LeagueSeat](), list[LeagueGame]()
    for division, members in enumerate(await leagues.plan_divisions(tx, league, ready)):
        seats += [
            LeagueSeat(division, number, user, at_once=ready[user].at_once) for number, user in enumerate(members)
        ]
        games += make_schedule(len(members), league.terms, division)
    await rows.add_season(tx, league, seats, games)
    for user, sign_up in (await rows.sign_ups_of(tx, league.id)).items():
        stays = sign_up.reserve or (user in ready and league.terms.standing)
        if not stays or sign_up.signed_off is not None:
            await rows.remove_sign_up(tx, league.id, user)
    await tx.update_rows("league_sign_ups", {"league": league.id}, division=None)
    await rows.add_news(tx, league, NewsKind.BEGIN, now)
    return league


async def leave_leagues(service: Service, user: int, now: int) -> None:
    """Takes a person out of all leagues, as if they left them."""
    for league in await rows.leagues_of_person(service.reader, user):
        with suppress(LeagueError):  # they have left it already
            await leagues.leave_league(service, league.guild, league.id, user, now)


async def replace_person(service: Service, user: int, stand_in: int, now: int) -> None:
    """Replaces a person, who has left all leagues, by a stand-in."""
    async with service.store.write_transaction() as tx:
        await rows.replace_person(tx, user, stand_in)
