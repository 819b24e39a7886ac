"""Puzzles and reviews with the real process: solved by hand, in private, every day, and after a game."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.core.clock import DAY, HOUR
from bot.puzzles.commands import task_text
from bot.texts.i18n import text
from engine.puzzles import Puzzle, shipped_puzzles
from rules import VARIANTS, format_move, legal_moves
from rules.board import Cell
from sandbox.people import Person, Reply
from tests.e2e.clock import ClockHouse
from tests.e2e.game_checks import check_picture
from tests.e2e.room import Room, ends, public, resign, set_server
from tests.sentences import part

pytestmark = pytest.mark.asyncio(loop_scope="session")


def puzzle_of(said: Reply) -> Puzzle:
    """Returns the puzzle that the panel shows."""
    assert said.message is not None
    ids = [one["custom_id"] for row in said.message.json["components"] for one in row["components"]]
    number = next(one.split(":")[2] for one in ids if one.startswith("rt-riddle:"))
    return next(puzzle for key in VARIANTS for puzzle in shipped_puzzles(key) if puzzle.id == number)


async def type_move(person: Person, said: Reply, move: str) -> Reply:
    """Types that move into the form and submits it."""
    form = await person.click(said, text("en", "button.type"))
    return await person.click(await person.submit(form, {"move": move}), text("en", "button.try-it"))


def names(puzzle: Puzzle, cells: tuple[Cell, ...]) -> list[str]:
    return [puzzle.position.variant.board.names[cell] for cell in cells]


async def test_a_puzzle_is_tried_hinted_found_and_shown_on_one_board(room: Room) -> None:
    (ada,) = await room.enter("Ada")
    said = await ada.command(room.channel, "puzzle", variant="tri-camelot")
    assert said.ephemeral
    puzzle = puzzle_of(said)
    assert task_text("en", puzzle) in said.text
    await check_picture(ada, said)
    board = puzzle.position.variant.board
    wrong = next(move for move in legal_moves(puzzle.position) if not puzzle.solved_by(move))
    said = await type_move(ada, said, format_move(wrong, board))
    assert "❌" in said.text
    said = await ada.click(said, text("en", "button.hint"))
    assert text("en", "puzzle.hint", cell=board.names[puzzle.line[0].start]) in said.text
    said = await type_move(ada, said, format_move(puzzle.line[0], board))
    assert text("en", "puzzle.solved-hinted.other", count=2) in said.text
    await check_picture(ada, said)
    again = await ada.click(said, text("en", "button.another-puzzle"))
    assert puzzle_of(again).id != puzzle.id
    assert puzzle_of(again).difficulty == puzzle.difficulty


@pytest.mark.long
async def test_the_puzzle_of_the_day_is_posted_solved_and_reported_tomorrow(tmp_path: Path) -> None:
    begin = datetime(2031, 3, 3, 7, 30, tzinfo=UTC)  # half past eight in Oslo
    async with ClockHouse.at(tmp_path, begin) as house, AsyncExitStack() as stack:
        judge = await stack.enter_async_context(await house.join("Ada"))
        room = await Room.found(house, "riddles", stack)
        ada, bo = await room.enter("Ann", "Bo")
        shown = await set_server(judge, room.channel, zone="oslo", **{"puzzle-channel": [room.channel]})
        assert f"{text('en', 'server.zone.name')}: **Europe/Oslo**" in shown.text
        await house.move_clock(HOUR // 4)
        assert not [said for said in await public(ada, room.channel) if "🧩" in said.text]
        await house.move_clock(HOUR // 4)
        post = await ada.wait_for(room.channel, lambda said: part("puzzle.title-daily") in said.text)
        await check_picture(ada, post)
        opened = await ada.click(post, text("en", "button.solve"))
        puzzle = puzzle_of(opened)
        assert opened.ephemeral
        found = await type_move(ada, opened, format_move(puzzle.line[0], puzzle.position.variant.board))
        assert text("en", "puzzle.solved.one") in found.text
        given_up = await bo.click(await bo.click(post, text("en", "button.solve")), text("en", "button.solution"))
        assert text("en", "puzzle.given-up") in given_up.text
        table = await ada.click(post, text("en", "button.puzzle-table"))
        assert f"1. <@{ada.id}>: 1 try" in table.text
        assert text("en", "puzzle.table.streak.one", count=1) in table.text
        await house.replace_bot()
        await house.move_clock(DAY)
        told = await ada.wait_for(room.channel, lambda said: part("puzzle.last") in said.text)
        assert text("en", "puzzle.found.one", count=1, tried=2) in told.text
        await check_picture(ada, told)
        posts = [said for said in await public(ada, room.channel) if part("puzzle.title-daily") in said.text]
        assert [int(said.id) > int(told.id) for said in posts] == [False, True]
        late = await bo.click(post, text("en", "button.solve"))
        assert puzzle_of(late).id == puzzle.id


async def test_a_finished_game_is_reviewed_and_the_review_shared_by_choice(room: Room) -> None:
    played, ada, bo = await room.start_two("camette")
    refused = await ada.command(room.channel, "game review", game=str(played.number))
    assert refused.text == text("en", "problem.not-over", number=played.number)
    for _ in range(6):
        position = played.game.position
        await played.move(format_move(legal_moves(position)[-1], position.variant.board))
    await resign(ada, room.channel, played.number)
    over = await ada.wait_for(room.channel, ends(played.number))
    said = await bo.click(over, text("en", "button.review"))
    assert said.ephemeral
    assert f"game #{played.number}: review" in said.text
    await check_picture(bo, said)
    said = await bo.click(said, "Turning point 1")
    assert said.message is not None
    made, better = (str(one["description"]) for one in said.message.json["attachments"])
    assert " moved " in made
    assert better.startswith(part("review.alt-better"))
    assert "Better: `" in said.text
    before = len(await public(ada, room.channel))
    await asyncio.gather(*(bo.click(said, text("en", "button.share")) for _ in range(2)))
    shared = await ada.wait_for(room.channel, lambda one: f"Shared by {bo.name}" in one.text)
    assert len(await public(ada, room.channel)) == before + 1
    assert shared.json["attachments"]
