"""Explore: lines that one person tries alone and nobody else sees; openings below the board; and notes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from itertools import cycle

import pytest

from bot.explore.tree import MAX_TREES
from bot.texts.i18n import text
from rules import VARIANTS, Game, format_position, iter_moves
from sandbox.people import Person, Reply
from tests.e2e.board_play import pick, value_of
from tests.e2e.database_contents import settled
from tests.e2e.forged_components import press_old
from tests.e2e.game_checks import check_picture
from tests.e2e.house import House
from tests.e2e.room import Room, ends, public, resign, set_own, set_server
from tests.sentences import label, part

pytestmark = pytest.mark.asyncio(loop_scope="session")

START, EARLIER, LATER, OUTLINE = (label(f"explore-{name}") for name in ("start", "earlier", "later", "outline"))


TEN_GAMES = (
    *[("C2-C4", "B5-A5")] * 3,
    *[("C2-C4", "D5-E5")] * 2,  # the same, mirrored
    *[("B3-B2", "B5-A5")] * 2,
    *[("B3-A3", "B5-A5")] * 2,
    ("C2-B2", "B5-A4"),
)
"""Moves of short games of Camette, two of them the mirror image of others."""


async def finish_games(room: Room, hosts: Sequence[Person], bo: Person, games: int = 10) -> None:
    """Plays that many games, of two moves each, which Bo resigns. One host may not open ten tables in a minute."""
    for line, ada in zip(TEN_GAMES[:games], cycle(hosts), strict=False):
        played = await room.start("camette", ada, bo)
        for move in line:
            await played.move(move)
        await resign(bo, room.channel, played.number)
        await ada.wait_for(room.channel, ends(played.number))


def menus(said: Reply) -> dict[str, dict[str, str]]:
    """Returns the options of the menus by the menus' names, value to label."""
    assert said.message is not None, said
    parts = [part for row in said.message.json["components"] for part in row.get("components", ())]
    found = [part for part in parts if part["type"] == 3]
    return {one["custom_id"].split(":")[1]: {o["value"]: o["label"] for o in one["options"]} for one in found}


async def tried(person: Person, said: Reply, *moves: str) -> Reply:
    """Types those moves into the board, one after the other."""
    for move in moves:
        said = await person.submit(await person.click(said, label("type")), {"move": move})
    return said


async def tools(person: Person, said: Reply) -> Reply:
    """Returns the board with its tools, which stand in place of the pieces."""
    return said if START in said.buttons else await person.click(said, label("explore-tools"))


async def use(person: Person, said: Reply, name: str) -> Reply:
    """Presses one of the tools."""
    return await person.click(await tools(person, said), name)


async def test_it_says_that_nothing_is_played_and_whose_duty_it_is(room: Room) -> None:
    played, _, bo, _ = await room.start_watched("F7-F8", "F10-F9")
    board = await bo.click(played.last, label("explore"))
    assert text("en", "explore.unplayed") in board.text
    due = text("en", "turn.due-named", colour="White")
    assert due in board.text
    assert text("en", "turn.due") not in board.text
    refused = await tried(bo, board, "D6-D5")
    assert part("reason.must-capture") in refused.text
    assert due not in refused.text, "the reason says it"
    assert text("en", "explore.tools") in (await tools(bo, refused)).text
    await set_own(bo, room.channel, board="text")
    assert text("en", "turn.due") not in (await bo.click(played.last, label("explore"))).text


