"""`/ladder`: climbing the stairs of a server, by challenge or from the queue."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypedDict, TypeVar

import discord
from discord import app_commands
from discord.ext import commands

from bot.core.match import Match
from bot.core.results import MessageRef
from bot.discordkit.components import Action, action_button, handles_action, make_view
from bot.discordkit.errors import Declined
from bot.discordkit.permissions import (
    CannotPost,
    Obstacle,
    Trouble,
    is_public_place,
    require_permissions,
    trouble_sentence,
)
from bot.discordkit.reply import RESOLVED, Interaction, now, reader_language, send_answer, update_message
from bot.discordkit.sheets import ANY_VARIANT, Sheet, open_sheet, show_sheet
from bot.discordkit.slash import slash_command
from bot.ladder.tables import (
    LADDER_HISTORY_SHEET,
    LADDER_RULES_SHEET,
    STAIRS_SHEET,
    challenged_user,
    show_ladder_rules,
    suggest_challenged,
)
from bot.ladder.words import LADDER_RULE_VALUES
from bot.play.announcing.outbox import best_effort
from bot.play.announcing.requests import take_buttons_off
from bot.play.app import Caller, app_of, check_post_rate
from bot.play.options import (
    VARIANT_CHOICES,
    is_forum_post,
    is_private_thread,
    parent_channel,
    require_known_variant,
    server_and_channel,
)
from bot.play.service.matches import require_allowed_place
from bot.texts.i18n import join_list, text
from bot.texts.sentences import mention_user
from rules import VARIANTS

ChallengeResultT = TypeVar("ChallengeResultT")

CHALLENGE_CHOICES = [choice for choice in VARIANT_CHOICES if len(VARIANTS[choice.value].armies) == 2]
"""The games in which somebody can be challenged: those of two."""


class LadderCommands(commands.Cog):
    """The commands of the ladders."""

    @slash_command("ladder join")
    @app_commands.choices(variant=VARIANT_CHOICES)
    async def join(self, interaction: Interaction, variant: str) -> None:
        """Step onto a ladder."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        caller, applicant = Caller(interaction), _applicant_of(interaction)
        climber = await caller.service.ladders.join_ladder(caller.guild, variant, caller.user, now(), **applicant)
        key = "ladder.joined-three" if len(VARIANTS[variant].armies) > 2 else "ladder.joined"
        await _announce_and_answer(interaction, variant, key, step=climber.step)

    @slash_command("ladder leave")
    @app_commands.choices(variant=VARIANT_CHOICES)
    async def leave(self, interaction: Interaction, variant: str) -> None:
        """Ask whether the climber means it."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        caller = Caller(interaction)
        climber = await caller.service.ladders.check_leaving(caller.guild, variant, caller.user, now())
        locale, name = caller.locale, text(caller.locale, f"variant.{variant}")
        leave = action_button(locale, "ladder-leave", danger=True, variant=variant)
        stay = action_button(locale, "ladder-stay", variant=variant)
        question = text(locale, "ladder.leave", variant=name, step=climber.step)
        await send_answer(interaction, question, view=make_view(leave, stay))

    @slash_command("ladder challenge")
    @app_commands.choices(variant=CHALLENGE_CHOICES)
    @app_commands.autocomplete(player=suggest_challenged)
    async def challenge(self, interaction: Interaction, variant: str, player: str) -> None:
        """Challenge somebody on one's own rung or up to three above."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        caller, applicant = Caller(interaction), _applicant_of(interaction)
        other = await challenged_user(interaction, variant, player)
        check_post_rate(interaction, "play")
        await caller.service.ladders.challenge_climber(caller.guild, variant, caller.user, other, now(), **applicant)
        values = {"player": mention_user(other, caller.locale), "channel": f"<#{applicant['channel']}>"}
        await _announce_and_answer(interaction, variant, "ladder.challenged", **values)

    @slash_command("ladder queue")
    @app_commands.choices(variant=VARIANT_CHOICES)
    async def queue(self, interaction: Interaction, variant: str, triad: bool = False) -> None:
        """Wait for somebody on a rung close by, or begin at once with those who wait."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        caller, applicant = Caller(interaction), _applicant_of(interaction)
        new_matches = await caller.service.ladders.join_queue(
            caller.guild, variant, caller.user, now(), triad=triad, **applicant
        )
        if new_matches:
            games = join_list(caller.locale, [f"#{match.id}" for match in new_matches])
            key = "ladder.paired-triad" if len(new_matches) > 1 else "ladder.paired"
            await _announce_and_answer(interaction, variant, key, *new_matches, games=games)
        else:
            three = "ladder.queued-triad" if triad else "ladder.queued-three"
            await _announce_and_answer(
                interaction, variant, three if len(VARIANTS[variant].armies) > 2 else "ladder.queued"
            )

    @slash_command("ladder unqueue")
    @app_commands.choices(variant=VARIANT_CHOICES)
    async def unqueue(self, interaction: Interaction, variant: str) -> None:
        """Wait no longer."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        caller = Caller(interaction)
        await caller.service.ladders.leave_queue(caller.guild, variant, caller.user, now())
        await _announce_and_answer(interaction, variant, "ladder.unqueued")

    @slash_command("ladder show")
    @app_commands.choices(variant=VARIANT_CHOICES)
    async def show(self, interaction: Interaction, variant: str) -> None:
        """Show who stands on which rung."""
        await open_sheet(interaction, Sheet(STAIRS_SHEET, variant))

    @slash_command("ladder rules")
    async def rules(self, interaction: Interaction) -> None:
        """Say how ladders work here."""
        # Nothing has to be looked up for it, so that it is there at once, without a "thinking…" before it.
        await show_sheet(interaction, await show_ladder_rules(interaction, Sheet(LADDER_RULES_SHEET)))

    @slash_command("ladder history")
    @app_commands.choices(variant=VARIANT_CHOICES)
    async def history(
        self, interaction: Interaction, player: discord.User | None = None, variant: str | None = None
    ) -> None:
        """Tell what has happened to somebody on a ladder."""
        user = player or interaction.user
        await open_sheet(interaction, Sheet(LADDER_HISTORY_SHEET, variant or ANY_VARIANT, user.id))


