"""The words for moves, resignations, draws, takebacks, and games moved to another channel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from bot.core.events import EventKind, steward_sits
from bot.core.house_seats import is_house
from bot.core.match import Match
from bot.core.news import News
from bot.core.offers import RequestOf, awaited_for_draw, awaited_for_takeback
from bot.discordkit.components import Button
from bot.play.announcing.tables import players_by_colour
from bot.play.announcing.telling.notice import NewsTelling, Notice, Teller, mention_all, pass_lines, teller_of_sentence
from bot.play.shared_components import action_button
from bot.texts.i18n import Language, join_list
from bot.texts.people import house_name
from bot.texts.sentences import in_brackets, played_sentence, ply_phrase, seat_emblem
from rules import format_move


def accept_decline_buttons(telling: NewsTelling, subject: str) -> tuple[Button, ...]:
    """Returns the buttons **Accept** and **Decline** of a request. They carry the number of its event."""
    match, request_seq = telling.match.id, telling.news.event.seq
    return (
        action_button(telling.locale, f"{subject}-accept", primary=True, match=match, number=request_seq),
        action_button(telling.locale, f"{subject}-decline", match=match, number=request_seq),
    )


def teller_of_acceptance(
    awaited: Callable[[Match], Sequence[int]], key: str, all_agreed: Teller = lambda _: None
) -> Teller:
    """Returns a teller that says who still has to agree to a request, or what `all_agreed` says once all have."""

    def tell_acceptance(telling: NewsTelling) -> Notice | None:
        still_awaited = awaited(telling.match)
        return (
            Notice(telling.sentence(key, players=mention_all(telling.locale, still_awaited)))
            if still_awaited
            else all_agreed(telling)
        )

    return tell_acceptance


def teller_of_refusal(request_of: RequestOf, refused: str, withdrawn: str) -> Teller:
    """Returns a teller that says that somebody refused a request, or withdrew their own."""

    def tell_refusal(telling: NewsTelling) -> Notice:
        request = request_of(telling.match_before)
        own = request is not None and request.user == telling.news.user
        return Notice(
            telling.sentence(withdrawn if own else refused, asker=mention_all(telling.locale, telling.news.calls))
        )

    return tell_refusal


def moves_since(locale: Language, match: Match, ply: int) -> str:
    """Returns the match's moves after the first `ply` ones, each with its player's sign: "⚪ `F7-F8` and …"."""
    moves = [(step.seat, step.move) for step in match.steps if step.move][ply:]
    board = match.variant.board
    return join_list(
        locale, [f"{seat_emblem(match.variant, seat)} `{format_move(move, board)}`" for seat, move in moves]
    )


def _taken_back_text(telling: NewsTelling, key: str, match: Match, ply: int) -> str:
    """Returns a sentence with the match's moves after the first `ply` ones and the board before them."""
    return telling.sentence(key, moves=moves_since(telling.locale, match, ply), when=ply_phrase(telling.locale, ply))


def _tell_draw_offered(telling: NewsTelling) -> Notice:
    return Notice(telling.sentence("draw.offered"), accept_decline_buttons(telling, "draw"))


def _tell_takeback_asked(telling: NewsTelling) -> Notice:
    assert telling.match.takeback is not None
    sentence = _taken_back_text(telling, "takeback.asked", telling.match, telling.match.takeback.ply)
    return Notice(sentence, accept_decline_buttons(telling, "takeback"))


def _tell_undone(telling: NewsTelling) -> Notice:
    return Notice(_taken_back_text(telling, "takeback.undone", telling.match_before, telling.match.ply))


def _tell_started(telling: NewsTelling) -> Notice:
    return Notice(telling.sentence("turn.begins", players=players_by_colour(telling.locale, telling.match)))


MAX_CHAIN_LENGTH = 1000
"""Characters for the moves of a chain, which leave room for the rest of the message."""


