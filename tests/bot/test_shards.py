"""Shares: each server is looked after by one worker, and whatever happens by itself happens there alone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sized
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.match.events import Seating
from bot.people.clock import DAY, HOUR, Pace
from bot.people.settings import UserSettings
from bot.service import Service
from bot.service.privacy import KEPT
from bot.store import Share, Store, abandoned, absences
from bot.store.absences import divide, lasting
from bot.store.shards import MOST, WHOLE, condition
from bot.store.upkeep import census
from tests.bot.playing import ADA, BO, CHANNEL, GUILD, NOW, short_game, unshuffled
from tests.bot.puzzling import MORNING, ask_for_a_daily
from tests.bot.serving import CAMELOT, join
from tests.bot.test_seekers import set_up
from tests.bot.test_tick import begin

HERE, THERE = Share(3, frozenset({0, 2})), Share(3, frozenset({1}))
"""Two workers of three shards. GUILD, as a number of the first second that Discord counts, is of shard 0."""
FAR = GUILD + (1 << 22)
"""A server of the next shard."""

guilds = st.integers(1, 2**63 - 1)


@given(guilds, st.integers(2, MOST), st.data())
def test_a_server_is_in_exactly_one_share(guild: int, count: int, data: st.DataObject) -> None:
    own = data.draw(st.frozensets(st.integers(0, count - 1)))
    share, rest = Share(count, own), Share(count, frozenset(range(count)) - own)
    assert share.has(guild) is not rest.has(guild)
    assert WHOLE.has(guild)
    everywhere = share.everywhere(share.shard_of(guild))
    assert everywhere in share.around(guild)
    assert share.sees_to(everywhere) is share.sees_to(guild) is share.has(guild)
    assert everywhere in Share(count + 1, own, (count,)).around(guild)


async def test_the_database_reckons_as_we_do(service: Service) -> None:
    async def holds(guild: int, sql: str) -> bool:
        return bool(await service.store.reader.run(f"SELECT 1 FROM (SELECT {guild} AS guild) AS one WHERE TRUE{sql}"))

    for guild in (1, 1 << 22, GUILD, FAR, 5 << 22, 2**62 + 12345, 1_234_567_890_123_456_789, 2**63 - 1):
        for share in (HERE, THERE, WHOLE, Share(3, frozenset())):
            assert await holds(guild, share.also()) is share.has(guild), (guild, share)
        for shard in range(3):
            assert await holds(guild, condition(HERE.everywhere(shard))) is (HERE.shard_of(guild) == shard)
        assert await holds(guild, condition(0))
        assert await holds(guild, condition(guild))
        assert not await holds(guild, condition(77))


def test_what_concerns_everybody_is_seen_to_by_one() -> None:
    assert [HERE.leads, THERE.leads, WHOLE.leads] == [True, False, True]
    for place in (0, Share(2, frozenset()).everywhere(1)):  # as noted before there were three shards
        assert [HERE.sees_to(place), THERE.sees_to(place), WHOLE.sees_to(place)] == [True, False, True]
    assert [HERE.sees_to(THERE.everywhere(1)), THERE.sees_to(THERE.everywhere(1))] == [False, True]


# What happens by itself


Look = Callable[[Service], Awaitable[Sized]]


async def _due(service: Service) -> Sized:
    await begin(service, Pace.FAST)
    return await service.store.reader.due(NOW + 30 * DAY)


async def _unannounced(service: Service) -> Sized:
    await begin(service, Pace.FAST)
    return await service.unannounced()


async def _news(service: Service) -> Sized:
    return await service.news((await begin(service, Pace.FAST)).id)


async def _ladders_due(service: Service) -> Sized:
    await join(service, ADA, BO)
    return await service.ladders.tick(NOW + 30 * DAY)


async def _ladders_untold(service: Service) -> Sized:
    await join(service, ADA, BO)
    await service.ladders.challenge(*CAMELOT, ADA, BO, NOW, channel=CHANNEL, member_since=0)
    assert bool(await service.ladders.unannounced()) is bool(await service.ladders.news(*CAMELOT))
    return await service.ladders.unannounced()


async def _puzzles(service: Service) -> Sized:
    await ask_for_a_daily(service)
    await service.puzzles.tick(MORNING)
    known = await service.store.reader.run("SELECT * FROM daily_puzzles")
    assert bool(known) is bool(await service.puzzles.unannounced())
    return known


async def _mill(service: Service) -> Sized:
    await ask_for_a_daily(service)
    await set_up(service, short_game())
    return await service.puzzles.to_mill() or ()


async def _house(service: Service) -> Sized:
    await service.open_table(*(GUILD, CHANNEL, ADA, "camelot", (), Seating.CHOSEN, False, NOW), house="easy", seat=1)
    return await service.house.waiting()


async def _seekers(service: Service) -> Sized:
    await service.seekers.turn(GUILD, BO)
    await service.open_table(GUILD, CHANNEL, ADA, "camelot", (), Seating.JOIN_ORDER, False, NOW)
    return await service.seekers.tables(NOW + HOUR)


async def _waiting(service: Service) -> Sized:
    await begin(service, Pace.FAST)
    return await service.servers_of_games()


async def _counted(service: Service) -> Sized:
    await begin(service, Pace.FAST)
    found = await census(service.store.reader)
    return range(found.live * found.unannounced)


async def _not_reached(service: Service) -> Sized:
    await begin(service, Pace.FAST)
    await service.presence.check_servers(lambda _: False, NOW)
    return await lasting(service.store.reader)


async def _given_up(service: Service) -> Sized:
    await begin(service, Pace.FAST)
    await service.presence.lose_server(GUILD, NOW)
    return await service.upkeep.tick(NOW + 40 * DAY)


async def _removed(service: Service) -> Sized:
    await begin(service, Pace.FAST)
    await service.privacy.note_servers([], NOW)
    return await service.store.reader.run("SELECT key FROM meta WHERE key LIKE 'removed:%'")


async def _deleted(service: Service) -> Sized:
    await service.people.change_guild_settings(GUILD, lambda one: replace(one, house_rules="Be kind."))
    async with service.store.writing() as tx:
        await abandoned.note_removed(tx, GUILD, NOW)
    return await service.privacy.delete_abandoned(NOW + KEPT)


async def _made_up(service: Service) -> Sized:
    await begin(service, Pace.FAST)
    async with service.store.writing() as tx:
        await absences.add_absence(tx, HERE.everywhere(0), NOW + HOUR, NOW + 2 * HOUR)
    return await absences.unfinished(service.store.reader, HOUR)


LOOKS = (
    *(_due, _unannounced, _news, _ladders_due, _ladders_untold, _puzzles, _mill, _house, _seekers, _waiting),
    *(_counted, _not_reached, _given_up, _removed, _deleted, _made_up),
)


@pytest.mark.parametrize("share", [HERE, THERE], ids=["looked after here", "by another worker"])
@pytest.mark.parametrize("look", LOOKS)
async def test_what_happens_by_itself_happens_where_a_server_is_looked_after(
    service: Service, look: Look, share: Share
) -> None:
    service.store.share = share
    assert bool(await look(service)) is share.has(GUILD)


async def test_no_server_is_new_when_its_shard_is_looked_after_for_the_first_time(service: Service) -> None:
    async def meet(share: Share, *guilds: int) -> list[int]:
        service.store.share = share
        return await service.privacy.meet(guilds, joined=False)

    assert await meet(HERE, GUILD) == []
    assert await meet(THERE, FAR) == []
    far = FAR + (3 << 22)  # has let the bot in while nobody was there
    assert await meet(Share(3, frozenset({0, 1})), GUILD, FAR, far) == [far]
    assert await meet(Share(6, frozenset({4})), far + (3 << 22)) == []


# Absences


async def test_whoever_takes_a_shard_over_notes_how_long_nobody_was_there_for_its_servers_alone(path: Path) -> None:
    async with Store.open(path) as store:
        near, far = await begun_fast(store, GUILD), await begun_fast(store, FAR)
        workers = {share: Service(store, unshuffled) for share in (HERE, THERE)}
        for minute in range(0, 120, 2):
            for share, service in workers.items():
                if share is HERE or minute <= 60:  # the one that looked after FAR is gone then
                    await _note(service, share, NOW + minute * 60)
        taken = Service(store, unshuffled)
        await _note(taken, Share(3, frozenset()), NOW + HOUR)  # it stands by, and is there for nobody
        await _note(taken, Share(3, frozenset({1})), NOW + 2 * HOUR)
        assert await taken.flag(await taken.match(near, GUILD)) == NOW + DAY
        assert await taken.flag(await taken.match(far, FAR)) == NOW + DAY + HOUR
        assert await store.reader.run("SELECT guild, since, until FROM absences") == [
            (THERE.everywhere(1), NOW + HOUR, NOW + 2 * HOUR)
        ]


async def begun_fast(store: Store, guild: int) -> int:
    """A game in that server that has just begun."""
    service, at = Service(store, unshuffled), (guild, CHANNEL, ADA, "camelot", (), Seating.JOIN_ORDER, False, NOW)
    return (await service.join((await service.open_table(*at, pace=Pace.FAST)).id, guild, BO, NOW)).id


async def _note(service: Service, share: Share, now: int) -> None:
    """A worker with that share is there."""
    service.store.share = share
    await service.presence.note(now)


async def test_no_time_is_charged_to_a_player_while_the_worker_of_the_game_is_away(service: Service) -> None:
    """Who changes their habits in direct messages does so with another worker than their game's."""
    number, back = await begun_fast(service.store, FAR), NOW + 5 * HOUR
    await _note(Service(service.store), THERE, NOW + HOUR)
    for minute in range(60, 300, 2):
        await _note(service, HERE, NOW + minute * 60)
    await service.people.change_user_settings(ADA, lambda _: UserSettings(sleep=(0, 360)), back)
    await service.people.change_user_settings(ADA, lambda _: UserSettings(), back)
    await _note(Service(service.store), THERE, back)
    assert await service.flag(await service.match(number, FAR)) == back + 23 * HOUR


@pytest.mark.parametrize("counts", [(3, 1), (1, 3), (2, 3), (3, 1, 3)])
async def test_into_how_many_shards_servers_are_divided_changes_no_clock(
    service: Service, counts: tuple[int, ...]
) -> None:
    number, store = await begun_fast(service.store, FAR), service.store
    for hour, count in enumerate(counts):  # a worker for each, which is there once: all hours between are absences
        async with store.writing() as tx:
            earlier = await divide(tx, count)
        async with store.writing() as tx:
            assert await divide(tx, count) == earlier
        for shard in range(count):
            await _note(Service(store), Share(count, frozenset({shard}), earlier), NOW + hour * HOUR)
    after = Service(store)
    await _note(after, Share(count, frozenset(range(count)), earlier), NOW + hour * HOUR)
    assert await after.flag(await after.match(number, FAR)) == NOW + DAY + hour * HOUR
