"""People's names, requested from a real client's gateway: in bulk, once, and without long waits."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import discord
import pytest

from bot.core.timings import DEFAULT_TIMINGS
from bot.play.background import BackgroundTasks
from bot.play.known_servers import NAMES_BY_REST, NAMES_PER_GATEWAY, DisplayNames

GUILD, ADA, BO, CY, NOBODY = 7, 1001, 1002, 1003, 1004


class Gateway:
    """Sends the members of one server once the test allows it."""

    def __init__(self, *members: int) -> None:
        self.members = {user: f"P{user}" for user in members}
        self.asked: list[list[int]] = []
        self.open = asyncio.Event()
        self.open.set()
        self.broken = False
        self.id, self.shard_id = GUILD, 0
        self.fetched: list[int] = []

    async def query_members(self, *, user_ids: list[int], limit: int, cache: bool) -> list[Any]:
        assert (limit, cache) == (100, False)
        assert len(user_ids) <= limit
        self.asked.append(user_ids)
        await self.open.wait()
        if self.broken:
            raise TimeoutError
        return [SimpleNamespace(id=one, display_name=self.members[one]) for one in user_ids if one in self.members]

    async def fetch_member(self, user: int) -> Any:
        self.fetched.append(user)
        if user not in self.members:
            response: Any = SimpleNamespace(status=404, reason="Not Found")
            raise discord.NotFound(response, "Unknown Member")
        return SimpleNamespace(id=user, display_name=self.members[user])


def names(gateway: Gateway) -> DisplayNames:
    client: Any = SimpleNamespace(get_guild=lambda guild: gateway if guild == GUILD else None)
    servers: Any = SimpleNamespace(language_of=lambda _: "en")
    return DisplayNames(client, servers, BackgroundTasks(), DEFAULT_TIMINGS)


async def test_fifty_people_and_five_keystrokes_are_one_request() -> None:
    gateway = Gateway(*range(1001, 1051))
    called = names(gateway)
    gateway.open.clear()
    keystrokes = [asyncio.create_task(called.find_names(GUILD, range(1001, 1051), 5)) for _ in range(5)]
    await asyncio.sleep(0)
    gateway.open.set()
    assert [len(found) for found in await asyncio.gather(*keystrokes)] == [50] * 5
    await called.find_names(GUILD, range(1001, 1051))
    assert len(gateway.asked) == 1


async def test_of_more_than_a_hundred_each_hundred_is_a_request() -> None:
    gateway = Gateway(*range(1001, 1251))
    assert len(await names(gateway).find_names(GUILD, range(1001, 1251))) == 250
    assert [len(part) for part in gateway.asked] == [100, 100, 50]


async def test_absent_members_are_not_requested_again_until_after_an_outage() -> None:
    gateway = Gateway(ADA)
    called = names(gateway)
    gateway.broken = True
    assert await called.find_names(GUILD, [ADA, NOBODY]) == {}
    gateway.broken = False
    assert await called.find_names(GUILD, [ADA, NOBODY]) == {ADA: "P1001"}
    assert await called.find_names(GUILD, [ADA, NOBODY]) == {ADA: "P1001"}
    assert gateway.asked == [[ADA, NOBODY], [ADA, NOBODY]]
    assert await called.find_names(8, [ADA]) == {}  # a server that the client does not know


async def test_nobody_waits_long_and_what_comes_later_is_known_the_next_time() -> None:
    gateway = Gateway(ADA, BO)
    called = names(gateway)
    gateway.open.clear()
    assert await called.find_names(GUILD, [ADA, BO], 0.01) == {}
    gateway.open.set()
    assert await called.find_names(GUILD, [BO, ADA], 5) == {BO: "P1002", ADA: "P1001"}
    assert len(gateway.asked) == 1


async def test_a_wait_that_timed_out_is_not_repeated() -> None:
    gateway = Gateway(ADA)
    called, begun = names(gateway), asyncio.get_running_loop().time()
    gateway.open.clear()
    for _ in range(20):
        assert await called.find_names(GUILD, [ADA], 0.05) == {}
    assert asyncio.get_running_loop().time() - begun < 0.5
    gateway.open.set()


async def test_an_unmentioned_player_is_spelled_out_and_an_unknown_one_described() -> None:
    gateway = Gateway(ADA, BO, CY)
    gateway.members[BO] = "*Bo* discord.gg/x"
    called = names(gateway)
    said = await called.spell_names(GUILD, f"<@{ADA}>, <@{BO}>, <@{CY}>, <@{NOBODY}>, <@{ADA}>", {CY})
    assert said == f"P1001, \\*Bo\\* discord\u200b.gg/x, <@{CY}>, a player, P1001"
    assert gateway.asked == [[ADA, BO, NOBODY]]


async def test_the_names_that_come_with_an_interaction_are_asked_of_nobody() -> None:
    gateway = Gateway()
    called, heard = names(gateway), {str(BO): {"nick": "Bee"}, str(CY): {"nick": None}}
    users = {str(BO): {"username": "bo", "global_name": "Bo"}, str(CY): {"username": "cy", "global_name": None}}
    interaction: Any = SimpleNamespace(
        guild_id=GUILD,
        user=SimpleNamespace(id=ADA, display_name="Ada"),
        data={"resolved": {"members": heard, "users": users | {str(NOBODY): {"username": "x", "global_name": "X"}}}},
    )
    called.learn_names_from(interaction)
    assert await called.find_names(GUILD, [ADA, BO, CY]) == {ADA: "Ada", BO: "Bee", CY: "cy"}
    assert gateway.asked == []
    called.forget_person(BO)
    assert await called.name_of(GUILD, BO) == ""


async def test_many_posts_have_all_names_and_spare_the_gateway_for_others() -> None:
    gateway, begun = Gateway(*range(2000, 2700)), asyncio.get_running_loop().time()
    called = names(gateway)
    for first in range(2000, 2700, 5):  # 140 lists of five people each
        assert len(await called.find_names(GUILD, range(first, first + 5))) == 5
    assert len(gateway.asked) == NAMES_PER_GATEWAY
    assert asyncio.get_running_loop().time() - begun < 20  # each that waited would take a second


async def test_names_take_only_their_share_of_rest_and_nobody_waits_longer() -> None:
    gateway, begun = Gateway(*range(2000, 6000)), asyncio.get_running_loop().time()
    called = names(gateway)
    for first in range(2000, 6000, 20):
        await called.find_names(GUILD, range(first, first + 20))
    assert (len(gateway.asked), len(gateway.fetched)) == (NAMES_PER_GATEWAY, NAMES_BY_REST)
    assert asyncio.get_running_loop().time() - begun < 20  # each that waited would take a second


async def test_who_is_not_there_is_asked_for_once_by_rest_as_well() -> None:
    gateway = Gateway(ADA)
    called = names(gateway)
    for user in range(5000, 5000 + NAMES_PER_GATEWAY):
        await called.name_of(GUILD, user)
    assert await called.find_names(GUILD, [ADA, NOBODY]) == {ADA: "P1001"}
    assert await called.find_names(GUILD, [ADA, NOBODY]) == {ADA: "P1001"}
    assert gateway.fetched == [ADA, NOBODY]


async def test_nobody_waits_for_a_name_that_is_known_from_the_day_before() -> None:
    gateway = Gateway(ADA)
    called = names(gateway)
    assert await called.name_of(GUILD, ADA) == "P1001"
    called._fresh.clear()
    gateway.open.clear()
    gateway.members[ADA] = "Ada"
    name = asyncio.create_task(called.name_of(GUILD, ADA))
    for _ in range(3):
        await asyncio.sleep(0)
    assert name.done()
    assert name.result() == "P1001"
    gateway.open.set()
    for _ in range(3):
        await asyncio.sleep(0)
    assert await called.name_of(GUILD, ADA) == "Ada"


@pytest.mark.parametrize("user", [0, -3])
async def test_who_is_forgotten_is_nobody_to_ask_for(user: int) -> None:
    gateway = Gateway()
    assert await names(gateway).name_of(GUILD, user) == "a former player"
    assert gateway.asked == []
