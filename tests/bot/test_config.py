from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.config import Settings, SettingsError
from tests.bot.unprivileged import permit, unprivileged


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("ROUNDTABLE_") or name == "DISCORD_TOKEN":
            monkeypatch.delenv(name)


def read(folder: Path, text: str = "") -> Settings:
    dotenv = folder / ".env"
    dotenv.write_text(text, encoding="utf-8")
    return Settings.from_environment(dotenv)


def problems(folder: Path, text: str) -> tuple[str, ...]:
    with pytest.raises(SettingsError) as raised:
        read(folder, text)
    return raised.value.problems


def test_a_private_host_names_the_only_servers(tmp_path: Path) -> None:
    text = "ROUNDTABLE_SERVERS=1574158709427273732, 1574158709427273733"
    assert read(tmp_path, text).servers == {1574158709427273732, 1574158709427273733}
    said = "ROUNDTABLE_SERVERS must be the numbers of servers with commas between them."
    assert problems(tmp_path, "ROUNDTABLE_SERVERS=Round Table") == (said,)


@pytest.mark.parametrize(
    ("text", "remarks"),
    [
        ("ROUNDTABLE_SHARDS=six", ["ROUNDTABLE_SHARDS is no setting."]),
        ("ROUNDTABLE_BACKUP=/b", ["ROUNDTABLE_BACKUP is no setting. Do you mean ROUNDTABLE_BACKUPS?"]),
        ("roundtable_db=x.db", ["roundtable_db is no setting. Do you mean ROUNDTABLE_DB?"]),
        ("ROUNDTABLE_COLOUR=red", ["ROUNDTABLE_COLOUR is no setting."]),
        ("ROUNDTABLE_LOG: DEBUG", ["ROUNDTABLE_LOG: is not read. Write ROUNDTABLE_LOG=, then the value."]),
        ("DISCORD_TOKEN: abc", ["DISCORD_TOKEN: is not read. Write DISCORD_TOKEN=, then the value."]),
        ("TOKEN=abc", ["TOKEN is not read as the token. Write DISCORD_TOKEN=, then the token."]),
        ("discord_token=abc", ["discord_token is no setting. Do you mean DISCORD_TOKEN?"]),
        ("DISCORD_TOKEN=abc\nTOKEN=of another program", []),
        ("DISCORD_TOKEN=\n# TOKEN=abc\nTOKENS=3", []),
    ],
)
def test_a_name_that_is_no_setting_is_remarked_on(tmp_path: Path, text: str, remarks: list[str]) -> None:
    assert list(read(tmp_path, text).remarks) == remarks


def test_a_misnamed_file_is_remarked_on(tmp_path: Path) -> None:
    (tmp_path / ".env.txt").write_text("DISCORD_TOKEN=abc")
    remarks = Settings.from_environment(tmp_path / ".env").remarks
    assert remarks == (f"{tmp_path}/.env.txt is not read. Rename it to {tmp_path}/.env.",)


def test_the_sandbox_has_a_database_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    own, real = Path("data/sandbox.db"), Path("data/roundtable.db")
    assert read(tmp_path).database == own
    assert read(tmp_path, "DISCORD_TOKEN=abc").database == real
    Path("data/sandbox").mkdir(parents=True)
    real.touch()
    assert read(tmp_path).database == real, "a sandbox of an earlier version loses its games"
    own.touch()
    assert read(tmp_path).database == own


def test_nothing_need_be_set(tmp_path: Path) -> None:
    expected = Settings(
        token=None,
        database=Path("data/sandbox.db"),
        log_level="INFO",
        sandbox_port=8414,
        sandbox_url=None,
        backups=Path("data/backups"),
        keep_backups=7,
        metrics_port=None,
        metrics_host="127.0.0.1",
        servers=None,
    )
    assert read(tmp_path) == expected
    assert Settings.from_environment(tmp_path / "no such file") == expected


