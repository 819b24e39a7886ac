"""Agreements between players: draws and takebacks, and the buttons below such requests."""

from __future__ import annotations

from discord import app_commands
from discord.ext import commands

from bot.core import acts
from bot.core.house_seats import is_house
from bot.discordkit.components import make_view
from bot.discordkit.reply import Interaction
from bot.discordkit.slash import slash_command
from bot.play.after_acts import announce_and_answer, answer_request, decline_request
from bot.play.announcing.telling.moves import moves_since
from bot.play.app import Caller
from bot.play.options import find_meant_match
from bot.play.shared_components import Action, action_button, handles_action
from bot.play.suggestions import suggest_games


class DrawCommands(commands.Cog):
    """Draws by agreement and by claim."""

    @slash_command("game draw")
    @app_commands.autocomplete(game=suggest_games)
    async def draw(self, interaction: Interaction, game: str | None = None) -> None:
        """Claims a draw if the rules entitle the player to one; otherwise offers one to all players still in, or
        accepts the open offer.
        """
        await interaction.response.defer(ephemeral=True, thinking=True)
        match = await find_meant_match(interaction, game, "own")
        if match.to_move == interaction.user.id and match.started_game.claimable_draw:
            await _claim_draw(interaction, match.id)
        else:
            await _offer_draw(interaction, match.id)


@handles_action("draw-offer")
async def offer_draw_by_button(interaction: Interaction, action: Action) -> None:
    """Offers a draw, or accepts the open offer."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    await _offer_draw(interaction, action.match)


@handles_action("draw-claim")
async def claim_draw_by_button(interaction: Interaction, action: Action) -> None:
    """Claims the draw."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    await _claim_draw(interaction, action.match)


async def _offer_draw(interaction: Interaction, match_id: int) -> None:
    caller = Caller(interaction)
    match = await caller.act_on_match(match_id, acts.offer_draw)
    if match.draw and match.draw.user == caller.user:
        withdraw = action_button(caller.locale, "draw-decline", label="withdraw", match=match.id, number=match.draw.seq)
        await announce_and_answer(interaction, match, "draw.done.offered", make_view(withdraw))
    else:
        alone = all(is_house(user) or user == caller.user for user in match.players)
        await announce_and_answer(interaction, match, "draw.done.at-once" if alone else "draw.done.accepted")


async def _claim_draw(interaction: Interaction, match_id: int) -> None:
    match = await Caller(interaction).act_on_match(match_id, acts.claim_draw)
    await announce_and_answer(interaction, match, "draw.done.claimed")


@handles_action("takeback-ask")
async def ask_takeback(interaction: Interaction, action: Action) -> None:
    """Asks all opponents to take back the player's last move, with all moves played since."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    caller = Caller(interaction)
    match = await caller.act_on_match(action.match, acts.ask_takeback)
    request = match.takeback
    if request is None:
        await announce_and_answer(interaction, match, "takeback.done.at-once")
        return
    withdraw = action_button(caller.locale, "takeback-decline", label="withdraw", match=match.id, number=request.seq)
    moves = moves_since(caller.locale, match, request.ply)
    await announce_and_answer(interaction, match, "takeback.done.asked", make_view(withdraw), moves=moves)


@handles_action("draw-accept")
async def accept_draw(interaction: Interaction, action: Action) -> None:
    """Accepts the draw."""
    await answer_request(interaction, action, acts.accept_draw, "draw.done.accepted")


@handles_action("draw-decline")
async def decline_draw(interaction: Interaction, action: Action) -> None:
    """Refuses the draw, or withdraws the player's own offer."""
    await decline_request(
        interaction, action, lambda match: match.draw, acts.decline_draw, "draw.done.declined", "draw.done.withdrawn"
    )


@handles_action("takeback-accept")
async def accept_takeback(interaction: Interaction, action: Action) -> None:
    """Agrees to take the moves back."""
    await answer_request(interaction, action, acts.accept_takeback, "takeback.done.accepted")


@handles_action("takeback-decline")
async def decline_takeback(interaction: Interaction, action: Action) -> None:
    """Refuses the takeback, or withdraws the player's own request."""
    await decline_request(
        interaction,
        action,
        lambda match: match.takeback,
        acts.decline_takeback,
        "takeback.done.declined",
        "takeback.done.withdrawn",
    )
