"""The games that a person may see: those in which they play, and those in places that they see."""

from __future__ import annotations

import discord

from bot.core.listings import MatchSummary
from bot.core.match import Match
from bot.core.problems import MatchError, Problem
from bot.discordkit.components import parse_custom_id
from bot.discordkit.reply import Interaction, server_here
from bot.play.access import may_see_game
from bot.play.app import Caller


async def find_visible_match(interaction: Interaction, match_id: int) -> Match:
    """Returns the match of that number in this server, also for the button of an old message.

    Raises NO_SUCH_GAME if the person neither plays in it nor may see its place.
    """
    caller = Caller(interaction)
    match = await caller.service.current_match(match_id, caller.guild)
    if not may_see(interaction, match):
        raise MatchError(Problem.NO_SUCH_GAME, number=match_id)
    return match


async def require_visible_match(interaction: Interaction) -> None:
    """Raises NO_SUCH_GAME if a press in a server names a game whose place the person may not see.

    In direct messages, and in servers that the bot has not joined, the handler has to check the game itself.
    """
    parsed_id = parse_custom_id(str(dict(interaction.data or {}).get("custom_id")))
    match_id = getattr(parsed_id.state, "match", 0) if parsed_id else 0
    if match_id and server_here(interaction) is not None:
        await find_visible_match(interaction, match_id)


def may_see(interaction: Interaction, game: Match | MatchSummary) -> bool:
    """True if the person plays in that game or may see its place. A game is as private as its place."""
    seated = game.players if isinstance(game, MatchSummary) else game.players or game.joined
    if interaction.user.id in seated or game.thread_or_channel == interaction.channel_id:
        return True
    guild, user = interaction.guild if server_here(interaction) else None, interaction.user
    return guild is not None and isinstance(user, discord.Member) and may_see_game(guild, user, game)
