"""Games as portable records: the headers that a match gives to `rules.record` and `rules.collection`. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version

from bot.core.clock import HOUR, Pace
from bot.core.match import Match
from bot.core.refereeing import MAX_TITLE_LENGTH
from bot.texts.markup import one_line
from bot.texts.sentences import turn_names
from rules import RecordComment, format_move, format_record
from rules.collection import format_line

RULES_EDITION = f"Round Table {version('round-table')}"
"""The version whose reading of the rules judged the moves."""


def record_text(match: Match, names: Mapping[int, str] | None = None, comments: Sequence[RecordComment] = ()) -> str:
    """The record of a started game as text. `names` are the players' names, single lines; a player without one appears
    by number."""
    return format_record(match.started_game, record_headers(match, names or {}), comments)


def record_line(match: Match) -> str:
    """The record as a line of JSON, in which players appear by number."""
    return format_line(match.started_game, record_headers(match, {}))


def record_headers(match: Match, names: Mapping[int, str]) -> dict[str, str]:
    """The headers after the variant, in their order."""
    seats = zip(match.variant.armies, match.players, strict=True)
    players = (f"{army.colour} {names.get(user, user)}" for army, user in seats)
    values = {
        "game": str(match.id),
        "players": ", ".join(players),
        "began": _date_text(match.began_at),
        "ended": _date_text(match.ended_at) if match.ended_at is not None else "",
        # A record is quoted in a code block, which no title may end or reverse.
        "title": one_line(match.title, MAX_TITLE_LENGTH).replace("`", "'") if match.title else "",
        "rules": RULES_EDITION,
        "clock": clock_header(match.terms.pace),
        "ladder": "yes" if match.terms.ladder else "",
        "annulled": "yes" if match.annulled else "",
        "substitutes": "; ".join(_substitution_texts(match, names)),
        "taken-back": "; ".join(_taken_back_texts(match)),
    }
    return {key: value for key, value in values.items() if value}


def clock_header(pace: Pace) -> str:
    """The clock as a header has it: "standard, 72 h and 24 h a move, at most 120 h"."""
    terms = pace.clock_terms
    if terms is None:
        return "none"
    bank, increment, cap = (seconds // HOUR for seconds in terms)
    return f"{pace.value}, {bank} h and {increment} h a move, at most {cap} h"


def people_named(match: Match) -> tuple[int, ...]:
    """Returns the users that the record of a match names, each once."""
    return tuple(dict.fromkeys((*match.players, *(substitute.instead for substitute in match.roster.substitutes))))


def _substitution_texts(match: Match, names: Mapping[int, str]) -> Iterator[str]:
    """Each takeover of a seat: "from turn 3, Blue: Red Dee for Bo"."""
    turns = turn_names("en", match.started_game)
    for user, seat, instead, ply in match.roster.substitutes:
        colour = match.variant.armies[seat].colour
        yield f"from turn {turns[ply]}: {colour} {names.get(user, user)} for {names.get(instead, instead)}"


def _taken_back_texts(match: Match) -> Iterator[str]:
    """Each takeback: "from turn 2, White: F7-F8 F10-F9"."""
    turns = turn_names("en", match.started_game)
    for ply, moves in match.undone:
        yield f"from turn {turns[ply]}: {' '.join(format_move(move, match.variant.board) for move in moves)}"


def _date_text(instant: int) -> str:
    return datetime.fromtimestamp(instant, UTC).date().isoformat()
