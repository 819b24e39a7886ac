"""Trees, the lines that people try alone, and their notes; visible only to their owner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.core.clock import DAY
from bot.core.match import Match
from bot.core.problems import MatchError, Problem
from bot.explore import rows as trees_store
from bot.explore.tree import (
    MAX_FORM_TEXT,
    MAX_GAME_NOTE_LENGTH,
    MAX_LINE_NAME_LENGTH,
    MAX_NOTE_LENGTH,
    MAX_TREE_POSITIONS,
    MAX_TREES,
    TREE_RETENTION_S,
    Node,
    Tree,
)
from bot.explore.words import described_lines
from bot.play.service.matches import ServicePart
from bot.store import Reader, Writer
from rules import VARIANTS, format_position

NodeOrPosition = int | tuple[int, str]
"""The number of a node, or a position of the game: its ply and its text."""


class Trees(ServicePart):
    """People's trees. Another user's tree counts as missing."""

    async def open_tree(self, user: int, match_id: int | None, start: str, now: int) -> Tree:
        """The user's tree of a game or, without one, of a position; creates an empty tree if there is none."""
        if tree := await trees_store.find_tree(self._reader, user, match_id, start):
            return tree
        async with self._store.write_transaction() as tx:
            await trees_store.drop_empty(tx, user, now - DAY, MAX_TREES - 1)
            tree = await trees_store.find_tree(tx, user, match_id, start)
            return tree or await trees_store.add_tree(tx, user, match_id, start, now)

    async def load_tree(self, tree_id: int, user: int) -> Tree:
        """The tree with that number. Raises NO_SUCH_TREE."""
        return await _load_tree(self._reader, tree_id, user)

    async def find_tree(self, user: int, key: str) -> Tree:
        """The user's tree with that `Tree.key`; an empty one, which is not stored, if there is none of that game or
        variant. Raises NO_SUCH_TREE."""
        if key.isdecimal():
            return await self.load_tree(int(key), user)
        match_id = int(key[1:]) if key[1:].isdecimal() else None
        if match_id is None and key not in VARIANTS:
            raise MatchError(Problem.NO_SUCH_TREE)
        start = "" if match_id else format_position(VARIANTS[key].start_position)
        return await trees_store.find_tree(self._reader, user, match_id, start) or Tree(0, user, match_id, start)

    async def store_tree(self, tree: Tree, now: int) -> Tree:
        """The tree, stored if it was not."""
        return tree if tree.id else await self.open_tree(tree.user, tree.match, tree.start, now)

    async def other_trees(self, tree: Tree, guild: int) -> list[Tree]:
        """The user's other trees that can be opened in that server, without their nodes, the last changed first."""
        return await trees_store.other_trees(self._reader, tree.user, tree.id, guild)

    async def load_note(self, user: int, match_id: int) -> str:
        """The user's note on that game: their comment on its start."""
        return await trees_store.load_note(self._reader, user, match_id)

    async def set_note(self, user: int, match: Match, note: str, now: int) -> None:
        """Stores the user's note on a game."""
        tree = await self.open_tree(user, match.id, "", now)
        await self.describe_node(tree.id, user, (0, format_position(match.variant.start_position)), now, note=note)

    async def keep_draft(self, tree_id: int, user: int, code: str, now: int) -> None:
        """Stores a draft move."""
        async with self._store.write_transaction() as tx:
            await trees_store.set_head(tx, replace(await _load_tree(tx, tree_id, user), draft=code), now)

    async def add_move(self, tree_id: int, user: int, below: NodeOrPosition, move: str, now: int) -> tuple[Tree, Node]:
        """Adds a move below a node or a position of the game. Returns the tree and the node.

        The move is not checked. A move that has been tried already keeps its node. Raises TREE_FULL and
        TOO_MANY_TREES, and NO_SUCH_TREE also where the node is gone.
        """
        async with self._store.write_transaction() as tx:
            tree = await _load_tree(tx, tree_id, user)
            tree, parent = await _find_or_add_node(tx, tree, below, now)
            node = next((child for child in tree.nodes_by_parent.get(parent.number, ()) if child.move == move), None)
            if node is None:
                await _require_room(tx, tree)
                node = await trees_store.add_node(tx, tree, parent.number, None, move)
                await trees_store.set_head(tx, tree, now)
            return await _load_tree(tx, tree_id, user), node

    async def describe_node(
        self,
        tree_id: int,
        user: int,
        below: NodeOrPosition,
        now: int,
        *,
        name: str | None = None,
        note: str | None = None,
    ) -> Tree:
        """Names a node or a position of the game, or notes something on it. Returns the tree. Raises what `add_move`
        raises."""
        async with self._store.write_transaction() as tx:
            tree, old_node = await _find_or_add_node(tx, await _load_tree(tx, tree_id, user), below, now)
            if note is not None:  # a migration has joined notes that may be longer; what no form has room for stays
                most = max(MAX_GAME_NOTE_LENGTH if tree.is_game_note(old_node) else MAX_NOTE_LENGTH, len(old_node.note))
                note = note[:most] + old_node.note[MAX_FORM_TEXT:]
            node = old_node._replace(
                name=old_node.name if name is None else name[:MAX_LINE_NAME_LENGTH],
                note=old_node.note if note is None else note,
            )
            if node == old_node and isinstance(below, int):
                return tree
            is_new = old_node.parent is None and node.has_words and not old_node.has_words
            if is_new and not tree.is_game_note(node):
                await _require_room(tx, tree)
            await trees_store.set_words(tx, tree, node)
            return await _drop_bare_roots(tx, tree, now)

    async def delete_node(self, tree_id: int, user: int, number: int, now: int) -> Tree:
        """Deletes a node and everything below it, and returns the tree. Does nothing if the node is gone already."""
        async with self._store.write_transaction() as tx:
            tree = await _load_tree(tx, tree_id, user)
            await trees_store.delete_nodes(tx, tree, tree.subtree_of(number))
            return await _drop_bare_roots(tx, tree, now)


