"""The statements about results and ratings, and about what annulling a game has taken back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, astuple, fields
from typing import Any

from bot.ladder.ratings import CAP_SPAN, NEW, Change, Rating, company
from bot.ladder.standings import Brought
from bot.match.events import format_numbers, parse_numbers
from bot.match.match import Match
from bot.match.parts import Leaver
from bot.match.results import Finished, Result, Share
from bot.store import Reader, Writer
from bot.store.connection import Row, Statement, among, insert, upsert
from bot.store.ladder_rows import LadderId
from bot.store.standings import climbers

Order = tuple[int, int]
"""Of a game among those of its server and variant: when it ended, and its number."""

_FINISHED = ", ".join(field.name for field in fields(Finished))
CHANGE = "mu_before, sigma_before, games_before, played_before, mu, sigma, games, played_at"
"""The columns of a `Change`, in its order."""


async def set_result(writer: Writer, result: Result) -> None:
    """Notes the result of a match, in the place of an earlier one."""
    over = result.finished
    leavers = " ".join(f"{one.user}:{one.seat}:{one.at}:{one.cause}" for one in over.leavers)
    values = asdict(over) | {
        "began_at": result.began_at,
        "cause": result.cause.value,
        "players": format_numbers(over.players),
        "winners": format_numbers(over.winners),
        "leavers": leavers,
        "substitutes": format_numbers(over.substitutes),
        "company": format_numbers(company(over)),
    }
    shared = {name: values[name] for name in ("match", "guild", "variant", "ended_at")}
    await writer.write(
        [
            upsert("results", {"match": values.pop("match")}, values),  # not a new row: changes of ratings refer to it
            ("DELETE FROM shares WHERE match = ?", (over.match,)),
            *(_share(shared, one) for one in result.shares),
        ]
    )


def _share(shared: Mapping[str, Any], one: Share) -> Statement:
    values = asdict(one)
    fate = values.pop("fate")
    return insert("shares", {**shared, **values, "outcome": fate.value})


async def drop_result(writer: Writer, match_id: int) -> None:
    """Forgets the result of a match that goes on. Its changes of ratings must be gone already."""
    await writer.write(
        [("DELETE FROM shares WHERE match = ?", (match_id,)), ("DELETE FROM results WHERE match = ?", (match_id,))]
    )


async def result_of(reader: Reader, match_id: int) -> Finished | None:
    """What is noted of a match that is over."""
    return next(iter(await _results(reader, "WHERE match = ?", match_id)), None)


async def results_from(reader: Reader, guild: int, variant: str, order: Order) -> list[Finished]:
    """The games of that server and variant from that place in the order on."""
    place = "WHERE guild = ? AND variant = ? AND (ended_at, match) >= (?, ?) ORDER BY ended_at, match"
    return await _results(reader, place, guild, variant, *order)


async def all_results(reader: Reader) -> list[Finished]:
    """Every game that is over, of all servers and variants, by number."""
    return await _results(reader, "ORDER BY match")


async def _results(reader: Reader, rest: str, *values: int | str) -> list[Finished]:
    return [_finished(row) for row in await reader.run(f"SELECT {_FINISHED} FROM results {rest}", values)]


def _finished(row: Row) -> Finished:
    match, guild, variant, ended_at, players, winners, moves, leavers, substitutes, has_result, ladder, casual = row
    gone = (one.split(":") for one in leavers.split())
    return Finished(
        match,
        guild,
        variant,
        ended_at,
        players=parse_numbers(players),
        winners=parse_numbers(winners),
        moves=moves,
        leavers=tuple(Leaver(int(user), int(seat), int(at), cause) for user, seat, at, cause in gone),
        substitutes=parse_numbers(substitutes),
        has_result=bool(has_result),
        ladder=bool(ladder),
        casual=bool(casual),
    )


# Ratings


async def ratings_of(reader: Reader, guild: int, variant: str, users: Iterable[int] | None = None) -> dict[int, Rating]:
    """The ratings of those users, or everybody's; who has none is left out."""
    some, named = among("user", users)
    rows = await reader.run(
        f"SELECT user, mu, sigma, games, played_at FROM ratings WHERE guild = ? AND variant = ?{some}",
        (guild, variant, *named),
    )
    return {user: Rating(*values) for user, *values in rows}


async def set_ratings(writer: Writer, guild: int, variant: str, ratings: Mapping[int, Rating]) -> None:
    """Notes ratings, in the place of earlier ones; that of somebody who has not played needs no row."""
    place = {"guild": guild, "variant": variant}
    await writer.write(
        [
            upsert(
                "ratings",
                place | {"user": user},
                {**asdict(one), "number": one.number, "unsure_from": one.unsure_from},
            )
            if one != NEW
            else ("DELETE FROM ratings WHERE guild = ? AND variant = ? AND user = ?", (guild, variant, user))
            for user, one in ratings.items()
        ]
    )


