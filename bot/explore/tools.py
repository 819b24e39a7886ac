"""`/game explore`, and what is done with its lines: they are annotated, listed, played from, and at last shared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Annotated, NamedTuple

from discord import ButtonStyle, app_commands

from bot.core.events import Seating
from bot.core.match import Match, Phase
from bot.core.problems import MatchError, Problem
from bot.core.settings import DEFAULT_USER_SETTINGS
from bot.core.table import TableOptions
from bot.discordkit.components import (
    Button,
    Family,
    FieldFormat,
    KeyField,
    Menu,
    NonceField,
    given_number,
    make_option,
    make_words_field,
    menu_nonce,
    outdated_error,
    submitted_value,
)
from bot.discordkit.paging import pager_buttons
from bot.discordkit.reply import (
    MAX_MESSAGE_LENGTH,
    NO_MENTIONS,
    Interaction,
    acknowledge_press,
    make_attachment,
    make_view,
    reader_language,
    send_answer,
    server_here,
    think_beside,
    update_message,
)
from bot.discordkit.slash import slash_command
from bot.explore.openings import list_opening_games
from bot.explore.panel import EXPLORE_FAMILY, MAX_MOVES_LOOKED, ExplorePanel, ExploreState, ExploreToolsPanel
from bot.explore.service import delete_node, load_game_note, open_tree, other_trees, set_game_note, set_note
from bot.explore.tree import MAX_NOTE_LENGTH, MAX_TREE_POSITIONS, MAX_TREES, Tree, root_phrase, tree_outline
from bot.play.board import draw_picture
from bot.play.caller import caller_of, context_of, may_share, public_language, take_turn
from bot.play.composer.panel import Look, answer_with_panel, update_panel
from bot.play.context import Action, ButtonPlace, MatchField, RemarkPlace, UseOfLine, action_button, declared
from bot.play.options import find_meant_match, find_ply, load_match_here, suggest_all_games, suggest_turns
from bot.play.play import host_table
from bot.texts.i18n import Language, plural_text, text
from bot.texts.markup import escape_markup
from bot.texts.sentences import colour_name, variant_called, variant_name
from engine import LEVELS, levels_of
from render import View
from rules import VARIANTS, format_position, parse_position

GAME_BUTTONS = Family("rt", Action)

MAX_MOVES_DRAWN = 12
"""Moves of a line drawn on one board: the last ones."""


@slash_command("game explore")
@app_commands.autocomplete(game=suggest_all_games, turn=suggest_turns)
async def game_explore_command(
    interaction: Interaction, game: str | None = None, turn: str | None = None, position: str | None = None
) -> None:
    """Opens the board at a position of a game, or at a typed position: one line of text, or the name of a variant
    for its start.
    """
    await interaction.response.defer(ephemeral=True, thinking=True)
    await take_turn(interaction)
    if position is None:
        match = await find_meant_match(interaction, game, "any")
        await open_explore(interaction, match, None if turn is None else find_ply(match, turn))
        return
    caller, key = caller_of(interaction), position.strip().lower()
    if key not in VARIANTS:
        key = (await open_tree(caller.service, caller.person, None, format_position(parse_position(position)))).key
    await answer_with_panel(interaction, await ExplorePanel.from_state(interaction, ExploreState(key, "")))


async def open_explore(interaction: Interaction, match: Match, ply: int | None = None) -> None:
    """Opens the board at the position after `ply` moves of the match; without `ply`, at the current one."""
    match.refuse_if(match.game is None, Problem.NOT_STARTED)
    cursor = ExploreState(f"m{match.id}", "" if ply is None else f"p{ply}")
    await answer_with_panel(interaction, await ExplorePanel.from_state(interaction, cursor))


def explore_buttons(locale: Language, match: Match, place: ButtonPlace) -> Sequence[Button]:
    """Returns the button that opens the board at that position, or the note on the match."""
    if place is ButtonPlace.BOARD:
        return (action_button(locale, "explore", match=match.id, number=match.ply),)
    if place in (ButtonPlace.COMPOSER, ButtonPlace.MORE):
        return (action_button(locale, "notes", match=match.id),)
    return ()


@GAME_BUTTONS.register_handler("explore", first=think_beside)
async def explore_from_button(interaction: Interaction, action: Action) -> None:
    """Opens the board from a button below another board, at the position shown there."""
    await open_explore(interaction, await load_match_here(interaction, action.match), action.number)


@EXPLORE_FAMILY.register_handler("games", first=think_beside)
async def show_games(interaction: Interaction, cursor: ExploreState) -> None:
    """Lists the latest games that had the position, in a message of its own."""
    words, buttons = await _list_games(interaction, cursor)
    await send_answer(interaction, words, view=make_view(*buttons) if buttons else None)


@EXPLORE_FAMILY.register_handler("list", first=acknowledge_press)
async def turn_games_page(interaction: Interaction, cursor: ExploreState) -> None:
    """Turns the page of that list."""
    words, buttons = await _list_games(interaction, cursor)
    await update_message(interaction, words, view=make_view(*buttons))


async def _list_games(interaction: Interaction, cursor: ExploreState) -> tuple[str, list[Button]]:
    """Returns a page of the games that had the position, and the buttons to the other pages."""
    board = await (await ExploreToolsPanel.from_state(interaction, cursor)).look_up(interaction)
    if board.openings is None:
        raise outdated_error()
    if board.openings.closed:
        return board.openings.closed, []
    words, pages = await list_opening_games(interaction, board.game, cursor.page, every=cursor.every)
    return words, pager_buttons(reader_language(interaction), EXPLORE_FAMILY, "list", cursor, pages)


class NoteState(NamedTuple):
    """The game of the note in a form."""

    match: MatchField


NOTE_FORM = Family("rt-notes", NoteState)


async def note_on_match(interaction: Interaction, match: Match, place: RemarkPlace) -> str:
    """Returns the person's note on that match, their comment on its start, where they make a move."""
    if place is not RemarkPlace.COMPOSER:
        return ""
    return await load_game_note(context_of(interaction).service.reader, interaction.user.id, match.id)


