"""Where a panel of the composer keeps the move in the making."""

from __future__ import annotations

from pathlib import Path

from bot.commands.composer import note, path_of
from bot.kit.components import CELLS_CARRIED, COMPOSER, IN_STORE
from bot.service import Service
from bot.store import Store

SHORT, LONG = range(CELLS_CARRIED), range(CELLS_CARRIED + 1)
"""Only built positions have routes as long as that, and they must not be cut."""


async def test_a_path_is_carried_by_the_button_as_long_as_it_fits(tmp_path: Path) -> None:
    async with Store.open(tmp_path / "rt.db") as store:
        place = await note(Service(store), 7, 3, SHORT)
        assert not place.path.startswith(IN_STORE)
        assert await path_of(Service(store), place) == tuple(SHORT)


async def test_a_path_too_long_for_a_button_is_kept_in_the_store_over_restarts(tmp_path: Path) -> None:
    async with Store.open(tmp_path / "rt.db") as store:
        place = await note(Service(store), 7, 3, LONG, end=5)
    assert len(COMPOSER.custom_id("commit", place)) <= 100
    async with Store.open(tmp_path / "rt.db") as store:
        assert await path_of(Service(store), place) == tuple(LONG)


async def test_a_panel_whose_path_has_made_way_for_another_knows_it(tmp_path: Path) -> None:
    async with Store.open(tmp_path / "rt.db") as store:
        service = Service(store)
        old = await note(service, 7, 3, LONG)
        new = await note(service, 7, 3, range(1, CELLS_CARRIED + 2))
        assert await path_of(service, old) is None
        assert await path_of(service, new) == tuple(range(1, CELLS_CARRIED + 2))
        assert await path_of(service, new._replace(board_version=4)) is None
