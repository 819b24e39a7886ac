"""`/ladder`: climbing a server's ladder, by challenge or from the queue."""

from __future__ import annotations

from functools import partial

import discord
from discord import app_commands

from bot.core.match import Match
from bot.discordkit.components import Family
from bot.discordkit.permissions import trouble_sentence
from bot.discordkit.reply import Interaction, acknowledge_press, make_view, send_answer, update_message
from bot.discordkit.slash import slash_command
from bot.ladder import acts as ladder_acts
from bot.ladder import service as ladders
from bot.ladder.posts import LadderAnnouncer
from bot.ladder.sheets import STAIRS_SHEET
from bot.ladder.state import LadderId
from bot.ladder.words import LADDER_RULE_VALUES
from bot.play.after_acts import announce_begun, announce_match
from bot.play.caller import Caller, caller_of, context_of
from bot.play.context import Action, action_button
from bot.play.options import (
    VARIANT_CHOICES,
    is_forum_post,
    parent_channel,
    require_known_variant,
    require_public_channel,
    server_and_channel,
)
from bot.play.service.matches import require_allowed_place
from bot.play.sheets import Sheet, open_sheet
from bot.texts.i18n import text
from bot.texts.people import mention_user
from rules import VARIANTS

LADDER_BUTTONS = Family("rt", Action)

CHALLENGE_CHOICES = [choice for choice in VARIANT_CHOICES if len(VARIANTS[choice.value].armies) == 2]
"""The variants in which a person can be challenged: those for two players."""


@slash_command("ladder join")
@app_commands.choices(variant=VARIANT_CHOICES)
async def ladder_join_command(interaction: Interaction, variant: str) -> None:
    """Joins a ladder."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    caller, channel = caller_of(interaction), find_ladder_channel(interaction)
    climber = await ladders.act_on_ladder(
        caller.service, caller.actor, LadderId(caller.guild, variant), ladder_acts.join_ladder, channel
    )
    await _announce_and_answer(interaction, variant, "ladder.joined", rung=climber.rung)


@slash_command("ladder leave")
@app_commands.choices(variant=VARIANT_CHOICES)
async def ladder_leave_command(interaction: Interaction, variant: str) -> None:
    """Asks for confirmation before the person leaves a ladder."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    caller = caller_of(interaction)
    view = await ladders.load_view(caller.service, caller.service.reader, LadderId(caller.guild, variant), caller.now)
    ladder_acts.leave_ladder(view, caller.user)  # a dry run
    name, rung = text(caller.locale, f"variant.{variant}"), view.ladder.climbers[caller.user].rung
    leave = action_button(caller.locale, "ladder-leave", danger=True, variant=variant)
    await send_answer(interaction, text(caller.locale, "ladder.leave", variant=name, rung=rung), view=make_view(leave))


@slash_command("ladder challenge")
@app_commands.choices(variant=CHALLENGE_CHOICES)
async def ladder_challenge_command(interaction: Interaction, variant: str, player: discord.User) -> None:
    """Challenges a climber on the same rung or up to three rungs above."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    caller, channel = caller_of(interaction), find_ladder_channel(interaction)
    challenge = partial(ladder_acts.challenge_climber, other=player.id)
    await ladders.act_on_ladder(caller.service, caller.actor, LadderId(caller.guild, variant), challenge, channel)
    values = {"player": mention_user(player.id, caller.locale), "channel": f"<#{channel}>"}
    await _announce_and_answer(interaction, variant, "ladder.challenged", **values)


@slash_command("ladder queue")
@app_commands.choices(variant=VARIANT_CHOICES)
async def ladder_queue_command(interaction: Interaction, variant: str) -> None:
    """Waits for an opponent on a rung close by, or starts at once with those who wait; who waits already stops."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    caller, find_channel = caller_of(interaction), partial(find_ladder_channel, interaction)
    begun = await ladders.switch_queue(caller.service, caller.actor, LadderId(caller.guild, variant), find_channel)
    key = "ladder.unqueued" if begun is None else "ladder.queued"
    await _announce_and_answer(interaction, variant, key, *begun or ())