async def drop_old_trees(tx: Writer, now: int) -> None:
    """Deletes the trees that have not changed for a year."""
    await trees_store.drop_old(tx, now - TREE_RETENTION_S)


async def _require_room(tx: Writer, tree: Tree) -> None:
    """Raises TREE_FULL if the tree has no room for another position, and TOO_MANY_TREES if it would be one too many."""
    if not tree.position_count and len(await trees_store.other_trees(tx, tree.user, tree.id)) >= MAX_TREES:
        raise MatchError(Problem.TOO_MANY_TREES, most=MAX_TREES)
    if tree.position_count >= MAX_TREE_POSITIONS:
        raise MatchError(Problem.TREE_FULL, most=MAX_TREE_POSITIONS)


async def _load_tree(reader: Reader, tree_id: int, user: int) -> Tree:
    if tree := await trees_store.load_tree(reader, tree_id, user):
        return tree
    raise MatchError(Problem.NO_SUCH_TREE)


async def _find_or_add_node(tx: Writer, tree: Tree, below: NodeOrPosition, now: int) -> tuple[Tree, Node]:
    """Finds the node; if `below` is a position without a node, adds it as a root. Returns the tree and the node."""
    if isinstance(below, int):
        if below not in tree.nodes:
            raise MatchError(Problem.NO_SUCH_TREE)
        return tree, tree.nodes[below]
    if known_root := tree.root_at(*below):
        return tree, known_root
    ply, place = below
    await trees_store.set_head(tx, tree, now)
    root = await trees_store.add_node(tx, tree, None, ply, place)
    return await _load_tree(tx, tree.id, tree.user), root


async def _drop_bare_roots(tx: Writer, tree: Tree, now: int) -> Tree:
    """Removes the roots that have neither followers nor words. Returns the tree."""
    tree = await _load_tree(tx, tree.id, tree.user)
    bare = [
        root
        for root in tree.nodes_by_parent.get(None, ())
        if root.number not in tree.nodes_by_parent and not root.has_words
    ]
    await trees_store.delete_nodes(tx, tree, bare)
    await trees_store.set_head(tx, tree, now)
    return await _load_tree(tx, tree.id, tree.user)


async def lines_to_share(reader: Reader, match: Match, user: int) -> Sequence[tuple[int, str]]:
    """Returns the user's lines of a match that have a name or a comment: see `described_lines`."""
    tree = await trees_store.find_tree(reader, user, match.id)
    return described_lines(tree, match) if tree else []
