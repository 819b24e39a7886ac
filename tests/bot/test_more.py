"""The panel that **More** opens: what it offers to whom, and what features add."""

from __future__ import annotations

from collections.abc import Sequence

from bot.core.acts import Actor
from bot.core.match import Match
from bot.features import FEATURES
from bot.play.context import Feature
from bot.play.more import more_buttons
from bot.play.shared_components import ACTIONS
from tests.bot.playing import ADA, BO, NOW, live

STRANGER = 10**17 + 9


def names_offered(match: Match, user: int, features: Sequence[Feature] = FEATURES) -> list[str]:
    """Returns the names of the buttons that the panel offers to that user."""
    buttons = more_buttons(features, "en", match, Actor(user, NOW))
    return [read[0] for button in buttons if (read := ACTIONS.parse_id(str(button.custom_id)))]


def test_only_acts_that_would_not_be_refused_are_offered() -> None:
    match = live("camelot")
    everybody, agreeing = ["why", "rules", "export", "notes"], ["draw-offer", "substitute-ask", "resign-ask"]
    assert names_offered(match, ADA) == ["moves", *everybody, "snooze", *agreeing]
    assert names_offered(match, BO) == [*everybody, *agreeing]
    assert names_offered(match, STRANGER) == everybody


def test_without_features_only_the_buttons_of_play_remain() -> None:
    assert names_offered(live("camelot"), STRANGER, ()) == ["why", "rules", "export"]
