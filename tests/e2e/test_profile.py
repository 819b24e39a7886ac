"""Finished games: profiles, standings, games found again, watched and exported, and hints for a referee."""

from __future__ import annotations

import re

import pytest

from bot.texts.i18n import text
from sandbox.people import Person, Reply, Said
from tests.e2e.ladder_players import OPENING
from tests.e2e.room import Played, Room, ends, public, resign, set_own, words

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def finished(room: Room, *players: Person) -> Played:
    """A game of Camelot that the first player has won, because the other resigned after four moves each."""
    played = await room.start("camelot", *players)
    for move in OPENING:
        await played.move(move)
    await resign(players[1], room.channel, played.number)
    await players[0].wait_for(room.channel, ends(played.number))
    return played


async def look(person: Person, shown: Reply | Said, label: str) -> Said:
    """Returns the sheet that replaces that one after a press on one of its buttons."""
    before = shown.message if isinstance(shown, Reply) else shown
    assert before is not None
    reply = await person.click(shown, label)
    assert not reply.failed
    if reply.message is not None:
        return reply.message
    return await person.wait_for(before.channel_id, lambda said: said.id == before.id and said.json != before.json)


async def test_a_result_tells_its_effect_on_ratings_also_without_a_ladder(room: Room) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    played = await finished(room, ada, bo)
    (over,) = filter(ends(), await public(ada, room.channel))
    for person, sign in ((ada, "+"), (bo, "-")):
        assert re.search(rf"\n📈 {person.name} \{sign}\d+: 1500 → \*\*1\d\d\d \(provisional\)\*\*", over.shown)
    assert "🪜" not in over.text
    assert f"#{played.number}" in over.text


async def test_a_profile_shows_results_first_moves_last_games_and_the_curve(room: Room) -> None:
    ada, bo, cy = await room.enter("Ada", "Bo", "Cy")
    none = await cy.command(room.channel, "ladder profile", player=ada)
    assert none.text == text("en", "profile.none", player=f"<@{ada.id}>")
    numbers = [(await finished(room, ada, bo)).number for _ in range(2)]
    seen = await cy.command(room.channel, "ladder profile", player=ada)
    assert seen.ephemeral
    for sign in (
        f"**<@{ada.id}>** · Camelot",
        f"{text('en', 'profile.score', won=2, drawn=0, lost=0)} {text('en', 'profile.winning', count=2)}",
        text("en", "profile.first-moves", moves="`D6-F8` (2×)"),
        text("en", "profile.thinking", time=text("en", "profile.brief")),
        text("en", "profile.last", variant="Camelot"),
        f"Camelot against <@{bo.id}>: **won** (+",
    ):
        assert sign in seen.text, seen.text
    assert all(f"#{number}" in seen.text for number in numbers)
    curve = next(one for one in seen.attachments if one["filename"] == "rating-camelot.png")
    assert re.fullmatch(
        r"Rating in Camelot, game by game: from 1500 to (\d+) in 2 games; highest \1, lowest 1500\.",
        curve["description"],
    )
    assert (await cy.picture(curve)).startswith(b"\x89PNG")
    norwegian = await bo.command(room.channel, "ladder profile")
    assert text("en", "profile.losing", count=2) in norwegian.text
    together = await cy.command(room.channel, "ladder profile", player=ada, other=bo)
    assert "- Camelot: **2–0–0**" in together.text
    assert text("en", "compare.same") in (await cy.command(room.channel, "ladder profile", other=cy)).text


async def test_a_non_public_player_appears_on_no_board_or_others_profile(room: Room) -> None:
    ada, bo, cy = await room.enter("Ada", "Bo", "Cy")
    await finished(room, ada, bo)
    shown = await set_own(ada, room.channel, public=False)
    assert f"{text('en', 'setting.public.name')}: **no**" in shown.text
    hidden = text("en", "profile.hidden", player=f"<@{ada.id}>")
    assert (await cy.command(room.channel, "ladder profile", player=ada)).text == hidden
    assert hidden in (await cy.command(room.channel, "ladder profile", player=ada, other=bo)).text
    assert (await cy.command(room.channel, "game history", player=ada)).text == hidden
    assert (await cy.command(room.channel, "game history", player=bo, opponent=ada)).text == hidden
    assert (
        text("en", "past.with", other=f"<@{ada.id}>")
        in (await bo.command(room.channel, "game history", opponent=ada)).text
    )
    board: Reply | Said = await cy.command(room.channel, "ladder leaderboard", variant="camelot")
    for _ in range(20):  # other tests have filled the list
        assert f"<@{ada.id}>" not in board.text
        if "Next ▶" not in board.buttons:
            break
        board = await look(cy, board, "Next ▶")
    assert "Won **1**" in (await ada.command(room.channel, "ladder profile")).text


async def test_finished_games_are_found_and_each_is_seen_at_any_move(room: Room) -> None:
    ada, bo, cy = await room.enter("Ada", "Bo", "Cy")
    played = await finished(room, ada, bo)
    other = await finished(room, ada, cy)
    all_ = await cy.command(room.channel, "game history", player=ada)
    assert all_.text.index(f"#{other.number}") < all_.text.index(f"#{played.number}")
    found = await cy.command(room.channel, "game history", player=ada, opponent=bo, variant="camelot")
    assert f"**Finished games** · <@{ada.id}> · Camelot · {text('en', 'past.with', other=f'<@{bo.id}>')}" in found.text
    assert f"#{other.number}" not in found.text
    nothing = await cy.command(room.channel, "game history", player=ada, variant="chivalry")
    assert text("en", "past.empty") in nothing.text

    opened = (await cy.click(found, text("en", "games.look"))).message
    assert opened is not None
    assert "White won." in opened.text
    assert "after turn 4, Black" in words(opened)
    assert opened.buttons[:2] == ["⏮ First", "◀ Back"]
    assert "Next ▶" not in opened.buttons
    board = await look(cy, opened, "◀ Back")
    assert "after turn 4, White. White cantered J6-H6" in words(board)
    board = await look(cy, board, "⏮ First")
    assert text("en", "alt.start") in words(board)
    assert "◀ Back" not in board.buttons
    jump = board.component("rt-sheets:turn")
    fifth = next(one for one in jump["options"] if one["label"] == "3, White: H6-H8")
    before = board
    await cy.choose(board, jump["custom_id"], [fifth["value"]])
    board = await cy.wait_for(room.channel, lambda said: said.id == before.id and said.json != before.json)
    assert "after turn 3, White. White cantered H6-H8" in words(board)
    assert board.component("rt-sheets:turn")["custom_id"] != jump["custom_id"]

    record = await cy.command(room.channel, "game history", game=str(played.number))
    board = await look(cy, record, text("en", "past.boards"))
    assert "after turn 4, Black" in words(board)
