"""The features of the bot, a line each. A bot without one of the lines works, without that feature."""

from __future__ import annotations

from bot.core.clock import HOUR
from bot.explore.feature import EXPLORE
from bot.hints.feature import HINTS
from bot.ladder.feature import LADDER
from bot.leagues.feature import LEAGUES
from bot.learn.feature import LEARN
from bot.plans.feature import PLANS
from bot.play import after_acts, agreements, board, house, info_commands, move, play, referee, seeking, settings, sheets
from bot.play.announcing.announcer import JOBS, Announcer
from bot.play.composer import move_panel
from bot.play.context import Feature, OnTick, Posting
from bot.play.service.upkeep import forget_old_absences
from bot.privacy.feature import PRIVACY
from bot.puzzles.feature import PUZZLES
from bot.review.feature import REVIEW
from bot.store.database_tables import CORE_TABLES
from bot.thoughts.feature import THOUGHTS

PLAY = Feature(
    modules=(
        after_acts,
        agreements,
        board,
        house,
        info_commands,
        move,
        move_panel,
        play,
        referee,
        seeking,
        settings,
        sheets,
    ),
    work=(
        *JOBS,
        OnTick("old absences", lambda context, now: forget_old_absences(context.service, now), every_s=HOUR),
        Posting("news of games", Announcer),
        settings.Welcomes,
        house.HousePlayers,
    ),
)
"""What every server uses. It is no feature, but says what it declares as they do."""

FEATURES: tuple[Feature, ...] = (
    LADDER,
    LEAGUES,
    PLANS,
    EXPLORE,
    REVIEW,
    PUZZLES,
    HINTS,
    LEARN,
    THOUGHTS,
    PRIVACY,
)

TABLES = (*CORE_TABLES, *(table for feature in FEATURES for table in feature.database_tables))
"""All tables; a table comes before the tables that refer to it."""
