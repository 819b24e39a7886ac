"""`/referee`: what those who manage a server can do to its games. Every act has a reason, and is told and audited."""

from __future__ import annotations

from collections.abc import Callable

import discord
from discord import app_commands
from discord.ext import commands

from bot.commands.app import Asker, app, beside
from bot.commands.history import address
from bot.commands.options import game_number, require_guest, suggest_refereed_games
from bot.kit.permissions import complaint
from bot.kit.reply import Interaction, answer, now
from bot.kit.sheets import fitting
from bot.kit.slash import command
from bot.ladder.fair_play import Hint, hints
from bot.match import refereeing
from bot.match.events import Event
from bot.match.match import Match
from bot.match.refereeing import LONGEST_REASON, LONGEST_TITLE
from bot.match.turns import People
from bot.people.clock import HOUR
from bot.people.problems import MatchError, Problem
from bot.posting.people import require_manager
from bot.texts.i18n import Language, plural, text
from bot.texts.sentences import colour, mention, side
from rules import Seat

Act = Callable[[Match, People, int, int], tuple[Event, ...]]
"""What a referee does to a match: match, players, referee, time."""

Reason = app_commands.Range[str, 1, LONGEST_REASON]


class RefereeCommands(commands.Cog):
    """The referee's commands. Discord hides them from others; servers can change that, so the code checks as well."""

    @command("referee clock")
    @app_commands.autocomplete(game=suggest_refereed_games)
    async def clock(
        self,
        interaction: Interaction,
        game: str,
        player: discord.User,
        hours: app_commands.Range[int, 1, 336],
        reason: Reason,
    ) -> None:
        """Set what a player has left."""

        def decide(match: Match, people: People, user: int, at: int) -> tuple[Event, ...]:
            seat = _seat(match, player)
            return refereeing.set_clock(match, user, seat, hours * HOUR, reason, at, people)

        await _judge(interaction, game, decide)

    @command("referee replace")
    @app_commands.autocomplete(game=suggest_refereed_games)
    async def replace(
        self, interaction: Interaction, game: str, player: discord.User, by: discord.User, reason: Reason
    ) -> None:
        """Give a player's seat to somebody else."""

        def decide(match: Match, people: People, user: int, at: int) -> tuple[Event, ...]:
            require_guest(by)
            _seat(match, player)
            return refereeing.replace_player(match, user, player.id, by.id, reason, at, people)

        await _judge(interaction, game, decide)

    @command("referee undo")
    @app_commands.autocomplete(game=suggest_refereed_games)
    async def undo(
        self, interaction: Interaction, game: str, ply: app_commands.Range[int, 0, 100_000], reason: Reason
    ) -> None:
        """Take the game back to where it stood after that many moves."""
        await _judge(interaction, game, lambda match, _, user, at: refereeing.rewind(match, user, ply, reason, at))

    @command("referee abort")
    @app_commands.autocomplete(game=suggest_refereed_games)
    async def abort(self, interaction: Interaction, game: str, reason: Reason) -> None:
        """End a game without a result."""
        await _judge(interaction, game, lambda match, _, user, at: refereeing.abort(match, user, reason, at))

    @command("referee annul")
    @app_commands.autocomplete(game=suggest_refereed_games)
    async def annul(self, interaction: Interaction, game: str, reason: Reason) -> None:
        """Let the result of a finished game count no longer."""
        await _judge(interaction, game, lambda match, _, user, at: refereeing.annul(match, user, reason, at))

    @command("referee hints")
    async def hints(self, interaction: Interaction, player: discord.User) -> None:
        """Show the referee alone what stands out in somebody's last games."""
        require_manager(interaction)
        await interaction.response.defer(ephemeral=True, thinking=True)
        await answer(interaction, await hints_text(interaction, player.id))

    @command("referee rename")
    @app_commands.autocomplete(game=suggest_refereed_games)
    async def rename(
        self, interaction: Interaction, game: str, reason: Reason, title: app_commands.Range[str, 1, LONGEST_TITLE] = ""
    ) -> None:
        """Give a game a title, or take it away."""
        await _judge(interaction, game, lambda match, _, user, at: refereeing.rename(match, user, title, reason, at))


def _seat(match: Match, player: discord.User) -> Seat:
    """The player's seat. Raises NOT_IN_GAME where they have none."""
    seat = match.seat_of(player.id)
    if seat is None:
        raise MatchError(Problem.NOT_IN_GAME, number=match.id, user=player.id)
    return seat


async def _judge(interaction: Interaction, game: str, decide: Act) -> None:
    """Do it, enter it in the audit, tell the players, and answer with whatever has kept those from sight."""
    require_manager(interaction)
    await interaction.response.defer(ephemeral=True, thinking=True)
    asker, parts, number = Asker(interaction), app(interaction), game_number(game)
    assert number is not None, "the option is required"
    locale = asker.locale
    match = await asker.service.act(number, asker.guild, lambda match, people: decide(match, people, asker.user, now()))
    lines = [text(locale, "referee.done", id=match.id)]
    if trouble := await parts.auditor.announce(match.id):
        lines.append(text(locale, "referee.unaudited", why=complaint(locale, trouble)))
    if trouble := await parts.announcer.announce(match.id):
        lines.append(text(locale, "referee.untold", why=complaint(locale, trouble)))
    await answer(interaction, "\n".join(lines))


SHOWN_PLIES = 8


async def hints_text(interaction: Interaction, user: int) -> str:
    """The hints in the player's last games, one a line. Each game takes tenths of a second, in a thread."""
    asker = Asker(interaction)
    service, locale = asker.service, asker.locale
    matches = await service.profiles.hints_of(asker.guild, user)
    lines = []
    for match in matches:
        found = await beside(interaction, hints, match.variant, match.steps)
        url = await address(service, match)
        lines += [_line(locale, match, hint, url) for hint in found if held(match, user, hint)]
    key = "hints.title" if lines else "hints.none"
    title = text(locale, key, player=mention(user, locale), looked=plural(locale, "hints.looked", len(matches)))
    return fitting([title, *lines])


def held(match: Match, user: int, hint: Hint) -> bool:
    """Whether it was that user who made the moves: they held the seat from the beginning to the end."""
    late = any(one.seat == hint.seat for one in match.substitutes)
    return match.players[hint.seat] == user and not late


def _line(locale: Language, match: Match, hint: Hint, url: str | None) -> str:
    variant, seat = match.variant, hint.seat
    plies = [str(ply) for ply in hint.plies[:SHOWN_PLIES]] + (["…"] if len(hint.plies) > SHOWN_PLIES else [])
    return text(
        locale,
        f"hints.{hint.sign.value}",
        number=f"[#{match.id}]({url})" if url else f"#{match.id}",
        variant=text(locale, f"variant.{variant.key}"),
        **side(locale, variant, seat),
        neighbour=colour(locale, variant, hint.neighbour) if hint.neighbour is not None else "",
        moves=plural(locale, "hints.moves", len(hint.plies), plies=", ".join(plies)),
    )
