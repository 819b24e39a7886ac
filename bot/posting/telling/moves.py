"""What is said of moves, of players who resign, of draws and takebacks, and of games taken to another channel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from bot.kit.components import Button, button
from bot.match.events import EventKind, steward_sits
from bot.match.match import Match
from bot.match.news import News
from bot.match.offers import RequestOf, awaited_for_draw, awaited_for_takeback
from bot.people.house import is_house
from bot.posting.tables import seated
from bot.posting.telling.notice import Notice, Saying, Teller, everyone, passes, saying
from bot.texts.i18n import Language, join
from bot.texts.sentences import emblem, house_name, in_brackets, played, when
from rules import format_move


def yes_or_no(say: Saying, subject: str) -> tuple[Button, ...]:
    """The buttons **Accept** and **Decline** of a request; they carry the event that made it."""
    match, asked = say.match.id, say.news.event.seq
    return (
        button(say.locale, f"{subject}-accept", primary=True, match=match, number=asked),
        button(say.locale, f"{subject}-decline", match=match, number=asked),
    )


def accepted(awaited: Callable[[Match], Sequence[int]], key: str, agreed: Teller = lambda _: None) -> Teller:
    """Says that somebody agrees to a request, and who has still to; what is `agreed` when all have."""

    def tell(say: Saying) -> Notice | None:
        waited = awaited(say.match)
        return Notice(say.text(key, players=everyone(say.locale, waited))) if waited else agreed(say)

    return tell


def declined(wish_of: RequestOf, refused: str, withdrawn: str) -> Teller:
    """Says that somebody has refused a request, or has taken back their own."""

    def tell(say: Saying) -> Notice:
        asked = wish_of(say.was)
        own = asked is not None and asked.user == say.news.user
        return Notice(say.text(withdrawn if own else refused, asker=everyone(say.locale, say.news.calls)))

    return tell


def moves_since(locale: Language, match: Match, ply: int) -> str:
    """The moves of that match after the first `ply` ones, with the sign of who made them: "⚪ `F7-F8` and …"."""
    made = [(step.seat, step.move) for step in match.steps if step.move][ply:]
    board = match.variant.board
    return join(locale, [f"{emblem(match.variant, seat)} `{format_move(move, board)}`" for seat, move in made])


def _taken_back(say: Saying, key: str, match: Match, ply: int) -> str:
    """A sentence of the moves of that match after the first `ply` ones, and of the board without them."""
    return say.text(key, moves=moves_since(say.locale, match, ply), when=when(say.locale, ply))


def _draw_offered(say: Saying) -> Notice:
    return Notice(say.text("draw.offered"), yes_or_no(say, "draw"))


def _takeback_asked(say: Saying) -> Notice:
    assert say.match.takeback is not None
    said = _taken_back(say, "takeback.asked", say.match, say.match.takeback.ply)
    return Notice(said, yes_or_no(say, "takeback"))


def _undone(say: Saying) -> Notice:
    return Notice(_taken_back(say, "takeback.undone", say.was, say.match.ply))


def _started(say: Saying) -> Notice:
    return Notice(say.text("turn.begins", players=seated(say.locale, say.match)))


CHAIN_ROOM = 1000
"""Characters for the moves of a chain, so that the message has room for the rest."""


def _chain(say: Saying) -> Notice:
    """The moves that followed from each other, a line each; where they are too many, the latest."""
    told = [_link(say, number, one) for number, one in enumerate(_moves(say.news), 1)]
    shown, room = list[str](), CHAIN_ROOM
    for lines in reversed(told):
        room -= len(lines) + 1
        if room < 0:
            break
        shown.insert(0, lines)
    left = len(told) > len(shown)
    return Notice("\n".join([*([say.text("plan.chain.more")] if left else []), *shown]))


def _link(say: Saying, number: int, one: News) -> str:
    assert one.before is not None
    assert one.move is not None
    move = format_move(one.move, one.before.variant.board)
    how = say.text(_how(one)) if one.planned or one.auto else ""
    if one.user is not None and is_house(one.user):
        how = in_brackets(house_name(one.user, say.locale))
    side = say.side(one.before.turn)
    line = say.text("plan.chain.move", **{**side, "number": number, "move": move, "how": how})
    return "\n".join([line, *passes(say.locale, one)])


def _how(one: News) -> str:
    """Why a move was played that nobody has chosen just then."""
    if one.stewarded:
        return "turn.by-steward"
    return "plan.chain.planned" if one.planned else "plan.chain.auto"


def _moves(news: News) -> list[News]:
    """The moves that are told at once; without what they may have followed from."""
    return [one for one in news.chain if one.move]


def _moved(say: Saying) -> Notice:
    news = say.news
    if len(_moves(news)) > 1:
        return _chain(say)
    assert news.before is not None
    assert news.move is not None
    if news.stewarded:
        return Notice(played(say.locale, news.before, news.move, say.text("turn.steward")))
    said = played(say.locale, news.before, news.move, say.name)
    if news.planned:
        return Notice(f"{said} {say.text('plan.alone')}")
    return Notice(f"{said} {say.text('time.auto')}" if news.auto else said)


def _resigned(say: Saying) -> Notice:
    assert say.news.user is not None
    seat = say.match.players.index(say.news.user)
    side = say.side(seat, say.name)
    if steward_sits(say.news.event):
        return Notice(f"{say.text('turn.gave-up', **side)} {say.text('leaver.steward', **say.side(seat))}")
    return Notice(say.text("turn.resigned" if say.match.is_live else "turn.gave-up", **side))


TELLERS: Mapping[EventKind, Teller] = {
    EventKind.STARTED: _started,
    EventKind.MOVED: _moved,
    EventKind.RESIGNED: _resigned,
    EventKind.REHOMED: lambda say: Notice(say.text("place.rehomed", player=say.who)),
    EventKind.DRAW_OFFERED: _draw_offered,
    EventKind.DRAW_ACCEPTED: accepted(awaited_for_draw, "draw.accepted", saying("draw.agreed")),
    EventKind.DRAW_DECLINED: declined(lambda match: match.draw, "draw.declined", "draw.withdrawn"),
    EventKind.DRAW_CLAIMED: saying("draw.claimed"),
    EventKind.TAKEBACK_ASKED: _takeback_asked,
    EventKind.TAKEBACK_ACCEPTED: accepted(awaited_for_takeback, "takeback.accepted"),
    EventKind.TAKEBACK_DECLINED: declined(lambda match: match.takeback, "takeback.declined", "takeback.withdrawn"),
    EventKind.UNDONE: _undone,
}
