"""What becomes of a press on something that is older than the program.

Messages stay for years, and what they carry is read again at each press, perhaps by a version that knows it no longer.
"""

from __future__ import annotations

from bot.problems import MatchError, Problem


async def outdated(*_: object) -> None:
    """The handler of whatever has none. Raises NO_SUCH_BUTTON."""
    raise MatchError(Problem.NO_SUCH_BUTTON)
