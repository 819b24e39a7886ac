"""What profiles say, in every language."""

from __future__ import annotations

import pytest

from bot.profile.commands import profile_lines
from bot.profile.service import Profile
from bot.texts.i18n import LANGUAGES, Language, text
from tests.bot.playing import ADA, NOW


@pytest.mark.parametrize("locale", LANGUAGES)
def test_who_thinks_for_seconds_is_not_said_to_think_for_0_minutes(locale: Language) -> None:
    for thinking, shown in (
        (0, text(locale, "profile.brief")),
        (59, text(locale, "profile.brief")),
        (60, text(locale, "clock.minutes", count=1)),
    ):
        *_, said = profile_lines(locale, ADA, Profile("camelot", thinking=thinking), NOW)
        assert shown in said
        assert "0 min" not in said
