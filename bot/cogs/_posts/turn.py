"""The message of a turn: who moved what, what it led to, and who is next."""

from __future__ import annotations

from collections.abc import Sequence

import discord

from bot.cogs._answers.reply import LONGEST, NOBODY, calling
from bot.cogs._clocks import clock_lines
from bot.cogs._telling.leavers import waiting
from bot.i18n import Language, join, plural, text
from bot.match import Match
from bot.news import FRESH_BOARD, News, Topic
from bot.words import alt_text, colour, duty, emblem, ending, mention, mentions, titled
from render import View
from rules import Game, Move, Position

SEEN_ANEW = frozenset({Topic.TAKEN_OVER, Topic.REPLACED, Topic.REHOMED})
"""The topics whose board is as it was, and new to somebody or somewhere."""


def turn_text(locale: Language, news: News, said: str, record: str | None, below: Sequence[str] = ()) -> str:
    """The whole message around what is said of the news; `record` is the game's, when it is over.

    `below` stands under the board's words: what the game has brought, and what is for others than the players.
    """
    match, game = news.match, news.match.game
    assert game is not None
    lines = [_headline(locale, match), *([said] if said else []), *_passes(locale, news)]
    if game.outcome is None:
        return "\n".join([*lines, *_next(locale, news), *below])
    lines += [*_result(locale, match), *below]
    quoted = "\n".join([*lines, f"```\n{record}\n```"])
    return quoted if len(quoted) <= LONGEST else "\n".join([*lines, text(locale, "end.record")])


def has_board(news: News) -> bool:
    """Whether the news is told with the board: somebody is called to it, or the game has come to its end."""
    return news.kind in FRESH_BOARD or (news.was is not None and news.was.is_live and not news.match.is_live)


def turn_view(news: News) -> View:
    """The board as the player who moves next sees it; at the end, as the one who moved last."""
    _match, game = news.match, news.match.game
    assert game is not None
    bottom = game.position.turn
    if game.outcome and news.before is not None:
        bottom = news.before.turn
    before, move = _last_move(news)
    return View(game.position, bottom, move, before, to_move=game.outcome is None)


def turn_words(locale: Language, news: News) -> str:
    """The picture in words."""
    match, game = news.match, news.match.game
    assert game is not None
    before, move = _last_move(news)
    return alt_text(locale, match.id, match.ply, game.position, over=bool(game.outcome), before=before, move=move)


def _last_move(news: News) -> tuple[Position | None, Move | None]:
    """The move that the board marks, and the position before it: the last one made, also where a substitute sits down.

    None where the news is of something else that has happened on the board.
    """
    if news.move or news.kind not in SEEN_ANEW:
        return news.before, news.move
    game, before, move = Game.start(news.match.variant), None, None
    for step in news.match.steps:
        if step.move:
            before, move = game.position, step.move
        game = step.taken(game)
    return before, move


def pinged(news: News, *, latest: bool, also: Sequence[int] = ()) -> discord.AllowedMentions:
    """Who is pinged: whom the latest news calls and those others, and nobody by what is told late."""
    if not latest:
        return NOBODY
    return calling((*news.ping, *also))


def _headline(locale: Language, match: Match) -> str:
    name = titled(locale, match.variant, match.title)
    if match.game and match.game.outcome:
        return plural(locale, "end.over", match.ply, variant=name, id=match.id)
    return text(locale, "turn.title", variant=name, id=match.id, number=match.ply + 1)


def _passes(locale: Language, news: News) -> list[str]:
    variant = news.match.variant
    return [
        text(locale, "turn.passed", emblem=emblem(variant, seat), colour=colour(locale, variant, seat))
        for seat in news.passed
    ]


def _next(locale: Language, news: News) -> list[str]:
    match = news.match
    assert match.game is not None
    if match.to_move is None:
        return [waiting(locale, match)]
    position = match.game.position
    sign = emblem(match.variant, position.turn)
    call = text(locale, "turn.next", emblem=sign, player=mention(match.to_move, locale))
    demand = duty(locale, position)
    lines = [f"{call} {demand}" if demand else call]
    if cause := match.game.claimable:
        lines.append(text(locale, f"draw.open-{cause.value}"))
    return [*lines, *clock_lines(locale, match, news.event.at, news.people)]


def _result(locale: Language, match: Match) -> list[str]:
    game = match.game
    assert game is not None
    assert game.outcome is not None
    lines = [
        text(
            locale,
            "end.winner",
            emblem=emblem(match.variant, seat),
            player=mention(match.players[seat], locale),
            colour=colour(locale, match.variant, seat),
        )
        for seat in game.outcome.winners
    ] or [text(locale, "end.draw" if match.has_result else "end.no-result")]
    lines[-1] += " " + ending(locale, game)
    return [*lines, text(locale, "end.thanks", players=join(locale, mentions(locale, match.players)))]
