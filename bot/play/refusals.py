"""Why a request about a game is refused, in words."""

from __future__ import annotations

from typing import Any

from bot.core.problems import MatchError, Problem
from bot.discordkit.errors import explains_refusal
from bot.texts.i18n import Language, join_list, plural_text, text
from bot.texts.markup import escape_markup, relative_time
from bot.texts.people import mention_user, mention_users
from bot.texts.sentences import explain_rules_error
from rules import RulesError

MAX_ITEMS_LISTED = 10
"""Games, channels or people listed in a sentence; the option's suggestions show the rest."""

COUNTED_PROBLEMS = {
    Problem.NO_SUCH_PLY: "last",
    Problem.NO_SUCH_STRETCH: "count",
    Problem.VACATION_SPENT: "left",
    Problem.TOO_MANY_OPEN: "most",
    Problem.TOO_MANY_HOUSE: "most",
}
"""The problems whose sentence depends on a number, singular or plural, and the name of that number."""

explains_refusal(RulesError)(explain_rules_error)


@explains_refusal(MatchError)
def problem_sentence(locale: Language, error: MatchError) -> str:
    """Returns the reason why a request about a game is refused, in words."""
    values: dict[str, Any] = dict(error.values)
    for name in ("next", "host", "user"):
        if isinstance(user := values.get(name), int):
            values[name] = mention_user(user, locale)
    for name in ("again", "until"):
        if isinstance(at := values.get(name), int):
            values[name] = relative_time(at)
    if isinstance(zone := values.get("zone"), str):
        values["zone"] = escape_markup(zone)
    if isinstance(channels := values.get("channels"), tuple):
        values["channels"] = join_list(locale, [f"<#{channel}>" for channel in channels[:MAX_ITEMS_LISTED]], "or")
    for name in ("reserved", "candidates"):
        if isinstance(items := values.get(name), tuple | list):
            shown = [
                mention_user(item, locale) if name == "reserved" else f"#{item}" for item in items[:MAX_ITEMS_LISTED]
            ]
            values[name] = join_list(locale, shown, "or") if shown else ""
    if error.problem is Problem.OVER_HERE:
        winners = join_list(locale, mention_users(locale, values.pop("winners")))
        result_key = ("board.won" if winners else "board.draw") if values.pop("has_result") else "board.no-result"
        values["result"] = text(locale, result_key, winner=winners)
    key = f"problem.{error.problem.value}"
    if error.problem in COUNTED_PROBLEMS:
        return plural_text(locale, key, values.pop(COUNTED_PROBLEMS[error.problem]), **values)
    return text(locale, key, **values)
