"""What no test patches: a constant of the bot, or discord.py's asyncio. Waits are a `Timings`, which is handed in."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.repository import modules

FORBIDDEN = re.compile(r"bot\.([\w.]+\.)?_*[A-Z][A-Z0-9_]+|\w[\w.]*\.asyncio(\.\w+)*")
"""The dotted names that no test may patch: constants of the bot, and asyncio as any module has imported it."""


FORMS = """
from bot import client
monkeypatch.setattr("bot.client.RETRY_S", 1)
monkeypatch.setattr(client, "RETRY_S", 1)
client.NAMES["a"] = "b"
any.asyncio = None
"""
"""How a test may patch; each form is to be found."""


def patched_names(tree: ast.Module) -> Iterator[str]:
    """The dotted names that a module patches, by an assignment or with a function such as `monkeypatch.setattr`."""
    names, nodes = dict[str, str](), [*ast.walk(tree)]
    for node in nodes:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            base = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            names |= {alias.asname or alias.name: base + alias.name for alias in node.names}
    for node in nodes:
        if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            yield dotted_name(node if isinstance(node, ast.Attribute) else node.value, names)
        elif isinstance(node, ast.Call) and node.args:
            owner, *rest = (dotted_name(argument, names) for argument in node.args)
            match dotted_name(node.func, names).rpartition(".")[2]:
                case "setitem" | "delitem":
                    yield owner
                case "setattr" | "delattr" | "patch" | "object":
                    yield owner if isinstance(node.args[0], ast.Constant) else f"{owner}.{''.join(rest[:1])}"


def dotted_name(node: ast.expr, names: dict[str, str]) -> str:
    """The dotted name for which an expression stands, or which it is as a string; empty if there is none."""
    match node:
        case ast.Attribute():
            return f"{dotted_name(node.value, names)}.{node.attr}"
        case ast.Name():
            return names.get(node.id, node.id)
        case ast.Constant(value=str(value)):
            return value
    return ""


def test_no_test_patches_a_constant_of_the_bot() -> None:
    patched = [(path, name) for path, tree in modules("tests") for name in patched_names(tree)]
    assert not [one for one in patched if FORBIDDEN.fullmatch(one[1])]
    assert {*patched_names(ast.parse(FORMS))} == {"bot.client.RETRY_S", "bot.client.NAMES", "any.asyncio"}
