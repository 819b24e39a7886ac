"""`pytest tests/render --regold` draws the golden pictures again; look at them before you commit them."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regold", action="store_true", help="draw the golden pictures again")


@pytest.fixture
def regold(request: pytest.FixtureRequest) -> bool:
    """Whether golden pictures are to be replaced. The option exists only where this folder is named to pytest."""
    return bool(request.config.getoption("--regold", default=False))
