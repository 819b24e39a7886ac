"""People who look for a game: the button that puts them on a list, and the calls to tables that stay open for an hour.

The list is in the table "seekers"; "tables_called" notes to which tables people have been called. `feature.py` says
where the bot uses the functions of this module.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import discord

from bot.core.clock import DAY, HOUR
from bot.core.match import Match
from bot.discordkit.components import Button, Family
from bot.discordkit.permissions import Obstacle, obstacle_of, timeout_trouble
from bot.discordkit.reply import Interaction, make_view, now, send_answer, think_beside
from bot.play.announcing.calls import may_see_game
from bot.play.announcing.outbox import UNSENT_ERRORS, best_effort
from bot.play.caller import caller_of
from bot.play.context import Action, BotContext, ButtonPlace, Notes, PersonShown, Post, action_button, pinging_only
from bot.play.service import Service
from bot.store import Reader
from bot.store import people as people_store
from bot.texts.i18n import Language, join_list, text
from bot.texts.people import mention_users
from bot.texts.sentences import message_url, variant_name

# The list and its button


async def add_seeker(service: Service, guild: int, user: int) -> None:
    """Puts the user on the list of that server."""
    async with service.store.write_transaction() as tx:
        await tx.save_row("seekers", {"guild": guild, "user": user}, {})


async def remove_seeker(service: Service, guild: int, user: int) -> None:
    """Takes the user off the list of that server."""
    async with service.store.write_transaction() as tx:
        await tx.run_sql("DELETE FROM seekers WHERE guild = ? AND user = ?", (guild, user))


async def is_looking(reader: Reader, guild: int, user: int) -> bool:
    """Returns True if the user is on the list of that server."""
    return bool(await reader.read_column("SELECT 1 FROM seekers WHERE guild = ? AND user = ?", (guild, user)))


async def export_person(reader: Reader, user: int) -> Mapping[str, object]:
    """Returns the user's places on lists, ready for JSON."""
    servers = await reader.read_column("SELECT guild FROM seekers WHERE user = ? ORDER BY guild", (user,))
    return {"looking_for_a_game_in": [str(guild) for guild in servers]}


SEEK_BUTTONS = Family("rt", Action)


def seek_button(locale: Language, *, looking: bool = False) -> Button:
    """Returns the button that puts a person on the list of seekers; for a person on it, the one that takes them off."""
    return action_button(locale, "seek-no-more" if looking else "seek")


def seek_buttons_at(locale: Language, match: Match, place: ButtonPlace) -> Sequence[Button]:
    """Returns the button below a table with a free seat."""
    return (seek_button(locale),) if place is ButtonPlace.TABLE else ()


async def add_seek_button(context: BotContext, locale: Language, about: object, notes: Notes) -> Notes:
    """Adds the button below a person's own games, first."""
    if not isinstance(about, PersonShown) or not about.is_reader:
        return notes
    looking = await is_looking(context.service.reader, about.guild, about.user)
    return notes._replace(buttons=[seek_button(locale, looking=looking), *notes.buttons])


@SEEK_BUTTONS.register_handler("seek", first=think_beside)
async def start_seeking(interaction: Interaction, action: Action) -> None:
    """Puts the person on the list of seekers, who are called to tables that stay open. Everybody presses the same
    public button, so it takes nobody off the list.
    """
    caller = caller_of(interaction)
    await add_seeker(caller.service, caller.guild, caller.user)
    stop = make_view(seek_button(caller.locale, looking=True))
    await send_answer(interaction, text(caller.locale, "seek.on"), view=stop)


@SEEK_BUTTONS.register_handler("seek-no-more", first=think_beside)
async def stop_seeking(interaction: Interaction, action: Action) -> None:
    """Takes the person off the list of seekers."""
    caller = caller_of(interaction)
    await remove_seeker(caller.service, caller.guild, caller.user)
    await send_answer(interaction, text(caller.locale, "seek.off"))


# Calls

CALL_AFTER_S = HOUR
"""Seconds for which a table stays open before anybody is called."""

CALL_UNTIL_S = DAY
"""Age in seconds from which nobody is called to a table any more, such as one that waited while the bot was away."""

SEEKER_REST_S = DAY
"""Seconds for which a user is not called again."""

TABLE_RECHECK_S = HOUR
"""Seconds after which a table is tried again whose call was refused, or could be read by nobody on the list."""

MAX_SEEKERS_CONSIDERED = 100
"""People among whom the called ones are chosen: they must be in the server and able to see the table."""

MAX_SEEKERS_CALLED = 25
"""People called to one table."""


async def call_seekers(context: BotContext, now: int) -> None:
    """Calls seekers to every table that waits for them, each once. Trouble with one table does not hold
    up the others.
    """
    attempts = context.service.attempts
    with attempts.contain_failures("seekers"):
        for match in await tables_to_fill(context.service, now):
            with attempts.contain_failures("seekers", game=match.id):
                await _call_to_table(context, match, now)


