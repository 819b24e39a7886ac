"""Followers, games that lose their place, and people who ask for their data or its deletion."""

from __future__ import annotations

import io
import json
import time
import zipfile
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from bot.core.events import EventKind
from bot.features import TABLES
from bot.play.limits import LIMITS
from bot.texts.i18n import text
from sandbox.people import Person, Reply
from tests.e2e.forged_components import press_old
from tests.e2e.hasty_program import hasty_timings
from tests.e2e.house import House
from tests.e2e.places import SEND_MESSAGES, forbid
from tests.e2e.room import Room, ends, newest, public, resign, set_own, set_server
from tests.e2e.stored_games import kinds
from tests.e2e.watched_house import operate
from tests.sentences import label, part

pytestmark = pytest.mark.asyncio(loop_scope="session")

EXPORT, DELETE = "rt:data-export:0:0:-", "rt:data-delete:0:0:-"


# Followers


async def test_a_spectator_follows_and_stops_by_the_button_below_the_board(room: Room) -> None:
    played, ada, bo, cy = await room.start_watched()
    told = await cy.click(played.last, label("follow"))
    assert told.ephemeral
    assert told.text == text("en", "follow.end", id=played.number, variant="Camelot")
    told = await cy.click(told, label("follow-every"))
    assert told.text == text("en", "follow.every-move", id=played.number, variant="Camelot")
    assert not told.buttons
    await played.try_move("F7-F8")
    await cy.wait_for(room.channel, lambda said: said.pings_me)  # after the answer
    assert await lately(room, ada, bo, cy) == [("Bo", True), ("Cy", False)]
    (board, _) = (await public(ada, room.channel))[2:]
    assert (await cy.click(board, label("follow"))).text == text("en", "follow.ended", id=played.number)
    own = await ada.click(board, label("follow"))
    assert own.text == text("en", "problem.follows-own", number=played.number)


async def lately(room: Room, *people: Person) -> list[tuple[str, bool]]:
    """Returns whom each post since the first board has pinged, and whether it has a picture."""
    found = [(one, await public(one, room.channel)) for one in people]
    return [
        ("".join(one.name.split()[0] for one, seen in found if seen[place].pings_me), bool(said.attachments))
        for place, said in enumerate(found[0][1])
    ][2:]


async def test_a_follower_who_may_no_longer_look_is_not_called(room: Room) -> None:
    played, _, bo, cy = await room.start_watched()
    await cy.click(await cy.command(room.channel, "game follow"), label("follow-every"))
    world, guild = room.house.server.world, room.house.server.world.guild(room.guild)
    world.put(replace(guild, members=tuple(number for number in guild.members if str(number) != cy.id)))
    await played.try_move("F7-F8")
    await newest(bo, room.channel, "F7-F8")


async def test_who_follows_is_offered_the_games_that_are_on(room: Room) -> None:
    played, _, _, cy = await room.start_watched()
    offered = await cy.autocomplete(room.channel, "game follow", {"game": str(played.number)}, "game")
    assert offered == [f"#{played.number} Camelot: White to move"]


# Games that lose their place


