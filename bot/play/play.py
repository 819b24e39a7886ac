"""`/play` with the list of open tables, **Challenge** in the menu on people's names, and the buttons of the table."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import discord
from discord import app_commands, ui

from bot.core.acts import Act, CancelTable, DeclineInvitation, JoinTable, LeaveTable, is_allowed
from bot.core.clock import Pace
from bot.core.events import Seating, is_former
from bot.core.house_seats import is_house, next_strength, strength_from
from bot.core.match import Match, MessageRef, Phase
from bot.core.problems import MatchError, Problem
from bot.core.settings import Threads
from bot.core.table import TableOptions
from bot.discordkit.components import LARGEST_ID, Family, KeyField, NoState, UserField, chosen_values, make_option
from bot.discordkit.paging import page_of
from bot.discordkit.permissions import CannotPost, Obstacle, Trouble, require_permissions
from bot.discordkit.reply import (
    WAY_ON_KEY,
    Interaction,
    Row,
    RowList,
    make_view,
    reader_language,
    send_answer,
    think_beside,
    update_message,
)
from bot.discordkit.slash import localized_choices, slash_command, user_menu
from bot.play.after_acts import announce_begun, announce_match
from bot.play.announcing.announcer import Announcer
from bot.play.announcing.tables import load_table_text, post_or_withdraw_table, table_buttons, tell_reliability
from bot.play.caller import caller_of, check_pace, context_of, public_language, take_turn
from bot.play.context import Action, BotContext, action_button
from bot.play.options import (
    PACE_CHOICES,
    PROPOSED_VARIANT,
    VARIANT_CHOICES,
    find_member,
    may_see,
    parent_channel,
    require_bot_permissions,
    require_known_variant,
    require_player,
    server_and_channel,
)
from bot.play.service.games import last_table_of
from bot.play.service.tables import open_rematch, open_table
from bot.play.sheets import Sheet, draws_sheets, open_sheet, page_buttons
from bot.store import game_lists
from bot.store.people import people_apart
from bot.store.results import house_players_beaten
from bot.texts.i18n import Language, language_name, text
from bot.texts.people import mention_user
from bot.texts.sentences import message_url, terms_text, variant_called, variant_name
from engine.levels import STRENGTHS, strengths_of
from rules import VARIANTS

TABLE_BUTTONS = Family("rt", Action)

CHOSEN_SEATS = {"second": 1, "third": 2}
"""Seats that the host can choose, besides the first."""
SEAT_CHOICES = localized_choices("choice.seats", (Seating.RANDOM.value, Seating.JOIN_ORDER.value, *CHOSEN_SEATS))
LEVEL_CHOICES = localized_choices("level", STRENGTHS)


@slash_command("play")
@app_commands.rename(house="bots")
@app_commands.choices(variant=VARIANT_CHOICES, seats=SEAT_CHOICES, pace=PACE_CHOICES, house=LEVEL_CHOICES)
async def play_command(
    interaction: Interaction,
    variant: str | None = None,
    opponent: discord.User | None = None,
    second_opponent: discord.User | None = None,
    seats: str = Seating.RANDOM.value,
    pace: str | None = None,
    thread: bool = False,
    vacations: bool = True,
    house: str | None = None,
) -> None:
    """Offers a game, by a message that pings the invited people.

    If house players take the last seats, the game begins at once. Without a variant, shows the open tables at which
    the person may sit down, or if there are none, a form that asks for everything.
    """
    if variant is None:
        if await _fitting_tables(interaction):
            await open_sheet(interaction, Sheet(TABLES_SHEET))
        else:
            await open_table_form(interaction, Action())
        return
    guests = [user for user in (opponent, second_opponent) if user is not None]
    seating = Seating.CHOSEN if seats in CHOSEN_SEATS else Seating(seats)
    terms = Pace(pace) if pace else None
    options = TableOptions(variant, (), seating, thread, terms, vacations, CHOSEN_SEATS.get(seats), house)
    await host_table(interaction, guests, options)


TABLES_SHEET = "tables"
TABLES_ON_PAGE = 8


async def _fitting_tables(interaction: Interaction) -> list[Match]:
    """Returns the server's open tables at which the person may sit down; those with an invitation to them first."""
    caller = caller_of(interaction)
    reader = caller.service.reader
    tables = await caller.service.load_readable(reader, await game_lists.open_tables(reader, caller.guild))
    seated = {user for match in tables for user in match.table.joined}
    apart = await people_apart(reader, seated, (caller.user,))
    fitting = [
        match
        for match in tables
        if is_allowed(match, caller.actor, JoinTable())
        and may_see(interaction, match)
        and not apart.intersection(match.table.joined)
    ]
    return sorted(fitting, key=lambda match: caller.user not in match.table.invited)


