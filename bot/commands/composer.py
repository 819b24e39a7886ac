"""The composer: a private board on which the player to move puts a move together, leg by leg or by its destination.

Every button carries the whole state (the match, which of its boards, and the path), so a panel goes on after a restart,
and one whose board has moved on shows the board as it is now.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import discord
from discord.ui import TextInput

from bot.commands.acting import also_waiting, announce_move, done_text
from bot.commands.app import app, drawn
from bot.commands.board import show_board
from bot.commands.composer_panel import (
    MENUS,
    PAGE,
    Panel,
    panel_items,
    panel_text,
    panel_view,
    panel_words,
    question_items,
    question_text,
)
from bot.commands.options import seen_match, started
from bot.commands.why import an_example, cells_in, marks_of, reason_text
from bot.kit.components import CELLS_CARRIED, COMPOSER, IN_STORE, ComposerState, Family, fresh, given
from bot.kit.reply import RESOLVED, Interaction, answer, in_time, now, reader, update
from bot.match import turns
from bot.match.draft import Draft, UnfitPathError, format_path, parse_cell, parse_path, survey
from bot.match.match import Match
from bot.people.problems import MatchError, Problem
from bot.service import Service
from bot.texts.i18n import text
from bot.texts.sentences import mention
from render import Mark
from rules import RulesError, Turn, format_move, parse_move
from rules.board import Cell

LONGEST_TYPED = 300

FORM = Family("rt-form", ComposerState)


async def open_composer(interaction: Interaction, match: Match, path: Sequence[Cell] = ()) -> None:
    """Open a new panel for the player to move; anybody else gets a kind answer. Defer the interaction before."""
    started(match)
    if match.to_move is None:
        raise MatchError(Problem.SEAT_VACANT if match.is_live else Problem.GAME_OVER, number=match.id)
    if match.to_move == interaction.user.id:
        try:
            panel = await draw_up(interaction, match, path)
        except UnfitPathError:  # the rules have been mended since that was offered
            panel = await draw_up(interaction, match)
        await answer(interaction, panel_text(panel), files=await board_of(interaction, panel), view=panel_items(panel))
        return
    key = "composer.watch" if match.seat_of(interaction.user.id) is None else "composer.wait"
    locale = reader(interaction)
    await answer(interaction, text(locale, key, number=match.id, next=mention(match.to_move, locale)))


@COMPOSER.on("open")
async def open_here(interaction: Interaction, place: ComposerState) -> None:
    """Open a panel from a turn, or from a refusal at the move that it offers."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    match = await seen_match(interaction, place.match)
    if match.board_version == place.board_version:
        await open_composer(interaction, match, await path_of(app(interaction).service, place) or ())
    elif match.to_move == interaction.user.id:
        await open_composer(interaction, match)
    else:
        await show_board(interaction, match, text(reader(interaction), "moves.stale"))


@MENUS.on("piece")
@MENUS.on("leg")
async def choose(interaction: Interaction, place: ComposerState) -> None:
    """Choose the piece that is to move, or its next leg."""
    value = given(interaction)
    if value.startswith(PAGE):
        await turn_page(interaction, place, "leg" if place.path else "piece", value)
    else:
        await go(interaction, place, lambda draft: draft.choose(parse_cell(value)))


@MENUS.on("end")
async def choose_end(interaction: Interaction, place: ComposerState) -> None:
    """Go straight to a destination; where there are several ways to it, ask by a third menu."""
    value = given(interaction)
    if value.startswith(PAGE):
        await turn_page(interaction, place, "end", value)
    elif resumed := await resume(interaction, place):
        match, draft = resumed
        ends = await in_time(interaction, asyncio.to_thread(draft.ends))
        end = next((cell for cell in ends.by_cell if format_path([cell]) == value), None)
        if end is None:
            await show_present(interaction, match)
            return
        if only := ends.only_way(end):
            await show(interaction, await draw_up(interaction, match, only.path))
        else:
            await show(interaction, await draw_up(interaction, match, draft.path, end=end))


@MENUS.on("way")
async def choose_way(interaction: Interaction, place: ComposerState) -> None:
    """Choose one of several ways to the destination; they are counted in the order in which they are found."""
    value = given(interaction)
    if value.startswith(PAGE):
        await turn_page(interaction, place, "way", value)
    elif resumed := await resume(interaction, place):
        match, draft = resumed
        ends = await in_time(interaction, asyncio.to_thread(draft.ends))
        ways = [] if place.end is None else ends.by_cell.get(place.end, [])
        way = next((way for number, way in enumerate(ways) if str(number) == value), None)
        await show(interaction, await draw_up(interaction, match, way.path if way else draft.path))


