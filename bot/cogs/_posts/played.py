"""What follows a move that has been stored: it is announced, and the player is told so."""

from __future__ import annotations

from bot.cogs._answers.permissions import unposted
from bot.cogs._answers.reply import Press, reader
from bot.i18n import text
from bot.match import Match
from bot.store import StoreError
from rules import format_move

MOST_NAMED = 5
"""Games that wait as well, of which the answer to a move tells; `/games` has all of them."""


async def announce_move(press: Press, match: Match, waiting: str) -> str:
    """Announce the match. What to tell its last mover: that his move is played, or what keeps it from sight.

    `waiting` is what `also_waiting` says, here and below.
    """
    assert match.game is not None
    locale = reader(press)
    number = _own_move(match)
    trouble = await press.client.announcer.announce(match.id)
    if trouble:
        why = unposted(locale, trouble, match)
        played = format_move(match.game.moves[number - 1], match.variant.board)
        return text(locale, "move.unposted", move=played, id=match.id, why=why)
    if match.thread is not None:  # which the announcement may have left
        match = await press.client.service.match(match.id, match.guild)
    return done_text(press, match, number, waiting)


def _own_move(match: Match) -> int:
    """The number of the last move that somebody has chosen himself; those behind it were played by themselves."""
    moves = [step for step in match.steps if step.move]
    while moves[-1].auto:
        moves.pop()
    return len(moves)


async def also_waiting(press: Press, match: Match) -> str:
    """Which other games in that server wait for whoever has moved, in a sentence; empty where none do."""
    user = press.user.id
    try:
        games = await press.client.service.games_of(match.guild, user)
    except StoreError:
        return ""  # his move is stored, and the next thing is to tell of it
    numbers = [f"#{game.id}" for game in games if game.to_move == user and game.id != match.id]
    if not numbers:
        return ""
    key = "move.waiting" if len(numbers) <= MOST_NAMED else "move.waiting-more"
    named = ", ".join(numbers[:MOST_NAMED])
    return text(reader(press), key, games=named, count=len(numbers) - MOST_NAMED)


def done_text(press: Press, match: Match, number: int, waiting: str) -> str:
    """That the move of that number is played, where its board is if not here, and what else waits for the player."""
    assert match.game is not None
    locale = reader(press)
    there = text(locale, "move.see", where=f"<#{match.where}>") if match.where != press.channel_id else ""
    played = format_move(match.game.moves[number - 1], match.variant.board)
    done = text(locale, "move.done", move=played, id=match.id, where=there).strip()
    return f"{done}\n{waiting}" if waiting else done
