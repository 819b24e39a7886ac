"""A published game."""

from __future__ import annotations

from pathlib import Path

CHAMPIONSHIP = (Path(__file__).parent / "records" / "camelot-2009-championship-1.txt").read_text(encoding="utf-8")
