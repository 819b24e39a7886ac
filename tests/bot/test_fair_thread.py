"""The thread beside the event loop: whose turn it is, pictures, and the limit of questions per person."""

from __future__ import annotations

import asyncio
import io
import zipfile
from collections.abc import Generator
from threading import Event

import pytest

from bot.core.timings import Timings
from bot.discordkit.errors import Declined
from bot.discordkit.fair_thread import MAX_QUESTIONS_WAITING, FairThread, QuestionTurns, _advance_steps
from bot.discordkit.reply import zip_files
from bot.play import background
from bot.play.background import Pictures
from render import View
from rules import VARIANTS, Seat, Variant

PATIENCE = 60


async def test_a_board_waits_for_one_step_of_a_moving_picture() -> None:
    begun, go_on, done = Event(), Event(), list[str]()

    def frames() -> Generator[None, None, str]:
        for number in range(5):
            begun.set()
            assert go_on.wait(PATIENCE)
            done.append(f"frame {number}")
            yield
        return "film"

    with FairThread(Timings(thread_slice_s=0)) as thread:
        film = asyncio.create_task(thread.run_steps(frames()))
        assert await asyncio.to_thread(begun.wait, PATIENCE)
        board = asyncio.create_task(thread.run_work(done.append, "board"))
        await asyncio.sleep(0)
        go_on.set()
        await board
        assert await film == "film"
    assert done == ["frame 0", "board", *(f"frame {number}" for number in range(1, 5))]


async def test_what_work_raises_goes_to_the_caller_and_the_thread_continues() -> None:
    def fail() -> Generator[None, None, None]:
        yield
        raise ValueError("no answer")

    with FairThread() as thread:
        for work in (thread.run_work(int, "x"), thread.run_steps(fail())):
            with pytest.raises(ValueError, match=r"."):
                await work
        assert await thread.run_work(int, "7") == 7
    with pytest.raises(RuntimeError):
        await thread.run_work(int, "7")


async def test_what_nobody_waits_for_any_more_is_not_done() -> None:
    go_on, done = Event(), list[str]()
    with FairThread() as thread:
        held = asyncio.create_task(thread.run_work(go_on.wait, PATIENCE))
        await asyncio.sleep(0)
        left = asyncio.create_task(thread.run_work(done.append, "left"))
        await asyncio.sleep(0)
        left.cancel()
        await asyncio.sleep(0)
        go_on.set()
        await held
        await thread.run_work(done.append, "last")
    assert done == ["last"]


async def test_the_end_leaves_out_what_waits() -> None:
    begun, go_on, done = Event(), Event(), list[str]()

    def hold() -> None:
        begun.set()
        assert go_on.wait(PATIENCE)

    with FairThread() as thread:
        held = asyncio.create_task(thread.run_work(hold))
        assert await asyncio.to_thread(begun.wait, PATIENCE)
        waiting = asyncio.create_task(thread.run_work(done.append, "left out"))
        await asyncio.sleep(0)
        thread.__exit__()
        go_on.set()
        await held
        with pytest.raises(asyncio.CancelledError):
            await waiting
    assert not done


def test_small_steps_run_together_so_that_a_generator_may_yield_often() -> None:
    def count() -> Generator[None, None, int]:
        for _ in range(1000):
            yield
        return 1000

    assert _advance_steps(count(), PATIENCE) == (1000,)


async def test_a_person_has_one_heavy_question_under_way_and_few_that_wait() -> None:
    questions, ada, bo = QuestionTurns(Timings(turn_wait_s=1, question_interval_s=0.01)), 1, 2
    end = await questions.wait_for_turn(ada)
    (await questions.wait_for_turn(bo))()  # does not wait for Ada
    waiting = [asyncio.create_task(questions.wait_for_turn(ada)) for _ in range(MAX_QUESTIONS_WAITING)]
    await asyncio.sleep(0)
    with pytest.raises(Declined) as refused:
        await questions.wait_for_turn(ada)
    assert refused.value.key == "failure.busy"
    end()
    next_end = await waiting[0]
    for one in waiting[1:]:
        with pytest.raises(Declined):
            await one  # the first of them has not ended in time
    next_end()
    (await questions.wait_for_turn(ada))()


def test_large_files_are_packed_in_many_steps() -> None:
    files = {"large.json": "ø" * 1_000_000, "small.txt": b"Ada"}
    steps = zip_files(files)
    packed, count = None, 0
    while packed is None:
        try:
            next(steps)
            count += 1
        except StopIteration as end:
            packed = zipfile.ZipFile(io.BytesIO(end.value))
    assert count >= 20
    assert packed.read("large.json").decode() == files["large.json"]
    assert packed.read("small.txt") == files["small.txt"]


# The queue of pictures


async def test_a_public_board_waits_for_no_question_of_anybody() -> None:
    begun, go_on = Event(), Event()

    def hang() -> None:
        begun.set()
        assert go_on.wait(PATIENCE)

    with Pictures() as house:
        hanging = asyncio.create_task(house.thread.run_work(hang))
        assert await asyncio.to_thread(begun.wait, PATIENCE)
        drawing = house.draw_board(View(VARIANTS["camette"].start_position, 0), public=True)
        assert await asyncio.wait_for(drawing, PATIENCE)
        assert not hanging.done()
        go_on.set()
        await hanging


async def test_boards_at_startup_wait_for_one_games_side_and_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, go_on, all_warm, done = Event(), Event(), Event(), list[object]()
    sides = [(variant, seat) for variant in VARIANTS.values() for seat in variant.seats]

    def slowly(variant: Variant, seat: Seat) -> Generator[None, None, None]:
        yield
        begun.set()
        assert go_on.wait(PATIENCE)
        done.append((variant, seat))
        if done[-1] == sides[-1]:
            all_warm.set()

    def drawn(view: View) -> Generator[None, None, bytes]:
        done.append("begun")
        yield
        done.append("drawn")
        return b""

    monkeypatch.setattr(background, "warm_caches", slowly)
    monkeypatch.setattr(background, "render_in_steps", drawn)
    with Pictures(Timings(thread_slice_s=0)) as house:
        assert await asyncio.to_thread(begun.wait, PATIENCE)
        view = View(VARIANTS["camelot"].start_position, 0)
        boards = [asyncio.create_task(house.draw_board(view)) for _ in range(2)]
        await asyncio.sleep(0)  # the first one is now queued
        go_on.set()
        await asyncio.gather(*boards)
        assert await asyncio.to_thread(all_warm.wait, PATIENCE)
    assert done[:2] == [sides[0], "begun"]
    assert [step for step in done if step not in sides] == ["begun", "drawn"] * 2
