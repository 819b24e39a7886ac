"""`/play`, **Challenge** in the menu on people, and the buttons of the table."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import discord
from discord import app_commands
from discord.ext import commands

from bot.commands.app import Asker, app, require_calm, server, take_turn
from bot.commands.options import PACE_CHOICES, VARIANT_CHOICES, known, parent, require_guest, require_place, where
from bot.kit.components import Action, Family, Fresh, User, fresh, given, on, row
from bot.kit.permissions import CannotPost, Obstacle, Trouble, complaint, require_permissions
from bot.kit.reply import Interaction, answer, calling, now, reader, update
from bot.kit.slash import choices, command, user_menu
from bot.kit.steady import BROKEN
from bot.match import table
from bot.match.events import Seating, is_former
from bot.match.match import Match, Phase
from bot.people.clock import Pace
from bot.people.house import LEVELS, is_house
from bot.people.problems import MatchError, Problem
from bot.people.settings import Threads
from bot.posting.desk import Desk
from bot.posting.people import PATIENCE, UNHEARD
from bot.posting.tables import post_table, table_text, table_view
from bot.texts.i18n import Language, language_name, text
from bot.texts.sentences import mention, message_url

CHOSEN_SEATS = {"second": 1, "third": 2}
"""Seats that the host can choose, besides the first."""
SEAT_CHOICES = choices("choice.seats", (Seating.RANDOM.value, Seating.JOIN_ORDER.value, *CHOSEN_SEATS))
LEVEL_CHOICES = choices("level", LEVELS)


class PlayCommands(commands.Cog):
    """Invitations: from the first call to a full table."""

    @command("play")
    @app_commands.choices(variant=VARIANT_CHOICES, seats=SEAT_CHOICES, pace=PACE_CHOICES, house=LEVEL_CHOICES)
    async def play(
        self,
        interaction: Interaction,
        variant: str,
        opponent: discord.User | None = None,
        second_opponent: discord.User | None = None,
        seats: str = Seating.RANDOM.value,
        pace: str | None = None,
        thread: bool = False,
        vacations: bool = True,
        house: str | None = None,
    ) -> None:
        """Offer a game. The table's message is the answer itself, so that it pings those who are invited.

        Where house players take the last seats, the game begins at once.
        """
        guests = [user for user in (opponent, second_opponent) if user is not None]
        await offer(
            interaction, variant, guests, seats=seats, pace=pace, thread=thread, vacations=vacations, house=house
        )


async def offer(
    interaction: Interaction,
    variant: str,
    guests: Sequence[discord.User | discord.Member],
    *,
    seats: str = Seating.RANDOM.value,
    pace: str | None = None,
    thread: bool = False,
    vacations: bool = True,
    house: str | None = None,
) -> None:
    """Open a table, as `/play` with those options does."""
    guild, channel = where(interaction)
    asked = thread and app(interaction).servers.settings(guild).threads is Threads.ASK
    # What nobody has asked for is done without where it is not allowed; and only channels of text have threads.
    require_place(interaction, wants_thread=asked and isinstance(interaction.channel, discord.TextChannel))
    for guest in guests:
        require_guest(guest)
    await take_turn(interaction)
    require_calm(interaction, "play")
    locale, first = await _language(interaction, guild)
    match = await app(interaction).service.open_table(
        guild,
        channel,
        interaction.user.id,
        variant,
        [user.id for user in guests],
        Seating.CHOSEN if seats in CHOSEN_SEATS else Seating(seats),
        thread,
        now(),
        pace=Pace(pace) if pace else None,
        vacations=vacations,
        parent=parent(interaction),
        seat=CHOSEN_SEATS.get(seats),
        house=house,
    )
    pings = calling(user.id for user in guests)
    house_on = app(interaction).servers.settings(guild).has_house
    shown = table_view(locale, match, house=house_on)
    view = discord.utils.MISSING if shown is None else shown
    async with app(interaction).announcer.alone(match.id):  # the house may move meanwhile; the table comes first
        said = await app(interaction).names.spell(guild, table_text(locale, match), match.invited)
        try:
            sent = await interaction.response.send_message(said, view=view, allowed_mentions=pings)
        except (discord.HTTPException, *BROKEN, OSError):
            # Too late, or answered by another instance: nobody will ever see this table.
            await app(interaction).service.withdraw(match.id)
            raise
        if sent.message_id is not None:  # else whoever sits down brings it along
            await app(interaction).service.set_table_message(match.id, channel, sent.message_id)
    if first:
        await app(interaction).servers.change(guild, lambda settings: replace(settings, language=locale))
        await answer(interaction, text(locale, "server.language.adopted", language=language_name(locale)))
    if match.is_live and (trouble := await app(interaction).announcer.announce(match.id)):
        await answer(interaction, complaint(reader(interaction), trouble))


async def _language(interaction: Interaction, guild: int) -> tuple[Language, bool]:
    """The language of the posts in a server, and whether it becomes so by this very table.

    It does where Discord lets nobody set the server's, which then says nothing of the people there.
    """
    present, own = server(interaction), reader(interaction)
    if (
        own == present
        or app(interaction).servers.may_speak(guild)
        or await app(interaction).service.is_played_in(guild)
    ):
        return present, False
    return own, True


class Invited(NamedTuple):
    """Who is challenged from the menu on people."""

    user: User
    fresh: Fresh = ""


CHALLENGE = Family("rt-challenge", Invited)


@user_menu("challenge")
async def challenge(interaction: Interaction, user: discord.User) -> None:
    """Ask which game is to be offered."""
    require_guest(user)
    locale = reader(interaction)
    if user.id == interaction.user.id:
        raise MatchError(Problem.OPPONENT_IS_YOU)
    options = [discord.SelectOption(label=choice.name, value=choice.value) for choice in VARIANT_CHOICES]
    menu = CHALLENGE.menu("", Invited(user.id, fresh(interaction)), options, text(locale, "challenge.choose"))
    await answer(interaction, text(locale, "challenge.ask", player=mention(user.id, locale)), view=row(menu))


@CHALLENGE.on()
async def offer_game(interaction: Interaction, invited: Invited) -> None:
    """Open the table, as `/play` with the chosen game and that opponent does."""
    variant, guild = known(given(interaction)), interaction.guild
    where(interaction)
    assert guild is not None
    # Over the gateway, where no limit makes it wait: nothing has been answered yet.
    try:
        found = await asyncio.wait_for(app(interaction).names.members(guild.id, [invited.user]), PATIENCE)
    except UNHEARD as error:
        raise TimeoutError from error
    if (opponent := found.get(invited.user)) is None:
        raise MatchError(Problem.NOT_A_MEMBER, user=invited.user)
    await offer(interaction, variant, [opponent])


Act = Callable[[Asker], Awaitable[Match]]
"""What somebody does at the table."""


@on("join")
async def join(interaction: Interaction, action: Action) -> None:
    """Take a seat; the last one starts the game."""
    await _sit(interaction, action, lambda asker: asker.service.join(action.match, asker.guild, asker.user, now()))


@on("leave")
async def leave(interaction: Interaction, action: Action) -> None:
    """Give a seat up."""
    await _sit(interaction, action, lambda asker: asker.act(action.match, table.leave))


@on("decline")
async def decline(interaction: Interaction, action: Action) -> None:
    """Say no to an invitation."""
    await _sit(interaction, action, lambda asker: asker.act(action.match, table.decline))


@on("cancel")
async def cancel(interaction: Interaction, action: Action) -> None:
    """Close the table."""
    await _sit(interaction, action, lambda asker: asker.act(action.match, table.cancel))


@on("seek")
async def seek(interaction: Interaction, action: Action) -> None:
    """Be told of tables that stay open, or no longer."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    asker = Asker(interaction)
    looking = await asker.service.seekers.turn(asker.guild, asker.user)
    await answer(interaction, text(asker.locale, "seek.on" if looking else "seek.off"))


