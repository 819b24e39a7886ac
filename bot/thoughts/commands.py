"""`/game thoughts` and **Say why**: a person's own thoughts. No handler shows or changes those of others."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import discord
from discord import ButtonStyle, SelectOption, app_commands
from discord.ui import Item, TextInput

from bot.core.match import Match, Phase
from bot.core.problems import Problem
from bot.discordkit.components import (
    Button,
    CountField,
    Family,
    IdField,
    NonceField,
    given_number,
    make_option,
    menu_nonce,
    submitted_value,
)
from bot.discordkit.paging import options_on_page, page_chosen
from bot.discordkit.reply import (
    Interaction,
    acknowledge_press,
    fit_lines,
    make_attachment,
    make_view,
    reader_language,
    send_answer,
    think_beside,
    update_message,
)
from bot.discordkit.slash import slash_command
from bot.play.caller import Caller, context_of, run_heavy
from bot.play.context import BotContext, ButtonPlace, Ended, Notes
from bot.play.options import find_meant_match, find_pressed_match, suggest_all_games
from bot.texts.i18n import Language, plural_text, text
from bot.texts.markup import one_line
from bot.texts.sentences import numbered_moves, titled_name, turn_names
from bot.thoughts import service as thought_service
from bot.thoughts.pager import PageState, quote_words, show_page
from bot.thoughts.service import MAX_THOUGHT_LENGTH, MadeMove, OwnWords


class ThoughtState(NamedTuple):
    """The match, and the version of the board on which the move in question is made."""

    match: IdField
    board: CountField = 0
    fresh: NonceField = ""
    """Used by the menu only."""


THOUGHTS_FAMILY = Family("rt-thought", ThoughtState)


def thought_buttons(locale: Language, match: Match, place: ButtonPlace) -> Sequence[Button]:
    """Returns **Say why** beside a move in the making; **Thoughts** elsewhere."""
    if place is ButtonPlace.COMPOSER:
        return (_button(locale, "say", match, match.board_version),)
    return (_button(locale, "open", match),) if place is ButtonPlace.MORE else ()


def _button(
    locale: Language, name: str, match: Match, board: int = 0, style: ButtonStyle = ButtonStyle.secondary
) -> Button:
    label = text(locale, f"button.thoughts-{name}")
    return THOUGHTS_FAMILY.make_button(name, ThoughtState(match.id, board), label, style)


async def add_thought_notes(context: BotContext, locale: Language, about: object, notes: Notes) -> Notes:
    """Adds **Thoughts** to a finished match about which somebody has written. With its result, says that the authors
    now decide about their thoughts, and does not name them."""
    reader = context.service.reader
    if not isinstance(about, Ended) or not await thought_service.has_thoughts(reader, about.match.id):
        return notes
    lines = [*notes.lines, text(locale, "thoughts.at-the-end")] if about.ratings else notes.lines
    return Notes(lines, [*notes.buttons, _button(locale, "open", about.match)])


@slash_command("game thoughts")
@app_commands.autocomplete(game=suggest_all_games)
async def game_thoughts_command(interaction: Interaction, game: str | None = None) -> None:
    """Shows the person's thoughts on a game. They can add to them during the game, and share them afterwards."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    await _show_panel(interaction, await find_meant_match(interaction, game, "any"), new=True)


@THOUGHTS_FAMILY.register_handler("open", first=think_beside)
async def open_thoughts(interaction: Interaction, state: ThoughtState) -> None:
    """Opens the person's thoughts on the game."""
    await _show_panel(interaction, await find_pressed_match(interaction, state.match), new=True)


@THOUGHTS_FAMILY.register_handler("say")
async def ask_why(interaction: Interaction, state: ThoughtState) -> None:
    """Opens the form for the move that the person is about to make."""
    await _open_thought_form(interaction, "said", state)


@THOUGHTS_FAMILY.register_handler("said")
async def save_from_board(interaction: Interaction, state: ThoughtState) -> None:
    """Saves the thought, and leaves the board as it is."""
    match, saved = await _save(interaction, state)
    locale = reader_language(interaction)
    await send_answer(interaction, text(locale, "thoughts.saved" if saved else "thoughts.emptied", id=match.id))


@THOUGHTS_FAMILY.register_handler("which")
async def choose_move(interaction: Interaction, state: ThoughtState) -> None:
    """Opens the form for the chosen move, or turns the menu."""
    page = page_chosen(submitted_value(interaction))
    if page is None:
        await _open_thought_form(interaction, "noted", ThoughtState(state.match, given_number(interaction)))
    else:
        await _show_panel(interaction, await find_pressed_match(interaction, state.match), page)


