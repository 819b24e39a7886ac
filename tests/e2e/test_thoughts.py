"""Thoughts in the sandbox: three people and a follower, from **Thought on this move** to the annotated game."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace

import pytest

from bot.texts.i18n import text
from rules import format_move, legal_moves
from sandbox.people import Person, Said
from tests.e2e.forged_components import press_old
from tests.e2e.game_checks import check_picture
from tests.e2e.house import PATIENCE, House
from tests.e2e.indoors import Indoors
from tests.e2e.room import Played, Room, ends, public, resign
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
    assert panel.text.endswith(text("en", "thoughts.none"))
    assert panel.message is not None
    assert not panel.message.json["components"], "who merely sees a game writes nothing"
    await dee.command(room.channel, "game follow", game=str(played.number))
    panel = await dee.command(room.channel, "game thoughts", game=str(played.number))
    await dee.submit(await dee.choose(panel, "rt-thought:which", ["0"]), {"words": "secret of Dee"})
    await house.replace_bot()
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
    post = await dee.wait_for(room.channel, lambda said: "Next ▶" in said.buttons)
    turned = await dee.click(post, "Next ▶")
    assert "secret 1" in turned.text
    await check_picture(dee, turned)
    assert "secret" not in (await bo.click(turned, "Next ▶")).text
    await bo.click(await bo.click(over, label("thoughts-open")), label("thoughts-share"))
    turned = await dee.wait_for(room.channel, lambda said: said.id == post.id and bo.name in said.text)
    turned = await bo.click(await bo.click(turned, "Next ▶"), "Next ▶")
    turned = await bo.click(await bo.click(turned, "◀ Back"), label("annotated-words"))
    assert "secret 2" in turned.text
    record = await dee.click(turned, label("annotated-record"))
    assert record.ephemeral
    refusal = await dee.click(turned, label("annotated-take-out"))
    assert refusal.text == text("en", "problem.not-a-player", number=played.number)
    asked = await bo.click(turned, label("annotated-take-out"))
    assert asked.message is not None
    [option] = asked.message.component("rt-annotated:whose")["options"]
    assert option["label"].startswith("Ada")
    done = await bo.choose(asked, "rt-annotated:whose", [option["value"]])
    assert done.text == text("en", "annotated.taken-out", id=played.number, person=f"<@{option['value']}>")
    first = await dee.click(await dee.wait_for(room.channel, lambda said: said.id == post.id), "Next ▶")
    assert "secret" not in first.text
    read = await bo.click(await bo.click(over, label("thoughts-open")), label("thoughts-read"))
    read = await bo.click(read, label("annotated-words"))
    assert "secret 2" in read.text
    panel = await ada.click(over, label("thoughts-open"))
    assert text("en", "thoughts.taken-out") in panel.text
    assert "secret 1" in panel.text


async def test_the_annotated_game_follows_what_its_authors_decide(room: Room, house: House) -> None:
    played, ada, bo = await room.start_two("camette")
    for number in range(6):
        form = await played.mover.click(await played.mover.click(played.last, label("compose")), label("thoughts-say"))
        await played.mover.submit(form, {"words": f"secret {number + 1}"})
        position = played.game.position
        await played.move(format_move(legal_moves(position)[-1], position.variant.board))
    over = await over_by(ada, played)
    await ada.click(await ada.click(over, label("thoughts-open")), label("thoughts-share"))
    post = await bo.wait_for(room.channel, lambda said: "Next ▶" in said.buttons)
    assert await said_by(ada, post) == {"secret 1", "secret 3", "secret 5"}
    await house.replace_bot()
    for name, shown in (("turning-1", "secret 1"), ("print", text("en", "problem.no-such-button"))):
        turned = await press_old(house, bo, room.channel, f"rt-annotated:{name}:{played.number}:1")
        assert shown in turned.text, "an old button shows the page that it carries, or the sentence for old buttons"
    assert isinstance(house, Indoors)
    turns = house.client.context.question_turns
    turns._timings = replace(turns._timings, turn_wait_s=PATIENCE)
    end_turn = await turns.wait_for_turn(int(bo.id))
    record = asyncio.create_task(press_old(house, bo, room.channel, f"rt-annotated:record:{played.number}:1"))
    await ada.click(await ada.command(room.channel, "game thoughts", game=str(played.number)), label("thoughts-keep"))
    gone = text("en", "annotated.gone", id=played.number)
    await bo.wait_for(room.channel, lambda said: said.id == post.id and said.text == gone and not said.buttons)
    end_turn()
    assert (await record).text == gone, "what a heavy question loads is loaded in its turn"
    await bo.click(await bo.click(over, label("thoughts-open")), label("thoughts-share"))
    again = await bo.wait_for(room.channel, lambda said: said.id == post.id and bool(said.buttons))
    assert await said_by(ada, again) == {"secret 2", "secret 4", "secret 6"}
    async with await house.join("Ada") as judge:
        await judge.command(room.channel, "referee undo", game=str(played.number), turn="3", reason="too soon")
    sealed = text("en", "annotated.reopened", id=played.number)
    await bo.wait_for(room.channel, lambda said: said.id == post.id and said.text == sealed and not said.buttons)
    await over_by(bo, played)
    assert not any("secret" in said.text for said in await public(bo, room.channel)), "shared once more, or not at all"


async def test_words_are_withdrawn_from_an_archived_thread(room: Room) -> None:
    played, ada, bo = await room.start_two("camette", thread=True)
    form = await ada.click(await ada.click(played.last, label("compose")), label("thoughts-say"))
    await ada.submit(form, {"words": "secret 1"})
    await played.move(format_move(legal_moves(played.game.position)[0], played.game.position.variant.board))
    over = await over_by(bo, played)
    shared = await ada.click(await ada.click(over, label("thoughts-open")), label("thoughts-share"))
    post = await bo.wait_for(played.channel, lambda said: "Next ▶" in said.buttons)
    await ada.click(shared, label("thoughts-keep"))
    gone = text("en", "annotated.gone", id=played.number)
    await bo.wait_for(played.channel, lambda said: said.id == post.id and said.text == gone)


async def over_by(person: Person, played: Played) -> Said:
    """Has the person resign, which ends the game; returns the message with the result."""
    before = played.last
    await resign(person, played.channel, played.number)
    return await person.wait_for(
        played.channel, lambda said: int(said.id) > int(before.id) and ends(played.number)(said)
    )


async def said_by(person: Person, post: Said) -> set[str]:
    """Returns the words that the pages of the annotated game show, as far as they are secrets."""
    found, page = set[str](), await person.click(post, label("annotated-words"))
    while True:
        found.update(re.findall(r"secret \d", page.text))
        assert page.message is not None
        if page.message.component("rt-annotated:words")["disabled"]:
            return found
        page = await person.click(page, label("annotated-words"))


async def test_words_of_anybody_among_many_can_be_taken_out(room: Room, house: House) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    played = await room.start("camette", ada, bo)
    await played.move("C2-C4")
    await resign(bo, room.channel, played.number)
    people = range(10**17, 10**17 + 30)
    for user in people:
        house.bot.query("INSERT INTO follows (match, user, every_move) VALUES (?, ?, 0)", played.number, user)
        house.bot.query("INSERT INTO thoughts VALUES (?, ?, 0, 'words')", played.number, user)
        house.bot.query("INSERT INTO thought_choices (match, user, shared) VALUES (?, ?, 1)", played.number, user)
    asked = await press_old(house, ada, room.channel, f"rt-annotated:take-out:{played.number}:0")
    asked = await ada.choose(asked, "rt-annotated:whose", ["page1"])
    assert asked.message is not None
    offered = [option["value"] for option in asked.message.component("rt-annotated:whose")["options"]]
    assert str(people[-1]) in offered
    done = await ada.choose(asked, "rt-annotated:whose", [str(people[-1])])
    assert done.text == text("en", "annotated.taken-out", id=played.number, person=f"<@{people[-1]}>")