@on("rematch")
async def rematch(interaction: Interaction, action: Action) -> None:
    """Set a table at which the same people play again, where the game's own was set; or say where it stands."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    asker, parts = Asker(interaction), app(interaction)
    over = await asker.service.match(action.match, asker.guild)
    assert interaction.guild is not None
    # Its thread goes on being that of the old game, and the new one gets one of its own.
    place = interaction.guild.get_channel_or_thread(over.channel) or interaction.channel
    if place is None or place.id != over.channel:
        raise CannotPost(Trouble(Obstacle.GONE, over.channel))
    require_permissions(place.permissions_for(interaction.guild.me), place)
    above = place.parent_id if isinstance(place, discord.Thread) else None
    require_calm(interaction, "play")
    gone = await _gone(parts, over)
    async with parts.announcer.alone(over.id):  # a second press waits for what becomes of the first
        match, is_new = await asker.service.rematch(over.id, asker.guild, asker.user, now(), parent=above, gone=gone)
        async with parts.announcer.alone(match.id):  # which the house's first move waits for
            post = (await asker.service.posts(match.id)).table
            if post is None and match.phase in (Phase.OPEN, Phase.LIVE):  # a crash may have kept it from being posted
                post = await post_table(parts, match)
    where = message_url(match.guild, post) if post else f"<#{match.where}>"
    said = text(asker.locale, "rematch.set" if is_new else "rematch.there", id=match.id, where=where)
    if match.is_live and is_new and (trouble := await parts.announcer.announce(match.id)):
        said = f"{said}\n{complaint(asker.locale, trouble)}"
    await answer(interaction, said)


async def _gone(desk: Desk, match: Match) -> list[int]:
    """Who of its players is not in the server any more; nobody where Discord does not say in time."""
    players = [user for user in match.players if not is_former(user) and not is_house(user)]
    try:
        members = await asyncio.wait_for(desk.names.members(match.guild, players), PATIENCE)
    except UNHEARD:
        return []
    return [user for user in players if user not in members]


async def _sit(interaction: Interaction, action: Action, act: Act) -> None:
    """Do it, and bring the table's message up to date; when the game begins, the announcer sees to both."""
    asker = Asker(interaction)
    match = await asker.service.match(action.match, asker.guild)
    if match.phase is Phase.OPEN:
        await interaction.response.defer()
    else:  # an edit must have failed: the buttons should be gone
        await _show_table(interaction, match)
    await _note_table(interaction, action.match)
    match = await act(asker)
    if match.phase is Phase.OPEN:
        # Read again: somebody else may have pressed meanwhile, and the later edit must not show the older table.
        await _show_table(interaction, await asker.service.match(match.id, asker.guild))
        return
    if trouble := await app(interaction).announcer.announce(match.id):
        await answer(interaction, complaint(reader(interaction), trouble))


async def _note_table(interaction: Interaction, match_id: int) -> None:
    """Note the message as the table's, where a crash or a slow answer has kept that from being noted."""
    guild, channel = where(interaction)
    service = app(interaction).service
    if interaction.message is not None and (await service.posts(match_id)).table is None:
        await service.match(match_id, guild)  # refuses a table of another server, which is none here
        await service.set_table_message(match_id, channel, interaction.message.id)


async def _show_table(interaction: Interaction, match: Match) -> None:
    """Bring the message whose button was pressed up to date. An edit pings nobody."""
    locale, house = server(interaction), app(interaction).servers.settings(match.guild).has_house
    said = await app(interaction).names.spell(match.guild, table_text(locale, match), match.invited)
    await update(interaction, said, view=table_view(locale, match, house=house))