@handles_action("ladder-leave")
async def leave_ladder(interaction: Interaction, action: Action) -> None:
    """Step off the ladder."""
    await interaction.response.defer()
    caller, variant = Caller(interaction), require_known_variant(action.variant)
    await caller.service.ladders.leave_ladder(caller.guild, variant, caller.user, now())
    await _replace_question(interaction, variant, "ladder.left")
    if trouble := await app_of(interaction).ladder_announcer.announce_subject((caller.guild, variant)):
        await send_answer(interaction, trouble_sentence(caller.locale, trouble))


@handles_action("ladder-stay")
async def stay_on_ladder(interaction: Interaction, action: Action) -> None:
    """Think better of it."""
    await _replace_question(interaction, require_known_variant(action.variant), "ladder.stayed")


async def _replace_question(interaction: Interaction, variant: str, key: str) -> None:
    """Put that sentence in the place of the question and its buttons."""
    locale = reader_language(interaction)
    sentence = text(locale, key, variant=text(locale, f"variant.{variant}"))
    await update_message(interaction, sentence, view=None)


@handles_action("ladder-accept")
async def accept_challenge(interaction: Interaction, action: Action) -> None:
    """Take up the challenge on whose message the button is: the game begins."""
    match = await _answer_challenge(interaction, action, app_of(interaction).service.ladders.accept_challenge)
    await _announce_and_answer(interaction, action.variant, "ladder.accepted", match, id=match.id)


@handles_action("ladder-refuse")
async def refuse_challenge(interaction: Interaction, action: Action) -> None:
    """Turn the challenge down on whose message the button is."""
    climber = await _answer_challenge(interaction, action, app_of(interaction).service.ladders.refuse_challenge)
    await _announce_and_answer(interaction, action.variant, "ladder.refused", step=climber.step)


