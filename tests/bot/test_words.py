"""The words for what happened, in every language, and boards in words."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from itertools import islice
from types import SimpleNamespace
from typing import Any

import discord
import pytest

from bot.core.events import Opening, Seating, Terms
from bot.core.fold import fold_events, replay_match
from bot.core.match import TABLE_LIFETIME_S
from bot.core.problems import MatchError, Problem
from bot.core.table import cancel_table, open_table
from bot.core.time_acts import tick
from bot.discordkit.errors import error_sentence
from bot.discordkit.permissions import CannotPost, Obstacle, Trouble, missing_for
from bot.play.after_acts import COUNTED_PROBLEMS, problem_sentence
from bot.play.announcing.tables import table_text
from bot.play.caller import failure_sentence
from bot.store import Fault, StoreError
from bot.store.connection import Address
from bot.texts import sentences as words
from bot.texts.i18n import LANGUAGES, Language, load_catalogue, text
from bot.texts.sentences import alt_text, game_alt_text, played_sentence, text_board
from render import View
from rules import (
    VARIANTS,
    AmbiguousMove,
    Cause,
    Game,
    GameOver,
    IllegalMove,
    Move,
    NotationError,
    Outcome,
    PieceKind,
    Position,
    Reason,
    RulesError,
    Variant,
    format_move,
    legal_moves,
    parse_move,
    parse_position,
    read_position,
)
from tests.bot.drawn_boards import read_text_board
from tests.bot.playing import by, existing
from tests.examples import AtMost
from tests.sentences import HOLE

LONGEST_MESSAGE = 2000


def mistakes() -> Iterator[RulesError]:
    """One error of each kind that the rules raise."""
    start = VARIANTS["camelot"].start_position
    for reason in Reason:
        if reason in (Reason.UNREADABLE, Reason.NO_SUCH_CELL, Reason.BAD_POSITION):
            yield NotationError(reason, text="Z99")
        elif reason is Reason.TOO_MANY_PIECES:
            yield NotationError(reason, text="Red")
        elif reason is Reason.AMBIGUOUS:
            moves = legal_moves(start)[:20]
            names = [format_move(move, start.variant.board) for move in moves]
            yield AmbiguousMove("d6", moves, names)
            yield AmbiguousMove("d6", moves[:2], names[:2], more=True)
            yield AmbiguousMove("d6", moves[:1], names[:1])
        elif reason is Reason.GAME_OVER:
            yield GameOver()
        else:
            yield IllegalMove(reason, ["E6", "F7", "G8"], [("D6", "E7"), ("C6", "D7")])


def test_every_reason_has_its_sentence(locale: Language) -> None:
    told: dict[str, Reason] = {}
    for error in mistakes():
        said = words.explain_rules_error(locale, error)
        assert not HOLE.search(said), said
        assert len(said) < 600
        told.setdefault(said, error.reason)
    assert set(told.values()) == set(Reason)  # and no two share one


REFUSED = {
    "camelot White White:E6,A5 Black:E7,E9,L12": ["A5-A6", "E6xE8", "E6-E8-E10", "E6xE8xE10xE12"],
    "camelot White White:NE6,E7,A5 Black:E9,L12": ["E6-E8", "E6-E8-E9"],
    "camelot White White:F1,A5 Black:E2,K13": ["A5-A6", "F1-F2", "f1"],
    "camelot White White:F16,A5 Black:L12,K13 castle:2,0": ["F16-G16", "F16-F15"],
    "camelot White White:A4,A5,A6,B3,B4,B5,C2,C4,C6 Black:L12,K13": ["A4"],
    "tri-camelot Blue Blue:J15,F5 Red:E8 Green:G8": ["J15-K16", "F5-F6", "F5-Q9"],
    "cam-3d White White:1C4 Black:3C4,1A6": ["1C4-3C4", "1C4x3C4", "1c4", "3C4-3C5"],
    "chivalry Black White:NN5 Black:N9,NA8": ["N9-N10-N11", "NA8", "N5-N6", "", "-", "x", "@everyone"],
}


@pytest.mark.parametrize("position", REFUSED)
def test_a_refusal_names_what_is_wrong_and_leaves_no_gap(locale: Language, position: str) -> None:
    for typed in REFUSED[position]:
        with pytest.raises(RulesError) as refused:
            parse_move(parse_position(position), typed)
        said = words.explain_rules_error(locale, refused.value)
        assert not HOLE.search(said), (typed, said)
        assert "@everyone" not in said


@pytest.mark.parametrize("key", VARIANTS)
def test_whatever_is_typed_in_a_game_is_refused_without_a_gap(locale: Language, key: str) -> None:
    rng = random.Random(5)
    for *_, game in islice(turns(VARIANTS[key], 5), 0, 60, 6):
        names = game.variant.board.names
        for _ in range(60):
            typed = rng.choice("-x").join(rng.sample(names, rng.choice((1, 2, 2, 3))))
            try:
                parse_move(game.position, typed)
            except RulesError as error:
                said = words.explain_rules_error(locale, error)
                assert not HOLE.search(said), (typed, said)
                assert len(said) <= LONGEST_MESSAGE - 300


NAMED = {
    "user": "HOUSE_PLAYS_ON HOUSE_THINKS OPPONENT_TWICE NOT_A_MEMBER ALREADY_PLAYING TAKEBACK_PENDING"
    " NOT_IN_GAME PAUSE_PENDING",
    "most": "NO_SUCH_SEAT TOO_MANY_HOUSE TOO_MANY_OPPONENTS TOO_MANY_FOLLOWERS TOO_MANY_PLANS TOO_MANY_TREES"
    " TOO_MANY_OPEN BAD_BANK CLOCK_FULL TEXT_TOO_LONG PLAN_TOO_LONG TREE_FULL BAD_SLEEP",
    "until": "NOT_OVERDUE NOT_OVERDUE_LADDER TIME_UP SNOOZED_TOO_LONG PAUSED PAUSE_TOO_LONG",
    "again": "NUDGE_TOO_SOON TOO_OFTEN",
}
"""The only value of these problems."""
VALUES: dict[Problem, dict[str, Any]] = {
    Problem.NO_SUCH_PLY: {"last": 12},
    Problem.NOT_YOUR_TURN: {"next": 1001},
    Problem.BLOCKED: {"user": 1001},
    Problem.NOT_HOST: {"host": 1001},
    Problem.OFFER_TOO_SOON: {"moves": 2},
    Problem.NO_SUCH_ZONE: {"zone": "@everyone"},
    Problem.VACATION_SPENT: {"year": 2026, "left": 3},
    Problem.CHANNEL_NOT_ALLOWED: {"channels": (910, 920)},
    Problem.TOO_MANY_LIVE: {"user": 1001, "most": 30},
    Problem.WHICH_GAME: {"candidates": [SimpleNamespace(id=number) for number in (3, 5, 8)]},
    Problem.OVER_HERE: {"own": []},
    Problem.OTHERS_THREAD: {"players": (1001, 1002), "own": [(8, 55)]},
    **{Problem[problem]: {name: 1001} for name, problems in NAMED.items() for problem in problems.split()},
}
"""The values of each problem, besides the number of the match."""


@pytest.mark.parametrize("kind", COUNTED_PROBLEMS)
def test_a_problem_with_one_thing_is_not_told_as_one_of_many(locale: Language, kind: Problem) -> None:
    one, two = (
        problem_sentence(locale, MatchError(kind, number=7, **{**VALUES[kind], COUNTED_PROBLEMS[kind]: count}))
        for count in (1, 2)
    )
    assert not re.search(r"\b1\b", one)
    assert re.search(r"\b2\b", two)


def test_every_problem_has_its_sentence(locale: Language) -> None:
    told = {}
    for one in Problem:
        said = problem_sentence(locale, MatchError(one, number=7, **VALUES.get(one, {})))
        assert not HOLE.search(said), said
        assert "@everyone" not in said
        told[said] = one
    assert len(told) == len(Problem)


def test_who_types_in_another_games_thread_reads_where_their_own_is(locale: Language) -> None:
    said = problem_sentence(locale, MatchError(Problem.OTHERS_THREAD, number=7, **VALUES[Problem.OTHERS_THREAD]))
    assert all(part in said for part in ("#7", "<@1001>", "<@1002>", "#8 (<#55>)"))


def test_an_expired_table_is_not_told_as_cancelled(locale: Language) -> None:
    table = replay_match(7, open_table(Opening(1, 2, Terms(VARIANTS["camelot"], Seating.RANDOM, False)), 1001, 0))
    cancelled = fold_events(table, cancel_table(table, by(1001, 5)))
    expired = fold_events(table, tick(table, {}, TABLE_LIFETIME_S))
    assert text(locale, "table.cancelled", host="<@1001>") in table_text(locale, cancelled)
    assert text(locale, "table.expired") in table_text(locale, expired)


def test_every_problem_that_may_come_without_a_number_is_told_without_one(locale: Language) -> None:
    for one in (Problem.NO_SUCH_GAME, Problem.NO_GAMES, Problem.OPPONENT_IS_YOU, Problem.OPPONENT_IS_BOT):
        assert not HOLE.search(problem_sentence(locale, MatchError(one)))


@pytest.mark.parametrize("key", VARIANTS)
def test_every_ending_has_its_sentence(locale: Language, key: str) -> None:
    game = Game.start(VARIANTS[key])
    for cause in Cause:
        for winners in ((0,), ()):
            if cause is Cause.CASTLE and not winners:
                continue
            said = words.ending_sentence(locale, game.end_with(Outcome(cause, winners)))
            assert not HOLE.search(said), said
            assert said.endswith(".")


def test_a_steward_left_alone_is_no_player_and_the_game_is_drawn(locale: Language) -> None:
    game = Game.from_position(parse_position("tri-camelot Red Blue:G8 Red:F7 Green:I10 steward:Red"))
    assert words.ending_sentence(locale, game.play("F7xH9xJ11")) == text(locale, "end.nobody-moves")
    stuck = ",".join(cell for cell in VARIANTS["tri-camelot"].board.names if cell not in ("F1", "I18", "K16"))
    game = Game.from_position(read_position(f"tri-camelot Blue Blue:F1 Red:{stuck} Green:I18,K16 steward:Red"))
    assert words.ending_sentence(locale, game) == text(locale, "end.nobody-moves")


def test_a_draw_names_the_count_by_which_it_was_claimed_or_came(locale: Language) -> None:
    game = Game.start(VARIANTS["camelot"])
    here = game.position.repetition_key()
    for cause, counts in ((Cause.REPETITION, (3, 4, 5)), (Cause.QUIET, (50, 61, 75))):
        for count in counts:
            over = game._replace(occurrences={here: count}, quiet_counts=(count, count + 1)).end_with(
                Outcome(cause, ())
            )
            assert re.findall(r"\d+", words.ending_sentence(locale, over)) == [str(count)]


def test_every_obstacle_is_told_with_the_permissions_that_are_missing(locale: Language) -> None:
    everything = missing_for(discord.Permissions.none(), wants_thread=True)
    assert len(everything) >= 5
    for obstacle in Obstacle:
        said = error_sentence(locale, CannotPost(Trouble(obstacle, 910, everything)))
        assert not HOLE.search(existing(said)), existing(said)
    for name in everything:
        assert f"permission.{name}" in load_catalogue(locale)


def test_what_nobody_should_meet_has_no_sentence() -> None:
    assert error_sentence("en", ValueError("?")) is None


@pytest.mark.parametrize(
    ("locale", "said"),
    [
        ("en", "2 pieces: Knight B11; Man C8 | 1 piece: Man F1"),
        ("no", "2 brikker: ridder B11; bonde C8 | 1 brikke: bonde F1"),
    ],
)
def test_a_single_piece_is_told_in_the_singular(locale: Language, said: str) -> None:
    position = parse_position("tri-camelot Blue Blue:NB11,C8 Red:NC14,NG6,I12 Green:F1")
    assert " | ".join(words.pieces_text(locale, position, seat) for seat in (0, 2)) == said


def test_the_words_of_the_rulebook_are_used_for_each_kind_of_move() -> None:
    for position, move, english, norwegian in (
        ("camelot White White:E6,A5 Black:L12,K13", "E6-E7", "moves `E6-E7`.", "trekker `E6-E7`."),
        ("camelot White White:E6,E7 Black:L12,K13", "E6-E8", "canters `E6-E8`.", "hopper `E6-E8`."),
        ("camelot White White:F16,A5 Black:L12,K13", "F16-G16", "makes the castle move", "gjør borgtrekket"),
        (
            "camelot White White:E6,A5 Black:E7,L12",
            "E6xE8",
            "jumps `E6xE8`, capturing one piece.",
            "slår `E6xE8` (én brikke).",
        ),
        (
            "camelot White White:NE6,E7,A5 Black:E9,L12",
            "E6-E8xE10",
            "charges `E6-E8xE10`, capturing one piece.",
            "gjør ridderangrepet `E6-E8xE10` (én brikke).",
        ),
    ):
        before = parse_position(position)
        played = parse_move(before, move)
        assert english in words.played_sentence("en", before, played, "Ada")
        assert norwegian in words.played_sentence("no", before, played, "Ada")


def test_what_somebody_typed_stands_as_it_was_typed_and_does_nothing() -> None:
    said = words.explain_rules_error(
        "en", NotationError(Reason.UNREADABLE, text="@everyone **a** `b`\n# c <@1> " + "z" * 99)
    )
    assert "@everyone" not in said
    assert "\\*\\*a\\*\\*" in said
    assert "\n" not in said
    assert "<@1>" not in said
    assert "zzz…" in said


def test_what_may_be_saved_all_the_same_is_not_told_as_lost(locale: Language) -> None:
    address = Address("postgresql://ada:s3cret@host/games")
    failing, unknown = (
        failure_sentence(locale, StoreError(fault, address), "c0de") for fault in (Fault.NO_ACCESS, Fault.UNKNOWN)
    )
    assert failing != unknown == load_catalogue(locale)["storage.unknown"].format(code="`c0de`")


# Boards in words


LONGEST_GAME = 300

every_variant = pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)


def turns(variant: Variant, seed: int) -> Iterator[tuple[Position | None, Move | None, Game]]:
    """A random game: the position before, the move, and the game after it; the start first."""
    rng, game = random.Random(seed), Game.start(variant)
    yield None, None, game
    while not game.outcome and len(game.moves) < LONGEST_GAME:
        before, move = game.position, rng.choice(legal_moves(game.position))
        game = game.apply(move)
        yield before, move, game


@every_variant
def test_a_board_as_text_says_everything_that_the_position_is(locale: Language, variant: Variant) -> None:
    letters = "".join(text(locale, f"colour.{army.colour}")[0] for army in variant.armies)
    assert len(set(letters)) == len(letters)
    for before, move, game in turns(variant, seed=1):
        position = game.position
        said = text_board(locale, View(position, last_move=move, before=before, to_move=not game.outcome))
        assert read_text_board(said, variant, letters, position.turn) == position
        assert len(said) <= 1800
        if move:
            assert format_move(move, variant.board) in said.splitlines()[0]
            assert all(name in said.splitlines()[0] for name in position.names(move.captures))


@every_variant
def test_a_text_board_of_two_is_turned_to_its_reader(variant: Variant) -> None:
    # The bug: it never was, whatever their setting.
    letters = "".join(army.colour[0] for army in variant.armies)
    said = text_board("en", View(variant.start_position, bottom=1))
    assert (said.split("```\n")[1][:2] == " 1") == (len(variant.seats) == 2)
    assert read_text_board(said, variant, letters, 0) == variant.start_position


@every_variant
def test_no_line_of_a_text_board_is_wider_than_narrow_windows(variant: Variant) -> None:
    diagram = text_board("en", View(variant.start_position)).split("```")[1]
    assert max(map(len, diagram.splitlines())) <= 40


def check_alt_texts(variant: Variant, seed: int) -> None:
    """Each text fits into one message and lists every piece."""
    for before, move, game in turns(variant, seed):
        for locale in LANGUAGES:
            said = game_alt_text(locale, 2**53, game, before, move)
            assert len(said) <= 1024, said
            assert not HOLE.search(said), said
            assert bool(game.outcome and game.outcome.winners) == (" won." in said or " har vunnet." in said)
            if before and move:
                assert format_move(move, variant.board) in said
                assert all(cell in said for cell in before.names(move.captures))
                assert not HOLE.search(played_sentence(locale, before, move, "Ada"))
        said = game_alt_text("en", 1, game, before, move)
        for seat, army in enumerate(variant.armies):
            ((count, listed),) = re.findall(rf"{army.colour}, (\d+|no) pieces?(?:: )?([^.]*)\.", said)
            pieces = [variant.board.names[cell] for cell, piece in game.position.pieces.items() if piece.seat == seat]
            assert sorted(re.findall(r"\d?[A-N]\d+", listed)) == sorted(pieces)
            assert count == str(len(pieces) or "no")


@every_variant
def test_alt_texts_are_never_cut(variant: Variant) -> None:
    for seed in range(2):
        check_alt_texts(variant, seed)


@pytest.mark.long
@pytest.mark.timeout(1800)
@every_variant
def test_alt_texts_are_never_cut_in_sixty_games(variant: Variant, at_most: AtMost) -> None:
    for seed in range(at_most(10, 5)):
        check_alt_texts(variant, seed)


@every_variant
def test_a_whole_army_on_the_longest_names_still_fits(variant: Variant) -> None:
    names = sorted(range(len(variant.board.names)), key=lambda cell: -len(variant.board.names[cell]))
    cells = bytearray(len(variant.board.names))
    for cell, byte in zip(names, filter(None, variant.setup), strict=False):
        cells[cell] = byte
    position = Position(variant, bytes(cells), 0, (0,) * len(variant.armies))
    assert sum(piece.kind is PieceKind.KNIGHT for piece in position.pieces.values()) > 1
    assert len(alt_text("no", 10**12, 10**4, position)) <= 700  # which leaves room for a move of 60 cells
