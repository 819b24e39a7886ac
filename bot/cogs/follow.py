"""`/follow` and `/unfollow`: games that somebody watches without playing in them."""

from __future__ import annotations

from discord import app_commands
from discord.ext import commands

from bot.cogs._answers.options import (
    game_number,
    suggest_followed_games,
    suggest_visible_games,
    the_game,
    where,
)
from bot.cogs._answers.reply import Press, answer, reader
from bot.cogs._answers.translator import words
from bot.i18n import text
from bot.problems import MatchError, Problem
from bot.words import titled


class Following(commands.Cog):
    """Followers are pinged when a game ends, and at every move where they ask for it."""

    @app_commands.command(name="follow", description=words("command.follow.description"))
    @app_commands.describe(game=words("command.follow.game"), every_move=words("command.follow.every-move"))
    @app_commands.rename(every_move="every-move")
    @app_commands.autocomplete(game=suggest_visible_games)
    async def follow(self, interaction: Press, game: str | None = None, every_move: bool = False) -> None:
        """Follow a game into whose channel one may look."""
        guild, _ = where(interaction)
        match_id = await the_game(interaction, game, "view")
        service = interaction.client.service
        await service.follow(match_id, guild, interaction.user.id, every_move=every_move)
        match, locale = await service.match(match_id, guild), reader(interaction)
        key = "follow.every-move" if every_move else "follow.end"
        await answer(interaction, text(locale, key, id=match_id, variant=titled(locale, match.variant, match.title)))

    @app_commands.command(name="unfollow", description=words("command.unfollow.description"))
    @app_commands.describe(game=words("command.unfollow.game"))
    @app_commands.autocomplete(game=suggest_followed_games)
    async def unfollow(self, interaction: Press, game: str | None = None) -> None:
        """Follow it no longer, also where one may no longer look."""
        guild, _ = where(interaction)
        match_id = game_number(game) or await _only_followed(interaction)
        await interaction.client.service.unfollow(match_id, guild, interaction.user.id)
        await answer(interaction, text(reader(interaction), "follow.ended", id=match_id))


async def _only_followed(interaction: Press) -> int:
    """The game that the person follows, if it is one alone."""
    guild, _ = where(interaction)
    followed = await interaction.client.service.followed(guild, interaction.user.id)
    if not followed:
        raise MatchError(Problem.FOLLOWS_NONE)
    if len(followed) > 1:
        raise MatchError(Problem.WHICH_GAME, candidates=[game.id for game in followed])
    return followed[0].id
