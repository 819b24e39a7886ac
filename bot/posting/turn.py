"""The message of a turn: who moved what, what it led to, and who is next."""

from __future__ import annotations

from collections.abc import Sequence

import discord

from bot.kit.components import COMPOSER, Button, ComposerState, button
from bot.kit.reply import LONGEST, RESOLVED, now
from bot.kit.sheets import OPENING, Sheet
from bot.match.events import FRESH_BOARD, EventKind
from bot.match.match import Match
from bot.match.news import News
from bot.people.house import is_house
from bot.posting.desk import Desk
from bot.posting.outbox import best_effort
from bot.posting.telling.leavers import vacancy_buttons, waiting
from bot.posting.telling.notice import passes
from bot.texts.clocks import clock_lines
from bot.texts.i18n import Language, join, plural, text
from bot.texts.sentences import alt_text, duty, emblem, ending, mention, mentions, quiet_key, side, titled
from render import View
from rules import Cause, Game, Move, Position, Seat, format_move

MOST_ARROWS = 40
"""Of a chain of moves, the latest that its board shows; more of them would hide each other."""

SEEN_ANEW = frozenset({EventKind.TAKEN_OVER, EventKind.REPLACED, EventKind.REHOMED})
"""The topics whose board is as it was, and new to somebody or somewhere."""


def turn_text(locale: Language, news: News, said: str, record: str | None, below: Sequence[str] = ()) -> str:
    """The whole message around what is said of the news, with the moves of `record`, if the game is over and they fit.

    `below` stands under the board's words: what the game has brought.
    """
    match = news.match
    lines = [_headline(locale, match), *([said] if said else []), *_passes(locale, news)]
    if match.outcome is None:
        return "\n".join([*lines, *_next(locale, news), *below])
    lines += [*_result(locale, match), *below]
    moves = " ".join(line for line in (record or "").splitlines() if not line.startswith("#"))
    quoted = "\n".join([*lines, f"-# {moves}"])
    return quoted if moves and len(quoted) <= LONGEST else "\n".join([*lines, text(locale, "end.record")])


def has_board(news: News) -> bool:
    """Whether the news is told with the board: somebody is called to it, or the game has come to its end."""
    return news.kind in FRESH_BOARD or (news.was is not None and news.was.is_live and not news.match.is_live)


def turn_view(news: News) -> View:
    """The board as the player who moves next sees it; at the end, as the person who moved last."""
    game, last = news.match.started_game, next((one for one in news.chain[::-1] if not is_house(one.user)), news)
    bottom = last.before.turn if game.outcome and last.before else _looking(news.match)
    if news.earlier:
        chain = tuple((one.before, one.move) for one in news.chain if one.before and one.move)
        return View(game.position, bottom, chain=chain[-MOST_ARROWS:], to_move=game.outcome is None)
    before, move = _last_move(news)
    return View(game.position, bottom, move, before, to_move=game.outcome is None)


def _looking(match: Match) -> Seat:
    """From whose side the board is seen: the next player's, and the next person's while a house player thinks."""
    position = match.started_game.position
    order = [*match.variant.seats[position.turn :], *match.variant.seats[: position.turn]]
    people = (seat for seat in order if match.players[seat] in match.people_in)
    return next(people, position.turn) if match.house_to_move else position.turn


def turn_words(locale: Language, news: News) -> str:
    """The picture in words."""
    match, game = news.match, news.match.started_game
    before, move = _last_move(news)
    words = alt_text(locale, match.id, match.ply, game.position, over=bool(game.outcome), before=before, move=move)
    if not news.earlier:
        return words
    moves = ", ".join(format_move(one.move, match.variant.board) for one in news.chain if one.move)
    longer = f"{words} {text(locale, 'plan.alt', moves=moves)}"
    return longer if len(longer) <= LONGEST_WORDS else words


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


def _headline(locale: Language, match: Match) -> str:
    name = titled(locale, match.variant, match.title)
    if match.outcome:
        return plural(locale, "end.over", match.ply, variant=name, id=match.id)
    return text(locale, "turn.title", variant=name, id=match.id, number=match.ply + 1)


def _passes(locale: Language, news: News) -> list[str]:
    return [] if news.earlier else passes(locale, news)  # of a chain they stand between the moves


