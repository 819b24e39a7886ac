"""Events in words: positions, moves, refusals and results. Pure; of Discord it knows only the markup."""

from __future__ import annotations

from collections.abc import Iterable

from bot.core.listings import MessageRef
from bot.texts.i18n import Language, join_list, plural_text, text
from bot.texts.markup import escape_markup
from rules import (
    VARIANTS,
    AmbiguousMove,
    Cause,
    Game,
    IllegalMove,
    Move,
    PieceKind,
    Position,
    Reason,
    RulesError,
    Side,
    Variant,
    format_move,
)
from rules.board import LegKind
from rules.game import resolve_passes

EMBLEMS = {"White": "⚪", "Black": "⚫", "Blue": "🔵", "Red": "🔴", "Green": "🟢"}
"""A sign beside each colour's name, never instead of it."""

MAX_MOVES_LISTED = 8
"""How many moves a sentence lists before it says that there are more."""


def titled_name(locale: Language, variant: Variant, title: str | None) -> str:
    """The variant's name, followed by the title that a referee has given: "Camelot: Club final"."""
    name = variant_name(locale, variant)
    return text(locale, "variant-titled", variant=name, title=escape_markup(title)) if title else name


def colour_name(locale: Language, variant: Variant, seat: int) -> str:
    """The name of that seat's colour."""
    return text(locale, f"colour.{variant.armies[seat].colour}")


def seat_emblem(variant: Variant, seat: int) -> str:
    """The sign of that seat's colour."""
    return EMBLEMS[variant.armies[seat].colour]


def side_values(locale: Language, variant: Variant, seat: int) -> dict[str, str]:
    """The emblem and the colour of that seat as placeholder values."""
    return {"emblem": seat_emblem(variant, seat), "colour": colour_name(locale, variant, seat)}


def variant_called(locale: Language, key: str) -> str:
    """The name of the variant stored by that key; the key itself if it is not known here."""
    return text(locale, f"variant.{key}") if key in VARIANTS else escape_markup(key)


def variant_name(locale: Language, variant: Variant) -> str:
    """The variant's name."""
    return text(locale, f"variant.{variant.key}")


def move_kind(before: Position, move: Move) -> str:
    """The rulebook's word for the move: "step", "castle", "canter", "jump" or "charge"."""
    if move.captures:
        return "jump" if len(move.captures) == len(move.path) - 1 else "charge"
    if move.path[0] in before.variant.armies[before.turn].goal:
        return "castle"
    leap = (move.path[0], move.path[1]) in before.variant.board.between
    return LegKind.CANTER.value if leap else LegKind.STEP.value


def played_sentence(locale: Language, before: Position, move: Move, name: str = "") -> str:
    """Who moved what, in the rulebook's terms. `name` is the player's, if known."""
    variant, seat = before.variant, before.turn
    taken = plural_text(locale, "turn.taken", len(move.captures)) if move.captures else ""
    return text(
        locale,
        f"turn.{move_kind(before, move)}",
        **side_values(locale, variant, seat),
        name=in_brackets(name),
        move=format_move(move, variant.board),
        taken=taken,
    )


def in_brackets(name: str) -> str:
    """A player's name as it follows the colour, with a blank before it; empty if it is not known."""
    return f" ({escape_markup(name)})" if name else ""


def moves_with_emblems(position: Position, moves: Iterable[Move]) -> str:
    """Consecutive moves from that position, with the colours: "🔵 `H14-I15` · 🔴 `C13-B12`"."""
    parts = list[str]()
    for move in moves:
        parts.append(f"{seat_emblem(position.variant, position.turn)} `{format_move(move, position.variant.board)}`")
        position = resolve_passes(position.after_move(move))[0]
    return " · ".join(parts)


def message_url(guild: int, post: MessageRef) -> str:
    """The address of that message, which Discord's clients open themselves."""
    return f"https://discord.com/channels/{guild}/{post.channel}/{post.message}"


def duty_sentence(locale: Language, position: Position) -> str | None:
    """The rules' demand on the player to move; None if there is none."""
    side = Side(position)
    if side.in_own_castle:
        return text(locale, "turn.homebound")
    return text(locale, "turn.due") if side.capture_due else None


def ending_sentence(locale: Language, game: Game) -> str:
    """Why that finished game ended."""
    outcome, position, variant = game.outcome, game.position, game.variant
    assert outcome is not None
    key, winner, loser = f"end.{outcome.cause.value}", "", ""
    if outcome.winners:
        winner = colour_name(locale, variant, outcome.winners[0])
    if outcome.cause is Cause.CASTLE:
        goal = variant.armies[outcome.winners[0]].goal
        loser = next(
            colour_name(locale, variant, seat) for seat in variant.seats if variant.armies[seat].castle == goal
        )
    elif outcome.cause is Cause.QUIET:
        key = quiet_key(key, variant)
    elif outcome.cause is Cause.STALEMATE:
        loser = colour_name(locale, variant, position.turn)
        key += "-won" if outcome.winners else ""
    elif outcome.cause is Cause.RESIGNATION and outcome.winners and len(variant.seats) == 2:
        key += "-two"
        loser = colour_name(locale, variant, 1 - outcome.winners[0])
    counts = {"repetitions": game.repetitions, "quiet": game.quiet_moves}  # a claim can come before the automatic draw
    return text(locale, key, winner=winner, loser=loser, **counts)


def quiet_key(key: str, variant: Variant) -> str:
    """The key of a sentence about quiet moves. It differs if a new piece in a castle is neither quiet nor a win."""
    return f"{key}-two" if len(variant.armies[0].goal) > 1 else key


