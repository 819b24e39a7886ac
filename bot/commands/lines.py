"""Lines of `explore`: deleted, named, noted, written out, filmed, and shared once the game is over."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import discord
from discord import ButtonStyle
from discord.ui import TextInput

from bot.commands.app import Asker, app, beside, drawn, in_turn, may_share, open_form, server
from bot.commands.bench import draw_up, show, stale
from bot.commands.composer_panel import panel_items, panel_text
from bot.commands.explore import LINES, Line, Spot, say_full, shelf
from bot.commands.plan import propose
from bot.kit.components import given, row
from bot.kit.reply import LONGEST, NO_MENTIONS, Interaction, answer, attachment, hold, now, reader, update
from bot.match.match import Phase
from bot.match.tree import LONGEST_NAME, LONGEST_NOTE, MOST_POSITIONS, MOST_TREES, reach
from bot.people.preferences import Preferences
from bot.people.problems import MatchError, Problem
from bot.texts.i18n import Language, plural, text
from bot.texts.sentences import one_line, plain, variant_name, when
from bot.texts.trees import line_text, outline
from render import THEMES, View
from render.replay import Ply, Replay
from rules import Game

MOST_DRAWN = 12
"""Moves of a line that are shown on one board: the last ones."""
MOST_FILMED = 60
"""Moves of a line that are shown as a moving picture: the last ones."""


@LINES.on("delete")
async def ask_to_delete(interaction: Interaction, place: Spot) -> None:
    """Delete the position; ask first where others follow from it."""
    if board := await Line.take_up(interaction, place):
        locale, count = reader(interaction), len([*board.tree.branch(board.node.number)]) if board.node else 0
        if count <= 1:
            await delete(interaction, place)
            return
        sure = LINES.button("delete-sure", place, text(locale, "button.explore-delete-sure"), ButtonStyle.danger)
        keep = LINES.button("look", place, text(locale, "button.back"))
        said = f"{board.title(locale)}\n{plural(locale, 'explore.delete', count)}"
        await update(interaction, said, view=row(sure, keep), files=None)


@LINES.on("delete-sure")
async def delete(interaction: Interaction, place: Spot) -> None:
    """Delete the position and all that follows from it."""
    if (board := await Line.take_up(interaction, place)) and board.node:
        await hold(interaction)
        tree = await app(interaction).service.trees.delete(place.tree, interaction.user.id, board.node.number, now())
        back = board.before if len(board.at.line) > 1 else f"p{board.at.ply}"
        if back is None or (back[0] == "n" and int(back[1:]) not in tree.nodes):  # the root went with it
            back = f"p{board.match.ply if board.match else 0}"
        await show(interaction, await draw_up(interaction, board.then(tree, back)))


async def open_words(kind: str, interaction: Interaction, place: Spot) -> None:
    """Open the form for the "name" of the line that leads here, or for the "note" to the position."""
    if board := await Line.take_up(interaction, place):
        locale, most = reader(interaction), LONGEST_NAME if kind == "name" else LONGEST_NOTE
        style = discord.TextStyle.short if kind == "name" else discord.TextStyle.paragraph
        present = getattr(board.node, kind) if board.node else ""
        field: TextInput[Any] = TextInput(
            custom_id="words", style=style, default=present, max_length=most, required=False
        )
        title, hint = text(locale, f"explore.{kind}"), text(locale, f"explore.{kind}-hint", most=most)
        await open_form(interaction, LINES.form(f"{kind}d", board.place, title, title, hint, field))


for _kind in ("name", "note"):
    LINES.on(_kind)(partial(open_words, _kind))


@LINES.on("named")
async def take_name(interaction: Interaction, place: Spot) -> None:
    """Name the line."""
    await _describe(interaction, place, name=one_line(given(interaction), LONGEST_NAME) if given(interaction) else "")


@LINES.on("noted")
async def take_note(interaction: Interaction, place: Spot) -> None:
    """Note something to the position."""
    await _describe(interaction, place, note=given(interaction))


async def _describe(interaction: Interaction, place: Spot, **words: str) -> None:
    if board := await Line.take_up(interaction, place):
        await hold(interaction)
        trees, user = app(interaction).service.trees, interaction.user.id
        try:
            tree = await trees.describe(board.tree.id, user, board.below, now(), **words)
        except MatchError as error:
            await say_full(interaction, board, error)
            return
        await show(interaction, await draw_up(interaction, board.then(tree, place.at)))


@LINES.on("outline")
async def show_outline(interaction: Interaction, place: Spot) -> None:
    """Answer with the whole tree as text, and the way to the other trees."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    if board := await Line.take_up(interaction, place):
        locale = reader(interaction)
        said = outline(locale, board.tree) or text(locale, "explore.nothing")
        count = plural(locale, "explore.count", board.tree.size, most=MOST_POSITIONS, trees=MOST_TREES)
        others = await shelf(interaction, board.tree)
        fits = len(said) + len(count) + 10 <= LONGEST
        files = [] if fits else [attachment(said.encode(), f"lines-{board.tree.id}.txt")]
        shown = f"{count}\n```\n{said}\n```" if fits else count
        await answer(interaction, shown, files=files, view=row(*others) if others else None)


