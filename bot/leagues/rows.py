"""SQL about leagues: their terms and state, their news, sign-ups, and what is stored about a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from bot.core.clock import Pace
from bot.core.results import PlayerOutcome
from bot.leagues.league import LOOK_UP_S, League, LeagueNews, LeagueState, LeagueTerms, SignOff, SignUp
from bot.leagues.season import Verdict
from bot.store import Reader, Writer
from bot.store.connection import insert_once_statement, insert_statement
from bot.store.people import export_rows
from bot.store.servers import StoredPlace

_LEAGUE_COLUMNS = (
    "id, guild, channel, variant, pace, weeks, group_least, group_most, movers, rounds, standing, vacation_days, state,"
    " season, begins_at, ends_at, shifted, extended, closing, handled_at, message, edited_at, changes, role,"
    " looked_up_at"
)


class Trophy(NamedTuple):
    """A person's place in a finished season."""

    league: int
    variant: str
    season: int
    division: int
    place: int


# Leagues


def _read_league(row: Sequence[Any]) -> League:
    number, guild, channel, variant, pace, weeks, least, most, movers, rounds, standing, vacation_days, state, *rest = (
        row
    )
    season, begins_at, ends_at, shifted, extended, closing, handled_at, message, edited_at, changes, *others = rest
    role, looked_up_at = others
    terms = LeagueTerms(variant, Pace(pace), weeks, least, most, movers, rounds == 2, bool(standing), vacation_days)
    return League(
        number,
        guild,
        channel,
        terms,
        LeagueState(state),
        season,
        begins_at,
        ends_at,
        shifted,
        bool(extended),
        bool(closing),
        handled_at,
        message,
        edited_at,
        changes,
        role,
        looked_up_at,
    )


def _changing_columns(league: League) -> dict[str, Any]:
    moment = league.next_moment
    return {
        "channel": league.channel,
        "state": league.state.value,
        "season": league.season,
        "begins_at": league.begins_at,
        "ends_at": league.ends_at,
        "shifted": league.seconds_postponed,
        "extended": int(league.extended),
        "closing": int(league.closing),
        "handled_at": league.moments_done_until,
        "due_at": moment.at if moment else None,
        "message": league.message,
        "edited_at": league.edited_at,
    }


async def add_league(writer: Writer, league: League, panel: int | None) -> int:
    """Stores a new league, ignoring its `id`, and returns its number. `panel`: the message whose button opened it."""
    terms = league.terms
    values = {
        "guild": league.guild,
        "variant": terms.variant,
        "pace": terms.pace.value,
        "weeks": terms.weeks,
        "group_least": terms.least,
        "group_most": terms.most,
        "movers": terms.movers,
        "rounds": 2 if terms.double else 1,
        "standing": int(terms.standing),
        "vacation_days": terms.vacation_days,
        "role": league.role,
        "panel": panel,
        **_changing_columns(league),
        "changes": 0,
    }
    sql, values = insert_statement("leagues", values)  # type: ignore[assignment]
    [(number,)] = await writer.run_sql(f"{sql} RETURNING id", values)
    return int(number)


async def save_league(writer: Writer, league: League, *, changed: bool = False) -> None:
    """Stores the state of a league. `changed`: its post has to be edited."""
    values = _changing_columns(league)
    changes = ", ".join(f"{name} = :{name}" for name in values) + (", changes = changes + 1" if changed else "")
    await writer.run_sql(f"UPDATE leagues SET {changes} WHERE id = :id", {**values, "id": league.id})


async def load_league(reader: Reader, number: int) -> League | None:
    """Returns the league of that number; None if there is none."""
    row = await reader.read_row(f"SELECT {_LEAGUE_COLUMNS} FROM leagues WHERE id = ?", (number,))
    return _read_league(row) if row else None


async def leagues_of(reader: Reader, guild: int, *, closed: bool = True) -> list[League]:
    """Returns the leagues of a server, the latest first; without `closed`, closed leagues are left out."""
    others = "" if closed else " AND state <> 'closed'"
    rows = await reader.run_sql(
        f"SELECT {_LEAGUE_COLUMNS} FROM leagues WHERE guild = ?{others} ORDER BY id DESC", (guild,)
    )
    return [_read_league(row) for row in rows]


async def league_of_panel(reader: Reader, guild: int, panel: int | None) -> League | None:
    """Returns the league that the button of that message has opened; None if there is none."""
    row = await reader.read_row(f"SELECT {_LEAGUE_COLUMNS} FROM leagues WHERE guild = ? AND panel = ?", (guild, panel))
    return _read_league(row) if row else None


