"""The annotated game as a single HTML page without scripts, which contains the pictures and can be printed. Pure."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Generator, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from html import escape

from bot.core.listings import ExportedMatch
from bot.core.refereeing import MAX_TITLE_LENGTH
from bot.texts.i18n import Language, join_list, text
from bot.texts.markup import one_line
from bot.texts.mentions import name_outside_discord
from bot.texts.sentences import colour_name, ending_sentence, variant_name
from bot.thoughts.annotated import AnnotatedGame, Words
from bot.thoughts.words import page_alt_text, page_view
from render.board_drawing import encode_png
from render.scene import paint_in_steps, run_steps
from rules import format_move

PICTURE_SCALE = 0.6
"""The size of a picture relative to a posted board."""

_STYLE = """
body { font: 1rem/1.5 Georgia, serif; color: #1b1b1b; background: #fff; max-width: 44rem; margin: 2rem auto;
  padding: 0 1rem; }
h1, h2 { font-weight: normal; line-height: 1.2; }
h1 + p, .facts { color: #555; }
article + article { break-before: page; border-top: 1px solid #bbb; margin-top: 3rem; }
figure { margin: 1.5rem 0; break-inside: avoid; }
img { max-width: 100%; height: auto; border-radius: 4px; }
figcaption b { font-weight: normal; font-variant-numeric: tabular-nums; }
blockquote { margin: .6rem 0 .6rem 1rem; padding-left: .8rem; border-left: 3px solid #bbb; white-space: pre-line;
  overflow-wrap: anywhere; }
cite { display: block; font-style: normal; color: #555; }
.turning { color: #a33b00; }
.moves { overflow-wrap: anywhere; }
"""
_HEAD = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
"""


def make_page(
    locale: Language, games: Sequence[tuple[ExportedMatch, AnnotatedGame]], names: Mapping[int, str]
) -> Generator[None, None, str]:
    """Returns the page, in steps. `names` are by Discord id."""
    title = text(locale, "annotated.page-title")
    if len(games) == 1:
        title = _game_title(locale, games[0][1])
    parts = [_HEAD.format(language=locale, title=escape(title), style=_STYLE)]
    for exported, game in games:
        yield from _write_game(parts, locale, exported, game, names)
    if not games:
        parts.append(f"<p>{escape(text(locale, 'annotated.page-empty'))}</p>\n")
    return "".join([*parts, "</body>\n</html>\n"])


def write_page(locale: Language, games: Sequence[tuple[ExportedMatch, AnnotatedGame]]) -> str:
    """Returns the page in a single call. People appear as Discord ids."""
    return run_steps(make_page(locale, games, {}))


def _write_game(
    parts: list[str], locale: Language, exported: ExportedMatch, game: AnnotatedGame, names: Mapping[int, str]
) -> Generator[None, None, None]:
    words_by_ply = game.words_by_ply
    parts.append(f"<article>\n<h1>{escape(_game_title(locale, game))}</h1>\n")
    people = join_list(locale, [_name(locale, user, names) for user in game.sharers])
    parts.append(f"<p>{escape(text(locale, 'annotated.by', people=people))}</p>\n<p class=facts>")
    parts.append("<br>".join(escape(fact) for fact in _facts(locale, exported, names)))
    parts.append("</p>\n")
    waiting = list[str]()
    shown = {0, len(game.moves), *words_by_ply, *game.turning_points}
    for ply in range(len(game.moves) + 1):
        caption = _caption(locale, game, ply)
        if ply not in shown:
            waiting.append(caption)
            continue
        if waiting:
            parts.append(f"<p class=moves>{escape(' · '.join(waiting))}</p>\n")
            waiting.clear()
        picture = yield from _draw_board(locale, game, ply)
        parts.append(f"<figure>\n{picture}\n<figcaption><b>{escape(caption)}</b>")
        if ply in game.turning_points:
            parts.append(f" <span class=turning>{escape(text(locale, 'annotated.turning'))}</span>")
        parts += [_quotation(locale, words, names) for words in words_by_ply.get(ply, ())]
        parts.append("</figcaption>\n</figure>\n")
        yield
    parts.append("</article>\n")


def _facts(locale: Language, exported: ExportedMatch, names: Mapping[int, str]) -> Iterator[str]:
    """Yields the players, the dates and the result."""
    match, outcome = exported.match, exported.match.outcome
    for user, seat in zip(match.players, match.variant.seats, strict=True):
        yield f"{colour_name(locale, match.variant, seat)}: {_name(locale, user, names)}"
    dates = (exported.began_at, exported.ended_at)
    yield " – ".join(datetime.fromtimestamp(at, UTC).date().isoformat() for at in dates if at is not None)
    if outcome is None:
        return
    for seat in outcome.winners:
        colour = colour_name(locale, match.variant, seat)
        yield text(locale, "annotated.winner", player=_name(locale, match.players[seat], names), colour=colour)
    if not outcome.winners:
        yield text(locale, "end.draw" if match.has_result else "end.no-result").strip("*")
    yield ending_sentence(locale, match.started_game)


def _caption(locale: Language, game: AnnotatedGame, ply: int) -> str:
    if not ply:
        return text(locale, "annotated.start")
    made, variant = game.moves[ply - 1], game.match.variant
    return f"{ply}. {colour_name(locale, variant, made.seat)} {format_move(made.move, variant.board)}"


def _draw_board(locale: Language, game: AnnotatedGame, ply: int) -> Generator[None, None, str]:
    words = page_alt_text(locale, game, ply)
    board = yield from paint_in_steps(page_view(game, ply), scale=PICTURE_SCALE)
    png = b64encode(encode_png(board)).decode()
    return f'<img alt="{escape(words)}" src="data:image/png;base64,{png}">'


def _quotation(locale: Language, words: Words, names: Mapping[int, str]) -> str:
    key = "line" if words.is_line else "follower" if words.seat is None else "player"
    speaker = text(locale, f"annotated.{key}", person=_name(locale, words.user, names), emblem="").strip()
    return f"\n<blockquote><cite>{escape(speaker.replace('**', ''))}</cite>{escape(words.words)}</blockquote>"


def _name(locale: Language, user: int, names: Mapping[int, str]) -> str:
    return name_outside_discord(user, locale) or names.get(user, str(user))


def _game_title(locale: Language, game: AnnotatedGame) -> str:
    match = game.match
    title = f": {one_line(match.title, MAX_TITLE_LENGTH)}" if match.title else ""
    return f"{variant_name(locale, match.variant)}{title} · #{match.id}"
