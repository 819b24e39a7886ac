"""The roles for the winners of leagues: chosen by managers, given and taken by the bot."""

from __future__ import annotations

import discord
import structlog

from bot.discordkit.permissions import Obstacle, trouble_at
from bot.leagues import role_rows, rows
from bot.leagues.league import RETRY_S, League
from bot.leagues.role_rows import RoleHolder
from bot.leagues.service import require_league
from bot.play.announcing.outbox import UNSENT_ERRORS
from bot.play.context import BotContext
from bot.play.service.matches import ServicePart

log = structlog.get_logger()


class WinnerRoles(ServicePart):
    """The roles of the winners of leagues."""

    async def choose_role(self, guild: int, number: int, role: int | None, now: int) -> League:
        """Sets the role for the winners of a league, which the latest winners get at once; None: no role from now on.

        Raises NO_LEAGUE.
        """
        async with self._store.write_transaction() as tx:
            await require_league(tx, guild, number)
            await rows.set_role(tx, number, role)
            league = await require_league(tx, guild, number)
            await role_rows.pass_role_on(tx, league, now)
        return league

    async def due_holders(self, now: int) -> list[RoleHolder]:
        """Returns the people who are to get or lose a role now."""
        return await role_rows.due_holders(self._reader, now)

    async def claim_holder(self, holder: RoleHolder, now: int) -> bool:
        """Notes that Discord is being asked about a role. Returns False if there is nothing to ask.

        A role that another league wants the person to have is not taken from them.
        """
        async with self._store.write_transaction() as tx:
            if not holder.is_wanted and await role_rows.is_wanted_elsewhere(tx, holder):
                await role_rows.settle_holder(tx, holder)
                return False
            await role_rows.try_holder_at(tx, holder, now + RETRY_S)
        return True

    async def settle_holder(self, holder: RoleHolder) -> None:
        """Notes that a person has got or lost the role."""
        async with self._store.write_transaction() as tx:
            await role_rows.settle_holder(tx, holder)

    async def drop_holder(self, holder: RoleHolder) -> None:
        """Forgets a person who has left the server, or a role that has been deleted."""
        async with self._store.write_transaction() as tx:
            await role_rows.drop_holder(tx, holder)

    async def give_up_role(self, number: int, role: int, why: str, now: int) -> None:
        """Notes that a role of a league is not given or taken any more, and queues one message to the managers.

        `why`: "no-role" if Discord refuses, "role-power" if the role has become one that gives power.
        """
        async with self._store.write_transaction() as tx:
            await role_rows.stop_trying_role(tx, number, role)
            await rows.add_refusal(tx, number, why, now)

    async def announced_events(self) -> list[tuple[int, int]]:
        """Returns the server and id of each scheduled event with which an earlier version announced a season."""
        return await role_rows.announced_events(self._reader)

    async def forget_event(self, event: int) -> None:
        """Forgets a scheduled event."""
        async with self._store.write_transaction() as tx:
            await role_rows.forget_event(tx, event)


async def delete_events(context: BotContext, now: int) -> None:
    """Deletes the scheduled events with which earlier versions announced seasons, and forgets them."""
    roles = context.service.part(WinnerRoles)
    for guild, event in await roles.announced_events():
        if not context.reaches_server(guild):
            continue
        with context.service.attempts.contain_failures("events of leagues", number=event):
            try:
                await context.client.http.delete_scheduled_event(guild, event)
            except (discord.NotFound, discord.Forbidden) as error:
                log.info("event of a league left", number=event, error=str(error))
            await roles.forget_event(event)


def gives_power(role: discord.Role) -> bool:
    """True if a role has a permission that not everybody in its server has."""
    everybody: discord.Role | None = role.guild.default_role  # None as in `is_public_place`
    return not role.permissions <= (everybody.permissions if everybody else discord.Permissions.none())


async def hand_over_roles(context: BotContext, now: int) -> None:
    """Gives and takes the roles that are due."""
    roles, refused = context.service.part(WinnerRoles), set[tuple[int, int]]()
    for holder in await roles.due_holders(now):
        server = context.client.get_guild(holder.guild)
        if server is None or not context.reaches_server(server.id) or (holder.league, holder.role) in refused:
            continue
        with context.service.attempts.contain_failures("roles of leagues", league=holder.league, user=holder.user):
            if not await roles.claim_holder(holder, now):
                continue
            role = server.get_role(holder.role)
            if holder.is_wanted and role is not None and gives_power(role):
                refused.add((holder.league, holder.role))
                await roles.give_up_role(holder.league, holder.role, "role-power", now)
                context.announcements_due.set()
                continue
            try:
                await _set_role(server, holder)
            except UNSENT_ERRORS as error:
                obstacle = trouble_at(context.client, server.id, server.id, error).obstacle
                log.warning("role of a league left", league=holder.league, obstacle=obstacle.value, error=str(error))
                if obstacle is Obstacle.GONE:
                    await roles.drop_holder(holder)
                elif not obstacle.is_temporary:
                    refused.add((holder.league, holder.role))
                    await roles.give_up_role(holder.league, holder.role, "no-role", now)
                    context.announcements_due.set()
            else:
                await roles.settle_holder(holder)


async def _set_role(server: discord.Guild, holder: RoleHolder) -> None:
    member, role = await server.fetch_member(holder.user), discord.Object(holder.role)
    if holder.is_wanted:
        await member.add_roles(role)
    else:
        await member.remove_roles(role)