async def leagues_to_look_up(reader: Reader, now: int) -> list[League]:
    """Returns the leagues whose season begins soon, and whose people have to be looked up before."""
    rows = await reader.run_sql(
        f"SELECT {_LEAGUE_COLUMNS} FROM leagues WHERE state = ? AND begins_at <= ? AND looked_up_at < begins_at - ?"
        " ORDER BY id",
        (LeagueState.SIGN_UP.value, now + LOOK_UP_S, LOOK_UP_S),
    )
    return [_read_league(row) for row in rows]


async def note_looked_up(writer: Writer, league: int, now: int) -> None:
    """Notes that everybody who has signed up has been looked up."""
    await writer.run_sql("UPDATE leagues SET looked_up_at = ? WHERE id = ?", (now, league))


async def posting_places(reader: Reader) -> list[StoredPlace]:
    """Returns the channels of leagues that are not closed."""
    rows = await reader.run_sql(
        "SELECT guild, channel, coalesce(threads, '') = 'yes' FROM leagues LEFT JOIN guild_settings USING (guild)"
        " WHERE state <> 'closed' AND channel <> 0"
    )
    return [StoredPlace(guild, channel, bool(threads)) for guild, channel, threads in rows]


async def leagues_in_channels(reader: Reader) -> list[League]:
    """Returns the leagues that are not closed and have a channel."""
    rows = await reader.run_sql(
        f"SELECT {_LEAGUE_COLUMNS} FROM leagues WHERE state <> 'closed' AND channel <> 0 ORDER BY id"
    )
    return [_read_league(row) for row in rows]


async def due_leagues(reader: Reader, now: int) -> list[int]:
    """Returns the leagues in which something is due. No season begins without a channel."""
    return await reader.read_column(
        "SELECT id FROM leagues WHERE due_at <= ? AND (channel <> 0 OR state <> 'sign-up') ORDER BY due_at, id",
        (now,),
    )


async def ending_leagues(reader: Reader) -> list[League]:
    """Returns the leagues whose unfinished games are to be adjudicated."""
    rows = await reader.run_sql(f"SELECT {_LEAGUE_COLUMNS} FROM leagues WHERE state = 'ending' ORDER BY id")
    return [_read_league(row) for row in rows]


async def leagues_to_edit(reader: Reader, tried_before: int, looked_at_before: int) -> list[League]:
    """Returns the leagues whose post has to be edited and was last tried before that time; also those whose
    sign-up was last seen before `looked_at_before`. A post that another one is about to replace stays as it is.
    """
    rows = await reader.run_sql(
        f"SELECT {_LEAGUE_COLUMNS} FROM leagues WHERE message IS NOT NULL AND ((changes > 0 AND edited_at <= ?)"
        " OR (state = 'sign-up' AND edited_at <= ?)) AND NOT EXISTS (SELECT 1 FROM league_news"
        " WHERE league = id AND kind IN ('open', 'begin', 'table', 'end'))"
        " ORDER BY edited_at, id",
        (tried_before, looked_at_before),
    )
    return [_read_league(row) for row in rows]


async def set_role(writer: Writer, league: int, role: int | None) -> None:
    """Stores the role for the winners of a league's highest group."""
    await writer.run_sql("UPDATE leagues SET role = ? WHERE id = ?", (role, league))


async def note_change(writer: Writer, league: int) -> None:
    """Notes that a league's post has to be edited."""
    await writer.run_sql("UPDATE leagues SET changes = changes + 1 WHERE id = ?", (league,))


async def note_edit_tried(writer: Writer, league: int, now: int) -> None:
    """Notes that an edit of a league's post is being tried."""
    await writer.run_sql("UPDATE leagues SET edited_at = ? WHERE id = ?", (now, league))


async def note_edited(writer: Writer, league: int, changes: int, now: int) -> None:
    """Notes that a league's post shows that many changes by now. Later changes are still counted."""
    await writer.run_sql("UPDATE leagues SET changes = changes - ?, edited_at = ? WHERE id = ?", (changes, now, league))


async def set_message(writer: Writer, league: int, message: int | None, now: int) -> None:
    """Notes the post that shows a league's table; None if there is none."""
    await writer.run_sql("UPDATE leagues SET message = ?, edited_at = ? WHERE id = ?", (message, now, league))


# News


