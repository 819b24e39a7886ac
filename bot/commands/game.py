"""`/game`: seats that change hands, the vote of who is left, and games that move to another channel."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.ext import commands

from bot.commands.acting import acted, decline
from bot.commands.app import Asker, require_calm
from bot.commands.ladder import require_open
from bot.commands.options import (
    is_post,
    is_private,
    parent,
    require_guest,
    require_place,
    suggest_games,
    the_game,
    where,
)
from bot.kit.components import Action, button, on, row
from bot.kit.reply import Interaction, now
from bot.kit.slash import command
from bot.match import vacancy
from bot.match.events import Ballot
from bot.texts.sentences import colour, mention


class GameCommands(commands.Cog):
    """What becomes of a game that is played elsewhere, or by somebody else."""

    @command("game substitute")
    @app_commands.autocomplete(game=suggest_games)
    async def substitute(self, interaction: Interaction, player: discord.User, game: str | None = None) -> None:
        """Ask to hand the seat over: the other and all opponents have to agree."""
        require_guest(player)
        require_calm(interaction, "ask")
        await interaction.response.defer(ephemeral=True, thinking=True)
        match_id = await the_game(interaction, game, "own")
        asker = Asker(interaction)
        match = await asker.act(
            match_id, lambda match, user, at: vacancy.propose_substitute(match, user, player.id, at)
        )
        assert match.handover is not None
        keep = button(asker.locale, "substitute-decline", label="withdraw", match=match.id, number=match.handover.seq)
        await acted(interaction, match, "handover.done.asked", row(keep), to=mention(player.id, asker.locale))

    @command("game move-here")
    @app_commands.autocomplete(game=suggest_games)
    async def move_here(self, interaction: Interaction, game: str | None = None) -> None:
        """Take a game to the channel or thread in which this is said; a player may."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        guild, here = where(interaction)
        match_id = await the_game(interaction, game, "own")
        above = parent(interaction)
        # A private thread is a place of its own: none of its games is its channel's, also once it is put away. So is
        # the post of a forum, which takes none itself.
        below = above is not None and not is_private(interaction) and not is_post(interaction)
        channel, thread = (above or here, here) if below else (here, None)
        require_place(interaction)
        require_calm(interaction, "ask")
        asker = Asker(interaction)
        if (await asker.service.match(match_id, guild)).ladder:
            require_open(interaction, channel)
        match = await asker.service.move_here(match_id, guild, asker.user, channel, now(), thread, parent=above)
        await acted(interaction, match, "place.moved")


@on("substitute-accept")
async def accept_substitute(interaction: Interaction, action: Action) -> None:
    """Agree to the substitute, or to being one."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    asker = Asker(interaction)
    match = await asker.service.accept_substitute(action.match, asker.guild, asker.user, now(), action.number)
    await acted(interaction, match, "handover.done.accepted")


@on("substitute-decline")
async def decline_substitute(interaction: Interaction, action: Action) -> None:
    """Refuse the substitute, or to be one; whoever has asked keeps the seat by the same button."""
    await decline(
        interaction,
        action,
        lambda match: match.handover,
        vacancy.decline_substitute,
        "handover.done.declined",
        "handover.done.withdrawn",
    )


@on("take-over")
async def take_over(interaction: Interaction, action: Action) -> None:
    """Play the vacant seat from now on; first come, first served."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    asker = Asker(interaction)
    match = await asker.service.take_over(action.match, asker.guild, asker.user, now(), action.number)
    seat = match.seat_of(asker.user)
    assert seat is not None
    await acted(interaction, match, "leaver.done.taken-over", colour=colour(asker.locale, match.variant, seat))


@on("vote-play-on")
async def vote_to_play_on(interaction: Interaction, action: Action) -> None:
    """Vote for going on, with a steward in the vacant seat."""
    await _vote(interaction, action, Ballot.PLAY_ON)


@on("vote-house")
async def vote_for_the_house(interaction: Interaction, action: Action) -> None:
    """Vote for a house player in the vacant seat."""
    await _vote(interaction, action, Ballot.HOUSE)


@on("vote-draw")
async def vote_for_a_draw(interaction: Interaction, action: Action) -> None:
    """Vote for a draw of those who are left."""
    await _vote(interaction, action, Ballot.DRAW)


@on("vote-abandon")
async def vote_to_abandon(interaction: Interaction, action: Action) -> None:
    """Vote for no result."""
    await _vote(interaction, action, Ballot.ABANDON)


async def _vote(interaction: Interaction, action: Action, ballot: Ballot) -> None:
    await interaction.response.defer(ephemeral=True, thinking=True)
    require_calm(interaction, "ask")
    asker = Asker(interaction)
    decided = await asker.service.house.vote(action.match, asker.guild, asker.user, ballot, now(), action.number)
    await acted(interaction, decided, f"vote.done.{ballot.value}")
