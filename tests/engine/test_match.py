"""Matches with rotating seats and their statistics, weights fitted to games, and the command line."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from engine.__main__ import WEIGHTS_FOLDER, main
from engine.cells import CellEvaluation, ValuedPosition, cell_tables_of
from engine.evaluation import evaluation_of, read_weights, weights_of
from engine.levels import HANDICAPS, lacking_cells
from engine.race import chances_from_worth
from engine.solving import solve
from engine.tools import match as matches
from engine.tools.fitting import (
    FIRST_WEIGHTS,
    WEIGHT_SIGNS,
    Sample,
    compare_rows,
    fit_row,
    mean_log_loss,
    refill_tables,
    row_from,
    rows_of,
    weights_from,
)
from rules import VARIANTS, Game, Variant, format_move, parse_position
from rules.__main__ import main as rules_main


def test_a_match_turns_the_seats_and_changes_the_opening() -> None:
    played = list(matches.play_match(VARIANTS["camette"], matches.find_players(("greedy", "random")), 4, 7))
    assert [one.seating for one in played] == [("greedy", "random"), ("random", "greedy")] * 2
    for number, one in enumerate(played):
        opening = matches.kept_openings_of(VARIANTS["camette"])[7 + number // 2].split()
        assert [format_move(move, one.game.variant.board) for move in one.game.moves[: len(opening)]] == opening
        assert one.score_of("greedy") + one.score_of("random") == 1
    assert matches.observe(played[:3], "greedy") == [(played[0].score_of("greedy") + played[1].score_of("greedy")) / 2]


@pytest.mark.parametrize(
    ("key", "names", "weaker"),
    [("camette", ("easy", "below-easy"), "below-easy"), ("tri-camelot", ("above-hard", "easy", "easy"), "easy")],
)
def test_at_a_handicap_the_weaker_seats_lose_their_piece_after_the_opening(
    key: str, names: Sequence[str], weaker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matches, "HANDICAPS", dict.fromkeys(HANDICAPS, "easy"))  # which takes less time than hard
    variant, (handicap,) = VARIANTS[key], HANDICAPS.keys() & {*names}
    played = [*matches.play_match(variant, matches.find_players(names), 10, 200)]
    lacking = lacking_cells(variant, handicap)
    openings = [matches.play_opening(variant, number, lacking) for number in range(200, 220)]
    usable = [(game.position, cells) for game, cells in openings if len(cells) == len(names)]
    assert len(usable) < len(openings), "of which some capture one of those pieces"
    assert len(played) == 10
    for number, (seating, game) in enumerate(played):
        before, cells = usable[number // len(names)]
        assert {piece.seat: cell for cell, piece in before.pieces.items() if cell in cells.values()} == cells
        lost = [cells[seat] for seat in variant.seats if seating[seat] == weaker]
        assert before.pieces.keys() - game.origin.pieces.keys() == {*lost}


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
def test_kept_openings_differ_and_nobody_wins_early(variant: Variant) -> None:
    openings = matches.kept_openings_of(variant)
    assert len(openings) == len({*openings}) >= 400
    for opening in openings[::40]:
        game = Game.start(variant)
        for text in opening.split():
            game = game.play(text)
        assert game.outcome is None
        assert not solve(game.position, 1)


def test_a_match_is_decided_when_one_share_is_much_likelier() -> None:
    """Of 1,000 matches with the lower share five in a hundred at most may find the higher one."""
    dice, wrong = random.Random(1), 0
    for _ in range(200):
        scores: list[float] = []
        while not scores or abs(matches.likelihood_ratio(scores, 0.5, 0.65)) < matches.SURE:
            scores.append(sum(dice.random() < 0.5 for _ in range(2)) / 2)
        wrong += matches.likelihood_ratio(scores, 0.5, 0.65) > 0
    assert wrong <= 16
    low, high = matches.interval_of([0.5, 1.0] * 50)
    assert (round(low, 2), round(high, 2)) == (0.7, 0.8)
    assert matches.interval_of([1.0] * 20)[0] < 0.95


def test_a_level_of_a_copy_plays_as_the_same_level_here(capsys: pytest.CaptureFixture[str]) -> None:
    copied = f"easy@{WEIGHTS_FOLDER.parent.parent}"
    here, there = (
        list(matches.play_match(VARIANTS["cam"], matches.find_players((name, "greedy")), 2))
        for name in ("easy", copied)
    )
    assert [one.game.moves for one in here] == [one.game.moves for one in there]
    assert main(["match", "camette", "easy@nowhere", "easy"]) == 1
    assert capsys.readouterr().err == "there is no engine in nowhere.\n"


def test_greedy_captures_most_else_goes_nearest_to_the_castle() -> None:
    position = parse_position("cam White White:C2,D11 Black:A6,G6")
    assert position.variant.board.names[matches.choose_greedily(position, 1, ()).end] in {"C12", "D12", "E12"}


def test_a_fit_finds_the_deciding_feature_and_drops_wrong_signed_ones() -> None:
    dice = random.Random(1)
    samples = []
    for game in range(800):
        row = [float(dice.randint(-3, 3)) for _ in range(7)]
        odds = 1.0 * row[0] + 0.5 * row[1] - 2.0 * row[2]  # the third says that a piece is better off further away
        won = 1 if dice.random() < 1 / (1 + 2.718281828**-odds) else -1
        samples.append(Sample(game, {i: won * x for i, x in enumerate(row)}, 1.0))
    found = fit_row(samples, [0.0] * 7, WEIGHT_SIGNS)
    assert found[2] == 0
    assert found[0] > found[1] > 0.1
    assert row_from(weights_from(found, FIRST_WEIGHTS))[0] == pytest.approx(found[0], abs=0.001)


def test_a_fit_finds_the_tables_by_which_winners_were_drawn() -> None:
    dice, variant = random.Random(1), VARIANTS["tri-camelot"]
    tables = refill_tables(cell_tables_of(variant), (dice.randint(-60, 60) for _ in count()))
    evaluation, known = CellEvaluation(variant, tables), row_from(tables)
    samples = []
    for game in range(4_000):
        cells = bytearray(len(variant.board.names))
        for cell, (man, _) in zip(dice.sample(range(30, 39), 6), variant.piece_codes * 2, strict=True):
            cells[cell] = man
        position = replace(variant.start_position, cells=bytes(cells), turn=dice.choice(variant.seats))
        search = ValuedPosition(position, evaluation)
        (winner,) = dice.choices(variant.seats, chances_from_worth(evaluation.worth_by_seat(search)))
        samples += [Sample(game, row, 0.5) for row in compare_rows(rows_of(search, evaluation), winner)]
    fitted = row_from(weights_from(fit_row(samples[:6_000], [0.0] * len(known), ()), tables))
    nothing, found, best = (mean_log_loss(samples[6_000:], row) for row in ([0.0] * len(known), fitted, known))
    assert best < found < best + 0.02 < nothing - 0.1


@pytest.fixture
def no_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for weights that has none so far."""
    monkeypatch.setattr("engine.evaluation.read_weights", partial(read_weights, folder=tmp_path))
    monkeypatch.setattr("engine.__main__.WEIGHTS_FOLDER", tmp_path)
    weights_of.cache_clear()
    evaluation_of.cache_clear()
    yield tmp_path
    weights_of.cache_clear()
    evaluation_of.cache_clear()