async def add_news(writer: Writer, league: League, kind: str, now: int) -> None:
    """Notes news to post. Does nothing if the same news is noted already."""
    key = {"league": league.id, "season": league.season, "kind": kind, "guild": league.guild, "at": now}
    await writer.run_sql(*insert_once_statement("league_news", key))


async def add_refusal(writer: Writer, number: int, kind: str, now: int) -> None:
    """Notes news for a league's managers about what they have to mend: "no-role" or "role-power"."""
    if (league := await load_league(writer, number)) is not None:
        await add_news(writer, league, kind, now)


_HAS_PLACE_SQL = " AND (channel <> 0 OR (kind = 'no-channel' AND audit IS NOT NULL))"
"""The condition that news can be posted: in the league's channel, or in the audit channel that it has none."""


async def lost_channels(reader: Reader, guild: int) -> list[LeagueNews]:
    """Returns the news for the managers of a server that a league's channel has been deleted."""
    rows = await reader.run_sql(
        "SELECT league, league_news.season, kind, guild, at FROM league_news JOIN leagues USING (guild)"
        " WHERE guild = ? AND id = league AND kind = 'no-channel' AND channel = 0 AND state <> 'closed'",
        (guild,),
    )
    return [LeagueNews(*row) for row in rows]


async def drop_outdated_news(writer: Writer, league: int) -> None:
    """Drops all news that a new post of the league's table replaces."""
    await writer.run_sql(
        "DELETE FROM league_news WHERE league = ? AND (kind LIKE 'week-%' OR kind LIKE 'warn-%'"
        " OR kind IN ('open', 'few', 'extended', 'begin', 'table', 'thread', 'no-channel'))",
        (league,),
    )


async def news_of(reader: Reader, league: int) -> list[LeagueNews]:
    """Returns what has to be posted about a league, in order."""
    rows = await reader.run_sql(
        "SELECT league_news.league, league_news.season, kind, league_news.guild, at, channel, thread FROM league_news"
        " JOIN leagues ON leagues.id = league_news.league LEFT JOIN league_seasons"
        " ON league_seasons.league = league_news.league AND league_seasons.season = league_news.season"
        " LEFT JOIN guild_settings ON guild_settings.guild = leagues.guild"
        f" WHERE league_news.league = ?{_HAS_PLACE_SQL}"
        " ORDER BY league_news.season, at, kind",
        (league,),
    )
    return [LeagueNews(*row) for row in rows]


async def leagues_with_news(reader: Reader) -> list[int]:
    """Returns the leagues about which something has to be posted."""
    return await reader.read_column(
        "SELECT DISTINCT league FROM league_news JOIN leagues ON leagues.id = league LEFT JOIN guild_settings"
        f" ON guild_settings.guild = leagues.guild WHERE 1 = 1{_HAS_PLACE_SQL} ORDER BY league"
    )


async def drop_news(writer: Writer, news: LeagueNews) -> None:
    """Notes that something has been posted."""
    await writer.run_sql(
        "DELETE FROM league_news WHERE league = ? AND season = ? AND kind = ?", (news.league, news.season, news.kind)
    )


# People


async def best_game(reader: Reader, league: int, season: int) -> int | None:
    """Returns the match of a season that most people follow, or the longest of these. Games lost on time do not count.
    None if there is no such match.
    """
    row = await reader.read_row(
        "SELECT results.match FROM league_games JOIN results ON results.match = league_games.match"
        " WHERE league = ? AND season = ? AND has_result = 1 AND results.moves > 0 AND NOT EXISTS"
        " (SELECT 1 FROM shares WHERE shares.match = results.match AND late = 1)"
        " ORDER BY (SELECT count(*) FROM follows WHERE follows.match = results.match) DESC, results.moves DESC,"
        " results.match LIMIT 1",
        (league, season),
    )
    return row[0] if row else None


async def trophies_of(reader: Reader, guild: int, user: int) -> list[Trophy]:
    """Returns a user's places from first to third in finished seasons, the latest first."""
    rows = await reader.run_sql(
        "SELECT league_seats.league, variant, league_seats.season, division, place FROM league_seats"
        " JOIN leagues ON leagues.id = league_seats.league"
        " JOIN league_seasons AS s ON s.league = league_seats.league AND s.season = league_seats.season"
        " WHERE user = ? AND league_seats.guild = ? AND place <= 3 ORDER BY ended_at DESC, leagues.id DESC",
        (user, guild),
    )
    return [Trophy(*row) for row in rows]


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
