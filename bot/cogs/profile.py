"""`/profile`, `/leaderboard`, `/compare` and `/export`: what people have done, and their games to take away."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.ext import commands

from bot.cogs._answers.errors import Declined
from bot.cogs._answers.options import VARIANT_CHOICES, suggest_all_games, the_game, where
from bot.cogs._answers.outdated import outdated
from bot.cogs._answers.reply import LONGEST, Press, answer, now, picture, reader
from bot.cogs._answers.sheets import ANY, Sheet, Shown, fitting, leaves, open_sheet, sheet, variants
from bot.cogs._answers.translator import words
from bot.cogs._export import export_files
from bot.cogs._looking import games_menu, played_lines, require_shown, visible
from bot.cogs._profile_text import board_lines, comparison_lines, curve_words, profile_lines
from bot.i18n import plural, text
from bot.ratings import NEW
from bot.words import mention
from render import THEMES
from render.curve import Curve
from rules import VARIANTS

PROFILE, LEADERBOARD = "profile", "leaderboard"


class Profiles(commands.Cog):
    """Standings of single people."""

    @app_commands.command(name="profile", description=words("command.profile.description"))
    @app_commands.describe(player=words("command.profile.player"))
    async def profile(self, interaction: Press, player: discord.User | None = None) -> None:
        """Show what somebody has done, at the variant that he plays most."""
        await open_sheet(interaction, Sheet(PROFILE, ANY, (player or interaction.user).id))

    @app_commands.command(name="leaderboard", description=words("command.leaderboard.description"))
    @app_commands.describe(variant=words("command.leaderboard.variant"))
    @app_commands.choices(variant=VARIANT_CHOICES)
    async def leaderboard(self, interaction: Press, variant: str) -> None:
        """Show who is rated highest."""
        await open_sheet(interaction, Sheet(LEADERBOARD, variant))

    @app_commands.command(name="compare", description=words("command.compare.description"))
    @app_commands.describe(player=words("command.compare.player"), other=words("command.compare.second"))
    async def compare(self, interaction: Press, player: discord.User, other: discord.User | None = None) -> None:
        """Show two people side by side; the reader himself where only one is named."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        guild, _ = where(interaction)
        users = (player.id, (other or interaction.user).id)
        if users[0] == users[1]:
            raise Declined("compare.same")
        found = await interaction.client.service.compare(guild, *users)
        await answer(interaction, fitting(comparison_lines(reader(interaction), users, found, now())))

    @app_commands.command(name="export", description=words("command.export.description"))
    @app_commands.describe(game=words("command.export.game"))
    @app_commands.autocomplete(game=suggest_all_games)
    async def export(self, interaction: Press, game: str | None = None) -> None:
        """Hand over a game, or all games of whoever asks, as text and as JSON lines."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        guild, _ = where(interaction)
        service = interaction.client.service
        if game is None:
            games = await service.export_games(guild, interaction.user.id)
        else:
            games = (await service.export_game(await the_game(interaction, game, "view"), guild),)
        if not games:
            raise Declined("export.none")
        files = await export_files(interaction.client, games)
        await answer(interaction, plural(reader(interaction), "export.done", len(games)), files=files)


@sheet(PROFILE)
async def show_profile(press: Press, wanted: Sheet) -> Shown:
    """A person at one variant, with his rating curve and his last games; his other variants as buttons."""
    guild, _ = where(press)
    service, locale, user = press.client.service, reader(press), wanted.user
    await require_shown(press, user)
    profiles = {one.variant: one for one in await service.profile(guild, user)}
    if not profiles:
        raise Declined("profile.none", player=mention(user, locale))
    variant = wanted.variant if wanted.variant in profiles else next(iter(profiles))
    lines = profile_lines(locale, user, profiles[variant], now())
    found, _pages = await service.find_history(guild, user, variant)
    if games := await visible(press, found):
        lines.append(text(locale, "profile.last", variant=text(locale, f"variant.{variant}")))
        lines += played_lines(locale, user, games, LONGEST - len("\n".join(lines)))
    files = await _curve(press, guild, variant, user)
    others = variants(locale, wanted._replace(variant=variant), list(profiles))
    return Shown(fitting(lines), [*games_menu(locale, games), *others], files)


async def _curve(press: Press, guild: int, variant: str, user: int) -> list[discord.File]:
    """The picture of the rating, in the reader's colours; none before the first rated game."""
    story = await press.client.service.rating_curve(guild, variant, user)
    if not story:
        return []
    preferences = await press.client.service.preferences(press.user.id)
    curve = Curve((NEW.number, *(number for _, number in story)), THEMES[preferences.theme])
    png = await press.client.pictures.plot(curve)
    return [picture(png, f"rating-{variant}", curve_words(reader(press), curve, variant))]


@sheet(LEADERBOARD)
async def show_leaderboard(press: Press, wanted: Sheet) -> Shown:
    """A page of a leaderboard, with the other variants as buttons."""
    if wanted.variant not in VARIANTS:  # all of them at once, which other sheets can be of
        await outdated()
    guild, _ = where(press)
    locale, at = reader(press), now()
    board = await press.client.service.leaderboard(guild, wanted.variant, wanted.page, at, press.user.id)
    buttons = [
        *leaves(locale, wanted._replace(page=board.page), board.pages),
        *variants(locale, wanted, list(VARIANTS)),
    ]
    return Shown(fitting(board_lines(locale, wanted.variant, board, at)), buttons)
