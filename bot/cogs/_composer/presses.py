"""What every press in the composer does: go on from the place that it carries, and show the panel for the next one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

import discord

from bot.cogs._answers.in_time import in_time, update
from bot.cogs._answers.options import seen_match
from bot.cogs._answers.reply import NOBODY, Press, picture, reader
from bot.cogs._answers.reply import now as present
from bot.cogs._board import show_board
from bot.cogs._composer.items import Place, note, path_of
from bot.cogs._composer.panel import PAGE, Panel, panel_items, panel_text, panel_view, panel_words
from bot.cogs._posts.played import also_waiting, announce_move, done_text
from bot.composing import Draft, UnfitPathError, survey
from bot.i18n import text
from bot.match import Match
from bot.problems import MatchError, Problem
from render import Mark
from rules import Turn, format_move
from rules.board import Cell


async def resume(press: Press, place: Place) -> tuple[Match, Draft] | None:
    """The match and the draft that the press goes on from; None where it has been answered with the present board."""
    match = await seen_match(press, place.match)
    path = await path_of(press.client.service, place)
    if match.game is None:
        raise MatchError(Problem.NOT_STARTED, number=match.id)
    ply = match.ply_at(place.changes)
    if path and ply is not None and match.ply > ply and match.game.moves[ply].path == path:
        # Commit pressed twice: the first press has been obeyed.
        await close(press, done_text(press, match, ply + 1, await also_waiting(press, match)))
        return None
    on_board = place.end is None or place.end < len(match.variant.board.names)
    if match.changes == place.changes and match.to_move == press.user.id and path is not None and on_board:
        try:
            return match, Draft.of(match.game.position, path)
        except UnfitPathError:
            pass  # the rules have been mended since
    await show_present(press, match)
    return None


async def show_present(press: Press, match: Match) -> None:
    """Turn a stale panel into one for the board as it is now; for somebody who is not to move, into the board."""
    remark = text(reader(press), "moves.stale")
    if match.to_move == press.user.id:
        await show(press, await draw_up(press, match, remark=remark))
    else:
        await close(press, remark)
        await show_board(press, match)


async def draw_up(
    press: Press,
    match: Match,
    path: Sequence[Cell] = (),
    *,
    end: Cell | None = None,
    pages: Mapping[str, int] | None = None,
    remark: str = "",
    marks: tuple[Mark, ...] = (),
) -> Panel:
    """The panel at that path. Raises UnfitPathError where no move begins so."""
    assert match.game is not None
    service = press.client.service
    preferences = await service.preferences(press.user.id, ladder=match.ladder)
    castles = preferences.warn or (preferences.confirm == "risky" and not match.ladder)
    found = await in_time(press, asyncio.to_thread(survey, match.game, path, castles=castles))
    place = await note(service, match.id, match.changes, path, end)
    return Panel(reader(press), match, place, found, preferences, remark, marks, pages or {})


async def board_of(press: Press, panel: Panel) -> list[discord.File]:
    """The panel's picture; nothing for who reads boards as text, which then stands in its words."""
    if panel.preferences.board == "text":
        return []
    png = await press.client.pictures.draw(panel_view(panel))
    return [picture(png, f"game-{panel.match.id}-{panel.match.ply}", panel_words(panel))]


async def show(press: Press, panel: Panel) -> None:
    """Put that panel in the place of the one that was pressed."""
    files = await in_time(press, board_of(press, panel))
    await update(press, panel_text(panel), view=panel_items(panel), files=files)


async def close(press: Press, words: str) -> None:
    """Leave nothing of the panel but these words."""
    await update(press, words, view=None)


async def go(press: Press, place: Place, step: Callable[[Draft], Draft]) -> None:
    """Take that step and show where it leads."""
    if (resumed := await resume(press, place)) is None:
        return
    match, draft = resumed
    try:
        path = step(draft).path
    except UnfitPathError:
        await show_present(press, match)
    else:
        await show(press, await draw_up(press, match, path))


async def turn_page(press: Press, place: Place, menu: str, value: str) -> None:
    """Turn to another page of a menu."""
    if resumed := await resume(press, place):
        match, draft = resumed
        number = value.removeprefix(PAGE)
        pages = {menu: int(number)} if number.isdecimal() else {}
        await show(press, await draw_up(press, match, draft.path, end=place.end, pages=pages))


async def play(press: Press, match: Match, turn: Turn, place: Place) -> None:
    """Play the move: stored first, then confirmed to the player, then announced."""
    typed, number = format_move(turn.move, match.variant.board), match.ply + 1
    try:
        match = await press.client.service.move(match.id, match.guild, press.user.id, typed, present(), place.changes)
    except MatchError as error:
        if error.problem is not Problem.STALE:
            raise
        await resume(press, place)  # somebody was quicker, perhaps this very player: says so
        return
    waiting = await in_time(press, also_waiting(press, match))
    said = done_text(press, match, number, waiting)
    await close(press, said)
    told = await announce_move(press, match, waiting)
    if told != said:
        await press.edit_original_response(content=told, allowed_mentions=NOBODY)
