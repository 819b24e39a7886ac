"""A tree of lines that one person tries alone, in a game or from a position. Nobody else ever sees it.

A root is a position of the game; the moves below it were legal there. So a line stays readable when the moves
before it are taken back: its root then gives the position, which is no longer one of the game.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from textwrap import TextWrapper
from typing import NamedTuple

from bot.core.clock import DAY
from bot.core.match import Match, replay_changes
from bot.texts.i18n import Language, text
from bot.texts.markup import cut_plain, one_line
from bot.texts.sentences import moment_phrase
from rules import Game, Position, Seat, format_move, format_position, read_position, read_recorded
from rules.game import resolve_passes
from rules.record import move_numbers

MAX_TREE_POSITIONS = 200
"""The most positions of one tree: those tried, and those of the game with a note."""
MAX_TREES = 25
"""The most trees with content of one person; they may have as many again that are only opened."""
MAX_NOTE_LENGTH = 1000
"""The most characters of the comment on one position; that on the start of a game is the note on the game."""
TREE_RETENTION_S = 365 * DAY
"""Seconds for which a tree is kept after the game's end or its last change, whichever is later."""


class Node(NamedTuple):
    """A tried position, or a root."""

    number: int
    """From 1; never reused in its tree. 0 for a node that is not stored: a position that is only looked at."""
    parent: int | None
    """None for a root."""
    ply: int | None
    """For a root: its ply in the game."""
    move: str
    """The move that leads here, in notation; for a root, the position in one line."""
    note: str = ""


@dataclass(frozen=True)
class Tree:
    """A person's tree of one game, or of one position."""

    id: int
    """0 for a tree that is not stored."""
    user: int
    match: int | None
    """The game; None in a tree of a position."""
    start: str
    """The start of the tree in one line."""
    nodes: dict[int, Node] = field(default_factory=dict)
    """The nodes by their numbers, in ascending order."""

    @property
    def key(self) -> str:
        """What buttons carry: a game, or a variant whose start is explored, does without a stored tree."""
        return f"m{self.match}" if self.match else str(self.id or self.start.partition(" ")[0])

    @cached_property
    def nodes_by_parent(self) -> Mapping[int | None, tuple[Node, ...]]:
        """The nodes by their parents, the oldest first; the roots by None, in the order of the game."""
        children: dict[int | None, list[Node]] = {}
        for node in self.nodes.values():
            children.setdefault(node.parent, []).append(node)
        children.get(None, []).sort(key=lambda root: (root.ply or 0, root.number))
        return {parent: tuple(nodes) for parent, nodes in children.items()}

    @cached_property
    def _height_by_node(self) -> Mapping[int, int]:
        """The length of the longest line that follows from each node."""
        heights = dict.fromkeys(self.nodes, 0)
        for node in reversed(self.nodes.values()):  # in descending order of numbers: followers were made later
            if node.parent is not None:
                heights[node.parent] = max(heights[node.parent], heights[node.number] + 1)
        return heights

    @property
    def position_count(self) -> int:
        """How many positions count towards MAX_TREE_POSITIONS. The note on the game does not."""
        counted = (node for node in self.nodes.values() if not self.is_game_note(node))
        return sum(node.parent is not None or bool(node.note) for node in counted)

    def is_game_note(self, node: Node) -> bool:
        """Whether that node is the start of a game, whose comment is the note on the game."""
        return self.match is not None and node.parent is None and node.ply == 0

    def line_to(self, number: int) -> tuple[Node, ...]:
        """The nodes from the root to that node. Raises KeyError if there is no such node."""
        nodes = [self.nodes[number]]
        while (parent := nodes[-1].parent) is not None:
            nodes.append(self.nodes[parent])
        return tuple(reversed(nodes))

    def root_at(self, ply: int | None, place: str) -> Node | None:
        """The root at that position of the game; None if there is none yet."""
        roots = self.nodes_by_parent.get(None, ())
        return next((root for root in roots if (root.ply, root.move) == (ply, place)), None)

    def subtree_of(self, number: int) -> Iterator[Node]:
        """That node, if it exists, and all nodes that follow from it."""
        if number in self.nodes:
            yield self.nodes[number]
        for node in self.nodes_by_parent.get(number, ()):
            yield from self.subtree_of(node.number)

    def lines_below(self, number: int) -> Iterator[tuple[int, tuple[Node, ...]]]:
        """The lines below a node, each with its indentation; branches follow the line that they leave.

        A line continues with the longest continuation, so that the branches of a long line are not indented further
        and further.
        """
        for child in self.nodes_by_parent.get(number, ()):
            yield from self._walk_line(child, 0)

    def _walk_line(self, first: Node, depth: int) -> Iterator[tuple[int, tuple[Node, ...]]]:
        line = [first]
        while following := self.nodes_by_parent.get(line[-1].number):
            line.append(max(following, key=lambda node: self._height_by_node[node.number]))
        yield depth, tuple(line)
        for node in line:
            for other in self.nodes_by_parent.get(node.number, ()):
                if other not in line:
                    yield from self._walk_line(other, depth + 1)

    def export_tree(self) -> dict[str, object]:
        """The whole tree, ready for JSON."""
        nodes = [node._asdict() for node in self.nodes.values()]
        return {"match": self.match, "position": self.start, "positions": nodes}


