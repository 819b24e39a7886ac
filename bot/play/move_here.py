"""`/game move-here`: games that move to another channel or thread."""

from __future__ import annotations

from discord import app_commands
from discord.ext import commands

from bot.discordkit.reply import Interaction, now
from bot.discordkit.slash import slash_command
from bot.play.after_acts import announce_and_answer
from bot.play.app import Caller
from bot.play.options import (
    find_meant_match_id,
    is_forum_post,
    is_private_thread,
    parent_channel,
    require_bot_permissions,
    require_public_channel,
    server_and_channel,
)
from bot.play.suggestions import suggest_games


class MoveHereCommands(commands.Cog):
    """The command of those who want to play somewhere else."""

    @slash_command("game move-here")
    @app_commands.autocomplete(game=suggest_games)
    async def move_here(self, interaction: Interaction, game: str | None = None) -> None:
        """Moves one's own game to the channel or thread in which the command is used."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        guild, here = server_and_channel(interaction)
        match_id = await find_meant_match_id(interaction, game, "own")
        above = parent_channel(interaction)
        # A private thread is a place of its own: its games never belong to the channel above, not even once it is
        # archived. The same holds for a forum's post, since a forum takes no messages itself.
        below = above is not None and not is_private_thread(interaction) and not is_forum_post(interaction)
        channel, thread = (above or here, here) if below else (here, None)
        require_bot_permissions(interaction)
        caller = Caller(interaction)
        if (await caller.service.current_match(match_id, guild)).ladder:
            require_public_channel(interaction, channel)
        match = await caller.service.move_to_channel(match_id, guild, caller.user, channel, now(), thread, parent=above)
        await announce_and_answer(interaction, match, "place.moved")
