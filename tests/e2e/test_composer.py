"""Moves through the composer alone: whole games, restarts in between, and all possible disturbances."""

from __future__ import annotations

import asyncio

import pytest

from bot.core.draft import Draft
from bot.core.events import EventKind
from bot.texts.i18n import text
from rules import VARIANTS, Game, Move, format_move
from sandbox.people import Reply
from tests.e2e.board_play import buttons, menu, open_panel, options, pick, play, value_of
from tests.e2e.game_checks import check_end, check_picture, check_turn, moves_of, read_record
from tests.e2e.house import House
from tests.e2e.room import Played, Room, set_own
from tests.e2e.stored_games import kinds
from tests.examples import ordinarily
from tests.sentences import confirmed, label, part

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.parametrize(
    "name",
    ordinarily(
        [
            "cam-3d-castle",
            "cam-3d-routes",
            "camelot-castle",
            "chivalry-capture",
            "chivalry-castle",
            "tri-camelot-castle",
        ],
        "tri-camelot-castle",
    ),
)
@pytest.mark.whole
async def test_a_game_is_played_through_the_composer_while_the_bot_dies(room: Room, house: House, name: str) -> None:
    record = read_record(name)
    variant = record.origin.variant
    players = await room.enter(*("Ada", "Bo", "Cy")[: len(variant.seats)])
    played = await room.start(variant.key, *players)
    moves = moves_of(name)
    for number, move in enumerate(moves):
        before = played.game
        if number in (2, len(moves) // 2):
            await house.replace_bot()
        said = await play(played, move, by_end=number % 2 == 1)
        await check_turn(played.players[0], said, before, played.game)
    await check_end(played)


async def test_in_the_position_with_most_routes_lists_are_paged_and_quick(room: Room, house: House) -> None:
    played, ada, _ = await room.start_two("cam-3d")
    moves = moves_of("cam-3d-routes")
    for move in moves[:6]:
        await played.move(move)
    knight, board = moves[6], played.game.variant.board
    start = board.find_cell(knight.split("-")[0])
    ways = Draft.from_path(played.game.position, [start]).find_ends().by_cell
    end = max(ways, key=lambda cell: len(ways[cell]))
    assert len(ways[end]) > 200
    panel = await pick(ada, await open_panel(played), "piece", value_of(start))
    panel = await pick(ada, panel, "end", value_of(end))
    assert part("composer.choose-way", end=f"**{board.names[end]}**") in panel.text
    seen: dict[str, str] = {}
    while True:
        found = menu(panel, "way")
        assert found
        assert len(found["options"]) <= 25
        seen |= {one["value"]: one["label"] for one in found["options"] if not one["value"].startswith("page")}
        later = [one["value"] for one in found["options"] if one["label"].startswith("Next")]
        if not later:
            break
        panel = await ada.choose(panel, found["custom_id"], later)
    assert len(seen) == len(ways[end])
    assert len(set(seen.values())) == len(seen)
    await house.replace_bot()
    panel = await ada.click(panel, "Back")
    said = await play(played, moves[6], by_end=True)
    assert "charges" in said.text


async def test_choices_are_numbered_buttons_and_knights_and_captures_are_marked(room: Room) -> None:
    played, ada, *_ = await room.start_watched()
    panel = await open_panel(played)
    assert part("composer.choose-piece") in panel.text
    assert "-# You attack F16 and G16, Black's castle." in panel.text.split("\n")
    pieces = [*options(panel, "piece").values()]
    assert pieces[5:8] == ["6 · I7 ♞", "7 · C6 ♞", "8 · D6"]  # as the board is read
    await check_picture(ada, panel)
    notes = label("notes"), label("thoughts-say")
    assert panel.buttons == [*pieces, "Type it", *notes]  # nothing to confirm or take back yet
    panel = await pick(ada, panel, "piece", value_of(played.game.variant.board.find_cell("D6")))
    assert text("en", "composer.choose-leg", piece="**Man D6**") in panel.text
    assert label("restart") not in panel.buttons  # it would do what Back does
    panel = await pick(ada, panel, "leg", value_of(played.game.variant.board.find_cell("F8")))
    assert f"`D6-F8` … {text('en', 'composer.done')}" in panel.text
    await check_picture(ada, panel)
    panel = await ada.click(panel, "Back")
    assert text("en", "composer.choose-leg", piece="**Man D6**") in panel.text
    panel = await pick(ada, panel, "leg", value_of(played.game.variant.board.find_cell("F8")))
    panel = await ada.click(panel, "Start over")
    assert part("composer.choose-piece") in panel.text
    await played.quiet()


@pytest.mark.parametrize("key", VARIANTS)
async def test_a_move_takes_four_taps_and_no_menu(room: Room, key: str) -> None:
    players = await room.enter(*("Ada", "Bo", "Cy")[: len(VARIANTS[key].seats)])
    played = await room.start(key, *players)
    for person in players:
        await set_own(person, room.channel, confirm="never")
    for move in first_moves(key):
        person = played.mover
        panel = await person.click(played.last, "Move")  # the first tap
        panel = await person.click(panel, buttons(panel, "piece")[value_of(move.start)]["custom_id"])
        ends = buttons(panel, "end") | buttons(panel, "leg")
        panel = await person.click(panel, ends[value_of(move.end)]["custom_id"])
        done = await person.click(panel, label("commit"))  # the fourth
        assert confirmed(format_move(move, played.game.variant.board), played.number) in done.text
        played.game = played.game.apply(move)
        await played.told(person)


def first_moves(key: str) -> list[Move]:
    """The first move with most landings to a cell that it alone reaches, and a reply of that kind."""
    game, moves = Game.start(VARIANTS[key]), list[Move]()
    for _ in range(2):
        starts = Draft.from_path(game.position).start_cells
        ends = [Draft.from_path(game.position, [cell]).find_ends() for cell in starts]
        few = [found for found in ends if len(found.by_cell) <= 20]  # more are in a menu
        alone = [only for found in few for cell in found.by_cell if (only := found.only_way(cell))]
        moves.append(max(alone, key=lambda move: len(move.path)))
        game = game.apply(moves[-1])
    return moves


async def test_others_who_press_move_get_a_kind_answer(room: Room) -> None:
    played, ada, bo, cy = await room.start_watched()
    waiting = await bo.click(played.last, "Move")
    assert waiting.ephemeral
    assert f"It is <@{ada.id}>'s turn" in waiting.text
    assert part("composer.wait") in waiting.text
    watching = await cy.click(played.last, "Move")
    assert part("composer.watch") in watching.text
    assert waiting.message is not None
    assert waiting.message.json["mentions"] == {} or not waiting.message.pings_me
    await played.quiet()


async def test_a_panel_survives_a_restart_and_a_stale_one_shows_current_boards(room: Room, house: House) -> None:
    played, ada, bo, _ = await room.start_watched()
    board = played.game.variant.board
    panel = await pick(ada, await open_panel(played), "piece", value_of(board.find_cell("F7")))
    await house.replace_bot()
    panel = await pick(ada, panel, "leg", value_of(board.find_cell("F8")))
    assert f"`F7-F8` … {text('en', 'composer.done')}" in panel.text
    await played.move("G7-G8")
    stale = await ada.click(panel, label("commit"))
    said, shown = stale.text.split("\n")[:2]
    assert said == text("en", "composer.stale", move="G7-G8")  # the bug: nothing said which move was played
    assert ("after turn 1, White" in shown, len(stale.attachments)) == (True, 1)  # the bug: the board came elsewhere
    await played.move("F10-F9")
    fresh = await pick(ada, await ada.click(played.last, "Move"), "piece", value_of(board.find_cell("G8")))
    older = await bo.click(played.last, "Move")
    assert "turn" in older.text
    assert options(fresh, "leg")
    await played.quiet()


async def test_commit_pressed_twice_plays_once_and_names_the_other_waiting_games(room: Room) -> None:
    played, ada, bo, _ = await room.start_watched()
    other = await room.start("camelot", ada, bo)
    board = played.game.variant.board
    panel = await pick(ada, await open_panel(played), "piece", value_of(board.find_cell("F7")))
    panel = await pick(ada, panel, "leg", value_of(board.find_cell("F8")))
    waiting = text("en", "move.waiting", games=f"#{other.number}")
    for reply in await asyncio.gather(ada.click(panel, label("commit")), ada.click(panel, label("commit"))):
        assert reply.text == f"{confirmed('F7-F8', played.number)}\n{waiting}"
    assert kinds(room.house, played.number).count(EventKind.MOVED) == 1


async def test_notation_can_be_typed_into_the_panel_even_after_a_restart(room: Room, house: House) -> None:
    played, ada, *_ = await room.start_watched()
    panel = await open_panel(played)
    form = await ada.click(panel, "Type it")
    assert form.modal is not None
    refused = await ada.submit(form, {"move": "F7-F10"})
    assert text("en", "reason.not-adjacent", first="**F7**", second="**F10**") in refused.text
    assert options(refused, "piece")
    form = await ada.click(refused, "Type it")
    chosen = await ada.submit(form, {"move": " d6 "})
    assert text("en", "composer.choose-leg", piece="**Man D6**") in chosen.text
    form = await ada.click(chosen, "Type it")
    await house.replace_bot()
    typed = await ada.submit(form, {"move": "d6 f8"})
    assert "`D6-F8` …" in typed.text
    done = await ada.click(typed, label("commit"))
    assert confirmed("D6-F8", played.number) in done.text
    played.game = played.game.play("D6-F8")
    await played.told(ada)


async def test_before_a_move_the_player_is_asked_as_their_settings_say(room: Room) -> None:
    played, ada, *_ = await room.start_watched()
    board = played.game.variant.board
    await set_own(ada, room.channel, confirm="always")
    panel = await pick(ada, await open_panel(played), "piece", value_of(board.find_cell("F7")))
    panel = await pick(ada, panel, "leg", value_of(board.find_cell("F8")))
    asked = await ada.click(panel, label("commit"))
    assert asked.text.endswith(text("en", "composer.question", move="F7-F8"))
    assert asked.buttons == ["Yes, play it", "Back"]
    again = await ada.click(asked, "Back")
    assert f"`F7-F8` … {text('en', 'composer.done')}" in again.text
    await played.quiet()
    asked = await ada.click(again, label("commit"))
    done = await ada.click(asked, "Yes, play it")
    assert "You played" in done.text
    played.game = played.game.play("F7-F8")
    await played.told(ada)


async def test_a_winning_move_and_an_open_castle_are_pointed_out(room: Room) -> None:
    played, ada, bo = await room.start_two("cam-3d")
    assert "F7" not in (await ada.command(room.channel, "plan", line="nonsense")).text  # the bug: no cell of this board
    typed = await ada.command(room.channel, "move", move="1C3-1C4")
    reply = await compose_until_asked(played, "1C3-1C4")
    # The bug: it was White's castle, and no word that the game is lost.
    assert part("composer.peril.castle-lost-own", colour="Black", castle="1C1") in reply.text
    assert (typed.text, typed.buttons) == (reply.text, reply.buttons)  # the bug: it was played
    await ada.command(room.channel, "move", move="1C3-1C4")  # typed again, it is a yes
    played.game = played.game.play("1C3-1C4")
    await played.told(ada)
    panel = await bo.submit(await bo.click(await open_panel(played), "Type it"), {"move": "3C7-1C5x1C3x1A3x1C1"})
    assert part("composer.peril.wins") in panel.text
    await bo.click(panel, label("commit"))  # nobody regrets to have won
    played.game = played.game.play("3C7-1C5x1C3x1A3x1C1")
    assert played.game.outcome
    await played.told(bo)


async def compose_until_asked(played: Played, move: str) -> Reply:
    """Returns the question before that move."""
    person = played.mover
    panel = await person.submit(await person.click(await open_panel(played), "Type it"), {"move": move})
    asked = await person.click(panel, label("commit"))
    assert "Yes, play it" in asked.buttons, asked.text
    return asked
