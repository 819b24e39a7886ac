"""Trees, the lines that people try alone, and their notes; visible only to their owner. And the rows of openings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from bot.core.deadlines import Actor
from bot.core.house_seats import MIN_HOUSE_ID
from bot.core.match import Match
from bot.core.problems import MatchError, Problem
from bot.discordkit.components import MAX_FORM_TEXT
from bot.explore.tree import MAX_NOTE_LENGTH, MAX_TREE_POSITIONS, MAX_TREES, TREE_RETENTION_S, Node, Tree
from bot.play.service import Service
from bot.store import Reader, Writer
from bot.store.connection import SqlValues
from bot.store.rows import values_of
from rules import VARIANTS, format_position

_HAS_NODES_SQL = "EXISTS (SELECT 1 FROM tree_nodes WHERE tree = id)"
"""A condition: the tree was not merely opened."""
_HAS_LINES_SQL = (
    "EXISTS (SELECT 1 FROM tree_nodes WHERE tree = id AND (parent IS NOT NULL OR ply > 0 OR match IS NULL))"
)
"""A condition: the tree has more than the note on its game."""


async def load_tree(reader: Reader, tree_id: int, user: int) -> Tree:
    """Returns the tree. Raises NO_SUCH_TREE if it is gone or not the user's."""
    for head in await _load_heads(reader, "id = ? AND user = ?", (tree_id, user)):
        return await _with_nodes(reader, head)
    raise MatchError(Problem.NO_SUCH_TREE)


async def find_tree(reader: Reader, user: int, match_id: int | None, start: str = "") -> Tree | None:
    """The user's tree of a game or position; None if there is none."""
    condition = "user = ? AND coalesce(match, 0) = ? AND start = ?"
    heads = await _load_heads(reader, condition, (user, match_id or 0, start))
    return await _with_nodes(reader, heads[0]) if heads else None


TREES_OF_PERSON_SQL = f"SELECT count(*) FROM trees WHERE user = :user AND {_HAS_NODES_SQL}"
"""The number of a user's trees with nodes."""


async def export_person(reader: Reader, user: int) -> Mapping[str, object]:
    """Returns the user's trees, ready for JSON."""
    heads = await _load_heads(reader, f"user = ? AND {_HAS_NODES_SQL} ORDER BY id", (user,))
    return {"explored": [(await _with_nodes(reader, tree)).export_tree() for tree in heads]}


async def other_trees(reader: Reader, user: int, other_than: int, guild: int | None = None) -> list[Tree]:
    """The heads of the user's other trees that have lines, the last changed first.

    With a server: only the trees of its games, and of positions.
    """
    there = "(:guild IS NULL OR match IS NULL OR (SELECT guild FROM matches WHERE matches.id = match) = :guild)"
    condition = f"user = :user AND id <> :id AND {_HAS_LINES_SQL} AND {there} ORDER BY changed_at DESC, id"
    return await _load_heads(reader, condition, {"user": user, "id": other_than, "guild": guild})


async def _load_heads(reader: Reader, condition: str, values: SqlValues) -> list[Tree]:
    rows = await reader.run_sql(f"SELECT id, user, match, start FROM trees WHERE {condition}", values)
    return [Tree(*row) for row in rows]


async def _with_nodes(reader: Reader, tree: Tree) -> Tree:
    nodes = await reader.load_all(Node, "tree_nodes WHERE tree = ? ORDER BY number", (tree.id,))
    return replace(tree, nodes={node.number: node for node in nodes})


# Openings

OPENING_GAMES_PER_PAGE = 10
"""Games with a position on one page of their list."""
OpeningRow = tuple[int, int, int, str, int, int, int, int]
"""A whole row of `opening_games`."""

_HIDDEN_GAMES_SQL = " UNION ALL ".join(
    f"SELECT match FROM {games} user {condition}"
    for games in ("players WHERE", "shares WHERE guild = :guild AND")
    for condition in (f"< {MIN_HOUSE_ID}", "IN (SELECT user FROM user_settings WHERE puzzles = 0)")
)
"""The games of people who have been forgotten, or do not allow other uses of their finished games; of those who have
left a seat, the games in that server."""
_PLACE_SQL = (
    "FROM opening_games WHERE guild = :guild AND position = :position AND people >= :people"
    f" AND match NOT IN ({_HIDDEN_GAMES_SQL})"
)


class PlayedMove(NamedTuple):
    """A move that was played in a position, with sums over the games that count."""

    name: str
    """The name, as `IndexedPosition.name_move` returns it."""
    games: int
    points: tuple[int, int, int]
    """For the player to move, the next player and the third player (0 in two-player games)."""