GIVEN = {
    "DISCORD_TOKEN": "abc",
    "ROUNDTABLE_DB": "/d/x.db",
    "ROUNDTABLE_LOG": "debug",
    "ROUNDTABLE_SANDBOX_PORT": "0",
    "ROUNDTABLE_SANDBOX_URL": "",
    "ROUNDTABLE_BACKUPS": "/b",
    "ROUNDTABLE_KEEP_BACKUPS": "0",
    "ROUNDTABLE_METRICS_PORT": "9464",
    "ROUNDTABLE_METRICS_HOST": "0.0.0.0",
    "ROUNDTABLE_REQUIRE_TOKEN": "1",
    "ROUNDTABLE_SERVERS": "157415870942727373",
}
"""Every setting, and below what they come to."""
READ = Settings(
    "abc", Path("/d/x.db"), "DEBUG", 0, None, Path("/b"), 0, 9464, "0.0.0.0", frozenset({157415870942727373})
)


def test_every_setting_can_stand_in_the_file(tmp_path: Path) -> None:
    assert read(tmp_path, "".join(f"{name}={value}\n" for name, value in GIVEN.items())) == READ
    assert read(tmp_path, "ROUNDTABLE_SANDBOX_URL=http://127.0.0.1:99/").sandbox_url == "http://127.0.0.1:99"


def test_the_environment_wins_over_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROUNDTABLE_SANDBOX_PORT", "7")
    assert read(tmp_path, "ROUNDTABLE_SANDBOX_PORT=8").sandbox_port == 7


def test_everything_wrong_is_named_at_once_in_plain_words(tmp_path: Path) -> None:
    text = "ROUNDTABLE_DB=\nROUNDTABLE_LOG=loud\nROUNDTABLE_SANDBOX_PORT=99999\nROUNDTABLE_REQUIRE_TOKEN=perhaps\n"
    text += f"ROUNDTABLE_BACKUPS={tmp_path / '.env'}\nROUNDTABLE_KEEP_BACKUPS=-1\n"
    text += "ROUNDTABLE_METRICS_PORT=http\nROUNDTABLE_METRICS_HOST=here\n"
    assert problems(tmp_path, text + "ROUNDTABLE_SANDBOX_URL=http://example.org:80\n") == (
        "ROUNDTABLE_DB must be the name of a file.",
        "ROUNDTABLE_LOG must be one of DEBUG, INFO, WARNING, ERROR.",
        "ROUNDTABLE_SANDBOX_PORT must be a port number from 0 to 65535.",
        "ROUNDTABLE_SANDBOX_URL must be an address on this machine such as http://127.0.0.1:8414.",
        "ROUNDTABLE_BACKUPS must be the name of a folder.",
        "ROUNDTABLE_KEEP_BACKUPS must be a number from 0 to 9999.",
        "ROUNDTABLE_METRICS_PORT must be a port number from 0 to 65535.",
        "ROUNDTABLE_METRICS_HOST must be an address such as 127.0.0.1.",
        "ROUNDTABLE_REQUIRE_TOKEN must be 1 or 0.",
    )


@pytest.mark.parametrize(
    "text",
    [
        *("postgresql+asyncpg://ada:s3cret@db/games", "POSTGRESQL://ada:s3cret@db/games"),
        *("Postgres:/ada:s3cret@db/games", "postgresql:s3cret", "mysql://ada:s3cret@db/games"),
        *("sqlite:///games.db", "postgresql://ada:s3cret@db", "postgresql://ada:123/s3cret@db/games"),
        *("postgresql://ada:123/4?s3cret@db/games", "postgresql://ada:123/4#s3cret@db/games"),
        *("user=ada password=s3cret host=db", "host=db dbname = games user=ada password=s3cret"),
        *("ada:s3cret@db/games", "//ada:1/s3cret@db/games", "postgresql://ada%3As3cret@db/games"),
        *("postgresql://ada%3as3cret:no@db/games", "postgresql://db/games:s3cret"),
        *("postgresql://db/ada%3As3cret%40db", "data/postgresql/ada:s3cret@db/games", "data/ada%3As3cret@db"),
        "C:/games/ada:s3cret@db",
    ],
)
def test_a_mistyped_address_is_no_file_and_not_said_again(tmp_path: Path, text: str) -> None:
    assert problems(tmp_path, f"ROUNDTABLE_DB={text}") == (
        "ROUNDTABLE_DB must be the name of a file, or an address such as postgresql://user:password@host/database,"
        " whose password has %40 for @, %2F for / and so on.",
    )


