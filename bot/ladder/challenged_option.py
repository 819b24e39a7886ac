"""The option of `/ladder challenge` that names a climber: its suggestions, and how the typed text finds a person."""

from __future__ import annotations

import re

from discord import app_commands

from bot.core.events import LARGEST_STORED_INT
from bot.discordkit.errors import Declined
from bot.discordkit.reply import Interaction, now, reader_language, server_here
from bot.ladder.service import Ladders
from bot.play.app import Caller, app_of
from bot.play.suggestions import MAX_SUGGESTION_LENGTH, MAX_SUGGESTIONS
from bot.texts.i18n import text
from bot.texts.markup import escape_markup, one_line
from rules import VARIANTS

MAX_CLIMBERS_SUGGESTED = 50
"""The most climbers whose names are compared with the typed text, the highest first."""

_TYPED_USER = re.compile(r"\s*<?@?!?(\d{15,20})>?\s*")


async def suggest_challenged(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Returns the climbers who may be challenged and whose names contain the typed text, the highest first."""
    variant = interaction.namespace.variant
    if variant not in VARIANTS or server_here(interaction) is None:
        return []
    steps = await _challengeable_steps(interaction, variant)
    names = await _find_names(interaction, tuple(steps))
    locale, typed = reader_language(interaction), current.strip().casefold()
    suggestions = [
        app_commands.Choice(
            name=text(locale, "ladder.choice", name=one_line(names[user]), step=step)[:MAX_SUGGESTION_LENGTH],
            value=str(user),
        )
        for user, step in steps.items()
        if user in names and typed in names[user].casefold()
    ]
    return suggestions[:MAX_SUGGESTIONS]


async def challenged_user(interaction: Interaction, variant: str, typed: str) -> int:
    """Returns the person that the option means: a suggestion, a mention, or a name near the top of the ladder.

    Raises Declined if there is no such person, and LadderError if the user may not challenge anybody. The ladder
    decides whether the other person may be challenged.
    """
    if (match := _TYPED_USER.fullmatch(typed)) and int(match[1]) <= LARGEST_STORED_INT:
        return int(match[1])
    if (user := await _user_called(interaction, await _challengeable_steps(interaction, variant), typed)) is not None:
        return user
    # The text is none of the suggestions. If the user may challenge nobody, raise the reason; if a rule protects the
    # other person, find them in the table, so that the ladder names the rule.
    caller = Caller(interaction)
    await caller.part(Ladders).require_challenger(caller.guild, variant, caller.user, now())
    page = await caller.part(Ladders).ladder_page(caller.guild, variant, 0, now())
    steps = {row.climber.user: row.climber.step for row in page.rows}
    if (user := await _user_called(interaction, steps, typed)) is not None:
        return user
    raise Declined("ladder.nobody", typed=escape_markup(typed))


async def _user_called(interaction: Interaction, steps: dict[int, int], typed: str) -> int | None:
    """Returns the user with the typed name, or None. `steps`: the people to search, with their rungs."""
    locale, searched = reader_language(interaction), typed.strip().casefold()
    for user, name in (await _find_names(interaction, tuple(steps))).items():
        # Some clients send the words of the suggestion instead of its value.
        suggestion = text(locale, "ladder.choice", name=one_line(name), step=steps[user])
        if searched in (name.casefold(), suggestion.casefold()):
            return user
    return None


async def _challengeable_steps(interaction: Interaction, variant: str) -> dict[int, int]:
    """Returns the rungs of the climbers who may be challenged, the highest first."""
    caller = Caller(interaction)
    climbers = await caller.part(Ladders).challengeable_climbers(caller.guild, variant, caller.user, now())
    return {climber.user: climber.step for climber in climbers[:MAX_CLIMBERS_SUGGESTED]}


async def _find_names(interaction: Interaction, users: tuple[int, ...]) -> dict[int, str]:
    """Returns the names that Discord sends in time, by user. The next call finds the others."""
    app = app_of(interaction)
    return await app.names.find_names(Caller(interaction).guild, users, app.timings.suggestion_names_wait_s)
