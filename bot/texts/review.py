"""Reviews in words: chances, turning points, and why a move was better, in sentences made of facts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bot.match.facts import BAD, GOOD, Fact, FactKind, aftermath, facts
from bot.match.match import Match
from bot.match.review import Review, Turning
from bot.texts.i18n import Language, join, plural, text
from bot.texts.sentences import colour, emblem, side, signed, titled
from rules import Move, Position, Variant, format_move
from rules.game import settle

MOST_FACTS = 3
"""Facts that a sentence has at most."""

STRETCHES = 8
"""How often the chances are told in words, along a whole game."""


def review_text(locale: Language, match: Match, review: Review, line: Sequence[Position]) -> str:
    """The whole review: what the curve shows, and a line for each turning point."""
    variant = match.variant
    name = titled(locale, variant, match.title)
    lines = [text(locale, "review.title", variant=name, id=match.id)]
    sides = text(locale, "review.sides", sides=join(locale, [_side(locale, variant, n) for n in variant.seats]))
    lines.append(f"{sides} {plural(locale, 'review.numbers', len(review.turnings))}" if review.turnings else sides)
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
    bad, good = bad_facts(locale, position, played, turning.line), good_facts(locale, position, turning.better)
    lines = [head, text(locale, "review.played-why" if bad else "review.played", why=bad, **shown)]
    if not good and bad:
        good = text(locale, "review.fact.avoids")
    lines.append(text(locale, "review.better-why" if good else "review.better", why=good, **shown))
    return "\n".join(lines)


def good_facts(locale: Language, position: Position, move: Move) -> str:
    """What speaks for a move; nothing where there is nothing to be seen."""
    found = facts(position, move)
    said = [fact for fact in found if fact.kind in GOOD] or [fact for fact in found if fact.kind not in BAD]
    return _joined(locale, position, move, said)


def bad_facts(locale: Language, position: Position, move: Move, line: Sequence[Move] = ()) -> str:
    """What speaks against it, where the game goes on by that line: what it comes to, else what can be seen at once."""
    found = {fact.kind: fact for fact in facts(position, move) if fact.kind in BAD}
    comes, at_once = aftermath(position, move, line), found.get(FactKind.LOSES)
    if comes and FactKind.LETS_WIN not in found and not (at_once and 0 < comes.number <= at_once.number):
        found.pop(FactKind.LOSES, None)
        found = {comes.kind: comes, **found}
    return _joined(locale, position, move, found.values())


def chances_words(locale: Language, variant: Variant, review: Review) -> str:
    """The curve in words: the chances now and then, and at the end."""
    last = len(review.chances) - 1
    stride = max(1, -(-last // STRETCHES))
    told = []
    for moves in sorted({*range(0, last, stride), last}):
        chances = zip(variant.seats, review.chances[moves], strict=True)
        each = ", ".join(f"{colour(locale, variant, seat)} {percent(locale, chance)}" for seat, chance in chances)
        told.append(text(locale, "review.after" if moves else "review.at-start", moves=moves, chances=each))
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
    after = settle(position.after(move))[0]
    told = [_fact(locale, after, fact) for fact in [*found][:MOST_FACTS]]
    return join(locale, told)


def _fact(locale: Language, after: Position, fact: Fact) -> str:
    """One fact as what the move does that has led to that position: "captures 2 pieces"."""
    board, variant = after.variant.board, after.variant
    values = {
        "colour": colour(locale, variant, fact.seat) if fact.seat is not None else "",
        "move": format_move(fact.move, board) if fact.move else "",
        "line": signed(after, fact.line),
        "cell": board.names[fact.cell] if fact.cell is not None else "",
    }
    key = f"review.fact.{fact.kind.value}"
    if fact.number:
        return plural(locale, key, fact.number, **values)
    return text(locale, key, **values)
