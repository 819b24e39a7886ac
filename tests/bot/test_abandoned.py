"""Servers that have removed the bot: some weeks later all their data is deleted."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bot.core.deadlines import Actor
from bot.core.problems import MatchError
from bot.features import FEATURES
from bot.ladder.service import accept_challenge
from bot.ladder.state import LadderId
from bot.play.seeking import add_seeker, note_table_called
from bot.play.service import Service, people, upkeep
from bot.store import Fault, Job, Store, StoreError, Writer
from bot.store import servers as abandoned
from bot.store.database_tables import Table
from tests.bot import acts
from tests.bot.beginning import opened
from tests.bot.databases import query, write
from tests.bot.played_ladders import agrees, challenge, join
from tests.bot.playing import ADA, BO, NOW, unshuffled

HERE, THERE = 555_000_111_222_333, 555_000_111_222_444


@pytest.fixture
async def service(path: Path) -> AsyncIterator[Service]:
    """Two servers, each with settings, a ladder, live and finished games, and a follower."""
    async with Store.open(path) as store:
        service = Service(store, FEATURES, unshuffled)
        for guild in (HERE, THERE):
            await people.change_guild_settings(service, guild, lambda one: replace(one, house_rules="Be kind."))
            ladder_id = LadderId(guild, "camelot")
            await join(service, ADA, BO, place=ladder_id)
            seq = await challenge(service, ADA, BO, NOW, ladder_id)
            await accept_challenge(service, Actor(BO, NOW), ladder_id, seq)
            table = await opened(service, guild=guild, channel=1)
            game = await acts.join_table(service, table.id, guild, BO, NOW)
            await people.follow_match(service, Actor(33, NOW, guild), game.id, every_move=False)
            await add_seeker(service, guild, 44)
            await note_table_called(service, game, (44,), NOW)
            await service.presence.note_server_lost(guild, NOW)
            await write(store, Writer.add_jobs, Job("challenge", f"1:{guild}", guild, note="camelot:1"))
        yield service


def named(path: Path, guild: int) -> list[str]:
    """Returns the tables with rows of a server."""
    tables = [name for (name,) in query(path, "SELECT name FROM sqlite_schema WHERE type = 'table'")]
    return [table for table in tables for row in query(path, f"SELECT * FROM {table}") if str(guild) in str(row)]


async def games_here(service: Service) -> list[int]:
    """Returns all games of the one server."""
    return await service.reader.read_column("SELECT id FROM matches WHERE guild = ? ORDER BY id", (HERE,))


async def test_a_present_server_loses_nothing_even_if_its_return_was_not_noted(service: Service) -> None:
    await upkeep.note_removed(service, HERE, NOW)
    assert await upkeep.delete_abandoned(service, NOW + upkeep.REMOVED_SERVER_RETENTION_S, {HERE}) == []
    assert await upkeep.delete_abandoned(service, NOW + upkeep.REMOVED_SERVER_RETENTION_S) == []
    assert await games_here(service) != []


async def test_thirty_days_after_the_bot_is_removed_the_server_data_is_gone(service: Service, path: Path) -> None:
    await upkeep.note_removed(service, HERE, NOW)
    await upkeep.note_removed(service, HERE, NOW + 99)  # a repeated removal does not restart the time
    games = await games_here(service)
    assert await upkeep.delete_abandoned(service, NOW + upkeep.REMOVED_SERVER_RETENTION_S - 1) == []
    assert await upkeep.delete_abandoned(service, NOW + upkeep.REMOVED_SERVER_RETENTION_S) == [HERE]
    assert named(path, HERE) == []
    assert len(named(path, THERE)) > 5
    assert len(query(path, "SELECT DISTINCT match FROM events")) == 2
    for number in games:
        with pytest.raises(MatchError):
            await service.current_match(number, HERE)
    assert await agrees(service)
    assert await upkeep.delete_abandoned(service, NOW + upkeep.REMOVED_SERVER_RETENTION_S) == []


async def test_a_server_that_takes_the_bot_back_keeps_everything(service: Service, path: Path) -> None:
    before = named(path, HERE)
    await upkeep.note_removed(service, HERE, NOW)
    await upkeep.note_returned(service, HERE)
    assert await upkeep.delete_abandoned(service, NOW + 2 * upkeep.REMOVED_SERVER_RETENTION_S) == []
    assert not await upkeep._delete_server(service, HERE), "as if it had come back while others were deleted"
    assert {*named(path, HERE)} == {*before, "servers"}


async def test_changes_during_downtime_are_noted_when_the_bot_sees_its_servers_again(service: Service) -> None:
    await upkeep.note_servers(service, lambda: [THERE], NOW)
    await upkeep.note_servers(service, lambda: [THERE, HERE], NOW + 5)
    assert await upkeep.delete_abandoned(service, NOW + 2 * upkeep.REMOVED_SERVER_RETENTION_S) == []
    await upkeep.note_servers(service, lambda: [THERE], NOW + 9)
    assert await upkeep.delete_abandoned(service, NOW + upkeep.REMOVED_SERVER_RETENTION_S) == []
    assert await upkeep.delete_abandoned(service, NOW + upkeep.REMOVED_SERVER_RETENTION_S + 9) == [HERE]


async def test_a_server_added_while_the_others_are_noted_is_not_removed(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    present = [THERE]

    async def stored_servers(*_: object) -> set[int]:
        present.append(HERE)  # Discord reports it, and it is noted, while the known servers are read
        return {THERE, HERE}

    monkeypatch.setattr(abandoned, "stored_servers", stored_servers)
    await upkeep.note_servers(service, lambda: present, NOW)
    assert await abandoned.removed_servers(service.reader) == {}


async def test_what_a_crash_cuts_short_the_next_tick_goes_on_with(
    service: Service, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(upkeep.MATCHES_PER_DELETION):
        await opened(service, host=5000 + number, guild=HERE, channel=1)
    await upkeep.note_removed(service, HERE, NOW)
    delete, done = abandoned.delete_portion, 0

    async def crash(writer: Writer, guild: int, tables: Sequence[Table], most: int) -> list[int] | None:
        nonlocal done
        done += 1
        if done == 2:
            raise StoreError(Fault.NO_ACCESS, path, "the plug was pulled")
        return await delete(writer, guild, tables, most)

    with monkeypatch.context() as broken:
        broken.setattr(abandoned, "delete_portion", crash)
        assert await upkeep.delete_abandoned(service, NOW + upkeep.REMOVED_SERVER_RETENTION_S) == []
    assert 0 < len(await games_here(service)) < upkeep.MATCHES_PER_DELETION
    assert await upkeep.delete_abandoned(service, NOW + upkeep.REMOVED_SERVER_RETENTION_S) == [HERE]
    assert named(path, HERE) == []
