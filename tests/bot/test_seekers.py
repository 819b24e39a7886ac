"""Seekers: who is called to which table, and when."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from bot.core import table as tables
from bot.core import time_acts
from bot.core.clock import DAY, HOUR
from bot.core.fold import replay_match
from bot.play import seeking
from bot.play.service import Service, people
from bot.privacy.service import export_person, forget_person
from bot.store import seekers
from tests.bot import acts
from tests.bot.beginning import set_up
from tests.bot.playing import ADA, BO, CY, DEE, GUILD, NOW, absent, by, table


async def test_a_table_waits_for_seekers_from_one_hour_to_one_day(service: Service) -> None:
    match = await set_up(service, table())
    assert await seeking.tables_to_fill(service, NOW + HOUR) == [], "nobody looks for one"
    await seeking.add_seeker(service, GUILD, BO)
    for at, waits in ((HOUR - 1, False), (HOUR, True), (DAY, True), (DAY + 1, False)):
        assert bool(await seeking.tables_to_fill(service, NOW + at)) is waits, at
    await seeking.note_table_called(service, match, (BO,), NOW + HOUR)
    assert await seeking.tables_to_fill(service, NOW + HOUR) == []


async def test_people_are_called_before_the_house_sits_down_at_its_time(service: Service) -> None:
    match = await set_up(service, table())
    await seeking.add_seeker(service, GUILD, BO)
    promised = await acts.promise_house(service, match.id, GUILD, ADA, "easy", NOW + DAY, NOW)
    assert await seeking.tables_to_fill(service, NOW + 2 * HOUR) == [promised]


async def test_an_absence_makes_no_table_younger(service: Service) -> None:
    match = await set_up(service, table())
    await seeking.add_seeker(service, GUILD, BO)
    back = NOW + 5 * HOUR
    away = absent(match, (NOW + HOUR, back))
    await service.change_match(match.id, lambda match, _: time_acts.prolong_chance(match, away, back))
    for at, waits in ((back, True), (NOW + DAY, True), (NOW + DAY + 1, False)):
        assert bool(await seeking.tables_to_fill(service, at)) is waits, at


async def test_a_table_nobody_could_be_called_to_is_retried_an_hour_later(service: Service) -> None:
    match = await set_up(service, table())
    await seeking.add_seeker(service, GUILD, BO)
    await seeking.note_table_called(service, match, (), NOW + HOUR)
    assert await seeking.tables_to_fill(service, NOW + 2 * HOUR - 1) == []
    assert await seeking.tables_to_fill(service, NOW + 2 * HOUR) == [match]


async def test_a_table_for_those_who_are_invited_waits_for_nobody_else(service: Service) -> None:
    await seeking.add_seeker(service, GUILD, CY)
    await set_up(service, table(invited=(BO,)))
    assert await seeking.tables_to_fill(service, NOW + HOUR) == []
    await set_up(service, table("tri-camelot", invited=(BO,)))
    assert len(await seeking.tables_to_fill(service, NOW + HOUR)) == 1


async def test_each_is_called_in_turn_and_at_most_once_a_day(service: Service) -> None:
    for user in (DEE, CY, BO):
        await seeking.add_seeker(service, GUILD, user)
    first = await set_up(service, table())
    assert await seekers.seekers_in_turn(service.reader, first, NOW) == [BO, CY, DEE]
    await seeking.note_table_called(service, first, [BO], NOW)
    second = await set_up(service, table())
    assert await seekers.seekers_in_turn(service.reader, second, NOW + DAY - 1) == [CY, DEE]
    assert await seekers.seekers_in_turn(service.reader, second, NOW + DAY) == [CY, DEE, BO]


async def test_who_sits_there_has_declined_or_is_away_is_not_called(service: Service) -> None:
    for user in (ADA, BO, CY, DEE):
        await seeking.add_seeker(service, GUILD, user)
    events = table("tri-camelot", invited=(BO,))
    events += tables.decline_invitation(replay_match(0, events), by(BO))
    match = await set_up(service, events)
    await people.start_vacation(service, by(DEE), NOW + 3 * DAY)
    assert await seekers.seekers_in_turn(service.reader, match, NOW + HOUR) == [CY]


async def test_what_is_noted_of_a_seeker_is_exported_and_forgotten(service: Service) -> None:
    await seeking.add_seeker(service, GUILD, BO)
    assert (await export_person(service, BO))["looking_for_a_game_in"] == [str(GUILD)]
    await forget_person(service, BO, NOW)
    assert not await seekers.is_looking(service.reader, GUILD, BO)


async def test_nobody_is_called_while_the_bot_is_in_timeout(service: Service) -> None:
    match = await set_up(service, table())
    await seeking.add_seeker(service, GUILD, BO)
    until, permissions = datetime(2100, 1, 1, tzinfo=UTC), SimpleNamespace(administrator=False)
    me = SimpleNamespace(timed_out_until=until, guild_permissions=permissions)
    guild = SimpleNamespace(me=me, get_channel_or_thread=lambda number: SimpleNamespace(id=number))
    desk: Any = SimpleNamespace(service=service, client=SimpleNamespace(get_guild=lambda _: guild))
    await seeking.call_seekers(desk, NOW + HOUR)
    assert await seeking.tables_to_fill(service, NOW + HOUR) == [match], "they are called when it has ended"
