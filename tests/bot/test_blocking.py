"""Blocks: where two people of whom one has blocked the other are kept apart, and where not."""

from __future__ import annotations

import json

import pytest

from bot.core.clock import HOUR
from bot.core.deadlines import Actor
from bot.core.problems import Problem
from bot.ladder.acts import LadderProblem
from bot.play import seeking
from bot.play.service import Service, people, tables
from bot.privacy.service import export_person, forget_person
from bot.store import seekers
from bot.store.people import people_apart, people_blocked_by
from tests.bot import acts, seasons
from tests.bot.beginning import begun, opened, set_up
from tests.bot.ladder_climbers import barred
from tests.bot.played_ladders import CAMELOT, TRI, challenge, join, queue
from tests.bot.playing import ADA, BO, CY, DEE, GUILD, NOW, refused, table


@pytest.fixture(autouse=True)
async def ada_has_blocked_bo(service: Service) -> None:
    for _ in range(2):
        await people.block_person(service, ADA, BO)


async def test_a_block_holds_both_ways_until_it_is_taken_back(service: Service) -> None:
    for one, other in ((ADA, BO), (BO, ADA)):
        assert await people_apart(service.reader, (one, CY), (other, DEE)) == {one}
    assert await people_blocked_by(service.reader, BO) == []
    await people.unblock_person(service, ADA, BO)
    assert await people_apart(service.reader, (ADA,), (BO,)) == set()


async def test_the_blocked_one_reads_what_others_read_too(service: Service) -> None:
    by_ada, by_bo = await opened(service), await opened(service, host=BO)
    with refused(Problem.TABLE_FULL):
        await acts.join_table(service, by_ada.id, GUILD, BO, NOW)
    with refused(Problem.BLOCKED, user=BO):
        await acts.join_table(service, by_bo.id, GUILD, ADA, NOW)
    with refused(Problem.UNAVAILABLE):
        await opened(service, host=BO, invited=(ADA,))
    with refused(Problem.BLOCKED, user=BO):
        await opened(service, invited=(BO,))
    assert (await acts.join_table(service, by_ada.id, GUILD, CY, NOW)).is_live


async def test_a_third_person_may_sit_with_either_of_the_two(service: Service) -> None:
    match = await opened(service, "tri-camelot", host=CY)
    match = await acts.join_table(service, match.id, GUILD, BO, NOW)
    with refused(Problem.BLOCKED, user=BO):
        await acts.join_table(service, match.id, GUILD, ADA, NOW)
    assert (await acts.join_table(service, match.id, GUILD, DEE, NOW)).is_live


async def test_a_rematch_is_refused_and_a_running_game_goes_on(service: Service) -> None:
    await people.unblock_person(service, ADA, BO)
    match = await begun(service)
    await people.block_person(service, ADA, BO)
    await acts.resign(service, match.id, GUILD, ADA, NOW)
    with refused(Problem.UNAVAILABLE):
        await tables.open_rematch(service, Actor(BO, NOW, GUILD), match.id)
    with refused(Problem.BLOCKED, user=BO):
        await tables.open_rematch(service, Actor(ADA, NOW, GUILD), match.id)


async def test_a_seat_passes_to_nobody_who_is_apart_from_a_player(service: Service) -> None:
    match = await begun(service, players=(BO, CY))
    with refused(Problem.ALREADY_PLAYING, user=ADA):
        await acts.propose_substitute(service, match.id, GUILD, CY, ADA, NOW)
    await people.unblock_person(service, ADA, BO)
    await acts.propose_substitute(service, match.id, GUILD, CY, ADA, NOW)
    await people.block_person(service, ADA, BO)
    with refused(Problem.BLOCKED, user=BO):
        await acts.accept_substitute(service, match.id, GUILD, ADA, NOW)
    other = await begun(service, "tri-camelot", players=(ADA, CY, DEE))
    await acts.resign(service, other.id, GUILD, DEE, NOW)
    with refused(Problem.SEAT_NOT_YOURS):
        await acts.take_over(service, other.id, GUILD, BO, NOW)
    three = await begun(service, "tri-camelot", players=(BO, CY, DEE))
    await acts.resign(service, three.id, GUILD, DEE, NOW)
    with refused(Problem.BLOCKED, user=BO):
        await acts.take_over(service, three.id, GUILD, ADA, NOW)
    left = await begun(service, "tri-camelot", players=(BO, CY, DEE))
    await acts.resign(service, left.id, GUILD, BO, NOW)
    assert ADA in (await acts.take_over(service, left.id, GUILD, ADA, NOW)).players  # Bo is not there any more


async def test_a_referee_seats_them_all_the_same(service: Service) -> None:
    match = await begun(service, players=(BO, CY))
    replaced = await acts.replace_player(service, match.id, GUILD, DEE, CY, ADA, "both agree", NOW)
    assert {*replaced.players} == {ADA, BO}


async def test_a_league_seats_them_all_the_same(service: Service) -> None:
    _, group = await seasons.begun(service, seasons.CAMETTE, (ADA, BO, CY))
    games = [await service.current_match(game.match, GUILD) for game in group.games if game.match]
    assert {ADA, BO} in [{*match.players} for match in games]


async def test_nobody_is_called_to_a_table_of_somebody_apart(service: Service) -> None:
    match = await set_up(service, table())  # Ada's
    for user in (BO, CY):
        await seeking.add_seeker(service, GUILD, user)
    assert await seekers.seekers_in_turn(service.reader, match, NOW + HOUR) == [CY]


async def test_ladders_neither_pair_them_nor_let_them_challenge(service: Service) -> None:
    await join(service, ADA, BO, CY)
    for one, other in ((ADA, BO), (BO, ADA)):
        with barred(LadderProblem.OTHER_CHALLENGED, other=other, until=None):
            await challenge(service, one, other)
    assert await queue(service, ADA, BO, place=CAMELOT) == []
    (match,) = await queue(service, CY, place=CAMELOT)
    assert {*match.players} in ({ADA, CY}, {BO, CY})


async def test_three_are_not_paired_if_two_of_them_are_apart(service: Service) -> None:
    await join(service, ADA, BO, CY, DEE, place=TRI)
    assert await queue(service, CY, ADA, BO, place=TRI) == []
    (match,) = await queue(service, DEE, place=TRI)
    assert {CY, DEE} < {*match.players}


async def test_blocks_are_exported_and_forgotten_and_no_export_names_who_blocked(service: Service) -> None:
    await people.block_person(service, CY, ADA)
    assert (await export_person(service, ADA))["blocked"] == [str(BO)]
    assert str(ADA) not in json.dumps(await export_person(service, BO))
    await forget_person(service, BO, NOW)
    assert await people_blocked_by(service.reader, ADA) == []
    await forget_person(service, ADA, NOW)
    assert await people_blocked_by(service.reader, CY) == []
