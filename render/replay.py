"""Games as moving pictures: `render_gif(Replay(origin, plies, bottom=seat))` gives an animated GIF."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from render.scene import DEFAULT
from render.theme import Theme
from rules import Move, Position, Seat


class Ply(NamedTuple):
    """A move that was played, and the position after it."""

    move: Move
    after: Position


@dataclass(frozen=True)
class Replay:
    """What a moving picture shows: some moves of a game, one after the other."""

    origin: Position
    """The position before the first of the moves."""
    plies: Sequence[Ply]
    bottom: Seat
    """Whose army is at the bottom, all the time."""
    first: int = 1
    """The number of the first of the moves, counted from 1."""
    theme: Theme = DEFAULT
    over: bool = False
    """Whether the game is over after the last of the moves."""


def render_gif(replay: Replay) -> bytes:
    """The moves as an animated GIF, a frame a leg. Pure and thread-safe; keep it off the event loop."""
    raise NotImplementedError
