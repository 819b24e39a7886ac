"""The limits of what is built of parts: components, layouts, modals, commands, suggestions."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox import limits
from tests.sandbox.asking import refusal_code

Json = dict[str, Any]


def button(custom_id: str = "a", **more: Any) -> Json:
    return {"type": 2, "style": 1, "label": "Go", "custom_id": custom_id, **more}


def link(**more: Any) -> Json:
    return {"type": 2, "style": 5, "label": "Go", "url": "https://example.org", **more}


def menu(options: int = 2, **more: Any) -> Json:
    choices = [{"label": str(number), "value": str(number)} for number in range(options)]
    return {"type": 3, "custom_id": "menu", "options": choices, **more}


def row(*parts: Json) -> Json:
    return {"type": 1, "components": list(parts)}


def text(words: str = "hello") -> Json:
    return {"type": 10, "content": words}


def gallery(url: str = "attachment://a.png", count: int = 1, **more: Any) -> Json:
    return {"type": 12, "items": [{"media": {"url": url}, **more}] * count}


def label(field: Json, words: str = "Name") -> Json:
    return {"type": 18, "label": words, "component": field}


def field(custom_id: str = "name", **more: Any) -> Json:
    return {"type": 4, "style": 1, "custom_id": custom_id, **more}


def modal(*parts: Json, **more: Any) -> Json:
    return {"title": "Form", "custom_id": "form", "components": list(parts), **more}


def option(name: str = "move", kind: int = 3, **more: Any) -> Json:
    return {"type": kind, "name": name, "description": "Words", **more}


def command(*options: Json, **more: Any) -> Json:
    return {"name": "play", "description": "Start a game", "options": list(options), **more}


def choices(count: int) -> list[Json]:
    return [{"name": str(number), "value": str(number)} for number in range(count)]


@pytest.mark.parametrize(
    ("components", "code"),
    [
        ([row(button(str(number)), button(f"x{number}")) for number in range(5)], None),
        ([row(button(str(number))) for number in range(6)], 50035),
        ([row(*(button(str(number)) for number in range(5)))], None),
        ([row(*(button(str(number)) for number in range(6)))], 50035),
        ([row()], 50035),
        ([button()], 50035),
        ([text()], 50035),
        ([row(button()), row(button())], 50035),
        ([row(button("x" * 100))], None),
        ([row(button("x" * 101))], 50035),
        ([row(button(label="x" * 80))], None),
        ([row(button(label="x" * 81))], 50035),
        ([row(button(label=None))], 50035),
        ([row(button(label=None, emoji={"name": "x"}))], None),
        ([row(button(url="https://example.org"))], 50035),
        ([row(button(style=9))], 50035),
        ([row(link())], None),
        ([row(link(custom_id="x"))], 50035),
        ([row(link(url="https://example.org/" + "x" * 512))], 50035),
        ([row(menu(25))], None),
        ([row(menu(26))], 50035),
        ([row(menu(0))], 50035),
        ([row(menu(), button())], 50035),
        ([row(menu(max_values=26))], 50035),
        ([row(menu(min_values=2, max_values=1))], 50035),
        ([row(menu(min_values=3, max_values=3))], 50035),
        ([row(menu(placeholder="x" * 151))], 50035),
        ([row(menu(options=0) | {"options": [{"label": "a", "value": "a"}] * 2})], 50035),
        ([row(menu(options=0) | {"options": [{"label": "x" * 101, "value": "a"}]})], 50035),
        ([row({"type": 5, "custom_id": "who"})], None),
        ([row(button(id=3), button("b", id=3))], 50035),
    ],
)
def test_classic_components(components: list[Json], code: int | None) -> None:
    assert refusal_code(limits.check_components, components, v2=False) == code


@pytest.mark.parametrize(
    ("components", "code"),
    [
        ([text(), row(button())], None),
        ([text()] * 40, None),
        ([text()] * 41, 50035),
        ([{"type": 17, "components": [text()] * 39}], None),
        ([{"type": 17, "components": [text()] * 20}, {"type": 17, "components": [text()] * 19}], 50035),
        ([text("x" * 2000), text("x" * 2000)], None),
        ([text("x" * 2000), text("x" * 2001)], 50035),
        ([text("")], 50035),
        ([{"type": 17, "components": [{"type": 17, "components": [text()]}]}], 50035),
        ([{"type": 17, "components": []}], 50035),
        ([button()], 50035),
        ([{"type": 9, "components": [text()], "accessory": button()}], None),
        ([{"type": 9, "components": [text()], "accessory": button(label="x" * 81)}], 50035),
        ([{"type": 9, "components": [text()]}], 50035),
        ([{"type": 9, "components": [text()] * 4, "accessory": button()}], 50035),
        ([{"type": 9, "components": [row(button())], "accessory": button("b")}], 50035),
        ([gallery(count=10)], None),
        ([gallery(count=11)], 50035),
        ([gallery(description="x" * 1025)], 50035),
        ([gallery("attachment://other.png")], 50035),
        ([gallery("https://example.org/x.png")], None),
        ([gallery("ftp://example.org/x.png")], 50035),
        ([{"type": 13, "file": {"url": "attachment://a.png"}}], None),
        ([{"type": 13, "file": {"url": "https://example.org/x.png"}}], 50035),
        ([{"type": 14, "spacing": 3}], 50035),
        ([{"type": 14}], None),
        ([row(button()), {"type": 17, "components": [row(button())]}], 50035),
    ],
)
def test_layouts(components: list[Json], code: int | None) -> None:
    assert refusal_code(limits.check_components, components, v2=True, files=["a.png"]) == code


@pytest.mark.parametrize(
    ("form", "code"),
    [
        (modal(label(field())), None),
        (modal(row(field(label="Name"))), None),
        (modal(row(field())), 50035),
        (modal(row(button())), 50035),
        (modal(), 50035),
        (modal(*(label(field(str(number))) for number in range(6))), 50035),
        (modal(label(field()), title="x" * 46), 50035),
        (modal(label(field()), custom_id="x" * 101), 50035),
        (modal(label(field(), "x" * 46)), 50035),
        (modal(label(field()), label(field())), 50035),
        (modal(label(field(max_length=4001))), 50035),
        (modal(label(field(placeholder="x" * 101))), 50035),
        (modal(label(field(style=3))), 50035),
        (modal(label(menu())), None),
        (modal(label(menu(26))), 50035),
        (modal(label({**menu(10), "type": 21})), None),
        (modal(label({**menu(1), "type": 21})), 50035),
        (modal(label({**menu(11), "type": 22})), 50035),
        (modal(label({"type": 23, "custom_id": "yes"})), None),
        (modal(text(), label(field())), None),
        (modal(label(button())), 50035),
    ],
)
def test_modals(form: Json, code: int | None) -> None:
    assert refusal_code(limits.check_modal, form) == code


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"name": "Ada", "menu": ["1"]}, None),
        ({"menu": ["1"]}, 50035),
        ({"name": "", "menu": ["1"]}, 50035),
        ({"name": "Adelheid", "menu": ["1"]}, 50035),
        ({"name": "Ada", "menu": ["7"]}, 50035),
    ],
)
def test_submitted_forms(values: Json, code: int | None) -> None:
    parts = [label(field(max_length=5)), label(menu()), label({"type": 23, "custom_id": "yes"})]
    assert refusal_code(limits.check_modal_values, parts, values) == code


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (command(), None),
        (command(option()), None),
        (command(name="x" * 33), 50035),
        (command(name="Play"), 50035),
        (command(name="play now"), 50035),
        (command(name="spør-på_nå"), None),
        (command(description=""), 50035),
        (command(description="x" * 101), 50035),
        (command(description_localizations={"no": "x" * 101}), 50035),
        (command(name_localizations={"no": "spill"}), None),
        (command(name_localizations={"nb": "spill"}), 50035),
        (command(name_localizations={"no": "Spill"}), 50035),
        (command(*(option(f"o{number}") for number in range(25))), None),
        (command(*(option(f"o{number}") for number in range(26))), 50035),
        (command(option(), option()), 50035),
        (command(option("a"), option("b", required=True)), 50035),
        (command(option("a", required=True), option("b")), None),
        (command(option(choices=choices(25))), None),
        (command(option(choices=choices(26))), 50035),
        (command(option(choices=[{"name": "x" * 101, "value": "x"}])), 50035),
        (command(option(choices=choices(2), autocomplete=True)), 50035),
        (command(option(kind=6, autocomplete=True)), 50035),
        (command(option(kind=12)), 50035),
        (command(option(max_length=6001)), 50035),
        (command(option("a", name_localizations={"no": "x"}), option("b", name_localizations={"no": "x"})), 50035),
        (command(option("a", name_localizations={"no": "b"}), option("b")), 50035),
        (command(option("a", 1), option("b", 2, options=[option("c", 1, options=[option()])])), None),
        (command(option("a", 1), option("b")), 50035),
        (command(option("a", 2, options=[option("b", 2)])), 50035),
        (command(option("a", 1, options=[option("b", 1)])), 50035),
        (
            command(
                *(
                    option(f"o{n}", choices=[{"name": str(c), "value": str(c) * 97} for c in range(25)])
                    for n in range(4)
                )
            ),
            50035,
        ),
        ({"type": 3, "name": "Save this", "description": ""}, None),
        ({"type": 3, "name": "Save this", "description": "x"}, 50035),
    ],
)
def test_commands(body: Json, code: int | None) -> None:
    assert refusal_code(limits.check_command, body) == code


def test_lists_of_commands() -> None:
    assert refusal_code(limits.check_commands, [command(name=f"c{number}") for number in range(100)]) is None
    assert refusal_code(limits.check_commands, [command(name=f"c{number}") for number in range(101)]) == 50035
    assert refusal_code(limits.check_commands, [command(), command()]) == 50035
    assert refusal_code(limits.check_commands, [{"type": 2, "name": f"c{number}"} for number in range(16)]) == 50035


def test_suggestions() -> None:
    assert refusal_code(limits.check_choices, choices(25)) is None
    assert refusal_code(limits.check_choices, choices(26)) == 50035
    assert refusal_code(limits.check_choices, [{"name": "x" * 101, "value": "x"}]) == 50035
    assert refusal_code(limits.check_choices, [{"name": "x", "value": "x" * 101}]) == 50035
    assert refusal_code(limits.check_choices, [{"name": "", "value": "x"}]) == 50035
    assert refusal_code(limits.check_choices, [{"name": "x", "value": None}]) == 50035
