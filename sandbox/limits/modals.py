"""The rules of modals (forms in a window), and of the values that a person may submit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..errors import invalid
from .components import SELECTS, Part, check_children, check_select, walk
from .forms import Json, check_length, check_member, check_range, check_required, check_unique, joined

_INPUTS = (Part.TEXT_INPUT, *SELECTS)


def inputs_of(components: Sequence[Json]) -> list[Json]:
    """Returns the fields of a modal that a person fills in, in order."""
    return [part for _, part in walk(components) if part.get("type") in _INPUTS]


def check_modal(modal: Json) -> None:
    """Refuses a modal that Discord would not open. Refusal: 50035."""
    path = "data"
    check_required(path, modal, "title", "custom_id", "components")
    check_length(joined(path, "title"), modal["title"], 45, 1)
    check_length(joined(path, "custom_id"), modal["custom_id"], 100, 1)
    for number, part in enumerate(check_children(path, modal, 5, (Part.TEXT, Part.LABEL))):
        _check_top(joined(path, "components", number), part)
    fields = inputs_of(modal["components"])
    check_unique(joined(path, "components"), [f["custom_id"] for f in fields], "COMPONENT_CUSTOM_ID_DUPLICATED")


def _check_top(path: str, part: Json) -> None:
    if part["type"] == Part.TEXT:
        check_length(joined(path, "content"), part.get("content") or "", 4000, 1)
    else:
        check_required(path, part, "label", "component")
        check_length(joined(path, "label"), part["label"], 45, 1)
        check_length(joined(path, "description"), part.get("description"), 100)
        check_member(joined(path, "component", "type"), part["component"].get("type"), _INPUTS)
        _check_input(joined(path, "component"), part["component"])


def _check_input(path: str, field: Json) -> None:
    check_required(path, field, "custom_id")
    check_length(joined(path, "custom_id"), field["custom_id"], 100, 1)
    if field["type"] in SELECTS:
        check_select(path, field)
        return
    check_member(joined(path, "style"), field.get("style"), (1, 2))
    check_length(joined(path, "placeholder"), field.get("placeholder"), 100)
    check_length(joined(path, "value"), field.get("value"), 4000)
    check_range(joined(path, "min_length"), field.get("min_length"), 4000)
    check_range(joined(path, "max_length"), field.get("max_length"), 4000, 1)


def check_modal_values(components: Sequence[Json], values: Mapping[str, object]) -> None:
    """Refuses values that Discord's own client would not submit: missing required fields, texts of a wrong length."""
    for field in inputs_of(components):
        value = values.get(field["custom_id"])
        path = str(field["custom_id"])
        if field.get("required", True) and value in (None, "", []):
            raise invalid(path, "BASE_TYPE_REQUIRED", "This field is required")
        if field["type"] == Part.TEXT_INPUT and value:
            check_length(path, value, field.get("max_length") or 4000, field.get("min_length") or 0)
        options = [option["value"] for option in field.get("options") or []]
        chosen = value if isinstance(value, list) else [value] if value else []
        for choice in chosen if options else []:
            check_member(path, choice, options)
