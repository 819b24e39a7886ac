"""Games in words: positions, moves, refusals, results, clocks, and boards as text. Of Discord only the markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from bot.core.clock import DAY, HOUR, Pace
from bot.core.deadlines import PeopleById, clock_resumes_at, seconds_left, time_runs_out_at
from bot.core.house_seats import is_house
from bot.core.match import Match, MessageRef
from bot.core.plans import PlanEnd
from bot.core.setting_kinds import is_known_zone
from bot.texts.i18n import LANGUAGES, Language, join_list, plural_text, text
from bot.texts.markup import absolute_time, escape_markup, relative_time
from render import View
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
from rules.board import Cell, LegKind
from rules.diagram import EMPTY_MARK, format_diagram
from rules.game import positions_along
from rules.record import move_numbers

EMBLEMS = {"White": "⚪", "Black": "⚫", "Blue": "🔵", "Red": "🔴", "Green": "🟢"}
"""A sign beside each colour's name, never instead of it."""

MAX_MOVES_LISTED = 8
"""How many moves a sentence lists before it says that there are more."""


def titled_name(locale: Language, variant: Variant, title: str | None) -> str:
    """The variant's name, followed by the title of a league game: "Camelot: League 3, group A"."""
    name = variant_name(locale, variant)
    said = escape_markup(translate_title(locale, title)) if title else ""
    return text(locale, "variant-titled", variant=name, title=said) if title else name


_TITLE_PARTS = {"league": "(?P<league>.+)", "letter": "(?P<letter>.)", "id": r"(?P<id>\d+)"}
_OLD_ROUND = r"(, (round|runde) \d+)?"
"""The end of titles that earlier versions gave. All games of a season go on at once, so nobody needs to know it."""


def translate_title(locale: Language, title: str) -> str:
    """The title of a game, which is stored in its server's language, in that one; any other words as they are."""
    for key in ("league.game-title", "league.short-name"):
        found = (re.fullmatch(text(language, key, **_TITLE_PARTS) + _OLD_ROUND, title) for language in LANGUAGES)
        if values := next((match.groupdict() for match in found if match), None):
            return text(locale, key, **{name: translate_title(locale, value) for name, value in values.items()})
    return title


def colour_name(locale: Language, variant: Variant, seat: int) -> str:
    """The name of that seat's colour."""
    return text(locale, f"colour.{variant.armies[seat].colour}")


def colour_names(locale: Language, variant: Variant, seats: Iterable[int]) -> str:
    """The names of those seats' colours, as a list in words."""
    return join_list(locale, [colour_name(locale, variant, seat) for seat in seats])


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
    owners = _owners_text(locale, before, move)
    taken = plural_text(locale, "turn.taken", len(move.captures), owners=owners) if move.captures else ""
    return text(
        locale,
        f"turn.{move_kind(before, move)}",
        **side_values(locale, variant, seat),
        name=in_brackets(name),
        move=format_move(move, variant.board),
        taken=taken,
    )


def _owners_text(locale: Language, before: Position, move: Move) -> str:
    """Whose pieces the move takes: " from Blue and Red"; empty in games of two."""
    variant = before.variant
    owners = sorted({variant.piece_by_code[before.cells[cell]].seat for cell in move.captures})
    if len(variant.seats) == 2 or not owners:
        return ""
    return text(locale, "turn.owners", owners=join_list(locale, [colour_name(locale, variant, one) for one in owners]))


def in_brackets(name: str) -> str:
    """A player's name as it follows the colour, with a blank before it; empty if it is not known."""
    return f" ({escape_markup(name)})" if name else ""


def moves_with_emblems(position: Position, moves: Sequence[Move]) -> str:
    """Consecutive moves from that position, with the colours: "🔵 `H14-I15` · 🔴 `C13-B12`"."""
    variant, befores = position.variant, [position, *positions_along(position, moves[:-1])]
    parts = zip([seat_emblem(variant, before.turn) for before in befores], moves, strict=False)
    return " · ".join(f"{emblem} `{format_move(move, variant.board)}`" for emblem, move in parts)


