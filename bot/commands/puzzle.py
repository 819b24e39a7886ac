"""`/puzzle`: positions with one winning first move, tried on the board of `bench`; and the tables of the days."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import SystemRandom
from typing import Self

from discord import ButtonStyle, app_commands
from discord.ext import commands

from bot.commands.app import Asker, app, in_turn
from bot.commands.bench import draw_up, furnish, present, resume, show
from bot.commands.composer_panel import Panel
from bot.commands.options import VARIANT_CHOICES
from bot.commands.purpose import Purpose
from bot.kit.components import Button, row
from bot.kit.reply import Interaction, answer, attachment, hold, now, reader, update
from bot.kit.sheets import Sheet, Shown, sheet
from bot.kit.slash import choices, command
from bot.match.draft import Draft
from bot.people.puzzles import Attempt
from bot.posting.puzzles import RIDDLE, TABLE, RiddleState, solution_replay, table_button
from bot.texts.i18n import Language, text
from bot.texts.puzzles import hint, over_text, puzzle_title, puzzle_words, solution_words, tables, wrong
from engine.puzzles import DIFFICULTIES, Puzzle
from render import THEMES, Mark, MarkKind
from rules import Game

DIFFICULTY_CHOICES = choices("choice.difficulty", DIFFICULTIES)

CHANCE = SystemRandom()
"""By which puzzles are drawn."""


@dataclass(frozen=True)
class Riddle(Purpose):
    """A puzzle that somebody is at."""

    buttons = menus = RIDDLE
    forms = RIDDLE, "typed"
    last = "try-it"

    place: RiddleState
    puzzle: Puzzle

    @classmethod
    async def take_up(cls, interaction: Interaction, place: RiddleState) -> Self | None:
        asker = Asker(interaction)
        riddle = cls(place, await asker.service.puzzles.find(asker.here, place.id))
        attempt = await asker.service.puzzles.attempt(asker.here, asker.user, place.day, riddle.puzzle)
        if attempt.over:
            await show_solution(interaction, riddle, attempt)
            return None
        return riddle

    @property
    def game(self) -> Game:
        return Game.from_position(self.puzzle.position)

    @property
    def picture(self) -> str:
        return f"puzzle-{self.puzzle.id}"

    def title(self, locale: Language) -> str:
        return puzzle_title(locale, self.puzzle, daily=bool(self.place.day))

    def alt(self, locale: Language) -> str:
        return puzzle_words(locale, self.puzzle)

    def items(self, panel: Panel) -> Iterator[Button]:
        yield RIDDLE.button("hint", panel.place, text(panel.locale, "button.hint"))
        yield RIDDLE.button("solution", panel.place, text(panel.locale, "button.solution"))

    async def finish(self, interaction: Interaction, draft: Draft, *, sure: bool) -> None:
        """Say whether that is the move, and count the try."""
        assert draft.turn is not None
        asker, move = Asker(interaction), draft.turn.move
        await hold(interaction)
        attempt = await asker.service.puzzles.attempt_move(
            asker.here, asker.user, self.place.day, self.puzzle, move, now()
        )
        if attempt.over:
            await show_solution(interaction, self, attempt)
        else:
            remark = wrong(asker.locale, self.puzzle, move)
            await show(interaction, await draw_up(interaction, self, remark=remark))


furnish(Riddle, "sure")


class PuzzleCommands(commands.Cog):
    """Puzzles for whoever asks, alone."""

    @command("puzzle")
    @app_commands.choices(variant=VARIANT_CHOICES, difficulty=DIFFICULTY_CHOICES)
    async def puzzle(self, interaction: Interaction, variant: str | None = None, difficulty: str | None = None) -> None:
        """Open a puzzle that they have not tried."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        await _open(interaction, await _draw(interaction, variant, difficulty))


@RIDDLE.on("open")
async def open_here(interaction: Interaction, place: RiddleState) -> None:
    """Open the puzzle of the day from its post, or its solution for who is done with it."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    await _open(interaction, place._replace(end=None, path=""))


@RIDDLE.on("another")
async def open_another(interaction: Interaction, place: RiddleState) -> None:
    """Open another puzzle of the same variant and difficulty, in the place of the one that is done."""
    await interaction.response.defer()
    asker = Asker(interaction)
    done = await asker.service.puzzles.find(asker.here, place.id)
    drawn = await _draw(interaction, done.position.variant.key, done.difficulty)
    if riddle := await Riddle.take_up(interaction, drawn):
        await show(interaction, await draw_up(interaction, riddle))


@RIDDLE.on("hint")
async def give_a_hint(interaction: Interaction, place: RiddleState) -> None:
    """Say with which piece it begins."""
    if resumed := await resume(Riddle, interaction, place):
        riddle, _ = resumed
        asker = Asker(interaction)
        await hold(interaction)
        await asker.service.puzzles.hint(asker.here, asker.user, place.day, riddle.puzzle, now())
        marks = (Mark(riddle.puzzle.line[0].start, MarkKind.HINT),)
        await show(
            interaction, await draw_up(interaction, riddle, remark=hint(asker.locale, riddle.puzzle), marks=marks)
        )


@RIDDLE.on("solution")
async def give_up(interaction: Interaction, place: RiddleState) -> None:
    """Show the solution to who will not find it any more."""
    if resumed := await resume(Riddle, interaction, place):
        riddle, _ = resumed
        asker = Asker(interaction)
        await hold(interaction)
        attempt = await asker.service.puzzles.show(asker.here, asker.user, place.day, riddle.puzzle, now())
        await show_solution(interaction, riddle, attempt)


async def _draw(interaction: Interaction, variant: str | None, difficulty: str | None) -> RiddleState:
    asker = Asker(interaction)
    return RiddleState((await asker.service.puzzles.choose(asker.here, asker.user, variant, difficulty, CHANCE)).id)


async def _open(interaction: Interaction, place: RiddleState) -> None:
    """Answer with that puzzle."""
    if riddle := await Riddle.take_up(interaction, place):
        await present(interaction, await draw_up(interaction, riddle))


async def show_solution(interaction: Interaction, riddle: Riddle, attempt: Attempt) -> None:
    """The solution as a moving picture, and what they have made of the puzzle."""
    asker, puzzle, place = Asker(interaction), riddle.puzzle, riddle.place._replace(end=None, path="", fresh="")
    said = over_text(asker.locale, puzzle, attempt, daily=bool(place.day))
    buttons = [RIDDLE.button("another", place, text(asker.locale, "button.another-puzzle"), ButtonStyle.primary)]
    if asker.here is not None:
        buttons.append(table_button(asker.locale))
    theme = THEMES[(await asker.preferences()).theme]
    gif = await in_turn(interaction, app(interaction).pictures.animate(solution_replay(puzzle, theme)))
    files = [attachment(gif, f"solution-{puzzle.id}.gif", solution_words(asker.locale, puzzle))]
    opened = interaction.message is None or not interaction.message.flags.ephemeral
    if opened:
        await answer(interaction, said, files=files, view=row(*buttons))
    else:
        await update(interaction, said, view=row(*buttons), files=files)


@sheet(TABLE)
async def show_tables(interaction: Interaction, _: Sheet) -> Shown:
    """Who has found the puzzle of the day, and how many of them this month."""
    asker = Asker(interaction)
    found = await asker.service.puzzles.standings(asker.guild, asker.user, now())
    posted = found.day is not None
    return Shown(tables(reader(interaction), found.of_day, found.of_month, found.streak, posted=posted))
