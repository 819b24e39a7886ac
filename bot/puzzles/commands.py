"""Puzzles in words; the puzzle of the day, posted in the server's channel, and on the next day its solution with the
number of solvers; and `/puzzle`: positions with one winning first move, tried on the private board.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Annotated, NamedTuple, Self

from discord import ButtonStyle, app_commands

from bot.core.draft import Draft
from bot.discordkit.components import Button, CountField, Family, FieldFormat, NonceField
from bot.discordkit.paging import page_of
from bot.discordkit.reply import Interaction, acknowledge_press, make_view, picture_file, think_beside, update_message
from bot.discordkit.slash import localized_choices, slash_command
from bot.play.announcing.outbox import send_with_retries
from bot.play.board import add_board, viewer_of
from bot.play.caller import caller_of
from bot.play.composer.handlers import register_handlers, resume_panel
from bot.play.composer.panel import BoardPanel, Look, PanelContent, answer_with_panel, update_panel
from bot.play.context import BotContext, Done, EndField, PathField, Post
from bot.play.options import VARIANT_CHOICES
from bot.play.sheets import ANY_VARIANT, OPEN_BUTTONS, Sheet, SheetContent, draws_sheets, page_buttons
from bot.puzzles import service as puzzle_service
from bot.puzzles.service import Attempt, PuzzlePost, PuzzleStandings, positions_of_puzzle
from bot.store import Job
from bot.texts.i18n import Language, plural_text, text
from bot.texts.people import mention_user
from bot.texts.sentences import colour_name, moves_with_emblems, seat_emblem, sides_texts, variant_name
from engine.puzzles import DIFFICULTIES, Puzzle
from render import Mark, MarkKind, View
from rules import Game, Seat, format_move
from rules.game import positions_along

TABLE_LINES = 24
"""Lines of the tables on one page."""


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
    last = text(locale, "puzzle.last", variant=variant_name(locale, puzzle.position.variant))
    solvers = plural_text(locale, "puzzle.found", found, tried=tried) if tried else text(locale, "puzzle.found-none")
    return "\n".join([last, task_text(locale, puzzle), solution_line(locale, puzzle), solvers])


def solution_line(locale: Language, puzzle: Puzzle) -> str:
    """The solution, move by move with the colours."""
    return text(locale, "puzzle.solution", line=moves_with_emblems(puzzle.position, puzzle.line))


def puzzle_words(locale: Language, puzzle: Puzzle) -> str:
    """Returns the alt text of the picture, without the emoji and markup that screen readers would read out."""
    variant, seat = puzzle.position.variant, puzzle.position.turn
    sentence = text(locale, f"puzzle.task.in-{puzzle.moves}", emblem="", colour=colour_name(locale, variant, seat))
    return " ".join([sentence.replace("**", "").strip(), *sides_texts(locale, puzzle.position)])


def solution_words(locale: Language, puzzle: Puzzle) -> str:
    """The alt text of the solution's board."""
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


def table_lines(locale: Language, standings: PuzzleStandings) -> list[str]:
    """Returns the tables of the day and the month."""
    lines = list[str]()
    for name, solvers in (("day", standings.of_day), ("month", standings.of_month)):
        lines.append(text(locale, f"puzzle.table.{name}"))
        for number, solver in enumerate(solvers, 1):
            tries = plural_text(locale, "puzzle.table.tries", solver.tries)
            hints = plural_text(locale, "puzzle.table.hints", solver.hinted) if solver.hinted else ""
            values = {"place": number, "player": mention_user(solver.user, locale), "tries": tries, "hints": hints}
            lines.append(plural_text(locale, f"puzzle.table.of-{name}", solver.solved, **values))
        if not solvers:
            lines.append(text(locale, "puzzle.table.nobody"))
    return lines


# The puzzle of the day

PUZZLE_TABLE_SHEET = "puzzles"
"""The sheet with the puzzle tables."""


class PuzzleState(NamedTuple):
    """The puzzle that a panel shows, and the part of the move that is chosen."""

    id: Annotated[str, FieldFormat("[0-9a-f]{10}")]
    day: CountField = 0
    """The day in the server's calendar whose puzzle it is; 0 for other puzzles."""
    end: EndField = None
    path: PathField = ""
    fresh: NonceField = ""


PUZZLE_BUTTONS = Family("rt-riddle", PuzzleState)
"""The buttons of puzzles. The button "open" stands below the puzzle of the day."""


