"""The one private board on which people put moves together, leg by leg or by destination, whatever they do it for.

It has a position, a cursor (the landings so far), somebody who may move, and a last button. A purpose, such as the
player's turn (`composer`), a line that is tried (`explore`) or a lesson (`learn`), is a frozen dataclass that says what
these are:

    @dataclass(frozen=True)
    class Riddle(Purpose):
        buttons = menus = FAMILY        its components; what they carry ends in `end`, `path` and `fresh`
        forms = FAMILY, "typed"
        place: RiddleState
        game                            a property: the position
        async def take_up(…)            the board at a place that came in, or None where it has answered
        async def finish(…)             what the last button does: `show(interaction, await draw_up(interaction, …))`
        def title(…), alt(…), picture   its words
    furnish(Riddle, "end", "way", …)    the machine answers them, but for those named here

`await present(interaction, await draw_up(interaction, board))` opens it. Every button carries the whole cursor, so a
panel goes on after a restart, and one whose board has moved on shows the board as it is now.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, TypeVar

import discord
from discord.ui import TextInput

from bot.commands.app import app, beside, drawn
from bot.commands.app import open_form as open_modal
from bot.commands.composer_panel import PAGE, Panel, panel_items, panel_text, panel_view, panel_words
from bot.commands.purpose import Purpose
from bot.commands.why import an_example, cells_in, marks_of, reason_text
from bot.kit.components import CELLS_CARRIED, IN_STORE, fresh, given, given_number, outdated
from bot.kit.reply import Interaction, answer, in_time, reader, update
from bot.match.draft import Draft, UnfitPathError, format_path, parse_cell, parse_path, survey
from bot.service import Service
from bot.texts.i18n import text
from render import Mark
from rules import Position, RulesError, parse_move
from rules.board import Cell

LONGEST_TYPED = 300

P = TypeVar("P", bound=Purpose)
PurposeType = type[Purpose]


def furnish(purpose: PurposeType, *without: str) -> None:
    """Let the machine answer the purpose's menus, buttons and form, but for those of these names."""
    for family, acts in ((purpose.menus, MENU_ACTS), (purpose.buttons, BUTTON_ACTS)):
        for name, act in acts.items():
            if name not in without:
                family.on(name)(partial(act, purpose))
    if "type" not in without:
        family, name = purpose.forms
        family.on(name)(partial(take_typed, purpose))


async def choose(purpose: PurposeType, interaction: Interaction, place: Any) -> None:
    """Choose the piece that is to move, or its next leg."""
    value = given(interaction)
    if value.startswith(PAGE):
        await turn_page(purpose, interaction, place, "leg" if place.path else "piece", value)
    elif resumed := await resume(purpose, interaction, place):
        board, draft = resumed
        cell = _cell(value)
        try:
            draft = draft.choose(cell)
        except UnfitPathError:
            tries = board.tries(draft.path)
            if tries is None or cell not in tries:
                await stale(interaction, board)
            else:
                await take(interaction, board, draft, spell(board.game.position, (*draft.path, cell)))
        else:
            await settle(interaction, board, draft)


async def choose_end(purpose: PurposeType, interaction: Interaction, place: Any) -> None:
    """Go straight to a destination; where there are several ways to it, ask by a third menu."""
    value = given(interaction)
    if value.startswith(PAGE):
        await turn_page(purpose, interaction, place, "end", value)
    elif resumed := await resume(purpose, interaction, place):
        board, draft = resumed
        ends = await beside(interaction, draft.ends)
        end = _cell(value)
        if end not in ends.by_cell:
            await stale(interaction, board)
        elif only := ends.only_way(end):
            await settle(interaction, board, draft.follow(only), whole=True)
        else:
            await show(interaction, await draw_up(interaction, board, draft.path, end=end))


async def choose_way(purpose: PurposeType, interaction: Interaction, place: Any) -> None:
    """Choose one of several ways to the destination; they are counted in the order in which they are found."""
    value = given(interaction)
    if value.startswith(PAGE):
        await turn_page(purpose, interaction, place, "way", value)
    elif resumed := await resume(purpose, interaction, place):
        board, draft = resumed
        ends = await beside(interaction, draft.ends)
        ways = [] if place.end is None else ends.by_cell.get(place.end, [])
        number = given_number(interaction)
        if number < len(ways):
            await settle(interaction, board, draft.follow(ways[number]), whole=True)
        else:
            await stale(interaction, board)