def test_a_variant_without_weights_gets_some_by_running_the_script(
    no_weights: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("engine.tools.fitting.FITTING_NODES", 20)
    monkeypatch.setattr("engine.tools.match.TRIES", 1)
    assert main(["fit", "camette", "--games", "5", "--rounds", "1"]) == 0
    assert set(json.loads((no_weights / "camette.json").read_text())) == set(FIRST_WEIGHTS.__dataclass_fields__)
    assert "log-loss" in capsys.readouterr().out


@pytest.mark.parametrize("key", ["camette", "tri-camelot"])
def test_one_game_is_too_few_to_learn_from_and_leaves_the_weights(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("engine.tools.fitting.FITTING_NODES", 20)
    monkeypatch.setattr("engine.tools.fitting.TABLES_FITTING_NODES", 20)
    monkeypatch.setattr("engine.tools.match.TRIES", 1)
    monkeypatch.setattr("engine.__main__.WEIGHTS_FOLDER", tmp_path)
    assert main(["fit", key, "--games", "1", "--rounds", "1"]) == 0
    written = [*WEIGHTS_FOLDER.glob(f"{key}*.json")]
    assert capsys.readouterr().out.count("too few") == len(written) == len([*tmp_path.iterdir()])
    for file in written:
        assert json.loads((tmp_path / file.name).read_text()) == json.loads(file.read_text())


def test_the_command_line_plays_suggests_and_solves(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "camette", "easy", "random", "--games", "40", "--sprt", "0.5", "0.7"]) == 0
    assert "0.7 is accepted" in capsys.readouterr().out
    assert main(["move", "camette", "--level", "medium"]) == 0
    assert "White" in capsys.readouterr().out
    problem = "camelot White White:NE7,NF16,E3,H6,I6,E8,A10,I14 Black:NC13 castle:0,0"
    assert main(["solve", "3", *problem.split()]) == 0
    assert "I14-H15" in (said := capsys.readouterr().out)
    assert "only first move" in said
    two = "camelot White White:NF16,G15,F15 Black:NC11,E7 castle:0,0"
    assert main(["solve", "1", *two.split()]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "2 first moves win: F15-G16, G15-G16"
    assert main(["solve", "1", "camette"]) == 0
    assert "no forced win" in capsys.readouterr().out
    assert main(["move", "chess"]) == 1
    with pytest.raises(SystemExit):
        main(["match", "camette", "easy"])
    with pytest.raises(SystemExit):
        main(["match", "camette", "above-hard", "hard"])
    assert "has no such handicap" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["match", "camette", "easy", "random", "--games", "9", "--first", "596"])
    assert "suffice for 8 games" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ["match", "camette", "easy", "easy", "--games", "0"],
        ["solve", "-1", "camette"],
        ["puzzles", "find", "camette", "--most", "1"],
    ],
)
def test_a_number_that_makes_no_sense_is_answered_with_the_usage(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(words)
    assert "usage:" in capsys.readouterr().err


def test_of_a_game_that_is_over_no_move_is_suggested(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["move", "cam White White:D13 Black:A5"]) == 1
    assert "is over" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("position", "reason"),
    [
        ("camette White White:NC2,NB2,NA3 Black:C6", "more Knights or more Men of this side than it has at the start"),
        ("camette White White:Z9 Black:C6", "not a position: Z9"),
        ("chess", "not a position: chess"),
    ],
)
@pytest.mark.parametrize("command", [["move"], ["solve", "1"]], ids=" ".join)
def test_a_refused_position_is_explained_as_the_rules_explain_it(
    command: list[str], position: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, *position.split()]) == 1
    said = capsys.readouterr().err
    assert said.startswith(reason)
    assert rules_main(["show", *position.split()]) == 1
    assert capsys.readouterr().err == said
