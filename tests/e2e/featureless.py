"""`python -m tests.e2e.featureless`: the whole program without the feature that MISSING_FEATURE names.

Its line in `bot/features.py` is taken out, and its folder cannot be imported.
"""

from __future__ import annotations

import os
import re
import runpy
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

NAME = os.environ["MISSING_FEATURE"]


class _TrimmedList(SourceFileLoader):
    """Loads `bot/features.py` without the lines of the feature."""

    def get_code(self, fullname: str) -> CodeType:
        source = Path(self.path).read_text("utf-8")
        trimmed, removed = re.subn(
            rf"^(from bot\.{NAME}\.feature import .*|    {NAME.upper()},)\n", "", source, flags=re.M
        )
        assert removed == 2, source
        return compile(trimmed, self.path, "exec")


class _WithoutFeature(MetaPathFinder):
    """Finds nothing in the folder of the feature."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if f"{fullname}.".startswith(f"bot.{NAME}."):
            raise ModuleNotFoundError(fullname)
        if fullname != "bot.features":
            return None
        spec = PathFinder.find_spec(fullname, path)
        assert spec is not None
        assert spec.origin is not None
        spec.loader = _TrimmedList(fullname, spec.origin)
        return spec


if __name__ == "__main__":
    sys.meta_path.insert(0, _WithoutFeature())
    runpy.run_module("bot", run_name="__main__", alter_sys=True)
