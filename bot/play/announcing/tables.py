"""The table: the message that offers a game, from the invitation until all seats are taken."""

from __future__ import annotations

from discord.ui import View

from bot.core.events import Seating
from bot.core.listings import MessageRef
from bot.core.match import Match, Phase
from bot.discordkit.components import Button, make_view
from bot.discordkit.permissions import CannotPost, trouble_at
from bot.play.announcing.outbox import UNSENT_ERRORS, post_with_retries
from bot.play.announcing.pinging import pinging_only
from bot.play.context import BotContext, ButtonPlace, feature_buttons
from bot.play.shared_components import action_button
from bot.texts.i18n import Language, join_list, text
from bot.texts.markup import relative_time
from bot.texts.people import mention_user, mention_users
from bot.texts.sentences import side_values, terms_text, variant_name


def table_text(locale: Language, match: Match) -> str:
    """Returns the current text of the table's message."""
    title = text(locale, "table.title", variant=variant_name(locale, match.variant), id=match.id)
    host = mention_user(match.host, locale)
    if match.phase is Phase.CLOSED:
        key = "table.expired" if match.expired else "table.cancelled"
        return f"{title}\n{text(locale, key, host=host)}"
    if match.phase is not Phase.OPEN:
        lines = [title, text(locale, "table.started", players=players_by_colour(locale, match))]
        if match.thread:
            lines.append(text(locale, "table.thread", thread=f"<#{match.thread}>"))
        return "\n".join(lines)
    return "\n".join(
        [title, *_invitation_lines(locale, match), *_seat_lines(locale, match), *_small_print_lines(locale, match)]
    )


def table_view(context: BotContext, locale: Language, match: Match) -> View | None:
    """Returns the buttons of an open table, else None."""
    buttons = table_buttons(context, locale, match)
    return make_view(*buttons) if buttons else None


def table_buttons(context: BotContext, locale: Language, match: Match) -> list[Button]:
    """Returns the same buttons as a list."""
    if match.phase is not Phase.OPEN:
        return []
    buttons = [
        action_button(locale, "join", primary=True, match=match.id),
        action_button(locale, "leave", match=match.id),
    ]
    if match.invited:
        buttons.append(action_button(locale, "decline", match=match.id))
    if context.has_house(match.guild):
        buttons.insert(1, action_button(locale, "house", match=match.id))
    buttons.append(action_button(locale, "cancel", danger=True, match=match.id))
    if match.free_seats:
        buttons += feature_buttons(context.features, locale, match, ButtonPlace.TABLE)
    return buttons


async def post_table(context: BotContext, match: Match, locale: Language | None = None) -> MessageRef:
    """Posts the table, in that language or the server's, and calls the invited people. Withdraws the table if the post
    fails. Raises CannotPost.
    """
    locale, nonce = locale or context.server_language(match.guild), f"{match.created:x}:{match.id}:t"
    content, buttons = table_text(locale, match), table_buttons(context, locale, match)
    try:
        sent = await post_with_retries(
            lambda: context.send_message(
                match.channel, content, nonce, guild=match.guild, ping=pinging_only(match.invited), buttons=buttons
            ),
            context.timings,
        )
    except UNSENT_ERRORS as error:
        await context.service.withdraw_table(match.id)
        raise CannotPost(trouble_at(context.client, match.guild, match.channel, error)) from error
    await context.service.set_table_message(match.id, match.channel, sent.id)
    return MessageRef(match.channel, sent.id)


def players_by_colour(locale: Language, match: Match) -> str:
    """Returns who plays which colour, in turn order."""
    players = [
        text(locale, "turn.player", player=mention_user(player, locale), **side_values(locale, match.variant, seat))
        for seat, player in enumerate(match.players)
    ]
    return join_list(locale, players)


def _invitation_lines(locale: Language, match: Match) -> list[str]:
    host = mention_user(match.host, locale)
    lines = [text(locale, "table.open", host=host)]
    if match.invited:
        key = "table.some-open" if match.free_seats else "table.invites"
        lines = [text(locale, key, host=host, guests=join_list(locale, mention_users(locale, match.invited)))]
    lines += [text(locale, "table.declined", player=mention_user(user, locale)) for user in match.declined]
    return lines


def _seat_lines(locale: Language, match: Match) -> list[str]:
    taken = [("table.seat-host" if user == match.host else "table.seat-joined", user) for user in match.joined]
    waiting = [("table.seat-invited", user) for user in match.invited]
    lines = [
        text(locale, key, number=number, player=mention_user(user, locale))
        for number, (key, user) in enumerate([*taken, *waiting], start=1)
    ]
    free = range(len(lines) + 1, len(match.variant.armies) + 1)
    return lines + [text(locale, "table.seat-free", number=number) for number in free]


def _small_print_lines(locale: Language, match: Match) -> list[str]:
    seats, chosen = f"table.{match.seating.value}", match.seating is Seating.CHOSEN
    own = side_values(locale, match.variant, match.order.index(match.host)) if chosen else {}
    lines = [
        terms_text(locale, match.pace, vacations=match.vacations),
        text(locale, seats, host=mention_user(match.host, locale), id=match.rematch_of, **own),
        text(locale, "table.until", when=relative_time(match.expires_at)),
    ]
    if match.house_promise:
        when, level = relative_time(match.house_promise.until), text(locale, f"level.{match.house_promise.level}")
        lines.append(text(locale, "house.will-sit", when=when, level=level))
    return [f"-# {line}" for line in lines]
