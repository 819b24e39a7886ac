"""The terminal's commands for games: recomputing ratings, exporting and importing records."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.features import FEATURES
from bot.ops import sentences
from bot.play.service import Service
from bot.store import Store
from rules import parse_record
from rules.__main__ import main as rules_main
from rules.plain_text import clean_text
from tests.bot.annotated_games import resigned, share, written
from tests.bot.databases import query, run_sql
from tests.bot.played_ladders import challenged, join, won
from tests.bot.playing import ADA, BO, NOW, by, rename_match, unshuffled
from tests.rules.collection import CHAMPIONSHIP

pytestmark = pytest.mark.sqlite

ELSEWHERE = "100000000000000001"
"""The id of a server without any game."""


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A database with one finished ladder game."""
    path = tmp_path / "roundtable.db"
    monkeypatch.setenv("ROUNDTABLE_DB", str(path))
    monkeypatch.delenv("DISCORD_TOKEN", raising=False)

    async def play() -> None:
        async with Store.open(path) as store:
            service = Service(store, FEATURES, unshuffled)
            await join(service, ADA, BO)
            await won(service, await challenged(service, ADA, BO), ADA, NOW)

    asyncio.run(play())
    return path


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_an_export_is_checked_and_imported_from_what_powershell_makes_of_it(
    form: list[str], database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", *form]) == 0
    printed, path = capsys.readouterr().out, tmp_path / "games.txt"
    assert main(["export", *form, "--output", str(path)]) == 0
    assert capsys.readouterr().out == ""
    assert path.read_text("utf-8") == printed
    assert rules_main(["check", str(path)]) == 0
    assert "12 moves, all legal" in capsys.readouterr().out
    assert main(["export", *form, "--guild", ELSEWHERE]) == 0
    assert capsys.readouterr().out == ""
    path.write_text(printed, encoding="utf-16", newline="\r\n")
    assert main(["import", str(path)]) == 0
    assert "archive: 1." in capsys.readouterr().out


def test_an_export_that_fails_leaves_the_file_of_the_last_one(
    database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games.txt"
    path.write_text("the last export")
    database.write_bytes(b"no database" * 1000)
    assert main(["export", "--output", str(path)]) == 1
    assert path.read_text() == "the last export"


async def entitle(database: Path, title: str) -> None:
    """Gives the game that title."""
    async with Store.open(database) as store:
        await Service(store, FEATURES).change_match(1, lambda match, _: rename_match(match, by(ADA), title, "Final"))


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_one_game_is_exported_alone(database: Path, form: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    later = NOW + 9 * 24 * 3600

    async def play_again() -> None:
        async with Store.open(database) as store:
            service = Service(store, FEATURES, unshuffled)
            await won(service, await challenged(service, BO, ADA, later), ADA, later)

    asyncio.run(play_again())
    assert main(["export", *form]) == 0
    both = capsys.readouterr().out
    assert main(["export", *form, "--game", "2"]) == 0
    alone = capsys.readouterr().out
    assert (both.count(str(BO)), alone.count(str(BO))) == (2, 1)
    assert both.endswith(alone)
    for elsewhere in (["--game", "3"], ["--game", "9" * 18], ["--game", "2", "--guild", ELSEWHERE]):
        assert main(["export", *form, *elsewhere]) == 1
        assert capsys.readouterr() == ("", sentences.NO_GAME.format(number=elsewhere[1]) + "\n")


def test_a_game_without_shared_thoughts_is_no_annotated_one(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "--annotated", "--game", "1"]) == 1
    assert capsys.readouterr() == ("", sentences.NOT_ANNOTATED.format(number=1) + "\n")


def test_shared_thoughts_are_comments_of_an_annotated_export(database: Path, tmp_path: Path) -> None:
    async def write_and_share() -> None:
        async with Store.open(database) as store:
            service = Service(store, FEATURES, unshuffled)
            await share(service, await resigned(service, await written(service)), ADA)

    asyncio.run(write_and_share())
    assert main(["export", "--annotated", "--output", str(path := tmp_path / "games.txt")]) == 0
    assert f"{{{ADA}: why 1}}" in path.read_text("utf-8")
    assert rules_main(["check", str(path)]) == 0


def test_options_of_an_export_that_exclude_each_other_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["export", "--annotated", "--json"])
    printed, said = capsys.readouterr()
    assert printed == ""
    assert said.endswith("--json: not allowed with argument --annotated\n")


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_title_that_the_code_page_lacks_is_exported(database: Path, form: list[str]) -> None:
    asyncio.run(entitle(database, "Żółw ♞"))
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    done = subprocess.run([sys.executable, "-m", "bot", "export", *form], capture_output=True, env=environment)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "Żółw ♞" in done.stdout.decode("utf-8")


def test_ratings_that_somebody_has_touched_are_found_and_put_right(
    database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ratings"]) == 0
    assert "to the last digit" in capsys.readouterr().out
    run_sql(database, f"UPDATE ratings SET mu = mu + 1e-9 WHERE user = {ADA}")
    assert main(["ratings"]) == 1
    assert "ratings: 2 rows differ" in capsys.readouterr().out
    assert main(["ratings", "--rebuild"]) == 0
    assert main(["ratings"]) == 0


def test_the_championship_game_is_imported_and_one_with_a_wrong_move_not(
    database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "elsewhere.txt"
    path.write_text(CHAMPIONSHIP, encoding="utf-8")
    assert main(["import", str(path)]) == 0
    path.write_text(CHAMPIONSHIP + "\n# variant: camelot\n1. D6-D9\n", encoding="utf-8")
    assert main(["import", str(path)]) == 1
    told = capsys.readouterr().err
    assert f"{path}:{len(CHAMPIONSHIP.splitlines()) + 3}: move 1, D6-D9: too far" in told
    [(record,)] = query(database, "SELECT record FROM archive")
    assert "# players: White Dan Troyka, Black Michael Nolan\n" in record


BAD_FILES = {
    "empty": b"",
    "no text": b"\xff\xfe\x00\x01",
    "half a pair in a move": b'{"variant": "camelot", "moves": ["\\udc00A1"]}',
    "a long line": b"# variant: camelot\n1. D6-F8 {" + b"a" * 256_000 + b"}",
    "a long line of JSON": b'{"variant": "camelot", "moves": ["D6-F8"], "event": "' + b"a" * 256_000 + b'"}',
    "a number of 5,000 digits": b'{"variant": "camelot", "moves": [], "game": ' + b"1" * 5000 + b"}",
    "nested without end": b'{"a":' * 100_000,
    "no object": b'{"moves": 3}',
    "one word": b"# variant: camelot\n" + b"a" * 3_000_000,
    "too many words": b"# variant: camelot\n" + b"x " * 3_000_000,
    "too many lines": b"\n" * 3_000_000,
    "more pieces than the armies": b"# position: cam White White:A5,B5,C5,D5,E5,F5 Black:A9",
}


@pytest.mark.parametrize("content", BAD_FILES.values(), ids=BAD_FILES)
def test_a_faulty_file_is_reported_in_one_line_and_nothing_imported(
    content: bytes, database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.txt"
    path.write_bytes(content)
    begun = time.process_time()
    for run, *words in ((main, "import"), (rules_main, "check"), (main, "restore")):
        assert run([*words, str(path)]) == 1  # type: ignore[operator]  # each takes a list of words
        printed, said = capsys.readouterr()
        assert printed == ""
        assert said.count("\n") == 1
        assert str(path) in said
        assert len(said) < len(str(path)) + 200
    assert time.process_time() - begun < 5
    assert query(database, "SELECT * FROM archive") == []


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such files")
def test_what_is_no_plain_file_is_refused_at_once(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(pipe := tmp_path / "pipe")
    before = database.read_bytes()
    for path in (pipe, Path("/dev/zero")):
        for run, *words in ((main, "import"), (rules_main, "check"), (main, "restore")):
            assert run([*words, str(path)]) == 1  # type: ignore[operator]  # each takes a list of words
            printed, said = capsys.readouterr()
            assert (printed, said.count("\n")) == ("", 1)
            assert "Not a plain file" in said
            assert str(path) in said
        with pytest.raises(SystemExit):
            main(["move-to", str(path)])
        assert "must be the name of a file" in capsys.readouterr().err
    assert database.read_bytes() == before
    monkeypatch.setenv("ROUNDTABLE_DB", str(pipe))
    assert main(["export"]) == 2
    assert "ROUNDTABLE_DB must be the name of a file" in capsys.readouterr().err
    monkeypatch.chdir(tmp_path)
    os.mkfifo(".env")
    assert main(["export"]) == 2
    assert ".env cannot be read: Not a plain file." in capsys.readouterr().err


def test_what_a_terminal_would_obey_is_not_imported(database: Path, tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    line = '{"variant": "camelot", "players": "C\\u001b[2J\\u0000y, \\ud800Dee", "moves": ["D6-F8"]}\n'
    text = "# variant: camelot\n# players: A\x1b[2J\0da, \u202eBo\u2066\u009b\n1. D6-F8\0\n"
    for record in (text, line):
        path.write_text(record, encoding="utf-8")
        assert main(["import", str(path)]) == 0
    stored = [record for (record,) in query(database, "SELECT record FROM archive ORDER BY id")]
    assert [parse_record(record).headers["players"] for record in stored] == ["A[2Jda, Bo", "C[2Jy, Dee"]
    assert [*map(clean_text, stored)] == stored


def test_a_file_is_read_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    with path.open("w") as file:
        for number in range(300):
            file.write(f"# variant: camelot\n# game: {number}\n1. D6-F8 {{{'a' * 3900}}}\n")
        file.write("# variant: camelot\n1. D6-F8 " + "a" * 40_000_000)
    tracemalloc.start()
    assert rules_main(["check", str(path)]) == 1
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000_000


def test_a_file_that_is_not_there_is_all_that_is_told_of(
    database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "nosuch.txt"
    assert main(["import", str(missing)]) == 1
    said = capsys.readouterr().err
    assert str(missing) in said
    assert "sandbox" not in said


NO_NUMBERS = ("-5", "1_0", str(1 << 63), "9" * 20)


@pytest.mark.parametrize(
    ("command", "wrong", "said"),
    [
        *(
            (command, ("12", " 100000000000000001", "\u0663" * 18, str(-(10**17))), sentences.NO_NUMBER)
            for command in (["forget"], ["data"], ["export", "--guild"], ["import", "games.txt", "--guild"])
        ),
        (["export", "--game"], ("0", "\u0663", "one", "9" * 19), sentences.NO_GAME_NUMBER),
    ],
)
def test_what_is_no_number_of_anything_is_answered_in_words(
    command: list[str], wrong: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for number in (*NO_NUMBERS, *wrong):
        with pytest.raises(SystemExit) as ended:
            main([*command, number])
        assert ended.value.code == 2
        assert capsys.readouterr().err.endswith(f": {said}\n"), number


@pytest.mark.parametrize("command", [["forget"], ["data"], ["export", "--guild"]])
def test_the_largest_number_is_somebodys(command: list[str], database: Path) -> None:
    assert main([*command, str((1 << 63) - 1)]) == 0
