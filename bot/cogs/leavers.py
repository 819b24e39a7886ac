"""Seats that change hands: `/game substitute`, the call for somebody to take over, and the vote of who is left."""

from __future__ import annotations

import discord
from discord import app_commands

from bot.cogs._answers.buttons import Action, button, on
from bot.cogs._answers.cooldowns import require_calm
from bot.cogs._answers.lasting import row
from bot.cogs._answers.options import require_guest, suggest_games, the_game, where
from bot.cogs._answers.reply import Press, now, reader
from bot.cogs._answers.translator import words
from bot.cogs._posts.acted import acted, is_own, respond
from bot.events import Ballot
from bot.i18n import text
from bot.words import colour, mention


@app_commands.command(name="substitute", description=words("command.game.substitute.description"))
@app_commands.describe(player=words("command.game.substitute.player"), game=words("command.game.substitute.game"))
@app_commands.autocomplete(game=suggest_games)
async def substitute(interaction: Press, player: discord.User, game: str | None = None) -> None:
    """Ask to hand the seat over: the other and all opponents have to agree."""
    require_guest(player)
    require_calm(interaction, "ask")
    await interaction.response.defer(ephemeral=True, thinking=True)
    match_id = await the_game(interaction, game, "resign")
    guild, service = where(interaction)[0], interaction.client.service
    match = await service.propose_substitute(match_id, guild, interaction.user.id, player.id, now())
    assert match.handover is not None
    locale = reader(interaction)
    keep = button(locale, "substitute-decline", label="withdraw", match=match.id, number=match.handover.seq)
    said = text(locale, "handover.done.asked", id=match.id, to=mention(player.id, locale))
    await acted(interaction, match, said, row(keep))


@on("substitute-accept")
async def accept_substitute(press: Press, action: Action) -> None:
    """Agree to the substitute, or to being one."""
    await respond(press, action, press.client.service.accept_substitute, "handover.done.accepted")


@on("substitute-decline")
async def decline_substitute(press: Press, action: Action) -> None:
    """Refuse the substitute, or to be one; who has asked keeps his seat by the same button."""
    own = await is_own(press, action, lambda match: match.handover)
    key = "handover.done.withdrawn" if own else "handover.done.declined"
    await respond(press, action, press.client.service.decline_substitute, key)


@on("take-over")
async def take_over(press: Press, action: Action) -> None:
    """Play the vacant seat from now on; first come, first served."""
    await press.response.defer(ephemeral=True, thinking=True)
    guild, user, locale = where(press)[0], press.user.id, reader(press)
    match = await press.client.service.take_over(action.match, guild, user, now(), action.number)
    seat = match.seat_of(user)
    assert seat is not None
    said = text(locale, "leaver.done.taken-over", colour=colour(locale, match.variant, seat), id=match.id)
    await acted(press, match, said)


@on("vote-play-on")
async def vote_to_play_on(press: Press, action: Action) -> None:
    """Vote for going on, with nobody in the vacant seat."""
    await _vote(press, action, Ballot.PLAY_ON)


@on("vote-draw")
async def vote_for_a_draw(press: Press, action: Action) -> None:
    """Vote for a draw of those who are left."""
    await _vote(press, action, Ballot.DRAW)


@on("vote-abandon")
async def vote_to_abandon(press: Press, action: Action) -> None:
    """Vote for no result."""
    await _vote(press, action, Ballot.ABANDON)


async def _vote(press: Press, action: Action, ballot: Ballot) -> None:
    await press.response.defer(ephemeral=True, thinking=True)
    require_calm(press, "ask")
    guild, service = where(press)[0], press.client.service
    match = await service.vote(action.match, guild, press.user.id, ballot, now(), action.number)
    await acted(press, match, text(reader(press), f"vote.done.{ballot.value}", id=match.id))
