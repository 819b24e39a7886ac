"""What annulling a match has taken back, kept until people have been told of it: it cannot be computed again."""

from __future__ import annotations

import json
from collections.abc import Sequence

from bot.match import Match
from bot.ratings import NEW, Change, Rating
from bot.standings import Brought
from bot.store import Reader, Writer
from bot.store.ladder_rows import Place
from bot.store.results import ratings_of, result_of
from bot.store.standings import climbers

Held = Sequence[tuple[Rating, int | None]]
"""The rating of each of some users, and his step; None where he is on no ladder, or the match of none."""


async def held(reader: Reader, match: Match, users: Sequence[int]) -> Held:
    """What those users have now at the match's variant."""
    place = Place(match.guild, match.variant.key)
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
    kept, result = await reader.meta(_key(match_id)), await result_of(reader, match_id)
    if kept is None or result is None:
        return None
    ratings: dict[int, Change] = {}
    steps: dict[int, tuple[int | None, int]] = {}
    for user, before, after in zip(result.users, *json.loads(kept), strict=True):
        old, new = Rating(*before[:4]), Rating(*after[:4])
        if old != new:
            ratings[user] = Change(old, new)
        if after[4] is not None:
            steps[user] = (before[4], after[4])
    return Brought(ratings, steps)


def _key(match_id: int) -> str:
    return f"undone:{match_id}"