async def test_lines_are_tried_for_all_sides_gone_through_and_deleted(room: Room, house: House) -> None:
    played, ada, *_ = await room.start_watched("F7-F8")
    board = await ada.click(played.last, label("explore"))
    assert board.ephemeral
    assert text("en", "explore.game", variant="Camelot", id=played.number, when="after turn 1, White") in board.text
    await check_picture(ada, board)
    cell = played.game.variant.board.find_cell
    board = await pick(ada, board, "piece", value_of(cell("D10")))
    board = await pick(ada, board, "leg", value_of(cell("D9")))  # no leg can follow, so the move is tried at once
    assert "`1. ... D10-D9`" in board.text
    await check_picture(ada, board)
    await house.replace_bot()
    refused = await tried(ada, board, "G7-G10")
    assert part("reason.not-adjacent") in refused.text
    assert "`1. ... D10-D9`" in refused.text
    board = await tried(ada, refused, "G7-G8")
    assert "`1. ... D10-D9 2. G7-G8`" in board.text
    board = await ada.click(board, EARLIER)
    board = await ada.click(board, EARLIER)
    assert LATER in board.buttons
    branch = await tried(ada, board, "H10-H9")
    assert "`1. ... H10-H9`" in branch.text
    branch = await tools(ada, branch)
    outline = await ada.click(branch, OUTLINE)
    assert outline.ephemeral
    assert "   1. ... D10-D9 2. G7-G8\n   1. ... H10-H9" in outline.text
    board = await pick(ada, branch, "go", next(v for v, name in menus(branch)["go"].items() if name.endswith("G7-G8")))
    assert "2. G7-G8" in board.text
    board = await use(ada, board, START)
    assert part("composer.choose-piece") in board.text
    board = await use(ada, board, START)
    assert text("en", "alt.start") in board.text
    board = await ada.click(await ada.click(board, LATER), LATER)
    assert "`1. ... D10-D9`" in board.text
    asked = await use(ada, board, label("explore-delete"))
    assert asked.buttons == [label("explore-delete-sure"), label("back")]
    board = await ada.click(asked, label("explore-delete-sure"))
    outline = await use(ada, board, OUTLINE)
    assert "D10-D9" not in outline.text
    assert "H10-H9" in outline.text
    await played.quiet()


async def test_a_line_from_where_the_game_stands_is_planned_with_a_press(room: Room) -> None:
    played, ada, bo, _ = await room.start_watched()
    board = await tried(bo, await bo.click(played.last, label("explore")), "F7-F8", "D10-D9", "G7-G8", "D9-D8")
    asked = await bo.click(board, label("explore-plan"))
    assert asked.ephemeral
    assert "F7-F8" in asked.text
    await played.move("F7-F8")
    board = await bo.click(await bo.click(board, EARLIER), LATER)
    assert label("explore-plan") in board.buttons  # the game has reached the middle of the line
    assert label("explore-plan") not in (await bo.click(board, EARLIER)).buttons
    board = await tried(ada, await ada.click(played.last, label("explore")), "E10-E9", "G7-G8")
    await ada.command(room.channel, "game draw")
    assert label("explore-plan") in (await ada.click(await ada.click(board, EARLIER), LATER)).buttons


async def test_positions_have_comments_and_the_composer_shows_the_note(room: Room) -> None:
    played, ada, *_ = await room.start_watched()
    board = await tried(ada, await ada.command(room.channel, "game explore"), "F7-F8")
    board = await ada.submit(await use(ada, board, label("explore-note")), {"words": "Slow\nthen `what`?"})
    assert "> Slow\n> then `what`?" in board.text
    board = await tools(ada, board)
    outline = await ada.click(board, OUTLINE)
    assert "1. F7-F8\n      1. F7-F8\n         Slow\n         then 'what'?" in outline.text
    board = await ada.click(board, label("explore-start"))
    board = await ada.submit(await use(ada, board, label("explore-note")), {"words": "Watch the castle!"})
    assert board.text.endswith("\n> Watch the castle!")
    panel = await ada.click(played.last, "Move")
    assert panel.text.endswith("\n> Watch the castle!")
    form = await ada.click(panel, label("notes"))
    assert "Watch the castle!" in repr(form.modal)
    gone = await ada.submit(form, {"words": ""})
    assert gone.text == text("en", "note.gone", id=played.number)
    assert "Watch" not in (await ada.click(played.last, "Move")).text


