"""A ladder: its entries as they are stored, the state that they make, and what is shown of it. Pure.

The entries are numbered from 1 without a gap per server and variant. The fold applies them; `finish_game` makes the
entry for the end of a game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import combinations
from typing import Any, NamedTuple

from bot.core.clock import DAY, HOUR
from bot.core.ratings import Rating, long_enough
from bot.core.results import FinishedGame, RungChanges


class LadderId(NamedTuple):
    """The key of a ladder."""

    guild: int
    variant: str


class EntryKind(Enum):
    """What happened. The values are stored and never change."""

    JOINED = 1  # users: one
    LEFT = 2  # users: one
    CHALLENGED = 3  # users: challenger, challenged
    ACCEPTED = 4  # users: as above. matches: one
    REFUSED = 5  # users: as above
    LAPSED = 6  # users: as above. body: "excused" if the challenged user was on vacation or frozen
    QUEUED = 7  # users: one. body: once "triad", for three games with rotated seats
    UNQUEUED = 8  # users: one
    PAIRED = 9  # users: in seat order (of the first game). matches: one; once three, a triad
    FINISHED = 10  # matches: one. body: see `Score`
    ANNULLED = 11  # users: who played. matches: one that was finished; see `replay_history`
    SEASON_STARTED = 12  # body: "1 1700000000": its number and when it ends
    SEASON_ENDED = 13  # users: the podium, best first. body: its number
    REOPENED = 14  # users, matches: as of ANNULLED; a referee lets the game continue
    DIGEST = 15  # no longer written: a week of the season is over. body: when the week began


NEWSWORTHY_ENTRIES = frozenset(
    {EntryKind.CHALLENGED, EntryKind.ACCEPTED, EntryKind.REFUSED, EntryKind.LAPSED, EntryKind.PAIRED}
    | {EntryKind.SEASON_STARTED, EntryKind.SEASON_ENDED}
)
"""The kinds of entries that are announced. The end of a game is announced with the game's result."""
PUBLIC_ENTRIES = (EntryKind.SEASON_STARTED, EntryKind.SEASON_ENDED)
"""Entries that concern everybody and go to the announcements channel."""


@dataclass(frozen=True, slots=True)
class LadderEntry:
    """One entry of a ladder. `at` is in unix seconds."""

    seq: int
    at: int
    kind: EntryKind
    users: tuple[int, ...] = ()
    matches: tuple[int, ...] = ()
    body: str = ""


class Score(NamedTuple):
    """The result of a ladder game for the users who began it. A user in no field has neither won nor lost."""

    won: tuple[int, ...] = ()
    drew: tuple[int, ...] = ()
    lost: tuple[int, ...] = ()
    late: tuple[int, ...] = ()
    """The users who ran out of time. They are in `lost`, too."""


NO_SCORE = Score()
"""The score of a game that ended without a result."""


def format_score(score: Score) -> str:
    """Returns the body of FINISHED: "won:1 lost:2,3 late:3", "drew:1,2", or "" for a game without a result."""
    groups = zip(Score._fields, score, strict=True)
    return " ".join(f"{name}:{','.join(map(str, users))}" for name, users in groups if users)


def parse_score(body: str) -> Score:
    """Reads what `format_score` wrote."""
    groups = (word.split(":") for word in body.split())
    return Score(**{name: tuple(map(int, users.split(","))) for name, users in groups})


EXCUSED_BODY = "excused"


CHALLENGE_REACH = 3
"""How many rungs up a climber may challenge, and how many rungs apart the queue pairs without a wait."""
ANSWER_TIME_S = 72 * HOUR
"""Seconds until a challenge lapses."""
REMATCH_PAUSE_S = 7 * DAY
FREE_REFUSALS, REFUSAL_SPAN_S = 1, 30 * DAY
FREEZE_S = 7 * DAY
ASLEEP_AFTER_S = 30 * DAY
"""Seconds without a move after which a climber is asleep."""
SEASON_S = 70 * DAY


