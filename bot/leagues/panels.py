"""`/server league`: the panels in which managers open leagues and change them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import discord
from discord import ButtonStyle, ChannelType, SelectOption, app_commands
from discord.ext import commands
from discord.ui import Item

from bot.core.clock import Pace
from bot.discordkit.components import Button, Menu, chosen_numbers, make_view, menu_nonce, submitted_value
from bot.discordkit.reply import (
    Interaction,
    may_manage_server,
    now,
    reader_language,
    send_answer,
    update_message,
)
from bot.discordkit.slash import slash_command
from bot.leagues.buttons import (
    LEAGUE_BUTTONS,
    LEAGUE_MANAGE,
    LEAGUE_PANEL,
    LEAGUE_REMOVAL,
    LeagueRef,
    ManageState,
    PanelState,
    RemovalState,
    league_button,
)
from bot.leagues.commands import suggest_leagues
from bot.leagues.league import (
    GROUP_SIZES,
    MOVERS,
    SEASON_WEEKS,
    VACATION_DAYS,
    League,
    LeagueError,
    LeagueProblem,
    LeagueState,
)
from bot.leagues.posts import LeagueAnnouncer
from bot.leagues.roles import WinnerRoles, gives_power
from bot.leagues.service import Leagues
from bot.leagues.words import explain_league_error, league_name, leaving_text, short_season_warning, terms_lines
from bot.play.announcing.outbox import best_effort
from bot.play.app import Caller, app_of
from bot.play.context import BotContext
from bot.play.options import require_manager, require_public_channel, server_and_channel
from bot.texts.i18n import Language, plural_text, text
from bot.texts.markup import escape_markup
from bot.texts.people import mention_user
from rules import VARIANTS


async def show_league(interaction: Interaction, league: League) -> None:
    """Answers with the panel of a league."""
    content, items = _compose_panel(interaction, league)
    await send_answer(interaction, content, view=make_view(*items))


def _compose_panel(interaction: Interaction, league: League) -> tuple[str, list[Item[Any]]]:
    caller, server = Caller(interaction), _server_of(interaction)
    locale = caller.locale
    role = server.get_role(league.role) if league.role is not None else None  # None: somebody has deleted it
    lines = [text(locale, "league.manage", league=league_name(locale, league)), *terms_lines(locale, league.terms)]
    is_lost = not league.channel and league.state is not LeagueState.CLOSED
    lines += [text(locale, "league.channel-gone")] if is_lost else []
    named = "league.role-none" if role is None else "league.role"
    lines.append(text(locale, named, role=escape_markup(role.name) if role else ""))
    lines += _warn_of(locale, _role_problem(server, role))
    if league.closing:
        lines.append(text(locale, "league.closes", league=league_name(locale, league)))
    state = ManageState(league.id)
    menu = LEAGUE_MANAGE.make_channel_menu(
        "channel",
        state._replace(fresh=menu_nonce(interaction)),
        (),
        1,
        (ChannelType.text, ChannelType.news),
        text(locale, "league.channel-menu"),
    )
    return "\n".join(lines), [
        *([menu] if is_lost else []),
        LEAGUE_MANAGE.make_role_menu(
            "role",
            state._replace(fresh=menu_nonce(interaction)),
            role.id if role else None,
            text(locale, "league.role-menu"),
        ),
        _closing_button(locale, league),
    ]


def _closing_button(locale: Language, league: League) -> Button:
    """Returns the button that asks about closing a league, or the one that takes that back."""
    if league.closing:
        return league_button(locale, league.id, "keep")
    return league_button(locale, league.id, "close", ButtonStyle.danger)


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


@LEAGUE_MANAGE.register_handler("channel")
async def choose_channel(interaction: Interaction, state: ManageState) -> None:
    """Chooses another channel for a league whose own has been deleted."""
    require_manager(interaction)
    caller = Caller(interaction)
    league = await caller.part(Leagues).find_league(caller.guild, state.league)
    for number in chosen_numbers(interaction)[:1]:
        require_public_channel(interaction, number)
        league = await caller.part(Leagues).choose_channel(caller.guild, state.league, number, now())
    await interaction.response.defer()
    await _update_panel(interaction, league)


class LostChannels(commands.Cog):
    """Tells managers that a league's channel has been deleted, where the audit channel has not."""

    def __init__(self, context: BotContext) -> None:
        self._context = context

    @commands.Cog.listener()
    async def on_app_command_completion(
        self, interaction: Interaction, command: app_commands.Command[Any, ..., Any] | app_commands.ContextMenu
    ) -> None:
        """Tells it once, to the manager who has used `/server`."""
        if not command.qualified_name.startswith("server ") or interaction.guild_id is None:
            return
        locale, leagues = reader_language(interaction), self._context.service.part(Leagues)
        if not may_manage_server(interaction):
            return
        for league in await leagues.tell_lost_channels(interaction.guild_id):
            words = text(locale, "league.no-channel", league=league_name(locale, league))
            with best_effort("lost channel of a league not told", league=league.id):
                await send_answer(interaction, words)