@draws_sheets(TABLES_SHEET)
async def show_fitting_tables(interaction: Interaction, request: Sheet) -> RowList:
    """Returns a page of the open tables at which the person may sit down, each with a button for that; below them the
    button for a new table.
    """
    caller, page = caller_of(interaction), page_of(await _fitting_tables(interaction), request.page, TABLES_ON_PAGE)
    locale, hosts = caller.locale, [match.table.host for match in page.items]
    known = await tell_reliability(caller.service, locale, caller.guild, hosts)
    rows = [
        Row(
            text(
                locale,
                "tables.line",
                variant=variant_name(locale, match.variant),
                id=match.id,
                host=mention_user(match.table.host, locale),
                known=known.get(match.table.host, ""),
                terms=terms_text(locale, match.terms.pace, vacations=match.terms.vacations),
            ),
            action_button(locale, "sit", primary=True, match=match.id),
        )
        for match in page.items
    ]
    turns = page_buttons(locale, request._replace(page=page.number), page.pages)
    title = text(locale, "tables.title" if rows else "tables.none")
    return RowList(title, rows, page.footer(locale), [turns, action_button(locale, "new-table")])


@TABLE_BUTTONS.register_handler("sit", first=think_beside)
async def sit_down(interaction: Interaction, action: Action) -> None:
    """Takes a seat at a table of the list."""
    caller = caller_of(interaction)
    match = await caller.act(action.match, JoinTable())
    caller.context.jobs_due.set()
    post = (await caller.service.reader.load_posts(match.id)).table
    await _answer_with_place(interaction, match, "tables.sat", post)


async def _answer_with_place(
    interaction: Interaction, match: Match, key: str, table: MessageRef | None, *more: str
) -> None:
    """Answers with that sentence, which says where the open table is, and with `more`. If the game has begun, announces
    it and answers with the way to it, or why it could not be posted.
    """
    caller = caller_of(interaction)
    if match.is_live:
        said = await announce_begun(caller, match)
    else:
        link = text(caller.locale, "tables.link", url=message_url(match.guild, table)) if table else ""
        said = text(caller.locale, key, id=match.id, where=link or f"<#{match.place.thread_or_channel}>")
    await send_answer(interaction, "\n".join([said, *more]))


MAX_OPPONENTS = 2
SERVER_PACE, NOBODY, HERE = "server", "nobody", "here"


class FilledForm(NamedTuple):
    """What the form of a table is filled in with."""

    variant: KeyField
    pace: KeyField
    place: KeyField = HERE
    house: KeyField = NOBODY
    guest: UserField = 0
    """0 for nobody, here and below."""
    second_guest: UserField = 0


TABLE_FORM, FORM_BUTTONS = Family("rt-table", NoState), Family("rt-again", FilledForm)


async def open_table_form(interaction: Interaction, _: Action, guest: int = 0) -> None:
    """Opens the form, filled in with the game and the pace of the person's last table here, and with that guest."""
    caller = caller_of(interaction)
    last = await last_table_of(caller.service, caller.guild, caller.user)
    filled = FilledForm(PROPOSED_VARIANT, SERVER_PACE, guest=guest)
    if last:
        place = "thread" if last.terms.wants_thread else HERE
        filled = filled._replace(variant=last.variant.key, pace=last.terms.pace.value, place=place)
    await open_filled_form(interaction, filled)


TABLE_BUTTONS.register_handler("new-table")(open_table_form)


@FORM_BUTTONS.register_handler()
async def open_filled_form(interaction: Interaction, filled: FilledForm) -> None:
    """Opens the form, filled in like that. It marks the level after the highest that the person has beaten."""
    require_bot_permissions(interaction)
    caller = caller_of(interaction)
    settings = caller.context.servers.settings_of(caller.guild)
    asks_thread = settings.threads is Threads.ASK and isinstance(interaction.channel, discord.TextChannel)
    beaten = await house_players_beaten(caller.service.reader, caller.guild, caller.user, filled.variant)
    level = next_strength(filled.variant, beaten) if settings.house else None
    form = ui.Modal(title=text(caller.locale, "table-form.title"), custom_id=TABLE_FORM.format_id("", NoState()))
    for field in _form_fields(caller.locale, filled, level, asks_thread=asks_thread):
        words, hint = (text(caller.locale, f"table-form.{field.custom_id}{part}") for part in ("", "-hint"))
        form.add_item(ui.Label(text=words, description=hint, component=field))
    form.stop()  # discord.py keeps nothing: the submitted form is answered by its custom id
    await interaction.response.send_modal(form)


