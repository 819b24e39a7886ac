"""What is said of moves, of players who resign, of draws and takebacks, and of games taken to another channel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from bot.kit.components import Button, button
from bot.match.events import EventKind
from bot.match.match import Match
from bot.match.news import News
from bot.match.offers import RequestOf, awaited_for_draw, awaited_for_takeback
from bot.posting.tables import seated
from bot.posting.telling.notice import Notice, Teller, doer, everyone
from bot.texts.i18n import Language, join, text
from bot.texts.sentences import colour, emblem, in_brackets, played, when
from rules import format_move


def yes_or_no(locale: Language, subject: str, news: News) -> tuple[Button, ...]:
    """The buttons **Accept** and **Decline** of a request; they carry the event that made it."""
    match, asked = news.match.id, news.event.seq
    return (
        button(locale, f"{subject}-accept", primary=True, match=match, number=asked),
        button(locale, f"{subject}-decline", match=match, number=asked),
    )


def accepted(awaited: Callable[[Match], Sequence[int]], key: str) -> Teller:
    """Says that somebody agrees to a request, and who has still to; nothing when all have, as the board follows."""

    def tell(locale: Language, news: News, name: str) -> Notice | None:
        waited = awaited(news.match)
        if not waited:
            return None
        players = everyone(locale, waited)
        return Notice(text(locale, key, who=doer(locale, news, name), id=news.match.id, players=players))

    return tell


def declined(request_of: RequestOf, refused: str, withdrawn: str) -> Teller:
    """Says that somebody has refused a request; or that he has taken it back, if it is his own."""

    def tell(locale: Language, news: News, name: str) -> Notice:
        asked = request_of(news.was) if news.was else None
        key = withdrawn if asked and asked.user == news.user else refused
        asker = everyone(locale, news.ping)
        return Notice(text(locale, key, who=doer(locale, news, name), id=news.match.id, asker=asker))

    return tell


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
    agreed = Notice(text(locale, "draw.agreed", who=doer(locale, news, name)))
    return accepted(awaited_for_draw, "draw.accepted")(locale, news, name) or agreed


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


def undone(locale: Language, news: News, name: str) -> Notice:
    """Which moves have been taken back, and which board that makes."""
    assert news.was is not None
    moves = moves_since(locale, news.was, news.match.ply)
    return Notice(text(locale, "takeback.undone", moves=moves, when=when(locale, news.match.ply)))


def _started(locale: Language, news: News, name: str) -> Notice:
    return Notice(text(locale, "turn.begins", players=seated(locale, news.match)))


def _moved(locale: Language, news: News, name: str) -> Notice:
    assert news.before is not None
    assert news.move is not None
    said = played(locale, news.before, news.move, name)
    return Notice(f"{said} {text(locale, 'time.auto')}" if news.auto else said)


def _resigned(locale: Language, news: News, name: str) -> Notice:
    match = news.match
    assert news.user is not None
    seat = match.seat_of(news.user)
    assert seat is not None
    key = "turn.gave-up" if match.game and match.game.outcome else "turn.resigned"
    sign, side = emblem(match.variant, seat), colour(locale, match.variant, seat)
    return Notice(text(locale, key, emblem=sign, colour=side, name=in_brackets(name)))


def _rehomed(locale: Language, news: News, name: str) -> Notice:
    return Notice(text(locale, "place.rehomed", player=doer(locale, news, name), id=news.match.id))


TELLERS: Mapping[EventKind, Teller] = {
    EventKind.STARTED: _started,
    EventKind.MOVED: _moved,
    EventKind.RESIGNED: _resigned,
    EventKind.REHOMED: _rehomed,
    EventKind.DRAW_OFFERED: _draw_offered,
    EventKind.DRAW_ACCEPTED: _draw_accepted,
    EventKind.DRAW_DECLINED: declined(lambda match: match.draw, "draw.declined", "draw.withdrawn"),
    EventKind.DRAW_CLAIMED: _draw_claimed,
    EventKind.TAKEBACK_ASKED: _takeback_asked,
    EventKind.TAKEBACK_ACCEPTED: accepted(awaited_for_takeback, "takeback.accepted"),
    EventKind.TAKEBACK_DECLINED: declined(lambda match: match.takeback, "takeback.declined", "takeback.withdrawn"),
    EventKind.UNDONE: undone,
}
