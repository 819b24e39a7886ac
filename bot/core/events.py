"""The events of a match as they are stored, and how their bodies are written and read.

The bodies are short, because a game has hundreds of them, and readable, because people look into databases.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from bot.core.clock import Pace, VacationCap
from bot.core.house_seats import MIN_HOUSE_ID
from rules import VARIANTS, Cause, Outcome, Position, Variant

LARGEST_STORED_INT = 2**63 - 1
"""The largest number that the database can hold; people can type larger ones."""


class EventKind(Enum):
    """The kind of an event. The values are stored and never change."""

    OPENED = 1  # user: the host, who takes a seat by it. body: see `format_opening`
    JOINED = 2  # user
    LEFT = 3  # user
    DECLINED = 4  # user
    CANCELLED = 5  # user: the host
    EXPIRED = 6
    STARTED = 7  # body: the players in seat order, "11,22"
    THREADED = 8  # body: the thread in which the match continues, "" for its channel; HOMELESS follows if that is shut
    MOVED = 9  # made by the player to move. body: see `format_turn`
    RESIGNED = 10  # user. body: "pass:N" if N turns passed. In old games "steward:1": a steward plays the seat
    ENDED = 11  # body: the cause and the seats that won, "castle:0", "few-pieces:"

    # The clock. "used:N" is in counted seconds, charged to the player to move. A move without it has used every second
    # since the clock was started.
    CHARGED = 12  # body: "used:N". Their habits change, so the time used is settled by the old habits
    REMINDED = 13  # user: the player to move
    SNOOZED = 14  # user: the player to move. body: "until:T"
    NUDGED = 15  # user: the opponent who nudges
    GRACE = 16  # user: the player to move, whose bank is used up. body: "until:T"
    GIVEN = 17  # user: the opponent who gives time. body: "seat:N bank:N used:N", with the new bank; "charged:N"
    TIMED_OUT = 18  # user. body: as in RESIGNED, and "by:USER" if an opponent claimed it
    STILL = 19  # a warning: no move for long without a clock, or no claim for long after time ran out
    CLOSED_STILL = 20  # the game is closed after that warning

    # Leavers
    VACATED = 21  # user: the leaver. body: "seat:N cause:resignation until:T used:N", "by:USER" as in TIMED_OUT
    TAKEN_OVER = 22  # user: the substitute. body: "seat:N bank:N used:N", "turn:on" if another player's turn continues
    VOTE = 23  # the call has run out, or all players agreed not to wait (user: the last to agree). body: "until:T",
    # "steward:1", and "house:USER" if the vote also offers that house player
    VOTED = 24  # user. body: see `Ballot`
    PASSIVE = 25  # body: "seat:N", "pass:N" and "steward:1" as in RESIGNED, and "turn:on" as above. A steward's moves
    # are MOVED, and its passes count among the turns that pass
    HANDOVER_ASKED = 26  # user. body: "to:USER"
    HANDOVER_ACCEPTED = 27  # user
    HANDOVER_DECLINED = 28  # user

    # Agreements
    DRAW_OFFERED = 29  # user
    DRAW_ACCEPTED = 30  # user
    DRAW_DECLINED = 31  # user
    DRAW_CLAIMED = 32  # user
    TAKEBACK_ASKED = 33  # user. body: "ply:N", the number of moves that would remain
    TAKEBACK_ACCEPTED = 34  # user
    TAKEBACK_DECLINED = 35  # user
    UNDONE = 36  # body: "ply:N"

    # The referee's acts. user: the referee. body: fields, and the reason on a line of its own
    CLOCK_SET = 37  # "seat:N bank:N used:N"
    REPLACED = 38  # "seat:N by:USER", and the rest as in TAKEN_OVER
    REWOUND = 39  # "ply:N", and "back:USER" if that user's leaving had ended the game and is undone
    ABORTED = 40
    ANNULLED = 41
    RENAMED = 42  # until November 2026. The title is on a third line; an empty one removes it

    # The place
    HOMELESS = 43  # the thread or channel is gone or closed to the bot
    REHOMED = 44  # user. body: "channel:N", and "thread:N" for one of its threads

    AWAY = 45  # user: a player goes on vacation. body: "until:T"
    BACK = 46  # user: a player who is back before the end of their vacation
    OVERDUE = 47  # user: the player to move. The grace is over too, and the opponents may claim
    PROLONGED = 48  # body: "until:T lost:N". Nobody could be reached for N seconds: the grace, call, vote or table
    # ends that much later
    FORGOTTEN = 49  # a user asked to be forgotten: another number replaces theirs in the earlier events
    UNREACHED = 50  # body: "since:T". Nobody could be reached for so long that the game ends without a result

    # 51 to 60 are not in use
    # user: the host. body: "level:easy until:T": house players take the empty seats then; "": never
    HOUSE_PROMISED = 61

    # While a substitute is sought, the remaining players may agree to vote at once
    VOTE_PROPOSED = 62  # user. When everybody has agreed, VOTE follows, with the user who agreed last
    VOTE_PROPOSAL_DROPPED = 63  # user: one who declines, or the one who proposed it

    # A pause by agreement
    PAUSE_ASKED = 64  # user. body: "until:T"
    PAUSE_ACCEPTED = 65  # user
    PAUSE_DECLINED = 66  # user
    PAUSED = 67  # body: "until:T used:N". The clock stands until then
    RESUMED = 68  # the pause is over

    POSITION_SET = 70  # second of a game against bots that begins from another position. body: it, in one line
    HINTED = 69  # user: a player against bots alone. body: the move that the engine would play, "F7-F9 board:4"


# Groups of kinds. Kinds in no group are announced to the players, and ping nobody unless they ask for an answer or give
# one.

QUIET_EVENTS = frozenset(
    {
        EventKind.OPENED,
        EventKind.RENAMED,
        EventKind.POSITION_SET,
        EventKind.JOINED,
        EventKind.LEFT,
        EventKind.DECLINED,
        EventKind.HOUSE_PROMISED,
        EventKind.THREADED,
        EventKind.CHARGED,
        EventKind.SNOOZED,
        EventKind.HINTED,
        EventKind.HOMELESS,
        EventKind.FORGOTTEN,
    }
)
NEWSWORTHY_EVENTS = frozenset(EventKind) - QUIET_EVENTS
"""The kinds that are announced to the players."""

SEAT_ABANDONED_EVENTS = frozenset({EventKind.RESIGNED, EventKind.TIMED_OUT, EventKind.PASSIVE})
"""After these, a steward or nobody plays a seat."""
NEW_PLAYER_EVENTS = frozenset({EventKind.TAKEN_OVER, EventKind.REPLACED})
"""These give a seat to somebody else."""
TAKEN_BACK_EVENTS = frozenset({EventKind.UNDONE, EventKind.REWOUND})
"""These take moves back."""

REFEREE_EVENTS = frozenset(
    {EventKind.CLOCK_SET, EventKind.REPLACED, EventKind.REWOUND, EventKind.ABORTED, EventKind.ANNULLED}
)
"""A referee's acts."""


