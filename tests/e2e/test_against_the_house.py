"""Games against the house, through the real process and its engine."""

from __future__ import annotations

import re

import pytest

from bot.core.house_seats import free_house_players
from bot.play.limits import LIMITS
from bot.texts.i18n import plural_text, text
from bot.texts.people import house_name
from rules import VARIANTS, format_move
from sandbox.faults import late
from sandbox.people import Person, Said
from tests.e2e.board_play import options
from tests.e2e.forged_components import press_old
from tests.e2e.house import House
from tests.e2e.indoors import Indoors
from tests.e2e.ladder_players import number_in
from tests.e2e.room import Room, ends, posted_table, public, type_move
from tests.e2e.stored_games import load_match, some_move
from tests.sentences import label, part

pytestmark = pytest.mark.asyncio(loop_scope="session")

CAMELOT = VARIANTS["camelot"].board
MESSAGES = "POST /channels/{channel_id}/messages"
CABAL = house_name(free_house_players("easy", 1)[0], "en")


async def to_move(person: Person, where: str) -> Said:
    """Returns the latest board there, once it is the person's turn."""
    return await person.wait_for(where, lambda said: said.pings_me and label("compose") in said.buttons)


async def test_a_game_against_the_house_begins_and_is_answered_at_once(room: Room) -> None:
    (ada,) = await room.enter("Ada")
    begun = await ada.command(room.channel, "play", variant="camelot", bots="easy", seats="join-order")
    assert part("time.board") in begun.text
    _, table = await posted_table(ada, room.channel, begun)
    assert CABAL in table.text
    assert part("table.started") in table.text
    assert table.buttons == []
    await to_move(ada, room.channel)
    posts = len(await public(ada, room.channel))
    moved = await ada.command(room.channel, "move", move="F7-F8")
    assert moved.ephemeral
    answered = await ada.wait_for(room.channel, lambda said: said.pings_me and "turn 2, White" in said.text)
    assert {"`F7-F8`.", f"({CABAL})"} <= {*answered.text.split(), *re.findall(r"\(.*?\)", answered.text)}
    assert label("compose") in answered.buttons
    assert len(await public(ada, room.channel)) == posts + 1  # both moves


async def test_a_handicap_takes_a_piece_of_the_bot_and_says_so(room: Room, house: House) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    refused = await ada.command(room.channel, "play", variant="camelot", bots="below-easy", opponent=bo)
    assert refused.text == text("en", "problem.no-handicap")
    begun = await ada.command(room.channel, "play", variant="camelot", bots="below-easy", seats="second")
    _, table = await posted_table(ada, room.channel, begun)
    handicap = text("en", "table.handicap", player=CABAL, piece=text("en", "moves.knight", cell="D7"))
    assert table.text.splitlines()[-2:] == [handicap, text("en", "table.set-position")]
    board = await to_move(ada, room.channel)  # the bot has moved
    assert any(handicap in said.text for said in await public(ada, room.channel) if said.id != table.id)
    assert "White, 13 pieces: " in board.attachments[0]["description"]
    assert "# position: camelot White White:" in (await ada.command(room.channel, "game history")).text


async def test_a_game_with_fewer_levels_takes_the_next_above_and_says_so(room: Room) -> None:
    (ada,) = await room.enter("Ada")
    table = await room.set_table("cam-3d", ada)
    offered = options(await table.press(ada, label("house")), "sit")
    assert [value.removesuffix(":1") for value in offered] == ["easy", "2", "medium", "4", "5", "hard"]
    begun = await ada.command(room.channel, "play", variant="cam-3d", bots="6", seats="join-order")
    assert text("en", "house.other-level", level="hard") in begun.text
    _, posted = await posted_table(ada, room.channel, begun)
    assert house_name(free_house_players("hard", 1)[0], "en") in posted.text


async def test_games_against_bots_have_a_limit_by_the_day(room: Room, house: Indoors) -> None:
    (ada,) = await room.enter("Ada")
    counts, name = house.client.context.act_counts, "games against bots"
    assert not any(counts.count_act(int(ada.id), name) for _ in range(LIMITS[name].times))
    assert part("problem.too-often") in (await ada.command(room.channel, "play", variant="cam", bots="easy")).text


