"""A person's live games in words. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.core.clock import FOREVER
from bot.core.listings import MatchSummary
from bot.texts.i18n import Language, text
from bot.texts.markup import relative_time
from bot.texts.people import mention_user, mention_users
from bot.texts.sentences import message_url, titled_name

GAMES_ON_PAGE = 7
"""Games in one message: each is a container of four components, of which Discord takes 40."""


def games_title(locale: Language, user: int, viewer: int, *, empty: bool) -> str:
    """What stands above the games of `user` as `viewer` reads them; instead of them if there are none."""
    own = user == viewer
    if empty:
        return text(locale, "games.none-own" if own else "games.none-other", player=mention_user(user, locale))
    return f"**{text(locale, 'games.title-own' if own else 'games.title-other', player=mention_user(user, locale))}**"


def sort_by_deadline(games: Sequence[MatchSummary], user: int, ends: Mapping[int, int]) -> list[MatchSummary]:
    """Returns live games in the order in which `user` should care for them; `ends`: when a match has to be over.

    Games that wait for the user come first. In both groups the earlier of the end and of the running clock decides.
    """

    def urgency(game: MatchSummary) -> tuple[bool, int]:
        clock = game.time_runs_out_at
        return game.to_move != user, min(ends.get(game.id, FOREVER), FOREVER if clock is None else clock)

    return sorted(games, key=urgency)


def game_line(locale: Language, viewer: int, summary: MatchSummary, now: int, ends_at: int | None = None) -> str:
    """A game as `viewer` reads it: who plays, whose turn it is until when, and a link to its latest board.

    `ends_at`: when it has to be over; None if that is open.
    """
    mine = summary.to_move == viewer
    link = f"<#{summary.thread_or_channel}>"
    if summary.turn:
        link = f"[{text(locale, 'games.board')}]({message_url(summary.guild, summary.turn)})"
    turn = _turn_phrase(locale, viewer, summary, now)
    if ends_at is not None:
        turn += f" · {text(locale, 'games.ends', at=relative_time(ends_at))}"
    return text(
        locale,
        "games.line",
        mark="▶️" if mine else "•",
        id=summary.id,
        variant=titled_name(locale, summary.variant, summary.title),
        players=", ".join(mention_users(locale, summary.players)),
        number=summary.ply + 1,
        turn=turn,
        where=text(locale, "games.homeless", id=summary.id) if summary.has_lost_channel else link,
    )


def _turn_phrase(locale: Language, viewer: int, summary: MatchSummary, now: int) -> str:
    """Whose turn it is, and until when; without a clock, since when."""
    if summary.to_move is None:
        return text(locale, "games.vacant")
    own = summary.to_move == viewer
    if (
        summary.time_runs_out_at is not None and summary.time_runs_out_at <= now
    ):  # the grace is over, too: when only the bank is used up, the tick begins the grace and sets a later time
        opponent = viewer in summary.players and viewer not in summary.resigned
        key = "games.overdue-own" if own else "games.overdue-opponent" if opponent else "games.overdue"
        return text(locale, key, player=mention_user(summary.to_move, locale))
    if summary.time_runs_out_at is not None:
        key, at = "games.clock-own" if own else "games.clock", summary.time_runs_out_at
    else:
        key, at = "games.turn-own" if own else "games.turn", summary.moved_at
    return text(locale, key, player=mention_user(summary.to_move, locale), at=relative_time(at))
