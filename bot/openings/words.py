"""The words of openings: the position, the moves that were played in it, and games that had it."""

from __future__ import annotations

from collections.abc import Sequence

from bot.core.listings import MatchSummary
from bot.openings.index import ARCHIVE_SOURCE, GameFilter, seats_from
from bot.openings.rows import PlayedGame
from bot.openings.service import OpeningMove
from bot.texts.i18n import Language, plural_text, text
from bot.texts.mentions import mention_user
from bot.texts.sentences import colour_name, message_url, ply_phrase, seat_emblem, variant_name
from rules import Game, Move, Position, format_move

MAX_LINE_SHOWN = 300


def title_text(locale: Language, game: Game, games: GameFilter, user: int) -> str:
    """Returns the title: the games that count, the line that leads to the position, and who is to move."""
    variant, turn = game.variant, game.position.turn
    lines = [
        text(locale, "openings.title", variant=variant_name(locale, variant), when=ply_phrase(locale, len(game.moves)))
    ]
    if game.moves:
        names = " ".join(f"{number}. {format_move(move, variant.board)}" for number, move in enumerate(game.moves, 1))
        lines.append(f"`{names if len(names) <= MAX_LINE_SHOWN else '… ' + names[-MAX_LINE_SHOWN:]}`")
    if game.outcome is None:
        to_move = text(locale, "alt.to-move", colour=colour_name(locale, variant, turn))
        lines.append(f"{seat_emblem(variant, turn)} {to_move}")
    lines.append(f"-# {filter_text(locale, games, user)}")
    return "\n".join(lines)


def filter_text(locale: Language, games: GameFilter, user: int) -> str:
    """Returns the games that count, in words."""
    words = [text(locale, f"openings.source.{games.source}")]
    if games.source != ARCHIVE_SOURCE:
        words += [text(locale, f"choice.pace.{games.pace}")] if games.pace else []
        words += [text(locale, f"openings.only.{games.ladder}")] if games.ladder else []
        words += [text(locale, "openings.of-player", player=mention_user(user, locale))] if user else []
    return " · ".join(words)


def moves_text(
    locale: Language,
    position: Position,
    moves: Sequence[tuple[OpeningMove, Move]],
    links: Sequence[str],
    more: int,
) -> str:
    """Returns a numbered line for each move. `links` lead to the latest game with each move; `more` is the number of
    moves that are left out."""
    if not moves:
        return text(locale, "openings.none")
    variant = position.variant
    lines = []
    for number, ((made, move), link) in enumerate(zip(moves, links, strict=True), 1):
        parts = [
            f"**{number}.** `{format_move(move, variant.board)}`",
            plural_text(locale, "openings.games", made.games),
        ]
        if scores := score_text(position, made):
            parts.append(scores)
        if made.last:
            parts.append(f"<t:{made.last}:d>")
        lines.append(" · ".join([*parts, *([link] if link else [])]))
    if more:
        lines.append(plural_text(locale, "openings.more", more))
    return "\n".join(lines)


def score_text(position: Position, made: OpeningMove) -> str:
    """Returns each seat's share of the points, in the order of the seats; empty if no result is known."""
    shares = dict(zip(seats_from(position.variant, position.turn), made.shares, strict=False))
    return " ".join(
        f"{seat_emblem(position.variant, seat)}\N{NO-BREAK SPACE}{round(shares[seat] * 100)}%"
        for seat in sorted(shares)
    )


def link_text(locale: Language, match: int | None, summary: MatchSummary | None) -> str:
    """Returns the number of a game, as a link if its last board is known; empty for a game that is not shown."""
    if match is not None and match < 0:
        return text(locale, "openings.imported", number=-match)
    if summary is None:
        return ""
    return f"[#{summary.id}]({message_url(summary.guild, summary.turn)})" if summary.turn else f"#{summary.id}"


def games_text(
    locale: Language, games: Sequence[tuple[PlayedGame, MatchSummary | None, str]], moves_by_name: dict[str, Move]
) -> str:
    """Returns a line for each game, with its move and its players. The text of an entry names those of an imported
    game."""
    lines = [text(locale, "openings.games-title")]
    for played, summary, players in games:
        if summary is None and played.match > 0:
            continue
        parts = [link_text(locale, played.match, summary)]
        if played.at:
            parts.append(f"<t:{played.at}:d>")
        if (move := moves_by_name.get(played.move)) and summary:
            parts.append(f"`{format_move(move, summary.variant.board)}`")
        names = ", ".join(mention_user(user, locale) for user in summary.players) if summary else players
        lines.append(" · ".join([*parts, *([names] if names else [])]))
    return "\n".join(lines) if len(lines) > 1 else text(locale, "openings.no-games")
