"""What players agree on: draws and takebacks, and the buttons below the requests for them."""

from __future__ import annotations

from discord import app_commands
from discord.ext import commands

from bot.commands.acting import acted, decline, respond
from bot.commands.app import Asker, require_calm
from bot.commands.options import suggest_games, the_game
from bot.kit.components import Action, button, on, row
from bot.kit.reply import Interaction
from bot.kit.slash import command
from bot.match import offers
from bot.people.house import is_house
from bot.posting.telling.moves import moves_since


class DrawCommands(commands.Cog):
    """Draws by agreement and by claim."""

    @command("game draw")
    @app_commands.autocomplete(game=suggest_games)
    async def offer(self, interaction: Interaction, game: str | None = None) -> None:
        """Offer a draw to all who are still in, or accept the one that is offered."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        match_id, asker = await the_game(interaction, game, "own"), Asker(interaction)
        require_calm(interaction, "ask")
        match = await asker.act(match_id, offers.offer_draw)
        if match.draw and match.draw.user == asker.user:
            withdraw = button(asker.locale, "draw-decline", label="withdraw", match=match.id, number=match.draw.seq)
            await acted(interaction, match, "draw.done.offered", row(withdraw))
        else:
            alone = all(is_house(user) or user == asker.user for user in match.players)
            await acted(interaction, match, "draw.done.at-once" if alone else "draw.done.accepted")

    @command("game claim-draw")
    @app_commands.autocomplete(game=suggest_games)
    async def claim(self, interaction: Interaction, game: str | None = None) -> None:
        """Claim the draw that the rules give the player to move."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        match = await Asker(interaction).act(await the_game(interaction, game, "waiting"), offers.claim_draw)
        await acted(interaction, match, "draw.done.claimed")


class TakebackCommands(commands.Cog):
    """Moves taken back."""

    @command("game takeback")
    @app_commands.autocomplete(game=suggest_games)
    async def takeback(self, interaction: Interaction, game: str | None = None) -> None:
        """Ask all opponents to let the player's last move be taken back, with all that has been played since."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        match_id, asker = await the_game(interaction, game, "own"), Asker(interaction)
        require_calm(interaction, "ask")
        match = await asker.act(match_id, offers.ask_takeback)
        asked = match.takeback
        if asked is None:
            await acted(interaction, match, "takeback.done.at-once")
            return
        withdraw = button(asker.locale, "takeback-decline", label="withdraw", match=match.id, number=asked.seq)
        moves = moves_since(asker.locale, match, asked.ply)
        await acted(interaction, match, "takeback.done.asked", row(withdraw), moves=moves)


@on("draw-accept")
async def accept_draw(interaction: Interaction, action: Action) -> None:
    """Agree to the draw."""
    await respond(interaction, action, offers.accept_draw, "draw.done.accepted")


@on("draw-decline")
async def decline_draw(interaction: Interaction, action: Action) -> None:
    """Refuse the draw; who has offered it takes it back by the same button."""
    await decline(
        interaction, action, lambda match: match.draw, offers.decline_draw, "draw.done.declined", "draw.done.withdrawn"
    )


@on("takeback-accept")
async def accept_takeback(interaction: Interaction, action: Action) -> None:
    """Agree to the moves' being taken back."""
    await respond(interaction, action, offers.accept_takeback, "takeback.done.accepted")


@on("takeback-decline")
async def decline_takeback(interaction: Interaction, action: Action) -> None:
    """Let the moves stand; whoever has asked takes the request back by the same button."""
    await decline(
        interaction,
        action,
        lambda match: match.takeback,
        offers.decline_takeback,
        "takeback.done.declined",
        "takeback.done.withdrawn",
    )
