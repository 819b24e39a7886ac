"""What people see of their games: the list, their profile, the panel that **More** opens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bot.core.acts import Actor
from bot.core.match import Match, MatchSummary, Phase, Place
from bot.features import FEATURES
from bot.ladder.profile_commands import profile_lines
from bot.ladder.profile_rows import Profile
from bot.play.after_acts import find_waiting_games
from bot.play.context import ACTIONS, COMPOSER, ComposerState, Feature
from bot.play.info_commands import live_game_line, sort_by_deadline
from bot.play.move import more_buttons
from bot.store import Fault, StoreError
from bot.texts.i18n import Language, text
from bot.texts.markup import absolute_time
from bot.texts.people import mention_user
from rules import VARIANTS
from tests.bot.match_stories import paused
from tests.bot.playing import ADA, BO, CHANNEL, CY, GUILD, NOW, existing, live
from tests.sentences import part

GAME = MatchSummary(
    7,
    Place(GUILD, CHANNEL),
    VARIANTS["camelot"],
    Phase.LIVE,
    (ADA, BO),
    (),
    ADA,
    3,
    NOW,
    None,
    time_runs_out_at=NOW + 60,
)


def listed(locale: Language, viewer: int, now: int) -> str:
    return live_game_line(locale, viewer, GAME, live("camelot"), now)


def test_a_deadline_is_shown_until_it_has_passed(locale: Language) -> None:
    for viewer in (ADA, BO, CY):
        assert f"<t:{NOW + 60}:R>" in listed(locale, viewer, NOW)
        assert "<t:" not in listed(locale, viewer, NOW + 60)


def test_after_it_only_an_opponent_is_told_to_claim(locale: Language) -> None:
    may_claim = text(locale, "games.overdue-opponent", player=mention_user(ADA, locale))
    assert [viewer for viewer in (ADA, BO, CY) if may_claim in listed(locale, viewer, NOW + 60)] == [BO]


def test_games_are_sorted_by_turn_and_then_by_the_earliest_deadline() -> None:
    games = [
        replace(GAME, id=number, to_move=mover, time_runs_out_at=clock)
        for number, mover, clock in [(1, BO, NOW), (2, ADA, None), (3, ADA, None), (4, ADA, NOW + 60), (5, BO, None)]
    ]
    assert [game.id for game in sort_by_deadline(games, ADA, {3: NOW + 30})] == [3, 4, 2, 1, 5]
    assert [game.id for game in sort_by_deadline(games, ADA, {3: NOW + 90})] == [4, 3, 2, 1, 5]


def test_the_end_of_a_season_is_shown(locale: Language) -> None:
    assert f"<t:{NOW + 90}:R>" in live_game_line(locale, ADA, GAME, live("camelot"), NOW, NOW + 90)


def test_a_pause_is_shown_with_its_end_and_no_other_is_offered(locale: Language) -> None:
    # The bug: neither list nor panel said until when, and the panel still offered a pause.
    match = paused().match
    until = text(locale, "games.paused", until=absolute_time(existing(match.paused_until)))
    assert until in live_game_line(locale, ADA, replace(GAME, time_runs_out_at=None), match, NOW)
    assert "pause-ask" not in names_offered(match, ADA)


# Profiles


def test_who_thinks_for_seconds_is_not_said_to_think_for_0_minutes(locale: Language) -> None:
    for thinking, shown in (
        (0, text(locale, "profile.brief")),
        (59, text(locale, "profile.brief")),
        (60, text(locale, "clock.minutes", count=1)),
    ):
        *_, said = profile_lines(locale, ADA, Profile("camelot", thinking=thinking), NOW)
        assert shown in said
        assert "0 min" not in said


# The panel that **More** opens


STRANGER = 10**17 + 9


def names_offered(match: Match, user: int, features: Sequence[Feature] = FEATURES) -> list[str]:
    """Returns the names of the buttons that the panel offers to that user."""
    buttons = more_buttons(features, "en", match, Actor(user, NOW))
    return [read[0] for button in buttons if (read := ACTIONS.parse_id(str(button.custom_id)))]


def test_only_acts_that_would_not_be_refused_are_offered() -> None:
    match = live("camelot")
    everybody, agreeing = ["rules", "export", "notes"], ["draw-offer", "pause-ask", "substitute-ask", "resign-ask"]
    assert names_offered(match, ADA) == [*everybody, "snooze", *agreeing]
    assert names_offered(match, BO) == [*everybody, *agreeing]
    assert names_offered(match, STRANGER) == everybody
    assert names_offered(match, STRANGER, ()) == ["rules", "export"], "without features"


# The next games, named after a move


@pytest.mark.parametrize(
    ("waiting", "said"),
    [
        ((), ""),
        ((7,), part("move.waiting", games="#7")),
        (range(2, 7), part("move.waiting", games="#2, #3, #4, #5, #6")),
        (range(2, 9), part("move.waiting-more", games="#2, #3, #4, #5, #6", count=2)),
    ],
)
async def test_the_next_games_are_named_as_far_as_there_is_room(waiting: tuple[int, ...], said: str) -> None:
    async def games_of(guild: int, user: int, *, live: bool) -> list[SimpleNamespace]:
        return [
            SimpleNamespace(id=number, to_move=user, time_runs_out_at=number, variant=VARIANTS["camelot"])
            for number in reversed(waiting)
        ]

    sentence, view = await find_waiting_games(press(games_of), live())
    assert sentence == said
    shown = [item.custom_id for item in view.children] if view else []  # type: ignore[attr-defined]
    assert shown == [COMPOSER.format_id("open", ComposerState(number, 0)) for number in waiting[:1]]


async def test_a_move_is_told_of_even_if_the_disk_fails_after_it() -> None:
    async def games_of(guild: int, user: int, *, live: bool) -> list[SimpleNamespace]:
        raise StoreError(Fault.NO_ACCESS, Path("rt.db"), "gone")

    assert await find_waiting_games(press(games_of), live()) == ("", None)


def press(games_of: object) -> Any:
    """The parts of an interaction that are needed here."""
    service = SimpleNamespace(reader=SimpleNamespace(games_of=games_of))
    return SimpleNamespace(
        extras={},
        guild_id=GUILD,
        user=SimpleNamespace(id=ADA),
        client=SimpleNamespace(context=SimpleNamespace(service=service)),
        locale=SimpleNamespace(value="en-US"),
        is_user_integration=lambda: False,
    )
