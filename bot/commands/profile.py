"""What people have done: profiles, leaderboards and comparisons, and their games to take away."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence

import discord
from discord import app_commands
from discord.ext import commands

from bot.commands.app import Asker, app, beside_in_steps, in_turn, take_turn
from bot.commands.history import games_menu, played_lines, require_shown, visible
from bot.commands.options import VARIANT_CHOICES, known, suggest_all_games, the_game
from bot.kit.errors import Declined
from bot.kit.reply import LONGEST, Interaction, answer, attachment, now, picture, zipped
from bot.kit.sheets import ANY, Sheet, Shown, fitting, open_sheet, ranking_buttons, sheet, variants
from bot.kit.slash import command
from bot.ladder.ratings import NEW
from bot.match.results import Exported
from bot.posting.people import recorded
from bot.texts.i18n import plural, text
from bot.texts.profiles import board_lines, comparison_lines, curve_words, profile_lines
from bot.texts.records import people, record_line, record_text
from bot.texts.sentences import mention, variant_called
from render import THEMES
from render.curve import Curve

PROFILE, LEADERBOARD = "profile", "leaderboard"


class ProfileCommands(commands.Cog):
    """Standings of single people."""

    @command("ladder profile")
    async def profile(self, interaction: Interaction, player: discord.User | None = None) -> None:
        """Show what somebody has done, at the variant that they play most."""
        await open_sheet(interaction, Sheet(PROFILE, ANY, (player or interaction.user).id))

    @command("ladder leaderboard")
    @app_commands.choices(variant=VARIANT_CHOICES)
    async def leaderboard(self, interaction: Interaction, variant: str) -> None:
        """Show who is rated highest."""
        await open_sheet(interaction, Sheet(LEADERBOARD, variant))

    @command("ladder compare")
    async def compare(self, interaction: Interaction, player: discord.User, other: discord.User | None = None) -> None:
        """Show two people side by side; whoever asks is the second where only one is named."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        asker, users = Asker(interaction), (player.id, (other or interaction.user).id)
        if users[0] == users[1]:
            raise Declined("compare.same")
        found = await asker.service.profiles.compare(asker.guild, *users)
        await answer(interaction, fitting(comparison_lines(asker.locale, users, found, now())))

    @command("game export")
    @app_commands.autocomplete(game=suggest_all_games)
    async def export(self, interaction: Interaction, game: str | None = None) -> None:
        """Hand over a game, or all games of whoever asks, as text and as JSON lines."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        await take_turn(interaction)
        asker = Asker(interaction)
        archive = asker.service.archive
        if game is None:
            games = await archive.export_games(asker.guild, asker.user)
        else:
            games = (await archive.export_game(await the_game(interaction, game, "any"), asker.guild),)
        if not games:
            raise Declined("export.none")
        files = await export_files(interaction, games)
        await answer(interaction, plural(asker.locale, "export.done", len(games)), files=files)


@sheet(PROFILE)
async def show_profile(interaction: Interaction, wanted: Sheet) -> Shown:
    """A person at one variant, with their rating curve and last games; their other variants as buttons."""
    asker, user = Asker(interaction), wanted.user
    locale, standings = asker.locale, asker.service.profiles
    await require_shown(interaction, user)
    profiles = {one.variant: one for one in await standings.profile(asker.guild, user)}
    if not profiles:
        raise Declined("profile.none", player=mention(user, locale))
    variant = wanted.variant if wanted.variant in profiles else next(iter(profiles))
    lines = profile_lines(locale, user, profiles[variant], now())
    found, _pages = await standings.find_history(asker.guild, user, variant)
    if games := await visible(interaction, found):
        lines.append(text(locale, "profile.last", variant=variant_called(locale, variant)))
        lines += played_lines(locale, user, games, LONGEST - len("\n".join(lines)))
    files = await _curve(interaction, variant, user)
    others = variants(locale, wanted._replace(variant=variant), list(profiles))
    return Shown(fitting(lines), [*games_menu(locale, games), *others], files)


async def _curve(interaction: Interaction, variant: str, user: int) -> list[discord.File]:
    """The picture of the rating, in the reader's colours; none before the first rated game."""
    asker = Asker(interaction)
    story = await asker.service.profiles.rating_curve(asker.guild, variant, user)
    if not story:
        return []
    theme = THEMES[(await asker.preferences()).theme]
    curve = Curve((NEW.number, *(number for _, number in story)), theme)
    png = await in_turn(interaction, app(interaction).pictures.plot(curve))
    return [picture(png, f"rating-{variant}", curve_words(asker.locale, curve, variant))]


@sheet(LEADERBOARD)
async def show_leaderboard(interaction: Interaction, wanted: Sheet) -> Shown:
    """A page of a leaderboard, with the other variants as buttons."""
    known(wanted.variant)  # not all of them at once, which other sheets can be of
    asker, at = Asker(interaction), now()
    board = await asker.service.profiles.leaderboard(asker.guild, wanted.variant, wanted.page, at, asker.user)
    buttons = ranking_buttons(asker.locale, wanted._replace(page=board.page), board.pages)
    return Shown(fitting(board_lines(asker.locale, wanted.variant, board, at)), buttons)


PATIENCE = 10.0
"""Seconds for which an export waits for names; who is not known by then has a number."""

LARGEST = 8_000_000
"""Bytes of both files together; beyond that they are packed, for Discord takes no more than ten million."""


async def export_files(interaction: Interaction, games: Sequence[Exported]) -> list[discord.File]:
    """Two files with those games of one server, the players called as it knows them; one archive if they are large."""
    called = app(interaction).names
    guild, users = games[0].match.guild, [user for game in games for user in people(game.match)]
    names = {user: recorded(name) for user, name in (await called.find(guild, users, PATIENCE)).items()}
    stem = f"game-{games[0].match.id}" if len(games) == 1 else "games"
    written = await beside_in_steps(interaction, _written(stem, games, names))
    return [attachment(content, name) for name, content in written.items()]


def _written(stem: str, games: Sequence[Exported], names: Mapping[int, str]) -> Generator[None, None, dict[str, bytes]]:
    """The contents of the files by their names, game by game."""
    texts, told = list[str](), list[str]()
    for game in games:
        texts.append(record_text(game, names))
        told.append(record_line(game, names))
        yield
    text, lines = "\n".join(texts).encode(), "".join(told).encode()
    files = {f"{stem}.txt": text, f"{stem}.jsonl": lines}
    return files if len(text) + len(lines) <= LARGEST else {f"{stem}.zip": zipped(files)}
