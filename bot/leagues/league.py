"""A league: its terms, its times, the news to post about it, and how its games count. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, NamedTuple

from bot.core.clock import DAY, Pace
from bot.core.problems import Refusal
from rules import VARIANTS, Seat

Points = int
"""Twelfths of a win."""

WIN: Points = 12

WEEK_S = 7 * DAY
SIGN_UP_S = WEEK_S
"""The usual length of a sign-up in seconds. A sign-up with too few people is extended once, by the same time."""
LONGEST_SIGN_UP_S = 8 * WEEK_S
"""The most seconds that may lie before a season when managers give people a week more to sign up."""
MAX_PEOPLE = 60
"""The most people in a season."""
MAX_LEAGUES = 10
"""The most leagues of a server that are not closed."""
MIN_GROUP = 3
"""The smallest group. The only exception: a league of a two-player game with just two people has a group of two."""
MAX_GAMES = 18
"""The most games of a person in a season: twice against nine others."""
LOOK_UP_S = DAY
"""Seconds before a season in which everybody who has signed up is looked up as a member of the server."""
POST_LOOK_S = 3000
"""Seconds after which the post of a sign-up is edited in any case, so that one that somebody deletes comes back within
the hour."""
BEGINS_NOW_S = 60
"""Seconds before a season from which on people read that it begins now: a tick later its post says so, too."""
LIST_DELAY_S = 600
"""Seconds after which the list of a season's games comes to a new channel."""
WARNING_DAYS = (7, 2)
"""Days before the end of a season on which a warning lists the games that are not over."""
MOVES_A_SIDE = {"camette": 25, "tri-camelot": 30}
"""Moves of each player for which a season should have time, by variant: nine of ten games of bots have no more."""
MOST_MOVES_A_SIDE = 60
"""The same for the other variants, in which bots play longer than people."""


class LeagueProblem(Enum):
    """Why a request is refused. The values are catalogue keys."""

    NO_LEAGUE = "no-league"
    WHICH = "which"  # several leagues are meant
    TOO_MANY = "too-many"  # most
    FULL = "full"  # most
    JOINED_ALREADY = "joined-already"
    NOT_IN = "not-in"
    NOT_THERE = "not-there"  # somebody else is not in the league
    CLOSED = "closed"
    NO_SEASON = "no-season"
    BEGINS_NOW = "begins-now"  # the first season
    NO_GAME = "no-game"  # the game belongs to no running season
    UNFINISHED = "unfinished"  # count: games to finish first
    ROLE_POWERFUL = "role-powerful"  # it has permissions that not everybody has
    ROLE_ABOVE = "role-above"  # above the bot's own, or nobody can give it
    ROLE_NOT_YOURS = "role-not-yours"  # the manager may not give that role
    ROLE_SILENT = "role-silent"  # not everybody may mention it
    NO_MANAGE_ROLES = "no-manage-roles"  # the bot lacks that permission
    NO_SIGN_UP = "no-sign-up"
    TOO_FEW = "too-few"  # least
    LONG_ENOUGH = "long-enough"  # most: weeks


class LeagueError(Refusal[LeagueProblem]):
    """What a league refuses."""


class LeagueState(Enum):
    """The stage of a league. The values are stored and never change."""

    SIGN_UP = "sign-up"
    RUNNING = "running"
    ENDING = "ending"  # the date has come, and unfinished games are being adjudicated
    CLOSED = "closed"


