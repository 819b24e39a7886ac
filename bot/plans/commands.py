"""`/plan`: a person's plans. They are private: every handler shows and changes only the plans of the person who
pressed.
"""

from __future__ import annotations

from typing import Any

from discord import ButtonStyle, app_commands
from discord.ext import commands

from bot.core.match import Match
from bot.discordkit.components import given_number, make_view, outdated_error
from bot.discordkit.reply import Interaction, now, send_answer, update_message
from bot.discordkit.row_lists import has_layout, lay_out_rows
from bot.discordkit.slash import slash_command
from bot.plans.pages import (
    ANY_REPLY_OPTION,
    PLAN_BUTTONS,
    PLAN_MENUS,
    PlanState,
    draw_plan,
    draw_plan_list,
    fit_message,
    match_of_plan,
    plan_button,
    plan_end_text,
    plan_text,
)
from bot.plans.plan import Guard, Plan
from bot.plans.service import Plans
from bot.play.app import Caller, app_of
from bot.play.context import RemarkPlace
from bot.play.options import find_meant_match, parse_game_number
from bot.play.suggestions import suggest_games
from bot.texts.i18n import plural_text, text


class PlanCommands(commands.Cog):
    """A person's own plans."""

    @slash_command("plan")
    @app_commands.autocomplete(game=suggest_games)
    async def plan(self, interaction: Interaction, line: str | None = None, game: str | None = None) -> None:
        """Lists the plans. With a line, drafts a plan of it, which has to be confirmed."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        if line is not None:
            await propose_plan(interaction, await find_meant_match(interaction, game, "own"), line)
            return
        shown = await draw_plan_list(interaction, PlanState(parse_game_number(game) or 0))
        await send_answer(interaction, None, view=lay_out_rows(shown))


async def propose_plan(interaction: Interaction, match: Match, line: str) -> None:
    """Asks whether that line, from the current board, is to become a plan. Needs a deferred interaction.

    Raises what `Plans.draft_plan` raises.
    """
    caller = Caller(interaction)
    plan = await caller.part(Plans).draft_plan(match.id, caller.guild, caller.user, line)
    content, view, files = await draw_plan(interaction, plan)
    await send_answer(interaction, content, view=view, files=files)


async def remark_on_plans(interaction: Interaction, match: Match, place: RemarkPlace) -> str:
    """Returns why no plan of the player to move was played; below a board also the number of the player's plans."""
    caller = Caller(interaction)
    if match.seat_of(caller.user) is None:
        return ""
    plans = await caller.part(Plans).plans_for_match(match.id, caller.user) if place is RemarkPlace.BOARD else ()
    count = sum(plan.is_alive for plan in plans)
    plan_end = await caller.part(Plans).missed_reason(match, caller.user)
    lines = [
        plan_end_text(caller.locale, match.variant, plan_end) if plan_end else "",
        plural_text(caller.locale, "plan.here", count) if count else "",
    ]
    return "\n".join(line for line in lines if line)


@PLAN_MENUS.register_handler("which")
async def choose_plan(interaction: Interaction, _: PlanState) -> None:
    """Shows the plan chosen in the menu of an older list."""
    await interaction.response.defer()
    await _show_plan(interaction, await _own_plan(interaction, given_number(interaction)))


@PLAN_BUTTONS.register_handler("view")
async def view_plan(interaction: Interaction, state: PlanState) -> None:
    """Shows the plan of a row."""
    await interaction.response.defer()
    await _show_plan(interaction, await _own_plan(interaction, state.plan))


@PLAN_MENUS.register_handler("reply")
async def choose_reply(interaction: Interaction, state: PlanState) -> None:
    """Chooses the reply to change."""
    await interaction.response.defer()
    await _show_plan(interaction, await _own_plan(interaction, state.plan), given_number(interaction))


@PLAN_MENUS.register_handler("guards")
async def choose_guards(interaction: Interaction, state: PlanState) -> None:
    """Lets a reply be any move, subject to the ticked guards. With nothing ticked it must be exactly the
    planned move.
    """
    await interaction.response.defer()
    data: dict[str, Any] = dict(interaction.data or {})
    ticked = {str(value) for value in data.get("values", ())}
    if not ticked <= {ANY_REPLY_OPTION, *(guard.value for guard in Guard)}:
        raise outdated_error()
    guards = frozenset(guard for guard in Guard if guard.value in ticked) if ticked else None
    caller = Caller(interaction)
    plan = await caller.part(Plans).change_reply(state.plan, caller.user, state.number, guards)
    await _show_plan(interaction, plan, state.number)


