"""Data: the directed triples of groups of 3 to 10, by size and round. Found by `tests/leagues/triple_search.py`."""

from __future__ import annotations

TRIPLES: dict[int, tuple[tuple[tuple[int, int, int], ...], ...]] = {}
