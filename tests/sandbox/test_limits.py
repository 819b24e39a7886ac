"""Every limit by itself: what Discord takes, what it refuses, and with which code."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.errors import Refusal
from sandbox.limits.commands import check_choices, check_command, check_commands
from sandbox.limits.components import check_components
from sandbox.limits.interactions import Kind, check_answer, check_token
from sandbox.limits.mentions import Mentions, check_allowed_mentions, permitted, read_mentions
from sandbox.limits.messages import LARGEST_FILE, Upload, check_files, check_message, check_nonce
from sandbox.limits.modals import check_modal, check_modal_values
from sandbox.limits.threads import check_may_edit, check_may_send, check_thread
from tests.sandbox.bot_requests import refusal_code

Json = dict[str, Any]


def button(custom_id: str = "a", **more: Any) -> Json:
    return {"type": 2, "style": 1, "label": "Go", "custom_id": custom_id, **more}


def row(*parts: Json) -> Json:
    return {"type": 1, "components": list(parts)}


def text(words: str = "hello") -> Json:
    return {"type": 10, "content": words}


@pytest.mark.parametrize(
    ("kind", "answer", "age", "answered", "on_message", "code"),
    [
        (Kind.COMMAND, 4, 2.9, False, False, None),
        (Kind.COMMAND, 4, 3.1, False, False, 10062),
        (Kind.COMMAND, 4, 0, True, False, 40060),
        (Kind.COMMAND, 4, 5, True, False, 40060),
        (Kind.COMMAND, 7, 0, False, False, 50035),
        (Kind.COMMAND, 8, 0, False, False, 50035),
        (Kind.COMMAND, None, 0, False, False, 50035),
        (Kind.AUTOCOMPLETE, 8, 0, False, False, None),
        (Kind.AUTOCOMPLETE, 5, 0, False, False, 50035),
        (Kind.COMPONENT, 7, 0, False, True, None),
        (Kind.COMPONENT, 6, 0, False, True, None),
        (Kind.COMPONENT, 9, 0, False, True, None),
        (Kind.MODAL, 9, 0, False, True, 50035),
        (Kind.MODAL, 7, 0, False, True, None),
        (Kind.MODAL, 7, 0, False, False, 50035),
    ],
)
def test_the_first_answer_comes_in_time_once_and_fits(
    kind: Kind, answer: int | None, age: float, answered: bool, on_message: bool, code: int | None
) -> None:
    given = {"age": age, "answered": answered, "on_message": on_message}
    assert refusal_code(check_answer, kind, answer, **given) == code


def test_a_token_works_from_the_answer_for_fifteen_minutes() -> None:
    assert refusal_code(check_token, age=1, answered=False) == 10015
    assert refusal_code(check_token, age=899, answered=True) is None
    assert refusal_code(check_token, age=901, answered=True) == 50027


@pytest.mark.parametrize(
    ("body", "files", "code"),
    [
        ({"content": "x" * 2000}, [], None),
        ({"content": "x" * 2001}, [], 50035),
        ({"content": "  "}, [], 50006),
        ({}, [], 50006),
        ({"components": [row(button())]}, [], 50006),
        ({}, ["a.png"], None),
        ({"content": "x", "embeds": [{"title": "x"}]}, [], 50035),
        ({"content": "x", "poll": {"question": "?"}}, [], 50035),
    ],
)
def test_messages(body: Json, files: list[str], code: int | None) -> None:
    assert refusal_code(check_message, body, files, v2=False) == code


def test_a_v2_message_has_nothing_but_components() -> None:
    whole = {"components": [text()]}
    assert refusal_code(check_message, whole, [], v2=True) is None
    assert refusal_code(check_message, {**whole, "content": "x"}, [], v2=True) == 50035
    assert refusal_code(check_message, {"components": []}, ["a.png"], v2=True) == 50035


def test_the_wrong_field_is_named_as_discord_names_it() -> None:
    with pytest.raises(Refusal) as caught:
        check_message({"content": "x" * 2001}, [], v2=False)
    error = {"code": "BASE_TYPE_MAX_LENGTH", "message": "Must be 2000 or fewer in length."}
    assert caught.value.body() == {
        "message": "Invalid Form Body",
        "code": 50035,
        "errors": {"content": {"_errors": [error]}},
    }


@pytest.mark.parametrize(
    ("files", "kept", "code"),
    [
        ([Upload("a.png", b"x", None)] * 10, 0, None),
        ([Upload("a.png", b"x", None)] * 10, 1, 50035),
        ([Upload("a.png", b"", None)], 0, 50035),
        ([Upload("a.png", b"x", "y" * 1024)], 0, None),
        ([Upload("a.png", b"x", "y" * 1025)], 0, 50035),
        ([Upload("a.png", b"x" * (LARGEST_FILE + 1), None)], 0, 40005),
    ],
)
def test_files(files: list[Upload], kept: int, code: int | None) -> None:
    assert refusal_code(check_files, files, kept) == code


def test_a_nonce_has_25_characters_at_most() -> None:
    assert check_nonce({}) is None
    assert check_nonce({"nonce": 12}) == "12"
    assert check_nonce({"nonce": "x" * 25}) == "x" * 25
    assert refusal_code(check_nonce, {"nonce": "x" * 26}) == 50035


def test_mentions_are_read_outside_code() -> None:
    written = "<@1> <@!2> `<@3>` ```\n<@4>\n``` <@1> @everyone"
    assert read_mentions(written) == Mentions((1, 2), True)
    assert read_mentions("me@everyone.org <@&5>").people == ()


def test_absent_allowed_mentions_let_everything_through_and_empty_ones_nothing() -> None:
    written = Mentions((1, 2), True)
    everything = ("users", "roles", "everyone")
    assert permitted(written, None, default=everything) == written
    assert permitted(written, None, default=("users",)) == Mentions((1, 2))
    assert permitted(written, {"parse": []}, default=everything) == Mentions(())
    assert permitted(written, {"parse": [], "users": ["2", "3"]}, default=everything) == Mentions((2,))
    assert permitted(written, {"parse": ["everyone"]}, default=everything) == Mentions((), True)


def test_allowed_mentions_name_a_hundred_people_at_most() -> None:
    assert refusal_code(check_allowed_mentions, None) is None
    assert refusal_code(check_allowed_mentions, {"users": [str(number) for number in range(100)]}) is None
    assert refusal_code(check_allowed_mentions, {"users": [str(number) for number in range(101)]}) == 50035


def test_threads() -> None:
    assert refusal_code(check_may_send, locked=False, archived=True, moderator=False) is None
    assert refusal_code(check_may_send, locked=True, archived=False, moderator=False) == 160005
    assert refusal_code(check_may_send, locked=True, archived=True, moderator=False) == 50083
    assert refusal_code(check_may_send, locked=True, archived=True, moderator=True) is None
    assert refusal_code(check_may_edit, archived=True) == 50083
    assert refusal_code(check_may_edit, archived=False) is None
    assert refusal_code(check_thread, {"name": "x" * 100, "auto_archive_duration": 10080}) is None
    assert refusal_code(check_thread, {"name": "x" * 101}) == 50035
    assert refusal_code(check_thread, {"name": ""}) == 50035
    assert refusal_code(check_thread, {"name": "x", "auto_archive_duration": 61}) == 50035


# What is built of parts: components, layouts, modals, commands, suggestions


def link(**more: Any) -> Json:
    return {"type": 2, "style": 5, "label": "Go", "url": "https://example.org", **more}


def menu(options: int = 2, **more: Any) -> Json:
    choices = [{"label": str(number), "value": str(number)} for number in range(options)]
    return {"type": 3, "custom_id": "menu", "options": choices, **more}


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
        ([row(button(style=9))], 50035),
        ([row(link())], None),
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
    ],
)
def test_classic_components(components: list[Json], code: int | None) -> None:
    assert refusal_code(check_components, components, v2=False) == code


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
        ([{"type": 14}], 50035),
        ([row(button()), {"type": 17, "components": [row(button())]}], 50035),
    ],
)
def test_layouts(components: list[Json], code: int | None) -> None:
    assert refusal_code(check_components, components, v2=True, files=["a.png"]) == code


@pytest.mark.parametrize(
    ("form", "code"),
    [
        (modal(label(field())), None),
        (modal(row(field())), 50035),
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
        (modal(label({**menu(10), "type": 21})), 50035),
        (modal(text(), label(field())), None),
        (modal(label(button())), 50035),
    ],
)
def test_modals(form: Json, code: int | None) -> None:
    assert refusal_code(check_modal, form) == code


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
    parts = [label(field(max_length=5)), label(menu())]
    assert refusal_code(check_modal_values, parts, values) == code


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
        (command(name_localizations={"no": "Spill"}), 50035),
        (command(*(option(f"o{number}") for number in range(25))), None),
        (command(*(option(f"o{number}") for number in range(26))), 50035),
        (command(option(), option()), 50035),
        (command(option(choices=choices(25))), None),
        (command(option(choices=choices(26))), 50035),
        (command(option(choices=[{"name": "x" * 101, "value": "x"}])), 50035),
        (command(option(kind=7)), 50035),
        (command(option(max_length=6001)), 50035),
        (command(option("a", name_localizations={"no": "x"}), option("b", name_localizations={"no": "x"})), 50035),
        (command(option("a", name_localizations={"no": "b"}), option("b")), 50035),
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
        ({"type": 2, "name": "Save this", "description": ""}, None),
        ({"type": 3, "name": "Save this", "description": ""}, 50035),
    ],
)
def test_commands(body: Json, code: int | None) -> None:
    assert refusal_code(check_command, body) == code


def test_lists_of_commands() -> None:
    assert refusal_code(check_commands, [command(name=f"c{number}") for number in range(100)]) is None
    assert refusal_code(check_commands, [command(name=f"c{number}") for number in range(101)]) == 50035
    assert refusal_code(check_commands, [command(), command()]) == 50035
    assert refusal_code(check_commands, [{"type": 2, "name": f"c{number}"} for number in range(16)]) == 50035


def test_suggestions() -> None:
    assert refusal_code(check_choices, choices(25)) is None
    assert refusal_code(check_choices, choices(26)) == 50035
    assert refusal_code(check_choices, [{"name": "x" * 101, "value": "x"}]) == 50035
    assert refusal_code(check_choices, [{"name": "x", "value": "x" * 101}]) == 50035
    assert refusal_code(check_choices, [{"name": "", "value": "x"}]) == 50035
    assert refusal_code(check_choices, [{"name": "x", "value": None}]) == 50035
