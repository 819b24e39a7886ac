"""The vote of the remaining players about a vacant seat."""

from __future__ import annotations

from bot.core import acts
from bot.core.events import Ballot
from bot.discordkit.components import make_view
from bot.discordkit.reply import Interaction, now
from bot.play.after_acts import announce_and_answer, decline_request
from bot.play.app import Caller, app_of
from bot.play.shared_components import Action, action_button, handles_action


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
