"""Exports and forgets what is stored about a person.

Forgetting replaces their user id everywhere by a number that belongs to nobody. Each forgotten person gets a number of
their own: otherwise the results computed from the stories would merge two people.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import structlog

from bot.core import leaving, offers, table
from bot.core.deadlines import Actor
from bot.core.events import Event, EventKind, RequestKind, claimant_of, format_numbers, parse_numbers, replace_number
from bot.core.fold import replay_match, replay_states
from bot.core.match import Match, Phase
from bot.core.settings import DEFAULT_USER_SETTINGS, settings_texts
from bot.play.background import compute_beside
from bot.play.service import Service
from bot.play.service.results import rate_from
from bot.store import Reader, StoreError, Writer, game_lists, people
from bot.store import people as people_store
from bot.store.connection import Statement, update_statement
from bot.store.database_tables import Table, statements_to_forget_person
from bot.store.people import end_forgetting
from bot.store.results import drop_ratings
from bot.store.seekers import servers_of_seeker
from rules.record import format_record

UNSCRUBBED_KEY = "unscrubbed"
"""Key of the note that the database files may still contain traces of a forgotten person."""


async def replace_in_match(writer: Writer, match_id: int, user: int, stand_in: int) -> bool:
    """Replaces a user by `stand_in` in everything stored about a match. Returns False if the user was not in the match.

    Works on the stored text, so that it also forgets people in matches that this version cannot read.
    """
    events = await writer.run_sql("SELECT user, body, seq FROM events WHERE match = ?", (match_id,))
    updates: list[Statement] = []
    for named, body, seq in events:
        after = stand_in if named == user else named, replace_number(body, user, stand_in)
        if after != (named, body):
            updates.append(
                ("UPDATE events SET user = ?, body = ? WHERE match = ? AND seq = ?", (*after, match_id, seq))
            )
    if not updates:
        return False
    names = ("players", "winners", "leavers", "substitutes", "sorted_players")
    for result in await writer.run_sql(f"SELECT {', '.join(names)} FROM results WHERE match = ?", (match_id,)):
        values = dict(zip(names, (replace_number(value, user, stand_in) for value in result), strict=True))
        values["sorted_players"] = format_numbers(sorted(parse_numbers(values["sorted_players"])))
        updates.append(update_statement("results", {"match": match_id}, values))
    naming = (stand_in, match_id, user)
    await writer.run_batch(
        [
            *updates,
            ("UPDATE players SET user = ? WHERE match = ? AND user = ?", naming),
            ("UPDATE matches SET to_move = ? WHERE id = ? AND to_move = ?", naming),
            ("UPDATE rating_changes SET user = ? WHERE match = ? AND user = ?", naming),
            ("UPDATE shares SET user = ? WHERE match = ? AND user = ?", naming),
        ]
    )
    return True


async def export_unreadable(reader: Reader, match_id: int, user: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Returns what is stored of a match that this version cannot read, and the user's events in it as they are."""
    [(guild, variant, phase)] = await reader.run_sql(
        "SELECT guild, variant, phase FROM matches WHERE id = ?", (match_id,)
    )
    events = await reader.run_sql(
        "SELECT seq, at, kind, body FROM events WHERE match = ? AND user = ? ORDER BY seq", (match_id, user)
    )
    game = {"match": match_id, "server": str(guild), "variant": variant, "colour": None, "phase": phase, "record": None}
    return game, [
        {"match": match_id, "seq": seq, "at": at, "kind": str(kind), "body": body} for seq, at, kind, body in events
    ]


async def forget_rest(writer: Writer, user: int, stand_in: int, tables: Sequence[Table]) -> list[tuple[int, str]]:
    """Deletes what is the person's alone, gives their ratings to the stand-in, and ends the forgetting.

    Returns server and variant of games rated in the meantime: the caller must rerate those once more.
    """
    rerated = await end_forgetting(writer, user)
    # A game that ended in the meantime has rated the stand-in like a newcomer.
    rated = await writer.run_sql("SELECT guild, variant FROM ratings WHERE user = ? ORDER BY 1, 2", (stand_in,))
    rerated = list(dict.fromkeys([*rerated, *map(tuple, rated)]))
    if rerated:  # part under the user, part under the stand-in
        await writer.run_sql("DELETE FROM ratings WHERE user = ?", (stand_in,))
    await writer.run_batch(
        [
            *statements_to_forget_person(tables, user),
            ("DELETE FROM blocks WHERE blocked = ?", (user,)),
            ("UPDATE ratings SET user = ? WHERE user = ?", (stand_in, user)),
        ]
    )
    await writer.set_meta(UNSCRUBBED_KEY, "1")
    return rerated


