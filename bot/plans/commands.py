"""`/plan`: a person's plans. They are private: every handler shows and changes only the plans of the person who
pressed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import discord
from discord import ButtonStyle, SelectOption, app_commands, ui

from bot.core.match import Match
from bot.core.plans import ANY_REPLY_MARK, Plan, PlannedMove, missed_reason, plan_of_line, with_free_replies
from bot.core.problems import MatchError, Problem
from bot.discordkit.components import CountField, Family, IdField, NonceField, chosen_numbers, make_option, menu_nonce
from bot.discordkit.interactions import note_outcome
from bot.discordkit.metrics import InteractionOutcome
from bot.discordkit.paging import MAX_MENU_OPTIONS, page_of
from bot.discordkit.reply import (
    MAX_MESSAGE_LENGTH,
    Interaction,
    Row,
    RowList,
    acknowledge_press,
    fit_lines,
    lay_out_rows,
    make_attachment,
    make_view,
    send_answer,
    update_message,
)
from bot.discordkit.slash import slash_command
from bot.plans import service as plan_service
from bot.play.board import add_board, viewer_of
from bot.play.caller import caller_of, run_heavy
from bot.play.context import RemarkPlace, UseOfLine
from bot.play.options import find_meant_match, parse_game_number, suggest_games, suggest_lines
from bot.play.service.games import reminded_match
from bot.play.sheets import Sheet, SheetDrawer, open_sheet, page_buttons, turn_to_sheet
from bot.play.why import reason_text
from bot.store.plans import plans_for_match, plans_of
from bot.texts.i18n import Language, plural_text, text
from bot.texts.markup import cut_plain
from bot.texts.sentences import colour_name, game_alt_text, numbered_moves, plan_end_text, side_values, variant_name
from render import View
from rules import Game, Move, Position, RulesError, Variant, format_move

PLANS_PER_PAGE = 10
"""Plans that one message lists."""

MAX_LISTED_LENGTH = 100
"""Characters of a plan in the list."""

PLANS_SHEET = "plans"
"""The sheet that lists a person's plans."""


class PlanState(NamedTuple):
    """The plan that a component is about. In an older list: the game, 0 for all, and the page."""

    plan: IdField = 0
    number: CountField = 0
    fresh: NonceField = ""
    """Used by menus only."""


PLAN_BUTTONS = Family("rt-plan", PlanState)
"""The buttons of a plan."""
PLAN_MENUS = Family("rt-plans", PlanState)
"""The menu of a plan's replies, and those of earlier versions."""


def plan_button(
    locale: Language, name: str, state: PlanState, style: ButtonStyle = ButtonStyle.secondary
) -> ui.Button[Any]:
    """Returns the button of that name, labelled in that language."""
    return PLAN_BUTTONS.make_button(name, state, text(locale, f"button.plan-{name}"), style)


async def match_of_plan(interaction: Interaction, plan: Plan) -> Match:
    """Returns the match of one's own plan, in any server: a person with a plan plays in the game."""
    caller = caller_of(interaction)
    return await reminded_match(caller.service, plan.match, None, caller.user)


async def draw_plan_list(interaction: Interaction, request: Sheet, sentence: str = "") -> RowList:
    """Returns a page of the standing plans, with reasons for fallen ones, game by game; each with a button to it.

    `request.subject`: the game whose plans are listed, 0 for all. `sentence` stands above the list.
    """
    caller = caller_of(interaction)
    locale, plans = caller.locale, await plans_of(caller.service.reader, caller.user)
    plans = tuple(plan for plan in plans if plan.is_confirmed and request.subject in (0, plan.match))
    if not plans:
        none = text(locale, "plan.none-here", id=request.subject) if request.subject else text(locale, "plan.none")
        return RowList("\n".join(filter(None, (sentence, none))))
    plans = tuple({(plan.match, plan.end or plan.id): plan for plan in plans}.values())  # lists each reason once
    page, rows, game = page_of(plans, request.page, PLANS_PER_PAGE), list[Row](), 0
    for number, plan in enumerate(page.items, page.first + 1):
        try:
            match, lines = await match_of_plan(interaction, plan), list[str]()
        except MatchError:
            rows.append(Row(text(locale, "problem.unreadable", number=plan.match)))
            continue
        if match.id != game:
            game = match.id
            lines.append(text(locale, "plan.game", variant=variant_name(locale, match.variant), id=game))
        moves = cut_plain(moves_in_short(match.variant, plan.moves_left), MAX_LISTED_LENGTH)
        plan_line = plan_end_text(locale, match.variant, plan.end) if plan.end else f"`{moves}`"
        lines.append(text(locale, "plan.entry", number=number, line=plan_line))
        button = plan_button(locale, "view", PlanState(plan.id)) if plan.is_alive else None
        rows.append(Row("\n".join(lines), button))
    buttons = page_buttons(locale, request._replace(page=page.number), page.pages)
    title = "\n".join(filter(None, (sentence, text(locale, "plan.title"))))
    return RowList(title, rows, page.footer(locale), buttons)


