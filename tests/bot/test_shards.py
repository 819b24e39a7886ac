"""Shares: each server belongs to one worker, and what happens by itself happens only on that worker."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sized
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.clock import DAY, HOUR, Pace
from bot.core.events import Seating
from bot.core.settings import UserSettings
from bot.features import make_service
from bot.house.service import House
from bot.ladder.service import Ladders
from bot.play.service import Service
from bot.play.service.servers import REMOVED_SERVER_RETENTION_S
from bot.puzzles.service import Puzzles
from bot.seeking.service import Seekers
from bot.store import ShardShare, Store
from bot.store import servers as abandoned
from bot.store.absences import divide_servers, lasting_absences
from bot.store.game_lists import count_games
from bot.store.shards import MAX_SHARDS, WHOLE_SHARE, absence_filter_sql
from tests.bot.beginning import set_up
from tests.bot.playing import ADA, BO, CHANNEL, GUILD, NOW, short_game, unshuffled
from tests.bot.puzzling import MORNING, ask_for_a_daily
from tests.bot.serving import CAMELOT, join
from tests.bot.sharding import FAR, HERE, THERE, begun_fast
from tests.bot.ticking import begin

guilds = st.integers(1, 2**63 - 1)


@given(guilds, st.integers(2, MAX_SHARDS), st.data())
def test_a_server_is_in_exactly_one_share(guild: int, count: int, data: st.DataObject) -> None:
    own = data.draw(st.frozensets(st.integers(0, count - 1)))
    share, rest = ShardShare(count, own), ShardShare(count, frozenset(range(count)) - own)
    assert share.has_server(guild) is not rest.has_server(guild)
    assert WHOLE_SHARE.has_server(guild)
    everywhere = share.shard_key(share.shard_of(guild))
    assert everywhere in share.absence_keys(guild)
    assert share.owns_key(everywhere) is share.owns_key(guild) is share.has_server(guild)
    assert everywhere in ShardShare(count + 1, own, (count,)).absence_keys(guild)


async def test_the_database_reckons_as_we_do(service: Service) -> None:
    async def holds(guild: int, sql: str) -> bool:
        return bool(
            await service.store.reader.run_sql(f"SELECT 1 FROM (SELECT {guild} AS guild) AS one WHERE TRUE{sql}")
        )

    for guild in (1, 1 << 22, GUILD, FAR, 5 << 22, 2**62 + 12345, 1_234_567_890_123_456_789, 2**63 - 1):
        for share in (HERE, THERE, WHOLE_SHARE, ShardShare(3, frozenset())):
            assert await holds(guild, share.guild_filter_sql()) is share.has_server(guild), (guild, share)
        for shard in range(3):
            assert await holds(guild, absence_filter_sql(HERE.shard_key(shard))) is (HERE.shard_of(guild) == shard)
        assert await holds(guild, absence_filter_sql(0))
        assert await holds(guild, absence_filter_sql(guild))
        assert not await holds(guild, absence_filter_sql(77))


def test_what_concerns_everybody_is_seen_to_by_one() -> None:
    assert [HERE.is_leader, THERE.is_leader, WHOLE_SHARE.is_leader] == [True, False, True]
    for place in (0, ShardShare(2, frozenset()).shard_key(1)):  # as noted before there were three shards
        assert [HERE.owns_key(place), THERE.owns_key(place), WHOLE_SHARE.owns_key(place)] == [True, False, True]
    assert [HERE.owns_key(THERE.shard_key(1)), THERE.owns_key(THERE.shard_key(1))] == [False, True]


# What happens by itself


Look = Callable[[Service], Awaitable[Sized]]


async def _due(service: Service) -> Sized:
    await begin(service, Pace.FAST)
    return await service.store.reader.matches_due(NOW + 30 * DAY)


async def _unannounced(service: Service) -> Sized:
    await begin(service, Pace.FAST)
    return await service.unannounced_matches()


async def _news(service: Service) -> Sized:
    return await service.unannounced_news((await begin(service, Pace.FAST)).id)


async def _ladders_due(service: Service) -> Sized:
    await join(service, ADA, BO)
    return await service.part(Ladders).tick(NOW + 30 * DAY)


async def _ladders_untold(service: Service) -> Sized:
    await join(service, ADA, BO)
    await service.part(Ladders).challenge_climber(*CAMELOT, ADA, BO, NOW, channel=CHANNEL)
    assert bool(await service.part(Ladders).unannounced_ladders()) is bool(
        await service.part(Ladders).ladder_news(*CAMELOT)
    )
    return await service.part(Ladders).unannounced_ladders()


async def _puzzles(service: Service) -> Sized:
    await ask_for_a_daily(service)
    await service.part(Puzzles).tick(MORNING)
    known = await service.store.reader.run_sql("SELECT * FROM daily_puzzles")
    assert bool(known) is bool(await service.part(Puzzles).unannounced_servers())
    return known


async def _mill(service: Service) -> Sized:
    await ask_for_a_daily(service)
    await set_up(service, short_game())
    return await service.part(Puzzles).next_to_mine() or ()


async def _house(service: Service) -> Sized:
    await service.open_table(*(GUILD, CHANNEL, ADA, "camelot", (), Seating.CHOSEN, False, NOW), house="easy", seat=1)
    return await service.part(House).games_awaiting_house()


async def _seekers(service: Service) -> Sized:
    await service.part(Seekers).add_seeker(GUILD, BO)
    await service.open_table(GUILD, CHANNEL, ADA, "camelot", (), Seating.JOIN_ORDER, False, NOW)
    return await service.part(Seekers).tables_to_fill(NOW + HOUR)


async def _waiting(service: Service) -> Sized:
    await begin(service, Pace.FAST)
    return await service.servers_of_games()


async def _counted(service: Service) -> Sized:
    await begin(service, Pace.FAST)
    found = await count_games(service.store.reader)
    return range(found.live * found.unannounced)


async def _not_reached(service: Service) -> Sized:
    await begin(service, Pace.FAST)
    await service.presence.check_servers(lambda _: False, NOW)
    return await lasting_absences(service.store.reader)


async def _given_up(service: Service) -> Sized:
    await begin(service, Pace.FAST)
    await service.presence.note_server_lost(GUILD, NOW)
    return await service.upkeep.tick(NOW + 40 * DAY)


async def _removed(service: Service) -> Sized:
    await begin(service, Pace.FAST)
    await service.servers.note_servers([], NOW)
    return await service.store.reader.run_sql("SELECT key FROM meta WHERE key LIKE 'removed:%'")


async def _deleted(service: Service) -> Sized:
    await service.people.change_guild_settings(GUILD, lambda one: replace(one, house_rules="Be kind."))
    async with service.store.write_transaction() as tx:
        await abandoned.note_removed(tx, GUILD, NOW)
    return await service.servers.delete_abandoned(NOW + REMOVED_SERVER_RETENTION_S)


LOOKS = (
    *(_due, _unannounced, _news, _ladders_due, _ladders_untold, _puzzles, _mill, _house, _seekers, _waiting),
    *(_counted, _not_reached, _given_up, _removed, _deleted),
)


@pytest.mark.parametrize("share", [HERE, THERE], ids=["looked after here", "by another worker"])
@pytest.mark.parametrize("look", LOOKS)
async def test_what_happens_by_itself_happens_where_a_server_is_looked_after(
    service: Service, look: Look, share: ShardShare
) -> None:
    service.store.share = share
    assert bool(await look(service)) is share.has_server(GUILD)


async def test_no_server_is_new_when_its_shard_is_first_looked_after(service: Service) -> None:
    async def meet(share: ShardShare, *guilds: int) -> list[int]:
        service.store.share = share
        return await service.servers.note_servers_met(guilds, joined=False)

    assert await meet(HERE, GUILD) == []
    assert await meet(THERE, FAR) == []
    far = FAR + (3 << 22)  # added the bot while no worker was present
    assert await meet(ShardShare(3, frozenset({0, 1})), GUILD, FAR, far) == [far]
    assert await meet(ShardShare(6, frozenset({4})), far + (3 << 22)) == []


# Absences


async def test_a_shards_new_worker_notes_the_absence_for_its_own_servers(path: Path) -> None:
    async with Store.open(path) as store:
        near, far = await begun_fast(store, GUILD), await begun_fast(store, FAR)
        workers = {share: make_service(store, unshuffled) for share in (HERE, THERE)}
        for minute in range(0, 120, 2):
            for share, service in workers.items():
                if share is HERE or minute <= 60:  # then the worker of FAR is gone
                    await _note(service, share, NOW + minute * 60)
        taken = make_service(store, unshuffled)
        await _note(taken, ShardShare(3, frozenset()), NOW + HOUR)  # a standby, present for nobody
        await _note(taken, ShardShare(3, frozenset({1})), NOW + 2 * HOUR)
        assert await taken.time_runs_out_at(await taken.current_match(near, GUILD)) == NOW + DAY
        assert await taken.time_runs_out_at(await taken.current_match(far, FAR)) == NOW + DAY + HOUR
        assert await store.reader.run_sql("SELECT guild, since, until FROM absences") == [
            (THERE.shard_key(1), NOW + HOUR, NOW + 2 * HOUR)
        ]


async def _note(service: Service, share: ShardShare, now: int) -> None:
    """A worker with that share is present."""
    service.store.share = share
    await service.presence.note_present(now)


async def test_no_player_is_charged_time_while_the_games_worker_is_away(service: Service) -> None:
    """A person may change their habits in direct messages with another worker than their game's."""
    number, back = await begun_fast(service.store, FAR), NOW + 5 * HOUR
    await _note(make_service(service.store), THERE, NOW + HOUR)
    for minute in range(60, 300, 2):
        await _note(service, HERE, NOW + minute * 60)
    await service.people.change_user_settings(ADA, lambda _: UserSettings(sleep=(0, 360)), back)
    await service.people.change_user_settings(ADA, lambda _: UserSettings(), back)
    await _note(make_service(service.store), THERE, back)
    assert await service.time_runs_out_at(await service.current_match(number, FAR)) == back + 23 * HOUR


@pytest.mark.parametrize("counts", [(3, 1), (1, 3), (2, 3), (3, 1, 3)])
async def test_into_how_many_shards_servers_are_divided_changes_no_clock(
    service: Service, counts: tuple[int, ...]
) -> None:
    number, store = await begun_fast(service.store, FAR), service.store
    for hour, count in enumerate(counts):  # one worker for each count, present once: all hours between are absences
        async with store.write_transaction() as tx:
            earlier = await divide_servers(tx, count)
        async with store.write_transaction() as tx:
            assert await divide_servers(tx, count) == earlier
        for shard in range(count):
            await _note(make_service(store), ShardShare(count, frozenset({shard}), earlier), NOW + hour * HOUR)
    after = make_service(store)
    await _note(after, ShardShare(count, frozenset(range(count)), earlier), NOW + hour * HOUR)
    assert await after.time_runs_out_at(await after.current_match(number, FAR)) == NOW + DAY + hour * HOUR
