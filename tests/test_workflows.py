"""What the workflows in `.github` try, and with which actions."""

from __future__ import annotations

import re
import tomllib

import yaml
from packaging.specifiers import SpecifierSet

from tests.repository import read


def test_the_workflows_try_every_python_that_is_declared() -> None:
    declared = SpecifierSet(tomllib.loads(read("pyproject.toml"))["project"]["requires-python"])
    matrix = yaml.safe_load(read(".github/workflows/tests.yml"))["jobs"]["tests"]["strategy"]["matrix"]
    assert matrix["python"] == [f"3.{minor}" for minor in range(30) if f"3.{minor}" in declared]
    assert {name.split("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}
    for name in (".github/workflows/tests.yml", ".github/workflows/release.yml"):
        actions = re.findall(r"uses: (\S+)", read(name))
        assert actions
        assert not [action for action in actions if not re.search(r"@v\d+\.\d+\.\d+$", action)]
