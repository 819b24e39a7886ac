"""`/ladder`: climbing the stairs of a server, by challenge or from the queue."""

from __future__ import annotations

from collections.abc import Awaitable
from contextlib import suppress
from typing import TypeVar

import discord
from discord import app_commands
from discord.ext import commands

from bot.cogs._answers.buttons import Action, button, on
from bot.cogs._answers.cooldowns import require_calm
from bot.cogs._answers.lasting import row
from bot.cogs._answers.options import VARIANT_CHOICES, where
from bot.cogs._answers.outdated import outdated
from bot.cogs._answers.permissions import complaint
from bot.cogs._answers.reply import NOBODY, Press, answer, now, reader
from bot.cogs._answers.sheets import ANY, Sheet, open_sheet
from bot.cogs._answers.translator import words
from bot.cogs._ladder.people import challenged_user, suggest_challenged
from bot.cogs._ladder.place import ladder_place, member_since
from bot.cogs._ladder.tables import HISTORY, STAIRS
from bot.cogs._ladder.words import RULES, rules_text
from bot.i18n import join, text
from bot.ladder.refusals import LadderError
from bot.match import Match
from bot.words import mention
from rules import VARIANTS

T = TypeVar("T")

CHALLENGE_CHOICES = [choice for choice in VARIANT_CHOICES if len(VARIANTS[choice.value].armies) == 2]
"""The games in which somebody can be challenged: those of two."""


