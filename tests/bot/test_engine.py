"""The engine's process: its answers, its crashes, and the order of questions."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from unittest.mock import PropertyMock

import pytest
from structlog.testing import capture_logs

from bot.core.timings import Timings
from bot.play.engine import PROCESS_CODE, Engine, EngineAway, EngineFailed, EngineStuck
from bot.play.engine import _exchange_messages as exchange_messages
from bot.play.engine_process import LENGTH_BYTES, pack_message
from engine import evaluate_chances
from rules import VARIANTS, legal_moves

START = VARIANTS["camelot"].start_position


def pid_of(engine: Engine) -> int:
    """Returns the process id for questions that are not urgent."""
    return engine._processes[False].pid


@pytest.fixture
async def engine() -> AsyncIterator[Engine]:
    thinking = Engine()
    yield thinking
    await thinking.close()


async def test_it_answers_as_the_engine_itself_does_and_with_the_same_variants(engine: Engine) -> None:
    move = await engine.ask("choose_move", START, "easy", 7, history=[START])
    assert move in legal_moves(START)
    assert await engine.ask("evaluate_chances", START, nodes=200) == evaluate_chances(START, nodes=200)


async def test_where_the_process_is_killed_another_one_answers(engine: Engine) -> None:
    await engine.ask("evaluate_chances", START, nodes=10)
    first = pid_of(engine)
    asked = asyncio.create_task(engine.ask("evaluate_chances", START, nodes=3_000))
    await asyncio.sleep(0)
    os.kill(first, signal.SIGKILL)
    assert sum(await asked) == pytest.approx(1)
    assert pid_of(engine) != first


async def test_where_it_hangs_it_is_ended_and_the_next_question_is_answered(engine: Engine) -> None:
    await engine.ask("evaluate_chances", START, nodes=10)
    stuck = pid_of(engine)
    os.kill(stuck, signal.SIGSTOP)
    with pytest.raises(EngineStuck):
        await engine.ask("evaluate_chances", START, nodes=10, within=0.05)
    assert sum(await engine.ask("evaluate_chances", START, nodes=10)) == pytest.approx(1)
    assert pid_of(engine) != stuck


async def test_a_question_that_kills_workers_is_given_up_and_the_next_answered(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    deaths = list[int]()

    async def killing(process: Process, request: bytes) -> tuple[bool, object]:
        deaths.append(process.pid)
        process.kill()
        return await exchange_messages(process, request)

    with monkeypatch.context() as patched:
        patched.setattr("bot.play.engine._exchange_messages", killing)
        with pytest.raises(EngineFailed):
            await engine.ask("evaluate_chances", START, nodes=10)
    assert len({*deaths}) == 3
    assert sum(await engine.ask("evaluate_chances", START, nodes=10)) == pytest.approx(1)


async def test_a_process_that_does_not_begin_is_no_fault_of_the_question() -> None:
    engine = Engine(process_code="raise SystemExit(1)")
    with pytest.raises(EngineAway):
        await engine.ask("evaluate_chances", START, nodes=10)


async def test_a_start_that_takes_too_long_is_tried_again(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    codes, limits = ("import time; time.sleep(600)", PROCESS_CODE), (0.1, 60)
    monkeypatch.setattr(Engine, "_process_code", PropertyMock(side_effect=codes), raising=False)
    monkeypatch.setattr(Timings, "engine_start_timeout_s", PropertyMock(side_effect=limits))
    with capture_logs() as logged:
        assert sum(await engine.ask("evaluate_chances", START, nodes=10)) == pytest.approx(1)
    assert [line["event"] for line in logged] == ["engine started", "engine not ready", "engine started"]
    assert not any("exc_info" in line for line in logged)


async def test_after_the_end_of_the_program_nobody_starts_it_again(engine: Engine) -> None:
    await engine.close()
    with pytest.raises(EngineAway):
        await engine.ask("evaluate_chances", START, nodes=10)
    assert engine._processes == {}


async def test_an_error_of_the_engine_is_told_and_the_process_goes_on(engine: Engine) -> None:
    with pytest.raises(EngineFailed, match="KeyError"):
        await engine.ask("choose_move", START, "no such level", 7)
    pid = pid_of(engine)
    await engine.ask("evaluate_chances", START, nodes=10)
    assert pid_of(engine) == pid


async def test_a_long_question_keeps_no_move_waiting(engine: Engine) -> None:
    reviews = [asyncio.create_task(engine.ask("evaluate_chances", START, within=600, nodes=10**9)) for _ in range(2)]
    for _ in range(3):
        await engine.ask("evaluate_chances", START, nodes=10, urgent=True)
    assert not any(review.done() for review in reviews)
    await engine.close()
    gone = await asyncio.gather(*reviews, return_exceptions=True)
    assert [type(error) for error in gone] == [EngineAway, EngineAway]


async def test_it_ends_with_the_program(engine: Engine) -> None:
    await engine.ask("evaluate_chances", START, nodes=10)
    pid = pid_of(engine)
    await engine.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_it_ends_silently_without_a_reader_and_ignores_ctrl_c() -> None:
    with subprocess.Popen(
        (sys.executable, "-c", PROCESS_CODE), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as thinking:
        assert thinking.stdin
        assert thinking.stdout
        assert thinking.stderr
        ready = thinking.stdout.read(LENGTH_BYTES)
        thinking.stdout.read(int.from_bytes(ready, "big"))
        thinking.send_signal(signal.SIGINT)
        thinking.stdout.close()
        thinking.stdin.write(pack_message(("evaluate_chances", (START,), {"nodes": 10})))
        thinking.stdin.flush()
        assert (thinking.wait(20), thinking.stderr.read()) == (0, b"")


async def test_after_a_cancelled_question_the_next_has_its_own_answer(engine: Engine) -> None:
    await engine.ask("evaluate_chances", START, nodes=10)
    asked = asyncio.create_task(engine.ask("evaluate_chances", START, nodes=3_000))
    await asyncio.sleep(0.05)
    asked.cancel()
    assert await engine.ask("choose_move", START, "easy", 7, history=[START]) in legal_moves(START)
