"""SQL about thoughts, about people's decisions to share them, and about the messages that show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from bot.core.listings import MessageRef
from bot.store import Reader, Writer
from bot.store.connection import upsert_statement
from bot.thoughts.annotated import SharedLine, Thought

_SHARED_SQL = (
    "EXISTS (SELECT 1 FROM thought_choices AS c WHERE c.match = t.match AND c.user = t.user AND c.shared = 1"
    " AND c.taken_out = 0)"
    " AND EXISTS (SELECT 1 FROM matches WHERE id = t.match AND phase = 'over')"
)
"""A condition: the user of the row has shared their words, nobody has taken them out, and the game is over."""


async def thoughts_of(reader: Reader, match_id: int, user: int) -> dict[int, str]:
    """Returns the user's thoughts about moves of a match, by the version of the board."""
    rows = await reader.run_sql(
        "SELECT board, words FROM thoughts WHERE match = ? AND user = ? ORDER BY board", (match_id, user)
    )
    return dict(rows)


async def lines_of(reader: Reader, match_id: int, user: int) -> list[SharedLine]:
    """Returns the lines from Explore that the user has shared."""
    rows = await reader.run_sql(
        "SELECT user, ply, words FROM thought_lines WHERE match = ? AND user = ? ORDER BY number", (match_id, user)
    )
    return [SharedLine(*row) for row in rows]


async def shared_thoughts(reader: Reader, match_id: int) -> list[Thought]:
    """Returns the thoughts about a finished match that their authors have shared; empty for a match in progress."""
    rows = await reader.run_sql(
        f"SELECT user, board, words FROM thoughts AS t WHERE match = ? AND {_SHARED_SQL} ORDER BY board, user",
        (match_id,),
    )
    return [Thought(*row) for row in rows]


async def shared_lines(reader: Reader, match_id: int) -> list[SharedLine]:
    """Returns the lines about a finished match that their authors have shared; empty for a match in progress."""
    rows = await reader.run_sql(
        f"SELECT user, ply, words FROM thought_lines AS t WHERE match = ? AND {_SHARED_SQL} ORDER BY user, number",
        (match_id,),
    )
    return [SharedLine(*row) for row in rows]


async def has_thoughts(reader: Reader, match_id: int) -> bool:
    """True if anybody has written about the match."""
    return bool(await reader.run_sql("SELECT 1 FROM thoughts WHERE match = ? LIMIT 1", (match_id,)))


async def set_thought(writer: Writer, match_id: int, thought: Thought) -> None:
    """Stores a thought, replacing an earlier one about the same move; empty words delete it."""
    key = {"match": match_id, "user": thought.user, "board": thought.board}
    if thought.words:
        await writer.run_sql(*upsert_statement("thoughts", key, {"words": thought.words}))
    else:
        await writer.run_sql("DELETE FROM thoughts WHERE match = :match AND user = :user AND board = :board", key)


async def choice_of(reader: Reader, match_id: int, user: int) -> bool | None:
    """Whether the user shares their words; None if they have not decided."""
    row = await reader.read_row("SELECT shared FROM thought_choices WHERE match = ? AND user = ?", (match_id, user))
    return bool(row[0]) if row else None


async def are_taken_out(reader: Reader, match_id: int, user: int) -> bool:
    """True if somebody has taken the user's words out of the annotated game."""
    row = await reader.read_row("SELECT taken_out FROM thought_choices WHERE match = ? AND user = ?", (match_id, user))
    return bool(row and row[0])


async def take_out(writer: Writer, match_id: int, user: int) -> None:
    """Takes the user's words out of the annotated game for good."""
    await writer.run_sql(
        "UPDATE thought_choices SET shared = 0, taken_out = 1 WHERE match = ? AND user = ?", (match_id, user)
    )
    await writer.run_sql("DELETE FROM thought_lines WHERE match = ? AND user = ?", (match_id, user))
    await note_outdated(writer, match_id)


async def set_choice(writer: Writer, match_id: int, user: int, lines: Sequence[SharedLine], *, shared: bool) -> None:
    """Stores the user's decision, with the lines that they share."""
    await writer.run_sql(
        *upsert_statement("thought_choices", {"match": match_id, "user": user}, {"shared": int(shared)})
    )
    await writer.run_batch(
        [
            ("DELETE FROM thought_lines WHERE match = ? AND user = ?", (match_id, user)),
            *(
                (
                    "INSERT INTO thought_lines (match, user, number, ply, words) VALUES (?, ?, ?, ?, ?)",
                    (match_id, user, number, line.ply, line.words),
                )
                for number, line in enumerate(lines, start=1)
            ),
        ]
    )
    await note_outdated(writer, match_id)
    await writer.run_sql("DELETE FROM annotated_posts WHERE match = ? AND message = 0", (match_id,))  # to try again


