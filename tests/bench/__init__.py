"""Speed, as ratios to something measured in the same run. `python -m tests.bench [NAME …]` prints every figure."""

from typing import NamedTuple


class Figure(NamedTuple):
    """One measured figure: at most `limit` (or at least, where `at_least` is true) is what we promise."""

    name: str
    value: float
    limit: float
    detail: str = ""
    at_least: bool = False

    @property
    def kept(self) -> bool:
        """Whether the promise holds."""
        return self.value >= self.limit if self.at_least else self.value <= self.limit


short = False
"""Whether the long measurements are to be cut short: to see that they run, not for figures to be told."""
