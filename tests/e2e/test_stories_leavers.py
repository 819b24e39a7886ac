"""Games of Tri-Camelot that one of three players leaves, at a clock that the test moves."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from bot.texts.i18n import text
from sandbox.people import Person, Said
from tests.e2e.clock import ClockHouse
from tests.e2e.clock.standing import house_from
from tests.e2e.clock.watch import DAY, HOUR, MINUTE
from tests.e2e.judging import moves_of
from tests.e2e.room import Played, Room, bare, words
from tests.sentences import label, part

pytestmark = pytest.mark.asyncio(loop_scope="session")

house = house_from(datetime(2026, 9, 1, 12, tzinfo=UTC))
CALL, VOTE = 48 * HOUR, 72 * HOUR


async def three_and_dee(room: Room, **options: Any) -> tuple[Played, Person, Person, Person, Person]:
    """A game of Ada as Blue, Bo as Red and Cy as Green; Dee watches."""
    ada, bo, cy, dee = await room.enter("Ada", "Bo", "Cy", "Dee")
    played = await room.start("tri-camelot", ada, bo, cy, **options)
    played.onlookers.append(dee)
    return played, ada, bo, cy, dee


async def resigns(played: Played, person: Person, *called: Person) -> Said:
    """Returns the call for a substitute after that person's resignation."""
    asked = await person.command(played.channel, "game resign")
    assert "48" in asked.text
    assert (await person.click(asked, label("resign"))).ephemeral
    said = await played.calls(*called)
    assert "Take over Red" in said.buttons
    return said


async def finish(played: Played, moves: list[str]) -> None:
    """Plays those moves to the end of the game."""
    for move in moves:
        await played.move(move)
    assert played.game.outcome is not None
    assert "is over" in played.last.text


async def test_a_stranger_takes_a_resigners_seat_over_and_finishes_the_game(house: ClockHouse, room: Room) -> None:
    played, ada, bo, cy, dee = await three_and_dee(room, pace="fast")
    moves = moves_of("tri-camelot-castle")
    for move in moves[:3]:
        await played.move(move)
    call = await resigns(played, bo, ada, cy)
    assert f"<t:{house.now + CALL}:R>" in call.text
    for person in (ada, bo):
        refused = await person.click(call, "Take over Red")
        assert refused.ephemeral
        assert refused.text == text("en", "problem.seat-not-yours", number=played.number)
    await house.move_clock(CALL - HOUR)  # all clocks stand, so nobody is reminded
    await played.quiet()
    taken = await dee.click(call, "Take over Red")
    assert taken.ephemeral
    played.onlookers, played.players[1] = [bo], dee
    begins = await played.calls(ada)
    assert begins.attachments
    assert f"<t:{house.now + 28 * HOUR}:R>" in begins.text  # the clock of Blue, who had moved at once, runs again
    await bare(played.players[0], call)
    await finish(played, moves[3:])
    assert f"{cy.name} wins" in played.last.shown


@pytest.mark.long
async def test_a_seat_whose_time_has_run_out_is_claimed_and_taken_over(house: ClockHouse, room: Room) -> None:
    played, ada, bo, cy, dee = await three_and_dee(room, pace="fast")
    moves = moves_of("tri-camelot-castle")
    await played.move(moves[0])
    for hours in (12, 6):  # at half of the bank, and six hours before its end
        await house.move_clock(hours * HOUR)
        await played.calls(bo)
    await house.move_clock(6 * HOUR)
    grace = await played.calls(bo)
    await house.move_clock(12 * HOUR)
    claimable = await played.calls(ada, cy)
    assert claimable.buttons == grace.buttons
    assert (await cy.click(claimable, claimable.buttons[0])).ephemeral
    call = await played.calls(ada, bo, cy)
    assert "Take over Red" in call.buttons
    refused = await bo.command(played.channel, "move", move=moves[1])
    assert refused.ephemeral
    await house.kill_bot()
    await house.start_bot()
    await dee.click(call, "Take over Red")
    played.onlookers, played.players[1] = [bo], dee
    begins = await played.calls(dee)
    assert f"<@{dee.id}>, it is your turn" in begins.text
    await finish(played, moves[1:])
    assert f"{cy.name} wins" in played.last.shown
    record = await cy.command(played.channel, "game history", game=str(played.number))
    assert f"# substitutes: from move 2: Red {dee.name} for {bo.name}\n" in record.text