def test_a_file_that_is_not_text_is_named_without_quoting_it(tmp_path: Path) -> None:
    wrong = (f"{tmp_path / '.env'} cannot be read: it must be a file of text in UTF-8.",)
    for content in (b"DISCORD_TOKEN=s3cret\xff", "DISCORD_TOKEN=s3cret".encode("utf-16")[:-1]):
        (tmp_path / ".env").write_bytes(content)
        with pytest.raises(SettingsError) as raised:
            Settings.from_environment(tmp_path / ".env")
        assert raised.value.problems == wrong
        assert raised.value.__suppress_context__
    (tmp_path / ".env").unlink()
    (tmp_path / ".env").mkdir()
    with pytest.raises(SettingsError) as raised:
        Settings.from_environment(tmp_path / ".env")
    assert raised.value.problems == (f"{tmp_path / '.env'} cannot be read: Is a directory.",)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_file_that_windows_has_written_is_read(tmp_path: Path, encoding: str) -> None:
    (tmp_path / ".env").write_text("DISCORD_TOKEN=s3cret\r\nROUNDTABLE_KEEP_BACKUPS=3\r\n", encoding)
    settings = Settings.from_environment(tmp_path / ".env")
    assert (settings.token, settings.keep_backups) == ("s3cret", 3)


@pytest.mark.parametrize("command", [[], ["doctor"]])
def test_a_file_that_is_shut_is_a_wrong_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(".env").touch()
    permit([Path(".env")], 0)
    with unprivileged():
        assert main(command) == 2
    assert capsys.readouterr().err == ".env cannot be read: Permission denied.\n"


URL = "ROUNDTABLE_SANDBOX_URL must be an address on this machine"
SERVERS = "ROUNDTABLE_SERVERS must be the numbers of servers with commas between them."
BEFORE_TOKEN = "DISCORD_TOKEN must be the token alone, without "


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        *((f"ROUNDTABLE_SERVERS={text}", SERVERS) for text in (",", " , ,", "','")),
        *(
            (f"ROUNDTABLE_SANDBOX_URL={url}", URL)
            for url in (
                *("127.0.0.1:8414", "https://127.0.0.1:8414", "http://127.0.0.1", "http://127.0.0.1:port"),
                *("http://127.0.0.1:99999", "http://127.0.0.1:80/path", "http://someone@127.0.0.1:80"),
                *("http://127.0.0.1.example.org:80", "http://192.168.0.2:80", "http://[::1"),
            )
        ),
        ("ROUNDTABLE_DB=~nobody-of-that-name/x", "ROUNDTABLE_DB must be the name of a file"),
        ("ROUNDTABLE_BACKUPS=~nobody-of-that-name/x", "ROUNDTABLE_BACKUPS must be the name of a folder"),
        ("ROUNDTABLE_DB=.", "ROUNDTABLE_DB must be the name of a file"),
        ("ROUNDTABLE_REQUIRE_TOKEN=yes", "DISCORD_TOKEN is missing, and ROUNDTABLE_REQUIRE_TOKEN demands it."),
        ("DISCORD_TOKEN=ab\u2013c", f"{BEFORE_TOKEN}EN DASH (U+2013)."),
        ("DISCORD_TOKEN='Bot s3cret'", f"{BEFORE_TOKEN}blanks or a word before it."),
        (
            "DISCORD_TOKEN=abc\nROUNDTABLE_SANDBOX_URL=http://127.0.0.1:8414",
            "ROUNDTABLE_SANDBOX_URL is for running without DISCORD_TOKEN; set only one of them.",
        ),
    ],
)
def test_a_wrong_value_is_named_in_one_sentence(tmp_path: Path, text: str, problem: str) -> None:
    (said,) = problems(tmp_path, text)
    assert said.startswith(problem)


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        *((f"ROUNDTABLE_SERVERS={text}", "servers", None) for text in ("", "   ", "''", "'  '")),
        ("ROUNDTABLE_DB=/d/x.db", "backups", Path("/d/backups")),
        ("DISCORD_TOKEN=\nROUNDTABLE_SANDBOX_URL=  ", "token", None),
        *(
            (f"ROUNDTABLE_DB={path}", "database", Path(path))
            for path in (
                *("/srv/ada@host/x.db", "C:/ada@host/x.db", "/d/postgres/x.db", "postgres.db", "postgresql/12:00.db"),
                *("C:/games/x.db", "/srv/Ada\u2019s/x.db"),
            )
        ),
        ("\ufeffDISCORD_TOKEN=abc", "token", "abc"),
        ("\ufeff# a comment\nDISCORD_TOKEN=abc", "token", "abc"),
    ],
)
def test_a_value_is_read(tmp_path: Path, text: str, name: str, value: object) -> None:
    assert getattr(read(tmp_path, text), name) == value


