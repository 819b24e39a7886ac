"""`/referee`: what people who manage a server can do to its games. Every act has a reason, and is announced and
audited.
"""

from __future__ import annotations

from typing import ParamSpec

import discord
from discord import app_commands

from bot.core import acts
from bot.core.acts import Act, Actor
from bot.core.clock import HOUR
from bot.core.events import Event
from bot.core.match import Match
from bot.core.match_state import Phase
from bot.core.problems import MatchError, Problem
from bot.core.refereeing import MAX_REASON_LENGTH
from bot.discordkit.permissions import trouble_sentence
from bot.discordkit.reply import Interaction, send_answer
from bot.discordkit.slash import slash_command
from bot.play.announcing.audit import enter_at_once
from bot.play.app import Caller, app_of
from bot.play.options import (
    find_ply,
    parse_game_number,
    require_manager,
    require_player,
    suggest_refereed_games,
    suggest_turns,
)
from bot.texts.i18n import text
from rules import Seat

P = ParamSpec("P")

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

    def set_clock(match: Match, actor: Actor) -> tuple[Event, ...]:
        return acts.set_clock(match, actor, _seat_of_player(match, player), hours * HOUR, reason)

    await _act_as_referee(interaction, game, set_clock)


@slash_command("referee replace")
@app_commands.autocomplete(game=suggest_refereed_games)
async def referee_replace_command(
    interaction: Interaction, game: str, player: discord.User, by: discord.User, reason: ReasonOption
) -> None:
    """Gives a player's seat to another person."""

    def replace_player(match: Match, referee: Actor) -> tuple[Event, ...]:
        require_player(by)
        _seat_of_player(match, player)
        return acts.replace_player(match, referee, player.id, by.id, reason)

    await _act_as_referee(interaction, game, replace_player)


@slash_command("referee undo")
@app_commands.autocomplete(game=suggest_refereed_games, turn=suggest_turns)
async def referee_undo_command(interaction: Interaction, game: str, turn: str, reason: ReasonOption) -> None:
    """Rewinds the game to its position after that turn."""

    def rewind_match(match: Match, referee: Actor) -> tuple[Event, ...]:
        return acts.rewind_match(match, referee, find_ply(match, turn), reason)

    await _act_as_referee(interaction, game, rewind_match)


@slash_command("referee end")
@app_commands.autocomplete(game=suggest_refereed_games)
async def referee_end_command(interaction: Interaction, game: str, reason: ReasonOption) -> None:
    """Ends a game without a result, or annuls the result of a finished one."""

    def end_match(match: Match, referee: Actor) -> tuple[Event, ...]:
        end = acts.annul_match if match.phase is Phase.OVER and match.has_result else acts.abort_match
        return end(match, referee, reason)

    await _act_as_referee(interaction, game, end_match)


def _seat_of_player(match: Match, player: discord.User) -> Seat:
    """Returns the player's seat. Raises NOT_IN_GAME if they have none."""
    seat = match.seat_of(player.id)
    if seat is None:
        raise MatchError(Problem.NOT_IN_GAME, number=match.id, user=player.id)
    return seat


async def _act_as_referee(interaction: Interaction, game: str, act: Act[P], *args: P.args, **kwargs: P.kwargs) -> None:
    """Stores the act, enters it in the audit, announces it, and answers; if a post fails, with the reason."""
    require_manager(interaction)
    await interaction.response.defer(ephemeral=True, thinking=True)
    caller, parts, number = Caller(interaction), app_of(interaction), parse_game_number(game)
    assert number is not None, "the option is required"
    locale = caller.locale
    match = await caller.act_on_match(number, act, *args, **kwargs)
    lines = [text(locale, "referee.done", id=match.id)]
    if trouble := await enter_at_once(parts, match.id):
        lines.append(text(locale, "referee.unaudited", why=trouble_sentence(locale, trouble)))
    if trouble := await parts.announcer.announce_subject(match.id):
        lines.append(text(locale, "referee.untold", why=trouble_sentence(locale, trouble)))
    await send_answer(interaction, "\n".join(lines))