@GAME_BUTTONS.register_handler("notes")
async def open_note(interaction: Interaction, action: Action) -> None:
    """Opens the person's note on the game, to read and edit."""
    match, locale = await load_match_here(interaction, action.match), reader_language(interaction)
    field = make_words_field(await note_on_match(interaction, match, RemarkPlace.COMPOSER), MAX_NOTE_LENGTH)
    title, hint = text(locale, "note.title", id=match.id), text(locale, "note.hint")
    await interaction.response.send_modal(NOTE_FORM.make_form("", NoteState(match.id), title, title, hint, field))


@NOTE_FORM.register_handler(first=acknowledge_press)
async def save_note(interaction: Interaction, state: NoteState) -> None:
    """Saves the note on the game, and leaves the board as it is."""
    match, note = await load_match_here(interaction, state.match), submitted_value(interaction)
    caller = caller_of(interaction)
    await set_game_note(caller.service, caller.person, match, note)
    await send_answer(interaction, text(caller.locale, "note.kept" if note else "note.gone", id=match.id))


@EXPLORE_FAMILY.register_handler("delete")
async def ask_to_delete(interaction: Interaction, cursor: ExploreState) -> None:
    """Deletes the position. Asks first if others follow from it."""
    board = await ExplorePanel.from_state(interaction, cursor)
    locale = reader_language(interaction)
    count = len([*board.tree.subtree_of(board.current_node.number)])
    if count <= 1:
        await delete_position(interaction, cursor)
        return
    label = text(locale, "button.explore-delete-sure")
    sure = EXPLORE_FAMILY.make_button("delete-sure", cursor, label, ButtonStyle.danger)
    keep = EXPLORE_FAMILY.make_button("look", cursor, text(locale, "button.back"))
    question = f"{board.title(locale)}\n{plural_text(locale, 'explore.delete', count)}"
    await update_message(interaction, question, view=make_view(sure, keep), files=None)


