"""What a referee is told of somebody's games: what stood out, never what it means. Only he reads it."""

from __future__ import annotations

import asyncio

from bot.cogs._answers.options import where
from bot.cogs._answers.reply import Press, reader
from bot.cogs._answers.sheets import fitting
from bot.cogs._looking import address
from bot.i18n import Language, plural, text
from bot.ladder.fair_play import Hint, hints
from bot.match import Match
from bot.words import colour, emblem, mention

SHOWN_PLIES = 8


async def hints_text(press: Press, user: int) -> str:
    """The hints in the player's last games, one a line. Each game takes tenths of a second, in a thread."""
    guild, _ = where(press)
    locale, service = reader(press), press.client.service
    matches = await service.hints_of(guild, user)
    lines = []
    for match in matches:
        found = await asyncio.to_thread(hints, match.variant, match.steps)
        url = await address(press.client, match)
        lines += [_line(locale, match, hint, url) for hint in found if held(match, user, hint)]
    key = "hints.title" if lines else "hints.none"
    title = text(locale, key, player=mention(user, locale), looked=plural(locale, "hints.looked", len(matches)))
    return fitting([title, *lines])


def held(match: Match, user: int, hint: Hint) -> bool:
    """Whether it was that user who made the moves: he held the seat to the end, and had it from the beginning."""
    late = any(one.seat == hint.seat for one in match.substitutes)
    return match.players[hint.seat] == user and not late


def _line(locale: Language, match: Match, hint: Hint, url: str | None) -> str:
    variant, seat = match.variant, hint.seat
    plies = [str(ply) for ply in hint.plies[:SHOWN_PLIES]] + (["…"] if len(hint.plies) > SHOWN_PLIES else [])
    return text(
        locale,
        f"hints.{hint.sign.value}",
        number=f"[#{match.id}]({url})" if url else f"#{match.id}",
        variant=text(locale, f"variant.{variant.key}"),
        emblem=emblem(variant, seat),
        colour=colour(locale, variant, seat),
        neighbour=colour(locale, variant, hint.neighbour) if hint.neighbour is not None else "",
        moves=plural(locale, "hints.moves", len(hint.plies), plies=", ".join(plies)),
    )