class ReachedPosition(NamedTuple):
    """A position of a tree, or of its game."""

    ply: int
    line: tuple[Node, ...]
    """The nodes from the root; in a position of the game its own node alone, as a root."""
    games: tuple[Game, ...]
    """The games after each node of the line; at a position of the game, after its last two moves."""
    is_detached: bool = False
    """Whether the line starts at a position that the game no longer has."""

    @property
    def game(self) -> Game:
        """The position, with what its endings need."""
        return self.games[-1]

    def look_on(self, game: Game) -> ReachedPosition:
        """Returns the position after a move that is only looked at, given the game after it."""
        looked = Node(0, 0, None, format_move(game.moves[-1], game.variant.board))
        return ReachedPosition(self.ply + 1, (*self.line, looked), (*self.games, game), self.is_detached)

    def line_text(self, longest: int) -> str:
        """Returns the numbered moves of the line; empty at a position of the game."""
        moves = self.line[1:]
        return line_text(moves, move_numbers(self.game)[len(self.game.moves) - len(moves) : -1], longest)


def game_at(match: Match, ply: int) -> Game:
    """Returns the game after that many moves, still open: lines may be tried even after a resignation or an agreed
    draw."""
    if match.is_live and ply >= match.ply:
        return match.started_game
    game, last = match.fresh_game, not match.is_live and ply >= match.ply
    for replayed in replay_changes(match):
        if len(game.moves) == ply and (replayed.change.move or last):
            break
        game = replayed.after
    position, outcome, _ = resolve_passes(game.position)
    return game if outcome is None or position != game.position else game.end_with(outcome)


def reach_ply(tree: Tree, match: Match | None, ply: int) -> ReachedPosition:
    """The position of the game after `ply` moves; the start of a tree without a game."""
    ply = min(ply, match.ply) if match else 0
    game = game_at(match, ply) if match else Game.from_position(read_position(tree.start))
    root = Node(0, None, ply, format_position(game.position))
    if known := tree.root_at(ply, root.move) or (_node_come_to(tree, match, ply) if match else None):
        root = root._replace(number=known.number, note=known.note)
    return ReachedPosition(ply, (root,), (game_at(match, ply - 1), game) if match and ply else (game,))


def reach_node(tree: Tree, match: Match | None, number: int) -> ReachedPosition:
    """The position of that node. Raises KeyError."""
    line = tree.line_to(number)
    root, *moves = line
    place, ply = root.move, root.ply or 0
    game, is_detached = Game.from_position(read_position(place)), match is not None
    if match is not None and is_root_of_game(match, root):
        game, is_detached = game_at(match, ply), False
        if [node.move for node in moves] == _moves_after(match, ply)[: len(moves)]:
            return reach_ply(tree, match, ply + len(moves))
    games = [game]
    for node in moves:
        games.append(games[-1].apply(read_recorded(node.move, game.variant.board)))
    return ReachedPosition(ply + len(moves), line, tuple(games), is_detached)


def root_phrase(locale: Language, match: Match | None, root: Node) -> str:
    """Where lines from that root start: "after turn 17, Blue"."""
    if match is None:
        return text(locale, "alt.start")
    if not is_root_of_game(match, root):
        return text(locale, "explore.off-game")
    return moment_phrase(locale, match.started_game, root.ply or 0)


