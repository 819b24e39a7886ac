"""The annotated game: the moves of a finished match with the words that people have shared. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from bot.core.match import Match
from bot.core.match_parts import replay_changes
from rules import Move, Position, RecordComment, Seat

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


class SharedLine(NamedTuple):
    """A line from Explore, as its owner shared it."""

    user: int
    ply: int
    """The number of moves of the game before the line."""
    words: str


class Words(NamedTuple):
    """One person's words in an annotated game, beside one board."""

    user: int
    seat: Seat | None
    """The seat that the user held at that move; None for a follower and for a line from Explore."""
    words: str
    is_line: bool = False


@dataclass(frozen=True)
class AnnotatedGame:
    """A finished match with everything that people have shared about it."""

    match: Match
    moves: tuple[MadeMove, ...]
    thoughts: tuple[Thought, ...]
    lines: tuple[SharedLine, ...]
    turning_points: tuple[int, ...] = ()
    """The numbers of the moves that a review calls turning points."""

    @property
    def sharers(self) -> tuple[int, ...]:
        """The users whose words it contains: the players in turn order, then the others."""
        users = {thought.user for words in self.words_by_ply.values() for thought in words}
        players = [user for user in self.match.players if user in users]
        return tuple(dict.fromkeys([*players, *sorted(users)]))

    @property
    def words_by_ply(self) -> Mapping[int, Sequence[Words]]:
        """By the number of moves, the words beside the board after them: first the mover's, then those of others, then
        lines."""
        by_ply: dict[int, list[Words]] = {}
        by_board = {move.board: move for move in self.moves}
        for thought in self.thoughts:
            if made := by_board.get(thought.board):  # otherwise the move was taken back
                seat = made.seat if thought.user == made.user else None
                by_ply.setdefault(made.number, []).append(Words(thought.user, seat, thought.words))
        for line in self.lines:
            if line.ply <= len(self.moves):
                by_ply.setdefault(line.ply, []).append(Words(line.user, None, line.words, is_line=True))
        for words in by_ply.values():
            words.sort(key=lambda one: (one.is_line, one.seat is None))
        return dict(sorted(by_ply.items()))

    @property
    def start(self) -> Position:
        """The position before the first move."""
        return self.moves[0].before if self.moves else self.match.started_game.position

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
    for before, change, after in replay_changes(match.variant, match.steps):
        if change.move:
            number = len(made) + 1
            user = None if before.position.steward_to_move else holder_at(match, change.seat, number)
            board = board_of_move(match, number)
            made.append(MadeMove(number, board, change.seat, user, change.move, before.position, after.position))
    return tuple(made)


def board_of_move(match: Match, number: int) -> int:
    """Returns the version of the board on which the move of that number was made, or would be made next."""
    takebacks = [place for place, undone in enumerate(match.undone, start=1) if undone.ply < number]
    before = match.undone[: takebacks[-1]] if takebacks else ()
    return number - 1 + 2 * sum(len(undone.moves) for undone in before)


def holder_at(match: Match, seat: Seat, number: int) -> int:
    """Returns the user who held that seat when the move of that number was made."""
    user = match.players[seat]
    for substitute in reversed(match.substitutes):
        if substitute.seat == seat and number <= substitute.ply:
            user = substitute.instead
    return user


def players_ever(match: Match) -> frozenset[int]:
    """Returns everybody who plays in the match or has played in it."""
    return frozenset((*match.players, *(substitute.instead for substitute in match.substitutes)))


def boards_to_comment(match: Match, user: int) -> tuple[int, ...]:
    """Returns the boards whose moves a player, former player or follower may write about, in order.

    A player may write about their own moves, including the one they are about to make. Former players and followers may
    write about any move that has been made.
    """
    is_player = match.seat_of(user) is not None
    boards = [made.board for made in list_moves(match) if not is_player or made.user == user]
    return (*boards, match.board_version) if match.to_move == user else tuple(boards)
