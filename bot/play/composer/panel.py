"""The one private board on which people put moves together, leg by leg or by destination, for any purpose: its words,
its picture, and its buttons and menus. Choices of a move are buttons where they fit, and menus beyond that.

It has a position, a cursor (the landings so far), a person who may move, and a last button. A purpose, such as the
player's turn (`move_panel`), a line to try (`explore`) or a lesson (`learn`), is a frozen dataclass that defines these:

    @dataclass(frozen=True)
    class PuzzlePanel(BoardPanel):
        buttons = menus = FAMILY        its components; their state has the fields `end`, `path` and `fresh`
        forms = FAMILY, "typed"
        place: PuzzleState
        game                            a property: the position
        async def from_state(…)         the board for a component's state, or None after answering otherwise
        async def finish(…)             the act of the last button, then `update_panel`
        def title(…), board_words(…), picture_name   its words
        def own_items(…)                its own buttons, each with a handler of its name in FAMILY
    register_handlers(PuzzlePanel, "end", "way", …)    handlers for all components but the ones named here

`await answer_with_panel(interaction, board)` opens the panel.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, Self, TypeVar

import discord
from discord import ButtonStyle, SelectOption, ui

from bot.core.draft import Draft, MoveChoices, format_path, list_move_choices
from bot.core.settings import UserSettings
from bot.discordkit.components import Button, Family, Menu, make_option, menu_nonce
from bot.discordkit.errors import Declined
from bot.discordkit.paging import options_on_page
from bot.discordkit.reply import MAX_MESSAGE_LENGTH, Interaction, has_room, make_view, send_answer, update_message
from bot.play.board import draw_picture, written_board
from bot.play.caller import caller_of, run_heavy
from bot.play.context import MAX_CELLS_CARRIED, Feature
from bot.play.why import marks_text
from bot.texts.i18n import Language, join_list, text
from bot.texts.markup import cut_plain, cut_text
from bot.texts.sentences import attack_sentence, duty_sentence, grown_alt_text, move_sentence
from render import Mark, View, reading_places
from rules import Game, Move, PieceKind, Position, Seat, Turn, format_move
from rules.board import Cell, Leg, LegKind


class Cursor(Protocol):
    """The state that a panel's components carry, as `ComposerState`: what finds the board again, and the cursor."""

    @property
    def end(self) -> Cell | None: ...
    @property
    def path(self) -> str: ...
    @property
    def fresh(self) -> str: ...
    def _replace(self, *, end: Cell | None = ..., path: str = ..., fresh: str = ...) -> Self: ...


CursorT = TypeVar("CursorT", bound=Cursor)


class BoardPanel(ABC, Generic[CursorT]):
    """A person's board and its purpose: a position, who may move, and the act of the last button.

    Subclasses are frozen dataclasses. Every button carries `place`: what the purpose needs to find its board again, and
    the cursor in the fields `end`, `path` and `fresh`, as in `ComposerState`.
    """

    buttons: ClassVar[Family[Any]]
    menus: ClassVar[Family[Any]]
    forms: ClassVar[tuple[Family[Any], str]]
    """The form for notation: its family, and its name in the family."""
    commit_label: ClassVar[str] = "commit"
    """The key of the last button's label."""
    finishes_at_once: ClassVar[bool] = False
    """True if a move that cannot continue is finished without a press of the last button."""
    moves_for_all: ClassVar[bool] = False
    """True if the person makes the moves of every side."""
    shows_warnings: ClassVar[bool] = False
    """True if the board warns of what a move would lead to."""
    shows_all_pieces: ClassVar[bool] = False
    """True if all pieces are in sight while one is chosen, because no other message shows the whole board."""

    cursor: CursorT
    lines_below: Sequence[str] = ()
    """Lines below everything but the notes, as far as there is room."""

    async def look_up(self, interaction: Interaction) -> Self:
        """Returns the board with what it shows before a piece is chosen."""
        return self

    @property
    def cells_carried(self) -> int:
        """The landings that always fit into a custom id with the rest of the cursor. A longer move has to be typed."""
        return MAX_CELLS_CARRIED

    @classmethod
    @abstractmethod
    async def from_state(cls, interaction: Interaction, cursor: CursorT) -> Self | None:
        """Returns the board for that state, for a person who may move on it; None after answering anybody else."""

    @abstractmethod
    async def finish(self, interaction: Interaction, draft: Draft, *, sure: bool) -> None:
        """Carries out the last button's act with a complete move. `sure` is True after the person has confirmed the
        move.
        """

    @abstractmethod
    def title(self, locale: Language) -> str:
        """Returns the title, above everything else."""

    @abstractmethod
    def board_words(self, locale: Language) -> str:
        """Returns the board in words."""

    @property
    @abstractmethod
    def game(self) -> Game:
        """The position, with what its endings need."""

    @property
    @abstractmethod
    def picture_name(self) -> str:
        """The name of the picture's file."""

    @property
    def counts_for_ladder(self) -> bool:
        """True if the game counts for a ladder."""
        return False

    @property
    def note(self) -> str:
        """The person's note on the game or position, shown below everything else."""
        return ""

    @property
    def is_open(self) -> bool:
        """True if a move can be made."""
        return self.game.outcome is None

    @property
    def offers_moves(self) -> bool:
        """True if the panel offers the choices of a move."""
        return self.is_open

    @property
    def reader(self) -> Seat | None:
        """The person's seat; None if they have no side."""
        return self.game.position.turn

    @property
    def previous_moves(self) -> Sequence[tuple[Position, Move]]:
        """The latest moves that the board tells, each with the position before it. The picture shows the last one."""
        return ()

    @property
    def last_move(self) -> tuple[Position | None, Move | None]:
        """The last of those moves with the position before it; None without one."""
        return self.previous_moves[-1] if self.previous_moves else (None, None)

    def picture_line(self, locale: Language) -> str:
        """Returns a line beside a picture, which a board as text says itself."""
        return ""

    def own_items(self, panel: PanelContent) -> Iterable[Button | Menu]:
        """Returns the purpose's own buttons and menus, below those of every board."""
        return ()