def _node_come_to(tree: Tree, match: Match, ply: int) -> Node | None:
    """Returns the node of an earlier root's line that the game has reached after that many moves; None if there is
    none."""
    moves = _moves_after(match, 0)[:ply]
    for root in tree.nodes_by_parent.get(None, ()):
        node: Node | None = root
        for move in moves[root.ply or 0 :]:
            children = tree.nodes_by_parent.get(node.number, ()) if node else ()
            node = next((child for child in children if child.move == move), None)
        if node and node is not root and is_root_of_game(match, root):
            return node
    return None


def is_root_of_game(match: Match, root: Node) -> bool:
    """Whether that root is still a position of the game."""
    ply = root.ply or 0
    return ply <= match.ply and format_position(game_at(match, ply).position) == root.move


def _moves_after(match: Match, ply: int) -> list[str]:
    """Returns the moves of the game after the first `ply`."""
    return [format_move(move, match.variant.board) for move in match.started_game.moves[ply:]]


INDENT = "   "
LINE_WIDTH = 36
"""Characters of a line, so that a phone shows it in one if the moves are short enough."""
_NO_BREAK_SPACE = "\u00a0"
"""Stands between a move and its number, to keep them together."""


MoveTurn = tuple[int, Seat]
"""The number and the side of a move, as records count."""


def turns_of_nodes(tree: Tree, match: Match | None) -> Mapping[int, MoveTurn]:
    """Returns the turn of every tried move, by its node; those of lines that left the game begin with 1."""
    turns = dict[int, MoveTurn]()

    def walk_followers(node: Node, position: Position, number: int) -> None:
        for follower in tree.nodes_by_parent.get(node.number, ()):
            turns[follower.number] = number, position.turn
            move = read_recorded(follower.move, position.variant.board)
            after = resolve_passes(position.after_move(move))[0]
            walk_followers(follower, after, number + (after.turn <= position.turn))

    for root in tree.nodes_by_parent.get(None, ()):
        in_game = match is not None and is_root_of_game(match, root)
        number = move_numbers(match.started_game)[root.ply or 0][0] if match and in_game else 1
        walk_followers(root, read_position(root.move), number)
    return turns


def number_moves(moves: Sequence[Node], turns: Iterable[MoveTurn]) -> list[str]:
    """Returns each move of a line as records write it, the first of a turn with its number: "1. ... C10-C9"."""
    words, line, last = list[str](), 0, -1
    for node, (number, seat) in zip(moves, turns, strict=True):
        if number != line:
            last = -1
        words.append((f"{number}. " if number != line else "") + "... " * (seat - last - 1) + node.move)
        line, last = number, seat
    return words


def line_text(moves: Sequence[Node], turns: Iterable[MoveTurn], longest: int) -> str:
    """Returns the numbered moves of a line; only the last ones if room is short: "… 5. C12-C10"."""
    words = number_moves(moves, turns)
    joined = " ".join(words)
    while len(joined) > longest and len(words) > 1:
        words = words[1:]
        joined = "… " + " ".join(words)
    return cut_plain(joined, longest)


def note_line(node: Node) -> str:
    """The node's note on one line; empty if it has none."""
    return one_line(node.note) if node.note else ""


def tree_outline(locale: Language, tree: Tree, match: Match | None) -> str:
    """The whole tree: a line for each root, branches indented further, notes below."""
    lines, turns = list[str](), turns_of_nodes(tree, match)
    for root in tree.nodes_by_parent.get(None, ()):
        lines.append(f"{root_phrase(locale, match, root)}:{_note_lines(root, 1)}")
        for depth, run in tree.lines_below(root.number):
            run_turns, indent = [turns[node.number] for node in run], INDENT * (depth + 1)
            moves = " ".join(word.replace(" ", _NO_BREAK_SPACE) for word in number_moves(run, run_turns))
            wrapper = TextWrapper(LINE_WIDTH, indent, f"{indent} ", break_long_words=False, break_on_hyphens=False)
            lines += [line.replace(_NO_BREAK_SPACE, " ") for line in wrapper.wrap(moves)]
            for node, turn in zip(run, run_turns, strict=True):
                if node.note:
                    lines.append(f"{indent}{INDENT}{number_moves([node], [turn])[0]}{_note_lines(node, depth + 2)}")
    return "\n".join(lines)


def _note_lines(node: Node, depth: int) -> str:
    """The owner's note on a node, for a block of plain text."""
    lines = (f"\n{INDENT * (depth + 1)}{one_line(line, MAX_NOTE_LENGTH)}" for line in node.note.splitlines())
    return "".join(lines).replace("`", "'")
