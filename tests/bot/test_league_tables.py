"""The tables of leagues in posts and answers: all groups are shown, however many there are."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import pytest

from bot.discordkit.reply import MAX_MESSAGE_LENGTH
from bot.leagues.groups import make_schedule, split_groups
from bot.leagues.league import MAX_PEOPLE, open_league
from bot.leagues.posts import draw_tables
from bot.leagues.season import Group, LeagueGame, LeagueSeat, make_groups
from bot.leagues.words import games_text, group_name, table_text
from bot.texts.i18n import LANGUAGES, Language
from render import run_steps
from tests.bot.playing import CHANNEL, GUILD, NOW
from tests.bot.seasons import CAMETTE

MOST_ATTACHMENTS = 10


def groups_of(count: int) -> tuple[Group, ...]:
    """Returns the groups of that many people, numbered from 1, which have drawn the games of the first round."""
    seats, games, user = list[LeagueSeat](), list[LeagueGame](), 0
    for division, size in enumerate(split_groups(count, CAMETTE.least, CAMETTE.most)):
        for entry in range(size):
            user += 1
            seats.append(LeagueSeat(division, entry, 10**18 + user))
        for number, fixture in enumerate(make_schedule(size, 2, double=False)):
            points = None if fixture.round else (6, 6)
            games.append(LeagueGame(division, number, fixture.round, fixture.seats, 100 + len(games), points))
    return make_groups(seats, games, CAMETTE)


class Context:
    """What drawing needs of the bot."""

    def __init__(self) -> None:
        self.names = SimpleNamespace(find_names=self._find_names)
        self.pictures = SimpleNamespace(thread=SimpleNamespace(run_steps=self._run_steps))

    async def _find_names(self, guild: int, users: Iterable[int]) -> dict[int, str]:
        return {user: f"Player{user - 10**18}." for user in users}

    async def _run_steps(self, priority: object, steps: Any) -> object:
        return run_steps(steps)


@pytest.mark.parametrize("count", [3, 40, 44, MAX_PEOPLE])
async def test_every_group_is_shown_in_at_most_ten_pictures(count: int) -> None:
    context: Any = Context()
    files = [make_file() for make_file in await draw_tables(context, "en", GUILD, groups_of(count))]
    assert len(files) <= MOST_ATTACHMENTS
    described = " ".join(file.description or "" for file in files)
    assert all(f"Player{user}." in described for user in range(1, count + 1))
    assert all(f"Group {chr(ord('A') + group.division)}" in described for group in groups_of(count))


def test_a_list_of_games_counts_what_a_message_cannot_take() -> None:
    league, groups = open_league(1, GUILD, CHANNEL, CAMETTE, NOW).begin_season(NOW), groups_of(MAX_PEOPLE)
    shown = games_text("en", league, 1, groups, 0, {})
    listed, rest = shown.count("\n#"), shown.rpartition("\n")[2]
    unfinished = sum(len(group.unfinished_games) for group in groups)
    assert len(shown) <= MAX_MESSAGE_LENGTH
    assert rest == f"… and {unfinished - listed} more games"


@pytest.mark.parametrize("locale", LANGUAGES)
def test_the_post_of_the_largest_league_names_every_group(locale: Language) -> None:
    league = open_league(1, GUILD, CHANNEL, CAMETTE, NOW).begin_season(NOW)
    shown = table_text(locale, league, groups_of(MAX_PEOPLE))
    assert len(shown) <= MAX_MESSAGE_LENGTH
    assert all(group_name(locale, division) in shown for division in range(15))
