"""Puzzles in words; the puzzle of the day, posted in the server's channel, and on the next day its solution with the
number of solvers; and `/puzzle`: positions with one winning first move, tried on the private board.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, NamedTuple, Self

from discord import ButtonStyle, app_commands

from bot.core.draft import Draft
from bot.core.results import pages_of
from bot.core.settings import DEFAULT_USER_SETTINGS, UserSettings
from bot.discordkit.components import Button, CountField, Family, FieldFormat, NonceField
from bot.discordkit.paging import page_footer, page_of
from bot.discordkit.reply import (
    Interaction,
    acknowledge_press,
    make_attachment,
    make_view,
    picture_file,
    send_answer,
    think_beside,
    update_message,
)
from bot.discordkit.slash import localized_choices, slash_command
from bot.play.announcing.outbox import send_with_retries
from bot.play.caller import Caller, run_heavy_in_steps
from bot.play.composer.handlers import answer_with_panel, register_handlers, resume_panel, update_panel
from bot.play.composer.purpose import BoardPanel, EndField, Look, PanelContent, PathField
from bot.play.context import BotContext, Done, Post
from bot.play.options import VARIANT_CHOICES
from bot.play.sheets import ANY_VARIANT, OPEN_BUTTONS, Sheet, SheetContent, draws_sheets, page_buttons
from bot.puzzles import service as puzzle_service
from bot.puzzles.service import Attempt, PuzzlePost, PuzzleStandings, Solver
from bot.store import Job
from bot.texts.i18n import Language, plural_text, text
from bot.texts.people import mention_user
from bot.texts.sentences import colour_name, moves_with_emblems, seat_emblem, sides_texts, variant_name
from engine.puzzles import DIFFICULTIES, Puzzle
from render import THEMES, Mark, MarkKind, View
from render.replay import Replay, ReplayPly, render_gif_in_steps
from rules import Game, Seat, format_move
from rules.game import positions_along

TABLE_LINES = 10
"""Rows of a table on one page."""


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


def table_pages(standings: PuzzleStandings) -> int:
    """How many pages the longer of the two tables takes."""
    return pages_of(max(len(standings.of_day), len(standings.of_month)), TABLE_LINES)


def tables_text(locale: Language, standings: PuzzleStandings, page: int = 0) -> str:
    """That page of the tables of the day and the month, and the reader's own streak of days."""
    if standings.day is None:
        return text(locale, "puzzle.table.none-yet")
    streak = standings.streak
    lines = [
        *_table_lines(locale, standings.of_day, page, "day"),
        *_table_lines(locale, standings.of_month, page, "month"),
        plural_text(locale, "puzzle.table.streak", streak) if streak else text(locale, "puzzle.table.no-streak"),
        page_footer(locale, page, table_pages(standings)),
    ]
    return "\n".join(filter(None, lines))


def _table_lines(locale: Language, solvers: Sequence[Solver], number: int, name: str) -> list[str]:
    """Returns the title of a table, and that page of it; nothing beyond its last page."""
    if number >= pages_of(len(solvers), TABLE_LINES):
        return []
    lines, page = [text(locale, f"puzzle.table.{name}")], page_of(solvers, number, TABLE_LINES)
    if not solvers:
        lines.append(text(locale, "puzzle.table.nobody"))
    for place, solver in enumerate(page.items, page.first + 1):
        tries = plural_text(locale, "puzzle.table.tries", solver.tries)
        hints = plural_text(locale, "puzzle.table.hints", solver.hinted) if solver.hinted else ""
        values = {"place": place, "player": mention_user(solver.user, locale), "tries": tries, "hints": hints}
        lines.append(plural_text(locale, f"puzzle.table.of-{name}", solver.solved, **values))
    return lines


# The puzzle of the day

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
    """Returns the post of the puzzle with its board, or of the solution as an animation."""
    locale, puzzle, guild = context.server_language(due.guild), due.puzzle, due.guild
    if due.solution:
        gif = await context.pictures.thread.run_steps(render_gif_in_steps(solution_replay(puzzle)))
        picture = partial(make_attachment, gif, f"solution-{puzzle.id}.gif", solution_words(locale, puzzle))
        content, buttons = solution_of_day(locale, puzzle, due.found, due.tried), [table_button(locale)]
    else:
        png = await context.pictures.draw_board(View(puzzle.position), public=True)
        picture = partial(picture_file, png, f"puzzle-{puzzle.id}", puzzle_words(locale, puzzle))
        state = PuzzleState(puzzle.id, due.day)
        solve = PUZZLE_BUTTONS.make_button("open", state, text(locale, "button.solve"), ButtonStyle.primary)
        content, buttons = daily_text(locale, puzzle), [solve, table_button(locale)]
    nonce = f"p{guild:x}:{due.day}:{int(due.solution)}"
    return Post(channel, guild, content, nonce[-25:], buttons=buttons, files=[picture])


def table_button(locale: Language) -> Button:
    """Returns the button that opens the puzzle tables."""
    return OPEN_BUTTONS.make_button("", Sheet(PUZZLE_TABLE_SHEET, ANY_VARIANT), text(locale, "button.puzzle-table"))


