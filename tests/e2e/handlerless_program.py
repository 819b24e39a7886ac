"""`python -m tests.e2e.handlerless_program`: the program on a loop that takes no signal handlers, as Windows' are."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from bot import __main__ as program


def add_signal_handler(*_: Any) -> None:
    """As asyncio's own where the platform has none."""
    raise NotImplementedError


if __name__ == "__main__":
    asyncio.SelectorEventLoop.add_signal_handler = add_signal_handler  # type: ignore[assignment]
    sys.exit(program.main())
