"""SQL about trees, the lines that people try alone, their comments, and the openings of finished games."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from bot.core.house_seats import MIN_HOUSE_ID
from bot.explore.tree import Node, Tree
from bot.store import Reader, Writer
from bot.store.connection import SqlValues

_TREE_COLUMNS = "id, user, match, start, draft"
_HAS_NODES_SQL = "EXISTS (SELECT 1 FROM tree_nodes WHERE tree = id)"
"""A condition: the tree was not merely opened."""
_HAS_LINES_SQL = (
    "EXISTS (SELECT 1 FROM tree_nodes WHERE tree = id AND (parent IS NOT NULL OR ply > 0 OR match IS NULL))"
)
"""A condition: the tree has more than the note on its game."""


async def load_tree(reader: Reader, tree_id: int, user: int) -> Tree | None:
    """The tree; None if it is gone or not the user's."""
    heads = await _load_heads(reader, "id = ? AND user = ?", (tree_id, user))
    return await _with_nodes(reader, heads[0]) if heads else None


async def find_tree(reader: Reader, user: int, match_id: int | None, start: str = "") -> Tree | None:
    """The user's tree of a game or position; None if there is none."""
    condition = "user = ? AND coalesce(match, 0) = ? AND start = ?"
    heads = await _load_heads(reader, condition, (user, match_id or 0, start))
    return await _with_nodes(reader, heads[0]) if heads else None


async def trees_of(reader: Reader, user: int) -> list[Tree]:
    """All of the user's trees with nodes."""
    heads = await _load_heads(reader, f"user = ? AND {_HAS_NODES_SQL} ORDER BY id", (user,))
    return [await _with_nodes(reader, tree) for tree in heads]


async def export_person(reader: Reader, user: int) -> Mapping[str, Any]:
    """Returns the user's trees, ready for JSON."""
    return {"explored": [tree.export_tree() for tree in await trees_of(reader, user)]}


async def count_for_person(reader: Reader, user: int) -> Mapping[str, int]:
    """Returns the number of the user's trees, which deletion would take."""
    return {"explored": len(await trees_of(reader, user))}


async def load_note(reader: Reader, user: int, match_id: int) -> str:
    """The user's note on a game; empty if there is none."""
    row = await reader.read_row(
        "SELECT note FROM tree_nodes JOIN trees ON id = tree"
        " WHERE user = ? AND match = ? AND parent IS NULL AND ply = 0",
        (user, match_id),
    )
    return str(row[0]) if row else ""


async def other_trees(reader: Reader, user: int, other_than: int, guild: int | None = None) -> list[Tree]:
    """The heads of the user's other trees that have lines, the last changed first.

    With a server: only the trees of its games, and of positions.
    """
    there = "(:guild IS NULL OR match IS NULL OR (SELECT guild FROM matches WHERE matches.id = match) = :guild)"
    condition = f"user = :user AND id <> :id AND {_HAS_LINES_SQL} AND {there} ORDER BY touched DESC, id"
    return await _load_heads(reader, condition, {"user": user, "id": other_than, "guild": guild})


async def add_tree(writer: Writer, user: int, match_id: int | None, start: str, now: int) -> Tree:
    """Adds a tree and returns it."""
    rows = await writer.run_sql(
        "INSERT INTO trees (user, match, start, touched) VALUES (?, ?, ?, ?) RETURNING id",
        (user, match_id, start, now),
    )
    return Tree(rows[0][0], user, match_id, start)


async def add_node(writer: Writer, tree: Tree, parent: int | None, ply: int | None, move: str) -> Node:
    """Adds a node to a tree and returns it."""
    rows = await writer.run_sql("UPDATE trees SET made = made + 1 WHERE id = ? RETURNING made", (tree.id,))
    node = Node(rows[0][0], parent, ply, move)
    await writer.run_sql(
        "INSERT INTO tree_nodes (tree, node, parent, ply, move) VALUES (?, ?, ?, ?, ?)",
        (tree.id, node.number, parent, ply, move),
    )
    return node


