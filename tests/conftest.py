"""Keeps the hunts that take minutes out of the ordinary run: `pytest -m long` starts them."""

import pytest
from hypothesis import settings

# A machine that is busy with the other processes of the run makes any example slow now and then.
settings.register_profile("round-table", deadline=None)
settings.load_profile("round-table")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.option.markexpr:
        return
    long = [item for item in items if item.get_closest_marker("long")]
    config.hook.pytest_deselected(items=long)
    items[:] = [item for item in items if item not in long]
