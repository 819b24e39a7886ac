"""The table: invitations, seats, and everything that its buttons refuse."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.play.announcing.tables import load_table_text
from bot.texts.i18n import text
from sandbox.people import Person, RefusedError, Reply
from tests.e2e.conftest import looked_after
from tests.e2e.indoors import Indoors
from tests.e2e.room import Room, accepted, posted_table, public
from tests.sentences import label, part

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def pinged(person: Person, channel: str) -> int:
    """Returns how many of the bot's messages there have pinged that person."""
    return sum(said.pings_me for said in await person.messages(channel) if said.json["author"]["bot"])


async def test_a_reserved_seat_is_kept_and_a_free_one_open_to_all(room: Room) -> None:
    ada, bo, cy, dee = await room.enter("Ada", "Bo", "Cy", "Dee")
    table = await room.set_table("tri-camelot", ada, opponent=bo)
    assert f"{ada.name} invites <@{bo.id}>" in table.message.text
    assert part("table.some-open") in table.message.text
    assert text("en", "table.seat-invited", number=2, player=f"<@{bo.id}>") in table.message.text
    assert "3. *free*" in table.message.text
    assert table.message.buttons == ["Join", label("house"), "Leave", "Decline", "Cancel", label("seek")]
    assert [await pinged(one, room.channel) for one in (ada, bo, cy, dee)] == [0, 1, 0, 0]
    await table.join(cy)
    full = await table.press(dee, "Join")
    assert full.ephemeral
    assert full.text == text("en", "problem.table-full")
    await table.join(bo)
    played = await table.begun()
    assert played.players == [ada, cy, bo]
    assert await pinged(bo, room.channel) == 2  # also by the start, though it is Ada's turn
    assert (await table.shows(part("table.started"))).buttons == []