PLANS_DRAWER = SheetDrawer(PLANS_SHEET, draw_plan_list)


async def draw_plan(
    interaction: Interaction, plan: Plan, sentence: str = ""
) -> tuple[str, discord.ui.View, list[discord.File]]:
    """Returns a plan in full below that sentence, its board, and the components for changing it."""
    caller, match = caller_of(interaction), await match_of_plan(interaction, plan)
    locale, variant = caller.locale, match.variant
    key = "plan.head" if plan.is_confirmed else "plan.question"
    head = sentence or text(locale, key, variant=variant_name(locale, variant), id=match.id)
    plan_words = plan_text(locale, variant, plan)
    notes = [text(locale, "plan.only-if")] if any(planned.anything for planned in plan.moves) else []
    notes.append(text(locale, "plan.away" if plan.plays_on_vacation or not match.terms.vacations else "plan.not-away"))
    if plan.end:
        notes.append(plan_end_text(locale, variant, plan.end))
    if not plan.is_confirmed:
        if others := await plan_service.replaced_by(caller.service.reader, plan):
            notes.append(plural_text(locale, "plan.replaces", len(others)))
        notes.append(f"-# {text(locale, 'plan.wait')}")
    chain, game = play_out_plan(match, plan)
    view = View(game.position, chain=tuple(chain), to_move=False, reader=plan.seat)
    alt = game_alt_text(locale, match.id, game)
    board_text, files = await add_board(interaction, await viewer_of(interaction), "", view, f"plan-{match.id}", alt)
    words = "\n".join([head, plan_words, *notes])
    if len(f"{words}\n{board_text}") <= MAX_MESSAGE_LENGTH:
        words += f"\n{board_text}"
    else:
        files.append(make_attachment(f"{plan_words}\n{board_text}".encode(), f"plan-{match.id}.txt"))
    return fit_lines(words.split("\n"), "…"), make_view(*_plan_items(interaction, match, plan)), files


def _plan_items(interaction: Interaction, match: Match, plan: Plan) -> list[ui.Item[Any]]:
    """Returns the components of a plan: the menu of its replies, and the buttons."""
    locale, variant = caller_of(interaction).locale, match.variant
    state, options, items = PlanState(plan.id), list[SelectOption](), list[ui.Item[Any]]()
    moves = numbered_moves(locale, play_out_plan(match, plan)[1])[match.ply :]
    for number, planned in enumerate(plan.moves_left, plan.done):
        if planned.seat == plan.seat:
            continue
        who, move = colour_name(locale, variant, planned.seat), format_move(planned.move, variant.board)
        label = moves[number - plan.done] if number - plan.done < len(moves) else f"{who}: {move}"
        options.append(make_option(label, str(number), chosen=planned.anything))
    if options and not plan.end:
        options, fresh = options[:MAX_MENU_OPTIONS], state._replace(fresh=menu_nonce(interaction))
        items.append(PLAN_MENUS.make_menu("free", fresh, options, text(locale, "plan.which-reply"), len(options)))
    if not plan.is_confirmed:
        items.append(plan_button(locale, "confirm", state, ButtonStyle.primary))
    if match.terms.vacations and not plan.end:
        label = text(locale, f"button.plan-away-{'on' if plan.plays_on_vacation else 'off'}")
        items.append(PLAN_BUTTONS.make_button("away", PlanState(plan.id, int(not plan.plays_on_vacation)), label))
    if not plan.is_confirmed:
        return [*items, PLAN_BUTTONS.make_button("delete", state, text(locale, "button.plan-drop"))]
    return [*items, plan_button(locale, "delete", state, ButtonStyle.danger), plan_button(locale, "list", PlanState())]


