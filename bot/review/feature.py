"""The hooks of reviews into the bot."""

from __future__ import annotations

from bot.play.context import Feature
from bot.review import commands
from bot.review.commands import review_button
from bot.store.database_tables import Table

REVIEW = Feature(
    modules=(commands,),
    database_tables=(Table("reviews", ("match",), of_match=True),),
    match_buttons=review_button,
)
