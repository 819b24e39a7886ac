"""Nothing that `tests.counts` counts is above its budget: lines, imports, modules, commands, words, long functions."""

from __future__ import annotations

from tests.counts import BUDGET, budgeted, count_tree
from tests.repository import ROOT


def test_no_figure_is_above_its_budget() -> None:
    figures = budgeted(ROOT, count_tree(ROOT))
    assert figures.keys() == BUDGET.keys()
    assert {name: count for name, count in figures.items() if count > BUDGET[name]} == {}