async def go_back(purpose: PurposeType, interaction: Interaction, place: Any) -> None:
    """Take the last leg back, or the choice of the piece."""
    if resumed := await resume(purpose, interaction, place):
        board, draft = resumed
        await show(interaction, await draw_up(interaction, board, draft.path[:-1]))


async def start_over(purpose: PurposeType, interaction: Interaction, place: Any) -> None:
    """Begin again with the choice of a piece."""
    if resumed := await resume(purpose, interaction, place):
        await show(interaction, await draw_up(interaction, resumed[0]))


async def look_again(purpose: PurposeType, interaction: Interaction, place: Any) -> None:
    """Show the place: from the question to the move, or from one board to another."""
    if resumed := await resume(purpose, interaction, place):
        board, draft = resumed
        await show(interaction, await draw_up(interaction, board, draft.path))


async def commit(purpose: PurposeType, interaction: Interaction, place: Any, *, sure: bool = False) -> None:
    """Do with the move what the purpose does with it, if it is whole."""
    if resumed := await resume(purpose, interaction, place):
        board, draft = resumed
        if draft.complete and board.open:
            await board.finish(interaction, draft, sure=sure)
        else:
            await show(interaction, await draw_up(interaction, board, draft.path))


async def open_form(purpose: PurposeType, interaction: Interaction, place: Any) -> None:
    """Open the form that takes notation."""
    if resumed := await resume(purpose, interaction, place):
        locale, example = reader(interaction), an_example(resumed[0].game.position)
        field: TextInput[Any] = TextInput(custom_id="move", max_length=LONGEST_TYPED)
        title, hint = text(locale, "composer.typed"), text(locale, "composer.typed-hint", example=example)
        family, name = purpose.forms
        await open_modal(interaction, family.form(name, place, title, title, hint, field))


async def take_typed(purpose: PurposeType, interaction: Interaction, place: Any) -> None:
    """Go on with the move that was typed into the form, or say in the panel why it is none."""
    if resumed := await resume(purpose, interaction, place):
        await take(interaction, *resumed, given(interaction))


MENU_ACTS = {"piece": choose, "leg": choose, "end": choose_end, "way": choose_way}
BUTTON_ACTS: Mapping[str, Callable[[PurposeType, Interaction, Any], Coroutine[Any, Any, None]]] = {
    "back": go_back,
    "restart": start_over,
    "look": look_again,
    "commit": commit,
    "sure": partial(commit, sure=True),
    "type": open_form,
}


async def take(interaction: Interaction, board: Purpose, draft: Draft, typed: str) -> None:
    """Go on with that notation, judged by the referee; a cell alone chooses its piece."""
    position = board.game.position
    try:
        move = await beside(interaction, parse_move, position, typed)
    except RulesError as error:
        named = cells_in(position, typed)
        if len(named) == 1 and named[0] in Draft.of(position).starts:
            await show(interaction, await draw_up(interaction, board, named))
            return
        locale = reader(interaction)
        remark = board.refused(locale, error)
        if not remark:
            remark = await beside(interaction, reason_text, locale, error, position)
        marks = marks_of(position, error)
        await show(interaction, await draw_up(interaction, board, draft.path, remark=remark, marks=marks))
    else:
        await settle(interaction, board, Draft.of(position, move.path), whole=True)


async def settle(interaction: Interaction, board: Purpose, draft: Draft, *, whole: bool = False) -> None:
    """Show the move so far; finish it where the purpose does so at once and it is meant `whole`, or nothing follows."""
    if board.at_once and draft.complete and (whole or not draft.legs):
        await board.finish(interaction, draft, sure=False)
    else:
        await show(interaction, await draw_up(interaction, board, draft.path))


