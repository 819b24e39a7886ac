"""Openings: what is counted, when it counts no longer, and who may look."""

from __future__ import annotations

import random
import tracemalloc
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from io import StringIO
from itertools import islice

import pytest

from bot.core import leaving, refereeing
from bot.core.events import Seating
from bot.core.match import Match, Phase
from bot.core.problems import MatchError
from bot.openings.archive_records import import_moves
from bot.openings.index import (
    OPENING_LENGTH,
    WHOLE_POINT,
    GameFilter,
    index_moves,
    index_position,
    kind_of,
    match_moves,
    points_of,
)
from bot.openings.line import find_moves, follow_line, line_of_game
from bot.openings.service import Openings
from bot.play.service import Service
from render import run_steps
from rules import VARIANTS, Cause, Game, Outcome, format_record, iter_moves, legal_moves, some_moves
from rules.symmetry import symmetries
from tests.bench.heaviest import kept
from tests.bot.playing import ADA, BO, CHANNEL, CY, GUILD, NOW, PEOPLE

START = index_position(VARIANTS["camelot"].start_position)
EVERY_ROW = "SELECT guild, position, kind, move, games, first, second, third, last FROM opening_moves"


async def begin(service: Service, variant: str = "camelot", *players: int) -> Match:
    host, *others = players or PEOPLE[: len(VARIANTS[variant].seats)]
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


async def count_all(service: Service) -> None:
    while await service.part(Openings).count_next():
        pass


async def recount(service: Service) -> Counter[tuple[object, ...]]:
    """Returns the moves of all games that count, from the games themselves."""
    counted: Counter[tuple[object, ...]] = Counter()
    for (match_id,) in await service.store.reader.run_sql("SELECT id FROM matches WHERE phase = 'over'"):
        match = await service.current_match(match_id, GUILD)
        people = await service.people.people_of(match.players)
        if match.has_result and all(person.settings.puzzles for person in people.values()):
            for one in match_moves(match):
                counted[GUILD, one.position, kind_of(match), one.move] += 1
    return counted


async def stored(service: Service) -> Counter[tuple[object, ...]]:
    return Counter({row[:4]: row[4] for row in map(tuple, await service.store.reader.run_sql(EVERY_ROW))})


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


def test_a_move_of_both_sides_in_a_mirrored_position_counts_once() -> None:
    variant = VARIANTS["camette"]
    start = variant.start_position
    move = legal_moves(start)[0]
    mirror = next(symmetry for symmetry in symmetries(variant) if symmetry.seats == (1, 0))
    steps = [(start, move), (mirror.turn_position(start), mirror.turn_move(move))]
    (made,) = index_moves(steps, [6, 0])
    assert made.points == (6, 0, 0)


def test_points_of_a_game_are_shared_by_its_winners() -> None:
    two, three = VARIANTS["camelot"], VARIANTS["tri-camelot"]
    assert points_of(two, (1,)) == [0, WHOLE_POINT]
    assert points_of(two, ()) == [3, 3]
    assert points_of(three, ()) == [2, 2, 2]


@pytest.mark.parametrize("key", ["camelot", "tri-camelot"])
def test_a_line_leads_back_to_its_game(key: str) -> None:
    game, rng = Game.start(VARIANTS[key]), random.Random(3)
    while not game.outcome and len(game.moves) < OPENING_LENGTH + 3:
        game = game.apply(rng.choice(legal_moves(game.position)))
    line = line_of_game(key, game.moves)
    reached = run_steps(follow_line(key, line))
    assert reached is not None
    assert [one.outcome for one in reached.moves] == [one.outcome for one in game.moves[:OPENING_LENGTH]]
    assert run_steps(follow_line(key, "ZZ")) is None


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


async def test_a_finished_game_counts_once_with_its_result(service: Service) -> None:
    match = await begin(service)
    match = await move(service, match, random.Random(1), 4)
    await count_all(service)
    assert not await stored(service)
    match = await end(service, match)
    for _ in range(2):
        await count_all(service)
        await service.part(Openings).count_match(match.id)
    [first] = await service.part(Openings).moves_at(GUILD, START, GameFilter())
    assert (first.games, first.shares, first.last) == (1, (1.0, 0.0, 0.0), NOW + 3)
    assert await service.part(Openings).game_with_move(GUILD, START, first, GameFilter()) == match.id
    assert await service.part(Openings).moves_at(GUILD, START, GameFilter("house")) == []
    assert await service.part(Openings).moves_at(GUILD, START, GameFilter(ladder="ladder")) == []
    assert len(await service.part(Openings).moves_at(GUILD, START, GameFilter(), ADA)) == 1
    assert await service.part(Openings).moves_at(GUILD, START, GameFilter(), CY) == []


