"""Who may see a game in Discord, and who may manage the bot in a server."""

from __future__ import annotations

import discord

from bot.core.listings import MatchSummary
from bot.core.match import Match
from bot.core.problems import MatchError, Problem
from bot.discordkit.reply import Interaction, may_manage_server


def may_see_game(guild: discord.Guild, member: discord.Member, game: Match | MatchSummary) -> bool:
    """True if the member may see the place where that game is played, as far as the client knows.

    The client does not know archived private threads, so nobody could see a game there. For this reason the games of a
    private thread name the thread as their channel, and not the channel above it.
    """
    place = guild.get_channel_or_thread(game.thread_or_channel) or guild.get_channel(game.channel)
    if place is None:
        return False
    granted = place.permissions_for(member)
    # A request per invited member would cost too much: members who manage threads see a private one anyway.
    hidden = isinstance(place, discord.Thread) and place.is_private() and not granted.manage_threads
    return granted.view_channel and not hidden


def require_manager(interaction: Interaction) -> None:
    """Raises NOT_MANAGER unless the person may manage the server, whatever the server's own command permissions say."""
    if not may_manage_server(interaction):
        raise MatchError(Problem.NOT_MANAGER)
