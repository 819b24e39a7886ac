"""The message of a table, which offers the game until all seats are taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

import discord

from bot.core.events import Seating
from bot.core.house_seats import is_person
from bot.core.match import Match, MessageRef, Phase
from bot.discordkit.components import Button
from bot.discordkit.permissions import CannotPost, trouble_at
from bot.discordkit.reply import RESOLVED, make_view
from bot.play.announcing.outbox import UNSENT_ERRORS, send_with_retries
from bot.play.announcing.telling import set_position_lines
from bot.play.context import BotContext, Post, action_button, pinging_only
from bot.play.seeking import seek_button
from bot.play.service import Service
from bot.play.service.tables import withdraw_table
from bot.store.people import load_people
from bot.store.results import latest_finishes
from bot.texts.i18n import Language, join_list, plural_text, text
from bot.texts.markup import relative_time
from bot.texts.people import mention_user, mention_users
from bot.texts.sentences import message_url, side_values, terms_text, variant_name
from rules import Seat


def table_text(locale: Language, match: Match, reliability: Mapping[int, str] | None = None) -> str:
    """Returns the current text of the table's message. `reliability`: as from `tell_reliability`."""
    if match.phase is Phase.OVER:
        return result_text(locale, match)
    title = text(locale, "table.title", variant=variant_name(locale, match.variant), id=match.id)
    host = mention_user(match.table.host, locale)
    if match.phase is Phase.CLOSED:
        key = "table.expired" if match.table.expired else "table.cancelled"
        return f"{title}\n{text(locale, key, host=host)}"
    if match.phase is not Phase.OPEN:
        players = players_by_colour(locale, match)
        lines = [title, text(locale, "table.started", players=players), *set_position_lines(locale, match)]
        if match.place.thread:
            lines.append(text(locale, "table.thread", thread=f"<#{match.place.thread}>"))
        return "\n".join(lines)
    offer, seats = _invitation_lines(locale, match), _seat_lines(locale, match, reliability or {})
    return "\n".join([title, *offer, *seats, *_small_print_lines(locale, match)])


async def load_table_text(context: BotContext, locale: Language, match: Match) -> str:
    """Returns the current text of the table's message, which mentions only the invited people: while it is open, with
    how reliable the people there are; after the end, with the way to the last board.
    """
    users = match.table.joined if match.phase is Phase.OPEN else ()
    words = table_text(locale, match, await tell_reliability(context.service, locale, match.guild, users))
    board = (await context.service.reader.load_posts(match.id)).turn if match.phase is Phase.OVER else None
    words += f"\n{text(locale, 'table.result', where=message_url(match.guild, board))}" if board else ""
    return await context.names.spell_names(match.guild, words, match.table.invited)


GAMES_FOR_RELIABILITY = 20
"""The last games of a person that say how reliable they are."""
FEW_GAMES = 3
"""Somebody with fewer games is new."""


async def tell_reliability(service: Service, locale: Language, guild: int, users: Sequence[int]) -> dict[int, str]:
    """Returns how many of their last games in that server each of these people finished, in words; without bots."""
    words = dict[int, str]()
    for user, person in (await load_people(service.reader, filter(is_person, users))).items():
        finishes = await latest_finishes(service.reader, guild, user, GAMES_FOR_RELIABILITY)
        key = "private" if not person.settings.public else "new" if len(finishes) < FEW_GAMES else "finished"
        words[user] = text(locale, f"reliability.{key}", finished=sum(finishes), played=len(finishes))
    return words


async def update_table(context: BotContext, match: Match) -> int | None:
    """Updates the table's message, and the one with which a forum post of the game begins. Returns one of them."""
    locale, thread = context.server_language(match.guild), context.client.get_channel(match.place.thread or 0)
    in_forum = isinstance(thread, discord.Thread) and isinstance(thread.parent, discord.ForumChannel)
    own, first = (await context.service.reader.load_posts(match.id)).table, match.place.thread if in_forum else None
    places = [*([own] if own else []), *([MessageRef(first, first)] if first else [])]
    if not places:
        return None
    content = await load_table_text(context, locale, match)
    view = make_view(*table_buttons(context, locale, match))
    for place in places:
        with suppress(discord.NotFound):  # somebody has deleted it; the other one may stand
            await context.partial_message(place).edit(content=content, view=view, allowed_mentions=RESOLVED)
    return places[0].message


def table_buttons(context: BotContext, locale: Language, match: Match) -> list[Button]:
    """Returns the buttons of an open table; none for any other."""
    if match.phase is not Phase.OPEN:
        return []
    return [
        action_button(locale, "join", primary=True, match=match.id),
        *([action_button(locale, "house", match=match.id)] if context.has_house(match.guild) else []),
        action_button(locale, "leave", match=match.id),
        *([action_button(locale, "decline", match=match.id)] if match.table.invited else []),
        action_button(locale, "cancel", danger=True, match=match.id),
        *([seek_button(locale)] if match.free_seats else []),
    ]


