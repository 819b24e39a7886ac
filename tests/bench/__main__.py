"""Runs every bench module beside this file, or the named ones: `python -m tests.bench rules render`.

With `--short`, measurements of minutes take seconds, and prove less.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from tests import bench
from tests.bench import Figure


def figures(names: list[str]) -> Iterator[Figure]:
    """Yields the figures of those benches, or of all if none is named; `rules` means `rules_bench.py`."""
    for path in sorted(Path(__file__).parent.glob("*_bench.py")):
        if not names or path.stem.removesuffix("_bench") in names:
            yield from import_module(f"tests.bench.{path.stem}").figures()


def main() -> int:
    """Prints a line per figure; returns 1 if a promise is broken, else 0."""
    bench.short = "--short" in sys.argv
    broken = 0
    for figure in figures([name for name in sys.argv[1:] if name != "--short"]):
        sign = ">=" if figure.at_least else "<="
        verdict = "ok  " if figure.kept else "OVER"
        print(f"{verdict} {figure.name:<52} {figure.value:8.2f} {sign} {figure.limit:<8g} {figure.detail}", flush=True)
        broken += not figure.kept
    return 1 if broken else 0


sys.exit(main())
