"""What commands ask of their options and of the place where they are used: a game, a member, a channel."""

from __future__ import annotations

import asyncio
import re

import discord
from discord import app_commands

from bot.core.clock import Pace
from bot.core.match import Match
from bot.core.problems import MatchError, Problem
from bot.discordkit.components import outdated_error
from bot.discordkit.errors import Declined
from bot.discordkit.interactions import log_match
from bot.discordkit.permissions import CannotPost, Obstacle, Trouble, is_public_place, require_permissions
from bot.discordkit.reply import Interaction, server_here
from bot.discordkit.slash import localized_choices
from bot.play.app import app_of
from bot.play.names import GATEWAY_ERRORS
from bot.play.service.service import WhichGame
from bot.play.visible_games import find_visible_match
from bot.texts.i18n import LANGUAGES, Language
from bot.texts.markup import escape_markup, one_line
from bot.texts.sentences import colour_name
from rules import VARIANTS, Game
from rules.record import move_numbers

VARIANT_CHOICES = [app_commands.Choice(name=variant.name, value=key) for key, variant in VARIANTS.items()]
PACE_CHOICES = localized_choices("choice.pace", (pace.value for pace in Pace))


def server_and_channel(interaction: Interaction) -> tuple[int, int]:
    """Returns the server and the channel (or thread) of an interaction. Raises NoPrivateMessage if the bot is in no
    server.
    """
    guild = server_here(interaction)
    if guild is None or interaction.channel_id is None:
        raise app_commands.NoPrivateMessage
    return guild, interaction.channel_id


def parent_channel(interaction: Interaction) -> int | None:
    """Returns the channel above this thread; None outside threads."""
    return interaction.channel.parent_id if isinstance(interaction.channel, discord.Thread) else None


def require_bot_permissions(interaction: Interaction, *, wants_thread: bool = False) -> None:
    """Raises CannotPost if the bot lacks a permission that a game in this place needs."""
    assert interaction.channel is not None
    require_permissions(interaction.app_permissions, interaction.channel, wants_thread=wants_thread)


def is_private_thread(interaction: Interaction) -> bool:
    """True if the interaction comes from a private thread."""
    return isinstance(interaction.channel, discord.Thread) and interaction.channel.is_private()


def is_forum_post(interaction: Interaction) -> bool:
    """True if the interaction comes from a post of a forum."""
    place = interaction.channel
    return isinstance(place, discord.Thread) and isinstance(place.parent, discord.ForumChannel)


def require_public_channel(interaction: Interaction, channel: int) -> None:
    """Raises Declined unless everybody in the server may see the channel, and CannotPost if the bot may not post there.

    People who cannot see all of a ladder's games would have to take its results on trust.
    """
    assert interaction.guild is not None
    place = interaction.guild.get_channel_or_thread(channel)
    private = channel == interaction.channel_id and is_private_thread(interaction)
    if place is None and not private:
        raise CannotPost(Trouble(Obstacle.GONE, channel))
    if place is None or not is_public_place(place):
        raise Declined("ladder.private", channel=f"<#{channel}>")
    require_permissions(place.permissions_for(interaction.guild.me), place)


def parse_game_number(typed: str | None) -> int | None:
    """Returns the number of a game as typed or chosen: "12", "#12", or a whole suggestion.

    Raises MatchError if the text is none of these.
    """
    if typed is None:
        return None
    match = re.match(r"\s*#?\s*(\d{1,15})\b", typed)
    if not match:
        raise MatchError(Problem.NO_SUCH_GAME)
    return int(match[1])


def turn_names(locale: Language, match: Match) -> list[str]:
    """Returns the name of each move's turn as the record counts: "17 Blue"."""
    return [
        f"{number} {colour_name(locale, match.variant, seat)}"
        for number, seat in move_numbers(require_started_game(match))
    ]


def find_ply(match: Match, turn: str, *, first: bool = False) -> int:
    """Returns the number of moves made after that turn of the record: "17 blue", or "17" for the whole round; with
    `first`, after the first move of the round. "0" is the start. Raises Declined for anything else.
    """
    typed = " ".join(turn.split(":")[0].replace(".", " ").casefold().split())  # a suggestion goes on with the move
    if typed == "0":
        return 0
    named = [turn_names(locale, match) for locale in LANGUAGES]
    wanted = typed if " " in typed else f"{typed} "
    plies = [ply for names in named for ply, name in enumerate(names, 1) if name.casefold().startswith(wanted)]
    if not plies:
        last = named[0][-1] if named[0] else "0"
        raise Declined("failure.no-such-turn", turn=escape_markup(one_line(turn, 40)), last=last)
    return min(plies) if first else max(plies)


def require_player(user: discord.User | discord.Member) -> None:
    """Raises OPPONENT_IS_BOT or NOT_A_MEMBER for a user who cannot play here. A user named by number need not be a
    member.
    """
    if user.bot:
        raise MatchError(Problem.OPPONENT_IS_BOT)
    if not isinstance(user, discord.Member):
        raise MatchError(Problem.NOT_A_MEMBER, user=user.id)


async def find_member(interaction: Interaction, user: int) -> discord.Member:
    """Returns that member of this server. Raises NOT_A_MEMBER, and TimeoutError if Discord does not answer in time."""
    app, (guild, _) = app_of(interaction), server_and_channel(interaction)
    # Over the gateway, where no rate limit delays it: the interaction may not have been answered yet.
    try:
        members = await asyncio.wait_for(app.names.fetch_members(guild, [user]), app.timings.name_wait_s)
    except GATEWAY_ERRORS as error:
        raise TimeoutError from error
    if user not in members:
        raise MatchError(Problem.NOT_A_MEMBER, user=user)
    return members[user]


async def find_meant_match(interaction: Interaction, game: str | None, which: WhichGame) -> Match:
    """Returns the match that a command means: the named one, else the one that the place suggests."""
    guild, channel = server_and_channel(interaction)
    match_id = parse_game_number(game)
    if match_id is None:
        match_id = await app_of(interaction).service.which_game(guild, interaction.user.id, channel, which)
    log_match(match_id)
    return await find_visible_match(interaction, match_id)


def require_started_game(match: Match) -> Game:
    """Returns the game of the match. Raises NOT_STARTED if it has not begun."""
    if match.game is None:
        raise MatchError(Problem.NOT_STARTED, number=match.id)
    return match.game


def require_known_variant(variant: str) -> str:
    """Returns the variant if it exists. Raises NO_SUCH_BUTTON otherwise: buttons may be older than the program."""
    if variant not in VARIANTS:
        raise outdated_error()
    return variant
