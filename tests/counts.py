"""Counts the code of a tree by room: `python -m tests.counts [ROOT]`, and holds it to a budget.

A line of code has something besides blanks, comments and docstrings. The names of functions are counted without the
sandbox and without special methods.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

LONG_FUNCTION_LINES, MANY_PARAMETERS = 40, 6
"""A function is long, or has many parameters, beyond these numbers. `self` and `cls` do not count."""

BUDGET = {
    "code of `bot`": 23_393,
    "code without tests": 34_035,
    "code of tests": 41_989,
    "modules of `bot`": 174,
    "imports of `bot`": 2_945,
    "commands": 40,
    "functions over 40 lines": 7,
    "functions with over 6 parameters": 10,
    "uses of `Any`": 175,
    "broad excepts": 12,
    "words of docs": 12_699,
}
"""The most that each may be. What comes says what goes; a figure that has sunk takes its limit along."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Room:
    """The sizes of one folder."""

    files: int = 0
    lines: int = 0
    code: int = 0
    docs: int = 0

    def add_file(self, source: str, nodes: Sequence[ast.AST]) -> None:
        """Adds the lines of a file with those nodes."""
        docs = set(docstring_lines(nodes))
        self.files += 1
        self.lines += len(source.splitlines())
        self.code += len(set(code_lines(source, nodes)) - docs)
        self.docs += len(docs)


@dataclass
class Counts:
    """Everything that is counted in a tree."""

    rooms: defaultdict[str, Room] = field(default_factory=lambda: defaultdict(Room))
    figures: Counter[str] = field(default_factory=Counter)

    def add_file(self, path: Path, source: str) -> None:
        """Adds a file, whose path is relative to the tree."""
        nodes = list(ast.walk(ast.parse(source)))
        self.rooms[room_of(path)].add_file(source, nodes)
        if path.parts[0] == "tests":
            return
        functions = [node for node in nodes if isinstance(node, Function)]
        self.figures["commands"] += sum(map(is_command, functions))
        self.figures["functions over 40 lines"] += sum(map(is_long, functions))
        self.figures["functions with over 6 parameters"] += sum(map(has_many_parameters, functions))
        self.figures["uses of `Any`"] += sum(isinstance(node, ast.Name) and node.id == "Any" for node in nodes)
        self.figures["broad excepts"] += sum(isinstance(node, ast.ExceptHandler) and is_broad(node) for node in nodes)
        if path.parts[0] == "bot":
            imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
            self.figures["imports of `bot`"] += len({line for node in imports for line in lines_of(node)})
        if "sandbox" not in path.parts:
            names = [node.name for node in functions if not node.name.startswith("__")]
            self.figures["functions"] += len(names)
            self.figures["functions named by one word"] += sum("_" not in name.strip("_") for name in names)


def room_of(path: Path) -> str:
    """Returns the folder that a file counts for: the first one, in `bot` the second."""
    parts = path.parts[:-1]
    return "/".join(parts[: 2 if parts[:1] == ("bot",) else 1]) or "."


def lines_of(node: ast.stmt | ast.expr) -> range:
    """Returns the numbers of its lines."""
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def docstring_lines(nodes: Iterable[ast.AST]) -> Iterator[int]:
    """Yields the lines of docstrings, those of attributes included."""
    for node in nodes:
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else ():
            value = statement.value if isinstance(statement, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield from lines_of(statement)


def code_lines(source: str, nodes: Iterable[ast.AST]) -> Iterator[int]:
    """Yields the lines that are neither blank nor only a comment; within a text, every line."""
    for number, line in enumerate(source.split("\n"), 1):
        if (written := line.strip()) and not written.startswith("#"):
            yield number
    for node in nodes:
        if isinstance(node, ast.Constant | ast.JoinedStr):
            yield from lines_of(node)


def is_long(function: Function) -> bool:
    """Whether the function is long, from its `def` to its last line."""
    return len(lines_of(function)) > LONG_FUNCTION_LINES


def has_many_parameters(function: Function) -> bool:
    """Whether the function takes many parameters."""
    taken = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    return sum(parameter.arg not in ("self", "cls") for parameter in taken) > MANY_PARAMETERS


def is_command(function: Function) -> bool:
    """Whether the function answers a slash command."""
    called = (one.func for one in function.decorator_list if isinstance(one, ast.Call))
    return any(isinstance(name, ast.Name) and name.id == "slash_command" for name in called)


def is_broad(handler: ast.ExceptHandler) -> bool:
    """Whether the handler catches every exception."""
    caught = handler.type
    return caught is None or (isinstance(caught, ast.Name) and caught.id in ("Exception", "BaseException"))


def count_tree(root: Path) -> Counts:
    """Counts every module below that folder; hidden folders are left out."""
    counts = Counts()
    for path in sorted(root.rglob("*.py")):
        if not any(part.startswith(".") for part in path.relative_to(root).parts):
            counts.add_file(path.relative_to(root), path.read_text("utf-8"))
    return counts


def budgeted(root: Path, counts: Counts) -> dict[str, int]:
    """Returns the figures that have a budget, by the names of `BUDGET`."""
    bot = [room for name, room in counts.rooms.items() if name.split("/")[0] == "bot"]
    tests = counts.rooms["tests"].code
    papers = (root / "README.md", *sorted((root / "docs").rglob("*.md")))
    return {
        "code of `bot`": sum(room.code for room in bot),
        "code without tests": sum(room.code for room in counts.rooms.values()) - tests,
        "code of tests": tests,
        "modules of `bot`": sum(room.files for room in bot),
        **{name: counts.figures[name] for name in BUDGET if name in counts.figures},
        "words of docs": sum(len(paper.read_text("utf-8").split()) for paper in papers if paper.is_file()),
    }


def main() -> None:
    """Prints the rooms, the budget and the other figures as Markdown."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]
    counts = count_tree(root)
    print("| Room | Files | Lines | Code | Doc |\n|---|---|---|---|---|")
    for name, room in counts.rooms.items():
        print(f"| `{name}` | {room.files} | {room.lines:,} | {room.code:,} | {room.docs:,} |")
    figures = counts.figures
    print("\n| Budget | | at most |\n|---|---|---|")
    for name, count in budgeted(root, counts).items():
        print(f"| {name} | {count:,} | {BUDGET[name]:,} |")
    print("\n| Figure | |\n|---|---|")
    for figure, count in figures.items():
        print(f"| {figure} | {count:,} |")
    print(f"| share of one-word names | {figures['functions named by one word'] / figures['functions']:.0%} |")


if __name__ == "__main__":
    main()