_log = structlog.get_logger()


async def keep_forgetting(service: Service, now: int) -> None:
    """Completes what a stop interrupted, and removes traces of forgotten people from the files."""
    attempts = service.attempts
    if not service.has_resumed_forgetting:
        service.has_resumed_forgetting = True  # the next start repeats what fails now
        with attempts.contain_failures("forgetting people"):
            await resume_forgetting(service, now)
    if service.needs_scrub:
        with attempts.contain_failures("scrubbing"):
            await scrub_files(service)


async def footprint_of(service: Service, user: int) -> dict[str, int]:
    """Returns what deletion would take: by name, the number of the user's games, and of what features store."""
    reader = service.reader
    games = await service.load_readable(reader, await people.matches_naming(reader, user))
    counts = {
        "live": sum(user in match.still_in for match in games),
        "tables": sum(match.phase is Phase.OPEN and user in match.table.joined for match in games),
        "over": sum(match.phase is Phase.OVER and user in match.players for match in games),
    }
    for counted in service.database_tables:
        if counted.count_sql:
            [(counts[counted.name],)] = await reader.run_sql(counted.count_sql, {"user": user})
    return counts


async def export_person(service: Service, user: int) -> dict[str, Any]:
    """Returns everything stored about a user, ready for JSON: settings, acts, records of games."""
    reader = service.reader
    person = (await people_store.load_people(reader, (user,)))[user]
    games: list[dict[str, object]] = []
    done: list[dict[str, object]] = []
    for match_id in await people.matches_naming(reader, user):
        if readable := await service.load_readable(reader, [match_id]):
            events = await reader.load_events(match_id)
            game, acts_done = await compute_beside(_exported_game, readable[0], events, user)
        else:
            game, acts_done = await export_unreadable(reader, match_id, user)
        games.append(game)
        done += acts_done
    exported: dict[str, object] = {
        "user": str(user),
        "ratings": await people.export_rows(
            reader, "variant, mu, sigma, games, played_at", "ratings WHERE user = :user ORDER BY 1, 2", user
        ),
        "preferences": await reader.load_preferences(user),
        "settings": settings_texts(person.settings) if person.settings != DEFAULT_USER_SETTINGS else None,
        "blocked": [str(other) for other in await people.people_blocked_by(reader, user)],
        "vacations": [list(span) for span in person.vacations],
        "follows": [
            {"match": follow.match, "every_move": follow.every_move}
            for follow in await game_lists.follows_of(reader, user)
        ],
        "looking_for_a_game_in": [str(guild) for guild in await servers_of_seeker(reader, user)],
    }
    for feature in service.features:
        exported |= await feature.export_person(reader, user)
    return exported | {"games": games, "acts": done}


async def forget_person(service: Service, user: int, now: int) -> list[Match]:
    """Replaces the user in all matches and deletes the rest of their data. Returns the changed matches.

    The user first leaves live games and tables. Each match is a transaction of its own, so others can run in
    between. The next call, or `resume_forgetting`, completes what a crash interrupted.
    """
    async with service.store.write_transaction() as tx:
        stand_in = await people.begin_forgetting(tx, user)
    for feature in service.features:
        await feature.leave_all(service, user, now)
    matches = await _forget_in_matches(service, user, stand_in, now)
    for feature in service.features:
        await feature.replace_person(service, user, stand_in, now)
    matches += await _forget_in_matches(service, user, stand_in, now)  # such as games that a league has begun since
    async with service.store.write_transaction() as tx:
        for scope in await forget_rest(tx, user, stand_in, service.database_tables):
            await drop_ratings(tx, *scope)
            await rate_from(tx, *scope, (0, 0))
    await scrub_files(service)
    return matches


