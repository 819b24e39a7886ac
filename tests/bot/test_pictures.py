"""The queue of pictures: preparations at the start must not delay the first board."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from threading import Event

import pytest

from bot.discordkit.fair_thread import Priority
from bot.play import pictures
from bot.play.pictures import Pictures
from render import View
from rules import VARIANTS, Seat, Variant

PATIENCE = 60


async def test_a_public_board_waits_for_no_question_of_anybody() -> None:
    begun, go_on = Event(), Event()

    def hang() -> None:
        begun.set()
        assert go_on.wait(PATIENCE)

    with Pictures() as house:
        hanging = asyncio.create_task(house.thread.run_work(Priority.PERSON, hang))
        assert await asyncio.to_thread(begun.wait, PATIENCE)
        view = View(VARIANTS["camette"].start_position, 0)
        assert await asyncio.wait_for(house.draw_board(view, Priority.PUBLIC), PATIENCE)
        assert not hanging.done()
        go_on.set()
        await hanging


async def test_a_board_at_startup_waits_for_at_most_one_games_side(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on, all_warm = Event(), Event(), Event()
    done: list[object] = []
    sides = [(variant, seat) for variant in VARIANTS.values() for seat in variant.seats]

    def slowly(variant: Variant, seat: Seat) -> Generator[None, None, None]:
        yield
        begun.set()
        assert go_on.wait(PATIENCE)
        done.append((variant, seat))
        if done[-1] == sides[-1]:
            all_warm.set()

    def drawn(view: View) -> Generator[None, None, bytes]:
        done.append("board")
        return b""
        yield

    monkeypatch.setattr(pictures, "warm_caches", slowly)
    monkeypatch.setattr(pictures, "render_in_steps", drawn)
    with Pictures() as house:
        assert await asyncio.to_thread(begun.wait, PATIENCE)
        board = asyncio.create_task(house.draw_board(View(VARIANTS["camelot"].start_position, 0)))
        await asyncio.sleep(0)  # it is now queued
        go_on.set()
        await board
        assert await asyncio.to_thread(all_warm.wait, PATIENCE)
    assert done == [sides[0], "board", *sides[1:]]