async def post_puzzles(context: BotContext, job: Job) -> Done:
    """Posts the solutions of earlier puzzles of the day, then the latest puzzle."""
    channel = context.servers.settings_of(job.guild).puzzle_channel
    if channel is None:
        return Done()
    for due in await puzzle_service.posts_due(context.service, job.guild):
        await send_with_retries(context, await _compose_post(context, due, channel))
        await puzzle_service.mark_posted(context.service, due)
    return Done()


async def _compose_post(context: BotContext, due: PuzzlePost, channel: int) -> Post:
    """Returns the post of the puzzle, or of its solution, with the board."""
    locale, puzzle, guild = context.server_language(due.guild), due.puzzle, due.guild
    if due.solution:
        view, name, words = solution_view(puzzle), f"solution-{puzzle.id}", solution_words(locale, puzzle)
        content, buttons = solution_of_day(locale, puzzle, due.found, due.tried), [table_button(locale)]
    else:
        view, name, words = View(puzzle.position), f"puzzle-{puzzle.id}", puzzle_words(locale, puzzle)
        state = PuzzleState(puzzle.id, due.day)
        solve = PUZZLE_BUTTONS.make_button("open", state, text(locale, "button.solve"), ButtonStyle.primary)
        content, buttons = daily_text(locale, puzzle), [solve, table_button(locale)]
    picture = partial(picture_file, await context.pictures.draw_board(view, public=True), name, words)
    nonce = f"p{guild:x}:{due.day}:{int(due.solution)}"
    return Post(channel, guild, content, nonce[-25:], buttons=buttons, files=[picture])


def table_button(locale: Language) -> Button:
    """Returns the button that opens the puzzle tables."""
    return OPEN_BUTTONS.make_button("", Sheet(PUZZLE_TABLE_SHEET, ANY_VARIANT), text(locale, "button.puzzle-table"))


def solution_view(puzzle: Puzzle, reader: Seat | None = None) -> View:
    """Returns the board after the solution, with its moves numbered: for everybody, or for the solver."""
    chain = tuple(zip(positions_of_puzzle(puzzle), puzzle.line, strict=True))
    return View(positions_along(puzzle.position, puzzle.line)[-1], chain=chain, to_move=False, reader=reader)


DIFFICULTY_CHOICES = localized_choices("choice.difficulty", DIFFICULTIES)


@dataclass(frozen=True)
class PuzzlePanel(BoardPanel[PuzzleState]):
    """A puzzle that a person tries."""

    buttons = menus = PUZZLE_BUTTONS
    forms = PUZZLE_BUTTONS, "typed"
    commit_label = "try-it"
    shows_all_pieces = True

    cursor: PuzzleState
    puzzle: Puzzle

    @classmethod
    async def from_state(cls, interaction: Interaction, cursor: PuzzleState) -> Self | None:
        caller = caller_of(interaction)
        panel = cls(cursor, await puzzle_service.find_puzzle(caller.service.reader, caller.guild_or_none, cursor.id))
        attempt = await puzzle_service.current_attempt(caller.service, caller.person, cursor.day, panel.puzzle)
        if attempt.is_over:
            await show_solution(interaction, panel, attempt)
            return None
        return panel

    @property
    def game(self) -> Game:
        return Game.from_position(self.puzzle.position)

    @property
    def picture_name(self) -> str:
        return f"puzzle-{self.puzzle.id}"

    def title(self, locale: Language) -> str:
        return puzzle_title(locale, self.puzzle, daily=bool(self.cursor.day))

    def board_words(self, locale: Language) -> str:
        return puzzle_words(locale, self.puzzle)

    def own_items(self, panel: PanelContent) -> Iterator[Button]:
        yield PUZZLE_BUTTONS.make_button("hint", panel.cursor, text(panel.locale, "button.hint"))
        yield PUZZLE_BUTTONS.make_button("solution", panel.cursor, text(panel.locale, "button.solution"))

    async def finish(self, interaction: Interaction, draft: Draft, *, sure: bool) -> None:
        """Counts the try, and says whether the move is the solution."""
        assert draft.turn is not None
        caller, move = caller_of(interaction), draft.turn.move
        await acknowledge_press(interaction)
        attempt = await puzzle_service.attempt_move(caller.service, caller.person, self.cursor.day, self.puzzle, move)
        if attempt.is_over:
            await show_solution(interaction, self, attempt)
        else:
            notation = format_move(move, self.puzzle.position.variant.board)
            remark = text(caller.locale, f"puzzle.wrong.in-{self.puzzle.moves}", move=notation)
            await update_panel(interaction, self, Look(remark=remark))


register_handlers(PuzzlePanel, "sure")


