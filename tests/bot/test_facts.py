"""The facts of moves, each checked on a position in which anybody can see the fact."""

from __future__ import annotations

import pytest

from bot.review.commands import bad_facts, good_facts
from bot.review.facts import Fact, FactKind, bad_aftermath, facts_of_move
from bot.texts.i18n import LANGUAGES
from rules import Move, Position, format_move, parse_move, parse_position


def told(place: str, move: str) -> dict[FactKind, Fact]:
    position = parse_position(place)
    return {fact.kind: fact for fact in facts_of_move(position, parse_move(position, move))}


def moves_of(position: Position, fact: Fact) -> str:
    assert fact.move is not None
    return format_move(fact.move, position.variant.board)


def test_it_captures_so_many() -> None:
    found = told("camelot White White:NE7,F7,G8 Black:NC11,H9,I11 castle:0,0", "G8xI10xI12")
    assert found[FactKind.CAPTURES].number == 2


def test_it_wins_and_then_nothing_else_matters() -> None:
    place = "tri-camelot Blue Blue:NB15,F3 Red:NI10 Green:NC6"
    assert [
        fact.kind for fact in facts_of_move(parse_position(place), parse_move(parse_position(place), "B15-A16"))
    ] == [FactKind.WINS]


def test_it_enters_a_castle_that_takes_two() -> None:
    found = told("camelot White White:NF15,D6 Black:NC3,D4 castle:0,0", "F15-F16")
    assert FactKind.ENTERS in found
    assert FactKind.WINS not in found


def test_it_stops_a_runner_by_capturing_it() -> None:
    place = "camelot White White:NE3,D4,A9 Black:F2,NJ12 castle:0,0"
    found = told(place, "E3xG1")
    assert found[FactKind.CAPTURES].number == 1
    assert parse_position(place).names([found[FactKind.STOPS].cell or 0]) == ("F2",)


def test_it_lets_the_next_player_win_or_enter_the_castle() -> None:
    position = parse_position("tri-camelot Blue Blue:NE8,F9 Red:J15,I18 Green:NC6")
    found = {fact.kind: fact for fact in facts_of_move(position, parse_move(position, "E8-E10"))}
    assert moves_of(position, found[FactKind.LETS_WIN]) == "J15-K16"
    assert found[FactKind.LETS_WIN].seat == 1
    opened = told("camelot White White:NE7,D6 Black:NF2,D11 castle:0,0", "E7-E8")
    assert opened[FactKind.OPENS].seat == 1


def test_it_loses_a_piece_or_saves_one() -> None:
    place = "camelot White White:NE7,H6 Black:NE9,NK11 castle:0,0"
    assert told(place, "E7-E8")[FactKind.LOSES].number == 1
    saved = told("camelot White White:E8,H6 Black:NE9,E10,NK11 castle:0,0", "E8-D7")
    assert saved[FactKind.SAVES].number == 1


def test_it_threatens_and_comes_nearer() -> None:
    found = told("camelot White White:NF13,D6 Black:NC3,J4 castle:0,0", "F13-F14")
    assert found[FactKind.NEARER].number == 2
    found = told("camelot White White:NF14,D6 Black:NC3,J4 castle:0,0", "F14-F15")
    assert FactKind.THREATENS in found


def test_a_distant_castle_is_no_reason_but_a_threat_to_capture_is() -> None:
    found = told("camelot White White:NE8,F9,D6 Black:NC12,G11 castle:0,0", "D6-D7")
    assert FactKind.NEARER not in found
    found = told("camelot White White:NF7,D6 Black:G9,D12 castle:0,0", "F7-F8")
    assert found[FactKind.HUNTS].number == 1


def test_the_consequence_of_a_move_is_told_with_the_proving_moves() -> None:
    position = parse_position("cam Black White:NC4,NE4,E5,E6,B7 Black:F8,B9,D9,F9,C11")
    played, *line = replayed(position, "F8-G7", "E6-F7", "G7xE7", "E4-E6xE8xC10xC12", "B9-B8")
    comes = bad_aftermath(position, played, line)
    assert comes is not None
    assert (comes.kind, comes.number, comes.line) == (FactKind.COSTS, 2, tuple(line[:3]))
    assert bad_aftermath(position, played, line[:2]) is None  # it has taken one
    position = parse_position("tri-camelot Blue Blue:NE8,F9 Red:J15,I18 Green:NC6")
    played, *line = replayed(position, "F9-F11", "J15-K16")
    comes = bad_aftermath(position, played, line)
    assert comes is not None
    assert (comes.kind, comes.seat, comes.line) == (FactKind.FALLS, 1, tuple(line))
    assert all(bad_facts(locale, position, played, line) for locale in LANGUAGES)


def test_an_even_exchange_costs_nothing() -> None:
    position = parse_position("camelot White White:F8,D6 Black:F9,F11,F12 castle:0,0")
    played, *line = replayed(position, "F8xF10", "F11xF9")
    assert bad_aftermath(position, played, line) is None


def replayed(position: Position, *typed: str) -> list[Move]:
    moves = list[Move]()
    for one in typed:
        moves.append(parse_move(position, one))
        position = position.after_move(moves[-1])
    return moves


@pytest.mark.parametrize("locale", LANGUAGES)
@pytest.mark.parametrize(
    ("place", "move"),
    [
        ("tri-camelot Blue Blue:NE8,F9 Red:J15,I18 Green:NC6", "E8-E10"),
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
