"""The files of this repository, their text and their syntax trees."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def read(path: str) -> str:
    return (ROOT / path).read_text("utf-8")


@cache
def tracked() -> tuple[Path, ...]:
    """Every file of the repository: what git knows or would take, or (in an unpacked archive) what is there."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):
        hidden = {".git", ".venv", "__pycache__", "build", "data"}
        return tuple(p for p in ROOT.rglob("*") if p.is_file() and not hidden & set(p.relative_to(ROOT).parts))
    return tuple(path for name in listed if name and (path := ROOT / name).is_file())


@cache
def modules(package: str) -> list[tuple[str, ast.Module]]:
    """Path and syntax tree of every module of a package."""
    paths = sorted((ROOT / package).rglob("*.py"))
    return [(path.relative_to(ROOT).as_posix(), ast.parse(path.read_text("utf-8"))) for path in paths]


def imports(tree: ast.Module, path: str) -> Iterator[str]:
    """The dotted names that a module imports, relative ones made absolute."""
    package = path.removesuffix(".py").split("/")[:-1]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{module}.{alias.name}" for alias in node.names)
