"""Any text that people or forged clients can send means something or gets a fitting answer, within three seconds."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable
from contextlib import suppress
from io import StringIO
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.draft import Draft, UnfitPathError, list_move_choices, parse_path
from bot.core.problems import MatchError
from bot.core.setting_kinds import find_zone, parse_sleep
from bot.discordkit.components import Components, Family
from bot.features import FEATURES, PLAY
from bot.learn.lessons import LESSONS
from bot.play.after_acts import problem_sentence
from bot.play.context import ComposerState, declared
from bot.play.options import parse_game_number
from bot.play.why import explain_refused_move
from bot.texts.i18n import LANGUAGES
from bot.texts.markup import escape_markup
from rules import (
    VARIANTS,
    Game,
    Position,
    RecordError,
    RulesError,
    find_move_into_castle,
    format_move,
    format_position,
    format_record,
    iter_moves,
    legal_moves,
    parse_move,
    parse_position,
    parse_record,
    suggest_move_texts,
)
from rules.collection import format_line, iter_records
from rules.terminal_words import mistake_in_words
from tests.e2e.answer_checks import NASTY
from tests.examples import examples
from tests.rules.positions import built_positions

WITHIN_S = 3.0
"""Seconds that the answer to one text may take, not counting time that the machine gave to others."""
LONGEST_ANSWER = 1900
"""The most characters of an answer about one text; the rest of a message is for the words around it."""

DECLARING = (PLAY, *FEATURES)
COMPONENTS = Components(declared(DECLARING, Family))
"""Made so that every handler of a component is registered."""

GAMES = tuple(path.read_text("utf-8") for path in sorted((Path(__file__).parent / "e2e" / "games").glob("*.txt")))
FILES = (*GAMES, "".join(format_line(parse_record(game).replay()) for game in GAMES[:2]))


def some_positions() -> list[Position]:
    """Returns positions of all variants: starts, lessons, and some from random games."""
    found = [variant.start_position for variant in VARIANTS.values()]
    found += [one.position for lessons in LESSONS.values() for one in lessons]
    for variant in VARIANTS.values():
        choose, game = random.Random(variant.key).choice, Game.start(variant)
        while len(game.moves) < 40 and not game.outcome:
            game = game.apply(choose(list(islice(iter_moves(game.position), 200))))
            if len(game.moves) % 10 == 0:
                found.append(game.position)
    return found


BOARDS = some_positions()


def read_move(text: str, position: Position = BOARDS[0]) -> bool:
    """Whether the text is a move: legal, and printed as what is read back. Else the refusal fits into an answer."""
    assert all(len(one) <= 100 for one in suggest_move_texts(position, text, 25, 100))
    try:
        move = parse_move(position, text)
    except RulesError as error:
        for locale in LANGUAGES:
            taught = explain_refused_move(locale, position, text, error)
            assert len(taught.words) <= LONGEST_ANSWER
            assert all(len(label) <= 80 for label, _ in taught.links)
            assert calls_nobody(taught.words), taught.words
        return False
    written = format_move(move, position.variant.board)
    assert parse_move(position, written) == move, written
    assert Draft.from_path(position).follow_move(move).is_complete
    return True


def read_position(text: str) -> bool:
    """Whether the text is a position: printed as what is read back, and its moves can be played and written."""
    try:
        position = parse_position(text)
    except RulesError:
        return False
    assert parse_position(format_position(position)) == position
    Game.from_position(position)
    suggest_move_texts(position, "", 25, 100)
    find_move_into_castle(position)
    for move in islice(iter_moves(position), 20):
        assert parse_move(position, format_move(move, position.variant.board)).path[-1] == move.path[-1]
    return True


def read_record(text: str) -> bool:
    """Whether the text is a record: once replayed, it is written as what replays to the same position."""
    try:
        read = parse_record(text)
        game = read.replay()
        for _ in read.replay_variations():
            pass
    except RulesError:
        return False
    assert parse_record(format_record(game)).replay().position == game.position
    return True


def read_records(text: str) -> bool:
    """Whether the text is a file of records, which every database takes. Else there is one line of reasons."""
    try:
        for found, single in iter_records(StringIO(text)):
            found.replay()
            assert "\0" not in single
            assert single.encode("utf-8").decode("utf-8") == single
            parse_record(single).replay()
    except RecordError as error:
        said = mistake_in_words(error)
        assert len(said.splitlines()) == 1
        assert len(said) < LONGEST_ANSWER
        return False
    return True


def read_custom_id(text: str) -> bool:
    """Whether the text is a `custom_id`: written as what is read back; the composer opens at it on every board."""
    found = COMPONENTS.parse_id(text)
    if found is None:
        return False
    assert COMPONENTS.parse_id(found.family.format_id(found.name, found.state)) == found
    if isinstance(found.state, ComposerState) and not found.state.path.startswith("~"):
        path = parse_path(found.state.path)
        for position in BOARDS[: len(VARIANTS)]:
            with suppress(UnfitPathError):
                Draft.from_path(position, path)
                list_move_choices(Game.from_position(position), path, castles=True)
    return True


def read_option(text: str) -> bool:
    """Whether the text means something in an option of a command. Else it gets a sentence."""
    meant = False
    readers: tuple[Callable[[str], object], ...] = (parse_game_number, find_zone, parse_sleep)
    for read in readers:
        try:
            meant |= read(text) is not None
        except MatchError as error:
            for locale in LANGUAGES:
                said = problem_sentence(locale, error)
                assert len(said) <= LONGEST_ANSWER
                assert calls_nobody(said), said
    shown = escape_markup(text)
    assert shown
    assert calls_nobody(shown), shown
    assert "\n" not in shown
    assert len(shown) <= 2 * 2 * 60  # each character after a backslash or before a blank of no width
    return meant


READERS = (read_move, read_position, read_record, read_records, read_custom_id, read_option)


def calls_nobody(said: str) -> bool:
    """Whether that text, sent without limits to its mentions, would mention nobody."""
    return not re.search(r"@(everyone|here)|<@[!&]?\d+>", said)


def read_in_time(read: Callable[..., bool], *parts: object) -> None:
    """Asserts that the reader keeps its promises, in time."""
    begun = time.process_time()
    read(*parts)
    assert time.process_time() - begun < WITHIN_S


cells = st.sampled_from(sorted({name for variant in VARIANTS.values() for name in variant.board.names}))
signs = st.sampled_from(["-", "x", "^", " ", "", "–", "×", "--", "X", ":"])
moves = st.lists(st.tuples(cells, signs), min_size=1, max_size=8).map(lambda legs: "".join(map("".join, legs)))
anything = st.text(max_size=80) | st.sampled_from(NASTY)


@st.composite
def spoilt(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> str:
    """A text that means something, with a piece of it cut out, doubled or replaced."""
    text = draw(texts)
    first, last = sorted((draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))))
    last = min(last, first + 20)
    return text[:first] + draw(st.sampled_from(["", text[first:last] * 2]) | anything | cells) + text[last:]


@examples(4)
@given(st.sampled_from(BOARDS) | built_positions(), moves | anything | spoilt(moves))
def test_any_text_is_a_move_or_gets_a_fitting_reason(position: Position, text: str) -> None:
    read_in_time(read_move, text, position)


@examples(2)
@given(anything | spoilt(st.sampled_from([format_position(one) for one in BOARDS])))
def test_any_text_is_a_position_or_none(text: str) -> None:
    read_in_time(read_position, text)


@examples(0.3)
@given(anything | spoilt(st.sampled_from(GAMES)))
def test_any_text_is_a_record_or_none(text: str) -> None:
    read_in_time(read_record, text)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=8) | moves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
json_lines = st.fixed_dictionaries(
    {"variant": st.sampled_from(sorted(VARIANTS)) | json_values},
    optional={"moves": json_values | st.lists(moves, max_size=3), "players": json_values, "position": json_values},
).map(json.dumps)


@examples(1.5)
@given(anything | spoilt(st.sampled_from(FILES)) | json_lines)
def test_any_text_is_a_record_file_or_gets_one_line_reasons(text: str) -> None:
    read_in_time(read_records, text)


@examples(2)
@given(
    anything | spoilt(st.sampled_from(["rt:join:1:0:-", "rt-press:open:1:2:-:0a1b", "rt-task:leg:camelot:4:-:0a0b"]))
)
def test_any_custom_id_is_one_kinds_or_nobodys(text: str) -> None:
    read_in_time(read_custom_id, text)


@examples(2)
@given(anything | spoilt(st.sampled_from(["#12 Camelot", "Europe/Oslo", "23:00-07:00", "<@123456789012345678>"])))
def test_any_option_is_read_or_refused_in_words_that_call_nobody(text: str) -> None:
    read_in_time(read_option, text)


@pytest.mark.parametrize("text", NASTY)
@pytest.mark.parametrize("read", READERS)
def test_nothing_nasty_breaks_anything_or_takes_long(read: Callable[[str], bool], text: str) -> None:
    read_in_time(read, text)


def test_the_readers_know_what_is_good() -> None:
    assert all(read_move(format_move(legal_moves(one)[0], one.variant.board), one) for one in BOARDS)
    assert all(read_position(format_position(one)) for one in BOARDS)
    assert all(read_record(format_record(parse_record(game).replay())) for game in GAMES)
    assert all(read_records(one) for one in FILES)
    assert read_custom_id("rt:join:1:0:-")
    assert read_custom_id("rt-form:1:2:-:0a")
    assert read_option("Europe/Oslo")
