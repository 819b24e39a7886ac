"""The way to the store, which all services share."""

from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from typing import NamedTuple

from bot.match.events import LARGEST, Event, EventKind
from bot.match.match import Match, Phase
from bot.match.table import Shuffle
from bot.match.turns import People, automove
from bot.people.problems import MatchError, Problem
from bot.service.reckoning import reckon
from bot.store import Head, Reader, Store, Writer
from bot.store.people import people

REMEMBERED = 256
"""Matches kept in memory, so that autocomplete need not replay them. A long one takes some 50 kB."""

SHUFFLE: Shuffle = random.SystemRandom().shuffle
"""How seats are drawn."""

Decision = Callable[[Match, People], tuple[Event, ...]]
"""What follows, given a match and its players."""

Check = Callable[[Writer, Match], Awaitable[None]]
"""Raises where a match may not be decided about, for reasons that lie outside of it."""


_TURN_BEGINS = frozenset(
    {
        EventKind.MOVED,
        EventKind.RESIGNED,
        EventKind.TIMED_OUT,
        EventKind.PASSIVE,
        EventKind.TAKEN_OVER,
        EventKind.REPLACED,
    }
)
"""Behind these it can be the turn of somebody who has a single move. Not behind moves that are taken back: they were
taken back so that he can choose others, and the only one would be played again at once."""


class Recent(NamedTuple):
    """A match in memory."""

    match: Match
    before: Match | None = None
    """As it stood before the last decision about it: its news need not be found by replaying it from the start."""


class Loader:
    """Loads matches, and stores what is decided about them: one decision, one transaction."""

    def __init__(self, store: Store, shuffle: Shuffle = SHUFFLE) -> None:
        self._store = store
        self._shuffle = shuffle
        self._recent: OrderedDict[int, Recent] = OrderedDict()

    async def _decide(self, match_id: int, guild: int | None, decide: Decision, check: Check | None = None) -> Match:
        """The match after what `decide` makes of it. No guild: whatever server it is in."""

        async def work(writer: Writer) -> Recent:
            match = await self._load(writer, match_id, guild)
            if check:
                await check(writer, match)
            return Recent(await self._settle(writer, match, decide), match)

        return self._remember(*await self._store.transaction(work))

    async def _settle(self, writer: Writer, match: Match, decide: Decision) -> Match:
        """The match after a decision, written down with all that it brings, and the moves that follow by themselves."""
        known = await people(writer, match.players or match.joined)
        events = list(decide(match, known))
        if not events:
            return match
        before, seated = match, match.players
        now = events[-1].at
        match = followed(match, events)
        if match.players != seated:
            known = await people(writer, match.players)
        while events[-1].kind in _TURN_BEGINS and match.phase is Phase.LIVE and (more := automove(match, now, known)):
            match = followed(match, more)
            events += more
        await writer.append(match, events, known)
        await reckon(writer, before, match, events)
        return match

    async def _load(self, reader: Reader, match_id: int, guild: int | None = None, head: Head | None = None) -> Match:
        """The match as it stands for that reader: from memory, if it has not gone on since. `head`, if just read."""
        if head is None and 0 < match_id <= LARGEST:
            head = await reader.head(match_id)
        recent = self._recent.get(match_id)
        match = recent.match if recent else None
        if head and not (match and match.seq == head.seq):
            match = Match.replay(match_id, await reader.events(match_id))
            # What a transaction sees may yet be undone, and another event get the same number.
            if not isinstance(reader, Writer):
                self._remember(match)
        if not head or not match or guild not in (None, match.guild):
            raise MatchError(Problem.NO_SUCH_GAME, number=match_id)
        return match

    def _remember(self, match: Match, before: Match | None = None) -> Match:
        """The match, kept in the place of one used longest ago."""
        self._recent[match.id] = Recent(match, before)
        self._recent.move_to_end(match.id)
        if len(self._recent) > REMEMBERED:
            self._recent.popitem(last=False)
        return match


def followed(match: Match, events: Iterable[Event]) -> Match:
    """The match after those events."""
    for event in events:
        match = match.apply(event)
    return match
