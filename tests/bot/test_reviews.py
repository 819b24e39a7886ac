"""Reviews and the facts of moves, and what a running game between people closes."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from random import Random
from typing import Any

import pytest

import engine
from bot.core.deadlines import Actor
from bot.core.fold import replay_match
from bot.core.match import Match
from bot.core.problems import Problem
from bot.core.running_positions import (
    MAX_LOSSES,
    OPENING_PLIES,
    PLIES_AROUND,
    RunningGame,
    describe_present,
    number_position,
)
from bot.play.service import Service, games, upkeep
from bot.puzzles.service import PUZZLE_POSTED, attempt_move, posts_due
from bot.review import service as reviews
from bot.review.commands import bad_facts, chances_chart, chances_words, good_facts, review_text, turning_text
from bot.review.facts import Fact, FactKind, bad_aftermath, facts_of_move
from bot.review.service import Review, TurningPoint, _find_aftermath, _think_through, review_match
from bot.texts.i18n import LANGUAGES, plural_text
from bot.texts.sentences import moves_with_emblems
from bot.thoughts.service import annotated_game
from engine.puzzles import Puzzle, format_puzzle
from render import THEMES
from rules import VARIANTS, Game, Move, Position, format_move, legal_moves, parse_move, parse_position
from rules.game import resolve_passes
from rules.symmetry import symmetries
from tests.bot import acts, playing
from tests.bot.beginning import opened, set_up
from tests.bot.databases import change
from tests.bot.playing import ADA, BO, CY, DEE, GUILD, NOW, existing, random_move, refused, started


class Thinker:
    """The engine in this process; counts its questions."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def __call__(self, name: Any, *arguments: Any, **named: Any) -> Any:
        self.asked.append(name)
        if name == "evaluate_chances":
            named["nodes"] = min(named["nodes"], 100)
        else:  # quickly
            arguments = (arguments[0], "easy", *arguments[2:])
        return getattr(engine, name)(*arguments, **named)


async def played(service: Service, key: str = "camette", plies: int = 6, *, over: bool = True) -> Match:
    """A game of so many moves, the last legal ones, then resigned until it is over."""
    match = await set_up(service, started(key))
    for _ in range(plies):
        position = match.started_game.position
        move = format_move(legal_moves(position)[-1], position.variant.board)
        match = await acts.move(service, match.id, GUILD, match.to_move or 0, move, NOW)
    while over and match.is_live:
        match = await acts.resign(service, match.id, GUILD, match.still_in[0], NOW)
    return match


async def test_a_review_is_thought_out_once_and_kept(service: Service) -> None:
    match, ask = await played(service), Thinker()
    assert await reviews.read_stored_review(service.reader, match) is None
    _, first = await review_match(service, match.id, GUILD, ADA, ask)
    assert len(first.chances) == match.ply + 1
    assert all(sum(chances) == pytest.approx(1, abs=0.01) for chances in first.chances)
    asked = len(ask.asked)
    assert asked >= match.ply + 1
    _, again = await review_match(service, match.id, GUILD, BO, ask)
    assert len(ask.asked) == asked
    assert [one.ply for one in again.turnings] == [one.ply for one in first.turnings]
    assert await reviews.read_stored_review(service.reader, match) == again