@dataclass(frozen=True)
class Look:
    """The part of a move that a panel shows as chosen, and what it says about it."""

    path: Sequence[Cell] = ()
    end: Cell | None = None
    pages: Mapping[str, int] = field(default_factory=dict)
    """The open page of each menu, by its name; the first page for menus that are missing."""
    remark: str = ""
    """A remark below the title: that the board has changed, or why a move is refused."""
    marks: tuple[Mark, ...] = ()


FIRST_LOOK = Look()


@dataclass(frozen=True)
class PanelContent:
    """What a panel shows."""

    locale: Language
    board: BoardPanel[Any]
    cursor: Any
    """The board's state, with the cursor."""
    choices: MoveChoices
    settings: UserSettings
    look: Look = FIRST_LOOK
    fresh: str = ""
    """Makes the ids of its menus different from those shown before."""
    features: Sequence[Feature] = ()

    @property
    def position(self) -> Position:
        """The position in which the move is made."""
        return self.choices.draft.side.position

    @property
    def turn(self) -> Turn | None:
        """The move so far; None before a piece is chosen."""
        return self.choices.draft.turn

    @property
    def asks_to_confirm(self) -> bool:
        """True if the player wants to be asked before this move is played."""
        confirm = self.settings.confirm
        return confirm == "always" or (confirm == "risky" and self.choices.preview.is_risky)

    @property
    def ways_to_end(self) -> list[Move]:
        """The ways to the chosen destination."""
        return [] if self.cursor.end is None else self.choices.ends.by_cell.get(self.cursor.end, [])


# Words


def panel_text(panel: PanelContent) -> str:
    """Returns the panel's words."""
    locale, board = panel.locale, panel.board
    lines, lines_below = [board.title(locale), panel.look.remark], [*board.lines_below]
    board_text = written_board(locale, panel.settings, replace(panel_view(panel), last_move=None, to_move=False))
    if panel.turn is None and board_text:
        lines += [move_sentence(locale, *made) for made in board.previous_moves]
    elif panel.turn is None:
        lines_below.insert(0, board.picture_line(locale))
    if board.offers_moves:
        if not panel.look.marks and (panel.turn is None or len(panel.turn.path) == 1):  # marks go with a reason
            lines.append(duty_sentence(locale, panel.position, names_colour=board.moves_for_all) or "")
        lines += _progress_lines(panel)
    content = "\n".join(line for line in lines if line)
    if board_text:
        # A long title may leave no room for the board.
        parts = [content, board_text] if len(content) + len(board_text) < MAX_MESSAGE_LENGTH else [content]
        parts.insert(1, _choices_text(panel, MAX_MESSAGE_LENGTH - len("\n".join([*parts, "", *lines_below]))))
        content = "\n".join(part for part in parts if part)
    return _with_lines_below(content, filter(None, lines_below), board.note)


