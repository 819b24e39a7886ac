"""Mistakes in a turn: each gets one clear private answer, changes nothing and pings nobody."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from bot.discordkit.wall_clock import WALL_CLOCK
from bot.store import Reader
from bot.texts.i18n import text
from tests.e2e.board_play import options
from tests.e2e.forged_components import button, plant
from tests.e2e.game_checks import check_picture
from tests.e2e.house import House
from tests.e2e.room import Room, public, wait_for_no_buttons, words
from tests.sentences import label, part

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_an_interaction_delivered_twice_counts_once(room: Room, house: House) -> None:
    played, ada, *_ = await room.start_watched()
    gateway = house.server.gateway
    once = gateway.dispatch

    def twice(event: str, payload: Any) -> None:
        once(event, payload)
        if event == "INTERACTION_CREATE":
            once(event, payload)

    gateway.dispatch = twice  # type: ignore[method-assign]  # at least once, as Discord promises
    try:
        await played.move("F7-F8")
        table = await room.set_table("camelot", ada)
    finally:
        del gateway.dispatch
    found = await public(ada, room.channel)
    assert [said.text for said in found if f"#{table.number}" in said.text] == [table.message.text]
    # The repeated /play leaves nothing behind.
    others = "SELECT phase FROM matches WHERE channel = ? AND id <> ?"
    await house.until(lambda: house.bot.query(others, int(room.channel), table.number) == [("live",)], "struck out")


async def test_a_move_asks_once_for_the_time_and_for_what_is_stored(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The bugs: plans, the person's games and what the match has come to were read before the move, and then again.
    task, run = asyncio.current_task, Reader.run_sql
    acting, read = list[Any](), list[tuple[Any, str]]()  # the tasks; a tick beside them reads plans, too
    monkeypatch.setattr("bot.play.caller.now", lambda: acting.append(task()) or WALL_CLOCK.now())
    monkeypatch.setattr(Reader, "run_sql", lambda me, sql, *values: read.append((task(), sql)) or run(me, sql, *values))
    played, *_ = await room.start_two()
    acting.clear()
    read.clear()
    await played.move("F7-F8")
    things = ("FROM plans", "AS waits", "newsworthy, announced FROM matches WHERE id", "JOIN user_settings")
    assert [len(acting), *(sum(thing in sql for by, sql in read if by in acting) for thing in things)] == [1] * 5


async def test_an_old_button_shows_how_the_board_stands_now(room: Room) -> None:
    played, ada, bo, cy = await room.start_watched()
    old = played.last
    await played.move("F7-F8")
    await wait_for_no_buttons(ada, old)
    with_buttons = [said for said in await public(ada, room.channel) if said.buttons]
    assert [said.id for said in with_buttons] == [played.last.id]  # the earlier turn has lost its buttons
    assert played.last.buttons == ["Move", "Explore", label("follow"), "More"]
    older = plant(room.house, room.channel, button(f"rt-press:open:{played.number}:0:-:"))
    for person in (ada, cy):
        shown = await person.click(older, older.buttons[0])
        assert shown.ephemeral
        assert shown.text.startswith(text("en", "moves.stale"))
        assert "Black is to move" in words(shown)
    mine = await bo.click(older, older.buttons[0])
    assert options(mine, "piece")
    await asyncio.gather(played.try_move("F10-F9"), bo.click(older, older.buttons[0]))


# Why a move is refused: the reason, the cells, what is legal instead, and the way into the composer


async def test_a_refusal_names_the_cells_and_opens_the_composer_at_that_piece(room: Room) -> None:
    played, ada, _ = await room.start_two()
    refused = await played.try_move("D6-F9")
    assert text("en", "reason.not-adjacent", first="**D6**", second="**F9**") in refused.text
    assert f"{part('why.from-here')}`D6-C5`" in refused.text
    assert "`D6-F8`." in refused.text
    assert "marked" in words(refused)
    await check_picture(ada, refused)
    assert refused.buttons == ["Move D6"]
    panel = await ada.click(refused, "Move D6")
    assert panel.ephemeral
    assert text("en", "composer.choose-leg", piece="**Man D6**") in panel.text
    await played.quiet()


@pytest.mark.parametrize(("typed", "reason"), [("hello", "unreadable"), ("d6", "ambiguous"), ("F9-F10", "empty-start")])
async def test_any_typed_text_gets_a_reason_a_picture_and_a_next_step(room: Room, typed: str, reason: str) -> None:
    played, ada, _ = await room.start_two()
    refused = await played.try_move(typed)
    assert part(f"reason.{reason}") in refused.text
    await check_picture(ada, refused)
    (label,) = refused.buttons
    assert options(await ada.click(refused, label), "leg" if typed == "d6" else "piece")
    await played.quiet()


async def test_where_a_capture_is_due_the_captures_are_buttons(room: Room) -> None:
    played, ada, _ = await room.start_two()
    for move in ("F7-F8", "F10-F9"):
        said = await played.move(move)
    assert "it is your turn. You must capture.\n" in said.text
    offered = await ada.autocomplete(room.channel, "move", {"move": "f8"}, "move")
    assert ["x" in move for move in offered] == [True] * len(offered) != []
    refused = await played.try_move("D6-D5")
    assert (
        text("en", "reason.must-capture", captures=text("en", "move.captures", start="**F8**", over="**F9**"))
        in refused.text
    )
    assert "F8xF10" in refused.buttons
    panel = await ada.click(refused, "F8xF10")
    assert "`F8xF10` …" in panel.text
    assert text("en", "composer.captures", cells="**F9**") in panel.text
    moved = await played.move("F8xF10xF12")
    late = await ada.click(refused, "F8xF10")
    assert late.text.startswith(text("en", "moves.stale"))
    assert moved.id == played.last.id


async def test_why_explains_a_move_without_playing_it_to_anybody(room: Room) -> None:
    played, ada, bo, cy = await room.start_watched()
    stored = room.house.bot.events()
    legal = await ada.command(room.channel, "game why", move="d6 f8")
    assert text("en", "why.legal", played="⚪ **White** canters `D6-F8`.") in legal.text
    await check_picture(ada, legal)
    assert legal.buttons == ["Move"]
    panel = await ada.click(legal, "Move")
    assert f"`D6-F8` … {text('en', 'composer.done')}" in panel.text
    for person in (bo, cy):
        refused = await person.command(room.channel, "game why", move="F7-F10", game=str(played.number))
        assert refused.ephemeral
        assert part("reason.not-adjacent") in refused.text
        assert refused.buttons == []
    assert room.house.bot.events() == stored
    await played.quiet()
