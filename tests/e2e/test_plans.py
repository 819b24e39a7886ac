"""Plans as people make them: drafted, confirmed, played automatically, announced once, and hidden from all others."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

import pytest

from bot.core.clock import DAY
from bot.texts.i18n import text
from bot.texts.sentences import text_board
from render import View
from rules import Game, format_move, legal_moves
from sandbox.people import Person, Reply
from tests.e2e.forged_components import press_old
from tests.e2e.game_checks import moves_of
from tests.e2e.indoors import Indoors
from tests.e2e.room import Played, Room, set_own, words
from tests.sentences import label, part

pytestmark = pytest.mark.asyncio(loop_scope="session")


def line(game: Game, plies: int, choice: int = 0) -> list[str]:
    """Returns a legal line from that position."""
    moves = list[str]()
    for _ in range(plies):
        found = legal_moves(game.position)
        moves.append(format_move(found[choice % len(found)], game.variant.board))
        game = game.play(moves[-1])
    return moves


def freed(moves: Sequence[str]) -> str:
    """Returns that line with every reply free."""
    return " ".join(f"{reply}* {answer}" for reply, answer in zip(moves[::2], moves[1::2], strict=True))


def listed(reply: Reply) -> list[str]:
    """Returns the numbers of the plans whose rows have a button."""
    assert reply.message is not None
    return re.findall(r"rt-plan:view:(\d+):", repr(reply.message.json["components"]))


async def planned(person: Person, played: Played, moves: Sequence[str]) -> Reply:
    """Returns the answer to a person who has planned that line and confirmed it."""
    asked = await person.command(played.channel, "plan", line=" ".join(moves), game=str(played.number))
    assert asked.ephemeral
    assert asked.message is not None
    name = played.game.variant.name
    assert asked.text.startswith(text("en", "plan.question", id=played.number, variant=name)), asked.text
    return await person.click(asked, label("plan-confirm"))


@pytest.mark.parametrize("pace", ["standard", "none"])
async def test_a_paused_game_and_its_plans_wait_until_the_pause_is_over(room: Room, pace: str) -> None:
    house = room.house
    assert isinstance(house, Indoors)
    played, ada, bo = await room.start_two(pace=pace)
    moves = line(played.game, 2)
    await planned(bo, played, moves)
    board = played.last
    menu = await played.more(ada, label("pause-ask"))
    asked = await ada.choose(menu, "rt-pause", ["7"])
    assert asked.buttons == [label("withdraw")]
    request = await played.calls(bo)
    assert request.buttons == [label("pause-accept"), label("pause-decline")]
    assert part("answered.pause.accepted", id=played.number) in (await bo.click(request, label("pause-accept"))).text
    assert part("pause.begun", id=played.number) in (await played.calls()).text
    await ada.wait_for(room.channel, lambda said: said.id == board.id and part("clock.paused") in said.text)
    more, late = await ada.click(board, label("more")), f"rt:pause-ask:{played.number}:0:-"
    assert part("clock.paused") in more.text
    assert label("pause-ask") not in more.buttons  # the bug: it offered what was going on
    assert part("problem.paused", number=played.number) in (await press_old(house, ada, room.channel, late)).text
    assert part("games.paused") in (await ada.command(room.channel, "games")).text
    await house.move_clock(6 * DAY)
    await played.quiet()
    moved = await played.move(moves[0])  # and the plan waits
    assert part("clock.paused") in moved.text
    await house.move_clock(DAY)
    over, answered = await played.hears(2)
    assert part("pause.over", id=played.number) in over.text
    assert f"`{moves[1]}`" in answered.text


async def test_a_picture_of_a_plan_that_wins_says_nobody_is_to_move(room: Room) -> None:
    played, _, bo = await room.start_two("camette")
    *before, own, reply, last = moves_of("camette-castle")
    for move in before:
        await played.move(move)
    asked = await bo.command(room.channel, "plan", line=f"{own} {reply} {last}")
    assert text("en", "alt.won", colour="Black") in words(asked)


async def test_plans_are_looked_at_edited_and_deleted_from_wherever_their_planner_is(room: Room) -> None:
    here, ada, bo = await room.start_two()
    abroad, door = await bo.find("#elsewhere"), (await bo.call("POST", f"/app/people/{bo.id}/dm"))["id"]
    there = await room.start("cam-3d", ada, bo, channel=abroad)
    moves = line(here.game, 4)
    await planned(bo, here, moves)
    await planned(bo, there, line(there.game, 2))
    for place in (abroad, door):
        every = await bo.command(place, "plan")
        for played in (here, there):
            assert text("en", "plan.game", variant=played.game.variant.name, id=played.number) in every.text
        if place == door:
            offered = " ".join(await bo.autocomplete(place, "plan", {}, "game"))  # the bug: none, and a logged error
            assert f"#{here.number} " in offered
            assert f"#{there.number} " in offered
        found = await bo.command(place, "plan", game=str(here.number))
        (number,) = listed(found)
        looked = await bo.click(found, f"rt-plan:view:{number}")
        assert f"plan-{here.number}.png" in looked.attachments[0]["url"]
        changed = await bo.choose(looked, "rt-plans:free", ["0"])
        assert text("en", "plan.only-if") in changed.text
        away = await bo.click(changed, label(f"plan-away-{'on' if place == door else 'off'}"))
        assert text("en", "plan.not-away" if place == door else "plan.away") in away.text
        assert len(listed(await bo.command(place, "plan", game=str(here.number)))) == 1
        assert f"{moves[0]}* {moves[1]}" in (await bo.command(place, "plan")).text
    dropped = await bo.click(await bo.command(here.channel, "plan", line=" ".join(moves)), label("plan-drop"))
    assert text("en", "plan.dropped") in dropped.text
    every = await bo.command(door, "plan")
    gone = await bo.click(await bo.click(every, f"rt-plan:view:{listed(every)[0]}"), label("plan-delete"))
    assert part("plan.deleted") in gone.text
    (number,) = listed(gone)
    cleared = await bo.click(await bo.click(gone, f"rt-plan:view:{number}"), label("plan-delete"))
    assert text("en", "plan.none") in cleared.text
    assert (await bo.command(door, "plan", game=str(here.number))).text == text("en", "plan.none-here", id=here.number)
    await here.quiet()


async def test_who_reads_boards_as_text_reads_the_board_of_a_plan(room: Room) -> None:
    played, _, bo = await room.start_two("cam-3d")
    await set_own(bo, room.channel, board="text")
    moves = line(played.game, 2)
    asked = await bo.command(played.channel, "plan", line=" ".join(moves))
    after = played.game.play(moves[0]).play(moves[1]).position
    assert text_board("en", View(after, to_move=False, bottom=1, reader=1)) in asked.text  # the bug: no board at all
    moves = line(played.game, 36)
    long = await bo.command(played.channel, "plan", line=freed(moves))
    assert "-# " + text("en", "plan.wait") in long.text  # the bug: the message was cut off
    (written,) = long.attachments
    said = (await bo.picture(written)).decode()
    assert text("en", "text-board.level", number=1).strip() in said
    assert all(move in said for move in moves)
    for done in await asyncio.gather(*(bo.click(long, label("plan-confirm")) for _ in range(2))):
        assert part("plan.done", id=played.number) in done.text  # a second press confirms nothing more
    assert len(listed(await bo.command(played.channel, "plan"))) == 1


async def test_more_plans_than_one_message_has_room_for_are_on_further_pages(room: Room) -> None:
    played, _, bo = await room.start_two()
    for choice in range(12):
        await planned(bo, played, line(played.game, 2, choice))
    first = await bo.command(played.channel, "plan", game=str(played.number))
    assert len(listed(first)) == 10
    second = await bo.click(first, text("en", "pager.next"))
    assert len(listed(second)) == 2
    assert "**12.**" in second.text
    assert text("en", "pager.next") not in second.buttons
    assert (await bo.click(second, text("en", "pager.back"))).text == first.text


async def test_a_mismatch_is_told_to_the_planner_alone_on_their_turn(room: Room) -> None:
    played, ada, bo = await room.start_two()
    moves, other = line(played.game, 2), line(played.game, 1, choice=3)
    await planned(bo, played, moves)
    said = await played.move(other[0])
    assert "plan" not in said.text.lower()
    opened = await bo.click(played.last, "Move")
    assert part("plan.fallen.differed", move=other[0], emblem="⚪", colour="White") in opened.text
    looked = await ada.command(played.channel, "board", game=str(played.number))
    assert "plan" not in looked.text.lower()
