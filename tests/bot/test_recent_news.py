"""News found by the short cut from memory equal those found from all events."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bot.core.events import Seating
from bot.core.news import collect_news
from bot.features import make_service
from bot.store import Store
from tests.bot import acts
from tests.bot.playing import ADA, BO, CHANNEL, GUILD, NOW, random_move, unshuffled


@pytest.mark.parametrize("how", ["at once", "every third time", "after a restart"])
async def test_news_are_the_same_from_memory_and_from_the_whole_story(tmp_path: Path, how: str) -> None:
    rng = random.Random(how)
    async with Store.open(tmp_path / "roundtable.db") as store:
        service = make_service(store, unshuffled)
        table = await service.open_table(GUILD, CHANNEL, ADA, "camelot", (), Seating.JOIN_ORDER, False, NOW)
        match = await service.join_table(table.id, GUILD, BO, NOW)
        told = 0
        for now in range(NOW, NOW + 40):
            head = await store.reader.load_head(match.id)
            assert head is not None
            found = await service.unannounced_news(match.id)
            assert found == collect_news(match.id, await store.reader.load_events(match.id), head.announced)
            if how != "every third time" or now % 3 == 0:
                await service.mark_announced(match.id, head.seq)
                told += len(found)
            if match.to_move is None:
                break
            if how == "after a restart":
                service = make_service(store, unshuffled)
            if now == NOW + 30:
                match = await acts.resign(service, match.id, GUILD, ADA, now)
            else:
                match = await acts.move(service, match.id, GUILD, match.to_move, random_move(match, rng), now)
        assert told > 5
