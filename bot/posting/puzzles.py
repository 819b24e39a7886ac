"""The puzzle of the day: posted where the server wants it, the next day with its solution and how many found it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, NamedTuple

import discord
import structlog
from discord import ButtonStyle

from bot.kit.components import Button, Count, End, Family, Fresh, Path, Written
from bot.kit.engine import EngineAway, EngineStuck
from bot.kit.fair_thread import Priority
from bot.kit.permissions import Trouble, trouble_at
from bot.kit.reply import attachment, picture
from bot.kit.sheets import ANY, OPENING, Sheet
from bot.match.match import Match
from bot.posting.desk import Desk
from bot.posting.outbox import Outbox
from bot.service.puzzles import Post
from bot.texts.i18n import Language, text
from bot.texts.puzzles import daily_text, puzzle_words, solution_of_day, solution_words
from engine.puzzles import Puzzle
from render import View
from render.replay import Ply, Replay
from render.theme import THEMES, Theme
from rules import Position
from rules.game import settle

log = structlog.get_logger()

TABLE = "puzzles"
"""The sheet with the tables."""

Id = Annotated[str, Written("[0-9a-f]{10}")]


class RiddleState(NamedTuple):
    """Which puzzle a panel shows, and where in which move it is."""

    id: Id
    day: Count = 0
    """The day of the server's calendar whose puzzle it is; 0 if it is no day's."""
    end: End = None
    path: Path = ""
    fresh: Fresh = ""
    """Of menus only."""


RIDDLE = Family("rt-riddle", RiddleState)
"""The buttons of puzzles. One of them, "open", stands below the one of the day."""


class PuzzleAnnouncer(Outbox[int, Post]):
    """Posts the puzzle of each day in a server, and the solution of the one before."""

    async def due(self, guild: int) -> Sequence[Post]:
        """What has not been posted, in order."""
        return await self._desk.service.puzzles.due(guild) if self._channel(guild) else ()

    async def post(self, post: Post) -> discord.Message | None:
        """Post the puzzle with its board, or the solution as a moving picture."""
        locale, puzzle = self._desk.language(post.guild), post.puzzle
        if post.solution:
            gif = await self._desk.pictures.animate(solution_replay(puzzle), Priority.LATER)
            files = [attachment(gif, f"solution-{puzzle.id}.gif", solution_words(locale, puzzle))]
            said, buttons = solution_of_day(locale, puzzle, post.found, post.tried), [table_button(locale)]
        else:
            png = await self._desk.pictures.draw(View(puzzle.position, puzzle.position.turn), Priority.PUBLIC)
            files = [picture(png, f"puzzle-{puzzle.id}", puzzle_words(locale, puzzle))]
            state = RiddleState(puzzle.id, post.day)
            solve = RIDDLE.button("open", state, text(locale, "button.solve"), ButtonStyle.primary)
            said, buttons = daily_text(locale, puzzle), [solve, table_button(locale)]
        nonce = f"p{post.guild:x}:{post.day}:{int(post.solution)}"
        return await self._desk.send(
            self._channel(post.guild) or 0, said, nonce[-25:], guild=post.guild, buttons=buttons, files=files
        )

    async def mark(self, post: Post, message: discord.Message | None, *, latest: bool) -> None:
        """Note that it is posted."""
        await self._desk.service.puzzles.mark_posted(post)

    def trouble(self, post: Post, error: Exception) -> Trouble:
        """What keeps it from being posted."""
        return trouble_at(self._desk.client, post.guild, self._channel(post.guild) or 0, error)

    def named(self, guild: int) -> dict[str, object]:
        """What the log calls it."""
        return {"guild": guild, "puzzle": True}

    def _channel(self, guild: int) -> int | None:
        return self._desk.servers.settings(guild).puzzle_channel


MILL_WITHIN = 10.0
"""Seconds after which a position is left alone: somebody's house player may wait. Hardly one takes half a second."""


async def mill(desk: Desk) -> None:
    """Look through the next finished game that its players allow to be used, for puzzles of its server."""
    with desk.service.attempts.of("puzzles of games"):
        work = await desk.service.puzzles.to_mill()
        if work is not None:
            await _look_through(desk, *work)


async def _look_through(desk: Desk, match: Match, positions: list[Position]) -> None:
    found = []
    try:
        for position in positions:
            with suppress(EngineStuck):  # the next position is another question
                found.append(await desk.engine.ask("find_puzzle", position, within=MILL_WITHIN))
    except EngineAway as error:
        log.info("game not looked through", match=match.id, error=str(error))
        return
    await desk.service.puzzles.note_milled(match, [puzzle for puzzle in found if puzzle])


def table_button(locale: Language) -> Button:
    """The button that opens the tables."""
    return OPENING.button("", Sheet(TABLE, ANY), text(locale, "button.puzzle-table"))


def solution_replay(puzzle: Puzzle, theme: Theme = THEMES["default"]) -> Replay:
    """The solution as a moving picture, seen by who solves it."""
    plies, position = [], puzzle.position
    for move in puzzle.line:
        position = settle(position.after(move))[0]
        plies.append(Ply(move, position))
    return Replay(puzzle.position, plies, puzzle.position.turn, theme=theme)