def _form_fields(
    locale: Language, filled: FilledForm, level: str | None, *, asks_thread: bool
) -> Iterator[ui.Select[Any] | ui.UserSelect[Any]]:
    """Yields the fields of the form, named by their custom ids. `level`: the one that it marks as the person's next in
    that variant; None: it offers no bots.
    """

    def make_menu(name: str, chosen: str, options: Mapping[str, str], **hints: str) -> ui.Select[Any]:
        shown = [
            make_option(label, value, hints.get(value, ""), chosen=value == chosen) for value, label in options.items()
        ]
        return ui.Select(custom_id=name, options=shown)

    games = {key: variant_name(locale, one) for key, one in VARIANTS.items()}
    yield make_menu("variant", filled.variant, games, **{key: text(locale, f"about.{key}") for key in VARIANTS})
    guests = dict.fromkeys(user for user in (filled.guest, filled.second_guest) if user)
    invited = [discord.SelectDefaultValue(id=user, type=discord.SelectDefaultValueType.user) for user in guests]
    yield ui.UserSelect(
        custom_id="opponents", min_values=0, max_values=MAX_OPPONENTS, required=False, default_values=invited
    )
    if level:
        levels = {name: text(locale, f"level.{name}") for name in STRENGTHS}
        lacking = {name: ", ".join(games[key] for key in VARIANTS if name not in strengths_of(key)) for name in levels}
        hints = {name: text(locale, "table-form.not-in", games=lack) for name, lack in lacking.items() if lack}
        hints[level] = text(locale, "table-form.next-level", variant=variant_called(locale, filled.variant))
        yield make_menu("house", filled.house, {NOBODY: text(locale, "table-form.nobody")} | levels, **hints)
    paces = {pace.value: text(locale, f"choice.pace.{pace.value}") for pace in Pace}
    yield make_menu("pace", filled.pace, {SERVER_PACE: text(locale, "table-form.server-pace")} | paces)
    if asks_thread:
        places = {HERE: text(locale, "table-form.here"), "thread": text(locale, "table-form.thread")}
        yield make_menu("place", filled.place, places)


@TABLE_FORM.register_handler()
async def open_table_from_form(interaction: Interaction, _: NoState) -> None:
    """Opens the table that the form describes. Below a refusal, a button opens the form again as it was filled in."""
    chosen = chosen_values(interaction)
    variant, pace, place, level = (chosen.get(name, [""])[0] for name in ("variant", "pace", "place", "house"))
    users = [int(user) for user in chosen.get("opponents", ()) if user.isdecimal() and int(user) <= LARGEST_ID]
    filled = FilledForm(
        require_known_variant(variant),
        pace if pace in {known.value for known in Pace} else SERVER_PACE,
        "thread" if place == "thread" else HERE,
        level if level in STRENGTHS else NOBODY,
        *users[:MAX_OPPONENTS],
    )
    again = FORM_BUTTONS.make_button("", filled, text(reader_language(interaction), "button.change-table"))
    interaction.extras[WAY_ON_KEY] = make_view(again)
    options = TableOptions(
        variant,
        pace=None if filled.pace == SERVER_PACE else Pace(filled.pace),
        thread=filled.place != HERE,
        house_level=None if filled.house == NOBODY else filled.house,
    )
    await host_table(interaction, [await find_member(interaction, user) for user in users[:MAX_OPPONENTS]], options)


async def host_table(
    interaction: Interaction, guests: Sequence[discord.User | discord.Member], options: TableOptions
) -> None:
    """Opens a table and invites these guests. The table is a message of its own: only a new message pings.

    If the game lacks that step, the bots of the next one above sit down, or of the last, and the answer says so.
    """
    await interaction.response.defer(ephemeral=True, thinking=True)
    caller = caller_of(interaction)
    guild, channel = server_and_channel(interaction)
    wants_thread = options.thread and caller.context.servers.settings_of(guild).threads is Threads.ASK
    # A thread that only the server's setting wants is optional, and only text channels have threads.
    require_bot_permissions(
        interaction, wants_thread=wants_thread and isinstance(interaction.channel, discord.TextChannel)
    )
    for guest in guests:
        require_player(guest)
    await take_turn(interaction)
    more, level = [], options.house_level
    if level:
        check_pace(interaction, "games against bots")
        options = options._replace(house_level=strength_from(options.variant, STRENGTHS.index(level)))
        if (played := options.house_level) != level:
            more = [text(caller.locale, "house.other-level", level=text(caller.locale, f"level.{played}"))]
    adopted = await _language_to_adopt(interaction, guild)
    options = options._replace(invited=tuple(user.id for user in guests))
    match = await open_table(caller.service, caller.actor, channel, options, parent_channel(interaction))
    # The house may move already, and the table comes first.
    async with Announcer(caller.context).subject_lock(match.id):
        if adopted:
            await caller.context.servers.change_settings(guild, lambda settings: replace(settings, language=adopted))
        post = await post_or_withdraw_table(caller.context, match)
    more += [text(adopted, "server.language.adopted", language=language_name(adopted))] if adopted else []
    await _answer_with_place(interaction, match, "table.offered", post, *more)


