"""The hooks of openings into the bot."""

from __future__ import annotations

import asyncio

from bot.openings import rows
from bot.openings.commands import opening_buttons
from bot.openings.service import Openings, drop_games_of_forgotten, follow_user_settings, note_result
from bot.play.context import BotContext, Feature
from bot.play.service.matches import StoredFeature
from bot.play.service.results import ResultHooks
from bot.store.database_tables import Table


async def count_games(context: BotContext, _now: int) -> None:
    """Counts the games that are due, in small portions."""
    openings = context.service.part(Openings)
    has_more = True
    while has_more:
        has_more = await openings.count_next()
        await asyncio.sleep(context.timings.openings_rest_s)


OPENINGS = Feature(
    package="bot.openings",
    stored=StoredFeature(
        parts=(Openings,),
        tables=(
            Table("opening_games", ("match", "position", "move"), of_server=True),  # each match: `after_deletion`
            Table("opening_moves", ("guild", "position", "kind", "move"), of_server=True),
            Table("opening_due", ("match",), of_match=True),
        ),
        results=ResultHooks(after_result=note_result),
        after_user_settings=follow_user_settings,
        after_deletion=rows.drop_game,
        replace_person=drop_games_of_forgotten,
    ),
    study_buttons=opening_buttons,
    background_jobs={"counting openings": count_games},
)
