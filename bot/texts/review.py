"""Reviews in words: chances, turning points, and why a move was better, in sentences made of facts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bot.match.facts import BAD, GOOD, Fact, FactKind, facts
from bot.match.match import Match
from bot.match.review import Review, Turning
from bot.texts.i18n import Language, join, plural, text
from bot.texts.sentences import colour, emblem, side, titled
from rules import Move, Position, Variant, format_move

MOST_FACTS = 3
"""Facts that a sentence has at most."""

STRETCHES = 8
"""How often the chances are told in words, along a whole game."""


def review_text(locale: Language, match: Match, review: Review, line: Sequence[Position]) -> str:
    """The whole review: what the curve shows, and a line for each turning point."""
    variant = match.variant
    name = titled(locale, variant, match.title)
    lines = [text(locale, "review.title", variant=name, id=match.id)]
    lines.append(text(locale, "review.sides", sides=join(locale, [_side(locale, variant, n) for n in variant.seats])))
    for number, turning in enumerate(review.turnings, start=1):
        lines.append(_headline(locale, match, line[turning.ply], number, turning))
    if not review.turnings:
        lines.append(text(locale, "review.no-turnings"))
    return "\n".join([*lines, text(locale, "review.foot")])


def turning_text(locale: Language, match: Match, position: Position, number: int, turning: Turning) -> str:
    """One turning point: the move that was made, a better one, and the facts about both."""
    played, board = _played(match, turning), position.variant.board
    shown = {
        "played": format_move(played, board),
        "chance": percent(locale, turning.played_chance),
        "better": format_move(turning.better, board),
        "other": percent(locale, turning.better_chance),
    }
    head = text(
        locale,
        "review.turning",
        **side(locale, match.variant, position.turn),
        variant=titled(locale, match.variant, match.title),
        id=match.id,
        number=number,
        move=turning.ply + 1,
    )
    done, not_done = bad_facts(locale, position, played), good_facts(locale, position, turning.better)
    lines = [head, text(locale, "review.played-why" if done else "review.played", why=done, **shown)]
    lines.append(text(locale, "review.better-why" if not_done else "review.better", why=not_done, **shown))
    return "\n".join(lines)


def good_facts(locale: Language, position: Position, move: Move) -> str:
    """What speaks for a move; nothing where there is nothing to be seen."""
    found = facts(position, move)
    said = [fact for fact in found if fact.kind in GOOD] or [fact for fact in found if fact.kind not in BAD]
    return _joined(locale, position, move, said)


def bad_facts(locale: Language, position: Position, move: Move) -> str:
    """What speaks against it."""
    return _joined(locale, position, move, [fact for fact in facts(position, move) if fact.kind in BAD])


def chances_words(locale: Language, variant: Variant, review: Review) -> str:
    """The curve in words: the chances now and then, and at the end."""
    last = len(review.chances) - 1
    stride = max(1, -(-last // STRETCHES))
    told = []
    for moves in sorted({*range(0, last, stride), last}):
        chances = zip(variant.seats, review.chances[moves], strict=True)
        each = ", ".join(f"{colour(locale, variant, seat)} {percent(locale, chance)}" for seat, chance in chances)
        told.append(text(locale, "review.after", moves=moves, chances=each))
    return text(locale, "review.alt", chances=" ".join(told))


def percent(locale: Language, chance: float) -> str:
    """A chance as people write it: "38%"."""
    return text(locale, "review.percent", count=round(100 * chance))


def _headline(locale: Language, match: Match, position: Position, number: int, turning: Turning) -> str:
    board = match.variant.board
    return text(
        locale,
        "review.line",
        **side(locale, match.variant, position.turn),
        number=number,
        move=turning.ply + 1,
        played=format_move(_played(match, turning), board),
        chance=percent(locale, turning.played_chance),
        better=format_move(turning.better, board),
        other=percent(locale, turning.better_chance),
    )


def _played(match: Match, turning: Turning) -> Move:
    return match.started_game.moves[turning.ply]


def _side(locale: Language, variant: Variant, seat: int) -> str:
    return f"{emblem(variant, seat)} {colour(locale, variant, seat)}"


def _joined(locale: Language, position: Position, move: Move, found: Iterable[Fact]) -> str:
    told = [_fact(locale, position, fact) for fact in [*found][:MOST_FACTS]]
    return join(locale, told)


def _fact(locale: Language, position: Position, fact: Fact) -> str:
    """One fact as what the move does: "captures 2 pieces"."""
    board, variant = position.variant.board, position.variant
    values = {
        "colour": colour(locale, variant, fact.seat) if fact.seat is not None else "",
        "move": format_move(fact.move, board) if fact.move else "",
        "cell": board.names[fact.cell] if fact.cell is not None else "",
    }
    key = f"review.fact.{fact.kind.value}"
    if fact.kind in (FactKind.CAPTURES, FactKind.SAVES, FactKind.LOSES, FactKind.NEARER):
        return plural(locale, key, fact.number, **values)
    return text(locale, key, **values)