ChallengeAnswer = Callable[[int, str, int, int, int], Awaitable[ChallengeResultT]]
"""What somebody answers to a challenge: server, variant, user, time, and the challenge's number."""


async def _answer_challenge(
    interaction: Interaction, action: Action, act: ChallengeAnswer[ChallengeResultT]
) -> ChallengeResultT:
    """What comes of an answer to a challenge. If that waits no longer, its buttons go; the refusal is told anyway."""
    caller, variant = Caller(interaction), require_known_variant(action.variant)
    if await caller.service.ladders.challenge_waiting(caller.guild, variant, action.number, now()) is not None:
        await interaction.response.defer()
    elif interaction.message is not None:  # later: the refusal matters more
        take_buttons_off(app_of(interaction), MessageRef(interaction.message.channel.id, interaction.message.id))
    result = await act(caller.guild, variant, caller.user, now(), action.number)
    with best_effort("buttons of a challenge left"):  # it is answered: the others are told in any case
        await interaction.edit_original_response(view=None, allowed_mentions=RESOLVED)
    return result


async def _announce_and_answer(
    interaction: Interaction, variant: str, key: str, *begun: Match, **values: object
) -> None:
    """Tell what has happened on the ladder, let the games begin, and answer; also with what keeps either from sight."""
    caller, parts = Caller(interaction), app_of(interaction)
    guild, locale = caller.guild, caller.locale
    troubles = [await parts.ladder_announcer.announce_subject((guild, variant))]
    troubles += [await parts.announcer.announce_subject(match.id) for match in begun]
    if begun:  # read again: the announcement has given it its thread
        values["channel"] = f"<#{(await parts.service.current_match(begun[0].id, guild)).thread_or_channel}>"
    lines = [text(locale, key, variant=text(locale, f"variant.{variant}"), key=variant, **LADDER_RULE_VALUES, **values)]
    lines += dict.fromkeys(trouble_sentence(locale, trouble) for trouble in troubles if trouble)
    await send_answer(interaction, "\n".join(lines))


class LadderApplicant(TypedDict):
    """What a ladder has to know of whoever wants to play on it."""

    channel: int
    member_since: int


def _applicant_of(interaction: Interaction) -> LadderApplicant:
    return {"channel": find_ladder_channel(interaction), "member_since": member_since(interaction)}


def find_ladder_channel(interaction: Interaction) -> int:
    """The channel in which games that begin now are played: the server's for ladders, else the one at hand.

    Raises Declined where not everybody may look into it, CannotPost where the bot may not post, and MatchError where
    the server wants no games.
    """
    guild, here = server_and_channel(interaction)
    settings = app_of(interaction).servers.settings_of(guild)
    if settings.ladder_channel is not None:
        channel = settings.ladder_channel
    else:
        # A forum takes no posts itself, so that its thread is the place.
        above = parent_channel(interaction)
        channel = here if above is None or is_forum_post(interaction) else above
        require_allowed_place(settings, channel, above)
    require_public_channel(interaction, channel)
    return channel


def require_public_channel(interaction: Interaction, channel: int) -> None:
    """Raises Declined unless everybody in the server may look into the channel, and CannotPost if the bot may not post.

    Who could see a ladder's games only in part would have to take its results on trust.
    """
    assert interaction.guild is not None
    place = interaction.guild.get_channel_or_thread(channel)
    private = channel == interaction.channel_id and is_private_thread(interaction)
    if place is None and not private:
        raise CannotPost(Trouble(Obstacle.GONE, channel))
    if place is None or not is_public_place(place):
        raise Declined("ladder.private", channel=f"<#{channel}>")
    require_permissions(place.permissions_for(interaction.guild.me), place)


def member_since(interaction: Interaction) -> int:
    """When the person came into the server, in unix seconds; 0 where Discord does not say."""
    joined = interaction.user.joined_at if isinstance(interaction.user, discord.Member) else None
    # Discord's clock may be ahead of ours, and nobody has come later than now.
    return min(int(joined.timestamp()), now()) if joined else 0