def solution_replay(
    puzzle: Puzzle, settings: UserSettings = DEFAULT_USER_SETTINGS, reader: Seat | None = None
) -> Replay:
    """Returns the solution as an animation for everybody, or for the solver, as they like boards."""
    plies = [*map(ReplayPly, puzzle.line, positions_along(puzzle.position, puzzle.line))]
    bottom = settings.bottom_seat(puzzle.position.variant, reader)
    return Replay(puzzle.position, plies, bottom, theme=THEMES[settings.theme])


DIFFICULTY_CHOICES = localized_choices("choice.difficulty", DIFFICULTIES)


@dataclass(frozen=True)
class PuzzlePanel(BoardPanel[PuzzleState]):
    """A puzzle that a person tries."""

    buttons = menus = PUZZLE_BUTTONS
    forms = PUZZLE_BUTTONS, "typed"
    commit_label = "try-it"
    shows_all_pieces = True

    place: PuzzleState
    puzzle: Puzzle

    @classmethod
    async def from_state(cls, interaction: Interaction, place: PuzzleState) -> Self | None:
        caller = Caller(interaction)
        panel = cls(place, await puzzle_service.find_puzzle(caller.service.reader, caller.guild_or_none, place.id))
        attempt = await puzzle_service.current_attempt(caller.service, caller.person, place.day, panel.puzzle)
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
        return puzzle_title(locale, self.puzzle, daily=bool(self.place.day))

    def board_words(self, locale: Language) -> str:
        return puzzle_words(locale, self.puzzle)

    def own_items(self, panel: PanelContent) -> Iterator[Button]:
        yield PUZZLE_BUTTONS.make_button("hint", panel.place, text(panel.locale, "button.hint"))
        yield PUZZLE_BUTTONS.make_button("solution", panel.place, text(panel.locale, "button.solution"))

    async def finish(self, interaction: Interaction, draft: Draft, *, sure: bool) -> None:
        """Counts the try, and says whether the move is the solution."""
        assert draft.turn is not None
        caller, move = Caller(interaction), draft.turn.move
        await acknowledge_press(interaction)
        attempt = await puzzle_service.attempt_move(caller.service, caller.person, self.place.day, self.puzzle, move)
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
async def open_another_puzzle(interaction: Interaction, place: PuzzleState) -> None:
    """Replaces a finished puzzle with another of the same variant and difficulty."""
    caller = Caller(interaction)
    last_puzzle = await puzzle_service.find_puzzle(caller.service.reader, caller.guild_or_none, place.id)
    state = await _choose_puzzle(interaction, last_puzzle.position.variant.key, last_puzzle.difficulty)
    if panel := await PuzzlePanel.from_state(interaction, state):
        await update_panel(interaction, panel)


async def give_help(interaction: Interaction, place: PuzzleState, **noted: bool) -> None:
    """Notes that the person was helped, and says which piece starts the solution; or, once nothing is left to find,
    shows it."""
    if resumed := await resume_panel(PuzzlePanel, interaction, place):
        (panel, draft), caller = resumed, Caller(interaction)
        await acknowledge_press(interaction)
        attempt = await puzzle_service.change_attempt(
            caller.service, caller.person, place.day, panel.puzzle, lambda attempt: attempt._replace(**noted)
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
    caller = Caller(interaction)
    puzzle = await puzzle_service.choose_puzzle(caller.service, caller.person, variant, difficulty)
    return PuzzleState(puzzle.id)


@PUZZLE_BUTTONS.register_handler("open", first=think_beside)
async def open_puzzle(interaction: Interaction, place: PuzzleState) -> None:
    """Answers with that puzzle, or with its solution for a person who has finished it."""
    if panel := await PuzzlePanel.from_state(interaction, place):
        await answer_with_panel(interaction, panel)


async def show_solution(interaction: Interaction, panel: PuzzlePanel, attempt: Attempt) -> None:
    """Shows the solution as an animation, with the person's result."""
    caller, puzzle, place = Caller(interaction), panel.puzzle, panel.place._replace(end=None, path="", fresh="")
    content = over_text(caller.locale, puzzle, attempt, daily=bool(place.day))
    buttons = [
        PUZZLE_BUTTONS.make_button("another", place, text(caller.locale, "button.another-puzzle"), ButtonStyle.primary)
    ]
    if caller.guild_or_none is not None:
        buttons.append(table_button(caller.locale))
    film = solution_replay(puzzle, await caller.load_settings(), panel.reader)
    gif = await run_heavy_in_steps(interaction, render_gif_in_steps(film))
    files = [make_attachment(gif, f"solution-{puzzle.id}.gif", solution_words(caller.locale, puzzle))]
    if interaction.message is None or not interaction.message.flags.ephemeral:
        await send_answer(interaction, content, files=files, view=make_view(*buttons))
    else:
        await update_message(interaction, content, view=make_view(*buttons), files=files)


@draws_sheets(PUZZLE_TABLE_SHEET)
async def show_tables(interaction: Interaction, request: Sheet) -> SheetContent:
    """Returns who has solved the puzzle of the day, and how many each person has solved this month: a page of both."""
    caller = Caller(interaction)
    standings = await puzzle_service.load_standings(caller.service.reader, caller.guild, caller.user, caller.now)
    pages = table_pages(standings)
    request = request._replace(page=min(request.page, pages - 1))
    words = tables_text(caller.locale, standings, request.page)
    return SheetContent(words, page_buttons(caller.locale, request, pages))
