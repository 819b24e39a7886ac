from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bot.core.clock import VacationCap
from bot.core.events import (
    Opening,
    RecordedTurn,
    Seating,
    format_opening,
    format_outcome,
    format_turn,
    parse_opening,
    parse_outcome,
    parse_turn,
)
from rules import VARIANTS, Cause, Outcome
from tests.bot.playing import CHANNEL, GUILD


@given(
    st.sampled_from(sorted(VARIANTS)),
    st.sampled_from(list(Seating)),
    st.lists(st.integers(min_value=1, max_value=2**63 - 1), max_size=2),
    st.booleans(),
    st.sampled_from([None, "League 1: round 2"]),
    st.none() | st.builds(VacationCap, st.integers(0, 10**7), st.integers(0, 2**40)),
)
def test_what_a_table_was_opened_for_is_read_as_it_was_written(
    key: str, seating: Seating, invited: list[int], thread: bool, title: str | None, cap: VacationCap | None
) -> None:
    opening = Opening(GUILD, CHANNEL, VARIANTS[key], seating, thread, tuple(invited), title=title, vacation_cap=cap)
    assert parse_opening(format_opening(opening)) == opening


@given(st.builds(Outcome, st.sampled_from(Cause), st.lists(st.integers(0, 2)).map(tuple)))
def test_an_outcome_is_read_as_it_was_written(outcome: Outcome) -> None:
    assert parse_outcome(format_outcome(outcome)) == outcome


MOVES = st.builds(
    RecordedTurn,
    st.sampled_from(["F7-F8", "1C3x1A3"]),
    st.integers(0, 3),
    st.none() | st.integers(min_value=0),
    st.booleans(),
    st.just(value=False),
) | st.just(RecordedTurn("F7-F8", 1, 0, planned=True))
LEAVING = st.integers(0, 3).map(lambda passes: RecordedTurn("", passes))


@given(MOVES | LEAVING)
def test_a_turn_is_read_as_it_was_written(turn: RecordedTurn) -> None:
    assert parse_turn(format_turn(turn)) == turn
