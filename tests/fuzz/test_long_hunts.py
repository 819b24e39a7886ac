"""The hunts with Hypothesis once more, for long; HUNT is how many examples each of their tests takes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOUR = 3600


@pytest.mark.long
@pytest.mark.timeout(3 * HOUR)
@pytest.mark.parametrize(
    ("file", "examples"),
    [
        ("tests/fuzz/test_fuzz_texts.py", 10_000),
        ("tests/e2e/test_fuzz_presses.py", 1_000),
        ("tests/e2e/test_fuzz_options.py", 1_000),
    ],
)
def test_a_long_hunt_finds_nothing(file: str, examples: int) -> None:
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", f"timeout={3 * HOUR}", file]
    hunted = subprocess.run(words, cwd=ROOT, env={**os.environ, "HUNT": str(examples)}, check=False)
    assert hunted.returncode == 0
