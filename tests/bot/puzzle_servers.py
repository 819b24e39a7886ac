"""Helpers for the tests of puzzles: a morning, and a server with a daily puzzle."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from random import Random
from zoneinfo import ZoneInfo

from bot.play.service import Service, people
from bot.puzzles.service import choose_due_puzzles, mark_posted, posts_due
from engine.puzzles import Puzzle, shipped_puzzles
from rules import Move, legal_moves
from tests.bot.playing import CHANNEL, GUILD

OSLO = ZoneInfo("Europe/Oslo")
MORNING = int(datetime(2026, 11, 23, 9, 0, tzinfo=OSLO).timestamp())
TODAY = datetime(2026, 11, 23).toordinal()  # noqa: DTZ001 - a date
CHANCE = Random(1)


async def ask_for_a_daily(service: Service) -> None:
    """Sets the server's puzzle channel, and Oslo for its time of day."""
    await people.change_guild_settings(
        service, GUILD, lambda known: replace(known, puzzle_channel=CHANNEL, zone="Europe/Oslo")
    )


def a_puzzle(key: str = "tri-camelot", place: int = 0) -> Puzzle:
    """Returns one of the shipped puzzles of a variant."""
    return shipped_puzzles(key)[place]


def another_move(puzzle: Puzzle) -> Move:
    """Returns a legal move that does not solve the puzzle."""
    return next(move for move in legal_moves(puzzle.position) if not puzzle.solved_by(move))


async def daily(service: Service, now: int) -> Puzzle:
    """Posts the puzzle of the day and returns it."""
    await choose_due_puzzles(service, now)
    posts = await posts_due(service, GUILD)
    for post in posts:
        await mark_posted(service, post)
    return posts[-1].puzzle
