"""`/learn lessons`: the tasks, done by hand."""

from __future__ import annotations

import re

import pytest

from bot.learn.lessons import LESSONS
from bot.texts.i18n import text
from rules import VARIANTS, format_move
from rules.board import Cell
from sandbox.people import Person, Reply
from tests.e2e.board_play import buttons
from tests.e2e.game_checks import check_picture
from tests.e2e.house import House
from tests.e2e.room import Room, set_own
from tests.examples import ordinarily
from tests.sentences import label, part

pytestmark = pytest.mark.asyncio(loop_scope="session")


def choices(said: Reply) -> dict[str, str]:
    """Returns the pieces or cells to choose from, label to custom id."""
    found = buttons(said, "piece") or buttons(said, "leg")
    return {part["label"]: part["custom_id"] for part in found.values()}


async def pick(person: Person, said: Reply, name: str) -> Reply:
    """Chooses that cell."""
    (button,) = (button for label, button in choices(said).items() if name in label.split())
    return await person.click(said, button)


async def walk(person: Person, said: Reply, key: str, path: tuple[Cell, ...]) -> Reply:
    """Makes a move, landing after landing, and stops where it could continue."""
    for cell in path:
        said = await pick(person, said, VARIANTS[key].board.names[cell])
    return await person.click(said, "Stop here") if "Stop here" in said.buttons else said


@pytest.mark.parametrize("key", ordinarily(VARIANTS, "tri-camelot"))
async def test_all_tasks_are_done_with_restarts_in_between(room: Room, house: House, key: str) -> None:
    (ada,) = await room.enter("Ada")
    said = await ada.command(room.channel, "learn lessons", variant=key)
    assert said.ephemeral
    for number, lesson in enumerate(LESSONS[key], start=1):
        assert f"lesson {number} of 6" in said.text
        await check_picture(ada, said)
        assert re.match(rf".*, lesson {number} of 6: [\w ']+\. \w+, \d pieces?: ", said.attachments[0]["description"])
        if number == 3:
            await house.replace_bot()
        move = lesson.example_move()
        assert move is not None
        done = await walk(ada, said, key, move.path)
        assert f"`{format_move(move, VARIANTS[key].board)}`: well done." in done.text
        await check_picture(ada, done)
        if number < 6:
            said = await ada.click(done, "Next")
    assert text("en", "lesson.over") in done.text
    assert done.buttons == [label("first-game"), "Rules", "Try again"]
    assert (await ada.click(done, label("first-game"))).ephemeral
    board = await ada.wait_for(room.channel, lambda said: part("turn.begins") in said.text)
    assert board.pings_me  # she has the first seat, as in the lessons
    assert "lesson 6 of 6" in (await ada.click(done, "Try again")).text


async def test_hints_say_more_each_time_and_wrong_moves_what_they_are(room: Room) -> None:
    (ada,) = await room.enter("Ada")
    said = await ada.command(room.channel, "learn lessons", variant="chivalry")
    said = await pick(ada, await ada.click(said, "Skip"), "F7")
    said = await pick(ada, said, "E8")  # legal, but no canter
    assert part("lesson.not-the-task", move="F7-E8", kind="a plain move") in said.text
    assert "4 · E5 ♞" in choices(said)

    said = await ada.click(said, "Skip")
    assert "lesson 3 of 6: the jump" in said.text
    again = await ada.command(room.channel, "learn lessons", variant="chivalry")
    assert "lesson 3 of 6: the jump" in again.text  # where she stopped
    assert [name.split()[2] for name in choices(said)] == ["H4"]
    for hint in ("piece", "end", "move", "move"):
        said = await ada.click(said, "Hint")
        assert text("en", f"lesson.hint.{hint}", cell="H4", end="L6", move="H4xJ4xL6") in said.text
    said = await pick(ada, again, "H4")
    assert [name.split()[2] for name in choices(said)] == ["J4"]
    for hint in ("end", "move"):  # the piece is chosen already, and stays so
        said = await ada.click(said, "Hint")
        assert text("en", f"lesson.hint.{hint}", cell="H4", end="L6", move="H4xJ4xL6") in said.text
        assert text("en", "composer.choose-leg", piece="**Man H4**") in said.text
    said = await pick(ada, said, "J4")
    assert "`H4xJ4` … " + text("en", "composer.must.jump") in said.text
    assert "well done" in (await pick(ada, said, "L6")).text


async def test_who_has_done_all_lessons_is_offered_a_game(room: Room) -> None:
    (ada,) = await room.enter("Ada")
    said = await ada.command(room.channel, "learn lessons", variant="camette")
    for _ in range(5):
        said = await ada.click(said, "Skip")
    move = LESSONS["camette"][5].example_move()
    assert move is not None
    await walk(ada, said, "camette", move.path)
    said = await ada.command(room.channel, "learn lessons", variant="camette")
    assert said.text == text("en", "lesson.all-done", variant="Camette")
    assert said.buttons == [label("first-game"), "Rules", label("restart")]
    assert "lesson 1 of 6" in (await ada.click(said, label("restart"))).text


async def test_lessons_are_in_the_readers_language_and_in_text_if_wanted(room: Room) -> None:
    (bo,) = await room.enter("Bo", locale="no")
    await set_own(bo, room.channel, board="text")
    said = await bo.command(room.channel, "learn lessons", variant="cam-3d")
    assert "Cam 3-D, leksjon 1 av 6: det enkle trekket" in said.text
    assert "nivå 1" in said.text
    assert not said.attachments
    said = await pick(bo, await pick(bo, said, "1C2"), "1C3")
    assert "✅ `1C2-1C3`: Bra gjort!" in said.text
    assert "Hvit trakk 1C2-1C3." in said.text
