"""Who may see a game in Discord, and what its players hear where it cannot be posted."""

from __future__ import annotations

import discord

from bot.core.match import Match
from bot.core.results import MatchSummary
from bot.discordkit.permissions import Obstacle, Trouble, trouble_sentence
from bot.texts.i18n import Language, text


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


def unposted_sentence(locale: Language, trouble: Trouble, match: Match) -> str:
    """Returns the complaint to a player of that match. It offers another place if no permission can open this one."""
    sentence = trouble_sentence(locale, trouble)
    leads_on = trouble.obstacle in (Obstacle.GONE, Obstacle.SHUT, Obstacle.UNINVITED) and match.is_live
    return f"{sentence} {text(locale, 'permission.elsewhere')}" if leads_on else sentence
