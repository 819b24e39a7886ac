"""How ladder hooks into the bot."""

from __future__ import annotations

from bot.discordkit.slash import TopLevel
from bot.ladder.posts import LadderAnnouncer, announce_first, note_shut_ladders, tick_ladders
from bot.ladder.service import Ladders
from bot.play.context import Feature
from bot.play.service.matches import StoredFeature

LADDER = Feature(
    package="bot.ladder",
    top_levels={"ladder": TopLevel(first=("show", "join", "queue", "challenge"))},
    stored=StoredFeature(parts=(Ladders,)),
    # A server may have chosen another channel for its ladders.
    on_tick={"places of ladders": note_shut_ladders, "ladders": tick_ladders},
    outboxes=(LadderAnnouncer,),
    before_first_board=announce_first,
    after_places_checked=note_shut_ladders,
)