class RequestKind(Enum):
    """What players ask of each other. The values begin catalogue keys."""

    DRAW = "draw"
    TAKEBACK = "takeback"
    HANDOVER = "handover"
    PAUSE = "pause"
    VOTE = "vote"  # to vote at once on the vacant seat, instead of waiting for a substitute


ASKING_EVENTS = {
    EventKind.DRAW_OFFERED: RequestKind.DRAW,
    EventKind.TAKEBACK_ASKED: RequestKind.TAKEBACK,
    EventKind.HANDOVER_ASKED: RequestKind.HANDOVER,
    EventKind.PAUSE_ASKED: RequestKind.PAUSE,
    EventKind.VOTE_PROPOSED: RequestKind.VOTE,
}
ACCEPTING_EVENTS = {
    EventKind.DRAW_ACCEPTED: RequestKind.DRAW,
    EventKind.TAKEBACK_ACCEPTED: RequestKind.TAKEBACK,
    EventKind.HANDOVER_ACCEPTED: RequestKind.HANDOVER,
    EventKind.PAUSE_ACCEPTED: RequestKind.PAUSE,
}
DECLINING_EVENTS = {
    EventKind.DRAW_DECLINED: RequestKind.DRAW,
    EventKind.TAKEBACK_DECLINED: RequestKind.TAKEBACK,
    EventKind.HANDOVER_DECLINED: RequestKind.HANDOVER,
    EventKind.PAUSE_DECLINED: RequestKind.PAUSE,
    EventKind.VOTE_PROPOSAL_DROPPED: RequestKind.VOTE,
}
"""By these, a request is made, agreed to by one user, and refused or withdrawn."""

TABLE_CLOSING_EVENTS = frozenset({EventKind.CANCELLED, EventKind.EXPIRED})
"""By these, a table closes before its game begins."""