@COMPOSER.on("back")
async def go_back(interaction: Interaction, place: ComposerState) -> None:
    """Take the last leg back, or the choice of the piece."""
    await go(interaction, place, Draft.back)


@COMPOSER.on("restart")
async def start_over(interaction: Interaction, place: ComposerState) -> None:
    """Begin again with the choice of a piece."""
    await go(interaction, place, lambda draft: Draft(draft.side))


@COMPOSER.on("look")
async def look_again(interaction: Interaction, place: ComposerState) -> None:
    """Return from the question to the move."""
    await go(interaction, place, lambda draft: draft)


@COMPOSER.on("commit")
async def commit(interaction: Interaction, place: ComposerState) -> None:
    """Play the move, or ask first where the player wants to be asked."""
    await finish(interaction, place)


@COMPOSER.on("sure")
async def commit_at_last(interaction: Interaction, place: ComposerState) -> None:
    """Play the move after the question."""
    await finish(interaction, place, sure=True)


async def finish(interaction: Interaction, place: ComposerState, *, sure: bool = False) -> None:
    """Play the move if it is whole; where the player wants to be asked and has not been, ask."""
    if resumed := await resume(interaction, place):
        match, draft = resumed
        if draft.turn is None or not draft.complete:
            await show(interaction, await draw_up(interaction, match, draft.path))
        elif not sure and (panel := await draw_up(interaction, match, draft.path)).asks:
            await update(interaction, question_text(panel), view=question_items(panel), files=None)
        else:
            await play(interaction, match, draft.turn, place)


@COMPOSER.on("type")
async def open_form(interaction: Interaction, place: ComposerState) -> None:
    """Open the form that takes notation."""
    if resumed := await resume(interaction, place):
        match, _draft = resumed
        locale, example = reader(interaction), an_example(match.started_game.position)
        field: TextInput[Any] = TextInput(custom_id="move", max_length=LONGEST_TYPED)
        title, hint = text(locale, "composer.typed"), text(locale, "composer.typed-hint", example=example)
        await interaction.response.send_modal(FORM.form("", place, title, title, hint, field))


@FORM.on()
async def take_typed(interaction: Interaction, place: ComposerState) -> None:
    """Go on with the move that was typed into the form, or say in the panel why it is none."""
    if (resumed := await resume(interaction, place)) is None:
        return
    match, draft = resumed
    position, typed = draft.side.position, given(interaction)
    try:
        move = await in_time(interaction, asyncio.to_thread(parse_move, position, typed))
    except RulesError as error:
        named = cells_in(position, typed)
        if len(named) == 1 and named[0] in Draft.of(position).starts:
            await show(interaction, await draw_up(interaction, match, named))
            return
        remark = await in_time(interaction, asyncio.to_thread(reason_text, reader(interaction), error, position))
        panel = await draw_up(interaction, match, draft.path, remark=remark, marks=marks_of(position, error))
        await show(interaction, panel)
    else:
        await show(interaction, await draw_up(interaction, match, move.path))


async def resume(interaction: Interaction, place: ComposerState) -> tuple[Match, Draft] | None:
    """The match and the draft to go on from; None where it has been answered with the present board."""
    match = await seen_match(interaction, place.match)
    path = await path_of(app(interaction).service, place)
    game = started(match)
    ply = match.ply_at(place.board_version)
    if path and ply is not None and match.ply > ply and game.moves[ply].path == path:
        # Commit pressed twice: the first press has been obeyed.
        waiting = await also_waiting(interaction, match)
        await update(interaction, done_text(interaction, match, ply + 1, waiting), view=waiting.view)
        return None
    on_board = place.end is None or place.end < len(match.variant.board.names)
    theirs = match.board_version == place.board_version and match.to_move == interaction.user.id
    if theirs and path is not None and on_board:
        try:
            return match, Draft.of(game.position, path)
        except UnfitPathError:
            pass  # the rules have been mended since
    await show_present(interaction, match)
    return None


