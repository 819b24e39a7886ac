"""The message of a turn: who moved what, the result of the move, and who is next."""

from __future__ import annotations

import re
from collections.abc import Sequence

import discord

from bot.core.events import FRESH_BOARD_EVENTS, EventKind
from bot.core.match import Match, find_last_move
from bot.core.news import News
from bot.discordkit.components import Button
from bot.discordkit.reply import RESOLVED, now
from bot.play.announcing.tables import result_text
from bot.play.announcing.telling import MAX_ARROWS, order_lines, vacancy_buttons, vacancy_text
from bot.play.context import COMPOSER, BotContext, ButtonPlace, ComposerState, Feature, action_button, feature_buttons
from bot.texts.i18n import Language, text
from bot.texts.markup import MAX_ALT_TEXT_LENGTH
from bot.texts.people import mention_user
from bot.texts.sentences import (
    clock_lines,
    duty_sentence,
    ending_sentence,
    game_alt_text,
    quiet_key,
    seat_emblem,
    titled_name,
    turn_names,
)
from render import View
from rules import Cause, Move, Position, format_move

SAME_BOARD_EVENTS = frozenset({EventKind.TAKEN_OVER, EventKind.REPLACED, EventKind.REHOMED})
"""Events whose board has not changed, but is new to a person or a place."""


TOLD_CAUSES = frozenset({Cause.TIMEOUT, Cause.AGREEMENT, Cause.ABANDONED})
"""Causes that the news itself has told."""


def turn_text(locale: Language, news: News, remark: str, below: Sequence[str] = (), brought: str = "") -> str:
    """Returns the whole message around `remark`; after the end two lines: who has won, and how and when, and what that
    has brought.

    `below` stands under the board's words: the effects of a finished game.
    """
    match = news.match
    remarks = [remark] if remark else []
    remarks += [] if news.earlier else order_lines(locale, news)  # in a chain they stand between the moves
    if match.outcome is None:
        name = titled_name(locale, match.variant, match.title)
        title = text(locale, "turn.title", variant=name, id=match.id, turn=turn_names(locale, match.started_game)[-1])
        return "\n".join([title, *remarks, *_next_lines(locale, news), *below])
    game, turns, key = match.started_game, turn_names(locale, match.started_game), "end.by-move"
    ending = ending_sentence(locale, game)
    if news.move and not any(one.auto or one.planned or one.is_by_steward for one in news.told_together):
        remarks = [f"`{format_move(news.move, match.variant.board)}`.", ending]
    elif news.kind is EventKind.RESIGNED:  # the result or the ending names who has
        remarks = [ending]
    elif not remark or match.outcome.cause not in TOLD_CAUSES:
        remarks.append(ending)
    if not news.move:
        key = "end.after" if game.moves else "end.at-start"
    how = re.sub(r"\n(?!> )", " ", " ".join([*remarks, brought])).rstrip()  # only a referee's reason has its own line
    return "\n".join([result_text(locale, match), text(locale, key, turn=turns[len(game.moves) - 1], how=how), *below])


def has_board(news: News) -> bool:
    """True if the news is posted with the board: somebody is called to it, or the game has ended."""
    return news.kind in FRESH_BOARD_EVENTS or (
        news.match_before is not None and news.match_before.is_live and not news.match.is_live
    )


def turn_view(news: News) -> View:
    """Returns the board to post: it stands still, so that a channel can be followed by scrolling."""
    game = news.match.started_game
    if news.earlier:
        chain = tuple(
            (item.position_before, item.move) for item in news.told_together if item.position_before and item.move
        )
        return View(game.position, chain=chain[-MAX_ARROWS:], to_move=game.outcome is None)
    before, move = _last_move(news)
    return View(game.position, last_move=move, before=before, to_move=game.outcome is None)


def turn_alt_text(locale: Language, news: News) -> str:
    """Returns the picture in words."""
    match, game = news.match, news.match.started_game
    before, move = _last_move(news)
    words = game_alt_text(locale, match.id, game, before, move)
    if not news.earlier:
        return words
    moves = ", ".join(format_move(item.move, match.variant.board) for item in news.told_together if item.move)
    longer = f"{words} {text(locale, 'plan.alt', moves=moves)}"
    return longer if len(longer) <= MAX_ALT_TEXT_LENGTH else words