async def delete_words(writer: Writer, match_id: int, user: int) -> None:
    """Deletes everything that the user has written and shared about a match. That words were taken out is kept."""
    for table in ("thoughts", "thought_lines"):
        await writer.run_sql(f"DELETE FROM {table} WHERE match = ? AND user = ?", (match_id, user))
    await writer.run_sql("DELETE FROM thought_choices WHERE match = ? AND user = ? AND taken_out = 0", (match_id, user))
    await note_outdated(writer, match_id)


async def seal_again(writer: Writer, match_id: int) -> None:
    """Deletes people's decisions about a match, because a referee has reopened it. Words taken out stay out."""
    await writer.run_sql("DELETE FROM thought_lines WHERE match = ?", (match_id,))
    await writer.run_sql("DELETE FROM thought_choices WHERE match = ? AND taken_out = 0", (match_id,))
    await note_outdated(writer, match_id)


async def note_outdated(writer: Writer, match_id: int) -> None:
    """Notes that the message with the annotated game has to be brought up to date."""
    await writer.run_sql("UPDATE annotated_posts SET outdated = 1 WHERE match = ?", (match_id,))


async def matches_shared_by(reader: Reader, user: int) -> list[int]:
    """Returns the matches whose messages may show the user's words."""
    return await reader.read_column("SELECT match FROM thought_choices WHERE user = ? AND shared = 1", (user,))


class DuePost(NamedTuple):
    """A match whose annotated game has to be posted, or whose message is outdated."""

    match: int
    post: MessageRef | None
    """The message; None if there is none yet."""


async def due_posts(reader: Reader) -> list[DuePost]:
    """Returns the annotated games to post and the messages to update."""
    outdated = await reader.run_sql(
        "SELECT match, annotated_posts.channel, message FROM annotated_posts JOIN matches ON matches.id = match"
        " WHERE outdated = 1 AND message <> 0 ORDER BY match"
    )
    unposted = await reader.read_column(
        "SELECT DISTINCT match FROM thought_choices AS c JOIN matches ON matches.id = match WHERE shared = 1"
        " AND phase = 'over'"
        " AND (EXISTS (SELECT 1 FROM thoughts AS t WHERE t.match = c.match AND t.user = c.user)"
        " OR EXISTS (SELECT 1 FROM thought_lines AS l WHERE l.match = c.match AND l.user = c.user))"
        " AND NOT EXISTS (SELECT 1 FROM annotated_posts AS p WHERE p.match = c.match) ORDER BY match"
    )
    return [
        *(DuePost(match, MessageRef(channel, message)) for match, channel, message in outdated),
        *(DuePost(match, None) for match in unposted),
    ]


async def set_post(writer: Writer, match_id: int, post: MessageRef | None, *, outdated: bool) -> None:
    """Notes the message with the annotated game (None if it cannot be posted), and whether it has to be edited."""
    channel, message = post or (0, 0)
    values = {"channel": channel, "message": message, "outdated": int(outdated)}
    await writer.run_sql(*upsert_statement("annotated_posts", {"match": match_id}, values))


async def matches_annotated(reader: Reader, guild: int | None, match_id: int | None) -> list[int]:
    """Returns the finished matches with shared words: those of a server, one match, or all."""
    return await reader.read_column(
        "SELECT id FROM matches WHERE phase = 'over' AND (:guild IS NULL OR guild = :guild)"
        " AND (:match IS NULL OR id = :match) AND EXISTS"
        " (SELECT 1 FROM thought_choices AS c WHERE c.match = matches.id AND c.shared = 1) ORDER BY id",
        {"guild": guild, "match": match_id},
    )


async def export_person(reader: Reader, user: int) -> Mapping[str, Any]:
    """Returns the user's own thoughts and decisions, ready for JSON."""
    rows = await reader.run_sql("SELECT match, board, words FROM thoughts WHERE user = ? ORDER BY 1, 2", (user,))
    lines = await reader.run_sql(
        "SELECT match, ply, words FROM thought_lines WHERE user = ? ORDER BY match, number", (user,)
    )
    decided = await reader.run_sql("SELECT match, shared, taken_out FROM thought_choices WHERE user = ?", (user,))
    choices = {match: (bool(shared), bool(taken_out)) for match, shared, taken_out in decided}

    def state_of(match: int) -> Mapping[str, bool]:
        shared, taken_out = choices.get(match, (False, False))
        return {"shared": shared, "taken_out": True} if taken_out else {"shared": shared}

    return {
        "thoughts": [
            {"match": match, "board": board, "words": words, **state_of(match)} for match, board, words in rows
        ],
        "shared_lines": [{"match": match, "ply": ply, "words": words} for match, ply, words in lines],
    }


async def count_for_person(reader: Reader, user: int) -> Mapping[str, int]:
    """Returns the number of matches that the user has written about. A deletion would remove these words."""
    return {"thoughts": len(await reader.read_column("SELECT DISTINCT match FROM thoughts WHERE user = ?", (user,)))}
