from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bot.play.after_acts import WaitingGames, find_waiting_games
from bot.play.composer.state import COMPOSER, ComposerState
from bot.store import Fault, StoreError
from rules import VARIANTS
from tests.bot.playing import ADA, GUILD, live
from tests.sentences import part


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
    async def games_of(guild: int, user: int) -> list[SimpleNamespace]:
        return [
            SimpleNamespace(id=number, to_move=user, time_runs_out_at=number, variant=VARIANTS["camelot"])
            for number in reversed(waiting)
        ]

    found = await find_waiting_games(press(games_of), live())
    assert found.sentence == said
    shown = [item.custom_id for item in found.view.children] if found.view else []  # type: ignore[attr-defined]
    assert shown == [COMPOSER.format_id("open", ComposerState(number, 0)) for number in waiting[:1]]


async def test_a_move_is_told_of_even_if_the_disk_fails_after_it() -> None:
    async def games_of(guild: int, user: int) -> list[SimpleNamespace]:
        raise StoreError(Fault.NO_ACCESS, Path("rt.db"), "gone")

    assert await find_waiting_games(press(games_of), live()) == WaitingGames()


def press(games_of: object) -> Any:
    """The parts of an interaction that are needed here."""
    service = SimpleNamespace(games_of=games_of)
    return SimpleNamespace(
        guild_id=GUILD,
        user=SimpleNamespace(id=ADA),
        client=SimpleNamespace(app=SimpleNamespace(service=service)),
        locale=SimpleNamespace(value="en-US"),
        is_user_integration=lambda: False,
    )
