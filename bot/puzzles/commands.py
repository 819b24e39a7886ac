"""`/puzzle`: positions with one winning first move, tried on the private board; and the tables of solvers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import SystemRandom
from typing import Self

from discord import ButtonStyle, app_commands
from discord.ext import commands

from bot.core.draft import Draft
from bot.discordkit.components import Button, make_view
from bot.discordkit.reply import (
    Interaction,
    acknowledge_press,
    make_attachment,
    now,
    reader_language,
    send_answer,
    update_message,
)
from bot.discordkit.slash import localized_choices, slash_command
from bot.play.app import Caller, app_of, run_in_turn
from bot.play.composer.handlers import answer_with_panel, build_panel, register_handlers, resume_panel, update_panel
from bot.play.composer.purpose import BoardPanel, PanelContent
from bot.play.options import VARIANT_CHOICES
from bot.play.sheets import Sheet, SheetContent, register_sheet
from bot.puzzles.posts import (
    PUZZLE_BUTTONS,
    PUZZLE_TABLE_SHEET,
    PuzzleState,
    hint_text,
    over_text,
    puzzle_title,
    puzzle_words,
    solution_replay,
    solution_words,
    table_button,
    tables_text,
    wrong_move_text,
)
from bot.puzzles.service import Attempt, Puzzles
from bot.texts.i18n import Language, text
from engine.puzzles import DIFFICULTIES, Puzzle
from render import THEMES, Mark, MarkKind
from rules import Game

DIFFICULTY_CHOICES = localized_choices("choice.difficulty", DIFFICULTIES)

PUZZLE_RANDOM = SystemRandom()
"""The source of randomness for choosing puzzles."""


@dataclass(frozen=True)
class PuzzlePanel(BoardPanel):
    """A puzzle that a person tries."""

    buttons = menus = PUZZLE_BUTTONS
    forms = PUZZLE_BUTTONS, "typed"
    commit_label = "try-it"

    place: PuzzleState
    puzzle: Puzzle

    @classmethod
    async def from_state(cls, interaction: Interaction, place: PuzzleState) -> Self | None:
        caller = Caller(interaction)
        panel = cls(place, await caller.part(Puzzles).find_puzzle(caller.guild_or_none, place.id))
        attempt = await caller.part(Puzzles).load_attempt(caller.guild_or_none, caller.user, place.day, panel.puzzle)
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
        attempt = await caller.part(Puzzles).attempt_move(
            caller.guild_or_none, caller.user, self.place.day, self.puzzle, move, now()
        )
        if attempt.is_over:
            await show_solution(interaction, self, attempt)
        else:
            remark = wrong_move_text(caller.locale, self.puzzle, move)
            await update_panel(interaction, await build_panel(interaction, self, remark=remark))


register_handlers(PuzzlePanel, "sure")


class PuzzleCommands(commands.Cog):
    """Puzzles for one person."""

    @slash_command("puzzle")
    @app_commands.choices(variant=VARIANT_CHOICES, difficulty=DIFFICULTY_CHOICES)
    async def puzzle(self, interaction: Interaction, variant: str | None = None, difficulty: str | None = None) -> None:
        """Opens a puzzle that the person has not tried."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        await _open_puzzle(interaction, await _choose_puzzle(interaction, variant, difficulty))


