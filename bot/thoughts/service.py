"""The service about thoughts: who may write them at which time, and who sees them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from bot.core.events import Event
from bot.core.listings import ExportedMatch, MessageRef
from bot.core.match import Match, Phase
from bot.core.problems import MatchError, Problem
from bot.play.service.archive import Archive
from bot.play.service.matches import Matches, ServicePart
from bot.store import Reader, Writer
from bot.store.follows import followers_of
from bot.thoughts import rows
from bot.thoughts.annotated import (
    MAX_THOUGHT_LENGTH,
    AnnotatedGame,
    SharedLine,
    Thought,
    boards_to_comment,
    list_moves,
    players_ever,
)


class OwnWords(NamedTuple):
    """Everything that one user has written about a match, and may share."""

    thoughts: dict[int, str]
    """Their thoughts, by the version of the board on which the move was made."""
    lines: list[SharedLine]
    """The lines from Explore that the user has shared."""
    lines_to_share: list[SharedLine]
    """The lines in Explore with a name or a comment, as they are now."""
    shared: bool | None
    """Whether the user shares their words; None if they have not decided."""
    may_write: bool
    """True if the user has played in the match or follows it. Others neither write nor share anything."""
    taken_out: bool
    """True if a player or a referee has taken the user's words out of the annotated game."""

    @property
    def has_any(self) -> bool:
        """True if there are words to share or shared."""
        return bool(self.thoughts or self.lines or self.lines_to_share)


class Thoughts(ServicePart):
    """The thoughts of people. Only `annotated_game` returns thoughts of others."""

    async def own_words(self, match: Match, user: int) -> OwnWords:
        """Returns everything that the user has written about the match."""
        reader, lines = self._reader, list[SharedLine]()
        for feature in self._matches.features:
            lines += [
                SharedLine(user, ply, words)
                for ply, words in await feature.looking_back.lines_to_share(reader, match, user)
            ]
        return OwnWords(
            await rows.thoughts_of(reader, match.id, user),
            await rows.lines_of(reader, match.id, user),
            lines,
            await rows.choice_of(reader, match.id, user),
            user in await _writers_of(reader, match),
            await rows.are_taken_out(reader, match.id, user),
        )

    async def set_thought(self, match_id: int, guild: int, user: int, board: int, words: str) -> Match:
        """Stores the user's thought about the move made on that board; empty words delete it. Returns the match.

        Raises GAME_OVER once the game is over, so that nobody rewrites a thought when the outcome is known,
        THOUGHTS_OF_OTHERS if the user neither plays nor follows, and STALE if they may not write about the move.
        """
        async with self._store.write_transaction() as tx:
            match = await self._matches.load_match(tx, match_id, guild)
            require_writable(match, user, board)
            may_write = not words.strip() or user in await _writers_of(tx, match)
            match.refuse_if(not may_write, Problem.THOUGHTS_OF_OTHERS)
            await rows.set_thought(tx, match_id, Thought(user, board, words.strip()[:MAX_THOUGHT_LENGTH]))
        return match

    async def decide(self, match_id: int, guild: int, user: int, *, shared: bool, with_lines: bool = False) -> Match:
        """Stores whether the user shares their words, and whether with their lines from Explore. Returns the match.

        Stores nothing if the user has neither words nor lines, or if their words were taken out. Raises NOT_OVER during
        the game, and THOUGHTS_OF_OTHERS if the user has neither played in it nor followed it.
        """
        match = await self._require_over(match_id, guild)
        own = await self.own_words(match, user)
        if not own.has_any or own.taken_out:
            return match
        match.refuse_if(shared and not own.may_write, Problem.THOUGHTS_OF_OTHERS)
        lines = own.lines_to_share if shared and with_lines else []
        async with self._store.write_transaction() as tx:
            match = await self._matches.load_match(tx, match_id, guild)
            match.refuse_if(match.phase is not Phase.OVER, Problem.NOT_OVER)
            await rows.set_choice(tx, match_id, user, lines, shared=shared)
        return match

    async def delete_words(self, match_id: int, guild: int, user: int) -> Match:
        """Deletes everything that the user has written about the match, shared or not. Returns the match."""
        async with self._store.write_transaction() as tx:
            match = await self._matches.load_match(tx, match_id, guild)
            await rows.delete_words(tx, match_id, user)
        return match

    async def take_out(self, match_id: int, guild: int, user: int, author: int, *, referee: bool) -> Match:
        """Takes the words of `author` out of the annotated game for good. Returns the match. The author keeps them.

        Raises NOT_OVER during the game, and NOT_A_PLAYER unless the user has played in it or is a referee.
        """
        async with self._store.write_transaction() as tx:
            match = await self._matches.load_match(tx, match_id, guild)
            require_may_take_out(match, user, referee=referee)
            await rows.take_out(tx, match_id, author)
        return match

    async def has_thoughts(self, match_id: int) -> bool:
        """True if anybody has written about the match."""
        return await rows.has_thoughts(self._reader, match_id)

    async def annotated_game(self, match: Match, user: int = 0) -> AnnotatedGame:
        """Returns the match with the words that their authors have shared, as `user` or, for 0, everybody may see it.
        Raises NOT_OVER while it is going on."""
        match.refuse_if(match.phase is not Phase.OVER, Problem.NOT_OVER)
        return await self._load_annotated(self._reader, match, user)

    async def _load_annotated(self, reader: Reader, match: Match, user: int = 0) -> AnnotatedGame:
        marked = list[int]()
        for feature in self._matches.features:
            marked += await feature.looking_back.turning_points(reader, match)
        if marked and not await self._matches.is_match_unplayed(user, match, reader):
            marked.clear()
        writers = await _writers_of(reader, match)
        return AnnotatedGame(
            match,
            list_moves(match),
            tuple(thought for thought in await rows.shared_thoughts(reader, match.id) if thought.user in writers),
            tuple(line for line in await rows.shared_lines(reader, match.id) if line.user in writers),
            tuple(sorted(set(marked))),
        )

    async def load_match(self, match_id: int) -> Match:
        """Returns the match, in any server."""
        return await self._matches.load_match(self._reader, match_id)

    async def due_posts(self) -> list[rows.DuePost]:
        """Returns the annotated games to post, and the messages to update."""
        return await rows.due_posts(self._reader)

    async def note_posted(self, match_id: int, post: MessageRef | None, shown: AnnotatedGame | None) -> None:
        """Notes the message with the annotated game; None if there is nothing to post, or it cannot be posted.

        `shown`: the annotated game that the message shows; None for a game in progress. If it has changed since it was
        read, the message remains due.
        """
        async with self._store.write_transaction() as tx:
            match = await self._matches.load_match(tx, match_id)
            game = await self._load_annotated(tx, match) if match.phase is Phase.OVER else None
            outdated = shared_words(game) != shared_words(shown)
            if post is not None or not outdated:
                await rows.set_post(tx, match_id, post, outdated=outdated)

    async def export_annotated(
        self, guild: int | None, match_id: int | None
    ) -> list[tuple[ExportedMatch, AnnotatedGame]]:
        """Returns the finished games with shared words: those of a server, one game, or all."""
        games = list[tuple[ExportedMatch, AnnotatedGame]]()
        for number in await rows.matches_annotated(self._reader, guild, match_id):
            for match in await self._matches.load_readable(self._reader, [number]):
                if (game := await self.annotated_game(match)).sharers:
                    games.append((await Archive(self._matches).export_match(match), game))
        return games

    async def _require_over(self, match_id: int, guild: int) -> Match:
        match = await self._matches.load_match(self._reader, match_id, guild)
        match.refuse_if(match.phase is not Phase.OVER, Problem.NOT_OVER)
        return match


