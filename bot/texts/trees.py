"""Lines of a tree as text: indented, in notation."""

from __future__ import annotations

from collections.abc import Sequence

from bot.match.tree import Node, Tree
from bot.texts.i18n import Language
from bot.texts.sentences import one_line, plain, when
from rules import Variant

STEP = "   "


def line_text(variant: Variant, line: Sequence[Node], most: int) -> str:
    """The last moves of a line that begins with its root, numbered: "… 4. F7-F9 5. C12-C10"; empty without a move."""
    if len(line) < 2:
        return ""
    first = (line[0].ply or 0) + 1
    moves = [f"{number}. {node.move}" for number, node in enumerate(line[1:], first)]
    return ("… " if len(moves) > most else "") + " ".join(moves[-most:])


def named(node: Node) -> str:
    """The node's name and note, as they stand in a message."""
    name = f"**{plain(node.name)}**" if node.name else ""
    note = "\n".join(f"> {line}" for line in node.note.splitlines())
    return "\n".join(part for part in (name, note) if part)


def outline(locale: Language, tree: Tree, variant: Variant) -> str:
    """The whole tree: a line for each beginning, those that branch off further in; names and notes below them."""
    said: list[str] = []
    for root in tree.below.get(None, ()):
        said.append(f"{when(locale, root.ply or 0)}:{_words(root, 1)}")
        for depth, run in tree.runs(root.number):
            number, indent = tree.ply(run[0].number), STEP * (depth + 1)
            said.append(indent + " ".join(f"{ply}. {node.move}" for ply, node in enumerate(run, number)))
            for ply, node in enumerate(run, number):
                if node.name or node.note:
                    said.append(f"{indent}{STEP}{ply}.{_words(node, depth + 2)}")
    return "\n".join(said)


def _words(node: Node, depth: int) -> str:
    """What its owner has written to a node, for a block of plain text."""
    name = f" „{one_line(node.name)}“" if node.name else ""
    note = "".join(f"\n{STEP * (depth + 1)}{one_line(line, 200)}" for line in node.note.splitlines())
    return (name + note).replace("`", "'")
