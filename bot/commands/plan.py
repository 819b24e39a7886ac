"""`/plan`: what somebody has planned. All of it is private: whoever presses, sees and changes their own plans alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import discord
from discord import ButtonStyle, SelectOption, app_commands, ui
from discord.ext import commands

from bot.commands.app import Asker, app, drawn
from bot.commands.composer_panel import option, short
from bot.commands.options import game_number, suggest_games, the_match
from bot.kit.components import Count, Family, Fresh, Game, fresh, given_number, outdated, row
from bot.kit.reply import LONGEST, Interaction, answer, attachment, now, update
from bot.kit.sheets import fitting
from bot.kit.slash import command
from bot.match.match import Match
from bot.match.plans import Guard, Plan, PlannedMove
from bot.texts.i18n import Language, plural, text
from bot.texts.plans import ORDER, fallen_text, in_short, spelled_out
from bot.texts.sentences import alt_text, colour, variant_name
from bot.texts.text_board import text_board
from render import View
from rules import Move, Position, RulesError, format_move

OPTIONS = 25
"""Of a menu, at most."""
PER_PAGE = 10
"""Plans of the list that one message shows."""
ANYTHING = "any"


class PlanState(NamedTuple):
    """Which plan a button is about, and which of its replies; of the list, which game's (0: all), and which page."""

    plan: Game = 0
    number: Count = 0
    fresh: Fresh = ""
    """Of menus only."""


PLAN = Family("rt-plan", PlanState)
"""The buttons of a plan."""
MENUS = Family("rt-plans", PlanState)
"""The menus: of one's plans, of a plan's replies, and of what a reply must be."""