async def test_no_question_replays_a_game_on_the_event_loop(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    match, threads, apply = await played(service), set[int](), Game.apply_recorded
    service.drop_from_cache(match.id)
    monkeypatch.setattr(Game, "apply_recorded", lambda *how: threads.add(threading.get_ident()) or apply(*how))
    await service.load_match(service.reader, match.id)
    await games.load_match_at(service, match, 1)
    await review_match(service, match.id, GUILD, BO, Thinker())
    await annotated_game(service, match)  # the moves of which the first look replays
    assert [one == threading.get_ident() for one in threads] == [False], "in one thread, beside the event loop"


async def test_the_better_moves_are_legal_and_better(service: Service) -> None:
    match = await played(service, plies=8)
    _, review = await review_match(service, match.id, GUILD, ADA, Thinker())
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
        await review_match(service, live.id, GUILD, ADA, Thinker())
    still = await played(service, plies=0)
    with refused(Problem.NO_MOVES):
        await review_match(service, still.id, GUILD, ADA, Thinker())
    with refused(Problem.NO_SUCH_GAME):
        await review_match(service, still.id, GUILD + 1, ADA, Thinker())


async def test_what_a_referee_takes_back_is_reviewed_again(service: Service) -> None:
    match, ask = await played(service), Thinker()
    await review_match(service, match.id, GUILD, ADA, ask)
    await change(service.store, "UPDATE reviews SET board = board + 1 WHERE match = ?", match.id)
    asked = len(ask.asked)
    await review_match(service, match.id, GUILD, ADA, ask)
    assert len(ask.asked) == 2 * asked


async def test_two_who_ask_at_once_have_it_thought_out_once(service: Service) -> None:

    match, ask = await played(service), Thinker()
    await asyncio.gather(*(review_match(service, match.id, GUILD, user, ask) for user in (ADA, BO)))
    alone = Thinker()
    await _think_through(reviews.positions_of_game(match), list(match.started_game.moves), alone)
    assert ask.asked == alone.asked


async def test_a_review_that_other_rules_have_made_is_computed_again(service: Service) -> None:
    match, ask = await played(service, plies=1), Thinker()
    await review_match(service, match.id, GUILD, ADA, ask)
    for broken in ('{"chances": [], "turnings": []}', '{"chances": 1}', '[[0, "A1-A2", 0, 1]]'):
        await change(service.store, "UPDATE reviews SET review = ? WHERE match = ?", broken, match.id)
        assert await reviews.read_stored_review(service.reader, match) is None
        await review_match(service, match.id, GUILD, ADA, ask)
        assert await reviews.read_stored_review(service.reader, match) is not None


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
    turnings = tuple(TurningPoint(ply, legal_moves(start)[0], 0.2, 0.5) for ply in range(3))
    chart = chances_chart(Game.from_position(start), Review(tuple(chances), turnings), line, THEMES["default"])
    assert chart.turning_points == ((1, 0), (2, 1), (3, 2)), "each disc stands at the turn that its line names"
    assert reviews.with_chance((0.5, 0.3, 0.2), 0, 0.0) == pytest.approx((0, 0.6, 0.4))
    assert reviews.with_chance((1.0, 0.0, 0.0), 0, 0.5) == pytest.approx((0.5, 0.25, 0.25))


class Whole(Thinker):
    """The engine in this process, without a time limit."""

    async def __call__(self, name: Any, *arguments: Any, **named: Any) -> Any:
        return getattr(engine, name)(*arguments, **named)


async def test_the_break_is_found_and_told_by_what_it_cost() -> None:
    """From a game of hard against medium: White gives up a Man, and takes three pieces for it."""
    position = parse_position("cam Black White:NC4,NE4,E5,E6,B7 Black:F8,B9,D9,F9,C11")
    moves = replayed(position, "F8-G7", "E6-F7", "G7xE7", "E4-E6xE8xC10xC12")
    line = positions_after(position, moves)
    review = await _think_through(line, moves, Whole())
    (turning,) = review.turnings
    assert turning.ply == 0
    assert turning.better_chance > 0.3 > 0.1 > turning.played_chance
    assert review.chances[1][0] > 0.9
    for locale in LANGUAGES:
        said = bad_facts(locale, position, moves[0], turning.line)
        assert said == plural_text(locale, "review.fact.costs", 2, line=moves_with_emblems(line[1], moves[1:]))


async def test_a_move_is_not_blamed_for_what_its_mover_did_later() -> None:
    """B6-B4 hangs three pieces; C5-B6 before it does not."""
    position = parse_position("camette Black White:NC2,A4,C3,D3 Black:NC6,B5,C5,D5")
    moves = replayed(position, "C5-B6", "D3-B3", "B6-B4", "C3xA5xC5xE5")
    line = positions_after(position, moves)
    assert moves[2] not in await _find_aftermath(line, moves, 0, Whole())
    assert (await _find_aftermath(line, moves, 2, Whole()))[0] == moves[3]


@pytest.mark.parametrize("key", ["camelot", "tri-camelot"])
async def test_no_move_is_blamed_for_a_resignation_after_it(service: Service, key: str) -> None:
    # The bug: the last board was judged with its loser gone, so their last move seemed to leave them no chance.
    match = await played(service, key, 2)
    last = reviews.positions_of_game(match)[-1]
    assert [seat for seat in last.variant.seats if last.is_playing(seat)] == list(last.variant.seats)
    _, review = await review_match(service, match.id, GUILD, ADA, Thinker())
    assert min(review.chances[-1]) > 0.1


async def test_a_game_that_somebody_has_left_is_reviewed_too(service: Service) -> None:
    for seed in (1, 3):
        match, chance = await set_up(service, started("tri-camelot")), Random(seed)
        while match.is_live and match.ply < 12:
            match = await acts.move(service, match.id, GUILD, match.to_move or 0, random_move(match, chance), NOW)
            if match.ply in (4, 5) and CY in match.still_in:
                match = await service.change_match(match.id, lambda match, _: playing.leave_to_steward(match, CY))
        match = await acts.resign(service, match.id, GUILD, match.to_move or 0, NOW)
        _, review = await review_match(service, match.id, GUILD, 5, Thinker())
        known = await reviews.read_stored_review(service.reader, match)
        assert existing(known).turnings == review.turnings
        for number, turning in enumerate(review.turnings, start=1):
            assert turning_text("en", match, reviews.positions_of_game(match)[turning.ply], number, turning)


async def test_a_review_is_kept_even_if_somebody_left_after_the_move(service: Service) -> None:
    match, chance = await set_up(service, started("tri-camelot")), Random(1)
    while match.ply < 6:
        match = await acts.move(service, match.id, GUILD, match.to_move or 0, random_move(match, chance), NOW)
        if match.ply == 4:
            match = await service.change_match(
                match.id, lambda match, _: playing.leave_to_steward(match, existing(match.to_move))
            )
    line, moves = reviews.positions_of_game(match), match.started_game.moves
    turning = TurningPoint(3, legal_moves(line[3])[0], 0.1, 0.5, await _find_aftermath(line, moves, 3, Thinker()))
    review = Review(tuple((0.2, 0.3, 0.5) for _ in line), (turning,))
    assert reviews.parse_review(reviews.format_review(review, line), line, moves) == review


def test_a_review_is_written_in_a_line_and_read_again() -> None:
    start = VARIANTS["camelot"].start_position
    review = Review(((0.5, 0.5), (0.4, 0.6)), (TurningPoint(0, parse_move(start, "D6-F8"), 0.4, 0.55),))
    moves = [parse_move(start, "D6-F8")]
    line = [start, start.after_move(moves[0])]
    written = reviews.format_review(review, line)
    later = tuple(replayed(line[1], "H11-F9", "E6-E8"))
    followed = review._replace(turnings=tuple(one._replace(line=later) for one in review.turnings))
    assert reviews.parse_review(reviews.format_review(followed, line), line, moves) == followed
    assert "\n" not in written
    assert reviews.parse_review(written, line, moves) == review


async def test_it_has_words_in_every_language(service: Service, locale: str) -> None:
    match = await played(service, "camelot", 2)
    line = reviews.positions_of_game(match)
    turning = TurningPoint(0, parse_move(line[0], "D6-F8"), 0.4, 0.55)
    review = Review(((0.5, 0.5), (0.4, 0.6), (0.3, 0.7)), (turning,))
    said = review_text(locale, match, review, line)
    assert "`D6-F8`" in said
    assert "55" in said
    assert "`D6-F8`" in turning_text(locale, match, line[0], 1, turning)
    assert "60" in chances_words(locale, match.started_game, review)
    numbers = plural_text(locale, "review.numbers", len(review.turnings))
    assert numbers in said
    assert numbers not in review_text(locale, match, review._replace(turnings=()), line)  # there are none to see
    twice = review_text(locale, match, review._replace(turnings=(turning, turning)), line)
    assert plural_text(locale, "review.numbers", 2) in twice
    assert numbers not in twice


# The facts of moves


THREE = "tri-camelot Blue Blue:NE8,F9 Red:J15,I18 Green:NC6"


@pytest.mark.parametrize(
    ("place", "move", "kind", "facts"),
    [
        ("camelot White White:NE7,F7,G8 Black:NC11,H9,I11 castle:0,0", "G8xI10xI12", FactKind.CAPTURES, {"number": 2}),
        ("camelot White White:NF15,D6 Black:NC3,D4 castle:0,0", "F15-F16", FactKind.ENTERS, {}),
        ("camelot White White:NE3,D4,A9 Black:F2,NJ12 castle:0,0", "E3xG1", FactKind.CAPTURES, {"number": 1}),
        ("camelot White White:NE3,D4,A9 Black:F2,NJ12 castle:0,0", "E3xG1", FactKind.STOPS, {"cell": "F2"}),
        (THREE, "E8-E10", FactKind.LETS_WIN, {"seat": 1, "move": "J15-K16"}),
        ("camelot White White:NE7,D6 Black:NF2,D11 castle:0,0", "E7-E8", FactKind.OPENS, {"seat": 1}),
        ("camelot White White:NE7,H6 Black:NE9,NK11 castle:0,0", "E7-E8", FactKind.LOSES, {"number": 1}),
        ("camelot White White:E8,H6 Black:NE9,E10,NK11 castle:0,0", "E8-D7", FactKind.SAVES, {"number": 1}),
        ("camelot White White:NF13,D6 Black:NC3,J4 castle:0,0", "F13-F14", FactKind.NEARER, {"number": 2}),
        ("camelot White White:NF14,D6 Black:NC3,J4 castle:0,0", "F14-F15", FactKind.THREATENS, {}),
        ("camelot White White:NF7,D6 Black:G9,D12 castle:0,0", "F7-F8", FactKind.HUNTS, {"number": 1}),
    ],
)
def test_a_move_has_this_fact(place: str, move: str, kind: FactKind, facts: dict[str, object]) -> None:
    position = parse_position(place)
    fact = told(place, move)[kind]
    names = {
        "cell": None if fact.cell is None else position.names([fact.cell])[0],
        "move": None if fact.move is None else format_move(fact.move, position.variant.board),
    }
    assert {name: names.get(name, getattr(fact, name)) for name in facts} == facts


def test_a_win_stands_alone_and_small_things_are_no_facts() -> None:
    assert [*told("tri-camelot Blue Blue:NB15,F3 Red:NI10 Green:NC6", "B15-A16")] == [FactKind.WINS]
    assert FactKind.WINS not in told("camelot White White:NF15,D6 Black:NC3,D4 castle:0,0", "F15-F16")
    assert FactKind.NEARER not in told("camelot White White:NE8,F9,D6 Black:NC12,G11 castle:0,0", "D6-D7")


def told(place: str, move: str) -> dict[FactKind, Fact]:
    position = parse_position(place)
    return {fact.kind: fact for fact in facts_of_move(position, parse_move(position, move))}


def test_the_consequence_of_a_move_is_told_with_the_proving_moves() -> None:
    position = parse_position("cam Black White:NC4,NE4,E5,E6,B7 Black:F8,B9,D9,F9,C11")
    played, *line = replayed(position, "F8-G7", "E6-F7", "G7xE7", "E4-E6xE8xC10xC12", "B9-B8")
    comes = existing(bad_aftermath(position, played, line))
    assert (comes.kind, comes.number, comes.line) == (FactKind.COSTS, 2, tuple(line[:3]))
    assert bad_aftermath(position, played, line[:2]) is None  # it has taken one
    position = parse_position(THREE)
    played, *line = replayed(position, "F9-F11", "J15-K16")
    comes = existing(bad_aftermath(position, played, line))
    assert (comes.kind, comes.seat, comes.line) == (FactKind.FALLS, 1, tuple(line))
    assert all(bad_facts(locale, position, played, line) for locale in LANGUAGES)


def test_an_even_exchange_costs_nothing() -> None:
    position = parse_position("camelot White White:F8,D6 Black:F9,F11,F12 castle:0,0")
    played, *line = replayed(position, "F8xF10", "F11xF9")
    assert bad_aftermath(position, played, line) is None


def positions_after(position: Position, moves: Sequence[Move]) -> list[Position]:
    """Returns the position, and those after each move."""
    return [*accumulate(moves, lambda before, move: resolve_passes(before.after_move(move))[0], initial=position)]


def replayed(position: Position, *typed: str) -> list[Move]:
    moves = list[Move]()
    for one in typed:
        moves.append(parse_move(position, one))
        position = position.after_move(moves[-1])
    return moves


@pytest.mark.parametrize(
    ("place", "move"),
    [
        (THREE, "E8-E10"),
        ("camelot White White:NE7,F7,G8 Black:NC11,H9,I11 castle:0,0", "G8xI10xI12"),
        ("camelot White White:NF14,D6 Black:NC3,J4 castle:0,0", "F14-F15"),
    ],
)
def test_every_fact_has_its_words(locale: str, place: str, move: str) -> None:
    position = parse_position(place)
    played = parse_move(position, move)
    said = good_facts(locale, position, played) + bad_facts(locale, position, played)
    assert said
    assert "{" not in said


# What a running game closes


LINE = ("D6-D5", "D11-D12", "E6-E5", "E11-E12", "F6-F5", "F11-F12", "G6-G5", "G11-G12", "H6-H5", "H11-H12")
"""Steps of a game of Camelot that can be made in any order, each by its side."""


async def play(service: Service, moves: tuple[str, ...], *, over: bool = False) -> Match:
    """A game of Ada and Bo with those moves, resigned at the end if it is to be over."""
    match = await set_up(service, started("camelot"))
    for move in moves:
        match = await acts.move(service, match.id, GUILD, match.to_move or 0, move, NOW)
    return await resign(service, match) if over else match


async def resign(service: Service, match: Match) -> Match:
    return await acts.resign(service, match.id, GUILD, match.still_in[0], NOW)


def reordered(moves: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the moves with the first and the last of the first player exchanged."""
    last = len(moves) - 1 - (len(moves) - 1) % 2
    return (moves[last], *moves[1:last], moves[0], *moves[last + 1 :])


def puzzle_at(position: Position) -> Puzzle:
    return Puzzle(position, 1, (legal_moves(position)[0],))


async def ask_everything(service: Service, user: int, over: Match) -> list[Problem | None]:
    """Returns how a review of the game, openings at its last position and a puzzle there are refused."""
    position = over.started_game.position
    refusals = await asyncio.gather(
        review_match(service, over.id, GUILD, user, Thinker()),
        service.require_unplayed(service.reader, user, [position]),
        attempt_move(service, Actor(user, NOW, GUILD), 0, puzzle_at(position), legal_moves(position)[0]),
        return_exceptions=True,
    )
    return [one.problem if isinstance(one, BaseException) else None for one in refusals]  # type: ignore[attr-defined]


@pytest.mark.parametrize("plies", [2, 4, 8])
async def test_a_game_played_into_the_next_position_gives_no_advice(service: Service, plies: int) -> None:
    live, over = await play(service, LINE[:plies]), await play(service, reordered(LINE[: plies + 1]), over=True)
    stood = {number_position(before) for before in reviews.positions_of_game(over)[1:]}
    assert number_position(live.started_game.position) not in stood, "the finished game was never there"
    for user in (ADA, BO):
        assert await ask_everything(service, user, over) == [Problem.PLAYED_NOW] * 3
    assert await ask_everything(service, DEE, over) == [None] * 3
    await resign(service, live)
    assert await ask_everything(service, ADA, over) == [None] * 3


async def test_the_very_position_of_a_running_game_is_closed_to_everybody(service: Service) -> None:
    live, over = await play(service, LINE[:8]), await play(service, reordered(LINE[:8]), over=True)
    assert await ask_everything(service, DEE, over) == [Problem.PLAYED_BY_OTHERS] * 3
    await acts.move(service, live.id, GUILD, ADA, LINE[8], NOW)
    assert await ask_everything(service, DEE, over) == [None] * 3
    assert await ask_everything(service, BO, over) == [Problem.PLAYED_NOW] * 3


async def test_a_game_that_comes_there_while_the_engine_thinks_closes_the_review(service: Service) -> None:
    live = await play(service, LINE[:7])
    over = await play(service, (LINE[0], LINE[7], *LINE[2:7], LINE[1]), over=True)

    class PlayingThinker(Thinker):
        async def __call__(self, name: Any, *arguments: Any, **named: Any) -> Any:
            if not self.asked:
                await acts.move(service, live.id, GUILD, BO, LINE[7], NOW)
            return await super().__call__(name, *arguments, **named)

    thinker = PlayingThinker()
    with refused(Problem.PLAYED_BY_OTHERS):
        await review_match(service, over.id, GUILD, DEE, thinker)
    assert thinker.asked


async def test_in_the_opening_nothing_is_closed_to_others(service: Service) -> None:
    await play(service, LINE[:OPENING_PLIES])
    over = await play(service, LINE[:OPENING_PLIES], over=True)
    assert await ask_everything(service, DEE, over) == [None] * 3


async def play_a_bot(service: Service, game: Match, moves: Sequence[str]) -> None:
    for number, move in enumerate(moves):
        if number % 2:
            await acts.house_move(service, game.id, game.players[1], number, move, NOW)
        else:
            await acts.move(service, game.id, GUILD, game.players[0], move, NOW)


async def test_a_game_against_a_bot_goes_on_beside_games_not_begun(service: Service) -> None:
    await set_up(service, started("camette"))
    game = await opened(service, "camette", host=ADA, house_level="easy")
    await play_a_bot(service, game, ["B3-B2", "C5-D6", "B2-D4", "C6-A4", "D3-E3", "A4-C6-E4xC4", "C3xC5xA5", "D5-C5"])


async def test_nobody_plays_a_bot_where_a_running_game_stands(service: Service) -> None:
    await play(service, LINE[:8])
    for user in (ADA, DEE):
        game = await opened(service, host=user, house_level="easy")
        order = reordered(LINE[:8])
        await play_a_bot(service, game, order[:6])
        if user == ADA:
            with refused(Problem.PLAYED_NOW):  # the position after the move is one move away from hers
                await acts.move(service, game.id, GUILD, user, order[6], NOW)
            continue
        await acts.move(service, game.id, GUILD, user, order[6], NOW)
        await acts.house_move(service, game.id, game.players[1], 7, order[7], NOW)
        with refused(Problem.PLAYED_BY_OTHERS):
            await acts.move(service, game.id, GUILD, user, "I6-I5", NOW)


async def test_a_game_against_bots_closes_nothing(service: Service) -> None:
    game = await opened(service, house_level="easy")
    await play_a_bot(service, game, LINE[:8])
    over = await play(service, LINE[:8], over=True)
    assert await ask_everything(service, ADA, over) == [None] * 3
    assert await ask_everything(service, DEE, over) == [None] * 3


async def test_a_solution_waits_for_a_game_that_stands_there(service: Service) -> None:
    live = await play(service, LINE[:8])
    puzzle = puzzle_at(live.started_game.position)
    async with service.store.write_transaction() as tx:
        for day, posted in ((1, PUZZLE_POSTED), (2, 0)):
            await tx.run_sql(
                "INSERT INTO daily_puzzles (guild, day, id, puzzle, posted) VALUES (?, ?, ?, ?, ?)",
                (GUILD, day, puzzle.id, format_puzzle(puzzle), posted),
            )
    assert not any(post.solution for post in await posts_due(service, GUILD))
    await acts.move(service, live.id, GUILD, ADA, LINE[8], NOW)
    assert any(post.solution for post in await posts_due(service, GUILD))


async def test_a_running_game_of_an_earlier_version_is_placed_by_the_tick(service: Service) -> None:
    live, over = await play(service, LINE[:8]), await play(service, reordered(LINE[:8]), over=True)
    await change(
        service.store, "UPDATE matches SET present = NULL, position = NULL, deadline = 0 WHERE id = ?", live.id
    )
    assert await ask_everything(service, ADA, over) == [None] * 3
    await upkeep.tick_matches(service, NOW)
    assert await ask_everything(service, ADA, over) == [Problem.PLAYED_NOW] * 3
    assert await ask_everything(service, DEE, over) == [Problem.PLAYED_BY_OTHERS] * 3


async def test_no_running_game_is_replayed_for_a_question(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        await play(service, LINE[:4])
    far = Game.start(VARIANTS["camelot"])
    for move in LINE[4:]:
        far = far.play(move)
    service._cache.clear()  # type: ignore[attr-defined]

    def replay(*_: object) -> Match:
        raise AssertionError

    monkeypatch.setattr("bot.play.service.matches.replay_match", replay)
    await service.require_unplayed(service.reader, ADA, [far.position])


@pytest.mark.parametrize("key", VARIANTS)
def test_what_is_four_moves_away_is_near_on_a_turned_board(key: str) -> None:
    rng, game = random.Random(key), Game.start(VARIANTS[key])
    line: list[tuple[Game, Move]] = []
    while game.outcome is None and len(line) < 30:
        move = rng.choice(legal_moves(game.position))
        line.append((game, move))
        game = game.apply(move)
    for place, (here, _) in enumerate(line[:-PLIES_AROUND]):
        there = line[place + PLIES_AROUND][0].position
        if here.position.cells.count(0) + MAX_LOSSES < there.cells.count(0):
            continue  # a slaughter
        for symmetry in symmetries(here.variant):
            turned = symmetry.turn_position(there)
            assert number_position(turned) == number_position(there)
            assert near(here.position, turned)
            assert near(turned, here.position)
    if key not in ("camette", "cam"):  # on small boards, counting cells tells little apart
        assert not near(line[0][0].position, line[-1][0].position)


def test_a_small_board_that_no_four_moves_reach_is_not_near() -> None:
    start = VARIANTS["camette"].start_position
    assert not near(start, parse_position("camette Black White:NB3,C3,B5 Black:C5,C6"))


def near(present: Position, asked: Position, plies: int = PLIES_AROUND) -> bool:
    return RunningGame(1, 1, f"{present.turn}:{present.cells.hex()}").is_near([asked], plies)


def test_the_note_of_a_position_is_what_is_compared() -> None:
    match = replay_match(1, started("camelot"))
    position = match.started_game.position
    assert RunningGame(7, 1, describe_present(match)).is_near([position], 0)
    assert number_position(replace(position, castle_moves=(1, 0), out=frozenset({1}))) == number_position(position)
    after = position.after_move(legal_moves(position)[0])
    assert near(position, after, 1)
    assert not near(position, after, 0)