async def test_a_game_that_ends_while_it_is_looked_at_is_counted(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    await end(service, await move(service, await begin(service), random.Random(1), 4))
    await count_all(service)  # so that no search at the start finds the next one
    match = await move(service, await begin(service), random.Random(2), 4)
    openings = service.part(Openings)
    load_finished = openings._load_finished

    async def load_then_end(match_id: int) -> Match | None:
        loaded = await load_finished(match_id)
        await end(service, match)
        return loaded

    with monkeypatch.context() as slow:
        slow.setattr(openings, "_load_finished", load_then_end)
        await openings.count_match(match.id)
    await count_all(service)
    assert await stored(service) == await recount(service)


async def test_three_players_have_three_numbers_in_turn_order(service: Service) -> None:
    match = await move(service, await begin(service, "tri-camelot"), random.Random(1), 5)
    match = await end(service, match)
    await count_all(service)
    assert [match.players[seat] for seat in match.outcome.winners] == [ADA] if match.outcome else False
    for position, expected in ((match_moves(match)[1], (0, 0, 6)), (match_moves(match)[2], (0, 6, 0))):
        assert position.points == expected


async def test_an_annulled_game_counts_no_longer_at_once(service: Service) -> None:
    match = await end(service, await move(service, await begin(service), random.Random(2), 3))
    await count_all(service)
    assert await stored(service)
    await service.act_on_match(match.id, GUILD, lambda m, _: refereeing.annul_match(m, ADA, "a wager", NOW + 4))
    assert not await stored(service)
    await count_all(service)
    assert not await stored(service)


async def test_who_leaves_the_puzzles_leaves_the_openings(service: Service) -> None:
    await end(service, await move(service, await begin(service), random.Random(2), 3))
    await count_all(service)
    for allowed in (False, True):
        await service.people.change_user_settings(BO, lambda one, on=allowed: replace(one, puzzles=on), NOW)
        await count_all(service)
        assert bool(await stored(service)) is allowed


async def test_games_missed_without_the_feature_are_found_at_the_start(service: Service) -> None:
    await end(service, await move(service, await begin(service), random.Random(2), 3))
    async with service.store.write_transaction() as tx:
        await tx.run_sql("DELETE FROM opening_due")
    await count_all(service)
    assert await stored(service) == await recount(service)


async def test_the_index_equals_a_recount_whatever_happened(service: Service) -> None:
    rng = random.Random(11)
    matches = [await begin(service, rng.choice(["camelot", "tri-camelot"])) for _ in range(8)]
    for number in range(60):
        place = rng.randrange(len(matches))
        match = matches[place]
        act = rng.choice(["move", "end", "reopen", "annul", "out", "count"])
        if act == "move" and match.phase is Phase.LIVE:
            match = await move(service, match, rng, rng.randrange(1, 9))
        elif act == "end" and match.ply and match.phase is Phase.LIVE:
            match = await end(service, match, NOW + 10 + number)
        elif act == "reopen" and match.phase is Phase.OVER and not match.annulled:
            with suppress(MatchError):  # not every game can go on
                match = await service.act_on_match(
                    match.id, GUILD, lambda m, _: refereeing.rewind_match(m, CY, m.ply, "a slip", NOW + 99)
                )
        elif act == "annul" and match.phase is Phase.OVER and not match.annulled and rng.random() < 0.3:
            match = await service.act_on_match(
                match.id, GUILD, lambda m, _: refereeing.annul_match(m, CY, "a wager", NOW + 99)
            )
        elif act == "out":
            out = rng.random() < 0.5
            await service.people.change_user_settings(CY, lambda one, on=out: replace(one, puzzles=on), NOW)
        elif act == "count":
            await service.part(Openings).count_next()
        matches[place] = match
    await count_all(service)
    found = await recount(service)
    assert found
    assert await stored(service) == found
    for row in await service.store.reader.run_sql(EVERY_ROW):
        assert sum(row[5:8]) == WHOLE_POINT * row[4]


async def test_deleted_matches_count_no_longer(service: Service) -> None:
    await end(service, await move(service, await begin(service), random.Random(2), 3))
    await count_all(service)
    await service.servers.note_removed(GUILD, NOW)
    assert await service.servers.delete_abandoned(NOW + 10**7) == [GUILD]
    assert not await stored(service)
    assert await service.store.reader.run_sql("SELECT * FROM opening_games") == []


def test_a_game_with_two_winners_is_exported_and_imported_with_both() -> None:
    game = Game.start(VARIANTS["tri-camelot"])
    for _ in range(3):
        game = game.apply(legal_moves(game.position)[0])
    text = format_record(game.resign(0).end_with(Outcome(Cause.RESIGNATION, (1, 2))))
    assert "# result: Red and Green won\n" in text
    assert [one.points for one in import_moves(text)] == [(0, 3, 3), (3, 3, 0), (3, 0, 3)]


async def test_imported_games_are_a_source_of_their_own(service: Service) -> None:
    text = "# variant: camelot\n# result: Black won\n1. F7-F8 F10-F9\n"
    assert [one.points for one in import_moves(text)] == [(0, 6, 0), (6, 0, 0)]
    await service.archive.import_records(StringIO(text), NOW, None)
    await count_all(service)
    assert await service.part(Openings).moves_at(GUILD, START, GameFilter()) == []
    [first] = await service.part(Openings).moves_at(GUILD, START, GameFilter("archive"))
    assert (first.games, first.shares, first.last) == (1, (0.0, 1.0, 0.0), 0)
    assert await service.part(Openings).game_with_move(GUILD, START, first, GameFilter("archive")) == -1
