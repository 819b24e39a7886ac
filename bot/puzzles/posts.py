"""The puzzle of the day: posted in the server's channel, and on the next day its solution with the number of
solvers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextlib import suppress
from functools import partial
from typing import Annotated, NamedTuple

import discord
import structlog
from discord import ButtonStyle

from bot.core.match import Match
from bot.discordkit.components import Button, CountField, Family, FieldFormat, NonceField
from bot.discordkit.fair_thread import Priority
from bot.discordkit.permissions import Trouble, trouble_at
from bot.discordkit.reply import make_attachment, picture_file
from bot.play.announcing.outbox import Outbox, Post
from bot.play.composer.state import EndField, PathField
from bot.play.context import BotContext
from bot.play.engine import EngineAway, EngineStuck
from bot.play.sheets import ANY_VARIANT, OPEN_BUTTONS, Sheet
from bot.puzzles.service import Attempt, PuzzlePost, Puzzles, Solver
from bot.texts.i18n import Language, plural_text, text
from bot.texts.people import mention_user
from bot.texts.sentences import colour_name, moves_with_emblems, seat_emblem, sides_texts, variant_name
from engine.puzzles import Puzzle
from render import View
from render.replay import Replay, ReplayPly
from render.theme import THEMES, Theme
from rules import Move, Position, format_move
from rules.game import resolve_passes

MAX_TABLE_LINES = 10
"""The most rows of a table."""


def task_text(locale: Language, puzzle: Puzzle) -> str:
    """ "🔵 Blue to move and win in two."."""
    variant, seat = puzzle.position.variant, puzzle.position.turn
    key = f"puzzle.task.in-{puzzle.moves}"
    return text(locale, key, emblem=seat_emblem(variant, seat), colour=colour_name(locale, variant, seat))


def puzzle_title(locale: Language, puzzle: Puzzle, *, daily: bool) -> str:
    """The puzzle's kind, and the task."""
    key = "puzzle.title-daily" if daily else "puzzle.title"
    name, grade = variant_name(locale, puzzle.position.variant), text(locale, f"choice.difficulty.{puzzle.difficulty}")
    lines = [text(locale, key, variant=name, difficulty=grade), task_text(locale, puzzle)]
    if puzzle.moves > 1 and sum(map(puzzle.position.is_playing, puzzle.position.variant.seats)) > 2:
        lines.append(text(locale, "puzzle.three"))
    return "\n".join(lines)


def daily_text(locale: Language, puzzle: Puzzle) -> str:
    """The post of the puzzle of the day."""
    return f"{puzzle_title(locale, puzzle, daily=True)}\n{text(locale, 'puzzle.daily-how')}"


def solution_of_day(locale: Language, puzzle: Puzzle, found: int, tried: int) -> str:
    """The post of a solution, and how many of those who tried found it."""
    name = variant_name(locale, puzzle.position.variant)
    solvers_text = (
        plural_text(locale, "puzzle.found", found, tried=tried) if tried else text(locale, "puzzle.found-none")
    )
    return "\n".join(
        [
            text(locale, "puzzle.last", variant=name),
            task_text(locale, puzzle),
            solution_line(locale, puzzle),
            solvers_text,
        ]
    )


def solution_line(locale: Language, puzzle: Puzzle) -> str:
    """The solution, move by move with the colours."""
    return text(locale, "puzzle.solution", line=moves_with_emblems(puzzle.position, puzzle.line))


def puzzle_words(locale: Language, puzzle: Puzzle) -> str:
    """Returns the alt text of the picture, without the emoji and markup that screen readers would read out."""
    variant, seat = puzzle.position.variant, puzzle.position.turn
    sentence = text(locale, f"puzzle.task.in-{puzzle.moves}", emblem="", colour=colour_name(locale, variant, seat))
    return " ".join([sentence.replace("**", "").strip(), *sides_texts(locale, puzzle.position)])