def _tell_chain(telling: NewsTelling) -> Notice:
    """Lists the moves of a chain, one to a line; only the latest if there are too many."""
    links = [_chain_line(telling, number, item) for number, item in enumerate(_moves_told_together(telling.news), 1)]
    shown, room = list[str](), MAX_CHAIN_LENGTH
    for lines in reversed(links):
        room -= len(lines) + 1
        if room < 0:
            break
        shown.insert(0, lines)
    some_left_out = len(links) > len(shown)
    return Notice("\n".join([*([telling.sentence("plan.chain.more")] if some_left_out else []), *shown]))


def _chain_line(telling: NewsTelling, number: int, item: News) -> str:
    assert item.position_before is not None
    assert item.move is not None
    move = format_move(item.move, item.position_before.variant.board)
    how = telling.sentence(_unchosen_key(item)) if item.planned or item.auto else ""
    if item.user is not None and is_house(item.user):
        how = in_brackets(house_name(item.user, telling.locale))
    side = telling.side_values(item.position_before.turn)
    line = telling.sentence("plan.chain.move", **{**side, "number": number, "move": move, "how": how})
    return "\n".join([line, *pass_lines(telling.locale, item)])


def _unchosen_key(item: News) -> str:
    """Returns the key for why a move was played without its player choosing it just then."""
    if item.is_by_steward:
        return "turn.by-steward"
    return "plan.chain.planned" if item.planned else "plan.chain.auto"


def _moves_told_together(news: News) -> list[News]:
    """Returns the moves announced together, without the event that they may have followed."""
    return [item for item in news.told_together if item.move]


def _tell_moved(telling: NewsTelling) -> Notice:
    news = telling.news
    if len(_moves_told_together(news)) > 1:
        return _tell_chain(telling)
    assert news.position_before is not None
    assert news.move is not None
    if news.is_by_steward:
        return Notice(
            played_sentence(telling.locale, news.position_before, news.move, telling.sentence("turn.steward"))
        )
    sentence = played_sentence(telling.locale, news.position_before, news.move, telling.name)
    if news.planned:
        return Notice(f"{sentence} {telling.sentence('plan.alone')}")
    return Notice(f"{sentence} {telling.sentence('time.auto')}" if news.auto else sentence)


def _tell_resigned(telling: NewsTelling) -> Notice:
    assert telling.news.user is not None
    seat = telling.match.players.index(telling.news.user)
    side = telling.side_values(seat, telling.name)
    if steward_sits(telling.news.event):
        gave_up = telling.sentence("turn.gave-up", **side)
        return Notice(f"{gave_up} {telling.sentence('leaver.steward', **telling.side_values(seat))}")
    return Notice(telling.sentence("turn.resigned" if telling.match.is_live else "turn.gave-up", **side))


MOVE_TELLERS: Mapping[EventKind, Teller] = {
    EventKind.STARTED: _tell_started,
    EventKind.MOVED: _tell_moved,
    EventKind.RESIGNED: _tell_resigned,
    EventKind.REHOMED: lambda telling: Notice(telling.sentence("place.rehomed", player=telling.actor_name)),
    EventKind.DRAW_OFFERED: _tell_draw_offered,
    EventKind.DRAW_ACCEPTED: teller_of_acceptance(awaited_for_draw, "draw.accepted", teller_of_sentence("draw.agreed")),
    EventKind.DRAW_DECLINED: teller_of_refusal(lambda match: match.draw, "draw.declined", "draw.withdrawn"),
    EventKind.DRAW_CLAIMED: teller_of_sentence("draw.claimed"),
    EventKind.TAKEBACK_ASKED: _tell_takeback_asked,
    EventKind.TAKEBACK_ACCEPTED: teller_of_acceptance(awaited_for_takeback, "takeback.accepted"),
    EventKind.TAKEBACK_DECLINED: teller_of_refusal(
        lambda match: match.takeback, "takeback.declined", "takeback.withdrawn"
    ),
    EventKind.UNDONE: _tell_undone,
}
