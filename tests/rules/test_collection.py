"""Files with several records, as text and as lines of JSON."""

from __future__ import annotations

import re
from collections import deque
from contextlib import suppress
from io import StringIO
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules import VARIANTS, Game, Reason, RecordError, format_record, parse_position
from rules.collection import canonical_text, format_line, iter_records, parse_records
from rules.plain_text import clean_text
from tests.rules.collection import CHAMPIONSHIP
from tests.rules.positions import built_positions, random_game, variants, within_armies


def split(text: str) -> list[str]:
    """Each record of the text by itself."""
    return [single for _, single in iter_records(StringIO(text))]


def played(key: str, seed: int = 1) -> Game:
    *_, game = random_game(VARIANTS[key], seed, plies=60)
    return game


def test_records_one_after_another_are_read_with_their_variations_and_line_numbers() -> None:
    game = played("cam-3d")
    text = CHAMPIONSHIP + format_record(game, {"game": "7"}) + "\n\n" + CHAMPIONSHIP
    records = parse_records(text)
    assert [len(record.replay().moves) for record in records] == [23, len(game.moves), 23]
    assert [len(record.variations) for record in records] == [5, 0, 5]
    lines = text.splitlines()
    for record in records:
        first = record.entries[0]
        assert first.move
        assert first.move in lines[first.line - 1]
    assert [parse_records(part)[0].replay() for part in split(text)] == [record.replay() for record in records]


@pytest.mark.parametrize("between", ["", "\n", "# a remark\n"], ids=["nothing", "an empty line", "a remark"])
def test_a_game_without_moves_is_its_own_record_wherever_it_stands(between: str) -> None:
    unplayed, begun = Game.start(VARIANTS["camelot"]), played("cam-3d")
    games = [unplayed, begun, unplayed, unplayed, begun, unplayed]
    text = between.join(format_record(game, {"game": "7"}) for game in games)
    assert [record.replay() for record in parse_records(text)] == games


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ("# variant: camelot\n\n# position: camelot White White:A5,A6 Black:L12,K13\n1. A5-A4", [None]),
        ("# event: one\n# variant: camelot\n\n# event: two\n# variant: chivalry\n", ["one", "two"]),
        ("# event: one\n# variant: camelot\n1. D6-F8\n# event: two\n# variant: chivalry\n", ["one", "two"]),
        ("\n# by hand\n\n# variant: camelot\n\n# event: one\n1. D6-F8\n", ["one"]),
    ],
)
def test_headers_belong_to_the_record_that_their_block_names(text: str, events: list[str | None]) -> None:
    assert [record.headers.get("event") for record in parse_records(text)] == events


def test_a_variation_belongs_to_the_record_above_it_however_it_is_written() -> None:
    text = (
        "# variant: cam\n# variation-by: Ada\n1. B5-A6\n# Variation after 0: 1. C5-C6\n# variation: 1. E5-E6\n"
        "# variant: cam\n1. B5-A6\n"
    )
    first, second = parse_records(text)
    assert [variation.name for variation in first.variations] == ["Variation after 0", "variation"]
    assert first.headers["variation-by"] == "Ada"
    assert not second.variations
    for record in (first, second):
        record.replay()


SIZE = 200_000
"""Length of the texts below in characters."""


