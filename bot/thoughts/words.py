"""Thoughts in words: the panel with a person's own thoughts, and the pages of the annotated game.

Page 0 of an annotated game is its start, and page N the board after N moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.core.match import Match, Phase
from bot.discordkit.reply import MAX_MESSAGE_LENGTH, fit_lines
from bot.texts.i18n import Language, join_list, plural_text, text
from bot.texts.markup import escape_markup
from bot.texts.mentions import mention_user
from bot.texts.sentences import alt_text, colour_name, seat_emblem, titled_name
from bot.thoughts.annotated import MAX_THOUGHT_LENGTH, AnnotatedGame, MadeMove, PlannedThought, Words, list_moves
from bot.thoughts.service import OwnWords
from render import View
from rules import RecordComment, format_move


def move_name(locale: Language, match: Match, moves: Sequence[MadeMove], board: int) -> str:
    """Returns the move made on that board, with its number; a phrase for the next move, and for one taken back."""
    for made in moves:
        if made.board == board:
            return f"{made.number}. {format_move(made.move, match.variant.board)}"
    if match.is_live and board == match.board_version:
        return text(locale, "thoughts.next-move", number=match.ply + 1)
    return text(locale, "thoughts.taken-back")


def planned_name(locale: Language, match: Match, thought: PlannedThought) -> str:
    """Returns the planned move with its number, and a word that says whether it can still be played."""
    number = match.ply + 1 + thought.board - match.board_version
    key = "planned" if match.is_live and thought.board >= match.board_version else "not-played"
    return text(locale, f"thoughts.{key}", number=number, move=thought.move)


def own_text(locale: Language, match: Match, own: OwnWords) -> str:
    """Returns everything that a person has written about a match, and who can read it. May exceed a message."""
    is_over, moves = match.phase is Phase.OVER, list_moves(match)
    lines = [text(locale, "thoughts.title", variant=titled_name(locale, match.variant, match.title), id=match.id)]
    if own.taken_out:
        lines.append(text(locale, "thoughts.taken-out"))
    elif not own.may_write:
        lines.append(text(locale, "problem.thoughts-of-others", number=match.id))
    elif not is_over:
        lines.append(text(locale, "thoughts.sealed"))
    elif own.has_any:
        key = {None: "ask", True: "is-shared", False: "is-kept"}[own.shared]
        lines.append(text(locale, f"thoughts.{key}"))
    for board, words in own.thoughts.items():
        lines += [f"**{move_name(locale, match, moves, board)}**", _quoted(words)]
    for thought in own.planned:
        lines += [f"**{planned_name(locale, match, thought)}**", _quoted(thought.words)]
    if is_over and own.lines:
        lines.append(plural_text(locale, "thoughts.shared-lines", len(own.lines)))
    elif is_over and own.lines_to_share:
        lines.append(plural_text(locale, "thoughts.own-lines", len(own.lines_to_share)))
    if is_over:
        lines += [_quoted(line.words) for line in own.lines or own.lines_to_share]
    if not own.thoughts and not own.planned and not (is_over and own.has_any):
        lines.append(text(locale, "thoughts.none"))
    return "\n".join(lines)


def cut_own_text(locale: Language, words: str) -> str:
    """Returns the lines that fit into one message. If there are more, a last line says that they are in a file."""
    if len(words) <= MAX_MESSAGE_LENGTH:
        return words
    foot = text(locale, "thoughts.in-file")
    return f"{fit_lines(words.splitlines(), MAX_MESSAGE_LENGTH - len(foot) - 1)}\n{foot}"


def page_text(locale: Language, game: AnnotatedGame, page: int) -> str:
    """Returns the text of a page."""
    match = game.match
    name = {"variant": titled_name(locale, match.variant, match.title), "id": match.id}
    if page:
        made = game.moves[page - 1]
        head = text(
            locale,
            "annotated.move",
            **name,
            number=page,
            emblem=seat_emblem(match.variant, made.seat),
            colour=colour_name(locale, match.variant, made.seat),
            move=format_move(made.move, match.variant.board),
        )
        lines = [head, text(locale, "annotated.turning")] if page in game.turning_points else [head]
    else:
        people = join_list(locale, [mention_user(user, locale) for user in game.sharers])
        lines = [text(locale, "annotated.title", **name), text(locale, "annotated.by", people=people)]
        lines.append(text(locale, "annotated.foot" if game.turning_points else "annotated.foot-no-review"))
    for words in game.words_by_ply.get(page, ()):
        lines.append(f"{_speaker(locale, game, words)}\n{_quoted(words.words)}")
    fitting = fit_lines(lines, MAX_MESSAGE_LENGTH - 2)
    return fitting if fitting == "\n".join(lines) else f"{fitting}\n…"


def page_view(game: AnnotatedGame, page: int) -> View:
    """Returns the board of a page."""
    bottom = game.match.variant.seats[0]
    if not page:
        return View(game.start, bottom, to_move=False)
    made = game.moves[page - 1]
    return View(made.after, bottom, made.move, made.before, to_move=False)


def page_alt_text(locale: Language, game: AnnotatedGame, page: int) -> str:
    """Returns a description of the board of a page."""
    match, over = game.match, page == len(game.moves)
    if not page:
        return alt_text(locale, match.id, 0, game.start, over=over)
    made = game.moves[page - 1]
    return alt_text(locale, match.id, page, made.after, over=over, before=made.before, move=made.move)


def page_of_next_words(game: AnnotatedGame, page: int) -> int | None:
    """Returns the next page with words or a turning point; None if there is none."""
    return min((ply for ply in {*game.words_by_ply, *game.turning_points} if ply > page), default=None)


def record_comments(game: AnnotatedGame, names: Mapping[int, str]) -> list[RecordComment]:
    """Returns the shared words as comments of a record."""
    return [
        RecordComment(ply, f"{names.get(words.user, str(words.user))}: {words.words}")
        for ply, all_words in game.words_by_ply.items()
        for words in all_words
    ]


def _speaker(locale: Language, game: AnnotatedGame, words: Words) -> str:
    person = mention_user(words.user, locale)
    if words.is_line:
        return text(locale, "annotated.line", person=person)
    if words.seat is None:
        return text(locale, "annotated.follower", person=person)
    return text(locale, "annotated.player", person=person, emblem=seat_emblem(game.match.variant, words.seat))


def _quoted(words: str) -> str:
    """Returns the words as a quotation, without markup."""
    lines = [line for line in words.splitlines() if line.strip()]
    return "\n".join(f"> {escape_markup(line, MAX_THOUGHT_LENGTH)}" for line in lines)