def _last_move(news: News) -> tuple[Position | None, Move | None]:
    """Returns the position before the marked move, and the move: the last one made, also after a substitution.

    None if the news is another event on the board.
    """
    if news.move or news.kind not in SAME_BOARD_EVENTS:
        return news.position_before, news.move
    return find_last_move(news.match)


def _next_lines(locale: Language, news: News) -> list[str]:
    match, game = news.match, news.match.started_game
    if match.to_move is None:
        return [vacancy_text(locale, match)]
    position = game.position
    sign = seat_emblem(match.variant, position.turn)
    if match.house_to_move:
        return [text(locale, "turn.house", emblem=sign, player=mention_user(match.to_move, locale))]
    call = text(locale, "turn.next", emblem=sign, player=mention_user(match.to_move, locale))
    demand = duty_sentence(locale, position)
    lines = [f"{call} {demand}" if demand else call]
    if cause := game.claimable_draw:
        key = f"draw.open-{cause.value}"
        lines.append(text(locale, quiet_key(key, match.variant) if cause is Cause.QUIET else key))
    return [*lines, *clock_lines(locale, match, news.posted_at or news.event.at, news.people)]


SMALL_PRINT_START, DEADLINE_LINE_START = "-# ", "-# ⏳"
"""The start of a line in small print, and of the first line that `clock_lines` makes, in every language."""


async def update_deadline(context: BotContext, match: Match) -> int | None:
    """Updates the deadline, or the end of a pause, in the latest board of that match. Returns the edited message."""
    post = (await context.service.reader.load_posts(match.id)).turn
    lines = clock_lines(context.server_language(match.guild), match, now(), await context.service.players_of(match))
    if post is None or match.to_move is None:
        return None
    message = context.partial_message(post)
    shown = (await message.fetch()).content
    if (content := replace_clock_lines(shown, lines, clock=bool(match.clock.banks))) == shown:
        return None
    await message.edit(content=content, allowed_mentions=RESOLVED)
    return post.message


def replace_clock_lines(shown: str, lines: Sequence[str], *, clock: bool = True) -> str:
    """Returns the message with its clock lines replaced. Only without a clock, when they tell of a pause, do they come
    and go: a clock that stands until somebody can be reached has no lines for a while.
    """
    found = next(re.finditer(rf"^{DEADLINE_LINE_START}.*(?:\n{SMALL_PRINT_START}.*)*|\Z", shown, re.MULTILINE))
    if clock and not (found[0] and lines):
        return shown
    above, below = shown[: found.start()].removesuffix("\n"), shown[found.end() :].removeprefix("\n")
    return "\n".join(filter(None, [above, *lines, below]))


_DEADLINE_EVENTS = {EventKind.GIVEN, EventKind.CLOCK_SET, EventKind.GRACE, EventKind.PROLONGED} | {
    EventKind.PAUSED,
    EventKind.RESUMED,
}


def changes_deadline(news: News) -> bool:
    """True if the news changes the deadline that the board above shows."""
    if news.kind in (EventKind.AWAY, EventKind.BACK):
        return news.user == news.match.to_move
    return news.kind in _DEADLINE_EVENTS


def turn_buttons(
    features: Sequence[Feature], locale: Language, match: Match, follow: Sequence[Button] = ()
) -> tuple[Button, ...]:
    """Returns the buttons below a board, with those in `follow` among them: one row, unless a seat is vacant.

    After the end: the animation, if anybody moved, and a rematch. Features add theirs.
    """
    added = feature_buttons(features, locale, match, ButtonPlace.BOARD)
    if match.is_live:
        first: tuple[Button, ...] = ()
        if match.to_move is None:
            first = vacancy_buttons(locale, match)
        elif not match.house_to_move:
            here, label = ComposerState(match.id, match.board_version), text(locale, "button.compose")
            first = (COMPOSER.make_button("open", here, label, discord.ButtonStyle.primary),)
        return (*first, *added, *follow, action_button(locale, "more", match=match.id))
    looks = list[Button]()
    if match.ply:
        replay = action_button(locale, "replay", match=match.id)
        looks = [replay, *feature_buttons(features, locale, match, ButtonPlace.END)]
    return (*looks, *added, *follow, action_button(locale, "rematch", match=match.id))