@LINES.on("plan")
async def plan(interaction: Interaction, place: Spot) -> None:
    """Ask whether the line, from where the game stands, is to be played by itself."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    if (board := await Line.take_up(interaction, place)) and board.match:
        await propose(interaction, board.match, " ".join(board.ahead))


async def _lined(interaction: Interaction, place: Spot) -> Line | None:
    """The board at the end of a line; where the game has come there since, it is shown as it is now."""
    board = await Line.take_up(interaction, place)
    if board is None or len(board.at.line) > 1:
        return board
    await stale(interaction, board)
    return None


@LINES.on("picture")
async def picture(interaction: Interaction, place: Spot) -> None:
    """Show the line on one board, its moves numbered, to whoever asks alone."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    if board := await _lined(interaction, place):
        file = await _drawn(interaction, board, reader(interaction), await Asker(interaction).preferences())
        await answer(interaction, f"`{line_text(board.at.line, 1000)}`", files=[file])


@LINES.on("film")
async def film(interaction: Interaction, place: Spot) -> None:
    """Show the line as a moving picture, to whoever asks alone."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    if board := await _lined(interaction, place):
        preferences = await Asker(interaction).preferences()
        moved = await _filmed(interaction, board, preferences.theme)
        await answer(interaction, f"`{line_text(board.at.line, 1000)}`", files=[moved])


async def share(interaction: Interaction, place: Spot, *, moving: bool) -> None:
    """Post the line for everybody: its last board, or all of it as a moving picture. Only once the game is over.

    Once: the button goes.
    """
    if board := await _lined(interaction, place):
        if board.match is None or board.match.phase is not Phase.OVER:
            raise MatchError(Problem.NOT_OVER, number=board.tree.match)
        if not may_share(interaction):
            await interaction.response.defer()
            return
        panel = await draw_up(interaction, replace(board, shared="share-film" if moving else "share"))
        await update(interaction, panel_text(panel), view=panel_items(panel), files=None)
        locale = server(interaction)
        said = text(
            locale,
            "explore.shared",
            player=plain(interaction.user.display_name),
            id=board.match.id,
            variant=variant_name(locale, board.game.variant),
            when=when(locale, board.at.ply - len(board.at.line[1:])),
            line=line_text(board.at.line, 1000),
        )
        if moving:
            file = await _filmed(interaction, board, "default")
        else:
            file = await _drawn(interaction, board, locale, Preferences())
        await interaction.followup.send(said, file=file, allowed_mentions=NO_MENTIONS)
        panel = replace(panel, remark=text(panel.locale, "explore.has-shared"))
        await update(interaction, panel_text(panel), view=panel_items(panel), files=None)


LINES.on("share")(partial(share, moving=False))
LINES.on("share-film")(partial(share, moving=True))


async def _drawn(interaction: Interaction, board: Line, locale: Language, preferences: Preferences) -> discord.File:
    """The line on one board."""
    games = await beside(interaction, _games, board, MOST_DRAWN)
    chain = tuple((before.position, after.moves[-1]) for before, after in pairwise(games))
    view = View(board.game.position, board.bottom, chain=chain, to_move=board.open)
    words = line_text(board.at.line, 1000)
    return await drawn(interaction, view, preferences, board.picture, f"{words}. {board.alt(locale)}")


async def _filmed(interaction: Interaction, board: Line, theme: str) -> discord.File:
    """The line as a moving picture."""
    games = await beside(interaction, _games, board, MOST_FILMED)
    plies = [Ply(game.moves[-1], game.position) for game in games[1:]]
    first = board.at.ply - len(plies) + 1
    replay = Replay(games[0].position, plies, board.bottom, first, THEMES[theme])
    gif = await in_turn(interaction, app(interaction).pictures.animate(replay))
    words = line_text(board.at.line, 1000)
    return attachment(gif, f"{board.picture}.gif", words[:1024])


def _games(board: Line, most: int) -> list[Game]:
    """The game before the last `most` moves of the line, and after each of them."""
    return [reach(board.tree, board.match, node.number, 0).game for node in board.at.line[-most - 1 :]]
