"""Boards for all readers: as text, public, and animated."""

from __future__ import annotations

import io
import re

import pytest
from PIL import Image

from bot.texts.i18n import text
from render import THEMES
from rules import VARIANTS, Position, format_move, legal_moves
from sandbox.people import Person, Reply
from tests.bot.drawn_boards import read_text_board
from tests.e2e.game_checks import check_picture, moves_of
from tests.e2e.house import House
from tests.e2e.room import Played, Room, public, set_own
from tests.examples import ordinarily
from tests.sentences import label, part

pytestmark = pytest.mark.asyncio(loop_scope="session")


def seen(said: Reply, played: Played) -> Position:
    """The position for a person who can only read."""
    assert said.ephemeral
    assert not said.attachments
    armies = played.game.variant.armies
    mover = re.search(r"(\w+) is to move\.", said.text)
    assert mover, said.text
    letters = "".join(army.colour[0] for army in armies)
    turn = played.game.variant.find_seat(mover[1])
    return read_text_board(said.text, played.game.variant, letters, turn)


@pytest.mark.parametrize("key", ordinarily(VARIANTS, "tri-camelot"))
async def test_a_whole_game_is_played_through_text_alone(room: Room, key: str) -> None:
    players = await room.enter("Ada", "Bo", "Cy")
    played = await room.start(key, *players[: len(VARIANTS[key].seats)])
    for player in played.players:
        assert "**as text** ✅ saved\n" in (await set_own(player, room.channel, board="text")).text
    for planned in moves_of(f"{key}-castle"):
        position = seen(await played.mover.command(room.channel, "board"), played)
        assert position == played.game.position
        # They move as in the record, choosing the move from those offered in the text.
        (move,) = {format_move(move, position.variant.board) for move in legal_moves(position)} & {planned}
        await played.move(move)
    over = await players[0].command(room.channel, "board", game=str(played.number))
    assert " won. " in over.text
    assert not over.attachments


async def test_every_private_board_is_shown_as_its_reader_likes(room: Room) -> None:
    # The bug: each place asked on its own how the reader likes boards, and the answer to a refused move did not ask.
    past, ada, bo = await room.start_two("camette")
    form = await ada.click(await ada.click(past.last, label("compose")), label("thoughts-say"))
    await ada.submit(form, {"words": "said"})
    for _ in range(6):
        position = past.game.position
        await past.move(format_move(legal_moves(position)[-1], position.variant.board))
    for person in (ada, bo):
        await person.command(past.channel, "game draw", game=str(past.number))
    over = await ada.wait_for(past.channel, lambda said: part("thoughts.at-the-end") in said.text)
    await ada.click(await ada.click(over, label("thoughts-open")), label("thoughts-share"))
    played = await room.start("camelot", ada, bo)
    game, place = str(played.number), room.channel

    async def opened() -> dict[str, Reply]:
        """Every kind of private board."""
        record = await ada.command(place, "game history", game=str(past.number))
        review = await ada.click(over, label("review"))
        return {
            "board": await ada.command(place, "board", game=game),
            "composer": await ada.click(played.last, label("compose")),
            "refusal": await ada.command(place, "move", move="F7-F10", game=game),
            "explanation": await ada.command(place, "game why", move="F7-F8", game=game),
            "explore": await ada.command(place, "game explore", game=game),
            "plan": await bo.command(place, "plan", line="F7-F8 F10-F9", game=game),
            "puzzle": await ada.command(place, "puzzle", variant="camelot"),
            "lesson": await ada.command(place, "learn lessons", variant="camette"),
            "history": await ada.click(record, text("en", "past.boards")),
            "review": await ada.click(review, text("en", "review.to", number=1)),
            "annotated": await ada.click(await ada.click(over, label("thoughts-open")), label("thoughts-read")),
        }

    shown = {}
    for wish in (*THEMES, "text"):
        for person in (ada, bo):
            await set_own(person, place, board=wish)
        shown[wish] = await opened()
    for kind, read in shown.pop("text").items():
        assert read.ephemeral
        assert "```" in read.text, kind
        assert not read.attachments, kind
        pictures = {await ada.picture(said[kind].attachments[0]) for said in shown.values()}
        assert len(pictures) == len(THEMES), kind
        assert not any("```" in said[kind].text for said in shown.values()), kind


async def test_text_and_picture_can_be_asked_for_whatever_is_set(room: Room) -> None:
    played, ada, bo = await room.start_two("cam-3d")
    said = await ada.command(room.channel, "board", text=True)
    assert seen(said, played) == played.game.position
    assert "level 1     level 2     level 3" in said.text
    await set_own(ada, room.channel, board="text")
    await check_picture(ada, pictured := await ada.command(room.channel, "board", text=False))
    assert "```" not in pictured.text
    shown = await ada.command(room.channel, "board", public=True)  # public, so not with Ada's settings
    assert not shown.ephemeral
    await check_picture(bo, shown)


async def test_private_boards_are_coloured_and_turned_as_their_owner_likes_alone(room: Room) -> None:
    _, ada, bo = await room.start_two("camette")
    public = await drawn(bo, await bo.command(room.channel, "board", public=True))
    assert await drawn(ada, await ada.command(room.channel, "board")) == public
    assert await drawn(bo, await bo.command(room.channel, "board")) != public
    await set_own(bo, room.channel, turned="never")
    assert await drawn(bo, await bo.command(room.channel, "board")) == public
    await set_own(ada, room.channel, board="dark")
    assert await drawn(ada, await ada.command(room.channel, "board")) != public
    assert await drawn(bo, await bo.command(room.channel, "board")) == public


async def test_a_game_is_watched_wholly_partly_and_through_its_results_button(room: Room, house: House) -> None:
    played, ada, bo = await room.start_two()
    none = await ada.command(room.channel, "game replay")
    assert none.text == text("en", "problem.no-moves", number=played.number)
    moves = moves_of("camelot-castle")
    for move in moves:
        await played.move(move)
    await house.replace_bot()
    assert played.last.buttons == ["Replay", "Review", "Explore", "Rematch"]
    whole = await bo.click(played.last, "Replay")
    assert whole.ephemeral
    end = f"{(len(moves) + 1) // 2}, White"
    assert part("replay.caption", id=played.number, first="1, White", last=end) in whole.text
    assert await frames(bo, whole) > len(moves)
    some = await bo.command(room.channel, "game replay", turn="1 black", game=str(played.number))
    assert part("replay.alt", id=played.number, first="1, Black") in some.attachments[0]["description"]
    assert 2 < await frames(bo, some) < await frames(bo, whole)
    shown = await ada.command(room.channel, "game replay", game=str(played.number), public=True)
    assert not shown.ephemeral
    assert (await public(bo, room.channel))[-1].attachments[0]["filename"].endswith(".gif")


async def drawn(person: Person, said: Reply) -> bytes:
    """Returns the picture of a message."""
    (shown,) = said.attachments
    return await person.picture(shown)


async def frames(person: Person, said: Reply) -> int:
    """Returns the number of frames in the animation of a message."""
    (shown,) = said.attachments
    assert len(shown["description"]) <= 1024
    with Image.open(io.BytesIO(await person.picture(shown))) as picture:
        assert picture.format == "GIF"
        return int(getattr(picture, "n_frames", 1))
