"""People who look for a game: the button that puts them on a list, and the calls to tables that stay open for an hour.

Seekers are also called to vacant seats: see `choose_for_seat`. The list is in the table "seekers"; "tables_called"
notes to which tables people have been called.
"""

from __future__ import annotations

from collections.abc import Sequence

import discord

from bot.core.clock import DAY, HOUR
from bot.core.match import Match
from bot.discordkit.components import Button, Family
from bot.discordkit.permissions import Obstacle, obstacle_of, timeout_trouble
from bot.discordkit.reply import Interaction, make_view, now, send_answer, think_beside
from bot.play.announcing.outbox import UNSENT_ERRORS, best_effort
from bot.play.caller import Caller, caller_of
from bot.play.context import Action, BotContext, Post, action_button, pinging_only
from bot.play.known_servers import may_see_game
from bot.play.service import Service
from bot.store import seekers
from bot.texts.i18n import Language, join_list, text
from bot.texts.people import mention_users
from bot.texts.sentences import message_url, variant_name

# The list and its button


async def add_seeker(service: Service, guild: int, user: int) -> None:
    """Puts the user on the list of that server."""
    async with service.store.write_transaction() as tx:
        await tx.save_row("seekers", {"guild": guild, "user": user}, {})


SEEK_BUTTONS = Family("rt", Action)


def seek_button(locale: Language, *, looking: bool = False) -> Button:
    """Returns the button that puts a person on the list of seekers; for a person on it, the one that takes them off."""
    return action_button(locale, "seek-no-more" if looking else "seek")


async def own_seek_button(caller: Caller) -> Button:
    """Returns the button of a person in a server."""
    return seek_button(
        caller.locale, looking=await seekers.is_looking(caller.service.reader, caller.guild, caller.user)
    )


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
    async with caller.service.store.write_transaction() as tx:
        await seekers.remove_seeker(tx, caller.guild, caller.user)
    await send_answer(interaction, text(caller.locale, "seek.off"))


# Calls

CALL_AFTER_S = HOUR
"""Seconds for which a table stays open before anybody is called."""

CALL_UNTIL_S = DAY
"""Age in seconds from which nobody is called to a table any more, such as one that waited while the bot was away."""

TABLE_RECHECK_S = HOUR
"""Seconds after which a table is tried again whose call was refused, or could be read by nobody on the list."""

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
    users = await seekers.seekers_in_turn(service.reader, match, now)
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
    users = await seekers.seekers_in_turn(context.service.reader, match, at)
    if users and guild:
        with best_effort("seekers not called", match=match.id):
            callees = await _find_callees(context, match, guild, users)
            await note_table_called(context.service, match, callees, at)
    return callees


async def tables_to_fill(service: Service, now: int) -> list[Match]:
    """Returns the tables that have been open for an hour with a free seat, and to which nobody has been called."""
    tables = list[Match]()
    for match_id in await seekers.tables_not_called(service.reader, now - CALL_UNTIL_S):
        if not 0 <= now - service.tables_looked_at.get(match_id, 0) < TABLE_RECHECK_S:
            with service.attempts.contain_failures("seekers", game=match_id):
                tables.append(await service.load_match(service.reader, match_id))
    return [match for match in tables if match.free_seats > 0 and match.table.created <= now - CALL_AFTER_S]


async def note_table_called(service: Service, match: Match, users: Sequence[int], now: int) -> None:
    """Notes that people have been called to the table, which happens once. If nobody could be, it is tried again
    later.
    """
    if users:
        async with service.store.write_transaction() as tx:
            await seekers.note_called(tx, match, users, now)
    else:
        service.tables_looked_at[match.id] = now


async def _find_callees(context: BotContext, match: Match, guild: discord.Guild, users: Sequence[int]) -> list[int]:
    """Returns those among the users who may see the game, at most `MAX_SEEKERS_CALLED`. Takes those who have left the
    server off the list. Raises ConnectionError if Discord does not say who is there.
    """
    members = await context.names.fetch_members(match.guild, users)
    if departed := {*users} - {*members}:
        async with context.service.store.write_transaction() as tx:
            for user in departed:
                await seekers.remove_seeker(tx, match.guild, user)
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
