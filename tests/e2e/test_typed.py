"""Secrets with control characters in every place where a person can write: none is logged, all are stored clean."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from rules.plain_text import clean_text
from sandbox.people import RefusedError
from tests.e2e.clock import ClockHouse
from tests.e2e.conftest import START
from tests.e2e.database_contents import settled, stock
from tests.e2e.game_checks import run
from tests.e2e.permission_acts import FORMS, do
from tests.e2e.permissions import ROWS, Row
from tests.e2e.scenes import Scene
from tests.e2e.watched_house import WatchedHouse
from tests.examples import ordinarily

pytestmark = pytest.mark.asyncio(loop_scope="session")

SECRET = "Pssst7"
TYPED = f"{SECRET}\x1b[2J\u202e{SECRET}\x00 \u2066{SECRET}\x9b"
"""What is typed everywhere."""
SEALED = ("C11-C12", "F6-E5 F11-E12")
"""Moves of a plan and of a tree, which nobody else may see."""


STORING = {"turn", "moved", "explored", "judge"}
"""The scenes in which a typed text is stored."""
TYPING = sorted({row.scene for act, row in ROWS.items() if act.startswith((*FORMS, "/"))})


class DebuggedHouse(ClockHouse, WatchedHouse):
    """A house that logs as much as it can."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, START)
        self._settings |= {"ROUNDTABLE_LOG": "DEBUG", "ROUNDTABLE_METRICS_PORT": "0", "PYTHONASYNCIODEBUG": "1"}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def talkative(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[DebuggedHouse]:
    async with DebuggedHouse(tmp_path_factory.mktemp("talkative")).faultless() as house:
        yield house


def commands(found: list[dict[str, Any]], *path: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Returns every command that can be run, as typed, with its options."""
    for one in found:
        below = [option for option in one["options"] if option["type"] in ("subcommand", "group")]
        if below:
            yield from commands(below, *path, one["name"])
        else:
            yield " ".join((*path, one["name"])), one["options"]


def typed_acts(found: list[dict[str, Any]]) -> Iterator[tuple[str, Row]]:
    """Yields each act with a free text, and its row with the text in it."""
    yield from ((act, replace(row, given=TYPED)) for act, row in ROWS.items() if act.startswith(FORMS))
    for name, options in commands(found):
        row = ROWS[f"/{name}"]
        assert not isinstance(row.given, str)
        for option in options:
            if option["type"] == "string" and not option["choices"]:
                yield f"/{name}", replace(row, given={**row.given, option["name"]: TYPED})


@pytest.mark.parametrize("kind", ordinarily(TYPING, *STORING))
async def test_what_is_typed_is_not_logged_and_is_stored_clean(talkative: DebuggedHouse, kind: str) -> None:
    async with Scene.opened(talkative, kind) as here:
        for act, row in typed_acts(await here.judge.commands()):
            if row.scene != kind:
                continue
            with suppress(RefusedError):
                assert not (await do(here, act, row, here.people[here.right], here.room.channel)).failed, act
        await settled(talkative)
        check_secrecy(talkative.bot.log)
        texts = [value for rows in stock(talkative).values() for row in rows for value in row if isinstance(value, str)]
        assert [text for text in texts if clean_text(text) != text] == []
        if kind in STORING:
            assert any(SECRET in text for text in texts)
        await here.end()


async def test_what_is_typed_is_in_no_answer_to_the_host(talkative: DebuggedHouse) -> None:
    where = {"ROUNDTABLE_DB": talkative.bot.where, "ROUNDTABLE_SANDBOX_URL": talkative.url, "ROUNDTABLE_LOG": "DEBUG"}
    for shown in (
        (await talkative.get("/healthz"))[1],
        (await talkative.get("/metrics"))[1],
        (await run("bot", "doctor", **where))[1],
    ):
        check_secrecy(shown)


def check_secrecy(shown: str) -> None:
    """Asserts that nothing is shown of what has been typed."""
    assert shown
    assert [line for line in shown.splitlines() if any(one in line for one in (SECRET, *SEALED))] == []
