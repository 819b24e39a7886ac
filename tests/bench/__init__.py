"""Speed, as ratios to something measured in the same run. `python -m tests.bench [NAME …]` prints every figure."""

from typing import NamedTuple


class Figure(NamedTuple):
    """One measured figure; we promise at most `limit`, or at least `limit` if `at_least` is true."""

    name: str
    value: float
    limit: float
    detail: str = ""
    at_least: bool = False

    @property
    def kept(self) -> bool:
        """True if the promise holds."""
        return self.value >= self.limit if self.at_least else self.value <= self.limit


short = False
"""True to cut long measurements short: this shows that they run, but gives no figures to publish."""
