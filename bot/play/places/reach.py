"""Keeps track of which live games have a place to continue in, and notifies their players.

Every event about a server, its channels or its roles makes the bot check the games there: the bot's present
permissions decide, not the kind of event. A game has its place again once the bot may post there, as far as it
knows, and has posted all due news.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeAlias
from weakref import WeakValueDictionary

import structlog

from bot.core import table
from bot.core.deadlines import PeopleById
from bot.core.events import Event
from bot.core.listings import GamePlace
from bot.core.match import Match
from bot.discordkit.permissions import Trouble
from bot.discordkit.reply import now
from bot.play.context import BotContext
from bot.play.places.lost_places import (
    announce_thread_lost,
    mark_channel_lost,
    note_channel_found,
    note_channel_lost,
    tell_channel_lost,
)
from bot.play.places.posting_place import PostingPlace, find_posting_place
from bot.store import StoreError

log = structlog.get_logger()

TellingAction: TypeAlias = Callable[[], Awaitable[None]]
"""Announces a change of place after it has been noted."""


class PlaceChecker:
    """Keeps track of which games have lost their place, and notifies their players."""

    def __init__(self, context: BotContext, announce: Callable[[int], Awaitable[Trouble | None]]) -> None:
        self._context = context
        self._announce = announce
        self._unchecked: set[int] = set()
        """Servers in which something has changed since their games were last checked."""
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    async def check_server(self, guild: int) -> None:
        """Checks all live games of a server, once for all changes so far."""
        self._unchecked.add(guild)
        await self._check_games(guild, lambda _: True, once=True)

    async def check_place(self, guild: int, place: int) -> None:
        """Checks the live games of a channel or thread."""
        await self._check_games(guild, lambda game: place in (game.thread, game.channel))

    async def _check_games(self, guild: int, concerned: Callable[[GamePlace], bool], *, once: bool = False) -> None:
        """Runs the check as a background task, so that a stop waits for it. Notes everything before announcing, which
        may take long.
        """
        await asyncio.wait({self._context.background.start_task(self._note_and_tell(guild, concerned, once=once))})

    async def _note_and_tell(self, guild: int, concerned: Callable[[GamePlace], bool], *, once: bool) -> None:
        tellings: list[tuple[int, TellingAction]] = []
        async with self._locks.setdefault(guild, asyncio.Lock()):
            if once and guild not in self._unchecked:  # another task has checked since
                return
            if once:
                self._unchecked.discard(guild)
            try:
                for game in filter(concerned, await self._context.service.places_of_live_games(guild)):
                    try:
                        telling = await self._check_game(game)
                    except StoreError:
                        raise
                    except Exception:  # one game must not keep the others from being checked
                        log.exception("place not looked at", match=game.id)
                    else:
                        tellings += [(game.id, telling)] if telling else []
                for feature in self._context.features:
                    try:
                        await feature.after_places_checked(self._context, now())
                    except StoreError:
                        raise
                    except Exception:  # nor a feature keep the players from being notified
                        log.exception("places of a feature not looked at", server=guild)
            except StoreError:  # no clock runs while nothing can be stored
                pause = self._context.timings.places_recheck_s
                log.warning("places not looked at", server=guild, retry_in=pause, exc_info=True)
                asyncio.get_running_loop().call_later(pause, self._check_server_again, guild)
        for match_id, tell in tellings:
            try:
                await tell()
            except Exception:  # nor from being announced
                log.exception("not told of its place", match=match_id)

    def _check_server_again(self, guild: int) -> None:
        self._context.background.start_task(self.check_server(guild))

    async def _check_game(self, game: GamePlace) -> TellingAction | None:
        """Notes whether that game has a place. Returns the announcement to make, if any."""
        posting_place = await find_posting_place(self._context, game)
        if posting_place is None:
            return None
        if posting_place.trouble:
            if game.has_lost_channel and not posting_place.is_thread_gone:
                return None
            lost = await note_channel_lost(self._context, game, thread_gone=posting_place.is_thread_gone)
            return partial(tell_channel_lost, self._context, lost, posting_place.trouble) if lost else None
        if game.has_lost_channel:
            return partial(self._announce_channel_found, game, posting_place)
        if posting_place.is_thread_gone:
            return partial(
                self._announce_thread_lost,
                await self._context.service.act_on_match(game.id, None, _leave_thread(game.thread)),
            )
        return None

    async def _announce_thread_lost(self, match: Match) -> None:
        """Says that a game continues in its channel. If Discord refuses the post, notes that the place is lost."""
        trouble = await announce_thread_lost(self._context, match, thread_gone=True)
        if trouble and (trouble.until or not trouble.obstacle.is_temporary):
            await mark_channel_lost(self._context, match, trouble)

    async def _announce_channel_found(self, game: GamePlace, posting_place: PostingPlace) -> None:
        """Announces what is due in a game that may be posted to again, then notes that it has its place."""
        if posting_place.is_thread_gone:
            await note_channel_lost(self._context, game, thread_gone=True)
        if await self._announce(game.id):
            return  # the next tick tries again
        match = await self._context.service.current_match(game.id, game.guild)
        if not match.has_lost_channel or not match.is_live:
            return
        turn = (await self._context.service.posts_of(game.id)).turn
        moves = not posting_place.may_use_thread and turn is not None and turn.channel != match.channel
        if moves and await announce_thread_lost(self._context, match, thread_gone=match.thread is None):
            return
        await note_channel_found(self._context, game.id, match.thread if posting_place.may_use_thread else None)


def _leave_thread(thread: int | None) -> Callable[[Match, PeopleById], tuple[Event, ...]]:
    """Returns the decision to move a match to its channel, if its thread is still that one."""
    return lambda match, _: table.move_to_thread(match, None, now()) if match.thread == thread else ()
