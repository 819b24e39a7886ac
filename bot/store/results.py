"""The statements about results and ratings, and about what annulling a game has taken back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from bot.ladder.ratings import CAP_SPAN, NEW, Change, Rating, company
from bot.ladder.standings import Brought
from bot.match.events import format_numbers, parse_numbers
from bot.match.match import Match
from bot.match.parts import Leaver
from bot.match.results import Finished, Result
from bot.store import Reader, Writer
from bot.store.ladder_rows import LadderId
from bot.store.standings import climbers

Order = tuple[int, int]
"""Of a game among those of its server and variant: when it ended, and its number."""

FINISHED = (
    "results.match, results.guild, results.variant, results.ended_at, players, winners, moves, leavers, substitutes,"
    " has_result, ladder"
)
"""The columns of a `Finished`, in its order but for the first."""

_CHANGE = "mu_before, sigma_before, games_before, played_before, mu, sigma, games, played_at"


async def set_result(writer: Writer, result: Result) -> None:
    """Notes the result of a match, in the place of an earlier one."""
    over = result.finished
    leavers = " ".join(f"{one.user}:{one.seat}:{one.at}:{one.cause}" for one in over.leavers)
    values = {
        "match": over.match,
        "guild": over.guild,
        "variant": over.variant,
        "began_at": result.began_at,
        "ended_at": over.ended_at,
        "cause": result.cause.value,
        "has_result": over.has_result,
        "ladder": over.ladder,
        "moves": over.moves,
        "players": format_numbers(over.players),
        "winners": format_numbers(over.winners),
        "leavers": leavers,
        "substitutes": format_numbers(over.substitutes),
        "company": format_numbers(company(over)),
    }
    columns, marks = ", ".join(values), ", ".join(f":{name}" for name in values)
    changed = ", ".join(f"{name} = excluded.{name}" for name in values)
    shares = [
        (
            "INSERT INTO shares (match, user, guild, variant, ended_at, outcome, late, first_move, moves, thought)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *(over.match, one.user, over.guild, over.variant, over.ended_at, one.fate.value, one.late),
                *(one.first_move, one.moves, one.thought),
            ),
        )
        for one in result.shares
    ]
    await writer.write(
        [
            # An update, not a new row: changes of ratings refer to it.
            (f"INSERT INTO results ({columns}) VALUES ({marks}) ON CONFLICT DO UPDATE SET {changed}", values),  # noqa: S608 - names from above
            ("DELETE FROM shares WHERE match = ?", (over.match,)),
            *shares,
        ]
    )


async def drop_result(writer: Writer, match_id: int) -> None:
    """Forgets the result of a match that goes on. Its changes of ratings must be gone already."""
    await writer.write(
        [("DELETE FROM shares WHERE match = ?", (match_id,)), ("DELETE FROM results WHERE match = ?", (match_id,))]
    )


async def result_of(reader: Reader, match_id: int) -> Finished | None:
    """What is noted of a match that is over."""
    rows = await reader.run(f"SELECT {FINISHED} FROM results WHERE match = ?", (match_id,))  # noqa: S608 - as above
    return read_finished(rows[0]) if rows else None


async def results_from(reader: Reader, guild: int, variant: str, order: Order) -> list[Finished]:
    """The games of that server and variant from that place in the order on."""
    rows = await reader.run(
        f"SELECT {FINISHED} FROM results WHERE guild = ? AND variant = ? AND (ended_at, match) >= (?, ?)"  # noqa: S608 - as above
        " ORDER BY ended_at, match",
        (guild, variant, *order),
    )
    return [read_finished(row) for row in rows]


async def all_results(reader: Reader) -> list[Finished]:
    """Every game that is over, of all servers and variants, by number."""
    return [read_finished(row) for row in await reader.run(f"SELECT {FINISHED} FROM results ORDER BY match")]  # noqa: S608 - as above


def read_finished(row: Iterable[object]) -> Finished:
    """The game in a row of FINISHED."""
    match, guild, variant, ended_at, players, winners, moves, leavers, substitutes, has_result, ladder = row
    gone = (one.split(":") for one in str(leavers).split())
    return Finished(
        *(match, guild, variant, ended_at),  # type: ignore[arg-type]  # the table is STRICT
        players=parse_numbers(str(players)),
        winners=parse_numbers(str(winners)),
        moves=moves,  # type: ignore[arg-type]  # as above
        leavers=tuple(Leaver(int(user), int(seat), int(at), cause) for user, seat, at, cause in gone),
        substitutes=parse_numbers(str(substitutes)),
        has_result=bool(has_result),
        ladder=bool(ladder),
    )


# Ratings


async def ratings_of(reader: Reader, guild: int, variant: str, users: Iterable[int]) -> dict[int, Rating]:
    """The ratings of those users; who has none is left out."""
    rows = await reader.run(
        "SELECT user, mu, sigma, games, played_at FROM ratings WHERE guild = ? AND variant = ?"
        " AND user IN (SELECT value FROM json_each(?))",
        (guild, variant, json.dumps(list(users))),
    )
    return {user: Rating(*values) for user, *values in rows}


async def all_ratings(reader: Reader, guild: int, variant: str) -> dict[int, Rating]:
    """Everybody's rating."""
    rows = await reader.run(
        "SELECT user, mu, sigma, games, played_at FROM ratings WHERE guild = ? AND variant = ?", (guild, variant)
    )
    return {user: Rating(*values) for user, *values in rows}


