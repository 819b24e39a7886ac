"""`/ladder`: climbing the stairs of a server, by challenge or from the queue."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypedDict, TypeVar

import discord
from discord import app_commands
from discord.ext import commands

from bot.commands.app import Asker, app, require_calm
from bot.commands.ladder_tables import HISTORY, LADDER_RULES, STAIRS, challenged_user, ladder_rules, suggest_challenged
from bot.commands.options import VARIANT_CHOICES, is_post, is_private, known, parent, where
from bot.kit.components import Action, button, on, row
from bot.kit.errors import Declined
from bot.kit.permissions import CannotPost, Obstacle, Trouble, complaint, is_open, require_permissions
from bot.kit.reply import RESOLVED, Interaction, answer, now, reader, update
from bot.kit.sheets import ANY, Sheet, open_sheet, show_sheet
from bot.kit.slash import command
from bot.match.match import Match
from bot.match.results import Post
from bot.posting.outbox import best_effort
from bot.posting.requests import take_buttons_off
from bot.service.matches import require_allowed
from bot.texts.i18n import join, text
from bot.texts.ladder import RULES
from bot.texts.sentences import mention
from rules import VARIANTS

T = TypeVar("T")

CHALLENGE_CHOICES = [choice for choice in VARIANT_CHOICES if len(VARIANTS[choice.value].armies) == 2]
"""The games in which somebody can be challenged: those of two."""


class LadderCommands(commands.Cog):
    """The commands of the ladders."""

    @command("ladder join")
    @app_commands.choices(variant=VARIANT_CHOICES)
    async def join(self, interaction: Interaction, variant: str) -> None:
        """Step onto a ladder."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        asker, comes = Asker(interaction), _coming(interaction)
        climber = await asker.service.ladders.join(asker.guild, variant, asker.user, now(), **comes)
        key = "ladder.joined-three" if len(VARIANTS[variant].armies) > 2 else "ladder.joined"
        await _acted(interaction, variant, key, step=climber.step)

    @command("ladder leave")
    @app_commands.choices(variant=VARIANT_CHOICES)
    async def leave(self, interaction: Interaction, variant: str) -> None:
        """Ask whether the climber means it."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        asker = Asker(interaction)
        climber = await asker.service.ladders.leaving(asker.guild, variant, asker.user, now())
        locale, name = asker.locale, text(asker.locale, f"variant.{variant}")
        leave = button(locale, "ladder-leave", danger=True, variant=variant)
        stay = button(locale, "ladder-stay", variant=variant)
        question = text(locale, "ladder.leave", variant=name, step=climber.step)
        await answer(interaction, question, view=row(leave, stay))

    @command("ladder challenge")
    @app_commands.choices(variant=CHALLENGE_CHOICES)
    @app_commands.autocomplete(player=suggest_challenged)
    async def challenge(self, interaction: Interaction, variant: str, player: str) -> None:
        """Challenge somebody on one's own rung or up to three above."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        asker, comes = Asker(interaction), _coming(interaction)
        other = await challenged_user(interaction, variant, player)
        require_calm(interaction, "play")
        await asker.service.ladders.challenge(asker.guild, variant, asker.user, other, now(), **comes)
        said = {"player": mention(other, asker.locale), "channel": f"<#{comes['channel']}>"}
        await _acted(interaction, variant, "ladder.challenged", **said)

    @command("ladder queue")
    @app_commands.choices(variant=VARIANT_CHOICES)
    async def queue(self, interaction: Interaction, variant: str, triad: bool = False) -> None:
        """Wait for somebody on a rung close by, or begin at once with those who wait."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        asker, comes = Asker(interaction), _coming(interaction)
        begun = await asker.service.ladders.queue(asker.guild, variant, asker.user, now(), triad=triad, **comes)
        if begun:
            games = join(asker.locale, [f"#{match.id}" for match in begun])
            key = "ladder.paired-triad" if len(begun) > 1 else "ladder.paired"
            await _acted(interaction, variant, key, *begun, games=games)
        else:
            three = "ladder.queued-triad" if triad else "ladder.queued-three"
            await _acted(interaction, variant, three if len(VARIANTS[variant].armies) > 2 else "ladder.queued")

    @command("ladder unqueue")
    @app_commands.choices(variant=VARIANT_CHOICES)
    async def unqueue(self, interaction: Interaction, variant: str) -> None:
        """Wait no longer."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        asker = Asker(interaction)
        await asker.service.ladders.unqueue(asker.guild, variant, asker.user, now())
        await _acted(interaction, variant, "ladder.unqueued")

    @command("ladder show")
    @app_commands.choices(variant=VARIANT_CHOICES)
    async def show(self, interaction: Interaction, variant: str) -> None:
        """Show who stands on which rung."""
        await open_sheet(interaction, Sheet(STAIRS, variant))

    @command("ladder rules")
    async def rules(self, interaction: Interaction) -> None:
        """Say how ladders work here."""
        # Nothing has to be looked up for it, so that it is there at once, without a "thinking…" before it.
        await show_sheet(interaction, await ladder_rules(interaction, Sheet(LADDER_RULES)))

    @command("ladder history")
    @app_commands.choices(variant=VARIANT_CHOICES)
    async def history(
        self, interaction: Interaction, player: discord.User | None = None, variant: str | None = None
    ) -> None:
        """Tell what has happened to somebody on a ladder."""
        user = player or interaction.user
        await open_sheet(interaction, Sheet(HISTORY, variant or ANY, user.id))