def message_url(guild: int, post: MessageRef) -> str:
    """The address of that message, which Discord's clients open themselves."""
    return f"https://discord.com/channels/{guild}/{post.channel}/{post.message}"


def duty_sentence(locale: Language, position: Position, *, names_colour: bool = False) -> str | None:
    """The rules' demand on the player to move, addressed to them or naming their colour; None if there is none."""
    side = Side(position)
    if not side.in_own_castle and not side.capture_due:
        return None
    key = f"turn.{'homebound' if side.in_own_castle else 'due'}{'-named' if names_colour else ''}"
    return text(locale, key, colour=colour_name(locale, position.variant, position.turn))


def ending_sentence(locale: Language, game: Game) -> str:
    """Why that finished game ended: "Black's castle is taken."."""
    outcome, position, variant = game.outcome, game.position, game.variant
    assert outcome is not None
    key, loser = f"end.{outcome.cause.value}", ""
    if outcome.cause is Cause.CASTLE:
        loser = colour_name(locale, variant, variant.attacked_by(outcome.winners[0]))
    elif outcome.cause is Cause.QUIET:
        key = quiet_key(key, variant)
    elif outcome.cause is Cause.STALEMATE:
        loser = colour_name(locale, variant, position.turn)
        key += "-won" if outcome.winners else ""
    elif outcome.cause is Cause.RESIGNATION and len(losers := {*variant.seats} - {*outcome.winners}) == 1:
        key += "-one"
        loser = colour_name(locale, variant, losers.pop())
    counts = {"repetitions": game.repetitions, "quiet": game.quiet_moves}  # a claim can come before the automatic draw
    return text(locale, key, loser=loser, **counts)


def quiet_key(key: str, variant: Variant) -> str:
    """The key of a sentence about quiet moves. It differs if a new piece in a castle is neither quiet nor a win."""
    return f"{key}-two" if len(variant.armies[0].goal) > 1 else key


def directions_key(variant: Variant) -> str:
    """The catalogue's word for the directions in which pieces of that variant move."""
    if len(variant.board.vectors[0]) > 2:
        return "levels"
    return "hexagons" if len(variant.board.directions) == 6 else "squares"


def pieces_text(locale: Language, position: Position, seat: int) -> str:
    """That side's pieces, Knights first, each kind in board order: "3 pieces: Knights E4, F5; Man D5"."""
    parts, (man, knight) = [], position.variant.piece_codes[seat]
    for code, key in ((knight, "pieces.knights"), (man, "pieces.men")):
        cells = [cell for cell, other in enumerate(position.cells) if other == code]
        if cells:
            parts.append(plural_text(locale, key, len(cells), cells=", ".join(position.names(cells))))
    count = position.count_pieces(seat)
    return plural_text(locale, "pieces.all", count, kinds="; ".join(parts)) if count else text(locale, "pieces.none")


def sides_texts(locale: Language, position: Position) -> list[str]:
    """The pieces of each side, a sentence each; then a sentence for each side played by a steward or nobody."""
    colours = [colour_name(locale, position.variant, seat) for seat in position.variant.seats]
    lines = [
        text(locale, "alt.side", colour=name, pieces=pieces_text(locale, position, n)) for n, name in enumerate(colours)
    ]
    played_by = {seat: "steward" if seat in position.stewards else "passive" for seat in sorted(position.out)}
    return lines + [text(locale, f"alt.{by}", colour=colours[seat]) for seat, by in played_by.items()]


def alt_text(
    locale: Language,
    game_id: int,
    moment: str,
    position: Position,
    *,
    over: Sequence[int] | None = None,
    before: Position | None = None,
    move: Move | None = None,
) -> str:
    """A picture in words, at most 1024 characters: what changed, whose turn, and every piece by side.

    `moment`: see `moment_phrase`. `over`: who has won, once the game is over.
    """
    variant = position.variant
    turn = turn_sentence(locale, position, over)
    change = f"{move_sentence(locale, before, move)} {turn}" if before is not None and move is not None else turn
    return text(
        locale,
        "alt.board",
        variant=variant_name(locale, variant),
        id=game_id,
        when=moment,
        change=change,
        pieces=" ".join(sides_texts(locale, position)),
        castles=castles_sentence(locale, variant),
    )


