"""The private board on which a person tries lines of a game or from a position.

The lines form a tree that nobody else ever sees: every handler loads the tree of the person who pressed. The owner may
post a line of it only after the game is over.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, NamedTuple, Self

from discord import SelectOption

from bot.core.draft import Draft
from bot.core.match import Match, Phase
from bot.core.problems import MatchError, Problem
from bot.discordkit.components import (
    Button,
    Family,
    FieldFormat,
    Menu,
    NonceField,
    make_option,
    outdated_error,
    submitted_value,
)
from bot.discordkit.paging import page_chosen
from bot.discordkit.reply import Interaction, acknowledge_press, reader_language
from bot.explore.openings import Openings, follow_move_numbers, format_move_number, look_up_openings, opening_lines
from bot.explore.service import add_move, tree_of_key
from bot.explore.tree import (
    Node,
    ReachedPosition,
    Tree,
    line_text,
    note_line,
    reach_node,
    reach_ply,
    root_phrase,
    turns_of_nodes,
)
from bot.play.caller import Caller, caller_of, run_heavy_in_steps
from bot.play.composer.handlers import register_handlers
from bot.play.composer.panel import BoardPanel, Look, PanelContent, panel_menu, update_panel
from bot.play.context import MAX_CELLS_CARRIED, EndField, PathField, UseOfLine, declared
from bot.play.options import find_visible_match
from bot.texts.i18n import Language, text
from bot.texts.sentences import (
    ending_sentence,
    game_alt_text,
    moment_phrase,
    move_sentence,
    seat_emblem,
    side_values,
    sides_texts,
    turn_names,
    turn_sentence,
    variant_name,
)
from rules import Game, Move, Position, Seat, format_move
from rules.game import resolve_passes

MAX_MOVES_LOOKED = 22
"""The moves of openings that fit into a custom id."""
POSITION_PATTERN = rf"[pn]\d{{1,6}}(?:~(?:[0-9A-Za-z]{{2}}){{1,{MAX_MOVES_LOOKED}}})?"


class ExploreState(NamedTuple):
    """A position in a tree."""

    tree: Annotated[str, FieldFormat(r"m?\d{1,15}|[a-z][a-z0-9-]{1,19}")]
    """See `Tree.key`."""
    at: Annotated[str, FieldFormat(POSITION_PATTERN)]
    """A position of the game after so many moves ("p17"), or a node of the tree ("n5"); and moves from there that are
    only looked at, as `format_move_number` writes them ("p17~0a1b")."""
    end: EndField = None
    path: PathField = ""
    fresh: NonceField = ""
    every: Annotated[bool, FieldFormat("e", bool, lambda every: "e", later=True)] = False
    """Whether all games count in openings, not only people's."""
    page: Annotated[int, FieldFormat(r"P\d{1,3}", lambda code: int(code[1:]), lambda page: f"P{page}", later=True)] = 0
    """The page of the games with the position."""


EXPLORE_FAMILY = Family("rt-line", ExploreState)


