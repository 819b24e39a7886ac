"""What the one private board of `bench` is for, as a class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from bot.kit.components import Button, Family, Menu, outdated
from bot.kit.reply import Interaction
from bot.match.draft import Draft
from bot.service import Service
from bot.texts.i18n import Language
from rules import Game, Move, Position, RulesError
from rules.board import Cell

if TYPE_CHECKING:
    from bot.commands.composer_panel import Panel


class Purpose(ABC):
    """A board in somebody's hands, and what for: a position, who may move in it, and what the last button does.

    Frozen dataclasses. `place` is what every button carries; besides what the purpose needs to find its board again, it
    has the fields `end`, `path` and `fresh` of `ComposerState`, which are the cursor.
    """

    buttons: ClassVar[Family[Any]]
    menus: ClassVar[Family[Any]]
    forms: ClassVar[tuple[Family[Any], str]]
    """The form that takes notation: its family, and its name there."""
    last: ClassVar[str] = "commit"
    """The key of the last button's label."""
    at_once: ClassVar[bool] = False
    """Whether a move that nothing can follow is finished without a press of the last button."""
    warns: ClassVar[bool] = False
    """Whether the board says what a move would lead to."""

    place: Any

    @classmethod
    @abstractmethod
    async def take_up(cls, interaction: Interaction, place: Any) -> Self | None:
        """The board at that place, for somebody who may move on it; None where it has answered everybody else."""

    @abstractmethod
    async def finish(self, interaction: Interaction, draft: Draft, *, sure: bool) -> None:
        """What the last button does with a whole move. `sure`: the person has been asked whether they mean it."""

    @abstractmethod
    def title(self, locale: Language) -> str:
        """What stands above everything else."""

    @abstractmethod
    def alt(self, locale: Language) -> str:
        """The board in words."""

    @property
    @abstractmethod
    def game(self) -> Game:
        """The position, with what its endings need."""

    @property
    @abstractmethod
    def picture(self) -> str:
        """The name of the picture's file."""

    @property
    def ladder(self) -> bool:
        """Whether it is about a game that counts for a ladder."""
        return False

    @property
    def page(self) -> str:
        """The person's notes on the game, shown below everything else."""
        return ""

    @property
    def open(self) -> bool:
        """Whether anything can be moved."""
        return self.game.outcome is None

    @property
    def bottom(self) -> int:
        """Whose army is at the bottom."""
        return self.game.position.turn

    @property
    def came(self) -> tuple[Position, Move] | None:
        """The move that led here, if the picture is to show it, and the position before it."""
        return None

    def tries(self, path: Sequence[Cell]) -> Sequence[Cell] | None:
        """The cells to offer next, whether or not that is legal; None: those that are, and how they are reached."""
        return None

    def refused(self, locale: Language, error: RulesError) -> str:
        """What is said where the referee refuses what was chosen or typed; nothing: the usual."""
        return ""

    def items(self, panel: Panel) -> Iterable[Button | Menu]:
        """The purpose's own buttons and menus, below those that every board has."""
        return ()

    async def keep(self, service: Service, code: str) -> None:
        """Keeps a path that is too long to be carried. By default there is none: raises NO_SUCH_BUTTON."""
        raise outdated()

    async def kept(self, service: Service) -> str:
        """The path that was kept last."""
        return ""
