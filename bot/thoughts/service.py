"""Thoughts: who may write them at which time, who sees them, and the annotated game that they make once it is over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from bot.core.deadlines import Actor
from bot.core.events import Event
from bot.core.match import Match, MessageRef, Phase, replay_changes
from bot.core.problems import Problem
from bot.play.service import Service
from bot.play.service.results import ResultChange
from bot.store import Job, Reader, Writer
from bot.store.game_lists import followers_of
from bot.texts.records import people_named
from rules import Move, Position, RecordComment, Seat

# The annotated game: the moves of a finished match with the words that people have shared. Pure.

MAX_THOUGHT_LENGTH = 500
"""The most characters of the thought about one move."""


class MadeMove(NamedTuple):
    """A move of a match that has not been taken back."""

    number: int
    """From 1."""
    board: int
    """The version of the board on which the move was made."""
    seat: Seat
    user: int | None
    """The user who held the seat then; None for a steward's move."""
    move: Move
    before: Position
    after: Position


class Thought(NamedTuple):
    """The words of one user about one move."""

    user: int
    board: int
    words: str


class Words(NamedTuple):
    """One person's words in an annotated game, beside one board."""

    user: int
    seat: Seat | None
    """The seat that the user held at that move; None for a follower."""
    words: str


@dataclass(frozen=True)
class AnnotatedGame:
    """A finished match with everything that people have shared about it."""

    match: Match
    thoughts: tuple[Thought, ...]

    @cached_property
    def moves(self) -> tuple[MadeMove, ...]:
        """The moves. The first look at them, or at the words, replays the game and takes some milliseconds."""
        return list_moves(self.match)

    @property
    def sharers(self) -> tuple[int, ...]:
        """The users whose words it contains: the players in turn order, then the others."""
        users = {thought.user for words in self.words_by_ply.values() for thought in words}
        players = [user for user in self.match.players if user in users]
        return tuple(dict.fromkeys([*players, *sorted(users)]))

    @cached_property
    def words_by_ply(self) -> Mapping[int, Sequence[Words]]:
        """By the number of moves, the words beside the board after them: first the mover's, then those of others."""
        by_ply: dict[int, list[Words]] = {}
        by_board = {move.board: move for move in self.moves}
        for thought in self.thoughts:
            if made := by_board.get(thought.board):  # otherwise the move was taken back
                seat = made.seat if thought.user == made.user else None
                by_ply.setdefault(made.number, []).append(Words(thought.user, seat, thought.words))
        for words in by_ply.values():
            words.sort(key=lambda one: one.seat is None)
        return dict(sorted(by_ply.items()))

    def record_comments(self, names: Mapping[int, str] | None = None) -> list[RecordComment]:
        """Returns the shared words as comments of a record. A person without a name appears by number."""
        return [
            RecordComment(ply, f"{(names or {}).get(words.user, words.user)}: {words.words}")
            for ply, all_words in self.words_by_ply.items()
            for words in all_words
        ]


def list_moves(match: Match) -> tuple[MadeMove, ...]:
    """Returns the moves of a match that has begun, in order. Moves that were taken back are left out."""
    made = list[MadeMove]()
    for before, change, after in replay_changes(match):
        if change.move:
            number = len(made) + 1
            user = None if before.position.steward_to_move else holder_at(match, change.seat, number)
            board = board_of_move(match, number)
            made.append(MadeMove(number, board, change.seat, user, change.move, before.position, after.position))
    return tuple(made)


def board_of_move(match: Match, number: int) -> int:
    """Returns the version of the board on which the move of that number was made, or would be made next."""
    takebacks = [index for index, undone in enumerate(match.undone, start=1) if undone.ply < number]
    before = match.undone[: takebacks[-1]] if takebacks else ()
    return number - 1 + 2 * sum(len(undone.moves) for undone in before)


def holder_at(match: Match, seat: Seat, number: int) -> int:
    """Returns the user who held that seat when the move of that number was made."""
    user = match.players[seat]
    for substitute in reversed(match.roster.substitutes):
        if substitute.seat == seat and number <= substitute.ply:
            user = substitute.instead
    return user


def boards_to_comment(match: Match, user: int) -> tuple[int, ...]:
    """Returns the boards whose moves a player, former player or follower may write about, in order.

    A player may write about their own moves, including the one they are about to make. Former players and followers may
    write about any move that has been made.
    """
    is_player = match.seat_of(user) is not None
    boards = [made.board for made in list_moves(match) if not is_player or made.user == user]
    return (*boards, match.board_version) if match.to_move == user else tuple(boards)


# SQL: thoughts, people's decisions to share them, and the messages that show them


async def store_thought(writer: Writer, match_id: int, thought: Thought) -> None:
    """Stores a thought, replacing an earlier one about the same move; empty words delete it."""
    key = {"match": match_id, "user": thought.user, "board": thought.board}
    if thought.words:
        await writer.save_row("thoughts", key, {"words": thought.words})
    else:
        await writer.run_sql("DELETE FROM thoughts WHERE match = :match AND user = :user AND board = :board", key)