def test_the_token_is_never_shown(tmp_path: Path) -> None:
    assert "s3cret" not in repr(read(tmp_path, "DISCORD_TOKEN=s3cret"))


SECRETS = (
    "postgresql://ada:123/s3cret@db/games",
    "user=ada password=s3cret host=db",
    f"{'s3cret' * 4}.abcdef.{'x' * 30}",
)


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_in_the_place_of_another_setting_is_not_said_again(tmp_path: Path, secret: str) -> None:
    names = [line.split("=")[0].lstrip("#") for line in Path(".env.example").read_text("utf-8").splitlines()]
    names = [name for name in names if name.startswith("ROUNDTABLE_")]
    assert len(names) >= 10
    for name in names:
        if name in ("ROUNDTABLE_DB", "ROUNDTABLE_BACKUPS") and "." in secret:
            continue  # a file may have any name
        (problem,) = problems(tmp_path, f"{name}='{secret}'")
        assert problem.startswith(f"{name} must be ")
        assert "s3cret" not in problem


@pytest.mark.parametrize("command", ["backup", "restore", "import", "move-to", "doctor", ""])
@pytest.mark.parametrize("secret", SECRETS[:2])
def test_an_address_in_a_command_is_neither_shown_nor_made_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str, secret: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        main([command, secret] if command else [secret])
    said = capsys.readouterr()
    assert "s3cret" not in said.out + said.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("marks", ['"{}"', "'{}'", ' "{}" ', "' {} '"])
def test_a_pair_of_quotation_marks_around_any_setting_is_taken_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, marks: str
) -> None:
    for name, value in GIVEN.items():
        monkeypatch.setenv(name, marks.format(value))  # docker run --env-file leaves them where they are
    assert read(tmp_path) == READ


@pytest.mark.parametrize("sign", ["\u200b", "\u2060", "\ufeff", "\u00ad", "\u202e", "\x1b", "\x7f", "\x9b"])
@pytest.mark.parametrize("text", ["{}abc", "a{}bc", "abc{}"])
@pytest.mark.parametrize("name", ["DISCORD_TOKEN", "ROUNDTABLE_DB", "ROUNDTABLE_BACKUPS", "ROUNDTABLE_LOG"])
def test_what_cannot_be_seen_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, sign: str
) -> None:
    monkeypatch.setenv(name, text.format(sign))
    (problem,) = problems(tmp_path, "")
    assert (
        problem
        == f"{name} must be written without {unicodedata.name(sign, 'a control character')} (U+{ord(sign):04X})."
    )
