"""Holds what the bot sends against Discord's own description of its API, where that document is at hand."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

DOCUMENT = Path(__file__).parents[2] / ".." / "shared" / "discord" / "openapi.json"
_URI = "urn:discord"


def check_payload(method: str, template: str, payload: object) -> None:
    """Refuses a payload that the route's schema does not allow. Errors: ValueError naming the place and the rule."""
    validator = _validator(method.lower(), template)
    if validator is None:
        raise ValueError(f"Discord's API has no {method} {template} with a body")
    error = best_match(validator.iter_errors(payload))
    if error is not None:
        raise ValueError(f"{method} {template}: {error.json_path}: {error.message}")


def skip_without_document() -> None:
    """Skips the test that is running unless the document is at hand."""
    if not DOCUMENT.is_file():
        pytest.skip("Discord's OpenAPI document is not at ../shared/discord/openapi.json")


@cache
def _document() -> Any:
    document = json.loads(DOCUMENT.read_text("utf-8"))
    # Discord takes a snowflake as a number too, and discord.py sends some so; the document only has the text.
    document["components"]["schemas"]["SnowflakeType"] = {"type": ["string", "integer"], "pattern": r"^(0|[1-9]\d*)$"}
    return document


@cache
def _registry() -> Registry[Any]:
    resource = Resource.from_contents(_document(), default_specification=DRAFT202012)
    empty: Registry[Any] = Registry()
    return empty.with_resource(_URI, resource)


@cache
def _validator(method: str, template: str) -> Draft202012Validator | None:
    operation = _document()["paths"].get(template, {}).get(method, {})
    if "application/json" not in operation.get("requestBody", {}).get("content", {}):
        return None
    place = ["paths", template, method, "requestBody", "content", "application/json", "schema"]
    pointer = "/".join(part.replace("~", "~0").replace("/", "~1") for part in place)
    pointer = pointer.replace("{", "%7B").replace("}", "%7D")
    return Draft202012Validator({"$ref": f"{_URI}#/{pointer}"}, registry=_registry())
