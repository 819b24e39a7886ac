"""What people type and press: thin layers that translate between interactions and acts.

May import every other room but `bot.ops`. A command is declared by `bot.kit.slash.command` in a cog of any module here;
what answers a button, a menu or a form says so by `@on(…)` of `bot.kit.components`. Neither is listed anywhere else.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from inspect import getmembers, isclass
from pkgutil import iter_modules

from discord.ext.commands import Cog


def every_cog() -> Iterator[Cog]:
    """One of each cog that a module of this package defines. All of the modules are imported on the way."""
    for found in iter_modules(__path__, f"{__name__}."):
        module = import_module(found.name)
        for _, member in getmembers(module, isclass):
            if issubclass(member, Cog) and member.__module__ == found.name:
                yield member()
