"""Plays moves on the private board, by buttons and menus alone, and reads what they offer."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from bot.core.draft import Draft, format_path
from rules import Move, parse_move
from rules.board import Cell
from sandbox.people import Person, Reply, Said, TooLateError
from tests.e2e.room import Played
from tests.sentences import confirmed, label

Json = dict[str, Any]


MENU_OF_BUTTON = {"goal": "end", "route": "way"}
"""The menu that a button's choice would stand in; a piece or a leg tells by the path so far."""


def _parts(said: Said | Reply) -> list[Json]:
    if isinstance(said, Reply) and said.failed:
        raise TooLateError
    message = said.message if isinstance(said, Reply) else said
    assert message is not None, said
    return [part for row in message.json["components"] for part in row.get("components", ())]


def menu(said: Said | Reply, name: str) -> Json | None:
    """Returns the menu of that name; None if the panel has none."""
    menus = (part for part in _parts(said) if "options" in part)
    return next((part for part in menus if str(part["custom_id"]).split(":")[1] == name), None)


def buttons(said: Said | Reply, name: str) -> dict[str, Json]:
    """Returns the buttons of the choices that a menu of that name would hold, by the value of its option."""
    found = {}
    for part in _parts(said):
        _, kind, _, _, end, path, *way = [*str(part.get("custom_id")).split(":"), *[""] * 5][:7]
        if kind in ("cell", *MENU_OF_BUTTON) and MENU_OF_BUTTON.get(kind, "leg" if path else "piece") == name:
            found[str(int(way[0], 36)) if kind == "route" else end] = part
    return found


def options(said: Said | Reply, name: str) -> dict[str, str]:
    """Returns the choices of that kind, value to label, whether they are buttons or in a menu; empty for none."""
    found = menu(said, name)
    in_menu = {one["value"]: one["label"] for one in found["options"]} if found else {}
    return in_menu or {value: part["label"] for value, part in buttons(said, name).items()}


async def pick(person: Person, panel: Reply, name: str, value: str) -> Reply:
    """Presses the button of that choice, or chooses it on any page of the menu; returns the panel after it."""
    if button := buttons(panel, name).get(value):
        return await person.click(panel, button["custom_id"])
    for _ in range(200):
        found = menu(panel, name)
        assert found, (name, panel.text)
        values = [one["value"] for one in found["options"]]
        if value in values:
            return await person.choose(panel, found["custom_id"], [value])
        later = [one for one in values if one.startswith("page")]
        assert later, (value, values)
        panel = await person.choose(panel, found["custom_id"], [later[-1]])
    raise AssertionError(f"no {value} in the menu {name}")


async def open_panel(played: Played) -> Reply:
    """Opens the composer by the button below the latest turn and returns it."""
    panel = await played.mover.click(played.last, "Move")
    assert panel.ephemeral
    assert options(panel, "piece"), panel.text
    return panel


async def commit(person: Person, panel: Reply) -> Reply:
    """Commits the move, and confirms if asked. Returns the answer at once if it is no panel but a refusal."""
    if label("commit") not in panel.buttons:
        return panel
    done = await person.click(panel, label("commit"))
    return await person.click(done, "Yes, play it") if "Yes, play it" in done.buttons else done


async def compose(played: Played, text: str, *, by_end: bool = False) -> Reply:
    """Plays a move by menus only, leg by leg or, with `by_end`, by its destination if offered; returns the answer."""
    move = parse_move(played.game.position, text)
    person = played.mover
    panel = await pick(person, await open_panel(played), "piece", value_of(move.start))
    if by_end and value_of(move.end) in options(panel, "end"):
        panel = await _straight(person, panel, move, played)
    else:
        for at, to in pairwise(move.path):
            assert at != to
            panel = await pick(person, panel, "leg", value_of(to))
    return await commit(person, panel)


async def _straight(person: Person, panel: Reply, move: Move, played: Played) -> Reply:
    """Chooses the destination, and among several ways to it the one with the captures of that move."""
    ways = Draft.from_path(played.game.position, [move.start]).find_ends().by_cell[move.end]
    panel = await pick(person, panel, "end", value_of(move.end))
    if len(ways) > 1:
        number = [way.outcome for way in ways].index(move.outcome)
        panel = await pick(person, panel, "way", str(number))
    return panel


def value_of(cell: Cell) -> str:
    """Returns the value of an option for that cell."""
    return format_path([cell])


async def play(played: Played, text: str, *, by_end: bool = False) -> Said:
    """Plays a whole turn through the composer and returns the one message that announces it."""
    mover, before = played.mover, played.game
    reply = await compose(played, text, by_end=by_end)
    made = reply.text.split("`")[1]
    assert confirmed(made, played.number) in reply.text, reply.text
    played.game = before.play(made)
    wanted = parse_move(before.position, text)
    assert played.game.moves[-1].outcome == wanted.outcome
    return await played.told(mover)