@slash_command("ladder show")
@app_commands.choices(variant=VARIANT_CHOICES)
async def ladder_show_command(interaction: Interaction, variant: str) -> None:
    """Shows who stands on which rung."""
    await open_sheet(interaction, Sheet(STAIRS_SHEET, variant))


@LADDER_BUTTONS.register_handler("ladder-leave", first=acknowledge_press)
async def leave_ladder(interaction: Interaction, action: Action) -> None:
    """Leaves the ladder."""
    caller, ladder_id = _ladder_pressed(interaction, action)
    await ladders.act_on_ladder(caller.service, caller.actor, ladder_id, ladder_acts.leave_ladder)
    left = text(caller.locale, "ladder.left", variant=text(caller.locale, f"variant.{action.variant}"))
    await update_message(interaction, left, view=None)
    if trouble := await LadderAnnouncer(caller.context).announce_subject(ladder_id):
        await send_answer(interaction, trouble_sentence(caller.locale, trouble))


@LADDER_BUTTONS.register_handler("ladder-accept", first=acknowledge_press)
async def accept_challenge(interaction: Interaction, action: Action) -> None:
    """Accepts the challenge with the pressed button, which starts the game."""
    caller, ladder_id = _ladder_pressed(interaction, action)
    match = await ladders.accept_challenge(caller.service, caller.actor, ladder_id, action.number)
    await LadderAnnouncer(caller.context).announce_subject(ladder_id)
    await announce_match(interaction, match)


@LADDER_BUTTONS.register_handler("ladder-refuse", first=acknowledge_press)
async def refuse_challenge(interaction: Interaction, action: Action) -> None:
    """Refuses the challenge with the pressed button."""
    caller, ladder_id = _ladder_pressed(interaction, action)
    refuse = partial(ladder_acts.refuse_challenge, seq=action.number)
    climber = await ladders.act_on_ladder(caller.service, caller.actor, ladder_id, refuse)
    await _announce_and_answer(interaction, action.variant, "ladder.refused", rung=climber.rung)


def _ladder_pressed(interaction: Interaction, action: Action) -> tuple[Caller, LadderId]:
    caller = caller_of(interaction)
    return caller, LadderId(caller.guild, require_known_variant(action.variant))


async def _announce_and_answer(interaction: Interaction, variant: str, key: str, *begun: Match, **more: object) -> None:
    """Announces the ladder's news and the new games, then answers: with the ways to the games, or with that sentence
    if there are none. The answer also says what could not be posted.
    """
    caller = caller_of(interaction)
    trouble = await LadderAnnouncer(caller.context).announce_subject(LadderId(caller.guild, variant))
    lines = [await announce_begun(caller, match) for match in begun]
    values = {**LADDER_RULE_VALUES, **more, "variant": text(caller.locale, f"variant.{variant}")}
    lines = lines or [text(caller.locale, key, **values)]
    lines += [trouble_sentence(caller.locale, trouble)] if trouble else []
    await send_answer(interaction, "\n".join(lines))


def find_ladder_channel(interaction: Interaction) -> int:
    """Returns the channel for games that begin now: the server's ladder channel, or the current one if it has none.

    Raises Declined if not everybody may see the channel, CannotPost if the bot may not post there, and MatchError if
    the server allows no games there.
    """
    guild, here = server_and_channel(interaction)
    settings = context_of(interaction).servers.settings_of(guild)
    if settings.ladder_channel is not None:
        channel = settings.ladder_channel
    else:
        # A forum takes no messages itself, so its post is the place.
        above = parent_channel(interaction)
        channel = here if above is None or is_forum_post(interaction) else above
        require_allowed_place(settings, channel, above)
    require_public_channel(interaction, channel)
    return channel
