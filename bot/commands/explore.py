"""Explore: the private board on which somebody tries lines of a game or from a position; and their notes.

What is tried is a tree that nobody else ever sees, whatever they press: every act asks for the tree of whoever acts.
Only once the game is over may its owner post a line of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, NamedTuple, Self

from discord import SelectOption, app_commands
from discord.ext import commands

from bot.commands.app import app, beside, take_turn
from bot.commands.bench import draw_up, furnish, present, show, turn_page
from bot.commands.composer_panel import PAGE, Panel, menu, option
from bot.commands.options import seen_match, started, suggest_all_games, the_match
from bot.commands.purpose import Purpose
from bot.kit.components import (
    Action,
    Button,
    End,
    Family,
    Fresh,
    Menu,
    Path,
    Written,
    button,
    given,
    given_number,
    on,
    outdated,
    row,
)
from bot.kit.components import (
    Game as GameNumber,
)
from bot.kit.errors import sentence
from bot.kit.reply import Interaction, here, hold, now, reader, update
from bot.kit.slash import command
from bot.match.draft import Draft
from bot.match.match import Match, Phase
from bot.match.tree import Node, Reached, Tree, reach
from bot.people.problems import MatchError, Problem
from bot.service import Service
from bot.service.trees import Below
from bot.texts.i18n import Language, text
from bot.texts.sentences import (
    alt_text,
    colour,
    emblem,
    ending,
    move_sentence,
    one_line,
    side,
    sides,
    variant_called,
    variant_name,
    when,
)
from bot.texts.trees import line_text, named
from rules import VARIANTS, Game, Move, Position, format_move, format_position, parse_position
from rules.game import settle

AT = r"[pn]\d{1,6}"


class Spot(NamedTuple):
    """Where in which tree somebody is."""

    tree: GameNumber
    at: Annotated[str, Written(AT)]
    """The position of the game after so many moves ("p17"), or a node of the tree ("n5")."""
    end: End = None
    path: Path = ""
    fresh: Fresh = ""


LINES = Family("rt-line", Spot)


@dataclass(frozen=True)
class Line(Purpose):
    """A tree at one of its positions."""

    buttons = menus = LINES
    forms = LINES, "typed"
    last = "explore-try"
    at_once = True

    place: Spot
    tree: Tree
    match: Match | None
    at: Reached
    shared: str = ""
    """The button by which it has just been posted, and which is gone."""

    @classmethod
    def of(cls, tree: Tree, match: Match | None, at: str) -> Self:
        """The board at that position. Raises NO_SUCH_TREE where it is gone."""
        number = int(at[1:])
        try:
            reached = reach(tree, match, *((number, 0) if at[0] == "n" else (None, number)))
        except KeyError:
            raise MatchError(Problem.NO_SUCH_TREE) from None
        return cls(Spot(tree.id, _at(reached)), tree, match, reached)

    def then(self, tree: Tree, at: str) -> Self:
        """The board at another position, of the tree as it is by now."""
        return self.of(tree, self.match, at)

    @classmethod
    async def take_up(cls, interaction: Interaction, place: Spot) -> Self | None:
        tree = await app(interaction).service.trees.load(place.tree, interaction.user.id)
        match = None if tree.match is None else await seen_match(interaction, tree.match)
        return await beside(interaction, cls.of, tree, match, place.at)

    @property
    def game(self) -> Game:
        return self.at.game

    @property
    def page(self) -> str:
        return self.tree.page

    @property
    def bottom(self) -> int:
        seat = self.match.seat_of(self.tree.user) if self.match else None
        return self.game.variant.start.turn if seat is None else seat

    @property
    def came(self) -> tuple[Position, Move] | None:
        move = self.at.move
        return (self.at.before.position, move) if self.at.before and move else None

    @property
    def node(self) -> Node | None:
        """The node of this position; None of a position of the game from which nothing has been tried."""
        return self.at.line[-1] if self.at.line else None

    @property
    def below(self) -> Below:
        """What a move tried from here is added to, and words are noted to."""
        return self.node.number if self.node else (self.at.ply, format_position(self.game.position))

    @property
    def before(self) -> str | None:
        """Where one move back is."""
        if len(self.at.line) > 1:
            return _at(self.at._replace(line=self.at.line[:-1], ply=self.at.ply - 1))
        return f"p{self.at.ply - 1}" if self.at.ply and not self.at.astray and self.match else None

    @property
    def next(self) -> list[tuple[str, str]]:
        """Where what the game did leads, and what has been tried from here: positions, each with the move."""
        found = dict[str, str]()
        if self.match and len(self.at.line) < 2 and not self.at.astray and self.at.ply < self.match.ply:
            made = self.match.started_game.moves[self.at.ply]
            found[format_move(made, self.game.variant.board)] = f"p{self.at.ply + 1}"
        for node in self.tree.below.get(self.node.number, ()) if self.node else ():
            found.setdefault(node.move, f"n{node.number}")
        return [(at, move) for move, at in found.items()]

    @property
    def ahead(self) -> tuple[str, ...]:
        """The moves of the line that begin where the game stands: what a player can plan."""
        if self.match is None or not self.match.is_live or self.tree.user not in self.match.still_in or self.at.astray:
            return ()
        line, variant = self.at.line, self.game.variant
        moves, first = [node.move for node in line[1:]], line[0].ply or 0 if line else 0
        made = [format_move(move, variant.board) for move in self.match.started_game.moves[first:]]
        return tuple(moves[len(made) :]) if moves[: len(made)] == made else ()

    @property
    def picture(self) -> str:
        return f"explored-{self.tree.id}-{self.place.at}"

    def title(self, locale: Language) -> str:
        name, moment = variant_name(locale, self.game.variant), when(locale, self.at.ply)
        if self.match:
            lines = [text(locale, "explore.game", variant=name, id=self.match.id, when=moment)]
        else:
            lines = [text(locale, "explore.position", variant=name, when=moment)]
        if self.at.astray:
            lines.append(text(locale, "explore.astray"))
        if tried := line_text(self.at.line, 300):
            lines.append(f"`{tried}`")
        if self.node and (self.node.name or self.node.note):
            lines.append(named(self.node))
        lines += [text(locale, "turn.passed", **side(locale, self.game.variant, seat)) for seat in self._passed()]
        turn, variant = self.game.position.turn, self.game.variant
        if self.game.outcome is None:
            to_move = text(locale, "alt.to-move", colour=colour(locale, variant, turn))
            lines.append(f"{emblem(variant, turn)} {to_move}")
        else:
            lines.append(ending(locale, self.game))
        return "\n".join(lines)

    def _passed(self) -> tuple[int, ...]:
        """Whose turn passed right after the last move."""
        return settle(self.at.before.position.after(self.at.move))[2] if self.at.before and self.at.move else ()

    def alt(self, locale: Language) -> str:
        position, over = self.game.position, self.game.outcome is not None
        if self.match:
            before, move = self.came or (None, None)
            return alt_text(locale, self.match.id, self.at.ply, position, over=over, before=before, move=move)
        variant = position.variant
        turn = text(locale, "alt.over" if over else "alt.to-move", colour=colour(locale, variant, position.turn))
        moved = [move_sentence(locale, *self.came)] if self.came else []
        return " ".join([f"{variant_name(locale, variant)}.", *moved, turn, *sides(locale, position)])

    def items(self, panel: Panel) -> Iterator[Button | Menu]:
        if panel.turn is not None:  # the menus of the move need the room
            return
        if options := [*islice(self._ways(panel.locale), 200)]:
            yield menu(panel, "go", options)
        first = self.at.line[0].number if len(self.at.line) > 1 else None
        start = _at(self.at._replace(line=self.at.line[:1], ply=self.at.line[0].ply or 0)) if first else "p0"
        ways = ("start", start if start != self.place.at else None), ("earlier", self.before)
        for name, at in (*ways, ("later", self.next[0][0] if self.next else None)):
            way = self._button(panel, name, at or self.place.at)
            way.disabled = at is None
            yield way
        for name in ("note", "name", "outline"):
            yield self._button(panel, name)
        if len(self.at.line) > 1:
            yield self._button(panel, "picture")
            yield self._button(panel, "film")
        if self.ahead:
            yield self._button(panel, "plan")
        if self.node:
            yield self._button(panel, "delete")
        if self.match:
            if self.match.phase is Phase.OVER and len(self.at.line) > 1:
                yield from (self._button(panel, name) for name in ("share", "share-film") if name != self.shared)
            yield button(panel.locale, "notes", match=self.match.id)

    def _button(self, panel: Panel, name: str, at: str | None = None) -> Button:
        place = self.place._replace(at=at or self.place.at)
        return LINES.button(name, place, text(panel.locale, f"button.explore-{name}"))

    def _ways(self, locale: Language) -> Iterator[SelectOption]:
        """Where one can go at once: on from here, along the game, and to lines elsewhere."""
        seen = {self.place.at}
        for at, move in self.next:
            seen.add(at)
            node = self.tree.nodes.get(int(at[1:])) if at[0] == "n" else None
            words = one_line(_words(node)) if node else text(locale, "explore.the-game")
            yield option(f"{self.at.ply + 1}. {move}", at, words)
        for node in self.tree.nodes.values():
            at = f"n{node.number}"
            if at not in seen and (node.name or not self.tree.below.get(node.number)):
                seen.add(at)
                label = line_text(self.tree.line(node.number), 60)
                yield option(label or when(locale, node.ply or 0), at, one_line(_words(node)))
        if self.match and f"p{self.match.ply}" not in seen:
            yield option(text(locale, "explore.now", when=when(locale, self.match.ply)), f"p{self.match.ply}")

    async def finish(self, interaction: Interaction, draft: Draft, *, sure: bool) -> None:
        """Try the move: it stands in the tree, and the board goes on from it."""
        assert draft.turn is not None
        move, trees = format_move(draft.turn.move, self.game.variant.board), app(interaction).service.trees
        known = next((at for at, there in self.next if at[0] == "p" and there == move), None)
        if known:  # what the game did need not be tried
            await show(interaction, await draw_up(interaction, self.then(self.tree, known)))
            return
        await hold(interaction)
        try:
            tree, node = await trees.add(self.tree.id, self.tree.user, self.below, move, now())
        except MatchError as error:
            await say_full(interaction, self, error)
            return
        await show(interaction, await draw_up(interaction, self.then(tree, f"n{node.number}")))

    async def keep(self, service: Service, code: str) -> None:
        await service.trees.keep_draft(self.tree.id, self.tree.user, code, now())

    async def kept(self, service: Service) -> str:
        return (await service.trees.load(self.tree.id, self.tree.user)).draft


furnish(Line, "sure")


class ExploreCommands(commands.Cog):
    """The board to try things on."""

    @command("game explore")
    @app_commands.autocomplete(game=suggest_all_games)
    async def explore(
        self,
        interaction: Interaction,
        game: str | None = None,
        after: app_commands.Range[int, 0, 100_000] | None = None,
        position: str | None = None,
    ) -> None:
        """Open it at a position of a game, or at one that is typed: in one line, or the start of a variant."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        await take_turn(interaction)
        if position is None:
            await open_at(interaction, await the_match(interaction, game, "any"), after)
            return
        variant = VARIANTS.get(position.strip().lower())
        start = format_position(variant.start if variant else parse_position(position))
        tree = await app(interaction).service.trees.open(interaction.user.id, None, start, now())
        await present(interaction, await draw_up(interaction, Line.of(tree, None, "p0")))


