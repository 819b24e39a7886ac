"""`/referee league`: a referee decides a league game of a running season."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.ext import commands

from bot.core.refereeing import MAX_REASON_LENGTH
from bot.discordkit.errors import Declined
from bot.discordkit.permissions import trouble_sentence
from bot.discordkit.reply import Interaction, now, send_answer
from bot.discordkit.slash import slash_command
from bot.leagues.ruling_posts import RulingAnnouncer, winner_phrase
from bot.leagues.service import Leagues
from bot.leagues.words import league_name
from bot.play.access import require_manager
from bot.play.app import Caller, app_of
from bot.play.options import parse_game_number
from bot.play.suggestions import suggest_refereed_games
from bot.play.visible_games import find_visible_match
from bot.texts.i18n import text
from bot.texts.mentions import mention_user


class RulingCommands(commands.Cog):
    """The command of referees."""

    @slash_command("referee league")
    @app_commands.autocomplete(game=suggest_refereed_games)
    async def league_result(
        self,
        interaction: Interaction,
        game: str,
        reason: app_commands.Range[str, 1, MAX_REASON_LENGTH],
        winner: discord.User | None = None,
    ) -> None:
        """Decides how a league game counts: a win for that person, or a draw; its players are told."""
        require_manager(interaction)
        await interaction.response.defer(ephemeral=True, thinking=True)
        caller = Caller(interaction)
        match = await find_visible_match(interaction, parse_game_number(game) or 0)
        seat = None if winner is None else match.seat_of(winner.id)
        if winner is not None and seat is None:
            raise Declined("league.not-seated", player=mention_user(winner.id, caller.locale))
        league = await caller.part(Leagues).rule_game(caller.guild, match.id, seat, caller.user, reason, now())
        trouble = await app_of(interaction).outbox(RulingAnnouncer).announce_subject(match.id)
        words = text(
            caller.locale,
            "league.ruled-done",
            id=match.id,
            league=league_name(caller.locale, league),
            winner=winner_phrase(caller.locale, match, seat),
        )
        posted = text(caller.locale, "league.ruling-posted")
        if trouble:
            posted = text(caller.locale, "league.ruling-unposted", why=trouble_sentence(caller.locale, trouble))
        await send_answer(interaction, f"{words} {posted}")
