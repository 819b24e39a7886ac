"""Whole games of every kind, from the invitation to the record, as people play them."""

from __future__ import annotations

import pytest

from bot.texts.i18n import text
from rules import VARIANTS
from tests.e2e.game_checks import RECORDS, cases, check_end, check_turn, moves_of, read_record, variant_of
from tests.e2e.room import Played, Room
from tests.examples import ordinarily
from tests.sentences import label

pytestmark = pytest.mark.asyncio(loop_scope="session")

TWO = [key for key, variant in VARIANTS.items() if len(variant.seats) == 2]


async def follow(played: Played, moves: list[str]) -> None:
    """Plays the moves; each is announced in one message with everything that it must show."""
    for move in moves:
        before = played.game
        said = await played.move(move)
        await check_turn(played.players[0], said, before, played.game)


@pytest.mark.parametrize("name", cases(name for name in RECORDS if variant_of(name).key in TWO))
async def test_a_game_of_two_goes_from_the_invitation_to_the_record(room: Room, name: str) -> None:
    record = read_record(name)
    played, ada, bo = await room.start_two(record.origin.variant.key)
    await follow(played, moves_of(name))
    posted = await check_end(played)
    assert f"White {ada.name}" in posted
    shown = await bo.command(room.channel, "board")
    outcome = played.game.outcome
    assert outcome is not None
    colours = [played.game.variant.armies[seat].colour for seat in outcome.winners]
    assert (text("en", "board.won", winners=colours[0]) if colours else text("en", "board.draw")) in shown.text
    late = await played.try_move("D6-D7", ada)
    assert late.ephemeral
    assert text("en", "problem.game-over", number=played.number) in late.text or "no game here" in late.text
    await played.quiet()


@pytest.mark.parametrize("key", ordinarily(TWO, "camelot"))
async def test_who_resigns_is_asked_first_and_loses_also_out_of_turn(room: Room, key: str) -> None:
    played, ada, bo = await room.start_two(key)
    asked = await bo.command(room.channel, "game resign")
    assert asked.ephemeral
    assert asked.buttons == [label("resign"), "Play on"]
    await played.quiet()
    kept = await bo.click(asked, "Play on")
    assert kept.text == text("en", "resign.kept", id=played.number)
    asked = await bo.command(room.channel, "game resign")
    done = await bo.click(asked, label("resign"))
    assert done.text == text("en", "resign.done", id=played.number)
    played.game = played.game.resign(1)
    said = await played.told(bo)
    assert f"{ada.name} wins" in said.shown
    await check_end(played)
