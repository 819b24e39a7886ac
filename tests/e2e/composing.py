"""Plays moves through the composer, by buttons and menus alone, and reads what they offer."""

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


def menu(said: Said | Reply, name: str) -> Json | None:
    """Returns the menu of that name; None if the panel has none."""
    if isinstance(said, Reply) and said.failed:
        raise TooLateError
    message = said.message if isinstance(said, Reply) else said
    assert message is not None, said
    rows = [part for row in message.json["components"] for part in row.get("components", ())]
    return next((part for part in rows if str(part.get("custom_id")).startswith(f"rt-pick:{name}:")), None)


def options(said: Said | Reply, name: str) -> dict[str, str]:
    """Returns the options of a menu, value to label; empty if the panel has no such menu."""
    found = menu(said, name)
    return {one["value"]: one["label"] for one in found["options"]} if found else {}


def described(said: Said | Reply, name: str) -> dict[str, str]:
    """Returns the options of a menu, label to description."""
    found = menu(said, name)
    return {one["label"]: one.get("description") or "" for one in found["options"]} if found else {}


async def pick(person: Person, panel: Reply, name: str, value: str) -> Reply:
    """Chooses that option, on any page of the menu, and returns the panel after it."""
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
    assert menu(panel, "piece"), panel.text
    return panel


async def commit(person: Person, panel: Reply) -> Reply:
    """Commits the move, and confirms if asked."""
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
