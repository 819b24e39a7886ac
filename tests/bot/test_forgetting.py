"""Being forgotten: a match at a time, so that nobody else waits, and to its end whatever comes in between."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.match.events import Event, Seating
from bot.match.match import Match
from bot.service import Service
from bot.store import Fault, Store, StoreError, Writer
from tests.bench.story import story
from tests.bot import acts
from tests.bot.playing import ADA, BO, GUILD, NOW, short_game, started, unshuffled
from tests.bot.serving import agrees, won
from tests.bot.test_store import note, query

GAMES = 200


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "roundtable.db"


@pytest.fixture
async def service(path: Path) -> AsyncIterator[Service]:
    async with Store.open(path) as store:
        yield Service(store, unshuffled)


async def add(service: Service, events: list[Event] | tuple[Event, ...]) -> Match:
    """The match with that story."""
    async with service.store.writing() as tx:
        number = await tx.add(Match.replay(0, events), events)
    return await service.match(number, GUILD)


async def test_nobody_waits_while_somebody_with_many_games_is_forgotten(service: Service) -> None:
    events = story(1, 30).events
    for _ in range(GAMES):
        async with service.store.writing() as tx:
            await tx.add(Match.replay(0, events), events)
    (user, *_) = Match.replay(0, events).players
    forgetting = asyncio.create_task(service.privacy.forget(user, events[-1].at + 1))
    turns = 0
    while not forgetting.done():
        await note(service.store, "somebody else's")
        turns += 1
    assert len(await forgetting) == GAMES
    assert turns >= 2 * GAMES, "somebody else's turn comes after each transaction: one leaves a game, one its story"


async def test_what_a_crash_has_cut_short_goes_on_with_the_first_tick_after_the_next_start(
    service: Service, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = [(await add(service, short_game())).id for _ in range(5)]
    live = await add(service, started())
    done = 0
    set_times = Writer.append

    async def crash(writer: Writer, *told: object, **more: object) -> None:
        nonlocal done
        done += 1
        if done == 4:
            raise StoreError(Fault.NO_ACCESS, path, "the plug was pulled")
        await set_times(writer, *told, **more)  # type: ignore[arg-type]  # whatever it gets

    with monkeypatch.context() as broken:
        broken.setattr(Writer, "append", crash)
        with pytest.raises(StoreError):
            await service.privacy.forget(ADA, NOW + 1)
    named = [ADA in (await service.match(number, GUILD)).players for number in numbers]
    assert True in named
    assert False in named
    woken = Service(service.store, unshuffled)
    await woken.upkeep.tick(NOW + 2)
    for number in (*numbers, live.id):
        assert (await woken.match(number, GUILD)).players == (-1, BO)
    for table in ("events", "players", "shares", "rating_changes", "meta"):
        assert not [row for row in query(path, f"SELECT * FROM {table}") if str(ADA) in str(row)]
    assert await agrees(woken)
    await woken.upkeep.tick(NOW + 3)
    await woken.privacy.forget(BO, NOW + 3)
    assert (await woken.match(numbers[0], GUILD)).players == (-1, -2)


async def test_a_referee_who_decides_about_a_game_meanwhile_leaves_ratings_that_agree(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = [await service.open_table(GUILD, 1, ADA, "camelot", (), Seating.JOIN_ORDER, False, NOW) for _ in range(3)]
    games = [await service.join(one.id, GUILD, BO, NOW) for one in table]
    for number, game in enumerate(games):
        games[number] = await won(service, game, ADA, NOW + number)
    first = games[0]
    forget_in = service.privacy._forget_in

    async def interrupted(match_id: int, *rest: int) -> Match | None:
        found = await forget_in(match_id, *rest)
        if match_id == first.id:
            await acts.annul(service, first.id, GUILD, BO, "cheating", NOW + 10)
        return found

    monkeypatch.setattr(service.privacy, "_forget_in", interrupted)
    await service.privacy.forget(ADA, NOW + 9)
    assert await agrees(service)
