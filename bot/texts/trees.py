"""Lines of a tree as text: indented, in notation."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from bot.match.tree import Node, Tree
from bot.texts.i18n import Language
from bot.texts.sentences import one_line, plain, when

STEP = "   "
WIDTH = 36
"""Characters of a line, which phones show in one, as far as moves are that short."""
_HELD = "\u00a0"
"""Between a move and its number, which stay together."""


def line_text(line: Sequence[Node], longest: int) -> str:
    """The numbered moves of a line that begins with its root; the last ones, where there is no room: "… 5. C12-C10"."""
    first = (line[0].ply or 0) + 1 if line else 1
    moves = [f"{number}. {node.move}" for number, node in enumerate(line[1:], first)]
    said = " ".join(moves)
    while len(said) > longest and len(moves) > 1:
        moves = moves[1:]
        said = "… " + " ".join(moves)
    return said if len(said) <= longest else f"{said[: longest - 1]}…"


def named(node: Node) -> str:
    """The node's name and note, as they stand in a message."""
    name = f"**{plain(node.name)}**" if node.name else ""
    note = "\n".join(f"> {line}" for line in node.note.splitlines())
    return "\n".join(part for part in (name, note) if part)


def outline(locale: Language, tree: Tree) -> str:
    """The whole tree: a line for each beginning, those that branch off further in; names and notes below them."""
    said: list[str] = []
    for root in tree.below.get(None, ()):
        said.append(f"{when(locale, root.ply or 0)}:{_words(root, 1)}")
        for depth, run in tree.runs(root.number):
            number, indent = tree.ply(run[0].number), STEP * (depth + 1)
            moves = " ".join(f"{ply}.{_HELD}{node.move}" for ply, node in enumerate(run, number))
            said += [line.replace(_HELD, " ") for line in _wrapped(moves, indent)]
            for ply, node in enumerate(run, number):
                if node.name or node.note:
                    said.append(f"{indent}{STEP}{ply}. {node.move}{_words(node, depth + 2)}")
    return "\n".join(said)


def _wrapped(moves: str, indent: str) -> list[str]:
    """The moves in lines that are indented so; those that only go on, a little further."""
    return wrap(
        moves,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=f"{indent} ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _words(node: Node, depth: int) -> str:
    """What its owner has written to a node, for a block of plain text."""
    name = f' "{one_line(node.name)}"' if node.name else ""
    note = "".join(f"\n{STEP * (depth + 1)}{one_line(line, 200)}" for line in node.note.splitlines())
    return (name + note).replace("`", "'")
