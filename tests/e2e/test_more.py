"""**More** below a board: a private panel with what applies to the person who pressed, and only that."""

from __future__ import annotations

import pytest

from bot.texts.i18n import text
from tests.e2e.room import Room
from tests.sentences import label, part

pytestmark = pytest.mark.asyncio(loop_scope="session")

EVERYBODY = [label(name) for name in ("rules", "export", "notes", "thoughts-open")]


async def test_the_panel_offers_only_what_the_person_may_do_now(room: Room) -> None:
    played, ada, bo, cy = await room.start_watched()
    mine = await ada.click(played.last, label("more"))
    assert (mine.ephemeral, mine.text) == (True, text("en", "more.title", variant="Camelot", id=played.number))
    acts = [label(name) for name in ("snooze", "draw-offer", "pause-ask", "substitute-ask", "resign-ask")]
    assert mine.buttons == [*EVERYBODY, *acts]
    waiting = await bo.click(played.last, label("more"))
    assert not {label("snooze"), label("takeback-ask")} & {*waiting.buttons}
    assert {label("draw-offer"), label("resign-ask")} < {*waiting.buttons}
    assert (await cy.click(played.last, label("more"))).buttons == EVERYBODY
    await played.move("F7-F8")
    assert label("takeback-ask") in (await ada.click(played.last, label("more"))).buttons
    board = played.last
    await ada.click(await ada.click(board, label("more")), label("draw-offer"))
    await played.calls(bo)
    assert label("draw-agree") in (await bo.click(board, label("more"))).buttons
    assert label("draw-offer") not in (await ada.click(board, label("more"))).buttons


async def test_a_substitute_is_chosen_from_the_panel(room: Room) -> None:
    played, ada, bo, cy = await room.start_watched()
    played.onlookers.append(cy)
    export = await played.more(cy, label("export"))
    assert len(export.attachments) == 1
    asked = await played.more(ada, label("substitute-ask"))
    assert asked.text == text("en", "more.substitute", id=played.number)
    answer = await ada.choose(asked, "rt-substitute", [cy])
    assert part("handover.done.asked", id=played.number) in answer.text
    request = await played.calls(bo, cy)
    for person in (bo, cy):
        await person.click(request, label("substitute-accept"))
    await cy.wait_for(room.channel, lambda said: int(said.id) > int(request.id))