async def _call_to_table(context: BotContext, match: Match, now: int) -> None:
    """Calls seekers to the table, and notes it. A table that nobody on the list may see, or whose channel takes no
    post, is tried again after `TABLE_RECHECK_S`; during an outage, or while nobody is free, at each tick.
    """
    service = context.service
    users = await seekers_in_turn(service.reader, match, now)
    guild = context.client.get_guild(match.guild)
    channel = guild.get_channel_or_thread(match.place.thread_or_channel) if guild else None
    if not users or guild is None or channel is None or timeout_trouble(guild, channel.id):
        return
    is_private = isinstance(channel, discord.Thread) and channel.is_private()
    try:
        callees = [] if is_private else await _find_callees(context, match, guild, users)
        if callees:
            await _post_call(context, match, callees)
    except UNSENT_ERRORS as error:
        if obstacle_of(error) is Obstacle.OUTAGE:
            return
        callees = []
    await note_table_called(service, match, callees, now)


async def choose_for_seat(context: BotContext, match: Match) -> Sequence[int]:
    """Returns the seekers to call to a vacant seat, in turn and as often as to a table, and notes them as called."""
    guild, at, callees = context.client.get_guild(match.guild), now(), list[int]()
    users = await seekers_in_turn(context.service.reader, match, at)
    if users and guild:
        with best_effort("seekers not called", match=match.id):
            callees = await _find_callees(context, match, guild, users)
            await note_table_called(context.service, match, callees, at)
    return callees


async def tables_to_fill(service: Service, now: int) -> list[Match]:
    """Returns the tables that have been open for an hour with a free seat, and to which nobody has been called."""
    tables = list[Match]()
    waiting = await service.reader.read_column(
        "SELECT id FROM matches WHERE guild IN (SELECT guild FROM seekers) AND phase = 'open'"
        " AND (SELECT at FROM events WHERE match = id AND seq = 1) >= ?"
        " AND NOT EXISTS (SELECT 1 FROM tables_called WHERE match = id) ORDER BY id",
        (now - CALL_UNTIL_S,),
    )
    for match_id in waiting:
        if not 0 <= now - service.tables_looked_at.get(match_id, 0) < TABLE_RECHECK_S:
            with service.attempts.contain_failures("seekers", game=match_id):
                tables.append(await service.load_match(service.reader, match_id))
    return [match for match in tables if match.free_seats > 0 and match.table.created <= now - CALL_AFTER_S]


async def seekers_in_turn(reader: Reader, match: Match, now: int) -> list[int]:
    """Returns the people who may be called to that table or game, the longest waiting first.

    Leaves out people who sit there or did, are invited, have declined, are on vacation, or are apart from somebody
    there.
    """
    table, roster = match.table, match.roster
    left_out = {table.host, *table.joined, *table.invited, *table.declined, *match.players}
    left_out |= {leaver.user for leaver in roster.leavers} | {taken.instead for taken in roster.substitutes}
    seekers = await reader.read_column(
        "SELECT user FROM seekers WHERE guild = ? AND called_at <= ? ORDER BY called_at, user LIMIT ?",
        (match.guild, now - SEEKER_REST_S, MAX_SEEKERS_CONSIDERED),
    )
    people = await people_store.load_people(reader, seekers)
    away = [user for user, person in people.items() if any(start <= now < end for start, end in person.vacations)]
    apart = await people_store.people_apart(reader, seekers, match.people_in or table.joined)
    return [user for user in seekers if user not in {*left_out, *away, *apart}]


async def note_table_called(service: Service, match: Match, users: Sequence[int], now: int) -> None:
    """Notes that people have been called to the table, which happens once. If nobody could be, it is tried again
    later.
    """
    async with service.store.write_transaction() as tx:
        if users:
            await tx.save_row("tables_called", {"match": match.id}, {})
        await tx.run_sql(
            "UPDATE seekers SET called_at = ? WHERE guild = ? AND user IN (SELECT value FROM json_each(?))",
            (now, match.guild, json.dumps([*users])),
        )
    if not users:
        service.tables_looked_at[match.id] = now


async def _find_callees(context: BotContext, match: Match, guild: discord.Guild, users: Sequence[int]) -> list[int]:
    """Returns those among the users who may see the game, at most `MAX_SEEKERS_CALLED`. Takes those who have left the
    server off the list. Raises ConnectionError if Discord does not say who is there.
    """
    members = await context.names.fetch_members(match.guild, users)
    for departed in {*users} - {*members}:
        await remove_seeker(context.service, match.guild, departed)
    callees = [user for user in users if user in members and may_see_game(guild, members[user], match)]
    return callees[:MAX_SEEKERS_CALLED]


async def _post_call(context: BotContext, match: Match, users: list[int]) -> None:
    locale = context.server_language(match.guild)
    post = (await context.service.reader.load_posts(match.id)).table
    url = message_url(match.guild, post) if post else ""
    content = text(
        locale,
        "seek.call" if post else "seek.call-here",
        variant=variant_name(locale, match.variant),
        id=match.id,
        players=join_list(locale, mention_users(locale, users)),
        url=url,
    )
    nonce = f"s{match.table.created:x}:{match.id}"  # after a crash before the note, Discord drops the repeat
    await context.send_post(
        Post(match.place.thread_or_channel, match.guild, content, nonce, pinging_only(users), [seek_button(locale)])
    )