async def post_table(context: BotContext, match: Match) -> MessageRef:
    """Posts the table's message, which calls the invited people. Raises what discord.py raises."""
    locale, nonce = context.server_language(match.guild), f"{match.table.created:x}:{match.id}:t"
    content, buttons = await load_table_text(context, locale, match), table_buttons(context, locale, match)
    ping = pinging_only(match.table.invited)
    sent = await send_with_retries(context, Post(match.place.channel, match.guild, content, nonce, ping, buttons))
    post = MessageRef(match.place.channel, sent.id)
    async with context.service.store.write_transaction() as tx:
        await tx.set_table_post(match.id, post)
    return post


async def post_or_withdraw_table(context: BotContext, match: Match) -> MessageRef:
    """Posts the message of a new table. Withdraws the table and raises CannotPost if that fails."""
    try:
        return await post_table(context, match)
    except UNSENT_ERRORS as error:
        await withdraw_table(context.service, match.id)
        raise CannotPost(trouble_at(context.client, match.guild, match.place.channel, error)) from error


def players_by_colour(locale: Language, match: Match) -> str:
    """Returns who plays which colour, in turn order."""
    players = [
        text(locale, "turn.player", player=mention_user(player, locale), **side_values(locale, match.variant, seat))
        for seat, player in enumerate(match.players)
    ]
    return join_list(locale, players)


def result_text(locale: Language, match: Match) -> str:
    """Returns who has won a game that is over, with all its players: one line on a phone, if the names are short."""
    assert match.outcome is not None
    winners, sides = match.outcome.winners, [side_values(locale, match.variant, seat) for seat in match.variant.seats]

    def list_players(of: Callable[[Seat], bool]) -> str:
        seats = {seat: _player_and_leaving(locale, match, seat) for seat in match.variant.seats if of(seat)}
        return join_list(locale, [f"{sides[seat]['emblem']} {player}" for seat, player in seats.items()])

    if not match.has_result:
        result = text(locale, "end.no-result", players=list_players(lambda _: True))
    elif winners:
        players, others = list_players(lambda seat: seat in winners), list_players(lambda seat: seat not in winners)
        result = plural_text(locale, "end.winner", len(winners), players=players, others=others)
    else:
        left = list_players(lambda seat: match.players[seat] in match.resigned_users)
        drawn = list_players(lambda seat: match.players[seat] not in match.resigned_users)
        result = text(locale, "end.draw-left" if left else "end.draw", players=drawn, left=left)
    return text(locale, "end.over", result=result, variant=variant_name(locale, match.variant), id=match.id)


def _player_and_leaving(locale: Language, match: Match, seat: Seat) -> str:
    """Returns the player of that seat; in games of three also who left it and how, or that it has no pieces left."""
    user, player = match.players[seat], mention_user(match.players[seat], locale)
    left = {leaver.seat: leaver for leaver in match.roster.leavers}.get(seat)
    if left is None or len(match.variant.seats) == 2:
        is_out = len(match.variant.seats) > 2 and not match.started_game.position.count_pieces(seat)
        return text(locale, "end.no-pieces", player=player) if is_out else player
    key = f"end.left.{left.cause}" if left.user == user else f"end.replaced.{left.cause}"
    return text(locale, key, player=player, leaver=mention_user(left.user, locale))


def _invitation_lines(locale: Language, match: Match) -> list[str]:
    host = mention_user(match.table.host, locale)
    lines = [text(locale, "table.open", host=host)]
    if match.table.invited:
        key = "table.some-open" if match.free_seats else "table.invites"
        lines = [text(locale, key, host=host, guests=join_list(locale, mention_users(locale, match.table.invited)))]
    lines += [text(locale, "table.declined", player=mention_user(user, locale)) for user in match.table.declined]
    return lines


def _seat_lines(locale: Language, match: Match, reliability: Mapping[int, str]) -> list[str]:
    taken = [
        ("table.seat-host" if user == match.table.host else "table.seat-joined", user) for user in match.table.joined
    ]
    waiting = [("table.seat-invited", user) for user in match.table.invited]
    lines = list[str]()
    for number, (key, user) in enumerate([*taken, *waiting], start=1):
        seat, known = text(locale, key, number=number, player=mention_user(user, locale)), reliability.get(user)
        lines.append(f"{seat} · {known}" if known else seat)
    free = range(len(lines) + 1, len(match.variant.armies) + 1)
    return lines + [text(locale, "table.seat-free", number=number) for number in free]


def _small_print_lines(locale: Language, match: Match) -> list[str]:
    seats, chosen = f"table.{match.terms.seating.value}", match.terms.seating is Seating.CHOSEN
    own = side_values(locale, match.variant, match.terms.order.index(match.table.host)) if chosen else {}
    lines = [
        terms_text(locale, match.terms.pace, vacations=match.terms.vacations),
        text(locale, seats, host=mention_user(match.table.host, locale), id=match.terms.rematch_of, **own),
        text(locale, "table.until", when=relative_time(match.table.expires_at)),
    ]
    if promised := match.table.house_promise:
        when, level = relative_time(promised.until), text(locale, f"level.{promised.level}")
        lines.append(text(locale, "house.will-sit", when=when, level=level))
    return [f"-# {line}" for line in lines]