async def _update_panel(interaction: Interaction, league: League) -> None:
    """Shows the changed panel, and starts at once the work that the change causes."""
    content, items = _compose_panel(interaction, league)
    await update_message(interaction, content, view=make_view(*items))
    app_of(interaction).announcements_due.set()


async def ask_about_removal(interaction: Interaction, league: League, user: int) -> None:
    """Says what taking a person out of a league means, with a button that does it."""
    caller = Caller(interaction)
    league, leaving = await caller.part(Leagues).check_leaving(caller.guild, league.id, user, caller.user)
    sure = text(caller.locale, "button.league-remove")
    button = LEAGUE_REMOVAL.make_button("sure", RemovalState(league.id, user), sure, ButtonStyle.danger)
    await send_answer(interaction, leaving_text(caller.locale, league, leaving, user), view=make_view(button))


@LEAGUE_REMOVAL.register_handler("sure")
async def remove_person(interaction: Interaction, state: RemovalState) -> None:
    """Takes the person out of the league."""
    require_manager(interaction)
    await interaction.response.defer()
    caller = Caller(interaction)
    league, _ = await caller.part(Leagues).leave_league(caller.guild, state.league, state.user, now(), caller.user)
    app_of(interaction).announcements_due.set()
    player, name = mention_user(state.user, caller.locale), league_name(caller.locale, league)
    await update_message(interaction, text(caller.locale, "league.removed-done", player=player, league=name), view=None)


@LEAGUE_BUTTONS.register_handler("close")
async def ask_about_closing(interaction: Interaction, ref: LeagueRef) -> None:
    """Says what closing a league means, with a button that does it."""
    require_manager(interaction)
    caller = Caller(interaction)
    league = await caller.part(Leagues).find_league(caller.guild, ref.league)
    if league.state is LeagueState.CLOSED or league.closing:
        raise LeagueError(LeagueProblem.CLOSED)
    asked = "league.close.later" if league.is_on else "league.close.now"
    sure = league_button(caller.locale, league.id, "close-sure", ButtonStyle.danger)
    await update_message(
        interaction, text(caller.locale, asked, league=league_name(caller.locale, league)), view=make_view(sure)
    )


@LEAGUE_BUTTONS.register_handler("close-sure")
async def close_league(interaction: Interaction, ref: LeagueRef) -> None:
    """Closes the league, or lets it close after its season, which can be taken back until then."""
    require_manager(interaction)
    await interaction.response.defer()
    caller = Caller(interaction)
    league = await caller.part(Leagues).close_league(caller.guild, ref.league)
    words = text(
        caller.locale, "league.closes" if league.is_on else "league.closed", league=league_name(caller.locale, league)
    )
    view = make_view(_closing_button(caller.locale, league)) if league.is_on else None
    await update_message(interaction, words, view=view)


@LEAGUE_BUTTONS.register_handler("keep")
async def keep_league(interaction: Interaction, ref: LeagueRef) -> None:
    """Takes back that the league closes after its season."""
    require_manager(interaction)
    await interaction.response.defer()
    caller = Caller(interaction)
    await _update_panel(interaction, await caller.part(Leagues).keep_league(caller.guild, ref.league))


FIRST_VARIANT = next(iter(VARIANTS))


@slash_command("server league")
@app_commands.autocomplete(league=suggest_leagues)
async def server_league_command(
    interaction: Interaction, league: int | None = None, remove: discord.User | None = None
) -> None:
    """Opens the panel for a new league, or the one of a league, or asks about taking a person out of it."""
    require_manager(interaction)
    caller = Caller(interaction)
    if league is None and remove is None:
        content, items = _panel(interaction, PanelState(FIRST_VARIANT))
        await send_answer(interaction, content, view=make_view(*items))
        return
    chosen = await caller.part(Leagues).find_league(caller.guild, league)
    if remove is None:
        await show_league(interaction, chosen)
    else:
        await ask_about_removal(interaction, chosen, remove.id)


def _panel(interaction: Interaction, state: PanelState) -> tuple[str, list[Item[Any]]]:
    """Returns the words and the components of the panel."""
    locale, terms = Caller(interaction).locale, state.read_terms()
    _, channel = server_and_channel(interaction)
    name = text(locale, f"variant.{terms.variant}")
    lines = [
        text(locale, "league.panel", variant=name, channel=f"<#{channel}>"),
        *terms_lines(locale, terms),
    ]
    if warning := short_season_warning(locale, terms, len(VARIANTS[terms.variant].seats)):
        lines.append(warning)
    state = state._replace(fresh=menu_nonce(interaction))
    return "\n".join(lines), [*_menus(locale, state), *_buttons(locale, state)]


