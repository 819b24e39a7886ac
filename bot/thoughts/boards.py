"""The boards of an annotated game, one a page: page 0 is its start, page N its board after N moves. Pure."""

from __future__ import annotations

from bot.texts.i18n import Language
from bot.texts.sentences import alt_text
from bot.thoughts.annotated import AnnotatedGame
from render import View


def page_view(game: AnnotatedGame, page: int) -> View:
    """Returns the board of a page."""
    bottom = game.match.variant.seats[0]
    if not page:
        return View(game.start, bottom, to_move=False)
    made = game.moves[page - 1]
    return View(made.after, bottom, made.move, made.before, to_move=False)


def page_words(locale: Language, game: AnnotatedGame, page: int) -> str:
    """Returns a description of the board of a page."""
    match, over = game.match, page == len(game.moves)
    if not page:
        return alt_text(locale, match.id, 0, game.start, over=over)
    made = game.moves[page - 1]
    return alt_text(locale, match.id, page, made.after, over=over, before=made.before, move=made.move)
