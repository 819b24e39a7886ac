"""What runs when. The ordinary run is the same each time; `pytest -m long` hunts for what nobody has thought of.

Long are the tests that are marked so, and every property: it takes many examples then, new ones each time. `--bounded`
is how `.ci/run` hunts: a few minutes in all, where the whole hunt takes hours.
"""

from __future__ import annotations

import pytest
from hypothesis import settings

from tests import examples


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--bounded", action="store_true", help="with -m long: a small share of each hunt")


def pytest_configure(config: pytest.Config) -> None:
    """Before any test is imported: a property takes the profile that it finds there."""
    if not hunting(config):
        profile = examples.ORDINARY
    elif config.option.bounded:
        profile = examples.BOUNDED
    else:
        profile = examples.LONG
    settings.register_profile("round-table", profile)
    settings.load_profile("round-table")


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if hunting(config):
        for item in items:
            if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
                item.add_marker(pytest.mark.long)
                if not item.get_closest_marker("timeout"):
                    item.add_marker(pytest.mark.timeout(600 if config.option.bounded else 0))
    elif not config.option.markexpr:
        long = [item for item in items if item.get_closest_marker("long")]
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]


def hunting(config: pytest.Config) -> bool:
    """Whether the hunts run, and not the ordinary tests."""
    return bool(config.option.markexpr == "long")


@pytest.fixture
def at_most(request: pytest.FixtureRequest) -> examples.AtMost:
    """How often a hunt tries: `at_most(whole, bounded)`."""
    bounded = request.config.option.bounded
    return lambda whole, bound: bound if bounded else whole
