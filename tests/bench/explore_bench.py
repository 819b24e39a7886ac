"""The cost of Explore: its board with a full tree of a long game, from the press to the picture."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from bot.core.draft import list_move_choices
from bot.core.events import Seating
from bot.core.match import Match
from bot.core.settings import Preferences
from bot.explore.panel import ExplorePanel
from bot.explore.service import Trees
from bot.explore.tree import MAX_TREE_POSITIONS, Tree
from bot.features import make_service
from bot.play.composer.choices import panel_items
from bot.play.composer.panel import panel_alt_text, panel_text, panel_view
from bot.play.composer.purpose import PanelContent
from bot.play.service import Service
from bot.store import Store
from render import render_png, run_steps, warm_caches
from rules import VARIANTS, Game, format_move, format_position, legal_moves
from tests.bench import Figure
from tests.bot.playing import ADA, BO, CHANNEL, CY, GUILD, NOW, play_typed, unshuffled

PLIES = 40
"""Moves of the game."""
BRANCHES = 4
"""Moves tried at each position of the shown line."""
ROUNDS = 15


def figures() -> Iterator[Figure]:
    """Yields the time to open the board at the end of a line after a start, and for each later board; for two and
    three seats."""
    for key in ("camelot", "tri-camelot"):
        with TemporaryDirectory(prefix="bench", dir=Path.cwd()) as name:
            yield from asyncio.run(_measured(Path(name), key))


async def _measured(folder: Path, key: str) -> list[Figure]:
    run_steps(warm_caches(VARIANTS[key], 0))
    async with Store.open(folder / "explore.db") as store:
        service = make_service(store, unshuffled)
        match = await _played(service, key)
        tree, at = await _grown(service, match)
        opened = [await _shown(make_service(store, unshuffled), match, tree, at) for _ in range(ROUNDS)]
        redrawn = [await _shown(service, match, tree, at) for _ in range(ROUNDS)]
    detail = f"{opened[0] * 1000:.0f} ms at first"
    return [
        Figure(f"{key}: Explore, {tree.position_count} positions opened, ms", median(opened) * 1000, 60, detail),
        Figure(f"{key}: Explore, redraw, ms", median(redrawn) * 1000, 40, f"at most {max(redrawn) * 1000:.0f} ms"),
    ]


async def _shown(service: Service, match: Match, tree: Tree, at: str) -> float:
    """Returns the seconds from a press to the answer: reading the tree, judging its line, words, menus and picture."""
    begun = perf_counter()
    match = await service.current_match(match.id, GUILD)
    board = ExplorePanel.at_position(await service.part(Trees).load_tree(tree.id, ADA), match, at)
    panel = PanelContent("en", board, board.place, list_move_choices(board.game, (), castles=False), Preferences())
    assert panel_text(panel) + panel_alt_text(panel)
    panel_items(panel).to_components()
    render_png(panel_view(panel))
    return perf_counter() - begun


async def _played(service: Service, key: str) -> Match:
    """Returns a game of forty moves."""
    table = await service.open_table(GUILD, CHANNEL, ADA, key, (), Seating.JOIN_ORDER, False, NOW)
    for user in (BO, CY)[: len(table.variant.seats) - 1]:
        table = await service.join_table(table.id, GUILD, user, NOW)
    match = table
    for ply in range(PLIES):
        move, user = _choices(match.started_game)[0], match.to_move
        assert user is not None
        match = await service.act_on_match(
            match.id,
            GUILD,
            lambda match, people, user=user, move=move, ply=ply: play_typed(  # type: ignore[misc]  # a decision
                match, user, move, NOW + ply, people=people
            ),
        )
    return match


async def _grown(service: Service, match: Match) -> tuple[Tree, str]:
    """Adds a full tree at the game's present position; returns the end of its longest line."""
    game, tree = match.started_game, await service.part(Trees).open_tree(ADA, match.id, "", NOW)
    below: int | tuple[int, str] = (match.ply, format_position(game.position))
    while tree.position_count < MAX_TREE_POSITIONS:
        *others, main = reversed(_choices(game)[: min(BRANCHES, MAX_TREE_POSITIONS - tree.position_count)])
        for move in others:
            await service.part(Trees).add_move(tree.id, ADA, below, move, NOW)
        tree, node = await service.part(Trees).add_move(tree.id, ADA, below, main, NOW)
        below, game = node.number, game.play(main)
    return tree, f"n{below}"


def _choices(game: Game) -> list[str]:
    """Returns moves after which the game continues."""
    moves = (format_move(move, game.variant.board) for move in legal_moves(game.position))
    return [move for move in moves if game.play(move).outcome is None]