async def show_present(interaction: Interaction, match: Match) -> None:
    """Turn a stale panel into one for the board as it is now; for somebody who is not to move, into the board."""
    remark = text(reader(interaction), "moves.stale")
    if match.to_move == interaction.user.id:
        await show(interaction, await draw_up(interaction, match, remark=remark))
    else:
        await update(interaction, remark, view=None)
        await show_board(interaction, match)


async def draw_up(
    interaction: Interaction,
    match: Match,
    path: Sequence[Cell] = (),
    *,
    end: Cell | None = None,
    pages: Mapping[str, int] | None = None,
    remark: str = "",
    marks: tuple[Mark, ...] = (),
) -> Panel:
    """The panel at that path. Raises UnfitPathError where no move begins so."""
    service = app(interaction).service
    preferences = await service.people.preferences(interaction.user.id, ladder=match.ladder)
    castles = preferences.warn or (preferences.confirm == "risky" and not match.ladder)
    found = await in_time(interaction, asyncio.to_thread(survey, match.started_game, path, castles=castles))
    place = await note(service, match.id, match.board_version, path, end)
    return Panel(reader(interaction), match, place, found, preferences, remark, marks, pages or {}, fresh(interaction))


async def board_of(interaction: Interaction, panel: Panel) -> list[discord.File]:
    """The panel's picture; nothing for who reads boards as text, which then stands in its words."""
    if panel.preferences.board == "text":
        return []
    name = f"game-{panel.match.id}-{panel.match.ply}"
    return [await drawn(interaction, panel_view(panel), panel.preferences, name, panel_words(panel))]


async def show(interaction: Interaction, panel: Panel) -> None:
    """Put that panel in the place of the one that was shown."""
    files = await in_time(interaction, board_of(interaction, panel))
    await update(interaction, panel_text(panel), view=panel_items(panel), files=files)


async def go(interaction: Interaction, place: ComposerState, step: Callable[[Draft], Draft]) -> None:
    """Take that step and show where it leads."""
    if (resumed := await resume(interaction, place)) is None:
        return
    match, draft = resumed
    try:
        path = step(draft).path
    except UnfitPathError:
        await show_present(interaction, match)
    else:
        await show(interaction, await draw_up(interaction, match, path))


async def turn_page(interaction: Interaction, place: ComposerState, menu: str, value: str) -> None:
    """Turn to another page of a menu."""
    if resumed := await resume(interaction, place):
        match, draft = resumed
        number = value.removeprefix(PAGE)
        pages = {menu: int(number)} if number.isdecimal() else {}
        await show(interaction, await draw_up(interaction, match, draft.path, end=place.end, pages=pages))


async def play(interaction: Interaction, match: Match, turn: Turn, place: ComposerState) -> None:
    """Play the move: stored first, then confirmed to the player, then announced."""
    if not interaction.response.is_done():
        await interaction.response.defer()
    typed, number = format_move(turn.move, match.variant.board), match.ply + 1
    user, version = interaction.user.id, place.board_version
    try:
        match = await app(interaction).service.act(
            match.id, match.guild, lambda match, people: turns.move(match, user, typed, now(), version, people)
        )
    except MatchError as error:
        if error.problem is not Problem.STALE:
            raise
        await resume(interaction, place)  # somebody was quicker, perhaps this very player: says so
        return
    waiting = await in_time(interaction, also_waiting(interaction, match))
    said = done_text(interaction, match, number, waiting)
    await update(interaction, said, view=waiting.view)
    told = await announce_move(interaction, match, waiting)
    if told != said:
        await interaction.edit_original_response(content=told, allowed_mentions=RESOLVED)


async def note(
    service: Service, match: int, board_version: int, path: Sequence[Cell], end: Cell | None = None
) -> ComposerState:
    """The place with that path, which is put into the store if it is too long to be carried along.

    There is one move in the making for each match, since only the player to move makes one; so one path is kept.
    """
    code = format_path(path)
    if len(path) > CELLS_CARRIED:
        await service.keep_draft(match, board_version, f"{board_version}:{code}")
        code = IN_STORE + _fingerprint(code)
    return ComposerState(match, board_version, end, code)


async def path_of(service: Service, place: ComposerState) -> tuple[Cell, ...] | None:
    """The landings at that place; None if the store has others by now."""
    code = place.path
    if code.startswith(IN_STORE):
        board_version, _, kept = (await service.draft(place.match) or "").partition(":")
        if board_version != str(place.board_version) or IN_STORE + _fingerprint(kept) != code:
            return None
        code = kept
    return parse_path(code)


def _fingerprint(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()[:8]
