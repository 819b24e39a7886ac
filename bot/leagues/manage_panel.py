"""A league as its managers see it: its terms, the role of its winners, the events about it, and the end of it."""

from __future__ import annotations

from typing import Any

import discord
from discord import ButtonStyle
from discord.ui import Item

from bot.discordkit.components import chosen_numbers, make_view, menu_nonce
from bot.discordkit.reply import Interaction, now, send_answer, update_message
from bot.leagues.buttons import LEAGUE_MANAGE, ManageState, league_button
from bot.leagues.events import SeasonEvents
from bot.leagues.league import League, LeagueError, LeagueProblem
from bot.leagues.roles import WinnerRoles, gives_power
from bot.leagues.service import Leagues
from bot.leagues.words import explain_league_error, league_name, terms_lines
from bot.play.access import require_manager
from bot.play.app import Caller, app_of
from bot.texts.i18n import Language, text
from bot.texts.markup import escape_markup


async def show_league(interaction: Interaction, league: League) -> None:
    """Answers with the panel of a league."""
    content, items = _compose_panel(interaction, league)
    await send_answer(interaction, content, view=make_view(*items))


def _compose_panel(interaction: Interaction, league: League) -> tuple[str, list[Item[Any]]]:
    caller, server = Caller(interaction), _server_of(interaction)
    locale = caller.locale
    role = server.get_role(league.role) if league.role is not None else None  # None: somebody has deleted it
    lines = [text(locale, "league.manage", league=league_name(locale, league)), *terms_lines(locale, league.terms)]
    named = "league.role-none" if role is None else "league.role"
    lines.append(text(locale, named, role=escape_markup(role.name) if role else ""))
    lines += _warn_of(locale, _role_problem(server, role))
    lines.append(text(locale, "league.events-on" if league.events else "league.events-off"))
    lines += _warn_of(locale, _event_problem(server))
    state = ManageState(league.id)
    change = "off" if league.events else "on"
    return "\n".join(lines), [
        LEAGUE_MANAGE.make_role_menu(
            "role",
            state._replace(fresh=menu_nonce(interaction)),
            role.id if role else None,
            text(locale, "league.role-menu"),
        ),
        LEAGUE_MANAGE.make_button(
            "events", state._replace(on=int(not league.events)), text(locale, f"button.league-events-{change}")
        ),
        league_button(locale, league.id, "close", ButtonStyle.danger),
    ]


def _server_of(interaction: Interaction) -> discord.Guild:
    assert interaction.guild is not None, interaction.guild_id  # managers are in a server
    return interaction.guild


def _warn_of(locale: Language, problem: LeagueProblem | None) -> list[str]:
    return [f"⚠️ {explain_league_error(locale, LeagueError(problem))}"] if problem else []


def _role_problem(server: discord.Guild, role: discord.Role | None) -> LeagueProblem | None:
    """Returns why the bot cannot give that role, or must not (without a role: any role); None if it can."""
    if role is not None and (role.is_default() or role.managed):
        return LeagueProblem.ROLE_FIXED
    if role is not None and gives_power(role):
        return LeagueProblem.ROLE_POWERFUL
    if not server.me.guild_permissions.manage_roles:
        return LeagueProblem.NO_MANAGE_ROLES
    return LeagueProblem.ROLE_ABOVE if role is not None and role >= server.me.top_role else None


def _event_problem(server: discord.Guild) -> LeagueProblem | None:
    """Returns why the bot cannot add scheduled events; None if it can."""
    return None if server.me.guild_permissions.create_events else LeagueProblem.NO_CREATE_EVENTS


def _may_give(interaction: Interaction, server: discord.Guild, role: discord.Role) -> bool:
    """True if the person may give that role themselves, so that nobody gains power through the bot.

    Only permissions in the whole server count: in a channel, Manage Roles only means managing its permissions.
    """
    member = interaction.user
    assert isinstance(member, discord.Member), member
    return member.id == server.owner_id or (member.guild_permissions.manage_roles and role < member.top_role)


@LEAGUE_MANAGE.register_handler("role")
async def choose_role(interaction: Interaction, state: ManageState) -> None:
    """Chooses the role for the winners, or none."""
    require_manager(interaction)
    caller, server = Caller(interaction), _server_of(interaction)
    league = await caller.part(Leagues).find_league(caller.guild, state.league)
    before = server.get_role(league.role) if league.role is not None else None  # its holders lose it
    chosen = chosen_numbers(interaction)[:1]
    for number in chosen:
        role = server.get_role(number)
        if role is None:
            raise LeagueError(LeagueProblem.ROLE_FIXED)
        if problem := _role_problem(server, role):
            raise LeagueError(problem)
        if not _may_give(interaction, server, role):
            raise LeagueError(LeagueProblem.ROLE_NOT_YOURS)
    if before is not None and not _may_give(interaction, server, before):
        raise LeagueError(LeagueProblem.ROLE_NOT_YOURS)
    await interaction.response.defer()
    league = await caller.part(WinnerRoles).choose_role(caller.guild, state.league, next(iter(chosen), None), now())
    await _update_panel(interaction, league)


@LEAGUE_MANAGE.register_handler("events")
async def switch_events(interaction: Interaction, state: ManageState) -> None:
    """Switches on or off the scheduled events that announce the seasons."""
    require_manager(interaction)
    caller, server = Caller(interaction), _server_of(interaction)
    await caller.part(Leagues).find_league(caller.guild, state.league)
    if state.on and (problem := _event_problem(server)):
        raise LeagueError(problem)
    await interaction.response.defer()
    league = await caller.part(SeasonEvents).switch_events(caller.guild, state.league, events=bool(state.on))
    await _update_panel(interaction, league)


async def _update_panel(interaction: Interaction, league: League) -> None:
    """Shows the changed panel, and starts at once the work that the change causes."""
    content, items = _compose_panel(interaction, league)
    await update_message(interaction, content, view=make_view(*items))
    app_of(interaction).announcements_due.set()
