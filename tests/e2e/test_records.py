"""The games that the tests of this folder play: found by a search once, and kept as records."""

from __future__ import annotations

import pytest

from rules import VARIANTS
from tests.e2e.game_checks import RECORDS, kind_of, read_record, variant_of


def test_each_castle_game_contains_a_canter_a_jump_and_a_charge() -> None:
    for key in VARIANTS:
        game = read_record(f"{key}-castle").replay()
        position, kinds = game.origin, set()
        for move in game.moves:
            kinds.add(kind_of(position, move))
            position = position.after_move(move)
        assert kinds >= {"step", "canter", "jump", "charge"}, key


@pytest.mark.parametrize("name", RECORDS)
def test_each_recorded_game_ends_as_it_says(name: str) -> None:
    record = read_record(name)
    outcome = record.replay().outcome
    assert outcome is not None
    assert record.headers["ending"] == outcome.cause.value


def test_there_is_a_game_for_each_way_to_end() -> None:
    endings = {
        key: {name.removeprefix(f"{key}-") for name in RECORDS if variant_of(name).key == key} for key in VARIANTS
    }
    assert endings["tri-camelot"] >= {"castle"}
    assert endings["cam-3d"] >= {"castle", "capture", "repetition"}
    for key in ("camelot", "chivalry"):
        assert endings[key] >= {"castle", "capture", "few-pieces", "repetition", "stalemate"}
