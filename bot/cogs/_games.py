"""The list of somebody's games."""

from __future__ import annotations

from collections.abc import Sequence

from bot.i18n import Language, text
from bot.store import Summary
from bot.words import mention, variant_name

LONGEST = 1900
"""Characters of the list, the line that counts the rest included."""


def games_text(locale: Language, guild: int, user: int, viewer: int, games: Sequence[Summary]) -> str:
    """The games of `user` as `viewer` reads them, with links to their last boards, as many as fit."""
    own = user == viewer
    if not games:
        return text(locale, "games.none-own" if own else "games.none-other", player=mention(user))
    lines = [f"**{text(locale, 'games.title-own' if own else 'games.title-other', player=mention(user))}**"]
    room = LONGEST - len(lines[0])
    for left, summary in zip(range(len(games), 0, -1), games, strict=True):
        line = _line(locale, guild, viewer, summary)
        more = text(locale, "games.more", count=left)
        if len(line) + len(more) + 2 > room:
            lines.append(more)
            break
        lines.append(line)
        room -= len(line) + 1
    return "\n".join(lines)


def _line(locale: Language, guild: int, viewer: int, summary: Summary) -> str:
    assert summary.to_move is not None
    mine = summary.to_move == viewer
    turn = text(
        locale,
        "games.turn-own" if mine else "games.turn",
        player=mention(summary.to_move),
        since=f"<t:{summary.moved_at}:R>",
    )
    link = f"<#{summary.where}>"
    if summary.turn:
        address = f"https://discord.com/channels/{guild}/{summary.turn.channel}/{summary.turn.message}"
        link = f"[{text(locale, 'games.board')}]({address})"
    return text(
        locale,
        "games.line",
        mark="▶️" if mine else "•",
        id=summary.id,
        variant=variant_name(locale, summary.variant),
        players=", ".join(map(mention, summary.players)),
        number=summary.ply + 1,
        turn=turn,
        where=link,
    )
