"""Options that commands share: which game is meant, and what is suggested while somebody types."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress

import discord
from discord import app_commands

from bot.core.clock import Pace
from bot.core.match import Match, Phase
from bot.core.problems import MatchError, Problem
from bot.core.results import MatchSummary
from bot.discordkit.components import outdated_error, parse_custom_id
from bot.discordkit.permissions import may_see_game, require_permissions
from bot.discordkit.reply import Interaction, may_manage_server, reader_language, server_here
from bot.discordkit.slash import localized_choices
from bot.discordkit.work import log_match
from bot.play.app import Caller, app_of
from bot.play.service.service import WhichGame
from bot.texts.i18n import Language, text
from bot.texts.sentences import colour_name, one_line, variant_name
from rules import VARIANTS, Game, suggest_move_texts

MAX_SUGGESTIONS = 25
MAX_SUGGESTION_LENGTH = 100

VARIANT_CHOICES = [app_commands.Choice(name=variant.name, value=key) for key, variant in VARIANTS.items()]
PACE_CHOICES = localized_choices("choice.pace", (pace.value for pace in Pace))


def server_and_channel(interaction: Interaction) -> tuple[int, int]:
    """The server and the channel (or thread) of an interaction. Raises NoPrivateMessage where the bot is in none."""
    guild = server_here(interaction)
    if guild is None or interaction.channel_id is None:
        raise app_commands.NoPrivateMessage
    return guild, interaction.channel_id


def parent_channel(interaction: Interaction) -> int | None:
    """The channel whose thread this is; None where it is no thread."""
    return interaction.channel.parent_id if isinstance(interaction.channel, discord.Thread) else None


def require_bot_permissions(interaction: Interaction, *, wants_thread: bool = False) -> None:
    """Raises CannotPost where the bot lacks what a game needs that is played here."""
    assert interaction.channel is not None
    require_permissions(interaction.app_permissions, interaction.channel, wants_thread=wants_thread)


def is_private_thread(interaction: Interaction) -> bool:
    """Whether it comes from a private thread."""
    return isinstance(interaction.channel, discord.Thread) and interaction.channel.is_private()


def is_forum_post(interaction: Interaction) -> bool:
    """Whether it comes from a post of a forum."""
    place = interaction.channel
    return isinstance(place, discord.Thread) and isinstance(place.parent, discord.ForumChannel)


def parse_game_number(typed: str | None) -> int | None:
    """The number of a game as typed or chosen: "12", "#12", or the whole of a suggestion.

    Raises MatchError where it is none.
    """
    if typed is None:
        return None
    match = re.match(r"\s*#?\s*(\d{1,15})\b", typed)
    if not match:
        raise MatchError(Problem.NO_SUCH_GAME)
    return int(match[1])


def require_player(user: discord.User | discord.Member) -> None:
    """Raises OPPONENT_IS_BOT or NOT_A_MEMBER for one who cannot play here; people are also named by their number."""
    if user.bot:
        raise MatchError(Problem.OPPONENT_IS_BOT)
    if not isinstance(user, discord.Member):
        raise MatchError(Problem.NOT_A_MEMBER, user=user.id)


async def find_meant_match(interaction: Interaction, game: str | None, which: WhichGame) -> Match:
    """The match that a command means: the one named, else the one that the place suggests."""
    guild, channel = server_and_channel(interaction)
    match_id = parse_game_number(game)
    if match_id is None:
        match_id = await app_of(interaction).service.which_game(guild, interaction.user.id, channel, which)
    log_match(match_id)
    return await find_visible_match(interaction, match_id)


async def find_meant_match_id(interaction: Interaction, game: str | None, which: WhichGame) -> int:
    """The number of the game that a command means."""
    return (await find_meant_match(interaction, game, which)).id


def require_started_game(match: Match) -> Game:
    """The game of the match. Raises NOT_STARTED where it has none yet."""
    if match.game is None:
        raise MatchError(Problem.NOT_STARTED, number=match.id)
    return match.game


def require_known_variant(variant: str) -> str:
    """That variant. Raises NO_SUCH_BUTTON where there is none of the name: buttons may be older than the program."""
    if variant not in VARIANTS:
        raise outdated_error()
    return variant


async def find_visible_match(interaction: Interaction, match_id: int) -> Match:
    """The match of that number in this server, as the button of an old message may name it, too.

    Raises NO_SUCH_GAME where the person neither plays in it nor may look into its place.
    """
    caller = Caller(interaction)
    match = await caller.service.current_match(match_id, caller.guild)
    if not may_see(interaction, match):
        raise MatchError(Problem.NO_SUCH_GAME, number=match_id)
    return match


async def require_visible_match(interaction: Interaction) -> None:
    """Raises NO_SUCH_GAME where a press in a server names a game into whose place the person may not look.

    Where the bot is not, and in direct messages, the handler has to ask whose game it is.
    """
    parsed_id = parse_custom_id(str(dict(interaction.data or {}).get("custom_id")))
    match_id = getattr(parsed_id.state, "match", 0) if parsed_id else 0
    if match_id and server_here(interaction) is not None:
        await find_visible_match(interaction, match_id)


def may_see(interaction: Interaction, game: Match | MatchSummary) -> bool:
    """Whether the person plays in that game, or may look into its place: it is as private as that."""
    seated = game.players if isinstance(game, MatchSummary) else game.players or game.joined
    if interaction.user.id in seated or game.thread_or_channel == interaction.channel_id:
        return True
    guild, user = interaction.guild if server_here(interaction) else None, interaction.user
    return guild is not None and isinstance(user, discord.Member) and may_see_game(guild, user, game)


async def _match_half_typed(interaction: Interaction, which: WhichGame) -> Match | None:
    """The match that a half-typed command means; None where that is none."""
    with suppress(MatchError, app_commands.NoPrivateMessage):
        return await find_meant_match(interaction, interaction.namespace.game, which)
    return None


async def suggest_moves(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Moves that continue what is typed, for the game that waits for this player; name equal to value."""
    match = await _match_half_typed(interaction, "waiting")
    if match is None or match.game is None or match.to_move != interaction.user.id:
        return []
    moves = suggest_move_texts(match.game.position, current, MAX_SUGGESTIONS, MAX_SUGGESTION_LENGTH)
    return [app_commands.Choice(name=move, value=move) for move in moves]


