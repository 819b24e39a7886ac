"""The benches run. Their figures are for people to judge, on an otherwise idle machine."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from tests.postgresql import programs

ROOT = Path(__file__).parents[2]
BENCHES = sorted(path.stem.removesuffix("_bench") for path in Path(__file__).parent.glob("*_bench.py"))


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("bench", BENCHES)
def test_each_bench_comes_to_its_end(bench: str) -> None:
    if bench == "render":
        try:
            importlib.import_module("cairosvg")
        except OSError:
            pytest.skip("there is no libcairo on this machine")
    if bench == "postgresql" and not programs():
        pytest.skip("PostgreSQL is not installed on this machine")
    words = [sys.executable, "-m", "tests.bench", bench, "--short"]
    ran = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode in (0, 1), ran.stderr  # 1: a promise is broken, as happens on a busy machine
    assert "Traceback" not in ran.stderr, ran.stderr
    assert ran.stdout.count("\n") > 0
