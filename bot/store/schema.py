"""Checks that a database file has exactly the tables and indices that this program creates.

A trigger or a view in a foreign backup would run within our own statements.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import cache

_Entries = dict[tuple[str, str], tuple[str, ...]]
"""Schema entries by type and name: the table of each, and the tokens of the SQL that creates it."""

_TOKEN = re.compile(
    r"""(?P<skipped>\s+|--[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<quoted>"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\])
    |'(?:[^']|'')*'|\w+|.""",
    re.DOTALL | re.VERBOSE,
)
"""A token of SQL. Tokens are compared because ALTER TABLE moves comments and blanks, and puts names in quotes."""

_OF_OTHERS = re.compile(r"sqlite_(sequence|stat\d|autoindex_.*)|_litestream_(seq|lock)")
"""The tables and indices that SQLite itself or Litestream creates."""


def find_schema_difference(base: sqlite3.Connection, scripts: tuple[str, ...]) -> str | None:
    """Returns the first difference from the schema that the migrations create; None if there is none."""
    found, made = _entries(base), _expected_entries(scripts)
    for kind, name in found:
        if (kind, name) not in made:
            return f"unknown {kind} {name!r}"
    for kind, name in made:
        if (kind, name) not in found:
            return f"missing {kind} {name!r}"
        if found[kind, name] != made[kind, name]:
            return f"different {kind} {name!r}"
    return None


def _entries(base: sqlite3.Connection) -> _Entries:
    return {
        (kind, name): (table, *_tokens(sql or ""))
        for kind, name, table, sql in base.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema")
        if kind not in ("table", "index") or not _OF_OTHERS.fullmatch(name)
    }


def _tokens(sql: str) -> Iterator[str]:
    """Yields the tokens of a statement without blanks and comments; quotation marks around plain words are removed."""
    for token in _TOKEN.finditer(sql):
        if token["quoted"] and (word := token[0][1:-1]).isidentifier():
            yield word
        elif not token["skipped"]:
            yield token[0]


@cache
def _expected_entries(scripts: tuple[str, ...]) -> _Entries:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as base:
        for script in scripts:
            for statement in split_statements(script):
                base.execute(statement)
        return _entries(base)


def split_statements(script: str) -> Iterator[str]:
    """Yields the statements one by one, because `executescript` would begin with a commit."""
    statement = ""
    for part in script.split(";"):
        statement += part + ";"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    yield statement.removesuffix(";")  # comments, or an incomplete statement, which SQLite rejects