def long(words: str) -> str:
    return words * (SIZE // len(words))


@pytest.mark.parametrize(
    "text",
    [
        long("# variant: camelot\n" + 41 * "1. D6-F8\n"),
        "# variant: camelot\n" + long("# key: value\n"),
        long("# variant: cam\n" + 1000 * "# a: b\n"),
        long("# variant: cam\n" + 1000 * "#variation:1.A5\n"),
        long("# variant: cam\n" + 3000 * "1.1." + "\n"),
        long("# variant: cam\n"),
        long('{"variant":"cam"}\n'),
        "# variant: cam\n" + long("x "),
        "# variant: cam\n" + long("x\n"),
        "# variation" + long(" ") + "x",
        "# " + long("a") + ".",
        "# variant: cam\n" + long("1"),
        long("\n"),
        long("{"),
        "# variant: cam\n1. " + long("\\{"),
        '{"variant": "cam", "moves": [' + long('"x",') + '"x"]}',
    ],
    ids=lambda text: repr(text[15:35]),
)
def test_any_text_is_handled_in_time_that_grows_with_its_length(text: str) -> None:
    begun = process_time()
    handle(text[: SIZE // 4])
    quarter = process_time() - begun
    handle(text)
    # Four times the length takes about four times as long; were it to grow with the square, sixteen times.
    assert process_time() - begun - quarter < 8 * quarter + 2


def handle(text: str) -> None:
    with suppress(RecordError):
        deque(iter_records(StringIO(text)), maxlen=0)


def test_what_is_longer_than_any_game_is_refused_as_such() -> None:
    for text in ("# variant: cam\n" + long("x "), "# variant: cam\n" + long("#\n"), 100_001 * '{"variant":"cam"}\n'):
        with pytest.raises(RecordError) as error:
            parse_records(text)
        assert error.value.reason is Reason.TOO_LONG


def test_what_nobody_types_is_not_read() -> None:
    line = r'{"variant": "cam", "players": "\ud800A\u0000da\u202e\u001b[2J", "moves": ["B5-A6\udfff"]}'
    text = "# variant: cam\n# players: \ud800A\0da\u202e\x1b[2J\n1. B5-A6\udfff\n"
    for written in (line, text):
        [(record, kept)] = iter_records(StringIO(written))
        assert (record.headers["players"], record.replay().position.turn) == ("Ada[2J", 1)
        assert clean_text(kept) == kept


def test_a_wrong_move_in_json_is_found_in_its_line() -> None:
    *_, record = parse_records('{"variant": "cam"}\n\n{"variant": "cam", "players": "Ada", "moves": ["A1"]}')
    with pytest.raises(RecordError) as error:
        record.replay()
    assert error.value.line == 3


@st.composite
def games(draw: st.DrawFn) -> Game:
    """A game that has just begun or is in progress, from its variant's start or from another position."""
    if draw(st.booleans()):
        return Game.from_position(within_armies(draw(built_positions())))
    *_, game = random_game(draw(variants), draw(st.integers(0, 9)), plies=draw(st.integers(0, 6)))
    return game


@given(st.lists(games(), min_size=1, max_size=5), st.sampled_from(["", "\n", "\n\n# a remark\n"]))
def test_any_list_of_records_splits_into_itself(listed: list[Game], between: str) -> None:
    records = [format_record(game, {"players": "Ann, Bo"}) for game in listed]
    assert [record.replay() for record in parse_records(between.join(records))] == listed
    assert [parse_records(part)[0].replay() for part in split(between.join(records))] == listed


@pytest.mark.parametrize("key", VARIANTS)
def test_a_json_line_is_read_back_with_headers_leavers_and_skips(key: str) -> None:
    games = [played(key, seed) for seed in range(3)]
    text = "".join(format_line(game, {"players": "Åse, Bø"}) for game in games)
    for game, record in zip(games, parse_records(text), strict=True):
        again = record.replay()
        assert (again.moves, again.position) == (game.moves, game.position)
        assert record.headers["players"] == "Åse, Bø"


def test_a_json_line_keeps_its_position_leavers_and_player_to_move() -> None:
    game = Game.from_position(parse_position("tri-camelot Red Blue:F1 Red:NF3,NE2,G2,F5,D3,H3,C18 Green:J11,J9"))
    game = game.play("C18-D17").play("J11-J13").play("D17-C18").resign(1).play("J13-J11")
    (record,) = parse_records(format_line(game))
    assert record.replay() == game


def canonical(text: str) -> str:
    """The canonical text of the only record."""
    [(record, written)] = iter_records(StringIO(text))
    return canonical_text(record, record.replay(), written)


@given(games(), st.sampled_from(["", "1-0", "White and Black  won"]))
def test_both_written_forms_of_a_game_have_one_text(game: Game, result: str) -> None:
    text = format_record(game, {"players": "Ann, Bo"})
    assert canonical(text) == canonical(format_line(game, {"players": "Ann, Bo"})) == text
    claimed = re.sub("result: .*", f"result: {result}", text)
    assert canonical(claimed).split() == claimed.split()
    assert canonical(canonical(claimed)) == canonical(claimed)


def test_the_canonical_text_keeps_comments_leavers_and_headers() -> None:
    text = "# Event: one\n# variant: Tri-Camelot\n# result: Green won\n1. F7-F9   { Ada: \\{1 }  out:Red ... I12-I10"
    assert canonical(text) == (
        "# variant: tri-camelot\n# event: one\n# result: Green won\n1. F7-F9 { Ada: \\{1 } out:Red ... I12-I10\n"
    )


@pytest.mark.parametrize("words", ["# a remark", "1.", "1. B5-A6 # good", "1. B5-A6 1-0", "# variation: 1. C5-C6"])
def test_a_record_with_more_than_the_canonical_form_holds_is_left_alone(words: str) -> None:
    text = f"# players: Ada, Bo\n# variant: cam\n{words}\n"
    assert (canonical(text) == text) == (words != "1.")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"variant": "camelot", "moves": ["D6-F8"]}\n{"variant": "chess"}', 2),
        ('{"variant": "camelot"}\n{"variant": ', 2),
        ('{"variant": "camelot", "moves": 3}', 1),
        pytest.param('{"variant": "camelot"}\n{"variant": ' + "[" * 100_000, 2, id="nested"),
        ("# variant: camelot\n1. D6-F8\n\n# variant: chess\n1. e4", 4),
    ],
)
def test_what_cannot_be_read_is_named_by_its_line(text: str, line: int) -> None:
    with pytest.raises(RecordError) as error:
        parse_records(text)
    assert error.value.line == line


def test_an_illegal_move_in_the_second_record_is_named_by_its_line() -> None:
    _, second = parse_records("# variant: camelot\n1. D6-F8\n# variant: camelot\n1. D6-zebra")
    with pytest.raises(RecordError) as error:
        second.replay()
    assert error.value.line == 4
