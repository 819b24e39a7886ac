"""`/referee`: what people who manage a server can do to its games. Every act has a reason, and is announced and
audited.
"""

from __future__ import annotations

import discord
from discord import app_commands

from bot.core.acts import AbortMatch, Act, AnnulMatch, ReplacePlayer, RewindMatch, SetClock
from bot.core.clock import HOUR
from bot.core.match import Match, Phase
from bot.core.problems import MatchError, Problem
from bot.core.refereeing import MAX_REASON_LENGTH
from bot.discordkit.permissions import trouble_sentence
from bot.discordkit.reply import Interaction, send_answer
from bot.discordkit.slash import slash_command
from bot.play.announcing.announcer import Announcer
from bot.play.caller import caller_of
from bot.play.options import (
    find_ply,
    parse_game_number,
    require_manager,
    require_player,
    suggest_refereed_games,
    suggest_turns,
)
from bot.play.places import audit_trouble
from bot.texts.i18n import text
from rules import Seat

ReasonOption = app_commands.Range[str, 1, MAX_REASON_LENGTH]


@slash_command("referee clock")
@app_commands.autocomplete(game=suggest_refereed_games)
async def referee_clock_command(
    interaction: Interaction,
    game: str,
    player: discord.User,
    hours: app_commands.Range[int, 1, 336],
    reason: ReasonOption,
) -> None:
    """Sets a player's remaining time."""
    match = await _find_refereed_match(interaction, game)
    await _act_as_referee(interaction, match, SetClock(seat_of_player(match, player), hours * HOUR, reason))


@slash_command("referee replace")
@app_commands.autocomplete(game=suggest_refereed_games)
async def referee_replace_command(
    interaction: Interaction, game: str, player: discord.User, by: discord.User, reason: ReasonOption
) -> None:
    """Gives a player's seat to another person."""
    match = await _find_refereed_match(interaction, game)
    require_player(by)
    await _act_as_referee(interaction, match, ReplacePlayer(player.id, by.id, reason))


@slash_command("referee undo")
@app_commands.autocomplete(game=suggest_refereed_games, turn=suggest_turns)
async def referee_undo_command(interaction: Interaction, game: str, turn: str, reason: ReasonOption) -> None:
    """Rewinds the game to its position after that turn."""
    match = await _find_refereed_match(interaction, game)
    await _act_as_referee(interaction, match, RewindMatch(find_ply(match, turn), reason))


@slash_command("referee end")
@app_commands.autocomplete(game=suggest_refereed_games)
async def referee_end_command(interaction: Interaction, game: str, reason: ReasonOption) -> None:
    """Ends a game without a result, or annuls the result of a finished one."""
    match = await _find_refereed_match(interaction, game)
    has_ended = match.phase is Phase.OVER and match.has_result
    await _act_as_referee(interaction, match, AnnulMatch(reason) if has_ended else AbortMatch(reason))


def seat_of_player(match: Match, player: discord.User) -> Seat:
    """Returns the player's seat. Raises NOT_IN_GAME if they have none."""
    seat = match.seat_of(player.id)
    if seat is None:
        raise MatchError(Problem.NOT_IN_GAME, number=match.id, user=player.id)
    return seat


async def _find_refereed_match(interaction: Interaction, game: str) -> Match:
    """Returns the game that a referee means. Raises if the person is none."""
    require_manager(interaction)
    await interaction.response.defer(ephemeral=True, thinking=True)
    number, caller = parse_game_number(game), caller_of(interaction)
    assert number is not None, "the option is required"
    return await caller.service.current_match(number, caller.guild)


async def _act_as_referee(interaction: Interaction, match: Match, act: Act) -> None:
    """Stores the act, announces it, and answers; if the players or the audit cannot see it, with the reason."""
    caller = caller_of(interaction)
    locale = caller.locale
    match = await caller.act(match.id, act)
    lines = [text(locale, "referee.done", id=match.id)]
    if trouble := audit_trouble(caller.context, match.guild):
        lines.append(text(locale, "referee.unaudited", why=trouble_sentence(locale, trouble)))
    if trouble := await Announcer(caller.context).announce_subject(match.id):
        lines.append(text(locale, "referee.untold", why=trouble_sentence(locale, trouble)))
    await send_answer(interaction, "\n".join(lines))
