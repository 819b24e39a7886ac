"""The list of somebody's games."""

from __future__ import annotations

from collections.abc import Sequence

from bot.cogs._clocks import instant
from bot.i18n import Language, text
from bot.store import Summary
from bot.words import mention, mentions, titled

LONGEST = 1900
"""Characters of the list, the line that counts the rest included."""


def games_text(locale: Language, guild: int, user: int, viewer: int, games: Sequence[Summary], now: int) -> str:
    """The games of `user` as `viewer` reads them, with links to their last boards, as many as fit."""
    own = user == viewer
    if not games:
        return text(locale, "games.none-own" if own else "games.none-other", player=mention(user, locale))
    lines = [f"**{text(locale, 'games.title-own' if own else 'games.title-other', player=mention(user, locale))}**"]
    room = LONGEST - len(lines[0])
    for left, summary in zip(range(len(games), 0, -1), games, strict=True):
        line = _line(locale, guild, viewer, summary, now)
        more = text(locale, "games.more", count=left)
        if len(line) + len(more) + 2 > room:
            lines.append(more)
            break
        lines.append(line)
        room -= len(line) + 1
    return "\n".join(lines)


def _line(locale: Language, guild: int, viewer: int, summary: Summary, now: int) -> str:
    mine = summary.to_move == viewer
    link = f"<#{summary.where}>"
    if summary.turn:
        address = f"https://discord.com/channels/{guild}/{summary.turn.channel}/{summary.turn.message}"
        link = f"[{text(locale, 'games.board')}]({address})"
    return text(
        locale,
        "games.line",
        mark="▶️" if mine else "•",
        id=summary.id,
        variant=titled(locale, summary.variant, summary.title),
        players=", ".join(mentions(locale, summary.players)),
        number=summary.ply + 1,
        turn=_turn(locale, viewer, summary, now),
        where=text(locale, "games.homeless", id=summary.id) if summary.homeless else link,
    )


def _turn(locale: Language, viewer: int, summary: Summary, now: int) -> str:
    """Whose turn it is, and until when; without a clock, since when."""
    if summary.to_move is None:
        return text(locale, "games.vacant")
    own = summary.to_move == viewer
    if summary.flag is not None and summary.flag <= now:  # the grace as well: the tick sees to the bank's own end
        opponent = viewer in summary.players and viewer not in summary.resigned
        key = "games.overdue-own" if own else "games.overdue-opponent" if opponent else "games.overdue"
        return text(locale, key, player=mention(summary.to_move, locale))
    if summary.flag is not None:
        key, at = "games.clock-own" if own else "games.clock", summary.flag
    else:
        key, at = "games.turn-own" if own else "games.turn", summary.moved_at
    return text(locale, key, player=mention(summary.to_move, locale), at=instant(at))