async def set_choice(writer: Writer, match_id: int, user: int, *, shared: bool) -> None:
    """Stores the user's decision."""
    await writer.save_row("thought_choices", {"match": match_id, "user": user}, {"shared": int(shared)})
    await note_outdated(writer, match_id)
    await writer.run_sql("DELETE FROM annotated_posts WHERE match = ? AND message = 0", (match_id,))  # to try again


async def remove_words(writer: Writer, match_id: int, user: int) -> None:
    """Deletes everything that the user has written and shared about a match. That words were taken out is kept."""
    await writer.run_sql("DELETE FROM thoughts WHERE match = ? AND user = ?", (match_id, user))
    await writer.run_sql("DELETE FROM thought_choices WHERE match = ? AND user = ? AND taken_out = 0", (match_id, user))
    await note_outdated(writer, match_id)


async def note_outdated(writer: Writer, match_id: int) -> None:
    """Has the annotated game posted, or its message brought up to date."""
    guilds = await writer.read_column("SELECT guild FROM matches WHERE id = ?", (match_id,))
    await writer.add_jobs(*(Job("annotated", str(match_id), guild, match_id, due_at=0) for guild in guilds))


DELETED = MessageRef(0, 0)
"""Stands for a message that was deleted, or in earlier versions could not be posted. Nothing takes its place until
somebody decides about their words."""


async def post_of(reader: Reader, match_id: int) -> MessageRef | None:
    """Returns the message with the annotated game; `DELETED` if it was deleted."""
    return await reader.load_first(MessageRef, "annotated_posts WHERE match = ?", (match_id,))


async def set_post(writer: Writer, match: Match, post: MessageRef, now: int) -> None:
    """Notes the message with the annotated game."""
    await writer.save_row("annotated_posts", {"match": match.id}, post._asdict())
    if match.place.thread is not None and match.phase is Phase.OVER:
        await writer.add_jobs(Job.of_match("thread", match, match.place.thread, now))


GAMES_OF_PERSON_SQL = "SELECT count(DISTINCT match) FROM thoughts WHERE user = :user"
"""The number of matches that a user has written about."""


async def export_person(reader: Reader, user: int) -> Mapping[str, object]:
    """Returns the user's own thoughts and decisions, ready for JSON."""
    thoughts = await reader.run_sql(
        "SELECT t.match, board, words, coalesce(shared, 0), coalesce(taken_out, 0) FROM thoughts AS t"
        " LEFT JOIN thought_choices AS c ON c.match = t.match AND c.user = t.user WHERE t.user = ? ORDER BY 1, 2",
        (user,),
    )
    return {
        "thoughts": [
            {"match": match, "board": board, "words": words, "shared": bool(shared)}
            | ({"taken_out": True} if taken_out else {})
            for match, board, words, shared, taken_out in thoughts
        ]
    }


# The service


class OwnWords(NamedTuple):
    """Everything that one user has written about a match, and may share."""

    thoughts: dict[int, str]
    """Their thoughts, by the version of the board on which the move was made."""
    shared: bool
    """Whether the user shares their words."""
    may_write: bool
    """True if the user has played in the match or follows it. Others neither write nor share anything."""
    taken_out: bool
    """True if a player or a referee has taken the user's words out of the annotated game."""


async def own_words(service: Service, match: Match, user: int) -> OwnWords:
    """Returns everything that the user has written about the match."""
    reader, key, own = service.reader, (match.id, user), "WHERE match = ? AND user = ?"
    choice = await reader.read_row(f"SELECT shared, taken_out FROM thought_choices {own}", key)
    shared, taken_out = map(bool, choice or (False, False))
    may_write = user in await _writers_of(reader, match)
    found = await reader.run_sql(f"SELECT board, words FROM thoughts {own} ORDER BY board", key)
    return OwnWords(dict(found), shared, may_write, taken_out)


async def set_thought(service: Service, actor: Actor, match_id: int, board: int, words: str) -> Match:
    """Stores the user's thought about the move made on that board; empty words delete it. Returns the match.

    Raises GAME_OVER once the game is over, so that nobody rewrites a thought when the outcome is known,
    THOUGHTS_OF_OTHERS if the user neither plays nor follows, and STALE if they may not write about the move.
    """
    async with service.store.write_transaction() as tx:
        match = await service.load_match(tx, match_id, actor.guild)
        require_writable(match, actor.user, board)
        may_write = not words.strip() or actor.user in await _writers_of(tx, match)
        match.refuse_if(not may_write, Problem.THOUGHTS_OF_OTHERS)
        await store_thought(tx, match_id, Thought(actor.user, board, words.strip()[:MAX_THOUGHT_LENGTH]))
    return match