def turn_sentence(locale: Language, position: Position, over: Sequence[int] | None) -> str:
    """Who is to move; once the game is over, who has won."""
    key = "alt.to-move" if over is None else "alt.won" if over else "alt.over"
    return text(locale, key, colour=colour_names(locale, position.variant, over or [position.turn]))


def game_alt_text(
    locale: Language, game_id: int, game: Game, before: Position | None = None, move: Move | None = None
) -> str:
    """The picture of a game in words, as it stands after its moves: see `alt_text`."""
    moment, over = moment_phrase(locale, game), game.outcome and game.outcome.winners
    return alt_text(locale, game_id, moment, game.position, over=over, before=before, move=move)


def grown_alt_text(locale: Language, view: View) -> str:
    """The picture of a move in the making in words: the move so far, and the pieces as they stand after it."""
    assert view.grown is not None
    move = format_move(view.grown, view.position.variant.board)
    return " ".join([f"{move}.", *sides_texts(locale, view.shown_position)])


def attack_sentence(locale: Language, variant: Variant, seat: int, key: str = "alt.attack", **values: str) -> str:
    """Which castle that side attacks, and whose it is: "Blue attacks A16, Red's castle."."""
    castle = join_list(locale, [variant.board.names[cell] for cell in sorted(variant.armies[seat].goal)])
    owner = colour_name(locale, variant, variant.attacked_by(seat))
    return text(locale, key, castle=castle, owner=owner, **side_values(locale, variant, seat), **values)


def own_attack_line(locale: Language, variant: Variant, seat: int) -> str:
    """Which castle that side attacks, and in games of three who attacks its own, in small print, addressed to its
    player.
    """
    rival = next(other for other in variant.seats if variant.attacked_by(other) == seat)
    key = "composer.attack" if len(variant.seats) > 2 else "text-board.attack"
    return attack_sentence(locale, variant, seat, key, attacker=colour_name(locale, variant, rival))


def castles_sentence(locale: Language, variant: Variant, but: int | None = None) -> str:
    """Whose castle each side attacks; without the side `but`."""
    return " ".join(attack_sentence(locale, variant, seat) for seat in variant.seats if seat != but)


def move_sentence(locale: Language, before: Position, move: Move) -> str:
    """The move for readers who see no picture: "White jumped F6xH8 and took G7."."""
    return text(
        locale,
        f"alt.made.{move_kind(before, move)}",
        colour=colour_name(locale, before.variant, before.turn),
        move=format_move(move, before.variant.board),
        cells=join_list(locale, before.names(move.captures)) + _owners_text(locale, before, move),
    )


def counts_by_side(locale: Language, variant: Variant, numbers: Iterable[int]) -> str:
    """A number for each side, in seat order: "White 14, Black 13"."""
    each = enumerate(numbers)
    return ", ".join(
        text(locale, "alt.count", colour=colour_name(locale, variant, seat), count=count) for seat, count in each
    )


def turn_names(locale: Language, game: Game) -> list[str]:
    """The turn of each move, and of the one that may follow, counted as the record counts: "17, Blue"."""
    colours = [colour_name(locale, game.variant, seat) for seat in game.variant.seats]
    return [f"{number}, {colours[seat]}" for number, seat in move_numbers(game)]


def numbered_moves(locale: Language, game: Game) -> list[str]:
    """Each move after the name of its turn: "17, Blue: F7-F9"."""
    names = turn_names(locale, game)
    return [f"{name}: {format_move(move, game.variant.board)}" for name, move in zip(names, game.moves, strict=False)]


