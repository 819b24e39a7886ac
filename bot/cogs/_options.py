"""Options that commands share: which game is meant, and what is suggested while somebody types."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import discord
from discord import app_commands

from bot.cogs._reply import Press, reader
from bot.i18n import Language, text
from bot.problems import MatchError, Problem
from bot.store import Summary
from bot.words import colour, variant_name
from rules import VARIANTS, suggest

if TYPE_CHECKING:
    from bot.service import Purpose

CHOICES = 25
LONGEST_CHOICE = 100

VARIANT_CHOICES = [app_commands.Choice(name=variant.name, value=key) for key, variant in VARIANTS.items()]


def where(interaction: Press) -> tuple[int, int]:
    """The server and the channel (or thread) of an interaction. Commands are offered in servers only."""
    if interaction.guild_id is None or interaction.channel_id is None:
        raise app_commands.NoPrivateMessage
    return interaction.guild_id, interaction.channel_id


def game_number(typed: str | None) -> int | None:
    """The number of a game as typed or chosen: "12", "#12", or the whole of a suggestion.

    Raises MatchError where it is none.
    """
    if typed is None:
        return None
    found = re.match(r"\s*#?\s*(\d{1,15})\b", typed)
    if not found:
        raise MatchError(Problem.NO_SUCH_GAME)
    return int(found[1])


async def the_game(interaction: Press, game: str | None, purpose: Purpose) -> int:
    """The number of the game that a command means: the one named, else the one that the place suggests."""
    guild, channel = where(interaction)
    service = interaction.client.service
    match_id = await service.which_game(guild, interaction.user.id, channel, game_number(game), purpose)
    match = await service.match(match_id, guild)
    if interaction.user.id not in (match.players or match.joined) and not sees(interaction, match.channel):
        raise MatchError(Problem.NO_SUCH_GAME, number=match_id)
    return match_id


def sees(interaction: Press, channel: int) -> bool:
    """Whether the person may look into that channel: its games are as private as it is."""
    if channel == interaction.channel_id:
        return True
    place = interaction.guild.get_channel_or_thread(channel) if interaction.guild else None
    return (
        place is not None
        and isinstance(interaction.user, discord.Member)
        and place.permissions_for(interaction.user).view_channel
    )


async def suggest_moves(interaction: Press, current: str) -> list[app_commands.Choice[str]]:
    """Moves that continue what is typed, for the game that waits for this player; name equal to value."""
    try:
        match_id = await the_game(interaction, interaction.namespace.game, "move")
        match = await interaction.client.service.match(match_id, where(interaction)[0])
    except (MatchError, app_commands.NoPrivateMessage):
        return []
    if match.game is None or match.to_move != interaction.user.id:
        return []
    moves = suggest(match.game.position, current, CHOICES, LONGEST_CHOICE)
    return [app_commands.Choice(name=move, value=move) for move in moves]


async def suggest_pieces(interaction: Press, current: str) -> list[app_commands.Choice[str]]:
    """The player's pieces that may move."""
    pieces = await suggest_moves(interaction, "")
    return [piece for piece in pieces if piece.name.startswith(current.strip().upper())]


async def suggest_games(interaction: Press, current: str) -> list[app_commands.Choice[str]]:
    """The player's games that are on, those that wait for him first."""
    return await _suggest_games(interaction, current, live=True)


async def suggest_all_games(interaction: Press, current: str) -> list[app_commands.Choice[str]]:
    """The player's games, those that are on first."""
    return await _suggest_games(interaction, current, live=False)


async def _suggest_games(interaction: Press, current: str, *, live: bool) -> list[app_commands.Choice[str]]:
    guild, _ = where(interaction)
    locale = reader(interaction)
    choices = []
    for summary in await interaction.client.service.games_of(guild, interaction.user.id, live=live):
        name = _game_name(locale, summary, interaction.user.id)
        if current.strip().lower() in name.lower():
            choices.append(app_commands.Choice(name=name[:LONGEST_CHOICE], value=str(summary.id)))
    return choices[:CHOICES]


def _game_name(locale: Language, summary: Summary, user: int) -> str:
    """A game in a list of suggestions: its number first, because that is what `game_number` reads back."""
    key, mover = "over", ""
    if summary.to_move is not None:
        key = "own" if summary.to_move == user else "other"
        mover = colour(locale, summary.variant, summary.players.index(summary.to_move))
    return text(
        locale,
        f"game-choice.{key}",
        id=summary.id,
        variant=variant_name(locale, summary.variant),
        colour=mover,
    )