@EXPLORE_FAMILY.register_handler("delete-sure")
async def delete_position(interaction: Interaction, cursor: ExploreState) -> None:
    """Deletes the position and all that follow from it."""
    board = await ExplorePanel.from_state(interaction, cursor)
    await acknowledge_press(interaction)
    caller = caller_of(interaction)
    tree = await delete_node(caller.service, caller.person, board.tree, board.current_node.number)
    before = board.before if len(board.at.line) > 1 else None
    await board.go_to(interaction, tree, before or f"p{board.at.ply}")


@EXPLORE_FAMILY.register_handler("note")
@EXPLORE_FAMILY.register_handler("name")  # of earlier versions, in which lines had names
async def open_note_form(interaction: Interaction, cursor: ExploreState) -> None:
    """Opens the form for the note on the position."""
    board, locale = await ExplorePanel.from_state(interaction, cursor), reader_language(interaction)
    field = make_words_field(board.note, MAX_NOTE_LENGTH)
    title, hint = text(locale, "explore.note"), text(locale, "explore.note-hint", most=MAX_NOTE_LENGTH)
    await interaction.response.send_modal(EXPLORE_FAMILY.make_form("noted", board.cursor, title, title, hint, field))


@EXPLORE_FAMILY.register_handler("noted", first=acknowledge_press)
async def save_position_note(interaction: Interaction, cursor: ExploreState) -> None:
    """Saves a note on the position."""
    board = await ExplorePanel.from_state(interaction, cursor)
    caller = caller_of(interaction)
    tree, node = await board.store_line(caller)
    tree = await set_note(caller.service, caller.person, tree, node, submitted_value(interaction))
    await board.go_to(interaction, tree, f"n{node.number}" if "~" in cursor.at else cursor.at)


@EXPLORE_FAMILY.register_handler("outline", first=think_beside)
async def show_outline(interaction: Interaction, cursor: ExploreState) -> None:
    """Answers with the whole tree as text, and the menu of the other trees."""
    board = await ExplorePanel.from_state(interaction, cursor)
    locale = reader_language(interaction)
    outline_text = tree_outline(locale, board.tree, board.match) or text(locale, "explore.nothing")
    count = plural_text(locale, "explore.count", board.tree.position_count, most=MAX_TREE_POSITIONS, trees=MAX_TREES)
    others = await _other_trees_menus(interaction, board.tree)
    fits = len(outline_text) + len(count) + 10 <= MAX_MESSAGE_LENGTH
    files = [] if fits else [make_attachment(outline_text.encode(), f"lines-{board.tree.key}.txt")]
    content = f"{count}\n```\n{outline_text}\n```" if fits else count
    await send_answer(interaction, content, files=files, view=make_view(*others) if others else None)


async def _other_trees_menus(interaction: Interaction, tree: Tree) -> list[Menu]:
    """Returns the menu of the person's other trees that can be opened here; empty if there are none. One menu takes as
    many as `MAX_TREES`.
    """
    locale, server = reader_language(interaction), server_here(interaction) or 0
    trees = await other_trees(context_of(interaction).service.reader, tree.user, tree.id, server)
    options = []
    for other in trees:
        if other.match:
            label = text(locale, "explore.tree", id=other.match)
        else:
            label = text(locale, "explore.of-position", variant=variant_called(locale, other.start.partition(" ")[0]))
        options.append(make_option(label, str(other.id), other.start))
    hint = text(locale, "explore.menu.tree")
    return [EXPLORE_FAMILY.make_menu("tree", ExploreState(tree.key, "p0"), options, hint)] if options else []


@EXPLORE_FAMILY.register_handler("plan", first=think_beside)
async def plan_line(interaction: Interaction, cursor: ExploreState) -> None:
    """Asks whether to plan the line that starts where the game stands."""
    board = await ExplorePanel.from_state(interaction, cursor)
    uses = declared(context_of(interaction).features, UseOfLine)
    if not uses or not board.match:
        raise outdated_error()
    await uses[0].propose(interaction, board.match, " ".join(board.line_ahead))