def plan_end_text(locale: Language, variant: Variant, fallen: PlanEnd) -> str:
    """Why a plan was not played."""
    return text(
        locale, f"plan.fallen.{fallen.reason.value}", **side_values(locale, variant, fallen.seat), move=fallen.move
    )


def moment_phrase(locale: Language, game: Game, ply: int | None = None) -> str:
    """ "at the start" or "after turn 17, Blue": after all moves of the game, or after `ply` of them."""
    ply = len(game.moves) if ply is None else ply
    return text(locale, "alt.after", turn=turn_names(locale, game)[ply - 1]) if ply else text(locale, "alt.start")


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
        captures = [text(locale, "move.captures", start=f"**{at}**", over=f"**{over}**") for at, over in error.captures]
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


# Clocks: how much time is left, when it runs out, and when a clock stands still


MINUTE = 60


def zone_text(locale: Language, zone: str) -> str:
    """A stored time zone; if it is not known here, also the zone in use."""
    return zone if is_known_zone(zone) else text(locale, "unknown-name.zone", zone=escape_markup(zone))


def duration_text(locale: Language, seconds: int) -> str:
    """A span in its two largest units: "3 d 4 h", "5 h", "12 min".

    Rounded down, but to the nearest hour from a day on, so that a bank of four days is not 3 d 23 h a minute later.
    """
    if seconds >= DAY:
        seconds += HOUR // 2
    days, rest = divmod(seconds, DAY)
    hours, minutes = rest // HOUR, rest % HOUR // MINUTE
    parts = [text(locale, "clock.days", count=days)] if days else []
    if hours:
        parts.append(text(locale, "clock.hours", count=hours))
    if not days and (minutes or not hours):
        parts.append(text(locale, "clock.minutes", count=minutes))
    return " ".join(parts)


def terms_text(locale: Language, pace: Pace, *, vacations: bool) -> str:
    """The terms of a game's clock, as its table states them."""
    if pace.clock_terms is None:
        return text(locale, "clock.terms-none")
    sentence = text(locale, "clock.terms", pace=text(locale, f"choice.pace.{pace.value}"))
    return sentence if vacations else f"{sentence} {text(locale, 'clock.no-vacations')}"


def claim_label(match: Match) -> str:
    """The name of the label on the button that claims the game, or in a game of three the seat."""
    return "claim" if len(match.still_in) == 2 else "claim-seat"


def due_text(locale: Language, match: Match, people: PeopleById) -> str | None:
    """When a pause, the time of the player to move, or their grace ends; None if none of these is running."""
    if match.paused_until is not None:
        return text(locale, "clock.paused", until=absolute_time(match.paused_until))
    deadline = time_runs_out_at(match, people)
    if deadline is None:
        return None
    if match.clock.grace_ends_at is not None:
        key = "clock.grace-ladder" if match.needs_no_claim else "clock.grace"
        return text(locale, key, until=relative_time(deadline), claim=text(locale, f"button.{claim_label(match)}"))
    return text(locale, "clock.due", falls=relative_time(deadline))


def clock_lines(locale: Language, match: Match, now: int, people: PeopleById) -> list[str]:
    """When a pause ends, or the deadline of the player to move, and the time each player has left, in small print;
    empty without a clock or a pause.
    """
    due = due_text(locale, match, people)
    if due is None or match.to_move is None:
        return []
    if match.clock.grace_ends_at is not None:
        return [f"-# {due}"]
    if (again := clock_resumes_at(match, now, people)) is not None:
        due += " " + text(locale, "clock.stands", again=absolute_time(again))
    banks = [
        f"{seat_emblem(match.variant, seat)} {duration_text(locale, seconds)}"
        for seat, seconds in enumerate(seconds_left(match, now, people))
        if match.started_game.position.is_playing(seat) and not is_house(match.players[seat])
    ]
    lines = [f"-# {due}", f"-# {text(locale, 'clock.banks', banks=' · '.join(banks))}"]
    return lines if len(banks) > 1 else lines[:1]  # a player against house players alone has read the deadline


