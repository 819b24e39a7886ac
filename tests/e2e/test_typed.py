"""Secrets with control characters in every place where a person can write: none is logged, all are stored clean."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rules.plain_text import clean_text
from sandbox.people import Person, RefusedError
from tests.e2e.clock import ClockHouse
from tests.e2e.conftest import START
from tests.e2e.court import FORMS, do
from tests.e2e.judging import run
from tests.e2e.permissions import ROWS
from tests.e2e.room import Room
from tests.e2e.scenes import Scene
from tests.e2e.stock import settled, stock
from tests.e2e.test_fuzz_options import commands
from tests.e2e.watched import WatchedHouse

pytestmark = pytest.mark.asyncio(loop_scope="session")

SECRET = "Pssst7"
TYPED = f"{SECRET}\x1b[2J\u202e{SECRET}\x00 \u2066{SECRET}\x9b"
"""What is typed everywhere."""
SEALED = ("C11-C12", "F6-E5 F11-E12")
"""Moves of a plan and of a tree, which nobody else may see."""


class DebuggedHouse(ClockHouse, WatchedHouse):
    """A house that logs as much as it can."""

    warm = True

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, START)
        self._settings |= {"ROUNDTABLE_LOG": "DEBUG", "ROUNDTABLE_METRICS_PORT": "0", "PYTHONASYNCIODEBUG": "1"}


def typed_acts(found: list[dict[str, Any]]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yields each act with a free text: its scene, its name, and the options with the text, empty for a form."""
    for act in ROWS:
        if act.startswith(FORMS):
            yield ROWS[act].scene, act, {}
    for name, options in commands(found):
        row = ROWS[f"/{name}"]
        assert not isinstance(row.given, str)
        for option in options:
            if option["type"] == "string" and not option["choices"]:
                yield row.scene, f"/{name}", {**row.given, option["name"]: TYPED}


async def test_what_is_typed_is_in_no_log_and_is_stored_without_what_nobody_types(tmp_path: Path) -> None:
    house = DebuggedHouse(tmp_path)
    async with house.faultless(), AsyncExitStack() as stack:
        judge = await stack.enter_async_context(await Person.join(house.url, "Ada"))
        acts = defaultdict[str, list[tuple[str, dict[str, Any]]]](list)
        for scene, act, given in typed_acts(await judge.commands()):
            acts[scene].append((act, given))
        assert sum(map(len, acts.values())) > 40
        for number, scene in enumerate(acts):
            here = Scene(house, await Room.found(house, f"typed-{number}", stack), stack, judge)
            await here.begin(scene)
            person = here.people[here.right]
            for act, given in acts[scene]:
                row = replace(ROWS[act], given=given or TYPED)
                with suppress(RefusedError):
                    assert not (await do(here, act, row, person, here.room.channel)).failed, act
            await settled(house)
        stored = [value for rows in stock(house).values() for row in rows for value in row if isinstance(value, str)]
        written = [text for text in stored if SECRET in text]
        assert len(written) > 8, written
        assert not [text for text in stored if clean_text(text) != text]
        shown = [house.bot.log, *[(await house.get(path))[1] for path in ("/healthz", "/metrics")]]
        environment = {"ROUNDTABLE_DB": house.bot.where, "ROUNDTABLE_SANDBOX_URL": house.url, "ROUNDTABLE_LOG": "DEBUG"}
        shown.append((await run("-m", "bot", "doctor", **environment))[1])
        for text in shown:
            assert text
            assert [line for line in text.splitlines() if any(one in line for one in (SECRET, *SEALED))] == []