async def test_where_nobody_comes_and_nobody_agrees_two_play_on_with_a_steward(house: ClockHouse, room: Room) -> None:
    played, ada, bo, cy, dee = await three_and_dee(room)
    await played.move("G4-G8")
    call = await resigns(played, bo, ada, cy)
    await house.move_clock(CALL - MINUTE)
    await played.quiet()
    await house.move_clock(MINUTE)
    vote = await played.calls(ada, cy)
    assert vote.buttons == ["Play on", "Let a bot play", "Agree to a draw", "Abandon"]
    assert f"<t:{house.now + VOTE}:R>" in vote.text
    await bare(played.players[0], call)
    for person in (bo, dee):
        refused = await person.click(vote, "Play on")
        assert refused.ephemeral
    await ada.click(vote, "Agree to a draw")
    await played.calls(cy)
    await cy.click(vote, "Abandon")
    await played.calls(ada)
    await house.kill_bot()
    await house.start_bot()
    await house.move_clock(VOTE - MINUTE)
    await played.quiet()
    await house.move_clock(MINUTE)
    played.game = played.game.resign(1, steward=True)
    assert played.mover is cy  # Red's steward passes
    on = await played.calls(cy)
    assert part("leaver.steward", emblem="🔴", colour="Red") in on.text
    assert part("turn.passed-steward", emblem="🔴", colour="Red") in on.text
    assert on.attachments
    assert text("en", "alt.steward", colour="Red") in words(on)
    played.players, played.onlookers = [ada, bo, cy], [dee]
    for move in ("J11-J15", "E6-G4", "I14-G12", "D5-F3", "G12-F13", "F7-H9", "F13-E14"):
        passed = await played.move(move)
        assert (part("turn.passed-steward", emblem="🔴", colour="Red") in passed.text) == (played.mover is cy)
    await house.kill_bot()
    await house.start_bot()
    captured = await played.move("G6-G2")  # announced together with Red's capture, and pings Green
    assert "`G6-G2`" in captured.text
    assert "**Red** `D13xF15` · steward" in captured.text
    await finish(played, ["J13-H11xH7xH3xF1"])
    assert f"{cy.name} wins" in played.last.shown
    record = (await cy.command(played.channel, "game history", game=str(played.number))).text
    assert "1. G4-G8 steward:Red ... J11-J15" in record
    assert "5. G6-G2 D13xF15 J13-H11xH7xH3xF1" in record


@pytest.mark.long
@pytest.mark.parametrize(("label", "says"), [("Agree to a draw", "is a draw"), ("Abandon", "no result")])
async def test_the_two_who_are_left_agree_to_end_it(house: ClockHouse, room: Room, label: str, says: str) -> None:
    played, ada, bo, cy, _ = await three_and_dee(room)
    await resigns(played, bo, ada, cy)
    await house.move_clock(CALL)
    vote = await played.calls(ada, cy)
    await cy.click(vote, "Play on")
    await played.calls(ada)
    await ada.click(vote, label)
    await played.calls(cy)
    await cy.click(vote, label)
    end = await played.calls(ada, bo)
    assert says in end.text
    await bare(played.players[0], vote)
    await house.move_clock(10 * DAY)
    await played.quiet()


async def test_a_voters_successor_votes_again_below_the_board_too(house: ClockHouse, room: Room) -> None:
    played, ada, bo, cy, dee = await three_and_dee(room)
    await resigns(played, bo, ada, cy)
    await house.move_clock(CALL)
    vote = await played.calls(ada, cy)
    await ada.click(vote, "Agree to a draw")
    await played.calls(cy)
    async with await Person.join(house.url, "Ada") as judge:  # who manages the server
        given = {"player": ada, "by": dee, "reason": "She is ill."}
        assert (await judge.command(played.channel, "referee replace", game=str(played.number), **given)).ephemeral
    await played.calls(ada, bo, cy, dee)
    played.players, played.onlookers = [dee, bo, cy], [ada]
    assert "You played" in (await played.try_move("G4-G8", dee)).text
    board = await played.calls()
    assert board.buttons == ["Play on", "Let a bot play", "Agree to a draw", "Abandon", "Explore", "Follow", "More"]
    await cy.click(board, "Play on")
    await played.calls(dee)
    await dee.click(vote, "Play on")
    assert "The vote: " in (await played.calls(cy)).text
    for said in (vote, board):
        await bare(played.players[0], said)


@pytest.mark.long
async def test_a_draw_that_all_three_accept_also_over_restarts(house: ClockHouse, room: Room) -> None:
    played, ada, bo, cy, dee = await three_and_dee(room)
    await played.move("G4-G8")
    assert (await ada.command(played.channel, "game draw")).ephemeral
    offer = await played.calls(bo, cy)
    assert offer.buttons == ["Accept", "Decline"]
    assert (await dee.click(offer, "Accept")).ephemeral
    await house.kill_bot()
    await house.start_bot()
    await bo.click(offer, "Accept")
    await played.calls()
    await house.move_clock(3 * HOUR)
    await cy.click(offer, "Accept")
    end = await played.calls(ada, bo)
    assert text("en", "end.draw") in end.text