async def set_ratings(writer: Writer, guild: int, variant: str, ratings: Mapping[int, Rating]) -> None:
    """Notes ratings, in the place of earlier ones; that of somebody who has not played needs no row."""
    await writer.write(
        [
            (
                "INSERT OR REPLACE INTO ratings (guild, variant, user, mu, sigma, games, played_at, number,"
                " unsure_from) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (guild, variant, user, one.mu, one.sigma, one.games, one.played_at, one.number, one.unsure_from),
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
            (f"DELETE FROM rating_changes WHERE match IN ({games})", (guild, variant)),  # noqa: S608 - from right above
            ("DELETE FROM ratings WHERE guild = ? AND variant = ?", (guild, variant)),
        ]
    )


async def changes_of(reader: Reader, match_id: int) -> dict[int, Change]:
    """What a match made of ratings; empty for one that was not rated."""
    rows = await reader.run(f"SELECT user, {_CHANGE} FROM rating_changes WHERE match = ?", (match_id,))  # noqa: S608 - as above
    return {user: read_change(values) for user, *values in rows}


async def add_changes(writer: Writer, match_id: int, changes: Mapping[int, Change]) -> None:
    """Notes what a match made of ratings."""
    await writer.write(
        [
            (
                f"INSERT INTO rating_changes (match, user, {_CHANGE}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 - as above
                (match_id, user, *_values(change.before), *_values(change.after)),
            )
            for user, change in changes.items()
        ]
    )


async def take_changes(writer: Writer, guild: int, variant: str, order: Order) -> dict[int, Rating]:
    """Forgets the changes from that place in the order on; everybody's rating before them, whom they concerned."""
    # The direction of this join matters: there are few games after a place in the order, and many changes.
    place = "guild = ? AND variant = ? AND (ended_at, match) >= (?, ?)"
    values = (guild, variant, *order)
    rows = await writer.run(
        f"SELECT user, {', '.join(f'c.{name}' for name in _CHANGE.split(', '))} FROM results"  # noqa: S608 - as above
        " CROSS JOIN rating_changes c USING (match)"
        f" WHERE {place} ORDER BY ended_at DESC, match DESC",
        values,
    )
    if rows:
        await writer.run(
            f"DELETE FROM rating_changes WHERE match IN (SELECT match FROM results WHERE {place})",  # noqa: S608 - as above
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


def read_change(row: Iterable[float]) -> Change:
    """The change in the last columns of a row of `rating_changes`."""
    values = list(row)
    return Change(_rating(values[:4]), _rating(values[4:]))


def _rating(values: list[float]) -> Rating:
    mu, sigma, games, played_at = values
    return Rating(mu, sigma, int(games), int(played_at))


def _values(rating: Rating) -> tuple[float, float, int, int]:
    return rating.mu, rating.sigma, rating.games, rating.played_at


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
