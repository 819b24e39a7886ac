"""Openings: what is counted, when it counts no longer, and how a move is found again."""

from __future__ import annotations

import random
import tracemalloc
from collections import Counter
from dataclasses import replace
from itertools import islice

import pytest

from bot.core import leaving, refereeing
from bot.core.events import Seating
from bot.core.match import Match, Phase
from bot.explore.openings import (
    OPENING_LENGTH,
    WHOLE_POINT,
    count_earlier_games,
    find_moves,
    follow_steps,
    format_step,
    index_position,
    opening_rows,
)
from bot.explore.service import PlayedMove, latest_games, played_moves
from bot.play.service import Service
from bot.privacy.service import Privacy
from render import run_steps
from rules import VARIANTS, Game, iter_moves, legal_moves, some_moves
from rules.symmetry import symmetries
from tests.bench.heaviest import kept
from tests.bot.playing import ADA, BO, CHANNEL, GUILD, NOW, PEOPLE

START = index_position(VARIANTS["camelot"].start_position)


async def begin(service: Service, variant: str = "camelot") -> Match:
    host, *others = PEOPLE[: len(VARIANTS[variant].seats)]
    match = await service.open_table(GUILD, CHANNEL, host, variant, [], Seating.JOIN_ORDER, False, NOW)
    for user in others:
        match = await service.join_table(match.id, GUILD, user, NOW)
    return match


async def move(service: Service, match: Match, rng: random.Random, count: int = 1) -> Match:
    for _ in range(count):
        if match.to_move is None:
            break
        chosen = rng.choice(legal_moves(match.started_game.position))
        match = await service.play_move(match.id, GUILD, match.to_move, chosen, NOW + 1, match.board_version)
    return match


async def end(service: Service, match: Match, now: int = NOW + 3) -> Match:
    """Lets the players resign until the game is over."""
    while match.phase is Phase.LIVE:
        loser = match.still_in[-1]
        match = await service.act_on_match(match.id, GUILD, lambda m, _, user=loser: leaving.resign(m, user, now))
    return match


async def annul(service: Service, match: Match) -> Match:
    return await service.act_on_match(match.id, GUILD, lambda m, _: refereeing.annul_match(m, ADA, "a wager", NOW + 4))


async def at_start(service: Service, *, every: bool = False) -> list[PlayedMove]:
    return await played_moves(service.store.reader, GUILD, START.number, 8, every=every)


async def stored(service: Service) -> set[tuple[object, ...]]:
    return {tuple(row) for row in await service.store.reader.run_sql("SELECT * FROM opening_games")}


@pytest.mark.parametrize("key", VARIANTS)
def test_mirrored_positions_share_their_number_and_the_names_of_moves(key: str) -> None:
    position, rng = VARIANTS[key].start_position, random.Random(7)
    for _ in range(4):
        indexed = index_position(position)
        names = Counter(map(indexed.name_move, legal_moves(position)))
        for symmetry in symmetries(VARIANTS[key]):
            turned = symmetry.turn_position(position)
            other = index_position(turned)
            assert other.number == indexed.number
            assert Counter(map(other.name_move, legal_moves(turned))) == names
        position = position.after_move(rng.choice(legal_moves(position)[:9]))


@pytest.mark.parametrize("key", ["camelot", "tri-camelot"])
def test_steps_lead_back_along_a_game(key: str) -> None:
    game, rng, steps = Game.start(VARIANTS[key]), random.Random(3), ""
    while not game.outcome and len(game.moves) < OPENING_LENGTH:
        indexed, move = index_position(game.position), rng.choice(legal_moves(game.position))
        found = run_steps(find_moves(game.position, indexed, {indexed.name_move(move)}))
        [(_, place)] = found.values()
        steps, game = f"{steps}{format_step(place)}", game.apply(legal_moves(game.position)[place])
    *_, reached = run_steps(follow_steps(Game.start(VARIANTS[key]), steps))
    assert reached.position == game.position
    with pytest.raises(KeyError):
        run_steps(follow_steps(Game.start(VARIANTS[key]), "ZZ"))


@pytest.mark.parametrize("key", VARIANTS)
def test_no_number_of_moves_makes_openings_heavy(key: str) -> None:
    # The heaviest known position of Chivalry has 40,000 moves, and all of them would be six megabytes.
    position = max(
        (one for one in kept() if one.variant.key == key), key=lambda one: len(some_moves(one, 10_000).moves)
    )
    indexed, moves = index_position(position), list(islice(iter_moves(position), 100))
    assert moves == list(islice(legal_moves(position), 100)), "the numbers in old buttons"
    names = {indexed.name_move(move) for move in moves[::7]}
    tracemalloc.start()
    try:
        found = run_steps(find_moves(position, indexed, names))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found.keys() == names
    assert all(indexed.name_move(move) == name for name, (move, _) in found.items())
    assert all(move == moves[place] for move, place in found.values())
    assert most < 500_000