@dataclass(frozen=True)
class ExplorePanel(BoardPanel[ExploreState]):
    """A tree at one of its positions."""

    buttons = menus = EXPLORE_FAMILY
    forms = EXPLORE_FAMILY, "typed"
    commit_label = "explore-try"
    finishes_at_once = True
    moves_for_all = True

    cursor: ExploreState
    tree: Tree
    match: Match | None
    at: ReachedPosition
    has_tools: ClassVar[bool] = False
    """True if the panel has the tools for the whole tree instead of the choices of a move."""
    is_shared: bool = False
    """True if the line has just been posted; the button is then left out."""
    openings: Openings | None = None
    lines_below: Sequence[str] = ()

    @classmethod
    async def from_state(cls, interaction: Interaction, cursor: ExploreState) -> Self:
        caller = caller_of(interaction)
        tree = await tree_of_key(caller.service.reader, caller.user, cursor.tree)
        match = None if tree.match is None else await find_visible_match(interaction, tree.match)
        return await run_heavy_in_steps(interaction, cls.in_tree(tree, match, cursor.at, every=cursor.every))

    @classmethod
    def in_tree(cls, tree: Tree, match: Match | None, at: str, *, every: bool = False) -> Generator[None, None, Self]:
        """Returns, in steps, the board at that position; if empty, at the game's current one, or at the start of a tree
        without a game. Raises NO_SUCH_TREE if the position no longer exists."""
        base, tilde, looked = (at or f"p{match.ply if match else 0}").partition("~")
        number = int(base[1:])
        try:
            reached = reach_node(tree, match, number) if base[0] == "n" else reach_ply(tree, match, number)
            games_looked = yield from follow_move_numbers(reached.game, looked)
        except KeyError:
            raise MatchError(Problem.NO_SUCH_TREE) from None
        cursor = ExploreState(tree.key, f"{_position_code(reached)}{tilde}{looked}", every=every)
        for game in games_looked:
            reached = reached.look_on(game)
        return cls(cursor, tree, match, reached)

    async def go_to(self, interaction: Interaction, tree: Tree, at: str) -> None:
        """Replaces the panel with the board at that position of the tree as it now is; at the game's current position
        if that one is gone."""
        cursor = self.cursor._replace(tree=tree.key, at=at)
        try:
            board = await self.from_state(interaction, cursor)
        except MatchError:
            board = await self.from_state(interaction, cursor._replace(at=""))
        await update_panel(interaction, board)

    async def look_up(self, interaction: Interaction) -> Self:
        openings = await look_up_openings(interaction, self.game, self.at.ply, every=self.cursor.every)
        if openings is None or not (openings.moves or self.has_tools):
            return self
        locale, position = reader_language(interaction), self.game.position
        lines = opening_lines(locale, position, openings, every=self.cursor.every)
        return replace(self, openings=openings, lines_below=lines)

    @property
    def game(self) -> Game:
        return self.at.game

    @property
    def note(self) -> str:
        return self.current_node.note

    @property
    def offers_moves(self) -> bool:
        return self.is_open and not self.has_tools

    @property
    def reader(self) -> Seat | None:
        return self.match.seat_of(self.tree.user) if self.match else None

    @property
    def previous_moves(self) -> Sequence[tuple[Position, Move]]:
        return [(self.at.games[-2].position, self.game.moves[-1])] if len(self.at.games) > 1 else ()

    @property
    def current_node(self) -> Node:
        """The node of this position."""
        return self.at.line[-1]

    async def store_line(self, caller: Caller, *moves: str) -> tuple[Tree, Node]:
        """Stores the moves that lead here, as far as they were only looked at, and those moves after them. Returns the
        tree and the last node. Raises what `add_move` raises."""
        tree, last = self.tree, max(self.at.line, key=lambda node: node.number)  # the last stored one, or the root
        looked = (node.move for node in self.at.line[1:] if not node.number)
        for move in (*looked, *moves):
            tree, last = await add_move(caller.service, caller.person, tree, last, move)
        return tree, last

    @property
    def cells_carried(self) -> int:
        return MAX_CELLS_CARRIED - len(self.cursor.at.partition("~")[2]) // 2

    @property
    def before(self) -> str | None:
        """The position one move back; None at the start."""
        if "~" in self.cursor.at:
            return self.cursor.at[:-2].removesuffix("~")
        if len(self.at.line) > 1:
            return _position_code(self.at._replace(line=self.at.line[:-1], ply=self.at.ply - 1))
        return f"p{self.at.ply - 1}" if self.at.ply and not self.at.is_detached and self.match else None

    @property
    def next_positions(self) -> list[tuple[str, str]]:
        """The positions that follow, in the game and in the tree, each with its move."""
        positions_by_move = dict[str, str]()
        if self.match and len(self.at.line) < 2 and not self.at.is_detached and self.at.ply < self.match.ply:
            move_made = self.match.started_game.moves[self.at.ply]
            positions_by_move[format_move(move_made, self.game.variant.board)] = f"p{self.at.ply + 1}"
        for node in self.tree.nodes_by_parent.get(self.current_node.number, ()):
            positions_by_move.setdefault(node.move, f"n{node.number}")
        return [(at, move) for move, at in positions_by_move.items()]

    @property
    def line_ahead(self) -> tuple[str, ...]:
        """The moves of the line after the game's current position."""
        if self.match is None or self.at.is_detached:
            return ()
        line, variant = self.at.line, self.game.variant
        moves, first = [node.move for node in line[1:]], line[0].ply or 0
        moves_played = [format_move(move, variant.board) for move in self.match.started_game.moves[first:]]
        return tuple(moves[len(moves_played) :]) if moves[: len(moves_played)] == moves_played else ()

    @property
    def picture_name(self) -> str:
        return f"explored-{self.tree.key}-{self.cursor.at}"

    def title(self, locale: Language) -> str:
        name, moment = variant_name(locale, self.game.variant), moment_phrase(locale, self.game)
        key, number = ("explore.game", self.match.id) if self.match else ("explore.position", 0)
        lines = [text(locale, key, variant=name, id=number, when=moment)]
        lines.append(text(locale, "explore.tools" if self.has_tools else "explore.unplayed"))
        if self.at.is_detached:
            lines.append(text(locale, "explore.astray"))
        if line_so_far := self.at.line_text(300):
            lines.append(f"`{line_so_far}`")
        turn, variant = self.game.position.turn, self.game.variant
        for before, move in self.previous_moves:
            seats_passed = resolve_passes(before.after_move(move))[2]
            lines += [text(locale, "turn.passed", **side_values(locale, variant, seat)) for seat in seats_passed]
        if self.game.outcome is None:
            lines.append(f"{seat_emblem(variant, turn)} {turn_sentence(locale, self.game.position, None)}")
        else:
            lines.append(ending_sentence(locale, self.game))
        return "\n".join(lines)

    def board_words(self, locale: Language) -> str:
        if self.match:
            return game_alt_text(locale, self.match.id, self.game, *self.last_move)
        position, moves = self.game.position, [move_sentence(locale, *made) for made in self.previous_moves]
        turn = turn_sentence(locale, position, self.game.outcome and self.game.outcome.winners)
        return " ".join([f"{variant_name(locale, position.variant)}.", *moves, turn, *sides_texts(locale, position)])

    def own_items(self, panel: PanelContent) -> Iterator[Button | Menu]:
        if panel.turn is not None:  # the choices of the move need the room
            return
        if options := self._destination_options(panel.locale):
            yield panel_menu(panel, "go", options)
        if not self.offers_moves:
            yield from self._tool_items(panel)
            return
        yield from self._step_buttons(panel)
        yield from self._plan_buttons(panel)
        yield self._cursor_button(panel, "tools")

    def _tool_items(self, panel: PanelContent) -> Iterator[Button | Menu]:
        """Yields what is done with the whole tree, or with the line that leads here."""
        first = self.at.line[0].number if len(self.at.line) > 1 else None
        start = _position_code(self.at._replace(line=self.at.line[:1], ply=self.at.line[0].ply or 0)) if first else "p0"
        yield self._step_button(panel, "start", start if start != self.cursor.at else None)
        yield from self._step_buttons(panel)
        for name in ("note", "outline"):
            yield self._cursor_button(panel, name)
        yield from self._plan_buttons(panel)
        if self.current_node.number:
            yield self._cursor_button(panel, "delete")
        if self.match and self.match.phase is Phase.OVER and len(self.at.line) > 1 and not self.is_shared:
            yield self._cursor_button(panel, "share")
        if self.openings and not self.openings.closed:
            yield self._cursor_button(panel, "games")
            other, name = self.cursor._replace(every=not self.cursor.every), "people" if self.cursor.every else "all"
            yield EXPLORE_FAMILY.make_button("count", other, text(panel.locale, f"button.explore-{name}"))
        if self.can_begin:
            yield self._cursor_button(panel, "play")
        if self.is_open:
            yield EXPLORE_FAMILY.make_button("look", self.cursor, text(panel.locale, "button.explore-moves"))

    @property
    def can_begin(self) -> bool:
        """True if a game can begin from this position: it is not over, and nobody has left."""
        return self.is_open and not (self.game.position.skipped_seats or self.game.position.stewards)

    def _plan_buttons(self, panel: PanelContent) -> Iterator[Button]:
        for use in declared(panel.features, UseOfLine):
            if self.match and use.is_possible(self.match, self.tree.user, " ".join(self.line_ahead)):
                yield self._cursor_button(panel, "plan")

    def _step_buttons(self, panel: PanelContent) -> Iterator[Button]:
        yield self._step_button(panel, "earlier", self.before)
        yield self._step_button(panel, "later", self.next_positions[0][0] if self.next_positions else None)

    def _step_button(self, panel: PanelContent, name: str, at: str | None) -> Button:
        """Returns the button that goes to that position; disabled if there is none."""
        button = self._cursor_button(panel, name, at or self.cursor.at)
        button.disabled = at is None
        return button

    def _cursor_button(self, panel: PanelContent, name: str, at: str | None = None) -> Button:
        cursor = self.cursor._replace(at=at or self.cursor.at)
        return EXPLORE_FAMILY.make_button(name, cursor, text(panel.locale, f"button.explore-{name}"))

    def _destination_options(self, locale: Language) -> list[SelectOption]:
        """Returns the positions to jump to: those of openings, and among the tools also those that follow here, those
        along the game, and lines elsewhere."""
        found = {at: (label, "") for at, label in self._opening_options()}
        if not self.offers_moves:
            for at, move in self.next_positions:
                node = self.tree.nodes.get(int(at[1:])) if at[0] == "n" else None
                words = note_line(node) if node else text(locale, "explore.the-game")
                found.setdefault(at, (f"{turn_names(locale, self.game)[-1]}: {move}", words))
            turns = turns_of_nodes(self.tree, self.match)
            for node in self.tree.nodes.values():
                if node.note or not self.tree.nodes_by_parent.get(node.number):
                    moves = self.tree.line_to(node.number)[1:]
                    label = line_text(moves, [turns[move.number] for move in moves], 60)
                    label = label or root_phrase(locale, self.match, node)
                    found.setdefault(f"n{node.number}", (label, note_line(node)))
            if self.match:
                now_text = text(locale, "explore.now", when=moment_phrase(locale, self.match.started_game))
                found.setdefault(f"p{self.match.ply}", (now_text, ""))
        return [make_option(label, at, words) for at, (label, words) in found.items() if at != self.cursor.at]

    def _opening_options(self) -> Iterator[tuple[str, str]]:
        """Yields the positions to which the moves of openings lead, each with its label."""
        known = {move: at for at, move in self.next_positions}
        base, _, looked = self.cursor.at.partition("~")
        for number, (_, (move, move_number)) in enumerate(self.openings.moves if self.openings else (), 1):
            notation, digits = format_move(move, self.game.variant.board), format_move_number(move_number)
            at = known.get(notation) or f"{base}~{looked}{digits}"
            if digits and len(looked) < 2 * MAX_MOVES_LOOKED:
                yield at, f"{number}. {notation}"

    async def finish(self, interaction: Interaction, draft: Draft, *, sure: bool) -> None:
        """Adds the move to the tree and continues from its position."""
        assert draft.turn is not None
        move = format_move(draft.turn.move, self.game.variant.board)
        played_at = next((at for at, played_move in self.next_positions if at[0] == "p" and played_move == move), None)
        if played_at:  # a move of the game itself is not added to the tree
            await self.go_to(interaction, self.tree, played_at)
            return
        await acknowledge_press(interaction)
        tree, node = await self.store_line(caller_of(interaction), move)
        await self.go_to(interaction, tree, f"n{node.number}")