async def suggest_pieces(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """The player's pieces that may move."""
    pieces = await suggest_moves(interaction, "")
    return [piece for piece in pieces if piece.name.startswith(current.strip().upper())]


async def suggest_cells(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """The cells of the game's board that begin with what is typed; name equal to value."""
    match, typed = await _match_half_typed(interaction, "any"), current.strip().upper()
    cells = [name for name in match.variant.board.names if name.startswith(typed)] if match else []
    return [app_commands.Choice(name=name, value=name) for name in cells[:MAX_SUGGESTIONS]]


async def suggest_games(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """The player's games that are on, those that wait for them first."""
    return await _suggest_games(interaction, current, live=True)


async def suggest_all_games(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """The player's games, those that are on first."""
    return await _suggest_games(interaction, current, live=False)


async def _suggest_games(interaction: Interaction, current: str, *, live: bool) -> list[app_commands.Choice[str]]:
    caller = Caller(interaction)
    return suggest_fitting_games(
        interaction, current, await caller.service.games_of(caller.guild_or_none, caller.user, live=live)
    )


async def suggest_visible_games(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """The server's games that are on, in places into which the person may look."""
    games = await app_of(interaction).service.games_at(server_and_channel(interaction)[0])
    return suggest_fitting_games(interaction, current, [game for game in games if may_see(interaction, game)])


async def suggest_refereed_games(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """All of the server's games, for those who manage it."""
    if not may_manage_server(interaction):
        return []
    return suggest_fitting_games(
        interaction, current, await app_of(interaction).service.games_at(server_and_channel(interaction)[0], live=False)
    )


async def suggest_followed_games(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """The games that the person follows; by their numbers alone where their places are hidden."""
    caller = Caller(interaction)
    games = await caller.service.people.followed_games(caller.guild, caller.user)
    hidden = [f"#{game.id}" for game in games if not may_see(interaction, game)]
    return [
        *suggest_fitting_games(interaction, current, [game for game in games if may_see(interaction, game)]),
        *(app_commands.Choice(name=name, value=name) for name in hidden if current.strip() in name),
    ][:MAX_SUGGESTIONS]


def suggest_fitting_games(
    interaction: Interaction, current: str, games: Sequence[MatchSummary]
) -> list[app_commands.Choice[str]]:
    """Those of the games whose line has what is typed, as suggestions."""
    locale = reader_language(interaction)
    suggestions = []
    for summary in games:
        name = _suggestion_text(locale, summary, interaction.user.id)
        if current.strip().lower() in name.lower():
            suggestions.append(app_commands.Choice(name=name[:MAX_SUGGESTION_LENGTH], value=str(summary.id)))
    return suggestions[:MAX_SUGGESTIONS]


def _suggestion_text(locale: Language, summary: MatchSummary, user: int) -> str:
    """A game in a list of suggestions: its number first, because that is what `parse_game_number` reads back."""
    name = variant_name(locale, summary.variant)
    key, mover = ("over" if summary.phase is Phase.OVER else "vacant"), ""
    if summary.to_move is not None:
        key = "own" if summary.to_move == user else "other"
        mover = colour_name(locale, summary.variant, summary.players.index(summary.to_move))
    return text(
        locale,
        f"game-choice.{key}",
        id=summary.id,
        # Suggestions are shown as they are, so that a title needs no masking.
        variant=f"{name}: {one_line(summary.title)}" if summary.title else name,
        colour=mover,
    )
