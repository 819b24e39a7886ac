"""Lines of a tree as text: indented, in notation."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from bot.core.match import Match
from bot.explore.tree import Node, Tree, is_root_of_game
from bot.texts.i18n import Language
from bot.texts.markup import cut_plain, escape_markup, one_line
from bot.texts.sentences import ply_phrase

INDENT = "   "
LINE_WIDTH = 36
"""Characters of a line, so that a phone shows it in one if the moves are short enough."""
MAX_SHARED_LINE_LENGTH = 200
"""Characters of the moves of a line that somebody shares after the game."""
_NO_BREAK_SPACE = "\u00a0"
"""Stands between a move and its number, to keep them together."""


def line_text(line: Sequence[Node], longest: int) -> str:
    """The numbered moves of a line that begins with its root; only the last ones if room is short: "… 5. C12-C10"."""
    first = (line[0].ply or 0) + 1 if line else 1
    moves = [f"{number}. {node.move}" for number, node in enumerate(line[1:], first)]
    joined = " ".join(moves)
    while len(joined) > longest and len(moves) > 1:
        moves = moves[1:]
        joined = "… " + " ".join(moves)
    return cut_plain(joined, longest)


def node_text(node: Node) -> str:
    """The node's name and note, for a message."""
    name = f"**{escape_markup(node.name)}**" if node.name else ""
    note = "\n".join(f"> {line}" for line in node.note.splitlines())
    return "\n".join(part for part in (name, note) if part)


def described_lines(tree: Tree, match: Match) -> list[tuple[int, str]]:
    """The lines with a name or a comment that start in the game: the ply of the root, and the line with its words.

    The note on the game is not among them: nobody else ever sees it.
    """
    lines = list[tuple[int, str]]()
    for node in tree.nodes.values():
        root, *_ = line = tree.line_to(node.number)
        if node.has_words and not tree.is_game_note(node) and is_root_of_game(match, root):
            parts = (line_text(line, MAX_SHARED_LINE_LENGTH), node.name, node.note)
            lines.append((root.ply or 0, " · ".join(part for part in parts if part)))
    return lines


def tree_outline(locale: Language, tree: Tree) -> str:
    """The whole tree: a line for each root, branches indented further, names and notes below."""
    lines: list[str] = []
    for root in tree.nodes_by_parent.get(None, ()):
        lines.append(f"{ply_phrase(locale, root.ply or 0)}:{_node_words(root, 1)}")
        for depth, run in tree.lines_below(root.number):
            number, indent = tree.ply_of(run[0].number), INDENT * (depth + 1)
            moves = " ".join(f"{ply}.{_NO_BREAK_SPACE}{node.move}" for ply, node in enumerate(run, number))
            lines += [line.replace(_NO_BREAK_SPACE, " ") for line in _wrap_moves(moves, indent)]
            for ply, node in enumerate(run, number):
                if node.name or node.note:
                    lines.append(f"{indent}{INDENT}{ply}. {node.move}{_node_words(node, depth + 2)}")
    return "\n".join(lines)


def _wrap_moves(moves: str, indent: str) -> list[str]:
    """The moves in indented lines; continuation lines are indented a little further."""
    return wrap(
        moves,
        LINE_WIDTH,
        initial_indent=indent,
        subsequent_indent=f"{indent} ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _node_words(node: Node, depth: int) -> str:
    """The owner's name and note of a node, for a block of plain text."""
    name = f' "{one_line(node.name)}"' if node.name else ""
    note = "".join(f"\n{INDENT * (depth + 1)}{one_line(line, 200)}" for line in node.note.splitlines())
    return (name + note).replace("`", "'")