class PlanCommands(commands.Cog):
    """One's own plans."""

    @command("plan")
    @app_commands.autocomplete(game=suggest_games)
    async def plan(self, interaction: Interaction, line: str | None = None, game: str | None = None) -> None:
        """List the plans; with a line, draw up a plan of it, which has to be confirmed."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        if line is not None:
            await propose(interaction, await the_match(interaction, game, "own"), line)
            return
        said, view = await _list(interaction, PlanState(game_number(game) or 0))
        await answer(interaction, said, view=view)


async def propose(interaction: Interaction, match: Match, line: str) -> None:
    """Ask whether that line, from the present board, is to be a plan. Defer the interaction before.

    Raises what `Plans.draw_up` raises.
    """
    asker = Asker(interaction)
    plan = await asker.service.plans.draw_up(match.id, asker.guild, asker.user, line)
    said, view, files = await _page(interaction, plan)
    await answer(interaction, said, view=view, files=files)


async def missed_text(interaction: Interaction, match: Match) -> str:
    """Why no plan of the person whose turn it is has been played; nothing where there is nothing to say."""
    asker = Asker(interaction)
    fallen = await asker.service.plans.missed(match, asker.user)
    return fallen_text(asker.locale, match.variant, fallen) if fallen else ""


async def here_text(interaction: Interaction, match: Match) -> str:
    """The same, and how many plans they have for that match."""
    asker = Asker(interaction)
    if match.seat_of(asker.user) is None:
        return ""
    count = await asker.service.plans.count(match.id, asker.user)
    lines = [await missed_text(interaction, match), plural(asker.locale, "plan.here", count) if count else ""]
    return "\n".join(line for line in lines if line)


@MENUS.on("which")
async def choose_plan(interaction: Interaction, _: PlanState) -> None:
    """Look at the plan that is chosen."""
    await interaction.response.defer()
    await _show(interaction, await _plan(interaction, given_number(interaction)))


@MENUS.on("reply")
async def choose_reply(interaction: Interaction, state: PlanState) -> None:
    """Choose the reply that is to be changed."""
    await interaction.response.defer()
    await _show(interaction, await _plan(interaction, state.plan), given_number(interaction))


@MENUS.on("guards")
async def choose_guards(interaction: Interaction, state: PlanState) -> None:
    """Let a reply be anything, with the guards that are ticked; with nothing ticked it must be the very move."""
    await interaction.response.defer()
    sent: dict[str, Any] = dict(interaction.data or {})
    ticked = {str(value) for value in sent.get("values", ())}
    if not ticked <= {ANYTHING, *(guard.value for guard in Guard)}:
        raise outdated()
    guards = frozenset(guard for guard in Guard if guard.value in ticked) if ticked else None
    asker = Asker(interaction)
    plan = await asker.service.plans.change(state.plan, asker.user, state.number, guards)
    await _show(interaction, plan, state.number)


@PLAN.on("away")
async def turn_away(interaction: Interaction, state: PlanState) -> None:
    """Let the plan be played on vacation too, or not."""
    await interaction.response.defer()
    asker = Asker(interaction)
    await _show(interaction, await asker.service.plans.change_away(state.plan, asker.user, away=bool(state.number)))


@PLAN.on("confirm")
async def confirm(interaction: Interaction, state: PlanState) -> None:
    """Let the plan stand."""
    await interaction.response.defer()
    asker = Asker(interaction)
    plan, gone = await asker.service.plans.confirm(state.plan, asker.user, now())
    if plan.due:  # nothing kept it waiting any longer, perhaps, so that it has been played
        app(interaction).untold.set()
    lines = [text(asker.locale, "plan.done", id=plan.match), text(asker.locale, "plan.replaced") if gone else ""]
    lines.append(spelled_out(asker.locale, (await _match(interaction, plan)).variant, plan))
    buttons = row(_button(asker.locale, "list", PlanState()))
    await update(interaction, _fitting([line for line in lines if line]), view=buttons, files=None)


@PLAN.on("edit")
async def edit(interaction: Interaction, state: PlanState) -> None:
    """Draw up what is left of a plan anew; it stands as it is until the new one is confirmed."""
    await interaction.response.defer()
    asker = Asker(interaction)
    await _show(interaction, await asker.service.plans.redraw(state.plan, asker.user))


@PLAN.on("delete")
async def delete(interaction: Interaction, state: PlanState) -> None:
    """Delete a plan, or discard one that was not confirmed."""
    await interaction.response.defer()
    asker = Asker(interaction)
    plan = await asker.service.plans.delete(state.plan, asker.user)
    said, view = await _list(interaction, PlanState())
    done = text(asker.locale, "plan.deleted" if plan.stands else "plan.dropped", id=plan.match)
    await update(interaction, f"{done}\n{said}", view=view)


@PLAN.on("list")
@PLAN.on("earlier")
@PLAN.on("later")
async def show_list(interaction: Interaction, state: PlanState) -> None:
    """List all plans, or those for a game."""
    await interaction.response.defer()
    said, view = await _list(interaction, state)
    await update(interaction, said, view=view)


@PLAN.on("clear")
async def ask_to_clear(interaction: Interaction, _: PlanState) -> None:
    """Ask whether all plans are to be deleted."""
    locale = Asker(interaction).locale
    yes = _button(locale, "clear-sure", PlanState(), ButtonStyle.danger)
    await update(interaction, text(locale, "plan.clear"), view=row(yes, _button(locale, "list", PlanState())))


@PLAN.on("clear-sure")
async def clear(interaction: Interaction, _: PlanState) -> None:
    """Delete all plans."""
    await interaction.response.defer()
    asker = Asker(interaction)
    count = await asker.service.plans.clear(asker.user)
    await update(interaction, plural(asker.locale, "plan.cleared", count), view=None)


def _button(
    locale: Language, name: str, state: PlanState, style: ButtonStyle = ButtonStyle.secondary
) -> ui.Button[Any]:
    return PLAN.button(name, state, text(locale, f"button.plan-{name}"), style)


async def _plan(interaction: Interaction, plan_id: int) -> Plan:
    asker = Asker(interaction)
    return await asker.service.plans.one(plan_id, asker.user)


async def _match(interaction: Interaction, plan: Plan) -> Match:
    """The match of one's own plan, in whatever server it is: whoever has a plan sits in the game."""
    asker = Asker(interaction)
    return await asker.service.reminded_match(plan.match, None, asker.user)


