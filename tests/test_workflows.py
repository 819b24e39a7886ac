"""What the workflows in `.github` try, with which actions, and what keeps those up to date."""

from __future__ import annotations

import re
import tomllib

import yaml
from packaging.specifiers import SpecifierSet

from tests.repository import ROOT, read

WORKFLOWS = tuple(path.relative_to(ROOT).as_posix() for path in sorted((ROOT / ".github/workflows").iterdir()))


def test_the_workflows_try_every_python_that_is_declared() -> None:
    declared = SpecifierSet(tomllib.loads(read("pyproject.toml"))["project"]["requires-python"])
    matrix = yaml.safe_load(read(".github/workflows/tests.yml"))["jobs"]["tests"]["strategy"]["matrix"]
    assert matrix["python"] == [f"3.{minor}" for minor in range(30) if f"3.{minor}" in declared]
    assert {name.split("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}


def test_every_action_is_a_commit_with_its_version_in_a_comment() -> None:
    # A tag can be moved to other code, a commit cannot; Dependabot moves both together.
    pins = set[tuple[str, ...]]()
    for name in WORKFLOWS:
        for line in (line for line in read(name).splitlines() if "uses:" in line):
            pin = re.fullmatch(r" *- uses: ([\w-]+/[\w-]+)@([0-9a-f]{40})  # (v\d+\.\d+\.\d+)", line)
            assert pin, f"{name}: {line}"
            pins.add(pin.groups())
    assert {action for action, _, _ in pins} >= {"actions/checkout", "docker/build-push-action"}
    assert len({action for action, _, _ in pins}) == len(pins), "one version of each"


def test_dependabot_keeps_actions_and_packages_up_to_date() -> None:
    updates = yaml.safe_load(read(".github/dependabot.yml"))["updates"]
    assert {update["package-ecosystem"]: update["directory"] for update in updates} == {
        "github-actions": "/",
        "pip": "/",
    }
    pinned = re.findall(r'^    "([\w.]+)==.*#.*\bpinned\b', read("pyproject.toml"), re.MULTILINE)
    assert pinned
    ignored = {rule["dependency-name"] for update in updates for rule in update.get("ignore", ())}
    assert {*pinned} <= ignored, "each of these says why it has that version"
