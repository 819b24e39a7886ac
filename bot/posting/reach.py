"""Keeps the note right of which live games have a place to go on in, and tells their players.

Whatever happens to a server, its channels or its roles, its games are looked at: what counts is what the bot may do by
now, and not which event has come. A game without a place has one again once the bot may post there by all that is
known, and whatever there was to tell has been posted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeAlias
from weakref import WeakValueDictionary

import structlog

from bot.kit.permissions import Trouble
from bot.kit.reply import now
from bot.match import table
from bot.match.events import Event
from bot.match.match import Match
from bot.match.results import Whereabouts
from bot.match.turns import People
from bot.posting.desk import Desk
from bot.posting.footing import Footing, find_footing, note_ladders
from bot.posting.homeless import bring_home, find_place, leave_homeless, note_homeless, tell_homeless
from bot.store import StoreError

log = structlog.get_logger()

AGAIN = 30
"""Seconds until games are looked at again of which the store could not be asked."""

Telling: TypeAlias = Callable[[], Awaitable[None]]
"""What is to be told of a game after its place has been noted."""


class Reach:
    """Keeps the note right of which games have lost their place, and tells their players."""

    def __init__(self, desk: Desk, announce: Callable[[int], Awaitable[Trouble | None]]) -> None:
        self._desk = desk
        self._announce = announce
        self._unlooked: set[int] = set()
        """Servers in which something has changed since their games were last looked at."""
        self._looking: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    async def look_over(self, guild: int) -> None:
        """Look at all live games of a server; once for all that has changed by then."""
        self._unlooked.add(guild)
        await self._look(guild, lambda _: True, once=True)

    async def look_at(self, guild: int, place: int) -> None:
        """Look at the live games of a channel or thread."""
        await self._look(guild, lambda game: place in (game.thread, game.channel))

    async def _look(self, guild: int, concerned: Callable[[Whereabouts], bool], *, once: bool = False) -> None:
        """An errand, so that a stop waits for it. All is noted before anything is told, which may take long."""
        await asyncio.wait({self._desk.errands.begin(self._note_and_tell(guild, concerned, once=once))})

    async def _note_and_tell(self, guild: int, concerned: Callable[[Whereabouts], bool], *, once: bool) -> None:
        tellings: list[tuple[int, Telling]] = []
        async with self._looking.setdefault(guild, asyncio.Lock()):
            if once and guild not in self._unlooked:  # somebody has looked since
                return
            if once:
                self._unlooked.discard(guild)
            try:
                for game in filter(concerned, await self._desk.service.whereabouts(guild)):
                    try:
                        telling = await self._note(game)
                    except StoreError:
                        raise
                    except Exception:  # one game must not keep the others from being looked at
                        log.exception("place not looked at", match=game.id)
                    else:
                        tellings += [(game.id, telling)] if telling else []
                await note_ladders(self._desk, now())
            except StoreError:  # no clock runs while nothing can be stored
                log.warning("places not looked at", server=guild, retry_in=AGAIN, exc_info=True)
                asyncio.get_running_loop().call_later(AGAIN, self._look_again, guild)
        for match_id, tell in tellings:
            try:
                await tell()
            except Exception:  # nor from being told of
                log.exception("not told of its place", match=match_id)

    def _look_again(self, guild: int) -> None:
        self._desk.errands.begin(self.look_over(guild))

    async def _note(self, game: Whereabouts) -> Telling | None:
        """Note whether that game has a place. What is to be told then, if anything."""
        footing = await find_footing(self._desk, game)
        if footing is None:
            return None
        if footing.trouble:
            if game.homeless and not footing.thread_gone:
                return None
            lost = await note_homeless(self._desk, game, thread_gone=footing.thread_gone)
            return partial(tell_homeless, self._desk, lost, footing.trouble) if lost else None
        if game.homeless:
            return partial(self._find_again, game, footing)
        if footing.thread_gone:
            return partial(self._bring_home, await self._desk.service.act(game.id, None, _without(game.thread)))
        return None

    async def _bring_home(self, match: Match) -> None:
        """Say that a game goes on in its channel. It does not where Discord refuses that, whatever the client knows."""
        trouble = await bring_home(self._desk, match, thread_gone=True)
        if trouble and (trouble.until or not trouble.obstacle.passes):
            await leave_homeless(self._desk, match, trouble)

    async def _find_again(self, game: Whereabouts, footing: Footing) -> None:
        """Tell what there is to tell of a game whose place may be posted to again; then it has one."""
        if footing.thread_gone:
            await note_homeless(self._desk, game, thread_gone=True)
        if await self._announce(game.id):
            return  # the next tick tries again
        match = await self._desk.service.match(game.id, game.guild)
        if not match.homeless or not match.is_live:
            return
        moves = not footing.in_thread and game.thread is not None
        if moves and await bring_home(self._desk, match, thread_gone=footing.thread_gone):
            return
        await find_place(self._desk, game.id, match.thread if footing.in_thread else None)


def _without(thread: int | None) -> Callable[[Match, People], tuple[Event, ...]]:
    """The match goes on in its channel, if that is its thread still."""
    return lambda match, _: table.threaded(match, None, now()) if match.thread == thread else ()
