"""Plants bugs one at a time and shows which test finds each: `python -m tests.planted [--all] [--check] [NAME…]`.

A bug is planted in a copy of the working tree. The tests that it names run until the first failure; with `--all`, the
whole ordinary run follows if they find nothing. `--check` only looks whether every bug still fits the code. A NAME is
the beginning of a bug's name, such as `rules`.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.planted import Bug, BugDoesNotFit, load_bugs
from tests.repository import ROOT, tracked

FAILED_TEST = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)
FAILED, INTERRUPTED = 1, 2
"""The codes with which pytest ends if a test fails, and if a module cannot even be imported."""


def copy_tree(target: Path) -> None:
    """Copies every file that git knows or would take."""
    for path in tracked():
        copy = target / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, copy)


def first_failure(tree: Path, arguments: Sequence[str]) -> str | None:
    """Runs pytest in that tree. Returns the first failing test; None if all pass.

    Raises RuntimeError if pytest could not run them at all.
    """
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--tb=no", *arguments]
    environment = os.environ | {"PYTHONPATH": str(tree)}  # else an installed package would be tested instead
    run = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    if run.returncode == 0:
        return None
    failed = FAILED_TEST.search(run.stdout)
    if run.returncode not in (FAILED, INTERRUPTED) or failed is None:
        raise RuntimeError(f"pytest ended with {run.returncode}:\n{run.stdout[-2000:]}{run.stderr[-2000:]}")
    return failed[1]


def find_bug(bug: Bug, tree: Path, *, whole_run: bool) -> str | None:
    """Returns the test that finds the bug; None if none does. Leaves the tree as it was."""
    before = bug.plant_in(tree)
    try:
        for test in bug.tests:
            if found := first_failure(tree, [test]):
                return found
        return first_failure(tree, ["-n", "2", "--dist", "loadfile"]) if whole_run else None
    finally:
        (tree / bug.file).write_text(before, "utf-8")


def main() -> int:
    """Prints a line per bug; returns 1 if a bug is not found, else 0."""
    parser = argparse.ArgumentParser(prog="python -m tests.planted", description=__doc__)
    parser.add_argument("--all", action="store_true", help="the whole ordinary run, if the named tests find nothing")
    parser.add_argument("--check", action="store_true", help="only whether every bug still fits the code")
    parser.add_argument("names", nargs="*", metavar="NAME", help="the beginning of a bug's name")
    chosen = parser.parse_args()
    missed = 0
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        tree = Path(folder)
        copy_tree(tree)
        try:
            bugs = load_bugs(chosen.names)
            for bug in bugs:
                (tree / bug.file).write_text(bug.plant_in(tree), "utf-8")
            if chosen.check:
                print(f"{len(bugs)} bugs fit")
                return 0
            for bug in bugs:
                began = time.monotonic()
                found = find_bug(bug, tree, whole_run=chosen.all)
                missed += found is None
                print(f"{bug.name:<36} {time.monotonic() - began:5.0f} s  {found or 'NOT FOUND'}", flush=True)
        except BugDoesNotFit as error:
            print(error, file=sys.stderr)
            return 1
    print(f"{len(bugs) - missed} of {len(bugs)} bugs found")
    return 1 if missed else 0


sys.exit(main())
