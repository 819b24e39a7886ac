"""`/referee league`: how a referee decides a league game of a season that goes on."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.ext import commands

from bot.core.refereeing import MAX_REASON_LENGTH
from bot.discordkit.errors import Declined
from bot.discordkit.reply import Interaction, now, pinging_only, send_answer
from bot.discordkit.slash import slash_command
from bot.leagues.service import Leagues
from bot.leagues.words import league_name
from bot.play.announcing.outbox import best_effort
from bot.play.announcing.people import require_manager
from bot.play.app import Caller, app_of, public_language
from bot.play.options import find_visible_match, parse_game_number, suggest_refereed_games
from bot.texts.i18n import Language, join_list, text
from bot.texts.sentences import escape_markup, mention_user, mention_users


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
        league = await caller.part(Leagues).rule_game(caller.guild, match.id, seat)

        def describe(locale: Language) -> dict[str, object]:
            who = text(locale, "league.a-draw") if winner is None else mention_user(winner.id, locale)
            values = {"id": match.id, "league": league_name(locale, league), "winner": who}
            return values | {"referee": mention_user(caller.user, locale), "reason": escape_markup(reason, len(reason))}

        locale = public_language(interaction)
        players = join_list(locale, mention_users(locale, match.players))
        words = text(locale, "league.ruled", players=players, **describe(locale))
        with best_effort("ruling not posted", match=match.id):
            nonce = f"r{match.id:x}:{now():x}"
            ping = pinging_only(match.players)
            await app_of(interaction).send_message(match.thread_or_channel, words, nonce, guild=caller.guild, ping=ping)
        await send_answer(interaction, text(caller.locale, "league.ruled-done", **describe(caller.locale)))
