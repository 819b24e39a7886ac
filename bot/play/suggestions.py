"""The suggestions of options while a person types: games, moves, pieces and cells."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from discord import app_commands

from bot.core.listings import MatchSummary
from bot.core.match import Match, Phase
from bot.core.problems import MatchError
from bot.discordkit.reply import Interaction, may_manage_server, reader_language
from bot.play.app import Caller, app_of
from bot.play.options import find_meant_match, server_and_channel, turn_names
from bot.play.service.service import WhichGame
from bot.play.visible_games import may_see
from bot.texts.i18n import Language, text
from bot.texts.markup import one_line
from bot.texts.sentences import colour_name, variant_name
from rules import format_move, suggest_move_texts

MAX_SUGGESTIONS = 25


MAX_SUGGESTION_LENGTH = 100


async def _match_half_typed(interaction: Interaction, which: WhichGame) -> Match | None:
    """Returns the match that a half-typed command means; None if there is none."""
    with suppress(MatchError, app_commands.NoPrivateMessage):
        return await find_meant_match(interaction, interaction.namespace.game, which)
    return None


async def suggest_moves(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Returns moves that continue the typed text, in the game that waits for this player. Name and value are equal."""
    match = await _match_half_typed(interaction, "waiting")
    if match is None or match.game is None or match.to_move != interaction.user.id:
        return []
    moves = suggest_move_texts(match.game.position, current, MAX_SUGGESTIONS, MAX_SUGGESTION_LENGTH)
    return [app_commands.Choice(name=move, value=move) for move in moves]


async def suggest_cells(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Returns the cells of the game's board that begin with the typed text. Name and value are equal."""
    match, typed = await _match_half_typed(interaction, "any"), current.strip().upper()
    cells = [name for name in match.variant.board.names if name.startswith(typed)] if match else []
    return [app_commands.Choice(name=name, value=name) for name in cells[:MAX_SUGGESTIONS]]


async def suggest_turns(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Returns the turns of the game that begin with the typed text, the latest first. Name and value are equal."""
    match, typed = await _match_half_typed(interaction, "any"), current.strip().casefold()
    if match is None or match.game is None:
        return []
    names, board = turn_names(reader_language(interaction), match), match.variant.board
    turns = [f"{name}: {format_move(move, board)}" for name, move in zip(names, match.game.moves, strict=True)]
    fitting = [turn[:MAX_SUGGESTION_LENGTH] for turn in reversed(turns) if turn.casefold().startswith(typed)]
    return [app_commands.Choice(name=turn, value=turn) for turn in fitting[:MAX_SUGGESTIONS]]


async def suggest_games(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Returns the player's live games, those waiting for them first."""
    return await _suggest_games(interaction, current, live=True)


async def suggest_all_games(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Returns all of the player's games, live ones first."""
    return await _suggest_games(interaction, current, live=False)


async def _suggest_games(interaction: Interaction, current: str, *, live: bool) -> list[app_commands.Choice[str]]:
    caller = Caller(interaction)
    return suggest_fitting_games(
        interaction, current, await caller.service.games_of(caller.guild_or_none, caller.user, live=live)
    )


async def suggest_games_to_follow(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Returns the server's live games in places that the person may see, and games that they follow in hidden places,
    by their numbers only.
    """
    caller, guild = Caller(interaction), server_and_channel(interaction)[0]
    games = [game for game in await caller.service.games_at(guild) if may_see(interaction, game)]
    followed = await caller.service.people.followed_games(guild, caller.user)
    hidden = [f"#{game.id}" for game in followed if not may_see(interaction, game)]
    return [
        *(app_commands.Choice(name=name, value=name) for name in hidden if current.strip() in name),
        *suggest_fitting_games(interaction, current, games),
    ][:MAX_SUGGESTIONS]


async def suggest_refereed_games(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Returns all of the server's games, for people who manage the server."""
    if not may_manage_server(interaction):
        return []
    return suggest_fitting_games(
        interaction, current, await app_of(interaction).service.games_at(server_and_channel(interaction)[0], live=False)
    )


def suggest_fitting_games(
    interaction: Interaction, current: str, games: Sequence[MatchSummary]
) -> list[app_commands.Choice[str]]:
    """Returns suggestions for those games whose line contains the typed text."""
    locale = reader_language(interaction)
    suggestions = []
    for summary in games:
        name = _suggestion_text(locale, summary, interaction.user.id)
        if current.strip().lower() in name.lower():
            suggestions.append(app_commands.Choice(name=name[:MAX_SUGGESTION_LENGTH], value=str(summary.id)))
    return suggestions[:MAX_SUGGESTIONS]


def _suggestion_text(locale: Language, summary: MatchSummary, user: int) -> str:
    """Returns the line of a game in suggestions. The number comes first, because `parse_game_number` reads it back."""
    name = variant_name(locale, summary.variant)
    key, mover = {Phase.OPEN: "open", Phase.LIVE: "vacant"}.get(summary.phase, "over"), ""
    if summary.to_move is not None:
        key = "own" if summary.to_move == user else "other"
        mover = colour_name(locale, summary.variant, summary.players.index(summary.to_move))
    return text(
        locale,
        f"game-choice.{key}",
        id=summary.id,
        # Suggestions show plain text, so the title needs no escaping.
        variant=f"{name}: {one_line(summary.title)}" if summary.title else name,
        colour=mover,
    )
