"""Seats that change hands: what everybody sees and may press after one of three players has left."""

from __future__ import annotations

import pytest

from bot.texts.i18n import text
from sandbox.people import Person
from tests.e2e.game_checks import moves_of
from tests.e2e.room import Played, Room, wait_for_no_buttons
from tests.sentences import label, part

pytestmark = pytest.mark.asyncio(loop_scope="session")

MOVES = moves_of("tri-camelot-castle")


async def three(room: Room) -> tuple[Played, Person, Person, Person]:
    ada, bo, cy = await room.enter("Ada", "Bo", "Cy")
    return await room.start("tri-camelot", ada, bo, cy), ada, bo, cy


async def leave(played: Played, person: Person) -> None:
    asked = await person.command(played.channel, "game resign", game=str(played.number))
    assert "48 hours" in asked.text
    done = await person.click(asked, label("resign"))
    assert done.text == text("en", "resign.done", id=played.number)


async def test_the_board_of_a_leaver_to_move_stops_calling_them(room: Room) -> None:
    played, ada, bo, cy = await three(room)
    board = played.last
    await leave(played, ada)
    await played.calls(bo, cy)
    assert "vacant" in (await bo.command(room.channel, "move")).text
    await played.quiet()
    await bo.wait_for(room.channel, lambda said: said.id == board.id and not said.buttons)


async def test_while_a_seat_is_vacant_everything_that_waits_for_it_says_so(room: Room) -> None:
    played, ada, bo, cy = await three(room)
    await leave(played, bo)
    call = await played.calls(ada, cy)
    assert part("leaver.call", colour="Red", id=played.number).split("\n")[0] in call.text
    assert call.buttons == ["Take over Red", "Decide now"]
    played.game = played.game.play(MOVES[0])
    assert "You played" in (await ada.command(room.channel, "move", move=MOVES[0])).text
    turn = await played.calls()
    assert part("leaver.waiting", emblem="🔴", colour="Red", next="").strip() in turn.text
    assert turn.buttons == ["Take over Red", "Decide now", "Explore", label("follow"), "More"]
    for person, command, options in (
        (cy, "move", {}),
        (cy, "move", {"move": "J13-J9"}),
        (ada, "game draw", {}),
        (ada, "game substitute", {"player": bo}),
    ):
        refused = await person.command(room.channel, command, **options)
        assert refused.ephemeral
        assert part("problem.seat-vacant", number=played.number) in refused.text, command
    assert text("en", "games.vacant") in (await cy.command(room.channel, "games")).text
    assert (
        part("leaver.waiting", emblem="🔴", colour="Red", next="").strip()
        in (await cy.command(room.channel, "board")).text
    )
    refused = await bo.click(turn, "Take over Red")
    assert refused.text == text("en", "problem.seat-not-yours", number=played.number)
    await played.quiet()
    (dee,) = await room.enter("Dee")
    bystander = await dee.command(room.channel, "board", game=str(played.number))
    assert part("leaver.waiting-call") in bystander.text
    taken = await dee.click(turn, "Take over Red")
    assert taken.text == text("en", "leaver.done.taken-over", colour="Red", id=played.number, where="")
    played.players[1], played.onlookers = dee, [bo]
    board = await played.calls(dee)
    assert part("leaver.taken-over", colour="Red") in board.text
    await wait_for_no_buttons(ada, call)
    await played.move(MOVES[1])
    record = await cy.command(room.channel, "game history", game=str(played.number))
    assert f"# substitutes: from turn 1, Red: Red {dee.name} for {bo.name}\n" in record.text