FRESH_BOARD_EVENTS = (
    SEAT_ABANDONED_EVENTS
    | NEW_PLAYER_EVENTS
    | TAKEN_BACK_EVENTS
    | {EventKind.STARTED, EventKind.MOVED, EventKind.REHOMED}
)
"""After these a player is called to the board, so that it is posted again with its buttons."""

CALLING_MOVER_EVENTS = (FRESH_BOARD_EVENTS - {EventKind.STARTED}) | {
    EventKind.REMINDED,
    EventKind.NUDGED,
    EventKind.GRACE,
    EventKind.GIVEN,
    EventKind.RESUMED,
}
CALLING_PLAYERS_EVENTS = frozenset({EventKind.VACATED, EventKind.VOTE, EventKind.STILL})
CALLING_SEATED_EVENTS = REFEREE_EVENTS | {EventKind.STARTED, EventKind.CLOSED_STILL, EventKind.UNREACHED}
"""The kinds that call the player to move, all who still play, or everybody with a seat.

A start calls everybody: they have waited for the table to fill, and a mention brings them into the game's thread."""


class Ballot(Enum):
    """The choices in a vote. The values are stored and never change."""

    PLAY_ON = "play-on"
    HOUSE = "house"  # a house player takes the seat, where the vote offers one
    DRAW = "draw"
    ABANDON = "abandon"


@dataclass(frozen=True, slots=True)
class Event:
    """One stored fact about a match. `seq` counts from 1 without a gap, `at` is in unix seconds."""

    seq: int
    at: int
    kind: EventKind
    user: int | None = None
    body: str = ""


class Seating(Enum):
    """How seats are assigned. The values are stored and never change."""

    RANDOM = "random"
    JOIN_ORDER = "join-order"
    ROTATED = "rotated"  # as decided when the table was opened: a rematch changes the seats
    CHOSEN = "chosen"  # the host has chosen a seat; the others get theirs in the order of joining


class Terms(NamedTuple):
    """What the host decides about a game, for as long as it lasts."""

    variant: Variant
    seating: Seating
    wants_thread: bool
    pace: Pace = Pace.NONE
    ladder: bool = False
    """Whether the match counts for a ladder: there are no takebacks, and a player out of time loses without a claim."""
    vacations: bool = True
    """Whether clocks stand still while a player is on vacation."""
    vacation_cap: VacationCap | None = None
    """How much vacation of a player stops their clock; None: all of it."""
    order: tuple[int, ...] = ()
    """The intended user of each seat, where seats are rotated or chosen; 0 leaves a seat to anyone."""
    rematch_of: int | None = None
    """The match of which this one is the rematch."""
    called_until: int | None = None
    """Until when a list of games calls the players to their new game, so that its first board does not."""


class Opening(NamedTuple):
    """A table that is opened: where, for whom, and on which terms."""

    guild: int
    channel: int
    terms: Terms
    invited: tuple[int, ...] = ()
    title: str | None = None
    """What the match is a part of, such as a round of a league."""
    position: Position | None = None
    """Where the game begins, if not at the variant's start. Not in the body of OPENED: see POSITION_SET."""


def format_opening(opening: Opening) -> str:
    """The body of OPENED: "tri-camelot guild:1 channel:2 seats:random thread:1 invited:3,4 pace:slow ladder:0".

    Also "vacations:0" if vacations do not stop clocks, "vacation-cap:604800,1700000000" if only so many seconds since
    then do, "order:3,1 after:5" for a rematch, "order:0,3" if the host has chosen a seat, and "called:1700003600" if
    a list of games calls the players. A title stands on a line of its own.
    """
    terms = opening.terms
    fields = format_fields(
        guild=opening.guild,
        channel=opening.channel,
        seats=terms.seating.value,
        thread=int(terms.wants_thread),
        invited=format_numbers(opening.invited),
        pace=terms.pace.value,
        ladder=int(terms.ladder),
        vacations=None if terms.vacations else 0,
        **{"vacation-cap": format_numbers(terms.vacation_cap) if terms.vacation_cap else None},
        order=format_numbers(terms.order) or None,
        after=terms.rematch_of,
        called=terms.called_until,
    )
    line = f"{terms.variant.key} {fields}"
    return line if opening.title is None else body_with_reason(line, opening.title)


