"""Leaderboards, profiles and comparisons, computed from finished games."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

from bot.core.ratings import NEW_RATING, Rating
from bot.core.results import PlayerOutcome
from bot.discordkit.paging import Page, page_of
from bot.ladder.rows import rungs_by_variant
from bot.store import Reader
from bot.store.people import load_people
from bot.store.results import SET_POSITION_SQL, ratings_of


class PlayerGame(NamedTuple):
    """One player's part in a finished game."""

    variant: str
    outcome: PlayerOutcome
    late: bool
    first_move: str | None
    moves: int
    thought: int
    planned: int
    with_house: bool = False
    """Whether a house player had a seat from the start."""


async def player_games(reader: Reader, guild: int, user: int) -> list[PlayerGame]:
    """A user's part in each of their finished games in a server, the latest first, but not from set positions."""
    rows = await reader.run_sql(
        "SELECT s.variant, outcome, late, first_move, s.moves, thought, planned, never_rated"
        " FROM shares s CROSS JOIN results r WHERE r.match = s.match AND s.guild = ? AND user = ?"
        f" AND NOT {SET_POSITION_SQL} ORDER BY s.ended_at DESC, s.match DESC",
        (guild, user),
    )
    return [
        PlayerGame._make((variant, PlayerOutcome(outcome), bool(late), *rest, bool(never_rated)))
        for variant, outcome, late, *rest, never_rated in rows  # as it began with a house player
    ]


FAVOURITE_MOVES_SHOWN = 3
"""First moves shown in a profile."""

LEADERS_ON_PAGE = 10
"""People on a page of a leaderboard, each with a button."""


class LeaderboardRow(NamedTuple):
    """A row of a leaderboard."""

    rank: int
    user: int
    rating: Rating


@dataclass(frozen=True, slots=True)
class Profile:
    """A user's record at one variant in one server."""

    variant: str
    rating: Rating = NEW_RATING
    rung: int | None = None
    """The rung on the ladder; None for a user who is not on it."""
    won: int = 0
    drawn: int = 0
    lost: int = 0
    streak: int = 0
    """The latest run of games won; negative for games lost, 0 after a draw."""
    first_moves: tuple[tuple[str, int], ...] = ()
    """Their favourite first moves, with how often they made them."""
    thinking: int | None = None
    """The seconds of an average move; None if they have made none."""
    late: int = 0
    """How often they ran out of time."""
    against_house: tuple[int, int, int] | None = None
    """The games won, drawn and lost among those that began with house players, which count nowhere else. None if
    there are none."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two people side by side."""

    profiles: tuple[tuple[Profile, ...], tuple[Profile, ...]]
    together: Mapping[str, tuple[int, int, int]]
    """By variant, their games together: won by the first, drawn (or won by a third), won by the second."""
    hidden: frozenset[int] = frozenset()
    """Those of the two who do not want to be shown; their profile is empty."""


def current_streak(outcomes: Iterable[PlayerOutcome]) -> int:
    """The length of the run of equal outcomes at the beginning; negative for losses. Skips games without a result."""
    counted = [outcome for outcome in outcomes if outcome is not PlayerOutcome.NONE]
    latest = counted[0] if counted else PlayerOutcome.DRAWN
    sign = {PlayerOutcome.WON: 1, PlayerOutcome.LOST: -1}.get(latest, 0)
    return sign * len([*takewhile(lambda outcome: outcome is latest, counted)])


async def profiles_of(reader: Reader, guild: int, user: int) -> tuple[Profile, ...]:
    """Returns the user's profile at each variant that they have played in that server, the most played one
    first."""
    played: dict[str, list[PlayerGame]] = defaultdict(list)
    for part in await player_games(reader, guild, user):
        played[part.variant].append(part)
    sql = "SELECT variant, mu, sigma, games, played_at FROM ratings WHERE user = ? AND guild = ?"
    ratings = {variant: Rating(*rating) for variant, *rating in await reader.run_sql(sql, (user, guild))}
    rungs = await rungs_by_variant(reader, guild, user)
    profiles = [
        _profile_of_parts(variant, played[variant], rungs.get(variant), ratings.get(variant, NEW_RATING))
        for variant in played.keys() | ratings.keys() | rungs.keys()
    ]
    return tuple(sorted(profiles, key=lambda profile: (-len(played[profile.variant]), profile.variant)))