class LeagueTerms(NamedTuple):
    """The terms of a league, as managers choose them. Each has its column, and words (see `describe_terms`)."""

    variant: str
    pace: Pace = Pace.STANDARD
    weeks: int = 8
    least: int = 4
    most: int = 6
    movers: int = 2
    """How many go up from a group after a season, and as many down."""
    double: bool = False
    standing: bool = True
    """Whether a sign-up holds for later seasons."""
    vacation_days: int = 7
    """How many days of vacation in a season stop a person's clocks."""
    sign_up_days: int = SIGN_UP_S // DAY

    @property
    def sign_up_s(self) -> int:
        """The length of a sign-up in seconds."""
        return self.sign_up_days * DAY

    @property
    def players_per_game(self) -> int:
        """Two or three."""
        return len(VARIANTS[self.variant].seats)

    @property
    def moves_a_side(self) -> int:
        """How many moves of each player a season should have time for."""
        return MOVES_A_SIDE.get(self.variant, MOST_MOVES_A_SIDE)

    @property
    def weeks_needed(self) -> int | None:
        """How many weeks a game of so many moves a side takes if all use up their clocks; None without a clock. Nights,
        free days, vacations and the grace are not included.
        """
        clock = self.pace.clock_terms
        if clock is None:
            return None
        return -(-self.players_per_game * (clock.bank + (self.moves_a_side - 1) * clock.increment) // WEEK_S)


QUESTIONS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "variant": {variant: {"variant": variant} for variant in VARIANTS},
    "pace": {pace.value: {"pace": pace} for pace in Pace},
    "weeks": {str(weeks): {"weeks": weeks} for weeks in (1, 2, 3, 4, 6, 8, 10, 13, 16, 20, 26)},
    "size": {f"{least}-{most}": {"least": least, "most": most} for least, most in ((3, 4), (4, 6), (6, 8), (8, 10))},
    "movers": {str(movers): {"movers": movers} for movers in (1, 2, 3)},
    "rounds": {"0": {"double": False}, "1": {"double": True}},
    "sign-up": {"0": {"standing": False}, "1": {"standing": True}},
    "vacation": {str(days): {"vacation_days": days} for days in (0, 3, 7, 14, 30)},
    "length": {f"{days}-days": {"sign_up_days": days} for days in (2, 3, 5, 7, 10, 14)},
}
"""What managers are asked about the terms: the fields of each answer, by the question and by the name of the answer.
Both names stand in custom ids: see `QUESTIONS_OF_OLD_IDS` in `bot/leagues/panels.py` before you add one.
"""