@EXPLORE_FAMILY.register_handler("play", first=think_beside)
async def ask_for_level(interaction: Interaction, cursor: ExploreState) -> None:
    """Asks which bots are to play on from the position."""
    board, locale = await ExplorePanel.from_state(interaction, cursor), reader_language(interaction)
    levels = [make_option(text(locale, f"level.{name}"), name) for name in levels_of(board.game.variant.key)]
    state = board.cursor._replace(fresh=menu_nonce(interaction))
    menu = EXPLORE_FAMILY.make_menu("level", state, levels, text(locale, "explore.menu.level"))
    words = text(locale, "explore.play", colour=colour_name(locale, board.game.variant, board.game.position.turn))
    await send_answer(interaction, words, view=make_view(menu))


@EXPLORE_FAMILY.register_handler("level", first=think_beside)
async def play_from_position(interaction: Interaction, cursor: ExploreState) -> None:
    """Begins a game against bots of the chosen level from the position; the person plays the side to move."""
    level, board = submitted_value(interaction), await ExplorePanel.from_state(interaction, cursor)
    position = board.game.position
    if level not in LEVELS or not board.can_begin:
        raise outdated_error()
    options = TableOptions(position.variant.key, seating=Seating.CHOSEN, seat=position.turn, house_level=level)
    await host_table(interaction, (), options._replace(position=position))


@EXPLORE_FAMILY.register_handler("share")
@EXPLORE_FAMILY.register_handler("share-film")  # of earlier versions
async def share_line(interaction: Interaction, cursor: ExploreState) -> None:
    """Posts the line publicly, on one board with its moves numbered. Only after the game is over, and only once.

    The button disappears after the post.
    """
    board, locale = await ExploreToolsPanel.from_state(interaction, cursor), public_language(interaction)
    if board.match is None or board.match.phase is not Phase.OVER:
        raise MatchError(Problem.NOT_OVER, number=board.tree.match)
    await acknowledge_press(interaction)
    if not may_share(interaction):
        return
    line, variant = board.at.line_text(1000), variant_name(locale, board.game.variant)
    player, when = escape_markup(interaction.user.display_name), root_phrase(locale, board.match, board.at.line[0])
    values = {"player": player, "id": board.match.id, "variant": variant, "when": when, "line": line}
    games = board.at.games[-min(len(board.at.line), MAX_MOVES_DRAWN + 1) :]
    chain = tuple((before.position, after.moves[-1]) for before, after in pairwise(games))
    view, words = View(board.game.position, chain=chain, to_move=board.is_open), f"{line}. {board.board_words(locale)}"
    file = await draw_picture(interaction, DEFAULT_USER_SETTINGS, view, board.picture_name, words)
    await interaction.followup.send(text(locale, "explore.shared", **values), file=file, allowed_mentions=NO_MENTIONS)
    remark = text(reader_language(interaction), "explore.has-shared")
    await update_panel(interaction, replace(board, is_shared=True), Look(remark=remark))


@EXPLORE_FAMILY.register_handler("tree")
async def go_to_tree(interaction: Interaction, cursor: ExploreState) -> None:
    """Goes to another tree: to the current position of its game, or to its own start."""
    chosen = ExploreState(str(given_number(interaction)), "")
    await update_panel(interaction, await ExplorePanel.from_state(interaction, chosen))


class OldOpeningsState(NamedTuple):
    """The state of the buttons and menus of openings before Explore showed them."""

    variant: KeyField
    line: Annotated[str, FieldFormat(r"(?:[0-9A-Za-z]{2}){0,28}")] = ""
    games: Annotated[str, FieldFormat(r"[0-2]{3}")] = "000"
    user: Annotated[str, FieldFormat("[0-9a-z]{1,13}")] = "0"
    fresh: NonceField = ""


OLD_OPENINGS_FAMILY = Family("rt-op", OldOpeningsState)


async def open_old_openings(interaction: Interaction, old: OldOpeningsState) -> None:
    """Opens the board at the position of that button, or as near to it as a button of Explore reaches."""
    looked = old.line[: 2 * MAX_MOVES_LOOKED]
    cursor = ExploreState(old.variant, f"p0~{looked}" if looked else "p0")
    await answer_with_panel(interaction, await ExploreToolsPanel.from_state(interaction, cursor))


for _name in ("open", "look", "home", "go", "what", "who", "list"):
    OLD_OPENINGS_FAMILY.register_handler(_name, first=think_beside)(open_old_openings)