async def _list(interaction: Interaction, shown: PlanState) -> tuple[str, discord.ui.View | None]:
    """A page of the plans that stand and why others have fallen, game by game; and the menu of them."""
    asker = Asker(interaction)
    locale, found = asker.locale, await asker.service.plans.of(asker.user)
    found = tuple(plan for plan in found if plan.stands and shown.plan in (0, plan.match))
    if not found:
        return text(locale, "plan.none-here", id=shown.plan) if shown.plan else text(locale, "plan.none"), None
    found = tuple({(plan.match, plan.fallen or plan.id): plan for plan in found}.values())  # the same reason once
    pages = -(-len(found) // PER_PAGE)
    page = min(shown.number, pages - 1)
    lines, options, game = [text(locale, "plan.title")], list[SelectOption](), 0
    for number, plan in enumerate(found[page * PER_PAGE :][:PER_PAGE], page * PER_PAGE + 1):
        match = await _match(interaction, plan)
        moves = short(in_short(match.variant, plan.left))
        if match.id != game:
            game = match.id
            lines.append(text(locale, "plan.game", variant=variant_name(locale, match.variant), id=game))
        said = fallen_text(locale, match.variant, plan.fallen) if plan.fallen else f"`{moves}`"
        lines.append(text(locale, "plan.entry", number=number, line=said))
        if plan.alive:
            options.append(option(text(locale, "plan.option", number=number, id=game, line=moves), str(plan.id)))
    items = list[ui.Item[Any]]()
    if options:
        items.append(MENUS.menu("which", PlanState(fresh=fresh(interaction)), options, text(locale, "plan.choose")))
    ways = (("earlier", page - 1), ("later", page + 1))
    items += [_button(locale, way, shown._replace(number=to)) for way, to in ways if 0 <= to < pages]
    items.append(_button(locale, "clear", PlanState(), ButtonStyle.danger))
    return _fitting(lines), row(*items)


def _fitting(said: Sequence[str]) -> str:
    """As much as one message has room for, line by line."""
    lines = "\n".join(said).split("\n")
    kept = fitting(lines, LONGEST - len("\n…"))
    return kept if kept == "\n".join(lines) else f"{kept}\n…"


async def _show(interaction: Interaction, plan: Plan, reply: int | None = None) -> None:
    said, view, files = await _page(interaction, plan, reply)
    await update(interaction, said, view=view, files=files)


async def _page(
    interaction: Interaction, plan: Plan, reply: int | None = None
) -> tuple[str, discord.ui.View, list[discord.File]]:
    """A plan spelled out, its board, and what can be done with it."""
    asker, match = Asker(interaction), await _match(interaction, plan)
    locale, variant = asker.locale, match.variant
    key = "plan.head" if plan.stands else "plan.question"
    head = text(locale, key, variant=variant_name(locale, variant), id=match.id)
    spelled = spelled_out(locale, variant, plan)
    notes = [text(locale, "plan.away" if plan.away else "plan.not-away")]
    if plan.fallen:
        notes.append(fallen_text(locale, variant, plan.fallen))
    if not plan.stands:
        if others := await asker.service.plans.replaced_by(plan):
            named = [f"`{short(in_short(variant, one.left))}`" for one in others[:3]]
            notes.append(plural(locale, "plan.replaces", len(others), lines=", ".join([*named, "…"][: len(others)])))
        notes.append(f"-# {text(locale, 'plan.wait')}")
    shown, files = await _board(interaction, match, plan)
    said, written = [head, spelled, *notes], ""
    if len("\n".join([*said, shown])) <= LONGEST:
        said.append(shown)
    else:
        written = shown
    if len("\n".join(said)) > LONGEST:
        said[1], written = text(locale, "plan.in-file"), f"{spelled}\n{written}"
    if written:
        files.append(attachment(written.encode(), f"plan-{match.id}.txt"))
    view = _standing_view(locale, plan) if plan.stands else _open_view(interaction, match, plan, reply)
    return _fitting(said), view, files


def _standing_view(locale: Language, plan: Plan) -> discord.ui.View:
    state = PlanState(plan.id)
    keep = [] if plan.fallen else [_button(locale, "edit", state)]
    return row(*keep, _button(locale, "delete", state, ButtonStyle.danger), _button(locale, "list", PlanState()))


def _open_view(interaction: Interaction, match: Match, plan: Plan, reply: int | None) -> discord.ui.View:
    """What a plan that is not confirmed has below it: the menus of its replies, and the buttons."""
    locale, again, board = Asker(interaction).locale, fresh(interaction), match.variant.board
    replies = [(number, planned) for number, planned in enumerate(plan.left, plan.done) if planned.seat != plan.seat]
    items = list[ui.Item[Any]]()
    if replies:
        options = [
            option(f"{number - plan.done + 1}. {_reply(locale, match, planned)}", str(number), chosen=number == reply)
            for number, planned in replies[:OPTIONS]
        ]
        items.append(MENUS.menu("reply", PlanState(plan.id, fresh=again), options, text(locale, "plan.which-reply")))
    chosen = dict(replies).get(reply) if reply is not None else None
    if chosen is not None and reply is not None:
        move, who = format_move(chosen.move, board), colour(locale, match.variant, chosen.seat)
        items.append(
            ui.Select(
                custom_id=MENUS.custom_id("guards", PlanState(plan.id, reply, again)),
                min_values=0,
                max_values=1 + len(ORDER),
                placeholder=short(text(locale, "plan.how-reply", colour=who, move=move)),
                options=_ways(locale, chosen),
            )
        )
    away = "away-on" if plan.away else "away-off"
    turn = PLAN.button("away", PlanState(plan.id, int(not plan.away)), text(locale, f"button.plan-{away}"))
    yes = _button(locale, "confirm", PlanState(plan.id), ButtonStyle.primary)
    drop = PLAN.button("delete", PlanState(plan.id), text(locale, "button.plan-drop"))
    return row(*items, yes, turn, drop)


def _ways(locale: Language, planned: PlannedMove) -> list[SelectOption]:
    guards = planned.guards or frozenset()
    anything = option(text(locale, "plan.any"), ANYTHING, chosen=planned.guards is not None)
    return [
        anything,
        *(
            option(
                text(locale, "plan.any-if", guard=text(locale, f"plan.guard.{guard.value}")),
                guard.value,
                chosen=guard in guards,
            )
            for guard in ORDER
        ),
    ]


def _reply(locale: Language, match: Match, planned: PlannedMove) -> str:
    return f"{colour(locale, match.variant, planned.seat)} {format_move(planned.move, match.variant.board)}"


async def _board(interaction: Interaction, match: Match, plan: Plan) -> tuple[str, list[discord.File]]:
    """The board at the end of the plan, all its moves numbered, as far as they can be played on the present one.

    In words for who reads boards so.
    """
    asker = Asker(interaction)
    preferences = await asker.preferences()
    chain, position = played_out(match, plan)
    if preferences.board == "text":
        return text_board(asker.locale, position, over=False), []
    view = View(position, plan.seat, chain=tuple(chain), to_move=False)
    words = alt_text(asker.locale, match.id, match.ply + len(chain), position, over=False)
    return "", [await drawn(interaction, view, preferences, f"plan-{match.id}", words)]


def played_out(match: Match, plan: Plan) -> tuple[Sequence[tuple[Position, Move]], Position]:
    """The moves that are left of a plan with the positions before them, as far as they can be played; and the last."""
    game, chain = match.started_game, list[tuple[Position, Move]]()
    for planned in plan.left:
        if game.outcome or game.position.turn != planned.seat:
            break
        try:
            after = game.play(planned.move)
        except RulesError:
            break
        chain.append((game.position, planned.move))
        game = after
    return tuple(chain), game.position
