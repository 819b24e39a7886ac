"""Where a panel of the composer stores the move in the making."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.core.match import Match
from bot.features import make_service
from bot.play.composer.handlers import path_at_place, place_at_path
from bot.play.composer.move_panel import ComposerPanel
from bot.play.composer.state import COMPOSER, MAX_CELLS_CARRIED, STORED_PATH_MARK, ComposerState
from bot.store import Store
from tests.bot import acts
from tests.bot.playing import ADA, BO, GUILD, NOW, started

SHORT, LONG = range(MAX_CELLS_CARRIED), range(MAX_CELLS_CARRIED + 1)
"""Only built positions have routes as long as that, and they must not be cut."""


async def live(store: Store) -> Match:
    """A game that has just begun."""
    events = started()
    async with store.write_transaction() as tx:
        number = await tx.add_match(Match.replay(0, events), events)
    return Match.replay(number, events)


def board_of(match: Match) -> ComposerPanel:
    """Returns the present board of the composer."""
    return ComposerPanel(ComposerState(match.id, match.board_version), match)


async def drafts(store: Store) -> list[str]:
    """Returns the stored moves in the making."""
    return [value for (value,) in await store.reader.run_sql("SELECT value FROM meta WHERE key LIKE 'draft:%'")]


async def test_a_path_is_carried_by_the_button_as_long_as_it_fits(tmp_path: Path) -> None:
    async with Store.open(tmp_path / "rt.db") as store:
        match = await live(store)
        place = await place_at_path(make_service(store), board_of(match), SHORT)
        assert not place.path.startswith(STORED_PATH_MARK)
        assert await path_at_place(make_service(store), ComposerPanel(place, match), place) == tuple(SHORT)
        assert await drafts(store) == []


async def test_a_path_too_long_for_a_button_survives_restarts_in_the_store(tmp_path: Path) -> None:
    async with Store.open(tmp_path / "rt.db") as store:
        match = await live(store)
        place = await place_at_path(make_service(store), board_of(match), LONG, end=5)
    assert len(COMPOSER.format_id("commit", place)) <= 100
    async with Store.open(tmp_path / "rt.db") as store:
        assert await path_at_place(make_service(store), ComposerPanel(place, match), place) == tuple(LONG)


async def test_a_panel_whose_path_has_made_way_for_another_knows_it(tmp_path: Path) -> None:
    async with Store.open(tmp_path / "rt.db") as store:
        service, match = make_service(store), await live(store)
        old = await place_at_path(service, board_of(match), LONG)
        new = await place_at_path(service, board_of(match), range(1, MAX_CELLS_CARRIED + 2))
        assert await path_at_place(service, ComposerPanel(old, match), old) is None
        assert await path_at_place(service, ComposerPanel(new, match), new) == tuple(range(1, MAX_CELLS_CARRIED + 2))
        assert (
            await path_at_place(
                service,
                ComposerPanel(new._replace(board_version=match.board_version + 1), match),
                new._replace(board_version=match.board_version + 1),
            )
            is None
        )


@pytest.mark.parametrize("ends", [False, True])
async def test_a_stored_path_goes_with_its_move_or_game_and_never_returns(tmp_path: Path, ends: bool) -> None:
    async with Store.open(tmp_path / "rt.db") as store:
        service, match = make_service(store), await live(store)
        await place_at_path(service, board_of(match), LONG)
        assert len(await drafts(store)) == 1
        if ends:
            await acts.resign(service, match.id, GUILD, BO, NOW + 2)
        else:
            await acts.move(service, match.id, GUILD, ADA, "F7-F8", NOW + 2)
        assert await drafts(store) == []
        await place_at_path(service, board_of(match), LONG)  # by a panel pressed a moment earlier
        assert await drafts(store) == []
