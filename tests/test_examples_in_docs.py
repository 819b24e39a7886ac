"""Runs the `>>>` examples in the docstrings."""

from __future__ import annotations

import doctest
import pkgutil
from importlib import import_module
from types import ModuleType

import bot
import engine
import render
import rules

MIN_EXAMPLES = 20
"""Fewer examples than this mean that the test no longer finds them."""


def list_modules(package: ModuleType) -> list[ModuleType]:
    """The package and all its modules, without `__main__`."""
    found = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    return [package, *(import_module(module.name) for module in found if not module.name.endswith("__main__"))]


def test_the_examples_in_the_docstrings_print_what_they_say() -> None:
    results = [doctest.testmod(module) for package in (bot, rules, render, engine) for module in list_modules(package)]
    assert sum(result.failed for result in results) == 0
    assert sum(result.attempted for result in results) >= MIN_EXAMPLES