@dataclass(frozen=True, slots=True)
class Climber:
    """A user on one ladder. Wins, draws and losses are those of the season."""

    user: int
    joined_at: int
    rung: int = 0
    is_active: bool = True
    """False for a user who has left. Their refusals and freeze are kept in case they come back."""
    wins: int = 0
    draws: int = 0
    losses: int = 0
    timeouts: int = 0
    frozen_until: int = 0
    refused: tuple[int, ...] = ()
    """The times in the last REFUSAL_SPAN_S at which they turned a challenge down or let it lapse."""
    challenging: int | None = None
    """The user that they have challenged, until the game is over."""
    challenger: int | None = None
    """The user who has challenged them, until the game is over."""
    queued_at: int | None = None
    queue_game: int | None = None
    """Their match from the queue (of a triad, the first), until the game is over; None if there is none."""
    balance: int = 0
    """How many more times they have moved first than second, in two-player games from the queue."""
    began_last: bool = False
    """Whether they moved first in the last of these games."""

    def refusal_costs(self, now: int) -> bool:
        """Whether turning a challenge down now costs a rung. One refusal in 30 days is free."""
        return sum(at > now - REFUSAL_SPAN_S for at in self.refused) >= FREE_REFUSALS


@dataclass(frozen=True, slots=True)
class Challenge:
    """A challenge that waits for an answer."""

    challenger: int
    challenged: int
    at: int
    seq: int
    """The number of the entry that made it."""