def directions_key(variant: Variant) -> str:
    """The catalogue's word for the directions in which pieces of that variant move."""
    if len(variant.board.vectors[0]) > 2:
        return "levels"
    return "hexagons" if len(variant.board.directions) == 6 else "squares"


def pieces_text(locale: Language, position: Position, seat: int) -> str:
    """That side's pieces, Knights first, each kind in board order: "Knights E4, F5; Men D5"."""
    parts = []
    for kind, key in ((PieceKind.KNIGHT, "pieces.knights"), (PieceKind.MAN, "pieces.men")):
        cells = [cell for cell, piece in position.pieces.items() if piece == (seat, kind)]
        if cells:
            parts.append(plural_text(locale, key, len(cells), cells=", ".join(position.names(cells))))
    return "; ".join(parts) or text(locale, "pieces.none")


def sides_texts(locale: Language, position: Position) -> list[str]:
    """The pieces of each side, a sentence each; then a sentence for each side played by a steward or nobody."""
    colours = [colour_name(locale, position.variant, seat) for seat in position.variant.seats]
    lines = [
        text(locale, "alt.side", colour=name, pieces=pieces_text(locale, position, n)) for n, name in enumerate(colours)
    ]
    leaving_keys = {
        seat: "alt.steward" if seat in position.stewards else "alt.passive" for seat in sorted(position.out)
    }
    return lines + [text(locale, key, colour=colours[seat]) for seat, key in leaving_keys.items()]


def alt_text(
    locale: Language,
    game_id: int,
    ply: int,
    position: Position,
    *,
    over: bool,
    before: Position | None = None,
    move: Move | None = None,
) -> str:
    """A picture in words, at most 1024 characters: what changed, whose turn, material, and every piece by side."""
    variant = position.variant
    turn = text(locale, "alt.over" if over else "alt.to-move", colour=colour_name(locale, variant, position.turn))
    change = f"{move_sentence(locale, before, move)} {turn}" if before is not None and move is not None else turn
    return text(
        locale,
        "alt.board",
        variant=variant_name(locale, variant),
        id=game_id,
        when=ply_phrase(locale, ply),
        change=change,
        material=material_sentence(locale, position),
        pieces=" ".join(sides_texts(locale, position)),
    )


def move_sentence(locale: Language, before: Position, move: Move) -> str:
    """The move for readers who see no picture: "White played F6xH8, capturing G7."."""
    cells = ", ".join(before.names(move.captures))
    return text(
        locale,
        "alt.played",
        colour=colour_name(locale, before.variant, before.turn),
        move=format_move(move, before.variant.board),
        taken=plural_text(locale, "alt.taken", len(move.captures), cells=cells) if move.captures else "",
    )


def material_sentence(locale: Language, position: Position) -> str:
    """How many pieces each side has: "Pieces on the board: White 14, Black 13."."""
    variant = position.variant
    return text(
        locale, "alt.material", counts=counts_by_side(locale, variant, map(position.count_pieces, variant.seats))
    )


def counts_by_side(locale: Language, variant: Variant, numbers: Iterable[int]) -> str:
    """A number for each side, in seat order: "White 14, Black 13"."""
    each = enumerate(numbers)
    return ", ".join(
        text(locale, "alt.count", colour=colour_name(locale, variant, seat), count=count) for seat, count in each
    )


def ply_phrase(locale: Language, ply: int) -> str:
    """ "at the start" or "after move 5"."""
    return text(locale, "alt.after", number=ply) if ply else text(locale, "alt.start")


def explain_rules_error(
    locale: Language, error: RulesError, example: str = "F7-F9", variant: Variant | None = None
) -> str:
    """Why the rules refuse the typed text, in a sentence or two; `variant` is the game, if known."""
    cells = [f"**{cell}**" for cell in error.cells]
    values: dict[str, object] = {
        "text": escape_markup(error.text),
        "example": f"`{example}`",
        "cells": join_list(locale, cells) if cells else "",
        "first": cells[0] if cells else "",
        "second": cells[1] if len(cells) > 1 else "",
        "rest": join_list(locale, cells[1:]) if len(cells) > 1 else "",
    }
    if isinstance(error, AmbiguousMove):
        return _explain_ambiguous(locale, error, values)
    if isinstance(error, IllegalMove):
        captures = [
            text(locale, "move.captures", start=f"**{start}**", over=f"**{over}**") for start, over in error.captures
        ]
        values["captures"] = join_list(locale, captures, "or") if captures else ""
    if error.reason is Reason.TOO_MANY_PIECES:
        values["colour"] = text(locale, f"colour.{error.text}")
    key = f"reason.{error.reason.value}"
    if error.reason is Reason.NOT_STRAIGHT and variant and directions_key(variant) == "hexagons":
        key = f"{key}-hexagons"
    return text(locale, key, **values)


def _explain_ambiguous(locale: Language, error: AmbiguousMove, values: dict[str, object]) -> str:
    candidates = [f"`{name}`" for name in error.cells[:MAX_MOVES_LISTED]]
    if not candidates:
        return text(locale, "reason.ambiguous-unknown", **values)
    cut = error.more or len(error.cells) > len(candidates)
    values["candidates"] = ", ".join(candidates) if cut else join_list(locale, candidates, "or")
    return text(locale, "reason.ambiguous-more" if cut else "reason.ambiguous", **values)


def code_list(moves: Iterable[str]) -> str:
    """Notations in a row, each as code."""
    return ", ".join(f"`{move}`" for move in moves)