async def test_nobody_else_sees_anything_until_it_is_shared_after_the_end(room: Room) -> None:
    played, ada, bo, cy = await room.start_watched("F7-F8")
    board = await tried(ada, await ada.click(played.last, label("explore")), "F10-F9")
    for other in (bo, cy):
        theirs = await other.click(played.last, label("explore"))
        assert "F10-F9" not in theirs.text
        assert "go" not in menus(theirs)
        assert "F10-F9" not in (await use(other, theirs, OUTLINE)).text
    assert label("explore-share") not in board.buttons
    await played.quiet()
    await resign(bo, room.channel)
    await ada.wait_for(room.channel, lambda said: label("rematch") in said.buttons)
    board = await tools(ada, await ada.click(await ada.click(board, EARLIER), LATER))
    before = await public(cy, room.channel)
    await asyncio.gather(*(ada.click(board, label("explore-share")) for _ in range(2)))
    shared = await cy.wait_for(room.channel, lambda said: "`1. ... F10-F9`" in said.text)
    assert not shared.ephemeral
    assert len(shared.attachments) == 1
    board = await ada.wait_for(room.channel, lambda said: part("explore.has-shared") in said.text)
    assert len(await public(cy, room.channel)) == len(before) + 1  # the bug: one post for each press
    assert label("explore-share") not in board.buttons


TYPED = "tri-camelot Blue Blue:NE2 Red:F3 Green:E4 steward:Blue"
CROWDED = (
    "tri-camelot Blue Blue:NE2"
    " Red:F3,F5,G6,F7,E8,D9,H9,G10,F11,J11,I12,D13,H13,C14,B15,F15,E16,D17,H17"
    " Green:E4,H5,D7,H7,I8,F9,C10,D11,H11,E12,B13,F13,J13,G14,D15,H15,I16,F17 steward:Blue"
)
"""More pieces than an army has. The bug: listing the captures of E2 never ended."""


async def test_an_older_versions_tree_of_such_a_position_still_opens(room: Room, house: House) -> None:
    (ada,) = await room.enter("Ada")
    board = await ada.command(room.channel, "game explore", position=TYPED)
    house.bot.query("UPDATE trees SET start = ? WHERE user = ?", CROWDED, int(ada.id))
    moved = await tried(ada, board, "E2xE6xG4xE2")
    assert "`1. E2xE6xG4xE2`" in moved.text


async def test_a_menu_full_of_trees_leads_to_one_to_delete(room: Room, house: House) -> None:
    played, ada, *_ = await room.start_watched()
    other, starts = Game.start(VARIANTS["cam-3d"]), list[str]()
    while len(starts) < MAX_TREES:
        starts.append(format_position(other.position))
        other = other.apply(next(iter_moves(other.position)))
    await settled(house)  # else the bot may be writing
    for start in starts:  # creating 25 by commands takes too long
        [(number,)] = house.bot.query(
            "INSERT INTO trees (user, start, last_node, changed_at) VALUES (?, ?, 1, ?) RETURNING id",
            *(int(ada.id), start, int(time.time())),  # old ones are deleted by the tick
        )
        house.bot.query("INSERT INTO tree_nodes (tree, number, ply, move) VALUES (?, 1, 0, ?)", number, start)
    board = await ada.click(played.last, label("explore"))
    refused = await tried(ada, board, "F7-F8")
    assert refused.text == text("en", "problem.too-many-trees", most=MAX_TREES)
    full = await use(ada, board, OUTLINE)
    assert len(menus(full)["tree"]) == MAX_TREES
    there = await pick(ada, full, "tree", min(menus(full)["tree"], key=int))
    assert text("en", "explore.position", variant="Cam 3-D", when=text("en", "alt.start")) in there.text
    await use(ada, there, label("explore-delete"))
    assert "`1. F7-F8`" in (await tried(ada, await ada.click(played.last, label("explore")), "F7-F8")).text