async def rating_curve(reader: Reader, guild: int, variant: str, user: int) -> list[int]:
    """Returns the rating number after each of the user's rated games, in order."""
    story = await reader.run_sql(
        "SELECT mu, sigma, games, c.played_at FROM rating_changes c CROSS JOIN results r"
        " WHERE r.match = c.match AND user = ? AND +guild = ? AND variant = ? ORDER BY ended_at, r.match",
        (user, guild, variant),
    )
    return [Rating(*rating).shown_number for rating in story]


async def leaderboard_page(
    reader: Reader, guild: int, variant: str, page: int, now: int, user: int | None = None
) -> tuple[Page[LeaderboardRow], int | None]:
    """Returns that page of the leaderboard by rating, or the nearest existing page, and the place of `user`; None if
    they have none, or hide.
    """
    order = await reader.read_column(  # certain ratings come first
        "SELECT user FROM ratings LEFT JOIN user_settings USING (user) WHERE guild = ? AND variant = ?"
        " AND coalesce(public, 1) = 1 AND user > 0 ORDER BY unsure_from <= ?, number DESC, games DESC, user",
        (guild, variant, now),
    )
    shown = page_of(order, page, LEADERS_ON_PAGE)
    ratings = await ratings_of(reader, guild, variant, shown.items)
    rows = [LeaderboardRow(rank, member, ratings[member]) for rank, member in enumerate(shown.items, shown.first + 1)]
    return shown._replace(items=rows), order.index(user) + 1 if user in order else None


async def compare_people(reader: Reader, guild: int, first_user: int, second_user: int) -> Comparison:
    """Compares two people. A hidden person has no record in it, nor do the games that both have played together."""
    users = (first_user, second_user)
    persons = await load_people(reader, users)
    hidden = frozenset(user for user in users if not persons[user].settings.public)
    profiles = [() if user in hidden else await profiles_of(reader, guild, user) for user in users]
    met = await reader.run_sql(
        "SELECT s.variant, s.outcome, o.outcome FROM shares s CROSS JOIN shares o CROSS JOIN results r"
        " WHERE o.match = s.match AND r.match = s.match AND s.guild = ? AND s.user = ? AND o.user = ?"
        " AND never_rated = 0 ORDER BY s.variant",
        (guild, *users),
    )
    together: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for variant, *outcomes in [] if hidden else met:
        first, second = map(PlayerOutcome, outcomes)
        if first is not PlayerOutcome.NONE:
            together[variant][0 if first is PlayerOutcome.WON else 2 if second is PlayerOutcome.WON else 1] += 1
    counts = {variant: (won, drawn, lost) for variant, (won, drawn, lost) in together.items()}
    return Comparison((profiles[0], profiles[1]), counts, hidden)


def _profile_of_parts(variant: str, parts: Sequence[PlayerGame], rung: int | None, rating: Rating) -> Profile:
    """Adds up those parts, given the latest first. Games with the house count separately."""
    with_house = Counter(part.outcome for part in parts if part.with_house)
    parts = [part for part in parts if not part.with_house]
    outcomes = Counter(part.outcome for part in parts)
    first_moves = Counter(part.first_move for part in parts if part.first_move)
    favourites = sorted(first_moves.items(), key=lambda move_count: (-move_count[1], move_count[0]))
    pondered = sum(part.moves - part.planned for part in parts)
    return Profile(
        variant=variant,
        rating=rating,
        rung=rung,
        won=outcomes[PlayerOutcome.WON],
        drawn=outcomes[PlayerOutcome.DRAWN],
        lost=outcomes[PlayerOutcome.LOST],
        streak=current_streak(part.outcome for part in parts),
        first_moves=tuple(favourites[:FAVOURITE_MOVES_SHOWN]),
        thinking=sum(part.thought for part in parts) // pondered if pondered else None,
        late=sum(part.late for part in parts),
        against_house=(with_house[PlayerOutcome.WON], with_house[PlayerOutcome.DRAWN], with_house[PlayerOutcome.LOST])
        if with_house
        else None,
    )