def score_game(terms: LeagueTerms, sharing: Collection[Seat]) -> tuple[Points, ...]:
    """Returns the points per seat of a game whose win those seats share: a win for one seat, a draw for several.
    Without seats nobody gets points.

    >>> score_game(LeagueTerms("camelot"), [1]), score_game(LeagueTerms("tri-camelot"), [0, 1, 2])
    ((0, 12), (4, 4, 4))
    """
    return tuple(WIN // len(sharing) if seat in sharing else 0 for seat in range(terms.players_per_game))


def score_lost_game(terms: LeagueTerms, losing: Collection[Seat]) -> tuple[Points, ...]:
    """Returns the points per seat of a game that those seats have lost: the others share the win."""
    return score_game(terms, [seat for seat in range(terms.players_per_game) if seat not in losing])


class SignOff(Enum):
    """Why a sign-up does not count until the person signs up again. The values are stored and never change."""

    GONE = "gone"  # they are not a member of the server any more
    IDLE = "idle"  # they made no move in a season


class SignUp(NamedTuple):
    """A person who has signed up for the next season. They may also have a seat in the running one."""

    user: int
    at_once: int | None = None
    """The most games at a time; None: all of them."""
    reserve: bool = False
    """Whether they take over the seat of a person who leaves during a season. They get no seat when it begins."""
    signed_off: SignOff | None = None
    division: int | None = None
    """The group that managers have chosen for them in the next season; None: by the rule."""


class NewsKind(Enum):
    """What is posted about a league. The values are stored and never change."""

    OPEN = "open"  # the sign-up
    FEW = "few"
    EXTENDED = "extended"
    PUT_OFF = "put-off"  # nobody plays, and the league is closed
    GONE = "gone"  # people have left the server
    RECALL = "recall"  # people have to do something before they can play
    BEGIN = "begin"
    WEEK = "week"
    WARNING = "warn"
    END = "end"
    TABLE = "table"  # again, where the earlier post has been lost
    NO_CHANNEL = "no-channel"
    NO_ROLE = "no-role"
    ROLE_POWER = "role-power"


TABLE_NEWS = frozenset({NewsKind.OPEN, NewsKind.BEGIN, NewsKind.TABLE})
"""The news whose post is kept up to date from then on."""
REPORT_NEWS = frozenset({NewsKind.WEEK, NewsKind.WARNING})
"""The news about a running season, which belong in the season's thread."""
SIGN_UP_NEWS = frozenset({NewsKind.OPEN, NewsKind.FEW, NewsKind.EXTENDED, NewsKind.GONE, NewsKind.RECALL})


class Moment(NamedTuple):
    """Something that is due at a time."""

    at: int
    kind: NewsKind


@dataclass(frozen=True, slots=True)
class League:
    """A league as it is stored."""

    id: int
    guild: int
    channel: int
    """Where it is posted and played; 0 after that channel was deleted, until managers choose another."""
    terms: LeagueTerms
    state: LeagueState
    season: int
    begins_at: int
    ends_at: int = 0
    """When the season that is running ends."""
    seconds_postponed: int = 0
    """By how much the end of the sign-up or season has moved, because nobody could be reached."""
    extended: bool = False
    closing: bool = False
    moments_done_until: int = 0
    """Everything due up to this instant has been done."""
    message: int | None = None
    """The id of the post that is kept up to date. It is finished when the post of the next stage is made."""
    edited_at: int = 0
    """When the post was made or last edited."""
    role: int | None = None
    """The role for the winners of the highest group."""
    called_role: int | None = None
    """The role that is mentioned at the sign-up and at the start."""
    looked_up_at: int = 0
    """When everybody who had signed up was last looked up as a member of the server."""
    panel: int | None = None
    """The message whose button opened it."""
    name: str = ""
    """What its managers call it, without markup; empty: it is called by its game and its number."""
    opened_at: int = 0
    """When people could first sign up for the season."""

    @property
    def knows_members(self) -> bool:
        """True if everybody who has signed up has been looked up shortly before the season."""
        return self.looked_up_at >= self.begins_at - LOOK_UP_S

    @property
    def takes_sign_ups(self) -> bool:
        """False if no other season follows: it is closed, or closes after its season."""
        return not self.closing and self.state is not LeagueState.CLOSED

    def is_beginning(self, now: int) -> bool:
        """True from a minute before a season until it has begun, which may take a minute from when it is due."""
        return self.state is LeagueState.SIGN_UP and now >= self.begins_at - BEGINS_NOW_S

    def edit_again_at(self, edited_at: int, pause_s: int) -> int:
        """Returns when its post is edited after that edit: after the pause, or as soon as its season begins now."""
        return min(at for at in (edited_at + pause_s, self.begins_at - BEGINS_NOW_S) if at > edited_at)

    @property
    def is_on(self) -> bool:
        """True while a season is running, the adjudication at its end included."""
        return self.state in (LeagueState.RUNNING, LeagueState.ENDING)

    @property
    def next_moment(self) -> Moment | None:
        """What is due next; None if nothing is."""
        return next((moment for moment in self._moments() if moment.at > self.moments_done_until), None)

    def _moments(self) -> Iterator[Moment]:
        """Yields what is due in this stage, in order."""
        if self.state is LeagueState.SIGN_UP:
            yield Moment(self.begins_at - LOOK_UP_S, NewsKind.FEW)
            yield Moment(self.begins_at, NewsKind.BEGIN)
        elif self.state is LeagueState.RUNNING:
            first_warning = self.ends_at - max(WARNING_DAYS) * DAY
            for week in range(1, self.terms.weeks):  # on the day of a warning, the warning is enough
                if (at := self.begins_at + week * WEEK_S) < first_warning - DAY:
                    yield Moment(at, NewsKind.WEEK)
            for days in WARNING_DAYS:
                yield Moment(self.ends_at - days * DAY, NewsKind.WARNING)
            yield Moment(self.ends_at, NewsKind.END)

    def begin_season(self, now: int) -> League:
        """Returns the league with its season begun."""
        begun = replace(self, state=LeagueState.RUNNING, begins_at=now, ends_at=now + self.terms.weeks * WEEK_S)
        return replace(begun, seconds_postponed=0, moments_done_until=now)

    def extend_sign_up(self) -> League:
        """Returns the league with a longer sign-up."""
        begins_at = self.begins_at + self.terms.sign_up_s
        return replace(self, begins_at=begins_at, moments_done_until=self.begins_at, extended=True)

    def require_open(self) -> None:
        """Raises CLOSED if no other season follows."""
        LeagueError.raise_if(not self.takes_sign_ups, LeagueProblem.CLOSED)

    def require_sign_up(self) -> None:
        """Raises NO_SIGN_UP except while people sign up."""
        LeagueError.raise_if(self.state is not LeagueState.SIGN_UP, LeagueProblem.NO_SIGN_UP)

    def close(self) -> League:
        """Returns the league closed, or closing after its running season. Raises CLOSED."""
        self.require_open()
        return replace(self, closing=True, state=self.state if self.is_on else LeagueState.CLOSED)

    def keep(self) -> League:
        """Returns the league without the wish to close it after its season. Raises CLOSED."""
        kept = replace(self, closing=False)
        kept.require_open()
        return kept

    def prolong_sign_up(self, begins_at: int, now: int) -> League:
        """Returns the league with one more week to sign up, or as it is if it does not begin at that time any more:
        somebody has pressed twice. Raises NO_SIGN_UP or LONG_ENOUGH.
        """
        self.require_sign_up()
        if self.begins_at != begins_at:
            return self
        if begins_at + WEEK_S > now + LONGEST_SIGN_UP_S:
            raise LeagueError(LeagueProblem.LONG_ENOUGH, most=LONGEST_SIGN_UP_S // WEEK_S)
        return replace(self, begins_at=begins_at + WEEK_S)

    def bring_season_forward(self, now: int) -> League:
        """Returns the league with a season that is due to begin. No absence postpones it."""
        begins_at = max(now, self.moments_done_until + 1)
        return replace(self, begins_at=begins_at, opened_at=begins_at, seconds_postponed=0)

    def after_season(self, now: int) -> League:
        """Returns the league after its season: closed, or in the sign-up for the next season."""
        if self.closing:
            return replace(self, state=LeagueState.CLOSED)
        opened = replace(self, state=LeagueState.SIGN_UP, season=self.season + 1, extended=False, opened_at=now)
        begins_at = now + self.terms.sign_up_s
        return replace(opened, begins_at=begins_at, seconds_postponed=0, moments_done_until=now)

    def move_to_channel(self, channel: int, now: int) -> League:
        """Returns the league in another channel, without a post there. People have at least a day left to sign up."""
        begins_at = max(self.begins_at, now + DAY) if self.state is LeagueState.SIGN_UP else self.begins_at
        return replace(self, channel=channel, message=None, begins_at=begins_at)

    def postpone_end(self, absent: int) -> League:
        """Returns the league with the end of its sign-up or season postponed; `absent`: seconds of that sign-up or
        season in which nobody could be reached.

        A warning that has been given is not given again.
        """
        later = max(absent - self.seconds_postponed, 0)
        is_sign_up = self.state is LeagueState.SIGN_UP
        first_warning = self.begins_at - DAY if is_sign_up else self.ends_at - max(WARNING_DAYS) * DAY
        has_warned = self.moments_done_until >= first_warning
        return replace(
            self,
            begins_at=self.begins_at + later * is_sign_up,
            ends_at=self.ends_at + later,
            seconds_postponed=self.seconds_postponed + later,
            # The warnings that were given, and the end, keep their order with it.
            moments_done_until=self.moments_done_until + later * has_warned,
        )


def new_league(league_id: int, guild: int, channel: int, terms: LeagueTerms, now: int) -> League:
    """Returns a new league, in the sign-up for its first season."""
    begins, state = now + terms.sign_up_s, LeagueState.SIGN_UP
    return League(league_id, guild, channel, terms, state, 1, begins, moments_done_until=now, opened_at=now)


class LeagueNews(NamedTuple):
    """Something that has to be posted."""

    league: int
    season: int
    kind: NewsKind
    guild: int
    at: int

    @property
    def is_trouble(self) -> bool:
        """True if it tells managers what they have to mend."""
        return self.kind in (NewsKind.NO_CHANNEL, NewsKind.NO_ROLE, NewsKind.ROLE_POWER)

    def is_outdated(self, league: League) -> bool:
        """True if the league has left the state that the news is about. News of a season's end is never outdated."""
        if self.is_trouble or self.kind in (NewsKind.END, NewsKind.PUT_OFF):
            return False
        if league.season != self.season or league.state is LeagueState.CLOSED:
            return True
        return self.kind is not NewsKind.TABLE and league.is_on == (self.kind in SIGN_UP_NEWS)


PROPER_BEGINNING = 2
"""A game has properly begun once a player has made this many moves."""
SLOW_FACTOR = 2
"""A player gets half a draw's share after using more than this many times the mean of the others' thinking time."""


@dataclass(frozen=True, slots=True)
class UnfinishedGame:
    """The facts that decide a game which is not over when its season ends. Each tuple has a value per seat."""

    moves: tuple[int, ...]
    """How many moves the player of each seat has made."""
    still_in: tuple[bool, ...]
    """Whether the player of each seat has pieces and has not left; at least one has."""
    seconds_used: tuple[int, ...]
    """The thinking time that each seat has used, the current turn included."""
    turn: Seat
    """The seat to move."""
    is_overdue: bool = False
    """Whether the player to move has used up the time and the grace, so that an opponent might claim the game."""
    proved_winner: Seat | None = None
    """The seat for which the engine proves a win within its bounds, also out of turn; None if it proves none."""


class Verdict(Enum):
    """Why a game's points do not follow from its result on the board. The values are stored and never change."""

    NOT_BEGUN = "not-begun"
    PROVED = "proved"
    OVERDUE = "overdue"
    SHARED = "shared"
    SHARED_SLOW = "shared-slow"
    LEFT = "left"  # lost by a person who has left the league
    RULED = "ruled"  # a referee has decided so


@dataclass(frozen=True, slots=True)
class Adjudication:
    """How an unfinished game counts."""

    verdict: Verdict
    points: tuple[Points, ...]
    """Per seat."""


def decide_unfinished(game: UnfinishedGame, terms: LeagueTerms) -> Adjudication:
    """Decides an unfinished game at the end of its season.

    1. If nobody has made two moves, and somebody none, the player to move loses.
    2. If the engine proves a win, it counts as a win, unless the winner is to move and has no time left.
    3. If the player to move has no time left, they lose.
    4. Otherwise the game is a draw, shared by the players who are still in. A player who has used more than twice the
       mean time of the others gets half of their share; nobody else gets the rest.
    """
    seats = range(len(game.moves))
    if not all(game.moves) and max(game.moves) < PROPER_BEGINNING:
        left = [seat for seat in seats if not game.still_in[seat]]
        return Adjudication(Verdict.NOT_BEGUN, score_lost_game(terms, {game.turn, *left}))
    late = [game.turn] if game.is_overdue else []
    sharing = [seat for seat in seats if game.still_in[seat] and seat not in late]
    if game.proved_winner in sharing:
        return Adjudication(Verdict.PROVED, score_game(terms, [game.proved_winner]))
    points = score_game(terms, sharing)
    if late:
        return Adjudication(Verdict.OVERDUE, points)
    slow = next((seat for seat in sharing if _is_slow(game, seat, sharing)), None)
    if slow is None:
        return Adjudication(Verdict.SHARED, points)
    less = tuple(share // 2 if seat == slow else share for seat, share in enumerate(points))
    return Adjudication(Verdict.SHARED_SLOW, less)


def decide_unbegun(at_limit: Sequence[bool], terms: LeagueTerms) -> Adjudication:
    """Decides a game that was never set up. `at_limit`: per seat, whether its person had as many games as they wanted.

    These people lose the game. If there are none, the bot is at fault, and everybody shares the game.
    """
    losing = [seat for seat, is_at in enumerate(at_limit) if is_at]
    return Adjudication(Verdict.NOT_BEGUN, score_lost_game(terms, losing))


def _is_slow(game: UnfinishedGame, seat: Seat, sharing: list[Seat]) -> bool:
    """Whether that seat has used more than twice the mean time of the others; at most one seat has."""
    others = [game.seconds_used[other] for other in sharing if other != seat]
    return bool(others) and game.seconds_used[seat] * len(others) > SLOW_FACTOR * sum(others)


def games_to_finish(lost_on_time: int, finished: int) -> int:
    """Returns how many more games a person must finish in the server before they may join the next season.

    A person who lost N league games on time in a season must finish more than N games from its beginning on.
    `finished` does not include the games that the person lost on time.
    """
    return max(lost_on_time - finished + 1, 0) if lost_on_time else 0
