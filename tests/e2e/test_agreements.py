"""Agreements on draws and takebacks: by commands, and by buttons that only answer their own request."""

from __future__ import annotations

import pytest

from bot.texts.i18n import text
from rules.record import parse_record
from tests.e2e.board_play import options, pick
from tests.e2e.house import House
from tests.e2e.room import Room, wait_for_no_buttons, words
from tests.sentences import label, part

pytestmark = pytest.mark.asyncio(loop_scope="session")

ROUND = ("F6-E5", "F11-E12", "E5-F6", "E12-F11")
"""Camelot: both move out and back, which repeats the position."""


async def test_a_draw_is_offered_and_accepted_after_a_restart(room: Room, house: House) -> None:
    played, ada, bo = await room.start_two()
    offered = await ada.command(room.channel, "game draw")
    assert (offered.ephemeral, offered.text) == (True, text("en", "draw.done.offered", id=played.number))
    offer = await played.calls(bo)
    assert offer.buttons == ["Accept", "Decline"]
    assert offer.attachments == []
    again = await ada.command(room.channel, "game draw")
    assert part("problem.offered-already", number=played.number) in again.text
    assert part("problem.not-asked", number=played.number) in (await ada.click(offer, "Accept")).text
    (stranger,) = await room.enter("Dee")
    assert part("problem.not-a-player") in (await stranger.click(offer, "Accept")).text
    await played.quiet()
    await house.replace_bot()
    accepted = await bo.click(offer, "Accept")
    assert accepted.text == text("en", "answered.draw.accepted", id=played.number)
    end = await played.calls(ada)
    assert part("end.draw") in end.text
    assert part("draw.agreed") in end.text
    assert (await wait_for_no_buttons(ada, offer)).text == offer.text


async def test_a_message_left_with_buttons_answers_no_later_offer(room: Room, house: House) -> None:
    played, ada, bo = await room.start_two()

    tried = []

    def no_edits(method: str, template: str, payload: object) -> None:
        if method == "PATCH" and template.startswith("/channels/"):
            tried.append(payload)
            raise ValueError("not now")

    await ada.command(room.channel, "game draw")
    first = await played.calls(bo)
    house.meddle = no_edits
    declined = await bo.click(first, "Decline")
    assert declined.text == text("en", "answered.draw.declined", id=played.number)
    assert part("draw.declined") in (await played.calls(ada)).text
    await house.until(lambda: bool(tried), "edited")
    assert [one.buttons for one in await ada.messages(room.channel) if one.id == first.id] == [["Accept", "Decline"]]
    for move in (*ROUND, *ROUND, *ROUND[:3]):
        await played.move(move)
    answer = await played.press(ada, "draw-offer")  # at her turn she would claim: the position has occurred three times
    second = await played.calls(bo)
    late = await bo.click(first, "Accept")
    house.meddle = None
    assert part("problem.lapsed", number=played.number) in late.text
    await played.quiet()
    withdrawn = await ada.click(answer, "Withdraw")
    assert withdrawn.text == text("en", "answered.draw.withdrawn", id=played.number)
    assert part("draw.withdrawn", id=played.number) in (await played.calls()).text
    await wait_for_no_buttons(ada, second)


async def test_the_third_occurrence_is_told_and_can_be_claimed(room: Room) -> None:
    played, ada, bo = await room.start_two()
    for move in (*ROUND, *ROUND):
        assert "/game draw" not in played.last.text
        await played.move(move)
    assert text("en", "draw.open-repetition") in played.last.text
    panel = await ada.click(played.last, "More")
    await played.move(ROUND[0])
    assert (await ada.click(panel, label("draw-claim"))).text == text("en", "problem.stale"), "and offers no draw"
    claimed = await bo.command(room.channel, "game draw")
    assert claimed.text == text("en", "draw.done.claimed", id=played.number)
    end = await played.calls(ada)
    assert part("draw.claimed") in end.text
    assert part("end.draw") in end.text


async def test_moves_are_taken_back_by_consent_and_stay_in_the_record(room: Room) -> None:
    played, ada, bo = await room.start_two()
    start = played.last
    panel = await ada.click(start, "Move")
    none = await played.press(ada, "takeback-ask")
    assert part("problem.nothing-to-take-back") in none.text
    await played.move("F7-F8")
    await played.move("F10-F9")
    asked = await played.press(ada, "takeback-ask")
    assert "`F7-F8`" in asked.text
    assert "`F10-F9`" in asked.text
    request = await played.calls(bo)
    assert all(named in request.text for named in ("`F7-F8`", "`F10-F9`", "at the start"))
    assert part("problem.takeback-pending") in (await played.press(bo, "takeback-ask")).text
    await bo.click(request, "Accept")
    board = await played.calls(ada)
    assert "Taken back" in board.text
    assert text("en", "alt.start") in words(board)
    await wait_for_no_buttons(ada, request)
    old = await pick(ada, panel, "piece", min(options(panel, "piece")))
    assert part("moves.stale") in old.text
    history = await bo.command(room.channel, "game history")
    assert "# taken-back: from turn 1, White: F7-F8 F10-F9" in history.text
    assert parse_record(history.text.split("```")[1]).replay().moves == ()
    played.game = type(played.game).start(played.game.variant)
    await played.move("F7-F8")