async def open_at(interaction: Interaction, match: Match, ply: int | None = None) -> None:
    """Open the board at the position after that many moves of the match; without, as it stands."""
    started(match)
    tree = await app(interaction).service.trees.open(interaction.user.id, match.id, "", now())
    board = await beside(interaction, Line.of, tree, match, f"p{match.ply if ply is None else ply}")
    await present(interaction, await draw_up(interaction, board))


@on("explore")
async def open_here(interaction: Interaction, action: Action) -> None:
    """Open the board from below another, at the position that is shown there."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    await open_at(interaction, await seen_match(interaction, action.match), action.number)


@LINES.on("start")
@LINES.on("earlier")
@LINES.on("later")
async def go(interaction: Interaction, place: Spot) -> None:
    """Go where the button leads."""
    if board := await Line.take_up(interaction, place):
        await show(interaction, await draw_up(interaction, board))


@LINES.on("go")
async def go_to(interaction: Interaction, place: Spot) -> None:
    """Go to the position that is chosen from the menu."""
    value = given(interaction)
    if value.startswith(PAGE):
        await turn_page(Line, interaction, place, "go", value)
    elif re.fullmatch(AT, value):
        await go(interaction, place._replace(at=value))
    else:
        raise outdated()


async def say_full(interaction: Interaction, board: Line, error: MatchError) -> None:
    """Say that there is no room: in the tree, or for another one, with the menu of those that there are."""
    said = sentence(reader(interaction), error) or ""
    if error.problem is Problem.TOO_MANY_TREES:
        await update(interaction, said, view=row(*await shelf(interaction, board.tree)))
    elif error.problem is Problem.TREE_FULL:
        await show(interaction, await draw_up(interaction, board, remark=said))
    else:
        raise error


async def shelf(interaction: Interaction, tree: Tree) -> list[Menu]:
    """The menu of the person's other trees that can be opened here; nothing where there are none."""
    locale, found = reader(interaction), await app(interaction).service.trees.others(tree, here(interaction) or 0)
    options = [
        option(
            text(locale, "explore.tree", id=one.match)
            if one.match
            else text(locale, "explore.of-position", variant=variant_called(locale, one.start.partition(" ")[0])),
            str(one.id),
            one.start,
        )
        for one in found[:25]
    ]
    return [LINES.menu("tree", Spot(tree.id, "p0"), options, text(locale, "explore.menu.tree"))] if options else []


@LINES.on("tree")
async def go_to_tree(interaction: Interaction, place: Spot) -> None:
    """Go to another tree: where its game stands, or to its position."""
    tree = await app(interaction).service.trees.load(given_number(interaction), interaction.user.id)
    match = None if tree.match is None else await seen_match(interaction, tree.match)
    board = await beside(interaction, Line.of, tree, match, f"p{match.ply if match else 0}")
    await show(interaction, await draw_up(interaction, board))


def _at(reached: Reached) -> str:
    """How a button says where that is."""
    line = reached.line
    return f"n{line[-1].number}" if len(line) > 1 or reached.astray else f"p{reached.ply}"


def _words(node: Node) -> str:
    return " · ".join(word for word in (node.name, node.note) if word)
