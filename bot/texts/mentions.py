"""People in sentences: Discord's mentions, the names of house players, and a word for those who are forgotten. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from bot.core.events import is_former
from bot.core.house_seats import HOUSE_PLAYERS_BY_ID, house_level_of, is_house
from bot.texts.i18n import Language, text

_MENTION = re.compile(r"<@(\d+)>")


def mention_user(user: int, locale: Language) -> str:
    """Discord's markup for a person, a house player's name, or a word for a forgotten user.

    The code that sends the message decides whether the mention pings.
    """
    return name_outside_discord(user, locale) or f"<@{user}>"


def name_outside_discord(user: int, locale: Language) -> str | None:
    """The text for a number that is not a Discord user: a house player or a forgotten user; None for any other."""
    if is_house(user):
        return house_name(user, locale)
    return text(locale, "former-player") if is_former(user) else None


def house_name(user: int, locale: Language) -> str:
    """A house player's name with its level: "🐕 Cabal · easy bot". Also fits into headers of records."""
    face, name = (
        (HOUSE_PLAYERS_BY_ID[user].face, HOUSE_PLAYERS_BY_ID[user].name)
        if user in HOUSE_PLAYERS_BY_ID
        else ("🤖", str(user))
    )
    return text(locale, "house-player", face=face, name=name, level=text(locale, f"level.{house_level_of(user)}"))


def mention_users(locale: Language, users: Iterable[int]) -> list[str]:
    """`mention_user` for each user."""
    return [mention_user(user, locale) for user in users]


def users_mentioned(content: str) -> list[int]:
    """The users mentioned in that text, each once."""
    return list(dict.fromkeys(int(number) for number in _MENTION.findall(content)))


def replace_mentions(content: str, names: Mapping[int, str]) -> str:
    """The text with mentions replaced by those names."""
    return _MENTION.sub(lambda match: names.get(int(match[1]), match[0]), content)
