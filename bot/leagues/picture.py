"""The crosstable of a group as a picture, and its description for those who do not see it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bot.leagues.groups import Zone
from bot.leagues.points import GameScore
from bot.leagues.standings import Standing
from bot.texts.i18n import Language
from render import DEFAULT_THEME, Theme


def draw_crosstable(
    rows: Sequence[Standing],
    names: Sequence[str],
    fixtures: Sequence[Sequence[int]],
    scores: Iterable[GameScore],
    zone: Zone,
    theme: Theme = DEFAULT_THEME,
) -> bytes:
    """The crosstable as a PNG file; `names` by entry. Slow (some 20 ms): do not call it in the event loop."""
    raise NotImplementedError


def describe_crosstable(locale: Language, rows: Sequence[Standing], names: Sequence[str], title: str) -> str:
    """The alt text of the picture: places, names and points, at most 1024 characters."""
    raise NotImplementedError
