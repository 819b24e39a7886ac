"""The probes with what Hypothesis makes up: texts out of thin air, and real ones with something wrong."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules import VARIANTS, Position, format_move, format_position, format_record, legal_moves, parse_record
from rules.collection import format_line
from tests.e2e.answers import NASTY
from tests.examples import examples
from tests.fuzz.probes import PROBES, boards, custom_id, notation, option, position_text, record, records
from tests.rules.positions import built_positions

LIMIT = 3.0
"""Seconds that the answer to one text may take."""
GAMES = tuple(path.read_text("utf-8") for path in sorted((Path(__file__).parents[1] / "e2e" / "games").glob("*.txt")))

FILES = (*GAMES, "".join(format_line(parse_record(game).replay()) for game in GAMES[:2]))

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


def quickly(probe: Callable[..., bool], *parts: object) -> None:
    """Asserts that the probe is done in time, not counting time that the machine gave to others."""
    begun = time.process_time()
    probe(*parts)
    assert time.process_time() - begun < LIMIT


@examples(2)
@given(st.sampled_from(boards()), moves | anything | spoilt(moves))
def test_any_text_is_a_move_or_gets_a_fitting_reason(position: Position, text: str) -> None:
    quickly(notation, text, position)


@examples(2)
@given(built_positions(), moves)
def test_also_in_positions_that_no_game_need_reach(position: Position, text: str) -> None:
    quickly(notation, text, position)


@examples(2)
@given(anything | spoilt(st.sampled_from([format_position(one) for one in boards()])))
def test_any_text_is_a_position_or_none(text: str) -> None:
    quickly(position_text, text)


@examples(0.3)
@given(anything | spoilt(st.sampled_from(GAMES)))
def test_any_text_is_a_record_or_none(text: str) -> None:
    quickly(record, text)


@examples(0.5)
@given(anything | spoilt(st.sampled_from(FILES)) | st.from_type(dict).map(str))
def test_any_text_is_a_record_file_or_gets_one_line_reasons(text: str) -> None:
    quickly(records, text)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=8) | moves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


@examples(1)
@given(
    st.fixed_dictionaries(
        {"variant": st.sampled_from(sorted(VARIANTS)) | json_values},
        optional={"moves": json_values | st.lists(moves, max_size=3), "players": json_values, "position": json_values},
    )
)
def test_any_line_of_json_is_a_record_or_gets_one_line_reasons(line: dict[str, object]) -> None:
    quickly(records, json.dumps(line))


@examples(2)
@given(
    anything | spoilt(st.sampled_from(["rt:join:1:0:-", "rt-press:open:1:2:-:0a1b", "rt-task:leg:camelot:4:-:0a0b"]))
)
def test_any_custom_id_is_one_kinds_or_nobodys(text: str) -> None:
    quickly(custom_id, text)


@examples(2)
@given(anything | spoilt(st.sampled_from(["#12 Camelot", "Europe/Oslo", "23:00-07:00", "<@123456789012345678>"])))
def test_any_option_is_read_or_refused_in_words_that_call_nobody(text: str) -> None:
    quickly(option, text)


@pytest.mark.parametrize("text", NASTY)
@pytest.mark.parametrize("probe", PROBES)
def test_nothing_nasty_breaks_anything_or_takes_long(probe: str, text: str) -> None:
    quickly(PROBES[probe], text)


def test_the_probes_know_what_is_good() -> None:
    assert all(notation(format_move(legal_moves(one)[0], one.variant.board), one) for one in boards())
    assert all(position_text(format_position(one)) for one in boards())
    assert all(record(format_record(parse_record(game).replay())) for game in GAMES)
    assert all(records(one) for one in FILES)
    assert custom_id("rt:join:1:0:-")
    assert custom_id("rt-form:1:2:-:0a")
    assert option("Europe/Oslo")
