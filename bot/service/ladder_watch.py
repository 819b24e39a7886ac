"""What happens on ladders by itself, and what is to be told of them."""

from __future__ import annotations

import structlog

from bot.ladder import challenges, digest, seasons
from bot.ladder.entries import Entry, EntryKind
from bot.ladder.fold import Changes
from bot.ladder.stairs import Climber
from bot.ladder.standings import Digest, LadderNews
from bot.service.ladders import Ladders, scene
from bot.service.rebuilding import Rebuilding
from bot.store import Writer, standings
from bot.store import ladder as ladder_store
from bot.store.ladder_rows import NEWSWORTHY, LadderId
from bot.store.people import guild_settings
from bot.store.results import all_ratings, changes_of, result_of

_log = structlog.get_logger()

SHOWN_DEADLINES = 5


class LadderWatch(Ladders, Rebuilding):
    """The tick of the ladders, and their news."""

    _caught_up = False

    async def ladder_tick(self, now: int) -> list[tuple[int, str]]:
        """The ladders, by server and variant, at which something was due: late or doubled, it gives the same result."""
        if not self._caught_up:
            await self.catch_up(now)
            self._caught_up = True
        changed: list[tuple[int, str]] = []
        for place in await ladder_store.due(self._store.reader, now):
            try:
                changed += [place] if await self._tick_ladder(place, now) else []
            except Exception:  # noqa: BLE001 - one ladder that cannot be read must not keep the others waiting
                _log.exception("ladder not ticked", guild=place.guild, variant=place.variant)
        return changed

    async def _tick_ladder(self, place: LadderId, now: int) -> bool:
        """Whether anything was due; the note of when something is has been put right."""

        async def work(writer: Writer) -> bool:
            before = await ladder_store.standing(writer, place)
            await _lapse(writer, place, now)
            await _turn(writer, place, now)
            await self._pair(writer, place, now)
            await ladder_store.set_wake(writer, place, now)
            return before != await ladder_store.standing(writer, place)

        return await self._store.transaction(work)

    async def unannounced_ladders(self) -> list[tuple[int, str]]:
        """The ladders, by server and variant, of which there is something to tell."""
        return list(await ladder_store.unannounced(self._store.reader))

    async def ladder_news(self, guild: int, variant: str) -> tuple[LadderNews, ...]:
        """What people have not been told of yet, in order."""
        place, reader = LadderId(guild, variant), self._store.reader
        head = await ladder_store.standing(reader, place)
        if head is None:
            return ()
        settings = await guild_settings(reader, guild)
        channel = settings.ladder_channel or head.channel
        found: list[LadderNews] = []
        for entry in await ladder_store.entries(reader, place, head.announced):
            if entry.kind in NEWSWORTHY:
                steps = await ladder_store.steps_of(reader, place, entry.seq)
                named = {user: steps[user] for user in entry.users if user in steps}
                found.append(LadderNews(guild, variant, entry, named, channel, settings.announcements or channel))
        return tuple(found)

    async def mark_ladder_announced(self, guild: int, variant: str, seq: int) -> None:
        """Notes that people have been told of everything up to that entry."""
        await self._store.transaction(lambda writer: ladder_store.mark_announced(writer, LadderId(guild, variant), seq))

    async def ladder_digest(self, guild: int, variant: str, seq: int) -> Digest:
        """What the week was like that ended with that entry, a DIGEST, and what comes next as things stand now."""
        place, reader = LadderId(guild, variant), self._store.reader
        entry = await ladder_store.entry_at(reader, place, seq)
        assert entry is not None, (place, seq)
        assert entry.kind is EntryKind.DIGEST, entry
        week = await ladder_store.entries(reader, place, await ladder_store.last_digest(reader, place, seq), seq)
        history: list[tuple[Entry, Changes]] = []
        for one in week:
            steps = await ladder_store.steps_of(reader, place, one.seq)
            history.append((one, {user: _climbed(user, *moved) for user, moved in steps.items()}))
        ended = dict.fromkeys(match for one in week if one.kind is EntryKind.FINISHED for match in one.matches)
        results = [(await result_of(reader, match), await changes_of(reader, match)) for match in ended]
        charge = digest.longest_charge([(match, (await self._load(reader, match)).steps) for match in ended])
        return Digest(
            began=int(entry.body),
            ended=entry.at,
            climbs=digest.climbs(history),
            upset=digest.upset((game, changes) for game, changes in results if game),
            charge=charge,
            charge_match=await self._load(reader, charge.match) if charge else None,
            waiting=tuple(await standings.queueing(reader, place)),
            tables=tuple(await standings.open_tables(reader, place)),
            deadlines=tuple(await standings.deadlines(reader, place, SHOWN_DEADLINES)),
            games=len(ended),
        )


async def _lapse(writer: Writer, place: LadderId, now: int) -> None:
    """The challenges that nobody has answered are over."""
    overdue = await ladder_store.overdue(writer, place, now)
    if overdue:
        looked_at = await scene(writer, place, overdue, now)
        for entry in challenges.lapsed(looked_at):
            await ladder_store.add(writer, place, looked_at.ladder, entry)


async def _turn(writer: Writer, place: LadderId, now: int) -> None:
    """A week of the season is over; the season that is over ends, and another begins."""
    head = await ladder_store.standing(writer, place)
    assert head is not None, place
    turns = head.season is None or now >= head.season.until
    looked_at = await scene(writer, place, None if turns else (), now)
    if head.digested_at is not None and (week := seasons.digested(looked_at, head.digested_at)):
        await ladder_store.add(writer, place, looked_at.ladder, week)
    if turns:
        mus = {user: rating.mu for user, rating in (await all_ratings(writer, *place)).items()}
        for entry in seasons.turned(looked_at, mus):
            await ladder_store.add(writer, place, looked_at.ladder, entry)


def _climbed(user: int, before: int | None, behind: int) -> tuple[Climber | None, Climber]:
    """A change as far as it is about steps, which is all that a digest asks about."""
    return Climber(user, 0, before) if before is not None else None, Climber(user, 0, behind)