# A board as text of fixed width, for screen readers and plain terminals: everything that the picture shows.
# In games of three it is never turned.


CASTLE_MARK, EMPTY_CELL = "#", "·"
"""The marks of an empty castle cell and of the other empty cells. Screen readers read full stops aloud, one by one."""


def text_board(locale: Language, view: View) -> str:
    """The board as Discord's markup, at most 1800 characters: the last move, what is due, every piece, the castles; of
    a move in the making the pieces alone. Pieces to choose from have been told.

    The diagram and its legend come last: by ear they say nothing that has not been said.
    """
    position, variant = view.shown_position, view.position.variant
    sides, diagram = sides_texts(locale, position), f"```\n{_draw_diagram(locale, view)}\n```"
    if view.numbers and len(view.numbers) == position.count_pieces(position.turn):
        del sides[position.turn]
    if view.grown:
        return "\n".join([*sides, diagram])
    lines = [move_sentence(locale, view.before, view.last_move)] if view.before and view.last_move else []
    if view.to_move and (demand := duty_sentence(locale, position)):
        lines.append(demand)
    told = [] if view.reader is None else [attack_sentence(locale, variant, view.reader, "text-board.attack")]
    lines += [*sides, *told, castles_sentence(locale, variant, view.reader)]
    if variant.castle_moves:
        left = counts_by_side(locale, variant, (variant.castle_moves - used for used in position.castle_moves))
        lines.append(text(locale, "text-board.castle-moves", counts=left))
    return "\n".join([*lines, diagram, _legend_line(locale, position)])


_NUMBERS = "\ue000"
"""The first of the characters that stand for numbers while a diagram is drawn: one character for a cell."""


def _draw_diagram(locale: Language, view: View) -> str:
    """The grid of a text board, with the numbers of the choices; columns are as wide as their numbers."""
    variant, numbers = view.position.variant, {*view.numbers, *((c, n) for n, c in enumerate(view.reachable, start=1))}
    marks = _cell_marks(locale, view.shown_position) | {cell: chr(ord(_NUMBERS) + number) for cell, number in numbers}
    turned = bool(view.bottom) and len(variant.seats) == 2
    lines = format_diagram(variant.board, marks, _NUMBERS, turned=turned).replace(EMPTY_MARK, EMPTY_CELL).splitlines()
    rows = [[str(ord(mark) - ord(_NUMBERS)) if mark > _NUMBERS else mark for mark in line[4::2]] for line in lines]
    widths = [max(len(row[column]) for row in rows if column < len(row)) for column in range(max(map(len, rows)))]
    spread = (line[:4] + " ".join(map(str.rjust, row, widths)) for line, row in zip(lines, rows, strict=True))
    level = text(locale, "text-board.level")
    return re.sub(f"{_NUMBERS} +(.) *", lambda at: f"{level} {at[1]}".ljust(len(at[0])), "\n".join(spread))


def side_initial(locale: Language, position: Position, seat: int) -> str:
    """The letter of that side's Knights; its Men have the small letter."""
    return colour_name(locale, position.variant, seat)[0].upper()


def _cell_marks(locale: Language, position: Position) -> dict[Cell, str]:
    """The marks of the diagram, by cell, for all cells except plain empty ones."""
    castles = {cell: CASTLE_MARK for army in position.variant.armies for cell in army.castle}
    letters = {seat: side_initial(locale, position, seat) for seat in position.variant.seats}
    return castles | {
        cell: letters[piece.seat] if piece.kind is PieceKind.KNIGHT else letters[piece.seat].lower()
        for cell, piece in position.pieces.items()
    }


def _legend_line(locale: Language, position: Position) -> str:
    colours = [colour_name(locale, position.variant, seat) for seat in position.variant.seats]
    letters = [f"`{side_initial(locale, position, seat)}` {colour}" for seat, colour in enumerate(colours)]
    return text(locale, "text-board.legend", letters=", ".join(letters), castle=CASTLE_MARK)
