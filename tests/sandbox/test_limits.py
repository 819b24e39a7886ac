"""Every limit by itself: what Discord takes, what it refuses, and with which code."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox import limits
from sandbox.errors import Refusal
from sandbox.limits import Flag, Kind, Mentions, Upload
from tests.sandbox.asking import refusal_code

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
    assert refusal_code(limits.check_answer, kind, answer, **given) == code


def test_a_token_works_from_the_answer_for_fifteen_minutes() -> None:
    assert refusal_code(limits.check_token, age=1, answered=False) == 10015
    assert refusal_code(limits.check_token, age=899, answered=True) is None
    assert refusal_code(limits.check_token, age=901, answered=True) == 50027


def test_a_deferred_answer_takes_the_ephemeral_flag_only() -> None:
    assert refusal_code(limits.check_thinking, {"flags": Flag.EPHEMERAL}) is None
    assert refusal_code(limits.check_thinking, {}) is None
    assert refusal_code(limits.check_thinking, {"flags": Flag.COMPONENTS_V2}) == 50035
    assert refusal_code(limits.check_thinking, {"content": "x"}) == 50035


@pytest.mark.parametrize(
    ("body", "files", "code"),
    [
        ({"content": "x" * 2000}, [], None),
        ({"content": "x" * 2001}, [], 50035),
        ({"content": "  "}, [], 50006),
        ({}, [], 50006),
        ({"components": [row(button())]}, [], 50006),
        ({}, ["a.png"], None),
        ({"embeds": [{"title": "x"}] * 10}, [], None),
        ({"embeds": [{"title": "x"}] * 11}, [], 50035),
        ({"embeds": [{"title": "x" * 257}]}, [], 50035),
        ({"embeds": [{"description": "x" * 4096}]}, [], None),
        ({"embeds": [{"description": "x" * 4096}, {"description": "x" * 1905}]}, [], 50035),
        ({"embeds": [{"fields": [{"name": "x", "value": "x"}] * 25}]}, [], None),
        ({"embeds": [{"fields": [{"name": "x", "value": "x"}] * 26}]}, [], 50035),
        ({"embeds": [{"fields": [{"name": "x", "value": ""}]}]}, [], 50035),
        ({"embeds": [{"fields": [{"name": "x", "value": "x" * 1025}]}]}, [], 50035),
        ({"embeds": [{"footer": {"text": "x" * 2049}}]}, [], 50035),
        ({"embeds": [{"author": {"name": "x" * 257}}]}, [], 50035),
    ],
)
def test_messages(body: Json, files: list[str], code: int | None) -> None:
    assert refusal_code(limits.check_message, body, files, v2=False) == code


def test_a_v2_message_has_nothing_but_components() -> None:
    whole = {"components": [text()]}
    assert refusal_code(limits.check_message, whole, [], v2=True) is None
    assert refusal_code(limits.check_message, {**whole, "content": "x"}, [], v2=True) == 50035
    assert refusal_code(limits.check_message, {**whole, "embeds": [{"title": "x"}]}, [], v2=True) == 50035
    assert refusal_code(limits.check_message, {"components": []}, ["a.png"], v2=True) == 50035


def test_the_wrong_field_is_named_as_discord_names_it() -> None:
    with pytest.raises(Refusal) as caught:
        limits.check_message({"content": "x" * 2001}, [], v2=False)
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
        ([Upload("a.png", b"x" * (limits.LARGEST_FILE + 1), None)], 0, 40005),
    ],
)
def test_files(files: list[Upload], kept: int, code: int | None) -> None:
    assert refusal_code(limits.check_files, files, kept) == code


def test_a_nonce_has_25_characters_at_most() -> None:
    assert limits.check_nonce({}) is None
    assert limits.check_nonce({"nonce": 12}) == "12"
    assert limits.check_nonce({"nonce": "x" * 25}) == "x" * 25
    assert refusal_code(limits.check_nonce, {"nonce": "x" * 26}) == 50035


def test_mentions_are_read_outside_code() -> None:
    written = "<@1> <@!2> `<@3>` ```\n<@4>\n``` <@1> @everyone"
    assert limits.read_mentions(written) == Mentions((1, 2), True)
    assert limits.read_mentions("me@everyone.org <@&5>").people == ()


def test_absent_allowed_mentions_let_everything_through_and_empty_ones_nothing() -> None:
    written = Mentions((1, 2), True)
    everything = ("users", "roles", "everyone")
    assert limits.permitted(written, None, default=everything) == written
    assert limits.permitted(written, None, default=("users",)) == Mentions((1, 2))
    assert limits.permitted(written, {"parse": []}, default=everything) == Mentions(())
    assert limits.permitted(written, {"parse": [], "users": ["2", "3"]}, default=everything) == Mentions((2,))
    assert limits.permitted(written, {"parse": ["everyone"]}, default=everything) == Mentions((), True)


def test_allowed_mentions_name_people_or_all_of_them() -> None:
    assert refusal_code(limits.check_allowed_mentions, None) is None
    assert refusal_code(limits.check_allowed_mentions, {"parse": ["users"], "roles": ["1"]}) is None
    assert refusal_code(limits.check_allowed_mentions, {"parse": ["users"], "users": ["1"]}) == 50035
    assert refusal_code(limits.check_allowed_mentions, {"parse": ["people"]}) == 50035
    assert refusal_code(limits.check_allowed_mentions, {"users": [str(number) for number in range(101)]}) == 50035


def test_threads() -> None:
    assert refusal_code(limits.check_may_send, locked=False, archived=True, moderator=False) is None
    assert refusal_code(limits.check_may_send, locked=True, archived=False, moderator=False) == 160005
    assert refusal_code(limits.check_may_send, locked=True, archived=True, moderator=False) == 50083
    assert refusal_code(limits.check_may_send, locked=True, archived=True, moderator=True) is None
    assert refusal_code(limits.check_may_edit, archived=True) == 50083
    assert refusal_code(limits.check_may_edit, archived=False) is None
    assert refusal_code(limits.check_thread, {"name": "x" * 100, "auto_archive_duration": 10080}) is None
    assert refusal_code(limits.check_thread, {"name": "x" * 101}) == 50035
    assert refusal_code(limits.check_thread, {"name": ""}) == 50035
    assert refusal_code(limits.check_thread, {"name": "x", "auto_archive_duration": 61}) == 50035