async def resume_forgetting(service: Service, now: int) -> None:
    """Completes a deletion that a crash has interrupted."""
    for number, user in enumerate(await people.forgetting_under_way(service.reader)):
        with service.attempts.contain_failures("forgetting people", number=number):  # no user's id in a log
            await forget_person(service, user, now)
    service.needs_scrub = await service.reader.get_meta(UNSCRUBBED_KEY) is not None


async def scrub_files(service: Service) -> None:
    """Removes the traces of forgotten people from the files, if that has not been done."""
    service.needs_scrub = True
    try:
        if await service.store.scrub_deleted():
            async with service.store.write_transaction() as tx:
                await tx.set_meta(UNSCRUBBED_KEY, None)
            service.needs_scrub = False
    except StoreError as error:  # such as a full disk; the next tick tries again
        _log.warning("deleted, but still to be read in the files", reason=error.detail)


async def _forget_in_matches(service: Service, user: int, stand_in: int, now: int) -> list[Match]:
    """Makes the user leave all matches that are not over, and removes them from all. Returns the changed matches."""
    match_ids = await people.matches_naming(service.reader, user)
    matches = [await _forget_in_match(service, match_id, user, stand_in, now) for match_id in match_ids]
    return [match for match in matches if match]


async def _forget_in_match(service: Service, match_id: int, user: int, stand_in: int, now: int) -> Match | None:
    """Makes the user leave a match and removes them from it at once, so that no post in between names them.

    Returns the match; None if it never named them, or cannot be read: such a match nobody can leave.
    """
    async with service.store.write_transaction() as tx:
        readable = await service.load_readable(tx, [match_id])
        for match in readable:
            if match.phase not in (Phase.OVER, Phase.CLOSED):
                await service.apply_decision(
                    tx, match, lambda match, people: _withdraw_from(match, Actor(user, now, people=people))
                )
        if not await replace_in_match(tx, match_id, user, stand_in) or not readable:
            return None
        match = replay_match(match_id, await tx.load_events(match_id))
        # Readers of the old match must notice the change, or they would store the old user id again.
        match = await service.apply_decision(
            tx, match, lambda match, _: match.next_events(now, (EventKind.FORGOTTEN, None, ""))
        )
    return service.cache_match(match)


def _withdraw_from(match: Match, actor: Actor) -> tuple[Event, ...]:
    """Returns the events that make the person leave a match so that it can continue."""
    user = actor.user
    if match.phase is Phase.OPEN:
        if user == match.table.host:
            return table.cancel_table(match, actor)
        if user in match.table.joined:
            return table.leave_table(match, actor)
        return table.decline_invitation(match, actor) if user in match.table.invited else ()
    handover = match.requests.of_kind(RequestKind.HANDOVER)
    if handover and handover.to == user:
        return offers.decline_request(match, actor, RequestKind.HANDOVER)
    return leaving.resign(match, actor) if user in match.still_in else ()


def _acts_of(match_id: int, events: Iterable[Event], user: int) -> Iterator[dict[str, object]]:
    """Yields the user's acts in a match as they are stored. The event of a move does not name its player, so the move
    counts as an act of the player whose turn it was."""
    mover: int | None = None
    for event, match in replay_states(match_id, events):
        if user in (mover if event.kind is EventKind.MOVED else event.user, claimant_of(event)):
            kind = event.kind.name.lower()
            yield {"match": match_id, "seq": event.seq, "at": event.at, "kind": kind, "body": event.body}
        mover = match.to_move


def _exported_game(
    match: Match, events: Sequence[Event], user: int
) -> tuple[dict[str, object], list[dict[str, object]]]:
    """Returns a game, and the user's acts in it."""
    headers = {"game": str(match.id), "opened": datetime.fromtimestamp(match.table.created, UTC).date().isoformat()}
    seat = match.seat_of(user)
    game = {
        "match": match.id,
        "server": str(match.guild),
        "variant": match.variant.key,
        "colour": match.variant.armies[seat].colour if seat is not None else None,
        "phase": match.phase.value,
        "record": format_record(match.game, headers) if match.game else None,
    }
    return game, [*_acts_of(match.id, events, user)]
