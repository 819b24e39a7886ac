"""Lists are rows with their own buttons, in messages of Components V2."""

from __future__ import annotations

import pytest

from bot.texts.i18n import text
from sandbox.limits import walk
from sandbox.seen import Reply
from tests.e2e.planting import press_old
from tests.e2e.room import Room
from tests.e2e.stock import settled

pytestmark = pytest.mark.asyncio(loop_scope="session")

CONTAINER = 17


def accents(answer: Reply) -> list[int | None]:
    """Returns the colours of the containers."""
    assert answer.message is not None
    parts = [part for _, part in walk(answer.message.json["components"])]
    return [part.get("accent_color") for part in parts if part["type"] == CONTAINER]


def is_layout(answer: Reply) -> bool:
    assert answer.message is not None
    return bool(answer.message.json["components_v2"])


async def test_games_are_rows_in_the_colour_of_whose_turn_it_is(room: Room) -> None:
    first, ada, bo = await room.start_two()
    second = await room.start("chivalry", bo, ada)
    listed = await ada.command(room.channel, "games")
    assert is_layout(listed)
    assert listed.ephemeral
    assert listed.buttons[:2] == [text("en", "button.compose"), text("en", "games.look")]
    white, other = accents(listed)
    assert white == other is not None, "White is to move in both"
    panel = await ada.click(listed, text("en", "button.compose"))
    assert panel.message is not None
    assert panel.message.id != listed.message.id  # type: ignore[union-attr]
    assert "#" + str(first.number) in panel.text
    board = await ada.click(listed, text("en", "games.look"))
    assert f"game #{second.number}" in board.text
    assert board.attachments


async def test_more_games_than_a_page_holds_are_turned_to(room: Room) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    for players in ((ada, bo), (bo, ada)) * 4:
        await room.start("camelot", *players)
    await settled(room.house)  # else the newest board has no link yet
    first = await ada.command(room.channel, "games")
    assert len(accents(first)) == 7
    second = await ada.click(first, text("en", "pager.next"))
    assert is_layout(second)
    assert len(accents(second)) == 1
    assert (await ada.click(second, text("en", "pager.back"))).text == first.text


async def test_a_plan_opened_from_its_row_stays_in_the_message(room: Room) -> None:
    played, ada, _ = await room.start_two()
    moves = ["C6-C5", "C11-C12"]
    asked = await ada.command(played.channel, "plan", line=" ".join(["C6-C5", *moves[1:], "C5-C4"]))
    await ada.click(asked, text("en", "button.plan-confirm"))
    listed = await ada.command(played.channel, "plan")
    assert is_layout(listed)
    opened = await ada.click(listed, text("en", "button.plan-view"))
    assert is_layout(opened)
    assert opened.attachments
    back = await ada.click(opened, text("en", "button.plan-list"))
    assert back.text == listed.text
    assert not back.attachments


async def test_the_pager_of_an_older_list_turns_it_into_rows(room: Room) -> None:
    _, ada, _ = await room.start_two()
    page = await press_old(room.house, ada, room.channel, f"rt-sheet:live:-:{ada.id}:0:0")
    assert is_layout(page)
    assert page.message is not None
    assert page.message.json["content"] == ""


async def test_leaders_lead_to_their_profiles(room: Room) -> None:
    (ada,) = await room.enter("Ada")
    board = await ada.command(room.channel, "ladder leaderboard", variant="camelot")
    assert is_layout(board)
    assert text("en", "leaderboard.empty") in board.text or text("en", "button.profile") in board.buttons
    other = await ada.choose(board, "rt-sheets:turn", ["leaderboard:cam:0:0:0"])
    assert is_layout(other)
    assert text("en", "variant.cam") in other.text