@THOUGHTS_FAMILY.register_handler("noted")
async def save_from_panel(interaction: Interaction, state: ThoughtState) -> None:
    """Saves the thought, and shows it in the panel."""
    match, _ = await _save(interaction, state)
    await _show_panel(interaction, match)


async def decide_on_sharing(
    interaction: Interaction, state: ThoughtState, *, shared: bool, with_lines: bool = False
) -> None:
    """Shares the person's thoughts, perhaps with their lines from Explore as they are now; or makes them private, even
    if they were shared."""
    match, caller = await find_pressed_match(interaction, state.match), Caller(interaction)
    await acknowledge_press(interaction)
    match = await thought_service.decide_sharing(
        caller.service, match.id, caller.guild, caller.user, shared=shared, with_lines=with_lines
    )
    context_of(interaction).announcements_due.set()
    await _show_panel(interaction, match)


THOUGHTS_FAMILY.register_handler("share")(partial(decide_on_sharing, shared=True))
THOUGHTS_FAMILY.register_handler("share-lines")(partial(decide_on_sharing, shared=True, with_lines=True))
THOUGHTS_FAMILY.register_handler("keep")(partial(decide_on_sharing, shared=False))


@THOUGHTS_FAMILY.register_handler("delete")
async def ask_to_delete(interaction: Interaction, state: ThoughtState) -> None:
    """Asks whether to delete everything that the person has written about the game."""
    match, locale = await find_pressed_match(interaction, state.match), reader_language(interaction)
    buttons = make_view(_button(locale, "delete-sure", match, style=ButtonStyle.danger), _button(locale, "look", match))
    await update_message(interaction, text(locale, "thoughts.delete", id=match.id), view=buttons)


@THOUGHTS_FAMILY.register_handler("delete-sure")
async def delete_thoughts(interaction: Interaction, state: ThoughtState) -> None:
    """Deletes everything that the person has written about the game."""
    match, caller = await find_pressed_match(interaction, state.match), Caller(interaction)
    await acknowledge_press(interaction)
    await thought_service.delete_words(caller.service, match.id, caller.guild, caller.user)
    context_of(interaction).announcements_due.set()
    await _show_panel(interaction, match)


@THOUGHTS_FAMILY.register_handler("look")
async def look_again(interaction: Interaction, state: ThoughtState) -> None:
    """Shows the panel again."""
    await _show_panel(interaction, await find_pressed_match(interaction, state.match))


@THOUGHTS_FAMILY.register_handler("read")
async def read_annotated_game(interaction: Interaction, state: ThoughtState) -> None:
    """Shows the annotated game in place of the panel."""
    match = await find_pressed_match(interaction, state.match)
    await acknowledge_press(interaction)
    await show_page(interaction, match, PageState(match.id), private=True)


async def _open_thought_form(interaction: Interaction, name: str, state: ThoughtState) -> None:
    match, caller = await find_pressed_match(interaction, state.match), Caller(interaction)
    own = await thought_service.own_words(caller.service, match, caller.user)
    await run_heavy(interaction, thought_service.require_writable, match, caller.user, state.board)
    match.refuse_if(not own.may_write, Problem.THOUGHTS_OF_OTHERS)
    move = await run_heavy(
        interaction, lambda: move_name(caller.locale, match, thought_service.list_moves(match), state.board)
    )
    field: TextInput[Any] = TextInput(
        custom_id="words",
        style=discord.TextStyle.paragraph,
        default=own.thoughts.get(state.board, ""),
        max_length=MAX_THOUGHT_LENGTH,
        required=False,
    )
    title, label = text(caller.locale, "thoughts.form", id=match.id), text(caller.locale, "thoughts.label", move=move)
    form = THOUGHTS_FAMILY.make_form(name, state, title, label, text(caller.locale, "thoughts.hint"), field)
    await interaction.response.send_modal(form)


async def _save(interaction: Interaction, state: ThoughtState) -> tuple[Match, bool]:
    """Saves the words of a form. Returns the match, and False if the words were deleted."""
    words = submitted_value(interaction)
    caller = Caller(interaction)
    await acknowledge_press(interaction)
    match = await thought_service.set_thought(
        caller.service, state.match, caller.guild, caller.user, state.board, words
    )
    return match, bool(words.strip())


