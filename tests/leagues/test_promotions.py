"""What the end of a season says about promotion happens, in leagues of all sizes through six seasons."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import count
from statistics import median

from hypothesis import given
from hypothesis import strategies as st

from bot.leagues.groups import (
    Group,
    LeagueGame,
    LeagueSeat,
    Movement,
    SeatState,
    make_groups,
    make_schedule,
    next_divisions,
    split_groups,
)
from bot.leagues.league import LeagueTerms, score_game
from tests.examples import examples
from tests.leagues.promotions import Line, broken_promises, can_keep_all, movements

SEASONS = 6
STEPS = {Movement.UP: -1, Movement.STAYS: 0, Movement.DOWN: 1}


def play_season(chance: random.Random, divisions: tuple[tuple[int, ...], ...], terms: LeagueTerms) -> tuple[Group, ...]:
    """Returns the groups of a season that is over; some people have left early or late, and many games are drawn."""
    players = terms.players_per_game
    leaving = chance.choice((0, 0, 0.1, 0.4))
    seats, games = list[LeagueSeat](), list[LeagueGame]()
    for division, members in enumerate(divisions):
        for entrant, user in enumerate(members):
            left = chance.choice((SeatState.OUT, SeatState.LEFT)) if chance.random() < leaving else SeatState.IN
            seats.append(LeagueSeat(division, entrant, user, left))
        draws = chance.choice((0.1, 0.5, 1))
        for game in make_schedule(len(members), terms, division):
            sharing = (
                range(players) if chance.random() < draws else chance.sample(range(players), chance.choice((0, 1)))
            )
            games.append(replace(game, points=score_game(terms, sharing)))
    return make_groups(seats, games, terms)


def lines_of(group: Group) -> list[Line]:
    return [
        Line(row.user, row.rank, row.points_gained > 0, row.games, group.seats[row.entrant].state is SeatState.OUT)
        for row in group.standings
    ]


@examples(5)
@given(st.integers(0, 2**63))
def test_what_the_end_of_a_season_says_happens(seed: int) -> None:
    chance, newcomers = random.Random(seed), count(1000)
    least, most = sorted(chance.choices(range(3, 11), k=2))
    variant, movers = chance.choice(("camette", "tri-camelot")), chance.choice((1, 2, 3))
    terms = LeagueTerms(variant, least=least, most=most, movers=movers, double=chance.random() < 0.2)
    people = [next(newcomers) for _ in range(chance.choice((chance.randint(3, 14), chance.randint(3, 60))))]
    divisions = next_divisions([], people, {}, terms)
    for _ in range(SEASONS):
        groups = play_season(chance, divisions, terms)
        tables = [lines_of(group) for group in groups]
        planned = [
            median(sum(e in game.entrants for game in group.games) for e in range(len(group.seats))) for group in groups
        ]
        said = {row.user: STEPS[row.movement] for group in groups for row in group.standings}
        assert said == movements(tables, planned, terms.movers, split_groups(len(said), terms))
        before = {user: number for number, members in enumerate(divisions) for user in members}
        lost = chance.choice((0, 0.1, 0.3, 0.6))
        signed_up = {user for user in before if chance.random() >= lost}
        signed_up |= {next(newcomers) for _ in range(chance.choice((0, 0, 1, 2, 5)))}
        if len(signed_up) < 3:
            return
        finals = [
            LeagueSeat(one.division, 0, row.user, movement=row.movement) for one in groups for row in one.standings
        ]
        divisions = next_divisions(finals, signed_up, {}, terms)
        assert sorted(user for members in divisions for user in members) == sorted(signed_up)
        assert all(3 <= len(members) <= 10 for members in divisions)
        due = sorted(before[user] + said[user] for user in signed_up if user in before)
        assert not broken_promises(before, said, divisions) or not can_keep_all(due, len(signed_up))
        order = [before[user] + said[user] if user in before else 99 for members in divisions for user in members]
        assert order == sorted(order), "nobody overtakes"
