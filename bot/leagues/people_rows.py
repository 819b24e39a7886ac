"""SQL about the people of leagues: their sign-ups, and what is stored about a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.core.results import PlayerOutcome
from bot.leagues.adjudication import Verdict
from bot.leagues.league import League, SignOff, SignUp
from bot.store import Reader, Writer
from bot.store.connection import insert_statement
from bot.store.forgetting import export_rows


async def set_sign_up(writer: Writer, league: League, sign_up: SignUp, now: int) -> None:
    """Signs a user up, or changes the wishes of a user who has signed up."""
    wishes = {
        "at_once": sign_up.at_once,
        "reserve": int(sign_up.is_reserve),
        "signed_off": sign_up.signed_off and sign_up.signed_off.value,
    }
    key = {"league": league.id, "user": sign_up.user}
    updated = await writer.run_sql(
        "UPDATE league_sign_ups SET at_once = :at_once, reserve = :reserve, signed_off = :signed_off"
        " WHERE league = :league AND user = :user RETURNING user",
        {**wishes, **key},
    )
    if not updated:
        await writer.run_sql(*insert_statement("league_sign_ups", {**key, "guild": league.guild, "at": now, **wishes}))


async def remove_sign_up(writer: Writer, league: int, user: int) -> None:
    """Removes a user's sign-up, if there is one."""
    await writer.run_sql("DELETE FROM league_sign_ups WHERE league = ? AND user = ?", (league, user))


async def sign_ups_of(reader: Reader, league: int) -> list[SignUp]:
    """Returns the sign-ups, in the order in which people signed up."""
    rows = await reader.run_sql(
        "SELECT user, at_once, reserve, signed_off FROM league_sign_ups WHERE league = ? ORDER BY at, user", (league,)
    )
    return [
        SignUp(user, at_once, bool(reserve), SignOff(signed_off) if signed_off else None)
        for user, at_once, reserve, signed_off in rows
    ]


async def games_late_and_finished(reader: Reader, league: League, user: int) -> tuple[int, int]:
    """Returns how many games of the last season a user lost on time, and how many they have finished since it began.

    The running season counts as the last one. A game that a referee has annulled, or decided for the league, is not
    lost on time.
    """
    last = league.season if league.is_on else league.season - 1
    [(late,)] = await reader.run_sql(
        "SELECT count(*) FROM league_games JOIN shares ON shares.match = league_games.match"
        " WHERE league = ? AND season = ? AND user = ? AND late = 1 AND outcome = ? AND coalesce(verdict, '') <> ?",
        (league.id, last, user, PlayerOutcome.LOST.value, Verdict.RULED.value),
    )
    [(finished,)] = await reader.run_sql(
        "SELECT count(*) FROM shares WHERE guild = ? AND user = ? AND late = 0 AND ended_at >="
        " (SELECT began_at FROM league_seasons WHERE league = ? AND season = ?)",
        (league.guild, user, league.id, last),
    )
    return late, finished


async def leagues_of_person(reader: Reader, user: int) -> list[int]:
    """Returns the leagues that name a user."""
    return await reader.read_column(
        "SELECT league FROM league_seats WHERE user = :user UNION"
        " SELECT league FROM league_sign_ups WHERE user = :user ORDER BY 1",
        {"user": user},
    )


async def count_for_person(reader: Reader, user: int) -> Mapping[str, int]:
    """Returns the number of leagues that a user takes part in."""
    [(leagues,)] = await reader.run_sql(
        "SELECT count(*) FROM leagues WHERE id IN (SELECT league FROM league_sign_ups WHERE user = :user)"
        " OR state IN ('running', 'ending') AND EXISTS (SELECT 1 FROM league_seats AS seat"
        " WHERE seat.league = leagues.id AND seat.season = leagues.season AND user = :user AND seat.state = 'in')",
        {"user": user},
    )
    return {"leagues": leagues}


async def replace_in_seats(writer: Writer, user: int, stand_in: int) -> None:
    """Replaces a user by a stand-in, and drops unposted news that names them."""
    await writer.run_sql("DELETE FROM league_news WHERE kind || '.' LIKE ?", (f"%.{user}.%",))
    for column in ("user", "former"):
        await writer.run_sql(f"UPDATE league_seats SET {column} = ? WHERE {column} = ?", (stand_in, user))


async def export_person(reader: Reader, user: int) -> Mapping[str, Any]:
    """Returns the user's sign-ups, seats and roles of winners, ready for JSON."""
    return {
        "league_sign_ups": await export_rows(
            reader,
            "league, at, at_once, reserve, signed_off",
            "league_sign_ups WHERE user = :user ORDER BY league",
            user,
        ),
        "league_seasons": await export_rows(
            reader,
            "league, season, division, state, at_once, place, movement",
            "league_seats WHERE user = :user ORDER BY league, season",
            user,
        ),
        "league_roles": await export_rows(
            reader, "league, role, wanted", "league_role_holders WHERE user = :user ORDER BY league, role", user
        ),
    }