async def drop_ratings(writer: Writer, guild: int, variant: str) -> None:
    """Forgets everybody's rating, and what games have made of it."""
    games = "SELECT match FROM results WHERE guild = ? AND variant = ?"
    await writer.write(
        [
            (f"DELETE FROM rating_changes WHERE match IN ({games})", (guild, variant)),
            ("DELETE FROM ratings WHERE guild = ? AND variant = ?", (guild, variant)),
        ]
    )


async def changes_of(reader: Reader, match_id: int) -> dict[int, Change]:
    """What a match made of ratings; empty for one that was not rated."""
    rows = await reader.run(f"SELECT user, {CHANGE} FROM rating_changes WHERE match = ?", (match_id,))
    return {user: read_change(values) for user, *values in rows}


async def add_changes(writer: Writer, match_id: int, changes: Mapping[int, Change]) -> None:
    """Notes what a match made of ratings."""
    names = CHANGE.split(", ")
    rows = {
        user: zip(names, (*astuple(change.before), *astuple(change.after)), strict=True)
        for user, change in changes.items()
    }
    await writer.write(
        [insert("rating_changes", {"match": match_id, "user": user, **dict(row)}) for user, row in rows.items()]
    )


async def take_changes(writer: Writer, guild: int, variant: str, order: Order) -> dict[int, Rating]:
    """Forgets the changes from that place in the order on; everybody's rating before them, whom they concerned."""
    # The direction of this join matters: there are few games after a place in the order, and many changes.
    place = "guild = ? AND variant = ? AND (ended_at, r.match) >= (?, ?)"
    values = (guild, variant, *order)
    rows = await writer.run(
        f"SELECT user, {CHANGE} FROM results r CROSS JOIN rating_changes c"
        f" WHERE c.match = r.match AND {place} ORDER BY ended_at DESC, r.match DESC",
        values,
    )
    if rows:
        await writer.run(
            f"DELETE FROM rating_changes WHERE match IN (SELECT match FROM results r WHERE {place})",
            values,
        )
    return {user: read_change(change).before for user, *change in rows}  # the earliest of each comes last


async def rated_together(reader: Reader, game: Finished) -> list[int]:
    """When those rated games ended that the same people had played before, within the time that counts."""
    return await reader.column(
        "SELECT ended_at FROM results WHERE guild = :guild AND variant = :variant AND company = :company"
        " AND ended_at > :since AND (ended_at, match) < (:ended_at, :match)"
        " AND EXISTS (SELECT 1 FROM rating_changes WHERE rating_changes.match = results.match)",
        {
            "guild": game.guild,
            "variant": game.variant,
            "company": format_numbers(company(game)),
            "since": game.ended_at - CAP_SPAN,
            "ended_at": game.ended_at,
            "match": game.match,
        },
    )


def read_change(row: Sequence[Any]) -> Change:
    """The change in a row of CHANGE."""
    return Change(Rating(*row[:4]), Rating(*row[4:]))


Held = Sequence[tuple[Rating, int | None]]
"""The rating of each of some users, and their step; None where they are on no ladder, or the match of none."""


async def held(reader: Reader, match: Match, users: Sequence[int]) -> Held:
    """What those users have now at the match's variant."""
    place = LadderId(match.guild, match.variant.key)
    ratings = await ratings_of(reader, *place, users)
    known = await climbers(reader, place, users) if match.ladder else {}
    return [(ratings.get(user, NEW), known[user][0].step if user in known else None) for user in users]


async def note_undone(writer: Writer, match_id: int, before: Held, after: Held) -> None:
    """Keeps it, in the order of `Finished.users`: no number of anybody, who could want to be forgotten meanwhile."""
    rows = [[[one.mu, one.sigma, one.games, one.played_at, step] for one, step in side] for side in (before, after)]
    await writer.set_meta(_key(match_id), json.dumps(rows))


async def drop_undone(writer: Writer, match_id: int) -> None:
    """People have been told."""
    await writer.set_meta(_key(match_id), None)


async def undone(reader: Reader, match_id: int) -> Brought | None:
    """What annulling the match has made of ratings and steps; None where they have been told, or it is not annulled."""
    noted, result = await reader.meta(_key(match_id)), await result_of(reader, match_id)
    if noted is None or result is None:
        return None
    ratings: dict[int, Change] = {}
    steps: dict[int, tuple[int | None, int]] = {}
    for user, before, after in zip(result.users, *json.loads(noted), strict=True):
        old, new = Rating(*before[:4]), Rating(*after[:4])
        if old != new:
            ratings[user] = Change(old, new)
        if after[4] is not None:
            steps[user] = (before[4], after[4])
    return Brought(ratings, steps)


def _key(match_id: int) -> str:
    return f"undone:{match_id}"