async def _writers_of(reader: Reader, match: Match) -> frozenset[int]:
    """Returns the people whose words the annotated game may contain: players, former players and followers. Nobody can
    begin to follow a match that is over."""
    return players_ever(match) | {follow.user for follow in await followers_of(reader, match.id)}


def require_may_take_out(match: Match, user: int, *, referee: bool) -> None:
    """Raises unless the user may take words of others out of the annotated game."""
    match.refuse_if(match.phase is not Phase.OVER, Problem.NOT_OVER)
    match.refuse_if(not referee and user not in players_ever(match), Problem.NOT_A_PLAYER)


def shared_words(game: AnnotatedGame | None) -> object:
    """Returns everything about an annotated game that may change while it is posted; None for a game in progress."""
    return game and (game.thoughts, game.lines, game.turning_points, len(game.moves))


def require_going_on(match: Match) -> None:
    """Raises GAME_OVER or NOT_STARTED unless thoughts about the match can be written now."""
    match.refuse_if(match.phase in (Phase.OVER, Phase.CLOSED), Problem.GAME_OVER)
    match.refuse_if(match.game is None, Problem.NOT_STARTED)


def require_writable(match: Match, user: int, board: int) -> None:
    """Raises unless that user may write about the move made on that board now."""
    require_going_on(match)
    if board not in boards_to_comment(match, user):
        raise MatchError(Problem.STALE, number=match.id)


async def follow_match(tx: Writer, before: Match, after: Match, events: Sequence[Event]) -> None:
    """When a referee reopens a match, seals all thoughts again."""
    if before.phase is Phase.OVER and after.phase is not Phase.OVER:
        await rows.seal_again(tx, after.id)


async def note_forgotten(matches: Matches, user: int, stand_in: int, now: int) -> None:
    """Deletes the words that the user has shared, and queues updates of the messages that show them.

    It does both in one transaction, because otherwise such a message could be edited before the words are deleted.
    Words that were not shared are deleted with the person's other rows.
    """
    async with matches.store.write_transaction() as tx:
        for match_id in await rows.matches_shared_by(tx, user):
            await rows.delete_words(tx, match_id, user)