async def test_ten_games_are_walked_without_a_trace_until_a_move_is_tried(room: Room, house: House) -> None:
    ada, bo, cy, dee = await room.enter("Ada", "Bo", "Cy", "Dee")
    await finish_games(room, (ada, dee), bo)
    stored = house.bot.query("SELECT count(*) FROM trees")
    said = await cy.command(room.channel, "game explore", position="camette")
    first, second = (line for line in said.text.splitlines() if line.startswith(("**1.", "**2.")))
    assert ("5 games" in first, "100%" in first, " 2 games" in second) == (True, True, True)
    await check_picture(cy, said)
    said = await pick(cy, said, "go", _option(said, "1."))
    assert text("en", "openings.title.people") in said.text
    assert "5 games" in said.text
    said = await tools(cy, said)
    assert label("explore-delete") not in said.buttons
    listed = await cy.click(said, label("explore-games"))
    assert listed.ephemeral
    assert listed.text.count("https://discord.com/channels/") == 5
    assert listed.text.count("`B5-A5`") == 5, "as the board names the move, though two games had its mirror image"
    said = await cy.click(said, label("explore-all"))
    assert text("en", "openings.title.all") in said.text
    said = await pick(cy, said, "go", _option(said, "1."))
    assert "`1. C2-C4 B5-A5`" in said.text
    assert text("en", "openings.title.all") not in said.text, "no game went on from there"
    said = await tools(cy, said)
    assert house.bot.query("SELECT count(*) FROM trees") == stored, "looking stores nothing"
    said = await tried(cy, await cy.click(said, label("explore-earlier")), "B5-B4")
    assert "`1. C2-C4 B5-B4`" in said.text
    [(tree,)] = house.bot.query("SELECT id FROM trees WHERE user = ?", int(cy.id))
    moves = house.bot.query("SELECT move FROM tree_nodes WHERE tree = ? AND parent IS NOT NULL ORDER BY number", tree)
    assert moves == [("C2-C4",), ("B5-B4",)]


def _option(said: Reply, start: str) -> str:
    """Returns the value of the option, in the menu of positions, that begins with that."""
    return next(value for value, name in menus(said)["go"].items() if name.startswith(start))


async def test_a_running_game_closes_its_openings_to_its_players(room: Room) -> None:
    ada, bo, cy = await room.enter("Ada", "Bo", "Cy")
    await finish_games(room, (ada,), bo, 1)
    played = await room.start("camette", ada, bo)
    board = await ada.command(room.channel, "game explore", position="camette")
    assert "`C2-C4`" not in board.text
    assert text("en", "problem.played-now", number=played.number) in (await tools(ada, board)).text
    assert "`C2-C4`" in (await cy.command(room.channel, "game explore", position="camette")).text


async def test_an_old_button_opens_explore_and_a_server_may_close_openings(room: Room, house: House) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    (cy,) = await room.enter("Cy", locale="no")
    await finish_games(room, (ada,), bo, 1)
    said = await cy.command(room.channel, "game explore", position="camette")
    step = _option(said, "1.").partition("~")[2]
    old = await press_old(house, cy, room.channel, f"rt-op:look:camette:{step}:000:0")
    assert "`1. C2-C4`" in old.text
    assert text("no", "openings.title.people") in old.text
    await set_own(cy, room.channel, board="text")
    read = await cy.command(room.channel, "game explore", position="camette")
    assert "```" in read.text
    assert "`C2-C4`" in read.text
    await ada.call("PUT", f"/app/guilds/{room.guild}/members/{ada.id}", {"manages": True})
    await set_server(ada, room.channel, openings="no")
    said = await cy.command(room.channel, "game explore", position="camette")
    assert text("no", "openings.closed") in (await cy.click(said, text("no", "button.explore-tools"))).text
    await set_server(ada, room.channel, openings="yes")
