"""The composer: a private board on which the player to move puts his move together, leg by leg or by its destination.

Every press carries the whole state (the match, which of its boards, and the path), so a panel goes on after a restart,
and one whose board has moved on shows the board as it is now.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import discord
from discord.ext import commands

from bot.cogs._answers.in_time import in_time, update
from bot.cogs._answers.options import seen_match
from bot.cogs._answers.reply import Press, answer, reader
from bot.cogs._board import show_board
from bot.cogs._composer.form import FORM, notation_form, typed_in
from bot.cogs._composer.items import Place, part, path_of
from bot.cogs._composer.panel import PAGE, panel_items, panel_text, question_items, question_text
from bot.cogs._composer.presses import board_of, draw_up, go, play, resume, show, show_present, turn_page
from bot.cogs._why import cells_in, marks_of, reason_text
from bot.composing import Draft, UnfitPathError, format_path, parse_cell
from bot.i18n import text
from bot.match import Match
from bot.problems import MatchError, Problem
from bot.words import mention
from rules import RulesError, parse_move
from rules.board import Cell


class Composer(commands.Cog):
    """Hears the composer's form; its buttons and menus find their way by themselves."""

    @commands.Cog.listener()
    async def on_interaction(self, press: Press) -> None:
        """Answer a form by its `custom_id`: discord.py knows only those that it has opened since the start."""
        if press.type is discord.InteractionType.modal_submit and press.data is not None:
            found = FORM.fullmatch(str(press.data.get("custom_id")))
            if found:
                await press.client.guarded(press, take_typed(press, Place.read(found), typed_in(press.data)))


async def open_composer(press: Press, match: Match, path: Sequence[Cell] = ()) -> None:
    """Open a new panel for the player to move; anybody else gets a kind answer. Defer the interaction before."""
    if match.game is None:
        raise MatchError(Problem.NOT_STARTED, number=match.id)
    if match.to_move is None:
        raise MatchError(Problem.SEAT_VACANT if match.is_live else Problem.GAME_OVER, number=match.id)
    if match.to_move == press.user.id:
        try:
            panel = await draw_up(press, match, path)
        except UnfitPathError:  # the rules have been mended since that was offered
            panel = await draw_up(press, match)
        await answer(press, panel_text(panel), files=await board_of(press, panel), view=panel_items(panel))
        return
    key = "composer.watch" if match.seat_of(press.user.id) is None else "composer.wait"
    locale = reader(press)
    await answer(press, text(locale, key, number=match.id, next=mention(match.to_move, locale)))


@part("open")
async def open_here(press: Press, place: Place, _: str) -> None:
    """Open a panel from a turn, or from a refusal at the move that it offers."""
    await press.response.defer(ephemeral=True, thinking=True)
    match = await seen_match(press, place.match)
    if match.changes == place.changes:
        await open_composer(press, match, await path_of(press.client.service, place) or ())
    elif match.to_move == press.user.id:
        await open_composer(press, match)
    else:
        await show_board(press, match, text(reader(press), "moves.stale"))


@part("piece")
async def choose_piece(press: Press, place: Place, value: str) -> None:
    """Choose the piece that is to move."""
    await _choose(press, place, "piece", value)


@part("leg")
async def choose_leg(press: Press, place: Place, value: str) -> None:
    """Choose the next leg."""
    await _choose(press, place, "leg", value)


async def _choose(press: Press, place: Place, menu: str, value: str) -> None:
    if value.startswith(PAGE):
        await turn_page(press, place, menu, value)
    else:
        await go(press, place, lambda draft: draft.choose(parse_cell(value)))


@part("end")
async def choose_end(press: Press, place: Place, value: str) -> None:
    """Go straight to a destination; where there are several ways to it, ask by a third menu."""
    if value.startswith(PAGE):
        await turn_page(press, place, "end", value)
    elif resumed := await resume(press, place):
        match, draft = resumed
        ends = await in_time(press, asyncio.to_thread(draft.ends))
        end = next((cell for cell in ends.by_cell if format_path([cell]) == value), None)
        if end is None:
            await show_present(press, match)
            return
        only = ends.only_way(end)
        panel = await draw_up(press, match, only.path) if only else await draw_up(press, match, draft.path, end=end)
        await show(press, panel)


@part("way")
async def choose_way(press: Press, place: Place, value: str) -> None:
    """Choose one of several ways to the destination; they are counted in the order in which they are found."""
    if value.startswith(PAGE):
        await turn_page(press, place, "way", value)
    elif resumed := await resume(press, place):
        match, draft = resumed
        ends = await in_time(press, asyncio.to_thread(draft.ends))
        ways = [] if place.end is None else ends.by_cell.get(place.end, [])
        way = next((way for number, way in enumerate(ways) if str(number) == value), None)
        await show(press, await draw_up(press, match, way.path if way else draft.path))


@part("back")
async def go_back(press: Press, place: Place, _: str) -> None:
    """Take the last leg back, or the choice of the piece."""
    await go(press, place, Draft.back)


@part("restart")
async def start_over(press: Press, place: Place, _: str) -> None:
    """Begin again with the choice of a piece."""
    await go(press, place, lambda draft: Draft(draft.side))


@part("look")
async def look_again(press: Press, place: Place, _: str) -> None:
    """Return from the question to the move."""
    await go(press, place, lambda draft: draft)


@part("commit")
async def commit(press: Press, place: Place, _: str) -> None:
    """Play the move, or ask first where the player wants to be asked."""
    if (resumed := await resume(press, place)) is None:
        return
    match, draft = resumed
    panel = await draw_up(press, match, draft.path)
    if draft.turn is None or not draft.complete:
        await show(press, panel)
    elif panel.asks:
        await update(press, question_text(panel), view=question_items(panel), files=None)
    else:
        await play(press, match, draft.turn, place)


@part("sure")
async def commit_at_last(press: Press, place: Place, _: str) -> None:
    """Play the move after the question."""
    if resumed := await resume(press, place):
        match, draft = resumed
        if draft.turn is not None and draft.complete:
            await play(press, match, draft.turn, place)
        else:
            await show(press, await draw_up(press, match, draft.path))


@part("type")
async def open_form(press: Press, place: Place, _: str) -> None:
    """Open the form that takes notation."""
    if resumed := await resume(press, place):
        match, _draft = resumed
        await press.response.send_modal(notation_form(reader(press), match, place))


async def take_typed(press: Press, place: Place, typed: str) -> None:
    """Go on with the move that was typed into the form, or say in the panel why it is none."""
    if (resumed := await resume(press, place)) is None:
        return
    match, draft = resumed
    position = draft.side.position
    try:
        move = await in_time(press, asyncio.to_thread(parse_move, position, typed))
    except RulesError as error:
        named = cells_in(position, typed)
        if len(named) == 1 and named[0] in Draft.of(position).starts:
            await show(press, await draw_up(press, match, named))
            return
        remark = await in_time(press, asyncio.to_thread(reason_text, reader(press), error, position))
        panel = await draw_up(press, match, draft.path, remark=remark, marks=marks_of(position, error))
        await show(press, panel)
    else:
        await show(press, await draw_up(press, match, move.path))
