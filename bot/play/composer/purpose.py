"""The purpose of a private board, the state that its components carry, and what its panel shows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Generic, NamedTuple, Protocol, Self, TypeVar

from bot.core.draft import Draft, MoveChoices, format_path, parse_path
from bot.core.settings import UserSettings
from bot.discordkit.components import Button, CountField, Family, FieldFormat, IdField, Menu, NonceField
from bot.discordkit.reply import Interaction
from bot.play.context import Feature
from bot.texts.i18n import Language
from render import Mark
from rules import Game, Move, Position, Seat, Turn
from rules.board import Cell

MAX_CELLS_CARRIED = 28
"""Landings that always fit into a custom id, however large the numbers of the match and its board are."""

EndField = Annotated[
    Cell | None,
    FieldFormat(
        "[0-9a-z]{2}|-",
        lambda code: None if code == "-" else parse_path(code)[0],
        lambda cell: "-" if cell is None else format_path([cell]),
    ),
]
PathField = Annotated[str, FieldFormat(rf"(?:[0-9a-z]{{2}}){{0,{MAX_CELLS_CARRIED}}}")]


class ComposerState(NamedTuple):
    """The state of a panel of the composer: the match, and the part of the move that is chosen."""

    match: IdField
    board_version: CountField
    """The match's board version when the panel was drawn. A ply number returns after a takeback, a
    version never does.
    """
    end: EndField = None
    """The chosen destination, if several routes lead to it."""
    path: PathField = ""
    """The landings as `format_path` writes them."""
    fresh: NonceField = ""
    """In menus, what makes their ids new. In the button of one of several ways, the number of the way, in two digits
    as a cell is written: buttons need no new ids.
    """


COMPOSER = Family("rt-press", ComposerState)
"""The composer's buttons and menus. The button "open" stands below the boards that the bot posts."""


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

    place: CursorT
    lines_below: Sequence[str] = ()
    """Lines below everything but the notes, as far as there is room."""

    async def look_up(self, interaction: Interaction) -> Self:
        """Returns the board with what it shows before a piece is chosen."""
        return self

    @property
    def cells_carried(self) -> int:
        """The landings that always fit into a custom id beside `place`. A longer move has to be typed."""
        return MAX_CELLS_CARRIED

    @classmethod
    @abstractmethod
    async def from_state(cls, interaction: Interaction, place: CursorT) -> Self | None:
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
    place: Any
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
        return confirm == "always" or (confirm == "risky" and self.choices.preview.warning is not None)

    @property
    def ways_to_end(self) -> list[Move]:
        """The ways to the chosen destination."""
        return [] if self.place.end is None else self.choices.ends.by_cell.get(self.place.end, [])