def _next(locale: Language, news: News) -> list[str]:
    match, game = news.match, news.match.started_game
    if match.to_move is None:
        return [waiting(locale, match)]
    position = game.position
    sign = emblem(match.variant, position.turn)
    if match.house_to_move:
        return [text(locale, "turn.house", emblem=sign, player=mention(match.to_move, locale))]
    call = text(locale, "turn.next", emblem=sign, player=mention(match.to_move, locale))
    demand = duty(locale, position)
    lines = [f"{call} {demand}" if demand else call]
    if cause := game.claimable:
        key = f"draw.open-{cause.value}"
        lines.append(text(locale, quiet_key(key, match.variant) if cause is Cause.QUIET else key))
    return [*lines, *clock_lines(locale, match, news.event.at, news.people)]


def _result(locale: Language, match: Match) -> list[str]:
    assert match.outcome is not None
    lines = [
        text(locale, "end.winner", player=mention(match.players[seat], locale), **side(locale, match.variant, seat))
        for seat in match.outcome.winners
    ] or [text(locale, "end.draw" if match.has_result else "end.no-result")]
    lines[-1] += " " + ending(locale, match.started_game)
    people = [player for player in match.players if not is_house(player)]
    return [*lines, text(locale, "end.thanks", players=join(locale, mentions(locale, people)))]


REVIEW = "review"
"""The sheet with a review."""

SMALL, DEADLINE = "-# ", "-# ⏳"
"""How a line in small print begins, and the first of those that `clock_lines` makes, in every language."""

LONGEST_WORDS = 1024
"""Characters of a picture in words."""

WATCHERS = "-# 👀"
"""How the line for those who follow begins in posts of earlier versions, which may come right after."""


async def show_deadline(desk: Desk, match: Match) -> None:
    """Let the latest board of that match say when the time is up by now. Best effort, and nobody is pinged."""
    match = await desk.service.match(match.id, match.guild)  # it may have gone on since somebody asked for this
    post = (await desk.service.posts(match.id)).turn
    lines = clock_lines(desk.language(match.guild), match, now(), await desk.service.players(match))
    if post is None or not lines:
        return
    message = desk.message(post)
    with best_effort("deadline not brought up to date", match=match.id):
        shown = (await message.fetch()).content
        if (said := retimed(shown, lines)) != shown:
            await message.edit(content=said, allowed_mentions=RESOLVED)


def retimed(shown: str, lines: Sequence[str]) -> str:
    """The message with those lines in the place of what it says of the clock; the same where it says nothing of it."""
    before = shown.split("\n")
    first = next((place for place, line in enumerate(before) if line.startswith(DEADLINE)), None)
    if first is None:
        return shown
    last = first + 1
    while last < len(before) and before[last].startswith(SMALL) and not before[last].startswith(WATCHERS):
        last += 1
    return "\n".join([*before[:first], *lines, *before[last:]])


def changes_deadline(news: News) -> bool:
    """Whether the board that stands above that news says something else of the clock than what holds now."""
    if news.kind in (EventKind.AWAY, EventKind.BACK):
        return news.user == news.match.to_move
    return news.kind in (EventKind.GIVEN, EventKind.CLOCK_SET, EventKind.GRACE, EventKind.PROLONGED)


def turn_buttons(locale: Language, match: Match) -> tuple[Button, ...]:
    """The buttons below a board: for whoever is to move, or what is waited for where the seat to move is vacant.

    At the end, the game as a moving picture and its review if anybody moved, and another one.
    """
    explore = button(locale, "explore", match=match.id, number=match.ply)
    if match.is_live and match.to_move is None:
        return (*vacancy_buttons(locale, match), button(locale, "rules", variant=match.variant.key), explore)
    if match.house_to_move:
        return (button(locale, "rules", variant=match.variant.key), explore)
    if match.is_live:
        here, label = ComposerState(match.id, match.board_version), text(locale, "button.compose")
        return (
            COMPOSER.button("open", here, label, discord.ButtonStyle.primary),
            explore,
            button(locale, "moves", match=match.id, number=match.board_version),
            button(locale, "rules", variant=match.variant.key),
            button(locale, "snooze", match=match.id, number=match.board_version),
        )
    looks = [button(locale, "replay", match=match.id), review_button(locale, match)] if match.ply else []
    return (*looks, explore, button(locale, "rematch", match=match.id))


def review_button(locale: Language, match: Match) -> Button:
    """The button that opens the review of a finished game."""
    return OPENING.button("", Sheet(REVIEW, match.variant.key, match.id), text(locale, "button.review"))
