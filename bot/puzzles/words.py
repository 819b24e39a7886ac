"""Puzzles in words: the task, a person's tries, the solution, the tables."""

from __future__ import annotations

from collections.abc import Sequence

from bot.puzzles.daily import Attempt, Solver
from bot.texts.i18n import Language, plural_text, text
from bot.texts.mentions import mention_user
from bot.texts.sentences import colour_name, moves_with_emblems, seat_emblem, sides_texts, variant_name
from engine.puzzles import Puzzle
from rules import Move, format_move

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
