"""What the one private board of `bench` is for, as a class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from bot.core.draft import Draft
from bot.discordkit.components import Button, Family, Menu, outdated_error
from bot.discordkit.reply import Interaction
from bot.play.service import Service
from bot.texts.i18n import Language
from rules import Game, Move, Position, RulesError
from rules.board import Cell

if TYPE_CHECKING:
    from bot.play.composer.panel import PanelContent


class BoardPanel(ABC):
    """A board in somebody's hands, and what for: a position, who may move in it, and what the last button does.

    Frozen dataclasses. `place` is what every button carries; besides what the purpose needs to find its board again, it
    has the fields `end`, `path` and `fresh` of `ComposerState`, which are the cursor.
    """

    buttons: ClassVar[Family[Any]]
    menus: ClassVar[Family[Any]]
    forms: ClassVar[tuple[Family[Any], str]]
    """The form that takes notation: its family, and its name there."""
    last_label: ClassVar[str] = "commit"
    """The key of the last button's label."""
    finishes_at_once: ClassVar[bool] = False
    """Whether a move that nothing can follow is finished without a press of the last button."""
    shows_warnings: ClassVar[bool] = False
    """Whether the board says what a move would lead to."""

    place: Any

    @classmethod
    @abstractmethod
    async def from_state(cls, interaction: Interaction, place: Any) -> Self | None:
        """The board at that place, for somebody who may move on it; None where it has answered everybody else."""

    @abstractmethod
    async def finish(self, interaction: Interaction, draft: Draft, *, sure: bool) -> None:
        """What the last button does with a whole move. `sure`: the person has been asked whether they mean it."""

    @abstractmethod
    def title(self, locale: Language) -> str:
        """What stands above everything else."""

    @abstractmethod
    def board_words(self, locale: Language) -> str:
        """The board in words."""

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
        """Whether it is about a game that counts for a ladder."""
        return False

    @property
    def page(self) -> str:
        """The person's notes on the game, shown below everything else."""
        return ""

    @property
    def is_open(self) -> bool:
        """Whether anything can be moved."""
        return self.game.outcome is None

    @property
    def bottom_seat(self) -> int:
        """Whose army is at the bottom."""
        return self.game.position.turn

    @property
    def previous_move(self) -> tuple[Position, Move] | None:
        """The move that led here, if the picture is to show it, and the position before it."""
        return None

    def offered_cells(self, path: Sequence[Cell]) -> Sequence[Cell] | None:
        """The cells to offer next, whether or not that is legal; None: those that are, and how they are reached."""
        return None

    def refusal_text(self, locale: Language, error: RulesError) -> str:
        """What is said where the referee refuses what was chosen or typed; nothing: the usual."""
        return ""

    def own_items(self, panel: PanelContent) -> Iterable[Button | Menu]:
        """The purpose's own buttons and menus, below those that every board has."""
        return ()

    async def keep_path(self, service: Service, code: str) -> None:
        """Keeps a path that is too long to be carried. By default there is none: raises NO_SUCH_BUTTON."""
        raise outdated_error()

    async def load_kept_path(self, service: Service) -> str:
        """The path that was kept last."""
        return ""
