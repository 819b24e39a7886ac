"""`/draw` and `/takeback`, and the buttons below the requests that they make: what players agree on."""

from __future__ import annotations

from discord import app_commands
from discord.ext import commands

from bot.commands.acting import acted, is_own, respond
from bot.commands.app import app, require_calm
from bot.commands.options import suggest_games, the_game, where
from bot.kit.components import Action, button, on, row
from bot.kit.reply import Interaction, now, reader
from bot.kit.slash import command, group
from bot.match import offers
from bot.posting.telling.moves import moves_since
from bot.texts.i18n import text


class DrawCommands(commands.GroupCog, **group("draw")):
    """Draws by agreement and by claim."""

    @command("draw offer")
    @app_commands.autocomplete(game=suggest_games)
    async def offer(self, interaction: Interaction, game: str | None = None) -> None:
        """Offer a draw to all who are still in, or accept the one that is offered."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        user, guild = interaction.user.id, where(interaction)[0]
        match_id = await the_game(interaction, game, "resign")
        require_calm(interaction, "ask")
        match = await app(interaction).service.act(
            match_id, guild, lambda match, _: offers.offer_draw(match, user, now())
        )
        locale = reader(interaction)
        if match.draw and match.draw.user == user:
            withdraw = button(locale, "draw-decline", label="withdraw", match=match.id, number=match.draw.seq)
            await acted(interaction, match, text(locale, "draw.done.offered", id=match.id), row(withdraw))
        else:
            await acted(interaction, match, text(locale, "draw.done.accepted", id=match.id))

    @command("draw claim")
    @app_commands.autocomplete(game=suggest_games)
    async def claim(self, interaction: Interaction, game: str | None = None) -> None:
        """Claim the draw that the rules give the player to move."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        match_id = await the_game(interaction, game, "move")
        user, guild = interaction.user.id, where(interaction)[0]
        match = await app(interaction).service.act(
            match_id, guild, lambda match, _: offers.claim_draw(match, user, now())
        )
        await acted(interaction, match, text(reader(interaction), "draw.done.claimed", id=match.id))


class TakebackCommands(commands.Cog):
    """Moves taken back."""

    @command("takeback")
    @app_commands.autocomplete(game=suggest_games)
    async def takeback(self, interaction: Interaction, game: str | None = None) -> None:
        """Ask all opponents to let the player's last move be taken back, with all that has been played since."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        match_id = await the_game(interaction, game, "resign")
        user, guild = interaction.user.id, where(interaction)[0]
        require_calm(interaction, "ask")
        match = await app(interaction).service.act(
            match_id, guild, lambda match, _: offers.ask_takeback(match, user, now())
        )
        assert match.takeback is not None
        locale = reader(interaction)
        said = text(locale, "takeback.done.asked", id=match.id, moves=moves_since(locale, match, match.takeback.ply))
        withdraw = button(locale, "takeback-decline", label="withdraw", match=match.id, number=match.takeback.seq)
        await acted(interaction, match, said, row(withdraw))


@on("draw-accept")
async def accept_draw(interaction: Interaction, action: Action) -> None:
    """Agree to the draw."""
    await respond(interaction, action, offers.accept_draw, "draw.done.accepted")


@on("draw-decline")
async def decline_draw(interaction: Interaction, action: Action) -> None:
    """Refuse the draw; who has offered it takes it back by the same button."""
    own = await is_own(interaction, action, lambda match: match.draw)
    key = "draw.done.withdrawn" if own else "draw.done.declined"
    await respond(interaction, action, offers.decline_draw, key)


@on("takeback-accept")
async def accept_takeback(interaction: Interaction, action: Action) -> None:
    """Agree to the moves' being taken back."""
    await respond(interaction, action, offers.accept_takeback, "takeback.done.accepted")


@on("takeback-decline")
async def decline_takeback(interaction: Interaction, action: Action) -> None:
    """Let the moves stand; whoever has asked takes the request back by the same button."""
    own = await is_own(interaction, action, lambda match: match.takeback)
    key = "takeback.done.withdrawn" if own else "takeback.done.declined"
    await respond(interaction, action, offers.decline_takeback, key)
