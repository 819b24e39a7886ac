"""The table: the message with which a game is offered, from the invitation until everybody sits."""

from __future__ import annotations

from discord.ui import View

from bot.kit.components import Button, button, row
from bot.kit.permissions import CannotPost, trouble_at
from bot.kit.reply import calling
from bot.match.events import Seating
from bot.match.match import Match, Phase
from bot.match.results import Post
from bot.posting.desk import Desk
from bot.posting.outbox import UNSENT, insist
from bot.posting.seeking import seek_button
from bot.texts.clocks import instant, terms_text
from bot.texts.i18n import Language, join, text
from bot.texts.sentences import mention, mentions, side, variant_name


def table_text(locale: Language, match: Match, *, expired: bool = False) -> str:
    """What the table's message says as things stand; `expired` tells a closed table from a cancelled one."""
    title = text(locale, "table.title", variant=variant_name(locale, match.variant), id=match.id)
    host = mention(match.host, locale)
    if match.phase is Phase.CLOSED:
        key = "table.expired" if expired else "table.cancelled"
        return f"{title}\n{text(locale, key, host=host)}"
    if match.phase is not Phase.OPEN:
        lines = [title, text(locale, "table.started", players=seated(locale, match))]
        if match.thread:
            lines.append(text(locale, "table.thread", thread=f"<#{match.thread}>"))
        return "\n".join(lines)
    return "\n".join([title, *_invitation(locale, match), *_seats(locale, match), *_small_print(locale, match)])


def table_view(locale: Language, match: Match, *, house: bool) -> View | None:
    """The table's buttons while it is open; `house`: whether the server has house players."""
    shown = table_buttons(locale, match, house=house)
    return row(*shown) if shown else None


def table_buttons(locale: Language, match: Match, *, house: bool) -> list[Button]:
    """Those buttons, one by one."""
    if match.phase is not Phase.OPEN:
        return []
    shown = [button(locale, "join", primary=True, match=match.id), button(locale, "leave", match=match.id)]
    if match.invited:
        shown.append(button(locale, "decline", match=match.id))
    if house:
        shown.insert(1, button(locale, "house", match=match.id))
    shown.append(button(locale, "cancel", danger=True, match=match.id))
    return [*shown, seek_button(locale)] if match.free_seats else shown


async def post_table(desk: Desk, match: Match) -> Post:
    """Post the table, by which the others are called. Without a post there is no table. Raises CannotPost."""
    locale, nonce = desk.language(match.guild), f"{match.created:x}:{match.id}:t"
    house = desk.servers.settings(match.guild).has_house
    said, shown = table_text(locale, match), table_buttons(locale, match, house=house)
    try:
        sent = await insist(
            lambda: desk.send(match.channel, said, nonce, guild=match.guild, ping=calling(match.invited), buttons=shown)
        )
    except UNSENT as error:
        await desk.service.withdraw(match.id)
        raise CannotPost(trouble_at(desk.client, match.guild, match.channel, error)) from error
    await desk.service.set_table_message(match.id, match.channel, sent.id)
    return Post(match.channel, sent.id)


def seated(locale: Language, match: Match) -> str:
    """Who plays which colour, in turn order."""
    players = [
        text(locale, "turn.player", player=mention(player, locale), **side(locale, match.variant, seat))
        for seat, player in enumerate(match.players)
    ]
    return join(locale, players)


def _invitation(locale: Language, match: Match) -> list[str]:
    host = mention(match.host, locale)
    lines = [text(locale, "table.open", host=host)]
    if match.invited:
        key = "table.some-open" if match.free_seats else "table.invites"
        lines = [text(locale, key, host=host, guests=join(locale, mentions(locale, match.invited)))]
    lines += [text(locale, "table.declined", player=mention(user, locale)) for user in match.declined]
    return lines


def _seats(locale: Language, match: Match) -> list[str]:
    taken = [("table.seat-host" if user == match.host else "table.seat-joined", user) for user in match.joined]
    waiting = [("table.seat-invited", user) for user in match.invited]
    lines = [
        text(locale, key, number=number, player=mention(user, locale))
        for number, (key, user) in enumerate([*taken, *waiting], start=1)
    ]
    free = range(len(lines) + 1, len(match.variant.armies) + 1)
    return lines + [text(locale, "table.seat-free", number=number) for number in free]


def _small_print(locale: Language, match: Match) -> list[str]:
    seats, chosen = f"table.{match.seating.value}", match.seating is Seating.CHOSEN
    own = side(locale, match.variant, match.order.index(match.host)) if chosen else {}
    lines = [
        terms_text(locale, match.pace, vacations=match.vacations),
        text(locale, seats, host=mention(match.host, locale), id=match.after, **own),
        text(locale, "table.until", when=instant(match.expires)),
    ]
    if match.promised:
        when, level = instant(match.promised.until), text(locale, f"level.{match.promised.level}")
        lines.append(text(locale, "house.will-sit", when=when, level=level))
    return [f"-# {line}" for line in lines]