def parse_opening(body: str) -> Opening:
    """Reads what `format_opening` wrote, including bodies from before there were paces."""
    key, values = body.partition(" ")[0], parse_fields(body)
    terms = Terms(
        variant=VARIANTS[key],
        seating=Seating(values["seats"]),
        wants_thread=values["thread"] == "1",
        pace=Pace(values.get("pace", Pace.NONE.value)),
        ladder=values.get("ladder") == "1",
        vacations=values.get("vacations") != "0",
        vacation_cap=VacationCap(*parse_numbers(values["vacation-cap"])) if "vacation-cap" in values else None,
        order=parse_numbers(values.get("order", "")),
        rematch_of=optional_number(body, "after"),
        called_until=optional_number(body, "called"),
    )
    invited = parse_numbers(values["invited"])
    return Opening(int(values["guild"]), int(values["channel"]), terms, invited, body.partition("\n")[2] or None)


class RecordedTurn(NamedTuple):
    """A recorded turn."""

    text: str
    """The move in canonical notation; empty for a leaving."""
    passes: int = 0
    """How many turns passed after it."""
    used: int | None = None
    """The counted seconds since the clock was started; None if all of them counted, or no clock ran."""
    auto: bool = False
    """Whether it was the only legal move and the bot played it."""
    planned: bool = False
    """Whether it was planned and the bot played it."""


def format_turn(turn: RecordedTurn) -> str:
    """The body of MOVED, or without text of RESIGNED: "F7-F9", "F7-F9 pass:1 used:3600 auto", "F7-F9 planned"."""
    counts = format_fields(**{"pass": turn.passes or None}, used=turn.used)
    alone = "auto" if turn.auto else "planned" if turn.planned else ""
    return " ".join(word for word in (turn.text, counts, alone) if word)


def parse_turn(body: str) -> RecordedTurn:
    """Reads what `format_turn` wrote."""
    values = parse_fields(body)
    text = body.partition(" ")[0]
    return RecordedTurn(
        text="" if ":" in text else text,
        passes=int(values.get("pass", 0)),
        used=int(values["used"]) if "used" in values else None,
        auto=body.endswith(" auto"),
        planned=body.endswith(" planned"),
    )


def format_fields(**values: object) -> str:
    """Fields as in most bodies: "seat:1 used:60"; None is left out."""
    return " ".join(f"{name}:{value}" for name, value in values.items() if value is not None)


def parse_fields(body: str) -> dict[str, str]:
    """The fields in a body's first line, by name; words without a colon are left out."""
    return dict(word.split(":", 1) for word in body.partition("\n")[0].split(" ") if ":" in word)


def number_in(body: str, name: str) -> int:
    """The number in that field. Raises KeyError if the field is missing."""
    return int(parse_fields(body)[name])


def optional_number(body: str, name: str) -> int | None:
    """The number in that field; None if the field is missing."""
    value = parse_fields(body).get(name)
    return int(value) if value is not None else None


def steward_sits(event: Event) -> bool:
    """Whether a steward takes the seat left by that event."""
    return "steward" in parse_fields(event.body)


def claimant_of(event: Event) -> int | None:
    """The user who claimed that the time is up, in TIMED_OUT and VACATED; None if nobody claimed."""
    return optional_number(event.body, "by") if event.kind in (EventKind.TIMED_OUT, EventKind.VACATED) else None


def body_with_reason(line: str, *texts: str) -> str:
    """The body of a referee's act: the fields, the reason, and the title if there is one, a line each."""
    return "\n".join([line, *(" ".join(text.split()) for text in texts)])


def reason_of(event: Event) -> str:
    """The referee's reason."""
    return event.body.split("\n")[1]


def title_of(event: Event) -> str | None:
    """The title that RENAMED gives; None if it removes the title."""
    return event.body.split("\n")[2] or None


def is_former(user: int) -> bool:
    """True if that number replaces somebody who asked to be forgotten. Discord's ids are far larger."""
    return user < MIN_HOUSE_ID


def replace_number(text: str, old: int, new: int) -> str:
    """Returns the text, such as the body of an event, with the number `new` wherever `old` stands as a whole number."""
    return re.sub(rf"(?<!\d){old}(?!\d)", str(new), text)


def format_outcome(outcome: Outcome) -> str:
    """The body of ENDED: "castle:0", "stalemate:0,2", "few-pieces:"."""
    return f"{outcome.cause.value}:{format_numbers(outcome.winners)}"


def parse_outcome(body: str) -> Outcome:
    """Reads what `format_outcome` wrote."""
    cause, _, winners = body.partition(":")
    return Outcome(Cause(cause), parse_numbers(winners))


def format_numbers(numbers: Iterable[int]) -> str:
    """Ids or seats as text: "11,22"; "" for none."""
    return ",".join(map(str, numbers))


def parse_numbers(text: str) -> tuple[int, ...]:
    """Reads what `format_numbers` wrote."""
    return tuple(int(number) for number in text.split(",") if number)