async def test_a_seat_is_handed_over_when_everybody_has_agreed(room: Room) -> None:
    played, ada, bo, cy = await three(room)
    dee, eve = await room.enter("Dee", "Eve")
    played.onlookers = [dee, eve]
    assert (
        part("problem.already-playing", number=played.number)
        in (await ada.command(room.channel, "game substitute", player=bo)).text
    )
    first = await ada.command(room.channel, "game substitute", player=eve)
    request = await played.calls(bo, cy, eve)
    assert request.buttons == ["Accept", "Decline"]
    assert (await ada.click(first, "Withdraw")).text == text("en", "answered.handover.withdrawn", id=played.number)
    await played.calls()
    await ada.command(room.channel, "game substitute", player=dee)
    second = await played.calls(bo, cy, dee)
    await wait_for_no_buttons(bo, request)
    for person in (dee, bo):
        assert part("answered.handover.accepted") in (await person.click(second, "Accept")).text
        await played.calls()
    assert part("problem.not-asked", number=played.number) in (await eve.click(second, "Accept")).text
    await cy.click(second, "Accept")
    played.players[0], played.onlookers = dee, [ada, eve]
    board = await played.calls(dee)
    assert "plays **Blue** from now on, in place of" in board.text
    assert board.attachments
    await played.move(MOVES[0])
    gone = await ada.command(room.channel, "move", move=MOVES[0], game=str(played.number))
    assert part("problem.not-a-player") in gone.text


async def test_both_who_are_left_begin_the_vote_before_two_days_are_over(room: Room) -> None:
    played, ada, bo, cy = await three(room)
    await leave(played, bo)
    call = await played.calls(ada, cy)
    mine = await ada.click(call, "Decide now")
    assert mine.text == text("en", "vote.done.proposed", id=played.number)
    asked = await played.calls(cy)
    assert asked.buttons == ["Decide now", "Keep waiting"]
    assert (await bo.click(asked, "Decide now")).text == text("en", "problem.already-left", number=played.number)
    assert (await ada.click(mine, "Keep waiting")).text == text("en", "answered.vote.withdrawn", id=played.number)
    assert part("vote.withdrawn", id=played.number) in (await played.calls()).text
    await wait_for_no_buttons(cy, asked)
    await cy.click(call, "Decide now")
    asked = await played.calls(ada)
    assert (await ada.click(asked, "Decide now")).text == text("en", "vote.done.agreed", id=played.number)
    vote = await played.calls(cy)
    assert part("vote.why-agreed", colour="Red", id=played.number) in vote.text
    assert vote.buttons == ["Play on", "Let a bot play", "Agree to a draw", "Abandon"]
    await wait_for_no_buttons(cy, call)
    await wait_for_no_buttons(cy, asked)


async def test_a_vacant_seat_is_offered_where_the_table_was_opened(room: Room) -> None:
    ada, bo, cy, dee, eve = await room.enter("Ada", "Bo", "Cy", "Dee", "Eve")
    table = await room.set_table("tri-camelot", ada, thread=True)
    await eve.click(table.message, label("seek"))
    for player in (bo, cy):
        await table.join(player)
    played = await table.begun(await ada.find(f"#{table.number}"))
    await leave(played, bo)
    await played.calls(ada, cy)
    offer = await dee.wait_for(room.channel, lambda said: "Take over Red" in said.buttons)
    assert (
        part("leaver.offer", emblem="🔴", colour="Red", id=table.number, variant="Tri-Camelot").split("(")[0]
        in offer.text
    )
    assert (f"<#{played.channel}>" in offer.text, offer.buttons, offer.pings_me) == (True, ["Take over Red"], False)
    called = await eve.wait_for(room.channel, lambda said: said.id == offer.id)
    assert called.pings_me, "she looks for a game"
    taken = await dee.click(offer, "Take over Red")
    where = " " + text("en", "move.see", where=f"<#{played.channel}>")
    assert taken.text == text("en", "leaver.done.taken-over", colour="Red", id=table.number, where=where)
    await wait_for_no_buttons(eve, offer)


async def test_seekers_are_called_to_vacant_seats_once_a_day(room: Room) -> None:
    played, ada, bo, cy = await three(room)
    dee, eve = await room.enter("Dee", "Eve")
    table = await room.set_table("camelot", dee)
    await eve.click(table.message, label("seek"))
    await leave(played, bo)
    offer = await eve.wait_for(room.channel, lambda said: part("leaver.offer-call") in said.text)
    assert offer.pings_me
    again = await room.start("tri-camelot", ada, cy, dee)
    await leave(again, dee)
    await again.calls(ada, cy)
    assert [said.id for said in await eve.messages(room.channel) if part("leaver.offer-call") in said.text] == [
        offer.id
    ]
