"""The form of `/play` without options: game, opponents, house players, pace and place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord
from discord import SelectOption, ui

from bot.core.clock import Pace
from bot.core.events import is_former
from bot.core.house_seats import HOUSE_LEVELS, house_level_of, is_house
from bot.core.match import Match
from bot.discordkit.components import Family, NoState
from bot.texts.i18n import Language, text
from bot.texts.sentences import variant_name
from rules import VARIANTS

MAX_OPPONENTS = 2
SERVER_PACE, NOBODY, HERE = "server", "nobody", "here"

PROPOSED_VARIANT = "camelot"
"""The game that the form proposes at somebody's first table, so that two taps open it: the best-known one."""

TABLE_FORM = Family("rt-table", NoState)


def table_form(locale: Language, last: Match | None, *, house: bool, asks_thread: bool) -> ui.Modal:
    """Returns the form, filled in as the person's `last` table was. `house`: whether to offer house players;
    `asks_thread`: whether the host decides about a thread.
    """
    modal = ui.Modal(title=text(locale, "table-form.title"), custom_id=TABLE_FORM.format_id("", NoState()))
    others = [user for user in last.joined if user != last.host] if last else []
    people = [user for user in others if not is_house(user) and not is_former(user)]
    level = next((house_level_of(user) for user in others if is_house(user)), NOBODY)

    def add(name: str, field: ui.Item[Any]) -> None:
        words, hint = text(locale, f"table-form.{name}"), text(locale, f"table-form.{name}-hint")
        modal.add_item(ui.Label(text=words, description=hint, component=field))

    def add_menu(name: str, options: Sequence[tuple[str, str, str]], chosen: str) -> None:
        add(
            name,
            ui.Select(
                custom_id=name,
                options=[
                    SelectOption(label=label, value=value, description=hint or None, default=value == chosen)
                    for value, label, hint in options
                ],
            ),
        )

    games = [(key, variant_name(locale, variant), text(locale, f"about.{key}")) for key, variant in VARIANTS.items()]
    add_menu("variant", games, last.variant.key if last else PROPOSED_VARIANT)
    guests = [discord.SelectDefaultValue(id=user, type=discord.SelectDefaultValueType.user) for user in people]
    add(
        "opponents",
        ui.UserSelect(
            custom_id="opponents",
            min_values=0,
            max_values=MAX_OPPONENTS,
            required=False,
            default_values=guests[:MAX_OPPONENTS],
        ),
    )
    if house:
        levels = [(name, text(locale, f"level.{name}"), "") for name in HOUSE_LEVELS]
        add_menu("house", [(NOBODY, text(locale, "table-form.nobody"), ""), *levels], level)
    paces = [(pace.value, text(locale, f"choice.pace.{pace.value}"), "") for pace in Pace]
    add_menu(
        "pace",
        [(SERVER_PACE, text(locale, "table-form.server-pace"), ""), *paces],
        last.pace.value if last else SERVER_PACE,
    )
    if asks_thread:
        places = [(HERE, text(locale, "table-form.here"), ""), ("thread", text(locale, "table-form.thread"), "")]
        add_menu("place", places, "thread" if last and last.wants_thread else HERE)
    modal.stop()  # discord.py keeps nothing: the submitted form is answered by its custom id
    return modal
