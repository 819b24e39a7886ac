"""Bugs to plant: each file in `bugs` is one plausible mistake, and names the tests that must find it."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

BUGS_FOLDER = Path(__file__).with_name("bugs")


class BugDoesNotFit(Exception):
    """The code that a bug changes is missing, or stands there more than once: the bug must be brought up to date."""


@dataclass(frozen=True)
class Bug:
    """A change of one place that makes the program wrong."""

    name: str
    """The name of its file, which begins with the area."""
    what: str
    """What goes wrong for people."""
    file: str
    """The path of the changed file."""
    old: str
    """The code as it is; it stands in the file exactly once."""
    new: str
    """The wrong code."""
    tests: tuple[str, ...]
    """The test files to try, in this order."""

    def plant_in(self, tree: Path) -> str:
        """Changes the file in that tree and returns its former text. Raises BugDoesNotFit."""
        path = tree / self.file
        text = path.read_text("utf-8") if path.is_file() else ""
        if (count := text.count(self.old)) != 1:
            raise BugDoesNotFit(f"{self.name}: its old code stands {count} times in {self.file}")
        if missing := [test for test in self.tests if not (tree / test).is_file()]:
            raise BugDoesNotFit(f"{self.name}: no such tests: {', '.join(missing)}")
        path.write_text(text.replace(self.old, self.new), "utf-8")
        return text


def load_bugs(names: list[str]) -> list[Bug]:
    """Returns the bugs whose names begin with one of those; all bugs if none is given. Raises BugDoesNotFit."""
    bugs = []
    for path in sorted(BUGS_FOLDER.glob("*.toml")):
        if names and not path.stem.startswith(tuple(names)):
            continue
        fields = tomllib.loads(path.read_text("utf-8"))
        if fields["old"] == fields["new"]:
            raise BugDoesNotFit(f"{path.stem}: it changes nothing")
        bugs.append(Bug(name=path.stem, **(fields | {"tests": tuple(fields["tests"])})))
    return bugs