async def test_a_game_whose_channel_is_deleted_is_taken_elsewhere_and_goes_on(own_house: House) -> None:
    async with await own_house.join("Ada") as judge, Room.opened(own_house, "hall") as room:
        ada, bo, cy = await room.enter("Ada", "Bo", "Cy")
        attic, news = await room.add_channel("attic"), await room.add_channel("news")
        await set_server(judge, room.channel, announcements=[news])
        played = await room.start("camelot", ada, bo, channel=attic)
        await ada.call("DELETE", f"/app/channels/{attic}")
        said = await newest(bo, news, part("place.lost", id=played.number, variant="Camelot"))
        assert f"<@{ada.id}> and <@{bo.id}>: " in said.text
        assert f"`/game move-here game:{played.number}`" in said.text
        assert said.pings_me
        listed = (await bo.command(room.channel, "games")).text
        assert part("games.homeless", id=played.number) in listed
        kept = await ada.command(room.channel, "move", move="F7-F8", game=str(played.number))
        assert part("move.unposted") in kept.text
        stranger = await cy.command(room.channel, "game move-here", game=str(played.number))
        assert stranger.ephemeral
        assert EventKind.REHOMED not in kinds(own_house, played.number)
        moved = await bo.command(room.channel, "game move-here", game=str(played.number))
        assert moved.text == text("en", "place.moved", id=played.number)
        said = await newest(bo, room.channel, part("place.rehomed", id=played.number))
        assert f"<@{bo.id}>, it is your turn" in said.text
        assert "F7-F8" in (await public(bo, room.channel))[-2].text  # what could not be posted earlier
        reply = await bo.command(room.channel, "move", move="F10-F9")
        assert "You played" in reply.text
        assert kinds(own_house, played.number).count(EventKind.HOMELESS) == 1
        assert len(await public(bo, news)) == 1


async def test_a_game_whose_channel_closes_returns_home_when_it_opens(room: Room) -> None:
    played, ada, bo = await room.start_two()
    await forbid(ada, room.channel, SEND_MESSAGES)
    await played.try_move("F7-F8")
    assert part("games.homeless") in (await bo.command("#lobby", "games")).text
    await played.try_move("G10-G9", bo)
    assert kinds(room.house, played.number).count(EventKind.HOMELESS) == 1
    await forbid(ada, room.channel, 0)
    assert "You played" in (await played.try_move("G7-G8", ada)).text
    await newest(bo, room.channel, "G7-G8")
    await room.house.until(lambda: kinds(room.house, played.number)[-1] is not EventKind.MOVED, "found again")
    assert part("games.homeless") not in (await bo.command("#lobby", "games")).text


# What is kept of people


def unpacked(reply: Reply, archive: bytes) -> tuple[dict[str, Any], dict[str, str]]:
    """Returns the JSON and the records of an export."""
    assert [one["filename"] for one in reply.attachments] == ["round-table.zip"]
    with zipfile.ZipFile(io.BytesIO(archive)) as packed:
        everything = json.loads(packed.read("round-table.json"))
        records = {name: packed.read(name).decode() for name in packed.namelist() if name.endswith(".txt")}
    return everything, records


async def test_an_export_has_everything_that_is_kept_of_a_person(room: Room) -> None:
    played, ada, bo = await room.start_two()
    await played.move("F7-F8")
    await set_own(ada, room.channel, board="dark")
    exported = await press_old(room.house, ada, room.channel, EXPORT)
    assert exported.ephemeral
    everything, records = unpacked(exported, await ada.picture(exported.attachments[0]))
    assert everything["user"] == ada.id
    assert everything["preferences"] == {"board": "dark"}
    assert [game["match"] for game in everything["games"]] == [played.number]
    assert [act["kind"] for act in everything["acts"]] == ["opened", "moved"]
    assert bo.id not in json.dumps(everything["acts"])
    assert "F7-F8" in records[f"game-{played.number}.txt"]


async def test_who_types_the_word_is_forgotten_and_their_games_go_on(room: Room) -> None:
    over, ada, bo = await room.start_two()
    await over.move("F7-F8")
    await resign(bo, room.channel)
    await ada.wait_for(room.channel, ends())
    live = await room.start("camelot", ada, bo)
    table = await room.set_table("camelot", ada)
    asked = await press_old(room.house, ada, room.channel, DELETE)
    assert asked.ephemeral
    for line in (
        text("en", "data.delete"),
        text("en", "data.live.one"),
        text("en", "data.tables.one"),
        text("en", "data.over.one"),
    ):
        assert line in asked.text
    mistyped = await ada.submit(await ada.click(asked, "Delete my data"), {"word": "yes"})
    assert mistyped.text == text("en", "problem.word-missing")
    assert any(ada.id == str(user) for *_, user, _ in room.house.bot.events())
    done = await ada.submit(await ada.click(asked, "Delete my data"), {"word": "delete"})
    assert done.text.startswith(part("data.deleted"))
    ended = await bo.wait_for(room.channel, lambda said: said.pings_me and ends(live.number)(said))
    assert f"{bo.name} wins" in ended.shown
    assert text("en", "former-player") in ended.text
    await table.shows(text("en", "table.cancelled", host=text("en", "former-player")))
    history = await bo.command(room.channel, "game history", game=str(over.number))
    assert text("en", "former-player") in history.text
    # Every table of the database, so that a new table about people is noticed here.
    assert [one.name for one in TABLES if ada.id in str(room.house.bot.query(f"SELECT * FROM {one.name}"))] == []
    await bo.speak("no")
    board = await bo.command(room.channel, "games")
    assert "Noe gikk galt" not in board.text


