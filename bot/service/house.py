"""The house players at their games: where they sit down, whose turn it is to be thought about, and what they play."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cachetools import LRUCache

from bot.match import offers, table, turns, vacancy
from bot.match.events import Ballot, Event
from bot.match.match import Match
from bot.people.house import is_house
from bot.people.problems import MatchError, Problem
from bot.people.settings import GuildSettings
from bot.service.matches import Beside, Check
from bot.store import Writer
from bot.store import house as house_store
from bot.store.house import Waiting
from bot.store.people import guild_settings

MOST_AT_SERVER = 50
"""Games with house players that one server may have at a time, so that it does not keep others waiting."""

REMEMBERED = 1000
"""Servers and people of whom it is known when they were last thought for."""


class House(Beside):
    """What the house players do. All of it follows from the stored games: who has died goes on after the next start."""

    async def let_sit(self, match_id: int, guild: int, user: int, level: str, count: int, now: int) -> Match:
        """The match with so many house players in its free seats, by the host's wish; started, if it is full.

        Raises also HOUSE_OFF, TOO_MANY_HOUSE and HOUSE_BUSY, here and below.
        """
        return await self._matches.act(
            match_id,
            guild,
            lambda match, _: table.let_house_sit(match, user, level, count, now, self._matches.shuffle),
            _room_for(user),
        )

    async def promise(self, match_id: int, guild: int, user: int, level: str, until: int | None, now: int) -> Match:
        """The match whose empty seats house players take then, by the host's wish; None: they do not."""
        return await self._matches.act(
            match_id,
            guild,
            lambda match, _: table.promise_house(match, user, level, until, now),
            _room_for(user) if until is not None else None,
        )

    async def vote(
        self, match_id: int, guild: int, user: int, ballot: Ballot, now: int, asked: int | None = None
    ) -> Match:
        """The match after that vote on a vacant seat: no house player takes one where the server wants none any more.

        `asked`: the event that they answer, if known.
        """

        async def check(tx: Writer, match: Match) -> None:
            if ballot is Ballot.HOUSE and not (await guild_settings(tx, match.guild)).most_house:
                raise MatchError(Problem.HOUSE_OFF)

        return await self._matches.act(
            match_id, guild, lambda match, _: vacancy.vote(match, user, ballot, now, asked), check
        )

    async def waiting(self) -> list[Waiting]:
        """The games in which a house player is to move and people can be told of it."""
        return await house_store.waiting(self._reader)

    async def play(self, match_id: int, user: int, board_version: int, text: str, now: int) -> Match | None:
        """The match after that house player's move on that board; None where there is nothing to play there any more.

        Nobody plays a turn twice: it is stored only on the board that was thought about.
        """
        return await self._act(match_id, lambda match: turns.move(match, user, text, now, board_version))

    async def claim_draw(self, match_id: int, user: int, now: int) -> Match | None:
        """The match, drawn because that house player claims it; None as above."""
        return await self._act(match_id, lambda match: offers.claim_draw(match, user, now))

    async def _act(self, match_id: int, decide: Callable[[Match], tuple[Event, ...]]) -> Match | None:
        try:
            return await self._matches.act(match_id, None, lambda match, _: decide(match))
        except MatchError:  # a move was taken back meanwhile, or the game has ended
            return None


class Turns:
    """Whose game is thought about next: each server in turn, and in a server each person."""

    def __init__(self) -> None:
        self._served: LRUCache[tuple[int, ...], int] = LRUCache(REMEMBERED)
        self._count = 0

    def next(self, waiting: Sequence[Waiting]) -> Waiting:
        """The one of those that is next in turn, which has had its turn then."""
        served = self._served
        chosen = min(
            waiting,
            key=lambda one: (served.get((one.guild,), 0), served.get((one.guild, one.person), 0), one.since, one.match),
        )
        self._count += 1
        served[(chosen.guild,)] = served[(chosen.guild, chosen.person)] = self._count
        return chosen


def _room_for(user: int) -> Check:
    """Refuses where that person, or the server, has as many games with house players as there may be."""

    async def check(tx: Writer, match: Match) -> None:
        counted = bool(match.promised) or any(map(is_house, match.joined))
        await require_house(tx, await guild_settings(tx, match.guild), match.guild, user, counted=counted)

    return check


async def require_house(tx: Writer, settings: GuildSettings, guild: int, user: int, *, counted: bool = False) -> None:
    """Raises HOUSE_OFF, TOO_MANY_HOUSE or HOUSE_BUSY unless that person may have another game with house players.

    `counted`: it is no other one, but among theirs already.
    """
    if not settings.most_house:
        raise MatchError(Problem.HOUSE_OFF)
    if counted:
        return
    if await house_store.games(tx, guild, user) >= settings.most_house:
        raise MatchError(Problem.TOO_MANY_HOUSE, most=settings.most_house)
    if await house_store.games(tx, guild) >= MOST_AT_SERVER:
        raise MatchError(Problem.HOUSE_BUSY)