def _menus(locale: Language, state: PanelState) -> Iterator[Menu]:
    """Yields a menu for each question, with the current answer chosen."""
    choices: dict[str, tuple[str, Sequence[tuple[str, str]]]] = {
        "variant": (state.variant, [(key, text(locale, f"variant.{key}")) for key in VARIANTS]),
        "pace": (state.pace, [(pace.value, text(locale, f"choice.pace.{pace.value}")) for pace in Pace]),
        "weeks": (
            str(state.weeks),
            [(str(weeks), plural_text(locale, "league.season-of", weeks)) for weeks in SEASON_WEEKS],
        ),
        "size": (
            state.size,
            [
                (size, text(locale, "league.group-of", least=least, most=most))
                for size, (least, most) in GROUP_SIZES.items()
            ],
        ),
    }
    for question, (present, answers) in choices.items():
        options = [SelectOption(label=label[:100], value=value, default=value == present) for value, label in answers]
        yield LEAGUE_PANEL.make_menu(question, state, options)


def _buttons(locale: Language, state: PanelState) -> Iterator[Button]:
    """Yields the buttons: four that change an answer, and the one that opens the league."""
    state = state._replace(fresh="")
    yield LEAGUE_PANEL.make_button("open", state, text(locale, "button.league-open"), ButtonStyle.primary)
    rounds = "button.league-single" if state.double else "button.league-double"
    yield LEAGUE_PANEL.make_button("rounds", state._replace(double=1 - state.double), text(locale, rounds))
    sign_up = "button.league-once" if state.standing else "button.league-standing"
    yield LEAGUE_PANEL.make_button("sign-up", state._replace(standing=1 - state.standing), text(locale, sign_up))
    movers = _following(MOVERS, state.movers)
    yield LEAGUE_PANEL.make_button(
        "movers", state._replace(movers=movers), text(locale, "button.league-movers", count=movers)
    )
    days = _following(VACATION_DAYS, state.vacation)
    yield LEAGUE_PANEL.make_button(
        "vacation", state._replace(vacation=days), plural_text(locale, "button.league-vacation", days)
    )


def _following(choices: Sequence[int], present: int) -> int:
    """Returns the choice after the current one, and the first after the last."""
    return choices[(choices.index(present) + 1) % len(choices)]


async def _show_panel(interaction: Interaction, state: PanelState) -> None:
    require_manager(interaction)
    content, items = _panel(interaction, state)
    await update_message(interaction, content, view=make_view(*items))


@LEAGUE_PANEL.register_handler("rounds")
@LEAGUE_PANEL.register_handler("sign-up")
@LEAGUE_PANEL.register_handler("movers")
@LEAGUE_PANEL.register_handler("vacation")
async def change_terms(interaction: Interaction, state: PanelState) -> None:
    """Shows the panel with the terms that the button carries."""
    await _show_panel(interaction, state)


@LEAGUE_PANEL.register_handler("variant")
async def choose_variant(interaction: Interaction, state: PanelState) -> None:
    """Chooses the game."""
    await _show_panel(interaction, state._replace(variant=submitted_value(interaction)))


@LEAGUE_PANEL.register_handler("pace")
async def choose_pace(interaction: Interaction, state: PanelState) -> None:
    """Chooses the pace."""
    await _show_panel(interaction, state._replace(pace=submitted_value(interaction)))


@LEAGUE_PANEL.register_handler("weeks")
async def choose_weeks(interaction: Interaction, state: PanelState) -> None:
    """Chooses the length of a season."""
    typed = submitted_value(interaction)
    weeks = int(typed) if typed.isdecimal() and len(typed) < 4 else 0
    await _show_panel(interaction, state._replace(weeks=weeks))


@LEAGUE_PANEL.register_handler("size")
async def choose_size(interaction: Interaction, state: PanelState) -> None:
    """Chooses the size of the groups."""
    await _show_panel(interaction, state._replace(size=submitted_value(interaction)))


@LEAGUE_PANEL.register_handler("open")
async def open_new_league(interaction: Interaction, state: PanelState) -> None:
    """Opens the league in this channel."""
    require_manager(interaction)
    terms = state.read_terms()
    guild, channel = server_and_channel(interaction)
    require_public_channel(interaction, channel)
    await interaction.response.defer()
    caller = Caller(interaction)
    league = await caller.part(Leagues).open_league(
        guild, channel, terms, now(), interaction.message.id if interaction.message else None
    )
    await app_of(interaction).outbox(LeagueAnnouncer).announce_subject(league.id)
    words = text(caller.locale, "league.opened", league=league_name(caller.locale, league))
    await update_message(interaction, words, view=None)