@dataclass(frozen=True)
class ExploreToolsPanel(ExplorePanel):
    """The board of Explore, with its tools below."""

    has_tools = True


@EXPLORE_FAMILY.register_handler("start")
@EXPLORE_FAMILY.register_handler("earlier")
@EXPLORE_FAMILY.register_handler("later")
async def go_to_cursor(interaction: Interaction, cursor: ExploreState) -> None:
    """Goes to the button's position."""
    await update_panel(interaction, await ExplorePanel.from_state(interaction, cursor))


@EXPLORE_FAMILY.register_handler("tools")
@EXPLORE_FAMILY.register_handler("count")
async def show_tools(interaction: Interaction, cursor: ExploreState) -> None:
    """Shows the tools instead of the choices of a move, or lets other games count in openings."""
    await update_panel(interaction, await ExploreToolsPanel.from_state(interaction, cursor))


@EXPLORE_FAMILY.register_handler("go")
async def go_to_chosen(interaction: Interaction, cursor: ExploreState) -> None:
    """Goes to the position chosen in the menu, or turns the menu's page."""
    value = submitted_value(interaction)
    if (page := page_chosen(value)) is not None:
        board = await ExploreToolsPanel.from_state(interaction, cursor)
        await update_panel(interaction, board, Look(pages={"go": page}))
    elif re.fullmatch(POSITION_PATTERN, value):
        await go_to_cursor(interaction, cursor._replace(at=value))
    else:
        raise outdated_error()


def _position_code(reached: ReachedPosition) -> str:
    """Returns the code of a position, as buttons carry it."""
    line = reached.line
    return f"n{line[-1].number}" if len(line) > 1 or reached.is_detached else f"p{reached.ply}"


register_handlers(ExplorePanel, "sure")