def spell(position: Position, path: Sequence[Cell]) -> str:
    """Those landings as a player would write them: `x` over an opponent's piece, `-` otherwise. Judges nothing."""
    board, pieces, said = position.variant.board, position.pieces, position.variant.board.names[path[0]]
    for start, to in pairwise(path):
        over = pieces.get(board.between.get((start, to), -1))
        said += ("x" if over and over.seat != position.turn else "-") + board.names[to]
    return said


async def resume(purpose: type[P], interaction: Interaction, place: Any) -> tuple[P, Draft] | None:
    """The board and the draft to go on from; None where it has been answered."""
    board = await purpose.take_up(interaction, place)
    if board is None:
        return None
    path = await path_of(app(interaction).service, board, place)
    on_board = place.end is None or place.end < len(board.game.variant.board.names)
    if path is not None and on_board:
        try:
            return board, Draft.of(board.game.position, path)
        except UnfitPathError:
            pass  # the rules have been mended since
    await stale(interaction, board)
    return None


async def stale(interaction: Interaction, board: Purpose) -> None:
    """Turn a panel that no longer fits its board into one for the board as it is now."""
    await show(interaction, await draw_up(interaction, board, remark=text(reader(interaction), "moves.stale")))


async def draw_up(
    interaction: Interaction,
    board: Purpose,
    path: Sequence[Cell] = (),
    *,
    end: Cell | None = None,
    pages: Mapping[str, int] | None = None,
    remark: str = "",
    marks: tuple[Mark, ...] = (),
) -> Panel:
    """The panel at that path. Raises UnfitPathError where no move begins so."""
    service = app(interaction).service
    preferences = await service.people.preferences(interaction.user.id, ladder=board.ladder)
    castles = board.warns and (preferences.warn or (preferences.confirm == "risky" and not board.ladder))
    found = await beside(interaction, survey, board.game, path, castles=castles)
    place = await note(service, board, path, end)
    return Panel(reader(interaction), board, place, found, preferences, remark, marks, pages or {}, fresh(interaction))


async def picture_of(interaction: Interaction, panel: Panel) -> list[discord.File]:
    """The panel's picture; nothing for who reads boards as text, which then stands in its words."""
    if panel.preferences.board == "text":
        return []
    return [await drawn(interaction, panel_view(panel), panel.preferences, panel.board.picture, panel_words(panel))]


async def present(interaction: Interaction, panel: Panel) -> None:
    """Answer with that panel."""
    await answer(interaction, panel_text(panel), files=await picture_of(interaction, panel), view=panel_items(panel))


async def show(interaction: Interaction, panel: Panel) -> None:
    """Put that panel in the place of the one that was shown."""
    files = await in_time(interaction, picture_of(interaction, panel))
    await update(interaction, panel_text(panel), view=panel_items(panel), files=files)


def _cell(value: str) -> Cell:
    """The cell that a menu's option stands for. Raises NO_SUCH_BUTTON where it is none that we have offered."""
    try:
        return parse_cell(value)
    except UnfitPathError:
        raise outdated() from None


async def turn_page(purpose: PurposeType, interaction: Interaction, place: Any, menu: str, value: str) -> None:
    """Turn to another page of a menu."""
    number = value.removeprefix(PAGE)
    if not re.fullmatch("[0-9]{1,4}", number):
        raise outdated()
    if resumed := await resume(purpose, interaction, place):
        board, draft = resumed
        pages = {menu: int(number)}
        await show(interaction, await draw_up(interaction, board, draft.path, end=place.end, pages=pages))


async def note(service: Service, board: Purpose, path: Sequence[Cell], end: Cell | None = None) -> Any:
    """The board's place with that path, which the purpose keeps if it is too long to be carried along."""
    code = format_path(path)
    if len(path) > CELLS_CARRIED:
        await board.keep(service, code)
        code = IN_STORE + _fingerprint(code)
    return board.place._replace(end=end, path=code)


async def path_of(service: Service, board: Purpose, place: Any) -> tuple[Cell, ...] | None:
    """The landings at that place; None if others are kept by now."""
    code = place.path
    if code.startswith(IN_STORE):
        kept = await board.kept(service)
        if IN_STORE + _fingerprint(kept) != code:
            return None
        code = kept
    return parse_path(code)


def _fingerprint(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()[:8]
