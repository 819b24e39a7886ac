"""The list of all acts is whole, and nothing outside of the core acts on a match past it."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType

from bot.core import acts, leaving, offers, refereeing, table, time_acts, turns
from bot.core.acts import decision_of
from bot.core.events import EventKind
from bot.core.problems import Problem
from tests.bot.playing import ADA, BO, NOW, live, refused

DECIDING = (leaving, offers, refereeing, table, time_acts, turns)

NO_ACTS_ON_A_MATCH = {
    "agree_to_request": "two acts share it",
    "announce_vacation": "follows from a person's setting, in all their games at once",
    "announce_return": "follows from a person's setting, in all their games at once",
    "charge_used_time": "follows from a person's setting, in all their games at once",
}


def handlers() -> set[str]:
    """The functions of the core that make events of a match and the person who acts."""
    names = set()
    for module in DECIDING:
        for name, function in vars(module).items():
            if isinstance(function, FunctionType) and function.__module__ == module.__name__ and name[0] != "_":
                signature = inspect.signature(function)
                takes = {*signature.parameters}
                if (
                    "match" in takes
                    and takes & {"user", "referee"}
                    and signature.return_annotation.endswith("Event, ...]")
                ):
                    names.add(name)
    return names - {*NO_ACTS_ON_A_MATCH}


def names_of_acts() -> set[str]:
    own = [
        value for value in vars(acts).values() if isinstance(value, FunctionType) and value.__module__ == acts.__name__
    ]
    return {function.__name__ for function in own if function is not decision_of}


def uses_past_the_list(path: Path, names: set[str]) -> Iterator[str]:
    """Where that file calls or imports a handler from its own module."""
    modules = {module.__name__.rpartition(".")[2] for module in DECIDING}
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Attribute(ast.Name(module), name) if module in modules and name in names:
                yield f"{path}:{node.lineno} {module}.{name}"
            case ast.ImportFrom(module=str(module)) if module.startswith("bot.core.") and module != acts.__name__:
                yield from (f"{path}:{node.lineno} {alias.name}" for alias in node.names if alias.name in names)


def test_every_handler_is_an_act_of_the_same_name() -> None:
    assert names_of_acts() == handlers()
    for name in names_of_acts():
        assert f".{name}(match, actor." in inspect.getsource(getattr(acts, name))


def test_nobody_acts_on_a_match_past_the_list() -> None:
    outside = [path for path in Path("bot").rglob("*.py") if path.parts[1] != "core"]
    assert len(outside) > 100
    names = handlers()
    assert [use for path in outside for use in uses_past_the_list(path, names)] == []


def test_an_act_is_decided_for_its_person_and_time() -> None:
    match = live()
    (event,) = decision_of(ADA, NOW + 5, acts.offer_draw)(match, {})
    assert (event.kind, event.user, event.at) == (EventKind.DRAW_OFFERED, ADA, NOW + 5)
    with refused(Problem.LAPSED):
        decision_of(BO, NOW, acts.accept_draw, match.seq)(match, {})