async def decide_sharing(service: Service, actor: Actor, match_id: int, *, shared: bool) -> Match:
    """Stores whether the user shares their words. Returns the match.

    Stores nothing if the user has no words, or if their words were taken out. Raises NOT_OVER during the game, and
    THOUGHTS_OF_OTHERS if the user has neither played in it nor followed it.
    """
    own = await own_words(service, await service.load_match(service.reader, match_id, actor.guild), actor.user)
    async with service.store.write_transaction() as tx:
        match = await service.load_match(tx, match_id, actor.guild)
        match.refuse_if(match.phase is not Phase.OVER, Problem.NOT_OVER)
        if own.thoughts and not own.taken_out:
            match.refuse_if(shared and not own.may_write, Problem.THOUGHTS_OF_OTHERS)
            await set_choice(tx, match_id, actor.user, shared=shared)
    return match


async def delete_words(service: Service, actor: Actor, match_id: int) -> None:
    """Deletes everything that the user has written about the match, shared or not."""
    async with service.store.write_transaction() as tx:
        await service.load_match(tx, match_id, actor.guild)  # raises for a match of another server
        await remove_words(tx, match_id, actor.user)


async def take_out(service: Service, actor: Actor, match_id: int, author: int, *, referee: bool) -> None:
    """Takes the words of `author` out of the annotated game for good. The author keeps them.

    Raises NOT_OVER during the game, and NOT_A_PLAYER unless the user has played in it or is a referee.
    """
    async with service.store.write_transaction() as tx:
        match = await service.load_match(tx, match_id, actor.guild)
        require_may_take_out(match, actor.user, referee=referee)
        sql = "UPDATE thought_choices SET shared = 0, taken_out = 1 WHERE match = ? AND user = ?"
        await tx.run_sql(sql, (match_id, author))
        await note_outdated(tx, match_id)


async def has_thoughts(reader: Reader, match_id: int) -> bool:
    """True if anybody has written about the match."""
    return bool(await reader.run_sql("SELECT 1 FROM thoughts WHERE match = ? LIMIT 1", (match_id,)))


async def annotated_game(service: Service, match: Match) -> AnnotatedGame:
    """Returns the match with the words that their authors have shared. Raises NOT_OVER while it is going on."""
    match.refuse_if(match.phase is not Phase.OVER, Problem.NOT_OVER)
    writers = await _writers_of(service.reader, match)
    shared = "thoughts JOIN thought_choices USING (match, user) WHERE match = ? AND shared = 1 AND taken_out = 0"
    thoughts = await service.reader.load_all(Thought, f"{shared} ORDER BY board, user", (match.id,))
    return AnnotatedGame(match, tuple(thought for thought in thoughts if thought.user in writers))


async def export_annotated(service: Service, guild: int | None, match_id: int | None) -> list[AnnotatedGame]:
    """Returns the finished games with shared words: those of a server, one game, or all."""
    found = await service.reader.read_column(
        "SELECT id FROM matches WHERE phase = 'over' AND (:guild IS NULL OR guild = :guild)"
        " AND (:match IS NULL OR id = :match) AND EXISTS"
        " (SELECT 1 FROM thought_choices AS c WHERE c.match = matches.id AND c.shared = 1) ORDER BY id",
        {"guild": guild, "match": match_id},
    )
    games = [await annotated_game(service, match) for match in await service.load_readable(service.reader, found)]
    return [game for game in games if game.sharers]


async def _writers_of(reader: Reader, match: Match) -> frozenset[int]:
    """Returns the people whose words the annotated game may contain: players, former players and followers. Nobody can
    begin to follow a match that is over."""
    return frozenset(people_named(match)) | {follow.user for follow in await followers_of(reader, match.id)}


def require_may_take_out(match: Match, user: int, *, referee: bool) -> None:
    """Raises unless the user may take words of others out of the annotated game."""
    match.refuse_if(match.phase is not Phase.OVER, Problem.NOT_OVER)
    match.refuse_if(not referee and user not in people_named(match), Problem.NOT_A_PLAYER)


def require_writable(match: Match, user: int, board: int) -> None:
    """Raises GAME_OVER, NOT_STARTED or STALE unless that user may write about the move made on that board now."""
    match.refuse_if(match.phase in (Phase.OVER, Phase.CLOSED), Problem.GAME_OVER)
    match.refuse_if(match.game is None, Problem.NOT_STARTED)
    match.refuse_if(board not in boards_to_comment(match, user), Problem.STALE)


async def follow_match(
    tx: Writer, before: Match, after: Match, _events: Sequence[Event], _change: ResultChange | None
) -> None:
    """When a referee reopens a match, seals all thoughts again."""
    if before.phase is Phase.OVER and after.phase is not Phase.OVER:
        # Decisions are deleted, but words that were taken out stay out.
        await tx.run_sql("DELETE FROM thought_choices WHERE match = ? AND taken_out = 0", (after.id,))
        await note_outdated(tx, after.id)


async def note_forgotten(service: Service, user: int, stand_in: int, now: int) -> None:
    """Deletes the words that the user has shared, and queues updates of the messages that show them.

    It does both in one transaction, because otherwise such a message could be edited before the words are deleted.
    Words that were not shared are deleted with the person's other rows.
    """
    async with service.store.write_transaction() as tx:
        sql = "SELECT match FROM thought_choices WHERE user = ? AND shared = 1"
        for match_id in await tx.read_column(sql, (user,)):
            await remove_words(tx, match_id, user)