async def test_the_first_board_waits_for_its_table(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    context = room.house.client.context

    async def adopt(*_: object) -> str:
        return "en"

    async def change_settings(*_: object) -> None:
        assert any(lock.locked() for lock in context.outbox_locks.values())

    monkeypatch.setattr("bot.play.play._language_to_adopt", adopt)
    monkeypatch.setattr(context.servers, "change_settings", change_settings)
    (ada,) = await room.enter("Ada")
    await posted_table(ada, room.channel, await ada.command(room.channel, "play", variant="camelot", bots="easy"))


async def test_a_slow_press_opens_no_begun_table_again(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = asyncio.Event()

    async def load_slowly(*about: Any) -> str:
        words = await load_table_text(*about)
        await begun.wait()
        return words

    monkeypatch.setattr("bot.play.play.load_table_text", load_slowly)
    ada, bo, cy = await room.enter("Ada", "Bo", "Cy")
    table = await room.set_table("tri-camelot", ada)
    joining = asyncio.gather(table.join(bo), table.join(cy))
    await table.shows(part("table.started"))
    begun.set()
    await asyncio.gather(joining, asyncio.sleep(1))
    assert (await table.now()).buttons == []


async def test_somebody_is_challenged_and_looked_up_from_the_menu_on_their_name(room: Room) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    form = await ada.use_on(room.channel, "Challenge", bo)
    menus = fields(form)
    assert [str(one["id"]) for one in menus["opponents"]["default_values"]] == [bo.id]
    given = {"variant": ["camelot"], "opponents": [bo.id], "house": ["nobody"], "pace": ["server"], "place": ["here"]}
    looked_up = "GET /guilds/{guild_id}/members/{user_id}"
    earlier = room.house.server.requests.asked[looked_up]
    _, table = await posted_table(ada, room.channel, await ada.submit(form, given))
    assert room.house.server.requests.asked[looked_up] == earlier, "no request stands before the first answer"
    assert f"{ada.name} invites <@{bo.id}>" in table.text
    assert await pinged(bo, room.channel) == 1
    await bo.click(table, "Join")
    begun = await bo.wait_for(room.channel, lambda said: "Move" in said.buttons)
    shown = await ada.use_on(room.channel, "Games and profile", bo)
    assert shown.ephemeral
    number = re.search(r"#(\d+)", begun.text)
    assert number
    assert number[0] in shown.text
    assert shown.buttons[0] in ("Move", "Look")  # chance decides who begins
    assert shown.buttons[1:] == ["Ladder history", "Profile", "Finished games"]
    assert text("en", "past.empty") in (await ada.click(shown, "Finished games")).text
    themselves = await ada.use_on(room.channel, "Challenge", ada)
    assert themselves.text == text("en", "problem.opponent-is-you")


async def test_a_blocked_person_finds_tables_full_until_they_are_unblocked(room: Room) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    table = await room.set_table("camelot", ada)
    blocked = await ada.use_on(room.channel, "Block", bo)
    assert (blocked.ephemeral, blocked.buttons) == (True, ["Unblock"])
    assert part("block.done") in blocked.text
    assert (await ada.use_on(room.channel, "Block", ada)).text == text("en", "problem.blocked-self")
    assert (await table.press(bo, "Join")).text == text("en", "problem.table-full")
    assert (await bo.command(room.channel, "play")).modal, "there is no open table for Bo"
    shown = await ada.click(await ada.command(room.channel, "me settings"), "Blocked people")
    assert f"<@{bo.id}>" in shown.text
    assert (await ada.click(shown, "Unblock")).text == text("en", "block.nobody")
    assert accepted(await table.press(bo, "Join"))


async def test_who_leaves_or_declines_frees_the_seat(room: Room) -> None:
    ada, bo, cy = await room.enter("Ada", "Bo", "Cy")
    table = await room.set_table("tri-camelot", ada, opponent=bo)
    assert accepted(await table.press(bo, "Decline"))
    declined = await table.shows(text("en", "table.declined", player=bo.name))
    assert declined.text.count("*free*") == 2
    assert "Decline" not in declined.buttons
    assert accepted(await table.press(cy, "Join"))
    assert accepted(await table.press(cy, "Leave"))
    await ada.wait_for(room.channel, lambda said: said.id == table.message.id and said.text.count("*free*") == 2)
    await table.join(bo)  # a person who has declined may change their mind
    await table.join(cy)
    await table.begun()


async def test_the_host_cancels_and_old_buttons_say_so(room: Room) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    table = await room.set_table("chivalry", ada)
    assert accepted(await table.press(ada, "Cancel"))
    closed = await table.shows(text("en", "table.cancelled", host=ada.name))
    assert closed.buttons == []
    with pytest.raises(RefusedError):  # Discord no longer has such a button
        await table.press(bo, "Join")
    for command in ("move", "game resign"):
        options = {"move": "D6-D7"} if command == "move" else {}
        refused = await ada.command(room.channel, command, game=str(table.number), **options)
        assert refused.ephemeral
        assert refused.text == text("en", "problem.table-closed")


async def test_an_app_is_no_opponent(room: Room) -> None:
    (ada,) = await room.enter("Ada")
    robot = next(one.id for one in room.house.server.world.people.values() if one.bot)
    refused = await ada.command(room.channel, "play", variant="camelot", opponent=str(robot))
    assert refused.ephemeral
    assert refused.text == text("en", "problem.opponent-is-bot")
    assert await public(ada, room.channel) == []


@pytest.mark.long
async def test_seats_are_drawn_at_random_unless_asked_otherwise(room: Room) -> None:
    people = await room.enter("Ada", "Bo", "Cy", "Dee", "Eve", "Fay", "Gus", "Hal")
    begins = set()
    for number in range(24):  # the chance that seats never change is 2 in 16 million; six tables a minute and host
        host, guest = people[number % 4], people[4 + number % 4]
        table = await room.set_table("cam-3d", host, seats="random")
        await table.join(guest)
        white = (await table.begun()).last.text.partition("White, <@")[2].partition(">")[0]
        assert white in (host.id, guest.id)
        begins.add(white == host.id)
        if len(begins) == 2:
            break
    assert begins == {True, False}


async def test_seekers_are_called_once_to_a_table_that_stays_open(tmp_path: Path) -> None:
    noon = datetime(2026, 3, 2, 12, tzinfo=UTC)
    async with Indoors.at(tmp_path, noon.timestamp()) as house, looked_after(house), Room.opened(house) as room:
        ada, bo, cy = await room.enter("Ada", "Bo", "Cy")
        invited = await room.set_table("camelot", ada, opponent=bo)
        assert label("seek") not in invited.message.buttons
        table = await room.set_table("camelot", ada)
        told = await cy.click(table.message, label("seek"))
        assert told.ephemeral
        assert told.text == text("en", "seek.on")
        listed = await bo.command(room.channel, "games")
        told = await bo.click(listed, label("seek"))
        assert told.text == text("en", "seek.on")
        assert label("seek-no-more") in (await bo.command(room.channel, "games")).buttons
        assert (await bo.click(told, label("seek-no-more"))).text == text("en", "seek.off")
        await bo.call("PUT", f"/app/guilds/{room.guild}/members/{cy.id}", {"nick": "See"})
        await house.move_clock(3500)
        assert len(await public(ada, room.channel)) == 2
        await house.move_clock(200)
        said = await cy.wait_for(room.channel, lambda said: said.text.startswith("🔎") and not said.ephemeral)
        assert said.shown.startswith("🔎 See: **Camelot**")
        assert said.text.endswith(f"/{room.guild}/{room.channel}/{table.message.id})")
        assert said.pings_me
        await house.move_clock(7200)
        await room.set_table("camelot", ada)
        await house.move_clock(7200)
        calls = [said for said in await public(ada, room.channel) if said.text.startswith("🔎")]
        assert len(calls) == 1
        kept = await cy.click(calls[0], label("seek"))
        assert kept.text == text("en", "seek.on"), "a public button takes nobody off the list"
        assert (await cy.click(kept, label("seek-no-more"))).text == text("en", "seek.off")


# `/play` without options: one form, filled in as for the person's last table


def fields(form: Reply) -> dict[str, dict[str, Any]]:
    """Returns the menus of a form by custom id."""
    assert form.modal is not None
    return {part["component"]["custom_id"]: part["component"] for part in form.modal["modal"]["components"]}


def chosen(menu: dict[str, Any]) -> list[str]:
    return [option["value"] for option in menu["options"] if option.get("default")]


async def test_the_form_opens_a_table_and_remembers_it(room: Room) -> None:
    ada, bo, cy = await room.enter("Ada", "Bo", "Cy")
    form = await ada.command(room.channel, "play")
    menus = fields(form)
    assert [*menus] == ["variant", "opponents", "house", "pace", "place"]
    assert chosen(menus["variant"]) == ["camelot"]
    given = {"variant": ["cam"], "opponents": [bo.id], "house": ["nobody"], "pace": ["slow"], "place": ["here"]}
    refused = await ada.submit(form, {**given, "opponents": [bo.id, cy.id]})
    assert refused.text == text("en", "problem.too-many-opponents")
    form = await ada.click(refused, label("change-table"))  # the bug: what was filled in was lost
    filled = fields(form)
    assert all(chosen(filled[name]) == given[name] for name in ("variant", "house", "pace", "place"))
    assert [str(one["id"]) for one in filled["opponents"]["default_values"]] == [bo.id, cy.id]
    _, table = await posted_table(ada, room.channel, await ada.submit(form, given))
    assert bo.id in table.text
    await bo.click(table, "Join")
    await ada.wait_for(room.channel, lambda said: part("turn.begins") in said.text)
    menus = fields(await ada.command(room.channel, "play"))
    assert (chosen(menus["variant"]), chosen(menus["pace"])) == (["cam"], ["slow"])
    assert not menus["opponents"].get("default_values"), "nobody is invited by a press on Submit alone"


async def test_the_form_begins_a_game_against_a_bot_in_ones_own_language(room: Room) -> None:
    (kari,) = await room.enter("Kari", locale="no")
    form = await kari.command(room.channel, "play")
    assert form.modal is not None
    assert form.modal["modal"]["title"] == text("no", "table-form.title")
    given = {"variant": ["camette"], "opponents": [], "house": ["easy"], "pace": ["server"], "place": ["thread"]}
    assert part("time.board", "no") in (await kari.submit(form, given)).text
    menus = fields(await kari.command(room.channel, "play"))
    assert (chosen(menus["variant"]), chosen(menus["house"])) == (["camette"], ["nobody"]), "anybody is invited"
    hints = {option["value"]: option.get("description") for option in menus["house"]["options"]}
    assert hints.pop("easy") == text("no", "table-form.next-level", variant="Camette")
    games = {"6": "Cam 3-D", "7": "Cam 3-D", "below-easy": "Tri-Camelot", "above-hard": "Cam, Camette"}
    lacking = {level: text("no", "table-form.not-in", games=names) for level, names in games.items()}
    assert {level: hint for level, hint in hints.items() if hint} == lacking


async def test_open_tables_come_before_the_form_and_one_press_takes_a_seat(room: Room) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    _, table = await posted_table(ada, room.channel, await ada.command(room.channel, "play", variant="cam"))
    assert f", the host · {text('en', 'reliability.new')}\n" in table.text
    assert fields(await ada.command(room.channel, "play")), "her own table is none for her"
    shown = await bo.command(room.channel, "play")
    assert text("en", "tables.title") in shown.text
    assert fields(await bo.click(shown, "New table"))
    told = await bo.click(shown, "Sit down")
    assert re.fullmatch(r"Game #\d+: \[See the board\]\(https://\S+\)", told.text), "no more than the way"
    await ada.wait_for(room.channel, lambda said: part("turn.begins") in said.text)
    assert part("problem.already-joined") in (await bo.click(shown, "Sit down")).text
