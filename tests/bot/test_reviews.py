"""Reviews through the service: what they find, that they are stored, and when they are refused."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

import engine
from bot.core import leaving
from bot.core.events import Seating
from bot.core.match import Match
from bot.core.problems import Problem
from bot.features import make_service
from bot.play.service import Service
from bot.review import service as reviews
from bot.review.commands import bad_facts, chances_words, review_text, turning_text
from bot.review.service import Review, Reviews, TurningPoint, _find_aftermath, _think_through
from bot.store import Store
from bot.texts.i18n import LANGUAGES, plural_text
from bot.texts.sentences import moves_with_emblems
from rules import VARIANTS, Game, Move, Position, format_move, legal_moves, parse_move, parse_position
from rules.game import resolve_passes
from rules.symmetry import symmetries
from tests.bot import acts
from tests.bot.playing import ADA, BO, CHANNEL, CY, GUILD, NOW, random_move, refused, started, unshuffled
from tests.bot.reviewing import Thinker, set_up


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with Store.open(tmp_path / "roundtable.db") as store:
        yield make_service(store, unshuffled)


async def played(service: Service, key: str = "camette", plies: int = 6, *, over: bool = True) -> Match:
    """A game of so many moves, the last legal ones, then resigned until it is over."""
    match = await set_up(service, started(key))
    for _ in range(plies):
        position = match.started_game.position
        move = format_move(legal_moves(position)[-1], position.variant.board)
        match = await acts.move(service, match.id, GUILD, match.to_move or 0, move, NOW)
    while over and match.is_live:
        match = await service.act_on_match(
            match.id, GUILD, lambda match, _: leaving.resign(match, match.still_in[0], NOW)
        )
    return match


async def test_a_review_is_thought_out_once_and_kept(service: Service) -> None:
    match, ask = await played(service), Thinker()
    assert await service.part(Reviews).stored_review(match) is None
    _, first = await service.part(Reviews).review_match(match.id, GUILD, ADA, ask)
    assert len(first.chances) == match.ply + 1
    assert all(sum(chances) == pytest.approx(1, abs=0.01) for chances in first.chances)
    asked = len(ask.asked)
    assert asked >= match.ply + 1
    _, again = await service.part(Reviews).review_match(match.id, GUILD, BO, ask)
    assert len(ask.asked) == asked
    assert [one.ply for one in again.turnings] == [one.ply for one in first.turnings]
    assert await service.part(Reviews).stored_review(match) == again


async def test_the_better_moves_are_legal_and_better(service: Service) -> None:
    match = await played(service, plies=8)
    _, review = await service.part(Reviews).review_match(match.id, GUILD, ADA, Thinker())
    line = reviews.positions_of_game(match)
    assert 1 <= len(review.turnings) <= 3
    assert [one.ply for one in review.turnings] == sorted(one.ply for one in review.turnings)
    for turning in review.turnings:
        assert turning.chance_lost >= reviews.MIN_LOSS_SHARE / 2
        assert turning.better.outcome in {move.outcome for move in legal_moves(line[turning.ply])}
        assert turning.better.outcome != match.started_game.moves[turning.ply].outcome


async def test_a_running_game_and_one_without_moves_are_not_reviewed(service: Service) -> None:
    live = await played(service, over=False)
    with refused(Problem.NOT_OVER):
        await service.part(Reviews).review_match(live.id, GUILD, ADA, Thinker())
    still = await played(service, plies=0)
    with refused(Problem.NO_MOVES):
        await service.part(Reviews).review_match(still.id, GUILD, ADA, Thinker())
    with refused(Problem.NO_SUCH_GAME):
        await service.part(Reviews).review_match(still.id, GUILD + 1, ADA, Thinker())


async def test_a_review_waits_while_the_readers_running_game_shares_its_position(service: Service) -> None:
    over, live = await played(service), await played(service, plies=2, over=False)
    for user in (ADA, BO):
        with refused(Problem.PLAYED_NOW, number=live.id):
            await service.part(Reviews).review_match(over.id, GUILD, user, Thinker())
    await service.part(Reviews).review_match(over.id, GUILD, 5, Thinker())
    begun = await played(service, "cam", plies=0, over=False)  # every game has the start in common
    assert begun.is_live
    await service.act_on_match(live.id, GUILD, lambda match, _: leaving.resign(match, ADA, NOW))
    await service.part(Reviews).review_match(over.id, GUILD, ADA, Thinker())


async def test_what_no_eye_tells_apart_is_the_same_position(service: Service) -> None:
    """The number of castle moves used and the leavers do not make a different position."""
    over, live = await played(service), await played(service, plies=2, over=False)
    for changes in ({"castle_moves": (1, 0)}, {"out": frozenset({1})}):
        stands = live.with_fields(game=Game.from_position(replace(live.started_game.position, **changes)))  # type: ignore[arg-type]
        service.cache_match(stands)
        with refused(Problem.PLAYED_NOW, number=live.id):
            await service.part(Reviews).review_match(over.id, GUILD, ADA, Thinker())


@pytest.mark.parametrize("key", VARIANTS)
async def test_a_mirrored_or_turned_board_is_the_same_position(service: Service, key: str) -> None:
    over, live = await played(service, key), await played(service, key, plies=2, over=False)
    for symmetry in symmetries(live.variant):
        turned = symmetry.turn_position(live.started_game.position)
        service.cache_match(live.with_fields(game=Game.from_position(turned)))
        with refused(Problem.PLAYED_NOW, number=live.id):
            await service.part(Reviews).review_match(over.id, GUILD, ADA, Thinker())


async def test_a_game_against_the_house_alone_keeps_no_review_waiting(service: Service) -> None:
    over = await played(service)
    against = await service.open_table(
        *(GUILD, CHANNEL, ADA, "camette", [], Seating.JOIN_ORDER, False, NOW), house="easy"
    )
    await acts.move(service, against.id, GUILD, ADA, format_move(over.started_game.moves[0], over.variant.board), NOW)
    await service.part(Reviews).review_match(over.id, GUILD, ADA, Thinker())


async def test_what_a_referee_takes_back_is_reviewed_again(service: Service) -> None:
    match, ask = await played(service), Thinker()
    await service.part(Reviews).review_match(match.id, GUILD, ADA, ask)
    async with service.store.write_transaction() as tx:
        await tx.run_sql("UPDATE reviews SET board = board + 1 WHERE match = ?", (match.id,))
    asked = len(ask.asked)
    await service.part(Reviews).review_match(match.id, GUILD, ADA, ask)
    assert len(ask.asked) == 2 * asked


async def test_two_who_ask_at_once_have_it_thought_out_once(service: Service) -> None:

    match, ask = await played(service), Thinker()
    await asyncio.gather(*(service.part(Reviews).review_match(match.id, GUILD, user, ask) for user in (ADA, BO)))
    alone = Thinker()
    await _think_through(reviews.positions_of_game(match), list(match.started_game.moves), alone)
    assert ask.asked == alone.asked


@pytest.mark.sqlite
async def test_one_review_is_thought_out_after_the_other(service: Service) -> None:
    matches = [await played(service, "cam", plies=plies) for plies in (2, 4, 6, 8)]
    asked, ask = list[int](), Thinker()
    engine_lock: Any = service.part(Reviews)._engine_lock

    async def review(match: Match, user: int) -> None:
        async def note(name: Any, *arguments: Any, **named: Any) -> Any:
            asked.append(match.id)
            while len(asked) == 1 and len(engine_lock._waiters or ()) < len(matches) - 1:  # noqa: ASYNC110
                await asyncio.sleep(0)  # until all have asked
            return await ask(name, *arguments, **named)

        await service.part(Reviews).review_match(match.id, GUILD, user, note)

    await asyncio.gather(*(review(match, 5) for match in matches[:3]), review(matches[3], 6))
    assert list(dict.fromkeys(asked)) == [match.id for match in matches]
    assert asked == sorted(asked, key=list(dict.fromkeys(asked)).index)


async def test_a_review_that_other_rules_have_made_is_computed_again(service: Service) -> None:
    match, ask = await played(service, plies=1), Thinker()
    await service.part(Reviews).review_match(match.id, GUILD, ADA, ask)
    for broken in ('{"chances": [], "turnings": []}', '{"chances": 1}', '[[0, "A1-A2", 0, 1]]'):
        async with service.store.write_transaction() as tx:
            await tx.run_sql("UPDATE reviews SET review = ? WHERE match = ?", (broken, match.id))
        assert await service.part(Reviews).stored_review(match) is None
        await service.part(Reviews).review_match(match.id, GUILD, ADA, ask)
        assert await service.part(Reviews).stored_review(match) is not None


START = VARIANTS["camelot"].start_position
ALTERNATING = [START, replace(START, turn=1)] * 6


def test_the_worst_moves_by_the_latest_knowledge_are_told_in_order() -> None:
    move = legal_moves(START)[0]
    left = {9: 0.4, 3: 0.2, 5: 0.45, 1: 0.3, 7: 0.35}
    chances = [(1 - left.get(ply - 1, 0.5), left.get(ply - 1, 0.5)) for ply in range(len(ALTERNATING))]
    found = [TurningPoint(ply, move, 0.0, 0.5) for ply in left]
    chosen = reviews.worst_turning_points(found, ALTERNATING, chances)
    assert [(one.ply, one.played_chance) for one in chosen] == [(1, 0.3), (3, 0.2), (7, 0.35)]


def test_a_late_discovery_counts_from_the_move_that_allows_it() -> None:
    judged = [(0.5, 0.5), (0.5, 0.5), (0.1, 0.9), (0.1, 0.9)]  # Black finds what nobody has seen before
    chances = reviews.reconcile_chances(ALTERNATING[:4], judged)
    assert chances == [(0.5, 0.5), pytest.approx((0.1, 0.9)), (0.1, 0.9), (0.1, 0.9)]
    assert reviews.suspect_ply(ALTERNATING[:4], chances, ()) == 0
    assert reviews.suspect_ply(ALTERNATING[:4], chances, {0}) is None


def test_in_games_of_three_a_move_is_judged_until_its_players_next() -> None:
    start = VARIANTS["tri-camelot"].start_position
    line = [replace(start, turn=seat) for seat in (0, 1, 2, 0)]
    chances = [(0.5, 0.3, 0.2), (0.5, 0.3, 0.2), (0.4, 0.3, 0.3), (0.2, 0.5, 0.3)]
    assert [reviews.chance_left_after(line, chances, ply) for ply in range(3)] == [0.2, 0.3, 0.3]
    assert [reviews.lowest_after(line, chances, ply) for ply in range(3)] == [3, 2, 3]
    assert reviews.with_chance((0.5, 0.3, 0.2), 0, 0.0) == pytest.approx((0, 0.6, 0.4))
    assert reviews.with_chance((1.0, 0.0, 0.0), 0, 0.5) == pytest.approx((0.5, 0.25, 0.25))


class Whole(Thinker):
    """The engine in this process, without a time limit."""

    async def __call__(self, name: Any, *arguments: Any, **named: Any) -> Any:
        return getattr(engine, name)(*arguments, **named)


async def test_the_break_is_found_and_told_by_what_it_cost() -> None:
    """From a game of hard against medium: White gives up a Man, and takes three pieces for it."""
    position = parse_position("cam Black White:NC4,NE4,E5,E6,B7 Black:F8,B9,D9,F9,C11")
    line, moves = [position], []
    for typed in ("F8-G7", "E6-F7", "G7xE7", "E4-E6xE8xC10xC12"):
        moves.append(parse_move(line[-1], typed))
        line.append(resolve_passes(line[-1].after_move(moves[-1]))[0])
    review = await _think_through(line, moves, Whole())
    (turning,) = review.turnings
    assert turning.ply == 0
    assert turning.better_chance > 0.3 > 0.1 > turning.played_chance
    assert review.chances[1][0] > 0.9
    for locale in LANGUAGES:
        said = bad_facts(locale, position, moves[0], turning.line)
        assert said == plural_text(locale, "review.fact.costs", 2, line=moves_with_emblems(line[1], moves[1:]))


async def test_a_game_that_somebody_has_left_is_reviewed_too(service: Service) -> None:
    for seed in (1, 3):
        match, chance = await set_up(service, started("tri-camelot")), Random(seed)
        while match.is_live and match.ply < 12:
            match = await acts.move(service, match.id, GUILD, match.to_move or 0, random_move(match, chance), NOW)
            if match.ply in (4, 5) and CY in match.still_in:
                match = await acts.resign(service, match.id, GUILD, CY, NOW, call=False)
        match = await service.act_on_match(
            match.id, GUILD, lambda match, _: leaving.resign(match, match.to_move or 0, NOW)
        )
        _, review = await service.part(Reviews).review_match(match.id, GUILD, 5, Thinker())
        known = await service.part(Reviews).stored_review(match)
        assert known is not None
        assert known.turnings == review.turnings
        for number, turning in enumerate(review.turnings, start=1):
            assert turning_text("en", match, reviews.positions_of_game(match)[turning.ply], number, turning)


async def test_a_review_is_kept_even_if_somebody_left_after_the_move(service: Service) -> None:
    match, chance = await set_up(service, started("tri-camelot")), Random(1)
    while match.ply < 6:
        match = await acts.move(service, match.id, GUILD, match.to_move or 0, random_move(match, chance), NOW)
        if match.ply == 4:
            match = await acts.resign(service, match.id, GUILD, match.to_move or 0, NOW, call=False)
    line, moves = reviews.positions_of_game(match), match.started_game.moves
    turning = TurningPoint(3, legal_moves(line[3])[0], 0.1, 0.5, await _find_aftermath(line, moves, 3, Thinker()))
    review = Review(tuple((0.2, 0.3, 0.5) for _ in line), (turning,))
    assert reviews.parse_review(reviews.format_review(review, line), line, moves) == review


def replace_line(review: Review, position: Position, *typed: str) -> Review:
    line = list[Move]()
    for one in typed:
        line.append(parse_move(position, one))
        position = position.after_move(line[-1])
    return review._replace(turnings=tuple(one._replace(line=tuple(line)) for one in review.turnings))


def test_a_review_is_written_in_a_line_and_read_again() -> None:
    start = VARIANTS["camelot"].start_position
    review = Review(((0.5, 0.5), (0.4, 0.6)), (TurningPoint(0, parse_move(start, "D6-F8"), 0.4, 0.55),))
    moves = [parse_move(start, "D6-F8")]
    line = [start, start.after_move(moves[0])]
    written = reviews.format_review(review, line)
    followed = replace_line(review, line[1], "H11-F9", "E6-E8")
    assert reviews.parse_review(reviews.format_review(followed, line), line, moves) == followed
    assert "\n" not in written
    assert reviews.parse_review(written, line, moves) == review


@pytest.mark.parametrize("locale", LANGUAGES)
async def test_it_has_words_in_every_language(service: Service, locale: str) -> None:
    match = await played(service, "camelot", 2)
    line = reviews.positions_of_game(match)
    turning = TurningPoint(0, parse_move(line[0], "D6-F8"), 0.4, 0.55)
    review = Review(((0.5, 0.5), (0.4, 0.6), (0.3, 0.7)), (turning,))
    said = review_text(locale, match, review, line)
    assert "`D6-F8`" in said
    assert "55" in said
    assert "`D6-F8`" in turning_text(locale, match, line[0], 1, turning)
    assert "60" in chances_words(locale, match.variant, review)
    numbers = plural_text(locale, "review.numbers", len(review.turnings))
    assert numbers in said
    assert numbers not in review_text(locale, match, review._replace(turnings=()), line)  # there are none to see
    twice = review_text(locale, match, review._replace(turnings=(turning, turning)), line)
    assert plural_text(locale, "review.numbers", 2) in twice
    assert numbers not in twice