async def test_no_hint_is_given_near_a_running_game_between_people(room: Room, house: House) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    begun = await ada.command(room.channel, "play", variant="camelot", bots="easy", seats="join-order")
    board = await ada.click(await to_move(ada, room.channel), label("compose"))
    played = await room.start("camelot", ada, bo)
    refused = await ada.click(board, "Hint")
    assert part("problem.played-now", number=played.number) in refused.text
    assert not load_match(house, number_in(begun.text)).hints


@pytest.mark.whole
async def test_a_game_the_house_begins_has_its_thread_despite_a_late_table(room: Room, house: House) -> None:
    (ada,) = await room.enter("Ada")
    asked = {"variant": "camette", "bots": "easy", "seats": "second"}
    await ada.command(room.channel, "play", **asked)
    await to_move(ada, room.channel)  # it thinks fast from now on
    slow = house.server.faults.add(MESSAGES, late(1.5))
    begun = await ada.command(room.channel, "play", **asked, thread=True)
    assert slow.struck == 1
    _, table = await posted_table(ada, room.channel, begun)
    thread = await ada.find(f"#{number_in(begun.text)}")
    assert thread == table.id  # below the table
    assert "turn 1, Black" in (await to_move(ada, thread)).text


async def test_the_host_seats_two_house_players_whose_moves_come_at_once(room: Room, house: House) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    table = await room.set_table("tri-camelot", ada, opponent=bo)
    refused = await table.press(bo, label("house"))
    assert refused.text == text("en", "problem.not-host", host=f"<@{ada.id}>")
    await table.press(bo, "Decline")
    asked = await table.press(ada, label("house"))
    assert asked.ephemeral
    seated = await ada.choose(asked, "rt-house:sit", ["easy:2"])
    assert seated.text == plural_text("en", "house.seated", 2, id=table.number)
    await table.shows(part("table.started"))
    await to_move(ada, room.channel)
    for number in (2, 3):
        posts = len(await public(ada, room.channel))
        await type_move(ada, room.channel, some_move(load_match(house, table.number)))
        said = await ada.wait_for(room.channel, lambda said, turn=number: f"turn {turn}, " in said.text)
        assert said.pings_me
        assert {"🔴", "🟢"} <= set(said.text)  # both answers
        assert len(await public(ada, room.channel)) == posts + 1  # her own move with all that followed


async def test_moves_are_taken_back_at_once_draws_answered_and_resigning_is_quiet(room: Room, house: House) -> None:
    (ada,) = await room.enter("Ada")
    begun = await ada.command(room.channel, "play", variant="camelot", bots="easy", seats="join-order")
    number = number_in(begun.text)
    board = await ada.click(await to_move(ada, room.channel), label("compose"))
    hinted = await ada.click(board, "Hint")
    (hint,) = load_match(house, number).hints
    assert text("en", "lesson.hint.piece", cell=CAMELOT.names[hint.move.start]) in hinted.text
    assert plural_text("en", "house.hints-left", 2) in hinted.text
    hinted = await ada.click(hinted, "Hint")
    assert text("en", "lesson.hint.move", move=format_move(hint.move, CAMELOT)) in hinted.text
    assert label("commit") in hinted.buttons
    await ada.command(room.channel, "move", move="F7-F8")
    await ada.wait_for(room.channel, lambda said: said.pings_me and "turn 2, White" in said.text)
    back = await press_old(house, ada, room.channel, f"rt:takeback-ask:{number}:0:-")
    assert back.text == text("en", "takeback.done.at-once", id=number)
    again = await ada.wait_for(room.channel, lambda said: part("takeback.undone") in said.text)
    assert label("compose") in again.buttons
    draw = await ada.command(room.channel, "game draw")
    assert draw.ephemeral
    assert draw.text == text("en", "problem.house-plays-on", user=CABAL)
    asked = await ada.command(room.channel, "game resign")
    assert CABAL in asked.text
    await ada.click(asked, "Resign")
    over = await ada.wait_for(room.channel, ends())
    assert f" {CABAL} wins**" in over.text
    assert "took a hint." in over.text
    assert house.bot.query("SELECT count(*) FROM rating_changes WHERE match = ?", number) == [(0,)]
    rematch = await ada.click(over, label("rematch"))
    assert rematch.ephemeral
    assert load_match(house, number_in(rematch.text)).players == (free_house_players("easy", 1)[0], int(ada.id))
