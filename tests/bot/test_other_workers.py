"""Requests from one worker to the worker that serves the server."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from bot.core.clock import Pace
from bot.play.places.other_workers import (
    DEADLINE_EDIT,
    TABLE_EDIT,
    handle_worker_message,
    leave_to_other_worker,
)
from bot.play.service import Service
from bot.store import Lease
from tests.bot.playing import CHANNEL
from tests.bot.sharding import HERE, THERE
from tests.bot.ticking import begin


class Crier(Lease):
    """Records what is sent."""

    def __init__(self) -> None:
        super().__init__(THERE)
        self.cried = list[str]()

    def notify_workers(self, message: str) -> None:
        self.cried.append(message)


@pytest.fixture
def desk(service: Service) -> Any:
    """Records in which channels something is tidied."""
    tidied = list[int]()
    background = SimpleNamespace(tidied=tidied, queue_edit=lambda channel, _: tidied.append(channel))
    return SimpleNamespace(service=service, background=background, announcements_due=asyncio.Event())


async def test_a_message_in_another_workers_server_is_left_to_that_worker(service: Service, desk: Any) -> None:
    match, crier = await begin(service, Pace.FAST), Crier()
    assert not leave_to_other_worker(desk, DEADLINE_EDIT, match)
    with service.store.serve_lease(crier):
        assert leave_to_other_worker(desk, DEADLINE_EDIT, match)
    assert crier.cried == [f"deadline {match.id}"]


@pytest.mark.parametrize("what", [DEADLINE_EDIT, TABLE_EDIT])
async def test_the_servers_worker_does_what_the_other_left(service: Service, desk: Any, what: str) -> None:
    match, announcer = await begin(service, Pace.FAST), SimpleNamespace(update_table=print)
    for share in (THERE, HERE):
        service.store.share = share
        await handle_worker_message(desk, announcer, f"{what} {match.id}")  # type: ignore[arg-type]  # all that is asked of it
    assert desk.background.tidied == [CHANNEL]
    await handle_worker_message(desk, announcer, f"{what} 99")  # type: ignore[arg-type]  # deleted in the meantime
    assert desk.background.tidied == [CHANNEL]


async def test_an_empty_worker_message_has_the_bot_look_for_news(service: Service, desk: Any) -> None:
    service.house_awaited.clear()
    await handle_worker_message(desk, SimpleNamespace(), "")  # type: ignore[arg-type]  # nothing is asked of it
    assert desk.announcements_due.is_set()
    assert service.house_awaited.is_set()