def _with_lines_below(words: str, lines_below: Iterable[str], note: str) -> str:
    """Returns the words with the lines and the note below them, as far as there is room."""
    quoted_note = "".join(f"\n> {line}" for line in note.splitlines())
    words = cut_plain(words, MAX_MESSAGE_LENGTH)
    for line in lines_below:
        words += f"\n{line}" if len(words) + len(line) < MAX_MESSAGE_LENGTH else ""
    room = MAX_MESSAGE_LENGTH - len(words)
    return words + (cut_plain(quoted_note, room) if room > 4 else "")


def _progress_lines(panel: PanelContent) -> Iterator[str]:
    """Yields the state of the move so far, and what may follow."""
    locale, draft, turn = panel.locale, panel.choices.draft, panel.turn
    if turn is None:
        if not panel.settings.reads_text:
            yield text(locale, "composer.choose-piece")
        return
    if len(turn.path) == 1:
        piece = f"**{piece_name(locale, panel.position, turn.path[0])}**"
        yield piece if panel.settings.reads_text else text(locale, "composer.choose-leg", piece=piece)
    else:
        move = format_move(turn.move, draft.side.board)
        yield text(locale, "composer.so-far", move=move, state=_may_stop_text(locale, draft, turn))
    if turn.captures:
        key = "composer.captures" if draft.next_legs else "composer.captured"
        names = [f"**{name}**" for name in panel.position.names(turn.captures)]
        yield text(locale, key, cells=join_list(locale, names))
    if panel.ways_to_end and panel.cursor.end is not None:
        yield text(locale, "composer.choose-way", end=f"**{panel.position.names([panel.cursor.end])[0]}**")
    if panel.board.shows_warnings:
        yield warning_text(panel)


def question_text(panel: PanelContent) -> str:
    """Returns the question if the player really wants to play the move, and the reason for asking."""
    assert panel.turn is not None
    move = format_move(panel.turn.move, panel.position.variant.board)
    question = text(panel.locale, "composer.question", move=move)
    return "\n".join(filter(None, [panel.board.title(panel.locale), warning_text(panel), question]))


def warning_text(panel: PanelContent) -> str:
    """Returns the warning before the move is played; empty if there is none."""
    peril, reply = panel.choices.preview
    if peril is None:
        return ""
    if reply is None:
        return text(panel.locale, f"composer.peril.{peril.value}")
    assert panel.turn is not None
    after = panel.board.game.apply(panel.turn.move)
    variant, entering, way = after.variant, after.position.turn, format_move(reply, after.variant.board)
    key = "composer.peril." + ("castle-lost" if after.apply(reply).outcome else peril.value)
    key += "-own" if variant.attacked_by(entering) == panel.position.turn else ""
    return attack_sentence(panel.locale, variant, entering, key, reply=way)


def _may_stop_text(locale: Language, draft: Draft, turn: Turn) -> str:
    """Returns whether the move may stop here, or why it must continue."""
    if turn.may_stop:
        return text(locale, "composer.may-stop" if draft.next_legs else "composer.done")
    if turn.captures:
        return text(locale, "composer.must.jump")
    if turn.side.in_own_castle:
        return text(locale, "composer.must.home")
    return text(locale, "composer.must.due" if turn.side.capture_due else "composer.must.knight")


def piece_name(locale: Language, position: Position, cell: Cell) -> str:
    """Returns a piece in words: "Knight F7"."""
    kind = "knight" if position.pieces[cell].kind is PieceKind.KNIGHT else "man"
    return text(locale, f"moves.{kind}", cell=position.names([cell])[0])


def panel_view(panel: PanelContent) -> View:
    """Returns the picture: the numbered pieces to choose from, or the move so far."""
    board, turn = panel.board, panel.turn
    before, move = board.last_move if turn is None else (None, None)
    return View(
        panel.position,
        last_move=move,
        before=before,
        marks=panel.look.marks,
        to_move=board.is_open,
        numbers=tuple((cell, number) for number, cell in enumerate(pieces_to_choose(panel), start=1)),
        reachable=tuple(numbered_destinations(panel)),
        in_sight=tuple(panel.position.pieces) if board.shows_all_pieces and turn is None else (),
        grown=turn.move if turn else None,
        reader=board.reader,
    )