@PLAN_BUTTONS.register_handler("away")
async def toggle_away(interaction: Interaction, state: PlanState) -> None:
    """Sets whether the plan is also played on vacation."""
    await interaction.response.defer()
    caller = Caller(interaction)
    await _show_plan(
        interaction, await caller.part(Plans).set_plays_on_vacation(state.plan, caller.user, plays=bool(state.number))
    )


@PLAN_BUTTONS.register_handler("confirm")
async def confirm_plan(interaction: Interaction, state: PlanState) -> None:
    """Confirms the plan."""
    await interaction.response.defer()
    caller = Caller(interaction)
    plan, replaced_other = await caller.part(Plans).confirm_plan(state.plan, caller.user, now())
    if plan.is_due:  # its turn may have come already, so it may have been played
        app_of(interaction).announcements_due.set()
    lines = [
        text(caller.locale, "plan.done", id=plan.match),
        text(caller.locale, "plan.replaced") if replaced_other else "",
    ]
    match = await match_of_plan(interaction, plan)
    lines.append(plan_text(caller.locale, match.variant, plan))
    files = (await draw_plan(interaction, plan))[2] if has_layout(interaction) else None  # a layout keeps no pictures
    buttons = make_view(plan_button(caller.locale, "list", PlanState()))
    await update_message(interaction, fit_message([line for line in lines if line]), view=buttons, files=files)


@PLAN_BUTTONS.register_handler("edit")
async def redraw_plan(interaction: Interaction, state: PlanState) -> None:
    """Redrafts the rest of a plan. The old plan stands until the new one is confirmed."""
    await interaction.response.defer()
    caller = Caller(interaction)
    await _show_plan(interaction, await caller.part(Plans).redraw_plan(state.plan, caller.user))


@PLAN_BUTTONS.register_handler("delete")
async def delete_plan(interaction: Interaction, state: PlanState) -> None:
    """Deletes a plan, or discards an unconfirmed one."""
    await interaction.response.defer()
    caller = Caller(interaction)
    plan = await caller.part(Plans).delete_plan(state.plan, caller.user)
    sentence = text(caller.locale, "plan.deleted" if plan.is_confirmed else "plan.dropped", id=plan.match)
    shown = await draw_plan_list(interaction, PlanState(), sentence)
    await update_message(interaction, None, view=lay_out_rows(shown))


@PLAN_BUTTONS.register_handler("list")
@PLAN_BUTTONS.register_handler("earlier")
@PLAN_BUTTONS.register_handler("later")
async def show_plans(interaction: Interaction, state: PlanState) -> None:
    """Lists all plans, or those for one game."""
    await interaction.response.defer()
    await update_message(interaction, None, view=lay_out_rows(await draw_plan_list(interaction, state)))


@PLAN_BUTTONS.register_handler("clear")
async def ask_to_clear_plans(interaction: Interaction, _: PlanState) -> None:
    """Asks whether to delete all plans."""
    locale = Caller(interaction).locale
    yes = plan_button(locale, "clear-sure", PlanState(), ButtonStyle.danger)
    await update_message(
        interaction, text(locale, "plan.clear"), view=make_view(yes, plan_button(locale, "list", PlanState()))
    )


@PLAN_BUTTONS.register_handler("clear-sure")
async def clear_plans(interaction: Interaction, _: PlanState) -> None:
    """Deletes all plans."""
    await interaction.response.defer()
    caller = Caller(interaction)
    count = await caller.part(Plans).delete_all_plans(caller.user)
    await update_message(interaction, plural_text(caller.locale, "plan.cleared", count), view=None)


async def _own_plan(interaction: Interaction, plan_id: int) -> Plan:
    caller = Caller(interaction)
    return await caller.part(Plans).plan_of(plan_id, caller.user)


async def _show_plan(interaction: Interaction, plan: Plan, reply: int | None = None) -> None:
    content, view, files = await draw_plan(interaction, plan, reply)
    await update_message(interaction, content, view=view, files=files)
