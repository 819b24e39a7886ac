"""The rules of message components: classic rows of buttons and menus, and the Components V2 layout tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import Any

from ..errors import invalid
from .forms import Json, check_count, check_length, check_member, check_range, check_required, check_unique, joined


class Part(IntEnum):
    """The kinds of components that the bot uses, as Discord numbers them. Others are refused."""

    ROW = 1
    BUTTON = 2
    STRING_SELECT = 3
    TEXT_INPUT = 4
    USER_SELECT = 5
    ROLE_SELECT = 6
    CHANNEL_SELECT = 8
    SECTION = 9
    TEXT = 10
    GALLERY = 12
    FILE = 13
    CONTAINER = 17
    LABEL = 18


SELECTS = (3, 5, 6, 8)
_IN_CONTAINER = (Part.ROW, Part.SECTION, Part.TEXT, Part.GALLERY, Part.FILE)
_LINK = 5


def walk(components: Sequence[Json], path: str = "components") -> Iterator[tuple[str, Json]]:
    """Yields every component of a tree with its dotted path, parents before children, in order of display."""
    for number, component in enumerate(components):
        where = joined(path, number)
        yield where, component
        yield from walk(component.get("components") or [], joined(where, "components"))
        for name in ("accessory", "component"):
            if component.get(name):
                yield joined(where, name), component[name]


def custom_ids(components: Sequence[Json]) -> list[str]:
    """Returns the custom_ids of a tree, in order."""
    return [part["custom_id"] for _, part in walk(components) if part.get("custom_id")]


def texts(components: Sequence[Json]) -> str:
    """Returns the text displays of a tree, in order, joined by line breaks."""
    return "\n".join(part.get("content", "") for _, part in walk(components) if part.get("type") == Part.TEXT)


def attachment_urls(trees: object) -> set[str]:
    """Returns the names of the files that components show by `attachment://` addresses."""
    if isinstance(trees, list | tuple):
        return set().union(*map(attachment_urls, trees))
    if not isinstance(trees, dict):
        return set()
    found = attachment_urls(list(trees.values()))
    url = str(trees.get("url"))
    return found | {url.removeprefix("attachment://")} if url.startswith("attachment://") else found


def check_components(components: Any, *, v2: bool, files: Sequence[str] = ()) -> None:
    """Refuses a component tree that Discord would not accept; `attachment://` can name the `files`."""
    if v2:
        _check_layout(components, files)
    else:
        check_children("", {"components": components}, 5, (Part.ROW,), fewest=0)
        for number, row in enumerate(components):
            _check_row(joined("components", number), row)
    check_unique("components", custom_ids(components), "COMPONENT_CUSTOM_ID_DUPLICATED")


def check_children(path: str, parent: Json, most: int, kinds: Sequence[int], *, fewest: int = 1) -> Sequence[Json]:
    """Returns the components of a part. Refuses too many or too few, and other kinds."""
    children = parent.get("components")
    check_count(joined(path, "components"), children, most, fewest)
    assert isinstance(children, list | tuple)
    for number, child in enumerate(children):
        check_member(joined(path, "components", number, "type"), child.get("type"), kinds)
    return children


def _check_layout(components: Any, files: Sequence[str]) -> None:
    check_children("", {"components": components}, 40, (*_IN_CONTAINER, Part.CONTAINER))
    parts = list(walk(components))
    if len(parts) > 40:
        raise invalid(
            "components",
            "COMPONENT_MAX_TOTAL_COMPONENTS",
            "A message may have at most 40 components in total",
        )
    if len(texts(components).replace("\n", "")) > 4000:
        raise invalid("components", "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED", "The texts exceed 4000 characters")
    for path, part in parts:
        _check_part(path, part, files)


def _check_part(path: str, part: Json, files: Sequence[str]) -> None:
    match part.get("type"):
        case Part.ROW:
            _check_row(path, part)
        case Part.CONTAINER:
            check_children(path, part, 39, _IN_CONTAINER)
        case Part.SECTION:
            check_children(path, part, 3, (Part.TEXT,))
            check_required(path, part, "accessory")
            check_member(joined(path, "accessory", "type"), part["accessory"].get("type"), (Part.BUTTON,))
            check_button(joined(path, "accessory"), part["accessory"])
        case Part.TEXT:
            check_length(joined(path, "content"), part.get("content") or "", 4000, 1)
        case Part.GALLERY:
            check_count(joined(path, "items"), part.get("items"), 10, 1)
            for number, item in enumerate(part["items"]):
                _check_media(joined(path, "items", number), item, "media", files)
        case Part.FILE:
            _check_media(path, part, "file", files)


def _check_media(path: str, holder: Json, field: str, files: Sequence[str]) -> None:
    check_required(path, holder, field)
    check_length(joined(path, "description"), holder.get("description"), 1024, 1)
    url = str(holder[field].get("url", ""))
    scheme, _, name = url.partition("://")
    if scheme == "attachment" and name not in files:
        raise invalid(
            joined(path, field, "url"),
            "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND",
            f"The referenced attachment {name!r} was not found",
        )
    if scheme not in (("attachment",) if field == "file" else ("attachment", "http", "https")):
        raise invalid(joined(path, field, "url"), "URL_TYPE_INVALID_SCHEME", f"Scheme {scheme!r} is not supported.")


def _check_row(path: str, row: Json) -> None:
    parts = check_children(path, row, 5, (Part.BUTTON, *SELECTS))
    for number, part in enumerate(parts):
        where = joined(path, "components", number)
        if part["type"] == Part.BUTTON:
            check_button(where, part)
        else:
            check_select(where, part)
            if len(parts) > 1:
                raise invalid(joined(path, "components"), "COMPONENT_LAYOUT_WIDTH_EXCEEDED", "The row is too wide")


def check_button(path: str, button: Json) -> None:
    """Refuses a button without or with a bad label or emoji, and one that is neither link nor action."""
    style = button.get("style")
    check_member(joined(path, "style"), style, (1, 2, 3, 4, _LINK))
    check_length(joined(path, "label"), button.get("label"), 80)
    if not button.get("label") and not button.get("emoji"):
        raise invalid(path, "BUTTON_COMPONENT_LABEL_OR_EMOJI_REQUIRED", "A button needs a label or an emoji")
    needed = "url" if style == _LINK else "custom_id"
    check_required(path, button, needed)
    check_length(joined(path, needed), button[needed], 512 if style == _LINK else 100, 1)


def check_select(path: str, select: Json) -> None:
    """Refuses a menu with a bad custom_id, placeholder, range of choices, or list of options."""
    check_required(path, select, "custom_id")
    check_length(joined(path, "custom_id"), select["custom_id"], 100, 1)
    check_length(joined(path, "placeholder"), select.get("placeholder"), 150)
    check_range(joined(path, "min_values"), select.get("min_values"), 25)
    check_range(joined(path, "max_values"), select.get("max_values"), 25, 1)
    fewest, most = select.get("min_values", 1), select.get("max_values", 1)
    if fewest > most:
        raise invalid(joined(path, "min_values"), "NUMBER_TYPE_MAX", "min_values is greater than max_values")
    if select["type"] != Part.STRING_SELECT:
        return
    _check_options(joined(path, "options"), select.get("options"))
    if len(select["options"]) < fewest:
        raise invalid(joined(path, "options"), "BASE_TYPE_BAD_LENGTH", "There are fewer options than min_values")
    if sum(bool(option.get("default")) for option in select["options"]) > most:
        raise invalid(joined(path, "options"), "SELECT_COMPONENT_TOO_MANY_DEFAULTS", "Too many options are chosen")


def _check_options(path: str, options: Any) -> None:
    """Refuses bad options of a menu: texts beyond 100 characters, and repeated values."""
    check_count(path, options, 25, 1)
    for number, option in enumerate(options):
        where = joined(path, number)
        check_required(where, option, "label", "value")
        for name in ("label", "value", "description"):
            check_length(joined(where, name), option.get(name), 100)
    check_unique(path, [option["value"] for option in options], "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED")