async def test_nobody_can_have_all_games_searched_again_and_again(room: Room) -> None:
    ada, bo, cy, dee = await room.enter("Ada", "Bo", "Cy", "Dee")
    asked = await press_old(room.house, cy, room.channel, DELETE)

    async def delete(word: str) -> Reply:
        return await cy.submit(await cy.click(asked, "Delete my data"), {"word": word})

    searches: dict[Person, Callable[[], Awaitable[Reply]]] = {
        ada: lambda: press_old(room.house, ada, room.channel, EXPORT),
        bo: lambda: press_old(room.house, bo, room.channel, DELETE),
        cy: lambda: delete("delete"),
    }
    most = LIMITS["own data"].times
    wrong = await delete("no")
    assert wrong.text == text("en", "problem.word-missing")
    for person, search in searches.items():
        before = 2 if person is cy else 0  # the question and the wrong word count, too
        answered = [await search() for _ in range(most - before + 1)]
        assert all(reply.ephemeral for reply in answered)
        assert [part("problem.too-often") in reply.text for reply in answered] == [False] * (most - before) + [True]
    for search_ in (EXPORT, DELETE):  # counted together, and for each person alone
        asked_at = time.monotonic()
        assert part("problem.too-often") in (await press_old(room.house, ada, room.channel, search_)).text
        assert time.monotonic() - asked_at >= hasty_timings().refusal_pause_s, "those who press on are told later"
        assert part("problem.too-often") not in (await press_old(room.house, dee, room.channel, search_)).text


async def test_privacy_says_what_is_kept_and_how_to_have_it_deleted(room: Room) -> None:
    (ada,) = await room.enter("Ada")
    said = await ada.command(room.channel, "me data")
    assert said.ephemeral
    assert said.text == text("en", "privacy.text")
    for word in ("What is stored", "Why", "How long", "the buttons below"):
        assert word in said.text
    rest = await ada.wait_for(room.channel, lambda more: more.text == text("en", "privacy.thoughts") and more.ephemeral)
    assert rest.buttons == [label("data-export"), label("data-delete")]


@pytest.mark.whole
@pytest.mark.long
async def test_the_terminal_exports_and_forgets_a_person_unless_a_bot_runs(own_room: Room) -> None:
    played, ada, bo = await own_room.start_two()
    code, said = await operate(own_room.house, "forget", ada.id)
    assert (code, "is in use" in said) == (1, True)
    code, said = await operate(own_room.house, "forget", "Ada")
    assert code == 2
    await own_room.house.stop_bot()
    code, said = await operate(own_room.house, "data", ada.id)
    exported = json.loads(said)
    assert (code, exported["user"], len(exported["games"])) == (0, ada.id, 1)
    assert [act["kind"] for act in exported["acts"]] == ["opened"]
    code, said = await operate(own_room.house, "forget", ada.id)
    assert (code, said) == (0, f"Person {ada.id} is forgotten. Games in whose story the person was named: 1.\n")
    await own_room.house.start_bot()
    ended = await bo.wait_for(own_room.channel, ends())
    assert f"{bo.name} wins" in ended.shown
    assert kinds(own_room.house, played.number)[-2:] == [EventKind.ENDED, EventKind.FORGOTTEN]
