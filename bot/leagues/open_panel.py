"""`/server league`: the panel in which managers open a league."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import discord
from discord import ButtonStyle, SelectOption, app_commands
from discord.ext import commands
from discord.ui import Item

from bot.core.clock import Pace
from bot.discordkit.components import Button, Menu, make_view, menu_nonce, submitted_value
from bot.discordkit.reply import Interaction, now, send_answer, update_message
from bot.discordkit.slash import slash_command
from bot.leagues.buttons import LEAGUE_PANEL, PanelState
from bot.leagues.commands import suggest_leagues
from bot.leagues.league import GROUP_SIZES, MOVERS, SEASON_WEEKS, VACATION_DAYS
from bot.leagues.manage_panel import ask_about_removal, show_league
from bot.leagues.posts import LeagueAnnouncer
from bot.leagues.service import Leagues
from bot.leagues.words import league_name, short_season_warning, terms_lines
from bot.play.access import require_manager
from bot.play.app import Caller, app_of
from bot.play.options import require_public_channel, server_and_channel
from bot.texts.i18n import Language, plural_text, text
from rules import VARIANTS

FIRST_VARIANT = next(iter(VARIANTS))


class LeaguePanelCommands(commands.Cog):
    """The command of those who manage the server."""

    @slash_command("server league")
    @app_commands.autocomplete(league=suggest_leagues)
    async def league(
        self, interaction: Interaction, league: int | None = None, remove: discord.User | None = None
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