@on("ladder-leave")
async def step_off(interaction: Interaction, action: Action) -> None:
    """Step off the ladder."""
    await interaction.response.defer()
    asker, variant = Asker(interaction), known(action.variant)
    await asker.service.ladders.leave(asker.guild, variant, asker.user, now())
    await _settle(interaction, variant, "ladder.left")
    if trouble := await app(interaction).ladder_announcer.announce((asker.guild, variant)):
        await answer(interaction, complaint(asker.locale, trouble))


@on("ladder-stay")
async def stay(interaction: Interaction, action: Action) -> None:
    """Think better of it."""
    await _settle(interaction, known(action.variant), "ladder.stayed")


async def _settle(interaction: Interaction, variant: str, key: str) -> None:
    """Put that sentence in the place of the question and its buttons."""
    locale = reader(interaction)
    said = text(locale, key, variant=text(locale, f"variant.{variant}"))
    await update(interaction, said, view=None)


@on("ladder-accept")
async def accept(interaction: Interaction, action: Action) -> None:
    """Take up the challenge on whose message the button is: the game begins."""
    match = await _answer_challenge(interaction, action, app(interaction).service.ladders.accept)
    await _acted(interaction, action.variant, "ladder.accepted", match, id=match.id)


@on("ladder-refuse")
async def refuse(interaction: Interaction, action: Action) -> None:
    """Turn the challenge down on whose message the button is."""
    climber = await _answer_challenge(interaction, action, app(interaction).service.ladders.refuse)
    await _acted(interaction, action.variant, "ladder.refused", step=climber.step)


Answer = Callable[[int, str, int, int, int], Awaitable[T]]
"""What somebody answers to a challenge: server, variant, user, time, and the challenge's number."""


async def _answer_challenge(interaction: Interaction, action: Action, act: Answer[T]) -> T:
    """What comes of an answer to a challenge. If that waits no longer, its buttons go; the refusal is told anyway."""
    asker, variant = Asker(interaction), known(action.variant)
    if await asker.service.ladders.challenge_waiting(asker.guild, variant, action.number, now()) is not None:
        await interaction.response.defer()
    elif interaction.message is not None:  # later: the refusal matters more
        take_buttons_off(app(interaction), Post(interaction.message.channel.id, interaction.message.id))
    found = await act(asker.guild, variant, asker.user, now(), action.number)
    with best_effort("buttons of a challenge left"):  # it is answered: the others are told in any case
        await interaction.edit_original_response(view=None, allowed_mentions=RESOLVED)
    return found


async def _acted(interaction: Interaction, variant: str, key: str, *begun: Match, **values: object) -> None:
    """Tell what has happened on the ladder, let the games begin, and answer; also with what keeps either from sight."""
    asker, parts = Asker(interaction), app(interaction)
    guild, locale = asker.guild, asker.locale
    troubles = [await parts.ladder_announcer.announce((guild, variant))]
    troubles += [await parts.announcer.announce(match.id) for match in begun]
    if begun:  # read again: the announcement has given it its thread
        values["channel"] = f"<#{(await parts.service.match(begun[0].id, guild)).where}>"
    said = [text(locale, key, variant=text(locale, f"variant.{variant}"), key=variant, **RULES, **values)]
    said += dict.fromkeys(complaint(locale, trouble) for trouble in troubles if trouble)
    await answer(interaction, "\n".join(said))


class Coming(TypedDict):
    """What a ladder has to know of whoever wants to play on it."""

    channel: int
    member_since: int


def _coming(interaction: Interaction) -> Coming:
    return {"channel": ladder_place(interaction), "member_since": member_since(interaction)}


def ladder_place(interaction: Interaction) -> int:
    """The channel in which games that begin now are played: the server's for ladders, else the one at hand.

    Raises Declined where not everybody may look into it, CannotPost where the bot may not post, and MatchError where
    the server wants no games.
    """
    guild, here = where(interaction)
    settings = app(interaction).servers.settings(guild)
    if settings.ladder_channel is not None:
        channel = settings.ladder_channel
    else:
        # A forum takes no posts itself, so that its thread is the place.
        above = parent(interaction)
        channel = here if above is None or is_post(interaction) else above
        require_allowed(settings, channel, above)
    require_open(interaction, channel)
    return channel


def require_open(interaction: Interaction, channel: int) -> None:
    """Raises Declined unless everybody in the server may look into the channel, and CannotPost if the bot may not post.

    Who could see a ladder's games only in part would have to take its results on trust.
    """
    assert interaction.guild is not None
    place = interaction.guild.get_channel_or_thread(channel)
    private = channel == interaction.channel_id and is_private(interaction)
    if place is None and not private:
        raise CannotPost(Trouble(Obstacle.GONE, channel))
    if place is None or not is_open(place):
        raise Declined("ladder.private", channel=f"<#{channel}>")
    require_permissions(place.permissions_for(interaction.guild.me), place)


def member_since(interaction: Interaction) -> int:
    """When the person came into the server, in unix seconds; 0 where Discord does not say."""
    joined = interaction.user.joined_at if isinstance(interaction.user, discord.Member) else None
    # Discord's clock may be ahead of ours, and nobody has come later than now.
    return min(int(joined.timestamp()), now()) if joined else 0
