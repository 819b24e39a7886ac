"""compose.yaml agrees with the program, its image and the documentation. Docker itself is not run here."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from bot.store.connection import Address
from bot.store.postgresql_session import OLDEST_POSTGRES
from tests.repository import read

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


def test_who_is_waited_for_says_when_it_is_well() -> None:
    for name in WORKERS:
        waits_for = SERVICES[name]["depends_on"]
        assert waits_for == {"postgres": {"condition": "service_healthy"}}
    assert "pg_isready" in SERVICES["postgres"]["healthcheck"]["test"]
    assert "HEALTHCHECK" in read("Dockerfile")  # which `--wait` waits for


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


def test_every_service_comes_back_and_has_time_to_end() -> None:
    for service in SERVICES.values():
        assert service["restart"] == "unless-stopped"
        assert re.fullmatch(r"30s|1m", service["stop_grace_period"])  # the bot ends within ten seconds


@pytest.mark.parametrize("page", ["compose.yaml", "docs/hosting.md"])
def test_the_commands_name_services_that_there_are(page: str) -> None:
    lines = [line for line in read(page).splitlines() if "docker compose" in line]
    named = {word for line in lines for word in re.findall(r"\b(?:worker|postgres)(?:-\d+)?(?= |$)", line)}
    assert named <= set(SERVICES)
    assert {*WORKERS} <= named
