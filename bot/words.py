"""What happened, in words: positions, moves, refusals and results. Pure; of Discord it knows only the markup."""

from __future__ import annotations

from collections.abc import Iterable

from bot.i18n import Language, join, plural, text
from rules import (
    AmbiguousMove,
    Cause,
    IllegalMove,
    Kind,
    Move,
    Outcome,
    Position,
    RulesError,
    Side,
    Variant,
    format_move,
)
from rules.board import LegKind

EMBLEMS = {"White": "⚪", "Black": "⚫", "Blue": "🔵", "Red": "🔴", "Green": "🟢"}
"""A sign beside each colour's name, never instead of it."""

SHOWN_CANDIDATES = 8
"""How many moves a sentence lists before it says that there are more."""


def mention(user: int) -> str:
    """Discord's markup for a person. Whether it pings is decided where it is sent."""
    return f"<@{user}>"


def colour(locale: Language, variant: Variant, seat: int) -> str:
    """The name of that seat's colour."""
    return text(locale, f"colour.{variant.armies[seat].colour}")


def emblem(variant: Variant, seat: int) -> str:
    """The sign of that seat's colour."""
    return EMBLEMS[variant.armies[seat].colour]


def variant_name(locale: Language, variant: Variant) -> str:
    """The game's name."""
    return text(locale, f"variant.{variant.key}")


def move_kind(before: Position, move: Move) -> str:
    """What the rulebook calls the move: "step", "castle", "canter", "jump" or "charge"."""
    if move.captures:
        return "jump" if len(move.captures) == len(move.path) - 1 else "charge"
    if move.path[0] in before.variant.armies[before.turn].goal:
        return "castle"
    leap = (move.path[0], move.path[1]) in before.variant.board.between
    return LegKind.CANTER.value if leap else LegKind.STEP.value


def played(locale: Language, before: Position, move: Move, name: str) -> str:
    """The sentence that says who moved what, in the rulebook's terms."""
    variant, seat = before.variant, before.turn
    taken = plural(locale, "turn.taken", len(move.captures)) if move.captures else ""
    return text(
        locale,
        f"turn.{move_kind(before, move)}",
        emblem=emblem(variant, seat),
        colour=colour(locale, variant, seat),
        name=plain(name),
        move=format_move(move, variant.board),
        taken=taken,
    )


def duty(locale: Language, position: Position) -> str | None:
    """What the rules demand of the player to move, if anything."""
    side = Side(position)
    if side.homebound:
        return text(locale, "turn.homebound")
    return text(locale, "turn.due") if side.due else None


def ending(locale: Language, position: Position, outcome: Outcome) -> str:
    """Why the game ended, in a sentence. `position` is the last one."""
    variant = position.variant
    key, winner, loser = f"end.{outcome.cause.value}", "", ""
    if outcome.winners:
        winner = colour(locale, variant, outcome.winners[0])
    if outcome.cause is Cause.CASTLE:
        goal = variant.armies[outcome.winners[0]].goal
        loser = next(colour(locale, variant, seat) for seat in variant.seats if variant.armies[seat].castle == goal)
    elif outcome.cause is Cause.STALEMATE:
        loser = colour(locale, variant, position.turn)
        key += "-won" if outcome.winners else ""
    return text(locale, key, winner=winner, loser=loser)


def pieces(locale: Language, position: Position, seat: int) -> str:
    """That side's pieces, Knights first, each in board order: "Knights E4, F5; Men D5"."""
    names = {
        kind: ", ".join(
            position.variant.board.names[cell]
            for cell, piece in position.pieces.items()
            if piece.seat == seat and piece.kind is kind
        )
        for kind in Kind
    }
    said = []
    if names[Kind.KNIGHT]:
        said.append(text(locale, "pieces.knights", cells=names[Kind.KNIGHT]))
    if names[Kind.MAN]:
        said.append(text(locale, "pieces.men", cells=names[Kind.MAN]))
    return "; ".join(said) or text(locale, "pieces.none")


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
    """A picture in words, at most 1024 characters: what changed, whose turn, and every piece by side."""
    variant = position.variant
    turn = text(locale, "alt.over" if over else "alt.to-move", colour=colour(locale, variant, position.turn))
    change = turn
    if before is not None and move is not None:
        cells = ", ".join(position.names(move.captures))
        said = text(
            locale,
            "alt.played",
            colour=colour(locale, variant, before.turn),
            move=format_move(move, variant.board),
            taken=plural(locale, "alt.taken", len(move.captures), cells=cells) if move.captures else "",
        )
        change = f"{said} {turn}"
    sides = " ".join(
        text(locale, "alt.side", colour=colour(locale, variant, seat), pieces=pieces(locale, position, seat))
        for seat in variant.seats
    )
    return text(
        locale,
        "alt.board",
        variant=variant_name(locale, variant),
        id=game_id,
        when=when(locale, ply),
        change=change,
        pieces=sides,
    )


def when(locale: Language, ply: int) -> str:
    """ "at the start" or "after move 5"."""
    return text(locale, "alt.after", number=ply) if ply else text(locale, "alt.start")


def refusal(locale: Language, error: RulesError, example: str = "F7-F9") -> str:
    """Why the rules refuse what was typed, in one sentence."""
    cells = [f"**{cell}**" for cell in error.cells]
    values: dict[str, object] = {
        "text": plain(error.text),
        "example": f"`{example}`",
        "cells": join(locale, cells) if cells else "",
        "first": cells[0] if cells else "",
        "second": cells[1] if len(cells) > 1 else "",
        "rest": join(locale, cells[1:]) if len(cells) > 1 else "",
    }
    if isinstance(error, AmbiguousMove):
        return _ambiguous(locale, error, values)
    if isinstance(error, IllegalMove):
        captures = [
            text(locale, "move.captures", start=f"**{start}**", over=f"**{over}**") for start, over in error.captures
        ]
        values["captures"] = join(locale, captures, "list.or") if captures else ""
    return text(locale, f"reason.{error.reason.value}", **values)


def _ambiguous(locale: Language, error: AmbiguousMove, values: dict[str, object]) -> str:
    shown = [f"`{name}`" for name in error.cells[:SHOWN_CANDIDATES]]
    if not shown:
        return text(locale, "reason.ambiguous-unknown", **values)
    cut = error.more or len(error.cells) > len(shown)
    values["candidates"] = ", ".join(shown) if cut else join(locale, shown, "list.or")
    return text(locale, "reason.ambiguous-more" if cut else "reason.ambiguous", **values)


def plain(typed: str, longest: int = 60) -> str:
    """A name, or what somebody typed, so that it can stand in a message: short, one line, no markup, nobody pinged."""
    line = " ".join(typed.split()) or "…"
    line = line if len(line) <= longest else line[: longest - 1] + "…"
    return "".join(f"\\{char}" if char in "\\*_~`|>#[]()" else char for char in line).replace("@", "@\u200b")


def code_list(moves: Iterable[str]) -> str:
    """Notations in a row, each as code."""
    return ", ".join(f"`{move}`" for move in moves)