def numbered_destinations(panel: PanelContent) -> dict[Cell, int]:
    """Returns the destinations to choose from with their numbers on the board; none while a way to one of them is
    chosen.
    """
    if panel.turn is None or panel.ways_to_end or not panel.board.offers_moves:
        return {}
    offered = [*(leg.to for leg, _ in panel.choices.legs), *ends_to_offer(panel.choices)]
    return {cell: number for number, cell in enumerate(_as_read(panel, offered), start=1)}


def pieces_to_choose(panel: PanelContent) -> Sequence[Cell]:
    """Returns the pieces to choose from; none once a piece is chosen."""
    if panel.turn is not None or not panel.board.offers_moves:
        return ()
    return _as_read(panel, panel.choices.starts)


def _as_read(panel: PanelContent, cells: Iterable[Cell]) -> list[Cell]:
    """Returns the cells, each once, in the order in which the person reads them on the board."""
    variant = panel.position.variant
    places = reading_places(variant, panel.settings.bottom_seat(variant, panel.board.reader))
    return sorted({*cells}, key=places.__getitem__)


def panel_alt_text(panel: PanelContent) -> str:
    """Returns the picture in words: the marked cells, then the board, or the move so far and the pieces after it."""
    locale, marks = panel.locale, marks_text(panel.locale, panel.position, panel.look.marks)
    words = grown_alt_text(locale, panel_view(panel)) if panel.turn else panel.board.board_words(locale)
    return f"{marks} {words}".lstrip()


def ends_to_offer(choices: MoveChoices) -> set[Cell]:
    """Returns the destinations to offer: those that the next leg alone does not reach as the only way."""
    reached_at_once = {leg.to for leg, after in choices.legs if after.is_complete}
    return {cell for cell in choices.ends.by_cell if cell not in reached_at_once or not choices.ends.only_way(cell)}


MAX_CHOICES_LENGTH = 700
"""Characters of a list of choices before a board as text; the menus have the rest."""


class Choice(NamedTuple):
    """One choice, as a button and as an option of a menu."""

    number: int
    """On the board; of a way, its number in the list of ways."""
    button: Button
    option: SelectOption


Choices = list[tuple[str, list[Choice]]]
"""What may be chosen next, by the name of the menu for it."""


def panel_items(panel: PanelContent) -> discord.ui.View:
    """Returns the buttons and menus: the choices above, in rows of their own, and everything else below."""
    own_items, composing = [*panel.board.own_items(panel)], panel.board.offers_moves
    below = [
        *(item for item in own_items if isinstance(item, ui.Select)),
        *(_step_buttons(panel) if composing else ()),
        *(item for item in own_items if isinstance(item, ui.Button)),
    ]
    return make_view(_choice_items(panel, below) if composing else [], *below)


def question_items(panel: PanelContent) -> discord.ui.View:
    """Returns the buttons below the question if the player really wants to play the move."""
    locale, cursor, buttons = panel.locale, panel.cursor, panel.board.buttons
    return make_view(
        buttons.make_button("sure", cursor, text(locale, "button.sure"), ButtonStyle.success),
        buttons.make_button("look", cursor, text(locale, "button.back")),
    )


def _choice_items(panel: PanelContent, below: Sequence[Button | Menu]) -> list[Button | Menu]:
    """Returns the choices, as buttons as far as they fit above those controls.

    If not all of them fit, the first kind of choices has buttons as long as one row remains for a menu of the other.
    """
    kinds = [(name, choices) for name, choices in _choices(panel) if choices]
    as_numbered = sorted((choice for _, choices in kinds for choice in choices), key=lambda choice: choice.number)
    if panel.settings.reads_text:
        for choice in as_numbered:
            choice.button.label = choice.option.label  # signs are not read aloud well
    every_button = [choice.button for choice in as_numbered]
    if has_room([every_button, *below]):
        return [*every_button]
    items = list[Button | Menu]()
    for index, (name, choices) in enumerate(kinds):
        buttons, menus_after = [choice.button for choice in choices], len(kinds) - index - 1
        if menus_after and has_room([buttons, *below], menus_after):
            items += buttons
        else:
            items.append(panel_menu(panel, name, [choice.option for choice in choices]))
    return items


