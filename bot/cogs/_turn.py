"""The message of a turn: who moved what, what it led to, and who is next."""

from __future__ import annotations

import discord

from bot.cogs._reply import LONGEST
from bot.cogs._table import seated
from bot.i18n import Language, join, text
from bot.match import Match
from bot.matches.timing import CLOSED_STILL
from bot.news import FRESH_BOARD, News, Topic
from bot.words import alt_text, colour, duty, emblem, ending, mention, plain, played, variant_name
from render import View


def turn_text(locale: Language, news: News, name: str, record: str | None) -> str:
    """The whole message. `name` is what the one who moved is called; `record` is the game's, when it is over."""
    match, game = news.match, news.match.game
    assert game is not None
    lines = [_headline(locale, match), *_event(locale, news, name), *_passes(locale, news)]
    if game.outcome is None:
        return "\n".join([*lines, *_next(locale, match)])
    lines += _result(locale, match)
    quoted = "\n".join([*lines, f"```\n{record}\n```"])
    return quoted if len(quoted) <= LONGEST else "\n".join([*lines, text(locale, "end.record")])


def has_board(news: News) -> bool:
    """Whether the news is told with the board: somebody is called to it, or the game has come to its end."""
    return news.kind in FRESH_BOARD or (news.was is not None and news.was.is_live and not news.match.is_live)


def notice(locale: Language, news: News) -> str | None:
    """The line that reminds or warns the players of a game that goes on; None for what is not said."""
    match, called = news.match, join(locale, map(mention, news.ping)) if news.ping else ""
    if news.kind is Topic.REMINDED and called:
        sign = emblem(match.variant, match.turn)
        return text(locale, "turn.reminded", emblem=sign, player=called, id=match.id, since=_ago(match.moved_at))
    if news.kind is Topic.STILL and called:
        closes = _ago(news.event.at + CLOSED_STILL)
        return text(locale, "turn.still", players=called, id=match.id, since=_ago(match.moved_at), closes=closes)
    return None


def turn_view(news: News) -> View:
    """The board as the player who moves next sees it; at the end, as the one who moved last."""
    _match, game = news.match, news.match.game
    assert game is not None
    bottom = game.position.turn
    if game.outcome and news.before is not None:
        bottom = news.before.turn
    return View(game.position, bottom, news.move, news.before, to_move=game.outcome is None)


def turn_words(locale: Language, news: News) -> str:
    """The picture in words."""
    match, game = news.match, news.match.game
    assert game is not None
    return alt_text(
        locale, match.id, match.ply, game.position, over=bool(game.outcome), before=news.before, move=news.move
    )


def pinged(news: News, *, latest: bool) -> discord.AllowedMentions:
    """Who is pinged: whom the latest news calls, and nobody by what is told late."""
    if not latest:
        return discord.AllowedMentions.none()
    return discord.AllowedMentions(everyone=False, roles=False, users=[discord.Object(user) for user in news.ping])


def _ago(instant: int) -> str:
    """An instant as Discord shows it to each reader: "2 days ago", "in 3 hours"."""
    return f"<t:{instant}:R>"


def _headline(locale: Language, match: Match) -> str:
    name = variant_name(locale, match.variant)
    if match.game and match.game.outcome:
        return text(locale, "end.over", variant=name, id=match.id, count=match.ply)
    return text(locale, "turn.title", variant=name, id=match.id, number=match.ply + 1)


def _event(locale: Language, news: News, name: str) -> list[str]:
    match = news.match
    if news.kind is Topic.STARTED:
        return [text(locale, "turn.begins", players=seated(locale, match))]
    if news.move is not None and news.before is not None:
        return [played(locale, news.before, news.move, name)]
    if news.kind is Topic.CLOSED_STILL:
        return [text(locale, "turn.closed-still", since=_ago(match.moved_at))]
    seat = match.seat_of(news.user) if news.user is not None else None
    if news.kind is not Topic.RESIGNED or seat is None:
        return []
    key = "turn.gave-up" if match.game and match.game.outcome else "turn.resigned"
    return [
        text(
            locale,
            key,
            emblem=emblem(match.variant, seat),
            colour=colour(locale, match.variant, seat),
            name=plain(name),
        )
    ]


def _passes(locale: Language, news: News) -> list[str]:
    variant = news.match.variant
    return [
        text(locale, "turn.passed", emblem=emblem(variant, seat), colour=colour(locale, variant, seat))
        for seat in news.passed
    ]


def _next(locale: Language, match: Match) -> list[str]:
    assert match.game is not None
    if match.to_move is None:
        return []
    position = match.game.position
    sign = emblem(match.variant, position.turn)
    call = text(locale, "turn.next", emblem=sign, player=mention(match.to_move))
    demand = duty(locale, position)
    return [f"{call} {demand}" if demand else call]


def _result(locale: Language, match: Match) -> list[str]:
    game = match.game
    assert game is not None
    assert game.outcome is not None
    lines = [
        text(
            locale,
            "end.winner",
            emblem=emblem(match.variant, seat),
            player=mention(match.players[seat]),
            colour=colour(locale, match.variant, seat),
        )
        for seat in game.outcome.winners
    ] or [text(locale, "end.draw" if match.has_result else "end.no-result")]
    lines[-1] += " " + ending(locale, game.position, game.outcome)
    return [*lines, text(locale, "end.thanks", players=join(locale, map(mention, match.players)))]