async def test_a_finished_game_counts_at_once_with_its_result(service: Service) -> None:
    match = await move(service, await begin(service), random.Random(1), 4)
    assert not await stored(service)
    await end(service, match)
    for every in (False, True):
        [first] = await at_start(service, every=every)
        assert (first.games, first.points) == (1, (WHOLE_POINT, 0, 0))
        assert await latest_games(service.store.reader, GUILD, START.number, 10, every=every) == [
            (match.id, first.name)
        ]


async def test_a_move_made_again_in_the_same_position_counts_once(service: Service) -> None:
    match = await begin(service)
    for _ in range(2):
        for start, to in (("C6", "C5"), ("J11", "J12"), ("C5", "C6"), ("J12", "J11")):
            cells = [match.variant.board.find_cell(name) for name in (start, to)]
            [chosen] = [one for one in legal_moves(match.started_game.position) if list(one.path) == cells]
            assert match.to_move is not None
            match = await service.play_move(match.id, GUILD, match.to_move, chosen, NOW + 1, match.board_version)
    await end(service, match)
    [first] = await at_start(service)
    assert first.games == 1
    assert len(await stored(service)) == 4


async def test_games_with_house_players_count_among_all_games_only(service: Service) -> None:
    match = await end(service, await move(service, await begin(service), random.Random(1), 2))
    with_house = replace(match, casual=True)
    assert {row[4] for row in opening_rows(match)} == {1}
    assert {row[4] for row in opening_rows(with_house)} == {0}
    async with service.store.write_transaction() as tx:
        await tx.run_sql("UPDATE opening_games SET people = 0")
    assert await at_start(service) == []
    assert len(await at_start(service, every=True)) == 1


async def test_three_players_have_three_numbers_in_turn_order(service: Service) -> None:
    match = await end(service, await move(service, await begin(service, "tri-camelot"), random.Random(1), 5))
    assert [match.players[seat] for seat in match.outcome.winners] == [ADA] if match.outcome else False
    assert [row[5:] for row in opening_rows(match)[:3]] == [(6, 0, 0), (0, 0, 6), (0, 6, 0)]


async def test_whose_games_may_not_be_used_hides_them_at_once(service: Service) -> None:
    await end(service, await move(service, await begin(service), random.Random(2), 3))
    for allowed in (False, True):
        await service.people.change_user_settings(BO, lambda one, on=allowed: replace(one, puzzles=on), NOW)
        assert bool(await at_start(service)) is allowed
    await service.part(Privacy).forget_person(BO, NOW + 5)
    assert await at_start(service, every=True) == []


async def test_the_rows_are_those_of_the_games_whatever_happened(service: Service) -> None:
    rng = random.Random(11)
    matches = [await begin(service, rng.choice(["camelot", "tri-camelot"])) for _ in range(8)]
    for number in range(60):
        place = rng.randrange(len(matches))
        match = matches[place]
        act = rng.choice(["move", "move", "end", "reopen", "annul"])
        if act == "move" and match.phase is Phase.LIVE:
            match = await move(service, match, rng, rng.randrange(1, 9))
        elif act == "end" and match.ply and match.phase is Phase.LIVE:
            match = await end(service, match, NOW + 10 + number)
        elif act == "reopen" and match.phase is Phase.OVER and not match.annulled and match.variant.key == "camelot":
            match = await service.act_on_match(
                match.id, GUILD, lambda m, _: refereeing.rewind_match(m, PEOPLE[2], m.ply, "a slip", NOW + 99)
            )
        elif act == "annul" and match.phase is Phase.OVER and not match.annulled and rng.random() < 0.3:
            match = await annul(service, match)
        matches[place] = match
    counted = [match for match in matches if match.phase is Phase.OVER and match.has_result]
    assert counted
    assert await stored(service) == {row for match in counted for row in opening_rows(match)}


async def test_games_that_an_earlier_version_left_are_counted_by_the_tick(service: Service) -> None:
    match = await end(service, await move(service, await begin(service), random.Random(2), 3))
    annulled = await annul(service, await end(service, await move(service, await begin(service), random.Random(2), 3)))
    async with service.store.write_transaction() as tx:
        await tx.run_sql("DELETE FROM opening_games")
        for number in (match.id, annulled.id):
            await tx.run_sql("INSERT INTO opening_due (match) VALUES (?)", (number,))
    await count_earlier_games(service, NOW)
    assert await stored(service) == {*opening_rows(match)}
    assert await service.store.reader.run_sql("SELECT * FROM opening_due") == []


async def test_deleted_matches_count_no_longer(service: Service) -> None:
    await end(service, await move(service, await begin(service), random.Random(2), 3))
    await service.servers.note_removed(GUILD, NOW)
    assert await service.servers.delete_abandoned(NOW + 10**7) == [GUILD]
    assert not await stored(service)
