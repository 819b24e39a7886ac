"""Thoughts in the sandbox: three people and a follower, from **Say why** to the annotated game."""

from __future__ import annotations

import pytest

from bot.texts.i18n import text
from tests.e2e.house import House
from tests.e2e.judging import check_picture
from tests.e2e.room import Room
from tests.sentences import label, part

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_three_people_and_a_follower_reach_the_annotated_game(room: Room, house: House) -> None:
    ada, bo, cy, dee = await room.enter("Ada", "Bo", "Cy", "Dee")
    played = await room.start("tri-camelot", ada, bo, cy)
    played.onlookers.append(dee)
    for number, (person, move) in enumerate(((ada, "F7-F9"), (bo, "C12-C10"), (cy, "I12-I10")), start=1):
        board = await person.click(played.last, label("compose"))
        form = await person.click(board, label("thoughts-say"))
        saved = await person.submit(form, {"words": f"secret {number} of `{move}`"})
        assert saved.ephemeral
        assert saved.text == text("en", "thoughts.saved", id=played.number)
        await played.move(move)
    panel = await dee.command(room.channel, "game thoughts", game=str(played.number))
    menu = next(
        component["custom_id"]
        for row in panel.message.json["components"]
        for component in row["components"]
        if component["type"] == 3
    )
    await dee.submit(await dee.choose(panel, menu, ["0"]), {"words": "secret of Dee"})
    await house.kill_bot()
    await house.start_bot()
    for person, own in ((ada, "secret 1"), (bo, "secret 2"), (cy, "secret 3"), (dee, "secret of Dee")):
        shown = await person.command(room.channel, "game thoughts", game=str(played.number))
        assert own in shown.text
        assert shown.text.count("secret") == 1
        early = await person.command(room.channel, "game history", game=str(played.number))
        assert "secret" not in early.text
    for person in (ada, bo, cy):
        await person.command(room.channel, "game draw", game=str(played.number))
    over = await ada.wait_for(room.channel, lambda said: part("thoughts.at-the-end") in said.text)
    assert not any("secret" in said.text and not said.ephemeral for said in await dee.messages(room.channel))
    panel = await ada.click(over, label("thoughts-open"))
    assert part("thoughts.ask") in panel.text
    panel = await ada.click(panel, label("thoughts-share"))
    assert part("thoughts.is-shared") in panel.text
    post = await dee.wait_for(room.channel, lambda said: label("annotated-on") in said.buttons)
    turned = await dee.click(post, label("annotated-on"))
    assert "secret 1" in turned.text
    await check_picture(dee, turned)
    turned = await bo.click(turned, label("annotated-on"))
    assert "secret" not in turned.text
    await bo.click(await bo.click(over, label("thoughts-open")), label("thoughts-share"))
    turned = await bo.click(await bo.click(turned, label("annotated-back")), label("annotated-words"))
    assert "secret 2" in turned.text
    page = await dee.click(turned, label("annotated-print"))
    assert page.ephemeral
    record = await dee.click(turned, label("annotated-record"))
    assert record.ephemeral
