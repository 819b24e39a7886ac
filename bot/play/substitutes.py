"""Seats that change hands: `/game substitute` with its buttons, vacant seats that somebody takes over, and the vote
about one that nobody takes.
"""

from __future__ import annotations

from typing import NamedTuple

import discord
from discord import app_commands
from discord.ext import commands

from bot.core import acts
from bot.core.events import Ballot
from bot.core.offers import require_agreeing
from bot.discordkit.components import Family, IdField, NonceField, given_number, make_view, menu_nonce
from bot.discordkit.reply import Interaction, now, send_answer
from bot.discordkit.slash import slash_command
from bot.play.after_acts import announce_and_answer, decline_request
from bot.play.app import Caller, app_of
from bot.play.options import find_meant_match, find_member, require_player
from bot.play.shared_components import Action, action_button, handles_action
from bot.play.suggestions import suggest_games
from bot.play.visible_games import find_visible_match
from bot.texts.i18n import text
from bot.texts.people import mention_user
from bot.texts.sentences import colour_name


class SubstituteCommands(commands.Cog):
    """The command of those who want to hand over their seat."""

    @slash_command("game substitute")
    @app_commands.autocomplete(game=suggest_games)
    async def substitute(self, interaction: Interaction, player: discord.User, game: str | None = None) -> None:
        """Asks to hand the seat over. The substitute and all opponents have to agree."""
        require_player(player)
        await interaction.response.defer(ephemeral=True, thinking=True)
        match = await find_meant_match(interaction, game, "own")
        await _propose_substitute(interaction, match.id, player)


async def _propose_substitute(interaction: Interaction, match_id: int, player: discord.User | discord.Member) -> None:
    caller = Caller(interaction)
    match = await caller.act_on_match(match_id, acts.propose_substitute, player.id)
    assert match.handover is not None
    withdraw = action_button(
        caller.locale, "substitute-decline", label="withdraw", match=match.id, number=match.handover.seq
    )
    await announce_and_answer(
        interaction, match, "handover.done.asked", make_view(withdraw), to=mention_user(player.id, caller.locale)
    )


class SubstituteState(NamedTuple):
    """The game of a seat for which a substitute is chosen."""

    match: IdField
    fresh: NonceField = ""


SUBSTITUTE_MENU = Family("rt-substitute", SubstituteState)


@handles_action("substitute-ask")
async def ask_for_substitute(interaction: Interaction, action: Action) -> None:
    """Asks who takes the seat."""
    match, caller = await find_visible_match(interaction, action.match), Caller(interaction)
    require_agreeing(match, caller.user)
    question = text(caller.locale, "more.substitute", id=match.id)
    menu = SUBSTITUTE_MENU.make_user_menu("", SubstituteState(match.id, menu_nonce(interaction)))
    await send_answer(interaction, question, view=make_view(menu))


@SUBSTITUTE_MENU.register_handler()
async def propose_chosen_substitute(interaction: Interaction, state: SubstituteState) -> None:
    """Asks to hand the seat over to the chosen person, as `/game substitute` does."""
    user, match = given_number(interaction), await find_visible_match(interaction, state.match)
    require_agreeing(match, interaction.user.id)
    await interaction.response.defer(ephemeral=True, thinking=True)
    player = await find_member(interaction, user)
    require_player(player)
    await _propose_substitute(interaction, match.id, player)


@handles_action("substitute-accept")
async def accept_substitute(interaction: Interaction, action: Action) -> None:
    """Agrees to the substitute, or to being the substitute."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    caller = Caller(interaction)
    match = await caller.service.accept_substitute(action.match, caller.guild, caller.user, now(), action.number)
    await announce_and_answer(interaction, match, "handover.done.accepted")


@handles_action("substitute-decline")
async def decline_substitute(interaction: Interaction, action: Action) -> None:
    """Refuses the substitute, or to be the substitute. The person who asked withdraws the request by the
    same button.
    """
    await decline_request(
        interaction,
        action,
        lambda match: match.handover,
        acts.decline_substitute,
        "handover.done.declined",
        "handover.done.withdrawn",
    )


@handles_action("take-over")
async def take_over(interaction: Interaction, action: Action) -> None:
    """Takes over the vacant seat; first come, first served."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    caller = Caller(interaction)
    match = await caller.service.take_over(action.match, caller.guild, caller.user, now(), action.number)
    seat = match.seat_of(caller.user)
    assert seat is not None
    elsewhere = match.thread_or_channel != interaction.channel_id
    where = " " + text(caller.locale, "move.see", where=f"<#{match.thread_or_channel}>") if elsewhere else ""
    colour = colour_name(caller.locale, match.variant, seat)
    await announce_and_answer(interaction, match, "leaver.done.taken-over", colour=colour, where=where)


@handles_action("vote-now")
async def propose_vote(interaction: Interaction, action: Action) -> None:
    """Proposes not to wait for a substitute, or agrees to that: then the vote begins."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    caller = Caller(interaction)
    house = app_of(interaction).has_house(caller.guild)
    match = await caller.act_on_match(action.match, acts.propose_vote, action.number, house=house)
    proposal = match.vote_proposal
    if proposal is None:  # the vote has begun
        await announce_and_answer(interaction, match, "vote.done.agreed")
        return
    withdraw = action_button(caller.locale, "vote-later", match=match.id, number=proposal.seq)
    await announce_and_answer(interaction, match, "vote.done.proposed", make_view(withdraw))


@handles_action("vote-later")
async def drop_vote_proposal(interaction: Interaction, action: Action) -> None:
    """Declines the vote before the search for a substitute is over, or takes the own proposal back."""
    await decline_request(
        interaction,
        action,
        lambda match: match.vote_proposal,
        acts.drop_vote_proposal,
        "vote.done.proposal-declined",
        "vote.done.proposal-withdrawn",
    )


@handles_action("vote-play-on")
async def vote_to_play_on(interaction: Interaction, action: Action) -> None:
    """Votes for playing on, with a steward in the vacant seat."""
    await _cast_vote(interaction, action, Ballot.PLAY_ON)


@handles_action("vote-house")
async def vote_for_the_house(interaction: Interaction, action: Action) -> None:
    """Votes for a house player in the vacant seat."""
    await _cast_vote(interaction, action, Ballot.HOUSE)


@handles_action("vote-draw")
async def vote_for_a_draw(interaction: Interaction, action: Action) -> None:
    """Votes for a draw among the remaining players."""
    await _cast_vote(interaction, action, Ballot.DRAW)


@handles_action("vote-abandon")
async def vote_to_abandon(interaction: Interaction, action: Action) -> None:
    """Votes for no result."""
    await _cast_vote(interaction, action, Ballot.ABANDON)


async def _cast_vote(interaction: Interaction, action: Action, ballot: Ballot) -> None:
    await interaction.response.defer(ephemeral=True, thinking=True)
    caller = Caller(interaction)
    match = await caller.service.cast_vote(action.match, caller.guild, caller.user, ballot, now(), action.number)
    await announce_and_answer(interaction, match, f"vote.done.{ballot.value}")