def solution_words(locale: Language, puzzle: Puzzle) -> str:
    """The alt text of the animation."""
    return solution_line(locale, puzzle).replace("`", "")


def over_text(locale: Language, puzzle: Puzzle, attempt: Attempt, *, daily: bool) -> str:
    """The text for a reader who has nothing left to find."""
    lines = [puzzle_title(locale, puzzle, daily=daily)]
    if attempt.solved:
        key = "puzzle.solved-hinted" if attempt.hinted else "puzzle.solved"
        lines.append(plural_text(locale, key, attempt.tries))
    elif daily:
        lines.append(text(locale, "puzzle.given-up"))
    return "\n".join([*lines, solution_line(locale, puzzle)])


def wrong_move_text(locale: Language, puzzle: Puzzle, move: Move) -> str:
    """Says that this move is not the solution."""
    return text(locale, f"puzzle.wrong.in-{puzzle.moves}", move=format_move(move, puzzle.position.variant.board))


def hint_text(locale: Language, puzzle: Puzzle) -> str:
    """The piece that begins the solution."""
    (cell,) = puzzle.position.names([puzzle.line[0].start])
    return text(locale, "puzzle.hint", cell=cell)


def tables_text(
    locale: Language, of_day: Sequence[Solver], of_month: Sequence[Solver], streak: int, *, posted: bool
) -> str:
    """The tables of the day and the month, and the reader's own streak of days."""
    if not posted:
        return text(locale, "puzzle.table.none-yet")
    lines = [text(locale, "puzzle.table.day"), *_table_lines(locale, of_day, "puzzle.table.of-day")]
    lines += [text(locale, "puzzle.table.month"), *_table_lines(locale, of_month, "puzzle.table.of-month")]
    lines.append(
        plural_text(locale, "puzzle.table.streak", streak) if streak else text(locale, "puzzle.table.no-streak")
    )
    return "\n".join(lines)


def _table_lines(locale: Language, solvers: Sequence[Solver], key: str) -> list[str]:
    if not solvers:
        return [text(locale, "puzzle.table.nobody")]
    lines = []
    for place, solver in enumerate(solvers[:MAX_TABLE_LINES], start=1):
        tries = plural_text(locale, "puzzle.table.tries", solver.tries)
        hints = plural_text(locale, "puzzle.table.hints", solver.hinted) if solver.hinted else ""
        values = {"place": place, "player": mention_user(solver.user, locale), "tries": tries, "hints": hints}
        lines.append(plural_text(locale, key, solver.solved, **values))
    if len(solvers) > MAX_TABLE_LINES:
        lines.append(plural_text(locale, "puzzle.table.more", len(solvers) - MAX_TABLE_LINES))
    return lines


log = structlog.get_logger()

PUZZLE_TABLE_SHEET = "puzzles"
"""The sheet with the puzzle tables."""

PuzzleIdField = Annotated[str, FieldFormat("[0-9a-f]{10}")]


class PuzzleState(NamedTuple):
    """The puzzle that a panel shows, and the part of the move that is chosen."""

    id: PuzzleIdField
    day: CountField = 0
    """The day in the server's calendar whose puzzle it is; 0 for other puzzles."""
    end: EndField = None
    path: PathField = ""
    fresh: NonceField = ""
    """Used by menus only."""


PUZZLE_BUTTONS = Family("rt-riddle", PuzzleState)
"""The buttons of puzzles. The button "open" stands below the puzzle of the day."""


