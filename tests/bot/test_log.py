from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import structlog

from bot.log import REDACTED, redact_secrets, set_up_logging
from bot.store import Store, StoreError

# The shape of a token, and nobody's.
SHAPED = ".".join(("MTIzNDU2Nzg5MDEyMzQ1Njc4", "GabcdE", "x" * 38))
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("token", [SHAPED, "not in the usual shape"])
def test_the_token_is_in_no_line_from_any_logger(token: str, capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logging("DEBUG", token)
    log = structlog.get_logger("test")
    log.info("event " + token, value=token, nested={"headers": [f"Bot {token}"]})
    for name in ("discord.client", "discord.http", "asyncio", "somebody"):
        logging.getLogger(name).error("sent %s", token)
    try:
        try:
            raise ValueError(f"inner {token}")
        except ValueError as inner:
            raise RuntimeError(f"outer {token}") from inner
    except RuntimeError:
        log.exception("failed")
        logging.getLogger("discord.ext.tasks").exception("failed too")
    printed = capsys.readouterr().err
    assert token not in printed
    assert printed.count(REDACTED) >= 11
    assert printed.count("outer") >= 2


def test_strings_like_tokens_or_reply_rights_are_hidden_even_if_foreign() -> None:
    assert redact_secrets(f"Authorization: Bot {SHAPED}") == f"Authorization: Bot {REDACTED}"
    address = "https://discord.com/api/v10/webhooks/123/aW50ZXJhY3Rpb24.x_y-z/messages/@original"
    assert redact_secrets(address) == f"https://discord.com/api/v10/webhooks/123/{REDACTED}/messages/@original"
    assert redact_secrets("POST /interactions/12/abc/callback") == f"POST /interactions/12/{REDACTED}/callback"
    harmless = "database.db is version 2.7.1; see https://discord.com/developers/applications"
    assert redact_secrets(harmless) == harmless


@pytest.mark.parametrize("terminal", [False, True])
def test_a_crash_prints_neither_the_token_nor_parts_of_it(tmp_path: Path, terminal: bool) -> None:
    """The installed packages rich and better-exceptions must not print tracebacks of their own."""
    begin = SHAPED[:20]
    (tmp_path / "better_exceptions.py").write_text(f"def format_exception(*_): return ['token = {begin}…']\n")
    script = (
        f"import sys; sys.stderr.isatty = lambda: {terminal}\n"
        f"from bot.log import set_up_logging\nset_up_logging('INFO', {SHAPED!r})\nraise SystemError({SHAPED!r})"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    ended = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    assert "SystemError" in ended.stderr
    assert begin not in ended.stderr + ended.stdout
    assert REDACTED in ended.stderr


async def test_lines_of_one_task_do_not_carry_what_another_has_bound(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logging("INFO")

    async def work(number: int) -> None:
        structlog.contextvars.bind_contextvars(interaction=number)
        await asyncio.sleep(0)
        structlog.get_logger().info("ours", work=f"work-{number}")
        logging.getLogger("discord.somewhere").info("theirs work-%d", number)

    await asyncio.gather(*(asyncio.create_task(work(number)) for number in range(3)))
    structlog.get_logger().info("outside")
    lines = capsys.readouterr().err.splitlines()
    for number in range(3):
        of_this = [line for line in lines if f"work-{number}" in line]
        assert [f"interaction={number}" in line for line in of_this] == [True, True]
    assert "interaction" not in lines[-1]


async def test_a_mistake_in_sql_is_told_with_its_traceback_on_either_engine(
    either: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    set_up_logging("INFO")
    with pytest.raises(Exception, match="nowhere") as raised:
        await either.reader.run_sql("SELECT 1 FROM nowhere")
    structlog.get_logger().error("failed", exc_info=raised.value)
    printed = capsys.readouterr().err
    assert "nowhere" in printed
    assert "Traceback" in printed
    assert "bot/store" in printed


@pytest.mark.parametrize("engine", ["path", "address"])
async def test_no_value_of_a_statement_is_logged_at_any_level(
    engine: str, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    set_up_logging("DEBUG")
    logging.getLogger("aiosqlite").setLevel(logging.DEBUG)  # even if a library sets its own level
    log, insert = structlog.get_logger(), "INSERT INTO meta (key, value) VALUES (?, ?)"
    async with Store.open(request.getfixturevalue(engine)) as store:
        connection = store._write_connection
        await connection.run_sql(insert, ("s3cret key", "s3cret words"))
        for wrong in (
            connection.run_sql(insert, ("s3cret key", "s3cret words")),
            connection.run_batch([(insert, ("s3cret key", "s3cret words"))] * 2),
            connection.run_batch([(insert, ("s3cret key", None))]),
            connection.run_sql("SELECT ?::bigint" if engine == "address" else "SELECT json(?)", ("s3cret words",)),
            connection.run_sql("SELECT ?", ("s3cret \ud800",)),
        ):
            with pytest.raises(Exception, match=r".*") as raised:
                async with connection.transaction():
                    await wrong
            log.error("failed", exc_info=raised.value, error=str(raised.value))
    printed = capsys.readouterr().err
    assert printed.count("event=failed") == 5
    assert "s3cret" not in printed
    logging.getLogger("aiosqlite").setLevel(logging.NOTSET)


def test_debug_adds_lines_about_the_connection_and_no_payload(capsys: pytest.CaptureFixture[str]) -> None:
    for level, lines in ("DEBUG", 2), ("INFO", 1), ("WARNING", 0):
        set_up_logging(level)
        for name in ("discord.gateway", "discord.state"):
            logging.getLogger(name).info("connected")
            logging.getLogger(name).debug("payload")
        printed = capsys.readouterr().err
        assert printed.count("connected") == lines
        assert "payload" not in printed


@pytest.mark.sqlite
@pytest.mark.parametrize("terminal", [True, False])
async def test_a_disk_that_fails_is_named_in_a_line(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    async with Store.open(path) as store:
        await store._write_connection.run_sql("PRAGMA busy_timeout = 1")
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreError) as raised:
                await store._write_connection.run_sql("BEGIN IMMEDIATE")
    locked = raised.value
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    set_up_logging("INFO")
    for report in (structlog.get_logger().exception, logging.getLogger("discord.somewhere").exception):
        try:
            raise locked
        except StoreError:
            report("failed")
    structlog.get_logger().error("failed", exc_info=locked)
    structlog.get_logger().error("all is well", exc_info=False)
    printed = capsys.readouterr().err
    assert printed.count("StoreError: no-access: ") == 3
    assert printed.count("database is locked") == 3
    assert "Traceback" not in printed


@pytest.mark.parametrize(
    "said",
    [
        "cannot connect to postgresql://ada:s3cret@db/games",
        "invalid: 'postgresql://ada:123/s3cret@db/games'",
        "postgres://ada:s3@cret@db/games is away",
        "postgresql://ada%3As3cret@db/games is away",
        "user=ada password=s3cret host=db",
        "password = 's3cret and more' host=db",
    ],
)
def test_no_password_of_an_address_gets_through(said: str) -> None:
    shown = redact_secrets(said)
    assert "s3" not in shown
    assert "cret" not in shown
    assert REDACTED in shown
    assert ("db" in shown) == ("db" in said)
