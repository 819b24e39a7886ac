"""Converts the entries and the state of a ladder to and from database rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from bot.core.events import format_numbers, parse_numbers
from bot.ladder.fold import Changes
from bot.ladder.state import (
    NEWSWORTHY_ENTRIES,
    Challenge,
    Climber,
    EntryKind,
    Ladder,
    LadderEntry,
    LadderGame,
    LadderId,
    Meeting,
    Pair,
    format_score,
    parse_score,
)
from bot.store.connection import Statement, insert_statement, upsert_statement

ENTRY_COLUMNS = "seq, at, kind, users, matches, body"
"""The columns of a `LadderEntry`, in order of its fields."""

CLIMBER_COLUMNS = (
    "user, joined_at, step, climbs, wins, draws, losses, timeouts, frozen_until, refused, challenging, challenger,"
    " queued_at, queue_game, balance, began_last"
)
"""The columns of a climber."""


def read_entry(row: Iterable[Any]) -> LadderEntry:
    """Reads an entry from a row of ENTRY_COLUMNS."""
    seq, at, kind, users, matches, body = row
    return LadderEntry(seq, at, EntryKind(kind), parse_numbers(users), parse_numbers(matches), body)


def read_climber(row: Iterable[Any]) -> Climber:
    """Reads a climber from a row of CLIMBER_COLUMNS."""
    values: dict[str, Any] = dict(zip(CLIMBER_COLUMNS.split(", "), row, strict=True))
    is_active, refused = bool(values.pop("climbs")), parse_numbers(values.pop("refused"))
    values["began_last"] = bool(values["began_last"])
    return Climber(**values, is_active=is_active, refused=refused)


def write_climber(ladder_id: LadderId, climber: Climber, moved_at: int | None = None) -> Statement:
    """Returns the statement that stores a climber. An existing row keeps its `moved_at`, unless the user has joined
    again since: then it becomes the time of joining."""
    values = asdict(climber) | {"refused": format_numbers(climber.refused)}
    values |= {"climbs": values.pop("is_active"), "moved_at": max(moved_at or 0, climber.joined_at)}
    key = ladder_id._asdict() | {"user": values.pop("user")}
    since = "CASE WHEN climbers.joined_at = excluded.joined_at THEN climbers.moved_at ELSE excluded.joined_at END"
    return upsert_statement("climbers", key, values, moved_at=since)


def write_entry(ladder_id: LadderId, entry: LadderEntry) -> Statement:
    """Returns the statement that adds an entry."""
    values = {
        "kind": entry.kind.value,
        "users": format_numbers(entry.users),
        "matches": format_numbers(entry.matches),
    }
    return insert_statement("ladder_entries", ladder_id._asdict() | asdict(entry) | values)


def write_head(ladder_id: LadderId, ladder: Ladder, entry: LadderEntry) -> Statement:
    """Returns the statement that updates the ladder's own row after an entry."""
    season = ladder.season
    return (
        "UPDATE ladders SET seq = :seq, newsworthy = max(newsworthy, :newsworthy), season = :season,"
        " season_began = :began, season_until = :until, seasons = :seasons WHERE guild = :guild AND variant = :variant",
        {
            **ladder_id._asdict(),
            "seq": entry.seq,
            "newsworthy": entry.seq if entry.kind in NEWSWORTHY_ENTRIES else 0,
            "season": season.number if season else None,
            "began": season.began_at if season else None,
            "until": season.until if season else None,
            "seasons": ladder.seasons,
        },
    )


def write_steps(ladder_id: LadderId, entry: LadderEntry, changes: Changes) -> list[Statement]:
    """Returns statements that store the rungs to which an entry has moved its users."""
    return [
        insert_statement(
            "ladder_steps",
            {
                **ladder_id._asdict(),
                "seq": entry.seq,
                "user": user,
                "step_before": before.step if before else None,
                "step": after.step,
            },
        )
        for user, (before, after) in changes.items()
    ]


def write_challenges(
    ladder_id: LadderId, before: Mapping[int, Challenge], after: Mapping[int, Challenge]
) -> list[Statement]:
    """Returns statements that store the changes between two states of the challenges."""
    gone: list[Statement] = [
        ("DELETE FROM ladder_challenges WHERE guild = ? AND variant = ? AND challenger = ?", (*ladder_id, user))
        for user in before.keys() - after.keys()
    ]
    return gone + [
        upsert_statement(
            "ladder_challenges",
            ladder_id._asdict() | {"challenger": user},
            {"challenged": challenge.challenged, "at": challenge.at},
        )
        for user, challenge in after.items()
        if before.get(user) != challenge
    ]


def write_games(
    ladder_id: LadderId, before: Mapping[int, LadderGame], after: Mapping[int, LadderGame]
) -> list[Statement]:
    """Returns statements that store the changes between two states of the games."""
    gone: list[Statement] = [
        ("DELETE FROM ladder_games WHERE match = ?", (match,)) for match in before.keys() - after.keys()
    ]
    return gone + [
        upsert_statement(
            "ladder_games",
            {"match": match},
            {
                **ladder_id._asdict(),
                "users": format_numbers(game.users),
                "matches": format_numbers(game.matches),
                "challenged": game.challenged,
                "scores": "\n".join(f"{number} {format_score(score)}" for number, score in game.scores),
            },
        )
        for match, game in after.items()
        if before.get(match) != game
    ]


def read_game(users: str, matches: str, challenged: int, scores: str) -> LadderGame:
    """Reads a game from a row of users, matches, challenged, scores."""
    score_lines = (line.partition(" ") for line in scores.splitlines())
    return LadderGame(
        parse_numbers(users),
        parse_numbers(matches),
        bool(challenged),
        tuple((int(match), parse_score(score)) for match, _, score in score_lines),
    )


def write_meetings(
    ladder_id: LadderId, before: Mapping[Pair, Meeting], after: Mapping[Pair, Meeting]
) -> list[Statement]:
    """Returns statements that store the changes between two states of the meetings."""
    return [
        upsert_statement("ladder_meetings", {**ladder_id._asdict(), "one": one, "two": two}, asdict(meeting))
        for (one, two), meeting in after.items()
        if before.get((one, two)) != meeting
    ]