@PUZZLE_BUTTONS.register_handler("open")
async def open_posted_puzzle(interaction: Interaction, place: PuzzleState) -> None:
    """Opens the puzzle of the day from its post, or its solution for a person who has finished it."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    await _open_puzzle(interaction, place._replace(end=None, path=""))


@PUZZLE_BUTTONS.register_handler("another")
async def open_another_puzzle(interaction: Interaction, place: PuzzleState) -> None:
    """Replaces a finished puzzle with another of the same variant and difficulty."""
    await interaction.response.defer()
    caller = Caller(interaction)
    last_puzzle = await caller.part(Puzzles).find_puzzle(caller.guild_or_none, place.id)
    state = await _choose_puzzle(interaction, last_puzzle.position.variant.key, last_puzzle.difficulty)
    if panel := await PuzzlePanel.from_state(interaction, state):
        await update_panel(interaction, await build_panel(interaction, panel))


@PUZZLE_BUTTONS.register_handler("hint")
async def give_puzzle_hint(interaction: Interaction, place: PuzzleState) -> None:
    """Says which piece starts the solution."""
    if resumed := await resume_panel(PuzzlePanel, interaction, place):
        panel, draft = resumed
        caller = Caller(interaction)
        await acknowledge_press(interaction)
        await caller.part(Puzzles).note_hint(caller.guild_or_none, caller.user, place.day, panel.puzzle, now())
        marks = (Mark(panel.puzzle.line[0].start, MarkKind.HINT),)
        await update_panel(
            interaction,
            await build_panel(
                interaction, panel, draft.path, remark=hint_text(caller.locale, panel.puzzle), marks=marks
            ),
        )


@PUZZLE_BUTTONS.register_handler("solution")
async def give_up_puzzle(interaction: Interaction, place: PuzzleState) -> None:
    """Gives up the puzzle and shows its solution."""
    if resumed := await resume_panel(PuzzlePanel, interaction, place):
        panel, _ = resumed
        caller = Caller(interaction)
        await acknowledge_press(interaction)
        attempt = await caller.part(Puzzles).note_solution_shown(
            caller.guild_or_none, caller.user, place.day, panel.puzzle, now()
        )
        await show_solution(interaction, panel, attempt)


async def _choose_puzzle(interaction: Interaction, variant: str | None, difficulty: str | None) -> PuzzleState:
    caller = Caller(interaction)
    learned = await caller.service.people.next_lessons(caller.user)
    puzzle = await caller.part(Puzzles).choose_puzzle(
        caller.guild_or_none, caller.user, variant, difficulty, PUZZLE_RANDOM, learned=learned
    )
    return PuzzleState(puzzle.id)


async def _open_puzzle(interaction: Interaction, place: PuzzleState) -> None:
    """Answers with that puzzle."""
    if panel := await PuzzlePanel.from_state(interaction, place):
        await answer_with_panel(interaction, await build_panel(interaction, panel))


async def show_solution(interaction: Interaction, panel: PuzzlePanel, attempt: Attempt) -> None:
    """Shows the solution as an animation, with the person's result."""
    caller, puzzle, place = Caller(interaction), panel.puzzle, panel.place._replace(end=None, path="", fresh="")
    content = over_text(caller.locale, puzzle, attempt, daily=bool(place.day))
    buttons = [
        PUZZLE_BUTTONS.make_button("another", place, text(caller.locale, "button.another-puzzle"), ButtonStyle.primary)
    ]
    if caller.guild_or_none is not None:
        buttons.append(table_button(caller.locale))
    theme = THEMES[(await caller.load_preferences()).theme]
    gif = await run_in_turn(interaction, app_of(interaction).pictures.animate_moves(solution_replay(puzzle, theme)))
    files = [make_attachment(gif, f"solution-{puzzle.id}.gif", solution_words(caller.locale, puzzle))]
    is_new_message = interaction.message is None or not interaction.message.flags.ephemeral
    if is_new_message:
        await send_answer(interaction, content, files=files, view=make_view(*buttons))
    else:
        await update_message(interaction, content, view=make_view(*buttons), files=files)


@register_sheet(PUZZLE_TABLE_SHEET)
async def show_tables(interaction: Interaction, _: Sheet) -> SheetContent:
    """Returns who has solved the puzzle of the day, and how many each person has solved this month."""
    caller = Caller(interaction)
    standings = await caller.part(Puzzles).load_standings(caller.guild, caller.user, now())
    is_posted = standings.day is not None
    return SheetContent(
        tables_text(
            reader_language(interaction), standings.of_day, standings.of_month, standings.streak, posted=is_posted
        )
    )
