"""Games as they were and as they ended: which one is meant, earlier states, results, and records of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Literal, NamedTuple, TextIO

from bot.core.deadlines import Actor
from bot.core.fold import match_at
from bot.core.match import Match, MatchSummary, Phase
from bot.core.problems import MatchError, Problem
from bot.core.ratings import RatingEffects, UnratedReason, long_enough
from bot.core.results import FinishedGame, HistoryGame, pages_of
from bot.discordkit.paging import Page
from bot.play.background import compute_beside
from bot.play.service.matches import Service
from bot.store import Reader, game_lists
from bot.store import results as results_store
from rules.collection import canonical_text, iter_records
from rules.record import RecordError, parse_record


class ImportCounts(NamedTuple):
    """The outcome of an import."""

    new: int
    known: int
    """Games that were in the archive already."""


async def export_games(service: Service, guild: int | None = None, match_id: int | None = None) -> list[Match]:
    """Returns the started games of a server, or of all servers, or one of them; without those that this version cannot
    read, which the log names.
    """
    return await service.load_readable(service.reader, await game_lists.games_begun(service.reader, guild, match_id))


async def import_records(service: Service, file: TextIO, guild: int | None = None) -> ImportCounts:
    """Adds all records of the file to the archive of one server or of all servers. Adds none if one is wrong.

    Replays each record by the current rules. Raises RecordError at the first illegal move. A game that is in the
    archive already is not added again, whatever its comments are.
    """
    new = known_already = 0
    async with service.store.write_transaction() as tx:
        known = {digest async for text in game_lists.records_of(tx, guild) for digest in _digests_of(text)}
        for record, written in iter_records(file):
            canonical = canonical_text(record, record.replay(), written)
            digests = {*_digests_of(written), *_digests_of(canonical)}
            if known.isdisjoint(digests):
                await tx.add_row("archive", {"guild": guild, "record": canonical})
                new += 1
            else:
                known_already += 1
            known |= digests
    return ImportCounts(new, known_already)


def _digests_of(text: str) -> Iterator[bytes]:
    """Yields a short name for the game of a record, the same for all its comments; none if it is not readable here."""
    with suppress(RecordError):
        record = parse_record(text)
        headers = sorted((key, " ".join(value.split())) for key, value in record.headers.items() if value.strip())
        moves = [(entry.seat, entry.move, entry.steward) for entry in record.entries]
        yield sha256(repr((headers, moves)).encode()).digest()


WhichGame = Literal["waiting", "own", "any"]
"""Which game a command without a game number means; see `load_meant_match`."""
ListGames = Callable[[], Awaitable[Sequence[MatchSummary]]]


async def load_match_at(service: Service, match: Match, ply: int) -> Match:
    """Returns the match as it was right after that many moves; 0 is the start."""
    if ply == match.ply:
        return match
    events = await service.reader.load_events(match.id)
    return await compute_beside(match_at, match.id, events[: match.seq], ply)


async def reminded_match(service: Service, match_id: int, guild: int | None, user: int) -> Match:
    """Returns the match of a reminder to the user. If `guild` is None, only a match in which they play."""
    match = await service.load_match(service.reader, match_id, guild)
    MatchError.raise_if(guild is None and user not in match.players, Problem.NO_SUCH_GAME, number=match_id)
    return match


async def load_meant_match(
    service: Service, person: Actor, channel: int, which: WhichGame, list_live: ListGames, *, is_thread: bool = False
) -> Match:
    """Returns the match that a command without a game number means. `list_live`: returns the person's live games in the
    server; `is_thread`: whether `channel` is a thread.

    That is the live game of the thread, else the only fitting game in the channel, else the user's only game in the
    whole server. "waiting": a game that waits for the user. "own": one that they play. "any": also one that they
    have left, the only live one there, or the last one. Raises OVER_HERE, NO_GAMES or WHICH_GAME if none is meant, and
    OTHERS_THREAD in the thread of a game that others play, unless any will do.
    """
    reader, user, guild = service.reader, person.user, person.guild or 0
    found = await reader.match_in_thread(guild, channel)
    in_thread = await service.load_match(reader, found[0], seq=found[1]) if found else None
    if in_thread and in_thread.is_live and (which == "any" or user in in_thread.players):
        return in_thread
    own = [game for game in await list_live() if which == "any" or user not in game.resigned]
    here = [game for game in own if game.place.channel == channel]
    if which == "waiting":
        here = [game for game in here if game.to_move == user] or here
    if not here and (which == "any" or in_thread or is_thread):
        played = await game_lists.games_in_server(reader, guild, channel, live=False)
        live = [game for game in played if game.phase is Phase.LIVE]
        if which == "any":
            here = live or played[:1]
            if in_thread and not here:
                return in_thread
        elif theirs := in_thread or next(iter(live), None):
            raise _refusal_in_thread(theirs, own)
    for games in (here, own):
        if len(games) == 1:
            return await service.load_match(reader, games[0].id, seq=games[0].seq)
    if candidates := own or here:
        raise MatchError(Problem.WHICH_GAME, candidates=candidates)
    raise MatchError(Problem.NO_GAMES)


def _refusal_in_thread(theirs: Match | MatchSummary, own: Sequence[MatchSummary]) -> MatchError:
    """Returns OVER_HERE or OTHERS_THREAD for the thread of that game. `own`: the games of the user, all elsewhere,
    which a command in that thread cannot mean.
    """
    problem = Problem.OTHERS_THREAD if theirs.phase is Phase.LIVE else Problem.OVER_HERE
    places = [(game.id, game.place.thread_or_channel) for game in own]
    return MatchError(problem, number=theirs.id, players=theirs.players, own=places)


GAMES_PER_PAGE = 10
"""Games on one page of a person's history."""

GAMES_FOR_TABLE = 10
"""A player's latest games that are searched for their last table."""


async def rating_effects(reader: Reader, match_id: int) -> RatingEffects:
    """Returns the effects of the match's end on ratings; empty if the match is not over or not rated."""
    ratings = await results_store.changes_of(reader, match_id)
    over = await results_store.result_of(reader, match_id)
    return RatingEffects(ratings, _unrated_reason(over) if over and not ratings and not over.never_rated else None)


async def find_games(
    service: Service, guild: int, user: int, variant: str | None = None, opponent: int | None = None, page: int = 0
) -> Page[HistoryGame]:
    """Returns a page of the user's finished games, the latest first; the last page if there are not so many."""
    numbers = range(page * GAMES_PER_PAGE, (page + 1) * GAMES_PER_PAGE)
    games, total = await results_store.finished_games(service.reader, guild, user, variant, opponent, numbers)
    pages = pages_of(total, GAMES_PER_PAGE)
    if page >= pages:
        return await find_games(service, guild, user, variant, opponent, pages - 1)
    return Page(games, page, pages, numbers.start)


async def last_table_of(service: Service, guild: int, user: int) -> Match | None:
    """Returns the last table that the user opened in that server, without games of ladders and leagues and rematches.
    None if there is none among their latest games.
    """
    games = await service.reader.games_of(guild, user, live=False)
    latest = sorted((game.id for game in games), reverse=True)[:GAMES_FOR_TABLE]
    for match in await service.load_readable(service.reader, latest):
        begun_for_them = match.terms.ladder or match.title or match.terms.rematch_of is not None
        if match.table.host == user and not begun_for_them:
            return match
    return None


def _unrated_reason(game: FinishedGame) -> UnratedReason:
    """Returns why a game that changed no rating is not rated."""
    if not game.has_result:
        return UnratedReason.NO_RESULT
    return UnratedReason.CAPPED if long_enough(game) else UnratedReason.SHORT