def _choices(panel: PanelContent) -> Choices:
    """Returns what may be chosen next: a piece; a way to the chosen destination; or a next cell or a destination."""
    if panel.turn is None:
        pieces = enumerate(pieces_to_choose(panel), start=1)
        return [("piece", [_piece_choice(panel, number, cell) for number, cell in pieces])]
    numbers = numbered_destinations(panel)
    if panel.ways_to_end:
        return [("way", [_way_choice(panel, number, way) for number, way in enumerate(panel.ways_to_end)])]
    legs = sorted(panel.choices.legs, key=lambda choice: numbers[choice[0].to])
    ends = sorted(ends_to_offer(panel.choices), key=numbers.__getitem__)
    return [
        ("leg", [_leg_choice(panel, numbers[leg.to], leg, after) for leg, after in legs]),
        ("end", [_end_choice(panel, numbers[cell], cell) for cell in ends]),
    ]


def _choices_text(panel: PanelContent, room: int) -> str:
    """Returns the choices in words, without what has been said above. Empty without room."""
    if not panel.board.offers_moves or room < 1:
        return ""
    said_above = ("then.ends", "piece-due", "piece-home")
    lines, usual = list[str](), {None, *(text(panel.locale, f"composer.{key}") for key in said_above)}
    for name, choices in _choices(panel):
        options = [choice.option for choice in choices]
        said = "; ".join(
            one.label if one.description in usual else f"{one.label} ({one.description})" for one in options
        )
        lines += [f"**{text(panel.locale, f'composer.menu.{name}')}** {said}"] if said else []
    return cut_text("\n".join(lines), min(room, MAX_CHOICES_LENGTH))


def _choice_button(panel: PanelContent, name: str, label: str, cell: Cell, way: int | None = None) -> Button:
    """Returns the button for that cell, or for one of the ways to it."""
    cursor = panel.cursor._replace(end=cell, fresh="" if way is None else format_path([way]))
    return panel.board.buttons.make_button(name, cursor, label)


def panel_menu(panel: PanelContent, name: str, options: Sequence[SelectOption]) -> Menu:
    """Returns the menu. If the options do not fit, it has one page of them and options to turn the page."""
    hint = text(panel.locale, f"composer.menu.{name}")
    page_options, hint = options_on_page(panel.locale, options, panel.look.pages.get(name, 0), hint)
    return panel.board.menus.make_menu(name, panel.cursor._replace(fresh=panel.fresh), page_options, hint)


def _cell_choice(panel: PanelContent, name: str, number: int, cell: Cell, signs: str, option: SelectOption) -> Choice:
    """Returns the choice of a cell: its button has the number on the board, and signs for the words of the option."""
    label = text(panel.locale, "composer.short.cell", number=number, cell=panel.position.names([cell])[0])
    return Choice(number, _choice_button(panel, name, f"{label}{signs}", cell), option)


def _piece_choice(panel: PanelContent, number: int, cell: Cell) -> Choice:
    locale, side = panel.locale, panel.choices.draft.side
    duty_text = ""
    if side.in_own_castle:
        duty_text = text(locale, "composer.piece-home")
    elif side.capture_due:
        duty_text = text(locale, "composer.piece-due")
    is_knight = panel.position.pieces[cell].kind is PieceKind.KNIGHT
    signs = text(locale, "composer.short.knight") if is_knight else ""
    option = make_option(f"{number}. {piece_name(locale, panel.position, cell)}", format_path([cell]), duty_text)
    return _cell_choice(panel, "cell", number, cell, signs, option)


def _leg_choice(panel: PanelContent, number: int, leg: Leg, after: Draft) -> Choice:
    """Returns a next leg: where it goes and how, and whether the move may stop there."""
    locale, position, kind = panel.locale, panel.position, leg.kind.value
    if leg.kind is LegKind.STEP and leg.start in position.variant.armies[position.turn].goal:
        kind = "castle"
    (to,) = position.names([leg.to])
    over = position.names([leg.over])[0] if leg.over is not None else ""
    signs, follow_up = text(locale, "composer.short.captures") if leg.kind is LegKind.JUMP else "", "must-go-on"
    if after.is_complete:
        follow_up = "may-stop" if after.next_legs else "ends"
    else:
        signs += text(locale, "composer.short.goes-on")
    words, hint = text(locale, f"composer.leg.{kind}", to=to, over=over), text(locale, f"composer.then.{follow_up}")
    option = make_option(f"{number}. {words}", format_path([leg.to]), hint)
    return _cell_choice(panel, "cell", number, leg.to, signs, option)


