"""`/vacation`: the clocks of somebody who is away stand still, and his games are told."""

from __future__ import annotations

from discord import app_commands
from discord.ext import commands

from bot.clock import DAY, Span
from bot.cogs._answers.reply import Press, answer, now, reader
from bot.cogs._answers.translator import words
from bot.cogs._clocks import duration, moment
from bot.i18n import text
from bot.settings import VACATION_A_YEAR, vacation_left

LONGEST = VACATION_A_YEAR // DAY


class Vacations(commands.GroupCog, group_name="vacation", group_description=words("command.vacation.description")):
    """Thirty days a calendar year, a day at least, in all servers at once."""

    @app_commands.command(name="start", description=words("command.vacation.start.description"))
    @app_commands.describe(days=words("command.vacation.start.days"))
    async def start(self, interaction: Press, days: app_commands.Range[int, 1, LONGEST]) -> None:
        """Go on vacation now."""
        service, user, begin = interaction.client.service, interaction.user.id, now()
        span = await service.start_vacation(user, begin + days * DAY, begin)
        await _tell(interaction, "vacation.started", span)

    @app_commands.command(name="stop", description=words("command.vacation.stop.description"))
    async def stop(self, interaction: Press) -> None:
        """Come back before its end."""
        span = await interaction.client.service.stop_vacation(interaction.user.id, now())
        await _tell(interaction, "vacation.stopped" if span[1] <= now() else "vacation.stopped-later", span)


async def _tell(press: Press, key: str, span: Span) -> None:
    """Answer first: the games that are told may be many."""
    service, user, locale = press.client.service, press.user.id, reader(press)
    left = vacation_left((await service.person(user)).vacations, now())
    said = text(locale, key, until=moment(span[1]), left=duration(locale, left))
    await answer(press, said)
    for match_id in await service.games_on(user):
        # What cannot be posted now, the tick posts later.
        await press.client.announcer.announce(match_id)