def play_out_plan(match: Match, plan: Plan) -> tuple[Sequence[tuple[Position, Move]], Game]:
    """Returns a plan's remaining moves with the positions before them, as far as they can be played, and the game after
    them.
    """
    game, chain = match.started_game, list[tuple[Position, Move]]()
    for planned in plan.moves_left:
        if game.outcome or game.position.turn != planned.seat:
            break
        try:
            after = game.play(planned.move)
        except RulesError:
            break
        chain.append((game.position, planned.move))
        game = after
    return tuple(chain), game


def _planned_move_text(locale: Language, variant: Variant, plan: Plan, planned: PlannedMove, *, first: bool) -> str:
    """One move of a plan: an expected reply (the `first` one or a later one), or the answer to it."""
    move = format_move(planned.move, variant.board)
    if planned.seat == plan.seat:
        return text(locale, "plan.answer", move=move)
    key = f"plan.{'reply' if first else 'then'}{'-any' if planned.anything else ''}"
    return text(locale, key, **side_values(locale, variant, planned.seat), move=move)


def plan_text(locale: Language, variant: Variant, plan: Plan) -> str:
    """The moves left, a line for each answer with the replies before it; the planner makes a first own move by hand."""
    lines, replies, moves = list[str](), list[str](), plan.moves_left
    if not plan.done and moves and moves[0].seat == plan.seat:
        lines.append(text(locale, "plan.by-hand", move=format_move(moves[0].move, variant.board)))
        moves = moves[1:]
    for planned in moves:
        replies.append(_planned_move_text(locale, variant, plan, planned, first=not replies))
        if planned.seat == plan.seat:
            lines.append(" ".join(replies))
            replies = []
    return "\n".join(f"- {line}" for line in lines)


def moves_in_short(variant: Variant, moves: Sequence[PlannedMove]) -> str:
    """The moves in notation, with a `*` after replies that may be anything."""
    return " ".join(format_move(planned.move, variant.board) + ANY_REPLY_MARK * planned.anything for planned in moves)


# The command and the components


@slash_command("plan")
@app_commands.autocomplete(line=suggest_lines, game=suggest_games)
async def plan_command(interaction: Interaction, line: str | None = None, game: str | None = None) -> None:
    """Lists the plans. With a line, drafts a plan of it, which has to be confirmed."""
    if line is None:
        await open_sheet(interaction, Sheet(PLANS_SHEET, subject=parse_game_number(game) or 0))
        return
    await interaction.response.defer(ephemeral=True, thinking=True)
    await propose_plan(interaction, await find_meant_match(interaction, game, "own"), line)


async def propose_plan(interaction: Interaction, match: Match, line: str) -> None:
    """Asks whether that line, from the current board, is to become a plan; or says why it is illegal. Needs a deferred
    interaction. Raises MatchError as `draft_plan` does.
    """
    caller = caller_of(interaction)
    try:
        plan = await plan_service.draft_plan(caller.service, caller.actor, match.id, line)
    except RulesError as error:
        note_outcome(interaction, InteractionOutcome.REFUSED)
        reason = await run_heavy(interaction, reason_text, caller.locale, error, match.started_game.position, line)
        await send_answer(interaction, reason)
        return
    content, view, files = await draw_plan(interaction, plan)
    await send_answer(interaction, content, view=view, files=files)


def is_plannable(match: Match, user: int, line: str) -> bool:
    """True if that line, from the current board, can become a plan of that user's, or is only too long for one."""
    try:
        return bool(plan_of_line(match, user, line))
    except (MatchError, RulesError) as error:
        return getattr(error, "problem", None) is Problem.PLAN_TOO_LONG


LINE_TO_PLAN = UseOfLine(propose_plan, is_plannable)


