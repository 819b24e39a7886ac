"""Reviews in words: chances, turning points, and the facts that make a move better."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bot.core.match import Match
from bot.review.facts import BAD_FACTS, GOOD_FACTS, Fact, FactKind, bad_aftermath, facts_of_move
from bot.review.turning_points import Review, TurningPoint
from bot.texts.i18n import Language, join_list, plural_text, text
from bot.texts.sentences import colour_name, moves_with_emblems, seat_emblem, side_values, titled_name
from rules import Move, Position, Variant, format_move
from rules.game import resolve_passes

MAX_FACTS_TOLD = 3
"""The most facts in a sentence."""

CHANCES_TOLD = 8
"""How many times in the course of a game the alt text states the chances."""


def review_text(locale: Language, match: Match, review: Review, line: Sequence[Position]) -> str:
    """Returns the whole review: a description of the curve, and a line for each turning point. `line` are the positions
    of the game."""
    variant = match.variant
    name = titled_name(locale, variant, match.title)
    lines = [text(locale, "review.title", variant=name, id=match.id)]
    sides = text(
        locale, "review.sides", sides=join_list(locale, [_side_name(locale, variant, n) for n in variant.seats])
    )
    lines.append(f"{sides} {plural_text(locale, 'review.numbers', len(review.turnings))}" if review.turnings else sides)
    for number, turning in enumerate(review.turnings, start=1):
        lines.append(_turning_line(locale, match, line[turning.ply], number, turning))
    if not review.turnings:
        lines.append(text(locale, "review.no-turnings"))
    return "\n".join([*lines, text(locale, "review.foot")])


def turning_text(locale: Language, match: Match, position: Position, number: int, turning: TurningPoint) -> str:
    """Returns the text about one turning point: the move made, a better move, and the facts about both."""
    played, board = _move_played(match, turning), position.variant.board
    shown = {
        "played": format_move(played, board),
        "chance": percent_text(locale, turning.played_chance),
        "better": format_move(turning.better, board),
        "other": percent_text(locale, turning.better_chance),
    }
    head = text(
        locale,
        "review.turning",
        **side_values(locale, match.variant, position.turn),
        variant=titled_name(locale, match.variant, match.title),
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
    """Returns the facts in favour of a move; empty if there are none."""
    all_facts = facts_of_move(position, move)
    told_facts = [fact for fact in all_facts if fact.kind in GOOD_FACTS] or [
        fact for fact in all_facts if fact.kind not in BAD_FACTS
    ]
    return _join_facts(locale, position, move, told_facts)


def bad_facts(locale: Language, position: Position, move: Move, line: Sequence[Move] = ()) -> str:
    """Returns the facts against a move if the game follows that line: first the later harm, then the visible facts."""
    facts_by_kind = {fact.kind: fact for fact in facts_of_move(position, move) if fact.kind in BAD_FACTS}
    comes, at_once = bad_aftermath(position, move, line), facts_by_kind.get(FactKind.LOSES)
    if comes and FactKind.LETS_WIN not in facts_by_kind and not (at_once and 0 < comes.number <= at_once.number):
        facts_by_kind.pop(FactKind.LOSES, None)
        facts_by_kind = {comes.kind: comes, **facts_by_kind}
    return _join_facts(locale, position, move, facts_by_kind.values())


def chances_words(locale: Language, variant: Variant, review: Review) -> str:
    """Returns the curve in words: the chances at regular intervals, and at the end."""
    last = len(review.chances) - 1
    stride = max(1, -(-last // CHANCES_TOLD))
    sentences = []
    for moves in sorted({*range(0, last, stride), last}):
        chances = zip(variant.seats, review.chances[moves], strict=True)
        each = ", ".join(
            f"{colour_name(locale, variant, seat)} {percent_text(locale, chance)}" for seat, chance in chances
        )
        sentences.append(text(locale, "review.after" if moves else "review.at-start", moves=moves, chances=each))
    return text(locale, "review.alt", chances=" ".join(sentences))


def percent_text(locale: Language, chance: float) -> str:
    """Returns a chance as the language writes it: "38%"."""
    return text(locale, "review.percent", count=round(100 * chance))


def _turning_line(locale: Language, match: Match, position: Position, number: int, turning: TurningPoint) -> str:
    board = match.variant.board
    return text(
        locale,
        "review.line",
        **side_values(locale, match.variant, position.turn),
        number=number,
        move=turning.ply + 1,
        played=format_move(_move_played(match, turning), board),
        chance=percent_text(locale, turning.played_chance),
        better=format_move(turning.better, board),
        other=percent_text(locale, turning.better_chance),
    )


def _move_played(match: Match, turning: TurningPoint) -> Move:
    return match.started_game.moves[turning.ply]


def _side_name(locale: Language, variant: Variant, seat: int) -> str:
    return f"{seat_emblem(variant, seat)} {colour_name(locale, variant, seat)}"


def _join_facts(locale: Language, position: Position, move: Move, all_facts: Iterable[Fact]) -> str:
    after = resolve_passes(position.after_move(move))[0]
    phrases = [_fact_text(locale, after, fact) for fact in [*all_facts][:MAX_FACTS_TOLD]]
    return join_list(locale, phrases)


def _fact_text(locale: Language, after: Position, fact: Fact) -> str:
    """Returns a fact about the move that led to that position, in words: "captures 2 pieces"."""
    board, variant = after.variant.board, after.variant
    values = {
        "colour": colour_name(locale, variant, fact.seat) if fact.seat is not None else "",
        "move": format_move(fact.move, board) if fact.move else "",
        "line": moves_with_emblems(after, fact.line),
        "cell": board.names[fact.cell] if fact.cell is not None else "",
    }
    key = f"review.fact.{fact.kind.value}"
    if fact.number:
        return plural_text(locale, key, fact.number, **values)
    return text(locale, key, **values)
