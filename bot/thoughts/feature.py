"""The hooks of thoughts into the bot."""

from __future__ import annotations

from bot.play.context import Feature, JobKind
from bot.store.database_tables import Table
from bot.thoughts import commands
from bot.thoughts.commands import add_thought_notes, keep_annotated_game, thought_buttons
from bot.thoughts.service import GAMES_OF_PERSON_SQL, export_person, follow_match, note_forgotten

THOUGHTS = Feature(
    modules=(commands,),
    after_events=follow_match,
    database_tables=(
        Table("thoughts", ("match", "user", "board"), of_match=True, of_person=True, count_sql=GAMES_OF_PERSON_SQL),
        Table("thought_choices", ("match", "user"), of_match=True, of_person=True),
        Table("annotated_posts", ("match",), of_match=True),
    ),
    export_person=export_person,
    replace_person=note_forgotten,
    match_buttons=thought_buttons,
    add_notes=add_thought_notes,
    work=(JobKind("annotated", keep_annotated_game, is_kept=True),),
)