async def _show_panel(interaction: Interaction, match: Match, page: int = 0, *, new: bool = False) -> None:
    """Shows the person's thoughts, in place of the panel whose component was used or in a new answer. With a file if
    they are too long for a message; `page` is that of the menu of moves."""
    caller = Caller(interaction)
    match.refuse_if(match.game is None, Problem.NOT_STARTED)
    own = await thought_service.own_words(caller.service, match, caller.user)
    words = await run_heavy(interaction, own_text, caller.locale, match, own)
    content = fit_lines(words.split("\n"), text(caller.locale, "thoughts.in-file"))
    files = [make_attachment(words.encode(), f"thoughts-{match.id}.txt")] if content != words else []
    if match.phase is Phase.OVER:
        game = await thought_service.annotated_game(caller.service, match)
        anything = bool(await run_heavy(interaction, lambda: game.sharers))
        items: list[Item[Any]] = [*_decision_buttons(caller.locale, match, own, anything_shared=anything)]
    else:
        items = await run_heavy(interaction, _move_menu, interaction, match, own, page) if own.may_write else []
        if own.thoughts:
            items.append(_button(caller.locale, "delete", match))
    view = make_view(*items) if items else None
    if new:
        await send_answer(interaction, content, view=view, files=files)
    else:
        await update_message(interaction, content, view=view, files=files)


def _decision_buttons(locale: Language, match: Match, own: OwnWords, *, anything_shared: bool) -> list[Button]:
    names, may_share = list[str](), own.may_write and not own.taken_out
    if may_share and own.thoughts and (not own.shared or own.lines):
        names.append("share")
    if may_share and own.lines_to_share and not own.lines:
        names.append("share-lines")
    if own.has_any and own.shared is not False:
        names.append("keep")
    if own.thoughts or own.lines:
        names.append("delete")
    if anything_shared:
        names.append("read")
    styles = {"share": ButtonStyle.primary, "read": ButtonStyle.primary}
    return [_button(locale, name, match, style=styles.get(name, ButtonStyle.secondary)) for name in names]


def _move_menu(interaction: Interaction, match: Match, own: OwnWords, page: int) -> list[Item[Any]]:
    """Returns the menu of the moves that the person may write about, the latest first; empty if there are none."""
    locale, moves = reader_language(interaction), thought_service.list_moves(match)
    options = list[SelectOption]()
    for board in thought_service.boards_to_comment(match, interaction.user.id)[::-1]:
        words = one_line(own.thoughts[board], MAX_THOUGHT_LENGTH) if board in own.thoughts else ""
        options.append(make_option(move_name(locale, match, moves, board), str(board), words))
    if not options:
        return []
    shown, hint = options_on_page(locale, options, page, text(locale, "thoughts.menu"))
    return [THOUGHTS_FAMILY.make_menu("which", ThoughtState(match.id, 0, menu_nonce(interaction)), shown, hint)]


def move_name(locale: Language, match: Match, moves: Sequence[MadeMove], board: int) -> str:
    """Returns the move made on that board, with its number; a phrase for the next move, and for one taken back."""
    game = match.started_game
    for made in moves:
        if made.board == board:
            return numbered_moves(locale, game)[made.number - 1]
    if match.is_live and board == match.board_version:
        return text(locale, "thoughts.next-move", turn=turn_names(locale, game)[-1])
    return text(locale, "thoughts.taken-back")


def own_text(locale: Language, match: Match, own: OwnWords) -> str:
    """Returns everything that a person has written about a match, and who can read it. May exceed a message."""
    is_over, moves = match.phase is Phase.OVER, thought_service.list_moves(match)
    lines = [text(locale, "thoughts.title", variant=titled_name(locale, match.variant, match.title), id=match.id)]
    if own.taken_out:
        lines.append(text(locale, "thoughts.taken-out"))
    elif not own.may_write:
        lines.append(text(locale, "problem.thoughts-of-others", number=match.id))
    elif not is_over:
        lines.append(text(locale, "thoughts.sealed"))
    elif own.has_any:
        key = {None: "ask", True: "is-shared", False: "is-kept"}[own.shared]
        lines.append(text(locale, f"thoughts.{key}"))
    for board, words in own.thoughts.items():
        lines += [f"**{move_name(locale, match, moves, board)}**", quote_words(words)]
    shown = (own.lines or own.lines_to_share) if is_over else []
    if shown:
        key = "thoughts.shared-lines" if own.lines else "thoughts.own-lines"
        lines += [plural_text(locale, key, len(shown)), *(quote_words(line.words) for line in shown)]
    if not own.thoughts and not shown:
        lines.append(text(locale, "thoughts.none"))
    return "\n".join(lines)