class PuzzleAnnouncer(Outbox[int, PuzzlePost]):
    """Posts each day's puzzle in a server, and the solution of the previous one."""

    async def due_subjects(self) -> Sequence[tuple[Hashable, int]]:
        """Returns the servers with something to post, each with its lane."""
        guilds = await self._context.service.part(Puzzles).unannounced_servers()
        return [(("puzzles", guild), guild) for guild in guilds]

    async def load_due(self, guild: int) -> Sequence[PuzzlePost]:
        """Returns what has not been posted, in order; nothing without a channel for puzzles."""
        return await self._context.service.part(Puzzles).posts_due(guild) if self._puzzle_channel(guild) else ()

    async def post_item(self, post: PuzzlePost) -> discord.Message | None:
        """Posts the puzzle with its board, or the solution as an animation."""
        locale, puzzle = self._context.server_language(post.guild), post.puzzle
        if post.solution:
            gif = await self._context.pictures.animate_moves(solution_replay(puzzle), Priority.LATER)
            picture = partial(make_attachment, gif, f"solution-{puzzle.id}.gif", solution_words(locale, puzzle))
            content, buttons = solution_of_day(locale, puzzle, post.found, post.tried), [table_button(locale)]
        else:
            png = await self._context.pictures.draw_board(View(puzzle.position, puzzle.position.turn), Priority.PUBLIC)
            picture = partial(picture_file, png, f"puzzle-{puzzle.id}", puzzle_words(locale, puzzle))
            state = PuzzleState(puzzle.id, post.day)
            solve = PUZZLE_BUTTONS.make_button("open", state, text(locale, "button.solve"), ButtonStyle.primary)
            content, buttons = daily_text(locale, puzzle), [solve, table_button(locale)]
        nonce = f"p{post.guild:x}:{post.day}:{int(post.solution)}"
        return await self.send_post(
            Post(
                channel=self._puzzle_channel(post.guild) or 0,
                guild=post.guild,
                content=content,
                nonce=nonce[-25:],
                buttons=buttons,
                files=[picture],
            )
        )

    async def mark_told(self, post: PuzzlePost, message: discord.Message | None, *, latest: bool) -> None:
        """Marks the post as made."""
        await self._context.service.part(Puzzles).mark_posted(post)

    def trouble_with(self, post: PuzzlePost, error: Exception) -> Trouble:
        """Returns what keeps it from being posted."""
        return trouble_at(self._context.client, post.guild, self._puzzle_channel(post.guild) or 0, error)

    def log_fields(self, guild: int) -> dict[str, object]:
        """Returns the server for the log."""
        return {"guild": guild, "puzzle": True}

    def _puzzle_channel(self, guild: int) -> int | None:
        return self._context.servers.settings_of(guild).puzzle_channel


async def tick_puzzles(context: BotContext, now: int) -> None:
    """Chooses the puzzles of the day that are due."""
    await context.service.part(Puzzles).tick(now)


async def mine_next_game(context: BotContext) -> None:
    """Looks for puzzles in the next finished game whose players allow it, for the puzzles of its server."""
    with context.service.attempts.contain_failures("puzzles of games"):
        next_game = await context.service.part(Puzzles).next_to_mine()
        if next_game is not None:
            await _search_for_puzzles(context, *next_game)


async def _search_for_puzzles(context: BotContext, match: Match, positions: list[Position]) -> None:
    puzzles, within = [], context.timings.mining_timeout_s
    try:
        for position in positions:
            with suppress(EngineStuck):  # the next position may still work
                puzzles.append(await context.engine.ask("find_puzzle", position, within=within))
    except EngineAway as error:
        log.info("game not looked through", match=match.id, error=str(error))
        return
    await context.service.part(Puzzles).note_searched(match, [puzzle for puzzle in puzzles if puzzle])


def table_button(locale: Language) -> Button:
    """Returns the button that opens the puzzle tables."""
    return OPEN_BUTTONS.make_button("", Sheet(PUZZLE_TABLE_SHEET, ANY_VARIANT), text(locale, "button.puzzle-table"))


def solution_replay(puzzle: Puzzle, theme: Theme = THEMES["default"]) -> Replay:
    """Returns the solution as an animation, seen from the solver's side."""
    plies, position = [], puzzle.position
    for move in puzzle.line:
        position = resolve_passes(position.after_move(move))[0]
        plies.append(ReplayPly(move, position))
    return Replay(puzzle.position, plies, puzzle.position.turn, theme=theme)