async def set_words(writer: Writer, tree: Tree, node: Node) -> None:
    """Stores the name and the note of a node."""
    values = (node.name, node.note, tree.id, node.number)
    await writer.run_sql("UPDATE tree_nodes SET name = ?, note = ? WHERE tree = ? AND node = ?", values)


async def delete_nodes(writer: Writer, tree: Tree, nodes: Iterable[Node]) -> None:
    """Deletes nodes."""
    await writer.run_batch(
        [("DELETE FROM tree_nodes WHERE tree = ? AND node = ?", (tree.id, node.number)) for node in nodes]
    )


async def set_head(writer: Writer, tree: Tree, now: int) -> None:
    """Stores the tree's draft, and the time of the change."""
    await writer.run_sql("UPDATE trees SET draft = ?, touched = ? WHERE id = ?", (tree.draft, now, tree.id))


async def drop_empty(writer: Writer, user: int, until: int, most: int) -> None:
    """Deletes a user's empty trees: those not touched since `until`, and all but the latest `most`."""
    latest = (
        f"SELECT id FROM trees WHERE user = :user AND NOT {_HAS_NODES_SQL} ORDER BY touched DESC, id DESC LIMIT :most"
    )
    await writer.run_sql(
        f"DELETE FROM trees WHERE user = :user AND NOT {_HAS_NODES_SQL}"
        f" AND (touched <= :until OR id NOT IN ({latest}))",
        {"user": user, "until": until, "most": most},
    )


async def drop_old(writer: Writer, until: int) -> None:
    """Deletes the trees not changed since `until`, except those of unfinished or later changed games."""
    await writer.run_sql(
        "DELETE FROM trees WHERE touched <= :until AND NOT EXISTS (SELECT 1 FROM matches WHERE matches.id = match"
        " AND (phase IN ('open', 'live') OR updated > :until))",
        {"until": until},
    )


async def _load_heads(reader: Reader, condition: str, values: SqlValues) -> list[Tree]:
    rows = await reader.run_sql(f"SELECT {_TREE_COLUMNS} FROM trees WHERE {condition}", values)
    return [Tree(number, user, match, start, draft=draft) for number, user, match, start, draft in rows]


async def _with_nodes(reader: Reader, tree: Tree) -> Tree:
    rows = await reader.run_sql(
        "SELECT node, parent, ply, move, name, note FROM tree_nodes WHERE tree = ? ORDER BY node", (tree.id,)
    )
    return replace(tree, nodes={row[0]: Node(*row) for row in rows})


# Openings

OpeningRow = tuple[int, int, int, str, int, int, int, int]
"""A whole row of `opening_games`."""

_HIDDEN_GAMES_SQL = " UNION ALL ".join(
    f"SELECT match FROM {table} WHERE user {condition}"
    for table in ("players", "shares")
    for condition in (f"< {MIN_HOUSE_ID}", "IN (SELECT user FROM user_settings WHERE puzzles = 0)")
)
"""The games of people who have been forgotten, or do not allow other uses of their finished games."""
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


async def latest_games(reader: Reader, guild: int, position: int, most: int, *, every: bool) -> list[tuple[int, str]]:
    """Returns the latest games with that position, each with the name of the move played in it."""
    found = await reader.run_sql(
        f"SELECT match, move {_PLACE_SQL} ORDER BY match DESC LIMIT :most",
        {"guild": guild, "position": position, "people": int(not every), "most": most},
    )
    return [(match, move) for match, move in found]


async def games_not_counted(reader: Reader, most: int) -> list[int]:
    """Returns games that an earlier version has not counted."""
    return await reader.read_column("SELECT match FROM opening_due ORDER BY match LIMIT ?", (most,))


async def set_opening_rows(writer: Writer, match_id: int, counted: Sequence[OpeningRow]) -> None:
    """Stores the rows of a match, in place of those that it has."""
    await writer.run_sql("DELETE FROM opening_games WHERE match = ?", (match_id,))
    await writer.run_sql("DELETE FROM opening_due WHERE match = ?", (match_id,))
    if counted:
        await writer.insert_rows("opening_games", counted)