def _end_choice(panel: PanelContent, number: int, cell: Cell) -> Choice:
    """Returns a destination: the way if there is only one, else the number of ways."""
    locale, ends = panel.locale, panel.choices.ends
    (name,) = panel.position.names([cell])
    only_way = ends.only_way(cell)
    if only_way is None:
        way_count = f"{len(ends.by_cell[cell])}{'' if ends.whole else '+'}"
        signs = text(locale, "composer.short.ways", ways=way_count)
        words = text(locale, "composer.ways", count=way_count)
    else:
        captures = len(only_way.captures) > _captured_count(panel)
        signs = text(locale, "composer.short.captures") if captures else ""
        route = format_move(only_way, panel.position.variant.board)
        words = f"{_way_words(panel, only_way)} · {route}" if captures else route
    option = make_option(f"{number}. {name}", format_path([cell]), words)
    return _cell_choice(panel, "goal", number, cell, signs, option)


def _way_choice(panel: PanelContent, number: int, way: Move) -> Choice:
    """Returns one of several ways to a destination: its captures and its notation."""
    words = _way_words(panel, way)
    option = make_option(words, str(number), format_move(way, panel.position.variant.board))
    return Choice(number, _choice_button(panel, "route", words, way.end, number), option)


def _way_words(panel: PanelContent, way: Move) -> str:
    """Returns what distinguishes a way to a destination: the pieces that it captures from here on."""
    names = panel.position.names(way.captures[_captured_count(panel) :])
    if not names:
        return text(panel.locale, "composer.takes-nothing")
    return text(panel.locale, "composer.takes", cells=", ".join(names))


def _captured_count(panel: PanelContent) -> int:
    """Returns the number of pieces that the move has captured so far."""
    return len(panel.turn.captures) if panel.turn else 0


def _step_buttons(panel: PanelContent) -> Iterator[Button]:
    """Yields the buttons of every board: the last one and those that step back, once a piece is chosen; and typing."""
    board, locale, cursor = panel.board, panel.locale, panel.cursor
    if panel.turn is not None:
        name, is_complete = text(locale, f"button.{board.commit_label}"), panel.choices.draft.is_complete
        style = ButtonStyle.success if is_complete else ButtonStyle.secondary
        commit = board.buttons.make_button("commit", cursor, name, style)
        commit.disabled = not is_complete
        yield commit
        yield board.buttons.make_button("back", cursor, text(locale, "button.back"))
        if len(panel.turn.path) > 1:  # before that, it would do the same as the button before it
            yield board.buttons.make_button("restart", cursor, text(locale, "button.restart"))
    yield board.buttons.make_button("type", cursor, text(locale, "button.type"))


# Shown


async def build_panel(interaction: Interaction, board: BoardPanel[Any], look: Look = FIRST_LOOK) -> PanelContent:
    """Returns the panel with that look. Raises UnfitPathError if no move begins with its path, and Declined if its
    buttons cannot carry the path.
    """
    if len(look.path) > board.cells_carried:
        raise Declined("composer.too-long")
    caller = caller_of(interaction)
    board = board if look.path else await board.look_up(interaction)
    settings = await caller.load_settings()
    castles = board.shows_warnings and not board.counts_for_ladder and settings.confirm != "never"
    choices = await run_heavy(interaction, list_move_choices, board.game, look.path, castles=castles)
    cursor = board.cursor._replace(end=look.end, path=format_path(look.path))
    fresh, features = menu_nonce(interaction), caller.context.features
    return PanelContent(caller.locale, board, cursor, choices, settings, look, fresh, features)


async def panel_pictures(interaction: Interaction, panel: PanelContent) -> list[discord.File]:
    """Returns the panel's picture; no file for a person who reads boards as text: theirs is in the panel's words."""
    if panel.settings.reads_text:
        return []
    view, name, alt = panel_view(panel), panel.board.picture_name, panel_alt_text(panel)
    return [await draw_picture(interaction, panel.settings, view, name, alt)]


async def answer_with_panel(interaction: Interaction, board: BoardPanel[Any], look: Look = FIRST_LOOK) -> None:
    """Answers with a panel of that board. Raises UnfitPathError if no move begins with the look's path."""
    panel = await build_panel(interaction, board, look)
    files = await panel_pictures(interaction, panel)
    await send_answer(interaction, panel_text(panel), view=panel_items(panel), files=files)


async def update_panel(interaction: Interaction, board: BoardPanel[Any], look: Look = FIRST_LOOK) -> None:
    """Replaces the panel that was shown with one of that board."""
    panel = await build_panel(interaction, board, look)
    files = await panel_pictures(interaction, panel)
    await update_message(interaction, panel_text(panel), view=panel_items(panel), files=files)
