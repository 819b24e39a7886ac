"""`/claim`, `/give-time`, `/nudge`, and **Remind me later**: what is done about somebody who takes his time."""

from __future__ import annotations

from discord import app_commands
from discord.ext import commands

from bot.clock import HOUR
from bot.cogs._answers.buttons import Action, on
from bot.cogs._answers.cooldowns import require_calm
from bot.cogs._answers.options import suggest_games, the_game, where
from bot.cogs._answers.reply import Press, answer, now, reader
from bot.cogs._answers.translator import words
from bot.cogs._clocks import instant
from bot.cogs._posts.acted import acted
from bot.cogs._snooze import snooze_view
from bot.i18n import text
from bot.match import Match
from bot.matches import timing

GIFT = 24
"""Hours that the button below the grace gives."""

MOST = 14 * 24
"""Hours that one can give at a time: the largest bank of all paces."""


class Clocks(commands.Cog):
    """What opponents may do about the clock of the player to move."""

    @app_commands.command(name="claim", description=words("command.claim.description"))
    @app_commands.describe(game=words("command.claim.game"))
    @app_commands.autocomplete(game=suggest_games)
    async def claim(self, interaction: Press, game: str | None = None) -> None:
        """End the patience with a player whose time and grace are used up."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        await _claim(interaction, await the_game(interaction, game, "resign"))

    @app_commands.command(name="give-time", description=words("command.give-time.description"))
    @app_commands.describe(hours=words("command.give-time.hours"), game=words("command.give-time.game"))
    @app_commands.autocomplete(game=suggest_games)
    async def give_time(
        self, interaction: Press, hours: app_commands.Range[int, 1, MOST], game: str | None = None
    ) -> None:
        """Give the player to move more time."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        await _give(interaction, await the_game(interaction, game, "resign"), hours)

    @app_commands.command(name="nudge", description=words("command.nudge.description"))
    @app_commands.describe(game=words("command.nudge.game"))
    @app_commands.autocomplete(game=suggest_games)
    async def nudge(self, interaction: Press, game: str | None = None) -> None:
        """Remind the player to move; once a day."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        match_id, guild = await the_game(interaction, game, "resign"), where(interaction)[0]
        match = await interaction.client.service.nudge(match_id, guild, interaction.user.id, now())
        await acted(interaction, match, text(reader(interaction), "time.done.nudged", id=match.id))


@on("claim")
async def claim_by_button(press: Press, action: Action) -> None:
    """Claim the game, or in a game of three the seat, of the player for whose turn the button was made."""
    await press.response.defer(ephemeral=True, thinking=True)
    await _claim(press, action.match, action.number)


@on("give-time")
async def give_a_day(press: Press, action: Action) -> None:
    """Give a day, once for each grace."""
    await press.response.defer(ephemeral=True, thinking=True)
    await _give(press, action.match, GIFT, action.number)


@on("snooze")
async def ask_when(press: Press, action: Action) -> None:
    """Ask the player to move when he wants to be reminded; by direct message, too, where no server is named."""
    service, user, locale = press.client.service, press.user.id, reader(press)
    match = await service.reminded_match(action.match, press.guild_id, user)
    people, at = await service.people(match.players), now()
    # Decided and not stored: refuses what the menu would refuse, whatever is chosen there.
    timing.snooze(match, user, at + HOUR, at, people, action.number)
    view = snooze_view(locale, match, people[user].settings.zone, at, timing.too_late(match, people))
    await answer(press, text(locale, "time.when", id=match.id), view=view)


async def _claim(press: Press, match_id: int, changes: int | None = None) -> None:
    match = await press.client.service.claim(match_id, where(press)[0], press.user.id, now(), changes)
    key = "time.done.claimed-seat" if match.is_live else "time.done.claimed"
    await acted(press, match, text(reader(press), key, id=match.id))


async def _give(press: Press, match_id: int, hours: int, changes: int | None = None) -> None:
    require_calm(press, "ask")
    guild, service = where(press)[0], press.client.service
    match = await service.give_time(match_id, guild, press.user.id, hours * HOUR, now(), changes)
    await acted(press, match, await _given_text(press, match))


async def _given_text(press: Press, match: Match) -> str:
    """When the time is up now: less than was given, where the cap of the pace has been reached."""
    falls = await press.client.service.flag(match)
    assert falls is not None
    return text(reader(press), "time.done.given", id=match.id, falls=instant(falls))
