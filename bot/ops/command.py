"""What a subcommand is."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

from bot.config import Settings


def no_arguments(parser: argparse.ArgumentParser) -> None:
    """For a subcommand that needs none."""


@dataclass(frozen=True, slots=True)
class Command:
    """One subcommand. `run` prints and returns the exit status; the StoreErrors that it raises are told for it."""

    name: str
    summary: str
    run: Callable[[Settings, argparse.Namespace], int]
    add_arguments: Callable[[argparse.ArgumentParser], None] = no_arguments
    description: str = ""
