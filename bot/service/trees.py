"""What people try by themselves, and their notes: everything is its owner's alone."""

from __future__ import annotations

from dataclasses import replace

from bot.match.tree import LONGEST_NAME, LONGEST_NOTE, LONGEST_PAGE, MOST_POSITIONS, MOST_TREES, Node, Tree
from bot.people.clock import DAY
from bot.people.problems import MatchError, Problem
from bot.service.matches import Beside
from bot.store import Reader, Writer
from bot.store import trees as trees_store

Below = int | tuple[int, str]
"""A node, or a position of the game: its ply, and itself in one line."""


class Trees(Beside):
    """Trees. Who asks for another's is told that there is none."""

    async def open(self, user: int, match_id: int | None, start: str, now: int) -> Tree:
        """The user's tree of that game, or else of that position; an empty one where there was none."""
        if found := await trees_store.find(self._reader, user, match_id, start):
            return found
        async with self._store.writing() as tx:
            await trees_store.drop_empty(tx, user, now - DAY, MOST_TREES - 1)
            found = await trees_store.find(tx, user, match_id, start)
            return found or await trees_store.add(tx, user, match_id, start, now)

    async def load(self, tree_id: int, user: int) -> Tree:
        """The tree of that number. Raises NO_SUCH_TREE."""
        return await _load(self._reader, tree_id, user)

    async def others(self, tree: Tree, guild: int) -> list[Tree]:
        """The user's other trees that can be opened in that server, without their nodes, the last changed first."""
        return await trees_store.used(self._reader, tree.user, tree.id, guild)

    async def page(self, user: int, match_id: int) -> str:
        """The user's notes on that game."""
        return await trees_store.page(self._reader, user, match_id)

    async def set_page(self, user: int, match_id: int, page: str, now: int) -> None:
        """Notes them."""
        tree = await self.open(user, match_id, "", now)
        if page[:LONGEST_PAGE] == tree.page:
            return
        async with self._store.writing() as tx:
            await trees_store.set_head(tx, replace(await _load(tx, tree.id, user), page=page[:LONGEST_PAGE]), now)

    async def keep_draft(self, tree_id: int, user: int, code: str, now: int) -> None:
        """Notes a move in the making."""
        async with self._store.writing() as tx:
            await trees_store.set_head(tx, replace(await _load(tx, tree_id, user), draft=code), now)

    async def add(self, tree_id: int, user: int, below: Below, move: str, now: int) -> tuple[Tree, Node]:
        """The tree with that move below a node, or below a position of the game, and its node.

        The move is taken at its word. What has been tried already is the node that it is. Raises TREE_FULL and
        TOO_MANY_TREES, and NO_SUCH_TREE also where the node is gone.
        """
        async with self._store.writing() as tx:
            tree = await _load(tx, tree_id, user)
            tree, parent = await _placed(tx, tree, below, now)
            node = next((one for one in tree.below.get(parent.number, ()) if one.move == move), None)
            if node is None:
                _require_room(tree)
                node = await trees_store.add_node(tx, tree, parent.number, None, move)
                await trees_store.set_head(tx, tree, now)
            return await _load(tx, tree_id, user), node

    async def describe(
        self, tree_id: int, user: int, below: Below, now: int, *, name: str | None = None, note: str | None = None
    ) -> Tree:
        """The tree with that name or note at a node, or at a position of the game. Raises what `add` raises."""
        async with self._store.writing() as tx:
            tree, was = await _placed(tx, await _load(tx, tree_id, user), below, now)
            node = was._replace(
                name=was.name if name is None else name[:LONGEST_NAME],
                note=was.note if note is None else note[:LONGEST_NOTE],
            )
            if node == was and isinstance(below, int):
                return tree
            if was.parent is None and node.has_words and not was.has_words:
                _require_room(tree)
            await trees_store.set_words(tx, tree, node)
            return await _tidied(tx, tree, now)

    async def delete(self, tree_id: int, user: int, number: int, now: int) -> Tree:
        """The tree without that node and all that follows from it; nothing where it is gone already."""
        async with self._store.writing() as tx:
            tree = await _load(tx, tree_id, user)
            await trees_store.delete_nodes(tx, tree, tree.branch(number))
            return await _tidied(tx, tree, now)


def _require_room(tree: Tree) -> None:
    """Raises TREE_FULL unless another position may count."""
    if tree.size >= MOST_POSITIONS:
        raise MatchError(Problem.TREE_FULL, most=MOST_POSITIONS)


async def _load(reader: Reader, tree_id: int, user: int) -> Tree:
    if tree := await trees_store.load(reader, tree_id, user):
        return tree
    raise MatchError(Problem.NO_SUCH_TREE)


async def _placed(tx: Writer, tree: Tree, below: Below, now: int) -> tuple[Tree, Node]:
    """The tree and that node of it, which is added as a root where it is a position for which there is none yet."""
    if isinstance(below, int):
        if below not in tree.nodes:
            raise MatchError(Problem.NO_SUCH_TREE)
        return tree, tree.nodes[below]
    if found := tree.root_at(*below):
        return tree, found
    if not tree.nodes and len(await trees_store.used(tx, tree.user, tree.id)) >= MOST_TREES:
        raise MatchError(Problem.TOO_MANY_TREES, most=MOST_TREES)
    ply, place = below
    await trees_store.set_head(tx, tree, now)
    root = await trees_store.add_node(tx, tree, None, ply, place)
    return await _load(tx, tree.id, tree.user), root


async def _tidied(tx: Writer, tree: Tree, now: int) -> Tree:
    """The tree that has been changed, without the roots from which nothing follows and that have no words."""
    tree = await _load(tx, tree.id, tree.user)
    bare = [root for root in tree.below.get(None, ()) if root.number not in tree.below and not root.has_words]
    await trees_store.delete_nodes(tx, tree, bare)
    await trees_store.set_head(tx, tree, now)
    return await _load(tx, tree.id, tree.user)