async def remark_on_plans(interaction: Interaction, match: Match, place: RemarkPlace) -> str:
    """Returns, below a board, why no plan of the player to move was played, and the number of the player's plans."""
    caller = caller_of(interaction)
    if match.seat_of(caller.user) is None or place is not RemarkPlace.BOARD:
        return ""
    own, lines = await plans_for_match(caller.service.reader, match.id, caller.user), list[str]()
    if plan_end := missed_reason(own, match, caller.user):
        lines.append(plan_end_text(caller.locale, match.variant, plan_end))
    if count := sum(plan.is_alive for plan in own):
        lines.append(plural_text(caller.locale, "plan.here", count))
    return "\n".join(lines)


@PLAN_MENUS.register_handler("reply", first=acknowledge_press)  # of earlier versions, as the next two
@PLAN_MENUS.register_handler("guards", first=acknowledge_press)
@PLAN_BUTTONS.register_handler("edit", first=acknowledge_press)
@PLAN_BUTTONS.register_handler("view", first=acknowledge_press)
async def view_plan(interaction: Interaction, state: PlanState) -> None:
    """Shows the plan, which can be changed there."""
    caller = caller_of(interaction)
    plan = await plan_service.load_plan(caller.service.reader, state.plan, caller.user)
    content, view, files = await draw_plan(interaction, plan)
    await update_message(interaction, content, view=view, files=files)


@PLAN_MENUS.register_handler("free", first=acknowledge_press)
async def choose_free_replies(interaction: Interaction, state: PlanState) -> None:
    """Lets the ticked replies be anything. All others must be exactly as planned."""
    free = chosen_numbers(interaction)
    await _change_plan(interaction, state, lambda plan: with_free_replies(plan, free))


@PLAN_BUTTONS.register_handler("away", first=acknowledge_press)
async def toggle_away(interaction: Interaction, state: PlanState) -> None:
    """Sets whether the plan is also played on vacation."""
    await _change_plan(interaction, state, lambda plan: replace(plan, plays_on_vacation=bool(state.number)))


@PLAN_BUTTONS.register_handler("confirm", first=acknowledge_press)
async def confirm_plan(interaction: Interaction, state: PlanState) -> None:
    """Confirms the plan."""
    await _change_plan(interaction, state, lambda plan: replace(plan, is_confirmed=True))


async def _change_plan(interaction: Interaction, state: PlanState, change: Callable[[Plan], Plan]) -> None:
    """Changes a plan, and shows it as it is then."""
    caller = caller_of(interaction)
    plan, displaced = await plan_service.change_plan(caller.service, caller.person, state.plan, change)
    if plan.is_due:  # its turn may have come already, so it may have been played
        caller.context.announcements_due.set()
    sentences = [text(caller.locale, "plan.done", id=plan.match)] if plan.is_confirmed else []
    if displaced:
        sentences.append(text(caller.locale, "plan.replaced"))
    content, view, files = await draw_plan(interaction, plan, "\n".join(sentences))
    await update_message(interaction, content, view=view, files=files)


@PLAN_BUTTONS.register_handler("delete", first=acknowledge_press)
async def delete_plan(interaction: Interaction, state: PlanState) -> None:
    """Deletes a plan, or discards an unconfirmed one."""
    caller = caller_of(interaction)
    plan = await plan_service.delete_plan(caller.service, caller.person, state.plan)
    sentence = text(caller.locale, "plan.deleted" if plan.is_confirmed else "plan.dropped", id=plan.match)
    shown = await draw_plan_list(interaction, Sheet(PLANS_SHEET), sentence)
    await update_message(interaction, None, view=lay_out_rows(shown))


@PLAN_BUTTONS.register_handler("list")
@PLAN_BUTTONS.register_handler("earlier")
@PLAN_BUTTONS.register_handler("later")
@PLAN_BUTTONS.register_handler("clear")
@PLAN_BUTTONS.register_handler("clear-sure")
@PLAN_MENUS.register_handler("which")
async def show_plans(interaction: Interaction, state: PlanState) -> None:
    """Lists all plans, or those for one game. Older lists have a menu, and buttons for pages and to clear them."""
    await turn_to_sheet(interaction, Sheet(PLANS_SHEET, subject=state.plan, page=state.number))
