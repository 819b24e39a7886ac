"""Whom a challenge may go to: offered by name while one types, and understood however it was typed."""

from __future__ import annotations

import asyncio
import re

from discord import app_commands

from bot.cogs._answers.errors import Declined
from bot.cogs._answers.options import CHOICES, LONGEST_CHOICE, where
from bot.cogs._answers.reply import Press, now, reader
from bot.i18n import text
from bot.services.loading import LARGEST
from bot.words import one_line, plain
from rules import VARIANTS

ASKED = 50
"""Climbers, the highest first, whose names are looked at."""

PATIENCE = 2.0
"""Seconds in which Discord must have said what people are called; suggestions are due within three."""

_TYPED = re.compile(r"\s*<?@?!?(\d{15,20})>?\s*")


async def suggest_challenged(interaction: Press, current: str) -> list[app_commands.Choice[str]]:
    """Those who may be challenged, the highest first, whose names have what is typed."""
    variant = interaction.namespace.variant
    if variant not in VARIANTS or interaction.guild_id is None:
        return []
    steps = await _challengeable(interaction, variant)
    names = await _names(interaction, tuple(steps))
    locale, begun = reader(interaction), current.strip().casefold()
    found = [
        app_commands.Choice(
            name=text(locale, "ladder.choice", name=one_line(names[user]), step=step)[:LONGEST_CHOICE], value=str(user)
        )
        for user, step in steps.items()
        if user in names and begun in names[user].casefold()
    ]
    return found[:CHOICES]


async def challenged_user(interaction: Press, variant: str, typed: str) -> int:
    """Whom the option means: a suggestion, a mention, or the name of somebody near the top of the ladder.

    Raises Declined where it is nobody's, and LadderError where the user may not challenge anybody. Whether the other
    may be challenged is for the ladder to say.
    """
    if (found := _TYPED.fullmatch(typed)) and int(found[1]) <= LARGEST:
        return int(found[1])
    guild, _ = where(interaction)
    if (user := await _named(interaction, await _challengeable(interaction, variant), typed)) is not None:
        return user
    # Nobody is offered to who may not challenge at all, nor those whom a rule protects: say the rule, not "nobody".
    service = interaction.client.service
    await service.require_challenger(guild, variant, interaction.user.id, now())
    shown = await service.ladder_show(guild, variant, 0, now())
    if (
        user := await _named(interaction, {row.climber.user: row.climber.step for row in shown.rows}, typed)
    ) is not None:
        return user
    raise Declined("ladder.nobody", typed=plain(typed))


async def _named(interaction: Press, steps: dict[int, int], typed: str) -> int | None:
    """Who of those, given with their steps, is called what is typed."""
    locale, wanted = reader(interaction), typed.strip().casefold()
    for user, name in (await _names(interaction, tuple(steps))).items():
        # What some clients send is the words of the suggestion, not its value.
        shown = text(locale, "ladder.choice", name=one_line(name), step=steps[user])
        if wanted in (name.casefold(), shown.casefold()):
            return user
    return None


async def _challengeable(interaction: Press, variant: str) -> dict[int, int]:
    """Their steps, the highest first."""
    guild, _ = where(interaction)
    found = await interaction.client.service.challengeable(guild, variant, interaction.user.id, now())
    return {climber.user: climber.step for climber in found[:ASKED]}


async def _names(interaction: Press, users: tuple[int, ...]) -> dict[int, str]:
    """What those people are called, as far as Discord says so in time; the next time all are known."""
    guild, _ = where(interaction)
    asked = {user: asyncio.ensure_future(interaction.client.names.of(guild, user)) for user in users}
    if asked:
        await asyncio.wait(asked.values(), timeout=PATIENCE)
    return {user: name.result() for user, name in asked.items() if name.done()}