async def played_moves(reader: Reader, guild: int, position: int, most: int, *, every: bool) -> list[PlayedMove]:
    """Returns the moves played most often in that position of people's games, or of every game of the server."""
    sums = ", ".join(f"CAST(sum({name}) AS INTEGER)" for name in ("first", "second", "third"))
    found = await reader.run_sql(
        f"SELECT move, count(*), {sums} {_PLACE_SQL} GROUP BY move ORDER BY count(*) DESC, max(match) DESC, move"
        " LIMIT :most",
        {"guild": guild, "position": position, "people": int(not every), "most": most},
    )
    return [PlayedMove(move, games, (first, second, third)) for move, games, first, second, third in found]


async def latest_games(
    reader: Reader, guild: int, position: int, page: int, *, every: bool
) -> tuple[dict[int, str], int]:
    """Returns a page of the games with that position, the latest first, each with the name of the move played in it;
    and the number of pages known."""
    found = await reader.run_sql(
        f"SELECT match, move {_PLACE_SQL} ORDER BY match DESC LIMIT {OPENING_GAMES_PER_PAGE + 1} OFFSET :skipped",
        {"guild": guild, "position": position, "people": int(not every), "skipped": page * OPENING_GAMES_PER_PAGE},
    )
    pages = page + 1 + (len(found) > OPENING_GAMES_PER_PAGE)
    return dict(found[:OPENING_GAMES_PER_PAGE]), pages


async def set_opening_rows(writer: Writer, match_id: int, counted: Sequence[OpeningRow]) -> None:
    """Stores the rows of a match, in place of those that it has."""
    await writer.run_sql("DELETE FROM opening_games WHERE match = ?", (match_id,))
    await writer.insert_rows("opening_games (guild, position, match, move, people, first, second, third)", counted)


# The service


async def open_tree(service: Service, actor: Actor, match_id: int | None, start: str) -> Tree:
    """The person's tree of a game or, without one, of a position; creates an empty tree if there is none."""
    async with service.store.write_transaction() as tx:
        return await _load_or_add_tree(tx, actor, Tree(0, actor.user, match_id, start))


async def tree_of_key(reader: Reader, user: int, key: str) -> Tree:
    """The user's tree with that `Tree.key`; an empty one, which is not stored, if there is none of that game or
    variant. Raises NO_SUCH_TREE."""
    if key.isdecimal():
        return await load_tree(reader, int(key), user)
    match_id = int(key[1:]) if key[1:].isdecimal() else None
    if match_id is None and key not in VARIANTS:
        raise MatchError(Problem.NO_SUCH_TREE)
    start = "" if match_id else format_position(VARIANTS[key].start_position)
    return await find_tree(reader, user, match_id, start) or Tree(0, user, match_id, start)


async def load_game_note(reader: Reader, user: int, match_id: int) -> str:
    """The user's note on that game: their comment on its start. Empty if there is none."""
    row = await reader.read_row(
        "SELECT note FROM tree_nodes JOIN trees ON id = tree"
        " WHERE user = ? AND match = ? AND parent IS NULL AND ply = 0",
        (user, match_id),
    )
    return str(row[0]) if row else ""


async def set_game_note(service: Service, actor: Actor, match: Match, note: str) -> None:
    """Stores the user's note on a game."""
    start = format_position(match.fresh_game.position)
    await set_note(service, actor, Tree(0, actor.user, match.id, ""), Node(0, None, 0, start), note)


async def add_move(service: Service, actor: Actor, tree: Tree, below: Node, move: str) -> tuple[Tree, Node]:
    """Adds a move below a node, or below a root that is not stored. Returns the tree and the node of the move.

    The move is not checked. A move that has been tried already keeps its node. Raises TREE_FULL and
    TOO_MANY_TREES, and NO_SUCH_TREE also where the node is gone.
    """
    async with service.store.write_transaction() as tx:
        tree = await _load_or_add_tree(tx, actor, tree)
        parent = await _find_or_add_node(tx, tree, below, actor.now)
        node = next((child for child in tree.nodes_by_parent.get(parent.number, ()) if child.move == move), None)
        if node is None:
            await _require_room(tx, tree)
            node = await _add_node(tx, tree, Node(0, parent.number, None, move), actor.now)
        return await load_tree(tx, tree.id, actor.user), node