async def _language_to_adopt(interaction: Interaction, guild: int) -> Language | None:
    """Returns the language of the person who sets a server's first table, if the server takes it over; None otherwise.

    It does so if Discord lets nobody choose the server's language, which then says nothing about the people there.
    """
    context, own_language = context_of(interaction), reader_language(interaction)
    if (
        own_language == public_language(interaction)
        or context.servers.has_chosen_language(guild)
        or await game_lists.has_matches(context.service.reader, guild)
    ):
        return None
    return own_language


@user_menu("challenge")
async def ask_for_challenge(interaction: Interaction, user: discord.User) -> None:
    """Opens the form for a table with that opponent."""
    require_player(user)
    MatchError.raise_if(user.id == interaction.user.id, Problem.OPPONENT_IS_YOU)
    await open_table_form(interaction, Action(), user.id)


async def act_at_table(interaction: Interaction, action: Action, act: Act) -> None:
    """Takes or gives up a seat, declines an invitation, or closes the table, and updates the message at once. A job
    sees to the order of edits that are under way together.
    """
    context, locale, caller = context_of(interaction), public_language(interaction), caller_of(interaction)
    await interaction.response.defer()
    await _note_table_message(interaction, action.match)
    match = await caller.act(action.match, act)
    if match.phase is not Phase.OPEN:
        await announce_match(interaction, match)
        return
    content = await load_table_text(context, locale, match)
    if (await caller.service.current_match(match.id, match.guild)).seq == match.seq:  # else a later press shows it
        await update_message(interaction, content, view=make_view(*table_buttons(context, locale, match)))


ACTS_AT_TABLE = {"join": JoinTable(), "leave": LeaveTable(), "decline": DeclineInvitation(), "cancel": CancelTable()}
for name, at_table in ACTS_AT_TABLE.items():
    TABLE_BUTTONS.register_handler(name)(partial(act_at_table, act=at_table))


@TABLE_BUTTONS.register_handler("rematch", first=think_beside)
async def set_rematch_table(interaction: Interaction, action: Action) -> None:
    """Opens a table for the same people in the channel of the old game's table; or says where it stands."""
    caller = caller_of(interaction)
    old_match = await caller.service.current_match(action.match, caller.guild)
    assert interaction.guild is not None
    # The old game keeps its thread, and the new game gets its own.
    place = interaction.guild.get_channel_or_thread(old_match.place.channel) or interaction.channel
    if place is None or place.id != old_match.place.channel:
        raise CannotPost(Trouble(Obstacle.GONE, old_match.place.channel))
    require_permissions(place.permissions_for(interaction.guild.me), place)
    above = place.parent_id if isinstance(place, discord.Thread) else None
    if all(is_house(user) or user == caller.user for user in old_match.players):
        check_pace(interaction, "games against bots")
    absent_players = await _players_gone(caller.context, old_match)
    announcer = Announcer(caller.context)
    async with announcer.subject_lock(old_match.id):  # a second press waits for the result of the first
        match, is_new = await open_rematch(
            caller.service, caller.actor, old_match.id, parent=above, departed=absent_players
        )
        async with announcer.subject_lock(match.id):  # the house's first move waits for it
            post = (await caller.service.reader.load_posts(match.id)).table
            if post is None and match.phase in (Phase.OPEN, Phase.LIVE):  # a crash may have prevented the post
                post = await post_or_withdraw_table(caller.context, match)
    await _answer_with_place(interaction, match, "rematch.set" if is_new else "rematch.there", post)


async def _players_gone(context: BotContext, match: Match) -> list[int]:
    """Returns the players who have left the server; none if Discord does not answer in time."""
    players = [user for user in match.players if not is_former(user) and not is_house(user)]
    try:
        fetching = context.names.fetch_members(match.guild, players)
        members = await asyncio.wait_for(fetching, context.timings.name_wait_s)
    except (ConnectionError, TimeoutError):
        return []
    return [user for user in players if user not in members]


async def _note_table_message(interaction: Interaction, match_id: int) -> None:
    """Notes the message as the table's, if a crash or a slow answer has prevented that."""
    guild, channel = server_and_channel(interaction)
    service = context_of(interaction).service
    if interaction.message is not None and (await service.reader.load_posts(match_id)).table is None:
        await service.current_match(match_id, guild)  # refuses a table of another server
        async with service.store.write_transaction() as tx:
            await tx.set_table_post(match_id, MessageRef(channel, interaction.message.id))
