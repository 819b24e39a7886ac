"""The role of a league's winners and the events that announce its seasons, as managers choose them."""

from __future__ import annotations

from bot.leagues import honour_rows, rows, season_rows
from bot.leagues.honour_rows import AnnouncedSeason, RoleHolder
from bot.leagues.honours import RETRY_S, Announcement
from bot.leagues.league import League
from bot.leagues.service import require_league
from bot.play.service.matches import ServicePart
from bot.store import Writer


class Honours(ServicePart):
    """The role of the winners of leagues, and the scheduled events about leagues."""

    async def choose_role(self, guild: int, number: int, role: int | None, now: int) -> League:
        """Gives a league another role for its winners, who are to have it at once; None: no role any more.

        Raises NO_LEAGUE.
        """
        async with self._store.write_transaction() as tx:
            await require_league(tx, guild, number)
            await rows.set_role(tx, number, role)
            league = await require_league(tx, guild, number)
            await pass_role_on(tx, league, now)
        return league

    async def announce_seasons(self, guild: int, number: int, *, events: bool) -> League:
        """Notes whether scheduled events announce the seasons of a league. Raises NO_LEAGUE."""
        async with self._store.write_transaction() as tx:
            await require_league(tx, guild, number)
            await rows.set_events(tx, number, events=events)
            await honour_rows.watch_event(tx, number, guild)
            return await require_league(tx, guild, number)

    # What Discord has to be asked for

    async def due_holders(self, now: int) -> list[RoleHolder]:
        """Returns the people who are to get or lose a role now."""
        return await honour_rows.due_holders(self._reader, now)

    async def claim_holder(self, holder: RoleHolder, now: int) -> bool:
        """Notes that Discord is being asked about a role. Returns False if there is nothing to ask.

        A role that another league wants the person to have is not taken from them.
        """
        async with self._store.write_transaction() as tx:
            if not holder.is_wanted and await honour_rows.is_wanted_elsewhere(tx, holder):
                await honour_rows.settle_holder(tx, holder)
                return False
            await honour_rows.try_holder_at(tx, holder, now + RETRY_S)
        return True

    async def settle_holder(self, holder: RoleHolder) -> None:
        """Notes that a person has got or lost the role."""
        async with self._store.write_transaction() as tx:
            await honour_rows.settle_holder(tx, holder)

    async def drop_holder(self, holder: RoleHolder) -> None:
        """Forgets a person who has left the server, or a role that has been deleted."""
        async with self._store.write_transaction() as tx:
            await honour_rows.drop_holder(tx, holder)

    async def give_up_role(self, number: int, role: int, now: int) -> None:
        """Notes that Discord refuses to give or take a role of a league, which has to be told once."""
        async with self._store.write_transaction() as tx:
            await honour_rows.stop_trying_role(tx, number, role)
            await _tell_refusal(tx, number, "no-role", now)

    async def due_events(self, now: int) -> list[AnnouncedSeason]:
        """Returns the leagues whose scheduled event has to be compared with them now."""
        return await honour_rows.due_events(self._reader, now)

    async def claim_event(self, number: int, now: int) -> League | None:
        """Notes that the event of a league is being compared with it, and returns the league."""
        async with self._store.write_transaction() as tx:
            await honour_rows.try_event_at(tx, number, now + RETRY_S)
            return await rows.load_league(tx, number)

    async def note_event(self, number: int, event: int | None, shown: Announcement | None) -> None:
        """Notes which event of a league is up, and what it announces."""
        async with self._store.write_transaction() as tx:
            await honour_rows.set_event(tx, number, event, shown)

    async def settle_event(self, number: int, claimed_at: int) -> None:
        """Notes that the event of a league says what it has to, unless the league has changed since `claimed_at`."""
        async with self._store.write_transaction() as tx:
            await honour_rows.settle_event(tx, number, claimed_at + RETRY_S)

    async def give_up_event(self, number: int, claimed_at: int) -> None:
        """Notes that Discord refuses the event of a league, which has to be told once."""
        async with self._store.write_transaction() as tx:
            await honour_rows.settle_event(tx, number, claimed_at + RETRY_S)
            await _tell_refusal(tx, number, "no-event", claimed_at)


async def pass_role_on(tx: Writer, league: League, now: int) -> None:
    """Notes that the winners of the latest season with any are to have the league's role, and nobody else."""
    winners = await season_rows.winners_of(tx, league.id)
    users = winners[max(winners)] if winners else []
    people = [user for user in users if user > 0]  # a person who is forgotten has a stand-in
    await honour_rows.set_holders(tx, league.id, league.guild, league.role, people, now)


async def _tell_refusal(tx: Writer, number: int, kind: str, now: int) -> None:
    if (league := await rows.load_league(tx, number)) is not None:
        await rows.add_news(tx, league, kind, now)
