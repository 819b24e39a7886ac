"""Holds what bot and sandbox say to each other against Discord's own description of its API, where it is at hand."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import aiohttp
from jsonschema_rs import Draft202012, Draft202012Validator, Registry

DOCUMENT = Path(__file__).parents[2] / ".." / "shared" / "discord" / "openapi.json"
_URI = "urn:discord"


def check_payload(method: str, template: str, payload: object) -> None:
    """Refuses a payload that the route's schema does not allow. Errors: ValueError naming the place and the rule."""
    operation = _operation(method, template)
    if operation is None or "application/json" not in operation.get("requestBody", {}).get("content", {}):
        raise ValueError(f"Discord's API has no {method} {template} with a body")
    _check(["paths", template, method.lower(), "requestBody"], payload)


def check_answer(method: str, path: str, status: int, answer: object) -> None:
    """Refuses a JSON answer (None without a body) that Discord would not give. Errors: ValueError, as above."""
    template = next(template for pattern, template in _templates() if pattern.fullmatch(path))
    operation = _operation(method, template)
    if operation is None:
        raise ValueError(f"Discord's API has no {method} {template}")
    if answer is None:
        if str(status) not in operation["responses"]:
            raise ValueError(f"{method} {template}: {status} without a body")
        return
    place = next(one for one, told in operation["responses"].items() if one.startswith("2") and "content" in told)
    _check(["paths", template, method.lower(), "responses", place], answer)


def trace(problems: list[str]) -> aiohttp.TraceConfig:
    """For `discord.Client(http_trace=…)`: collects what is wrong with the sandbox's answers."""

    async def on_end(_: aiohttp.ClientSession, __: SimpleNamespace, seen: aiohttp.TraceRequestEndParams) -> None:
        if seen.url.path.startswith("/api/v10") and 200 <= seen.response.status < 300:
            text = await seen.response.text()
            try:
                path = seen.url.path.removeprefix("/api/v10")
                check_answer(seen.method, path, seen.response.status, json.loads(text) if text else None)
            except ValueError as error:
                problems.append(str(error))

    config = aiohttp.TraceConfig()
    config.on_request_end.append(on_end)
    return config


def _operation(method: str, template: str) -> Any:
    return _document()["paths"].get(template, {}).get(method.lower())


def _check(place: list[str], body: object) -> None:
    error = next(_validator(tuple(place)).iter_errors(body), None)
    if error is not None:
        inside = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.instance_path)
        raise ValueError(f"{place[2].upper()} {place[1]} {place[3]}: ${inside}: {error.message[:300]}")


@cache
def _templates() -> list[tuple[re.Pattern[str], str]]:
    """The routes of Discord's API; those with literal parts first, so that `@original` is no message id."""
    found = [(re.compile(re.sub(r"\{\w+\}", "[^/]+", template)), template) for template in _document()["paths"]]
    return sorted(found, key=lambda one: one[1].count("{"))


@cache
def _document() -> Any:
    document = json.loads(DOCUMENT.read_text("utf-8"))
    # Discord takes a snowflake as a number too, and discord.py sends some so; the document only has the text.
    document["components"]["schemas"]["SnowflakeType"] = {"type": ["string", "integer"], "pattern": r"^(0|[1-9]\d*)$"}
    return document


@cache
def _registry() -> Registry:
    return Registry([(_URI, _document())], draft=Draft202012)


@cache
def _validator(place: tuple[str, ...]) -> Draft202012Validator:
    parts = (*place, "content", "application/json", "schema")
    pointer = "/".join(part.replace("~", "~0").replace("/", "~1") for part in parts)
    return Draft202012Validator({"$ref": f"{_URI}#/" + quote(pointer, safe="/~@")}, registry=_registry())
