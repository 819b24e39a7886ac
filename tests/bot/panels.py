"""Checks Discord's limits on a panel of components."""

from __future__ import annotations

from typing import Any

from discord.ui import LayoutView, View


def check_items(rows: list[dict[str, Any]]) -> None:
    """Asserts menus of 1 to 25 distinct options, texts of at most 100 characters, and plain buttons where nothing can
    be pressed. `make_view` asserts the rest.
    """
    for part in (part for row in rows for part in row["components"]):
        assert len(part["custom_id"]) <= 100
        assert not part.get("disabled") or part["style"] == 2, "it looks like the next step"
        if (options := part.get("options")) is not None:
            assert 1 <= len(options) <= 25
            assert len({option["value"] for option in options}) == len(options)
            assert all(0 < len(option["label"]) <= 100 for option in options)
            assert all(len(option.get("description") or "") <= 100 for option in options)


def check_names(page: LayoutView | View) -> None:
    """Asserts that each menu has a name of its own, which is what a screen reader says of it, and which is whole on a
    phone of 400 pixels.
    """
    names = [part.placeholder for part in page.walk_children() if hasattr(part, "placeholder")]
    assert len({*filter(None, names)}) == len(names), names
    assert all(0 < len(name or "") <= 27 for name in names), names
