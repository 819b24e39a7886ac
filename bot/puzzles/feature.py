"""The hooks of puzzles into the bot."""

from __future__ import annotations

from bot.play.context import Feature, JobKind, OnTick
from bot.puzzles import commands
from bot.puzzles.commands import post_puzzles
from bot.puzzles.service import choose_due_puzzles, export_person
from bot.store.database_tables import Table

PUZZLES = Feature(
    modules=(commands,),
    database_tables=(
        Table("puzzles_made", ("guild", "id"), of_match=True),  # of earlier versions
        Table("daily_puzzles", ("guild", "day"), of_match=True, of_server=True),
        Table("puzzle_results", ("user", "guild", "day", "id"), of_server=True, of_person=True),
    ),
    export_person=export_person,
    work=(
        OnTick("puzzles", lambda context, now: choose_due_puzzles(context.service, now)),
        JobKind("puzzle", post_puzzles, lane="puzzle", is_kept=True),
    ),
)
