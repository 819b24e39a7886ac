"""The service: acts on matches, queries that find and show them, and notes about announcements."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Literal

from bot.core import deadlines, table
from bot.core.deadlines import Actor
from bot.core.events import Event, EventKind, Opening, Terms
from bot.core.fold import fold_events, match_at, replay_match
from bot.core.house_seats import is_house
from bot.core.listings import MatchSummary, MessageRef
from bot.core.match import Match, Phase
from bot.core.news import News, collect_news
from bot.core.problems import MatchError, Problem
from bot.core.settings import StoredPerson
from bot.core.table import SYSTEM_SHUFFLE, Shuffle, TableOptions
from bot.core.timings import DEFAULT_TIMINGS, Timings
from bot.play.service.archive import Archive, History
from bot.play.service.matches import Matches, StoredFeature, require_allowed_place, require_house, require_table_room
from bot.play.service.people import People
from bot.play.service.upkeep import Servers, Upkeep
from bot.store import Store
from bot.store.database_tables import statements_to_delete_match
from bot.store.servers import load_guild_settings
from rules import VARIANTS

WhichGame = Literal["waiting", "own", "any"]
"""Which game a command without a game number means; see `which_game`."""


class Service(Matches):
    """Opens tables, and answers queries about matches. Other subjects are attributes."""

    def __init__(
        self,
        store: Store,
        features: Sequence[StoredFeature] = (),
        shuffle: Shuffle = SYSTEM_SHUFFLE,
        timings: Timings = DEFAULT_TIMINGS,
    ) -> None:
        super().__init__(store, features, shuffle, timings)
        self.people = People(self)
        self.history = History(self)
        self.archive = Archive(self)
        self.upkeep = Upkeep(self)
        self.servers = Servers(self)

    # Tables

    async def open_table(self, host: Actor, channel: int, options: TableOptions, parent: int | None = None) -> Match:
        """Opens a table with its host, reserves seats for the people invited, and returns the match.

        `parent`: the parent channel if `channel` is a thread. Also raises CHANNEL_NOT_ALLOWED, NO_SUCH_SEAT, and what
        `require_table_room` and `require_house` raise.
        """
        user, now, guild, _ = host
        assert guild is not None
        async with self.store.write_transaction() as tx:
            settings = await load_guild_settings(tx, guild)
            require_allowed_place(settings, channel, parent)
            await require_table_room(tx, guild, user)
            variant, seat = VARIANTS[options.variant], options.seat
            terms = Terms(
                variant,
                options.seating,
                settings.threads.gives_thread(wanted=options.thread),
                options.pace or settings.pace,
                options.ladder,
                options.vacations,
                order=table.seat_order_with(variant, user, seat) if seat is not None else (),
            )
            events = table.open_table(Opening(guild, channel, terms, options.invited), user, now)
            match = replay_match(0, events)
            if options.house and match.free_seats:
                await require_house(self, tx, settings, guild, user)
                sat = table.seat_house_players(match, host, options.house, match.free_seats, self.shuffle)
                match, events = fold_events(match, sat), events + sat
            match_id = await tx.add_match(match, events, await self.presence.load_players(tx, match))
        return self.cache_match(replace(match, id=match_id))

    async def withdraw_table(self, match_id: int) -> None:
        """Deletes a table that nobody has seen, even if the house has already moved there."""
        async with self.store.write_transaction() as tx:
            match = await self.load_match(tx, match_id)
            moved = (match.players[step.seat] for step in match.changes if step.move)
            alone = match.table.host not in moved and all(
                user == match.table.host or is_house(user) for user in match.table.joined
            )
            if alone and (await tx.load_posts(match_id)).turn is None:
                await tx.run_batch(statements_to_delete_match(self.tables, match_id))
        self.drop_from_cache(match_id)

    async def open_rematch(
        self, actor: Actor, match_id: int, *, parent: int | None = None, departed: Collection[int] = ()
    ) -> tuple[Match, bool]:
        """Opens a table for a rematch. Returns it, and whether it is new.

        A match has one rematch at a time: if its table exists, or the game from that table, it is returned. `parent`:
        as for `open_table`. `departed`: players who have left the server; their seats are open to anybody. Also raises
        NOT_OVER, CHANNEL_NOT_ALLOWED, TOO_MANY_OPEN and TOO_MANY_LIVE.
        """
        user, guild = actor.user, actor.guild
        async with self.store.write_transaction() as tx:
            over = await self.load_match(tx, match_id, guild)
            opening = table.rematch_opening(over, user)
            [old_id] = await tx.read_column("SELECT coalesce(rematch, 0) FROM matches WHERE id = ?", (match_id,))
            # If the table could not be posted, it has been deleted.
            if (
                await tx.load_head(old_id)
                and (known := await self.load_match(tx, old_id, guild)).phase is not Phase.CLOSED
            ):
                return known, False
            settings = await load_guild_settings(tx, over.guild)
            require_allowed_place(settings, opening.channel, parent)
            await require_table_room(tx, over.guild, user)
            wants_thread = settings.threads.gives_thread(wanted=opening.terms.wants_thread)
            opening = opening._replace(
                terms=opening.terms._replace(wants_thread=wants_thread),
                invited=tuple(player for player in opening.invited if player not in departed),
            )
            events = table.open_table(opening, user, actor.now)
            match = replay_match(0, events)
            if house_events := table.seat_house_for_rematch(match, over, actor.now, self.shuffle):
                await require_house(self, tx, settings, over.guild, user)
                match, events = fold_events(match, house_events), events + house_events
            table_id = await tx.add_match(match, events, await self.presence.load_players(tx, match))
            await tx.update_rows("matches", {"id": match_id}, rematch=table_id)
        return self.cache_match(replace(match, id=table_id)), True

    # Looking at games

    async def current_match(self, match_id: int, guild: int) -> Match:
        """Returns the match in its current state."""
        return await self.load_match(self.reader, match_id, guild)

    async def match_at(self, match_id: int, guild: int, ply: int) -> Match:
        """Returns the match as it was right after that many moves; 0 is the start."""
        _, events = await self.match_history(match_id, guild)
        return await self.reader.compute(match_at, match_id, events, ply)

    async def match_history(self, match_id: int, guild: int) -> tuple[Match, tuple[Event, ...]]:
        """Returns the match in its current state, and all its events."""
        match = await self.load_match(self.reader, match_id, guild)
        events = await self.reader.load_events(match_id)
        return match, events[: match.seq]

    async def reminded_match(self, match_id: int, guild: int | None, user: int) -> Match:
        """Returns the match of a reminder to the user. If `guild` is None, only a match in which they play."""
        match = await self.load_match(self.reader, match_id, guild)
        if guild is None and user not in match.players:
            raise MatchError(Problem.NO_SUCH_GAME, number=match_id)
        return match

    async def time_runs_out_at(self, match: Match) -> int | None:
        """Returns when the player to move runs out of time, or of grace; None if no clock runs."""
        return deadlines.time_runs_out_at(match, await self.players_of(match))

    async def players_of(self, match: Match) -> dict[int, StoredPerson]:
        """Returns all players of the match with their habits and the absences that stop clocks."""
        known_people = await self.presence.load_players(self.reader, match)
        return {user: known_people.get(user, StoredPerson()) for user in match.players}

    # Finding games

    async def games_of(self, guild: int | None, user: int, *, live: bool = True) -> list[MatchSummary]:
        """Returns the user's games in that server (None: in all servers). Games that wait for them come first, finished
        ones last."""
        return await self.reader.games_of(guild, user, live=live)

    async def which_game(self, guild: int, user: int, channel: int, which: WhichGame) -> int:
        """Returns the match that a command without a game number means.

        That is the live game of the thread, else the only fitting game in the channel, else the user's only game in the
        whole server. "waiting": a game that waits for the user. "own": one that they play. "any": also one that they
        have left, the only live one there, or the last one. Raises OVER_HERE, NO_GAMES or WHICH_GAME if none is meant.
        """
        number = await self.reader.match_in_thread(guild, channel)
        in_thread = None if number is None else await self.load_match(self.reader, number)
        if in_thread and in_thread.is_live:
            return in_thread.id
        own = [game for game in await self.games_of(guild, user) if user not in game.resigned or which == "any"]
        games_here = [game for game in own if game.place.channel == channel]
        if which == "waiting":
            games_here = [game for game in games_here if game.to_move == user] or games_here
        elif which == "any" and not games_here:
            played = await self.reader.games_in_channel(guild, channel)
            games_here = [game for game in played if game.phase is Phase.LIVE] or played[:1]
            if in_thread and not games_here:
                return in_thread.id
        for games in (games_here, own):
            if len(games) == 1:
                return games[0].id
        if candidates := own or games_here:
            raise MatchError(Problem.WHICH_GAME, candidates=[game.id for game in candidates])
        if in_thread:
            raise in_thread.refusal_for(Problem.OVER_HERE, winners=in_thread.winners, has_result=in_thread.has_result)
        raise MatchError(Problem.NO_GAMES)

    # What has been announced, and by which messages

    async def unannounced_news(self, match_id: int) -> tuple[News, ...]:
        """Returns the unannounced news, which no power cut undoes any more; empty if the match is gone."""
        head, fresh = await self.reader.load_unannounced(match_id)
        await self.store.flush()
        if head is None or head.newsworthy <= head.announced:
            return ()
        match = await self.load_match(self.reader, match_id, head=head)
        players = await self.presence.load_players(self.reader, match, since=match.table.created)
        cached = self.cached_match(match_id)
        told_before = cached.before if cached else None
        # Only if the first new event is a move: other events may belong to news announced earlier.
        if told_before and told_before.seq == head.announced and fresh and fresh[0].kind is EventKind.MOVED:
            return collect_news(match_id, fresh, head.announced, players, told_before)
        return collect_news(match_id, await self.reader.load_events(match_id), head.announced, players)

    async def mark_announced(self, match_id: int, seq: int, turn: MessageRef | None = None) -> MessageRef | None:
        """Notes that everything up to that event is announced. `turn`: the message that did so, if it shows a board.

        Returns the message that showed the latest turn until now. If a power cut loses the note, the post is repeated,
        and Discord drops it because of its nonce.
        """
        async with self.store.write_transaction(durable=False) as tx:
            return await tx.mark_announced(match_id, seq, turn)

    async def set_table_message(self, match_id: int, channel: int, message: int) -> None:
        """Notes which message shows the table."""
        async with self.store.write_transaction() as tx:
            await tx.set_table_post(match_id, MessageRef(channel, message))

    async def set_turn_message(self, match_id: int, channel: int, message: int) -> None:
        """Notes which message has the buttons of the current turn, if the message is not a new board."""
        async with self.store.write_transaction() as tx:
            await tx.set_turn_post(match_id, MessageRef(channel, message))

    # Notes

    async def keep_draft(self, match_id: int, board_version: int, draft: str) -> None:
        """Stores a draft move if it belongs to the current board."""
        async with self.store.write_transaction() as tx:
            match = await self.load_match(tx, match_id)
            if match.is_live and match.board_version == board_version:
                await tx.set_draft(match_id, draft)