async def set_note(service: Service, actor: Actor, tree: Tree, below: Node, note: str) -> Tree:
    """Stores the note on a node, or on a root that is not stored. Returns the tree. Raises what `add_move` raises."""
    async with service.store.write_transaction() as tx:
        tree = await _load_or_add_tree(tx, actor, tree)
        node = await _find_or_add_node(tx, tree, below, actor.now)
        # A migration has joined notes that may be longer; what no form has room for stays.
        note = note[: max(MAX_NOTE_LENGTH, len(node.note))] + node.note[MAX_FORM_TEXT:]
        if node.parent is None and note and not node.note and not tree.is_game_note(node):
            await _require_room(tx, tree)
        await tx.update_rows("tree_nodes", {"tree": tree.id, "number": node.number}, note=note)
        return await _drop_bare_roots(tx, tree, actor.now)


async def delete_node(service: Service, actor: Actor, tree: Tree, number: int) -> Tree:
    """Deletes a node and everything below it, and returns the tree. Does nothing if the node is gone already."""
    async with service.store.write_transaction() as tx:
        tree = await load_tree(tx, tree.id, actor.user)
        sql = "DELETE FROM tree_nodes WHERE tree = ? AND number = ?"
        await tx.run_batch([(sql, (tree.id, node.number)) for node in tree.subtree_of(number)])
        return await _drop_bare_roots(tx, tree, actor.now)


async def drop_old_trees(service: Service, now: int) -> None:
    """Deletes the trees that have not changed for a year, except those of unfinished or later changed games."""
    async with service.store.write_transaction() as tx:
        await tx.run_sql(
            "DELETE FROM trees WHERE changed_at <= :until AND NOT EXISTS (SELECT 1 FROM matches WHERE"
            " matches.id = match AND (phase IN ('open', 'live') OR updated > :until))",
            {"until": now - TREE_RETENTION_S},
        )


async def _require_room(tx: Writer, tree: Tree) -> None:
    """Raises TREE_FULL if the tree has no room for another position, and TOO_MANY_TREES if it would be one too many."""
    if not tree.position_count and len(await other_trees(tx, tree.user, tree.id)) >= MAX_TREES:
        raise MatchError(Problem.TOO_MANY_TREES, most=MAX_TREES)
    if tree.position_count >= MAX_TREE_POSITIONS:
        raise MatchError(Problem.TREE_FULL, most=MAX_TREE_POSITIONS)


async def _find_or_add_node(tx: Writer, tree: Tree, wanted: Node, now: int) -> Node:
    """Returns the stored node; adds a root that is not stored."""
    if wanted.number and wanted.number not in tree.nodes:
        raise MatchError(Problem.NO_SUCH_TREE)
    if wanted.number:
        return tree.nodes[wanted.number]
    return tree.root_at(wanted.ply, wanted.move) or await _add_node(tx, tree, wanted, now)


async def _drop_bare_roots(tx: Writer, tree: Tree, now: int) -> Tree:
    """Removes the roots that have neither followers nor words. Returns the tree."""
    await tx.run_sql(
        "DELETE FROM tree_nodes WHERE tree = :tree AND parent IS NULL AND note = '' AND number NOT IN"
        " (SELECT parent FROM tree_nodes WHERE tree = :tree AND parent IS NOT NULL)",
        {"tree": tree.id},
    )
    await tx.run_sql("UPDATE trees SET changed_at = ? WHERE id = ?", (now, tree.id))
    return await load_tree(tx, tree.id, tree.user)


async def _load_or_add_tree(tx: Writer, actor: Actor, tree: Tree) -> Tree:
    """Returns the person's tree as it is stored by now; adds it if it is not."""
    if tree.id:
        return await load_tree(tx, tree.id, actor.user)
    if known := await find_tree(tx, actor.user, tree.match, tree.start):
        return known
    await _drop_empty(tx, actor.user)
    head = {"user": actor.user, "match": tree.match, "start": tree.start, "changed_at": actor.now}
    return replace(tree, id=await tx.add_numbered_row("trees", head))


async def _add_node(tx: Writer, tree: Tree, node: Node, now: int) -> Node:
    """Adds a node to a tree and returns it with its number."""
    sql = "UPDATE trees SET last_node = last_node + 1, changed_at = ? WHERE id = ? RETURNING last_node"
    node = node._replace(number=await tx.read_value(sql, (now, tree.id)))
    await tx.add_row("tree_nodes", {"tree": tree.id, **values_of(node)})
    return node


async def _drop_empty(tx: Writer, user: int) -> None:
    """Deletes a user's empty trees, all but the latest."""
    empty = f"FROM trees WHERE user = :user AND NOT {_HAS_NODES_SQL}"
    latest = f"SELECT id {empty} ORDER BY changed_at DESC, id DESC LIMIT {MAX_TREES - 1}"
    await tx.run_sql(f"DELETE {empty} AND id NOT IN ({latest})", {"user": user})