class Climbing(commands.GroupCog, group_name="ladder", group_description=words("command.ladder.description")):
    """The commands of the ladders."""

    @app_commands.command(name="join", description=words("command.ladder.join.description"))
    @app_commands.describe(variant=words("command.ladder.variant"))
    @app_commands.choices(variant=VARIANT_CHOICES)
    async def join(self, interaction: Press, variant: str) -> None:
        """Step onto a ladder."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        guild, _ = where(interaction)
        place, since, user = ladder_place(interaction), member_since(interaction), interaction.user.id
        service = interaction.client.service
        climber = await service.ladder_join(guild, variant, user, now(), member_since=since, channel=place)
        key = "ladder.joined-three" if len(VARIANTS[variant].armies) > 2 else "ladder.joined"
        await _acted(interaction, variant, key, step=climber.step)

    @app_commands.command(name="leave", description=words("command.ladder.leave.description"))
    @app_commands.describe(variant=words("command.ladder.variant"))
    @app_commands.choices(variant=VARIANT_CHOICES)
    async def leave(self, interaction: Press, variant: str) -> None:
        """Ask whether the climber means it."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        guild, _ = where(interaction)
        climber = await interaction.client.service.leaving_climber(guild, variant, interaction.user.id, now())
        locale = reader(interaction)
        await answer(
            interaction,
            text(locale, "ladder.leave", variant=text(locale, f"variant.{variant}"), step=climber.step),
            view=row(
                button(locale, "ladder-leave", danger=True, book=variant),
                button(locale, "ladder-stay", book=variant),
            ),
        )

    @app_commands.command(name="challenge", description=words("command.ladder.challenge.description"))
    @app_commands.describe(player=words("command.ladder.challenge.player"), variant=words("command.ladder.variant"))
    @app_commands.choices(variant=CHALLENGE_CHOICES)
    @app_commands.autocomplete(player=suggest_challenged)
    async def challenge(self, interaction: Press, variant: str, player: str) -> None:
        """Challenge somebody on one's own step or up to three above."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        guild, _ = where(interaction)
        place, since, user = ladder_place(interaction), member_since(interaction), interaction.user.id
        other = await challenged_user(interaction, variant, player)
        require_calm(interaction, "play")
        service = interaction.client.service
        await service.ladder_challenge(guild, variant, user, other, now(), member_since=since, channel=place)
        player = mention(other, reader(interaction))
        await _acted(interaction, variant, "ladder.challenged", player=player, channel=f"<#{place}>")

    @app_commands.command(name="queue", description=words("command.ladder.queue.description"))
    @app_commands.describe(variant=words("command.ladder.variant"), triad=words("command.ladder.queue.triad"))
    @app_commands.choices(variant=VARIANT_CHOICES)
    async def queue(self, interaction: Press, variant: str, triad: bool = False) -> None:
        """Wait for somebody close in step, or begin at once with those who wait."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        guild, _ = where(interaction)
        place, since, user = ladder_place(interaction), member_since(interaction), interaction.user.id
        begun = await interaction.client.service.ladder_queue(
            guild, variant, user, now(), member_since=since, channel=place, triad=triad
        )
        if begun:
            games = join(reader(interaction), [f"#{match.id}" for match in begun])
            key = "ladder.paired-triad" if len(begun) > 1 else "ladder.paired"
            await _acted(interaction, variant, key, *begun, games=games)
        else:
            three = "ladder.queued-triad" if triad else "ladder.queued-three"
            await _acted(interaction, variant, three if len(VARIANTS[variant].armies) > 2 else "ladder.queued")

    @app_commands.command(name="unqueue", description=words("command.ladder.unqueue.description"))
    @app_commands.describe(variant=words("command.ladder.variant"))
    @app_commands.choices(variant=VARIANT_CHOICES)
    async def unqueue(self, interaction: Press, variant: str) -> None:
        """Wait no longer."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        guild, _ = where(interaction)
        await interaction.client.service.ladder_unqueue(guild, variant, interaction.user.id, now())
        await _acted(interaction, variant, "ladder.unqueued")

    @app_commands.command(name="show", description=words("command.ladder.show.description"))
    @app_commands.describe(variant=words("command.ladder.variant"))
    @app_commands.choices(variant=VARIANT_CHOICES)
    async def show(self, interaction: Press, variant: str) -> None:
        """Show who stands on which step."""
        await open_sheet(interaction, Sheet(STAIRS, variant))

    @app_commands.command(name="rules", description=words("command.ladder.rules.description"))
    async def rules(self, interaction: Press) -> None:
        """Say how ladders work here."""
        guild, _ = where(interaction)
        await answer(interaction, rules_text(reader(interaction), interaction.client.servers.settings(guild)))

    @app_commands.command(name="history", description=words("command.ladder.history.description"))
    @app_commands.describe(player=words("command.ladder.history.player"), variant=words("command.ladder.variant"))
    @app_commands.choices(variant=VARIANT_CHOICES)
    async def history(self, interaction: Press, player: discord.User | None = None, variant: str | None = None) -> None:
        """Tell what has happened to somebody on a ladder."""
        user = player or interaction.user
        await open_sheet(interaction, Sheet(HISTORY, variant or ANY, user.id))


@on("ladder-leave")
async def step_off(press: Press, action: Action) -> None:
    """Step off the ladder."""
    guild, _ = where(press)
    variant, locale = action.book, reader(press)
    if variant not in VARIANTS:
        await outdated()
    await press.client.service.ladder_leave(guild, variant, press.user.id, now())
    said = text(locale, "ladder.left", variant=text(locale, f"variant.{variant}"))
    await press.response.edit_message(content=said, view=None)
    trouble = await press.client.herald.announce(guild, variant)
    if trouble:
        await answer(press, complaint(locale, trouble))


@on("ladder-stay")
async def stay(press: Press, action: Action) -> None:
    """Think better of it."""
    variant, locale = action.book, reader(press)
    if variant not in VARIANTS:
        await outdated()
    said = text(locale, "ladder.stayed", variant=text(locale, f"variant.{variant}"))
    await press.response.edit_message(content=said, view=None)


@on("ladder-accept")
async def accept(press: Press, action: Action) -> None:
    """Take up the challenge on whose message the button is: the game begins."""
    guild, _ = where(press)
    service, variant = press.client.service, action.book
    if variant not in VARIANTS:
        await outdated()
    match = await _answering(press, action, service.ladder_accept(guild, variant, press.user.id, now(), action.number))
    await press.response.edit_message(view=None)
    await _acted(press, variant, "ladder.accepted", match, id=match.id)


@on("ladder-refuse")
async def refuse(press: Press, action: Action) -> None:
    """Turn the challenge down on whose message the button is."""
    guild, _ = where(press)
    service, variant = press.client.service, action.book
    if variant not in VARIANTS:
        await outdated()
    climber = await _answering(
        press, action, service.ladder_refuse(guild, variant, press.user.id, now(), action.number)
    )
    await press.response.edit_message(view=None)
    await _acted(press, variant, "ladder.refused", step=climber.step)


async def _answering(press: Press, action: Action, acting: Awaitable[T]) -> T:
    """What comes of an answer to a challenge. If that waits no longer, its buttons go; the refusal is told anyway."""
    guild, _ = where(press)
    try:
        return await acting
    except LadderError:
        waiting = await press.client.service.challenge_waiting(guild, action.book, action.number, now())
        if waiting is None and press.message is not None:
            with suppress(discord.HTTPException):  # the refusal matters more
                await press.message.edit(view=None, allowed_mentions=NOBODY)
        raise


async def _acted(press: Press, variant: str, key: str, *begun: Match, **values: object) -> None:
    """Tell what has happened on the ladder, let the games begin, and answer; also with what keeps either from sight."""
    guild, _ = where(press)
    client, locale = press.client, reader(press)
    troubles = [await client.herald.announce(guild, variant)]
    troubles += [await client.announcer.announce(match.id) for match in begun]
    if begun:  # read again: the announcement has given it its thread
        values["channel"] = f"<#{(await client.service.match(begun[0].id, guild)).where}>"
    said = [text(locale, key, variant=text(locale, f"variant.{variant}"), key=variant, **RULES, **values)]
    said += dict.fromkeys(complaint(locale, trouble) for trouble in troubles if trouble)
    await answer(press, "\n".join(said))