@dataclass(frozen=True, slots=True)
class LadderGame:
    """A running game, or the three games of a triad, which the queue no longer begins."""

    users: tuple[int, ...]
    """The users who began it: challenger and challenged, or in the order of the pairing."""
    matches: tuple[int, ...]
    challenged: bool
    """Whether it came from a challenge. If so, the first user is the challenger."""
    scores: tuple[tuple[int, str], ...] = ()
    """The matches that are over, each with the body of FINISHED."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """The recent history between two users."""

    played_at: int = 0
    """When their last game ended."""
    turned_down_at: int = 0
    turned_down_by: int = 0


@dataclass(frozen=True, slots=True)
class Season:
    """A season. It ends at the first tick at or after `until`."""

    number: int
    began_at: int
    until: int


@dataclass
class Ladder:
    """The state of one ladder, as its entries have made it. Its values are immutable, and the fold replaces them."""

    seats: int
    """Players in a game: 2 or 3."""
    climbers: dict[int, Climber] = field(default_factory=dict)
    challenges: dict[int, Challenge] = field(default_factory=dict)
    """The challenges that wait for an answer, by challenger."""
    games: dict[int, LadderGame] = field(default_factory=dict)
    """The running games, by each of their matches."""
    meetings: dict[tuple[int, int], Meeting] = field(default_factory=dict)
    """By the two users, the lower first: their meeting in the last REMATCH_PAUSE_S, or until the next is added."""
    season: Season | None = None
    seasons: int = 0
    """How many seasons have been started."""
    seq: int = 0

    def active_climber(self, user: int) -> Climber | None:
        """Returns the climber; None for a user who has left or never joined."""
        climber = self.climbers.get(user)
        return climber if climber and climber.is_active else None

    def challenge_made_by(self, seq: int) -> Challenge | None:
        """Returns the challenge that the entry made; None if it made none, or that has been answered or dropped."""
        return next((waiting for waiting in self.challenges.values() if waiting.seq == seq), None)

    def meeting_of(self, first_user: int, second_user: int) -> Meeting:
        """Returns the recent history between the two."""
        return self.meetings.get((min(first_user, second_user), max(first_user, second_user)), Meeting())

    def next_entry(
        self, now: int, kind: EntryKind, users: tuple[int, ...] = (), matches: tuple[int, ...] = (), body: str = ""
    ) -> LadderEntry:
        """Returns the next entry of the ladder, with the next number."""
        return LadderEntry(self.seq + 1, now, kind, users, matches, body)


# How entries change it


WIN_POINTS, DRAW_POINTS = 3, 1
"""The points for a game of a triad: of its winner, and of each player in a draw."""


def score_of_game(game: LadderGame, result: FinishedGame) -> Score:
    """Returns the score of that match for the users who began it.

    Leavers lose, even if their substitutes win. Substitutes gain nothing here. Players who handed a seat over by
    consent neither win nor lose. Nobody wins a game too short to be rated, because otherwise friends could give each
    other rungs. But its leavers lose, because otherwise players could walk out of every game that begins badly.
    """
    if not result.has_result:
        return NO_SCORE
    leavers = {leaver.user for leaver in result.leavers}
    late = tuple(user for user in game.users if user in result.timed_out_users)
    stayed = tuple(user for user in game.users if user in result.players and user not in leavers)
    losers = tuple(user for user in game.users if user in leavers)
    if not long_enough(result):
        return Score(lost=losers, late=late)
    if result.is_draw:
        return Score(drew=stayed, lost=losers, late=late)
    won = tuple(user for user in stayed if user in result.winners)
    return Score(won=won, lost=(*(user for user in stayed if user not in won), *losers), late=late)


def total_score(users: tuple[int, ...], scores: Iterable[Score]) -> Score:
    """Returns the score of a triad from those of its games. Most points win; a tie for most points is a draw of all.

    A game without a result does not count. If no game has a result, the triad does not count; if one has, its score is
    that of the triad. If nobody has a point, the users who lost a game lose.
    """
    played = [score for score in scores if score.won or score.drew or score.lost]
    if len(played) <= 1:
        return played[0] if played else NO_SCORE
    sums = Counter(dict.fromkeys(users, 0))
    for score in played:
        sums.update(dict.fromkeys(score.won, WIN_POINTS))
        sums.update(dict.fromkeys(score.drew, DRAW_POINTS))
    best = max(sums.values())
    first = tuple(user for user in users if sums[user] == best)
    if not best:
        return Score(lost=tuple(user for user in users if any(user in score.lost for score in played)))
    if len(first) > 1:
        return Score(drew=users)
    return Score(won=first, lost=tuple(user for user in users if user not in first))


def rungs_after(game: LadderGame, result: Score, before: dict[int, int]) -> dict[int, int]:
    """Returns the rung of each user after the game; `before` are their rungs at its end.

    A challenger who wins moves one rung up, or to the rung of the other if that is higher. A challenged user who wins
    moves one up. From the queue, the winner of a two-player game moves one up, of a three-player game two. Losers move
    one down, never below 0.
    """
    after = dict(before)
    for user in result.won:
        if len(game.users) > 2:
            after[user] = before[user] + 2
        elif game.challenged and user == game.users[0]:
            after[user] = max(before[user] + 1, before[game.users[1]])
        else:
            after[user] = before[user] + 1
    for user in result.lost:
        after[user] = rung_below(before[user])
    return after


def rung_below(rung: int) -> int:
    """Returns the next lower rung, never below 0."""
    return max(rung - 1, 0)


def finish_game(ladder: Ladder, result: FinishedGame, now: int) -> LadderEntry | None:
    """Returns the entry for the end of a match. None if the match is not a running game of this ladder, so a second
    call is harmless."""
    game = ladder.games.get(result.match)
    if game is None or result.match in dict(game.scores):
        return None
    return ladder.next_entry(now, EntryKind.FINISHED, (), (result.match,), format_score(score_of_game(game, result)))


def replay_history(ladder: Ladder, entries: Iterable[LadderEntry]) -> Iterator[tuple[LadderEntry, RungChanges]]:
    """Applies all entries to an empty ladder, and yields each entry with the rungs of the users that it concerned.

    A match that was annulled, however late, has no score, and a reopened match counts as not ended. `apply_entry` can
    do neither, so after such an entry the ladder must be rebuilt.
    """
    entries = tuple(entries)
    annulled = {match_id for entry in entries if entry.kind is EntryKind.ANNULLED for match_id in entry.matches}
    reopened = {
        match_id: entry.seq for entry in entries if entry.kind is EntryKind.REOPENED for match_id in entry.matches
    }
    for entry in entries:
        match_id = entry.matches[0] if entry.kind is EntryKind.FINISHED else None
        if match_id is not None and entry.seq < reopened.get(match_id, 0):
            ladder.seq = entry.seq
            yield entry, {}
        else:
            yield entry, apply_entry(ladder, replace(entry, body="") if match_id in annulled else entry)


def apply_entry(ladder: Ladder, entry: LadderEntry) -> RungChanges:
    """Applies the next entry. Does not check whether it is allowed.

    Returns the rungs of the users that the entry concerned: before it (None for a new one) and after it.
    """
    assert entry.seq == ladder.seq + 1, (entry, ladder.seq)
    before = {user: ladder.climbers.get(user) for user in _users_concerned_by(ladder, entry)}
    if fold := _FOLD.get(entry.kind):
        fold(ladder, entry)
    ladder.seq = entry.seq
    return {user: (old.rung if old else None, ladder.climbers[user].rung) for user, old in before.items()}


def _users_concerned_by(ladder: Ladder, entry: LadderEntry) -> Iterable[int]:
    if entry.kind is EntryKind.SEASON_ENDED:
        return tuple(ladder.climbers)
    if entry.kind in (EntryKind.ANNULLED, EntryKind.REOPENED):
        return [user for user in entry.users if user in ladder.climbers]
    if entry.kind is EntryKind.FINISHED:
        return ladder.games[entry.matches[0]].users
    if entry.kind is EntryKind.LEFT:
        climber = ladder.climbers[entry.users[0]]
        return [user for user in (climber.user, climber.challenging, climber.challenger) if user is not None]
    return entry.users


def _fold_joined(ladder: Ladder, entry: LadderEntry) -> None:
    (user,) = entry.users
    if user in ladder.climbers:  # a returning climber begins on rung 0, but keeps refusals and the freeze
        _change_climber(ladder, user, is_active=True, rung=0, joined_at=entry.at)
    else:
        ladder.climbers[user] = Climber(user, entry.at)


def _fold_left(ladder: Ladder, entry: LadderEntry) -> None:
    (user,) = entry.users
    climber = ladder.climbers[user]
    if climber.challenging is not None:
        _drop_challenge(ladder, user, climber.challenging)
    if climber.challenger is not None:
        _drop_challenge(ladder, climber.challenger, user)
    _change_climber(ladder, user, is_active=False, queued_at=None)


def _fold_challenged(ladder: Ladder, entry: LadderEntry) -> None:
    challenger, challenged = entry.users
    ladder.challenges[challenger] = Challenge(challenger, challenged, entry.at, entry.seq)
    _change_climber(ladder, challenger, challenging=challenged)
    _change_climber(ladder, challenged, challenger=challenger)


def _fold_accepted(ladder: Ladder, entry: LadderEntry) -> None:
    del ladder.challenges[entry.users[0]]
    ladder.games |= dict.fromkeys(entry.matches, LadderGame(entry.users, entry.matches, challenged=True))


def _fold_turned_down(ladder: Ladder, entry: LadderEntry) -> None:
    challenger, challenged = entry.users
    _drop_challenge(ladder, challenger, challenged)
    if entry.body == EXCUSED_BODY:  # the challenged user has turned nobody down
        return
    _note_meeting(ladder, challenger, challenged, entry.at, turned_down_at=entry.at, turned_down_by=challenged)
    climber = ladder.climbers[challenged]
    recent = tuple(at for at in climber.refused if at > entry.at - REFUSAL_SPAN_S)
    rung = rung_below(climber.rung) if climber.refusal_costs(entry.at) else climber.rung
    _change_climber(ladder, challenged, rung=rung, refused=(*recent, entry.at))


def _fold_paired(ladder: Ladder, entry: LadderEntry) -> None:
    for number, user in enumerate(entry.users):
        order: dict[str, int] = {}
        if len(entry.users) == 2:
            order = {"balance": ladder.climbers[user].balance + (-1 if number else 1), "began_last": not number}
        _change_climber(ladder, user, queued_at=None, queue_game=entry.matches[0], **order)
    ladder.games |= dict.fromkeys(entry.matches, LadderGame(entry.users, entry.matches, challenged=False))


def _fold_finished(ladder: Ladder, entry: LadderEntry) -> None:
    (match_id,) = entry.matches
    score, game = parse_score(entry.body), ladder.games[match_id]
    game = replace(game, scores=(*game.scores, (match_id, entry.body)))
    if len(game.scores) < len(game.matches):
        ladder.games |= dict.fromkeys(game.matches, game)
    else:
        _finish_game(ladder, game, entry.at)
    for user in score.late:  # after the loss, so that a late player loses another rung
        late = ladder.climbers[user]
        rung = rung_below(late.rung) if late.timeouts else late.rung
        _change_climber(ladder, user, rung=rung, timeouts=late.timeouts + 1, frozen_until=entry.at + FREEZE_S)


def _finish_game(ladder: Ladder, game: LadderGame, at: int) -> None:
    for match_id in game.matches:
        del ladder.games[match_id]
    result = total_score(game.users, [parse_score(body) for _, body in game.scores])
    after = rungs_after(game, result, {user: ladder.climbers[user].rung for user in game.users})
    for user in game.users:
        _count_result(ladder, user, result, after[user], game.matches[0])
    if game.challenged:
        _drop_challenge(ladder, *game.users)
    for first_user, second_user in combinations(game.users, 2):
        _note_meeting(ladder, first_user, second_user, at, played_at=at)


def _note_meeting(ladder: Ladder, first_user: int, second_user: int, at: int, **changes: int) -> None:
    """Notes a meeting of the two, and drops all meetings that are so old that no rule looks at them."""
    oldest = at - REMATCH_PAUSE_S
    ladder.meetings = {
        pair: meeting
        for pair, meeting in ladder.meetings.items()
        if max(meeting.played_at, meeting.turned_down_at) > oldest
    }
    pair = min(first_user, second_user), max(first_user, second_user)
    ladder.meetings[pair] = replace(ladder.meetings.get(pair, Meeting()), **changes)


def _count_result(ladder: Ladder, user: int, result: Score, rung: int, match_id: int) -> None:
    """Applies a result to a climber in a single change, because a rebuild makes very many of them."""
    old = ladder.climbers[user]
    _change_climber(
        ladder,
        user,
        queue_game=None if old.queue_game == match_id else old.queue_game,
        rung=rung,
        wins=old.wins + (user in result.won),
        draws=old.draws + (user in result.drew),
        losses=old.losses + (user in result.lost),
    )


def _fold_season_started(ladder: Ladder, entry: LadderEntry) -> None:
    number, until = map(int, entry.body.split())
    ladder.season, ladder.seasons = Season(number, entry.at, until), number


def _fold_season_ended(ladder: Ladder, entry: LadderEntry) -> None:
    ladder.season = None
    for user, climber in ladder.climbers.items():
        _change_climber(ladder, user, rung=climber.rung // 2, wins=0, draws=0, losses=0, timeouts=0)


def _drop_challenge(ladder: Ladder, challenger: int, challenged: int) -> None:
    """Removes the challenge between the two users. Their later challenges with others stay."""
    if ladder.climbers[challenger].challenging == challenged:
        ladder.challenges.pop(challenger, None)
        _change_climber(ladder, challenger, challenging=None)
    if ladder.climbers[challenged].challenger == challenger:
        _change_climber(ladder, challenged, challenger=None)


def _change_climber(ladder: Ladder, user: int, **changes: Any) -> None:
    ladder.climbers[user] = replace(ladder.climbers[user], **changes)


_FOLD: dict[EntryKind, Callable[[Ladder, LadderEntry], None]] = {
    EntryKind.JOINED: _fold_joined,
    EntryKind.LEFT: _fold_left,
    EntryKind.CHALLENGED: _fold_challenged,
    EntryKind.ACCEPTED: _fold_accepted,
    EntryKind.REFUSED: _fold_turned_down,
    EntryKind.LAPSED: _fold_turned_down,
    EntryKind.QUEUED: lambda ladder, entry: _change_climber(ladder, entry.users[0], queued_at=entry.at),
    EntryKind.UNQUEUED: lambda ladder, entry: _change_climber(ladder, entry.users[0], queued_at=None),
    EntryKind.PAIRED: _fold_paired,
    EntryKind.FINISHED: _fold_finished,
    EntryKind.SEASON_STARTED: _fold_season_started,
    EntryKind.SEASON_ENDED: _fold_season_ended,
}
"""What an entry changes, by its kind. After ANNULLED and REOPENED, `replay_history` reads the end of the game
differently.
"""


# What is shown of it


HISTORY_ROWS = 12
"""Rows on a page of a user's history. They are longer than rows of a table, and a page must fit into a message."""


class Standings(NamedTuple):
    """A ladder's table: the climbers who are awake with their ratings, best first."""

    rows: Sequence[tuple[Climber, Rating]]
    season: Season | None
    """None before the first season, and while nobody is on the ladder."""

    def place_of(self, user: int) -> int | None:
        """Returns the user's place, from 1; None if they are not in the table."""
        return next((rank for rank, (climber, _) in enumerate(self.rows, 1) if climber.user == user), None)


class LadderNews(NamedTuple):
    """An entry to announce."""

    ladder_id: LadderId
    entry: LadderEntry
    rungs: RungChanges
    channels: Sequence[int]
    """The channel, and after it the one to use if that fails."""