@slash_command("puzzle")
@app_commands.choices(variant=VARIANT_CHOICES, difficulty=DIFFICULTY_CHOICES)
async def puzzle_command(interaction: Interaction, variant: str | None = None, difficulty: str | None = None) -> None:
    """Opens a puzzle that the person has not tried."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    await open_puzzle(interaction, await _choose_puzzle(interaction, variant, difficulty))


@PUZZLE_BUTTONS.register_handler("another", first=acknowledge_press)
async def open_another_puzzle(interaction: Interaction, cursor: PuzzleState) -> None:
    """Replaces a finished puzzle with another of the same variant and difficulty."""
    caller = caller_of(interaction)
    last_puzzle = await puzzle_service.find_puzzle(caller.service.reader, caller.guild_or_none, cursor.id)
    state = await _choose_puzzle(interaction, last_puzzle.position.variant.key, last_puzzle.difficulty)
    if panel := await PuzzlePanel.from_state(interaction, state):
        await update_panel(interaction, panel)


async def give_help(interaction: Interaction, cursor: PuzzleState, **noted: bool) -> None:
    """Notes that the person was helped, and says which piece starts the solution; or, once nothing is left to find,
    shows it."""
    if resumed := await resume_panel(PuzzlePanel, interaction, cursor):
        (panel, draft), caller = resumed, caller_of(interaction)
        await acknowledge_press(interaction)
        attempt = await puzzle_service.change_attempt(
            caller.service, caller.person, cursor.day, panel.puzzle, lambda attempt: attempt._replace(**noted)
        )
        if attempt.is_over:
            await show_solution(interaction, panel, attempt)
            return
        start = panel.puzzle.line[0].start
        hint = text(caller.locale, "puzzle.hint", cell=panel.puzzle.position.names([start])[0])
        await update_panel(interaction, panel, Look(draft.path, remark=hint, marks=(Mark(start, MarkKind.HINT),)))


PUZZLE_BUTTONS.register_handler("hint")(partial(give_help, hinted=True))
PUZZLE_BUTTONS.register_handler("solution")(partial(give_help, shown=True))


async def _choose_puzzle(interaction: Interaction, variant: str | None, difficulty: str | None) -> PuzzleState:
    caller = caller_of(interaction)
    return PuzzleState((await puzzle_service.choose_puzzle(caller.service, caller.person, variant, difficulty)).id)


@PUZZLE_BUTTONS.register_handler("open", first=think_beside)
async def open_puzzle(interaction: Interaction, cursor: PuzzleState) -> None:
    """Answers with that puzzle, or with its solution for a person who has finished it."""
    if panel := await PuzzlePanel.from_state(interaction, cursor):
        await answer_with_panel(interaction, panel)


async def show_solution(interaction: Interaction, panel: PuzzlePanel, attempt: Attempt) -> None:
    """Shows the solution on one board, with the person's result."""
    caller, puzzle, cursor = caller_of(interaction), panel.puzzle, panel.cursor._replace(end=None, path="", fresh="")
    content = over_text(caller.locale, puzzle, attempt, daily=bool(cursor.day))
    another = text(caller.locale, "button.another-puzzle")
    buttons = [PUZZLE_BUTTONS.make_button("another", cursor, another, ButtonStyle.primary)]
    if caller.guild_or_none is not None:
        buttons.append(table_button(caller.locale))
    view, alt = solution_view(puzzle, panel.reader), solution_words(caller.locale, puzzle)
    viewer = await viewer_of(interaction)
    content, files = await add_board(interaction, viewer, content, view, f"solution-{puzzle.id}", alt)
    await update_message(interaction, content, view=make_view(*buttons), files=files)


@draws_sheets(PUZZLE_TABLE_SHEET)
async def show_tables(interaction: Interaction, request: Sheet) -> SheetContent:
    """Returns who has solved the puzzle of the day, and how many each person has solved this month: a page of both."""
    caller = caller_of(interaction)
    locale = caller.locale
    standings = await puzzle_service.load_standings(caller.service.reader, caller.guild, caller.user, caller.now)
    if standings.day is None:
        return SheetContent(text(locale, "puzzle.table.none-yet"))
    page, streak = page_of(table_lines(locale, standings), request.page, TABLE_LINES), standings.streak
    told = plural_text(locale, "puzzle.table.streak", streak) if streak else text(locale, "puzzle.table.no-streak")
    words = "\n".join(filter(None, [*page.items, told, page.footer(locale)]))
    return SheetContent(words, page_buttons(locale, request._replace(page=page.number), page.pages))
