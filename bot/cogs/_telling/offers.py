"""What is said of draws and of moves taken back: who wants it, who agrees, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping

from bot.cogs._answers.buttons import ActionButton, button
from bot.cogs._telling.notice import Notice, Teller, doer, everyone
from bot.i18n import Language, join, text
from bot.match import Match
from bot.matches.offers import awaited_for_draw, awaited_for_takeback
from bot.news import News, Topic
from bot.words import emblem, when
from rules import format_move


def yes_or_no(locale: Language, subject: str, news: News) -> tuple[ActionButton, ...]:
    """The buttons **Accept** and **Decline** of a request; they carry the event that made it."""
    match, asked = news.match.id, news.event.seq
    return (
        button(locale, f"{subject}-accept", primary=True, match=match, number=asked),
        button(locale, f"{subject}-decline", match=match, number=asked),
    )


def moves_since(locale: Language, match: Match, ply: int) -> str:
    """The moves of that match behind the first `ply` ones, with the sign of who made them: "⚪ `F7-F8` and …"."""
    made = [(step.seat, step.move) for step in match.steps if step.move][ply:]
    board = match.variant.board
    return join(locale, [f"{emblem(match.variant, seat)} `{format_move(move, board)}`" for seat, move in made])


def _draw_offered(locale: Language, news: News, name: str) -> Notice:
    asked = everyone(locale, awaited_for_draw(news.match))
    said = text(locale, "draw.offered", who=doer(locale, news, name), id=news.match.id, players=asked)
    return Notice(said, yes_or_no(locale, "draw", news))


def _draw_accepted(locale: Language, news: News, name: str) -> Notice:
    who, waited = doer(locale, news, name), awaited_for_draw(news.match)
    if not waited:
        return Notice(text(locale, "draw.agreed", who=who))
    return Notice(text(locale, "draw.accepted", who=who, id=news.match.id, players=everyone(locale, waited)))


def _draw_declined(locale: Language, news: News, name: str) -> Notice:
    own = news.was is not None and news.was.draw is not None and news.was.draw.user == news.user
    key = "draw.withdrawn" if own else "draw.declined"
    return Notice(text(locale, key, who=doer(locale, news, name), id=news.match.id, asker=everyone(locale, news.ping)))


def _draw_claimed(locale: Language, news: News, name: str) -> Notice:
    return Notice(text(locale, "draw.claimed", who=doer(locale, news, name)))


def _takeback_asked(locale: Language, news: News, name: str) -> Notice:
    match = news.match
    assert match.takeback is not None
    said = text(
        locale,
        "takeback.asked",
        who=doer(locale, news, name),
        id=match.id,
        moves=moves_since(locale, match, match.takeback.ply),
        when=when(locale, match.takeback.ply),
        players=everyone(locale, awaited_for_takeback(match)),
    )
    return Notice(said, yes_or_no(locale, "takeback", news))


def _takeback_accepted(locale: Language, news: News, name: str) -> Notice | None:
    waited = awaited_for_takeback(news.match)
    if not waited:
        return None  # the board, which follows, says it
    players = everyone(locale, waited)
    return Notice(text(locale, "takeback.accepted", who=doer(locale, news, name), id=news.match.id, players=players))


def _takeback_declined(locale: Language, news: News, name: str) -> Notice:
    own = news.was is not None and news.was.takeback is not None and news.was.takeback.user == news.user
    key = "takeback.withdrawn" if own else "takeback.declined"
    return Notice(text(locale, key, who=doer(locale, news, name), id=news.match.id, asker=everyone(locale, news.ping)))


def undone(locale: Language, news: News, name: str) -> Notice:
    """Which moves have been taken back, and which board that makes."""
    assert news.was is not None
    moves = moves_since(locale, news.was, news.match.ply)
    return Notice(text(locale, "takeback.undone", moves=moves, when=when(locale, news.match.ply)))


TELLERS: Mapping[Topic, Teller] = {
    Topic.DRAW_OFFERED: _draw_offered,
    Topic.DRAW_ACCEPTED: _draw_accepted,
    Topic.DRAW_DECLINED: _draw_declined,
    Topic.DRAW_CLAIMED: _draw_claimed,
    Topic.TAKEBACK_ASKED: _takeback_asked,
    Topic.TAKEBACK_ACCEPTED: _takeback_accepted,
    Topic.TAKEBACK_DECLINED: _takeback_declined,
    Topic.UNDONE: undone,
}
